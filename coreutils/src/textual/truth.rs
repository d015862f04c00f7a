//! `true` and `false`.

use sandshell_kernel::{Process, Program, Result, Status};
use sandshell_text::options::{Example, Spec};

/// `true`
pub struct True;

/// `false`
pub struct False;

static TRUE: Spec = Spec {
    name: "true",
    about: "Exit with a status code indicating success.",
    synopsis: &["[ignored command line arguments]", "OPTION"],
    options: &[],
    notes: "",
    version: "true (GNU coreutils) 9.1",
    examples: &[Example { script: "env true && echo yes", output: "yes\n" }],
};

static FALSE: Spec = Spec {
    name: "false",
    about: "Exit with a status code indicating failure.",
    synopsis: &["[ignored command line arguments]", "OPTION"],
    options: &[],
    notes: "",
    version: "false (GNU coreutils) 9.1",
    examples: &[Example { script: "env false || echo no", output: "no\n" }],
};

fn answer(process: &mut Process, spec: &'static Spec, status: Status) -> Result<Status> {
    match process.args.get(1..) {
        Some([one]) if &one[..] == b"--help" => process.stdout.put(spec.help().as_bytes())?,
        Some([one]) if &one[..] == b"--version" => process.stdout.put(spec.version_text().as_bytes())?,
        _ => {}
    }
    Ok(status)
}

impl Program for True {
    fn spec(&self) -> &'static Spec {
        &TRUE
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        answer(process, &TRUE, Status::OK)
    }
}

impl Program for False {
    fn spec(&self) -> &'static Spec {
        &FALSE
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        answer(process, &FALSE, Status::FAILURE)
    }
}
