//! The reading head: position, line counting, blanks and comments, operators, alias splicing, and the errors that
//! quote what stands here. All other files of the parser are methods of [`Cursor`] too, one file per construct.

use super::ir::*;
use super::names;
use bytes::Bytes;
use std::collections::HashSet;
use std::sync::Arc;

/// What parsing a construct gives; the error is boxed to keep the happy path small.
pub(super) type Parsed<T> = Result<T, Box<SyntaxError>>;

/// How deep constructs may nest, whatever the stack has left.
const MAX_DEPTH: u32 = 2000;
/// Stack that must remain for one more level (unoptimised builds use some kilobytes per level).
const MIN_STACK: usize = 160 << 10;
/// Bytes that alias expansion may copy while one script is parsed.
const ALIAS_FUEL: usize = 2 << 30;

/// The options of the shell that change how text is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub extglob: bool,
    pub comments: bool,
}

/// A here-document whose body has not been reached yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub doc: Arc<HereDoc>,
    pub quoted: bool,
}

/// An alias that is being expanded: until only `remaining` bytes are left it is not expanded again.
#[derive(Clone, Debug)]
struct Expanding {
    name: Bytes,
    remaining: usize,
}

/// The look-up of an alias by its name.
pub type AliasLookup<'a> = &'a dyn Fn(&[u8]) -> Option<Bytes>;

/// The reading head of a parse.
pub(super) struct Cursor<'a> {
    pub text: Bytes,
    pub pos: usize,
    /// Newlines before `line_pos` are counted in `line`.
    line: LineNo,
    line_pos: usize,
    pub opts: Options,
    pub aliases: Option<AliasLookup<'a>>,
    expanding: Vec<Expanding>,
    /// The word that begins when this many bytes or fewer remain is looked up too: the alias before it ended in a blank.
    alias_next: Option<usize>,
    alias_fuel: usize,
    pub pending: Vec<Pending>,
    pub warnings: Vec<(LineNo, Bytes)>,
    depth: u32,
    /// Places (in bytes from the end) where `((` turned out not to be arithmetic.
    pub not_arith: HashSet<usize>,
    /// What ends the innermost substitution that is being read: its end of file is reported as a missing `)`.
    pub closer: Option<u8>,
    /// The text is a here-document's or the like, in which `$'` is nothing special.
    pub in_text: bool,
}

/// What is needed to go back to a place.
pub(super) struct Mark {
    text: Bytes,
    pos: usize,
    line: LineNo,
    line_pos: usize,
    pending: Vec<Pending>,
    expanding: Vec<Expanding>,
    alias_next: Option<usize>,
    warnings: usize,
    depth: u32,
    closer: Option<u8>,
    in_text: bool,
}

/// Classes of bytes in an unquoted word.
pub(super) const PLAIN: u8 = 0;
/// Ends a word.
pub(super) const META: u8 = 1;
/// Quotes, `$`, backquote, backslash.
pub(super) const SPECIAL: u8 = 2;
/// `*`, `?`, `[`
pub(super) const GLOB: u8 = 3;
/// `{`
pub(super) const BRACE: u8 = 4;
/// `~`
pub(super) const TILDE: u8 = 5;

/// The class of each byte; the end of the text reads as 0.
pub(super) static CLASS: [u8; 256] = {
    let mut t = [PLAIN; 256];
    let mut i = 0;
    let meta = b"\0 \t\n;&|<>()";
    while i < meta.len() {
        t[meta[i] as usize] = META;
        i += 1;
    }
    let special = b"$`'\"\\";
    i = 0;
    while i < special.len() {
        t[special[i] as usize] = SPECIAL;
        i += 1;
    }
    t[b'*' as usize] = GLOB;
    t[b'?' as usize] = GLOB;
    t[b'[' as usize] = GLOB;
    t[b'{' as usize] = BRACE;
    t[b'~' as usize] = TILDE;
    t
};

/// May begin a name.
pub fn name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

