//! `chmod`: changes permission bits.

use super::{
    join, misuse,
    mode::{ModeChange, letters},
};
use crate::cli;
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Process, Result, Status};
use sandshell_text::{
    options::{self, Example, Opt, Order, Spec, UsageError},
    quote,
};

program!(
    /// `chmod`
    Chmod,
    run,
    Spec {
        name: "chmod",
        about: "Change the mode of each FILE to MODE.\nWith --reference, change the mode of each FILE to that of RFILE.",
        synopsis: &["[OPTION]... MODE[,MODE]... FILE...", "[OPTION]... OCTAL-MODE FILE...", "[OPTION]... --reference=RFILE FILE..."],
        options: &[
            Opt::new('c', "changes", "like verbose but report only when a change is made"),
            Opt::new('f', "silent", "suppress most error messages"),
            Opt::long("quiet", ""),
            Opt::new('v', "verbose", "output a diagnostic for every file processed"),
            Opt::long("no-preserve-root", "do not treat '/' specially (the default)"),
            Opt::long("preserve-root", "fail to operate recursively on '/'"),
            Opt::long("reference", "use RFILE's mode instead of MODE values").value("RFILE"),
            Opt::new('R', "recursive", "change files and directories recursively"),
        ],
        notes: "Each MODE is of the form '[ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+'.",
        version: "chmod (GNU coreutils) 9.1",
        examples: &[Example { script: "touch f; chmod u+x,go= f; stat -c %a f", output: "700\n" }],
    }
);

struct Job {
    change: ModeChange,
    recursive: bool,
    silent: bool,
    verbose: bool,
    changes: bool,
    /// The mode was written like an option: what the umask kept from being removed is an error.
    surprises: bool,
}

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    // `-x`, `-rw,+s`: a mode that looks like an option.
    let mut modes: Vec<u8> = Vec::new();
    let mut args = Vec::new();
    let mut operands_only = false;
    for a in p.args.get(1..).unwrap_or_default() {
        let like_mode = a.len() > 1 && a[0] == b'-' && b"rwxXstugoa,+=01234567".contains(&a[1]);
        if !operands_only && like_mode {
            if !modes.is_empty() {
                modes.push(b',');
            }
            modes.extend_from_slice(a);
            continue;
        }
        operands_only |= a == "--";
        args.push(a.clone());
    }
    let parsed = match options::parse(spec, &args, Order::Permute) {
        Ok(parsed) => parsed,
        Err(UsageError(text)) => return misuse(p, format_args!("{text}")),
    };
    if parsed.has("help") || parsed.has("version") {
        return match cli::parse(p, spec, Order::Permute, 1)? {
            Ok(_) => Ok(Status::OK),
            Err(status) => Ok(status),
        };
    }
    let surprises = !modes.is_empty();
    let mut files = &parsed.operands[..];
    let reference = parsed.last("reference");
    if reference.is_some() && surprises {
        return misuse(p, format_args!("cannot combine mode and --reference options"));
    }
    if reference.is_none() && !surprises {
        let [first, rest @ ..] = files else { return super::missing_operand(p) };
        modes = first.to_vec();
        files = rest;
    }
    if files.is_empty() {
        return match reference.is_some() || surprises {
            true if modes.is_empty() || parsed.operands.is_empty() => super::missing_operand(p),
            _ => misuse(p, format_args!("missing operand after {}", quote::value(&modes))),
        };
    }
    let change = match reference {
        Some(r) => match p.files.stat_cheap(r, true) {
            Ok((s, _)) => ModeChange::exactly(s.mode),
            Err(e) => {
                p.complain(format_args!("failed to get attributes of {}", quote::name_always(r)), e)?;
                return Ok(Status::FAILURE);
            }
        },
        None => match ModeChange::parse(&modes) {
            Some(c) => c,
            None => return misuse(p, format_args!("invalid mode: {}", quote::value(&modes))),
        },
    };
    let job = Job {
        change,
        recursive: parsed.has("recursive"),
        silent: parsed.has("silent") || parsed.has("quiet"),
        verbose: parsed.has("verbose"),
        changes: parsed.has("changes"),
        surprises,
    };
    let mut ok = true;
    for file in files {
        if job.recursive && parsed.has("preserve-root") && p.files.absolute(file) == "/" {
            p.error(format_args!("it is dangerous to operate recursively on '/'"))?;
            p.error(format_args!("use --no-preserve-root to override this failsafe"))?;
            ok = false;
            continue;
        }
        ok &= tree(p, &job, file)?;
    }
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

