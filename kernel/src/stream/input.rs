//! The reading end of a program: chunks, lines, all of it, or `std::io::Read`.

use super::{CHUNK, Fd};
use crate::{Budget, Bytes, Result};
use bytes::Buf;
use std::io;

/// The most that is set aside for a file before it is read.
const MOST: u64 = 256 << 20;

/// A buffered reader over a descriptor. Chunks are taken whole and sliced, so reading lines copies nothing but
/// the line that straddles two chunks.
pub struct Input {
    fd: Fd,
    budget: Budget,
    chunk: Bytes,
    /// A private copy of the chunk that is being sliced, to be recycled when used up.
    whole: Bytes,
    carry: Vec<u8>,
    eof: bool,
    give_back: bool,
}

/// A line without its delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The bytes before the delimiter.
    pub bytes: &'a [u8],
    /// False for a last line that has no delimiter.
    pub terminated: bool,
}

impl Input {
    /// Reads from `fd`.
    pub fn new(fd: Fd, budget: &Budget) -> Input {
        Input {
            fd,
            budget: budget.clone(),
            chunk: Bytes::new(),
            whole: Bytes::new(),
            carry: Vec::new(),
            eof: false,
            give_back: false,
        }
    }

    /// The descriptor below.
    pub fn fd(&self) -> &Fd {
        &self.fd
    }

    /// On drop, gives what was read but not used back to a seekable file (as GNU head, sed and others do by
    /// seeking). A pipe loses it, as it does under a real shell.
    pub fn give_back_unused(&mut self) {
        self.give_back = true;
    }

    /// Whether nothing is held that was read and not used.
    pub(super) fn untouched(&self) -> bool {
        self.chunk.is_empty() && self.carry.is_empty()
    }

    /// The unread bytes at hand, reading more when there are none. Empty at the end.
    #[inline]
    pub fn fill(&mut self) -> Result<&[u8]> {
        if self.chunk.is_empty() && !self.eof {
            self.refill()?;
        }
        Ok(&self.chunk)
    }

    #[cold]
    fn refill(&mut self) -> Result<()> {
        self.chunk = Bytes::new();
        if !self.whole.is_empty() {
            self.fd.recycle(std::mem::take(&mut self.whole));
        }
        self.budget.step()?;
        self.chunk = self.fd.read(&self.budget, CHUNK)?;
        self.whole = self.chunk.clone();
        self.eof = self.chunk.is_empty();
        Ok(())
    }

    /// Marks `n` of the bytes that [`Input::fill`] gave as used.
    #[inline]
    pub fn consume(&mut self, n: usize) {
        self.chunk.advance(n);
    }

    /// The next chunk, whole and without a copy; `None` at the end.
    pub fn next_chunk(&mut self) -> Result<Option<Bytes>> {
        self.fill()?;
        // The receiver owns the only other reference, so it can be recycled or kept.
        self.whole = Bytes::new();
        let chunk = std::mem::take(&mut self.chunk);
        Ok((!chunk.is_empty()).then_some(chunk))
    }

    /// The next chunk cut at a line end, so that it holds whole lines only (the very last line may lack its
    /// delimiter). A line that straddles two chunks comes as a chunk of its own; nothing else is copied.
    pub fn next_lines(&mut self, delimiter: u8) -> Result<Option<Bytes>> {
        loop {
            if self.fill()?.is_empty() {
                let last = std::mem::take(&mut self.carry);
                return Ok((!last.is_empty()).then(|| Bytes::from(last)));
            }
            if !self.carry.is_empty() {
                match memchr::memchr(delimiter, &self.chunk) {
                    Some(i) => {
                        let mut line = std::mem::take(&mut self.carry);
                        line.extend_from_slice(&self.chunk[..=i]);
                        self.consume(i + 1);
                        return Ok(Some(Bytes::from(line)));
                    }
                    None => self.carry_rest(),
                }
                continue;
            }
            match memchr::memrchr(delimiter, &self.chunk) {
                Some(i) => {
                    let lines = self.chunk.split_to(i + 1);
                    if !self.chunk.is_empty() {
                        self.carry_rest();
                    }
                    self.whole = Bytes::new();
                    return Ok(Some(lines));
                }
                None => self.carry_rest(),
            }
        }
    }

