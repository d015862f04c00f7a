//! Words: quoting, expansions, tildes, process substitutions, extglob groups. Quote removal happens here.

use super::builder::{Builder, Place};
use super::cursor::*;
use super::ir::*;
use bytes::Bytes;
use sandshell_text::escape::{self, Escapes};
use std::sync::Arc;

/// What ends a stretch of unquoted text, and what is special within.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word: ends at a metacharacter.
    Word,
    /// The operand of `${…}`: ends at `}`.
    Operand,
    /// The pattern of `${x/…/…}`: ends at `/` or `}`.
    Slash,
    /// Ends at the matching `]`.
    Subscript,
    /// The same within `${…}`, which a `}` ends too.
    ParamSubscript,
    /// The right side of `=~`.
    Regex,
    /// Within the parentheses of an extglob group or a regex: ends at `)`.
    Group,
    /// The parenthesised value of an assignment as plain text (`eval a=(…)`): ends at `)`.
    Parens,
}

/// What ends a stretch of double-quoted text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// `"`
    Quote,
    /// `}`: an operand within double quotes.
    Brace,
    /// The end of the text: here-documents, prompts.
    Text,
}

/// The text of `$'…'`; a NUL ends it.
pub(super) fn ansi_c(s: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len());
    escape::unescape(s, Escapes::AnsiC, &mut out);
    if let Some(n) = memchr::memchr(0, &out) {
        out.truncate(n);
    }
    out
}

/// May stand in a tilde prefix after the tilde.
pub(super) fn tilde_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'+' | b'-') || b >= 0x80
}

