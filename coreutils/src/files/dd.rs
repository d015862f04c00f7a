//! `dd`: copies and converts blocks.

use super::misuse;
use crate::cli;
use sandshell_kernel::{Bytes, Errno, Error, Fd, OpenOptions, Process, Result, Status};
use sandshell_text::{
    number::human,
    options::{Example, Spec},
    quote,
};
use std::{io::SeekFrom, time::Instant};

program!(
    /// `dd`
    Dd,
    run,
    Spec {
        name: "dd",
        about: "Copy a file, converting and formatting according to the operands.",
        synopsis: &["[OPERAND]...", "OPTION"],
        options: &[],
        notes: "  bs=BYTES        read and write up to BYTES bytes at a time (default: 512)\n  cbs=BYTES       convert BYTES bytes at a time\n  conv=CONVS      convert the file as per the comma separated symbol list\n  count=N         copy only N input blocks\n  ibs=BYTES       read up to BYTES bytes at a time (default: 512)\n  if=FILE         read from FILE instead of stdin\n  iflag=FLAGS     read as per the comma separated symbol list\n  obs=BYTES       write BYTES bytes at a time (default: 512)\n  of=FILE         write to FILE instead of stdout\n  oflag=FLAGS     write as per the comma separated symbol list\n  seek=N          (or oseek=N) skip N obs-sized output blocks\n  skip=N          (or iseek=N) skip N ibs-sized input blocks\n  status=LEVEL    The LEVEL of information to print to stderr:\n                  'none' suppresses everything but error messages,\n                  'noxfer' suppresses the final transfer statistics,\n                  'progress' shows periodic transfer statistics",
        version: "dd (coreutils) 9.1",
        examples: &[Example { script: "printf abcdef | dd bs=1 skip=1 count=3 status=none", output: "bcd" }],
    }
);

