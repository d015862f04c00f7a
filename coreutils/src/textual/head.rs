//! `head`: the first lines or bytes, or all but the last.

use super::{count, inputs};
use crate::cli;
use sandshell_kernel::{Bytes, Input, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};
use std::collections::VecDeque;

/// `head`
pub struct Head;

static SPEC: Spec = Spec {
    name: "head",
    about: "Print the first 10 lines of each FILE to standard output.\nWith more than one FILE, precede each with a header giving the file name.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('c', "bytes", "print the first NUM bytes of each file; with the leading '-', print all but the last NUM bytes of each file").value("[-]NUM"),
        Opt::new('n', "lines", "print the first NUM lines instead of the first 10; with the leading '-', print all but the last NUM lines of each file").value("[-]NUM"),
        Opt::new('q', "quiet", "never print headers giving file names"),
        Opt::long("silent", "never print headers giving file names"),
        Opt::new('v', "verbose", "always print headers giving file names"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "NUM may have a multiplier suffix:\nb 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024,\nGB 1000*1000*1000, G 1024*1024*1024, and so on for T, P, E, Z, Y.\nBinary prefixes can be used, too: KiB=K, MiB=M, and so on.",
    version: "head (GNU coreutils) 9.1",
    examples: &[Example { script: "seq 5 | head -n 2", output: "1\n2\n" }],
};

#[derive(Clone, Copy)]
struct What {
    lines: bool,
    but_last: bool,
    n: u64,
    delimiter: u8,
}

impl Program for Head {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        if let Err(status) = obsolete(process)? {
            return Ok(status);
        }
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut what = What { lines: true, but_last: false, n: 10, delimiter: b'\n' };
        let mut headers = None;
        for f in &parsed.options {
            match (f.id, &f.value) {
                (id @ ("lines" | "bytes"), Some(v)) => {
                    what.lines = id == "lines";
                    let (minus, digits) = match v.strip_prefix(b"-") {
                        Some(d) => (true, d),
                        None => (false, v.strip_prefix(b"+").unwrap_or(v)),
                    };
                    let Some(n) = count::parse(digits) else {
                        let kind = if what.lines { "lines" } else { "bytes" };
                        process.error(format_args!("invalid number of {kind}: {}", cli::quote(digits)))?;
                        return Ok(Status::FAILURE);
                    };
                    (what.but_last, what.n) = (minus, n);
                }
                ("quiet" | "silent", _) => headers = Some(false),
                ("verbose", _) => headers = Some(true),
                ("zero-terminated", _) => what.delimiter = 0,
                _ => {}
            }
        }
        let files = inputs::or_stdin(parsed.operands);
        let headers = headers.unwrap_or(files.len() > 1);
        let mut status = Status::OK;
        let mut first = true;
        for name in files {
            let opened = match process.files.stat_cheap(&name, true) {
                // A directory's header is printed before the error, since it can be opened.
                Ok((s, _)) if s.is_dir() && !inputs::is_stdin(&name) => {
                    header(process, &name, headers, &mut first)?;
                    inputs::open_for_reading(process, &name)?
                }
                _ => inputs::open_for_reading(process, &name)?,
            };
            let Some(mut input) = opened else {
                status = Status::FAILURE;
                continue;
            };
            header(process, &name, headers, &mut first)?;
            input.give_back_unused();
            copy(process, &mut input, what)?;
        }
        Ok(status)
    }
}

/// Prints `==> NAME <==`, with an empty line before all but the first.
pub fn header(process: &mut Process, name: &[u8], on: bool, first: &mut bool) -> Result<()> {
    if on {
        let shown = if inputs::is_stdin(name) { b"standard input" } else { name };
        process.stdout.put(if *first { b"==> " } else { b"\n==> " })?;
        process.stdout.put(shown)?;
        process.stdout.put(b" <==\n")?;
    }
    *first = false;
    Ok(())
}

