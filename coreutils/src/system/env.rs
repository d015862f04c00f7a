//! `env` and `printenv`.

use super::launch::launch;
use crate::cli;
use sandshell_kernel::{Bytes, Env as Environment, Error, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `env`
pub struct Env;
/// `printenv`
pub struct Printenv;

static ENV: Spec = Spec {
    name: "env",
    about: "Set each NAME to VALUE in the environment and run COMMAND.",
    synopsis: &["[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]"],
    options: &[
        Opt::new('i', "ignore-environment", "start with an empty environment"),
        Opt::new('0', "null", "end each output line with NUL, not newline"),
        Opt::new('u', "unset", "remove variable from the environment").value("NAME"),
        Opt::new('C', "chdir", "change working directory to DIR").value("DIR"),
        Opt::new(
            'S',
            "split-string",
            "process and split S into separate arguments; used to pass multiple arguments on shebang lines",
        )
        .value("S"),
        Opt::long("block-signal", "block delivery of SIG signal(s) to COMMAND").optional("SIG"),
        Opt::long("default-signal", "reset handling of SIG signal(s) to the default").optional("SIG"),
        Opt::long("ignore-signal", "set handling of SIG signal(s) to do nothing").optional("SIG"),
        Opt::long("list-signal-handling", "list non default signal handling to stderr"),
        Opt::new('v', "debug", "print verbose information for each processing step"),
    ],
    notes: "A mere - implies -i.  If no COMMAND, print the resulting environment.",
    version: "env (GNU coreutils) 9.1",
    examples: &[Example { script: "env -i A=1", output: "A=1\n" }],
};

static PRINTENV: Spec = Spec {
    name: "printenv",
    about: "Print the values of the specified environment VARIABLE(s).\nIf no VARIABLE is specified, print name and value pairs for them all.",
    synopsis: &["[OPTION]... [VARIABLE]..."],
    options: &[Opt::new('0', "null", "end each output line with NUL, not newline")],
    notes: "",
    version: "printenv (GNU coreutils) 9.1",
    examples: &[Example { script: "A=1 printenv A", output: "1\n" }],
};

impl Program for Env {
    fn spec(&self) -> &'static Spec {
        &ENV
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        if let Err(text) = split_strings(process) {
            process.error(format_args!("{text}"))?;
            return Ok(Status(125));
        }
        let parsed = match cli::parse(process, &ENV, Order::First, 125)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        // Signals cannot be set for a program here, and there are no steps to tell of: said, not ignored.
        for id in ["block-signal", "default-signal", "ignore-signal", "list-signal-handling", "debug"] {
            if parsed.has(id) {
                process.error(format_args!("--{id} is not available here"))?;
                return Ok(Status(125));
            }
        }
        let mut operands = &parsed.operands[..];
        let mut clear = parsed.has("ignore-environment");
        if operands.first().is_some_and(|o| *o == "-") {
            clear = true;
            operands = &operands[1..];
        }
        let mut env = if clear { Environment::default() } else { process.env.clone() };
        let mut dir = None;
        for f in &parsed.options {
            match (f.id, &f.value) {
                ("unset", Some(name)) => {
                    if name.is_empty() || name.contains(&b'=') {
                        process.error(format_args!("cannot unset {}: Invalid argument", cli::quote(name)))?;
                        return Ok(Status(125));
                    }
                    env.unset(name);
                }
                ("chdir", Some(d)) => dir = Some(d.clone()),
                _ => {}
            }
        }
        while let Some(o) = operands.first() {
            let Some(i) = memchr::memchr(b'=', o) else { break };
            env.set(o.slice(..i), o.slice(i + 1..));
            operands = &operands[1..];
        }
        let end = if parsed.has("null") { 0 } else { b'\n' };
        if operands.is_empty() {
            if dir.is_some() {
                process.error(format_args!("must specify command with --chdir (-C)"))?;
                return cli::try_help(process, 125);
            }
            for (name, value) in env.iter() {
                process.stdout.put(name)?;
                process.stdout.byte(b'=')?;
                process.stdout.put(value)?;
                process.stdout.byte(end)?;
            }
            return Ok(Status::OK);
        }
        if parsed.has("null") {
            process.error(format_args!("cannot specify --null (-0) with command"))?;
            return cli::try_help(process, 125);
        }
        let mut spawn = process.spawn(operands.to_vec());
        spawn.env = env;
        if let Some(d) = dir
            && let Err(e) = spawn.files.set_cwd(&d)
        {
            let Error::Os(errno) = e else { return Err(e) };
            process
                .error(format_args!("cannot change directory to {}: {errno}", cli::shell_quote(&d, true)))?;
            return Ok(Status(125));
        }
        launch(process, spawn, "")
    }
}

