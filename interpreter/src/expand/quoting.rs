//! Quoting of values as bash does it for `declare -p`, `${x@Q}`, `set` and `set -x`.

use sandshell_text::quote;

/// `${x@Q}`: single quotes, or `$'…'` where these would not show.
pub fn reusable(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    quote::at_q(text, &mut out);
    out
}

/// `"…"` as `declare -p` prints a value.
pub fn double(text: &[u8]) -> Vec<u8> {
    if quote::needs_ansi_c(text) {
        let mut out = Vec::new();
        quote::ansi_c(text, &mut out);
        return out;
    }
    let mut out = vec![b'"'];
    for &b in text {
        if matches!(b, b'"' | b'\\' | b'$' | b'`') {
            out.push(b'\\');
        }
        out.push(b);
    }
    out.push(b'"');
    out
}

/// A value as `set` lists it and a word as `set -x` shows it: quoted only where needed.
pub fn plain(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    quote::trace(text, &mut out);
    out
}

/// A key of an associative array in `declare -p`.
pub fn key(text: &[u8]) -> Vec<u8> {
    match text {
        t if quote::needs_ansi_c(t)
            || quote::has_shell_specials(t)
            || t == b"@"
            || t == b"*"
            || t.is_empty() =>
        {
            double(t)
        }
        t => t.to_vec(),
    }
}
