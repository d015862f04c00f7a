//! The order in which gawk's `for (k in a)` meets the subscripts. It follows from how gawk stores them: small
//! integers in a tree, other integers and strings in two kinds of hash table. This rebuilds just enough of those
//! structures from the order of insertion.

use super::array::{Array, Key};
use std::collections::HashSet;

/// Sizes of the hash tables, as they grow.
const SIZES: [usize; 20] = [
    13,
    127,
    1021,
    8191,
    16381,
    32749,
    65497,
    131_101,
    262_147,
    524_309,
    1_048_583,
    2_097_169,
    4_194_319,
    8_388_617,
    16_777_259,
    33_554_467,
    67_108_879,
    134_217_757,
    268_435_459,
    536_870_923,
];
/// Mean length of a chain at which a table grows.
const CHAIN: usize = 2;
/// The tree holds the integers below 2^10 in one block, and those of each further power of two in one.
const BLOCK: u32 = 10;
/// Places that the tree may leave empty.
const WASTE: i64 = 2 << BLOCK;

/// The subscripts in that order.
pub fn keys(array: &Array) -> Vec<Key> {
    let keys: Vec<Key> = array.iter().map(|(k, _)| k).collect();
    let keys: Vec<&Key> = keys.iter().collect();
    let mut out = Vec::with_capacity(keys.len());
    match array.first().and_then(word) {
        Some(n) if n >= 0 => tree_first(&keys, &mut out),
        Some(_) => integers_first(&keys, &mut out),
        None => strings(keys.iter().copied(), &mut out),
    }
    out
}

/// The subscript as the 32-bit integer that gawk's integer tables hold.
fn word(key: &Key) -> Option<i32> {
    match key {
        Key::Int(i) => i32::try_from(*i).ok(),
        Key::Text(_) => None,
    }
}

/// An array whose first subscript was a natural number: what the tree does not take comes first, then the tree.
fn tree_first(keys: &[&Key], out: &mut Vec<Key>) {
    let mut tree = Vec::new();
    let mut others = Vec::new();
    let mut leaves = HashSet::new();
    let mut capacity = 0i64;
    for key in keys {
        let Some(n) = word(key).filter(|n| *n >= 0) else {
            others.push(*key);
            continue;
        };
        let (leaf, size, estimate) = leaf_of(n as u32);
        if capacity + estimate - tree.len() as i64 > WASTE {
            others.push(*key);
            continue;
        }
        if leaves.insert((size, leaf)) {
            capacity += size;
        }
        tree.push(n);
    }
    match others.first().map(|k| word(k)) {
        Some(Some(_)) => integers_first(&others, out),
        Some(None) => strings(others.iter().copied(), out),
        None => {}
    }
    tree.sort_unstable();
    out.extend(tree.into_iter().map(|n| Key::Int(i64::from(n))));
}

/// The leaf of the tree that holds `n`, its size, and the size that is estimated before it is made.
fn leaf_of(n: u32) -> (u32, i64, i64) {
    let power = if n < 1 << BLOCK { BLOCK } else { n.ilog2() };
    let mut estimate = power;
    while estimate >= BLOCK {
        estimate = estimate.div_ceil(2);
    }
    let mut bits = power.div_ceil(2);
    while bits > BLOCK {
        bits = bits.div_ceil(2);
    }
    (n >> bits, 1 << bits, 1 << estimate)
}

/// An array whose first subscript was a negative integer: strings come first, then the hashed integers.
fn integers_first(keys: &[&Key], out: &mut Vec<Key>) {
    strings(keys.iter().copied().filter(|k| word(k).is_none()), out);
    let mut table: Vec<Vec<Pair>> = Vec::new();
    let mut count = 0;
    for n in keys.iter().filter_map(|k| word(k)) {
        count += 1;
        if table.is_empty() || count / table.len() > CHAIN {
            let size = SIZES.iter().copied().find(|s| *s > table.len()).unwrap_or(table.len());
            let old = std::mem::replace(&mut table, vec![Vec::new(); size]);
            for pair in old.iter().flat_map(|chain| chain.iter().rev()) {
                for n in pair.iter() {
                    put_integer(&mut table, n);
                }
            }
        }
        put_integer(&mut table, n);
    }
    for pair in table.iter().flat_map(|chain| chain.iter().rev()) {
        out.extend(pair.iter().map(|n| Key::Int(i64::from(n))));
    }
}

/// Integers are chained two by two; the newest pair is the head of its chain (the end of the vector here).
#[derive(Clone, Copy)]
struct Pair(i32, Option<i32>);

impl Pair {
    fn iter(&self) -> impl Iterator<Item = i32> {
        [Some(self.0), self.1].into_iter().flatten()
    }
}

fn put_integer(table: &mut [Vec<Pair>], n: i32) {
    let mut k = n as u32;
    k ^= k << 3;
    k = k.wrapping_add(k >> 5);
    k ^= k << 4;
    k = k.wrapping_add(k >> 17);
    k ^= k << 25;
    k = k.wrapping_add(k >> 6);
    let size = table.len();
    let chain = &mut table[k as usize % size];
    match chain.last_mut() {
        Some(Pair(_, second)) if second.is_none() => *second = Some(n),
        _ => chain.push(Pair(n, None)),
    }
}

/// Subscripts of the string table: chained newest first, and turned around each time the table grows.
fn strings<'k>(keys: impl Iterator<Item = &'k Key>, out: &mut Vec<Key>) {
    let mut table: Vec<Vec<(u32, &Key)>> = Vec::new();
    let mut text = Vec::new();
    for (i, key) in keys.enumerate() {
        text.clear();
        key.put(&mut text);
        let code = text.iter().fold(0u32, |h, b| (*b as i8 as u32).wrapping_add(h.wrapping_mul(65599)));
        if table.is_empty() || (i + 1) / table.len() > CHAIN {
            let size = SIZES.iter().copied().find(|s| *s > table.len()).unwrap_or(table.len());
            let old = std::mem::replace(&mut table, vec![Vec::new(); size]);
            for entry in old.iter().flat_map(|chain| chain.iter().rev()) {
                table[entry.0 as usize % size].push(*entry);
            }
        }
        let size = table.len();
        table[code as usize % size].push((code, key));
    }
    out.extend(table.iter().flat_map(|chain| chain.iter().rev()).map(|e| e.1.clone()));
}
