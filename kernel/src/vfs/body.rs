//! The content of a regular file: a rope of chunks. A chunk that is written is kept, not copied; a chunk that is
//! read is a slice. What is appended in small pieces gathers in a tail that grows in place.

use crate::Bytes;
use bytes::BytesMut;

/// A tail this long becomes a chunk; a shared chunk below this is copied when something is appended to it.
const TAIL: usize = 64 << 10;
/// A written chunk from this size on is kept; below, copying is cheaper than what it may pin.
const KEEP: usize = 8 << 10;
/// Room of a first tail.
const FIRST: usize = 64;

/// A stretch of the file. Without data it is a hole, which reads as zeros.
#[derive(Clone, Debug)]
struct Chunk {
    start: u64,
    len: u64,
    data: Bytes,
}

impl Chunk {
    /// The bytes from `from` to `to` (offsets in the file) as a chunk that starts at `start`.
    fn part(&self, from: u64, to: u64, start: u64) -> Chunk {
        let data = match self.data.is_empty() {
            true => Bytes::new(),
            false => self.data.slice((from - self.start) as usize..(to - self.start) as usize),
        };
        Chunk { start, len: to - from, data }
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    chunks: Vec<Chunk>,
    /// Bytes behind the chunks that are still alone.
    tail: BytesMut,
    len: u64,
    holes: u64,
}

impl Body {
    /// A body of one chunk.
    pub fn new(data: Bytes) -> Body {
        let mut b = Body::default();
        b.push(data);
        b
    }

    /// Its length.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Bytes held: the length without the holes.
    pub fn held(&self) -> u64 {
        self.len - self.holes
    }

    fn tail_start(&self) -> u64 {
        self.len - self.tail.len() as u64
    }

    fn push(&mut self, data: Bytes) {
        if !data.is_empty() {
            self.chunks.push(Chunk { start: self.len, len: data.len() as u64, data: data.clone() });
            self.len += data.len() as u64;
        }
    }

    fn push_hole(&mut self, len: u64) {
        if len > 0 {
            self.chunks.push(Chunk { start: self.len, len, data: Bytes::new() });
            self.len += len;
            self.holes += len;
        }
    }

    /// Makes the tail a chunk, so that it can be sliced.
    pub fn seal(&mut self) {
        if !self.tail.is_empty() {
            let start = self.tail_start();
            let data = std::mem::take(&mut self.tail).freeze();
            self.chunks.push(Chunk { start, len: data.len() as u64, data });
        }
    }

    /// Whether a read at `at` needs [`Body::seal`] first to be a slice.
    pub fn unsealed(&self, at: u64) -> bool {
        !self.tail.is_empty() && at.saturating_add(TAIL as u64) >= self.tail_start()
    }

    /// Appends by copying.
    pub fn append_slice(&mut self, data: &[u8]) {
        if self.tail.is_empty() {
            self.open_tail(data.len());
        }
        self.tail.extend_from_slice(data);
        self.len += data.len() as u64;
        if self.tail.len() >= TAIL {
            self.seal();
        }
    }

    /// Makes the last chunk the tail again if it is small: in place when nobody else holds it.
    fn open_tail(&mut self, more: usize) {
        match self.chunks.last() {
            Some(c) if !c.data.is_empty() && c.data.len() < TAIL => {}
            _ => {
                self.tail = BytesMut::with_capacity(more.max(FIRST));
                return;
            }
        }
        if let Some(last) = self.chunks.pop() {
            self.tail = last.data.try_into_mut().unwrap_or_else(|shared| {
                let mut own = BytesMut::with_capacity((shared.len() + more) * 2);
                own.extend_from_slice(&shared);
                own
            });
        }
    }

    /// Appends, keeping the chunk when it is large.
    pub fn append(&mut self, data: Bytes) {
        if data.len() < KEEP {
            return self.append_slice(&data);
        }
        self.seal();
        self.push(data);
    }

    /// Appends, keeping the chunk whatever its size: for a file that is filled once.
    pub fn append_whole(&mut self, data: Bytes) {
        self.seal();
        self.push(data);
    }

    /// Writes at `at`; a gap before it becomes a hole.
    pub fn write_at(&mut self, at: u64, data: Bytes) {
        if data.is_empty() {
            return;
        }
        if at > self.len {
            self.truncate(at);
        }
        if at == self.len {
            return self.append(data);
        }
        self.seal();
        let end = at + data.len() as u64;
        if self.len.max(end) <= TAIL as u64 {
            let mut flat = self.flat();
            let overlap = (self.len - at).min(data.len() as u64) as usize;
            flat[at as usize..at as usize + overlap].copy_from_slice(&data[..overlap]);
            flat.extend_from_slice(&data[overlap..]);
            *self = Body::new(Bytes::from(flat));
            return;
        }
        let mut new = Body::default();
        self.copy_range(0, at, &mut new);
        new.push(data);
        self.copy_range(end, self.len, &mut new);
        *self = new;
    }

