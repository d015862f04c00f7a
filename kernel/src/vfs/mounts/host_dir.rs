//! A directory of the host, shown in the tree. It is read only here: what a script changes in a writable mount goes
//! to the session's overlay.
//!
//! Links are never followed by the host's kernel: every directory is opened relative to the one above it with
//! `O_NOFOLLOW`, and the tree resolves a link's text itself, so no link leads out of the mount.

use super::{Asking, LowerBody, LowerEntry, LowerStat, Ranged, Source};
use crate::{Bytes, Errno, FileKind, Result, Time};
use bytes::BytesMut;
use hashbrown::HashMap;
use parking_lot::Mutex;
use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, Dir, FileType, Mode, OFlags},
    io::Errno as Raw,
};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// A file up to this size is read at once; a larger one in windows of this size.
const WINDOW: usize = 512 << 10;
/// Directories kept open, and for how long.
const KEPT: usize = 64;
const FRESH: Duration = Duration::from_secs(1);

/// See the module.
pub struct HostDir {
    root: Arc<OwnedFd>,
    /// Open directories by path, so that a lookup is one call and not one per component.
    open: Mutex<HashMap<Bytes, (Arc<OwnedFd>, Instant)>>,
}

fn errno(e: Raw) -> crate::Error {
    Errno::from_raw(e.raw_os_error()).unwrap_or(Errno::EIO).into()
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memrchr(b'/', path) {
        Some(i) => (&path[..i], &path[i + 1..]),
        None => (b"", path),
    }
}

fn kind(t: FileType) -> FileKind {
    match t {
        FileType::RegularFile | FileType::Unknown => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        FileType::Fifo => FileKind::Fifo,
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Socket => FileKind::Device,
    }
}

impl HostDir {
    /// The directory at `path` of the host. Fails when it is not one or cannot be opened.
    pub fn new(path: &Path) -> std::io::Result<HostDir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = fs::open(path, flags, Mode::empty())?;
        Ok(HostDir { root: Arc::new(root), open: Mutex::default() })
    }

    fn directory(&self, path: &[u8]) -> Result<Arc<OwnedFd>> {
        if path.is_empty() {
            return Ok(self.root.clone());
        }
        if let Some((fd, since)) = self.open.lock().get(path)
            && since.elapsed() < FRESH
        {
            return Ok(fd.clone());
        }
        // From the longest open directory above, down.
        let mut at = 0;
        let mut fd = self.root.clone();
        while at < path.len() {
            let end = memchr::memchr(b'/', &path[at..]).map_or(path.len(), |n| at + n);
            let known = self.open.lock().get(&path[..end]).filter(|(_, s)| s.elapsed() < FRESH).cloned();
            fd = match known {
                Some((fd, _)) => fd,
                None => {
                    let next = fs::openat(&*fd, &path[at..end], DIRECTORY, Mode::empty());
                    let next = Arc::new(next.map_err(|e| match e {
                        Raw::LOOP => Errno::ENOTDIR.into(),
                        e => errno(e),
                    })?);
                    let mut open = self.open.lock();
                    if open.len() >= KEPT {
                        open.clear();
                    }
                    open.insert(Bytes::copy_from_slice(&path[..end]), (next.clone(), Instant::now()));
                    next
                }
            };
            at = end + 1;
        }
        Ok(fd)
    }
}

