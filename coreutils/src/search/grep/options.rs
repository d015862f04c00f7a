//! The options of grep, and the pattern they make.

use super::print::{Colors, Style};
use crate::cli::quote;
use crate::search::pattern::Name;
use sandshell_kernel::{Bytes, Error, Process, Result};
use sandshell_text::{
    options::{Opt, Parsed, Spec},
    regex::{Flags, Regex, RegexError, Syntax},
};

/// The options of the three names.
pub const OPTIONS: &[Opt] = &[
    Opt::new('E', "extended-regexp", "PATTERNS are extended regular expressions"),
    Opt::new('F', "fixed-strings", "PATTERNS are strings"),
    Opt::new('G', "basic-regexp", "PATTERNS are basic regular expressions"),
    Opt::new('P', "perl-regexp", "PATTERNS are Perl regular expressions"),
    Opt::new('e', "regexp", "use PATTERNS for matching").value("PATTERNS"),
    Opt::new('f', "file", "take PATTERNS from FILE").value("FILE"),
    Opt::new('i', "ignore-case", "ignore case distinctions in patterns and data"),
    Opt::short('y', ""),
    Opt::long("no-ignore-case", "do not ignore case distinctions (default)"),
    Opt::new('w', "word-regexp", "match only whole words"),
    Opt::new('x', "line-regexp", "match only whole lines"),
    Opt::new('z', "null-data", "a data line ends in 0 byte, not newline"),
    Opt::new('s', "no-messages", "suppress error messages"),
    Opt::new('v', "invert-match", "select non-matching lines"),
    Opt::short('V', ""),
    Opt::new('m', "max-count", "stop after NUM selected lines").value("NUM"),
    Opt::new('b', "byte-offset", "print the byte offset with output lines"),
    Opt::new('n', "line-number", "print line number with output lines"),
    Opt::long("line-buffered", "flush output on every line"),
    Opt::new('H', "with-filename", "print file name with output lines"),
    Opt::new('h', "no-filename", "suppress the file name prefix on output"),
    Opt::long("label", "use LABEL as the standard input file name prefix").value("LABEL"),
    Opt::new('o', "only-matching", "show only nonempty parts of lines that match"),
    Opt::new('q', "quiet", "suppress all normal output"),
    Opt::long("silent", ""),
    Opt::long(
        "binary-files",
        "assume that binary files are TYPE; TYPE is 'binary', 'text', or 'without-match'",
    )
    .value("TYPE"),
    Opt::new('a', "text", "equivalent to --binary-files=text"),
    Opt::short('I', "equivalent to --binary-files=without-match"),
    Opt::new('d', "directories", "how to handle directories; ACTION is 'read', 'recurse', or 'skip'")
        .value("ACTION"),
    Opt::new('D', "devices", "how to handle devices, FIFOs and sockets; ACTION is 'read' or 'skip'")
        .value("ACTION"),
    Opt::new('r', "recursive", "like --directories=recurse"),
    Opt::new('R', "dereference-recursive", "likewise, but follow all symlinks"),
    Opt::long("include", "search only files that match GLOB (a file pattern)").value("GLOB"),
    Opt::long("exclude", "skip files that match GLOB").value("GLOB"),
    Opt::long("exclude-from", "skip files that match any file pattern from FILE").value("FILE"),
    Opt::long("exclude-dir", "skip directories that match GLOB").value("GLOB"),
    Opt::new('L', "files-without-match", "print only names of FILEs with no selected lines"),
    Opt::new('l', "files-with-matches", "print only names of FILEs with selected lines"),
    Opt::new('c', "count", "print only a count of selected lines per FILE"),
    Opt::new('T', "initial-tab", "make tabs line up (if needed)"),
    Opt::new('Z', "null", "print 0 byte after FILE name"),
    Opt::new('B', "before-context", "print NUM lines of leading context").value("NUM"),
    Opt::new('A', "after-context", "print NUM lines of trailing context").value("NUM"),
    Opt::new('C', "context", "print NUM lines of output context").value("NUM"),
    Opt::number("same as --context=NUM"),
    Opt::long("group-separator", "print SEP on line between matches with context").value("SEP"),
    Opt::long("no-group-separator", "do not print separator for matches with context"),
    Opt::long("color", "use markers to highlight the matching strings; WHEN is 'always', 'never', or 'auto'")
        .optional("WHEN"),
    Opt::long("colour", "").optional("WHEN"),
    Opt::new('U', "binary", "do not strip CR characters at EOL (MSDOS/Windows)"),
    Opt::new('u', "unix-byte-offsets", ""),
    Opt::short('X', "").value("MATCHER"),
];

