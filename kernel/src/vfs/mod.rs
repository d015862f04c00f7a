//! The virtual filesystem. [`Vfs`] is one session's tree: the overlay over the mounts. [`Files`] is one process's
//! view of it: directory, umask, descriptors, and the run whose scope the mounts' readers are given.
//!
//! Paths are bytes, absolute or relative to the process's directory. Every call follows Linux: the same errno in
//! the same case.

mod body;
mod builder;
mod change;
mod changes;
mod dir;
mod fifo;
mod files;
pub mod mounts;
mod open;
mod tree;
mod walk;

pub use builder::VfsBuilder;
pub use changes::{Change, ChangeKind};

use crate::{Budget, Bytes, FdTable, Run, stream::device::Device};
use hashbrown::HashMap;
use parking_lot::Mutex;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

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
    /// Units of 512 bytes that it takes up.
    pub blocks: u64,
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
            blocks: 0,
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
    notes: mounts::Notes,
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

/// One session's tree: what its scripts wrote, over a base and mounts that sessions share. All processes of the
/// session use it at once; every call is one step for the others.
pub struct Vfs {
    id: u64,
    shared: Arc<Shared>,
    state: Mutex<State>,
}

/// What never changes.
struct Shared {
    mounts: Vec<mounts::MountPoint>,
    /// Directories of the tree itself that the host named as mounts.
    scratch: Vec<Bytes>,
    max_bytes: u64,
    max_files: u64,
}

struct State {
    tree: tree::Tree,
    /// Descriptions per open inode: one that has no name left lives until the last is closed.
    open: HashMap<u64, u32, foldhash::fast::RandomState>,
    fifos: HashMap<u64, Arc<fifo::Fifo>, foldhash::fast::RandomState>,
    /// Counts restores: descriptions from before one are stale.
    epoch: u64,
}

/// The tree at one moment. Cheap to keep: it shares everything that has not changed since.
#[derive(Clone)]
pub struct Snapshot {
    tree: tree::Tree,
}

/// Directories that are the session's own, also when a mount is above them; scratch directories are too.
const OWN: &[&[u8]] = &[b"/dev", b"/proc", b"/tmp", b"/var/tmp"];

impl Vfs {
    /// To describe a tree: its base, mounts and limits.
    pub fn builder() -> VfsBuilder {
        VfsBuilder::new()
    }

    fn with(shared: Arc<Shared>, tree: tree::Tree) -> Arc<Vfs> {
        let state = State { tree, open: HashMap::default(), fifos: HashMap::default(), epoch: 0 };
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Arc::new(Vfs { id: NEXT.fetch_add(1, Relaxed), shared, state: Mutex::new(state) })
    }

    /// The tree as it is now. Files that are open but have no name left are not in it.
    pub fn snapshot(&self) -> Snapshot {
        let state = self.state.lock();
        let mut tree = state.tree.clone();
        for ino in state.open.keys() {
            if tree.get(*ino).is_some_and(|n| n.nlink == 0) {
                tree.discard(*ino);
            }
        }
        Snapshot { tree }
    }

    /// Makes the tree what it was. Descriptions that are open give `ESTALE` from now on.
    pub fn restore(&self, to: &Snapshot) {
        let mut state = self.state.lock();
        let (generation, shape) = (state.tree.generation, state.tree.shape);
        state.tree = to.tree.clone();
        state.tree.generation = generation + 1;
        state.tree.shape = shape + 1;
        state.open.clear();
        state.fifos.clear();
        state.epoch += 1;
    }

    /// Another session that starts from this one's tree, over the same mounts.
    pub fn fork(&self) -> Arc<Vfs> {
        Vfs::with(self.shared.clone(), self.snapshot().tree)
    }

    /// Counts changes of the tree: equal numbers, equal trees.
    pub fn generation(&self) -> u64 {
        self.state.lock().tree.generation
    }

    /// Bytes and files of the overlay.
    pub fn usage(&self) -> (u64, u64) {
        let state = self.state.lock();
        (state.tree.bytes, state.tree.files)
    }

    /// Index of the mount that holds `path` (canonical): the longest that is a prefix of it by whole components.
    fn mount_of(&self, path: &[u8]) -> Option<u32> {
        let mounts = self.shared.mounts.iter().enumerate();
        let holding = mounts.filter(|(_, m)| m.below(path).is_some());
        let (i, mount) = holding.max_by_key(|(_, m)| m.path.len())?;
        let own = OWN.iter().copied().chain(self.shared.scratch.iter().map(|s| &s[..]));
        let within = |dir: &[u8]| {
            dir.len() > mount.path.len()
                && path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        if own.into_iter().any(within) {
            return None;
        }
        Some(i as u32)
    }
}
