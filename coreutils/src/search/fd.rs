//! `fd`, as fd 8.6 when it does not write to a terminal. Entries come sorted by path.

use super::{
    find::replace,
    rg::{
        Pattern, PatternOptions,
        ignore::{Ignore, Overrides, Rules, Sources, Types},
    },
    walk::Filter,
};
use sandshell_kernel::{Bytes, Error, FileKind, Process, Program, Result, Status, Time, vfs::Permission};
use sandshell_text::{
    date::{self, Moment, Zone},
    options::{self as opts, Example, Opt, Order, Spec},
};

/// `fd`
pub struct Fd;

static SPEC: Spec = Spec {
    name: "fd",
    about: "A program to find entries in your filesystem.",
    synopsis: &["[OPTIONS] [pattern] [path]..."],
    options: &[
        Opt::new('H', "hidden", "Search hidden files and directories"),
        Opt::long("no-hidden", ""),
        Opt::new('I', "no-ignore", "Do not respect .(git|fd)ignore files"),
        Opt::long("ignore", ""),
        Opt::long("no-ignore-vcs", "Do not respect .gitignore files"),
        Opt::long("no-ignore-parent", "Do not respect ignore files in parent directories"),
        Opt::new('u', "unrestricted", "Unrestricted search, alias for '--no-ignore --hidden'"),
        Opt::new('s', "case-sensitive", "Case-sensitive search (default: smart case)"),
        Opt::new('i', "ignore-case", "Case-insensitive search (default: smart case)"),
        Opt::new('g', "glob", "Glob-based search (default: regular expression)"),
        Opt::long("regex", "Regular-expression based search (default)"),
        Opt::new('F', "fixed-strings", "Treat pattern as literal string instead of regex"),
        Opt::new('a', "absolute-path", "Show absolute instead of relative paths"),
        Opt::new('l', "list-details", "Use a long listing format with file metadata"),
        Opt::new('L', "follow", "Follow symbolic links"),
        Opt::new('p', "full-path", "Search full abs. path (default: filename only)"),
        Opt::new('0', "print0", "Separate search results by the null character"),
        Opt::new('d', "max-depth", "Set maximum search depth (default: none)").value("depth"),
        Opt::long("maxdepth", "").value("depth"),
        Opt::long("min-depth", "Only show search results starting at the given depth").value("depth"),
        Opt::long("exact-depth", "Only show search results at the exact given depth").value("depth"),
        Opt::new('E', "exclude", "Exclude entries that match the given glob pattern").value("pattern"),
        Opt::new('t', "type", "Filter by type: file (f), directory (d), symlink (l), executable (x), empty (e), socket (s), pipe (p)").value("filetype"),
        Opt::new('e', "extension", "Filter by file extension").value("ext"),
        Opt::new('S', "size", "Limit results based on the size of files").value("size"),
        Opt::long("changed-within", "Filter by file modification time (newer than)").value("date|dur"),
        Opt::long("change-newer-than", "").value("date|dur"),
        Opt::long("newer", "").value("date|dur"),
        Opt::long("changed-before", "Filter by file modification time (older than)").value("date|dur"),
        Opt::long("older", "").value("date|dur"),
        Opt::new('x', "exec", "Execute a command for each search result").value("cmd"),
        Opt::new('X', "exec-batch", "Execute a command with all search results at once").value("cmd"),
        Opt::long("ignore-file", "Add a custom ignore-file in '.gitignore' format").value("path"),
        Opt::new('c', "color", "When to use colors: auto, never").value("when"),
        Opt::new('j', "threads", "Set number of threads").value("num"),
        Opt::long("max-results", "Limit the number of search results").value("count"),
        Opt::new('1', "max-one-result", "Limit the search to a single result"),
        Opt::new('q', "quiet", "Print nothing, exit code 0 if match found, 1 otherwise"),
        Opt::long("has-results", ""),
        Opt::long("show-errors", "Show filesystem errors"),
        Opt::long("base-directory", "Change current working directory").value("path"),
        Opt::long("search-path", "Provide paths to search as an alternative to the positional arguments").value("path"),
        Opt::long("strip-cwd-prefix", "Strip './' prefix from -0/--print0 output"),
        Opt::long("one-file-system", "Do not descend into a different file system"),
        Opt::new('h', "short-help", ""),
        Opt::short('V', ""),
    ],
    notes: "Hidden entries and those named by .gitignore, .ignore and .fdignore are left out; see -H, -I and -u.",
    version: "fd 8.6.0",
    examples: &[Example {
        script: "mkdir -p d/e; touch d/a.txt d/e/b.txt d/c.rs; fd -e txt . d",
        output: "d/a.txt\nd/e/b.txt\n",
    }],
};

