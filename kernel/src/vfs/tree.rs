//! The session's tree: a table of inodes in shared pages. A copy of the tree is a pointer; a change after a copy
//! copies the page, the directory leaf or the file tail that it touches.

use super::{
    FileKind, GID, Stat, Time, UID,
    body::Body,
    dir::{Entry, Names},
};
use crate::{Bytes, stream::device::Device};
use std::sync::Arc;

/// Inodes in a page.
const PAGE: usize = 32;
/// The root directory.
pub(super) const ROOT: u64 = 0;
const NONE: u64 = u64::MAX;

/// A directory's names, and the mount that shows through where it has no entry of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Dir {
    pub names: Names,
    /// Index of the mount plus one, 0 for none: then the directory is all there is (opaque, or of the tree alone).
    pub lower: u32,
}

/// A file whose metadata was copied up and whose content is still the mount's.
#[derive(Debug)]
pub(super) struct Backed {
    pub mount: u32,
    /// Its path in the mount.
    pub path: Bytes,
    pub size: Option<u64>,
}

/// What an inode is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    File(Arc<Body>),
    Dir(Arc<Dir>),
    Link(Bytes),
    Fifo,
    Device(Device),
    /// `/dev/tty`, which cannot be opened: there is no terminal.
    Tty,
    /// `/proc/self/fd`.
    FdDir,
    Backed(Arc<Backed>),
}

/// Times of an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    secs: i64,
    nanos: u32,
}

impl From<Time> for Stamp {
    fn from(t: Time) -> Stamp {
        let secs = t.0.div_euclid(1_000_000_000);
        Stamp { secs: secs.clamp(i64::MIN.into(), i64::MAX.into()) as i64, nanos: t.nanos() }
    }
}

impl From<Stamp> for Time {
    fn from(s: Stamp) -> Time {
        Time(i128::from(s.secs) * 1_000_000_000 + i128::from(s.nanos))
    }
}

/// An inode.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub mode: u32,
    pub nlink: u32,
    pub uid: u32,
    pub gid: u32,
    pub mtime: Stamp,
    pub atime: Stamp,
    pub ctime: Stamp,
    pub btime: Stamp,
}

impl Node {
    /// A node of the user, not linked yet (a directory counts its own `.`).
    pub fn new(kind: Kind, mode: u32, now: Time) -> Node {
        let t = now.into();
        let nlink = u32::from(matches!(kind, Kind::Dir(_)));
        Node { kind, mode, nlink, uid: UID, gid: GID, mtime: t, atime: t, ctime: t, btime: t }
    }

    pub fn file_kind(&self) -> FileKind {
        match self.kind {
            Kind::File(_) | Kind::Backed(_) => FileKind::File,
            Kind::Dir(_) | Kind::FdDir => FileKind::Directory,
            Kind::Link(_) => FileKind::Symlink,
            Kind::Fifo => FileKind::Fifo,
            Kind::Device(_) | Kind::Tty => FileKind::Device,
        }
    }

    /// Its metadata, and whether the size is known.
    pub fn stat(&self, ino: u64, dev: u64) -> (Stat, bool) {
        let (size, held, known) = match &self.kind {
            Kind::File(b) => (b.len(), b.held(), true),
            Kind::Dir(_) => (4096, 4096, true),
            Kind::Link(t) => (t.len() as u64, 0, true),
            Kind::Backed(b) => (b.size.unwrap_or(0), b.size.unwrap_or(0), b.size.is_some()),
            _ => (0, 0, true),
        };
        let rdev = match self.kind {
            Kind::Device(d) => Stat::device(d).rdev,
            Kind::Tty => (5, 0),
            _ => (0, 0),
        };
        let stat = Stat {
            kind: self.file_kind(),
            mode: self.mode,
            size,
            blocks: held.div_ceil(4096) * 8,
            ino: ino + 1,
            dev,
            nlink: self.nlink,
            uid: self.uid,
            gid: self.gid,
            mtime: self.mtime.into(),
            atime: self.atime.into(),
            ctime: self.ctime.into(),
            btime: self.btime.into(),
            rdev,
        };
        (stat, known)
    }

