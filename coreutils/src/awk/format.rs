//! `printf`, `sprintf`, and how numbers become text by `CONVFMT` and `OFMT`.

use super::{
    ast::Expr,
    interp::{Interp, Run, fatal},
    record::char_len,
    value::{Value, put_integer},
};
use sandshell_text::double;

/// `CONVFMT` or `OFMT`.
#[derive(Clone, Debug)]
pub enum NumberFormat {
    /// `%.Ng`
    General(usize),
    /// Any other.
    Other(Vec<u8>),
}

impl NumberFormat {
    /// From the variable's text.
    pub fn new(text: &[u8]) -> NumberFormat {
        let general = text.strip_prefix(b"%.").and_then(|t| t.strip_suffix(b"g"));
        match general.and_then(|d| std::str::from_utf8(d).ok()).and_then(|d| d.parse().ok()) {
            Some(n) if n < 1000 => NumberFormat::General(n),
            _ => NumberFormat::Other(text.to_vec()),
        }
    }

    /// Appends a number that is not integral (or too large for an integer).
    #[cold]
    pub fn put(&self, n: f64, out: &mut Vec<u8>) {
        if n.is_nan() || n.is_infinite() {
            return put_special(n, out);
        }
        if n.fract() == 0.0 {
            let _ = std::io::Write::write_fmt(out, format_args!("{n:.0}"));
            return;
        }
        match self {
            NumberFormat::General(p) => {
                if n < 0.0 {
                    out.push(b'-');
                }
                double::put(n, b'g', Some(*p), false, out);
            }
            NumberFormat::Other(f) => {
                // Formatting one number cannot fail.
                let _ = format(f, &mut One(Some(n)), out);
            }
        }
    }

    /// Appends the text of a value.
    pub fn put_value(&self, v: &Value, out: &mut Vec<u8>) {
        match v {
            Value::Str(s) | Value::Input(s) | Value::Regex(s) => out.extend_from_slice(s),
            Value::Num(n) => {
                if !put_integer(*n, out) {
                    self.put(*n, out);
                }
            }
            Value::Uninit | Value::Array(_) => {}
        }
    }
}

/// gawk's names for what is no finite number: always with a sign.
fn put_special(n: f64, out: &mut Vec<u8>) {
    out.push(if n.is_sign_negative() { b'-' } else { b'+' });
    out.extend_from_slice(if n.is_nan() { b"nan" } else { b"inf" });
}

/// Where a format takes its arguments from.
trait Arguments {
    /// The number `i` (from 0).
    fn get(&mut self, i: usize) -> Option<Value>;
    /// Appends a value's text.
    fn put(&self, v: &Value, out: &mut Vec<u8>);
}

struct One(Option<f64>);

impl Arguments for One {
    fn get(&mut self, i: usize) -> Option<Value> {
        if i == 0 { self.0.map(Value::Num) } else { None }
    }

    fn put(&self, v: &Value, out: &mut Vec<u8>) {
        NumberFormat::General(6).put_value(v, out);
    }
}

struct List<'a>(Vec<Value>, &'a NumberFormat);

impl Arguments for List<'_> {
    fn get(&mut self, i: usize) -> Option<Value> {
        self.0.get(i).cloned()
    }

    fn put(&self, v: &Value, out: &mut Vec<u8>) {
        self.1.put_value(v, out);
    }
}

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Widest field: more is surely a mistake, and would only fill the memory.
const WIDEST: f64 = 1e9;

impl<'p> Interp<'p> {
    /// Formats `args`, the first of which is the format.
    pub(super) fn format(&mut self, args: &'p [Expr], out: &mut Vec<u8>) -> Run<()> {
        let mut values = Vec::with_capacity(args.len() - 1);
        let mut text = self.buffer();
        // Arguments are evaluated from left to right, the format first.
        self.append(&args[0], &mut text)?;
        for a in &args[1..] {
            values.push(self.value(a)?);
        }
        let held = self.process.budget.reserve(0)?;
        let mut list = List(values, &self.convfmt);
        let widths = reserve_for(&text, &list);
        if widths > 1 << 16 {
            let mut held = held;
            held.set(widths as u64)?;
        }
        let done = format(&text, &mut list, out);
        self.give_back(text);
        match done {
            Ok(()) => Ok(()),
            Err(e) => fatal(e),
        }
    }
}

/// An upper bound of what widths and precisions can add.
fn reserve_for(format: &[u8], list: &List<'_>) -> usize {
    let mut most = 0usize;
    let mut n = 0usize;
    for b in format {
        n = if b.is_ascii_digit() { n.saturating_mul(10).saturating_add((b - b'0') as usize) } else { 0 };
        most = most.saturating_add(if n > 4096 { n } else { 0 });
    }
    if format.contains(&b'*') {
        for v in &list.0 {
            let n = v.number().abs();
            if n > 4096.0 && n <= WIDEST {
                most = most.saturating_add(n as usize);
            }
        }
    }
    most
}

