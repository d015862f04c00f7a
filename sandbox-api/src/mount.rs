//! Mounts: where files come from and how long what a reader gave is kept.

use crate::{BoxFuture, Bytes, Directory, Entry, File, Result, Scope};
use std::{fmt, future::Future, path::PathBuf, sync::Arc, time::Duration};

/// Gives the whole list of files of a Live or Cached mount.
pub type Reader = Arc<dyn Fn(Scope) -> BoxFuture<Result<Vec<File>>> + Send + Sync>;
/// Lists one directory of a lazy mount; the path is relative to the mount, empty for its root.
pub type ListFn = Arc<dyn Fn(Scope, String) -> BoxFuture<Result<Directory>> + Send + Sync>;
/// Reads one file of a lazy mount.
pub type ReadFn = Arc<dyn Fn(Scope, String) -> BoxFuture<Result<Bytes>> + Send + Sync>;
/// Tells what a path of a lazy mount is; `None` when there is nothing.
pub type StatFn = Arc<dyn Fn(Scope, String) -> BoxFuture<Result<Option<Entry>>> + Send + Sync>;
/// Reads bytes `offset..offset + len` of a file of a lazy mount; shorter at its end.
pub type ReadRangeFn = Arc<dyn Fn(Scope, String, u64, u64) -> BoxFuture<Result<Bytes>> + Send + Sync>;
/// Names the files below a directory that can contain a text.
pub type SearchFn = Arc<dyn Fn(Scope, String, Bytes) -> BoxFuture<Result<Vec<String>>> + Send + Sync>;

/// A directory under the root, and what fills it.
///
/// | kind | the reader runs | what it gave is kept for |
/// | --- | --- | --- |
/// | [`live`](Mount::live) | at the first touch in a script, at most once per script | that script |
/// | [`cached`](Mount::cached) | at the first touch; one run shared by equal scope identities | its time to live |
/// | [`lazy`](Mount::lazy) | per directory listed and per file read | that script |
/// | [`directory`](Mount::directory) | never; files of the host's disk | – |
/// | [`scratch`](Mount::scratch) | never | – |
///
/// Scratch is writable. The others are read-only unless [`writable`](Mount::writable), and even then a write reaches
/// the session and nothing else.
#[derive(Clone)]
pub struct Mount {
    path: String,
    about: String,
    source: Source,
    writable: bool,
}

/// What fills a mount.
#[derive(Clone)]
pub enum Source {
    /// [`Mount::live`]
    Live(Reader),
    /// [`Mount::cached`]
    Cached {
        /// How long a listing and what was read of it stays good.
        ttl: Duration,
        /// Gives the files.
        reader: Reader,
    },
    /// [`Mount::lazy`]
    Lazy(LazySource),
    /// [`Mount::directory`]
    Directory(PathBuf),
    /// [`Mount::scratch`]
    Scratch,
}

impl Mount {
    fn new(path: impl Into<String>, about: impl Into<String>, source: Source) -> Mount {
        Mount { path: path.into(), about: about.into(), writable: matches!(source, Source::Scratch), source }
    }

    /// Files that are read anew by every script that touches them: the right default for data that changes.
    /// `path` is one absolute segment such as `/vehicles`; `about` is a few words that the model reads.
    ///
    /// ```
    /// use sandshell_api::{File, Mount};
    ///
    /// let m = Mount::live("/notes", "one file per note", |_scope| async {
    ///     Ok(vec![File::text("today.md", "buy milk\n")])
    /// });
    /// assert_eq!((m.path(), m.kind(), m.is_writable()), ("/notes", "live", false));
    /// ```
    pub fn live<F, Fut>(path: impl Into<String>, about: impl Into<String>, reader: F) -> Mount
    where
        F: Fn(Scope) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<File>>> + Send + 'static,
    {
        Mount::new(path, about, Source::Live(boxed_reader(reader)))
    }

    /// Files that are expensive to list and change rarely: kept for `ttl`, shared between runs whose scopes have
    /// equal identities. A run without an identity shares with its own session only. A failure is not kept.
    pub fn cached<F, Fut>(
        path: impl Into<String>,
        about: impl Into<String>,
        ttl: Duration,
        reader: F,
    ) -> Mount
    where
        F: Fn(Scope) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<File>>> + Send + 'static,
    {
        Mount::new(path, about, Source::Cached { ttl, reader: boxed_reader(reader) })
    }

    /// A tree too large to list: directories are listed one by one and files read one by one, when touched.
    pub fn lazy(path: impl Into<String>, about: impl Into<String>, source: LazySource) -> Mount {
        Mount::new(path, about, Source::Lazy(source))
    }

    /// A directory of the host's disk. Symbolic links cannot lead out of it; large files are read by ranges.
    pub fn directory(
        path: impl Into<String>,
        about: impl Into<String>,
        directory: impl Into<PathBuf>,
    ) -> Mount {
        Mount::new(path, about, Source::Directory(directory.into()))
    }

    /// An empty, writable directory, kept with the session.
    pub fn scratch(path: impl Into<String>, about: impl Into<String>) -> Mount {
        Mount::new(path, about, Source::Scratch)
    }

    /// Lets scripts change the files: in their session only (copy-on-write), never at their source.
    pub fn writable(mut self) -> Mount {
        self.writable = true;
        self
    }

