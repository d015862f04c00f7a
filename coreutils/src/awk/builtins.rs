//! The built-in functions.

use super::{
    array::{ArrayRef, Key, KeyRef, new_array},
    ast::*,
    eval::numeric_text,
    format::chars,
    interp::{Interp, Run, fatal},
    random::Random,
    record::{SplitState, Splitter},
    time,
    value::{Str, Value},
};
use sandshell_kernel::Time;
use sandshell_text::{
    date::{self, Dialect, Moment, Zone},
    regex::Captures,
};
use std::{cmp::Ordering, rc::Rc};

/// The number of characters of a text.
fn length(s: &[u8]) -> usize {
    if s.is_ascii() { s.len() } else { chars(s).count() }
}

/// Characters before byte `at`, plus one.
fn position(s: &[u8], at: usize) -> f64 {
    (length(&s[..at]) + 1) as f64
}

impl<'p> Interp<'p> {
    fn bytes_of(&mut self, e: &'p Expr) -> Run<Vec<u8>> {
        let mut b = self.buffer();
        self.append(e, &mut b)?;
        Ok(b)
    }

    fn array_arg(&mut self, e: &'p Expr) -> Run<ArrayRef> {
        match e {
            Expr::Array(a) => self.array(a),
            _ => fatal("argument is not an array"),
        }
    }

    /// Calls a built-in function.
    pub(super) fn builtin(&mut self, b: Builtin, args: &'p [Expr]) -> Run<Value> {
        use Builtin as B;
        let num = match b {
            B::Length => return self.length(args),
            B::Substr => return self.substr(args),
            B::Index => {
                let s = self.bytes_of(&args[0])?;
                let t = self.bytes_of(&args[1])?;
                let found = if self.ignore_case {
                    memchr::memmem::find(&lower(&s), &lower(&t))
                } else {
                    memchr::memmem::find(&s, &t)
                };
                let n = found.map_or(0.0, |i| position(&s, i));
                self.give_back(s);
                self.give_back(t);
                n
            }
            B::Match => self.match_(args)?,
            B::Split => self.split(args)?,
            B::Patsplit => self.patsplit(args)?,
            B::Sprintf => {
                let mut out = self.buffer();
                self.format(args, &mut out)?;
                let v = Value::str(&out);
                self.give_back(out);
                return Ok(v);
            }
            B::Gensub => return self.gensub(args),
            B::Tolower | B::Toupper => {
                let mut s = self.bytes_of(&args[0])?;
                if s.is_ascii() {
                    if b == B::Tolower { s.make_ascii_lowercase() } else { s.make_ascii_uppercase() }
                } else {
                    s = if b == B::Tolower { lower(&s) } else { upper(&s) };
                }
                let v = Value::str(&s);
                self.give_back(s);
                return Ok(v);
            }
            B::Int => self.num(&args[0])?.trunc() + 0.0,
            B::Sqrt => {
                let n = self.num(&args[0])?;
                if n < 0.0 {
                    self.warn(&format!("sqrt: received negative argument {}", short(n)))?;
                    // The sign that the processor gives.
                    -f64::NAN.abs()
                } else {
                    n.sqrt()
                }
            }
            B::Exp => {
                let n = self.num(&args[0])?;
                let r = n.exp();
                if r.is_infinite() && n.is_finite() {
                    self.warn(&format!("exp: argument {} is out of range", short(n)))?;
                }
                r
            }
            B::Log => {
                let n = self.num(&args[0])?;
                if n < 0.0 {
                    self.warn(&format!("log: received negative argument {}", short(n)))?;
                    -f64::NAN.abs()
                } else {
                    n.ln()
                }
            }
            B::Sin => self.num(&args[0])?.sin(),
            B::Cos => self.num(&args[0])?.cos(),
            B::Atan2 => {
                let y = self.num(&args[0])?;
                y.atan2(self.num(&args[1])?)
            }
            B::Rand => self.random.next(),
            B::Srand => {
                let old = self.seed;
                self.seed = match args.first() {
                    Some(e) => self.num(e)?,
                    None => Time::now().seconds() as f64,
                };
                self.random = Random::new(self.seed as i64 as u32);
                old
            }
            B::Systime => Time::now().seconds() as f64,
            B::Mktime => {
                let s = self.bytes_of(&args[0])?;
                let utc = match args.get(1) {
                    Some(e) => self.truth(e)?,
                    None => false,
                };
                let n = time::mktime(&s, &self.zone(utc)).map_or(-1.0, |t| t as f64);
                self.give_back(s);
                n
            }
            B::Strftime => return self.strftime(args),
            B::Strtonum => match self.value(&args[0])? {
                Value::Num(n) => n,
                v => strtonum(&self.text(&v)),
            },
            B::And | B::Or | B::Xor | B::Compl | B::Lshift | B::Rshift => self.bits(b, args)?,
            B::System => {
                let text = self.bytes_of(&args[0])?;
                let n = self.system(&text)?;
                self.give_back(text);
                n
            }
            B::Close => {
                let name = self.bytes_of(&args[0])?;
                let n = self.close(&name)?;
                self.give_back(name);
                n
            }
            B::Fflush => match args.first() {
                None => {
                    self.flush_all()?;
                    0.0
                }
                Some(e) => {
                    let name = self.bytes_of(e)?;
                    let n = if name.is_empty() {
                        self.flush_all()?;
                        0.0
                    } else {
                        self.flush_one(&name)?
                    };
                    self.give_back(name);
                    n
                }
            },
            B::Asort | B::Asorti => self.asort(b, args)?,
            B::Isarray => f64::from(u8::from(self.is_array(&args[0])?)),
            B::Typeof => return self.type_of(&args[0]),
            B::Mkbool => f64::from(u8::from(self.truth(&args[0])?)),
            B::Bindtextdomain => return Ok(Value::str(b"")),
            B::Dcgettext => return self.value(&args[0]),
            B::Dcngettext => {
                let n = match args.get(2) {
                    Some(e) => self.num(e)?,
                    None => 1.0,
                };
                return self.value(&args[usize::from(n != 1.0 && args.len() > 1)]);
            }
            B::Sub | B::Gsub => return fatal("sub called indirectly"),
        };
        Ok(Value::Num(num))
    }

