//! Expressions. Each is evaluated for what its context needs: [`Interp::num`], [`Interp::truth`], [`Interp::append`]
//! (text at the end of a buffer), [`Interp::value`], or [`Interp::discard`] for its effects alone.

use super::{
    array::{ArrayRef, KeyRef, new_array},
    ast::*,
    builtins::lower,
    interp::{Flow, Interp, Run, fatal},
    value::{Str, Value, input_truth, looks_numeric, put_integer, to_number},
};
use sandshell_text::regex::Regex;
use std::{cmp::Ordering, rc::Rc};

/// Deepest nesting of function calls.
const CALLS: usize = 60_000;
/// What one call is charged with.
const CALL_WEIGHT: i64 = 2048;

impl<'p> Interp<'p> {
    fn variable(&self, e: &Expr) -> Option<&Value> {
        match e {
            Expr::Global(i) => Some(&self.globals[*i]),
            Expr::Local(i) => self.stack.get(self.base + i),
            _ => None,
        }
    }

    fn variable_name(&self, e: &Expr) -> String {
        match e {
            Expr::Global(i) => self.program.globals[*i].clone(),
            Expr::Local(i) => self.local_name(*i),
            _ => String::new(),
        }
    }

    fn local_name(&self, i: usize) -> String {
        // The frame does not say whose it is; the innermost call does.
        self.frames_function()
            .and_then(|f| self.program.functions[f].params.get(i).cloned())
            .unwrap_or_default()
    }

    fn frames_function(&self) -> Option<usize> {
        self.running.last().copied()
    }

    #[cold]
    fn array_as_scalar<T>(&self, e: &Expr) -> Run<T> {
        fatal(format!("attempt to use array `{}' in a scalar context", self.variable_name(e)))
    }

    /// Evaluates for a number.
    #[inline]
    pub(super) fn num(&mut self, e: &'p Expr) -> Run<f64> {
        match e {
            Expr::Num(n) => Ok(*n),
            Expr::Global(i) => match &self.globals[*i] {
                Value::Num(n) => Ok(*n),
                Value::Array(_) => self.array_as_scalar(e),
                v => Ok(v.number()),
            },
            Expr::Local(i) => match &self.stack[self.base + i] {
                Value::Num(n) => Ok(*n),
                Value::Array(_) => self.array_as_scalar(e),
                v => Ok(v.number()),
            },
            Expr::FieldConst(i) => {
                if *i == 0 {
                    self.joined();
                }
                Ok(to_number(self.record.field(*i)))
            }
            Expr::Binary(op, ab) => {
                let a = self.num(&ab.0)?;
                let b = self.num(&ab.1)?;
                self.arith(*op, a, b)
            }
            _ => self.num_slow(e),
        }
    }

    fn num_slow(&mut self, e: &'p Expr) -> Run<f64> {
        match e {
            Expr::Group(e) | Expr::Plus(e) => self.num(e),
            Expr::Negate(e) => Ok(-self.num(e)?),
            Expr::Special(Special::NR) => Ok(self.nr),
            Expr::Special(Special::FNR) => Ok(self.fnr),
            Expr::Special(Special::NF) => Ok(self.record.count() as f64),
            Expr::Field(i) => {
                let i = self.field_index(i)?;
                Ok(to_number(self.record.field(i)))
            }
            Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Compare(..)
            | Expr::Match(..)
            | Expr::In(_)
            | Expr::Regex(_) => Ok(f64::from(u8::from(self.truth(e)?))),
            Expr::Step(target, by, kind) => {
                let new = self.step(target, *by)?;
                Ok(if *kind == StepKind::After { new - by } else { new })
            }
            Expr::Update(u) => self.update(&u.0, u.1, &u.2),
            Expr::Cond(c) => {
                if self.truth(&c.0)? {
                    self.num(&c.1)
                } else {
                    self.num(&c.2)
                }
            }
            Expr::Index(ix) => {
                let array = self.array(&ix.0)?;
                let mut buf = self.buffer();
                let int = self.subscript(&ix.1, &mut buf)?;
                let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
                let known = match array.borrow().get(key) {
                    Some(Value::Array(_)) => return self.element_as_scalar(&ix.0, key),
                    Some(v) => Some(v.number()),
                    None => None,
                };
                if known.is_none() {
                    self.create(&array, key)?;
                }
                self.give_back(buf);
                Ok(known.unwrap_or(0.0))
            }
            e => Ok(self.value(e)?.number()),
        }
    }

