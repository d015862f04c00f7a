//! Makes tools for models out of sandboxes: registers and checks them, keeps a session per conversation and tool, runs
//! scripts on threads of its own, and turns what they print into something a model can read.
//!
//! Scripts block, the host's code is async: nothing of a script runs on the host's runtime but the readers and
//! commands of the sandbox, which are spawned there.

mod call;
mod clamp;
mod commands;
mod conversation;
mod describe;
mod engine;
mod host;
mod outcome;
mod probe;
mod sessions;
mod shape;
mod shapes;
mod tool;
mod transcript;

pub use clamp::Clamped;
pub use conversation::{Conversation, DuplicateName};
pub use engine::base_env;
pub use host::{Host, HostBuilder, Refused};
pub use outcome::{Change, ChangeKind, Cut, Outcome, Stopped};
pub use tool::{RunError, Tool};
pub use transcript::{KEPT, Printed, Transcript};
