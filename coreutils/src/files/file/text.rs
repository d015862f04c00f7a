//! Text: its encoding, its line ends, and the languages that can be told from a few words.

use super::Found;

/// A line longer than this is called very long.
const LONG: usize = 300;

/// A name with octal escapes for what cannot be printed.
pub(super) fn printable(name: &[u8], out: &mut Vec<u8>) {
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut b = [0; 4];
            let bytes = c.encode_utf8(&mut b).as_bytes();
            match c.is_control() {
                true => bytes.iter().for_each(|b| out.extend_from_slice(format!("\\{b:03o}").as_bytes())),
                false => out.extend_from_slice(bytes),
            }
        }
        chunk.invalid().iter().for_each(|b| out.extend_from_slice(format!("\\{b:03o}").as_bytes()));
    }
}

/// Control characters that occur in text.
fn plain(b: u8) -> bool {
    matches!(b, 7..=13 | 27 | 32..=126)
}

/// Whether all of it is ASCII text.
pub(super) fn is_ascii(d: &[u8]) -> bool {
    d.iter().all(|&b| plain(b))
}

struct Encoding {
    name: &'static str,
    charset: &'static str,
}

fn encoding(d: &[u8]) -> Option<Encoding> {
    let e = |name, charset| Some(Encoding { name, charset });
    if is_ascii(d) {
        return e("ASCII", "us-ascii");
    }
    let valid = match std::str::from_utf8(d) {
        Ok(_) => true,
        // What was cut off at the end of the part that is looked at is no fault.
        Err(err) => err.error_len().is_none() && d.len() >= super::LOOK - 4,
    };
    if valid && d.iter().all(|&b| plain(b) || b >= 0x80) {
        return match d.starts_with(b"\xef\xbb\xbf") {
            true => e("Unicode text, UTF-8 (with BOM)", "utf-8"),
            false => e("Unicode text, UTF-8", "utf-8"),
        };
    }
    if d.starts_with(b"\xff\xfe") || d.starts_with(b"\xfe\xff") {
        let little = d[0] == 0xff;
        let units = d[2..].chunks(2).filter(|c| c.len() == 2).map(|c| match little {
            true => u16::from(c[0]) | u16::from(c[1]) << 8,
            false => u16::from(c[0]) << 8 | u16::from(c[1]),
        });
        if units.clone().all(|u| u != 0xfffe && (u >= 128 || plain(u as u8) || u == 0x100)) {
            return match little {
                true => e("Unicode text, UTF-16, little-endian", "utf-16le"),
                false => e("Unicode text, UTF-16, big-endian", "utf-16be"),
            };
        }
        return None;
    }
    if d.iter().all(|&b| plain(b) || b >= 0xa0 || b == 0x85) {
        return e("ISO-8859", "iso-8859-1");
    }
    if d.iter().all(|&b| plain(b) || b >= 0x80) {
        return e("Non-ISO extended-ASCII", "unknown-8bit");
    }
    None
}

/// What a text is; `None` when it is no text.
pub(super) fn identify(d: &[u8]) -> Option<Found> {
    let encoding = encoding(d)?;
    if let Some((text, mime)) = whole(d) {
        return Some(Found { text: text.into(), mime, charset: encoding.charset });
    }
    let (language, executable, mime) = language(d);
    if language.as_deref() == Some("Perl script") {
        return Some(Found { text: "Perl script text executable".into(), mime, charset: encoding.charset });
    }
    let mut text = match &language {
        Some(l) => format!("{l}, {} text", encoding.name),
        None => format!("{} text", encoding.name),
    };
    if executable {
        text.push_str(" executable");
    }
    lines(d, &mut text);
    Some(Found { text, mime, charset: encoding.charset })
}

fn lines(d: &[u8], text: &mut String) {
    let wide = d.starts_with(b"\xff\xfe") || d.starts_with(b"\xfe\xff");
    let narrow: Vec<u8>;
    let d = if wide {
        narrow = d.iter().copied().filter(|b| *b != 0).collect();
        &narrow[..]
    } else {
        d
    };
    let (mut crlf, mut lf, mut cr, mut nel) = (0, 0, 0, 0);
    let utf8 = std::str::from_utf8(d).is_ok();
    let (mut longest, mut length) = (0, 0);
    let mut at = 0;
    while at < d.len() {
        match d[at] {
            b'\r' if d.get(at + 1) == Some(&b'\n') => {
                crlf += 1;
                at += 1;
                (longest, length) = (longest.max(length), 0);
            }
            b'\r' => {
                cr += 1;
                (longest, length) = (longest.max(length), 0);
            }
            b'\n' => {
                lf += 1;
                (longest, length) = (longest.max(length), 0);
            }
            0x85 if !utf8 => nel += 1,
            b if utf8 && b & 0xc0 == 0x80 => {}
            _ => length += 1,
        }
        at += 1;
    }
    longest = longest.max(length);
    if longest > LONG {
        text.push_str(&format!(", with very long lines ({longest})"));
    }
    if crlf + lf + cr + nel == 0 {
        text.push_str(", with no line terminators");
    } else if crlf + cr + nel > 0 {
        let kinds = [(crlf, "CRLF"), (cr, "CR"), (lf, "LF"), (nel, "NEL")];
        let names: Vec<&str> = kinds.iter().filter(|(n, _)| *n > 0).map(|(_, k)| *k).collect();
        text.push_str(&format!(", with {} line terminators", names.join(", ")));
    }
    if d.contains(&27) {
        text.push_str(", with escape sequences");
    }
    if d.contains(&8) {
        text.push_str(", with overstriking");
    }
}

