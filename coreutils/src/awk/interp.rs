//! Runs a compiled program: the order of rules and files, statements, built-in variables.

use super::{
    array::{Array, ArrayRef, Key, KeyRef, element_weight, new_array},
    ast::*,
    format::NumberFormat,
    input::{Found, Reader, Separator},
    order,
    parser::SourceText,
    random::Random,
    record::{Record, Splitter},
    regex,
    streams::Streams,
    value::{Str, Value},
};
use sandshell_kernel::{Bytes, Error, Process, Reservation, Status};
use sandshell_text::regex::{LineFinder, Regex};
use std::rc::Rc;

/// Why evaluation stopped early.
#[derive(Debug)]
pub enum Fail {
    /// `next` within a function.
    Next,
    /// `nextfile`.
    NextFile,
    /// `exit`: the status is in the interpreter.
    Exit,
    /// A message; status 2.
    Fatal(String),
    /// The process is stopped, or its output is gone.
    Kernel(Error),
}

impl From<Error> for Box<Fail> {
    fn from(e: Error) -> Self {
        Box::new(Fail::Kernel(e))
    }
}

/// What evaluation gives.
pub type Run<T> = Result<T, Box<Fail>>;

/// A fatal error.
pub fn fatal<T>(text: impl Into<String>) -> Run<T> {
    Err(Box::new(Fail::Fatal(text.into())))
}

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Normal,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`: the value is in the interpreter.
    Return,
}

/// The state of a running program.
pub struct Interp<'p> {
    pub(super) program: &'p Program,
    pub(super) sources: &'p [SourceText],
    pub(super) process: &'p mut Process,
    pub(super) name: String,
    pub(super) globals: Vec<Value>,
    pub(super) stack: Vec<Value>,
    pub(super) base: usize,
    /// The functions that are running, innermost last.
    pub(super) running: Vec<usize>,
    /// What the function that returns last gave.
    pub(super) returned: Value,
    pub(super) record: Record,
    pub(super) splitter: Rc<Splitter>,
    pub(super) separator: Separator,
    pub(super) specials: Vec<Value>,
    pub(super) nr: f64,
    pub(super) fnr: f64,
    pub(super) ofs: Str,
    pub(super) ors: Str,
    pub(super) subsep: Str,
    pub(super) convfmt: NumberFormat,
    pub(super) ofmt: NumberFormat,
    pub(super) ignore_case: bool,
    /// The terminator that a `getline` from elsewhere found.
    pub(super) other_rt: Option<Value>,
    pub(super) literals: Vec<[Option<Rc<Regex>>; 2]>,
    pub(super) dynamic: hashbrown::HashMap<Vec<u8>, Rc<Regex>, foldhash::fast::FixedState>,
    pub(super) ranges: Vec<bool>,
    pub(super) streams: Streams,
    pub(super) main: Option<Reader>,
    pub(super) argument: usize,
    pub(super) used_file: bool,
    pub(super) finished: bool,
    pub(super) place: Place,
    pub(super) status: i32,
    pub(super) random: Random,
    pub(super) seed: f64,
    pub(super) held: Reservation,
    pub(super) pending: i64,
    pub(super) buffers: Vec<Vec<u8>>,
    /// Where output goes while a file is edited in place.
    pub(super) in_place: Option<Vec<u8>>,
    pub(super) edit_in_place: bool,
    pub(super) sandbox: bool,
}

/// The slots that [`super::parser::parse`] makes first.
pub const ENVIRON: usize = 0;
/// See [`ENVIRON`].
pub const ARGV: usize = 1;
/// See [`ENVIRON`].
pub const ARGC: usize = 2;
/// See [`ENVIRON`].
pub const PROCINFO: usize = 3;

impl<'p> Interp<'p> {
    /// A program about to run, with `argv` as its `ARGV`.
    pub fn new(
        program: &'p Program,
        sources: &'p [SourceText],
        process: &'p mut Process,
        name: String,
        argv: &[Bytes],
    ) -> Interp<'p> {
        let mut globals = vec![Value::Uninit; program.globals.len()];
        let mut environ = Array::default();
        for (k, v) in process.env.iter() {
            environ.set(KeyRef::new(k), Value::input(v));
        }
        let mut args = Array::default();
        for (i, a) in argv.iter().enumerate() {
            args.set(KeyRef::Int(i as i64), Value::input(a));
        }
        let mut info = Array::default();
        for (k, v) in [
            ("version", "5.2.1"),
            ("strftime", "%a %b %e %H:%M:%S %Z %Y"),
            ("FS", "FS"),
            ("platform", "posix"),
        ] {
            info.set(KeyRef::Text(k.as_bytes()), Value::str(v.as_bytes()));
        }
        for (k, v) in [
            ("pid", 2.0),
            ("ppid", 1.0),
            ("uid", 1000.0),
            ("euid", 1000.0),
            ("gid", 1000.0),
            ("egid", 1000.0),
        ] {
            info.set(KeyRef::Text(k.as_bytes()), Value::Num(v));
        }
        let wrap = |a: Array| Value::Array(Rc::new(std::cell::RefCell::new(a)));
        globals[ENVIRON] = wrap(environ);
        globals[ARGV] = wrap(args);
        globals[ARGC] = Value::Num(argv.len() as f64);
        globals[PROCINFO] = wrap(info);
        let mut specials = vec![Value::Uninit; Special::ALL.len()];
        for (s, v) in [
            (Special::FS, &b" "[..]),
            (Special::OFS, b" "),
            (Special::ORS, b"\n"),
            (Special::RS, b"\n"),
            (Special::SUBSEP, b"\x1c"),
            (Special::CONVFMT, b"%.6g"),
            (Special::OFMT, b"%.6g"),
            (Special::FPAT, b"[^[:space:]]+"),
            (Special::TEXTDOMAIN, b"messages"),
            (Special::FILENAME, b""),
            (Special::ERRNO, b""),
            (Special::RT, b""),
        ] {
            specials[s as usize] = Value::str(v);
        }
        specials[Special::RSTART as usize] = Value::Num(0.0);
        specials[Special::RLENGTH as usize] = Value::Num(0.0);
        specials[Special::IGNORECASE as usize] = Value::Num(0.0);
        specials[Special::ARGIND as usize] = Value::Num(0.0);
        specials[Special::BINMODE as usize] = Value::Num(0.0);
        specials[Special::LINT as usize] = Value::Num(0.0);
        specials[Special::FIELDWIDTHS as usize] = Value::str(b"");
        let held = process.budget.reservation();
        Interp {
            program,
            sources,
            process,
            name,
            globals,
            stack: Vec::new(),
            base: 0,
            running: Vec::new(),
            returned: Value::Uninit,
            record: Record::new(),
            splitter: Rc::new(Splitter::Blanks),
            separator: Separator::Byte(b'\n'),
            specials,
            nr: 0.0,
            fnr: 0.0,
            ofs: Str::new(b" "),
            ors: Str::new(b"\n"),
            subsep: Str::new(b"\x1c"),
            convfmt: NumberFormat::General(6),
            ofmt: NumberFormat::General(6),
            ignore_case: false,
            other_rt: None,
            literals: vec![[None, None]; program.regexes.len()],
            dynamic: Default::default(),
            ranges: vec![false; program.ranges],
            streams: Streams::default(),
            main: None,
            argument: 1,
            used_file: false,
            finished: false,
            place: Place::default(),
            status: 0,
            random: Random::new(1),
            seed: 1.0,
            held,
            pending: 0,
            buffers: Vec::new(),
            in_place: None,
            edit_in_place: false,
            sandbox: false,
        }
    }

    // ---- messages ----

    fn location(&self) -> String {
        if self.place.line == 0 {
            return String::new();
        }
        let source = &self.sources[self.place.source as usize];
        format!("{}:{}: ", source.name, self.place.line)
    }

    fn reading(&self) -> String {
        match &self.specials[Special::FILENAME as usize] {
            _ if self.fnr <= 0.0 => String::new(),
            Value::Str(s) | Value::Input(s) => {
                let name = String::from_utf8_lossy(s);
                format!("(FILENAME={} FNR={}) ", if name.is_empty() { "-" } else { &name }, self.fnr)
            }
            _ => String::new(),
        }
    }

    /// Prints `awk: cmd. line:1: (FILENAME=f FNR=1) KIND: TEXT`.
    pub(super) fn message(&mut self, kind: &str, text: &str) -> Run<()> {
        let line = format!("{}: {}{}{kind}: {text}\n", self.name, self.location(), self.reading());
        self.process.write_error(line.as_bytes())?;
        Ok(())
    }

    /// A warning.
    pub(super) fn warn(&mut self, text: &str) -> Run<()> {
        self.message("warning", text)
    }

    // ---- memory ----

    /// Notes that `bytes` more (or fewer) are held by variables.
    #[inline]
    pub(super) fn weigh(&mut self, bytes: i64) -> Run<()> {
        self.pending += bytes;
        if self.pending.abs() > 64 << 10 {
            let now = (self.held.bytes() as i64 + self.pending).max(0) as u64;
            self.pending = 0;
            self.held.set(now)?;
        }
        Ok(())
    }

    /// A scratch buffer, to be given back with [`Interp::give_back`].
    #[inline]
    pub(super) fn buffer(&mut self) -> Vec<u8> {
        self.buffers.pop().unwrap_or_default()
    }

    /// Takes a scratch buffer back.
    #[inline]
    pub(super) fn give_back(&mut self, mut b: Vec<u8>) {
        if self.buffers.len() < 16 && b.capacity() < 1 << 20 {
            b.clear();
            self.buffers.push(b);
        }
    }

    // ---- the program ----

    /// Runs all of it; the exit status.
    pub fn run(mut self) -> sandshell_kernel::Result<Status> {
        let end = self.run_rules();
        let end = match end {
            Err(e) => self.report(*e),
            Ok(()) => Ok(()),
        };
        if let Err(Error::Stop(s)) = end {
            return Err(Error::Stop(s));
        }
        let closed = self.close_all();
        end?;
        match closed.map_err(|e| *e) {
            Err(Fail::Kernel(e)) => return Err(e),
            Err(Fail::Fatal(text)) => {
                let _ = self.message("fatal", &text);
                self.status = 2;
            }
            _ => {}
        }
        Ok(Status((self.status & 0xff) as u8))
    }

    fn report(&mut self, fail: Fail) -> sandshell_kernel::Result<()> {
        match fail {
            Fail::Fatal(text) => {
                self.process.stdout.flush()?;
                self.status = 2;
                match self.message("fatal", &text).map_err(|e| *e) {
                    Err(Fail::Kernel(e)) => Err(e),
                    _ => Ok(()),
                }
            }
            Fail::Kernel(e) => Err(e),
            _ => Ok(()),
        }
    }

    fn run_rules(&mut self) -> Run<()> {
        for (i, text) in self.program.regexes.iter().enumerate() {
            match regex::compile(text, false) {
                Ok(r) => self.literals[i][0] = Some(r),
                Err(e) => {
                    self.status = 1;
                    self.place = self.program.regex_places[i];
                    let shown = String::from_utf8_lossy(text).into_owned();
                    self.message("error", &format!("{e}: /{shown}/"))?;
                    self.finished = true;
                    return Ok(());
                }
            }
        }
        let exited = self.run_until_end();
        match exited {
            Err(e) if matches!(*e, Fail::Exit) => {}
            Err(e) => return Err(e),
            Ok(()) => {}
        }
        self.forget_calls()?;
        self.finish_in_place()?;
        for action in &self.program.end {
            match self.stmts(action) {
                Err(e) if matches!(*e, Fail::Exit) => return Ok(()),
                Err(e) => return Err(self.outside("END", *e)),
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// What `next` means where there is no record.
    fn outside(&self, rule: &str, e: Fail) -> Box<Fail> {
        match e {
            Fail::Next => Box::new(Fail::Fatal(format!("`next' cannot be called from a `{rule}' rule"))),
            Fail::NextFile => {
                Box::new(Fail::Fatal(format!("`nextfile' cannot be called from a `{rule}' rule")))
            }
            e => Box::new(e),
        }
    }

    fn run_until_end(&mut self) -> Run<()> {
        for action in &self.program.begin {
            if let Err(e) = self.stmts(action) {
                return Err(self.outside("BEGIN", *e));
            }
        }
        let p = self.program;
        if p.rules.is_empty() && p.end.is_empty() && p.begin_file.is_empty() && p.end_file.is_empty() {
            return Ok(());
        }
        if let Some(mut lines) = self.line_filter()? {
            return self.filter_lines(&mut lines);
        }
        while self.next_record()? {
            self.rules()?;
        }
        Ok(())
    }

    /// The pattern to look for in whole chunks, when the program does nothing on other lines.
    fn line_filter(&mut self) -> Run<Option<LineFinder>> {
        let p = self.program;
        let [rule] = &p.rules[..] else { return Ok(None) };
        let Pattern::When(Expr::Regex(i)) = &rule.pattern else { return Ok(None) };
        let plain = !p.plain_getline && p.begin_file.is_empty() && p.end_file.is_empty() && !self.ignore_case;
        if !plain || !matches!(self.separator, Separator::Byte(b'\n')) {
            return Ok(None);
        }
        Ok(regex::for_lines(&p.regexes[*i]))
    }

    fn filter_lines(&mut self, lines: &mut LineFinder) -> Run<()> {
        loop {
            let mut known = false;
            if let Some(reader) = &mut self.main
                && matches!(self.separator, Separator::Byte(b'\n'))
                && !self.ignore_case
            {
                let (skipped, matches) = reader.skip_lines(lines, &mut self.record.found)?;
                if skipped > 0 {
                    self.nr += skipped as f64;
                    self.fnr += skipped as f64;
                    self.record.start(&self.splitter);
                    self.process.budget.steps(skipped as u32)?;
                }
                known = matches;
            }
            if !self.next_record()? {
                return Ok(());
            }
            if known {
                let rule = &self.program.rules[0];
                let done = self.act(rule);
                self.after_rules(done)?;
            } else {
                self.rules()?;
            }
        }
    }

    fn rules(&mut self) -> Run<()> {
        let done = self.each_rule();
        self.after_rules(done)
    }

    #[inline]
    fn after_rules(&mut self, done: Run<()>) -> Run<()> {
        match done {
            Ok(()) => Ok(()),
            Err(e) => match *e {
                Fail::Next => self.forget_calls(),
                Fail::NextFile => {
                    self.forget_calls()?;
                    self.end_of_file()
                }
                other => Err(Box::new(other)),
            },
        }
    }

    fn each_rule(&mut self) -> Run<()> {
        for rule in &self.program.rules {
            let applies = match &rule.pattern {
                Pattern::Always => true,
                Pattern::When(e) => {
                    self.place = rule.place;
                    self.truth(e)?
                }
                Pattern::Range(first, last, state) => {
                    self.place = rule.place;
                    if self.ranges[*state] || self.truth(first)? {
                        self.ranges[*state] = !self.truth(last)?;
                        true
                    } else {
                        false
                    }
                }
            };
            if applies {
                self.act(rule)?;
            }
        }
        Ok(())
    }

    fn act(&mut self, rule: &'p Rule) -> Run<()> {
        match &rule.action {
            Some(body) => self.stmts(body).map(drop),
            None => {
                self.joined();
                let mut line = self.buffer();
                line.extend_from_slice(self.record.text());
                line.extend_from_slice(&self.ors);
                self.put(&line)?;
                self.give_back(line);
                Ok(())
            }
        }
    }

    /// Writes to standard output.
    #[inline]
    pub(super) fn put(&mut self, text: &[u8]) -> Run<()> {
        match &mut self.in_place {
            None => self.process.stdout.put(text)?,
            Some(b) => {
                b.extend_from_slice(text);
                self.weigh(text.len() as i64)?;
            }
        }
        Ok(())
    }

    // ---- the main input ----

    /// Reads the next record of the main input into `$0`.
    #[inline]
    pub(super) fn next_record(&mut self) -> Run<bool> {
        loop {
            self.process.budget.step()?;
            if let Some(reader) = &mut self.main {
                if reader.next(&self.separator, &mut self.record.found)? {
                    self.nr += 1.0;
                    self.fnr += 1.0;
                    self.record.start(&self.splitter);
                    if self.other_rt.is_some() {
                        self.other_rt = None;
                    }
                    return Ok(true);
                }
                self.end_of_file()?;
            }
            if !self.open_next()? {
                return Ok(false);
            }
        }
    }

    /// Reads the next record of the main input without touching `$0`.
    pub(super) fn next_main(&mut self, found: &mut Found) -> Run<bool> {
        loop {
            self.process.budget.step()?;
            if let Some(reader) = &mut self.main {
                if reader.next(&self.separator, found)? {
                    self.nr += 1.0;
                    self.fnr += 1.0;
                    return Ok(true);
                }
                self.end_of_file()?;
            }
            if !self.open_next()? {
                return Ok(false);
            }
        }
    }

    fn end_of_file(&mut self) -> Run<()> {
        if self.main.take().is_some() {
            self.file_rules(false)?;
            self.finish_in_place()?;
        }
        Ok(())
    }

    /// Runs `BEGINFILE` or `ENDFILE` rules; true if the file is to be skipped.
    fn file_rules(&mut self, begin: bool) -> Run<bool> {
        let p = self.program;
        for action in if begin { &p.begin_file } else { &p.end_file } {
            if let Err(e) = self.stmts(action) {
                match *e {
                    Fail::NextFile if begin => return Ok(true),
                    e => return Err(self.outside(if begin { "BEGINFILE" } else { "ENDFILE" }, e)),
                }
            }
        }
        Ok(false)
    }

    /// Opens the next file of the arguments; assignments among them are made on the way.
    fn open_next(&mut self) -> Run<bool> {
        loop {
            if self.finished {
                return Ok(false);
            }
            self.process.budget.step()?;
            let count = self.globals[ARGC].number();
            let argument = if (self.argument as f64) < count {
                let key = KeyRef::Int(self.argument as i64);
                self.argument += 1;
                let Value::Array(argv) = &self.globals[ARGV] else { return Ok(false) };
                match argv.borrow().get(key) {
                    None => continue,
                    Some(v) => {
                        let mut text = Vec::new();
                        self.convfmt.put_value(v, &mut text);
                        text
                    }
                }
            } else {
                self.finished = true;
                if self.used_file {
                    return Ok(false);
                }
                b"-".to_vec()
            };
            if argument.is_empty() {
                continue;
            }
            if !self.finished {
                if let Some((name, value)) = assignment(&argument) {
                    self.assign_operand(name, value)?;
                    continue;
                }
                self.specials[Special::ARGIND as usize] = Value::Num((self.argument - 1) as f64);
            }
            let implied = self.finished;
            self.used_file = true;
            if self.open(&argument, implied)? {
                return Ok(true);
            }
        }
    }

    fn open(&mut self, name: &[u8], implied: bool) -> Run<bool> {
        let shown = if implied { &b""[..] } else { name };
        self.specials[Special::FILENAME as usize] = Value::input(shown);
        self.fnr = 0.0;
        let operand = if name == b"/dev/stdin" { &b"-"[..] } else { name };
        let opened = match self.process.files.stat(operand) {
            Ok(s) if operand != b"-" && s.is_dir() => Err(Error::Os(sandshell_kernel::Errno::EISDIR)),
            _ => self.process.open_input(operand),
        };
        let input = match opened {
            Ok(i) => {
                self.set_errno("");
                Some(i)
            }
            Err(Error::Os(e)) => {
                self.set_errno(e.text());
                None
            }
            Err(stop) => return Err(stop.into()),
        };
        if !self.program.begin_file.is_empty() {
            let failed = input.is_none();
            if let Some(i) = input {
                self.main = Some(Reader::new(i, self.process.budget.reservation()));
            }
            if self.file_rules(true)? {
                self.main = None;
                return Ok(false);
            }
            if !failed {
                self.start_in_place(name)?;
                return Ok(true);
            }
        } else if let Some(i) = input {
            self.main = Some(Reader::new(i, self.process.budget.reservation()));
            self.start_in_place(name)?;
            return Ok(true);
        }
        let file = String::from_utf8_lossy(name).into_owned();
        if self.errno() == b"Is a directory" {
            self.warn(&format!("command line argument `{file}' is a directory: skipped"))?;
            return Ok(false);
        }
        fatal(format!("cannot open file `{file}' for reading: {}", String::from_utf8_lossy(self.errno())))
    }

    fn start_in_place(&mut self, name: &[u8]) -> Run<()> {
        if self.edit_in_place && name != b"-" {
            self.in_place = Some(Vec::new());
        }
        Ok(())
    }

    fn finish_in_place(&mut self) -> Run<()> {
        let Some(text) = self.in_place.take() else { return Ok(()) };
        self.weigh(-(text.len() as i64))?;
        if let Value::Input(name) = &self.specials[Special::FILENAME as usize] {
            self.process.files.write(name, Bytes::from(text))?;
        }
        Ok(())
    }

    fn errno(&self) -> &[u8] {
        match &self.specials[Special::ERRNO as usize] {
            Value::Str(s) => s,
            _ => b"",
        }
    }

    /// `ERRNO = text`.
    pub(super) fn set_errno(&mut self, text: &str) {
        self.specials[Special::ERRNO as usize] = Value::str(text.as_bytes());
    }

    /// `var=value` on the command line.
    pub fn assign_operand(&mut self, name: &str, value: &[u8]) -> Run<()> {
        let mut warnings = Vec::new();
        let text = super::lexer::resolve_escapes(value, &mut |w| warnings.push(w));
        for w in warnings {
            self.warn(&w)?;
        }
        let name = name.strip_prefix("awk::").unwrap_or(name);
        let value = Value::input(&text);
        match Special::named(name) {
            Some(s) => self.set_special(s, value),
            None => {
                if self.program.functions.iter().any(|f| f.name == name) {
                    return fatal(format!("cannot use function name `{name}' as variable name"));
                }
                if let Some(i) = self.program.globals.iter().position(|g| g == name) {
                    if matches!(self.globals[i], Value::Array(_)) {
                        return fatal(format!("cannot use array `{name}' in a scalar context"));
                    }
                    self.globals[i] = value;
                }
                Ok(())
            }
        }
    }

    // ---- built-in variables ----

    /// Reads one.
    pub(super) fn special(&mut self, s: Special) -> Value {
        match s {
            Special::NR => Value::Num(self.nr),
            Special::FNR => Value::Num(self.fnr),
            Special::NF => Value::Num(self.record.count() as f64),
            Special::RT => match &self.other_rt {
                Some(v) => v.clone(),
                None => Value::str(self.record.found.terminator()),
            },
            s => self.specials[s as usize].clone(),
        }
    }

    /// Assigns one.
    pub(super) fn set_special(&mut self, s: Special, value: Value) -> Run<()> {
        match s {
            Special::NR => self.nr = value.number(),
            Special::FNR => self.fnr = value.number(),
            Special::NF => {
                let n = value.number();
                if n < 0.0 || n.is_nan() {
                    return fatal("NF set to negative value");
                }
                if n > 1e8 {
                    return fatal("NF is too large");
                }
                self.process.budget.reserve(n as u64 * 96)?;
                self.record.set_count(n as usize);
            }
            Special::RT => self.other_rt = Some(value.clone()),
            Special::OFS => {
                self.joined();
                self.ofs = self.text(&value);
            }
            Special::ORS => self.ors = self.text(&value),
            Special::SUBSEP => self.subsep = self.text(&value),
            Special::CONVFMT => self.convfmt = NumberFormat::new(&self.text(&value)),
            Special::OFMT => self.ofmt = NumberFormat::new(&self.text(&value)),
            Special::FS => {
                self.specials[s as usize] = value;
                return self.use_fs();
            }
            Special::RS => {
                self.specials[s as usize] = value;
                self.use_rs()?;
                return self.use_fs_again();
            }
            Special::FIELDWIDTHS => {
                let text = self.text(&value);
                self.splitter = Rc::new(Splitter::Widths(widths(&text)?.into()));
                self.set_splitting("FIELDWIDTHS");
            }
            Special::FPAT => {
                let text = self.text(&value);
                let regex = self.dynamic_regex(&text)?;
                self.splitter = Rc::new(Splitter::Content(regex));
                self.set_splitting("FPAT");
            }
            Special::IGNORECASE => {
                self.ignore_case = value.truth();
                self.specials[s as usize] = value;
                self.dynamic.clear();
                self.use_rs()?;
                return self.use_fs_again();
            }
            _ => {}
        }
        self.specials[s as usize] = value;
        Ok(())
    }

    fn set_splitting(&mut self, by: &str) {
        if let Value::Array(a) = &self.globals[PROCINFO] {
            a.borrow_mut().set(KeyRef::Text(b"FS"), Value::str(by.as_bytes()));
        }
    }

    /// `FS` again, unless fields are found by width or content.
    fn use_fs_again(&mut self) -> Run<()> {
        match *self.splitter {
            Splitter::Widths(_) => Ok(()),
            Splitter::Content(_) => {
                let pattern = self.text(&self.specials[Special::FPAT as usize]);
                self.splitter = Rc::new(Splitter::Content(self.dynamic_regex(&pattern)?));
                Ok(())
            }
            _ => self.use_fs(),
        }
    }

    fn use_fs(&mut self) -> Run<()> {
        let fs = self.text(&self.specials[Special::FS as usize]);
        let paragraph = matches!(self.separator, Separator::Paragraph);
        self.splitter = Rc::new(self.splitter_of(&fs, paragraph)?);
        self.set_splitting("FS");
        Ok(())
    }

    /// The splitter that `FS` (or an argument of split()) means.
    pub(super) fn splitter_of(&mut self, fs: &[u8], newline: bool) -> Run<Splitter> {
        Ok(match fs {
            b" " => Splitter::Blanks,
            b"" => Splitter::Characters,
            [b] if self.ignore_case && b.is_ascii_alphabetic() => {
                Splitter::Regex(self.dynamic_regex(fs)?, newline)
            }
            [b] => Splitter::Byte(*b, newline && *b != b'\n'),
            _ => Splitter::Regex(self.dynamic_regex(fs)?, newline),
        })
    }

    fn use_rs(&mut self) -> Run<()> {
        let rs = self.text(&self.specials[Special::RS as usize]);
        self.separator = match &rs[..] {
            b"" => Separator::Paragraph,
            [b] if self.ignore_case && b.is_ascii_alphabetic() => Separator::Regex(self.dynamic_regex(&rs)?),
            [b] => Separator::Byte(*b),
            _ => Separator::Regex(self.dynamic_regex(&rs)?),
        };
        Ok(())
    }

    /// Joins `$0` if a field was assigned since.
    #[inline]
    pub(super) fn joined(&mut self) {
        if self.record.stale() {
            self.record.join(&self.ofs);
        }
    }

    /// The text of a value.
    pub(super) fn text(&self, v: &Value) -> Str {
        match v {
            Value::Str(s) | Value::Input(s) | Value::Regex(s) => s.clone(),
            Value::Uninit | Value::Array(_) => Str::EMPTY,
            Value::Num(_) => {
                let mut b = Vec::new();
                self.convfmt.put_value(v, &mut b);
                Str::from_vec(b)
            }
        }
    }

    // ---- regular expressions ----

    /// A literal of the program.
    #[inline]
    pub(super) fn literal(&mut self, i: usize) -> Run<Rc<Regex>> {
        let case = usize::from(self.ignore_case);
        if let Some(r) = &self.literals[i][case] {
            return Ok(r.clone());
        }
        match regex::compile(&self.program.regexes[i], self.ignore_case) {
            Ok(r) => {
                self.literals[i][case] = Some(r.clone());
                Ok(r)
            }
            Err(e) => fatal(e),
        }
    }

    /// A regular expression that is known only now.
    pub(super) fn dynamic_regex(&mut self, text: &[u8]) -> Run<Rc<Regex>> {
        if let Some(r) = self.dynamic.get(text) {
            return Ok(r.clone());
        }
        if self.dynamic.len() >= 256 {
            self.dynamic.clear();
        }
        match regex::compile(text, self.ignore_case) {
            Ok(r) => {
                self.dynamic.insert(text.to_vec(), r.clone());
                Ok(r)
            }
            Err(e) => fatal(format!("invalid regexp: {e}: /{}/", String::from_utf8_lossy(text))),
        }
    }

    // ---- statements ----

    pub(super) fn stmts(&mut self, body: &'p [Stmt]) -> Run<Flow> {
        for s in body {
            match self.stmt(s)? {
                Flow::Normal => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Normal)
    }

    fn stmt(&mut self, s: &'p Stmt) -> Run<Flow> {
        self.place = s.place;
        match &s.kind {
            StmtKind::Expr(e) => self.discard(e)?,
            StmtKind::Print(args, redirect) => self.print(args, redirect.as_ref())?,
            StmtKind::Printf(args, redirect) => {
                let mut out = self.buffer();
                self.format(args, &mut out)?;
                self.emit(&out, redirect.as_ref())?;
                self.give_back(out);
            }
            StmtKind::If(cond, yes, no) => {
                if self.truth(cond)? {
                    return self.stmt(yes);
                }
                if let Some(no) = no {
                    return self.stmt(no);
                }
            }
            StmtKind::While(cond, body) => {
                while self.truth(cond)? {
                    self.process.budget.step()?;
                    match self.stmt(body)? {
                        Flow::Normal | Flow::Continue => {}
                        Flow::Break => break,
                        r => return Ok(r),
                    }
                }
            }
            StmtKind::Do(body, cond) => loop {
                self.process.budget.step()?;
                match self.stmt(body)? {
                    Flow::Normal | Flow::Continue => {}
                    Flow::Break => break,
                    r => return Ok(r),
                }
                if !self.truth(cond)? {
                    break;
                }
            },
            StmtKind::For(init, cond, step, body) => {
                if let Some(init) = init {
                    self.stmt(init)?;
                }
                loop {
                    if let Some(c) = cond
                        && !self.truth(c)?
                    {
                        break;
                    }
                    self.process.budget.step()?;
                    match self.stmt(body)? {
                        Flow::Normal | Flow::Continue => {}
                        Flow::Break => break,
                        r => return Ok(r),
                    }
                    if let Some(s) = step {
                        self.stmt(s)?;
                    }
                }
            }
            StmtKind::ForIn(target, array, body) => {
                let array = self.array(array)?;
                let keys = self.traversal(&array)?;
                let held = self.process.budget.reserve(keys.len() as u64 * 32)?;
                for k in keys {
                    self.process.budget.step()?;
                    self.assign(target, k.value())?;
                    match self.stmt(body)? {
                        Flow::Normal | Flow::Continue => {}
                        Flow::Break => break,
                        r => return Ok(r),
                    }
                }
                drop(held);
            }
            StmtKind::Switch(on, cases) => return self.switch(on, cases),
            StmtKind::Block(body) => return self.stmts(body),
            StmtKind::Next => return Err(Box::new(Fail::Next)),
            StmtKind::NextFile => return Err(Box::new(Fail::NextFile)),
            StmtKind::Exit(status) => {
                if let Some(e) = status {
                    let n = self.num(e)?;
                    self.status = if n.is_nan() { 0 } else { n as i64 as i32 };
                }
                return Err(Box::new(Fail::Exit));
            }
            StmtKind::Return(value) => {
                self.returned = match value {
                    Some(e) => self.value(e)?,
                    None => Value::Uninit,
                };
                return Ok(Flow::Return);
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Delete(array, subs) => {
                let array = self.array(array)?;
                match subs {
                    None => {
                        let held = array.borrow_mut().clear();
                        self.weigh(-(held as i64))?;
                    }
                    Some(subs) => {
                        let mut buf = self.buffer();
                        let int = self.subscript(subs, &mut buf)?;
                        let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
                        let gone = array.borrow_mut().remove(key);
                        if let Some(v) = gone {
                            self.weigh(-(element_weight(key, &v) as i64))?;
                        }
                        self.give_back(buf);
                    }
                }
            }
        }
        Ok(Flow::Normal)
    }

    fn switch(&mut self, on: &'p Expr, cases: &'p [(Case, Vec<Stmt>)]) -> Run<Flow> {
        let v = self.value(on)?;
        let mut start = None;
        for (i, (case, _)) in cases.iter().enumerate() {
            let hit = match case {
                Case::Default => false,
                Case::Value(Value::Num(n)) => match &v {
                    Value::Num(m) => n == m,
                    Value::Input(s) => super::value::looks_numeric(s) == Some(*n),
                    _ => false,
                },
                Case::Value(c) => !matches!(v, Value::Num(_)) && self.text(&v)[..] == self.text(c)[..],
                Case::Regex(r) => {
                    let r = self.literal(*r)?;
                    r.is_match(&self.text(&v))
                }
            };
            if hit {
                start = Some(i);
                break;
            }
        }
        let start = start.or_else(|| cases.iter().position(|c| matches!(c.0, Case::Default)));
        for (_, body) in start.map_or(&[][..], |s| &cases[s..]) {
            match self.stmts(body)? {
                Flow::Normal => {}
                Flow::Break => break,
                other => return Ok(other),
            }
        }
        Ok(Flow::Normal)
    }

    /// The subscripts of an array as `for (k in a)` meets them.
    pub(super) fn traversal(&mut self, array: &ArrayRef) -> Run<Vec<Key>> {
        let how = match &self.globals[PROCINFO] {
            Value::Array(info) => info.borrow().get(KeyRef::Text(b"sorted_in")).cloned(),
            _ => None,
        };
        if let Some(how) = how {
            let how = self.text(&how);
            if &how[..] != b"@unsorted" && !how.is_empty() {
                return self.sorted_keys(array, &how);
            }
        }
        let len = array.borrow().len();
        self.process.budget.steps(len.min(u32::MAX as usize) as u32)?;
        Ok(order::keys(&array.borrow()))
    }

    fn print(&mut self, args: &'p [Expr], redirect: Option<&'p Redirect>) -> Run<()> {
        let mut line = self.buffer();
        if args.is_empty() {
            self.joined();
            line.extend_from_slice(self.record.text());
        }
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                line.extend_from_slice(&self.ofs);
            }
            self.print_value(a, &mut line)?;
        }
        line.extend_from_slice(&self.ors);
        self.emit(&line, redirect)?;
        self.give_back(line);
        Ok(())
    }

    /// A new array where a variable has none yet; an error where it holds a scalar.
    pub(super) fn as_array(slot: &mut Value) -> Option<ArrayRef> {
        match slot {
            Value::Array(a) => Some(a.clone()),
            Value::Uninit => {
                let a = new_array();
                *slot = Value::Array(a.clone());
                Some(a)
            }
            _ => None,
        }
    }
}

