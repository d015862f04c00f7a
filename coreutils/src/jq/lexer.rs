//! Tokens of a jq program. Strings are left to the parser, since filters stand inside them.

use super::val::Val;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A name, perhaps `module::name`.
    Ident(String),
    /// `.name`
    Field(String),
    /// `$name`
    Binding(String),
    /// `@name`
    Format(String),
    /// A number.
    Number(Number),
    /// An opening quote.
    Quote,
    /// An operator or punctuation.
    Op(&'static str),
    /// Something else.
    Invalid,
    /// The end.
    End,
}

/// A number literal.
#[derive(Debug, Clone)]
pub struct Number(pub Val);

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        super::val::equal(&self.0, &other.0)
    }
}

/// Words that are no function names.
pub const KEYWORDS: &[&str] = &[
    "def", "if", "then", "elif", "else", "end", "as", "reduce", "foreach", "try", "catch", "label", "import",
    "include", "and", "or", "__loc__", "module",
];

const OPERATORS: &[&str] = &[
    "?//=", "?//", "|=", "+=", "-=", "*=", "/=", "%=", "//=", "==", "!=", "<=", ">=", "//", "..", "?", "and",
    "or", ".", "[", "]", "{", "}", "(", ")", "|", ",", ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "$",
];

impl Token {
    /// The name that a syntax error gives it.
    pub fn name(&self) -> String {
        match self {
            Token::Ident(s) if KEYWORDS.contains(&s.as_str()) => s.clone(),
            Token::Ident(_) => "IDENT".into(),
            Token::Field(_) => "FIELD".into(),
            Token::Binding(_) => "BINDING".into(),
            Token::Format(_) => "FORMAT".into(),
            Token::Number(_) => "LITERAL".into(),
            Token::Quote => "QQSTRING_START".into(),
            Token::Op(o) if o.len() == 1 => format!("'{o}'"),
            Token::Op(o) => (*o).into(),
            Token::Invalid => "INVALID_CHARACTER".into(),
            Token::End => "end of file".into(),
        }
    }
}

fn name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn name_end(s: &[u8], mut i: usize) -> usize {
    loop {
        while i < s.len() && (s[i].is_ascii_alphanumeric() || s[i] == b'_') {
            i += 1;
        }
        if s[i.min(s.len())..].starts_with(b"::") && s.get(i + 2).is_some_and(|b| name_start(*b)) {
            i += 2;
            continue;
        }
        return i;
    }
}

fn text(s: &[u8]) -> String {
    String::from_utf8_lossy(s).into_owned()
}

/// Skips blanks and comments.
pub fn skip_space(s: &[u8], mut at: usize) -> usize {
    while let Some(&b) = s.get(at) {
        match b {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => {
                // A backslash before the line end continues the comment; an even number of them does not.
                while at < s.len() && s[at] != b'\n' {
                    at += if s[at] == b'\\' && at + 1 < s.len() { 2 } else { 1 };
                }
            }
            _ => break,
        }
    }
    at
}

/// The token at `at` and where it ends.
pub fn token(s: &[u8], at: usize) -> (Token, usize) {
    let Some(&b) = s.get(at) else { return (Token::End, at) };
    let next = s.get(at + 1).copied().unwrap_or(0);
    match b {
        b'"' => (Token::Quote, at + 1),
        b'.' if name_start(next) => {
            let mut end = at + 1;
            while end < s.len() && (s[end].is_ascii_alphanumeric() || s[end] == b'_') {
                end += 1;
            }
            (Token::Field(text(&s[at + 1..end])), end)
        }
        b'0'..=b'9' => number(s, at),
        b'.' if next.is_ascii_digit() => number(s, at),
        b'$' if name_start(next) => {
            let end = name_end(s, at + 1);
            (Token::Binding(text(&s[at + 1..end])), end)
        }
        b'@' if name_start(next) || next.is_ascii_digit() => {
            let mut end = at + 1;
            while end < s.len() && (s[end].is_ascii_alphanumeric() || s[end] == b'_') {
                end += 1;
            }
            (Token::Format(text(&s[at + 1..end])), end)
        }
        _ if name_start(b) => {
            let end = name_end(s, at);
            match &s[at..end] {
                b"and" => (Token::Op("and"), end),
                b"or" => (Token::Op("or"), end),
                name => (Token::Ident(text(name)), end),
            }
        }
        _ => match OPERATORS.iter().find(|o| s[at..].starts_with(o.as_bytes())) {
            Some(o) => (Token::Op(o), at + o.len()),
            None => (Token::Invalid, at + 1),
        },
    }
}

fn number(s: &[u8], at: usize) -> (Token, usize) {
    let mut i = at;
    while s.get(i).is_some_and(u8::is_ascii_digit) {
        i += 1;
    }
    if s.get(i) == Some(&b'.') {
        i += 1;
        while s.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
    }
    if matches!(s.get(i), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(s.get(i + 1), Some(b'+' | b'-')));
        if s.get(i + 1 + sign).is_some_and(u8::is_ascii_digit) {
            i += 1 + sign;
            while s.get(i).is_some_and(u8::is_ascii_digit) {
                i += 1;
            }
        }
    }
    match super::number::parse(&s[at..i]) {
        Some(v) => (Token::Number(Number(v)), i),
        None => (Token::Invalid, i),
    }
}
