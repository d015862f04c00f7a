//! Selecting lines from a stream of chunks, with context: what grep and rg share. The pattern is searched in the
//! whole chunk at once; line bounds, numbers and context are found only around what is selected.

use super::rg::Pattern;
use memchr::{memchr, memchr_iter, memrchr};
use sandshell_kernel::{Budget, Bytes, FileKind, Input, Result};
use sandshell_text::regex::LineFinder;
use std::collections::VecDeque;

/// A line to be printed.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    /// Its bytes, without the terminator.
    pub bytes: &'a [u8],
    /// Its number, from 1; 0 when numbers were not asked for.
    pub number: u64,
    /// Bytes before it.
    pub offset: u64,
    /// Whether its terminator is there.
    pub terminated: bool,
    /// Whether it was selected, or is context.
    pub selected: bool,
}

/// What takes the lines.
pub trait Sink {
    /// A line, selected or context.
    fn line(&mut self, line: Line<'_>) -> Result<()>;

    /// Lines are left out between what was printed and what comes.
    fn gap(&mut self) -> Result<()>;

    /// Selected lines that follow each other, as a range of the chunk; the last may lack its terminator.
    fn run(&mut self, chunk: &Bytes, from: usize, to: usize) -> Result<()>;
}

/// What to select.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Lines that do not match.
    pub invert: bool,
    /// Lines of context before.
    pub before: usize,
    /// Lines of context after.
    pub after: usize,
    /// Every line that is not selected is context.
    pub passthru: bool,
    /// Tell gaps.
    pub gaps: bool,
    /// Stop after so many selected lines.
    pub max: Option<u64>,
    /// What ends a line.
    pub eol: u8,
    /// Count lines.
    pub numbers: bool,
    /// Hand over runs and not lines; only without context, numbers and `max`.
    pub runs: bool,
    /// Only count: nothing is handed over.
    pub count: bool,
}

/// How a pattern finds lines.
pub enum Matcher<'p> {
    /// By a regular expression.
    Regex(Box<LineFinder>),
    /// By a pattern of rg.
    Pattern(&'p Pattern),
    /// By bounds of lines known beforehand, of a text that comes in one chunk.
    Lines(Vec<(usize, usize)>),
    /// No pattern at all: nothing matches.
    Nothing,
}

/// The state of one search through one input.
pub struct Scan<'m, 'p> {
    rules: Rules,
    matcher: &'m mut Matcher<'p>,
    /// Lines selected so far.
    pub selected: u64,
    /// Where the current chunk begins.
    base: u64,
    /// Lines before `counted` in the current chunk.
    lines: u64,
    counted: usize,
    pending: usize,
    last_out: Option<u64>,
    /// Unprinted lines at the end of what came before the current chunk.
    tail: VecDeque<Bytes>,
    /// As many lines were selected as were wanted.
    done: bool,
}

impl<'m, 'p> Scan<'m, 'p> {
    /// A new search.
    pub fn new(rules: Rules, matcher: &'m mut Matcher<'p>) -> Scan<'m, 'p> {
        let passthru = rules.passthru;
        Scan {
            rules,
            matcher,
            selected: 0,
            base: 0,
            lines: 0,
            counted: 0,
            pending: if passthru { usize::MAX } else { 0 },
            last_out: None,
            tail: VecDeque::new(),
            done: false,
        }
    }

    /// Whether nothing more of the input is wanted.
    pub fn done(&self) -> bool {
        self.done && self.pending == 0
    }

    /// Searches a chunk of whole lines. Gives how many bytes of it were used.
    pub fn feed(&mut self, chunk: &Bytes, sink: &mut dyn Sink) -> Result<usize> {
        self.counted = 0;
        let mut at = 0;
        if self.rules.max == Some(self.selected) {
            self.done = true;
        }
        // The matcher is taken out, so that its search of the chunk and our state can be used side by side.
        let mut matcher = std::mem::replace(self.matcher, Matcher::Nothing);
        let result = self.feed_with(chunk, sink, &mut matcher, &mut at);
        *self.matcher = matcher;
        result?;
        if self.done {
            at += self.unselected(chunk, at, chunk.len(), sink)?;
            if self.pending == 0 {
                return Ok(at);
            }
        }
        self.end_chunk(chunk);
        Ok(chunk.len())
    }

