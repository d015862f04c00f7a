//! `:` `false` `exit` `return` `break` `continue` `shift` `eval` `exec` `source` `builtin`.

use crate::exec::TextKind;
use crate::expand::arith::decimal;
use crate::session::{
    options::{opt, shopt},
    script::NotRunnable,
    shell::{Flow, Frame, Positional, Shell, Unwind, os},
    traps,
};
use bytes::Bytes;
use sandshell_kernel::{Env, Errno, FileKind, Spawn};

pub fn colon(_: &mut Shell, _: &[Bytes]) -> Flow {
    Ok(0)
}

pub fn fail(_: &mut Shell, _: &[Bytes]) -> Flow {
    Ok(1)
}

/// The numeric argument of `exit`, `return`, `break`, `shift`: any decimal integer.
fn integer(text: &[u8]) -> Option<i64> {
    let t = text.trim_ascii();
    match decimal(t) {
        Some(n) => Some(n),
        None => std::str::from_utf8(t).ok()?.parse().ok(),
    }
}

/// An argument too many abandons all that runs: the script if it was given as text, else up to its next line.
fn too_many(sh: &mut Shell) -> Unwind {
    sh.complain(&[b"too many arguments"]);
    match sh.from_text {
        true => Unwind::Exit(1),
        false => Unwind::Discard(1),
    }
}

/// Drops a `--`.
fn operands(args: &[Bytes]) -> &[Bytes] {
    match args.get(1) {
        Some(a) if &a[..] == b"--" => &args[2..],
        _ => args.get(1..).unwrap_or(&[]),
    }
}

pub fn exit(sh: &mut Shell, args: &[Bytes]) -> Flow {
    sh.leaves = true;
    let status = match operands(args) {
        [] => sh.status,
        [n, rest @ ..] => match integer(n) {
            None => {
                sh.complain(&[n, b": numeric argument required"]);
                return Err(Unwind::Exit(2));
            }
            Some(_) if !rest.is_empty() => {
                sh.leaves = false;
                return Err(too_many(sh));
            }
            Some(n) => n as u8,
        },
    };
    Err(Unwind::Exit(status))
}

pub fn return_from(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let status = match operands(args) {
        [] => sh.status,
        [n, rest @ ..] => match integer(n) {
            None => {
                sh.complain(&[n, b": numeric argument required"]);
                2
            }
            Some(_) if !rest.is_empty() => {
                return Err(too_many(sh));
            }
            Some(n) => n as u8,
        },
    };
    if sh.frames.is_empty() && sh.in_trap == 0 {
        sh.complain(&[b"can only `return' from a function or sourced script"]);
        return Ok(2);
    }
    Err(Unwind::Return(status))
}

/// The count of `break` and `continue`; `Err` is what to give instead.
fn levels(sh: &mut Shell, args: &[Bytes]) -> Result<u32, Flow> {
    if sh.loops == 0 {
        sh.complain(&[b"only meaningful in a `for', `while', or `until' loop"]);
        return Err(Ok(0));
    }
    match operands(args) {
        [] => Ok(1),
        [n, rest @ ..] => match integer(n) {
            None => {
                sh.complain(&[n, b": numeric argument required"]);
                Err(Err(Unwind::Exit(128)))
            }
            Some(_) if !rest.is_empty() => Err(Err(too_many(sh))),
            Some(v) if v <= 0 => {
                sh.complain(&[n, b": loop count out of range"]);
                // bash leaves all loops then.
                Err(Err(Unwind::Break(sh.loops)))
            }
            Some(v) => Ok(u32::try_from(v).unwrap_or(u32::MAX).min(sh.loops)),
        },
    }
}

pub fn break_loop(sh: &mut Shell, args: &[Bytes]) -> Flow {
    match levels(sh, args) {
        Ok(n) => Err(Unwind::Break(n)),
        Err(r) => r,
    }
}

pub fn continue_loop(sh: &mut Shell, args: &[Bytes]) -> Flow {
    match levels(sh, args) {
        Ok(n) => Err(Unwind::Continue(n)),
        Err(r) => r,
    }
}

pub fn shift(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let n = match operands(args) {
        [] => 1,
        [n, rest @ ..] => match integer(n) {
            None => {
                sh.complain(&[n, b": numeric argument required"]);
                return Ok(1);
            }
            Some(_) if !rest.is_empty() => {
                return Err(too_many(sh));
            }
            Some(v) if v < 0 => {
                sh.complain(&[n, b": shift count out of range"]);
                return Ok(1);
            }
            Some(v) => v,
        },
    };
    if n as usize > sh.positional.args().len() {
        if sh.options.shopt(shopt::SHIFT_VERBOSE) {
            let text = n.to_string();
            sh.complain(&[text.as_bytes(), b": shift count out of range"]);
        }
        return Ok(1);
    }
    sh.positional.shift(n as usize);
    Ok(0)
}

pub fn eval(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let text = match operands(args) {
        [] => return Ok(0),
        [one] => one.clone(),
        many => Bytes::from(many.join(&b' ')),
    };
    sh.builtin = "";
    sh.run_text(text, TextKind::Eval)
}

pub fn builtin(sh: &mut Shell, args: &[Bytes]) -> Flow {
    if let Some([b'-', l, ..]) = args.get(1).map(|a| &a[..])
        && *l != b'-'
    {
        return sh.invalid_option(&[b'-', *l], "builtin [shell-builtin [arg ...]]");
    }
    let args = operands(args);
    let Some(name) = args.first() else { return Ok(0) };
    match super::find(name) {
        Some(b) => sh.run_builtin(b, args),
        None => {
            sh.complain(&[name, b": not a shell builtin"]);
            Ok(1)
        }
    }
}

