//! What a command's [`Call`](sandshell_api::Call) reaches of the running script: its standard input and its files.
//! Both block, so each operation runs on a thread of the kernel's pool and never on the host's runtime.

use parking_lot::Mutex;
use sandshell_api::{Bytes, FileAccess, FileInfo, Stdin, async_trait};
use sandshell_kernel::{Budget, Errno, Error, Fd, FdTable, Files, Input, Process, Result, Stat, threads};
use std::{
    io,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::sync::oneshot;

/// Runs `work` on a thread of the pool.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> io::Result<T> {
    let (send, receive) = oneshot::channel();
    threads::start(move || send.send(work()).is_ok())?;
    Ok(receive.await.map_err(|_| Error::Os(Errno::EIO))??)
}

/// Standard input of a call.
pub(crate) struct ScriptStdin(Mutex<Option<(Fd, Budget)>>);

impl ScriptStdin {
    pub(crate) fn new(process: &Process) -> ScriptStdin {
        ScriptStdin(Mutex::new(Some((process.stdin.fd().clone(), process.budget.clone()))))
    }

    /// Lets go of the descriptor, also when a handler kept its call: whoever writes into the pipe must see it closed.
    pub(crate) fn close(&self) {
        self.0.lock().take();
    }
}

#[async_trait]
impl Stdin for ScriptStdin {
    async fn read_all(&self) -> io::Result<Bytes> {
        let Some((fd, budget)) = self.0.lock().take() else { return Ok(Bytes::new()) };
        blocking(move || Input::new(fd, &budget).read_all()).await
    }
}

/// The files of a call. Cloned for each operation: a [`Files`] is one thread's.
pub(crate) struct ScriptFiles(Mutex<Files>);

impl ScriptFiles {
    pub(crate) fn new(files: &Files) -> ScriptFiles {
        let mut files = files.clone();
        // The descriptors are the process's: a kept call must not hold its pipes open.
        files.fds = FdTable::default();
        ScriptFiles(Mutex::new(files))
    }

    async fn with<T: Send + 'static>(
        &self,
        path: &str,
        work: impl FnOnce(&Files, &[u8]) -> Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let (files, path) = (self.0.lock().clone(), path.to_owned());
        blocking(move || work(&files, path.as_bytes())).await
    }
}

#[async_trait]
impl FileAccess for ScriptFiles {
    async fn read(&self, path: &str) -> io::Result<Bytes> {
        self.with(path, |files, path| files.read(path)).await
    }

    async fn write(&self, path: &str, content: Bytes) -> io::Result<()> {
        self.with(path, move |files, path| files.write(path, content)).await
    }

    async fn append(&self, path: &str, content: Bytes) -> io::Result<()> {
        self.with(path, move |files, path| {
            let mut output = files.append(path)?;
            output.chunk(content)?;
            output.flush()
        })
        .await
    }

    async fn stat(&self, path: &str) -> io::Result<FileInfo> {
        self.with(path, |files, path| {
            Ok(info(path.rsplit(|&b| b == b'/').next().unwrap_or(path), &files.stat(path)?))
        })
        .await
    }

    async fn list(&self, path: &str) -> io::Result<Vec<FileInfo>> {
        self.with(path, |files, path| {
            let mut all = Vec::new();
            for entry in files.read_dir(path)? {
                let full = [path, &entry.name[..]].join(&b'/');
                // A link that leads nowhere is listed as what it is.
                let (stat, _) = files.stat_cheap(&full, true).or_else(|_| files.stat_cheap(&full, false))?;
                all.push(info(&entry.name, &stat));
            }
            Ok(all)
        })
        .await
    }

    async fn remove(&self, path: &str) -> io::Result<()> {
        self.with(path, |files, path| match files.lstat(path)?.is_dir() {
            true => files.rmdir(path),
            false => files.unlink(path),
        })
        .await
    }

    async fn create_directory(&self, path: &str) -> io::Result<()> {
        self.with(path, make_directories).await
    }

    fn resolve(&self, path: &str) -> String {
        String::from_utf8_lossy(&self.0.lock().absolute(path.as_bytes())).into_owned()
    }
}

/// `mkdir -p`
pub(crate) fn make_directories(files: &Files, path: &[u8]) -> Result<()> {
    let path = files.absolute(path);
    for (at, _) in path.iter().enumerate().skip(1).filter(|&(_, &b)| b == b'/').chain([(path.len(), &b'/')]) {
        match files.mkdir(&path[..at], 0o777) {
            Ok(()) => {}
            Err(Error::Os(Errno::EEXIST | Errno::EROFS)) if files.stat(&path[..at])?.is_dir() => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn info(name: &[u8], stat: &Stat) -> FileInfo {
    let since = Duration::new(stat.mtime.seconds().max(0) as u64, stat.mtime.nanos());
    FileInfo {
        name: String::from_utf8_lossy(name).into_owned(),
        directory: stat.is_dir(),
        size: stat.size,
        modified: UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH),
    }
}
