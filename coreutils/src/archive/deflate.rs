//! The gzip format (RFC 1952) over streams: what gzip, zcat and tar share.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status as Flate};
use sandshell_kernel::{Budget, Bytes, Error, Input, Output, Result};

const CHUNK: usize = 64 << 10;

/// Why a stream could not be decompressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The call below failed.
    Os(Error),
    /// It does not begin as a gzip file does.
    NotGzip,
    /// It ends too early.
    Eof,
    /// The checksum differs.
    Crc,
    /// The length differs.
    Length,
    /// The data is no deflate stream.
    Format,
    /// A method other than deflate.
    Method(u8),
}

impl From<Error> for Fault {
    fn from(e: Error) -> Fault {
        Fault::Os(e)
    }
}

/// What the header of a member says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Member {
    pub name: Option<Bytes>,
    pub mtime: u32,
    /// Bytes of the header.
    pub header: u64,
}

/// Decompresses all members of a stream.
pub(crate) struct Gunzip {
    input: Input,
    inflate: Decompress,
    crc: crc32fast::Hasher,
    len: u64,
    inside: bool,
    /// Members that ended well.
    pub members: u32,
    /// Bytes behind the last member that are no member.
    pub garbage: bool,
    /// The last header.
    pub member: Member,
    /// Compressed and decompressed bytes so far.
    pub total_in: u64,
    pub total_out: u64,
    /// The trailer's checksum of the last member.
    pub last_crc: u32,
}

impl Gunzip {
    /// Over a stream that begins with a member.
    pub fn new(input: Input) -> Gunzip {
        Gunzip {
            input,
            inflate: Decompress::new(false),
            crc: crc32fast::Hasher::new(),
            len: 0,
            inside: false,
            members: 0,
            garbage: false,
            member: Member::default(),
            total_in: 0,
            total_out: 0,
            last_crc: 0,
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, Fault> {
        let b = self.input.fill()?.first().copied();
        if b.is_some() {
            self.input.consume(1);
            self.total_in += 1;
        }
        Ok(b)
    }

    fn need(&mut self) -> Result<u8, Fault> {
        self.byte()?.ok_or(Fault::Eof)
    }

    /// Reads a header; false at the end of the stream.
    fn header(&mut self) -> Result<bool, Fault> {
        let start = self.total_in;
        let Some(first) = self.byte()? else {
            return if self.members == 0 { Err(Fault::Eof) } else { Ok(false) };
        };
        let second = self.byte()?;
        if (first, second) != (0x1f, Some(0x8b)) {
            if self.members > 0 {
                // Zeros that fill up a block are silently passed.
                let mut zeros = first == 0 && second.is_none_or(|b| b == 0);
                while zeros && let Some(b) = self.byte()? {
                    zeros = b == 0;
                }
                self.garbage = !zeros;
                return Ok(false);
            }
            return Err(Fault::NotGzip);
        }
        match self.need()? {
            8 => {}
            m => return Err(Fault::Method(m)),
        }
        let flags = self.need()?;
        let mut mtime = [0; 4];
        for b in &mut mtime {
            *b = self.need()?;
        }
        self.need()?;
        self.need()?;
        if flags & 4 != 0 {
            let n = u16::from_le_bytes([self.need()?, self.need()?]);
            for _ in 0..n {
                self.need()?;
            }
        }
        let mut text = |on: bool| -> Result<Option<Bytes>, Fault> {
            let mut t = Vec::new();
            if !on {
                return Ok(None);
            }
            loop {
                match self.need()? {
                    0 => return Ok(Some(Bytes::from(t))),
                    b if t.len() < 4096 => t.push(b),
                    _ => {}
                }
            }
        };
        let name = text(flags & 8 != 0)?;
        text(flags & 16 != 0)?;
        if flags & 2 != 0 {
            self.need()?;
            self.need()?;
        }
        self.member = Member { name, mtime: u32::from_le_bytes(mtime), header: self.total_in - start };
        self.inflate.reset(false);
        (self.crc, self.len) = (crc32fast::Hasher::new(), 0);
        Ok(true)
    }

    /// The next decompressed bytes; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        loop {
            if !self.inside {
                if !self.header()? {
                    return Ok(None);
                }
                self.inside = true;
            }
            let mut out = Vec::with_capacity(CHUNK);
            let data = self.input.fill()?;
            let empty = data.is_empty();
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self
                .inflate
                .decompress_vec(data, &mut out, FlushDecompress::None)
                .map_err(|_| Fault::Format)?;
            let used = self.inflate.total_in() - before_in;
            let made = self.inflate.total_out() - before_out;
            self.input.consume(used as usize);
            self.total_in += used;
            self.total_out += made;
            self.len += made;
            self.crc.update(&out);
            if status == Flate::StreamEnd {
                self.trailer()?;
            } else if empty && used == 0 && made == 0 {
                return Err(Fault::Eof);
            }
            if !out.is_empty() {
                return Ok(Some(Bytes::from(out)));
            }
        }
    }