fn format(text: &[u8], args: &mut dyn Arguments, out: &mut Vec<u8>) -> Result<(), String> {
    let mut at = 0;
    let mut next = 0;
    let mut counted = None;
    while at < text.len() {
        let Some(i) = memchr::memchr(b'%', &text[at..]) else {
            out.extend_from_slice(&text[at..]);
            break;
        };
        out.extend_from_slice(&text[at..at + i]);
        let start = at + i;
        at = conversion(text, start, args, &mut next, &mut counted, out)?;
    }
    Ok(())
}

fn ran_out(text: &[u8], at: usize) -> String {
    let shown = String::from_utf8_lossy(text);
    format!(
        "not enough arguments to satisfy format string\n\t`{shown}'\n\t{:at$}^ ran out for this one",
        "",
        at = at
    )
}

/// Does the conversion that begins at `start`; where it ends.
fn conversion(
    text: &[u8],
    start: usize,
    args: &mut dyn Arguments,
    next: &mut usize,
    counted: &mut Option<bool>,
    out: &mut Vec<u8>,
) -> Result<usize, String> {
    let mut spec = Spec::default();
    let mut at = start + 1;
    let mut explicit = None;
    let number = |at: &mut usize| {
        let from = *at;
        let mut n = 0usize;
        while let Some(b) = text.get(*at).filter(|b| b.is_ascii_digit()) {
            n = n.saturating_mul(10).saturating_add((b - b'0') as usize);
            *at += 1;
        }
        (*at > from).then_some(n)
    };
    // `%2$s`
    let mut peek = at;
    if let Some(n) = number(&mut peek)
        && text.get(peek) == Some(&b'$')
    {
        if n == 0 {
            return Err("argument index with `$' must be > 0".into());
        }
        explicit = Some(n - 1);
        at = peek + 1;
    }
    let mut mixed = |explicit: bool| match counted {
        Some(c) if *c != explicit => Err("must use `count$' on all formats or none".to_string()),
        _ => {
            *counted = Some(explicit);
            Ok(())
        }
    };
    let mut take = |args: &mut dyn Arguments, explicit: Option<usize>, at: usize| {
        let i = explicit.unwrap_or_else(|| {
            *next += 1;
            *next - 1
        });
        args.get(i).ok_or_else(|| ran_out(text, at))
    };
    loop {
        match text.get(at) {
            Some(b'-') => spec.left = true,
            Some(b'+') => spec.plus = true,
            Some(b' ') => spec.space = true,
            Some(b'#') => spec.alternate = true,
            Some(b'0') => spec.zero = true,
            Some(b'\'') => {}
            _ => break,
        }
        at += 1;
    }
    let mut star = |at: &mut usize, args: &mut dyn Arguments| -> Result<Option<f64>, String> {
        if text.get(*at) != Some(&b'*') {
            return Ok(None);
        }
        *at += 1;
        let mut peek = *at;
        let mut which = None;
        if let Some(n) = number(&mut peek)
            && text.get(peek) == Some(&b'$')
        {
            which = Some(n.saturating_sub(1));
            *at = peek + 1;
        }
        let n = take(args, which, *at - 1)?.number().trunc();
        Ok(Some(n.clamp(-WIDEST, WIDEST)))
    };
    match star(&mut at, args)? {
        Some(n) => {
            spec.left |= n < 0.0;
            spec.width = n.abs() as usize;
        }
        None => spec.width = number(&mut at).unwrap_or(0),
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        spec.precision = match star(&mut at, args)? {
            Some(n) => (n >= 0.0).then_some(n as usize),
            None => Some(number(&mut at).unwrap_or(0)),
        };
    }
    spec.width = spec.width.min(WIDEST as usize);
    spec.precision = spec.precision.map(|p| p.min(WIDEST as usize));
    for letter in [b'h', b'l', b'L'] {
        if text.get(at) == Some(&letter) {
            at += 1;
            break;
        }
    }
    let Some(&c) = text.get(at) else {
        out.extend_from_slice(&text[start..]);
        return Ok(text.len());
    };
    match c {
        b'%' => {
            out.push(b'%');
            return Ok(at + 1);
        }
        b'd' | b'i' | b'o' | b'x' | b'X' | b'u' | b'c' | b's' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G'
        | b'a' | b'A' => {}
        _ => {
            out.extend_from_slice(&text[start..=at]);
            return Ok(at + 1);
        }
    }
    mixed(explicit.is_some())?;
    let value = take(args, explicit, at)?;
    match c {
        b'c' => character(&spec, &value, out),
        b's' => {
            let mut s = Vec::new();
            args.put(&value, &mut s);
            if let Some(p) = spec.precision {
                let end = chars(&s).nth(p).map_or(s.len(), |(i, _)| i);
                s.truncate(end);
            }
            pad_text(&spec, &s, out);
        }
        b'd' | b'i' => signed(&spec, value.number(), out),
        b'o' | b'x' | b'X' | b'u' => unsigned(&spec, c, value.number(), out),
        c => real(&spec, c, value.number(), out),
    }
    Ok(at + 1)
}

