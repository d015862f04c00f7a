//! sed, as GNU sed 4.9: scripts are compiled to instructions (`parser`, `script`) and run over the lines of all files
//! (`exec`, `input`); the commonest one-command scripts run over whole chunks (`fast`).

mod exec;
mod fast;
mod input;
mod parser;
mod script;
mod substitute;

use parser::{Fault, Piece};
use sandshell_kernel::{Bytes, Error, Process, Program, Result, Status};
use sandshell_text::options::{self, Example, Opt, Order, Spec, UsageError};

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[&Sed];

struct Sed;

static SPEC: Spec = Spec {
    name: "sed",
    about: "Edit a stream of text: run a script of editing commands on each line.",
    synopsis: &["[OPTION]... {script-only-if-no-other-script} [input-file]..."],
    options: &[
        Opt { short: Some('n'), ..Opt::long("quiet", "suppress automatic printing of pattern space") },
        Opt::long("silent", "the same"),
        Opt::long("debug", "annotate program execution (not supported)"),
        Opt::new('e', "expression", "add the script to the commands to be executed").value("script"),
        Opt::new('f', "file", "add the contents of script-file to the commands to be executed")
            .value("script-file"),
        Opt::long("follow-symlinks", "follow symlinks when processing in place"),
        Opt::new('i', "in-place", "edit files in place (makes backup if SUFFIX supplied)").optional("SUFFIX"),
        Opt::new('l', "line-length", "specify the desired line-wrap length for the `l' command").value("N"),
        Opt::long("posix", "disable all GNU extensions"),
        Opt::new('E', "regexp-extended", "use extended regular expressions in the script"),
        Opt::short('r', "the same"),
        Opt::new(
            's',
            "separate",
            "consider files as separate rather than as a single, continuous long stream",
        ),
        Opt::long("sandbox", "operate in sandbox mode (disable e/r/w commands)"),
        Opt::new(
            'u',
            "unbuffered",
            "load minimal amounts of data from the input files and flush the output often",
        ),
        Opt::new('z', "null-data", "separate lines by NUL characters"),
    ],
    notes: "If no -e, --expression, -f, or --file option is given, then the first non-option argument is taken as the \
sed script to interpret. All remaining arguments are names of input files; if no input files are specified, then the \
standard input is read.",
    version: "sed (GNU sed) 4.9",
    examples: &[
        Example { script: "printf 'one\\ntwo\\n' | sed 's/o/0/g'", output: "0ne\ntw0\n" },
        Example { script: "seq 5 | sed -n '2,3p'", output: "2\n3\n" },
    ],
};

/// What the command line asks for.
#[derive(Default)]
struct Settings {
    quiet: bool,
    separate: bool,
    in_place: Option<Bytes>,
    follow: bool,
    unbuffered: bool,
    line_length: usize,
    delimiter: u8,
    posix: bool,
}

impl Program for Sed {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let args: Vec<Bytes> = process.args.get(1..).unwrap_or_default().to_vec();
        let parsed = match options::parse(&SPEC, &args, Order::Permute) {
            Ok(p) => p,
            Err(UsageError(text)) => {
                process.error(format_args!("{text}"))?;
                return usage(process);
            }
        };
        let mut settings = Settings { line_length: 70, delimiter: b'\n', ..Settings::default() };
        let mut options = parser::Options::default();
        let mut pieces = Vec::new();
        let mut operands = parsed.operands;
        for found in parsed.options {
            let value = found.value;
            match found.id {
                "help" => {
                    process.stdout.put(SPEC.help().as_bytes())?;
                    return Ok(Status::OK);
                }
                "version" => {
                    process.stdout.text(format_args!("{}\n", SPEC.version))?;
                    return Ok(Status::OK);
                }
                "quiet" | "silent" => settings.quiet = true,
                "debug" => {
                    process.error(format_args!("--debug is not supported"))?;
                    return Ok(Status::FAILURE);
                }
                "expression" => pieces.push(Piece { file: None, text: value.unwrap_or_default().to_vec() }),
                "file" => {
                    let name = value.unwrap_or_default();
                    let shown = String::from_utf8_lossy(&name).into_owned();
                    let read = process.open_input(&name).and_then(|mut i| i.read_all());
                    match read {
                        Ok(text) => {
                            let text = text.strip_suffix(b"\n").unwrap_or(&text).to_vec();
                            pieces.push(Piece { file: Some(shown), text });
                        }
                        Err(Error::Os(e)) => {
                            process.error(format_args!("couldn't open file {shown}: {e}"))?;
                            return Ok(Status(4));
                        }
                        Err(stop) => return Err(stop),
                    }
                }
                "follow-symlinks" => settings.follow = true,
                "in-place" => {
                    settings.in_place = Some(value.unwrap_or_default());
                    settings.separate = true;
                }
                "line-length" => {
                    let text = value.unwrap_or_default();
                    match std::str::from_utf8(&text).ok().and_then(|t| t.parse().ok()) {
                        Some(n) => settings.line_length = n,
                        None => {
                            let shown = String::from_utf8_lossy(&text).into_owned();
                            process.error(format_args!("invalid line length: {shown}"))?;
                            return usage(process);
                        }
                    }
                }
                "posix" => (options.posix, settings.posix) = (true, true),
                "regexp-extended" | "r" => options.extended = true,
                "separate" => settings.separate = true,
                "sandbox" => options.sandbox = true,
                "unbuffered" => settings.unbuffered = true,
                "null-data" => settings.delimiter = 0,
                _ => {}
            }
        }
        if pieces.is_empty() {
            if operands.is_empty() {
                return usage(process);
            }
            pieces.push(Piece { file: None, text: operands.remove(0).to_vec() });
        }
        let script = match parser::parse(&pieces, options) {
            Ok(s) => s,
            Err(Fault(text, status)) => {
                process.error(format_args!("{text}"))?;
                return Ok(Status(status));
            }
        };
        settings.quiet |= script.silent;
        exec::run(process, &script, settings, operands)
    }
}

/// Prints the help on standard error, as GNU sed does after wrong use.
fn usage(process: &mut Process) -> Result<Status> {
    process.write_error(SPEC.help().as_bytes())?;
    Ok(Status::FAILURE)
}
