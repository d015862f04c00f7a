//! The compiled form of a sed script: instructions whose branches are indices and whose patterns are compiled.

use sandshell_kernel::Bytes;
use sandshell_text::regex::Regex;

/// A whole script.
#[derive(Debug, Default)]
pub struct Script {
    /// The instructions, in order.
    pub commands: Vec<Command>,
    /// The patterns that addresses and `s` refer to.
    pub regexes: Vec<Regex>,
    /// The same for buffers of many lines, where they mean the same there.
    pub line_patterns: Vec<Option<Regex>>,
    /// Files that `w` and `s///w` write, made when the script is read.
    pub outputs: Vec<Bytes>,
    /// The script begins with `#n`.
    pub silent: bool,
}

/// An instruction with its address.
#[derive(Debug)]
pub struct Command {
    /// Where it applies; everywhere when there is none.
    pub address: Option<Address>,
    /// `!`
    pub negated: bool,
    /// What it does.
    pub action: Action,
}

/// One address or two.
#[derive(Debug)]
pub struct Address {
    /// Where it applies, or begins to.
    pub first: First,
    /// Where it ends.
    pub last: Option<Last>,
}

/// The first address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// Before the first line: `0,/re/`.
    Zero,
    /// A line.
    Line(u64),
    /// `first~step`
    Step(u64, u64),
    /// `$`
    End,
    /// A match; `None` is the last pattern used.
    Regex(Option<usize>),
}

/// The second address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// A line.
    Line(u64),
    /// `+N`
    Count(u64),
    /// `~N`
    Multiple(u64),
    /// `$`
    End,
    /// A match.
    Regex(Option<usize>),
}

/// What an instruction does.
#[derive(Debug)]
pub enum Action {
    /// `{`: where to go on when it does not apply.
    Block(usize),
    /// `}`, `:`, `#`, `v`
    Nothing,
    /// `=`
    Number,
    /// `a`
    Append(Vec<u8>),
    /// `i`
    Insert(Vec<u8>),
    /// `c`
    Change(Vec<u8>),
    /// `b`
    Branch(usize),
    /// `t`
    BranchIf(usize),
    /// `T`
    BranchUnless(usize),
    /// `d`
    Delete,
    /// `D`
    DeleteFirst,
    /// `e`: the command, or the pattern space when it is empty.
    Execute(Vec<u8>),
    /// `F`
    FileName,
    /// `g`
    Get,
    /// `G`
    GetAppend,
    /// `h`
    Hold,
    /// `H`
    HoldAppend,
    /// `l`, with its width if given.
    List(Option<usize>),
    /// `n`
    Next,
    /// `N`
    NextAppend,
    /// `p`
    Print,
    /// `P`
    PrintFirst,
    /// `q`
    Quit(u8),
    /// `Q`
    QuitSilently(u8),
    /// `r`
    Read(Bytes),
    /// `R`
    ReadLine(Bytes),
    /// `s`
    Substitute(Box<Substitute>),
    /// `w`
    Write(usize),
    /// `W`
    WriteFirst(usize),
    /// `x`
    Exchange,
    /// `y`
    Translate(Box<Translate>),
    /// `z`
    Zap,
}

/// `s/regex/replacement/flags`
#[derive(Debug)]
pub struct Substitute {
    /// The pattern; `None` is the last one used.
    pub regex: Option<usize>,
    /// The replacement.
    pub parts: Vec<Part>,
    /// Whether the replacement needs groups.
    pub groups: bool,
    /// Whether it changes case.
    pub cases: bool,
    /// `g`
    pub global: bool,
    /// `p`, and how often.
    pub print: u32,
    /// `e`
    pub execute: bool,
    /// The number: which match is the first to be replaced.
    pub from: u64,
    /// `w`
    pub write: Option<usize>,
}

/// A part of a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(Vec<u8>),
    /// `\N`; `&` is group 0.
    Group(usize),
    /// `\U` and the others.
    Case(Case),
}

/// How the case of what follows is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// `\U`
    Upper,
    /// `\L`
    Lower,
    /// `\u`: the next character only.
    UpperNext,
    /// `\l`
    LowerNext,
    /// `\E`
    End,
}

/// `y`
#[derive(Debug)]
pub enum Translate {
    /// All characters are bytes.
    Bytes(Box<[u8; 256]>),
    /// Pairs of characters.
    Characters(Vec<(Vec<u8>, Vec<u8>)>),
}
