//! `bc`: GNU bc 1.07, with its library.

mod decimal;
mod library;
mod run;
mod syntax;

use sandshell_kernel::{Bytes, Error, Input, Process, Program, Result, Status};
use sandshell_text::options::{self, Example, Opt, Order, Spec, UsageError};
use syntax::Parser;

/// `bc`
pub struct Bc;

static SPEC: Spec = Spec {
    name: "bc",
    about: "An arbitrary precision calculator language.",
    synopsis: &["[options] [file ...]"],
    options: &[
        Opt::new('i', "interactive", "force interactive mode"),
        Opt::new('l', "mathlib", "use the predefined math routines"),
        Opt::new('q', "quiet", "don't print initial banner"),
        Opt::new('s', "standard", "non-standard bc constructs are errors"),
        Opt::new('w', "warn", "warn about non-standard bc constructs"),
        Opt::short('h', "print this usage and exit"),
        Opt::short('v', "print version information and exit"),
    ],
    notes: "",
    version: "bc 1.07.1",
    examples: &[
        Example { script: "echo '2^64' | bc", output: "18446744073709551616\n" },
        Example { script: "echo 'scale=3; 10/3' | bc", output: "3.333\n" },
    ],
};

const USAGE: &str = "usage: bc [options] [file ...]
  -h  --help         print this usage and exit
  -i  --interactive  force interactive mode
  -l  --mathlib      use the predefined math routines
  -q  --quiet        don't print initial banner
  -s  --standard     non-standard bc constructs are errors
  -w  --warn         warn about non-standard bc constructs
  -v  --version      print version information and exit
";

impl Program for Bc {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let args: Vec<Bytes> = process.args.get(1..).unwrap_or_default().to_vec();
        let parsed = match options::parse(&SPEC, &args, Order::Permute) {
            Ok(p) => p,
            Err(UsageError(text)) => {
                process.error(format_args!("{text}"))?;
                process.stdout.put(USAGE.as_bytes())?;
                return Ok(Status::FAILURE);
            }
        };
        if parsed.has("help") || parsed.has("h") {
            process.stdout.put(USAGE.as_bytes())?;
            return Ok(Status::OK);
        }
        if parsed.has("version") || parsed.has("v") {
            process.stdout.text(format_args!("{}\n", SPEC.version))?;
            return Ok(Status::OK);
        }
        let mut machine = run::Machine::new(process, parsed.has("mathlib"));
        for name in &parsed.operands {
            let text = match machine.process.files.open_read(name).and_then(|mut i| i.read_all()) {
                Ok(t) => t,
                Err(Error::Os(_)) => {
                    let line = format!("File {} is unavailable.\n", String::from_utf8_lossy(name));
                    machine.process.write_error(line.as_bytes())?;
                    return Ok(Status::FAILURE);
                }
                Err(stop) => return Err(stop),
            };
            if machine.run(Parser::new(text.to_vec(), None, &String::from_utf8_lossy(name)))? {
                return Ok(Status::OK);
            }
        }
        // Each line is answered before the next is read: bc may be a coprocess.
        machine.process.stdout.set_line_buffered(true);
        let nothing = Input::new(machine.process.stderr.clone(), &machine.process.budget);
        let input = std::mem::replace(&mut machine.process.stdin, nothing);
        machine.run(Parser::new(Vec::new(), Some(input), "(standard_in)"))?;
        Ok(Status::OK)
    }
}
