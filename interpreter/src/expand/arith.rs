//! Arithmetic: evaluates the compiled tree over variable slots; text that is known only at run time is parsed
//! through a small cache.

use crate::session::{
    access::Key,
    array::Scalar,
    options::opt,
    shell::{Flow, Shell, Unwind},
    vars::{Value, attr},
};
use crate::syntax::{
    self,
    ir::{Arith, ArithExpr, BinaryOp, LValue, Name},
    names,
};
use bytes::Bytes;
use hashbrown::HashMap;
use std::sync::Arc;

/// How deep values may refer to each other (`x=y y=x`).
const MAX_DEPTH: u32 = 1024;

/// Trees of texts met at run time. A fork starts with none.
#[derive(Default)]
pub struct ArithCache {
    map: HashMap<Bytes, Arc<ArithExpr>, foldhash::fast::RandomState>,
}

impl Clone for ArithCache {
    fn clone(&self) -> Self {
        ArithCache::default()
    }
}

/// Why an evaluation ended.
pub(crate) enum Fail {
    /// Something within it leaves the commands.
    Unwind(Unwind),
    /// `EXPRESSION: MESSAGE (error token is "TOKEN")`
    Message(Vec<u8>),
}

type Eval<T = i64> = Result<T, Box<Fail>>;

impl From<Unwind> for Box<Fail> {
    fn from(u: Unwind) -> Self {
        Box::new(Fail::Unwind(u))
    }
}

/// What the tree was compiled from, for messages.
#[derive(Clone, Copy)]
struct At<'a> {
    source: &'a [u8],
}

impl Shell {
    /// Evaluates an expression; an error is told and abandons the command line.
    #[inline]
    pub(crate) fn arith(&mut self, a: &Arith) -> Flow<i64> {
        match self.evaluate(a) {
            Ok(n) => Ok(n),
            Err(f) => Err(self.arith_failed(*f)),
        }
    }

    #[cold]
    fn arith_failed(&mut self, f: Fail) -> Unwind {
        match f {
            Fail::Unwind(u) => u,
            Fail::Message(m) => {
                self.complain(&[&m]);
                Unwind::Discard(1)
            }
        }
    }

    /// Evaluates `(( ))`: an error is told and is its failure (`None`).
    pub(crate) fn arith_command(&mut self, a: &Arith) -> Flow<Option<i64>> {
        match self.evaluate(a) {
            Ok(n) => Ok(Some(n)),
            Err(f) => self.arith_command_failed(*f, b"((: "),
        }
    }

    #[cold]
    pub(crate) fn arith_command_failed(&mut self, f: Fail, who: &[u8]) -> Flow<Option<i64>> {
        match f {
            Fail::Unwind(u) => Err(u),
            Fail::Message(m) => {
                self.report(&[who, &m]);
                Ok(None)
            }
        }
    }

    /// Evaluates text that is known only at run time.
    pub(crate) fn arith_text(&mut self, text: &[u8]) -> Flow<i64> {
        match self.evaluate_text(text) {
            Ok(n) => Ok(n),
            Err(f) => Err(self.arith_failed(*f)),
        }
    }

    /// The same for a command that fails by itself (`let`, `[[ -eq ]]`).
    pub(crate) fn arith_text_command(&mut self, text: &[u8], who: &[u8]) -> Flow<Option<i64>> {
        match self.evaluate_text(text) {
            Ok(n) => Ok(Some(n)),
            Err(f) => self.arith_command_failed(*f, who),
        }
    }

    #[inline]
    fn evaluate(&mut self, a: &Arith) -> Eval {
        if let Some(e) = &a.expr
            && (a.word.is_none() || self.dollars_are_plain(e)?)
        {
            return self.eval(e, At { source: &a.source });
        }
        let text = match &a.word {
            Some(w) => self.expand_single(w)?,
            None => a.source.clone(),
        };
        self.evaluate_text(&text)
    }

