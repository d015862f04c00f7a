//! `less` and `more` without a terminal pass their input on, as the real ones do; `clear` prints its sequence.

use crate::cli;
use sandshell_kernel::{Bytes, Errno, Error, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `less`
pub struct Less;
/// `more`
pub struct More;
/// `clear`
pub struct Clear;

static LESS: Spec = Spec {
    name: "less",
    about: "Show files. Without a terminal the text is passed on whole.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('N', "LINE-NUMBERS", "use line numbers"),
        Opt::new('S', "chop-long-lines", "chop long lines"),
        Opt::new('R', "RAW-CONTROL-CHARS", "output raw control characters"),
        Opt::new('F', "quit-if-one-screen", "quit if the file fits on one screen"),
        Opt::new('X', "no-init", "do not clear the screen"),
        Opt::new('e', "quit-at-eof", "quit at end of file"),
        Opt::new('E', "QUIT-AT-EOF", "quit at end of file"),
        Opt::new('i', "ignore-case", "ignore case in searches"),
        Opt::new('n', "line-numbers", "suppress line numbers"),
        Opt::new('s', "squeeze-blank-lines", "squeeze multiple blank lines"),
        Opt::new('r', "raw-control-chars", "output raw control characters"),
    ],
    notes: "",
    version: "less 590",
    examples: &[Example { script: "echo hi | less", output: "hi\n" }],
};

static MORE: Spec = Spec {
    name: "more",
    about: "Display the contents of a file in a terminal. Without one the text is passed on whole.",
    synopsis: &["[options] <file>..."],
    options: &[
        Opt::new('d', "silent", "display help instead of ringing bell"),
        Opt::new('f', "logical", "count logical rather than screen lines"),
        Opt::new('l', "no-pause", "suppress pause after form feed"),
        Opt::new('c', "print-over", "do not scroll, display text and clean line ends"),
        Opt::new('p', "clean-print", "do not scroll, clean screen and display text"),
        Opt::new('s', "squeeze", "squeeze multiple blank lines into one"),
        Opt::new('u', "plain", "suppress underlining and bold"),
        Opt::new('n', "lines", "the number of lines per screenful").value("number"),
    ],
    notes: "",
    version: "more from util-linux 2.38.1",
    examples: &[Example { script: "echo hi | more", output: "hi\n" }],
};

static CLEAR: Spec = Spec {
    name: "clear",
    about: "Clear the terminal screen.",
    synopsis: &["[-T type] [-V] [-x]"],
    options: &[
        Opt::short('T', "indicate the type of terminal").value("type"),
        Opt::short('V', "print curses-version"),
        Opt::short('x', "do not try to clear scrollback"),
    ],
    notes: "",
    version: "ncurses 6.4.20221231",
    examples: &[],
};

fn copy(process: &mut Process, operands: Vec<Bytes>, headers: bool, missing: &str) -> Result<Status> {
    let files = if operands.is_empty() { vec![Bytes::from_static(b"-")] } else { operands };
    let several = headers && files.iter().any(|f| f != "-");
    let mut status = Status::OK;
    for name in files {
        let shown = String::from_utf8_lossy(&name).into_owned();
        let mut input = match process.open_input(&name) {
            Ok(i) => i,
            Err(Error::Os(Errno::EISDIR)) => {
                let text = if headers {
                    format!("\n*** {shown}: directory ***\n\n")
                } else {
                    format!("{shown} is a directory\n")
                };
                if headers {
                    process.stdout.put(text.as_bytes())?;
                } else {
                    process.write_error(text.as_bytes())?;
                    status = Status::FAILURE;
                }
                continue;
            }
            Err(Error::Os(e)) => {
                process.write_error(format!("{missing}{shown}: {e}\n").as_bytes())?;
                if !headers {
                    status = Status::FAILURE;
                }
                continue;
            }
            Err(stop) => return Err(stop),
        };
        if several {
            process.stdout.text(format_args!("::::::::::::::\n{shown}\n::::::::::::::\n"))?;
        }
        while let Some(chunk) = input.next_chunk()? {
            process.stdout.chunk(chunk)?;
        }
    }
    Ok(status)
}

impl Program for Less {
    fn spec(&self) -> &'static Spec {
        &LESS
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        match cli::parse(process, &LESS, Order::Permute, 1)? {
            Ok(p) => copy(process, p.operands, false, ""),
            Err(status) => Ok(status),
        }
    }
}

impl Program for More {
    fn spec(&self) -> &'static Spec {
        &MORE
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        match cli::parse(process, &MORE, Order::Permute, 1)? {
            Ok(p) => copy(process, p.operands, true, "more: cannot open "),
            Err(status) => Ok(status),
        }
    }
}

impl Program for Clear {
    fn spec(&self) -> &'static Spec {
        &CLEAR
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &CLEAR, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        if parsed.has("V") {
            process.stdout.line(CLEAR.version.as_bytes())?;
            return Ok(Status::OK);
        }
        // Home and clear to the end of the screen; a dumb terminal cannot.
        match process.env.get("TERM").map(|t| &t[..]) {
            None => {
                process.write_error(b"TERM environment variable not set.\n")?;
                return Ok(Status::FAILURE);
            }
            Some(b"dumb") => {}
            Some(_) if parsed.has("x") => process.stdout.put(b"\x1b[H\x1b[2J")?,
            Some(_) => process.stdout.put(b"\x1b[H\x1b[2J\x1b[3J")?,
        }
        Ok(Status::OK)
    }
}
