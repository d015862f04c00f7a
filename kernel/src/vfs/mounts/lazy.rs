//! Lazy mounts: directories are listed and files are read one by one, when a script touches them, and kept for that
//! script.

use super::{
    Asking, LowerBody, LowerEntry, LowerStat, Ranged, Source,
    flight::{Contents, Flight, not_found},
    listing::{ERROR_FILE, bound, failed, time},
    path_ino, source_id,
};
use crate::{Bytes, Errno, FileKind, Result, Time};
use hashbrown::HashMap;
use parking_lot::Mutex;
use sandshell_api::{Directory, Entry, LazySource as Functions};
use std::{collections::HashSet, sync::Arc};

/// A file up to this size is read at once even where parts can be read.
const WHOLE: u64 = 256 << 10;
/// Bytes of the first part that is read, and of the largest.
const PART: u64 = 64 << 10;
const LARGEST: u64 = 4 << 20;

/// One directory as the host listed it.
struct Listed {
    entries: Arc<Vec<LowerEntry>>,
    by_name: HashMap<Bytes, Entry>,
    at: Time,
    /// Listing it failed: nothing is known of it.
    failed: bool,
    /// What is wrong, as `_ERROR.txt` says it.
    faults: Bytes,
}

/// What one script keeps.
struct InScript {
    directories: Mutex<HashMap<Bytes, Arc<Flight<Option<Arc<Listed>>>>>>,
    stats: Mutex<HashMap<Bytes, Arc<Flight<Option<Entry>>>>>,
    /// Listings that were asked for ahead.
    ahead: Mutex<HashMap<Bytes, Arc<Flight<Directory>>>>,
    contents: Arc<Contents>,
}

/// See the module.
pub(super) struct LazySource {
    id: u64,
    place: Arc<str>,
    functions: Functions,
}

fn text(path: &[u8]) -> Result<String> {
    // The host's functions take texts; no file of theirs has another name.
    String::from_utf8(path.to_vec()).map_err(|_| Errno::ENOENT.into())
}

fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memrchr(b'/', path) {
        Some(i) => (&path[..i], &path[i + 1..]),
        None => (b"", path),
    }
}

impl LazySource {
    pub fn new(place: &str, functions: Functions) -> LazySource {
        LazySource { id: source_id(), place: place.into(), functions }
    }

    fn in_script(&self, asking: &Asking<'_>) -> Arc<InScript> {
        asking.run.kept.of(self.id, || InScript {
            directories: Mutex::default(),
            stats: Mutex::default(),
            ahead: Mutex::default(),
            contents: Arc::new(Contents::new(bound(asking.budget), Some(asking.budget.reservation()))),
        })
    }

    /// The directory as listed in this script; `ENOENT` when the host says that there is none.
    fn listed(&self, asking: &Asking<'_>, dir: &[u8]) -> Result<Arc<Listed>> {
        let name = text(dir)?;
        let script = self.in_script(asking);
        let flight = {
            let mut all = script.directories.lock();
            match all.get(dir) {
                Some(f) => f.clone(),
                None => {
                    let f = Arc::<Flight<_>>::default();
                    all.insert(Bytes::copy_from_slice(dir), f.clone());
                    f
                }
            }
        };
        let listed = flight.get(
            asking.budget,
            |_| true,
            || {
                let ahead = script.ahead.lock().remove(dir);
                if let Some(answer) = ahead.map(|f| f.wait(asking.budget)).transpose()?.flatten() {
                    return Ok(Some(Arc::new(self.index(asking, dir, Ok(answer)))));
                }
                match asking.ask(|scope| (self.functions.list_fn())(scope, name.clone()))? {
                    Err(e) if not_found(&e) => Ok(None),
                    answer => Ok(Some(Arc::new(self.index(asking, dir, answer)))),
                }
            },
        )?;
        listed.ok_or(Errno::ENOENT.into())
    }

    /// Starts listing a directory without waiting. A failure is left to whoever asks for it.
    fn list_ahead(&self, asking: &Asking<'_>, script: &InScript, path: Bytes) {
        let Ok(name) = text(&path) else { return };
        let flight = script.ahead.lock().entry(path).or_default().clone();
        flight.ahead(asking, |scope| (self.functions.list_fn())(scope, name));
    }

