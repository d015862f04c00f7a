//! `hash`: where commands were found.

use super::options::Options;
use crate::session::shell::{Flow, Shell};
use bytes::Bytes;
use std::sync::Arc;

const USAGE: &str = "hash [-lr] [-p pathname] [-dt] [name ...]";

pub fn hash(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "dlp:rt", USAGE);
    let (mut delete, mut list, mut path, mut reset, mut tell) = (false, false, None, false, false);
    loop {
        match options.next(sh) {
            Ok(Some((b'd', _))) => delete = true,
            Ok(Some((b'l', _))) => list = true,
            Ok(Some((b'p', v))) => path = Some(v),
            Ok(Some((b'r', _))) => reset = true,
            Ok(Some(_)) => tell = true,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let names = options.operands();
    for (on, letter) in [(delete, b"-d"), (tell, b"-t")] {
        if on && names.is_empty() {
            sh.complain(&[letter, b": option requires an argument"]);
            return Ok(1);
        }
    }
    if reset {
        sh.hashed = Arc::default();
        if names.is_empty() {
            return Ok(0);
        }
    }
    if names.is_empty() {
        return show(sh, list);
    }
    let mut status = 0;
    for name in names {
        let ok = if tell {
            match sh.hashed.get(name).cloned() {
                Some((found, _)) => {
                    let line = match (list, names.len()) {
                        (true, _) => [b"builtin hash -p ", &found[..], b" ", name, b"\n"].concat(),
                        (_, 1) => [&found[..], b"\n"].concat(),
                        _ => [&name[..], b"\t", &found, b"\n"].concat(),
                    };
                    sh.write_out(&line)? == 0
                }
                None => missing(sh, name),
            }
        } else if delete {
            Arc::make_mut(&mut sh.hashed).remove(name).is_some() || missing(sh, name)
        } else if let Some(path) = &path {
            if sh.files.stat_cheap(path, true).is_ok_and(|(s, _)| s.is_dir()) {
                sh.complain(&[path, b": Is a directory"]);
                false
            } else {
                Arc::make_mut(&mut sh.hashed).insert(name.clone(), (path.clone(), 0));
                true
            }
        } else if name.contains(&b'/') || super::find(name).is_some() || sh.functions.contains_key(name) {
            true
        } else {
            Arc::make_mut(&mut sh.hashed).remove(name);
            match sh.search_path(name) {
                Some(found) => {
                    Arc::make_mut(&mut sh.hashed).insert(name.clone(), (found, 0));
                    true
                }
                None => missing(sh, name),
            }
        };
        if !ok {
            status = 1;
        }
    }
    Ok(status)
}

fn missing(sh: &mut Shell, name: &[u8]) -> bool {
    sh.complain(&[name, b": not found"]);
    false
}

fn show(sh: &mut Shell, list: bool) -> Flow {
    let mut out = Vec::new();
    if sh.hashed.is_empty() {
        if !list {
            out.extend_from_slice(b"hash: hash table empty\n");
        }
    } else if !list {
        out.extend_from_slice(b"hits\tcommand\n");
    }
    for (name, (path, hits)) in sh.hashed.iter() {
        match list {
            true => out.extend_from_slice(&[b"builtin hash -p ", &path[..], b" ", name, b"\n"].concat()),
            false => out.extend_from_slice(&[format!("{hits:4}\t").as_bytes(), path, b"\n"].concat()),
        }
    }
    sh.write_out(&out)
}