/// Formats that are known from all of the text, or said without the encoding.
fn whole(d: &[u8]) -> Option<(&'static str, &'static str)> {
    let trimmed = d.trim_ascii_start();
    if trimmed.starts_with(b"-----BEGIN CERTIFICATE-----") {
        return Some(("PEM certificate", "text/plain"));
    }
    if trimmed.starts_with(b"-----BEGIN RSA PRIVATE KEY-----") {
        return Some(("PEM RSA private key", "text/plain"));
    }
    if trimmed.starts_with(b"-----BEGIN OPENSSH PRIVATE KEY-----") {
        return Some(("OpenSSH private key", "text/plain"));
    }
    if trimmed.starts_with(b"<svg") {
        return Some(("SVG Scalable Vector Graphics image", "image/svg+xml"));
    }
    if matches!(trimmed.first(), Some(b'{' | b'[')) {
        let mut at = 0;
        let mut values = 0;
        while let Some(end) = value(d, at, 0) {
            values += 1;
            at = end + blank(&d[end..]);
            if at >= d.len() {
                return Some(match values {
                    1 => ("JSON text data", "application/json"),
                    _ => ("New Line Delimited JSON text data", "application/x-ndjson"),
                });
            }
            if !d[end..at].contains(&b'\n') {
                break;
            }
        }
    }
    csv(d).then_some(("CSV text", "text/csv"))
}

