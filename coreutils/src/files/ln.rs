//! `ln`: hard and symbolic links.

use super::{
    backup::{Backup, Kind},
    base,
    canonical::{Links, Must, canonical},
    confirmed, dir,
    realpath::relative,
    targets::Targets,
};
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Process, Result, Status};
use sandshell_text::{
    options::{Example, Opt, Parsed, Spec},
    quote,
};

program!(
    /// `ln`
    Ln,
    run,
    Spec {
        name: "ln",
        about: "In the 1st form, create a link to TARGET with the name LINK_NAME.\nIn the 2nd form, create a link to TARGET in the current directory.\nIn the 3rd and 4th forms, create links to each TARGET in DIRECTORY.",
        synopsis: &["[OPTION]... [-T] TARGET LINK_NAME", "[OPTION]... TARGET", "[OPTION]... TARGET... DIRECTORY", "[OPTION]... -t DIRECTORY TARGET..."],
        options: &[
            Opt::long("backup", "make a backup of each existing destination file").optional("CONTROL"),
            Opt::short('b', "like --backup but does not accept an argument"),
            Opt::new('d', "directory", ""),
            Opt::short('F', "allow the superuser to attempt to hard link directories (this will probably fail due to system restrictions, even for the superuser)"),
            Opt::new('f', "force", "remove existing destination files"),
            Opt::new('i', "interactive", "prompt whether to remove destinations"),
            Opt::new('L', "logical", "dereference TARGETs that are symbolic links"),
            Opt::new('n', "no-dereference", "treat LINK_NAME as a normal file if it is a symbolic link to a directory"),
            Opt::new('P', "physical", "make hard links directly to symbolic links"),
            Opt::new('r', "relative", "with -s, create links relative to link location"),
            Opt::new('s', "symbolic", "make symbolic links instead of hard links"),
            Opt::new('S', "suffix", "override the usual backup suffix").value("SUFFIX"),
            Opt::new('t', "target-directory", "specify the DIRECTORY in which to create the links").value("DIRECTORY"),
            Opt::new('T', "no-target-directory", "treat LINK_NAME as a normal file always"),
            Opt::new('v', "verbose", "print name of each linked file"),
        ],
        notes: "",
        version: "ln (GNU coreutils) 9.1",
        examples: &[Example { script: "ln -sv target l", output: "'l' -> 'target'\n" }],
    }
);

struct Job {
    symbolic: bool,
    relative: bool,
    logical: bool,
    /// Some(true): ask before removing; Some(false): remove.
    replace: Option<bool>,
    verbose: bool,
    /// Directories are tried, and refused by the system.
    directories: bool,
    backup: Backup,
}

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed: Parsed = parse!(p, spec);
    let backup = match Backup::of(p, &parsed)? {
        Ok(b) => b,
        Err(status) => return Ok(status),
    };
    let job = Job {
        symbolic: parsed.has("symbolic"),
        relative: parsed.has("relative"),
        logical: super::last_of(&parsed, &["logical", "physical"]) == Some("logical"),
        replace: super::last_of(&parsed, &["force", "interactive"]).map(|id| id == "interactive"),
        verbose: parsed.has("verbose"),
        directories: parsed.has("directory") || parsed.has("F"),
        backup,
    };
    if job.relative && !job.symbolic {
        p.error(format_args!("cannot do --relative without --symbolic"))?;
        return Ok(Status::FAILURE);
    }
    let targets = match Targets::of(p, &parsed, true, !parsed.has("no-dereference"))? {
        Ok(t) => t,
        Err(status) => return Ok(status),
    };
    let mut ok = true;
    let mut made: Vec<Bytes> = Vec::new();
    for (source, dest) in targets.pairs() {
        p.budget.step()?;
        if made.contains(&dest) {
            let (to, from) = (quote::name_always(&dest), quote::name_always(&source));
            p.error(format_args!("will not overwrite just-created {to} with {from}"))?;
            ok = false;
            continue;
        }
        ok &= link(p, &job, &source, &dest)?;
        made.push(dest);
    }
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

