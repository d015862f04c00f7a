//! The process's own standard input, output and error as descriptors of a script: what is written goes out at once,
//! what is read is waited for no longer than the script may live.

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::BorrowedFd,
    io::Errno as Os,
};
use sandshell::parts::kernel::{
    Budget, Description, Errno, Error, Fd, FileKind, Result, Stat, Stop,
    stream::{Access, CHUNK, pipe},
};
use std::{
    io::SeekFrom,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Standard input, output and error. More than `max_output` bytes of output stop the script.
pub fn descriptors(max_output: u64) -> [Fd; 3] {
    let left = Arc::new(AtomicU64::new(max_output));
    [
        Arc::new(Stdin { pushed: Mutex::default() }),
        Arc::new(Stdout { error: false, left: left.clone() }),
        Arc::new(Stdout { error: true, left }),
    ]
}

struct Stdin {
    /// Bytes given back, the last first.
    pushed: Mutex<Vec<Bytes>>,
}

impl Description for Stdin {
    fn read(&self, budget: &Budget, max: usize) -> Result<Bytes> {
        if let Some(mut first) = self.pushed.lock().pop() {
            if first.len() > max {
                self.pushed.lock().push(first.split_off(max));
            }
            return Ok(first);
        }
        let fd = rustix::stdio::stdin();
        wait_readable(fd, budget)?;
        let mut buffer = BytesMut::zeroed(max.min(CHUNK));
        loop {
            match rustix::io::read(fd, &mut buffer[..]) {
                Ok(n) => {
                    buffer.truncate(n);
                    return Ok(buffer.freeze());
                }
                Err(Os::INTR | Os::AGAIN) => wait_readable(fd, budget)?,
                Err(e) => return Err(errno(e)),
            }
        }
    }

    fn seek(&self, to: SeekFrom) -> Result<u64> {
        let to = match to {
            SeekFrom::Start(n) => rustix::fs::SeekFrom::Start(n),
            SeekFrom::End(n) => rustix::fs::SeekFrom::End(n),
            SeekFrom::Current(n) => rustix::fs::SeekFrom::Current(n),
        };
        rustix::fs::seek(rustix::stdio::stdin(), to).map_err(errno)
    }

    fn unread(&self, data: Bytes) {
        if !data.is_empty() && self.seek(SeekFrom::Current(-(data.len() as i64))).is_err() {
            self.pushed.lock().push(data);
        }
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        stat(rustix::stdio::stdin())
    }

    fn access(&self) -> Access {
        Access::READ
    }

    fn ready(&self) -> bool {
        !self.pushed.lock().is_empty() || readable(rustix::stdio::stdin(), 0)
    }

    fn interactive(&self) -> bool {
        self.terminal()
    }

    fn terminal(&self) -> bool {
        rustix::termios::isatty(rustix::stdio::stdin())
    }
}

struct Stdout {
    error: bool,
    /// Bytes that may still be written, by both outputs.
    left: Arc<AtomicU64>,
}

impl Stdout {
    fn fd(&self) -> BorrowedFd<'static> {
        if self.error { rustix::stdio::stderr() } else { rustix::stdio::stdout() }
    }
}

impl Description for Stdout {
    fn write(&self, budget: &Budget, data: Bytes) -> Result<()> {
        self.write_slice(budget, &data)
    }

    fn write_slice(&self, budget: &Budget, data: &[u8]) -> Result<()> {
        let may = self.left.load(Relaxed);
        let n = data.len().min(usize::try_from(may).unwrap_or(usize::MAX));
        if may != u64::MAX {
            self.left.fetch_sub(n as u64, Relaxed);
        }
        let mut rest = &data[..n];
        while !rest.is_empty() {
            match rustix::io::write(self.fd(), rest) {
                Ok(n) => rest = &rest[n..],
                Err(Os::INTR) => budget.check()?,
                Err(Os::AGAIN) => {
                    let mut fds = [PollFd::from_borrowed_fd(self.fd(), PollFlags::OUT)];
                    let _ = poll(&mut fds, Some(&SLICE));
                    budget.check()?;
                }
                Err(e) => return Err(errno(e)),
            }
        }
        if n < data.len() {
            budget.stop_script(Stop::Output);
            return Err(Error::Stop(Stop::Output));
        }
        Ok(())
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        stat(self.fd())
    }

    fn access(&self) -> Access {
        Access::WRITE
    }

    fn interactive(&self) -> bool {
        self.terminal()
    }

    fn terminal(&self) -> bool {
        rustix::termios::isatty(self.fd())
    }
}

const SLICE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

fn readable(fd: BorrowedFd<'_>, nanos: i64) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
    // An error is for the read to find.
    poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: nanos as _ })).map_or(true, |n| n > 0)
}

fn wait_readable(fd: BorrowedFd<'_>, budget: &Budget) -> Result<()> {
    if readable(fd, 0) {
        return Ok(());
    }
    pipe::promote_deferred();
    while !readable(fd, 20_000_000) {
        budget.check()?;
    }
    Ok(())
}

fn errno(e: Os) -> Error {
    Error::Os(Errno::from_raw(e.raw_os_error()).unwrap_or(Errno::EIO))
}

fn stat(fd: BorrowedFd<'_>) -> Result<Stat> {
    use rustix::fs::FileType;
    let s = rustix::fs::fstat(fd).map_err(errno)?;
    let kind = match FileType::from_raw_mode(s.st_mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        _ => FileKind::Fifo,
    };
    Ok(Stat { kind, mode: s.st_mode & 0o7777, size: s.st_size as u64, ..Stat::fifo() })
}
