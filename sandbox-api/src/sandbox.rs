//! The trait that an assistant builder implements.

use crate::{ArtifactType, Command, Limits, Mount};

/// A filesystem for a model: one tool that runs bash scripts over it. [`description`](Sandbox::description) and
/// [`mounts`](Sandbox::mounts) are all it takes.
///
/// One value serves many users at once: what differs between them is in the [`Scope`](crate::Scope) that readers and
/// commands are given. The host asks for the members when the sandbox is registered and again when
/// [`version`](Sandbox::version) changes; none should do I/O.
pub trait Sandbox: Send + Sync + 'static {
    /// What the model reads when it decides whether to call the tool. The host adds the mounts, the commands, the
    /// limits and what is not there: do not repeat these.
    fn description(&self) -> &str;

    /// The directories.
    fn mounts(&self) -> Vec<Mount>;

    /// What the model calls the tool: 1 to 64 of `a-z A-Z 0-9 _ -`.
    fn function_name(&self) -> &str {
        "sandbox"
    }

    /// Commands beside those of the shell.
    fn commands(&self) -> Vec<Command> {
        Vec::new()
    }

    /// The kinds of documents that scripts may publish.
    fn artifacts(&self) -> Vec<ArtifactType> {
        Vec::new()
    }

    /// The directory where the first script starts, under one of the mounts. Without it: the first writable mount,
    /// else `/home/user`, which is writable and kept with the session.
    fn home(&self) -> Option<&str> {
        None
    }

    /// Variables for every new session.
    fn env(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// What one script may use, within the host's ceilings.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// Whether scripts may run Python, where the host has it.
    fn python(&self) -> bool {
        false
    }

    /// Tells an edited sandbox from the old one: when it changes, the sessions are rebuilt over the new mounts and
    /// keep what was written. The host also notices by itself when a mount's path or kind, a command or a limit
    /// changes.
    fn version(&self) -> String {
        String::new()
    }
}
