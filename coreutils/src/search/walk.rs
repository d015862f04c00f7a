//! Walks trees for the programs that search in many files: files in the order of their names, some way ahead of the
//! search, so that a mount can be asked for many at a time.

use sandshell_kernel::{Bytes, DirEntry, Error, FileKind, Files, Result};

/// Files that are asked for ahead.
const AHEAD: usize = 64;

/// What the walk meets.
pub enum Found {
    /// A file to search, by its path as printed.
    File(Bytes),
    /// A directory that could not be listed, or a loop of links.
    Failed(Bytes, Error),
    /// What a mount said of a problem.
    Note(String),
}

/// What a user of the walk decides.
pub trait Filter {
    /// Whether to enter a directory, by its path and name, `depth` levels below the start.
    fn enter(&mut self, files: &Files, path: &[u8], name: &[u8], depth: usize) -> bool;

    /// Whether to search a file.
    fn accept(&mut self, files: &Files, path: &[u8], name: &[u8]) -> bool;

    /// Whether `enter` may say yes to the directory at `path`: it is worth asking for ahead.
    fn may_enter(&self, files: &Files, path: &[u8]) -> bool {
        let _ = (files, path);
        true
    }

    /// A directory was left.
    fn leave(&mut self) {}
}

struct Level {
    entries: std::vec::IntoIter<DirEntry>,
    /// How many were taken.
    at: usize,
    /// Length of the path with its slash.
    prefix: usize,
    id: (u64, u64),
}

/// Asks for those of the next entries of the directory `prefix` (with its slash) that are directories and `wanted`:
/// before the first entry, and again as the walk goes on.
pub fn list_ahead(
    files: &Files,
    prefix: &[u8],
    rest: &[DirEntry],
    at: usize,
    wanted: impl Fn(&[u8]) -> bool,
) {
    if !at.is_multiple_of(AHEAD / 2) || !files.prefetches() {
        return;
    }
    let next = rest.iter().take(2 * AHEAD).filter(|e| e.kind == FileKind::Directory);
    let paths: Vec<Bytes> =
        next.map(|e| Bytes::from([prefix, &e.name].concat())).filter(|path| wanted(path)).collect();
    if paths.len() > 1 {
        files.prefetch(&paths);
    }
}

/// A walk through one tree.
pub struct Walk<'f, F> {
    files: &'f Files,
    filter: F,
    follow: bool,
    path: Vec<u8>,
    levels: Vec<Level>,
    /// Bytes cut from the front of each path.
    cut: usize,
}

impl<'f, F: Filter> Walk<'f, F> {
    /// Starts at the directory `path`. With `cut`, paths are given without `./` in front.
    pub fn new(
        files: &'f Files,
        path: &[u8],
        follow: bool,
        cut: bool,
        filter: F,
        out: &mut Vec<Found>,
    ) -> Result<Walk<'f, F>> {
        let mut walk = Walk {
            files,
            filter,
            follow,
            path: path.to_vec(),
            levels: Vec::new(),
            cut: if cut && path == b"." { 2 } else { 0 },
        };
        walk.enter(out)?;
        Ok(walk)
    }

    fn enter(&mut self, out: &mut Vec<Found>) -> Result<()> {
        let id = match self.follow {
            true => self.files.stat_cheap(&self.path, true).map_or((0, 0), |(s, _)| (s.dev, s.ino)),
            false => (0, 0),
        };
        if self.follow && id != (0, 0) && self.levels.iter().any(|l| l.id == id) {
            self.filter.leave();
            return Ok(());
        }
        let entries = match self.files.read_dir(&self.path) {
            Ok(entries) => entries,
            Err(e @ Error::Os(_)) => {
                out.push(Found::Failed(Bytes::copy_from_slice(&self.path), e));
                Vec::new()
            }
            Err(stop) => return Err(stop),
        };
        out.extend(self.files.take_notes().into_iter().map(Found::Note));
        while self.path.len() > 1 && self.path.ends_with(b"//") {
            self.path.pop();
        }
        if !self.path.ends_with(b"/") {
            self.path.push(b'/');
        }
        self.levels.push(Level { entries: entries.into_iter(), at: 0, prefix: self.path.len(), id });
        Ok(())
    }

    /// The next files, having asked for them ahead. Empty at the end.
    pub fn next_batch(&mut self) -> Result<Vec<Found>> {
        let mut out = Vec::new();
        while out.len() < AHEAD {
            self.files.budget().step()?;
            let Some(level) = self.levels.last_mut() else { break };
            self.path.truncate(level.prefix);
            let (files, filter) = (self.files, &self.filter);
            list_ahead(files, &self.path, level.entries.as_slice(), level.at, |p| filter.may_enter(files, p));
            level.at += 1;
            let Some(entry) = level.entries.next() else {
                self.levels.pop();
                self.filter.leave();
                continue;
            };
            self.path.extend_from_slice(&entry.name);
            let kind = match entry.kind {
                FileKind::Symlink if self.follow => match self.files.stat_cheap(&self.path, true) {
                    Ok((s, _)) => s.kind,
                    Err(e @ Error::Os(_)) => {
                        if self.filter.accept(self.files, &self.path, &entry.name) {
                            out.push(Found::Failed(Bytes::copy_from_slice(&self.path[self.cut..]), e));
                        }
                        continue;
                    }
                    Err(stop) => return Err(stop),
                },
                kind => kind,
            };
            match kind {
                FileKind::Directory
                    if self.filter.enter(self.files, &self.path, &entry.name, self.levels.len()) =>
                {
                    self.enter(&mut out)?;
                }
                FileKind::File if self.filter.accept(self.files, &self.path, &entry.name) => {
                    out.push(Found::File(Bytes::copy_from_slice(&self.path[self.cut..])));
                }
                _ => {}
            }
        }
        let paths: Vec<Bytes> = out
            .iter()
            .filter_map(|f| match f {
                Found::File(path) => Some(path.clone()),
                _ => None,
            })
            .collect();
        if paths.len() > 1 {
            self.files.prefetch(&paths);
        }
        Ok(out)
    }
}
