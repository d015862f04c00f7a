//! `jobs`, `fg`, `bg`, `disown`, `kill`, `suspend`, `logout`.

use super::options::Options;
use crate::session::{
    options::opt,
    shell::{Flow, Shell, Unwind, os},
    traps::{SIGNALS, signal_number},
};
use bytes::Bytes;
use sandshell_kernel::stream::pipe::promote_deferred;

const JOBS_USAGE: &str = "jobs [-lnprs] [jobspec ...] or jobs -x command [args]";
const DISOWN_USAGE: &str = "disown [-h] [-ar] [jobspec ... | pid ...]";
const KILL_USAGE: &str = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]";

/// The job that a spec (with or without `%`) names.
fn find(sh: &Shell, spec: &[u8]) -> Option<usize> {
    match spec.first() {
        Some(b'%') => sh.jobs.by_spec(spec),
        _ => sh.jobs.by_spec(&[b"%", spec].concat()),
    }
}

/// How a job ended, as `jobs` words it.
fn state(done: Option<u8>) -> String {
    match done {
        None => "Running".into(),
        Some(0) => "Done".into(),
        Some(n @ 129..=192) => signal_text(n - 128),
        Some(n) => format!("Exit {n}"),
    }
}

/// What a shell says of a process that a signal ended.
fn signal_text(n: u8) -> String {
    let text = match n {
        1 => "Hangup",
        2 => "Interrupt",
        3 => "Quit",
        4 => "Illegal instruction",
        5 => "Trace/breakpoint trap",
        6 => "Aborted",
        7 => "Bus error",
        8 => "Floating point exception",
        9 => "Killed",
        10 => "User defined signal 1",
        11 => "Segmentation fault",
        12 => "User defined signal 2",
        13 => "Broken pipe",
        14 => "Alarm clock",
        15 => "Terminated",
        24 => "CPU time limit exceeded",
        25 => "File size limit exceeded",
        n => return format!("Unknown signal {n}"),
    };
    text.into()
}

/// Looks which jobs have ended. Without job control bash forgets those without a word.
fn refresh(sh: &mut Shell) {
    promote_deferred();
    let monitor = sh.options.on(opt::MONITOR);
    for j in &mut sh.jobs.list {
        if j.poll().is_some() && !monitor && !j.hidden {
            j.told = true;
        }
    }
}

