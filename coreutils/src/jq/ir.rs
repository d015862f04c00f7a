//! The compiled form of a filter: a tree whose variables are distances in the environment, so that nothing is
//! looked up by name while it runs.

use super::val::{Str, Val};
use std::rc::Rc;

/// A node, owned.
pub type Boxed = Box<Node>;

/// A node of the tree.
#[derive(Debug)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// It has at most one output for each input, and is evaluated without callbacks.
    pub one: bool,
}

/// An arithmetic or comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// What sorts, groups or picks by a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum By {
    Sort,
    Group,
    Unique,
    Min,
    Max,
}

/// A string format (`@csv`).
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Format {
    Text,
    Json,
    Csv,
    Tsv,
    Html,
    Uri,
    Urid,
    Sh,
    Base64,
    Base64d,
    Base32,
    Base32d,
    Unknown(Rc<str>),
}

impl Format {
    /// The format of a name.
    pub fn named(name: &str) -> Format {
        match name {
            "text" => Format::Text,
            "json" => Format::Json,
            "csv" => Format::Csv,
            "tsv" => Format::Tsv,
            "html" => Format::Html,
            "uri" => Format::Uri,
            "urid" => Format::Urid,
            "sh" => Format::Sh,
            "base64" => Format::Base64,
            "base64d" => Format::Base64d,
            "base32" => Format::Base32,
            "base32d" => Format::Base32d,
            other => Format::Unknown(other.into()),
        }
    }
}

/// An operation. Operands are evaluated as jq does: the right one in the outer loop.
#[allow(missing_docs)]
#[derive(Debug)]
pub enum Op {
    Id,
    Lit(Val),
    /// The value this many steps up the environment.
    Var(usize),
    Field(Boxed, Str),
    Index(Boxed, Boxed),
    Slice(Boxed, Option<Boxed>, Option<Boxed>),
    Iter(Boxed),
    Pipe(Boxed, Boxed),
    Comma(Boxed, Boxed),
    Neg(Boxed),
    Bin(Bin, Boxed, Boxed),
    And(Boxed, Boxed),
    Or(Boxed, Boxed),
    /// `//`
    Alt(Boxed, Boxed),
    Array(Boxed),
    Object(Vec<(Node, Node)>),
    /// Literal parts and interpolated ones.
    Text(Format, Vec<Part>),
    Format(Format),
    If(Boxed, Boxed, Boxed),
    Try(Boxed, Option<Boxed>),
    Label(Boxed),
    /// Ends the label this many steps up.
    Break(usize),
    As(Boxed, Vec<Pattern>, Boxed),
    Reduce(Boxed, Pattern, Boxed, Boxed),
    Foreach(Boxed, Pattern, Boxed, Boxed, Option<Boxed>),
    /// A function: its number, how many steps up its definition is, its arguments.
    Call(usize, usize, Vec<CallArg>),
    /// A closure parameter, this many steps up.
    Param(usize),
    Recurse(Option<Boxed>),
    Empty,
    Error(Option<Boxed>),
    Select(Boxed),
    Map(Boxed),
    First(Boxed),
    Last(Boxed),
    Limit(Boxed, Boxed),
    Skip(Boxed, Boxed),
    Until(Boxed, Boxed),
    Range(Boxed, Boxed, Option<Boxed>),
    AddAll(Boxed),
    /// Whether some output of the generator meets the condition (`true`), or all do (`false`).
    Any(bool, Boxed, Boxed),
    IsEmpty(Boxed),
    /// `path(f)`
    Path(Boxed),
    GetPath(Boxed),
    Assign(Boxed, Boxed),
    Update(Boxed, Boxed),
    UpdateWith(Bin, Boxed, Boxed),
    UpdateAlt(Boxed, Boxed),
    Del(Boxed),
    By(By, Option<Boxed>),
    /// `sub` (or `gsub`): pattern, replacement, flags.
    Sub(Boxed, Boxed, Option<Boxed>, bool),
    Input,
    Inputs,
    /// A builtin over evaluated arguments.
    Native(Native, Vec<Node>),
}

