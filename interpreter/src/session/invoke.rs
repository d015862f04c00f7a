//! `bash` as a program: `bash -c TEXT`, `bash FILE`, `sh -s`, and scripts run by their path.

use super::{
    options::{SET_OPTIONS, SHELL_OPTIONS, opt},
    script::Script,
    shell::{Flow, Positional, Shell, Unwind},
    special::known,
};
use crate::exec::TextKind;
use bytes::Bytes;
use sandshell_kernel::{Errno, Error, FileKind, Result, Spawn, Status, Stop};
use std::sync::Arc;

const VERSION: &str = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)
Copyright (C) 2022 Free Software Foundation, Inc.
License GPLv3+: GNU GPL version 3 or later <http://gnu.org/licenses/gpl.html>

This is free software; you are free to change and redistribute it.
There is NO WARRANTY, to the extent permitted by law.
";

/// What the options ask for.
#[derive(Default)]
struct Asked {
    command: bool,
    stdin: bool,
    set: Vec<(u32, bool)>,
    shopt: Vec<(u64, bool)>,
    list: Option<bool>,
    list_shopt: Option<bool>,
}

/// Runs a shell with the arguments of `spawn`.
pub(super) fn run(script: Arc<Script>, spawn: Spawn) -> Result<Status> {
    alone(spawn, |spawn| run_with_options(script, spawn))
}

/// Runs a shell that may be killed without the one that started it.
fn alone(mut spawn: Spawn, run: impl FnOnce(Spawn) -> Result<Status>) -> Result<Status> {
    let outer = spawn.budget.clone();
    spawn.budget = outer.child();
    match run(spawn) {
        Err(Error::Stop(Stop::Signal(n))) if outer.check().is_ok() => Ok(Status(128 + n)),
        r => r,
    }
}

