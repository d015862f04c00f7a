//! Live and cached mounts: a reader gives a flat list of files, the directories between them are made from the paths.

use super::{
    Asking, LowerBody, LowerEntry, LowerStat, Source,
    flight::{Contents, Flight},
    path_ino, source_id,
};
use crate::{Budget, Bytes, Errno, FileKind, Reservation, Result, Time};
use hashbrown::HashMap;
use parking_lot::Mutex;
use sandshell_api::{Body, File, Reader, Severity, check_listing};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, SystemTime},
};

/// The file that stands for what went wrong.
pub(super) const ERROR_FILE: &str = "_ERROR.txt";
/// Bytes of listings, and of contents, that one cached mount keeps.
const CACHE: u64 = 128 << 20;
/// What a name and its entry take, roughly.
const PER_FILE: u64 = 160;

/// The files of one run of a reader.
struct Listing {
    /// Tells the contents of one listing from those of another.
    id: u64,
    files: HashMap<Bytes, File>,
    directories: HashMap<Bytes, Arc<Vec<LowerEntry>>>,
    made: Time,
    /// The reader failed: nothing is known of the mount.
    failed: bool,
    /// What is wrong, as `_ERROR.txt` says it.
    faults: String,
    bytes: u64,
    _held: Option<Reservation>,
}

impl Listing {
    fn new(mount: &str, answer: sandshell_api::Result<Vec<File>>) -> Listing {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let failed = answer.is_err();
        let mut faults = String::new();
        let files = answer.unwrap_or_else(|e| {
            faults = format!("{mount} could not be read: {e}\n");
            Vec::new()
        });
        for f in check_listing(mount, &files) {
            if f.severity == Severity::Error {
                faults.push_str(&format!("{}: {}\n", f.subject, f.reason));
            }
        }
        let mut listing = Listing {
            id: NEXT.fetch_add(1, Relaxed),
            files: HashMap::with_capacity(files.len()),
            directories: HashMap::new(),
            made: Time::now(),
            failed,
            faults: faults.clone(),
            bytes: 0,
            _held: None,
        };
        let mut names: HashMap<Bytes, HashMap<Bytes, FileKind>> = HashMap::new();
        names.insert(Bytes::new(), HashMap::new());
        for file in files {
            listing.add(&mut names, file);
        }
        if !faults.is_empty() {
            listing.add(&mut names, File::text(ERROR_FILE, faults).mode(0o444));
        }
        listing.directories =
            names.into_iter().map(|(dir, names)| (dir.clone(), entries(&dir, names))).collect();
        listing
    }

    /// Takes a file in, with the directories above it. One whose path cannot be used is left to `_ERROR.txt`.
    fn add(&mut self, names: &mut HashMap<Bytes, HashMap<Bytes, FileKind>>, file: File) {
        let path = Bytes::copy_from_slice(file.path().as_bytes());
        let bad = |s: &[u8]| s.is_empty() || s == b"." || s == b".." || s.len() > 255 || s.contains(&0);
        if path.split(|&b| b == b'/').any(bad) || self.files.contains_key(&path) || names.contains_key(&path)
        {
            return;
        }
        let mut above = &path[..];
        let mut kind = FileKind::File;
        loop {
            let slash = memchr::memrchr(b'/', above);
            let (dir, name) = slash.map_or((&b""[..], above), |i| (&above[..i], &above[i + 1..]));
            // A path through a file: the file gives way to the directory that others need.
            if self.files.remove(dir).is_some() {
                let (up, own) =
                    memchr::memrchr(b'/', dir).map_or((&b""[..], dir), |i| (&dir[..i], &dir[i + 1..]));
                if let Some(n) = names.get_mut(up) {
                    n.insert(path.slice_ref(own), FileKind::Directory);
                }
            }
            let known = names.contains_key(dir);
            names.entry(path.slice_ref(dir)).or_default().insert(path.slice_ref(name), kind);
            if known {
                break;
            }
            (above, kind) = (dir, FileKind::Directory);
        }
        self.bytes += PER_FILE + path.len() as u64;
        if let Body::Ready(b) = file.body() {
            self.bytes += b.len() as u64;
        }
        self.files.insert(path, file);
    }
}

