//! A bash with GNU tools that runs inside your process, over a filesystem that your code describes: the one tool that
//! a model needs to work on your data.
//!
//! Implement [`Sandbox`], register it, and hand the [`Tool`] to a model:
//!
//! ```
//! use sandshell::prelude::*;
//!
//! struct Notes;
//!
//! impl Sandbox for Notes {
//!     fn description(&self) -> &str {
//!         "The user's notes."
//!     }
//!
//!     fn function_name(&self) -> &str {
//!         "notes"
//!     }
//!
//!     fn mounts(&self) -> Vec<Mount> {
//!         vec![
//!             Mount::live("/notes", "one .md per note", async |_scope| {
//!                 Ok(vec![File::text("today.md", "buy milk\n"), File::text("later.md", "paint the fence\n")])
//!             }),
//!             Mount::scratch("/work", "your own files"),
//!         ]
//!     }
//! }
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let host = sandshell::host().build();
//! let tool = host.register(Notes).await?;
//! println!("{}", tool.anthropic()); // or openai(), mcp(): what the API of the model takes
//!
//! let outcome = tool.run("conversation 1", Scope::new(), "grep -l milk /notes/*").await?;
//! assert_eq!(outcome.text(), "/notes/today.md\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod examples;
#[cfg(feature = "cli")]
pub mod prompt;

pub use sandshell_api::*;
pub use sandshell_host::{
    Change, ChangeKind, Clamped, Conversation, Cut, DuplicateName, Host, HostBuilder, Outcome, Refused,
    RunError, Stopped, Tool,
};

/// The parts that the other crates are made of, for those who build further: the kernel, the shell, the programs.
pub mod parts {
    pub use sandshell_coreutils as coreutils;
    pub use sandshell_host as host;
    pub use sandshell_interpreter as interpreter;
    pub use sandshell_kernel as kernel;
}

/// What most sandboxes need.
pub mod prelude {
    pub use crate::{
        ApprovalRequest, Approver, ArtifactType, Bytes, Call, Cancellation, Ceilings, Command, Conversation,
        Decision, Directory, Entry, File, Host, LazySource, Limits, Mount, Outcome, Reply, Sandbox, Scope,
        Tool, async_trait,
    };
}

/// Sets up a host with all programs of this crate.
pub fn host() -> HostBuilder {
    Host::builder().programs(sandshell_coreutils::programs())
}
