//! A program and the process it runs as: arguments, environment, descriptors, files, and how it starts others.

use crate::{
    Budget, Bytes, Errno, Error, Fd, Files, Input, Output, Result, host_call::Host, stream::Description,
    stream::pipe, threads,
};
use sandshell_api::Scope;
use sandshell_text::options::Spec;
use std::{collections::BTreeMap, sync::Arc};

/// An exit status, 0 to 255.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Status(pub u8);

impl Status {
    /// 0
    pub const OK: Status = Status(0);
    /// 1
    pub const FAILURE: Status = Status(1);
    /// 2
    pub const USAGE: Status = Status(2);

    /// Whether it is 0.
    pub fn ok(self) -> bool {
        self.0 == 0
    }
}

/// A program: `ls`, `grep`. Written as plain synchronous Rust over its [`Process`].
pub trait Program: Send + Sync {
    /// Its name, options, help and examples: declared once.
    fn spec(&self) -> &'static Spec;

    /// Runs it. `Err(Error::Os)` from writing standard output may be passed up with `?`: whoever runs programs
    /// turns `EPIPE` into SIGPIPE's status and others into `NAME: write error: …`, status 1.
    fn run(&self, process: &mut Process) -> Result<Status>;
}

/// The exported variables, in the shell's order. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Env(Arc<Vec<(Bytes, Bytes)>>);

impl Env {
    /// From names and values.
    pub fn new(vars: Vec<(Bytes, Bytes)>) -> Env {
        Env(Arc::new(vars))
    }

    /// The value of `name`.
    pub fn get(&self, name: &str) -> Option<&Bytes> {
        self.0.iter().find(|(n, _)| n == name.as_bytes()).map(|(_, v)| v)
    }

    /// Sets or replaces `name`.
    pub fn set(&mut self, name: Bytes, value: Bytes) {
        let vars = Arc::make_mut(&mut self.0);
        match vars.iter_mut().find(|(n, _)| *n == name) {
            Some(v) => v.1 = value,
            None => vars.push((name, value)),
        }
    }

    /// Removes `name`.
    pub fn unset(&mut self, name: &[u8]) {
        Arc::make_mut(&mut self.0).retain(|(n, _)| n != name);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &(Bytes, Bytes)> {
        self.0.iter()
    }
}

/// File descriptors by number.
#[derive(Clone, Default)]
pub struct FdTable {
    low: [Option<Fd>; 10],
    high: BTreeMap<u32, Fd>,
}

impl FdTable {
    /// The highest number plus one, as `ulimit -n` says.
    pub const LIMIT: u32 = 1024;

    /// With 0, 1 and 2 open.
    pub fn new(stdin: Fd, stdout: Fd, stderr: Fd) -> FdTable {
        let mut t = FdTable::default();
        t.low[0] = Some(stdin);
        t.low[1] = Some(stdout);
        t.low[2] = Some(stderr);
        t
    }

    /// What descriptor `n` points to.
    #[inline]
    pub fn get(&self, n: u32) -> Option<&Fd> {
        match self.low.get(n as usize) {
            Some(slot) => slot.as_ref(),
            None => self.high.get(&n),
        }
    }

    /// Points `n` at `fd` (or closes it), returning what was there.
    pub fn set(&mut self, n: u32, fd: Option<Fd>) -> Option<Fd> {
        match (self.low.get_mut(n as usize), fd) {
            (Some(slot), fd) => std::mem::replace(slot, fd),
            (None, Some(fd)) => self.high.insert(n, fd),
            (None, None) => self.high.remove(&n),
        }
    }

    /// The lowest free number that is at least `from`; `EMFILE` past the limit.
    pub fn free(&self, from: u32) -> Result<u32> {
        (from..Self::LIMIT).find(|&n| self.get(n).is_none()).ok_or(Errno::EMFILE.into())
    }

    /// The open numbers, rising.
    pub fn open(&self) -> impl Iterator<Item = (u32, &Fd)> {
        let low = self.low.iter().enumerate().filter_map(|(n, f)| Some((n as u32, f.as_ref()?)));
        low.chain(self.high.iter().map(|(n, f)| (*n, f)))
    }
}

/// What all processes of one script share: who runs it, and how to reach the host.
#[derive(Clone)]
pub struct Run {
    /// A number that no other script of this process has.
    pub id: u64,
    /// The host's typed values, identity and cancellation.
    pub scope: Scope,
    /// The host's runtime; none where there is nothing to ask (tests, benches).
    pub host: Option<Host>,
    /// The commands that the host adds to this script.
    pub commands: Option<Arc<dyn HostCommands>>,
    /// What the mounts keep for this script.
    pub(crate) kept: Arc<crate::vfs::mounts::flight::Kept>,
}

/// The commands of a sandbox. A program that stands for one of them finds it here when it runs, so that programs can
/// be `'static` while commands come and go with their sandbox.
pub trait HostCommands: Send + Sync {
    /// Runs the command `name`, which may have been called by another name (a link).
    fn run(&self, name: &str, process: &mut Process) -> Result<Status>;
}

impl Run {
    /// A new script for `scope`.
    pub fn new(scope: Scope, host: Option<Host>) -> Arc<Run> {
        Run::with_commands(scope, host, None)
    }

