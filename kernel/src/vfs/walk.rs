//! Path resolution, as `path_resolution(7)` describes it: component by component, links followed, permissions
//! looked at, through the tree and the mounts below it. No string is built per component: the canonical path grows
//! in one buffer, which is also what a mount is asked with.

use super::{
    FileKind, Files, GID, State, Time, UID,
    dir::Entry,
    mounts::LowerStat,
    tree::{Dir, Kind, Node, ROOT, Tree},
};
use crate::{Bytes, Errno, Result};
use parking_lot::MutexGuard;
use smallvec::SmallVec;
use std::sync::Arc;

/// Links followed before `ELOOP`.
const LINKS: u32 = 40;
/// Bytes of one name.
const NAME_MAX: usize = 255;
/// Bytes of a path, its terminator included.
const PATH_MAX: usize = 4096;
/// How often a walk starts again because the tree changed while a mount was asked.
const AGAIN: u32 = 1000;

/// Where a walk stands.
#[derive(Clone, Debug)]
pub(super) enum Pos {
    /// An inode of the tree.
    Node(u64),
    /// A mount's file that the tree does not know: index of the mount, metadata.
    Lower(u32, Arc<LowerStat>),
    /// A descriptor of the process, below `/proc/self/fd`.
    Fd(u32),
}

/// One directory on the way.
#[derive(Clone, Debug)]
struct Step {
    pos: Pos,
    /// Length of the canonical path up to here.
    end: usize,
}

/// What to do with a link at the end of the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    /// Follow it.
    Yes,
    /// Follow it only when a slash comes after it.
    Slash,
    /// Do not: the name itself is wanted (unlink, rename, mkdir).
    Never,
    /// As open(2) with `O_CREAT`: follow it or not, and a slash at the end is `EISDIR` whatever is there.
    Create(bool),
}

impl Follow {
    fn at_end(self, slash: bool) -> bool {
        match self {
            Follow::Yes | Follow::Create(true) => true,
            Follow::Slash => slash,
            Follow::Never | Follow::Create(false) => false,
        }
    }
}

/// How the path ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Last {
    /// With a name.
    Name,
    /// With `.`
    Dot,
    /// With `..`
    DotDot,
    /// It is `/`.
    Root,
}

/// A resolved path. For [`Last::Name`] the steps end with the directory that holds the name.
pub(super) struct Walk<'a> {
    files: &'a Files,
    guard: Option<MutexGuard<'a, State>>,
    /// The tree's shape when the lock was last given up.
    seen: u64,
    stale: bool,
    steps: SmallVec<[Step; 8]>,
    path: SmallVec<[u8; 128]>,
    links: u32,
    /// What the path leads to, if it is there.
    pub found: Option<Pos>,
    /// How it ended.
    pub last: Last,
    /// It ended with a slash.
    pub slash: bool,
    /// The last name is too long to be one ([`Follow::Never`] only: callers find out after the directory).
    pub long: bool,
}

/// A piece of path still to be walked.
enum Text<'p> {
    Given(&'p [u8]),
    Link(Bytes),
}

impl Text<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Text::Given(b) => b,
            Text::Link(b) => b,
        }
    }
}

/// Whether the user may do `bit` (4, 2, 1) with something of this owner and mode.
pub(super) fn allowed(uid: u32, gid: u32, mode: u32, bit: u32) -> bool {
    let shift = match (uid == UID, gid == GID) {
        (true, _) => 6,
        (false, true) => 3,
        (false, false) => 0,
    };
    mode >> shift & bit == bit
}

