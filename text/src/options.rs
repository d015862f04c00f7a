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

/// One option. An empty `help` hides it from the help text (old spellings and second names).
#[derive(Debug, Clone, Copy)]
pub struct Opt {
    /// Its letter. `'#'` stands for a number written as an option (`head -5`); see [`Opt::number`].
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

    /// A number written as an option, `-5`: every run of digits among the letters is found as `"#"` with the digits
    /// as its value (`grep -5`, `fold -80`, `nice -10`).
    pub const fn number(help: &'static str) -> Opt {
        Opt { short: Some('#'), long: None, arg: Arg::No, help }
    }

    /// It takes a value.
    pub const fn value(self, name: &'static str) -> Opt {
        Opt { arg: Arg::Required(name), ..self }
    }

    /// It may take an attached value.
    pub const fn optional(self, name: &'static str) -> Opt {
        Opt { arg: Arg::Optional(name), ..self }
    }

    fn id(&self) -> &'static str {
        match (self.long, self.short) {
            (Some(long), _) => long,
            (None, Some(c)) => letter(c),
            (None, None) => "",
        }
    }
}

/// An ASCII character as a static string.
fn letter(c: char) -> &'static str {
    const ASCII: &str = "\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\
        \x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`\
        abcdefghijklmnopqrstuvwxyz{|}~\x7f";
    let at = c as usize;
    ASCII.get(at..at + 1).unwrap_or("")
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

impl Parsed {
    /// Whether the option was given.
    pub fn has(&self, id: &str) -> bool {
        self.options.iter().any(|f| f.id == id)
    }

    /// The value of the last time that the option was given with one.
    pub fn last(&self, id: &str) -> Option<&Bytes> {
        self.options.iter().rev().find(|f| f.id == id).and_then(|f| f.value.as_ref())
    }
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

static HELP: Opt = Opt::long("help", "display this help and exit");
static VERSION: Opt = Opt::long("version", "output version information and exit");

/// The line that follows a usage message: `Try 'NAME --help' for more information.`
pub fn usage_hint(name: &str) -> String {
    format!("Try '{name} --help' for more information.")
}

/// Parses `args` (without the name) as getopt_long does: bundled letters, attached and separate values, abbreviated
/// long options, `--`. `--help` and `--version` come back with these ids.
pub fn parse(spec: &'static Spec, args: &[Bytes], order: Order) -> Result<Parsed, UsageError> {
    let mut parsed = Parsed::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg.len() < 2 || arg[0] != b'-' {
            parsed.operands.push(arg.clone());
            if order == Order::First {
                break;
            }
        } else if &arg[..] == b"--" {
            break;
        } else if arg[1] == b'-' {
            parsed.options.push(long_option(spec, arg, &mut rest)?);
        } else {
            letters(spec, arg, &mut rest, &mut parsed.options)?;
        }
    }
    parsed.operands.extend(rest.cloned());
    Ok(parsed)
}

fn long_option<'a>(
    spec: &'static Spec,
    arg: &Bytes,
    rest: &mut impl Iterator<Item = &'a Bytes>,
) -> Result<Found, UsageError> {
    let text = &arg[2..];
    let equals = memchr::memchr(b'=', text);
    let name = &text[..equals.unwrap_or(text.len())];
    let attached = equals.map(|at| arg.slice(2 + at + 1..));
    let all = || spec.options.iter().chain([&HELP, &VERSION]).filter(|o| o.long.is_some());
    let long = |o: &Opt| o.long.unwrap_or("");
    let found = match all().find(|o| long(o).as_bytes() == name) {
        Some(exact) => exact,
        None => {
            let near: Vec<&Opt> = all().filter(|o| long(o).as_bytes().starts_with(name)).collect();
            let shown = String::from_utf8_lossy(text);
            // An option without a sentence of help is another name of one that has it.
            let shown_ones: Vec<&Opt> = near.iter().copied().filter(|o| !o.help.is_empty()).collect();
            let near = if shown_ones.len() == 1 { shown_ones } else { near };
            match near[..] {
                [] => return Err(UsageError(format!("unrecognized option '--{shown}'"))),
                [one] => one,
                _ => {
                    let mut message = format!("option '--{shown}' is ambiguous; possibilities:");
                    for o in near {
                        message.push_str(&format!(" '--{}'", long(o)));
                    }
                    return Err(UsageError(message));
                }
            }
        }
    };
    let value = match (found.arg, attached) {
        (Arg::No, Some(_)) => {
            return Err(UsageError(format!("option '--{}' doesn't allow an argument", long(found))));
        }
        (Arg::Required(_), None) => match rest.next() {
            Some(next) => Some(next.clone()),
            None => return Err(UsageError(format!("option '--{}' requires an argument", long(found)))),
        },
        (_, attached) => attached,
    };
    Ok(Found { id: found.id(), value })
}

