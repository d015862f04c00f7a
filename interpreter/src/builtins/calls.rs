//! `caller`, `enable`, `let`, `bind`.

use super::options::{Options, legal_number};
use crate::session::shell::{Flow, Shell};
use bytes::Bytes;
use std::sync::Arc;

pub fn caller(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let (lines, sources, names) = (sh.call_lines(), sh.call_sources(), sh.call_names());
    if names.is_empty() {
        return Ok(1);
    }
    let mut options = Options::new(args, "", "caller [expr]");
    if let Err(status) = options.next(sh) {
        return Ok(status);
    }
    let Some(level) = options.operands().first() else {
        let line = lines.first().map_or(&b"NULL"[..], |l| l);
        let source = sources.get(1).map_or(&b"NULL"[..], |s| s);
        return sh.write_out(&[line, b" ", source, b"\n"].concat());
    };
    let Some(n) = legal_number(level) else {
        sh.complain(&[level, b": invalid number"]);
        return sh.usage("caller [expr]");
    };
    let Ok(n) = usize::try_from(n) else { return Ok(1) };
    match (lines.get(n), names.get(n + 1), sources.get(n + 1)) {
        (Some(line), Some(name), Some(source)) => {
            sh.write_out(&[line, &b" "[..], name, b" ", source, b"\n"].concat())
        }
        _ => Ok(1),
    }
}

const ENABLE_USAGE: &str = "enable [-a] [-dnps] [-f filename] [name ...]";

pub fn enable(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "adnpsf:", ENABLE_USAGE);
    let (mut all, mut delete, mut off, mut special, mut print) = (false, false, false, false, false);
    let mut file = None;
    loop {
        match options.next(sh) {
            Ok(Some((b'a', _))) => all = true,
            Ok(Some((b'd', _))) => delete = true,
            Ok(Some((b'n', _))) => off = true,
            Ok(Some((b'p', _))) => print = true,
            Ok(Some((b's', _))) => special = true,
            Ok(Some((_, v))) => file = Some(v),
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let names = options.operands();
    let disabled = |sh: &Shell, name: &[u8]| sh.disabled.as_ref().is_some_and(|d| d.contains(name));
    if names.is_empty() || print {
        let mut out = Vec::new();
        for b in super::BUILTINS {
            let is_off = disabled(sh, b.name.as_bytes());
            if special && !b.special || !all && is_off != off {
                continue;
            }
            out.extend_from_slice(if is_off { b"enable -n " } else { b"enable " });
            out.extend_from_slice(b.name.as_bytes());
            out.push(b'\n');
        }
        return sh.write_out(&out);
    }
    if let Some(file) = file {
        sh.complain(&[
            b"cannot open shared object ",
            &file,
            b": ",
            &file,
            b": cannot open shared object file: No such file or directory",
        ]);
        return Ok(1);
    }
    let mut status = 0;
    for name in names {
        if super::find(name).is_none() {
            sh.complain(&[name, b": not a shell builtin"]);
            status = 1;
        } else if delete {
            sh.complain(&[name, b": not dynamically loaded"]);
            status = 1;
        } else {
            let set = Arc::make_mut(sh.disabled.get_or_insert_default());
            match off {
                true => drop(set.insert(name.clone())),
                false => drop(set.remove(name)),
            }
            if set.is_empty() {
                sh.disabled = None;
            }
        }
    }
    Ok(status)
}

pub fn let_(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let expressions = match args.get(1).map(|a| &a[..]) {
        Some(b"--") => &args[2..],
        _ => &args[1..],
    };
    if expressions.is_empty() {
        sh.complain(&[b"expression expected"]);
        return Ok(1);
    }
    let mut last = 0;
    for e in expressions {
        match sh.arith_text_command(e, b"let: ")? {
            Some(n) => last = n,
            None => return Ok(1),
        }
    }
    Ok(u8::from(last == 0))
}

const BIND_USAGE: &str = "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x \
                          keyseq:shell-command] [keyseq:readline-function or readline-command]";

/// There are no keys to bind.
pub fn bind(sh: &mut Shell, args: &[Bytes]) -> Flow {
    sh.complain(&[b"warning: line editing not enabled"]);
    let mut options = Options::new(args, "lvpVPsSXf:q:u:m:r:x:", BIND_USAGE);
    loop {
        match options.next(sh) {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(0),
            Err(status) => return Ok(status),
        }
    }
}
