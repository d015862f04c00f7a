//! Calls that change names and metadata: mkdir, unlink, rename, link, chmod and their kin.

use super::{
    FileKind, Files, SetTime, State, Time, UID,
    dir::Entry,
    tree::{Kind, Node},
    walk::{Follow, Last, Pos, Walk},
};
use crate::{Bytes, Errno, OpenOptions, Result};
use smallvec::SmallVec;
use std::sync::Arc;

/// A name, copied out of the walk's buffer.
pub(super) type Name = SmallVec<[u8; 48]>;

/// Frees an inode that has neither name nor description.
fn reap(state: &mut State, ino: u64) {
    if state.tree.get(ino).is_some_and(|n| n.nlink == 0) && !state.open.contains_key(&ino) {
        state.fifos.remove(&ino);
        state.tree.discard(ino);
    }
}

impl Files {
    /// Walks again as long as the tree changed under the walk.
    fn retry<T>(&self, mut once: impl FnMut() -> Result<Option<T>>) -> Result<T> {
        for _ in 0..1000 {
            if let Some(value) = once()? {
                return Ok(value);
            }
            self.budget.check()?;
        }
        Err(Errno::EAGAIN.into())
    }

    /// Makes a new inode under a name that must not be there.
    fn make_node(&self, path: &[u8], dir: bool, kind: impl FnOnce() -> Kind, mode: u32) -> Result<()> {
        let mut w = Walk::new(self, path, Follow::Never)?;
        w.named(Errno::EEXIST)?;
        if w.found.is_some() {
            return Err(Errno::EEXIST.into());
        }
        if w.slash && !dir {
            return Err(Errno::ENOENT.into());
        }
        w.may_change_parent()?;
        let parent = w.copy_up_parent()?;
        let name = Name::from_slice(w.name());
        let now = Time::now();
        let state = w.state();
        self.room(&state.tree, 1, 0)?;
        let ino = state.tree.add(Node::new(kind(), mode, now));
        state.tree.link(parent, &name, ino, now);
        Ok(())
    }

    /// mkdir(2): `EEXIST`, `ENOENT`, `ENOTDIR`, `EACCES`, `EROFS`, `ENOSPC`.
    pub fn mkdir(&self, path: &[u8], mode: u32) -> Result<()> {
        self.make_node(path, true, || Kind::Dir(Arc::default()), mode & 0o1777 & !self.umask)
    }

    /// symlink(2): a link at `path` with the text `target`.
    pub fn symlink(&self, target: &[u8], path: &[u8]) -> Result<()> {
        if target.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        if target.len() >= 4096 {
            return Err(Errno::ENAMETOOLONG.into());
        }
        self.make_node(path, false, || Kind::Link(Bytes::copy_from_slice(target)), 0o777)
    }

    /// mkfifo(3).
    pub fn mkfifo(&self, path: &[u8], mode: u32) -> Result<()> {
        self.make_node(path, false, || Kind::Fifo, mode & 0o777 & !self.umask)
    }

    /// Whether the directory at `pos` has no entries; `None`: walk again.
    fn empty(&self, w: &mut Walk<'_>, pos: &Pos) -> Result<Option<bool>> {
        if let Pos::Node(ino) = pos
            && let Some(d) = w.state().tree.dir(*ino)
        {
            if d.names.iter().any(|(_, e)| e != Entry::Whiteout) {
                return Ok(Some(false));
            }
            if d.lower == 0 {
                return Ok(Some(true));
            }
        }
        Ok(self.entries(w, pos)?.map(|list| list.is_empty()))
    }

