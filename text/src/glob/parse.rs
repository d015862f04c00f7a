//! Pattern text to tokens.

use super::GlobFlags;
use crate::posix_class::{PosixClass, collating, next_char};

/// One step of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Token {
    /// These bytes.
    Literal(Vec<u8>),
    /// This letter in either case (only in patterns that ignore case).
    Letter(char),
    /// `?`
    Any,
    /// `*`
    Star,
    /// `[…]`
    Bracket(Box<Bracket>),
    /// An extglob group.
    Group(GroupKind, Vec<Vec<Token>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// `?(`
    Optional,
    /// `*(`
    Many,
    /// `+(`
    Some,
    /// `@(`
    One,
    /// `!(`
    Not,
}

/// A bracket expression.
#[derive(Debug, Clone, Default)]
pub(super) struct Bracket {
    negated: bool,
    nocase: bool,
    ascii: u128,
    ranges: Vec<(char, char)>,
    classes: Vec<PosixClass>,
    /// Bytes that are not UTF-8.
    bytes: Vec<u8>,
}

impl Bracket {
    /// Whether it holds the character at the start of `text` (not empty), and its length.
    #[inline]
    pub(super) fn holds(&self, c: Option<char>, byte: u8) -> bool {
        let inside = match c {
            Some(c) if c.is_ascii() => self.ascii >> (c as u32) & 1 == 1,
            Some(c) => self.holds_wide(c),
            None => self.bytes.contains(&byte),
        };
        inside != self.negated
    }

    fn holds_wide(&self, c: char) -> bool {
        let one = |c: char| {
            self.ranges.iter().any(|r| r.0 <= c && c <= r.1) || self.classes.iter().any(|k| k.has(c))
        };
        one(c) || self.nocase && (one(lower(c)) || one(upper(c)))
    }

    fn add_range(&mut self, a: char, b: char) {
        for i in a as u32..=(b as u32).min(127) {
            self.add_ascii(i as u8);
        }
        if !b.is_ascii() && a <= b {
            self.ranges.push((a.max('\u{80}'), b));
        }
    }

    fn add_ascii(&mut self, b: u8) {
        self.ascii |= 1 << b;
        if self.nocase {
            self.ascii |= 1 << b.to_ascii_lowercase() | 1 << b.to_ascii_uppercase();
        }
    }

    fn add_class(&mut self, class: PosixClass) {
        for b in 0..128u8 {
            if class.has_ascii(b) {
                self.add_ascii(b);
            }
        }
        self.classes.push(class);
    }
}

/// The lower-case form, where that is one character.
pub(super) fn lower(c: char) -> char {
    let mut it = c.to_lowercase();
    match (it.next(), it.next()) {
        (Some(l), None) => l,
        _ => c,
    }
}

fn upper(c: char) -> char {
    let mut it = c.to_uppercase();
    match (it.next(), it.next()) {
        (Some(u), None) => u,
        _ => c,
    }
}

/// Groups within groups; deeper ones are literal text.
const MAX_DEPTH: usize = 64;

/// The tokens, and whether one of them is a group.
pub(super) fn parse(pattern: &[u8], flags: GlobFlags) -> (Vec<Token>, bool) {
    let mut p = Parser { pattern, flags, groups: false };
    let tokens = p.sequence(0, pattern.len(), 0);
    (tokens, p.groups)
}

/// Whether the text, taken as a pattern, holds anything but literals and quoted characters.
pub fn has_magic(pattern: &[u8], extglob: bool) -> bool {
    let flags = GlobFlags { extglob, ..GlobFlags::default() };
    if memchr::memchr3(b'*', b'?', b'[', pattern).is_none() && !(extglob && pattern.contains(&b'(')) {
        return false;
    }
    let (tokens, _) = parse(pattern, flags);
    tokens.iter().any(|t| !matches!(t, Token::Literal(_)))
}

struct Parser<'a> {
    pattern: &'a [u8],
    flags: GlobFlags,
    groups: bool,
}

