//! The printer: a tree as bash writes it for `declare -f`, `type`, `jobs` and `BASH_COMMAND`. It follows print_cmd.c
//! step by step, its odd places included (where here-documents go, `for ((1; 1; 1))`, `1>&2`).

use super::ir::*;
use bytes::Bytes;
use std::sync::Arc;

/// The text of a function's definition, as `declare -f` prints it (without the last newline).
pub fn function(def: &FunctionDef) -> Vec<u8> {
    let mut p = Printer::default();
    if is_reserved(&def.name) {
        p.put(b"function ");
    }
    p.put(&def.name);
    p.put(b" () \n");
    p.function_body(&def.body, b"{ \n");
    p.out
}

/// The text of a command, as in `BASH_COMMAND`.
pub fn command(c: &Command) -> Vec<u8> {
    let mut p = Printer::default();
    p.command(c);
    p.out
}

/// The text of a background list, as `jobs` prints it (without ` &`).
pub fn job_text(a: &AndOr) -> Bytes {
    let mut p = Printer::default();
    p.and_or(a);
    p.out.into()
}

/// The text of `$( … )` between the parentheses.
fn units(list: &[Unit]) -> Vec<u8> {
    let mut p = Printer::default();
    for (i, u) in list.iter().enumerate() {
        if i > 0 {
            p.put(b"\n");
        }
        p.list(&u.list);
        p.deferred(b"");
    }
    p.out
}

/// Whether `name` is a reserved word.
pub fn is_reserved(name: &[u8]) -> bool {
    matches!(
        name,
        b"if"
            | b"then"
            | b"else"
            | b"elif"
            | b"fi"
            | b"case"
            | b"esac"
            | b"for"
            | b"select"
            | b"while"
            | b"until"
            | b"do"
            | b"done"
            | b"in"
            | b"function"
            | b"time"
            | b"{"
            | b"}"
            | b"!"
            | b"[["
            | b"]]"
            | b"coproc"
    )
}

/// print_cmd.c's global state.
#[derive(Default)]
struct Printer {
    out: Vec<u8>,
    indentation: usize,
    in_function: usize,
    /// The next command continues a line.
    skip_indent: usize,
    /// A here-document has just been printed: no `;` after it.
    was_here_doc: bool,
    /// Depth of lists: here-documents within wait for the connector.
    connection: usize,
    waiting: Vec<Arc<HereDoc>>,
}

const STEP: usize = 4;

impl Printer {
    fn put(&mut self, s: &[u8]) {
        self.out.extend_from_slice(s);
    }

    fn indent(&mut self) {
        // Very deep nesting is not shown, lest the text grow out of proportion.
        let n = self.out.len() + self.indentation.min(100 * STEP);
        self.out.resize(n, b' ');
    }

    fn newline(&mut self, s: &[u8]) {
        self.put(b"\n");
        self.indent();
        self.put(s);
    }

    fn semicolon(&mut self) {
        if !matches!(self.out.last(), None | Some(b'&' | b'\n')) {
            self.put(b";");
        }
    }

    /// The indentation before a command, unless it continues a line.
    fn start(&mut self) {
        if self.skip_indent > 0 {
            self.skip_indent -= 1;
        } else {
            self.indent();
        }
    }

    fn here_docs(&mut self, docs: Vec<Arc<HereDoc>>) {
        self.put(b"\n");
        for d in docs {
            let body = d.body().source.clone();
            self.put(&body);
            self.put(&d.end);
            self.put(b"\n");
        }
        self.was_here_doc = true;
    }

    /// A connector, and the here-documents that waited for it.
    fn deferred(&mut self, connector: &[u8]) {
        let shown = !connector.is_empty() && connector != b";";
        if self.waiting.is_empty() {
            if shown {
                self.put(connector);
            }
            return;
        }
        let tight = matches!(connector, b" | " | b" & ");
        if shown {
            self.put(if tight { connector.trim_ascii_end() } else { connector });
        }
        let docs = std::mem::take(&mut self.waiting);
        self.here_docs(docs);
        if shown {
            self.put(if tight { b"  " } else { b" " });
        }
    }

    // Lists.

