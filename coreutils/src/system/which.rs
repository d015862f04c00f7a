//! `which`: where a program lies (Debian's debianutils).

use crate::cli;
use sandshell_kernel::{Bytes, FileKind, Process, Program, Result, Status, vfs::Permission};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `which`
pub struct Which;

static SPEC: Spec = Spec {
    name: "which",
    about: "Write the full path of each COMMAND that PATH leads to.",
    synopsis: &["[-as] args"],
    options: &[
        Opt::short('a', "print all matching pathnames of each argument"),
        Opt::short('s', "silently return 0 if all of the executables were found or 1 otherwise"),
    ],
    notes: "",
    version: "which (debianutils) 5.7",
    examples: &[Example { script: "which cat", output: "/usr/bin/cat\n" }],
};

impl Program for Which {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::First, 2)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let (all, silent) = (parsed.has("a"), parsed.has("s"));
        let path = process.env.get("PATH").cloned().unwrap_or(Bytes::from_static(b"/usr/bin:/bin"));
        let mut status = if parsed.operands.is_empty() { Status::FAILURE } else { Status::OK };
        for name in &parsed.operands {
            let mut found = false;
            let candidates: Vec<Vec<u8>> = if name.contains(&b'/') {
                vec![name.to_vec()]
            } else {
                path.split(|b| *b == b':')
                    .map(|d| [if d.is_empty() { b"." } else { d }, b"/", name].concat())
                    .collect()
            };
            for c in candidates {
                let runs = process.files.stat_cheap(&c, true).is_ok_and(|(s, _)| s.kind == FileKind::File)
                    && process.files.access(&c, Permission::Execute).is_ok();
                if runs {
                    found = true;
                    if !silent {
                        process.stdout.line(&c)?;
                    }
                    if !all {
                        break;
                    }
                }
            }
            if !found {
                status = Status::FAILURE;
            }
        }
        Ok(status)
    }
}
