//! tar, gzip and their kin, hashes, encodings

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[];
