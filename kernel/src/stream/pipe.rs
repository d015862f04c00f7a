//! Pipes that run ahead and then in parallel (ARCHITECTURE.md, mechanism 3).
//!
//! A pipeline's stages start deferred. The first runs on the current thread; whatever is still deferred when it ends
//! runs there too, one after the other, over what is buffered. When a pipe fills, when something is about to block,
//! or after some milliseconds, [`promote_deferred`] starts every deferred stage of this thread on threads of the pool.

use super::{Access, CHUNK, Description, Fd};
use crate::{Budget, Bytes, Errno, Error, Result, threads, vfs::Stat};
use bytes::BytesMut;
use parking_lot::{Condvar, Mutex};
use std::{
    cell::RefCell,
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

/// Bytes that a pipe holds before its writer waits.
pub const CAPACITY: usize = 256 << 10;
/// A waiting end looks at its budget this often.
const SLICE: Duration = Duration::from_millis(20);
/// A reader that finds nothing waits so long for more than a little to come, before it asks to be woken by the first
/// byte: a writer of many small pieces would else wake it for every one of them.
const GATHER: Duration = Duration::from_micros(100);
/// So much wakes a reader that gathers.
const MUCH: usize = 16 << 10;
/// Deferred stages older than this are started at the next look at the budget.
const AGE: Duration = Duration::from_millis(4);

#[derive(Default)]
struct State {
    chunks: VecDeque<Bytes>,
    /// Small writes gather here, behind `chunks`.
    tail: BytesMut,
    len: usize,
    reader: bool,
    writer: bool,
    free: Vec<BytesMut>,
    /// Readers that wait for the first byte.
    hungry: u32,
    carried: Carried,
}

/// A file whose rest comes after what the pipe holds, and which the reader reads itself.
#[derive(Default)]
enum Carried {
    #[default]
    None,
    Waiting(Fd),
    /// A reader is at it.
    Busy,
    Done(Result<()>),
}

struct Pipe {
    state: Mutex<State>,
    readable: Condvar,
    writable: Condvar,
}

/// The end that is read. Dropping the last reference gives the writer `EPIPE`.
struct Reader(Arc<Pipe>);

/// The end that is written. Dropping the last reference gives the reader its end of file.
struct Writer(Arc<Pipe>);

/// A pipe: what is read, what is written.
pub fn pipe() -> (Fd, Fd) {
    let state = State { reader: true, writer: true, ..State::default() };
    let pipe =
        Arc::new(Pipe { state: Mutex::new(state), readable: Condvar::new(), writable: Condvar::new() });
    (Arc::new(Reader(pipe.clone())), Arc::new(Writer(pipe)))
}

impl State {
    fn seal_tail(&mut self) {
        if !self.tail.is_empty() {
            let t = self.tail.split().freeze();
            self.chunks.push_back(t);
        }
    }
}

impl Pipe {
    /// Waits until there is room, then lets `put` add to the state.
    fn write(&self, budget: &Budget, put: impl FnOnce(&mut State)) -> Result<()> {
        let mut s = self.state.lock();
        loop {
            if !s.reader {
                return Err(Errno::EPIPE.into());
            }
            if s.len < CAPACITY {
                put(&mut s);
                let wake = s.hungry > 0 || s.len >= MUCH;
                drop(s);
                if wake {
                    self.readable.notify_one();
                }
                return Ok(());
            }
            drop(s);
            budget.check()?;
            promote_deferred();
            s = self.state.lock();
            if s.reader && s.len >= CAPACITY {
                self.writable.wait_for(&mut s, SLICE);
            }
        }
    }
}

impl Description for Reader {
    fn read(&self, budget: &Budget, max: usize) -> Result<Bytes> {
        let mut s = self.0.state.lock();
        let mut gathered = false;
        loop {
            if s.chunks.is_empty() {
                s.seal_tail();
            }
            if let Some(mut first) = s.chunks.pop_front() {
                if first.len() > max {
                    let rest = first.split_off(max);
                    s.chunks.push_front(rest);
                }
                let was_full = s.len >= CAPACITY;
                s.len -= first.len();
                let wake = was_full && s.len < CAPACITY;
                drop(s);
                if wake {
                    self.0.writable.notify_one();
                }
                return Ok(first);
            }
            if max == 0 {
                return Ok(Bytes::new());
            }
            if let Carried::Waiting(source) = &s.carried {
                let source = source.clone();
                s.carried = Carried::Busy;
                drop(s);
                let data = source.read(budget, max);
                s = self.0.state.lock();
                // The writer may have given up meanwhile.
                let going_on = matches!(s.carried, Carried::Busy);
                let (next, result) = match data {
                    Ok(data) if data.is_empty() => (Carried::Done(Ok(())), None),
                    Err(Error::Os(e)) => (Carried::Done(Err(e.into())), None),
                    other => (Carried::Waiting(source), Some(other)),
                };
                if going_on {
                    s.carried = next;
                }
                match result {
                    Some(result) => return result,
                    None => self.0.writable.notify_all(),
                };
                continue;
            }
            if !s.writer {
                return Ok(Bytes::new());
            }
            drop(s);
            budget.check()?;
            promote_deferred();
            s = self.0.state.lock();
            if s.len == 0 && s.writer && !matches!(s.carried, Carried::Waiting(_)) {
                match std::mem::replace(&mut gathered, true) {
                    false => drop(self.0.readable.wait_for(&mut s, GATHER)),
                    true => {
                        s.hungry += 1;
                        self.0.readable.wait_for(&mut s, SLICE);
                        s.hungry -= 1;
                    }
                }
            }
        }
    }

    fn unread(&self, data: Bytes) {
        if !data.is_empty() {
            let mut s = self.0.state.lock();
            s.len += data.len();
            s.chunks.push_front(data);
        }
    }

    fn ready(&self) -> bool {
        let s = self.0.state.lock();
        s.len > 0 || !s.writer || matches!(s.carried, Carried::Waiting(_))
    }

    fn recycle(&self, chunk: Bytes) {
        if let Ok(mut b) = chunk.try_into_mut() {
            b.clear();
            if b.capacity() >= CHUNK / 2 {
                let mut s = self.0.state.lock();
                if s.free.len() < 4 {
                    s.free.push(b);
                }
            }
        }
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        Ok(Stat::fifo())
    }

    fn access(&self) -> Access {
        Access::READ
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut s = self.0.state.lock();
        s.reader = false;
        s.chunks.clear();
        s.tail.clear();
        s.len = 0;
        let carried = std::mem::take(&mut s.carried);
        if let Carried::Done(_) = carried {
            s.carried = carried;
        }
        drop(s);
        self.0.writable.notify_all();
    }
}

impl Description for Writer {
    fn write(&self, budget: &Budget, data: Bytes) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        self.0.write(budget, |s| {
            s.seal_tail();
            s.len += data.len();
            s.chunks.push_back(data);
        })
    }

    fn write_slice(&self, budget: &Budget, data: &[u8]) -> Result<()> {
        if data.len() >= CHUNK / 4 {
            return self.write(budget, Bytes::copy_from_slice(data));
        }
        self.0.write(budget, |s| {
            s.len += data.len();
            s.tail.extend_from_slice(data);
            if s.tail.len() >= CHUNK / 2 {
                s.seal_tail();
            }
        })
    }

    fn carry(&self, budget: &Budget, source: &Fd) -> Result<bool> {
        let mut s = self.0.state.lock();
        match s.carried {
            _ if !s.reader => return Err(Errno::EPIPE.into()),
            Carried::None => s.carried = Carried::Waiting(source.clone()),
            // Another writer of this pipe is at it.
            _ => return Ok(false),
        }
        drop(s);
        self.0.readable.notify_one();
        loop {
            let checked = budget.check();
            promote_deferred();
            let mut s = self.0.state.lock();
            if let Carried::Done(_) = s.carried {
                let Carried::Done(result) = std::mem::take(&mut s.carried) else { return Ok(true) };
                return result.map(|()| true);
            }
            if let Err(e) = checked {
                s.carried = Carried::None;
                return Err(e);
            }
            if !s.reader {
                return Err(Errno::EPIPE.into());
            }
            self.0.writable.wait_for(&mut s, SLICE);
        }
    }

    fn buffer(&self) -> Option<BytesMut> {
        self.0.state.lock().free.pop()
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        Ok(Stat::fifo())
    }

    fn access(&self) -> Access {
        Access::WRITE
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.state.lock().writer = false;
        self.0.readable.notify_all();
    }
}

