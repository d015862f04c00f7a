//! `rg`, as ripgrep 13 when it does not write to a terminal. Files come sorted by path.

pub mod ignore;
mod json;
mod options;
mod pattern;
mod print;
mod types;

pub use pattern::{Options as PatternOptions, Pattern};

use super::{
    scan::{Chunks, Matcher, Rules, Scan},
    walk::{Found, Walk},
};
use ignore::Ignore;
use json::Stats;
use options::{Config, Mode, Sort};
use print::{Counts, Printer};
use sandshell_kernel::{Bytes, Error, FileKind, Input, Process, Program, Result, Status, Time};
use sandshell_text::options::{self as opts, Example, Order, Spec};
use std::{collections::HashSet, time::Instant};

/// Bytes in which a NUL is looked for at once.
const BUFFER: usize = 64 << 10;

static SPEC: Spec = Spec {
    name: "rg",
    about: "Recursively search the current directory for lines matching a pattern.",
    synopsis: &[
        "[OPTIONS] PATTERN [PATH ...]",
        "[OPTIONS] -e PATTERN ... [PATH ...]",
        "[OPTIONS] -f PATTERNFILE ... [PATH ...]",
        "[OPTIONS] --files [PATH ...]",
        "[OPTIONS] --type-list",
    ],
    options: options::OPTIONS,
    notes: "Hidden files, binary files and files named by .gitignore, .ignore and .rgignore are left out; see -u.",
    version: "ripgrep 13.0.0",
    examples: &[Example {
        script: "mkdir d; echo 'one two' > d/a.txt; echo three > d/b.txt; rg -n two d",
        output: "d/a.txt:1:one two\n",
    }],
};

pub(super) const USAGE: &str = "\n\nUSAGE:\n    \n    rg [OPTIONS] PATTERN [PATH ...]\n    rg [OPTIONS] -e PATTERN ... [PATH ...]\n    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]\n    rg [OPTIONS] --files [PATH ...]\n    rg [OPTIONS] --type-list\n    command | rg [OPTIONS] PATTERN\n    rg [OPTIONS] --help\n    rg [OPTIONS] --version\n\nFor more information try --help\n";

fn missing_pattern() -> String {
    format!("error: The following required arguments were not provided:\n    <PATTERN>{USAGE}")
}

/// `rg`
pub struct Rg;

impl Program for Rg {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let args = process.args.get(1..).unwrap_or_default().to_vec();
        let parsed = match opts::parse(&SPEC, &args, Order::Permute) {
            Ok(parsed) => parsed,
            Err(e) => {
                let what = clap_words(&e.0);
                process.write_error(format!("error: {what}{USAGE}\n").as_bytes())?;
                return Ok(Status::USAGE);
            }
        };
        if parsed.has("help") || parsed.has("short-help") {
            process.stdout.put(SPEC.help().as_bytes())?;
            return Ok(Status::OK);
        }
        if parsed.has("version") || parsed.has("Version") {
            process.stdout.line(SPEC.version.as_bytes())?;
            return Ok(Status::OK);
        }
        let mut config = match options::configure(process, &parsed)? {
            Ok(config) => config,
            Err(text) => {
                process.write_error(format!("{text}\n").as_bytes())?;
                return Ok(Status::USAGE);
            }
        };
        if config.mode == Mode::Json && config.quiet {
            // Nothing is printed, so the status is all there is.
            config.mode = Mode::Lines;
        }
        if config.mode == Mode::TypeList {
            for (name, globs) in &config.all_types {
                let mut globs = globs.clone();
                globs.sort();
                process.stdout.text(format_args!("{name}: {}\n", globs.join(", ")))?;
            }
            return Ok(Status::OK);
        }
        if config.line_buffered {
            process.stdout.set_line_buffered(true);
        }
        Search {
            process,
            config: &config,
            stats: Stats::default(),
            began: Instant::now(),
            printed: false,
            failed: false,
            matched: false,
            met: false,
        }
        .run()
    }
}

