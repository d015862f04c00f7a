//! `gzip`, `gunzip` and `zcat`.

use super::deflate::{Fault, Gunzip, Gzip};
use crate::{
    cli,
    files::{confirmed, join, program, times},
};
use sandshell_kernel::{
    Bytes, Errno, Error, FileKind, Input, OpenOptions, Output, Process, Result, Stat, Status, Time,
    vfs::SetTime,
};
use sandshell_text::options::{self, Example, Opt, Order, Parsed, Spec, UsageError};

const OPTIONS: &[Opt] = &[
    Opt::new('c', "stdout", "write on standard output, keep original files unchanged"),
    Opt::long("to-stdout", ""),
    Opt::new('d', "decompress", "decompress"),
    Opt::long("uncompress", ""),
    Opt::new('f', "force", "force overwrite of output file and compress links"),
    Opt::new('k', "keep", "keep (don't delete) input files"),
    Opt::new('l', "list", "list compressed file contents"),
    Opt::new('n', "no-name", "do not save or restore the original name and timestamp"),
    Opt::new('N', "name", "save or restore the original name and timestamp"),
    Opt::new('q', "quiet", "suppress all warnings"),
    Opt::new('r', "recursive", "operate recursively on directories"),
    Opt::long("rsyncable", "make rsync-friendly archive"),
    Opt::new('S', "suffix", "use suffix SUF on compressed files").value("SUF"),
    Opt::long("synchronous", "synchronous output (safer if system crashes, but slower)"),
    Opt::new('t', "test", "test compressed file integrity"),
    Opt::new('v', "verbose", "verbose mode"),
    Opt::new('1', "fast", "compress faster"),
    Opt::short('2', ""),
    Opt::short('3', ""),
    Opt::short('4', ""),
    Opt::short('5', ""),
    Opt::short('6', ""),
    Opt::short('7', ""),
    Opt::short('8', ""),
    Opt::new('9', "best", "compress better"),
];

program!(
    /// `gzip`
    GzipProgram,
    gzip,
    Spec {
        name: "gzip",
        about: "Compress or uncompress FILEs (by default, compress FILES in-place).",
        synopsis: &["[OPTION]... [FILE]..."],
        options: OPTIONS,
        notes: "With no FILE, or when FILE is -, read standard input.",
        version: "gzip 1.12",
        examples: &[Example { script: "echo hi | gzip | gzip -d", output: "hi\n" }],
    }
);

program!(
    /// `gunzip`
    GunzipProgram,
    gunzip,
    Spec {
        name: "gunzip",
        about: "Uncompress FILEs (by default, in-place).",
        synopsis: &["[OPTION]... [FILE]..."],
        options: OPTIONS,
        notes: "With no FILE, or when FILE is -, read standard input.",
        version: "gunzip (gzip) 1.12",
        examples: &[],
    }
);

program!(
    /// `zcat`
    Zcat,
    zcat,
    Spec {
        name: "zcat",
        about: "Uncompress FILEs to standard output.",
        synopsis: &["[OPTION]... [FILE]..."],
        options: OPTIONS,
        notes: "With no FILE, or when FILE is -, read standard input.",
        version: "zcat (gzip) 1.12",
        examples: &[],
    }
);

struct Job {
    decompress: bool,
    stdout: bool,
    force: bool,
    keep: bool,
    list: bool,
    test: bool,
    verbose: bool,
    quiet: bool,
    recursive: bool,
    /// Save the name and time (compressing), restore them (decompressing).
    name: bool,
    level: u32,
    suffix: Bytes,
    listed: bool,
    totals: (u64, u64, u32),
}

fn gzip(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, false, false)
}

fn gunzip(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, true, false)
}

fn zcat(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, true, true)
}

