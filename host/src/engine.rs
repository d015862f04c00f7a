//! One session's shell and tree, and how they are made from a shape.

use crate::{
    Stopped,
    call::make_directories,
    describe::WISHED,
    host::Inner,
    outcome::{Change, ChangeKind},
    shape::Shape,
};
use sandshell_api::NameKind;
use sandshell_interpreter::{Config, ProgramTable, Session};
use sandshell_kernel::{
    Budget, Bytes, Errno, Error, Fd, FdTable, Files, Limits, Program, Run, Vfs,
    stream::device::Device,
    vfs::{self, Snapshot},
};
use std::{collections::VecDeque, panic::AssertUnwindSafe, sync::Arc};

/// Where whole outputs are kept.
const OUTPUT: &str = "/tmp/output";
/// How many of them are kept.
const OUTPUTS: usize = 16;
/// They take no more than this part of the session's bytes.
const OUTPUT_SHARE: u64 = 8;

/// What a session's scripts run in.
pub(crate) struct Engine {
    shape: Arc<Shape>,
    vfs: Arc<Vfs>,
    /// Gone while a script runs, and after one that crashed the shell.
    shell: Option<Session>,
    hostname: Arc<str>,
    /// The outputs that are kept, by number and length.
    outputs: VecDeque<(u64, u64)>,
}

impl Engine {
    /// A new session.
    pub(crate) fn new(shape: &Arc<Shape>, host: &Inner) -> Result<Engine, String> {
        let base = shape.base.get_or_init(|| tree(shape, host, None)).clone()?;
        Ok(Engine {
            shape: shape.clone(),
            vfs: base.fork(),
            shell: None,
            hostname: host.hostname.clone(),
            outputs: VecDeque::new(),
        })
    }

    /// Whether it was made from this very shape.
    pub(crate) fn is_of(&self, shape: &Arc<Shape>) -> bool {
        Arc::ptr_eq(&self.shape, shape)
    }

    /// Goes on over an edited sandbox: the files that were written stay, the shell begins anew.
    pub(crate) fn rebuild(&mut self, shape: &Arc<Shape>, host: &Inner) -> Result<(), String> {
        self.vfs = tree(shape, host, Some(&self.vfs))?;
        self.shape = shape.clone();
        self.shell = None;
        Ok(())
    }

