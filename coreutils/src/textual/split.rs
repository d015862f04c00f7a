//! `split`: pieces of a file by lines, bytes or number of pieces.

use crate::cli;
use sandshell_kernel::{Bytes, Child, Errno, Error, Output, Process, Program, Result, Status};
use sandshell_text::number::{SizeError, parse_size};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `split`
pub struct Split;

static SPEC: Spec = Spec {
    name: "split",
    about: "Output pieces of FILE to PREFIXaa, PREFIXab, ...;\n\
        default size is 1000 lines, and default PREFIX is 'x'.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE [PREFIX]]"],
    options: &[
        Opt::new('a', "suffix-length", "generate suffixes of length N (default 2)").value("N"),
        Opt::long("additional-suffix", "append an additional SUFFIX to file names").value("SUFFIX"),
        Opt::new('b', "bytes", "put SIZE bytes per output file").value("SIZE"),
        Opt::new('C', "line-bytes", "put at most SIZE bytes of records per output file").value("SIZE"),
        Opt::short('d', "use numeric suffixes starting at 0, not alphabetic"),
        Opt::long("numeric-suffixes", "same as -d, but allow setting the start value").optional("FROM"),
        Opt::short('x', "use hex suffixes starting at 0, not alphabetic"),
        Opt::long("hex-suffixes", "same as -x, but allow setting the start value").optional("FROM"),
        Opt::new('e', "elide-empty-files", "do not generate empty output files with '-n'"),
        Opt::long("filter", "write to shell COMMAND; file name is $FILE").value("COMMAND"),
        Opt::new('l', "lines", "put NUMBER lines/records per output file").value("NUMBER"),
        Opt::new('n', "number", "generate CHUNKS output files; see explanation below").value("CHUNKS"),
        Opt::new(
            't',
            "separator",
            "use SEP instead of newline as the record separator;\n'\\0' (zero) specifies the NUL character",
        )
        .value("SEP"),
        Opt::new('u', "unbuffered", "immediately copy input to output with '-n r/...'"),
        Opt::long("verbose", "print a diagnostic just before each\noutput file is opened"),
        Opt::number(""),
    ],
    notes: "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\n\
        Units are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\n\
        Binary prefixes can be used, too: KiB=K, MiB=M, and so on.\n\nCHUNKS may be:\n  \
        N       split into N files based on size of input\n  K/N     output Kth of N to stdout\n  \
        l/N     split into N files without splitting lines/records\n  \
        l/K/N   output Kth of N to stdout without splitting lines/records\n  \
        r/N     like 'l' but use round robin distribution\n  r/K/N   likewise but only output Kth of N to stdout",
    version: "split (GNU coreutils) 9.1",
    examples: &[Example { script: "seq 5 | split -l 2; cat xac", output: "5\n" }],
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Lines(u64),
    Bytes(u64),
    LineBytes(u64),
    /// Pieces, and the one wanted.
    Pieces(u64, Option<u64>),
    LinePieces(u64, Option<u64>),
    RoundRobin(u64, Option<u64>),
}

/// The names of the pieces, in order.
struct Names {
    prefix: Vec<u8>,
    additional: Vec<u8>,
    alphabet: &'static [u8],
    indices: Vec<usize>,
    /// Grow the suffix rather than run out of names.
    grows: bool,
    started: bool,
}

impl Names {
    fn next(&mut self) -> Option<Bytes> {
        if self.started {
            let mut at = self.indices.len();
            loop {
                if at == 0 {
                    return None;
                }
                at -= 1;
                self.indices[at] += 1;
                if self.grows && at == 0 && self.indices[0] + 1 == self.alphabet.len() {
                    // `xyz`, then `xzaaa`: the last letter goes to the prefix, and the suffix is one longer.
                    self.prefix.push(self.alphabet[self.indices[0]]);
                    self.indices = vec![0; self.indices.len() + 1];
                    break;
                }
                if self.indices[at] < self.alphabet.len() {
                    break;
                }
                self.indices[at] = 0;
            }
        }
        self.started = true;
        let suffix = self.indices.iter().map(|i| self.alphabet[*i]);
        let name: Vec<u8> =
            self.prefix.iter().copied().chain(suffix).chain(self.additional.iter().copied()).collect();
        Some(Bytes::from(name))
    }
}

/// One piece being written.
struct Piece {
    name: Bytes,
    out: Output,
    child: Option<Child>,
    /// The filter no longer reads.
    closed: bool,
}