    #[cold]
    fn element_as_scalar<T>(&self, array: &ArrayExpr, key: KeyRef<'_>) -> Run<T> {
        let mut name = self.array_name(array);
        name.push_str("[\"");
        match key {
            KeyRef::Int(i) => name.push_str(&i.to_string()),
            KeyRef::Text(t) => name.push_str(&String::from_utf8_lossy(t)),
        }
        name.push_str("\"]");
        fatal(format!("attempt to use array `{name}' in a scalar context"))
    }

    fn array_name(&self, a: &ArrayExpr) -> String {
        match a {
            ArrayExpr::Global(i) => self.program.globals[*i].clone(),
            ArrayExpr::Local(i) => self.local_name(*i),
            ArrayExpr::Element(e) => self.array_name(&e.0),
        }
    }

    #[inline]
    fn arith(&mut self, op: Arith, a: f64, b: f64) -> Run<f64> {
        Ok(match op {
            Arith::Add => a + b,
            Arith::Sub => a - b,
            Arith::Mul => a * b,
            Arith::Div => {
                if b == 0.0 {
                    return fatal("division by zero attempted");
                }
                a / b
            }
            Arith::Mod => {
                if b == 0.0 {
                    return fatal("division by zero attempted in `%'");
                }
                let (ia, ib) = (a as i64, b as i64);
                // fmod is slow, and most operands are integers.
                if ia as f64 == a && ib as f64 == b && ib > 0 && (0..1 << 53).contains(&ia) {
                    (ia % ib) as f64
                } else {
                    a % b
                }
            }
            Arith::Pow => power(a, b),
        })
    }

    /// Evaluates for truth.
    pub(super) fn truth(&mut self, e: &'p Expr) -> Run<bool> {
        match e {
            Expr::Num(n) => Ok(*n != 0.0),
            Expr::Str(s) => Ok(!s.is_empty()),
            Expr::Group(e) => self.truth(e),
            Expr::Not(e) => Ok(!self.truth(e)?),
            Expr::And(ab) => Ok(self.truth(&ab.0)? && self.truth(&ab.1)?),
            Expr::Or(ab) => Ok(self.truth(&ab.0)? || self.truth(&ab.1)?),
            Expr::Compare(op, ab) => self.compare(*op, &ab.0, &ab.1),
            Expr::Match(not, ab) => Ok(self.matches(&ab.0, &ab.1)? != *not),
            Expr::Regex(i) => {
                let r = self.literal(*i)?;
                self.joined();
                Ok(r.is_match(self.record.text()))
            }
            Expr::In(i) => {
                let array = self.array(&i.1)?;
                let mut buf = self.buffer();
                let int = self.subscript(&i.0, &mut buf)?;
                let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
                let is = array.borrow().contains(key);
                self.give_back(buf);
                Ok(is)
            }
            Expr::FieldConst(i) => {
                if *i == 0 {
                    self.joined();
                }
                Ok(self.field_truth(*i))
            }
            Expr::Field(i) => {
                let i = self.field_index(i)?;
                Ok(self.field_truth(i))
            }
            Expr::Global(_) | Expr::Local(_) => match self.variable(e) {
                Some(Value::Array(_)) => self.array_as_scalar(e),
                v => Ok(v.is_some_and(Value::truth)),
            },
            Expr::Binary(..) | Expr::Step(..) | Expr::Update(_) | Expr::Negate(_) | Expr::Plus(_) => {
                Ok(self.num(e)? != 0.0)
            }
            e => Ok(self.value(e)?.truth()),
        }
    }

    fn field_truth(&mut self, i: usize) -> bool {
        match self.record.assigned(i) {
            Some(v) => v.truth(),
            None => input_truth(self.record.field(i)),
        }
    }

    fn matches(&mut self, text: &'p Expr, regex: &'p Expr) -> Run<bool> {
        let r = match regex {
            Expr::Regex(i) => self.literal(*i)?,
            // The text is evaluated first, as its effects may matter.
            _ => {
                let v = self.value(text)?;
                let r = self.regex_of(regex)?;
                return Ok(r.is_match(&self.text(&v)));
            }
        };
        if let Expr::FieldConst(i) = text {
            if *i == 0 {
                self.joined();
            }
            return Ok(r.is_match(self.record.field(*i)));
        }
        let mut buf = self.buffer();
        self.append(text, &mut buf)?;
        let is = r.is_match(&buf);
        self.give_back(buf);
        Ok(is)
    }

