//! A sandbox as the host holds it: its members asked once, checked and clamped, until its version changes.

use crate::{commands::Commands, describe::describe};
use sandshell_api::{Approver, Ceilings, Command, Limits, Mount, NameKind, Report, Sandbox, validate};
use sandshell_interpreter::ProgramTable;
use sandshell_kernel::{Program, Vfs};
use std::sync::{Arc, OnceLock};

/// The home of sessions without a writable mount.
const HOME: &str = "/home/user";

/// A sandbox's members.
pub(crate) struct Shape {
    pub name: String,
    pub version: String,
    pub description: String,
    pub home: String,
    pub env: Vec<(String, String)>,
    pub limits: Limits,
    pub mounts: Vec<Mount>,
    pub commands: Vec<Command>,
    /// The shell's programs and the stand-ins for the commands.
    pub programs: Vec<&'static dyn Program>,
    pub runner: Arc<Commands>,
    pub report: Report,
    /// The tree that each session starts from.
    pub base: OnceLock<Result<Arc<Vfs>, String>>,
    /// The programs by name.
    pub table: OnceLock<Arc<ProgramTable>>,
}

/// What of the host goes into a shape.
pub(crate) struct Ground<'a> {
    pub ceilings: &'a Ceilings,
    pub programs: &'a [&'static dyn Program],
    pub approver: Option<Arc<dyn Approver>>,
    pub names: &'a dyn Fn(&str) -> NameKind,
}

impl Shape {
    /// Asks a sandbox for everything. The report tells whether it may be used.
    pub(crate) fn new(sandbox: &dyn Sandbox, ground: &Ground<'_>) -> Shape {
        let mut report = validate(sandbox, ground.names);
        let (limits, clamped) = ground.ceilings.clamp(&sandbox.limits());
        report.findings.extend(clamped);
        let (mounts, commands) = (sandbox.mounts(), sandbox.commands());
        let home = match sandbox.home() {
            Some(home) => home.to_owned(),
            None => mounts.iter().find(|m| m.is_writable()).map_or(HOME, |m| m.path()).to_owned(),
        };
        let runner =
            Arc::new(Commands::new(sandbox.function_name(), commands.clone(), ground.approver.clone()));
        let mut programs = ground.programs.to_vec();
        let added = runner.programs();
        programs.retain(|p| added.iter().all(|a| a.spec().name != p.spec().name));
        programs.extend(added);
        let mut shape = Shape {
            name: sandbox.function_name().to_owned(),
            version: sandbox.version(),
            description: String::new(),
            home,
            env: sandbox.env(),
            limits,
            mounts,
            commands,
            programs,
            runner,
            report,
            base: OnceLock::new(),
            table: OnceLock::new(),
        };
        shape.description = describe(&shape, sandbox.description());
        shape
    }

    /// The limits as the kernel takes them.
    pub(crate) fn kernel_limits(&self) -> sandshell_kernel::Limits {
        let l = &self.limits;
        sandshell_kernel::Limits {
            wall_clock: Some(l.wall_clock),
            memory: l.memory_bytes,
            steps: u64::MAX,
            stages: l.stages,
            function_depth: l.function_depth,
            glob_matches: l.glob_matches,
            overlay_bytes: l.overlay_bytes,
            overlay_files: l.overlay_files,
            host_reads: l.host_reads,
        }
    }
}
