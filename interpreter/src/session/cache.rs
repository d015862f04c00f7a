//! Compiled programs by text, shared by all sessions of the process: scripts, `eval` strings, trap bodies and
//! sourced files are parsed once.

use crate::syntax::ir::{LineNo, Unit};
use bytes::Bytes;
use hashbrown::HashMap;
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};

/// Longer texts are not kept.
const LONGEST: usize = 256 << 10;
/// Programs kept.
const MOST: usize = 1024;
/// Bytes of text kept.
const MOST_BYTES: usize = 16 << 20;

/// What the parse depends on besides the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mode {
    /// `shopt -s extglob`
    pub extglob: bool,
    /// `set -o posix`
    pub posix: bool,
    /// The number of the first line.
    pub line: LineNo,
}

#[derive(Default)]
struct Cache {
    map: HashMap<(Bytes, Mode), (Arc<[Arc<Unit>]>, u64), foldhash::fast::RandomState>,
    clock: u64,
    bytes: usize,
}

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);

/// The program for `text`, if it is kept.
pub fn get(text: &Bytes, mode: Mode) -> Option<Arc<[Arc<Unit>]>> {
    if text.len() > LONGEST {
        return None;
    }
    let mut c = CACHE.lock();
    c.clock += 1;
    let now = c.clock;
    let found = c.map.get_mut(&(text.clone(), mode))?;
    found.1 = now;
    Some(found.0.clone())
}

/// Keeps the program for `text`.
pub fn put(text: &Bytes, mode: Mode, units: Vec<Arc<Unit>>) {
    if text.len() > LONGEST {
        return;
    }
    let mut c = CACHE.lock();
    if c.map.len() >= MOST || c.bytes + text.len() > MOST_BYTES {
        let mut times: Vec<u64> = c.map.values().map(|v| v.1).collect();
        let middle = times.len() / 2;
        let (_, &mut limit, _) = times.select_nth_unstable(middle);
        c.map.retain(|_, v| v.1 > limit);
        c.bytes = c.map.keys().map(|(t, _)| t.len()).sum();
    }
    let now = c.clock;
    c.bytes += text.len();
    c.map.insert((text.clone(), mode), (units.into(), now));
}