    /// The regular expression that an operand of `~` or a function means.
    pub(super) fn regex_of(&mut self, e: &'p Expr) -> Run<Rc<Regex>> {
        match e {
            Expr::Regex(i) | Expr::TypedRegex(i) => self.literal(*i),
            e => {
                let mut buf = self.buffer();
                self.append(e, &mut buf)?;
                let r = self.dynamic_regex(&buf)?;
                self.give_back(buf);
                Ok(r)
            }
        }
    }

    fn compare(&mut self, op: Comparison, a: &'p Expr, b: &'p Expr) -> Run<bool> {
        if is_number(b) {
            let left = match a {
                Expr::FieldConst(i) => {
                    if *i == 0 {
                        self.joined();
                    }
                    self.record.comparable(*i)
                }
                Expr::Global(i) => match &self.globals[*i] {
                    Value::Array(_) => return self.array_as_scalar(a),
                    v => v.comparable(),
                },
                Expr::Local(i) => match &self.stack[self.base + i] {
                    Value::Array(_) => return self.array_as_scalar(a),
                    v => v.comparable(),
                },
                a if is_number(a) => Some(self.num(a)?),
                _ => return self.compare_values(op, a, b),
            };
            if let Some(x) = left {
                let y = self.num(b)?;
                return Ok(holds(op, numbers(x, y)));
            }
        } else if let (Expr::FieldConst(i), Expr::Str(s)) = (a, b)
            && !self.ignore_case
        {
            if *i == 0 {
                self.joined();
            }
            return Ok(holds(op, self.record.field(*i).cmp(s)));
        }
        self.compare_values(op, a, b)
    }

    fn compare_values(&mut self, op: Comparison, a: &'p Expr, b: &'p Expr) -> Run<bool> {
        let a = self.value(a)?;
        let b = self.value(b)?;
        Ok(holds(op, self.order(&a, &b)))
    }

    /// How two values compare: as numbers if both count as numbers, else as text.
    pub(super) fn order(&self, a: &Value, b: &Value) -> Ordering {
        if let (Some(x), Some(y)) = (a.comparable(), b.comparable()) {
            return numbers(x, y);
        }
        if self.ignore_case {
            let folded = |v: &Value| lower(&self.text(v));
            return folded(a).cmp(&folded(b));
        }
        match (a, b) {
            (Value::Str(x) | Value::Input(x), Value::Str(y) | Value::Input(y)) => x.bytes().cmp(y.bytes()),
            _ => self.text(a).bytes().cmp(self.text(b).bytes()),
        }
    }

    /// Appends the text that an expression evaluates to.
    pub(super) fn append(&mut self, e: &'p Expr, out: &mut Vec<u8>) -> Run<()> {
        match e {
            Expr::Str(s) => out.extend_from_slice(s),
            Expr::Num(n) => self.put_number(*n, out),
            Expr::FieldConst(i) => {
                if *i == 0 {
                    self.joined();
                }
                out.extend_from_slice(self.record.field(*i));
            }
            Expr::Global(_) | Expr::Local(_) => match self.variable(e) {
                Some(Value::Array(_)) => return self.array_as_scalar(e),
                Some(Value::Str(s) | Value::Input(s) | Value::Regex(s)) => out.extend_from_slice(s),
                Some(Value::Num(n)) => {
                    let n = *n;
                    self.put_number(n, out);
                }
                _ => {}
            },
            Expr::Concat(parts) => {
                for p in parts {
                    self.append(p, out)?;
                }
            }
            Expr::Group(e) => self.append(e, out)?,
            Expr::Cond(c) => {
                if self.truth(&c.0)? {
                    self.append(&c.1, out)?;
                } else {
                    self.append(&c.2, out)?;
                }
            }
            Expr::Field(i) => {
                let i = self.field_index(i)?;
                out.extend_from_slice(self.record.field(i));
            }
            Expr::Binary(..) | Expr::Step(..) | Expr::Update(_) | Expr::Negate(_) | Expr::Plus(_) => {
                let n = self.num(e)?;
                self.put_number(n, out);
            }
            e if is_boolean(e) => out.push(b'0' + u8::from(self.truth(e)?)),
            e => {
                let v = self.value(e)?;
                self.convfmt.put_value(&v, out);
            }
        }
        Ok(())
    }

    #[inline]
    fn put_number(&self, n: f64, out: &mut Vec<u8>) {
        if !put_integer(n, out) {
            self.convfmt.put(n, out);
        }
    }

