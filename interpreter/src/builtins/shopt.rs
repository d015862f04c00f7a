//! `shopt`.

use super::options::Options;
use crate::session::{
    options::{SET_OPTIONS, SHELL_OPTIONS},
    shell::{Flow, Shell},
};
use bytes::Bytes;

const USAGE: &str = "shopt [-pqsu] [-o] [optname ...]";

/// What was asked.
#[derive(Clone, Copy, Default)]
struct Asked {
    set: bool,
    unset: bool,
    quiet: bool,
    print: bool,
    of_set: bool,
}

pub fn shopt(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "psuoq", USAGE);
    let mut asked = Asked::default();
    loop {
        match options.next(sh) {
            Ok(Some((b'p', _))) => asked.print = true,
            Ok(Some((b's', _))) => asked.set = true,
            Ok(Some((b'u', _))) => asked.unset = true,
            Ok(Some((b'q', _))) => asked.quiet = true,
            Ok(Some(_)) => asked.of_set = true,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    if asked.set && asked.unset {
        sh.complain(&[b"cannot set and unset shell options simultaneously"]);
        return Ok(1);
    }
    let names = options.operands();
    if !names.is_empty() && (asked.set || asked.unset) {
        let mut status = 0;
        for name in names {
            if !put(sh, asked, name) {
                status = 1;
            }
        }
        sh.refresh_watch();
        return Ok(status);
    }
    show(sh, asked, names)
}

fn bad_name(sh: &mut Shell, asked: Asked, name: &[u8]) {
    let message: &[u8] = if asked.of_set { b": invalid option name" } else { b": invalid shell option name" };
    sh.complain(&[name, message]);
}

/// Sets or unsets one option; false if there is none of that name.
fn put(sh: &mut Shell, asked: Asked, name: &[u8]) -> bool {
    if asked.of_set {
        if let Some(o) = SET_OPTIONS.iter().find(|o| o.name.as_bytes() == name) {
            super::set::put(sh, o.bit, asked.set);
            return true;
        }
    } else if let Some((_, bit)) = SHELL_OPTIONS.iter().find(|o| o.0.as_bytes() == name) {
        sh.options.put_shopt(*bit, asked.set);
        return true;
    }
    bad_name(sh, asked, name);
    false
}

fn state(sh: &Shell, asked: Asked, name: &[u8]) -> Option<bool> {
    match asked.of_set {
        true => SET_OPTIONS.iter().find(|o| o.name.as_bytes() == name).map(|o| sh.options.on(o.bit)),
        false => SHELL_OPTIONS.iter().find(|o| o.0.as_bytes() == name).map(|o| sh.options.shopt(o.1)),
    }
}

/// Lists the named options, or all (those that are on with `-s`, off with `-u`).
fn show(sh: &mut Shell, asked: Asked, names: &[Bytes]) -> Flow {
    let mut out = String::new();
    let mut line = |name: &str, on: bool| {
        if asked.quiet {
            return;
        }
        match (asked.print, asked.of_set) {
            (true, true) => out += &format!("set {}o {name}\n", if on { '-' } else { '+' }),
            (true, false) => out += &format!("shopt -{} {name}\n", if on { 's' } else { 'u' }),
            _ => out += &format!("{name:<15}\t{}\n", if on { "on" } else { "off" }),
        }
    };
    let mut status = 0;
    if names.is_empty() {
        let wanted = |on: bool| !(asked.set && !on || asked.unset && on);
        match asked.of_set {
            true => SET_OPTIONS
                .iter()
                .map(|o| (o.name, sh.options.on(o.bit)))
                .filter(|o| wanted(o.1))
                .for_each(|(n, on)| line(n, on)),
            false => SHELL_OPTIONS
                .iter()
                .map(|o| (o.0, sh.options.shopt(o.1)))
                .filter(|o| wanted(o.1))
                .for_each(|(n, on)| line(n, on)),
        }
    } else {
        for name in names {
            match state(sh, asked, name) {
                Some(on) => {
                    line(&String::from_utf8_lossy(name), on);
                    status |= u8::from(!on);
                }
                None => {
                    bad_name(sh, asked, name);
                    status = 1;
                }
            }
        }
    }
    let written = sh.write_out(out.as_bytes())?;
    Ok(status.max(written))
}
