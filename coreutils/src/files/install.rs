//! `install`: copies files and sets their attributes, makes directories.

use super::{
    backup::Backup,
    copy::{Copier, Copying, Follow, Overwrite},
    dir, misuse,
    mode::ModeChange,
    targets::Targets,
};
use crate::users::Users;
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Process, Result, Status};
use sandshell_text::{
    options::{Opt, Parsed, Spec},
    quote,
};

program!(
    /// `install`
    Install,
    run,
    Spec {
        name: "install",
        about: "This install program copies files (often just compiled) into destination\nlocations you choose.",
        synopsis: &["[OPTION]... [-T] SOURCE DEST", "[OPTION]... SOURCE... DIRECTORY", "[OPTION]... -t DIRECTORY SOURCE...", "[OPTION]... -d DIRECTORY..."],
        options: &[
            Opt::long("backup", "make a backup of each existing destination file").optional("CONTROL"),
            Opt::short('b', "like --backup but does not accept an argument"),
            Opt::short('c', "(ignored)"),
            Opt::new('C', "compare", "compare content of source and destination files, and if no change to content, ownership, and permissions, do not modify the destination at all"),
            Opt::new('d', "directory", "treat all arguments as directory names; create all components of the specified directories"),
            Opt::short('D', "create all leading components of DEST except the last, or all components of --target-directory, then copy SOURCE to DEST"),
            Opt::new('g', "group", "set group ownership, instead of process' current group").value("GROUP"),
            Opt::new('m', "mode", "set permission mode (as in chmod), instead of rwxr-xr-x").value("MODE"),
            Opt::new('o', "owner", "set ownership (super-user only)").value("OWNER"),
            Opt::new('p', "preserve-timestamps", "apply access/modification times of SOURCE files to corresponding destination files"),
            Opt::new('S', "suffix", "override the usual backup suffix").value("SUFFIX"),
            Opt::new('t', "target-directory", "copy all SOURCE arguments into DIRECTORY").value("DIRECTORY"),
            Opt::new('T', "no-target-directory", "treat DEST as a normal file"),
            Opt::new('v', "verbose", "print the name of each created file or directory"),
        ],
        notes: "",
        version: "install (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed: Parsed = parse!(p, spec);
    let backup = match Backup::of(p, &parsed)? {
        Ok(b) => b,
        Err(status) => return Ok(status),
    };
    let change = match parsed.last("mode") {
        None => ModeChange::exactly(0o755),
        Some(text) => match ModeChange::parse(text) {
            Some(c) => c,
            None => {
                p.error(format_args!("invalid mode {}", quote::value(text)))?;
                return Ok(Status::FAILURE);
            }
        },
    };
    let users = Users::load(&p.files);
    let number = |t: &[u8]| std::str::from_utf8(t).ok().and_then(|t| t.parse::<u32>().ok());
    let mut ids = (None, None);
    if let Some(o) = parsed.last("owner") {
        ids.0 = users.user_named(o).map(|u| u.uid).or(number(o));
        if ids.0.is_none() {
            p.error(format_args!("invalid user {}", quote::value(o)))?;
            return Ok(Status::FAILURE);
        }
    }
    if let Some(g) = parsed.last("group") {
        ids.1 = users.gid_named(g).or(number(g));
        if ids.1.is_none() {
            p.error(format_args!("invalid group {}", quote::value(g)))?;
            return Ok(Status::FAILURE);
        }
    }
    let verbose = parsed.has("verbose");
    if parsed.has("directory") {
        if parsed.has("target-directory") {
            return misuse(p, format_args!("target directory not allowed when installing a directory"));
        }
        if parsed.operands.is_empty() {
            return misuse(p, format_args!("missing file operand"));
        }
        let mode = change.apply(0, true, 0).0;
        let mut ok = true;
        for d in &parsed.operands {
            ok &= directories(p, d, Some(mode), verbose)? && owned(p, d, ids)?;
        }
        return Ok(if ok { Status::OK } else { Status::FAILURE });
    }
    if parsed.has("D")
        && let Some(t) = parsed.last("target-directory")
        && !directories(p, t, None, verbose)?
    {
        return Ok(Status::FAILURE);
    }
    let targets = match Targets::of(p, &parsed, false, true)? {
        Ok(t) => t,
        Err(status) => return Ok(status),
    };
    if parsed.has("D")
        && let Targets::Exactly(_, to) = &targets
        && to.contains(&b'/')
        && !directories(p, dir(to), None, verbose)?
    {
        return Ok(Status::FAILURE);
    }
    let c = Copying {
        recursive: false,
        follow: Follow::Always,
        overwrite: Overwrite::Force,
        update: false,
        verbose,
        force: false,
        remove_destination: true,
        symbolic: false,
        hard: false,
        attributes_only: false,
        one_file_system: false,
        preserve_mode: false,
        default_mode: true,
        preserve_times: parsed.has("preserve-timestamps"),
        preserve_links: false,
        backup,
        moving: false,
    };
    let mut copier = Copier::default();
    let mut ok = true;
    for (from, to) in targets.pairs() {
        if p.files.stat_cheap(&from, true).is_ok_and(|(s, _)| s.is_dir()) {
            p.error(format_args!("omitting directory {}", quote::name_always(&from)))?;
            ok = false;
            continue;
        }
        let mode = change.apply(0, false, 0).0;
        if parsed.has("compare") && unchanged(p, &from, &to, mode) {
            continue;
        }
        if !copier.operand(p, &c, &from, &to)? {
            ok = false;
            continue;
        }
        if let Err(e) = p.files.chmod(&to, mode) {
            p.complain(format_args!("cannot change permissions of {}", quote::name_always(&to)), e)?;
            ok = false;
        }
        ok &= owned(p, &to, ids)?;
    }
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

fn unchanged(p: &Process, from: &[u8], to: &[u8], mode: u32) -> bool {
    let there = p.files.stat_cheap(to, false).is_ok_and(|(s, _)| s.kind == FileKind::File && s.mode == mode);
    there && matches!((p.files.read(from), p.files.read(to)), (Ok(a), Ok(b)) if a == b)
}

fn owned(p: &mut Process, path: &[u8], (uid, gid): (Option<u32>, Option<u32>)) -> Result<bool> {
    if uid.is_none() && gid.is_none() {
        return Ok(true);
    }
    match p.files.chown(path, uid, gid, true) {
        Ok(()) => Ok(true),
        Err(e) => {
            p.complain(format_args!("cannot change ownership of {}", quote::name_always(path)), e)?;
            Ok(false)
        }
    }
}

/// Makes a directory and those above it.
fn directories(p: &mut Process, path: &[u8], mode: Option<u32>, verbose: bool) -> Result<bool> {
    let ends = path.iter().enumerate().filter(|(i, b)| **b == b'/' && *i > 0).map(|(i, _)| i);
    for end in ends.chain([path.len()]) {
        let at = Bytes::copy_from_slice(&path[..end]);
        if at.ends_with(b"/") && end < path.len() {
            continue;
        }
        match p.files.mkdir(&at, 0o755) {
            Ok(()) if verbose => {
                let line = format!("{}: creating directory {}\n", p.name(), quote::name_always(&at));
                p.stdout.put(line.as_bytes())?;
            }
            Ok(()) => {}
            Err(Error::Os(Errno::EEXIST | Errno::EACCES | Errno::EROFS))
                if p.files.stat_cheap(&at, true).is_ok_and(|(s, _)| s.is_dir()) => {}
            Err(e) => {
                p.complain(format_args!("cannot create directory {}", quote::value(&at)), e)?;
                return Ok(false);
            }
        }
    }
    if let Some(mode) = mode
        && let Err(e) = p.files.chmod(path, mode)
    {
        p.complain(format_args!("cannot change permissions of {}", quote::name_always(path)), e)?;
        return Ok(false);
    }
    Ok(true)
}
