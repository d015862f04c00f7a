//! `du`: space that files take.

use super::{join, misuse, sizes::Unit, times};
use hashbrown::HashSet;
use sandshell_kernel::{Bytes, FileKind, Process, Result, Stat, Status, Time};
use sandshell_text::{
    date::Zone,
    glob::{Glob, GlobFlags},
    options::{Example, Opt, Parsed, Spec},
    quote,
};

program!(
    /// `du`
    Du,
    run,
    Spec {
        name: "du",
        about: "Summarize disk usage of the set of FILEs, recursively for directories.",
        synopsis: &["[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"],
        options: &[
            Opt::new('0', "null", "end each output line with NUL, not newline"),
            Opt::new('a', "all", "write counts for all files, not just directories"),
            Opt::long("apparent-size", "print apparent sizes rather than device usage"),
            Opt::new('B', "block-size", "scale sizes by SIZE before printing them").value("SIZE"),
            Opt::new('b', "bytes", "equivalent to '--apparent-size --block-size=1'"),
            Opt::new('c', "total", "produce a grand total"),
            Opt::new('D', "dereference-args", "dereference only symlinks that are listed on the command line"),
            Opt::new('d', "max-depth", "print the total for a directory (or file, with --all) only if it is N or fewer levels below the command line argument; --max-depth=0 is the same as --summarize").value("N"),
            Opt::long("files0-from", "summarize device usage of the NUL-terminated file names specified in file F").value("F"),
            Opt::short('H', "equivalent to --dereference-args (-D)"),
            Opt::new('h', "human-readable", "print sizes in human readable format (e.g., 1K 234M 2G)"),
            Opt::long("inodes", "list inode usage information instead of block usage"),
            Opt::short('k', "like --block-size=1K"),
            Opt::new('L', "dereference", "dereference all symbolic links"),
            Opt::new('l', "count-links", "count sizes many times if hard linked"),
            Opt::short('m', "like --block-size=1M"),
            Opt::new('P', "no-dereference", "don't follow any symbolic links (this is the default)"),
            Opt::new('S', "separate-dirs", "for directories do not include size of subdirectories"),
            Opt::long("si", "like -h, but use powers of 1000 not 1024"),
            Opt::new('s', "summarize", "display only a total for each argument"),
            Opt::new('t', "threshold", "exclude entries smaller than SIZE if positive, or entries greater than SIZE if negative").value("SIZE"),
            Opt::long("time", "show time of the last modification of any file in the directory, or any of its subdirectories").optional("WORD"),
            Opt::long("time-style", "show times using STYLE, which can be: full-iso, long-iso, iso, or +FORMAT").value("STYLE"),
            Opt::new('X', "exclude-from", "exclude files that match any pattern in FILE").value("FILE"),
            Opt::long("exclude", "exclude files that match PATTERN").value("PATTERN"),
            Opt::new('x', "one-file-system", "skip directories on different file systems"),
        ],
        notes: "",
        version: "du (GNU coreutils) 9.1",
        examples: &[Example { script: "mkdir d; printf 0123456789 > d/f; du -b d/f", output: "10\td/f\n" }],
    }
);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    Never,
    Operands,
    Always,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Modified,
    Accessed,
    Changed,
}

struct Job {
    all: bool,
    apparent: bool,
    inodes: bool,
    unit: Unit,
    depth: usize,
    follow: Follow,
    count_links: bool,
    separate: bool,
    threshold: Option<i64>,
    time: Option<(Which, Bytes)>,
    excludes: Vec<Glob>,
    one_file_system: bool,
    end: u8,
    zone: Zone,
    /// A directory may be met twice: by several operands, or through links.
    remember: bool,
    seen: HashSet<(u64, u64)>,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    size: u64,
    inodes: u64,
    time: Option<Time>,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.size += other.size;
        self.inodes += other.inodes;
        self.time = self.time.max(other.time);
    }
}