#[derive(Default)]
struct Config {
    pattern: Option<Pattern>,
    full_path: bool,
    absolute: bool,
    null: bool,
    strip: bool,
    min_depth: usize,
    max_depth: Option<usize>,
    kinds: Vec<u8>,
    extensions: Vec<String>,
    sizes: Vec<(u8, u64)>,
    newer: Option<Time>,
    older: Option<Time>,
    each: Option<Vec<Bytes>>,
    batch: Option<Vec<Bytes>>,
    max_results: usize,
    quiet: bool,
    follow: bool,
    show_errors: bool,
}

/// A message that ends the run.
enum Trouble {
    /// `[fd error]: …`, status 1.
    Error(String),
    /// clap's `error: …`, status 2.
    Usage(String),
}

fn number(id: &str, text: &str) -> Result<usize, Trouble> {
    text.parse().map_err(|_| {
        Trouble::Usage(format!("Invalid value '{text}' for '--{id} <{id}>': invalid digit found in string"))
    })
}

/// `+10k`, `-2Mi`, `5b`: the sign (0 for none) and the bytes.
fn size(text: &str) -> Option<(u8, u64)> {
    let (sign, rest) = match text.as_bytes().first()? {
        s @ (b'+' | b'-') => (*s, &text[1..]),
        _ => (0, text),
    };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let n: u64 = rest[..end].parse().ok()?;
    let unit = rest[end..].to_ascii_lowercase();
    let factor: u64 = match unit.trim_end_matches('b') {
        "" => 1,
        "k" => 1000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        "ki" => 1 << 10,
        "mi" => 1 << 20,
        "gi" => 1 << 30,
        "ti" => 1 << 40,
        _ => return None,
    };
    Some((sign, n.saturating_mul(factor)))
}

/// A duration back from now (`2d`, `1h 30min`), or a date.
fn moment(text: &str, zone: &Zone) -> Option<Time> {
    let now = Moment::now();
    let back = || {
        let mut total = 0i64;
        let mut rest = text.trim();
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            let n: i64 = rest[..end].parse().ok()?;
            let unit_end =
                rest[end..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |i| end + i);
            let seconds = match &rest[end..unit_end] {
                "s" | "sec" | "secs" | "second" | "seconds" => 1,
                "m" | "min" | "mins" | "minute" | "minutes" => 60,
                "h" | "hr" | "hrs" | "hour" | "hours" => 3600,
                "d" | "day" | "days" => 86_400,
                "w" | "week" | "weeks" => 604_800,
                "M" | "month" | "months" => 2_630_016,
                "y" | "year" | "years" => 31_557_600,
                _ => return None,
            };
            total = total.checked_add(n.checked_mul(seconds)?)?;
            rest = rest[unit_end..].trim_start();
        }
        Some(Moment { seconds: now.seconds.checked_sub(total)?, nanos: now.nanos })
    };
    let at = back().or_else(|| date::parse(text.as_bytes(), now, zone))?;
    Some(Time(i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos)))
}

/// `-x` and `-X` take the words behind them, up to a `;` or the end.
fn take_command(args: &mut Vec<Bytes>) -> (Option<Vec<Bytes>>, Option<Vec<Bytes>>) {
    let at = args.iter().position(|a| {
        matches!(&a[..], b"-x" | b"-X" | b"--exec" | b"--exec-batch")
            || a.len() > 2
                && a.starts_with(b"-")
                && !a.starts_with(b"--")
                && matches!(a.last(), Some(b'x' | b'X'))
                && a[1..a.len() - 1].iter().all(|b| b"HIusigFaLp0".contains(b))
    });
    let Some(at) = at else { return (None, None) };
    let end = args[at..].iter().position(|a| a == ";").map_or(args.len(), |n| at + n);
    let words: Vec<Bytes> = args[at + 1..end].to_vec();
    let flag = args[at].clone();
    args.drain(at..args.len().min(end + 1));
    // Other letters of the same bundle stay.
    if flag.len() > 2 && !flag.starts_with(b"--") {
        args.insert(at, flag.slice(..flag.len() - 1));
    }
    match flag.ends_with(b"X") || flag.ends_with(b"batch") {
        true => (None, Some(words)),
        false => (Some(words), None),
    }
}