#[derive(Default)]
struct Job {
    input: Option<Bytes>,
    output: Option<Bytes>,
    ibs: u64,
    obs: u64,
    cbs: u64,
    count: Option<u64>,
    skip: u64,
    seek: u64,
    count_bytes: bool,
    skip_bytes: bool,
    seek_bytes: bool,
    full_block: bool,
    append: bool,
    quiet: u8,
    conv: Vec<Conv>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Conv {
    Block,
    Unblock,
    Lower,
    Upper,
    Swap,
    Sync,
    NoTruncate,
    NoCreate,
    Exclusive,
    NoError,
    Sparse,
    Flush,
}

const CONVS: &[(&str, Conv)] = &[
    ("block", Conv::Block),
    ("unblock", Conv::Unblock),
    ("lcase", Conv::Lower),
    ("ucase", Conv::Upper),
    ("swab", Conv::Swap),
    ("sync", Conv::Sync),
    ("notrunc", Conv::NoTruncate),
    ("nocreat", Conv::NoCreate),
    ("excl", Conv::Exclusive),
    ("noerror", Conv::NoError),
    ("sparse", Conv::Sparse),
    ("fsync", Conv::Flush),
    ("fdatasync", Conv::Flush),
];
const FLAGS: &[&str] = &[
    "append",
    "binary",
    "cio",
    "direct",
    "directory",
    "dsync",
    "noatime",
    "nocache",
    "noctty",
    "nofollow",
    "nolinks",
    "nonblock",
    "sync",
    "text",
    "fullblock",
    "count_bytes",
    "skip_bytes",
    "seek_bytes",
];

/// `2x512`, `4k`, `1MB`; whether it ends in `B`, so that it counts bytes.
fn number(text: &[u8]) -> Option<(u64, bool)> {
    let mut all: u64 = 1;
    let mut bytes = false;
    for part in text.split(|&b| b == b'x') {
        let digits = part.iter().take_while(|b| b.is_ascii_digit()).count();
        let n: u64 = std::str::from_utf8(&part[..digits]).ok()?.parse().ok()?;
        let mut unit = &part[digits..];
        if unit == b"B" {
            bytes = true;
            unit = b"";
        }
        let factor = match unit {
            b"" => 1,
            b"c" => 1,
            b"w" => 2,
            b"b" => 512,
            [letter, rest @ ..] => {
                let power = match letter {
                    b'k' | b'K' => 1,
                    b'M' => 2,
                    b'G' => 3,
                    b'T' => 4,
                    b'P' => 5,
                    b'E' => 6,
                    _ => return None,
                };
                let base: u64 = match rest {
                    b"" | b"iB" => 1024,
                    b"B" => 1000,
                    _ => return None,
                };
                base.pow(power)
            }
        };
        all = all.checked_mul(n.checked_mul(factor)?)?;
    }
    Some((all, bytes))
}

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let args = p.args.get(1..).unwrap_or_default().to_vec();
    if args.iter().any(|a| a == "--help" || a == "--version") {
        let order = sandshell_text::options::Order::Permute;
        return Ok(cli::parse(p, spec, order, 1)?.err().unwrap_or(Status::OK));
    }
    let mut job = Job { ibs: 512, obs: 512, ..Job::default() };
    for arg in args.iter().filter(|a| *a != "--") {
        let Some(eq) = memchr::memchr(b'=', arg) else {
            return misuse(p, format_args!("unrecognized operand {}", quote::value(arg)));
        };
        let (name, value) = (&arg[..eq], arg.slice(eq + 1..));
        match name {
            b"if" => job.input = Some(value),
            b"of" => job.output = Some(value),
            b"conv" => {
                for word in value.split(|&b| b == b',') {
                    match CONVS.iter().find(|(w, _)| w.as_bytes() == word) {
                        Some((_, c)) => job.conv.push(*c),
                        None => return misuse(p, format_args!("invalid conversion: {}", quote::value(word))),
                    }
                }
            }
            b"iflag" | b"oflag" => {
                for word in value.split(|&b| b == b',') {
                    let known = FLAGS.iter().any(|f| f.as_bytes() == word);
                    match word {
                        b"count_bytes" => job.count_bytes = true,
                        b"skip_bytes" => job.skip_bytes = true,
                        b"seek_bytes" => job.seek_bytes = true,
                        b"fullblock" => job.full_block = true,
                        b"append" => job.append |= name == b"oflag",
                        _ if known => {}
                        _ => {
                            let side = if name == b"iflag" { "input" } else { "output" };
                            return misuse(p, format_args!("invalid {side} flag: {}", quote::value(word)));
                        }
                    }
                }
            }
            b"status" => {
                job.quiet = match &value[..] {
                    b"none" => 2,
                    b"noxfer" => 1,
                    b"progress" => 0,
                    _ => return misuse(p, format_args!("invalid status level: {}", quote::value(&value))),
                }
            }
            b"bs" | b"ibs" | b"obs" | b"cbs" | b"count" | b"skip" | b"iseek" | b"seek" | b"oseek" => {
                let Some((n, bytes)) = number(&value) else {
                    p.error(format_args!("invalid number: {}", quote::value(&value)))?;
                    return Ok(Status::FAILURE);
                };
                if n == 0 && matches!(name, b"bs" | b"ibs" | b"obs" | b"cbs") {
                    p.error(format_args!("invalid number: {}", quote::value(&value)))?;
                    return Ok(Status::FAILURE);
                }
                match name {
                    b"bs" => (job.ibs, job.obs) = (n, n),
                    b"ibs" => job.ibs = n,
                    b"obs" => job.obs = n,
                    b"cbs" => job.cbs = n,
                    b"count" => (job.count, job.count_bytes) = (Some(n), job.count_bytes || bytes),
                    b"skip" | b"iseek" => (job.skip, job.skip_bytes) = (n, job.skip_bytes || bytes),
                    _ => (job.seek, job.seek_bytes) = (n, job.seek_bytes || bytes),
                }
            }
            _ => return misuse(p, format_args!("unrecognized operand {}", quote::value(arg))),
        }
    }
    let both = |a, b| job.conv.contains(&a) && job.conv.contains(&b);
    for (a, b, names) in [
        (Conv::Lower, Conv::Upper, "lcase and ucase"),
        (Conv::Exclusive, Conv::NoCreate, "excl and nocreat"),
        (Conv::Block, Conv::Unblock, "block and unblock"),
    ] {
        if both(a, b) {
            p.error(format_args!("cannot combine {names}"))?;
            return Ok(Status::FAILURE);
        }
    }
    let one_size = args.iter().any(|a| a.starts_with(b"bs="));
    copy(p, &job, one_size)
}