fn run(p: &mut Process, spec: &'static Spec, decompress: bool, stdout: bool) -> Result<Status> {
    let args = p.args.get(1..).unwrap_or_default().to_vec();
    let parsed: Parsed = match options::parse(spec, &args, Order::Permute) {
        Ok(parsed) if parsed.has("help") || parsed.has("version") => {
            return Ok(cli::parse(p, spec, Order::Permute, 1)?.err().unwrap_or(Status::OK));
        }
        Ok(parsed) => parsed,
        Err(UsageError(text)) => {
            p.write_error(format!("gzip: {text}\nTry `gzip --help' for more information.\n").as_bytes())?;
            return Ok(Status::FAILURE);
        }
    };
    let decompress = decompress
        || parsed.has("decompress")
        || parsed.has("uncompress")
        || parsed.has("test")
        || parsed.has("list");
    let level = parsed.options.iter().rev().find_map(|f| match f.id {
        "fast" => Some(1),
        "best" => Some(9),
        id => id.parse().ok(),
    });
    let mut job = Job {
        decompress,
        stdout: stdout || parsed.has("stdout") || parsed.has("to-stdout"),
        force: parsed.has("force"),
        keep: parsed.has("keep"),
        list: parsed.has("list"),
        test: parsed.has("test"),
        verbose: parsed.has("verbose"),
        quiet: parsed.has("quiet"),
        recursive: parsed.has("recursive"),
        name: match crate::files::last_of(&parsed, &["name", "no-name"]) {
            Some(id) => id == "name",
            None => !decompress,
        },
        level: level.unwrap_or(6),
        suffix: parsed.last("suffix").cloned().unwrap_or(Bytes::from_static(b".gz")),
        listed: false,
        totals: (0, 0, 0),
    };
    let mut status = 0;
    let stdin = [Bytes::from_static(b"-")];
    let files = if parsed.operands.is_empty() { &stdin[..] } else { &parsed.operands };
    for file in files {
        let one = one(p, &mut job, file)?;
        status = if one == 1 || status == 1 { 1 } else { status.max(one) };
    }
    if job.list && job.totals.2 > 1 {
        let (packed, size, _) = job.totals;
        let line = format!("{}(totals)\n", row(packed, size, packed));
        p.stdout.put(line.as_bytes())?;
    }
    Ok(Status(status))
}

/// Prints `gzip: NAME: TEXT`, by whatever name the program was called.
fn say(p: &mut Process, name: &[u8], text: std::fmt::Arguments<'_>) -> Result<()> {
    let line = format!("gzip: {}{text}\n", String::from_utf8_lossy(name));
    p.write_error(line.as_bytes())
}

fn failed(p: &mut Process, name: &[u8], e: Error) -> Result<u8> {
    match e {
        Error::Os(errno) => say(p, name, format_args!(": {errno}")).map(|()| 1),
        stop => Err(stop),
    }
}

/// A warning: status 2, silent with `-q`.
fn warn(p: &mut Process, job: &Job, name: &[u8], text: std::fmt::Arguments<'_>) -> Result<u8> {
    if !job.quiet {
        say(p, name, text)?;
    }
    Ok(2)
}

fn one(p: &mut Process, job: &mut Job, file: &Bytes) -> Result<u8> {
    if file == "-" {
        let fd = p.stdin.fd().clone();
        let input = std::mem::replace(&mut p.stdin, Input::new(fd, &p.budget));
        return stream(p, job, input, b"stdin", None);
    }
    let mut file = file.clone();
    let mut found = p.files.stat_cheap(&file, false);
    if job.decompress && matches!(found, Err(Error::Os(Errno::ENOENT))) && !file.ends_with(&job.suffix) {
        let longer = Bytes::from([&file[..], &job.suffix].concat());
        match p.files.stat_cheap(&longer, false) {
            Ok(s) => (file, found) = (longer, Ok(s)),
            Err(e) => return failed(p, &longer, e),
        }
    }
    let stat = match found {
        Ok((s, _)) => s,
        Err(e) => return failed(p, &file, e),
    };
    let stat = if stat.kind == FileKind::Symlink && (job.stdout || job.force || job.test || job.list) {
        match p.files.stat_cheap(&file, true) {
            Ok((s, _)) => s,
            Err(e) => return failed(p, &file, e),
        }
    } else {
        stat
    };
    if stat.is_dir() {
        if !job.recursive {
            return warn(p, job, &file, format_args!(" is a directory -- ignored"));
        }
        let list = match p.files.read_dir(&file) {
            Ok(list) => list,
            Err(e) => return failed(p, &file, e),
        };
        let mut status = 0;
        for e in list {
            p.budget.step()?;
            let below = join(&file, &e.name);
            let s = stacker::maybe_grow(128 << 10, 2 << 20, || one(p, job, &below))?;
            status = if s == 1 || status == 1 { 1 } else { status.max(s) };
        }
        return Ok(status);
    }
    if stat.kind == FileKind::Symlink {
        return failed(p, &file, Errno::ELOOP.into());
    }
    if stat.kind != FileKind::File && !job.stdout {
        return warn(p, job, &file, format_args!(" is not a directory or a regular file - ignored"));
    }
    let replaces = !job.stdout && !job.test && !job.list;
    if replaces && stat.nlink > 1 && !job.force {
        let (n, s) = (stat.nlink - 1, if stat.nlink > 2 { "s" } else { "" });
        return warn(p, job, &file, format_args!(" has {n} other link{s} -- file ignored"));
    }
    let output = match output_name(p, job, &file)? {
        Ok(o) => o,
        Err(status) => return Ok(status),
    };
    let input = match p.files.open_read(&file) {
        Ok(i) => i,
        Err(e) => return failed(p, &file, e),
    };
    stream(p, job, input, &file, Some((stat, output)))
}

