//! `rm`: removes files and trees.

use super::{base, confirmed, join, stat::kind_name, trim_slashes};
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Process, Result, Stat, Status, vfs::Permission};
use sandshell_text::{
    options::{Opt, Parsed, Spec},
    quote,
};

program!(
    /// `rm`
    Rm,
    run,
    Spec {
        name: "rm",
        about: "Remove (unlink) the FILE(s).",
        synopsis: &["[OPTION]... [FILE]..."],
        options: &[
            Opt::new('f', "force", "ignore nonexistent files and arguments, never prompt"),
            Opt::short('i', "prompt before every removal"),
            Opt::short('I', "prompt once before removing more than three files, or when removing recursively; less intrusive than -i, while still giving protection against most mistakes"),
            Opt::long("interactive", "prompt according to WHEN: never, once (-I), or always (-i); without WHEN, prompt always").optional("WHEN"),
            Opt::long("one-file-system", "when removing a hierarchy recursively, skip any directory that is on a file system different from that of the corresponding command line argument"),
            Opt::long("no-preserve-root", "do not treat '/' specially"),
            Opt::long("preserve-root", "do not remove '/' (default)").optional("all"),
            Opt::short('r', ""),
            Opt::new('R', "recursive", "remove directories and their contents recursively"),
            Opt::new('d', "dir", "remove empty directories"),
            Opt::new('v', "verbose", "explain what is being done"),
        ],
        notes: "By default, rm does not remove directories.  Use the --recursive (-r or -R)\noption to remove each listed directory, too, along with all of its contents.",
        version: "rm (GNU coreutils) 9.1",
        examples: &[],
    }
);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ask {
    Never,
    Once,
    Always,
    /// Only for what is write-protected, at a terminal.
    Protected,
}

const WHEN: &[(&str, Ask)] = &[
    ("never", Ask::Never),
    ("no", Ask::Never),
    ("none", Ask::Never),
    ("once", Ask::Once),
    ("always", Ask::Always),
    ("yes", Ask::Always),
];

struct Job {
    ask: Ask,
    force: bool,
    recursive: bool,
    dir: bool,
    verbose: bool,
    one_file_system: bool,
    terminal: bool,
}

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed: Parsed = parse!(p, spec);
    let (mut ask, mut force) = (Ask::Protected, false);
    for f in &parsed.options {
        match f.id {
            "force" => (ask, force) = (Ask::Never, true),
            "i" => (ask, force) = (Ask::Always, false),
            "I" => (ask, force) = (Ask::Once, false),
            "interactive" => {
                ask = match &f.value {
                    None => Ask::Always,
                    Some(when) => match super::choose(p, "--interactive", when, WHEN)? {
                        Ok(a) => a,
                        Err(status) => return Ok(status),
                    },
                };
                force &= ask == Ask::Never;
            }
            _ => {}
        }
    }
    let recursive = parsed.has("r") || parsed.has("recursive");
    let job = Job {
        ask,
        force,
        recursive,
        dir: parsed.has("dir"),
        verbose: parsed.has("verbose"),
        one_file_system: parsed.has("one-file-system"),
        terminal: p.stdin.fd().terminal(),
    };
    let n = parsed.operands.len();
    if n == 0 {
        return if force { Ok(Status::OK) } else { super::missing_operand(p) };
    }
    if ask == Ask::Once && (recursive || n > 3) {
        let how = if recursive { " recursively" } else { "" };
        let word = if n == 1 { "argument" } else { "arguments" };
        if !confirmed(p, format_args!("remove {n} {word}{how}? "))? {
            return Ok(Status::OK);
        }
    }
    let preserve_root =
        super::last_of(&parsed, &["preserve-root", "no-preserve-root"]) != Some("no-preserve-root");
    let mut ok = true;
    for file in &parsed.operands {
        p.budget.step()?;
        if recursive && matches!(base(file), b"." | b"..") {
            let shown = quote::name_always(file);
            p.error(format_args!("refusing to remove '.' or '..' directory: skipping {shown}"))?;
            ok = false;
            continue;
        }
        if recursive && preserve_root && p.files.real_path(file).is_ok_and(|r| r == "/") {
            let same = if trim_slashes(file) == b"/" { String::new() } else { " (same as '/')".to_owned() };
            let shown = if same.is_empty() { "'/'".into() } else { quote::name_always(file) };
            p.error(format_args!("it is dangerous to operate recursively on {shown}{same}"))?;
            p.error(format_args!("use --no-preserve-root to override this failsafe"))?;
            ok = false;
            continue;
        }
        ok &= top(p, &job, file)?;
    }
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

fn failed(p: &mut Process, path: &[u8], e: Error) -> Result<bool> {
    p.complain(format_args!("cannot remove {}", quote::name_always(path)), e)?;
    Ok(false)
}

