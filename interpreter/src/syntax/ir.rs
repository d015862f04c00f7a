//! The compiled form of a script: what the parser produces and the executor runs.
//!
//! A [`Unit`] is one complete command, immutable and shared (`Arc`): functions, subshells and traps point into it.
//! Everything that can be known from the text is known here: words are parsed, quotes removed, names interned to
//! [`Name`] slots, arithmetic, patterns and tests compiled, literal text shared. What depends on the state of the
//! shell at run time (an option, a value) stays text or carries its source beside the compiled form.

use bytes::Bytes;
use std::sync::{Arc, OnceLock};

/// An interned variable or function name: an index into the process-wide table of [`super::names`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Name(pub u32);

/// A line number of the script, from 1.
pub type LineNo = u32;

/// One complete command (all that stands before a newline that ends it), ready to run.
#[derive(Debug)]
pub struct Unit {
    /// What to run.
    pub list: List,
    /// The text it was parsed from, for `set -v`, messages, `declare -f`.
    pub source: Bytes,
    /// The line of the script on which `source` begins.
    pub line: LineNo,
    /// What bash warns of while it reads, to be printed (`bash: line 3: warning: …`) before the unit runs:
    /// the line and ``here-document at line 1 delimited by end-of-file (wanted `E')``.
    pub warnings: Vec<(LineNo, Bytes)>,
}

/// Commands joined by `;`, `&` and newlines.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// In order.
    pub items: Vec<ListItem>,
}

/// One `and_or` list of a [`List`].
#[derive(Debug, Clone)]
pub struct ListItem {
    /// What it runs.
    pub and_or: AndOr,
    /// It ends in `&`.
    pub background: bool,
    /// Its text as bash prints it for jobs (`sleep 1`), made by the printer from the tree; empty unless `background`.
    pub text: Bytes,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone)]
pub struct AndOr {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others, each with what stands before it.
    pub rest: Vec<(Connective, Pipeline)>,
}

/// `&&` or `||`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connective {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// One stage or more, shared with the threads that may run them. `|&` has become a `2>&1` at the end of the stage's redirections.
    pub stages: Arc<[Command]>,
    /// `!` before it (an odd number of them).
    pub negated: bool,
    /// `time` before it.
    pub time: Option<TimeFormat>,
}

/// Which report `time` gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFormat {
    /// TIMEFORMAT or bash's own.
    Bash,
    /// `time -p`
    Posix,
}

/// A command with its line and redirections.
#[derive(Debug, Clone)]
pub struct Command {
    /// The line of its first word (what `LINENO` and messages say).
    pub line: LineNo,
    /// What it is.
    pub kind: CommandKind,
    /// Its redirections in order; for a simple command all of them, wherever they stand.
    pub redirects: Vec<Redirect>,
}

/// The kinds of command.
#[derive(Debug, Clone)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(Box<Simple>),
    /// `( list )`
    Subshell(Arc<List>),
    /// `{ list; }`
    Group(List),
    /// `if … then … elif … else … fi`: pairs of condition and body, and the else part.
    If(Vec<(List, List)>, Option<List>),
    /// `while` (or `until`) condition `do` body `done`.
    Loop {
        /// `until`.
        until: bool,
        /// The condition.
        condition: List,
        /// The body.
        body: List,
    },
    /// `for name in words; do body; done`; `None` words is `"$@"`.
    For(Box<For>),
    /// `for ((init; test; step))`: each part may be empty.
    ForArith(Box<ForArith>),
    /// `select name in words; do body; done`
    Select(Box<For>),
    /// `case word in … esac`
    Case(Box<Case>),
    /// `(( expression ))`
    Arith(Arc<Arith>),
    /// `[[ expression ]]`
    Test(Box<TestExpr>),
    /// `name() body` / `function name body`. Redirections belong to the body.
    Function(Arc<FunctionDef>),
    /// `coproc [NAME] command`
    Coproc(Name, Arc<Command>),
}

/// A simple command.
#[derive(Debug, Clone, Default)]
pub struct Simple {
    /// `name=value` before the first word.
    pub assignments: Vec<Assignment>,
    /// The command word and its arguments. An argument of a declaration builtin (`declare`, `typeset`, `local`,
    /// `export`, `readonly`, `alias` excluded) that looks like an assignment is an [`Arg::Assign`].
    pub words: Vec<Arg>,
    /// The command word when it is one literal: for dispatch without expansion.
    pub literal: Option<Bytes>,
}

