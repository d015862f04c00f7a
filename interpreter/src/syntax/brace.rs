//! Brace expressions: which `{` of a word begin one is decided here, by bash's rules (braces.c), on the parts of
//! the word; the executor only multiplies.

use super::ir::*;
use std::sync::Arc;

/// One place of a word: a byte of unquoted text or something opaque.
#[derive(Clone)]
enum Item {
    Byte(u8),
    Part(Part),
}

/// Replaces the text of brace expressions by [`Part::Brace`].
pub(super) fn expand(parts: Vec<Part>) -> Vec<Part> {
    let mut items = Vec::new();
    for p in parts {
        match p {
            Part::Text(t) => items.extend(t.iter().map(|&b| Item::Byte(b))),
            p => items.push(Item::Part(p)),
        }
    }
    let mut fuel = items.len() * 64 + (1 << 16);
    sequence(&items, true, &mut fuel, 0)
}

fn byte(items: &[Item], i: usize) -> u8 {
    match items.get(i) {
        Some(Item::Byte(b)) => *b,
        _ => 0,
    }
}

/// The matching `}` for a `{` before `from`: the first at level 0 after a `,` or `..` at level 0.
fn close(items: &[Item], from: usize, fuel: &mut usize) -> Option<usize> {
    let mut level = 0usize;
    let mut separated = false;
    for i in from..items.len() {
        *fuel = fuel.checked_sub(1)?;
        match byte(items, i) {
            b'}' if level == 0 && separated => return Some(i),
            b'}' => level = level.saturating_sub(1),
            b'{' => level += 1,
            b',' if level == 0 => separated = true,
            b'.' if level == 0 && byte(items, i + 1) == b'.' && byte(items, i + 2) != b'}' => {
                separated = true
            }
            _ => {}
        }
    }
    None
}

/// The parts of `items`; `at_start` = a tilde may stand first.
fn sequence(items: &[Item], at_start: bool, fuel: &mut usize, depth: usize) -> Vec<Part> {
    let mut out = Vec::new();
    let mut text = Vec::new();
    let mut i = 0;
    while i < items.len() {
        let b = match &items[i] {
            Item::Part(p) => {
                flush(&mut out, &mut text);
                out.push(p.clone());
                i += 1;
                continue;
            }
            Item::Byte(b) => *b,
        };
        // A `{}` at the start of a word is left alone.
        if b == b'{'
            && depth < 200
            && !(i == 0 && byte(items, 1) == b'}')
            && let Some(end) = close(items, i + 1, fuel)
        {
            let inner = &items[i + 1..end];
            let start = at_start && out.is_empty() && text.is_empty();
            let brace = if inner.iter().any(|x| matches!(x, Item::Byte(b','))) {
                Some(Brace::List(alternatives(inner, start, fuel, depth)))
            } else {
                range(inner)
            };
            match brace {
                Some(brace) => {
                    flush(&mut out, &mut text);
                    out.push(Part::Brace(Arc::new(brace)));
                }
                None => {
                    for x in &items[i..=end] {
                        match x {
                            Item::Byte(b) => text.push(*b),
                            Item::Part(p) => {
                                flush(&mut out, &mut text);
                                out.push(p.clone());
                            }
                        }
                    }
                }
            }
            i = end + 1;
            continue;
        }
        text.push(b);
        i += 1;
    }
    flush(&mut out, &mut text);
    if at_start && depth > 0 {
        tilde(&mut out);
    }
    out
}

fn flush(out: &mut Vec<Part>, text: &mut Vec<u8>) {
    if !text.is_empty() {
        out.push(Part::Text(std::mem::take(text).into()));
    }
}

/// `{~/a,b}` at the start of a word: the tilde begins the word that results.
fn tilde(parts: &mut Vec<Part>) {
    let Some(Part::Text(t)) = parts.first() else { return };
    if t.first() != Some(&b'~') {
        return;
    }
    let end = t.iter().position(|&b| b == b'/').unwrap_or(t.len());
    if (end == t.len() && parts.len() > 1) || !t[1..end].iter().all(|&b| super::word::tilde_byte(b)) {
        return;
    }
    let (prefix, rest) = (t.slice(..end), t.slice(end..));
    parts[0] = Part::Tilde(prefix);
    if !rest.is_empty() {
        parts.insert(1, Part::Text(rest));
    }
}

/// Splits at the commas of level 0.
fn alternatives(items: &[Item], at_start: bool, fuel: &mut usize, depth: usize) -> Vec<Vec<Part>> {
    let mut out = Vec::new();
    let mut level = 0usize;
    let mut from = 0;
    for i in 0..items.len() {
        match byte(items, i) {
            b'{' => level += 1,
            b'}' => level = level.saturating_sub(1),
            b',' if level == 0 => {
                out.push(sequence(&items[from..i], at_start, fuel, depth + 1));
                from = i + 1;
            }
            _ => {}
        }
    }
    out.push(sequence(&items[from..], at_start, fuel, depth + 1));
    out
}

/// `a..b` or `a..b..step`.
fn range(items: &[Item]) -> Option<Brace> {
    let mut text = Vec::with_capacity(items.len());
    for i in items {
        match i {
            Item::Byte(b) => text.push(*b),
            Item::Part(_) => return None,
        }
    }
    let dots = memchr::memmem::find(&text, b"..")?;
    let (from, rest) = (&text[..dots], &text[dots + 2..]);
    let (to, step) = match memchr::memmem::find(rest, b"..") {
        Some(i) => (&rest[..i], Some(&rest[i + 2..])),
        None => (rest, None),
    };
    let step = match step {
        Some(s) => integer(s)?,
        None => 0,
    };
    if let (&[a], &[b]) = (from, to)
        && a.is_ascii_alphabetic()
        && b.is_ascii_alphabetic()
    {
        return Some(Brace::Letters { from: a, to: b, step });
    }
    let (a, b) = (integer(from)?, integer(to)?);
    let padded = |s: &[u8]| {
        let digits = s.strip_prefix(b"-").unwrap_or(s);
        digits.len() > 1 && digits[0] == b'0'
    };
    let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
    Some(Brace::Numbers { from: a, to: b, step, width })
}

fn integer(s: &[u8]) -> Option<i64> {
    let t = s.strip_prefix(b"+").unwrap_or(s);
    if t.is_empty() || (t.len() < s.len() && !t[0].is_ascii_digit()) {
        return None;
    }
    std::str::from_utf8(t).ok()?.parse().ok()
}
