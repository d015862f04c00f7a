//! The devices: null, zero, full, random.

use super::{Access, CHUNK, Description};
use crate::{Budget, Bytes, Errno, Result, vfs::Stat};
use std::io::SeekFrom;

/// A character device of `/dev`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// Reads nothing, swallows all.
    Null,
    /// Reads zeros.
    Zero,
    /// Reads zeros; a write fails with `ENOSPC`.
    Full,
    /// Reads random bytes (`/dev/random` and `/dev/urandom`).
    Random,
}

impl Description for Device {
    fn read(&self, budget: &Budget, max: usize) -> Result<Bytes> {
        static ZEROS: [u8; CHUNK] = [0; CHUNK];
        budget.step()?;
        match self {
            Device::Null => Ok(Bytes::new()),
            Device::Zero | Device::Full => Ok(Bytes::from_static(&ZEROS[..max.min(CHUNK)])),
            Device::Random => {
                let mut b = vec![0; max.min(CHUNK)];
                getrandom::fill(&mut b).map_err(|_| Errno::EIO)?;
                Ok(Bytes::from(b))
            }
        }
    }

    fn write(&self, budget: &Budget, data: Bytes) -> Result<()> {
        self.write_slice(budget, &data)
    }

    fn write_slice(&self, _: &Budget, data: &[u8]) -> Result<()> {
        match self {
            Device::Full if !data.is_empty() => Err(Errno::ENOSPC.into()),
            _ => Ok(()),
        }
    }

    fn seek(&self, _: SeekFrom) -> Result<u64> {
        Ok(0)
    }

    fn truncate(&self, _: &Budget, _: u64) -> Result<()> {
        Ok(())
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        Ok(Stat::device(*self))
    }

    fn access(&self) -> Access {
        Access::BOTH
    }
}
