//! Commands: simple ones, and the compound ones by their reserved word.

use super::builder::Place;
use super::cursor::*;
use super::ir::*;
use bytes::Bytes;
use std::sync::Arc;

impl Cursor<'_> {
    /// One command with its redirections.
    pub fn command(&mut self) -> Parsed<Command> {
        self.enter()?;
        let c = self.command_here()?;
        self.leave();
        Ok(c)
    }

    fn command_here(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        while self.aliases.is_some() && self.expand_alias()? {
            self.skip_blanks();
        }
        let line = self.line();
        let kind = match self.compound()? {
            Some(kind) => kind,
            None => return self.simple(line),
        };
        let mut redirects = Vec::new();
        // A function's redirections belong to its body.
        if !matches!(kind, CommandKind::Function(_) | CommandKind::Coproc(..)) {
            while self.redirect(&mut redirects)? {}
        }
        Ok(Command { line, kind, redirects })
    }

    /// A compound command, if one begins here.
    fn compound(&mut self) -> Parsed<Option<CommandKind>> {
        match self.peek() {
            b'(' => return self.parenthesis().map(Some),
            b'i' | b'w' | b'u' | b'f' | b's' | b'c' | b'{' | b'[' | b't' | b'e' | b'd' | b'}' | b'!'
            | b']' => {}
            _ => return Ok(None),
        }
        let Some(word) = self.plain_word() else { return Ok(None) };
        let len = word.len();
        let kind = match word {
            b"if" => {
                self.pos += len;
                self.if_clause()?
            }
            b"while" | b"until" => {
                let until = word[0] == b'u';
                self.pos += len;
                let condition = self.compound_list()?;
                let body = self.do_group()?;
                CommandKind::Loop { until, condition, body }
            }
            b"for" => {
                self.pos += len;
                self.for_clause()?
            }
            b"select" => {
                self.pos += len;
                self.skip_blanks();
                CommandKind::Select(Box::new(self.for_words()?))
            }
            b"case" => {
                self.pos += len;
                self.case_clause()?
            }
            b"function" => {
                let start = self.pos;
                let line = self.line();
                self.pos += len;
                self.skip_blanks();
                let name = self.word_in(Place::Word)?.source;
                self.skip_blanks();
                if self.peek() == b'(' {
                    let open = self.pos;
                    self.pos += 1;
                    self.skip_blanks();
                    if self.peek() == b')' {
                        self.pos += 1;
                    } else {
                        // The body is a subshell.
                        self.pos = open;
                    }
                }
                self.function_body(name, start, line)?
            }
            b"{" => {
                self.pos += len;
                let list = self.compound_list()?;
                self.expect(b"}")?;
                CommandKind::Group(list)
            }
            b"[[" => {
                self.pos += len;
                CommandKind::Test(Box::new(self.conditional_command()?))
            }
            b"coproc" => {
                self.pos += len;
                self.coproc()?
            }
            b"then" | b"else" | b"elif" | b"fi" | b"do" | b"done" | b"esac" | b"}" | b"!" | b"in" | b"]]" => {
                return Err(self.unexpected());
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// A reserved word or `)` that must stand here.
    fn expect(&mut self, word: &[u8]) -> Parsed<()> {
        self.skip_blanks();
        if !self.at_word(word) {
            return Err(self.unexpected());
        }
        self.pos += word.len();
        Ok(())
    }

    /// `( list )` or `(( expression ))`.
    fn parenthesis(&mut self) -> Parsed<CommandKind> {
        if self.peek_at(1) == b'('
            && let Some(a) = self.double_paren()?
        {
            return Ok(CommandKind::Arith(a));
        }
        self.pos += 1;
        let list = self.compound_list();
        let list = list?;
        self.skip_blanks();
        if self.peek() != b')' {
            return Err(self.unexpected());
        }
        self.pos += 1;
        Ok(CommandKind::Subshell(Arc::new(list)))
    }

    fn if_clause(&mut self) -> Parsed<CommandKind> {
        let mut arms = Vec::new();
        loop {
            let condition = self.compound_list()?;
            self.expect(b"then")?;
            arms.push((condition, self.compound_list()?));
            self.skip_blanks();
            if self.at_word(b"elif") {
                self.pos += 4;
                continue;
            }
            let mut otherwise = None;
            if self.at_word(b"else") {
                self.pos += 4;
                otherwise = Some(self.compound_list()?);
            }
            self.expect(b"fi")?;
            return Ok(CommandKind::If(arms, otherwise));
        }
    }

    fn do_group(&mut self) -> Parsed<List> {
        self.expect(b"do")?;
        let body = self.compound_list()?;
        self.expect(b"done")?;
        Ok(body)
    }

    fn for_clause(&mut self) -> Parsed<CommandKind> {
        self.skip_blanks();
        if self.starts_with(b"((") {
            return self.for_arithmetic();
        }
        Ok(CommandKind::For(Box::new(self.for_words()?)))
    }

    /// `for ((a; b; c))` from its parentheses.
    fn for_arithmetic(&mut self) -> Parsed<CommandKind> {
        use super::arith_text::Stop;
        let open = self.pos;
        self.pos += 2;
        let mut parts = Vec::new();
        loop {
            let blank = |a: Arc<Arith>| (!a.source.trim_ascii().is_empty()).then_some(a);
            let a = self.arithmetic(Stop::Semicolon)?;
            parts.push(blank(a));
            if self.peek() != b';' {
                break;
            }
            self.pos += 1;
        }
        if !self.starts_with(b"))") {
            return Err(self.unexpected());
        }
        if parts.len() != 3 {
            let text = self.slice(open, self.pos + 2);
            let message = if parts.len() < 3 {
                "syntax error: arithmetic expression required"
            } else {
                "syntax error: `;' unexpected"
            };
            let mut e = self.error(message);
            let shown = String::from_utf8_lossy(&text).into_owned();
            e.further.push((e.line, format!("syntax error: `{shown}'")));
            return Err(e);
        }
        self.pos += 2;
        self.skip_blanks();
        if self.peek() == b';' {
            self.pos += 1;
        }
        self.skip_newlines();
        let body = self.loop_body()?;
        let step = parts.pop().flatten();
        let test = parts.pop().flatten();
        let init = parts.pop().flatten();
        Ok(CommandKind::ForArith(Box::new(ForArith { init, test, step, body })))
    }

    /// `do … done` or `{ … }`.
    fn loop_body(&mut self) -> Parsed<List> {
        if self.at_word(b"{") {
            self.pos += 1;
            let body = self.compound_list()?;
            self.expect(b"}")?;
            return Ok(body);
        }
        self.do_group()
    }

    /// `name [in words]; do …` of `for` and `select`.
    fn for_words(&mut self) -> Parsed<For> {
        let word = self.word_in(Place::Word)?;
        let name = self.intern(&word.source)?;
        self.skip_blanks();
        let mut words = None;
        if self.peek() == b';' && !matches!(self.operator_next(1).0, b';' | b'&') {
            self.pos += 1;
            self.skip_newlines();
        } else {
            self.skip_newlines();
            if self.at_word(b"in") {
                self.pos += 2;
                let mut list = Vec::new();
                loop {
                    self.skip_blanks();
                    if CLASS[self.peek() as usize] == META && self.at_operator()
                        || matches!(self.peek(), b'\n' | 0)
                    {
                        break;
                    }
                    list.push(self.word()?);
                }
                match self.peek() {
                    b';' if !matches!(self.operator_next(1).0, b';' | b'&') => self.pos += 1,
                    b'\n' => {}
                    _ => return Err(self.unexpected()),
                }
                self.skip_newlines();
                words = Some(list);
            }
        }
        let body = self.loop_body()?;
        Ok(For { name, words, body })
    }

    fn case_clause(&mut self) -> Parsed<CommandKind> {
        self.skip_blanks();
        let word = self.word_in(Place::Word)?;
        self.skip_newlines();
        self.expect(b"in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines();
            if self.at_end() {
                return Err(self.unexpected_end());
            }
            if self.at_word(b"esac") {
                self.pos += 4;
                return Ok(CommandKind::Case(Box::new(Case { word, arms })));
            }
            if self.peek() == b'(' {
                self.pos += 1;
                self.skip_blanks();
            }
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                let w = self.word_in(Place::Word)?;
                patterns.push(self.pattern(w));
                self.skip_blanks();
                match self.peek() {
                    b'|' if !matches!(self.operator_next(1).0, b'|' | b'&') => self.pos += 1,
                    b')' => {
                        self.pos += 1;
                        break;
                    }
                    _ => return Err(self.unexpected_in_line()),
                }
            }
            let body = self.compound_list_or_empty()?;
            self.skip_blanks();
            let (a, (b, n)) = (self.peek(), self.operator_next(1));
            let end = match (a, b) {
                (b';', b';') => {
                    self.pos += n + 1;
                    if self.peek() == b'&' {
                        self.pos += 1;
                        CaseEnd::Continue
                    } else {
                        CaseEnd::Break
                    }
                }
                (b';', b'&') => {
                    self.pos += n + 1;
                    CaseEnd::FallThrough
                }
                _ => {
                    self.skip_newlines();
                    if !self.at_word(b"esac") {
                        return Err(self.unexpected());
                    }
                    CaseEnd::Break
                }
            };
            arms.push(CaseArm { patterns, body, end });
        }
    }

    /// The body of a function whose definition began at `start`.
    fn function_body(&mut self, name: Bytes, start: usize, line: LineNo) -> Parsed<CommandKind> {
        self.skip_newlines();
        let body_line = self.line();
        self.enter()?;
        if self.at_word(b"function") || self.at_word(b"coproc") {
            return Err(self.unexpected());
        }
        let Some(kind) = self.compound()? else { return Err(self.unexpected()) };
        let mut redirects = Vec::new();
        while self.redirect(&mut redirects)? {}
        self.leave();
        let body = Command { line: body_line, kind, redirects };
        let slot = self.intern(&name)?;
        let source = self.source(start);
        Ok(CommandKind::Function(Arc::new(FunctionDef { name, slot, body, line, source })))
    }

    fn coproc(&mut self) -> Parsed<CommandKind> {
        self.skip_blanks();
        if self.at_end() {
            return Err(self.near(b"newline", self.pos));
        }
        let line = self.line();
        let default = self.intern(b"COPROC")?;
        self.enter()?;
        if let Some(kind) = self.compound()? {
            return self.coproc_of(default, kind, line);
        }
        // `coproc NAME compound`
        let start = self.pos;
        if let Some(end) = self.plain_end()
            && end > start
        {
            let name = self.slice(start, end);
            self.pos = end;
            self.skip_blanks();
            let begins = self.peek() == b'('
                || [&b"{"[..], b"[[", b"if", b"while", b"until", b"for", b"select", b"case"]
                    .iter()
                    .any(|w| self.at_word(w));
            if begins && let Some(kind) = self.compound()? {
                let name = self.intern(&name)?;
                return self.coproc_of(name, kind, line);
            }
            self.pos = start;
        }
        let command = self.simple(line)?;
        self.leave();
        Ok(CommandKind::Coproc(default, Arc::new(command)))
    }

    fn coproc_of(&mut self, name: Name, kind: CommandKind, line: LineNo) -> Parsed<CommandKind> {
        let mut redirects = Vec::new();
        while self.redirect(&mut redirects)? {}
        self.leave();
        Ok(CommandKind::Coproc(name, Arc::new(Command { line, kind, redirects })))
    }

    // Simple commands.

    fn simple(&mut self, line: LineNo) -> Parsed<Command> {
        let start = self.pos;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut declares = false;
        let mut compound_text = false;
        // `command declare a=(…)` is an error: only the first word can be a declaration with arrays.
        let mut arrays = true;
        // bash takes the line number when it has read the token after the first word (it may be a `(`), but right after
        // an assignment or redirection that comes first.
        let mut line = line;
        let mut elements = 0usize;
        let mut numbered = false;
        loop {
            let ended = self.pos;
            self.skip_blanks();
            if !numbered && elements > 0 {
                let here = self.at_operator() || matches!(self.peek(), b'\n' | 0);
                if elements > 1 || simple.words.is_empty() {
                    line = self.line_at(ended);
                    numbered = true;
                } else if here {
                    line = self.line();
                    numbered = true;
                }
            }
            elements += 1;
            if self.aliases.is_some() {
                if !simple.words.is_empty() {
                    self.expand_alias_argument()?;
                } else if self.pos > start {
                    // The command word after assignments and redirections.
                    while self.expand_alias()? {
                        self.skip_blanks();
                    }
                }
            }
            let c = self.peek();
            if matches!(c, b'<' | b'>' | b'0'..=b'9' | b'{' | b'&') && self.redirect(&mut redirects)? {
                continue;
            }
            if CLASS[c as usize] == META && !(matches!(c, b'<' | b'>') && self.peek_at(1) == b'(') {
                if c != b'(' {
                    break;
                }
                // `name ()`, or an error.
                if let [Arg::Word(name)] = &simple.words[..]
                    && simple.assignments.is_empty()
                    && redirects.is_empty()
                {
                    let name = name.source.clone();
                    self.pos += 1;
                    self.skip_blanks();
                    if self.peek() != b')' {
                        return Err(self.unexpected_in_line());
                    }
                    self.pos += 1;
                    let kind = self.function_body(name, start, line)?;
                    return Ok(Command { line, kind, redirects });
                }
                return Err(self.unexpected());
            }
            if simple.words.is_empty() {
                if name_start(c) {
                    match self.assignment(false, true)? {
                        Begun::Assignment(a) => {
                            simple.assignments.push(a);
                            continue;
                        }
                        Begun::Word(w) => simple.words.push(Arg::Word(w)),
                        Begun::Nothing => simple.words.push(Arg::Word(self.word()?)),
                    }
                } else {
                    simple.words.push(Arg::Word(self.word()?));
                }
                simple.literal = literal(&simple.words);
                (declares, compound_text) = declaration(simple.literal.as_deref());
                continue;
            }
            if declares && name_start(c) {
                match self.assignment(true, arrays)? {
                    Begun::Assignment(a) => {
                        simple.words.push(Arg::Assign(a));
                        continue;
                    }
                    Begun::Word(w) => {
                        simple.words.push(Arg::Word(w));
                        continue;
                    }
                    Begun::Nothing => {}
                }
            }
            let w = self.word()?;
            // `eval a=(…)`: the parentheses are part of the word.
            if compound_text && self.peek() == b'(' && w.source.ends_with(b"=") {
                let w = self.word_with_parens(w)?;
                simple.words.push(Arg::Word(w));
                continue;
            }
            simple.words.push(Arg::Word(w));
            if !declares
                && simple.words.len() == 2
                && matches!(simple.literal.as_deref(), Some(b"command" | b"builtin"))
            {
                declares = declaration(literal(&simple.words[1..]).as_deref()).0;
                arrays = false;
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Command { line, kind: CommandKind::Simple(Box::new(simple)), redirects })
    }

    /// `word(…)` where the text in parentheses belongs to the word.
    fn word_with_parens(&mut self, before: Word) -> Parsed<Word> {
        use super::builder::Builder;
        use super::word::Mode;
        let start = self.pos - before.source.len();
        let mut b = Builder::default();
        match before.shape {
            Shape::Literal(s) => b.text(&s),
            Shape::Parts(p) => {
                for p in &p.parts {
                    b.push(p.clone());
                }
            }
            Shape::Var(_) | Shape::QuotedVar(_) => {}
        }
        self.pos += 1;
        b.text(b"(");
        self.unquoted(Mode::Parens, false, &mut b)?;
        self.pos += 1;
        b.text(b")");
        b.glob = false;
        Ok(b.finish(Place::Word, self.source(start)))
    }

    /// An assignment, if one begins here. `argument` = it is one of a declaration builtin, where a brace expression
    /// makes it an ordinary word.
    fn assignment(&mut self, argument: bool, arrays: bool) -> Parsed<Begun> {
        let start = self.pos;
        let n = name_len(&self.text[start..]);
        let mut after = self.peek_at(n);
        let (mut subscript, mut read) = (None, n);
        if after == b'[' {
            // Reads to the matching bracket, blanks included, whether or not `=` follows.
            self.pos += n;
            subscript = Some(self.subscript()?);
            read = self.pos - start;
            self.pos = start;
            after = self.peek_at(read);
        }
        let append = after == b'+' && self.peek_at(read + 1) == b'=';
        if after != b'=' && !append {
            return Ok(match subscript {
                None => Begun::Nothing,
                Some(s) => Begun::Word(self.word_after_subscript(start, n, read, s)?),
            });
        }
        let value_at = start + read + if append { 2 } else { 1 };
        self.pos = value_at;
        let value = if self.peek() == b'(' && arrays {
            AssignValue::Array(self.array()?)
        } else {
            let word = self.value_word()?;
            if self.peek() == b'(' && argument {
                return Err(self.unexpected());
            }
            if argument && word.source.contains(&b'{') {
                self.pos = start;
                let word = self.word()?;
                if has_brace(&word) {
                    return Ok(Begun::Word(word));
                }
                self.pos = value_at;
                AssignValue::Scalar(self.value_word()?)
            } else {
                AssignValue::Scalar(word)
            }
        };
        let name = self.slice(start, start + n);
        let name = self.intern(&name)?;
        Ok(Begun::Assignment(Assignment { name, subscript, append, value, source: self.source(start) }))
    }

    /// A word that begins with `name[…]` but is no assignment.
    fn word_after_subscript(&mut self, start: usize, n: usize, read: usize, s: Subscript) -> Parsed<Word> {
        use super::builder::Builder;
        use super::word::Mode;
        let mut b = Builder::default();
        b.text(&self.text.slice(start..start + n + 1));
        b.glob = true;
        match s {
            Subscript::At => b.text(b"@"),
            Subscript::Star => b.text(b"*"),
            Subscript::Index { key, .. } => match key.shape {
                Shape::Parts(p) => {
                    for p in &p.parts {
                        b.push(p.clone());
                    }
                }
                Shape::Literal(s) => b.text(&s),
                Shape::Var(_) | Shape::QuotedVar(_) => {
                    // The expansion itself is not kept in the shape: read it again.
                    self.pos = start + n + 1;
                    self.unquoted(Mode::Subscript, false, &mut b)?;
                }
            },
        }
        b.text(b"]");
        self.pos = start + read;
        self.unquoted(Mode::Word, false, &mut b)?;
        Ok(b.finish(Place::Argument, self.source(start)))
    }

    /// `( … )` of an array assignment, from its parenthesis.
    fn array(&mut self) -> Parsed<Vec<ArrayItem>> {
        self.enter()?;
        let open = self.pos;
        self.pos += 1;
        let closer = self.closer.replace(b')');
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            match self.peek() {
                b')' => break,
                0 => {
                    let line = self.line_at(open);
                    return Err(self.unmatched(b')', line));
                }
                b'[' => {
                    items.push(self.array_item()?);
                }
                c if CLASS[c as usize] == META && self.at_operator() => return Err(self.unexpected()),
                _ => items.push(ArrayItem::Word(self.word()?)),
            }
        }
        self.closer = closer;
        self.pos += 1;
        self.leave();
        Ok(items)
    }

    /// `[subscript]=value`, or a word that begins with a bracket.
    fn array_item(&mut self) -> Parsed<ArrayItem> {
        let start = self.pos;
        let subscript = self.subscript()?;
        let append = self.starts_with(b"+=");
        if !append && self.peek() != b'=' {
            // A glob such as `[ab]*`; blanks end it again.
            self.pos = start;
            return Ok(ArrayItem::Word(self.word()?));
        }
        self.pos += if append { 2 } else { 1 };
        let value = self.value_word()?;
        Ok(ArrayItem::Keyed { subscript, append, value })
    }

    // Redirections.

    /// A redirection, if one stands here.
    pub fn redirect(&mut self, out: &mut Vec<Redirect>) -> Parsed<bool> {
        self.skip_blanks();
        let start = self.pos;
        let mut fd = None;
        match self.peek() {
            b'<' | b'>' => {}
            b'&' if self.peek_at(1) == b'>' => {}
            b'0'..=b'9' => {
                let mut n: Option<u32> = Some(0);
                let mut i = 0;
                while self.peek_at(i).is_ascii_digit() {
                    let d = u32::from(self.peek_at(i) - b'0');
                    n = n.and_then(|n| n.checked_mul(10)).and_then(|n| n.checked_add(d));
                    i += 1;
                }
                if !matches!(self.peek_at(i), b'<' | b'>') {
                    return Ok(false);
                }
                fd = Some(RedirectFd::Number(n.filter(|&n| n <= i32::MAX as u32).unwrap_or(u32::MAX)));
                self.pos += i;
            }
            b'{' => {
                let n = name_len(&self.text[self.pos + 1..]);
                if n == 0 {
                    return Ok(false);
                }
                let name = self.slice(start + 1, start + 1 + n);
                self.pos += 1 + n;
                let mut subscript = None;
                if self.peek() == b'[' {
                    // Only a subscript without blanks, closed on the spot, can make this a redirection.
                    let rest = &self.text[self.pos..];
                    let end = rest
                        .iter()
                        .position(|b| matches!(b, b' ' | b'\t' | b'\n' | b'}'))
                        .unwrap_or(rest.len());
                    if end < 2 || rest[end - 1] != b']' || rest.get(end) != Some(&b'}') {
                        self.pos = start;
                        return Ok(false);
                    }
                    subscript = Some(self.subscript()?);
                }
                if self.peek() != b'}' || !matches!(self.peek_at(1), b'<' | b'>') {
                    self.pos = start;
                    return Ok(false);
                }
                self.pos += 1;
                let name = self.intern(&name)?;
                fd = Some(RedirectFd::Variable(name, subscript));
            }
            _ => return Ok(false),
        }
        if matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(' && fd.is_none() {
            return Ok(false);
        }
        let line = self.line();
        let (len, make): (usize, fn(Word) -> RedirectKind) =
            match (self.peek(), self.peek_at(1), self.peek_at(2)) {
                (b'<', b'<', b'<') => (3, RedirectKind::HereString),
                (b'<', b'<', c) => {
                    self.pos += if c == b'-' { 3 } else { 2 };
                    self.skip_to_operand()?;
                    let doc = self.here_doc(c == b'-')?;
                    out.push(Redirect { fd, kind: RedirectKind::HereDoc(doc), line });
                    return Ok(true);
                }
                (b'<', b'&', _) => (2, |word| RedirectKind::Dup { input: true, word }),
                (b'<', b'>', _) => (2, RedirectKind::ReadWrite),
                (b'<', ..) => (1, RedirectKind::Read),
                (b'>', b'>', _) => (2, RedirectKind::Append),
                (b'>', b'|', _) => (2, RedirectKind::Clobber),
                (b'>', b'&', _) => (2, |word| RedirectKind::Dup { input: false, word }),
                (b'>', ..) => (1, RedirectKind::Write),
                (_, _, b'>') => (3, RedirectKind::BothAppend),
                _ => (2, RedirectKind::Both),
            };
        self.pos += len;
        self.skip_to_operand()?;
        let word = self.word()?;
        let kind = make(word);
        out.push(Redirect { fd, kind, line });
        Ok(true)
    }

    /// Blanks before the word of a redirection, which must follow.
    fn skip_to_operand(&mut self) -> Parsed<()> {
        self.skip_blanks();
        match self.peek() {
            0 => Err(self.near(b"newline", self.pos)),
            b'\n' => Err(self.near(b"newline", self.pos)),
            _ if self.at_operator() => Err(self.unexpected()),
            _ => Ok(()),
        }
    }
}

/// What stands where an assignment may.
enum Begun {
    Assignment(Assignment),
    /// `name[…]` without `=`: an ordinary word, read through.
    Word(Word),
    /// Nothing was read.
    Nothing,
}

fn has_brace(w: &Word) -> bool {
    matches!(&w.shape, Shape::Parts(p) if p.parts.iter().any(|p| matches!(p, Part::Brace(_))))
}

fn literal(words: &[Arg]) -> Option<Bytes> {
    match words.first() {
        Some(Arg::Word(Word { shape: Shape::Literal(s), .. })) => Some(s.clone()),
        _ => None,
    }
}

/// Whether this command takes assignments as arguments, and whether it takes `a=(…)` as text.
fn declaration(word: Option<&[u8]>) -> (bool, bool) {
    match word {
        Some(b"declare" | b"typeset" | b"local" | b"export" | b"readonly") => (true, false),
        Some(b"eval" | b"let" | b"alias") => (false, true),
        _ => (false, false),
    }
}
