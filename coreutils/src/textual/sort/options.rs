//! The options of sort and what they come to.

use crate::cli;
use sandshell_kernel::{Bytes, Process, Result, Status};
use sandshell_text::options::{Example, Opt, Parsed, Spec};

pub static SPEC: Spec = Spec {
    name: "sort",
    about: "Write sorted concatenation of all FILE(s) to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"],
    options: &[
        Opt::new('b', "ignore-leading-blanks", "ignore leading blanks"),
        Opt::new('d', "dictionary-order", "consider only blanks and alphanumeric characters"),
        Opt::new('f', "ignore-case", "fold lower case to upper case characters"),
        Opt::new('g', "general-numeric-sort", "compare according to general numerical value"),
        Opt::new('i', "ignore-nonprinting", "consider only printable characters"),
        Opt::new('M', "month-sort", "compare (unknown) < 'JAN' < ... < 'DEC'"),
        Opt::new('h', "human-numeric-sort", "compare human readable numbers (e.g., 2K 1G)"),
        Opt::new('n', "numeric-sort", "compare according to string numerical value"),
        Opt::new('R', "random-sort", "shuffle, but group identical keys.  See shuf(1)"),
        Opt::long("random-source", "get random bytes from FILE").value("FILE"),
        Opt::new('r', "reverse", "reverse the result of comparisons"),
        Opt::long("sort", "sort according to WORD: general-numeric -g, human-numeric -h, month -M, numeric -n, random -R, version -V").value("WORD"),
        Opt::new('V', "version-sort", "natural sort of (version) numbers within text"),
        Opt::long("batch-size", "merge at most NMERGE inputs at once; for more use temp files").value("NMERGE"),
        Opt::short('c', "check for sorted input; do not sort"),
        Opt::long("check", "like -c; with quiet or silent like -C").optional("diagnose-first"),
        Opt::short('C', "like -c, but do not report first bad line"),
        Opt::long("compress-program", "compress temporaries with PROG; decompress them with PROG -d").value("PROG"),
        Opt::long("debug", "annotate the part of the line used to sort, and warn about questionable usage to stderr"),
        Opt::long("files0-from", "read input from the files specified by NUL-terminated names in file F; If F is - then read names from standard input").value("F"),
        Opt::new('k', "key", "sort via a key; KEYDEF gives location and type").value("KEYDEF"),
        Opt::new('m', "merge", "merge already sorted files; do not sort"),
        Opt::new('o', "output", "write result to FILE instead of standard output").value("FILE"),
        Opt::new('s', "stable", "stabilize sort by disabling last-resort comparison"),
        Opt::new('S', "buffer-size", "use SIZE for main memory buffer").value("SIZE"),
        Opt::new('t', "field-separator", "use SEP instead of non-blank to blank transition").value("SEP"),
        Opt::new('T', "temporary-directory", "use DIR for temporaries, not $TMPDIR or /tmp; multiple options specify multiple directories").value("DIR"),
        Opt::long("parallel", "change the number of sorts run concurrently to N").value("N"),
        Opt::new('u', "unique", "with -c, check for strict ordering; without -c, output only the first of an equal run"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a\nfield number and C a character position in the field; both are origin 1, and\nthe stop position defaults to the line's end.  If neither -t nor -b is in\neffect, characters in a field are counted from the beginning of the preceding\nwhitespace.  OPTS is one or more single-letter ordering options [bdfgiMhnRrV],\nwhich override global ordering options for that key.  If no key is given, use\nthe entire line as the key.",
    version: "sort (GNU coreutils) 9.1",
    examples: &[Example { script: "printf '10\\n9\\n' | sort -n", output: "9\n10\n" }],
};

/// How two keys are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// Byte by byte.
    #[default]
    Text,
    /// `-n`
    Numeric,
    /// `-g`
    General,
    /// `-h`
    Human,
    /// `-M`
    Month,
    /// `-V`
    Version,
    /// `-R`
    Random,
}

/// Ordering options: global, or a key's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ordering {
    pub kind: Kind,
    pub skip_start: bool,
    pub skip_end: bool,
    pub dictionary: bool,
    pub fold: bool,
    pub printing: bool,
    pub reverse: bool,
}

