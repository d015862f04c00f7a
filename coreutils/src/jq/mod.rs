//! `jq`: the language of jq 1.8, compiled to a tree of operations ([`syntax`], [`ir`]) that pass values on by callbacks
//! ([`eval`]). Nothing in it runs beyond its budget: every loop counts steps, values and stacks are charged.

use sandshell_kernel::{Bytes, Error, Fd, Output, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Spec};
use std::{cell::RefCell, rc::Rc};

mod args;
mod builtins;
mod by;
mod dates;
mod destructure;
mod diagnose;
mod eval;
mod format;
mod imports;
mod ir;
mod json;
mod lexer;
mod library;
mod machine;
mod math;
mod modules;
mod need;
mod number;
mod ops;
mod path;
mod patterns;
mod regex;
mod source;
mod syntax;
mod terms;
mod update;
mod val;
mod write;

use args::{Asked, Wrong};
use machine::{Env, Flow, Machine, Outside, Res, Stop};
use source::{Fault, Source};
use val::{Members, Str, Val};

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[&Jq];

/// `jq`
pub struct Jq;

static SPEC: Spec = Spec {
    name: "jq",
    about: "jq is a tool for processing JSON inputs, applying the given filter to its JSON text inputs and producing \
            the filter's results as JSON on standard output.",
    synopsis: &[
        "[OPTIONS] FILTER [FILES...]",
        "[OPTIONS] -f FILE [FILES...]",
        "[OPTIONS] --args FILTER [STRINGS...]",
        "[OPTIONS] --jsonargs FILTER [JSON_VALUES...]",
    ],
    options: &[
        Opt::new('n', "null-input", "use `null` as the single input value"),
        Opt::new('R', "raw-input", "read each line as string instead of JSON"),
        Opt::new('s', "slurp", "read all inputs into an array and use it as the single input value"),
        Opt::new('c', "compact-output", "compact instead of pretty-printed output"),
        Opt::new('r', "raw-output", "output strings without escapes and quotes"),
        Opt::long("raw-output0", "implies -r and output NUL after each output"),
        Opt::new('j', "join-output", "implies -r and output without newline after each output"),
        Opt::new('a', "ascii-output", "output strings by only ASCII characters using escape sequences"),
        Opt::new('S', "sort-keys", "sort keys of each object on output"),
        Opt::new('C', "color-output", "colorize JSON output"),
        Opt::new('M', "monochrome-output", "disable colored output"),
        Opt::long("tab", "use tabs for indentation"),
        Opt::long("indent", "use n spaces for indentation (max 7 spaces)").value("n"),
        Opt::long("unbuffered", "flush output stream after each output"),
        Opt::long("stream", "parse the input value in streaming fashion"),
        Opt::long("stream-errors", "implies --stream and report parse error as an array"),
        Opt::long("seq", "parse input/output as application/json-seq"),
        Opt::new('f', "from-file", "load the filter from a file").value("file"),
        Opt::new('L', "library-path", "search modules from the directory").value("dir"),
        Opt::long("arg", "set $name to the string value").value("name value"),
        Opt::long("argjson", "set $name to the JSON value").value("name value"),
        Opt::long("slurpfile", "set $name to an array of JSON values read from the file").value("name file"),
        Opt::long("rawfile", "set $name to string contents of file").value("name file"),
        Opt::long("args", "consume remaining arguments as positional string values"),
        Opt::long("jsonargs", "consume remaining arguments as positional JSON values"),
        Opt::new('e', "exit-status", "set exit status code based on the output"),
    ],
    notes: "Named arguments are also available as $ARGS.named[], while positional arguments are available as \
            $ARGS.positional[].",
    version: "jq-1.8.0",
    examples: &[
        Example { script: "echo '{\"foo\": 0}' | jq -c '.foo + 1'", output: "1\n" },
        Example { script: "jq -nr '[range(3)] | map(. * 2) | @csv'", output: "0,2,4\n" },
    ],
};

/// Statuses of jq.
const USAGE: u8 = 2;
const COMPILE: u8 = 3;
const NO_OUTPUT: u8 = 4;
const ERROR: u8 = 5;

impl Program for Jq {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let asked = match args::parse(process) {
            Ok(a) => a,
            Err(Wrong::Kernel(e)) => return Err(e),
            Err(Wrong::Plain(text)) => {
                process.error(format_args!("{text}"))?;
                return Ok(Status(USAGE));
            }
            Err(Wrong::Usage(text)) => {
                process.error(format_args!("{text}"))?;
                process.write_error(
                    b"Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq\n",
                )?;
                return Ok(Status(USAGE));
            }
        };
        if asked.help {
            process.stdout.put(SPEC.help().as_bytes())?;
            return Ok(Status::OK);
        }
        if asked.version {
            process.stdout.text(format_args!("{}\n", SPEC.version))?;
            return Ok(Status::OK);
        }
        run(process, asked)
    }
}