/// getopt's message in the words of clap.
fn clap_words(text: &str) -> String {
    let quoted = text.split('\'').nth(1).unwrap_or("");
    if text.starts_with("invalid option") {
        format!("Found argument '-{quoted}' which wasn't expected, or isn't valid in this context")
    } else if text.starts_with("unrecognized option") {
        format!("Found argument '{quoted}' which wasn't expected, or isn't valid in this context")
    } else if text.contains("requires an argument") {
        let name = quoted.trim_start_matches('-');
        let is = |o: &&opts::Opt| {
            o.long == Some(name) || o.short.is_some_and(|s| name.len() == 1 && name.starts_with(s))
        };
        let name = match options::OPTIONS.iter().find(is) {
            Some(opts::Opt { long: Some(long), arg: opts::Arg::Required(value), .. }) => {
                let many = [
                    "regexp",
                    "file",
                    "glob",
                    "iglob",
                    "type",
                    "type-not",
                    "type-add",
                    "type-clear",
                    "ignore-file",
                ];
                format!("--{long} <{value}>{}", if many.contains(long) { "..." } else { "" })
            }
            _ => quoted.to_owned(),
        };
        format!("The argument '{name}' requires a value but none was supplied")
    } else {
        text.to_owned()
    }
}

struct Search<'p> {
    process: &'p mut Process,
    config: &'p Config,
    stats: Stats,
    began: Instant,
    /// Lines of some file were printed.
    printed: bool,
    failed: bool,
    matched: bool,
    /// Some file was let through by the rules.
    met: bool,
}

