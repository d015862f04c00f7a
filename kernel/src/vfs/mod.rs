//! The virtual filesystem. [`Vfs`] is one session's tree: the overlay over the mounts. [`Files`] is one process's
//! view of it: directory, umask, descriptors, and the run whose scope the mounts' readers are given.
//!
//! Paths are bytes, absolute or relative to the process's directory. Every call follows Linux: the same errno in
//! the same case.

use crate::{Budget, Bytes, Errno, Error, Fd, FdTable, Input, Output, Result, Run, stream::device::Device};
use std::sync::Arc;

/// What kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe, or a pipe's descriptor.
    Fifo,
    /// A character device.
    Device,
}

/// Nanoseconds since the epoch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Time(pub i128);

impl Time {
    /// The wall clock.
    pub fn now() -> Time {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Time(since.map_or(0, |d| d.as_nanos() as i128))
    }

    /// Whole seconds, rounded down.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000_000) as i64
    }

    /// The nanoseconds within the second.
    pub fn nanos(self) -> u32 {
        self.0.rem_euclid(1_000_000_000) as u32
    }
}

/// Metadata, as `stat(2)` gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stat {
    /// The kind.
    pub kind: FileKind,
    /// Permission bits, 0o7777.
    pub mode: u32,
    /// Size in bytes. From `stat` it is always true (an unknown one was fetched).
    pub size: u64,
    /// Inode number.
    pub ino: u64,
    /// Device number: one per mount.
    pub dev: u64,
    /// Number of links.
    pub nlink: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Last content change.
    pub mtime: Time,
    /// Last access.
    pub atime: Time,
    /// Last status change.
    pub ctime: Time,
    /// Birth.
    pub btime: Time,
    /// Major and minor number of a device.
    pub rdev: (u32, u32),
}

/// The one user of a sandbox.
pub const UID: u32 = 1000;
/// Its group.
pub const GID: u32 = 1000;

impl Stat {
    /// An empty regular file of the user, mode 0644, without times.
    pub fn file() -> Stat {
        Stat {
            kind: FileKind::File,
            mode: 0o644,
            size: 0,
            ino: 0,
            dev: 0,
            nlink: 1,
            uid: UID,
            gid: GID,
            mtime: Time(0),
            atime: Time(0),
            ctime: Time(0),
            btime: Time(0),
            rdev: (0, 0),
        }
    }

    /// A pipe.
    pub fn fifo() -> Stat {
        Stat { kind: FileKind::Fifo, mode: 0o600, ..Stat::file() }
    }

    /// A device.
    pub fn device(d: Device) -> Stat {
        let minor = match d {
            Device::Null => 3,
            Device::Zero => 5,
            Device::Full => 7,
            Device::Random => 9,
        };
        Stat { kind: FileKind::Device, mode: 0o666, uid: 0, gid: 0, rdev: (1, minor), ..Stat::file() }
    }

    /// Whether it is a directory.
    pub fn is_dir(&self) -> bool {
        self.kind == FileKind::Directory
    }
}

/// One name of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name, without a slash.
    pub name: Bytes,
    /// Its kind (a link is a link).
    pub kind: FileKind,
    /// Its inode number.
    pub ino: u64,
}

/// How to open a file, as `open(2)`'s flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// O_RDONLY or O_RDWR.
    pub read: bool,
    /// O_WRONLY or O_RDWR.
    pub write: bool,
    /// O_APPEND.
    pub append: bool,
    /// O_TRUNC.
    pub truncate: bool,
    /// O_CREAT.
    pub create: bool,
    /// O_EXCL.
    pub exclusive: bool,
    /// O_NOFOLLOW.
    pub no_follow: bool,
    /// O_DIRECTORY.
    pub directory: bool,
    /// Permission bits of a new file, before the umask; 0 means 0o666.
    pub mode: u32,
}

