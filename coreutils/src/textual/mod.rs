//! programs about lines of text: cat, sort, cut, tr, …

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[];