/// A word of a simple command.
#[derive(Debug, Clone)]
pub enum Arg {
    /// An ordinary word.
    Word(Word),
    /// `name=value`, `name=(…)`, `name+=…`, `name[i]=…` after a declaration builtin: no splitting, no globbing of the value.
    Assign(Assignment),
}

/// `name=value`, `name+=value`, `name[subscript]=value`, `name=( … )`.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The variable.
    pub name: Name,
    /// `[…]`
    pub subscript: Option<Subscript>,
    /// `+=`
    pub append: bool,
    /// What is assigned.
    pub value: AssignValue,
    /// The whole text as written, for `set -x`, `declare` errors and [`Arg::Assign`] as a plain word.
    pub source: Bytes,
}

/// The right side of an assignment.
#[derive(Debug, Clone)]
pub enum AssignValue {
    /// One value: expanded without splitting or globbing, tildes after `:` too.
    Scalar(Word),
    /// `( … )`
    Array(Vec<ArrayItem>),
}

/// One element of a compound assignment.
#[derive(Debug, Clone)]
pub enum ArrayItem {
    /// A word: splits and globs to any number of elements.
    Word(Word),
    /// `[subscript]=value`, `[subscript]+=value`: a scalar.
    Keyed {
        /// The subscript.
        subscript: Subscript,
        /// `+=`
        append: bool,
        /// The value.
        value: Word,
    },
}

/// What stands between `[` and `]`. Whether it is arithmetic or a key is known only when the variable is.
#[derive(Debug, Clone)]
pub enum Subscript {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    /// Any other.
    Index {
        /// As a word: for an associative array, after expansion without splitting.
        key: Box<Word>,
        /// As arithmetic, for an indexed one.
        arith: Arc<Arith>,
    },
}

/// `[n]<file` and its kin.
#[derive(Debug, Clone)]
pub struct Redirect {
    /// Which descriptor; `None` = the operator's own (0 or 1).
    pub fd: Option<RedirectFd>,
    /// The operator and its operand.
    pub kind: RedirectKind,
    /// The line it stands on.
    pub line: LineNo,
}

/// The descriptor of a redirection.
#[derive(Debug, Clone)]
pub enum RedirectFd {
    /// `2>`
    Number(u32),
    /// `{name}>`, `{name[i]}>`
    Variable(Name, Option<Subscript>),
}

/// Redirection operators.
#[derive(Debug, Clone)]
pub enum RedirectKind {
    /// `<`
    Read(Word),
    /// `>`
    Write(Word),
    /// `>|`
    Clobber(Word),
    /// `>>`
    Append(Word),
    /// `<>`
    ReadWrite(Word),
    /// `&>`
    Both(Word),
    /// `&>>`
    BothAppend(Word),
    /// `<&word` (`input`) and `>&word`: a number, `-`, `number-`, or (for `>&` without a number before it) a file.
    Dup {
        /// `<&`
        input: bool,
        /// What follows.
        word: Word,
    },
    /// `<<`, `<<-`
    HereDoc(Arc<HereDoc>),
    /// `<<<`
    HereString(Word),
}

/// A here-document. Its body stands after the line of its operator, so it is set later than the command is made.
#[derive(Debug)]
pub struct HereDoc {
    /// Set once the body has been read: quoted ones are a literal word; tabs of `<<-` are already stripped.
    pub(super) body: OnceLock<Word>,
    /// The delimiter as written, quotes included.
    pub delimiter: Bytes,
    /// The delimiter after quote removal: the line that ends the body.
    pub end: Bytes,
    /// `<<-`
    pub strip_tabs: bool,
}

impl HereDoc {
    /// The body, ready to expand.
    pub fn body(&self) -> &Word {
        static EMPTY: Word = Word { shape: Shape::Literal(Bytes::new()), source: Bytes::new() };
        self.body.get().unwrap_or(&EMPTY)
    }
}

/// A word, ready to expand.
#[derive(Debug, Clone)]
pub struct Word {
    /// The shape, for the fast paths.
    pub shape: Shape,
    /// Its text as written (for `set -x`-like uses, errors, `declare -f`, and here-document bodies).
    pub source: Bytes,
}

