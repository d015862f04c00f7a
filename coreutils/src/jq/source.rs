//! Where inputs come from: files one after the other, or standard input; as JSON, as lines, as events.

use super::{
    diagnose,
    json::{Bad, Need, Parser},
    val::{Str, Val},
};
use bytes::Bytes;
use sandshell_kernel::{Budget, Error, Files, Input};
use std::{collections::VecDeque, rc::Rc};

/// How inputs are made of the text.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// `-R`
    pub raw: bool,
    /// `-s`
    pub slurp: bool,
    /// `--stream`
    pub stream: bool,
}

/// Why there is no next input.
pub enum Fault {
    /// The text is not JSON.
    Parse(String),
    /// The script is stopped.
    Kernel(Error),
}

impl From<Error> for Fault {
    fn from(e: Error) -> Self {
        Fault::Kernel(e)
    }
}

/// The inputs.
pub struct Source {
    files: Files,
    budget: Budget,
    queue: VecDeque<Bytes>,
    stdin: Option<Input>,
    input: Option<Input>,
    /// The file that is being read; none for standard input.
    pub name: Option<Bytes>,
    /// Whether anything has been read or opened.
    pub started: bool,
    buf: Rc<Bytes>,
    at: usize,
    eof: bool,
    /// Lines in what was read before the buffer, of this file and of all files.
    lines: usize,
    all_lines: usize,
    /// Bytes since the last line end before the buffer.
    column: usize,
    reading: Reading,
    need: Need,
    slurped: bool,
    events: Option<Events>,
    /// `jq: error: Could not open file …`
    pub complaints: Vec<String>,
}

impl Source {
    /// Over `names`, or standard input when there are none.
    pub fn new(
        names: Vec<Bytes>,
        stdin: Input,
        files: Files,
        budget: &Budget,
        reading: Reading,
        need: Need,
    ) -> Source {
        let queue: VecDeque<Bytes> = names.into();
        let from_stdin = queue.is_empty();
        Source {
            files,
            budget: budget.clone(),
            queue,
            stdin: from_stdin.then_some(stdin),
            input: None,
            name: None,
            started: false,
            buf: Rc::default(),
            at: 0,
            eof: false,
            lines: 0,
            all_lines: 0,
            column: 0,
            reading,
            need,
            slurped: false,
            events: None,
            complaints: Vec::new(),
        }
    }

    /// Lines read so far of the current file: those that the last value ended on included.
    pub fn line(&self) -> usize {
        let read = self.lines + memchr::memchr_iter(b'\n', &self.buf[..self.at]).count();
        let rest = &self.buf[self.at..];
        // jq reads whole lines: the rest of the value's line has been read too.
        read + usize::from(
            self.at > 0 && self.buf[self.at - 1] != b'\n' && memchr::memchr(b'\n', rest).is_some(),
        )
    }

    /// Opens the next file; false when there is none.
    fn open(&mut self) -> bool {
        self.started = true;
        if let Some(stdin) = self.stdin.take() {
            self.input = Some(stdin);
            return true;
        }
        while let Some(name) = self.queue.pop_front() {
            self.name = Some(name.clone());
            self.all_lines += self.lines;
            self.lines = 0;
            match self.files.open_read(&name) {
                Ok(input) => {
                    self.input = Some(input);
                    return true;
                }
                Err(e) => {
                    let name = String::from_utf8_lossy(&name);
                    self.complaints.push(format!("jq: error: Could not open file {name}: {e}\n"));
                }
            }
        }
        false
    }

    /// Brings more text behind what is unread. Values may span files, as in jq.
    fn more(&mut self) -> Result<(), Error> {
        let rest = self.buf.slice(self.at..);
        let gone = &self.buf[..self.at];
        self.lines += memchr::memchr_iter(b'\n', gone).count();
        match memchr::memrchr(b'\n', gone) {
            Some(i) => self.column = gone.len() - i - 1,
            None => self.column += gone.len(),
        }
        self.at = 0;
        self.buf = Rc::default();
        let mut all: Vec<u8> = Vec::new();
        let wanted = rest.len();
        loop {
            if self.input.is_none() {
                if !self.open() {
                    self.eof = true;
                    break;
                }
                // A body that lies in one piece is taken whole, without a copy.
                if rest.is_empty()
                    && all.is_empty()
                    && let Some(input) = &self.input
                    && let Ok(Some(whole)) = input.fd().rest(&self.budget)
                    && !whole.is_empty()
                {
                    self.buf = Rc::new(whole);
                    return Ok(());
                }
            }
            let Some(input) = &mut self.input else { continue };
            match input.next_chunk() {
                Ok(Some(chunk)) => {
                    if rest.is_empty() && all.is_empty() {
                        self.buf = Rc::new(chunk);
                        return Ok(());
                    }
                    if all.is_empty() {
                        self.budget.reserve(rest.len() as u64)?;
                        all.reserve(rest.len() * 2 + chunk.len());
                        all.extend_from_slice(&rest);
                    }
                    all.extend_from_slice(&chunk);
                    // Twice as much as there was, so that a long value is not parsed again for every chunk.
                    if all.len() >= 2 * wanted {
                        break;
                    }
                }
                Ok(None) => self.input = None,
                Err(Error::Os(e)) => {
                    self.input = None;
                    self.complaints.push(format!("jq: error: input error: {e}\n"));
                }
                Err(stop) => return Err(stop),
            }
        }
        self.buf = Rc::new(if all.is_empty() { rest } else { Bytes::from(all) });
        Ok(())
    }

