//! Compiled patterns of the whole process: scripts use the same few again and again.

use super::{Flags, Regex, RegexError, Syntax};
use foldhash::fast::RandomState;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::LazyLock;

/// How many are kept.
const KEPT: usize = 256;
/// Longer ones (lists of words) are not kept.
const LONGEST: usize = 4096;

#[derive(Debug)]
struct Entry {
    patterns: Vec<Vec<u8>>,
    syntax: Syntax,
    flags: Flags,
    regex: Regex,
    used: u64,
}

#[derive(Default)]
struct Cache {
    entries: HashMap<u64, Entry, RandomState>,
    clock: u64,
}

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

pub(super) fn get(
    patterns: &[&[u8]],
    syntax: Syntax,
    flags: Flags,
    compile: impl FnOnce() -> Result<Regex, RegexError>,
) -> Result<Regex, RegexError> {
    if patterns.iter().map(|p| p.len()).sum::<usize>() > LONGEST {
        return compile();
    }
    let key = HASHER.hash_one((patterns, syntax, flags));
    {
        let mut cache = CACHE.lock();
        cache.clock += 1;
        let now = cache.clock;
        if let Some(e) = cache.entries.get_mut(&key)
            && e.syntax == syntax
            && e.flags == flags
            && e.patterns.iter().map(|p| &p[..]).eq(patterns.iter().copied())
        {
            e.used = now;
            return Ok(e.regex.clone());
        }
    }
    let regex = compile()?;
    let entry = |used| Entry {
        patterns: patterns.iter().map(|p| p.to_vec()).collect(),
        syntax,
        flags,
        regex: regex.clone(),
        used,
    };
    let mut cache = CACHE.lock();
    if cache.entries.len() >= KEPT {
        let oldest = cache.entries.iter().min_by_key(|(_, e)| e.used).map(|(k, _)| *k);
        if let Some(k) = oldest {
            cache.entries.remove(&k);
        }
    }
    let now = cache.clock;
    cache.entries.insert(key, entry(now));
    Ok(regex)
}
