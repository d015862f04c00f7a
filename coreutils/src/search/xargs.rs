//! `xargs`: builds command lines from standard input and runs them, as GNU findutils 4.9 does.

use super::find::replace;
use crate::cli::{self, quote};
use sandshell_kernel::{
    Bytes, Child, Errno, Error, Input, Process, Program, Result, Status, process::Spawn,
    stream::device::Device,
};
use sandshell_text::{
    options::{Example, Opt, Order, Spec},
    quote::name,
};
use std::sync::Arc;

/// `xargs`
pub struct Xargs;

static SPEC: Spec = Spec {
    name: "xargs",
    about: "Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.",
    synopsis: &["[OPTION]... COMMAND [INITIAL-ARGS]..."],
    options: &[
        Opt::new('0', "null", "items are separated by a null, not whitespace; disables quote and backslash processing and logical EOF processing"),
        Opt::new('a', "arg-file", "read arguments from FILE, not standard input").value("FILE"),
        Opt::new('d', "delimiter", "items in input stream are separated by CHARACTER, not by whitespace; disables quote and backslash processing and logical EOF processing").value("CHARACTER"),
        Opt::short('E', "set logical EOF string; if END occurs as a line of input, the rest of the input is ignored (ignored if -0 or -d was specified)").value("END"),
        Opt::new('e', "eof", "equivalent to -E END if END is specified; otherwise, there is no end-of-file string").optional("END"),
        Opt::short('I', "same as --replace=R").value("R"),
        Opt::new('i', "replace", "replace R in INITIAL-ARGS with names read from standard input, split at newlines; if R is unspecified, assume {}").optional("R"),
        Opt::short('L', "use at most MAX-LINES non-blank input lines per command line").value("MAX-LINES"),
        Opt::new('l', "max-lines", "similar to -L but defaults to at most one non-blank input line if MAX-LINES is not specified").optional("MAX-LINES"),
        Opt::new('n', "max-args", "use at most MAX-ARGS arguments per command line").value("MAX-ARGS"),
        Opt::new('o', "open-tty", "Reopen stdin as /dev/tty in the child process before executing the command; useful to run an interactive application."),
        Opt::new('P', "max-procs", "run at most MAX-PROCS processes at a time").value("MAX-PROCS"),
        Opt::new('p', "interactive", "prompt before running commands"),
        Opt::long("process-slot-var", "set environment variable VAR in child processes").value("VAR"),
        Opt::new('r', "no-run-if-empty", "if there are no arguments, then do not run COMMAND; if this option is not given, COMMAND will be run at least once"),
        Opt::new('s', "max-chars", "limit length of command line to MAX-CHARS").value("MAX-CHARS"),
        Opt::long("show-limits", "show limits on command-line length"),
        Opt::new('t', "verbose", "print commands before executing them"),
        Opt::new('x', "exit", "exit if the size (see -s) is exceeded"),
    ],
    notes: "",
    version: "xargs (GNU findutils) 4.9.0",
    examples: &[Example { script: "printf '%s\\n' a b c | xargs -n2 echo", output: "a b\nc\n" }],
};

/// Bytes of one command line, as GNU xargs allows itself.
const DEFAULT_SIZE: usize = 128 << 10;
/// ARG_MAX less the headroom that POSIX asks for.
const ARGUMENT_MAX: usize = 2_097_152 - 2048;

#[derive(Default)]
struct Config {
    delimiter: Option<u8>,
    file: Option<Bytes>,
    eof: Option<Bytes>,
    replace: Option<Bytes>,
    lines: usize,
    args: usize,
    parallel: usize,
    ask: bool,
    quiet_if_empty: bool,
    size: usize,
    show_limits: bool,
    verbose: bool,
    exit_if_too_long: bool,
    slot_var: Option<Bytes>,
    open_tty: bool,
}

/// Why the run ends early.
enum End {
    /// A message and a status.
    Fail(String, u8),
    /// A kernel error, passed up.
    Kernel(Error),
}

impl From<Error> for End {
    fn from(e: Error) -> End {
        End::Kernel(e)
    }
}

struct Run<'p> {
    process: &'p mut Process,
    config: Config,
    command: Vec<Bytes>,
    args: Vec<Bytes>,
    /// Bytes of the command and its arguments, with their NULs.
    size: usize,
    initial: usize,
    lines: usize,
    executed: bool,
    children: Vec<Option<Child>>,
    status: u8,
}