    /// Appends an argument of `print`: numbers by `OFMT`.
    pub(super) fn print_value(&mut self, e: &'p Expr, out: &mut Vec<u8>) -> Run<()> {
        let n = match e {
            Expr::Group(e) => return self.print_value(e, out),
            Expr::Global(_) | Expr::Local(_) => match self.variable(e) {
                Some(Value::Num(n)) => *n,
                _ => return self.append(e, out),
            },
            Expr::Str(_) | Expr::Concat(_) => return self.append(e, out),
            Expr::FieldConst(_) | Expr::Field(_) if !self.record.edited() => return self.append(e, out),
            e if is_number(e) => self.num(e)?,
            e => match self.value(e)? {
                Value::Num(n) => n,
                v => {
                    self.convfmt.put_value(&v, out);
                    return Ok(());
                }
            },
        };
        if !put_integer(n, out) {
            self.ofmt.put(n, out);
        }
        Ok(())
    }

    /// Evaluates to a value.
    pub(super) fn value(&mut self, e: &'p Expr) -> Run<Value> {
        Ok(match e {
            Expr::Num(n) => Value::Num(*n),
            Expr::Str(s) => Value::Str(s.clone()),
            Expr::Global(_) | Expr::Local(_) => match self.variable(e) {
                Some(Value::Array(_)) => return self.array_as_scalar(e),
                v => v.cloned().unwrap_or_default(),
            },
            Expr::Special(s) => self.special(*s),
            Expr::FieldConst(i) => {
                if *i == 0 {
                    self.joined();
                }
                self.record.value(*i)
            }
            Expr::Field(i) => {
                let i = self.field_index(i)?;
                self.record.value(i)
            }
            Expr::Index(ix) => {
                let array = self.array(&ix.0)?;
                let mut buf = self.buffer();
                let int = self.subscript(&ix.1, &mut buf)?;
                let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
                let known = array.borrow().get(key).cloned();
                let v = match known {
                    Some(Value::Array(_)) => return self.element_as_scalar(&ix.0, key),
                    Some(v) => v,
                    None => {
                        self.create(&array, key)?;
                        Value::Uninit
                    }
                };
                self.give_back(buf);
                v
            }
            Expr::Group(e) => self.value(e)?,
            Expr::TypedRegex(i) => Value::Regex(Str::new(&self.program.regexes[*i])),
            Expr::Cond(c) => {
                if self.truth(&c.0)? {
                    self.value(&c.1)?
                } else {
                    self.value(&c.2)?
                }
            }
            Expr::Concat(parts) => {
                let mut buf = self.buffer();
                for p in parts {
                    self.append(p, &mut buf)?;
                }
                self.ask_for(buf.len())?;
                let v = Value::str(&buf);
                self.give_back(buf);
                v
            }
            Expr::Assign(a) => {
                let v = self.value(&a.1)?;
                self.assign(&a.0, v.clone())?;
                v
            }
            Expr::Append(g, parts) => {
                self.append_to(*g, parts)?;
                self.globals[*g].clone()
            }
            Expr::Call(f, args) => self.call(*f, args)?,
            Expr::IndirectCall(name, args) => self.indirect(name, args)?,
            Expr::Builtin(b, args) => self.builtin(*b, args)?,
            Expr::Substitute(s) => Value::Num(self.substitute(s.0, &s.1, &s.2, &s.3)?),
            Expr::Getline(g) => Value::Num(self.getline(g.0.as_ref(), &g.1)?),
            Expr::Array(a) => Value::Array(self.array(a)?),
            e if is_boolean(e) => Value::Num(f64::from(u8::from(self.truth(e)?))),
            e => Value::Num(self.num(e)?),
        })
    }

    /// Evaluates for effect.
    pub(super) fn discard(&mut self, e: &'p Expr) -> Run<()> {
        match e {
            Expr::Assign(a) => {
                let v = self.value(&a.1)?;
                self.assign(&a.0, v)
            }
            Expr::Append(g, parts) => self.append_to(*g, parts),
            Expr::Update(u) => self.update(&u.0, u.1, &u.2).map(drop),
            Expr::Step(t, by, _) => self.step(t, *by).map(drop),
            Expr::Group(e) => self.discard(e),
            e => self.value(e).map(drop),
        }
    }