fn run_with_options(script: Arc<Script>, spawn: Spawn) -> Result<Status> {
    let argv0 = spawn.argv.first().cloned().unwrap_or(Bytes::from_static(b"bash"));
    let args = spawn.argv.get(1..).unwrap_or(&[]).to_vec();
    let posix = argv0.rsplit(|&b| b == b'/').next() == Some(b"sh");
    let mut sh = new_shell(script, &spawn, argv0.clone());
    if posix {
        sh.options.put(opt::POSIX, true);
    }
    let mut asked = Asked::default();
    let mut at = 0;
    while let Some(a) = args.get(at) {
        let (sign, letters) = match &a[..] {
            b"--" | b"-" => {
                at += 1;
                break;
            }
            [b'-', b'-', long @ ..] => {
                match long {
                    b"posix" => asked.set.push((opt::POSIX, true)),
                    b"norc" | b"noprofile" | b"login" | b"noediting" | b"restricted" => {}
                    b"verbose" => asked.set.push((opt::VERBOSE, true)),
                    b"rcfile" | b"init-file" => at += 1,
                    b"version" => {
                        let _ = sh.write_out(VERSION.as_bytes());
                        return Ok(Status::OK);
                    }
                    b"help" => {
                        let name = String::from_utf8_lossy(&argv0);
                        let head = "GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)\n";
                        let tail = format!(
                            "Type `{name} -c \"help set\"' for more information about shell options.\n\
                             Type `{name} -c help' for more information about shell builtin commands.\n"
                        );
                        let _ = sh.write_out(format!("{head}{}{tail}", usage(&name)).as_bytes());
                        return Ok(Status::OK);
                    }
                    _ => {
                        return Ok(invalid(&mut sh, &argv0, a));
                    }
                }
                at += 1;
                continue;
            }
            [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => (*sign == b'-', letters),
            _ => break,
        };
        at += 1;
        for &l in letters {
            match l {
                b'c' if sign => asked.command = true,
                b's' if sign => asked.stdin = true,
                b'i' | b'l' | b'r' | b'D' => {}
                b'o' => match args.get(at) {
                    None => asked.list = Some(sign),
                    Some(name) => {
                        at += 1;
                        match SET_OPTIONS.iter().find(|o| o.name.as_bytes() == &name[..]) {
                            Some(o) => asked.set.push((o.bit, sign)),
                            None => {
                                let text = [&argv0[..], b": ", name, b": invalid option name\n"].concat();
                                sh.write_error(&text);
                                return Ok(Status(2));
                            }
                        }
                    }
                },
                b'O' => match args.get(at) {
                    None => asked.list_shopt = Some(sign),
                    Some(name) => {
                        at += 1;
                        match SHELL_OPTIONS.iter().find(|o| o.0.as_bytes() == &name[..]) {
                            Some(o) => asked.shopt.push((o.1, sign)),
                            None => {
                                let text =
                                    [&argv0[..], b": ", name, b": invalid shell option name\n"].concat();
                                sh.write_error(&text);
                                return Ok(Status(2));
                            }
                        }
                    }
                },
                l => match SET_OPTIONS.iter().find(|o| o.letter == Some(l)) {
                    Some(o) => asked.set.push((o.bit, sign)),
                    None => return Ok(invalid(&mut sh, &argv0, &[if sign { b'-' } else { b'+' }, l])),
                },
            }
        }
    }
    for (bit, on) in asked.set {
        sh.options.put(bit, on);
    }
    for (bit, on) in asked.shopt {
        sh.options.put_shopt(bit, on);
    }
    sh.refresh_watch();
    for (list, text) in [(asked.list, ["set +o", "set -o"]), (asked.list_shopt, ["shopt -p", "shopt"])] {
        if let Some(on) = list {
            let _ = sh.run_text(Bytes::from_static(text[usize::from(on)].as_bytes()), TextKind::Eval);
            return Ok(Status::OK);
        }
    }
    let rest = args.get(at..).unwrap_or(&[]);
    if asked.command {
        let Some(text) = rest.first() else {
            let text = [&argv0[..], b": -c: option requires an argument\n"].concat();
            sh.write_error(&text);
            return Ok(Status(2));
        };
        if let Some(name) = rest.get(1) {
            sh.name = name.clone();
        }
        sh.positional = Positional::new(rest.get(2..).unwrap_or(&[]).to_vec());
        sh.from_text = true;
        return finish(sh, text.clone());
    }
    sh.from_text = false;
    match rest.first() {
        Some(file) if !asked.stdin => {
            let Some(text) = read_script(&mut sh, &argv0, file)? else { return Ok(Status(sh.status)) };
            sh.name = file.clone();
            sh.positional = Positional::new(rest[1..].to_vec());
            finish(sh, text)
        }
        _ => {
            sh.positional = Positional::new(rest.to_vec());
            start_up(&mut sh);
            let flow = sh.run_input();
            end(sh, flow)
        }
    }
}

fn usage(name: &str) -> String {
    format!(
        "Usage:\t{name} [GNU long option] [option] ...\n\t{name} [GNU long option] [option] script-file ...\n\
         GNU long options:\n\t--debug\n\t--debugger\n\t--dump-po-strings\n\t--dump-strings\n\t--help\n\
         \t--init-file\n\t--login\n\t--noediting\n\t--noprofile\n\t--norc\n\t--posix\n\t--pretty-print\n\
         \t--rcfile\n\t--restricted\n\t--verbose\n\t--version\nShell options:\n\
         \t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n\
         \t-abefhkmnptuvxBCEHPT or -o option\n"
    )
}

fn invalid(sh: &mut Shell, argv0: &[u8], option: &[u8]) -> Status {
    let text = [argv0, b": ", option, b": invalid option\n"].concat();
    sh.write_error(&text);
    sh.write_error(usage(&String::from_utf8_lossy(argv0)).as_bytes());
    Status(2)
}

/// Reads a script for `bash FILE`. `None`: it cannot be, which was told and set `$?`.
fn read_script(sh: &mut Shell, argv0: &[u8], file: &Bytes) -> Result<Option<Bytes>> {
    let mut path = file.clone();
    if !file.contains(&b'/')
        && !sh.files.exists(file)
        && let Some(found) = sh.search_path(file)
    {
        path = found;
    }
    let say = |sh: &mut Shell, what: &[u8], status| {
        let text = [argv0, b": ", file, b": ", what, b"\n"].concat();
        sh.write_error(&text);
        sh.status = status;
        Ok(None)
    };
    if sh.files.stat_cheap(&path, true).is_ok_and(|(s, _)| s.kind == FileKind::Directory) {
        return say(sh, b"Is a directory", 126);
    }
    match sh.files.open_read(&path).and_then(|mut f| f.read_all()) {
        Ok(text) => {
            let head = &text[..text.len().min(80)];
            let line = memchr::memchr(b'\n', head).map_or(head, |n| &head[..n]);
            match memchr::memchr(0, line) {
                Some(_) => say(sh, b"cannot execute binary file", 126),
                None => Ok(Some(text)),
            }
        }
        Err(Error::Os(Errno::ENOENT)) => say(sh, Errno::ENOENT.text().as_bytes(), 127),
        Err(Error::Os(e)) => say(sh, e.text().as_bytes(), 126),
        Err(stop) => Err(stop),
    }
}

/// Runs a script file that has no `#!` line, or whose interpreter is bash.
pub(super) fn run_file(script: Arc<Script>, path: Bytes, text: Bytes, spawn: Spawn) -> Result<Status> {
    alone(spawn, |spawn| {
        let mut sh = new_shell(script, &spawn, path);
        sh.from_text = false;
        sh.positional = Positional::new(spawn.argv.get(1..).unwrap_or(&[]).to_vec());
        finish(sh, text)
    })
}

fn new_shell(script: Arc<Script>, spawn: &Spawn, name: Bytes) -> Shell {
    // A budget of its own: a signal to this shell ends it and not the one that started it.
    let own = spawn.budget.child();
    let mut files = spawn.files.clone();
    files.set_budget(&own);
    let mut sh = Shell::new(script, files, &own, name, Vec::new());
    sh.ignores_sigpipe = spawn.ignores_sigpipe;
    sh.import_env(spawn.env.iter());
    sh.first_directory();
    sh.register();
    sh
}

fn finish(mut sh: Shell, text: Bytes) -> Result<Status> {
    start_up(&mut sh);
    let flow = sh.run_text(text, TextKind::Script);
    end(sh, flow)
}

/// Runs the file that `BASH_ENV` names.
fn start_up(sh: &mut Shell) {
    if let Some(file) = sh.vars.get(known().bash_env).value.text().filter(|f| !f.is_empty())
        && !sh.options.on(opt::POSIX)
        && let Ok(path) = sh.expand_text(file)
        && let Ok(text) = sh.files.read(&path)
    {
        let _ = sh.run_text(text, TextKind::Source);
    }
}

fn end(mut sh: Shell, flow: Flow) -> Result<Status> {
    let flow = match flow {
        // The EXIT trap runs in a shell that a signal ends, but for KILL.
        Err(Unwind::Stop(stop @ Stop::Signal(n))) if n != 9 && sh.budget.stopped() == Some(stop) => {
            sh.budget.forgive();
            Err(Unwind::Exit(128 + n))
        }
        flow => flow,
    };
    let ended = sh.finish(flow);
    sh.script.unregister(sh.shell_pid);
    match ended {
        Ok(status) => Ok(Status(status)),
        Err(stop) if sh.budget.stopped() == Some(stop) => Ok(Status(stop.status())),
        Err(stop) => Err(stop.into()),
    }
}