impl Program for Xargs {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::First, 1)? {
            Ok(parsed) => parsed,
            Err(status) => return Ok(status),
        };
        let config = match configure(process, &parsed)? {
            Ok(config) => config,
            Err(status) => return Ok(status),
        };
        let mut command = parsed.operands;
        if command.is_empty() {
            command.push(Bytes::from_static(b"echo"));
        }
        let initial = command.iter().map(|a| a.len() + 1).sum();
        if config.show_limits {
            show_limits(process, config.size)?;
        }
        let mut input = match &config.file {
            None => process.open_input(b"-")?,
            Some(name) => match process.open_input(name) {
                Ok(input) => input,
                Err(Error::Os(e)) => {
                    process.error(format_args!("Cannot open input file {}: {e}", quote(name)))?;
                    return Ok(Status::FAILURE);
                }
                Err(stop) => return Err(stop),
            },
        };
        let mut run = Run {
            process,
            config,
            command,
            args: Vec::new(),
            size: initial,
            initial,
            lines: 0,
            executed: false,
            children: Vec::new(),
            status: 0,
        };
        let end = run.read(&mut input).and_then(|()| run.finish());
        let waited = run.wait_all();
        match end.and(waited) {
            Ok(()) => Ok(Status(run.status)),
            Err(End::Fail(text, status)) => {
                process.error(format_args!("{text}"))?;
                Ok(Status(status))
            }
            Err(End::Kernel(e)) => Err(e),
        }
    }
}

fn show_limits(process: &mut Process, size: usize) -> Result<()> {
    let env: usize = process.env.iter().map(|(n, v)| n.len() + v.len() + 2).sum();
    let upper = ARGUMENT_MAX.saturating_sub(env);
    let text = format!(
        "Your environment variables take up {env} bytes\n\
         POSIX upper limit on argument length (this system): {upper}\n\
         POSIX smallest allowable upper limit on argument length (all systems): 4096\n\
         Maximum length of command we could actually use: {}\n\
         Size of command buffer we are actually using: {size}\n\
         Maximum parallelism (--max-procs must be no greater): 2147483647\n",
        upper.saturating_sub(env)
    );
    process.write_error(text.as_bytes())
}

/// Reads the options; `Err` is the status after a message.
fn configure(
    process: &mut Process,
    parsed: &sandshell_text::options::Parsed,
) -> Result<Result<Config, Status>> {
    let mut c = Config { parallel: 1, size: DEFAULT_SIZE, ..Config::default() };
    let env: usize = process.env.iter().map(|(n, v)| n.len() + v.len() + 2).sum();
    let max_size = ARGUMENT_MAX.saturating_sub(env);
    let exclusive = |a: &str, b: &str| {
        format!("warning: options {a} and {b} are mutually exclusive, ignoring previous {a} value")
    };
    for found in &parsed.options {
        let value = found.value.clone().unwrap_or_default();
        let mut warnings = Vec::new();
        match found.id {
            "null" => c.delimiter = Some(0),
            "arg-file" => c.file = Some(value),
            "delimiter" => match delimiter(&value) {
                Ok(d) => c.delimiter = Some(d),
                Err(text) => {
                    process.error(format_args!("{text}"))?;
                    return Ok(Err(Status::FAILURE));
                }
            },
            "E" => c.eof = Some(value).filter(|v| !v.is_empty()),
            "eof" => c.eof = found.value.clone().filter(|v| !v.is_empty()),
            "I" | "replace" => {
                if c.args > 0 {
                    warnings.push(exclusive("--max-args", "--replace/-I/-i"));
                    c.args = 0;
                }
                if c.lines > 0 {
                    warnings.push(exclusive("--max-lines", "--replace/-I/-i"));
                    c.lines = 0;
                }
                c.replace = Some(found.value.clone().unwrap_or(Bytes::from_static(b"{}")));
            }
            "L" | "max-lines" => {
                let text = if found.value.is_some() { &value[..] } else { b"1" };
                let shown = if found.id == "L" { "-L" } else { "-l" };
                c.lines = match number(process, text, &shown[1..], 1, i64::MAX)? {
                    Ok(n) => n,
                    Err(status) => return Ok(Err(status)),
                };
                if std::mem::take(&mut c.args) > 0 {
                    warnings.push(exclusive("--max-args", shown));
                }
                if c.replace.take().is_some() {
                    warnings.push(exclusive("--replace", shown));
                }
            }
            "max-args" => {
                let n = match number(process, &value, "n", 1, i64::MAX)? {
                    Ok(n) => n,
                    Err(status) => return Ok(Err(status)),
                };
                if std::mem::take(&mut c.lines) > 0 {
                    warnings.push(exclusive("--max-lines", "--max-args/-n"));
                }
                match c.replace.is_some() {
                    true if n == 1 => {}
                    replaces => {
                        if replaces {
                            warnings.push(exclusive("--replace", "--max-args/-n"));
                            c.replace = None;
                        }
                        c.args = n;
                    }
                }
            }
            "open-tty" => c.open_tty = true,
            "max-procs" => match number(process, &value, "P", 0, i64::from(i32::MAX))? {
                Ok(n) => c.parallel = n,
                Err(status) => return Ok(Err(status)),
            },
            "interactive" => {
                c.ask = true;
                c.verbose = true;
            }
            "process-slot-var" => c.slot_var = Some(value),
            "no-run-if-empty" => c.quiet_if_empty = true,
            "max-chars" => {
                let n = match number(process, &value, "s", 1, i64::MAX)? {
                    Ok(n) => n,
                    Err(status) => return Ok(Err(status)),
                };
                if n > max_size {
                    warnings.push(format!("value {n} for -s option should be <= {max_size}"));
                }
                c.size = n.min(max_size);
            }
            "show-limits" => c.show_limits = true,
            "verbose" => c.verbose = true,
            "exit" => c.exit_if_too_long = true,
            _ => {}
        }
        for w in warnings {
            process.error(format_args!("{w}"))?;
        }
    }
    if c.delimiter.is_some() && c.eof.take().is_some() {
        process.error(format_args!("warning: the -E option has no effect if -0 or -d is used.\n"))?;
    }
    if c.replace.is_some() || c.lines > 0 {
        c.exit_if_too_long = true;
    }
    Ok(Ok(c))
}

