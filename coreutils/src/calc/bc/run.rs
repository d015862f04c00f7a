//! bc's execution: variables, functions, printing. A runtime error ends the line that it occurs in.

use super::{
    decimal::Decimal,
    library,
    syntax::{Arg, Bin, Expr, Function, Item, Param, Parser, Place, Stmt},
};
use num_bigint::BigInt;
use sandshell_kernel::{Error, Process, Reservation, Result, Stop};
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

/// Why a statement does not go on.
enum Leave {
    Break,
    Continue,
    Return(Option<Decimal>),
    Halt,
    /// A runtime error, already told.
    Failed,
    Kernel(Error),
}

impl From<Error> for Leave {
    fn from(e: Error) -> Self {
        Leave::Kernel(e)
    }
}

type Run<T> = std::result::Result<T, Leave>;
type Array = BTreeMap<u32, Decimal>;

/// The largest index of an array.
const DIM_MAX: i64 = 16_777_215;
/// Digits in one number at most: more are refused as memory.
const DIGITS: u64 = 50_000_000;

/// bc's state.
pub struct Machine<'p> {
    /// The process it runs as.
    pub process: &'p mut Process,
    vars: HashMap<Rc<str>, Decimal>,
    arrays: HashMap<Rc<str>, Array>,
    functions: HashMap<Rc<str>, Rc<Function>>,
    names: Vec<Rc<str>>,
    scale: usize,
    ibase: u32,
    obase: u64,
    last: Decimal,
    mathlib: bool,
    column: usize,
    width: usize,
    held: Reservation,
    stacks: u32,
    pending: Option<Parser>,
}

