//! bc's grammar: one line (or a statement that goes over several) at a time.

/// A statement.
#[derive(Debug, Clone)]
pub enum Statement {
    /// An expression; its value is printed unless it is an assignment.
    Value(Expr, bool),
    /// A string, printed as it is.
    Text(Vec<u8>),
    /// `print a, "b"`
    Print(Vec<Printed>),
    /// `{ … }`
    Block(Vec<Statement>),
    /// `if (c) s else s`
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// `while (c) s`
    While(Expr, Box<Statement>),
    /// `for (a; b; c) s`
    For(Option<Expr>, Option<Expr>, Option<Expr>, Box<Statement>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return (e)`
    Return(Option<Expr>),
    /// `halt`
    Halt,
    /// `define …`
    Define(String, Function),
    /// `limits`, `warranty`
    Notice(&'static str),
}

/// An item of `print`.
#[derive(Debug, Clone)]
pub enum Printed {
    /// A string, whose escapes count.
    Text(Vec<u8>),
    /// A value.
    Value(Expr),
}

/// A function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Names; true for arrays.
    pub parameters: Vec<(String, bool)>,
    /// `auto` names.
    pub locals: Vec<(String, bool)>,
    /// What it does.
    pub body: Vec<Statement>,
    /// `define void f`
    pub void: bool,
}

/// What can be assigned to.
#[derive(Debug, Clone)]
pub enum Place {
    /// A variable (`scale`, `ibase`, `obase`, `last` too).
    Variable(String),
    /// `a[i]`
    Element(String, Box<Expr>),
}

/// An expression.
#[derive(Debug, Clone)]
pub enum Expr {
    /// Digits, read in the ibase of the moment of running.
    Number(String),
    /// A variable or element.
    Get(Place),
    /// `place op= e`; `=` has no operator.
    Set(Place, Option<u8>, Box<Expr>),
    /// `++x`, `x--`: (delta, before the value is taken).
    Step(Place, i8, bool),
    /// `- e`
    Negate(Box<Expr>),
    /// `! e`
    Not(Box<Expr>),
    /// Arithmetic `+ - * / % ^`.
    Binary(u8, Box<Expr>, Box<Expr>),
    /// `< <= > >= == !=`
    Compare(&'static str, Box<Expr>, Box<Expr>),
    /// `&&`
    And(Box<Expr>, Box<Expr>),
    /// `||`
    Or(Box<Expr>, Box<Expr>),
    /// A call of a function of the script, or of `-l`.
    Call(String, Vec<Argument>),
    /// `length(e)`, `scale(e)`, `sqrt(e)`, `read()`.
    Builtin(&'static str, Option<Box<Expr>>),
}

/// An argument of a call.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A value.
    Value(Expr),
    /// `a[]`
    Array(String),
}

/// Why a line was not understood.
#[derive(Debug, Clone)]
pub struct Wrong {
    /// The line it is reported at.
    pub line: usize,
    /// `syntax error`, `illegal character: x`, …
    pub text: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(String),
    Name(String),
    Text(Vec<u8>),
    Op(&'static str),
    Newline,
    End,
}

const OPS: [&str; 32] = [
    "+=", "-=", "*=", "/=", "%=", "^=", "++", "--", "==", "!=", "<=", ">=", "&&", "||", "=", "<", ">", "!",
    "+", "-", "*", "/", "%", "^", "(", ")", "{", "}", "[", "]", ",", ";",
];
const WORDS: [&str; 18] = [
    "auto", "break", "continue", "define", "else", "for", "halt", "if", "length", "limits", "print", "quit",
    "read", "return", "sqrt", "void", "warranty", "while",
];
/// Nesting of expressions and statements.
const DEPTH: u32 = 200;

/// Reads statements from a text.
pub struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    token: Token,
    /// The line of the token.
    pub line: usize,
    depth: u32,
}

type Parse<T> = Result<T, Wrong>;

impl<'a> Parser<'a> {
    /// From the start of `text`, whose first line is `line`.
    pub fn new(text: &'a [u8], line: usize) -> Parser<'a> {
        Parser { text, at: 0, token: Token::Newline, line, depth: 0 }
    }

    /// The statements of the next line; `None` at the end of the text. `quit` ends the text where it is read.
    pub fn next_line(&mut self) -> Parse<Option<(Vec<Statement>, bool)>> {
        self.advance()?;
        let mut out = Vec::new();
        loop {
            match &self.token {
                Token::End => return Ok((!out.is_empty()).then_some((out, false))),
                Token::Newline => return Ok(Some((out, false))),
                Token::Op(";") => self.advance()?,
                // `quit` counts when it is read: what stands before it on the line is not run.
                Token::Name(n) if n == "quit" => return Ok(Some((Vec::new(), true))),
                _ => {
                    out.push(self.statement()?);
                    if !matches!(self.token, Token::Op(";") | Token::Newline | Token::End) {
                        return Err(self.wrong());
                    }
                }
            }
        }
    }

    /// After an error: goes on behind the end of this line.
    pub fn skip_line(&mut self) {
        if self.token == Token::Newline {
            return;
        }
        match memchr::memchr(b'\n', &self.text[self.at.min(self.text.len())..]) {
            Some(i) => {
                self.at += i + 1;
                self.line += 1;
            }
            None => self.at = self.text.len(),
        }
    }

    fn wrong(&self) -> Wrong {
        let line = self.line + usize::from(self.token == Token::Newline);
        Wrong { line, text: "syntax error".into() }
    }

    fn advance(&mut self) -> Parse<()> {
        if self.token == Token::Newline && self.at > 0 {
            self.line += 1;
        }
        let text = self.text;
        loop {
            let Some(&b) = text.get(self.at) else {
                self.token = Token::End;
                return Ok(());
            };
            match b {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if text.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 2;
                    self.line += 1;
                }
                b'#' => self.at += text[self.at..].iter().take_while(|b| **b != b'\n').count(),
                b'/' if text.get(self.at + 1) == Some(&b'*') => {
                    let rest = &text[self.at + 2..];
                    let end = memchr::memmem::find(rest, b"*/").map_or(rest.len(), |i| i + 2);
                    self.line += memchr::memchr_iter(b'\n', &rest[..end]).count();
                    self.at += 2 + end;
                }
                b'\n' => {
                    self.at += 1;
                    self.token = Token::Newline;
                    return Ok(());
                }
                b'"' => {
                    let rest = &text[self.at + 1..];
                    let Some(end) = memchr::memchr(b'"', rest) else {
                        self.at += 1;
                        self.token = Token::Op("?");
                        return Err(Wrong { line: self.line, text: "illegal character: \"".into() });
                    };
                    self.line += memchr::memchr_iter(b'\n', &rest[..end]).count();
                    self.token = Token::Text(rest[..end].to_vec());
                    self.at = (self.at + end + 2).min(text.len());
                    return Ok(());
                }
                b'0'..=b'9' | b'A'..=b'Z' | b'.' => return self.number(),
                b'a'..=b'z' => {
                    let n = text[self.at..]
                        .iter()
                        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'_')
                        .count();
                    self.token =
                        Token::Name(String::from_utf8_lossy(&text[self.at..self.at + n]).into_owned());
                    self.at += n;
                    return Ok(());
                }
                _ => {
                    let op = OPS.iter().find(|o| text[self.at..].starts_with(o.as_bytes()));
                    let Some(op) = op else {
                        self.at += 1;
                        self.token = Token::Op("?");
                        let shown = if b.is_ascii_graphic() {
                            char::from(b).to_string()
                        } else {
                            format!("\\{b:03o}")
                        };
                        return Err(Wrong { line: self.line, text: format!("illegal character: {shown}") });
                    };
                    self.at += op.len();
                    self.token = Token::Op(op);
                    return Ok(());
                }
            }
        }
    }

    fn number(&mut self) -> Parse<()> {
        let mut digits = String::new();
        let mut point = false;
        while let Some(&b) = self.text.get(self.at) {
            match b {
                b'0'..=b'9' | b'A'..=b'Z' => digits.push(char::from(b)),
                b'.' if !point => {
                    point = true;
                    digits.push('.');
                }
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 1;
                    self.line += 1;
                }
                _ => break,
            }
            self.at += 1;
        }
        // A lone point is the last value.
        self.token = if digits == "." { Token::Name("last".into()) } else { Token::Number(digits) };
        Ok(())
    }

    fn is(&self, op: &str) -> bool {
        matches!(&self.token, Token::Op(o) if *o == op)
    }

    fn word(&self, w: &str) -> bool {
        matches!(&self.token, Token::Name(n) if n == w)
    }

    fn accept(&mut self, op: &str) -> Parse<bool> {
        let yes = self.is(op);
        if yes {
            self.advance()?;
        }
        Ok(yes)
    }

    fn expect(&mut self, op: &str) -> Parse<()> {
        if self.accept(op)? { Ok(()) } else { Err(self.wrong()) }
    }

    fn newlines(&mut self) -> Parse<()> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Parse<Statement> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Wrong { line: self.line, text: "too deeply nested".into() });
        }
        let s = self.statement_inside();
        self.depth -= 1;
        s
    }

    fn statement_inside(&mut self) -> Parse<Statement> {
        match self.token.clone() {
            Token::Text(t) => {
                self.advance()?;
                Ok(Statement::Text(t))
            }
            Token::Op("{") => {
                self.advance()?;
                Ok(Statement::Block(self.block()?))
            }
            Token::Name(n) => match n.as_str() {
                "if" => {
                    self.advance()?;
                    self.expect("(")?;
                    let c = self.expr()?;
                    self.expect(")")?;
                    self.newlines()?;
                    let yes = Box::new(self.statement()?);
                    let mut no = None;
                    if self.word("else") {
                        self.advance()?;
                        self.newlines()?;
                        no = Some(Box::new(self.statement()?));
                    }
                    Ok(Statement::If(c, yes, no))
                }
                "while" => {
                    self.advance()?;
                    self.expect("(")?;
                    let c = self.expr()?;
                    self.expect(")")?;
                    self.newlines()?;
                    Ok(Statement::While(c, Box::new(self.statement()?)))
                }
                "for" => {
                    self.advance()?;
                    self.expect("(")?;
                    let part = |p: &mut Self, end: &str| -> Parse<Option<Expr>> {
                        let e = if p.is(end) { None } else { Some(p.expr()?) };
                        p.expect(end)?;
                        Ok(e)
                    };
                    let (a, b, c) = (part(self, ";")?, part(self, ";")?, part(self, ")")?);
                    self.newlines()?;
                    Ok(Statement::For(a, b, c, Box::new(self.statement()?)))
                }
                "break" => self.advance().map(|()| Statement::Break),
                "continue" => self.advance().map(|()| Statement::Continue),
                "halt" => self.advance().map(|()| Statement::Halt),
                "return" => {
                    self.advance()?;
                    let end = matches!(self.token, Token::Newline | Token::End | Token::Op(";" | "}"));
                    Ok(Statement::Return(if end { None } else { Some(self.expr()?) }))
                }
                "print" => {
                    self.advance()?;
                    let mut items = Vec::new();
                    loop {
                        items.push(match self.token.clone() {
                            Token::Text(t) => {
                                self.advance()?;
                                Printed::Text(t)
                            }
                            _ => Printed::Value(self.expr()?),
                        });
                        if !self.accept(",")? {
                            return Ok(Statement::Print(items));
                        }
                    }
                }
                "define" => self.define(),
                "limits" => self.advance().map(|()| Statement::Notice("limits")),
                "warranty" => self.advance().map(|()| Statement::Notice("warranty")),
                "auto" | "else" | "void" | "quit" => Err(self.wrong()),
                _ => self.value(),
            },
            _ => self.value(),
        }
    }

    fn value(&mut self) -> Parse<Statement> {
        let parenthesis = self.is("(");
        let e = self.expr()?;
        let silent = !parenthesis && matches!(e, Expr::Set(..));
        Ok(Statement::Value(e, !silent))
    }

    fn block(&mut self) -> Parse<Vec<Statement>> {
        let mut out = Vec::new();
        loop {
            match &self.token {
                Token::Op("}") => {
                    self.advance()?;
                    return Ok(out);
                }
                Token::End => return Err(self.wrong()),
                Token::Newline | Token::Op(";") => self.advance()?,
                _ => {
                    out.push(self.statement()?);
                    if !matches!(self.token, Token::Op(";" | "}") | Token::Newline) {
                        return Err(self.wrong());
                    }
                }
            }
        }
    }

    fn names(&mut self, end: &str) -> Parse<Vec<(String, bool)>> {
        let mut out = Vec::new();
        while !self.is(end) && self.token != Token::Newline {
            // A `*` before an array passes it by reference; our arrays are passed by value.
            self.accept("*")?;
            let Token::Name(n) = self.token.clone() else { return Err(self.wrong()) };
            self.advance()?;
            let array = self.accept("[")?;
            if array {
                self.expect("]")?;
            }
            out.push((n, array));
            if !self.accept(",")? {
                break;
            }
        }
        Ok(out)
    }

    fn define(&mut self) -> Parse<Statement> {
        self.advance()?;
        let mut void = false;
        if self.word("void") {
            void = true;
            self.advance()?;
        }
        let Token::Name(name) = self.token.clone() else { return Err(self.wrong()) };
        if WORDS.contains(&name.as_str()) {
            return Err(self.wrong());
        }
        self.advance()?;
        self.expect("(")?;
        let parameters = self.names(")")?;
        self.expect(")")?;
        self.newlines()?;
        self.expect("{")?;
        self.newlines()?;
        let mut locals = Vec::new();
        if self.word("auto") {
            self.advance()?;
            locals = self.names(";")?;
        }
        let body = self.block()?;
        Ok(Statement::Define(name, Function { parameters, locals, body, void }))
    }

    fn expr(&mut self) -> Parse<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Wrong { line: self.line, text: "too deeply nested".into() });
        }
        let e = self.or();
        self.depth -= 1;
        e
    }

    fn or(&mut self) -> Parse<Expr> {
        let mut l = self.and()?;
        while self.accept("||")? {
            l = Expr::Or(Box::new(l), Box::new(self.and()?));
        }
        Ok(l)
    }

    fn and(&mut self) -> Parse<Expr> {
        let mut l = self.not()?;
        while self.accept("&&")? {
            l = Expr::And(Box::new(l), Box::new(self.not()?));
        }
        Ok(l)
    }

    fn not(&mut self) -> Parse<Expr> {
        if self.accept("!")? {
            return Ok(Expr::Not(Box::new(self.not()?)));
        }
        self.compare()
    }

    fn compare(&mut self) -> Parse<Expr> {
        let mut l = self.sum()?;
        loop {
            let op = match &self.token {
                Token::Op(o @ ("<" | "<=" | ">" | ">=" | "==" | "!=")) => *o,
                _ => return Ok(l),
            };
            self.advance()?;
            l = Expr::Compare(op, Box::new(l), Box::new(self.sum()?));
        }
    }

    fn sum(&mut self) -> Parse<Expr> {
        let mut l = self.product()?;
        loop {
            let op = match &self.token {
                Token::Op("+") => b'+',
                Token::Op("-") => b'-',
                _ => return Ok(l),
            };
            self.advance()?;
            l = Expr::Binary(op, Box::new(l), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Parse<Expr> {
        let mut l = self.unary()?;
        loop {
            let op = match &self.token {
                Token::Op(o @ ("*" | "/" | "%")) => o.as_bytes()[0],
                _ => return Ok(l),
            };
            self.advance()?;
            l = Expr::Binary(op, Box::new(l), Box::new(self.unary()?));
        }
    }

    /// A minus binds tighter than everything but `++` and `--`: `-2^2` is 4 in bc.
    fn unary(&mut self) -> Parse<Expr> {
        let base = self.negation()?;
        if self.accept("^")? {
            let exponent = self.unary()?;
            return Ok(Expr::Binary(b'^', Box::new(base), Box::new(exponent)));
        }
        Ok(base)
    }

    fn negation(&mut self) -> Parse<Expr> {
        if self.accept("-")? {
            return Ok(Expr::Negate(Box::new(self.negation()?)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Parse<Expr> {
        match self.token.clone() {
            Token::Number(n) => {
                self.advance()?;
                Ok(Expr::Number(n))
            }
            Token::Op("(") => {
                self.advance()?;
                let e = self.expr()?;
                self.expect(")")?;
                // A parenthesised assignment is a value like any other.
                Ok(match e {
                    Expr::Set(..) => Expr::Binary(b'+', Box::new(e), Box::new(Expr::Number("0".into()))),
                    e => e,
                })
            }
            Token::Op(o @ ("++" | "--")) => {
                self.advance()?;
                let Token::Name(n) = self.token.clone() else { return Err(self.wrong()) };
                self.advance()?;
                let place = self.place(n)?;
                Ok(Expr::Step(place, if o == "++" { 1 } else { -1 }, true))
            }
            Token::Name(n) => {
                if let Some(b) = ["length", "sqrt", "read"].into_iter().find(|b| *b == n) {
                    self.advance()?;
                    self.expect("(")?;
                    let e = if b == "read" { None } else { Some(Box::new(self.expr()?)) };
                    self.expect(")")?;
                    return Ok(Expr::Builtin(b, e));
                }
                if WORDS.contains(&n.as_str()) {
                    return Err(self.wrong());
                }
                self.advance()?;
                if self.is("(") {
                    self.advance()?;
                    if n == "scale" {
                        let e = self.expr()?;
                        self.expect(")")?;
                        return Ok(Expr::Builtin("scale", Some(Box::new(e))));
                    }
                    let mut arguments = Vec::new();
                    while !self.is(")") {
                        arguments.push(self.argument()?);
                        if !self.accept(",")? {
                            break;
                        }
                    }
                    self.expect(")")?;
                    return Ok(Expr::Call(n, arguments));
                }
                let place = self.place(n)?;
                self.after_place(place)
            }
            _ => Err(self.wrong()),
        }
    }

    fn argument(&mut self) -> Parse<Argument> {
        if let Token::Name(n) = self.token.clone() {
            // `a[]` needs a look ahead.
            let rest = &self.text[self.at.min(self.text.len())..];
            let mut skip = rest.iter().filter(|b| !matches!(b, b' ' | b'\t'));
            if skip.next() == Some(&b'[') && skip.next() == Some(&b']') {
                self.advance()?;
                self.expect("[")?;
                self.expect("]")?;
                return Ok(Argument::Array(n));
            }
        }
        self.expr().map(Argument::Value)
    }

    fn place(&mut self, name: String) -> Parse<Place> {
        if self.accept("[")? {
            let i = self.expr()?;
            self.expect("]")?;
            return Ok(Place::Element(name, Box::new(i)));
        }
        Ok(Place::Variable(name))
    }

    fn after_place(&mut self, place: Place) -> Parse<Expr> {
        let op = match &self.token {
            Token::Op("=") => None,
            Token::Op(o @ ("+=" | "-=" | "*=" | "/=" | "%=" | "^=")) => Some(o.as_bytes()[0]),
            Token::Op("++") => {
                self.advance()?;
                return Ok(Expr::Step(place, 1, false));
            }
            Token::Op("--") => {
                self.advance()?;
                return Ok(Expr::Step(place, -1, false));
            }
            _ => return Ok(Expr::Get(place)),
        };
        self.advance()?;
        Ok(Expr::Set(place, op, Box::new(self.expr()?)))
    }
}
