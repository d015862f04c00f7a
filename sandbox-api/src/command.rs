//! Commands of a sandbox: what a file cannot be — an action with an effect, a lookup over more names than could be
//! listed, a computation that belongs on the server.

use crate::{BoxFuture, Bytes, Result, Scope, async_trait};
use std::{fmt, future::Future, io, sync::Arc, time::SystemTime};

/// A command that scripts call like any program: with arguments, in pipes, with redirections.
///
/// ```
/// use sandshell_api::{Command, Reply};
///
/// let upper = Command::new("upper", "upper: prints its standard input in capitals", async |call| {
///     Ok(Reply::text(call.stdin_text().await?.to_uppercase()))
/// });
/// assert_eq!(upper.name(), "upper");
/// ```
#[derive(Clone)]
pub struct Command {
    name: String,
    usage: String,
    handler: Arc<dyn Fn(Call) -> BoxFuture<Result<Reply>> + Send + Sync>,
    approval: Option<String>,
}

impl Command {
    /// A command. `usage` is all that the model learns about it: write the shape of its arguments, what it does and
    /// when to use it instead of reading a file. An `Err` of the handler is reported as a fault of the command; wrong
    /// use is answered with [`Call::fail`].
    pub fn new<F, Fut>(name: impl Into<String>, usage: impl Into<String>, handler: F) -> Command
    where
        F: Fn(Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Reply>> + Send + 'static,
    {
        Command {
            name: name.into(),
            usage: usage.into(),
            handler: Arc::new(move |call| Box::pin(handler(call))),
            approval: None,
        }
    }

    /// Asks the host's [`Approver`](crate::Approver) each time before the handler runs; `summary` tells what would
    /// happen. On a host without one the command fails and says so.
    pub fn needs_approval(mut self, summary: impl Into<String>) -> Command {
        self.approval = Some(summary.into());
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its usage text.
    pub fn usage(&self) -> &str {
        &self.usage
    }

    /// The summary of what has to be approved, if it has to.
    pub fn approval(&self) -> Option<&str> {
        self.approval.as_deref()
    }

    /// Runs its handler.
    pub fn call(&self, call: Call) -> BoxFuture<Result<Reply>> {
        (self.handler)(call)
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("name", &self.name).finish_non_exhaustive()
    }
}

/// One call of a [`Command`]. Cloning is cheap.
#[derive(Clone)]
pub struct Call(Arc<CallParts>);

/// What a host puts into a [`Call`].
pub struct CallParts {
    /// The scope of the running script.
    pub scope: Scope,
    /// The name it was called by.
    pub name: String,
    /// The arguments, without the name.
    pub args: Vec<Bytes>,
    /// The arguments as text; bytes that are not UTF-8 are replaced.
    pub text_args: Vec<String>,
    /// The exported variables.
    pub env: Vec<(Bytes, Bytes)>,
    /// The absolute path of the current directory.
    pub cwd: String,
    /// Standard input.
    pub stdin: Arc<dyn Stdin>,
    /// The files.
    pub files: Arc<dyn FileAccess>,
}

impl Call {
    /// A call, made by a host (or by a test of a handler).
    pub fn new(parts: CallParts) -> Call {
        Call(Arc::new(parts))
    }

    /// The scope of the running script: the user, the chat, whatever the host attached.
    pub fn scope(&self) -> &Scope {
        &self.0.scope
    }

    /// The name it was called by.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The arguments as text, without the name.
    pub fn args(&self) -> &[String] {
        &self.0.text_args
    }

    /// The arguments as bytes.
    pub fn raw_args(&self) -> &[Bytes] {
        &self.0.args
    }

    /// All of standard input. Nothing is read unless this is called, so that a command in a `while read` loop leaves
    /// the loop its lines. A second call gives nothing more.
    pub async fn stdin(&self) -> Result<Bytes> {
        self.0.stdin.read_all().await.map_err(Into::into)
    }

    /// All of standard input as text; bytes that are not UTF-8 are replaced.
    pub async fn stdin_text(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.stdin().await?).into_owned())
    }

    /// The absolute path of the directory the script is in.
    pub fn cwd(&self) -> &str {
        &self.0.cwd
    }

    /// The value of an exported variable.
    pub fn env(&self, name: &str) -> Option<&[u8]> {
        self.0.env.iter().find(|(n, _)| n == name.as_bytes()).map(|(_, v)| &v[..])
    }

    /// All exported variables.
    pub fn env_vars(&self) -> &[(Bytes, Bytes)] {
        &self.0.env
    }

    /// The files as the script sees them, under the same rules.
    pub fn files(&self) -> Files<'_> {
        Files(&*self.0.files)
    }

    /// Ends when nobody waits for the answer any more.
    pub async fn cancelled(&self) {
        self.0.scope.cancelled().await;
    }

    /// Wrong use or a refusal: the message on standard error (after the command's name) and status 1, so that a
    /// script that goes on with `&&` stops there. `return call.fail("usage: …")`.
    pub fn fail(&self, message: impl fmt::Display) -> Result<Reply> {
        Ok(Reply::new().with_stderr(format!("{}: {message}\n", self.0.name)).with_status(1))
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("name", &self.0.name)
            .field("args", &self.0.text_args)
            .finish_non_exhaustive()
    }
}

