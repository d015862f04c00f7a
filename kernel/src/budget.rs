//! One budget per script: wall clock, cancellation, steps, memory and stages. A [`Budget`] is one thread's handle;
//! it counts steps in a local lease and looks at the shared state only when the lease is used up.

use crate::{Error, Result, Stop, stream::pipe};
use parking_lot::Mutex;
use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Steps between two looks at the shared state: some tens of microseconds of interpreter work.
const LEASE: u32 = 1024;

/// What a script may use. `u64::MAX` (or `None`) means unlimited.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall clock from the start of the script; `None` is unlimited.
    pub wall_clock: Option<Duration>,
    /// Bytes of memory: variables, pipes, program heaps, files of the overlay that this script writes.
    pub memory: u64,
    /// Steps (loop turns, chunks, evaluations).
    pub steps: u64,
    /// Pipeline stages, jobs and process substitutions that run at once.
    pub stages: u32,
    /// Depth of shell functions.
    pub function_depth: u32,
    /// Paths that one glob may produce.
    pub glob_matches: u64,
    /// Bytes of the overlay.
    pub overlay_bytes: u64,
    /// Files of the overlay.
    pub overlay_files: u64,
    /// Host reads at once.
    pub host_reads: u32,
}

impl Limits {
    /// No limits: the operator's own machine.
    pub fn unlimited() -> Limits {
        Limits {
            wall_clock: None,
            memory: u64::MAX,
            steps: u64::MAX,
            stages: 4096,
            function_depth: 100_000,
            glob_matches: u64::MAX,
            overlay_bytes: u64::MAX,
            overlay_files: u64::MAX,
            host_reads: 64,
        }
    }
}

impl Default for Limits {
    /// The defaults that a sandbox gets when it asks for nothing.
    fn default() -> Limits {
        Limits {
            wall_clock: Some(Duration::from_secs(30)),
            memory: 256 << 20,
            steps: u64::MAX,
            stages: 64,
            function_depth: 1000,
            glob_matches: 100_000,
            overlay_bytes: 256 << 20,
            overlay_files: 100_000,
            host_reads: 16,
        }
    }
}

/// Stops a process and its children from another thread: `kill`, `timeout`, a dropped run.
#[derive(Debug)]
struct Shared {
    parent: Option<Arc<Shared>>,
    limits: Limits,
    started: Instant,
    deadline: Mutex<Option<Instant>>,
    /// 0 = running, else the encoded [`Stop`].
    stop: AtomicU32,
    steps: AtomicU64,
    memory: Arc<Memory>,
    stages: Arc<AtomicU32>,
}

/// The memory counter, shared by all children of one script.
#[derive(Debug)]
struct Memory {
    used: AtomicI64,
    peak: AtomicI64,
    limit: u64,
    told: AtomicBool,
}

/// One thread's handle on the budget of the script (or of one process in it).
#[derive(Debug)]
pub struct Budget {
    shared: Arc<Shared>,
    lease: Cell<u32>,
}

impl Clone for Budget {
    fn clone(&self) -> Self {
        Budget { shared: self.shared.clone(), lease: Cell::new(LEASE) }
    }
}

fn encode(s: Stop) -> u32 {
    match s {
        Stop::Timeout => 1,
        Stop::Cancelled => 2,
        Stop::Memory => 3,
        Stop::Output => 4,
        Stop::Steps => 5,
        Stop::Signal(n) => 256 + u32::from(n),
    }
}

fn decode(n: u32) -> Option<Stop> {
    Some(match n {
        0 => return None,
        1 => Stop::Timeout,
        2 => Stop::Cancelled,
        3 => Stop::Memory,
        4 => Stop::Output,
        5 => Stop::Steps,
        n => Stop::Signal((n - 256) as u8),
    })
}

impl Budget {
    /// A new script's budget; the clock starts now.
    pub fn new(limits: Limits) -> Budget {
        let started = Instant::now();
        let memory = Memory {
            used: AtomicI64::new(0),
            peak: AtomicI64::new(0),
            limit: limits.memory,
            told: AtomicBool::new(false),
        };
        Budget {
            shared: Arc::new(Shared {
                parent: None,
                deadline: Mutex::new(limits.wall_clock.and_then(|d| started.checked_add(d))),
                limits,
                started,
                stop: AtomicU32::new(0),
                steps: AtomicU64::new(0),
                memory: Arc::new(memory),
                stages: Arc::new(AtomicU32::new(0)),
            }),
            lease: Cell::new(LEASE),
        }
    }

    /// A process within this script that can be stopped on its own (`timeout`, a background job). Memory and
    /// stages are the script's.
    pub fn child(&self) -> Budget {
        let s = &self.shared;
        Budget {
            shared: Arc::new(Shared {
                parent: Some(s.clone()),
                limits: s.limits.clone(),
                started: s.started,
                deadline: Mutex::new(None),
                stop: AtomicU32::new(0),
                steps: AtomicU64::new(0),
                memory: s.memory.clone(),
                stages: s.stages.clone(),
            }),
            lease: Cell::new(LEASE),
        }
    }

    /// The limits that this budget was made with.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// When the script started.
    pub fn started(&self) -> Instant {
        self.shared.started
    }