impl Ordering {
    fn is_default(&self) -> bool {
        *self == Ordering::default()
    }

    /// Applies one letter; false for one that is none. Two different kinds clash.
    fn letter(&mut self, b: u8, blank: Blank, clash: &mut Option<(Kind, Kind)>) -> bool {
        let mut kind = |o: &mut Ordering, k: Kind| {
            if o.kind != Kind::Text && o.kind != k {
                *clash = Some((o.kind, k));
            }
            o.kind = k;
        };
        match b {
            b'b' => {
                self.skip_start |= blank != Blank::End;
                self.skip_end |= blank != Blank::Start;
            }
            b'd' => self.dictionary = true,
            b'f' => self.fold = true,
            b'g' => kind(self, Kind::General),
            b'h' => kind(self, Kind::Human),
            b'i' => self.printing = true,
            b'M' => kind(self, Kind::Month),
            b'n' => kind(self, Kind::Numeric),
            b'R' => kind(self, Kind::Random),
            b'r' => self.reverse = true,
            b'V' => kind(self, Kind::Version),
            _ => return false,
        }
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    Both,
    Start,
    End,
}

/// One `-k`. Positions count from 0; `end_field` of `usize::MAX` is the end of the line.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub start_field: usize,
    pub start_char: usize,
    pub end_field: usize,
    /// 0 = to the end of the field.
    pub end_char: usize,
    pub order: Ordering,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Sort,
    Merge,
    Check,
    CheckQuietly,
}

/// What the options come to.
pub struct Settings {
    pub keys: Vec<Key>,
    pub global: Ordering,
    pub separator: Option<u8>,
    pub unique: bool,
    pub stable: bool,
    pub line_end: u8,
    pub mode: Mode,
    pub output: Option<Bytes>,
    pub files0_from: Option<Bytes>,
    pub seed: u64,
}

impl Settings {
    /// The whole line, byte by byte.
    pub fn plain(&self) -> bool {
        self.keys.is_empty()
    }
}

/// `+1 -2`: the obsolete keys, still read where they cannot be files.
pub fn obsolete(process: &mut Process) {
    let mut i = 1;
    while i < process.args.len() {
        let arg = process.args[i].clone();
        if arg == "--" {
            return;
        }
        if arg.len() > 1 && arg[0] == b'+' && arg[1].is_ascii_digit() {
            let (field, chars, opts) = position(&arg[1..]);
            let mut key = format!("-k{}.{}{}", field + 1, chars + 1, String::from_utf8_lossy(&opts));
            let next = process.args.get(i + 1).cloned().unwrap_or_default();
            let end = next.len() > 1 && next[0] == b'-' && next[1].is_ascii_digit();
            if end {
                let (field, chars, opts) = position(&next[1..]);
                let opts = String::from_utf8_lossy(&opts).into_owned();
                if chars == 0 {
                    key.push_str(&format!(",{field}{opts}"));
                } else {
                    key.push_str(&format!(",{}.{chars}{opts}", field + 1));
                }
            }
            process.args.splice(i..i + 1 + usize::from(end), [Bytes::from(key)]);
        }
        i += 1;
    }
}

fn position(text: &[u8]) -> (usize, usize, Vec<u8>) {
    let (field, rest) = digits(text);
    let (chars, rest) = match rest.strip_prefix(b".") {
        Some(r) => digits(r),
        None => (0, rest),
    };
    (field, chars, rest.to_vec())
}

fn digits(text: &[u8]) -> (usize, &[u8]) {
    let n = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let value =
        text[..n].iter().fold(0usize, |v, b| v.saturating_mul(10).saturating_add(usize::from(b - b'0')));
    (value, &text[n..])
}

