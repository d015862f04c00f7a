//! `pwd` as a program: the directory, with or without links.

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `pwd`
pub struct Pwd;

static SPEC: Spec = Spec {
    name: "pwd",
    about: "Print the full filename of the current working directory.",
    synopsis: &["[OPTION]..."],
    options: &[
        Opt::new('L', "logical", "use PWD from environment, even if it contains symlinks"),
        Opt::new('P', "physical", "avoid all symlinks"),
    ],
    notes: "If no option is specified, -P is assumed.",
    version: "pwd (GNU coreutils) 9.1",
    examples: &[Example { script: "cd /tmp; env pwd", output: "/tmp\n" }],
};

impl Program for Pwd {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        if !parsed.operands.is_empty() {
            process.error(format_args!("ignoring non-option arguments"))?;
        }
        let logical = parsed.options.last().is_some_and(|f| f.id == "logical");
        let dir: Bytes = if logical { process.files.cwd().clone() } else { process.files.real_path(b".")? };
        process.stdout.line(&dir)?;
        Ok(Status::OK)
    }
}
