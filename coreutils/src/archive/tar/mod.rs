//! `tar`: GNU tar's archives, made, listed, unpacked and compared.

mod create;
mod extract;
mod header;
mod io;

use crate::{
    cli,
    files::{join, ls::quoting, mode, mode::ModeChange, program, times},
    users::Users,
};
use extract::Task;
use header::{Format, Header};
use sandshell_kernel::{Bytes, Error, Process, Result, Status, Time};
use sandshell_text::{
    date::{self, Zone},
    glob::{Glob, GlobFlags},
    options::{self, Example, Found, Opt, Order, Spec, UsageError},
    quote,
};

program!(
    /// `tar`
    Tar,
    run,
    Spec {
        name: "tar",
        about: "GNU 'tar' saves many files together into a single tape or disk archive, and can\nrestore individual files from the archive.",
        synopsis: &["[OPTION...] [FILE]..."],
        options: &[
            Opt::new('c', "create", "create a new archive"),
            Opt::new('x', "extract", "extract files from an archive"),
            Opt::long("get", ""),
            Opt::new('t', "list", "list the contents of an archive"),
            Opt::new('r', "append", "append files to the end of an archive"),
            Opt::new('u', "update", "only append files newer than copy in archive"),
            Opt::new('d', "diff", "find differences between archive and file system"),
            Opt::long("compare", ""),
            Opt::new('f', "file", "use archive file or device ARCHIVE").value("ARCHIVE"),
            Opt::new('C', "directory", "change to directory DIR").value("DIR"),
            Opt::new('v', "verbose", "verbosely list files processed"),
            Opt::new('z', "gzip", "filter the archive through gzip"),
            Opt::long("gunzip", ""),
            Opt::long("ungzip", ""),
            Opt::new('j', "bzip2", "filter the archive through bzip2"),
            Opt::new('J', "xz", "filter the archive through xz"),
            Opt::long("zstd", "filter the archive through zstd"),
            Opt::new('a', "auto-compress", "use archive suffix to determine the compression program"),
            Opt::new('b', "blocking-factor", "BLOCKS x 512 bytes per record").value("BLOCKS"),
            Opt::new('h', "dereference", "follow symlinks; archive and dump the files they point to"),
            Opt::long("hard-dereference", "follow hard links; archive and dump the files they refer to"),
            Opt::long("exclude", "exclude files, given as a PATTERN").value("PATTERN"),
            Opt::new('X', "exclude-from", "exclude patterns listed in FILE").value("FILE"),
            Opt::long("exclude-vcs", "exclude version control system directories"),
            Opt::long("format", "create archive of the given format: gnu, oldgnu, pax, posix, ustar, v7").value("FORMAT"),
            Opt::short('H', "").value("FORMAT"),
            Opt::long("posix", "same as --format=posix"),
            Opt::long("old-archive", "same as --format=v7"),
            Opt::long("group", "force NAME as group for added files").value("NAME"),
            Opt::long("owner", "force NAME as owner for added files").value("NAME"),
            Opt::long("mode", "force (symbolic) mode CHANGES for added files").value("CHANGES"),
            Opt::long("mtime", "set mtime for added files from DATE-OR-FILE").value("DATE-OR-FILE"),
            Opt::long("numeric-owner", "always use numbers for user/group names"),
            Opt::new('i', "ignore-zeros", "ignore zeroed blocks in archive (means EOF)"),
            Opt::new('k', "keep-old-files", "don't replace existing files when extracting, treat them as errors"),
            Opt::long("keep-newer-files", "don't replace existing files that are newer than their archive copies"),
            Opt::long("skip-old-files", "don't replace existing files when extracting, silently skip over them"),
            Opt::long("overwrite", "overwrite existing files when extracting"),
            Opt::new('U', "unlink-first", "remove each file prior to extracting over it"),
            Opt::new('m', "touch", "don't extract file modified time"),
            Opt::new('p', "preserve-permissions", "extract information about file permissions (default for superuser)"),
            Opt::long("same-permissions", ""),
            Opt::long("no-same-permissions", "apply the user's umask when extracting permissions from the archive (default for ordinary users)"),
            Opt::long("same-owner", "try extracting files with the same ownership as exists in the archive (default for superuser)"),
            Opt::long("no-same-owner", "extract files as yourself (default for ordinary users)"),
            Opt::short('o', "when creating, same as --old-archive; when extracting, same as --no-same-owner"),
            Opt::new('O', "to-stdout", "extract files to standard output"),
            Opt::new('P', "absolute-names", "don't strip leading '/'s from file names"),
            Opt::long("no-recursion", "avoid descending automatically in directories"),
            Opt::long("recursion", "recurse into directories (default)"),
            Opt::long("remove-files", "remove files after adding them to the archive"),
            Opt::long("sort", "directory sorting order: none (default), name").value("ORDER"),
            Opt::long("strip-components", "strip NUMBER leading components from file names on extraction").value("NUMBER"),
            Opt::new('T', "files-from", "get names to extract or create from FILE").value("FILE"),
            Opt::long("null", "-T reads null-terminated names"),
            Opt::long("totals", "print total bytes after processing the archive").optional("SIGNAL"),
            Opt::long("transform", "use sed replace EXPRESSION to transform file names").value("EXPRESSION"),
            Opt::long("xform", "").value("EXPRESSION"),
            Opt::long("show-transformed-names", "show file or archive names after transformation"),
            Opt::long("wildcards", "use wildcards (default for exclusion)"),
            Opt::long("no-wildcards", "verbatim string matching"),
            Opt::long("utc", "print file modification times in UTC"),
            Opt::long("full-time", "print file time to its full resolution"),
            Opt::long("one-top-level", "create a subdirectory to avoid having loose files extracted").optional("DIR"),
        ],
        notes: "",
        version: "tar (GNU tar) 1.34",
        examples: &[Example { script: "mkdir d; echo hi > d/f; tar -czf a.tgz d; tar -tf a.tgz", output: "d/\nd/f\n" }],
    }
);

