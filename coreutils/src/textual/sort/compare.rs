//! The lines of a sort and their order.

use super::{
    keys,
    options::{Key, Kind, Settings},
};
use hashbrown::HashSet;
use sandshell_kernel::{Budget, Bytes, Result};
use std::{cell::Cell, cmp::Ordering};

/// A line: where it lies, and the first bytes of its first key as a number that orders like it.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    prefix: u128,
    start: usize,
    len: u32,
    index: u32,
}

impl Line {
    /// Where it lies, without its line end.
    pub fn range(&self) -> (usize, usize) {
        (self.start, self.start + self.len as usize)
    }
}

/// What the prefix of the first key tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    /// Different prefixes decide; equal ones decide too.
    Exact,
    /// Different prefixes decide; equal ones tell nothing.
    Partial,
    /// There is none.
    None,
}

/// Orders the lines of one text.
pub struct Sorter<'a> {
    s: &'a Settings,
    text: &'a Bytes,
    /// Known for certain when all lines have been seen: one number too long makes equal prefixes undecided.
    prefix: Cell<Prefix>,
}

impl<'a> Sorter<'a> {
    /// For the lines of `text`, each of which ends in the line end.
    pub fn new(s: &'a Settings, text: &'a Bytes) -> Sorter<'a> {
        let prefix = match s.keys.first() {
            None => Prefix::Partial,
            Some(k) => match k.order.kind {
                Kind::Text if !k.order.dictionary && !k.order.printing => Prefix::Partial,
                Kind::Numeric | Kind::Month => Prefix::Exact,
                _ => Prefix::None,
            },
        };
        Sorter { s, text, prefix: Cell::new(prefix) }
    }

    /// All lines in the order of the text. Numeric keys become numbers here, once.
    pub fn lines(&self, budget: Budget) -> Result<Vec<Line>> {
        let mut out: Vec<Line> =
            Vec::with_capacity(memchr::memchr_iter(self.s.line_end, self.text).count() + 1);
        let mut start = 0;
        for end in memchr::memchr_iter(self.s.line_end, self.text) {
            budget.step()?;
            let len = u32::try_from(end - start).unwrap_or(u32::MAX);
            let mut line = Line { prefix: 0, start, len, index: out.len() as u32 };
            line.prefix = self.prefix_of(&self.text[start..end]);
            out.push(line);
            start = end + 1;
        }
        Ok(out)
    }

    fn prefix_of(&self, line: &[u8]) -> u128 {
        let Some(k) = self.s.keys.first() else { return text_prefix(line) };
        if self.prefix.get() == Prefix::None {
            return 0;
        }
        let (from, to) = keys::bounds(line, k, self.s.separator);
        let key = &line[from..to];
        let p = match k.order.kind {
            Kind::Numeric => {
                let (n, exact) = keys::fixed_point(key);
                if !exact {
                    self.prefix.set(Prefix::Partial);
                }
                (n as u128) ^ (1 << 127)
            }
            Kind::Month => u128::from(keys::month(key)),
            _ if k.order.fold => {
                let mut upper = [0u8; 16];
                for (u, b) in upper.iter_mut().zip(key) {
                    *u = b.to_ascii_uppercase();
                }
                u128::from_be_bytes(upper)
            }
            _ => text_prefix(key),
        };
        if k.order.reverse { !p } else { p }
    }

    fn bytes(&self, l: &Line) -> &'a [u8] {
        &self.text[l.start..l.start + l.len as usize]
    }

    /// Which of two lines comes first, the last resort included (but not stability).
    pub fn compare(&self, a: &Line, b: &Line) -> Ordering {
        let (x, y) = (self.bytes(a), self.bytes(b));
        if self.s.keys.is_empty() {
            let by = x.cmp(y);
            return if self.s.global.reverse { by.reverse() } else { by };
        }
        let by = self.by_keys(x, y);
        if by.is_ne() || self.s.stable || self.s.unique {
            return by;
        }
        let by = x.cmp(y);
        if self.s.global.reverse { by.reverse() } else { by }
    }

    /// Equal as `-u` sees it.
    pub fn same_keys(&self, a: &Line, b: &Line) -> bool {
        let (x, y) = (self.bytes(a), self.bytes(b));
        if self.s.keys.is_empty() { x == y } else { self.by_keys(x, y).is_eq() }
    }

    fn by_keys(&self, x: &[u8], y: &[u8]) -> Ordering {
        for k in &self.s.keys {
            let (fx, tx) = keys::bounds(x, k, self.s.separator);
            let (fy, ty) = keys::bounds(y, k, self.s.separator);
            let by = self.by_key(k, &x[fx..tx], &y[fy..ty]);
            if by.is_ne() {
                return if k.order.reverse { by.reverse() } else { by };
            }
        }
        Ordering::Equal
    }

    fn by_key(&self, k: &Key, x: &[u8], y: &[u8]) -> Ordering {
        let o = &k.order;
        if o.dictionary || o.printing || (o.fold && o.kind != Kind::Text) {
            let clean = |t: &[u8]| -> Vec<u8> {
                t.iter()
                    .filter(|b| !o.dictionary || b.is_ascii_alphanumeric() || matches!(**b, b' ' | b'\t'))
                    .filter(|b| !o.printing || matches!(**b, b' '..=b'~'))
                    .map(|b| if o.fold { b.to_ascii_uppercase() } else { *b })
                    .collect()
            };
            return self.by_kind(o.kind, &clean(x), &clean(y));
        }
        if o.fold {
            let upper = |b: &u8| b.to_ascii_uppercase();
            return x.iter().map(upper).cmp(y.iter().map(upper));
        }
        self.by_kind(o.kind, x, y)
    }

    fn by_kind(&self, kind: Kind, x: &[u8], y: &[u8]) -> Ordering {
        match kind {
            Kind::Text => x.cmp(y),
            Kind::Numeric => keys::numeric(x, y),
            Kind::General => keys::general(x).partial_cmp(&keys::general(y)).unwrap_or(Ordering::Equal),
            Kind::Human => keys::human(x, y),
            Kind::Month => keys::month(x).cmp(&keys::month(y)),
            Kind::Version => keys::version(x, y),
            Kind::Random => self.hash(x).cmp(&self.hash(y)).then_with(|| x.cmp(y)),
        }
    }

    fn hash(&self, text: &[u8]) -> u64 {
        let mut h = self.s.seed ^ 0x9e37_79b9_7f4a_7c15;
        for b in text {
            h = (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
            h ^= h >> 29;
        }
        h.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (h >> 32)
    }

    /// The first of each line, found by hash: a repetitive input then has few lines to sort.
    pub fn distinct(&self, lines: Vec<Line>, budget: &Budget) -> Result<Vec<Line>> {
        let mut seen: HashSet<&[u8], foldhash::fast::RandomState> = HashSet::default();
        let mut out = Vec::new();
        let mut memory = budget.reservation();
        for l in lines {
            budget.step()?;
            if seen.insert(self.bytes(&l)) {
                out.push(l);
                if out.len() % 4096 == 0 {
                    memory.set(out.len() as u64 * 48)?;
                }
            }
        }
        Ok(out)
    }

    /// `-m`: takes the first of the files' next lines each time; of equal ones the earlier file's. `ends` are where
    /// the files end in the text.
    pub fn merge(&self, lines: Vec<Line>, ends: &[usize], budget: &Budget) -> Result<Vec<Line>> {
        let mut files: Vec<std::iter::Peekable<std::slice::Iter<'_, Line>>> = Vec::new();
        let mut rest = &lines[..];
        for end in ends {
            let n = rest.partition_point(|l| l.start < *end);
            files.push(rest[..n].iter().peekable());
            rest = &rest[n..];
        }
        let mut out = Vec::with_capacity(lines.len());
        loop {
            budget.step()?;
            let mut best: Option<(usize, &Line)> = None;
            for (i, f) in files.iter_mut().enumerate() {
                let Some(l) = f.peek() else { continue };
                if best.is_none_or(|(_, b)| self.compare(l, b).is_lt()) {
                    best = Some((i, l));
                }
            }
            let Some((i, l)) = best else { return Ok(out) };
            out.push(*l);
            files[i].next();
        }
    }

    /// Sorts, equal lines in the order of the text. Large inputs are sorted by two threads' halves where that pays.
    pub fn sort(&self, lines: &mut [Line], budget: &Budget) -> Result<()> {
        budget.check()?;
        let plain_reverse = self.s.keys.is_empty() && self.s.global.reverse;
        let prefixed = self.prefix.get() != Prefix::None;
        let exact = self.prefix.get() == Prefix::Exact;
        let single = self.s.keys.len() == 1;
        let last_resort = !(self.s.stable || self.s.unique);
        // A comparison cannot fail, so a stop during the sort is seen after it; pieces keep that short.
        let by = |a: &Line, b: &Line| -> Ordering {
            if prefixed && a.prefix != b.prefix {
                let by = a.prefix.cmp(&b.prefix);
                return if plain_reverse { by.reverse() } else { by };
            }
            let by = if exact && single {
                if last_resort {
                    let by = self.bytes(a).cmp(self.bytes(b));
                    if self.s.global.reverse { by.reverse() } else { by }
                } else {
                    Ordering::Equal
                }
            } else {
                self.compare(a, b)
            };
            by.then(a.index.cmp(&b.index))
        };
        const PIECE: usize = 1 << 18;
        if lines.len() <= PIECE {
            lines.sort_unstable_by(by);
        } else {
            for piece in lines.chunks_mut(PIECE) {
                budget.check()?;
                piece.sort_unstable_by(by);
            }
            // The standard stable sort finds the sorted runs and merges them.
            budget.check()?;
            lines.sort_by(by);
        }
        budget.check()
    }
}

fn text_prefix(text: &[u8]) -> u128 {
    let mut first = [0u8; 16];
    let n = text.len().min(16);
    first[..n].copy_from_slice(&text[..n]);
    u128::from_be_bytes(first)
}
