//! File modes: octal and symbolic, as chmod(1) describes them, and the `rwx` letters.

use sandshell_kernel::FileKind;

const ALL: u32 = 0o7777;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    Plain,
    /// `X`: executable if it is a directory or anybody may execute it.
    X,
    /// `u`, `g`, `o` as permissions: those it has for them.
    Copy,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    op: u8,
    flag: Flag,
    affected: u32,
    value: u32,
    mentioned: u32,
}

/// What a mode argument asks to change.
#[derive(Clone, Debug)]
pub(crate) struct ModeChange(Vec<Change>);

impl ModeChange {
    /// Exactly these bits (`--reference`).
    pub fn exactly(mode: u32) -> ModeChange {
        ModeChange(vec![Change { op: b'=', flag: Flag::Plain, affected: ALL, value: mode, mentioned: ALL }])
    }

    /// Reads the argument; `None` when it is no mode.
    pub fn parse(text: &[u8]) -> Option<ModeChange> {
        if text.first()?.is_ascii_digit() {
            let value = octal(text)?;
            let mentioned = if text.len() < 5 { value & 0o7000 | 0o777 } else { ALL };
            return Some(ModeChange(vec![Change {
                op: b'=',
                flag: Flag::Plain,
                affected: ALL,
                value,
                mentioned,
            }]));
        }
        let mut changes = Vec::new();
        for clause in text.split(|&b| b == b',') {
            let mut affected = 0;
            let mut rest = clause;
            while let Some((&b, tail)) = rest.split_first() {
                affected |= match b {
                    b'u' => 0o4700,
                    b'g' => 0o2070,
                    b'o' => 0o1007,
                    b'a' => ALL,
                    b'=' | b'+' | b'-' => break,
                    _ => return None,
                };
                rest = tail;
            }
            if rest.is_empty() {
                return None;
            }
            while let Some((&op, tail)) = rest.split_first() {
                if !matches!(op, b'=' | b'+' | b'-') {
                    return None;
                }
                let end = tail.iter().position(|b| b"=+-".contains(b)).unwrap_or(tail.len());
                let (perms, next) = tail.split_at(end);
                changes.push(change(op, affected, perms)?);
                rest = next;
            }
        }
        Some(ModeChange(changes))
    }

    /// The mode of a file that has `old`, and the bits that the change speaks of.
    pub fn apply(&self, old: u32, directory: bool, umask: u32) -> (u32, u32) {
        let mut new = old & ALL;
        let mut mentioned = 0;
        for c in &self.0 {
            let omit = if directory { 0o6000 } else { 0 } & !c.mentioned;
            let mut value = c.value;
            match c.flag {
                Flag::Plain => {}
                Flag::Copy => {
                    value &= new;
                    for bit in [0o444, 0o222, 0o111] {
                        if value & bit != 0 {
                            value |= bit;
                        }
                    }
                }
                Flag::X if directory || new & 0o111 != 0 => value |= 0o111,
                Flag::X => {}
            }
            value &= if c.affected != 0 { c.affected } else { !umask } & !omit;
            match c.op {
                b'=' => {
                    let preserved = if c.affected != 0 { !c.affected } else { 0 } | omit;
                    mentioned |= ALL & !preserved;
                    new = new & preserved | value;
                }
                b'+' => {
                    mentioned |= value;
                    new |= value;
                }
                _ => {
                    mentioned |= value;
                    new &= !value;
                }
            }
        }
        (new & ALL, mentioned)
    }
}

fn octal(text: &[u8]) -> Option<u32> {
    let value = text.iter().try_fold(0u32, |v, b| {
        let v = (b'0'..=b'7').contains(b).then(|| v * 8 + u32::from(b - b'0'))?;
        (v <= ALL).then_some(v)
    })?;
    (!text.is_empty()).then_some(value)
}

fn change(op: u8, affected: u32, perms: &[u8]) -> Option<Change> {
    if perms.first().is_some_and(u8::is_ascii_digit) {
        let value = octal(perms).filter(|_| affected == 0)?;
        return Some(Change { op, flag: Flag::Plain, affected: ALL, value, mentioned: ALL });
    }
    let (mut value, mut flag) = (0, Flag::Plain);
    match perms {
        [b'u'] => (value, flag) = (0o700, Flag::Copy),
        [b'g'] => (value, flag) = (0o070, Flag::Copy),
        [b'o'] => (value, flag) = (0o007, Flag::Copy),
        _ => {
            for b in perms {
                value |= match b {
                    b'r' => 0o444,
                    b'w' => 0o222,
                    b'x' => 0o111,
                    b'X' => {
                        flag = Flag::X;
                        0
                    }
                    b's' => 0o6000,
                    b't' => 0o1000,
                    _ => return None,
                };
            }
        }
    }
    let mentioned = if affected != 0 { affected & value } else { value };
    Some(Change { op, flag, affected, value, mentioned })
}

/// `rw-r--r--`
pub(crate) fn letters(mode: u32) -> [u8; 9] {
    let mut out = *b"rwxrwxrwx";
    for (i, b) in out.iter_mut().enumerate() {
        if mode >> (8 - i) & 1 == 0 {
            *b = b'-';
        }
    }
    for (bit, at, set, plain) in [(0o4000, 2, b's', b'S'), (0o2000, 5, b's', b'S'), (0o1000, 8, b't', b'T')] {
        if mode & bit != 0 {
            out[at] = if out[at] == b'x' { set } else { plain };
        }
    }
    out
}

/// The letter of a kind, as `ls -l` shows it.
pub(crate) fn kind_letter(kind: FileKind) -> u8 {
    match kind {
        FileKind::File => b'-',
        FileKind::Directory => b'd',
        FileKind::Symlink => b'l',
        FileKind::Fifo => b'p',
        FileKind::Device => b'c',
    }
}

/// `-rw-r--r--`
pub(crate) fn full(kind: FileKind, mode: u32) -> String {
    let mut s = String::from(char::from(kind_letter(kind)));
    s.extend(letters(mode).map(char::from));
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &str, old: u32, dir: bool) -> u32 {
        ModeChange::parse(text.as_bytes()).unwrap().apply(old, dir, 0o022).0
    }

    #[test]
    fn symbolic_and_octal_modes() {
        assert_eq!(apply("755", 0o644, false), 0o755);
        assert_eq!(apply("+x", 0o644, false), 0o755);
        assert_eq!(apply("+w", 0o444, false), 0o644);
        assert_eq!(apply("u=rwx,go=", 0o644, false), 0o700);
        assert_eq!(apply("g=u,o-r", 0o644, false), 0o660);
        assert_eq!(apply("a+X", 0o644, false), 0o644);
        assert_eq!(apply("a+X", 0o644, true), 0o755);
        assert_eq!(apply("u+s,+t", 0o755, false), 0o5755);
        assert_eq!(apply("755", 0o2755, true), 0o2755);
        assert_eq!(apply("00755", 0o2755, true), 0o755);
        assert!(ModeChange::parse(b"u+z").is_none());
        assert!(ModeChange::parse(b"8").is_none());
        assert!(ModeChange::parse(b"").is_none());
        assert_eq!(&letters(0o4755), b"rwsr-xr-x");
        assert_eq!(&letters(0o1776), b"rwxrwxrwT");
    }
}