fn environment(process: &Process) -> Val {
    let mut m = Members::with_capacity(16);
    for (k, v) in process.env.iter() {
        m.insert(Str::lossy(k), Val::Str(Str::lossy(v)));
    }
    m.into()
}

fn run(process: &mut Process, mut asked: Asked) -> Result<Status> {
    let filter = match (asked.filter.take(), asked.from_file) {
        (None, _) => Bytes::from_static(b"."),
        (Some(f), false) => f,
        (Some(file), true) => match process.open_input(&file).and_then(|mut i| i.read_all()) {
            Ok(text) => text,
            Err(e) => {
                let name = String::from_utf8_lossy(&file).into_owned();
                match e {
                    Error::Os(e) => process.error(format_args!("Could not open {name}: {e}"))?,
                    stop => return Err(stop),
                }
                return Ok(Status(USAGE));
            }
        },
    };
    if let Some(c) = &mut asked.style.colours
        && let Some(spec) = process.env.get("JQ_COLORS")
        && !c.set(spec)
    {
        process.write_error(b"Failed to set $JQ_COLORS\n")?;
    }
    let environment = environment(process);
    let mut named = asked.named.clone();
    let arguments = Val::object([
        ("positional", std::mem::take(&mut asked.positional).into()),
        ("named", asked.named.clone().into()),
    ]);
    named.insert("ARGS".into(), arguments);
    let dirs = match asked.modules.is_empty() {
        false => asked.modules.clone(),
        true => match process.env.get("HOME") {
            Some(home) => vec![Bytes::from([home, &b"/.jq"[..]].concat())],
            None => Vec::new(),
        },
    };
    let mut library =
        modules::Library { files: process.files.clone(), dirs, environment: environment.clone(), named };
    let program = match syntax::compile(&filter, &mut library) {
        Ok(p) => p,
        Err(messages) => {
            let n = messages.len();
            let mut text: String = messages.iter().map(|m| format!("jq: error: {m}\n")).collect();
            text.push_str(&format!("jq: {n} compile error{}\n", if n == 1 { "" } else { "s" }));
            process.write_error(text.as_bytes())?;
            return Ok(Status(COMPILE));
        }
    };
    let whole = asked.reading.slurp || asked.reading.raw || asked.reading.stream || asked.null;
    let need = if whole { json::Need::All } else { need::of(&program) };
    let stdin = std::mem::replace(
        &mut process.stdin,
        sandshell_kernel::Input::new(process.stderr.clone(), &process.budget),
    );
    let source = Source::new(
        std::mem::take(&mut asked.files),
        stdin,
        process.files.clone(),
        &process.budget,
        asked.reading.clone(),
        need,
    );
    let out = RefCell::new(&mut process.stdout);
    let failed = Rc::new(RefCell::new(false));
    let world = World {
        source,
        out: &out,
        stderr: process.stderr.clone(),
        budget: process.budget.clone(),
        environment,
        library,
        missing: failed.clone(),
    };
    let machine = Machine::new(&program, &process.budget, Box::new(world));
    let mut writer = Writer { asked: &asked, out: &out, buf: Vec::new(), last: None };
    let result = drive(&machine, &program, &mut writer, &asked);
    writer.flush()?;
    let status = match *result? {
        Ended::Status(s) => s,
        Ended::Halt(v, code) => {
            if let Some(v) = v {
                let mut text = match &v {
                    Val::Str(s) => s.bytes().to_vec(),
                    other => write::to_json(other),
                };
                if !matches!(v, Val::Str(_)) {
                    text.push(b'\n');
                }
                let stop = machine.outside.borrow_mut().message(&text);
                if let Err(s) = stop {
                    return Err(kernel_error(&s));
                }
            }
            return Ok(Status(code));
        }
    };
    if status != 0 {
        return Ok(Status(status));
    }
    if *failed.borrow() {
        return Ok(Status(USAGE));
    }
    if asked.exit_status {
        return Ok(Status(match writer.last {
            None => NO_OUTPUT,
            Some(true) => 0,
            Some(false) => 1,
        }));
    }
    Ok(Status::OK)
}

/// How a run ended.
enum Ended {
    Status(u8),
    Halt(Option<Val>, u8),
}

fn kernel_error(s: &Stop) -> Error {
    match s {
        Stop::Kernel(e) => *e,
        _ => Error::Os(sandshell_kernel::Errno::EIO),
    }
}