fn entries(dir: &[u8], names: HashMap<Bytes, FileKind>) -> Arc<Vec<LowerEntry>> {
    let mut list: Vec<LowerEntry> = names
        .into_iter()
        .map(|(name, kind)| {
            let full = if dir.is_empty() { name.to_vec() } else { [dir, b"/", &name].concat() };
            LowerEntry { ino: path_ino(&full), name, kind }
        })
        .collect();
    list.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Arc::new(list)
}

/// Whose listing a cached one is.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Owner {
    Identity(Arc<str>),
    Session(u64),
}

struct Cache {
    listings: moka::sync::Cache<Owner, Arc<Listing>>,
    flights: Mutex<HashMap<Owner, Arc<Flight<Arc<Listing>>>>>,
    contents: Arc<Contents>,
}

/// A live or cached mount.
pub(super) struct ListingSource {
    id: u64,
    /// Where it is mounted, for messages.
    place: String,
    reader: Reader,
    cache: Option<Cache>,
}

/// What one script keeps of it.
struct InScript {
    listing: Flight<Arc<Listing>>,
    contents: Arc<Contents>,
}

impl ListingSource {
    /// Read once per script.
    pub fn live(place: &str, reader: Reader) -> ListingSource {
        ListingSource { id: source_id(), place: place.into(), reader, cache: None }
    }

    /// Read once per time to live and identity.
    pub fn cached(place: &str, ttl: Duration, reader: Reader) -> ListingSource {
        let listings = moka::sync::Cache::builder()
            .max_capacity(CACHE)
            .weigher(|_, l: &Arc<Listing>| l.bytes.min(u64::from(u32::MAX)) as u32)
            .time_to_live(ttl)
            .build();
        let contents = Arc::new(Contents::new(CACHE, None));
        let cache = Cache { listings, flights: Mutex::default(), contents };
        ListingSource { id: source_id(), place: place.into(), reader, cache: Some(cache) }
    }

    fn in_script(&self, asking: &Asking<'_>) -> Arc<InScript> {
        asking.run.kept.of(self.id, || InScript {
            listing: Flight::default(),
            contents: match &self.cache {
                Some(c) => c.contents.clone(),
                None => Arc::new(Contents::new(bound(asking.budget), Some(asking.budget.reservation()))),
            },
        })
    }

    /// The listing that this script sees, a failed one too.
    fn listing(&self, asking: &Asking<'_>) -> Result<Arc<Listing>> {
        let script = self.in_script(asking);
        script.listing.get(
            asking.budget,
            |_| true,
            || {
                let listing = match &self.cache {
                    None => self.produce(asking, true)?,
                    Some(cache) => self.shared(asking, cache)?,
                };
                if !listing.faults.is_empty() {
                    asking.note(listing.faults.trim_end().to_owned());
                }
                Ok(listing)
            },
        )
    }

    fn produce(&self, asking: &Asking<'_>, charge: bool) -> Result<Arc<Listing>> {
        let answer = asking.ask(|scope| (self.reader)(scope))?;
        let mut listing = Listing::new(&self.place, answer);
        if charge {
            listing._held = Some(asking.budget.reserve(listing.bytes)?);
        }
        Ok(Arc::new(listing))
    }

    fn shared(&self, asking: &Asking<'_>, cache: &Cache) -> Result<Arc<Listing>> {
        let owner = match asking.run.scope.identity() {
            Some(i) => Owner::Identity(i.into()),
            None => Owner::Session(asking.session),
        };
        if let Some(l) = cache.listings.get(&owner) {
            return Ok(l);
        }
        let flight = cache.flights.lock().entry(owner.clone()).or_default().clone();
        let listing = flight.get(asking.budget, |_| true, || self.produce(asking, false));
        if let Ok(l) = &listing
            && !l.failed
            && !cache.listings.contains_key(&owner)
        {
            cache.listings.insert(owner.clone(), l.clone());
        }
        // Whoever came while it was under way has the flight; later ones look into the cache.
        let mut flights = cache.flights.lock();
        if flights.get(&owner).is_some_and(|f| Arc::ptr_eq(f, &flight)) {
            flights.remove(&owner);
        }
        listing
    }

    fn key(&self, listing: &Listing, path: &[u8]) -> Vec<u8> {
        match self.cache {
            Some(_) => [&listing.id.to_le_bytes()[..], path].concat(),
            None => path.to_vec(),
        }
    }

