//! A sandbox's commands as programs: the shell starts a stand-in, which finds its command through the run and waits
//! for the async handler.

use crate::call::{ScriptFiles, ScriptStdin};
use futures_util::FutureExt;
use parking_lot::Mutex;
use sandshell_api::{ApprovalRequest, Approver, Call, CallParts, Command, Decision, Reply};
use sandshell_kernel::{Error, HostCommands, Process, Program, Result, Status};
use sandshell_text::options::Spec;
use std::{
    collections::HashMap,
    panic::AssertUnwindSafe,
    sync::{Arc, LazyLock},
};

/// The commands of one sandbox.
pub(crate) struct Commands {
    tool: String,
    approver: Option<Arc<dyn Approver>>,
    by_name: HashMap<String, Command>,
}

impl Commands {
    pub(crate) fn new(tool: &str, commands: Vec<Command>, approver: Option<Arc<dyn Approver>>) -> Commands {
        let by_name = commands.into_iter().map(|c| (c.name().to_owned(), c)).collect();
        Commands { tool: tool.to_owned(), approver, by_name }
    }

    /// The programs that stand for them in the shell's table.
    pub(crate) fn programs(&self) -> Vec<&'static dyn Program> {
        self.by_name.values().map(|c| stand_in(c.name(), c.usage())).collect()
    }

    /// Asks the approver: why the command may not run, if it may not.
    fn refusal(&self, command: &Command, call: &Call, process: &Process) -> Result<Option<String>> {
        let Some(summary) = command.approval() else { return Ok(None) };
        let (Some(approver), Some(host)) = (self.approver.clone(), &process.files.run().host) else {
            return Ok(Some("needs approval, and this host has nobody to ask".into()));
        };
        let request = ApprovalRequest::new(
            call.scope().clone(),
            self.tool.clone(),
            command.name().to_owned(),
            call.args().to_vec(),
            summary.to_owned(),
        );
        let asked = async move { AssertUnwindSafe(approver.approve(&request)).catch_unwind().await };
        Ok(match host.wait(&process.budget, asked)? {
            Ok(Decision::Approved) => None,
            Ok(Decision::Denied(reason)) if reason.is_empty() => Some("not approved".into()),
            Ok(Decision::Denied(reason)) => Some(format!("not approved: {reason}")),
            Err(_) => Some("not approved: asking failed".into()),
        })
    }
}

impl HostCommands for Commands {
    fn run(&self, name: &str, process: &mut Process) -> Result<Status> {
        let run = process.files.run().clone();
        let (Some(command), Some(host)) = (self.by_name.get(name), &run.host) else {
            process.error(format_args!("the host cannot run this command"))?;
            return Ok(Status::FAILURE);
        };
        if matches!(&process.args[1..], [help] if help == "--help") {
            process.stdout.line(command.usage().trim_end().as_bytes())?;
            return Ok(Status::OK);
        }
        // A token of its own: it is cancelled when this call is given up, be it by `timeout` alone.
        let token = run.scope.cancellation().child();
        let stdin = Arc::new(ScriptStdin::new(process));
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        let call = Call::new(CallParts {
            scope: run.scope.clone().with_cancellation(token.clone()),
            name: name.to_owned(),
            text_args: process.args[1..].iter().map(|a| text(a)).collect(),
            args: process.args[1..].to_vec(),
            env: process.env.iter().cloned().collect(),
            cwd: text(process.files.cwd()),
            stdin: stdin.clone(),
            files: Arc::new(ScriptFiles::new(&process.files)),
        });
        if let Some(refusal) = self.refusal(command, &call, process)? {
            process.error(format_args!("{refusal}"))?;
            return Ok(Status::FAILURE);
        }
        let command = command.clone();
        let answer = host.wait(&process.budget, async move {
            AssertUnwindSafe(async move { command.call(call).await }).catch_unwind().await
        });
        stdin.close();
        let reply = match answer {
            Ok(Ok(Ok(reply))) => reply,
            Ok(Ok(Err(fault))) => {
                Reply::new().with_stderr(format!("{name}: the command failed: {fault}\n")).with_status(1)
            }
            Ok(Err(panic)) => {
                let why = panic
                    .downcast_ref::<&str>()
                    .map(|s| (*s).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_else(|| "no reason given".into());
                Reply::new().with_stderr(format!("{name}: the command crashed: {why}\n")).with_status(1)
            }
            Err(Error::Os(_)) => {
                Reply::new().with_stderr(format!("{name}: the host is shutting down\n")).with_status(1)
            }
            Err(stop) => {
                token.cancel();
                return Err(stop);
            }
        };
        let (stdout, stderr, status) = reply.into_parts();
        process.stdout.chunk(stdout)?;
        if !stderr.is_empty() {
            process.stdout.flush()?;
            process.write_error(&stderr)?;
        }
        Ok(Status(status))
    }
}

/// Stands for a command in the shell's table of programs.
struct StandIn {
    spec: &'static Spec,
}

impl Program for StandIn {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        match process.files.run().commands.clone() {
            Some(commands) => commands.run(self.spec.name, process),
            None => {
                process.error(format_args!("the host cannot run this command"))?;
                Ok(Status::FAILURE)
            }
        }
    }
}

/// The stand-in for a command. Made once per name and usage and then kept for good, so that registering a sandbox
/// again and again costs nothing.
fn stand_in(name: &str, usage: &str) -> &'static dyn Program {
    static MADE: LazyLock<Mutex<HashMap<(String, String), &'static StandIn>>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock();
    *made.entry((name.to_owned(), usage.to_owned())).or_insert_with(|| {
        let keep = |s: &str| -> &'static str { Box::leak(s.to_owned().into_boxed_str()) };
        let spec = Spec {
            name: keep(name),
            about: keep(usage),
            synopsis: &[],
            options: &[],
            notes: "",
            version: "",
            examples: &[],
        };
        Box::leak(Box::new(StandIn { spec: Box::leak(Box::new(spec)) }))
    })
}
