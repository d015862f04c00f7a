//! `trap`.

use crate::session::{
    shell::{Flow, Shell},
    traps::{SIGNALS, signal_name, signal_number},
};
use bytes::Bytes;
use sandshell_text::quote;

const USAGE: &str = "trap [-lp] [[arg] signal_spec ...]";

pub fn trap(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let (mut list, mut print) = (false, false);
    let mut at = 1;
    while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
        if letters.is_empty() {
            break;
        }
        at += 1;
        if letters == b"-" {
            break;
        }
        for &l in letters {
            match l {
                b'l' => list = true,
                b'p' => print = true,
                l => return sh.invalid_option(&[b'-', l], USAGE),
            }
        }
    }
    if list {
        let text = signal_table();
        return sh.write_out(&text);
    }
    let operands = args.get(at..).unwrap_or(&[]);
    if operands.is_empty() || print {
        return show(sh, operands);
    }
    // A first operand that is a number, or a single operand, resets.
    let first = &operands[0];
    let all_digits = !first.is_empty() && first.iter().all(u8::is_ascii_digit);
    let (command, specs) = if operands.len() == 1 || all_digits && signal_number(first).is_some() {
        if signal_number(first).is_none() {
            return sh.usage(USAGE);
        }
        (None, operands)
    } else if &first[..] == b"-" {
        (None, &operands[1..])
    } else {
        (Some(first.clone()), &operands[1..])
    };
    let mut status = 0;
    for spec in specs {
        match signal_number(spec) {
            Some(n) => sh.set_trap(n, command.clone()),
            None => {
                sh.complain(&[spec, b": invalid signal specification"]);
                status = 1;
            }
        }
    }
    Ok(status)
}

fn show(sh: &mut Shell, specs: &[Bytes]) -> Flow {
    let mut wanted = Vec::new();
    let mut status = 0;
    for s in specs {
        match signal_number(s) {
            Some(n) => wanted.push(n),
            None => {
                sh.complain(&[s, b": invalid signal specification"]);
                status = 1;
            }
        }
    }
    let mut out = Vec::new();
    for (n, command) in sh.traps.shown() {
        if specs.is_empty() || wanted.contains(&n) {
            out.extend_from_slice(b"trap -- ");
            quote::single(command, &mut out);
            out.extend_from_slice(format!(" {}\n", signal_name(n)).as_bytes());
        }
    }
    let written = sh.write_out(&out)?;
    Ok(if written != 0 { written } else { status })
}

/// `trap -l`, `kill -l`
pub(crate) fn signal_table() -> Vec<u8> {
    let mut out = String::new();
    let mut column = 0;
    for (n, name) in SIGNALS.iter().enumerate().skip(1) {
        if name.is_empty() {
            continue;
        }
        out.push_str(&format!("{n:2}) SIG{name}"));
        column += 1;
        match column == 5 {
            true => {
                out.push('\n');
                column = 0;
            }
            false => out.push('\t'),
        }
    }
    if column != 0 {
        out.push('\n');
    }
    out.into_bytes()
}
