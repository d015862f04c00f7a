//! JSON text to values. Strings are ranges of the input; members that the program cannot look at are checked and
//! skipped. Errors are explained by [`super::diagnose`], which reads the text again as jq's own parser does.

use super::{
    number,
    val::{Members, Str, Val, deep},
};
use bytes::Bytes;
use std::rc::Rc;

/// What of a value the program can look at.
#[derive(Debug, Clone, PartialEq)]
pub enum Need {
    /// All of it.
    All,
    /// If it is an object, these members only.
    Fields(Vec<(Box<[u8]>, Need)>),
}

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bad {
    /// The text ends within a value.
    Incomplete,
    /// It is not JSON.
    Invalid,
}

/// Nesting that jq's parser accepts.
pub const MAX_DEPTH: usize = 10_000;

/// Reads values from a buffer.
pub struct Parser<'a> {
    buf: &'a Rc<Bytes>,
    text: &'a [u8],
    /// Where it is.
    pub at: usize,
    depth: usize,
    last: bool,
    scratch: Vec<u8>,
}

impl<'a> Parser<'a> {
    /// Starts at `at`. `last` says that no text follows the buffer.
    pub fn new(buf: &'a Rc<Bytes>, at: usize, last: bool) -> Parser<'a> {
        Parser { buf, text: buf, at, depth: 0, last, scratch: Vec::new() }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// The next value of a stream; none at the end of the buffer.
    pub fn next(&mut self, need: &Need) -> Result<Option<Val>, Bad> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r' | 0x1e) = self.peek() {
            self.at += 1;
        }
        if self.peek().is_none() {
            return Ok(None);
        }
        self.value(need).map(Some)
    }

    fn value(&mut self, need: &Need) -> Result<Val, Bad> {
        match self.peek().ok_or(Bad::Incomplete)? {
            b'"' => self.string().map(Val::Str),
            b'{' => self.nested(|p| match need {
                Need::All => p.object(None),
                Need::Fields(f) => p.object(Some(f)),
            }),
            b'[' => self.nested(Parser::array),
            b't' => self.word(b"true").map(|()| Val::Bool(true)),
            b'f' => self.word(b"false").map(|()| Val::Bool(false)),
            b'n' if self.text[self.at..].starts_with(b"nan") => {
                self.word(b"nan").map(|()| Val::Num(f64::NAN))
            }
            b'n' => self.word(b"null").map(|()| Val::Null),
            b'0'..=b'9' | b'-' | b'.' | b'+' => self.number(),
            _ => Err(Bad::Invalid),
        }
    }

    fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> Result<R, Bad>) -> Result<R, Bad> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Bad::Invalid);
        }
        let r = if self.depth & 15 == 0 { deep(|| f(self)) } else { f(self) };
        self.depth -= 1;
        r
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Bad> {
        let rest = &self.text[self.at..];
        if rest.len() < word.len() {
            return Err(if word.starts_with(rest) && !self.last { Bad::Incomplete } else { Bad::Invalid });
        }
        if !rest.starts_with(word) {
            return Err(Bad::Invalid);
        }
        self.at += word.len();
        self.end_of_word()
    }

    fn end_of_word(&self) -> Result<(), Bad> {
        match self.peek() {
            None if self.last => Ok(()),
            None => Err(Bad::Incomplete),
            Some(b' ' | b'\n' | b'\t' | b'\r' | b',' | b']' | b'}' | b':' | b'[' | b'{' | b'"' | 0x1e) => {
                Ok(())
            }
            Some(_) => Err(Bad::Invalid),
        }
    }

    #[inline]
    fn number_text(&mut self) -> Result<&'a [u8], Bad> {
        let from = self.at;
        while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = self.peek() {
            self.at += 1;
        }
        self.end_of_word()?;
        Ok(&self.text[from..self.at])
    }

    fn number(&mut self) -> Result<Val, Bad> {
        let text = self.number_text()?;
        if text == b"-" && self.peek() == Some(b'n') {
            return Err(Bad::Invalid);
        }
        number::parse(text).ok_or(Bad::Invalid)
    }

    /// The bounds of the string whose opening quote is here, and whether it has escapes. Leaves `at` behind it.
    #[inline]
    fn string_bounds(&mut self) -> Result<(usize, usize, bool), Bad> {
        let from = self.at + 1;
        let mut i = from;
        let mut escapes = false;
        loop {
            // Most strings are short: a loop for the first bytes, then a vector search.
            let near = (i + 24).min(self.text.len());
            while i < near && self.text[i] != b'"' && self.text[i] != b'\\' {
                i += 1;
            }
            if i == near {
                match memchr::memchr2(b'"', b'\\', &self.text[i..]) {
                    Some(n) => i += n,
                    None => return Err(Bad::Incomplete),
                }
            }
            if self.text[i] == b'"' {
                self.at = i + 1;
                return Ok((from, i, escapes));
            }
            escapes = true;
            i += 2;
            if i > self.text.len() {
                return Err(Bad::Incomplete);
            }
        }
    }

    fn string(&mut self) -> Result<Str, Bad> {
        let (from, to, escapes) = self.string_bounds()?;
        if escapes {
            self.scratch.clear();
            let mut out = std::mem::take(&mut self.scratch);
            let ok = unescape(&self.text[from..to], &mut out);
            let s = Str::lossy(&out);
            self.scratch = out;
            return if ok { Ok(s) } else { Err(Bad::Invalid) };
        }
        let s = &self.text[from..to];
        if s.is_ascii() || std::str::from_utf8(s).is_ok() {
            return Ok(Str::slice(self.buf, from, to));
        }
        Ok(Str::lossy(s))
    }

    fn array(&mut self) -> Result<Val, Bad> {
        self.at += 1;
        let mut list = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(list.into());
        }
        loop {
            self.space();
            list.push(self.value(&Need::All)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(list.into());
                }
                None => return Err(Bad::Incomplete),
                _ => return Err(Bad::Invalid),
            }
        }
    }

    fn object(&mut self, fields: Option<&[(Box<[u8]>, Need)]>) -> Result<Val, Bad> {
        self.at += 1;
        let mut members = Members::with_capacity(fields.map_or(4, <[_]>::len));
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(members.into());
        }
        loop {
            self.space();
            match self.peek() {
                Some(b'"') => {}
                None => return Err(Bad::Incomplete),
                _ => return Err(Bad::Invalid),
            }
            match fields {
                None => {
                    let key = self.string()?;
                    self.colon()?;
                    let value = self.value(&Need::All)?;
                    members.insert(key, value);
                }
                Some(fields) => self.member(fields, &mut members)?,
            }
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(members.into());
                }
                None => return Err(Bad::Incomplete),
                _ => return Err(Bad::Invalid),
            }
        }
    }

    fn colon(&mut self) -> Result<(), Bad> {
        self.space();
        match self.peek() {
            Some(b':') => self.at += 1,
            None => return Err(Bad::Incomplete),
            _ => return Err(Bad::Invalid),
        }
        self.space();
        Ok(())
    }

    /// A member of which it is not known whether it is needed.
    fn member(&mut self, fields: &[(Box<[u8]>, Need)], members: &mut Members) -> Result<(), Bad> {
        let quote = self.at;
        let (from, to, escapes) = self.string_bounds()?;
        let wanted = if escapes {
            self.at = quote;
            let key = self.string()?;
            fields.iter().find(|f| *f.0 == *key.bytes())
        } else {
            fields.iter().find(|f| *f.0 == self.text[from..to])
        };
        self.colon()?;
        match wanted {
            Some((name, need)) => {
                let value = self.value(need)?;
                members.insert(Str::new(name), value);
                Ok(())
            }
            None => self.skip(),
        }
    }

    /// Passes over a value, checking its grammar.
    fn skip(&mut self) -> Result<(), Bad> {
        match self.peek().ok_or(Bad::Incomplete)? {
            b'"' => {
                let (from, to, escapes) = self.string_bounds()?;
                if escapes && !valid_escapes(&self.text[from..to]) {
                    return Err(Bad::Invalid);
                }
                Ok(())
            }
            b'{' => self.nested(|p| p.skip_list(b'}')),
            b'[' => self.nested(|p| p.skip_list(b']')),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' if self.text[self.at..].starts_with(b"nan") => self.word(b"nan"),
            b'n' => self.word(b"null"),
            b'0'..=b'9' | b'-' | b'.' | b'+' => {
                let text = self.number_text()?;
                let plain = text.iter().all(u8::is_ascii_digit);
                if plain || number::parse(text).is_some() { Ok(()) } else { Err(Bad::Invalid) }
            }
            _ => Err(Bad::Invalid),
        }
    }

    fn skip_list(&mut self, close: u8) -> Result<(), Bad> {
        self.at += 1;
        self.space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            if close == b'}' {
                match self.peek() {
                    Some(b'"') => self.skip()?,
                    None => return Err(Bad::Incomplete),
                    _ => return Err(Bad::Invalid),
                }
                self.colon()?;
            }
            self.skip()?;
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b) if b == close => {
                    self.at += 1;
                    return Ok(());
                }
                None => return Err(Bad::Incomplete),
                _ => return Err(Bad::Invalid),
            }
        }
    }
}