    /// rmdir(2): `ENOTEMPTY`, `ENOTDIR`, `EBUSY` for a mount point, `EINVAL` for `.`
    pub fn rmdir(&self, path: &[u8]) -> Result<()> {
        self.retry(|| {
            let mut w = Walk::new(self, path, Follow::Never)?;
            match w.last {
                Last::Name => w.named(Errno::ENAMETOOLONG)?,
                Last::Dot => return Err(Errno::EINVAL.into()),
                Last::DotDot => return Err(Errno::ENOTEMPTY.into()),
                Last::Root => return Err(Errno::EBUSY.into()),
            }
            w.writable(w.parent_mount())?;
            let pos = w.found.clone().ok_or(Errno::ENOENT)?;
            w.may_delete(&pos)?;
            if w.kind(&pos) != FileKind::Directory {
                return Err(Errno::ENOTDIR.into());
            }
            self.not_a_mount_point(&w)?;
            match self.empty(&mut w, &pos)? {
                None => return Ok(None),
                Some(false) => return Err(Errno::ENOTEMPTY.into()),
                Some(true) => {}
            }
            self.remove(&mut w)?;
            Ok(Some(()))
        })
    }

    /// unlink(2): `EISDIR` for a directory.
    pub fn unlink(&self, path: &[u8]) -> Result<()> {
        let mut w = Walk::new(self, path, Follow::Never)?;
        w.named(Errno::EISDIR)?;
        w.writable(w.parent_mount())?;
        let pos = w.found.clone().ok_or(Errno::ENOENT)?;
        let directory = w.kind(&pos) == FileKind::Directory;
        if w.slash {
            return Err(if directory { Errno::EISDIR } else { Errno::ENOTDIR }.into());
        }
        w.may_delete(&pos)?;
        if directory {
            return Err(Errno::EISDIR.into());
        }
        self.remove(&mut w)
    }

    /// Takes the found name away.
    fn remove(&self, w: &mut Walk<'_>) -> Result<()> {
        let dir = w.copy_up_parent()?;
        let name = Name::from_slice(w.name());
        let state = w.state();
        if let Some(ino) = state.tree.unlink(dir, &name, Time::now()) {
            reap(state, ino);
        }
        Ok(())
    }

    fn not_a_mount_point(&self, w: &Walk<'_>) -> Result<()> {
        let path = w.path();
        match self.vfs.shared.mounts.iter().any(|m| m.path == path) {
            true => Err(Errno::EBUSY.into()),
            false => Ok(()),
        }
    }

    /// rename(2): `EXDEV` between mounts and for a directory that a mount shows through.
    pub fn rename(&self, from: &[u8], to: &[u8]) -> Result<()> {
        self.retry(|| self.rename_once(from, to))
    }

