//! Expansion: words to fields, strings, patterns. The order of bash: braces, then tilde, parameter, command and
//! arithmetic expansion from left to right, then splitting, then pathname expansion.

pub mod arith;
mod braces;
pub mod case;
mod param;
mod pathname;
mod pattern;
pub mod quoting;
mod sink;
mod transform;

pub(crate) use transform::attribute_letters;

pub(crate) use sink::{Mode, Sink};

use crate::session::{
    options::{opt, shopt},
    shell::{Flow, Shell, Unwind, os},
    special::known,
    vars::{attr, int_text},
};
use crate::syntax::{
    self,
    ir::{Name, Param, Part, Parts, Shape, Word},
};
use bytes::Bytes;

impl Shell {
    /// Expands words to fields.
    pub fn expand_words(&mut self, words: &[Word]) -> Flow<Vec<Bytes>> {
        let mut out = Vec::with_capacity(words.len());
        for w in words {
            self.expand_word(w, &mut out)?;
        }
        Ok(out)
    }

    /// Expands one word, appending its fields.
    #[inline]
    pub fn expand_word(&mut self, word: &Word, out: &mut Vec<Bytes>) -> Flow<()> {
        match &word.shape {
            Shape::Literal(b) => out.push(b.clone()),
            Shape::QuotedVar(name) => {
                let v = self.variable(*name)?;
                out.push(v.unwrap_or_default());
            }
            Shape::Var(name) => {
                let Some(v) = self.variable(*name)? else { return Ok(()) };
                // The common value: nothing in it splits or globs.
                if self.ifs.default && !v.is_empty() && !v.iter().any(|b| special_byte(*b)) {
                    out.push(v);
                    return Ok(());
                }
                if self.split_plain(&v, out) {
                    return Ok(());
                }
                let mut sink = self.sink(Mode::Fields);
                sink.split(&v);
                self.take_fields(sink, out)?;
            }
            Shape::Parts(parts) => {
                let [Part::Command(c, false)] = &parts.parts[..] else {
                    return self.expand_parts_to_fields(parts, out);
                };
                let v = self.command_substitution(c)?;
                if !self.split_plain(&v, out) {
                    let mut sink = self.sink(Mode::Fields);
                    sink.split(&v);
                    self.take_fields(sink, out)?;
                }
            }
        }
        Ok(())
    }

    /// Splits an unquoted value in the usual case: the default IFS, and nothing that globs. The fields are slices of
    /// blocks, so that one that stays alive does not hold a large value. False: it is another case, nothing was done.
    fn split_plain(&self, v: &Bytes, out: &mut Vec<Bytes>) -> bool {
        const BLOCK: usize = 4096;
        let globs = || memchr::memchr3(b'*', b'?', b'[', v).or(memchr::memchr2(b'\\', b'(', v)).is_some();
        if !self.ifs.default || globs() {
            return false;
        }
        let mut rest = &v[..];
        while !rest.is_empty() {
            let cut = match rest.get(..BLOCK) {
                None => rest.len(),
                Some(b) => match memchr::memrchr3(b' ', b'\t', b'\n', b) {
                    Some(n) => n + 1,
                    None => memchr::memchr3(b' ', b'\t', b'\n', rest).unwrap_or(rest.len()),
                },
            };
            let block = match v.len() <= BLOCK {
                true => v.clone(),
                false => Bytes::copy_from_slice(&rest[..cut]),
            };
            let mut start = 0;
            for end in memchr::memchr3_iter(b' ', b'\t', b'\n', &block).chain([block.len()]) {
                if end > start {
                    out.push(block.slice(start..end));
                }
                start = end + 1;
            }
            rest = &rest[cut..];
        }
        true
    }

    pub(crate) fn sink(&self, mode: Mode) -> Sink {
        let globbing = !self.options.on(opt::NOGLOB);
        Sink::new(mode, &self.ifs, globbing, self.options.shopt(shopt::EXTGLOB))
    }

