//! `csplit`: pieces of a file by line numbers and patterns.

use crate::cli;
use sandshell_kernel::{Bytes, Error, Process, Program, Result, Status};
use sandshell_text::number::parse_decimal;
use sandshell_text::options::{Example, Opt, Order, Spec};
use sandshell_text::printf::{Flavor, Format, Host};
use sandshell_text::regex::{Flags, Regex, Syntax};

/// `csplit`
pub struct Csplit;

static SPEC: Spec = Spec {
    name: "csplit",
    about: "Output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ...,\n\
        and output byte counts of each piece to standard output.\n\nRead standard input if FILE is -",
    synopsis: &["[OPTION]... FILE PATTERN..."],
    options: &[
        Opt::new('b', "suffix-format", "use sprintf FORMAT instead of %02d").value("FORMAT"),
        Opt::new('f', "prefix", "use PREFIX instead of 'xx'").value("PREFIX"),
        Opt::new('k', "keep-files", "do not remove output files on errors"),
        Opt::long("suppress-matched", "suppress the lines matching PATTERN"),
        Opt::new('n', "digits", "use specified number of digits instead of 2").value("DIGITS"),
        Opt::new('s', "quiet", "do not print counts of output file sizes"),
        Opt::long("silent", ""),
        Opt::new('z', "elide-empty-files", "remove empty output files"),
    ],
    notes: "Each PATTERN may be:\n  INTEGER            copy up to but not including specified line number\n  \
        /REGEXP/[OFFSET]   copy up to but not including a matching line\n  \
        %REGEXP%[OFFSET]   skip to, but not including a matching line\n  \
        {INTEGER}          repeat the previous pattern specified number of times\n  \
        {*}                repeat the previous pattern as many times as possible\n\n\
        A line OFFSET is an integer optionally preceded by '+' or '-'",
    version: "csplit (GNU coreutils) 9.1",
    examples: &[Example { script: "seq 5 | csplit -s - 3; cat xx01", output: "3\n4\n5\n" }],
};

struct Control {
    text: Bytes,
    kind: Kind,
    /// How often besides the first time; `None`: as often as possible.
    repeat: Option<u64>,
}

enum Kind {
    Line(u64),
    Pattern { regex: Regex, offset: i64, skip: bool },
}

/// The end of the work: by an error whose message was printed, or the end of `{*}`.
enum Halt {
    Done,
    Failed,
    Error(Error),
}

impl From<Error> for Halt {
    fn from(e: Error) -> Halt {
        Halt::Error(e)
    }
}

type Outcome<T> = std::result::Result<T, Halt>;

struct Work {
    text: Bytes,
    /// Where each line begins, and the end.
    lines: Vec<usize>,
    /// Lines given away.
    taken: u64,
    /// The last line that a pattern was tried on.
    current: u64,
    out: Option<(Bytes, Vec<u8>)>,
    created: u64,
    suffix: Suffix,
    prefix: Bytes,
    quiet: bool,
    elide: bool,
    suppress: bool,
}

enum Suffix {
    Digits(usize),
    Format(Box<Format>),
}

struct Quiet;

impl Host for Quiet {
    fn complain(&mut self, _: &str) {}
}

impl Work {
    fn count(&self) -> u64 {
        self.lines.len() as u64 - 1
    }

    fn line(&self, number: u64) -> Option<&[u8]> {
        let i = usize::try_from(number.checked_sub(1)?).ok()?;
        Some(&self.text[*self.lines.get(i)?..*self.lines.get(i + 1)?])
    }

    fn name(&self, n: u64) -> Bytes {
        let mut name = self.prefix.to_vec();
        match &self.suffix {
            Suffix::Digits(width) => name.extend_from_slice(format!("{n:0width$}").as_bytes()),
            Suffix::Format(f) => {
                f.run(&[n.to_string()], &mut name, &mut Quiet);
            }
        }
        Bytes::from(name)
    }

