//! Values to JSON text: compact, indented, sorted, coloured.

use super::{
    number,
    val::{Obj, Val, deep},
};

/// How values are written.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// Indentation of one level; none writes on one line.
    pub indent: Option<Box<[u8]>>,
    /// Keys in order.
    pub sort: bool,
    /// Only ASCII: the rest as `\u` escapes.
    pub ascii: bool,
    /// Colours.
    pub colours: Option<Box<Colours>>,
}

/// Terminal colours of null, false, true, numbers, strings, arrays, objects and object keys.
#[derive(Clone, Debug)]
pub struct Colours(pub [Vec<u8>; 8]);

impl Default for Colours {
    fn default() -> Self {
        let of = ["0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "34;1"];
        Colours(of.map(|c| format!("\x1b[{c}m").into_bytes()))
    }
}

impl Colours {
    /// Overrides some by `JQ_COLORS` (`0;90:0;39:…`). Nothing after an invalid entry counts.
    pub fn set(&mut self, spec: &[u8]) -> bool {
        let entries: Vec<&[u8]> = spec.split(|b| *b == b':').collect();
        if entries.iter().any(|e| !e.iter().all(|b| b.is_ascii_digit() || *b == b';')) {
            return false;
        }
        for (slot, entry) in self.0.iter_mut().zip(entries) {
            *slot = [b"\x1b[", entry, b"m"].concat();
        }
        true
    }
}

const RESET: &[u8] = b"\x1b[0m";
/// Nesting below which jq writes nothing.
const MAX_DEPTH: usize = 10_000;

/// The compact text of a value, as `tojson` gives it.
pub fn to_json(v: &Val) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, v, &Style::default(), 0);
    out
}

/// Appends a value.
pub fn write(out: &mut Vec<u8>, v: &Val, style: &Style, level: usize) {
    if let Some(c) = &style.colours {
        return coloured(out, v, style, &c.0, level);
    }
    match v {
        Val::Arr(a) => {
            if level > MAX_DEPTH {
                return out.extend_from_slice(b"<skipped: too deep>");
            }
            if a.is_empty() {
                return out.extend_from_slice(b"[]");
            }
            nested(level, || {
                out.push(b'[');
                for (i, x) in a.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    newline(out, style, level + 1);
                    write(out, x, style, level + 1);
                }
                newline(out, style, level);
                out.push(b']');
            });
        }
        Val::Obj(o) => {
            if level > MAX_DEPTH {
                return out.extend_from_slice(b"<skipped: too deep>");
            }
            if o.is_empty() {
                return out.extend_from_slice(b"{}");
            }
            nested(level, || object(out, o, style, level));
        }
        scalar => write_scalar(out, scalar, style),
    }
}

#[inline]
fn nested(level: usize, f: impl FnOnce()) {
    if level & 15 == 15 { deep(f) } else { f() }
}

fn object(out: &mut Vec<u8>, o: &Obj, style: &Style, level: usize) {
    out.push(b'{');
    let mut first = true;
    let mut member = |k: &[u8], v: &Val| {
        if !first {
            out.push(b',');
        }
        first = false;
        newline(out, style, level + 1);
        quote(out, k, style.ascii);
        out.push(b':');
        if style.indent.is_some() {
            out.push(b' ');
        }
        write(out, v, style, level + 1);
    };
    if style.sort {
        o.sorted().iter().for_each(|m| member(m.0.bytes(), &m.1));
    } else {
        o.iter().for_each(|m| member(m.0.bytes(), &m.1));
    }
    newline(out, style, level);
    out.push(b'}');
}

#[inline]
fn newline(out: &mut Vec<u8>, style: &Style, level: usize) {
    if let Some(indent) = &style.indent {
        out.push(b'\n');
        for _ in 0..level {
            out.extend_from_slice(indent);
        }
    }
}