    /// Asks whether a copy of this many bytes may be made, before it is made.
    fn ask_for(&self, bytes: usize) -> Run<()> {
        if bytes > 1 << 20 {
            drop(self.process.budget.reserve(bytes as u64 * 2)?);
        }
        Ok(())
    }

    fn append_to(&mut self, g: usize, parts: &'p [Expr]) -> Run<()> {
        if let ([Expr::Str(more)], Value::Str(s)) = (parts, &mut self.globals[g])
            && s.len() + more.len() <= 22
        {
            s.push(more);
            return Ok(());
        }
        let mut buf = self.buffer();
        for p in parts {
            self.append(p, &mut buf)?;
        }
        let before = self.globals[g].weight() as i64;
        self.ask_for(buf.len())?;
        match &mut self.globals[g] {
            Value::Str(s) => s.push(&buf),
            Value::Array(_) => return self.array_as_scalar(&Expr::Global(g)),
            old => {
                let mut s = Str::EMPTY;
                match old {
                    Value::Input(t) | Value::Regex(t) => s = t.clone(),
                    Value::Num(_) => {
                        let mut t = Vec::new();
                        self.convfmt.put_value(old, &mut t);
                        s.push(&t);
                    }
                    _ => {}
                }
                s.push(&buf);
                *old = Value::Str(s);
            }
        }
        let after = self.globals[g].weight() as i64;
        self.give_back(buf);
        self.weigh(after - before)
    }

    /// The index that `$e` names.
    pub(super) fn field_index(&mut self, e: &'p Expr) -> Run<usize> {
        let n = self.num(e)?;
        if n < 0.0 {
            return fatal(format!("attempt to access field {}", n as i64));
        }
        if n > 1e8 || n.is_nan() {
            return fatal(format!("attempt to access field {}", n as i64));
        }
        let i = n as usize;
        if i == 0 {
            self.joined();
        }
        Ok(i)
    }

    // ---- arrays ----

    /// The array that an operand names; made where there is none yet.
    pub(super) fn array(&mut self, a: &'p ArrayExpr) -> Run<ArrayRef> {
        match a {
            ArrayExpr::Global(i) => match Self::as_array(&mut self.globals[*i]) {
                Some(a) => Ok(a),
                None => fatal(format!("attempt to use scalar `{}' as an array", self.array_name(a))),
            },
            ArrayExpr::Local(i) => match Self::as_array(&mut self.stack[self.base + i]) {
                Some(a) => Ok(a),
                None => {
                    fatal(format!("attempt to use scalar parameter `{}' as an array", self.array_name(a)))
                }
            },
            ArrayExpr::Element(e) => {
                let outer = self.array(&e.0)?;
                let mut buf = self.buffer();
                let int = self.subscript(&e.1, &mut buf)?;
                let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
                let (inner, made) = {
                    let mut o = outer.borrow_mut();
                    let (slot, made) = o.entry(key);
                    (Self::as_array(slot), made)
                };
                if made {
                    self.weigh(super::array::ENTRY as i64 + buf.len() as i64)?;
                }
                let Some(inner) = inner else {
                    let key = key_text(key);
                    return fatal(format!(
                        "attempt to use scalar `{}[\"{key}\"]' as an array",
                        self.array_name(&e.0)
                    ));
                };
                self.give_back(buf);
                Ok(inner)
            }
        }
    }

    /// Evaluates a subscript: an integer, or the text in `buf`.
    #[inline]
    pub(super) fn subscript(&mut self, subs: &'p [Expr], buf: &mut Vec<u8>) -> Run<Option<i64>> {
        if let [one] = subs {
            let n = match one {
                Expr::Num(n) => *n,
                Expr::Global(_) | Expr::Local(_) => match self.variable(one) {
                    Some(Value::Num(n)) => *n,
                    _ => {
                        self.append(one, buf)?;
                        return Ok(None);
                    }
                },
                e if is_number(e) => self.num(e)?,
                Expr::Index(_) | Expr::Call(..) | Expr::Builtin(..) => match self.value(one)? {
                    Value::Num(n) => n,
                    v => {
                        self.convfmt.put_value(&v, buf);
                        return Ok(None);
                    }
                },
                e => {
                    self.append(e, buf)?;
                    return Ok(None);
                }
            };
            let i = n as i64;
            if i as f64 == n && i.abs() < 1_000_000_000_000_000 {
                return Ok(Some(i));
            }
            self.put_number(n, buf);
            return Ok(None);
        }
        for (i, s) in subs.iter().enumerate() {
            if i > 0 {
                buf.extend_from_slice(&self.subsep);
            }
            self.append(s, buf)?;
        }
        Ok(None)
    }

