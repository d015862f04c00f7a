//! `set`.

use crate::expand::quoting;
use crate::session::{
    options::{SET_OPTIONS, opt},
    shell::{Flow, Positional, Shell},
    vars::Value,
};
use bytes::Bytes;

const USAGE: &str = "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]";

pub fn set(sh: &mut Shell, args: &[Bytes]) -> Flow {
    if args.len() == 1 {
        return list_variables(sh);
    }
    let mut at = 1;
    let mut replace = false;
    while let Some(a) = args.get(at) {
        let (on, letters) = match &a[..] {
            b"--" => {
                at += 1;
                replace = true;
                break;
            }
            b"-" => {
                at += 1;
                sh.options.put(opt::XTRACE | opt::VERBOSE, false);
                replace = args.len() > at;
                break;
            }
            [b'-', letters @ ..] if !letters.is_empty() => (true, letters),
            [b'+', letters @ ..] if !letters.is_empty() => (false, letters),
            _ => break,
        };
        at += 1;
        for &l in letters {
            if l == b'o' {
                let Some(name) = args.get(at) else {
                    let r = list_options(sh, on)?;
                    sh.refresh_watch();
                    return Ok(r);
                };
                at += 1;
                let Some(o) = SET_OPTIONS.iter().find(|o| o.name.as_bytes() == &name[..]) else {
                    sh.complain(&[name, b": invalid option name"]);
                    sh.refresh_watch();
                    return Ok(2);
                };
                put(sh, o.bit, on);
                continue;
            }
            match SET_OPTIONS.iter().find(|o| o.letter == Some(l)) {
                Some(o) => put(sh, o.bit, on),
                None => {
                    sh.refresh_watch();
                    let sign = if on { b'-' } else { b'+' };
                    return sh.invalid_option(&[sign, l], USAGE);
                }
            }
        }
    }
    sh.refresh_watch();
    if at < args.len() || replace {
        sh.positional = Positional::new(args[at..].to_vec());
    }
    Ok(0)
}

pub(super) fn put(sh: &mut Shell, bit: u32, on: bool) {
    match bit {
        opt::EMACS if on => sh.options.put(opt::VI, false),
        opt::VI if on => sh.options.put(opt::EMACS, false),
        _ => {}
    }
    sh.options.put(bit, on);
}

/// `set -o` and `set +o`
fn list_options(sh: &mut Shell, table: bool) -> Flow {
    let mut out = String::new();
    for o in SET_OPTIONS {
        let on = sh.options.on(o.bit);
        match table {
            true => out.push_str(&format!("{:<15}\t{}\n", o.name, if on { "on" } else { "off" })),
            false => out.push_str(&format!("set {}o {}\n", if on { '-' } else { '+' }, o.name)),
        }
    }
    sh.write_out(out.as_bytes())
}

/// `set`: all variables, then the functions.
fn list_variables(sh: &mut Shell) -> Flow {
    let mut out = Vec::new();
    for (text, name) in sh.vars.sorted() {
        match sh.value(name) {
            Value::Unset => continue,
            v @ (Value::Array(_) | Value::Assoc(_)) => {
                let _ = v;
                let value = sh.compound_text(name);
                out.extend_from_slice(&[text, b"=", &value, b"\n"].concat());
            }
            v => {
                let value = v.text().unwrap_or_default();
                let shown = if value.is_empty() { Vec::new() } else { quoting::plain(&value) };
                out.extend_from_slice(&[text, b"=", &shown, b"\n"].concat());
            }
        }
    }
    if !sh.options.on(opt::POSIX) {
        let mut functions: Vec<Bytes> = sh.functions.keys().cloned().collect();
        functions.sort();
        for f in functions {
            let text = sh.function_text(&f);
            out.extend_from_slice(&text);
        }
    }
    sh.write_out(&out)
}
