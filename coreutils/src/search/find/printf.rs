//! `-printf` formats and the lines of `-ls`.

use super::{
    Find,
    expr::{Item, Sink, Which, kind_letter},
};
use crate::search::clock;
use sandshell_kernel::{Error, FileKind, Result, Stat, Time};

/// A parsed format.
pub struct Format {
    pieces: Vec<Piece>,
    /// Whether it prints a size, so that a walk may ask for contents ahead.
    pub needs_size: bool,
}

enum Piece {
    Literal(Vec<u8>),
    Field(Field),
    /// `\c`: nothing more is printed for this file.
    Stop,
}

#[derive(Clone, Default)]
struct Field {
    left: bool,
    zero: bool,
    plus: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    code: u8,
    /// The letter behind `A`, `B`, `C`, `T`.
    time: u8,
}

impl Format {
    /// Parses `text`. Warnings (unknown escapes and directives, which print as they stand) go to `warn`.
    pub fn parse(text: &[u8], warn: &mut dyn FnMut(String)) -> Result<Format, String> {
        let mut pieces = Vec::new();
        let mut literal = Vec::new();
        let mut i = 0;
        let mut needs_size = false;
        while i < text.len() {
            match text[i] {
                b'\\' => {
                    i += 1;
                    match text.get(i) {
                        Some(d @ b'0'..=b'7') => {
                            let mut n = u32::from(d - b'0');
                            let mut k = 1;
                            while let (true, Some(d @ b'0'..=b'7')) = (k < 3, text.get(i + 1)) {
                                n = n * 8 + u32::from(d - b'0');
                                i += 1;
                                k += 1;
                            }
                            literal.push(n as u8);
                        }
                        Some(b'a') => literal.push(7),
                        Some(b'b') => literal.push(8),
                        Some(b'c') => {
                            pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                            pieces.push(Piece::Stop);
                            return Ok(Format { pieces, needs_size });
                        }
                        Some(b'f') => literal.push(12),
                        Some(b'n') => literal.push(b'\n'),
                        Some(b'r') => literal.push(b'\r'),
                        Some(b't') => literal.push(b'\t'),
                        Some(b'v') => literal.push(11),
                        Some(b'\\') => literal.push(b'\\'),
                        Some(&c) => {
                            warn(format!("warning: unrecognized escape `\\{}'", char::from(c)));
                            literal.extend([b'\\', c]);
                        }
                        None => {
                            warn("warning: escape `\\' followed by nothing at all".into());
                            literal.push(b'\\');
                        }
                    }
                    i += 1;
                }
                b'%' if text.get(i + 1) == Some(&b'%') => {
                    literal.push(b'%');
                    i += 2;
                }
                b'%' => {
                    let from = i;
                    let mut field = Field::default();
                    i += 1;
                    while let Some(c @ (b'-' | b'+' | b' ' | b'#' | b'0')) = text.get(i) {
                        match c {
                            b'-' => field.left = true,
                            b'+' => field.plus = true,
                            b'#' => field.alternate = true,
                            b'0' => field.zero = true,
                            _ => {}
                        }
                        i += 1;
                    }
                    let number = |i: &mut usize| {
                        let mut n = 0usize;
                        while let Some(d @ b'0'..=b'9') = text.get(*i) {
                            n = (n * 10 + usize::from(d - b'0')).min(1 << 20);
                            *i += 1;
                        }
                        n
                    };
                    field.width = number(&mut i);
                    if text.get(i) == Some(&b'.') {
                        i += 1;
                        field.precision = Some(number(&mut i));
                    }
                    let Some(&code) = text.get(i) else {
                        return Err("error: % at end of format string".into());
                    };
                    field.code = code;
                    i += 1;
                    if b"ABCT".contains(&code) {
                        let Some(&time) = text.get(i) else {
                            return Err(format!("error: %{} at end of format string", char::from(code)));
                        };
                        field.time = time;
                        i += 1;
                    } else if !b"abcdDfFgGhHiklmMnpPsStuUyYZ".contains(&code) {
                        warn(format!("warning: unrecognized format directive `%{}'", char::from(code)));
                        literal.extend_from_slice(&text[from..i]);
                        continue;
                    }
                    needs_size |= b"sbkS".contains(&code);
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                    pieces.push(Piece::Field(field));
                }
                c => {
                    literal.push(c);
                    i += 1;
                }
            }
        }
        pieces.push(Piece::Literal(literal));
        pieces.retain(|p| !matches!(p, Piece::Literal(l) if l.is_empty()));
        Ok(Format { pieces, needs_size })
    }
}