const TIMES: &[(&str, Which)] = &[
    ("atime", Which::Accessed),
    ("access", Which::Accessed),
    ("use", Which::Accessed),
    ("ctime", Which::Changed),
    ("status", Which::Changed),
];

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed: Parsed = parse!(p, spec);
    let mut job = Job {
        all: parsed.has("all"),
        apparent: parsed.has("apparent-size"),
        inodes: parsed.has("inodes"),
        unit: Unit::of_env(&p.env, "DU_BLOCK_SIZE", 1024),
        depth: usize::MAX,
        follow: Follow::Never,
        count_links: parsed.has("count-links"),
        separate: parsed.has("separate-dirs"),
        threshold: None,
        time: None,
        excludes: Vec::new(),
        one_file_system: parsed.has("one-file-system"),
        end: if parsed.has("null") { 0 } else { b'\n' },
        zone: times::zone(p),
        remember: false,
        seen: HashSet::new(),
    };
    let mut format = Bytes::from_static(b"%Y-%m-%d %H:%M");
    let mut depth = None;
    for f in &parsed.options {
        let value = f.value.clone().unwrap_or_default();
        match f.id {
            "block-size" => match Unit::parse(&value) {
                Some(unit) => job.unit = unit,
                None => {
                    p.error(format_args!("invalid --block-size argument {}", quote::name_always(&value)))?;
                    return Ok(Status::FAILURE);
                }
            },
            "bytes" => (job.apparent, job.unit) = (true, Unit::Blocks(1, String::new())),
            "human-readable" => job.unit = Unit::Human(1024),
            "si" => job.unit = Unit::Human(1000),
            "k" => job.unit = Unit::Blocks(1024, String::new()),
            "m" => job.unit = Unit::Blocks(1 << 20, String::new()),
            "dereference-args" | "H" => job.follow = Follow::Operands,
            "dereference" => job.follow = Follow::Always,
            "no-dereference" => job.follow = Follow::Never,
            "max-depth" => match std::str::from_utf8(&value).ok().and_then(|t| t.parse::<usize>().ok()) {
                Some(n) => depth = Some(n),
                None => {
                    return misuse(p, format_args!("invalid maximum depth {}", quote::value(&value)));
                }
            },
            "threshold" => {
                let (negative, digits) = value.strip_prefix(b"-").map_or((false, &value[..]), |v| (true, v));
                match sandshell_text::number::parse_size(digits, "kKmMGTPEZY0") {
                    Ok(n) if !(negative && n == 0) => {
                        let n = i64::try_from(n).unwrap_or(i64::MAX);
                        job.threshold = Some(if negative { -n } else { n });
                    }
                    Ok(_) => {
                        p.error(format_args!("invalid --threshold argument '-0'"))?;
                        return Ok(Status::FAILURE);
                    }
                    Err(_) => {
                        p.error(format_args!("invalid --threshold argument {}", quote::name_always(&value)))?;
                        return Ok(Status::FAILURE);
                    }
                }
            }
            "time" => {
                let which = match f.value {
                    None => Which::Modified,
                    Some(_) => match super::choose(p, "--time", &value, TIMES)? {
                        Ok(w) => w,
                        Err(status) => return Ok(status),
                    },
                };
                job.time = Some((which, Bytes::new()));
            }
            "time-style" => {
                format = match &value[..] {
                    b"full-iso" => Bytes::from_static(b"%Y-%m-%d %H:%M:%S.%N %z"),
                    b"long-iso" => format,
                    b"iso" => Bytes::from_static(b"%Y-%m-%d"),
                    v if v.starts_with(b"+") => value.slice(1..),
                    v => {
                        return misuse(
                            p,
                            format_args!("invalid argument {} for ‘time style’", quote::value(v)),
                        );
                    }
                };
            }
            "exclude" => job.excludes.push(Glob::new(&value, GlobFlags::default())),
            "exclude-from" => match p.files.read(&value) {
                Ok(text) => {
                    let lines = text.split(|&b| b == b'\n').filter(|l| !l.is_empty());
                    job.excludes.extend(lines.map(|l| Glob::new(l, GlobFlags::default())));
                }
                Err(e) => {
                    p.complain(format_args!("{}", quote::name(&value)), e)?;
                    return Ok(Status::FAILURE);
                }
            },
            _ => {}
        }
    }
    if let Some(t) = &mut job.time {
        t.1 = format;
    }
    let summarize = parsed.has("summarize");
    if summarize && job.all {
        return misuse(p, format_args!("cannot both summarize and show all entries"));
    }
    match (summarize, depth) {
        (true, Some(0)) => {
            p.error(format_args!("warning: summarizing is the same as using --max-depth=0"))?
        }
        (true, Some(n)) => {
            return misuse(p, format_args!("warning: summarizing conflicts with --max-depth={n}"));
        }
        _ => {}
    }
    job.depth = if summarize { 0 } else { depth.unwrap_or(usize::MAX) };
    let mut files = parsed.operands.clone();
    if let Some(list) = parsed.last("files0-from") {
        if let Some(extra) = files.first() {
            p.error(format_args!("extra operand {}", quote::value(extra)))?;
            return misuse(p, format_args!("file operands cannot be combined with --files0-from"));
        }
        let text = if list == "-" { p.stdin.read_all() } else { p.files.read(list) };
        match text {
            Ok(text) => {
                let names = text.split(|&b| b == 0).filter(|n| !n.is_empty());
                files = names.map(|n| text.slice_ref(n)).collect();
            }
            Err(e) => {
                p.complain(format_args!("cannot open {} for reading", quote::name_always(list)), e)?;
                return Ok(Status::FAILURE);
            }
        }
    } else if files.is_empty() {
        files.push(Bytes::from_static(b"."));
    }
    job.remember = files.len() > 1 || job.follow == Follow::Always;
    let mut total = Sum::default();
    let mut ok = true;
    for file in &files {
        let follow = job.follow != Follow::Never;
        match p.files.stat_cheap(file, follow) {
            Ok(_) => {
                let stat = if follow { p.files.stat(file) } else { p.files.lstat(file) };
                let stat = stat?;
                total.add(tree(p, &mut job, file, stat, &mut ok)?);
            }
            Err(e) => {
                p.complain(format_args!("cannot access {}", quote::name_always(file)), e)?;
                ok = false;
            }
        }
    }
    if parsed.has("total") {
        show(p, &job, total, b"total")?;
    }
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

