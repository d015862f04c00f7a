//! Runs a script over the lines of its input.

use super::{
    Settings, fast,
    input::{Files, Out},
    script::*,
    substitute,
};
use sandshell_kernel::{Bytes, Error, Input, Process, Result, Status};
use sandshell_text::regex::{Captures, Regex};
use std::collections::HashMap;

/// What waits until the end of the cycle.
enum Queued<'s> {
    Text(&'s [u8]),
    File(&'s Bytes),
    Line(Vec<u8>, bool),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    Idle,
    /// Until this line.
    UntilLine(u64),
    /// Until the second address matches.
    Open,
    /// A range by line number that is over.
    Closed,
}

/// How a cycle ended.
enum End {
    /// At the end of the script, or by `b`.
    Normal,
    /// `d`, `c`: nothing is printed.
    Deleted,
    /// `D`: begin again with what is left.
    Again,
    /// `q`, and `n` without more input.
    Quit(u8),
    /// `Q`
    QuitSilently(u8),
}

/// A running script.
pub struct Machine<'s> {
    pub(super) process: &'s mut Process,
    pub(super) script: &'s Script,
    pub(super) settings: Settings,
    pub(super) files: Files,
    pub(super) out: Out,
    outputs: Vec<Out>,
    space: Vec<u8>,
    hold: Vec<u8>,
    scratch: Vec<u8>,
    /// Whether the pattern space ended with a delimiter when it was read.
    terminated: bool,
    hold_terminated: bool,
    line: u64,
    ranges: Vec<Range>,
    queue: Vec<Queued<'s>>,
    last_regex: Option<usize>,
    replaced: bool,
    lines: HashMap<&'s Bytes, Option<Input>>,
    captures: Captures,
    held: sandshell_kernel::Reservation,
    /// A message for the user that ends everything.
    fault: Option<(String, u8)>,
}

/// Runs a script to its end.
pub fn run(
    process: &mut Process,
    script: &Script,
    settings: Settings,
    operands: Vec<Bytes>,
) -> Result<Status> {
    let mut outputs = Vec::new();
    for name in &script.outputs {
        outputs.push(match &name[..] {
            b"/dev/stdout" => Out::stdout(),
            b"/dev/stderr" => Out::stderr(),
            _ => match process.files.create(name) {
                Ok(o) => Out::file(o),
                Err(Error::Os(e)) => {
                    let shown = String::from_utf8_lossy(name).into_owned();
                    process.error(format_args!("couldn't open file {shown}: {e}"))?;
                    return Ok(Status(4));
                }
                Err(stop) => return Err(stop),
            },
        });
    }
    let held = process.budget.reservation();
    let mut machine = Machine {
        process,
        script,
        settings,
        files: Files::new(operands),
        out: Out::stdout(),
        outputs,
        space: Vec::new(),
        hold: Vec::new(),
        scratch: Vec::new(),
        terminated: true,
        hold_terminated: true,
        line: 0,
        ranges: vec![Range::Idle; script.commands.len()],
        queue: Vec::new(),
        last_regex: None,
        replaced: false,
        lines: HashMap::new(),
        captures: Captures::new(),
        held,
        fault: None,
    };
    let status = match fast::plan(script, &machine.settings) {
        Some(plan) => machine.run_fast(plan)?,
        None => machine.run()?,
    };
    machine.finish_file()?;
    for i in 0..machine.outputs.len() {
        machine.outputs[i].flush(machine.process)?;
    }
    if let Some((text, status)) = machine.fault.take() {
        machine.process.stdout.flush()?;
        machine.process.error(format_args!("{text}"))?;
        return Ok(Status(status));
    }
    if let Some(fatal) = machine.files.fatal {
        return Ok(fatal);
    }
    Ok(if status == Status::OK { machine.files.status } else { status })
}