    fn expand_parts_to_fields(&mut self, parts: &Parts, out: &mut Vec<Bytes>) -> Flow<()> {
        if parts.parts.iter().any(|p| matches!(p, Part::Brace(_))) {
            if self.options.on(opt::BRACEEXPAND) {
                return self.expand_braces(&parts.parts, out);
            }
            let plain = braces::unexpanded(&parts.parts);
            return self.expand_sequence(&plain, out);
        }
        self.expand_sequence(&parts.parts, out)
    }

    /// Parts without braces, to fields.
    fn expand_sequence(&mut self, parts: &[Part], out: &mut Vec<Bytes>) -> Flow<()> {
        let mut sink = self.sink(Mode::Fields);
        self.emit(parts, false, false, &mut sink)?;
        self.take_fields(sink, out)
    }

    /// The fields of a finished sink, globbed.
    fn take_fields(&mut self, mut sink: Sink, out: &mut Vec<Bytes>) -> Flow<()> {
        sink.break_field();
        for (text, pattern) in sink.fields {
            match pattern {
                Some(p) => self.pathnames(text, &p, out)?,
                None => out.push(text),
            }
        }
        Ok(())
    }

    /// The value of a variable for an expansion: `set -u` is heard.
    #[inline]
    pub(crate) fn variable(&mut self, name: Name) -> Flow<Option<Bytes>> {
        let v = self.scalar(name)?;
        if v.is_none() && self.options.set & opt::NOUNSET != 0 {
            return Err(self.unbound(syntax::names::text(name)));
        }
        Ok(v)
    }

    /// `set -u` met an unset parameter.
    #[cold]
    pub(crate) fn unbound(&mut self, shown: &[u8]) -> Unwind {
        self.report(&[shown, b": unbound variable"]);
        self.fatal_expansion()
    }

    /// What an unset parameter does to the shell: a script given as text ends with 127, all others with 1.
    pub(crate) fn fatal_expansion(&self) -> Unwind {
        Unwind::Exit(if self.from_text && self.subshell == 0 { 127 } else { 1 })
    }

    /// Expands a word to one string: no splitting, no globbing (assignments, `case`, here-documents, redirections of
    /// strings).
    pub(crate) fn expand_single(&mut self, word: &Word) -> Flow<Bytes> {
        match &word.shape {
            Shape::Literal(b) => Ok(b.clone()),
            Shape::QuotedVar(name) | Shape::Var(name) => Ok(self.variable(*name)?.unwrap_or_default()),
            Shape::Parts(parts) => {
                if let [Part::Command(subst, _)] = &parts.parts[..] {
                    return self.command_substitution(subst);
                }
                if let [Part::Param(p, _)] = &parts.parts[..]
                    && let Some(value) = self.whole_value(p)?
                {
                    return Ok(value);
                }
                let mut sink = self.sink(Mode::Single);
                self.emit_word_parts(parts, &mut sink)?;
                Ok(Bytes::from(sink.cur))
            }
        }
    }

    fn emit_word_parts(&mut self, parts: &Parts, sink: &mut Sink) -> Flow<()> {
        if parts.parts.iter().any(|p| matches!(p, Part::Brace(_))) {
            let plain = braces::unexpanded(&parts.parts);
            return self.emit(&plain, false, false, sink);
        }
        self.emit(&parts.parts, false, false, sink)
    }

    /// Expands a word to pattern text, its quoted parts escaped.
    pub(crate) fn expand_pattern(&mut self, word: &Word) -> Flow<Vec<u8>> {
        let mut sink = self.sink(Mode::Pattern);
        self.emit_word(word, false, false, &mut sink)?;
        Ok(sink.cur)
    }