/// Turns the options into settings, or prints why not.
pub fn settings(process: &mut Process, parsed: &Parsed) -> Result<std::result::Result<Settings, Status>> {
    let mut s = Settings {
        keys: vec![],
        global: Ordering::default(),
        separator: None,
        unique: false,
        stable: false,
        line_end: b'\n',
        mode: Mode::Sort,
        output: None,
        files0_from: None,
        seed: fastrand::u64(..),
    };
    let (mut clash, mut merge) = (None, false);
    macro_rules! fail {
        ($($t:tt)*) => {{
            process.error(format_args!($($t)*))?;
            return Ok(Err(Status::USAGE));
        }};
    }
    for f in &parsed.options {
        let value = f.value.clone().unwrap_or_default();
        match f.id {
            "ignore-leading-blanks" => _ = s.global.letter(b'b', Blank::Both, &mut clash),
            "dictionary-order" => _ = s.global.letter(b'd', Blank::Both, &mut clash),
            "ignore-case" => _ = s.global.letter(b'f', Blank::Both, &mut clash),
            "general-numeric-sort" => _ = s.global.letter(b'g', Blank::Both, &mut clash),
            "ignore-nonprinting" => _ = s.global.letter(b'i', Blank::Both, &mut clash),
            "month-sort" => _ = s.global.letter(b'M', Blank::Both, &mut clash),
            "human-numeric-sort" => _ = s.global.letter(b'h', Blank::Both, &mut clash),
            "numeric-sort" => _ = s.global.letter(b'n', Blank::Both, &mut clash),
            "random-sort" => _ = s.global.letter(b'R', Blank::Both, &mut clash),
            "reverse" => s.global.reverse = true,
            "version-sort" => _ = s.global.letter(b'V', Blank::Both, &mut clash),
            "sort" => {
                let words: [(&str, u8); 6] = [
                    ("general-numeric", b'g'),
                    ("human-numeric", b'h'),
                    ("month", b'M'),
                    ("numeric", b'n'),
                    ("random", b'R'),
                    ("version", b'V'),
                ];
                let word = String::from_utf8_lossy(&value).into_owned();
                match words.iter().find(|(w, _)| !word.is_empty() && w.starts_with(&word)) {
                    Some((_, b)) => _ = s.global.letter(*b, Blank::Both, &mut clash),
                    None => {
                        process
                            .error(format_args!("invalid argument {} for ‘--sort’", cli::quote(&value)))?;
                        process.write_error("Valid arguments are:\n  - ‘general-numeric’\n  - ‘human-numeric’\n  - ‘month’\n  - ‘numeric’\n  - ‘random’\n  - ‘version’\n".as_bytes())?;
                        return Ok(Err(cli::try_help(process, 1)?));
                    }
                }
            }
            "random-source" => match process.files.read(&value) {
                Ok(b) => s.seed = keys_seed(&b),
                Err(e) => {
                    process.complain(format_args!("open failed: {}", cli::shell_quote(&value, false)), e)?;
                    return Ok(Err(Status::USAGE));
                }
            },
            "debug" => fail!("--debug is not available here"),
            "batch-size" | "buffer-size" | "parallel" if !value.first().is_some_and(u8::is_ascii_digit) => {
                let option = if f.id == "buffer-size" { "-S".into() } else { format!("--{}", f.id) };
                fail!("invalid {option} argument '{}'", String::from_utf8_lossy(&value));
            }
            "check" => {
                s.mode = match &value[..] {
                    b"" | b"diagnose-first" => Mode::Check,
                    b"quiet" | b"silent" => Mode::CheckQuietly,
                    _ => {
                        process
                            .error(format_args!("invalid argument {} for ‘--check’", cli::quote(&value)))?;
                        process.write_error(
                            "Valid arguments are:\n  - ‘quiet’, ‘silent’\n  - ‘diagnose-first’\n".as_bytes(),
                        )?;
                        return Ok(Err(cli::try_help(process, 1)?));
                    }
                }
            }
            "c" => s.mode = Mode::Check,
            "C" => s.mode = Mode::CheckQuietly,
            "files0-from" => s.files0_from = Some(value),
            "key" => match key(&value, &mut clash) {
                Ok(k) => s.keys.push(k),
                Err(text) => fail!("{text}"),
            },
            "output" => {
                if s.output.as_ref().is_some_and(|o| *o != value) {
                    fail!("multiple output files specified");
                }
                s.output = Some(value);
            }
            "stable" => s.stable = true,
            "field-separator" => {
                s.separator = match &value[..] {
                    [] => fail!("empty tab"),
                    [b] => Some(*b),
                    b"\\0" => Some(0),
                    _ => fail!("multi-character tab {}", cli::quote(&value)),
                }
            }
            "unique" => s.unique = true,
            "zero-terminated" => s.line_end = 0,
            "merge" => merge = true,
            // Temporary files, their compression and threads are ways of working, not results.
            _ => {}
        }
    }
    if merge && s.mode == Mode::Sort {
        s.mode = Mode::Merge;
    }
    let mut keys = std::mem::take(&mut s.keys);
    for k in &mut keys {
        if k.order.is_default() {
            k.order = s.global;
        }
    }
    if keys.is_empty() && s.global != (Ordering { reverse: s.global.reverse, ..Ordering::default() }) {
        keys.push(Key { start_field: 0, start_char: 0, end_field: usize::MAX, end_char: 0, order: s.global });
    }
    s.keys = keys;
    for k in &s.keys {
        if k.order.kind != Kind::Text
            && k.order.kind != Kind::Random
            && k.order.kind != Kind::Version
            && (k.order.dictionary || k.order.printing)
        {
            let first = if k.order.dictionary { "d" } else { "i" };
            fail!("options '-{first}{}' are incompatible", letter_of(k.order.kind));
        }
    }
    if let Some((a, b)) = clash {
        let mut both = [letter_of(a), letter_of(b)];
        both.sort_unstable();
        fail!("options '-{}{}' are incompatible", both[0], both[1]);
    }
    Ok(Ok(s))
}