/// The characters of a text, with their offsets.
pub fn chars(s: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = s.get(at..).filter(|r| !r.is_empty())?;
        let n = char_len(rest);
        at += n;
        Some((at - n, &rest[..n]))
    })
}

fn pad_text(spec: &Spec, s: &[u8], out: &mut Vec<u8>) {
    let len = if spec.width == 0 || s.is_ascii() { s.len() } else { chars(s).count() };
    let fill = spec.width.saturating_sub(len);
    if !spec.left {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(s);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

fn character(spec: &Spec, value: &Value, out: &mut Vec<u8>) {
    let numeric = match value {
        Value::Num(n) => Some(*n),
        Value::Input(s) => super::value::looks_numeric(s),
        _ => None,
    };
    if let Some(n) = numeric {
        let code = n as i64 as u32;
        let mut b = [0; 4];
        match char::from_u32(code).filter(|_| (0.0..4_294_967_296.0).contains(&n)) {
            Some(c) => pad_text(spec, c.encode_utf8(&mut b).as_bytes(), out),
            None => pad_text(spec, &[code as u8], out),
        }
        return;
    }
    let mut s = Vec::new();
    NumberFormat::General(6).put_value(value, &mut s);
    let one = if s.is_empty() { &[0][..] } else { &s[..char_len(&s)] };
    // An empty string gives nothing but its padding... except NUL, which is gawk's.
    pad_text(spec, one, out);
}

/// Puts sign or prefix, zeros and digits together.
fn pad_number(spec: &Spec, prefix: &[u8], digits: &[u8], zeros_allowed: bool, out: &mut Vec<u8>) {
    let len = prefix.len() + digits.len();
    let fill = spec.width.saturating_sub(len);
    let zeros = spec.zero && !spec.left && zeros_allowed;
    if !spec.left && !zeros {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(prefix);
    if zeros {
        out.resize(out.len() + fill, b'0');
    }
    out.extend_from_slice(digits);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static [u8] {
    match (negative, spec.plus, spec.space) {
        (true, _, _) => b"-",
        (_, true, _) => b"+",
        (_, _, true) => b" ",
        _ => b"",
    }
}

fn signed(spec: &Spec, n: f64, out: &mut Vec<u8>) {
    if n.is_nan() || n.is_infinite() {
        return put_special(n, out);
    }
    let n = n.trunc();
    let mut digits = Vec::new();
    if n.abs() < 9e18 {
        digits.extend_from_slice(itoa::Buffer::new().format((n as i64).unsigned_abs()).as_bytes());
    } else {
        double::put(n, b'f', Some(0), false, &mut digits);
    }
    with_precision(spec, &mut digits);
    pad_number(spec, sign(spec, n < 0.0), &digits, spec.precision.is_none(), out);
}

fn with_precision(spec: &Spec, digits: &mut Vec<u8>) {
    if let Some(p) = spec.precision {
        if p == 0 && digits == b"0" {
            digits.clear();
        }
        if digits.len() < p {
            let fill = p - digits.len();
            digits.splice(0..0, std::iter::repeat_n(b'0', fill));
        }
    }
}

fn unsigned(spec: &Spec, c: u8, n: f64, out: &mut Vec<u8>) {
    if n.is_nan() || n.is_infinite() {
        return put_special(n, out);
    }
    let n = n.trunc();
    if !(-9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&n) {
        return real(spec, b'g', n, out);
    }
    let n = if n < 0.0 { n as i64 as u64 } else { n as u64 };
    let mut digits = match c {
        b'o' => format!("{n:o}"),
        b'x' => format!("{n:x}"),
        b'X' => format!("{n:X}"),
        _ => format!("{n}"),
    }
    .into_bytes();
    with_precision(spec, &mut digits);
    let prefix: &[u8] = match c {
        b'o' if spec.alternate && digits.first() != Some(&b'0') => b"0",
        b'x' if spec.alternate && n != 0 => b"0x",
        b'X' if spec.alternate && n != 0 => b"0X",
        _ => b"",
    };
    pad_number(spec, prefix, &digits, spec.precision.is_none(), out);
}

fn real(spec: &Spec, c: u8, n: f64, out: &mut Vec<u8>) {
    if n.is_nan() || n.is_infinite() {
        return put_special(n, out);
    }
    let mut digits = Vec::new();
    double::put(n, c, spec.precision, spec.alternate, &mut digits);
    let mut prefix = sign(spec, n.is_sign_negative()).to_vec();
    if digits.starts_with(b"0x") || digits.starts_with(b"0X") {
        prefix.extend_from_slice(&digits[..2]);
        digits.drain(..2);
    }
    pad_number(spec, &prefix, &digits, true, out);
}
