//! What the tests of the whole project share: [`Script`], which runs a script in a fresh session in memory and checks
//! what came of it.
//!
//! ```
//! use sandshell_tests::Script;
//! Script::new("sort -n f").file("/work/f", "2\n1\n").stdout("1\n2\n").ok();
//! ```

use sandshell::parts::{
    coreutils,
    interpreter::{Config, ProgramTable, Session},
    kernel::{
        Budget, Bytes, Fd, FdTable, Files, Limits, Run, Stop, Vfs,
        stream::{capture, device::Device},
    },
};
use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

/// A script and what is expected of it. Nothing is checked until one of the ending methods ([`Script::ok`],
/// [`Script::status`], [`Script::run`]).
#[must_use]
pub struct Script {
    text: String,
    files: Vec<(String, Vec<u8>)>,
    stdin: Option<Vec<u8>>,
    limits: Limits,
    stdout: Option<Vec<u8>>,
    stderr: Option<Vec<u8>>,
    env: Vec<(String, String)>,
}

/// What came of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit status.
    pub status: u8,
    /// Why it was stopped, if it was.
    pub stopped: Option<Stop>,
}

static TABLE: LazyLock<Arc<ProgramTable>> =
    LazyLock::new(|| Arc::new(ProgramTable::new(coreutils::programs())));

/// The environment that cases are recorded in, but for the paths.
const ENV: &[(&str, &str)] = &[
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("HOME", "/home/user"),
    ("USER", "user"),
    ("LOGNAME", "user"),
    ("SHELL", "/bin/bash"),
    ("TERM", "dumb"),
    ("TMPDIR", "/tmp"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
];

impl Script {
    /// A script that starts in `/work`, an empty writable directory.
    pub fn new(text: impl Into<String>) -> Script {
        let limits = Limits { wall_clock: Some(Duration::from_secs(30)), ..Limits::default() };
        Script {
            text: text.into(),
            files: vec![],
            stdin: None,
            limits,
            stdout: None,
            stderr: None,
            env: vec![],
        }
    }

    /// A file that is there before the script runs; its directories are made.
    pub fn file(mut self, path: &str, content: impl AsRef<[u8]>) -> Script {
        self.files.push((path.into(), content.as_ref().to_vec()));
        self
    }

    /// Standard input; without it there is none.
    pub fn stdin(mut self, text: impl AsRef<[u8]>) -> Script {
        self.stdin = Some(text.as_ref().to_vec());
        self
    }

    /// An environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Script {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Changes the limits.
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Script {
        change(&mut self.limits);
        self
    }

    /// Expects exactly this on standard output.
    pub fn stdout(mut self, text: impl AsRef<[u8]>) -> Script {
        self.stdout = Some(text.as_ref().to_vec());
        self
    }

    /// Expects exactly this on standard error.
    pub fn stderr(mut self, text: impl AsRef<[u8]>) -> Script {
        self.stderr = Some(text.as_ref().to_vec());
        self
    }

    /// Runs it and expects status 0.
    #[track_caller]
    pub fn ok(self) {
        self.status(0);
    }

    /// Runs it and expects this status.
    #[track_caller]
    pub fn status(self, status: u8) {
        let (text, stdout, stderr) = (self.text.clone(), self.stdout.clone(), self.stderr.clone());
        let ran = self.run();
        let show = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        let context = format!("script: {text}\nstdout: {}\nstderr: {}", show(&ran.stdout), show(&ran.stderr));
        if let Some(want) = stdout {
            assert_eq!(show(&ran.stdout), show(&want), "standard output differs\n{context}");
            assert_eq!(ran.stdout, want, "standard output differs in bytes that are no text\n{context}");
        }
        if let Some(want) = stderr {
            assert_eq!(show(&ran.stderr), show(&want), "standard error differs\n{context}");
        }
        assert_eq!(ran.status, status, "status differs\n{context}");
    }

    /// Runs it and gives what came of it.
    pub fn run(self) -> Ran {
        let mut builder = Vfs::builder()
            .home(b"/home/user")
            .directory(b"/work")
            .programs(coreutils::programs().iter().map(|p| p.spec().name));
        for (path, content) in &self.files {
            builder = builder.file(path.as_bytes(), 0o644, Bytes::copy_from_slice(content));
        }
        let vfs = builder.build().expect("the files can be made");
        let mut config = Config::new(TABLE.clone(), vfs.clone());
        config.cwd = Bytes::from_static(b"/work");
        let env = ENV.iter().map(|(n, v)| (n.to_string(), v.to_string()));
        let own = self.env.iter().cloned();
        config.env = env
            .filter(|(n, _)| !self.env.iter().any(|(o, _)| o == n))
            .chain(own)
            .map(|(n, v)| (Bytes::from(n), Bytes::from(v)))
            .collect();
        run_session(&mut Session::new(config), self.text.as_bytes(), self.stdin, self.limits)
    }
}

/// Runs `script` in a session that may have run others before.
pub fn run_session(session: &mut Session, script: &[u8], stdin: Option<Vec<u8>>, limits: Limits) -> Ran {
    // What is gathered here is not charged to the script.
    let own = Budget::new(Limits::unlimited());
    let (stdout, stderr) = (capture::Buffer::new(&own), capture::Buffer::new(&own));
    let stdin: Fd = match stdin {
        Some(text) => capture::Fixed::new(Bytes::from(text)),
        None => Arc::new(Device::Null),
    };
    let run = Run::new(Default::default(), None);
    let io = (stdin, stdout.clone() as Fd, stderr.clone() as Fd);
    let outcome = session.run_blocking(Bytes::copy_from_slice(script), io, run, Budget::new(limits));
    Ran { stdout: stdout.take(), stderr: stderr.take(), status: outcome.status, stopped: outcome.stopped }
}

/// The files of a session, to look at from outside.
pub fn files_of(session: &Session) -> Files {
    let budget = Budget::new(Limits::unlimited());
    let run = Run::new(Default::default(), None);
    Files::new(session.vfs().clone(), run, &budget, Bytes::from_static(b"/"), FdTable::default())
}