fn link(p: &mut Process, job: &Job, source: &Bytes, dest: &Bytes) -> Result<bool> {
    let (from, to) = (quote::name_always(source), quote::name_always(dest));
    let mut origin = None;
    if !job.symbolic {
        match p.files.stat_cheap(source, job.logical) {
            Ok((s, _)) if s.kind == FileKind::Directory && !job.directories => {
                p.error(format_args!("{}: hard link not allowed for directory", quote::name(source)))?;
                return Ok(false);
            }
            Ok((s, _)) => origin = Some(s),
            Err(e) => {
                p.complain(format_args!("failed to access {from}"), e)?;
                return Ok(false);
            }
        }
    }
    let mut text = source.clone();
    if job.relative {
        let here = canonical(&p.files, dir(dest), Must::None, Links::Physical)?;
        text = match canonical(&p.files, source, Must::None, Links::Physical) {
            Ok(there) => relative(&there, &here),
            Err(_) => source.clone(),
        };
    }
    let mut saved = None;
    if (job.replace.is_some() || job.backup.kind != Kind::None)
        && let Ok((s, _)) = p.files.stat_cheap(dest, false)
    {
        if s.kind == FileKind::Directory {
            p.error(format_args!("{}: cannot overwrite directory", quote::name(dest)))?;
            return Ok(false);
        }
        let same = origin.is_some_and(|o| (o.dev, o.ino) == (s.dev, s.ino));
        let same_name = || {
            base(source) == base(dest)
                && p.files.real_path(dir(source)).ok() == p.files.real_path(dir(dest)).ok()
        };
        if same
            && (job.backup.kind == Kind::None || s.nlink == 1 || same_name())
            && (s.nlink == 1 || same_name())
        {
            p.error(format_args!("{from} and {to} are the same file"))?;
            return Ok(false);
        }
        if job.replace == Some(true) && !confirmed(p, format_args!("replace {to}? "))? {
            return Ok(true);
        }
        if let Some(name) = job.backup.name(p, dest)? {
            p.files.rename(dest, &name)?;
            saved = Some(name);
        } else if !same {
            if let Err(e) = p.files.unlink(dest) {
                p.complain(format_args!("cannot remove {to}"), e)?;
                return Ok(false);
            }
        } else {
            return Ok(true);
        }
    }
    let from_path = match job.logical {
        true if !job.symbolic => p.files.real_path(source).unwrap_or_else(|_| source.clone()),
        _ => source.clone(),
    };
    let made = match job.symbolic {
        true => p.files.symlink(&text, dest),
        false => p.files.link(&from_path, dest),
    };
    match made {
        Ok(()) => {
            if job.verbose {
                let backup = saved.map_or(String::new(), |b| format!("{} ~ ", quote::name_always(&b)));
                let arrow = if job.symbolic { "->" } else { "=>" };
                let line = format!("{backup}{to} {arrow} {}\n", quote::name_always(&text));
                p.stdout.put(line.as_bytes())?;
            }
            Ok(true)
        }
        Err(e) => {
            let brief = matches!(e, Error::Os(Errno::EEXIST | Errno::ENOSPC | Errno::EROFS | Errno::EDQUOT));
            match job.symbolic {
                true if e == Error::Os(Errno::ENAMETOOLONG) || source.is_empty() => {
                    p.complain(format_args!("failed to create symbolic link {to} -> {from}"), e)?;
                }
                true => p.complain(format_args!("failed to create symbolic link {to}"), e)?,
                false if brief => p.complain(format_args!("failed to create hard link {to}"), e)?,
                false => p.complain(format_args!("failed to create hard link {to} => {from}"), e)?,
            }
            if let Some(b) = saved {
                p.files.rename(&b, dest)?;
            }
            Ok(false)
        }
    }
}