    fn evaluate_text(&mut self, text: &[u8]) -> Eval {
        if let Some(n) = decimal(text) {
            return Ok(n);
        }
        let tree = match self.arith_cache.map.get(text) {
            Some(t) => t.clone(),
            None => {
                let tree = match syntax::parse_arith(text) {
                    Ok(t) => Arc::new(t),
                    Err(e) => {
                        let message = match e.token.is_empty() && e.message.is_empty() {
                            true => e.expression.to_vec(),
                            false => [
                                &e.expression[..],
                                b": ",
                                e.message.as_bytes(),
                                b" (error token is \"",
                                &e.token[..],
                                b"\")",
                            ]
                            .concat(),
                        };
                        return Err(Box::new(Fail::Message(message)));
                    }
                };
                if self.arith_cache.map.len() > 256 {
                    self.arith_cache.map.clear();
                }
                if text.len() < 4096 {
                    self.arith_cache.map.insert(Bytes::copy_from_slice(text), tree.clone());
                }
                tree
            }
        };
        self.eval(&tree, At { source: text })
    }

    /// Whether every `$x` of the tree holds a plain decimal number now, so that it can stand as an atom.
    fn dollars_are_plain(&mut self, e: &ArithExpr) -> Eval<bool> {
        Ok(match e {
            ArithExpr::Const(_) | ArithExpr::Var(_) | ArithExpr::Empty => true,
            ArithExpr::Index(_, s) => subscript_is_plain(s),
            ArithExpr::Dollar(p) => match self.param_text(p)? {
                Some(t) => decimal(&t).is_some_and(|n| n >= 0),
                None => false,
            },
            ArithExpr::Unary(_, a) => self.dollars_are_plain(a)?,
            ArithExpr::Binary(_, a, b)
            | ArithExpr::Divide { left: a, right: b, .. }
            | ArithExpr::And(a, b)
            | ArithExpr::Or(a, b)
            | ArithExpr::Comma(a, b) => self.dollars_are_plain(a)? && self.dollars_are_plain(b)?,
            ArithExpr::Cond(a, b, c) => {
                self.dollars_are_plain(a)? && self.dollars_are_plain(b)? && self.dollars_are_plain(c)?
            }
            ArithExpr::Assign(_, l, e) => {
                l.subscript.as_ref().is_none_or(subscript_is_plain) && self.dollars_are_plain(e)?
            }
            ArithExpr::Step(_, _, l) => l.subscript.as_ref().is_none_or(subscript_is_plain),
        })
    }

    /// The text of a `$x` atom.
    fn param_text(&mut self, p: &syntax::ir::Param) -> Flow<Option<Bytes>> {
        use syntax::ir::{Op, Target};
        Ok(match (p.target, &p.op, p.indirect, &p.subscript) {
            (Target::Var(n), Op::Value, false, None) => self.variable(n)?,
            (Target::Positional(n), Op::Value, false, None) => {
                self.positional.args().get((n as usize).wrapping_sub(1)).cloned()
            }
            (Target::Special(b'#'), Op::Value, false, None) => {
                Some(super::int_text(self.positional.args().len() as i64))
            }
            (Target::Special(b'?'), Op::Value, false, None) => Some(super::int_text(i64::from(self.status))),
            _ => {
                let mut sink = self.sink(super::Mode::Single);
                self.emit_param_slow(p, true, &mut sink)?;
                Some(Bytes::from(sink.cur))
            }
        })
    }

