//! programs about files: ls, cp, mv, rm, stat, du, …

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[];