fn blank(d: &[u8]) -> usize {
    d.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Passes over one JSON value; where it ends.
fn value(d: &[u8], at: usize, depth: usize) -> Option<usize> {
    if depth > 500 {
        return None;
    }
    let mut at = at + blank(d.get(at..)?);
    match *d.get(at)? {
        open @ (b'{' | b'[') => {
            let close = if open == b'{' { b'}' } else { b']' };
            at += 1;
            at += blank(&d[at..]);
            if d.get(at) == Some(&close) {
                return Some(at + 1);
            }
            loop {
                if open == b'{' {
                    at = string(d, at + blank(d.get(at..)?))?;
                    at += blank(d.get(at..)?);
                    if d.get(at) != Some(&b':') {
                        return None;
                    }
                    at += 1;
                }
                at = value(d, at, depth + 1)?;
                at += blank(d.get(at..)?);
                match d.get(at)? {
                    b',' => at += 1,
                    b if *b == close => return Some(at + 1),
                    _ => return None,
                }
            }
        }
        b'"' => string(d, at),
        b'-' | b'0'..=b'9' => {
            let n = d[at..].iter().take_while(|b| b.is_ascii_digit() || b"+-.eE".contains(b)).count();
            Some(at + n)
        }
        _ => [&b"true"[..], b"false", b"null"].iter().find(|w| d[at..].starts_with(w)).map(|w| at + w.len()),
    }
}

fn string(d: &[u8], at: usize) -> Option<usize> {
    if d.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        match d.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Three lines or more with the same number of commas.
fn csv(d: &[u8]) -> bool {
    let (mut commas, mut first, mut lines, mut quoted) = (0, None, 0, false);
    for &b in d {
        match b {
            b'"' => quoted = !quoted,
            b',' if !quoted => commas += 1,
            b'\n' if !quoted => {
                lines += 1;
                match first {
                    None if commas == 0 => return false,
                    None => first = Some(commas),
                    Some(n) if n != commas => return false,
                    Some(_) if lines == 10 => return true,
                    Some(_) => {}
                }
                commas = 0;
            }
            _ => {}
        }
    }
    first.is_some() && lines > 2
}

/// The language, whether it is "executable", and its MIME type.
fn language(d: &[u8]) -> (Option<String>, bool, &'static str) {
    let d = d.strip_prefix(b"\xef\xbb\xbf").unwrap_or(d);
    if let Some(rest) = d.strip_prefix(b"#!") {
        return script(rest);
    }
    let head = &d[..d.len().min(4096)];
    let trimmed = head.trim_ascii_start();
    let lower = trimmed.to_ascii_lowercase();
    let some = |text: &str, mime| (Some(text.to_owned()), false, mime);
    if lower.starts_with(b"<?xml") {
        let version = memchr::memmem::find(&lower, b"version=").and_then(|i| {
            let rest = &trimmed[i + 9..];
            Some(
                String::from_utf8_lossy(&rest[..rest.iter().position(|b| *b == b'"' || *b == b'\'')?])
                    .into_owned(),
            )
        });
        if memchr::memmem::find(&lower, b"<svg").is_some() {
            return some("SVG Scalable Vector Graphics image", "image/svg+xml");
        }
        return (Some(format!("XML {} document", version.unwrap_or("1.0".into()))), false, "text/xml");
    }
    let html = [&b"<!doctype html"[..], b"<html", b"<head", b"<title", b"<body"];
    if html.iter().any(|t| lower.starts_with(t)) {
        return some("HTML document", "text/html");
    }
    if lower.starts_with(b"<?php") {
        return some("PHP script", "text/x-php");
    }
    let lines = || head.split(|&b| b == b'\n');
    if trimmed.starts_with(b"diff ") || trimmed.starts_with(b"--- ") {
        let unified = lines().any(|l| l.starts_with(b"+++ ")) && lines().any(|l| l.starts_with(b"@@ "));
        if unified {
            return some("unified diff output", "text/x-diff");
        }
        if trimmed.starts_with(b"diff ") {
            return some("diff output", "text/x-diff");
        }
    }
    let word = |l: &[u8], w: &[u8]| l.trim_ascii_start().starts_with(w);
    if lines().any(|l| {
        l.trim_ascii_start().strip_prefix(b"#").is_some_and(|r| r.trim_ascii_start().starts_with(b"include"))
    }) {
        let plus = lines().any(|l| {
            word(l, b"class ")
                || word(l, b"template ")
                || word(l, b"template<")
                || word(l, b"namespace ")
                || word(l, b"using namespace")
                || word(l, b"virtual ")
                || word(l, b"public:")
                || word(l, b"private:")
        });
        return if plus { some("C++ source", "text/x-c++") } else { some("C source", "text/x-c") };
    }
    if lines().any(|l| l.starts_with(b"package ") && !l.contains(&b';'))
        && lines().any(|l| l.starts_with(b"func "))
    {
        return some("C source", "text/x-c");
    }
    let define = |l: &[u8]| {
        let l = l.trim_ascii();
        (l.starts_with(b"def ") || l.starts_with(b"class ")) && l.ends_with(b":") && l.contains(&b'(')
    };
    let from = |l: &[u8]| l.starts_with(b"from ") && memchr::memmem::find(l, b" import ").is_some();
    if lines().any(|l| define(l) || from(l)) {
        return (Some("Python script".into()), true, "text/x-script.python");
    }
    let target = |l: &[u8]| {
        let name = l.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_-.%$()".contains(b)).count();
        name > 0 && l.get(name) == Some(&b':') && l.get(name + 1) != Some(&b'=')
    };
    let all: Vec<&[u8]> = lines().take(100).collect();
    if all.windows(2).any(|w| target(w[0]) && w[1].starts_with(b"\t")) {
        return some("makefile script", "text/x-makefile");
    }
    (None, false, "text/plain")
}

fn script(rest: &[u8]) -> (Option<String>, bool, &'static str) {
    let line = rest.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii();
    let text = String::from_utf8_lossy(line).into_owned();
    let mut words = text.split_ascii_whitespace();
    let mut program = words.next().unwrap_or("");
    if program.ends_with("/env") {
        program = words.find(|w| !w.starts_with('-')).unwrap_or("");
    }
    let name = program.rsplit('/').next().unwrap_or("");
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let known = match base {
        "sh" | "dash" => Some(("POSIX shell script", "text/x-shellscript")),
        "bash" => Some(("Bourne-Again shell script", "text/x-shellscript")),
        "zsh" => Some(("Paul Falstad's zsh script", "text/x-shellscript")),
        "ksh" => Some(("Korn shell script", "text/x-shellscript")),
        "python" => Some(("Python script", "text/x-script.python")),
        "ruby" => Some(("Ruby script", "text/x-ruby")),
        "awk" => Some(("awk script", "text/x-awk")),
        "gawk" => Some(("GNU awk script", "text/x-gawk")),
        "perl" => Some(("Perl script", "text/x-perl")),
        "php" => Some(("PHP script", "text/x-php")),
        "lua" => Some(("Lua script", "text/x-lua")),
        "tclsh" => Some(("Tcl script", "text/x-tcl")),
        "make" => Some(("makefile script", "text/x-makefile")),
        _ => None,
    };
    match (known, base) {
        (Some((text, mime)), _) => (Some(text.into()), true, mime),
        (None, "node" | "nodejs") => {
            (Some("Node.js script executable".into()), false, "application/javascript")
        }
        (None, _) => (Some(format!("a {text} script")), true, "text/plain"),
    }
}