fn keys_seed(bytes: &[u8]) -> u64 {
    bytes.iter().take(64).fold(0xcbf29ce484222325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100000001b3))
}

fn letter_of(kind: Kind) -> char {
    match kind {
        Kind::Text => ' ',
        Kind::Numeric => 'n',
        Kind::General => 'g',
        Kind::Human => 'h',
        Kind::Month => 'M',
        Kind::Version => 'V',
        Kind::Random => 'R',
    }
}

fn key(text: &[u8], clash: &mut Option<(Kind, Kind)>) -> std::result::Result<Key, String> {
    let full = || cli::quote(text);
    let mut k =
        Key { start_field: 0, start_char: 0, end_field: usize::MAX, end_char: 0, order: Ordering::default() };
    if !text.first().is_some_and(u8::is_ascii_digit) {
        return Err(format!("{}: invalid count at start of {}", "invalid number at field start", full()));
    }
    let (field, mut rest) = digits(text);
    if field == 0 {
        return Err(format!("-: invalid field specification {}", full()).replacen(
            "-: ",
            "field number is zero: ",
            1,
        ));
    }
    k.start_field = field - 1;
    if let Some(r) = rest.strip_prefix(b".") {
        if !r.first().is_some_and(u8::is_ascii_digit) {
            return Err(format!("invalid number after '.': invalid count at start of {}", cli::quote(r)));
        }
        let (chars, r) = digits(r);
        if chars == 0 {
            return Err(format!("character offset is zero: invalid field specification {}", full()));
        }
        k.start_char = chars - 1;
        rest = r;
    }
    while let Some(&b) = rest.first() {
        if !k.order.letter(b, Blank::Start, clash) {
            break;
        }
        rest = &rest[1..];
    }
    if let Some(r) = rest.strip_prefix(b",") {
        if !r.first().is_some_and(u8::is_ascii_digit) {
            return Err(format!("invalid number after ',': invalid count at start of {}", cli::quote(r)));
        }
        let (field, mut r) = digits(r);
        if field == 0 {
            return Err(format!("field number is zero: invalid field specification {}", full()));
        }
        k.end_field = field - 1;
        if let Some(rr) = r.strip_prefix(b".") {
            if !rr.first().is_some_and(u8::is_ascii_digit) {
                return Err(format!(
                    "invalid number after '.': invalid count at start of {}",
                    cli::quote(rr)
                ));
            }
            let (chars, rr) = digits(rr);
            k.end_char = chars;
            r = rr;
        }
        while let Some(&b) = r.first() {
            if !k.order.letter(b, Blank::End, clash) {
                break;
            }
            r = &r[1..];
        }
        rest = r;
    }
    if !rest.is_empty() {
        return Err(format!("stray character in field spec: invalid field specification {}", full()));
    }
    Ok(k)
}