    fn is_array(&mut self, e: &'p Expr) -> Run<bool> {
        Ok(match e {
            Expr::Global(i) => matches!(self.globals[*i], Value::Array(_)),
            Expr::Local(i) => matches!(self.stack[self.base + i], Value::Array(_)),
            Expr::Index(ix) => matches!(self.peek(&ix.0, &ix.1)?, Some(Value::Array(_))),
            Expr::Group(e) => self.is_array(e)?,
            e => {
                self.value(e)?;
                false
            }
        })
    }

    /// An element without making it a scalar.
    fn peek(&mut self, array: &'p ArrayExpr, subs: &'p [Expr]) -> Run<Option<Value>> {
        let array = self.array(array)?;
        let mut buf = self.buffer();
        let int = self.subscript(subs, &mut buf)?;
        let key = int.map_or_else(|| KeyRef::new(&buf), KeyRef::Int);
        let v = array.borrow().get(key).cloned();
        if v.is_none() {
            self.set_element(&array, key, Value::Uninit)?;
        }
        self.give_back(buf);
        Ok(v)
    }

    fn type_of(&mut self, e: &'p Expr) -> Run<Value> {
        let (v, untyped) = match e {
            Expr::Global(i) => (self.globals[*i].clone(), "untyped"),
            Expr::Local(i) => (self.stack[self.base + i].clone(), "untyped"),
            Expr::Index(ix) => (self.peek(&ix.0, &ix.1)?.unwrap_or_default(), "untyped"),
            Expr::Group(e) => return self.type_of(e),
            e => (self.value(e)?, "unassigned"),
        };
        Ok(Value::str(
            match &v {
                Value::Array(_) => "array",
                Value::Num(_) => "number",
                Value::Str(_) => "string",
                Value::Regex(_) => "regexp",
                Value::Input(s) if numeric_text(s) => "strnum",
                Value::Input(_) => "string",
                Value::Uninit => untyped,
            }
            .as_bytes(),
        ))
    }