/// Writes pieces, one after the other.
struct Writer {
    names: Names,
    filter: Option<Bytes>,
    verbose: bool,
    elide: bool,
    current: Option<Piece>,
}

/// Why no more pieces are written: the message was printed.
enum Halt {
    Status(Status),
    Error(Error),
}

impl From<Error> for Halt {
    fn from(e: Error) -> Halt {
        Halt::Error(e)
    }
}

type Outcome<T> = std::result::Result<T, Halt>;

impl Writer {
    fn open(&mut self, process: &mut Process) -> Outcome<Piece> {
        let Some(name) = self.names.next() else {
            process.error(format_args!("output file suffixes exhausted"))?;
            return Err(Halt::Status(Status::FAILURE));
        };
        let shown = cli::shell_quote(&name, true);
        if let Some(command) = &self.filter {
            if self.verbose {
                process
                    .stdout
                    .text(format_args!("executing with FILE={}\n", cli::shell_quote(&name, false)))?;
            }
            let argv = vec![Bytes::from_static(b"sh"), Bytes::from_static(b"-c"), command.clone()];
            let mut spawn = process.spawn(argv);
            spawn.env.set(Bytes::from_static(b"FILE"), name.clone());
            let (out, child) = process.start_writing(spawn)?;
            return Ok(Piece { name, out, child: Some(child), closed: false });
        }
        if self.verbose {
            process.stdout.text(format_args!("creating file {shown}\n"))?;
        }
        match process.files.create(&name) {
            Ok(out) => Ok(Piece { name, out, child: None, closed: false }),
            Err(e) => {
                process.complain(format_args!("{}", cli::shell_quote(&name, false)), e)?;
                Err(Halt::Status(Status::FAILURE))
            }
        }
    }

    /// Begins the next piece.
    fn start(&mut self, process: &mut Process) -> Outcome<()> {
        self.finish(process)?;
        self.current = Some(self.open(process)?);
        Ok(())
    }

    fn put(&mut self, process: &mut Process, data: Bytes) -> Outcome<()> {
        match &mut self.current {
            Some(piece) => put(process, piece, data),
            None => Ok(()),
        }
    }

    fn finish(&mut self, process: &mut Process) -> Outcome<()> {
        match self.current.take() {
            Some(piece) => close(process, piece, self.filter.as_deref()),
            None => Ok(()),
        }
    }
}

fn put(process: &mut Process, piece: &mut Piece, data: Bytes) -> Outcome<()> {
    if piece.closed {
        return Ok(());
    }
    match piece.out.chunk(data) {
        Ok(()) => Ok(()),
        Err(Error::Os(Errno::EPIPE)) if piece.child.is_some() => {
            piece.closed = true;
            Ok(())
        }
        Err(e) => {
            process.complain(format_args!("{}", cli::shell_quote(&piece.name, false)), e)?;
            Err(Halt::Status(Status::FAILURE))
        }
    }
}

fn close(process: &mut Process, piece: Piece, filter: Option<&[u8]>) -> Outcome<()> {
    let Piece { name, mut out, child, closed } = piece;
    if !closed
        && let Err(e) = out.flush()
        && !(child.is_some() && e == Error::Os(Errno::EPIPE))
    {
        process.complain(format_args!("{}", cli::shell_quote(&name, false)), e)?;
        return Err(Halt::Status(Status::FAILURE));
    }
    drop(out);
    if let Some(child) = child {
        let status = child.wait(&process.budget)?;
        if !status.ok() && status != Status(141) {
            let command = String::from_utf8_lossy(filter.unwrap_or_default()).into_owned();
            let name = cli::shell_quote(&name, false);
            process.error(format_args!("with FILE={name}, exit {} from command: {command}", status.0))?;
            return Err(Halt::Status(status));
        }
    }
    Ok(())
}

