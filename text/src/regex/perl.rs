//! Perl's dialect (`grep -P`) and Oniguruma's (jq), by a backtracker that hands the easy patterns to automata.

use super::{Engine, Flags, Inner, Regex, RegexError, Syntax};
use fancy_regex::{BytesMode, RegexBuilder};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Steps that one search may take.
const LIMIT: usize = 10_000_000;

/// The backtracker for a POSIX pattern with back-references.
pub(super) fn backtracker(
    pattern: &str,
    flags: &Flags,
) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    RegexBuilder::new(pattern)
        .case_insensitive(flags.icase)
        .bytes_mode(BytesMode::UnicodeBytes)
        .leftmost_longest(true)
        .backtrack_limit(LIMIT)
        .build()
        .map_err(Box::new)
}

pub(super) fn compile(patterns: &[&[u8]], syntax: Syntax, flags: Flags) -> Result<Regex, RegexError> {
    let mut text = String::new();
    for (i, p) in patterns.iter().enumerate() {
        let p = std::str::from_utf8(p).map_err(|_| RegexError("invalid UTF-8 in pattern".to_owned()))?;
        if i > 0 {
            text.push('|');
        }
        let p = if syntax == Syntax::Perl { ascii_classes(p) } else { p.to_owned() };
        if patterns.len() > 1 { text.push_str(&format!("(?:{p})")) } else { text.push_str(&p) }
    }
    if flags.line {
        text = format!("^(?:{text})$");
    } else if flags.word {
        text = format!("(?<!\\w)(?:{text})(?!\\w)");
    }
    let built = RegexBuilder::new(&text)
        .case_insensitive(flags.icase)
        .multi_line(flags.multiline)
        .dot_matches_new_line(flags.dot_all)
        .ignore_whitespace(flags.extended)
        .bytes_mode(BytesMode::UnicodeBytes)
        .oniguruma_mode(syntax == Syntax::Oniguruma)
        .backtrack_limit(LIMIT)
        .build()
        .map_err(|e| RegexError(message(&text, &e)))?;
    let names: Vec<Option<String>> = built.capture_names().map(|n| n.map(str::to_owned)).collect();
    Ok(Regex(Arc::new(Inner {
        flags,
        groups: built.captures_len().saturating_sub(1),
        names,
        required: Vec::new(),
        warnings: Vec::new(),
        exhausted: AtomicBool::new(false),
        engine: Engine::Backtrack(Box::new(built)),
    })))
}

/// PCRE's words for the commonest mistakes.
fn message(pattern: &str, e: &fancy_regex::Error) -> String {
    let text = e.to_string();
    let (open, close) = balance(pattern);
    if ["unclosed character class", "InvalidClass", "Invalid character class"]
        .iter()
        .any(|t| text.contains(t))
    {
        "missing terminating ] for character class".to_owned()
    } else if text.contains("Backslash without following character") {
        "\\ at end of pattern".to_owned()
    } else if open > close {
        "missing closing parenthesis".to_owned()
    } else if close > open {
        "unmatched closing parenthesis".to_owned()
    } else if text.contains("repetition operator missing") || text.contains("Target of repeat operator") {
        "quantifier does not follow a repeatable item".to_owned()
    } else if text.contains("invalid repetition count range") {
        "numbers out of order in {} quantifier".to_owned()
    } else {
        text.lines().last().unwrap_or(&text).trim().to_owned()
    }
}

/// How many parentheses open and close, outside brackets.
fn balance(pattern: &str) -> (usize, usize) {
    let (mut open, mut close, mut bracket) = (0, 0, false);
    let mut bytes = pattern.bytes();
    while let Some(b) = bytes.next() {
        match b {
            b'\\' => {
                bytes.next();
            }
            b'[' => bracket = true,
            b']' => bracket = false,
            b'(' if !bracket => open += 1,
            b')' if !bracket => close += 1,
            _ => {}
        }
    }
    (open, close)
}

/// Spells out `\d`, `\w` and `\s`, which in PCRE without `(*UCP)` know ASCII only.
fn ascii_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut bracket = false;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let Some(next) = chars.next() else {
                    out.push('\\');
                    break;
                };
                let inner = match next.to_ascii_lowercase() {
                    'd' => "0-9",
                    'w' => "A-Za-z0-9_",
                    's' => "\\t-\\r ",
                    'h' => "\\t ",
                    _ => {
                        out.push('\\');
                        out.push(next);
                        if next == 'Q' {
                            // Up to \E everything stands for itself.
                            out.truncate(out.len() - 2);
                            let mut quoted = String::new();
                            while let Some(c) = chars.next() {
                                if c == '\\' && chars.peek() == Some(&'E') {
                                    chars.next();
                                    break;
                                }
                                quoted.push(c);
                            }
                            out.push_str(&regex_syntax::escape(&quoted));
                        }
                        continue;
                    }
                };
                let negated = next.is_ascii_uppercase();
                match (bracket, negated) {
                    (true, false) => out.push_str(inner),
                    (_, true) => out.push_str(&format!("[^{inner}]")),
                    (false, false) => out.push_str(&format!("[{inner}]")),
                }
            }
            '[' if !bracket => {
                bracket = true;
                out.push('[');
                if chars.peek() == Some(&'^') {
                    out.push('^');
                    chars.next();
                }
                if chars.peek() == Some(&']') {
                    out.push_str("\\]");
                    chars.next();
                }
            }
            '[' if chars.peek() == Some(&':') => {
                out.push('[');
                // A POSIX class: up to its own bracket.
                for c in chars.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            '[' => out.push_str("\\["),
            '&' | '~' if bracket => {
                out.push('\\');
                out.push(c);
            }
            ']' => {
                bracket = false;
                out.push(']');
            }
            _ => out.push(c),
        }
    }
    out
}
