//! Programs that search and compare: grep, rg, find, xargs, diff, cmp, patch.

mod clock;
mod diff;
mod find;
mod grep;
mod pattern;
mod rg;
mod scan;
mod walk;
mod xargs;

use sandshell_kernel::Program;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] =
    &[&diff::Diff, &find::FindProgram, &grep::GREP, &grep::EGREP, &grep::FGREP, &rg::Rg, &xargs::Xargs];
