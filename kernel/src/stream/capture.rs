//! Descriptions that the host or the shell reads afterwards: a growing buffer, fixed bytes, and a sink to a
//! host callback.

use super::{Access, Description};
use crate::{Budget, Bytes, Errno, Reservation, Result, vfs::Stat};
use parking_lot::Mutex;
use std::{io::SeekFrom, sync::Arc};

/// Collects what is written, for `$( )` and here-strings in reverse. Charged to the budget.
#[derive(Debug)]
pub struct Buffer(Mutex<(Vec<u8>, Reservation)>);

impl Buffer {
    /// An empty buffer.
    pub fn new(budget: &Budget) -> Arc<Buffer> {
        Arc::new(Buffer(Mutex::new((Vec::new(), budget.reservation()))))
    }

    /// Takes what was written so far.
    pub fn take(&self) -> Vec<u8> {
        let mut b = self.0.lock();
        let _ = b.1.set(0);
        std::mem::take(&mut b.0)
    }
}

impl Description for Buffer {
    fn write(&self, budget: &Budget, data: Bytes) -> Result<()> {
        self.write_slice(budget, &data)
    }

    fn write_slice(&self, _: &Budget, data: &[u8]) -> Result<()> {
        let mut b = self.0.lock();
        let before = b.0.capacity();
        b.0.extend_from_slice(data);
        let after = b.0.capacity();
        if after != before {
            b.1.set(after as u64)?;
        }
        Ok(())
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        Ok(Stat::fifo())
    }

    fn access(&self) -> Access {
        Access::WRITE
    }
}

/// Bytes to be read: a here-document, a here-string, a script given by the host. Seekable like the temporary
/// file that bash uses.
#[derive(Debug)]
pub struct Fixed {
    data: Bytes,
    at: Mutex<usize>,
}

impl Fixed {
    /// Reads from the start of `data`.
    pub fn new(data: Bytes) -> Arc<Fixed> {
        Arc::new(Fixed { data, at: Mutex::new(0) })
    }
}

impl Description for Fixed {
    fn read(&self, _: &Budget, max: usize) -> Result<Bytes> {
        let mut at = self.at.lock();
        let end = at.saturating_add(max).min(self.data.len());
        let chunk = self.data.slice((*at).min(end)..end);
        *at = end;
        Ok(chunk)
    }

    fn seek(&self, to: SeekFrom) -> Result<u64> {
        let mut at = self.at.lock();
        let new = match to {
            SeekFrom::Start(n) => i64::try_from(n).unwrap_or(i64::MAX),
            SeekFrom::End(n) => n.saturating_add(self.data.len() as i64),
            SeekFrom::Current(n) => n.saturating_add(*at as i64),
        };
        *at = usize::try_from(new).map_err(|_| Errno::EINVAL)?;
        Ok(*at as u64)
    }

    fn unread(&self, data: Bytes) {
        let mut at = self.at.lock();
        *at = at.saturating_sub(data.len());
    }

    fn rest(&self, budget: &Budget) -> Result<Option<Bytes>> {
        self.read(budget, usize::MAX).map(Some)
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        Ok(Stat { size: self.data.len() as u64, ..Stat::file() })
    }

    fn access(&self) -> Access {
        Access::READ
    }
}
