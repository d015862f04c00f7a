//! The options of rg, declared once, and what they mean together.

use super::{
    ignore::{Overrides, Rules, Sources, Types},
    pattern::{self, Pattern},
    types::TYPES,
};
use sandshell_kernel::{Bytes, Error, Process, Result};
use sandshell_text::options::{Opt, Parsed};
use std::collections::BTreeMap;

macro_rules! flags {
    ($($short:literal $long:literal $arg:tt $help:literal)*) => {
        &[$(flags!(@one $short $long $arg $help)),*]
    };
    (@one '-' $long:literal - $help:literal) => { Opt::long($long, $help) };
    (@one '-' $long:literal $arg:literal $help:literal) => { Opt::long($long, $help).value($arg) };
    (@one $short:literal $long:literal - $help:literal) => { Opt::new($short, $long, $help) };
    (@one $short:literal $long:literal $arg:literal $help:literal) => { Opt::new($short, $long, $help).value($arg) };
}

/// All options.
pub const OPTIONS: &[Opt] = flags! {
    'A' "after-context" "NUM" "Show NUM lines after each match."
    'B' "before-context" "NUM" "Show NUM lines before each match."
    'C' "context" "NUM" "Show NUM lines before and after each match."
    'b' "byte-offset" - "Print the 0-based byte offset for each matching line."
    's' "case-sensitive" - "Search case sensitively (default)."
    '-' "color" "WHEN" "Controls when to use color."
    '-' "column" - "Show column numbers."
    '-' "no-column" - ""
    '-' "context-separator" "SEPARATOR" "Set the context separator string."
    '-' "no-context-separator" - ""
    'c' "count" - "Only show the count of matching lines for each file."
    '-' "count-matches" - "Only show the count of individual matches for each file."
    '-' "crlf" - "Support CRLF line terminators (useful on Windows)."
    '-' "no-crlf" - ""
    '-' "dfa-size-limit" "NUM+SUFFIX?" "The upper size limit of the regex DFA."
    'E' "encoding" "ENCODING" "Specify the text encoding of files to search."
    '-' "no-encoding" - ""
    '-' "engine" "ENGINE" "Specify which regexp engine to use."
    '-' "field-context-separator" "SEPARATOR" "Set the field context separator."
    '-' "field-match-separator" "SEPARATOR" "Set the match separator."
    'f' "file" "PATTERNFILE" "Search for patterns from the given file."
    '-' "files" - "Print each file that would be searched."
    'l' "files-with-matches" - "Print the paths with at least one match."
    '-' "files-without-match" - "Print the paths that contain zero matches."
    'F' "fixed-strings" - "Treat the pattern as a literal string."
    '-' "no-fixed-strings" - ""
    'L' "follow" - "Follow symbolic links."
    '-' "no-follow" - ""
    'g' "glob" "GLOB" "Include or exclude files."
    '-' "glob-case-insensitive" - "Process all glob patterns case insensitively."
    '-' "no-glob-case-insensitive" - ""
    '-' "heading" - "Print matches grouped by each file."
    '-' "no-heading" - "Don't group matches by each file."
    '.' "hidden" - "Search hidden files and directories."
    '-' "no-hidden" - ""
    '-' "iglob" "GLOB" "Include or exclude files case insensitively."
    'i' "ignore-case" - "Case insensitive search."
    '-' "ignore-file" "PATH" "Specify additional ignore files."
    '-' "ignore-file-case-insensitive" - "Process ignore files case insensitively."
    '-' "no-ignore-file-case-insensitive" - ""
    '-' "include-zero" - "Include files with zero matches in summary."
    'v' "invert-match" - "Invert matching."
    '-' "json" - "Show search results in a JSON Lines format."
    '-' "no-json" - ""
    '-' "line-buffered" - "Force line buffering."
    '-' "no-line-buffered" - ""
    '-' "block-buffered" - "Force block buffering."
    '-' "no-block-buffered" - ""
    'n' "line-number" - "Show line numbers."
    'N' "no-line-number" - "Suppress line numbers."
    'x' "line-regexp" - "Only show matches surrounded by line boundaries."
    'M' "max-columns" "NUM" "Don't print lines longer than this limit."
    '-' "max-columns-preview" - "Print a preview for lines exceeding the limit."
    '-' "no-max-columns-preview" - ""
    'm' "max-count" "NUM" "Limit the number of matches."
    '-' "max-depth" "NUM" "Descend at most NUM directories."
    '-' "maxdepth" "NUM" ""
    '-' "max-filesize" "NUM+SUFFIX?" "Ignore files larger than NUM in size."
    '-' "mmap" - "Search using memory maps when possible."
    '-' "no-mmap" - ""
    'U' "multiline" - "Enable matching across multiple lines."
    '-' "no-multiline" - ""
    '-' "multiline-dotall" - "Make '.' match new lines when multiline is enabled."
    '-' "no-multiline-dotall" - ""
    '-' "no-config" - "Never read configuration files."
    '-' "no-ignore" - "Don't respect ignore files."
    '-' "ignore" - ""
    '-' "no-ignore-dot" - "Don't respect .ignore files."
    '-' "ignore-dot" - ""
    '-' "no-ignore-exclude" - "Don't respect local exclusion files."
    '-' "ignore-exclude" - ""
    '-' "no-ignore-files" - "Don't respect --ignore-file arguments."
    '-' "ignore-files" - ""
    '-' "no-ignore-global" - "Don't respect global ignore files."
    '-' "ignore-global" - ""
    '-' "no-ignore-messages" - "Suppress gitignore parse error messages."
    '-' "ignore-messages" - ""
    '-' "no-ignore-parent" - "Don't respect ignore files in parent directories."
    '-' "ignore-parent" - ""
    '-' "no-ignore-vcs" - "Don't respect VCS ignore files."
    '-' "ignore-vcs" - ""
    '-' "no-messages" - "Suppress some error messages."
    '-' "messages" - ""
    '-' "no-pcre2-unicode" - ""
    '-' "no-require-git" - "Do not require a git repository to use gitignores."
    '-' "require-git" - ""
    '-' "no-unicode" - "Disable Unicode mode."
    '-' "unicode" - ""
    '0' "null" - "Print a NUL byte after file paths."
    '-' "null-data" - "Use NUL as a line terminator instead of \\n."
    '-' "one-file-system" - "Do not descend into directories on other file systems."
    '-' "no-one-file-system" - ""
    'o' "only-matching" - "Print only matched parts of a line."
    '-' "passthru" - "Print both matching and non-matching lines."
    '-' "passthrough" - ""
    '-' "path-separator" "SEPARATOR" "Set the path separator."
    'P' "pcre2" - "Enable PCRE2 matching."
    '-' "no-pcre2" - ""
    'p' "pretty" - "Alias for --color always --heading --line-number."
    'q' "quiet" - "Do not print anything to stdout."
    '-' "regex-size-limit" "NUM+SUFFIX?" "The upper size limit of the compiled regex."
    'e' "regexp" "PATTERN" "A pattern to search for."
    'r' "replace" "REPLACEMENT_TEXT" "Replace matches with the given text."
    'S' "smart-case" - "Smart case search."
    '-' "sort" "SORTBY" "Sort results in ascending order."
    '-' "sortr" "SORTBY" "Sort results in descending order."
    '-' "sort-files" - ""
    '-' "stats" - "Print statistics about this ripgrep search."
    '-' "no-stats" - ""
    'a' "text" - "Search binary files as if they were text."
    '-' "no-text" - ""
    '-' "binary" - "Search binary files."
    '-' "no-binary" - ""
    'j' "threads" "NUM" "The approximate number of threads to use."
    '-' "trim" - "Trim prefixed whitespace from matches."
    '-' "no-trim" - ""
    't' "type" "TYPE" "Only search files matching TYPE."
    '-' "type-add" "TYPE_SPEC" "Add a new glob for a file type."
    '-' "type-clear" "TYPE" "Clear globs for a file type."
    '-' "type-list" - "Show all supported file types."
    'T' "type-not" "TYPE" "Do not search files matching TYPE."
    'u' "unrestricted" - "Reduce the level of \"smart\" searching."
    '-' "vimgrep" - "Show results in vim compatible format."
    'H' "with-filename" - "Print the file path with the matched lines."
    'I' "no-filename" - "Never print the file path with the matched lines."
    'w' "word-regexp" - "Only show matches surrounded by word boundaries."
    'V' "Version" - ""
    'h' "short-help" - ""
};

