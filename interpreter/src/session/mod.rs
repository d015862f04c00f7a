//! A session: the state of a shell that outlives a script, and how a script is run in it.

pub mod access;
pub mod array;
pub mod cache;
pub mod extras;
mod invoke;
pub mod jobs;
pub mod options;
pub mod script;
pub mod shell;
pub mod special;
pub mod traps;
pub mod vars;

use crate::exec::TextKind;
use bytes::Bytes;
use options::Options;
use sandshell_kernel::{Budget, Fd, FdTable, Files, Run, Stop, Vfs};
use script::{ProgramTable, Script};
use shell::{Flow, Functions, Positional, Shell, Unwind};
use special::known;
use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicU32, atomic::Ordering::Relaxed},
};
use vars::Vars;

/// How a session begins.
#[derive(Clone)]
pub struct Config {
    /// The programs that it can run.
    pub programs: Arc<ProgramTable>,
    /// Its files.
    pub vfs: Arc<Vfs>,
    /// The directory that it begins in.
    pub cwd: Bytes,
    /// Its environment: exported variables.
    pub env: Vec<(Bytes, Bytes)>,
    /// `$0`, which messages begin with.
    pub name: Bytes,
    /// `$1`, …
    pub args: Vec<Bytes>,
    /// `--posix`
    pub posix: bool,
    /// What `hostname` says.
    pub hostname: Arc<str>,
    /// The script is the text of `-c` (and not a file or standard input): syntax errors say so, and functions come
    /// from `environment`.
    pub from_text: bool,
}

impl Config {
    /// A session named `bash` in `/`, without environment.
    pub fn new(programs: Arc<ProgramTable>, vfs: Arc<Vfs>) -> Config {
        Config {
            programs,
            vfs,
            cwd: Bytes::from_static(b"/"),
            env: Vec::new(),
            name: Bytes::from_static(b"bash"),
            args: Vec::new(),
            posix: false,
            hostname: "sandbox".into(),
            from_text: true,
        }
    }
}

/// What is left of a shell between scripts.
struct Kept {
    cwd: Bytes,
    umask: u32,
    vars: Vars,
    functions: Arc<Functions>,
    aliases: Arc<BTreeMap<Bytes, Bytes>>,
    options: Options,
    positional: Positional,
    dir_stack: Vec<Bytes>,
    disabled: Option<Arc<std::collections::BTreeSet<Bytes>>>,
    exports_functions: bool,
    extras: Arc<extras::Extras>,
    name: Bytes,
    seconds_base: i64,
    random_state: u32,
    status: u8,
    pid: u32,
}

/// A shell's state from script to script.
pub struct Session {
    config: Config,
    kept: Option<Kept>,
}

/// How a script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its exit status.
    pub status: u8,
    /// Why it was stopped, if it was.
    pub stopped: Option<Stop>,
    /// It asked to leave the shell (`exit`, `exec`, `set -e`) or was killed: a prompt ends then, but not at an error.
    pub exited: bool,
}

impl Session {
    /// A new session.
    pub fn new(config: Config) -> Session {
        Session { config, kept: None }
    }

    /// The directory that the next script starts in.
    pub fn cwd(&self) -> &Bytes {
        self.kept.as_ref().map_or(&self.config.cwd, |k| &k.cwd)
    }

    /// The session's files.
    pub fn vfs(&self) -> &Arc<Vfs> {
        &self.config.vfs
    }

    /// Goes on over other files or programs (a new version of a sandbox); the shell's state stays.
    pub fn rebase(&mut self, programs: Arc<ProgramTable>, vfs: Arc<Vfs>) {
        self.config.programs = programs;
        self.config.vfs = vfs;
    }

