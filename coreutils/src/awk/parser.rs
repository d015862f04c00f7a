//! Tokens to the compiled form: names become slots as they are met, since parameters shadow globals only within their
//! function. The grammar and its precedences are gawk's.

use super::{
    ast::*,
    lexer::{self, Fault, Tok, Token},
    value::{Str, Value},
};
use std::collections::HashMap;

/// Nesting of expressions and statements.
const DEPTH: usize = 800;
/// Operands of one chain of equal operators.
const CHAIN: usize = 4000;

type Parse<T> = Result<T, Fault>;

/// Reads the text of an `@include`.
pub type Include<'a> = dyn FnMut(&[u8]) -> Result<Vec<u8>, String> + 'a;

/// A piece of program text.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// `cmd. line`, or the name of the file.
    pub name: String,
    /// The text.
    pub text: Vec<u8>,
}

/// Parses all pieces of a program; an `@include` adds to `sources`.
pub fn parse(
    sources: &mut Vec<SourceText>,
    include: &mut Include<'_>,
    warnings: &mut Vec<(Place, String)>,
) -> Parse<Program> {
    let mut tokens = Vec::new();
    for (i, s) in sources.iter().enumerate() {
        tokens.extend(lexer::lex(&s.text, i as u16, warnings)?);
        let last = tokens.last().map_or(Place { source: i as u16, line: 1 }, |t: &Token| t.place);
        tokens.push(Token { tok: Tok::Newline, place: last, at: s.text.len() });
    }
    let last = tokens.pop();
    let place = last.as_ref().map_or(Place { source: 0, line: 1 }, |t| t.place);
    tokens.push(Token { tok: Tok::End, place, at: last.map_or(0, |t| t.at) });
    let mut parser = Parser {
        tokens,
        at: 0,
        program: Program::default(),
        globals: HashMap::new(),
        functions: HashMap::new(),
        locals: Vec::new(),
        function: None,
        passed: Vec::new(),
        called_at: Vec::new(),
        calls: Vec::new(),
        no_greater: false,
        no_in: false,
        loops: 0,
        switches: 0,
        depth: 0,
        section: Section::Rule,
        sources,
        include,
        included: Vec::new(),
        warnings,
    };
    for name in ["ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB", "FUNCTAB"] {
        parser.global(name);
    }
    parser.program()?;
    parser.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Rule,
    Begin,
    End,
    BeginFile,
    EndFile,
    Function,
}

struct Parser<'a, 'b> {
    tokens: Vec<Token>,
    at: usize,
    program: Program,
    globals: HashMap<String, usize>,
    functions: HashMap<String, usize>,
    locals: Vec<String>,
    function: Option<usize>,
    /// (function, its parameter) handed on as (argument, of function): arrays are found through these.
    passed: Vec<(usize, usize, usize, usize)>,
    called_at: Vec<Place>,
    /// Calls with their number of arguments.
    calls: Vec<(usize, usize, Place)>,
    no_greater: bool,
    no_in: bool,
    loops: usize,
    switches: usize,
    depth: usize,
    section: Section,
    sources: &'a mut Vec<SourceText>,
    include: &'a mut Include<'b>,
    included: Vec<Vec<u8>>,
    warnings: &'a mut Vec<(Place, String)>,
}

impl Parser<'_, '_> {
    fn tok(&self) -> &Tok {
        &self.tokens[self.at].tok
    }

