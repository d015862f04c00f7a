//! Byte streams: what a file descriptor refers to, and the buffered ends that programs read and write.
//!
//! Data travels as [`Bytes`]: passing a chunk on is a reference count, never a copy.

pub mod capture;
pub mod device;
mod input;
mod output;
pub mod pipe;

pub use input::{Input, Line};
pub use output::Output;

use crate::{Budget, Bytes, Errno, Result, vfs::Stat};
use std::{io::SeekFrom, sync::Arc};

/// Bytes in one chunk while streaming: fits the second-level cache.
pub const CHUNK: usize = 64 << 10;

/// An open file description: what descriptors point to, with its offset. Shared by `dup`.
pub trait Description: Send + Sync {
    /// Up to `max` bytes; empty means end of file. Blocks until there is something.
    fn read(&self, budget: &Budget, max: usize) -> Result<Bytes> {
        let _ = (budget, max);
        Err(Errno::EBADF.into())
    }

    /// Writes all of `data`, keeping the chunk where it can. Blocks while the reader is behind.
    fn write(&self, budget: &Budget, data: Bytes) -> Result<()> {
        let _ = (budget, data);
        Err(Errno::EBADF.into())
    }

    /// Writes all of `data` by copying: for a few bytes.
    fn write_slice(&self, budget: &Budget, data: &[u8]) -> Result<()> {
        self.write(budget, Bytes::copy_from_slice(data))
    }

    /// Moves the offset; `ESPIPE` where there is none.
    fn seek(&self, to: SeekFrom) -> Result<u64> {
        let _ = to;
        Err(Errno::ESPIPE.into())
    }

    /// Gives back bytes that were read but not used, so that the next reader gets them first: moves the offset of
    /// a file, or puts the chunk back in front of a pipe. The `read` builtin needs it.
    fn unread(&self, data: Bytes) {
        let _ = data;
    }

    /// Cuts or extends the file.
    fn truncate(&self, budget: &Budget, len: u64) -> Result<()> {
        let _ = (budget, len);
        Err(Errno::EINVAL.into())
    }

    /// Metadata, as fstat gives it.
    fn stat(&self, budget: &Budget) -> Result<Stat>;

    /// Whether it can be read and written.
    fn access(&self) -> Access;

    /// The whole rest from the offset without copying, if the description can do better than repeated reads
    /// (a file body in memory); moves the offset to the end. `None`: read in chunks.
    fn rest(&self, budget: &Budget) -> Result<Option<Bytes>> {
        let _ = budget;
        Ok(None)
    }

    /// Whether `read` would return at once.
    fn ready(&self) -> bool {
        true
    }

    /// Lets whoever reads this take the rest of `source` from it directly, and waits until that is done: no chunk
    /// goes from thread to thread. `EPIPE` when the reader leaves before the end. False: it cannot, so write.
    fn carry(&self, budget: &Budget, source: &Fd) -> Result<bool> {
        let _ = (budget, source);
        Ok(false)
    }

    /// A used chunk comes back, so that its buffer can be filled again.
    fn recycle(&self, chunk: Bytes) {
        let _ = chunk;
    }

    /// An empty buffer to fill for the next `write`, if one has come back.
    fn buffer(&self) -> Option<bytes::BytesMut> {
        None
    }

    /// A terminal, or the transcript that stands for one: standard output is then flushed before each message.
    fn interactive(&self) -> bool {
        false
    }

    /// `test -t`.
    fn terminal(&self) -> bool {
        false
    }

    /// Opens the same file once more, with an offset of its own, as opening `/dev/fd/N` does for files; `None` where
    /// that shares the description (pipes, devices).
    fn reopen(&self, options: crate::OpenOptions) -> Result<Option<Fd>> {
        let _ = options;
        Ok(None)
    }

    /// The absolute path it was opened by, where there is one.
    fn path(&self) -> Option<Bytes> {
        None
    }
}

/// A descriptor: a shared pointer to its description.
pub type Fd = Arc<dyn Description>;

/// How a description was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// For reading.
    pub read: bool,
    /// For writing.
    pub write: bool,
}

impl Access {
    /// Reading only.
    pub const READ: Access = Access { read: true, write: false };
    /// Writing only.
    pub const WRITE: Access = Access { read: false, write: true };
    /// Both.
    pub const BOTH: Access = Access { read: true, write: true };
}