    fn create(&mut self) {
        self.out = Some((self.name(self.created), Vec::new()));
        self.created += 1;
    }

    /// Gives the lines before `number` to the open piece; false when there are too few.
    fn take_to(&mut self, number: u64) -> bool {
        let to = number.saturating_sub(1).min(self.count());
        if to > self.taken {
            let (a, b) = (self.lines[self.taken as usize], self.lines[to as usize]);
            if let Some((_, out)) = &mut self.out {
                out.extend_from_slice(&self.text[a..b]);
            }
            self.taken = to;
        }
        self.taken + 1 >= number
    }

    fn close(&mut self, process: &mut Process) -> Outcome<()> {
        let Some((name, data)) = self.out.take() else { return Ok(()) };
        if data.is_empty() && self.elide {
            self.created -= 1;
            return Ok(());
        }
        let size = data.len();
        if let Err(e) = process.files.write(&name, Bytes::from(data)) {
            process.complain(format_args!("{}", cli::shell_quote(&name, false)), e)?;
            self.created -= 1;
            return Err(Halt::Failed);
        }
        if !self.quiet {
            process.stdout.text(format_args!("{size}\n"))?;
        }
        Ok(())
    }

    fn fail(&mut self, process: &mut Process, message: &str) -> Halt {
        let line = format!("{}: {message}\n", process.name());
        match self.close(process).and_then(|()| Ok(process.write_error_first(line.as_bytes())?)) {
            Ok(()) => Halt::Failed,
            Err(halt) => halt,
        }
    }

    fn by_line(&mut self, process: &mut Process, control: &Control, number: u64, time: u64) -> Outcome<()> {
        let to = number.saturating_mul(time + 1);
        self.create();
        let out_of_range = |w: &mut Work, process: &mut Process| {
            let mut message =
                format!("{}: line number out of range", cli::quote(number.to_string().as_bytes()));
            if time > 0 {
                message.push_str(&format!(" on repetition {time}"));
            }
            let _ = control;
            w.fail(process, &message)
        };
        if self.suppress && self.taken >= self.count() || !self.take_to(to) {
            return Err(out_of_range(self, process));
        }
        self.current = self.current.max(self.taken);
        self.close(process)?;
        if self.suppress {
            self.taken = (self.taken + 1).min(self.count());
            self.current = self.current.max(self.taken);
        } else if self.taken >= self.count() {
            return Err(out_of_range(self, process));
        }
        Ok(())
    }

    fn by_pattern(&mut self, process: &mut Process, control: &Control, time: u64) -> Outcome<()> {
        let Kind::Pattern { regex, offset, skip } = &control.kind else { return Ok(()) };
        if !skip {
            self.create();
        }
        loop {
            process.budget.step()?;
            self.current += 1;
            let Some(line) = self.line(self.current) else {
                if !skip {
                    self.take_to(u64::MAX);
                }
                if control.repeat.is_none() {
                    self.close(process)?;
                    return Err(Halt::Done);
                }
                let mut message = format!("{}: match not found", cli::quote(&control.text));
                if time > 0 {
                    message.push_str(&format!(" on repetition {time}"));
                }
                return Err(self.fail(process, &message));
            };
            if regex.is_match(line.strip_suffix(b"\n").unwrap_or(line)) {
                break;
            }
            if *offset >= 0 {
                // The lines before go to the piece as they come.
                let next = self.current + 1;
                self.take_to(next);
            }
        }
        let to = self.current.checked_add_signed(*offset).unwrap_or(0);
        if to < self.taken + 1 || !self.take_to(to) {
            let message = format!("{}: line number out of range", cli::quote(&control.text));
            return Err(self.fail(process, &message));
        }
        self.close(process)?;
        if *offset > 0 {
            self.current = to;
        }
        if self.suppress {
            self.taken = (self.taken + 1).min(self.count());
        }
        Ok(())
    }
}

