//! Threads for scripts, pipeline stages and jobs: parked ones are used again, so that starting a stage costs a
//! wake-up and not a thread. Never the host's async threads.

use parking_lot::{Condvar, Mutex};
use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

/// Virtual size of a stage's stack; pages are only taken when touched, and recursion grows further stacks by itself.
const STACK: usize = 16 << 20;
/// How long an idle thread waits for more work.
const LINGER: Duration = Duration::from_secs(10);

type Work = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    queue: std::collections::VecDeque<Work>,
    idle: usize,
}

static POOL: std::sync::LazyLock<Pool> = std::sync::LazyLock::new(Pool::default);

/// What a thread's work left: the value, or nothing if it panicked.
#[derive(Debug)]
pub struct Join<T> {
    slot: Arc<(Mutex<Option<Option<T>>>, Condvar)>,
}

impl<T> Clone for Join<T> {
    fn clone(&self) -> Self {
        Join { slot: self.slot.clone() }
    }
}

impl<T> Join<T> {
    /// Whether the work has ended.
    pub fn done(&self) -> bool {
        self.slot.0.lock().is_some()
    }

    /// Waits up to `time`; true when the work has ended.
    pub fn wait(&self, time: Duration) -> bool {
        let mut slot = self.slot.0.lock();
        if slot.is_none() {
            self.slot.1.wait_for(&mut slot, time);
        }
        slot.is_some()
    }

    /// The result, once. `None` while the work goes on; `Some(None)` when it panicked or the result was taken.
    pub fn take(&self) -> Option<Option<T>> {
        let mut slot = self.slot.0.lock();
        slot.as_mut().map(Option::take)
    }
}

/// Runs `work` on a thread of the pool. A panic in it is caught and seen by the joiner.
/// Fails (as fork does) when the system has no thread to give; `work` is dropped then.
pub fn start<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> crate::Result<Join<T>> {
    let join = Join { slot: Arc::new((Mutex::new(None), Condvar::new())) };
    let slot = join.slot.clone();
    run(Box::new(move || {
        let value = std::panic::catch_unwind(AssertUnwindSafe(work)).ok();
        *slot.0.lock() = Some(value);
        slot.1.notify_all();
    }))?;
    Ok(join)
}

fn run(work: Work) -> crate::Result<()> {
    let mut state = POOL.state.lock();
    if state.idle > state.queue.len() {
        state.queue.push_back(work);
        POOL.wake.notify_one();
        return Ok(());
    }
    drop(state);
    let mut first = Some(work);
    std::thread::Builder::new()
        .name("sandshell".into())
        .stack_size(STACK)
        .spawn(move || {
            if let Some(w) = first.take() {
                w();
            }
            loop {
                let mut state = POOL.state.lock();
                state.idle += 1;
                if state.queue.is_empty() {
                    POOL.wake.wait_for(&mut state, LINGER);
                }
                state.idle -= 1;
                let Some(work) = state.queue.pop_front() else { return };
                drop(state);
                work();
            }
        })
        .map(drop)
        .map_err(|_| crate::Errno::EAGAIN.into())
}