    fn length(&mut self, args: &'p [Expr]) -> Run<Value> {
        let n = match args.first() {
            None => {
                self.joined();
                length(self.record.text())
            }
            Some(Expr::FieldConst(i)) => {
                if *i == 0 {
                    self.joined();
                }
                length(self.record.field(*i))
            }
            Some(Expr::Index(ix)) => {
                if let Some(Value::Array(a)) = self.peek(&ix.0, &ix.1)? {
                    return Ok(Value::Num(a.borrow().len() as f64));
                }
                self.length_of(&args[0])?
            }
            Some(e) => {
                let v = match e {
                    Expr::Global(i) => Some(&self.globals[*i]),
                    Expr::Local(i) => Some(&self.stack[self.base + i]),
                    _ => None,
                };
                match v {
                    Some(Value::Array(a)) => a.borrow().len(),
                    Some(Value::Str(s) | Value::Input(s)) => length(s),
                    _ => self.length_of(e)?,
                }
            }
        };
        Ok(Value::Num(n as f64))
    }

    fn length_of(&mut self, e: &'p Expr) -> Run<usize> {
        let s = self.bytes_of(e)?;
        let n = length(&s);
        self.give_back(s);
        Ok(n)
    }

    fn substr(&mut self, args: &'p [Expr]) -> Run<Value> {
        let s = self.bytes_of(&args[0])?;
        let start = self.num(&args[1])?.trunc().max(1.0);
        let len = match args.get(2) {
            Some(e) => {
                let n = self.num(e)?;
                if n.is_nan() { 0.0 } else { n.trunc() }
            }
            None => f64::INFINITY,
        };
        if start.is_nan() || len <= 0.0 || start > s.len() as f64 {
            self.give_back(s);
            return Ok(Value::Str(Str::EMPTY));
        }
        let from = start as usize - 1;
        let v = if s.is_ascii() {
            let upto = (from as f64 + len).min(s.len() as f64) as usize;
            Value::str(&s[from..upto])
        } else {
            let offset = |n: usize| chars(&s).nth(n).map_or(s.len(), |c| c.0);
            let first = offset(from);
            let count = len.min(s.len() as f64) as usize;
            let last = chars(&s[first..]).nth(count).map_or(s.len(), |c| first + c.0);
            Value::str(&s[first..last])
        };
        self.give_back(s);
        Ok(v)
    }

    fn match_(&mut self, args: &'p [Expr]) -> Run<f64> {
        let s = self.bytes_of(&args[0])?;
        let regex = self.regex_of(&args[1])?;
        let (start, len) = match args.get(2) {
            None => match regex.find_at(&s, 0) {
                Some((a, b)) => (position(&s, a), length(&s[a..b]) as f64),
                None => (0.0, -1.0),
            },
            Some(array) => {
                let array = self.array_arg(array)?;
                let held = array.borrow_mut().clear();
                self.weigh(-(held as i64))?;
                let mut captures = Captures::new();
                if regex.captures_at(&s, 0, &mut captures) {
                    for i in 0..captures.len() {
                        let Some((a, b)) = captures.get(i) else { continue };
                        let (at, n) = (position(&s, a), length(&s[a..b]) as f64);
                        self.set_element(&array, KeyRef::Int(i as i64), Value::input(&s[a..b]))?;
                        for (what, v) in [("start", at), ("length", n)] {
                            let mut key = i.to_string().into_bytes();
                            key.extend_from_slice(&self.subsep);
                            key.extend_from_slice(what.as_bytes());
                            self.set_element(&array, KeyRef::new(&key), Value::Num(v))?;
                        }
                    }
                }
                match captures.get(0) {
                    Some((a, b)) => (position(&s, a), length(&s[a..b]) as f64),
                    None => (0.0, -1.0),
                }
            }
        };
        self.give_back(s);
        self.specials[Special::RSTART as usize] = Value::Num(start);
        self.specials[Special::RLENGTH as usize] = Value::Num(len);
        Ok(start)
    }