    /// Bytes that count against the quota.
    pub fn held(&self) -> u64 {
        match &self.kind {
            Kind::File(b) => b.held(),
            _ => 0,
        }
    }

    /// Marks a change of content.
    pub fn touch(&mut self, now: Time) {
        self.mtime = now.into();
        self.ctime = now.into();
    }
}

#[derive(Clone, Debug)]
enum Slot {
    /// The next free one.
    Free(u64),
    Used(Node),
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pages: Arc<Vec<Arc<[Slot; PAGE]>>>,
    free: u64,
    /// Bytes of files that were written.
    pub bytes: u64,
    /// Inodes that were made.
    pub files: u64,
    /// Counts changes.
    pub generation: u64,
    /// Counts changes of names and inodes (not of content).
    pub shape: u64,
}

impl Tree {
    /// A root directory, owned by root.
    pub fn new(now: Time) -> Tree {
        let mut t = Tree { pages: Arc::default(), free: NONE, bytes: 0, files: 0, generation: 0, shape: 1 };
        let mut root = Node::new(Kind::Dir(Arc::default()), 0o755, now);
        (root.uid, root.gid, root.nlink) = (0, 0, 2);
        t.add(root);
        t
    }

    #[inline]
    pub fn get(&self, ino: u64) -> Option<&Node> {
        match self.pages.get(ino as usize / PAGE)?.get(ino as usize % PAGE)? {
            Slot::Used(n) => Some(n),
            Slot::Free(_) => None,
        }
    }

    #[inline]
    fn slot(&mut self, ino: u64) -> Option<&mut Slot> {
        let page = Arc::make_mut(&mut self.pages).get_mut(ino as usize / PAGE)?;
        Some(&mut Arc::make_mut(page)[ino as usize % PAGE])
    }

    /// The node to be changed.
    #[inline]
    pub fn get_mut(&mut self, ino: u64) -> Option<&mut Node> {
        match self.slot(ino)? {
            Slot::Used(n) => Some(n),
            Slot::Free(_) => None,
        }
    }

    /// The directory of `ino`.
    #[inline]
    pub fn dir(&self, ino: u64) -> Option<&Arc<Dir>> {
        match &self.get(ino)?.kind {
            Kind::Dir(d) => Some(d),
            _ => None,
        }
    }

    fn dir_mut(&mut self, ino: u64) -> Option<&mut Dir> {
        match &mut self.get_mut(ino)?.kind {
            Kind::Dir(d) => Some(Arc::make_mut(d)),
            _ => None,
        }
    }

    /// Whether `ino` lies in a page that `other` shares: then it is the same there.
    pub fn same_page(&self, other: &Tree, ino: u64) -> bool {
        let page = ino as usize / PAGE;
        matches!((self.pages.get(page), other.pages.get(page)), (Some(a), Some(b)) if Arc::ptr_eq(a, b))
    }

    /// Gives the mounts other numbers. What hung on a mount that is gone (`None`) goes: its whiteouts, and files of
    /// which only the metadata was changed.
    pub fn renumber_mounts(&mut self, to: impl Fn(u32) -> Option<u32>, now: Time) {
        let mut todo = vec![ROOT];
        while let Some(ino) = todo.pop() {
            let Some(dir) = self.dir(ino).cloned() else { continue };
            let lower = dir.lower.checked_sub(1).and_then(&to).map_or(0, |n| n + 1);
            if lower != dir.lower
                && let Some(d) = self.dir_mut(ino)
            {
                d.lower = lower;
            }
            for (name, entry) in dir.names.iter() {
                let child = match entry {
                    Entry::Ino(child) => child,
                    Entry::Whiteout => {
                        if lower == 0
                            && let Some(d) = self.dir_mut(ino)
                        {
                            d.names.remove(name);
                        }
                        continue;
                    }
                };
                let Some(node) = self.get(child) else { continue };
                match &node.kind {
                    Kind::Dir(_) => todo.push(child),
                    Kind::Backed(b) => match to(b.mount) {
                        Some(mount) if mount == b.mount => {}
                        Some(mount) => {
                            let moved = Backed { mount, path: b.path.clone(), size: b.size };
                            if let Some(n) = self.get_mut(child) {
                                n.kind = Kind::Backed(Arc::new(moved));
                            }
                        }
                        None => {
                            if let Some(gone) = self.unlink(ino, name, now)
                                && self.get(gone).is_some_and(|n| n.nlink == 0)
                            {
                                self.discard(gone);
                            }
                        }
                    },
                    _ => {}
                }
            }
        }
    }

