//! The programs: `ls`, `grep`, `sed`, `awk`, `jq` and the others. Each is a [`Program`]; none knows the shell.

use sandshell_kernel::Program;
use std::sync::LazyLock;

pub mod archive;
pub mod awk;
pub mod calc;
pub mod cli;
pub mod files;
pub mod jq;
pub mod search;
pub mod sed;
pub mod system;
pub mod textual;
pub mod users;

/// Every program, sorted by name.
pub fn programs() -> &'static [&'static dyn Program] {
    static ALL: LazyLock<Vec<&'static dyn Program>> = LazyLock::new(|| {
        let families = [
            archive::PROGRAMS,
            awk::PROGRAMS,
            calc::PROGRAMS,
            files::PROGRAMS,
            jq::PROGRAMS,
            search::PROGRAMS,
            sed::PROGRAMS,
            system::PROGRAMS,
            textual::PROGRAMS,
        ];
        let mut all = families.concat();
        all.sort_by_key(|p| p.spec().name);
        all
    });
    &ALL
}
