//! The awk language as gawk 5.2 knows it, without networking, extensions and two-way pipes. Program text is compiled to
//! a tree over slots (`parser`), which is then run (`interp`, `eval`, `builtins`) record by record (`input`, `record`).

mod array;
mod ast;
mod builtins;
mod eval;
mod format;
mod input;
mod interp;
mod lexer;
mod order;
mod parser;
mod random;
mod record;
mod regex;
mod streams;
mod time;
mod value;

use interp::{Fail, Interp};
use parser::SourceText;
use sandshell_kernel::{Bytes, Error, Process, Program, Result, Status};
use sandshell_text::options::{self, Example, Opt, Order, Spec, UsageError};

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[&Awk(&AWK), &Awk(&GAWK), &Awk(&MAWK)];

struct Awk(&'static Spec);

const OPTIONS: &[Opt] = &[
    Opt::new('f', "file", "Read the program from FILE; several are joined.").value("progfile"),
    Opt::new('F', "field-separator", "Use FS for the input field separator.").value("fs"),
    Opt::new('v', "assign", "Assign VAL to the variable VAR before the program begins.").value("var=val"),
    Opt::new('b', "characters-as-bytes", "Treat all input as single-byte characters."),
    Opt::new('e', "source", "Use TEXT as program text.").value("program-text"),
    Opt::new('E', "exec", "Like -f, and the end of options.").value("file"),
    Opt::new('i', "include", "Include FILE as with @include; `inplace' edits files in place.")
        .value("includefile"),
    Opt::new('O', "optimize", "Optimize the program (always done)."),
    Opt::new('r', "re-interval", "Interval expressions in regular expressions (always on)."),
    Opt::new('s', "no-optimize", "Do not optimize (has no effect on results)."),
    Opt::new('S', "sandbox", "Refuse system(), redirections and getline from elsewhere."),
];

const NOTES: &str = "The program is a series of pattern { action } statements and function definitions. By default it \
reads standard input and writes standard output.";

const fn spec(name: &'static str, version: &'static str) -> Spec {
    Spec {
        name,
        about: "Scan for patterns and process text: the awk language.",
        synopsis: &["[OPTION]... -f PROGFILE [--] FILE...", "[OPTION]... [--] 'PROGRAM' FILE..."],
        options: OPTIONS,
        notes: NOTES,
        version,
        examples: &[
            Example { script: "printf 'a 1\\nb 2\\n' | awk '{ s += $2 } END { print s }'", output: "3\n" },
            Example { script: "echo a:b:c | awk -F: '{ print $2 }'", output: "b\n" },
        ],
    }
}

static AWK: Spec = spec("awk", "GNU Awk 5.2.1, API 3.2, PMA Avon 8-g1, (GNU MPFR 4.2.0, GNU MP 6.2.1)");
static GAWK: Spec = spec("gawk", "GNU Awk 5.2.1, API 3.2, PMA Avon 8-g1, (GNU MPFR 4.2.0, GNU MP 6.2.1)");
static MAWK: Spec = spec("mawk", "GNU Awk 5.2.1, API 3.2, PMA Avon 8-g1, (GNU MPFR 4.2.0, GNU MP 6.2.1)");

/// Stack that parsing and evaluating may need; a thread with less gets a new one.
const STACK: usize = 4 << 20;

impl Program for Awk {
    fn spec(&self) -> &'static Spec {
        self.0
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        stacker::maybe_grow(STACK, 4 * STACK, || run(self.0, process))
    }
}

/// What the command line asks for.
#[derive(Default)]
struct Settings {
    assignments: Vec<Bytes>,
    separator: Option<Bytes>,
    sources: Vec<SourceText>,
    in_place: bool,
    sandbox: bool,
}

fn run(spec: &'static Spec, process: &mut Process) -> Result<Status> {
    let name = process.name();
    let args: Vec<Bytes> = process.args.get(1..).unwrap_or_default().to_vec();
    let parsed = match options::parse(spec, &args, Order::First) {
        Ok(p) => p,
        Err(UsageError(_)) => return usage(process, spec, 1),
    };
    let mut settings = Settings::default();
    let mut from_options = false;
    let mut operands = parsed.operands;
    for found in parsed.options {
        let value = found.value.unwrap_or_default();
        match found.id {
            "help" => {
                process.stdout.put(spec.help().as_bytes())?;
                return Ok(Status::OK);
            }
            "version" => {
                process.stdout.text(format_args!("{}\n", spec.version))?;
                return Ok(Status::OK);
            }
            "field-separator" => settings.separator = Some(value),
            "assign" => settings.assignments.push(value),
            "source" => {
                from_options = true;
                settings.sources.push(SourceText { name: "cmd. line".into(), text: value.to_vec() });
            }
            "file" | "exec" => {
                from_options = true;
                match read_source(process, &value) {
                    Ok(text) => {
                        settings
                            .sources
                            .push(SourceText { name: String::from_utf8_lossy(&value).into(), text });
                    }
                    Err(Error::Os(e)) => {
                        let file = String::from_utf8_lossy(&value).into_owned();
                        process.error(format_args!(
                            "fatal: cannot open source file `{file}' for reading: {e}"
                        ))?;
                        return Ok(Status::USAGE);
                    }
                    Err(stop) => return Err(stop),
                }
            }
            "include" if &value[..] == b"inplace" => settings.in_place = true,
            "include" => {
                let text = match read_source(process, &value) {
                    Ok(t) => t,
                    Err(Error::Os(e)) => {
                        let file = String::from_utf8_lossy(&value).into_owned();
                        process.error(format_args!(
                            "fatal: cannot open source file `{file}' for reading: {e}"
                        ))?;
                        return Ok(Status::USAGE);
                    }
                    Err(stop) => return Err(stop),
                };
                settings.sources.push(SourceText { name: String::from_utf8_lossy(&value).into(), text });
            }
            "sandbox" => settings.sandbox = true,
            _ => {}
        }
    }
    if !from_options {
        if operands.is_empty() {
            return usage(process, spec, 1);
        }
        let text = operands.remove(0).to_vec();
        settings.sources.push(SourceText { name: "cmd. line".into(), text });
    }
    start(process, name, settings, operands, spec)
}

