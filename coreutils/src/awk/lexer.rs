//! Program text to tokens. Whether a slash divides or begins a regular expression follows from the token before it.

use super::ast::{Builtin, Place};

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub enum Tok {
    /// A number.
    Num(f64),
    /// A string, escapes resolved.
    Str(Vec<u8>),
    /// A regular expression, as written between the slashes.
    Regex(Vec<u8>),
    /// `@/re/`.
    TypedRegex(Vec<u8>),
    /// A name.
    Name(String),
    /// A name with `(` right after it.
    Call(String),
    /// A built-in function.
    Builtin(Builtin),
    /// A keyword.
    Word(&'static str),
    /// An operator or punctuation.
    Op(&'static str),
    /// A line end.
    Newline,
    /// The end of all text.
    End,
}

/// A token with its place.
#[derive(Debug, Clone)]
pub struct Token {
    /// What it is.
    pub tok: Tok,
    /// Source and line.
    pub place: Place,
    /// Byte offset in its source.
    pub at: usize,
}

/// A fault in the text.
#[derive(Debug, Clone)]
pub struct Fault {
    /// What is wrong.
    pub text: String,
    /// Where.
    pub place: Place,
    /// The byte that the caret points at; `None` for a message without a picture.
    pub at: Option<usize>,
    /// Whether it is `fatal:` (status 2) and not a syntax error (status 1).
    pub fatal: bool,
}

const WORDS: &[&str] = &[
    "BEGIN",
    "BEGINFILE",
    "END",
    "ENDFILE",
    "break",
    "case",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "exit",
    "for",
    "function",
    "getline",
    "if",
    "in",
    "next",
    "nextfile",
    "print",
    "printf",
    "return",
    "switch",
    "while",
];

const OPS: &[&str] = &[
    "**=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", "==", "<=", ">=", "!=", "!~",
    ">>", "|&", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|",
    "?", ":", "~", "$", "=", "@",
];

/// Lexes one source; warnings about escapes are added to `warnings`.
pub fn lex(text: &[u8], source: u16, warnings: &mut Vec<(Place, String)>) -> Result<Vec<Token>, Fault> {
    let mut lexer = Lexer { text, at: 0, place: Place { source, line: 1 }, tokens: Vec::new(), warnings };
    lexer.run()?;
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    place: Place,
    tokens: Vec<Token>,
    warnings: &'a mut Vec<(Place, String)>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, tok: Tok, at: usize) {
        self.tokens.push(Token { tok, place: self.place, at });
    }

    fn fault(&self, text: &str, at: usize) -> Fault {
        Fault { text: text.into(), place: self.place, at: Some(at), fatal: false }
    }

    /// Whether a slash here divides: the token before ends an operand.
    fn after_operand(&self) -> bool {
        match self.tokens.last().map(|t| &t.tok) {
            Some(Tok::Num(_) | Tok::Str(_) | Tok::Name(_) | Tok::Regex(_) | Tok::TypedRegex(_)) => true,
            Some(Tok::Builtin(_)) => true,
            Some(Tok::Op(op)) => matches!(*op, ")" | "]" | "$" | "++" | "--"),
            _ => false,
        }
    }

    fn run(&mut self) -> Result<(), Fault> {
        while self.at < self.text.len() {
            let start = self.at;
            match self.text[start] {
                b' ' | b'\t' | b'\r' | 0x0c => self.at += 1,
                b'\n' => {
                    self.push(Tok::Newline, start);
                    self.at += 1;
                    self.place.line += 1;
                }
                b'#' => {
                    self.at =
                        memchr::memchr(b'\n', &self.text[start..]).map_or(self.text.len(), |i| start + i);
                }
                b'\\' if self.peek(1) == b'\n' => {
                    self.at += 2;
                    self.place.line += 1;
                }
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => {
                    self.at += 3;
                    self.place.line += 1;
                }
                b'\\' => return Err(self.fault("backslash not last character on line", start)),
                b'"' => {
                    let s = self.string(start)?;
                    self.push(Tok::Str(s), start);
                }
                b'/' if !self.after_operand() => {
                    self.at += 1;
                    let r = self.regex(start)?;
                    self.push(Tok::Regex(r), start);
                }
                b'@' if self.peek(1) == b'/' => {
                    self.at += 2;
                    let r = self.regex(start)?;
                    self.push(Tok::TypedRegex(r), start);
                }
                b'0'..=b'9' => self.number(start),
                b'.' if self.peek(1).is_ascii_digit() => self.number(start),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(start),
                b => match OPS.iter().find(|op| self.text[start..].starts_with(op.as_bytes())) {
                    Some(op) => {
                        self.at += op.len();
                        let op = match *op {
                            "**" => "^",
                            "**=" => "^=",
                            op => op,
                        };
                        self.push(Tok::Op(op), start);
                    }
                    None => {
                        let text = match b {
                            0x21..=0x7e => format!("invalid char '{}' in expression", b as char),
                            _ => format!("invalid char '\\{b:o}' in expression"),
                        };
                        return Err(self.fault(&text, start));
                    }
                },
            }
        }
        Ok(())
    }

    fn name(&mut self, start: usize) {
        let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let end = |from: usize| {
            self.text[from..].iter().position(|b| !word(b)).map_or(self.text.len(), |i| from + i)
        };
        let mut stop = end(start);
        if self.text[stop..].starts_with(b"::") && self.text.get(stop + 2).is_some_and(word) {
            stop = end(stop + 2);
        }
        let text = String::from_utf8_lossy(&self.text[start..stop]).into_owned();
        self.at = stop;
        let text = text.strip_prefix("awk::").map_or(text.clone(), str::to_string);
        let text = if text == "func" { "function".to_string() } else { text };
        let tok = if let Some(w) = WORDS.iter().find(|w| **w == text) {
            Tok::Word(w)
        } else if let Some(b) = Builtin::named(&text) {
            Tok::Builtin(b)
        } else if self.peek(0) == b'(' {
            Tok::Call(text)
        } else {
            Tok::Name(text)
        };
        self.push(tok, start);
    }

    fn number(&mut self, start: usize) {
        let t = &self.text[start..];
        if t[0] == b'0'
            && matches!(t.get(1), Some(b'x' | b'X'))
            && t.get(2).is_some_and(u8::is_ascii_hexdigit)
        {
            let n = t[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
            let value = t[2..2 + n].iter().fold(0.0, |v, b| v * 16.0 + hex(*b) as f64);
            self.at = start + 2 + n;
            return self.push(Tok::Num(value), start);
        }
        let digits = |from: usize| t[from.min(t.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        let whole = digits(0);
        let mut end = whole;
        if t.get(end) == Some(&b'.') {
            end += 1 + digits(end + 1);
        }
        if matches!(t.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(t.get(end + 1), Some(b'+' | b'-')));
            let n = digits(end + 1 + sign);
            if n > 0 {
                end += 1 + sign + n;
            }
        }
        let octal = end == whole && whole > 1 && t[0] == b'0' && t[..whole].iter().all(|b| *b < b'8');
        let value = match octal {
            true => t[..whole].iter().fold(0.0, |v, b| v * 8.0 + f64::from(b - b'0')),
            false => fast_float2::parse(&t[..end]).unwrap_or(0.0),
        };
        self.at = start + end;
        self.push(Tok::Num(value), start);
    }

    fn regex(&mut self, start: usize) -> Result<Vec<u8>, Fault> {
        let first = self.at;
        let mut out = Vec::new();
        let mut bracket = None;
        loop {
            let b = self.peek(0);
            if self.at >= self.text.len() {
                return Err(self.fault("unterminated regexp", start + 1));
            }
            match b {
                b'\n' => return Err(self.fault("unterminated regexp", start + 1)),
                b'\\' if self.at + 1 < self.text.len() => {
                    let next = self.peek(1);
                    self.at += 2;
                    match next {
                        b'/' => out.push(b'/'),
                        b'\n' => self.place.line += 1,
                        _ => out.extend_from_slice(&[b'\\', next]),
                    }
                    continue;
                }
                b'[' if bracket.is_none() => bracket = Some(self.at),
                b'[' if matches!(self.peek(1), b':' | b'.' | b'=') => {
                    // A class within brackets: its closing bracket is not the list's.
                    let kind = self.peek(1);
                    let rest = &self.text[self.at + 2..];
                    if let Some(i) = rest.windows(2).position(|w| w == [kind, b']'])
                        && !rest[..i].contains(&b'\n')
                    {
                        out.extend_from_slice(&self.text[self.at..self.at + i + 4]);
                        self.at += i + 4;
                        continue;
                    }
                }
                b']' => {
                    if let Some(open) = bracket {
                        let inside = &self.text[open + 1..self.at];
                        if !inside.is_empty() && inside != b"^" {
                            bracket = None;
                        }
                    }
                }
                b'/' if bracket.is_none() => {
                    self.at += 1;
                    return Ok(out);
                }
                b'/' if !self.closes_later(first) => {
                    self.at += 1;
                    return Ok(out);
                }
                _ => {}
            }
            out.push(b);
            self.at += 1;
        }
    }

    /// Whether the bracket list that is open here is closed, and the expression ended, on this line.
    fn closes_later(&self, _first: usize) -> bool {
        let line = self.text[self.at + 1..].split(|b| *b == b'\n').next().unwrap_or(b"");
        match memchr::memchr(b']', line) {
            Some(i) => line[i..].contains(&b'/'),
            None => false,
        }
    }

    fn string(&mut self, start: usize) -> Result<Vec<u8>, Fault> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            if self.at >= self.text.len() || self.text[self.at] == b'\n' {
                return Err(self.fault("unterminated string", start));
            }
            let b = self.text[self.at];
            self.at += 1;
            match b {
                b'"' => return Ok(out),
                b'\\' => {
                    let mut lines = 0;
                    let place = self.place;
                    let warnings = &mut *self.warnings;
                    let used = escape(&self.text[self.at..], &mut out, &mut lines, &mut |w| {
                        warnings.push((place, w))
                    });
                    self.at += used;
                    self.place.line += lines;
                }
                b => out.push(b),
            }
        }
    }
}

fn hex(b: u8) -> u32 {
    (b as char).to_digit(16).unwrap_or(0)
}

/// Resolves the escape whose text after the backslash is `rest`; how many of its bytes were used.
fn escape(rest: &[u8], out: &mut Vec<u8>, lines: &mut u32, warn: &mut dyn FnMut(String)) -> usize {
    let Some(&b) = rest.first() else {
        out.push(b'\\');
        return 0;
    };
    let plain = match b {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'"' | b'\\' => b,
        b'\n' => {
            *lines += 1;
            return 1;
        }
        b'0'..=b'7' => {
            let n = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            out.push(rest[..n].iter().fold(0u32, |v, b| v * 8 + u32::from(b - b'0')) as u8);
            return n;
        }
        b'x' => {
            let n = rest[1..].iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
            if n == 0 {
                warn("no hex digits in `\\x' escape sequence".into());
                out.push(b'x');
                return 1;
            }
            out.push(rest[1..=n].iter().fold(0, |v, b| v * 16 + hex(*b)) as u8);
            return 1 + n;
        }
        _ => {
            let c = String::from_utf8_lossy(&rest[..1]).into_owned();
            warn(format!("escape sequence `\\{c}' treated as plain `{c}'"));
            b
        }
    };
    out.push(plain);
    1
}

/// Resolves escapes in the value of `-v` and of `var=value` operands.
pub fn resolve_escapes(text: &[u8], warn: &mut dyn FnMut(String)) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while i < text.len() {
        let b = text[i];
        i += 1;
        if b == b'\\' {
            i += escape(&text[i..], &mut out, &mut 0, warn);
        } else {
            out.push(b);
        }
    }
    out
}
