//! The second pass of validation: the mounts are really listed, under a time limit. A reader that fails or hangs is a
//! warning: at run time its mount says so in `_ERROR.txt`, and the rest of the sandbox works.

use futures_util::future::{Either, join_all, select};
use sandshell_api::{Directory, File, Finding, Mount, Scope, Severity, Source, check_listing};
use sandshell_kernel::threads;
use std::{future::Future, path::Path, time::Duration};
use tokio::sync::oneshot;

/// Lists each mount once and tells what is wrong with it.
pub(crate) async fn probe(
    mounts: &[Mount],
    scope: &Scope,
    runtime: &tokio::runtime::Handle,
    limit: Duration,
) -> Vec<Finding> {
    let each = mounts.iter().map(|mount| probe_mount(mount, scope.clone(), runtime, limit));
    join_all(each).await.concat()
}

async fn probe_mount(
    mount: &Mount,
    scope: Scope,
    runtime: &tokio::runtime::Handle,
    limit: Duration,
) -> Vec<Finding> {
    let path = mount.path();
    match mount.source() {
        Source::Live(reader) | Source::Cached { reader, .. } => {
            match within(runtime, limit, lazily(reader.clone(), scope)).await {
                Ok(files) => check_listing(path, &files),
                Err(finding) => vec![finding.of(path)],
            }
        }
        Source::Lazy(source) => {
            let list = source.list_fn().clone();
            let listing = async move { list(scope, String::new()).await };
            match within(runtime, limit, listing).await {
                Ok(directory) => check_listing(path, &as_files(&directory))
                    .into_iter()
                    .filter(|f| f.code != "listing-long")
                    .chain(deep_names(path, &directory))
                    .collect(),
                Err(finding) => vec![finding.of(path)],
            }
        }
        Source::Directory(real) => check_directory(path, real),
        Source::Scratch => Vec::new(),
    }
}

/// Calls the reader within the future: a panic in the closure itself is then caught with the others.
async fn lazily(reader: sandshell_api::Reader, scope: Scope) -> sandshell_api::Result<Vec<File>> {
    reader(scope).await
}

fn as_files(directory: &Directory) -> Vec<File> {
    directory.entries().iter().map(|e| File::text(e.name(), "")).collect()
}

/// An entry is a name in its directory, not a path below it.
fn deep_names(path: &str, directory: &Directory) -> Vec<Finding> {
    let deep = directory.entries().iter().filter(|e| e.name().contains('/') && !e.name().starts_with('/'));
    deep.map(|e| Finding {
        code: "file-path".into(),
        severity: Severity::Error,
        subject: format!("{path}/{}", e.name()),
        reason: "the name of an entry contains `/`".into(),
        remedy: "list the directory alone, and what is in it when it is asked for".into(),
    })
    .collect()
}

fn check_directory(path: &str, real: &Path) -> Vec<Finding> {
    if real.is_dir() {
        return Vec::new();
    }
    vec![Finding {
        code: "directory-missing".into(),
        severity: Severity::Error,
        subject: path.into(),
        reason: format!("{} is no directory on this machine", real.display()),
        remedy: "create it, or correct the path".into(),
    }]
}

/// Why a listing did not come.
enum Fault {
    Failed(String),
    Panicked,
    Late(Duration),
}

impl Fault {
    fn of(self, mount: &str) -> Finding {
        let (code, reason, remedy) = match self {
            Fault::Failed(e) => (
                "reader-failed",
                format!("the reader failed: {e}"),
                "until it works, scripts find the message in `_ERROR.txt` of this mount",
            ),
            Fault::Panicked => (
                "reader-failed",
                "the reader panicked".into(),
                "return an error instead; until then scripts find `_ERROR.txt` in this mount",
            ),
            Fault::Late(limit) => (
                "reader-hangs",
                format!("the reader gave nothing within {limit:?}"),
                "make it faster, cap it, or use `Mount::lazy`; scripts wait for it up to their time limit",
            ),
        };
        Finding {
            code: code.into(),
            severity: Severity::Warning,
            subject: mount.into(),
            reason,
            remedy: remedy.into(),
        }
    }
}

/// Runs `work` on the host's runtime for `limit` at most. The clock is a thread: the runtime may have no timer.
async fn within<T: Send + 'static>(
    runtime: &tokio::runtime::Handle,
    limit: Duration,
    work: impl Future<Output = sandshell_api::Result<T>> + Send + 'static,
) -> Result<T, Fault> {
    let (ring, rung) = oneshot::channel::<()>();
    let clock = threads::start(move || {
        // Ends early when the other side is dropped.
        let start = std::time::Instant::now();
        while start.elapsed() < limit && !ring.is_closed() {
            std::thread::sleep(Duration::from_millis(10).min(limit));
        }
        drop(ring);
    });
    if clock.is_err() {
        return Err(Fault::Failed("no thread is free".into()));
    }
    let task = runtime.spawn(work);
    let abort = task.abort_handle();
    match select(task, rung).await {
        Either::Left((Ok(Ok(value)), _)) => Ok(value),
        Either::Left((Ok(Err(e)), _)) => Err(Fault::Failed(e.to_string())),
        Either::Left((Err(_), _)) => Err(Fault::Panicked),
        Either::Right(_) => {
            abort.abort();
            Err(Fault::Late(limit))
        }
    }
}
