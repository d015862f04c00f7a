//! `nice`, `nohup` and `stdbuf`: they run a program; priorities, hang-ups and stdio buffers are no matter here.

use super::launch::launch;
use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `nice`
pub struct Nice;
/// `nohup`
pub struct Nohup;
/// `stdbuf`
pub struct Stdbuf;

static NICE: Spec = Spec {
    name: "nice",
    about: "Run COMMAND with an adjusted niceness, which affects process scheduling.\nWith no COMMAND, print the current niceness.  Niceness values range from\n-20 (most favorable to the process) to 19 (least favorable to the process).",
    synopsis: &["[OPTION] [COMMAND [ARG]...]"],
    options: &[Opt::new('n', "adjustment", "add integer N to the niceness (default 10)").value("N")],
    notes: "There is no scheduling to adjust here: COMMAND runs as it is.",
    version: "nice (GNU coreutils) 9.1",
    examples: &[Example { script: "nice -n 5 echo hi", output: "hi\n" }],
};

static NOHUP: Spec = Spec {
    name: "nohup",
    about: "Run COMMAND, ignoring hangup signals.",
    synopsis: &["COMMAND [ARG]...", "OPTION"],
    options: &[],
    notes: "",
    version: "nohup (GNU coreutils) 9.1",
    examples: &[Example { script: "nohup echo hi", output: "hi\n" }],
};

static STDBUF: Spec = Spec {
    name: "stdbuf",
    about: "Run COMMAND, with modified buffering operations for its standard streams.",
    synopsis: &["OPTION... COMMAND"],
    options: &[
        Opt::new('i', "input", "adjust standard input stream buffering").value("MODE"),
        Opt::new('o', "output", "adjust standard output stream buffering").value("MODE"),
        Opt::new('e', "error", "adjust standard error stream buffering").value("MODE"),
    ],
    notes: "If MODE is 'L' the corresponding stream will be line buffered.\nIf MODE is '0' the corresponding stream will be unbuffered.",
    version: "stdbuf (GNU coreutils) 9.1",
    examples: &[Example { script: "stdbuf -oL echo hi", output: "hi\n" }],
};

fn operand_or_help(process: &mut Process, operands: &[Bytes]) -> Result<Option<Status>> {
    if operands.is_empty() {
        process.error(format_args!("missing operand"))?;
        return cli::try_help(process, 125).map(Some);
    }
    Ok(None)
}

impl Program for Nice {
    fn spec(&self) -> &'static Spec {
        &NICE
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        // `nice -5 cmd`, `nice --5 cmd`
        if let Some(arg) = process.args.get_mut(1) {
            let digits =
                arg.strip_prefix(b"-").map(|d| d.strip_prefix(b"-").or(d.strip_prefix(b"+")).unwrap_or(d));
            if digits.is_some_and(|d| !d.is_empty() && d.iter().all(u8::is_ascii_digit)) {
                *arg = Bytes::from([b"-n", &arg[1..]].concat());
            }
        }
        let parsed = match cli::parse(process, &NICE, Order::First, 125)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        if let Some(v) = parsed.last("adjustment")
            && std::str::from_utf8(v).ok().and_then(|v| v.parse::<i64>().ok()).is_none()
        {
            process.error(format_args!("invalid adjustment {}", cli::quote(v)))?;
            return Ok(Status(125));
        }
        if parsed.operands.is_empty() {
            if parsed.has("adjustment") {
                process.error(format_args!("a command must be given with an adjustment"))?;
                return cli::try_help(process, 125);
            }
            process.stdout.put(b"0\n")?;
            return Ok(Status::OK);
        }
        let spawn = process.spawn(parsed.operands);
        launch(process, spawn, "")
    }
}

impl Program for Nohup {
    fn spec(&self) -> &'static Spec {
        &NOHUP
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &NOHUP, Order::First, 125)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        if let Some(status) = operand_or_help(process, &parsed.operands)? {
            return Ok(status);
        }
        let spawn = process.spawn(parsed.operands);
        launch(process, spawn, "failed to run command ")
    }
}

impl Program for Stdbuf {
    fn spec(&self) -> &'static Spec {
        &STDBUF
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &STDBUF, Order::First, 125)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        for f in &parsed.options {
            let v = f.value.clone().unwrap_or_default();
            if f.id == "input" && v == "L" {
                process.error(format_args!("line buffering stdin is meaningless"))?;
                return cli::try_help(process, 125);
            }
            if v != "L" && !v.first().is_some_and(u8::is_ascii_digit) {
                process.error(format_args!("invalid mode {}", cli::quote(&v)))?;
                return Ok(Status(125));
            }
        }
        if let Some(status) = operand_or_help(process, &parsed.operands)? {
            return Ok(status);
        }
        if parsed.options.is_empty() {
            process.error(format_args!("you must specify a buffering mode option"))?;
            return cli::try_help(process, 125);
        }
        let spawn = process.spawn(parsed.operands);
        launch(process, spawn, "failed to run command ")
    }
}
