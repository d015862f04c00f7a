//! Shell patterns: `*`, `?`, `[…]` and extglob groups over bytes. In the UTF-8 locale `?` and `[…]` take a whole
//! character; a byte that is not valid UTF-8 is a character of its own. A pattern is parsed once and sorted into a
//! shape (`lit`, `lit*`, `*lit`, `*lit*`), so that most matches are one comparison or one search.

mod matcher;
mod parse;

use memchr::memmem;
use parse::Token;
use std::sync::Arc;

pub use parse::has_magic;

/// How a pattern is read and matched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct GlobFlags {
    /// `?( *( +( @( !(` are groups.
    pub extglob: bool,
    /// Letters match without regard to case.
    pub nocase: bool,
    /// FNM_PATHNAME: wildcards and brackets do not match `/`.
    pub pathname: bool,
    /// FNM_PERIOD: a leading `.` (also after `/` with `pathname`) is matched only by a `.`.
    pub period: bool,
}

/// A compiled pattern. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Glob(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    flags: GlobFlags,
    shape: Shape,
    tokens: Vec<Token>,
    /// Whether there is an extglob group.
    groups: bool,
}

#[derive(Debug)]
enum Shape {
    /// No wildcard.
    Exact(Vec<u8>),
    /// `lit*`
    Prefix(Vec<u8>),
    /// `*lit`
    Suffix(Vec<u8>),
    /// `*lit*`
    Contains(Box<memmem::Finder<'static>>),
    /// `*`
    All,
    General,
}

/// Builds a pattern from pieces of which some are quoted.
#[derive(Debug, Clone, Default)]
pub struct GlobBuilder {
    pattern: Vec<u8>,
}

impl GlobBuilder {
    /// An empty pattern.
    pub fn new() -> GlobBuilder {
        GlobBuilder::default()
    }

    /// Adds text that stands for itself.
    pub fn literal(&mut self, text: &[u8]) -> &mut GlobBuilder {
        escape_into(text, &mut self.pattern);
        self
    }

    /// Adds pattern text; a backslash at its very end stands for itself.
    pub fn pattern(&mut self, text: &[u8]) -> &mut GlobBuilder {
        self.pattern.extend_from_slice(text);
        if text.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1 {
            self.pattern.push(b'\\');
        }
        self
    }

    /// The pattern so far, with backslashes before what is quoted.
    pub fn as_bytes(&self) -> &[u8] {
        &self.pattern
    }

    /// Compiles it.
    pub fn build(&self, flags: GlobFlags) -> Glob {
        Glob::new(&self.pattern, flags)
    }
}

/// Appends `text` with a backslash before every character that a pattern could take as special.
pub fn escape_into(text: &[u8], out: &mut Vec<u8>) {
    out.reserve(text.len());
    for &b in text {
        if b.is_ascii_punctuation() && !matches!(b, b'/' | b'_' | b',' | b'%') {
            out.push(b'\\');
        }
        out.push(b);
    }
}

impl Glob {
    /// Compiles a pattern in which a backslash quotes the next character. Every text is a pattern.
    pub fn new(pattern: &[u8], flags: GlobFlags) -> Glob {
        let (tokens, groups) = parse::parse(pattern, flags);
        let plain = !flags.pathname && !flags.period;
        let shape = match &tokens[..] {
            [] => Shape::Exact(Vec::new()),
            [Token::Literal(l)] => Shape::Exact(l.clone()),
            [Token::Star] if plain => Shape::All,
            [Token::Literal(l), Token::Star] if plain => Shape::Prefix(l.clone()),
            [Token::Star, Token::Literal(l)] if plain => Shape::Suffix(l.clone()),
            [Token::Star, Token::Literal(l), Token::Star] if plain => {
                Shape::Contains(Box::new(memmem::Finder::new(l).into_owned()))
            }
            _ => Shape::General,
        };
        Glob(Arc::new(Inner { flags, shape, tokens, groups }))
    }

    /// A pattern that matches exactly this text.
    pub fn exact(text: &[u8]) -> Glob {
        let tokens = if text.is_empty() { Vec::new() } else { vec![Token::Literal(text.to_vec())] };
        Glob(Arc::new(Inner {
            flags: GlobFlags::default(),
            shape: Shape::Exact(text.to_vec()),
            tokens,
            groups: false,
        }))
    }

    /// The text that it matches, if it is only one.
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.0.shape {
            Shape::Exact(text) => Some(text),
            _ => None,
        }
    }