    fn split(&mut self, args: &'p [Expr]) -> Run<f64> {
        let s = self.bytes_of(&args[0])?;
        let splitter = match args.get(2) {
            None => self.splitter.clone(),
            Some(Expr::Regex(i) | Expr::TypedRegex(i)) => Rc::new(Splitter::Regex(self.literal(*i)?, false)),
            Some(e) => {
                let fs = self.bytes_of(e)?;
                let splitter = self.splitter_of(&fs, false)?;
                self.give_back(fs);
                Rc::new(splitter)
            }
        };
        let seps = match args.get(3) {
            Some(e) => Some(self.array_arg(e)?),
            None => None,
        };
        let array = self.array_arg(&args[1])?;
        self.clear(&array)?;
        if let Some(seps) = &seps {
            if Rc::ptr_eq(seps, &array) {
                return fatal("split: cannot use the same array for second and fourth args");
            }
            self.clear(seps)?;
        }
        let mut state = SplitState::default();
        let mut n = 0;
        let mut last = 0;
        while let Some((a, b, _)) = splitter.next(&s, &mut state) {
            self.process.budget.step()?;
            if let Some(seps) = &seps
                && (n > 0 || a > last)
            {
                self.set_element(seps, KeyRef::Int(n), Value::str(&s[last..a]))?;
            }
            n += 1;
            self.set_element(&array, KeyRef::Int(n), Value::input(&s[a..b]))?;
            last = b;
        }
        if let Some(seps) = &seps
            && matches!(*splitter, Splitter::Blanks)
            && last < s.len()
        {
            self.set_element(seps, KeyRef::Int(n), Value::str(&s[last..]))?;
        }
        self.give_back(s);
        Ok(n as f64)
    }

    fn clear(&mut self, array: &ArrayRef) -> Run<()> {
        let held = array.borrow_mut().clear();
        self.weigh(-(held as i64))
    }

    fn patsplit(&mut self, args: &'p [Expr]) -> Run<f64> {
        let s = self.bytes_of(&args[0])?;
        let regex = match args.get(2) {
            Some(e) => self.regex_of(e)?,
            None => {
                let pattern = self.text(&self.specials[Special::FPAT as usize]);
                self.dynamic_regex(&pattern)?
            }
        };
        let seps = match args.get(3) {
            Some(e) => Some(self.array_arg(e)?),
            None => None,
        };
        let array = self.array_arg(&args[1])?;
        self.clear(&array)?;
        if let Some(seps) = &seps {
            self.clear(seps)?;
        }
        let splitter = Splitter::Content(regex);
        let mut state = SplitState::default();
        let mut n = 0;
        let mut last = 0;
        while let Some((a, b, _)) = splitter.next(&s, &mut state) {
            self.process.budget.step()?;
            if let Some(seps) = &seps {
                self.set_element(seps, KeyRef::Int(n), Value::str(&s[last..a]))?;
            }
            n += 1;
            self.set_element(&array, KeyRef::Int(n), Value::input(&s[a..b]))?;
            last = b;
        }
        if let Some(seps) = &seps
            && n > 0
        {
            self.set_element(seps, KeyRef::Int(n), Value::str(&s[last..]))?;
        }
        self.give_back(s);
        Ok(n as f64)
    }

    // ---- substitution ----

