//! Runs bc's statements.

use super::{
    math,
    number::{Number, ten},
    parse::{Argument, Expr, Function, Parser, Place, Printed, Statement},
};
use hashbrown::HashMap;
use num_bigint::BigInt;
use sandshell_kernel::{Error, Process, Result};
use std::{cmp::Ordering, rc::Rc};

/// Digits that one number may have: what is more is an error and not an endless multiplication.
const MOST_DIGITS: usize = 1 << 20;
/// Calls within calls.
const DEPTH: u32 = 500;

/// How a text ended.
pub enum Ended {
    /// At its end.
    Text,
    /// By `quit` or `halt`.
    Quit,
}

/// What leaves a statement early.
enum Flow {
    Break,
    Continue,
    Return(Option<Number>),
    Halt,
    /// `Runtime error`: this line is given up.
    Fault(String),
    Kernel(Error),
}

impl From<Error> for Flow {
    fn from(e: Error) -> Flow {
        Flow::Kernel(e)
    }
}

type Run<T> = std::result::Result<T, Flow>;

#[derive(Default, Clone)]
struct Variable {
    value: Option<Number>,
    array: HashMap<u64, Number>,
}

/// The state of a calculator.
pub struct Machine {
    variables: HashMap<String, Variable>,
    functions: HashMap<String, Rc<Function>>,
    scale: usize,
    ibase: u32,
    obase: BigInt,
    last: Number,
    library: bool,
    width: usize,
    column: usize,
    depth: u32,
    function: String,
}

impl Machine {
    /// A fresh one; lines are folded at `width` columns (0: never).
    pub fn new(library: bool, width: usize) -> Machine {
        Machine {
            variables: HashMap::new(),
            functions: HashMap::new(),
            scale: if library { 20 } else { 0 },
            ibase: 10,
            obase: 10.into(),
            last: Number::int(0),
            library,
            width: if width == 0 { 0 } else { width.max(3) },
            column: 0,
            depth: 0,
            function: "(main)".into(),
        }
    }

