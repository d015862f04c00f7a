//! Programs that search and compare: grep, rg, find, fd, xargs, diff, cmp, patch.

mod clock;
mod cmp;
mod diff;
mod fd;
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
    &fd::Fd,
    &find::FindProgram,
    &grep::GREP,
    &grep::EGREP,
    &grep::FGREP,
    &patch::Patch,
    &rg::Rg,
    &xargs::Xargs,
];
