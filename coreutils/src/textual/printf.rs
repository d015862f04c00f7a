//! `printf` as a program (`env printf`, `find -exec printf`); the shell has its own.

use crate::cli;
use sandshell_kernel::{Process, Program, Result, Status};
use sandshell_text::options::{Example, Spec};
use sandshell_text::printf::{Flavor, Format, Host};

/// `printf`
pub struct Printf;

static SPEC: Spec = Spec {
    name: "printf",
    about: "Print ARGUMENT(s) according to FORMAT, or execute according to OPTION:",
    synopsis: &["FORMAT [ARGUMENT]...", "OPTION"],
    options: &[],
    notes: "FORMAT controls the output as in C printf.  Interpreted sequences are:\n\n  \\\"      double quote\n  \
        \\\\      backslash\n  \\a      alert (BEL)\n  \\b      backspace\n  \\c      produce no further output\n  \
        \\e      escape\n  \\f      form feed\n  \\n      new line\n  \\r      carriage return\n  \
        \\t      horizontal tab\n  \\v      vertical tab\n  \\NNN    byte with octal value NNN (1 to 3 digits)\n  \
        \\xHH    byte with hexadecimal value HH (1 to 2 digits)\n  \
        \\uHHHH  Unicode (ISO/IEC 10646) character with hex value HHHH (4 digits)\n  \
        \\UHHHHHHHH  Unicode character with hex value HHHHHHHH (8 digits)\n  %%      a single %\n  \
        %b      ARGUMENT as a string with '\\' escapes interpreted,\n          \
        except that octal escapes are of the form \\0 or \\0NNN\n  \
        %q      ARGUMENT is printed in a format that can be reused as shell input,\n          \
        escaping non-printable characters with the proposed POSIX $'' syntax.\n\n\
        and all C format specifications ending with one of diouxXfeEgGcs, with\n\
        ARGUMENTs converted to proper type first.  Variable widths are handled.",
    version: "printf (GNU coreutils) 9.1",
    examples: &[Example { script: "env printf '%s=%03d\\n' a 1 b 22", output: "a=001\nb=022\n" }],
};

/// Collects messages and asks the budget before large paddings.
struct Caller<'a> {
    process: &'a mut Process,
    /// With how much of the output comes before.
    messages: Vec<(usize, String)>,
    stop: Result<()>,
}

impl Host for Caller<'_> {
    fn complain(&mut self, text: &str) {
        self.complain_after(text, 0);
    }

    fn complain_after(&mut self, text: &str, written: usize) {
        self.messages.push((written, text.to_owned()));
    }

    fn room(&mut self, bytes: usize) -> bool {
        self.stop = self.process.budget.reserve(bytes as u64).map(drop);
        self.stop.is_ok()
    }
}

impl Program for Printf {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let args: Vec<_> = process.args.get(1..).unwrap_or_default().to_vec();
        let args = match &args[..] {
            [one] if &one[..] == b"--help" => {
                process.stdout.put(SPEC.help().as_bytes())?;
                return Ok(Status::OK);
            }
            [one] if &one[..] == b"--version" => {
                process.stdout.put(SPEC.version_text().as_bytes())?;
                return Ok(Status::OK);
            }
            [first, rest @ ..] if &first[..] == b"--" => rest,
            all => all,
        };
        let Some((format, args)) = args.split_first() else {
            process.error(format_args!("missing operand"))?;
            return cli::try_help(process, 1);
        };
        let mut out = Vec::new();
        let mut caller = Caller { process, messages: Vec::new(), stop: Ok(()) };
        let outcome = Format::new(format, Flavor::Gnu).run(args, &mut out, &mut caller);
        let Caller { process, messages, stop } = caller;
        stop?;
        let mut from = 0;
        for (to, m) in messages {
            process.stdout.put(&out[from..to])?;
            process.error(format_args!("{m}"))?;
            from = to;
        }
        process.stdout.put(&out[from..])?;
        Ok(Status(outcome.status))
    }
}
