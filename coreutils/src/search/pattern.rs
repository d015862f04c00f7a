//! The one place where the searching programs meet the pattern engines of `text`: shell patterns for names, and
//! regular expressions that must match a whole path.

use sandshell_text::{
    glob::{Glob, GlobFlags},
    regex::{Flags, Regex, Syntax},
};

/// A shell pattern as fnmatch(3) reads it for `-name` and `--include`: `*` takes slashes and leading dots too.
pub struct Name(Glob);

impl Name {
    /// Compiles `pattern`.
    pub fn new(pattern: &[u8], ignore_case: bool) -> Name {
        Name(Glob::new(pattern, GlobFlags { nocase: ignore_case, ..GlobFlags::default() }))
    }

    /// Whether it matches the whole of `text`.
    pub fn matches(&self, text: &[u8]) -> bool {
        self.0.matches(text)
    }
}

/// The names that `-regextype` takes, in the order of its message.
pub const PATH_SYNTAXES: [(&str, Syntax); 13] = [
    ("findutils-default", Syntax::Emacs),
    ("ed", Syntax::Bre),
    ("emacs", Syntax::Emacs),
    ("gnu-awk", Syntax::Awk),
    ("grep", Syntax::GrepBre),
    ("posix-awk", Syntax::PosixAwk),
    ("awk", Syntax::PosixAwk),
    ("posix-basic", Syntax::Bre),
    ("posix-egrep", Syntax::GrepEre),
    ("egrep", Syntax::GrepEre),
    ("posix-extended", Syntax::Ere),
    ("posix-minimal-basic", Syntax::MinimalBre),
    ("sed", Syntax::Bre),
];

/// The dialect of a name of `-regextype`.
pub fn path_syntax(name: &[u8]) -> Option<Syntax> {
    PATH_SYNTAXES.iter().find(|(n, _)| n.as_bytes() == name).map(|(_, s)| *s)
}

/// A regular expression that must match a whole path.
pub struct PathRegex(Regex);

impl PathRegex {
    /// Compiles `pattern`; the error is the message of the C library.
    pub fn new(pattern: &[u8], syntax: Syntax, ignore_case: bool) -> Result<PathRegex, String> {
        let flags = Flags { icase: ignore_case, line: true, dot_all: true, ..Flags::default() };
        Regex::new(pattern, syntax, flags).map(PathRegex).map_err(|e| match pattern.ends_with(b"[") {
            true => "Invalid regular expression".to_owned(),
            false => e.to_string(),
        })
    }

    /// Whether it matches the whole of `path`.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.0.is_match(path)
    }
}

/// A regular expression that looks at single lines (diff's `-I` and `-F`).
#[derive(Debug)]
pub struct LineRegex(Regex);

impl LineRegex {
    /// Compiles `pattern`, of which several joined by newlines are alternatives.
    pub fn new(pattern: &[u8]) -> Result<LineRegex, String> {
        Regex::new(pattern, Syntax::GrepBre, Flags::default()).map(LineRegex).map_err(|e| e.to_string())
    }

    /// Whether it matches somewhere in `line`.
    pub fn matches(&self, line: &[u8]) -> bool {
        self.0.is_match(line)
    }
}
