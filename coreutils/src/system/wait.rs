//! `sleep` and `timeout`.

use super::launch::{duration, launch};
use crate::cli;
use sandshell_kernel::{Error, Process, Program, Result, Status, Stop};
use sandshell_text::options::{Example, Opt, Order, Spec};
use std::time::{Duration, Instant};

/// `sleep`
pub struct Sleep;
/// `timeout`
pub struct Timeout;

static SLEEP: Spec = Spec {
    name: "sleep",
    about: "Pause for NUMBER seconds.  SUFFIX may be 's' for seconds (the default),\n'm' for minutes, 'h' for hours or 'd' for days.  NUMBER need not be an\ninteger.  Given two or more arguments, pause for the amount of time\nspecified by the sum of their values.",
    synopsis: &["NUMBER[SUFFIX]...", "OPTION"],
    options: &[],
    notes: "",
    version: "sleep (GNU coreutils) 9.1",
    examples: &[],
};

static TIMEOUT: Spec = Spec {
    name: "timeout",
    about: "Start COMMAND, and kill it if still running after DURATION.",
    synopsis: &["[OPTION] DURATION COMMAND [ARG]...", "[OPTION]"],
    options: &[
        Opt::long("preserve-status", "exit with the same status as COMMAND, even when the command times out"),
        Opt::long("foreground", "when not running timeout directly from a shell prompt, allow COMMAND to read from the TTY and get TTY signals"),
        Opt::new('k', "kill-after", "also send a KILL signal if COMMAND is still running this long after the initial signal was sent").value("DURATION"),
        Opt::new('s', "signal", "specify the signal to be sent on timeout; SIGNAL may be a name like 'HUP' or a number; see 'kill -l' for a list of signals").value("SIGNAL"),
        Opt::new('v', "verbose", "diagnose to stderr any signal sent upon timeout"),
    ],
    notes: "DURATION is a floating point number with an optional suffix:\n's' for seconds (the default), 'm' for minutes, 'h' for hours or 'd' for days.\nA duration of 0 disables the associated timeout.\n\nUpon timeout, send the TERM signal to COMMAND, if no other SIGNAL specified.\nThe exit status is 124 if COMMAND times out, and --preserve-status is not\nspecified, 125 if the timeout command itself fails, 126 if COMMAND is found\nbut cannot be invoked, 127 if COMMAND cannot be found, 137 if COMMAND is sent\nthe KILL signal, else the status of COMMAND.",
    version: "timeout (GNU coreutils) 9.1",
    examples: &[Example { script: "timeout 0.05 sleep 9; echo $?", output: "124\n" }],
};

impl Program for Sleep {
    fn spec(&self) -> &'static Spec {
        &SLEEP
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SLEEP, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        if parsed.operands.is_empty() {
            process.error(format_args!("missing operand"))?;
            return cli::try_help(process, 1);
        }
        let mut total = Duration::ZERO;
        let mut wrong = false;
        for o in &parsed.operands {
            match duration(o) {
                Some(d) => total = total.saturating_add(d),
                None => {
                    process.error(format_args!("invalid time interval {}", cli::quote(o)))?;
                    wrong = true;
                }
            }
        }
        if wrong {
            return cli::try_help(process, 1);
        }
        process.stdout.flush()?;
        process.budget.sleep_until(Instant::now().checked_add(total))?;
        Ok(Status::OK)
    }
}

/// The number and name of a signal.
fn signal(text: &[u8]) -> Option<(u8, String)> {
    const NAMES: [&str; 31] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
        "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
        "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
    ];
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(n) = text.parse::<u8>() {
        return match n {
            0 => Some((0, "EXIT".into())),
            1..=31 => Some((n, NAMES[n as usize - 1].into())),
            32..=64 => Some((n, n.to_string())),
            _ => None,
        };
    }
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let i = NAMES.iter().position(|n| *n == name)?;
    Some((i as u8 + 1, NAMES[i].into()))
}

impl Program for Timeout {
    fn spec(&self) -> &'static Spec {
        &TIMEOUT
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &TIMEOUT, Order::First, 125)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut sent = (15, "TERM".to_string());
        for f in &parsed.options {
            let v = f.value.clone().unwrap_or_default();
            match f.id {
                "kill-after" if duration(&v).is_none() => {
                    process.error(format_args!("invalid time interval {}", cli::quote(&v)))?;
                    return cli::try_help(process, 125);
                }
                "signal" => match signal(&v) {
                    Some(s) => sent = s,
                    None => {
                        process.error(format_args!("{}: invalid signal", cli::quote(&v)))?;
                        return cli::try_help(process, 125);
                    }
                },
                _ => {}
            }
        }
        if parsed.operands.len() < 2 {
            return cli::try_help(process, 125);
        }
        let Some(time) = duration(&parsed.operands[0]) else {
            process.error(format_args!("invalid time interval {}", cli::quote(&parsed.operands[0])))?;
            return cli::try_help(process, 125);
        };
        let mut spawn = process.spawn(parsed.operands[1..].to_vec());
        let child = process.budget.child();
        if !time.is_zero() {
            child.set_deadline(Instant::now().checked_add(time));
        }
        spawn.budget = child.clone();
        spawn.files.set_budget(&child);
        let name = spawn.argv[0].clone();
        let result = launch(process, spawn, "failed to run command ");
        // Only this command's own time is up, not the script's.
        let over = child.stopped() == Some(Stop::Timeout) || result == Err(Error::Stop(Stop::Timeout));
        if !over {
            return result;
        }
        process.budget.check()?;
        if parsed.has("verbose") {
            process.error(format_args!("sending signal {} to command {}", sent.1, cli::quote(&name)))?;
        }
        Ok(match (parsed.has("preserve-status"), sent.0) {
            (true, n) => Status(128 + n),
            (false, 9) => Status(137),
            _ => Status(124),
        })
    }
}
