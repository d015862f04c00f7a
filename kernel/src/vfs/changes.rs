//! What differs between two moments of a tree.

use super::{
    Snapshot,
    dir::Entry,
    tree::{Dir, ROOT, Tree},
};
use crate::Bytes;
use std::sync::Arc;

/// One path that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its absolute path.
    pub path: Bytes,
    /// How.
    pub kind: ChangeKind,
}

/// How a path differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It is new. A new directory is named only when it is empty; else its files are.
    Created,
    /// Its content, mode or target differs. A file written below a mount that shows through counts as this, new or not:
    /// the mount is not asked.
    Changed,
    /// It is gone; of a directory only the top is named.
    Removed,
}

impl Snapshot {
    /// What `later` has changed, sorted by path. Reads nothing of the mounts; takes no time when nothing changed.
    pub fn changes(&self, later: &Snapshot) -> Vec<Change> {
        let mut diff = Diff { old: &self.tree, new: &later.tree, found: Vec::new() };
        if self.tree.generation != later.tree.generation {
            diff.walk();
        }
        diff.found.sort_by(|a, b| a.path.cmp(&b.path));
        diff.found
    }
}

struct Diff<'a> {
    old: &'a Tree,
    new: &'a Tree,
    found: Vec<Change>,
}

impl<'a> Diff<'a> {
    fn walk(&mut self) {
        let mut todo = vec![(Vec::new(), Some(ROOT), ROOT)];
        while let Some((path, old, new)) = todo.pop() {
            let old = old.and_then(|i| self.old.dir(i));
            let Some(new) = self.new.dir(new) else { continue };
            self.gone(&path, old, new);
            self.there(&path, old, new, &mut todo);
        }
    }

    /// Names that only the old directory has.
    fn gone(&mut self, path: &[u8], old: Option<&Arc<Dir>>, new: &Dir) {
        for (name, entry) in old.iter().flat_map(|d| d.names.iter()) {
            if matches!(entry, Entry::Ino(_)) && !matches!(new.names.get(name), Some(Entry::Ino(_))) {
                self.add(path, name, ChangeKind::Removed);
            }
        }
    }

    /// Names of the new directory that are new or differ.
    fn there(
        &mut self,
        path: &[u8],
        old: Option<&Arc<Dir>>,
        new: &Dir,
        todo: &mut Vec<(Vec<u8>, Option<u64>, u64)>,
    ) {
        for (name, entry) in new.names.iter() {
            let before = old.and_then(|d| d.names.get(name));
            let (ino, was) = match (entry, before) {
                (Entry::Whiteout, None) => {
                    self.add(path, name, ChangeKind::Removed);
                    continue;
                }
                (Entry::Whiteout, _) => continue,
                (Entry::Ino(ino), Some(Entry::Ino(was))) => (ino, Some(was)),
                (Entry::Ino(ino), _) => (ino, None),
            };
            if let Some(dir) = self.new.dir(ino) {
                let was = was.filter(|&w| self.old.dir(w).is_some());
                if was.is_none() && dir.names.len() == 0 && dir.lower == 0 {
                    self.add(path, name, ChangeKind::Created);
                } else {
                    todo.push(([path, b"/", name].concat(), was, ino));
                }
            } else if let Some(was) = was {
                if !self.same(was, ino) {
                    self.add(path, name, ChangeKind::Changed);
                }
            } else {
                let through = new.lower != 0 && before.is_none();
                self.add(path, name, if through { ChangeKind::Changed } else { ChangeKind::Created });
            }
        }
    }

    fn same(&self, old: u64, new: u64) -> bool {
        if old == new && self.old.same_page(self.new, new) {
            return true;
        }
        // A body that was only read may have been put in order since: its times tell.
        match (self.old.get(old), self.new.get(new)) {
            (Some(a), Some(b)) => old == new && a.ctime == b.ctime && a.mtime == b.mtime,
            _ => false,
        }
    }

    fn add(&mut self, dir: &[u8], name: &[u8], kind: ChangeKind) {
        self.found.push(Change { path: [dir, b"/", name].concat().into(), kind });
    }
}
