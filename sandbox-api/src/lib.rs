//! What an assistant builder implements to give a model a shell over their data.
//!
//! A [`Sandbox`] describes a filesystem: its [`Mount`]s are filled by async readers that are given the [`Scope`] of
//! the running script, and its [`Command`]s do what a file cannot. Everything else (the shell, the programs, the
//! sessions) belongs to the host. This crate depends on nothing else of the project and runs nothing by itself.
//!
//! ```
//! use sandshell_api::{Command, File, Mount, Reply, Sandbox, Scope, validate, NameKind};
//!
//! struct Fleet;
//!
//! async fn read_vehicles(_scope: Scope) -> sandshell_api::Result<Vec<File>> {
//!     Ok(vec![File::text("B-XY 123.txt", "a red van\n")])
//! }
//!
//! impl Sandbox for Fleet {
//!     fn description(&self) -> &str {
//!         "Every vehicle of the fleet, as files."
//!     }
//!
//!     fn function_name(&self) -> &str {
//!         "fleet"
//!     }
//!
//!     fn mounts(&self) -> Vec<Mount> {
//!         vec![
//!             Mount::live("/vehicles", "one file per vehicle", read_vehicles),
//!             Mount::scratch("/work", "scratch space, kept with the conversation"),
//!         ]
//!     }
//!
//!     fn commands(&self) -> Vec<Command> {
//!         vec![Command::new("vehicle", "vehicle <registration>: the full record of one vehicle", async |call| {
//!             match call.args() {
//!                 [registration] => Ok(Reply::text(format!("{registration} is a red van\n"))),
//!                 _ => call.fail("usage: vehicle <registration>"),
//!             }
//!         })]
//!     }
//! }
//!
//! let report = validate(&Fleet, &|_| NameKind::Unknown);
//! assert!(report.is_clean(), "{report}");
//! ```

mod approval;
mod artifact;
mod cancellation;
mod command;
mod file;
mod limits;
mod mount;
mod report;
mod sandbox;
mod scope;
mod validate;

pub use approval::{ApprovalRequest, Approver, Decision};
pub use artifact::ArtifactType;
pub use async_trait::async_trait;
pub use bytes::Bytes;
pub use cancellation::{Cancellation, Cancelled};
pub use command::{Call, CallParts, Command, FileAccess, FileInfo, Files, Reply, Stdin};
pub use file::{Body, Directory, Entry, File, LazyBody};
pub use limits::{Ceilings, Limits};
pub use mount::{LazySource, ListFn, Mount, ReadFn, ReadRangeFn, Reader, SearchFn, Source, StatFn};
pub use report::{Finding, Report, Severity};
pub use sandbox::Sandbox;
pub use scope::Scope;
pub use validate::{LONG_LISTING, NameKind, RESERVED_MOUNTS, check_listing, validate};

use std::{future::Future, pin::Pin};

/// The error of readers and handlers: whatever the builder's code gives. `?` converts every error type, texts and
/// `anyhow::Error` into it. An [`std::io::Error`] keeps its kind: `NotFound` from a lazy mount is "no such file".
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// What readers and handlers return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A boxed future, as readers and handlers are kept.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;