    fn index(&self, asking: &Asking<'_>, dir: &[u8], answer: sandshell_api::Result<Directory>) -> Listed {
        let place = match dir {
            b"" => self.place.to_string(),
            dir => format!("{}/{}", self.place, String::from_utf8_lossy(dir)),
        };
        let mut faults = String::new();
        let failed = answer.is_err();
        let mut by_name: HashMap<Bytes, Entry> = HashMap::new();
        match answer {
            Err(e) => faults = format!("{place} could not be read: {e}\n"),
            Ok(directory) => {
                by_name.reserve(directory.entries().len());
                for e in directory.entries() {
                    let n = e.name();
                    if n.is_empty() || n == "." || n == ".." || n.len() > 255 || n.contains(['/', '\0']) {
                        faults.push_str(&format!("{place}: {n:?} cannot be the name of a file\n"));
                    } else {
                        by_name.entry(Bytes::copy_from_slice(n.as_bytes())).or_insert_with(|| e.clone());
                    }
                }
            }
        }
        if !faults.is_empty() {
            asking.note(faults.trim_end().to_owned());
            let entry = Entry::file(ERROR_FILE).size(faults.len() as u64).mode(0o444);
            by_name.insert(Bytes::from_static(ERROR_FILE.as_bytes()), entry);
        }
        let mut entries: Vec<LowerEntry> = by_name
            .iter()
            .map(|(name, e)| LowerEntry {
                name: name.clone(),
                kind: kind(e),
                ino: path_ino(&join(dir, name)),
            })
            .collect();
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Listed { entries: Arc::new(entries), by_name, at: Time::now(), failed, faults: Bytes::from(faults) }
    }

    fn stat_of(&self, path: &[u8], e: &Entry, at: Time, known: Option<u64>) -> LowerStat {
        let directory = e.is_directory();
        LowerStat {
            kind: kind(e),
            mode: e.mode_bits().unwrap_or(if directory { 0o755 } else { 0o644 }),
            size: if directory { None } else { e.known_size().or(known) },
            mtime: time(e.modified_at(), at),
            ino: path_ino(path),
            nlink: if directory { 2 } else { 1 },
            target: None,
        }
    }

    /// The message, when `path` is the file that stands for a listing that failed.
    fn error_text(&self, asking: &Asking<'_>, path: &[u8]) -> Result<Option<Bytes>> {
        let (dir, name) = split(path);
        if name != ERROR_FILE.as_bytes() {
            return Ok(None);
        }
        Ok(Some(self.listed(asking, dir)?.faults.clone()).filter(|f| !f.is_empty()))
    }
}

fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    if dir.is_empty() { name.to_vec() } else { [dir, b"/", name].concat() }
}

fn kind(e: &Entry) -> FileKind {
    if e.is_directory() { FileKind::Directory } else { FileKind::File }
}