/// Where the result goes; `None` for standard output.
fn output_name(p: &mut Process, job: &Job, file: &Bytes) -> Result<Result<Option<Bytes>, u8>> {
    if job.stdout || job.test || job.list {
        return Ok(Ok(None));
    }
    if !job.decompress {
        if file.ends_with(&job.suffix) && !job.force {
            let suffix = String::from_utf8_lossy(&job.suffix).into_owned();
            warn(p, job, file, format_args!(" already has {suffix} suffix -- unchanged"))?;
            return Ok(Err(0));
        }
        return Ok(Ok(Some(Bytes::from([&file[..], &job.suffix].concat()))));
    }
    for (suffix, instead) in
        [(&job.suffix[..], ""), (b".gz", ""), (b".tgz", ".tar"), (b".taz", ".tar"), (b"-gz", ""), (b".z", "")]
    {
        if let Some(stem) = file.strip_suffix(suffix).filter(|s| !s.is_empty() && !s.ends_with(b"/")) {
            return Ok(Ok(Some(Bytes::from([stem, instead.as_bytes()].concat()))));
        }
    }
    warn(p, job, file, format_args!(": unknown suffix -- ignored")).map(Err)
}

fn stream(
    p: &mut Process,
    job: &mut Job,
    input: Input,
    name: &[u8],
    file: Option<(Stat, Option<Bytes>)>,
) -> Result<u8> {
    let stat = file.as_ref().map(|f| f.0);
    let mut target = file.and_then(|f| f.1);
    if job.list || job.test {
        return check(p, job, input, name, stat);
    }
    let mut gunzip = None;
    let mut input = Some(input);
    let mut first = None;
    if job.decompress
        && let Some(i) = input.take()
    {
        let mut g = Gunzip::new(i);
        match g.next() {
            Ok(chunk) => first = chunk,
            Err(f) => return fault(p, name, f),
        }
        if job.name
            && let (Some(t), Some(n)) = (&target, &g.member.name)
        {
            let base = crate::files::base(n);
            target = Some(if t.contains(&b'/') {
                join(crate::files::dir(t), base)
            } else {
                Bytes::copy_from_slice(base)
            });
        }
        gunzip = Some(g);
    }
    let mut out = match &target {
        None => None,
        Some(t) => {
            if p.files.exists(t) && !job.force {
                let shown = String::from_utf8_lossy(t).into_owned();
                let yes = p.stdin.fd().terminal()
                    && confirmed(
                        p,
                        format_args!("{shown} already exists; do you wish to overwrite (y or n)? "),
                    )?;
                if !yes {
                    say(p, t, format_args!(" already exists;\tnot overwritten"))?;
                    return Ok(2);
                }
            }
            let o = OpenOptions { mode: 0o600, ..OpenOptions::CREATE };
            match p.files.open(t, o) {
                Ok(fd) => Some(Output::new(fd, &p.budget)),
                Err(e) => return failed(p, t, e),
            }
        }
    };
    let (budget, mut to_stdout) = (p.budget.clone(), Output::new(p.stdout.fd().clone(), &p.budget));
    if target.is_none() {
        p.stdout.flush()?;
    }
    let sink = out.as_mut().unwrap_or(&mut to_stdout);
    let mut status = 0;
    let (mut total_in, mut total_out, mut header) = (0, 0, 0);
    if let Some(g) = &mut gunzip {
        while let Some(chunk) = first.take() {
            budget.step()?;
            sink.chunk(chunk)?;
            match g.next() {
                Ok(next) => first = next,
                Err(f) => {
                    sink.flush()?;
                    if let Some(t) = &target {
                        p.files.unlink(t)?;
                    }
                    return fault(p, name, f);
                }
            }
        }
        (total_in, total_out, header) = (g.total_in, g.total_out, g.member.header + 8);
        if g.garbage {
            sink.flush()?;
            status = garbage(p, job, name)?;
        }
    } else if let Some(mut input) = input {
        let mtime = stat.filter(|_| job.name).map_or(0, |s| s.mtime.seconds());
        let base = stat.filter(|_| job.name).map(|_| crate::files::base(name));
        let mut z = Gzip::new(sink, job.level, base, u32::try_from(mtime).unwrap_or(0))?;
        header = z.total_out + 8;
        loop {
            match input.next_chunk() {
                Ok(None) => break,
                Ok(Some(chunk)) => z.write(&budget, sink, &chunk)?,
                Err(e) => return failed(p, name, e),
            }
        }
        z.finish(&budget, sink)?;
        (total_in, total_out) = (z.total_in, z.total_out);
    }
    sink.flush()?;
    drop(out);
    if let (Some(t), Some(s)) = (&target, stat) {
        let mtime = match &gunzip {
            Some(g) if job.name && g.member.mtime != 0 => Time(i128::from(g.member.mtime) * 1_000_000_000),
            _ => s.mtime,
        };
        p.files.chmod(t, s.mode)?;
        p.files.set_times(t, SetTime::At(s.atime), SetTime::At(mtime), true)?;
        if !job.keep
            && let Err(e) = p.files.unlink(name)
        {
            return failed(p, name, e);
        }
    }
    if job.verbose {
        let ratio = match job.decompress {
            true => percent(total_out as i64 - (total_in as i64 - header as i64), total_out as i64),
            false => percent(total_in as i64 - (total_out as i64 - header as i64), total_in as i64),
        };
        let shown = String::from_utf8_lossy(name).into_owned();
        let label = if stat.is_some() { format!("{shown}:\t") } else { String::new() };
        let end = match &target {
            Some(t) => {
                let how = if job.keep { "created" } else { "replaced with" };
                format!(" -- {how} {}", String::from_utf8_lossy(t))
            }
            None => String::new(),
        };
        p.write_error(format!("{label}{ratio}{end}\n").as_bytes())?;
    }
    Ok(status)
}