impl OpenOptions {
    /// `<`
    pub const READ: OpenOptions = OpenOptions {
        read: true,
        write: false,
        append: false,
        truncate: false,
        create: false,
        exclusive: false,
        no_follow: false,
        directory: false,
        mode: 0,
    };
    /// `>`
    pub const CREATE: OpenOptions =
        OpenOptions { write: true, create: true, truncate: true, read: false, ..OpenOptions::READ };
    /// `>>`
    pub const APPEND: OpenOptions =
        OpenOptions { write: true, create: true, append: true, read: false, ..OpenOptions::READ };
    /// `<>`
    pub const READ_WRITE: OpenOptions = OpenOptions { write: true, create: true, ..OpenOptions::READ };
}

/// A time to set, as utimensat takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTime {
    /// Leave it.
    Keep,
    /// The wall clock.
    Now,
    /// This one.
    At(Time),
}

/// What `access(2)` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// `-r`
    Read,
    /// `-w`: false on a read-only mount (`EROFS`).
    Write,
    /// `-x`
    Execute,
}

/// One process's view of the session's tree. Cloning is cheap; a clone's directory, umask and descriptors are its own.
#[derive(Clone)]
pub struct Files {
    vfs: Arc<Vfs>,
    run: Arc<Run>,
    budget: Budget,
    cwd: Bytes,
    /// The file mode creation mask.
    pub umask: u32,
    /// The descriptors, which `/dev/fd/N`, `/dev/stdin` and `/proc/self/fd/N` open.
    pub fds: FdTable,
}

/// Space and inodes of a filesystem, for `df`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatFs {
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes used.
    pub bytes_used: u64,
    /// Files in all.
    pub files: u64,
    /// Files used.
    pub files_used: u64,
}

/// A mount, for `df`, `mount` and the tool's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountInfo {
    /// Where it is.
    pub path: Bytes,
    /// `live`, `cached`, `lazy`, `scratch`, `host`, `tmp`, `root`.
    pub kind: &'static str,
    /// Whether a script can write below it.
    pub writable: bool,
}

/// One session's tree.
pub struct Vfs {}

impl Files {
    /// (to be documented)
    pub fn new(vfs: Arc<Vfs>, run: Arc<Run>, budget: &Budget, cwd: Bytes, fds: FdTable) -> Files {
        todo!()
    }

    /// (to be documented)
    pub fn vfs(&self) -> &Arc<Vfs> {
        todo!()
    }

    /// (to be documented)
    pub fn run(&self) -> &Arc<Run> {
        todo!()
    }

    /// (to be documented)
    pub fn budget(&self) -> &Budget {
        todo!()
    }

    /// the absolute path of the directory (logical, as the last set_cwd was given it, without `.` `..`)
    pub fn cwd(&self) -> &Bytes {
        todo!()
    }

    /// chdir: ENOENT, ENOTDIR, EACCES. The path is made absolute and normalised logically (as `cd` does).
    pub fn set_cwd(&mut self, path: &[u8]) -> Result<()> {
        todo!()
    }

    /// (to be documented)
    pub fn set_budget(&mut self, budget: &Budget) {
        todo!()
    }

    /// absolute, `.`, `..`, `//` taken out by text; no file is looked at
    pub fn absolute(&self, path: &[u8]) -> Bytes {
        todo!()
    }


    /// follows links; fetches an unknown size
    pub fn stat(&self, path: &[u8]) -> Result<Stat> {
        todo!()
    }

    /// (to be documented)
    pub fn lstat(&self, path: &[u8]) -> Result<Stat> {
        todo!()
    }

    /// like lstat/stat, but never asks a reader for a content just to know a size: None = not known without reading
    pub fn stat_cheap(&self, path: &[u8], follow: bool) -> Result<(Stat, bool)> {
        todo!()
    }

    /// follows links, cheap
    pub fn exists(&self, path: &[u8]) -> bool {
        todo!()
    }

