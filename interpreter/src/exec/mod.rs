//! Execution: lists, pipelines and commands of the compiled form, with bash's rules for `$?`, `set -e` and traps.

pub mod compound;
pub mod conditional;
pub mod function;
mod input;
pub mod pipeline;
pub mod redirect;
pub mod simple;
pub mod trace;

use crate::session::{
    cache::{self, Mode},
    options::{opt, shopt},
    shell::{Flow, Shell, Unwind, watch},
    traps,
};
use crate::syntax::{
    ParseState, Parser,
    ir::{AndOr, Command, CommandKind, Connective, LineNo, List, Pipeline, SyntaxError, Unit},
};
use bytes::Bytes;
use sandshell_kernel::{Error, Stop};
use std::sync::Arc;

/// Where commands that are run as text come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// A script: its end is the shell's end.
    Script,
    /// `eval`
    Eval,
    /// `source`
    Source,
    /// The handler of this trap.
    Trap(u8),
}

/// Room that a level of recursion may need before it looks again.
const RED_ZONE: usize = 192 << 10;
/// What a new piece of stack holds.
const STACK: usize = 2 << 20;

/// The complete commands of a text, one after the other: from the cache of programs, or parsed as they are reached,
/// so that aliases and options that a command changes hold for the next.
struct Units {
    text: Bytes,
    line: LineNo,
    mode: Mode,
    cached: Option<Arc<[Arc<Unit>]>>,
    at: usize,
    parser: Option<Parser>,
    collected: Vec<Arc<Unit>>,
    cacheable: bool,
}

impl Units {
    fn new(sh: &Shell, text: Bytes, line: LineNo) -> Units {
        let mode = sh.parse_mode(line);
        let plain = !sh.aliases_apply();
        let cached = if plain { cache::get(&text, mode) } else { None };
        Units { text, line, mode, cached, at: 0, parser: None, collected: Vec::new(), cacheable: plain }
    }

    fn next(&mut self, sh: &Shell) -> Result<Option<Arc<Unit>>, SyntaxError> {
        let same = sh.parse_mode(self.line) == self.mode && !sh.aliases_apply();
        if let Some(units) = &self.cached {
            if same {
                let unit = units.get(self.at).cloned();
                self.at += 1;
                return Ok(unit);
            }
            // The way of reading changed in the middle: parse what is left anew.
            let mut parser = Parser::new(self.text.clone(), self.line);
            let before = ParseState { extglob: self.mode.extglob, ..ParseState::default() };
            for _ in 0..self.at {
                parser.next_command(&before)?;
            }
            self.cached = None;
            self.parser = Some(parser);
        }
        self.cacheable &= same;
        let (text, line) = (&self.text, self.line);
        let parser = self.parser.get_or_insert_with(|| Parser::new(text.clone(), line));
        let lookup = |name: &[u8]| sh.aliases.get(name).cloned();
        let state = ParseState {
            extglob: sh.options.shopt(shopt::EXTGLOB),
            aliases: if sh.aliases_apply() { Some(&lookup) } else { None },
            ..ParseState::default()
        };
        let unit = parser.next_command(&state)?;
        match &unit {
            Some(u) if self.cacheable => self.collected.push(u.clone()),
            None if self.cacheable => cache::put(&self.text, self.mode, std::mem::take(&mut self.collected)),
            _ => {}
        }
        Ok(unit)
    }
}

impl Shell {
    /// Runs `f` with enough stack for one more level of recursion. A new piece of stack is memory of the script, so
    /// that recursion of any kind ends at its limit.
    #[inline]
    pub(crate) fn grow<R, E: From<Unwind>>(
        &mut self,
        f: impl FnOnce(&mut Shell) -> Result<R, E>,
    ) -> Result<R, E> {
        match stacker::remaining_stack() {
            Some(left) if left >= RED_ZONE => f(self),
            _ => self.on_new_stack(f),
        }
    }

    #[cold]
    fn on_new_stack<R, E: From<Unwind>>(
        &mut self,
        f: impl FnOnce(&mut Shell) -> Result<R, E>,
    ) -> Result<R, E> {
        match self.budget.reserve(STACK as u64) {
            Ok(_held) => stacker::grow(STACK, || f(self)),
            Err(Error::Stop(s)) => Err(Unwind::Stop(s).into()),
            Err(_) => Err(Unwind::Stop(Stop::Memory).into()),
        }
    }

