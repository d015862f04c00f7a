//! The compiled form of an awk program: a tree whose variables are slots. Evaluation asks each node for what its
//! context needs (a number, text, a truth value), so that most steps build no value at all.

use super::value::{Str, Value};

/// A whole program.
#[derive(Debug, Default)]
pub struct Program {
    /// `BEGIN` actions, in order.
    pub begin: Vec<Action>,
    /// `BEGINFILE` actions.
    pub begin_file: Vec<Action>,
    /// Pattern-action rules.
    pub rules: Vec<Rule>,
    /// `ENDFILE` actions.
    pub end_file: Vec<Action>,
    /// `END` actions.
    pub end: Vec<Action>,
    /// User functions.
    pub functions: Vec<Function>,
    /// Names of the global slots.
    pub globals: Vec<String>,
    /// Regular expression literals.
    pub regexes: Vec<Vec<u8>>,
    /// Where each of them stands.
    pub regex_places: Vec<Place>,
    /// Number of range patterns, each of which has a state.
    pub ranges: usize,
    /// Whether a `getline` without a file occurs: the main input then moves within a rule.
    pub plain_getline: bool,
}

/// A braced action.
pub type Action = Vec<Stmt>;

/// A pattern with its action.
#[derive(Debug)]
pub struct Rule {
    /// When it applies.
    pub pattern: Pattern,
    /// What it does; `None` prints the record.
    pub action: Option<Action>,
    /// Where the pattern stands.
    pub place: Place,
}

/// When a rule applies.
#[derive(Debug)]
pub enum Pattern {
    /// Every record.
    Always,
    /// Where the expression is true.
    When(Expr),
    /// From where the first is true to where the second is.
    Range(Expr, Expr, usize),
}

/// A user function.
#[derive(Debug, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters, locals among them.
    pub params: Vec<String>,
    /// Which parameters the body uses as arrays.
    pub arrays: Vec<bool>,
    /// Its body.
    pub body: Vec<Stmt>,
    /// Set once the definition was met.
    pub defined: bool,
}

/// A place in the program text, for messages: the piece of text (0 is the command line) and the line in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Which `-f`, `-e` or command line text.
    pub source: u16,
    /// Counting from 1.
    pub line: u32,
}

/// A statement and where it stands.
#[derive(Debug)]
pub struct Stmt {
    /// For messages.
    pub place: Place,
    /// What it does.
    pub kind: StmtKind,
}

