//! The state of one shell. A subshell, a pipeline stage, a job is a [`Shell::fork`]: tables are shared until one
//! side writes.

use super::{
    jobs::{Jobs, Signals},
    options::{Options, opt},
    script::Script,
    special::{self, known},
    traps::Traps,
    vars::{Slot, Vars, int_text},
};
use crate::syntax::ir::{FunctionDef, LineNo, Name};
use bytes::Bytes;
use hashbrown::HashMap;
use sandshell_kernel::{Budget, Error, Fd, Files, Reservation, Stop};
use smallvec::SmallVec;
use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

/// Why the commands being run are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwind {
    /// The process is being stopped from outside.
    Stop(Stop),
    /// The shell ends with this status (`exit`, `set -e`, a fatal error).
    Exit(u8),
    /// `return`
    Return(u8),
    /// `break n`
    Break(u32),
    /// `continue n`
    Continue(u32),
    /// The rest of the current complete command is abandoned (an expansion failed); the script goes on after it.
    Discard(u8),
    /// The shell is killed by a signal that it does not catch: no traps run.
    Killed(u8),
}

/// A status, or why the commands are left.
pub type Flow<T = u8> = Result<T, Unwind>;

impl From<Stop> for Unwind {
    fn from(s: Stop) -> Unwind {
        Unwind::Stop(s)
    }
}

/// Passes a stop up and keeps an errno as a value.
pub fn os<T>(r: sandshell_kernel::Result<T>) -> Flow<Result<T, sandshell_kernel::Errno>> {
    match r {
        Ok(v) => Ok(Ok(v)),
        Err(Error::Os(e)) => Ok(Err(e)),
        Err(Error::Stop(s)) => Err(Unwind::Stop(s)),
    }
}

/// A function and what `declare -f` and error messages say of it.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its definition.
    pub def: Arc<FunctionDef>,
    /// The file that defined it (`environment` for a script given as text).
    pub source: Bytes,
    /// `export -f`
    pub exported: bool,
    /// `readonly -f`
    pub readonly: bool,
    /// `declare -ft`
    pub traced: bool,
}

/// Functions by name.
pub type Functions = HashMap<Bytes, Arc<Function>, foldhash::fast::RandomState>;

/// A call of a function, or a file being sourced.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function's name, or `source`.
    pub name: Bytes,
    /// The file it came from.
    pub source: Bytes,
    /// The line it was called from.
    pub call_line: LineNo,
    /// Whether it is a function (and not a sourced file).
    pub function: bool,
    /// Variables that its locals hide, in order.
    pub saved: Vec<(Name, Slot)>,
    /// The options of `set` to restore, for `local -`.
    pub options: Option<Options>,
    /// The caller's loop depth.
    pub loops: u32,
}

/// `$1`, `$2`, …
#[derive(Clone, Debug, Default)]
pub struct Positional {
    all: Arc<Vec<Bytes>>,
    from: usize,
}

impl Positional {
    /// From arguments.
    pub fn new(args: Vec<Bytes>) -> Positional {
        Positional { all: Arc::new(args), from: 0 }
    }

    /// From a command line: its first word is no parameter.
    pub fn of_call(words: Vec<Bytes>) -> Positional {
        Positional { from: 1.min(words.len()), all: Arc::new(words) }
    }

    /// Without what was shifted away.
    #[inline]
    pub fn args(&self) -> &[Bytes] {
        &self.all[self.from..]
    }

    /// Drops `n` from the front.
    pub fn shift(&mut self, n: usize) {
        self.from = (self.from + n).min(self.all.len());
    }
}

/// Field separators, decoded from `IFS`.
#[derive(Clone, Debug)]
pub struct Ifs {
    /// By byte: 0 = none, 1 = white space, 2 = other.
    pub class: Arc<[u8; 256]>,
    /// What joins `"$*"`.
    pub join: SmallVec<[u8; 4]>,
    /// Blank, tab, newline.
    pub default: bool,
    /// Set and empty: nothing splits.
    pub empty: bool,
}

impl Ifs {
    fn new(text: Option<&[u8]>) -> Ifs {
        /// What scripts switch between for every line: `while IFS= read`.
        static USUAL: LazyLock<[Ifs; 2]> = LazyLock::new(|| [Ifs::of(b" \t\n"), Ifs::of(b"")]);
        match text {
            None | Some(b" \t\n") => USUAL[0].clone(),
            Some(b"") => USUAL[1].clone(),
            Some(text) => Ifs::of(text),
        }
    }

