//! Quoting for people and for shells: `printf %q`, `${x@Q}`, the traces of `set -x`, the names that `ls` and GNU
//! messages show, and `cat -v`.

use crate::posix_class::next_char;

/// Whether a character is printed as it is in C.UTF-8.
fn printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{fff8}')
}

/// Whether the text has bytes that are not printable characters, so that it wants `$'…'`.
pub fn needs_ansi_c(text: &[u8]) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let (c, n) = next_char(rest);
        if !c.is_some_and(printable) {
            return true;
        }
        rest = &rest[n..];
    }
    false
}

/// `$'…'`
pub fn ansi_c(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"$'");
    let mut rest = text;
    while !rest.is_empty() {
        let (c, n) = next_char(rest);
        match rest[0] {
            0x1b => out.extend_from_slice(b"\\E"),
            7 => out.extend_from_slice(b"\\a"),
            8 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x0b => out.extend_from_slice(b"\\v"),
            b @ (b'\\' | b'\'') => out.extend_from_slice(&[b'\\', b]),
            _ if c.is_some_and(printable) => out.extend_from_slice(&rest[..n]),
            _ => rest[..n].iter().for_each(|b| octal(*b, out)),
        }
        rest = &rest[n..];
    }
    out.push(b'\'');
}

fn octal(b: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'\\', b'0' + (b >> 6), b'0' + (b >> 3 & 7), b'0' + (b & 7)]);
}

/// `'…'`, with `'\''` for a quote.
pub fn single(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for (i, part) in text.split(|b| *b == b'\'').enumerate() {
        if i > 0 {
            out.extend_from_slice(b"'\\''");
        }
        out.extend_from_slice(part);
    }
    out.push(b'\'');
}

/// `${x@Q}`, `declare -p`-like: `'…'` or `$'…'`.
pub fn at_q(text: &[u8], out: &mut Vec<u8>) {
    if needs_ansi_c(text) { ansi_c(text, out) } else { single(text, out) }
}

