//! `sort`: all of GNU sort's keys in C.UTF-8 order, which is byte order. Lines are ranges of one buffer; keys are
//! computed once; comparisons look at a 16-byte prefix first.

mod compare;
pub(crate) mod keys;
mod options;

use super::inputs;
use crate::cli;
use compare::{Line, Sorter};
use options::{Mode, Settings};
use sandshell_kernel::{Bytes, Error, Process, Program, Result, Status};
use sandshell_text::options::{Order, Spec};

/// `sort`
pub struct Sort;

impl Program for Sort {
    fn spec(&self) -> &'static Spec {
        &options::SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        options::obsolete(process);
        let parsed = match cli::parse(process, &options::SPEC, Order::Permute, 2)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let s = match options::settings(process, &parsed)? {
            Ok(s) => s,
            Err(status) => return Ok(status),
        };
        let files = match &s.files0_from {
            None => inputs::or_stdin(parsed.operands),
            Some(list) => {
                if let Some(extra) = parsed.operands.first() {
                    process.error(format_args!("extra operand {}", cli::quote(extra)))?;
                    process.write_error(b"file operands cannot be combined with --files0-from\n")?;
                    return cli::try_help(process, 2);
                }
                let mut names = Vec::new();
                let Some(mut input) = open(process, list)? else { return Ok(Status::USAGE) };
                while let Some(l) = input.line(0)? {
                    names.push(Bytes::copy_from_slice(l.bytes));
                }
                names
            }
        };
        if matches!(s.mode, Mode::Check | Mode::CheckQuietly) {
            return check(process, &s, &files);
        }
        let mut bodies = Vec::new();
        for name in &files {
            let Some(mut input) = open(process, name)? else { return Ok(Status::USAGE) };
            match input.read_all() {
                Ok(b) => bodies.push(b),
                Err(e @ Error::Os(_)) => {
                    process.complain(format_args!("read failed: {}", cli::shell_quote(name, false)), e)?;
                    return Ok(Status::USAGE);
                }
                Err(stop) => return Err(stop),
            }
        }
        let ends: Vec<usize> = bodies
            .iter()
            .scan(0, |at, b| {
                *at += b.len() + usize::from(!b.is_empty() && !b.ends_with(&[s.line_end]));
                Some(*at)
            })
            .collect();
        let text = join(bodies, s.line_end);
        // Lines (24 bytes each) and keys; the text itself is charged where it is held.
        let count = memchr::memchr_iter(s.line_end, &text).count() + 1;
        let mut held = process.budget.reserve(text.len() as u64)?;
        held.grow(count as u64 * 40)?;
        let sorter = Sorter::new(&s, &text);
        let mut lines = sorter.lines(process.budget.clone())?;
        if s.mode == Mode::Merge {
            lines = sorter.merge(lines, &ends, &process.budget)?;
        } else {
            if s.unique && s.plain() {
                lines = sorter.distinct(lines, &process.budget)?;
            }
            sorter.sort(&mut lines, &process.budget)?;
        }
        if s.unique && (!s.plain() || s.mode == Mode::Merge) {
            lines.dedup_by(|b, a| sorter.same_keys(a, b));
        }
        write(process, &s, &text, &lines)
    }
}

fn open(process: &mut Process, name: &[u8]) -> Result<Option<sandshell_kernel::Input>> {
    match process.open_input(name) {
        Ok(i) => Ok(Some(i)),
        Err(e) => {
            let quoted = cli::shell_quote(name, false);
            if e == Error::Os(sandshell_kernel::Errno::EISDIR) {
                process.complain(format_args!("read failed: {quoted}"), e)?;
            } else {
                process.complain(format_args!("cannot read: {quoted}"), e)?;
            }
            Ok(None)
        }
    }
}

/// One buffer; a file's missing last newline is supplied.
fn join(mut bodies: Vec<Bytes>, line_end: u8) -> Bytes {
    bodies.retain(|b| !b.is_empty());
    if bodies.len() == 1 && bodies[0].ends_with(&[line_end]) {
        return bodies.remove(0);
    }
    let mut all = Vec::with_capacity(bodies.iter().map(|b| b.len() + 1).sum());
    for b in bodies {
        all.extend_from_slice(&b);
        if !b.ends_with(&[line_end]) {
            all.push(line_end);
        }
    }
    Bytes::from(all)
}

fn write(process: &mut Process, s: &Settings, text: &Bytes, lines: &[Line]) -> Result<Status> {
    let mut file = match &s.output {
        None => None,
        Some(name) => match process.files.create(name) {
            Ok(out) => Some(out),
            Err(e) => {
                process.complain(format_args!("open failed: {}", cli::shell_quote(name, false)), e)?;
                return Ok(Status::USAGE);
            }
        },
    };
    let out = file.as_mut().unwrap_or(&mut process.stdout);
    let (mut i, n) = (0, lines.len());
    while i < n {
        let (start, mut end) = lines[i].range();
        i += 1;
        // Neighbours that are neighbours in the text too go out in one piece.
        while i < n && lines[i].range().0 == end + 1 {
            end = lines[i].range().1;
            i += 1;
        }
        out.put(&text[start..(end + 1).min(text.len())])?;
        if i % 1024 == 0 {
            process.budget.step()?;
        }
    }
    if let Some(mut out) = file {
        out.flush()?;
    }
    Ok(Status::OK)
}

/// `-c` and `-C`: the first line out of order, if any.
fn check(process: &mut Process, s: &Settings, files: &[Bytes]) -> Result<Status> {
    if let Some(extra) = files.get(1) {
        let letter = if s.mode == Mode::Check { 'c' } else { 'C' };
        process.error(format_args!("extra operand {} not allowed with -{letter}", cli::quote(extra)))?;
        return Ok(Status::USAGE);
    }
    let name = &files[0];
    let Some(mut input) = open(process, name)? else { return Ok(Status::USAGE) };
    let text = join(vec![input.read_all()?], s.line_end);
    let sorter = Sorter::new(s, &text);
    let lines = sorter.lines(process.budget.clone())?;
    for (i, pair) in lines.windows(2).enumerate() {
        process.budget.step()?;
        let order = sorter.compare(&pair[0], &pair[1]);
        if order.is_gt() || (s.unique && sorter.same_keys(&pair[0], &pair[1])) {
            if s.mode == Mode::Check {
                let (from, to) = pair[1].range();
                let mut message =
                    format!("{}: {}:{}: disorder: ", process.name(), String::from_utf8_lossy(name), i + 2)
                        .into_bytes();
                message.extend_from_slice(&text[from..to]);
                message.push(b'\n');
                process.write_error(&message)?;
            }
            return Ok(Status::FAILURE);
        }
    }
    Ok(Status::OK)
}