    fn list(&mut self, l: &List) {
        let Some(last) = l.items.len().checked_sub(1) else {
            self.start();
            return;
        };
        let connected = last > 0 || l.items[last].background;
        if connected {
            self.start();
            self.skip_indent += 1;
            self.connection += 1;
        }
        for (i, item) in l.items.iter().enumerate() {
            self.and_or(&item.and_or);
            if item.background {
                if i == last {
                    self.deferred(b" &");
                } else {
                    self.deferred(b" & ");
                    self.skip_indent += 1;
                }
            } else if i < last {
                if !self.waiting.is_empty() {
                    self.deferred(if self.in_function > 0 { b"" } else { b";" });
                } else if self.was_here_doc {
                    self.was_here_doc = false;
                } else {
                    self.put(b";");
                }
                if self.in_function > 0 {
                    self.put(b"\n");
                } else {
                    self.put(b" ");
                    self.skip_indent += 1;
                }
            }
        }
        if connected {
            self.connection -= 1;
        }
    }

    fn and_or(&mut self, a: &AndOr) {
        if a.rest.is_empty() {
            return self.pipeline(&a.first);
        }
        self.start();
        self.skip_indent += 1;
        self.connection += 1;
        self.pipeline(&a.first);
        for (connective, p) in &a.rest {
            self.deferred(if *connective == Connective::And { b" && " } else { b" || " });
            self.skip_indent += 1;
            self.pipeline(p);
        }
        self.connection -= 1;
    }

    fn pipeline(&mut self, p: &Pipeline) {
        self.start();
        self.skip_indent += 1;
        match p.time {
            Some(TimeFormat::Bash) => self.put(b"time "),
            Some(TimeFormat::Posix) => self.put(b"time -p "),
            None => {}
        }
        if p.negated {
            self.put(b"! ");
        }
        let connected = p.stages.len() > 1;
        if connected {
            self.connection += 1;
        }
        for (i, c) in p.stages.iter().enumerate() {
            if i > 0 {
                self.deferred(b" | ");
                self.skip_indent += 1;
            }
            self.command(c);
        }
        if connected {
            self.connection -= 1;
        }
    }

    // Commands.

    fn command(&mut self, c: &Command) {
        self.start();
        match &c.kind {
            CommandKind::Simple(s) => {
                let mut first = true;
                for a in &s.assignments {
                    self.space(&mut first);
                    self.assignment(a);
                }
                for w in &s.words {
                    self.space(&mut first);
                    match w {
                        Arg::Word(w) => self.word(w),
                        Arg::Assign(a) => self.assignment(a),
                    }
                }
                if !c.redirects.is_empty() {
                    self.space(&mut first);
                    self.redirects(&c.redirects);
                }
                return;
            }
            CommandKind::Subshell(l) => {
                self.put(b"( ");
                self.skip_indent += 1;
                self.list(l);
                self.deferred(b"");
                self.put(b" )");
            }
            CommandKind::Group(l) => self.group(l),
            CommandKind::If(arms, otherwise) => self.if_clause(arms, otherwise.as_ref()),
            CommandKind::Loop { until, condition, body } => {
                self.put(if *until { b"until " } else { b"while " });
                self.skip_indent += 1;
                self.list(condition);
                self.deferred(b"");
                self.semicolon();
                self.put(b" do\n");
                self.body(body);
                self.semicolon();
                self.newline(b"done");
            }
            CommandKind::For(f) => self.for_words(b"for ", f),
            CommandKind::Select(f) => self.for_words(b"select ", f),
            CommandKind::ForArith(f) => {
                self.put(b"for ((");
                for (i, part) in [&f.init, &f.test, &f.step].into_iter().enumerate() {
                    if i > 0 {
                        self.put(b"; ");
                    }
                    match part {
                        Some(a) => {
                            let text = a.source.clone();
                            self.put(text.trim_ascii_start());
                        }
                        None => self.put(b"1"),
                    }
                }
                self.put(b"))");
                self.newline(b"do\n");
                self.body(&f.body);
                self.semicolon();
                self.newline(b"done");
            }
            CommandKind::Case(k) => self.case(k),
            CommandKind::Arith(a) => {
                self.put(b"((");
                self.put(&a.source);
                self.put(b"))");
            }
            CommandKind::Test(t) => {
                self.put(b"[[ ");
                self.test(t);
                self.put(b" ]]");
            }
            CommandKind::Function(f) => {
                self.put(b"function ");
                self.put(&f.name);
                self.put(b" () \n");
                self.indent();
                self.function_body(&f.body, b"{ \n");
            }
            CommandKind::Coproc(name, body) => {
                self.put(b"coproc ");
                self.put(super::names::text(*name));
                self.put(b" ");
                self.skip_indent += 1;
                self.command(body);
            }
        }
        if !c.redirects.is_empty() {
            self.put(b" ");
            self.redirects(&c.redirects);
        }
    }

