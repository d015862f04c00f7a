//! A tool: a registered sandbox, as a model sees it and as a host calls it.

use crate::{Outcome, Refused, host::Inner, shape::Shape};
use parking_lot::RwLock;
use sandshell_api::{Limits, Report, Sandbox, Scope};
use std::{fmt, sync::Arc};

/// One function for a model: it takes a bash script and gives what the script printed. Cheap to clone.
#[derive(Clone)]
pub struct Tool(Arc<Registered>);

struct Registered {
    id: u64,
    host: Arc<Inner>,
    current: RwLock<(Arc<dyn Sandbox>, Arc<Shape>)>,
}

impl Tool {
    pub(crate) fn new(host: Arc<Inner>, id: u64, sandbox: Arc<dyn Sandbox>, shape: Arc<Shape>) -> Tool {
        Tool(Arc::new(Registered { id, host, current: RwLock::new((sandbox, shape)) }))
    }

    /// The name that the model calls.
    pub fn name(&self) -> String {
        self.shape().name.clone()
    }

    /// The description for the model: the builder's words, the directories, the commands, what is kept, the limits,
    /// and what is not there.
    pub fn description(&self) -> String {
        self.shape().description.clone()
    }

    /// What validation found.
    pub fn report(&self) -> Report {
        self.shape().report.clone()
    }

    /// The limits of one script, within the host's ceilings.
    pub fn limits(&self) -> Limits {
        self.shape().limits.clone()
    }

    /// Puts an edited sandbox in the place of this one. Its sessions are rebuilt over the new mounts at their next
    /// script and keep the files that they wrote.
    pub async fn replace(&self, sandbox: impl Sandbox) -> Result<(), Refused> {
        let sandbox: Arc<dyn Sandbox> = Arc::new(sandbox);
        let shape = self.0.host.check(self.0.id, &*sandbox).await?;
        *self.0.current.write() = (sandbox, shape);
        Ok(())
    }

    /// Runs a script in the session of `conversation`, which is made when it is not there. Scripts of one session run
    /// one after the other, those of different sessions at once. Cancelling the scope, or dropping this future, stops
    /// the script; what it printed (when cancelled) and wrote stays.
    ///
    /// # Errors
    /// Only when nothing could be run: see [`RunError`]. A script that fails is an [`Outcome`].
    pub async fn run(&self, conversation: &str, scope: Scope, script: &str) -> Result<Outcome, RunError> {
        let shape = self.refreshed()?;
        self.0.host.sessions.run(&self.0.host, self.0.id, shape, conversation, scope, script).await
    }

    /// Runs a script given as the arguments of a model's call: `{"script": "…"}`.
    pub async fn call(
        &self,
        conversation: &str,
        scope: Scope,
        arguments: &serde_json::Value,
    ) -> Result<Outcome, RunError> {
        match arguments.get("script").and_then(|s| s.as_str()) {
            Some(script) => self.run(conversation, scope, script).await,
            None => Err(RunError::Arguments(self.name())),
        }
    }

    /// Forgets the session of a conversation and what it wrote.
    pub fn forget(&self, conversation: &str) {
        self.0.host.sessions.forget(conversation, &self.name());
    }

    fn shape(&self) -> Arc<Shape> {
        self.0.current.read().1.clone()
    }

    pub(crate) fn id(&self) -> u64 {
        self.0.id
    }

    /// The shape, asked for anew when the sandbox says that its version has changed.
    fn refreshed(&self) -> Result<Arc<Shape>, RunError> {
        let (sandbox, shape) = self.0.current.read().clone();
        if sandbox.version() == shape.version {
            return Ok(shape);
        }
        let shape = self.0.host.check_quickly(self.0.id, &*sandbox)?;
        self.0.current.write().1 = shape.clone();
        Ok(shape)
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// Why a script could not be run at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The conversation uses another tool of this name.
    #[error("this conversation has another tool named `{0}`")]
    NameTaken(String),
    /// The sandbox changed and has errors now.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The arguments of a call hold no script.
    #[error("call `{0}` with one argument, the string `script`")]
    Arguments(String),
    /// The mounts of the sandbox cannot be put together.
    #[error("the session cannot be made: {0}")]
    Session(String),
}