impl<'s> Machine<'s> {
    fn run(&mut self) -> Result<Status> {
        let mut again = false;
        loop {
            self.process.budget.step()?;
            if !again && !self.read()? {
                return Ok(Status::OK);
            }
            again = false;
            let end = self.cycle()?;
            match end {
                End::Normal => self.print_space()?,
                End::Quit(status) => {
                    self.print_space()?;
                    self.flush_queue()?;
                    return Ok(Status(status));
                }
                End::QuitSilently(status) => return Ok(Status(status)),
                End::Deleted => {}
                End::Again => again = true,
            }
            self.flush_queue()?;
            if self.settings.unbuffered {
                self.out.flush(self.process)?;
            }
            if self.fault.is_some() || self.files.fatal.is_some() {
                return Ok(Status::OK);
            }
        }
    }

    fn print_space(&mut self) -> Result<()> {
        if self.settings.quiet {
            return Ok(());
        }
        self.out.line(self.process, &self.space, self.settings.delimiter, self.terminated)
    }

    /// Replaces the pattern space by the next line; false when there is none.
    fn read(&mut self) -> Result<bool> {
        self.space.clear();
        self.append_line()
    }

    fn append_line(&mut self) -> Result<bool> {
        loop {
            if let Some(terminated) = self.files.line(self.settings.delimiter, &mut self.space)? {
                self.terminated = terminated;
                self.line += 1;
                self.replaced = false;
                if self.space.len() as u64 > self.held.bytes() + (1 << 16) {
                    self.held.set(self.space.len() as u64)?;
                }
                return Ok(true);
            }
            self.finish_file()?;
            if !self.files.advance(self.process, &self.settings)? {
                return Ok(false);
            }
            self.begin_file()?;
        }
    }

    pub(super) fn begin_file(&mut self) -> Result<()> {
        if self.settings.separate {
            self.line = 0;
            self.ranges.fill(Range::Idle);
        }
        if self.settings.in_place.is_some() {
            self.out = Out::memory(self.process);
        }
        Ok(())
    }

    /// Puts the edited text of a file in its place.
    pub(super) fn finish_file(&mut self) -> Result<()> {
        if self.settings.in_place.is_none() {
            return Ok(());
        }
        let Some(suffix) = self.settings.in_place.clone() else { return Ok(()) };
        let Some(text) = std::mem::replace(&mut self.out, Out::stdout()).gathered() else { return Ok(()) };
        let files = &self.process.files;
        let mut name = self.files.name.clone();
        if self.settings.follow {
            name = files.real_path(&name)?;
        }
        let done = (|| {
            let mode = files.stat(&name)?.mode;
            if !suffix.is_empty() {
                let backup = backup_name(&name, &suffix);
                files.rename(&name, &backup)?;
                files.write(&name, Bytes::from(text))?;
                return files.chmod(&name, mode);
            }
            if files.lstat(&name)?.kind == sandshell_kernel::FileKind::Symlink {
                // The link itself becomes a file, as a rename over it makes it.
                files.unlink(&name)?;
                files.write(&name, Bytes::from(text))?;
                return files.chmod(&name, mode);
            }
            files.write(&name, Bytes::from(text))
        })();
        match done {
            Err(Error::Os(e)) => {
                let shown = String::from_utf8_lossy(&name).into_owned();
                self.fault = Some((format!("couldn't edit {shown}: {e}"), 4));
                Ok(())
            }
            other => other,
        }
    }

    fn flush_queue(&mut self) -> Result<()> {
        if self.queue.is_empty() {
            return Ok(());
        }
        let delimiter = self.settings.delimiter;
        for q in std::mem::take(&mut self.queue) {
            match q {
                Queued::Text(t) => {
                    self.out.complete(self.process, delimiter)?;
                    self.out.put(self.process, t)?;
                }
                Queued::Line(l, terminated) => self.out.line(self.process, &l, delimiter, terminated)?,
                Queued::File(name) => {
                    let opened = match &name[..] {
                        b"/dev/stdin" => self.process.open_input(b"-"),
                        n => self.process.files.open_read(n),
                    };
                    match opened {
                        Ok(mut input) => {
                            let mut first = true;
                            while let Some(chunk) = input.next_chunk()? {
                                if std::mem::replace(&mut first, false) {
                                    self.out.complete(self.process, delimiter)?;
                                }
                                self.out.put(self.process, &chunk)?;
                            }
                        }
                        Err(Error::Os(_)) => {}
                        Err(stop) => return Err(stop),
                    }
                }
            }
        }
        Ok(())
    }