    fn carry_rest(&mut self) {
        self.carry.extend_from_slice(&self.chunk);
        self.chunk = Bytes::new();
    }

    /// The next line without its delimiter, borrowed until the next call; `None` at the end.
    #[inline]
    pub fn line(&mut self, delimiter: u8) -> Result<Option<Line<'_>>> {
        if self.chunk.is_empty() && !self.eof {
            self.refill()?;
        }
        match memchr::memchr(delimiter, &self.chunk) {
            Some(i) => {
                // `split_to` would count references; the bytes stay in `whole` while `chunk` moves on.
                let at = self.whole.len() - self.chunk.len();
                self.chunk.advance(i + 1);
                Ok(Some(Line { bytes: &self.whole[at..at + i], terminated: true }))
            }
            None => self.straddling(delimiter),
        }
    }

    #[cold]
    fn straddling(&mut self, delimiter: u8) -> Result<Option<Line<'_>>> {
        self.carry.clear();
        let found = self.read_more(delimiter)?;
        if !found && self.carry.is_empty() {
            return Ok(None);
        }
        Ok(Some(Line { bytes: &self.carry, terminated: found }))
    }

    /// Appends to `carry` up to and without the delimiter; whether it was found.
    fn read_more(&mut self, delimiter: u8) -> Result<bool> {
        loop {
            if self.fill()?.is_empty() {
                return Ok(false);
            }
            if let Some(i) = memchr::memchr(delimiter, &self.chunk) {
                self.carry.extend_from_slice(&self.chunk[..i]);
                self.chunk.advance(i + 1);
                return Ok(true);
            }
            self.carry_rest();
        }
    }

    /// Appends the next line with its delimiter to `line`; how many bytes, 0 at the end.
    pub fn read_line(&mut self, delimiter: u8, line: &mut Vec<u8>) -> Result<usize> {
        match self.line(delimiter)? {
            None => Ok(0),
            Some(l) => {
                line.extend_from_slice(l.bytes);
                let n = l.bytes.len() + usize::from(l.terminated);
                if l.terminated {
                    line.push(delimiter);
                }
                Ok(n)
            }
        }
    }

    /// All that is left, in one piece: without a copy when a file's body lies in one piece. The caller charges
    /// its memory with [`Budget::reserve`] if it keeps it long; this charges while it gathers.
    pub fn read_all(&mut self) -> Result<Bytes> {
        if self.untouched()
            && let Some(rest) = self.fd.rest(&self.budget)?
        {
            self.eof = true;
            return Ok(rest);
        }
        let first = match self.next_chunk()? {
            None => return Ok(Bytes::new()),
            Some(c) => c,
        };
        let Some(second) = self.next_chunk()? else { return Ok(first) };
        let mut held = self.budget.reserve((first.len() + second.len()) as u64)?;
        // A file says how long it is; what is not filled is never touched.
        let size = self.fd.stat(&self.budget).map_or(0, |s| s.size.min(MOST));
        let mut all = Vec::with_capacity((size as usize + 1).max((first.len() + second.len()) * 4));
        all.extend_from_slice(&first);
        all.extend_from_slice(&second);
        self.fd.recycle(first);
        self.fd.recycle(second);
        while let Some(c) = self.next_chunk()? {
            held.grow(c.len() as u64)?;
            all.extend_from_slice(&c);
            self.fd.recycle(c);
        }
        Ok(Bytes::from(all))
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        if self.give_back && !self.chunk.is_empty() {
            let _ = self.fd.seek(io::SeekFrom::Current(-(self.chunk.len() as i64)));
        }
    }
}

impl io::Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let data = self.fill()?;
        let n = data.len().min(buf.len());
        buf[..n].copy_from_slice(&data[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl io::BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.fill()?)
    }

    fn consume(&mut self, n: usize) {
        Input::consume(self, n);
    }
}
