//! Formats given by the user for lines and groups of lines, and `-D`, which is made of them.

use super::{compare::Change, output::Printer};
use sandshell_kernel::Result;

/// Line formats (old, new, unchanged) and group formats (old, new, unchanged, changed) as given.
#[derive(Clone, Debug, Default)]
pub struct Formats {
    /// `--old-line-format`, `--new-line-format`, `--unchanged-line-format`
    pub lines: [Option<Vec<u8>>; 3],
    /// `--old-group-format`, `--new-group-format`, `--unchanged-group-format`, `--changed-group-format`
    pub groups: [Option<Vec<u8>>; 4],
}

/// Index of the old file's formats.
pub const OLD: usize = 0;
/// Index of the new file's formats.
pub const NEW: usize = 1;
/// Index of the formats of common lines.
pub const SAME: usize = 2;
/// Index of the format of groups that are in both files.
pub const CHANGED: usize = 3;

impl Formats {
    /// Those of `-D NAME`.
    pub fn ifdef(name: &[u8]) -> Formats {
        let group = |parts: &[&[u8]]| Some(parts.concat());
        Formats {
            lines: Default::default(),
            groups: [
                group(&[b"#ifndef ", name, b"\n%<#endif /* ! ", name, b" */\n"]),
                group(&[b"#ifdef ", name, b"\n%>#endif /* ", name, b" */\n"]),
                group(&[b"%="]),
                group(&[b"#ifndef ", name, b"\n%<#else /* ", name, b" */\n%>#endif /* ", name, b" */\n"]),
            ],
        }
    }

    /// Fills what was not given; lines print as they are.
    pub fn complete(&mut self) {
        for line in &mut self.lines {
            line.get_or_insert_with(|| b"%l\n".to_vec());
        }
        let [old, new, same, changed] = &mut self.groups;
        let other = changed.clone();
        let old = old.get_or_insert_with(|| other.clone().unwrap_or(b"%<".to_vec())).clone();
        let new = new.get_or_insert_with(|| other.unwrap_or(b"%>".to_vec())).clone();
        same.get_or_insert_with(|| b"%=".to_vec());
        changed.get_or_insert_with(|| [old, new].concat());
    }
}

/// A group of lines: the range of each file.
#[derive(Clone, Copy)]
struct Group {
    from: [usize; 2],
    to: [usize; 2],
}

