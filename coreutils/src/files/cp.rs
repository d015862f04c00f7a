//! `cp`: copies files and trees.

use super::{
    backup::Backup,
    copy::{Copier, Copying, Follow, Overwrite},
    join, misuse,
    targets::{self, Targets},
    trim_slashes,
};
use sandshell_kernel::{Bytes, Errno, Error, Process, Result, Status};
use sandshell_text::{
    options::{Example, Opt, Parsed, Spec},
    quote,
};

program!(
    /// `cp`
    Cp,
    run,
    Spec {
        name: "cp",
        about: "Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.",
        synopsis: &["[OPTION]... [-T] SOURCE DEST", "[OPTION]... SOURCE... DIRECTORY", "[OPTION]... -t DIRECTORY SOURCE..."],
        options: &[
            Opt::new('a', "archive", "same as -dR --preserve=all"),
            Opt::long("attributes-only", "don't copy the file data, just the attributes"),
            Opt::long("backup", "make a backup of each existing destination file").optional("CONTROL"),
            Opt::short('b', "like --backup but does not accept an argument"),
            Opt::short('d', "same as --no-dereference --preserve=links"),
            Opt::new('f', "force", "if an existing destination file cannot be opened, remove it and try again (this option is ignored when the -n option is also used)"),
            Opt::new('i', "interactive", "prompt before overwrite (overrides a previous -n option)"),
            Opt::short('H', "follow command-line symbolic links in SOURCE"),
            Opt::new('l', "link", "hard link files instead of copying"),
            Opt::new('L', "dereference", "always follow symbolic links in SOURCE"),
            Opt::new('n', "no-clobber", "do not overwrite an existing file (overrides a previous -i option)"),
            Opt::new('P', "no-dereference", "never follow symbolic links in SOURCE"),
            Opt::short('p', "same as --preserve=mode,ownership,timestamps"),
            Opt::long("preserve", "preserve the specified attributes").optional("ATTR_LIST"),
            Opt::long("no-preserve", "don't preserve the specified attributes").value("ATTR_LIST"),
            Opt::long("parents", "use full source file name under DIRECTORY"),
            Opt::short('r', ""),
            Opt::new('R', "recursive", "copy directories recursively"),
            Opt::long("reflink", "control clone/CoW copies").optional("WHEN"),
            Opt::long("remove-destination", "remove each existing destination file before attempting to open it (contrast with --force)"),
            Opt::long("sparse", "control creation of sparse files").value("WHEN"),
            Opt::long("strip-trailing-slashes", "remove any trailing slashes from each SOURCE argument"),
            Opt::new('s', "symbolic-link", "make symbolic links instead of copying"),
            Opt::new('S', "suffix", "override the usual backup suffix").value("SUFFIX"),
            Opt::new('t', "target-directory", "copy all SOURCE arguments into DIRECTORY").value("DIRECTORY"),
            Opt::new('T', "no-target-directory", "treat DEST as a normal file"),
            Opt::new('u', "update", "copy only when the SOURCE file is newer than the destination file or when the destination file is missing"),
            Opt::new('v', "verbose", "explain what is being done"),
            Opt::new('x', "one-file-system", "stay on this file system"),
        ],
        notes: "",
        version: "cp (GNU coreutils) 9.1",
        examples: &[Example { script: "mkdir d; echo a > d/f; cp -rv d e", output: "'d' -> 'e'\n'd/f' -> 'e/f'\n" }],
    }
);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Mode,
    Times,
    Owner,
    Links,
    Context,
    Xattr,
    All,
}

