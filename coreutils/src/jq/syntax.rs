//! A jq program's text to its compiled form, in one pass: every name is defined before it is used, so that scopes
//! are known while parsing.

use super::{
    ir::{Bin, Boxed, CallArg, Format, Func, Node, Op, Part, Pattern, Shape},
    lexer::{self, KEYWORDS, Token},
    library,
    val::{Str, Val},
};
use std::{collections::HashMap, rc::Rc};

/// A compiled program.
#[derive(Debug)]
pub struct Compiled {
    /// What it does.
    pub main: Node,
    /// Its functions.
    pub funcs: Vec<Func>,
    /// Whether it reads inputs by itself (`input`, `inputs`).
    pub reads: bool,
}

/// Where modules come from, and the values known from the command line.
pub trait Surroundings {
    /// The text of the module or the data `path`, seen from the module `from`; else the message.
    fn module(&mut self, path: &str, data: bool, search: Option<&str>) -> Result<Module, String>;
    /// The value of a global variable (`--arg`, `$ENV`).
    fn global(&mut self, name: &str) -> Option<Val>;
}

/// What an import found.
pub enum Module {
    /// The text of a program.
    Code(Vec<u8>),
    /// Values.
    Data(Val),
}

#[derive(Clone, Debug)]
enum Bind {
    Var(String),
    Label(String),
    Param(String),
    /// A `$parameter`, called with and without the dollar.
    Value(String),
    Func(String, usize, usize),
    /// Ends the view of a nested compilation.
    Wall,
}

struct Scope {
    bind: Bind,
    /// Steps of the environment once this is bound.
    depth: usize,
}

/// Program texts nest at most this deep.
const NESTING: usize = 2500;

struct Fatal;

type Parsed<T> = Result<T, Fatal>;

struct Compiler<'a> {
    scopes: Vec<Scope>,
    depth: usize,
    funcs: Vec<Func>,
    library: HashMap<(String, usize), usize>,
    errors: Vec<String>,
    around: &'a mut dyn Surroundings,
    modules: Vec<String>,
    /// What was imported, for `modulemeta`.
    deps: Vec<Val>,
    reads: bool,
}

/// Compiles a program; else the messages of all errors found.
pub fn compile(text: &[u8], around: &mut dyn Surroundings) -> Result<Compiled, Vec<String>> {
    let mut c = Compiler::new(around);
    let mut p = Parser::new(&mut c, text, "<top-level>");
    let main = p.program();
    match main {
        Ok(main) if c.errors.is_empty() => Ok(Compiled { main, funcs: c.funcs, reads: c.reads }),
        _ => Err(c.errors),
    }
}

impl<'a> Compiler<'a> {
    fn new(around: &'a mut dyn Surroundings) -> Compiler<'a> {
        Compiler {
            scopes: Vec::new(),
            depth: 0,
            funcs: Vec::new(),
            library: HashMap::new(),
            errors: Vec::new(),
            around,
            modules: Vec::new(),
            deps: Vec::new(),
            reads: false,
        }
    }
}

struct Parser<'a, 'b> {
    c: &'a mut Compiler<'b>,
    text: &'a [u8],
    /// Where the next token begins.
    at: usize,
    token: Token,
    start: usize,
    /// Where the last accepted token ended.
    end: usize,
    nesting: usize,
    name: &'a str,
}

impl<'a, 'b> Parser<'a, 'b> {
    fn new(c: &'a mut Compiler<'b>, text: &'a [u8], name: &'a str) -> Parser<'a, 'b> {
        Parser { c, text, at: 0, token: Token::End, start: 0, end: 0, nesting: 0, name }
    }
}

impl Parser<'_, '_> {
    // Tokens ----------------------------------------------------------------------------------------------------

    fn advance(&mut self) {
        self.end = self.at;
        self.start = lexer::skip_space(self.text, self.at);
        let (token, end) = lexer::token(self.text, self.start);
        self.token = token;
        self.at = end;
    }

    fn is(&self, op: &str) -> bool {
        matches!(&self.token, Token::Op(o) if *o == op)
    }

    fn word(&self, w: &str) -> bool {
        matches!(&self.token, Token::Ident(i) if i == w)
    }

    fn accept(&mut self, op: &str) -> bool {
        let yes = self.is(op);
        if yes {
            self.advance();
        }
        yes
    }

    fn accept_word(&mut self, w: &str) -> bool {
        let yes = self.word(w);
        if yes {
            self.advance();
        }
        yes
    }

    fn expect(&mut self, op: &str) -> Parsed<()> {
        if self.accept(op) { Ok(()) } else { self.unexpected() }
    }

    fn expect_word(&mut self, w: &str) -> Parsed<()> {
        if self.accept_word(w) { Ok(()) } else { self.unexpected() }
    }

    fn unexpected<T>(&mut self) -> Parsed<T> {
        self.unexpected_but("")
    }