impl Search<'_> {
    fn run(mut self) -> Result<Status> {
        let config = self.config;
        let mut paths = config.paths.clone();
        let implied = paths.is_empty();
        if implied {
            let reads_stdin = config.mode != Mode::Files && self.stdin_is_readable();
            paths.push(Bytes::from_static(if reads_stdin { b"-" } else { b"." }));
        }
        let is_dir =
            |p: &Bytes| p != "-" && self.process.files.stat_cheap(p, true).is_ok_and(|(s, _)| s.is_dir());
        let many = paths.len() > 1 || paths.iter().any(is_dir);
        let names = config.with_name.unwrap_or(many);
        let mut timed = Vec::new();
        'all: for path in &paths {
            if path == "-" {
                let input = self.process.open_input(b"-")?;
                if self.input(input, b"<stdin>", names, true)? {
                    break;
                }
                continue;
            }
            let stat = match self.process.files.stat_cheap(path, true) {
                Ok((s, _)) => s,
                Err(e) => {
                    self.complain(path, e)?;
                    continue;
                }
            };
            if !stat.is_dir() {
                if config.sort != Sort::Path {
                    timed.push((path.clone(), true));
                } else if self.file(path, names, true)? {
                    break;
                }
                continue;
            }
            let files = self.process.files.clone();
            let candidates = self.narrow(path)?;
            let limits = (config.max_depth, config.max_size, config.one_device);
            let filter = Ignore::new(
                &files,
                path,
                config.sources,
                &config.overrides,
                &config.types,
                &config.ignore_files,
                limits,
            );
            if config.max_depth == Some(0) {
                continue;
            }
            let mut found = Vec::new();
            let mut walk = Walk::new(&files, path, config.follow, implied, filter, &mut found)?;
            loop {
                for f in found {
                    self.met |= matches!(f, Found::File(_));
                    match f {
                        Found::File(p)
                            if candidates.as_ref().is_some_and(|c| !c.contains(&files.absolute(&p))) => {}
                        Found::File(p) if config.sort != Sort::Path || config.descending => {
                            timed.push((p, false))
                        }
                        Found::File(p) => {
                            if self.file(&p, names, false)? {
                                break 'all;
                            }
                        }
                        Found::Failed(p, e) => self.complain(&p, e)?,
                        Found::Note(text) => {
                            self.failed = true;
                            self.process.write_error(format!("rg: {text}\n").as_bytes())?;
                        }
                    }
                }
                found = walk.next_batch()?;
                if found.is_empty() {
                    break;
                }
            }
        }
        self.sorted(timed, names)?;
        if implied && paths[0] == "." && !self.met && config.mode != Mode::Files && !config.silent {
            self.failed = true;
            self.process.write_error(b"No files were searched, which means ripgrep probably applied a filter you didn't expect.\nRunning with --debug will show why files are being skipped.\n")?;
        }
        self.finish()
    }

    /// Searches files in the order of their times, or of their paths backwards.
    fn sorted(&mut self, mut all: Vec<(Bytes, bool)>, names: bool) -> Result<()> {
        let sort = self.config.sort;
        let files = &self.process.files;
        let time = |p: &Bytes| {
            files.stat_cheap(p, true).map_or(Time(0), |(s, _)| match sort {
                Sort::Accessed => s.atime,
                Sort::Created => s.btime,
                _ => s.mtime,
            })
        };
        match sort {
            Sort::Path => all.sort(),
            _ => all.sort_by_cached_key(|(p, _)| time(p)),
        }
        if self.config.descending {
            all.reverse();
        }
        for (path, explicit) in all {
            if self.file(&path, names, explicit)? {
                break;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Status> {
        let total = self.began.elapsed();
        if self.config.mode == Mode::Json {
            json::summary(&mut self.process.stdout, total, total, &self.stats)?;
        } else if self.config.stats {
            let s = &self.stats;
            self.process.stdout.text(format_args!(
                "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n{} bytes searched\n{:.6} seconds spent searching\n{:.6} seconds\n",
                s.counts.matches, s.counts.lines, s.with_match, s.searches, s.bytes_printed, s.bytes_searched,
                total.as_secs_f64(), total.as_secs_f64()
            ))?;
        }
        Ok(Status(match (self.matched, self.failed) {
            (true, true) if self.config.quiet => 0,
            (_, true) => 2,
            (true, _) => 0,
            _ => 1,
        }))
    }

    /// A pipe or a file; an empty text that nobody gave is none.
    fn stdin_is_readable(&self) -> bool {
        match self.process.stdin.fd().stat(&self.process.budget) {
            Ok(s) => s.kind == FileKind::Fifo || s.kind == FileKind::File && (s.size > 0 || s.ino != 0),
            Err(_) => false,
        }
    }

    fn complain(&mut self, path: &[u8], e: Error) -> Result<()> {
        let Error::Os(errno) = e else { return Err(e) };
        self.failed = true;
        if self.config.silent {
            return Ok(());
        }
        let shown = String::from_utf8_lossy(path);
        // A sorted search walks with other words for its errors.
        let context =
            if self.config.sorts { format!("IO error for operation on {shown}: ") } else { String::new() };
        let text = format!("{shown}: {context}{errno} (os error {})\n", errno as i32);
        self.process.write_error(text.as_bytes())
    }

    /// What a mount's own search can leave out: only where files without a match leave no trace.
    fn narrow(&mut self, dir: &[u8]) -> Result<Option<HashSet<Bytes>>> {
        let c = self.config;
        let traceless = !c.invert
            && !c.passthru
            && !c.include_zero
            && !c.stats
            && matches!(c.mode, Mode::Lines | Mode::FilesWith | Mode::Count | Mode::CountMatches);
        match &c.pattern {
            Some(p) if traceless && !c.follow && !p.required.is_empty() && !p.required.contains(&b'\n') => {
                match self.process.files.candidates(dir, &p.required) {
                    Err(Error::Os(_)) => Ok(None),
                    other => other,
                }
            }
            _ => Ok(None),
        }
    }

    /// Searches a file; true when nothing more is wanted.
    fn file(&mut self, path: &Bytes, names: bool, explicit: bool) -> Result<bool> {
        if self.config.mode == Mode::Files {
            self.matched = true;
            if self.config.quiet {
                return Ok(true);
            }
            self.process.stdout.put(path)?;
            self.process.stdout.byte(if self.config.null { 0 } else { b'\n' })?;
            return Ok(false);
        }
        match self.process.open_input(path) {
            Ok(input) => self.input(input, path, names, explicit),
            Err(e) => {
                self.complain(path, e)?;
                Ok(false)
            }
        }
    }

    fn input(&mut self, mut input: Input, name: &[u8], names: bool, explicit: bool) -> Result<bool> {
        let began = Instant::now();
        let c = self.config;
        let budget = self.process.budget.clone();
        let lists = matches!(c.mode, Mode::FilesWith | Mode::FilesWithout) || c.quiet && c.mode != Mode::Json;
        let lines = matches!(c.mode, Mode::Lines | Mode::Json) && !lists;
        let needs_matches = c.mode == Mode::CountMatches || c.stats;
        let plain = lines
            && c.mode == Mode::Lines
            && !names
            && !(c.numbers
                || c.column
                || c.offset
                || c.only_matching
                || c.per_match
                || c.trim
                || c.color
                || c.stats)
            && c.replace.is_none()
            && c.max_columns.is_none()
            && c.before == 0
            && c.after == 0
            && !c.passthru
            && c.max.is_none();
        let context = |n: usize| if lines { n } else { 0 };
        let rules = Rules {
            invert: c.invert,
            before: context(c.before),
            after: context(c.after),
            passthru: lines && c.passthru,
            gaps: lines && !c.passthru && (c.before > 0 || c.after > 0),
            max: if lists { Some(1) } else { c.max },
            eol: c.eol,
            numbers: lines && (c.numbers || c.mode == Mode::Json),
            runs: plain,
            count: !lines && !needs_matches && !lists && c.max.is_none(),
        };
        let mut matcher = match &c.pattern {
            None => Matcher::Nothing,
            Some(p) => Matcher::Pattern(p),
        };
        let mut printer = Printer::new(c, &mut self.process.stdout, name, names, self.printed);
        let mut counting = Counting { config: c, counts: Counts::default(), matches: Vec::new() };
        let mut bytes = 0;
        let mut binary = None;
        let mut blocks = None;
        let mut says_binary = false;
        let mut failure = None;
        let whole = match c.multiline {
            true => Some(input.read_all()?),
            false => input.fd().clone().rest(&budget)?,
        };
        let mut held = budget.reservation();
        let size = match (c.multiline, c.pattern.as_ref().is_some_and(Pattern::backtracks)) {
            (true, _) => usize::MAX,
            (_, true) => BUFFER / 16,
            _ => BUFFER,
        };
        let mut chunks = Chunks::new(whole, &mut input, c.eol, size);
        let spans;
        if c.multiline {
            let text = chunks.whole.clone().unwrap_or_default();
            spans = all_spans(c, &text, &budget)?;
            held.set((spans.len() * 32) as u64)?;
            let selected = lines_of(&spans, &text, c.eol);
            blocks = Some(selected.1);
            matcher = Matcher::Lines(selected.0);
            printer.spans = Some(spans);
            printer.text = text;
        }
        let mut scan = Scan::new(rules, &mut matcher);
        loop {
            let mut chunk = match chunks.next() {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(e @ Error::Os(_)) => {
                    failure = Some(e);
                    break;
                }
                Err(stop) => return Err(stop),
            };
            budget.steps((chunk.len() / 64 + 1).min(1 << 20) as u32)?;
            if !c.as_text && c.eol != 0 && binary.is_none() {
                binary = memchr::memchr(0, &chunk).map(|n| chunks.passed - chunk.len() + n);
                if binary.is_some() && !explicit && !c.binary {
                    break;
                }
            }
            bytes += chunk.len() as u64;
            if binary.is_some() && !c.multiline {
                chunk = chunk.iter().map(|&b| if b == 0 { c.eol } else { b }).collect::<Vec<u8>>().into();
            }
            let before = scan.selected;
            match lines && binary.is_none() {
                true => scan.feed(&chunk, &mut printer)?,
                false => scan.feed(&chunk, &mut counting)?,
            };
            if binary.is_some() && lines && scan.selected > before {
                says_binary = true;
                break;
            }
            if scan.done() {
                break;
            }
        }
        let quits = binary.is_some() && !explicit && !c.binary;
        let mut selected = scan.selected;
        if quits && !lines {
            selected = 0;
        }
        let (started, mut counts) = (printer.started, printer.counts);
        drop(chunks);
        if let Some(e) = failure {
            self.complain(name, e)?;
        }
        for note in self.process.files.take_notes() {
            self.failed = true;
            self.process.write_error(format!("rg: {note}\n").as_bytes())?;
        }
        if !lines {
            counts = counting.counts;
        }
        self.printed |= started;
        let found = selected > 0;
        self.matched |= match c.mode {
            Mode::FilesWithout => !found,
            _ => found,
        };
        self.stats.searches += 1;
        self.stats.with_match += u64::from(found);
        self.stats.bytes_searched += bytes;
        self.stats.counts.lines += counts.lines.max(if lines { 0 } else { selected });
        self.stats.counts.matches += counts.matches;
        if c.quiet && c.mode != Mode::Json {
            return Ok(match c.mode {
                Mode::FilesWithout => !found,
                _ => found && !c.stats,
            });
        }
        let mut printer = Printer::new(c, &mut self.process.stdout, name, names, false);
        match c.mode {
            Mode::Count | Mode::CountMatches if found || c.include_zero => {
                if names {
                    printer.path()?;
                    printer.out.byte(if c.null { 0 } else { b':' })?;
                }
                let n = match (c.mode, blocks) {
                    (Mode::CountMatches, _) => counts.matches,
                    (_, Some(blocks)) if !c.invert => blocks,
                    _ => selected,
                };
                printer.out.text(format_args!("{n}\n"))?;
            }
            Mode::FilesWith | Mode::FilesWithout
                if found == (c.mode == Mode::FilesWith) && (found || !quits) =>
            {
                printer.path()?;
                printer.out.byte(if c.null { 0 } else { b'\n' })?;
            }
            Mode::Json if started => {
                let stats = Stats {
                    counts,
                    searches: 1,
                    with_match: u64::from(found),
                    bytes_searched: bytes,
                    bytes_printed: 0,
                };
                json::end(printer.out, name, binary, began.elapsed(), &stats)?;
            }
            Mode::Lines if says_binary || quits && found => {
                if names {
                    printer.path()?;
                    printer.out.put(b": ")?;
                }
                let offset = binary.unwrap_or(0);
                let what = match says_binary {
                    true => "binary file matches",
                    false => "WARNING: stopped searching binary file after match",
                };
                printer.out.text(format_args!("{what} (found \"\\0\" byte around offset {offset})\n"))?;
            }
            _ => {}
        }
        Ok(false)
    }
}

/// Counts matches and prints nothing.
struct Counting<'c> {
    config: &'c Config,
    counts: Counts,
    matches: Vec<(usize, usize)>,
}

impl super::scan::Sink for Counting<'_> {
    fn line(&mut self, line: super::scan::Line<'_>) -> Result<()> {
        if line.selected {
            self.counts.lines += 1;
            if let (false, Some(p)) = (self.config.invert, &self.config.pattern) {
                p.matches(line.bytes, &mut self.matches);
                self.counts.matches += self.matches.len() as u64;
            }
        }
        Ok(())
    }

    fn gap(&mut self) -> Result<()> {
        Ok(())
    }

    fn run(&mut self, _: &Bytes, _: usize, _: usize) -> Result<()> {
        Ok(())
    }
}

