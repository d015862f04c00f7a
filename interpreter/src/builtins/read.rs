//! `read`: a cursor on the descriptor. What is not used of a chunk is given back.

use crate::session::{
    array::{Indexed, Scalar},
    shell::{Flow, Shell, Unwind, os},
};
use bytes::Bytes;
use sandshell_kernel::Fd;
use std::time::{Duration, Instant};

const USAGE: &str = "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]";

/// What the options ask for.
struct Asked {
    raw: bool,
    array: Option<Bytes>,
    delimiter: Option<u8>,
    chars: Option<usize>,
    exact: bool,
    prompt: Option<Bytes>,
    timeout: Option<Duration>,
    fd: u32,
}

/// A line as it was read: its bytes, and which of them were escaped by a backslash.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    escaped: Vec<usize>,
}

enum End {
    /// The delimiter was met, or the wanted number of characters.
    Complete,
    /// End of file.
    Eof,
    /// The time is over.
    Timeout,
}

pub fn read(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut asked = Asked {
        raw: false,
        array: None,
        delimiter: Some(b'\n'),
        chars: None,
        exact: false,
        prompt: None,
        timeout: None,
        fd: 0,
    };
    let mut at = 1;
    'options: while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
        if letters.is_empty() {
            break;
        }
        at += 1;
        if letters == b"-" {
            break;
        }
        let mut i = 0;
        while i < letters.len() {
            let l = letters[i];
            i += 1;
            match l {
                b'r' => asked.raw = true,
                b's' | b'e' => {}
                b'a' | b'd' | b'i' | b'n' | b'N' | b'p' | b't' | b'u' => {
                    let value = match i < letters.len() {
                        true => Bytes::copy_from_slice(&letters[i..]),
                        false => match args.get(at) {
                            Some(v) => {
                                at += 1;
                                v.clone()
                            }
                            None => {
                                sh.complain(&[&[b'-', l], b": option requires an argument"]);
                                return sh.usage(USAGE);
                            }
                        },
                    };
                    if let Some(status) = option(sh, &mut asked, l, value)? {
                        return Ok(status);
                    }
                    continue 'options;
                }
                l => return sh.invalid_option(&[b'-', l], USAGE),
            }
        }
    }
    let names = args.get(at..).unwrap_or(&[]);
    let Some(fd) = sh.fd(asked.fd) else {
        let n = asked.fd.to_string();
        match asked.fd {
            0 => sh.complain(&[b"read error: 0: Bad file descriptor"]),
            _ => sh.complain(&[n.as_bytes(), b": invalid file descriptor: Bad file descriptor"]),
        }
        return Ok(1);
    };
    if asked.timeout == Some(Duration::ZERO) {
        return Ok(u8::from(!fd.ready()));
    }
    if let Some(p) = &asked.prompt
        && fd.terminal()
    {
        sh.write_error(&p.clone());
    }
    let mut text = Text::default();
    let end = match gather(sh, &fd, &asked, &mut text)? {
        Ok(e) => e,
        Err(e) => {
            let n = asked.fd.to_string();
            sh.complain(&[b"read error: ", n.as_bytes(), b": ", e.text().as_bytes()]);
            return Ok(1);
        }
    };
    let stored = store(sh, &asked, names, text)?;
    Ok(match end {
        _ if !stored => 1,
        End::Complete => 0,
        End::Eof => 1,
        End::Timeout => 142,
    })
}

/// Takes one option's value; `Some(status)` when it is bad, which was told.
fn option(sh: &mut Shell, asked: &mut Asked, letter: u8, value: Bytes) -> Flow<Option<u8>> {
    let text = std::str::from_utf8(&value).unwrap_or("");
    match letter {
        b'a' => asked.array = Some(value),
        b'd' => asked.delimiter = Some(value.first().copied().unwrap_or(0)),
        b'i' => {}
        b'p' => asked.prompt = Some(value),
        b'n' | b'N' => match text.parse::<usize>() {
            Ok(n) => {
                asked.chars = Some(n);
                asked.exact = letter == b'N';
            }
            Err(_) => {
                sh.complain(&[&value, b": invalid number"]);
                return Ok(Some(1));
            }
        },
        b't' => match text.parse::<f64>() {
            Ok(t) if t >= 0.0 && t.is_finite() => asked.timeout = Some(Duration::from_secs_f64(t.min(1e9))),
            _ => {
                sh.complain(&[&value, b": invalid timeout specification"]);
                return Ok(Some(1));
            }
        },
        _ => match text.parse::<u32>() {
            Ok(n) => asked.fd = n,
            Err(_) => {
                sh.complain(&[&value, b": invalid file descriptor specification"]);
                return Ok(Some(1));
            }
        },
    }
    Ok(None)
}