fn write_scalar(out: &mut Vec<u8>, v: &Val, style: &Style) {
    match v {
        Val::Null => out.extend_from_slice(b"null"),
        Val::Bool(true) => out.extend_from_slice(b"true"),
        Val::Bool(false) => out.extend_from_slice(b"false"),
        Val::Num(n) => number::write_f64(out, *n),
        Val::Str(s) => quote(out, s.bytes(), style.ascii),
        other => out.extend_from_slice(other.literal().unwrap_or(b"null")),
    }
}

/// 1 where a byte of a string must be escaped.
const ESCAPED: [bool; 256] = {
    let mut t = [false; 256];
    let mut i = 0;
    while i < 32 {
        t[i] = true;
        i += 1;
    }
    t[b'"' as usize] = true;
    t[b'\\' as usize] = true;
    t[127] = true;
    t
};

/// Appends a string in quotes.
pub fn quote(out: &mut Vec<u8>, s: &[u8], ascii: bool) {
    out.push(b'"');
    if ascii && !s.is_ascii() {
        let mut units = [0; 2];
        for c in std::str::from_utf8(s).unwrap_or("").chars() {
            if c.is_ascii() {
                escape(out, &[c as u8]);
            } else {
                for u in c.encode_utf16(&mut units) {
                    out.extend_from_slice(format!("\\u{u:04x}").as_bytes());
                }
            }
        }
    } else {
        escape(out, s);
    }
    out.push(b'"');
}

fn escape(out: &mut Vec<u8>, s: &[u8]) {
    let mut from = 0;
    let mut i = 0;
    while i < s.len() {
        if !ESCAPED[s[i] as usize] {
            i += 1;
            continue;
        }
        out.extend_from_slice(&s[from..i]);
        match s[i] {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\r' => out.extend_from_slice(b"\\r"),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            c => out.extend_from_slice(format!("\\u{c:04x}").as_bytes()),
        }
        i += 1;
        from = i;
    }
    out.extend_from_slice(&s[from..]);
}

fn coloured(out: &mut Vec<u8>, v: &Val, style: &Style, colours: &[Vec<u8>; 8], level: usize) {
    let colour = &colours[match v {
        Val::Null => 0,
        Val::Bool(false) => 1,
        Val::Bool(true) => 2,
        Val::Num(_) | Val::Lit(_) | Val::BigLit(_) => 3,
        Val::Str(_) => 4,
        Val::Arr(_) => 5,
        Val::Obj(_) => 6,
    }];
    out.extend_from_slice(colour);
    match v {
        Val::Arr(a) if a.is_empty() => out.extend_from_slice(b"[]"),
        Val::Obj(o) if o.is_empty() => out.extend_from_slice(b"{}"),
        Val::Arr(a) => deep(|| {
            out.push(b'[');
            for (i, x) in a.iter().enumerate() {
                if i > 0 {
                    out.extend_from_slice(colour);
                    out.push(b',');
                }
                newline(out, style, level + 1);
                coloured(out, x, style, colours, level + 1);
            }
            out.extend_from_slice(colour);
            newline(out, style, level);
            out.extend_from_slice(colour);
            out.push(b']');
        }),
        Val::Obj(o) => deep(|| {
            out.push(b'{');
            let members = if style.sort { o.sorted() } else { o.iter().collect() };
            for (i, (k, x)) in members.into_iter().enumerate() {
                if i > 0 {
                    out.extend_from_slice(colour);
                    out.push(b',');
                }
                newline(out, style, level + 1);
                out.extend_from_slice(RESET);
                out.extend_from_slice(&colours[7]);
                quote(out, k.bytes(), style.ascii);
                out.extend_from_slice(RESET);
                out.extend_from_slice(colour);
                out.push(b':');
                if style.indent.is_some() {
                    out.push(b' ');
                }
                out.extend_from_slice(RESET);
                coloured(out, x, style, colours, level + 1);
            }
            out.extend_from_slice(colour);
            newline(out, style, level);
            out.extend_from_slice(colour);
            out.push(b'}');
        }),
        scalar => write_scalar(out, scalar, style),
    }
    out.extend_from_slice(RESET);
}
