//! The lines of all input files, one after the other, and where their edited text goes.

use super::Settings;
use sandshell_kernel::{Bytes, Error, Input, Output, Process, Result, Status};

/// Where output goes, and whether the line written last lacked its delimiter.
pub struct Out {
    sink: Sink,
    pub missing: bool,
}

enum Sink {
    Stdout,
    Stderr,
    File(Output),
    /// A file that is edited in place.
    Memory(Vec<u8>, sandshell_kernel::Reservation),
}

impl Out {
    /// Standard output.
    pub fn stdout() -> Out {
        Out { sink: Sink::Stdout, missing: false }
    }

    /// Standard error.
    pub fn stderr() -> Out {
        Out { sink: Sink::Stderr, missing: false }
    }

    /// A file.
    pub fn file(output: Output) -> Out {
        Out { sink: Sink::File(output), missing: false }
    }

    /// Memory, until the file is finished.
    pub fn memory(process: &Process) -> Out {
        Out { sink: Sink::Memory(Vec::new(), process.budget.reservation()), missing: false }
    }

    /// What memory gathered.
    pub fn gathered(self) -> Option<Vec<u8>> {
        match self.sink {
            Sink::Memory(v, _) => Some(v),
            _ => None,
        }
    }

    /// Writes as it is.
    #[inline]
    pub fn put(&mut self, process: &mut Process, text: &[u8]) -> Result<()> {
        match &mut self.sink {
            Sink::Stdout => process.stdout.put(text),
            Sink::Stderr => process.write_error(text),
            Sink::File(o) => o.put(text),
            Sink::Memory(v, held) => {
                v.extend_from_slice(text);
                if v.len() as u64 > held.bytes() {
                    held.set(v.len() as u64 * 2)?;
                }
                Ok(())
            }
        }
    }

    /// Writes the delimiter that the line before lacked.
    #[inline]
    pub fn complete(&mut self, process: &mut Process, delimiter: u8) -> Result<()> {
        if self.missing {
            self.missing = false;
            self.put(process, &[delimiter])?;
        }
        Ok(())
    }

    /// Writes a line.
    #[inline]
    pub fn line(
        &mut self,
        process: &mut Process,
        text: &[u8],
        delimiter: u8,
        terminated: bool,
    ) -> Result<()> {
        self.complete(process, delimiter)?;
        self.put(process, text)?;
        if terminated {
            self.put(process, &[delimiter])
        } else {
            self.missing = true;
            Ok(())
        }
    }

    /// Hands what is buffered on.
    pub fn flush(&mut self, process: &mut Process) -> Result<()> {
        match &mut self.sink {
            Sink::Stdout => process.stdout.flush(),
            Sink::File(o) => o.flush(),
            _ => Ok(()),
        }
    }
}

/// The input files.
pub struct Files {
    operands: Vec<Bytes>,
    next: usize,
    current: Option<Input>,
    /// The next file, opened to see whether the current line is the last.
    ahead: Option<(Input, Bytes)>,
    /// The name of the current file; `-` for standard input.
    pub name: Bytes,
    /// The exit status that unreadable files ask for.
    pub status: Status,
    /// Ends the run at once, with this status.
    pub fatal: Option<Status>,
    /// A new file has begun with the line read last.
    pub began: bool,
}

impl Files {
    /// Standard input when there are no operands.
    pub fn new(operands: Vec<Bytes>) -> Files {
        let operands = if operands.is_empty() { vec![Bytes::from_static(b"-")] } else { operands };
        Files {
            operands,
            next: 0,
            current: None,
            ahead: None,
            name: Bytes::from_static(b"-"),
            status: Status::OK,
            fatal: None,
            began: false,
        }
    }

    /// Opens the next operand that can be; messages for the others.
    fn open(&mut self, process: &mut Process, settings: &Settings) -> Result<Option<(Input, Bytes)>> {
        while let Some(name) = self.operands.get(self.next).cloned() {
            self.next += 1;
            process.budget.step()?;
            let shown = String::from_utf8_lossy(&name).into_owned();
            if settings.in_place.is_some() {
                match process.files.stat(&name) {
                    Ok(s) if s.kind != sandshell_kernel::FileKind::File => {
                        process.error(format_args!("couldn't edit {shown}: not a regular file"))?;
                        self.status = Status(4);
                        continue;
                    }
                    _ => {}
                }
            }
            let opened = match settings.in_place {
                Some(_) => process.files.open_read(&name),
                None => process.open_input(&name),
            };
            match opened {
                Ok(mut input) => {
                    input.give_back_unused();
                    return Ok(Some((input, name)));
                }
                Err(Error::Os(sandshell_kernel::Errno::EISDIR)) => {
                    process
                        .error(format_args!("read error on {shown}: {}", sandshell_kernel::Errno::EISDIR))?;
                    self.fatal = Some(Status(4));
                    return Ok(None);
                }
                Err(Error::Os(e)) => {
                    process.error(format_args!("can't read {shown}: {e}"))?;
                    self.status = Status(2);
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(None)
    }

    /// Whether the current file has no more lines.
    pub fn file_ended(&mut self) -> Result<bool> {
        match &mut self.current {
            Some(i) => Ok(i.fill()?.is_empty()),
            None => Ok(true),
        }
    }

    /// The current file, for reading whole chunks; `None` when it is used up.
    pub fn current(&mut self) -> Option<&mut Input> {
        self.current.as_mut()
    }

    /// Goes on to the next file; false when there is none.
    pub fn advance(&mut self, process: &mut Process, settings: &Settings) -> Result<bool> {
        self.current = None;
        let next = match self.ahead.take() {
            Some(a) => Some(a),
            None => self.open(process, settings)?,
        };
        match next {
            Some((input, name)) => {
                self.current = Some(input);
                self.name = name;
                self.began = true;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Whether no line follows the current one.
    pub fn at_end(&mut self, process: &mut Process, settings: &Settings) -> Result<bool> {
        if !self.file_ended()? {
            return Ok(false);
        }
        if settings.separate {
            return Ok(true);
        }
        loop {
            if let Some((input, _)) = &mut self.ahead {
                if !input.fill()?.is_empty() {
                    return Ok(false);
                }
                self.ahead = None;
            }
            match self.open(process, settings)? {
                Some(a) => self.ahead = Some(a),
                None => return Ok(true),
            }
        }
    }

    /// Whether no line at all follows, in no file.
    pub fn exhausted(&mut self, process: &mut Process, settings: &Settings) -> Result<bool> {
        if !self.file_ended()? {
            return Ok(false);
        }
        if self.ahead.is_some() {
            return Ok(false);
        }
        // In place, every further file is a chance of more lines; opening it early would mix up their outputs.
        if settings.separate {
            return Ok(self.next >= self.operands.len());
        }
        self.at_end(process, settings)
    }

    /// Reads the next line of the current file to the end of `line`: whether it had its delimiter; `None` at the end.
    #[inline]
    pub fn line(&mut self, delimiter: u8, line: &mut Vec<u8>) -> Result<Option<bool>> {
        let Some(input) = &mut self.current else { return Ok(None) };
        Ok(input.line(delimiter)?.map(|l| {
            line.extend_from_slice(l.bytes);
            l.terminated
        }))
    }
}