/// May stand in a name.
pub fn name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// The length of the name at the start of `text`, 0 if there is none.
pub fn name_len(text: &[u8]) -> usize {
    match text.first() {
        Some(&b) if name_start(b) => text.iter().position(|&b| !name_byte(b)).unwrap_or(text.len()),
        _ => 0,
    }
}

impl<'a> Cursor<'a> {
    pub fn new(
        text: Bytes,
        pos: usize,
        line: LineNo,
        opts: Options,
        aliases: Option<AliasLookup<'a>>,
    ) -> Cursor<'a> {
        Cursor {
            text,
            pos,
            line,
            line_pos: pos,
            opts,
            aliases,
            expanding: Vec::new(),
            alias_next: None,
            alias_fuel: ALIAS_FUEL,
            pending: Vec::new(),
            warnings: Vec::new(),
            depth: 0,
            not_arith: HashSet::new(),
            closer: None,
            in_text: false,
        }
    }

    /// A cursor over other text that is part of the same script: same options, same depth.
    pub fn nested(&self, text: Bytes, line: LineNo) -> Cursor<'a> {
        let mut c = Cursor::new(text, 0, line, self.opts, None);
        c.depth = self.depth;
        c
    }

    // Bytes.

    /// The byte here, 0 at the end (scripts hold no NUL: it is removed before).
    #[inline]
    pub fn peek(&self) -> u8 {
        self.text.get(self.pos).copied().unwrap_or(0)
    }

    /// The byte `n` places on.
    #[inline]
    pub fn peek_at(&self, n: usize) -> u8 {
        self.text.get(self.pos + n).copied().unwrap_or(0)
    }

    #[inline]
    pub fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    #[inline]
    pub fn remaining(&self) -> usize {
        self.text.len().saturating_sub(self.pos)
    }

    #[inline]
    pub fn starts_with(&self, s: &[u8]) -> bool {
        self.text.get(self.pos..).is_some_and(|t| t.starts_with(s))
    }

    pub fn slice(&self, start: usize, end: usize) -> Bytes {
        self.text.slice(start.min(end)..end.min(self.text.len()))
    }

    // Lines.

    /// The line number at `pos`.
    pub fn line_at(&mut self, pos: usize) -> LineNo {
        if pos > self.line_pos {
            let end = pos.min(self.text.len());
            self.line += memchr::memchr_iter(b'\n', &self.text[self.line_pos..end]).count() as LineNo;
            self.line_pos = end;
            self.line
        } else {
            let before = memchr::memchr_iter(b'\n', &self.text[pos..self.line_pos]).count() as LineNo;
            self.line.saturating_sub(before)
        }
    }

    /// The line number here.
    pub fn line(&mut self) -> LineNo {
        self.line_at(self.pos)
    }

    /// The line on which bash finds the end of the text: beyond the last one.
    pub fn end_line(&mut self) -> LineNo {
        let n = self.line_at(self.text.len());
        if self.text.ends_with(b"\n") { n } else { n + 1 }
    }

    // Depth.

    /// Goes one level deeper; each construct that can hold itself passes here. Pair with [`Cursor::leave`].
    pub fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH || stacker::remaining_stack().is_some_and(|s| s < MIN_STACK) {
            return Err(self.error("syntax error: constructs are nested too deeply"));
        }
        Ok(())
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    pub fn mark(&self) -> Mark {
        Mark {
            text: self.text.clone(),
            pos: self.pos,
            line: self.line,
            line_pos: self.line_pos,
            pending: self.pending.clone(),
            expanding: self.expanding.clone(),
            alias_next: self.alias_next,
            warnings: self.warnings.len(),
            depth: self.depth,
            closer: self.closer,
            in_text: self.in_text,
        }
    }

    pub fn reset(&mut self, m: Mark) {
        self.text = m.text;
        self.pos = m.pos;
        self.line = m.line;
        self.line_pos = m.line_pos;
        self.pending = m.pending;
        self.expanding = m.expanding;
        self.alias_next = m.alias_next;
        self.warnings.truncate(m.warnings);
        self.depth = m.depth;
        self.closer = m.closer;
        self.in_text = m.in_text;
    }

    // Blanks.

    /// Skips blanks, continued lines and a comment.
    #[inline]
    pub fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.pos += 2,
                b'#' if self.opts.comments => {
                    let rest = &self.text[self.pos..];
                    self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Consumes the newline here and the here-documents that follow it.
    pub fn newline(&mut self) {
        self.pos += 1;
        if !self.pending.is_empty() {
            self.read_here_docs();
        }
    }

    /// Skips blanks, comments and newlines.
    pub fn skip_newlines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != b'\n' {
                return;
            }
            self.newline();
        }
    }

    /// The second byte of an operator that begins here, across a continued line.
    pub fn operator_next(&self, mut n: usize) -> (u8, usize) {
        while self.peek_at(n) == b'\\' && self.peek_at(n + 1) == b'\n' {
            n += 2;
        }
        (self.peek_at(n), n)
    }

    // Plain words, for reserved words and aliases.

    /// The end of the word here if it is made of plain bytes only (`!`, `{`, `}`, `[` count as plain).
    pub fn plain_end(&self) -> Option<usize> {
        let mut i = self.pos;
        loop {
            let b = self.text.get(i).copied().unwrap_or(0);
            match CLASS[b as usize] {
                PLAIN | BRACE | GLOB => i += 1,
                META => return (i > self.pos).then_some(i),
                _ => return None,
            }
        }
    }

    /// The plain word here.
    pub fn plain_word(&self) -> Option<&[u8]> {
        self.plain_end().map(|e| &self.text[self.pos..e])
    }

    /// Whether the plain word here is `w`.
    #[inline]
    pub fn at_word(&self, w: &[u8]) -> bool {
        w.first() == Some(&self.peek())
            && CLASS[self.peek_at(w.len()) as usize] == META
            && self.starts_with(w)
    }

    // Aliases.

    /// Puts the value of the alias that stands here in its place. `true` if it did: blanks must be skipped again.
    pub fn expand_alias(&mut self) -> Parsed<bool> {
        let Some(lookup) = self.aliases else { return Ok(false) };
        let Some(end) = self.alias_word_end() else { return Ok(false) };
        let left = self.remaining();
        self.expanding.retain(|e| left > e.remaining);
        let name = self.slice(self.pos, end);
        if self.expanding.iter().any(|e| e.name == name) {
            return Ok(false);
        }
        let Some(value) = lookup(&name) else { return Ok(false) };
        if self.alias_fuel < self.text.len() {
            return Err(self.error("syntax error: alias expansion takes too long"));
        }
        self.alias_fuel -= self.text.len();
        self.line();
        let rest = self.text.len() - end;
        let mut text = Vec::with_capacity(self.text.len() + value.len());
        text.extend_from_slice(&self.text[..self.pos]);
        text.extend_from_slice(&value);
        text.extend_from_slice(&self.text[end..]);
        self.text = text.into();
        self.expanding.push(Expanding { name, remaining: rest });
        if matches!(value.last(), Some(b' ' | b'\t')) {
            self.alias_next = Some(rest);
        }
        Ok(true)
    }

    /// The end of the word here if it may be an alias: no quotes, no expansions.
    fn alias_word_end(&self) -> Option<usize> {
        let mut i = self.pos;
        loop {
            let b = self.text.get(i).copied().unwrap_or(0);
            match CLASS[b as usize] {
                META => return (i > self.pos).then_some(i),
                SPECIAL => return None,
                _ => i += 1,
            }
        }
    }

    /// Expands an argument that follows an alias which ends in a blank.
    pub fn expand_alias_argument(&mut self) -> Parsed<()> {
        while let Some(mark) = self.alias_next {
            if self.remaining() > mark {
                return Ok(());
            }
            self.alias_next = None;
            while self.expand_alias()? {
                self.skip_blanks();
            }
        }
        Ok(())
    }

    // Names.

    /// Interns a name; a full table is an error of the script.
    pub fn intern(&mut self, text: &[u8]) -> Parsed<Name> {
        names::try_intern(text).ok_or_else(|| self.error("too many names"))
    }

    // Errors.

    /// An error with `message` at this line.
    #[cold]
    pub fn error(&mut self, message: impl Into<String>) -> Box<SyntaxError> {
        let line = self.line();
        Box::new(SyntaxError { line, message: message.into(), ..Default::default() })
    }

    /// `unexpected EOF while looking for matching …`
    #[cold]
    pub fn unmatched(&mut self, close: u8, line: LineNo) -> Box<SyntaxError> {
        let message = format!("unexpected EOF while looking for matching `{}'", close as char);
        Box::new(SyntaxError { line, message, at_end: true, ..Default::default() })
    }

    /// The end of the text where a command is not finished.
    #[cold]
    pub fn unexpected_end(&mut self) -> Box<SyntaxError> {
        if !self.pending.is_empty() {
            self.read_here_docs();
        }
        let line = self.end_line();
        match self.closer {
            Some(c) => self.unmatched(c, line),
            None => Box::new(SyntaxError {
                line,
                message: "syntax error: unexpected end of file".into(),
                at_end: true,
                ..Default::default()
            }),
        }
    }

    /// The same where no newline may stand, not even the one that the end of the text stands for.
    #[cold]
    pub fn unexpected_in_line(&mut self) -> Box<SyntaxError> {
        self.skip_blanks();
        if self.at_end() { self.near(b"newline", self.pos) } else { self.unexpected() }
    }

    /// `syntax error near unexpected token …` for what stands here.
    #[cold]
    pub fn unexpected(&mut self) -> Box<SyntaxError> {
        self.skip_blanks();
        let start = self.pos;
        let token = match self.peek() {
            0 => return self.unexpected_end(),
            b'\n' => Bytes::from_static(b"newline"),
            _ => match self.operator_len() {
                0 => match self.word() {
                    Ok(w) => w.source,
                    Err(e) => return e,
                },
                n => self.slice(start, start + n),
            },
        };
        self.pos = start;
        self.near(&token, start)
    }

    /// `syntax error near unexpected token` with this token, which begins at `at`.
    #[cold]
    pub fn near(&mut self, token: &[u8], at: usize) -> Box<SyntaxError> {
        let line = self.line_at(at);
        Box::new(SyntaxError {
            line,
            message: format!("syntax error near unexpected token `{}'", String::from_utf8_lossy(token)),
            line_text: Some(self.line_text(at)),
            ..Default::default()
        })
    }

    /// The line of text around `at`.
    fn line_text(&self, at: usize) -> Bytes {
        let at = at.min(self.text.len());
        let start = memchr::memrchr(b'\n', &self.text[..at]).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |i| at + i);
        self.slice(start, end)
    }

    /// Whether an operator stands here (and not a word, a blank or the end).
    #[inline]
    pub fn at_operator(&self) -> bool {
        match self.peek() {
            b';' | b'&' | b'|' | b'(' | b')' => true,
            b'<' | b'>' => self.peek_at(1) != b'(',
            _ => false,
        }
    }

    /// The length of the operator here, 0 if a word begins here.
    pub fn operator_len(&self) -> usize {
        const OPERATORS: [&[u8]; 23] = [
            b";;&", b"<<<", b"<<-", b"&>>", b";;", b";&", b"&&", b"&>", b"||", b"|&", b"<<", b"<&", b"<>",
            b">>", b">&", b">|", b";", b"&", b"|", b"<", b">", b"(", b")",
        ];
        if matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(' {
            return 0;
        }
        OPERATORS.iter().find(|o| self.starts_with(o)).map_or(0, |o| o.len())
    }
}