fn letters<'a>(
    spec: &'static Spec,
    arg: &Bytes,
    rest: &mut impl Iterator<Item = &'a Bytes>,
    options: &mut Vec<Found>,
) -> Result<(), UsageError> {
    let mut at = 1;
    while at < arg.len() {
        let c = arg[at];
        at += 1;
        let is = |o: &&Opt| o.short == Some(char::from(c)) && c.is_ascii() && c != b'#';
        let Some(found) = spec.options.iter().find(is) else {
            if c.is_ascii_digit() && spec.options.iter().any(|o| o.short == Some('#')) {
                let end = arg[at..].iter().position(|d| !d.is_ascii_digit()).map_or(arg.len(), |n| at + n);
                options.push(Found { id: "#", value: Some(arg.slice(at - 1..end)) });
                at = end;
                continue;
            }
            let shown = String::from_utf8_lossy(&arg[at - 1..at]).into_owned();
            return Err(UsageError(format!("invalid option -- '{shown}'")));
        };
        let value = match found.arg {
            Arg::No => {
                options.push(Found { id: found.id(), value: None });
                continue;
            }
            Arg::Optional(_) if at == arg.len() => None,
            Arg::Required(_) if at == arg.len() => match rest.next() {
                Some(next) => Some(next.clone()),
                None => {
                    return Err(UsageError(format!("option requires an argument -- '{}'", char::from(c))));
                }
            },
            _ => Some(arg.slice(at..)),
        };
        options.push(Found { id: found.id(), value });
        break;
    }
    Ok(())
}

/// Where the sentences of the help text begin, at most.
const HELP_COLUMN: usize = 29;
/// How wide the help text may be.
const HELP_WIDTH: usize = 80;

impl Spec {
    /// The text of `--help`, laid out as the GNU tools do.
    pub fn help(&self) -> String {
        let mut text = String::new();
        for (i, line) in self.synopsis.iter().enumerate() {
            let word = if i == 0 { "Usage:" } else { "  or: " };
            text.push_str(format!("{word} {} {line}", self.name).trim_end());
            text.push('\n');
        }
        if self.synopsis.is_empty() {
            text.push_str(&format!("Usage: {}\n", self.name));
        }
        text.push_str(self.about);
        text.push_str("\n\n");
        let shown: Vec<(String, &str)> = self
            .options
            .iter()
            .chain([&HELP, &VERSION])
            .filter(|o| !o.help.is_empty())
            .map(|o| (label(o), o.help))
            .collect();
        let widest = shown.iter().map(|(l, _)| l.len() + 2).filter(|n| *n <= HELP_COLUMN).max();
        let column = widest.unwrap_or(HELP_COLUMN);
        for (label, sentence) in &shown {
            let mut line = label.clone();
            if line.len() + 2 > column {
                text.push_str(&line);
                text.push('\n');
                line.clear();
            }
            line.push_str(&" ".repeat(column - line.len()));
            let empty = line.len();
            for (i, paragraph) in sentence.split('\n').enumerate() {
                if i > 0 {
                    text.push_str(&line);
                    text.push('\n');
                    line = " ".repeat(column + 2);
                }
                for word in paragraph.split(' ') {
                    if line.len() > empty && line.len() + 1 + word.len() > HELP_WIDTH {
                        text.push_str(&line);
                        text.push('\n');
                        line = " ".repeat(column + 2);
                    } else if !line.ends_with(' ') {
                        line.push(' ');
                    }
                    line.push_str(word);
                }
            }
            text.push_str(&line);
            text.push('\n');
        }
        if !self.notes.is_empty() {
            text.push('\n');
            text.push_str(self.notes.trim_end());
            text.push('\n');
        }
        text
    }

