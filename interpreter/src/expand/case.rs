//! Case conversion of values: `-l -u -c`, `${x^^}`, `${x@U}`. By characters in UTF-8 locales, by bytes elsewhere.

use bytes::Bytes;

/// The characters of `text` as byte ranges: one byte each where it is not UTF-8.
pub fn characters(text: &[u8], utf8: bool) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let n = char_len(rest, utf8)?;
        let (c, r) = rest.split_at(n);
        rest = r;
        Some(c)
    })
}

/// The length of the first character; `None` at the end.
#[inline]
pub fn char_len(text: &[u8], utf8: bool) -> Option<usize> {
    let first = *text.first()?;
    if !utf8 || first < 0x80 {
        return Some(1);
    }
    let n = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    Some(match text.get(..n) {
        Some(c) if std::str::from_utf8(c).is_ok() => n,
        _ => 1,
    })
}

/// How many characters there are.
pub fn char_count(text: &[u8], utf8: bool) -> usize {
    if !utf8 || text.is_ascii() {
        return text.len();
    }
    match std::str::from_utf8(text) {
        Ok(t) => t.chars().count(),
        Err(_) => characters(text, true).count(),
    }
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Upper case.
    Upper,
    /// Lower case.
    Lower,
    /// The other one.
    Toggle,
}

/// Appends a character in another case, when it has one of a single character.
pub fn push_char(c: &[u8], to: To, out: &mut Vec<u8>) {
    if let [b @ 0..0x80] = c {
        out.push(match to {
            To::Upper => b.to_ascii_uppercase(),
            To::Lower => b.to_ascii_lowercase(),
            To::Toggle if b.is_ascii_uppercase() => b.to_ascii_lowercase(),
            To::Toggle => b.to_ascii_uppercase(),
        });
        return;
    }
    let Some(ch) = std::str::from_utf8(c).ok().and_then(|s| s.chars().next()) else {
        out.extend_from_slice(c);
        return;
    };
    let upper = match to {
        To::Upper => true,
        To::Lower => false,
        To::Toggle => !ch.is_uppercase(),
    };
    let mut changed = [ch; 2];
    let count = match upper {
        true => fill(&mut changed, ch.to_uppercase()),
        false => fill(&mut changed, ch.to_lowercase()),
    };
    let result = if count == 1 { changed[0] } else { ch };
    out.extend_from_slice(result.encode_utf8(&mut [0; 4]).as_bytes());
}

fn fill(place: &mut [char; 2], from: impl Iterator<Item = char>) -> usize {
    let mut n = 0;
    for c in from {
        if let Some(p) = place.get_mut(n) {
            *p = c;
        }
        n += 1;
    }
    n
}

fn map(text: &Bytes, utf8: bool, to: To) -> Bytes {
    if text.is_ascii() || !utf8 {
        return Bytes::from(match to {
            To::Upper => text.to_ascii_uppercase(),
            _ => text.to_ascii_lowercase(),
        });
    }
    let mut out = Vec::with_capacity(text.len());
    for c in characters(text, utf8) {
        push_char(c, to, &mut out);
    }
    Bytes::from(out)
}

/// All lower.
pub fn lower(text: &Bytes, utf8: bool) -> Bytes {
    map(text, utf8, To::Lower)
}

/// All upper.
pub fn upper(text: &Bytes, utf8: bool) -> Bytes {
    map(text, utf8, To::Upper)
}

/// The first upper, the rest lower.
pub fn capitalise(text: &Bytes, utf8: bool) -> Bytes {
    let n = char_len(text, utf8).unwrap_or(0);
    let mut out = upper(&text.slice(..n), utf8).to_vec();
    out.extend_from_slice(&lower(&text.slice(n..), utf8));
    Bytes::from(out)
}
