//! `mapfile` (`readarray`): lines of a descriptor into an indexed array.

use super::options::{Options, legal_number};
use crate::exec::TextKind;
use crate::session::{
    access::is_name,
    array::{Indexed, Scalar},
    shell::{Flow, Shell, Unwind, os},
    vars::{Value, attr},
};
use crate::syntax::names;
use bytes::Bytes;
use sandshell_text::quote;

const USAGE: &str =
    "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]";
const READARRAY_USAGE: &str =
    "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]";

struct Asked {
    delimiter: u8,
    /// 0 = all.
    count: u64,
    origin: Option<i64>,
    skip: u64,
    trim: bool,
    fd: u32,
    callback: Option<Bytes>,
    quantum: u64,
}

/// What a line costs beside its bytes.
const LINE: u64 = 48;

pub fn mapfile(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let usage = if args[0].starts_with(b"r") { READARRAY_USAGE } else { USAGE };
    let mut options = Options::new(args, "d:u:n:O:tC:c:s:", usage);
    let mut asked = Asked {
        delimiter: b'\n',
        count: 0,
        origin: None,
        skip: 0,
        trim: false,
        fd: 0,
        callback: None,
        quantum: 5000,
    };
    loop {
        let (letter, value) = match options.next(sh) {
            Ok(Some(o)) => o,
            Ok(None) => break,
            Err(status) => return Ok(status),
        };
        let number = legal_number(&value);
        let wrong: &[u8] = match (letter, number) {
            (b'd', _) => {
                asked.delimiter = value.first().copied().unwrap_or(0);
                continue;
            }
            (b't', _) => {
                asked.trim = true;
                continue;
            }
            (b'C', _) => {
                asked.callback = Some(value);
                continue;
            }
            (b'u', Some(n)) if (0..=i64::from(i32::MAX)).contains(&n) => {
                asked.fd = n as u32;
                continue;
            }
            (b'n', Some(n)) if n >= 0 => {
                asked.count = n as u64;
                continue;
            }
            (b's', Some(n)) if n >= 0 => {
                asked.skip = n as u64;
                continue;
            }
            (b'O', Some(n)) if n >= 0 => {
                asked.origin = Some(n);
                continue;
            }
            (b'c', Some(n)) if n > 0 => {
                asked.quantum = n as u64;
                continue;
            }
            (b'u', _) => b": invalid file descriptor specification",
            (b'O', _) => b": invalid array origin",
            (b'c', _) => b": invalid callback quantum",
            _ => b": invalid line count",
        };
        sh.complain(&[&value, wrong]);
        return Ok(1);
    }
    let name = options.operands().first().cloned().unwrap_or(Bytes::from_static(b"MAPFILE"));
    if name.is_empty() {
        sh.complain(&[b"empty array variable name"]);
        return Ok(1);
    }
    if !is_name(&name) {
        sh.complain(&[b"`", &name, b"': not a valid identifier"]);
        return Ok(1);
    }
    let Some(fd) = sh.fd(asked.fd) else {
        // Only a descriptor that was asked for is looked at before it is read.
        if asked.fd == 0 {
            return Ok(u8::from(!sh.assign_array(&name, Indexed::default())?));
        }
        let n = asked.fd.to_string();
        sh.complain(&[n.as_bytes(), b": invalid file descriptor: Bad file descriptor"]);
        return Ok(1);
    };
    let Some((target, _)) = sh.resolve(names::intern(&name)) else { return Ok(1) };
    if sh.is_assoc(target) {
        sh.complain(&[&name, b": not an indexed array"]);
        return Ok(1);
    }
    let mut items = match (asked.origin, sh.value(target)) {
        (None, _) | (_, Value::Unset) => Indexed::default(),
        (_, Value::Array(a)) => (*a).clone(),
        (_, v) => {
            let mut a = Indexed::default();
            if let Some(s) = v.scalar() {
                a.set(0, s);
            }
            a
        }
    };
    // An array that cannot be written is found out before anything is read.
    if sh.vars.get(target).has(attr::READONLY) {
        sh.report(&[names::text(target), b": readonly variable"]);
        return Ok(1);
    }
    if !sh.assign_array(&name, items.clone())? {
        return Ok(1);
    }
    let mut index = asked.origin.unwrap_or(0);
    let mut seen = 0u64;
    let mut taken = 0u64;
    let mut carry: Vec<u8> = Vec::new();
    let mut held = sh.budget.reservation();
    let mut over = false;
    while !over {
        let mut chunk = match os(fd.read(&sh.budget, 256 << 10))? {
            Ok(c) => c,
            Err(e) => {
                let n = asked.fd.to_string();
                sh.complain(&[n.as_bytes(), b": read error: ", e.text().as_bytes()]);
                break;
            }
        };
        let end = chunk.is_empty();
        if end && carry.is_empty() {
            break;
        }
        sh.step()?;
        // Lines are slices of what was read; each is charged with its own place.
        let lines = memchr::memchr_iter(asked.delimiter, &chunk).count() as u64;
        if let Err(sandshell_kernel::Error::Stop(s)) = held.grow(chunk.len() as u64 + lines * LINE) {
            return Err(Unwind::Stop(s));
        }
        loop {
            let line = match memchr::memchr(asked.delimiter, &chunk) {
                Some(n) => {
                    let line = chunk.split_to(n + 1);
                    if carry.is_empty() {
                        line
                    } else {
                        carry.extend_from_slice(&line);
                        Bytes::from(std::mem::take(&mut carry))
                    }
                }
                None if end => {
                    over = true;
                    if carry.is_empty() {
                        break;
                    }
                    Bytes::from(std::mem::take(&mut carry))
                }
                None => {
                    carry.extend_from_slice(&chunk);
                    break;
                }
            };
            seen += 1;
            if seen <= asked.skip {
                continue;
            }
            taken += 1;
            // A NUL ends what a variable can hold.
            let mut value = match asked.trim || asked.delimiter == 0 {
                true if line.last() == Some(&asked.delimiter) => line.slice(..line.len() - 1),
                _ => line,
            };
            if asked.delimiter != 0
                && let Some(n) = memchr::memchr(0, &value)
            {
                value.truncate(n);
            }
            if let Some(callback) = &asked.callback
                && taken.is_multiple_of(asked.quantum)
            {
                sh.assign_array(&name, items.clone())?;
                let mut text = callback.to_vec();
                text.extend_from_slice(format!(" {index} ").as_bytes());
                quote::single(&value, &mut text);
                let builtin = std::mem::take(&mut sh.builtin);
                sh.run_text(text.into(), TextKind::Eval)?;
                sh.builtin = builtin;
            }
            items.set(index, Scalar::Str(value));
            index = index.saturating_add(1);
            if taken == asked.count {
                fd.unread(std::mem::take(&mut chunk));
                over = true;
                break;
            }
        }
    }
    Ok(u8::from(!sh.assign_array(&name, items)?))
}