impl Cursor<'_> {
    /// A word of a command; brace expressions are found when it is an argument. The caller knows that one begins here.
    pub fn word(&mut self) -> Parsed<Word> {
        self.word_in(Place::Argument)
    }

    /// A word at `place`.
    pub fn word_in(&mut self, place: Place) -> Parsed<Word> {
        let start = self.pos;
        // The common word: plain bytes only.
        let mut end = start;
        while CLASS[self.text.get(end).copied().unwrap_or(0) as usize] == PLAIN {
            end += 1;
        }
        let next = self.text.get(end).copied().unwrap_or(0);
        if end > start
            && CLASS[next as usize] == META
            && !matches!(next, b'(' | b'<' | b'>')
            && place != Place::Regex
        {
            self.pos = end;
            let s = self.slice(start, end);
            return Ok(Word { shape: Shape::Literal(s.clone()), source: s });
        }
        let mut b = Builder::default();
        self.unquoted(if place == Place::Regex { Mode::Regex } else { Mode::Word }, false, &mut b)?;
        if self.pos == start {
            return Err(self.unexpected_here());
        }
        Ok(b.finish(place, self.source(start)))
    }

    /// The text from `start` to here.
    pub fn source(&self, start: usize) -> Bytes {
        self.slice(start, self.pos)
    }

    /// Where a word must stand but none does.
    fn unexpected_here(&mut self) -> Box<SyntaxError> {
        match self.peek() {
            0 if self.closer.is_some() => self.unexpected_end(),
            0 => self.near(b"newline", self.pos),
            b'\n' => self.near(b"newline", self.pos),
            _ => {
                let n = self.operator_len().max(1);
                let token = self.slice(self.pos, self.pos + n);
                self.near(&token, self.pos)
            }
        }
    }

    /// The value of a scalar assignment, which may be empty.
    pub fn value_word(&mut self) -> Parsed<Word> {
        let start = self.pos;
        let mut b = Builder::default();
        self.unquoted(Mode::Word, true, &mut b)?;
        Ok(b.finish(Place::Word, self.source(start)))
    }

    /// Reads unquoted text until `mode` ends it. `assignment` = tildes stand at the start and after `:`.
    pub fn unquoted(&mut self, mode: Mode, assignment: bool, b: &mut Builder) -> Parsed<()> {
        let start = self.pos;
        let mut tilde_after_colon = assignment;
        let mut may_tilde = !matches!(
            mode,
            Mode::Subscript | Mode::ParamSubscript | Mode::Regex | Mode::Group | Mode::Parens
        );
        let mut level = 0usize;
        loop {
            let c = self.peek();
            match CLASS[c as usize] {
                PLAIN => {
                    may_tilde = false;
                    match c {
                        b'}' if matches!(mode, Mode::Operand | Mode::Slash | Mode::ParamSubscript) => {
                            return Ok(());
                        }
                        b'/' if mode == Mode::Slash => return Ok(()),
                        b']' if matches!(mode, Mode::Subscript | Mode::ParamSubscript) => {
                            if level == 0 {
                                return Ok(());
                            }
                            level -= 1;
                        }
                        b'=' if mode == Mode::Word && !tilde_after_colon => {
                            let name = b.only_text().unwrap_or(b"");
                            let name = name.strip_suffix(b"+").unwrap_or(name);
                            if !name.is_empty() && name_len(name) == name.len() {
                                tilde_after_colon = true;
                                may_tilde = true;
                            }
                        }
                        b':' => may_tilde = tilde_after_colon,
                        _ => {}
                    }
                    // A run of bytes that mean nothing here.
                    let from = self.pos;
                    self.pos += 1;
                    if !may_tilde {
                        while let n = self.peek()
                            && CLASS[n as usize] == PLAIN
                            && !matches!(n, b'}' | b'/' | b']' | b'=' | b':')
                        {
                            self.pos += 1;
                        }
                    }
                    let text = self.text.slice(from..self.pos);
                    b.text(&text);
                    continue;
                }
                META => match c {
                    0 => {
                        if mode == Mode::Word || mode == Mode::Regex {
                            return Ok(());
                        }
                        let line = self.line_at(start);
                        let close = match mode {
                            Mode::Operand | Mode::Slash | Mode::ParamSubscript => b'}',
                            Mode::Subscript => b']',
                            _ => b')',
                        };
                        return Err(self.unmatched(close, line));
                    }
                    b'(' => match mode {
                        Mode::Regex => {
                            self.pos += 1;
                            b.text(b"(");
                            self.group(b)?;
                        }
                        Mode::Group | Mode::Parens => {
                            self.pos += 1;
                            b.text(b"(");
                            self.group(b)?;
                        }
                        _ if self.opts.extglob
                            && matches!(b.last_text(), b'?' | b'*' | b'+' | b'@' | b'!') =>
                        {
                            self.pos += 1;
                            b.glob = true;
                            b.text(b"(");
                            self.group(b)?;
                        }
                        Mode::Word => return Ok(()),
                        _ => {
                            self.pos += 1;
                            b.text(b"(");
                        }
                    },
                    b')' if matches!(mode, Mode::Group | Mode::Parens) => return Ok(()),
                    b'<' | b'>' if self.peek_at(1) == b'(' && mode != Mode::Regex && mode != Mode::Group => {
                        self.process_substitution(b)?;
                    }
                    b'|' if mode == Mode::Regex => {
                        self.pos += 1;
                        b.text(b"|");
                    }
                    _ if matches!(mode, Mode::Word | Mode::Regex) => return Ok(()),
                    _ => {
                        self.pos += 1;
                        b.text(&[c]);
                    }
                },
                GLOB => {
                    self.pos += 1;
                    b.glob = true;
                    if c == b'[' && matches!(mode, Mode::Subscript | Mode::ParamSubscript) {
                        level += 1;
                    }
                    b.text(&[c]);
                }
                BRACE => {
                    self.pos += 1;
                    b.brace = true;
                    b.text(b"{");
                }
                TILDE => {
                    if may_tilde && self.tilde(mode, tilde_after_colon, b) {
                        may_tilde = false;
                        continue;
                    }
                    self.pos += 1;
                    b.text(b"~");
                }
                _ => self.quoting(b)?,
            }
            may_tilde = false;
        }
    }

    /// The rest of a group in parentheses and its `)`.
    fn group(&mut self, b: &mut Builder) -> Parsed<()> {
        self.enter()?;
        self.unquoted(Mode::Group, false, b)?;
        self.leave();
        self.pos += 1;
        b.text(b")");
        Ok(())
    }

    /// A tilde prefix here, if it is one.
    fn tilde(&mut self, mode: Mode, assignment: bool, b: &mut Builder) -> bool {
        let mut end = self.pos + 1;
        while tilde_byte(self.text.get(end).copied().unwrap_or(0)) {
            end += 1;
        }
        let next = self.text.get(end).copied().unwrap_or(0);
        let ends = match next {
            b'/' => true,
            b':' => assignment,
            b'}' => matches!(mode, Mode::Operand | Mode::Slash),
            b'(' | b'<' | b'>' if mode == Mode::Word => true,
            _ => CLASS[next as usize] == META,
        };
        if ends {
            b.push(Part::Tilde(self.slice(self.pos, end)));
            self.pos = end;
        }
        ends
    }

    /// What begins with a quote, `$`, a backquote or a backslash in unquoted text.
    fn quoting(&mut self, b: &mut Builder) -> Parsed<()> {
        match self.peek() {
            b'\\' => match self.peek_at(1) {
                b'\n' => self.pos += 2,
                0 => {
                    self.pos += 1;
                    b.quoted(b"\\");
                }
                c => {
                    self.pos += 2;
                    b.quoted(&[c]);
                }
            },
            b'\'' => {
                let s = self.single_quoted()?;
                if s.is_empty() {
                    b.empty_quotes();
                } else {
                    b.quoted(&s);
                }
            }
            b'"' => self.double_quoted(b)?,
            b'$' => match self.peek_at(1) {
                b'\'' => {
                    let s = self.ansi_quoted()?;
                    if s.is_empty() {
                        b.empty_quotes();
                    } else {
                        b.quoted(&s);
                    }
                }
                b'"' => {
                    self.pos += 1;
                    self.double_quoted(b)?;
                }
                _ => self.expansion(false, b)?,
            },
            _ => self.expansion(false, b)?,
        }
        Ok(())
    }

    /// A `$…` or backquoted expansion; a `$` that begins none is text.
    pub fn expansion(&mut self, quoted: bool, b: &mut Builder) -> Parsed<()> {
        let start = self.pos;
        match self.dollar(quoted)? {
            Some(p) => {
                if let Some(spans) = &mut b.spans {
                    spans.push((start, self.pos, p.clone()));
                }
                b.push(p);
            }
            None => {
                self.pos += 1;
                if quoted { b.quoted(b"$") } else { b.text(b"$") }
            }
        }
        Ok(())
    }

    /// `'…'`, from its first quote.
    fn single_quoted(&mut self) -> Parsed<Bytes> {
        let start = self.pos + 1;
        match memchr::memchr(b'\'', self.text.get(start..).unwrap_or(b"")) {
            Some(n) => {
                self.pos = start + n + 1;
                Ok(self.slice(start, start + n))
            }
            None => {
                let line = self.line();
                Err(self.unmatched(b'\'', line))
            }
        }
    }

    /// `$'…'`, from its `$`: decoded.
    fn ansi_quoted(&mut self) -> Parsed<Bytes> {
        let start = self.pos + 2;
        let mut i = start;
        loop {
            match self.text.get(i) {
                None => {
                    let line = self.line();
                    return Err(self.unmatched(b'\'', line));
                }
                Some(b'\'') => break,
                Some(b'\\') => i += 2,
                Some(_) => i += 1,
            }
        }
        let decoded = ansi_c(&self.text[start..i]);
        self.pos = i + 1;
        Ok(decoded.into())
    }

    /// `"…"`, from its first quote.
    pub fn double_quoted(&mut self, b: &mut Builder) -> Parsed<()> {
        self.enter()?;
        let start = self.pos;
        self.pos += 1;
        let mut inner = Builder::default();
        self.double(Ending::Quote, start, &mut inner)?;
        self.pos += 1;
        self.leave();
        b.quotes = true;
        let mut parts = inner.into_parts();
        match parts.len() {
            0 => b.empty_quotes(),
            1 => match parts.pop() {
                Some(Part::Quoted(s)) => b.quoted(&s),
                Some(p) => b.push(p),
                None => {}
            },
            _ => b.push(Part::DoubleQuoted(parts)),
        }
        Ok(())
    }

    /// Text under double-quote rules, up to its ending (which is not consumed).
    pub fn double(&mut self, ending: Ending, start: usize, b: &mut Builder) -> Parsed<()> {
        // Single quotes in the operand of a quoted `${x-…}` hide a `}` but stay, and nothing else is quoted by them.
        let mut single: Option<usize> = None;
        let watch_single = ending == Ending::Brace;
        loop {
            let from = self.pos;
            let rest = &self.text[from.min(self.text.len())..];
            let n = rest
                .iter()
                .position(|&c| matches!(c, b'"' | b'\\' | b'$' | b'`' | b'}' | b'\''))
                .unwrap_or(rest.len());
            if n > 0 {
                self.pos = from + n;
                let run = self.text.slice(from..self.pos);
                b.quoted(&run);
            }
            match self.peek() {
                0 => {
                    if ending == Ending::Text {
                        return Ok(());
                    }
                    let line = self.line_at(single.unwrap_or(start));
                    if single.is_some() {
                        return Err(self.unmatched(b'\'', line));
                    }
                    return Err(self.unmatched(if ending == Ending::Quote { b'"' } else { b'}' }, line));
                }
                b'"' if single.is_some() => {
                    self.pos += 1;
                    b.quoted(b"\"");
                }
                b'"' => match ending {
                    Ending::Quote => return Ok(()),
                    // Quotes within the operand of a quoted `${x-…}`: removed, and what they hold stays quoted.
                    Ending::Brace => {
                        self.enter()?;
                        let at = self.pos;
                        self.pos += 1;
                        self.double(Ending::Quote, at, b)?;
                        self.pos += 1;
                        b.quotes = true;
                        self.leave();
                    }
                    Ending::Text => {
                        self.pos += 1;
                        b.quoted(b"\"");
                    }
                },
                b'\'' => {
                    if watch_single {
                        single = if single.is_some() { None } else { Some(self.pos) };
                    }
                    self.pos += 1;
                    b.quoted(b"'");
                }
                b'}' => {
                    if ending == Ending::Brace && single.is_none() {
                        return Ok(());
                    }
                    self.pos += 1;
                    b.quoted(b"}");
                }
                b'\\' => {
                    let c = self.peek_at(1);
                    let special = match c {
                        b'$' | b'`' | b'\\' => true,
                        b'"' => ending != Ending::Text,
                        b'}' => ending == Ending::Brace,
                        _ => false,
                    };
                    if c == b'\n' {
                        self.pos += 2;
                    } else if special {
                        self.pos += 2;
                        b.quoted(&[c]);
                    } else {
                        self.pos += 1;
                        b.quoted(b"\\");
                    }
                }
                // The operand of a quoted `${x-…}` knows `$'…'`, but not within a here-document.
                b'$' if ending == Ending::Brace
                    && self.peek_at(1) == b'\''
                    && single.is_none()
                    && !self.in_text =>
                {
                    let text = self.ansi_quoted()?;
                    b.quoted(&text);
                }
                _ => self.expansion(true, b)?,
            }
        }
    }

    /// `<( … )` or `>( … )`.
    fn process_substitution(&mut self, b: &mut Builder) -> Parsed<()> {
        let input = self.peek() == b'<';
        self.pos += 1;
        let c = self.command_substitution()?;
        b.push(Part::Process(Arc::new(c), input));
        Ok(())
    }

    /// What `$` or a backquote begins, `None` if nothing.
    fn dollar(&mut self, quoted: bool) -> Parsed<Option<Part>> {
        if self.peek() == b'`' {
            let c = self.backquoted(quoted)?;
            return Ok(Some(Part::Command(Arc::new(c), quoted)));
        }
        let start = self.pos;
        let next = self.peek_at(1);
        let target = match next {
            b'{' => {
                self.enter()?;
                let p = self.parameter(quoted)?;
                self.leave();
                return Ok(Some(Part::Param(Arc::new(p), quoted)));
            }
            b'(' => {
                self.enter()?;
                let part = self.dollar_paren(quoted)?;
                self.leave();
                return Ok(Some(part));
            }
            b'[' => {
                self.enter()?;
                self.pos += 2;
                let a = self.arithmetic(super::arith_text::Stop::Bracket)?;
                self.pos += 1;
                self.leave();
                return Ok(Some(Part::Arith(a, quoted)));
            }
            b'0' => Target::Special(b'0'),
            b'1'..=b'9' => Target::Positional(u32::from(next - b'0')),
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => Target::Special(next),
            c if name_start(c) => {
                let n = name_len(&self.text[start + 1..]);
                let name = self.slice(start + 1, start + 1 + n);
                self.pos = start + 1 + n;
                let name = self.intern(&name)?;
                return Ok(Some(Part::Param(Arc::new(self.simple_param(Target::Var(name), start)), quoted)));
            }
            _ => return Ok(None),
        };
        self.pos += 2;
        Ok(Some(Part::Param(Arc::new(self.simple_param(target, start)), quoted)))
    }

    /// `$x`, read from `start` to here.
    fn simple_param(&self, target: Target, start: usize) -> Param {
        Param { target, indirect: false, subscript: None, op: Op::Value, source: self.source(start) }
    }

    /// `$((…))`, or `$(…)` when the inside is not arithmetic.
    fn dollar_paren(&mut self, quoted: bool) -> Parsed<Part> {
        self.pos += 1;
        if self.peek_at(1) == b'('
            && let Some(a) = self.double_paren()?
        {
            return Ok(Part::Arith(a, quoted));
        }
        let line = self.line();
        let double = self.peek_at(1) == b'(';
        match self.command_substitution() {
            Ok(c) => Ok(Part::Command(Arc::new(c), quoted)),
            Err(mut e) => {
                if double && e.at_end && e.message.ends_with("matching `)'") {
                    e.line = line;
                }
                Err(e)
            }
        }
    }

    /// `((…))` from its first parenthesis; `None` (and nothing consumed) when it is something else.
    pub fn double_paren(&mut self) -> Parsed<Option<Arc<Arith>>> {
        let key = self.remaining();
        if self.not_arith.contains(&key) {
            return Ok(None);
        }
        let mark = self.mark();
        self.pos += 2;
        let result = self.arithmetic(super::arith_text::Stop::Parens);
        match result {
            Ok(a) if self.starts_with(b"))") => {
                self.pos += 2;
                return Ok(Some(a));
            }
            // bash has looked for the parenthesis that closes it before it looks at what is inside.
            Err(e) if e.at_end || e.message.starts_with("syntax error: constructs") => return Err(e),
            _ => {}
        }
        self.reset(mark);
        self.not_arith.insert(key);
        Ok(None)
    }

    /// `( … )` of a command or process substitution, from its parenthesis.
    pub fn command_substitution(&mut self) -> Parsed<CommandSubst> {
        self.enter()?;
        let line = self.line();
        self.pos += 1;
        let start = self.pos;
        // Its here-documents are its own; aliases were expanded when its text is run in bash: here at once.
        let outer = std::mem::take(&mut self.pending);
        let closer = self.closer.replace(b')');
        let in_text = std::mem::take(&mut self.in_text);
        let units = self.units_until_paren()?;
        self.closer = closer;
        self.in_text = in_text;
        let source = self.source(start);
        self.pos += 1;
        if !self.pending.is_empty() {
            let n = self.pending.len();
            let s = if n == 1 { "" } else { "s" };
            let warning = format!("command substitution: {n} unterminated here-document{s}");
            let at = self.line();
            self.warnings.push((at, warning.into()));
            self.read_here_docs();
        }
        self.pending = outer;
        self.leave();
        let read_file = read_file(&units);
        Ok(CommandSubst { body: Ok(units), read_file, source, line })
    }

    /// `` `…` ``: the text only, parsed when it is run.
    fn backquoted(&mut self, quoted: bool) -> Parsed<CommandSubst> {
        let line = self.line();
        let start = self.pos + 1;
        let mut text = Vec::new();
        let mut i = start;
        loop {
            match self.text.get(i) {
                None => return Err(self.unmatched(b'`', line)),
                Some(b'`') => break,
                Some(b'\\') => {
                    let c = self.text.get(i + 1).copied().unwrap_or(0);
                    if !(matches!(c, b'$' | b'`' | b'\\') || (quoted && c == b'"')) {
                        text.push(b'\\');
                    }
                    if c != 0 {
                        text.push(c);
                    }
                    i += 2;
                }
                Some(&c) => {
                    text.push(c);
                    i += 1;
                }
            }
        }
        let source = self.slice(start, i);
        self.pos = i + 1;
        Ok(CommandSubst { body: Err(text.into()), read_file: None, source, line })
    }
}

/// The word of `$(< word)`.
fn read_file(units: &[Unit]) -> Option<Word> {
    let [unit] = units else { return None };
    let [item] = &unit.list.items[..] else { return None };
    let p = &item.and_or.first;
    if item.background || !item.and_or.rest.is_empty() || p.negated || p.time.is_some() {
        return None;
    }
    let [command] = &p.stages[..] else { return None };
    let CommandKind::Simple(simple) = &command.kind else { return None };
    let [Redirect { fd: None, kind: RedirectKind::Read(word), .. }] = &command.redirects[..] else {
        return None;
    };
    (simple.words.is_empty() && simple.assignments.is_empty()).then(|| word.clone())
}
