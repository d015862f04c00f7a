//! `patch`: applies the output of diff to files, as GNU patch 2.7 does.

mod apply;
mod parse;

use apply::{Pattern, Target};
use parse::{FilePatch, Format, Header, Hunk, Kind};
use sandshell_kernel::{Bytes, Errno, Error, Process, Program, Result, Status};
use sandshell_text::{
    options::{self as opts, Example, Opt, Order, Parsed, Spec},
    quote,
};

/// `patch`
pub struct Patch;

static SPEC: Spec = Spec {
    name: "patch",
    about: "Apply a diff file to an original.",
    synopsis: &["[OPTION]... [ORIGFILE [PATCHFILE]]"],
    options: &[
        Opt::new('p', "strip", "Strip NUM leading components from file names.").value("NUM"),
        Opt::new('F', "fuzz", "Set the fuzz factor to LINES for inexact matching.").value("LINES"),
        Opt::new('l', "ignore-whitespace", "Ignore white space changes between patch and input."),
        Opt::new('c', "context", "Interpret the patch as a context difference."),
        Opt::new('e', "ed", "Interpret the patch as an ed script."),
        Opt::new('n', "normal", "Interpret the patch as a normal difference."),
        Opt::new('u', "unified", "Interpret the patch as a unified difference."),
        Opt::new('N', "forward", "Ignore patches that appear to be reversed or already applied."),
        Opt::new('R', "reverse", "Assume patches were created with old and new files swapped."),
        Opt::new('i', "input", "Read patch from PATCHFILE instead of stdin.").value("PATCHFILE"),
        Opt::new('o', "output", "Output patched files to FILE.").value("FILE"),
        Opt::new('r', "reject-file", "Output rejects to FILE.").value("FILE"),
        Opt::new('E', "remove-empty-files", "Remove output files that are empty after patching."),
        Opt::new('b', "backup", "Back up the original contents of each file."),
        Opt::long("backup-if-mismatch", "Back up if the patch does not match exactly."),
        Opt::long("no-backup-if-mismatch", "Back up mismatches only if otherwise requested."),
        Opt::new('B', "prefix", "Prepend PREFIX to backup file names.").value("PREFIX"),
        Opt::new('z', "suffix", "Append SUFFIX to backup file names.").value("SUFFIX"),
        Opt::new('t', "batch", "Ask no questions; skip bad-Prereq patches; assume reversed."),
        Opt::new('f', "force", "Like -t, but ignore bad-Prereq patches, and assume unreversed."),
        Opt::new('s', "quiet", "Work silently unless an error occurs."),
        Opt::long("silent", ""),
        Opt::long("verbose", "Output extra information about the work being done."),
        Opt::long("dry-run", "Do not actually change any files; just print what would happen."),
        Opt::long("posix", "Conform to the POSIX standard."),
        Opt::new('d', "directory", "Change the working directory to DIR first.").value("DIR"),
        Opt::long("reject-format", "Create 'context' or 'unified' rejects.").value("FORMAT"),
        Opt::long("binary", "Read and write data in binary mode."),
        Opt::new('v', "version", "Output version info."),
    ],
    notes: "",
    version: "GNU patch 2.7.6",
    examples: &[Example {
        script: "printf '1\\n2\\n' > f; printf '1\\n3\\n' > g; diff -u f g > p || true; patch f p; cat f",
        output: "patching file f\n1\n3\n",
    }],
};

#[derive(Default)]
struct Config {
    strip: Option<usize>,
    fuzz: Option<usize>,
    loose: bool,
    format: Option<Format>,
    forward: bool,
    reverse: bool,
    output: Option<Bytes>,
    rejects: Option<Bytes>,
    remove_empty: bool,
    backup: bool,
    no_mismatch_backup: bool,
    prefix: Option<Bytes>,
    suffix: Option<Bytes>,
    batch: bool,
    force: bool,
    silent: bool,
    verbose: bool,
    dry_run: bool,
    context_rejects: bool,
    original: Option<Bytes>,
    input: Option<Bytes>,
}