/// A name of the command line, and the directory it is in.
pub(super) struct Name {
    name: Bytes,
    directory: Bytes,
}

impl Name {
    /// Where `member` (the name, or something below it) is.
    fn path(&self, member: &[u8]) -> Bytes {
        match self.directory.is_empty() || member.starts_with(b"/") {
            true => Bytes::copy_from_slice(member),
            false => join(&self.directory, member),
        }
    }
}

/// What was asked for.
struct Config {
    archive: Bytes,
    gzip: bool,
    level: u32,
    verbose: u8,
    /// Names are listed on standard error, because the archive is on standard output.
    to_stderr: bool,
    record: u64,
    dereference: bool,
    hard_dereference: bool,
    excludes: Vec<Glob>,
    format: Format,
    owner: Option<(Bytes, u64)>,
    group: Option<(Bytes, u64)>,
    mode: Option<ModeChange>,
    mtime: Option<Time>,
    numeric: bool,
    ignore_zeros: bool,
    keep_old: bool,
    keep_newer: bool,
    skip_old: bool,
    overwrite: bool,
    no_mtime: bool,
    preserve: bool,
    to_stdout: bool,
    absolute: bool,
    recursion: bool,
    remove_files: bool,
    strip: usize,
    totals: bool,
    transforms: Vec<Transform>,
    show_transformed: bool,
    wildcards: bool,
    zone: Zone,
    full_time: bool,
    /// Everything goes below this one.
    one_top: Option<Bytes>,
    /// Where everything goes when no name is given.
    directory: Bytes,
    /// Width of owner and size in listings, which grows.
    width: std::cell::Cell<usize>,
}

