//! Background jobs of one shell, and the processes of a script that a signal can reach.

use bytes::Bytes;
use sandshell_kernel::{Budget, Stop, threads::Join};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

/// A background job: one thread that runs a fork of the shell.
pub struct Job {
    /// `%1`
    pub id: u32,
    /// `$!`
    pub pid: u32,
    /// Its command, as `jobs` prints it.
    pub text: Bytes,
    /// Stops it alone.
    pub budget: Budget,
    /// How it ended.
    pub done: Option<u8>,
    /// Its end has been told to the script (`jobs`, `wait`).
    pub told: bool,
    /// It is no entry of the job table (a process substitution, which `wait $!` finds nevertheless).
    pub hidden: bool,
    /// `disown`ed: `wait` without arguments does not wait for it.
    pub disowned: bool,
    join: Join<u8>,
}

impl Job {
    /// Looks whether it has ended.
    pub fn poll(&mut self) -> Option<u8> {
        if self.done.is_none() && self.join.done() {
            self.done = Some(self.join.take().flatten().unwrap_or(134));
        }
        self.done
    }

    /// Waits a little for its end.
    pub fn wait_slice(&mut self) -> Option<u8> {
        self.join.wait(Duration::from_millis(5));
        self.poll()
    }
}

/// The jobs of one shell, oldest first.
#[derive(Default)]
pub struct Jobs {
    /// All that are not forgotten.
    pub list: Vec<Job>,
}

impl Jobs {
    /// Adds a started job; its number.
    pub fn add(&mut self, pid: u32, text: Bytes, budget: Budget, join: Join<u8>, hidden: bool) -> u32 {
        let id = match hidden {
            true => 0,
            // Numbers begin again where no older job runs.
            false => {
                self.list.iter_mut().filter_map(|j| j.poll().is_none().then_some(j.id)).max().unwrap_or(0) + 1
            }
        };
        // Finished jobs that nobody can ask for any more must not pile up in a long loop.
        if self.list.len() > 512 {
            for j in &mut self.list {
                j.poll();
            }
            if let Some(old) = self.list.iter().position(|j| j.done.is_some()) {
                self.list.remove(old);
            }
        }
        self.list.push(Job { id, pid, text, budget, done: None, told: false, hidden, disowned: false, join });
        id
    }

    /// The position of the job with process number `pid`.
    pub fn by_pid(&self, pid: u32) -> Option<usize> {
        self.list.iter().position(|j| j.pid == pid)
    }

    /// The position of `%1`, `%+`, `%-`, `%%`, `%name`, `%?text`.
    pub fn by_spec(&self, spec: &[u8]) -> Option<usize> {
        let visible = || self.list.iter().enumerate().filter(|(_, j)| !j.hidden);
        let rest = spec.strip_prefix(b"%")?;
        match rest {
            b"" | b"%" | b"+" => visible().next_back().map(|(i, _)| i),
            b"-" => visible().rev().nth(1).or(visible().next_back()).map(|(i, _)| i),
            _ => match std::str::from_utf8(rest).ok().and_then(|t| t.parse::<u32>().ok()) {
                Some(n) => visible().rev().find(|(_, j)| j.id == n).map(|(i, _)| i),
                None => match rest.strip_prefix(b"?") {
                    Some(part) => {
                        visible().find(|(_, j)| memchr::memmem::find(&j.text, part).is_some()).map(|(i, _)| i)
                    }
                    None => visible().find(|(_, j)| j.text.starts_with(rest)).map(|(i, _)| i),
                },
            },
        }
    }
}

/// How signals reach one shell: bits by signal number.
#[derive(Debug, Default)]
pub struct Signals {
    /// Arrived, handler not yet run.
    pub pending: AtomicU64,
    /// A handler is set.
    pub caught: AtomicU64,
    /// Ignored.
    pub ignored: AtomicU64,
}

/// A process that `kill` can name.
pub struct Proc {
    /// Stops it.
    pub budget: Budget,
    /// Its handlers.
    pub signals: Arc<Signals>,
}

impl Proc {
    /// Whether signal `n` ends it: there is no handler, it is not ignored, and its default is to end.
    pub fn dies_of(&self, n: u8) -> bool {
        let bit = 1u64 << (n & 63);
        let handled = (self.signals.ignored.load(Relaxed) | self.signals.caught.load(Relaxed)) & bit != 0;
        n != 0 && (n == 9 || !handled) && !matches!(n, 17..=23 | 28)
    }

    /// Delivers signal `n`.
    pub fn signal(&self, n: u8) {
        let bit = 1u64 << (n & 63);
        if n == 0 || self.signals.ignored.load(Relaxed) & bit != 0 && n != 9 && n != 19 {
            return;
        }
        if self.signals.caught.load(Relaxed) & bit != 0 {
            self.signals.pending.fetch_or(bit, Relaxed);
            return;
        }
        // CHLD, CONT, URG, WINCH do nothing by default; STOP and its kin have no job control to talk to.
        if !matches!(n, 17..=23 | 28) {
            self.budget.stop(Stop::Signal(n));
        }
    }
}