impl Source for LazySource {
    fn kind(&self) -> &'static str {
        "lazy"
    }

    fn lookup(&self, asking: &Asking<'_>, path: &[u8]) -> Result<LowerStat> {
        if path.is_empty() {
            return Ok(self.stat_of(path, &Entry::directory(""), Time(0), None));
        }
        let script = self.in_script(asking);
        let known = || script.contents.peek(path).map(|b| b.len() as u64);
        let (dir, name) = split(path);
        let there = script.directories.lock().get(dir).and_then(|f| f.peek());
        if let (None, Some(stat)) = (&there, self.functions.stat_fn()) {
            let full = text(path)?;
            let flight = script.stats.lock().entry(Bytes::copy_from_slice(path)).or_default().clone();
            let mut failure = None;
            let entry = flight.get(
                asking.budget,
                |_| true,
                || match asking.ask(|scope| stat(scope, full.clone()))? {
                    Ok(e) => Ok(e),
                    Err(e) if not_found(&e) => Ok(None),
                    Err(e) => {
                        failure = Some(e.to_string());
                        Err(Errno::EIO.into())
                    }
                },
            );
            if let Some(why) = failure {
                asking.note(format!("{}/{full} could not be looked up: {why}", self.place));
            }
            return match entry? {
                Some(e) => Ok(self.stat_of(path, &e, Time::now(), known())),
                None => Err(Errno::ENOENT.into()),
            };
        }
        let listed = match there {
            Some(Some(l)) => l,
            Some(None) => return Err(Errno::ENOENT.into()),
            None => self.listed(asking, dir)?,
        };
        match listed.by_name.get(name) {
            Some(e) => Ok(self.stat_of(path, e, listed.at, known())),
            // Of a directory that could not be listed nothing is known.
            None if listed.failed => Err(Errno::EIO.into()),
            None => Err(Errno::ENOENT.into()),
        }
    }

    fn list(&self, asking: &Asking<'_>, path: &[u8]) -> Result<Arc<Vec<LowerEntry>>> {
        Ok(self.listed(asking, path)?.entries.clone())
    }

    fn open(&self, asking: &Asking<'_>, path: &[u8]) -> Result<LowerBody> {
        if let Some(text) = self.error_text(asking, path)? {
            return Ok(LowerBody::Failed(text));
        }
        let full = text(path)?;
        let script = self.in_script(asking);
        if self.functions.read_range_fn().is_some() && script.contents.peek(path).is_none() {
            let size = self.lookup(asking, path)?.size;
            if size.is_none_or(|n| n > WHOLE) {
                return Ok(LowerBody::Ranged(Arc::new(LazyFile {
                    place: self.place.clone(),
                    functions: self.functions.clone(),
                    contents: script.contents.clone(),
                    path: full,
                    size,
                    window: Mutex::default(),
                })));
            }
        }
        let read = self.functions.read_fn();
        match script.contents.get(asking, path, |scope| read(scope, full))? {
            Ok(b) => Ok(LowerBody::Whole(b)),
            Err(e) if not_found(&e) => Err(Errno::ENOENT.into()),
            Err(e) => Ok(failed(asking, &self.place, path, &e.to_string())),
        }
    }

    fn candidates(&self, asking: &Asking<'_>, path: &[u8], literal: &[u8]) -> Result<Option<HashSet<Bytes>>> {
        let Some(search) = self.functions.search_fn() else { return Ok(None) };
        let (dir, literal) = (text(path)?, Bytes::copy_from_slice(literal));
        match asking.ask(|scope| search(scope, dir, literal))? {
            Ok(paths) => Ok(Some(paths.into_iter().map(|p| Bytes::from(p.into_bytes())).collect())),
            Err(e) => {
                // Without its help every file is looked at, which is slow and right.
                asking.note(format!("{}: the search of the mount failed: {e}", self.place));
                Ok(None)
            }
        }
    }

    fn prefetch(&self, asking: &Asking<'_>, paths: Vec<Bytes>) {
        let script = self.in_script(asking);
        let read = self.functions.read_fn();
        for path in paths {
            let (dir, name) = split(&path);
            let listed = script.directories.lock().get(dir).and_then(|f| f.peek()).flatten();
            if listed.is_some_and(|l| l.by_name.get(name).is_some_and(Entry::is_directory)) {
                if !script.directories.lock().contains_key(&path) {
                    self.list_ahead(asking, &script, path);
                }
                continue;
            }
            if self.functions.read_range_fn().is_some()
                && !self.lookup(asking, &path).is_ok_and(|s| s.size.is_some_and(|n| n <= WHOLE))
            {
                continue;
            }
            if let Ok(full) = text(&path) {
                script.contents.ahead(asking, &path, |scope| read(scope, full));
            }
        }
    }
}

/// A file that is read by parts, which grow while it is read in order.
struct LazyFile {
    place: Arc<str>,
    functions: Functions,
    contents: Arc<Contents>,
    path: String,
    size: Option<u64>,
    window: Mutex<(u64, Bytes, u64)>,
}

impl Ranged for LazyFile {
    fn len(&self, asking: &Asking<'_>) -> Result<u64> {
        if let Some(n) = self.size {
            return Ok(n);
        }
        let read = self.functions.read_fn();
        match self.contents.get(asking, self.path.as_bytes(), |scope| read(scope, self.path.clone()))? {
            Ok(b) => Ok(b.len() as u64),
            Err(e) => {
                failed(asking, &self.place, self.path.as_bytes(), &e.to_string());
                Err(Errno::EIO.into())
            }
        }
    }

    fn read_at(&self, asking: &Asking<'_>, at: u64, max: usize) -> Result<Bytes> {
        if let Some(whole) = self.contents.peek(self.path.as_bytes()) {
            let from = at.min(whole.len() as u64) as usize;
            return Ok(whole.slice(from..from.saturating_add(max).min(whole.len())));
        }
        let (start, data, part) = self.window.lock().clone();
        let mut window = (start, data, part);
        if at < start || at >= start + window.1.len() as u64 {
            let in_order = part != 0 && at == start + window.1.len() as u64;
            let len = if in_order { (part * 2).min(LARGEST) } else { PART };
            let Some(range) = self.functions.read_range_fn() else { return Err(Errno::EIO.into()) };
            let data = match asking.ask(|scope| range(scope, self.path.clone(), at, len))? {
                Ok(b) => b,
                Err(e) => {
                    failed(asking, &self.place, self.path.as_bytes(), &e.to_string());
                    return Err(Errno::EIO.into());
                }
            };
            window = (at, data, len);
            *self.window.lock() = window.clone();
        }
        let from = (at - window.0) as usize;
        Ok(window.1.slice(from..window.1.len().min(from.saturating_add(max))))
    }
}