    fn parse_mode(&self, line: LineNo) -> Mode {
        Mode { extglob: self.options.shopt(shopt::EXTGLOB), posix: self.options.on(opt::POSIX), line }
    }

    fn aliases_apply(&self) -> bool {
        !self.aliases.is_empty() && self.options.shopt(shopt::EXPAND_ALIASES)
    }

    /// Parses and runs text in this shell.
    pub fn run_text(&mut self, text: Bytes, kind: TextKind) -> Flow {
        self.grow(|sh| sh.run_text_here(text, kind))
    }

    fn run_text_here(&mut self, text: Bytes, kind: TextKind) -> Flow {
        let line = match kind {
            // The line numbers of an EXIT trap are its own.
            TextKind::Script | TextKind::Source | TextKind::Trap(traps::EXIT) => 1,
            TextKind::Eval | TextKind::Trap(_) => self.line.max(1),
        };
        let mut units = Units::new(self, text, line);
        let mut status = 0;
        loop {
            let unit = match units.next(self) {
                Ok(Some(u)) => u,
                Ok(None) => return Ok(status),
                Err(e) => return self.syntax_error(&e, kind),
            };
            match self.run_unit(&unit) {
                Ok(s) => status = s,
                // An abandoned command ends its line only; in a subshell it ends that.
                Err(Unwind::Discard(s)) if kind == TextKind::Script || self.subshell == 0 => {
                    self.status = s;
                    status = s;
                }
                Err(u) => return Err(u),
            }
            if self.watch & watch::ONECMD != 0 && kind == TextKind::Script {
                return Err(Unwind::Exit(status));
            }
        }
    }

    fn run_unit(&mut self, unit: &Unit) -> Flow {
        for (line, text) in &unit.warnings {
            self.report_at(*line, &[b"warning: ", text]);
        }
        if self.watch & watch::VERBOSE != 0 {
            let mut text = unit.source.to_vec();
            if !text.ends_with(b"\n") {
                text.push(b'\n');
            }
            self.write_error(&text);
        }
        if self.watch & watch::NOEXEC != 0 {
            return Ok(0);
        }
        self.exec_list(&unit.list)
    }

    /// Prints a syntax error as bash does and ends what was being read.
    #[cold]
    fn syntax_error(&mut self, e: &SyntaxError, kind: TextKind) -> Flow {
        let from: &[u8] = match kind {
            TextKind::Script if self.from_text => b"-c: ",
            TextKind::Eval => b"eval: ",
            TextKind::Trap(n) => match n {
                traps::EXIT => b"exit trap: ",
                _ => b"trap: ",
            },
            _ => b"",
        };
        for (line, warning) in &e.warnings {
            self.report_at(*line, &[b"warning: ", warning]);
        }
        let mut text = self.source_name().to_vec();
        text.extend_from_slice(b": ");
        text.extend_from_slice(from);
        text.extend_from_slice(format!("line {}: ", e.line).as_bytes());
        let prefix = text.clone();
        text.extend_from_slice(e.message.as_bytes());
        text.push(b'\n');
        if let Some(l) = &e.line_text {
            text.extend_from_slice(&prefix);
            text.push(b'`');
            text.extend_from_slice(l);
            text.extend_from_slice(b"'\n");
        }
        self.write_error(&text);
        for (line, message) in &e.further {
            let text = [&self.source_name()[..], b": ", from, format!("line {line}: {message}\n").as_bytes()]
                .concat();
            self.write_error(&text);
        }
        match kind {
            TextKind::Script => {
                self.status = 2;
                Err(Unwind::Exit(2))
            }
            TextKind::Eval | TextKind::Source if self.options.on(opt::POSIX) => Err(Unwind::Exit(2)),
            TextKind::Source => Ok(1),
            _ => Ok(2),
        }
    }

    /// Runs the commands of a list in order.
    pub fn exec_list(&mut self, list: &List) -> Flow {
        let mut status = 0;
        for item in &list.items {
            status =
                if item.background { self.start_background(item)? } else { self.exec_and_or(&item.and_or)? };
        }
        Ok(status)
    }

