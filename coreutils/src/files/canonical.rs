//! Canonical paths, as gnulib's canonicalize gives them: realpath and readlink -f.

use sandshell_kernel::{Bytes, Errno, Error, FileKind, Files, Result};

/// Which components must exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Must {
    /// All.
    All,
    /// All but the last.
    AllButLast,
    /// None.
    None,
}

/// How links are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Links {
    /// Resolved as they are met, before a `..` that follows.
    Physical,
    /// After `..` has been taken out by text.
    Logical,
    /// Not at all.
    Keep,
}

/// The absolute path of `path` without `.`, `..` and links.
pub(super) fn canonical(files: &Files, path: &[u8], must: Must, links: Links) -> Result<Bytes> {
    if path.is_empty() {
        return Err(Errno::ENOENT.into());
    }
    if links == Links::Logical {
        return canonical(files, &files.absolute(path), must, Links::Physical);
    }
    let mut out: Vec<u8> = Vec::new();
    if path[0] != b'/' {
        out.extend_from_slice(&files.real_path(b".").unwrap_or_else(|_| files.cwd().clone()));
        if out == b"/" {
            out.clear();
        }
    }
    let mut followed = 0;
    let mut todo: Vec<(Bytes, usize)> = vec![(Bytes::copy_from_slice(path), 0)];
    while let Some((text, at)) = todo.last_mut() {
        let rest = &text[*at..];
        let skip = rest.iter().take_while(|&&b| b == b'/').count();
        if skip == rest.len() {
            todo.pop();
            continue;
        }
        let len = memchr::memchr(b'/', &rest[skip..]).unwrap_or(rest.len() - skip);
        let name = text.slice(*at + skip..*at + skip + len);
        *at += skip + len;
        let last = !todo.iter().any(|(t, at)| t[*at..].iter().any(|&b| b != b'/'));
        let slash = todo.iter().any(|(t, at)| *at < t.len());
        match &name[..] {
            b"." => continue,
            b".." => {
                out.truncate(memchr::memrchr(b'/', &out).unwrap_or(0));
                continue;
            }
            _ => {}
        }
        let before = out.len();
        out.push(b'/');
        out.extend_from_slice(&name);
        let stat = match files.stat_cheap(&out, false) {
            Ok((s, _)) => s,
            Err(Error::Os(Errno::ENOENT)) if must == Must::AllButLast && last => continue,
            Err(Error::Os(_)) if must == Must::None => continue,
            Err(e) => return Err(e),
        };
        if stat.kind == FileKind::Symlink && links != Links::Keep {
            followed += 1;
            if followed > 40 {
                if must == Must::None {
                    continue;
                }
                return Err(Errno::ELOOP.into());
            }
            let target = files.read_link(&out)?;
            out.truncate(if target.first() == Some(&b'/') { 0 } else { before });
            todo.push((target, 0));
        } else if stat.kind != FileKind::Directory && (!last || slash) && must != Must::None {
            let directory =
                links == Links::Keep && files.stat_cheap(&out, true).is_ok_and(|(s, _)| s.is_dir());
            if !directory {
                return Err(Errno::ENOTDIR.into());
            }
        }
    }
    if out.is_empty() {
        out.push(b'/');
    }
    Ok(Bytes::from(out))
}
