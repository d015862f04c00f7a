//! `${…}`: every form that bash knows; all others become [`Op::Bad`].

use super::arith_text::Stop;
use super::builder::{Builder, Place};
use super::cursor::*;
use super::ir::*;
use super::word::{Ending, Mode};
use sandshell_text::glob::{Glob, GlobBuilder, GlobFlags};
use std::sync::Arc;

impl Cursor<'_> {
    /// `${…}` from its `$`, through its `}`.
    pub fn parameter(&mut self, quoted: bool) -> Parsed<Param> {
        let start = self.pos;
        self.pos += 2;
        let inside = self.pos;
        let form = self.parameter_form(quoted);
        let (target, indirect, subscript, op) = match form {
            Ok(Some(f)) if self.peek() == b'}' => f,
            Err(e) => return Err(e),
            _ => {
                // Nothing that bash knows: find its end.
                self.pos = inside;
                let mut b = Builder::default();
                if quoted {
                    self.double(Ending::Brace, start, &mut b)?;
                } else {
                    self.unquoted(Mode::Operand, false, &mut b)?;
                }
                (Target::Special(b'0'), false, None, Op::Bad)
            }
        };
        self.pos += 1;
        Ok(Param { target, indirect, subscript, op, source: self.source(start) })
    }

    /// What is between the braces; `None` if it is no known form.
    fn parameter_form(&mut self, quoted: bool) -> Parsed<Option<(Target, bool, Option<Subscript>, Op)>> {
        let (first, second) = (self.peek(), self.peek_at(1));
        // `${#x}`: a length, unless `#` itself is the parameter.
        if first == b'#' && second != b'}' {
            let back = self.pos;
            self.pos += 1;
            if let Some(target) = self.target()? {
                let subscript = self.parameter_subscript(target)?;
                if self.peek() == b'}' {
                    return Ok(Some((target, false, subscript, Op::Length)));
                }
            }
            self.pos = back;
        }
        let mut indirect = false;
        if first == b'!'
            && (name_byte(second) || matches!(second, b'#' | b'@' | b'*' | b'?' | b'-' | b'!' | b'$'))
            && !(matches!(second, b'#' | b'@' | b'*' | b'?' | b'-' | b'!' | b'$') && self.peek_at(2) != b'}')
        {
            indirect = true;
            self.pos += 1;
        }
        let Some(target) = self.target()? else { return Ok(None) };
        if indirect && let Target::Var(_) = target {
            let (a, b) = (self.peek(), self.peek_at(1));
            if matches!(a, b'*' | b'@') && b == b'}' {
                self.pos += 1;
                return Ok(Some((target, false, None, Op::Names(a == b'@'))));
            }
            if a == b'['
                && matches!(b, b'@' | b'*')
                && self.starts_with(if b == b'@' { b"[@]}" } else { b"[*]}" })
            {
                self.pos += 3;
                return Ok(Some((target, false, None, Op::Keys(b == b'@'))));
            }
        }
        let subscript = self.parameter_subscript(target)?;
        let op = self.operator(quoted)?;
        Ok(op.map(|op| (target, indirect, subscript, op)))
    }

    /// The parameter itself.
    fn target(&mut self) -> Parsed<Option<Target>> {
        let c = self.peek();
        if name_start(c) {
            let n = name_len(&self.text[self.pos..]);
            let name = self.slice(self.pos, self.pos + n);
            self.pos += n;
            return Ok(Some(Target::Var(self.intern(&name)?)));
        }
        if c.is_ascii_digit() {
            let mut n: u32 = 0;
            while self.peek().is_ascii_digit() {
                n = n.saturating_mul(10).saturating_add(u32::from(self.peek() - b'0'));
                self.pos += 1;
            }
            return Ok(Some(if n == 0 { Target::Special(b'0') } else { Target::Positional(n) }));
        }
        if matches!(c, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            self.pos += 1;
            return Ok(Some(Target::Special(c)));
        }
        Ok(None)
    }

    fn parameter_subscript(&mut self, target: Target) -> Parsed<Option<Subscript>> {
        if self.peek() == b'[' && matches!(target, Target::Var(_)) {
            return self.subscript_in(Mode::ParamSubscript).map(Some);
        }
        Ok(None)
    }

    /// `[…]` from its bracket, through the closing one.
    pub fn subscript(&mut self) -> Parsed<Subscript> {
        self.subscript_in(Mode::Subscript)
    }

    /// The same; within `${…}` the caller finds no `}` afterwards if the bracket is not closed.
    fn subscript_in(&mut self, mode: Mode) -> Parsed<Subscript> {
        self.enter()?;
        self.pos += 1;
        let s = match (self.peek(), self.peek_at(1)) {
            (b'@', b']') => {
                self.pos += 1;
                Subscript::At
            }
            (b'*', b']') => {
                self.pos += 1;
                Subscript::Star
            }
            _ => self.index(mode)?,
        };
        if self.peek() == b']' {
            self.pos += 1;
        } else {
            // `${x[}`: bad; the caller looks for `}` from the start again.
            self.pos = self.text.len();
        }
        self.leave();
        Ok(s)
    }

    /// The operator and its operand, up to `}`.
    fn operator(&mut self, quoted: bool) -> Parsed<Option<Op>> {
        let c = self.peek();
        let next = self.peek_at(1);
        Ok(Some(match c {
            b'}' => Op::Value,
            b'-' | b'=' | b'?' | b'+' => {
                self.pos += 1;
                self.default_op(c, false, quoted)?
            }
            b':' if matches!(next, b'-' | b'=' | b'?' | b'+') => {
                self.pos += 2;
                self.default_op(next, true, quoted)?
            }
            b':' => {
                if next == b'}' {
                    return Ok(None);
                }
                self.pos += 1;
                let offset = self.arithmetic(Stop::Colon)?;
                let mut length = None;
                if self.peek() == b':' {
                    self.pos += 1;
                    length = Some(self.arithmetic(Stop::Brace)?);
                }
                Op::Substring(offset, length)
            }
            b'#' | b'%' => {
                let double = next == c;
                self.pos += if double { 2 } else { 1 };
                let p = self.operand_pattern(Mode::Operand)?;
                if c == b'#' { Op::RemovePrefix(double, p) } else { Op::RemoveSuffix(double, p) }
            }
            b'/' => {
                self.pos += 1;
                let kind = match self.peek() {
                    b'/' => ReplaceKind::All,
                    b'#' => ReplaceKind::Prefix,
                    b'%' => ReplaceKind::Suffix,
                    _ => ReplaceKind::First,
                };
                if kind != ReplaceKind::First {
                    self.pos += 1;
                }
                let p = self.replaced(kind)?;
                let mut replacement = None;
                if self.peek() == b'/' {
                    self.pos += 1;
                    replacement = Some(self.replacement()?);
                }
                Op::Replace(kind, p, replacement)
            }
            b'^' | b',' | b'~' => {
                let all = next == c;
                self.pos += if all { 2 } else { 1 };
                let p = match self.peek() {
                    b'}' => None,
                    _ => Some(self.operand_pattern(Mode::Operand)?),
                };
                let op = match c {
                    b'^' => CaseOp::Upper,
                    b',' => CaseOp::Lower,
                    _ => CaseOp::Toggle,
                };
                Op::Case(op, all, p)
            }
            b'@' if next.is_ascii_alphabetic() && self.peek_at(2) == b'}' => {
                self.pos += 2;
                Op::Transform(next)
            }
            _ => return Ok(None),
        }))
    }

    fn default_op(&mut self, c: u8, colon: bool, quoted: bool) -> Parsed<Op> {
        if c == b'?' && self.peek() == b'}' {
            return Ok(Op::Error(colon, None));
        }
        let w = self.operand(quoted)?;
        Ok(match c {
            b'-' => Op::Default(colon, w),
            b'=' => Op::Assign(colon, w),
            b'?' => Op::Error(colon, Some(w)),
            _ => Op::Alternative(colon, w),
        })
    }

    /// The word of `${x-word}`.
    fn operand(&mut self, quoted: bool) -> Parsed<Word> {
        let start = self.pos;
        let mut b = Builder::default();
        if quoted {
            self.double(Ending::Brace, start, &mut b)?;
            return Ok(b.finish(Place::Quoted, self.source(start)));
        }
        self.unquoted(Mode::Operand, false, &mut b)?;
        Ok(b.finish(Place::Operand, self.source(start)))
    }

    /// The replacement of `${x/p/r}`: quotes are removed also within double quotes.
    fn replacement(&mut self) -> Parsed<Word> {
        let start = self.pos;
        let mut b = Builder::default();
        self.unquoted(Mode::Operand, false, &mut b)?;
        b.glob = false;
        Ok(b.finish(Place::Replacement, self.source(start)))
    }

    /// A pattern in `${…}`: single quotes quote there even within double quotes.
    fn operand_pattern(&mut self, mode: Mode) -> Parsed<Pattern> {
        let start = self.pos;
        let mut b = Builder::default();
        self.unquoted(mode, false, &mut b)?;
        Ok(self.pattern(b.finish(Place::Word, self.source(start))))
    }

    /// The pattern of `${x/p/r}`. After `//` a further slash is the beginning of the pattern (`${x////.}`).
    fn replaced(&mut self, kind: ReplaceKind) -> Parsed<Pattern> {
        let start = self.pos;
        let mut b = Builder::default();
        if kind == ReplaceKind::All && self.peek() == b'/' {
            self.pos += 1;
            b.text(b"/");
        }
        self.unquoted(Mode::Slash, false, &mut b)?;
        Ok(self.pattern(b.finish(Place::Word, self.source(start))))
    }

    /// The pattern that a word makes.
    pub fn pattern(&self, word: Word) -> Pattern {
        let compiled = match &word.shape {
            Shape::Literal(s) => Some(Glob::exact(s)),
            Shape::Parts(p) => self.constant(p),
            _ => None,
        };
        Pattern { word, compiled: compiled.map(Arc::new) }
    }

    /// The matcher of a pattern without expansions.
    fn constant(&self, p: &Parts) -> Option<Glob> {
        let mut b = GlobBuilder::new();
        for part in &p.parts {
            match part {
                Part::Text(t) => {
                    // Whether this is a group is known when it runs.
                    if !self.opts.extglob && t.contains(&b'(') {
                        return None;
                    }
                    b.pattern(t);
                }
                Part::Quoted(t) => {
                    b.literal(t);
                }
                Part::EmptyQuotes => {}
                _ => return None,
            }
        }
        Some(b.build(GlobFlags { extglob: self.opts.extglob, ..GlobFlags::default() }))
    }
}