/// bash's `printf %q`: backslashes where they are needed, or `$'…'`.
pub fn percent_q(text: &[u8], out: &mut Vec<u8>) {
    if text.is_empty() {
        return out.extend_from_slice(b"''");
    }
    if needs_ansi_c(text) {
        return ansi_c(text, out);
    }
    for (i, &b) in text.iter().enumerate() {
        let special = match b {
            b' ' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' | b'!' | b'{'
            | b'}' => true,
            b'*' | b'[' | b']' | b'?' | b'^' | b'$' | b'`' | b',' => true,
            b'#' => i == 0,
            b'~' => i == 0 || matches!(text[i - 1], b'=' | b':'),
            _ => false,
        };
        if special {
            out.push(b'\\');
        }
        out.push(b);
    }
}

/// Whether a shell would take some character of it as special.
pub fn has_shell_specials(text: &[u8]) -> bool {
    text.iter().enumerate().any(|(i, &b)| match b {
        b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' => true,
        b'!' | b'{' | b'}' | b'*' | b'[' | b'?' | b']' | b'^' | b'$' | b'`' => true,
        b'~' => i == 0 || matches!(text[i - 1], b'=' | b':'),
        b'#' => i == 0 || matches!(text[i - 1], b' ' | b'\t'),
        _ => false,
    })
}

/// A word as `set -x` shows it.
pub fn trace(text: &[u8], out: &mut Vec<u8>) {
    if text.is_empty() {
        out.extend_from_slice(b"''");
    } else if has_shell_specials(text) {
        single(text, out);
    } else if needs_ansi_c(text) {
        ansi_c(text, out);
    } else {
        out.extend_from_slice(text);
    }
}

/// A name as GNU messages with `quotef` and `ls` at a terminal show it: quoted for the shell if need be. With
/// `always`, it is quoted even if it need not be (`cannot access 'x'`).
pub fn shell_escape(text: &[u8], always: bool, out: &mut Vec<u8>) {
    let (mut needed, mut quote, mut control) = (always || text.is_empty(), false, false);
    let mut double = true;
    let mut rest = text;
    while !rest.is_empty() {
        let (c, n) = next_char(rest);
        let first = rest.len() == text.len();
        match rest[0] {
            b'\'' => {
                quote = true;
                needed = true;
            }
            b' ' => needed = true,
            b'#' | b'~' if first => needed = true,
            b'{' | b'}' if text.len() == 1 => needed = true,
            b'#' | b'~' | b'{' | b'}' => double = false,
            b'!' | b'"' | b'$' | b'&' | b'(' | b')' | b'*' | b';' | b'<' | b'=' | b'>' | b'?' | b'['
            | b'\\' | b'^' | b'`' | b'|' => {
                needed = true;
                double = false;
            }
            _ if c.is_some_and(printable) => {}
            _ => {
                needed = true;
                control = true;
                double = false;
            }
        }
        rest = &rest[n..];
    }
    if !needed {
        return out.extend_from_slice(text);
    }
    if quote && double {
        out.push(b'"');
        out.extend_from_slice(text);
        return out.push(b'"');
    }
    if !control {
        return single(text, out);
    }
    out.push(b'\'');
    let mut rest = text;
    let mut escaping = false;
    while !rest.is_empty() {
        let (c, n) = next_char(rest);
        if c.is_some_and(printable) {
            if escaping {
                out.extend_from_slice(b"''");
                escaping = false;
            }
            if rest[0] == b'\'' {
                out.extend_from_slice(b"'\\''");
            } else {
                out.extend_from_slice(&rest[..n]);
            }
        } else {
            if !escaping {
                out.extend_from_slice(b"'$'");
                escaping = true;
            }
            rest[..n].iter().for_each(|b| c_escape(*b, out));
        }
        rest = &rest[n..];
    }
    out.push(b'\'');
}

fn c_escape(b: u8, out: &mut Vec<u8>) {
    let letter = match b {
        7 => b'a',
        8 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x0b => b'v',
        _ => return octal(b, out),
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// A name in a GNU message that quotes only if need be: `cat: 'a b': No such file or directory`.
pub fn name(text: &[u8]) -> String {
    let mut out = Vec::new();
    shell_escape(text, false, &mut out);
    // GNU's `quotef` also quotes what holds a colon, which could be taken for the end of the name.
    if out == text && text.contains(&b':') {
        out.clear();
        shell_escape(text, true, &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A name in a GNU message that always quotes: `ls: cannot access 'x'`.
pub fn name_always(text: &[u8]) -> String {
    let mut out = Vec::new();
    shell_escape(text, true, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// A value in a GNU message: `invalid number of lines: ‘x’` (the locale's quotes, which are those of C.UTF-8).
pub fn value(text: &[u8]) -> String {
    let mut out = "‘".as_bytes().to_vec();
    let mut rest = text;
    while !rest.is_empty() {
        let (c, n) = next_char(rest);
        match rest[0] {
            b'\\' => out.extend_from_slice(b"\\\\"),
            _ if c == Some('’') => out.extend_from_slice("\\’".as_bytes()),
            _ if c.is_some_and(printable) => out.extend_from_slice(&rest[..n]),
            _ => rest[..n].iter().for_each(|b| c_escape(*b, &mut out)),
        }
        rest = &rest[n..];
    }
    out.extend_from_slice("’".as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// `cat -v`: `^X` and `M-x` for what is not printable ASCII. Newlines are kept; tabs with `keep_tabs`.
pub fn visible(text: &[u8], keep_tabs: bool, out: &mut Vec<u8>) {
    for &b in text {
        let low = if b >= 128 {
            out.extend_from_slice(b"M-");
            b - 128
        } else {
            if b == b'\n' || b == b'\t' && keep_tabs {
                out.push(b);
                continue;
            }
            b
        };
        match low {
            127 => out.extend_from_slice(b"^?"),
            0..32 => out.extend_from_slice(&[b'^', low + 64]),
            _ => out.push(low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(f: impl Fn(&[u8], &mut Vec<u8>), text: &[u8]) -> String {
        let mut out = Vec::new();
        f(text, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn as_bash_quotes() {
        assert_eq!(with(percent_q, b"a b"), "a\\ b");
        assert_eq!(with(percent_q, b""), "''");
        assert_eq!(with(percent_q, b"a=~b#"), "a=\\~b#");
        assert_eq!(with(percent_q, "\n\té\u{1}".as_bytes()), "$'\\n\\té\\001'");
        assert_eq!(with(at_q, b"it's"), "'it'\\''s'");
        assert_eq!(with(at_q, b"a\n'b"), "$'a\\n\\'b'");
        assert_eq!(with(trace, b"a\nb"), "'a\nb'");
        assert_eq!(with(trace, b"a=b"), "a=b");
    }

    #[test]
    fn as_gnu_messages_quote() {
        assert_eq!(name(b"a b"), "'a b'");
        assert_eq!(name(b"it's"), "\"it's\"");
        assert_eq!(name(b"ab"), "ab");
        assert_eq!(name(b"a{b"), "a{b");
        assert_eq!(name_always(b"ab"), "'ab'");
        assert_eq!(name_always(b"n\nl"), "'n'$'\\n''l'");
        assert_eq!(name_always(b"a'b$c"), "'a'\\''b$c'");
        assert_eq!(value(b"n\nl"), "‘n\\nl’");
        assert_eq!(with(|t, o| visible(t, false, o), b"\xc3\x01\x7f\t\n"), "M-C^A^?^I\n");
    }
}
