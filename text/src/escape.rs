//! Backslash escapes: `echo -e`, `printf` formats, `%b`, and `$'…'`. They differ in how octal numbers are written, in
//! which quotes can be escaped and in what `\c` does.

/// Whose escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// bash's `echo -e`: octal is `\0nnn`; `\c` ends the output.
    Echo,
    /// `/bin/echo -e`: also `\nnn`; no `\u`.
    GnuEcho,
    /// `%b` of printf: octal is `\nnn` or `\0nnn`; `\c` ends the output.
    PercentB,
    /// The format of bash's printf: octal is `\nnn`; `\"`, `\'`, `\?`; no `\c`.
    Format,
    /// The format of `/usr/bin/printf`: `\c` ends the output; `\x` and `\u` must have their digits.
    GnuFormat,
    /// `%b` of `/usr/bin/printf`.
    GnuPercentB,
    /// `$'…'`: octal is `\nnn`; `\cx` is a control character; `\x{…}`.
    AnsiC,
}

/// What an escape came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Go on after this many bytes.
    Next(usize),
    /// `\c`: the output ends here.
    Stop,
    /// It was kept as it is, with this message of bash's printf.
    Kept(usize, &'static str),
    /// `/usr/bin/printf` ends with this message.
    Fail(&'static str),
}

/// Replaces all escapes of `text`; false when `\c` ended the output.
pub fn unescape(text: &[u8], kind: Escapes, out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        match escape(&rest[at + 1..], kind, out) {
            Step::Next(n) | Step::Kept(n, _) => rest = &rest[at + 1 + n..],
            Step::Stop | Step::Fail(_) => return false,
        }
    }
    out.extend_from_slice(rest);
    true
}

/// Handles one escape, whose text after the backslash begins `text`.
pub fn escape(text: &[u8], kind: Escapes, out: &mut Vec<u8>) -> Step {
    use Escapes::*;
    let Some(&c) = text.first() else {
        out.push(b'\\');
        return Step::Next(0);
    };
    let gnu = matches!(kind, GnuEcho | GnuFormat | GnuPercentB);
    let byte = match c {
        b'a' => 7,
        b'b' => 8,
        b'e' => 0x1b,
        b'E' if !gnu => 0x1b,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' => b'\\',
        b'"' if matches!(kind, Format | AnsiC | GnuFormat | GnuPercentB) => b'"',
        b'\'' | b'?' if matches!(kind, Format | AnsiC) => c,
        b'c' => match kind {
            Echo | GnuEcho | PercentB | GnuFormat | GnuPercentB => return Step::Stop,
            Format => return keep(c, out),
            AnsiC => match text.get(1) {
                None => return keep(c, out),
                Some(b'?') => {
                    out.push(0x7f);
                    return Step::Next(2);
                }
                // `\c\\` is control-backslash.
                Some(b'\\') if text.get(2) == Some(&b'\\') => {
                    out.push(0x1c);
                    return Step::Next(3);
                }
                Some(x) => {
                    out.push(x.to_ascii_uppercase() & 0x1f);
                    return Step::Next(2);
                }
            },
        },
        b'0'..=b'7' => {
            let zero = c == b'0';
            let (skip, most) = match kind {
                Echo if zero => (1, 3),
                Echo => return keep(c, out),
                GnuEcho | PercentB | GnuPercentB if zero => (1, 3),
                _ => (0, 3),
            };
            let (value, n) = digits(&text[skip..], 8, most);
            out.push(value as u8);
            return Step::Next(skip + n);
        }
        b'x' => {
            if kind == AnsiC && text.get(1) == Some(&b'{') {
                let (value, n) = digits(&text[2..], 16, 8);
                if n > 0 {
                    out.push(value as u8);
                    let close = usize::from(text.get(2 + n) == Some(&b'}'));
                    return Step::Next(2 + n + close);
                }
            }
            let (value, n) = digits(&text[1..], 16, 2);
            if n == 0 {
                if matches!(kind, GnuFormat | GnuPercentB) {
                    return Step::Fail("missing hexadecimal number in escape");
                }
                out.extend_from_slice(b"\\x");
                return match kind {
                    Format | PercentB => Step::Kept(1, "missing hex digit for \\x"),
                    _ => Step::Next(1),
                };
            }
            out.push(value as u8);
            return Step::Next(1 + n);
        }
        b'u' | b'U' if kind != GnuEcho => {
            let most = if c == b'u' { 4 } else { 8 };
            let (value, n) = digits(&text[1..], 16, most);
            if matches!(kind, GnuFormat | GnuPercentB) && n < most {
                return Step::Fail("missing hexadecimal number in escape");
            }
            if n == 0 {
                out.extend_from_slice(&[b'\\', c]);
                return match (kind, c) {
                    (Format | PercentB, b'u') => Step::Kept(1, "missing unicode digit for \\u"),
                    (Format | PercentB, _) => Step::Kept(1, "missing unicode digit for \\U"),
                    _ => Step::Next(1),
                };
            }
            push_code(value, out);
            return Step::Next(1 + n);
        }
        _ => return keep(c, out),
    };
    out.push(byte);
    Step::Next(1)
}

fn keep(c: u8, out: &mut Vec<u8>) -> Step {
    out.extend_from_slice(&[b'\\', c]);
    Step::Next(1)
}

/// Up to `most` digits: their value, and how many there are.
fn digits(text: &[u8], base: u32, most: usize) -> (u32, usize) {
    let mut value = 0u32;
    let mut n = 0;
    while n < most
        && let Some(d) = text.get(n).and_then(|b| char::from(*b).to_digit(base))
    {
        value = value.wrapping_mul(base).wrapping_add(d);
        n += 1;
    }
    (value, n)
}

/// A code point in UTF-8, also those (surrogates, above 10FFFF) that only the old definition allows.
pub fn push_code(code: u32, out: &mut Vec<u8>) {
    if let Some(c) = char::from_u32(code) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    }
    let tail = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
    match code {
        0..0x1_0000 => out.extend([0xe0 | (code >> 12) as u8, tail(6), tail(0)]),
        0x1_0000..0x20_0000 => out.extend([0xf0 | (code >> 18) as u8, tail(12), tail(6), tail(0)]),
        0x20_0000..0x400_0000 => {
            out.extend([0xf8 | (code >> 24) as u8, tail(18), tail(12), tail(6), tail(0)])
        }
        0x400_0000..0x8000_0000 => {
            out.extend([0xfc | (code >> 30) as u8, tail(24), tail(18), tail(12), tail(6), tail(0)]);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, kind: Escapes) -> Vec<u8> {
        let mut out = Vec::new();
        unescape(text.as_bytes(), kind, &mut out);
        out
    }

    #[test]
    fn each_kind_has_its_own_rules() {
        assert_eq!(
            run("\\101 \\0101 \\x \\x4 \\e[ \\q\\\"\\c x", Escapes::Echo),
            b"\\101 A \\x \x04 \x1b[ \\q\\\""
        );
        assert_eq!(run("\\101\\0101\\1234\\400", Escapes::PercentB), b"AAS4\0");
        assert_eq!(run("\\101\\0101\\?\\'\\\"\\c", Escapes::Format), b"A\x081?'\"\\c");
        assert_eq!(run("\\cA\\c?\\x{41}\\u00e9\\E", Escapes::AnsiC), "\x01\x7fAé\x1b".as_bytes());
        assert_eq!(run("a\\", Escapes::Echo), b"a\\");
    }
}
