//! A directory of the host, shown in the tree. It is read only here: what a script changes in a writable mount goes
//! to the session's overlay.
//!
//! Links are never followed by the host's kernel: every directory is opened relative to the one above it with
//! `O_NOFOLLOW`, and the tree resolves a link's text itself, so no link leads out of the mount.

use super::{Asking, LowerBody, LowerEntry, LowerStat, Ranged, Source};
use crate::{Bytes, Errno, FileKind, Result, Time};
use hashbrown::HashMap;
use parking_lot::Mutex;
use rustix::{
    buffer::spare_capacity,
    fd::OwnedFd,
    fs::{self, AtFlags, FileType, Mode, OFlags, RawDir},
    io::Errno as Raw,
};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// A file up to this size is read at once.
const WHOLE: usize = 256 << 10;
/// A larger one is read so much at a time: what is read is still in the cache when it is looked at.
const WINDOW: usize = 64 << 10;
/// Buffers of a file that its readers may still hold, and that serve again when they do not.
const SPARE: usize = 8;
/// Bytes of a directory that are asked for at a time.
const LISTED: usize = 32 << 10;
/// Directories kept open, and for how long.
const KEPT: usize = 64;
const FRESH: Duration = Duration::from_millis(100);

/// See the module.
pub struct HostDir {
    root: Arc<OwnedFd>,
    /// Open directories by path, so that a lookup is one call and not one per component.
    open: Mutex<HashMap<Bytes, Open, foldhash::fast::RandomState>>,
}

/// A directory that is kept open, and what it was when it was opened.
#[derive(Clone)]
struct Open {
    fd: Arc<OwnedFd>,
    stat: Arc<LowerStat>,
    since: Instant,
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

    fn kept(&self, path: &[u8]) -> Option<Open> {
        self.open.lock().get(path).filter(|o| o.since.elapsed() < FRESH).cloned()
    }

    fn directory(&self, path: &[u8]) -> Result<Arc<OwnedFd>> {
        match path {
            b"" => Ok(self.root.clone()),
            path => self.opened(path).map(|o| o.fd),
        }
    }

    /// The directory at a path that is not empty.
    fn opened(&self, path: &[u8]) -> Result<Open> {
        if let Some(o) = self.kept(path) {
            return Ok(o);
        }
        // From the longest open directory above, down.
        let (above, name) = split(path);
        let above = self.directory(above)?;
        let fd = fs::openat(&*above, name, DIRECTORY, Mode::empty()).map_err(|e| match e {
            Raw::LOOP => Errno::ENOTDIR.into(),
            e => errno(e),
        })?;
        let stat = Arc::new(lower(&fs::fstat(&fd).map_err(errno)?, None));
        let new = Open { fd: Arc::new(fd), stat, since: Instant::now() };
        let mut open = self.open.lock();
        if open.len() >= KEPT {
            open.clear();
        }
        open.insert(Bytes::copy_from_slice(path), new.clone());
        Ok(new)
    }

    /// Calls `work` with the directory that holds `path` and the name in it; once more when the directory was
    /// removed while it was kept, since another one may have its name by now.
    fn within<T>(&self, path: &[u8], work: impl Fn(&OwnedFd, &[u8]) -> rustix::io::Result<T>) -> Result<T> {
        let (above, name) = split(path);
        let dir = self.directory(above)?;
        match work(&dir, name) {
            Err(Raw::NOENT) if !above.is_empty() && fs::fstat(&*dir).is_ok_and(|s| s.st_nlink == 0) => {
                self.open.lock().clear();
                work(&*self.directory(above)?, name).map_err(errno)
            }
            done => done.map_err(errno),
        }
    }
}

fn lower(s: &fs::Stat, target: Option<Bytes>) -> LowerStat {
    LowerStat {
        kind: kind(FileType::from_raw_mode(s.st_mode)),
        mode: s.st_mode & 0o777,
        size: Some(s.st_size as u64),
        mtime: Time(i128::from(s.st_mtime) * 1_000_000_000 + i128::from(s.st_mtime_nsec)),
        ino: s.st_ino,
        nlink: s.st_nlink as u32,
        target,
    }
}