    /// (to be documented)
    pub fn access(&self, path: &[u8], what: Permission) -> Result<()> {
        todo!()
    }


    /// (to be documented)
    pub fn open(&self, path: &[u8], options: OpenOptions) -> Result<Fd> {
        todo!()
    }

    /// EISDIR for a directory is given when it is read in Linux: open_read of a directory succeeds in Linux and read gives EISDIR; here open_read returns Err(EISDIR) at once
    pub fn open_read(&self, path: &[u8]) -> Result<Input> {
        todo!()
    }

    /// >
    pub fn create(&self, path: &[u8]) -> Result<Output> {
        todo!()
    }

    /// >>
    pub fn append(&self, path: &[u8]) -> Result<Output> {
        todo!()
    }

    /// whole content, no copy when in one piece
    pub fn read(&self, path: &[u8]) -> Result<Bytes> {
        todo!()
    }

    /// create or truncate, whole content
    pub fn write(&self, path: &[u8], data: Bytes) -> Result<()> {
        todo!()
    }


    /// sorted by bytes, without . and ..
    pub fn read_dir(&self, path: &[u8]) -> Result<Vec<DirEntry>> {
        todo!()
    }

    /// (to be documented)
    pub fn mkdir(&self, path: &[u8], mode: u32) -> Result<()> {
        todo!()
    }

    /// (to be documented)
    pub fn rmdir(&self, path: &[u8]) -> Result<()> {
        todo!()
    }

    /// (to be documented)
    pub fn unlink(&self, path: &[u8]) -> Result<()> {
        todo!()
    }

    /// (to be documented)
    pub fn rename(&self, from: &[u8], to: &[u8]) -> Result<()> {
        todo!()
    }

    /// hard link, does not follow
    pub fn link(&self, from: &[u8], to: &[u8]) -> Result<()> {
        todo!()
    }

    /// (to be documented)
    pub fn symlink(&self, target: &[u8], path: &[u8]) -> Result<()> {
        todo!()
    }

    /// (to be documented)
    pub fn read_link(&self, path: &[u8]) -> Result<Bytes> {
        todo!()
    }

    /// (to be documented)
    pub fn mkfifo(&self, path: &[u8], mode: u32) -> Result<()> {
        todo!()
    }

    /// follows
    pub fn chmod(&self, path: &[u8], mode: u32) -> Result<()> {
        todo!()
    }

    /// EPERM if it changes anything
    pub fn chown(&self, path: &[u8], uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()> {
        todo!()
    }

    /// (to be documented)
    pub fn set_times(&self, path: &[u8], access: SetTime, modify: SetTime, follow: bool) -> Result<()> {
        todo!()
    }

    /// (to be documented)
    pub fn truncate(&self, path: &[u8], len: u64) -> Result<()> {
        todo!()
    }

    /// every component must exist
    pub fn real_path(&self, path: &[u8]) -> Result<Bytes> {
        todo!()
    }

    /// (total bytes, used bytes, total files, used files) for df
    pub fn statfs(&self, path: &[u8]) -> Result<StatFs> {
        todo!()
    }

    /// mounts for df and the tool's description: (path, kind word, writable)
    pub fn mounts(&self) -> Vec<MountInfo> {
        todo!()
    }


    /// Asks lazy sources for these files ahead, many at a time within the host's concurrency. Best effort, returns at once.
    pub fn prefetch(&self, paths: &[Bytes]) {
        todo!()
    }

    /// Files below `dir` that can contain `literal`, if the mount has a search: a superset; None = must look at all.
    pub fn candidates(&self, dir: &[u8], literal: &[u8]) -> Result<Option<std::collections::HashSet<Bytes>>> {
        todo!()
    }

    /// text of problems of mounts met since the last call (a failing listing, a file that cannot be produced), for the reading program's stderr
    pub fn take_notes(&self) -> Vec<String> {
        todo!()
    }

}