/// Every match of a text.
fn all_spans(c: &Config, text: &[u8], budget: &sandshell_kernel::Budget) -> Result<Vec<(usize, usize)>> {
    let mut spans = Vec::new();
    let Some(p) = &c.pattern else { return Ok(spans) };
    let mut at = 0;
    while at <= text.len() {
        budget.step()?;
        let Some((s, e)) = p.find_at(text, at) else { break };
        // An empty match behind the last newline is in no line.
        if s < text.len() || text.last() != Some(&c.eol) && !text.is_empty() {
            spans.push((s, e));
        }
        at = if e > s { e } else { e + 1 };
    }
    Ok(spans)
}

/// The lines that spans touch, and how many blocks of lines they make.
fn lines_of(spans: &[(usize, usize)], text: &[u8], eol: u8) -> (Vec<(usize, usize)>, u64) {
    let mut lines: Vec<(usize, usize)> = Vec::new();
    let mut blocks = 0;
    for &(s, e) in spans {
        let from = memchr::memrchr(eol, &text[..s]).map_or(0, |n| n + 1);
        let last = if e > s && text[e - 1] == eol { e - 1 } else { e };
        let mut at = from;
        let mut new = true;
        while at <= last && at < text.len() || at == from {
            let end = memchr::memchr(eol, &text[at..]).map_or(text.len(), |n| at + n);
            if lines.last().is_none_or(|l| l.0 < at) {
                lines.push((at, end));
            } else {
                new = false;
            }
            at = end + 1;
        }
        blocks += u64::from(new);
    }
    (lines, blocks)
}
