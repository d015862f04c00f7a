//! `paste`: lines of several files side by side, or of one file in a row.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Input, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `paste`
pub struct Paste;

static SPEC: Spec = Spec {
    name: "paste",
    about: "Write lines consisting of the sequentially corresponding lines from\neach FILE, separated by TABs, to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('d', "delimiters", "reuse characters from LIST instead of TABs").value("LIST"),
        Opt::new('s', "serial", "paste one file at a time instead of in parallel"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "",
    version: "paste (GNU coreutils) 9.1",
    examples: &[Example { script: "seq 4 | paste - -", output: "1\t2\n3\t4\n" }],
};

impl Program for Paste {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let list = parsed.last("delimiters").cloned().unwrap_or(Bytes::from_static(b"\t"));
        let Some(delimiters) = delimiters(&list) else {
            process.error(format_args!(
                "delimiter list ends with an unescaped backslash: {}",
                String::from_utf8_lossy(&list)
            ))?;
            return Ok(Status::FAILURE);
        };
        let end = if parsed.has("zero-terminated") { 0 } else { b'\n' };
        let files = inputs::or_stdin(parsed.operands);
        if parsed.options.iter().any(|f| f.id == "serial") {
            serial(process, &files, &delimiters, end)
        } else {
            parallel(process, &files, &delimiters, end)
        }
    }
}

/// Each delimiter: one byte, or none for `\0`. `None` when the list ends in a lone backslash.
fn delimiters(list: &[u8]) -> Option<Vec<Option<u8>>> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < list.len() {
        let mut b = Some(list[i]);
        if list[i] == b'\\' {
            i += 1;
            b = match *list.get(i)? {
                b'0' => None,
                b'b' => Some(8),
                b'f' => Some(12),
                b'n' => Some(10),
                b'r' => Some(13),
                b't' => Some(9),
                b'v' => Some(11),
                other => Some(other),
            };
        }
        out.push(b);
        i += 1;
    }
    if out.is_empty() {
        out.push(None);
    }
    Some(out)
}

fn serial(process: &mut Process, files: &[Bytes], delimiters: &[Option<u8>], end: u8) -> Result<Status> {
    let mut status = Status::OK;
    for name in files {
        let Some(mut input) = inputs::open(process, name)? else {
            status = Status::FAILURE;
            continue;
        };
        let mut i = 0;
        let mut any = false;
        while let Some(line) = input.line(end)? {
            if any {
                if let Some(d) = delimiters[i] {
                    process.stdout.byte(d)?;
                }
                i = (i + 1) % delimiters.len();
            }
            any = true;
            process.stdout.put(line.bytes)?;
            process.budget.step()?;
        }
        process.stdout.byte(end)?;
    }
    Ok(status)
}

fn parallel(process: &mut Process, files: &[Bytes], delimiters: &[Option<u8>], end: u8) -> Result<Status> {
    // Several `-` share one standard input.
    let mut open: Vec<Option<Input>> = Vec::new();
    let mut column: Vec<usize> = Vec::new();
    let mut stdin = None;
    for name in files {
        if inputs::is_stdin(name)
            && let Some(i) = stdin
        {
            column.push(i);
            continue;
        }
        let Some(input) = inputs::open(process, name)? else { return Ok(Status::FAILURE) };
        if inputs::is_stdin(name) {
            stdin = Some(open.len());
        }
        column.push(open.len());
        open.push(Some(input));
    }
    let mut row = Vec::new();
    loop {
        process.budget.step()?;
        row.clear();
        let mut any = false;
        for (i, c) in column.iter().enumerate() {
            if i > 0
                && let Some(d) = delimiters[(i - 1) % delimiters.len()]
            {
                row.push(d);
            }
            let Some(input) = &mut open[*c] else { continue };
            match input.line(end)? {
                Some(line) => {
                    any = true;
                    row.extend_from_slice(line.bytes);
                }
                None => open[*c] = None,
            }
        }
        if !any {
            return Ok(Status::OK);
        }
        row.push(end);
        process.stdout.put(&row)?;
    }
}
