//! `file`: says what a file holds.

mod magic;
mod text;

use super::ls::quoting;
use crate::archive::deflate::Gunzip;
use sandshell_kernel::{Bytes, FileKind, Input, OpenOptions, Process, Result, Stat, Status};
use sandshell_text::options::{self, Example, Opt, Order, Spec, UsageError};

program!(
    /// `file`
    FileProgram,
    run,
    Spec {
        name: "file",
        about: "Determine type of FILEs.",
        synopsis: &["[OPTION...] [FILE...]"],
        options: &[
            Opt::new('b', "brief", "do not prepend filenames to output lines"),
            Opt::short('E', "on filesystem errors, issue an error message and exit"),
            Opt::new('f', "files-from", "read the filenames to be examined from FILE").value("FILE"),
            Opt::new('F', "separator", "use string as separator instead of `:'").value("STRING"),
            Opt::new('i', "mime", "output MIME type strings (--mime-type and --mime-encoding)"),
            Opt::long("mime-type", "output the MIME type"),
            Opt::long("mime-encoding", "output the MIME encoding"),
            Opt::new('k', "keep-going", "don't stop at the first match"),
            Opt::new('L', "dereference", "follow symlinks"),
            Opt::new('h', "no-dereference", "don't follow symlinks (default)"),
            Opt::new('n', "no-buffer", "do not buffer output"),
            Opt::new('N', "no-pad", "do not pad output"),
            Opt::new('0', "print0", "terminate filenames with ASCII NUL"),
            Opt::new('p', "preserve-date", "preserve access times on files"),
            Opt::new('r', "raw", "don't translate unprintable chars to \\ooo"),
            Opt::new('s', "special-files", "treat special (block/char devices) files as ordinary ones"),
            Opt::short('v', ""),
            Opt::new('z', "uncompress", "try to look inside compressed files"),
        ],
        notes: "",
        version: "file-5.44",
        examples: &[Example { script: "echo hi > f; file f", output: "f: ASCII text\n" }],
    }
);

/// Bytes that are looked at, as file(1) does.
const LOOK: usize = 1 << 20;

/// What was found: for people, the MIME type, the encoding.
pub(super) struct Found {
    pub text: String,
    pub mime: &'static str,
    pub charset: &'static str,
}

impl Found {
    fn binary(text: impl Into<String>, mime: &'static str) -> Found {
        Found { text: text.into(), mime, charset: "binary" }
    }
}

struct Job {
    brief: bool,
    mime: (bool, bool),
    follow: bool,
    special: bool,
    uncompress: bool,
    raw: bool,
    separator: String,
    nul: bool,
    width: usize,
}

const USAGE: &str = "Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]\n            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]\n            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]\n            <file> ...\n       file -C [-m <magicfiles>]\n       file [--help]\n";

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let args = p.args.get(1..).unwrap_or_default().to_vec();
    let parsed = match options::parse(spec, &args, Order::Permute) {
        Ok(parsed) => parsed,
        Err(UsageError(text)) => {
            p.error(format_args!("{text}"))?;
            p.write_error(USAGE.as_bytes())?;
            return Ok(Status::FAILURE);
        }
    };
    if parsed.has("help") {
        p.stdout.put(spec.help().as_bytes())?;
        return Ok(Status::OK);
    }
    if parsed.has("version") || parsed.has("v") {
        p.stdout.put(b"file-5.44\n")?;
        return Ok(Status::OK);
    }
    let mut names = parsed.operands.clone();
    if let Some(list) = parsed.last("files-from") {
        let text = if list == "-" { p.stdin.read_all() } else { p.files.read(list) };
        match text {
            Ok(text) => {
                let lines = text.split(|&b| b == b'\n').filter(|l| !l.is_empty());
                names.splice(0..0, lines.map(|l| text.slice_ref(l)).collect::<Vec<_>>());
            }
            Err(e) => {
                p.complain(format_args!("Cannot open `{}'", String::from_utf8_lossy(list)), e)?;
                return Ok(Status::FAILURE);
            }
        }
    }
    if names.is_empty() {
        p.write_error(USAGE.as_bytes())?;
        return Ok(Status::FAILURE);
    }
    let shown = |n: &Bytes| quoting::width(if n == "-" { b"/dev/stdin" } else { n });
    let separator = parsed.last("separator").map_or(":".into(), |s| String::from_utf8_lossy(s).into_owned());
    let pad = !parsed.has("no-pad");
    let job = Job {
        brief: parsed.has("brief"),
        mime: (
            parsed.has("mime") || parsed.has("mime-type"),
            parsed.has("mime") || parsed.has("mime-encoding"),
        ),
        follow: super::last_of(&parsed, &["dereference", "no-dereference"]) == Some("dereference"),
        special: parsed.has("special-files"),
        uncompress: parsed.has("uncompress"),
        raw: parsed.has("raw"),
        separator,
        nul: parsed.has("print0"),
        width: if pad { names.iter().map(shown).max().unwrap_or(0) } else { 0 },
    };
    let strict = parsed.has("E");
    for name in &names {
        p.budget.step()?;
        if !one(p, &job, name, strict)? {
            return Ok(Status::FAILURE);
        }
    }
    Ok(Status::OK)
}

