//! A jq program's text to its compiled form, in one pass: every name is defined before it is used, so that scopes
//! are known while parsing.

use super::{
    ir::{Bin, Boxed, CallArg, Func, Node, Op},
    lexer::{self, Token},
    library,
    val::Val,
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
pub(super) enum Bind {
    Var(String),
    Label(String),
    Param(String),
    /// A `$parameter`, called with and without the dollar.
    Value(String),
    Func(String, usize, usize),
    /// Ends the view of a nested compilation.
    Wall,
}

pub(super) struct Scope {
    pub(super) bind: Bind,
    /// Steps of the environment once this is bound.
    pub(super) depth: usize,
}

/// Program texts nest at most this deep.
const NESTING: usize = 2500;

pub(super) struct Fatal;

pub(super) type Parsed<T> = Result<T, Fatal>;

pub(super) struct Compiler<'a> {
    pub(super) scopes: Vec<Scope>,
    pub(super) depth: usize,
    pub(super) funcs: Vec<Func>,
    pub(super) library: HashMap<(String, usize), usize>,
    pub(super) errors: Vec<String>,
    pub(super) around: &'a mut dyn Surroundings,
    pub(super) modules: Vec<String>,
    /// What was imported, for `modulemeta`.
    pub(super) deps: Vec<Val>,
    pub(super) reads: bool,
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

/// Reads one text.
pub(super) struct Parser<'a, 'b> {
    pub(super) c: &'a mut Compiler<'b>,
    pub(super) text: &'a [u8],
    /// Where the next token begins.
    pub(super) at: usize,
    pub(super) token: Token,
    pub(super) start: usize,
    /// Where the last accepted token ended.
    pub(super) end: usize,
    pub(super) nesting: usize,
    pub(super) name: &'a str,
}

impl<'a, 'b> Parser<'a, 'b> {
    pub(super) fn new(c: &'a mut Compiler<'b>, text: &'a [u8], name: &'a str) -> Parser<'a, 'b> {
        Parser { c, text, at: 0, token: Token::End, start: 0, end: 0, nesting: 0, name }
    }
}

impl Parser<'_, '_> {
    // Tokens ----------------------------------------------------------------------------------------------------

    pub(super) fn advance(&mut self) {
        self.end = self.at;
        self.start = lexer::skip_space(self.text, self.at);
        let (token, end) = lexer::token(self.text, self.start);
        self.token = token;
        self.at = end;
    }

    pub(super) fn is(&self, op: &str) -> bool {
        matches!(&self.token, Token::Op(o) if *o == op)
    }

    pub(super) fn word(&self, w: &str) -> bool {
        matches!(&self.token, Token::Ident(i) if i == w)
    }

    pub(super) fn accept(&mut self, op: &str) -> bool {
        let yes = self.is(op);
        if yes {
            self.advance();
        }
        yes
    }

    pub(super) fn accept_word(&mut self, w: &str) -> bool {
        let yes = self.word(w);
        if yes {
            self.advance();
        }
        yes
    }

    pub(super) fn expect(&mut self, op: &str) -> Parsed<()> {
        if self.accept(op) { Ok(()) } else { self.unexpected() }
    }

    pub(super) fn expect_word(&mut self, w: &str) -> Parsed<()> {
        if self.accept_word(w) { Ok(()) } else { self.unexpected() }
    }

    pub(super) fn unexpected<T>(&mut self) -> Parsed<T> {
        self.unexpected_but("")
    }

    pub(super) fn unexpected_but<T>(&mut self, expecting: &str) -> Parsed<T> {
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
    pub(super) fn fault(&mut self, message: &str, at: usize) {
        let at = at.min(self.text.len());
        let from = memchr::memrchr(b'\n', &self.text[..at]).map_or(0, |i| i + 1);
        let to = memchr::memchr(b'\n', &self.text[from..]).map_or(self.text.len(), |i| from + i);
        let line = memchr::memchr_iter(b'\n', &self.text[..from]).count() + 1;
        let source = String::from_utf8_lossy(&self.text[from..to]);
        let pad = " ".repeat(at - from);
        self.c.errors.push(format!("{message} at {}, line {line}:\n{source}{pad}", self.name));
    }

    // Scopes ----------------------------------------------------------------------------------------------------

    pub(super) fn bind(&mut self, bind: Bind) {
        if !matches!(bind, Bind::Func(..) | Bind::Wall) {
            self.c.depth += 1;
        }
        let depth = self.c.depth;
        self.c.scopes.push(Scope { bind, depth });
    }

    pub(super) fn unbind(&mut self, scopes: usize, depth: usize) {
        self.c.scopes.truncate(scopes);
        self.c.depth = depth;
    }

    pub(super) fn mark(&self) -> (usize, usize) {
        (self.c.scopes.len(), self.c.depth)
    }

    pub(super) fn variable(&mut self, name: &str, at: usize) -> Node {
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

    pub(super) fn break_to(&mut self, name: &str, at: usize) -> Node {
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

    pub(super) fn call(&mut self, name: &str, args: Vec<Node>, at: usize) -> Parsed<Node> {
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
    pub(super) fn call_of(&mut self, id: usize, up: usize, args: Vec<Node>) -> Node {
        let values = self.c.funcs[id].values.clone();
        let args = args
            .into_iter()
            .enumerate()
            .map(|(i, n)| if values[i] { CallArg::Value(n) } else { CallArg::Closure(n) })
            .collect();
        Node::new(Op::Call(id, up, args))
    }

    /// Compiles a definition of the library, which sees only the library.
    pub(super) fn library_function(&mut self, text: &'static str) -> Parsed<usize> {
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

    pub(super) fn program(&mut self) -> Parsed<Node> {
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

    /// `def name(params): body;`. The function stays in scope.
    pub(super) fn definition(&mut self, library: bool) -> Parsed<usize> {
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
    pub(super) fn body(&mut self) -> Parsed<Node> {
        self.nest(|p| p.pipe())
    }

    pub(super) fn nest<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
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

    pub(super) fn pipe(&mut self) -> Parsed<Node> {
        self.nest(Self::pipe_here)
    }

    pub(super) fn pipe_here(&mut self) -> Parsed<Node> {
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

    pub(super) fn comma(&mut self) -> Parsed<Node> {
        let mut left = self.binary(0)?;
        while self.accept(",") {
            let right = self.binary(0)?;
            left = Node::new(Op::Comma(Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    /// Levels: `//` (right), assignments (none), or, and, comparisons (none), sums, products.
    pub(super) fn binary(&mut self, level: u8) -> Parsed<Node> {
        if level == 7 {
            return self.unary();
        }
        let left = self.binary(level + 1)?;
        self.binary_rest(level, left)
    }

    pub(super) fn binary_rest(&mut self, level: u8, mut left: Node) -> Parsed<Node> {
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

    pub(super) fn unary(&mut self) -> Parsed<Node> {
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
}

pub(super) fn text_of(v: &Val) -> String {
    String::from_utf8_lossy(&super::write::to_json(v)).into_owned()
}

pub(super) fn index(t: Node, key: Node) -> Node {
    match key.op {
        Op::Lit(Val::Str(s)) => Node::new(Op::Field(Box::new(t), s)),
        _ => Node::new(Op::Index(Box::new(t), Box::new(key))),
    }
}

pub(super) fn join(left: Node, right: Node) -> Node {
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
