//! `tail`: the last lines or bytes, or all from a line or byte on. Nothing grows here, so `-f` ends at the end.

use super::{count, head, inputs};
use crate::cli;
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Input, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};
use std::{collections::VecDeque, io::SeekFrom};

/// `tail`
pub struct Tail;

static SPEC: Spec = Spec {
    name: "tail",
    about: "Print the last 10 lines of each FILE to standard output.\nWith more than one FILE, precede each with a header giving the file name.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('c', "bytes", "output the last NUM bytes; or use -c +NUM to output starting with byte NUM of each file").value("[+]NUM"),
        Opt::short('f', "output appended data as the file grows; here the session's files have no other writer, so it ends at the end of file"),
        Opt::long("follow", "the same, by name or by descriptor").optional("{name|descriptor}"),
        Opt::short('F', "same as --follow=name --retry"),
        Opt::new('n', "lines", "output the last NUM lines, instead of the last 10; or use -n +NUM to output starting with line NUM").value("[+]NUM"),
        Opt::long("max-unchanged-stats", "with --follow=name, reopen a FILE which has not changed size after N iterations").value("N"),
        Opt::long("pid", "with -f, terminate after process ID, PID dies").value("PID"),
        Opt::new('q', "quiet", "never output headers giving file names"),
        Opt::long("silent", "never output headers giving file names"),
        Opt::long("retry", "keep trying to open a file if it is inaccessible"),
        Opt::new('s', "sleep-interval", "with -f, sleep for approximately N seconds between iterations").value("N"),
        Opt::new('v', "verbose", "always output headers giving file names"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "NUM may have a multiplier suffix:\nb 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024,\nGB 1000*1000*1000, G 1024*1024*1024, and so on for T, P, E, Z, Y.",
    version: "tail (GNU coreutils) 9.1",
    examples: &[Example { script: "seq 5 | tail -n 2", output: "4\n5\n" }],
};

#[derive(Clone, Copy)]
struct What {
    lines: bool,
    from_start: bool,
    n: u64,
    delimiter: u8,
}

impl Program for Tail {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        obsolete(process);
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut what = What { lines: true, from_start: false, n: 10, delimiter: b'\n' };
        let mut headers = None;
        for f in &parsed.options {
            match (f.id, &f.value) {
                (id @ ("lines" | "bytes"), Some(v)) => {
                    what.lines = id == "lines";
                    let (plus, digits) = match v.first() {
                        Some(b'+') => (true, &v[1..]),
                        Some(b'-') => (false, &v[1..]),
                        _ => (false, &v[..]),
                    };
                    let Some(n) = count::parse(digits) else {
                        let kind = if what.lines { "lines" } else { "bytes" };
                        process.error(format_args!("invalid number of {kind}: {}", cli::quote(v)))?;
                        return Ok(Status::FAILURE);
                    };
                    (what.from_start, what.n) = (plus, n);
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
            let directory = !inputs::is_stdin(&name)
                && process.files.stat_cheap(&name, true).is_ok_and(|(s, _)| s.is_dir());
            if directory {
                head::header(process, &name, headers, &mut first)?;
                process.complain(
                    format_args!("error reading {}", cli::shell_quote(&name, true)),
                    Error::Os(Errno::EISDIR),
                )?;
                status = Status::FAILURE;
                continue;
            }
            let Some(mut input) = inputs::open_for_reading(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            head::header(process, &name, headers, &mut first)?;
            copy(process, &mut input, what)?;
        }
        Ok(status)
    }
}

/// `tail -5`, `tail +5`, `tail -5c`, `tail -20f`: the obsolete form, only as the first argument and with at most one
/// operand after it.
fn obsolete(process: &mut Process) {
    let Some(first) = process.args.get(1).cloned() else { return };
    if process.args.len() > 3 || first.len() < 2 || !matches!(first[0], b'-' | b'+') {
        return;
    }
    if !first[1].is_ascii_digit() && first[0] == b'-' {
        return;
    }
    let digits = first[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = &first[1 + digits..];
    let mut letter = b'n';
    let mut number = if digits == 0 { b"10".to_vec() } else { first[1..=digits].to_vec() };
    match rest.first() {
        Some(b'c') => (letter, rest) = (b'c', &rest[1..]),
        Some(b'l') => rest = &rest[1..],
        Some(b'b') => {
            letter = b'c';
            number.push(b'b');
            rest = &rest[1..];
        }
        _ => {}
    }
    let follow = rest == b"f";
    if !rest.is_empty() && !follow {
        return;
    }
    let mut argument = vec![b'-', letter];
    if first[0] == b'+' {
        argument.push(b'+');
    }
    argument.extend_from_slice(&number);
    let mut new = vec![Bytes::from(argument)];
    if follow {
        new.push(Bytes::from_static(b"-f"));
    }
    process.args.splice(1..2, new);
}

fn copy(process: &mut Process, input: &mut Input, what: What) -> Result<()> {
    if what.from_start {
        return from(process, input, what);
    }
    if what.n == 0 {
        return Ok(());
    }
    let file = input.fd().stat(&process.budget).is_ok_and(|s| s.kind == FileKind::File && s.size > 0);
    if file && input.fd().seek(SeekFrom::Current(0)).is_ok() {
        return of_file(process, input, what);
    }
    if what.lines { last_lines(process, input, what) } else { last_bytes(process, input, what.n) }
}

/// `+N`
fn from(process: &mut Process, input: &mut Input, what: What) -> Result<()> {
    let mut skip = what.n.saturating_sub(1);
    while skip > 0 {
        let data = input.fill()?;
        if data.is_empty() {
            return Ok(());
        }
        let len = data.len();
        if !what.lines {
            let n = skip.min(len as u64);
            skip -= n;
            input.consume(n as usize);
            continue;
        }
        let mut used = len;
        for i in memchr::memchr_iter(what.delimiter, data) {
            skip -= 1;
            if skip == 0 {
                used = i + 1;
                break;
            }
        }
        input.consume(used);
    }
    while let Some(chunk) = input.next_chunk()? {
        process.stdout.chunk(chunk)?;
    }
    Ok(())
}

/// A seekable file is read backwards from its end.
fn of_file(process: &mut Process, input: &mut Input, what: What) -> Result<()> {
    let fd = input.fd().clone();
    let start = fd.seek(SeekFrom::Current(0))?;
    let end = fd.seek(SeekFrom::End(0))?;
    let mut from = end.saturating_sub(what.n).max(start);
    if what.lines {
        let mut wanted = what.n;
        let mut block_end = end;
        from = start;
        'blocks: while block_end > start {
            let block = block_end.saturating_sub(64 << 10).max(start);
            fd.seek(SeekFrom::Start(block))?;
            let data = read_exactly(process, &fd, (block_end - block) as usize)?;
            // The delimiter that ends the last line does not begin another.
            let ends_here = block_end == end && data.ends_with(&[what.delimiter]);
            let search = &data[..data.len() - usize::from(ends_here)];
            for i in memchr::memrchr_iter(what.delimiter, search) {
                wanted -= 1;
                if wanted == 0 {
                    from = block + i as u64 + 1;
                    break 'blocks;
                }
            }
            block_end = block;
            process.budget.step()?;
        }
    }
    fd.seek(SeekFrom::Start(from.min(end)))?;
    let mut rest = Input::new(fd, &process.budget);
    while let Some(chunk) = rest.next_chunk()? {
        process.stdout.chunk(chunk)?;
    }
    Ok(())
}

fn read_exactly(process: &Process, fd: &sandshell_kernel::Fd, n: usize) -> Result<Vec<u8>> {
    let mut data = Vec::with_capacity(n);
    while data.len() < n {
        let chunk = fd.read(&process.budget, n - data.len())?;
        if chunk.is_empty() {
            break;
        }
        data.extend_from_slice(&chunk);
    }
    Ok(data)
}

/// Of a stream, keeps the chunks that can still hold wanted lines.
fn last_lines(process: &mut Process, input: &mut Input, what: What) -> Result<()> {
    let mut held: VecDeque<(Bytes, u64)> = VecDeque::new();
    let mut lines = 0u64;
    let mut memory = process.budget.reservation();
    while let Some(chunk) = input.next_chunk()? {
        let c = memchr::memchr_iter(what.delimiter, &chunk).count() as u64;
        memory.grow(chunk.len() as u64)?;
        lines += c;
        // Small pieces are gathered, so that a slow writer does not make a long queue.
        match held.back_mut() {
            Some((last, n)) if last.len() + chunk.len() <= 64 << 10 => {
                let mut joined = Vec::with_capacity(64 << 10);
                joined.extend_from_slice(last);
                joined.extend_from_slice(&chunk);
                *last = Bytes::from(joined);
                *n += c;
            }
            _ => held.push_back((chunk, c)),
        }
        while let Some((front, c)) = held.front() {
            // The last line may lack its delimiter, hence strictly more.
            if lines - c <= what.n {
                break;
            }
            lines -= c;
            memory.set(memory.bytes().saturating_sub(front.len() as u64))?;
            held.pop_front();
        }
    }
    let unfinished = held.back().is_some_and(|(c, _)| !c.ends_with(&[what.delimiter]));
    let mut over = (lines + u64::from(unfinished)).saturating_sub(what.n);
    while let Some((mut chunk, c)) = held.pop_front() {
        if over > 0 {
            if c < over {
                over -= c;
                continue;
            }
            let at = memchr::memchr_iter(what.delimiter, &chunk).nth(over as usize - 1);
            over = 0;
            chunk = at.map_or(chunk.clone(), |i| chunk.slice(i + 1..));
        }
        process.stdout.chunk(chunk)?;
    }
    Ok(())
}

fn last_bytes(process: &mut Process, input: &mut Input, n: u64) -> Result<()> {
    let mut held: VecDeque<Bytes> = VecDeque::new();
    let mut bytes = 0u64;
    let mut memory = process.budget.reservation();
    while let Some(chunk) = input.next_chunk()? {
        bytes += chunk.len() as u64;
        held.push_back(chunk);
        while let Some(front) = held.front() {
            if bytes - (front.len() as u64) < n {
                break;
            }
            bytes -= front.len() as u64;
            held.pop_front();
        }
        memory.set(bytes)?;
    }
    let mut over = bytes.saturating_sub(n) as usize;
    for mut chunk in held {
        let cut = over.min(chunk.len());
        over -= cut;
        let _ = chunk.split_to(cut);
        process.stdout.chunk(chunk)?;
    }
    Ok(())
}