    #[inline]
    pub(crate) fn exec_and_or(&mut self, and_or: &AndOr) -> Flow {
        if and_or.rest.is_empty() {
            return self.exec_pipeline(&and_or.first);
        }
        let tested = std::mem::replace(&mut self.tested, true);
        let mut result = self.exec_pipeline(&and_or.first);
        let last = and_or.rest.len() - 1;
        for (i, (connective, pipeline)) in and_or.rest.iter().enumerate() {
            let Ok(status) = result else { break };
            if (status == 0) != (*connective == Connective::And) {
                continue;
            }
            if i == last {
                self.tested = tested;
            }
            result = self.exec_pipeline(pipeline);
        }
        self.tested = tested;
        result
    }

    #[inline]
    fn exec_pipeline(&mut self, p: &Pipeline) -> Flow {
        if let [command] = &p.stages[..]
            && !p.negated
            && p.time.is_none()
        {
            return self.exec_command(command);
        }
        self.exec_long_pipeline(p)
    }

    fn exec_long_pipeline(&mut self, p: &Pipeline) -> Flow {
        let clock = p.time.map(|format| (format, std::time::Instant::now()));
        let tested = self.tested;
        self.tested |= p.negated;
        let result = match &p.stages[..] {
            [] => Ok(0),
            [one] => self.exec_command(one),
            _ => self.exec_stages(&p.stages),
        };
        self.tested = tested;
        if let Some((format, start)) = clock {
            self.report_time(format, start.elapsed())?;
        }
        match result {
            Ok(s) if p.negated => {
                self.status = u8::from(s == 0);
                Ok(self.status)
            }
            r => r,
        }
    }

    /// Runs one command in this shell.
    #[inline]
    pub fn exec_command(&mut self, command: &Command) -> Flow {
        if let CommandKind::Simple(simple) = &command.kind {
            self.line = command.line;
            let status = self.exec_simple(simple, &command.redirects)?;
            return self.ended(status);
        }
        self.grow(|sh| sh.exec_compound(command))
    }

    /// Sets `$?` after a command that `set -e` and ERR look at.
    #[inline]
    pub(crate) fn ended(&mut self, status: u8) -> Flow {
        self.status = status;
        self.pipe_status.clear();
        self.pipe_status.push(status);
        if self.watch & (watch::ERREXIT | watch::SIGNALS) != 0 {
            return self.ended_slow(status);
        }
        Ok(status)
    }

    #[cold]
    pub(crate) fn ended_slow(&mut self, status: u8) -> Flow {
        if self.watch & watch::SIGNALS != 0 {
            self.run_pending_signals()?;
        }
        if status == 0 || self.tested || self.watch & watch::ERREXIT == 0 {
            return Ok(status);
        }
        if self.traps.get(traps::ERR).is_some() {
            self.run_trap(traps::ERR)?;
        }
        if self.options.on(opt::ERREXIT) {
            self.leaves = true;
            return Err(Unwind::Exit(status));
        }
        Ok(status)
    }

    /// Ends a shell, subshell, stage or job: the EXIT trap, and its status.
    pub(crate) fn finish(&mut self, flow: Flow) -> Result<u8, Stop> {
        let mut status = match flow {
            Ok(s) | Err(Unwind::Exit(s) | Unwind::Return(s) | Unwind::Discard(s)) => s,
            Err(Unwind::Break(_) | Unwind::Continue(_)) => self.status,
            Err(Unwind::Killed(n)) => return Ok(128 + n),
            Err(Unwind::Stop(s)) => return Err(s),
        };
        if self.traps.get(traps::EXIT).is_some() {
            self.status = status;
            self.tested = false;
            match self.run_trap(traps::EXIT) {
                Ok(())
                | Err(Unwind::Break(_) | Unwind::Continue(_) | Unwind::Discard(_) | Unwind::Return(_)) => {}
                Err(Unwind::Exit(s)) => status = s,
                Err(Unwind::Killed(n)) => status = 128 + n,
                Err(Unwind::Stop(s)) => return Err(s),
            }
        }
        if self.pid != 0 && self.pid != self.shell_pid {
            self.script.unregister(self.pid);
        }
        Ok(status)
    }
}