    fn unexpected_but<T>(&mut self, expecting: &str) -> Parsed<T> {
        let message =
            format!("syntax error, unexpected {}{expecting} (Unix shell quoting issues?)", self.token.name());
        let at = match self.token {
            Token::End => self.text.len().saturating_sub(1),
            _ => self.start,
        };
        // A syntax error is the first to be told, whatever else was found undefined.
        self.c.errors.clear();
        self.fault(&message, at);
        Err(Fatal)
    }

    /// Notes an error with the line it is on.
    fn fault(&mut self, message: &str, at: usize) {
        let at = at.min(self.text.len());
        let from = memchr::memrchr(b'\n', &self.text[..at]).map_or(0, |i| i + 1);
        let to = memchr::memchr(b'\n', &self.text[from..]).map_or(self.text.len(), |i| from + i);
        let line = memchr::memchr_iter(b'\n', &self.text[..from]).count() + 1;
        let source = String::from_utf8_lossy(&self.text[from..to]);
        let pad = " ".repeat(at - from);
        self.c.errors.push(format!("{message} at {}, line {line}:\n{source}{pad}", self.name));
    }

    // Scopes ----------------------------------------------------------------------------------------------------

    fn bind(&mut self, bind: Bind) {
        if !matches!(bind, Bind::Func(..) | Bind::Wall) {
            self.c.depth += 1;
        }
        let depth = self.c.depth;
        self.c.scopes.push(Scope { bind, depth });
    }

    fn unbind(&mut self, scopes: usize, depth: usize) {
        self.c.scopes.truncate(scopes);
        self.c.depth = depth;
    }

    fn mark(&self) -> (usize, usize) {
        (self.c.scopes.len(), self.c.depth)
    }

    fn variable(&mut self, name: &str, at: usize) -> Node {
        if name == "__loc__" {
            let line = memchr::memchr_iter(b'\n', &self.text[..at]).count() + 1;
            return Node::lit(Val::object([("file", self.name.into()), ("line", line.into())]));
        }
        for s in self.c.scopes.iter().rev() {
            match &s.bind {
                Bind::Var(n) | Bind::Value(n) if n == name => {
                    return Node::new(Op::Var(self.c.depth - s.depth));
                }
                Bind::Wall => break,
                _ => {}
            }
        }
        if let Some(v) = self.c.around.global(name) {
            return Node::lit(v);
        }
        self.fault(&format!("${name} is not defined"), at);
        Node::id()
    }

    fn break_to(&mut self, name: &str, at: usize) -> Node {
        for s in self.c.scopes.iter().rev() {
            match &s.bind {
                Bind::Label(n) if n == name => return Node::new(Op::Break(self.c.depth - s.depth)),
                Bind::Wall => break,
                _ => {}
            }
        }
        self.fault(&format!("$*label-{name} is not defined"), at);
        Node::id()
    }

    fn call(&mut self, name: &str, args: Vec<Node>, at: usize) -> Parsed<Node> {
        let mut found = None;
        for s in self.c.scopes.iter().rev() {
            match &s.bind {
                Bind::Param(n) if args.is_empty() && n == name => {
                    return Ok(Node::new(Op::Param(self.c.depth - s.depth)));
                }
                Bind::Value(n) if args.is_empty() && n == name => {
                    return Ok(Node::new(Op::Var(self.c.depth - s.depth)));
                }
                Bind::Func(n, arity, id) if n == name && *arity == args.len() => {
                    found = Some((*id, s.depth));
                    break;
                }
                Bind::Wall => break,
                _ => {}
            }
        }
        if let Some((id, depth)) = found {
            let up = self.c.depth - depth;
            return Ok(self.call_of(id, up, args));
        }
        let arity = args.len();
        let args = match library::native(name, args) {
            Ok(op) => {
                self.c.reads |= matches!(op, Op::Input | Op::Inputs);
                return Ok(Node::new(op));
            }
            Err(args) => args,
        };
        if let Some(id) = self.c.library.get(&(name.to_string(), arity)) {
            let (id, up) = (*id, self.c.depth);
            return Ok(self.call_of(id, up, args));
        }
        if let Some(text) = library::definition(name, arity) {
            let id = self.library_function(text)?;
            let up = self.c.depth;
            return Ok(self.call_of(id, up, args));
        }
        self.fault(&format!("{name}/{arity} is not defined"), at);
        Ok(Node::id())
    }

    /// Which parameters of a function are values is part of its number's record, made by [`Parser::definition`].
    fn call_of(&mut self, id: usize, up: usize, args: Vec<Node>) -> Node {
        let values = self.c.funcs[id].values.clone();
        let args = args
            .into_iter()
            .enumerate()
            .map(|(i, n)| if values[i] { CallArg::Value(n) } else { CallArg::Closure(n) })
            .collect();
        Node::new(Op::Call(id, up, args))
    }

    /// Compiles a definition of the library, which sees only the library.
    fn library_function(&mut self, text: &'static str) -> Parsed<usize> {
        let depth = std::mem::replace(&mut self.c.depth, 0);
        let (scopes, _) = self.mark();
        self.bind(Bind::Wall);
        let nesting = self.nesting;
        let mut p = Parser::new(self.c, text.as_bytes(), "<builtin>");
        p.nesting = nesting;
        p.advance();
        let id = p.definition(true)?;
        self.unbind(scopes, depth);
        Ok(id)
    }