/// One stage of a pipeline, not yet started.
pub type StageFn<T> = Box<dyn FnOnce() -> T + Send>;

enum Slot<T> {
    Waiting(StageFn<T>),
    Running(threads::Join<T>),
    Failed(Error),
    Gone,
}

struct Stages<T> {
    slots: Mutex<Vec<Slot<T>>>,
    budget: Mutex<Budget>,
    since: Instant,
}

/// What the thread knows of its deferred stages, whatever their type.
trait Deferred {
    fn promote(&self);
    fn since(&self) -> Instant;
}

impl<T: Send + 'static> Deferred for Stages<T> {
    fn promote(&self) {
        let mut slots = self.slots.lock();
        for slot in slots.iter_mut() {
            let Slot::Waiting(_) = slot else { continue };
            let Slot::Waiting(work) = std::mem::replace(slot, Slot::Gone) else { continue };
            let started = self.budget.lock().stage().and_then(|place| {
                threads::start(move || {
                    let value = work();
                    drop(place);
                    value
                })
            });
            *slot = match started {
                Ok(join) => Slot::Running(join),
                Err(e) => Slot::Failed(e),
            };
        }
    }

    fn since(&self) -> Instant {
        self.since
    }
}

thread_local! {
    static DEFERRED: RefCell<Vec<Arc<dyn Deferred>>> = const { RefCell::new(Vec::new()) };
}