/// `s/REGEX/REPLACEMENT/FLAGS`
struct Transform {
    regex: sandshell_text::regex::Regex,
    replacement: Vec<u8>,
    all: bool,
}

/// An option or an operand, in the order of the command line: `-C` holds for what comes after it.
enum Event {
    Option(Found),
    Operand(Bytes),
}

fn events(spec: &'static Spec, args: &[Bytes]) -> Result<Vec<Event>, UsageError> {
    let mut events = Vec::new();
    let mut rest: Vec<Bytes> = args.to_vec();
    // `tar xzf a.tgz`: letters without a dash, their values behind them in order.
    if let Some(first) = rest.first().cloned().filter(|f| !f.is_empty() && f[0] != b'-') {
        let mut values = rest.split_off(1).into_iter();
        let mut words = Vec::new();
        for &b in first.iter() {
            words.push(Bytes::from(vec![b'-', b]));
            let letter = spec.options.iter().find(|o| o.short == Some(char::from(b)));
            if matches!(letter.map(|o| o.arg), Some(options::Arg::Required(_))) {
                match values.next() {
                    Some(v) => words.push(v),
                    None => {
                        let b = char::from(b);
                        return Err(UsageError(format!("Old option '{b}' requires an argument.")));
                    }
                }
            }
        }
        words.extend(values);
        rest = words;
    }
    loop {
        let parsed = options::parse(spec, &rest, Order::First)?;
        let used = rest.len() - parsed.operands.len();
        let ended = used > 0 && rest[used - 1] == "--";
        events.extend(parsed.options.into_iter().map(Event::Option));
        let mut operands = parsed.operands.into_iter();
        if ended {
            events.extend(operands.map(Event::Operand));
            return Ok(events);
        }
        match operands.next() {
            None => return Ok(events),
            Some(o) => events.push(Event::Operand(o)),
        }
        rest = operands.collect();
    }
}

const FORMATS: &[(&str, Format)] = &[
    ("gnu", Format::Gnu),
    ("oldgnu", Format::Gnu),
    ("pax", Format::Pax),
    ("posix", Format::Pax),
    ("ustar", Format::Ustar),
    ("v7", Format::V7),
];
const VCS: &[&str] = &[
    "CVS",
    "RCS",
    "SCCS",
    ".git",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".cvsignore",
    ".svn",
    ".arch-ids",
    "{arch}",
    "=RELEASE-ID",
    "=meta-update",
    "=update",
    ".bzr",
    ".bzrignore",
    ".bzrtags",
    ".hg",
    ".hgignore",
    ".hgtags",
    "_darcs",
];

fn hint(p: &mut Process) -> Result<Status> {
    p.write_error(b"Try 'tar --help' or 'tar --usage' for more information.\n")?;
    Ok(Status(2))
}

