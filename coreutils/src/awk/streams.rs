//! Files and commands that `print` and `getline` have opened, by name, until they are closed.

use super::{
    ast::*,
    input::{Found, Reader},
    interp::{Fail, Interp, Run, fatal},
    value::Value,
};
use hashbrown::HashMap;
use sandshell_kernel::{Bytes, Child, Errno, Error, Input, Output};

/// An open output.
struct Out {
    output: Output,
    child: Option<Child>,
    number: u64,
}

/// An open input.
struct In {
    reader: Reader,
    child: Option<Child>,
    number: u64,
}

/// What is open.
#[derive(Default)]
pub struct Streams {
    outputs: HashMap<Vec<u8>, Out, foldhash::fast::FixedState>,
    inputs: HashMap<Vec<u8>, In, foldhash::fast::FixedState>,
    opened: u64,
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

impl<'p> Interp<'p> {
    /// Writes what `print` made to where it goes.
    pub(super) fn emit(&mut self, text: &[u8], redirect: Option<&'p Redirect>) -> Run<()> {
        let Some(r) = redirect else { return self.put(text) };
        if r.kind == RedirectKind::Coprocess {
            return fatal("two-way pipes (`|&') are not supported");
        }
        let mut name = self.buffer();
        self.append(&r.to, &mut name)?;
        if name.is_empty() {
            let op = match r.kind {
                RedirectKind::Write => ">",
                RedirectKind::Append => ">>",
                _ => "|",
            };
            return fatal(format!("expression for `{op}' redirection has null string value"));
        }
        if r.kind != RedirectKind::Pipe {
            match &name[..] {
                b"/dev/stdout" | b"/dev/fd/1" => {
                    self.process.stdout.put(text)?;
                    self.give_back(name);
                    return Ok(());
                }
                b"/dev/stderr" | b"/dev/fd/2" => {
                    self.process.write_error(text)?;
                    self.give_back(name);
                    return Ok(());
                }
                _ => {}
            }
        }
        if !self.streams.outputs.contains_key(&name[..]) {
            self.open_output(r.kind, &name)?;
        }
        if let Some(out) = self.streams.outputs.get_mut(&name[..]) {
            match out.output.put(text) {
                Ok(()) => {}
                // A command that reads no more is not an error of the program.
                Err(Error::Os(Errno::EPIPE)) if out.child.is_some() => {}
                Err(Error::Os(e)) => return fatal(format!("print to \"{}\" failed ({e})", shown(&name))),
                Err(stop) => return Err(stop.into()),
            }
        }
        self.give_back(name);
        Ok(())
    }

    fn open_output(&mut self, kind: RedirectKind, name: &[u8]) -> Run<()> {
        if self.sandbox {
            return fatal("redirection not allowed in sandbox mode");
        }
        let opened = match kind {
            RedirectKind::Write => self.process.files.create(name).map(|o| (o, None)),
            RedirectKind::Append => self.process.files.append(name).map(|o| (o, None)),
            _ => {
                self.flush_all()?;
                let spawn = self.command(name);
                self.process.start_writing(spawn).map(|(o, c)| (o, Some(c)))
            }
        };
        match opened {
            Ok((output, child)) => {
                self.streams.opened += 1;
                let number = self.streams.opened;
                self.streams.outputs.insert(name.to_vec(), Out { output, child, number });
                Ok(())
            }
            Err(Error::Os(e)) if kind == RedirectKind::Pipe => {
                fatal(format!("cannot open pipe `{}' for output: {e}", shown(name)))
            }
            Err(Error::Os(e)) => fatal(format!("cannot redirect to `{}': {e}", shown(name))),
            Err(stop) => Err(stop.into()),
        }
    }

    /// `sh -c NAME`, with the environment that `ENVIRON` now describes.
    fn command(&mut self, text: &[u8]) -> sandshell_kernel::Spawn {
        let argv = vec![Bytes::from_static(b"sh"), Bytes::from_static(b"-c"), Bytes::copy_from_slice(text)];
        let mut spawn = self.process.spawn(argv);
        if let Value::Array(environ) = &self.globals[super::interp::ENVIRON] {
            let mut wanted = Vec::new();
            for (k, v) in environ.borrow().iter() {
                let mut name = Vec::new();
                k.put(&mut name);
                wanted.push((Bytes::from(name), Bytes::copy_from_slice(&self.text(v))));
            }
            let same = wanted.len() == spawn.env.iter().count()
                && wanted.iter().zip(spawn.env.iter()).all(|(a, b)| a == b);
            if !same {
                spawn.env = sandshell_kernel::Env::new(wanted);
            }
        }
        spawn
    }

    /// `system()`.
    pub(super) fn system(&mut self, text: &[u8]) -> Run<f64> {
        if self.sandbox {
            return fatal("'system' function not allowed in sandbox mode");
        }
        self.flush_all()?;
        let spawn = self.command(text);
        match self.process.run(spawn) {
            Ok(status) => Ok(f64::from(status.0)),
            Err(Error::Os(_)) => Ok(127.0),
            Err(stop) => Err(stop.into()),
        }
    }

    /// Flushes standard output and every open output.
    pub(super) fn flush_all(&mut self) -> Run<()> {
        self.process.stdout.flush()?;
        for out in self.streams.outputs.values_mut() {
            match out.output.flush() {
                Err(Error::Stop(s)) => return Err(Error::Stop(s).into()),
                Ok(()) | Err(Error::Os(_)) => {}
            }
        }
        Ok(())
    }