/// The shapes of a word.
#[derive(Debug, Clone)]
pub enum Shape {
    /// No expansion of any kind: quote removal is done. Expands to exactly this field (also when empty but quoted;
    /// the empty unquoted word cannot be written).
    Literal(Bytes),
    /// Just `"$name"`: one field.
    QuotedVar(Name),
    /// Just `$name`: splits and globs.
    Var(Name),
    /// Anything else.
    Parts(Arc<Parts>),
}

/// A word of several parts.
#[derive(Debug)]
pub struct Parts {
    /// In order.
    pub parts: Vec<Part>,
    /// There is an unquoted expansion that can split into fields.
    pub may_split: bool,
    /// An unquoted glob character stands in the text (`*`, `?`, `[`, or an extglob group), or an unquoted expansion
    /// could bring one.
    pub may_glob: bool,
    /// It is inside a here-document or `$(( ))`: double-quote rules.
    pub quoted_context: bool,
}

/// A part of a word.
#[derive(Debug, Clone)]
pub enum Part {
    /// Text that was quoted (by `\`, `'…'`, `$'…'`, or within `"…"`): never a glob, never splits.
    Quoted(Bytes),
    /// Unquoted text: may hold glob characters; does not split. An extglob group is text too: `@(`, the parts within,
    /// `|`, …, `)`.
    Text(Bytes),
    /// `""` or `''` with nothing in it: keeps an otherwise empty field.
    EmptyQuotes,
    /// An unquoted tilde prefix at a place where it expands: `~`, `~user`, `~+`, `~-`, `~2`.
    Tilde(Bytes),
    /// `$x`, `${…}`. `quoted` = within double quotes.
    Param(Arc<Param>, bool),
    /// `$( list )`, quoted or not.
    Command(Arc<CommandSubst>, bool),
    /// `$(( expression ))`, quoted or not.
    Arith(Arc<Arith>, bool),
    /// `<( list )` (true) or `>( list )`.
    Process(Arc<CommandSubst>, bool),
    /// An unquoted brace expression, to be expanded before all else when `braceexpand` is on: alternatives, each a
    /// sequence of parts.
    Brace(Arc<Brace>),
    /// `$"…"` is a [`Part::Quoted`] run or parts within double quotes: nothing of its own.
    /// A double-quoted run that is made of several parts and has at least one expansion: needed because `"$@"`
    /// with text around it binds to its neighbours only, and because `"$@"` alone may vanish.
    DoubleQuoted(Vec<Part>),
}

/// A brace expression.
#[derive(Debug, Clone)]
pub enum Brace {
    /// `{a,b,…}`
    List(Vec<Vec<Part>>),
    /// `{1..9..2}`, with the width that leading zeros ask for.
    Numbers {
        /// First.
        from: i64,
        /// Last.
        to: i64,
        /// Step as written (0 = 1); its sign is ignored as bash does.
        step: i64,
        /// Zero-padded width, 0 = none.
        width: usize,
    },
    /// `{a..z..2}`
    Letters {
        /// First.
        from: u8,
        /// Last.
        to: u8,
        /// Step.
        step: i64,
    },
}

/// The body of `$( )`, `` ` ` `` or a process substitution.
#[derive(Debug)]
pub struct CommandSubst {
    /// The commands: complete when the text was valid. Back-quotes are parsed when first run (their errors are
    /// run-time errors in bash): then this is `Err` with the text after backslash removal.
    pub body: Result<Vec<Unit>, Bytes>,
    /// `$(< file)`: the word, when it is nothing else.
    pub read_file: Option<Word>,
    /// The text between the parentheses.
    pub source: Bytes,
    /// The line it begins on.
    pub line: LineNo,
}

/// `${ … }`.
#[derive(Debug)]
pub struct Param {
    /// What is expanded.
    pub target: Target,
    /// `${!x}`: its value is the name of what is expanded.
    pub indirect: bool,
    /// `[…]`
    pub subscript: Option<Subscript>,
    /// What is done with it.
    pub op: Op,
    /// The text of the whole `${…}` or `$x`, for messages (`bash: ${x!}: bad substitution`).
    pub source: Bytes,
}

/// What a parameter expansion names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A variable.
    Var(Name),
    /// `$1`, `${10}`.
    Positional(u32),
    /// `$@ $* $# $? $- $$ $! $0`: the byte (`0` for `$0`).
    Special(u8),
}

