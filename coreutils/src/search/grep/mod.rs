//! `grep`, `egrep` and `fgrep`, as GNU grep 3.8 with a UTF-8 locale.

mod options;
mod print;

use super::{
    scan::{Chunks, Matcher, Rules, Scan},
    walk::{Filter, Found, Walk},
};
use options::{Binary, Config, Directories, Mode, Trouble};
use print::Printer;
use sandshell_kernel::{Bytes, Error, FileKind, Files, Input, Process, Program, Result, Status};
use sandshell_text::{
    options::{self as opts, Example, Order, Spec},
    regex::{LineFinder, Syntax},
};
use std::{collections::HashSet, sync::Arc};

/// Bytes that grep looks at at once for a NUL.
const BUFFER: usize = 96 << 10;

const SYNOPSIS: &[&str] = &["[OPTION]... PATTERNS [FILE]..."];
const ABOUT: &str = "Search for PATTERNS in each FILE.\nExample: grep -i 'hello world' menu.h main.c\n\
    PATTERNS can contain multiple patterns separated by newlines.";

macro_rules! spec {
    ($name:ident, $word:literal) => {
        static $name: Spec = Spec {
            name: $word,
            about: ABOUT,
            synopsis: SYNOPSIS,
            options: options::OPTIONS,
            notes: options::NOTES,
            version: "grep (GNU grep) 3.8",
            examples: &[Example {
                script: concat!("printf 'one\\ntwo\\nthree\\n' | ", $word, " -n t"),
                output: "2:two\n3:three\n",
            }],
        };
    };
}
spec!(GREP_SPEC, "grep");
spec!(EGREP_SPEC, "egrep");
spec!(FGREP_SPEC, "fgrep");

/// `grep` and its two other names.
pub struct Grep {
    spec: &'static Spec,
    preset: Option<Syntax>,
}

/// `grep`
pub const GREP: Grep = Grep { spec: &GREP_SPEC, preset: None };
/// `egrep`: `grep -E`
pub const EGREP: Grep = Grep { spec: &EGREP_SPEC, preset: Some(Syntax::GrepEre) };
/// `fgrep`: `grep -F`
pub const FGREP: Grep = Grep { spec: &FGREP_SPEC, preset: Some(Syntax::Fixed) };

impl Program for Grep {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        // egrep and fgrep are scripts that run grep.
        if let Some(name) = process.args.first_mut() {
            *name = Bytes::from_static(b"grep");
        }
        let args = process.args.get(1..).unwrap_or_default().to_vec();
        let trouble = match opts::parse(self.spec, &args, Order::Permute) {
            Err(e) => Trouble::Usage(Some(e.0)),
            Ok(parsed) if parsed.has("help") => Trouble::Print(self.spec.help()),
            Ok(parsed) if parsed.has("version") => Trouble::Print(format!("{}\n", self.spec.version)),
            Ok(parsed) => match options::configure(process, self.spec, &parsed, self.preset)? {
                Ok(config) => return search(process, config),
                Err(trouble) => trouble,
            },
        };
        match trouble {
            Trouble::Print(text) => {
                process.stdout.put(text.as_bytes())?;
                Ok(Status::OK)
            }
            Trouble::Message(text, status) => {
                process.error(format_args!("{text}"))?;
                Ok(Status(status))
            }
            Trouble::Usage(text) => {
                let lists = text.as_ref().is_some_and(|t| t.contains('\n'));
                if let Some(text) = text {
                    process.error(format_args!("{text}"))?;
                }
                process.write_error(
                    b"Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n",
                )?;
                Ok(Status(if lists { 1 } else { 2 }))
            }
        }
    }
}

struct Grepper<'p> {
    process: &'p mut Process,
    config: Arc<Config>,
    /// Names stand before lines and counts.
    names: bool,
    matcher: Matcher<'p>,
    any_selected: bool,
    any_error: bool,
    /// The file that standard output is: device and inode.
    output: Option<(u64, u64)>,
}