    /// Makes an element by looking at it.
    fn create(&mut self, array: &ArrayRef, key: KeyRef<'_>) -> Run<()> {
        let text = if let KeyRef::Text(t) = key { t.len() } else { 0 };
        array.borrow_mut().entry(key);
        self.weigh((super::array::ENTRY + text) as i64)
    }

    /// Sets an element, keeping count of memory.
    pub(super) fn set_element(&mut self, array: &ArrayRef, key: KeyRef<'_>, value: Value) -> Run<()> {
        let mut delta = value.weight() as i64;
        {
            let mut a = array.borrow_mut();
            let (slot, made) = a.entry(key);
            if made {
                let text = if let KeyRef::Text(t) = key { t.len() } else { 0 };
                delta += (super::array::ENTRY + text) as i64;
            } else {
                delta -= slot.weight() as i64;
            }
            *slot = value;
        }
        self.weigh(delta)
    }

    // ---- assignment ----

    /// Assigns a value.
    pub(super) fn assign(&mut self, target: &'p Target, value: Value) -> Run<()> {
        match target {
            Target::Global(i) => {
                let slot = &mut self.globals[*i];
                if matches!(slot, Value::Array(_)) {
                    return self.array_as_scalar(&Expr::Global(*i));
                }
                let delta = value.weight() as i64 - slot.weight() as i64;
                *slot = value;
                if delta != 0 {
                    self.weigh(delta)?;
                }
                Ok(())
            }
            Target::Local(i) => {
                let slot = &mut self.stack[self.base + i];
                if matches!(slot, Value::Array(_)) {
                    return self.array_as_scalar(&Expr::Local(*i));
                }
                let delta = value.weight() as i64 - slot.weight() as i64;
                *slot = value;
                if delta != 0 {
                    self.weigh(delta)?;
                }
                Ok(())
            }
            Target::Special(s) => self.set_special(*s, value),
            Target::Field(e) => {
                let i = self.field_index(e)?;
                self.set_field(i, value)
            }
            Target::Index(array, subs) => {
                let array = self.array(array)?;
                let mut buf = self.buffer();
                let int = self.subscript(subs, &mut buf)?;
                let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
                if let Some(Value::Array(_)) = array.borrow().get(key) {
                    let Target::Index(a, _) = target else { return Ok(()) };
                    return self.element_as_scalar(a, key);
                }
                self.set_element(&array, key, value)?;
                self.give_back(buf);
                Ok(())
            }
            Target::Nowhere(_) => Ok(()),
        }
    }

    /// `$i = value`.
    pub(super) fn set_field(&mut self, i: usize, value: Value) -> Run<()> {
        let text = self.text(&value);
        if i == 0 {
            let kept = if matches!(value, Value::Input(_)) { None } else { Some(value) };
            self.record.assign(&text, kept, &self.splitter);
            return Ok(());
        }
        if i > 10_000 {
            self.process.budget.reserve(i as u64 * 96)?;
        }
        self.record.set_field(i, text, value);
        Ok(())
    }

    fn update(&mut self, target: &'p Target, op: Arith, by: &'p Expr) -> Run<f64> {
        let by = self.num(by)?;
        if by == 0.0 && matches!(op, Arith::Div | Arith::Mod) {
            return fatal(format!(
                "division by zero attempted in `{}='",
                if op == Arith::Div { '/' } else { '%' }
            ));
        }
        self.modify(target, |me, old| me.arith(op, old, by))
    }

    fn step(&mut self, target: &'p Target, by: f64) -> Run<f64> {
        self.modify(target, |_, old| Ok(old + by))
    }

