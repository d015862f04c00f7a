//! The blocks of a tar archive: ustar, GNU's and pax headers, read and written.

use sandshell_kernel::Time;

/// A block.
pub(super) const BLOCK: usize = 512;

/// How headers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    V7,
    Ustar,
    Gnu,
    Pax,
}

/// A member's header.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    pub name: Vec<u8>,
    pub mode: u32,
    pub uid: u64,
    pub gid: u64,
    pub size: u64,
    pub mtime: Time,
    /// `0` file, `1` hard link, `2` symbolic link, `5` directory, `6` fifo, …
    pub kind: u8,
    pub link: Vec<u8>,
    pub uname: Vec<u8>,
    pub gname: Vec<u8>,
    pub major: u32,
    pub minor: u32,
}

/// Zero bytes to fill up the last block of `n` bytes.
pub(super) fn padding(n: u64) -> usize {
    (BLOCK as u64 - 1 - (n + BLOCK as u64 - 1) % BLOCK as u64) as usize
}

fn text(field: &[u8]) -> Vec<u8> {
    field[..memchr::memchr(0, field).unwrap_or(field.len())].to_vec()
}

/// Octal, or base 256 when the first bit is set.
fn number(field: &[u8]) -> Option<i128> {
    if field[0] & 0x80 != 0 {
        let negative = field[0] & 0x40 != 0;
        let first = i128::from(field[0] & 0x3f) - if negative { 0x40 } else { 0 };
        let tail = &field[1..];
        if tail.len() > 14 {
            return None;
        }
        return Some(tail.iter().fold(first, |n, b| n << 8 | i128::from(*b)));
    }
    let digits = field.iter().skip_while(|b| **b == b' ').take_while(|b| (b'0'..=b'7').contains(*b));
    let value = digits.fold(0i128, |n, b| n.wrapping_mul(8) + i128::from(b - b'0'));
    Some(value)
}

/// What a block is.
pub(super) enum Parsed {
    /// Zeros: the end, if another follows.
    Zero,
    /// Not a header.
    Invalid,
    Header(Header),
}

/// Reads a header block.
pub(super) fn parse(b: &[u8]) -> Parsed {
    if b.iter().all(|&x| x == 0) {
        return Parsed::Zero;
    }
    let Some(stored) = number(&b[148..156]) else { return Parsed::Invalid };
    let field = |at: usize| (148..156).contains(&at);
    let unsigned: i128 = b.iter().enumerate().map(|(i, &x)| if field(i) { 32 } else { i128::from(x) }).sum();
    let signed: i128 =
        b.iter().enumerate().map(|(i, &x)| if field(i) { 32 } else { i128::from(x as i8) }).sum();
    if stored != unsigned && stored != signed {
        return Parsed::Invalid;
    }
    let n = |r: std::ops::Range<usize>| number(&b[r]).unwrap_or(0).max(0) as u64;
    let mut name = text(&b[0..100]);
    let ustar = &b[257..263] == b"ustar\0";
    if ustar && b[345] != 0 {
        name = [&text(&b[345..500])[..], b"/", &name].concat();
    }
    let magic = &b[257..262] == b"ustar";
    let mut kind = b[156];
    if kind == 0 || kind == b'7' {
        kind = b'0';
    }
    if kind == b'0' && name.ends_with(b"/") {
        kind = b'5';
    }
    Parsed::Header(Header {
        name,
        mode: n(100..108) as u32 & 0o7777,
        uid: n(108..116),
        gid: n(116..124),
        size: n(124..136).min(i64::MAX as u64),
        mtime: Time(number(&b[136..148]).unwrap_or(0).saturating_mul(1_000_000_000)),
        kind,
        link: text(&b[157..257]),
        uname: if magic { text(&b[265..297]) } else { Vec::new() },
        gname: if magic { text(&b[297..329]) } else { Vec::new() },
        major: n(329..337) as u32,
        minor: n(337..345) as u32,
    })
}

/// Applies the records of a pax header; false when they are malformed.
pub(super) fn apply_pax(mut data: &[u8], h: &mut Header, size: &mut Option<u64>) -> bool {
    while !data.is_empty() {
        let Some(space) = memchr::memchr(b' ', data) else { return data.iter().all(|&b| b == 0) };
        let length = std::str::from_utf8(&data[..space]).ok().and_then(|t| t.parse::<usize>().ok());
        let Some(record) =
            length.filter(|n| *n > space + 1 && *n <= data.len()).map(|n| &data[space + 1..n - 1])
        else {
            return false;
        };
        data = &data[length.unwrap_or(data.len())..];
        let Some(eq) = memchr::memchr(b'=', record) else { return false };
        let (key, value) = (&record[..eq], &record[eq + 1..]);
        let int = || std::str::from_utf8(value).ok().and_then(|t| t.parse::<u64>().ok());
        match key {
            b"path" => h.name = value.to_vec(),
            b"linkpath" => h.link = value.to_vec(),
            b"uname" => h.uname = value.to_vec(),
            b"gname" => h.gname = value.to_vec(),
            b"size" => *size = int(),
            b"uid" => h.uid = int().unwrap_or(h.uid),
            b"gid" => h.gid = int().unwrap_or(h.gid),
            b"mtime" => h.mtime = seconds(value).unwrap_or(h.mtime),
            _ => {}
        }
    }
    true
}

/// `-1.5`
fn seconds(text: &[u8]) -> Option<Time> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: i128 = whole.parse().ok()?;
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let nanos: i128 = digits.parse().ok()?;
    let sign = if text.starts_with('-') { -1 } else { 1 };
    Some(Time(whole.checked_mul(1_000_000_000)? + sign * nanos))
}