/// A builtin.
pub type Native = super::builtins::Function;

/// A part of an interpolated string.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum Part {
    Text(Str),
    Filter(Node),
}

/// An argument: a closure, or a value for a `$parameter`.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum CallArg {
    Closure(Node),
    Value(Node),
}

/// A destructuring pattern. Its variables are new steps of the environment, in the order given at compile time.
#[derive(Debug)]
pub struct Pattern {
    /// How it takes a value apart.
    pub shape: Shape,
    /// How many variables are bound in all (with those of alternatives).
    pub vars: usize,
    /// One plain variable.
    pub plain: bool,
}

/// The form of a pattern.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum Shape {
    /// The variable with this number among the bound ones.
    Var(usize),
    Array(Vec<Shape>),
    /// Variable of the member itself, key, pattern of its value.
    Object(Vec<(Option<usize>, Node, Option<Shape>)>),
}

/// A function.
#[derive(Debug, Default)]
pub struct Func {
    /// Its body; none while it is being compiled.
    pub body: Option<Rc<Node>>,
    /// Which of its parameters are `$values`.
    pub values: Vec<bool>,
}

impl Node {
    /// With its property computed.
    pub fn new(op: Op) -> Node {
        let one = op.one();
        Node { op, one }
    }

    /// Boxed.
    pub fn boxed(op: Op) -> Boxed {
        Box::new(Node::new(op))
    }

    /// `.`
    pub fn id() -> Node {
        Node::new(Op::Id)
    }

    /// A constant.
    pub fn lit(v: impl Into<Val>) -> Node {
        Node::new(Op::Lit(v.into()))
    }
}

impl Op {
    fn one(&self) -> bool {
        let maybe = |n: &Option<Boxed>| n.as_ref().is_none_or(|n| n.one);
        match self {
            Op::Id | Op::Lit(_) | Op::Var(_) | Op::Format(_) | Op::Array(_) | Op::Break(_) | Op::Empty => {
                true
            }
            Op::Field(a, _) | Op::Neg(a) | Op::Label(a) | Op::Select(a) | Op::GetPath(a) => a.one,
            Op::Index(a, b)
            | Op::Pipe(a, b)
            | Op::Bin(_, a, b)
            | Op::And(a, b)
            | Op::Or(a, b)
            | Op::Alt(a, b) => a.one && b.one,
            Op::Slice(a, b, c) => a.one && maybe(b) && maybe(c),
            Op::Object(m) => m.iter().all(|(k, v)| k.one && v.one),
            Op::Text(_, parts) => parts.iter().all(|p| match p {
                Part::Text(_) => true,
                Part::Filter(f) => f.one,
            }),
            Op::If(a, b, c) => a.one && b.one && c.one,
            Op::Try(a, b) => a.one && maybe(b),
            Op::As(a, p, b) => a.one && b.one && p.len() == 1 && p[0].plain,
            Op::Reduce(_, p, init, _) => p.plain && init.one,
            Op::Map(_) | Op::First(_) | Op::Last(_) | Op::AddAll(_) | Op::Any(..) | Op::IsEmpty(_) => true,
            Op::Error(a) => maybe(a),
            Op::Assign(_, a) | Op::UpdateWith(_, _, a) | Op::UpdateAlt(_, a) => a.one,
            Op::Update(..) | Op::Del(_) | Op::By(..) | Op::Input => true,
            Op::Native(_, args) => args.iter().all(|a| a.one),
            Op::Iter(_) | Op::Comma(..) | Op::Foreach(..) | Op::Call(..) | Op::Param(_) | Op::Recurse(_) => {
                false
            }
            Op::Sub(..)
            | Op::Limit(..)
            | Op::Skip(..)
            | Op::Until(..)
            | Op::Range(..)
            | Op::Path(_)
            | Op::Inputs => false,
        }
    }
}
