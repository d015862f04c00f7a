//! The file tests of `test`, `[` and `[[`: what the shell's builtins and the programs of the same names share.

use crate::{
    FileKind, Files, Stat,
    vfs::{GID, Permission, UID},
};

/// A unary file test by its letter (`f`, `d`, `e`, `r`, `s`, …, and `t`). Letters that test no file are false.
pub fn unary(files: &Files, letter: u8, operand: &[u8]) -> bool {
    if letter == b't' {
        let number = std::str::from_utf8(operand).ok().and_then(|t| t.trim().parse().ok());
        return number.and_then(|n| files.fds.get(n)).is_some_and(|fd| fd.terminal());
    }
    if operand.is_empty() {
        return false;
    }
    let kind = |kind: FileKind| files.stat_cheap(operand, true).is_ok_and(|(s, _)| s.kind == kind);
    let with = |f: fn(&Stat) -> bool| files.stat_cheap(operand, true).is_ok_and(|(s, _)| f(&s));
    match letter {
        b'e' | b'a' => files.exists(operand),
        b'f' => kind(FileKind::File),
        b'd' => kind(FileKind::Directory),
        b'c' => kind(FileKind::Device),
        b'p' => kind(FileKind::Fifo),
        b'h' | b'L' => files.stat_cheap(operand, false).is_ok_and(|(s, _)| s.kind == FileKind::Symlink),
        b's' => files.stat(operand).is_ok_and(|s| s.size > 0),
        b'r' => files.access(operand, Permission::Read).is_ok(),
        b'w' => files.access(operand, Permission::Write).is_ok(),
        b'x' => files.access(operand, Permission::Execute).is_ok(),
        b'u' => with(|s| s.mode & 0o4000 != 0),
        b'g' => with(|s| s.mode & 0o2000 != 0),
        b'k' => with(|s| s.mode & 0o1000 != 0),
        b'O' => with(|s| s.uid == UID),
        b'G' => with(|s| s.gid == GID),
        b'N' => with(|s| s.mtime > s.atime),
        _ => false,
    }
}

/// `a -nt b`: newer, or `b` does not exist.
pub fn newer(files: &Files, a: &[u8], b: &[u8]) -> bool {
    match (files.stat_cheap(a, true), files.stat_cheap(b, true)) {
        (Ok((a, _)), Ok((b, _))) => a.mtime > b.mtime,
        (a, b) => a.is_ok() && b.is_err(),
    }
}

/// `a -ot b`
pub fn older(files: &Files, a: &[u8], b: &[u8]) -> bool {
    newer(files, b, a)
}

/// `a -ef b`: the same inode.
pub fn same(files: &Files, a: &[u8], b: &[u8]) -> bool {
    match (files.stat_cheap(a, true), files.stat_cheap(b, true)) {
        (Ok((a, _)), Ok((b, _))) => (a.dev, a.ino) == (b.dev, b.ino),
        _ => false,
    }
}