/// `K/N`, `l/N`, `r/K/N`: the message for a wrong one.
fn chunks(text: &[u8]) -> std::result::Result<By, String> {
    let (kind, rest) = match text {
        [k @ (b'l' | b'r'), b'/', rest @ ..] => (*k, rest),
        _ => (b' ', text),
    };
    let number = |text: &[u8], what: &str| {
        let shown = cli::quote(text);
        match parse_size(text, "") {
            Ok(0) => Err(format!("invalid {what}: {shown}: Numerical result out of range")),
            Ok(n) => Ok(n),
            Err(SizeError::Overflow) => {
                Err(format!("invalid {what}: {shown}: Value too large for defined data type"))
            }
            Err(_) => Err(format!("invalid {what}: {shown}")),
        }
    };
    let (wanted, n) = match memchr::memchr(b'/', rest) {
        Some(at) => {
            let n = number(&rest[at + 1..], "number of chunks")?;
            let k = number(&rest[..at], "chunk number")?;
            if k > n {
                let shown = cli::quote(&rest[..at]);
                return Err(format!("invalid chunk number: {shown}: Numerical result out of range"));
            }
            (Some(k), n)
        }
        None => (None, number(rest, "number of chunks")?),
    };
    Ok(match kind {
        b'l' => By::LinePieces(n, wanted),
        b'r' => By::RoundRobin(n, wanted),
        _ => By::Pieces(n, wanted),
    })
}

impl Program for Split {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        match split(process) {
            Ok(()) => Ok(Status::OK),
            Err(Halt::Status(status)) => Ok(status),
            Err(Halt::Error(e)) => Err(e),
        }
    }
}

fn wrong(process: &mut Process, message: &str, hint: bool) -> Halt {
    let told = process.error(format_args!("{message}")).and_then(|()| match hint {
        true => cli::try_help(process, 1),
        false => Ok(Status::FAILURE),
    });
    told.map_or_else(Halt::Error, Halt::Status)
}

/// Suffixes longer than any name can be.
const MAX_SUFFIX: u64 = 4096;