    fn space(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.put(b" ");
        }
    }

    /// The braces of a function and what they hold; redirections of a `{ }` body go after the `}`.
    fn function_body(&mut self, body: &Command, open: &[u8]) {
        self.in_function += 1;
        self.put(open);
        self.indentation += STEP;
        let group = match &body.kind {
            CommandKind::Group(l) => {
                self.list(l);
                true
            }
            _ => {
                self.command(body);
                false
            }
        };
        self.deferred(b"");
        self.in_function -= 1;
        self.indentation -= STEP;
        if group && !body.redirects.is_empty() {
            self.newline(b"} ");
            self.redirects(&body.redirects);
        } else {
            self.newline(b"}");
        }
    }

    fn body(&mut self, l: &List) {
        self.indentation += STEP;
        self.list(l);
        self.deferred(b"");
        self.indentation -= STEP;
    }

    fn group(&mut self, l: &List) {
        self.put(b"{ ");
        if self.in_function == 0 {
            self.skip_indent += 1;
        } else {
            self.put(b"\n");
            self.indentation += STEP;
        }
        self.list(l);
        self.deferred(b"");
        if self.in_function > 0 {
            self.put(b"\n");
            self.indentation -= STEP;
            self.indent();
        } else {
            self.semicolon();
            self.put(b" ");
        }
        self.put(b"}");
    }

    /// `elif` is printed as an `if` within `else`; a loop, since there may be very many.
    fn if_clause(&mut self, arms: &[(List, List)], otherwise: Option<&List>) {
        for (i, (condition, then)) in arms.iter().enumerate() {
            if i > 0 {
                self.semicolon();
                self.newline(b"else\n");
                self.indentation += STEP;
                self.indent();
            }
            self.put(b"if ");
            self.skip_indent += 1;
            self.list(condition);
            self.semicolon();
            self.put(b" then\n");
            self.body(then);
        }
        if let Some(l) = otherwise {
            self.semicolon();
            self.newline(b"else\n");
            self.body(l);
        }
        for i in 0..arms.len() {
            if i > 0 {
                self.deferred(b"");
                self.indentation -= STEP;
            }
            self.semicolon();
            self.newline(b"fi");
        }
    }

    fn for_words(&mut self, keyword: &[u8], f: &For) {
        self.put(keyword);
        self.put(super::names::text(f.name));
        self.put(b" in ");
        match &f.words {
            None => self.put(b"\"$@\""),
            Some(words) => {
                let mut first = true;
                for w in words {
                    self.space(&mut first);
                    self.word(w);
                }
            }
        }
        self.put(b";");
        self.newline(b"do\n");
        self.body(&f.body);
        self.semicolon();
        self.newline(b"done");
    }

    fn case(&mut self, k: &Case) {
        self.put(b"case ");
        self.word(&k.word);
        self.put(b" in ");
        self.indentation += STEP;
        for arm in &k.arms {
            self.newline(b"");
            for (i, p) in arm.patterns.iter().enumerate() {
                if i > 0 {
                    self.put(b" | ");
                }
                self.word(&p.word);
            }
            self.put(b")\n");
            self.indentation += STEP;
            if !arm.body.items.is_empty() {
                self.list(&arm.body);
            }
            self.indentation -= STEP;
            self.deferred(b"");
            self.newline(match arm.end {
                CaseEnd::Break => b";;",
                CaseEnd::FallThrough => b";&",
                CaseEnd::Continue => b";;&",
            });
        }
        self.indentation -= STEP;
        self.newline(b"esac");
    }

    fn test(&mut self, t: &TestExpr) {
        match t {
            TestExpr::And(a, b) | TestExpr::Or(a, b) => {
                self.test(a);
                self.put(if matches!(t, TestExpr::And(..)) { b" && " } else { b" || " });
                self.test(b);
            }
            TestExpr::Not(a) => {
                self.put(b"! ");
                self.test(a);
            }
            TestExpr::Group(a) => {
                self.put(b"( ");
                self.test(a);
                self.put(b" )");
            }
            TestExpr::Unary(op, w) => {
                self.put(op);
                self.put(b" ");
                self.word(w);
            }
            TestExpr::Binary(op, a, b) => self.binary(a, op, b),
            TestExpr::Match { op, word, pattern, .. } => self.binary(word, op, &pattern.word),
            TestExpr::Regex(a, b) => self.binary(a, b"=~", b),
            TestExpr::Compare(op, a, b) => {
                let op: &[u8] = match op {
                    CompareOp::Eq => b"-eq",
                    CompareOp::Ne => b"-ne",
                    CompareOp::Lt => b"-lt",
                    CompareOp::Le => b"-le",
                    CompareOp::Gt => b"-gt",
                    CompareOp::Ge => b"-ge",
                };
                self.binary(&a.word, op, &b.word);
            }
        }
    }

    fn binary(&mut self, a: &Word, op: &[u8], b: &Word) {
        self.word(a);
        self.put(b" ");
        self.put(op);
        self.put(b" ");
        self.word(b);
    }

    // Redirections.

    fn redirects(&mut self, list: &[Redirect]) {
        self.was_here_doc = false;
        let mut docs = Vec::new();
        for (i, r) in list.iter().enumerate() {
            if i > 0 {
                self.put(b" ");
            }
            self.redirect(r, &mut docs);
        }
        if !docs.is_empty() {
            if self.connection > 0 {
                self.waiting.append(&mut docs);
            } else {
                self.here_docs(docs);
            }
        }
    }

    fn redirect(&mut self, r: &Redirect, docs: &mut Vec<Arc<HereDoc>>) {
        let (op, word, default): (&[u8], &Word, u32) = match &r.kind {
            RedirectKind::Read(w) => (b"< ", w, 0),
            RedirectKind::Write(w) => (b"> ", w, 1),
            RedirectKind::Clobber(w) => (b">| ", w, 1),
            RedirectKind::Append(w) => (b">> ", w, 1),
            RedirectKind::ReadWrite(w) => (b"<> ", w, 0),
            RedirectKind::HereString(w) => (b"<<< ", w, 0),
            RedirectKind::Both(w) => {
                self.put(b"&> ");
                return self.word(w);
            }
            RedirectKind::BothAppend(w) => {
                self.put(b"&>> ");
                return self.word(w);
            }
            RedirectKind::Dup { input, word } => return self.dup(r.fd.as_ref(), *input, word),
            RedirectKind::HereDoc(d) => {
                self.fd(r.fd.as_ref(), Some(0));
                self.put(if d.strip_tabs { b"<<-" } else { b"<<" });
                let quoted = d.delimiter.iter().any(|b| matches!(b, b'\'' | b'"' | b'\\'));
                if quoted {
                    let end = d.end.clone();
                    self.single_quoted(&end);
                } else {
                    self.put(&d.end);
                }
                docs.push(d.clone());
                return;
            }
        };
        self.fd(r.fd.as_ref(), Some(default));
        self.put(op);
        self.word(word);
    }

    /// The descriptor, unless it is the operator's own.
    fn fd(&mut self, fd: Option<&RedirectFd>, default: Option<u32>) {
        match fd {
            None => {}
            Some(RedirectFd::Number(n)) if Some(*n) == default => {}
            Some(RedirectFd::Number(n)) => self.put(n.to_string().as_bytes()),
            Some(RedirectFd::Variable(name, subscript)) => {
                self.put(b"{");
                self.put(super::names::text(*name));
                if let Some(s) = subscript {
                    self.subscript(s);
                }
                self.put(b"}");
            }
        }
    }

    fn dup(&mut self, fd: Option<&RedirectFd>, input: bool, word: &Word) {
        let default = if input { 0 } else { 1 };
        let text = match &word.shape {
            Shape::Literal(s) => &s[..],
            _ => b"",
        };
        let number = text.strip_suffix(b"-").unwrap_or(text);
        if !text.is_empty() && number.iter().all(u8::is_ascii_digit) {
            match fd {
                None => self.put(if input { b"0" } else { b"1" }),
                fd => self.fd(fd, None),
            }
            self.put(if input && text != b"-" { b"<&" } else { b">&" });
            self.put(text);
        } else {
            self.fd(fd, Some(default));
            self.put(if input { b"<&" } else { b">&" });
            self.word(word);
        }
    }

    // Words.

    fn single_quoted(&mut self, s: &[u8]) {
        sandshell_text::quote::single(s, &mut self.out);
    }

    fn subscript(&mut self, s: &Subscript) {
        match s {
            Subscript::At => self.put(b"[@]"),
            Subscript::Star => self.put(b"[*]"),
            Subscript::Index { arith, .. } => {
                self.put(b"[");
                self.put(&arith.source);
                self.put(b"]");
            }
        }
    }

    fn assignment(&mut self, a: &Assignment) {
        self.put(super::names::text(a.name));
        if let Some(s) = &a.subscript {
            self.subscript(s);
        }
        self.put(if a.append { b"+=" } else { b"=" });
        match &a.value {
            AssignValue::Scalar(w) => self.word(w),
            AssignValue::Array(items) => {
                self.put(b"(");
                let mut first = true;
                for i in items {
                    self.space(&mut first);
                    match i {
                        ArrayItem::Word(w) => self.word(w),
                        ArrayItem::Keyed { subscript, append, value } => {
                            self.subscript(subscript);
                            self.put(if *append { b"+=" } else { b"=" });
                            self.word(value);
                        }
                    }
                }
                self.put(b")");
            }
        }
    }

    /// A word as it was written, but: continued lines are joined, `$'…'` and `$"…"` are plain quotes, and the commands
    /// of substitutions are printed anew.
    fn word(&mut self, w: &Word) {
        let s = &w.source[..];
        if !s.iter().any(|b| matches!(b, b'\\' | b'$' | b'(')) {
            return self.put(s);
        }
        let mut substitutions = Vec::new();
        if let Shape::Parts(p) = &w.shape {
            collect(&p.parts, &mut substitutions);
        }
        let mut next = substitutions.into_iter().peekable();
        let mut double = false;
        let mut i = 0;
        while i < s.len() {
            match s[i] {
                b'\\' => {
                    if s.get(i + 1) != Some(&b'\n') {
                        self.put(&s[i..(i + 2).min(s.len())]);
                    }
                    i += 2;
                }
                b'"' => {
                    double = !double;
                    self.put(b"\"");
                    i += 1;
                }
                b'\'' if !double => {
                    let end = memchr::memchr(b'\'', &s[i + 1..]).map_or(s.len(), |n| i + n + 2);
                    self.put(&s[i..end]);
                    i = end;
                }
                b'$' if !double && s.get(i + 1) == Some(&b'"') => i += 1,
                b'$' if !double && s.get(i + 1) == Some(&b'\'') => {
                    let mut end = i + 2;
                    while end < s.len() && s[end] != b'\'' {
                        end += if s[end] == b'\\' { 2 } else { 1 };
                    }
                    let decoded = super::word::ansi_c(&s[(i + 2).min(s.len())..end.min(s.len())]);
                    self.single_quoted(&decoded);
                    i = end + 1;
                }
                b'`' => {
                    let mut end = i + 1;
                    while end < s.len() && s[end] != b'`' {
                        end += if s[end] == b'\\' { 2 } else { 1 };
                    }
                    let end = (end + 1).min(s.len());
                    self.put(&s[i..end]);
                    i = end;
                }
                b'(' => {
                    self.put(b"(");
                    i += 1;
                    if let Some(c) = next.peek()
                        && s[i..].starts_with(&c.source)
                        && s.get(i + c.source.len()) == Some(&b')')
                    {
                        if let Ok(body) = &c.body {
                            self.out.extend(units(body));
                        }
                        i += c.source.len();
                        next.next();
                    }
                }
                b => {
                    self.out.push(b);
                    i += 1;
                }
            }
        }
    }
}

