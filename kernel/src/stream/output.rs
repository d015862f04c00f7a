//! The writing end of a program: a buffer that becomes a chunk when it is full.

use super::{CHUNK, Fd, Input};
use crate::{Budget, Bytes, Result};
use bytes::BytesMut;
use std::io;

/// A buffered writer over a descriptor. Nothing is written until the buffer is full or [`Output::flush`] is called;
/// whoever runs a program flushes at its end, as exit does for stdio.
pub struct Output {
    fd: Fd,
    budget: Budget,
    buf: BytesMut,
    line_buffered: bool,
}

impl Output {
    /// Writes to `fd`.
    pub fn new(fd: Fd, budget: &Budget) -> Output {
        Output { fd, budget: budget.clone(), buf: BytesMut::new(), line_buffered: false }
    }

    /// The descriptor below. Flush before writing to it directly.
    pub fn fd(&self) -> &Fd {
        &self.fd
    }

    /// Flush after every line (`stdbuf -oL`, `grep --line-buffered`, a terminal).
    pub fn set_line_buffered(&mut self, on: bool) {
        self.line_buffered = on;
    }

    /// Appends bytes.
    #[inline]
    pub fn put(&mut self, data: &[u8]) -> Result<()> {
        if self.buf.capacity() - self.buf.len() < data.len() {
            return self.put_slow(data);
        }
        self.buf.extend_from_slice(data);
        if self.line_buffered && data.contains(&b'\n') {
            return self.flush();
        }
        Ok(())
    }

    #[cold]
    fn put_slow(&mut self, mut data: &[u8]) -> Result<()> {
        while !data.is_empty() {
            if self.buf.len() >= CHUNK {
                self.flush()?;
            }
            if self.buf.capacity() == self.buf.len() {
                self.make_room(data.len());
            }
            let n = data.len().min(self.buf.capacity() - self.buf.len());
            self.buf.extend_from_slice(&data[..n]);
            data = &data[n..];
        }
        if self.line_buffered {
            self.flush()?;
        }
        Ok(())
    }

    /// Room for at least one more byte: small at first, a whole chunk when there is more to come.
    fn make_room(&mut self, wanted: usize) {
        if self.buf.is_empty() {
            if let Some(b) = self.fd.buffer() {
                self.buf = b;
                return;
            }
            let size = if wanted > 1024 { CHUNK } else { 4096 };
            self.buf = BytesMut::with_capacity(size);
        } else {
            // One growth step, from the small first buffer to a chunk.
            let mut big = BytesMut::with_capacity(CHUNK.max(self.buf.len() + 1));
            big.extend_from_slice(&self.buf);
            self.buf = big;
        }
    }

    /// Appends one byte.
    #[inline]
    pub fn byte(&mut self, b: u8) -> Result<()> {
        self.put(&[b])
    }

    /// Appends bytes and a newline.
    #[inline]
    pub fn line(&mut self, data: &[u8]) -> Result<()> {
        self.put(data)?;
        self.put(b"\n")
    }

    /// Appends formatted text.
    pub fn text(&mut self, args: std::fmt::Arguments<'_>) -> Result<()> {
        if let Some(s) = args.as_str() {
            return self.put(s.as_bytes());
        }
        io::Write::write_fmt(self, args).map_err(Into::into)
    }

    /// Passes a chunk on: without a copy when it is large.
    pub fn chunk(&mut self, data: Bytes) -> Result<()> {
        if data.len() < 4096 {
            let r = self.put(&data);
            self.fd.recycle(data);
            return r;
        }
        self.flush()?;
        self.budget.step()?;
        self.fd.write(&self.budget, data)
    }

    /// Passes all of a large file on by [`super::Description::carry`]. False, and nothing is taken: copy it.
    pub fn carry(&mut self, input: &mut Input) -> Result<bool> {
        if !input.untouched() {
            return Ok(false);
        }
        self.flush()?;
        self.fd.carry(&self.budget, input.fd())
    }

    /// Hands what is buffered to the descriptor.
    pub fn flush(&mut self) -> Result<()> {
        if self.buf.is_empty() {
            return Ok(());
        }
        self.budget.step()?;
        if self.buf.len() < 1024 {
            let r = self.fd.write_slice(&self.budget, &self.buf);
            self.buf.clear();
            return r;
        }
        let full = std::mem::take(&mut self.buf);
        self.fd.write(&self.budget, full.freeze())
    }
}

impl io::Write for Output {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.put(data)?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(Output::flush(self)?)
    }
}