    /// Nothing is known of a mount that could not be read: that a name is not there least of all.
    fn missing(&self, listing: &Listing, path: &[u8]) -> crate::Error {
        match listing.failed {
            true => Errno::EIO.into(),
            false => {
                let mut above = path;
                while let Some(i) = memchr::memrchr(b'/', above) {
                    above = &above[..i];
                    if listing.files.contains_key(above) {
                        return Errno::ENOTDIR.into();
                    }
                }
                Errno::ENOENT.into()
            }
        }
    }
}

/// Bytes of contents that one script keeps of one mount.
pub(super) fn bound(budget: &Budget) -> u64 {
    (budget.limits().memory / 4).min(64 << 20)
}

pub(super) fn time(at: Option<SystemTime>, otherwise: Time) -> Time {
    let since = |t: SystemTime| t.duration_since(SystemTime::UNIX_EPOCH);
    at.map_or(otherwise, |t| match since(t) {
        Ok(d) => Time(d.as_nanos() as i128),
        Err(before) => Time(-(before.duration().as_nanos() as i128)),
    })
}

/// What a file that could not be produced reads as.
pub(super) fn failed(asking: &Asking<'_>, place: &str, path: &[u8], why: &str) -> LowerBody {
    let text = format!("{place}/{} could not be read: {why}", String::from_utf8_lossy(path));
    asking.note(text.clone());
    LowerBody::Failed(Bytes::from(text + "\n"))
}

impl Source for ListingSource {
    fn kind(&self) -> &'static str {
        if self.cache.is_some() { "cached" } else { "live" }
    }

    fn lookup(&self, asking: &Asking<'_>, path: &[u8]) -> Result<LowerStat> {
        let directory = |mtime| LowerStat {
            kind: FileKind::Directory,
            mode: 0o755,
            size: None,
            mtime,
            ino: path_ino(path),
            nlink: 2,
            target: None,
        };
        if path.is_empty() {
            return Ok(directory(Time(0)));
        }
        let listing = self.listing(asking)?;
        let Some(file) = listing.files.get(path) else {
            return match listing.directories.contains_key(path) {
                true => Ok(directory(listing.made)),
                false => Err(self.missing(&listing, path)),
            };
        };
        let produced =
            || self.in_script(asking).contents.peek(&self.key(&listing, path)).map(|b| b.len() as u64);
        Ok(LowerStat {
            kind: FileKind::File,
            mode: file.mode_bits().unwrap_or(0o644),
            size: produced().filter(|_| file.known_size().is_none()).or(file.known_size()),
            mtime: time(file.modified_at(), listing.made),
            ino: path_ino(path),
            nlink: 1,
            target: None,
        })
    }

    fn list(&self, asking: &Asking<'_>, path: &[u8]) -> Result<Arc<Vec<LowerEntry>>> {
        let listing = self.listing(asking)?;
        listing.directories.get(path).cloned().ok_or_else(|| self.missing(&listing, path))
    }

    fn open(&self, asking: &Asking<'_>, path: &[u8]) -> Result<LowerBody> {
        let listing = self.listing(asking)?;
        let file = listing.files.get(path).ok_or_else(|| self.missing(&listing, path))?;
        let lazy = match file.body() {
            Body::Ready(b) if listing.failed => return Ok(LowerBody::Failed(b.clone())),
            Body::Ready(b) => return Ok(LowerBody::Whole(b.clone())),
            Body::Failed(why) => return Ok(failed(asking, &self.place, path, why)),
            Body::Lazy(lazy) => lazy.clone(),
        };
        let contents = &self.in_script(asking).contents;
        match contents.get(asking, &self.key(&listing, path), |_| lazy.produce())? {
            Ok(b) => Ok(LowerBody::Whole(b)),
            Err(e) => Ok(failed(asking, &self.place, path, &e.to_string())),
        }
    }

    fn prefetch(&self, asking: &Asking<'_>, paths: Vec<Bytes>) {
        let Ok(listing) = self.listing(asking) else { return };
        let script = self.in_script(asking);
        for path in paths {
            if let Some(Body::Lazy(lazy)) = listing.files.get(&path).map(File::body) {
                script.contents.ahead(asking, &self.key(&listing, &path), |_| lazy.produce());
            }
        }
    }
}
