//! `truncate`: shrinks or extends files.

use super::misuse;
use sandshell_kernel::{Errno, Error, OpenOptions, Process, Result, Status};
use sandshell_text::{
    number::parse_size,
    options::{Example, Opt, Spec},
    quote,
};

program!(
    /// `truncate`
    Truncate,
    run,
    Spec {
        name: "truncate",
        about: "Shrink or extend the size of each FILE to the specified size",
        synopsis: &["OPTION... FILE..."],
        options: &[
            Opt::new('c', "no-create", "do not create any files"),
            Opt::new('o', "io-blocks", "treat SIZE as number of IO blocks instead of bytes"),
            Opt::new('r', "reference", "base size on RFILE").value("RFILE"),
            Opt::new('s', "size", "set or adjust the file size by SIZE bytes").value("SIZE"),
        ],
        notes: "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\nUnits are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\n\nSIZE may also be prefixed by one of the following modifying characters:\n'+' extend by, '-' reduce by, '<' at most, '>' at least,\n'/' round down to multiple of, '%' round up to multiple of.",
        version: "truncate (GNU coreutils) 9.1",
        examples: &[Example { script: "truncate -s 3 f; wc -c < f", output: "3\n" }],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    let mut size = None;
    if let Some(text) = parsed.last("size") {
        let trimmed = text.trim_ascii_start();
        let (how, number) = match trimmed.first() {
            Some(c @ (b'<' | b'>' | b'/' | b'%')) => (*c, trimmed[1..].trim_ascii_start()),
            Some(c @ (b'+' | b'-')) => (*c, &trimmed[1..]),
            _ => (b'=', trimmed),
        };
        if matches!(how, b'<' | b'>' | b'/' | b'%') && matches!(number.first(), Some(b'+' | b'-')) {
            return misuse(p, format_args!("multiple relative modifiers specified"));
        }
        let Ok(n) = parse_size(number, "EgGkKmMPtTYZ0") else {
            p.error(format_args!("Invalid number: {}", quote::value(text)))?;
            return Ok(Status::FAILURE);
        };
        if n == 0 && matches!(how, b'/' | b'%') {
            p.error(format_args!("division by zero"))?;
            return Ok(Status::FAILURE);
        }
        size = Some((how, n));
    }
    let reference = parsed.last("reference");
    if size.is_none() && reference.is_none() {
        return misuse(p, format_args!("you must specify either ‘--size’ or ‘--reference’"));
    }
    if reference.is_some() && size.is_some_and(|(how, _)| how == b'=') {
        return misuse(p, format_args!("you must specify a relative ‘--size’ with ‘--reference’"));
    }
    let blocks = parsed.has("io-blocks");
    if blocks && size.is_none() {
        return misuse(p, format_args!("‘--io-blocks’ was specified but ‘--size’ was not"));
    }
    if parsed.operands.is_empty() {
        return misuse(p, format_args!("missing file operand"));
    }
    let mut base = None;
    if let Some(r) = reference {
        match p.files.stat(r) {
            Ok(s) => base = Some(s.size),
            Err(e) => {
                p.complain(format_args!("cannot stat {}", quote::name_always(r)), e)?;
                return Ok(Status::FAILURE);
            }
        }
    }
    let mut status = Status::OK;
    let options =
        OpenOptions { create: !parsed.has("no-create"), write: true, read: false, ..OpenOptions::READ };
    for file in &parsed.operands {
        let fd = match p.files.open(file, options) {
            Ok(fd) => fd,
            Err(Error::Os(Errno::ENOENT)) if !options.create => continue,
            Err(e) => {
                p.complain(format_args!("cannot open {} for writing", quote::name_always(file)), e)?;
                status = Status::FAILURE;
                continue;
            }
        };
        let result = fd.stat(&p.budget).and_then(|s| {
            let now = base.unwrap_or(s.size);
            let to = match size {
                None => Some(now),
                Some((how, n)) => {
                    n.checked_mul(if blocks { 4096 } else { 1 }).and_then(|n| resized(how, n, now))
                }
            };
            fd.truncate(&p.budget, to.ok_or(Errno::EFBIG)?)
        });
        if let Err(e) = result {
            p.complain(format_args!("failed to truncate {}", quote::name_always(file)), e)?;
            status = Status::FAILURE;
        }
    }
    Ok(status)
}

fn resized(how: u8, n: u64, now: u64) -> Option<u64> {
    match how {
        b'+' => now.checked_add(n),
        b'-' => Some(now.saturating_sub(n)),
        b'<' => Some(now.min(n)),
        b'>' => Some(now.max(n)),
        b'/' => Some(now / n * n),
        b'%' => now.div_ceil(n).checked_mul(n),
        _ => Some(n),
    }
}
