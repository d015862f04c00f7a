//! `mktemp`: a file or directory with a name that nobody has.

use super::{base, join, misuse};
use sandshell_kernel::{Bytes, Errno, Error, OpenOptions, Process, Result, Status};
use sandshell_text::{
    options::{Opt, Spec},
    quote,
};

program!(
    /// `mktemp`
    Mktemp,
    run,
    Spec {
        name: "mktemp",
        about: "Create a temporary file or directory, safely, and print its name.\nTEMPLATE must contain at least 3 consecutive 'X's in last component.\nIf TEMPLATE is not specified, use tmp.XXXXXXXXXX, and --tmpdir is implied.",
        synopsis: &["[OPTION]... [TEMPLATE]"],
        options: &[
            Opt::new('d', "directory", "create a directory, not a file"),
            Opt::new('u', "dry-run", "do not create anything; merely print a name (unsafe)"),
            Opt::new('q', "quiet", "suppress diagnostics about file/dir-creation failure"),
            Opt::long("suffix", "append SUFF to TEMPLATE; SUFF must not contain a slash. This option is implied if TEMPLATE does not end in X").value("SUFF"),
            Opt::short('p', "interpret TEMPLATE relative to DIR").value("DIR"),
            Opt::long("tmpdir", "interpret TEMPLATE relative to DIR; if DIR is not specified, use $TMPDIR if set, else /tmp").optional("DIR"),
            Opt::short('t', "interpret TEMPLATE as a single file name component, relative to a directory: $TMPDIR, if set; else the directory specified via -p; else /tmp [deprecated]"),
        ],
        notes: "",
        version: "mktemp (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.operands.len() > 1 {
        return misuse(p, format_args!("too many templates"));
    }
    let mut in_dir = parsed.has("p") || parsed.has("tmpdir") || parsed.has("t");
    let given =
        parsed.options.iter().rev().find(|f| f.id == "p" || f.id == "tmpdir").and_then(|f| f.value.clone());
    let template = match parsed.operands.first() {
        Some(t) => t.clone(),
        None => {
            in_dir = true;
            Bytes::from_static(b"tmp.XXXXXXXXXX")
        }
    };
    let (stem, suffix) = match parsed.last("suffix") {
        Some(s) => {
            if !template.ends_with(b"X") {
                p.error(format_args!("with --suffix, template {} must end in X", quote::value(&template)))?;
                return Ok(Status::FAILURE);
            }
            (template.clone(), s.clone())
        }
        None => {
            let end = template.iter().rposition(|&b| b == b'X').map_or(0, |i| i + 1);
            (template.slice(..end), template.slice(end..))
        }
    };
    if suffix.contains(&b'/') {
        let suffix = quote::value(&suffix);
        p.error(format_args!("invalid suffix {suffix}, contains directory separator"))?;
        return Ok(Status::FAILURE);
    }
    let xs = stem.iter().rev().take_while(|&&b| b == b'X').count();
    if xs < 3 {
        p.error(format_args!("too few X's in template {}", quote::value(&template)))?;
        return Ok(Status::FAILURE);
    }
    let mut stem = stem;
    if in_dir {
        let from_env = p.env.get("TMPDIR").filter(|v| !v.is_empty()).cloned();
        let fallback = || Bytes::from_static(b"/tmp");
        let dir = if parsed.has("t") {
            if base(&stem).len() != stem.len() {
                let t = quote::value(&template);
                p.error(format_args!("invalid template, {t}, contains directory separator"))?;
                return Ok(Status::FAILURE);
            }
            from_env.or(given).unwrap_or_else(fallback)
        } else {
            if stem.starts_with(b"/") {
                let t = quote::value(&template);
                p.error(format_args!("invalid template, {t}; with --tmpdir, it may not be absolute"))?;
                return Ok(Status::FAILURE);
            }
            given.filter(|d| !d.is_empty()).or(from_env).unwrap_or_else(fallback)
        };
        stem = join(&dir, &stem);
    }
    let (directory, dry) = (parsed.has("directory"), parsed.has("dry-run"));
    match make(p, &stem, xs, &suffix, directory, dry) {
        Ok(name) => {
            p.stdout.line(&name)?;
            Ok(Status::OK)
        }
        Err(e) => {
            if !parsed.has("quiet") {
                let what = if directory { "directory" } else { "file" };
                let whole = [&stem[..], &suffix].concat();
                p.complain(format_args!("failed to create {what} via template {}", quote::value(&whole)), e)?;
            }
            Ok(Status::FAILURE)
        }
    }
}

fn make(p: &mut Process, stem: &[u8], xs: usize, suffix: &[u8], directory: bool, dry: bool) -> Result<Bytes> {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    for _ in 0..10_000 {
        p.budget.step()?;
        let mut name = stem[..stem.len() - xs].to_vec();
        name.extend((0..xs).map(|_| LETTERS[fastrand::usize(..62)]));
        name.extend_from_slice(suffix);
        let made = match (dry, directory) {
            (true, _) => match p.files.stat_cheap(&name, false) {
                Err(Error::Os(Errno::ENOENT)) => Ok(()),
                Err(e) => Err(e),
                Ok(_) => Err(Errno::EEXIST.into()),
            },
            (false, true) => p.files.mkdir(&name, 0o700),
            (false, false) => {
                let o = OpenOptions { exclusive: true, mode: 0o600, ..OpenOptions::READ_WRITE };
                p.files.open(&name, OpenOptions { truncate: false, ..o }).map(drop)
            }
        };
        match made {
            Ok(()) => return Ok(Bytes::from(name)),
            Err(Error::Os(Errno::EEXIST)) => {}
            Err(e) => return Err(e),
        }
    }
    Err(Errno::EEXIST.into())
}