    /// A new script with commands of the host.
    pub fn with_commands(
        scope: Scope,
        host: Option<Host>,
        commands: Option<Arc<dyn HostCommands>>,
    ) -> Arc<Run> {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        let id = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Arc::new(Run { id, scope, host, commands, kept: Arc::default() })
    }
}

/// A running program.
pub struct Process {
    /// `args[0]` is the name it was called by.
    pub args: Vec<Bytes>,
    /// The exported variables.
    pub env: Env,
    /// Standard input.
    pub stdin: Input,
    /// Standard output: buffered, flushed by whoever runs the program.
    pub stdout: Output,
    /// Standard error, unbuffered: use [`Process::error`].
    pub stderr: Fd,
    /// The filesystem as this process sees it: its directory, umask and descriptors.
    pub files: Files,
    /// Its limits.
    pub budget: Budget,
    /// `trap '' PIPE` was in force: a closed pipe is an error message and not SIGPIPE.
    pub ignores_sigpipe: bool,
    spawner: Arc<dyn Spawner>,
}

/// How to run another program: the shell's rules (functions are not seen, PATH and `#!` are).
pub trait Spawner: Send + Sync {
    /// Runs `spawn` to its end on this thread. A name that is not found gives status 127 and the message of
    /// the caller's kind is the caller's to print: [`Spawner::find`] tells first.
    fn run(&self, spawn: Spawn) -> Result<Status>;

    /// Whether `name` is a program here: its path (`/usr/bin/ls`, or a script in the tree). `ENOENT`, `EACCES`.
    fn find(&self, name: &[u8], env: &Env, files: &Files) -> Result<Bytes>;

    /// The programs of this sandbox, for `help` and `/bin`.
    fn programs(&self) -> &[&'static dyn Program];
}

/// A program to be started, with everything it will see.
#[derive(Clone)]
pub struct Spawn {
    /// Name and arguments. `sh -c TEXT` runs a shell.
    pub argv: Vec<Bytes>,
    /// Its environment.
    pub env: Env,
    /// Its directory, umask and descriptors (0, 1, 2 among them).
    pub files: Files,
    /// Its limits.
    pub budget: Budget,
    /// See [`Process::ignores_sigpipe`].
    pub ignores_sigpipe: bool,
}

/// A started program.
pub struct Child {
    join: threads::Join<Result<Status>>,
    budget: Budget,
}

impl Process {
    /// A process for `spawn`, whose descriptors 0, 1, 2 become its streams (closed ones read nothing and fail
    /// to be written with `EBADF`).
    pub fn new(spawn: Spawn, spawner: Arc<dyn Spawner>) -> Process {
        let Spawn { argv, env, files, budget, ignores_sigpipe } = spawn;
        let fd = |n| files.fds.get(n).cloned().unwrap_or_else(|| Arc::new(Closed) as Fd);
        Process {
            args: argv,
            env,
            stdin: Input::new(fd(0), &budget),
            stdout: Output::new(fd(1), &budget),
            stderr: fd(2),
            files,
            budget,
            ignores_sigpipe,
            spawner,
        }
    }

    /// The name it was called by, without directories.
    pub fn name(&self) -> String {
        let full = self.args.first().map_or(&b""[..], |a| a);
        let base = full.rsplit(|&b| b == b'/').next().unwrap_or(full);
        String::from_utf8_lossy(base).into_owned()
    }

    /// Writes to standard error at once; what standard output holds goes first, as glibc's `error` sees to.
    pub fn write_error(&mut self, text: &[u8]) -> Result<()> {
        self.stdout.flush()?;
        self.write_error_first(text)
    }

    /// Writes to standard error before what standard output still holds: for programs that print their messages with
    /// stdio (`bc`, `csplit`). At a terminal the order is that of the calls.
    pub fn write_error_first(&mut self, text: &[u8]) -> Result<()> {
        if self.stdout.fd().interactive() {
            self.stdout.flush()?;
        }
        match self.stderr.write_slice(&self.budget, text) {
            Err(Error::Os(_)) | Ok(()) => Ok(()),
            stop => stop,
        }
    }