/// Blocks of 512 bytes that a file takes.
fn blocks(s: &Stat) -> u64 {
    match s.kind {
        FileKind::File | FileKind::Directory => s.size.div_ceil(4096) * 8,
        _ => 0,
    }
}

/// `drwxr-xr-x`
pub fn mode_string(kind: FileKind, mode: u32) -> [u8; 10] {
    let mut s = *b"----------";
    s[0] = match kind_letter(kind) {
        b'f' => b'-',
        letter => letter,
    };
    for i in 0..9 {
        if mode & (0o400 >> i) != 0 {
            s[i + 1] = b"rwx"[i % 3];
        }
    }
    for (bit, at, set, unset) in [(0o4000, 3, b's', b'S'), (0o2000, 6, b's', b'S'), (0o1000, 9, b't', b'T')] {
        if mode & bit != 0 {
            s[at] = if s[at] == b'x' { set } else { unset };
        }
    }
    s
}

impl Find<'_> {
    /// Prints `format` for `item`.
    pub fn printf(&mut self, sink: Sink, format: &Format, item: &mut Item<'_>) -> Result<()> {
        let mut line = Vec::new();
        for piece in &format.pieces {
            match piece {
                Piece::Literal(text) => line.extend_from_slice(text),
                Piece::Stop => break,
                Piece::Field(field) => {
                    let text = self.field(field, item)?;
                    pad(&mut line, field, &text);
                }
            }
        }
        self.out(sink).put(&line)
    }

    fn field(&mut self, field: &Field, item: &mut Item<'_>) -> Result<Vec<u8>> {
        let decimal = |n: u64| n.to_string().into_bytes();
        Ok(match field.code {
            b'p' => item.path.to_vec(),
            b'f' => item.path[item.base..].to_vec(),
            b'h' => match item.path[..item.base].iter().rposition(|&b| b != b'/') {
                Some(end) => item.path[..=end].to_vec(),
                None if item.path.first() == Some(&b'/') => Vec::new(),
                None => b".".to_vec(),
            },
            b'H' => item.path[..item.start].to_vec(),
            b'P' => {
                let rest = &item.path[item.start.min(item.path.len())..];
                rest.strip_prefix(b"/").unwrap_or(rest).to_vec()
            }
            b'd' => decimal(item.depth as u64),
            b'y' => vec![kind_letter(self.kind(item)?)],
            b'Y' => match self.process.files.stat_cheap(item.path, true) {
                Ok((s, _)) => vec![kind_letter(s.kind)],
                Err(Error::Os(sandshell_kernel::Errno::ELOOP)) => b"L".to_vec(),
                Err(Error::Os(_)) => b"N".to_vec(),
                Err(stop) => return Err(stop),
            },
            b'l' => match self.kind(item)? {
                FileKind::Symlink => self.process.files.read_link(item.path)?.to_vec(),
                _ => Vec::new(),
            },
            b's' => decimal(self.sized(item)?.size),
            b'b' => decimal(blocks(&self.sized(item)?)),
            b'k' => decimal(blocks(&self.sized(item)?).div_ceil(2)),
            b'S' => {
                let s = self.sized(item)?;
                match s.size {
                    0 => b"1".to_vec(),
                    size => general((blocks(&s) * 512) as f64 / size as f64).into_bytes(),
                }
            }
            b'm' => {
                format!("{}{:o}", if field.alternate { "0" } else { "" }, self.stat(item)?.mode).into_bytes()
            }
            b'M' => {
                let s = self.stat(item)?;
                mode_string(s.kind, s.mode).to_vec()
            }
            b'n' => decimal(self.stat(item)?.nlink.into()),
            b'i' => decimal(self.stat(item)?.ino),
            b'D' => decimal(self.stat(item)?.dev),
            b'U' => decimal(self.stat(item)?.uid.into()),
            b'G' => decimal(self.stat(item)?.gid.into()),
            b'u' => {
                let uid = self.stat(item)?.uid;
                self.users().user(uid).map_or_else(|| decimal(uid.into()), |n| n.to_vec())
            }
            b'g' => {
                let gid = self.stat(item)?.gid;
                self.users().group(gid).map_or_else(|| decimal(gid.into()), |n| n.to_vec())
            }
            b'F' => self.filesystem(item.path).into(),
            b'a' => {
                let t = self.stat(item)?.atime;
                self.time_text(t, 0)
            }
            b'c' => {
                let t = self.stat(item)?.ctime;
                self.time_text(t, 0)
            }
            b't' => {
                let t = self.stat(item)?.mtime;
                self.time_text(t, 0)
            }
            b'A' => {
                let t = self.stat(item)?.atime;
                self.time_text(t, field.time)
            }
            b'B' => {
                let t = Which::Birth.of(&self.stat(item)?);
                self.time_text(t, field.time)
            }
            b'C' => {
                let t = self.stat(item)?.ctime;
                self.time_text(t, field.time)
            }
            b'T' => {
                let t = self.stat(item)?.mtime;
                self.time_text(t, field.time)
            }
            _ => Vec::new(),
        })
    }

    /// A time by one letter of strftime; 0 is ctime(3) with a fraction, `@` and `+` are find's own.
    fn time_text(&self, t: Time, letter: u8) -> Vec<u8> {
        let fraction = format!("{:09}0", t.nanos());
        let f = |format: &str| clock::strftime(&self.zone, t, format);
        match letter {
            0 => format!("{}.{fraction} {}", f("%a %b %e %H:%M:%S"), f("%Y")),
            b'@' => format!("{}.{fraction}", t.seconds()),
            b'+' => format!("{}.{fraction}", f("%Y-%m-%d+%H:%M:%S")),
            b'S' => format!("{}.{fraction}", f("%S")),
            b'T' | b'X' => format!("{}.{fraction}", f("%H:%M:%S")),
            letter if letter.is_ascii_alphabetic() => f(&format!("%{}", char::from(letter))),
            _ => String::new(),
        }
        .into_bytes()
    }

    /// Prints a line as `ls -dils` does.
    pub fn list(&mut self, sink: Sink, item: &mut Item<'_>) -> Result<()> {
        let s = self.sized(item)?;
        let now = self.now;
        let recent = s.mtime.0 > now.0 - 15_778_476_000_000_000 && s.mtime.0 <= now.0 + 3_600_000_000_000;
        let date = clock::strftime(&self.zone, s.mtime, if recent { "%b %e %H:%M" } else { "%b %e  %Y" });
        let name = |n: Option<&sandshell_kernel::Bytes>, id: u32| {
            n.map_or_else(|| id.to_string(), |n| String::from_utf8_lossy(n).into_owned())
        };
        let (user, group) = {
            let users = self.users();
            (name(users.user(s.uid), s.uid), name(users.group(s.gid), s.gid))
        };
        let mode = mode_string(s.kind, s.mode);
        let size = match s.kind {
            FileKind::Device => format!("{:3}, {:3}", s.rdev.0, s.rdev.1),
            _ => format!("{:8}", s.size),
        };
        let mut line = format!(
            "{:9} {:6} {} {:3} {user:<8} {group:<8} {size} {date} ",
            s.ino,
            blocks(&s).div_ceil(2),
            String::from_utf8_lossy(&mode),
            s.nlink
        )
        .into_bytes();
        escape(&mut line, item.path);
        if s.kind == FileKind::Symlink {
            line.extend_from_slice(b" -> ");
            escape(&mut line, &self.process.files.read_link(item.path)?);
        }
        self.out(sink).line(&line)
    }
}