    /// An equal session that goes its own way; its files are `vfs`.
    pub fn fork(&self, vfs: Arc<Vfs>) -> Session {
        let config = Config { vfs, ..self.config.clone() };
        let kept = self.kept.as_ref().map(|k| Kept {
            cwd: k.cwd.clone(),
            vars: k.vars.clone(),
            functions: k.functions.clone(),
            aliases: k.aliases.clone(),
            positional: k.positional.clone(),
            dir_stack: k.dir_stack.clone(),
            disabled: k.disabled.clone(),
            extras: k.extras.clone(),
            name: k.name.clone(),
            ..*k
        });
        Session { config, kept }
    }

    /// Runs a script to its end on this thread. `exit` ends the script only; traps, jobs and descriptors end with it.
    pub fn run_blocking(&mut self, text: Bytes, io: (Fd, Fd, Fd), run: Arc<Run>, budget: Budget) -> Outcome {
        self.run_with(io, run, budget, |sh| sh.run_text(text, TextKind::Script))
    }

    /// The same for the script that standard input holds. Its commands read what follows them there.
    pub fn run_input_blocking(&mut self, io: (Fd, Fd, Fd), run: Arc<Run>, budget: Budget) -> Outcome {
        self.run_with(io, run, budget, Shell::run_input)
    }

    fn run_with(
        &mut self,
        io: (Fd, Fd, Fd),
        run: Arc<Run>,
        budget: Budget,
        script: impl FnOnce(&mut Shell) -> Flow,
    ) -> Outcome {
        let mut sh = self.start(io, run, &budget);
        let flow = script(&mut sh);
        let exited = match flow {
            Err(Unwind::Exit(_)) => sh.leaves,
            Err(Unwind::Killed(_)) => true,
            _ => false,
        };
        let result = sh.finish(flow);
        // What only the shell itself met of a mount's trouble: a glob, a redirection.
        for note in sh.files.take_notes() {
            sh.write_error(&[&sh.name[..], b": ", note.as_bytes(), b"\n"].concat());
        }
        while !sh.frames.is_empty() {
            sh.pop_frame();
        }
        let script = sh.script.clone();
        let outcome = match result {
            Ok(status) => Outcome { status, stopped: None, exited },
            Err(stop) => Outcome { status: stop.status(), stopped: Some(stop), exited },
        };
        self.keep(sh, outcome.status);
        script.wait_background();
        // What runs on past the end may still have met the deadline.
        match budget.check() {
            Err(sandshell_kernel::Error::Stop(stop)) if outcome.stopped.is_none() => {
                Outcome { status: stop.status(), stopped: Some(stop), exited }
            }
            _ => outcome,
        }
    }

    fn start(&mut self, (stdin, stdout, stderr): (Fd, Fd, Fd), run: Arc<Run>, budget: &Budget) -> Shell {
        let c = &self.config;
        let fds = FdTable::new(stdin, stdout, stderr);
        let cwd = self.cwd().clone();
        let mut files = Files::new(c.vfs.clone(), run.clone(), budget, cwd, fds);
        static NEXT_PID: AtomicU32 = AtomicU32::new(0);
        let first = self.kept.as_ref().map_or(1000 + NEXT_PID.fetch_add(1, Relaxed) % 1000, |k| k.pid);
        let script = Script::new(c.programs.clone(), run, c.hostname.clone(), first);
        let Some(k) = self.kept.take() else {
            let mut sh = Shell::new(script, files, budget, c.name.clone(), c.args.clone());
            sh.from_text = c.from_text;
            sh.import_env(c.env.iter());
            sh.first_directory();
            if c.posix {
                sh.options.put(options::opt::POSIX, true);
            }
            sh.register();
            return sh;
        };
        files.umask = k.umask;
        let mut sh = Shell::new(script, files, budget, k.name, Vec::new());
        sh.from_text = c.from_text;
        sh.vars = k.vars;
        sh.functions = k.functions;
        sh.aliases = k.aliases;
        sh.options = k.options;
        sh.positional = k.positional;
        sh.dir_stack = k.dir_stack;
        sh.disabled = k.disabled;
        sh.exports_functions = k.exports_functions;
        sh.extras = k.extras;
        sh.seconds_base = k.seconds_base;
        sh.random_state = k.random_state;
        sh.status = k.status;
        sh.ifs_changed();
        sh.locale_changed();
        sh.refresh_watch();
        sh.register();
        sh
    }

