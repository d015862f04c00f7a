//! `tee`: standard input to standard output and to files; chunks are shared, not copied.

use crate::cli;
use sandshell_kernel::{Error, OpenOptions, Output, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `tee`
pub struct Tee;

static SPEC: Spec = Spec {
    name: "tee",
    about: "Copy standard input to each FILE, and also to standard output.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('a', "append", "append to the given FILEs, do not overwrite"),
        Opt::new('i', "ignore-interrupts", "ignore interrupt signals"),
        Opt::short('p', "diagnose errors writing to non pipes"),
        Opt::long("output-error", "set behavior on write error: warn, warn-nopipe, exit, exit-nopipe")
            .optional("MODE"),
    ],
    notes: "",
    version: "tee (GNU coreutils) 9.1",
    examples: &[Example { script: "echo hi | tee f; cat f", output: "hi\nhi\n" }],
};

impl Program for Tee {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut exit_on_error = false;
        for f in &parsed.options {
            if f.id == "output-error" {
                match f.value.as_deref() {
                    None | Some(b"warn" | b"warn-nopipe") => exit_on_error = false,
                    Some(b"exit" | b"exit-nopipe") => exit_on_error = true,
                    Some(other) => {
                        process.error(format_args!(
                            "invalid argument {} for ‘--output-error’",
                            cli::quote(other)
                        ))?;
                        process.write_error("Valid arguments are:\n  - ‘warn’\n  - ‘warn-nopipe’\n  - ‘exit’\n  - ‘exit-nopipe’\n".as_bytes())?;
                        return cli::try_help(process, 1);
                    }
                }
            }
        }
        let options = if parsed.options.iter().any(|f| f.id == "append") {
            OpenOptions::APPEND
        } else {
            OpenOptions::CREATE
        };
        let mut status = Status::OK;
        let mut files = Vec::new();
        for name in &parsed.operands {
            match process.files.open(name, options) {
                Ok(fd) => files.push((name.clone(), Some(Output::new(fd, &process.budget)))),
                Err(e) => {
                    process.complain(format_args!("{}", cli::shell_quote(name, false)), e)?;
                    status = Status::FAILURE;
                }
            }
        }
        while let Some(chunk) = process.stdin.next_chunk()? {
            for (name, slot) in &mut files {
                let Some(out) = slot else { continue };
                if let Err(e) = out.chunk(chunk.clone()).and_then(|()| out.flush()) {
                    let Error::Os(_) = e else { return Err(e) };
                    *slot = None;
                    process.complain(format_args!("{}", cli::shell_quote(name, false)), e)?;
                    status = Status::FAILURE;
                    if exit_on_error {
                        return Ok(status);
                    }
                }
            }
            process.stdout.chunk(chunk)?;
            process.stdout.flush()?;
        }
        Ok(status)
    }
}