    #[inline]
    fn modify(&mut self, target: &'p Target, change: impl FnOnce(&mut Self, f64) -> Run<f64>) -> Run<f64> {
        match target {
            Target::Global(i) => {
                let old = match &self.globals[*i] {
                    Value::Num(n) => *n,
                    Value::Array(_) => return self.array_as_scalar(&Expr::Global(*i)),
                    v => v.number(),
                };
                let new = change(self, old)?;
                // Writing into the number spares dropping the old value.
                match &mut self.globals[*i] {
                    Value::Num(n) => *n = new,
                    slot => *slot = Value::Num(new),
                }
                Ok(new)
            }
            Target::Local(i) => {
                let at = self.base + i;
                let old = match &self.stack[at] {
                    Value::Num(n) => *n,
                    Value::Array(_) => return self.array_as_scalar(&Expr::Local(*i)),
                    v => v.number(),
                };
                let new = change(self, old)?;
                match &mut self.stack[at] {
                    Value::Num(n) => *n = new,
                    slot => *slot = Value::Num(new),
                }
                Ok(new)
            }
            Target::Special(s) => {
                let old = self.special(*s).number();
                let new = change(self, old)?;
                self.set_special(*s, Value::Num(new))?;
                Ok(new)
            }
            Target::Field(e) => {
                let i = self.field_index(e)?;
                let old = to_number(self.record.field(i));
                let new = change(self, old)?;
                self.set_field(i, Value::Num(new))?;
                Ok(new)
            }
            Target::Index(array, subs) => {
                let a = self.array(array)?;
                let mut buf = self.buffer();
                let int = self.subscript(subs, &mut buf)?;
                let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
                let mut guard = a.borrow_mut();
                let (slot, made) = guard.entry(key);
                let old = match &*slot {
                    Value::Num(n) => *n,
                    Value::Array(_) => {
                        drop(guard);
                        return self.element_as_scalar(array, key);
                    }
                    v => v.number(),
                };
                let new = change(self, old)?;
                *slot = Value::Num(new);
                drop(guard);
                if made {
                    self.weigh((super::array::ENTRY + buf.len()) as i64)?;
                }
                self.give_back(buf);
                Ok(new)
            }
            Target::Nowhere(_) => Ok(0.0),
        }
    }

    // ---- user functions ----