impl Program for Fd {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        match run(process)? {
            Ok(status) => Ok(status),
            Err(Trouble::Error(text)) => {
                process.write_error(format!("[fd error]: {text}\n").as_bytes())?;
                Ok(Status::FAILURE)
            }
            Err(Trouble::Usage(text)) => {
                process.write_error(format!("error: {text}\n\nUsage: fd [OPTIONS] [pattern] [path]...\n\nFor more information try '--help'\n").as_bytes())?;
                Ok(Status::USAGE)
            }
        }
    }
}

fn run(process: &mut Process) -> Result<Result<Status, Trouble>> {
    macro_rules! ok {
        ($e:expr) => {
            match $e {
                Ok(v) => v,
                Err(t) => return Ok(Err(t)),
            }
        };
    }
    let mut args = process.args.get(1..).unwrap_or_default().to_vec();
    let (each, batch) = take_command(&mut args);
    let parsed = match opts::parse(&SPEC, &args, Order::Permute) {
        Ok(parsed) => parsed,
        Err(e) => {
            let quoted = e.0.split('\'').nth(1).unwrap_or("").to_owned();
            let flag = if e.0.starts_with("invalid option") { format!("-{quoted}") } else { quoted };
            return Ok(Err(Trouble::Usage(format!(
                "Found argument '{flag}' which wasn't expected, or isn't valid in this context\n\n  If you tried to supply '{flag}' as a value rather than a flag, use '-- {flag}'"
            ))));
        }
    };
    if parsed.has("help") || parsed.has("short-help") {
        process.stdout.put(SPEC.help().as_bytes())?;
        return Ok(Ok(Status::OK));
    }
    if parsed.has("version") || parsed.has("V") {
        process.stdout.line(SPEC.version.as_bytes())?;
        return Ok(Ok(Status::OK));
    }
    let zone = Zone::named(process.env.get("TZ").map(|v| &v[..]));
    let mut c = Config { each, batch, max_results: usize::MAX, ..Config::default() };
    let mut sources = Sources {
        dot: true,
        vcs: true,
        exclude: true,
        parents: true,
        require_git: true,
        hidden: true,
        fold: false,
        own: Some(".fdignore"),
    };
    let mut p = PatternOptions { smart_case: true, multiline: true, ..PatternOptions::default() };
    let (mut glob, mut one_device) = (false, false);
    let (mut excludes, mut paths, mut ignore_files) = (Vec::new(), Vec::new(), Vec::new());
    for found in &parsed.options {
        let raw = found.value.clone().unwrap_or_default();
        let value = String::from_utf8_lossy(&raw).into_owned();
        match found.id {
            "hidden" => sources.hidden = false,
            "no-hidden" => sources.hidden = true,
            "no-ignore" => (sources.dot, sources.vcs, sources.exclude, sources.own) = (false, false, false, None),
            "ignore" => (sources.dot, sources.vcs, sources.exclude, sources.own) = (true, true, true, Some(".fdignore")),
            "no-ignore-vcs" => (sources.vcs, sources.exclude) = (false, false),
            "no-ignore-parent" => sources.parents = false,
            "unrestricted" => {
                (sources.dot, sources.vcs, sources.exclude, sources.own) = (false, false, false, None);
                sources.hidden = false;
            }
            "case-sensitive" => (p.smart_case, p.ignore_case) = (false, false),
            "ignore-case" => (p.smart_case, p.ignore_case) = (false, true),
            "glob" => glob = true,
            "regex" => (glob, p.fixed) = (false, false),
            "fixed-strings" => p.fixed = true,
            "absolute-path" => c.absolute = true,
            "list-details" => {
                let words: [&[u8]; 5] = [b"ls", b"-l", b"-h", b"-d", b"--color=never"];
                c.batch = Some(words.into_iter().map(Bytes::from_static).collect());
            }
            "follow" => c.follow = true,
            "full-path" => c.full_path = true,
            "print0" => c.null = true,
            "max-depth" | "maxdepth" => c.max_depth = Some(ok!(number("max-depth", &value))),
            "min-depth" => c.min_depth = ok!(number("min-depth", &value)),
            "exact-depth" => {
                let n = ok!(number("exact-depth", &value));
                (c.min_depth, c.max_depth) = (n, Some(n));
            }
            "exclude" => excludes.push((format!("!{value}"), false)),
            "type" => c.kinds.push(match &value[..] {
                "f" | "file" => b'f',
                "d" | "directory" => b'd',
                "l" | "symlink" => b'l',
                "x" | "executable" => b'x',
                "e" | "empty" => b'e',
                "s" | "socket" => b's',
                "p" | "pipe" => b'p',
                _ => {
                    let text = format!("error: '{value}' isn't a valid value for '--type <filetype>'\n  [possible values: file, directory, symlink, executable, empty, socket, pipe]\n\nFor more information try '--help'\n");
                    process.write_error(text.as_bytes())?;
                    return Ok(Ok(Status::USAGE));
                }
            }),
            "extension" => c.extensions.push(value.trim_start_matches('.').to_lowercase()),
            "size" => match size(&value) {
                Some(s) => c.sizes.push(s),
                None => return Ok(Err(Trouble::Error(format!("'{value}' is not a valid size constraint. See 'fd --help'.")))),
            },
            id @ ("changed-within" | "change-newer-than" | "newer" | "changed-before" | "older") => {
                let Some(at) = moment(&value, &zone) else {
                    return Ok(Err(Trouble::Error(format!("'{value}' is not a valid date or duration. See 'fd --help'."))));
                };
                match id {
                    "changed-before" | "older" => c.older = Some(at),
                    _ => c.newer = Some(at),
                }
            }
            "ignore-file" => {
                if let Ok(text) = process.files.read(&raw) {
                    ignore_files.push(text);
                }
            }
            "color" => match &value[..] {
                "auto" | "never" => {}
                "always" => return Ok(Err(Trouble::Error("colors are not supported".into()))),
                _ => return Ok(Err(Trouble::Usage(format!("'{value}' isn't a valid value for '--color <when>'")))),
            },
            "threads" => drop(ok!(number("threads", &value))),
            "max-results" => c.max_results = ok!(number("max-results", &value)),
            "max-one-result" => c.max_results = 1,
            "quiet" | "has-results" => c.quiet = true,
            "show-errors" => c.show_errors = true,
            "base-directory" if process.files.set_cwd(&raw).is_err() => {
                return Ok(Err(Trouble::Error(format!("The '--base-directory' path '{value}' is not a directory."))));
            }
            "search-path" => paths.push(raw),
            "strip-cwd-prefix" => c.strip = true,
            "one-file-system" => one_device = true,
            _ => {}
        }
    }
    let mut operands = parsed.operands;
    let pattern = if operands.is_empty() { Bytes::new() } else { operands.remove(0) };
    paths.append(&mut operands);
    let mut text = String::from_utf8_lossy(&pattern).into_owned();
    if !c.full_path
        && text.contains('/')
        && process.files.stat_cheap(&pattern, true).is_ok_and(|(s, _)| s.is_dir())
    {
        return Ok(Err(Trouble::Error(format!(
            "The search pattern '{text}' contains a path-separation character ('/') and will not lead to any search results.\n\nIf you want to search for all files inside the '{text}' directory, use a match-all pattern:\n\n  fd . '{text}'\n\nInstead, if you want your pattern to match the full file path, use:\n\n  fd --full-path '{text}'"
        ))));
    }
    if glob && !text.is_empty() {
        text = match globset::GlobBuilder::new(&text).literal_separator(true).build() {
            Ok(g) => g.regex().to_owned(),
            Err(e) => return Ok(Err(Trouble::Error(e.to_string()))),
        };
    }
    if !text.is_empty() {
        c.pattern = match Pattern::new(&[text], p) {
            Ok(p) => Some(p),
            Err(e) => {
                return Ok(Err(Trouble::Error(format!(
                    "{e}\n\nNote: You can use the '--fixed-strings' option to search for a literal string instead of a regular expression. Alternatively, you can also use the '--glob' option to match on a glob pattern."
                ))));
            }
        };
    }
    let cwd = process.files.cwd().clone();
    let overrides = match Overrides::new(&excludes, &cwd) {
        Ok(o) => o,
        Err(e) => return Ok(Err(Trouble::Error(e))),
    };
    let explicit: Vec<Rules> = ignore_files.iter().filter_map(|t| Rules::parse(t, &cwd, false)).collect();
    let types = Types::default();
    let implied = paths.is_empty();
    if implied {
        paths.push(Bytes::from_static(b"."));
    }
    let mut valid = Vec::new();
    for path in paths {
        match process.files.stat_cheap(&path, true) {
            Ok((s, _)) if s.is_dir() => valid.push(path),
            _ => {
                let text = format!(
                    "[fd error]: Search path '{}' is not a directory.\n",
                    String::from_utf8_lossy(&path)
                );
                process.write_error(text.as_bytes())?;
            }
        }
    }
    if valid.is_empty() {
        return Ok(Err(Trouble::Error("No valid search paths given.".into())));
    }
    let mut search = Search { process, config: &c, implied, found: Vec::new(), results: 0, status: 0 };
    for path in valid {
        let files = search.process.files.clone();
        let limits = (None, None, one_device);
        let mut ignore = Ignore::new(&files, &path, sources, &overrides, &types, &explicit, limits);
        let mut at = path.to_vec();
        search.directory(&mut at, 1, &mut ignore)?;
        if search.results >= c.max_results {
            break;
        }
    }
    search.finish().map(Ok)
}