    /// A pattern as `set -x` shows it: every quoted character has its backslash.
    pub(crate) fn trace_pattern(&mut self, word: &Word) -> Flow<Vec<u8>> {
        if let Shape::Literal(s) = &word.shape
            && *s == word.source
        {
            return Ok(s.to_vec());
        }
        let mut sink = self.sink(Mode::Shown);
        self.emit_word(word, false, false, &mut sink)?;
        Ok(sink.cur)
    }

    /// Expands a word to an extended regular expression.
    pub(crate) fn expand_regex(&mut self, word: &Word) -> Flow<Vec<u8>> {
        let mut sink = self.sink(Mode::Regex);
        self.emit_word(word, false, false, &mut sink)?;
        Ok(sink.cur)
    }

    /// Expands text that is known only at run time under double-quote rules (prompts, subscripts given as text).
    pub(crate) fn expand_text(&mut self, text: Bytes) -> Flow<Bytes> {
        if memchr::memchr3(b'$', b'`', b'\\', &text).is_none() {
            return Ok(text);
        }
        let word = syntax::parse_text(&text);
        self.expand_single(&word)
    }

    /// A word within another expansion (`${x:-word}`): unquoted text of it splits where the outer one is unquoted.
    pub(crate) fn emit_word(&mut self, word: &Word, quoted: bool, split: bool, sink: &mut Sink) -> Flow<()> {
        match &word.shape {
            Shape::Literal(b) => {
                sink.quoted(b);
                Ok(())
            }
            Shape::QuotedVar(name) => {
                let v = self.variable(*name)?;
                sink.quoted(&v.unwrap_or_default());
                Ok(())
            }
            Shape::Var(name) => {
                let v = self.variable(*name)?.unwrap_or_default();
                self.emit_text(&v, quoted, sink)?;
                Ok(())
            }
            Shape::Parts(parts) => self.emit(&parts.parts, quoted, split, sink),
        }
    }

    /// Expands parts into the sink. `quoted`: all of it stands within double quotes. `split`: unquoted text splits
    /// too (it is the operand of an unquoted expansion).
    pub(crate) fn emit(&mut self, parts: &[Part], quoted: bool, split: bool, sink: &mut Sink) -> Flow<()> {
        for part in parts {
            match part {
                Part::Quoted(t) => sink.quoted(t),
                Part::Text(t) => match (quoted, split) {
                    (true, _) => sink.quoted(t),
                    (_, true) => sink.split(t),
                    _ => sink.literal(t),
                },
                Part::EmptyQuotes => sink.mark_quoted(),
                Part::Tilde(t) => {
                    let home = self.tilde(t)?;
                    sink.quoted(&home);
                }
                Part::Param(p, q) => self.emit_param(p, *q || quoted, sink)?,
                Part::Command(c, q) => {
                    let text = self.command_substitution(c)?;
                    self.emit_text(&text, *q || quoted, sink)?;
                }
                Part::Arith(a, q) => {
                    let n = self.arith(a)?;
                    let text = int_text(n);
                    self.emit_text(&text, *q || quoted, sink)?;
                }
                Part::Process(c, input) => {
                    let path = self.process_substitution(c, *input)?;
                    sink.quoted(&path);
                }
                Part::DoubleQuoted(inner) => self.emit_double_quoted(inner, sink)?,
                Part::Brace(_) => {
                    let plain = braces::unexpanded(std::slice::from_ref(part));
                    self.emit(&plain, quoted, split, sink)?;
                }
            }
        }
        Ok(())
    }

    /// A double-quoted run. It is a field even when empty, but for `"$@"` without parameters.
    fn emit_double_quoted(&mut self, inner: &[Part], sink: &mut Sink) -> Flow<()> {
        let before = (sink.fields.len(), sink.cur.len(), sink.started);
        self.emit(inner, true, false, sink)?;
        let nothing = before == (sink.fields.len(), sink.cur.len(), before.2);
        let vanishing = nothing && inner.iter().any(|p| matches!(p, Part::Param(p, _) if is_at(p)));
        match vanishing {
            true => sink.started = before.2,
            false => sink.mark_quoted(),
        }
        Ok(())
    }

