//! Options of programs: declared once in a [`Spec`], parsed as GNU getopt_long does, shown by `--help`.

use bytes::Bytes;

/// What a program says of itself. Everything that speaks of its options comes from here.
#[derive(Debug)]
pub struct Spec {
    /// The name it is called by.
    pub name: &'static str,
    /// One sentence, e.g. `Concatenate FILE(s) to standard output.`
    pub about: &'static str,
    /// The lines after `Usage: NAME`, e.g. `[OPTION]... [FILE]...`.
    pub synopsis: &'static [&'static str],
    /// Its options, in the order of the help text. `--help` and `--version` are added.
    pub options: &'static [Opt],
    /// Further paragraphs of the help text.
    pub notes: &'static str,
    /// The first line of `--version`, e.g. `cat (GNU coreutils) 9.1`.
    pub version: &'static str,
    /// Scripts and what they print; shown by `help NAME` and run by a test.
    pub examples: &'static [Example],
}

/// A script of one command or a small pipeline, and its standard output.
#[derive(Debug)]
pub struct Example {
    /// The script.
    pub script: &'static str,
    /// What it prints.
    pub output: &'static str,
}

/// One option.
#[derive(Debug, Clone, Copy)]
pub struct Opt {
    /// Its letter.
    pub short: Option<char>,
    /// Its long name, without dashes.
    pub long: Option<&'static str>,
    /// Whether it takes a value.
    pub arg: Arg,
    /// The sentence of the help text.
    pub help: &'static str,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arg {
    /// It does not.
    No,
    /// It must; the name is what the help text shows.
    Required(&'static str),
    /// `--color[=WHEN]`, `-i[SUFFIX]`: only attached.
    Optional(&'static str),
}

impl Opt {
    /// An option with a letter and a long name.
    pub const fn new(short: char, long: &'static str, help: &'static str) -> Opt {
        Opt { short: Some(short), long: Some(long), arg: Arg::No, help }
    }

    /// An option with a letter only.
    pub const fn short(short: char, help: &'static str) -> Opt {
        Opt { short: Some(short), long: None, arg: Arg::No, help }
    }

    /// An option with a long name only.
    pub const fn long(long: &'static str, help: &'static str) -> Opt {
        Opt { short: None, long: Some(long), arg: Arg::No, help }
    }

    /// It takes a value.
    pub const fn value(self, name: &'static str) -> Opt {
        Opt { arg: Arg::Required(name), ..self }
    }

    /// It may take an attached value.
    pub const fn optional(self, name: &'static str) -> Opt {
        Opt { arg: Arg::Optional(name), ..self }
    }
}

/// Where options may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Among the operands too, as most GNU tools allow.
    Permute,
    /// Only before the first operand (`env`, `xargs`, `timeout`, `nice`).
    First,
}

/// The options found, in order, and the operands.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Each option met.
    pub options: Vec<Found>,
    /// What is left.
    pub operands: Vec<Bytes>,
}

/// One option met on the command line.
#[derive(Debug, Clone)]
pub struct Found {
    /// The long name, or the letter where there is none: unique in a [`Spec`], to be matched on.
    pub id: &'static str,
    /// Its value.
    pub value: Option<Bytes>,
}

/// Wrong use: the message that getopt_long prints, without the name of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError(pub String);

/// Parses `args` (without the name) as getopt_long does: bundled letters, attached and separate values, abbreviated
/// long options, `--`. `--help` and `--version` come back with these ids.
pub fn parse(spec: &'static Spec, args: &[Bytes], order: Order) -> Result<Parsed, UsageError> {
    let _ = (spec, args, order);
    todo!()
}

impl Spec {
    /// The text of `--help`.
    pub fn help(&self) -> String {
        todo!()
    }
}
