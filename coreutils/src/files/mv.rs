//! `mv`: renames, or copies and removes across mounts.

use super::{
    backup::{Backup, Kind},
    base,
    copy::{Copier, Copying, Follow, Overwrite, overwrite_agreed},
    dir, misuse,
    targets::{self, Targets},
};
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Process, Result, Status};
use sandshell_text::{
    options::{Opt, Parsed, Spec},
    quote,
};

program!(
    /// `mv`
    Mv,
    run,
    Spec {
        name: "mv",
        about: "Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.",
        synopsis: &["[OPTION]... [-T] SOURCE DEST", "[OPTION]... SOURCE... DIRECTORY", "[OPTION]... -t DIRECTORY SOURCE..."],
        options: &[
            Opt::long("backup", "make a backup of each existing destination file").optional("CONTROL"),
            Opt::short('b', "like --backup but does not accept an argument"),
            Opt::new('f', "force", "do not prompt before overwriting"),
            Opt::new('i', "interactive", "prompt before overwrite"),
            Opt::new('n', "no-clobber", "do not overwrite an existing file"),
            Opt::long("strip-trailing-slashes", "remove any trailing slashes from each SOURCE argument"),
            Opt::new('S', "suffix", "override the usual backup suffix").value("SUFFIX"),
            Opt::new('t', "target-directory", "move all SOURCE arguments into DIRECTORY").value("DIRECTORY"),
            Opt::new('T', "no-target-directory", "treat DEST as a normal file"),
            Opt::new('u', "update", "move only when the SOURCE file is newer than the destination file or when the destination file is missing"),
            Opt::new('v', "verbose", "explain what is being done"),
        ],
        notes: "If you specify more than one of -i, -f, -n, only the final one takes effect.",
        version: "mv (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let mut parsed: Parsed = parse!(p, spec);
    let backup = match Backup::of(p, &parsed)? {
        Ok(b) => b,
        Err(status) => return Ok(status),
    };
    let overwrite = match super::last_of(&parsed, &["force", "interactive", "no-clobber"]) {
        Some("force") => Overwrite::Force,
        Some("interactive") => Overwrite::Ask,
        Some(_) => Overwrite::No,
        None => Overwrite::Yes,
    };
    if overwrite == Overwrite::No && backup.kind != Kind::None {
        return misuse(p, format_args!("options --backup and --no-clobber are mutually exclusive"));
    }
    if parsed.has("strip-trailing-slashes") {
        targets::strip(&mut parsed);
    }
    let c = Copying {
        recursive: true,
        follow: Follow::Never,
        overwrite,
        update: parsed.has("update"),
        verbose: parsed.has("verbose"),
        force: false,
        remove_destination: false,
        symbolic: false,
        hard: false,
        attributes_only: false,
        one_file_system: false,
        preserve_mode: true,
        default_mode: false,
        preserve_times: true,
        preserve_links: true,
        backup,
        moving: true,
    };
    let targets = match Targets::of(p, &parsed, false, true)? {
        Ok(t) => t,
        Err(status) => return Ok(status),
    };
    let mut made: Vec<Bytes> = Vec::new();
    let mut ok = true;
    for (from, to) in targets.pairs() {
        p.budget.step()?;
        ok &= one(p, &c, &from, &to, &mut made)?;
    }
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

fn one(p: &mut Process, c: &Copying, from: &Bytes, to: &Bytes, made: &mut Vec<Bytes>) -> Result<bool> {
    let (shown_from, shown_to) = (quote::name_always(from), quote::name_always(to));
    let stat = match p.files.stat_cheap(from, false) {
        Ok((s, _)) => s,
        Err(e) => {
            p.complain(format_args!("cannot stat {shown_from}"), e)?;
            return Ok(false);
        }
    };
    if from.ends_with(b"/") && !stat.is_dir() && stat.kind != FileKind::Symlink {
        p.complain(format_args!("cannot stat {shown_from}"), Errno::ENOTDIR.into())?;
        return Ok(false);
    }
    let there = p.files.stat_cheap(to, false).ok().map(|(s, _)| s);
    let mut saved = None;
    if let Some(d) = there {
        if (d.dev, d.ino) == (stat.dev, stat.ino) {
            let same_name = base(from) == base(to)
                && p.files.real_path(dir(from)).ok() == p.files.real_path(dir(to)).ok();
            match stat.is_dir() && !same_name {
                true => {
                    p.error(format_args!("cannot move {shown_from} to a subdirectory of itself, {shown_to}"))?
                }
                false => p.error(format_args!("{shown_from} and {shown_to} are the same file"))?,
            }
            return Ok(false);
        }
        if c.overwrite == Overwrite::No {
            return Ok(true);
        }
        if c.update && !stat.is_dir() && d.mtime >= stat.mtime {
            return Ok(true);
        }
        if made.contains(&p.files.absolute(to)) && !stat.is_dir() {
            p.error(format_args!("will not overwrite just-created {shown_to} with {shown_from}"))?;
            return Ok(false);
        }
        if !overwrite_agreed(p, c, to, &d)? {
            return Ok(true);
        }
        if stat.is_dir() && !d.is_dir() {
            p.error(format_args!("cannot overwrite non-directory {shown_to} with directory {shown_from}"))?;
            return Ok(false);
        }
        if !stat.is_dir() && d.is_dir() {
            p.error(format_args!("cannot overwrite directory {shown_to} with non-directory"))?;
            return Ok(false);
        }
        if let Some(name) = c.backup.name(p, to)? {
            if let Err(e) = p.files.rename(to, &name) {
                p.complain(format_args!("cannot backup {shown_to}"), e)?;
                return Ok(false);
            }
            saved = Some(name);
        }
    }
    match p.files.rename(from, to) {
        Ok(()) => {
            made.push(p.files.absolute(to));
            if c.verbose {
                let backup =
                    saved.map_or(String::new(), |b| format!(" (backup: {})", quote::name_always(&b)));
                p.stdout.put(format!("renamed {shown_from} -> {shown_to}{backup}\n").as_bytes())?;
            }
            Ok(true)
        }
        Err(Error::Os(Errno::EXDEV)) => across(p, c, from, to, there.is_some_and(|d| d.is_dir())),
        Err(Error::Os(Errno::EINVAL)) if stat.is_dir() => {
            p.error(format_args!("cannot move {shown_from} to a subdirectory of itself, {shown_to}"))?;
            Ok(false)
        }
        Err(e) => {
            p.complain(format_args!("cannot move {shown_from} to {shown_to}"), e)?;
            Ok(false)
        }
    }
}

/// Copies, then removes what was copied.
fn across(p: &mut Process, c: &Copying, from: &Bytes, to: &Bytes, replaces_directory: bool) -> Result<bool> {
    let shown = quote::name_always(from);
    if replaces_directory && let Err(e) = p.files.rmdir(to) {
        let to = quote::name_always(to);
        p.complain(format_args!("inter-device move failed: {shown} to {to}; unable to remove target"), e)?;
        return Ok(false);
    }
    let copying = Copying { overwrite: Overwrite::Force, update: false, ..c.clone() };
    if !Copier::default().operand(p, &copying, from, to)? {
        return Ok(false);
    }
    let mut todo = vec![(from.clone(), false)];
    while let Some((path, leave)) = todo.pop() {
        p.budget.step()?;
        let directory = p.files.stat_cheap(&path, false).is_ok_and(|(s, _)| s.is_dir());
        let gone = match (directory, leave) {
            (true, false) => {
                todo.push((path.clone(), true));
                let list = p.files.read_dir(&path)?;
                todo.extend(list.iter().map(|e| (super::join(&path, &e.name), false)));
                Ok(())
            }
            (true, true) => p.files.rmdir(&path),
            (false, _) => p.files.unlink(&path),
        };
        if let Err(e) = gone {
            p.complain(format_args!("cannot remove {}", quote::name_always(&path)), e)?;
            return Ok(false);
        }
        if c.verbose && (leave || !directory) {
            let what = if directory { "removed directory" } else { "removed" };
            p.stdout.put(format!("{what} {}\n", quote::name_always(&path)).as_bytes())?;
        }
    }
    Ok(true)
}
