//! Files and directory entries, as readers return them.

use crate::{BoxFuture, Bytes, Result};
use serde::Serialize;
use std::{fmt, future::Future, sync::Arc, time::SystemTime};

/// One file of a Live or Cached mount. The directories between the files come from their paths.
///
/// ```
/// use sandshell_api::File;
///
/// let files = [
///     File::text("README.md", "# People\n"),
///     File::json("people/ada.json", &["Ada", "Lovelace"]),
///     File::lazy("people/ada.txt", || async { Ok("a long story\n") }).size(13),
/// ];
/// assert_eq!(files[1].path(), "people/ada.json");
/// ```
#[derive(Clone, Debug)]
pub struct File {
    path: String,
    body: Body,
    size: Option<u64>,
    modified: Option<SystemTime>,
    mode: Option<u32>,
}

/// The content of a [`File`].
#[derive(Clone, Debug)]
pub enum Body {
    /// Here already.
    Ready(Bytes),
    /// Produced when it is first read, then kept as long as the listing.
    Lazy(LazyBody),
    /// It cannot be produced; reading it gives this message as content and on standard error.
    Failed(String),
}

/// Produces a content on demand.
#[derive(Clone)]
pub struct LazyBody(Arc<dyn Fn() -> BoxFuture<Result<Bytes>> + Send + Sync>);

impl LazyBody {
    /// Starts producing it.
    pub fn produce(&self) -> BoxFuture<Result<Bytes>> {
        (self.0)()
    }
}

impl fmt::Debug for LazyBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyBody")
    }
}

impl File {
    fn new(path: impl Into<String>, body: Body) -> File {
        File { path: path.into(), body, size: None, modified: None, mode: None }
    }

    /// A file of text. `path` is relative to the mount, e.g. `people/ada.txt`.
    pub fn text(path: impl Into<String>, text: impl Into<String>) -> File {
        File::bytes(path, text.into())
    }

    /// A file of bytes.
    pub fn bytes(path: impl Into<String>, bytes: impl Into<Bytes>) -> File {
        File::new(path, Body::Ready(bytes.into()))
    }

    /// A file of JSON, indented, with a newline at its end. A value that cannot be serialised (a map whose keys are
    /// not strings) gives a file that says so.
    pub fn json(path: impl Into<String>, value: &(impl Serialize + ?Sized)) -> File {
        let body = match serde_json::to_vec_pretty(value) {
            Ok(mut text) => {
                text.push(b'\n');
                Body::Ready(text.into())
            }
            Err(e) => Body::Failed(format!("not JSON: {e}")),
        };
        File::new(path, body)
    }

    /// A file whose content is produced when something reads it, and then kept as long as the listing. Give its
    /// [`size`](File::size) if it is known: `ls -l` then needs no content.
    pub fn lazy<F, Fut, T>(path: impl Into<String>, content: F) -> File
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
        T: Into<Bytes>,
    {
        let produce = move || -> BoxFuture<Result<Bytes>> {
            let future = content();
            Box::pin(async move { Ok(future.await?.into()) })
        };
        File::new(path, Body::Lazy(LazyBody(Arc::new(produce))))
    }

    /// Tells the size in bytes of a lazy file. It must be right: `ls -l` and `find -size` believe it.
    pub fn size(mut self, bytes: u64) -> File {
        self.size = Some(bytes);
        self
    }

    /// Tells when the file was last changed; without it, the time of the listing.
    pub fn modified(mut self, at: SystemTime) -> File {
        self.modified = Some(at);
        self
    }

    /// Permission bits, e.g. `0o755` for a script; `0o644` without it.
    pub fn mode(mut self, bits: u32) -> File {
        self.mode = Some(bits & 0o7777);
        self
    }

    /// The path relative to the mount.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The content.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The size in bytes, when it is known without producing the content.
    pub fn known_size(&self) -> Option<u64> {
        match &self.body {
            Body::Ready(bytes) => Some(bytes.len() as u64),
            _ => self.size,
        }
    }

    /// The time of the last change, if told.
    pub fn modified_at(&self) -> Option<SystemTime> {
        self.modified
    }

    /// The permission bits, if told.
    pub fn mode_bits(&self) -> Option<u32> {
        self.mode
    }
}

/// What a lazy mount's `list` returns: the entries of one directory, in any order.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    entries: Vec<Entry>,
}

impl Directory {
    /// A directory of these entries.
    ///
    /// ```
    /// use sandshell_api::{Directory, Entry};
    ///
    /// let d = Directory::of(["2026-01-01", "2026-01-02"].map(Entry::directory));
    /// assert_eq!(d.entries().len(), 2);
    /// ```
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Directory {
        Directory { entries: entries.into_iter().collect() }
    }

    /// Its entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

impl FromIterator<Entry> for Directory {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Directory {
        Directory::of(entries)
    }
}

/// One name in a directory of a lazy mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    name: String,
    directory: bool,
    size: Option<u64>,
    modified: Option<SystemTime>,
    mode: Option<u32>,
}

impl Entry {
    fn new(name: impl Into<String>, directory: bool) -> Entry {
        Entry { name: name.into(), directory, size: None, modified: None, mode: None }
    }

    /// A file; `name` is one path segment.
    pub fn file(name: impl Into<String>) -> Entry {
        Entry::new(name, false)
    }

    /// A directory; `name` is one path segment.
    pub fn directory(name: impl Into<String>) -> Entry {
        Entry::new(name, true)
    }

    /// Tells the size in bytes of a file: `ls -l` then needs no read. It must be right.
    pub fn size(mut self, bytes: u64) -> Entry {
        self.size = Some(bytes);
        self
    }

    /// Tells when it was last changed.
    pub fn modified(mut self, at: SystemTime) -> Entry {
        self.modified = Some(at);
        self
    }

    /// Permission bits; without it `0o644`, `0o755` for a directory.
    pub fn mode(mut self, bits: u32) -> Entry {
        self.mode = Some(bits & 0o7777);
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.directory
    }

    /// The size in bytes, if told.
    pub fn known_size(&self) -> Option<u64> {
        self.size
    }

    /// The time of the last change, if told.
    pub fn modified_at(&self) -> Option<SystemTime> {
        self.modified
    }

    /// The permission bits, if told.
    pub fn mode_bits(&self) -> Option<u32> {
        self.mode
    }
}