pub fn source(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let operands = operands(args);
    let Some(file) = operands.first() else {
        sh.complain(&[b"filename argument required"]);
        let name = String::from_utf8_lossy(&args[0]).into_owned();
        return sh.usage(&format!("{name} filename [arguments]"));
    };
    let mut path = file.clone();
    if !file.contains(&b'/') && sh.options.shopt(shopt::SOURCEPATH) {
        if let Some(found) = find_readable(sh, file) {
            path = found;
        } else if sh.options.on(opt::POSIX) {
            sh.complain(&[file, b": file not found"]);
            return Err(Unwind::Exit(1));
        }
    }
    if sh.files.stat_cheap(&path, true).is_ok_and(|(s, _)| s.kind == FileKind::Directory) {
        sh.complain(&[file, b": is a directory"]);
        return Ok(1);
    }
    let text = match os(sh.files.open_read(&path).and_then(|mut f| f.read_all()))? {
        Ok(t) => t,
        Err(e) => {
            sh.builtin = "";
            sh.report(&[&path, b": ", e.text().as_bytes()]);
            return match sh.options.on(opt::POSIX) {
                true => Err(Unwind::Exit(1)),
                false => Ok(1),
            };
        }
    };
    if memchr::memchr(0, &text[..text.len().min(80)]).is_some() {
        sh.complain(&[file, b": cannot execute binary file"]);
        return Ok(126);
    }
    sh.builtin = "";
    let frame = Frame {
        name: Bytes::from_static(b"source"),
        source: path,
        call_line: sh.line,
        function: false,
        saved: Vec::new(),
        options: None,
        loops: sh.loops,
    };
    sh.frames.push(frame);
    let before = match operands.len() > 1 {
        true => Some(std::mem::replace(&mut sh.positional, Positional::new(operands[1..].to_vec()))),
        false => None,
    };
    let line = sh.line;
    let result = sh.run_text(text, TextKind::Source);
    sh.line = line;
    if let Some(p) = before {
        sh.positional = p;
    }
    sh.pop_frame();
    let result = match result {
        Err(Unwind::Return(s)) => Ok(s),
        r => r,
    };
    if let Ok(s) = result
        && sh.traps.get(traps::RETURN).is_some()
    {
        sh.status = s;
        sh.run_trap(traps::RETURN)?;
    }
    result
}

/// The file that `source` reads by PATH: it need not be executable.
fn find_readable(sh: &mut Shell, name: &[u8]) -> Option<Bytes> {
    let path = sh.vars.get(crate::session::special::known().path).value.text()?;
    for dir in path.split(|&b| b == b':') {
        let full = crate::session::script::join(if dir.is_empty() { b"." } else { dir }, name);
        if sh.files.stat_cheap(&full, true).is_ok_and(|(s, _)| s.kind != FileKind::Directory) {
            return Some(full);
        }
    }
    None
}

const EXEC_USAGE: &str = "exec [-cl] [-a name] [command [argument ...]] [redirection ...]";

pub fn exec(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut at = 1;
    let (mut clear, mut argv0, mut login) = (false, None, false);
    while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
        if letters.is_empty() {
            break;
        }
        at += 1;
        if letters == b"-" {
            break;
        }
        for (i, &l) in letters.iter().enumerate() {
            match l {
                b'c' => clear = true,
                b'l' => login = true,
                b'a' => {
                    let rest = &letters[i + 1..];
                    argv0 = match rest.is_empty() {
                        false => Some(Bytes::copy_from_slice(rest)),
                        true => {
                            at += 1;
                            args.get(at - 1).cloned()
                        }
                    };
                    if argv0.is_none() {
                        sh.complain(&[b"-a: option requires an argument"]);
                        return sh.usage(EXEC_USAGE);
                    }
                    break;
                }
                l => return sh.invalid_option(&[b'-', l], EXEC_USAGE),
            }
        }
    }
    let Some(name) = args.get(at) else {
        sh.exec_keeps = true;
        return Ok(0);
    };
    let path = match name.contains(&b'/') {
        true => Some(name.clone()),
        false => sh.find_command(name),
    };
    let failed = |sh: &mut Shell, status: u8| match sh.options.shopt(shopt::EXECFAIL) {
        true => Ok(status),
        false => Err(Unwind::Exit(status)),
    };
    let Some(path) = path else {
        sh.complain(&[name, b": not found"]);
        return failed(sh, 127);
    };
    let script = sh.script.clone();
    let runnable = match script.runnable(&path, &sh.files) {
        Ok(r) => r,
        Err(e) => {
            let status = sh.cannot_run(name, e.clone());
            if let NotRunnable::Os(e) = e
                && e != Errno::ENOENT
            {
                sh.complain(&[name, b": cannot execute: ", e.text().as_bytes()]);
            }
            return failed(sh, status);
        }
    };
    let mut argv = args[at..].to_vec();
    if let Some(a) = argv0 {
        argv[0] = a;
    }
    if login {
        argv[0] = Bytes::from([b"-", &argv[0][..]].concat());
    }
    let spawn = Spawn {
        argv,
        env: if clear { Env::default() } else { sh.environment() },
        files: sh.files.clone(),
        budget: sh.budget.clone(),
        ignores_sigpipe: sh.ignores_sigpipe,
    };
    // The program takes the shell's place: no EXIT trap runs.
    sh.set_trap(traps::EXIT, None);
    match os(script.execute(runnable, &path, spawn))? {
        Ok(Ok(status)) => {
            sh.leaves = true;
            Err(Unwind::Exit(status.0))
        }
        Ok(Err(e)) => {
            let status = sh.cannot_run(&path, e);
            failed(sh, status)
        }
        Err(_) => failed(sh, 126),
    }
}
