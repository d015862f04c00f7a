//! The replacement of `s`: text, groups, and changes of case.

use super::script::*;
use sandshell_text::regex::Captures;

/// Appends the replacement for a match in `text`.
pub fn replace(s: &Substitute, text: &[u8], captures: &Captures, out: &mut Vec<u8>) {
    if s.cases {
        return with_cases(s, text, captures, out);
    }
    for part in &s.parts {
        match part {
            Part::Text(t) => out.extend_from_slice(t),
            Part::Group(n) => {
                if let Some((a, b)) = captures.get(*n) {
                    out.extend_from_slice(&text[a..b]);
                }
            }
            Part::Case(_) => {}
        }
    }
}

/// Appends the replacement of a match whose groups are not needed.
#[inline]
pub fn replace_whole(s: &Substitute, matched: &[u8], out: &mut Vec<u8>) {
    for part in &s.parts {
        match part {
            Part::Text(t) => out.extend_from_slice(t),
            Part::Group(_) => out.extend_from_slice(matched),
            Part::Case(_) => {}
        }
    }
}

fn with_cases(s: &Substitute, text: &[u8], captures: &Captures, out: &mut Vec<u8>) {
    let mut lasting = Case::End;
    let mut once = Case::End;
    for part in &s.parts {
        let piece: &[u8] = match part {
            Part::Text(t) => t,
            Part::Group(n) => captures.get(*n).map_or(b"", |(a, b)| &text[a..b]),
            Part::Case(c @ (Case::UpperNext | Case::LowerNext)) => {
                once = *c;
                continue;
            }
            Part::Case(c) => {
                lasting = *c;
                continue;
            }
        };
        for chunk in piece.utf8_chunks() {
            for c in chunk.valid().chars() {
                let how = std::mem::replace(&mut once, Case::End);
                let how = if how == Case::End { lasting } else { how };
                let c = match how {
                    Case::Upper | Case::UpperNext => one(c, c.to_uppercase()),
                    Case::Lower | Case::LowerNext => one(c, c.to_lowercase()),
                    Case::End => c,
                };
                let mut b = [0; 4];
                out.extend_from_slice(c.encode_utf8(&mut b).as_bytes());
            }
            out.extend_from_slice(chunk.invalid());
        }
    }
}

/// The mapped character; itself where it would become several.
fn one(c: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(m), None) => m,
        _ => c,
    }
}