fn tree(p: &mut Process, job: &Job, file: &Bytes) -> Result<bool> {
    let mut ok = true;
    let mut todo = vec![(file.clone(), true)];
    while let Some((path, top)) = todo.pop() {
        p.budget.step()?;
        ok &= one(p, job, &path, top)?;
        if !job.recursive || !p.files.stat_cheap(&path, top).is_ok_and(|(s, _)| s.is_dir()) {
            continue;
        }
        match p.files.read_dir(&path) {
            Ok(list) => todo.extend(list.iter().rev().map(|e| (join(&path, &e.name), false))),
            Err(e) => {
                ok = false;
                if !job.silent {
                    p.complain(format_args!("cannot read directory {}", quote::name_always(&path)), e)?;
                }
            }
        }
    }
    Ok(ok)
}

fn one(p: &mut Process, job: &Job, path: &[u8], top: bool) -> Result<bool> {
    let shown = quote::name_always(path);
    let stat = match p.files.stat_cheap(path, top) {
        Ok((s, _)) => s,
        Err(e) => {
            if !job.silent {
                let dangling = e == Error::Os(Errno::ENOENT) && p.files.stat_cheap(path, false).is_ok();
                if dangling {
                    p.error(format_args!("cannot operate on dangling symlink {shown}"))?;
                } else {
                    p.complain(format_args!("cannot access {shown}"), e)?;
                }
            }
            if job.verbose {
                let line =
                    format!("failed to change mode of {shown} from 0000 (---------) to 0000 (---------)\n");
                p.stdout.put(line.as_bytes())?;
            }
            return Ok(false);
        }
    };
    if stat.kind == FileKind::Symlink {
        if job.verbose {
            let line = format!("neither symbolic link {shown} nor referent has been changed\n");
            p.stdout.put(line.as_bytes())?;
        }
        return Ok(true);
    }
    let umask = p.files.umask;
    let new = job.change.apply(stat.mode, stat.is_dir(), umask).0;
    let result = p.files.chmod(path, new);
    let show = |m: u32| format!("{m:04o} ({})", String::from_utf8_lossy(&letters(m)));
    let mut ok = true;
    if let Err(e) = result {
        if !job.silent {
            p.complain(format_args!("changing permissions of {shown}"), e)?;
        }
        ok = false;
        if job.verbose {
            let line =
                format!("failed to change mode of {shown} from {} to {}\n", show(stat.mode), show(new));
            p.stdout.put(line.as_bytes())?;
        }
    } else if stat.mode != new {
        if job.verbose || job.changes {
            let line = format!("mode of {shown} changed from {} to {}\n", show(stat.mode), show(new));
            p.stdout.put(line.as_bytes())?;
        }
    } else if job.verbose {
        p.stdout.put(format!("mode of {shown} retained as {}\n", show(new)).as_bytes())?;
    }
    if ok && job.surprises {
        let expected = job.change.apply(stat.mode, stat.is_dir(), 0).0;
        if new & !expected != 0 {
            let text = |m: u32| String::from_utf8_lossy(&letters(m)).into_owned();
            p.error(format_args!(
                "{}: new permissions are {}, not {}",
                quote::name(path),
                text(new),
                text(expected)
            ))?;
            ok = false;
        }
    }
    Ok(ok)
}