fn show(p: &mut Process, job: &Job, sum: Sum, name: &[u8]) -> Result<()> {
    if let Some(t) = job.threshold {
        let value = if job.inodes { sum.inodes } else { sum.size };
        if (t < 0 && value > t.unsigned_abs()) || (t >= 0 && value < t as u64) {
            return Ok(());
        }
    }
    let mut line = match (job.inodes, &job.unit) {
        (true, Unit::Human(base)) => sandshell_text::number::human(sum.inodes, *base),
        (true, _) => sum.inodes.to_string(),
        (false, unit) => unit.show(sum.size),
    }
    .into_bytes();
    line.push(b'\t');
    if let Some((_, format)) = &job.time {
        times::strftime(format, sum.time.unwrap_or(Time(0)), &job.zone, &mut line);
        line.push(b'\t');
    }
    line.extend_from_slice(name);
    line.push(job.end);
    p.stdout.put(&line)
}

/// A directory under way: what it holds so far.
struct Open {
    path: Bytes,
    own: Sum,
    below: Sum,
    rest: std::vec::IntoIter<sandshell_kernel::DirEntry>,
}

fn excluded(job: &Job, path: &[u8]) -> bool {
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b'/', path).map(|i| i + 1));
    !job.excludes.is_empty() && starts.into_iter().any(|i| job.excludes.iter().any(|g| g.matches(&path[i..])))
}