    fn copy_range(&self, from: u64, to: u64, into: &mut Body) {
        let first = self.chunks.partition_point(|c| c.start + c.len <= from);
        for c in self.chunks[first..].iter().take_while(|c| c.start < to) {
            let part = c.part(from.max(c.start), to.min(c.start + c.len), into.len);
            into.len += part.len;
            if part.data.is_empty() {
                into.holes += part.len;
            }
            into.chunks.push(part);
        }
    }

    /// Cuts, or extends with a hole.
    pub fn truncate(&mut self, len: u64) {
        if len >= self.len {
            if len > self.len {
                self.seal();
                self.push_hole(len - self.len);
            }
            return;
        }
        if len == 0 {
            *self = Body::default();
            return;
        }
        self.seal();
        let mut new = Body::default();
        self.copy_range(0, len, &mut new);
        *self = new;
    }

    /// Up to `max` bytes at `at`, as they lie; empty at the end.
    pub fn read(&self, at: u64, max: usize) -> Bytes {
        static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
        if at >= self.len || max == 0 {
            return Bytes::new();
        }
        if at >= self.tail_start() {
            let from = (at - self.tail_start()) as usize;
            let to = self.tail.len().min(from.saturating_add(max));
            return Bytes::copy_from_slice(&self.tail[from..to]);
        }
        let c = &self.chunks[self.chunks.partition_point(|c| c.start + c.len <= at)];
        let n = (c.start + c.len - at).min(max as u64);
        if c.data.is_empty() {
            return Bytes::from_static(&ZEROS[..n.min(ZEROS.len() as u64) as usize]);
        }
        c.data.slice((at - c.start) as usize..(at - c.start + n) as usize)
    }

    /// Everything from `at`: a slice when it lies in one piece, else joined.
    pub fn rest(&self, at: u64) -> Bytes {
        if at >= self.len {
            return Bytes::new();
        }
        if self.tail.is_empty()
            && let Some(last) = self.chunks.last()
            && last.start <= at
            && !last.data.is_empty()
        {
            return last.data.slice((at - last.start) as usize..);
        }
        let mut all = Vec::with_capacity((self.len - at) as usize);
        let mut at = at;
        while at < self.len {
            let piece = self.read(at, usize::MAX);
            all.extend_from_slice(&piece);
            at += piece.len() as u64;
        }
        Bytes::from(all)
    }

    fn flat(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.len as usize);
        while (all.len() as u64) < self.len {
            let piece = self.read(all.len() as u64, usize::MAX);
            all.extend_from_slice(&piece);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Op {
        Append(Vec<u8>),
        Write(u64, Vec<u8>),
        Truncate(u64),
        Read(u64, usize),
        Snapshot,
    }

    fn op() -> impl Strategy<Value = Op> {
        let bytes = || (any::<u8>(), 0usize..20_000).prop_map(|(b, n)| vec![b; n]);
        prop_oneof![
            bytes().prop_map(Op::Append),
            (0u64..200_000, bytes()).prop_map(|(at, d)| Op::Write(at, d)),
            (0u64..200_000).prop_map(Op::Truncate),
            (0u64..200_000, 0usize..100_000).prop_map(|(a, n)| Op::Read(a, n)),
            Just(Op::Snapshot),
        ]
    }

    proptest! {
        #[test]
        fn behaves_like_a_vector(ops in proptest::collection::vec(op(), 1..30)) {
            let mut body = Body::default();
            let mut model: Vec<u8> = Vec::new();
            let mut kept = Vec::new();
            for o in ops {
                match o {
                    Op::Append(d) => { model.extend_from_slice(&d); body.append(Bytes::from(d)); }
                    Op::Write(at, d) => {
                        if !d.is_empty() {
                            let end = at as usize + d.len();
                            if model.len() < end { model.resize(end, 0); }
                            model[at as usize..end].copy_from_slice(&d);
                        }
                        body.write_at(at, Bytes::from(d));
                    }
                    Op::Truncate(n) => { model.resize(n as usize, 0); body.truncate(n); }
                    Op::Read(at, n) => {
                        if body.unsealed(at) { body.seal(); }
                        let got = body.read(at, n);
                        let from = (at as usize).min(model.len());
                        prop_assert!(model[from..].starts_with(&got));
                        prop_assert!(n == 0 || got.is_empty() == (from == model.len()));
                    }
                    Op::Snapshot => kept.push((body.clone(), model.clone())),
                }
                prop_assert_eq!(body.len(), model.len() as u64);
                prop_assert!(body.rest(0) == model);
            }
            for (b, m) in kept {
                prop_assert!(b.rest(0) == m);
            }
        }
    }
}