/// The command and process substitutions of `parts`, in the order of the text, without those nested in them.
fn collect<'w>(parts: &'w [Part], out: &mut Vec<&'w CommandSubst>) {
    for p in parts {
        match p {
            Part::Command(c, _) | Part::Process(c, _) if c.body.is_ok() => out.push(c),
            Part::DoubleQuoted(inner) => collect(inner, out),
            Part::Arith(a, _) => {
                if let Some(w) = &a.word {
                    collect_word(w, out);
                }
            }
            Part::Brace(b) => {
                if let Brace::List(alternatives) = &**b {
                    for a in alternatives {
                        collect(a, out);
                    }
                }
            }
            Part::Param(p, _) => {
                if let Some(Subscript::Index { key, .. }) = &p.subscript {
                    collect_word(key, out);
                }
                match &p.op {
                    Op::Default(_, w) | Op::Assign(_, w) | Op::Alternative(_, w) | Op::Error(_, Some(w)) => {
                        collect_word(w, out);
                    }
                    Op::RemovePrefix(_, p) | Op::RemoveSuffix(_, p) | Op::Case(_, _, Some(p)) => {
                        collect_word(&p.word, out);
                    }
                    Op::Replace(_, p, r) => {
                        collect_word(&p.word, out);
                        if let Some(r) = r {
                            collect_word(r, out);
                        }
                    }
                    Op::Substring(a, b) => {
                        for w in [Some(a), b.as_ref()].into_iter().flatten().filter_map(|a| a.word.as_ref()) {
                            collect_word(w, out);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

fn collect_word<'w>(w: &'w Word, out: &mut Vec<&'w CommandSubst>) {
    if let Shape::Parts(p) = &w.shape {
        collect(&p.parts, out);
    }
}
