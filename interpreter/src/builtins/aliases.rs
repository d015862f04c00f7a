//! `alias` and `unalias`.

use super::options::Options;
use crate::session::shell::{Flow, Shell};
use bytes::Bytes;
use sandshell_text::quote;
use std::sync::Arc;

const ALIAS_USAGE: &str = "alias [-p] [name[=value] ... ]";
const UNALIAS_USAGE: &str = "unalias [-a] name [name ...]";

/// One line of the list, in a form that can be read again.
fn describe(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(if name.starts_with(b"-") { b"alias -- " } else { b"alias " });
    out.extend_from_slice(name);
    out.push(b'=');
    quote::single(value, out);
    out.push(b'\n');
}

/// No metacharacter, quote, `$` or `/` may stand in the name.
fn legal(name: &[u8]) -> bool {
    !name.iter().any(|b| {
        matches!(
            b,
            b' ' | b'\t'
                | b'\n'
                | b'('
                | b')'
                | b'<'
                | b'>'
                | b';'
                | b'&'
                | b'|'
                | b'/'
                | b'$'
                | b'`'
                | b'"'
                | b'\''
                | b'\\'
        )
    })
}

pub fn alias(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "p", ALIAS_USAGE);
    let mut print = false;
    loop {
        match options.next(sh) {
            Ok(Some(_)) => print = true,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    let mut out = Vec::new();
    if operands.is_empty() || print {
        for (name, value) in sh.aliases.iter() {
            describe(name, value, &mut out);
        }
    }
    let mut status = 0;
    for a in operands {
        match memchr::memchr(b'=', a) {
            Some(n) if n > 0 => {
                let name = a.slice(..n);
                if !legal(&name) {
                    sh.complain(&[b"`", &name, b"': invalid alias name"]);
                    status = 1;
                    continue;
                }
                let value = Bytes::copy_from_slice(&a[n + 1..]);
                sh.charge((name.len() + value.len() + 64) as i64)?;
                Arc::make_mut(&mut sh.aliases).insert(Bytes::copy_from_slice(&name), value);
            }
            _ => match sh.aliases.get(a) {
                Some(value) => describe(a, value, &mut out),
                None => {
                    let written = sh.write_out(&std::mem::take(&mut out))?;
                    sh.complain(&[a, b": not found"]);
                    status = written.max(1);
                }
            },
        }
    }
    let written = sh.write_out(&out)?;
    Ok(status.max(written))
}

pub fn unalias(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "a", UNALIAS_USAGE);
    match options.next(sh) {
        Ok(Some(_)) => {
            sh.aliases = Arc::default();
            return Ok(0);
        }
        Ok(None) => {}
        Err(status) => return Ok(status),
    }
    if options.operands().is_empty() {
        return sh.usage(UNALIAS_USAGE);
    }
    let mut status = 0;
    for name in options.operands() {
        if Arc::make_mut(&mut sh.aliases).remove(name).is_none() {
            sh.complain(&[name, b": not found"]);
            status = 1;
        }
    }
    Ok(status)
}