    fn rename_once(&self, from: &[u8], to: &[u8]) -> Result<Option<()>> {
        let mut old = Walk::new(self, from, Follow::Never)?;
        let shape = old.state().tree.shape;
        let source_is_dir = old.found.clone().map(|p| old.kind(&p) == FileKind::Directory);
        old.release();
        let mut new = Walk::new(self, to, Follow::Never)?;
        if new.state().tree.shape != shape {
            return Ok(None);
        }
        if old.parent_mount() != new.parent_mount() {
            return Err(Errno::EXDEV.into());
        }
        if old.last != Last::Name || new.last != Last::Name {
            return Err(Errno::EBUSY.into());
        }
        old.writable(old.parent_mount())?;
        old.named(Errno::EBUSY)?;
        let (Some(source), Some(is_dir)) = (old.found.clone(), source_is_dir) else {
            return Err(Errno::ENOENT.into());
        };
        new.named(Errno::EBUSY)?;
        if !is_dir && (old.slash || new.slash) {
            return Err(Errno::ENOTDIR.into());
        }
        if is_dir && new.through(old.path()) {
            return Err(Errno::EINVAL.into());
        }
        if old.through(new.path()) {
            return Err(Errno::ENOTEMPTY.into());
        }
        let target = new.found.clone();
        // The old walk has no lock: what is asked of it goes through the new one's.
        let same = match (&source, &target) {
            (Pos::Node(a), Some(Pos::Node(b))) => a == b,
            _ => old.path() == new.path(),
        };
        if same {
            return Ok(Some(()));
        }
        old.with_lock_of(&mut new, |w| w.may_delete(&source))?;
        match &target {
            None => new.may_change_parent()?,
            Some(t) => {
                new.may_delete(t)?;
                let target_is_dir = new.kind(t) == FileKind::Directory;
                match (is_dir, target_is_dir) {
                    (true, false) => return Err(Errno::ENOTDIR.into()),
                    (false, true) => return Err(Errno::EISDIR.into()),
                    _ => {}
                }
            }
        }
        self.not_a_mount_point(&old)?;
        self.not_a_mount_point(&new)?;
        if is_dir {
            if old.parent_path() != new.parent_path() {
                new.check(&source, 2)?;
            }
            if self.shown_through(&mut new, &source) {
                return Err(Errno::EXDEV.into());
            }
            if let Some(t) = &target {
                match self.empty(&mut new, t)? {
                    None => return Ok(None),
                    Some(false) => return Err(Errno::ENOTEMPTY.into()),
                    Some(true) => {}
                }
            }
        }
        let ino = old.with_lock_of(&mut new, |w| w.copy_up_found())?;
        let old_dir = old.with_lock_of(&mut new, |w| w.copy_up_parent())?;
        let new_dir = new.copy_up_parent()?;
        let (old_name, new_name) = (Name::from_slice(old.name()), Name::from_slice(new.name()));
        let now = Time::now();
        let state = new.state();
        if target.is_some()
            && let Some(gone) = state.tree.unlink(new_dir, &new_name, now)
        {
            reap(state, gone);
        }
        state.tree.link(new_dir, &new_name, ino, now);
        // The old name goes last, so that the inode always has one; a directory's own `.` stays counted.
        let keep = state.tree.get(ino).map_or(1, |n| n.nlink.saturating_sub(1));
        state.tree.unlink(old_dir, &old_name, now);
        if let Some(n) = state.tree.get_mut(ino) {
            n.nlink = keep;
        }
        Ok(Some(()))
    }

    /// Whether a mount's directory shows through the directory at `pos` or one below it.
    fn shown_through(&self, w: &mut Walk<'_>, pos: &Pos) -> bool {
        let Pos::Node(ino) = pos else { return true };
        let tree = &w.state().tree;
        let mut todo = vec![*ino];
        while let Some(ino) = todo.pop() {
            let Some(d) = tree.dir(ino) else { continue };
            if d.lower != 0 {
                return true;
            }
            if !self.vfs.shared.mounts.is_empty() {
                todo.extend(d.names.iter().filter_map(|(_, e)| match e {
                    Entry::Ino(i) => Some(i),
                    Entry::Whiteout => None,
                }));
            }
        }
        false
    }

    /// link(2): a hard link; a link at the end of `from` is not followed.
    pub fn link(&self, from: &[u8], to: &[u8]) -> Result<()> {
        self.retry(|| {
            let mut old = Walk::new(self, from, Follow::Slash)?;
            let source = old.found.clone().ok_or(Errno::ENOENT)?;
            let is_dir = old.kind(&source) == FileKind::Directory;
            if old.slash && !is_dir {
                return Err(Errno::ENOTDIR.into());
            }
            let shape = old.state().tree.shape;
            old.release();
            let mut new = Walk::new(self, to, Follow::Never)?;
            if new.state().tree.shape != shape {
                return Ok(None);
            }
            new.named(Errno::EEXIST)?;
            if new.found.is_some() {
                return Err(Errno::EEXIST.into());
            }
            if new.slash {
                return Err(Errno::ENOENT.into());
            }
            if old.mount() != new.parent_mount() || matches!(source, Pos::Fd(_)) {
                return Err(Errno::EXDEV.into());
            }
            // fs.protected_hardlinks: only what the user owns, or may read and write.
            let foreign = match &source {
                Pos::Node(ino) => new.state().tree.get(*ino).is_some_and(|n| n.uid != UID),
                _ => false,
            };
            if foreign && !is_dir && new.check(&source, 6).is_err() {
                return Err(Errno::EPERM.into());
            }
            new.may_change_parent()?;
            if is_dir {
                return Err(Errno::EPERM.into());
            }
            let ino = old.with_lock_of(&mut new, |w| w.copy_up_found())?;
            let dir = new.copy_up_parent()?;
            let name = Name::from_slice(new.name());
            let now = Time::now();
            let state = new.state();
            if let Some(n) = state.tree.get_mut(ino) {
                n.ctime = now.into();
            }
            state.tree.link(dir, &name, ino, now);
            Ok(Some(()))
        })
    }

