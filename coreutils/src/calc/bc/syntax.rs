//! bc's grammar: lines to statements. Constants stay text, since the input base in force when they are met decides
//! what they mean. Each operation that can fail knows the address that GNU bc's byte code would have there.

use sandshell_kernel::{Error, Input};
use std::rc::Rc;

/// What can be assigned to.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Place {
    Var(Rc<str>),
    Element(Rc<str>, Box<Expr>, usize),
    /// An element whose index has been evaluated.
    At(Rc<str>, u32),
    Scale,
    Ibase,
    Obase,
    Last,
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

/// An expression.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Expr {
    Const(Rc<[u8]>),
    Get(Place),
    Set(Place, Option<Bin>, Box<Expr>, usize),
    /// `++x` and `--x` (true: before), by +1 or -1.
    Step(Place, bool, i64),
    Bin(Bin, Box<Expr>, Box<Expr>, usize),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Call(Rc<str>, Vec<Arg>, usize),
    Length(Box<Expr>),
    ScaleOf(Box<Expr>),
    Sqrt(Box<Expr>, usize),
    Read,
    Random,
}

/// An argument.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Arg {
    Value(Expr),
    Array(Rc<str>),
}

/// A statement.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Stmt {
    Expr(Expr, bool),
    Text(Rc<[u8]>),
    Print(Vec<Stmt>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    For(Option<Expr>, Option<Expr>, Option<Expr>, Box<Stmt>),
    Break,
    Continue,
    Return(Option<Expr>),
    Block(Vec<Stmt>),
    Halt,
    Limits,
    Warranty,
}

/// A parameter or an `auto` variable.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Param {
    pub name: Rc<str>,
    pub array: bool,
    pub by_reference: bool,
}

/// A function.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Function {
    pub void: bool,
    pub params: Vec<Param>,
    pub autos: Vec<Param>,
    pub body: Vec<Stmt>,
}

/// What a line holds.
#[derive(Debug)]
pub enum Item {
    /// Statements to be run.
    Run(Vec<Stmt>),
    /// A definition.
    Define(Rc<str>, Function),
    /// `quit`
    Quit,
    /// Messages of what is wrong with the line.
    Wrong(Vec<String>),
    /// The end of the text.
    End,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(Rc<[u8]>),
    Name(Rc<str>),
    Text(Rc<[u8]>),
    Op(&'static str),
    Line,
    End,
    Bad(u8),
}

const OPERATORS: &[&str] = &[
    "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "<=", ">=", "!=", "=", "<", ">", "!",
    "+", "-", "*", "/", "%", "^", "(", ")", "[", "]", "{", "}", ",", ";", ".",
];

const NESTING: usize = 500;

/// Reads one text, line by line where it comes from standard input.
pub struct Parser {
    text: Vec<u8>,
    input: Option<Input>,
    /// Why reading ended early.
    pub failed: Option<Error>,
    /// Where the next token begins.
    pub at: usize,
    token: Token,
    /// The line that the scanner is on.
    line: usize,
    file: String,
    pc: usize,
    nesting: usize,
    in_function: bool,
    in_loop: usize,
    messages: Vec<String>,
}

struct Fault;
type Parsed<T> = Result<T, Fault>;

impl Parser {
    /// A parser for a text that messages call `file`.
    pub fn new(text: Vec<u8>, input: Option<Input>, file: &str) -> Parser {
        Parser {
            text,
            input,
            failed: None,
            at: 0,
            token: Token::Line,
            line: 1,
            file: file.to_string(),
            pc: 0,
            nesting: 0,
            in_function: false,
            in_loop: 0,
            messages: Vec::new(),
        }
    }

    /// The next word of the text behind the current place: what `read()` takes.
    pub fn take_word(&mut self) -> Option<Vec<u8>> {
        while self.text[self.at..].iter().all(u8::is_ascii_whitespace) && self.more() {}
        let rest = &self.text[self.at..];
        let skip = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let word: Vec<u8> = rest[skip..].iter().copied().take_while(|b| !b.is_ascii_whitespace()).collect();
        self.line += rest[..skip].iter().filter(|b| **b == b'\n').count();
        self.at += skip + word.len();
        (!word.is_empty()).then_some(word)
    }