fn no_program(p: &mut Process, name: &str) -> Result<Status> {
    let text = format!(
        "tar (child): {name}: Cannot exec: No such file or directory\ntar (child): Error is not recoverable: exiting now\ntar: Child returned status 2\ntar: Error is not recoverable: exiting now\n"
    );
    p.write_error(text.as_bytes())?;
    Ok(Status(2))
}

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let args = p.args.get(1..).unwrap_or_default().to_vec();
    let events = match events(spec, &args) {
        Ok(e) => e,
        Err(UsageError(text)) => {
            p.error(format_args!("{text}"))?;
            hint(p)?;
            // What an option of the old form lacks is found out by tar, the rest by its options' parser.
            let old = text.starts_with("Old option") || text.ends_with("-- 'f'");
            return Ok(Status(if old { 2 } else { 64 }));
        }
    };
    let asks = |id: &str| events.iter().any(|e| matches!(e, Event::Option(f) if f.id == id));
    if asks("help") || asks("version") {
        let parsed = cli::parse(p, spec, Order::Permute, 2)?;
        return Ok(parsed.err().unwrap_or(Status::OK));
    }
    let users = Users::load(&p.files);
    let number = |t: &[u8]| std::str::from_utf8(t).ok().and_then(|t| t.parse::<u64>().ok());
    let mut c = Config {
        archive: p.env.get("TAPE").cloned().unwrap_or(Bytes::from_static(b"-")),
        gzip: false,
        level: 6,
        verbose: 0,
        to_stderr: false,
        record: 20 * 512,
        dereference: false,
        hard_dereference: false,
        excludes: Vec::new(),
        format: Format::Gnu,
        owner: None,
        group: None,
        mode: None,
        mtime: None,
        numeric: false,
        ignore_zeros: false,
        keep_old: false,
        keep_newer: false,
        skip_old: false,
        overwrite: false,
        no_mtime: false,
        preserve: false,
        to_stdout: false,
        absolute: false,
        recursion: true,
        remove_files: false,
        strip: 0,
        totals: false,
        transforms: Vec::new(),
        show_transformed: false,
        wildcards: false,
        zone: times::zone(p),
        full_time: false,
        one_top: None,
        directory: Bytes::new(),
        width: std::cell::Cell::new(19),
    };
    let mut operation = None;
    let mut names: Vec<Name> = Vec::new();
    let (mut auto, mut null, mut lists, mut one_top, mut old) = (false, false, false, None, false);
    // Exclusions behind all names of a new archive do nothing, which is an error.
    let last_name = events.iter().rposition(|e| matches!(e, Event::Operand(_)));
    let mut late: Vec<(Glob, String)> = Vec::new();
    for (i, e) in events.into_iter().enumerate() {
        let is_late = last_name.is_some_and(|n| i > n);
        let f = match e {
            Event::Operand(name) => {
                names.push(Name { name, directory: c.directory.clone() });
                continue;
            }
            Event::Option(f) => f,
        };
        let value = f.value.clone().unwrap_or_default();
        match f.id {
            "create" | "extract" | "get" | "list" | "append" | "update" | "diff" | "compare" => {
                let new = match f.id {
                    "get" => "extract",
                    "compare" => "diff",
                    id => id,
                };
                if operation.is_some_and(|o| o != new) {
                    p.error(format_args!(
                        "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option"
                    ))?;
                    return hint(p);
                }
                operation = Some(new);
            }
            "file" => c.archive = value,
            "directory" => {
                c.directory = if c.directory.is_empty() || value.starts_with(b"/") {
                    value
                } else {
                    join(&c.directory, &value)
                };
                match p.files.stat_cheap(&c.directory, true) {
                    Ok((s, _)) if s.is_dir() => {}
                    other => {
                        let e = other.err().unwrap_or(sandshell_kernel::Errno::ENOTDIR.into());
                        let dir = c.directory.clone();
                        c.fatal(p, &dir, "Cannot open", e)?;
                        return Ok(Status(2));
                    }
                }
            }
            "verbose" => c.verbose = c.verbose.saturating_add(1),
            "gzip" | "gunzip" | "ungzip" => c.gzip = true,
            "bzip2" | "xz" | "zstd" => return no_program(p, f.id),
            "auto-compress" => auto = true,
            "blocking-factor" => match number(&value).filter(|n| (1..=1 << 20).contains(n)) {
                Some(n) => c.record = n * 512,
                None => {
                    p.error(format_args!("Invalid blocking factor"))?;
                    return hint(p);
                }
            },
            "dereference" => c.dereference = true,
            "hard-dereference" => c.hard_dereference = true,
            "exclude" if is_late => {
                let text = format!("--exclude {}", quote::value(&value));
                late.push((Glob::new(&value, GlobFlags::default()), text));
            }
            "exclude" => c.excludes.push(Glob::new(&value, GlobFlags::default())),
            "exclude-vcs" if is_late => {
                let glob = |v: &&str| Glob::new(v.as_bytes(), GlobFlags::default());
                late.extend(VCS.iter().map(|v| (glob(v), "--exclude-vcs".to_owned())));
            }
            "exclude-vcs" => {
                c.excludes.extend(VCS.iter().map(|v| Glob::new(v.as_bytes(), GlobFlags::default())))
            }
            "exclude-from" | "files-from" => {
                let text = if value == "-" { p.stdin.read_all() } else { p.files.read(&value) };
                let text = match text {
                    Ok(t) => t,
                    Err(e) => {
                        let what = if f.id == "files-from" { "Cannot stat" } else { "Cannot open" };
                        c.fatal(p, &value, what, e)?;
                        return Ok(Status(2));
                    }
                };
                let end = if null && f.id == "files-from" { 0 } else { b'\n' };
                for line in text.split(|&b| b == end).filter(|l| !l.is_empty()) {
                    if f.id == "exclude-from" && is_late {
                        let text = format!("--exclude-from {}", quote::value(&value));
                        late.push((Glob::new(line, GlobFlags::default()), text));
                    } else if f.id == "exclude-from" {
                        c.excludes.push(Glob::new(line, GlobFlags::default()));
                    } else {
                        names.push(Name { name: text.slice_ref(line), directory: c.directory.clone() });
                    }
                }
                lists |= f.id == "files-from";
            }
            "format" | "H" => match FORMATS.iter().find(|(w, _)| w.as_bytes() == value) {
                Some((_, format)) => c.format = *format,
                None => {
                    p.error(format_args!("{}: Invalid archive format", String::from_utf8_lossy(&value)))?;
                    return hint(p);
                }
            },
            "posix" => c.format = Format::Pax,
            "old-archive" => c.format = Format::V7,
            "o" => old = true,
            "owner" | "group" => {
                let (name, id) = match memchr::memchr(b':', &value) {
                    Some(i) => (value.slice(..i), number(&value[i + 1..])),
                    None => (value.clone(), number(&value)),
                };
                let known = if f.id == "owner" {
                    users.user_named(&name).map(|u| u64::from(u.uid))
                } else {
                    users.gid_named(&name).map(u64::from)
                };
                let Some(id) = id.or(known) else {
                    let what = if f.id == "owner" { "user" } else { "group" };
                    p.error(format_args!("{}: Invalid {what}", String::from_utf8_lossy(&value)))?;
                    return hint(p);
                };
                let all_digits = number(&name).is_some();
                let found = match (f.id, all_digits) {
                    (_, false) => name,
                    ("owner", true) => users.user(id as u32).cloned().unwrap_or_default(),
                    (_, true) => users.group(id as u32).cloned().unwrap_or_default(),
                };
                let slot = if f.id == "owner" { &mut c.owner } else { &mut c.group };
                *slot = Some((found, id));
            }
            "mode" => match ModeChange::parse(&value) {
                Some(m) => c.mode = Some(m),
                None => {
                    p.error(format_args!("Invalid mode given on option"))?;
                    return hint(p);
                }
            },
            "mtime" => {
                let by_file = value.starts_with(b"/") || value.starts_with(b".");
                c.mtime = match by_file {
                    true => match p.files.stat_cheap(&value, true) {
                        Ok((s, _)) => Some(s.mtime),
                        Err(e) => {
                            c.fatal(p, &value, "Cannot stat", e)?;
                            return Ok(Status(2));
                        }
                    },
                    false => match date::parse(&value, times::moment(Time::now()), &c.zone) {
                        Some(m) => Some(times::time(m)),
                        None => {
                            let shown = quote::value(&value);
                            p.error(format_args!(
                                "Substituting -9223372036854775808 for unknown date format {shown}"
                            ))?;
                            Some(Time(0))
                        }
                    },
                };
            }
            "numeric-owner" => c.numeric = true,
            "ignore-zeros" => c.ignore_zeros = true,
            "keep-old-files" => c.keep_old = true,
            "keep-newer-files" => c.keep_newer = true,
            "skip-old-files" => c.skip_old = true,
            "overwrite" => c.overwrite = true,
            "touch" => c.no_mtime = true,
            "preserve-permissions" | "same-permissions" => c.preserve = true,
            "no-same-permissions" => c.preserve = false,
            "to-stdout" => c.to_stdout = true,
            "absolute-names" => c.absolute = true,
            "no-recursion" => c.recursion = false,
            "recursion" => c.recursion = true,
            "remove-files" => c.remove_files = true,
            // Directories are read in order anyway.
            "sort" if matches!(&value[..], b"none" | b"name" | b"inode") => {}
            "sort" => {
                p.error(format_args!("invalid argument {} for ‘--sort’", quote::value(&value)))?;
                p.write_error("Valid arguments are:\n  - ‘none’\n  - ‘name’\n  - ‘inode’\n".as_bytes())?;
                return hint(p);
            }
            "strip-components" => match number(&value) {
                Some(n) => c.strip = n.min(1 << 20) as usize,
                None => {
                    let shown = String::from_utf8_lossy(&value).into_owned();
                    p.error(format_args!("{shown}: Invalid number of elements"))?;
                    return hint(p);
                }
            },
            "null" => null = true,
            "totals" => c.totals = true,
            "transform" | "xform" => match Transform::parse(&value) {
                Some(t) => c.transforms.extend(t),
                None => {
                    p.error(format_args!("Invalid transform expression"))?;
                    return hint(p);
                }
            },
            "show-transformed-names" => c.show_transformed = true,
            "wildcards" => c.wildcards = true,
            "no-wildcards" => c.wildcards = false,
            "utc" => c.zone = Zone::utc(),
            "full-time" => c.full_time = true,
            "one-top-level" => one_top = Some(f.value.clone()),
            _ => {}
        }
    }
    let Some(operation) = operation else {
        p.error(format_args!(
            "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options"
        ))?;
        return hint(p);
    };
    if old && operation == "create" {
        c.format = Format::V7;
    }
    if let Some(dir) = one_top {
        c.one_top = Some(dir.unwrap_or_else(|| {
            let base = crate::files::base(&c.archive);
            let cut = [&b".tar.gz"[..], b".tgz", b".tar", b".gz"].iter().find_map(|s| base.strip_suffix(*s));
            Bytes::copy_from_slice(cut.unwrap_or(base))
        }));
    }
    if auto && operation == "create" {
        let ends = |s: &[&str]| s.iter().any(|s| c.archive.ends_with(s.as_bytes()));
        if ends(&[".gz", ".tgz", ".taz"]) {
            c.gzip = true;
        }
        for (suffixes, program) in [
            (&[".bz2", ".tbz2", ".tbz"][..], "bzip2"),
            (&[".xz", ".txz"], "xz"),
            (&[".zst", ".tzst"], "zstd"),
        ] {
            if ends(suffixes) {
                return no_program(p, program);
            }
        }
    }
    let ok = match operation {
        "create" | "append" | "update" => {
            if names.is_empty() && operation == "create" && !lists {
                p.error(format_args!("Cowardly refusing to create an empty archive"))?;
                return hint(p);
            }
            c.to_stderr = c.archive == "-";
            if operation != "create" && c.gzip {
                p.error(format_args!("Cannot update compressed archives"))?;
                return hint(p);
            }
            let ok = match operation {
                "create" => create::create(p, &c, &names)?,
                _ => create::append(p, &c, &names, operation == "update")?,
            };
            late.dedup_by(|a, b| a.1 == b.1);
            if !late.is_empty() {
                p.error(format_args!("The following options were used after any non-optional arguments in archive create or update mode.  These options are positional and affect only arguments that follow them.  Please, rearrange them properly."))?;
            }
            for (_, text) in &late {
                p.error(format_args!("{text} has no effect"))?;
            }
            ok && late.is_empty()
        }
        other => {
            c.excludes.extend(late.into_iter().map(|(glob, _)| glob));
            let task = match other {
                "list" => Task::List,
                "diff" => Task::Diff,
                _ => Task::Extract,
            };
            return Ok(Status(extract::run(p, &c, &names, task)?));
        }
    };
    if !ok {
        p.error(format_args!("Exiting with failure status due to previous errors"))?;
        return Ok(Status(2));
    }
    Ok(Status::OK)
}

