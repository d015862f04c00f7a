//! `echo` as a program (`env echo`, `xargs echo`); the shell has its own.

use sandshell_kernel::{Process, Program, Result, Status};
use sandshell_text::escape::{Escapes, unescape};
use sandshell_text::options::{Example, Opt, Spec};

/// `echo`
pub struct Echo;

static SPEC: Spec = Spec {
    name: "echo",
    about: "Echo the STRING(s) to standard output.",
    synopsis: &["[SHORT-OPTION]... [STRING]...", "LONG-OPTION"],
    options: &[
        Opt::short('n', "do not output the trailing newline"),
        Opt::short('e', "enable interpretation of backslash escapes"),
        Opt::short('E', "disable interpretation of backslash escapes (default)"),
    ],
    notes: "If -e is in effect, the following sequences are recognized:\n\n  \\\\      backslash\n  \\a      alert (BEL)\n  \
        \\b      backspace\n  \\c      produce no further output\n  \\e      escape\n  \\f      form feed\n  \
        \\n      new line\n  \\r      carriage return\n  \\t      horizontal tab\n  \\v      vertical tab\n  \
        \\0NNN   byte with octal value NNN (1 to 3 digits)\n  \\xHH    byte with hexadecimal value HH (1 to 2 digits)",
    version: "echo (GNU coreutils) 9.1",
    examples: &[Example { script: "echo one  two", output: "one two\n" }],
};

impl Program for Echo {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let mut args = process.args.get(1..).unwrap_or_default();
        match args {
            [one] if &one[..] == b"--help" => {
                process.stdout.put(SPEC.help().as_bytes())?;
                return Ok(Status::OK);
            }
            [one] if &one[..] == b"--version" => {
                process.stdout.put(SPEC.version_text().as_bytes())?;
                return Ok(Status::OK);
            }
            _ => {}
        }
        let (mut newline, mut escapes) = (true, false);
        while let Some((first, rest)) = args.split_first()
            && let [b'-', letters @ ..] = &first[..]
            && !letters.is_empty()
            && letters.iter().all(|c| b"neE".contains(c))
        {
            for c in letters {
                match c {
                    b'n' => newline = false,
                    c => escapes = *c == b'e',
                }
            }
            args = rest;
        }
        let mut text = args.join(&b' ');
        if escapes {
            let mut out = Vec::with_capacity(text.len());
            newline &= unescape(&text, Escapes::GnuEcho, &mut out);
            text = out;
        }
        if newline {
            text.push(b'\n');
        }
        process.stdout.put(&text)?;
        Ok(Status::OK)
    }
}