/// Prints the usage on standard error, as gawk does after wrong use.
fn usage(process: &mut Process, spec: &'static Spec, status: u8) -> Result<Status> {
    let text = spec.help();
    process.write_error(text.as_bytes())?;
    Ok(Status(status))
}

fn read_source(process: &mut Process, name: &[u8]) -> Result<Vec<u8>> {
    let name = if name == b"/dev/stdin" { &b"-"[..] } else { name };
    let text = process.open_input(name)?.read_all()?;
    Ok(text.to_vec())
}

fn start(
    process: &mut Process,
    name: String,
    settings: Settings,
    operands: Vec<Bytes>,
    spec: &'static Spec,
) -> Result<Status> {
    let mut sources = settings.sources;
    let mut warnings = Vec::new();
    let parsed = {
        let files = process.files.clone();
        let mut include = |file: &[u8]| {
            let shown = String::from_utf8_lossy(file).into_owned();
            let read = files.read(file).or_else(|e| {
                let with_suffix = [file, b".awk"].concat();
                files.read(&with_suffix).map_err(|_| e)
            });
            read.map(|b| b.to_vec())
                .map_err(|e| format!("cannot open source file `{shown}' for reading: {e}"))
        };
        parser::parse(&mut sources, &mut include, &mut warnings)
    };
    let mut told = Vec::new();
    for (place, text) in warnings {
        if told.contains(&text) {
            continue;
        }
        let line =
            format!("{name}: {}:{}: warning: {text}\n", sources[place.source as usize].name, place.line);
        process.write_error(line.as_bytes())?;
        told.push(text);
    }
    let program = match parsed {
        Ok(p) => p,
        Err(fault) => return report(process, &name, &sources, &fault),
    };
    let mut argv = vec![Bytes::from(name.clone())];
    argv.extend(operands);
    let mut interp = Interp::new(&program, &sources, process, name.clone(), &argv);
    interp.edit_in_place = settings.in_place;
    let mut fault = None;
    for a in &settings.assignments {
        match interp::assignment(a) {
            Some((var, value)) => {
                if let Err(e) = interp.assign_operand(var, value) {
                    fault = Some(e);
                }
            }
            None if a.contains(&b'=') => {
                let var = String::from_utf8_lossy(a).split('=').next().unwrap_or_default().to_string();
                let line = format!("{name}: fatal: `{var}' is not a legal variable name\n");
                interp.process.write_error(line.as_bytes())?;
                return Ok(Status::USAGE);
            }
            None => {
                let shown = String::from_utf8_lossy(a).into_owned();
                let line = format!("{name}: `{shown}' argument to `-v' not in `var=value' form\n\n");
                interp.process.write_error(line.as_bytes())?;
                return usage(process, spec, 1);
            }
        }
    }
    if let Some(fs) = settings.separator
        && let Err(e) = interp.assign_operand("FS", &fs)
    {
        fault = Some(e);
    }
    interp.sandbox = settings.sandbox;
    if let Some(e) = fault {
        return match *e {
            Fail::Kernel(e) => Err(e),
            Fail::Fatal(text) => {
                let line = format!("{name}: fatal: {text}\n");
                interp.process.write_error(line.as_bytes())?;
                Ok(Status::USAGE)
            }
            _ => Ok(Status::USAGE),
        };
    }
    interp.run()
}

/// Shows a fault of the program text: the line up to where it is noticed, and a caret.
fn report(process: &mut Process, name: &str, sources: &[SourceText], fault: &lexer::Fault) -> Result<Status> {
    let source = &sources[fault.place.source as usize];
    let at = format!("{name}: {}:{}: ", source.name, fault.place.line);
    if fault.fatal {
        process.write_error(format!("{at}fatal: {}\n", fault.text).as_bytes())?;
        return Ok(Status::USAGE);
    }
    let mut out = at.clone().into_bytes();
    match fault.at {
        None => out.extend_from_slice(fault.text.as_bytes()),
        Some(offset) => {
            let offset = offset.min(source.text.len());
            let start = memchr::memrchr(b'\n', &source.text[..offset]).map_or(0, |i| i + 1);
            let end = memchr::memchr(b'\n', &source.text[offset..]).map_or(source.text.len(), |i| offset + i);
            out.extend_from_slice(&source.text[start..end]);
            out.push(b'\n');
            out.extend_from_slice(at.as_bytes());
            out.extend(source.text[start..offset].iter().map(|b| if *b == b'\t' { b'\t' } else { b' ' }));
            out.extend_from_slice(b"^ ");
            out.extend_from_slice(fault.text.as_bytes());
        }
    }
    out.push(b'\n');
    process.write_error(&out)?;
    Ok(Status::FAILURE)
}
