//! The `sandshell` binary: a shell over a filesystem in memory and mounted directories.

#[path = "cli/args.rs"]
mod args;
#[path = "cli/stdio.rs"]
mod stdio;

use args::{Args, What};
use parking_lot::Mutex;
use sandshell::{
    Mount,
    parts::{
        coreutils, host,
        interpreter::{Config, Outcome, ProgramTable, Session},
        kernel::{self, Budget, Bytes, Fd, FdTable, Files, Limits, Run, Stop, Vfs},
    },
    prompt::Prompt,
};
use std::{ffi::OsStr, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HOME: &str = "/home/user";

fn main() -> ExitCode {
    let args = match args::parse(std::env::args_os().skip(1)) {
        Ok(args) => args,
        Err(message) => {
            eprintln!("sandshell: {message}\nTry 'sandshell --help' for more information.");
            return ExitCode::from(2);
        }
    };
    match args.what {
        What::Help => {
            print!("{}", args::HELP);
            ExitCode::SUCCESS
        }
        What::Version => {
            println!("sandshell {} (bash 5.2)", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        What::Validate => validate(),
        _ => match run(args) {
            Ok(status) => ExitCode::from(status),
            Err(message) => {
                eprintln!("sandshell: {message}");
                ExitCode::from(127)
            }
        },
    }
}

/// Runs what the command line asks for: its status. The error is a message.
fn run(args: Args) -> Result<u8, String> {
    let limits = limits(&args);
    let [stdin, stdout, stderr] = stdio::descriptors(args.max_output.unwrap_or(u64::MAX));
    let io = (stdin, stdout, stderr);
    let mut config = config(&args)?;
    let scripts = Scripts { io, limits };
    let text = match args.what {
        What::Text(text) => Some(text.into()),
        What::File(file) => {
            config.from_text = false;
            match script_file(&file, &config) {
                Ok(text) => Some(text),
                Err(e) => {
                    let status = if e.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 };
                    eprintln!("bash: {}: {}", file.to_string_lossy(), kernel::Error::from(e));
                    return Ok(status);
                }
            }
        }
        What::Input if rustix::termios::isatty(rustix::stdio::stdin()) => {
            config.from_text = false;
            let mut session = Session::new(config);
            return match scripts.set_options(&mut session, &args.shell_options) {
                0 => scripts.prompt(session),
                status => Ok(status),
            };
        }
        _ => {
            config.from_text = false;
            None
        }
    };
    let mut session = Session::new(config);
    match (scripts.set_options(&mut session, &args.shell_options), text) {
        (0, Some(text)) => Ok(scripts.run(&mut session, text)),
        (0, None) => Ok(scripts.run_input(&mut session)),
        (status, _) => Ok(status),
    }
}

/// The text of a script file: of this machine, or else of the sandbox.
fn script_file(file: &OsStr, config: &Config) -> std::io::Result<Bytes> {
    match std::fs::read(file) {
        Ok(text) => Ok(text.into()),
        Err(e) => files(config).read(file.as_encoded_bytes()).map_err(|_| e),
    }
}

/// The files of a shell that has not begun.
fn files(config: &Config) -> Files {
    let budget = Budget::new(Limits::unlimited());
    let run = Run::new(Default::default(), None);
    Files::new(config.vfs.clone(), run, &budget, config.cwd.clone(), FdTable::default())
}

/// A shell over the mounts that the command line names.
fn config(args: &Args) -> Result<Config, String> {
    let programs = ProgramTable::new(coreutils::programs());
    let mut tree =
        Vfs::builder().home(HOME.as_bytes()).programs(coreutils::programs().iter().map(|p| p.spec().name));
    if args.mounts.iter().all(|m| m.path.trim_end_matches('/') != HOME) {
        // Writable, whatever is mounted above it.
        tree = tree.mount(&Mount::scratch(HOME, "home")).map_err(|e| e.to_string())?;
    }
    for m in &args.mounts {
        let mount = Mount::directory(&m.path, "a directory of this machine", &m.dir);
        let mount = if m.writable { mount.writable() } else { mount };
        tree = tree.mount(&mount).map_err(|e| format!("--mount {}={}: {e}", m.path, m.dir.display()))?;
    }
    let vfs = tree.build().map_err(|e| format!("the mounts do not go together: {e}"))?;
    let mut env = host::base_env(HOME);
    // What the user's terminal and language are; paths and the rest belong to this machine.
    let passed = ["TERM", "TZ", "LANG", "COLUMNS", "LINES"];
    for (name, value) in std::env::vars_os() {
        let known = name.to_str().is_some_and(|n| passed.contains(&n) || n.starts_with("LC_"));
        if known {
            set(&mut env, name.into_encoded_bytes(), value.into_encoded_bytes());
        }
    }
    for (name, value) in &args.env {
        set(&mut env, name.clone(), value.clone());
    }
    let mut config = Config::new(Arc::new(programs), vfs);
    config.cwd = HOME.into();
    if let Some(cwd) = &args.cwd {
        let mut there = files(&config);
        there.set_cwd(cwd).map_err(|e| format!("--cwd {}: {e}", String::from_utf8_lossy(cwd)))?;
        config.cwd = there.cwd().clone();
    }
    config.env = env;
    let mut names = args.args.iter().cloned().map(Bytes::from);
    config.name = names.next().unwrap_or_else(|| "bash".into());
    config.args = names.collect();
    Ok(config)
}

fn set(env: &mut Vec<(Bytes, Bytes)>, name: Vec<u8>, value: Vec<u8>) {
    env.retain(|(n, _)| n != &name);
    env.push((name.into(), value.into()));
}

fn limits(args: &Args) -> Limits {
    let mut limits = if args.unlimited { Limits::unlimited() } else { Limits::default() };
    limits.wall_clock = args.timeout.or(limits.wall_clock);
    limits
}

/// How this process runs scripts.
struct Scripts {
    io: (Fd, Fd, Fd),
    limits: Limits,
}

impl Scripts {
    /// Runs a script under a new budget: its status.
    fn run(&self, session: &mut Session, text: Bytes) -> u8 {
        self.told(|io, run, budget| session.run_blocking(text, io, run, budget))
    }

    /// Runs the script that standard input holds.
    fn run_input(&self, session: &mut Session) -> u8 {
        self.told(|io, run, budget| session.run_input_blocking(io, run, budget))
    }

    fn told(&self, script: impl FnOnce((Fd, Fd, Fd), Arc<Run>, Budget) -> Outcome) -> u8 {
        let budget = Budget::new(self.limits.clone());
        watch(&budget);
        let outcome = script(self.io.clone(), Run::new(Default::default(), None), budget);
        if let Some(stop) = outcome.stopped {
            eprintln!("sandshell: {}", told(stop, &self.limits));
        }
        outcome.status
    }

    /// Sets bash's own options (`-e`, `-o pipefail`, `-O extglob`); the status of `set`.
    fn set_options(&self, session: &mut Session, options: &[(String, Vec<u8>)]) -> u8 {
        if options.is_empty() {
            return 0;
        }
        let mut text: Vec<u8> = Vec::new();
        for (option, name) in options {
            let command = match &option[..] {
                "-O" => "shopt -s",
                "+O" => "shopt -u",
                other => &format!("set {other}"),
            };
            text.extend(command.as_bytes());
            if !name.is_empty() {
                text.extend([b" '", &name[..], b"'"].concat());
            }
            text.extend(b" || exit 2\n");
        }
        self.run(session, text.into())
    }

    /// Reads commands from the terminal and runs them one by one, until `exit` or the end of input.
    fn prompt(&self, mut session: Session) -> Result<u8, String> {
        let mut prompt = Prompt::new(history()).map_err(|e| e.to_string())?;
        // Ctrl-C ends the command that runs, not the session with its files.
        let running: Arc<Mutex<Option<Budget>>> = Arc::default();
        let interrupted = running.clone();
        let handler = move || {
            if let Some(budget) = &*interrupted.lock() {
                budget.stop(Stop::Cancelled);
            }
        };
        ctrlc::set_handler(handler).map_err(|e| e.to_string())?;
        let mut status = 0;
        while let Some(text) =
            prompt.read(&format!("{}$ ", shown(session.cwd()))).map_err(|e| e.to_string())?
        {
            let budget = Budget::new(self.limits.clone());
            *running.lock() = Some(budget.clone());
            let run = Run::new(Default::default(), None);
            let outcome = session.run_blocking(text.into(), self.io.clone(), run, budget);
            running.lock().take();
            status = outcome.status;
            match outcome.stopped {
                Some(Stop::Cancelled) => println!("^C"),
                Some(stop) => eprintln!("sandshell: {}", told(stop, &self.limits)),
                None if outcome.exited => break,
                None => {}
            }
        }
        Ok(status)
    }
}

/// The directory as a prompt shows it.
fn shown(cwd: &[u8]) -> String {
    let cwd = String::from_utf8_lossy(cwd);
    match cwd.strip_prefix(HOME) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => cwd.into_owned(),
    }
}

/// Where the prompt keeps its history.
fn history() -> Option<PathBuf> {
    let dir = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let state = dir("XDG_STATE_HOME").or_else(|| Some(dir("HOME")?.join(".local/state")))?;
    Some(state.join("sandshell/history"))
}

/// A write to a pipe that nobody reads cannot be given up: past the deadline the process ends all the same.
fn watch(budget: &Budget) {
    let Some(at) = budget.deadline() else { return };
    let grace = Duration::from_millis(500);
    let watchdog = move || {
        std::thread::sleep(at.saturating_duration_since(std::time::Instant::now()) + grace);
        std::process::exit(Stop::Timeout.status().into());
    };
    // Without a thread to spare there is no such guard.
    let _ = std::thread::Builder::new().name("deadline".into()).spawn(watchdog);
}

fn told(stop: Stop, limits: &Limits) -> String {
    match stop {
        Stop::Timeout => format!(
            "stopped after {:?}; --timeout gives more, --unlimited no limit",
            limits.wall_clock.unwrap_or_default()
        ),
        Stop::Memory => {
            format!("stopped at the memory limit of {} bytes; --unlimited takes it away", limits.memory)
        }
        Stop::Output => "stopped at the limit of --max-output".into(),
        Stop::Steps => "stopped at the step limit".into(),
        Stop::Cancelled => "cancelled".into(),
        Stop::Signal(n) => format!("killed by signal {n}"),
    }
}

/// Checks the sandboxes that come with the crate, as a host does.
fn validate() -> ExitCode {
    use sandshell::examples::{Notes, Numbers};
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() else {
        return ExitCode::from(127);
    };
    let host = sandshell::host().runtime(runtime.handle().clone()).build();
    runtime.block_on(async {
        // A refusal is in the reports like everything else.
        let _ = host.register(Notes).await;
        let _ = host.register(Numbers).await;
    });
    let reports = host.reports();
    for report in &reports {
        println!("{report}");
    }
    if reports.iter().all(sandshell::Report::is_ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