impl Config {
    /// A name as messages and lists show it.
    fn shown(&self, name: &[u8]) -> String {
        let mut out = Vec::new();
        quoting::name(name, quoting::Style::Escape, b"", false, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// `tar: NAME: WHAT: strerror`
    fn complain(&self, p: &mut Process, name: &[u8], what: &str, e: Error) -> Result<()> {
        let shown = self.shown(name);
        p.complain(format_args!("{shown}: {what}"), e)
    }

    /// Says what ends the program. Always false.
    fn fatal(&self, p: &mut Process, name: &[u8], what: &str, e: Error) -> Result<bool> {
        self.complain(p, name, what, e)?;
        p.error(format_args!("Error is not recoverable: exiting now"))?;
        Ok(false)
    }

    /// Whether an exclusion matches the name, a part of it that begins behind a slash, or a directory above.
    fn excluded(&self, name: &[u8]) -> bool {
        if self.excludes.is_empty() {
            return false;
        }
        let name = crate::files::trim_slashes(name);
        let slashes: Vec<usize> = memchr::memchr_iter(b'/', name).collect();
        let starts = std::iter::once(0).chain(slashes.iter().map(|i| i + 1));
        for from in starts {
            let ends = slashes.iter().copied().filter(|i| *i > from).chain([name.len()]);
            for to in ends {
                if self.excludes.iter().any(|g| g.matches(&name[from..to])) {
                    return true;
                }
            }
        }
        false
    }

    fn transform(&self, name: &[u8]) -> Vec<u8> {
        let mut name = name.to_vec();
        for t in &self.transforms {
            name = t.apply(&name);
        }
        name
    }

    /// Names a member while it is dealt with, when that is wanted.
    fn tell(&self, p: &mut Process, h: &Header, name: &[u8]) -> Result<()> {
        if self.verbose == 0 {
            return Ok(());
        }
        let line = if self.verbose > 1 {
            self.long(h, name)
        } else {
            format!("{}\n", self.shown(name)).into_bytes()
        };
        if self.to_stderr { p.write_error(&line) } else { p.stdout.put(&line) }
    }

    /// A line of `-t`.
    fn list(&self, p: &mut Process, h: &Header, name: &[u8]) -> Result<()> {
        let line = if self.verbose > 0 {
            self.long(h, name)
        } else {
            format!("{}\n", self.shown(name)).into_bytes()
        };
        p.stdout.put(&line)
    }

    fn long(&self, h: &Header, name: &[u8]) -> Vec<u8> {
        let kind = match h.kind {
            b'1' => b'h',
            b'2' => b'l',
            b'3' => b'c',
            b'4' => b'b',
            b'5' => b'd',
            b'6' => b'p',
            b'7' => b'C',
            _ => b'-',
        };
        let id = |name: &[u8], id: u64| match name.is_empty() || self.numeric {
            true => id.to_string(),
            false => String::from_utf8_lossy(name).into_owned(),
        };
        let (user, group) = (id(&h.uname, h.uid), id(&h.gname, h.gid));
        let size = match h.kind {
            b'3' | b'4' => format!("{},{}", h.major, h.minor),
            _ => h.size.to_string(),
        };
        let pad = user.len() + 1 + group.len() + 1 + size.len();
        let width = self.width.get().max(pad);
        self.width.set(width);
        let mut line = vec![kind];
        line.extend(mode::letters(h.mode));
        let wide = width - pad + size.len();
        line.extend_from_slice(format!(" {user}/{group} {size:>wide$} ").as_bytes());
        let format: &[u8] = if self.full_time { b"%Y-%m-%d %H:%M:%S" } else { b"%Y-%m-%d %H:%M " };
        times::strftime(format, h.mtime, &self.zone, &mut line);
        line.extend_from_slice(self.shown(name).as_bytes());
        match h.kind {
            b'1' => line.extend_from_slice(format!(" link to {}", self.shown(&h.link)).as_bytes()),
            b'2' => line.extend_from_slice(format!(" -> {}", self.shown(&h.link)).as_bytes()),
            _ => {}
        }
        line.push(b'\n');
        line
    }
}

/// A name in two parts: what would lead out of the directory (`/`, `../`), and the rest.
fn safer(name: &[u8]) -> (&[u8], &[u8]) {
    let mut from = 0;
    let mut at = 0;
    for part in name.split(|&b| b == b'/') {
        let end = at + part.len();
        if part == b".." {
            from = end;
        }
        at = end + 1;
    }
    from += name[from..].iter().take_while(|&&b| b == b'/').count();
    name.split_at(from)
}

impl Transform {
    /// One or more expressions of sed's `s`, with `;` between them.
    fn parse(text: &[u8]) -> Option<Vec<Transform>> {
        use sandshell_text::regex::{Flags, Regex, Syntax};
        let mut all = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (&s, tail) = rest.split_first()?;
            if s == b';' || s == b' ' {
                rest = tail;
                continue;
            }
            let (&delimiter, mut tail) = tail.split_first().filter(|_| s == b's')?;
            let mut parts = [Vec::new(), Vec::new()];
            for part in &mut parts {
                loop {
                    match tail {
                        [b'\\', c, more @ ..] => {
                            if *c != delimiter {
                                part.push(b'\\');
                            }
                            part.push(*c);
                            tail = more;
                        }
                        [c, more @ ..] => {
                            tail = more;
                            if *c == delimiter {
                                break;
                            }
                            part.push(*c);
                        }
                        [] => return None,
                    }
                }
            }
            let end = tail.iter().position(|&b| b == b';').unwrap_or(tail.len());
            let flags = &tail[..end];
            if flags.iter().any(|b| !b"gixrRsShH".contains(b)) {
                return None;
            }
            rest = &tail[end..];
            let syntax = if flags.contains(&b'x') { Syntax::SedEre } else { Syntax::SedBre };
            let flag = Flags::default().icase(flags.contains(&b'i'));
            let [pattern, replacement] = parts;
            let regex = Regex::new(&pattern, syntax, flag).ok()?;
            all.push(Transform { regex, replacement, all: flags.contains(&b'g') });
        }
        Some(all)
    }

    fn apply(&self, name: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(name.len());
        let mut captures = sandshell_text::regex::Captures::new();
        let mut at = 0;
        while at <= name.len() && self.regex.captures_at(name, at, &mut captures) {
            let Some((from, to)) = captures.get(0) else { break };
            out.extend_from_slice(&name[at..from]);
            let mut text = self.replacement.iter();
            while let Some(&b) = text.next() {
                let group = match b {
                    b'&' => Some(0),
                    b'\\' => match text.next() {
                        Some(d) if d.is_ascii_digit() => Some(usize::from(d - b'0')),
                        Some(&c) => {
                            out.push(c);
                            None
                        }
                        None => None,
                    },
                    b => {
                        out.push(b);
                        None
                    }
                };
                if let Some((a, z)) = group.and_then(|g| captures.get(g)) {
                    out.extend_from_slice(&name[a..z]);
                }
            }
            at = to;
            if from == to {
                out.extend(name.get(at));
                at += 1;
            }
            if !self.all {
                break;
            }
        }
        out.extend_from_slice(name.get(at..).unwrap_or_default());
        out
    }
}