fn hex4(s: &[u8]) -> Option<u32> {
    let s = s.get(..4)?;
    s.iter().try_fold(0, |n, b| Some(n * 16 + (*b as char).to_digit(16)?))
}

fn valid_escapes(s: &[u8]) -> bool {
    let mut i = 0;
    while let Some(n) = memchr::memchr(b'\\', &s[i..]) {
        i += n + 1;
        match s.get(i) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => i += 1,
            Some(b'u') if hex4(&s[i + 1..]).is_some() => i += 5,
            _ => return false,
        }
    }
    true
}

/// Decodes the escapes of a string's inside; false if one is invalid. Lone surrogates become U+FFFD.
pub fn unescape(s: &[u8], out: &mut Vec<u8>) -> bool {
    let mut i = 0;
    loop {
        let Some(n) = memchr::memchr(b'\\', &s[i..]) else {
            out.extend_from_slice(&s[i..]);
            return true;
        };
        out.extend_from_slice(&s[i..i + n]);
        i += n + 1;
        let c = match s.get(i) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b @ (b'"' | b'\\' | b'/')) => *b,
            Some(b'u') => {
                let Some(mut code) = hex4(&s[i + 1..]) else { return false };
                i += 5;
                if (0xd800..0xdc00).contains(&code)
                    && s[i..].starts_with(b"\\u")
                    && let Some(low @ 0xdc00..0xe000) = hex4(&s[i + 2..])
                {
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    i += 6;
                }
                let c = char::from_u32(code).unwrap_or('\u{fffd}');
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            _ => return false,
        };
        out.push(c);
        i += 1;
    }
}

/// One value that is the whole text (`fromjson`, `--argjson`); else the message.
pub fn parse_one(text: &[u8]) -> Result<Val, String> {
    let buf = Rc::new(Bytes::copy_from_slice(text));
    let start = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut p = Parser::new(&buf, start, true);
    match p.next(&Need::All) {
        Ok(Some(v)) => match p.next(&Need::All) {
            Ok(None) => Ok(v),
            Ok(Some(_)) => Err("Unexpected extra JSON values".into()),
            Err(_) => Err(super::diagnose::explain(&text[start..], 1, 0)),
        },
        Ok(None) => Err("Expected JSON value".into()),
        Err(_) => Err(super::diagnose::explain(&text[start..], 1, 0)),
    }
}
