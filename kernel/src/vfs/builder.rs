//! What a session's tree starts from: the directories of a small Linux, the programs' names, and the mounts.

use super::{
    Shared, Time, UID, Vfs,
    body::Body,
    dir::Entry,
    mounts::{self, MountPoint, Source},
    tree::{Kind, Node, ROOT, Tree},
};
use crate::{Bytes, Errno, Result, stream::device::Device};
use std::sync::Arc;

/// Describes a tree. [`VfsBuilder::build`] makes the first session's; [`Vfs::fork`] makes more of them, which share
/// all that none of them changed.
pub struct VfsBuilder {
    tree: Tree,
    now: Time,
    mounts: Vec<MountPoint>,
    scratch: Vec<Bytes>,
    home: Bytes,
    hostname: String,
    programs: Vec<&'static str>,
    /// Files (with mode and content) and directories of the host's.
    extra: Vec<(Bytes, Option<(u32, Bytes)>)>,
    max_bytes: u64,
    max_files: u64,
    /// What the tree was before, when a session goes on.
    continued: Option<Arc<Shared>>,
}

/// What a program's file in `/usr/bin` holds; running it by its path finds the program by its name.
const PROGRAM: &[u8] = b"#!/usr/bin/env sandshell\n";

impl VfsBuilder {
    pub(super) fn new() -> VfsBuilder {
        let now = Time::now();
        VfsBuilder {
            tree: Tree::new(now),
            now,
            mounts: Vec::new(),
            scratch: Vec::new(),
            home: Bytes::from_static(b"/home/user"),
            hostname: "sandbox".into(),
            programs: Vec::new(),
            extra: Vec::new(),
            max_bytes: u64::MAX,
            max_files: u64::MAX,
            continued: None,
        }
    }

    /// Starts from the tree of a session that goes on over other mounts and programs, and keeps what its scripts wrote
    /// below mounts that are still there. Call it first. Files of the builder do not replace those of the session.
    pub fn continuing(mut self, session: &Vfs) -> VfsBuilder {
        self.tree = session.snapshot().tree;
        self.continued = Some(session.shared.clone());
        self
    }

    /// The user's directory, `/home/user` when not said otherwise.
    pub fn home(mut self, path: &[u8]) -> VfsBuilder {
        self.home = Bytes::copy_from_slice(path);
        self
    }

    /// What `/etc/hostname` says.
    pub fn hostname(mut self, name: &str) -> VfsBuilder {
        self.hostname = name.into();
        self
    }

    /// The names that `/usr/bin` (and `/bin`, a link to it) lists.
    pub fn programs(mut self, names: impl IntoIterator<Item = &'static str>) -> VfsBuilder {
        self.programs.extend(names);
        self
    }

    /// At most so many bytes and files of the session's own; more give `ENOSPC`.
    pub fn quota(mut self, bytes: u64, files: u64) -> VfsBuilder {
        (self.max_bytes, self.max_files) = (bytes, files);
        self
    }

    /// A file of the user that every session starts with, its directories made where they lack.
    pub fn file(mut self, path: &[u8], mode: u32, content: Bytes) -> VfsBuilder {
        self.extra.push((Bytes::copy_from_slice(path), Some((mode, content))));
        self
    }

    /// An empty directory of the user that every session starts with.
    pub fn directory(mut self, path: &[u8]) -> VfsBuilder {
        self.extra.push((Bytes::copy_from_slice(path), None));
        self
    }

    /// What a sandbox's mount describes, at its place. Fails when a directory of the host cannot be opened.
    pub fn mount(mut self, mount: &sandshell_api::Mount) -> Result<VfsBuilder> {
        match mounts::source_of(mount)? {
            Some(source) => self.mount_source(mount.path().as_bytes(), source, mount.is_writable()),
            None => {
                let path = clean(mount.path().as_bytes())?;
                self.extra.push((path.clone(), None));
                self.scratch.push(path);
                Ok(self)
            }
        }
    }