    // ---- addresses ----

    fn regex(&mut self, r: Option<usize>) -> Option<&'s Regex> {
        let i = match r {
            Some(i) => {
                self.last_regex = Some(i);
                i
            }
            None => match self.last_regex {
                Some(i) => i,
                None => {
                    self.fault = Some(("-e expression #1, char 0: no previous regular expression".into(), 1));
                    return None;
                }
            },
        };
        Some(&self.script.regexes[i])
    }

    fn first_matches(&mut self, first: First) -> Result<bool> {
        Ok(match first {
            First::Zero => false,
            First::Line(n) => self.line == n,
            First::Step(first, step) => self.line >= first && (self.line - first).is_multiple_of(step),
            First::End => self.files.at_end(self.process, &self.settings)?,
            First::Regex(r) => match self.regex(r) {
                Some(r) => r.is_match(&self.space),
                None => false,
            },
        })
    }

    fn applies(&mut self, at: usize, address: &'s Address) -> Result<bool> {
        let Some(last) = address.last else { return self.first_matches(address.first) };
        match self.ranges[at] {
            Range::Closed => Ok(false),
            Range::Idle => {
                if address.first == First::Zero {
                    // Line 0 has been: the end may be on line 1 already.
                    self.ranges[at] = Range::Open;
                    self.within(at, last)?;
                    if self.ranges[at] == Range::Idle {
                        self.close(at, address);
                    }
                    return Ok(true);
                }
                if !self.first_matches(address.first)? {
                    return Ok(false);
                }
                let until = match last {
                    Last::Line(n) => Some(n),
                    Last::Count(n) => Some(self.line.saturating_add(n)),
                    Last::Multiple(n) => Some(self.line.div_ceil(n).saturating_mul(n)),
                    Last::End | Last::Regex(_) => None,
                };
                self.ranges[at] = match until {
                    Some(n) if n <= self.line => Range::Idle,
                    Some(n) => Range::UntilLine(n),
                    None => Range::Open,
                };
                Ok(true)
            }
            Range::UntilLine(n) => {
                if self.line >= n {
                    self.close(at, address);
                }
                Ok(self.line <= n || self.again(at, address)?)
            }
            Range::Open => {
                let inside = self.within(at, last)?;
                if self.ranges[at] == Range::Idle {
                    self.close(at, address);
                }
                Ok(inside)
            }
        }
    }

    /// A range whose end was jumped over: its start may match here.
    fn again(&mut self, at: usize, address: &'s Address) -> Result<bool> {
        match address.first {
            First::Regex(_) | First::Step(..) => self.applies(at, address),
            _ => Ok(false),
        }
    }

    fn within(&mut self, at: usize, last: Last) -> Result<bool> {
        let ends = match last {
            Last::End => self.files.at_end(self.process, &self.settings)?,
            Last::Regex(r) => match self.regex(r) {
                Some(r) => r.is_match(&self.space),
                None => true,
            },
            _ => true,
        };
        if ends {
            self.ranges[at] = Range::Idle;
        }
        Ok(true)
    }

    fn close(&mut self, at: usize, address: &Address) {
        let once = matches!(address.first, First::Zero | First::Line(_));
        self.ranges[at] = if once { Range::Closed } else { Range::Idle };
    }

    // ---- commands ----

    fn cycle(&mut self) -> Result<End> {
        let script = self.script;
        let mut at = 0;
        while let Some(command) = script.commands.get(at) {
            let applies = match &command.address {
                None => true,
                Some(a) => self.applies(at, a)?,
            };
            if self.fault.is_some() {
                return Ok(End::Deleted);
            }
            if applies == command.negated {
                at = match command.action {
                    Action::Block(to) => to,
                    _ => at + 1,
                };
                continue;
            }
            let went = self.command(at, command)?;
            if self.fault.is_some() {
                return Ok(End::Deleted);
            }
            if let Some(to) = went {
                match to {
                    Ok(target) => {
                        self.process.budget.step()?;
                        at = target;
                        continue;
                    }
                    Err(end) => return Ok(end),
                }
            }
            at += 1;
        }
        Ok(End::Normal)
    }

    /// Does one command: where to go on if not at the next, or how the cycle ends.
    fn command(
        &mut self,
        at: usize,
        command: &'s Command,
    ) -> Result<Option<std::result::Result<usize, End>>> {
        let delimiter = self.settings.delimiter;
        match &command.action {
            Action::Block(_) | Action::Nothing => {}
            Action::Number => {
                let mut text = itoa::Buffer::new().format(self.line).as_bytes().to_vec();
                text.push(b'\n');
                self.out.complete(self.process, delimiter)?;
                self.out.put(self.process, &text)?;
            }
            Action::Append(text) => self.queue.push(Queued::Text(text)),
            Action::Insert(text) => {
                self.out.complete(self.process, delimiter)?;
                self.out.put(self.process, text)?;
            }
            Action::Change(text) => {
                let inside = command.address.as_ref().is_some_and(|a| a.last.is_some())
                    && !command.negated
                    && matches!(self.ranges[at], Range::Open | Range::UntilLine(_));
                if !inside {
                    self.out.complete(self.process, delimiter)?;
                    self.out.put(self.process, text)?;
                }
                return Ok(Some(Err(End::Deleted)));
            }
            Action::Branch(to) => return Ok(Some(Ok(*to))),
            Action::BranchIf(to) => {
                if std::mem::take(&mut self.replaced) {
                    return Ok(Some(Ok(*to)));
                }
            }
            Action::BranchUnless(to) => {
                if !std::mem::take(&mut self.replaced) {
                    return Ok(Some(Ok(*to)));
                }
            }
            Action::Delete => return Ok(Some(Err(End::Deleted))),
            Action::DeleteFirst => {
                return Ok(Some(Err(match memchr::memchr(delimiter, &self.space) {
                    None => End::Deleted,
                    Some(i) => {
                        self.space.drain(..=i);
                        End::Again
                    }
                })));
            }
            Action::Execute(text) => self.execute(text)?,
            Action::FileName => {
                let name = self.files.name.clone();
                self.out.complete(self.process, delimiter)?;
                self.out.put(self.process, &name)?;
                self.out.put(self.process, b"\n")?;
            }
            Action::Get => {
                self.space.clone_from(&self.hold);
                self.terminated = self.hold_terminated;
            }
            Action::GetAppend => {
                self.terminated = self.hold_terminated;
                self.space.push(delimiter);
                self.space.extend_from_slice(&self.hold);
                self.charge()?;
            }
            Action::Hold => {
                self.hold.clone_from(&self.space);
                self.hold_terminated = self.terminated;
            }
            Action::HoldAppend => {
                self.hold_terminated = self.terminated;
                self.hold.push(delimiter);
                self.hold.extend_from_slice(&self.space);
                self.charge()?;
            }
            Action::List(width) => self.list(width.unwrap_or(self.settings.line_length))?,
            Action::Next => {
                if self.files.exhausted(self.process, &self.settings)? {
                    if self.settings.posix {
                        return Ok(Some(Err(End::Deleted)));
                    }
                    return Ok(Some(Err(End::Quit(0))));
                }
                self.print_space()?;
                self.flush_queue()?;
                let replaced = self.replaced;
                if !self.read()? {
                    return Ok(Some(Err(End::QuitSilently(0))));
                }
                self.replaced = replaced;
            }
            Action::NextAppend => {
                if self.files.exhausted(self.process, &self.settings)? {
                    if self.settings.posix {
                        return Ok(Some(Err(End::Deleted)));
                    }
                    return Ok(Some(Err(End::Quit(0))));
                }
                self.flush_queue()?;
                self.space.push(delimiter);
                let replaced = self.replaced;
                if !self.append_line()? {
                    self.space.pop();
                    return Ok(Some(Err(End::Quit(0))));
                }
                self.replaced = replaced;
            }
            Action::Print => self.out.line(self.process, &self.space, delimiter, self.terminated)?,
            Action::PrintFirst => {
                let end = memchr::memchr(delimiter, &self.space);
                let terminated = end.is_some() || self.terminated;
                let text = &self.space[..end.unwrap_or(self.space.len())];
                self.out.line(self.process, text, delimiter, terminated)?;
            }
            Action::Quit(status) => return Ok(Some(Err(End::Quit(*status)))),
            Action::QuitSilently(status) => return Ok(Some(Err(End::QuitSilently(*status)))),
            Action::Read(name) => self.queue.push(Queued::File(name)),
            Action::ReadLine(name) => self.read_line(name)?,
            Action::Substitute(s) => self.substitute(s)?,
            Action::Write(i) => self.outputs_line(*i, None)?,
            Action::WriteFirst(i) => {
                let end = memchr::memchr(delimiter, &self.space);
                self.outputs_line(*i, end)?;
            }
            Action::Exchange => {
                std::mem::swap(&mut self.space, &mut self.hold);
                std::mem::swap(&mut self.terminated, &mut self.hold_terminated);
            }
            Action::Translate(t) => self.translate(t),
            Action::Zap => self.space.clear(),
        }
        Ok(None)
    }

    /// Charges the two spaces.
    fn charge(&mut self) -> Result<()> {
        let now = (self.space.len() + self.hold.len()) as u64;
        if now > self.held.bytes() + (1 << 16) {
            self.held.set(now)?;
        }
        Ok(())
    }

    fn outputs_line(&mut self, i: usize, end: Option<usize>) -> Result<()> {
        let terminated = end.is_some() || self.terminated;
        let text = &self.space[..end.unwrap_or(self.space.len())];
        let delimiter = self.settings.delimiter;
        if &self.script.outputs[i][..] == b"/dev/stdout" {
            return self.out.line(self.process, text, delimiter, terminated);
        }
        self.outputs[i].line(self.process, text, delimiter, terminated)?;
        // Another command may read the file at once.
        self.outputs[i].flush(self.process)
    }

    fn read_line(&mut self, name: &'s Bytes) -> Result<()> {
        if !self.lines.contains_key(name) {
            let opened = match &name[..] {
                b"/dev/stdin" => self.process.open_input(b"-"),
                n => self.process.files.open_read(n),
            };
            let input = match opened {
                Ok(i) => Some(i),
                Err(Error::Os(_)) => None,
                Err(stop) => return Err(stop),
            };
            self.lines.insert(name, input);
        }
        if let Some(Some(input)) = self.lines.get_mut(name)
            && let Some(line) = input.line(self.settings.delimiter)?
        {
            let line = Queued::Line(line.bytes.to_vec(), line.terminated);
            self.queue.push(line);
        }
        Ok(())
    }

    /// Runs a command and gives what it prints.
    fn output_of(&mut self, text: &[u8]) -> Result<Vec<u8>> {
        self.out.flush(self.process)?;
        let argv = vec![Bytes::from_static(b"sh"), Bytes::from_static(b"-c"), Bytes::copy_from_slice(text)];
        let spawn = self.process.spawn(argv);
        match self.process.start_reading(spawn) {
            Ok((mut input, child)) => {
                let all = input.read_all()?.to_vec();
                child.wait(&self.process.budget)?;
                Ok(all)
            }
            Err(Error::Os(e)) => {
                self.fault = Some((format!("error in subprocess: {e}"), 4));
                Ok(Vec::new())
            }
            Err(stop) => Err(stop),
        }
    }

    fn execute(&mut self, text: &[u8]) -> Result<()> {
        let delimiter = self.settings.delimiter;
        if text.is_empty() {
            let command = std::mem::take(&mut self.space);
            let mut result = self.output_of(&command)?;
            if result.last() == Some(&delimiter) {
                result.pop();
            }
            self.space = result;
        } else {
            let result = self.output_of(text)?;
            self.out.complete(self.process, delimiter)?;
            self.out.put(self.process, &result)?;
        }
        Ok(())
    }

    fn translate(&mut self, t: &Translate) {
        match t {
            Translate::Bytes(table) => {
                for b in &mut self.space {
                    *b = table[*b as usize];
                }
            }
            Translate::Characters(pairs) => {
                let mut out = Vec::with_capacity(self.space.len());
                let mut at = 0;
                while at < self.space.len() {
                    let n = sandshell_text::posix_class::next_char(&self.space[at..]).1.max(1);
                    let c = &self.space[at..at + n];
                    out.extend_from_slice(pairs.iter().find(|p| p.0 == c).map_or(c, |p| &p.1));
                    at += n;
                }
                self.space = out;
            }
        }
    }

    /// `l`: the pattern space without ambiguity, folded.
    fn list(&mut self, width: usize) -> Result<()> {
        let mut out = Vec::with_capacity(self.space.len() + 16);
        let mut column = 0;
        let mut piece = Vec::new();
        for &b in &self.space {
            piece.clear();
            let letter = match b {
                b'\\' => b'\\',
                7 => b'a',
                8 => b'b',
                12 => b'f',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                11 => b'v',
                _ => 0,
            };
            if letter != 0 {
                piece.extend_from_slice(&[b'\\', letter]);
            } else if (0x20..0x7f).contains(&b) {
                piece.push(b);
            } else {
                piece.push(b'\\');
                piece.extend([b >> 6, b >> 3 & 7, b & 7].map(|d| b'0' + d));
            }
            if width > 0 && column + piece.len() > width - 1 {
                out.extend_from_slice(b"\\\n");
                column = 0;
            }
            column += piece.len();
            out.extend_from_slice(&piece);
        }
        out.extend_from_slice(b"$\n");
        self.out.complete(self.process, self.settings.delimiter)?;
        self.out.put(self.process, &out)
    }

    fn substitute(&mut self, s: &'s Substitute) -> Result<()> {
        let Some(regex) = self.regex(s.regex) else { return Ok(()) };
        let mut captures = std::mem::take(&mut self.captures);
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        let needs = s.groups || s.cases;
        let text = &self.space;
        let mut last = 0;
        let mut n = 0;
        let mut count = 0;
        let mut matches = regex.searcher(text).matches();
        loop {
            let bounds = if needs {
                if matches.next_captures(&mut captures) { captures.get(0) } else { None }
            } else {
                matches.next()
            };
            let Some((a, b)) = bounds else { break };
            n += 1;
            if n < s.from {
                continue;
            }
            count += 1;
            out.extend_from_slice(&text[last..a]);
            if needs {
                substitute::replace(s, text, &captures, &mut out);
            } else {
                substitute::replace_whole(s, &text[a..b], &mut out);
            }
            last = b;
            if !s.global {
                break;
            }
            if count % 64 == 0 {
                self.process.budget.step()?;
                if out.len() as u64 > self.held.bytes() + (1 << 16) {
                    self.held.set(out.len() as u64)?;
                }
            }
        }
        self.captures = captures;
        if count == 0 {
            self.scratch = out;
            return Ok(());
        }
        out.extend_from_slice(&text[last..]);
        self.scratch = std::mem::replace(&mut self.space, out);
        self.replaced = true;
        let delimiter = self.settings.delimiter;
        if s.execute {
            if s.print == 1 {
                self.out.line(self.process, &self.space, delimiter, self.terminated)?;
            }
            self.execute(b"")?;
        }
        if s.print > 0 && !(s.execute && s.print == 1) {
            self.out.line(self.process, &self.space, delimiter, self.terminated)?;
        }
        if let Some(i) = s.write {
            self.outputs_line(i, None)?;
        }
        Ok(())
    }
}

/// The name of a backup: the suffix appended, or put where it has asterisks.
fn backup_name(name: &[u8], suffix: &[u8]) -> Vec<u8> {
    let slash = memchr::memrchr(b'/', name).map_or(0, |i| i + 1);
    let (directory, base) = name.split_at(slash);
    let new = if suffix.contains(&b'*') {
        let mut out = Vec::new();
        for b in suffix {
            if *b == b'*' {
                out.extend_from_slice(base);
            } else {
                out.push(*b);
            }
        }
        out
    } else {
        [base, suffix].concat()
    };
    if new.contains(&b'/') { new } else { [directory, &new[..]].concat() }
}
