//! Named pipes: each opening waits for the other end, as `fifo(7)` describes.

use super::Stat;
use crate::{
    Budget, Bytes, Errno, Fd, Result,
    stream::{Access, Description, pipe},
};
use parking_lot::{Condvar, Mutex};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

#[derive(Default)]
struct Ends {
    reader: Option<Weak<dyn Description>>,
    writer: Option<Weak<dyn Description>>,
    /// An end that was made for whoever opens next, while the opener of the other end waits.
    waiting_reader: Option<Fd>,
    waiting_writer: Option<Fd>,
}

/// What the openers of one named pipe share.
#[derive(Default)]
pub(super) struct Fifo {
    ends: Mutex<Ends>,
    changed: Condvar,
}

fn alive(end: &Option<Weak<dyn Description>>) -> Option<Fd> {
    end.as_ref().and_then(Weak::upgrade)
}

impl Fifo {
    /// Opens an end; waits until somebody has the other. Opened for both, it does not wait.
    pub fn open(&self, budget: &Budget, access: Access, stat: Stat) -> Result<Fd> {
        let end = match access {
            Access { read: true, write: true } => {
                let mut ends = self.ends.lock();
                let (r, w) = match (alive(&ends.reader), alive(&ends.writer)) {
                    (Some(r), Some(w)) => (r, w),
                    _ => self.fresh(&mut ends),
                };
                (ends.waiting_reader, ends.waiting_writer) = (None, None);
                drop(ends);
                self.changed.notify_all();
                return Ok(Arc::new(End { read: Some(r), write: Some(w), stat }));
            }
            Access { write: true, .. } => self.one(budget, true)?,
            _ => self.one(budget, false)?,
        };
        Ok(Arc::new(match access.write {
            true => End { read: None, write: Some(end), stat },
            false => End { read: Some(end), write: None, stat },
        }))
    }

    fn fresh(&self, ends: &mut Ends) -> (Fd, Fd) {
        let (r, w) = pipe::pipe();
        ends.reader = Some(Arc::downgrade(&r));
        ends.writer = Some(Arc::downgrade(&w));
        (r, w)
    }

    fn one(&self, budget: &Budget, write: bool) -> Result<Fd> {
        let mut ends = self.ends.lock();
        let e = &mut *ends;
        let (mine, other, end) = match write {
            true => (&mut e.waiting_writer, &e.reader, &e.writer),
            false => (&mut e.waiting_reader, &e.writer, &e.reader),
        };
        if let Some(fd) = mine.take() {
            drop(ends);
            self.changed.notify_all();
            return Ok(fd);
        }
        if let (Some(fd), Some(_)) = (alive(end), alive(other)) {
            return Ok(fd);
        }
        let (r, w) = self.fresh(&mut ends);
        let mine = match write {
            true => {
                ends.waiting_reader = Some(r);
                w
            }
            false => {
                ends.waiting_writer = Some(w);
                r
            }
        };
        drop(ends);
        pipe::promote_deferred();
        let mut ends = self.ends.lock();
        loop {
            let open = if write { &ends.waiting_reader } else { &ends.waiting_writer };
            if open.is_none() {
                return Ok(mine);
            }
            if let Err(stop) = budget.check() {
                (ends.waiting_reader, ends.waiting_writer) = (None, None);
                return Err(stop);
            }
            self.changed.wait_for(&mut ends, Duration::from_millis(20));
        }
    }
}

/// An open end, or both.
struct End {
    read: Option<Fd>,
    write: Option<Fd>,
    stat: Stat,
}

impl End {
    fn reader(&self) -> Result<&Fd> {
        self.read.as_ref().ok_or(Errno::EBADF.into())
    }

    fn writer(&self) -> Result<&Fd> {
        self.write.as_ref().ok_or(Errno::EBADF.into())
    }
}

impl Description for End {
    fn read(&self, budget: &Budget, max: usize) -> Result<Bytes> {
        self.reader()?.read(budget, max)
    }

    fn write(&self, budget: &Budget, data: Bytes) -> Result<()> {
        self.writer()?.write(budget, data)
    }

    fn write_slice(&self, budget: &Budget, data: &[u8]) -> Result<()> {
        self.writer()?.write_slice(budget, data)
    }

    fn unread(&self, data: Bytes) {
        if let Some(r) = &self.read {
            r.unread(data);
        }
    }

    fn ready(&self) -> bool {
        self.read.as_ref().is_none_or(|r| r.ready())
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        Ok(self.stat)
    }

    fn access(&self) -> Access {
        Access { read: self.read.is_some(), write: self.write.is_some() }
    }
}
