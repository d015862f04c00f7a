//! What a process asks of the tree without changing it, and its directory.

use super::{
    DirEntry, FileKind, Files, MountInfo, OpenOptions, Permission, Stat, StatFs, Vfs,
    dir::Entry,
    mounts::{Asking, LowerBody, LowerEntry, LowerStat},
    tree::{Backed, Kind, Tree},
    walk::{Follow, Pos, Walk},
};
use crate::{Budget, Bytes, Errno, FdTable, Input, Output, Result, Run};
use std::{collections::HashSet, sync::Arc};

impl Files {
    /// A process's view of `vfs`, on behalf of `run`. `cwd` is absolute and not looked at until it is used.
    pub fn new(vfs: Arc<Vfs>, run: Arc<Run>, budget: &Budget, cwd: Bytes, fds: FdTable) -> Files {
        Files { vfs, run, budget: budget.clone(), cwd, notes: Arc::default(), umask: 0o022, fds }
    }

    /// The session's tree.
    pub fn vfs(&self) -> &Arc<Vfs> {
        &self.vfs
    }

    /// The script.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The limits that hold for this process.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The absolute path of the directory: logical, as [`Files::set_cwd`] was given it, without `.` and `..`.
    pub fn cwd(&self) -> &Bytes {
        &self.cwd
    }

    /// chdir: `ENOENT`, `ENOTDIR`, `EACCES`. The path is made absolute by text, as `cd` does.
    pub fn set_cwd(&mut self, path: &[u8]) -> Result<()> {
        if path.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        let to = self.absolute(path);
        let mut w = Walk::new(self, &to, Follow::Yes)?;
        let pos = w.found.clone().ok_or(Errno::ENOENT)?;
        if w.kind(&pos) != FileKind::Directory {
            return Err(Errno::ENOTDIR.into());
        }
        w.check(&pos, 1)?;
        drop(w);
        self.cwd = to;
        Ok(())
    }

    /// Uses the limits of `budget` from now on.
    pub fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    /// `path` made absolute; `.`, `..` and `//` are taken out by text, no file is looked at.
    pub fn absolute(&self, path: &[u8]) -> Bytes {
        if clean(path) {
            return Bytes::copy_from_slice(path);
        }
        let mut out = Vec::with_capacity(self.cwd.len() + path.len() + 2);
        if path.first() != Some(&b'/') {
            push_components(&mut out, &self.cwd);
        }
        push_components(&mut out, path);
        if out.is_empty() {
            out.push(b'/');
        }
        Bytes::from(out)
    }