    /// The tree as it is now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.vfs.snapshot()
    }

    /// Runs one script on this thread: its status, and why it was stopped.
    pub(crate) fn run(
        &mut self,
        script: &str,
        stdout: Fd,
        stderr: Fd,
        run: Arc<Run>,
        budget: Budget,
    ) -> (u8, Option<Stopped>) {
        let mut shell = self.shell.take().unwrap_or_else(|| self.new_shell());
        let io = (Arc::new(Device::Null) as Fd, stdout, stderr);
        let script = Bytes::copy_from_slice(script.as_bytes());
        let ended = std::panic::catch_unwind(AssertUnwindSafe(move || {
            let outcome = shell.run_blocking(script, io, run, budget);
            (outcome, shell)
        }));
        match ended {
            Ok((outcome, shell)) => {
                self.shell = Some(shell);
                (outcome.status, outcome.stopped.map(|s| Stopped::new(s, &self.shape.limits)))
            }
            Err(_) => (1, Some(Stopped::Fault)),
        }
    }

    fn new_shell(&self) -> Session {
        let programs =
            self.shape.table.get_or_init(|| Arc::new(ProgramTable::new(&self.shape.programs))).clone();
        let mut config = Config::new(programs, self.vfs.clone());
        config.cwd = self.shape.home.clone().into();
        config.hostname = self.hostname.clone();
        config.env = base_env(&self.shape.home);
        config.env.extend(self.shape.env.iter().map(|(n, v)| (n.clone().into(), v.clone().into())));
        Session::new(config)
    }

    /// What a script changed, but for the directories that are not the user's work.
    pub(crate) fn changes(&self, before: &Snapshot) -> Vec<Change> {
        let passing =
            |path: &[u8]| [&b"/tmp/"[..], b"/var/tmp/", b"/dev/"].iter().any(|d| path.starts_with(d));
        let changes = before.changes(&self.vfs.snapshot());
        let kept = changes.into_iter().filter(|c| !passing(&c.path));
        kept.map(|c| Change {
            path: String::from_utf8_lossy(&c.path).into_owned(),
            kind: match c.kind {
                vfs::ChangeKind::Created => ChangeKind::Created,
                vfs::ChangeKind::Changed => ChangeKind::Changed,
                vfs::ChangeKind::Removed => ChangeKind::Removed,
            },
        })
        .collect()
    }

    /// Keeps the whole output of script `number`, dropping old ones so that all of them together stay a small part of
    /// what the session may hold: its path.
    pub(crate) fn keep_output(&mut self, number: u64, text: &[u8], run: &Arc<Run>) -> Option<String> {
        let budget = Budget::new(Limits::unlimited());
        let files =
            Files::new(self.vfs.clone(), run.clone(), &budget, Bytes::from_static(b"/"), FdTable::default());
        let place = |n: u64| format!("{OUTPUT}/{n}.txt");
        make_directories(&files, OUTPUT.as_bytes()).ok()?;
        let room = self.shape.limits.overlay_bytes / OUTPUT_SHARE;
        let text = Bytes::copy_from_slice(text);
        self.outputs.push_back((number, text.len() as u64));
        loop {
            let all: u64 = self.outputs.iter().map(|(_, len)| len).sum();
            let written = match self.outputs.len() > OUTPUTS || all > room {
                true => Err(Errno::ENOSPC.into()),
                false => files.write(place(number).as_bytes(), text.clone()),
            };
            match (written, self.outputs.front()) {
                (Ok(()), _) => return Some(place(number)),
                (Err(Error::Os(Errno::ENOSPC)), Some(&(oldest, _))) if oldest != number => {
                    self.outputs.pop_front();
                    // The script may have removed it itself.
                    let _ = files.unlink(place(oldest).as_bytes());
                }
                _ => {
                    self.outputs.pop_back();
                    let _ = files.unlink(place(number).as_bytes());
                    return None;
                }
            }
        }
    }
}

/// The tree of a shape's sessions, or of one that goes on.
fn tree(shape: &Shape, host: &Inner, session: Option<&Vfs>) -> Result<Arc<Vfs>, String> {
    let mut builder = Vfs::builder();
    if let Some(session) = session {
        builder = builder.continuing(session);
    }
    let mut builder = builder
        .home(shape.home.as_bytes())
        .hostname(&host.hostname)
        .programs(shape.programs.iter().map(|p| p.spec().name))
        .quota(shape.limits.overlay_bytes, shape.limits.overlay_files);
    for mount in &shape.mounts {
        builder = builder.mount(mount).map_err(|e| format!("{}: {e}", mount.path()))?;
    }
    builder.build().map_err(|e| e.to_string())
}

/// The variables that every shell starts with.
pub fn base_env(home: &str) -> Vec<(Bytes, Bytes)> {
    [
        ("HOME", home),
        ("USER", "user"),
        ("LOGNAME", "user"),
        ("SHELL", "/bin/bash"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
    ]
    .map(|(n, v)| (Bytes::from_static(n.as_bytes()), Bytes::copy_from_slice(v.as_bytes())))
    .to_vec()
}

/// What a shell with these programs knows a name as.
pub(crate) fn name_kind(name: &str, programs: &[&'static dyn Program]) -> NameKind {
    if sandshell_interpreter::syntax::print::is_reserved(name.as_bytes()) {
        NameKind::Keyword
    } else if sandshell_interpreter::builtins::find(name.as_bytes()).is_some() {
        NameKind::Builtin
    } else if programs.iter().any(|p| p.spec().name == name) || matches!(name, "bash" | "sh") {
        NameKind::Program
    } else if WISHED.contains(&name) {
        NameKind::Placeholder
    } else {
        NameKind::Unknown
    }
}