fn one(p: &mut Process, job: &Job, name: &Bytes, strict: bool) -> Result<bool> {
    let stdin = name == "-";
    let label: &[u8] = if stdin { b"/dev/stdin" } else { name };
    let mut line = Vec::new();
    if !job.brief {
        match job.raw {
            true => line.extend_from_slice(label),
            false => text::printable(label, &mut line),
        }
        line.extend_from_slice(if job.nul { b"\0" } else { b"" });
        line.extend_from_slice(job.separator.as_bytes());
        let fill = if job.nul { 0 } else { job.width.saturating_sub(quoting::width(label)) };
        line.extend(std::iter::repeat_n(b' ', fill + 1));
    }
    let found = if stdin {
        let data = start(&mut p.stdin)?;
        Ok(contents(p, job, &data)?)
    } else {
        match p.files.stat_cheap(name, job.follow) {
            Ok((s, _)) => special(p, job, name, &s)?,
            Err(sandshell_kernel::Error::Os(e)) => Err((e, "stat")),
            Err(stop) => return Err(stop),
        }
    };
    let found = match found {
        Ok(f) => f,
        Err((e, what)) => {
            let shown = String::from_utf8_lossy(name).into_owned();
            if strict {
                line.extend_from_slice(format!("ERROR: cannot {what} `{shown}' ({e})\n").as_bytes());
                p.stdout.put(&line)?;
                return Ok(false);
            }
            Found::binary(format!("cannot open `{shown}' ({e})"), "")
        }
    };
    match job.mime {
        _ if found.mime.is_empty() => line.extend_from_slice(found.text.as_bytes()),
        (true, true) => {
            line.extend_from_slice(format!("{}; charset={}", found.mime, found.charset).as_bytes())
        }
        (true, false) => line.extend_from_slice(found.mime.as_bytes()),
        (false, true) => line.extend_from_slice(found.charset.as_bytes()),
        (false, false) => line.extend_from_slice(found.text.as_bytes()),
    }
    line.push(b'\n');
    p.stdout.put(&line)?;
    Ok(true)
}

type Outcome = std::result::Result<Found, (sandshell_kernel::Errno, &'static str)>;

fn special(p: &mut Process, job: &Job, name: &Bytes, s: &Stat) -> Result<Outcome> {
    Ok(Ok(match s.kind {
        FileKind::Directory => Found::binary(
            if s.mode & 0o1000 != 0 { "sticky, directory" } else { "directory" },
            "inode/directory",
        ),
        FileKind::Symlink => {
            let target = p.files.read_link(name)?;
            let shown = String::from_utf8_lossy(&target).into_owned();
            let broken = !p.files.exists(name);
            Found::binary(
                format!("{}symbolic link to {shown}", if broken { "broken " } else { "" }),
                "inode/symlink",
            )
        }
        FileKind::Fifo => Found::binary("fifo (named pipe)", "inode/fifo"),
        FileKind::Device if !job.special => {
            Found::binary(format!("character special ({}/{})", s.rdev.0, s.rdev.1), "inode/chardevice")
        }
        FileKind::Device | FileKind::File => {
            let opened = p.files.open(name, OpenOptions::READ);
            match opened {
                Ok(fd) => {
                    let data = start(&mut Input::new(fd, &p.budget))?;
                    contents(p, job, &data)?
                }
                Err(sandshell_kernel::Error::Os(sandshell_kernel::Errno::EACCES)) => {
                    Found::binary("regular file, no read permission", "")
                }
                Err(sandshell_kernel::Error::Os(e)) => return Ok(Err((e, "open"))),
                Err(stop) => return Err(stop),
            }
        }
    }))
}

/// The start of an input.
fn start(input: &mut Input) -> Result<Bytes> {
    let Some(first) = input.next_chunk()? else { return Ok(Bytes::new()) };
    let mut all = Vec::new();
    let mut chunk = Some(first);
    while let Some(c) = chunk {
        all.extend_from_slice(&c);
        if all.len() >= LOOK {
            all.truncate(LOOK);
            break;
        }
        chunk = input.next_chunk()?;
    }
    Ok(Bytes::from(all))
}

fn contents(p: &Process, job: &Job, data: &Bytes) -> Result<Found> {
    if job.uncompress && data.starts_with(&[0x1f, 0x8b]) {
        let fixed = sandshell_kernel::stream::capture::Fixed::new(data.clone());
        let mut inner = Gunzip::new(Input::new(fixed, &p.budget));
        let mut all = Vec::new();
        while all.len() < LOOK
            && let Ok(Some(piece)) = inner.next()
        {
            p.budget.step()?;
            all.extend_from_slice(&piece);
        }
        let (inside, outside) = (identify(&Bytes::from(all)), identify(data));
        return Ok(Found { text: format!("{} ({})", inside.text, outside.text), ..inside });
    }
    Ok(identify(data))
}

fn identify(data: &[u8]) -> Found {
    if data.is_empty() {
        return Found::binary("empty", "inode/x-empty");
    }
    if data.len() == 1 {
        return Found::binary("very short file (no magic)", "application/octet-stream");
    }
    if let Some(f) = magic::binary(data) {
        return f;
    }
    text::identify(data).unwrap_or_else(|| Found::binary("data", "application/octet-stream"))
}