fn split(process: &mut Process) -> Outcome<()> {
    let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
        Ok(p) => p,
        Err(status) => return Err(Halt::Status(status)),
    };
    let mut by: Option<By> = None;
    let (mut length, mut additional, mut end) = (None, Vec::new(), None);
    let (mut alphabet, mut from): (&'static [u8], Vec<u8>) = (b"abcdefghijklmnopqrstuvwxyz", Vec::new());
    let (mut elide, mut verbose, mut filter) = (false, false, None);
    for f in &parsed.options {
        let value = f.value.clone().unwrap_or_default();
        match f.id {
            "suffix-length" => match parse_size(&value, "") {
                Ok(n) if n <= MAX_SUFFIX => length = Some(n as usize).filter(|n| *n > 0),
                _ => {
                    return Err(wrong(
                        process,
                        &format!("invalid suffix length: {}", cli::quote(&value)),
                        false,
                    ));
                }
            },
            "additional-suffix" => {
                if value.contains(&b'/') {
                    let shown = cli::quote(&value);
                    return Err(wrong(
                        process,
                        &format!("invalid suffix {shown}, contains directory separator"),
                        true,
                    ));
                }
                additional = value.to_vec();
            }
            "bytes" | "line-bytes" | "lines" | "number" | "#" => {
                if by.is_some() && !(f.id == "#" && matches!(by, Some(By::Lines(_)))) {
                    return Err(wrong(process, "cannot split in more than one way", true));
                }
                if f.id == "number" {
                    by = Some(chunks(&value).map_err(|m| wrong(process, &m, false))?);
                    continue;
                }
                let lines = matches!(f.id, "lines" | "#");
                let what = if lines { "number of lines" } else { "number of bytes" };
                let units = if lines { "" } else { "bEGKkMmPTYZ0" };
                let shown = cli::quote(&value);
                let n = match parse_size(&value, units) {
                    Ok(0) => Err(format!("invalid {what}: {shown}: Numerical result out of range")),
                    Ok(n) => Ok(n),
                    Err(SizeError::Overflow) => {
                        Err(format!("invalid {what}: {shown}: Value too large for defined data type"))
                    }
                    Err(_) => Err(format!("invalid {what}: {shown}")),
                };
                let n = n.map_err(|m| wrong(process, &m, false))?;
                by = Some(match f.id {
                    "bytes" => By::Bytes(n),
                    "line-bytes" => By::LineBytes(n),
                    _ => By::Lines(n),
                });
            }
            "d" | "numeric-suffixes" | "x" | "hex-suffixes" => {
                let hex = matches!(f.id, "x" | "hex-suffixes");
                alphabet = if hex { b"0123456789abcdef" } else { b"0123456789" };
                let digits = value.iter().map(u8::to_ascii_lowercase).collect::<Vec<_>>();
                if !digits.iter().all(|d| alphabet.contains(d)) {
                    let kind = if hex { "hexadecimal" } else { "numerical" };
                    let message = format!("{}: invalid start value for {kind} suffix", cli::quote(&value));
                    return Err(wrong(process, &message, true));
                }
                let zeros = digits.iter().take_while(|d| **d == b'0').count();
                from = digits[zeros.min(digits.len().saturating_sub(1))..].to_vec();
            }
            "elide-empty-files" => elide = true,
            "filter" => filter = Some(value),
            "separator" => {
                let c = match &value[..] {
                    b"" => return Err(wrong(process, "empty record separator", false)),
                    b"\\0" => 0,
                    [c] => *c,
                    _ => {
                        let message = format!("multi-character separator {}", cli::quote(&value));
                        return Err(wrong(process, &message, false));
                    }
                };
                if end.is_some_and(|e| e != c) {
                    return Err(wrong(process, "multiple separator characters specified", false));
                }
                end = Some(c);
            }
            "verbose" => verbose = true,
            _ => {}
        }
    }
    if let Some(extra) = parsed.operands.get(2) {
        return Err(wrong(process, &format!("extra operand {}", cli::quote(extra)), true));
    }
    let by = by.unwrap_or(By::Lines(1000));
    let end = end.unwrap_or(b'\n');
    if filter.is_some()
        && let By::Pieces(_, Some(_)) | By::LinePieces(_, Some(_)) | By::RoundRobin(_, Some(_)) = by
    {
        return Err(wrong(process, "--filter does not process a chunk extracted to stdout", true));
    }
    let mut grows = length.is_none() && from.is_empty();
    let mut needed = from.len();
    if let By::Pieces(n, None) | By::LinePieces(n, None) | By::RoundRobin(n, None) = by {
        // As many digits as the last name wants.
        let start = from.iter().fold(0u64, |v, d| {
            let digit = alphabet.iter().position(|a| a == d).unwrap_or(0) as u64;
            v.saturating_mul(alphabet.len() as u64).saturating_add(digit)
        });
        let mut last = (n - 1).saturating_add(if start < n { start } else { 0 });
        let mut digits = 1;
        while last >= alphabet.len() as u64 {
            last /= alphabet.len() as u64;
            digits += 1;
        }
        needed = needed.max(digits);
        grows = false;
        if length.is_some_and(|l| l < needed) {
            return Err(wrong(process, &format!("the suffix length needs to be at least {needed}"), false));
        }
    }
    let length = length.unwrap_or(needed.max(2));
    let mut indices = vec![0; length.max(from.len())];
    let at = indices.len() - from.len();
    for (slot, d) in indices[at..].iter_mut().zip(&from) {
        *slot = alphabet.iter().position(|a| a == d).unwrap_or(0);
    }
    let prefix = parsed.operands.get(1).map_or(b"x".to_vec(), |p| p.to_vec());
    let names = Names { prefix, additional, alphabet, indices, grows, started: false };
    let mut writer = Writer { names, filter, verbose, elide, current: None };
    let name = parsed.operands.first().cloned().unwrap_or(Bytes::from_static(b"-"));
    let mut input = match process.open_input(&name) {
        Ok(input) => input,
        Err(e) => {
            process.complain(format_args!("cannot open {} for reading", cli::shell_quote(&name, true)), e)?;
            return Err(Halt::Status(Status::FAILURE));
        }
    };
    match by {
        By::Lines(n) => by_lines(process, &mut writer, &mut input, n, end)?,
        By::Bytes(n) => by_bytes(process, &mut writer, &mut input, n)?,
        _ => {
            let all = input.read_all()?;
            let _held = process.budget.reserve(all.len() as u64)?;
            match by {
                By::LineBytes(n) => by_line_bytes(process, &mut writer, all, n, end)?,
                By::Pieces(n, wanted) => by_pieces(process, &mut writer, &all, n, wanted)?,
                By::LinePieces(n, wanted) => by_line_pieces(process, &mut writer, &all, n, wanted, end)?,
                By::RoundRobin(n, wanted) => round_robin(process, &mut writer, &all, n, wanted, end)?,
                By::Lines(_) | By::Bytes(_) => {}
            }
        }
    }
    writer.finish(process)
}

fn by_lines(
    process: &mut Process,
    w: &mut Writer,
    input: &mut sandshell_kernel::Input,
    n: u64,
    end: u8,
) -> Outcome<()> {
    let mut left = 0;
    while let Some(mut chunk) = input.next_chunk()? {
        while !chunk.is_empty() {
            process.budget.step()?;
            if left == 0 {
                w.start(process)?;
                left = n;
            }
            // Up to the end of the last line of this piece, or all.
            let mut at = None;
            for i in memchr::memchr_iter(end, &chunk) {
                left -= 1;
                if left == 0 {
                    at = Some(i + 1);
                    break;
                }
            }
            let part = chunk.split_to(at.unwrap_or(chunk.len()));
            w.put(process, part)?;
        }
    }
    Ok(())
}

