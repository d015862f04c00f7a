//! The host: what all tools of a process share, and the register of sandboxes.

use crate::{
    Tool,
    probe::probe,
    sessions::Sessions,
    shape::{Ground, Shape},
};
use parking_lot::Mutex;
use sandshell_api::{Approver, Ceilings, NameKind, Report, Sandbox, Scope, Severity};
use sandshell_kernel::{Program, host_call};
use std::{fmt, sync::Arc, time::Duration};

/// How long a session without scripts stays in memory.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// How long the reader of a mount may take while a sandbox is registered.
const PROBE: Duration = Duration::from_secs(5);

/// Registers sandboxes and runs their tools. Cheap to clone.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

pub(crate) struct Inner {
    pub runtime: tokio::runtime::Handle,
    pub ceilings: Ceilings,
    pub approver: Option<Arc<dyn Approver>>,
    pub programs: Vec<&'static dyn Program>,
    pub sessions: Sessions,
    pub hostname: Arc<str>,
    probe_scope: Scope,
    probe_limit: Duration,
    reports: Mutex<Vec<(u64, Report)>>,
}

/// Sets up a [`Host`].
pub struct HostBuilder {
    runtime: Option<tokio::runtime::Handle>,
    ceilings: Ceilings,
    approver: Option<Arc<dyn Approver>>,
    programs: Vec<&'static dyn Program>,
    hostname: String,
    idle: Duration,
    probe_scope: Scope,
    probe_limit: Duration,
}

impl HostBuilder {
    /// The runtime that readers and commands run on; without it, the one that [`HostBuilder::build`] is called in.
    /// A current-thread runtime is enough.
    pub fn runtime(mut self, runtime: tokio::runtime::Handle) -> HostBuilder {
        self.runtime = Some(runtime);
        self
    }

    /// The most that any sandbox gets.
    pub fn ceilings(mut self, ceilings: Ceilings) -> HostBuilder {
        self.ceilings = ceilings;
        self
    }

    /// Who is asked about commands that need approval. Without one they fail.
    pub fn approver(mut self, approver: impl Approver + 'static) -> HostBuilder {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Adds programs for all sandboxes.
    pub fn programs(mut self, programs: &[&'static dyn Program]) -> HostBuilder {
        self.programs.extend_from_slice(programs);
        self
    }

    /// What `hostname` says: `sandbox` without it.
    pub fn hostname(mut self, name: impl Into<String>) -> HostBuilder {
        self.hostname = name.into();
        self
    }

    /// How long a session stays in memory after its last script: 30 minutes without it.
    pub fn idle(mut self, time: Duration) -> HostBuilder {
        self.idle = time;
        self
    }

    /// The scope that mounts are listed with while a sandbox is registered; empty without it. Readers that need a
    /// user should be given a harmless one.
    pub fn probe_scope(mut self, scope: Scope) -> HostBuilder {
        self.probe_scope = scope;
        self
    }

    /// How long each reader may take while a sandbox is registered: 5 s without it.
    pub fn probe_limit(mut self, limit: Duration) -> HostBuilder {
        self.probe_limit = limit;
        self
    }

    /// The host.
    ///
    /// # Panics
    /// When no runtime was given and it is not called within one.
    pub fn build(self) -> Host {
        Host(Arc::new(Inner {
            runtime: self.runtime.unwrap_or_else(tokio::runtime::Handle::current),
            ceilings: self.ceilings,
            approver: self.approver,
            programs: self.programs,
            sessions: Sessions::new(self.idle),
            hostname: self.hostname.into(),
            probe_scope: self.probe_scope,
            probe_limit: self.probe_limit,
            reports: Mutex::default(),
        }))
    }
}

impl Host {
    /// To set up a host. It has no programs but the shell's builtins until they are added; the `sandshell` crate's
    /// `host()` adds them all.
    pub fn builder() -> HostBuilder {
        HostBuilder {
            runtime: None,
            ceilings: Ceilings::default(),
            approver: None,
            programs: Vec::new(),
            hostname: "sandbox".into(),
            idle: IDLE,
            probe_scope: Scope::new(),
            probe_limit: PROBE,
        }
    }

    /// Checks a sandbox, listing each of its mounts once, and makes a tool of it. A sandbox with errors is refused;
    /// in any case the report is listed by [`Host::reports`].
    pub async fn register(&self, sandbox: impl Sandbox) -> Result<Tool, Refused> {
        let sandbox: Arc<dyn Sandbox> = Arc::new(sandbox);
        let id = next_id();
        let shape = self.0.check(id, &*sandbox).await?;
        Ok(Tool::new(self.0.clone(), id, sandbox, shape))
    }

    /// The reports of all sandboxes that were ever registered or refused, oldest first; a replaced one has its newest.
    pub fn reports(&self) -> Vec<Report> {
        self.0.reports.lock().iter().map(|(_, r)| r.clone()).collect()
    }

    /// What the shell of this host knows a name as, for [`validate`](sandshell_api::validate).
    pub fn name_kind(&self, name: &str) -> NameKind {
        self.0.name_kind(name)
    }

    /// How many sessions are in memory.
    pub fn sessions(&self) -> usize {
        self.0.sessions.len()
    }
}

impl Inner {
    /// Both passes of validation.
    pub(crate) async fn check(&self, id: u64, sandbox: &dyn Sandbox) -> Result<Arc<Shape>, Refused> {
        let mut shape = self.shape(sandbox);
        if shape.report.is_ok() {
            let found = probe(&shape.mounts, &self.probe_scope, &self.runtime, self.probe_limit).await;
            shape.report.findings.extend(found);
        }
        self.admit(id, shape)
    }

    /// The first pass alone: for a sandbox whose version changed between two scripts.
    pub(crate) fn check_quickly(&self, id: u64, sandbox: &dyn Sandbox) -> Result<Arc<Shape>, Refused> {
        self.admit(id, self.shape(sandbox))
    }

    fn shape(&self, sandbox: &dyn Sandbox) -> Shape {
        let ground = Ground {
            ceilings: &self.ceilings,
            programs: &self.programs,
            approver: self.approver.clone(),
            names: &|name| self.name_kind(name),
        };
        Shape::new(sandbox, &ground)
    }

    fn admit(&self, id: u64, shape: Shape) -> Result<Arc<Shape>, Refused> {
        let report = shape.report.clone();
        let mut reports = self.reports.lock();
        match reports.iter_mut().find(|(i, _)| *i == id) {
            Some((_, old)) => *old = report.clone(),
            None => reports.push((id, report.clone())),
        }
        match report.is_ok() {
            true => Ok(Arc::new(shape)),
            false => Err(Refused(report)),
        }
    }

    fn name_kind(&self, name: &str) -> NameKind {
        crate::engine::name_kind(name, &self.programs)
    }

    pub(crate) fn host_call(&self) -> host_call::Host {
        host_call::Host::new(self.runtime.clone())
    }
}

fn next_id() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// A sandbox has errors: the report tells which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub Report);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.0.findings.iter().filter(|x| x.severity == Severity::Error);
        write!(f, "the sandbox `{}` is refused", self.0.sandbox)?;
        for (i, e) in errors.enumerate() {
            write!(f, "{} {}: {}", if i == 0 { ":" } else { ";" }, e.shown_subject(), e.reason)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}