fn octal(field: &mut [u8], value: u64) {
    let digits = field.len() - 1;
    if value >> (digits * 3).min(63) == 0 || digits * 3 >= 64 {
        let text = format!("{value:0digits$o}");
        field[..digits].copy_from_slice(text.as_bytes());
        return;
    }
    let n = field.len();
    field[n - 8.min(n)..].copy_from_slice(&value.to_be_bytes()[8 - 8.min(n)..]);
    field[0] |= 0x80;
}

impl Header {
    /// The blocks of the header in a format; `None` when the format cannot hold it.
    pub fn write(&self, format: Format, out: &mut Vec<u8>) -> Option<()> {
        let mut name = &self.name[..];
        let mut prefix: &[u8] = b"";
        if name.len() > 100 {
            match format {
                Format::Gnu => long(b'L', name, out),
                Format::V7 => return None,
                Format::Ustar | Format::Pax => match split(name) {
                    Some((p, n)) => (prefix, name) = (p, n),
                    None if format == Format::Ustar => return None,
                    None => {}
                },
            }
        }
        if self.link.len() > 100 {
            match format {
                Format::Gnu => long(b'K', &self.link, out),
                Format::Pax => {}
                _ => return None,
            }
        }
        if format == Format::Pax {
            self.pax(name.len() > 100, out);
        }
        let mut b = [0u8; BLOCK];
        let cut = |field: &mut [u8], text: &[u8]| {
            let n = text.len().min(field.len());
            field[..n].copy_from_slice(&text[..n]);
        };
        cut(&mut b[0..100], name);
        octal(&mut b[100..108], u64::from(self.mode & 0o7777));
        octal(&mut b[108..116], self.uid);
        octal(&mut b[116..124], self.gid);
        octal(&mut b[124..136], self.size);
        let mtime = self.mtime.seconds();
        if mtime >= 0 {
            octal(&mut b[136..148], mtime as u64);
        } else {
            b[136..140].fill(0xff);
            b[140..148].copy_from_slice(&mtime.to_be_bytes());
        }
        b[156] = if format == Format::V7 && self.kind == b'0' { 0 } else { self.kind };
        cut(&mut b[157..257], &self.link);
        if format != Format::V7 {
            b[257..265].copy_from_slice(if format == Format::Gnu { b"ustar  \0" } else { b"ustar\x0000" });
            cut(&mut b[265..296], &self.uname);
            cut(&mut b[297..328], &self.gname);
            if format != Format::Gnu || matches!(self.kind, b'3' | b'4') {
                octal(&mut b[329..337], u64::from(self.major));
                octal(&mut b[337..345], u64::from(self.minor));
            }
            cut(&mut b[345..500], prefix);
        }
        seal(&mut b);
        out.extend_from_slice(&b);
        Some(())
    }

    fn pax(&self, long_name: bool, out: &mut Vec<u8>) {
        let mut records = Vec::new();
        if long_name {
            record("path", &self.name, &mut records);
        }
        if self.link.len() > 100 {
            record("linkpath", &self.link, &mut records);
        }
        if self.mtime.nanos() != 0 {
            let text = format!("{}.{:09}", self.mtime.seconds(), self.mtime.nanos());
            record("mtime", text.trim_end_matches('0').as_bytes(), &mut records);
        }
        if self.size >= 1 << 33 {
            record("size", self.size.to_string().as_bytes(), &mut records);
        }
        if records.is_empty() {
            return;
        }
        let base = crate::files::base(&self.name);
        let dir = crate::files::dir(&self.name);
        let name = [dir, b"/PaxHeaders/", base].concat();
        let h = Header {
            name: name[..name.len().min(100)].to_vec(),
            mode: 0o644,
            size: records.len() as u64,
            mtime: self.mtime,
            kind: b'x',
            ..Header::default()
        };
        let _ = h.write(Format::Ustar, out);
        out.extend_from_slice(&records);
        out.resize(out.len() + padding(records.len() as u64), 0);
    }
}

/// `LENGTH KEY=VALUE\n`, the length counting itself.
fn record(key: &str, value: &[u8], out: &mut Vec<u8>) {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    out.extend_from_slice(format!("{length} {key}=").as_bytes());
    out.extend_from_slice(value);
    out.push(b'\n');
}

/// GNU's way to say a long name: a member of its own before the header.
fn long(kind: u8, text: &[u8], out: &mut Vec<u8>) {
    let mut b = [0u8; BLOCK];
    b[..13].copy_from_slice(b"././@LongLink");
    octal(&mut b[100..108], 0o644);
    octal(&mut b[108..116], 0);
    octal(&mut b[116..124], 0);
    octal(&mut b[124..136], text.len() as u64 + 1);
    octal(&mut b[136..148], 0);
    b[156] = kind;
    b[257..265].copy_from_slice(b"ustar  \0");
    b[265..269].copy_from_slice(b"root");
    b[297..301].copy_from_slice(b"root");
    seal(&mut b);
    out.extend_from_slice(&b);
    out.extend_from_slice(text);
    out.push(0);
    out.resize(out.len() + padding(text.len() as u64 + 1), 0);
}

fn seal(b: &mut [u8; BLOCK]) {
    b[148..156].fill(b' ');
    let sum: u32 = b.iter().map(|&x| u32::from(x)).sum();
    b[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
    b[154] = 0;
}

/// Splits a name at a slash so that both parts fit into ustar's fields.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let ends = (1..name.len().min(156)).rev();
    let at = ends.into_iter().find(|&i| name[i] == b'/' && i + 1 < name.len())?;
    (name.len() - at - 1 <= 100).then(|| (&name[..at], &name[at + 1..]))
}