    /// Puts the text of an expansion into the sink.
    #[inline]
    pub(crate) fn emit_text(&self, text: &[u8], quoted: bool, sink: &mut Sink) -> Flow<()> {
        self.room(sink.cur.len() + text.len())?;
        if quoted {
            sink.quoted(text)
        } else {
            sink.split(text)
        };
        Ok(())
    }

    /// Fails if so much memory more cannot be had: what a variable holds is charged when it is assigned, which is late
    /// for text that doubles.
    #[inline]
    pub(crate) fn room(&self, bytes: usize) -> Flow<()> {
        if bytes < 1 << 20 {
            return Ok(());
        }
        os(self.budget.reserve(bytes as u64)).map(drop)
    }

    /// One parameter expansion.
    #[inline]
    fn emit_param(&mut self, p: &Param, quoted: bool, sink: &mut Sink) -> Flow<()> {
        if let (syntax::ir::Target::Var(name), syntax::ir::Op::Value, false, None) =
            (p.target, &p.op, p.indirect, &p.subscript)
        {
            let slot = self.vars.get(name);
            if slot.special == 0 && slot.attrs & attr::NAMEREF == 0 {
                // Straight from the slot into the field.
                match &slot.value {
                    crate::session::vars::Value::Str(b) => {
                        self.room(sink.cur.len() + b.len())?;
                        if quoted {
                            sink.quoted(b)
                        } else {
                            sink.split(b)
                        };
                        return Ok(());
                    }
                    crate::session::vars::Value::Int(n) => {
                        let mut buffer = itoa::Buffer::new();
                        let text = buffer.format(*n).as_bytes();
                        self.emit_text(text, quoted, sink)?;
                        return Ok(());
                    }
                    _ => {}
                }
            }
            let v = self.variable(name)?.unwrap_or_default();
            self.emit_text(&v, quoted, sink)?;
            return Ok(());
        }
        self.emit_param_slow(p, quoted, sink)
    }

    /// What a tilde prefix stands for.
    pub(crate) fn tilde(&mut self, prefix: &Bytes) -> Flow<Bytes> {
        let k = known();
        let found = match &prefix[1..] {
            b"" => match self.scalar(k.home)? {
                Some(h) => Some(h),
                None => Some(Bytes::from_static(b"/home/agent")),
            },
            b"+" => self.scalar(k.pwd)?,
            b"-" => self.scalar(k.oldpwd)?,
            b"root" => Some(Bytes::from_static(b"/root")),
            rest => {
                let user = self.lookup(b"USER").unwrap_or_default();
                match rest {
                    r if !user.is_empty() && r == &user[..] => self.scalar(k.home)?,
                    [sign @ (b'+' | b'-'), digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
                        self.stack_entry(*sign == b'-', digits)
                    }
                    digits if digits.iter().all(u8::is_ascii_digit) => self.stack_entry(false, digits),
                    _ => None,
                }
            }
        };
        Ok(found.unwrap_or_else(|| prefix.clone()))
    }

    fn stack_entry(&self, from_end: bool, digits: &[u8]) -> Option<Bytes> {
        let n: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let stack = self.directory_stack();
        match from_end {
            true => stack.len().checked_sub(n + 1).and_then(|i| stack.get(i).cloned()),
            false => stack.get(n).cloned(),
        }
    }
}

/// `$@`, `${a[@]}` and what is made of them: may be no field at all within double quotes.
fn is_at(p: &Param) -> bool {
    use syntax::ir::{Op, Subscript, Target};
    matches!(p.target, Target::Special(b'@'))
        || matches!(p.subscript, Some(Subscript::At))
        || matches!(p.op, Op::Names(true) | Op::Keys(true))
        || p.indirect
}

/// May split or glob in the default state.
#[inline]
fn special_byte(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'*' | b'?' | b'[' | b'\\' | b'(')
}
