//! Everything that runs in a fork of the shell: pipeline stages, command and process substitution, background jobs,
//! coprocesses.

use crate::session::{
    array::{Indexed, Scalar},
    options::{opt, shopt},
    shell::{Flow, Shell, Unwind, os},
    vars::{Value, attr, int_text},
};
use crate::syntax::{
    ParseState, Parser,
    ir::{Command, CommandKind, CommandSubst, ListItem, Name, Unit},
    names,
};
use bytes::Bytes;
use sandshell_kernel::{
    Budget, Errno, Error, Fd, OpenOptions, Stop,
    stream::{
        capture::Buffer,
        device::Device,
        pipe::{StageFn, pipe, promote_deferred, run_stages},
    },
    threads,
};
use std::sync::Arc;

/// The status of what could not be started for want of threads.
const NO_FORK: u8 = 254;

impl Shell {
    /// Runs the stages of a pipeline, each in a fork (the last one here with `lastpipe`).
    pub(super) fn exec_stages(&mut self, stages: &Arc<[Command]>) -> Flow {
        let n = stages.len();
        self.line = stages[n - 1].line;
        let here = self.options.shopt(shopt::LASTPIPE) && !self.options.on(opt::MONITOR);
        let forks = if here { n - 1 } else { n };
        let mut work: Vec<StageFn<Result<u8, Stop>>> = Vec::with_capacity(forks);
        let mut input: Option<Fd> = None;
        // Made once here, and not again in every stage.
        self.vars.env();
        for i in 0..forks {
            let budget = self.budget.clone();
            if let CommandKind::Simple(s) = &stages[i].kind
                && let Some(name) = &s.literal
            {
                self.look_ahead(name);
            }
            let mut sh = self.fork(&budget);
            if let Some(fd) = input.take() {
                sh.files.fds.set(0, Some(fd));
            }
            if i + 1 < n {
                let (reader, writer) = pipe();
                sh.files.fds.set(1, Some(writer));
                input = Some(reader);
            }
            let stages = stages.clone();
            sh.fresh = matches!(stages[i].kind, CommandKind::Subshell(_)) && stages[i].redirects.is_empty();
            work.push(Box::new(move || {
                let mut sh = sh;
                let flow = sh.grow(|sh| sh.exec_command(&stages[i]));
                sh.finish(flow)
            }));
        }
        let results = match here {
            false => run_stages(&self.budget, work),
            true => self.run_last_here(work, &stages[n - 1], input)?,
        };
        let mut status = 0;
        let mut failed = 0;
        self.pipe_status.clear();
        for r in results {
            status = match r {
                Ok(Ok(s)) => s,
                Ok(Err(stop)) => return Err(Unwind::Stop(stop)),
                Err(Error::Os(Errno::EAGAIN)) => {
                    self.report(&[b"fork: retry: ", Errno::EAGAIN.text().as_bytes()]);
                    NO_FORK
                }
                Err(Error::Os(_)) => 134,
                Err(Error::Stop(s)) => return Err(Unwind::Stop(s)),
            };
            if status != 0 {
                failed = status;
            }
            self.pipe_status.push(status);
        }
        let status = if self.options.on(opt::PIPEFAIL) { failed } else { status };
        self.status = status;
        if self.watch != 0 {
            let pipes = self.pipe_status.clone();
            let r = self.ended_slow(status);
            self.pipe_status = pipes;
            return r;
        }
        Ok(status)
    }

    /// `lastpipe`: the other stages on threads, the last one in this shell.
    fn run_last_here(
        &mut self,
        work: Vec<StageFn<Result<u8, Stop>>>,
        last: &Command,
        input: Option<Fd>,
    ) -> Flow<Vec<sandshell_kernel::Result<Result<u8, Stop>>>> {
        let mut joins = Vec::new();
        for w in work {
            let started = self.budget.stage().and_then(|place| {
                threads::start(move || {
                    let r = w();
                    drop(place);
                    r
                })
            });
            joins.push(started);
        }
        let old = self.files.fds.set(0, input);
        let tested = std::mem::replace(&mut self.tested, true);
        let result = self.exec_command(last);
        self.tested = tested;
        self.files.fds.set(0, old);
        let status = result?;
        let mut results = Vec::new();
        for j in joins {
            results.push(match j {
                Ok(j) => {
                    while !j.wait(std::time::Duration::from_millis(20)) {}
                    j.take().flatten().ok_or(Error::Os(Errno::EIO))
                }
                Err(e) => Err(e),
            });
        }
        results.push(Ok(Ok(status)));
        Ok(results)
    }