fn by_bytes(
    process: &mut Process,
    w: &mut Writer,
    input: &mut sandshell_kernel::Input,
    n: u64,
) -> Outcome<()> {
    let mut left = 0;
    while let Some(mut chunk) = input.next_chunk()? {
        while !chunk.is_empty() {
            process.budget.step()?;
            if left == 0 {
                w.start(process)?;
                left = n;
            }
            let part = chunk.split_to(left.min(chunk.len() as u64) as usize);
            left -= part.len() as u64;
            w.put(process, part)?;
        }
    }
    Ok(())
}

fn by_line_bytes(process: &mut Process, w: &mut Writer, mut rest: Bytes, n: u64, end: u8) -> Outcome<()> {
    while !rest.is_empty() {
        process.budget.step()?;
        let n = n.min(usize::MAX as u64) as usize;
        let cut = match n < rest.len() || n == rest.len() {
            true => memchr::memrchr(end, &rest[..n]).map_or(n, |i| i + 1),
            false => rest.len(),
        };
        w.start(process)?;
        w.put(process, rest.split_to(cut))?;
    }
    Ok(())
}

fn by_pieces(process: &mut Process, w: &mut Writer, all: &Bytes, n: u64, wanted: Option<u64>) -> Outcome<()> {
    let size = (all.len() as u64).max(n) / n;
    for k in wanted.map_or(1..=n, |k| k..=k) {
        process.budget.step()?;
        let from = (((k - 1) * size) as usize).min(all.len());
        let to = if k == n { all.len() } else { ((k * size) as usize).min(all.len()) };
        let part = all.slice(from..to);
        if wanted.is_some() {
            process.stdout.chunk(part)?;
        } else if !(part.is_empty() && w.elide) {
            w.start(process)?;
            w.put(process, part)?;
        }
    }
    Ok(())
}

/// A line belongs to the piece in which it begins.
fn by_line_pieces(
    process: &mut Process,
    w: &mut Writer,
    all: &Bytes,
    n: u64,
    wanted: Option<u64>,
    end: u8,
) -> Outcome<()> {
    let size = (all.len() as u64).max(n) / n;
    let mut from = 0;
    for k in 1..=n {
        process.budget.step()?;
        // The line that holds the last byte of the piece is its last.
        let last = if k == n { all.len() } else { (k * size) as usize };
        let to = match last.checked_sub(1) {
            Some(i) if i >= from && i < all.len() && k < n => {
                memchr::memchr(end, &all[i..]).map_or(all.len(), |j| i + j + 1)
            }
            Some(_) if k == n => all.len(),
            _ => from,
        };
        let part = all.slice(from..to);
        from = to;
        match wanted {
            Some(x) if x == k => {
                process.stdout.chunk(part)?;
                return Ok(());
            }
            Some(_) => {}
            None if part.is_empty() && w.elide => {}
            None => {
                w.start(process)?;
                w.put(process, part)?;
            }
        }
    }
    Ok(())
}

fn round_robin(
    process: &mut Process,
    w: &mut Writer,
    all: &Bytes,
    n: u64,
    wanted: Option<u64>,
    end: u8,
) -> Outcome<()> {
    let lines = || {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = all.get(at..).filter(|r| !r.is_empty())?;
            let len = memchr::memchr(end, rest).map_or(rest.len(), |i| i + 1);
            at += len;
            Some((at - len, at))
        })
    };
    if let Some(k) = wanted {
        for (i, (from, to)) in lines().enumerate() {
            if i as u64 % n == k - 1 {
                process.stdout.put(&all[from..to])?;
            }
            process.budget.step()?;
        }
        return Ok(());
    }
    let pieces = if w.elide { n.min(lines().take(n as usize).count() as u64) } else { n };
    let mut open = Vec::new();
    for _ in 0..pieces {
        process.budget.step()?;
        open.push(w.open(process)?);
    }
    if !open.is_empty() {
        for (i, (from, to)) in lines().enumerate() {
            process.budget.step()?;
            let piece = &mut open[(i as u64 % n) as usize];
            put(process, piece, all.slice(from..to))?;
        }
    }
    for piece in open {
        close(process, piece, w.filter.as_deref())?;
    }
    Ok(())
}