/// Starts every deferred stage of this thread. Call it before anything that may block.
pub fn promote_deferred() {
    promote(|_| true);
}

/// Starts those that have waited for some milliseconds.
pub(crate) fn promote_old() {
    promote(|d| d.since().elapsed() > AGE);
}

fn promote(which: impl Fn(&dyn Deferred) -> bool) {
    let some = DEFERRED.with_borrow(|d| match d.is_empty() {
        true => Vec::new(),
        false => d.iter().filter(|d| which(&***d)).cloned().collect(),
    });
    for d in some {
        d.promote();
    }
}

struct Registered;

impl Drop for Registered {
    fn drop(&mut self) {
        DEFERRED.with_borrow_mut(|d| d.pop());
    }
}

/// Runs the stages of a pipeline, which the caller has connected with [`pipe`]s that the closures own, and returns
/// what each gave, in order. A stage that could not get a thread gives `EAGAIN`; one that panicked `EIO`.
pub fn run_stages<T: Send + 'static>(budget: &Budget, stages: Vec<StageFn<T>>) -> Vec<Result<T>> {
    let n = stages.len();
    let set = Arc::new(Stages {
        slots: Mutex::new(stages.into_iter().map(Slot::Waiting).collect()),
        budget: Mutex::new(budget.clone()),
        since: Instant::now(),
    });
    let mut results: Vec<Option<Result<T>>> = Vec::with_capacity(n);
    let mut joins = Vec::new();
    DEFERRED.with_borrow_mut(|d| d.push(set.clone()));
    let registered = Registered;
    for i in 0..n {
        let slot = std::mem::replace(&mut set.slots.lock()[i], Slot::Gone);
        results.push(match slot {
            Slot::Waiting(work) => Some(Ok(work())),
            Slot::Failed(e) => Some(Err(e)),
            Slot::Running(join) => {
                joins.push((i, join));
                None
            }
            Slot::Gone => Some(Err(Errno::EIO.into())),
        });
    }
    drop(registered);
    for (i, join) in joins {
        promote_deferred();
        while !join.wait(SLICE) {}
        results[i] = Some(join.take().flatten().ok_or(Error::Os(Errno::EIO)));
    }
    results.into_iter().map(|r| r.unwrap_or(Err(Error::Os(Errno::EIO)))).collect()
}
