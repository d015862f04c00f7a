//! `rev`: each line's characters in reverse.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `rev`
pub struct Rev;

static SPEC: Spec = Spec {
    name: "rev",
    about: "Reverse lines characterwise.",
    synopsis: &["[options] [<file> ...]"],
    options: &[Opt::new('0', "zero", "use the NUL character as line separator")],
    notes: "",
    version: "rev from util-linux 2.38.1",
    examples: &[Example { script: "echo abc | rev", output: "cba\n" }],
};

impl Program for Rev {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let end = if parsed.has("zero") { 0 } else { b'\n' };
        let mut status = Status::OK;
        let mut buf = Vec::with_capacity(64 << 10);
        for name in inputs::or_stdin(parsed.operands) {
            let mut input = match process.open_input(&name) {
                Ok(i) => i,
                Err(e) => {
                    process.complain(format_args!("cannot open {}", String::from_utf8_lossy(&name)), e)?;
                    status = Status::FAILURE;
                    continue;
                }
            };
            let mut lines = 0u64;
            while let Some(chunk) = input.next_lines(end)? {
                process.budget.step()?;
                buf.clear();
                let ascii = chunk.is_ascii();
                if !ascii && std::str::from_utf8(&chunk).is_err() {
                    // As util-linux 2.38 does: what cannot be decoded ends this file.
                    let good =
                        chunk.split_inclusive(|b| *b == end).take_while(|l| std::str::from_utf8(l).is_ok());
                    for l in good {
                        lines += 1;
                        let body = l.strip_suffix(&[end]).unwrap_or(l);
                        reverse(body, &mut buf);
                        buf.extend_from_slice(&l[body.len()..]);
                    }
                    process.stdout.put(&buf)?;
                    process.error(format_args!(
                        "{}: {lines}: Invalid or incomplete multibyte or wide character",
                        String::from_utf8_lossy(&name)
                    ))?;
                    status = Status::FAILURE;
                    break;
                }
                let mut at = 0;
                while at < chunk.len() {
                    let stop = memchr::memchr(end, &chunk[at..]).map(|i| at + i);
                    let line = &chunk[at..stop.unwrap_or(chunk.len())];
                    if ascii {
                        buf.extend(line.iter().rev());
                    } else {
                        reverse(line, &mut buf);
                    }
                    at += line.len() + 1;
                    if stop.is_some() {
                        buf.push(end);
                    }
                }
                lines += memchr::memchr_iter(end, &chunk).count() as u64;
                process.stdout.put(&buf)?;
            }
        }
        Ok(status)
    }
}

/// The characters of a valid line in reverse.
fn reverse(line: &[u8], out: &mut Vec<u8>) {
    for c in String::from_utf8_lossy(line).chars().rev() {
        let mut b = [0; 4];
        out.extend_from_slice(c.encode_utf8(&mut b).as_bytes());
    }
}