    /// Calls a function with arguments that are expressions.
    #[inline(never)]
    pub(super) fn call(&mut self, f: usize, args: &'p [Expr]) -> Run<Value> {
        let function = &self.program.functions[f];
        let first = self.stack.len();
        // Arguments are pushed as they are evaluated: a nested call takes its own frame above them.
        let mut untyped: Vec<(usize, &'p Expr)> = Vec::new();
        for (i, a) in args.iter().enumerate() {
            let Some(wants_array) = function.arrays.get(i).copied() else {
                // More arguments than parameters: evaluated, then lost.
                self.value(a)?;
                continue;
            };
            let v = match a {
                Expr::Global(_) | Expr::Local(_) => {
                    let slot = match a {
                        Expr::Global(g) => &mut self.globals[*g],
                        Expr::Local(l) => &mut self.stack[self.base + l],
                        _ => continue,
                    };
                    match slot {
                        Value::Array(a) => Value::Array(a.clone()),
                        Value::Uninit if wants_array => {
                            let new = new_array();
                            *slot = Value::Array(new.clone());
                            Value::Array(new)
                        }
                        Value::Uninit => {
                            untyped.push((i, a));
                            Value::Uninit
                        }
                        v => v.clone(),
                    }
                }
                Expr::Index(ix) => {
                    let outer = self.array(&ix.0)?;
                    let mut buf = self.buffer();
                    let int = self.subscript(&ix.1, &mut buf)?;
                    let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
                    let known = outer.borrow().get(key).cloned();
                    let v = match known {
                        Some(Value::Uninit) | None if wants_array => {
                            let new = new_array();
                            self.set_element(&outer, key, Value::Array(new.clone()))?;
                            Value::Array(new)
                        }
                        Some(v) => v,
                        None => {
                            self.create(&outer, key)?;
                            Value::Uninit
                        }
                    };
                    self.give_back(buf);
                    v
                }
                a => self.value(a)?,
            };
            self.stack.push(v);
        }
        let value = self.enter(f, first)?;
        // A variable that had no type and became an array within is that array.
        for (i, a) in untyped {
            if let Value::Array(array) = &self.stack[first + i] {
                let array = Value::Array(array.clone());
                match a {
                    Expr::Global(g) if matches!(self.globals[*g], Value::Uninit) => self.globals[*g] = array,
                    Expr::Local(l) => {
                        let at = self.base + l;
                        if matches!(self.stack[at], Value::Uninit) {
                            self.stack[at] = array;
                        }
                    }
                    _ => {}
                }
            }
        }
        self.leave(first)?;
        Ok(value)
    }

    /// Calls a function whose arguments are values: comparison functions.
    pub(super) fn call_values(&mut self, f: usize, args: Vec<Value>) -> Run<Value> {
        let first = self.stack.len();
        if args.len() > self.program.functions[f].params.len() {
            return fatal(format!(
                "function `{}' called with more arguments than declared",
                self.program.functions[f].name
            ));
        }
        self.stack.extend(args);
        let value = self.enter(f, first)?;
        self.leave(first)?;
        Ok(value)
    }

    /// Forgets the calls that `next` or `exit` has left.
    pub(super) fn forget_calls(&mut self) -> Run<()> {
        if self.running.is_empty() {
            return Ok(());
        }
        let weight = CALL_WEIGHT * self.running.len() as i64;
        self.running.clear();
        self.stack.clear();
        self.base = 0;
        self.weigh(-weight)
    }

    fn enter(&mut self, f: usize, first: usize) -> Run<Value> {
        let function = &self.program.functions[f];
        self.stack.resize(first + function.params.len(), Value::Uninit);
        self.running.push(f);
        if self.running.len() > CALLS {
            return fatal(format!("function `{}': calls nested too deeply", function.name));
        }
        self.process.budget.step()?;
        self.weigh(CALL_WEIGHT)?;
        let outer = std::mem::replace(&mut self.base, first);
        let place = self.place;
        let flow = stacker::maybe_grow(128 << 10, 4 << 20, || self.stmts(&function.body))?;
        self.place = place;
        self.base = outer;
        self.running.pop();
        Ok(match flow {
            Flow::Return => std::mem::take(&mut self.returned),
            _ => Value::Uninit,
        })
    }

    fn leave(&mut self, first: usize) -> Run<()> {
        let held: usize = self.stack[first..].iter().map(Value::weight).sum();
        self.stack.truncate(first);
        self.weigh(-CALL_WEIGHT - held as i64)
    }

    fn indirect(&mut self, name: &'p Expr, args: &'p [Expr]) -> Run<Value> {
        let name = self.value(name)?;
        let name = self.text(&name);
        let text = String::from_utf8_lossy(&name).into_owned();
        if let Some(f) = self.program.functions.iter().position(|f| f.name == text) {
            return self.call(f, args);
        }
        match Builtin::named(&text) {
            Some(b)
                if !matches!(
                    b,
                    Builtin::Sub | Builtin::Gsub | Builtin::Gensub | Builtin::Match | Builtin::Split
                ) =>
            {
                let (least, most) = b.arity();
                if args.len() < least || args.len() > most {
                    return fatal(format!("{text}: called with {} arguments", args.len()));
                }
                self.builtin(b, args)
            }
            _ => fatal(format!("function called indirectly through `{text}' does not exist")),
        }
    }
}

fn key_text(key: KeyRef<'_>) -> String {
    match key {
        KeyRef::Int(i) => i.to_string(),
        KeyRef::Text(t) => String::from_utf8_lossy(t).into_owned(),
    }
}

/// Whether an expression always gives a number.
pub(super) fn is_number(e: &Expr) -> bool {
    match e {
        Expr::Num(_)
        | Expr::Binary(..)
        | Expr::Negate(_)
        | Expr::Plus(_)
        | Expr::Step(..)
        | Expr::Update(_) => true,
        Expr::Special(Special::NR | Special::FNR | Special::NF) => true,
        Expr::Group(e) => is_number(e),
        _ => false,
    }
}

fn is_boolean(e: &Expr) -> bool {
    matches!(
        e,
        Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Compare(..)
            | Expr::Match(..)
            | Expr::In(_)
            | Expr::Regex(_)
    )
}

/// Numbers in order, NaN equal to itself and above all others.
#[inline]
fn numbers(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[inline]
fn holds(op: Comparison, o: Ordering) -> bool {
    match op {
        Comparison::Lt => o.is_lt(),
        Comparison::Le => o.is_le(),
        Comparison::Eq => o.is_eq(),
        Comparison::Ne => o.is_ne(),
        Comparison::Gt => o.is_gt(),
        Comparison::Ge => o.is_ge(),
    }
}

/// Exponentiation: by squaring for integral exponents.
fn power(a: f64, b: f64) -> f64 {
    let n = b as i32;
    if f64::from(n) == b && n.abs() < 1024 {
        let mut result = 1.0;
        let mut factor = a;
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result *= factor;
            }
            factor *= factor;
            left >>= 1;
        }
        return if n < 0 { 1.0 / result } else { result };
    }
    a.powf(b)
}

/// Whether text counts as a number: for `typeof`.
pub(super) fn numeric_text(s: &[u8]) -> bool {
    looks_numeric(s).is_some()
}