    /// The text of `--version`.
    pub fn version_text(&self) -> String {
        format!("{}\n", self.version)
    }
}

fn label(o: &Opt) -> String {
    let mut s = match (o.short, o.long) {
        (Some('#'), _) => "  -NUM".to_owned(),
        (Some(c), Some(long)) => format!("  -{c}, --{long}"),
        (Some(c), None) => format!("  -{c}"),
        (None, long) => format!("      --{}", long.unwrap_or("")),
    };
    match (o.arg, o.long) {
        (Arg::No, _) => {}
        (Arg::Required(v), Some(_)) => s.push_str(&format!("={v}")),
        (Arg::Required(v), None) => s.push_str(&format!(" {v}")),
        (Arg::Optional(v), Some(_)) => s.push_str(&format!("[={v}]")),
        (Arg::Optional(v), None) => s.push_str(&format!("[{v}]")),
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    static SPEC: Spec = Spec {
        name: "thing",
        about: "Do a thing.",
        synopsis: &["[OPTION]... [FILE]...", "--list"],
        options: &[
            Opt::new('n', "lines", "how many lines").value("NUM"),
            Opt::new('i', "in-place", "edit files").optional("SUFFIX"),
            Opt::long("line-buffered", "flush"),
            Opt::short('q', "be quiet"),
            Opt::number("same as -n NUM"),
        ],
        notes: "A note.",
        version: "thing 1",
        examples: &[],
    };

    fn run(args: &[&'static str], order: Order) -> Result<String, String> {
        let args: Vec<Bytes> = args.iter().map(|s| Bytes::from_static(s.as_bytes())).collect();
        let p = parse(&SPEC, &args, order).map_err(|e| e.0)?;
        let mut out = String::new();
        for f in &p.options {
            out += f.id;
            if let Some(v) = &f.value {
                out += &format!("={}", String::from_utf8_lossy(v));
            }
            out += " ";
        }
        out += "|";
        for o in &p.operands {
            out += &format!(" {}", String::from_utf8_lossy(o));
        }
        Ok(out)
    }

    #[test]
    fn letters_bundle_and_take_values() {
        assert_eq!(
            run(&["-qn5", "a", "-i", "-ibak", "-"], Order::Permute).unwrap(),
            "q lines=5 in-place in-place=bak | a -"
        );
        assert_eq!(
            run(&["-n", "5", "-q12i", "--", "-q"], Order::Permute).unwrap(),
            "lines=5 q #=12 in-place | -q"
        );
        assert_eq!(run(&["-q", "a", "-q"], Order::First).unwrap(), "q | a -q");
    }

    #[test]
    fn long_options_abbreviate() {
        assert_eq!(
            run(&["--lines", "3", "--in=x", "--line-", "--he"], Order::Permute).unwrap(),
            "lines=3 in-place=x line-buffered help |"
        );
    }

    #[test]
    fn messages_are_those_of_getopt() {
        let e = |a: &[&'static str]| run(a, Order::Permute).unwrap_err();
        assert_eq!(e(&["--li"]), "option '--li' is ambiguous; possibilities: '--lines' '--line-buffered'");
        assert_eq!(e(&["--foo=3"]), "unrecognized option '--foo=3'");
        assert_eq!(e(&["--line-b=3"]), "option '--line-buffered' doesn't allow an argument");
        assert_eq!(e(&["--lines"]), "option '--lines' requires an argument");
        assert_eq!(e(&["-z"]), "invalid option -- 'z'");
        assert_eq!(e(&["-qn"]), "option requires an argument -- 'n'");
    }

    #[test]
    fn help_is_laid_out() {
        let h = SPEC.help();
        assert!(
            h.starts_with(
                "Usage: thing [OPTION]... [FILE]...\n  or:  thing --list\nDo a thing.\n\n  -n, --lines=NUM"
            ),
            "{h}"
        );
        assert!(h.contains("      --help"), "{h}");
    }
}
