//! Arithmetic as it stands in a script: finds its end, reads the expansions within, and compiles it when the text
//! can be known now.

use super::arith;
use super::builder::{Builder, Place, Span};
use super::cursor::*;
use super::ir::*;
use super::word::{Ending, Mode};
use bytes::Bytes;
use std::sync::Arc;

/// What ends arithmetic text (and is not consumed).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// An unbalanced `)`.
    Parens,
    /// An unbalanced `]`.
    Bracket,
    /// `:` (not one of `?:`) or `}`.
    Colon,
    /// `}`
    Brace,
    /// `;` or an unbalanced `)`: `for ((;;))`.
    Semicolon,
}

impl Cursor<'_> {
    /// Arithmetic up to `stop`.
    pub fn arithmetic(&mut self, stop: Stop) -> Parsed<Arc<Arith>> {
        let start = self.pos;
        let mut b = Builder::recording();
        let mut quotes = false;
        let mut level = 0usize;
        let mut questions = 0usize;
        let mut has_expansion = false;
        loop {
            let c = self.peek();
            match c {
                0 => {
                    let line = self.line_at(start);
                    let close = match stop {
                        Stop::Bracket => b']',
                        Stop::Colon | Stop::Brace => b'}',
                        _ => b')',
                    };
                    return Err(self.unmatched(close, line));
                }
                b'(' => level += 1,
                b')' => {
                    if level == 0 && matches!(stop, Stop::Parens | Stop::Semicolon) {
                        break;
                    }
                    level = level.saturating_sub(1);
                }
                b'[' if stop == Stop::Bracket => level += 1,
                b']' if stop == Stop::Bracket => {
                    if level == 0 {
                        break;
                    }
                    level -= 1;
                }
                b';' if stop == Stop::Semicolon && level == 0 => break,
                b'}' if matches!(stop, Stop::Colon | Stop::Brace) => break,
                b'?' => questions += 1,
                b':' if stop == Stop::Colon && level == 0 => {
                    if questions == 0 {
                        break;
                    }
                    questions -= 1;
                }
                b'"' => {
                    quotes = true;
                    self.pos += 1;
                    let at = self.pos;
                    self.double(Ending::Quote, at, &mut b)?;
                    self.pos += 1;
                    continue;
                }
                b'\'' => quotes = true,
                b'\\' => {
                    quotes = true;
                    match self.peek_at(1) {
                        b'\n' => {
                            self.pos += 2;
                            continue;
                        }
                        n @ (b'$' | b'`' | b'"' | b'\\') => {
                            self.pos += 2;
                            b.quoted(&[n]);
                            continue;
                        }
                        _ => {}
                    }
                }
                b'$' | b'`' => {
                    has_expansion = true;
                    self.expansion(true, &mut b)?;
                    continue;
                }
                _ => {}
            }
            // A run of bytes without meaning for the end of the text.
            let from = self.pos;
            self.pos += 1;
            while self.peek().is_ascii_alphanumeric()
                || matches!(self.peek(), b' ' | b'_' | b'<' | b'=' | b'+')
            {
                self.pos += 1;
            }
            let run = self.text.slice(from..self.pos);
            b.quoted(&run);
        }
        let source = self.source(start);
        let spans = b.spans.take().unwrap_or_default();
        let word = (has_expansion || quotes).then(|| b.finish(Place::Quoted, source.clone()));
        Ok(Arc::new(self.compile(source, start, spans, quotes, word)))
    }

    /// Compiles `source`, which begins at `start` and holds the expansions `spans`.
    fn compile(
        &mut self,
        source: Bytes,
        start: usize,
        mut spans: Vec<Span>,
        quotes: bool,
        word: Option<Word>,
    ) -> Arith {
        for s in &mut spans {
            s.0 -= start;
            s.1 -= start;
        }
        let expr = if quotes { None } else { arith::compile(&source, &spans) };
        Arith { source, expr, word }
    }

    /// The index between `[` and `]`.
    pub fn index(&mut self, mode: Mode) -> Parsed<Subscript> {
        let start = self.pos;
        let mut b = Builder::recording();
        self.unquoted(mode, false, &mut b)?;
        let source = self.source(start);
        let spans = b.spans.take().unwrap_or_default();
        let quotes = b.quotes || source.contains(&b'"');
        b.glob = false;
        let plain = spans.is_empty() && !quotes;
        let key = b.finish(Place::Word, source.clone());
        let word = (!plain).then(|| key.clone());
        let arith = Arc::new(self.compile(source, start, spans, quotes, word));
        Ok(Subscript::Index { key: Box::new(key), arith })
    }
}