    /// Where it is, e.g. `/vehicles`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What the model reads about it.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// What fills it.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whether scripts can write below it.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// `live`, `cached`, `lazy`, `directory` or `scratch`.
    pub fn kind(&self) -> &'static str {
        match self.source {
            Source::Live(_) => "live",
            Source::Cached { .. } => "cached",
            Source::Lazy(_) => "lazy",
            Source::Directory(_) => "directory",
            Source::Scratch => "scratch",
        }
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount")
            .field("path", &self.path)
            .field("kind", &self.kind())
            .field("writable", &self.writable)
            .finish_non_exhaustive()
    }
}

fn boxed_reader<F, Fut>(reader: F) -> Reader
where
    F: Fn(Scope) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Vec<File>>> + Send + 'static,
{
    Arc::new(move |scope| Box::pin(reader(scope)))
}

/// The functions behind a [`Mount::lazy`]. Paths are relative to the mount, without a slash at either end; the root is
/// the empty string. `list` and `read` are enough; the others save time.
///
/// ```
/// use sandshell_api::{Directory, Entry, LazySource, Mount};
///
/// let source = LazySource::new(
///     |_scope, dir| async move {
///         Ok(match dir.as_str() {
///             "" => Directory::of([Entry::directory("squares")]),
///             _ => (1..=100).map(|n| Entry::file(n.to_string())).collect(),
///         })
///     },
///     |_scope, path| async move {
///         let n: u64 = path.trim_start_matches("squares/").parse()?;
///         Ok(format!("{}\n", n * n))
///     },
/// );
/// let mount = Mount::lazy("/numbers", "the squares of the numbers up to 100", source);
/// assert_eq!(mount.kind(), "lazy");
/// ```
#[derive(Clone)]
pub struct LazySource {
    list: ListFn,
    read: ReadFn,
    stat: Option<StatFn>,
    read_range: Option<ReadRangeFn>,
    search: Option<SearchFn>,
}

impl LazySource {
    /// `list(scope, directory)` gives the entries of one directory, `read(scope, path)` the content of one file. An
    /// [`std::io::Error`] of kind `NotFound` says that there is no such directory or file; any other error is shown
    /// to the model.
    pub fn new<L, LFut, R, RFut, T>(list: L, read: R) -> LazySource
    where
        L: Fn(Scope, String) -> LFut + Send + Sync + 'static,
        LFut: Future<Output = Result<Directory>> + Send + 'static,
        R: Fn(Scope, String) -> RFut + Send + Sync + 'static,
        RFut: Future<Output = Result<T>> + Send + 'static,
        T: Into<Bytes>,
    {
        LazySource {
            list: Arc::new(move |scope, dir| Box::pin(list(scope, dir))),
            read: Arc::new(move |scope, path| {
                let content = read(scope, path);
                Box::pin(async move { Ok(content.await?.into()) })
            }),
            stat: None,
            read_range: None,
            search: None,
        }
    }

    /// `stat(scope, path)` tells what one path is, or `None`: saves listing its directory, and makes paths reachable
    /// that no listing names.
    pub fn stat<F, Fut>(mut self, stat: F) -> LazySource
    where
        F: Fn(Scope, String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<Entry>>> + Send + 'static,
    {
        self.stat = Some(Arc::new(move |scope, path| Box::pin(stat(scope, path))));
        self
    }

    /// `read_range(scope, path, offset, len)` reads a part (in bytes), so that `head` of a large file fetches little.
    pub fn read_range<F, Fut, T>(mut self, read_range: F) -> LazySource
    where
        F: Fn(Scope, String, u64, u64) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
        T: Into<Bytes>,
    {
        self.read_range = Some(Arc::new(move |scope, path, offset, len| {
            let content = read_range(scope, path, offset, len);
            Box::pin(async move { Ok(content.await?.into()) })
        }));
        self
    }

    /// `search(scope, directory, literal)` names the files below `directory` whose content can hold the literal: a
    /// superset, as paths relative to the mount. `grep -r` then reads these only.
    pub fn search<F, Fut>(mut self, search: F) -> LazySource
    where
        F: Fn(Scope, String, Bytes) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<String>>> + Send + 'static,
    {
        self.search = Some(Arc::new(move |scope, dir, literal| Box::pin(search(scope, dir, literal))));
        self
    }

    /// Lists a directory.
    pub fn list_fn(&self) -> &ListFn {
        &self.list
    }

    /// Reads a file.
    pub fn read_fn(&self) -> &ReadFn {
        &self.read
    }

    /// Tells what a path is, if the source can.
    pub fn stat_fn(&self) -> Option<&StatFn> {
        self.stat.as_ref()
    }

    /// Reads a part of a file, if the source can.
    pub fn read_range_fn(&self) -> Option<&ReadRangeFn> {
        self.read_range.as_ref()
    }

    /// Searches, if the source can.
    pub fn search_fn(&self) -> Option<&SearchFn> {
        self.search.as_ref()
    }
}

impl fmt::Debug for LazySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazySource")
            .field("stat", &self.stat.is_some())
            .field("read_range", &self.read_range.is_some())
            .field("search", &self.search.is_some())
            .finish_non_exhaustive()
    }
}
