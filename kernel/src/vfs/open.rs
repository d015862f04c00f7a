//! open(2), and the descriptions it gives: of a file of the tree, of a mount's file, of a directory.

use super::{
    FileKind, Files, OpenOptions, Stat, Time, Vfs,
    body::Body,
    files::lower_stat,
    mounts::{Asking, LowerBody, LowerStat, Notes, Ranged},
    tree::{Kind, Node},
    walk::{Follow, Last, Pos, Walk},
};
use crate::{
    Budget, Bytes, Errno, Fd, Limits, Result, Run,
    stream::{Access, Description},
};
use parking_lot::Mutex;
use std::{io::SeekFrom, sync::Arc};

/// The longest file, where no quota is nearer.
const MAX: u64 = 1 << 43;

impl Files {
    /// open(2).
    pub fn open(&self, path: &[u8], o: OpenOptions) -> Result<Fd> {
        self.open_with(path, o, true)
    }

    /// As [`Files::open`]; without `directories` one gives `EISDIR`.
    pub(super) fn open_with(&self, path: &[u8], o: OpenOptions, directories: bool) -> Result<Fd> {
        let follow = match (o.create, o.no_follow) {
            (true, no_follow) => Follow::Create(!no_follow && !o.exclusive),
            (false, true) => Follow::Slash,
            (false, false) => Follow::Yes,
        };
        for _ in 0..1000 {
            let w = Walk::new(self, path, follow)?;
            if let Some(fd) = self.open_at(w, path, o, directories)? {
                return Ok(fd);
            }
        }
        Err(Errno::EAGAIN.into())
    }

    /// `None` when the tree changed while a mount was asked: walk again.
    fn open_at(&self, mut w: Walk<'_>, path: &[u8], o: OpenOptions, directories: bool) -> Result<Option<Fd>> {
        let Some(pos) = w.found.clone() else { return self.make(w, path, o).map(Some) };
        if o.create && o.exclusive {
            return Err(Errno::EEXIST.into());
        }
        let kind = w.kind(&pos);
        if let Pos::Fd(n) = pos {
            drop(w);
            return self.reopen(n, o).map(Some);
        }
        match kind {
            FileKind::Symlink if o.directory => return Err(Errno::ENOTDIR.into()),
            FileKind::Symlink => return Err(Errno::ELOOP.into()),
            FileKind::Directory if o.write || o.create => return Err(Errno::EISDIR.into()),
            FileKind::Directory => {
                w.check(&pos, 4)?;
                if !directories {
                    return Err(Errno::EISDIR.into());
                }
                let path = Bytes::copy_from_slice(w.path());
                drop(w);
                let stat = self.stat(&path)?;
                return Ok(Some(Arc::new(OpenDir { stat, path })));
            }
            _ if w.slash || o.directory => return Err(Errno::ENOTDIR.into()),
            _ => {}
        }
        let access = Access { read: o.read, write: o.write };
        let mount = w.mount();
        if o.write && kind == FileKind::File {
            w.writable(mount)?;
        }
        w.check(&pos, if o.read { 4 } else { 0 } | if o.write { 2 } else { 0 })?;
        let backed = match &pos {
            Pos::Lower(m, stat) if !o.write => {
                let (m, stat) = (*m, stat.clone());
                let full = Bytes::copy_from_slice(w.path());
                drop(w);
                let point = &self.vfs.shared.mounts[m as usize];
                let below = point.below(&full).unwrap_or_default();
                let body = self.lower_body(m, below)?;
                return Ok(Some(self.lower_file(&stat, m, body, full)));
            }
            Pos::Lower(m, _) => {
                let point = &self.vfs.shared.mounts[*m as usize];
                Some((*m, Bytes::copy_from_slice(point.below(w.path()).unwrap_or_default())))
            }
            Pos::Node(ino) => {
                let node = w.state().tree.get(*ino).ok_or(Errno::ENOENT)?;
                match &node.kind {
                    Kind::Device(d) => return Ok(Some(Arc::new(*d))),
                    Kind::Tty => return Err(Errno::ENXIO.into()),
                    Kind::Fifo => {
                        let fifo = w.state().fifos.entry(*ino).or_default().clone();
                        let stat = w.state().tree.get(*ino).map(|n| n.stat(*ino, 1).0);
                        drop(w);
                        return fifo.open(&self.budget, access, stat.unwrap_or_else(Stat::fifo)).map(Some);
                    }
                    Kind::Backed(b) => Some((b.mount, b.path.clone())),
                    _ => None,
                }
            }
            Pos::Fd(_) => None,
        };
        let Some((m, below)) = backed else {
            let Pos::Node(ino) = pos else { return Err(Errno::EIO.into()) };
            if o.truncate && o.write {
                w.state().tree.with_body(ino, Some(Time::now()), |b| b.truncate(0));
            }
            return Ok(Some(self.description(w, ino, access, o.append, path)));
        };
        let now = Time::now();
        if o.truncate && o.write {
            let ino = w.copy_up_found()?;
            fill(w.state(), ino, Bytes::new(), Some(now));
            return Ok(Some(self.description(w, ino, access, o.append, path)));
        }
        w.release();
        let body = self.lower_body(m, &below)?;
        if !o.write {
            if w.stale() {
                return Ok(None);
            }
            let Pos::Node(ino) = pos else { return Err(Errno::EIO.into()) };
            let stat = w.state().tree.get(ino).ok_or(Errno::ENOENT)?.stat(ino, 1).0;
            let full = Bytes::copy_from_slice(w.path());
            drop(w);
            return Ok(Some(self.lower_with(stat, body, full)));
        }
        let size = match &body {
            LowerBody::Whole(b) => b.len() as u64,
            LowerBody::Ranged(r) => r.len(&self.asking())?,
            LowerBody::Failed(_) => return Err(Errno::EIO.into()),
        };
        self.room(&w.state().tree, 1, size)?;
        w.release();
        let content = self.gather(body)?;
        if w.stale() {
            return Ok(None);
        }
        let ino = w.copy_up_found()?;
        fill(w.state(), ino, content, None);
        Ok(Some(self.description(w, ino, access, o.append, path)))
    }