/// Ends the whole run with status 2, as patch's `fatal` does.
enum End {
    Fatal(String),
    Kernel(Error),
}

impl From<Error> for End {
    fn from(e: Error) -> End {
        End::Kernel(e)
    }
}

impl Program for Patch {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let args = process.args.get(1..).unwrap_or_default().to_vec();
        let config = opts::parse(&SPEC, &args, Order::Permute).map_err(|e| e.0);
        let config = match config {
            Ok(parsed) if parsed.has("help") => {
                process.stdout.put(SPEC.help().as_bytes())?;
                return Ok(Status::OK);
            }
            Ok(parsed) if parsed.has("version") => {
                process.stdout.line(SPEC.version.as_bytes())?;
                return Ok(Status::OK);
            }
            Ok(parsed) => configure(process, &parsed)?,
            Err(text) => Err(text),
        };
        let config = match config {
            Ok(config) => config,
            Err(text) => {
                process.error(format_args!("{text}"))?;
                if !text.starts_with("****") {
                    process.error(format_args!("Try 'patch --help' for more information."))?;
                }
                return Ok(Status::USAGE);
            }
        };
        let mut patcher = Patcher { process, config: &config, failed: false };
        match patcher.all() {
            Ok(()) => Ok(Status(u8::from(patcher.failed))),
            Err(End::Fatal(text)) => {
                process.stdout.flush()?;
                process.error(format_args!("**** {text}"))?;
                Ok(Status::USAGE)
            }
            Err(End::Kernel(e)) => Err(e),
        }
    }
}

fn configure(process: &mut Process, parsed: &Parsed) -> Result<Result<Config, String>> {
    let mut c = Config::default();
    for found in &parsed.options {
        let value = found.value.clone().unwrap_or_default();
        let text = String::from_utf8_lossy(&value).into_owned();
        match found.id {
            id @ ("strip" | "fuzz") => match text.parse::<usize>() {
                Ok(n) if id == "strip" => c.strip = Some(n),
                Ok(n) => c.fuzz = Some(n),
                Err(_) => {
                    let what = if id == "strip" { "strip count" } else { "fuzz factor" };
                    return Ok(Err(format!("**** {what} {} is not a number", quote::name(&value))));
                }
            },
            "ignore-whitespace" => c.loose = true,
            "context" => c.format = Some(Format::Context),
            "ed" => c.format = Some(Format::Ed),
            "normal" => c.format = Some(Format::Normal),
            "unified" => c.format = Some(Format::Unified),
            "forward" => c.forward = true,
            "reverse" => c.reverse = true,
            "input" => c.input = Some(value),
            "output" => c.output = Some(value),
            "reject-file" => c.rejects = Some(value),
            "remove-empty-files" => c.remove_empty = true,
            "backup" => c.backup = true,
            "no-backup-if-mismatch" | "posix" => c.no_mismatch_backup = true,
            "backup-if-mismatch" => c.no_mismatch_backup = false,
            "prefix" => (c.prefix, c.backup) = (Some(value), c.backup),
            "suffix" => c.suffix = Some(value),
            "batch" => c.batch = true,
            "force" => c.force = true,
            "quiet" | "silent" => c.silent = true,
            "verbose" => c.verbose = true,
            "dry-run" => c.dry_run = true,
            "directory" => {
                if let Err(Error::Os(e)) = process.files.set_cwd(&value) {
                    return Ok(Err(format!("**** Can't change to directory {} : {e}", quote::name(&value))));
                }
            }
            "reject-format" => match &text[..] {
                "context" => c.context_rejects = true,
                "unified" => c.context_rejects = false,
                _ => return Ok(Err(format!("**** Invalid reject format {}", quote::name(&value)))),
            },
            _ => {}
        }
    }
    let mut operands = parsed.operands.iter();
    c.original = operands.next().cloned();
    if let Some(file) = operands.next() {
        c.input = Some(file.clone());
    }
    if let Some(extra) = operands.next() {
        return Ok(Err(format!("{}: extra operand", quote::name(extra))));
    }
    Ok(Ok(c))
}