fn sum_of(job: &mut Job, stat: &Stat) -> Sum {
    if !job.count_links && (stat.nlink > 1 && !stat.is_dir()) && !job.seen.insert((stat.dev, stat.ino)) {
        return Sum::default();
    }
    let size = match (job.apparent, stat.kind) {
        (true, FileKind::File | FileKind::Symlink | FileKind::Directory) => stat.size,
        (true, _) => 0,
        (false, _) => stat.blocks * 512,
    };
    let time = job.time.as_ref().map(|(which, _)| match which {
        Which::Modified => stat.mtime,
        Which::Accessed => stat.atime,
        Which::Changed => stat.ctime,
    });
    Sum { size, inodes: 1, time }
}

fn open(p: &mut Process, job: &mut Job, path: Bytes, stat: Stat, ok: &mut bool) -> Result<Open> {
    let own = sum_of(job, &stat);
    let list = match p.files.read_dir(&path) {
        Ok(list) => list,
        Err(e) => {
            p.complain(format_args!("cannot read directory {}", quote::name_always(&path)), e)?;
            *ok = false;
            Vec::new()
        }
    };
    Ok(Open { path, own, below: Sum::default(), rest: list.into_iter() })
}

fn tree(p: &mut Process, job: &mut Job, path: &Bytes, stat: Stat, ok: &mut bool) -> Result<Sum> {
    if excluded(job, path) {
        return Ok(Sum::default());
    }
    if !stat.is_dir() {
        let known = job.seen.contains(&(stat.dev, stat.ino)) && !job.count_links;
        let sum = sum_of(job, &stat);
        if !known {
            show(p, job, sum, path)?;
        }
        return Ok(sum);
    }
    if !job.seen.insert((stat.dev, stat.ino)) && !job.count_links {
        return Ok(Sum::default());
    }
    let dev = stat.dev;
    let mut stack = vec![open(p, job, path.clone(), stat, ok)?];
    loop {
        p.budget.step()?;
        let depth = stack.len();
        let Some(top) = stack.last_mut() else { return Ok(Sum::default()) };
        let Some(e) = top.rest.next() else {
            let Some(done) = stack.pop() else { return Ok(Sum::default()) };
            let mut sum = done.own;
            sum.add(done.below);
            if depth - 1 <= job.depth {
                show(p, job, sum, &done.path)?;
            }
            let mut whole = sum;
            match stack.last_mut() {
                None => return Ok(whole),
                Some(above) if job.separate => {
                    // The size stays with its directory; only the time goes up.
                    whole = Sum { size: 0, inodes: 0, time: whole.time };
                    above.below.add(whole);
                }
                Some(above) => above.below.add(whole),
            }
            continue;
        };
        let below = join(&top.path, &e.name);
        if excluded(job, &below) {
            continue;
        }
        let follow = job.follow == Follow::Always;
        let stat = if follow { p.files.stat(&below) } else { p.files.lstat(&below) };
        let stat = match stat {
            Ok(s) => s,
            Err(e) => {
                p.complain(format_args!("cannot access {}", quote::name_always(&below)), e)?;
                *ok = false;
                continue;
            }
        };
        if stat.is_dir() {
            if job.one_file_system && stat.dev != dev {
                continue;
            }
            if job.remember && !job.seen.insert((stat.dev, stat.ino)) {
                continue;
            }
            stack.push(open(p, job, below, stat, ok)?);
            continue;
        }
        let counted = !job.count_links && stat.nlink > 1 && job.seen.contains(&(stat.dev, stat.ino));
        if counted {
            continue;
        }
        let sum = sum_of(job, &stat);
        if let Some(top) = stack.last_mut() {
            top.below.add(sum);
        }
        if job.all && depth <= job.depth {
            show(p, job, sum, &below)?;
        }
    }
}