    // Programs --------------------------------------------------------------------------------------------------

    fn program(&mut self) -> Parsed<Node> {
        self.advance();
        self.directives()?;
        while self.word("def") {
            self.definition(false)?;
        }
        if self.token == Token::End {
            return Ok(Node::id());
        }
        let main = self.pipe()?;
        match &self.token {
            Token::End => Ok(main),
            Token::Op(
                "<" | ">" | "==" | "!=" | "<=" | ">=" | "=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//=",
            ) => self.unexpected(),
            _ => self.unexpected_but(", expecting end of file"),
        }
    }

    fn directives(&mut self) -> Parsed<()> {
        if self.accept_word("module") {
            self.postfix()?;
            self.expect(";")?;
        }
        while self.word("import") || self.word("include") {
            let include = self.word("include");
            self.advance();
            let at = self.start;
            let path = self.constant_string()?;
            let mut name = String::new();
            let mut data = false;
            if !include {
                self.expect_word("as")?;
                match self.token.clone() {
                    Token::Ident(n) => name = n,
                    Token::Binding(n) => {
                        name = n;
                        data = true;
                    }
                    _ => return self.unexpected(),
                }
                self.advance();
            }
            let mut search = None;
            if !self.is(";") {
                let meta = self.postfix()?;
                if let Some(Val::Obj(o)) = constant(&meta) {
                    if let Some(Val::Str(s)) = o.get(b"search") {
                        search = Some(s.text().to_string());
                    }
                } else {
                    self.fault("Module metadata must be constant", at);
                    return Err(Fatal);
                }
            }
            self.expect(";")?;
            let mut dep = super::val::Members::with_capacity(3);
            if !include {
                dep.insert("as".into(), name.as_str().into());
            }
            dep.insert("is_data".into(), data.into());
            dep.insert("relpath".into(), path.as_str().into());
            self.c.deps.push(dep.into());
            self.import(&path, &name, data, search.as_deref())?;
        }
        Ok(())
    }

    fn import(&mut self, path: &str, name: &str, data: bool, search: Option<&str>) -> Parsed<()> {
        match self.c.around.module(path, data, search) {
            Err(message) => {
                self.c.errors.push(format!("{message}\n"));
                Err(Fatal)
            }
            Ok(Module::Data(v)) => {
                // A constant: `$name` and `$name::name`.
                for n in [name.to_string(), format!("{name}::{name}")] {
                    let id = self.c.funcs.len();
                    self.c.funcs.push(Func { body: Some(Rc::new(Node::lit(v.clone()))), values: Vec::new() });
                    self.bind(Bind::Func(format!("${n}"), 0, id));
                }
                Ok(())
            }
            Ok(Module::Code(text)) => {
                if self.c.modules.len() > 64 || self.c.modules.iter().any(|m| m == path) {
                    self.c.errors.push(format!("module {path} includes itself\n"));
                    return Err(Fatal);
                }
                self.c.modules.push(path.to_string());
                let depth = std::mem::replace(&mut self.c.depth, 0);
                let from = self.c.scopes.len();
                self.bind(Bind::Wall);
                let nesting = self.nesting;
                let mut p = Parser::new(self.c, &text, path);
                p.nesting = nesting;
                p.advance();
                p.directives()?;
                let own = p.c.scopes.len();
                while p.word("def") {
                    p.definition(false)?;
                }
                if p.token != Token::End {
                    return p.unexpected();
                }
                let defined: Vec<Scope> = self.c.scopes.drain(own..).collect();
                self.unbind(from, depth);
                self.c.modules.pop();
                for s in defined {
                    if let Bind::Func(n, arity, id) = s.bind {
                        let n = if name.is_empty() { n } else { format!("{name}::{n}") };
                        // Its environment is the empty one, whatever is bound here.
                        self.c.scopes.push(Scope { bind: Bind::Func(n, arity, id), depth: 0 });
                    }
                }
                Ok(())
            }
        }
    }

    fn constant_string(&mut self) -> Parsed<String> {
        if self.token != Token::Quote {
            return self.unexpected();
        }
        let at = self.start;
        let n = self.string(Format::Text)?;
        match constant(&n) {
            Some(Val::Str(s)) => Ok(s.text().to_string()),
            _ => {
                self.fault("Import path must be constant", at);
                Err(Fatal)
            }
        }
    }

    /// `def name(params): body;`. The function stays in scope.
    fn definition(&mut self, library: bool) -> Parsed<usize> {
        self.advance();
        let Token::Ident(name) = self.token.clone() else { return self.unexpected() };
        self.advance();
        let mut params = Vec::new();
        if self.accept("(") {
            loop {
                match self.token.clone() {
                    Token::Ident(n) => params.push((n, false)),
                    Token::Binding(n) => params.push((n, true)),
                    _ => return self.unexpected(),
                }
                self.advance();
                if !self.accept(";") {
                    break;
                }
            }
            self.expect(")")?;
        }
        self.expect(":")?;
        let id = self.c.funcs.len();
        self.c.funcs.push(Func { body: None, values: params.iter().map(|p| p.1).collect() });
        if library {
            self.c.library.insert((name.clone(), params.len()), id);
        }
        self.bind(Bind::Func(name, params.len(), id));
        let (scopes, depth) = self.mark();
        for (n, value) in params {
            self.bind(if value { Bind::Value(n) } else { Bind::Param(n) });
        }
        let body = self.body()?;
        self.unbind(scopes, depth);
        self.c.funcs[id].body = Some(Rc::new(body));
        self.expect(";")?;
        Ok(id)
    }