fn search(process: &mut Process, config: Config) -> Result<Status> {
    let regex = config.regex.clone();
    if config.line_buffered {
        process.stdout.set_line_buffered(true);
    }
    let cannot_match = config.max == Some(0) || regex.is_none() && !config.invert;
    if cannot_match && config.mode != Mode::FilesWithout {
        return Ok(Status::FAILURE);
    }
    let matcher = match regex {
        Some(r) => Matcher::Regex(Box::new(LineFinder::new(r))),
        None => Matcher::Nothing,
    };
    let mut operands = config.operands.clone();
    let recurse = config.directories == Directories::Recurse;
    let implied = operands.is_empty();
    if implied {
        operands.push(Bytes::from_static(if recurse { b"." } else { b"-" }));
    }
    let output = process.stdout.fd().stat(&process.budget).ok();
    let output = output.filter(|s| s.kind == FileKind::File && s.ino != 0).map(|s| (s.dev, s.ino));
    let mut g = Grepper {
        process,
        names: config.with_name.unwrap_or(operands.len() > 1),
        config: Arc::new(config),
        matcher,
        any_selected: false,
        any_error: false,
        output,
    };
    for operand in &operands {
        if g.operand(operand, implied)? {
            break;
        }
    }
    let quiet = g.config.mode == Mode::Quiet;
    let exhausted = g.config.regex.as_ref().is_some_and(|r| r.exhausted());
    if exhausted {
        g.process.error(format_args!("exceeded PCRE's backtracking limit"))?;
        g.any_error = true;
    }
    Ok(Status(match (g.any_error, g.any_selected) {
        (true, true) if quiet => 0,
        (true, _) => 2,
        (_, true) => 0,
        _ => 1,
    }))
}

/// Which files and directories of a tree are looked at.
struct TreeFilter<'c> {
    config: &'c Config,
    /// The files that a mount's search names, and the directories above them.
    candidates: Option<HashSet<Bytes>>,
}

impl TreeFilter<'_> {
    fn has(&self, files: &Files, path: &[u8]) -> bool {
        self.candidates.as_ref().is_none_or(|c| c.contains(&files.absolute(path)))
    }
}

impl Filter for TreeFilter<'_> {
    fn enter(&mut self, files: &Files, path: &[u8], name: &[u8], _: usize) -> bool {
        !self.config.exclude_dirs.iter().any(|p| p.matches(name)) && self.has(files, path)
    }

    fn may_enter(&self, files: &Files, path: &[u8]) -> bool {
        self.has(files, path)
    }

    fn accept(&mut self, files: &Files, path: &[u8], name: &[u8]) -> bool {
        wanted(self.config, name) && self.has(files, path)
    }
}

/// The files, and all directories above them.
fn with_directories(files: HashSet<Bytes>) -> HashSet<Bytes> {
    let mut all = HashSet::with_capacity(files.len() * 2);
    for file in files {
        let mut path = file;
        while let Some(slash) = path.iter().rposition(|&b| b == b'/') {
            let above = path.slice(..slash);
            if !all.insert(path) {
                break;
            }
            path = above;
        }
    }
    all
}

/// Whether `--include` and `--exclude` let a name through: the last that matches decides.
fn wanted(config: &Config, name: &[u8]) -> bool {
    let rules = &config.files;
    match rules.iter().rev().find(|r| r.glob.matches(name)) {
        Some(rule) => rule.include,
        None => rules.first().is_none_or(|r| !r.include),
    }
}

/// The same for an operand, of which any suffix that follows a slash may match.
fn wanted_operand(config: &Config, name: &[u8]) -> bool {
    let suffixes = || {
        let after = name.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(i, _)| i + 1);
        std::iter::once(0).chain(after).map(|i| &name[i..]).filter(|s| !s.is_empty())
    };
    let rules = &config.files;
    match rules.iter().rev().find(|r| suffixes().any(|s| r.glob.matches(s))) {
        Some(rule) => rule.include,
        None => rules.first().is_none_or(|r| !r.include),
    }
}

