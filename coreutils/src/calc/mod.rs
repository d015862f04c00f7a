//! expr, bc, seq, numfmt and other arithmetic

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[];