/// What is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Lines.
    Lines,
    /// `-c`
    Count,
    /// `--count-matches`
    CountMatches,
    /// `-l`
    FilesWith,
    /// `--files-without-match`
    FilesWithout,
    /// `--json`
    Json,
    /// `--files`
    Files,
    /// `--type-list`
    TypeList,
}

/// Order of the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// By path.
    Path,
    /// By a time.
    Modified,
    /// By a time.
    Accessed,
    /// By a time.
    Created,
}

/// All that the command line says.
pub struct Config {
    /// What is printed.
    pub mode: Mode,
    /// The pattern; `None`: there is none, nothing matches.
    pub pattern: Option<Pattern>,
    /// What to search; empty: decide by standard input.
    pub paths: Vec<Bytes>,
    /// `-q`
    pub quiet: bool,
    /// `-v`
    pub invert: bool,
    /// `-U`
    pub multiline: bool,
    /// `-m`
    pub max: Option<u64>,
    /// `-B`
    pub before: usize,
    /// `-A`
    pub after: usize,
    /// `--passthru`
    pub passthru: bool,
    /// `-n`
    pub numbers: bool,
    /// `--column`
    pub column: bool,
    /// `-b`
    pub offset: bool,
    /// `-H` or `-I`
    pub with_name: Option<bool>,
    /// `--heading`
    pub heading: bool,
    /// `-o`
    pub only_matching: bool,
    /// `--vimgrep`
    pub per_match: bool,
    /// `-r`
    pub replace: Option<Vec<u8>>,
    /// `--trim`
    pub trim: bool,
    /// `-0`
    pub null: bool,
    /// `--color=always`
    pub color: bool,
    /// `-M`
    pub max_columns: Option<usize>,
    /// `--max-columns-preview`
    pub preview: bool,
    /// `--context-separator`
    pub separator: Option<Vec<u8>>,
    /// `--field-match-separator`
    pub field: Vec<u8>,
    /// `--field-context-separator`
    pub field_context: Vec<u8>,
    /// `--stats`
    pub stats: bool,
    /// `-a`
    pub as_text: bool,
    /// `--binary`
    pub binary: bool,
    /// `--include-zero`
    pub include_zero: bool,
    /// `--crlf`
    pub crlf: bool,
    /// The line terminator.
    pub eol: u8,
    /// `-L`
    pub follow: bool,
    /// `--one-file-system`
    pub one_device: bool,
    /// `--max-depth`
    pub max_depth: Option<usize>,
    /// `--max-filesize`
    pub max_size: Option<u64>,
    /// Which ignore rules count.
    pub sources: Sources,
    /// `-g`
    pub overrides: Overrides,
    /// `-t`, `-T`
    pub types: Types,
    /// `--ignore-file`
    pub ignore_files: Vec<Rules>,
    /// `--sort`
    pub sort: Sort,
    /// `--sort` or `--sortr` was given.
    pub sorts: bool,
    /// `--sortr`
    pub descending: bool,
    /// `--no-messages`
    pub silent: bool,
    /// `--line-buffered`
    pub line_buffered: bool,
    /// All types, for `--type-list`.
    pub all_types: BTreeMap<String, Vec<String>>,
}