/// What the help text says after the options.
pub const NOTES: &str = "\
When FILE is '-', read standard input.  With no FILE, read '.' if
recursive, '-' otherwise.  With fewer than two FILEs, assume -h.
Exit status is 0 if any line is selected, 1 otherwise;
if any error occurs and -q is not given, the exit status is 2.
";

/// What is printed of each file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Its lines.
    Lines,
    /// `-c`
    Count,
    /// `-l`
    FilesWith,
    /// `-L`
    FilesWithout,
    /// `-q`
    Quiet,
}

/// What is done with files that are not text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// Say that they match.
    Report,
    /// Search them as text.
    Text,
    /// They do not match.
    Skip,
}

/// What is done with directories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directories {
    /// Read them (which fails).
    Read,
    /// Search what is in them.
    Recurse,
    /// Leave them out.
    Skip,
}

/// A glob of `--include` or `--exclude`.
pub struct Rule {
    /// Whether it includes.
    pub include: bool,
    /// The pattern.
    pub glob: Name,
}

/// All that the command line says.
pub struct Config {
    /// The pattern; `None` matches nothing.
    pub regex: Option<Regex>,
    /// The pattern may backtrack: look at the budget more often.
    pub slow: bool,
    /// `-v`
    pub invert: bool,
    /// What is printed.
    pub mode: Mode,
    /// How lines are printed.
    pub style: Style,
    /// `-H` or `-h`
    pub with_name: Option<bool>,
    /// `-m`
    pub max: Option<u64>,
    /// `-B`
    pub before: Option<usize>,
    /// `-A`
    pub after: Option<usize>,
    /// `-s`
    pub silent: bool,
    /// What is done with binary files.
    pub binary: Binary,
    /// `-d`, `-r`
    pub directories: Directories,
    /// `-R`
    pub follow: bool,
    /// `-D skip`
    pub skip_devices: bool,
    /// `-D` was given.
    pub devices_given: bool,
    /// `--include` and `--exclude`
    pub files: Vec<Rule>,
    /// `--exclude-dir`
    pub exclude_dirs: Vec<Name>,
    /// `--label`
    pub label: Option<Bytes>,
    /// `--line-buffered`
    pub line_buffered: bool,
    /// The operands.
    pub operands: Vec<Bytes>,
}

/// Why grep does not start.
pub enum Trouble {
    /// The two lines of usage, after a message if there is one.
    Usage(Option<String>),
    /// A message and a status.
    Message(String, u8),
    /// `--help`, `-V`.
    Print(String),
}

impl From<RegexError> for Trouble {
    fn from(e: RegexError) -> Trouble {
        Trouble::Message(e.0, 2)
    }
}

fn context(text: &[u8]) -> Result<usize, Trouble> {
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    match digits {
        true => Ok(std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).unwrap_or(usize::MAX / 2)),
        false => Err(Trouble::Message(
            format!("{}: invalid context length argument", String::from_utf8_lossy(text)),
            2,
        )),
    }
}

