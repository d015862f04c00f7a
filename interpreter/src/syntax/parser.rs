//! The parser's face: a script, one complete command at a time, and the pieces of text that are parsed at run time.

use super::cursor::{AliasLookup, Cursor, Options};
use super::ir::*;
use bytes::Bytes;
use std::sync::Arc;

/// What of the shell's state changes how the next command is read.
#[derive(Clone, Copy)]
pub struct ParseState<'a> {
    /// `shopt -s extglob`
    pub extglob: bool,
    /// Comments are read (always, except in an interactive shell without `interactive_comments`).
    pub comments: bool,
    /// The aliases, when `expand_aliases` is on.
    pub aliases: Option<AliasLookup<'a>>,
}

impl Default for ParseState<'_> {
    fn default() -> Self {
        ParseState { extglob: false, comments: true, aliases: None }
    }
}

impl ParseState<'_> {
    fn options(&self) -> Options {
        Options { extglob: self.extglob, comments: self.comments }
    }
}

/// A script being read.
#[derive(Debug, Clone)]
pub struct Parser {
    text: Bytes,
    pos: usize,
    line: LineNo,
}

impl Parser {
    /// Reads `text`, whose first line has the number `first_line`. NUL bytes are dropped, as bash does.
    pub fn new(text: Bytes, first_line: LineNo) -> Parser {
        let text = match memchr::memchr(0, &text) {
            None => text,
            Some(_) => text.iter().copied().filter(|&b| b != 0).collect::<Vec<u8>>().into(),
        };
        Parser { text, pos: 0, line: first_line }
    }

    /// The next complete command; `None` at the end. After an error nothing more can be read: the rest is dropped.
    ///
    /// # Errors
    /// In bash's words.
    pub fn next_command(&mut self, state: &ParseState<'_>) -> Result<Option<Arc<Unit>>, SyntaxError> {
        let mut c = Cursor::new(self.text.clone(), self.pos, self.line, state.options(), state.aliases);
        match c.complete_command() {
            Ok(None) => {
                self.pos = self.text.len();
                Ok(None)
            }
            Ok(Some((list, start))) => {
                // What an alias put in is gone by now: the rest of the text is as it was.
                let end = self.text.len() - c.remaining();
                let line = c.line_at(start);
                let source = self.text.slice(start.min(end)..end);
                self.line += memchr::memchr_iter(b'\n', &self.text[self.pos..end]).count() as LineNo;
                self.pos = end;
                Ok(Some(Arc::new(Unit { list, source, line, warnings: c.warnings })))
            }
            Err(mut e) => {
                self.pos = self.text.len();
                e.warnings = c.warnings;
                Err(*e)
            }
        }
    }

    /// What has not been read yet.
    pub fn rest(&self) -> Bytes {
        self.text.slice(self.pos..)
    }

    /// The line number of what comes next.
    pub fn line(&self) -> LineNo {
        self.line
    }
}

/// Parses text under the rules of a here-document's body: prompts, run-time strings.
pub fn parse_text(text: &Bytes) -> Word {
    Cursor::new(text.clone(), 0, 1, ParseState::default().options(), None).text_word()
}

/// Parses the whole of `text` as one word under unquoted rules (blanks belong to it), such as a word of `compgen -W`.
///
/// # Errors
/// As for scripts.
pub fn parse_word(text: &Bytes, state: &ParseState<'_>) -> Result<Word, SyntaxError> {
    use super::builder::{Builder, Place};
    use super::word::Mode;
    let mut c = Cursor::new(text.clone(), 0, 1, state.options(), None);
    let mut b = Builder::default();
    while !c.at_end() {
        c.unquoted(Mode::Word, false, &mut b).map_err(|e| *e)?;
        if !c.at_end() {
            let byte = c.peek();
            b.text(&[byte]);
            c.pos += 1;
        }
    }
    Ok(b.finish(Place::Word, text.clone()))
}

/// Parses a name that is known only at run time: `x` or `x[subscript]` (`read`, `printf -v`, `unset`, `declare`, a nameref). `None` if it
/// is neither.
pub fn parse_name(text: &[u8]) -> Option<(Name, Option<Subscript>)> {
    let n = super::cursor::name_len(text);
    if n == 0 {
        return None;
    }
    let name = super::names::try_intern(&text[..n])?;
    if n == text.len() {
        return Some((name, None));
    }
    if text[n] != b'[' || text.last() != Some(&b']') || text.len() < n + 3 {
        return None;
    }
    let mut c = Cursor::new(Bytes::copy_from_slice(&text[n..]), 0, 1, ParseState::default().options(), None);
    let s = c.subscript().ok()?;
    c.at_end().then_some((name, Some(s)))
}

/// Parses an assignment that is known only at run time, as an argument of `declare` and its kin: `x=v`, `x+=v`, `x[i]=v`: the name, the subscript,
/// whether it appends, and where the value begins. `None` if the text is none.
pub fn parse_assignment(text: &[u8]) -> Option<(Name, Option<Subscript>, bool, usize)> {
    let n = super::cursor::name_len(text);
    if n == 0 {
        return None;
    }
    let mut at = n;
    let mut subscript = None;
    if text.get(n) == Some(&b'[') {
        let mut c =
            Cursor::new(Bytes::copy_from_slice(&text[n..]), 0, 1, ParseState::default().options(), None);
        subscript = Some(c.subscript().ok()?);
        at = n + c.pos;
    }
    let append = text.get(at) == Some(&b'+');
    if append {
        at += 1;
    }
    if text.get(at) != Some(&b'=') {
        return None;
    }
    Some((super::names::try_intern(&text[..n])?, subscript, append, at + 1))
}