    pub(super) fn asking(&self) -> Asking<'_> {
        Asking { run: &self.run, budget: &self.budget, notes: &self.notes, session: self.vfs.id }
    }

    /// `ENOSPC` unless there is room for so many more files and bytes.
    pub(super) fn room(&self, tree: &Tree, files: u64, bytes: u64) -> Result<()> {
        let limits = self.budget.limits();
        let (shared, held) = (&self.vfs.shared, tree.bytes.saturating_add(bytes));
        let fits = held <= shared.max_bytes.min(limits.overlay_bytes)
            && tree.files.saturating_add(files) <= shared.max_files.min(limits.overlay_files);
        // What only shrinks or stays is allowed in a full tree.
        (fits || (files == 0 && bytes == 0)).then_some(()).ok_or(Errno::ENOSPC.into())
    }

    /// Metadata; follows links. An unknown size is fetched.
    pub fn stat(&self, path: &[u8]) -> Result<Stat> {
        self.stat_with(path, Follow::Yes, true).map(|(s, _)| s)
    }

    /// Metadata of a link itself. An unknown size is fetched.
    pub fn lstat(&self, path: &[u8]) -> Result<Stat> {
        self.stat_with(path, Follow::Slash, true).map(|(s, _)| s)
    }

    /// Like [`Files::stat`] or [`Files::lstat`], but reads no content only to know a size: whether the size is known.
    pub fn stat_cheap(&self, path: &[u8], follow: bool) -> Result<(Stat, bool)> {
        self.stat_with(path, if follow { Follow::Yes } else { Follow::Slash }, false)
    }

    fn stat_with(&self, path: &[u8], follow: Follow, fetch: bool) -> Result<(Stat, bool)> {
        let mut w = Walk::new(self, path, follow)?;
        let pos = w.found.clone().ok_or(Errno::ENOENT)?;
        if w.slash && w.kind(&pos) != FileKind::Directory {
            return Err(Errno::ENOTDIR.into());
        }
        let mount = w.mount();
        let dev = mount.map_or(1, |m| u64::from(m) + 2);
        let (mut stat, mut known, backed) = match &pos {
            Pos::Node(ino) => {
                let tree = &w.state().tree;
                let node = tree.get(*ino).ok_or(Errno::ENOENT)?;
                let (stat, known) = node.stat(*ino, dev);
                let backed = match &node.kind {
                    Kind::Backed(b) if !known => Some(b.clone()),
                    _ => None,
                };
                (stat, known, backed)
            }
            Pos::Lower(m, s) => {
                let (stat, known) = lower_stat(s, dev);
                let below = || {
                    let path = self.vfs.shared.mounts[*m as usize].below(w.path()).unwrap_or_default();
                    Arc::new(Backed { mount: *m, path: Bytes::copy_from_slice(path), size: None })
                };
                (stat, known, (!known).then(below))
            }
            Pos::Fd(n) => {
                let n = *n;
                drop(w);
                let fd = self.fds.get(n).ok_or(Errno::ENOENT)?;
                if follow == Follow::Yes {
                    return Ok((fd.stat(&self.budget)?, true));
                }
                let mode = if fd.access().write { 0o700 } else { 0o500 };
                return Ok((Stat { kind: FileKind::Symlink, mode, size: 64, ..Stat::file() }, true));
            }
        };
        drop(w);
        if let Some(b) = backed.filter(|_| fetch) {
            stat.size = self.vfs.shared.mounts[b.mount as usize].source.size(&self.asking(), &b.path)?;
            stat.blocks = stat.size.div_ceil(4096) * 8;
            known = true;
        }
        Ok((stat, known))
    }

    /// Whether it is there; follows links, reads no content.
    pub fn exists(&self, path: &[u8]) -> bool {
        self.stat_cheap(path, true).is_ok()
    }

    /// access(2): `EACCES`, `EROFS`, and what looking it up gives.
    pub fn access(&self, path: &[u8], what: Permission) -> Result<()> {
        let mut w = Walk::new(self, path, Follow::Yes)?;
        let pos = w.found.clone().ok_or(Errno::ENOENT)?;
        let kind = w.kind(&pos);
        if w.slash && kind != FileKind::Directory {
            return Err(Errno::ENOTDIR.into());
        }
        if let Pos::Fd(n) = pos {
            let access = self.fds.get(n).ok_or(Errno::ENOENT)?.access();
            let ok = match what {
                Permission::Read => access.read,
                Permission::Write => access.write,
                Permission::Execute => false,
            };
            return ok.then_some(()).ok_or(Errno::EACCES.into());
        }
        match what {
            Permission::Read => w.check(&pos, 4),
            Permission::Execute => w.check(&pos, 1),
            Permission::Write => {
                if !matches!(kind, FileKind::Device | FileKind::Fifo) {
                    w.writable(w.mount())?;
                }
                w.check(&pos, 2)
            }
        }
    }

    /// Opens for reading. A directory gives `EISDIR` here, where Linux gives it at the first read.
    pub fn open_read(&self, path: &[u8]) -> Result<Input> {
        Ok(Input::new(self.open_with(path, OpenOptions::READ, false)?, &self.budget))
    }

    /// Opens as `>` does.
    pub fn create(&self, path: &[u8]) -> Result<Output> {
        Ok(Output::new(self.open(path, OpenOptions::CREATE)?, &self.budget))
    }

    /// Opens as `>>` does.
    pub fn append(&self, path: &[u8]) -> Result<Output> {
        Ok(Output::new(self.open(path, OpenOptions::APPEND)?, &self.budget))
    }

    /// The whole content: without a copy when it lies in one piece.
    pub fn read(&self, path: &[u8]) -> Result<Bytes> {
        self.open_read(path)?.read_all()
    }

    /// Creates or truncates the file, and gives it this content.
    pub fn write(&self, path: &[u8], data: Bytes) -> Result<()> {
        let fd = self.open(path, OpenOptions::CREATE)?;
        match data.is_empty() {
            true => Ok(()),
            false => fd.write(&self.budget, data),
        }
    }

    /// The names of a directory, sorted by bytes, without `.` and `..`.
    pub fn read_dir(&self, path: &[u8]) -> Result<Vec<DirEntry>> {
        for _ in 0..1000 {
            let mut w = Walk::new(self, path, Follow::Yes)?;
            let pos = w.found.clone().ok_or(Errno::ENOENT)?;
            if w.kind(&pos) != FileKind::Directory {
                return Err(Errno::ENOTDIR.into());
            }
            w.check(&pos, 4)?;
            if let Some(list) = self.entries(&mut w, &pos)? {
                return Ok(list);
            }
        }
        Err(Errno::EAGAIN.into())
    }

    /// The merged names of the directory at `pos`; `None` when it changed while a mount was asked.
    pub(super) fn entries(&self, w: &mut Walk<'_>, pos: &Pos) -> Result<Option<Vec<DirEntry>>> {
        let mut own: Vec<(DirEntry, bool)> = Vec::new();
        let mount = match pos {
            Pos::Lower(m, _) => *m,
            Pos::Fd(_) => return Err(Errno::ENOTDIR.into()),
            Pos::Node(ino) => {
                let tree = &w.state().tree;
                let dir = match &tree.get(*ino).ok_or(Errno::ENOENT)?.kind {
                    Kind::Dir(d) => d,
                    Kind::FdDir => return Ok(Some(self.descriptors())),
                    _ => return Err(Errno::ENOTDIR.into()),
                };
                let node = |i| tree.get(i).map_or(FileKind::File, |n| n.file_kind());
                if dir.lower == 0 {
                    let mut list = Vec::with_capacity(dir.names.len());
                    for (name, e) in dir.names.iter() {
                        let Entry::Ino(i) = e else { continue };
                        list.push(DirEntry { name: name.clone(), kind: node(i), ino: i + 1 });
                    }
                    return Ok(Some(list));
                }
                own.reserve(dir.names.len());
                for (name, e) in dir.names.iter() {
                    let (kind, ino, there) = match e {
                        Entry::Ino(i) => (node(i), i + 1, true),
                        Entry::Whiteout => (FileKind::File, 0, false),
                    };
                    own.push((DirEntry { name: name.clone(), kind, ino }, there));
                }
                dir.lower - 1
            }
        };
        let point = &self.vfs.shared.mounts[mount as usize];
        let canonical = match w.path() {
            b"/" => Vec::new(),
            p => p.to_vec(),
        };
        w.release();
        let below = point.below(&canonical).unwrap_or_default();
        let lower = point.source.list(&self.asking(), below)?;
        if w.stale() {
            return Ok(None);
        }
        if own.is_empty() {
            let entry = |e: LowerEntry| DirEntry { name: e.name, kind: e.kind, ino: e.ino };
            let lower = Arc::try_unwrap(lower).unwrap_or_else(|shared| shared.to_vec());
            return Ok(Some(lower.into_iter().map(entry).collect()));
        }
        let mut list = Vec::with_capacity(own.len() + lower.len());
        let mut own = own.into_iter().peekable();
        for e in lower.iter() {
            while let Some((o, there)) = own.next_if(|(o, _)| o.name < e.name) {
                list.extend(there.then_some(o));
            }
            match own.next_if(|(o, _)| o.name == e.name) {
                Some((o, there)) => list.extend(there.then_some(o)),
                None => list.push(DirEntry { name: e.name.clone(), kind: e.kind, ino: e.ino }),
            }
        }
        list.extend(own.filter_map(|(o, there)| there.then_some(o)));
        Ok(Some(list))
    }

    fn descriptors(&self) -> Vec<DirEntry> {
        let name = |n: u32| Bytes::from(n.to_string());
        let mut list: Vec<DirEntry> = self
            .fds
            .open()
            .map(|(n, _)| DirEntry { name: name(n), kind: FileKind::Symlink, ino: u64::from(n) + (1 << 32) })
            .collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }

    /// The text of a link: `EINVAL` when it is none.
    pub fn read_link(&self, path: &[u8]) -> Result<Bytes> {
        let mut w = Walk::new(self, path, Follow::Slash)?;
        match w.found.clone().ok_or(Errno::ENOENT)? {
            Pos::Node(ino) => {
                let slash = w.slash;
                match &w.state().tree.get(ino).ok_or(Errno::ENOENT)?.kind {
                    Kind::Link(t) => Ok(t.clone()),
                    Kind::Dir(_) | Kind::FdDir => Err(Errno::EINVAL.into()),
                    _ if slash => Err(Errno::ENOTDIR.into()),
                    _ => Err(Errno::EINVAL.into()),
                }
            }
            Pos::Lower(_, s) => match &s.target {
                Some(t) => Ok(t.clone()),
                None if w.slash && s.kind != FileKind::Directory => Err(Errno::ENOTDIR.into()),
                None => Err(Errno::EINVAL.into()),
            },
            Pos::Fd(n) => {
                let fd = self.fds.get(n).ok_or(Errno::ENOENT)?;
                Ok(fd.path().unwrap_or_else(|| Bytes::from(format!("pipe:[{}]", 1_000_000 + n))))
            }
        }
    }

    /// The path without links, `.` and `..`; every component must exist.
    pub fn real_path(&self, path: &[u8]) -> Result<Bytes> {
        let mut w = Walk::new(self, path, Follow::Yes)?;
        match w.found.clone().ok_or(Errno::ENOENT)? {
            Pos::Fd(n) => {
                let named = self.fds.get(n).and_then(|f| f.path());
                Ok(named.unwrap_or_else(|| Bytes::from(format!("/proc/self/fd/{n}"))))
            }
            pos if w.slash && w.kind(&pos) != FileKind::Directory => Err(Errno::ENOTDIR.into()),
            _ => Ok(Bytes::copy_from_slice(w.path())),
        }
    }

    /// Space and inodes, for `df`: what the limits leave of the overlay.
    pub fn statfs(&self, path: &[u8]) -> Result<StatFs> {
        let mut w = Walk::new(self, path, Follow::Yes)?;
        if w.found.is_none() {
            return Err(Errno::ENOENT.into());
        }
        let limits = self.budget.limits();
        let tree = &w.state().tree;
        let (bytes, files) = (tree.bytes, tree.files);
        let top = |a: u64, b: u64, unlimited: u64| match a.min(b) {
            u64::MAX => unlimited,
            n => n,
        };
        let shared = &self.vfs.shared;
        Ok(StatFs {
            bytes: top(shared.max_bytes, limits.overlay_bytes, 1 << 40).max(bytes),
            bytes_used: bytes,
            files: top(shared.max_files, limits.overlay_files, 1 << 30).max(files),
            files_used: files,
        })
    }

    /// The mounts, for `df`, `mount` and the tool's description: the root first, then by path.
    pub fn mounts(&self) -> Vec<MountInfo> {
        let fixed = [(&b"/"[..], "root"), (b"/tmp", "tmp")];
        let mut list: Vec<MountInfo> = fixed
            .into_iter()
            .map(|(p, kind)| MountInfo { path: Bytes::from_static(p), kind, writable: true })
            .collect();
        list.extend(self.vfs.shared.mounts.iter().map(|m| MountInfo {
            path: if m.path.is_empty() { Bytes::from_static(b"/") } else { m.path.clone() },
            kind: m.source.kind(),
            writable: m.writable,
        }));
        list.extend(self.vfs.shared.scratch.iter().map(|p| MountInfo {
            path: p.clone(),
            kind: "scratch",
            writable: true,
        }));
        list.sort_by(|a, b| a.path.cmp(&b.path));
        list
    }

    /// Whether [`Files::prefetch`] can do anything here.
    pub fn prefetches(&self) -> bool {
        !self.vfs.shared.mounts.is_empty()
    }

    /// Asks the mounts for these files and directories ahead, many at a time. Best effort, returns at once.
    pub fn prefetch(&self, paths: &[Bytes]) {
        let mounts = &self.vfs.shared.mounts;
        if mounts.is_empty() {
            return;
        }
        let mut wanted: Vec<Vec<Bytes>> = vec![Vec::new(); mounts.len()];
        for p in paths {
            let path = self.absolute(p);
            if let Some(m) = self.vfs.mount_of(&path)
                && let Some(below) = mounts[m as usize].below(&path)
            {
                wanted[m as usize].push(path.slice_ref(below));
            }
        }
        for (m, paths) in mounts.iter().zip(wanted) {
            if !paths.is_empty() {
                m.source.prefetch(&self.asking(), paths);
            }
        }
    }

    /// Absolute paths below `dir` that can contain `literal`, where the mount has a search: a superset, with every
    /// file of the overlay. `None`: look at all.
    pub fn candidates(&self, dir: &[u8], literal: &[u8]) -> Result<Option<HashSet<Bytes>>> {
        let path = self.real_path(dir)?;
        let path = if path[..] == b"/"[..] { Bytes::new() } else { path };
        let mounts = &self.vfs.shared.mounts;
        let Some(m) = self.vfs.mount_of(&path) else { return Ok(None) };
        let nested = |p: &[u8]| p.len() > path.len() && p.starts_with(&path) && p[path.len()] == b'/';
        if mounts.iter().any(|n| nested(&n.path)) {
            return Ok(None);
        }
        let point = &mounts[m as usize];
        let below = point.below(&path).unwrap_or_default();
        let Some(found) = point.source.candidates(&self.asking(), below, literal)? else { return Ok(None) };
        let mut all = HashSet::with_capacity(found.len());
        for f in found {
            all.insert(Bytes::from([&point.path[..], b"/", &f].concat()));
        }
        let mut walk = Walk::new(self, if path.is_empty() { b"/" } else { &path }, Follow::Yes)?;
        if let Some(Pos::Node(ino)) = walk.found {
            overlay_files(&walk.state().tree, ino, &path, &mut all);
        }
        Ok(Some(all))
    }

    /// What went wrong with mounts since the last call (a failing listing, a file that cannot be produced), for the
    /// standard error of the program that met it.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock())
    }

    /// The content behind a mount's file, asked without a lock.
    pub(super) fn lower_body(&self, mount: u32, path: &[u8]) -> Result<LowerBody> {
        self.vfs.shared.mounts[mount as usize].source.open(&self.asking(), path)
    }
}

