//! What all shells and programs of one running script share, and how programs are found and run.

use super::jobs::{Proc, Signals};
use bytes::Bytes;
use hashbrown::HashMap;
use parking_lot::Mutex;
use sandshell_kernel::{
    Budget, Env, Errno, Error, FileKind, Files, Process, Program, Result, Run, Spawn, Spawner, Status,
    threads::Join, vfs::Permission,
};
use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Weak,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

/// The programs that scripts can run, by name.
#[derive(Clone, Default)]
pub struct ProgramTable {
    fixed: HashMap<&'static [u8], &'static dyn Program, foldhash::fast::RandomState>,
    list: Vec<&'static dyn Program>,
}

impl ProgramTable {
    /// A table of `programs`, by the names of their specs.
    pub fn new(programs: &[&'static dyn Program]) -> ProgramTable {
        let fixed = programs.iter().map(|p| (p.spec().name.as_bytes(), *p)).collect();
        ProgramTable { fixed, list: programs.to_vec() }
    }

    /// A second name for a program (`egrep`).
    pub fn alias(&mut self, name: &'static str, program: &'static dyn Program) {
        self.fixed.insert(name.as_bytes(), program);
    }

    /// Whether `name` is one.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.fixed.contains_key(name) || matches!(name, b"sh" | b"bash")
    }

    /// All names, sorted.
    pub fn names(&self) -> Vec<Bytes> {
        let mut all: Vec<Bytes> = self.fixed.keys().map(|n| Bytes::from_static(n)).collect();
        all.extend([Bytes::from_static(b"bash"), Bytes::from_static(b"sh")]);
        all.sort();
        all.dedup();
        all
    }

    fn get(&self, name: &[u8]) -> Option<Runnable> {
        if let Some(p) = self.fixed.get(name) {
            return Some(Runnable::Program(*p));
        }
        matches!(name, b"sh" | b"bash").then_some(Runnable::Shell)
    }
}

/// What a path can be run as.
pub enum Runnable {
    /// A program of the sandbox.
    Program(&'static dyn Program),
    /// bash itself.
    Shell,
    /// A file of the tree, with its content.
    File(Bytes),
}

/// Why a path cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRunnable {
    /// The call failed: no such file, no permission, a directory.
    Os(Errno),
    /// `#!` names something that is not there.
    Interpreter(Bytes),
    /// Neither text nor a program of ours.
    Binary,
}

/// Shared by all shells, stages and jobs of one script.
pub struct Script {
    me: Weak<Script>,
    /// The programs.
    pub programs: Arc<ProgramTable>,
    /// The host's scope.
    pub run: Arc<Run>,
    /// What `hostname` says.
    pub hostname: Arc<str>,
    procs: Mutex<BTreeMap<u32, Proc>>,
    background: Mutex<Vec<Join<u8>>>,
    next_pid: AtomicU32,
}

impl Script {
    /// A new script.
    pub fn new(
        programs: Arc<ProgramTable>,
        run: Arc<Run>,
        hostname: Arc<str>,
        first_pid: u32,
    ) -> Arc<Script> {
        Arc::new_cyclic(|me| Script {
            me: me.clone(),
            programs,
            run,
            hostname,
            procs: Mutex::default(),
            background: Mutex::default(),
            next_pid: AtomicU32::new(first_pid),
        })
    }

    /// A process number that this script has not used.
    pub fn new_pid(&self) -> u32 {
        self.next_pid.fetch_add(1, Relaxed)
    }

    /// Lets `kill` find a process.
    pub fn register(&self, pid: u32, budget: &Budget, signals: &Arc<Signals>) {
        self.procs.lock().insert(pid, Proc { budget: budget.clone(), signals: signals.clone() });
    }

    /// The process has ended.
    pub fn unregister(&self, pid: u32) {
        self.procs.lock().remove(&pid);
    }

    /// Sends signal `n` (0 only asks) to `pid`; false when there is no such process.
    pub fn signal(&self, pid: u32, n: u8) -> bool {
        match self.procs.lock().get(&pid) {
            Some(p) => {
                p.signal(n);
                true
            }
            None => false,
        }
    }

    /// Whether signal `n` would end `pid`.
    pub fn dies_of(&self, pid: u32, n: u8) -> bool {
        self.procs.lock().get(&pid).is_some_and(|p| p.dies_of(n))
    }

    /// Remembers work that must have ended before the script has.
    pub fn remember(&self, join: Join<u8>) {
        let mut b = self.background.lock();
        b.retain(|j| !j.done());
        b.push(join);
    }

    /// Waits for everything that still runs in the background; what is stopped ends soon by itself.
    pub fn wait_background(&self) {
        loop {
            let Some(join) = self.background.lock().pop() else { return };
            while !join.wait(Duration::from_millis(20)) {}
        }
    }