impl Printer<'_> {
    /// Prints both files by the formats.
    pub fn formatted(&mut self, changes: &[Change], formats: &Formats) -> Result<()> {
        let mut at = [0, 0];
        for c in changes {
            if self.analyze(std::slice::from_ref(c)).is_none() {
                continue;
            }
            let from = [c.line0, c.line1];
            if at[0] < from[0] || at[1] < from[1] {
                self.group(formats, SAME, Group { from: at, to: from })?;
            }
            let to = [c.line0 + c.deleted, c.line1 + c.inserted];
            let which = match (c.deleted, c.inserted) {
                (_, 0) => OLD,
                (0, _) => NEW,
                _ => CHANGED,
            };
            self.group(formats, which, Group { from, to })?;
            at = to;
        }
        let to = [self.texts[0].len(), self.texts[1].len()];
        if at[0] < to[0] || at[1] < to[1] {
            self.group(formats, SAME, Group { from: at, to })?;
        }
        Ok(())
    }

    fn group(&mut self, formats: &Formats, which: usize, group: Group) -> Result<()> {
        let format = formats.groups[which].as_deref().unwrap_or_default();
        self.group_format(formats, format, 0, group, true).map(drop)
    }

    /// Prints `format` from `at` up to its end or, within an alternative, its terminator; gives where it stopped.
    fn group_format(
        &mut self,
        formats: &Formats,
        format: &[u8],
        mut at: usize,
        group: Group,
        show: bool,
    ) -> Result<usize> {
        while at < format.len() {
            let b = format[at];
            at += 1;
            if b != b'%' {
                if show {
                    self.out.byte(b)?;
                }
                continue;
            }
            let Some(&code) = format.get(at) else {
                if show {
                    self.out.byte(b'%')?;
                }
                break;
            };
            let lines = match code {
                b'<' => Some((OLD, 0)),
                b'>' => Some((NEW, 1)),
                b'=' => Some((SAME, 0)),
                _ => None,
            };
            if let Some((which, file)) = lines {
                at += 1;
                if show {
                    self.lines(formats, which, file, group)?;
                }
                continue;
            }
            if code == b'('
                && let Some(next) = self.alternative(formats, format, at + 1, group, show)?
            {
                at = next;
                continue;
            }
            at = self.simple(format, at, show, |letter| group_value(letter, group))?;
        }
        Ok(at)
    }

    /// `%(A=B?T:E)` from behind the parenthesis.
    fn alternative(
        &mut self,
        formats: &Formats,
        format: &[u8],
        at: usize,
        group: Group,
        show: bool,
    ) -> Result<Option<usize>> {
        let value = |at: &mut usize| -> Option<u64> {
            let from = *at;
            while format.get(*at).is_some_and(u8::is_ascii_digit) {
                *at += 1;
            }
            if *at > from {
                return std::str::from_utf8(&format[from..*at]).ok()?.parse().ok();
            }
            let v = group_value(*format.get(*at)?, group)?;
            *at += 1;
            Some(v)
        };
        let mut i = at;
        let Some(a) = value(&mut i) else { return Ok(None) };
        if format.get(i) != Some(&b'=') {
            return Ok(None);
        }
        i += 1;
        let Some(b) = value(&mut i) else { return Ok(None) };
        if format.get(i) != Some(&b'?') {
            return Ok(None);
        }
        i += 1;
        let then_end = i + find_end(&format[i..], b':');
        let else_end = (then_end + 1).min(format.len());
        let end = else_end + find_end(&format[else_end..], b')');
        let chosen = if a == b { &format[i..then_end] } else { &format[else_end..end] };
        let deep = stacker::remaining_stack().is_none_or(|left| left > 64 << 10);
        if deep {
            self.group_format(formats, chosen, 0, group, show)?;
        }
        Ok(Some((end + 1).min(format.len())))
    }

    fn lines(&mut self, formats: &Formats, which: usize, file: usize, group: Group) -> Result<()> {
        let format = formats.lines[which].as_deref().unwrap_or_default();
        for i in group.from[file]..group.to[file] {
            let line = self.texts[file].line(i);
            if format == b"%L" {
                self.out.put(line)?;
                continue;
            }
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            let mut at = 0;
            while at < format.len() {
                let b = format[at];
                at += 1;
                match (b, format.get(at)) {
                    (b'%', Some(b'l')) => {
                        self.out.put(body)?;
                        at += 1;
                    }
                    (b'%', Some(b'L')) => {
                        self.out.put(line)?;
                        at += 1;
                    }
                    (b'%', Some(_)) => {
                        at = self.simple(format, at, true, |l| (l == b'n').then_some(i as u64 + 1))?;
                    }
                    _ => self.out.byte(b)?,
                }
            }
        }
        Ok(())
    }

    /// `%%`, `%c'C'`, `%c'\OOO'`, or a number `%[-][WIDTH][.[PREC]]{doxX}LETTER`, from behind the percent sign.
    fn simple(
        &mut self,
        format: &[u8],
        at: usize,
        show: bool,
        value: impl Fn(u8) -> Option<u64>,
    ) -> Result<usize> {
        match format[at..] {
            [b'%', ..] => {
                if show {
                    self.out.byte(b'%')?;
                }
                return Ok(at + 1);
            }
            [b'c', b'\'', b'\\', ref rest @ ..] => {
                let digits = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                if digits > 0 && rest.get(digits) == Some(&b'\'') {
                    let n = rest[..digits].iter().fold(0u32, |n, d| n * 8 + u32::from(d - b'0'));
                    if show {
                        self.out.byte(n as u8)?;
                    }
                    return Ok(at + 4 + digits);
                }
            }
            [b'c', b'\'', c, b'\'', ..] => {
                if show {
                    self.out.byte(c)?;
                }
                return Ok(at + 4);
            }
            _ => {}
        }
        let mut i = at;
        let left = format.get(i) == Some(&b'-');
        i += usize::from(left);
        let zero = format.get(i) == Some(&b'0');
        let number = |i: &mut usize| {
            let mut n = 0usize;
            while let Some(d @ b'0'..=b'9') = format.get(*i) {
                n = (n * 10 + usize::from(d - b'0')).min(4096);
                *i += 1;
            }
            n
        };
        let width = number(&mut i);
        let precision = (format.get(i) == Some(&b'.')).then(|| {
            i += 1;
            number(&mut i)
        });
        let kind = format.get(i).copied();
        let n = format.get(i + 1).and_then(|&l| value(l));
        if let (Some(kind @ (b'd' | b'o' | b'x' | b'X')), Some(n)) = (kind, n) {
            if show {
                let digits = match kind {
                    b'd' => n.to_string(),
                    b'o' => format!("{n:o}"),
                    b'x' => format!("{n:x}"),
                    _ => format!("{n:X}"),
                };
                let digits = match precision {
                    Some(p) => format!("{digits:0>p$}"),
                    None => digits,
                };
                let text = match (left, zero && precision.is_none()) {
                    (true, _) => format!("{digits:<width$}"),
                    (_, true) => format!("{digits:0>width$}"),
                    _ => format!("{digits:>width$}"),
                };
                self.out.put(text.as_bytes())?;
            }
            return Ok(i + 2);
        }
        // Not a format: the percent sign stands for itself.
        if show {
            self.out.byte(b'%')?;
        }
        Ok(at)
    }
}

/// Where the terminator is, outside nested alternatives and quoted characters.
fn find_end(format: &[u8], terminator: u8) -> usize {
    let mut depth = 0usize;
    let mut i = 0;
    while i < format.len() {
        match (format[i], format.get(i + 1)) {
            (b'%', Some(b'(')) => {
                depth += 1;
                i += 1;
            }
            (b'%', Some(b'c')) if format.get(i + 2) == Some(&b'\'') => {
                let close = memchr::memchr(b'\'', &format[(i + 4).min(format.len())..]);
                i += 4 + close.unwrap_or(0);
            }
            (b'%', Some(b'%')) => i += 1,
            (b, _) if depth == 0 && b == terminator => return i,
            (b')', _) if depth > 0 => depth -= 1,
            _ => {}
        }
        i += 1;
    }
    format.len()
}

/// `e f l n m` of the old file, `E F L N M` of the new.
fn group_value(letter: u8, group: Group) -> Option<u64> {
    let file = usize::from(letter.is_ascii_uppercase());
    let (from, to) = (group.from[file] as u64, group.to[file] as u64);
    Some(match letter.to_ascii_lowercase() {
        b'e' => from,
        b'f' => from + 1,
        b'l' => to,
        b'n' => to - from,
        b'm' => to + 1,
        _ => return None,
    })
}