/// Reads the options.
pub fn configure(
    process: &mut Process,
    spec: &'static Spec,
    parsed: &Parsed,
    preset: Option<Syntax>,
) -> Result<Result<Config, Trouble>> {
    let mut syntax = preset;
    let mut patterns: Option<Vec<u8>> = None;
    let (mut icase, mut word, mut whole) = (false, false, false);
    let (mut quiet, mut list, mut count) = (false, None, false);
    let (mut around, mut digits) = (None, String::new());
    let mut colored = false;
    let mut c = Config {
        regex: None,
        slow: false,
        invert: false,
        mode: Mode::Lines,
        style: Style {
            number: false,
            offset: false,
            tab: false,
            null_name: false,
            only_matching: false,
            invert: false,
            separator: Some(Bytes::from_static(b"--")),
            eol: b'\n',
            text_only: true,
            colors: None,
        },
        with_name: None,
        max: None,
        before: None,
        after: None,
        silent: false,
        binary: Binary::Report,
        directories: Directories::Read,
        follow: false,
        skip_devices: false,
        devices_given: false,
        files: Vec::new(),
        exclude_dirs: Vec::new(),
        label: None,
        line_buffered: false,
        operands: parsed.operands.clone(),
    };
    macro_rules! stop {
        ($trouble:expr) => {
            return Ok(Err($trouble))
        };
    }
    macro_rules! ok {
        ($e:expr) => {
            match $e {
                Ok(v) => v,
                Err(t) => stop!(t),
            }
        };
    }
    let mut add = |text: &[u8]| match &mut patterns {
        None => patterns = Some(text.to_vec()),
        Some(all) => {
            all.push(b'\n');
            all.extend_from_slice(text);
        }
    };
    for found in &parsed.options {
        let value = found.value.clone().unwrap_or_default();
        let mut matcher = None;
        match found.id {
            "extended-regexp" => matcher = Some(Syntax::GrepEre),
            "fixed-strings" => matcher = Some(Syntax::Fixed),
            "basic-regexp" => matcher = Some(Syntax::GrepBre),
            "perl-regexp" => matcher = Some(Syntax::Perl),
            "X" => {
                matcher = match &value[..] {
                    b"grep" => Some(Syntax::GrepBre),
                    b"egrep" => Some(Syntax::GrepEre),
                    b"fgrep" => Some(Syntax::Fixed),
                    b"perl" => Some(Syntax::Perl),
                    other => {
                        stop!(Trouble::Message(
                            format!("invalid matcher {}", String::from_utf8_lossy(other)),
                            2
                        ))
                    }
                }
            }
            "regexp" => add(&value),
            "file" => {
                let text = match process.open_input(&value) {
                    Ok(mut input) => input.read_all()?,
                    Err(Error::Os(e)) => {
                        stop!(Trouble::Message(format!("{}: {e}", String::from_utf8_lossy(&value)), 2))
                    }
                    Err(stop) => return Err(stop),
                };
                if !text.is_empty() {
                    add(text.strip_suffix(b"\n").unwrap_or(&text));
                }
            }
            "ignore-case" | "y" => icase = true,
            "no-ignore-case" => icase = false,
            "word-regexp" => word = true,
            "line-regexp" => whole = true,
            "null-data" => c.style.eol = 0,
            "no-messages" => c.silent = true,
            "invert-match" => c.invert = true,
            "V" => stop!(Trouble::Print(format!("{}\n", spec.version))),
            "max-count" => {
                let text = String::from_utf8_lossy(&value).into_owned();
                match text.parse::<i64>() {
                    Ok(n) => c.max = u64::try_from(n).ok(),
                    Err(_) => stop!(Trouble::Message("invalid max count".into(), 2)),
                }
            }
            "byte-offset" => c.style.offset = true,
            "line-number" => c.style.number = true,
            "line-buffered" => c.line_buffered = true,
            "with-filename" => c.with_name = Some(true),
            "no-filename" => c.with_name = Some(false),
            "label" => c.label = Some(value),
            "only-matching" => c.style.only_matching = true,
            "quiet" | "silent" => quiet = true,
            "binary-files" => match &value[..] {
                b"binary" => c.binary = Binary::Report,
                b"text" => c.binary = Binary::Text,
                b"without-match" => c.binary = Binary::Skip,
                _ => stop!(Trouble::Message("unknown binary-files type".into(), 2)),
            },
            "text" => c.binary = Binary::Text,
            "I" => c.binary = Binary::Skip,
            "directories" => {
                c.directories = match &value[..] {
                    b"read" => Directories::Read,
                    b"recurse" => Directories::Recurse,
                    b"skip" => Directories::Skip,
                    _ => {
                        let text = format!(
                            "invalid argument {} for {}\nValid arguments are:\n  - ‘read’\n  - ‘recurse’\n  - ‘skip’",
                            quote(&value),
                            quote(b"--directories")
                        );
                        stop!(Trouble::Usage(Some(text)))
                    }
                }
            }
            "devices" => {
                c.skip_devices = match &value[..] {
                    b"read" => false,
                    b"skip" => true,
                    _ => stop!(Trouble::Message("unknown devices method".into(), 2)),
                };
                c.devices_given = true;
            }
            "recursive" => c.directories = Directories::Recurse,
            "dereference-recursive" => {
                c.directories = Directories::Recurse;
                c.follow = true;
            }
            "include" => c.files.push(Rule { include: true, glob: Name::new(&value, false) }),
            "exclude" => c.files.push(Rule { include: false, glob: Name::new(&value, false) }),
            "exclude-from" => match process.open_input(&value) {
                Ok(mut input) => {
                    while let Some(line) = input.line(b'\n')? {
                        if !line.bytes.is_empty() {
                            c.files.push(Rule { include: false, glob: Name::new(line.bytes, false) });
                        }
                    }
                }
                Err(Error::Os(e)) => {
                    stop!(Trouble::Message(format!("{}: {e}", String::from_utf8_lossy(&value)), 2))
                }
                Err(stop) => return Err(stop),
            },
            "exclude-dir" => {
                let end = value.iter().rposition(|&b| b != b'/').map_or(value.len().min(1), |i| i + 1);
                c.exclude_dirs.push(Name::new(&value[..end], false));
            }
            "files-without-match" => list = Some(Mode::FilesWithout),
            "files-with-matches" => list = Some(Mode::FilesWith),
            "count" => count = true,
            "initial-tab" => c.style.tab = true,
            "null" => c.style.null_name = true,
            "before-context" => c.before = Some(ok!(context(&value))),
            "after-context" => c.after = Some(ok!(context(&value))),
            "context" => around = Some(ok!(context(&value))),
            "#" => digits.push_str(&String::from_utf8_lossy(&value)),
            "group-separator" => c.style.separator = Some(value),
            "no-group-separator" => c.style.separator = None,
            "color" | "colour" => {
                colored = match &value[..] {
                    b"always" | b"yes" | b"force" => true,
                    b"" | b"auto" | b"never" | b"no" | b"none" | b"tty" | b"if-tty" => false,
                    _ => stop!(Trouble::Print(spec.help())),
                }
            }
            "unix-byte-offsets" => {
                process.error(format_args!("warning: --unix-byte-offsets (-u) is obsolete"))?;
            }
            _ => {}
        }
        if let Some(m) = matcher {
            if syntax.is_some_and(|s| s != m) {
                stop!(Trouble::Message("conflicting matchers specified".into(), 2));
            }
            syntax = Some(m);
        }
    }
    if !digits.is_empty() {
        around = Some(ok!(context(digits.as_bytes())));
    }
    c.before = c.before.or(around);
    c.after = c.after.or(around);
    c.mode = match (quiet, list, count) {
        (true, ..) => Mode::Quiet,
        (_, Some(list), _) => list,
        (_, _, true) => Mode::Count,
        _ => Mode::Lines,
    };
    c.style.invert = c.invert;
    c.style.text_only = c.binary != Binary::Text;
    if colored {
        c.style.colors = Some(Colors::new(process.env.get("GREP_COLORS").map(|v| &v[..])));
    }
    let from_file = parsed.has("file");
    let patterns = match patterns {
        Some(p) => Some(p),
        None if from_file => None,
        None if c.operands.is_empty() => stop!(Trouble::Usage(None)),
        None => Some(c.operands.remove(0).to_vec()),
    };
    let syntax = syntax.unwrap_or(Syntax::GrepBre);
    if let Some(patterns) = patterns {
        if syntax == Syntax::Perl && patterns.contains(&b'\n') {
            stop!(Trouble::Message("the -P option only supports a single pattern".into(), 2));
        }
        let flags = Flags { word, line: whole, terminator: c.style.eol, ..Flags::lines() }.icase(icase);
        let mut all: Vec<&[u8]> = patterns.split(|&b| b == b'\n').collect();
        if all.len() > 1 {
            all.sort_unstable();
            all.dedup();
        }
        let regex = match Regex::any_of(&all, syntax, flags) {
            // The C library has another word for a bracket that ends at once.
            Err(_) if syntax != Syntax::Perl && all.iter().any(|p| p.ends_with(b"[")) => {
                stop!(Trouble::Message("Invalid regular expression".into(), 2))
            }
            other => ok!(other.map_err(Trouble::from)),
        };
        for w in regex.warnings() {
            process.error(format_args!("warning: {w}"))?;
        }
        let refers = |p: &[u8]| p.windows(2).any(|w| w[0] == b'\\' && w[1].is_ascii_digit());
        c.slow = syntax == Syntax::Perl || syntax != Syntax::Fixed && refers(&patterns);
        c.regex = Some(regex);
    }
    Ok(Ok(c))
}