/// `-S 'a b'` becomes `a` `b` before all else, as on a `#!` line.
fn split_strings(process: &mut Process) -> std::result::Result<(), String> {
    let mut i = 1;
    while i < process.args.len() {
        let arg = process.args[i].clone();
        let text = if arg == "-S" || arg == "--split-string" {
            let next = process.args.get(i + 1).cloned();
            match next {
                Some(t) => {
                    process.args.remove(i + 1);
                    t
                }
                None => return Ok(()),
            }
        } else if let Some(t) = arg.strip_prefix(b"--split-string=") {
            Bytes::copy_from_slice(t)
        } else if let Some(t) = arg.strip_prefix(b"-S") {
            Bytes::copy_from_slice(t)
        } else if let Some(t) = arg.strip_prefix(b"-vS") {
            Bytes::copy_from_slice(t)
        } else if arg.starts_with(b"-") && arg.len() > 1 {
            if matches!(&arg[..], b"-u" | b"-C" | b"--unset" | b"--chdir") {
                i += 1;
            }
            i += 1;
            continue;
        } else {
            return Ok(());
        };
        let words = split(&text, &process.env)?;
        process.args.splice(i..=i, words);
        return Ok(());
    }
    Ok(())
}

fn split(text: &[u8], env: &Environment) -> std::result::Result<Vec<Bytes>, String> {
    let mut out = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = 0u8;
    let mut i = 0;
    while i < text.len() {
        let b = text[i];
        i += 1;
        match b {
            b'\'' | b'"' if quote == 0 => {
                quote = b;
                word.get_or_insert_default();
            }
            q if q == quote && quote != 0 => quote = 0,
            b' ' | b'\t' | b'\n' | b'\r' | 11 | 12 if quote == 0 => out.extend(word.take().map(Bytes::from)),
            b'#' if quote == 0 && word.is_none() => break,
            b'\\' if quote != b'\'' || matches!(text.get(i), Some(b'\\' | b'\'')) => {
                let Some(&e) = text.get(i) else {
                    return Err("invalid backslash at end of string in -S".into());
                };
                i += 1;
                let w = word.get_or_insert_default();
                match e {
                    b'"' | b'#' | b'$' | b'\'' | b'\\' => w.push(e),
                    b'_' if quote == b'"' => w.push(b' '),
                    b'_' => out.extend(word.take().map(Bytes::from)),
                    b'c' => return Ok(finish(out, word)),
                    b'f' => w.push(12),
                    b'n' => w.push(b'\n'),
                    b'r' => w.push(b'\r'),
                    b't' => w.push(b'\t'),
                    b'v' => w.push(11),
                    other => return Err(format!("invalid sequence '\\{}' in -S", char::from(other))),
                }
            }
            b'$' if quote != b'\'' => {
                let name = text[i..].strip_prefix(b"{").and_then(|t| t.split(|b| *b == b'}').next());
                let Some(name) = name.filter(|n| !n.is_empty() && i + n.len() + 1 < text.len()) else {
                    return Err("only ${VARNAME} expansion is supported, error at: ".to_string()
                        + &String::from_utf8_lossy(&text[i - 1..]));
                };
                i += name.len() + 2;
                let value = std::str::from_utf8(name).ok().and_then(|n| env.get(n));
                if let Some(v) = value {
                    word.get_or_insert_default().extend_from_slice(v);
                }
            }
            b => word.get_or_insert_default().push(b),
        }
    }
    if quote != 0 {
        return Err("no terminating quote in -S string".into());
    }
    Ok(finish(out, word))
}

fn finish(mut out: Vec<Bytes>, word: Option<Vec<u8>>) -> Vec<Bytes> {
    out.extend(word.map(Bytes::from));
    out
}

impl Program for Printenv {
    fn spec(&self) -> &'static Spec {
        &PRINTENV
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &PRINTENV, Order::First, 2)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let end = if parsed.has("null") { 0 } else { b'\n' };
        let env = process.env.clone();
        if parsed.operands.is_empty() {
            for (name, value) in env.iter() {
                process.stdout.put(name)?;
                process.stdout.byte(b'=')?;
                process.stdout.put(value)?;
                process.stdout.byte(end)?;
            }
            return Ok(Status::OK);
        }
        let mut status = Status::OK;
        for o in &parsed.operands {
            match env.iter().find(|(n, _)| n == o) {
                Some((_, value)) => {
                    process.stdout.put(value)?;
                    process.stdout.byte(end)?;
                }
                None => status = Status::FAILURE,
            }
        }
        Ok(status)
    }
}
