//! `$'…'`: the escapes of ANSI C as bash reads them.

/// Decodes the text between the quotes. A NUL ends it.
pub(super) fn ansi_c(s: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len());
    let mut i = 0;
    while i < s.len() {
        let c = s[i];
        i += 1;
        if c != b'\\' || i >= s.len() {
            out.push(c);
            continue;
        }
        let e = s[i];
        i += 1;
        let byte = match e {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => e,
            b'0'..=b'7' => {
                let (v, n) = digits(&s[i - 1..], 8, 3);
                i += n - 1;
                v as u8
            }
            b'x' => {
                // `\x{41}` is read too.
                let braced = s.get(i) == Some(&b'{') && s.get(i + 1).is_some_and(u8::is_ascii_hexdigit);
                let (v, n) =
                    if braced { digits(&s[i + 1..], 16, usize::MAX) } else { digits(&s[i..], 16, 2) };
                if n == 0 {
                    out.extend_from_slice(b"\\x");
                    continue;
                }
                i += n;
                if braced {
                    i += 1;
                    if s.get(i) == Some(&b'}') {
                        i += 1;
                    }
                }
                v as u8
            }
            b'u' | b'U' => {
                let (v, n) = digits(&s[i..], 16, if e == b'u' { 4 } else { 8 });
                if n == 0 {
                    out.extend_from_slice(&[b'\\', e]);
                    continue;
                }
                i += n;
                match v {
                    0 => break,
                    v => utf8(v, &mut out),
                }
                continue;
            }
            b'c' if i < s.len() => {
                let mut c = s[i];
                i += 1;
                if c == b'\\' && s.get(i) == Some(&b'\\') {
                    i += 1;
                    c = b'\\';
                }
                if c == b'?' { 0x7f } else { c.to_ascii_uppercase() & 0x1f }
            }
            _ => {
                out.extend_from_slice(&[b'\\', e]);
                continue;
            }
        };
        if byte == 0 {
            break;
        }
        out.push(byte);
    }
    out
}

/// The number that at most `max` digits make, and how many there were.
fn digits(s: &[u8], base: u32, max: usize) -> (u32, usize) {
    let mut v: u32 = 0;
    let mut n = 0;
    while n < max
        && let Some(d) = s.get(n).and_then(|&b| (b as char).to_digit(base))
    {
        v = v.wrapping_mul(base).wrapping_add(d);
        n += 1;
    }
    (v, n)
}

/// Appends a code point; beyond Unicode in the old long forms, as bash does.
fn utf8(v: u32, out: &mut Vec<u8>) {
    let tail = |shift: u32| 0x80 | ((v >> shift) & 0x3f) as u8;
    match v {
        0..0x80 => out.push(v as u8),
        0x80..0x800 => out.extend([0xc0 | (v >> 6) as u8, tail(0)]),
        0x800..0x1_0000 => out.extend([0xe0 | (v >> 12) as u8, tail(6), tail(0)]),
        0x1_0000..0x20_0000 => out.extend([0xf0 | (v >> 18) as u8, tail(12), tail(6), tail(0)]),
        0x20_0000..0x400_0000 => out.extend([0xf8 | (v >> 24) as u8, tail(18), tail(12), tail(6), tail(0)]),
        0x400_0000..0x8000_0000 => {
            out.extend([0xfc | (v >> 30) as u8, tail(24), tail(18), tail(12), tail(6), tail(0)]);
        }
        _ => {}
    }
}