    /// This script as the spawner of its programs.
    pub fn spawner(&self) -> Option<Arc<dyn Spawner>> {
        self.me.upgrade().map(|s| s as Arc<dyn Spawner>)
    }

    /// What `path` (with a slash) runs as.
    pub fn runnable(&self, path: &[u8], files: &Files) -> Result<Runnable, NotRunnable> {
        let full = files.absolute(path);
        if let Some(name) = full.strip_prefix(b"/usr/bin/").or_else(|| full.strip_prefix(b"/bin/"))
            && let Some(r) = self.programs.get(name)
        {
            return Ok(r);
        }
        let errno = |e: Error| match e {
            Error::Os(e) => NotRunnable::Os(e),
            Error::Stop(_) => NotRunnable::Os(Errno::EINTR),
        };
        let stat = files.stat_cheap(path, true).map_err(errno)?.0;
        match stat.kind {
            FileKind::Directory => return Err(NotRunnable::Os(Errno::EISDIR)),
            FileKind::File => {}
            _ => return Err(NotRunnable::Os(Errno::EACCES)),
        }
        files.access(path, Permission::Execute).map_err(errno)?;
        // A link such as ~/bin/mygrep -> /usr/bin/grep runs the program.
        if let Ok(real) = files.real_path(path)
            && let Some(name) = real.strip_prefix(b"/usr/bin/").or_else(|| real.strip_prefix(b"/bin/"))
            && let Some(r) = self.programs.get(name)
        {
            return Ok(r);
        }
        let text = files.read(path).map_err(errno)?;
        if !text.starts_with(b"#!") {
            let head = &text[..text.len().min(80)];
            let line = memchr::memchr(b'\n', head).map_or(head, |n| &head[..n]);
            if memchr::memchr(0, line).is_some() {
                return Err(NotRunnable::Binary);
            }
        }
        Ok(Runnable::File(text))
    }

    /// Looks `name` up in the directories of `path`: the first that can be run, else the first that is there.
    pub fn search(&self, name: &[u8], path: &[u8], files: &Files) -> Option<Bytes> {
        let mut present = None;
        for dir in path.split(|&b| b == b':') {
            if matches!(dir, b"/usr/bin" | b"/bin") && self.programs.contains(name) {
                return Some(join(dir, name));
            }
            let full = join(if dir.is_empty() { b"." } else { dir }, name);
            let Ok((stat, _)) = files.stat_cheap(&full, true) else { continue };
            if stat.kind != FileKind::File {
                continue;
            }
            if stat.mode & 0o111 != 0 {
                return Some(full);
            }
            present = present.or(Some(full));
        }
        present
    }

    /// Runs what `path` is, with `spawn.argv` as its arguments.
    pub fn execute(
        &self,
        runnable: Runnable,
        path: &[u8],
        mut spawn: Spawn,
    ) -> Result<Result<Status, NotRunnable>> {
        match runnable {
            Runnable::Program(p) => self.run_program(p, spawn).map(Ok),
            Runnable::Shell => super::invoke::run(self.me.upgrade().ok_or(Errno::EIO)?, spawn).map(Ok),
            Runnable::File(text) => {
                let mut depth = 0;
                let (mut text, mut path) = (text, Bytes::copy_from_slice(path));
                loop {
                    let Some((interpreter, arg)) = shebang(&text) else {
                        let script = self.me.upgrade().ok_or(Errno::EIO)?;
                        return super::invoke::run_file(script, path, text, spawn).map(Ok);
                    };
                    let argv0 = Bytes::copy_from_slice(interpreter);
                    let mut argv = vec![argv0.clone()];
                    argv.extend(arg.map(Bytes::copy_from_slice));
                    argv.push(path);
                    argv.extend(spawn.argv.drain(..).skip(1));
                    spawn.argv = argv;
                    depth += 1;
                    match self.interpreter(interpreter, &spawn.files) {
                        Ok(Runnable::File(next)) if depth < 5 => {
                            (text, path) = (next, argv0);
                        }
                        Ok(Runnable::File(_)) => return Ok(Err(NotRunnable::Os(Errno::ELOOP))),
                        Ok(Runnable::Program(p)) => return self.run_program(p, spawn).map(Ok),
                        Ok(Runnable::Shell) => {
                            return super::invoke::run(self.me.upgrade().ok_or(Errno::EIO)?, spawn).map(Ok);
                        }
                        Err(NotRunnable::Os(Errno::ENOENT)) => {
                            return Ok(Err(NotRunnable::Interpreter(argv0)));
                        }
                        Err(e) => return Ok(Err(e)),
                    }
                }
            }
        }
    }

    /// The interpreter of a `#!` line: `/usr/local/bin/bash` and the like find ours too.
    fn interpreter(&self, path: &[u8], files: &Files) -> Result<Runnable, NotRunnable> {
        let found = self.runnable(path, files);
        if let Err(NotRunnable::Os(Errno::ENOENT)) = found
            && let Some(name) = path.strip_prefix(b"/usr/local/bin/")
            && let Some(r) = self.programs.get(name)
        {
            return Ok(r);
        }
        found
    }

