//! What an operating system gives its programs: paths, the virtual filesystem, byte streams and pipes,
//! processes, budgets. Knows no shell syntax and no program.

pub mod budget;
pub mod error;
pub mod file_test;
pub mod host_call;
pub mod process;
pub mod stream;
pub mod threads;
pub mod vfs;

pub use budget::{Budget, Limits, Reservation};
pub use bytes::Bytes;
pub use error::{Errno, Error, Result, Stop};
pub use process::{Child, Env, FdTable, HostCommands, Process, Program, Run, Spawn, Spawner, Status};
pub use stream::{Description, Fd, Input, Line, Output};
pub use vfs::{DirEntry, FileKind, Files, OpenOptions, Stat, Time, Vfs};