/// Runs the filter on every input.
fn drive<'p>(
    m: &Machine<'p>,
    program: &'p syntax::Compiled,
    writer: &mut Writer<'_, '_>,
    asked: &Asked,
) -> Result<Box<Ended>> {
    let mut status = 0;
    let mut once = asked.null;
    loop {
        let input = if asked.null {
            if !std::mem::take(&mut once) {
                break;
            }
            Val::Null
        } else {
            let next = m.outside.borrow_mut().input();
            match next {
                Ok(Some(v)) => v,
                Ok(None) => break,
                Err(s) => match *s {
                    Stop::Kernel(e) => return Err(e),
                    other => {
                        writer.flush()?;
                        if let Stop::Error(Val::Str(text)) = &other {
                            let line = format!("jq: parse error: {}\n", text.text());
                            if let Err(s) = m.outside.borrow_mut().message(line.as_bytes()) {
                                return Err(kernel_error(&s));
                            }
                        }
                        status = USAGE;
                        break;
                    }
                },
            }
        };
        let r = eval::eval(m, &program.main, &Env::default(), input, &mut |v: Val| writer.put(&v));
        if let Err(s) = r {
            match *s {
                Stop::Kernel(e) => return Err(e),
                Stop::Halt(v, code) => {
                    writer.flush()?;
                    return Ok(Box::new(Ended::Halt(v, code)));
                }
                other => {
                    writer.flush()?;
                    let place = m.outside.borrow().place();
                    let text = args::describe_error(&place, &other).unwrap_or_default();
                    if let Err(s) = m.outside.borrow_mut().message(text.as_bytes()) {
                        return Err(kernel_error(&s));
                    }
                    status = ERROR;
                }
            }
        }
    }
    Ok(Box::new(Ended::Status(status)))
}

/// Writes outputs.
struct Writer<'a, 'o> {
    asked: &'a Asked,
    out: &'a RefCell<&'o mut Output>,
    buf: Vec<u8>,
    /// Whether the last output was neither null nor false.
    last: Option<bool>,
}

/// Bytes gathered before they go to standard output.
const GATHERED: usize = 32 << 10;

impl Writer<'_, '_> {
    fn put(&mut self, v: &Val) -> Flow {
        self.last = Some(v.truthy());
        if self.asked.seq {
            self.buf.push(0x1e);
        }
        match v {
            Val::Str(s) if self.asked.raw => {
                if self.asked.nul && s.bytes().contains(&0) {
                    return machine::fail("Cannot dump a string containing NUL with --raw-output0 option");
                }
                match self.asked.style.ascii && !s.bytes().is_ascii() {
                    true => {
                        let from = self.buf.len();
                        write::quote(&mut self.buf, s.bytes(), true);
                        self.buf.remove(from);
                        self.buf.pop();
                    }
                    false => self.buf.extend_from_slice(s.bytes()),
                }
            }
            v => write::write(&mut self.buf, v, &self.asked.style, 0),
        }
        if self.asked.nul {
            self.buf.push(0);
        } else if !self.asked.join {
            self.buf.push(b'\n');
        }
        if self.buf.len() >= GATHERED || self.asked.unbuffered {
            self.flush()?;
            if self.asked.unbuffered {
                self.out.borrow_mut().flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.buf.is_empty() {
            return Ok(());
        }
        let r = self.out.borrow_mut().put(&self.buf);
        self.buf.clear();
        r
    }
}

/// The world outside the filter.
struct World<'a, 'o> {
    source: Source,
    out: &'a RefCell<&'o mut Output>,
    stderr: Fd,
    budget: sandshell_kernel::Budget,
    environment: Val,
    library: modules::Library,
    /// Whether an input file could not be read.
    missing: Rc<RefCell<bool>>,
}

impl Outside for World<'_, '_> {
    fn input(&mut self) -> Res<Option<Val>> {
        let r = self.source.next();
        for line in std::mem::take(&mut self.source.complaints) {
            *self.missing.borrow_mut() = true;
            self.message(line.as_bytes())?;
        }
        match r {
            Ok(v) => Ok(v),
            Err(Fault::Parse(text)) => machine::fail(text),
            Err(Fault::Kernel(e)) => Err(e.into()),
        }
    }

    fn filename(&self) -> Option<Val> {
        self.source.name.as_ref().map(|n| Val::Str(Str::lossy(n)))
    }

    fn line(&self) -> f64 {
        self.source.line() as f64
    }

    fn place(&self) -> String {
        if !self.source.started {
            return "<unknown>".into();
        }
        let name = match &self.source.name {
            None => "<stdin>".into(),
            Some(n) => String::from_utf8_lossy(n),
        };
        format!("{name}:{}", self.source.line())
    }

    fn message(&mut self, text: &[u8]) -> Flow {
        let mut out = self.out.borrow_mut();
        if out.fd().interactive() {
            out.flush()?;
        }
        match self.stderr.write_slice(&self.budget, text) {
            Err(e @ Error::Stop(_)) => Err(e.into()),
            _ => Ok(()),
        }
    }

    fn environment(&self) -> Val {
        self.environment.clone()
    }

    fn search_list(&self) -> Val {
        let dirs = self.library.dirs.iter().map(|d| Val::Str(Str::lossy(&self.library.files.absolute(d))));
        dirs.collect::<Vec<_>>().into()
    }

    fn module_meta(&mut self, name: &str) -> Res<Val> {
        self.library.meta(name)
    }
}