    fn run_program(&self, program: &dyn Program, spawn: Spawn) -> Result<Status> {
        let Some(spawner) = self.spawner() else { return Err(Errno::EIO.into()) };
        spawn.budget.step()?;
        let asked = match spawn.argv.get(1) {
            // What has no version is a command of a sandbox and answers for itself.
            Some(a) if spawn.argv.len() == 2 && !program.spec().version.is_empty() => match &a[..] {
                b"--help" => Some(program.spec().help()),
                b"--version" => Some(format!("{}\n", program.spec().version)),
                _ => None,
            },
            _ => None,
        };
        let ignores = spawn.ignores_sigpipe;
        let mut process = Process::new(spawn, spawner);
        let result = match asked {
            Some(text) => process.stdout.put(text.as_bytes()).map(|()| Status::OK),
            None => match std::panic::catch_unwind(AssertUnwindSafe(|| program.run(&mut process))) {
                Ok(r) => r,
                Err(_) => {
                    let _ = process.stdout.flush();
                    let _ = process.error(format_args!("internal error"));
                    return Ok(Status(134));
                }
            },
        };
        let flushed = process.stdout.flush();
        let mut result = match (result, flushed) {
            (Ok(s), Ok(())) => Ok(s),
            (Ok(_), Err(e)) => Err(e),
            (Err(e), _) => Err(e),
        };
        // What went wrong in a mount is told by the program that met it, and never passes for success.
        for note in process.files.take_notes() {
            process.error(format_args!("{note}"))?;
            if result == Ok(Status::OK) {
                result = Ok(Status::FAILURE);
            }
        }
        match result {
            Err(Error::Os(Errno::EPIPE)) if !ignores => Ok(Status(141)),
            // Only reading meets these, and an operand's errors were told with its name: it was standard input.
            Err(Error::Os(e @ (Errno::EISDIR | Errno::EIO))) => {
                process.error(format_args!("-: {e}"))?;
                Ok(Status::FAILURE)
            }
            Err(Error::Os(e)) => {
                let reading = e == Errno::EBADF && process.files.fds.get(0).is_none();
                let what = if reading { "read" } else { "write" };
                process.error(format_args!("{what} error: {e}"))?;
                Ok(Status::FAILURE)
            }
            other => other,
        }
    }
}

/// `dir/name`
pub fn join(dir: &[u8], name: &[u8]) -> Bytes {
    let mut full = Vec::with_capacity(dir.len() + 1 + name.len());
    full.extend_from_slice(dir);
    if !dir.ends_with(b"/") {
        full.push(b'/');
    }
    full.extend_from_slice(name);
    Bytes::from(full)
}

/// Interpreter and argument of a `#!` line, as Linux splits it.
fn shebang(text: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let rest = text.strip_prefix(b"#!")?;
    let line = rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())].trim_ascii();
    if line.is_empty() {
        return None;
    }
    match line.iter().position(|b| matches!(b, b' ' | b'\t')) {
        Some(n) => Some((&line[..n], Some(line[n..].trim_ascii()))),
        None => Some((line, None)),
    }
}

impl Spawner for Script {
    fn run(&self, spawn: Spawn) -> Result<Status> {
        let Some(name) = spawn.argv.first().cloned() else { return Ok(Status(127)) };
        let path = match self.find(&name, &spawn.env, &spawn.files) {
            Ok(p) => p,
            Err(Error::Os(Errno::ENOENT)) => return Ok(Status(127)),
            Err(Error::Os(_)) => return Ok(Status(126)),
            Err(stop) => return Err(stop),
        };
        match self.runnable(&path, &spawn.files) {
            Ok(r) => Ok(self.execute(r, &path, spawn)?.unwrap_or(Status(126))),
            Err(_) => Ok(Status(126)),
        }
    }

    fn find(&self, name: &[u8], env: &Env, files: &Files) -> Result<Bytes> {
        let path = match name.contains(&b'/') {
            true => Bytes::copy_from_slice(name),
            false => {
                let dirs = env.get("PATH").cloned().unwrap_or(Bytes::from_static(b"/bin:/usr/bin"));
                self.search(name, &dirs, files).ok_or(Errno::ENOENT)?
            }
        };
        match self.runnable(&path, files) {
            Ok(_) => Ok(path),
            Err(NotRunnable::Os(Errno::EISDIR)) => Err(Errno::EACCES.into()),
            Err(NotRunnable::Os(e)) => Err(e.into()),
            Err(_) => Err(Errno::ENOEXEC.into()),
        }
    }

    fn programs(&self) -> &[&'static dyn Program] {
        &self.programs.list
    }
}