/// A number of the command line, with clap's words for another text.
fn number(id: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let why = if text.is_empty() {
            "cannot parse integer from empty string"
        } else {
            "invalid digit found in string"
        };
        format!("error: Invalid value for '--{id} <NUM>': {why}\n")
    })
}

fn size(text: &str) -> Result<u64, String> {
    let bad = || {
        format!(
            "invalid format for size '{text}', which should be a sequence of digits followed by an optional 'K', 'M' or 'G' suffix"
        )
    };
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1u64),
    };
    digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit)).ok_or_else(bad)
}

/// A separator with its escapes (`\t`, `\x7F`).
fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let b = text.as_bytes();
    let mut i = 0;
    while i < b.len() {
        match (b[i], b.get(i + 1)) {
            (b'\\', Some(b'n')) => out.push(b'\n'),
            (b'\\', Some(b'r')) => out.push(b'\r'),
            (b'\\', Some(b't')) => out.push(b'\t'),
            (b'\\', Some(b'0')) => out.push(0),
            (b'\\', Some(b'\\')) => out.push(b'\\'),
            (b'\\', Some(b'x')) => {
                match text.get(i + 2..i + 4).and_then(|h| u8::from_str_radix(h, 16).ok()) {
                    Some(n) => {
                        out.push(n);
                        i += 2;
                    }
                    None => out.extend_from_slice(b"\\x"),
                }
            }
            (c, _) => {
                out.push(c);
                i += 1;
                continue;
            }
        }
        i += 2;
    }
    out
}