    /// The nearest deadline of this process and those around it.
    pub fn deadline(&self) -> Option<Instant> {
        let mut at = *self.shared.deadline.lock();
        let mut up = self.shared.parent.as_ref();
        while let Some(s) = up {
            at = match (at, *s.deadline.lock()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            up = s.parent.as_ref();
        }
        at
    }

    /// One turn of a loop: an error when the process must stop. Call it where loops turn; it costs a decrement.
    #[inline]
    pub fn step(&self) -> Result<()> {
        let left = self.lease.get();
        if left > 0 {
            self.lease.set(left - 1);
            return Ok(());
        }
        self.look(LEASE)
    }

    /// `n` turns at once (a chunk of n/64 bytes, say).
    #[inline]
    pub fn steps(&self, n: u32) -> Result<()> {
        let left = self.lease.get();
        if left >= n {
            self.lease.set(left - n);
            return Ok(());
        }
        self.look(n.max(LEASE))
    }

    #[cold]
    fn look(&self, used: u32) -> Result<()> {
        self.lease.set(LEASE);
        let s = &self.shared;
        if s.limits.steps != u64::MAX && s.steps.fetch_add(u64::from(used), Relaxed) >= s.limits.steps {
            self.stop(Stop::Steps);
        }
        pipe::promote_old();
        self.check()
    }

    /// Whether the process must stop, looking at the clock: for code that is about to wait or has waited.
    pub fn check(&self) -> Result<()> {
        let mut at = Some(&self.shared);
        let mut now = None;
        while let Some(s) = at {
            if let Some(stop) = decode(s.stop.load(Relaxed)) {
                return Err(Error::Stop(stop));
            }
            if let Some(d) = *s.deadline.lock()
                && *now.get_or_insert_with(Instant::now) >= d
            {
                let _ = s.stop.compare_exchange(0, encode(Stop::Timeout), Relaxed, Relaxed);
                return Err(Error::Stop(decode(s.stop.load(Relaxed)).unwrap_or(Stop::Timeout)));
            }
            at = s.parent.as_ref();
        }
        Ok(())
    }

    /// Stops this process and its children; the first reason stays.
    pub fn stop(&self, why: Stop) {
        let _ = self.shared.stop.compare_exchange(0, encode(why), Relaxed, Relaxed);
    }

    /// Stops the whole script that this process belongs to.
    pub fn stop_script(&self, why: Stop) {
        let mut s = &self.shared;
        while let Some(p) = &s.parent {
            s = p;
        }
        let _ = s.stop.compare_exchange(0, encode(why), Relaxed, Relaxed);
    }

    /// The reason this very process (not one around it) was stopped, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        decode(self.shared.stop.load(Relaxed))
    }

    /// Forgets an earlier stop of this very process: for a handler that runs after it (EXIT trap).
    pub fn forgive(&self) {
        self.shared.stop.store(0, Relaxed);
    }

    /// Gives this process a deadline of its own (earlier ones around it still hold).
    pub fn set_deadline(&self, at: Option<Instant>) {
        *self.shared.deadline.lock() = at;
    }

    /// Sleeps until `at` or until the process is stopped. Deferred stages are started first.
    pub fn sleep_until(&self, at: Option<Instant>) -> Result<()> {
        pipe::promote_deferred();
        loop {
            self.check()?;
            let now = Instant::now();
            let left = at.map_or(Duration::from_millis(20), |a| a.saturating_duration_since(now));
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
    }

    /// Charges `bytes` to the script's memory until the reservation is dropped.
    pub fn reserve(&self, bytes: u64) -> Result<Reservation> {
        let mut r = self.reservation();
        r.set(bytes)?;
        Ok(r)
    }

    /// An empty reservation that can grow.
    pub fn reservation(&self) -> Reservation {
        Reservation { memory: self.shared.memory.clone(), bytes: 0, budget: Arc::downgrade(&self.shared) }
    }

    /// Bytes charged now, and the most that were charged at once.
    pub fn memory(&self) -> (u64, u64) {
        let m = &self.shared.memory;
        (m.used.load(Relaxed).max(0) as u64, m.peak.load(Relaxed).max(0) as u64)
    }

    /// Takes a place for a concurrent stage or job; `EAGAIN` (as fork gives) at the limit.
    pub fn stage(&self) -> Result<Stage> {
        let n = self.shared.stages.fetch_add(1, Relaxed);
        let stage = Stage(self.shared.stages.clone());
        if n >= self.shared.limits.stages {
            return Err(Error::Os(crate::Errno::EAGAIN));
        }
        Ok(stage)
    }
}

/// A place among the concurrent stages, free again when dropped.
#[derive(Debug)]
pub struct Stage(Arc<AtomicU32>);

impl Drop for Stage {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Memory charged to a script; dropping it refunds.
#[derive(Debug)]
pub struct Reservation {
    memory: Arc<Memory>,
    bytes: u64,
    budget: std::sync::Weak<Shared>,
}

impl Reservation {
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Holds `bytes` in all from now on. When that is more than the script may have, the script is stopped and
    /// this returns the stop.
    #[inline]
    pub fn set(&mut self, bytes: u64) -> Result<()> {
        let delta = bytes as i64 - self.bytes as i64;
        self.bytes = bytes;
        if delta == 0 {
            return Ok(());
        }
        let now = self.memory.used.fetch_add(delta, Relaxed) + delta;
        if delta > 0 {
            self.memory.peak.fetch_max(now, Relaxed);
            if now as u64 > self.memory.limit && now > 0 {
                return Err(self.over());
            }
        }
        Ok(())
    }

    /// Holds `more` bytes on top.
    #[inline]
    pub fn grow(&mut self, more: u64) -> Result<()> {
        self.set(self.bytes + more)
    }

    #[cold]
    fn over(&self) -> Error {
        self.memory.told.store(true, Relaxed);
        let mut at = self.budget.upgrade();
        while let Some(s) = at {
            if s.parent.is_none() {
                let _ = s.stop.compare_exchange(0, encode(Stop::Memory), Relaxed, Relaxed);
            }
            at = s.parent.clone();
        }
        Error::Stop(Stop::Memory)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes as i64, Relaxed);
    }
}