/// A piece's text up to `taken` when it is skipped.
impl Work {
    fn run(&mut self, process: &mut Process, controls: &[Control]) -> Outcome<()> {
        for control in controls {
            let mut time = 0;
            while control.repeat.is_none_or(|n| time <= n) {
                match control.kind {
                    Kind::Line(number) => self.by_line(process, control, number, time)?,
                    Kind::Pattern { .. } => self.by_pattern(process, control, time)?,
                }
                time += 1;
            }
        }
        self.create();
        self.take_to(u64::MAX);
        self.close(process)
    }
}

/// The patterns, or the message for a wrong one.
fn controls(args: &[Bytes], warn: &mut Vec<String>) -> std::result::Result<Vec<Control>, String> {
    let mut list: Vec<Control> = Vec::new();
    let mut last_line = 0;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let shown = || cli::quote(arg);
        let kind = match arg.first() {
            Some(delimiter @ (b'/' | b'%')) => {
                let close = memchr::memrchr(*delimiter, &arg[1..]).ok_or_else(|| {
                    let text = String::from_utf8_lossy(arg);
                    format!("{text}: closing delimiter '{}' missing", char::from(*delimiter))
                })?;
                let rest = arg[close + 2..].trim_ascii_start();
                let offset = match rest {
                    [] => Some(0),
                    [b'+', digits @ ..] => parse_decimal(digits).and_then(|n| i64::try_from(n).ok()),
                    [b'-', digits @ ..] => {
                        parse_decimal(digits).and_then(|n| i64::try_from(n).ok()).map(|n| -n)
                    }
                    digits => parse_decimal(digits).and_then(|n| i64::try_from(n).ok()),
                };
                let offset =
                    offset.ok_or_else(|| format!("{}: integer expected after delimiter", shown()))?;
                let regex = Regex::new(&arg[1..close + 1], Syntax::Bre, Flags::default())
                    .map_err(|e| format!("{}: invalid regular expression: {e}", shown()))?;
                Kind::Pattern { regex, offset, skip: *delimiter == b'%' }
            }
            _ => {
                let number = parse_decimal(arg).ok_or_else(|| format!("{}: invalid pattern", shown()))?;
                if number == 0 {
                    return Err(format!(
                        "{}: line number must be greater than zero",
                        String::from_utf8_lossy(arg)
                    ));
                }
                if number < last_line {
                    return Err(format!(
                        "line number {} is smaller than preceding line number, {last_line}",
                        shown()
                    ));
                }
                if number == last_line {
                    warn.push(format!(
                        "warning: line number {} is the same as preceding line number",
                        shown()
                    ));
                }
                last_line = number;
                Kind::Line(number)
            }
        };
        at += 1;
        let mut repeat = Some(0);
        if let Some(count) = args.get(at).filter(|a| a.first() == Some(&b'{')) {
            let Some(inner) = count[1..].strip_suffix(b"}") else {
                return Err(format!("{}: '}}' is required in repeat count", cli::quote(count)));
            };
            repeat = match inner {
                b"*" => None,
                digits => match parse_decimal(digits) {
                    Some(n) => Some(n),
                    None => {
                        let shown = cli::quote(&count[..count.len() - 1]);
                        return Err(format!("{shown}}}: integer required between '{{' and '}}'"));
                    }
                },
            };
            at += 1;
        }
        list.push(Control { text: arg.clone(), kind, repeat });
    }
    Ok(list)
}