fn number(
    process: &mut Process,
    text: &[u8],
    letter: &str,
    min: i64,
    max: i64,
) -> Result<Result<usize, Status>> {
    let shown = String::from_utf8_lossy(text).into_owned();
    let Ok(n) = shown.trim_start().parse::<i64>() else {
        process.error(format_args!("invalid number \"{shown}\" for -{letter} option"))?;
        return Ok(Err(cli::try_help(process, 1)?));
    };
    if n < min {
        process.error(format_args!("value {shown} for -{letter} option should be >= {min}"))?;
        return Ok(Err(cli::try_help(process, 1)?));
    }
    if n > max {
        process.error(format_args!("value {shown} for -{letter} option should be <= {max}"))?;
        return Ok(Err(cli::try_help(process, 1)?));
    }
    Ok(Ok(usize::try_from(n).unwrap_or(usize::MAX)))
}

fn delimiter(text: &[u8]) -> Result<u8, String> {
    let shown = String::from_utf8_lossy(text);
    match text {
        [one] => Ok(*one),
        [b'\\', c] if !c.is_ascii_digit() => match c {
            b'a' => Ok(7),
            b'b' => Ok(8),
            b'f' => Ok(12),
            b'n' => Ok(b'\n'),
            b'r' => Ok(b'\r'),
            b't' => Ok(b'\t'),
            b'v' => Ok(11),
            b'\\' => Ok(b'\\'),
            _ => Err(format!("Invalid escape sequence {shown} in input delimiter specification.")),
        },
        [b'\\', rest @ ..] => {
            let (digits, radix) = match rest {
                [b'x', hex @ ..] => (hex, 16),
                octal => (octal, 8),
            };
            let digits = std::str::from_utf8(digits).unwrap_or("");
            u8::from_str_radix(digits, radix)
                .map_err(|_| format!("Invalid escape sequence {shown} in input delimiter specification."))
        }
        _ => Err(format!(
            "Invalid input delimiter specification {shown}: the delimiter must be either a single character or an escape sequence starting with \\."
        )),
    }
}

/// What a line of input holds.
struct Words<'a> {
    line: &'a [u8],
    at: usize,
}