    fn trailer(&mut self) -> Result<(), Fault> {
        let mut t = [0; 8];
        for b in &mut t {
            *b = self.need()?;
        }
        self.inside = false;
        let word = |i: usize| u32::from_le_bytes([t[i], t[i + 1], t[i + 2], t[i + 3]]);
        self.last_crc = word(0);
        if word(0) != self.crc.clone().finalize() {
            return Err(Fault::Crc);
        }
        if word(4) != self.len as u32 {
            return Err(Fault::Length);
        }
        self.members += 1;
        Ok(())
    }
}

/// Compresses one member into an output.
pub(crate) struct Gzip {
    deflate: Compress,
    crc: crc32fast::Hasher,
    buffer: Vec<u8>,
    pub total_in: u64,
    pub total_out: u64,
}

impl Gzip {
    /// Writes the header. `level` is 1 to 9.
    pub fn new(out: &mut Output, level: u32, name: Option<&[u8]>, mtime: u32) -> Result<Gzip> {
        let mut header = vec![0x1f, 0x8b, 8, if name.is_some() { 8 } else { 0 }];
        header.extend_from_slice(&mtime.to_le_bytes());
        header.push(match level {
            9 => 2,
            1 => 4,
            _ => 0,
        });
        header.push(3);
        if let Some(n) = name {
            header.extend_from_slice(n);
            header.push(0);
        }
        out.put(&header)?;
        Ok(Gzip {
            deflate: Compress::new(Compression::new(level), false),
            crc: crc32fast::Hasher::new(),
            buffer: Vec::with_capacity(CHUNK),
            total_in: 0,
            total_out: header.len() as u64,
        })
    }

    fn run(
        &mut self,
        budget: &Budget,
        out: &mut Output,
        mut data: &[u8],
        flush: FlushCompress,
    ) -> Result<()> {
        loop {
            budget.step()?;
            self.buffer.clear();
            let before = self.deflate.total_in();
            let status = self.deflate.compress_vec(data, &mut self.buffer, flush);
            let status = status.map_err(|_| sandshell_kernel::Errno::EIO)?;
            data = &data[(self.deflate.total_in() - before) as usize..];
            out.put(&self.buffer)?;
            self.total_out += self.buffer.len() as u64;
            let more = flush == FlushCompress::Finish && status != Flate::StreamEnd;
            if data.is_empty() && !more && self.buffer.len() < self.buffer.capacity() {
                return Ok(());
            }
            if data.is_empty() && status == Flate::StreamEnd {
                return Ok(());
            }
        }
    }

    /// Compresses some more.
    pub fn write(&mut self, budget: &Budget, out: &mut Output, data: &[u8]) -> Result<()> {
        self.crc.update(data);
        self.total_in += data.len() as u64;
        self.run(budget, out, data, FlushCompress::None)
    }

    /// Writes what is left and the trailer.
    pub fn finish(&mut self, budget: &Budget, out: &mut Output) -> Result<()> {
        self.run(budget, out, b"", FlushCompress::Finish)?;
        out.put(&self.crc.clone().finalize().to_le_bytes())?;
        self.total_out += 8;
        out.put(&(self.total_in as u32).to_le_bytes())
    }
}