impl<'p> Machine<'p> {
    /// A machine; with `bc -l`'s library when asked for.
    pub fn new(process: &'p mut Process, mathlib: bool) -> Machine<'p> {
        let width = process.env.get("BC_LINE_LENGTH").and_then(|v| std::str::from_utf8(v).ok()?.parse().ok());
        let held = process.budget.reservation();
        Machine {
            process,
            vars: HashMap::new(),
            arrays: HashMap::new(),
            functions: HashMap::new(),
            names: Vec::new(),
            scale: if mathlib { 20 } else { 0 },
            ibase: 10,
            obase: 10,
            last: Decimal::int(0),
            mathlib,
            column: 0,
            width: width.unwrap_or(70),
            held,
            stacks: 0,
            pending: None,
        }
    }

    /// Runs a text; true when bc is to end.
    pub fn run(&mut self, mut parser: Parser) -> Result<bool> {
        loop {
            self.process.budget.step()?;
            let item = parser.next();
            if let Some(e) = parser.failed.take() {
                return Err(e);
            }
            match item {
                Item::End => return Ok(false),
                Item::Quit => return Ok(true),
                Item::Wrong(messages) => {
                    let text: String = messages.iter().map(|m| format!("{m}\n")).collect();
                    self.process.write_error(text.as_bytes())?;
                }
                Item::Define(name, f) => {
                    self.functions.insert(name, Rc::new(f));
                }
                Item::Run(list) => {
                    self.pending = Some(parser);
                    let r = self.all(&list);
                    parser = match self.pending.take() {
                        Some(p) => p,
                        None => return Ok(true),
                    };
                    self.names.clear();
                    match r {
                        Err(Leave::Kernel(e)) => return Err(e),
                        Err(Leave::Halt) => return Ok(true),
                        _ => {}
                    }
                }
            }
        }
    }

    // Errors ----------------------------------------------------------------------------------------------------

    fn told(&mut self, kind: &str, pc: usize, text: &str) -> Run<()> {
        let name = self.names.last().map_or("(main)", |n| n);
        self.process.stdout.flush()?;
        let line = format!("Runtime {kind} (func={name}, adr={pc}): {text}\n");
        self.process.write_error(line.as_bytes())?;
        Ok(())
    }

    fn fail<T>(&mut self, pc: usize, text: &str) -> Run<T> {
        self.told("error", pc, text)?;
        Err(Leave::Failed)
    }

    fn warn(&mut self, pc: usize, text: &str) -> Run<()> {
        self.told("warning", pc, text)
    }

    // Output ----------------------------------------------------------------------------------------------------

    fn put(&mut self, text: &[u8]) -> Run<()> {
        self.process.stdout.put(text)?;
        match memchr::memrchr(b'\n', text) {
            Some(i) => self.column = text.len() - i - 1,
            None => self.column += text.len(),
        }
        Ok(())
    }

    /// A number, broken into lines of 70 columns.
    fn put_number(&mut self, n: &Decimal) -> Run<()> {
        let text = n.text(self.obase);
        if self.width == 0 {
            return self.put(text.as_bytes());
        }
        let mut out = Vec::with_capacity(text.len() + text.len() / 32);
        for b in text.bytes() {
            self.column += 1;
            if self.column >= self.width.max(3) - 1 {
                out.extend_from_slice(b"\\\n");
                self.column = 1;
            }
            out.push(b);
        }
        self.process.stdout.put(&out)?;
        Ok(())
    }

    fn escaped(&mut self, text: &[u8]) -> Run<()> {
        let mut out = Vec::with_capacity(text.len());
        let mut i = 0;
        while i < text.len() {
            if text[i] != b'\\' || i + 1 == text.len() {
                out.push(text[i]);
                i += 1;
                continue;
            }
            match text[i + 1] {
                b'a' => out.push(7),
                b'b' => out.push(8),
                b'f' => out.push(12),
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                b't' => out.push(b'\t'),
                b'q' => out.push(b'"'),
                b'\\' => out.push(b'\\'),
                _ => {}
            }
            i += 2;
        }
        self.put(&out)
    }

    // Statements ------------------------------------------------------------------------------------------------

    fn all(&mut self, list: &[Stmt]) -> Run<()> {
        list.iter().try_for_each(|s| self.statement(s))
    }

    fn statement(&mut self, s: &Stmt) -> Run<()> {
        self.process.budget.step()?;
        match s {
            Stmt::Expr(e, print) => {
                let Some(v) = self.maybe(e)? else { return Ok(()) };
                if *print {
                    self.put_number(&v)?;
                    self.put(b"\n")?;
                    self.last = v;
                }
            }
            Stmt::Text(t) => self.put(t)?,
            Stmt::Print(list) => {
                for s in list {
                    match s {
                        Stmt::Text(t) => self.escaped(t)?,
                        Stmt::Expr(e, _) => {
                            let v = self.value(e)?;
                            self.put_number(&v)?;
                            self.last = v;
                        }
                        other => self.statement(other)?,
                    }
                }
            }
            Stmt::If(c, yes, no) => {
                if !self.value(c)?.is_zero() {
                    self.statement(yes)?;
                } else if let Some(no) = no {
                    self.statement(no)?;
                }
            }
            Stmt::While(c, body) => {
                while !self.value(c)?.is_zero() {
                    if self.turn(body)? {
                        break;
                    }
                }
            }
            Stmt::For(init, cond, next, body) => {
                if let Some(e) = init {
                    self.value(e)?;
                }
                loop {
                    if let Some(c) = cond
                        && self.value(c)?.is_zero()
                    {
                        break;
                    }
                    if self.turn(body)? {
                        break;
                    }
                    if let Some(e) = next {
                        self.value(e)?;
                    }
                }
            }
            Stmt::Break => return Err(Leave::Break),
            Stmt::Continue => return Err(Leave::Continue),
            Stmt::Return(e) => {
                let v = match e {
                    Some(e) => Some(self.value(e)?),
                    None => None,
                };
                return Err(Leave::Return(v));
            }
            Stmt::Block(list) => self.all(list)?,
            Stmt::Halt => return Err(Leave::Halt),
            Stmt::Limits => self.put(
                b"BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 2147483647\nBC_STRING_MAX   = 2147483647\nMAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n",
            )?,
            Stmt::Warranty => self.put(b"\nThere is NO WARRANTY, to the extent permitted by law.\n\n")?,
        }
        Ok(())
    }

    /// One turn of a loop; true when it is to be left.
    fn turn(&mut self, body: &Stmt) -> Run<bool> {
        match self.statement(body) {
            Err(Leave::Break) => Ok(true),
            Err(Leave::Continue) | Ok(()) => Ok(false),
            Err(other) => Err(other),
        }
    }

    // Expressions -----------------------------------------------------------------------------------------------

    fn value(&mut self, e: &Expr) -> Run<Decimal> {
        Ok(self.maybe(e)?.unwrap_or_else(|| Decimal::int(0)))
    }

    /// The value; none of a function that returns none.
    fn maybe(&mut self, e: &Expr) -> Run<Option<Decimal>> {
        if stacker::remaining_stack().is_none_or(|n| n < 128 << 10) {
            if self.stacks >= 128 {
                return Err(Leave::Kernel(Error::Stop(Stop::Memory)));
            }
            self.stacks += 1;
            let _held = self.process.budget.reserve(1 << 20)?;
            let r = stacker::grow(1 << 20, || self.maybe_here(e));
            self.stacks -= 1;
            return r;
        }
        self.maybe_here(e)
    }

    fn maybe_here(&mut self, e: &Expr) -> Run<Option<Decimal>> {
        self.process.budget.step()?;
        Ok(Some(match e {
            Expr::Const(text) => Decimal::parse(text, self.ibase),
            Expr::Get(place) => self.get(place)?,
            Expr::Set(place, op, value, pc) => {
                let place = self.fixed(place)?;
                let v = match op {
                    None => self.value(value)?,
                    Some(op) => {
                        let old = self.get(&place)?;
                        let by = self.value(value)?;
                        self.binary(*op, &old, &by, *pc)?
                    }
                };
                self.set(&place, v.clone(), *pc)?;
                v
            }
            Expr::Step(place, before, by) => {
                let place = self.fixed(place)?;
                let old = self.get(&place)?;
                let new = old.add(&Decimal::int(*by));
                self.set(&place, new.clone(), 0)?;
                if *before { new } else { old }
            }
            Expr::Bin(op, l, r, pc) => {
                let l = self.value(l)?;
                let truth = |b: bool| Decimal::int(i64::from(b));
                match op {
                    Bin::And if l.is_zero() => return Ok(Some(truth(false))),
                    Bin::Or if !l.is_zero() => return Ok(Some(truth(true))),
                    _ => {}
                }
                let r = self.value(r)?;
                match op {
                    Bin::And | Bin::Or => truth(!r.is_zero()),
                    op => self.binary(*op, &l, &r, *pc)?,
                }
            }
            Expr::Neg(e) => self.value(e)?.neg(),
            Expr::Not(e) => Decimal::int(i64::from(self.value(e)?.is_zero())),
            Expr::Length(e) => Decimal::int(self.value(e)?.length() as i64),
            Expr::ScaleOf(e) => Decimal::int(self.value(e)?.scale() as i64),
            Expr::Sqrt(e, pc) => {
                let v = self.value(e)?;
                if v.is_negative() {
                    return self.fail(*pc, "Square root of a negative number");
                }
                self.room(self.scale as u64 * 2)?;
                v.sqrt(self.scale)
            }
            Expr::Read => {
                let word = self.pending.as_mut().and_then(Parser::take_word).unwrap_or_default();
                let (minus, digits) = match word.strip_prefix(b"-") {
                    Some(d) => (true, d),
                    None => (false, &word[..]),
                };
                let ok = !digits.is_empty()
                    && digits.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase() || *b == b'.');
                let n = if ok { Decimal::parse(digits, self.ibase) } else { Decimal::int(0) };
                if minus { n.neg() } else { n }
            }
            Expr::Random => Decimal::int(i64::from(fastrand::u32(0..=0x7fff_ffff))),
            Expr::Call(name, args, pc) => return self.call(name, args, *pc),
        }))
    }

