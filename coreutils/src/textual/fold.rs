//! `fold`: wraps lines at a width.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `fold`
pub struct Fold;

static SPEC: Spec = Spec {
    name: "fold",
    about: "Wrap input lines in each FILE, writing to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('b', "bytes", "count bytes rather than columns"),
        Opt::new('s', "spaces", "break at spaces"),
        Opt::new('w', "width", "use WIDTH columns instead of 80").value("WIDTH"),
    ],
    notes: "",
    version: "fold (GNU coreutils) 9.1",
    examples: &[Example { script: "echo abcdef | fold -w 4", output: "abcd\nef\n" }],
};

impl Program for Fold {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        for arg in process.args.iter_mut().skip(1) {
            // `-40` is `-w 40`.
            if arg.len() > 1 && arg[0] == b'-' && arg[1..].iter().all(u8::is_ascii_digit) {
                *arg = Bytes::from([b"-w", &arg[1..]].concat());
            }
        }
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let (bytes, spaces) = (parsed.has("bytes"), parsed.has("spaces"));
        let mut width = 80;
        if let Some(v) = parsed.last("width") {
            match std::str::from_utf8(v).ok().and_then(|v| v.parse::<usize>().ok()).filter(|n| *n > 0) {
                Some(n) => width = n,
                None => {
                    let range =
                        if v.iter().all(u8::is_ascii_digit) { ": Numerical result out of range" } else { "" };
                    process.error(format_args!("invalid number of columns: {}{range}", cli::quote(v)))?;
                    return Ok(Status::FAILURE);
                }
            }
        }
        let mut status = Status::OK;
        for name in inputs::or_stdin(parsed.operands) {
            let Some(mut input) = inputs::open(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            // GNU fold of coreutils 9.1 counts bytes, also in UTF-8; only tabs, backspaces and returns move otherwise.
            let mut line: Vec<u8> = Vec::new();
            let mut column = 0usize;
            let advance = |column: usize, b: u8| match b {
                _ if bytes => column + 1,
                8 => column.saturating_sub(1),
                b'\r' => 0,
                b'\t' => column + 8 - column % 8,
                _ => column + 1,
            };
            while let Some(chunk) = input.next_chunk()? {
                process.budget.step()?;
                for &b in &chunk[..] {
                    if b == b'\n' {
                        line.push(b);
                        process.stdout.put(&line)?;
                        line.clear();
                        column = 0;
                        continue;
                    }
                    loop {
                        let next = advance(column, b);
                        if next <= width {
                            column = next;
                            line.push(b);
                            break;
                        }
                        if spaces && let Some(i) = line.iter().rposition(|b| matches!(b, b' ' | b'\t')) {
                            process.stdout.put(&line[..=i])?;
                            process.stdout.byte(b'\n')?;
                            line.drain(..=i);
                            column = line.iter().fold(0, |c, b| advance(c, *b));
                            continue;
                        }
                        if line.is_empty() {
                            column = next;
                            line.push(b);
                            break;
                        }
                        line.push(b'\n');
                        process.stdout.put(&line)?;
                        line.clear();
                        column = 0;
                    }
                }
            }
            process.stdout.put(&line)?;
        }
        Ok(status)
    }
}