impl Parser<'_> {
    fn sequence(&mut self, mut at: usize, end: usize, depth: usize) -> Vec<Token> {
        let mut tokens = Vec::new();
        while at < end {
            let b = self.pattern[at];
            if self.flags.extglob
                && matches!(b, b'?' | b'*' | b'+' | b'@' | b'!')
                && at + 1 < end
                && self.pattern[at + 1] == b'('
                && depth < MAX_DEPTH
                && let Some((alternatives, next)) = self.group_bounds(at + 2, end)
            {
                let kind = match b {
                    b'?' => GroupKind::Optional,
                    b'*' => GroupKind::Many,
                    b'+' => GroupKind::Some,
                    b'@' => GroupKind::One,
                    _ => GroupKind::Not,
                };
                self.groups = true;
                let inner = alternatives.iter().map(|r| self.sequence(r.0, r.1, depth + 1)).collect();
                tokens.push(Token::Group(kind, inner));
                at = next;
                continue;
            }
            match b {
                b'?' => {
                    tokens.push(Token::Any);
                    at += 1;
                }
                b'*' => {
                    if !matches!(tokens.last(), Some(Token::Star)) {
                        tokens.push(Token::Star);
                    }
                    at += 1;
                }
                b'[' => match self.bracket(at + 1, end) {
                    Some((bracket, next)) => {
                        tokens.push(Token::Bracket(Box::new(bracket)));
                        at = next;
                    }
                    None => at = self.literal(&mut tokens, at, end),
                },
                b'\\' if at + 1 < end => at = self.literal(&mut tokens, at + 1, end),
                _ => at = self.literal(&mut tokens, at, end),
            }
        }
        tokens
    }

    /// Adds the character at `at` and returns where the next begins.
    fn literal(&self, tokens: &mut Vec<Token>, at: usize, end: usize) -> usize {
        let (c, n) = next_char(&self.pattern[at..end]);
        if self.flags.nocase
            && let Some(c) = c
            && (lower(c) != c || upper(c) != c)
        {
            tokens.push(Token::Letter(lower(c)));
            return at + n;
        }
        let bytes = &self.pattern[at..at + n];
        match tokens.last_mut() {
            Some(Token::Literal(l)) => l.extend_from_slice(bytes),
            _ => tokens.push(Token::Literal(bytes.to_vec())),
        }
        at + n
    }

    /// The alternatives of the group whose text begins at `at`, and what is after its `)`.
    fn group_bounds(&self, at: usize, end: usize) -> Option<(Vec<(usize, usize)>, usize)> {
        let mut parts = Vec::new();
        let (mut i, mut start, mut depth) = (at, at, 0usize);
        while i < end {
            match self.pattern[i] {
                b'\\' => i += 1,
                b'[' => {
                    if let Some((_, next)) = self.bracket(i + 1, end) {
                        i = next;
                        continue;
                    }
                }
                b'(' => depth += 1,
                b')' if depth == 0 => {
                    parts.push((start, i));
                    return Some((parts, i + 1));
                }
                b')' => depth -= 1,
                b'|' if depth == 0 => {
                    parts.push((start, i));
                    start = i + 1;
                }
                _ => {}
            }
            i += 1;
        }
        None
    }

    /// The bracket expression whose text begins at `at` and what is after its `]`.
    fn bracket(&self, mut at: usize, end: usize) -> Option<(Bracket, usize)> {
        let text = self.pattern;
        let mut set = Bracket { nocase: self.flags.nocase, ..Bracket::default() };
        if at < end && matches!(text[at], b'!' | b'^') {
            set.negated = true;
            at += 1;
        }
        let mut first = true;
        loop {
            if at >= end {
                return None;
            }
            let b = text[at];
            if b == b']' && !first {
                return Some((set, at + 1));
            }
            if b == b'/' && self.flags.pathname {
                return None;
            }
            first = false;
            if b == b'['
                && at + 1 < end
                && text[at + 1] == b':'
                && let Some(close) = memchr::memmem::find(&text[at + 2..end], b":]")
            {
                let name = &text[at + 2..at + 2 + close];
                if name.iter().all(u8::is_ascii_alphabetic) {
                    if let Some(class) = PosixClass::named(name) {
                        set.add_class(class);
                    }
                    at += close + 4;
                    continue;
                }
            }
            let (from, next) = self.bracket_char(at, end)?;
            at = next;
            let is_range = at + 1 < end && text[at] == b'-' && text[at + 1] != b']';
            if !is_range {
                match from {
                    Ok(Some(c)) => set.add_range(c, c),
                    Ok(None) => {}
                    Err(byte) => set.bytes.push(byte),
                }
                continue;
            }
            let (to, next) = self.bracket_char(at + 1, end)?;
            at = next;
            if let (Ok(Some(a)), Ok(Some(b))) = (from, to)
                && a <= b
            {
                set.add_range(a, b);
            }
        }
    }

    /// One end of a range: `Ok(None)` for an unknown collating symbol, `Err` for a byte that is not UTF-8.
    fn bracket_char(&self, at: usize, end: usize) -> Option<(Result<Option<char>, u8>, usize)> {
        let text = self.pattern;
        if text[at] == b'[' && at + 1 < end && matches!(text[at + 1], b'.' | b'=') {
            let close = [text[at + 1], b']'];
            if let Some(n) = memchr::memmem::find(&text[at + 2..end], &close)
                && n > 0
            {
                return Some((Ok(collating(&text[at + 2..at + 2 + n])), at + n + 4));
            }
        }
        let at = if text[at] == b'\\' && at + 1 < end { at + 1 } else { at };
        let (c, n) = next_char(&text[at..end]);
        Some((c.map(Some).ok_or(text[at]), at + n))
    }
}