    /// `sub` and `gsub`.
    #[inline(never)]
    pub(super) fn substitute(
        &mut self,
        global: bool,
        pattern: &'p Expr,
        replacement: &'p Expr,
        target: &'p Target,
    ) -> Run<f64> {
        let regex = self.regex_of(pattern)?;
        let rep = self.bytes_of(replacement)?;
        let s = match target {
            Target::Nowhere(e) => self.bytes_of(e)?,
            t => {
                let mut b = self.buffer();
                self.append_target(t, &mut b)?;
                b
            }
        };
        let mut out = self.buffer();
        let mut count = 0;
        let mut last = 0;
        let plain = !rep.iter().any(|b| matches!(b, b'&' | b'\\'));
        let mut held = self.process.budget.reservation();
        for (a, b) in regex.searcher(&s).matches() {
            count += 1;
            out.extend_from_slice(&s[last..a]);
            if plain {
                out.extend_from_slice(&rep);
            } else {
                replace(&rep, &s[a..b], &mut out);
            }
            last = b;
            if out.len() as u64 > held.bytes() + (1 << 20) {
                held.set(out.len() as u64)?;
            }
            self.process.budget.step()?;
            if !global {
                break;
            }
        }
        if count > 0 {
            out.extend_from_slice(&s[last..]);
            if matches!(target, Target::Field(Expr::Num(0.0))) {
                // The record has a buffer of its own for its text.
                self.record.assign_string(&out, &self.splitter);
            } else {
                self.assign(target, Value::str(&out))?;
            }
        }
        self.give_back(out);
        self.give_back(s);
        self.give_back(rep);
        Ok(f64::from(count))
    }

    fn append_target(&mut self, t: &'p Target, out: &mut Vec<u8>) -> Run<()> {
        let v = match t {
            Target::Global(i) => match &self.globals[*i] {
                Value::Str(s) | Value::Input(s) => {
                    out.extend_from_slice(s);
                    return Ok(());
                }
                Value::Array(_) => {
                    return fatal(format!(
                        "attempt to use array `{}' in a scalar context",
                        self.program.globals[*i]
                    ));
                }
                v => v.clone(),
            },
            Target::Local(i) => self.stack[self.base + i].clone(),
            Target::Special(s) => self.special(*s),
            Target::Field(e) => {
                let i = self.field_index(e)?;
                out.extend_from_slice(self.record.field(i));
                return Ok(());
            }
            Target::Index(a, subs) => self.peek(a, subs)?.unwrap_or_default(),
            Target::Nowhere(_) => Value::Uninit,
        };
        self.convfmt.put_value(&v, out);
        Ok(())
    }

    fn gensub(&mut self, args: &'p [Expr]) -> Run<Value> {
        let regex = self.regex_of(&args[0])?;
        let rep = self.bytes_of(&args[1])?;
        let how = self.value(&args[2])?;
        let how_text = self.text(&how);
        let which = if how_text.first().is_some_and(|b| matches!(b, b'g' | b'G')) {
            None
        } else {
            let n = how.number();
            if n < 1.0 {
                let shown = String::from_utf8_lossy(&how_text).into_owned();
                self.warn(&format!("gensub: third argument `{shown}' treated as 1"))?;
            }
            Some(n.max(1.0) as u64)
        };
        let s = match args.get(3) {
            Some(e) => self.bytes_of(e)?,
            None => {
                self.joined();
                self.record.text().to_vec()
            }
        };
        let mut out = self.buffer();
        let mut last = 0;
        let mut n = 0;
        let mut captures = Captures::new();
        let mut matches = regex.searcher(&s).matches();
        let mut held = self.process.budget.reservation();
        while matches.next_captures(&mut captures) {
            n += 1;
            self.process.budget.step()?;
            if which.is_some_and(|w| n < w) {
                continue;
            }
            let Some((a, b)) = captures.get(0) else { break };
            out.extend_from_slice(&s[last..a]);
            let mut i = 0;
            while i < rep.len() {
                match (rep[i], rep.get(i + 1)) {
                    (b'\\', Some(d @ b'0'..=b'9')) => {
                        if let Some((x, y)) = captures.get((d - b'0') as usize) {
                            out.extend_from_slice(&s[x..y]);
                        }
                        i += 2;
                    }
                    (b'\\', Some(b'&')) => {
                        out.push(b'&');
                        i += 2;
                    }
                    (b'\\', Some(b'\\')) => {
                        out.push(b'\\');
                        i += 2;
                    }
                    (b'&', _) => {
                        out.extend_from_slice(&s[a..b]);
                        i += 1;
                    }
                    (c, _) => {
                        out.push(c);
                        i += 1;
                    }
                }
            }
            last = b;
            if out.len() as u64 > held.bytes() + (1 << 20) {
                held.set(out.len() as u64)?;
            }
            if which.is_some() {
                break;
            }
        }
        out.extend_from_slice(&s[last..]);
        let v = Value::str(&out);
        self.give_back(out);
        self.give_back(s);
        self.give_back(rep);
        Ok(v)
    }