/// Operators of parameter expansion.
#[derive(Debug)]
pub enum Op {
    /// None.
    Value,
    /// `${#x}`
    Length,
    /// `${x-w}`, `${x:-w}`: `colon` = null counts as unset.
    Default(bool, Word),
    /// `${x=w}`
    Assign(bool, Word),
    /// `${x?w}`
    Error(bool, Option<Word>),
    /// `${x+w}`
    Alternative(bool, Word),
    /// `${x:offset:length}`
    Substring(Arc<Arith>, Option<Arc<Arith>>),
    /// `${x#p}` (false) `${x##p}` (true)
    RemovePrefix(bool, Pattern),
    /// `${x%p}` `${x%%p}`
    RemoveSuffix(bool, Pattern),
    /// `${x/p/r}`
    Replace(ReplaceKind, Pattern, Option<Word>),
    /// `${x^p}`: (upper, all, pattern); toggle is `~`.
    Case(CaseOp, bool, Option<Pattern>),
    /// `${x@Q}`; with a letter that bash does not know it is bad once the variable is set.
    Transform(u8),
    /// `${!prefix*}` (false) `${!prefix@}` (true): the target is the prefix as a name.
    Names(bool),
    /// `${!a[*]}` (false) `${!a[@]}` (true)
    Keys(bool),
    /// Nothing that bash knows: `bad substitution` when it is expanded.
    Bad,
}

/// Which matches `${x/…}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceKind {
    /// `/` the first
    First,
    /// `//` all
    All,
    /// `/#` at the start
    Prefix,
    /// `/%` at the end
    Suffix,
}

/// Which way case is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseOp {
    /// `^`
    Upper,
    /// `,`
    Lower,
    /// `~`
    Toggle,
}

/// A pattern word. Its quoted parts match literally. Compiled once when it has no expansion.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The word, for expansion at run time.
    pub word: Word,
    /// The matcher, when the word is constant (`extglob` as it was when parsed).
    pub compiled: Option<Arc<sandshell_text::glob::Glob>>,
}

/// `for name in words`.
#[derive(Debug, Clone)]
pub struct For {
    /// The variable.
    pub name: Name,
    /// What follows `in`.
    pub words: Option<Vec<Word>>,
    /// The body.
    pub body: List,
}

/// `for ((a; b; c))`.
#[derive(Debug, Clone)]
pub struct ForArith {
    /// Run first.
    pub init: Option<Arc<Arith>>,
    /// Run before each turn.
    pub test: Option<Arc<Arith>>,
    /// Run after each turn.
    pub step: Option<Arc<Arith>>,
    /// The body.
    pub body: List,
}

/// `case`.
#[derive(Debug, Clone)]
pub struct Case {
    /// What is matched.
    pub word: Word,
    /// Its arms.
    pub arms: Vec<CaseArm>,
}

/// An arm of `case`.
#[derive(Debug, Clone)]
pub struct CaseArm {
    /// Alternatives.
    pub patterns: Vec<Pattern>,
    /// What runs.
    pub body: List,
    /// What follows it.
    pub end: CaseEnd,
}

/// `;;`, `;&`, `;;&`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`
    Break,
    /// `;&` runs the next body
    FallThrough,
    /// `;;&` tests on
    Continue,
}

/// A function's definition. bash refuses it at run time when the name holds quotes or `$` ([`FunctionDef::valid`]).
#[derive(Debug)]
pub struct FunctionDef {
    /// Its name (any word that bash accepts), as bytes.
    pub name: Bytes,
    /// The same, interned.
    pub slot: Name,
    /// A compound command, with the redirections of the definition.
    pub body: Command,
    /// The line it begins on.
    pub line: LineNo,
    /// Its text.
    pub source: Bytes,
}

impl FunctionDef {
    /// The name is a plain word; else it is "`NAME': not a valid identifier" when the definition is run.
    pub fn valid(&self) -> bool {
        !self.name.iter().any(|b| matches!(b, b'$' | b'`' | b'\'' | b'"' | b'\\'))
    }
}

/// `[[ … ]]`.
#[derive(Debug, Clone)]
pub enum TestExpr {
    /// `a && b`
    And(Box<TestExpr>, Box<TestExpr>),
    /// `a || b`
    Or(Box<TestExpr>, Box<TestExpr>),
    /// `! a`
    Not(Box<TestExpr>),
    /// `( a )`: kept for the printer.
    Group(Box<TestExpr>),
    /// `-f word`, `-n word`, and `word` alone as `-n`.
    Unary(Bytes, Word),
    /// `a -nt b`, `a -eq b`, `a < b`: the operator and both words.
    Binary(Bytes, Word, Word),
    /// `a == pattern`, `a = pattern` (negated: `!=`).
    Match {
        /// As written, for the printer.
        op: Bytes,
        /// `!=`
        negated: bool,
        /// Left side.
        word: Word,
        /// Right side.
        pattern: Pattern,
    },
    /// `a =~ regex`: unquoted parts of the word are ERE, quoted ones literal.
    Regex(Word, Word),
    /// `a -eq b` and kin where both sides are arithmetic, compiled.
    Compare(CompareOp, TestArith, TestArith),
}

