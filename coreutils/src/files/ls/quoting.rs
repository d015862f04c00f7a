//! The quoting styles of `ls`.

use sandshell_text::quote;
use unicode_width::UnicodeWidthChar;

/// `--quoting-style`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    Literal,
    Shell,
    ShellAlways,
    ShellEscape,
    ShellEscapeAlways,
    C,
    CMaybe,
    Escape,
    Locale,
    Clocale,
}

/// Their words.
pub(crate) const STYLES: &[(&str, Style)] = &[
    ("literal", Style::Literal),
    ("shell", Style::Shell),
    ("shell-always", Style::ShellAlways),
    ("shell-escape", Style::ShellEscape),
    ("shell-escape-always", Style::ShellEscapeAlways),
    ("c", Style::C),
    ("c-maybe", Style::CMaybe),
    ("escape", Style::Escape),
    ("locale", Style::Locale),
    ("clocale", Style::Clocale),
];

/// The name in a style; `extra` are bytes that the escaping styles escape too. With `hide`, what cannot be printed
/// is shown as `?`.
pub(crate) fn name(text: &[u8], style: Style, extra: &[u8], hide: bool, out: &mut Vec<u8>) {
    let start = out.len();
    match style {
        Style::Literal => out.extend_from_slice(text),
        Style::Shell | Style::ShellAlways => {
            let plain: Vec<u8> = text.iter().map(|&b| if b.is_ascii_control() { b'a' } else { b }).collect();
            let mut quoted = Vec::new();
            quote::shell_escape(&plain, style == Style::ShellAlways, &mut quoted);
            let control = text.iter().any(|b| b.is_ascii_control());
            match quoted == plain && !control {
                true => out.extend_from_slice(text),
                false if quoted.starts_with(b"\"") => {
                    out.push(b'"');
                    out.extend_from_slice(text);
                    out.push(b'"');
                }
                false => quote::single(text, out),
            }
        }
        Style::ShellEscape => quote::shell_escape(text, false, out),
        Style::ShellEscapeAlways => quote::shell_escape(text, true, out),
        Style::C => escaped(text, "\"", "\"", b"\"", out),
        Style::CMaybe => {
            escaped(text, "\"", "\"", b"\"", out);
            if out.len() - start == text.len() + 2 {
                out.truncate(start);
                out.extend_from_slice(text);
            }
        }
        Style::Escape => escaped(text, "", "", extra, out),
        Style::Locale | Style::Clocale => escaped(text, "‘", "’", b"", out),
    }
    if hide {
        let shown = question_marks(&out[start..]);
        out.truncate(start);
        out.extend_from_slice(&shown);
    }
}

fn escaped(text: &[u8], open: &str, close: &str, extra: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(open.as_bytes());
    let octal = |b: u8, out: &mut Vec<u8>| out.extend_from_slice(format!("\\{b:03o}").as_bytes());
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let letter = match c {
                '\\' => b'\\',
                '\n' => b'n',
                '\t' => b't',
                '\r' => b'r',
                '\x07' => b'a',
                '\x08' => b'b',
                '\x0b' => b'v',
                '\x0c' => b'f',
                c if c.is_ascii() && extra.contains(&(c as u8)) => c as u8,
                c => {
                    let mut b = [0; 4];
                    let bytes = c.encode_utf8(&mut b).as_bytes();
                    match c.is_control() {
                        true => bytes.iter().for_each(|&b| octal(b, out)),
                        false => out.extend_from_slice(bytes),
                    }
                    continue;
                }
            };
            out.extend_from_slice(&[b'\\', letter]);
        }
        chunk.invalid().iter().for_each(|&b| octal(b, out));
    }
    out.extend_from_slice(close.as_bytes());
}

fn question_marks(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let c = if c.is_control() { '?' } else { c };
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend(chunk.invalid().iter().map(|_| b'?'));
    }
    out
}

/// Columns that a shown name takes.
pub(crate) fn width(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.iter().filter(|b| !b.is_ascii_control()).count();
    }
    text.utf8_chunks().map(|c| c.valid().chars().map(|c| c.width().unwrap_or(0)).sum::<usize>()).sum()
}
