//! Cutting a long text in its middle for a reader with little room: the beginning shows what it is, the end shows how
//! it went.

use std::ops::Range;

/// How a text is cut. Lines are counted by newlines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clamped {
    /// The beginning that is shown, in bytes.
    pub head: Range<usize>,
    /// The end that is shown.
    pub tail: Range<usize>,
    /// Lines in the whole.
    pub lines: usize,
    /// Lines that are left out, those that are cut among them.
    pub lines_hidden: usize,
}

impl Clamped {
    /// Bytes that are left out.
    pub fn hidden(&self) -> usize {
        self.tail.start - self.head.end
    }
}

/// How to cut `text` so that no more than `limit` bytes are shown; `None` when it fits. The cuts are at line ends
/// where lines are short, else between characters.
pub fn clamp(text: &[u8], limit: usize) -> Option<Clamped> {
    if text.len() <= limit {
        return None;
    }
    let half = limit / 2;
    let head = cut_before(text, half);
    let tail = cut_after(text, text.len() - (limit - half));
    let newlines = |part: &[u8]| part.iter().filter(|&&b| b == b'\n').count();
    let hidden = &text[head..tail];
    Some(Clamped {
        head: 0..head,
        tail: tail..text.len(),
        lines: newlines(text) + usize::from(!text.ends_with(b"\n")),
        lines_hidden: newlines(hidden) + usize::from(!hidden.ends_with(b"\n")),
    })
}

/// The last good place to cut at or before `at`.
fn cut_before(text: &[u8], at: usize) -> usize {
    let nearest = at - at / 4;
    if let Some(i) = text[nearest..at].iter().rposition(|&b| b == b'\n') {
        return nearest + i + 1;
    }
    (at.saturating_sub(3)..=at).rev().find(|&i| is_boundary(text, i)).unwrap_or(at)
}

/// The first good place to cut at or after `at`.
fn cut_after(text: &[u8], at: usize) -> usize {
    let furthest = at + (text.len() - at) / 4;
    if text[at - 1] == b'\n' {
        return at;
    }
    if let Some(i) = text[at..furthest].iter().position(|&b| b == b'\n') {
        return at + i + 1;
    }
    (at..=(at + 3).min(text.len())).find(|&i| is_boundary(text, i)).unwrap_or(at)
}

/// Whether a UTF-8 character can begin here.
fn is_boundary(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|b| b & 0xC0 != 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_are_kept_whole() {
        let text: Vec<u8> = (0..1000).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        let c = clamp(&text, 100).unwrap();
        assert!(text[..c.head.end].ends_with(b"\n") && text[..c.tail.start].ends_with(b"\n"));
        assert_eq!(c.lines, 1000);
        let shown = text[c.head.clone()].iter().chain(&text[c.tail.clone()]).filter(|&&b| b == b'\n').count();
        assert_eq!(shown + c.lines_hidden, 1000);
        assert!(text.len() - c.hidden() <= 100);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let text = "ä".repeat(1000);
        for limit in 90..100 {
            let c = clamp(text.as_bytes(), limit).unwrap();
            assert!(text.is_char_boundary(c.head.end) && text.is_char_boundary(c.tail.start));
            assert!(text.len() - c.hidden() <= limit);
            assert_eq!(c.lines_hidden, 1);
        }
    }

    #[test]
    fn what_fits_is_not_cut() {
        assert_eq!(clamp(b"12345", 5), None);
        assert!(clamp(b"123456", 5).is_some());
    }
}
