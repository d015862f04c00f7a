//! `history` and `fc`: the list of commands. Scripts do not add to it; `history -s` and `-r` do.

use super::options::{Options, legal_number};
use crate::exec::TextKind;
use crate::session::shell::{Flow, Shell, os};
use bytes::Bytes;
use sandshell_kernel::OpenOptions;
use std::sync::Arc;

const HISTORY_USAGE: &str =
    "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]";
const FC_USAGE: &str = "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]";
/// What bash keeps by default.
const MOST: usize = 500;

fn add(sh: &mut Shell, line: Bytes) -> Flow<()> {
    sh.charge(line.len() as i64 + 32)?;
    let list = &mut Arc::make_mut(&mut sh.extras).history;
    list.push(line);
    if list.len() > MOST {
        list.remove(0);
    }
    Ok(())
}

pub fn history(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "acd:npsrw", HISTORY_USAGE);
    let (mut clear, mut delete, mut expand, mut store) = (false, None, false, false);
    let mut file = None;
    loop {
        match options.next(sh) {
            Ok(Some((b'c', _))) => clear = true,
            Ok(Some((b'd', v))) => delete = Some(v),
            Ok(Some((b'p', _))) => expand = true,
            Ok(Some((b's', _))) => store = true,
            Ok(Some((l, _))) => {
                if file.is_some_and(|f| f != l) {
                    sh.complain(&[b"cannot use more than one of -anrw"]);
                    return Ok(1);
                }
                file = Some(l);
            }
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    if clear {
        Arc::make_mut(&mut sh.extras).history.clear();
    }
    if store {
        if !operands.is_empty() {
            add(sh, operands.join(&b' ').into())?;
        }
        return Ok(0);
    }
    if expand {
        let mut out = Vec::new();
        for a in operands {
            match event(sh, a) {
                Some(line) => out.extend_from_slice(&[&line[..], b"\n"].concat()),
                None => {
                    sh.complain(&[a, b": history expansion failed"]);
                    return Ok(1);
                }
            }
        }
        return sh.write_out(&out);
    }
    if let Some(d) = delete {
        return remove(sh, &d);
    }
    if let Some(l) = file {
        return with_file(sh, l, operands.first());
    }
    if clear && operands.is_empty() {
        return Ok(0);
    }
    if operands.len() > 1 {
        sh.complain(&[b"too many arguments"]);
        return Ok(1);
    }
    let most = match operands.first() {
        None => usize::MAX,
        Some(n) => match legal_number(n) {
            Some(n) => usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX),
            None => {
                sh.complain(&[n, b": numeric argument required"]);
                return Ok(1);
            }
        },
    };
    let list = &sh.extras.history;
    let mut out = Vec::new();
    for (i, line) in list.iter().enumerate().skip(list.len().saturating_sub(most)) {
        out.extend_from_slice(&[format!("{:5}  ", i + 1).as_bytes(), line, b"\n"].concat());
    }
    sh.write_out(&out)
}

/// `history -d n`, `-d -n`, `-d a-b`
fn remove(sh: &mut Shell, text: &[u8]) -> Flow {
    let len = sh.extras.history.len();
    let place = |t: &[u8]| match legal_number(t) {
        Some(n) if n > 0 => usize::try_from(n - 1).ok().filter(|&n| n < len),
        Some(n) if n < 0 => usize::try_from(n.unsigned_abs()).ok().and_then(|n| len.checked_sub(n)),
        _ => None,
    };
    let dash = text.iter().skip(1).position(|&b| b == b'-').map(|i| i + 1);
    let range = match dash {
        Some(i) => place(&text[..i]).zip(place(&text[i + 1..])),
        None => place(text).map(|n| (n, n)),
    };
    match range {
        Some((from, to)) if from <= to => {
            Arc::make_mut(&mut sh.extras).history.drain(from..=to);
            Ok(0)
        }
        _ => {
            sh.complain(&[text, b": history position out of range"]);
            Ok(1)
        }
    }
}

