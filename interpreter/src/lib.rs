//! bash: parsing, expansion, execution, shell builtins, the state of one session.
//!
//! A [`Session`] holds what outlives a script; [`Session::run_blocking`] runs one on the caller's thread.

pub mod builtins;
pub mod exec;
pub mod expand;
pub mod session;
pub mod syntax;

pub use session::{Config, Outcome, Session, script::ProgramTable};
