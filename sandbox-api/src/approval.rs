//! Asking somebody before a command runs.

use crate::{Scope, async_trait};

/// Decides about commands that [need approval](crate::Command::needs_approval): a dialog in the chat, a rule, a log.
/// The script waits (its wall clock goes on); dropping the future means that nobody waits for the answer any more.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Whether the command may run.
    async fn approve(&self, request: &ApprovalRequest) -> Decision;
}

/// What is to be approved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The scope of the script.
    pub scope: Scope,
    /// The function name of the sandbox.
    pub tool: String,
    /// The command's name.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What the sandbox says would happen.
    pub summary: String,
}

impl ApprovalRequest {
    /// A request, made by a host.
    pub fn new(scope: Scope, tool: String, command: String, args: Vec<String>, summary: String) -> Self {
        ApprovalRequest { scope, tool, command, args, summary }
    }
}

/// An [`Approver`]'s answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may run.
    Approved,
    /// It may not; the reason is shown to the model.
    Denied(String),
}
