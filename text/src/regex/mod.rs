//! Regular expressions over bytes: the BRE and ERE dialects of the tools, and Perl's. We parse them ourselves and give
//! them to the cheapest engine that can do them: a substring search, a set of strings, automata, or (with
//! back-references and look-around) a backtracker with a limit. POSIX's leftmost-longest rule holds.
//!
//! Text that is not ASCII is matched by characters, other text by bytes; invalid UTF-8 is matched by nothing but itself.

mod ast;
mod automata;
mod cache;
mod lines;
mod lower;
mod parse;
mod perl;
#[cfg(test)]
mod tests;

use crate::posix_class::next_char;
use aho_corasick::{AhoCorasick, MatchKind};
use ast::Node;
use automata::{Automata, Variant};
use memchr::memmem;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use lines::{LineFinder, LineSearch};

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// POSIX basic with GNU operators (`expr`, `nl`, `csplit`, `find -regextype posix-basic`).
    Bre,
    /// POSIX extended with GNU operators (`[[ =~ ]]`, `find -regextype posix-extended`).
    Ere,
    /// `grep`: no error for doubled repetitions; a newline separates patterns.
    GrepBre,
    /// `grep -E`: a `{` that begins no interval is text; a leading `*` is left out with a warning.
    GrepEre,
    /// `sed`: knows `\n`, `\t`, `\x41`, `\o101`, `\d65`, `\cA`.
    SedBre,
    /// `sed -E`.
    SedEre,
    /// gawk: its escapes, also in brackets; `\y` for a word's edge; no back-references.
    Awk,
    /// awk without GNU operators (`find -regextype posix-awk`).
    PosixAwk,
    /// `find`'s default: `+` and `?` bare, `\|` and `\(`, no intervals.
    Emacs,
    /// Basic without `\+`, `\?` and `\|`.
    MinimalBre,
    /// The pattern is plain text.
    Fixed,
    /// `grep -P`: `\d`, `\w`, `\s`, `\b` know ASCII only.
    Perl,
    /// jq's regular expressions.
    Oniguruma,
}

/// How a pattern is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flags {
    /// Ignore case.
    pub icase: bool,
    /// `^` and `$` also match around the terminator.
    pub multiline: bool,
    /// Nothing but a literal matches the terminator, so that a buffer of many lines can be searched at once.
    pub exclude_newline: bool,
    /// What ends a line: a newline, or NUL.
    pub terminator: u8,
    /// Only whole words (`grep -w`).
    pub word: bool,
    /// Only whole lines (`grep -x`); with `multiline` unset, the whole text.
    pub line: bool,
    /// Perl: `.` matches a newline.
    pub dot_all: bool,
    /// Perl: white space and comments in the pattern are left out.
    pub extended: bool,
}

impl Default for Flags {
    fn default() -> Flags {
        Flags {
            icase: false,
            multiline: false,
            exclude_newline: false,
            terminator: b'\n',
            word: false,
            line: false,
            dot_all: false,
            extended: false,
        }
    }
}

impl Flags {
    /// For searching many lines at once: what [`LineFinder`] wants.
    pub fn lines() -> Flags {
        Flags { multiline: true, exclude_newline: true, ..Flags::default() }
    }

    /// Ignoring case or not.
    pub fn icase(self, icase: bool) -> Flags {
        Flags { icase, ..self }
    }
}

/// A pattern that is not valid; the text is that of the GNU C library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegexError(pub String);

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RegexError {}

/// A compiled pattern. Cloning is cheap; it can be used from several threads.
#[derive(Debug, Clone)]
pub struct Regex(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Engine,
    flags: Flags,
    groups: usize,
    names: Vec<Option<String>>,
    required: Vec<u8>,
    warnings: Vec<&'static str>,
    /// A search gave up at the limit of steps.
    exhausted: AtomicBool,
}

#[derive(Debug)]
enum Engine {
    Literal(Box<memmem::Finder<'static>>),
    Literals(Box<AhoCorasick>),
    Automata(Box<Automata>),
    Backtrack(Box<fancy_regex::Regex>),
}

/// Where the groups of a match lie; group 0 is the whole match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captures {
    slots: Vec<Option<usize>>,
}

impl Captures {
    /// Empty ones, to be filled by [`Regex::captures_at`].
    pub fn new() -> Captures {
        Captures::default()
    }

    /// The bounds of group `n`, if it took part.
    #[inline]
    pub fn get(&self, n: usize) -> Option<(usize, usize)> {
        match self.slots.get(2 * n..2 * n + 2)? {
            [Some(a), Some(b)] => Some((*a, *b)),
            _ => None,
        }
    }

    /// How many groups there are, the whole match among them.
    pub fn len(&self) -> usize {
        self.slots.len() / 2
    }

