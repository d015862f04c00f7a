//! String formats: `@csv`, `@sh` and the others.

use super::{
    ir::Format,
    machine::{Res, fail},
    ops,
    val::{Str, Val},
    write,
};

/// The text of a value: a string as it is, else its JSON.
pub fn text(v: &Val) -> Str {
    match v {
        Val::Str(s) => s.clone(),
        other => Str::owned(write::to_json(other)),
    }
}

/// A value in a format.
pub fn apply(f: &Format, v: &Val) -> Res<Str> {
    Ok(match f {
        Format::Text => text(v),
        Format::Json => Str::owned(write::to_json(v)),
        Format::Csv => row(v, "csv", b",", csv_field)?,
        Format::Tsv => row(v, "tsv", b"\t", tsv_field)?,
        Format::Html => Str::owned(replace(text(v).bytes(), |b| {
            Some(match b {
                b'<' => b"&lt;",
                b'>' => b"&gt;",
                b'&' => b"&amp;",
                b'\'' => b"&apos;",
                b'"' => b"&quot;",
                _ => return None,
            })
        })),
        Format::Uri => {
            let mut out = Vec::new();
            for b in text(v).bytes() {
                match b {
                    b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(*b),
                    _ => out.extend_from_slice(format!("%{b:02X}").as_bytes()),
                }
            }
            Str::owned(out)
        }
        Format::Urid => uri_decoded(v)?,
        Format::Sh => {
            let list = match v {
                Val::Arr(a) => &a[..],
                one => std::slice::from_ref(one),
            };
            let mut out = Vec::new();
            for (i, x) in list.iter().enumerate() {
                if i > 0 {
                    out.push(b' ');
                }
                match x {
                    Val::Arr(_) | Val::Obj(_) => {
                        return fail(format!("{} can not be escaped for shell", ops::describe(x)));
                    }
                    Val::Str(s) => {
                        out.push(b'\'');
                        out.extend(replace(s.bytes(), |b| (b == b'\'').then_some(b"'\\''")));
                        out.push(b'\'');
                    }
                    other => write::write(&mut out, other, &write::Style::default(), 0),
                }
            }
            Str::owned(out)
        }
        Format::Base64 => Str::owned(base64_simd::STANDARD.encode_to_string(text(v).bytes()).into_bytes()),
        Format::Base64d => base64_decoded(v)?,
        Format::Base32 => Str::owned(base32(text(v).bytes())),
        Format::Base32d => {
            let s = text(v);
            match unbase32(s.bytes()) {
                Some(b) => Str::lossy(&b),
                None => return fail(format!("{} is not valid base32 data", ops::describe(&Val::Str(s)))),
            }
        }
        Format::Unknown(name) => return fail(format!("{name} is not a valid format")),
    })
}

fn replace(s: &[u8], f: impl Fn(u8) -> Option<&'static [u8]>) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len() + 8);
    for &b in s {
        match f(b) {
            Some(r) => out.extend_from_slice(r),
            None => out.push(b),
        }
    }
    out
}

fn row(v: &Val, name: &str, sep: &[u8], field: fn(&mut Vec<u8>, &Str)) -> Res<Str> {
    let Val::Arr(a) = v else {
        return fail(format!("{} cannot be {name}-formatted, only array", ops::describe(v)));
    };
    let mut out = Vec::new();
    for (i, x) in a.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(sep);
        }
        match x {
            Val::Null => {}
            Val::Str(s) => field(&mut out, s),
            Val::Arr(_) | Val::Obj(_) => {
                return fail(format!("{} is not valid in a {name} row", ops::describe(x)));
            }
            other => write::write(&mut out, other, &write::Style::default(), 0),
        }
    }
    Ok(Str::owned(out))
}

fn csv_field(out: &mut Vec<u8>, s: &Str) {
    out.push(b'"');
    out.extend(replace(s.bytes(), |b| (b == b'"').then_some(b"\"\"")));
    out.push(b'"');
}

fn tsv_field(out: &mut Vec<u8>, s: &Str) {
    out.extend(replace(s.bytes(), |b| {
        Some(match b {
            b'\t' => b"\\t",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\\' => b"\\\\",
            _ => return None,
        })
    }));
}

fn uri_decoded(v: &Val) -> Res<Str> {
    let s = text(v);
    let b = s.bytes();
    let mut out = Vec::with_capacity(b.len());
    let mut i = 0;
    while i < b.len() {
        if b[i] != b'%' {
            out.push(b[i]);
            i += 1;
            continue;
        }
        let digit = |n: usize| b.get(i + n).and_then(|c| (*c as char).to_digit(16));
        let (Some(high), Some(low)) = (digit(1), digit(2)) else {
            return fail(format!("{} is not a valid uri encoding", ops::describe(v)));
        };
        out.push((high * 16 + low) as u8);
        i += 3;
    }
    match std::str::from_utf8(&out) {
        Ok(_) => Ok(Str::owned(out)),
        Err(_) => fail(format!("{} is not a valid uri encoding", ops::describe(v))),
    }
}

fn base64_decoded(v: &Val) -> Res<Str> {
    let s = text(v);
    let (mut out, mut bits, mut n) = (Vec::new(), 0u32, 0);
    let mut bad = false;
    for &b in s.bytes() {
        let d = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => continue,
            _ => {
                bad = true;
                break;
            }
        };
        bits = bits << 6 | u32::from(d);
        n += 1;
        if n == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, n) = (0, 0);
        }
    }
    match n {
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        1 => bad = true,
        _ => {}
    }
    if bad {
        return fail(format!("{} is not valid base64 data", ops::describe(&Val::Str(s))));
    }
    Ok(Str::lossy(&out))
}

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn base32(s: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len().div_ceil(5) * 8);
    for group in s.chunks(5) {
        let mut bits = 0u64;
        for i in 0..5 {
            bits = bits << 8 | u64::from(group.get(i).copied().unwrap_or(0));
        }
        let digits = (group.len() * 8).div_ceil(5);
        for i in 0..8 {
            out.push(if i < digits { BASE32[(bits >> (35 - 5 * i) & 31) as usize] } else { b'=' });
        }
    }
    out
}

fn unbase32(s: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut n) = (Vec::new(), 0u64, 0);
    for &b in s.iter().take_while(|b| **b != b'=') {
        bits = bits << 5 | BASE32.iter().position(|d| *d == b)? as u64;
        n += 5;
        if n >= 8 {
            n -= 8;
            out.push((bits >> n) as u8);
            bits &= (1 << n) - 1;
        }
    }
    Some(out)
}