    fn keep(&mut self, sh: Shell, status: u8) {
        self.kept = Some(Kept {
            cwd: sh.files.cwd().clone(),
            umask: sh.files.umask,
            functions: sh.functions,
            aliases: sh.aliases,
            options: sh.options,
            positional: sh.positional,
            dir_stack: sh.dir_stack,
            disabled: sh.disabled,
            exports_functions: sh.exports_functions,
            extras: sh.extras,
            name: sh.name,
            seconds_base: sh.seconds_base,
            random_state: sh.random_state,
            vars: sh.vars,
            status,
            pid: sh.shell_pid,
        });
    }
}

impl Shell {
    /// Imports an environment as exported variables; what is no name is left out, exported functions are defined.
    pub(crate) fn import_env<'a>(&mut self, env: impl Iterator<Item = &'a (Bytes, Bytes)>) {
        for (name, value) in env {
            if let Some(f) = name.strip_prefix(b"BASH_FUNC_").and_then(|n| n.strip_suffix(b"%%")) {
                self.import_function(f, value);
                continue;
            }
            if !access::is_name(name) {
                continue;
            }
            let name = crate::syntax::names::intern(name);
            let slot = self.vars.get_mut(name);
            if slot.attrs & vars::attr::READONLY != 0 {
                continue;
            }
            slot.value = vars::Value::Str(value.clone());
            slot.attrs |= vars::attr::EXPORT | vars::attr::DECLARED;
            if slot.special != 0 {
                self.special_assigned(name);
            }
        }
        self.vars.exports_changed();
    }

    fn import_function(&mut self, name: &[u8], body: &[u8]) {
        let text = [name, b" ", body].concat();
        let mut parser = crate::syntax::Parser::new(Bytes::from(text), 1);
        let Ok(Some(unit)) = parser.next_command(&Default::default()) else { return };
        let [item] = &unit.list.items[..] else { return };
        if let [command] = &item.and_or.first.stages[..]
            && let crate::syntax::ir::CommandKind::Function(def) = &command.kind
        {
            let f = shell::Function {
                def: def.clone(),
                source: Bytes::from_static(b"environment"),
                exported: true,
                readonly: false,
                traced: false,
            };
            Arc::make_mut(&mut self.functions).insert(def.name.clone(), Arc::new(f));
            self.exports_functions = true;
        }
    }

    /// PWD, OLDPWD, SHLVL and PATH of a shell that begins.
    pub(crate) fn first_directory(&mut self) {
        use vars::{Value, attr};
        let k = known();
        let cwd = self.files.cwd().clone();
        let slot = self.vars.get_mut(k.pwd);
        slot.value = Value::Str(cwd);
        slot.attrs |= attr::EXPORT | attr::DECLARED;
        let slot = self.vars.get_mut(k.oldpwd);
        slot.attrs |= attr::EXPORT | attr::DECLARED;
        let level =
            self.vars.get(k.shlvl).value.text().map_or(0, |t| crate::expand::arith::leading_number(&t));
        let slot = self.vars.get_mut(k.shlvl);
        slot.value = Value::Str(vars::int_text(level.saturating_add(1)));
        slot.attrs |= attr::EXPORT | attr::DECLARED;
        let slot = self.vars.get_mut(k.path);
        if !slot.is_set() {
            slot.value = Value::Str(Bytes::from_static(
                b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            ));
            slot.attrs |= attr::DECLARED;
        }
        self.vars.exports_changed();
    }

    /// Lets `kill` find this shell.
    pub(crate) fn register(&self) {
        self.script.register(self.shell_pid, &self.budget, &self.signals);
    }
}