    /// Runs a whole text; `label` names it in messages.
    pub fn run(&mut self, process: &mut Process, text: &[u8], label: &str) -> Result<Ended> {
        let mut parser = Parser::new(text, 1);
        loop {
            process.budget.step()?;
            match parser.next_line() {
                Ok(None) => return Ok(Ended::Text),
                Ok(Some((statements, quit))) => {
                    for s in &statements {
                        match self.statement(process, s) {
                            Ok(()) => {}
                            Err(Flow::Kernel(e)) => return Err(e),
                            Err(Flow::Halt) => return Ok(Ended::Quit),
                            Err(Flow::Fault(text)) => {
                                process.stdout.flush()?;
                                let line = format!("Runtime error (func={}, adr=0): {text}\n", self.function);
                                process.write_error(line.as_bytes())?;
                                self.function = "(main)".into();
                                self.depth = 0;
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    if quit {
                        return Ok(Ended::Quit);
                    }
                }
                Err(wrong) => {
                    process.stdout.flush()?;
                    process.write_error(format!("{label} {}: {}\n", wrong.line, wrong.text).as_bytes())?;
                    parser.skip_line();
                }
            }
        }
    }

    fn statements(&mut self, process: &mut Process, list: &[Statement]) -> Run<()> {
        list.iter().try_for_each(|s| self.statement(process, s))
    }

    fn statement(&mut self, process: &mut Process, s: &Statement) -> Run<()> {
        process.budget.step()?;
        match s {
            Statement::Value(Expr::Call(name, arguments), true) => {
                if let Some(v) = self.call(process, name, arguments)? {
                    self.show(process, &v)?;
                }
                Ok(())
            }
            Statement::Value(e, shown) => {
                let v = self.eval(process, e)?;
                if *shown { self.show(process, &v) } else { Ok(()) }
            }
            Statement::Text(t) => self.put(process, t),
            Statement::Print(items) => {
                for item in items {
                    match item {
                        Printed::Text(t) => {
                            let t = escapes(t);
                            self.put(process, &t)?;
                        }
                        Printed::Value(e) => {
                            let v = self.eval(process, e)?;
                            self.put_number(process, &v)?;
                            self.last = v;
                        }
                    }
                }
                Ok(())
            }
            Statement::Block(list) => self.statements(process, list),
            Statement::If(c, yes, no) => {
                if !self.eval(process, c)?.zero() {
                    self.statement(process, yes)
                } else if let Some(no) = no {
                    self.statement(process, no)
                } else {
                    Ok(())
                }
            }
            Statement::While(c, body) => {
                while !self.eval(process, c)?.zero() {
                    match self.statement(process, body) {
                        Err(Flow::Break) => break,
                        Err(Flow::Continue) | Ok(()) => {}
                        other => return other,
                    }
                }
                Ok(())
            }
            Statement::For(init, test, step, body) => {
                if let Some(e) = init {
                    self.eval(process, e)?;
                }
                loop {
                    process.budget.step()?;
                    if let Some(e) = test
                        && self.eval(process, e)?.zero()
                    {
                        return Ok(());
                    }
                    match self.statement(process, body) {
                        Err(Flow::Break) => return Ok(()),
                        Err(Flow::Continue) | Ok(()) => {}
                        other => return other,
                    }
                    if let Some(e) = step {
                        self.eval(process, e)?;
                    }
                }
            }
            Statement::Break => Err(Flow::Break),
            Statement::Continue => Err(Flow::Continue),
            Statement::Return(e) => {
                let v = e.as_ref().map(|e| self.eval(process, e)).transpose()?;
                Err(Flow::Return(v))
            }
            Statement::Halt => Err(Flow::Halt),
            Statement::Define(name, f) => {
                self.functions.insert(name.clone(), Rc::new(f.clone()));
                Ok(())
            }
            Statement::Notice(what) => {
                let text: &[u8] = match *what {
                    "limits" => b"BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 2147483647\nBC_STRING_MAX   = 2147483647\nMAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n",
                    _ => b"This program comes with no warranty.\n",
                };
                process.stdout.put(text)?;
                Ok(())
            }
        }
    }

    fn show(&mut self, process: &mut Process, v: &Number) -> Run<()> {
        self.put_number(process, v)?;
        process.stdout.byte(b'\n')?;
        self.column = 0;
        self.last = v.clone();
        Ok(())
    }

    fn put_number(&mut self, process: &mut Process, v: &Number) -> Run<()> {
        let text = v.in_base(&self.obase);
        for &b in text.as_bytes() {
            if self.width > 0 && self.column == self.width - 2 {
                process.stdout.put(b"\\\n")?;
                self.column = 0;
            }
            process.stdout.byte(b)?;
            self.column += 1;
        }
        Ok(())
    }

    fn put(&mut self, process: &mut Process, text: &[u8]) -> Run<()> {
        process.stdout.put(text)?;
        self.column = match memchr::memrchr(b'\n', text) {
            Some(i) => text.len() - i - 1,
            None => self.column + text.len(),
        };
        Ok(())
    }

    fn index(&mut self, process: &mut Process, e: &Expr) -> Run<u64> {
        let i = self.eval(process, e)?;
        match i.small() {
            Some(n) if (0..=16_777_215).contains(&n) => Ok(n as u64),
            _ => Err(Flow::Fault("Array subscript out of bounds.".into())),
        }
    }

    fn get(&mut self, process: &mut Process, place: &Place) -> Run<Number> {
        let zero = || Number::int(0);
        Ok(match place {
            Place::Variable(n) => match n.as_str() {
                "scale" => Number::int(self.scale as i64),
                "ibase" => Number::int(i64::from(self.ibase)),
                "obase" => Number { value: self.obase.clone(), scale: 0 },
                "last" => self.last.clone(),
                n => self.variables.get(n).and_then(|v| v.value.clone()).unwrap_or_else(zero),
            },
            Place::Element(n, i) => {
                let i = self.index(process, i)?;
                self.variables.get(n).and_then(|v| v.array.get(&i).cloned()).unwrap_or_else(zero)
            }
        })
    }

    fn set(&mut self, process: &mut Process, place: &Place, v: Number) -> Run<()> {
        match place {
            Place::Variable(n) => match n.as_str() {
                "scale" => match v.small() {
                    Some(n) if n < 0 => {
                        return self.warn(process, "negative scale, set to 0").map(|()| self.scale = 0);
                    }
                    Some(n) => self.scale = (n as usize).min(MOST_DIGITS / 4),
                    None => self.scale = MOST_DIGITS / 4,
                },
                "ibase" => {
                    let n = v.small().unwrap_or(i64::MAX);
                    if n < 2 {
                        self.ibase = 2;
                        return self.warn(process, "ibase too small, set to 2");
                    }
                    if n > 36 {
                        self.ibase = 36;
                        return self.warn(process, "ibase too large, set to 36");
                    }
                    self.ibase = n as u32;
                }
                "obase" => {
                    let n = v.whole();
                    if n < BigInt::from(2) {
                        self.obase = 2.into();
                        return self.warn(process, "obase too small, set to 2");
                    }
                    self.obase = n.min(i32::MAX.into());
                }
                "last" => self.last = v,
                n => self.variables.entry_ref(n).or_default().value = Some(v),
            },
            Place::Element(n, i) => {
                let i = self.index(process, i)?;
                let array = &mut self.variables.entry_ref(n.as_str()).or_default().array;
                if array.len() > 1 << 20 {
                    return Err(Flow::Fault("Array too large.".into()));
                }
                array.insert(i, v);
            }
        }
        Ok(())
    }

    fn warn(&mut self, process: &mut Process, text: &str) -> Run<()> {
        process.stdout.flush()?;
        let line = format!("Runtime warning (func={}, adr=0): {text}\n", self.function);
        process.write_error(line.as_bytes())?;
        Ok(())
    }

    fn eval(&mut self, process: &mut Process, e: &Expr) -> Run<Number> {
        process.budget.step()?;
        let truth = |b: bool| Number::int(i64::from(b));
        Ok(match e {
            Expr::Number(text) => Number::parse(text, self.ibase),
            Expr::Get(place) => self.get(process, place)?,
            Expr::Set(place, op, e) => {
                let mut v = self.eval(process, e)?;
                if let Some(op) = op {
                    let old = self.get(process, place)?;
                    v = self.binary(process, *op, &old, &v)?;
                }
                self.set(process, place, v.clone())?;
                v
            }
            Expr::Step(place, delta, before) => {
                let old = self.get(process, place)?;
                let new = old.add(&Number::int(i64::from(*delta)));
                self.set(process, place, new.clone())?;
                if *before { new } else { old }
            }
            Expr::Negate(e) => {
                let v = self.eval(process, e)?;
                Number { value: -v.value, scale: v.scale }
            }
            Expr::Not(e) => truth(self.eval(process, e)?.zero()),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(process, a)?, self.eval(process, b)?);
                self.binary(process, *op, &a, &b)?
            }
            Expr::Compare(op, a, b) => {
                let order = self.eval(process, a)?.compare(&self.eval(process, b)?);
                truth(match *op {
                    "<" => order == Ordering::Less,
                    "<=" => order != Ordering::Greater,
                    ">" => order == Ordering::Greater,
                    ">=" => order != Ordering::Less,
                    "==" => order == Ordering::Equal,
                    _ => order != Ordering::Equal,
                })
            }
            Expr::And(a, b) => truth(!self.eval(process, a)?.zero() && !self.eval(process, b)?.zero()),
            Expr::Or(a, b) => truth(!self.eval(process, a)?.zero() || !self.eval(process, b)?.zero()),
            Expr::Builtin(what, e) => {
                let v = e.as_ref().map(|e| self.eval(process, e)).transpose()?.unwrap_or(Number::int(0));
                match *what {
                    "length" => {
                        let digits = if v.zero() { 0 } else { v.value.magnitude().to_string().len() };
                        Number::int(digits.max(v.scale).max(1) as i64)
                    }
                    "scale" => Number::int(v.scale as i64),
                    "sqrt" => v
                        .sqrt(self.scale)
                        .ok_or_else(|| Flow::Fault("Square root of a negative number".into()))?,
                    _ => Number::int(0),
                }
            }
            Expr::Call(name, arguments) => self
                .call(process, name, arguments)?
                .ok_or_else(|| Flow::Fault("void expression with a void function".into()))?,
        })
    }

    fn binary(&mut self, process: &mut Process, op: u8, a: &Number, b: &Number) -> Run<Number> {
        let zero = || Flow::Fault(if op == b'%' { "Modulo by zero" } else { "Divide by zero" }.into());
        let large = || Flow::Fault("number too large".into());
        process.budget.steps(((a.digits() + b.digits()) / 64) as u32)?;
        Ok(match op {
            b'+' => a.add(b),
            b'-' => a.sub(b),
            b'*' => {
                if a.digits() + b.digits() > MOST_DIGITS {
                    return Err(large());
                }
                a.mul(b, self.scale)
            }
            b'/' => a.div(b, self.scale).ok_or_else(zero)?,
            b'%' => a.rem(b, self.scale).ok_or_else(zero)?,
            _ => {
                if b.scale > 0 && b.value != b.whole() * ten(b.scale) {
                    self.warn(process, "non-zero scale in exponent")?;
                }
                let n = b.small().ok_or_else(|| Flow::Fault("exponent too large in raise".into()))?;
                let one = a.scale == 0 && a.value.magnitude() <= BigInt::from(1).magnitude();
                let size = a.digits().max(1) as u64;
                if !one && size.saturating_mul(n.unsigned_abs()) > MOST_DIGITS as u64 {
                    return Err(large());
                }
                if one {
                    // 0, 1 and -1 need no multiplication, however large the exponent.
                    let v = if n == 0 || (n % 2 == 0 && !a.zero()) { Number::int(1) } else { a.clone() };
                    return if n < 0 { Number::int(1).div(&v, self.scale).ok_or_else(zero) } else { Ok(v) };
                }
                a.pow(n, self.scale).ok_or_else(zero)?
            }
        })
    }

    fn call(&mut self, process: &mut Process, name: &str, arguments: &[Argument]) -> Run<Option<Number>> {
        let Some(f) = self.functions.get(name).cloned() else {
            return self.library(process, name, arguments).map(Some);
        };
        if f.parameters.len() != arguments.len() {
            return Err(Flow::Fault("Parameter number mismatch.".into()));
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Flow::Fault("Function calls too deeply nested.".into()));
        }
        let mut values = Vec::new();
        for ((_, array), a) in f.parameters.iter().zip(arguments) {
            values.push(match (a, array) {
                (Argument::Value(e), false) => {
                    Variable { value: Some(self.eval(process, e)?), array: HashMap::new() }
                }
                (Argument::Array(n), true) => {
                    let array = self.variables.get(n).map(|v| v.array.clone()).unwrap_or_default();
                    Variable { value: None, array }
                }
                _ => return Err(Flow::Fault(format!("Parameter type mismatch, parameter {name}."))),
            });
        }
        // Dynamic scope: what the names held comes back when the function ends.
        let mut saved = Vec::new();
        let fresh = f.locals.iter().map(|(n, a)| (n, a, Variable::default()));
        let bound = f.parameters.iter().zip(values).map(|((n, a), v)| (n, a, v));
        for (n, array, new) in bound.chain(fresh) {
            let slot = self.variables.entry_ref(n.as_str()).or_default();
            let old = slot.clone();
            if *array {
                slot.array = new.array;
            } else {
                slot.value = new.value;
            }
            saved.push((n.clone(), *array, old));
        }
        let outer = std::mem::replace(&mut self.function, name.to_string());
        let result = match stacker::remaining_stack() {
            Some(left) if left < 256 << 10 => Err(Flow::Fault("Function calls too deeply nested.".into())),
            _ => self.statements(process, &f.body),
        };
        for (n, array, old) in saved.into_iter().rev() {
            let slot = self.variables.entry(n).or_default();
            if array {
                slot.array = old.array;
            } else {
                slot.value = old.value;
            }
        }
        match result {
            Ok(()) | Err(Flow::Break | Flow::Continue | Flow::Return(None)) => {
                self.depth -= 1;
                self.function = outer;
                Ok((!f.void).then(|| Number::int(0)))
            }
            Err(Flow::Return(Some(v))) => {
                self.depth -= 1;
                self.function = outer;
                Ok(Some(v))
            }
            Err(other) => Err(other),
        }
    }