/// Reads the options. `Err` is a message.
pub fn configure(process: &mut Process, parsed: &Parsed) -> Result<Result<Config, String>> {
    let mut p = pattern::Options::default();
    let mut patterns: Option<Vec<String>> = None;
    let mut sources = Sources {
        dot: true,
        vcs: true,
        exclude: true,
        parents: true,
        require_git: true,
        hidden: true,
        fold: false,
        own: Some(".rgignore"),
    };
    let mut all_types: BTreeMap<String, Vec<String>> =
        TYPES.iter().map(|(n, g)| (n.to_string(), g.iter().map(|g| g.to_string()).collect())).collect();
    let (mut type_choices, mut globs) = (Vec::<(String, bool)>::new(), Vec::<(String, bool)>::new());
    let (mut fold_globs, mut unrestricted, mut use_files) = (false, 0, true);
    let mut ignore_files = Vec::new();
    let mut engine_perl = false;
    let (mut count, mut count_matches) = (false, false);
    let cwd = process.files.cwd().clone();
    let mut c = Config {
        mode: Mode::Lines,
        pattern: None,
        paths: parsed.operands.clone(),
        quiet: false,
        invert: false,
        multiline: false,
        max: None,
        before: 0,
        after: 0,
        passthru: false,
        numbers: false,
        column: false,
        offset: false,
        with_name: None,
        heading: false,
        only_matching: false,
        per_match: false,
        replace: None,
        trim: false,
        null: false,
        color: false,
        max_columns: None,
        preview: false,
        separator: Some(b"--".to_vec()),
        field: b":".to_vec(),
        field_context: b"-".to_vec(),
        stats: false,
        as_text: false,
        binary: false,
        include_zero: false,
        crlf: false,
        eol: b'\n',
        follow: false,
        one_device: false,
        max_depth: None,
        max_size: None,
        sources,
        overrides: Overrides::new(&[], &cwd).map_err(|_| sandshell_kernel::Errno::EINVAL)?,
        types: Types::default(),
        ignore_files: Vec::new(),
        sort: Sort::Path,
        sorts: false,
        descending: false,
        silent: false,
        line_buffered: false,
        all_types: BTreeMap::new(),
    };
    macro_rules! ok {
        ($e:expr) => {
            match $e {
                Ok(v) => v,
                Err(text) => return Ok(Err(text)),
            }
        };
    }
    for found in &parsed.options {
        let raw = found.value.clone().unwrap_or_default();
        let value = String::from_utf8_lossy(&raw).into_owned();
        let id = found.id;
        match id {
            "after-context" => c.after = ok!(number("after-context", &value)) as usize,
            "before-context" => c.before = ok!(number("before-context", &value)) as usize,
            "context" => {
                let n = ok!(number("context", &value)) as usize;
                (c.before, c.after) = (n, n);
            }
            "byte-offset" => c.offset = true,
            "case-sensitive" => (p.ignore_case, p.smart_case) = (false, false),
            "ignore-case" => (p.ignore_case, p.smart_case) = (true, false),
            "smart-case" => (p.ignore_case, p.smart_case) = (false, true),
            "color" => {
                c.color = match &value[..] {
                    "always" | "ansi" => true,
                    "never" | "auto" => false,
                    _ => {
                        return Ok(Err(format!(
                            "error: '{value}' isn't a valid value for '--color <WHEN>'\n\t[possible values: always, ansi, auto, never]\n{}",
                            super::USAGE
                        )));
                    }
                }
            }
            "column" => {
                c.column = true;
                c.numbers = true;
            }
            "no-column" => c.column = false,
            "context-separator" => c.separator = Some(unescape(&value)),
            "no-context-separator" => c.separator = None,
            "count" => count = true,
            "count-matches" => count_matches = true,
            "crlf" => c.crlf = true,
            "no-crlf" => c.crlf = false,
            "dfa-size-limit" | "regex-size-limit" => drop(ok!(size(&value))),
            "encoding" => match &value.to_ascii_lowercase()[..] {
                "auto" | "none" | "utf-8" | "utf8" => {}
                _ => {
                    return Ok(Err(format!(
                        "error parsing -E/--encoding: encoding '{value}' is not supported"
                    )));
                }
            },
            "engine" => match &value[..] {
                "default" | "auto" => engine_perl = false,
                "pcre2" => engine_perl = true,
                _ => return Ok(Err(format!("unrecognized regex engine '{value}'"))),
            },
            "field-context-separator" => c.field_context = unescape(&value),
            "field-match-separator" => c.field = unescape(&value),
            "file" => {
                let text = match process.open_input(&raw) {
                    Ok(mut input) => input.read_all()?,
                    Err(Error::Os(e)) => return Ok(Err(format!("{value}: {e} (os error {})", e as i32))),
                    Err(stop) => return Err(stop),
                };
                let all = patterns.get_or_insert_default();
                let text = text.strip_suffix(b"\n").map(|t| t.to_vec()).unwrap_or(text.to_vec());
                if !text.is_empty() {
                    let lines = text.split(|&b| b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l));
                    all.extend(lines.map(|l| String::from_utf8_lossy(l).into_owned()));
                }
            }
            "regexp" => patterns.get_or_insert_default().push(value),
            "files" => c.mode = Mode::Files,
            "files-with-matches" => c.mode = Mode::FilesWith,
            "files-without-match" => c.mode = Mode::FilesWithout,
            "fixed-strings" => p.fixed = true,
            "no-fixed-strings" => p.fixed = false,
            "follow" => c.follow = true,
            "no-follow" => c.follow = false,
            "glob" => globs.push((value, false)),
            "iglob" => globs.push((value, true)),
            "glob-case-insensitive" => fold_globs = true,
            "no-glob-case-insensitive" => fold_globs = false,
            "heading" => c.heading = true,
            "no-heading" => c.heading = false,
            "hidden" => sources.hidden = false,
            "no-hidden" => sources.hidden = true,
            "ignore-file" => match process.files.read(&raw) {
                Ok(text) => ignore_files.push(text),
                Err(Error::Os(e)) => {
                    process.write_error(format!("{value}: {e} (os error {})\n", e as i32).as_bytes())?;
                }
                Err(stop) => return Err(stop),
            },
            "ignore-file-case-insensitive" => sources.fold = true,
            "no-ignore-file-case-insensitive" => sources.fold = false,
            "include-zero" => c.include_zero = true,
            "invert-match" => c.invert = true,
            "json" => c.mode = Mode::Json,
            "line-buffered" => c.line_buffered = true,
            "line-number" => c.numbers = true,
            "no-line-number" => c.numbers = false,
            "line-regexp" => (p.line, p.word) = (true, false),
            "word-regexp" => (p.word, p.line) = (true, false),
            "max-columns" => {
                c.max_columns = Some(ok!(number("max-columns", &value)) as usize).filter(|n| *n > 0)
            }
            "max-columns-preview" => c.preview = true,
            "no-max-columns-preview" => c.preview = false,
            "max-count" => c.max = Some(ok!(number("max-count", &value))),
            "max-depth" | "maxdepth" => c.max_depth = Some(ok!(number("max-depth", &value)) as usize),
            "max-filesize" => c.max_size = Some(ok!(size(&value))),
            "multiline" => c.multiline = true,
            "no-multiline" => c.multiline = false,
            "multiline-dotall" => p.dot_all = true,
            "no-multiline-dotall" => p.dot_all = false,
            "no-ignore" => {
                (sources.dot, sources.vcs, sources.exclude, sources.parents, use_files) =
                    (false, false, false, false, false)
            }
            "ignore" => {
                (sources.dot, sources.vcs, sources.exclude, sources.parents, use_files) =
                    (true, true, true, true, true)
            }
            "no-ignore-dot" => sources.dot = false,
            "ignore-dot" => sources.dot = true,
            "no-ignore-exclude" => sources.exclude = false,
            "ignore-exclude" => sources.exclude = true,
            "no-ignore-files" => use_files = false,
            "ignore-files" => use_files = true,
            "no-ignore-parent" => sources.parents = false,
            "ignore-parent" => sources.parents = true,
            "no-ignore-vcs" => (sources.vcs, sources.exclude) = (false, false),
            "ignore-vcs" => (sources.vcs, sources.exclude) = (true, true),
            "no-messages" => c.silent = true,
            "messages" => c.silent = false,
            "no-require-git" => sources.require_git = false,
            "require-git" => sources.require_git = true,
            "no-unicode" | "no-pcre2-unicode" => p.ascii = true,
            "unicode" => p.ascii = false,
            "null" => c.null = true,
            "null-data" => {
                c.eol = 0;
                p.null_data = true;
            }
            "one-file-system" => c.one_device = true,
            "no-one-file-system" => c.one_device = false,
            "only-matching" => c.only_matching = true,
            "passthru" | "passthrough" => c.passthru = true,
            "path-separator" if value != "/" => {
                return Ok(Err("a path separator other than / is not supported".into()));
            }
            "pcre2" => engine_perl = true,
            "no-pcre2" => engine_perl = false,
            "pretty" => {
                let terminal = process.env.get("TERM").is_some_and(|t| t != "dumb")
                    && process.env.get("NO_COLOR").is_none();
                c.color |= terminal;
                (c.heading, c.numbers) = (true, true);
            }
            "quiet" => c.quiet = true,
            "replace" => c.replace = Some(raw.to_vec()),
            "sort" | "sortr" => {
                c.descending = id == "sortr";
                c.sorts = value != "none";
                c.sort = match &value[..] {
                    "path" => Sort::Path,
                    "modified" => Sort::Modified,
                    "accessed" => Sort::Accessed,
                    "created" => Sort::Created,
                    "none" => {
                        c.descending = false;
                        Sort::Path
                    }
                    _ => {
                        return Ok(Err(format!(
                            "error: '{value}' isn't a valid value for '--{id} <SORTBY>'\n\t[possible values: accessed, created, modified, none, path]\n{}",
                            super::USAGE
                        )));
                    }
                };
            }
            "stats" => c.stats = true,
            "no-stats" => c.stats = false,
            "text" => c.as_text = true,
            "no-text" => c.as_text = false,
            "binary" => c.binary = true,
            "no-binary" => c.binary = false,
            "threads" => drop(ok!(number("threads", &value))),
            "trim" => c.trim = true,
            "no-trim" => c.trim = false,
            "type" => type_choices.push((value, true)),
            "type-not" => type_choices.push((value, false)),
            "type-add" => {
                let Some((name, glob)) =
                    value.split_once(':').filter(|(n, g)| !n.is_empty() && !g.is_empty())
                else {
                    return Ok(Err("invalid definition (format is type:glob, e.g., html:*.html)".into()));
                };
                match glob.strip_prefix("include:") {
                    None => all_types.entry(name.to_owned()).or_default().push(glob.to_owned()),
                    Some(others) => {
                        for other in others.split(',') {
                            let Some(globs) = all_types.get(other).cloned() else {
                                return Ok(Err(format!("unrecognized file type: {other}")));
                            };
                            all_types.entry(name.to_owned()).or_default().extend(globs);
                        }
                    }
                }
            }
            "type-clear" => drop(all_types.remove(&value)),
            "type-list" => c.mode = Mode::TypeList,
            "unrestricted" => unrestricted += 1,
            "vimgrep" => (c.per_match, c.numbers, c.column) = (true, true, true),
            "with-filename" => c.with_name = Some(true),
            "no-filename" => c.with_name = Some(false),
            _ => {}
        }
    }
    if c.per_match {
        c.with_name = c.with_name.or(Some(true));
    }
    if unrestricted >= 1 {
        (sources.dot, sources.vcs, sources.exclude, sources.parents, use_files) =
            (false, false, false, false, false);
    }
    if unrestricted >= 2 {
        sources.hidden = false;
    }
    c.binary |= unrestricted >= 3;
    if !sources.dot {
        sources.own = None;
    }
    c.sources = sources;
    if c.mode == Mode::Lines {
        c.mode = match (count, count_matches) {
            (_, true) => Mode::CountMatches,
            (true, _) if c.only_matching && !c.invert => Mode::CountMatches,
            (true, _) => Mode::Count,
            _ => Mode::Lines,
        };
    }
    if c.mode == Mode::CountMatches && c.invert {
        c.mode = Mode::Count;
    }
    if fold_globs {
        globs.iter_mut().for_each(|g| g.1 = true);
    }
    c.overrides = ok!(Overrides::new(&globs, &cwd));
    for (name, keep) in type_choices {
        if name == "all" {
            all_types.values().for_each(|g| c.types.add(g, keep));
            continue;
        }
        let Some(globs) = all_types.get(&name) else {
            return Ok(Err(format!("unrecognized file type: {name}")));
        };
        c.types.add(globs, keep);
    }
    if use_files {
        c.ignore_files = ignore_files.iter().filter_map(|t| Rules::parse(t, &cwd, sources.fold)).collect();
    }
    c.all_types = all_types;
    if matches!(c.mode, Mode::Files | Mode::TypeList) {
        return Ok(Ok(c));
    }
    let patterns = match patterns {
        Some(all) => all,
        None if c.paths.is_empty() => return Ok(Err(super::missing_pattern())),
        None => vec![String::from_utf8_lossy(&c.paths.remove(0)).into_owned()],
    };
    p.multiline = c.multiline;
    p.crlf = c.crlf;
    p.perl = engine_perl;
    if !patterns.is_empty() {
        let patterns: Vec<String> = match p.fixed {
            true => patterns.iter().flat_map(|t| t.split('\n')).map(str::to_owned).collect(),
            false => patterns,
        };
        c.pattern = Some(ok!(Pattern::new(&patterns, p)));
    }
    Ok(Ok(c))
}