struct Counts {
    in_full: u64,
    in_part: u64,
    out_full: u64,
    out_part: u64,
    read: u64,
    bytes: u64,
    truncated: u64,
}

fn copy(p: &mut Process, job: &Job, one_size: bool) -> Result<Status> {
    let has = |c| job.conv.contains(&c);
    let input: Fd = match &job.input {
        None => p.stdin.fd().clone(),
        Some(path) => match p.files.open(path, OpenOptions::READ) {
            Ok(fd) => fd,
            Err(e) => {
                p.complain(format_args!("failed to open {}", quote::name_always(path)), e)?;
                return Ok(Status::FAILURE);
            }
        },
    };
    let seek = if job.seek_bytes { Some(job.seek) } else { job.seek.checked_mul(job.obs) };
    let skip = if job.skip_bytes { Some(job.skip) } else { job.skip.checked_mul(job.ibs) };
    let (Some(seek), Some(skip)) = (seek, skip) else {
        p.error(format_args!("offset too large"))?;
        return Ok(Status::FAILURE);
    };
    p.stdout.flush()?;
    let output: Fd = match &job.output {
        None => p.stdout.fd().clone(),
        Some(path) => {
            let truncate = !has(Conv::NoTruncate);
            let o = OpenOptions {
                write: true,
                read: false,
                create: !has(Conv::NoCreate),
                exclusive: has(Conv::Exclusive),
                truncate: truncate && seek == 0,
                append: job.append,
                ..OpenOptions::READ
            };
            let opened = p.files.open(path, o).and_then(|fd| {
                if truncate && seek > 0 {
                    fd.truncate(&p.budget, seek)?;
                }
                Ok(fd)
            });
            match opened {
                Ok(fd) => fd,
                Err(e) => {
                    p.complain(format_args!("failed to open {}", quote::name_always(path)), e)?;
                    return Ok(Status::FAILURE);
                }
            }
        }
    };
    let start = Instant::now();
    let in_name = job.input.clone().unwrap_or(Bytes::from_static(b"standard input"));
    let out_name = job.output.clone().unwrap_or(Bytes::from_static(b"standard output"));
    let mut c = Counts { in_full: 0, in_part: 0, out_full: 0, out_part: 0, read: 0, bytes: 0, truncated: 0 };
    if skip > 0 && !skipped(p, &input, skip, &in_name)? {
        return Ok(Status::FAILURE);
    }
    if seek > 0 && !job.append && output.seek(SeekFrom::Start(seek)).is_err() {
        // What cannot seek is filled with zeros.
        let mut left = seek;
        while left > 0 {
            let n = left.min(64 << 10);
            output.write(&p.budget, Bytes::from(vec![0; n as usize]))?;
            left -= n;
        }
    }
    let mut out = Blocks {
        fd: output,
        size: job.obs,
        whole: one_size && !has(Conv::Block) && !has(Conv::Unblock),
        held: Vec::new(),
        swap: None,
    };
    let mut lines = Lines { column: 0, spaces: 0 };
    let mut status = Status::OK;
    loop {
        p.budget.step()?;
        let max = match job.count {
            Some(n) if job.count_bytes => n.saturating_sub(c.read).min(job.ibs),
            Some(n) if c.in_full + c.in_part >= n => 0,
            _ => job.ibs,
        };
        if max == 0 {
            break;
        }
        let mut block = match read_block(p, &input, max, job.full_block) {
            Ok(b) => b,
            Err(e @ Error::Os(_)) => {
                p.complain(format_args!("error reading {}", quote::name_always(&in_name)), e)?;
                status = Status::FAILURE;
                break;
            }
            Err(stop) => return Err(stop),
        };
        if block.is_empty() {
            break;
        }
        if block.len() as u64 == job.ibs {
            c.in_full += 1
        } else {
            c.in_part += 1
        }
        c.read += block.len() as u64;
        if (block.len() as u64) < job.ibs && has(Conv::Sync) {
            let fill = if has(Conv::Block) || has(Conv::Unblock) { b' ' } else { 0 };
            let mut full = block.to_vec();
            full.resize(job.ibs as usize, fill);
            block = Bytes::from(full);
        }
        let changes = [Conv::Lower, Conv::Upper, Conv::Swap, Conv::Block, Conv::Unblock].into_iter().any(has);
        let result = if changes {
            let mut data = block.to_vec();
            if has(Conv::Lower) {
                data.make_ascii_lowercase();
            }
            if has(Conv::Upper) {
                data.make_ascii_uppercase();
            }
            if has(Conv::Swap) {
                data = out.swapped(data);
            }
            if has(Conv::Block) && job.cbs > 0 {
                data = lines.block(&data, job.cbs, &mut c);
            } else if has(Conv::Unblock) && job.cbs > 0 {
                data = lines.unblock(&data, job.cbs);
            }
            out.put(p, Bytes::from(data), &mut c)
        } else {
            out.put(p, block, &mut c)
        };
        if let Err(e) = result {
            return failed_write(p, job, &c, start, &out_name, e);
        }
    }
    let mut tail = out.swap.take().map_or(Vec::new(), |b| vec![b]);
    if has(Conv::Block) && job.cbs > 0 && lines.column > 0 {
        tail.resize(tail.len() + (job.cbs.saturating_sub(lines.column)) as usize, b' ');
    }
    if has(Conv::Unblock) && job.cbs > 0 && lines.column > 0 {
        tail.push(b'\n');
    }
    let end = out.put(p, Bytes::from(tail), &mut c).and_then(|()| out.finish(p, &mut c));
    if let Err(e) = end {
        return failed_write(p, job, &c, start, &out_name, e);
    }
    report(p, job, &c, start)?;
    Ok(status)
}