    /// Whether it was never filled.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    fn whole(&mut self, m: (usize, usize), groups: usize) {
        self.slots.clear();
        self.slots.resize(2 * groups + 2, None);
        self.slots[0] = Some(m.0);
        self.slots[1] = Some(m.1);
    }
}

impl Regex {
    /// Compiles a pattern, or takes it from the cache of this process.
    pub fn new(pattern: &[u8], syntax: Syntax, flags: Flags) -> Result<Regex, RegexError> {
        Regex::any_of(&[pattern], syntax, flags)
    }

    /// Compiles patterns of which any may match (`grep -e A -e B`). Groups are numbered through; a back-reference
    /// counts in its own pattern.
    pub fn any_of(patterns: &[&[u8]], syntax: Syntax, flags: Flags) -> Result<Regex, RegexError> {
        cache::get(patterns, syntax, flags, || Regex::compile(patterns, syntax, flags))
    }

    fn compile(patterns: &[&[u8]], syntax: Syntax, flags: Flags) -> Result<Regex, RegexError> {
        if matches!(syntax, Syntax::Perl | Syntax::Oniguruma) {
            return perl::compile(patterns, syntax, flags);
        }
        let mut nodes = Vec::with_capacity(patterns.len());
        let (mut groups, mut warnings) = (0, Vec::new());
        for p in patterns {
            let parsed = parse::parse(p, syntax, groups + 1)?;
            groups += parsed.groups;
            warnings.extend(parsed.warnings);
            nodes.push(parsed.node);
        }
        let node = if nodes.len() == 1 { nodes.remove(0) } else { Node::Alt(nodes) };
        let groups = groups as usize;
        let required = if flags.icase { Vec::new() } else { node.required() };
        let engine = Regex::engine(node, &flags, groups)?;
        Ok(Regex(Arc::new(Inner {
            engine,
            flags,
            groups,
            names: Vec::new(),
            required,
            warnings,
            exhausted: AtomicBool::new(false),
        })))
    }

    fn engine(node: Node, flags: &Flags, groups: usize) -> Result<Engine, RegexError> {
        let too_big = |_| RegexError("Regular expression too big".to_owned());
        if !flags.icase && !flags.word && !flags.line && groups == 0 {
            if let Some(text) = node.literal() {
                return Ok(Engine::Literal(Box::new(memmem::Finder::new(&text).into_owned())));
            }
            if let Some(texts) = node.literals().filter(|t| !t.is_empty() && t.iter().all(|t| !t.is_empty()))
            {
                let found = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts);
                return found
                    .map(|a| Engine::Literals(Box::new(a)))
                    .map_err(|_| RegexError("Regular expression too big".to_owned()));
            }
        }
        if node.has_backrefs() {
            let text = lower::pattern_text(&node, flags);
            return perl::backtracker(&text, flags).map(|r| Engine::Backtrack(Box::new(r))).map_err(too_big);
        }
        Automata::new(node, flags).map(|a| Engine::Automata(Box::new(a)))
    }

    /// How many groups the pattern has, without the whole match.
    pub fn groups(&self) -> usize {
        self.0.groups
    }

    /// The name of group `n`, where the dialect has names.
    pub fn group_name(&self, n: usize) -> Option<&str> {
        self.0.names.get(n)?.as_deref()
    }

    /// The only text that it matches, if there is only one.
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.0.engine {
            Engine::Literal(f) => Some(f.needle()),
            _ => None,
        }
    }

    /// A text that every match contains (maybe empty).
    pub fn required_literal(&self) -> &[u8] {
        &self.0.required
    }

    /// What `grep -E` warns of, e.g. `* at start of expression`.
    pub fn warnings(&self) -> &[&'static str] {
        &self.0.warnings
    }

    /// Whether a search gave up at the limit of backtracking, so that its "no match" is not sure.
    pub fn exhausted(&self) -> bool {
        self.0.exhausted.load(Relaxed)
    }

    /// The flags it was compiled with.
    pub fn flags(&self) -> &Flags {
        &self.0.flags
    }

    /// Whether it matches somewhere in `text`.
    #[inline]
    pub fn is_match(&self, text: &[u8]) -> bool {
        match &self.0.engine {
            Engine::Literal(f) => f.find(text).is_some(),
            Engine::Literals(a) => a.is_match(text),
            Engine::Automata(a) => a.variant(text).is_match(text, 0),
            Engine::Backtrack(_) => self.backtrack(text, 0).is_some(),
        }
    }

    /// The leftmost-longest match that begins at or after `start`. What is before `start` counts as context. When
    /// many matches of one long text are wanted, [`Regex::searcher`] looks at the text's encoding only once.
    pub fn find_at(&self, text: &[u8], start: usize) -> Option<(usize, usize)> {
        self.searcher(text).find_at(start)
    }

    /// Like [`Regex::find_at`], with the bounds of the groups.
    pub fn captures_at(&self, text: &[u8], start: usize, captures: &mut Captures) -> bool {
        self.searcher(text).captures_at(start, captures)
    }

    /// Whether it matches the text from its first to its last byte.
    pub fn matches_all(&self, text: &[u8]) -> bool {
        self.find_at(text, 0) == Some((0, text.len()))
    }

    /// Prepares for searches in one text.
    pub fn searcher<'r, 't>(&'r self, text: &'t [u8]) -> Searcher<'r, 't> {
        let variant = match &self.0.engine {
            Engine::Automata(a) => Some(a.variant(text)),
            _ => None,
        };
        Searcher { regex: self, variant, text }
    }

    fn backtrack(&self, text: &[u8], start: usize) -> Option<(usize, usize)> {
        let Engine::Backtrack(r) = &self.0.engine else { return None };
        match r.find_from_pos(text, start) {
            Ok(found) => found.map(|m| (m.start(), m.end())),
            Err(_) => {
                self.0.exhausted.store(true, Relaxed);
                None
            }
        }
    }
}