struct Search<'p> {
    process: &'p mut Process,
    config: &'p Config,
    implied: bool,
    found: Vec<Bytes>,
    results: usize,
    status: u8,
}

impl Search<'_> {
    fn directory(&mut self, path: &mut Vec<u8>, depth: usize, ignore: &mut Ignore<'_>) -> Result<()> {
        if self.config.max_depth.is_some_and(|max| depth > max) || depth > 2000 {
            return Ok(());
        }
        let files = self.process.files.clone();
        let entries = match files.read_dir(path) {
            Ok(entries) => entries,
            Err(e @ Error::Os(_)) => {
                if self.config.show_errors {
                    let text = format!("[fd error]: {}: {e}\n", String::from_utf8_lossy(path));
                    self.process.write_error(text.as_bytes())?;
                }
                self.status = 1;
                Vec::new()
            }
            Err(stop) => return Err(stop),
        };
        for note in files.take_notes() {
            self.status = 1;
            self.process.write_error(format!("[fd error]: {note}\n").as_bytes())?;
        }
        let len = path.len();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        let prefix = path.len();
        for entry in entries {
            self.process.budget.step()?;
            path.truncate(prefix);
            path.extend_from_slice(&entry.name);
            let mut kind = entry.kind;
            if kind == FileKind::Symlink && self.config.follow {
                kind = files.stat_cheap(path, true).map_or(kind, |(s, _)| s.kind);
            }
            let is_dir = kind == FileKind::Directory;
            let entered = if is_dir { ignore.enter(&files, path, &entry.name, depth) } else { false };
            if !entered && (is_dir || !ignore.accept(&files, path, &entry.name)) {
                continue;
            }
            if depth >= self.config.min_depth && self.wanted(path, &entry.name, kind)? {
                self.result(path, is_dir)?;
            }
            if entered {
                if self.results < self.config.max_results {
                    stacker::maybe_grow(64 << 10, 1 << 20, || self.directory(path, depth + 1, ignore))?;
                }
                ignore.leave();
            }
            if self.results >= self.config.max_results {
                break;
            }
        }
        path.truncate(len);
        Ok(())
    }

    fn wanted(&self, path: &[u8], name: &[u8], kind: FileKind) -> Result<bool> {
        let c = self.config;
        let files = &self.process.files;
        if let Some(p) = &c.pattern {
            let found = match c.full_path {
                true => p.find_at(&files.absolute(path), 0),
                false => p.find_at(name, 0),
            };
            if found.is_none() {
                return Ok(false);
            }
        }
        if !c.extensions.is_empty() {
            let name = String::from_utf8_lossy(name).to_lowercase();
            if !c
                .extensions
                .iter()
                .any(|e| name.strip_suffix(&e[..]).is_some_and(|s| s.ends_with('.') && s.len() > 1))
            {
                return Ok(false);
            }
        }
        if !c.kinds.is_empty() {
            let of = |k: &u8| match k {
                b'f' => kind == FileKind::File,
                b'd' => kind == FileKind::Directory,
                b'l' => kind == FileKind::Symlink,
                b'p' => kind == FileKind::Fifo,
                _ => false,
            };
            let plain: Vec<u8> = c.kinds.iter().copied().filter(|k| !b"xe".contains(k)).collect();
            if !plain.is_empty() && !plain.iter().any(of) {
                return Ok(false);
            }
            if c.kinds.contains(&b'x')
                && !(kind == FileKind::File && files.access(path, Permission::Execute).is_ok())
            {
                return Ok(false);
            }
            if c.kinds.contains(&b'e') {
                let empty = match kind {
                    FileKind::File => files.stat(path)?.size == 0,
                    FileKind::Directory => files.read_dir(path)?.is_empty(),
                    _ => false,
                };
                if !empty {
                    return Ok(false);
                }
            }
        }
        if !c.sizes.is_empty() {
            if kind != FileKind::File {
                return Ok(false);
            }
            let have = files.stat(path)?.size;
            let fits = |(sign, n): &(u8, u64)| match sign {
                b'+' => have >= *n,
                b'-' => have <= *n,
                _ => have == *n,
            };
            if !c.sizes.iter().all(fits) {
                return Ok(false);
            }
        }
        if c.newer.is_some() || c.older.is_some() {
            let (s, _) = files.stat_cheap(path, c.follow)?;
            if c.newer.is_some_and(|t| s.mtime < t) || c.older.is_some_and(|t| s.mtime > t) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn result(&mut self, path: &[u8], is_dir: bool) -> Result<()> {
        let c = self.config;
        self.results += 1;
        if c.quiet {
            self.results = usize::MAX;
            return Ok(());
        }
        let shown = match c.absolute {
            true => self.process.files.absolute(path),
            false => Bytes::copy_from_slice(path),
        };
        if c.each.is_some() || c.batch.is_some() {
            if c.batch.is_some() {
                self.found.push(shown);
                return Ok(());
            }
            let words = c.each.clone().unwrap_or_default();
            return self.execute(&words, &[shown]);
        }
        let keeps_prefix = c.null && !c.strip;
        let shown = match self.implied && !keeps_prefix {
            true => shown.strip_prefix(b"./").unwrap_or(&shown),
            false => &shown[..],
        };
        let out = &mut self.process.stdout;
        out.put(shown)?;
        if is_dir {
            out.byte(b'/')?;
        }
        out.byte(if c.null { 0 } else { b'\n' })
    }

    /// Runs a command with its placeholders filled; one that holds a placeholder is repeated for each path.
    fn execute(&mut self, words: &[Bytes], paths: &[Bytes]) -> Result<()> {
        const MARKS: [&[u8]; 5] = [b"{//}", b"{/.}", b"{/}", b"{.}", b"{}"];
        let holds = |w: &Bytes| MARKS.iter().any(|m| memchr::memmem::find(w, m).is_some());
        let mut words = words.to_vec();
        if !words.iter().any(holds) {
            words.push(Bytes::from_static(b"{}"));
        }
        let mut argv = Vec::new();
        for word in &words {
            if !holds(word) {
                argv.push(word.clone());
                continue;
            }
            for path in paths {
                let slash = path.iter().rposition(|&b| b == b'/');
                let base = slash.map_or(&path[..], |i| &path[i + 1..]);
                let parent = slash.map_or(&b"."[..], |i| &path[..i.max(1)]);
                let stem = |name: &[u8]| {
                    name.iter().rposition(|&b| b == b'.').filter(|i| *i > 0).unwrap_or(name.len())
                };
                let cut = path.len() - base.len() + stem(base);
                let bare = path[..cut].strip_prefix(b"./").unwrap_or(&path[..cut]);
                let values: [&[u8]; 5] = [parent, &base[..stem(base)], base, bare, path];
                let mut text = word.clone();
                for (mark, value) in MARKS.iter().zip(values) {
                    text = replace(&text, mark, value);
                }
                argv.push(text);
            }
        }
        let spawn = self.process.spawn(argv);
        match self.process.spawner().find(&spawn.argv[0], &spawn.env, &spawn.files) {
            Ok(_) => {}
            Err(Error::Os(_)) => {
                self.status = 1;
                let text = format!(
                    "[fd error]: Command not found: \"{}\"\n",
                    String::from_utf8_lossy(&spawn.argv[0])
                );
                return self.process.write_error(text.as_bytes());
            }
            Err(stop) => return Err(stop),
        }
        if !self.process.run(spawn)?.ok() {
            self.status = 1;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Status> {
        if self.config.quiet {
            return Ok(Status(u8::from(self.results == 0)));
        }
        if let Some(words) = &self.config.batch {
            let found = std::mem::take(&mut self.found);
            // As many at once as a command line may hold.
            let mut from = 0;
            while from < found.len() {
                let mut size = 0;
                let mut to = from;
                while to < found.len() && (to == from || size + found[to].len() < 128 << 10) {
                    size += found[to].len() + 1;
                    to += 1;
                }
                self.execute(words, &found[from..to])?;
                from = to;
            }
        }
        Ok(Status(self.status))
    }
}