    fn ahead(&self, n: usize) -> &Tok {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].tok
    }

    fn place(&self) -> Place {
        self.tokens[self.at].place
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is(&self, op: &str) -> bool {
        matches!(self.tok(), Tok::Op(o) if *o == op)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.tok(), Tok::Word(w) if *w == word)
    }

    fn eat(&mut self, op: &str) -> bool {
        let yes = self.is(op);
        if yes {
            self.advance();
        }
        yes
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let yes = self.is_word(word);
        if yes {
            self.advance();
        }
        yes
    }

    fn expect(&mut self, op: &str) -> Parse<()> {
        if self.eat(op) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> Fault {
        match self.tok() {
            Tok::Newline | Tok::End => self.fault_here("unexpected newline or end of string"),
            _ => self.fault_here("syntax error"),
        }
    }

    fn fault_here(&self, text: &str) -> Fault {
        let t = &self.tokens[self.at];
        Fault { text: text.into(), place: t.place, at: Some(t.at), fatal: false }
    }

    fn error(&self, place: Place, text: String) -> Fault {
        Fault { text: format!("error: {text}"), place, at: None, fatal: false }
    }

    fn newlines(&mut self) {
        while *self.tok() == Tok::Newline {
            self.advance();
        }
    }

    fn separators(&mut self) {
        while *self.tok() == Tok::Newline || self.is(";") {
            self.advance();
        }
    }

    fn deeper(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth > DEPTH { Err(self.fault_here("nested too deeply")) } else { Ok(()) }
    }

    // ---- names ----

    fn global(&mut self, name: &str) -> usize {
        if let Some(i) = self.globals.get(name) {
            return *i;
        }
        let i = self.program.globals.len();
        self.program.globals.push(name.to_string());
        self.globals.insert(name.to_string(), i);
        i
    }

    fn function_slot(&mut self, name: &str) -> usize {
        if let Some(i) = self.functions.get(name) {
            return *i;
        }
        let i = self.program.functions.len();
        self.program.functions.push(Function { name: name.to_string(), ..Function::default() });
        self.functions.insert(name.to_string(), i);
        self.called_at.push(self.place());
        i
    }

    fn variable(&mut self, name: &str) -> Expr {
        if let Some(i) = self.locals.iter().position(|n| n == name) {
            return Expr::Local(i);
        }
        match Special::named(name) {
            Some(s) => Expr::Special(s),
            None => Expr::Global(self.global(name)),
        }
    }

    fn array(&mut self, name: &str) -> ArrayExpr {
        match self.locals.iter().position(|n| n == name) {
            Some(i) => {
                if let Some(f) = self.function {
                    self.program.functions[f].arrays[i] = true;
                }
                ArrayExpr::Local(i)
            }
            None => ArrayExpr::Global(self.global(name)),
        }
    }

    fn regex(&mut self, text: Vec<u8>) -> usize {
        self.program.regexes.push(text);
        self.program.regex_places.push(self.place());
        self.program.regexes.len() - 1
    }

    // ---- items ----

    fn program(&mut self) -> Parse<()> {
        loop {
            self.newlines();
            if *self.tok() == Tok::End {
                return Ok(());
            }
            if self.is(";") {
                let text = "each rule must have a pattern or an action part".into();
                return Err(Fault { text, place: self.place(), at: None, fatal: false });
            }
            if self.is("@") {
                self.directive()?;
                continue;
            }
            self.item()?;
            match self.tok() {
                Tok::Newline | Tok::End => {}
                Tok::Op(";") => self.advance(),
                _ => {
                    // A rule may follow a closing brace directly.
                    let closed = matches!(self.tokens[self.at - 1].tok, Tok::Op("}"));
                    if !closed {
                        return Err(self.unexpected());
                    }
                }
            }
        }
    }

    fn item(&mut self) -> Parse<()> {
        let place = self.place();
        match self.tok().clone() {
            Tok::Word("function") => self.function_definition(),
            Tok::Word(w @ ("BEGIN" | "END" | "BEGINFILE" | "ENDFILE")) => {
                self.advance();
                self.section = match w {
                    "BEGIN" => Section::Begin,
                    "END" => Section::End,
                    "BEGINFILE" => Section::BeginFile,
                    _ => Section::EndFile,
                };
                if !self.is("{") {
                    if matches!(self.tok(), Tok::Newline | Tok::End | Tok::Op(";")) {
                        let place = self.place();
                        return Err(self.error(place, format!("{w} blocks must have an action part")));
                    }
                    return Err(self.unexpected());
                }
                let body = self.block()?;
                match w {
                    "BEGIN" => self.program.begin.push(body),
                    "END" => self.program.end.push(body),
                    "BEGINFILE" => self.program.begin_file.push(body),
                    _ => self.program.end_file.push(body),
                }
                Ok(())
            }
            Tok::Op("{") => {
                self.section = Section::Rule;
                let action = Some(self.block()?);
                self.program.rules.push(Rule { pattern: Pattern::Always, action, place });
                Ok(())
            }
            _ => {
                self.section = Section::Rule;
                let first = self.expr()?;
                let pattern = if self.eat(",") {
                    self.newlines();
                    let last = self.expr()?;
                    self.program.ranges += 1;
                    Pattern::Range(first, last, self.program.ranges - 1)
                } else {
                    Pattern::When(first)
                };
                let action = if self.is("{") { Some(self.block()?) } else { None };
                self.program.rules.push(Rule { pattern, action, place });
                Ok(())
            }
        }
    }

    fn directive(&mut self) -> Parse<()> {
        self.advance();
        match (self.tok().clone(), self.ahead(1).clone()) {
            (Tok::Name(w), Tok::Str(file)) if w == "include" => {
                self.advance();
                self.advance();
                if self.included.contains(&file) {
                    return Ok(());
                }
                if self.included.len() >= 100 {
                    return Err(self.fault_here("too many @include"));
                }
                self.included.push(file.clone());
                let text = (self.include)(&file).map_err(|e| Fault {
                    text: e,
                    place: self.place(),
                    at: None,
                    fatal: true,
                })?;
                let source = self.sources.len() as u16;
                let mut tokens = lexer::lex(&text, source, self.warnings)?;
                self.sources.push(SourceText { name: String::from_utf8_lossy(&file).into_owned(), text });
                let end = tokens.last().map_or(Place { source, line: 1 }, |t| t.place);
                tokens.push(Token { tok: Tok::Newline, place: end, at: 0 });
                self.tokens.splice(self.at..self.at, tokens);
                Ok(())
            }
            (Tok::Name(w), Tok::Str(_)) if w == "load" => Err(Fault {
                text: "extensions are not allowed".into(),
                place: self.place(),
                at: None,
                fatal: true,
            }),
            _ => Err(self.unexpected()),
        }
    }

    fn function_definition(&mut self) -> Parse<()> {
        self.advance();
        let place = self.place();
        let name = match self.tok().clone() {
            Tok::Name(n) | Tok::Call(n) => n,
            Tok::Builtin(b) => {
                let at = self
                    .fault_here(&format!("`{}' is a built-in function, it cannot be redefined", b.name()));
                return Err(at);
            }
            _ => return Err(self.unexpected()),
        };
        let slot = self.function_slot(&name);
        if self.program.functions[slot].defined {
            return Err(self.error(place, format!("function name `{name}' previously defined")));
        }
        self.advance();
        self.expect("(")?;
        let mut params: Vec<String> = Vec::new();
        self.newlines();
        while !self.eat(")") {
            let Tok::Name(p) = self.tok().clone() else { return Err(self.unexpected()) };
            if p == name {
                return Err(self
                    .error(place, format!("function `{name}': cannot use function name as parameter name")));
            }
            if Special::named(&p).is_some() {
                return Err(self.error(
                    place,
                    format!("function `{name}': parameter `{p}': POSIX disallows using a special variable as a function parameter"),
                ));
            }
            if let Some(i) = params.iter().position(|q| *q == p) {
                return Err(self.error(
                    place,
                    format!(
                        "function `{name}': parameter #{}, `{p}', duplicates parameter #{}",
                        params.len() + 1,
                        i + 1
                    ),
                ));
            }
            params.push(p);
            self.advance();
            self.newlines();
            if self.eat(",") {
                self.newlines();
            } else if !self.is(")") {
                return Err(self.unexpected());
            }
        }
        self.newlines();
        if !self.is("{") {
            return Err(self.unexpected());
        }
        let f = &mut self.program.functions[slot];
        f.arrays = vec![false; params.len()];
        f.params = params.clone();
        f.defined = true;
        self.locals = params;
        self.function = Some(slot);
        self.section = Section::Function;
        let body = self.block()?;
        self.program.functions[slot].body = body;
        self.locals.clear();
        self.function = None;
        Ok(())
    }

    fn finish(mut self) -> Parse<Program> {
        for (f, args, place) in &self.calls {
            let f = &self.program.functions[*f];
            if f.defined && *args > f.params.len() {
                let text = format!("function `{}' called with more arguments than declared", f.name);
                self.warnings.push((*place, text));
            }
        }
        for (i, f) in self.program.functions.iter().enumerate() {
            if !f.defined {
                let (text, place) = (format!("function `{}' not defined", f.name), self.called_at[i]);
                return Err(Fault { text, place, at: None, fatal: true });
            }
            if self.globals.contains_key(&f.name) {
                let text = format!(
                    "function `{}' called with space between name and `('\nor used as a variable or an array",
                    f.name
                );
                return Err(Fault { text, place: self.called_at[i], at: None, fatal: true });
            }
        }
        // A parameter handed on to one that is an array is an array too.
        let mut changed = true;
        while changed {
            changed = false;
            for &(f, param, callee, arg) in &self.passed {
                let is = self.program.functions[callee].arrays.get(arg).copied().unwrap_or(false);
                let known = &mut self.program.functions[f].arrays[param];
                if is && !*known {
                    *known = true;
                    changed = true;
                }
            }
        }
        Ok(std::mem::take(&mut self.program))
    }

    // ---- statements ----

    fn block(&mut self) -> Parse<Vec<Stmt>> {
        self.expect("{")?;
        let mut body = Vec::new();
        loop {
            self.separators();
            if self.eat("}") {
                return Ok(body);
            }
            body.push(self.stmt()?);
        }
    }

    /// A statement that may stand on the next line, as the body of a loop.
    fn body(&mut self) -> Parse<Box<Stmt>> {
        self.newlines();
        Ok(Box::new(self.stmt()?))
    }

    fn stmt(&mut self) -> Parse<Stmt> {
        self.deeper()?;
        let place = self.place();
        let kind = self.stmt_kind()?;
        self.depth -= 1;
        Ok(Stmt { place, kind })
    }

    fn stmt_kind(&mut self) -> Parse<StmtKind> {
        let word = match self.tok() {
            Tok::Op("{") => return Ok(StmtKind::Block(self.block()?)),
            Tok::Op(";") => {
                self.advance();
                return Ok(StmtKind::Block(Vec::new()));
            }
            Tok::Word(w) => *w,
            _ => "",
        };
        match word {
            "if" => {
                self.advance();
                self.expect("(")?;
                let cond = self.inner()?;
                self.expect(")")?;
                let then = self.body()?;
                let mark = self.at;
                self.separators();
                if self.eat_word("else") {
                    let other = self.body()?;
                    return Ok(StmtKind::If(cond, then, Some(other)));
                }
                self.at = mark;
                Ok(StmtKind::If(cond, then, None))
            }
            "while" => {
                self.advance();
                self.expect("(")?;
                let cond = self.inner()?;
                self.expect(")")?;
                if self.eat(";") {
                    let place = self.place();
                    return Ok(StmtKind::While(
                        cond,
                        Box::new(Stmt { place, kind: StmtKind::Block(Vec::new()) }),
                    ));
                }
                self.loops += 1;
                let body = self.body()?;
                self.loops -= 1;
                Ok(StmtKind::While(cond, body))
            }
            "do" => {
                self.advance();
                self.loops += 1;
                let body = self.body()?;
                self.loops -= 1;
                self.separators();
                if !self.eat_word("while") {
                    return Err(self.unexpected());
                }
                self.expect("(")?;
                let cond = self.inner()?;
                self.expect(")")?;
                self.end_of_simple()?;
                Ok(StmtKind::Do(body, cond))
            }
            "for" => self.for_stmt(),
            "switch" => self.switch(),
            _ => {
                let kind = self.simple()?;
                self.end_of_simple()?;
                Ok(kind)
            }
        }
    }

    fn end_of_simple(&mut self) -> Parse<()> {
        match self.tok() {
            Tok::Newline | Tok::Op(";") => {
                self.advance();
                Ok(())
            }
            Tok::Op("}") => Ok(()),
            _ => Err(self.unexpected()),
        }
    }

    fn for_stmt(&mut self) -> Parse<StmtKind> {
        self.advance();
        self.expect("(")?;
        if let (Tok::Name(var), Tok::Word("in")) = (self.tok().clone(), self.ahead(1).clone()) {
            let mark = self.at;
            self.at += 2;
            if let Tok::Name(name) = self.tok().clone() {
                self.advance();
                let array = self.array_operand(&name)?;
                if self.eat(")") {
                    let target = self.variable(&var);
                    let Some(target) = self.target(target) else { return Err(self.unexpected()) };
                    self.loops += 1;
                    let body = self.body()?;
                    self.loops -= 1;
                    return Ok(StmtKind::ForIn(target, array, body));
                }
            }
            self.at = mark;
        }
        let place = self.place();
        let simple = |p: &mut Self, end: &str| -> Parse<Option<Box<Stmt>>> {
            if p.is(end) {
                return Ok(None);
            }
            let kind = p.simple()?;
            Ok(Some(Box::new(Stmt { place, kind })))
        };
        let init = simple(self, ";")?;
        self.expect(";")?;
        self.newlines();
        let cond = if self.is(";") { None } else { Some(self.inner()?) };
        self.expect(";")?;
        self.newlines();
        let step = simple(self, ")")?;
        self.expect(")")?;
        self.loops += 1;
        let body = if self.eat(";") {
            Box::new(Stmt { place, kind: StmtKind::Block(Vec::new()) })
        } else {
            self.body()?
        };
        self.loops -= 1;
        Ok(StmtKind::For(init, cond, step, body))
    }

    fn switch(&mut self) -> Parse<StmtKind> {
        self.advance();
        self.expect("(")?;
        let on = self.inner()?;
        self.expect(")")?;
        self.newlines();
        self.expect("{")?;
        let mut cases: Vec<(Case, Vec<Stmt>)> = Vec::new();
        self.switches += 1;
        loop {
            self.separators();
            if self.eat("}") {
                break;
            }
            let place = self.place();
            let case = if self.eat_word("default") {
                if cases.iter().any(|c| matches!(c.0, Case::Default)) {
                    return Err(self.error(place, "duplicate `default' detected in switch body".into()));
                }
                Case::Default
            } else if self.eat_word("case") {
                let negative = self.eat("-");
                if !negative {
                    self.eat("+");
                }
                let case = match self.tok().clone() {
                    Tok::Num(n) => Case::Value(Value::Num(if negative { -n } else { n })),
                    Tok::Str(s) => Case::Value(Value::str(&s)),
                    Tok::Regex(r) | Tok::TypedRegex(r) => Case::Regex(self.regex(r)),
                    _ => return Err(self.unexpected()),
                };
                self.advance();
                case
            } else {
                return Err(self.unexpected());
            };
            self.expect(":")?;
            let mut body = Vec::new();
            loop {
                self.separators();
                if self.is("}") || self.is_word("case") || self.is_word("default") {
                    break;
                }
                body.push(self.stmt()?);
            }
            cases.push((case, body));
        }
        self.switches -= 1;
        Ok(StmtKind::Switch(on, cases))
    }

    /// A statement without braces or terminator.
    fn simple(&mut self) -> Parse<StmtKind> {
        let place = self.place();
        let Tok::Word(word) = *self.tok() else { return Ok(StmtKind::Expr(self.expr()?)) };
        let ends = |t: &Tok| matches!(t, Tok::Newline | Tok::End | Tok::Op(";") | Tok::Op("}"));
        match word {
            "print" | "printf" => self.print(word == "printf"),
            "next" | "nextfile" => {
                let section = match self.section {
                    Section::Begin => "BEGIN",
                    Section::End => "END",
                    Section::BeginFile => "BEGINFILE",
                    Section::EndFile => "ENDFILE",
                    _ => "",
                };
                let allowed = section.is_empty() || (word == "nextfile" && section == "BEGINFILE");
                if !allowed {
                    return Err(self.error(place, format!("`{word}' used in {section} action")));
                }
                self.advance();
                Ok(if word == "next" { StmtKind::Next } else { StmtKind::NextFile })
            }
            "exit" => {
                self.advance();
                let status = if ends(self.tok()) { None } else { Some(self.expr()?) };
                Ok(StmtKind::Exit(status))
            }
            "return" => {
                if self.function.is_none() {
                    return Err(self.fault_here("`return' used outside function context"));
                }
                self.advance();
                let value = if ends(self.tok()) { None } else { Some(self.expr()?) };
                Ok(StmtKind::Return(value))
            }
            "break" if self.loops + self.switches > 0 => {
                self.advance();
                Ok(StmtKind::Break)
            }
            "continue" if self.loops > 0 => {
                self.advance();
                Ok(StmtKind::Continue)
            }
            "break" => Err(self.error(place, "`break' is not allowed outside a loop or switch".into())),
            "continue" => Err(self.error(place, "`continue' is not allowed outside a loop".into())),
            "delete" => {
                self.advance();
                let grouped = self.eat("(");
                let Tok::Name(name) = self.tok().clone() else { return Err(self.unexpected()) };
                self.advance();
                let kind = match self.array_operand(&name)? {
                    ArrayExpr::Element(e) => StmtKind::Delete(e.0, Some(e.1)),
                    whole => StmtKind::Delete(whole, None),
                };
                if grouped {
                    self.expect(")")?;
                }
                Ok(kind)
            }
            _ => Ok(StmtKind::Expr(self.expr()?)),
        }
    }

    fn print(&mut self, formatted: bool) -> Parse<StmtKind> {
        let place = self.place();
        self.advance();
        let mut args = Vec::new();
        let ends = |p: &Self| {
            matches!(p.tok(), Tok::Newline | Tok::End)
                || matches!(p.tok(), Tok::Op(";" | "}" | ">" | ">>" | "|" | "|&"))
        };
        let mark = self.at;
        let mut whole = false;
        if self.is("(") {
            // The whole list in parentheses, if the statement ends after them.
            self.advance();
            self.newlines();
            let outer = std::mem::replace(&mut self.no_greater, false);
            let list = self.list(")");
            self.no_greater = outer;
            if let Ok(list) = list
                && ends(self)
            {
                args = list;
                whole = true;
            } else {
                self.at = mark;
            }
        }
        if !whole && !ends(self) {
            let outer = std::mem::replace(&mut self.no_greater, true);
            args.push(self.expr()?);
            while self.eat(",") {
                self.newlines();
                args.push(self.expr()?);
            }
            self.no_greater = outer;
        }
        let redirect = self.redirect()?;
        if formatted {
            if args.is_empty() {
                return Err(Fault { text: "printf: no arguments".into(), place, at: None, fatal: true });
            }
            return Ok(StmtKind::Printf(args, redirect));
        }
        Ok(StmtKind::Print(args, redirect))
    }

    fn redirect(&mut self) -> Parse<Option<Redirect>> {
        let kind = match self.tok() {
            Tok::Op(">") => RedirectKind::Write,
            Tok::Op(">>") => RedirectKind::Append,
            Tok::Op("|") => RedirectKind::Pipe,
            Tok::Op("|&") => RedirectKind::Coprocess,
            _ => return Ok(None),
        };
        self.advance();
        let outer = std::mem::replace(&mut self.no_greater, true);
        let to = self.concat()?;
        self.no_greater = outer;
        Ok(Some(Redirect { kind, to }))
    }

    /// Expressions up to and with the closing bracket.
    fn list(&mut self, close: &str) -> Parse<Vec<Expr>> {
        let mut items = Vec::new();
        self.newlines();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(self.inner()?);
            self.newlines();
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(",")?;
            self.newlines();
        }
    }

    // ---- expressions, loosest first ----

    /// An expression within brackets, where `>` and `in` mean what they usually do.
    fn inner(&mut self) -> Parse<Expr> {
        let (greater, inside) = (self.no_greater, self.no_in);
        (self.no_greater, self.no_in) = (false, false);
        let e = self.expr();
        (self.no_greater, self.no_in) = (greater, inside);
        e
    }

    fn expr(&mut self) -> Parse<Expr> {
        self.deeper()?;
        let e = self.ternary()?;
        self.depth -= 1;
        Ok(e)
    }

    fn ternary(&mut self) -> Parse<Expr> {
        let cond = self.or()?;
        if !self.eat("?") {
            return Ok(cond);
        }
        self.newlines();
        let yes = self.expr()?;
        self.newlines();
        self.expect(":")?;
        self.newlines();
        let no = self.expr()?;
        Ok(Expr::Cond(Box::new((cond, yes, no))))
    }

    fn chain(
        &mut self,
        next: fn(&mut Self) -> Parse<Expr>,
        op: impl Fn(&Self) -> Option<fn(Box<(Expr, Expr)>) -> Expr>,
    ) -> Parse<Expr> {
        let mut left = next(self)?;
        let mut n = 0;
        while let Some(make) = op(self) {
            n += 1;
            if n > CHAIN {
                return Err(self.fault_here("expression too long"));
            }
            let logical = self.is("&&") || self.is("||");
            let place = self.place();
            let by_zero = match self.tok() {
                Tok::Op("/") => "division by zero attempted",
                Tok::Op("%") => "division by zero attempted in `%'",
                _ => "",
            };
            self.advance();
            if logical {
                self.newlines();
            }
            let right = next(self)?;
            if !by_zero.is_empty() && matches!(right, Expr::Num(0.0)) {
                return Err(self.error(place, by_zero.into()));
            }
            left = make(Box::new((left, right)));
        }
        Ok(left)
    }

    fn or(&mut self) -> Parse<Expr> {
        self.chain(Self::and, |p| if p.is("||") { Some(Expr::Or as fn(_) -> _) } else { None })
    }

    fn and(&mut self) -> Parse<Expr> {
        self.chain(Self::membership, |p| if p.is("&&") { Some(Expr::And as fn(_) -> _) } else { None })
    }

    fn membership(&mut self) -> Parse<Expr> {
        let mut left = self.matching()?;
        while !self.no_in && self.is_word("in") {
            self.advance();
            let array = self.named_array()?;
            left = Expr::In(Box::new((vec![left], array)));
        }
        Ok(left)
    }

    fn named_array(&mut self) -> Parse<ArrayExpr> {
        let Tok::Name(name) = self.tok().clone() else { return Err(self.unexpected()) };
        self.advance();
        self.array_operand(&name)
    }

    fn matching(&mut self) -> Parse<Expr> {
        self.chain(Self::comparison, |p| match p.tok() {
            Tok::Op("~") => Some((|e| Expr::Match(false, e)) as fn(_) -> _),
            Tok::Op("!~") => Some(|e| Expr::Match(true, e)),
            _ => None,
        })
    }

    fn comparison(&mut self) -> Parse<Expr> {
        let mut left = self.concat()?;
        loop {
            let op = match self.tok() {
                Tok::Op("|") if matches!(self.ahead(1), Tok::Word("getline")) => {
                    self.at += 2;
                    let target = self.getline_target()?;
                    left = Expr::Getline(Box::new((target, Source::Command(left))));
                    // What follows the read may go on as a concatenation or comparison of its result.
                    continue;
                }
                Tok::Op("|&") if matches!(self.ahead(1), Tok::Word("getline")) => {
                    self.at += 2;
                    let target = self.getline_target()?;
                    left = Expr::Getline(Box::new((target, Source::Coprocess)));
                    continue;
                }
                Tok::Op("<") => Comparison::Lt,
                Tok::Op("<=") => Comparison::Le,
                Tok::Op("==") => Comparison::Eq,
                Tok::Op("!=") => Comparison::Ne,
                Tok::Op(">") if !self.no_greater => Comparison::Gt,
                Tok::Op(">=") => Comparison::Ge,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.concat()?;
            left = Expr::Compare(op, Box::new((left, right)));
            if matches!(self.tok(), Tok::Op("<" | "<=" | "==" | "!=" | ">=")) {
                return Err(self.unexpected());
            }
            if self.is(">") && !self.no_greater {
                return Err(self.unexpected());
            }
            return Ok(left);
        }
    }

    fn getline_target(&mut self) -> Parse<Option<Target>> {
        let starts = matches!(self.tok(), Tok::Name(_)) || self.is("$");
        if !starts {
            return Ok(None);
        }
        let e = self.primary()?;
        match self.target(e) {
            Some(t) => Ok(Some(t)),
            None => Err(self.unexpected()),
        }
    }

    /// Whether the next token can begin an operand that is concatenated.
    fn operand_follows(&self) -> bool {
        match self.tok() {
            Tok::Num(_) | Tok::Str(_) | Tok::Name(_) | Tok::Call(_) | Tok::Builtin(_) => true,
            Tok::Regex(_) | Tok::TypedRegex(_) => true,
            Tok::Op(op) => matches!(*op, "$" | "!" | "(" | "-" | "+" | "++" | "--" | "@"),
            _ => false,
        }
    }

    fn concat(&mut self) -> Parse<Expr> {
        let first = self.additive()?;
        if !self.operand_follows() {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.operand_follows() {
            parts.push(self.additive()?);
        }
        Ok(Expr::Concat(parts))
    }

    fn additive(&mut self) -> Parse<Expr> {
        self.chain(Self::multiplicative, |p| match p.tok() {
            Tok::Op("+") => Some((|e| Expr::Binary(Arith::Add, e)) as fn(_) -> _),
            Tok::Op("-") => Some(|e| Expr::Binary(Arith::Sub, e)),
            _ => None,
        })
    }

    fn multiplicative(&mut self) -> Parse<Expr> {
        self.chain(Self::unary, |p| match p.tok() {
            Tok::Op("*") => Some((|e| Expr::Binary(Arith::Mul, e)) as fn(_) -> _),
            Tok::Op("/") => Some(|e| Expr::Binary(Arith::Div, e)),
            Tok::Op("%") => Some(|e| Expr::Binary(Arith::Mod, e)),
            _ => None,
        })
    }

    fn unary(&mut self) -> Parse<Expr> {
        self.deeper()?;
        let e = match self.tok() {
            Tok::Op("!") => {
                self.advance();
                Expr::Not(Box::new(self.unary()?))
            }
            Tok::Op("-") => {
                self.advance();
                match self.unary()? {
                    Expr::Num(n) => Expr::Num(-n),
                    e => Expr::Negate(Box::new(e)),
                }
            }
            Tok::Op("+") => {
                self.advance();
                Expr::Plus(Box::new(self.unary()?))
            }
            _ => self.power()?,
        };
        self.depth -= 1;
        Ok(e)
    }

    fn power(&mut self) -> Parse<Expr> {
        let base = self.postfix()?;
        if !self.eat("^") {
            return Ok(base);
        }
        let exponent = self.unary()?;
        Ok(Expr::Binary(Arith::Pow, Box::new((base, exponent))))
    }

    fn postfix(&mut self) -> Parse<Expr> {
        let e = self.primary()?;
        let assignable = matches!(
            e,
            Expr::Global(_)
                | Expr::Local(_)
                | Expr::Special(_)
                | Expr::Field(_)
                | Expr::FieldConst(_)
                | Expr::Index(_)
        );
        if !assignable {
            return Ok(e);
        }
        let op = match self.tok() {
            Tok::Op("++") => return self.step(e, 1.0),
            Tok::Op("--") => return self.step(e, -1.0),
            Tok::Op("=") => None,
            Tok::Op("+=") => Some(Arith::Add),
            Tok::Op("-=") => Some(Arith::Sub),
            Tok::Op("*=") => Some(Arith::Mul),
            Tok::Op("/=") => Some(Arith::Div),
            Tok::Op("%=") => Some(Arith::Mod),
            Tok::Op("^=") => Some(Arith::Pow),
            _ => return Ok(e),
        };
        self.advance();
        self.newlines();
        let right = self.expr()?;
        let Some(target) = self.target(e) else { return Err(self.unexpected()) };
        Ok(match (op, target, right) {
            (Some(op), target, right) => Expr::Update(Box::new((target, op, right))),
            (None, Target::Global(g), Expr::Concat(mut parts))
                if matches!(parts[0], Expr::Global(h) if h == g) && !parts[1..].iter().any(has_effects) =>
            {
                parts.remove(0);
                Expr::Append(g, parts)
            }
            (None, target, right) => Expr::Assign(Box::new((target, right))),
        })
    }

    fn step(&mut self, e: Expr, by: f64) -> Parse<Expr> {
        self.advance();
        match self.target(e) {
            Some(t) => Ok(Expr::Step(Box::new(t), by, StepKind::After)),
            None => Err(self.unexpected()),
        }
    }

    /// The place that an expression names.
    fn target(&mut self, e: Expr) -> Option<Target> {
        Some(match e {
            Expr::Global(i) => Target::Global(i),
            Expr::Local(i) => Target::Local(i),
            Expr::Special(s) => Target::Special(s),
            Expr::FieldConst(i) => Target::Field(Expr::Num(i as f64)),
            Expr::Field(e) => Target::Field(*e),
            Expr::Index(e) => Target::Index(e.0, e.1),
            _ => return None,
        })
    }

    /// The subscripts after an array's name; none gives the array itself.
    fn array_operand(&mut self, name: &str) -> Parse<ArrayExpr> {
        let mut array = self.array(name);
        while self.eat("[") {
            let subs = self.subscripts()?;
            array = ArrayExpr::Element(Box::new((array, subs)));
        }
        Ok(array)
    }

    fn subscripts(&mut self) -> Parse<Vec<Expr>> {
        let subs = self.list("]")?;
        if subs.is_empty() {
            self.at -= 1;
            return Err(self.unexpected());
        }
        Ok(subs)
    }

    fn primary(&mut self) -> Parse<Expr> {
        match self.tok().clone() {
            Tok::Num(n) => {
                self.advance();
                Ok(Expr::Num(n))
            }
            Tok::Str(s) => {
                self.advance();
                Ok(Expr::Str(Str::new(&s)))
            }
            Tok::Regex(r) => {
                self.advance();
                Ok(Expr::Regex(self.regex(r)))
            }
            Tok::TypedRegex(r) => {
                self.advance();
                Ok(Expr::TypedRegex(self.regex(r)))
            }
            Tok::Name(name) => {
                self.advance();
                if !self.is("[") {
                    return Ok(self.variable(&name));
                }
                match self.array_operand(&name)? {
                    ArrayExpr::Element(e) => Ok(Expr::Index(e)),
                    _ => Err(self.unexpected()),
                }
            }
            Tok::Call(name) => {
                let slot = self.function_slot(&name);
                self.advance();
                self.advance();
                let args = self.list(")")?;
                self.calls.push((slot, args.len(), self.place()));
                if let Some(f) = self.function {
                    for (i, a) in args.iter().enumerate() {
                        if let Expr::Local(p) = a {
                            self.passed.push((f, *p, slot, i));
                        }
                    }
                }
                Ok(Expr::Call(slot, args))
            }
            Tok::Builtin(b) => self.builtin(b),
            Tok::Op("@") => {
                self.advance();
                let name = match self.tok().clone() {
                    Tok::Name(n) | Tok::Call(n) => n,
                    _ => return Err(self.unexpected()),
                };
                self.advance();
                let mut e = self.variable(&name);
                if self.eat("[") {
                    let subs = self.subscripts()?;
                    e = Expr::Index(Box::new((self.array(&name), subs)));
                }
                self.expect("(")?;
                let args = self.list(")")?;
                Ok(Expr::IndirectCall(Box::new(e), args))
            }
            Tok::Op("$") => {
                self.advance();
                self.deeper()?;
                let e = match self.tok() {
                    Tok::Op("++" | "--") => self.primary()?,
                    Tok::Op("-") => {
                        self.advance();
                        Expr::Negate(Box::new(self.primary()?))
                    }
                    Tok::Op("+") => {
                        self.advance();
                        self.primary()?
                    }
                    Tok::Op("!") => {
                        self.advance();
                        Expr::Not(Box::new(self.primary()?))
                    }
                    _ => self.primary()?,
                };
                self.depth -= 1;
                Ok(match e {
                    Expr::Num(n) if (0.0..1e6).contains(&n) => Expr::FieldConst(n as usize),
                    e => Expr::Field(Box::new(e)),
                })
            }
            Tok::Op(op @ ("++" | "--")) => {
                self.advance();
                let e = self.primary()?;
                match self.target(e) {
                    Some(t) => {
                        Ok(Expr::Step(Box::new(t), if op == "++" { 1.0 } else { -1.0 }, StepKind::Before))
                    }
                    None => Err(self.unexpected()),
                }
            }
            Tok::Op("(") => {
                self.advance();
                let mut list = self.list(")")?;
                match list.len() {
                    0 => {
                        self.at -= 1;
                        Err(self.unexpected())
                    }
                    1 => Ok(Expr::Group(Box::new(list.remove(0)))),
                    _ => {
                        if !self.eat_word("in") {
                            return Err(self.unexpected());
                        }
                        let array = self.named_array()?;
                        Ok(Expr::In(Box::new((list, array))))
                    }
                }
            }
            Tok::Op("-" | "+" | "!") => self.unary(),
            Tok::Word("getline") => {
                self.advance();
                let target = self.getline_target()?;
                if self.eat("<") {
                    // No concatenation, no comparison.
                    let file = self.primary()?;
                    return Ok(Expr::Getline(Box::new((target, Source::File(file)))));
                }
                self.program.plain_getline = true;
                Ok(Expr::Getline(Box::new((target, Source::Main))))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn builtin(&mut self, b: Builtin) -> Parse<Expr> {
        self.advance();
        if !self.is("(") {
            if b == Builtin::Length {
                return Ok(Expr::Builtin(b, Vec::new()));
            }
            return Err(self.unexpected());
        }
        self.advance();
        let args = self.list(")")?;
        let (least, most) = b.arity();
        if args.len() < least || args.len() > most {
            self.at -= 1;
            let text = match (b, args.len()) {
                (Builtin::Sprintf, 0) => {
                    let place = self.place();
                    return Err(Fault { text: "sprintf: no arguments".into(), place, at: None, fatal: true });
                }
                (_, n) => format!("{n} is invalid as number of arguments for {}", b.name()),
            };
            return Err(self.fault_here(&text));
        }
        self.finish_builtin(b, args)
    }

    fn finish_builtin(&mut self, b: Builtin, mut args: Vec<Expr>) -> Parse<Expr> {
        use Builtin::*;
        if matches!(b, Sub | Gsub) {
            let target = if args.len() > 2 { args.remove(2) } else { Expr::FieldConst(0) };
            let replacement = args.remove(1);
            let pattern = args.remove(0);
            let target = match target {
                Expr::Global(_)
                | Expr::Local(_)
                | Expr::Special(_)
                | Expr::Field(_)
                | Expr::FieldConst(_)
                | Expr::Index(_) => self.target(target),
                e => Some(Target::Nowhere(e)),
            };
            let Some(target) = target else { return Err(self.unexpected()) };
            return Ok(Expr::Substitute(Box::new((b == Gsub, pattern, replacement, target))));
        }
        let arrays: &[usize] = match b {
            Split => &[1, 3],
            Patsplit => &[1, 3],
            Match => &[2],
            Asort | Asorti => &[0, 1],
            _ => &[],
        };
        for (i, arg) in args.iter_mut().enumerate() {
            if arrays.contains(&i) {
                let whole = std::mem::replace(arg, Expr::Num(0.0));
                *arg = Expr::Array(match whole {
                    Expr::Global(i) => ArrayExpr::Global(i),
                    Expr::Local(p) => {
                        if let Some(f) = self.function {
                            self.program.functions[f].arrays[p] = true;
                        }
                        ArrayExpr::Local(p)
                    }
                    Expr::Index(e) => ArrayExpr::Element(e),
                    _ => {
                        let nth = ["first", "second", "third", "fourth"][i.min(3)];
                        let text = format!("{}: {nth} argument is not an array", b.name());
                        return Err(Fault { text, place: self.place(), at: None, fatal: true });
                    }
                });
            }
        }
        Ok(Expr::Builtin(b, args))
    }
}

/// Whether evaluating may assign something.
fn has_effects(e: &Expr) -> bool {
    match e {
        Expr::Num(_)
        | Expr::Str(_)
        | Expr::Global(_)
        | Expr::Local(_)
        | Expr::FieldConst(_)
        | Expr::Special(_) => false,
        Expr::Group(e) | Expr::Field(e) | Expr::Negate(e) | Expr::Plus(e) => has_effects(e),
        Expr::Binary(_, e) | Expr::Compare(_, e) => has_effects(&e.0) || has_effects(&e.1),
        Expr::Index(e) => e.1.iter().any(has_effects),
        Expr::Concat(parts) => parts.iter().any(has_effects),
        _ => true,
    }
}