/// A side of an arithmetic comparison in `[[ ]]`: the word, and its arithmetic when it is a constant or a plain variable.
#[derive(Debug, Clone)]
pub struct TestArith {
    /// As a word, expanded and then evaluated as arithmetic.
    pub word: Word,
}

/// Arithmetic comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Arithmetic, compiled. `source` is kept for messages (`((: 1 +: syntax error: operand expected (error token is "+")`).
#[derive(Debug)]
pub struct Arith {
    /// The text as written (before expansion of `$…` within it).
    pub source: Bytes,
    /// The tree, when the text could be compiled: `$x` and `${x}` alone are [`ArithExpr::Dollar`] atoms, guarded at
    /// run time. `None`: expand `word` and parse the result (through the shell's cache); this also gives bash's
    /// run-time messages for bad expressions.
    pub expr: Option<ArithExpr>,
    /// The text as a word with double-quote rules, when it holds any `$` or back-quote; for the slow way.
    pub word: Option<Word>,
}

/// A node of arithmetic.
#[derive(Debug, Clone)]
pub enum ArithExpr {
    /// A constant.
    Const(i64),
    /// A variable's value, recursively evaluated if it is not a number.
    Var(Name),
    /// `a[i]`
    Index(Name, Box<Subscript>),
    /// `$x`, `${x}`, `$1`, `$#` …: its text must be a plain decimal number (no leading zero, optional minus only if
    /// the neighbours cannot bind to it), else the whole expression takes the slow way.
    Dollar(Arc<Param>),
    /// Unary `- + ! ~`.
    Unary(u8, Box<ArithExpr>),
    /// Binary operators but `/` and `%`.
    Binary(BinaryOp, Box<ArithExpr>, Box<ArithExpr>),
    /// `a / b`, `a % b`: the right side begins at the byte `at` of the text, which is the error token of
    /// `division by 0`.
    Divide {
        /// `%`
        rem: bool,
        /// Left side.
        left: Box<ArithExpr>,
        /// Right side.
        right: Box<ArithExpr>,
        /// Where in the text the right side begins.
        at: u32,
    },
    /// `a && b`, short-circuit.
    And(Box<ArithExpr>, Box<ArithExpr>),
    /// `a || b`
    Or(Box<ArithExpr>, Box<ArithExpr>),
    /// `c ? a : b`
    Cond(Box<ArithExpr>, Box<ArithExpr>, Box<ArithExpr>),
    /// `x = e`, `x += e`, …
    Assign(Option<BinaryOp>, Box<LValue>, Box<ArithExpr>),
    /// `++x` (prefix: true), `x--`: (delta, prefix, target)
    Step(i64, bool, Box<LValue>),
    /// `a, b`
    Comma(Box<ArithExpr>, Box<ArithExpr>),
    /// An empty expression: 0.
    Empty,
}

/// What arithmetic assigns to.
#[derive(Debug, Clone)]
pub struct LValue {
    /// The variable.
    pub name: Name,
    /// `[…]`
    pub subscript: Option<Subscript>,
}

/// Binary arithmetic operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// A syntax error, in bash's words. The caller puts `bash: line N: ` (or the script's name) before each line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyntaxError {
    /// The line it is reported at.
    pub line: LineNo,
    /// The message, e.g. ``syntax error near unexpected token `done'`` or
    /// ``unexpected EOF while looking for matching `"'``.
    pub message: String,
    /// The line of text that bash prints in a second message (`` `text' ``), where it does.
    pub line_text: Option<Bytes>,
    /// The input ended too early: an interactive reader asks for more.
    pub at_end: bool,
    /// Warnings that bash prints before it, as in [`Unit::warnings`].
    pub warnings: Vec<(LineNo, Bytes)>,
    /// Further messages that bash prints after it, each with its own prefix.
    pub further: Vec<(LineNo, String)>,
}
