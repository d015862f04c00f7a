//! Reading and writing the blocks of an archive, compressed or not.

use super::{
    super::deflate::{Fault, Gunzip, Gzip},
    header::BLOCK,
};
use sandshell_kernel::{Budget, Bytes, Input, Output, Result};

/// Where blocks come from.
enum Source {
    Plain(Input),
    Gzip(Box<Gunzip>),
}

/// Reads an archive.
pub(super) struct Reader {
    source: Source,
    chunk: Bytes,
    /// Bytes read so far.
    pub at: u64,
    /// The compressed stream was bad.
    pub fault: Option<Fault>,
}

impl Reader {
    pub fn new(input: Input, gzip: bool) -> Reader {
        let source = if gzip { Source::Gzip(Box::new(Gunzip::new(input))) } else { Source::Plain(input) };
        Reader { source, chunk: Bytes::new(), at: 0, fault: None }
    }

    /// Up to `max` bytes as they lie; `None` at the end.
    pub fn piece(&mut self, max: u64) -> Result<Option<Bytes>> {
        if self.chunk.is_empty() {
            let next = match &mut self.source {
                Source::Plain(input) => input.next_chunk()?,
                Source::Gzip(g) => match g.next() {
                    Ok(next) => next,
                    Err(Fault::Os(e)) => return Err(e),
                    Err(f) => {
                        self.fault = Some(f);
                        None
                    }
                },
            };
            match next {
                Some(c) => self.chunk = c,
                None => return Ok(None),
            }
        }
        let n = (self.chunk.len() as u64).min(max) as usize;
        self.at += n as u64;
        Ok(Some(self.chunk.split_to(n)))
    }

    /// The next block; shorter at the end of the archive.
    pub fn block(&mut self) -> Result<Vec<u8>> {
        self.bytes(BLOCK as u64)
    }

    /// So many bytes, fewer at the end.
    pub fn bytes(&mut self, n: u64) -> Result<Vec<u8>> {
        let mut all = Vec::with_capacity(n.min(1 << 20) as usize);
        while (all.len() as u64) < n
            && let Some(piece) = self.piece(n - all.len() as u64)?
        {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }
}

/// Writes an archive.
pub(super) struct Writer {
    out: Output,
    gzip: Option<Gzip>,
    budget: Budget,
    /// Bytes before compression.
    pub at: u64,
}

impl Writer {
    pub fn new(mut out: Output, gzip: Option<u32>, budget: &Budget) -> Result<Writer> {
        let gzip = match gzip {
            Some(level) => Some(Gzip::new(&mut out, level, None, 0)?),
            None => None,
        };
        Ok(Writer { out, gzip, budget: budget.clone(), at: 0 })
    }

    pub fn put(&mut self, data: &[u8]) -> Result<()> {
        self.at += data.len() as u64;
        match &mut self.gzip {
            Some(z) => z.write(&self.budget, &mut self.out, data),
            None => self.out.put(data),
        }
    }

    pub fn chunk(&mut self, data: Bytes) -> Result<()> {
        if self.gzip.is_some() {
            return self.put(&data);
        }
        self.at += data.len() as u64;
        self.out.chunk(data)
    }

    pub fn zeros(&mut self, n: usize) -> Result<()> {
        const ZEROS: [u8; BLOCK] = [0; BLOCK];
        let mut left = n;
        while left > 0 {
            let k = left.min(BLOCK);
            self.put(&ZEROS[..k])?;
            left -= k;
        }
        Ok(())
    }

    /// The end of the archive: two empty blocks, filled up to a record. `before`: bytes that the file had already.
    pub fn finish(mut self, record: u64, before: u64) -> Result<u64> {
        self.zeros(2 * BLOCK)?;
        let over = (before + self.at) % record;
        if over > 0 {
            self.zeros((record - over) as usize)?;
        }
        if let Some(z) = &mut self.gzip {
            z.finish(&self.budget, &mut self.out)?;
        }
        self.out.flush()?;
        Ok(self.at)
    }
}