    /// All of a mount's file in memory.
    fn gather(&self, body: LowerBody) -> Result<Bytes> {
        match body {
            LowerBody::Whole(b) => Ok(b),
            LowerBody::Failed(_) => Err(Errno::EIO.into()),
            LowerBody::Ranged(r) => {
                let mut all =
                    Vec::with_capacity(usize::try_from(r.len(&self.asking())?).map_err(|_| Errno::EFBIG)?);
                loop {
                    self.budget.step()?;
                    let piece = r.read_at(&self.asking(), all.len() as u64, 1 << 20)?;
                    if piece.is_empty() {
                        return Ok(Bytes::from(all));
                    }
                    all.extend_from_slice(&piece);
                }
            }
        }
    }

    /// Creates the file that the walk did not find.
    fn make(&self, mut w: Walk<'_>, path: &[u8], o: OpenOptions) -> Result<Fd> {
        if !o.create {
            return Err(Errno::ENOENT.into());
        }
        if w.last != Last::Name {
            return Err(Errno::EISDIR.into());
        }
        w.may_change_parent()?;
        let dir = w.copy_up_parent()?;
        let mode = if o.mode == 0 { 0o666 } else { o.mode };
        let now = Time::now();
        let node = Node::new(Kind::File(Arc::new(Body::default())), mode & 0o7777 & !self.umask, now);
        let name = super::change::Name::from_slice(w.name());
        let state = w.state();
        self.room(&state.tree, 1, 0)?;
        let ino = state.tree.add(node);
        state.tree.link(dir, &name, ino, now);
        let access = Access { read: o.read, write: o.write };
        Ok(self.description(w, ino, access, o.append, path))
    }