fn failed_write(
    p: &mut Process,
    job: &Job,
    c: &Counts,
    start: Instant,
    name: &[u8],
    e: Error,
) -> Result<Status> {
    if e == Error::Os(Errno::EPIPE) {
        return Err(e);
    }
    p.complain(format_args!("error writing {}", quote::name_always(name)), e)?;
    report(p, job, c, start)?;
    Ok(Status::FAILURE)
}

/// Passes over the start of the input; false when the program must end.
fn skipped(p: &mut Process, input: &Fd, skip: u64, name: &[u8]) -> Result<bool> {
    if let Ok(stat) = input.stat(&p.budget)
        && stat.kind == sandshell_kernel::FileKind::File
        && input.seek(SeekFrom::Current(i64::try_from(skip).unwrap_or(i64::MAX))).is_ok()
    {
        if stat.size < skip {
            p.error(format_args!("{}: cannot skip to specified offset", quote::name(name)))?;
        }
        return Ok(true);
    }
    let mut left = skip;
    while left > 0 {
        let piece = input.read(&p.budget, left.min(64 << 10) as usize)?;
        if piece.is_empty() {
            p.error(format_args!("{}: cannot skip to specified offset", quote::name(name)))?;
            return Ok(true);
        }
        left -= piece.len() as u64;
    }
    Ok(true)
}

fn read_block(p: &Process, input: &Fd, max: u64, full: bool) -> Result<Bytes> {
    let file = input.stat(&p.budget).is_ok_and(|s| s.kind != sandshell_kernel::FileKind::Fifo);
    let first = input.read(&p.budget, max as usize)?;
    // A file gives what is asked for; only a pipe gives what it has.
    if first.len() as u64 >= max || first.is_empty() || !(full || file) {
        return Ok(first);
    }
    let mut held = p.budget.reservation();
    let mut all = first.to_vec();
    while (all.len() as u64) < max {
        held.set(all.len() as u64)?;
        let piece = input.read(&p.budget, max as usize - all.len())?;
        if piece.is_empty() {
            break;
        }
        all.extend_from_slice(&piece);
    }
    Ok(Bytes::from(all))
}