    fn feed_with(
        &mut self,
        chunk: &Bytes,
        sink: &mut dyn Sink,
        matcher: &mut Matcher<'p>,
        at: &mut usize,
    ) -> Result<()> {
        let len = chunk.len();
        let eol = self.rules.eol;
        let mut search = None;
        let mut given: &[(usize, usize)] = &[];
        let mut pattern = None;
        match matcher {
            Matcher::Regex(finder) => search = Some(finder.on(chunk)),
            Matcher::Pattern(p) => pattern = Some(*p),
            Matcher::Lines(lines) => given = lines,
            Matcher::Nothing => {}
        }
        let next = |from: usize| -> Option<(usize, usize)> {
            if let Some(s) = &search {
                return s.next(from);
            }
            if let Some(p) = pattern {
                return p.next_line(chunk, from, eol);
            }
            given.get(given.partition_point(|l| l.0 < from)).copied()
        };
        while *at < len && !self.done {
            match self.rules.invert {
                false => {
                    let Some((start, end)) = next(*at) else { break };
                    let mut stop = (end + 1).min(len);
                    if self.rules.count {
                        self.selected += 1;
                    } else if self.rules.runs {
                        self.selected += 1;
                        // Matching lines that follow each other make one run.
                        let mut from = start;
                        while stop < len {
                            let Some((s, e)) = next(stop) else {
                                sink.run(chunk, from, stop)?;
                                *at = len;
                                return Ok(());
                            };
                            self.selected += 1;
                            if s != stop {
                                sink.run(chunk, from, stop)?;
                                from = s;
                            }
                            stop = (e + 1).min(len);
                        }
                        sink.run(chunk, from, stop)?;
                    } else {
                        self.unselected(chunk, *at, start, sink)?;
                        self.select(chunk, start, end, sink)?;
                    }
                    *at = stop;
                }
                true => {
                    let found = next(*at);
                    let until = found.map_or(len, |(s, _)| s);
                    self.select_all(chunk, *at, until, sink, at)?;
                    if self.done {
                        return Ok(());
                    }
                    *at = until;
                    if let Some((s, e)) = found {
                        let stop = (e + 1).min(len);
                        self.unselected(chunk, s, stop, sink)?;
                        *at = stop;
                    }
                }
            }
        }
        if !self.done && *at < len {
            // Nothing more matches.
            self.unselected(chunk, *at, len, sink)?;
            *at = len;
        }
        Ok(())
    }

    /// Selects every line of a range.
    fn select_all(
        &mut self,
        chunk: &Bytes,
        from: usize,
        to: usize,
        sink: &mut dyn Sink,
        at: &mut usize,
    ) -> Result<()> {
        if from == to {
            return Ok(());
        }
        let eol = self.rules.eol;
        if self.rules.count || self.rules.runs {
            let range = &chunk[from..to];
            let n = memchr_iter(eol, range).count() + usize::from(range.last() != Some(&eol));
            self.selected += n as u64;
            if self.rules.runs && !self.rules.count {
                sink.run(chunk, from, to)?;
            }
            return Ok(());
        }
        *at = from;
        while *at < to && !self.done {
            let end = memchr(eol, &chunk[*at..to]).map_or(to, |n| *at + n);
            self.select(chunk, *at, end, sink)?;
            *at = (end + 1).min(to);
        }
        Ok(())
    }

    /// Prints what of a range of unselected lines is context of the line before; how many bytes.
    fn unselected(&mut self, chunk: &Bytes, from: usize, to: usize, sink: &mut dyn Sink) -> Result<usize> {
        let mut at = from;
        while self.pending > 0 && at < to {
            let end = memchr(self.rules.eol, &chunk[at..to]).map_or(to, |n| at + n);
            self.pending -= 1;
            self.emit(chunk, at, end, false, sink)?;
            at = (end + 1).min(to);
        }
        Ok(at - from)
    }

    fn select(&mut self, chunk: &Bytes, start: usize, end: usize, sink: &mut dyn Sink) -> Result<()> {
        self.selected += 1;
        if self.rules.count {
            // Only the number is wanted, up to `max`.
        } else {
            if self.rules.before > 0 || self.rules.gaps {
                self.lead_in(chunk, start, sink)?;
            }
            self.emit(chunk, start, end, true, sink)?;
        }
        self.pending = if self.rules.passthru { usize::MAX } else { self.rules.after };
        if self.rules.max == Some(self.selected) {
            self.done = true;
        }
        Ok(())
    }