/// Reads until the delimiter, the wanted characters, the end or the timeout.
fn gather(
    sh: &mut Shell,
    fd: &Fd,
    asked: &Asked,
    text: &mut Text,
) -> Flow<Result<End, sandshell_kernel::Errno>> {
    let until = asked.timeout.map(|t| Instant::now() + t);
    let mut held = sh.budget.reservation();
    let mut count = 0;
    let mut escape = false;
    if asked.chars == Some(0) {
        return Ok(Ok(End::Complete));
    }
    loop {
        if let Some(until) = until {
            while !fd.ready() {
                if Instant::now() >= until {
                    return Ok(Ok(End::Timeout));
                }
                os(sh.budget.sleep_until(Some(Instant::now() + Duration::from_millis(1))))?.ok();
            }
        }
        let chunk = match os(fd.read(&sh.budget, 16 << 10))? {
            Ok(c) => c,
            Err(e) => return Ok(Err(e)),
        };
        if chunk.is_empty() {
            return Ok(Ok(End::Eof));
        }
        sh.step()?;
        if let Err(sandshell_kernel::Error::Stop(s)) = held.grow(chunk.len() as u64) {
            return Err(Unwind::Stop(s));
        }
        // The usual case: a line without backslashes.
        if let (Some(d), None, false) = (asked.delimiter, asked.chars, escape) {
            let n = memchr::memchr(d, &chunk);
            let part = &chunk[..n.unwrap_or(chunk.len())];
            if (asked.raw || memchr::memchr(b'\\', part).is_none()) && memchr::memchr(0, part).is_none() {
                text.bytes.extend_from_slice(part);
                if let Some(n) = n {
                    fd.unread(chunk.slice(n + 1..));
                    return Ok(Ok(End::Complete));
                }
                continue;
            }
        }
        let mut i = 0;
        while i < chunk.len() {
            let b = chunk[i];
            i += 1;
            if std::mem::take(&mut escape) {
                if b == b'\n' {
                    continue;
                }
                text.escaped.push(text.bytes.len());
                text.bytes.push(b);
                count += 1;
            } else if b == b'\\' && !asked.raw {
                escape = true;
                continue;
            } else if !asked.exact && Some(b) == asked.delimiter {
                fd.unread(chunk.slice(i..));
                return Ok(Ok(End::Complete));
            } else if b == 0 {
                continue;
            } else {
                text.bytes.push(b);
                // A character of several bytes counts when it is whole.
                count += usize::from(!(0x80..0xc0).contains(&b) || !sh.utf8);
            }
            if asked.chars == Some(count) {
                if sh.utf8 && b >= 0xc0 {
                    let tail = chunk[i..].iter().take_while(|b| (0x80..0xc0).contains(*b)).count();
                    text.bytes.extend_from_slice(&chunk[i..i + tail]);
                    i += tail;
                }
                fd.unread(chunk.slice(i..));
                return Ok(Ok(End::Complete));
            }
        }
    }
}

/// Splits the line and assigns the fields.
fn store(sh: &mut Shell, asked: &Asked, names: &[Bytes], text: Text) -> Flow<bool> {
    if let Some(array) = &asked.array {
        let fields = split_all(sh, &text);
        return sh.assign_array(array, Indexed::from_values(fields));
    }
    if names.is_empty() {
        return sh.assign_text(b"REPLY", Scalar::Str(Bytes::from(text.bytes)));
    }
    if asked.exact {
        let mut ok = sh.assign_text(&names[0], Scalar::Str(Bytes::from(text.bytes)))?;
        for n in &names[1..] {
            ok &= sh.assign_text(n, Scalar::Str(Bytes::new()))?;
        }
        return Ok(ok);
    }
    let class = sh.ifs.class.clone();
    let kind =
        |i: usize| if text.escaped.binary_search(&i).is_ok() { 0 } else { class[text.bytes[i] as usize] };
    let len = text.bytes.len();
    let mut at = 0;
    while at < len && kind(at) == 1 {
        at += 1;
    }
    let mut ok = true;
    for (n, name) in names.iter().enumerate() {
        let last = n + 1 == names.len();
        let (start, end, next) = field(at, len, &kind);
        let value = match last && next < len {
            // More than one field is left: all of it, without white space at the end.
            true => {
                let mut stop = len;
                while stop > start && kind(stop - 1) == 1 {
                    stop -= 1;
                }
                &text.bytes[start..stop]
            }
            false => &text.bytes[start..end],
        };
        let value = Bytes::copy_from_slice(value);
        ok &= sh.assign_text(name, Scalar::Str(value))?;
        at = next;
    }
    Ok(ok)
}

/// The bounds of the field at `at`, and where the next begins.
fn field(at: usize, len: usize, kind: &dyn Fn(usize) -> u8) -> (usize, usize, usize) {
    let mut end = at;
    while end < len && kind(end) == 0 {
        end += 1;
    }
    let mut next = end;
    while next < len && kind(next) == 1 {
        next += 1;
    }
    if next < len && kind(next) == 2 {
        next += 1;
        while next < len && kind(next) == 1 {
            next += 1;
        }
    }
    (at, end, next)
}

fn split_all(sh: &Shell, text: &Text) -> Vec<Bytes> {
    let class = &sh.ifs.class;
    let kind =
        |i: usize| if text.escaped.binary_search(&i).is_ok() { 0 } else { class[text.bytes[i] as usize] };
    let len = text.bytes.len();
    let mut at = 0;
    while at < len && kind(at) == 1 {
        at += 1;
    }
    let mut fields = Vec::new();
    while at < len {
        let (start, end, next) = field(at, len, &kind);
        fields.push(Bytes::copy_from_slice(&text.bytes[start..end]));
        at = next;
    }
    fields
}

impl Shell {
    /// One line for `select`, split as `read` would for REPLY alone. `None` at the end of input.
    pub(crate) fn read_line_for_select(&mut self) -> Flow<Option<Bytes>> {
        let Some(fd) = self.fd(0) else { return Ok(None) };
        let asked = Asked {
            raw: false,
            array: None,
            delimiter: Some(b'\n'),
            chars: None,
            exact: false,
            prompt: None,
            timeout: None,
            fd: 0,
        };
        let mut text = Text::default();
        match gather(self, &fd, &asked, &mut text)? {
            Ok(End::Complete) => Ok(Some(Bytes::from(text.bytes))),
            _ => Ok(None),
        }
    }
}
