//! programs about the process and the machine: env, date, sleep, id, …

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[];