/// `head -5`, `head -5c`, `head -2kqv`: the obsolete form, only as the first argument.
fn obsolete(process: &mut Process) -> Result<Result<(), Status>> {
    let Some(first) = process.args.get(1).cloned() else { return Ok(Ok(())) };
    if first.len() < 2 || first[0] != b'-' || !first[1].is_ascii_digit() {
        return Ok(Ok(()));
    }
    let digits = first[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut number = first[1..=digits].to_vec();
    let mut letter = b'n';
    let mut rest = Vec::new();
    for &b in &first[1 + digits..] {
        match b {
            b'c' => letter = b'c',
            b'b' | b'k' | b'm' => {
                letter = b'c';
                number.push(b);
            }
            b'l' => letter = b'n',
            b'q' | b'v' | b'z' => rest.push(Bytes::from(vec![b'-', b])),
            other => {
                process.error(format_args!("invalid trailing option -- {}", char::from(other)))?;
                return Ok(Err(cli::try_help(process, 1)?));
            }
        }
    }
    let mut argument = vec![b'-', letter];
    argument.extend_from_slice(&number);
    process.args.splice(1..2, std::iter::once(Bytes::from(argument)).chain(rest));
    Ok(Ok(()))
}

fn copy(process: &mut Process, input: &mut Input, what: What) -> Result<()> {
    match (what.lines, what.but_last) {
        (true, false) => first_lines(process, input, what.n, what.delimiter),
        (false, false) => first_bytes(process, input, what.n),
        (true, true) => all_but_last_lines(process, input, what.n, what.delimiter),
        (false, true) => all_but_last_bytes(process, input, what.n),
    }
}

fn first_lines(process: &mut Process, input: &mut Input, mut n: u64, delimiter: u8) -> Result<()> {
    while n > 0 {
        let data = input.fill()?;
        if data.is_empty() {
            return Ok(());
        }
        let mut end = data.len();
        // Counting is faster than finding each: a chunk that does not have them all is only counted.
        match memchr::memchr_iter(delimiter, data).count() as u64 {
            lines if lines < n => n -= lines,
            _ => {
                if let Some(i) = memchr::memchr_iter(delimiter, data).nth((n - 1) as usize) {
                    end = i + 1;
                }
                n = 0;
            }
        }
        if end == data.len() {
            if let Some(chunk) = input.next_chunk()? {
                process.stdout.chunk(chunk)?;
            }
        } else {
            process.stdout.put(&data[..end])?;
            input.consume(end);
        }
    }
    Ok(())
}

fn first_bytes(process: &mut Process, input: &mut Input, mut n: u64) -> Result<()> {
    while n > 0 {
        let len = input.fill()?.len();
        if len == 0 {
            return Ok(());
        }
        if len as u64 <= n {
            n -= len as u64;
            if let Some(chunk) = input.next_chunk()? {
                process.stdout.chunk(chunk)?;
            }
        } else {
            let data = input.fill()?;
            process.stdout.put(&data[..n as usize])?;
            input.consume(n as usize);
            n = 0;
        }
    }
    Ok(())
}

/// Holds back the chunks that contain the last `n` lines.
fn all_but_last_lines(process: &mut Process, input: &mut Input, n: u64, delimiter: u8) -> Result<()> {
    let mut held: VecDeque<(Bytes, u64)> = VecDeque::new();
    let mut lines = 0u64;
    let mut memory = process.budget.reservation();
    while let Some(chunk) = input.next_lines(delimiter)? {
        let mut count = memchr::memchr_iter(delimiter, &chunk).count() as u64;
        if !chunk.ends_with(&[delimiter]) {
            count += 1;
        }
        memory.grow(chunk.len() as u64)?;
        lines += count;
        held.push_back((chunk, count));
        while let Some((_, c)) = held.front() {
            if lines - c < n {
                break;
            }
            lines -= c;
            if let Some((chunk, _)) = held.pop_front() {
                memory.set(memory.bytes() - chunk.len() as u64)?;
                process.stdout.chunk(chunk)?;
            }
        }
    }
    // Of the first held chunk the lines that are too many go out too.
    let mut over = lines.saturating_sub(n);
    while over > 0 {
        let Some((chunk, c)) = held.pop_front() else { break };
        if c <= over {
            over -= c;
            process.stdout.chunk(chunk)?;
            continue;
        }
        let end =
            memchr::memchr_iter(delimiter, &chunk).nth(over as usize - 1).map_or(chunk.len(), |i| i + 1);
        process.stdout.put(&chunk[..end])?;
        break;
    }
    Ok(())
}

fn all_but_last_bytes(process: &mut Process, input: &mut Input, n: u64) -> Result<()> {
    let mut held: VecDeque<Bytes> = VecDeque::new();
    let mut bytes = 0u64;
    let mut memory = process.budget.reservation();
    while let Some(chunk) = input.next_chunk()? {
        bytes += chunk.len() as u64;
        held.push_back(chunk);
        while bytes > n {
            let Some(mut front) = held.pop_front() else { break };
            let spare = (bytes - n).min(front.len() as u64);
            let out = front.split_to(spare as usize);
            bytes -= spare;
            if !front.is_empty() {
                held.push_front(front);
            }
            process.stdout.chunk(out)?;
        }
        memory.set(bytes)?;
    }
    Ok(())
}