    fn eval(&mut self, e: &ArithExpr, at: At<'_>) -> Eval {
        Ok(match e {
            ArithExpr::Const(n) => *n,
            ArithExpr::Var(name) => self.eval_var(*name)?,
            ArithExpr::Empty => 0,
            ArithExpr::Binary(op, a, b) => {
                let a = self.eval(a, at)?;
                let b = self.eval(b, at)?;
                self.binary(*op, a, b, at)?
            }
            ArithExpr::Divide { rem, left, right, at: token } => {
                let a = self.eval(left, at)?;
                let b = self.eval(right, at)?;
                if b == 0 {
                    return Err(message(
                        at.source,
                        "division by 0",
                        at.source.get(*token as usize..).unwrap_or(b"0"),
                    ));
                }
                if *rem { a.wrapping_rem(b) } else { a.wrapping_div(b) }
            }
            ArithExpr::Assign(op, target, value) => {
                let value = match op {
                    None => self.eval(value, at)?,
                    Some(op) => {
                        let old = self.eval_lvalue(target)?;
                        let right = self.eval(value, at)?;
                        self.binary(*op, old, right, at)?
                    }
                };
                self.put(target, value)?;
                value
            }
            ArithExpr::Step(delta, prefix, target) => {
                let old = self.eval_lvalue(target)?;
                let new = old.wrapping_add(*delta);
                self.put(target, new)?;
                if *prefix { new } else { old }
            }
            ArithExpr::And(a, b) => i64::from(self.eval(a, at)? != 0 && self.eval(b, at)? != 0),
            ArithExpr::Or(a, b) => i64::from(self.eval(a, at)? != 0 || self.eval(b, at)? != 0),
            ArithExpr::Cond(c, a, b) => match self.eval(c, at)? != 0 {
                true => self.eval(a, at)?,
                false => self.eval(b, at)?,
            },
            ArithExpr::Comma(a, b) => {
                self.eval(a, at)?;
                self.eval(b, at)?
            }
            ArithExpr::Unary(op, a) => {
                let n = self.eval(a, at)?;
                match op {
                    b'-' => n.wrapping_neg(),
                    b'!' => i64::from(n == 0),
                    b'~' => !n,
                    _ => n,
                }
            }
            ArithExpr::Index(name, subscript) => {
                let Some((name, _)) = self.resolve(*name) else { return Ok(0) };
                let Some(key) = self.key(name, subscript)? else { return Ok(0) };
                let text = match key {
                    Key::At | Key::Star => self.value(name).text(),
                    key => self.element_number(name, &key),
                };
                self.eval_value(text, name)?
            }
            ArithExpr::Dollar(p) => match self.param_text(p)? {
                Some(t) => self.evaluate_text(&t)?,
                None => 0,
            },
        })
    }

    /// An element for arithmetic; a bad subscript is told.
    fn element_number(&mut self, name: Name, key: &Key) -> Option<Bytes> {
        let found = self.element(name, key);
        if let (None, Key::Index(i)) = (&found, key)
            && *i < 0
        {
            let top = match &self.vars.get(name).value {
                Value::Array(a) => a.max().map_or(0, |m| m + 1),
                Value::Unset => 0,
                _ => 1,
            };
            if i + top < 0 {
                self.report(&[names::text(name), b": bad array subscript"]);
            }
        }
        found
    }

    #[inline]
    fn eval_var(&mut self, name: Name) -> Eval {
        let slot = self.vars.get(name);
        if slot.special == 0 && slot.attrs & attr::NAMEREF == 0 {
            match &slot.value {
                Value::Int(n) => return Ok(*n),
                Value::Str(t) => {
                    if let Some(n) = decimal(t) {
                        return Ok(n);
                    }
                }
                Value::Unset if self.options.set & opt::NOUNSET == 0 => return Ok(0),
                _ => {}
            }
        }
        let text = self.scalar(name)?;
        self.eval_value(text, name)
    }

    fn eval_value(&mut self, text: Option<Bytes>, name: Name) -> Eval {
        let Some(text) = text else {
            if self.options.on(opt::NOUNSET) {
                return Err(self.unbound(names::text(name)).into());
            }
            return Ok(0);
        };
        if self.arith_depth >= MAX_DEPTH {
            return Err(message(&text, "expression recursion level exceeded", &text));
        }
        // Counted in the shell, for a subscript begins an evaluation of its own.
        self.arith_depth += 1;
        let result = self.grow(|sh| sh.evaluate_text(&text));
        self.arith_depth -= 1;
        result
    }