    /// Definitions and a filter after them.
    fn body(&mut self) -> Parsed<Node> {
        self.nest(|p| p.pipe())
    }

    fn nest<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.nesting += 1;
        if self.nesting > NESTING {
            self.c.errors.clear();
            self.fault("syntax error, memory exhausted", self.start);
            return Err(Fatal);
        }
        let r = stacker::maybe_grow(128 << 10, 2 << 20, || f(self));
        self.nesting -= 1;
        r
    }

    // Operators -------------------------------------------------------------------------------------------------

    fn pipe(&mut self) -> Parsed<Node> {
        self.nest(Self::pipe_here)
    }

    fn pipe_here(&mut self) -> Parsed<Node> {
        if self.word("def") {
            let (scopes, depth) = self.mark();
            self.definition(false)?;
            let rest = self.pipe()?;
            self.unbind(scopes, depth);
            return Ok(rest);
        }
        if self.word("label") {
            self.advance();
            let Token::Binding(name) = self.token.clone() else { return self.unexpected() };
            self.advance();
            self.expect("|")?;
            let (scopes, depth) = self.mark();
            self.bind(Bind::Label(name));
            let body = self.pipe()?;
            self.unbind(scopes, depth);
            return Ok(Node::new(Op::Label(Box::new(body))));
        }
        let left = self.comma()?;
        if self.accept("|") {
            let right = self.pipe()?;
            return Ok(join(left, right));
        }
        Ok(left)
    }