    /// Shows `source` at the absolute `path`, which may lie below another mount: the longer one wins. `writable`:
    /// what scripts write there stays in the session; otherwise they get `EROFS`. `EINVAL`, `EEXIST`.
    pub fn mount_source(
        mut self,
        path: &[u8],
        source: Arc<dyn Source>,
        writable: bool,
    ) -> Result<VfsBuilder> {
        let path = clean(path)?;
        if self.mounts.iter().any(|m| m.path == path) {
            return Err(Errno::EEXIST.into());
        }
        self.mounts.push(MountPoint { path, source, writable });
        Ok(self)
    }

    /// The tree. Fails when two things want the same path.
    pub fn build(mut self) -> Result<Arc<Vfs>> {
        let counters = (self.tree.bytes, self.tree.files);
        self.base()?;
        for (path, file) in std::mem::take(&mut self.extra) {
            match file {
                Some(_) if self.continued.is_some() => {}
                Some((mode, content)) => {
                    self.put(&path, UID, mode, Kind::File(Arc::new(Body::new(content))))?;
                }
                None => drop(self.directories(&path, UID)?),
            }
        }
        let mounts = std::mem::take(&mut self.mounts);
        if let Some(old) = &self.continued {
            let place = |path: &[u8]| mounts.iter().position(|m| m.path == path);
            let to = |n: u32| old.mounts.get(n as usize).and_then(|m| place(&m.path)).map(|n| n as u32);
            self.tree.renumber_mounts(to, self.now);
        }
        let mut order: Vec<usize> = (0..mounts.len()).collect();
        order.sort_by_key(|&i| mounts[i].path.len());
        for i in order {
            let dir = self.directories(&mounts[i].path, UID)?;
            self.tree.set_lower(dir, i as u32);
        }
        // The base is free: quotas count what scripts write.
        (self.tree.bytes, self.tree.files) = if self.continued.is_some() { counters } else { (0, 0) };
        let scratch = self.scratch;
        let shared = Shared { mounts, scratch, max_bytes: self.max_bytes, max_files: self.max_files };
        Ok(Vfs::with(Arc::new(shared), self.tree))
    }

    fn base(&mut self) -> Result<()> {
        for dir in ["/dev", "/etc", "/home", "/proc/self", "/usr/bin", "/usr/lib", "/var/tmp", "/opt", "/mnt"]
        {
            self.directories(dir.as_bytes(), 0)?;
        }
        for tmp in [&b"/tmp"[..], b"/var/tmp"] {
            let ino = self.directories(tmp, 0)?;
            if let Some(n) = self.tree.get_mut(ino) {
                n.mode = 0o1777;
            }
        }
        let home = self.home.clone();
        // What lies above it may be a scratch mount, which is the user's own.
        let ino = self.directories(&home, UID)?;
        if let Some(n) = self.tree.get_mut(ino) {
            (n.uid, n.gid) = (UID, super::GID);
        }
        let devices = [
            ("null", Kind::Device(Device::Null)),
            ("zero", Kind::Device(Device::Zero)),
            ("full", Kind::Device(Device::Full)),
            ("random", Kind::Device(Device::Random)),
            ("urandom", Kind::Device(Device::Random)),
            ("tty", Kind::Tty),
        ];
        for (name, kind) in devices {
            self.put(format!("/dev/{name}").as_bytes(), 0, 0o666, kind)?;
        }
        self.put(b"/proc/self/fd", UID, 0o500, Kind::FdDir)?;
        let links = [
            ("/dev/fd", "/proc/self/fd"),
            ("/dev/stdin", "/proc/self/fd/0"),
            ("/dev/stdout", "/proc/self/fd/1"),
            ("/dev/stderr", "/proc/self/fd/2"),
            ("/bin", "usr/bin"),
        ];
        for (path, target) in links {
            self.put(path.as_bytes(), 0, 0o777, Kind::Link(Bytes::from_static(target.as_bytes())))?;
        }
        let home = String::from_utf8_lossy(&home).into_owned();
        let passwd =
            format!("root:x:0:0:root:/root:/usr/sbin/nologin\nuser:x:1000:1000:user:{home}:/bin/bash\n");
        let etc = [
            ("passwd", passwd),
            ("group", "root:x:0:\nuser:x:1000:\n".into()),
            ("hosts", format!("127.0.0.1\tlocalhost\n127.0.1.1\t{}\n", self.hostname)),
            ("hostname", format!("{}\n", self.hostname)),
        ];
        for (name, text) in etc {
            let body = Kind::File(Arc::new(Body::new(Bytes::from(text))));
            self.put(format!("/etc/{name}").as_bytes(), 0, 0o644, body)?;
        }
        let body = Arc::new(Body::new(Bytes::from_static(PROGRAM)));
        let mut programs = std::mem::take(&mut self.programs);
        programs.sort_unstable();
        programs.dedup();
        let bin = self.directories(b"/usr/bin", 0)?;
        let old: Vec<_> =
            self.tree.dir(bin).iter().flat_map(|d| d.names.iter()).map(|(n, _)| n.clone()).collect();
        for name in old.iter().filter(|n| programs.iter().all(|p| p.as_bytes() != &n[..])) {
            self.unlink(bin, name);
        }
        for name in programs {
            if self.tree.dir(bin).is_some_and(|d| d.names.get(name.as_bytes()).is_some()) {
                self.put(format!("/usr/bin/{name}").as_bytes(), 0, 0o755, Kind::File(body.clone()))?;
            } else {
                self.add(bin, name.as_bytes(), 0, 0o755, Kind::File(body.clone()));
            }
        }
        Ok(())
    }

