//! Here-documents: their bodies stand after the newline that follows the operator.

use super::builder::{Builder, Place};
use super::cursor::*;
use super::ir::*;
use super::word::Ending;
use bytes::Bytes;
use std::sync::{Arc, OnceLock};

impl Cursor<'_> {
    /// The delimiter word of `<<` (or `<<-`) that stands here; its body is read at the next newline.
    pub fn here_doc(&mut self, strip_tabs: bool) -> Parsed<Arc<HereDoc>> {
        let start = self.pos;
        let word = self.delimiter()?;
        let delimiter = self.source(start);
        let (end, quoted) = word;
        let doc = Arc::new(HereDoc { body: OnceLock::new(), delimiter, end: end.into(), strip_tabs });
        self.pending.push(Pending { doc: doc.clone(), quoted });
        Ok(doc)
    }

    /// The delimiter after quote removal, and whether any of it was quoted. Nothing is expanded: `<<${x}` ends at `${x}`.
    fn delimiter(&mut self) -> Parsed<(Vec<u8>, bool)> {
        let start = self.pos;
        let word = self.word_in(Place::Word)?;
        let source = self.source(start);
        let quoted = source.iter().any(|b| matches!(b, b'\'' | b'"' | b'\\'));
        if !quoted {
            return Ok((word.source.to_vec(), false));
        }
        let mut out = Vec::with_capacity(source.len());
        let mut i = 0;
        while i < source.len() {
            match source[i] {
                b'\\' => {
                    i += 1;
                    match source.get(i) {
                        Some(b'\n') | None => {}
                        Some(&c) => out.push(c),
                    }
                }
                b'\'' => {
                    i += 1;
                    while i < source.len() && source[i] != b'\'' {
                        out.push(source[i]);
                        i += 1;
                    }
                }
                b'"' => {
                    i += 1;
                    while i < source.len() && source[i] != b'"' {
                        if source[i] == b'\\' && matches!(source.get(i + 1), Some(b'"' | b'\\' | b'$' | b'`'))
                        {
                            i += 1;
                        }
                        out.push(source[i]);
                        i += 1;
                    }
                }
                c => out.push(c),
            }
            i += 1;
        }
        Ok((out, true))
    }

    /// Reads the bodies of all here-documents that wait; the first body begins here.
    pub fn read_here_docs(&mut self) {
        for p in std::mem::take(&mut self.pending) {
            self.read_here_doc(&p);
        }
    }

    fn read_here_doc(&mut self, p: &Pending) {
        let start = self.pos;
        let line = self.line();
        let mut stripped: Option<Vec<u8>> = None;
        if p.doc.strip_tabs {
            stripped = Some(Vec::new());
        }
        let mut ended = false;
        let mut end = start;
        // The part of a line that a backslash continues (in unquoted ones) belongs to the line for the comparison.
        let mut continues = false;
        while self.pos < self.text.len() {
            let rest = &self.text[self.pos..];
            let n = memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
            let mut content = &rest[..n];
            if p.doc.strip_tabs && !continues {
                let tabs = content.iter().take_while(|&&b| b == b'\t').count();
                content = &content[tabs..];
            }
            let bare = content.strip_suffix(b"\n").unwrap_or(content);
            if !continues && bare == &p.doc.end[..] {
                self.pos += n;
                ended = true;
                break;
            }
            continues = !p.quoted && {
                let slashes = bare.iter().rev().take_while(|&&b| b == b'\\').count();
                slashes % 2 == 1
            };
            if let Some(s) = &mut stripped {
                s.extend_from_slice(content);
            }
            self.pos += n;
            end = self.pos;
        }
        if !ended {
            // bash counts the line before the body as the one that the document is at.
            let begun = if start > 0 && self.text[start - 1] == b'\n' { line - 1 } else { line };
            let at = (self.end_line() - 1).max(begun);
            let wanted = String::from_utf8_lossy(&p.doc.end).into_owned();
            let warning =
                format!("here-document at line {begun} delimited by end-of-file (wanted `{wanted}')");
            self.warnings.push((at, warning.into()));
        }
        let body = match stripped {
            Some(s) => Bytes::from(s),
            None => self.slice(start, end),
        };
        let word = if p.quoted {
            Word { shape: Shape::Literal(body.clone()), source: body }
        } else {
            self.here_body(body, line)
        };
        let _ = p.doc.body.set(word);
    }

    /// The body of an unquoted here-document.
    fn here_body(&mut self, body: Bytes, line: LineNo) -> Word {
        if !body.iter().any(|b| matches!(b, b'$' | b'`' | b'\\')) {
            return Word { shape: Shape::Literal(body.clone()), source: body };
        }
        let mut c = self.nested(body.clone(), line);
        let w = c.text_word();
        self.warnings.append(&mut c.warnings);
        w
    }

    /// All of the text under double-quote rules in which `"` is nothing special. What cannot be parsed is a bad
    /// substitution when it is expanded.
    pub fn text_word(&mut self) -> Word {
        let mut b = Builder::default();
        self.in_text = true;
        if self.double(Ending::Text, 0, &mut b).is_err() {
            let bad = Param {
                target: Target::Special(b'0'),
                indirect: false,
                subscript: None,
                op: Op::Bad,
                source: self.text.clone(),
            };
            b.push(Part::Param(Arc::new(bad), true));
        }
        b.finish(Place::Quoted, self.text.clone())
    }
}
