//! `zgrep`, `zegrep` and `zfgrep`: grep over files that may be compressed.

use super::deflate::{Fault, Gunzip};
use crate::files::program;
use sandshell_kernel::{Bytes, Errno, Error, Input, Process, Result, Status, stream::capture::Fixed};
use sandshell_text::options::{Example, Spec};

program!(
    /// `zgrep`
    Zgrep,
    zgrep,
    Spec {
        name: "zgrep",
        about: "Look for instances of PATTERN in the input FILEs, using their\nuncompressed contents if they are compressed.",
        synopsis: &["[OPTION]... [-e] PATTERN [FILE]..."],
        options: &[],
        notes: "OPTIONs are the same as for 'grep'.",
        version: "zgrep (gzip) 1.12",
        examples: &[Example { script: "echo hi > a; gzip a; zgrep -c h a.gz", output: "1\n" }],
    }
);

program!(
    /// `zegrep`
    Zegrep,
    zegrep,
    Spec {
        name: "zegrep",
        about: "As zgrep -E.",
        synopsis: &["[OPTION]... [-e] PATTERN [FILE]..."],
        options: &[],
        notes: "OPTIONs are the same as for 'grep'.",
        version: "zegrep (gzip) 1.12",
        examples: &[],
    }
);

program!(
    /// `zfgrep`
    Zfgrep,
    zfgrep,
    Spec {
        name: "zfgrep",
        about: "As zgrep -F.",
        synopsis: &["[OPTION]... [-e] PATTERN [FILE]..."],
        options: &[],
        notes: "OPTIONs are the same as for 'grep'.",
        version: "zfgrep (gzip) 1.12",
        examples: &[],
    }
);

fn zgrep(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, None)
}

fn zegrep(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, Some("-E"))
}

fn zfgrep(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, Some("-F"))
}

fn run(p: &mut Process, spec: &'static Spec, dialect: Option<&'static str>) -> Result<Status> {
    let args = p.args.get(1..).unwrap_or_default().to_vec();
    let mut options: Vec<Bytes> = dialect.iter().map(|d| Bytes::from_static(d.as_bytes())).collect();
    let (mut pattern, mut named) = (false, None);
    let mut rest = args.iter();
    let mut operands: Vec<Bytes> = Vec::new();
    while let Some(a) = rest.next() {
        match &a[..] {
            b"--" => {
                operands.extend(rest.by_ref().cloned());
            }
            b"--help" => {
                p.stdout.put(spec.help().as_bytes())?;
                return Ok(Status::OK);
            }
            b"--version" => {
                p.stdout.put(spec.version_text().as_bytes())?;
                return Ok(Status::OK);
            }
            [b'-', b'-', long @ ..] => {
                let word = |w: &str| long.starts_with(w.as_bytes());
                if word("recursive") || word("dereference-recursive") {
                    return unsupported(p, a);
                }
                pattern |= word("regexp") || word("file");
                match long {
                    b"with-filename" => named = Some(true),
                    b"no-filename" => named = Some(false),
                    _ => {}
                }
                options.push(a.clone());
            }
            [b'-', letters @ ..] if !letters.is_empty() => {
                let valued = letters.iter().position(|b| b"efABCDdm".contains(b));
                let flags = &letters[..valued.unwrap_or(letters.len())];
                if flags.iter().any(|b| b"rR".contains(b)) {
                    return unsupported(p, a);
                }
                for b in flags {
                    match b {
                        b'H' => named = Some(true),
                        b'h' => named = Some(false),
                        _ => {}
                    }
                }
                options.push(a.clone());
                if let Some(at) = valued {
                    pattern |= matches!(letters[at], b'e' | b'f');
                    if at + 1 == letters.len() {
                        options.extend(rest.next().cloned());
                    }
                }
            }
            _ => operands.push(a.clone()),
        }
    }
    if !pattern {
        if operands.is_empty() {
            p.write_error(b"Usage: zgrep [OPTION]... [-e] PATTERN [FILE]...\nTry 'zgrep --help' for more information.\n")?;
            return Ok(Status::USAGE);
        }
        options.push(Bytes::from_static(b"-e"));
        options.push(operands.remove(0));
    }
    if operands.is_empty() {
        operands.push(Bytes::from_static(b"-"));
    }
    let name = if named.unwrap_or(operands.len() > 1) { "-H" } else { "-h" };
    let mut status = 1;
    for file in operands {
        p.budget.step()?;
        let Some(content) = content(p, &file)? else {
            status = 2;
            continue;
        };
        let mut argv = vec![Bytes::from_static(b"grep")];
        argv.extend(options.iter().cloned());
        argv.push(Bytes::from_static(name.as_bytes()));
        let label: &[u8] = if file == "-" { b"(standard input)" } else { &file };
        argv.push(Bytes::from([b"--label=", label].concat()));
        let mut spawn = p.spawn(argv);
        spawn.files.fds.set(0, Some(Fixed::new(content)));
        match p.run(spawn)?.0 {
            0 if status == 1 => status = 0,
            0 | 1 => {}
            _ => status = 2,
        }
    }
    Ok(Status(status))
}

fn unsupported(p: &mut Process, option: &[u8]) -> Result<Status> {
    p.error(format_args!("{}: option not supported", String::from_utf8_lossy(option)))?;
    Ok(Status::USAGE)
}

/// A file's content, decompressed if need be; `None` when it cannot be read.
fn content(p: &mut Process, file: &Bytes) -> Result<Option<Bytes>> {
    let mut name = file.clone();
    let mut data = p.open_input(file).and_then(|mut i| i.read_all());
    if data == Err(Error::Os(Errno::ENOENT)) && !file.ends_with(b".gz") {
        name = Bytes::from([file, &b".gz"[..]].concat());
        data = p.files.read(&name);
    }
    let data = match data {
        Ok(d) => d,
        Err(Error::Os(e)) => {
            p.write_error(format!("gzip: {}: {e}\n", String::from_utf8_lossy(&name)).as_bytes())?;
            return Ok(None);
        }
        Err(stop) => return Err(stop),
    };
    if !data.starts_with(&[0x1f, 0x8b]) {
        return Ok(Some(data));
    }
    let mut stream = Gunzip::new(Input::new(Fixed::new(data), &p.budget));
    let mut held = p.budget.reservation();
    let mut all = Vec::new();
    loop {
        match stream.next() {
            Ok(Some(piece)) => {
                held.grow(piece.len() as u64)?;
                all.extend_from_slice(&piece);
            }
            Ok(None) => return Ok(Some(Bytes::from(all))),
            Err(Fault::Os(e)) => return Err(e),
            Err(_) => {
                let shown = String::from_utf8_lossy(file).into_owned();
                p.write_error(format!("\ngzip: {shown}: unexpected end of file\n").as_bytes())?;
                return Ok(Some(Bytes::from(all)));
            }
        }
    }
}