    fn of(text: &[u8]) -> Ifs {
        let mut class = [0; 256];
        for &b in text {
            class[b as usize] = if matches!(b, b' ' | b'\t' | b'\n') { 1 } else { 2 };
        }
        let first = match text.first() {
            Some(&b) if b >= 0x80 => sandshell_text_char(text),
            Some(_) => &text[..1],
            None => b"",
        };
        let default = class.iter().filter(|&&c| c != 0).count() == 3
            && class[b' ' as usize] == 1
            && class[b'\t' as usize] == 1
            && class[b'\n' as usize] == 1;
        Ifs { join: SmallVec::from_slice(first), class: Arc::new(class), default, empty: text.is_empty() }
    }
}

/// The first character of `text`, a byte when it is not UTF-8.
fn sandshell_text_char(text: &[u8]) -> &[u8] {
    let n = match text[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    match text.get(..n) {
        Some(c) if std::str::from_utf8(c).is_ok() => c,
        _ => &text[..1],
    }
}

/// Things that few commands need looking at; a command without any takes the short way.
pub mod watch {
    /// `set -x`
    pub const XTRACE: u32 = 1;
    /// A DEBUG trap is set.
    pub const DEBUG: u32 = 2;
    /// `set -n`
    pub const NOEXEC: u32 = 4;
    /// `set -e` or an ERR trap.
    pub const ERREXIT: u32 = 8;
    /// Some signal is trapped or pending.
    pub const SIGNALS: u32 = 16;
    /// `set -v`
    pub const VERBOSE: u32 = 32;
    /// `set -t`
    pub const ONECMD: u32 = 64;
    /// Some trap is set, whose handler may ask for `BASH_COMMAND`.
    pub const COMMAND: u32 = 128;
}

/// One shell.
pub struct Shell {
    /// What all shells and programs of this script share.
    pub script: Arc<Script>,
    /// Limits.
    pub budget: Budget,
    /// Directory, umask, descriptors.
    pub files: Files,
    /// Variables.
    pub vars: Vars,
    /// Functions.
    pub functions: Arc<Functions>,
    /// Aliases.
    pub aliases: Arc<BTreeMap<Bytes, Bytes>>,
    /// Options.
    pub options: Options,
    /// `$1`, …
    pub positional: Positional,
    /// `$0`, which messages begin with.
    pub name: Bytes,
    /// Calls, outermost first.
    pub frames: Vec<Frame>,
    /// How many of them are functions.
    pub depth: u32,
    /// How deep values that refer to each other are evaluated.
    pub(crate) arith_depth: u32,
    /// `$?`
    pub status: u8,
    /// `PIPESTATUS`
    pub pipe_status: SmallVec<[u8; 8]>,
    /// The line of the command that runs.
    pub line: LineNo,
    /// Bits of [`watch`].
    pub watch: u32,
    /// Failing commands are being tested: `set -e` and ERR do not apply.
    pub tested: bool,
    /// Loops around the command that runs.
    pub loops: u32,
    /// `BASH_SUBSHELL`
    pub subshell: u32,
    /// `$$`
    pub shell_pid: u32,
    /// `BASHPID`, 0 = not yet given out.
    pub pid: u32,
    /// `$!`
    pub last_job: Option<u32>,
    /// Jobs started by this shell.
    pub jobs: Jobs,
    /// Traps.
    pub traps: Arc<Traps>,
    /// How signals reach this shell.
    pub signals: Arc<Signals>,
    /// Commands looked up in PATH: path and hits.
    pub hashed: Arc<BTreeMap<Bytes, (Bytes, u32)>>,
    /// Commands that forks will want, looked up in PATH ahead.
    pub lookups: Arc<HashMap<Bytes, Bytes, foldhash::fast::RandomState>>,
    /// The directory stack below the current directory.
    pub dir_stack: Vec<Bytes>,
    /// Field separators.
    pub ifs: Ifs,
    /// Characters are UTF-8 (and not bytes).
    pub utf8: bool,
    /// `BASH_COMMAND`
    pub command_text: Bytes,
    /// Descriptors that process substitutions of the running command hold.
    pub substitutions: Vec<u32>,
    /// Where `getopts` is within a bundle of letters.
    pub getopts_at: usize,
    /// The epoch second at which `SECONDS` was 0.
    pub seconds_base: i64,
    /// State of `RANDOM`.
    pub random_state: u32,
    /// The last value of `RANDOM`.
    pub random_last: Option<u32>,
    /// Status of the last command substitution of the command being expanded.
    pub substitution_status: Option<u8>,
    /// A trap handler runs.
    pub in_trap: u32,
    /// The builtin that runs, for its messages: `cd`.
    pub builtin: &'static str,
    /// The script was given as text (`-c`): syntax errors say so.
    pub from_text: bool,
    /// `exit` and the like were called: the shell does not end by an error.
    pub leaves: bool,
    /// Memory that variables hold.
    pub held: Reservation,
    /// What is not yet charged to it.
    pub uncharged: i64,
    /// The arguments of the last builtin, to be filled again.
    pub spare_args: Vec<Bytes>,
    /// A buffer that builtins print through.
    pub scratch: Vec<u8>,
    /// The format that `printf` used last.
    pub format: Option<(Bytes, sandshell_text::printf::Format)>,
    /// `$_`
    pub last_arg: Bytes,
    /// Compound assignments among the arguments of the declaration builtin that is about to run.
    pub compounds: Vec<crate::exec::simple::Compound>,
    /// Builtins turned off by `enable -n`.
    pub disabled: Option<Arc<std::collections::BTreeSet<Bytes>>>,
    /// History, completions, limits.
    pub extras: Arc<super::extras::Extras>,
    /// Some function is or was exported.
    pub exports_functions: bool,
    /// This shell is the fork that a `( )` which comes next asks for.
    pub fresh: bool,
    /// `exec` without a command ran: its redirections stay.
    pub exec_keeps: bool,
    /// How many `+` begin a line of `set -x`, less one.
    pub trace_level: u32,
    /// Arithmetic that came from values.
    pub arith_cache: crate::expand::arith::ArithCache,
    /// Programs started by this shell ignore SIGPIPE (`trap '' PIPE`).
    pub ignores_sigpipe: bool,
    /// A compound command's `time`, `coproc` counter.
    pub coprocs: Vec<(Name, u32)>,
}

impl Shell {
    /// A new shell: bash's own variables, and `env` imported as exported ones.
    pub fn new(script: Arc<Script>, files: Files, budget: &Budget, name: Bytes, args: Vec<Bytes>) -> Shell {
        let vars = special::template(&script.hostname);
        let pid = script.new_pid();
        Shell {
            budget: budget.clone(),
            files,
            vars,
            functions: Arc::default(),
            aliases: Arc::default(),
            options: Options::default(),
            positional: Positional::new(args),
            name,
            frames: Vec::new(),
            depth: 0,
            arith_depth: 0,
            status: 0,
            pipe_status: SmallVec::from_slice(&[0]),
            line: 1,
            watch: 0,
            tested: false,
            loops: 0,
            subshell: 0,
            shell_pid: pid,
            pid,
            last_job: None,
            jobs: Jobs::default(),
            traps: Arc::default(),
            signals: Arc::default(),
            hashed: Arc::default(),
            lookups: Arc::default(),
            dir_stack: Vec::new(),
            ifs: Ifs::new(None),
            utf8: true,
            command_text: Bytes::new(),
            substitutions: Vec::new(),
            getopts_at: 0,
            seconds_base: sandshell_kernel::Time::now().seconds(),
            random_state: pid ^ (sandshell_kernel::Time::now().nanos()),
            random_last: None,
            substitution_status: None,
            in_trap: 0,
            builtin: "",
            from_text: true,
            leaves: false,
            held: budget.reservation(),
            uncharged: 0,
            spare_args: Vec::new(),
            scratch: Vec::new(),
            format: None,
            last_arg: Bytes::new(),
            compounds: Vec::new(),
            disabled: None,
            extras: Arc::default(),
            exports_functions: false,
            fresh: false,
            exec_keeps: false,
            trace_level: 0,
            arith_cache: Default::default(),
            ignores_sigpipe: false,
            coprocs: Vec::new(),
            script,
        }
    }

    /// A copy that runs as a subshell. Jobs are not its children; traps are reset but for ignored signals.
    pub fn fork(&mut self, budget: &Budget) -> Shell {
        let mut files = self.files.clone();
        files.set_budget(budget);
        let mut sh = Shell {
            script: self.script.clone(),
            budget: budget.clone(),
            files,
            vars: self.vars.clone(),
            functions: self.functions.clone(),
            aliases: self.aliases.clone(),
            options: self.options,
            positional: self.positional.clone(),
            name: self.name.clone(),
            frames: self.frames.clone(),
            depth: self.depth,
            arith_depth: self.arith_depth,
            status: self.status,
            pipe_status: self.pipe_status.clone(),
            line: self.line,
            watch: self.watch,
            tested: self.tested,
            loops: 0,
            subshell: self.subshell + 1,
            shell_pid: self.shell_pid,
            pid: 0,
            last_job: self.last_job,
            jobs: Jobs::default(),
            traps: self.traps.clone(),
            signals: Arc::default(),
            hashed: self.hashed.clone(),
            lookups: self.lookups.clone(),
            dir_stack: self.dir_stack.clone(),
            ifs: self.ifs.clone(),
            utf8: self.utf8,
            command_text: self.command_text.clone(),
            substitutions: Vec::new(),
            getopts_at: self.getopts_at,
            seconds_base: self.seconds_base,
            random_state: self.random_state,
            random_last: self.random_last,
            substitution_status: None,
            in_trap: 0,
            builtin: self.builtin,
            from_text: self.from_text,
            leaves: false,
            held: budget.reservation(),
            uncharged: 0,
            spare_args: Vec::new(),
            scratch: Vec::new(),
            format: None,
            last_arg: self.last_arg.clone(),
            compounds: Vec::new(),
            disabled: self.disabled.clone(),
            extras: self.extras.clone(),
            exports_functions: self.exports_functions,
            fresh: false,
            exec_keeps: false,
            trace_level: self.trace_level,
            arith_cache: self.arith_cache.clone(),
            ignores_sigpipe: self.ignores_sigpipe,
            coprocs: Vec::new(),
        };
        // bash seeds a subshell's RANDOM anew.
        self.random_state = self.random_state.wrapping_add(1);
        sh.random_state = self.random_state.wrapping_mul(2_654_435_761);
        if !self.traps.is_empty() {
            sh.enter_subshell_traps();
        }
        sh
    }

    /// This shell's own process number.
    pub fn own_pid(&mut self) -> u32 {
        if self.pid == 0 {
            self.pid = self.script.new_pid();
            self.script.register(self.pid, &self.budget, &self.signals);
        }
        self.pid
    }

    /// Puts the hot flags in order after options or traps changed.
    pub fn refresh_watch(&mut self) {
        let o = &self.options;
        let mut w = 0;
        for (bit, flag) in [
            (opt::XTRACE, watch::XTRACE),
            (opt::NOEXEC, watch::NOEXEC),
            (opt::ERREXIT, watch::ERREXIT),
            (opt::VERBOSE, watch::VERBOSE),
            (opt::ONECMD, watch::ONECMD),
        ] {
            if o.on(bit) {
                w |= flag;
            }
        }
        w |= self.traps.watch();
        self.watch = w;
    }

    /// After `IFS` changed.
    pub(crate) fn ifs_changed(&mut self) {
        let text = self.vars.get(known().ifs).value.text();
        self.ifs = Ifs::new(text.as_deref());
    }

    /// After a locale variable changed.
    pub(crate) fn locale_changed(&mut self) {
        let k = known();
        let value = [k.lc_all, k.lc_ctype, k.lang]
            .into_iter()
            .find_map(|n| self.vars.get(n).value.text().filter(|v| !v.is_empty()));
        self.utf8 = value.is_none_or(|v| {
            let v = v.to_ascii_lowercase();
            memchr::memmem::find(&v, b"utf-8").or(memchr::memmem::find(&v, b"utf8")).is_some()
        });
    }

    /// Charges (or gives back) memory for what variables hold, in larger pieces.
    #[inline]
    pub fn charge(&mut self, delta: i64) -> Flow<()> {
        self.uncharged += delta;
        if self.uncharged.unsigned_abs() > 1 << 16 {
            return self.settle();
        }
        Ok(())
    }

    #[cold]
    fn settle(&mut self) -> Flow<()> {
        let total = (self.held.bytes() as i64 + self.uncharged).max(0) as u64;
        self.uncharged = 0;
        os(self.held.set(total)).map(drop)
    }

    /// The file that messages name: that of the function or sourced file that runs, else `$0`.
    pub fn source_name(&self) -> &Bytes {
        self.frames.last().map_or(&self.name, |f| &f.source)
    }

    /// Prints a message in bash's form: `NAME: line N: ` and the parts.
    #[cold]
    pub fn report(&mut self, parts: &[&[u8]]) {
        let line = self.line;
        self.report_at(line, parts);
    }

    /// The same for another line.
    #[cold]
    pub fn report_at(&mut self, line: LineNo, parts: &[&[u8]]) {
        let mut text = self.source_name().to_vec();
        text.extend_from_slice(b": line ");
        text.extend_from_slice(&int_text(i64::from(line)));
        text.extend_from_slice(b": ");
        for p in parts {
            text.extend_from_slice(p);
        }
        text.push(b'\n');
        self.write_error(&text);
    }

    /// The same with the running builtin's name before the parts.
    #[cold]
    pub fn complain(&mut self, parts: &[&[u8]]) {
        let mut all: SmallVec<[&[u8]; 8]> = SmallVec::new();
        if !self.builtin.is_empty() {
            all.push(self.builtin.as_bytes());
            all.push(b": ");
        }
        all.extend_from_slice(parts);
        self.report(&all);
    }

    /// Writes to standard error; failures are nobody's.
    pub fn write_error(&mut self, text: &[u8]) {
        if let Some(fd) = self.files.fds.get(2).cloned() {
            let _ = fd.write_slice(&self.budget, text);
        }
    }

    /// What descriptor `n` points to.
    pub fn fd(&self, n: u32) -> Option<Fd> {
        self.files.fds.get(n).cloned()
    }

    /// Writes a builtin's standard output: its status. A closed pipe kills the shell as SIGPIPE does.
    pub fn write_out(&mut self, text: &[u8]) -> Flow {
        if text.is_empty() {
            return Ok(0);
        }
        let r = match self.files.fds.get(1) {
            Some(fd) => fd.write_slice(&self.budget, text),
            None => Err(sandshell_kernel::Errno::EBADF.into()),
        };
        match r {
            Ok(()) => Ok(0),
            Err(e) => self.write_failed(e),
        }
    }

    #[cold]
    fn write_failed(&mut self, e: Error) -> Flow {
        match e {
            Error::Stop(s) => Err(Unwind::Stop(s)),
            Error::Os(sandshell_kernel::Errno::EPIPE) if !self.ignores_sigpipe => Err(Unwind::Killed(13)),
            Error::Os(e) => {
                self.complain(&[b"write error: ", e.text().as_bytes()]);
                Ok(1)
            }
        }
    }

    /// `FUNCNAME`
    pub(crate) fn call_names(&self) -> Vec<Bytes> {
        if self.depth == 0 {
            return Vec::new();
        }
        let mut names: Vec<_> = self.frames.iter().rev().map(|f| f.name.clone()).collect();
        if !self.from_text {
            names.push(Bytes::from_static(b"main"));
        }
        names
    }

    /// `BASH_SOURCE`
    pub(crate) fn call_sources(&self) -> Vec<Bytes> {
        let mut names: Vec<_> = self.frames.iter().rev().map(|f| f.source.clone()).collect();
        if !self.from_text {
            names.push(self.name.clone());
        }
        names
    }

    /// `BASH_LINENO`
    pub(crate) fn call_lines(&self) -> Vec<Bytes> {
        let mut lines: Vec<_> = self.frames.iter().rev().map(|f| int_text(i64::from(f.call_line))).collect();
        if !self.from_text {
            lines.push(Bytes::from_static(b"0"));
        }
        lines
    }

    /// `DIRSTACK`: the current directory and the stack, with `~` where bash shows it.
    pub(crate) fn directory_stack(&self) -> Vec<Bytes> {
        let mut all = vec![self.files.cwd().clone()];
        all.extend(self.dir_stack.iter().rev().cloned());
        all
    }
}