    /// Prints `NAME: TEXT` and a newline on standard error.
    pub fn error(&mut self, text: std::fmt::Arguments<'_>) -> Result<()> {
        let line = format!("{}: {text}\n", self.name());
        self.write_error(line.as_bytes())
    }

    /// Prints `NAME: TEXT: strerror` for a failed call; a stop is passed up.
    pub fn complain(&mut self, text: std::fmt::Arguments<'_>, e: Error) -> Result<()> {
        match e {
            Error::Os(errno) => self.error(format_args!("{text}: {errno}")),
            stop => Err(stop),
        }
    }

    /// Opens an operand for reading: `-` is standard input (whose buffer is handed over).
    pub fn open_input(&mut self, name: &[u8]) -> Result<Input> {
        if name == b"-" {
            if self.files.fds.get(0).is_none() {
                return Err(Errno::EBADF.into());
            }
            let fd = self.stdin.fd().clone();
            return Ok(std::mem::replace(&mut self.stdin, Input::new(fd, &self.budget)));
        }
        self.files.open_read(name)
    }

    /// What a program started by this one gets: same environment, directory and descriptors.
    pub fn spawn(&self, argv: Vec<Bytes>) -> Spawn {
        Spawn {
            argv,
            env: self.env.clone(),
            files: self.files.clone(),
            budget: self.budget.clone(),
            ignores_sigpipe: self.ignores_sigpipe,
        }
    }

    /// The spawner, for `which` and `help`.
    pub fn spawner(&self) -> &Arc<dyn Spawner> {
        &self.spawner
    }

    /// Runs a program to its end on this thread. Standard output is flushed first.
    pub fn run(&mut self, spawn: Spawn) -> Result<Status> {
        self.stdout.flush()?;
        self.budget.step()?;
        self.spawner.clone().run(spawn)
    }

    /// Starts a program on a thread of its own. `EAGAIN` at the limit of stages.
    pub fn start(&mut self, mut spawn: Spawn) -> Result<Child> {
        self.stdout.flush()?;
        let place = self.budget.stage()?;
        spawn.budget = self.budget.child();
        let (spawner, budget) = (self.spawner.clone(), spawn.budget.clone());
        let join = threads::start(move || {
            let status = spawner.run(spawn);
            drop(place);
            status
        })?;
        Ok(Child { join, budget })
    }

    /// Starts `spawn` with its standard output on a pipe, and gives its reading end (`cmd | getline`).
    pub fn start_reading(&mut self, mut spawn: Spawn) -> Result<(Input, Child)> {
        let (reader, writer) = pipe::pipe();
        spawn.files.fds.set(1, Some(writer));
        let child = self.start(spawn)?;
        Ok((Input::new(reader, &self.budget), child))
    }

    /// Starts `spawn` with its standard input on a pipe, and gives its writing end (`print | cmd`).
    pub fn start_writing(&mut self, mut spawn: Spawn) -> Result<(Output, Child)> {
        let (reader, writer) = pipe::pipe();
        spawn.files.fds.set(0, Some(reader));
        let child = self.start(spawn)?;
        Ok((Output::new(writer, &self.budget), child))
    }
}

impl Child {
    /// Waits for its end. A stop of this child alone (`kill`) is its status.
    pub fn wait(&self, budget: &Budget) -> Result<Status> {
        pipe::promote_deferred();
        loop {
            if self.join.wait(std::time::Duration::from_millis(20)) {
                return match self.join.take().flatten() {
                    Some(Err(Error::Stop(s))) if self.budget.stopped() == Some(s) => Ok(Status(s.status())),
                    Some(r) => r,
                    None => Err(Errno::EIO.into()),
                };
            }
            if let Err(stop) = budget.check() {
                self.budget.stop(crate::Stop::Cancelled);
                return Err(stop);
            }
        }
    }

    /// Whether it has ended.
    pub fn done(&self) -> bool {
        self.join.done()
    }

    /// Stops it as a signal does.
    pub fn kill(&self, signal: u8) {
        self.budget.stop(crate::Stop::Signal(signal));
    }
}

/// A descriptor that is not open.
struct Closed;

impl Description for Closed {
    fn stat(&self, _: &Budget) -> Result<crate::Stat> {
        Err(Errno::EBADF.into())
    }

    fn access(&self) -> crate::stream::Access {
        crate::stream::Access { read: false, write: false }
    }
}