    fn description(&self, mut w: Walk<'_>, ino: u64, access: Access, append: bool, path: &[u8]) -> Fd {
        let path = self.absolute(path);
        let state = w.state();
        *state.open.entry(ino).or_insert(0) += 1;
        let epoch = state.epoch;
        let vfs = self.vfs.clone();
        Arc::new(OpenFile { vfs, ino, epoch, at: Mutex::new(0), access, append, path })
    }

    /// Opens `/proc/self/fd/N`: a file anew, anything else shared.
    fn reopen(&self, n: u32, o: OpenOptions) -> Result<Fd> {
        let fd = self.fds.get(n).ok_or(Errno::ENOENT)?;
        let has = fd.access();
        match fd.reopen(o)? {
            Some(new) => Ok(new),
            None if (o.read && !has.read) || (o.write && !has.write) => Err(Errno::EACCES.into()),
            None => Ok(fd.clone()),
        }
    }

    fn lower_file(&self, stat: &LowerStat, mount: u32, body: LowerBody, path: Bytes) -> Fd {
        self.lower_with(lower_stat(stat, u64::from(mount) + 2).0, body, path)
    }

    fn lower_with(&self, stat: Stat, body: LowerBody, path: Bytes) -> Fd {
        let content = match body {
            LowerBody::Whole(data) | LowerBody::Failed(data) => Content::Whole(data),
            LowerBody::Ranged(r) => Content::Ranged(r),
        };
        let (run, notes, session) = (self.run.clone(), self.notes.clone(), self.vfs.id);
        Arc::new(LowerFile { stat, content, at: Mutex::new(0), path, run, notes, session })
    }
}

/// Gives a copied-up file its content.
pub(super) fn fill(state: &mut super::State, ino: u64, content: Bytes, now: Option<Time>) {
    if let Some(n) = state.tree.get_mut(ino) {
        if let Some(now) = now {
            n.touch(now);
        }
        n.kind = Kind::File(Arc::new(Body::default()));
        state.tree.with_body(ino, None, |b| b.append_whole(content));
        state.tree.generation += 1;
    }
}

/// A file of the tree.
struct OpenFile {
    vfs: Arc<Vfs>,
    ino: u64,
    epoch: u64,
    at: Mutex<u64>,
    access: Access,
    append: bool,
    path: Bytes,
}

impl OpenFile {
    fn state(&self) -> Result<parking_lot::MutexGuard<'_, super::State>> {
        let state = self.vfs.state.lock();
        match state.epoch == self.epoch {
            true => Ok(state),
            false => Err(Errno::ESTALE.into()),
        }
    }

    fn body<'s>(&self, state: &'s super::State) -> Result<&'s Arc<Body>> {
        match state.tree.get(self.ino).map(|n| &n.kind) {
            Some(Kind::File(b)) => Ok(b),
            _ => Err(Errno::ESTALE.into()),
        }
    }

    /// Writes through `put`, which is given the offset.
    fn put(&self, budget: &Budget, len: usize, put: impl FnOnce(&mut Body, u64)) -> Result<()> {
        if !self.access.write {
            return Err(Errno::EBADF.into());
        }
        if len == 0 {
            return Ok(());
        }
        let mut at = self.at.lock();
        let mut guard = self.state()?;
        let state = &mut *guard;
        let end = self.body(state)?.len();
        let from = if self.append { end } else { *at };
        let to = from + len as u64;
        if to > MAX {
            return Err(Errno::EFBIG.into());
        }
        if to > end {
            let more = (to - end).min(len as u64);
            let max = self.vfs.shared.max_bytes.min(budget.limits().overlay_bytes);
            if state.tree.bytes.saturating_add(more) > max {
                return Err(Errno::ENOSPC.into());
            }
        }
        state.tree.with_body(self.ino, Some(Time::now()), |b| put(b, from));
        *at = to;
        Ok(())
    }
}

impl Description for OpenFile {
    fn read(&self, budget: &Budget, max: usize) -> Result<Bytes> {
        if !self.access.read {
            return Err(Errno::EBADF.into());
        }
        budget.step()?;
        let mut at = self.at.lock();
        let mut state = self.state()?;
        if self.body(&state)?.unsealed(*at) {
            state.tree.with_body(self.ino, None, Body::seal);
        }
        let data = self.body(&state)?.read(*at, max);
        *at += data.len() as u64;
        Ok(data)
    }