pub fn jobs(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "lpnxrs", JOBS_USAGE);
    let (mut long, mut pids, mut changed, mut execute, mut running, mut stopped) =
        (false, false, false, false, false, false);
    loop {
        match options.next(sh) {
            Ok(Some((b'l', _))) => long = true,
            Ok(Some((b'p', _))) => pids = true,
            Ok(Some((b'n', _))) => changed = true,
            Ok(Some((b'x', _))) => execute = true,
            Ok(Some((b'r', _))) => (running, stopped) = (true, false),
            Ok(Some(_)) => (stopped, running) = (true, false),
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    if execute {
        let mut words = Vec::new();
        for w in operands {
            words.push(match w.starts_with(b"%").then(|| sh.jobs.by_spec(w)).flatten() {
                Some(at) => Bytes::from(sh.jobs.list[at].pid.to_string()),
                None => w.clone(),
            });
        }
        let Some(name) = words.first() else { return Ok(0) };
        return match super::find(name) {
            Some(b) => sh.run_builtin(b, &words),
            None => {
                sh.builtin = "";
                sh.dispatch(words)
            }
        };
    }
    refresh(sh);
    let mut status = 0;
    let mut chosen = Vec::new();
    for spec in operands {
        match find(sh, spec).filter(|&at| !sh.jobs.list[at].told) {
            Some(at) => chosen.push(at),
            None => {
                sh.complain(&[spec, b": no such job"]);
                status = 1;
            }
        }
    }
    if operands.is_empty() {
        chosen = (0..sh.jobs.list.len()).collect();
    }
    let visible: Vec<u32> = sh.jobs.list.iter().filter(|j| !j.hidden && !j.told).map(|j| j.id).collect();
    let mark = |id: u32| match visible.iter().rev().position(|&v| v == id) {
        Some(0) => '+',
        Some(1) => '-',
        _ => ' ',
    };
    let mut out = Vec::new();
    for at in chosen {
        let j = &mut sh.jobs.list[at];
        if j.hidden || j.told || stopped || running && j.done.is_some() || changed && j.done.is_none() {
            continue;
        }
        if pids {
            out.extend_from_slice(format!("{}\n", j.pid).as_bytes());
            continue;
        }
        let number = if long { format!(" {:5}", j.pid) } else { " ".into() };
        let text = state(j.done);
        out.extend_from_slice(format!("[{}]{}{number} {text:<23} ", j.id, mark(j.id)).as_bytes());
        out.extend_from_slice(&j.text);
        if j.done.is_none() {
            out.extend_from_slice(b" &");
        } else {
            j.told = true;
        }
        out.push(b'\n');
    }
    sh.jobs.list.retain(|j| !(j.told && j.done.is_some() && !j.hidden) || Some(j.pid) == sh.last_job);
    let written = sh.write_out(&out)?;
    Ok(status.max(written))
}

/// `fg` and `bg` need job control, which is off in scripts unless they ask for it.
fn job_control(sh: &mut Shell) -> bool {
    let on = sh.options.on(opt::MONITOR);
    if !on {
        sh.complain(&[b"no job control"]);
    }
    on
}

pub fn fg(sh: &mut Shell, args: &[Bytes]) -> Flow {
    if !job_control(sh) {
        return Ok(1);
    }
    let mut options = Options::new(args, "", "fg [job_spec]");
    if let Err(status) = options.next(sh) {
        return Ok(status);
    }
    refresh(sh);
    let spec = options.operands().first().cloned().unwrap_or(Bytes::from_static(b"%+"));
    let Some(at) = find(sh, &spec) else {
        let shown = if options.operands().is_empty() { Bytes::from_static(b"current") } else { spec };
        sh.complain(&[&shown, b": no such job"]);
        return Ok(1);
    };
    let pid = sh.jobs.list[at].pid;
    let line = [&sh.jobs.list[at].text[..], b"\n"].concat();
    let written = sh.write_out(&line)?;
    if written != 0 {
        return Ok(written);
    }
    loop {
        let Some(at) = sh.jobs.by_pid(pid) else { return Ok(0) };
        if let Some(status) = sh.jobs.list[at].wait_slice() {
            sh.jobs.list.remove(at);
            return Ok(status);
        }
        os(sh.budget.check())?.ok();
        sh.run_pending_signals()?;
    }
}

pub fn bg(sh: &mut Shell, args: &[Bytes]) -> Flow {
    if !job_control(sh) {
        return Ok(1);
    }
    let mut options = Options::new(args, "", "bg [job_spec ...]");
    if let Err(status) = options.next(sh) {
        return Ok(status);
    }
    refresh(sh);
    let mut specs = options.operands().to_vec();
    if specs.is_empty() {
        specs.push(Bytes::from_static(b"%+"));
    }
    for spec in specs {
        match find(sh, &spec) {
            Some(at) => {
                let id = sh.jobs.list[at].id.to_string();
                sh.complain(&[b"job ", id.as_bytes(), b" already in background"]);
            }
            None => {
                let shown = if options.operands().is_empty() { &b"current"[..] } else { &spec };
                sh.complain(&[shown, b": no such job"]);
                return Ok(1);
            }
        }
    }
    Ok(0)
}

pub fn disown(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "ahr", DISOWN_USAGE);
    let (mut all, mut keep, mut running) = (false, false, false);
    loop {
        match options.next(sh) {
            Ok(Some((b'a', _))) => all = true,
            Ok(Some((b'h', _))) => keep = true,
            Ok(Some(_)) => running = true,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    refresh(sh);
    let operands = options.operands();
    let forget = |sh: &mut Shell, at: usize| {
        // With `-h` it stays in the table: no hangup is ever sent here.
        if !keep {
            sh.jobs.list[at].disowned = true;
            sh.jobs.list[at].hidden = true;
        }
    };
    if operands.is_empty() && (all || running) {
        for at in 0..sh.jobs.list.len() {
            let j = &sh.jobs.list[at];
            if !j.hidden && (!running || j.done.is_none()) {
                forget(sh, at);
            }
        }
        return Ok(0);
    }
    let mut status = 0;
    let current = [Bytes::from_static(b"current")];
    for spec in if operands.is_empty() { &current[..] } else { operands } {
        let found = match &spec[..] {
            _ if operands.is_empty() => sh.jobs.by_spec(b"%+"),
            digits if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                std::str::from_utf8(digits)
                    .ok()
                    .and_then(|t| t.parse().ok())
                    .and_then(|pid| sh.jobs.by_pid(pid))
            }
            spec => find(sh, spec),
        };
        match found.filter(|&at| !sh.jobs.list[at].told && !sh.jobs.list[at].hidden) {
            Some(at) => forget(sh, at),
            None => {
                sh.complain(&[spec, b": no such job"]);
                status = 1;
            }
        }
    }
    Ok(status)
}

/// A real signal by number or name.
fn signal(text: &[u8]) -> Option<u8> {
    signal_number(text).filter(|&n| n <= 64)
}

pub fn kill(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut n = 15;
    let mut at = 1;
    let bad = |sh: &mut Shell, text: &[u8]| {
        sh.complain(&[text, b": invalid signal specification"]);
        Ok(1)
    };
    while let Some(a) = args.get(at) {
        match &a[..] {
            b"-l" | b"-L" => return list(sh, &args[at + 1..]),
            option @ (b"-s" | b"-n") => {
                let Some(text) = args.get(at + 1) else {
                    sh.complain(&[option, b": option requires an argument"]);
                    return Ok(1);
                };
                match signal(text) {
                    Some(s) => n = s,
                    None => return bad(sh, text),
                }
                at += 2;
            }
            b"--" => {
                at += 1;
                break;
            }
            [b'-', text @ ..] if !text.is_empty() && at == 1 => {
                // `-sTERM` and `-n15` too.
                let text = match text {
                    [b's' | b'n', rest @ ..] if !rest.is_empty() => rest,
                    t => t,
                };
                match signal(text) {
                    Some(s) => n = s,
                    None => return bad(sh, text),
                }
                at += 1;
            }
            _ => break,
        }
    }
    let ids = args.get(at..).unwrap_or(&[]);
    if ids.is_empty() {
        return sh.usage(KILL_USAGE);
    }
    promote_deferred();
    let mut any = false;
    for id in ids {
        let negative = id.strip_prefix(b"-");
        let digits = negative.unwrap_or(id);
        if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            let pid = std::str::from_utf8(digits).ok().and_then(|t| t.parse::<u32>().ok());
            if pid == Some(sh.pid) && sh.pid != sh.shell_pid && sh.script.dies_of(sh.pid, n) {
                // A subshell ends alone.
                return Err(Unwind::Killed(n));
            }
            if pid.is_some_and(|pid| sh.script.signal(pid, n)) {
                any = true;
            } else {
                sh.complain(&[b"(", id, b") - No such process"]);
            }
        } else if id.starts_with(b"%") {
            match sh.jobs.by_spec(id) {
                Some(at) => {
                    let pid = sh.jobs.list[at].pid;
                    if sh.script.signal(pid, n) {
                        any = true;
                    } else {
                        sh.complain(&[b"(", pid.to_string().as_bytes(), b") - No such process"]);
                    }
                }
                None => sh.complain(&[id, b": no such job"]),
            }
        } else if id.is_empty() {
            sh.complain(&[b"`", id, b"': not a pid or valid job spec"]);
        } else {
            sh.complain(&[id, b": arguments must be process or job IDs"]);
        }
    }
    // A signal to this shell itself takes effect before the next command.
    os(sh.budget.check())?.ok();
    Ok(u8::from(!any))
}

