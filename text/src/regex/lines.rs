//! Selecting lines: finds the next line that matches in a buffer of many, without going line by line.

use super::automata::Variant;
use super::{Engine, Regex};
use memchr::{memchr, memmem, memrchr};

/// How much of a buffer is looked at to learn whether the pattern's literal is everywhere.
const SAMPLE: usize = 64 << 10;
/// A literal that comes oftener than once in so many bytes does not help.
const SPARSE: usize = 150;

/// Finds matching lines in buffers. The pattern must have been compiled with [`super::Flags::lines`] (and the
/// terminator wanted).
#[derive(Debug, Clone)]
pub struct LineFinder {
    regex: Regex,
    /// Whether the literal is too frequent to help; not known before enough text was seen.
    dense: Option<bool>,
}

/// A buffer in which lines are searched.
#[derive(Debug)]
pub struct LineSearch<'f, 't> {
    regex: &'f Regex,
    variant: Option<&'f Variant>,
    dense: bool,
    text: &'t [u8],
}

impl LineFinder {
    /// For this pattern.
    pub fn new(regex: Regex) -> LineFinder {
        LineFinder { regex, dense: None }
    }

    /// The pattern.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }

    /// Prepares for a buffer, which begins at the start of a line.
    pub fn on<'f, 't>(&'f mut self, text: &'t [u8]) -> LineSearch<'f, 't> {
        let literal = &self.regex.0.required;
        if self.dense.is_none() && text.len() > SAMPLE / 4 && !literal.is_empty() {
            let sample = &text[..text.len().min(SAMPLE)];
            let most = sample.len() / SPARSE;
            self.dense = Some(memmem::find_iter(sample, literal).take(most + 1).count() > most);
        }
        let variant = match &self.regex.0.engine {
            Engine::Automata(a) => Some(a.variant(text)),
            _ => None,
        };
        LineSearch { regex: &self.regex, variant, dense: self.dense == Some(true), text }
    }
}

impl LineSearch<'_, '_> {
    /// The first matching line that begins at or after `from` (the start of a line): its bounds without the terminator.
    #[inline]
    pub fn next(&self, from: usize) -> Option<(usize, usize)> {
        let (text, end) = (self.text, self.regex.0.flags.terminator);
        let rest = text.get(from..).filter(|r| !r.is_empty())?;
        let at = match (&self.regex.0.engine, self.variant) {
            (Engine::Literal(f), _) => from + f.find(rest)?,
            (Engine::Literals(a), _) => from + a.find(rest)?.start(),
            (Engine::Automata(_), Some(v)) if self.dense => v.some_end_plain(text, from)?,
            (Engine::Automata(_), Some(v)) => v.some_end(text, from)?,
            _ => return self.one_by_one(from),
        };
        let start = memrchr(end, &text[from..at]).map_or(from, |n| from + n + 1);
        if start == text.len() {
            return None;
        }
        let stop = memchr(end, &text[at..]).map_or(text.len(), |n| at + n);
        Some((start, stop))
    }

    fn one_by_one(&self, mut from: usize) -> Option<(usize, usize)> {
        let (text, end) = (self.text, self.regex.0.flags.terminator);
        while from < text.len() {
            let stop = memchr(end, &text[from..]).map_or(text.len(), |n| from + n);
            if self.regex.is_match(&text[from..stop]) {
                return Some((from, stop));
            }
            from = stop + 1;
        }
        None
    }
}