fn report(p: &mut Process, job: &Job, c: &Counts, start: Instant) -> Result<()> {
    if job.quiet == 2 {
        return Ok(());
    }
    let mut text =
        format!("{}+{} records in\n{}+{} records out\n", c.in_full, c.in_part, c.out_full, c.out_part);
    if c.truncated > 0 {
        let s = if c.truncated == 1 { "" } else { "s" };
        text.push_str(&format!("{} truncated record{s}\n", c.truncated));
    }
    if job.quiet == 0 {
        let seconds = start.elapsed().as_secs_f64().max(1e-9);
        let n = c.bytes;
        let s = if n == 1 { "" } else { "s" };
        let sizes = match (human_si(n, 1000), human_si(n, 1024)) {
            (None, _) => String::new(),
            (Some(si), None) => format!(" ({si})"),
            (Some(si), Some(iec)) => format!(" ({si}, {iec})"),
        };
        let rate = human_si((n as f64 / seconds) as u64, 1000)
            .unwrap_or(format!("{:.1} kB", n as f64 / seconds / 1000.0));
        text.push_str(&format!("{n} byte{s}{sizes} copied, {} s, {rate}/s\n", significant(seconds)));
    }
    p.write_error(text.as_bytes())
}

/// As `%g` with six digits prints seconds.
fn significant(x: f64) -> String {
    let digits = (5 - x.log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{x:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// `1.0 kB`, `1.0 KiB`; nothing below one unit.
fn human_si(n: u64, base: u32) -> Option<String> {
    if n < u64::from(base) {
        return None;
    }
    let text = human(n, base);
    let (digits, unit) = text.split_at(text.len() - 1);
    let end = if base == 1000 { "B" } else { "iB" };
    Some(format!("{digits} {unit}{end}"))
}

/// Output in blocks of one size.
struct Blocks {
    fd: Fd,
    size: u64,
    /// Each input block is an output block (`bs=`).
    whole: bool,
    held: Vec<u8>,
    swap: Option<u8>,
}

impl Blocks {
    fn count(&self, n: usize, c: &mut Counts) {
        if n as u64 == self.size {
            c.out_full += 1
        } else {
            c.out_part += 1
        }
        c.bytes += n as u64;
    }

    fn put(&mut self, p: &Process, mut data: Bytes, c: &mut Counts) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        if self.whole {
            let n = data.len();
            self.fd.write(&p.budget, data)?;
            self.count(n, c);
            return Ok(());
        }
        while (self.held.len() + data.len()) as u64 >= self.size {
            let n = self.size as usize - self.held.len();
            let piece = data.split_to(n);
            if self.held.is_empty() {
                self.fd.write(&p.budget, piece)?;
            } else {
                self.held.extend_from_slice(&piece);
                self.fd.write_slice(&p.budget, &self.held)?;
                self.held.clear();
            }
            self.count(self.size as usize, c);
        }
        self.held.extend_from_slice(&data);
        Ok(())
    }

    fn finish(&mut self, p: &Process, c: &mut Counts) -> Result<()> {
        if !self.held.is_empty() {
            self.fd.write_slice(&p.budget, &self.held)?;
            self.count(self.held.len(), c);
            self.held.clear();
        }
        Ok(())
    }

    /// Swaps pairs of bytes, also across blocks.
    fn swapped(&mut self, data: Vec<u8>) -> Vec<u8> {
        let mut all: Vec<u8> = self.swap.take().into_iter().chain(data).collect();
        if all.len() % 2 == 1 {
            self.swap = all.pop();
        }
        for pair in all.chunks_exact_mut(2) {
            pair.swap(0, 1);
        }
        all
    }
}

/// Lines and records of fixed length.
struct Lines {
    column: u64,
    spaces: u64,
}

impl Lines {
    fn block(&mut self, data: &[u8], cbs: u64, c: &mut Counts) -> Vec<u8> {
        let mut out = Vec::with_capacity(data.len());
        for &b in data {
            if b == b'\n' {
                out.resize(out.len() + cbs.saturating_sub(self.column) as usize, b' ');
                self.column = 0;
                continue;
            }
            if self.column == cbs {
                c.truncated += 1;
            }
            if self.column < cbs {
                out.push(b);
            }
            self.column += 1;
        }
        out
    }

    fn unblock(&mut self, data: &[u8], cbs: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(data.len());
        for &b in data {
            if self.column == cbs {
                (self.column, self.spaces) = (0, 0);
                out.push(b'\n');
            }
            self.column += 1;
            if b == b' ' {
                self.spaces += 1;
            } else {
                out.extend(std::iter::repeat_n(b' ', self.spaces as usize));
                self.spaces = 0;
                out.push(b);
            }
        }
        out
    }
}