/// Checks a suffix format: one integer conversion.
fn suffix_format(text: &[u8]) -> std::result::Result<Format, String> {
    let mut at = 0;
    let mut found = false;
    while at < text.len() {
        if text[at] != b'%' {
            at += 1;
            continue;
        }
        at += 1;
        if text.get(at) == Some(&b'%') {
            at += 1;
            continue;
        }
        if found {
            return Err("too many % conversion specifications in suffix".to_owned());
        }
        found = true;
        while text.get(at).is_some_and(|b| b"-+ #0'".contains(b)) {
            at += 1;
        }
        let digits = |at: &mut usize| {
            while text.get(*at).is_some_and(u8::is_ascii_digit) {
                *at += 1;
            }
        };
        digits(&mut at);
        if text.get(at) == Some(&b'.') {
            at += 1;
            digits(&mut at);
        }
        match text.get(at) {
            Some(b'd' | b'i' | b'u' | b'o' | b'x' | b'X') => at += 1,
            None => return Err("missing conversion specifier in suffix".to_owned()),
            Some(c) if c.is_ascii_graphic() => {
                return Err(format!("invalid conversion specifier in suffix: {}", char::from(*c)));
            }
            Some(c) => return Err(format!("invalid conversion specifier in suffix: \\{c:03o}")),
        }
    }
    match found {
        true => Ok(Format::new(text, Flavor::Gnu)),
        false => Err("missing % conversion specification in suffix".to_owned()),
    }
}

/// The longest number in a name.
const MAX_DIGITS: u64 = 255;

impl Program for Csplit {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let failed = |process: &mut Process, message: &str| {
            process.error(format_args!("{message}"))?;
            Ok(Status::FAILURE)
        };
        let mut suffix = Suffix::Digits(2);
        if let Some(n) = parsed.last("digits") {
            match parse_decimal(n).filter(|n| *n <= MAX_DIGITS) {
                Some(n) => suffix = Suffix::Digits(n as usize),
                None => return failed(process, &format!("invalid number: {}", cli::quote(n))),
            }
        }
        if let Some(f) = parsed.last("suffix-format") {
            match suffix_format(f) {
                Ok(f) => suffix = Suffix::Format(Box::new(f)),
                Err(message) => return failed(process, &message),
            }
        }
        let operands = &parsed.operands;
        if operands.len() < 2 {
            match operands.first() {
                Some(last) => process.error(format_args!("missing operand after {}", cli::quote(last)))?,
                None => process.error(format_args!("missing operand"))?,
            }
            return cli::try_help(process, 1);
        }
        let mut input = match process.open_input(&operands[0]) {
            Ok(input) => input,
            Err(e) => {
                let shown = cli::shell_quote(&operands[0], true);
                process.complain(format_args!("cannot open {shown} for reading"), e)?;
                return Ok(Status::FAILURE);
            }
        };
        let mut warnings = Vec::new();
        let list = controls(&operands[1..], &mut warnings);
        for w in warnings {
            process.error(format_args!("{w}"))?;
        }
        let list = match list {
            Ok(list) => list,
            Err(message) => return failed(process, &message),
        };
        let text = input.read_all()?;
        let mut lines = vec![0];
        lines.extend(memchr::memchr_iter(b'\n', &text).map(|i| i + 1));
        if lines.last() != Some(&text.len()) {
            lines.push(text.len());
        }
        let _held = process.budget.reserve((2 * text.len() + lines.len() * 8) as u64)?;
        let mut work = Work {
            text,
            lines,
            taken: 0,
            current: 0,
            out: None,
            created: 0,
            suffix,
            prefix: parsed.last("prefix").cloned().unwrap_or(Bytes::from_static(b"xx")),
            quiet: parsed.has("quiet") || parsed.has("silent"),
            elide: parsed.has("elide-empty-files"),
            suppress: parsed.has("suppress-matched"),
        };
        match work.run(process, &list) {
            Ok(()) | Err(Halt::Done) => Ok(Status::OK),
            Err(Halt::Error(e)) => Err(e),
            Err(Halt::Failed) => {
                if !parsed.has("keep-files") {
                    for n in 0..work.created {
                        let _ = process.files.unlink(&work.name(n));
                    }
                }
                Ok(Status::FAILURE)
            }
        }
    }
}
