//! `touch`: sets times, and makes files that are not there.

use super::{misuse, times};
use sandshell_kernel::{Errno, Error, OpenOptions, Process, Result, Status, Time, vfs::SetTime};
use sandshell_text::{
    date::{self, Civil, Zone},
    options::{Example, Opt, Parsed, Spec},
    quote,
};

program!(
    /// `touch`
    Touch,
    run,
    Spec {
        name: "touch",
        about: "Update the access and modification times of each FILE to the current time.\n\nA FILE argument that does not exist is created empty, unless -c or -h\nis supplied.",
        synopsis: &["[OPTION]... FILE..."],
        options: &[
            Opt::short('a', "change only the access time"),
            Opt::new('c', "no-create", "do not create any files"),
            Opt::new('d', "date", "parse STRING and use it instead of current time").value("STRING"),
            Opt::short('f', "(ignored)"),
            Opt::new('h', "no-dereference", "affect each symbolic link instead of any referenced file"),
            Opt::short('m', "change only the modification time"),
            Opt::new('r', "reference", "use this file's times instead of current time").value("FILE"),
            Opt::short('t', "use [[CC]YY]MMDDhhmm[.ss] instead of current time").value("STAMP"),
            Opt::long("time", "change the specified time: WORD is access, atime, or use: equivalent to -a; WORD is modify or mtime: equivalent to -m").value("WORD"),
        ],
        notes: "",
        version: "touch (GNU coreutils) 9.1",
        examples: &[Example { script: "touch -d 2001-02-03 f; stat -c %y f", output: "2001-02-03 00:00:00.000000000 +0000\n" }],
    }
);

const WORDS: &[(&str, bool)] =
    &[("atime", true), ("access", true), ("use", true), ("mtime", false), ("modify", false)];

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    let (mut access, mut modify) = (parsed.has("a"), parsed.has("m"));
    for f in parsed.options.iter().filter(|f| f.id == "time") {
        match super::choose(p, "--time", f.value.as_deref().unwrap_or_default(), WORDS)? {
            Ok(true) => access = true,
            Ok(false) => modify = true,
            Err(status) => return Ok(status),
        }
    }
    if !access && !modify {
        (access, modify) = (true, true);
    }
    let (atime, mtime) = match times_of(p, &parsed)? {
        Ok(t) => t,
        Err(status) => return Ok(status),
    };
    if parsed.operands.is_empty() {
        return misuse(p, format_args!("missing file operand"));
    }
    let atime = if access { atime } else { SetTime::Keep };
    let mtime = if modify { mtime } else { SetTime::Keep };
    let follow = !parsed.has("no-dereference");
    let create = follow && !parsed.has("no-create");
    let mut status = Status::OK;
    for file in &parsed.operands {
        p.budget.step()?;
        if !touch(p, file, atime, mtime, create, follow)? {
            status = Status::FAILURE;
        }
    }
    Ok(status)
}

fn touch(
    p: &mut Process,
    file: &[u8],
    atime: SetTime,
    mtime: SetTime,
    create: bool,
    follow: bool,
) -> Result<bool> {
    if file == b"-" {
        return Ok(true);
    }
    let mut failed = None;
    if create && !p.files.exists(file) {
        let o = OpenOptions { create: true, write: true, read: false, ..OpenOptions::READ };
        match p.files.open(file, o) {
            Ok(_) if (atime, mtime) == (SetTime::Now, SetTime::Now) => return Ok(true),
            Ok(_) => {}
            Err(e) => failed = Some(e),
        }
    }
    match p.files.set_times(file, atime, mtime, follow) {
        Ok(()) => Ok(true),
        Err(e @ Error::Os(errno)) => {
            if !create && errno == Errno::ENOENT && follow {
                return Ok(true);
            }
            match failed {
                Some(first) => {
                    p.complain(format_args!("cannot touch {}", quote::name_always(file)), first)?
                }
                None if errno == Errno::EACCES
                    || errno == Errno::EROFS && create
                    || errno == Errno::ENOTDIR
                    || errno == Errno::ELOOP
                    || errno == Errno::ENOENT && !follow && create =>
                {
                    p.complain(format_args!("cannot touch {}", quote::name_always(file)), e)?;
                }
                None => p.complain(format_args!("setting times of {}", quote::name_always(file)), e)?,
            }
            Ok(false)
        }
        Err(stop) => Err(stop),
    }
}