fn garbage(p: &mut Process, job: &Job, name: &[u8]) -> Result<u8> {
    if !job.quiet {
        p.write_error(b"\n")?;
    }
    warn(p, job, name, format_args!(": decompression OK, trailing garbage ignored"))
}

fn percent(n: i64, of: i64) -> String {
    let value = if of == 0 { 0.0 } else { 100.0 * n as f64 / of as f64 };
    format!("{value:5.1}%")
}

fn fault(p: &mut Process, name: &[u8], f: Fault) -> Result<u8> {
    let text = match f {
        Fault::Os(e) => return failed(p, name, e),
        Fault::NotGzip => ": not in gzip format".to_owned(),
        Fault::Eof => ": unexpected end of file".to_owned(),
        Fault::Crc => ": invalid compressed data--crc error".to_owned(),
        Fault::Length => ": invalid compressed data--length error".to_owned(),
        Fault::Format => ": invalid compressed data--format violated".to_owned(),
        Fault::Method(m) => format!(": unknown method {m} -- not supported"),
    };
    p.write_error(b"\n")?;
    say(p, name, format_args!("{text}"))?;
    Ok(1)
}

/// `-t` and `-l`: decompresses and keeps nothing.
fn check(p: &mut Process, job: &mut Job, input: Input, name: &[u8], stat: Option<Stat>) -> Result<u8> {
    let mut g = Gunzip::new(input);
    loop {
        p.budget.step()?;
        match g.next() {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(f) => return fault(p, name, f),
        }
    }
    let mut status = 0;
    if g.garbage {
        status = garbage(p, job, name)?;
    }
    if !job.list {
        if job.verbose {
            p.write_error(format!("{}:\t OK\n", String::from_utf8_lossy(name)).as_bytes())?;
        }
        return Ok(status);
    }
    if !job.listed && !job.quiet {
        job.listed = true;
        let method = if job.verbose { "method  crc     date  time           " } else { "" };
        p.stdout.put(
            format!("{method}         compressed        uncompressed  ratio uncompressed_name\n").as_bytes(),
        )?;
    }
    let mut line = Vec::new();
    if job.verbose {
        line.extend_from_slice(format!("defla {:08x} ", g.last_crc).as_bytes());
        let at = stat.map_or(Time::now(), |s| s.mtime);
        times::strftime(b"%b %e %H:%M ", at, &times::zone(p), &mut line);
    }
    let shown = match name.strip_suffix(&job.suffix[..]) {
        Some(stem) if !stem.is_empty() => stem,
        _ if name == b"stdin" => b"stdout",
        _ => name,
    };
    let packed = g.total_in - g.member.header - 8;
    line.extend_from_slice(row(g.total_in, g.total_out, packed).as_bytes());
    line.extend_from_slice(shown);
    line.push(b'\n');
    p.stdout.put(&line)?;
    job.totals = (job.totals.0 + g.total_in, job.totals.1 + g.total_out, job.totals.2 + 1);
    Ok(status)
}

fn row(compressed: u64, size: u64, packed: u64) -> String {
    let ratio = percent(size as i64 - packed as i64, size as i64);
    format!("{compressed:>19} {size:>19} {ratio} ")
}