    // ---- bits, time ----

    fn bits(&mut self, b: Builtin, args: &'p [Expr]) -> Run<f64> {
        let mut values = Vec::with_capacity(args.len());
        for a in args {
            let n = self.num(a)?;
            if n < 0.0 {
                return fatal(match b {
                    Builtin::Compl => format!("compl({}): negative value is not allowed", six(n)),
                    Builtin::Lshift | Builtin::Rshift => {
                        let mut all: Vec<String> = values.iter().map(|v: &u64| six(*v as f64)).collect();
                        all.push(six(n));
                        while all.len() < args.len() {
                            let next = self.num(&args[all.len()])?;
                            all.push(six(next));
                        }
                        format!("{}({}): negative values are not allowed", b.name(), all.join(", "))
                    }
                    _ => format!(
                        "{}: argument {} negative value {} is not allowed",
                        b.name(),
                        values.len() + 1,
                        short(n)
                    ),
                });
            }
            values.push(n.trunc() as u64);
        }
        let n = match b {
            Builtin::And => values.iter().fold(u64::MAX, |a, v| a & v),
            Builtin::Or => values.iter().fold(0, |a, v| a | v),
            Builtin::Xor => values.iter().fold(0, |a, v| a ^ v),
            Builtin::Compl => !values[0] & ((1 << 53) - 1),
            Builtin::Lshift => values[0].checked_shl(values[1].min(64) as u32).unwrap_or(0),
            _ => values[0].checked_shr(values[1].min(64) as u32).unwrap_or(0),
        };
        Ok(n as f64)
    }

    fn zone(&mut self, utc: bool) -> Zone {
        if utc {
            return Zone::utc();
        }
        if let Value::Array(environ) = &self.globals[super::interp::ENVIRON]
            && let Some(v) = environ.borrow().get(KeyRef::Text(b"TZ"))
        {
            return Zone::named(Some(&self.text(v)));
        }
        Zone::named(None)
    }

    fn strftime(&mut self, args: &'p [Expr]) -> Run<Value> {
        let format = match args.first() {
            Some(e) => self.bytes_of(e)?,
            None => match &self.globals[super::interp::PROCINFO] {
                Value::Array(info) => match info.borrow().get(KeyRef::Text(b"strftime")) {
                    Some(v) => self.text(v).to_vec(),
                    None => time::DEFAULT.to_vec(),
                },
                _ => time::DEFAULT.to_vec(),
            },
        };
        let at = match args.get(1) {
            Some(e) => self.num(e)?,
            None => Time::now().seconds() as f64,
        };
        let utc = match args.get(2) {
            Some(e) => self.truth(e)?,
            None => false,
        };
        let zone = self.zone(utc);
        let mut out = Vec::new();
        date::format(&format, Moment { seconds: at as i64, nanos: 0 }, &zone, Dialect::Libc, &mut out);
        Ok(Value::Str(Str::from_vec(out)))
    }

    // ---- sorting ----

    fn asort(&mut self, b: Builtin, args: &'p [Expr]) -> Run<f64> {
        let source = self.array_arg(&args[0])?;
        let by_index = b == Builtin::Asorti;
        let how = match args.get(2) {
            Some(e) => {
                let v = self.value(e)?;
                self.text(&v)
            }
            None => Str::new(if by_index { b"@ind_str_asc" } else { b"@val_type_asc" }),
        };
        let keys = self.sorted_keys(&source, &how)?;
        let mut values = Vec::with_capacity(keys.len());
        for k in &keys {
            values.push(match by_index {
                true => k.value(),
                false => source.borrow().get(k.as_ref()).cloned().unwrap_or_default(),
            });
        }
        let target = match args.get(1) {
            Some(e) => self.array_arg(e)?,
            None => source,
        };
        self.clear(&target)?;
        let n = values.len();
        for (i, v) in values.into_iter().enumerate() {
            self.process.budget.step()?;
            let v = match v {
                Value::Array(a) => Value::Array(copy_array(&a)),
                v => v,
            };
            self.set_element(&target, KeyRef::Int(i as i64 + 1), v)?;
        }
        Ok(n as f64)
    }

