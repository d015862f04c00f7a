//! `bc`: GNU bc 1.07's language with numbers of any precision.

mod math;
mod number;
mod parse;
mod run;

use crate::cli;
use run::{Ended, Machine};
use sandshell_kernel::{Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `bc`
pub struct Bc;

static SPEC: Spec = Spec {
    name: "bc",
    about: "An arbitrary precision calculator language.",
    synopsis: &["[options] [file ...]"],
    options: &[
        Opt::new('i', "interactive", "force interactive mode"),
        Opt::new('l', "mathlib", "use the predefined math routines"),
        Opt::new('q', "quiet", "don't print initial banner"),
        Opt::new('s', "standard", "non-standard bc constructs are errors"),
        Opt::new('w', "warn", "warn about non-standard bc constructs"),
    ],
    notes: "",
    version: "bc 1.07.1",
    examples: &[Example { script: "echo 'scale=3; 10/3' | bc", output: "3.333\n" }],
};

impl Program for Bc {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        for id in ["interactive", "standard", "warn"] {
            if parsed.has(id) {
                process.error(format_args!("--{id} is not available here"))?;
                return Ok(Status::FAILURE);
            }
        }
        let width = process.env.get("BC_LINE_LENGTH").and_then(|v| std::str::from_utf8(v).ok()?.parse().ok());
        let mut machine = Machine::new(parsed.has("mathlib"), width.unwrap_or(70));
        for name in &parsed.operands {
            let text = match process.open_input(name).and_then(|mut i| i.read_all()) {
                Ok(t) => t,
                Err(sandshell_kernel::Error::Os(_)) => {
                    process.write_error(
                        format!("File {} is unavailable.\n", String::from_utf8_lossy(name)).as_bytes(),
                    )?;
                    return Ok(Status::FAILURE);
                }
                Err(stop) => return Err(stop),
            };
            let label = String::from_utf8_lossy(name).into_owned();
            if let Ended::Quit = machine.run(process, &text, &label)? {
                return Ok(Status::OK);
            }
        }
        let text = process.stdin.read_all()?;
        machine.run(process, &text, "(standard_in)")?;
        Ok(Status::OK)
    }
}