    fn eval_lvalue(&mut self, l: &LValue) -> Eval {
        match &l.subscript {
            None => self.eval_var(l.name),
            Some(s) => {
                let Some((name, _)) = self.resolve(l.name) else { return Ok(0) };
                let Some(key) = self.key(name, s)? else { return Ok(0) };
                let text = self.element_number(name, &key);
                // An element that is not there counts as 0, also under `set -u`.
                match text {
                    None => Ok(0),
                    t => self.eval_value(t, name),
                }
            }
        }
    }

    #[inline]
    fn put(&mut self, l: &LValue, value: i64) -> Eval<()> {
        let Some(s) = &l.subscript else {
            let slot = self.vars.get_mut(l.name);
            if let Value::Int(n) = &mut slot.value
                && slot.attrs & (attr::CONVERTS | attr::EXPORT) == 0
                && slot.special == 0
            {
                *n = value;
                return Ok(());
            }
            if !self.assign_plain(l.name, Scalar::Int(value))? {
                return Err(self.assignment_failed().into());
            }
            return Ok(());
        };
        let Some((name, _)) = self.resolve(l.name) else { return Ok(()) };
        let Some(key) = self.key(name, s)? else { return Ok(()) };
        self.assign_or_discard(name, Some(key), Scalar::Int(value), false)?;
        Ok(())
    }

    #[inline]
    fn binary(&mut self, op: BinaryOp, a: i64, b: i64, at: At<'_>) -> Eval {
        Ok(match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Lt => i64::from(a < b),
            BinaryOp::Le => i64::from(a <= b),
            BinaryOp::Gt => i64::from(a > b),
            BinaryOp::Ge => i64::from(a >= b),
            BinaryOp::Eq => i64::from(a == b),
            BinaryOp::Ne => i64::from(a != b),
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            // The count is taken modulo 64, as the machine does.
            BinaryOp::Shl => a.wrapping_shl(b as u32),
            BinaryOp::Shr => a.wrapping_shr(b as u32),
            BinaryOp::Pow => {
                if b < 0 {
                    return Err(message(at.source, "exponent less than 0", last_token(at.source)));
                }
                power(a, b)
            }
            BinaryOp::Div | BinaryOp::Rem => {
                if b == 0 {
                    return Err(message(at.source, "division by 0", last_token(at.source)));
                }
                if op == BinaryOp::Div { a.wrapping_div(b) } else { a.wrapping_rem(b) }
            }
        })
    }
}

fn subscript_is_plain(s: &syntax::ir::Subscript) -> bool {
    // The subscript is expanded on its own when it is evaluated.
    let _ = s;
    true
}

#[cold]
fn message(source: &[u8], what: &str, token: &[u8]) -> Box<Fail> {
    let text =
        [source.trim_ascii_start(), b": ", what.as_bytes(), b" (error token is \"", token, b"\")"].concat();
    Box::new(Fail::Message(text))
}

/// The last operand of an expression, for messages of operators that keep no place.
fn last_token(source: &[u8]) -> &[u8] {
    let trimmed = source.trim_ascii();
    let n = trimmed.iter().rposition(|b| !(b.is_ascii_alphanumeric() || *b == b'_')).map_or(0, |n| n + 1);
    &trimmed[n..]
}

fn power(mut base: i64, mut exponent: i64) -> i64 {
    let mut result = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

/// Plain decimal text: an optional minus and digits without a leading zero.
#[inline]
pub fn decimal(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 || digits[0] == b'0' && digits.len() > 1 {
        return None;
    }
    let mut n = 0i64;
    for &b in digits {
        if !b.is_ascii_digit() {
            return None;
        }
        n = n * 10 + i64::from(b - b'0');
    }
    Some(if negative { -n } else { n })
}

/// The number at the start of text, 0 without one (as `strtol`).
pub fn leading_number(text: &[u8]) -> i64 {
    let t = text.trim_ascii_start();
    let (negative, t) = match t {
        [b'-', r @ ..] => (true, r),
        [b'+', r @ ..] => (false, r),
        _ => (false, t),
    };
    let n = t
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .fold(0i64, |n, b| n.saturating_mul(10).saturating_add(i64::from(b - b'0')));
    if negative { -n } else { n }
}