    /// The directory at `path`, made with those above it; what is new belongs to `owner`.
    fn directories(&mut self, path: &[u8], owner: u32) -> Result<u64> {
        let mut at = ROOT;
        for part in path.split(|&b| b == b'/').filter(|p| !p.is_empty()) {
            at = match self.tree.dir(at).and_then(|d| d.names.get(part)) {
                Some(Entry::Ino(ino)) if self.tree.dir(ino).is_some() => ino,
                Some(_) => return Err(Errno::ENOTDIR.into()),
                None => self.add(at, part, owner, 0o755, Kind::Dir(Arc::default())),
            };
        }
        Ok(at)
    }

    fn put(&mut self, path: &[u8], owner: u32, mode: u32, kind: Kind) -> Result<()> {
        let slash = memchr::memrchr(b'/', path).ok_or(Errno::EINVAL)?;
        let dir = self.directories(&path[..slash], owner)?;
        let name = &path[slash + 1..];
        if let Some(old) = self.tree.dir(dir).and_then(|d| d.names.get(name)) {
            match old {
                Entry::Ino(ino) if self.tree.dir(ino).is_none() => self.unlink(dir, name),
                _ => return Err(Errno::EEXIST.into()),
            }
        }
        self.add(dir, name, owner, mode, kind);
        Ok(())
    }

    fn unlink(&mut self, dir: u64, name: &[u8]) {
        if let Some(ino) = self.tree.unlink(dir, name, self.now)
            && self.tree.get(ino).is_some_and(|n| n.nlink == 0)
        {
            self.tree.discard(ino);
        }
    }

    fn add(&mut self, dir: u64, name: &[u8], owner: u32, mode: u32, kind: Kind) -> u64 {
        let mut node = Node::new(kind, mode, self.now);
        (node.uid, node.gid) = (owner, owner);
        let ino = self.tree.add(node);
        self.tree.link(dir, name, ino, self.now);
        ino
    }
}

/// An absolute path without a slash at its end or twice; empty for the root. `EINVAL` for what is none.
fn clean(path: &[u8]) -> Result<Bytes> {
    let parts = || path.split(|&b| b == b'/').filter(|p| !p.is_empty());
    if path.first() != Some(&b'/') || parts().any(|p| p == b"." || p == b".." || p.len() > 255) {
        return Err(Errno::EINVAL.into());
    }
    Ok(Bytes::from(parts().flat_map(|p| [b"/", p].concat()).collect::<Vec<u8>>()))
}