    /// `fflush(name)`.
    pub(super) fn flush_one(&mut self, name: &[u8]) -> Run<f64> {
        if matches!(name, b"/dev/stdout" | b"/dev/stderr") {
            self.process.stdout.flush()?;
            return Ok(0.0);
        }
        match self.streams.outputs.get_mut(name) {
            Some(out) => {
                if let Err(Error::Stop(s)) = out.output.flush() {
                    return Err(Error::Stop(s).into());
                }
                Ok(0.0)
            }
            None => {
                self.warn(&format!("fflush: `{}' is not an open file, pipe or co-process", shown(name)))?;
                Ok(-1.0)
            }
        }
    }

    /// `close(name)`.
    pub(super) fn close(&mut self, name: &[u8]) -> Run<f64> {
        if let Some(out) = self.streams.outputs.remove(name) {
            return self.finish_output(out);
        }
        match self.streams.inputs.remove(name) {
            Some(In { reader, child, .. }) => {
                drop(reader);
                self.wait(child)
            }
            None => Ok(-1.0),
        }
    }

    fn finish_output(&mut self, mut out: Out) -> Run<f64> {
        let flushed = out.output.flush();
        drop(out.output);
        let status = self.wait(out.child)?;
        match flushed {
            Err(Error::Stop(s)) => Err(Error::Stop(s).into()),
            Err(Error::Os(_)) if status == 0.0 => Ok(-1.0),
            _ => Ok(status),
        }
    }

    fn wait(&mut self, child: Option<Child>) -> Run<f64> {
        let Some(child) = child else { return Ok(0.0) };
        match child.wait(&self.process.budget) {
            Ok(status) => Ok(f64::from(status.0)),
            Err(Error::Os(_)) => Ok(-1.0),
            Err(stop) => Err(stop.into()),
        }
    }

    /// Closes everything at the end of the program, what was opened last first.
    pub(super) fn close_all(&mut self) -> Run<()> {
        let mut outputs: Vec<Out> = self.streams.outputs.drain().map(|(_, o)| o).collect();
        outputs.sort_by_key(|o| std::cmp::Reverse(o.number));
        let mut inputs: Vec<In> = self.streams.inputs.drain().map(|(_, i)| i).collect();
        inputs.sort_by_key(|i| std::cmp::Reverse(i.number));
        for out in outputs {
            self.finish_output(out)?;
        }
        for In { reader, child, .. } in inputs {
            drop(reader);
            self.wait(child)?;
        }
        self.process.stdout.flush()?;
        Ok(())
    }

    /// `getline` in all its forms: 1, 0 at the end, -1 for an error.
    pub(super) fn getline(&mut self, target: Option<&'p Target>, source: &'p Source) -> Run<f64> {
        let (name, command) = match source {
            Source::Main => {
                let Some(target) = target else {
                    return Ok(f64::from(u8::from(self.next_record()?)));
                };
                let mut found = Found::default();
                if !self.next_main(&mut found)? {
                    return Ok(0.0);
                }
                self.other_rt = Some(Value::str(found.terminator()));
                self.assign(target, Value::input(found.record()))?;
                return Ok(1.0);
            }
            Source::Coprocess => return fatal("two-way pipes (`|&') are not supported"),
            Source::File(e) => (e, false),
            Source::Command(e) => (e, true),
        };
        let mut file = self.buffer();
        self.append(name, &mut file)?;
        if file.is_empty() {
            let op = if command { "|" } else { "<" };
            return fatal(format!("expression for `{op}' redirection has null string value"));
        }
        if !self.streams.inputs.contains_key(&file[..]) {
            match self.open_input(&file, command)? {
                Ok((input, child)) => {
                    let reader = Reader::new(input, self.process.budget.reservation());
                    self.streams.opened += 1;
                    let number = self.streams.opened;
                    self.streams.inputs.insert(file.clone(), In { reader, child, number });
                }
                Err(e) => {
                    self.set_errno(e.text());
                    return Ok(-1.0);
                }
            }
        }
        let mut found = Found::default();
        self.process.budget.step()?;
        let got = match self.streams.inputs.get_mut(&file[..]) {
            Some(i) => i.reader.next(&self.separator, &mut found),
            None => Ok(false),
        };
        self.give_back(file);
        match got {
            Ok(true) => {}
            Ok(false) => return Ok(0.0),
            Err(Error::Os(e)) => {
                self.set_errno(e.text());
                return Ok(-1.0);
            }
            Err(stop) => return Err(stop.into()),
        }
        match target {
            None => {
                self.record.found = found;
                self.record.start(&self.splitter);
                self.other_rt = None;
            }
            Some(t) => {
                self.other_rt = Some(Value::str(found.terminator()));
                self.assign(t, Value::input(found.record()))?;
            }
        }
        Ok(1.0)
    }

    fn open_input(&mut self, name: &[u8], command: bool) -> Run<Result<(Input, Option<Child>), Errno>> {
        if self.sandbox {
            return fatal("redirection not allowed in sandbox mode");
        }
        let opened = if command {
            self.flush_all()?;
            let spawn = self.command(name);
            self.process.start_reading(spawn).map(|(i, c)| (i, Some(c)))
        } else {
            let name = if matches!(name, b"/dev/stdin" | b"/dev/fd/0") { &b"-"[..] } else { name };
            self.process.open_input(name).map(|i| (i, None))
        };
        match opened {
            Ok(x) => Ok(Ok(x)),
            Err(Error::Os(e)) => Ok(Err(e)),
            Err(stop) => Err(Box::new(Fail::Kernel(stop))),
        }
    }
}