    /// The subscripts in the order that `PROCINFO["sorted_in"]` (or the third argument of asort) names.
    pub(super) fn sorted_keys(&mut self, array: &ArrayRef, how: &[u8]) -> Run<Vec<Key>> {
        let mut keys = super::order::keys(&array.borrow());
        self.process.budget.steps(keys.len().min(u32::MAX as usize) as u32)?;
        let text = |k: &Key| {
            let mut b = Vec::new();
            k.put(&mut b);
            b
        };
        if !how.starts_with(b"@") {
            return self.sorted_by_function(array, keys, how);
        }
        if how == b"@unsorted" {
            return Ok(keys);
        }
        let descending = how.ends_with(b"_desc");
        let base = how.strip_suffix(b"_desc").or(how.strip_suffix(b"_asc")).unwrap_or(how);
        match base {
            b"@ind_str" => keys.sort_by_cached_key(text),
            b"@ind_num" => {
                let number = |k: &Key| super::value::to_number(&text(k));
                keys.sort_by(|a, b| {
                    number(a)
                        .partial_cmp(&number(b))
                        .unwrap_or(Ordering::Equal)
                        .then_with(|| text(a).cmp(&text(b)))
                });
            }
            b"@val_str" | b"@val_num" | b"@val_type" => {
                let mut pairs: Vec<(Key, Value)> = keys
                    .into_iter()
                    .map(|k| {
                        let v = array.borrow().get(k.as_ref()).cloned().unwrap_or_default();
                        (k, v)
                    })
                    .collect();
                let rank = |v: &Value| match v {
                    Value::Array(_) => 2,
                    v if v.comparable().is_some() => 0,
                    _ => 1,
                };
                let strings = |a: &Value, b: &Value| self.text(a).bytes().cmp(self.text(b).bytes());
                let arrays_last =
                    |a: &Value, b: &Value| matches!(a, Value::Array(_)).cmp(&matches!(b, Value::Array(_)));
                pairs.sort_by(|(ka, a), (kb, b)| {
                    let by = match base {
                        b"@val_str" => arrays_last(a, b).then_with(|| strings(a, b)),
                        b"@val_num" => arrays_last(a, b)
                            .then_with(|| a.number().partial_cmp(&b.number()).unwrap_or(Ordering::Equal))
                            .then_with(|| strings(a, b)),
                        _ => rank(a).cmp(&rank(b)).then_with(|| match rank(a) {
                            0 => a.number().partial_cmp(&b.number()).unwrap_or(Ordering::Equal),
                            1 => strings(a, b),
                            _ => Ordering::Equal,
                        }),
                    };
                    by.then_with(|| text(ka).cmp(&text(kb)))
                });
                keys = pairs.into_iter().map(|p| p.0).collect();
            }
            _ => {
                let shown = String::from_utf8_lossy(how).into_owned();
                return fatal(format!("sort comparison function `{shown}' is not defined"));
            }
        }
        if descending {
            keys.reverse();
        }
        Ok(keys)
    }

    fn sorted_by_function(&mut self, array: &ArrayRef, keys: Vec<Key>, how: &[u8]) -> Run<Vec<Key>> {
        let name = String::from_utf8_lossy(how).into_owned();
        let Some(f) = self.program.functions.iter().position(|f| f.name == name) else {
            return fatal(format!("sort comparison function `{name}' is not defined"));
        };
        // A merge sort of our own: the comparison can fail, and may contradict itself.
        let mut runs: Vec<Vec<Key>> = keys.into_iter().map(|k| vec![k]).collect();
        while runs.len() > 1 {
            let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
            let mut pairs = runs.into_iter();
            while let Some(left) = pairs.next() {
                match pairs.next() {
                    Some(right) => merged.push(self.merge(array, f, left, right)?),
                    None => merged.push(left),
                }
            }
            runs = merged;
        }
        Ok(runs.pop().unwrap_or_default())
    }