/// The two halves of a `var=value` operand.
pub fn assignment(operand: &[u8]) -> Option<(&str, &[u8])> {
    let eq = memchr::memchr(b'=', operand)?;
    let name = std::str::from_utf8(&operand[..eq]).ok()?;
    let plain = name.strip_prefix("awk::").unwrap_or(name);
    let first = plain.bytes().next()?;
    let ok = (first.is_ascii_alphabetic() || first == b'_')
        && plain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    ok.then_some((name, &operand[eq + 1..]))
}

/// The list of `FIELDWIDTHS`.
fn widths(text: &[u8]) -> Run<Vec<(usize, usize)>> {
    let bad = |i: usize, w: &[u8]| {
        fatal(format!(
            "invalid FIELDWIDTHS value, for field {}, near `{}'",
            i + 1,
            String::from_utf8_lossy(w)
        ))
    };
    let mut out = Vec::new();
    let words = text.split(|b| matches!(b, b' ' | b'\t' | b',')).filter(|w| !w.is_empty());
    for (i, w) in words.enumerate() {
        if w == b"*" {
            out.push((0, usize::MAX));
            continue;
        }
        let Ok(s) = std::str::from_utf8(w) else { return bad(i, w) };
        let (skip, take) = match s.split_once(':') {
            Some((a, b)) => (a.parse().ok(), if b == "*" { Some(usize::MAX) } else { b.parse().ok() }),
            None => (Some(0), s.parse().ok()),
        };
        match (skip, take) {
            (Some(s), Some(t)) if t > 0 => out.push((s, t)),
            _ => return bad(i, w),
        }
    }
    Ok(out)
}
