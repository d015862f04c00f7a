//! `realpath`: canonical paths, absolute or relative to a directory.

use super::{
    canonical::{Links, Must, canonical},
    last_of, line_end, missing_operand,
};
use sandshell_kernel::{Bytes, Errno, Process, Result, Status};
use sandshell_text::{
    options::{Example, Opt, Spec},
    quote,
};

program!(
    /// `realpath`
    Realpath,
    run,
    Spec {
        name: "realpath",
        about: "Print the resolved absolute file name;\nall but the last component must exist",
        synopsis: &["[OPTION]... FILE..."],
        options: &[
            Opt::new('e', "canonicalize-existing", "all components of the path must exist"),
            Opt::new('m', "canonicalize-missing", "no path components need exist or be a directory"),
            Opt::new('L', "logical", "resolve '..' components before symlinks"),
            Opt::new('P', "physical", "resolve symlinks as encountered (default)"),
            Opt::new('q', "quiet", "suppress most error messages"),
            Opt::long("relative-to", "print the resolved path relative to DIR").value("DIR"),
            Opt::long("relative-base", "print absolute paths unless paths below DIR").value("DIR"),
            Opt::new('s', "strip", "don't expand symlinks"),
            Opt::long("no-symlinks", ""),
            Opt::new('z', "zero", "end each output line with NUL, not newline"),
        ],
        notes: "",
        version: "realpath (GNU coreutils) 9.1",
        examples: &[Example { script: "realpath -m --relative-to=/a/b /a/c", output: "../c\n" }],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.operands.is_empty() {
        return missing_operand(p);
    }
    let must = match last_of(&parsed, &["canonicalize-existing", "canonicalize-missing"]) {
        Some("canonicalize-existing") => Must::All,
        Some(_) => Must::None,
        None => Must::AllButLast,
    };
    let links = match last_of(&parsed, &["logical", "physical", "strip", "no-symlinks"]) {
        Some("logical") => Links::Logical,
        Some("strip" | "no-symlinks") => Links::Keep,
        _ => Links::Physical,
    };
    let mut bases = [None, None];
    for (slot, id) in bases.iter_mut().zip(["relative-to", "relative-base"]) {
        let Some(dir) = parsed.last(id) else { continue };
        let found = canonical(&p.files, dir, must, links).and_then(|c| {
            let is_dir = must != Must::All || p.files.stat_cheap(&c, true)?.0.is_dir();
            if is_dir { Ok(c) } else { Err(Errno::ENOTDIR.into()) }
        });
        match found {
            Ok(c) => *slot = Some(c),
            Err(e) => {
                p.complain(format_args!("{}", quote::name(dir)), e)?;
                return Ok(Status::FAILURE);
            }
        }
    }
    let [mut to, base] = bases;
    if let Some(b) = &base {
        match &to {
            // A directory outside of the base makes everything absolute.
            Some(t) if !below(t, b) => {
                to = None;
                return print(p, &parsed, must, links, to, None);
            }
            Some(_) => {}
            None => to = Some(b.clone()),
        }
    }
    print(p, &parsed, must, links, to, base)
}

fn print(
    p: &mut Process,
    parsed: &sandshell_text::options::Parsed,
    must: Must,
    links: Links,
    to: Option<Bytes>,
    base: Option<Bytes>,
) -> Result<Status> {
    let mut status = Status::OK;
    for file in &parsed.operands {
        match canonical(&p.files, file, must, links) {
            Ok(path) => {
                let inside = base.as_ref().is_none_or(|b| below(&path, b));
                let shown = match &to {
                    Some(to) if inside => relative(&path, to),
                    _ => path,
                };
                p.stdout.put(&shown)?;
                p.stdout.byte(line_end(parsed))?;
            }
            Err(e) => {
                status = Status::FAILURE;
                if !parsed.has("quiet") {
                    p.complain(format_args!("{}", quote::name(file)), e)?;
                } else if let sandshell_kernel::Error::Stop(_) = e {
                    return Err(e);
                }
            }
        }
    }
    Ok(status)
}

/// Whether `path` is `dir` or below it, by whole components.
fn below(path: &[u8], dir: &[u8]) -> bool {
    let rest = path.strip_prefix(if dir == b"/" { &b""[..] } else { dir });
    rest.is_some_and(|r| r.is_empty() || r[0] == b'/')
}

/// The way from the directory `from` to `path`, both canonical.
pub(super) fn relative(path: &[u8], from: &[u8]) -> Bytes {
    let parts = |p: &'_ [u8]| -> Vec<Vec<u8>> {
        p.split(|&b| b == b'/').filter(|s| !s.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (path, from) = (parts(path), parts(from));
    let common = path.iter().zip(&from).take_while(|(a, b)| a == b).count();
    let mut way: Vec<&[u8]> = vec![b".."; from.len() - common];
    way.extend(path[common..].iter().map(|s| &s[..]));
    if way.is_empty() {
        way.push(b".");
    }
    Bytes::from(way.join(&b'/'))
}