    /// Brings one more line; false at the end.
    fn more(&mut self) -> bool {
        let Some(input) = &mut self.input else { return false };
        match input.read_line(b'\n', &mut self.text) {
            Ok(n) => n > 0,
            Err(e) => {
                self.failed = Some(e);
                self.input = None;
                false
            }
        }
    }

    /// Where `end` begins at or behind `from`, in as many lines as it takes.
    fn find(&mut self, from: usize, end: &[u8]) -> Option<usize> {
        let mut at = from;
        loop {
            if let Some(n) = memchr::memmem::find(self.text.get(at..).unwrap_or_default(), end) {
                return Some(at + n);
            }
            at = self.text.len().saturating_sub(end.len() - 1).max(from);
            if !self.more() {
                return None;
            }
        }
    }

    fn advance(&mut self) {
        self.token = self.scan();
    }

    fn scan(&mut self) -> Token {
        loop {
            let Some(&b) = self.text.get(self.at) else {
                if self.more() {
                    continue;
                }
                return Token::End;
            };
            match b {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 2;
                    self.line += 1;
                }
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    return Token::Line;
                }
                b'#' => {
                    while self.text.get(self.at).is_some_and(|b| *b != b'\n') {
                        self.at += 1;
                    }
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let from = self.at + 2;
                    let to = self.find(from, b"*/").map_or(self.text.len(), |n| n + 2);
                    self.line += self.text[from..to].iter().filter(|b| **b == b'\n').count();
                    self.at = to;
                }
                b'"' => {
                    let from = self.at + 1;
                    let Some(to) = self.find(from, b"\"") else {
                        // No text, a stray character: told, and the rest of the line is not run.
                        self.at = from;
                        self.say("illegal character: \"");
                        continue;
                    };
                    self.at = to + 1;
                    self.line += self.text[from..to].iter().filter(|b| **b == b'\n').count();
                    return Token::Text(self.text[from..to].into());
                }
                b'0'..=b'9' | b'A'..=b'Z' => return self.number(),
                b'.' if self
                    .text
                    .get(self.at + 1)
                    .is_some_and(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) =>
                {
                    return self.number();
                }
                b'a'..=b'z' => {
                    let from = self.at;
                    while self
                        .text
                        .get(self.at)
                        .is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
                    {
                        self.at += 1;
                    }
                    return Token::Name(String::from_utf8_lossy(&self.text[from..self.at]).as_ref().into());
                }
                _ => {
                    if let Some(op) =
                        OPERATORS.iter().find(|o| self.text[self.at..].starts_with(o.as_bytes()))
                    {
                        self.at += op.len();
                        return Token::Op(op);
                    }
                    self.at += 1;
                    return Token::Bad(b);
                }
            }
        }
    }

    fn number(&mut self) -> Token {
        let mut digits = Vec::new();
        let mut point = false;
        while let Some(&b) = self.text.get(self.at) {
            match b {
                b'0'..=b'9' | b'A'..=b'Z' => digits.push(b),
                b'.' if !point => {
                    point = true;
                    digits.push(b);
                }
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    self.more();
                }
                _ => break,
            }
            self.at += 1;
        }
        let zeros = digits.iter().take_while(|b| **b == b'0').count();
        let mut digits = digits.split_off(zeros);
        if digits.last() == Some(&b'.') {
            digits.pop();
        }
        if digits.is_empty() {
            digits.push(b'0');
        }
        Token::Number(digits.into())
    }

    fn is(&self, op: &str) -> bool {
        matches!(&self.token, Token::Op(o) if *o == op)
    }

    fn accept(&mut self, op: &str) -> bool {
        let yes = self.is(op);
        if yes {
            self.advance();
        }
        yes
    }

    fn expect(&mut self, op: &str) -> Parsed<()> {
        if self.accept(op) { Ok(()) } else { self.wrong() }
    }

    fn word(&self, w: &str) -> bool {
        matches!(&self.token, Token::Name(n) if **n == *w)
    }

    fn say(&mut self, text: &str) {
        self.messages.push(format!("{} {}: {text}", self.file, self.line));
    }

    fn wrong<T>(&mut self) -> Parsed<T> {
        if let Token::Bad(b) = self.token {
            self.say(&format!("illegal character: {}", char::from(b)));
        }
        self.say("syntax error");
        Err(Fault)
    }

    fn nest<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.nesting += 1;
        if self.nesting > NESTING {
            self.nesting -= 1;
            return self.wrong();
        }
        let r = stacker::maybe_grow(96 << 10, 1 << 20, || f(self));
        self.nesting -= 1;
        r
    }

    /// The next line.
    pub fn next(&mut self) -> Item {
        if self.at > 64 << 10 {
            self.text.drain(..self.at);
            self.at = 0;
        }
        self.pc = 0;
        self.messages.clear();
        self.in_function = false;
        self.in_loop = 0;
        self.advance();
        while self.token == Token::Line {
            self.advance();
        }
        if self.token == Token::End {
            return match self.messages.is_empty() {
                true => Item::End,
                false => Item::Wrong(std::mem::take(&mut self.messages)),
            };
        }
        let r = if self.word("define") { self.define() } else { self.line_of_statements() };
        match r {
            Ok(item) if self.messages.is_empty() => item,
            _ => {
                while !matches!(self.token, Token::Line | Token::End) {
                    self.advance();
                }
                Item::Wrong(std::mem::take(&mut self.messages))
            }
        }
    }

    fn line_of_statements(&mut self) -> Parsed<Item> {
        let mut list = Vec::new();
        loop {
            if self.word("quit") {
                return Ok(Item::Quit);
            }
            if !self.is(";") && !matches!(self.token, Token::Line | Token::End) {
                match self.statement()? {
                    Some(s) => list.push(s),
                    None => return Ok(Item::Quit),
                }
            }
            if self.accept(";") {
                continue;
            }
            return match self.token {
                Token::Line | Token::End => Ok(Item::Run(list)),
                _ => self.wrong(),
            };
        }
    }

    fn lines(&mut self) {
        while self.token == Token::Line {
            self.advance();
        }
    }

    /// A statement; none for `quit`, which ends bc as soon as it is read.
    fn statement(&mut self) -> Parsed<Option<Stmt>> {
        self.nest(Self::statement_here)
    }

    fn statement_here(&mut self) -> Parsed<Option<Stmt>> {
        if let Token::Text(t) = self.token.clone() {
            self.advance();
            self.pc += t.len() + 2;
            return Ok(Some(Stmt::Text(t)));
        }
        if self.accept("{") {
            let mut list = Vec::new();
            loop {
                while self.accept(";") || self.token == Token::Line {
                    self.lines();
                }
                if self.accept("}") {
                    return Ok(Some(Stmt::Block(list)));
                }
                match self.statement()? {
                    Some(s) => list.push(s),
                    None => return Ok(None),
                }
                if !self.is(";") && self.token != Token::Line && !self.is("}") {
                    return self.wrong();
                }
            }
        }
        let Token::Name(name) = self.token.clone() else { return self.expression_statement().map(Some) };
        let body = |p: &mut Self| {
            p.lines();
            p.statement()
        };
        Ok(Some(match &*name {
            "quit" => return Ok(None),
            "break" | "continue" => {
                if self.in_loop == 0 {
                    let what = if &*name == "break" { "Break" } else { "Continue" };
                    self.say(&format!("{what} outside a for/while"));
                }
                self.advance();
                if &*name == "break" { Stmt::Break } else { Stmt::Continue }
            }
            "halt" => {
                self.advance();
                Stmt::Halt
            }
            "limits" => {
                self.advance();
                Stmt::Limits
            }
            "warranty" => {
                self.advance();
                Stmt::Warranty
            }
            "return" => {
                self.advance();
                let value = match self.token {
                    Token::Op(";" | "}") | Token::Line | Token::End => None,
                    _ => Some(self.expression()?),
                };
                if !self.in_function {
                    self.say("Return outside of a function.");
                }
                Stmt::Return(value)
            }
            "print" => {
                self.advance();
                let mut list = Vec::new();
                loop {
                    if let Token::Text(t) = self.token.clone() {
                        self.advance();
                        list.push(Stmt::Text(t));
                    } else {
                        list.push(Stmt::Expr(self.expression()?, true));
                    }
                    if !self.accept(",") {
                        break;
                    }
                }
                Stmt::Print(list)
            }
            "if" => {
                self.advance();
                self.expect("(")?;
                let cond = self.expression()?;
                self.expect(")")?;
                self.pc += 4;
                let Some(yes) = body(self)? else { return Ok(None) };
                let mut no = None;
                if self.word("else") {
                    self.advance();
                    match body(self)? {
                        Some(s) => no = Some(Box::new(s)),
                        None => return Ok(None),
                    }
                }
                Stmt::If(cond, Box::new(yes), no)
            }
            "while" => {
                self.advance();
                self.expect("(")?;
                let cond = self.expression()?;
                self.expect(")")?;
                self.pc += 4;
                self.in_loop += 1;
                let inner = body(self);
                self.in_loop -= 1;
                let Some(inner) = inner? else { return Ok(None) };
                Stmt::While(cond, Box::new(inner))
            }
            "for" => {
                self.advance();
                self.expect("(")?;
                let part = |p: &mut Self, end: &str| {
                    let e = if p.is(end) { None } else { Some(p.expression()?) };
                    p.expect(end)?;
                    Ok::<_, Fault>(e)
                };
                let (init, cond, next) = (part(self, ";")?, part(self, ";")?, part(self, ")")?);
                self.in_loop += 1;
                let inner = body(self);
                self.in_loop -= 1;
                let Some(inner) = inner? else { return Ok(None) };
                Stmt::For(init, cond, next, Box::new(inner))
            }
            "auto" | "define" | "else" => return self.wrong(),
            _ => return self.expression_statement().map(Some),
        }))
    }

    fn expression_statement(&mut self) -> Parsed<Stmt> {
        let e = self.expression()?;
        self.pc += 1;
        let print = !matches!(e, Expr::Set(..));
        Ok(Stmt::Expr(e, print))
    }

    fn define(&mut self) -> Parsed<Item> {
        self.advance();
        let void = self.word("void");
        if void {
            self.advance();
        }
        let Token::Name(name) = self.token.clone() else { return self.wrong() };
        self.advance();
        self.expect("(")?;
        let params = self.params(")")?;
        self.expect(")")?;
        self.lines();
        self.expect("{")?;
        self.in_function = true;
        let mut autos = Vec::new();
        let mut body = Vec::new();
        loop {
            while self.accept(";") || self.token == Token::Line {
                self.lines();
            }
            if self.accept("}") {
                break;
            }
            if self.word("auto") && body.is_empty() {
                self.advance();
                autos.extend(self.params(";")?);
                continue;
            }
            match self.statement()? {
                Some(s) => body.push(s),
                None => return Ok(Item::Quit),
            }
            if !self.is(";") && self.token != Token::Line && !self.is("}") {
                return self.wrong();
            }
        }
        if !matches!(self.token, Token::Line | Token::End) && !self.is(";") {
            return self.wrong();
        }
        Ok(Item::Define(name, Function { void, params, autos, body }))
    }

    fn params(&mut self, end: &str) -> Parsed<Vec<Param>> {
        let mut list = Vec::new();
        while !self.is(end) && self.token != Token::Line {
            let by_reference = self.accept("*") || self.accept("&&");
            let Token::Name(name) = self.token.clone() else { return self.wrong() };
            self.advance();
            let array = self.accept("[");
            if array {
                self.expect("]")?;
            }
            list.push(Param { name, array, by_reference });
            if !self.accept(",") {
                break;
            }
        }
        Ok(list)
    }

    // Levels from the loosest: ||, &&, !, relations, assignments, sums, products, powers, minus.

    fn expression(&mut self) -> Parsed<Expr> {
        self.nest(Self::or)
    }

    fn binary(&mut self, op: Bin, l: Expr, r: Expr) -> Expr {
        self.pc += 1;
        Expr::Bin(op, Box::new(l), Box::new(r), self.pc)
    }

    fn or(&mut self) -> Parsed<Expr> {
        let mut l = self.and()?;
        while self.accept("||") {
            let r = self.and()?;
            l = self.binary(Bin::Or, l, r);
        }
        Ok(l)
    }

    fn and(&mut self) -> Parsed<Expr> {
        let mut l = self.not()?;
        while self.accept("&&") {
            let r = self.not()?;
            l = self.binary(Bin::And, l, r);
        }
        Ok(l)
    }

    fn not(&mut self) -> Parsed<Expr> {
        if self.accept("!") {
            let e = self.nest(Self::not)?;
            self.pc += 1;
            return Ok(Expr::Not(Box::new(e)));
        }
        self.relation()
    }

    fn relation(&mut self) -> Parsed<Expr> {
        let mut l = self.sum()?;
        loop {
            let op = match self.token {
                Token::Op("==") => Bin::Eq,
                Token::Op("!=") => Bin::Ne,
                Token::Op("<") => Bin::Lt,
                Token::Op("<=") => Bin::Le,
                Token::Op(">") => Bin::Gt,
                Token::Op(">=") => Bin::Ge,
                _ => return Ok(l),
            };
            self.advance();
            let r = self.sum()?;
            l = self.binary(op, l, r);
        }
    }

    /// The right side of an assignment: one, or a sum.
    fn assigned(&mut self) -> Parsed<Expr> {
        self.nest(Self::sum)
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let mut l = self.product()?;
        loop {
            let op = match self.token {
                Token::Op("+") => Bin::Add,
                Token::Op("-") => Bin::Sub,
                _ => return Ok(l),
            };
            self.advance();
            let r = self.product()?;
            l = self.binary(op, l, r);
        }
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut l = self.power()?;
        loop {
            let op = match self.token {
                Token::Op("*") => Bin::Mul,
                Token::Op("/") => Bin::Div,
                Token::Op("%") => Bin::Mod,
                _ => return Ok(l),
            };
            self.advance();
            let r = self.power()?;
            l = self.binary(op, l, r);
        }
    }

    fn power(&mut self) -> Parsed<Expr> {
        let l = self.minus()?;
        if self.accept("^") {
            let r = self.nest(Self::power)?;
            return Ok(self.binary(Bin::Pow, l, r));
        }
        Ok(l)
    }

    fn minus(&mut self) -> Parsed<Expr> {
        if self.accept("-") {
            let e = self.nest(Self::minus)?;
            self.pc += 1;
            return Ok(Expr::Neg(Box::new(e)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Parsed<Expr> {
        for (op, by) in [("++", 1), ("--", -1)] {
            if self.accept(op) {
                let Token::Name(name) = self.token.clone() else { return self.wrong() };
                self.advance();
                let place = self.place(name)?;
                self.pc += 4;
                return Ok(Expr::Step(place, true, by));
            }
        }
        match self.token.clone() {
            Token::Number(n) => {
                self.advance();
                self.pc += if *n == *b"0" || *n == *b"1" { 1 } else { n.len() + 2 };
                Ok(Expr::Const(n))
            }
            Token::Op("(") => {
                self.advance();
                let e = self.expression()?;
                self.expect(")")?;
                // In parentheses an assignment is printed.
                Ok(match e {
                    Expr::Set(..) => {
                        Expr::Bin(Bin::Add, Box::new(e), Box::new(Expr::Const((*b"0").into())), self.pc)
                    }
                    e => e,
                })
            }
            Token::Op(".") => {
                self.advance();
                self.assignable(Place::Last)
            }
            Token::Name(name) => {
                self.advance();
                self.named(name)
            }
            _ => self.wrong(),
        }
    }

    fn named(&mut self, name: Rc<str>) -> Parsed<Expr> {
        if self.is("(") {
            self.advance();
            let args = self.args()?;
            self.expect(")")?;
            let single = |args: Vec<Arg>| match args.into_iter().next() {
                Some(Arg::Value(e)) => Some(Box::new(e)),
                _ => None,
            };
            let n = args.len();
            return Ok(match (&*name, n) {
                ("length" | "scale" | "sqrt", 1) => {
                    self.pc += 2;
                    let pc = self.pc;
                    let Some(e) = single(args) else { return self.wrong() };
                    match &*name {
                        "length" => Expr::Length(e),
                        "scale" => Expr::ScaleOf(e),
                        _ => Expr::Sqrt(e, pc),
                    }
                }
                ("read", 0) => Expr::Read,
                ("random", 0) => Expr::Random,
                _ => {
                    self.pc += 2;
                    let pc = self.pc;
                    self.pc += n + 1;
                    Expr::Call(name, args, pc)
                }
            });
        }
        let place = self.place(name)?;
        self.assignable(place)
    }

    fn args(&mut self) -> Parsed<Vec<Arg>> {
        let mut list = Vec::new();
        while !self.is(")") {
            // `name[]` is a whole array.
            if let Token::Name(name) = self.token.clone() {
                let rest = &self.text[self.at..];
                let squeezed: Vec<u8> = rest.iter().copied().filter(|b| *b != b' ').take(2).collect();
                if squeezed == b"[]" {
                    self.advance();
                    self.advance();
                    self.advance();
                    list.push(Arg::Array(name));
                    if !self.accept(",") {
                        break;
                    }
                    continue;
                }
            }
            list.push(Arg::Value(self.expression()?));
            if !self.accept(",") {
                break;
            }
        }
        Ok(list)
    }

    fn place(&mut self, name: Rc<str>) -> Parsed<Place> {
        if self.accept("[") {
            let index = self.expression()?;
            self.expect("]")?;
            return Ok(Place::Element(name, Box::new(index), self.pc + 2));
        }
        Ok(match &*name {
            "scale" => Place::Scale,
            "ibase" => Place::Ibase,
            "obase" => Place::Obase,
            "last" => Place::Last,
            "if" | "while" | "for" | "print" | "return" | "break" | "continue" | "quit" | "halt"
            | "define" | "auto" | "else" => return self.wrong(),
            _ => Place::Var(name),
        })
    }

    fn assignable(&mut self, place: Place) -> Parsed<Expr> {
        let op = match self.token {
            Token::Op("=") => None,
            Token::Op("+=") => Some(Bin::Add),
            Token::Op("-=") => Some(Bin::Sub),
            Token::Op("*=") => Some(Bin::Mul),
            Token::Op("/=") => Some(Bin::Div),
            Token::Op("%=") => Some(Bin::Mod),
            Token::Op("^=") => Some(Bin::Pow),
            Token::Op("++") => {
                self.advance();
                self.pc += 4;
                return Ok(Expr::Step(place, false, 1));
            }
            Token::Op("--") => {
                self.advance();
                self.pc += 4;
                return Ok(Expr::Step(place, false, -1));
            }
            _ => {
                self.pc += 2;
                return Ok(Expr::Get(place));
            }
        };
        self.advance();
        let value = self.assigned()?;
        self.pc += 2;
        Ok(Expr::Set(place, op, Box::new(value), self.pc))
    }
}