const KEEP: &[(&str, Keep)] = &[
    ("mode", Keep::Mode),
    ("timestamps", Keep::Times),
    ("ownership", Keep::Owner),
    ("links", Keep::Links),
    ("context", Keep::Context),
    ("xattr", Keep::Xattr),
    ("all", Keep::All),
];

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let mut parsed: Parsed = parse!(p, spec);
    let backup = match Backup::of(p, &parsed)? {
        Ok(b) => b,
        Err(status) => return Ok(status),
    };
    let mut follow = None;
    let mut c = Copying {
        recursive: parsed.has("r") || parsed.has("recursive") || parsed.has("archive"),
        follow: Follow::Always,
        overwrite: Overwrite::Yes,
        update: parsed.has("update"),
        verbose: parsed.has("verbose"),
        force: parsed.has("force"),
        remove_destination: parsed.has("remove-destination"),
        symbolic: parsed.has("symbolic-link"),
        hard: parsed.has("link"),
        attributes_only: parsed.has("attributes-only"),
        one_file_system: parsed.has("one-file-system"),
        preserve_mode: false,
        default_mode: false,
        preserve_times: false,
        preserve_links: false,
        backup,
        moving: false,
    };
    for f in std::mem::take(&mut parsed.options) {
        match f.id {
            "archive" => {
                follow = Some(Follow::Never);
                (c.preserve_mode, c.preserve_times, c.preserve_links) = (true, true, true);
            }
            "d" => (follow, c.preserve_links) = (Some(Follow::Never), true),
            "no-dereference" => follow = Some(Follow::Never),
            "dereference" => follow = Some(Follow::Always),
            "H" => follow = Some(Follow::Operands),
            "p" => (c.preserve_mode, c.preserve_times) = (true, true),
            "interactive" => c.overwrite = Overwrite::Ask,
            "no-clobber" => c.overwrite = Overwrite::No,
            "preserve" | "no-preserve" => {
                let on = f.id == "preserve";
                let list = f.value.clone().unwrap_or(Bytes::from_static(b"mode,timestamps,ownership"));
                for word in list.split(|&b| b == b',') {
                    let option = if on { "--preserve" } else { "--no-preserve" };
                    let keep = match super::choose(p, option, word, KEEP)? {
                        Ok(k) => k,
                        Err(status) => return Ok(status),
                    };
                    let all = keep == Keep::All;
                    if all || keep == Keep::Mode {
                        (c.preserve_mode, c.default_mode) = (on, !on);
                    }
                    if all || keep == Keep::Times {
                        c.preserve_times = on;
                    }
                    if all || keep == Keep::Links {
                        c.preserve_links = on;
                    }
                }
            }
            "reflink" | "sparse" => {
                let words: &[(&str, u8)] = &[("auto", 0), ("always", 1), ("never", 2)];
                if let Some(v) = &f.value
                    && let Err(status) = super::choose(p, &format!("--{}", f.id), v, words)?
                {
                    return Ok(status);
                }
            }
            _ => {}
        }
        parsed.options.push(f);
    }
    c.follow = follow.unwrap_or(match c.recursive && !c.hard {
        true => Follow::Never,
        false if c.hard => Follow::Never,
        false => Follow::Always,
    });
    if c.symbolic && c.hard {
        return misuse(p, format_args!("cannot make both hard and symbolic links"));
    }
    if c.overwrite == Overwrite::No && c.backup.kind != super::backup::Kind::None {
        return misuse(p, format_args!("options --backup and --no-clobber are mutually exclusive"));
    }
    if parsed.has("strip-trailing-slashes") {
        targets::strip(&mut parsed);
    }
    let parents = parsed.has("parents");
    let targets = match Targets::of(p, &parsed, false, true)? {
        Ok(t) => t,
        Err(status) => return Ok(status),
    };
    let mut copier = Copier::default();
    let mut ok = true;
    let pairs = match (parents, targets) {
        (true, Targets::Exactly(..)) => {
            return misuse(p, format_args!("with --parents, the destination must be a directory"));
        }
        (true, Targets::Into(sources, dir)) => {
            let mut pairs = Vec::new();
            for s in sources {
                match make_parents(p, &c, &s, &dir)? {
                    Some(to) => pairs.push((s, to)),
                    None => ok = false,
                }
            }
            pairs
        }
        (false, t) => t
            .pairs()
            .into_iter()
            .map(|(from, to)| {
                // `cp -r d/.. e` copies what is in it, into e itself.
                let keep = matches!(super::base(&from), b"." | b"..");
                let to = if keep && to.len() > 2 {
                    to.slice(..to.len() - super::base(&from).len() - 1)
                } else {
                    to
                };
                (from, to)
            })
            .collect(),
    };
    for (from, to) in pairs {
        ok &= copier.operand(p, &c, &from, &to)?;
    }
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

/// Makes the directories of `source` below `dir`; the full destination.
fn make_parents(p: &mut Process, c: &Copying, source: &Bytes, dir: &Bytes) -> Result<Option<Bytes>> {
    let name = trim_slashes(source);
    let relative = &name[name.iter().take_while(|&&b| b == b'/').count()..];
    for (i, _) in relative.iter().enumerate().filter(|(_, b)| **b == b'/') {
        let to = join(dir, &relative[..i]);
        let from = &name[..name.len() - relative.len() + i];
        match p.files.stat_cheap(&to, true) {
            Ok((s, _)) if s.is_dir() => continue,
            Ok(_) => {
                p.error(format_args!("{} exists but is not a directory", quote::name_always(&to)))?;
                return Ok(None);
            }
            Err(Error::Os(Errno::ENOENT)) => {}
            Err(e) => {
                p.complain(format_args!("cannot stat {}", quote::name_always(&to)), e)?;
                return Ok(None);
            }
        }
        let mode = match p.files.stat_cheap(from, true) {
            Ok((s, _)) => s.mode & 0o777,
            Err(e) => {
                p.complain(format_args!("cannot stat {}", quote::name_always(source)), e)?;
                return Ok(None);
            }
        };
        if let Err(e) = p.files.mkdir(&to, mode | 0o700) {
            p.complain(format_args!("cannot make directory {}", quote::name_always(&to)), e)?;
            return Ok(None);
        }
        if c.verbose {
            let shown = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
            p.stdout.put(format!("{} -> {}\n", shown(from), shown(&to)).as_bytes())?;
        }
    }
    Ok(Some(join(dir, relative)))
}