impl<'a> Walk<'a> {
    /// Walks `path` from the process's directory.
    pub fn new(files: &'a Files, path: &[u8], follow: Follow) -> Result<Walk<'a>> {
        if path.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        if path.len() >= PATH_MAX {
            return Err(Errno::ENAMETOOLONG.into());
        }
        if path.contains(&0) {
            return Err(Errno::EINVAL.into());
        }
        for _ in 0..AGAIN {
            let mut w = Walk {
                files,
                guard: None,
                seen: 0,
                stale: false,
                steps: SmallVec::new(),
                path: SmallVec::new(),
                links: 0,
                found: None,
                last: Last::Root,
                slash: false,
                long: false,
            };
            let result = w.run(path, follow);
            w.state();
            if !w.stale {
                return result.map(|()| w);
            }
        }
        Err(Errno::EAGAIN.into())
    }

    fn run(&mut self, path: &[u8], follow: Follow) -> Result<()> {
        self.steps.push(Step { pos: Pos::Node(ROOT), end: 0 });
        let mut todo: SmallVec<[(Text<'_>, usize); 4]> = SmallVec::new();
        todo.push((Text::Given(path), 0));
        if path[0] != b'/' {
            todo.push((Text::Given(&self.files.cwd), 0));
        }
        while let Some((text, at)) = todo.last_mut() {
            let bytes = text.bytes();
            let skip = bytes[*at..].iter().take_while(|&&b| b == b'/').count();
            *at += skip;
            if *at == bytes.len() {
                todo.pop();
                continue;
            }
            let len = memchr::memchr(b'/', &bytes[*at..]).unwrap_or(bytes.len() - *at);
            let (from, to) = (*at, *at + len);
            *at = to;
            let slash = to < bytes.len();
            let last = !todo.iter().any(|(t, at)| t.bytes()[*at..].iter().any(|&b| b != b'/'));
            let slash = slash || (last && todo.iter().any(|(t, at)| *at < t.bytes().len()));
            let depth = todo.len() - 1;
            if let Some(target) = self.component(&todo[depth].0.bytes()[from..to], last, slash, follow)? {
                self.links += 1;
                if self.links > LINKS {
                    return Err(Errno::ELOOP.into());
                }
                if target.is_empty() {
                    return Err(Errno::ENOENT.into());
                }
                if target[0] == b'/' {
                    self.steps.truncate(1);
                    self.path.clear();
                }
                self.last = Last::Root;
                todo.push((Text::Link(target), 0));
            }
        }
        if self.last == Last::Root {
            self.found = self.steps.last().map(|s| s.pos.clone());
        }
        Ok(())
    }

    /// Takes one component; gives the target when it is a link to be followed.
    fn component(&mut self, name: &[u8], last: bool, slash: bool, follow: Follow) -> Result<Option<Bytes>> {
        let Some(here) = self.steps.last().map(|s| s.pos.clone()) else { return Err(Errno::EIO.into()) };
        if name == b"." || name == b".." {
            self.searchable(&here)?;
            if name == b".." && self.steps.len() > 1 {
                self.steps.pop();
                let end = self.steps.last().map_or(0, |s| s.end);
                self.path.truncate(end);
            }
            self.found = self.steps.last().map(|s| s.pos.clone());
            self.last = if name == b"." { Last::Dot } else { Last::DotDot };
            return Ok(None);
        }
        if name.len() > NAME_MAX && !(last && slash && matches!(follow, Follow::Create(_))) {
            self.searchable(&here)?;
            if last && follow == Follow::Never {
                (self.last, self.long) = (Last::Name, true);
                return Ok(None);
            }
            return Err(Errno::ENAMETOOLONG.into());
        }
        if last && slash && matches!(follow, Follow::Create(_)) {
            self.searchable(&here)?;
            return Err(Errno::EISDIR.into());
        }
        self.path.push(b'/');
        self.path.extend_from_slice(name);
        let child = self.child(&here, name, last)?;
        let link = match &child {
            Some(pos) if !last || follow.at_end(slash) => self.target(pos),
            _ => None,
        };
        if let Some(target) = link {
            let end = self.steps.last().map_or(0, |s| s.end);
            self.path.truncate(end);
            return Ok(Some(target));
        }
        if last {
            self.found = child;
            self.last = Last::Name;
            self.slash = slash;
            return Ok(None);
        }
        let child = child.ok_or(Errno::ENOENT)?;
        if self.kind(&child) != FileKind::Directory {
            return Err(Errno::ENOTDIR.into());
        }
        self.steps.push(Step { pos: child, end: self.path.len() });
        Ok(None)
    }

    /// The link's text, if it is one. A descriptor is none: it is reached, not read.
    fn target(&mut self, pos: &Pos) -> Option<Bytes> {
        match pos {
            Pos::Node(ino) => match &self.tree().get(*ino)?.kind {
                Kind::Link(t) => Some(t.clone()),
                _ => None,
            },
            Pos::Lower(_, s) => s.target.clone(),
            Pos::Fd(_) => None,
        }
    }

    /// `ENOTDIR` unless it is a directory, `EACCES` unless it may be searched.
    fn searchable(&mut self, pos: &Pos) -> Result<()> {
        match self.kind(pos) {
            FileKind::Directory => self.check(pos, 1),
            _ => Err(Errno::ENOTDIR.into()),
        }
    }

    /// What `name` is in `here`, where the path ends or goes on; the canonical path includes the name already.
    fn child(&mut self, here: &Pos, name: &[u8], last: bool) -> Result<Option<Pos>> {
        let mount = match here {
            Pos::Node(ino) => {
                let (ino, fds) = (*ino, &self.files.fds);
                let Some(node) = self.tree().get(ino) else { return Ok(None) };
                match &node.kind {
                    Kind::Dir(d) => {
                        if !allowed(node.uid, node.gid, node.mode, 1) {
                            return Err(Errno::EACCES.into());
                        }
                        match d.names.get(name) {
                            Some(Entry::Ino(i)) => return Ok(Some(Pos::Node(i))),
                            Some(Entry::Whiteout) => return Ok(None),
                            None if d.lower == 0 => return Ok(None),
                            None => d.lower - 1,
                        }
                    }
                    Kind::FdDir => {
                        let n = std::str::from_utf8(name).ok().and_then(|s| s.parse::<u32>().ok());
                        return Ok(n.filter(|n| fds.get(*n).is_some()).map(Pos::Fd));
                    }
                    _ => return Err(Errno::ENOTDIR.into()),
                }
            }
            Pos::Lower(mount, s) => {
                if s.kind != FileKind::Directory {
                    return Err(Errno::ENOTDIR.into());
                }
                if !allowed(UID, GID, s.mode, 1) {
                    return Err(Errno::EACCES.into());
                }
                *mount
            }
            Pos::Fd(_) => return Err(Errno::ENOTDIR.into()),
        };
        self.release();
        let files = self.files;
        let point = &files.vfs.shared.mounts[mount as usize];
        let Some(rest) = point.below(&self.path) else { return Ok(None) };
        let found = match last {
            true => point.source.lookup(&files.asking(), rest).map(Arc::new),
            false => point.source.passage(&files.asking(), rest),
        };
        match found {
            Ok(s) => Ok(Some(Pos::Lower(mount, s))),
            Err(crate::Error::Os(Errno::ENOENT)) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Gives up the lock, to ask a mount.
    pub fn release(&mut self) {
        if let Some(g) = self.guard.take() {
            self.seen = g.tree.shape;
        }
    }

    /// The state, locked. When the tree has changed since the lock was given up, the walk is [`Walk::stale`].
    pub fn state(&mut self) -> &mut State {
        let fresh = self.guard.is_none();
        let guard = self.guard.get_or_insert_with(|| self.files.vfs.state.lock());
        if fresh && !self.steps.is_empty() && self.seen != 0 && self.seen != guard.tree.shape {
            self.stale = true;
        }
        guard
    }

    /// Works on this walk under the lock that `other` holds: a call with two paths holds one lock.
    pub fn with_lock_of<T>(&mut self, other: &mut Walk<'a>, work: impl FnOnce(&mut Self) -> T) -> T {
        self.guard = other.guard.take();
        let value = work(self);
        other.guard = self.guard.take();
        value
    }

    fn tree(&mut self) -> &Tree {
        &self.state().tree
    }

    /// Whether what was found may be gone, because the lock was given up and the tree changed: walk again.
    pub fn stale(&mut self) -> bool {
        self.state();
        self.stale
    }

    /// Its kind.
    pub fn kind(&mut self, pos: &Pos) -> FileKind {
        match pos {
            Pos::Node(ino) => self.tree().get(*ino).map_or(FileKind::File, Node::file_kind),
            Pos::Lower(_, s) => s.kind,
            Pos::Fd(_) => FileKind::Symlink,
        }
    }

    /// `EACCES` unless the user may do `bit` with it.
    pub fn check(&mut self, pos: &Pos, bit: u32) -> Result<()> {
        let ok = match pos {
            Pos::Node(ino) => match self.tree().get(*ino) {
                Some(n) => allowed(n.uid, n.gid, n.mode, bit),
                None => return Err(Errno::ENOENT.into()),
            },
            Pos::Lower(_, s) => allowed(UID, GID, s.mode, bit),
            Pos::Fd(_) => true,
        };
        ok.then_some(()).ok_or(Errno::EACCES.into())
    }

    /// The canonical path of what was found (or of the name that is missing); `/` for the root.
    pub fn path(&self) -> &[u8] {
        match self.path.is_empty() {
            true => b"/",
            false => &self.path,
        }
    }

    /// The last name.
    pub fn name(&self) -> &[u8] {
        let from = self.steps.last().map_or(0, |s| s.end) + 1;
        self.path.get(from..).unwrap_or_default()
    }

    /// The directory that holds the last name.
    pub fn parent(&self) -> Pos {
        self.steps.last().map_or(Pos::Node(ROOT), |s| s.pos.clone())
    }

    /// The canonical path of the directory that holds the last name.
    pub fn parent_path(&self) -> &[u8] {
        &self.path[..self.steps.last().map_or(0, |s| s.end)]
    }

    /// Whether the path leads through `pos` (one of the directories on the way is it).
    pub fn through(&self, path: &[u8]) -> bool {
        self.path.len() > path.len() && self.path.starts_with(path) && self.path[path.len()] == b'/'
    }

    /// Index of the mount that the canonical path is in.
    pub fn mount(&self) -> Option<u32> {
        self.files.vfs.mount_of(&self.path)
    }

    /// Index of the mount that the holding directory is in.
    pub fn parent_mount(&self) -> Option<u32> {
        self.files.vfs.mount_of(self.parent_path())
    }

    /// `EROFS` where scripts cannot write.
    pub fn writable(&self, mount: Option<u32>) -> Result<()> {
        match mount {
            Some(m) if !self.files.vfs.shared.mounts[m as usize].writable => Err(Errno::EROFS.into()),
            _ => Ok(()),
        }
    }

    /// Whether the path ended in a name: `.`, `..` and `/` give `other`, a name that is too long `ENAMETOOLONG`.
    pub fn named(&self, other: Errno) -> Result<()> {
        match self.last {
            Last::Name if self.long => Err(Errno::ENAMETOOLONG.into()),
            Last::Name => Ok(()),
            _ => Err(other.into()),
        }
    }

    /// Whether names of the holding directory may be changed: `EACCES`, `EROFS`.
    pub fn may_change_parent(&mut self) -> Result<()> {
        self.writable(self.parent_mount())?;
        let parent = self.parent();
        self.check(&parent, 3)
    }

    /// As unlink, rmdir and rename ask for the victim: `EACCES`, `EROFS`, `EPERM` in a sticky directory.
    pub fn may_delete(&mut self, victim: &Pos) -> Result<()> {
        self.may_change_parent()?;
        let parent = self.parent();
        if let Pos::Node(dir) = parent
            && let Some(d) = self.tree().get(dir)
            && d.mode & 0o1000 != 0
            && d.uid != UID
            && let Pos::Node(ino) = victim
            && self.tree().get(*ino).is_some_and(|n| n.uid != UID)
        {
            return Err(Errno::EPERM.into());
        }
        Ok(())
    }

    /// The holding directory as an inode, copied up with those above it when they are a mount's.
    pub fn copy_up_parent(&mut self) -> Result<u64> {
        let steps = std::mem::take(&mut self.steps);
        let mut at = ROOT;
        let mut from = 0;
        let mut failed = None;
        for s in &steps {
            let name = self.path.get(from + 1..s.end).unwrap_or_default().to_vec();
            from = s.end;
            match &s.pos {
                Pos::Node(ino) => at = *ino,
                Pos::Lower(mount, stat) => match self.copy_up(at, &name, *mount, stat, b"") {
                    Ok(ino) => at = ino,
                    Err(e) => failed = Some(e),
                },
                Pos::Fd(_) => failed = Some(Errno::EPERM.into()),
            }
        }
        self.steps = steps;
        failed.map_or(Ok(at), Err)
    }

    /// What was found as an inode: copied up (metadata only) when it is a mount's. `EROFS`, `ENOSPC`.
    pub fn copy_up_found(&mut self) -> Result<u64> {
        let (mount, stat) = match self.found.clone() {
            Some(Pos::Node(ino)) => return Ok(ino),
            Some(Pos::Lower(mount, stat)) => (mount, stat),
            Some(Pos::Fd(_)) => return Err(Errno::EPERM.into()),
            None => return Err(Errno::ENOENT.into()),
        };
        if self.last != Last::Name {
            let ino = self.copy_up_parent()?;
            return Ok(ino);
        }
        let dir = self.copy_up_parent()?;
        let name = self.name().to_vec();
        let point = &self.files.vfs.shared.mounts[mount as usize];
        let rest = point.below(&self.path).unwrap_or_default().to_vec();
        let ino = self.copy_up(dir, &name, mount, &stat, &rest)?;
        self.found = Some(Pos::Node(ino));
        Ok(ino)
    }

    fn copy_up(&mut self, dir: u64, name: &[u8], mount: u32, stat: &LowerStat, path: &[u8]) -> Result<u64> {
        let files = self.files;
        let state = self.state();
        if let Some(Entry::Ino(there)) = state.tree.dir(dir).and_then(|d| d.names.get(name)) {
            return Ok(there);
        }
        files.room(&state.tree, 1, 0)?;
        let kind = match stat.kind {
            FileKind::Directory => Kind::Dir(Arc::new(Dir { lower: mount + 1, ..Dir::default() })),
            FileKind::Symlink => Kind::Link(stat.target.clone().unwrap_or_default()),
            _ => {
                let path = Bytes::copy_from_slice(path);
                Kind::Backed(Arc::new(super::tree::Backed { mount, path, size: stat.size }))
            }
        };
        let node = Node::new(kind, stat.mode, stat.mtime);
        let ino = state.tree.add(node);
        let before = state.tree.get(dir).map(|n| (n.mtime, n.ctime));
        state.tree.link(dir, name, ino, Time::now());
        if let (Some(n), Some((mtime, ctime))) = (state.tree.get_mut(dir), before) {
            (n.mtime, n.ctime) = (mtime, ctime);
        }
        Ok(ino)
    }
}