pub(super) fn lower_stat(s: &LowerStat, dev: u64) -> (Stat, bool) {
    let size = match s.kind {
        FileKind::Directory => Some(4096),
        FileKind::Symlink => s.target.as_ref().map(|t| t.len() as u64),
        _ => s.size,
    };
    let stat = Stat {
        kind: s.kind,
        mode: s.mode,
        size: size.unwrap_or(0),
        blocks: size.filter(|_| s.kind != FileKind::Symlink).unwrap_or(0).div_ceil(4096) * 8,
        ino: s.ino,
        dev,
        nlink: s.nlink,
        mtime: s.mtime,
        atime: s.mtime,
        ctime: s.mtime,
        btime: s.mtime,
        ..Stat::file()
    };
    (stat, size.is_some())
}

/// Absolute, and without anything to take out.
fn clean(path: &[u8]) -> bool {
    if path.first() != Some(&b'/') {
        return false;
    }
    let mut at = 1;
    loop {
        let end = memchr::memchr(b'/', &path[at..]).map_or(path.len(), |n| at + n);
        match &path[at..end] {
            b"" => return path.len() == 1,
            b"." | b".." => return false,
            _ if end == path.len() => return true,
            _ => at = end + 1,
        }
    }
}

fn push_components(out: &mut Vec<u8>, path: &[u8]) {
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => out.truncate(memchr::memrchr(b'/', out).unwrap_or(0)),
            name => {
                out.push(b'/');
                out.extend_from_slice(name);
            }
        }
    }
}

/// Every file that the tree itself has below the directory `ino`.
fn overlay_files(tree: &Tree, ino: u64, path: &[u8], all: &mut HashSet<Bytes>) {
    let mut todo = vec![(ino, path.to_vec())];
    while let Some((ino, path)) = todo.pop() {
        let Some(dir) = tree.dir(ino) else { continue };
        for (name, e) in dir.names.iter() {
            let Entry::Ino(i) = e else { continue };
            let below = [&path[..], b"/", name].concat();
            match tree.dir(i) {
                Some(_) => todo.push((i, below)),
                None => drop(all.insert(Bytes::from(below))),
            }
        }
    }
}