    fn merge(&mut self, array: &ArrayRef, f: usize, left: Vec<Key>, right: Vec<Key>) -> Run<Vec<Key>> {
        let mut out = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let value = |k: &Key| array.borrow().get(k.as_ref()).cloned().unwrap_or_default();
            let args = vec![a.value(), value(a), b.value(), value(b)];
            let order = self.call_values(f, args)?.number();
            let next = if order > 0.0 { right.next() } else { left.next() };
            out.extend(next);
        }
        out.extend(left);
        out.extend(right);
        Ok(out)
    }
}

fn copy_array(a: &ArrayRef) -> ArrayRef {
    let copy = new_array();
    for (k, v) in a.borrow().iter() {
        let v = match v {
            Value::Array(a) => Value::Array(copy_array(a)),
            v => v.clone(),
        };
        copy.borrow_mut().set(k.as_ref(), v);
    }
    copy
}

/// A number as `%g` writes it, for messages.
fn short(n: f64) -> String {
    let mut out = Vec::new();
    super::format::NumberFormat::General(6).put_value(&Value::Num(n), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// A number as `%f` writes it, for messages.
fn six(n: f64) -> String {
    format!("{n:.6}")
}

/// Appends the replacement of `sub`: `&` is the match, `\&` an ampersand, `\\&` a backslash and the match.
fn replace(rep: &[u8], matched: &[u8], out: &mut Vec<u8>) {
    let mut i = 0;
    while i < rep.len() {
        let rest = &rep[i..];
        if rest.starts_with(b"\\\\\\&") {
            out.extend_from_slice(b"\\&");
            i += 4;
        } else if rest.starts_with(b"\\\\&") {
            out.push(b'\\');
            out.extend_from_slice(matched);
            i += 3;
        } else if rest.starts_with(b"\\&") {
            out.push(b'&');
            i += 2;
        } else if rest[0] == b'&' {
            out.extend_from_slice(matched);
            i += 1;
        } else {
            out.push(rest[0]);
            i += 1;
        }
    }
}

fn map_chars(s: &[u8], map: impl Fn(char) -> Option<char>) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len());
    for chunk in s.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut b = [0; 4];
            out.extend_from_slice(map(c).unwrap_or(c).encode_utf8(&mut b).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    out
}

/// Lower case, character by character (no character becomes two).
pub(super) fn lower(s: &[u8]) -> Vec<u8> {
    map_chars(s, |c| {
        let mut l = c.to_lowercase();
        l.next().filter(|_| l.next().is_none())
    })
}

fn upper(s: &[u8]) -> Vec<u8> {
    map_chars(s, |c| {
        let mut u = c.to_uppercase();
        u.next().filter(|_| u.next().is_none())
    })
}

/// `strtonum`: hexadecimal and octal by their prefixes.
fn strtonum(s: &[u8]) -> f64 {
    let blank = s.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let s = &s[blank..];
    let (negative, digits) = match s.first() {
        Some(b'-') => (true, &s[1..]),
        Some(b'+') => (false, &s[1..]),
        _ => (false, s),
    };
    let fold = |digits: &[u8], base: u32| {
        digits
            .iter()
            .map_while(|b| (*b as char).to_digit(base))
            .fold(0.0, |n, d| n * f64::from(base) + f64::from(d))
    };
    let n = match digits {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => fold(rest, 16),
        [b'0', rest @ ..]
            if rest.first().is_some_and(u8::is_ascii_digit)
                && !rest
                    .iter()
                    .take_while(|b| b.is_ascii_digit() || **b == b'.')
                    .any(|b| matches!(b, b'8' | b'9' | b'.')) =>
        {
            fold(rest, 8)
        }
        _ => return super::value::to_number(s),
    };
    if negative { -n } else { n }
}
