//! `dirs`, `pushd`, `popd`: the directory stack. Its top is the current directory; what is below is kept, deepest first,
//! in `Shell::dir_stack`.

use super::options::legal_number;
use crate::session::shell::{Flow, Shell};
use bytes::Bytes;

const DIRS_USAGE: &str = "dirs [-clpv] [+N] [-N]";
const PUSHD_USAGE: &str = "pushd [-n] [+N | -N | dir]";
const POPD_USAGE: &str = "popd [-n] [+N | -N]";

/// `+N` or `-N`: its sign and number.
fn offset(text: &[u8]) -> Option<(u8, Option<usize>)> {
    match text {
        [sign @ (b'+' | b'-'), digits @ ..] => {
            let n = legal_number(digits).filter(|_| digits.first().is_some_and(u8::is_ascii_digit));
            Some((*sign, n.and_then(|n| usize::try_from(n).ok())))
        }
        _ => None,
    }
}

/// A directory as `dirs` shows it: with `~` for the home directory.
fn polite(sh: &mut Shell, dir: &[u8]) -> Vec<u8> {
    let home = sh.lookup(b"HOME").unwrap_or_default();
    match dir.strip_prefix(&home[..]) {
        Some(rest) if home.len() > 1 && (rest.is_empty() || rest[0] == b'/') => [b"~", rest].concat(),
        _ => dir.to_vec(),
    }
}

pub fn dirs(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let (mut long, mut lines, mut numbers, mut wanted) = (false, false, false, None);
    for a in &args[1..] {
        match &a[..] {
            b"--" => break,
            b"-c" => {
                sh.dir_stack.clear();
                return Ok(0);
            }
            b"-l" => long = true,
            b"-p" => lines = true,
            b"-v" => (lines, numbers) = (true, true),
            a => match offset(a) {
                Some((sign, Some(n))) => wanted = Some((sign, n)),
                Some(_) => {
                    sh.complain(&[a, b": invalid number"]);
                    return sh.usage(DIRS_USAGE);
                }
                None => return sh.invalid_option(a, DIRS_USAGE),
            },
        }
    }
    let all = sh.directory_stack();
    let range = match wanted {
        None => 0..all.len(),
        Some((sign, n)) if n < all.len() => {
            let at = if sign == b'+' { n } else { all.len() - 1 - n };
            at..at + 1
        }
        Some((_, n)) => {
            if sh.dir_stack.is_empty() {
                sh.complain(&[b"directory stack empty"]);
            } else {
                sh.complain(&[n.to_string().as_bytes(), b": directory stack index out of range"]);
            }
            return Ok(1);
        }
    };
    let mut out = Vec::new();
    for i in range.clone() {
        let shown = if long { all[i].to_vec() } else { polite(sh, &all[i]) };
        if numbers {
            out.extend_from_slice(format!("{i:2}  ").as_bytes());
        }
        out.extend_from_slice(&shown);
        out.push(if lines || i + 1 == range.end { b'\n' } else { b' ' });
    }
    sh.write_out(&out)
}

/// Shows the stack after a change.
fn show(sh: &mut Shell) -> Flow {
    dirs(sh, &[Bytes::from_static(b"dirs")])
}

fn out_of_range(sh: &mut Shell, word: &[u8]) -> Flow {
    if sh.dir_stack.is_empty() {
        sh.complain(&[b"directory stack empty"]);
    } else {
        sh.complain(&[word, b": directory stack index out of range"]);
    }
    Ok(1)
}

pub fn pushd(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut stay = false;
    let mut at = 1;
    let mut rotate = None;
    while let Some(a) = args.get(at) {
        match &a[..] {
            b"--" => {
                at += 1;
                break;
            }
            b"-n" => stay = true,
            b"-" => break,
            text => match offset(text) {
                Some((sign, Some(n))) => rotate = Some((sign, n, a.clone())),
                Some((b'-', None)) => {
                    sh.complain(&[text, b": invalid number"]);
                    return sh.usage(PUSHD_USAGE);
                }
                _ => break,
            },
        }
        at += 1;
    }
    if let Some((sign, n, word)) = rotate {
        let depth = sh.dir_stack.len();
        if n > depth || depth == 0 {
            return out_of_range(sh, &word);
        }
        let turns = if sign == b'+' { n } else { depth - n };
        let mut current = sh.files.cwd().clone();
        for _ in 0..turns {
            if let Some(top) = sh.dir_stack.pop() {
                sh.dir_stack.insert(0, std::mem::replace(&mut current, top));
            }
        }
        if !stay {
            let status = sh.change_directory(&current, false, &current)?;
            if status != 0 {
                return Ok(status);
            }
        }
        return show(sh);
    }
    let Some(dir) = args.get(at) else {
        let Some(top) = sh.dir_stack.last().cloned() else {
            sh.complain(&[b"no other directory"]);
            return Ok(1);
        };
        let current = sh.files.cwd().clone();
        if !stay {
            let status = sh.change_directory(&top, false, &top)?;
            if status != 0 {
                return Ok(status);
            }
        }
        if let Some(place) = sh.dir_stack.last_mut() {
            *place = current;
        }
        return show(sh);
    };
    if args.len() > at + 1 {
        sh.complain(&[b"too many arguments"]);
        return Ok(1);
    }
    if stay {
        sh.dir_stack.push(dir.clone());
        return show(sh);
    }
    let current = sh.files.cwd().clone();
    let name = Bytes::from_static(b"pushd");
    // `cd` finds it: by CDPATH too, and `-`.
    let status = super::cd::cd(sh, &[name, Bytes::from_static(b"--"), dir.clone()])?;
    if status != 0 {
        return Ok(status);
    }
    sh.charge(current.len() as i64 + 64)?;
    sh.dir_stack.push(current);
    show(sh)
}

pub fn popd(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut stay = false;
    let mut which = (b'+', 0, Bytes::new());
    for a in &args[1..] {
        match &a[..] {
            b"--" => break,
            b"-n" => stay = true,
            text => match offset(text) {
                Some((sign, Some(n))) => which = (sign, n, a.clone()),
                Some((b'-', None)) => {
                    sh.complain(&[text, b": invalid number"]);
                    return sh.usage(POPD_USAGE);
                }
                _ => {
                    sh.complain(&[text, b": invalid argument"]);
                    return sh.usage(POPD_USAGE);
                }
            },
        }
    }
    let depth = sh.dir_stack.len();
    let (sign, n, word) = which;
    if n > depth || depth == 0 {
        return out_of_range(sh, &word);
    }
    let from_top = if sign == b'+' { n } else { depth - n };
    if from_top == 0 {
        if !stay && let Some(top) = sh.dir_stack.last().cloned() {
            let status = sh.change_directory(&top, false, &top)?;
            if status != 0 {
                return Ok(status);
            }
        }
        sh.dir_stack.pop();
    } else {
        sh.dir_stack.remove(depth - from_top);
    }
    show(sh)
}