/// An unmatched quote.
struct Unmatched(&'static str);

impl Words<'_> {
    /// The next word, split at blanks unless `whole`; blanks in front are skipped.
    fn next(&mut self, whole: bool) -> Result<Option<Vec<u8>>, Unmatched> {
        let blank = |b: u8| b == b' ' || b == b'\t';
        while self.line.get(self.at).is_some_and(|&b| blank(b)) {
            self.at += 1;
        }
        if self.at >= self.line.len() {
            return Ok(None);
        }
        let mut word = Vec::new();
        while let Some(&b) = self.line.get(self.at) {
            self.at += 1;
            match b {
                b'\'' | b'"' => {
                    let rest = &self.line[self.at..];
                    let Some(end) = memchr::memchr(b, rest) else {
                        return Err(Unmatched(if b == b'"' { "double" } else { "single" }));
                    };
                    word.extend_from_slice(&rest[..end]);
                    self.at += end + 1;
                }
                b'\\' => {
                    // The caller joins a line that ends in a backslash with the next one.
                    if let Some(&next) = self.line.get(self.at) {
                        word.push(next);
                        self.at += 1;
                    }
                }
                b if blank(b) && !whole => break,
                b => word.push(b),
            }
        }
        Ok(Some(word))
    }
}

impl Run<'_> {
    fn read(&mut self, input: &mut Input) -> Result<(), End> {
        let mut nul_told = false;
        if let Some(d) = self.config.delimiter {
            while let Some(line) = input.line(d)? {
                let item = Bytes::copy_from_slice(line.bytes);
                self.item(item)?;
                self.end_line(false)?;
            }
            return Ok(());
        }
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.read_line(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            // An escaped newline is part of the argument.
            while line.last() == Some(&b'\n') && ends_escaped(&line[..line.len() - 1]) {
                if input.read_line(b'\n', &mut line)? == 0 {
                    break;
                }
            }
            if line.last() == Some(&b'\n') && !ends_escaped(&line[..line.len() - 1]) {
                line.pop();
            }
            let whole = self.config.replace.is_some();
            let mut words = Words { line: &line, at: 0 };
            let mut any = false;
            loop {
                let word = match words.next(whole) {
                    Ok(Some(word)) => word,
                    Ok(None) => break,
                    Err(Unmatched(which)) => {
                        if !self.args.is_empty() && self.config.replace.is_none() {
                            self.execute()?;
                        }
                        return Err(End::Fail(
                            format!(
                                "unmatched {which} quote; by default quotes are special to xargs unless you use the -0 option"
                            ),
                            1,
                        ));
                    }
                };
                any = true;
                let mut word = word;
                if let Some(n) = memchr::memchr(0, &word) {
                    if !std::mem::replace(&mut nul_told, true) {
                        self.process.error(format_args!("WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?"))?;
                    }
                    word.truncate(n);
                }
                if self.config.eof.as_ref().is_some_and(|e| word == e[..]) {
                    return Ok(());
                }
                self.item(Bytes::from(word))?;
            }
            if any {
                self.end_line(matches!(line.last(), Some(b' ' | b'\t')))?;
            }
        }
    }

    /// One argument from the input.
    fn item(&mut self, item: Bytes) -> Result<(), End> {
        self.process.budget.step()?;
        if let Some(from) = self.config.replace.clone() {
            let argv: Vec<Bytes> = self
                .command
                .iter()
                .enumerate()
                .map(|(i, w)| if i == 0 { w.clone() } else { replace(w, &from, &item) })
                .collect();
            let size: usize = argv.iter().map(|a| a.len() + 1).sum();
            if size > self.config.size {
                return Err(End::Fail("command too long".into(), 1));
            }
            return self.launch(argv);
        }
        let more = item.len() + 1;
        if self.size + more > self.config.size {
            if self.args.is_empty()
                || self.config.exit_if_too_long && (self.config.args > 0 || self.config.lines > 0)
            {
                if self.initial > self.config.size {
                    return Err(End::Fail(
                        "cannot fit single argument within argument list size limit".into(),
                        1,
                    ));
                }
                let what = if self.args.is_empty() { "line" } else { "list" };
                return Err(End::Fail(format!("argument {what} too long"), 1));
            }
            self.execute()?;
            if self.size + more > self.config.size {
                return Err(End::Fail("argument line too long".into(), 1));
            }
        }
        self.size += more;
        self.args.push(item);
        if self.args.len() == self.config.args {
            self.execute()?;
        }
        Ok(())
    }

    fn end_line(&mut self, continues: bool) -> Result<(), End> {
        if self.config.lines > 0 && !continues {
            self.lines += 1;
            if self.lines >= self.config.lines {
                self.execute()?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), End> {
        let empty_run = !self.executed && !self.config.quiet_if_empty && self.config.replace.is_none();
        if !self.args.is_empty() || empty_run {
            self.execute()?;
        }
        Ok(())
    }

    fn execute(&mut self) -> Result<(), End> {
        let mut argv = self.command.clone();
        argv.append(&mut self.args);
        self.size = self.initial;
        self.lines = 0;
        self.launch(argv)
    }

    fn launch(&mut self, argv: Vec<Bytes>) -> Result<(), End> {
        self.executed = true;
        if self.config.verbose {
            let words: Vec<String> = argv.iter().map(|w| name(w)).collect();
            let end = if self.config.ask { "" } else { "\n" };
            self.process.stdout.flush()?;
            self.process.write_error(format!("{}{end}", words.join(" ")).as_bytes())?;
        }
        if self.config.ask || self.config.open_tty {
            let e = Errno::ENXIO;
            return Err(End::Fail(format!("failed to open /dev/tty for reading: {e}"), 1));
        }
        let name = argv[0].clone();
        let mut spawn = self.process.spawn(argv);
        if self.config.file.is_none() {
            spawn.files.fds.set(0, Some(Arc::new(Device::Null)));
        }
        match self.process.spawner().find(&name, &spawn.env, &spawn.files) {
            Ok(_) => {}
            Err(Error::Os(e)) => {
                let status = if e == Errno::ENOENT { 127 } else { 126 };
                return Err(End::Fail(format!("{}: {e}", String::from_utf8_lossy(&name)), status));
            }
            Err(stop) => return Err(stop.into()),
        }
        if self.config.parallel == 1 {
            self.set_slot(&mut spawn, 0);
            let status = self.process.run(spawn)?;
            return self.ended(&name, status);
        }
        self.start(spawn, &name)
    }

    fn set_slot(&self, spawn: &mut Spawn, slot: usize) {
        if let Some(var) = &self.config.slot_var {
            spawn.env.set(var.clone(), Bytes::from(slot.to_string()));
        }
    }

    /// Starts a command beside the others, waiting for a free place first.
    fn start(&mut self, mut spawn: Spawn, name: &Bytes) -> Result<(), End> {
        loop {
            self.collect(name)?;
            let running = self.children.iter().flatten().count();
            if self.config.parallel == 0 || running < self.config.parallel {
                let slot = self.children.iter().position(Option::is_none).unwrap_or(self.children.len());
                self.set_slot(&mut spawn, slot);
                match self.process.start(spawn.clone()) {
                    Ok(child) if slot == self.children.len() => {
                        self.children.push(Some(child));
                        return Ok(());
                    }
                    Ok(child) => {
                        self.children[slot] = Some(child);
                        return Ok(());
                    }
                    Err(Error::Os(Errno::EAGAIN)) if running > 0 => {}
                    Err(Error::Os(Errno::EAGAIN)) => {
                        // No place for a stage at all: run it here.
                        let status = self.process.run(spawn)?;
                        return self.ended(name, status);
                    }
                    Err(e) => return Err(e.into()),
                }
            }
            if let Some(child) = self.children.iter_mut().find_map(Option::take) {
                let status = child.wait(&self.process.budget)?;
                self.ended(name, status)?;
            }
        }
    }

    /// Takes the statuses of commands that have ended.
    fn collect(&mut self, name: &Bytes) -> Result<(), End> {
        for i in 0..self.children.len() {
            if let Some(child) = self.children[i].take_if(|c| c.done()) {
                let status = child.wait(&self.process.budget)?;
                self.ended(name, status)?;
            }
        }
        Ok(())
    }

    fn wait_all(&mut self) -> Result<(), End> {
        let name = self.command[0].clone();
        while let Some(child) = self.children.iter_mut().find_map(Option::take) {
            let status = child.wait(&self.process.budget)?;
            self.ended(&name, status)?;
        }
        Ok(())
    }

    fn ended(&mut self, name: &Bytes, status: Status) -> Result<(), End> {
        match status.0 {
            0 => Ok(()),
            255 => {
                let name = String::from_utf8_lossy(name);
                Err(End::Fail(format!("{name}: exited with status 255; aborting"), 124))
            }
            _ => {
                self.status = 123;
                Ok(())
            }
        }
    }
}

/// Whether the text ends with a backslash that would escape what follows, outside quotes.
fn ends_escaped(line: &[u8]) -> bool {
    if line.last() != Some(&b'\\') {
        return false;
    }
    let mut quote = None;
    let mut escaped = false;
    for &b in line {
        match (quote, b) {
            _ if escaped => escaped = false,
            (Some(q), b) if b == q => quote = None,
            (Some(_), _) => {}
            (None, b'\\') => escaped = true,
            (None, b'\'' | b'"') => quote = Some(b),
            _ => {}
        }
    }
    escaped
}