/// The times to set: of `-r`, `-t`, `-d`, or now.
fn times_of(p: &mut Process, parsed: &Parsed) -> Result<Result<(SetTime, SetTime), Status>> {
    let (stamp, text, reference) = (parsed.last("t"), parsed.last("date"), parsed.last("reference"));
    let zone = times::zone(p);
    if let Some(s) = stamp
        && posix_stamp(s, Time::now(), &zone).is_none()
    {
        p.error(format_args!("invalid date format {}", quote::value(s)))?;
        return Ok(Err(Status::FAILURE));
    }
    if stamp.is_some() && (text.is_some() || reference.is_some()) {
        let status = misuse(p, format_args!("cannot specify times from more than one source"))?;
        return Ok(Err(status));
    }
    let now = Time::now();
    let mut base = (now, now);
    if let Some(r) = reference {
        let stat = match parsed.has("no-dereference") {
            true => p.files.stat_cheap(r, false),
            false => p.files.stat_cheap(r, true),
        };
        match stat {
            Ok((s, _)) => base = (s.atime, s.mtime),
            Err(e) => {
                p.complain(format_args!("failed to get attributes of {}", quote::name_always(r)), e)?;
                return Ok(Err(Status::FAILURE));
            }
        }
    }
    if let Some(t) = stamp.and_then(|s| posix_stamp(s, now, &zone)) {
        return Ok(Ok((SetTime::At(t), SetTime::At(t))));
    }
    if let Some(d) = text {
        let read = |from: Time| date::parse(d, times::moment(from), &zone).map(times::time);
        return match (read(base.0), read(base.1)) {
            (Some(a), Some(m)) => Ok(Ok((SetTime::At(a), SetTime::At(m)))),
            _ => {
                p.error(format_args!("invalid date format {}", quote::value(d)))?;
                Ok(Err(Status::FAILURE))
            }
        };
    }
    match reference {
        Some(_) => Ok(Ok((SetTime::At(base.0), SetTime::At(base.1)))),
        None => Ok(Ok((SetTime::Now, SetTime::Now))),
    }
}

/// `[[CC]YY]MMDDhhmm[.ss]`
fn posix_stamp(text: &[u8], now: Time, zone: &Zone) -> Option<Time> {
    let (digits, seconds) = match text.iter().position(|&b| b == b'.') {
        Some(i) => (&text[..i], Some(&text[i + 1..])),
        None => (text, None),
    };
    let pairs = |t: &[u8]| -> Option<Vec<i64>> {
        if !t.len().is_multiple_of(2) || !t.iter().all(u8::is_ascii_digit) {
            return None;
        }
        Some(t.chunks(2).map(|c| i64::from(c[0] - b'0') * 10 + i64::from(c[1] - b'0')).collect())
    };
    let second = match seconds {
        None => 0,
        Some(s) if s.len() == 2 => pairs(s)?[0],
        Some(_) => return None,
    };
    let n = pairs(digits)?;
    let this_year = Civil::new(now.seconds(), zone).year;
    let (year, rest) = match n.len() {
        4 => (this_year, &n[..]),
        5 => (n[0] + if n[0] < 69 { 2000 } else { 1900 }, &n[1..]),
        6 => (n[0] * 100 + n[1], &n[2..]),
        _ => return None,
    };
    let [month, day, hour, minute] = rest[..] else { return None };
    if !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days = date::days(year, month, day);
    let (y, m, d) = date::date(days);
    if (y, i64::from(m), i64::from(d)) != (year, month, day) {
        return None;
    }
    let local = days * 86_400 + hour * 3600 + minute * 60 + second;
    Some(Time(i128::from(zone.resolve(local)?) * 1_000_000_000))
}