    /// The gap and the context before a selected line.
    fn lead_in(&mut self, chunk: &Bytes, start: usize, sink: &mut dyn Sink) -> Result<()> {
        let eol = self.rules.eol;
        let printed = self.last_out.map_or(0, |o| o.saturating_sub(self.base)) as usize;
        let mut first = start;
        let mut wanted = self.rules.before;
        while wanted > 0 && first > printed {
            first = memrchr(eol, &chunk[printed..first - 1]).map_or(printed, |n| printed + n + 1);
            wanted -= 1;
        }
        let mut early: Vec<Bytes> = Vec::new();
        if wanted > 0 && first == 0 && self.last_out.is_none_or(|o| o <= self.base) {
            let skip = self.tail.len().saturating_sub(wanted);
            early = self.tail.iter().skip(skip).cloned().collect();
        }
        let early_bytes: u64 = early.iter().map(|l| l.len() as u64).sum();
        let begins = self.base + first as u64 - early_bytes;
        if self.rules.gaps && self.last_out.is_some_and(|o| o != begins) {
            sink.gap()?;
        }
        let mut offset = begins;
        for (i, line) in early.iter().enumerate() {
            let bare = line.strip_suffix(&[eol]).unwrap_or(line);
            // `counted` is still at the start of the chunk: nothing of it was printed.
            let number = if self.rules.numbers { self.lines + 1 - (early.len() - i) as u64 } else { 0 };
            sink.line(Line { bytes: bare, number, offset, terminated: true, selected: false })?;
            offset += line.len() as u64;
        }
        let mut at = first;
        while at < start {
            let end = memchr(eol, &chunk[at..start]).map_or(start, |n| at + n);
            self.emit(chunk, at, end, false, sink)?;
            at = end + 1;
        }
        Ok(())
    }

    fn emit(
        &mut self,
        chunk: &Bytes,
        start: usize,
        end: usize,
        selected: bool,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let mut number = 0;
        if self.rules.numbers {
            self.lines += memchr_iter(self.rules.eol, &chunk[self.counted..start]).count() as u64;
            self.counted = start;
            number = self.lines + 1;
        }
        let stop = (end + 1).min(chunk.len());
        self.last_out = Some(self.base + stop as u64);
        let terminated = end < chunk.len();
        sink.line(Line {
            bytes: &chunk[start..end],
            number,
            offset: self.base + start as u64,
            terminated,
            selected,
        })
    }

    fn end_chunk(&mut self, chunk: &Bytes) {
        let eol = self.rules.eol;
        if self.rules.numbers {
            self.lines += memchr_iter(eol, &chunk[self.counted..]).count() as u64;
        }
        if self.rules.before > 0 {
            let printed = self.last_out.map_or(0, |o| o.saturating_sub(self.base)) as usize;
            if self.last_out.is_some_and(|o| o > self.base) {
                self.tail.clear();
            }
            let mut lines = Vec::new();
            let mut at = chunk.len();
            while lines.len() < self.rules.before && at > printed {
                let from = memrchr(eol, &chunk[printed..at - 1]).map_or(printed, |n| printed + n + 1);
                lines.push(chunk.slice(from..at));
                at = from;
            }
            self.tail.extend(lines.into_iter().rev());
            while self.tail.len() > self.rules.before {
                self.tail.pop_front();
            }
        }
        self.base += chunk.len() as u64;
        self.counted = 0;
    }
}

/// An input in chunks of whole lines. A file that lies in memory is cut too, so that a search looks at its budget now
/// and then, and so that a NUL far behind does not make what comes before it binary.
pub struct Chunks<'i> {
    /// What is left of a file that lies in memory.
    pub whole: Option<Bytes>,
    input: &'i mut Input,
    eol: u8,
    size: usize,
    /// Bytes given so far.
    pub passed: usize,
}

impl<'i> Chunks<'i> {
    /// Cuts `input` (or `whole`, if it lies in memory) into chunks of about `size` bytes.
    pub fn new(whole: Option<Bytes>, input: &'i mut Input, eol: u8, size: usize) -> Chunks<'i> {
        Chunks { whole, input, eol, size, passed: 0 }
    }

    /// The next chunk.
    pub fn next(&mut self) -> Result<Option<Bytes>> {
        let chunk = match &mut self.whole {
            None => self.input.next_lines(self.eol)?,
            Some(whole) if whole.is_empty() => None,
            Some(whole) if whole.len() <= self.size => Some(std::mem::take(whole)),
            Some(whole) => {
                let after =
                    || memchr(self.eol, &whole[self.size..]).map_or(whole.len(), |n| self.size + n + 1);
                let end = memrchr(self.eol, &whole[..self.size]).map_or_else(after, |n| n + 1);
                Some(whole.split_to(end))
            }
        };
        self.passed += chunk.as_ref().map_or(0, Bytes::len);
        Ok(chunk)
    }

    /// Gives back to a file what was not used of it, so that the next reader finds it.
    pub fn give_back(&mut self, rest: Bytes, budget: &Budget) {
        let fd = self.input.fd();
        let Some(later) = self.whole.take() else { return };
        let regular = fd.stat(budget).is_ok_and(|s| s.kind == FileKind::File);
        if regular && rest.len() + later.len() > 0 {
            let all = if later.is_empty() { rest } else { Bytes::from([rest, later].concat()) };
            fd.unread(all);
        }
    }
}
