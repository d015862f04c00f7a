//! `yes`: one chunk of lines, handed down again and again without a copy.

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Order, Spec};

/// `yes`
pub struct Yes;

static SPEC: Spec = Spec {
    name: "yes",
    about: "Repeatedly output a line with all specified STRING(s), or 'y'.",
    synopsis: &["[STRING]...", "OPTION"],
    options: &[],
    notes: "",
    version: "yes (GNU coreutils) 9.1",
    examples: &[Example { script: "yes a b | head -n 2", output: "a b\na b\n" }],
};

/// Bytes of one chunk.
const CHUNK: usize = 64 << 10;

impl Program for Yes {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::First, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut line = if parsed.operands.is_empty() { b"y".to_vec() } else { parsed.operands.join(&b' ') };
        line.push(b'\n');
        let times = (CHUNK / line.len()).max(1);
        let chunk = Bytes::from(line.repeat(times));
        loop {
            process.budget.step()?;
            process.stdout.chunk(chunk.clone())?;
            process.stdout.flush()?;
        }
    }
}
