//! Programs that search and compare: grep, rg, find, xargs, diff, cmp, patch.

mod clock;
mod cmp;
mod diff;
mod find;
mod grep;
mod patch;
mod pattern;
mod rg;
mod scan;
mod walk;
mod xargs;

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[
    &cmp::Cmp,
    &diff::Diff,
    &find::FindProgram,
    &grep::GREP,
    &grep::EGREP,
    &grep::FGREP,
    &patch::Patch,
    &rg::Rg,
    &xargs::Xargs,
];