    fn comma(&mut self) -> Parsed<Node> {
        let mut left = self.binary(0)?;
        while self.accept(",") {
            let right = self.binary(0)?;
            left = Node::new(Op::Comma(Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    /// Levels: `//` (right), assignments (none), or, and, comparisons (none), sums, products.
    fn binary(&mut self, level: u8) -> Parsed<Node> {
        if level == 7 {
            return self.unary();
        }
        let left = self.binary(level + 1)?;
        self.binary_rest(level, left)
    }

    fn binary_rest(&mut self, level: u8, mut left: Node) -> Parsed<Node> {
        loop {
            let Token::Op(op) = self.token else { return Ok(left) };
            let fits = match level {
                0 => op == "//",
                1 => matches!(op, "=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//="),
                2 => op == "or",
                3 => op == "and",
                4 => matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">="),
                5 => matches!(op, "+" | "-"),
                _ => matches!(op, "*" | "/" | "%"),
            };
            if !fits {
                return Ok(left);
            }
            self.advance();
            let right = match level {
                0 => self.nest(|p| p.binary(0))?,
                // An assignment's right side may hold `//`, which binds less: `.a = 1 // 2` is `(.a = 1) // 2`.
                _ => self.binary(level + 1)?,
            };
            left = combine(op, left, right);
            if matches!(level, 1 | 4) {
                return match self.token {
                    Token::Op(next)
                        if level == 4 && matches!(next, "==" | "!=" | "<" | "<=" | ">" | ">=")
                            || level == 1
                                && matches!(next, "=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//=") =>
                    {
                        self.unexpected()
                    }
                    _ => Ok(left),
                };
            }
            if level == 0 {
                return Ok(left);
            }
        }
    }

    fn unary(&mut self) -> Parsed<Node> {
        if self.word("def") {
            return self.nest(Self::pipe_here);
        }
        if self.is("-") {
            self.advance();
            // The minus binds as a sum does: `-1 * 2` is `-(1 * 2)`, `-1 + 2` is `(-1) + 2`.
            let operand = self.nest(|p| p.binary(6))?;
            return Ok(match &operand.op {
                Op::Lit(v) if v.literal().is_none() && matches!(v, Val::Num(_)) => {
                    Node::lit(-v.num().unwrap_or(f64::NAN))
                }
                _ => Node::new(Op::Neg(Box::new(operand))),
            });
        }
        let term = self.postfix()?;
        if !self.word("as") {
            return Ok(term);
        }
        self.advance();
        let (scopes, depth) = self.mark();
        let patterns = self.patterns()?;
        self.expect("|")?;
        let body = self.pipe()?;
        self.unbind(scopes, depth);
        Ok(Node::new(Op::As(Box::new(term), patterns, Box::new(body))))
    }

    // Patterns --------------------------------------------------------------------------------------------------

    /// `p ?// q …`: the variables of all are bound, those that a pattern lacks to null.
    fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        let mut names = Vec::new();
        let mut shapes = vec![self.pattern(&mut names)?];
        while self.accept("?//") {
            shapes.push(self.pattern(&mut names)?);
        }
        let vars = names.len();
        for n in names {
            self.bind(Bind::Var(n));
        }
        Ok(shapes
            .into_iter()
            .map(|shape| Pattern { plain: vars == 1 && matches!(shape, Shape::Var(0)), shape, vars })
            .collect())
    }

    fn one_pattern(&mut self) -> Parsed<Pattern> {
        let mut all = self.patterns()?;
        match (all.pop(), all.is_empty()) {
            (Some(p), true) => Ok(p),
            _ => self.unexpected(),
        }
    }

    fn name(&mut self, names: &mut Vec<String>, n: &str) -> usize {
        names.iter().position(|m| m == n).unwrap_or_else(|| {
            names.push(n.to_string());
            names.len() - 1
        })
    }

    fn pattern(&mut self, names: &mut Vec<String>) -> Parsed<Shape> {
        if let Token::Binding(n) = self.token.clone() {
            self.advance();
            return Ok(Shape::Var(self.name(names, &n)));
        }
        if self.accept("[") {
            let mut parts = Vec::new();
            loop {
                parts.push(self.nest(|p| p.pattern(names))?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("]")?;
            return Ok(Shape::Array(parts));
        }
        self.expect("{")?;
        let mut members = Vec::new();
        loop {
            let (var, key) = match self.token.clone() {
                Token::Binding(n) => {
                    self.advance();
                    (Some(self.name(names, &n)), Node::lit(n.as_str()))
                }
                Token::Ident(n) => {
                    self.advance();
                    (None, Node::lit(n.as_str()))
                }
                Token::Op(n @ ("and" | "or")) => {
                    self.advance();
                    (None, Node::lit(n))
                }
                Token::Quote => (None, self.string(Format::Text)?),
                Token::Op("(") => {
                    self.advance();
                    let key = self.pipe()?;
                    self.expect(")")?;
                    (None, key)
                }
                _ => return self.unexpected(),
            };
            let inner = match self.accept(":") {
                true => Some(self.nest(|p| p.pattern(names))?),
                false if var.is_some() => None,
                false => return self.unexpected(),
            };
            members.push((var, key, inner));
            if !self.accept(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Shape::Object(members))
    }

    // Terms -----------------------------------------------------------------------------------------------------

    fn postfix(&mut self) -> Parsed<Node> {
        let mut t = self.term()?;
        loop {
            match &self.token {
                Token::Field(name) => {
                    let name = name.as_str().into();
                    self.advance();
                    t = Node::new(Op::Field(Box::new(t), name));
                }
                Token::Op(".") => {
                    let next = lexer::token(self.text, lexer::skip_space(self.text, self.at)).0;
                    match next {
                        Token::Quote => {
                            self.advance();
                            let key = self.string(Format::Text)?;
                            t = index(t, key);
                        }
                        Token::Op("[") => self.advance(),
                        _ => return self.unexpected_field(),
                    }
                }
                Token::Op("[") => t = self.brackets(t)?,
                Token::Op("?") => {
                    self.advance();
                    t = Node::new(Op::Try(Box::new(t), None));
                }
                Token::Ident(w) if w == "as" => return Ok(t),
                _ => return Ok(t),
            }
        }
    }

    fn unexpected_field<T>(&mut self) -> Parsed<T> {
        self.advance();
        self.unexpected()
    }

    fn brackets(&mut self, t: Node) -> Parsed<Node> {
        self.advance();
        if self.accept("]") {
            return Ok(Node::new(Op::Iter(Box::new(t))));
        }
        if self.accept(":") {
            let to = self.pipe()?;
            self.expect("]")?;
            return Ok(Node::new(Op::Slice(Box::new(t), None, Some(Box::new(to)))));
        }
        let from = self.pipe()?;
        if self.accept(":") {
            let to = if self.is("]") { None } else { Some(Box::new(self.pipe()?)) };
            self.expect("]")?;
            return Ok(Node::new(Op::Slice(Box::new(t), Some(Box::new(from)), to)));
        }
        self.expect("]")?;
        Ok(index(t, from))
    }

    fn term(&mut self) -> Parsed<Node> {
        match self.token.clone() {
            Token::Number(n) => {
                self.advance();
                Ok(Node::lit(n.0))
            }
            Token::Quote => self.string(Format::Text),
            Token::Format(name) => {
                self.advance();
                let format = Format::named(&name);
                if self.token == Token::Quote {
                    return self.string(format);
                }
                Ok(Node::new(Op::Format(format)))
            }
            Token::Field(name) => {
                self.advance();
                Ok(Node::new(Op::Field(Node::boxed(Op::Id), name.as_str().into())))
            }
            Token::Binding(name) => {
                let at = self.start;
                self.advance();
                Ok(self.binding(&name, at))
            }
            Token::Ident(name) => self.named(&name),
            Token::Op(op) => self.punctuated(op),
            Token::Invalid | Token::End => self.unexpected(),
        }
    }

    fn binding(&mut self, name: &str, at: usize) -> Node {
        let function = format!("${name}");
        let data = self.c.scopes.iter().rev().find_map(|s| match &s.bind {
            Bind::Func(n, 0, id) if *n == function => Some(*id),
            _ => None,
        });
        match data.and_then(|id| self.c.funcs[id].body.clone()) {
            Some(body) => match &body.op {
                Op::Lit(v) => Node::lit(v.clone()),
                _ => Node::id(),
            },
            None => self.variable(name, at),
        }
    }

    fn punctuated(&mut self, op: &'static str) -> Parsed<Node> {
        match op {
            "." => {
                self.advance();
                match &self.token {
                    Token::Quote => {
                        let key = self.string(Format::Text)?;
                        Ok(index(Node::id(), key))
                    }
                    Token::Op("[") => self.brackets(Node::id()),
                    _ => Ok(Node::id()),
                }
            }
            ".." => {
                self.advance();
                Ok(Node::new(Op::Recurse(None)))
            }
            "(" => {
                self.advance();
                let inner = self.pipe()?;
                self.expect(")")?;
                Ok(inner)
            }
            "[" => {
                self.advance();
                if self.accept("]") {
                    return Ok(Node::lit(Vec::new()));
                }
                let inner = self.pipe()?;
                self.expect("]")?;
                Ok(Node::new(Op::Array(Box::new(inner))))
            }
            "{" => self.object(),
            "-" => self.unary(),
            _ => self.unexpected(),
        }
    }

    fn named(&mut self, name: &str) -> Parsed<Node> {
        let at = self.start;
        match name {
            "if" => self.conditional(at),
            "try" => {
                self.advance();
                let body = self.nest(Self::try_operand)?;
                let handler = match self.accept_word("catch") {
                    true => Some(Box::new(self.nest(Self::try_operand)?)),
                    false => None,
                };
                Ok(Node::new(Op::Try(Box::new(body), handler)))
            }
            "reduce" | "foreach" => self.fold(name == "reduce"),
            "label" | "def" => self.nest(Self::pipe_here),
            "break" => {
                self.advance();
                match self.token.clone() {
                    Token::Binding(l) => {
                        self.advance();
                        Ok(self.break_to(&l, at))
                    }
                    _ => {
                        self.fault("break requires a label to break to", at);
                        Ok(Node::id())
                    }
                }
            }
            "__loc__" => self.unexpected(),
            _ if KEYWORDS.contains(&name) => self.unexpected(),
            _ => {
                self.advance();
                let mut args = Vec::new();
                if self.accept("(") {
                    loop {
                        args.push(self.pipe()?);
                        if !self.accept(";") {
                            break;
                        }
                    }
                    self.expect(")")?;
                }
                match (name, args.is_empty()) {
                    ("true", true) => Ok(Node::lit(true)),
                    ("false", true) => Ok(Node::lit(false)),
                    ("null", true) => Ok(Node::lit(Val::Null)),
                    _ => self.call(name, args, at),
                }
            }
        }
    }

    fn try_operand(&mut self) -> Parsed<Node> {
        if self.is("-") {
            return self.unary();
        }
        self.postfix()
    }

    fn conditional(&mut self, at: usize) -> Parsed<Node> {
        self.advance();
        let r = self.conditional_rest();
        if r.is_err() && self.token == Token::End {
            self.fault("Possibly unterminated 'if' statement", at);
        }
        r
    }

    fn conditional_rest(&mut self) -> Parsed<Node> {
        let cond = self.pipe()?;
        self.expect_word("then")?;
        let yes = self.pipe()?;
        let no = if self.word("elif") {
            self.advance();
            self.nest(Self::conditional_rest)?
        } else if self.accept_word("else") {
            let no = self.pipe()?;
            self.expect_word("end")?;
            no
        } else {
            self.expect_word("end")?;
            Node::id()
        };
        Ok(Node::new(Op::If(Box::new(cond), Box::new(yes), Box::new(no))))
    }

    fn fold(&mut self, reduce: bool) -> Parsed<Node> {
        self.advance();
        let source = Box::new(self.postfix()?);
        self.expect_word("as")?;
        let (scopes, depth) = self.mark();
        let pattern = self.one_pattern()?;
        self.expect("(")?;
        // The start value does not see the variables, but stands where they are bound: they are hidden for it.
        let hidden: Vec<Scope> = self.c.scopes.drain(scopes..).collect();
        let inner = std::mem::replace(&mut self.c.depth, depth);
        let init = Box::new(self.pipe()?);
        self.c.depth = inner;
        self.c.scopes.extend(hidden);
        self.expect(";")?;
        let update = Box::new(self.pipe()?);
        let mut extract = None;
        if !reduce && self.accept(";") {
            extract = Some(Box::new(self.pipe()?));
        }
        self.expect(")")?;
        self.unbind(scopes, depth);
        let op = match reduce {
            true => Op::Reduce(source, pattern, init, update),
            false => Op::Foreach(source, pattern, init, update, extract),
        };
        Ok(Node::new(op))
    }

    fn object(&mut self) -> Parsed<Node> {
        self.advance();
        let mut members = Vec::new();
        if self.accept("}") {
            return Ok(Node::lit(Val::object([])));
        }
        loop {
            members.push(self.member()?);
            if self.accept("}") {
                break;
            }
            self.expect(",")?;
            // A comma may end the list.
            if self.accept("}") {
                break;
            }
        }
        Ok(Node::new(Op::Object(members)))
    }

    fn member(&mut self) -> Parsed<(Node, Node)> {
        let at = self.start;
        let (key, short) = match self.token.clone() {
            Token::Ident(n) => {
                self.advance();
                let field = Node::new(Op::Field(Node::boxed(Op::Id), n.as_str().into()));
                (Node::lit(n.as_str()), Some(field))
            }
            Token::Op(n @ ("and" | "or")) => {
                self.advance();
                let field = Node::new(Op::Field(Node::boxed(Op::Id), n.into()));
                (Node::lit(n), Some(field))
            }
            Token::Binding(n) => {
                self.advance();
                let value = self.binding(&n, at);
                return Ok((Node::lit(n.as_str()), value));
            }
            Token::Number(n) => {
                let v = n.0;
                self.fault(&format!("Object keys must be strings: {}", text_of(&v)), at);
                return Err(Fatal);
            }
            Token::Format(f) => {
                self.advance();
                let format = Format::named(&f);
                let (from, end, start, token) = (self.at, self.end, self.start, self.token.clone());
                if token != Token::Quote {
                    return self.unexpected();
                }
                let key = self.string(format.clone())?;
                let short = if self.is(":") {
                    None
                } else {
                    (self.at, self.end, self.start, self.token) = (from, end, start, token);
                    let again = self.string(format)?;
                    Some(index(Node::id(), again))
                };
                (key, short)
            }
            Token::Quote => {
                let (from, end, start, token) = (self.at, self.end, self.start, self.token.clone());
                let key = self.string(Format::Text)?;
                // `{"a b"}` is `{"a b": .["a b"]}`: the string is read again as the index.
                let short = if self.is(":") {
                    None
                } else {
                    (self.at, self.end, self.start, self.token) = (from, end, start, token);
                    let again = self.string(Format::Text)?;
                    Some(index(Node::id(), again))
                };
                (key, short)
            }
            Token::Op("(") => {
                self.advance();
                let inside = self.start;
                let key = self.pipe()?;
                self.expect(")")?;
                if let Op::Lit(v) = &key.op
                    && !matches!(v, Val::Str(_))
                {
                    let message = format!("Cannot use {} ({}) as object key", v.kind(), text_of(v));
                    self.fault(&message, inside.saturating_sub(1));
                }
                (key, None)
            }
            _ => return self.unexpected(),
        };
        if self.accept(":") {
            let value = self.nest(Self::member_value)?;
            return Ok((key, value));
        }
        match short {
            Some(s) => Ok((key, s)),
            None => self.unexpected(),
        }
    }

    /// A member's value: terms, and pipes of terms.
    fn member_value(&mut self) -> Parsed<Node> {
        let mut left = match self.is("-") {
            true => self.unary()?,
            false => self.postfix()?,
        };
        // `{a: 1 + 2}`, `{a: .b // 3}` and `{a: . as $x | …}` are taken as later versions do.
        if self.word("as") {
            self.advance();
            let (scopes, depth) = self.mark();
            let patterns = self.patterns()?;
            self.expect("|")?;
            let body = self.nest(Self::member_value)?;
            self.unbind(scopes, depth);
            left = Node::new(Op::As(Box::new(left), patterns, Box::new(body)));
        }
        for level in (0..7).rev() {
            left = self.binary_rest(level, left)?;
        }
        if self.accept("|") {
            let right = self.nest(Self::member_value)?;
            return Ok(join(left, right));
        }
        Ok(left)
    }

    /// A string, whose opening quote is the current token.
    fn string(&mut self, format: Format) -> Parsed<Node> {
        let open = self.start;
        let mut i = self.at;
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        loop {
            match self.text.get(i) {
                None => {
                    self.token = Token::End;
                    self.c.errors.clear();
                    let at = self.text.len().saturating_sub(1);
                    self.fault(
                        "syntax error, unexpected end of file, expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END (Unix shell quoting issues?)",
                        at,
                    );
                    return Err(Fatal);
                }
                Some(b'"') => break,
                Some(b'\\') if self.text.get(i + 1) == Some(&b'(') => {
                    if !literal.is_empty() {
                        parts.push(Part::Text(Str::lossy(&std::mem::take(&mut literal))));
                    }
                    self.at = i + 2;
                    self.advance();
                    let filter = self.pipe()?;
                    if !self.is(")") {
                        return self.unexpected();
                    }
                    i = self.at;
                    parts.push(Part::Filter(filter));
                }
                Some(b'\\') => {
                    let mut end = i;
                    while self.text.get(end) == Some(&b'\\') && self.text.get(end + 1) != Some(&b'(') {
                        end += match self.text.get(end + 1) {
                            Some(b'u') => 6,
                            _ => 2,
                        };
                    }
                    let end = end.min(self.text.len());
                    if !super::json::unescape(&self.text[i..end], &mut literal) {
                        let run = String::from_utf8_lossy(&self.text[i..end]).into_owned();
                        let column = run.len() + 2;
                        self.fault(
                            &format!("Invalid escape at line 1, column {column} (while parsing '\"{run}\"')"),
                            i,
                        );
                    }
                    i = end;
                }
                Some(b) => {
                    literal.push(*b);
                    i += 1;
                }
            }
        }
        self.at = i + 1;
        self.start = open;
        self.advance();
        if parts.is_empty() {
            return Ok(Node::lit(Val::Str(Str::lossy(&literal))));
        }
        if !literal.is_empty() {
            parts.push(Part::Text(Str::lossy(&literal)));
        }
        Ok(Node::new(Op::Text(format, parts)))
    }
}

fn text_of(v: &Val) -> String {
    String::from_utf8_lossy(&super::write::to_json(v)).into_owned()
}

fn index(t: Node, key: Node) -> Node {
    match key.op {
        Op::Lit(Val::Str(s)) => Node::new(Op::Field(Box::new(t), s)),
        _ => Node::new(Op::Index(Box::new(t), Box::new(key))),
    }
}

fn join(left: Node, right: Node) -> Node {
    match (&left.op, &right.op) {
        (Op::Id, _) => right,
        (_, Op::Id) => left,
        _ => Node::new(Op::Pipe(Box::new(left), Box::new(right))),
    }
}

fn combine(op: &str, left: Node, right: Node) -> Node {
    let (l, r): (Boxed, Boxed) = (Box::new(left), Box::new(right));
    let operator = match op {
        "//" => return Node::new(Op::Alt(l, r)),
        "=" => return Node::new(Op::Assign(l, r)),
        "|=" => return Node::new(Op::Update(l, r)),
        "//=" => return Node::new(Op::UpdateAlt(l, r)),
        "+=" => return Node::new(Op::UpdateWith(Bin::Add, l, r)),
        "-=" => return Node::new(Op::UpdateWith(Bin::Sub, l, r)),
        "*=" => return Node::new(Op::UpdateWith(Bin::Mul, l, r)),
        "/=" => return Node::new(Op::UpdateWith(Bin::Div, l, r)),
        "%=" => return Node::new(Op::UpdateWith(Bin::Mod, l, r)),
        "and" => return Node::new(Op::And(l, r)),
        "or" => return Node::new(Op::Or(l, r)),
        "==" => Bin::Eq,
        "!=" => Bin::Ne,
        "<" => Bin::Lt,
        "<=" => Bin::Le,
        ">" => Bin::Gt,
        ">=" => Bin::Ge,
        "+" => Bin::Add,
        "-" => Bin::Sub,
        "*" => Bin::Mul,
        "/" => Bin::Div,
        _ => Bin::Mod,
    };
    Node::new(Op::Bin(operator, l, r))
}

/// The value of a node made of constants only.
pub fn constant(n: &Node) -> Option<Val> {
    match &n.op {
        Op::Lit(v) => Some(v.clone()),
        Op::Object(members) => {
            let mut m = super::val::Members::with_capacity(members.len());
            for (k, v) in members {
                let Some(Val::Str(k)) = constant(k) else { return None };
                m.insert(k, constant(v)?);
            }
            Some(m.into())
        }
        Op::Array(list) => {
            let mut out = Vec::new();
            constants(list, &mut out)?;
            Some(out.into())
        }
        _ => None,
    }
}

fn constants(n: &Node, out: &mut Vec<Val>) -> Option<()> {
    if let Op::Comma(a, b) = &n.op {
        constants(a, out)?;
        return constants(b, out);
    }
    out.push(constant(n)?);
    Some(())
}

/// What a module's text says of itself, with its dependencies.
pub fn module_meta(text: &[u8]) -> Option<Val> {
    struct Nothing;
    impl Surroundings for Nothing {
        fn module(&mut self, _: &str, _: bool, _: Option<&str>) -> Result<Module, String> {
            Ok(Module::Code(Vec::new()))
        }
        fn global(&mut self, _: &str) -> Option<Val> {
            None
        }
    }
    let mut around = Nothing;
    let mut c = Compiler::new(&mut around);
    let mut p = Parser::new(&mut c, text, "<module>");
    p.advance();
    let mut meta = super::val::Members::with_capacity(4);
    if p.accept_word("module") {
        if let Some(Val::Obj(o)) = p.postfix().ok().as_ref().and_then(constant) {
            o.iter().for_each(|(k, v)| meta.insert(k.clone(), v.clone()));
        }
        p.expect(";").ok()?;
    }
    p.directives().ok()?;
    let deps = std::mem::take(&mut p.c.deps);
    let own = p.c.scopes.len();
    while p.word("def") {
        p.definition(false).ok()?;
    }
    let defs = p.c.scopes[own..].iter().filter_map(|s| match &s.bind {
        Bind::Func(n, a, _) => Some(Val::from(format!("{n}/{a}"))),
        _ => None,
    });
    let defs: Vec<Val> = defs.collect();
    meta.insert("deps".into(), deps.into());
    meta.insert("defs".into(), defs.into());
    Some(meta.into())
}
