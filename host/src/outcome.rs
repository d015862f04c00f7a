//! What one call of a tool gives: data for the host, and a text for the model.

use crate::{clamp::Clamped, transcript::KEPT};
use sandshell_api::{Bytes, Limits};
use sandshell_kernel::Stop;
use serde::Serialize;
use serde_json::{Value, json};
use std::{fmt::Write, time::Duration};

/// What a script printed and did.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The function name of the tool.
    pub tool: String,
    /// All of standard output, up to 8 MiB with standard error.
    pub stdout: Bytes,
    /// All of standard error.
    pub stderr: Bytes,
    /// Both, in the order in which a terminal would have shown them.
    pub transcript: Bytes,
    /// The exit status; 124 when the time ran out, 130 when cancelled, 137 at another limit.
    pub status: u8,
    /// What the model is not shown of the transcript.
    pub cut: Option<Cut>,
    /// Why the script was stopped, if it was.
    pub stopped: Option<Stopped>,
    /// The files that the script created, changed or removed, sorted by path (those below `/tmp` and `/dev` apart).
    pub changed: Vec<Change>,
    /// Wall clock from start to end.
    pub time: Duration,
}

/// How an output was cut for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Which bytes and lines of the transcript are shown.
    pub clamped: Clamped,
    /// The file in the session that holds the whole transcript; `None` when there was no room for it.
    pub kept: Option<String>,
}

/// Why a script was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// The wall clock ran out.
    Time(Duration),
    /// The host cancelled the run.
    Cancelled,
    /// The memory limit, in bytes, was reached.
    Memory(u64),
    /// It printed more than is kept.
    Output,
    /// The step limit was reached.
    Steps,
    /// A signal ended the shell.
    Signal(u8),
    /// The shell itself failed: a fault of this library, not of the script.
    Fault,
}

impl Stopped {
    pub(crate) fn new(stop: Stop, limits: &Limits) -> Stopped {
        match stop {
            Stop::Timeout => Stopped::Time(limits.wall_clock),
            Stop::Cancelled => Stopped::Cancelled,
            Stop::Memory => Stopped::Memory(limits.memory_bytes),
            Stop::Output => Stopped::Output,
            Stop::Steps => Stopped::Steps,
            Stop::Signal(n) => Stopped::Signal(n),
        }
    }

    fn sentence(&self) -> String {
        match self {
            Stopped::Time(d) => format!(
                "stopped after {d:?}, the time limit of one script; what it printed and wrote is kept: do less at once"
            ),
            Stopped::Cancelled => "cancelled; what it printed and wrote is kept".into(),
            Stopped::Memory(n) => format!(
                "stopped at the memory limit of {}; what it printed and wrote is kept: stream instead of collecting",
                size(*n as usize)
            ),
            Stopped::Output => {
                format!("stopped because it printed more than {}: filter, or write to a file", size(KEPT))
            }
            Stopped::Steps => "stopped at the step limit; what it printed and wrote is kept".into(),
            Stopped::Signal(n) => format!("killed by signal {n}"),
            Stopped::Fault => "the shell failed; this is a fault of the tool, not of the script".into(),
        }
    }
}

/// One file that a script created, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Its absolute path.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// Its content or mode differs.
    Changed,
    /// It is gone.
    Removed,
}

impl Outcome {
    /// Whether the script ended by itself with status 0.
    pub fn ok(&self) -> bool {
        self.status == 0 && self.stopped.is_none()
    }

    /// The text for the model: the transcript, cut in its middle where it is too long, and then the tool's own notes
    /// in brackets, the same on failure as on success.
    pub fn text(&self) -> String {
        let mut text = String::new();
        match &self.cut {
            None => text.push_str(&String::from_utf8_lossy(&self.transcript)),
            Some(cut) => {
                let part = |r: &std::ops::Range<usize>| String::from_utf8_lossy(&self.transcript[r.clone()]);
                text.push_str(&part(&cut.clamped.head));
                self.note(&mut text, &self.cut_sentence(cut));
                text.push_str(&part(&cut.clamped.tail));
            }
        }
        if let Some(stopped) = &self.stopped {
            self.note(&mut text, &stopped.sentence());
        }
        match self.status {
            0 if self.transcript.is_empty() => self.note(&mut text, "no output, exit status 0"),
            0 => {}
            n => self.note(&mut text, &format!("exit status {n}")),
        }
        text
    }

    fn note(&self, text: &mut String, sentence: &str) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let _ = writeln!(text, "[{}: {sentence}]", self.tool);
    }

    fn cut_sentence(&self, cut: &Cut) -> String {
        let c = &cut.clamped;
        let total = self.transcript.len();
        let mut s = format!("{} of {} bytes not shown here", c.hidden(), total);
        if c.lines > 1 {
            let _ = write!(s, ", {} of {} lines", c.lines_hidden, c.lines);
        }
        match &cut.kept {
            Some(path) => {
                let _ = write!(s, "; the whole is in {path}");
            }
            None => s.push_str("; there was no room to keep the whole"),
        }
        if total / c.lines.max(1) > 2000 {
            s.push_str("; its lines are long: take parts with jq or cut -c");
        }
        s
    }

    /// The outcome as JSON for a model or a log; texts are cut as in [`Outcome::text`].
    pub fn to_json(&self) -> Value {
        let limit = self.cut.as_ref().map_or(usize::MAX, |c| self.transcript.len() - c.clamped.hidden());
        let shown = |bytes: &Bytes| match crate::clamp::clamp(bytes, limit) {
            None => String::from_utf8_lossy(bytes).into_owned(),
            Some(c) => {
                let mut s = String::from_utf8_lossy(&bytes[c.head.clone()]).into_owned();
                self.note(&mut s, &format!("{} of {} bytes not shown here", c.hidden(), bytes.len()));
                s.push_str(&String::from_utf8_lossy(&bytes[c.tail]));
                s
            }
        };
        json!({
            "stdout": shown(&self.stdout),
            "stderr": shown(&self.stderr),
            "status": self.status,
            "cut": self.cut.as_ref().map(|c| json!({
                "bytes": self.transcript.len(),
                "bytes_hidden": c.clamped.hidden(),
                "lines": c.clamped.lines,
                "lines_hidden": c.clamped.lines_hidden,
                "kept": c.kept,
            })),
            "stopped": self.stopped.as_ref().map(Stopped::sentence),
            "changed": self.changed,
            "seconds": self.time.as_secs_f64(),
        })
    }
}

/// `64 KiB`, `1.5 MiB`.
pub(crate) fn size(bytes: usize) -> String {
    let (n, unit) = match bytes {
        0..1024 => return format!("{bytes} bytes"),
        1024..0x10_0000 => (bytes as f64 / 1024.0, "KiB"),
        0x10_0000..0x4000_0000 => (bytes as f64 / 1_048_576.0, "MiB"),
        _ => (bytes as f64 / 1_073_741_824.0, "GiB"),
    };
    let text = format!("{n:.1}");
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}