/// What a command prints and its exit status.
///
/// ```
/// use sandshell_api::Reply;
///
/// let r = Reply::text("2 rows\n").with_stderr("1 row was skipped\n").with_status(3);
/// assert_eq!((r.stdout(), r.stderr(), r.status()), (&b"2 rows\n"[..], &b"1 row was skipped\n"[..], 3));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    stdout: Bytes,
    stderr: Bytes,
    status: u8,
}

impl Reply {
    /// Nothing printed, status 0.
    pub fn new() -> Reply {
        Reply::default()
    }

    /// This on standard output, status 0. Nothing is added: end it with a newline.
    pub fn text(text: impl Into<String>) -> Reply {
        Reply::bytes(text.into())
    }

    /// These bytes on standard output, status 0.
    pub fn bytes(bytes: impl Into<Bytes>) -> Reply {
        Reply { stdout: bytes.into(), ..Reply::default() }
    }

    /// This on standard error too.
    pub fn with_stderr(mut self, text: impl Into<Bytes>) -> Reply {
        self.stderr = text.into();
        self
    }

    /// This exit status.
    pub fn with_status(mut self, status: u8) -> Reply {
        self.status = status;
        self
    }

    /// What goes to standard output.
    pub fn stdout(&self) -> &[u8] {
        &self.stdout
    }

    /// What goes to standard error.
    pub fn stderr(&self) -> &[u8] {
        &self.stderr
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        self.status
    }

    /// Its parts: standard output, standard error, status.
    pub fn into_parts(self) -> (Bytes, Bytes, u8) {
        (self.stdout, self.stderr, self.status)
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Reply {
        Reply::text(text)
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Reply {
        Reply::text(text)
    }
}

/// Standard input of a call, implemented by the host.
#[async_trait]
pub trait Stdin: Send + Sync {
    /// Reads to the end; afterwards nothing is left.
    async fn read_all(&self) -> io::Result<Bytes>;
}

/// What a command may do with files, implemented by the host. Paths may be relative to the script's directory. Errors
/// are those of the system: `NotFound`, `ReadOnlyFilesystem`, `IsADirectory` and so on.
#[async_trait]
pub trait FileAccess: Send + Sync {
    /// The whole content.
    async fn read(&self, path: &str) -> io::Result<Bytes>;
    /// Creates or replaces a file.
    async fn write(&self, path: &str, content: Bytes) -> io::Result<()>;
    /// Creates a file or extends it.
    async fn append(&self, path: &str, content: Bytes) -> io::Result<()>;
    /// Metadata, following links.
    async fn stat(&self, path: &str) -> io::Result<FileInfo>;
    /// The entries of a directory, sorted by name.
    async fn list(&self, path: &str) -> io::Result<Vec<FileInfo>>;
    /// Removes a file or an empty directory.
    async fn remove(&self, path: &str) -> io::Result<()>;
    /// Makes a directory and those above it.
    async fn create_directory(&self, path: &str) -> io::Result<()>;
    /// The absolute path, with `.` and `..` taken out; nothing is looked at.
    fn resolve(&self, path: &str) -> String;
}

/// What a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// The last segment of the path.
    pub name: String,
    /// Whether it is a directory.
    pub directory: bool,
    /// Size in bytes; 0 in a listing where it is not known without reading the file.
    pub size: u64,
    /// The last change.
    pub modified: SystemTime,
}

/// The files of a [`Call`]: the sandbox's own filesystem as the script sees it. A write to a read-only mount is
/// refused as `echo > file` would be; the state of a command can simply be a file.
#[derive(Clone, Copy)]
pub struct Files<'a>(&'a dyn FileAccess);

impl Files<'_> {
    /// The content of a file.
    pub async fn read(&self, path: &str) -> io::Result<Bytes> {
        self.0.read(path).await
    }

    /// The content of a file as text; bytes that are not UTF-8 are replaced.
    pub async fn read_text(&self, path: &str) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&self.0.read(path).await?).into_owned())
    }

    /// Creates or replaces a file.
    pub async fn write(&self, path: &str, content: impl Into<Bytes>) -> io::Result<()> {
        self.0.write(path, content.into()).await
    }

    /// Creates a file or extends it.
    pub async fn append(&self, path: &str, content: impl Into<Bytes>) -> io::Result<()> {
        self.0.append(path, content.into()).await
    }

    /// Whether there is something at this path.
    pub async fn exists(&self, path: &str) -> bool {
        self.0.stat(path).await.is_ok()
    }

    /// What is at this path.
    pub async fn stat(&self, path: &str) -> io::Result<FileInfo> {
        self.0.stat(path).await
    }

    /// The entries of a directory, sorted by name.
    pub async fn list(&self, path: &str) -> io::Result<Vec<FileInfo>> {
        self.0.list(path).await
    }

    /// Removes a file or an empty directory.
    pub async fn remove(&self, path: &str) -> io::Result<()> {
        self.0.remove(path).await
    }

    /// Makes a directory and those above it.
    pub async fn create_directory(&self, path: &str) -> io::Result<()> {
        self.0.create_directory(path).await
    }

    /// The absolute path of `path`, seen from the script's directory.
    pub fn resolve(&self, path: &str) -> String {
        self.0.resolve(path)
    }
}
