//! The names of a directory: a sorted map in two levels of shared leaves, so that a copy is a few pointers, a change
//! copies one leaf at most, and a listing is a walk over arrays.

use crate::Bytes;
use std::sync::Arc;

/// Names in a leaf before it is split.
const LEAF: usize = 64;

/// What a name stands for: an inode, or the absence of what the mount below has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    /// An inode of the tree.
    Ino(u64),
    /// The name of the lower layer is hidden.
    Whiteout,
}

type Leaf = Vec<(Bytes, Entry)>;

/// Names in byte order.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    leaves: Vec<Arc<Leaf>>,
}

impl Names {
    /// The leaf that holds or would hold `name`.
    fn leaf(&self, name: &[u8]) -> usize {
        match self.leaves.len() {
            0 | 1 => 0,
            _ => self.leaves.partition_point(|l| l[0].0 <= name).saturating_sub(1),
        }
    }

    fn find(leaf: &Leaf, name: &[u8]) -> Result<usize, usize> {
        leaf.binary_search_by(|e| e.0[..].cmp(name))
    }

    /// The entry of `name`.
    pub fn get(&self, name: &[u8]) -> Option<Entry> {
        let leaf = self.leaves.get(self.leaf(name))?;
        Self::find(leaf, name).ok().map(|i| leaf[i].1)
    }

    /// Sets `name`, returning what it was.
    pub fn insert(&mut self, name: &[u8], entry: Entry) -> Option<Entry> {
        let at = self.leaf(name);
        let Some(leaf) = self.leaves.get_mut(at) else {
            self.leaves.push(Arc::new(vec![(Bytes::copy_from_slice(name), entry)]));
            return None;
        };
        match Self::find(leaf, name) {
            Ok(i) => Some(std::mem::replace(&mut Arc::make_mut(leaf)[i].1, entry)),
            Err(i) => {
                let new = (Bytes::copy_from_slice(name), entry);
                if leaf.len() < LEAF {
                    Arc::make_mut(leaf).insert(i, new);
                } else if i == leaf.len() {
                    // Names that come in order fill their leaves.
                    self.leaves.insert(at + 1, Arc::new(vec![new]));
                } else {
                    let left = Arc::make_mut(leaf);
                    let mut right = left.split_off(LEAF / 2);
                    match i <= LEAF / 2 {
                        true => left.insert(i, new),
                        false => right.insert(i - LEAF / 2, new),
                    }
                    self.leaves.insert(at + 1, Arc::new(right));
                }
                None
            }
        }
    }

    /// Takes `name` out.
    pub fn remove(&mut self, name: &[u8]) -> Option<Entry> {
        let at = self.leaf(name);
        let leaf = self.leaves.get_mut(at)?;
        let i = Self::find(leaf, name).ok()?;
        let leaf = Arc::make_mut(leaf);
        let (_, old) = leaf.remove(i);
        if leaf.is_empty() {
            self.leaves.remove(at);
        }
        Some(old)
    }

    /// All names, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&Bytes, Entry)> {
        self.leaves.iter().flat_map(|l| l.iter().map(|(n, e)| (n, *e)))
    }

    /// How many there are, whiteouts too.
    pub fn len(&self) -> usize {
        self.leaves.iter().map(|l| l.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn behaves_like_a_sorted_map_and_copies_stay_as_they_were() {
        let mut names = Names::default();
        let mut model: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut rng = fastrand::Rng::with_seed(7);
        let mut copies = Vec::new();
        for n in 0..20_000u64 {
            let name = format!("f{}", rng.u32(..3000)).into_bytes();
            if rng.u8(..3) == 0 {
                assert_eq!(names.remove(&name).is_some(), model.remove(&name).is_some());
            } else {
                let old = names.insert(&name, Entry::Ino(n));
                assert_eq!(old, model.insert(name, n).map(Entry::Ino));
            }
            if n % 4000 == 0 {
                copies.push((names.clone(), model.clone()));
            }
        }
        copies.push((names, model));
        for (names, model) in copies {
            assert_eq!(names.len(), model.len());
            let flat: Vec<_> = names.iter().map(|(n, e)| (n.to_vec(), e)).collect();
            let want: Vec<_> = model.into_iter().map(|(n, i)| (n, Entry::Ino(i))).collect();
            assert_eq!(flat, want);
            for (n, e) in &want {
                assert_eq!(names.get(n), Some(*e));
            }
        }
    }
}