    /// Puts a node into a free slot.
    pub fn add(&mut self, node: Node) -> u64 {
        self.files += 1;
        self.bytes += node.held();
        if self.free == NONE {
            let first = (self.pages.len() * PAGE) as u64;
            let page = std::array::from_fn(|i| match i + 1 {
                PAGE => Slot::Free(NONE),
                n => Slot::Free(first + n as u64),
            });
            Arc::make_mut(&mut self.pages).push(Arc::new(page));
            self.free = first;
        }
        let ino = self.free;
        if let Some(slot) = self.slot(ino)
            && let Slot::Free(next) = std::mem::replace(slot, Slot::Used(node))
        {
            self.free = next;
        }
        ino
    }

    /// Frees an inode that nothing refers to any more.
    pub fn discard(&mut self, ino: u64) {
        let free = self.free;
        if let Some(slot) = self.slot(ino)
            && let Slot::Used(node) = std::mem::replace(slot, Slot::Free(free))
        {
            self.free = ino;
            self.shape += 1;
            self.files = self.files.saturating_sub(1);
            self.bytes = self.bytes.saturating_sub(node.held());
        }
    }

    /// Links `ino` as `name` in the directory `dir`, counting links; what was there is the caller's to unlink first.
    pub fn link(&mut self, dir: u64, name: &[u8], ino: u64, now: Time) {
        self.generation += 1;
        self.shape += 1;
        let mut is_dir = false;
        if let Some(n) = self.get_mut(ino) {
            n.nlink += 1;
            is_dir = matches!(n.kind, Kind::Dir(_));
        }
        if let Some(d) = self.dir_mut(dir) {
            d.names.insert(name, Entry::Ino(ino));
        }
        self.changed(dir, now, i64::from(is_dir));
    }

    /// Takes `name` out of `dir` (leaving a whiteout where a mount shows through); the inode that it named loses a
    /// link and is the caller's to free when it has none left.
    pub fn unlink(&mut self, dir: u64, name: &[u8], now: Time) -> Option<u64> {
        self.generation += 1;
        self.shape += 1;
        let d = self.dir_mut(dir)?;
        let old = match d.lower {
            0 => d.names.remove(name),
            _ => d.names.insert(name, Entry::Whiteout),
        };
        let ino = match old {
            Some(Entry::Ino(ino)) => Some(ino),
            _ => None,
        };
        let mut is_dir = false;
        if let Some(n) = ino.and_then(|i| self.get_mut(i)) {
            is_dir = matches!(n.kind, Kind::Dir(_));
            n.nlink = n.nlink.saturating_sub(if is_dir { 2 } else { 1 });
            n.ctime = now.into();
        }
        self.changed(dir, now, -i64::from(is_dir));
        ino
    }

    fn changed(&mut self, dir: u64, now: Time, subdirs: i64) {
        if let Some(n) = self.get_mut(dir) {
            n.touch(now);
            n.nlink = (i64::from(n.nlink) + subdirs).max(0) as u32;
        }
    }

    /// Makes the mount `index` show through the directory `dir`.
    pub fn set_lower(&mut self, dir: u64, index: u32) {
        if let Some(d) = self.dir_mut(dir) {
            d.lower = index + 1;
        }
    }

    /// Lets `change` work on the body of the file `ino`, keeping the counters right.
    pub fn with_body<T>(
        &mut self,
        ino: u64,
        now: Option<Time>,
        change: impl FnOnce(&mut Body) -> T,
    ) -> Option<T> {
        let node = self.get_mut(ino)?;
        let Kind::File(body) = &mut node.kind else { return None };
        let body = Arc::make_mut(body);
        let before = body.held();
        let value = change(body);
        let after = body.held();
        if let Some(now) = now {
            node.touch(now);
            self.generation += 1;
        }
        self.bytes = (self.bytes + after).saturating_sub(before);
        Some(value)
    }
}