    /// Changes an inode's metadata, copied up when it is a mount's.
    fn set(&self, path: &[u8], follow: Follow, change: impl FnOnce(&mut Node) -> Result<()>) -> Result<()> {
        let mut w = Walk::new(self, path, follow)?;
        let pos = w.found.clone().ok_or(Errno::ENOENT)?;
        if w.slash && w.kind(&pos) != FileKind::Directory {
            return Err(Errno::ENOTDIR.into());
        }
        w.writable(w.mount())?;
        let ino = w.copy_up_found()?;
        let state = w.state();
        let node = state.tree.get_mut(ino).ok_or(Errno::ENOENT)?;
        change(node)?;
        node.ctime = Time::now().into();
        state.tree.generation += 1;
        Ok(())
    }

    /// chmod(2); follows links. `EPERM` for what is not the user's.
    pub fn chmod(&self, path: &[u8], mode: u32) -> Result<()> {
        self.set(path, Follow::Yes, |n| {
            if n.uid != UID {
                return Err(Errno::EPERM.into());
            }
            n.mode = mode & 0o7777;
            Ok(())
        })
    }

    /// chown(2) for a user who is not root: `EPERM` if it would change anything.
    pub fn chown(&self, path: &[u8], uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()> {
        let follow = if follow { Follow::Yes } else { Follow::Slash };
        self.set(path, follow, |n| {
            if n.uid != UID || uid.is_some_and(|u| u != n.uid) || gid.is_some_and(|g| g != n.gid) {
                return Err(Errno::EPERM.into());
            }
            Ok(())
        })
    }

    /// utimensat(2): the owner may set any time, who may write only the present.
    pub fn set_times(&self, path: &[u8], access: SetTime, modify: SetTime, follow: bool) -> Result<()> {
        let follow = if follow { Follow::Yes } else { Follow::Slash };
        if (access, modify) == (SetTime::Keep, SetTime::Keep) {
            return self.stat_cheap(path, follow == Follow::Yes).map(drop);
        }
        self.set(path, follow, |n| {
            if n.uid != UID {
                if (access, modify) != (SetTime::Now, SetTime::Now) {
                    return Err(Errno::EPERM.into());
                }
                if !super::walk::allowed(n.uid, n.gid, n.mode, 2) {
                    return Err(Errno::EACCES.into());
                }
            }
            let now = Time::now();
            for (time, to) in [(&mut n.atime, access), (&mut n.mtime, modify)] {
                match to {
                    SetTime::Keep => {}
                    SetTime::Now => *time = now.into(),
                    SetTime::At(t) => *time = t.into(),
                }
            }
            Ok(())
        })
    }

    /// truncate(2): cuts, or extends with zeros.
    pub fn truncate(&self, path: &[u8], len: u64) -> Result<()> {
        match self.stat_cheap(path, true)?.0.kind {
            FileKind::Directory => return Err(Errno::EISDIR.into()),
            FileKind::File => {}
            _ => return Err(Errno::EINVAL.into()),
        }
        let how = OpenOptions { write: true, truncate: len == 0, ..OpenOptions::READ };
        self.open(path, OpenOptions { read: false, ..how })?.truncate(&self.budget, len)
    }
}
