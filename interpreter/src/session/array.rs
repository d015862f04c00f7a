//! The two kinds of array: indexed ones, dense where indices are compact, and associative ones, whose order of
//! iteration is that of bash's own hash table.

use bytes::Bytes;
use hashbrown::HashMap;
use std::collections::BTreeMap;

use super::vars::int_text;

/// A scalar value: an integer result stays an integer until somebody reads it as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A canonical decimal number.
    Int(i64),
    /// Any bytes.
    Str(Bytes),
}

impl Scalar {
    /// As text.
    pub fn text(&self) -> Bytes {
        match self {
            Scalar::Int(n) => int_text(*n),
            Scalar::Str(b) => b.clone(),
        }
    }

    /// Bytes held, for the memory budget.
    pub fn weight(&self) -> usize {
        match self {
            Scalar::Int(_) => 40,
            Scalar::Str(b) => 40 + b.len(),
        }
    }
}

/// An indexed array. Indices below `dense.len()` live in `dense`, others in `sparse`.
#[derive(Clone, Debug, Default)]
pub struct Indexed {
    dense: Vec<Option<Scalar>>,
    sparse: BTreeMap<i64, Scalar>,
    count: usize,
}

impl Indexed {
    /// How many elements are set.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The element at `i` (not negative).
    #[inline]
    pub fn get(&self, i: i64) -> Option<&Scalar> {
        match self.dense.get(i as usize) {
            Some(e) => e.as_ref(),
            None if self.sparse.is_empty() => None,
            None => self.sparse.get(&i),
        }
    }

    /// A place to change the element at `i`.
    pub fn get_mut(&mut self, i: i64) -> Option<&mut Scalar> {
        match self.dense.get_mut(i as usize) {
            Some(e) => e.as_mut(),
            None => self.sparse.get_mut(&i),
        }
    }

    /// Sets the element at `i` (not negative).
    pub fn set(&mut self, i: i64, v: Scalar) {
        let at = i as usize;
        if at >= self.dense.len() {
            if at > self.dense.len() + 64 + 3 * self.count {
                self.count += usize::from(self.sparse.insert(i, v).is_none());
                return;
            }
            self.dense.resize(at + 1, None);
            while let Some((&k, _)) = self.sparse.first_key_value() {
                if k as usize >= self.dense.len() {
                    break;
                }
                if let Some((k, v)) = self.sparse.pop_first() {
                    self.dense[k as usize] = Some(v);
                }
            }
        }
        self.count += usize::from(self.dense[at].replace(v).is_none());
    }

    /// Appends after the last element.
    pub fn push(&mut self, v: Scalar) {
        match self.sparse.is_empty() {
            true => {
                // Holes at the end must not count: `unset 'a[-1]'` trims them.
                self.count += 1;
                self.dense.push(Some(v));
            }
            false => self.set(self.max().map_or(0, |m| m.saturating_add(1)), v),
        }
    }

    /// Removes the element at `i`.
    pub fn remove(&mut self, i: i64) -> bool {
        let at = i as usize;
        let had = match self.dense.get_mut(at) {
            Some(e) => e.take().is_some(),
            None => self.sparse.remove(&i).is_some(),
        };
        if had {
            self.count -= 1;
            while let Some(None) = self.dense.last() {
                self.dense.pop();
            }
        }
        had
    }

    /// The highest index that is set.
    pub fn max(&self) -> Option<i64> {
        match self.sparse.last_key_value() {
            Some((k, _)) => Some(*k),
            None => self.dense.len().checked_sub(1).map(|n| n as i64),
        }
    }

    /// Indices and values, rising.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &Scalar)> {
        let dense = self.dense.iter().enumerate().filter_map(|(i, e)| Some((i as i64, e.as_ref()?)));
        dense.chain(self.sparse.iter().map(|(k, v)| (*k, v)))
    }

    /// From values in order.
    pub fn from_values(values: impl IntoIterator<Item = Bytes>) -> Indexed {
        let dense: Vec<_> = values.into_iter().map(|v| Some(Scalar::Str(v))).collect();
        Indexed { count: dense.len(), dense, sparse: BTreeMap::new() }
    }
}

/// An associative array.
#[derive(Clone, Debug, Default)]
pub struct Assoc {
    map: HashMap<Bytes, (u32, Scalar), foldhash::fast::RandomState>,
    next: u32,
    /// Buckets that bash's table would have by now: it grows and never shrinks.
    buckets: u32,
}

/// `hash_string` of bash's hashlib.c: FNV, over signed characters.
pub fn bash_hash(key: &[u8]) -> u32 {
    key.iter().fold(2_166_136_261, |h: u32, &b| h.wrapping_mul(16_777_619) ^ (b as i8 as u32))
}

impl Assoc {
    /// How many elements are set.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The value of `key`.
    pub fn get(&self, key: &[u8]) -> Option<&Scalar> {
        self.map.get(key).map(|(_, v)| v)
    }

    /// A place to change the value of `key`.
    pub fn get_mut(&mut self, key: &[u8]) -> Option<&mut Scalar> {
        self.map.get_mut(key).map(|(_, v)| v)
    }

    /// Sets `key`.
    pub fn set(&mut self, key: Bytes, v: Scalar) {
        if let Some(e) = self.map.get_mut(&key) {
            e.1 = v;
            return;
        }
        self.buckets = self.buckets.max(1024);
        if self.map.len() >= 2 * self.buckets as usize {
            self.grow();
        }
        self.next = self.next.wrapping_add(1);
        self.map.insert(key, (self.next, v));
    }

    /// bash's table becomes four times as large; the elements of a bucket come out in the other order.
    fn grow(&mut self) {
        let order: Vec<Bytes> = self.iter().map(|(k, _)| k.clone()).collect();
        self.buckets = self.buckets.saturating_mul(4);
        for (i, k) in order.iter().enumerate() {
            if let Some(e) = self.map.get_mut(k) {
                e.0 = i as u32;
            }
        }
        self.next = order.len() as u32;
    }

    /// Removes `key`.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        self.map.remove(key).is_some()
    }

    /// Keys and values in bash's order: by bucket, the newest of a bucket first.
    pub fn iter(&self) -> impl Iterator<Item = (&Bytes, &Scalar)> {
        let mask = self.buckets.max(1024) - 1;
        let mut all: Vec<_> =
            self.map.iter().map(|(k, (n, v))| (bash_hash(k) & mask, u32::MAX - n, k, v)).collect();
        all.sort_unstable_by_key(|e| (e.0, e.1));
        all.into_iter().map(|(_, _, k, v)| (k, v))
    }
}