/// Searches in one text.
#[derive(Debug, Clone, Copy)]
pub struct Searcher<'r, 't> {
    regex: &'r Regex,
    variant: Option<&'r Variant>,
    text: &'t [u8],
}

impl<'r, 't> Searcher<'r, 't> {
    /// See [`Regex::find_at`].
    #[inline]
    pub fn find_at(&self, start: usize) -> Option<(usize, usize)> {
        let rest = self.text.get(start..)?;
        match (&self.regex.0.engine, self.variant) {
            (Engine::Literal(f), _) => f.find(rest).map(|at| (start + at, start + at + f.needle().len())),
            (Engine::Literals(a), _) => a.find(rest).map(|m| (start + m.start(), start + m.end())),
            (Engine::Automata(_), Some(v)) => v.find(self.text, start),
            _ => self.regex.backtrack(self.text, start),
        }
    }

    /// See [`Regex::captures_at`].
    pub fn captures_at(&self, start: usize, captures: &mut Captures) -> bool {
        let groups = self.regex.0.groups;
        match (&self.regex.0.engine, self.variant) {
            (Engine::Automata(_), Some(v)) if groups > 0 => {
                captures.slots.clear();
                captures.slots.resize(2 * groups + 2, None);
                v.captures(self.text, start, &mut captures.slots)
            }
            (Engine::Backtrack(r), _) if groups > 0 => {
                let found =
                    if start > self.text.len() { Ok(None) } else { r.captures_from_pos(self.text, start) };
                match found {
                    Ok(Some(c)) => {
                        captures.slots.clear();
                        for i in 0..=groups {
                            let m = c.get(i);
                            captures.slots.push(m.as_ref().map(|m| m.start()));
                            captures.slots.push(m.map(|m| m.end()));
                        }
                        true
                    }
                    Ok(None) => false,
                    Err(_) => {
                        self.regex.0.exhausted.store(true, Relaxed);
                        false
                    }
                }
            }
            _ => match self.find_at(start) {
                Some(m) => {
                    captures.whole(m, groups);
                    true
                }
                None => false,
            },
        }
    }

    /// Every match in turn, as `s///g` and gsub take them: an empty match right after the one before does not count.
    pub fn matches(self) -> Matches<'r, 't> {
        Matches { searcher: self, at: 0, last_end: None }
    }
}

/// The matches of a text, one after the other.
#[derive(Debug, Clone)]
pub struct Matches<'r, 't> {
    searcher: Searcher<'r, 't>,
    at: usize,
    last_end: Option<usize>,
}

impl Matches<'_, '_> {
    /// The next match with its groups; false at the end.
    pub fn next_captures(&mut self, captures: &mut Captures) -> bool {
        loop {
            if self.at > self.searcher.text.len() || !self.searcher.captures_at(self.at, captures) {
                return false;
            }
            let Some(m) = captures.get(0) else { return false };
            if self.accept(m) {
                return true;
            }
        }
    }

    /// Moves on past `m`; whether it counts.
    fn accept(&mut self, m: (usize, usize)) -> bool {
        let empty = m.0 == m.1;
        self.at = m.1;
        if empty {
            self.at += next_char(&self.searcher.text[m.1..]).1.max(1);
        }
        if empty && self.last_end == Some(m.1) {
            return false;
        }
        self.last_end = Some(m.1);
        true
    }
}

impl Iterator for Matches<'_, '_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            if self.at > self.searcher.text.len() {
                return None;
            }
            let m = self.searcher.find_at(self.at)?;
            if self.accept(m) {
                return Some(m);
            }
        }
    }
}