impl Source for HostDir {
    fn kind(&self) -> &'static str {
        "host"
    }

    fn lookup(&self, _: &Asking<'_>, path: &[u8]) -> Result<LowerStat> {
        let (dir, name) = split(path);
        let dir = self.directory(dir)?;
        let s = match name {
            b"" => fs::fstat(&*dir),
            name => fs::statat(&*dir, name, AtFlags::SYMLINK_NOFOLLOW),
        };
        let s = s.map_err(errno)?;
        let kind = kind(FileType::from_raw_mode(s.st_mode));
        let target = match kind {
            FileKind::Symlink => {
                let text = fs::readlinkat(&*dir, name, Vec::new()).map_err(errno)?;
                Some(Bytes::from(text.into_bytes()))
            }
            _ => None,
        };
        Ok(LowerStat {
            kind,
            mode: (s.st_mode & 0o777) as u32,
            size: Some(s.st_size as u64),
            mtime: Time(i128::from(s.st_mtime) * 1_000_000_000 + i128::from(s.st_mtime_nsec)),
            ino: s.st_ino,
            nlink: s.st_nlink as u32,
            target,
        })
    }

    fn list(&self, asking: &Asking<'_>, path: &[u8]) -> Result<Arc<Vec<LowerEntry>>> {
        let dir = self.directory(path)?;
        let mut list = Vec::new();
        for e in Dir::read_from(&*dir).map_err(errno)? {
            asking.budget.step()?;
            let e = e.map_err(errno)?;
            let name = e.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let mut of_type = e.file_type();
            if of_type == FileType::Unknown {
                let s = fs::statat(&*dir, e.file_name(), AtFlags::SYMLINK_NOFOLLOW).map_err(errno)?;
                of_type = FileType::from_raw_mode(s.st_mode);
            }
            list.push(LowerEntry { name: Bytes::copy_from_slice(name), kind: kind(of_type), ino: e.ino() });
        }
        list.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(Arc::new(list))
    }

    fn open(&self, asking: &Asking<'_>, path: &[u8]) -> Result<LowerBody> {
        let (dir, name) = split(path);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = fs::openat(&*self.directory(dir)?, name, flags, Mode::empty()).map_err(errno)?;
        let s = fs::fstat(&fd).map_err(errno)?;
        if FileType::from_raw_mode(s.st_mode) != FileType::RegularFile {
            return Err(Errno::EACCES.into());
        }
        let file = HostFile { fd, len: s.st_size as u64, window: Mutex::default() };
        if file.len > WINDOW as u64 {
            return Ok(LowerBody::Ranged(Arc::new(file)));
        }
        // A file of /proc says that it is empty and is not: read to the end.
        let mut all = BytesMut::with_capacity(file.len as usize + 1);
        loop {
            let at = all.len() as u64;
            if !file.read_into(&mut all, at, (file.len as usize + 1).max(4096))? {
                return Ok(LowerBody::Whole(all.freeze()));
            }
            asking.budget.check()?;
        }
    }
}

/// A large file, read through a window.
struct HostFile {
    fd: OwnedFd,
    len: u64,
    window: Mutex<(u64, Bytes)>,
}

impl HostFile {
    /// Appends what one pread gives; false at the end of the file.
    fn read_into(&self, buf: &mut BytesMut, at: u64, max: usize) -> Result<bool> {
        let from = buf.len();
        buf.resize(from + max, 0);
        let n = loop {
            match rustix::io::pread(&self.fd, &mut buf[from..], at) {
                Ok(n) => break n,
                Err(Raw::INTR) => {}
                Err(e) => return Err(errno(e)),
            }
        };
        buf.truncate(from + n);
        Ok(n > 0)
    }
}

impl Ranged for HostFile {
    fn len(&self, _: &Asking<'_>) -> Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, asking: &Asking<'_>, at: u64, max: usize) -> Result<Bytes> {
        asking.budget.step()?;
        let (start, old) = std::mem::take(&mut *self.window.lock());
        let mut window = (start, old);
        if at < window.0 || at >= window.0 + window.1.len() as u64 {
            // The readers have let go of the last window: its buffer serves again.
            let mut buf = window.1.try_into_mut().unwrap_or_else(|_| BytesMut::new());
            buf.clear();
            self.read_into(&mut buf, at, WINDOW)?;
            window = (at, buf.freeze());
        }
        let from = (at - window.0) as usize;
        let piece = window.1.slice(from..window.1.len().min(from.saturating_add(max)));
        *self.window.lock() = window;
        Ok(piece)
    }
}