/// `-r` and `-n` read, `-w` writes, `-a` appends.
fn with_file(sh: &mut Shell, letter: u8, name: Option<&Bytes>) -> Flow {
    let Some(path) = name.cloned().or_else(|| sh.lookup(b"HISTFILE")) else { return Ok(1) };
    if matches!(letter, b'r' | b'n') {
        let text = match os(sh.files.open_read(&path).and_then(|mut f| f.read_all()))? {
            Ok(t) => t,
            Err(e) => {
                sh.complain(&[&path, b": ", e.text().as_bytes()]);
                return Ok(1);
            }
        };
        for line in text.split(|&b| b == b'\n').filter(|l| !l.is_empty()) {
            sh.step()?;
            add(sh, Bytes::copy_from_slice(line))?;
        }
        return Ok(0);
    }
    let mut text = Vec::new();
    for line in &sh.extras.history {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    let how = if letter == b'a' { OpenOptions::APPEND } else { OpenOptions::CREATE };
    let written = sh.files.open(&path, how).and_then(|fd| fd.write_slice(&sh.budget, &text));
    match os(written)? {
        Ok(()) => Ok(0),
        Err(e) => {
            sh.complain(&[&path, b": cannot create: ", e.text().as_bytes()]);
            Ok(1)
        }
    }
}

/// The text in which `!!`, `!n`, `!-n` and `!word` at the start stand for an event. `None`: there is no such event.
fn event(sh: &Shell, text: &[u8]) -> Option<Bytes> {
    let Some(rest) = text.strip_prefix(b"!") else { return Some(Bytes::copy_from_slice(text)) };
    if rest.is_empty() || matches!(rest[0], b' ' | b'\t' | b'\n' | b'=') {
        return Some(Bytes::copy_from_slice(text));
    }
    let list = &sh.extras.history;
    if let Some(tail) = rest.strip_prefix(b"!") {
        return Some([&list.last()?[..], tail].concat().into());
    }
    let end = rest.iter().skip(1).position(|b| !b.is_ascii_digit()).map_or(rest.len(), |n| n + 1);
    match legal_number(&rest[..end]) {
        Some(n) => {
            let at = if n > 0 {
                usize::try_from(n - 1).ok()?
            } else {
                list.len().checked_sub(n.unsigned_abs() as usize)?
            };
            Some([&list.get(at)?[..], &rest[end..]].concat().into())
        }
        None => list.iter().rev().find(|l| l.starts_with(rest)).cloned(),
    }
}

/// An end of the range of `fc`: a number, a negative offset, or the start of a command.
fn position(sh: &Shell, text: &[u8]) -> Option<usize> {
    let list = &sh.extras.history;
    match legal_number(text) {
        Some(n) if n > 0 => Some((n as usize - 1).min(list.len().checked_sub(1)?)),
        Some(0) => list.len().checked_sub(1),
        Some(n) => Some(list.len().saturating_sub(n.unsigned_abs() as usize)),
        None => list.iter().rposition(|l| l.starts_with(text)),
    }
}

pub fn fc(sh: &mut Shell, args: &[Bytes]) -> Flow {
    // `-3` is a place in the list, not an option.
    let numbers =
        args.iter().position(|a| a.len() > 1 && a[0] == b'-' && a[1].is_ascii_digit()).unwrap_or(args.len());
    let mut options = Options::new(&args[..numbers], "e:lnrs", FC_USAGE);
    let (mut editor, mut list, mut bare, mut reverse, mut again) = (None, false, false, false, false);
    loop {
        match options.next(sh) {
            Ok(Some((b'e', v))) => editor = Some(v),
            Ok(Some((b'l', _))) => list = true,
            Ok(Some((b'n', _))) => bare = true,
            Ok(Some((b'r', _))) => reverse = true,
            Ok(Some(_)) => again = true,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let mut operands = options.operands().to_vec();
    operands.extend_from_slice(&args[numbers..]);
    if again || editor.as_deref() == Some(b"-") {
        return run_again(sh, &operands);
    }
    let len = sh.extras.history.len();
    let Some(last) = len.checked_sub(1) else {
        if list {
            return Ok(0);
        }
        sh.complain(&[b"no command found"]);
        return Ok(1);
    };
    let default_first = if list { len.saturating_sub(16) } else { last };
    let mut ends = [default_first, last];
    for (i, o) in operands.iter().take(2).enumerate() {
        match position(sh, o) {
            Some(p) => ends[i] = p.min(last),
            None => {
                sh.complain(&[b"history specification out of range"]);
                return Ok(1);
            }
        }
    }
    if operands.len() == 1 && !list {
        ends[1] = ends[0];
    }
    let (from, to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let mut lines: Vec<(usize, Bytes)> =
        sh.extras.history[from..=to].iter().enumerate().map(|(i, l)| (from + i + 1, l.clone())).collect();
    if reverse != (ends[0] > ends[1]) {
        lines.reverse();
    }
    if list {
        let mut out = Vec::new();
        for (n, line) in lines {
            let number = if bare { "\t ".into() } else { format!("{n}\t ") };
            out.extend_from_slice(&[number.as_bytes(), &line, b"\n"].concat());
        }
        return sh.write_out(&out);
    }
    // The commands are edited in a file and run.
    let path = format!("/tmp/bash-fc.{:06x}", fastrand::u32(..0x100_0000));
    let text: Vec<u8> = lines.iter().flat_map(|(_, l)| [&l[..], b"\n"].concat()).collect();
    let written =
        sh.files.open(path.as_bytes(), OpenOptions::CREATE).and_then(|fd| fd.write_slice(&sh.budget, &text));
    if let Err(e) = os(written)? {
        sh.complain(&[path.as_bytes(), b": cannot create: ", e.text().as_bytes()]);
        return Ok(1);
    }
    let editor = editor.unwrap_or(Bytes::from_static(b"${FCEDIT:-${EDITOR:-vi}}"));
    sh.builtin = "";
    let status = sh.run_text([&editor[..], b" ", path.as_bytes()].concat().into(), TextKind::Eval)?;
    let edited = os(sh.files.open_read(path.as_bytes()).and_then(|mut f| f.read_all()))?;
    let _ = sh.files.unlink(path.as_bytes());
    match edited {
        Ok(text) if status == 0 => sh.run_text(text, TextKind::Eval),
        _ => Ok(1),
    }
}

/// `fc -s [old=new] [command]`
fn run_again(sh: &mut Shell, operands: &[Bytes]) -> Flow {
    let mut operands = operands;
    let mut changes = Vec::new();
    while let Some(eq) = operands.first().and_then(|o| memchr::memchr(b'=', o)) {
        changes.push((operands[0].slice(..eq), operands[0].slice(eq + 1..)));
        operands = &operands[1..];
    }
    let at = match operands.first() {
        Some(o) => position(sh, o),
        None => sh.extras.history.len().checked_sub(1),
    };
    let Some(mut line) = at.and_then(|at| sh.extras.history.get(at).cloned()) else {
        sh.complain(&[b"no command found"]);
        return Ok(1);
    };
    for (old, new) in changes {
        let mut out = Vec::new();
        let mut rest = &line[..];
        while let Some(n) = memchr::memmem::find(rest, &old).filter(|_| !old.is_empty()) {
            out.extend_from_slice(&rest[..n]);
            out.extend_from_slice(&new);
            rest = &rest[n + old.len()..];
        }
        out.extend_from_slice(rest);
        line = out.into();
    }
    sh.write_error(&[&line[..], b"\n"].concat());
    sh.builtin = "";
    sh.run_text(line, TextKind::Eval)
}