struct Patcher<'p> {
    process: &'p mut Process,
    config: &'p Config,
    failed: bool,
}

/// The file that a patch is for.
struct Chosen {
    name: Bytes,
    exists: bool,
}

impl Patcher<'_> {
    fn say(&mut self, text: &str) -> Result<()> {
        self.process.stdout.put(text.as_bytes())
    }

    /// Asks a question; there is nobody to answer, so the answer is an empty line.
    fn ask(&mut self, text: &str) -> Result<()> {
        self.say(text)?;
        self.say("\n")
    }

    fn all(&mut self) -> Result<(), End> {
        let from = self.config.input.clone().unwrap_or(Bytes::from_static(b"-"));
        let text = match self.process.open_input(&from) {
            Ok(mut input) => input.read_all()?,
            Err(Error::Os(e)) => {
                return Err(End::Fatal(format!("Can't open patch file {} : {e}", quote::name(&from))));
            }
            Err(stop) => return Err(stop.into()),
        };
        let _held = self.process.budget.reserve(text.len() as u64 * 3)?;
        let patches = parse::parse(&text, self.config.format);
        if !text.is_empty() && !text.ends_with(b"\n") {
            self.say("patch unexpectedly ends in middle of line\n")?;
        }
        if patches.is_empty() && !text.is_empty() {
            return Err(End::Fatal("Only garbage was found in the patch input.".into()));
        }
        for (i, patch) in patches.into_iter().enumerate() {
            self.process.budget.step()?;
            if self.config.verbose {
                self.introduce(&patch, i > 0)?;
            }
            self.one(patch)?;
        }
        if self.config.verbose {
            self.say("done\n")?;
        }
        Ok(())
    }

    /// What `--verbose` says before a patch.
    fn introduce(&mut self, patch: &FilePatch, later: bool) -> Result<()> {
        let format = match patch.format {
            Format::Unified => "a unified diff",
            Format::Context => "a new-style context diff",
            Format::Normal => "a normal diff",
            Format::Ed => "an ed script",
        };
        match later {
            true => self.say(&format!("Hmm...  The next patch looks like {format} to me...\n"))?,
            false => self.say(&format!("Hmm...  Looks like {format} to me...\n"))?,
        }
        if !patch.lead.is_empty() {
            self.say("The text leading up to this was:\n")?;
            self.lead(patch)?;
        }
        Ok(())
    }

    fn lead(&mut self, patch: &FilePatch) -> Result<()> {
        self.say("--------------------------\n")?;
        for line in &patch.lead {
            self.say(&format!("|{}\n", String::from_utf8_lossy(line)))?;
        }
        self.say("--------------------------\n")
    }

    /// A header's name with leading components taken off; `None` when it has not so many.
    fn stripped(&self, name: &[u8]) -> Option<Vec<u8>> {
        let parts: Vec<&[u8]> = name.split(|&b| b == b'/').filter(|p| !p.is_empty()).collect();
        let rest = match self.config.strip {
            None => parts.last().map(|p| p.to_vec())?,
            Some(0) => name.to_vec(),
            Some(n) => {
                let absolute = usize::from(name.starts_with(b"/"));
                parts.get(n.saturating_sub(absolute)..).filter(|p| !p.is_empty())?.join(&b'/')
            }
        };
        (!rest.is_empty() && name != b"/dev/null").then_some(rest)
    }

    fn exists(&self, name: &[u8]) -> bool {
        self.process.files.exists(name)
    }

    /// Picks the file by the names of the headers: one that exists, with the fewest components, then the shortest.
    fn choose(&mut self, patch: &FilePatch, reverse: bool) -> Result<Option<Chosen>> {
        if let Some(name) = &self.config.original {
            return Ok(Some(Chosen { name: name.clone(), exists: self.exists(name) }));
        }
        let header = |h: &Option<Header>| h.as_ref().and_then(|h| self.stripped(&h.name));
        let index = patch.index.as_ref().and_then(|n| self.stripped(n));
        let names: Vec<Vec<u8>> =
            [header(&patch.old), header(&patch.new), index].into_iter().flatten().collect();
        let key = |n: &Vec<u8>| {
            let base = n.rsplit(|&b| b == b'/').next().map_or(0, <[u8]>::len);
            (n.iter().filter(|&&b| b == b'/').count(), base, n.len())
        };
        if let Some(name) = names.iter().filter(|n| self.exists(n)).min_by_key(|n| key(n)) {
            return Ok(Some(Chosen { name: Bytes::copy_from_slice(name), exists: true }));
        }
        let absent = |h: &Option<Header>| h.as_ref().is_some_and(|h| h.absent);
        let old = if reverse { &patch.new } else { &patch.old };
        let creates = absent(old)
            || absent(&patch.old)
            || absent(&patch.new)
            || patch
                .hunks
                .first()
                .is_some_and(|h| h.side(if reverse { Kind::Old } else { Kind::New }).is_empty());
        if creates && let Some(name) = names.iter().min_by_key(|n| key(n)) {
            return Ok(Some(Chosen { name: Bytes::copy_from_slice(name), exists: false }));
        }
        self.say(&format!("can't find file to patch at input line {}\n", patch.line))?;
        let hint = match self.config.strip {
            Some(_) => "Perhaps you used the wrong -p or --strip option?\n",
            None => "Perhaps you should have used the -p or --strip option?\n",
        };
        self.say(hint)?;
        self.say("The text leading up to this was:\n")?;
        self.lead(patch)?;
        if !self.config.force && !self.config.batch {
            self.ask("File to patch: ")?;
            self.ask("Skip this patch? [y] ")?;
        } else {
            self.say("No file to patch.  ")?;
        }
        self.say("Skipping patch.\n")?;
        Ok(None)
    }

    /// Asks whether to turn the patch round. Gives whether to, and whether to skip.
    fn turn_round(&mut self, question: &str, reverse: bool) -> Result<(bool, bool)> {
        let c = self.config;
        if c.forward {
            self.say(&format!("{question}  Skipping patch.\n"))?;
            return Ok((false, true));
        }
        if c.force {
            if !c.silent {
                self.say(&format!("{question}  Applying it anyway.\n"))?;
            }
            return Ok((false, false));
        }
        if c.batch {
            let word = if reverse { "Ignoring -R." } else { "Assuming -R." };
            self.say(&format!("{question}  {word}\n"))?;
            return Ok((true, false));
        }
        let word = if reverse { "Ignore -R?" } else { "Assume -R?" };
        self.ask(&format!("{question}  {word} [n] "))?;
        self.ask("Apply anyway? [n] ")?;
        if !c.silent {
            self.say("Skipping patch.\n")?;
        }
        Ok((false, true))
    }

    fn one(&mut self, mut patch: FilePatch) -> Result<(), End> {
        let config = self.config;
        let mut reverse = config.reverse;
        let total = patch.hunks.len();
        let plural = if total == 1 { "" } else { "s" };
        let Some(file) = self.choose(&patch, reverse)? else {
            self.say(&format!("{total} out of {total} hunk{plural} ignored\n"))?;
            self.failed = true;
            return Ok(());
        };
        if reverse {
            turn(&mut patch);
        }
        let content = match self.process.files.read(&file.name) {
            Ok(content) => content,
            Err(Error::Os(Errno::ENOENT)) => Bytes::new(),
            Err(Error::Os(e)) => {
                self.say(&format!(
                    "File {} is not a regular file -- refusing to patch\n",
                    quote::name(&file.name)
                ))?;
                let _ = e;
                self.failed = true;
                return Ok(());
            }
            Err(stop) => return Err(stop.into()),
        };
        let mut skip = false;
        let absent = |h: &Option<Header>| h.as_ref().is_some_and(|h| h.absent);
        let creates = |p: &FilePatch| absent(&p.old);
        let deletes = |p: &FilePatch| absent(&p.new);
        let shown = quote::name(&file.name);
        let contradiction = match file.exists {
            true if creates(&patch) && !content.is_empty() => Some(("create", "already exists")),
            false if deletes(&patch) => Some(("delete", "does not exist")),
            _ => None,
        };
        if let Some((verb, why)) = contradiction {
            let reversed = if reverse { ", when reversed," } else { "" };
            let question = format!("The next patch{reversed} would {verb} the file {shown},\nwhich {why}!");
            let (round, skips) = self.turn_round(&question, reverse)?;
            skip = skips;
            if round {
                reverse = !reverse;
                turn(&mut patch);
            }
            if skip {
                self.say(&format!("{total} out of {total} hunk{plural} ignored\n"))?;
                self.failed = true;
                return Ok(());
            }
        }
        let out_name = config.output.clone().unwrap_or_else(|| match &patch.rename {
            Some((from, to)) if config.original.is_none() => {
                let target = if reverse { from } else { to };
                let stripped = self.config.strip.map_or(0, |n| n.saturating_sub(1));
                let parts: Vec<&[u8]> = target.split(|&b| b == b'/').collect();
                Bytes::from(parts.get(stripped..).unwrap_or(&parts).join(&b'/'))
            }
            _ => file.name.clone(),
        });
        if !config.silent && patch.format != Format::Ed {
            let verb = if config.dry_run { "checking" } else { "patching" };
            let note = match () {
                () if config.output.is_some() => format!(" (read from {shown})"),
                () if out_name != file.name => format!(" (renamed from {shown})"),
                () => String::new(),
            };
            self.say(&format!("{verb} file {}{note}\n", quote::name(&out_name)))?;
        }
        if let Some(text) = patch.malformed.take() {
            return Err(End::Fatal(text));
        }
        if config.verbose && patch.format != Format::Ed {
            self.say("Using Plan A...\n")?;
        }
        if patch.format == Format::Ed {
            let new = apply::ed(&content, &patch.script).map_err(End::Fatal)?;
            self.backup(&file, &content, false)?;
            return self.store(&file, &out_name, new, &patch);
        }
        let mut target = Target::new(&content, config.loose);
        let mut failed: Vec<Hunk> = Vec::new();
        let mut mismatch = false;
        let mut apply_anyway = false;
        let max_fuzz = config.fuzz.unwrap_or(2);
        let budget = self.process.budget.clone();
        let mut index = 0;
        while index < patch.hunks.len() {
            let mut fuzz = 0usize;
            let mut at = 0;
            if !skip {
                let most = max_fuzz.min(Pattern::new(&patch.hunks[index]).context());
                loop {
                    at = target.locate(&Pattern::new(&patch.hunks[index]), fuzz, &budget)?;
                    mismatch |= at == 0 || fuzz > 0 || target.offset != 0;
                    let may_turn =
                        index == 0 && at == 0 && !(config.force || apply_anyway) && reverse == config.reverse;
                    if may_turn {
                        let swapped = patch.hunks[0].swapped();
                        let found = target.locate(&Pattern::new(&swapped), fuzz, &budget)?;
                        if found != 0 {
                            let what =
                                if reverse { "Unreversed" } else { "Reversed (or previously applied)" };
                            let (round, skips) =
                                self.turn_round(&format!("{what} patch detected!"), reverse)?;
                            skip |= skips;
                            if round {
                                reverse = !reverse;
                                turn(&mut patch);
                                at = found;
                            } else {
                                apply_anyway = true;
                                if !skip {
                                    continue;
                                }
                            }
                        }
                    }
                    if skip || at != 0 || fuzz >= most {
                        break;
                    }
                    fuzz += 1;
                }
            }
            let hunk = &patch.hunks[index];
            index += 1;
            let place = if at != 0 { at } else { Pattern::new(hunk).first() } + target.growth;
            let clobbers = at == 1 && creates(&patch) && !content.is_empty();
            if skip || at == 0 || clobbers {
                failed.push(hunk.clone());
                if config.verbose || !skip && !config.silent {
                    let what = if skip { "ignored" } else { "FAILED" };
                    self.say(&format!("Hunk #{index} {what} at {place}.\n"))?;
                }
                continue;
            }
            target.apply(hunk, at);
            let offset = target.offset;
            if config.verbose || !config.silent && (fuzz > 0 || offset != 0) {
                let mut line = format!("Hunk #{index} succeeded at {place}");
                if fuzz > 0 {
                    line.push_str(&format!(" with fuzz {fuzz}"));
                }
                if offset != 0 {
                    line.push_str(&format!(" (offset {offset} line{})", if offset == 1 { "" } else { "s" }));
                }
                line.push_str(".\n");
                self.say(&line)?;
            }
        }
        if !failed.is_empty() {
            self.failed = true;
            if !file.exists && failed.len() == total && !skip && config.output.is_none() {
                return Err(End::Fatal(format!("Can't reopen file {shown} : {}", Errno::ENOENT)));
            }
            let what = if skip { "ignored" } else { "FAILED" };
            let mut line = format!("{} out of {total} hunk{plural} {what}", failed.len());
            let rejects = match &config.rejects {
                Some(r) if r == "-" => None,
                Some(r) => Some(r.clone()),
                None => Some(Bytes::from([&out_name[..], b".rej"].concat())),
            };
            match &rejects {
                Some(r) if !config.dry_run => {
                    line.push_str(&format!(" -- saving rejects to file {}", quote::name(r)));
                }
                _ => {}
            }
            line.push('\n');
            self.say(&line)?;
            if let (Some(r), false) = (rejects, config.dry_run) {
                let text = self.reject_text(&patch, &failed, &file.name);
                self.write(&r, text)?;
            }
        }
        if skip || failed.len() == total && total > 0 {
            if mismatch && !skip {
                self.backup(&file, &content, true)?;
            }
            return Ok(());
        }
        self.backup(&file, &content, mismatch)?;
        let new = target.finish();
        self.store(&file, &out_name, new, &patch)
    }

    fn write(&mut self, name: &[u8], data: Vec<u8>) -> Result<(), End> {
        match self.process.files.write(name, Bytes::from(data)) {
            Ok(()) => Ok(()),
            Err(Error::Os(e)) => Err(End::Fatal(format!("Can't create file {} : {e}", quote::name(name)))),
            Err(stop) => Err(stop.into()),
        }
    }

    fn backup(&mut self, file: &Chosen, content: &Bytes, mismatch: bool) -> Result<(), End> {
        let c = self.config;
        let wanted = c.backup || mismatch && !c.no_mismatch_backup && c.output.is_none();
        if !wanted || c.dry_run || !file.exists && !c.backup {
            return Ok(());
        }
        let name = match (&c.prefix, &c.suffix) {
            (Some(p), s) => [&p[..], &file.name, s.as_deref().unwrap_or_default()].concat(),
            (None, s) => [&file.name[..], s.as_deref().unwrap_or(b".orig")].concat(),
        };
        self.write(&name, content.to_vec())
    }

    /// Writes the result, or removes a file that the patch deletes.
    fn store(&mut self, file: &Chosen, name: &Bytes, new: Vec<u8>, patch: &FilePatch) -> Result<(), End> {
        if self.config.dry_run {
            return Ok(());
        }
        let deletes = patch.new.as_ref().is_some_and(|h| h.absent);
        if new.is_empty() && (deletes || self.config.remove_empty) && self.config.output.is_none() {
            if file.exists {
                self.process.files.unlink(name)?;
                let mut dir = &name[..];
                while let Some(end) = dir.iter().rposition(|&b| b == b'/').filter(|e| *e > 0) {
                    dir = &name[..end];
                    if self.process.files.rmdir(dir).is_err() {
                        break;
                    }
                }
            }
            return Ok(());
        }
        let mode = self.process.files.stat_cheap(&file.name, true).ok().map(|(s, _)| s.mode);
        for (i, _) in name.iter().enumerate().filter(|(i, b)| **b == b'/' && *i > 0) {
            if !self.exists(&name[..i]) {
                self.process.files.mkdir(&name[..i], 0o777)?;
            }
        }
        self.write(name, new)?;
        if let Some(mode) = patch.mode.or(mode.filter(|_| name != &file.name)) {
            self.process.files.chmod(name, mode)?;
        }
        if name != &file.name && self.config.output.is_none() && file.exists {
            self.process.files.unlink(&file.name)?;
        }
        Ok(())
    }

    fn reject_text(&self, patch: &FilePatch, failed: &[Hunk], name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let header = |h: &Option<Header>| h.as_ref().map_or_else(|| name.to_vec(), |h| h.name.clone());
        let lead = |mark: &[u8]| {
            let line = patch.lead.iter().rev().find_map(|l| l.strip_prefix(mark));
            line.map(<[u8]>::to_vec)
        };
        let context = self.config.context_rejects || matches!(patch.format, Format::Context | Format::Normal);
        let marks: [&[u8]; 2] = if context { [b"*** ", b"--- "] } else { [b"--- ", b"+++ "] };
        for (mark, side) in marks.into_iter().zip([&patch.old, &patch.new]) {
            out.extend_from_slice(mark);
            let full = lead(mark).unwrap_or_else(|| header(side));
            let (file, rest) = full.split_at(memchr::memchr(b'\t', &full).unwrap_or(full.len()));
            out.extend(self.stripped(file).unwrap_or_else(|| file.to_vec()));
            out.extend_from_slice(rest);
            out.push(b'\n');
        }
        for hunk in failed {
            let (old, new) = (hunk.side(Kind::New).len(), hunk.side(Kind::Old).len());
            if !context {
                let range =
                    |start: usize, n: usize| if n == 1 { start.to_string() } else { format!("{start},{n}") };
                out.extend_from_slice(
                    format!("@@ -{} +{} @@", range(hunk.old_start, old), range(hunk.new_start, new))
                        .as_bytes(),
                );
                if !hunk.section.is_empty() {
                    out.extend_from_slice(&hunk.section);
                }
                out.push(b'\n');
                for (kind, line) in &hunk.lines {
                    out.push(match kind {
                        Kind::Context => b' ',
                        Kind::Old => b'-',
                        Kind::New => b'+',
                    });
                    put_line(&mut out, line);
                }
                continue;
            }
            out.extend_from_slice(b"***************\n");
            let range = |start: usize, n: usize| match n {
                0 | 1 => start.to_string(),
                n => format!("{start},{}", start + n - 1),
            };
            let changed = |i: usize| {
                let run = |it: &mut dyn Iterator<Item = &(Kind, Vec<u8>)>, k: Kind| {
                    it.take_while(|l| l.0 != Kind::Context).any(|l| l.0 == k)
                };
                let other = if hunk.lines[i].0 == Kind::Old { Kind::New } else { Kind::Old };
                run(&mut hunk.lines[i..].iter(), other) || run(&mut hunk.lines[..i].iter().rev(), other)
            };
            let sides = [
                (Kind::Old, Kind::New, "***", "****", hunk.old_start, old, b'-'),
                (Kind::New, Kind::Old, "---", "----", hunk.new_start, new, b'+'),
            ];
            for (own, skipped, open, close, start, n, mark) in sides {
                out.extend_from_slice(format!("{open} {} {close}\n", range(start, n)).as_bytes());
                if !hunk.lines.iter().any(|l| l.0 == own) {
                    continue;
                }
                for (i, (kind, line)) in hunk.lines.iter().enumerate().filter(|(_, l)| l.0 != skipped) {
                    let mark = match kind {
                        Kind::Context => b' ',
                        _ if changed(i) => b'!',
                        _ => mark,
                    };
                    out.extend([mark, b' ']);
                    put_line(&mut out, line);
                }
            }
        }
        out
    }
}

fn put_line(out: &mut Vec<u8>, line: &[u8]) {
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

/// Swaps the two sides of a patch.
fn turn(patch: &mut FilePatch) {
    std::mem::swap(&mut patch.old, &mut patch.new);
    for h in &mut patch.hunks {
        *h = h.swapped();
    }
}