/// A name as `ls -b` shows it.
fn escape(line: &mut Vec<u8>, name: &[u8]) {
    for &b in name {
        match b {
            b'\\' | b' ' | b'"' => line.extend([b'\\', b]),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\t' => line.extend_from_slice(b"\\t"),
            b'\r' => line.extend_from_slice(b"\\r"),
            8 => line.extend_from_slice(b"\\b"),
            12 => line.extend_from_slice(b"\\f"),
            33..=126 => line.push(b),
            b => line.extend_from_slice(format!("\\{b:03o}").as_bytes()),
        }
    }
}

/// `%g` of a small positive number.
fn general(x: f64) -> String {
    let digits = (6 - 1 - x.log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{x:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn pad(line: &mut Vec<u8>, field: &Field, text: &[u8]) {
    let numeric = b"md".contains(&field.code);
    let text = match field.precision {
        Some(p) if !numeric => &text[..p.min(text.len())],
        _ => text,
    };
    let zeros = match field.precision {
        Some(p) if numeric => p.saturating_sub(text.len()),
        None if numeric && field.zero && !field.left => field.width.saturating_sub(text.len()),
        _ => 0,
    };
    let plus = field.plus && field.code == b'd';
    let fill = field.width.saturating_sub(text.len() + zeros + usize::from(plus));
    if !field.left {
        line.resize(line.len() + fill, b' ');
    }
    if plus {
        line.push(b'+');
    }
    line.resize(line.len() + zeros, b'0');
    line.extend_from_slice(text);
    if field.left {
        line.resize(line.len() + fill, b' ');
    }
}
