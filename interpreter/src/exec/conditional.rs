//! `[[ … ]]`.

use crate::session::{
    array::{Indexed, Scalar},
    options::shopt,
    shell::{Flow, Shell, watch},
    special::known,
    vars::{Value, attr},
};
use crate::syntax::ir::{CompareOp, Shape, TestExpr, Word};
use bytes::Bytes;
use sandshell_text::regex::{Captures, Flags, Regex, Syntax};
use std::sync::Arc;

impl Shell {
    /// Evaluates `[[ … ]]`: 0, 1, or 2 for an error that was told.
    pub(super) fn conditional(&mut self, t: &TestExpr) -> Flow {
        let before = std::mem::take(&mut self.builtin);
        let r = self.test(t);
        self.builtin = before;
        Ok(match r? {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        })
    }

    fn test(&mut self, t: &TestExpr) -> Flow<Option<bool>> {
        Ok(match t {
            TestExpr::And(a, b) => match self.test(a)? {
                Some(true) => self.test(b)?,
                r => r,
            },
            TestExpr::Or(a, b) => match self.test(a)? {
                Some(false) => self.test(b)?,
                r => r,
            },
            TestExpr::Not(a) => self.test(a)?.map(|r| !r),
            TestExpr::Group(a) => self.test(a)?,
            TestExpr::Unary(op, w) => {
                let value = self.expand_single(w)?;
                self.trace_test(&[op, &value])?;
                match &op[..] {
                    b"-n" => Some(!value.is_empty()),
                    b"-z" => Some(value.is_empty()),
                    b"-v" => Some(self.is_set(&value)?),
                    op => crate::builtins::test::unary(self, op, &value)?,
                }
            }
            TestExpr::Binary(op, a, b) => {
                let a = self.expand_single(a)?;
                let b = self.expand_single(b)?;
                self.trace_test(&[&a, op, &b])?;
                match &op[..] {
                    b"<" => Some(a < b),
                    b">" => Some(a > b),
                    op => crate::builtins::test::files(self, op, &a, &b)?,
                }
            }
            TestExpr::Match { op, negated, word, pattern } => {
                let value = self.expand_single(word)?;
                if self.watch & watch::XTRACE != 0 {
                    let shown = self.trace_pattern(&pattern.word)?;
                    self.trace_test(&[&value, op, &shown])?;
                }
                Some(self.conditional_match(pattern, &value)? != *negated)
            }
            TestExpr::Regex(word, regex) => self.matches_regex(word, regex)?,
            TestExpr::Compare(op, a, b) => {
                let a = self.expand_single(&a.word)?;
                let b = self.expand_single(&b.word)?;
                self.trace_test(&[&a, compare_text(*op), &b])?;
                let Some(a) = self.arith_text_command(&a, b"[[: ")? else { return Ok(Some(false)) };
                let Some(b) = self.arith_text_command(&b, b"[[: ")? else { return Ok(Some(false)) };
                Some(match op {
                    CompareOp::Eq => a == b,
                    CompareOp::Ne => a != b,
                    CompareOp::Lt => a < b,
                    CompareOp::Le => a <= b,
                    CompareOp::Gt => a > b,
                    CompareOp::Ge => a >= b,
                })
            }
        })
    }

    /// `a =~ regex`, which sets BASH_REMATCH.
    fn matches_regex(&mut self, word: &Word, regex: &Word) -> Flow<Option<bool>> {
        let text = self.expand_single(word)?;
        let pattern = match &regex.shape {
            Shape::Literal(_) | Shape::QuotedVar(_) | Shape::Var(_) | Shape::Parts(_) => {
                self.expand_regex(regex)?
            }
        };
        if self.watch & watch::XTRACE != 0 {
            self.trace_test(&[&text, b"=~", &pattern])?;
        }
        let flags = Flags { icase: self.options.shopt(shopt::NOCASEMATCH), ..Flags::default() };
        let Ok(regex) = Regex::new(&pattern, Syntax::Ere, flags) else { return Ok(None) };
        let mut found = Captures::new();
        let matched = regex.captures_at(&text, 0, &mut found);
        let mut groups = Indexed::default();
        if matched {
            for i in 0..=regex.groups() {
                let part = found.get(i).map_or(Bytes::new(), |(a, b)| Bytes::copy_from_slice(&text[a..b]));
                groups.set(i as i64, Scalar::Str(part));
            }
        }
        let slot = self.vars.get_mut(known().bash_rematch);
        if slot.attrs & attr::READONLY == 0 {
            slot.value = Value::Array(Arc::new(groups));
            slot.attrs |= attr::ARRAY | attr::DECLARED;
        }
        Ok(Some(matched))
    }

    fn trace_test(&mut self, parts: &[&[u8]]) -> Flow<()> {
        if self.watch & watch::XTRACE == 0 {
            return Ok(());
        }
        let mut text = b"[[ ".to_vec();
        for p in parts {
            match p.is_empty() {
                true => text.extend_from_slice(b"''"),
                false => text.extend_from_slice(p),
            }
            text.push(b' ');
        }
        text.extend_from_slice(b"]]");
        self.trace_line(&text)
    }
}

fn compare_text(op: CompareOp) -> &'static [u8] {
    match op {
        CompareOp::Eq => b"-eq",
        CompareOp::Ne => b"-ne",
        CompareOp::Lt => b"-lt",
        CompareOp::Le => b"-le",
        CompareOp::Gt => b"-gt",
        CompareOp::Ge => b"-ge",
    }
}