    /// `$( … )`: what the commands print, without the newlines at the end.
    pub(crate) fn command_substitution(&mut self, c: &Arc<CommandSubst>) -> Flow<Bytes> {
        if let Some(word) = &c.read_file {
            return self.read_file(word);
        }
        self.step()?;
        let buffer = Buffer::new(&self.budget);
        let budget = self.budget.clone();
        let mut sh = self.fork(&budget);
        sh.files.fds.set(1, Some(buffer.clone()));
        sh.trace_level += 1;
        if !self.options.shopt(shopt::INHERIT_ERREXIT)
            && !self.options.on(opt::POSIX)
            && sh.options.on(opt::ERREXIT)
        {
            sh.options.put(opt::ERREXIT, false);
            sh.refresh_watch();
        }
        let flow = sh.grow(|sh| sh.run_body(c));
        let status = sh.finish(flow)?;
        drop(sh);
        // What the commands left in the background may still write; bash reads to the end.
        while Arc::strong_count(&buffer) > 1 {
            promote_deferred();
            os(self.budget.check())?.ok();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.status = status;
        self.substitution_status = Some(status);
        let mut text = buffer.take();
        self.trim(&mut text);
        Ok(Bytes::from(text))
    }

    /// Drops newlines at the end, and NULs with bash's warning.
    fn trim(&mut self, text: &mut Vec<u8>) {
        if memchr::memchr(0, text).is_some() {
            self.report(&[b"warning: command substitution: ignored null byte in input"]);
            text.retain(|&b| b != 0);
        }
        let end = text.iter().rposition(|&b| b != b'\n').map_or(0, |n| n + 1);
        text.truncate(end);
        if text.capacity() > 64 && text.capacity() > text.len() * 2 {
            text.shrink_to_fit();
        }
    }

    /// The commands of a substitution.
    fn run_body(&mut self, c: &CommandSubst) -> Flow {
        match &c.body {
            Ok(units) => {
                let mut status = 0;
                for u in units {
                    status = self.run_substituted(u)?;
                }
                Ok(status)
            }
            Err(text) => {
                let mut parser = Parser::new(text.clone(), self.line.max(1));
                let mut status = 0;
                loop {
                    let aliases = self.aliases.clone();
                    let lookup = |name: &[u8]| aliases.get(name).cloned();
                    let state = ParseState {
                        extglob: self.options.shopt(shopt::EXTGLOB),
                        aliases: self.options.shopt(shopt::EXPAND_ALIASES).then_some(&lookup),
                        ..ParseState::default()
                    };
                    match parser.next_command(&state) {
                        Ok(Some(u)) => status = self.run_substituted(&u)?,
                        Ok(None) => return Ok(status),
                        Err(e) => {
                            self.report_at(e.line, &[b"command substitution: ", e.message.as_bytes()]);
                            return Ok(2);
                        }
                    }
                }
            }
        }
    }

    fn run_substituted(&mut self, u: &Unit) -> Flow {
        for (line, text) in &u.warnings {
            self.report_at(*line, &[b"warning: ", text]);
        }
        self.exec_list(&u.list)
    }

    /// `$(< file)`
    fn read_file(&mut self, word: &crate::syntax::ir::Word) -> Flow<Bytes> {
        let mut fields = Vec::new();
        self.expand_word(word, &mut fields)?;
        self.substitution_status = Some(1);
        let [path] = &fields[..] else {
            self.report(&[&word.source, b": ambiguous redirect"]);
            return Ok(Bytes::new());
        };
        let text = match os(self.files.open(path, OpenOptions::READ))? {
            Ok(fd) => os(sandshell_kernel::Input::new(fd, &self.budget).read_all())?,
            Err(e) => Err(e),
        };
        match text {
            Ok(text) => {
                self.substitution_status = Some(0);
                if memchr::memchr(0, &text).is_some() {
                    let mut text = text.to_vec();
                    self.trim(&mut text);
                    return Ok(Bytes::from(text));
                }
                let end = text.iter().rposition(|&b| b != b'\n').map_or(0, |n| n + 1);
                // A short value must not hold a long file.
                Ok(Bytes::copy_from_slice(&text[..end]))
            }
            Err(e) => {
                self.report(&[path, b": ", e.text().as_bytes()]);
                Ok(Bytes::new())
            }
        }
    }

    /// Starts a fork on a thread of its own. `None`: there was no place, which was told.
    fn start_fork(
        &mut self,
        prepare: impl FnOnce(&mut Shell),
        body: impl FnOnce(&mut Shell) -> Flow + Send + 'static,
    ) -> Option<(u32, Budget, threads::Join<u8>)> {
        let child = self.budget.child();
        let mut sh = self.fork(&child);
        prepare(&mut sh);
        let pid = sh.own_pid();
        self.script.register(pid, &child, &sh.signals);
        let own = child.clone();
        let started = self.budget.stage().and_then(|place| {
            threads::start(move || {
                let flow = sh.grow(body);
                let status = match sh.finish(flow) {
                    Ok(s) => s,
                    Err(stop) => stop.status(),
                };
                sh.script.unregister(pid);
                let _ = own.stopped();
                drop(place);
                status
            })
        });
        match started {
            Ok(join) => {
                self.script.remember(join.clone());
                Some((pid, child, join))
            }
            Err(_) => {
                self.script.unregister(pid);
                self.report(&[b"fork: retry: ", Errno::EAGAIN.text().as_bytes()]);
                None
            }
        }
    }

    /// `command &`
    pub(super) fn start_background(&mut self, item: &ListItem) -> Flow {
        self.step()?;
        let and_or = item.and_or.clone();
        let prepare = |sh: &mut Shell| {
            // A job does not read what the script reads.
            if !sh.options.on(opt::MONITOR) {
                sh.files.fds.set(0, Some(Arc::new(Device::Null)));
            }
        };
        let started = self.start_fork(prepare, move |sh| {
            // A job that is a subshell needs no fork of its own.
            if let ([], [one]) = (&and_or.rest[..], &and_or.first.stages[..])
                && !and_or.first.negated
                && and_or.first.time.is_none()
            {
                sh.fresh = matches!(one.kind, CommandKind::Subshell(_)) && one.redirects.is_empty();
            }
            sh.exec_and_or(&and_or)
        });
        let Some((pid, budget, join)) = started else {
            return self.ended(NO_FORK);
        };
        self.jobs.add(pid, item.text.clone(), budget, join, false);
        self.last_job = Some(pid);
        self.status = 0;
        Ok(0)
    }

    /// `<( … )` (`input`) and `>( … )`: the name of a descriptor.
    pub(crate) fn process_substitution(&mut self, c: &Arc<CommandSubst>, input: bool) -> Flow<Bytes> {
        let (reader, writer) = pipe();
        let (mine, theirs) = if input { (reader, writer) } else { (writer, reader) };
        let Some(n) = (10..=63).rev().find(|&n| self.files.fds.get(n).is_none()) else {
            self.report(&[b"cannot make pipe for process substitution: ", Errno::EMFILE.text().as_bytes()]);
            return Err(Unwind::Discard(1));
        };
        let c = c.clone();
        let started = self.start_fork(
            move |sh| {
                sh.files.fds.set(u32::from(input), Some(theirs));
            },
            move |sh| sh.run_body(&c),
        );
        let Some((pid, budget, join)) = started else { return Err(Unwind::Discard(NO_FORK)) };
        self.jobs.add(pid, Bytes::new(), budget, join, true);
        self.last_job = Some(pid);
        self.files.fds.set(n, Some(mine));
        self.substitutions.push(n);
        Ok(Bytes::from([b"/dev/fd/", &int_text(i64::from(n))[..]].concat()))
    }

    /// Closes the descriptors of process substitutions made since `mark`.
    pub(super) fn close_substitutions(&mut self, mark: usize) {
        for n in self.substitutions.drain(mark.min(self.substitutions.len())..) {
            self.files.fds.set(n, None);
        }
    }

    /// `coproc [NAME] command`
    pub(super) fn start_coproc(&mut self, name: Name, body: &Arc<Command>) -> Flow {
        let (out_reader, out_writer) = pipe();
        let (in_reader, in_writer) = pipe();
        let body = body.clone();
        let started = self.start_fork(
            move |sh| {
                sh.files.fds.set(0, Some(in_reader));
                sh.files.fds.set(1, Some(out_writer));
            },
            move |sh| sh.exec_command(&body),
        );
        let Some((pid, budget, join)) = started else { return self.ended(NO_FORK) };
        let (Ok(read), Ok(write)) = (self.files.fds.free(60), self.files.fds.free(61)) else {
            return self.ended(1);
        };
        let read = if read == write { read + 1 } else { read };
        self.files.fds.set(read, Some(out_reader));
        let write = self.files.fds.free(60).unwrap_or(write);
        self.files.fds.set(write, Some(in_writer));
        let text = names::text(name);
        let fds = [int_text(i64::from(read)), int_text(i64::from(write))];
        let slot = self.vars.get_mut(name);
        slot.value = Value::Array(Arc::new(Indexed::from_values(fds)));
        slot.attrs |= attr::ARRAY | attr::DECLARED;
        let pid_name = names::intern(&[text, b"_PID"].concat());
        self.assign_plain(pid_name, Scalar::Int(i64::from(pid)))?;
        self.jobs.add(pid, Bytes::copy_from_slice(text), budget, join, false);
        self.last_job = Some(pid);
        self.status = 0;
        Ok(0)
    }
}
