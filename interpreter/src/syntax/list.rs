//! Lists, and-or lists and pipelines.

use super::cursor::*;
use super::ir::*;

impl Cursor<'_> {
    /// One complete command: up to the newline that ends it. `None` at the end of the text.
    pub fn complete_command(&mut self) -> Parsed<Option<(List, usize)>> {
        self.skip_newlines();
        if self.at_end() {
            if !self.pending.is_empty() {
                self.read_here_docs();
            }
            return Ok(None);
        }
        let start = self.pos;
        let mut list = List::default();
        loop {
            let item = self.and_or()?;
            let more = self.separator(item, &mut list);
            self.skip_blanks();
            match self.peek() {
                b'\n' => {
                    self.newline();
                    return Ok(Some((list, start)));
                }
                0 => {
                    if !self.pending.is_empty() {
                        self.read_here_docs();
                    }
                    return Ok(Some((list, start)));
                }
                _ if more => {}
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// Adds `item` to `list` and consumes the `;` or `&` after it, if there is one.
    fn separator(&mut self, and_or: AndOr, list: &mut List) -> bool {
        self.skip_blanks();
        let (next, _) = self.operator_next(1);
        let (background, more) = match self.peek() {
            b';' if next != b';' && next != b'&' => (false, true),
            b'&' if next != b'&' => (true, true),
            _ => (false, false),
        };
        if more {
            self.pos += 1;
        }
        let text = if background { super::print::job_text(&and_or) } else { bytes::Bytes::new() };
        list.items.push(ListItem { and_or, background, text });
        more
    }

    /// Commands up to a reserved word that ends a list, `)`, `;;` or the end of the text. Not empty.
    pub fn compound_list(&mut self) -> Parsed<List> {
        let list = self.compound_list_or_empty()?;
        if list.items.is_empty() {
            return Err(self.unexpected());
        }
        Ok(list)
    }

    /// The same, possibly empty.
    pub fn compound_list_or_empty(&mut self) -> Parsed<List> {
        let mut list = List::default();
        loop {
            self.skip_newlines();
            // `alias end='}'` ends a list too.
            while self.aliases.is_some() && self.expand_alias()? {
                self.skip_newlines();
            }
            if self.at_list_end() {
                return Ok(list);
            }
            let item = self.and_or()?;
            if !self.separator(item, &mut list) {
                self.skip_blanks();
                if self.peek() != b'\n' {
                    return Ok(list);
                }
            }
        }
    }

    /// What ends a list stands here.
    fn at_list_end(&self) -> bool {
        match self.peek() {
            0 | b')' => true,
            b';' => matches!(self.operator_next(1).0, b';' | b'&'),
            b'}' => self.at_word(b"}"),
            b't' => self.at_word(b"then"),
            b'e' => self.at_word(b"else") || self.at_word(b"elif") || self.at_word(b"esac"),
            b'f' => self.at_word(b"fi"),
            b'd' => self.at_word(b"do") || self.at_word(b"done"),
            _ => false,
        }
    }

    /// The commands of `$( … )`: complete commands up to the closing parenthesis, which is not consumed.
    pub fn units_until_paren(&mut self) -> Parsed<Vec<Unit>> {
        let mut units = Vec::new();
        loop {
            self.skip_newlines();
            match self.peek() {
                b')' => return Ok(units),
                0 => return Err(self.unexpected_end()),
                _ => {}
            }
            let start = self.pos;
            let line = self.line();
            let mut list = List::default();
            loop {
                let item = self.and_or()?;
                let more = self.separator(item, &mut list);
                self.skip_blanks();
                match self.peek() {
                    b'\n' | b')' => break,
                    _ if more => {}
                    _ => return Err(self.unexpected()),
                }
            }
            let source = self.source(start);
            units.push(Unit { list, source, line, warnings: Vec::new() });
        }
    }

    /// Pipelines joined by `&&` and `||`.
    fn and_or(&mut self) -> Parsed<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let c = self.peek();
            if c != b'&' && c != b'|' {
                break;
            }
            let (next, n) = self.operator_next(1);
            if next != c {
                break;
            }
            self.pos += n + 1;
            self.skip_newlines();
            let connective = if c == b'&' { Connective::And } else { Connective::Or };
            rest.push((connective, self.pipeline()?));
        }
        Ok(AndOr { first, rest })
    }

    /// `!` and `time`, then commands joined by `|` and `|&`.
    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let mut negated = false;
        let mut time = None;
        loop {
            self.skip_blanks();
            while matches!(self.peek(), b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9' | b'.' | b'-')
                && self.aliases.is_some()
                && self.expand_alias()?
            {
                self.skip_blanks();
            }
            if self.at_word(b"!") {
                self.pos += 1;
                negated = !negated;
            } else if self.at_word(b"time") {
                self.pos += 4;
                self.skip_blanks();
                time = Some(TimeFormat::Bash);
                if self.at_word(b"-p") {
                    self.pos += 2;
                    time = Some(TimeFormat::Posix);
                    self.skip_blanks();
                }
                if self.at_word(b"--") {
                    self.pos += 2;
                }
            } else {
                break;
            }
        }
        if (time.is_some() || negated) && self.at_pipeline_end() {
            let line = self.line();
            let kind = CommandKind::Simple(Box::default());
            return Ok(Pipeline {
                stages: [Command { line, kind, redirects: Vec::new() }].into(),
                negated,
                time,
            });
        }
        let mut stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != b'|' {
                break;
            }
            let (next, n) = self.operator_next(1);
            if next == b'|' {
                break;
            }
            if next == b'&' {
                let line = self.line();
                let one = bytes::Bytes::from_static(b"1");
                let word = Word { shape: Shape::Literal(one.clone()), source: one };
                if let Some(last) = stages.last_mut() {
                    last.redirects.push(Redirect {
                        fd: Some(RedirectFd::Number(2)),
                        kind: RedirectKind::Dup { input: false, word },
                        line,
                    });
                }
                self.pos += n + 1;
            } else {
                self.pos += 1;
            }
            self.skip_newlines();
            stages.push(self.command()?);
        }
        Ok(Pipeline { stages: stages.into(), negated, time })
    }

    fn at_pipeline_end(&mut self) -> bool {
        self.skip_blanks();
        matches!(self.peek(), 0 | b'\n' | b';')
    }
}
