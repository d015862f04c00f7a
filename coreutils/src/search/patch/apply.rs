//! Applies hunks to the lines of a file: where each belongs, how far off, with how much of its context ignored.

use super::parse::{Hunk, Kind};
use sandshell_kernel::{Budget, Result};

/// A file's lines while hunks are applied to it.
pub struct Target<'a> {
    /// The lines of the file, with their newlines.
    pub input: Vec<&'a [u8]>,
    /// What has been written so far.
    pub output: Vec<u8>,
    /// Lines of the input that are written or removed.
    pub frozen: usize,
    /// How far the last hunk was from where it said.
    pub offset: isize,
    /// Lines that hunks added, less those that they removed.
    pub growth: isize,
    /// Blanks do not count (`-l`).
    pub loose: bool,
}

/// Lines that a hunk replaces, as it is to be matched.
pub struct Pattern<'h> {
    first: isize,
    lines: Vec<&'h [u8]>,
    prefix: isize,
    suffix: isize,
}

impl<'h> Pattern<'h> {
    /// Of a hunk.
    pub fn new(hunk: &'h Hunk) -> Pattern<'h> {
        let lines = hunk.side(Kind::New);
        let (prefix, suffix) = hunk.context();
        // With no old lines, the new ones go behind line `old_start`.
        let first = hunk.old_start as isize + isize::from(lines.is_empty());
        Pattern { first, lines, prefix: prefix as isize, suffix: suffix as isize }
    }

    /// The line that the hunk says it is at.
    pub fn first(&self) -> isize {
        self.first
    }

    /// The most context at one of its ends.
    pub fn context(&self) -> usize {
        self.prefix.max(self.suffix) as usize
    }
}

impl<'a> Target<'a> {
    /// For a file's content.
    pub fn new(content: &'a [u8], loose: bool) -> Target<'a> {
        let input = content.split_inclusive(|&b| b == b'\n').collect();
        Target {
            input,
            output: Vec::with_capacity(content.len() + 256),
            frozen: 0,
            offset: 0,
            growth: 0,
            loose,
        }
    }

    /// The line (from 1) at which the pattern is found with `fuzz` lines of context ignored, nearest to where it
    /// should be; 0 when nowhere.
    pub fn locate(&mut self, p: &Pattern<'_>, fuzz: usize, budget: &Budget) -> Result<isize> {
        let guess = p.first + self.offset;
        let count = p.lines.len() as isize;
        let lines = self.input.len() as isize;
        let context = p.prefix.max(p.suffix);
        let mut prefix_fuzz = fuzz as isize + p.prefix - context;
        let suffix_fuzz = fuzz as isize + p.suffix - context;
        let max_where = lines - (count - suffix_fuzz) + 1;
        let min_where = self.frozen as isize + 1;
        let max_positive = max_where - guess;
        let mut max_negative = guess - min_where;
        let max_offset = max_positive.max(max_negative);
        if count == 0 {
            return Ok(guess);
        }
        if guess <= max_negative {
            max_negative = guess - 1;
        }
        if prefix_fuzz < 0 && p.first <= 1 {
            // Less context before than after, at line 1: only the start of the file will do.
            if suffix_fuzz < 0 && (count != lines || p.prefix < self.frozen as isize) {
                return Ok(0);
            }
            let offset = 1 - guess;
            if self.frozen as isize <= p.prefix
                && offset <= max_positive
                && self.matches(p, guess + offset, 0, suffix_fuzz.max(0))
            {
                self.offset += offset;
                return Ok(guess + offset);
            }
            return Ok(0);
        }
        prefix_fuzz = prefix_fuzz.max(0);
        if suffix_fuzz < 0 {
            // Less context after than before: only the end of the file will do.
            let offset = guess - (lines - count + 1);
            if offset <= max_negative && self.matches(p, guess - offset, prefix_fuzz, 0) {
                self.offset -= offset;
                return Ok(guess - offset);
            }
            return Ok(0);
        }
        let mut offset = match (max_positive < 0, max_negative < 0) {
            (true, _) => guess - max_where,
            (_, true) => min_where - guess,
            _ => 0,
        };
        while offset <= max_offset {
            budget.step()?;
            if offset <= max_positive && self.matches(p, guess + offset, prefix_fuzz, suffix_fuzz) {
                self.offset += offset;
                return Ok(guess + offset);
            }
            if offset <= max_negative && self.matches(p, guess - offset, prefix_fuzz, suffix_fuzz) {
                self.offset -= offset;
                return Ok(guess - offset);
            }
            offset += 1;
        }
        Ok(0)
    }

    fn matches(&self, p: &Pattern<'_>, at: isize, prefix_fuzz: isize, suffix_fuzz: isize) -> bool {
        let count = p.lines.len() as isize;
        (prefix_fuzz..count - suffix_fuzz).all(|i| {
            let Some(line) = usize::try_from(at - 1 + i).ok().and_then(|n| self.input.get(n)) else {
                return false;
            };
            let wanted = p.lines[i as usize];
            *line == wanted || self.loose && loosely(line) == loosely(wanted)
        })
    }

    /// Writes what is before line `at`, then the hunk's new lines.
    pub fn apply(&mut self, hunk: &Hunk, at: isize) {
        let at = usize::try_from(at).unwrap_or(1).max(1);
        self.copy_to(at - 1);
        for (kind, line) in &hunk.lines {
            match kind {
                Kind::Context => {
                    // The file's own line, which may differ from the hunk's where fuzz or blanks allowed it.
                    if let Some(l) = self.input.get(self.frozen) {
                        self.output.extend_from_slice(l);
                    }
                    self.frozen += 1;
                }
                Kind::Old => {
                    self.frozen += 1;
                    self.growth -= 1;
                }
                Kind::New => {
                    self.output.extend_from_slice(line);
                    self.growth += 1;
                }
            }
        }
    }

    fn copy_to(&mut self, line: usize) {
        let end = line.min(self.input.len());
        for l in self.input.get(self.frozen..end).unwrap_or_default() {
            self.output.extend_from_slice(l);
        }
        self.frozen = self.frozen.max(end);
    }

    /// Writes the rest and gives the whole.
    pub fn finish(mut self) -> Vec<u8> {
        self.copy_to(self.input.len());
        self.output
    }
}

/// A line with its blanks joined.
fn loosely(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    for &b in line.trim_ascii_end() {
        match b {
            b' ' | b'\t' if out.last() == Some(&b' ') => {}
            b' ' | b'\t' => out.push(b' '),
            b => out.push(b),
        }
    }
    out
}

/// Runs the commands of `diff -e`, which come from the last line to the first.
pub fn ed(content: &[u8], script: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let mut lines: Vec<Vec<u8>> = content.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    let mut at = 0;
    let mut current = 0;
    while at < script.len() {
        let text = String::from_utf8_lossy(&script[at]).trim_end().to_owned();
        at += 1;
        let command = text.chars().last().unwrap_or(' ');
        if text == "s/.//" {
            if let Some(line) = lines.get_mut(current.max(1) - 1)
                && line.len() > 1
            {
                line.remove(0);
            }
            continue;
        }
        let numbers = &text[..text.len() - 1];
        let (first, last) = match numbers {
            "" => (current, current),
            n => {
                let (a, b) = n.split_once(',').unwrap_or((n, n));
                let parse = |t: &str| t.parse::<usize>().map_err(|_| format!("bad ed command {text}"));
                (parse(a)?, parse(b)?)
            }
        };
        if last > lines.len() || first > last || first == 0 && command != 'a' {
            return Err(format!("bad ed command {text}"));
        }
        let mut new = Vec::new();
        if command != 'd' {
            while at < script.len() && script[at].trim_ascii_end() != b"." {
                new.push(script[at].clone());
                at += 1;
            }
            at += 1;
        }
        let n = new.len();
        let from = match command {
            'a' => {
                lines.splice(last..last, new);
                last
            }
            'i' => {
                lines.splice(first - 1..first - 1, new);
                first - 1
            }
            _ => {
                lines.splice(first - 1..last, new);
                first - 1
            }
        };
        current = from + n;
    }
    Ok(lines.concat())
}
