//! Mounts: what shows through the session's tree. A [`Source`] answers about its own files; the tree decides what a
//! script sees, copies up what is changed, and never writes to a source.

pub(crate) mod flight;
mod host_dir;
mod lazy;
mod listing;

pub use host_dir::HostDir;

use super::{FileKind, Time};
use crate::{Budget, Bytes, Result, Run};
use parking_lot::Mutex;
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// On whose behalf a source is asked.
pub struct Asking<'a> {
    /// The script: its scope, and the host's runtime.
    pub run: &'a Arc<Run>,
    /// Its limits: waiting for a source ends with them.
    pub budget: &'a Budget,
    pub(super) notes: &'a Notes,
    /// Tells sessions apart.
    pub(super) session: u64,
}

impl Asking<'_> {
    /// Tells the script's user of a problem, on the standard error of the program that met it.
    pub fn note(&self, text: String) {
        self.notes.lock().push(text);
    }
}

/// Problems met since they were last shown.
pub(super) type Notes = Arc<Mutex<Vec<String>>>;

/// Metadata of a source's file, as `lstat` would give it.
#[derive(Clone, Debug)]
pub struct LowerStat {
    /// Its kind.
    pub kind: FileKind,
    /// Permission bits.
    pub mode: u32,
    /// Size; `None` when it is not known without reading the file.
    pub size: Option<u64>,
    /// Last change of content.
    pub mtime: Time,
    /// Inode number, unique in the source.
    pub ino: u64,
    /// Number of links.
    pub nlink: u32,
    /// Where a symbolic link points.
    pub target: Option<Bytes>,
}

/// One name of a source's directory.
#[derive(Clone, Debug)]
pub struct LowerEntry {
    /// The name.
    pub name: Bytes,
    /// Its kind.
    pub kind: FileKind,
    /// Inode number.
    pub ino: u64,
}

/// The content of a source's file.
#[derive(Clone)]
pub enum LowerBody {
    /// All of it.
    Whole(Bytes),
    /// To be read by ranges.
    Ranged(Arc<dyn Ranged>),
    /// The file could not be produced: a text that says so, to be read and not to be kept.
    Failed(Bytes),
}

/// A file that is read piece by piece.
#[allow(clippy::len_without_is_empty)]
pub trait Ranged: Send + Sync {
    /// Its length, fetched if need be.
    fn len(&self, asking: &Asking<'_>) -> Result<u64>;

    /// Up to `max` bytes at `at`; empty at the end.
    fn read_at(&self, asking: &Asking<'_>, at: u64, max: usize) -> Result<Bytes>;
}

/// What lies under a mount point. Paths are relative to it, without a leading slash; the empty path is its root.
/// Called without any lock held, from several threads.
pub trait Source: Send + Sync {
    /// The word that `mount` and `df` show.
    fn kind(&self) -> &'static str;

    /// Metadata without following links. `ENOENT`, `ENOTDIR`.
    fn lookup(&self, asking: &Asking<'_>, path: &[u8]) -> Result<LowerStat>;

    /// [`Source::lookup`] of what a path leads through: a directory may be as it was a moment ago.
    fn passage(&self, asking: &Asking<'_>, path: &[u8]) -> Result<Arc<LowerStat>> {
        self.lookup(asking, path).map(Arc::new)
    }

    /// The names of a directory, sorted.
    fn list(&self, asking: &Asking<'_>, path: &[u8]) -> Result<Arc<Vec<LowerEntry>>>;

    /// The content of a regular file.
    fn open(&self, asking: &Asking<'_>, path: &[u8]) -> Result<LowerBody>;

    /// The size of a file whose [`LowerStat::size`] is not known.
    fn size(&self, asking: &Asking<'_>, path: &[u8]) -> Result<u64> {
        Ok(match self.open(asking, path)? {
            LowerBody::Whole(b) | LowerBody::Failed(b) => b.len() as u64,
            LowerBody::Ranged(r) => r.len(asking)?,
        })
    }

    /// Paths below `path` that can contain `literal`: a superset. `None` when the source cannot tell.
    fn candidates(&self, asking: &Asking<'_>, path: &[u8], literal: &[u8]) -> Result<Option<HashSet<Bytes>>> {
        let _ = (asking, path, literal);
        Ok(None)
    }

    /// Asks for these files ahead, without waiting.
    fn prefetch(&self, asking: &Asking<'_>, paths: Vec<Bytes>) {
        let _ = (asking, paths);
    }
}

/// A source at its place.
pub(super) struct MountPoint {
    /// Absolute, without a trailing slash; empty for one at the root.
    pub path: Bytes,
    pub source: Arc<dyn Source>,
    pub writable: bool,
}

impl MountPoint {
    /// The part of the absolute `path` below this mount, if it is below (or at) it.
    pub fn below<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let rest = path.strip_prefix(&self.path[..])?;
        match rest.first() {
            None => Some(rest),
            Some(b'/') => Some(&rest[1..]),
            Some(_) => None,
        }
    }
}

/// A number that no other source has.
fn source_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

/// An inode number for a path of a source that has none: always the same (FNV-1a, 48 bits).
fn path_ino(path: &[u8]) -> u64 {
    let hash =
        path.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
    (hash ^ hash >> 48) & 0xffff_ffff_ffff | 1 << 40
}

/// The source that a sandbox's mount describes; `None` for a scratch directory, which is of the tree itself.
pub(super) fn source_of(mount: &sandshell_api::Mount) -> std::io::Result<Option<Arc<dyn Source>>> {
    use sandshell_api::Source as S;
    let place = mount.path().trim_end_matches('/');
    Ok(Some(match mount.source() {
        S::Live(reader) => Arc::new(listing::ListingSource::live(place, reader.clone())),
        S::Cached { ttl, reader } => Arc::new(listing::ListingSource::cached(place, *ttl, reader.clone())),
        S::Lazy(functions) => Arc::new(lazy::LazySource::new(place, functions.clone())),
        S::Directory(path) => Arc::new(HostDir::new(path)?),
        S::Scratch => return Ok(None),
    }))
}