impl Grepper<'_> {
    /// Searches an operand; true when nothing more is wanted.
    fn operand(&mut self, name: &Bytes, implied: bool) -> Result<bool> {
        if name == "-" {
            let input = self.process.open_input(b"-")?;
            let label = self.config.label.clone().unwrap_or(Bytes::from_static(b"(standard input)"));
            return self.file(input, &label, true);
        }
        let is_dir = match self.process.files.stat_cheap(name, true) {
            Ok((s, _)) if self.config.skip_devices && matches!(s.kind, FileKind::Device | FileKind::Fifo) => {
                return Ok(false);
            }
            Ok((s, _)) => s.is_dir(),
            Err(Error::Os(_)) => false,
            Err(stop) => return Err(stop),
        };
        if is_dir {
            let trimmed = name.iter().rposition(|&b| b != b'/').map_or(&name[..1], |i| &name[..=i]);
            let base = trimmed.rsplit(|&b| b == b'/').next().unwrap_or(trimmed);
            match self.config.directories {
                Directories::Skip => return Ok(false),
                _ if !implied
                    && self.config.exclude_dirs.iter().any(|p| p.matches(trimmed) || p.matches(base)) =>
                {
                    return Ok(false);
                }
                Directories::Recurse => return self.tree(name, implied),
                Directories::Read => {
                    self.complain(name, sandshell_kernel::Errno::EISDIR.into())?;
                    return self.finish(name, 0);
                }
            }
        }
        if !wanted_operand(&self.config, name) {
            return Ok(false);
        }
        match self.process.open_input(name) {
            Ok(input) => self.file(input, name, false),
            Err(e) => {
                self.complain(name, e)?;
                Ok(false)
            }
        }
    }

    fn complain(&mut self, name: &[u8], e: Error) -> Result<()> {
        let Error::Os(errno) = e else { return Err(e) };
        self.any_error = true;
        if self.config.silent {
            return Ok(());
        }
        self.process.error(format_args!("{}: {errno}", String::from_utf8_lossy(name)))
    }

    /// Searches the files of a directory.
    fn tree(&mut self, dir: &Bytes, implied: bool) -> Result<bool> {
        let names = self.names;
        self.names = self.config.with_name.unwrap_or(true);
        let candidates = self.narrow(dir)?;
        let (config, files) = (self.config.clone(), self.process.files.clone());
        let filter = TreeFilter { config: &config, candidates };
        let mut found = Vec::new();
        let mut walk = Walk::new(&files, dir, config.follow, implied, filter, &mut found)?;
        loop {
            for f in found {
                match f {
                    Found::File(path) => match self.process.open_input(&path) {
                        Ok(input) => {
                            if self.file(input, &path, false)? {
                                return Ok(true);
                            }
                        }
                        Err(e) => self.complain(&path, e)?,
                    },
                    Found::Failed(path, e) => self.complain(&path, e)?,
                    Found::Note(text) => {
                        self.any_error = true;
                        self.process.error(format_args!("{text}"))?;
                    }
                }
            }
            found = walk.next_batch()?;
            if found.is_empty() {
                self.names = names;
                return Ok(false);
            }
        }
    }

    /// What a mount's own search can leave out: only where files without a match leave no trace.
    fn narrow(&mut self, dir: &[u8]) -> Result<Option<HashSet<Bytes>>> {
        let c = self.config.clone();
        let traceless = !c.invert && matches!(c.mode, Mode::Lines | Mode::FilesWith | Mode::Quiet);
        let Some(regex) = c.regex.as_ref().filter(|_| traceless && !c.follow) else { return Ok(None) };
        let literal = regex.literal().unwrap_or(regex.required_literal());
        if literal.is_empty() || regex.flags().icase || literal.contains(&b'\n') {
            return Ok(None);
        }
        let files = &self.process.files;
        // The mount names its files by their real paths.
        if files.real_path(dir).is_ok_and(|real| real != files.absolute(dir)) {
            return Ok(None);
        }
        match files.candidates(dir, literal) {
            Ok(found) => Ok(found.map(with_directories)),
            Err(Error::Os(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// Searches one input; true when nothing more is wanted.
    fn file(&mut self, mut input: Input, name: &[u8], is_stdin: bool) -> Result<bool> {
        if let Some(out) = self.output
            && let Ok(s) = input.fd().stat(&self.process.budget)
            && (s.dev, s.ino) == out
            && s.kind == FileKind::File
            && matches!(self.config.mode, Mode::Lines | Mode::Count)
            && self.config.max.is_none_or(|m| m > 1)
            && !(is_stdin && s.size == 0)
        {
            if !self.config.silent {
                let shown = String::from_utf8_lossy(name).into_owned();
                self.process.error(format_args!("{shown}: input file is also the output"))?;
            }
            self.any_error = true;
            return Ok(false);
        }
        let config = self.config.clone();
        let c = &config;
        let style = &c.style;
        let lines = c.mode == Mode::Lines;
        let has_context = lines && (c.before.is_some() || c.after.is_some());
        let plain = !self.names
            && !style.number
            && !style.offset
            && !style.only_matching
            && style.colors.is_none()
            && !has_context
            && c.max.is_none()
            && style.eol == b'\n';
        let max = match c.mode {
            Mode::FilesWith | Mode::FilesWithout | Mode::Quiet => Some(1.min(c.max.unwrap_or(1))),
            _ => c.max,
        };
        let rules = Rules {
            invert: c.invert,
            before: if lines { c.before.unwrap_or(0) } else { 0 },
            after: if lines { c.after.unwrap_or(0) } else { 0 },
            passthru: false,
            gaps: has_context,
            max,
            eol: style.eol,
            numbers: style.number && lines,
            runs: lines && plain,
            count: c.mode == Mode::Count && max.is_none(),
        };
        let counts_only = !lines;
        let mut scan = Scan::new(
            Rules { count: rules.count || counts_only && max.is_none(), ..rules },
            &mut self.matcher,
        );
        let budget = self.process.budget.clone();
        let width = match style.tab {
            true => {
                // As wide as the numbers can get: those of a file by its size, those of a pipe by any.
                let size = input.fd().stat(&budget).ok().filter(|s| s.kind == FileKind::File);
                let most =
                    size.map_or(i64::MAX as u64 - 1, |s| s.size).saturating_add(u64::from(style.number));
                most.to_string().len()
            }
            false => 0,
        };
        let mut printer = Printer {
            style,
            out: &mut self.process.stdout,
            name,
            show_name: self.names,
            regex: c.regex.as_ref(),
            width,
            not_text: false,
        };
        let mut muted = Muted;
        let mut binary = false;
        let mut selected_before_binary = 0;
        let mut failure = None;
        let whole = input.fd().clone().rest(&budget)?;
        let size = if c.slow { BUFFER / 24 } else { BUFFER };
        let mut chunks = Chunks::new(whole, &mut input, style.eol, size);
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
            if !binary && c.binary != Binary::Text && style.eol != 0 {
                binary = memchr::memchr(0, &chunk).is_some();
                if binary && c.binary == Binary::Skip {
                    scan.selected = 0;
                    return self.finish(name, 0);
                }
                selected_before_binary = scan.selected;
            }
            if binary {
                // A NUL ends a line too.
                let zapped: Vec<u8> = chunk.iter().map(|&b| if b == 0 { style.eol } else { b }).collect();
                chunk = Bytes::from(zapped);
            }
            let used = match binary || counts_only {
                true => scan.feed(&chunk, &mut muted)?,
                false => scan.feed(&chunk, &mut printer)?,
            };
            if binary && c.mode != Mode::Count && scan.selected > selected_before_binary || scan.done() {
                if is_stdin && scan.done() && c.mode == Mode::Lines {
                    chunks.give_back(chunk.slice(used..), &budget);
                }
                break;
            }
        }
        let selected = scan.selected;
        let not_text = printer.not_text;
        drop(chunks);
        if let Some(e) = failure {
            self.complain(name, e)?;
        }
        for note in self.process.files.take_notes() {
            self.any_error = true;
            self.process.error(format_args!("{note}"))?;
        }
        let says = lines && (not_text || binary && selected > selected_before_binary);
        let stop = self.finish(name, selected)?;
        if says {
            self.process.stdout.flush()?;
            self.process.error(format_args!("{}: binary file matches", String::from_utf8_lossy(name)))?;
        }
        Ok(stop)
    }

    /// Prints what is said of a file as a whole.
    fn finish(&mut self, name: &[u8], selected: u64) -> Result<bool> {
        let mode = self.config.mode;
        let config = self.config.clone();
        let style = &config.style;
        let matched = selected > 0;
        let listed = match mode {
            Mode::FilesWith => matched,
            Mode::FilesWithout => !matched,
            _ => false,
        };
        self.any_selected |= matched;
        let mut printer = Printer {
            style,
            out: &mut self.process.stdout,
            name,
            show_name: self.names,
            regex: None,
            width: 0,
            not_text: false,
        };
        if mode == Mode::Count {
            if self.names {
                printer.name()?;
                match style.null_name {
                    true => printer.out.byte(0)?,
                    false => printer.separator(b":")?,
                }
            }
            printer.out.text(format_args!("{selected}\n"))?;
        }
        if listed {
            printer.name()?;
            printer.out.byte(if style.null_name { 0 } else { b'\n' })?;
        }
        Ok(mode == Mode::Quiet && matched)
    }
}

/// Takes lines and prints nothing.
struct Muted;

impl super::scan::Sink for Muted {
    fn line(&mut self, _: super::scan::Line<'_>) -> Result<()> {
        Ok(())
    }

    fn gap(&mut self) -> Result<()> {
        Ok(())
    }

    fn run(&mut self, _: &Bytes, _: usize, _: usize) -> Result<()> {
        Ok(())
    }
}