    fn write(&self, budget: &Budget, data: Bytes) -> Result<()> {
        self.put(budget, data.len(), |b, at| match at == b.len() {
            true => b.append(data),
            false => b.write_at(at, data),
        })
    }

    fn write_slice(&self, budget: &Budget, data: &[u8]) -> Result<()> {
        self.put(budget, data.len(), |b, at| match at == b.len() {
            true => b.append_slice(data),
            false => b.write_at(at, Bytes::copy_from_slice(data)),
        })
    }

    fn seek(&self, to: SeekFrom) -> Result<u64> {
        let mut at = self.at.lock();
        let len = match to {
            SeekFrom::End(_) => self.body(&*self.state()?)?.len(),
            _ => 0,
        };
        *at = sought(to, *at, len)?;
        Ok(*at)
    }

    fn unread(&self, data: Bytes) {
        let mut at = self.at.lock();
        *at = at.saturating_sub(data.len() as u64);
    }

    fn truncate(&self, budget: &Budget, len: u64) -> Result<()> {
        if !self.access.write {
            return Err(Errno::EINVAL.into());
        }
        budget.step()?;
        if len > MAX {
            return Err(Errno::EFBIG.into());
        }
        let mut state = self.state()?;
        self.body(&state)?;
        state.tree.with_body(self.ino, Some(Time::now()), |b| b.truncate(len));
        Ok(())
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        let state = self.state()?;
        let node = state.tree.get(self.ino).ok_or(Errno::ESTALE)?;
        let dev = self.vfs.mount_of(&self.path).map_or(1, |m| u64::from(m) + 2);
        Ok(node.stat(self.ino, dev).0)
    }

    fn access(&self) -> Access {
        self.access
    }

    fn rest(&self, budget: &Budget) -> Result<Option<Bytes>> {
        if !self.access.read {
            return Err(Errno::EBADF.into());
        }
        budget.step()?;
        let mut at = self.at.lock();
        let mut state = self.state()?;
        state.tree.with_body(self.ino, None, Body::seal);
        let body = self.body(&state)?.clone();
        drop(state);
        let data = body.rest(*at);
        *at = (*at).max(body.len());
        Ok(Some(data))
    }

    fn path(&self) -> Option<Bytes> {
        Some(self.path.clone())
    }

    fn reopen(&self, o: OpenOptions) -> Result<Option<Fd>> {
        let mut state = self.state()?;
        let node = state.tree.get(self.ino).ok_or(Errno::ESTALE)?;
        let bit = if o.read { 4 } else { 0 } | if o.write { 2 } else { 0 };
        if !super::walk::allowed(node.uid, node.gid, node.mode, bit) {
            return Err(Errno::EACCES.into());
        }
        if o.truncate && o.write {
            state.tree.with_body(self.ino, Some(Time::now()), |b| b.truncate(0));
        }
        *state.open.entry(self.ino).or_insert(0) += 1;
        Ok(Some(Arc::new(OpenFile {
            vfs: self.vfs.clone(),
            ino: self.ino,
            epoch: self.epoch,
            at: Mutex::new(0),
            access: Access { read: o.read, write: o.write },
            append: o.append,
            path: self.path.clone(),
        })))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        let Ok(mut state) = self.state() else { return };
        let Some(n) = state.open.get_mut(&self.ino) else { return };
        *n -= 1;
        if *n == 0 {
            state.open.remove(&self.ino);
            if state.tree.get(self.ino).is_some_and(|n| n.nlink == 0) {
                state.tree.discard(self.ino);
            }
        }
    }
}