fn top(p: &mut Process, job: &Job, file: &Bytes) -> Result<bool> {
    let stat = match p.files.stat_cheap(file, false) {
        Ok((s, _)) => s,
        Err(Error::Os(Errno::ENOENT | Errno::ENOTDIR)) if job.force => return Ok(true),
        Err(e) => return failed(p, file, e),
    };
    Ok(remove(p, job, file, stat, stat.dev)? != Outcome::Failed)
}

/// What became of a file: it is gone, the user kept it (which is no failure), or it could not be removed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Gone,
    Kept,
    Failed,
}

/// Removes what is at `path`. Depth is on the heap: a tree may be deeper than the stack.
fn remove(p: &mut Process, job: &Job, path: &Bytes, stat: Stat, dev: u64) -> Result<Outcome> {
    enum Step {
        Visit(Bytes, Stat),
        Leave(Bytes, Stat),
    }
    let mut ok = true;
    let mut kept: Vec<Bytes> = Vec::new();
    let mut todo = vec![Step::Visit(path.clone(), stat)];
    while let Some(step) = todo.pop() {
        p.budget.step()?;
        match step {
            Step::Visit(path, stat) if stat.kind != FileKind::Directory => {
                if !agreed(p, job, &path, &stat, "remove")? {
                    kept.push(path);
                    continue;
                }
                match p.files.unlink(&path) {
                    Ok(()) => told(p, job, "removed", &path)?,
                    Err(Error::Os(Errno::ENOENT)) if job.force => {}
                    Err(e) => ok &= failed(p, &path, e)?,
                }
            }
            Step::Visit(path, stat) => {
                if !job.recursive {
                    if !job.dir {
                        ok &= failed(p, &path, Errno::EISDIR.into())?;
                        continue;
                    }
                    todo.push(Step::Leave(path, stat));
                    continue;
                }
                if job.one_file_system && stat.dev != dev {
                    let shown = quote::name_always(&path);
                    p.error(format_args!("skipping {shown}, since it's on a different device"))?;
                    ok = false;
                    continue;
                }
                let list = match p.files.read_dir(&path) {
                    Ok(list) => list,
                    Err(e) => {
                        ok &= failed(p, &path, e)?;
                        continue;
                    }
                };
                if !list.is_empty() && !agreed(p, job, &path, &stat, "descend into")? {
                    kept.push(path);
                    continue;
                }
                todo.push(Step::Leave(path.clone(), stat));
                for e in list.into_iter().rev() {
                    let below = join(&path, &e.name);
                    if e.kind != FileKind::Directory && job.ask == Ask::Never {
                        todo.push(Step::Visit(below, Stat { kind: e.kind, ..Stat::file() }));
                        continue;
                    }
                    match p.files.stat_cheap(&below, false) {
                        Ok((s, _)) => todo.push(Step::Visit(below, s)),
                        Err(e) => ok &= failed(p, &below, e)?,
                    }
                }
            }
            Step::Leave(path, stat) => {
                // A directory that still holds something that the user kept stays without a word.
                if kept.iter().any(|k| k.starts_with(&path) && k.len() > path.len()) {
                    kept.push(path);
                    continue;
                }
                if !agreed(p, job, &path, &stat, "remove")? {
                    kept.push(path);
                    continue;
                }
                match p.files.rmdir(&path) {
                    Ok(()) => told(p, job, "removed directory", &path)?,
                    Err(Error::Os(Errno::ENOTEMPTY)) if !ok && job.recursive => {}
                    Err(e) => ok &= failed(p, &path, e)?,
                }
            }
        }
    }
    Ok(match (ok, kept.is_empty()) {
        (false, _) => Outcome::Failed,
        (true, false) => Outcome::Kept,
        (true, true) => Outcome::Gone,
    })
}

fn told(p: &mut Process, job: &Job, what: &str, path: &[u8]) -> Result<()> {
    if job.verbose {
        p.stdout.put(format!("{what} {}\n", quote::name_always(path)).as_bytes())?;
    }
    Ok(())
}

fn agreed(p: &mut Process, job: &Job, path: &[u8], stat: &Stat, what: &str) -> Result<bool> {
    let protected = || stat.kind != FileKind::Symlink && p.files.access(path, Permission::Write).is_err();
    let guarded = match job.ask {
        Ask::Never => return Ok(true),
        Ask::Always => protected(),
        Ask::Once | Ask::Protected if !job.terminal => return Ok(true),
        Ask::Once | Ask::Protected => {
            if !protected() {
                return Ok(true);
            }
            true
        }
    };
    let guard = if guarded { "write-protected " } else { "" };
    let shown = quote::name_always(path);
    confirmed(p, format_args!("{what} {guard}{} {shown}? ", kind_name(stat)))
}
