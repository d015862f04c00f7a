//! What a script prints, as a terminal would show it: standard output and standard error in one text, in the order
//! in which they were written, with the border between them remembered.

use crate::clamp::{Clamped, clamp};
use parking_lot::Mutex;
use sandshell_kernel::{Budget, Bytes, Description, Error, Fd, Result, Stat, Stop, stream::Access};
use std::sync::Arc;

/// Bytes of output that are kept of one script; what prints more is stopped.
pub const KEPT: usize = 8 << 20;

/// Gathers what is written to its two ends.
#[derive(Debug, Default)]
pub struct Transcript(Mutex<Printed>);

/// A script's output.
#[derive(Debug, Default, Clone)]
pub struct Printed {
    text: Vec<u8>,
    /// Where each run of one stream ends; streams alternate.
    runs: Vec<(Stream, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

impl Transcript {
    /// An empty transcript.
    pub fn new() -> Arc<Transcript> {
        Arc::default()
    }

    /// The descriptions for standard output and standard error.
    pub fn ends(self: &Arc<Self>) -> (Fd, Fd) {
        let end = |stream| Arc::new(End { transcript: self.clone(), stream }) as Fd;
        (end(Stream::Out), end(Stream::Err))
    }

    /// Takes what was printed so far.
    pub fn take(&self) -> Printed {
        std::mem::take(&mut *self.0.lock())
    }
}

impl Printed {
    /// Both streams, interleaved.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The part that a model reads, when the whole is longer than `limit` bytes.
    pub fn clamp(&self, limit: usize) -> Option<Clamped> {
        clamp(&self.text, limit)
    }

    /// Standard output and standard error, each for itself.
    pub fn streams(&self) -> (Bytes, Bytes) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut at = 0;
        for &(stream, end) in &self.runs {
            let to = if stream == Stream::Out { &mut out } else { &mut err };
            to.extend_from_slice(&self.text[at..end]);
            at = end;
        }
        (out.into(), err.into())
    }

    /// The interleaved text, given away.
    pub fn into_text(self) -> Bytes {
        self.text.into()
    }

    fn push(&mut self, stream: Stream, data: &[u8]) -> usize {
        let n = data.len().min(KEPT - self.text.len());
        self.text.extend_from_slice(&data[..n]);
        let end = self.text.len();
        match self.runs.last_mut() {
            Some((last, at)) if *last == stream => *at = end,
            _ => self.runs.push((stream, end)),
        }
        n
    }
}

/// One of the two streams.
struct End {
    transcript: Arc<Transcript>,
    stream: Stream,
}

impl Description for End {
    fn write(&self, budget: &Budget, data: Bytes) -> Result<()> {
        self.write_slice(budget, &data)
    }

    fn write_slice(&self, budget: &Budget, data: &[u8]) -> Result<()> {
        if self.transcript.0.lock().push(self.stream, data) < data.len() {
            budget.stop_script(Stop::Output);
            return Err(Error::Stop(Stop::Output));
        }
        Ok(())
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        Ok(Stat::fifo())
    }

    fn access(&self) -> Access {
        Access::WRITE
    }

    fn interactive(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandshell_kernel::Limits;

    #[test]
    fn streams_are_told_apart_and_interleaved() {
        let budget = Budget::new(Limits::default());
        let transcript = Transcript::new();
        let (out, err) = transcript.ends();
        out.write_slice(&budget, b"1\n").unwrap();
        err.write_slice(&budget, b"2\n").unwrap();
        out.write_slice(&budget, b"3\n").unwrap();
        let printed = transcript.take();
        assert_eq!(printed.text(), b"1\n2\n3\n");
        assert_eq!(printed.streams(), (Bytes::from("1\n3\n"), Bytes::from("2\n")));
    }

    #[test]
    fn a_flood_stops_the_script_and_keeps_the_first_part() {
        let budget = Budget::new(Limits::default());
        let transcript = Transcript::new();
        let (out, _) = transcript.ends();
        let flood = Bytes::from(vec![b'x'; KEPT - 1]);
        out.write(&budget, flood).unwrap();
        assert_eq!(out.write_slice(&budget, b"yz"), Err(Error::Stop(Stop::Output)));
        assert_eq!(budget.stopped(), Some(Stop::Output));
        assert_eq!(transcript.take().text().len(), KEPT);
    }
}