    /// The next input.
    pub fn next(&mut self) -> Result<Option<Val>, Fault> {
        if self.reading.raw {
            return Ok(self.next_raw()?);
        }
        if !self.reading.slurp {
            return self.next_value();
        }
        if std::mem::replace(&mut self.slurped, true) {
            return Ok(None);
        }
        let mut all = Vec::new();
        let mut held = self.budget.reservation();
        while let Some(v) = self.next_value()? {
            if all.len() == all.capacity() {
                held.set((super::val::live_bytes() + all.len() * 48) as u64)?;
            }
            all.push(v);
        }
        Ok(Some(all.into()))
    }

    fn next_value(&mut self) -> Result<Option<Val>, Fault> {
        if !self.reading.stream {
            return self.next_json();
        }
        loop {
            if let Some(e) = self.events.as_mut().and_then(Events::next) {
                return Ok(Some(e));
            }
            self.events = None;
            match self.next_json()? {
                None => return Ok(None),
                Some(v) => self.events = Some(Events::new(v)),
            }
        }
    }

    fn next_json(&mut self) -> Result<Option<Val>, Fault> {
        loop {
            if self.lines == 0 && self.at == 0 && self.buf.starts_with(b"\xef\xbb\xbf") {
                self.at = 3;
            }
            let mut p = Parser::new(&self.buf, self.at, self.eof);
            match p.next(&self.need) {
                Ok(Some(v)) => {
                    self.at = p.at;
                    return Ok(Some(v));
                }
                Ok(None) => {
                    self.at = p.at;
                    if self.eof {
                        return Ok(None);
                    }
                    self.more()?;
                }
                Err(Bad::Incomplete) if !self.eof => self.more()?,
                Err(_) => return Err(Fault::Parse(self.explain())),
            }
        }
    }

    fn explain(&mut self) -> String {
        let before = &self.buf[..self.at];
        let line = self.all_lines + self.lines + memchr::memchr_iter(b'\n', before).count() + 1;
        let column = match memchr::memrchr(b'\n', before) {
            Some(i) => before.len() - i - 1,
            None => self.column + before.len(),
        };
        let message = diagnose::explain(&self.buf[self.at..], line, column);
        self.at = self.buf.len();
        self.queue.clear();
        message
    }

    fn next_raw(&mut self) -> Result<Option<Val>, Error> {
        if self.reading.slurp {
            if std::mem::replace(&mut self.slurped, true) {
                return Ok(None);
            }
            while !self.eof {
                self.more()?;
            }
            let s = Str::lossy(&self.buf);
            self.at = self.buf.len();
            return Ok(Some(Val::Str(s)));
        }
        loop {
            if let Some(i) = memchr::memchr(b'\n', &self.buf[self.at..]) {
                let (from, to) = (self.at, self.at + i);
                self.at = to + 1;
                let line = &self.buf[from..to];
                return Ok(Some(Val::Str(match std::str::from_utf8(line) {
                    Ok(_) => Str::slice(&self.buf, from, to),
                    Err(_) => Str::lossy(line),
                })));
            }
            if self.eof {
                if self.at == self.buf.len() {
                    return Ok(None);
                }
                let s = Str::lossy(&self.buf[self.at..]);
                self.at = self.buf.len();
                return Ok(Some(Val::Str(s)));
            }
            self.more()?;
        }
    }
}

/// The events of a value, as `--stream` gives them.
struct Events {
    stack: Vec<(Val, usize)>,
    path: Vec<Val>,
    start: Option<Val>,
}

impl Events {
    fn new(v: Val) -> Events {
        Events { stack: Vec::new(), path: Vec::new(), start: Some(v) }
    }

    fn enter(&mut self, v: Val) -> Option<Val> {
        let empty = match &v {
            Val::Arr(a) => a.is_empty(),
            Val::Obj(o) => o.is_empty(),
            _ => true,
        };
        if empty {
            return Some(vec![self.path.clone().into(), v].into());
        }
        self.stack.push((v, 0));
        None
    }

    fn next(&mut self) -> Option<Val> {
        if let Some(v) = self.start.take()
            && let Some(e) = self.enter(v)
        {
            return Some(e);
        }
        loop {
            let (v, i) = self.stack.last_mut()?;
            let child = match v {
                Val::Arr(a) => a.get(*i).map(|x| (Val::from(*i), x.clone())),
                Val::Obj(o) => o.iter().nth(*i).map(|m| (Val::Str(m.0.clone()), m.1.clone())),
                _ => None,
            };
            let first = *i == 0;
            *i += 1;
            if !first {
                // The last child's key still ends the path.
                if child.is_none() {
                    let closing = Val::from(vec![self.path.clone().into()]);
                    self.stack.pop();
                    self.path.pop();
                    return Some(closing);
                }
                self.path.pop();
            }
            let (key, x) = child?;
            self.path.push(key);
            if let Some(e) = self.enter(x) {
                return Some(e);
            }
        }
    }
}
