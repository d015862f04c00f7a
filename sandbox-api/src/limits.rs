//! What one script may use: asked by the sandbox, bounded by the host.

use crate::{Finding, Severity};
use serde::{Deserialize, Serialize};
use std::{fmt::Display, time::Duration};

/// What one script of a sandbox may use. A sandbox asks, the host's [`Ceilings`] bound it.
///
/// ```
/// use sandshell_api::{Ceilings, Limits};
/// use std::time::Duration;
///
/// let asked = Limits { wall_clock: Duration::from_secs(3600), ..Limits::default() };
/// let (given, findings) = Ceilings::default().clamp(&asked);
/// assert_eq!(given.wall_clock, Duration::from_secs(600));
/// assert_eq!(findings[0].code, "limit-clamped");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Wall clock of one script: 30 s. Reaching it stops the script with status 124.
    pub wall_clock: Duration,
    /// Bytes of output that the model reads: 64 KiB. More is cut in the middle and kept in a file.
    pub output_bytes: u64,
    /// Bytes of memory (variables, pipes, heaps of programs): 256 MiB.
    pub memory_bytes: u64,
    /// Bytes that the session may write: 256 MiB.
    pub overlay_bytes: u64,
    /// Files that the session may create: 100 000.
    pub overlay_files: u64,
    /// Pipeline stages, jobs and process substitutions at once: 64.
    pub stages: u32,
    /// Depth of shell functions: 1000.
    pub function_depth: u32,
    /// Paths that one glob may give: 100 000.
    pub glob_matches: u64,
    /// Calls of the mounts' readers at once: 16.
    pub host_reads: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            wall_clock: Duration::from_secs(30),
            output_bytes: 64 << 10,
            memory_bytes: 256 << 20,
            overlay_bytes: 256 << 20,
            overlay_files: 100_000,
            stages: 64,
            function_depth: 1000,
            glob_matches: 100_000,
            host_reads: 16,
        }
    }
}

/// The most that a host gives to any sandbox, and the least that makes sense.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ceilings(
    /// The most of each.
    pub Limits,
);

impl Default for Ceilings {
    /// 10 minutes, 1 MiB of output, 2 GiB of memory, 4 GiB and 1 000 000 files of overlay, 256 stages, functions
    /// 5000 deep, 1 000 000 glob matches, 64 host reads.
    fn default() -> Ceilings {
        Ceilings(Limits {
            wall_clock: Duration::from_secs(600),
            output_bytes: 1 << 20,
            memory_bytes: 2 << 30,
            overlay_bytes: 4 << 30,
            overlay_files: 1_000_000,
            stages: 256,
            function_depth: 5000,
            glob_matches: 1_000_000,
            host_reads: 64,
        })
    }
}

/// Below these a shell does not work at all; a zero is most likely a mistake.
const FLOOR: Limits = Limits {
    wall_clock: Duration::from_millis(10),
    output_bytes: 1 << 10,
    memory_bytes: 1 << 20,
    overlay_bytes: 64 << 10,
    overlay_files: 16,
    stages: 4,
    function_depth: 16,
    glob_matches: 100,
    host_reads: 1,
};

impl Ceilings {
    /// What a sandbox that asks for `asked` is given, and a warning for each number that was changed.
    pub fn clamp(&self, asked: &Limits) -> (Limits, Vec<Finding>) {
        let (low, high) = (&FLOOR, &self.0);
        let mut findings = Vec::new();
        let mut f = Clamp(&mut findings);
        let given = Limits {
            wall_clock: f.field("wall_clock", asked.wall_clock, low.wall_clock, high.wall_clock, seconds),
            output_bytes: f.count("output_bytes", asked.output_bytes, low.output_bytes, high.output_bytes),
            memory_bytes: f.count("memory_bytes", asked.memory_bytes, low.memory_bytes, high.memory_bytes),
            overlay_bytes: f.count(
                "overlay_bytes",
                asked.overlay_bytes,
                low.overlay_bytes,
                high.overlay_bytes,
            ),
            overlay_files: f.count(
                "overlay_files",
                asked.overlay_files,
                low.overlay_files,
                high.overlay_files,
            ),
            stages: f.count("stages", asked.stages, low.stages, high.stages),
            function_depth: f.count(
                "function_depth",
                asked.function_depth,
                low.function_depth,
                high.function_depth,
            ),
            glob_matches: f.count("glob_matches", asked.glob_matches, low.glob_matches, high.glob_matches),
            host_reads: f.count("host_reads", asked.host_reads, low.host_reads, high.host_reads),
        };
        (given, findings)
    }
}

struct Clamp<'a>(&'a mut Vec<Finding>);

impl Clamp<'_> {
    fn count<T: Ord + Copy + Display>(&mut self, name: &str, asked: T, low: T, high: T) -> T {
        self.field(name, asked, low, high, |n| n.to_string())
    }

    /// A ceiling below the floor is the host's will and holds.
    fn field<T: Ord + Copy>(&mut self, name: &str, asked: T, low: T, high: T, show: fn(T) -> String) -> T {
        let given = asked.max(low).min(high);
        if given != asked {
            let (bound, or) = match given < asked {
                true => ("the most that this host gives", " or raise the host's ceiling"),
                false => ("the least that works", ""),
            };
            self.0.push(Finding {
                code: "limit-clamped".into(),
                severity: Severity::Warning,
                subject: name.into(),
                reason: format!("asked for {}, {bound} is {}", show(asked), show(given)),
                remedy: format!("ask for {}{or}", show(given)),
            });
        }
        given
    }
}

fn seconds(d: Duration) -> String {
    format!("{d:?}")
}