/// The offset after a seek: `EINVAL` before the start.
fn sought(to: SeekFrom, at: u64, len: u64) -> Result<u64> {
    let (base, by) = match to {
        SeekFrom::Start(n) => return if n > i64::MAX as u64 { Err(Errno::EINVAL.into()) } else { Ok(n) },
        SeekFrom::Current(by) => (at, by),
        SeekFrom::End(by) => (len, by),
    };
    let new = i128::from(base) + i128::from(by);
    match new {
        0..=0x7fff_ffff_ffff_ffff => Ok(new as u64),
        _ if new < 0 => Err(Errno::EINVAL.into()),
        _ => Err(Errno::EOVERFLOW.into()),
    }
}

#[derive(Clone)]
enum Content {
    Whole(Bytes),
    Ranged(Arc<dyn Ranged>),
}

/// A mount's file, open for reading: it keeps what it is while the tree may copy it up and change the copy.
struct LowerFile {
    stat: Stat,
    content: Content,
    at: Mutex<u64>,
    path: Bytes,
    run: Arc<Run>,
    notes: Notes,
    session: u64,
}

impl LowerFile {
    fn asking<'a>(&'a self, budget: &'a Budget) -> Asking<'a> {
        Asking { run: &self.run, budget, notes: &self.notes, session: self.session }
    }

    fn len(&self, budget: &Budget) -> Result<u64> {
        match &self.content {
            Content::Whole(b) => Ok(b.len() as u64),
            Content::Ranged(r) => r.len(&self.asking(budget)),
        }
    }
}

impl Description for LowerFile {
    fn read(&self, budget: &Budget, max: usize) -> Result<Bytes> {
        budget.step()?;
        let at = *self.at.lock();
        let data = match &self.content {
            Content::Whole(b) => {
                let from = at.min(b.len() as u64) as usize;
                b.slice(from..from.saturating_add(max).min(b.len()))
            }
            Content::Ranged(r) => r.read_at(&self.asking(budget), at, max)?,
        };
        *self.at.lock() = at + data.len() as u64;
        Ok(data)
    }

    fn seek(&self, to: SeekFrom) -> Result<u64> {
        let len = match to {
            SeekFrom::End(_) => self.len(&Budget::new(Limits::default()))?,
            _ => 0,
        };
        let mut at = self.at.lock();
        *at = sought(to, *at, len)?;
        Ok(*at)
    }

    fn unread(&self, data: Bytes) {
        let mut at = self.at.lock();
        *at = at.saturating_sub(data.len() as u64);
    }

    fn rest(&self, budget: &Budget) -> Result<Option<Bytes>> {
        match &self.content {
            Content::Whole(_) => self.read(budget, usize::MAX).map(Some),
            Content::Ranged(_) => Ok(None),
        }
    }

    fn stat(&self, budget: &Budget) -> Result<Stat> {
        let size = self.len(budget)?;
        Ok(Stat { size, blocks: size.div_ceil(4096) * 8, ..self.stat })
    }

    fn access(&self) -> Access {
        Access::READ
    }

    fn path(&self) -> Option<Bytes> {
        Some(self.path.clone())
    }

    fn reopen(&self, o: OpenOptions) -> Result<Option<Fd>> {
        if o.write {
            return Err(Errno::EACCES.into());
        }
        Ok(Some(Arc::new(LowerFile {
            stat: self.stat,
            content: self.content.clone(),
            at: Mutex::new(0),
            path: self.path.clone(),
            run: self.run.clone(),
            notes: self.notes.clone(),
            session: self.session,
        })))
    }
}

/// A directory: reading it gives `EISDIR`.
struct OpenDir {
    stat: Stat,
    path: Bytes,
}

impl Description for OpenDir {
    fn read(&self, _: &Budget, _: usize) -> Result<Bytes> {
        Err(Errno::EISDIR.into())
    }

    fn seek(&self, _: SeekFrom) -> Result<u64> {
        Ok(0)
    }

    fn stat(&self, _: &Budget) -> Result<Stat> {
        Ok(self.stat)
    }

    fn access(&self) -> Access {
        Access::READ
    }

    fn path(&self) -> Option<Bytes> {
        Some(self.path.clone())
    }
}