    /// Makes sure that a number of so many digits may be held.
    fn room(&mut self, digits: u64) -> Run<()> {
        if digits > DIGITS {
            return Err(Leave::Kernel(Error::Stop(Stop::Memory)));
        }
        // Long operations take long: their work is counted before it is done.
        self.process.budget.steps(1 + (digits / 16).min(1 << 20) as u32)?;
        if digits > 4096 {
            self.held.set(digits)?;
        }
        Ok(())
    }

    fn binary(&mut self, op: Bin, l: &Decimal, r: &Decimal, pc: usize) -> Run<Decimal> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let truth = |b: bool| Decimal::int(i64::from(b));
        let digits = (l.bytes() + r.bytes()) * 3;
        Ok(match op {
            Bin::Add => l.add(r),
            Bin::Sub => l.sub(r),
            Bin::Mul => {
                self.room(digits)?;
                l.mul(r, self.scale)
            }
            Bin::Div | Bin::Mod => {
                self.room(digits + self.scale as u64)?;
                let q = if op == Bin::Div { l.div(r, self.scale) } else { l.modulo(r, self.scale) };
                match q {
                    Some(q) => q,
                    None if op == Bin::Div => return self.fail(pc, "Divide by zero"),
                    None => return self.fail(pc, "Modulo by zero"),
                }
            }
            Bin::Pow => self.power(l, r, pc)?,
            Bin::Eq => truth(l.compare(r) == Equal),
            Bin::Ne => truth(l.compare(r) != Equal),
            Bin::Lt => truth(l.compare(r) == Less),
            Bin::Le => truth(l.compare(r) != Greater),
            Bin::Gt => truth(l.compare(r) == Greater),
            Bin::Ge => truth(l.compare(r) != Less),
            Bin::And => truth(!l.is_zero() && !r.is_zero()),
            Bin::Or => truth(!l.is_zero() || !r.is_zero()),
        })
    }

    fn power(&mut self, base: &Decimal, exponent: &Decimal, pc: usize) -> Run<Decimal> {
        if exponent.scale() > 0 {
            self.warn(pc, "non-zero scale in exponent")?;
        }
        let Some(n) = exponent.to_i64() else { return self.fail(pc, "exponent too large in raise") };
        if n == 0 {
            return Ok(Decimal::int(1));
        }
        let times = n.unsigned_abs();
        let bits = base.value().bits().saturating_mul(times);
        if base.value().bits() > 1 || base.scale() > 0 {
            self.room(bits / 3 + (base.scale() as u64).saturating_mul(times))?;
        }
        // Squared bit by bit, so that the budget is asked in between.
        let mut value = BigInt::from(1u8);
        let small = base.value().bits() <= 1 && base.scale() == 0;
        if small {
            value =
                if times % 2 == 0 { BigInt::from(1u8) * base.value().pow(2) } else { base.value().clone() };
        } else {
            for bit in (0..64 - times.leading_zeros()).rev() {
                self.process.budget.check()?;
                value = &value * &value;
                if times >> bit & 1 == 1 {
                    value *= base.value();
                }
            }
        }
        let scale = if small { 0 } else { base.scale() * times as usize };
        let full = Decimal::new(value, scale);
        if n > 0 {
            let wanted = scale.min(self.scale.max(base.scale()));
            return Ok(full.truncated(wanted));
        }
        match Decimal::int(1).div(&full, self.scale) {
            Some(q) => Ok(q),
            None => self.fail(pc, "divide by zero"),
        }
    }

    // Places ----------------------------------------------------------------------------------------------------

    fn index(&mut self, name: &str, e: &Expr, pc: usize) -> Run<u32> {
        let n = self.value(e)?.to_i64().unwrap_or(-1);
        if !(0..=DIM_MAX).contains(&n) {
            return self.fail(pc, &format!("Array {name} subscript out of bounds."));
        }
        Ok(n as u32)
    }

    /// The place with its index evaluated, for what reads and writes it.
    fn fixed(&mut self, p: &Place) -> Run<Place> {
        Ok(match p {
            Place::Element(name, e, pc) => Place::At(name.clone(), self.index(name, e, *pc)?),
            other => other.clone(),
        })
    }

    fn get(&mut self, p: &Place) -> Run<Decimal> {
        Ok(match p {
            Place::Var(n) => self.vars.get(n).cloned().unwrap_or_else(|| Decimal::int(0)),
            Place::Element(..) => {
                let p = self.fixed(p)?;
                return self.get(&p);
            }
            Place::At(n, i) => {
                let found = self.arrays.get(n).and_then(|a| a.get(i)).cloned();
                found.unwrap_or_else(|| Decimal::int(0))
            }
            Place::Scale => Decimal::int(self.scale as i64),
            Place::Ibase => Decimal::int(i64::from(self.ibase)),
            Place::Obase => Decimal::int(self.obase as i64),
            Place::Last => self.last.clone(),
        })
    }

    fn set(&mut self, p: &Place, v: Decimal, pc: usize) -> Run<()> {
        match p {
            Place::Var(n) => drop(self.vars.insert(n.clone(), v)),
            Place::Element(..) => {
                let p = self.fixed(p)?;
                return self.set(&p, v, pc);
            }
            Place::At(n, i) => {
                let a = self.arrays.entry(n.clone()).or_default();
                if !a.contains_key(i) {
                    self.held.grow(64 + v.bytes())?;
                }
                a.insert(*i, v);
            }
            Place::Last => self.last = v,
            Place::Scale => match v.to_i64() {
                Some(n) if n < 0 => {
                    self.scale = 0;
                    self.warn(pc, "negative scale, set to 0")?;
                }
                Some(n) if n <= 0x7fff_ffff => {
                    self.room(n as u64)?;
                    self.scale = n as usize;
                }
                _ => {
                    self.scale = DIGITS as usize;
                    self.warn(pc, "scale too large, set to 2147483647")?;
                }
            },
            Place::Ibase => {
                let n = v.to_i64().unwrap_or(i64::MAX);
                if n < 2 {
                    self.ibase = 2;
                    self.warn(pc, "ibase too small, set to 2")?;
                } else if n > 36 {
                    self.ibase = 36;
                    self.warn(pc, "ibase too large, set to 36")?;
                } else {
                    self.ibase = n as u32;
                }
            }
            Place::Obase => {
                let n = v.to_i64().unwrap_or(i64::MAX);
                if n < 2 {
                    self.obase = 2;
                    self.warn(pc, "obase too small, set to 2")?;
                } else if n > 0x7fff_ffff {
                    self.obase = 0x7fff_ffff;
                    self.warn(pc, "obase too large, set to 2147483647")?;
                } else {
                    self.obase = n as u64;
                }
            }
        }
        Ok(())
    }

    // Functions -------------------------------------------------------------------------------------------------

    fn call(&mut self, name: &Rc<str>, args: &[Arg], pc: usize) -> Run<Option<Decimal>> {
        let Some(f) = self.functions.get(name).cloned() else {
            return self.library(name, args, pc).map(Some);
        };
        if args.len() != f.params.len() {
            return self.fail(pc + args.len(), "Parameter number mismatch");
        }
        // All arguments are evaluated before any parameter is bound.
        let mut values = Vec::new();
        for (a, p) in args.iter().zip(&f.params) {
            match (a, p.array) {
                (Arg::Value(e), false) => values.push((Some(self.value(e)?), None)),
                (Arg::Array(n), true) => {
                    values.push((None, Some((n.clone(), self.arrays.get(n).cloned().unwrap_or_default()))));
                }
                _ => return self.fail(pc, &format!("Parameter type mismatch, parameter {}.", p.name)),
            }
        }
        let mut saved = Vec::new();
        for (p, v) in f.params.iter().zip(values) {
            saved.push((p.clone(), self.shadow(p), v.1.as_ref().map(|a| a.0.clone())));
            match v {
                (Some(x), _) => drop(self.vars.insert(p.name.clone(), x)),
                (_, Some((_, a))) => drop(self.arrays.insert(p.name.clone(), a)),
                _ => {}
            }
        }
        for p in &f.autos {
            saved.push((p.clone(), self.shadow(p), None));
        }
        self.names.push(name.clone());
        let r = self.all(&f.body);
        self.names.pop();
        let mut back = Vec::new();
        for (p, old, source) in saved.into_iter().rev() {
            if p.array {
                let now = self.arrays.remove(&p.name).unwrap_or_default();
                if let (true, Some(source)) = (p.by_reference, source) {
                    back.push((source, now));
                }
            } else {
                self.vars.remove(&p.name);
            }
            match old {
                (Some(v), _) => drop(self.vars.insert(p.name, v)),
                (_, Some(a)) => drop(self.arrays.insert(p.name, a)),
                _ => {}
            }
        }
        self.arrays.extend(back);
        match r {
            Ok(()) | Err(Leave::Return(None)) if f.void => Ok(None),
            Ok(()) => Ok(Some(Decimal::int(0))),
            Err(Leave::Return(v)) => Ok(v.or_else(|| Some(Decimal::int(0)))),
            Err(other) => Err(other),
        }
    }

    /// Takes the outer value of a name away.
    fn shadow(&mut self, p: &Param) -> (Option<Decimal>, Option<Array>) {
        match p.array {
            true => (None, self.arrays.remove(&p.name)),
            false => (self.vars.remove(&p.name), None),
        }
    }

    fn library(&mut self, name: &str, args: &[Arg], pc: usize) -> Run<Decimal> {
        let wanted = match name {
            "e" | "l" | "s" | "c" | "a" => 1,
            "j" => 2,
            _ => 0,
        };
        if !self.mathlib || wanted == 0 {
            return self.fail(pc, &format!("Function {name} not defined."));
        }
        if args.len() != wanted {
            return self.fail(pc + args.len(), "Parameter number mismatch");
        }
        let mut values = Vec::new();
        for a in args {
            match a {
                Arg::Value(e) => values.push(self.value(e)?),
                Arg::Array(_) => return self.fail(pc, "Parameter type mismatch, parameter x."),
            }
        }
        let x = &values[0];
        self.room(self.scale as u64 * 8)?;
        let budget = self.process.budget.clone();
        let scale = self.scale;
        Ok(match name {
            "e" => library::e(x, scale, &budget)?,
            "l" => library::l(x, scale, &budget)?,
            "s" => library::s(x, scale, &budget)?,
            "c" => library::c(x, scale, &budget)?,
            "a" => library::a(x, scale, &budget)?,
            _ => library::j(x, &values[1], scale, &budget)?,
        })
    }
}