impl Source for HostDir {
    fn kind(&self) -> &'static str {
        "host"
    }

    fn lookup(&self, _: &Asking<'_>, path: &[u8]) -> Result<LowerStat> {
        if path.is_empty() {
            return Ok(lower(&fs::fstat(&*self.root).map_err(errno)?, None));
        }
        self.within(path, |dir, name| {
            let s = fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let target = match FileType::from_raw_mode(s.st_mode) {
                FileType::Symlink => Some(Bytes::from(fs::readlinkat(dir, name, Vec::new())?.into_bytes())),
                _ => None,
            };
            Ok(lower(&s, target))
        })
    }

    fn passage(&self, asking: &Asking<'_>, path: &[u8]) -> Result<Arc<LowerStat>> {
        if !path.is_empty()
            && let Ok(o) = self.opened(path)
        {
            return Ok(o.stat);
        }
        self.lookup(asking, path).map(Arc::new)
    }

    fn list(&self, asking: &Asking<'_>, path: &[u8]) -> Result<Arc<Vec<LowerEntry>>> {
        let dir = self.directory(path)?;
        // The open directory is shared, and has one position: read it through a descriptor of its own.
        let own = fs::openat(&*dir, c".", DIRECTORY, Mode::empty()).map_err(errno)?;
        let mut room = Vec::with_capacity(LISTED);
        let mut reading = RawDir::new(own, room.spare_capacity_mut());
        // All names in one piece of memory.
        let mut names = Vec::new();
        let mut found = Vec::new();
        while let Some(e) = reading.next() {
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
            found.push((names.len(), name.len(), kind(of_type), e.ino()));
            names.extend_from_slice(name);
        }
        let names = Bytes::from(names);
        let entry = |(at, len, kind, ino)| LowerEntry { name: names.slice(at..at + len), kind, ino };
        let mut list: Vec<LowerEntry> = found.into_iter().map(entry).collect();
        list.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(Arc::new(list))
    }

    fn open(&self, asking: &Asking<'_>, path: &[u8]) -> Result<LowerBody> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = self.within(path, |dir, name| fs::openat(dir, name, flags, Mode::empty()))?;
        let s = fs::fstat(&fd).map_err(errno)?;
        if FileType::from_raw_mode(s.st_mode) != FileType::RegularFile {
            return Err(Errno::EACCES.into());
        }
        let file = HostFile { fd, len: s.st_size as u64, kept: Mutex::default() };
        if file.len > WHOLE as u64 {
            return Ok(LowerBody::Ranged(Arc::new(file)));
        }
        // A file of /proc says that it is empty and is not: read to the end.
        let mut all = Vec::with_capacity(if file.len == 0 { 4096 } else { file.len as usize + 1 });
        loop {
            let n = file.append(&mut all)?;
            // One that ends where it should, with room left, has ended.
            if n == 0 || (all.len() as u64 == file.len && all.len() < all.capacity()) {
                return Ok(LowerBody::Whole(Bytes::from(all)));
            }
            asking.budget.check()?;
            all.reserve(4096);
        }
    }
}

/// A large file, read through a window.
struct HostFile {
    fd: OwnedFd,
    len: u64,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    at: u64,
    window: Bytes,
    /// Windows before this one, oldest first: memory that is new costs more than what is read into it.
    spare: Vec<Bytes>,
}

impl Kept {
    /// An empty buffer, and one that the readers have let go of if there is one.
    fn buffer(&mut self, size: usize) -> Vec<u8> {
        let last = std::mem::take(&mut self.window);
        if last.len() >= WINDOW / 2 {
            self.spare.push(last);
        }
        if let Some(i) = self.spare.iter().position(Bytes::is_unique)
            && let Ok(mut free) = self.spare.remove(i).try_into_mut()
        {
            free.clear();
            return Vec::from(free);
        }
        if self.spare.len() > SPARE {
            self.spare.remove(0);
        }
        Vec::with_capacity(size)
    }
}

impl HostFile {
    fn pread(&self, buf: &mut Vec<u8>, at: u64) -> Result<usize> {
        loop {
            match rustix::io::pread(&self.fd, spare_capacity(buf), at) {
                Ok(n) => return Ok(n),
                Err(Raw::INTR) => {}
                Err(e) => return Err(errno(e)),
            }
        }
    }

    /// Appends what comes after what `all` holds, as far as it has room; how many bytes, 0 at the end.
    fn append(&self, all: &mut Vec<u8>) -> Result<usize> {
        let at = all.len() as u64;
        self.pread(all, at)
    }
}

impl Ranged for HostFile {
    fn len(&self, _: &Asking<'_>) -> Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, asking: &Asking<'_>, at: u64, max: usize) -> Result<Bytes> {
        asking.budget.step()?;
        let mut kept = self.kept.lock();
        if at < kept.at || at >= kept.at + kept.window.len() as u64 {
            let mut buf = kept.buffer(max.clamp(WINDOW, 16 * WINDOW));
            self.pread(&mut buf, at)?;
            kept.at = at;
            kept.window = Bytes::from(buf);
        }
        let from = (at - kept.at) as usize;
        let to = kept.window.len().min(from.saturating_add(max));
        Ok(kept.window.slice(from..to))
    }
}
