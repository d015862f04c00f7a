//! Records of an input: found in the chunk that was read, without a copy unless a record straddles two chunks.

use sandshell_kernel::{Bytes, Input, Reservation, Result};
use sandshell_text::regex::{LineFinder, Regex};
use std::rc::Rc;

/// What ends a record.
#[derive(Clone)]
pub enum Separator {
    /// One byte.
    Byte(u8),
    /// Blank lines (`RS=""`).
    Paragraph,
    /// A match.
    Regex(Rc<Regex>),
}

/// A record and its terminator, as ranges of the bytes that hold both.
#[derive(Clone, Default)]
pub struct Found {
    /// What holds them.
    pub bytes: Bytes,
    /// Tells whether `bytes` is still the chunk at hand without touching its reference count.
    chunk: u64,
    /// Where the record begins.
    pub start: usize,
    /// Where it ends and its terminator begins.
    pub end: usize,
    /// Where the terminator ends.
    pub after: usize,
}

impl Found {
    /// The record.
    #[inline]
    pub fn record(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Its terminator: `RT`.
    pub fn terminator(&self) -> &[u8] {
        &self.bytes[self.end..self.after]
    }

    /// Holds a text of its own.
    pub fn set(&mut self, text: Vec<u8>) {
        self.start = 0;
        self.end = text.len();
        self.after = text.len();
        self.bytes = Bytes::from(text);
        self.chunk = 0;
    }
}

/// Reads records.
pub struct Reader {
    input: Input,
    chunk: Bytes,
    at: usize,
    number: u64,
    ended: bool,
    held: Reservation,
    /// The chunk whose matching lines are known, where they begin, and which is next.
    searched: u64,
    matches: Vec<usize>,
    next_match: usize,
}

fn next_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Reader {
    /// Reads from `input`; `held` is what long records are charged to.
    pub fn new(input: Input, held: Reservation) -> Reader {
        Reader {
            input,
            chunk: Bytes::new(),
            at: 0,
            number: 0,
            ended: false,
            held,
            searched: 0,
            matches: Vec::new(),
            next_match: 0,
        }
    }

    /// Gives the next record; false at the end.
    #[inline]
    pub fn next(&mut self, separator: &Separator, found: &mut Found) -> Result<bool> {
        match separator {
            Separator::Byte(b) => {
                if let Some(i) = memchr::memchr(*b, &self.chunk[self.at..]) {
                    if found.chunk != self.number {
                        found.bytes = self.chunk.clone();
                        found.chunk = self.number;
                    }
                    found.start = self.at;
                    found.end = self.at + i;
                    found.after = found.end + 1;
                    self.at = found.after;
                    return Ok(true);
                }
                self.straddling(*b, found)
            }
            Separator::Paragraph => self.paragraph(found),
            Separator::Regex(r) => self.matched(&r.clone(), found),
        }
    }

    fn take_chunk(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        match self.input.next_chunk()? {
            Some(c) => {
                self.chunk = c;
                self.at = 0;
                self.number = next_number();
                Ok(true)
            }
            None => {
                self.ended = true;
                Ok(false)
            }
        }
    }

    #[cold]
    fn straddling(&mut self, b: u8, found: &mut Found) -> Result<bool> {
        let mut line = self.chunk[self.at..].to_vec();
        self.at = self.chunk.len();
        loop {
            if !self.take_chunk()? {
                if line.is_empty() {
                    return Ok(false);
                }
                found.set(line);
                return Ok(true);
            }
            let end = memchr::memchr(b, &self.chunk);
            if line.is_empty() && end.is_some() {
                return self.next(&Separator::Byte(b), found);
            }
            let upto = end.map_or(self.chunk.len(), |i| i + 1);
            line.extend_from_slice(&self.chunk[..upto]);
            self.at = upto;
            if line.len() as u64 > self.held.bytes() + (1 << 20) {
                self.held.set(line.len() as u64)?;
            }
            if end.is_some() {
                let _ = self.held.set(0);
                found.set(line);
                found.end -= 1;
                return Ok(true);
            }
        }
    }

    /// Puts more behind the unread bytes; false when there is no more.
    fn extend(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let mut window = self.chunk[self.at..].to_vec();
        // Doubling keeps the copying linear for a record of many chunks.
        let wanted = window.len() * 2;
        let had = window.len();
        while let Some(c) = self.input.next_chunk()? {
            self.held.set((window.len() + c.len()) as u64)?;
            window.extend_from_slice(&c);
            if window.len() >= wanted {
                break;
            }
        }
        self.ended = window.len() == had;
        self.chunk = Bytes::from(window);
        self.at = 0;
        self.number = next_number();
        Ok(!self.ended)
    }

    fn give(&mut self, end: usize, after: usize, found: &mut Found) -> Result<bool> {
        found.bytes = self.chunk.clone();
        found.chunk = self.number;
        (found.start, found.end, found.after) = (self.at, end, after);
        self.at = after;
        Ok(true)
    }

    fn paragraph(&mut self, found: &mut Found) -> Result<bool> {
        loop {
            let skip = self.chunk[self.at..].iter().take_while(|b| **b == b'\n').count();
            self.at += skip;
            if self.at < self.chunk.len() {
                break;
            }
            if !self.take_chunk()? {
                return Ok(false);
            }
        }
        loop {
            let text = &self.chunk[self.at..];
            let found_at = memchr::memmem::find(text, b"\n\n");
            if let Some(i) = found_at {
                let newlines = text[i..].iter().take_while(|b| **b == b'\n').count();
                if i + newlines < text.len() || self.ended {
                    let end = self.at + i;
                    return self.give(end, end + newlines, found);
                }
            } else if self.ended {
                let tail = usize::from(text.ends_with(b"\n"));
                let after = self.chunk.len();
                return self.give(after - tail, after, found);
            }
            self.extend()?;
        }
    }

    fn matched(&mut self, separator: &Regex, found: &mut Found) -> Result<bool> {
        if self.at >= self.chunk.len() && !self.take_chunk()? {
            return Ok(false);
        }
        loop {
            let text = &self.chunk[self.at..];
            let mut from = 0;
            let mut hit = None;
            while from <= text.len() {
                match separator.find_at(text, from) {
                    Some((s, e)) if s == e => from = s + 1,
                    m => {
                        hit = m;
                        break;
                    }
                }
            }
            match hit {
                // A match that touches the end might go on in the next chunk.
                Some((s, e)) if e < text.len() || self.ended => {
                    let at = self.at;
                    return self.give(at + s, at + e, found);
                }
                None if self.ended => {
                    let end = self.chunk.len();
                    return self.give(end, end, found);
                }
                _ => {
                    self.extend()?;
                }
            }
        }
    }

    /// Skips to the next line that matches, for a program that looks at no other: how many lines were skipped (`last`
    /// is the last of them), and whether the next is known to match. Lines that end beyond the chunk are left alone.
    pub fn skip_lines(&mut self, finder: &mut LineFinder, last: &mut Found) -> Result<(usize, bool)> {
        if self.at >= self.chunk.len() && !self.take_chunk()? {
            return Ok((0, false));
        }
        let Some(whole) = memchr::memrchr(b'\n', &self.chunk[self.at..]) else { return Ok((0, false)) };
        let end = self.at + whole + 1;
        if self.searched != self.number {
            self.searched = self.number;
            self.matches.clear();
            self.next_match = 0;
            let text = &self.chunk[self.at..end];
            let search = finder.on(text);
            let mut from = 0;
            while let Some((s, e)) = search.next(from) {
                self.matches.push(self.at + s);
                from = e + 1;
            }
        }
        while self.matches.get(self.next_match).is_some_and(|m| *m < self.at) {
            self.next_match += 1;
        }
        let (stop, known) = match self.matches.get(self.next_match) {
            Some(m) => (*m, true),
            None => (end, false),
        };
        if stop == self.at {
            return Ok((0, known));
        }
        let text = &self.chunk[self.at..stop];
        let start = memchr::memrchr(b'\n', &text[..text.len() - 1]).map_or(0, |i| i + 1);
        let lines = memchr::memchr_iter(b'\n', text).count();
        if last.chunk != self.number {
            last.bytes = self.chunk.clone();
            last.chunk = self.number;
        }
        (last.start, last.end, last.after) = (self.at + start, stop - 1, stop);
        self.at = stop;
        Ok((lines, known))
    }
}