    /// What every match begins with (maybe nothing).
    pub fn leading_literal(&self) -> &[u8] {
        match self.0.tokens.first() {
            Some(Token::Literal(l)) => l,
            _ => b"",
        }
    }

    /// What every match ends with (maybe nothing).
    pub fn trailing_literal(&self) -> &[u8] {
        match self.0.tokens.last() {
            Some(Token::Literal(l)) => l,
            _ => b"",
        }
    }

    /// Whether it matches the whole text.
    #[inline]
    pub fn matches(&self, text: &[u8]) -> bool {
        match &self.0.shape {
            Shape::Exact(l) => text == &l[..],
            Shape::Prefix(l) => text.starts_with(l),
            Shape::Suffix(l) => text.ends_with(l),
            Shape::Contains(f) => f.find(text).is_some(),
            Shape::All => true,
            Shape::General if self.0.groups => self.forward(text, 0).has(text.len()),
            Shape::General => matcher::matches(&self.0.tokens, self.0.flags, text),
        }
    }

    /// The length of the longest beginning of the text that it matches (`${x##p}`).
    pub fn longest_prefix(&self, text: &[u8]) -> Option<usize> {
        match &self.0.shape {
            Shape::Exact(l) => text.starts_with(l).then_some(l.len()),
            Shape::Prefix(l) => text.starts_with(l).then_some(text.len()),
            Shape::Suffix(l) => match l[..] {
                [b] => memchr::memrchr(b, text).map(|at| at + 1),
                _ => memmem::rfind(text, l).map(|at| at + l.len()),
            },
            Shape::Contains(f) => f.find(text).map(|_| text.len()),
            Shape::All => Some(text.len()),
            Shape::General => self.forward(text, 0).last(text.len()),
        }
    }

    /// The length of the shortest beginning of the text that it matches (`${x#p}`).
    pub fn shortest_prefix(&self, text: &[u8]) -> Option<usize> {
        match &self.0.shape {
            Shape::Exact(l) | Shape::Prefix(l) => text.starts_with(l).then_some(l.len()),
            Shape::Suffix(l) => match l[..] {
                [b] => memchr::memchr(b, text).map(|at| at + 1),
                _ => memmem::find(text, l).map(|at| at + l.len()),
            },
            Shape::Contains(f) => f.find(text).map(|at| at + f.needle().len()),
            Shape::All => Some(0),
            Shape::General => self.forward(text, 0).first(),
        }
    }

    /// Where the longest end of the text that it matches begins (`${x%%p}`).
    pub fn longest_suffix(&self, text: &[u8]) -> Option<usize> {
        match &self.0.shape {
            Shape::Exact(l) => text.ends_with(l).then(|| text.len() - l.len()),
            Shape::Prefix(l) => match l[..] {
                [b] => memchr::memchr(b, text),
                _ => memmem::find(text, l),
            },
            Shape::Suffix(l) => text.ends_with(l).then_some(0),
            Shape::Contains(f) => f.find(text).map(|_| 0),
            Shape::All => Some(0),
            Shape::General => self.backward(text).first(),
        }
    }

    /// Where the shortest end of the text that it matches begins (`${x%p}`).
    pub fn shortest_suffix(&self, text: &[u8]) -> Option<usize> {
        match &self.0.shape {
            Shape::Exact(l) | Shape::Suffix(l) => text.ends_with(l).then(|| text.len() - l.len()),
            Shape::Prefix(l) => match l[..] {
                [b] => memchr::memrchr(b, text),
                _ => memmem::rfind(text, l),
            },
            Shape::Contains(f) => memmem::rfind(text, f.needle()),
            Shape::All => Some(text.len()),
            Shape::General => self.backward(text).last(text.len()),
        }
    }

    /// The first place at or after `from` where it matches, and the longest match there (`${x/p/r}`); it may be empty.
    pub fn find_longest(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let rest = text.get(from..)?;
        match &self.0.shape {
            Shape::Exact(l) => memmem::find(rest, l).map(|at| (from + at, from + at + l.len())),
            Shape::Prefix(l) => memmem::find(rest, l).map(|at| (from + at, text.len())),
            Shape::Suffix(l) => memmem::rfind(rest, l).map(|at| (from, from + at + l.len())),
            Shape::Contains(f) => f.find(rest).map(|_| (from, text.len())),
            Shape::All => Some((from, text.len())),
            Shape::General => self.find_general(text, from),
        }
    }
}

#[cfg(test)]
mod tests;