    fn library(&mut self, process: &mut Process, name: &str, arguments: &[Argument]) -> Run<Number> {
        let wanted = match name {
            "s" | "c" | "a" | "l" | "e" if self.library => 1,
            "j" if self.library => 2,
            _ => return Err(Flow::Fault(format!("Function {name} not defined."))),
        };
        let mut values = Vec::new();
        for a in arguments {
            if let Argument::Value(e) = a {
                values.push(self.eval(process, e)?);
            }
        }
        if values.len() != wanted {
            return Err(Flow::Fault("Parameter number mismatch.".into()));
        }
        process.budget.steps((self.scale as u32).saturating_mul(16))?;
        let (x, scale) = (&values[0], self.scale);
        if scale > 10_000 || x.digits() > 10_000 {
            return Err(Flow::Fault("number too large".into()));
        }
        Ok(match name {
            "s" => math::sin(x, scale),
            "c" => math::cos(x, scale),
            "a" => math::atan(x, scale),
            "l" => math::ln(x, scale),
            "e" => {
                if x.small().is_none_or(|n| n.unsigned_abs() > 100_000) {
                    return Err(Flow::Fault("number too large".into()));
                }
                math::exp(x, scale)
            }
            _ => math::bessel(x.small().unwrap_or(0), &values[1], scale),
        })
    }
}

/// The escapes of `print`.
fn escapes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.iter().copied();
    while let Some(b) = bytes.next() {
        if b != b'\\' {
            out.push(b);
            continue;
        }
        match bytes.next() {
            Some(b'a') => out.push(7),
            Some(b'b') => out.push(8),
            Some(b'f') => out.push(12),
            Some(b'n') => out.push(b'\n'),
            Some(b'q') => out.push(b'"'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(b'\\') => out.push(b'\\'),
            Some(other) => out.extend([b'\\', other]),
            None => out.push(b'\\'),
        }
    }
    out
}