/// What a statement does.
#[derive(Debug)]
pub enum StmtKind {
    /// Evaluates for effect.
    Expr(Expr),
    /// `print`; no arguments mean `$0`.
    Print(Vec<Expr>, Option<Redirect>),
    /// `printf`.
    Printf(Vec<Expr>, Option<Redirect>),
    /// `if`.
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`.
    While(Expr, Box<Stmt>),
    /// `do … while`.
    Do(Box<Stmt>, Expr),
    /// `for (;;)`.
    For(Option<Box<Stmt>>, Option<Expr>, Option<Box<Stmt>>, Box<Stmt>),
    /// `for (k in a)`.
    ForIn(Target, ArrayExpr, Box<Stmt>),
    /// `switch`.
    Switch(Expr, Vec<(Case, Vec<Stmt>)>),
    /// `{ … }`, and `;` when empty.
    Block(Vec<Stmt>),
    /// `next`.
    Next,
    /// `nextfile`.
    NextFile,
    /// `exit`.
    Exit(Option<Expr>),
    /// `return`.
    Return(Option<Expr>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `delete a[i]`, or all of `a`.
    Delete(ArrayExpr, Option<Vec<Expr>>),
}

/// A label of a `switch`.
#[derive(Debug)]
pub enum Case {
    /// A number or string constant.
    Value(Value),
    /// A regular expression.
    Regex(usize),
    /// `default`.
    Default,
}

/// Where `print` goes.
#[derive(Debug)]
pub struct Redirect {
    /// `>`, `>>`, `|`.
    pub kind: RedirectKind,
    /// File or command.
    pub to: Expr,
}

/// How output is redirected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `|`
    Pipe,
    /// `|&`
    Coprocess,
}

/// An expression.
#[derive(Debug)]
pub enum Expr {
    /// A number.
    Num(f64),
    /// A string.
    Str(Str),
    /// `/re/`: whether `$0` matches; as an argument that wants a regular expression, itself.
    Regex(usize),
    /// `@/re/`.
    TypedRegex(usize),
    /// A global variable.
    Global(usize),
    /// A parameter.
    Local(usize),
    /// A built-in variable.
    Special(Special),
    /// `$e`.
    Field(Box<Expr>),
    /// `$3`.
    FieldConst(usize),
    /// `a[i, j]`.
    Index(Box<(ArrayExpr, Vec<Expr>)>),
    /// `(i, j) in a`.
    In(Box<(Vec<Expr>, ArrayExpr)>),
    /// `a = e`.
    Assign(Box<(Target, Expr)>),
    /// `a += e`.
    Update(Box<(Target, Arith, Expr)>),
    /// `a = a e f` for a global: appends in place.
    Append(usize, Vec<Expr>),
    /// `++a`, `a--`.
    Step(Box<Target>, f64, StepKind),
    /// Arithmetic.
    Binary(Arith, Box<(Expr, Expr)>),
    /// `-e`.
    Negate(Box<Expr>),
    /// `+e`.
    Plus(Box<Expr>),
    /// `!e`.
    Not(Box<Expr>),
    /// `a && b`.
    And(Box<(Expr, Expr)>),
    /// `a || b`.
    Or(Box<(Expr, Expr)>),
    /// `c ? a : b`.
    Cond(Box<(Expr, Expr, Expr)>),
    /// `a < b`.
    Compare(Comparison, Box<(Expr, Expr)>),
    /// `a ~ b`; negated for `!~`.
    Match(bool, Box<(Expr, Expr)>),
    /// Concatenation.
    Concat(Vec<Expr>),
    /// A parenthesised expression, kept apart where that matters to the grammar.
    Group(Box<Expr>),
    /// A user function.
    Call(usize, Vec<Expr>),
    /// `@name(…)`.
    IndirectCall(Box<Expr>, Vec<Expr>),
    /// A built-in function.
    Builtin(Builtin, Vec<Expr>),
    /// `sub`, `gsub`: global or not, pattern, replacement, target.
    Substitute(Box<(bool, Expr, Expr, Target)>),
    /// An argument that must be an array.
    Array(ArrayExpr),
    /// `getline`, with the variable and where from.
    Getline(Box<(Option<Target>, Source)>),
}

/// Where `getline` reads.
#[derive(Debug)]
pub enum Source {
    /// The main input.
    Main,
    /// `< file`
    File(Expr),
    /// `cmd |`
    Command(Expr),
    /// `cmd |&`: parsed, and refused when it is run.
    Coprocess,
}

/// Whether the value is that before or after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// `++a`
    Before,
    /// `a++`
    After,
}

/// An array operand.
#[derive(Debug)]
pub enum ArrayExpr {
    /// A global.
    Global(usize),
    /// A parameter.
    Local(usize),
    /// An array within an array.
    Element(Box<(ArrayExpr, Vec<Expr>)>),
}

/// What can be assigned to.
#[derive(Debug)]
pub enum Target {
    /// A global variable.
    Global(usize),
    /// A parameter.
    Local(usize),
    /// A built-in variable.
    Special(Special),
    /// A field.
    Field(Expr),
    /// An array element.
    Index(ArrayExpr, Vec<Expr>),
    /// No place at all: the result of `sub` on an expression is lost.
    Nowhere(Expr),
}

/// Binary arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arith {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `^`
    Pow,
}

/// Comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

macro_rules! specials {
    ($($name:ident),* $(,)?) => {
        /// A built-in variable whose reading or assignment means more than a slot.
        #[allow(missing_docs, clippy::upper_case_acronyms)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Special { $($name),* }

        impl Special {
            /// The variable of that name.
            pub fn named(name: &str) -> Option<Special> {
                match name { $(stringify!($name) => Some(Special::$name),)* _ => None }
            }

            /// All of them.
            pub const ALL: &[Special] = &[$(Special::$name),*];
        }
    };
}

specials! {
    NR, FNR, NF, FS, OFS, ORS, RS, RT, SUBSEP, CONVFMT, OFMT, FILENAME, RSTART, RLENGTH, IGNORECASE,
    FIELDWIDTHS, FPAT, ARGIND, ERRNO, BINMODE, LINT, TEXTDOMAIN,
}

macro_rules! builtins {
    ($($variant:ident $name:literal $min:literal $max:literal),* $(,)?) => {
        /// A built-in function.
        #[allow(missing_docs)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Builtin { $($variant),* }

        impl Builtin {
            /// The function of that name.
            pub fn named(name: &str) -> Option<Builtin> {
                match name { $($name => Some(Builtin::$variant),)* _ => None }
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name),* }
            }

            /// The least and most arguments.
            pub fn arity(self) -> (usize, usize) {
                match self { $(Builtin::$variant => ($min, $max)),* }
            }
        }
    };
}

builtins! {
    And "and" 2 99,
    Asort "asort" 1 3,
    Asorti "asorti" 1 3,
    Atan2 "atan2" 2 2,
    Bindtextdomain "bindtextdomain" 1 2,
    Close "close" 1 2,
    Compl "compl" 1 1,
    Cos "cos" 1 1,
    Dcgettext "dcgettext" 1 3,
    Dcngettext "dcngettext" 1 5,
    Exp "exp" 1 1,
    Fflush "fflush" 0 1,
    Gensub "gensub" 3 4,
    Gsub "gsub" 2 3,
    Index "index" 2 2,
    Int "int" 1 1,
    Isarray "isarray" 1 1,
    Length "length" 0 1,
    Log "log" 1 1,
    Lshift "lshift" 2 2,
    Match "match" 2 3,
    Mkbool "mkbool" 1 1,
    Mktime "mktime" 1 2,
    Or "or" 2 99,
    Patsplit "patsplit" 2 4,
    Rand "rand" 0 0,
    Rshift "rshift" 2 2,
    Sin "sin" 1 1,
    Split "split" 2 4,
    Sprintf "sprintf" 1 999,
    Sqrt "sqrt" 1 1,
    Srand "srand" 0 1,
    Strftime "strftime" 0 3,
    Strtonum "strtonum" 1 1,
    Sub "sub" 2 3,
    Substr "substr" 2 3,
    System "system" 1 1,
    Systime "systime" 0 0,
    Tolower "tolower" 1 1,
    Toupper "toupper" 1 1,
    Typeof "typeof" 1 2,
    Xor "xor" 2 99,
}