/// `kill -l`
fn list(sh: &mut Shell, specs: &[Bytes]) -> Flow {
    if specs.is_empty() {
        let table = super::trap::signal_table();
        return sh.write_out(&table);
    }
    let mut status = 0;
    for spec in specs {
        let line = match spec.iter().all(u8::is_ascii_digit) && !spec.is_empty() {
            true => {
                let n =
                    std::str::from_utf8(spec).ok().and_then(|t| t.parse::<u32>().ok()).unwrap_or(u32::MAX);
                let n = if n > 128 { n - 128 } else { n };
                SIGNALS.get(n as usize).filter(|s| !s.is_empty()).map(|s| (*s).to_owned())
            }
            false => signal(spec).map(|n| n.to_string()),
        };
        match line {
            Some(line) => {
                let written = sh.write_out(format!("{line}\n").as_bytes())?;
                if written != 0 {
                    return Ok(written);
                }
            }
            None => {
                sh.complain(&[spec, b": invalid signal specification"]);
                status = 1;
            }
        }
    }
    Ok(status)
}

pub fn suspend(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "f", "suspend [-f]");
    loop {
        match options.next(sh) {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    // Nobody could wake it up again.
    sh.complain(&[b"cannot suspend: no job control"]);
    Ok(1)
}

pub fn logout(sh: &mut Shell, _: &[Bytes]) -> Flow {
    sh.complain(&[b"not login shell: use `exit'"]);
    Ok(1)
}
