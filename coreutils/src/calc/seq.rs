//! `seq`: numbers from FIRST to LAST. Decimals are counted exactly, as integers of their last place, which is what
//! GNU's long doubles print.

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::{
    number::LongDouble,
    options::{Example, Opt, Order, Spec},
};

/// `seq`
pub struct Seq;

static SPEC: Spec = Spec {
    name: "seq",
    about: "Print numbers from FIRST to LAST, in steps of INCREMENT.",
    synopsis: &["[OPTION]... LAST", "[OPTION]... FIRST LAST", "[OPTION]... FIRST INCREMENT LAST"],
    options: &[
        Opt::new('f', "format", "use printf style floating-point FORMAT").value("FORMAT"),
        Opt::new('s', "separator", "use STRING to separate numbers (default: \\n)").value("STRING"),
        Opt::new('w', "equal-width", "equalize width by padding with leading zeroes"),
    ],
    notes: "If FIRST or INCREMENT is omitted, it defaults to 1.  That is, an\nomitted INCREMENT defaults to 1 even when LAST is smaller than FIRST.\nThe sequence of numbers ends when the sum of the current number and\nINCREMENT would become greater than LAST.\nFIRST, INCREMENT, and LAST are interpreted as floating point values.\nINCREMENT is usually positive if FIRST is smaller than LAST, and\nINCREMENT is usually negative if FIRST is greater than LAST.\nINCREMENT must not be 0; none of FIRST, INCREMENT and LAST may be NaN.\nFORMAT must be suitable for printing one argument of type 'double';\nit defaults to %.PRECf if FIRST, INCREMENT, and LAST are all fixed point\ndecimal numbers with maximum precision PREC, and to %g otherwise.",
    version: "seq (GNU coreutils) 9.1",
    examples: &[Example { script: "seq 2 2 6", output: "2\n4\n6\n" }],
};

/// A number as written: its value in units of 10^-places.
#[derive(Clone, Copy, Debug)]
struct Operand {
    units: i128,
    places: u32,
    infinite: bool,
    /// Columns of the number as written, for -w.
    width: usize,
    /// Written with an exponent or in hexadecimal: no fixed precision.
    free: bool,
}

fn operand(text: &[u8]) -> Option<Operand> {
    let t = text.strip_prefix(b"+").unwrap_or(text);
    let (negative, body) = match t.strip_prefix(b"-") {
        Some(b) => (true, b),
        None => (false, t),
    };
    let lower = body.to_ascii_lowercase();
    let sign = |n: i128| if negative { -n } else { n };
    if lower == b"inf" || lower == b"infinity" {
        let units = sign(i128::MAX / 4);
        return Some(Operand { units, places: 0, infinite: true, width: 0, free: false });
    }
    if lower.starts_with(b"0x") || lower.contains(&b'e') {
        let (value, used) = sandshell_text::number::parse_f64(t);
        if used != t.len() || !value.is_finite() || value.abs() > 1e18 {
            return None;
        }
        // The shortest decimal of the value counts as well.
        let text = format!("{value}");
        let fixed = operand(text.as_bytes())?;
        let exponent = lower.iter().position(|b| *b == b'e').filter(|_| !lower.starts_with(b"0x"));
        let places = match exponent {
            Some(_) => fixed.places,
            None => 0,
        };
        return Some(Operand {
            free: exponent.is_none(),
            width: text.len(),
            places: places.max(fixed.places),
            ..fixed
        });
    }
    let point = body.iter().position(|b| *b == b'.');
    let (whole, fraction) = match point {
        Some(i) => (&body[..i], &body[i + 1..]),
        None => (body, &[][..]),
    };
    let digits = whole.len() + fraction.len();
    if digits == 0 || !whole.iter().chain(fraction).all(u8::is_ascii_digit) || digits > 36 {
        return None;
    }
    let units = whole.iter().chain(fraction).fold(0i128, |n, b| n * 10 + i128::from(b - b'0'));
    // A leading point is printed with a zero, a trailing one not at all.
    let mut width = text.len() - usize::from(text.starts_with(b"+"));
    if point.is_some() {
        if whole.is_empty() {
            width += 1;
        }
        if fraction.is_empty() {
            width -= 1;
        }
    }
    Some(Operand { units: sign(units), places: fraction.len() as u32, infinite: false, width, free: false })
}

/// A `%` directive of -f with what stands around it.
struct Format {
    before: Vec<u8>,
    after: Vec<u8>,
    flags: Vec<u8>,
    width: usize,
    precision: Option<usize>,
    conversion: u8,
}

fn format(text: &[u8]) -> std::result::Result<Format, String> {
    let shown = cli::quote(text);
    let mut f =
        Format { before: vec![], after: vec![], flags: vec![], width: 0, precision: None, conversion: b'g' };
    let mut i = 0;
    loop {
        match text.get(i) {
            None => return Err(format!("format {shown} has no % directive")),
            Some(b'%') if text.get(i + 1) == Some(&b'%') => {
                f.before.push(b'%');
                i += 2;
            }
            Some(b'%') => break,
            Some(b) => {
                f.before.push(*b);
                i += 1;
            }
        }
    }
    i += 1;
    while let Some(b) = text.get(i).filter(|b| b"-+#0 '".contains(b)) {
        f.flags.push(*b);
        i += 1;
    }
    while let Some(b) = text.get(i).filter(|b| b.is_ascii_digit()) {
        f.width = (f.width * 10 + usize::from(b - b'0')).min(1 << 16);
        i += 1;
    }
    if text.get(i) == Some(&b'.') {
        i += 1;
        let mut p = 0;
        while let Some(b) = text.get(i).filter(|b| b.is_ascii_digit()) {
            p = (p * 10 + usize::from(b - b'0')).min(1 << 12);
            i += 1;
        }
        f.precision = Some(p);
    }
    if text.get(i) == Some(&b'L') {
        i += 1;
    }
    match text.get(i) {
        None => return Err(format!("format {shown} ends in %")),
        Some(c) if b"efgaEFGA".contains(c) => f.conversion = *c,
        Some(c) => return Err(format!("format {shown} has unknown %{} directive", char::from(*c))),
    }
    i += 1;
    while let Some(b) = text.get(i) {
        if *b == b'%' {
            if text.get(i + 1) != Some(&b'%') {
                return Err(format!("format {shown} has too many % directives"));
            }
            i += 1;
        }
        f.after.push(*b);
        i += 1;
    }
    Ok(f)
}

impl Format {
    fn put(&self, value: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before);
        let (number, _, _) = LongDouble::parse(value);
        let mut digits = Vec::new();
        number.format(self.conversion, self.precision, self.flags.contains(&b'#'), &mut digits);
        let sign: &[u8] = if number.is_negative() {
            b"-"
        } else if self.flags.contains(&b'+') {
            b"+"
        } else if self.flags.contains(&b' ') {
            b" "
        } else {
            b""
        };
        let pad = self.width.saturating_sub(sign.len() + digits.len());
        if self.flags.contains(&b'-') {
            out.extend_from_slice(sign);
            out.extend_from_slice(&digits);
            out.resize(out.len() + pad, b' ');
        } else if self.flags.contains(&b'0') {
            out.extend_from_slice(sign);
            out.resize(out.len() + pad, b'0');
            out.extend_from_slice(&digits);
        } else {
            out.resize(out.len() + pad, b' ');
            out.extend_from_slice(sign);
            out.extend_from_slice(&digits);
        }
        out.extend_from_slice(&self.after);
    }
}

impl Program for Seq {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        protect_negative_numbers(process);
        let parsed = match cli::parse(process, &SPEC, Order::First, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        macro_rules! fail {
            ($help:expr, $($t:tt)*) => {{
                process.error(format_args!($($t)*))?;
                return if $help { cli::try_help(process, 1) } else { Ok(Status::FAILURE) };
            }};
        }
        let separator = parsed.last("separator").cloned().unwrap_or(Bytes::from_static(b"\n"));
        let equal = parsed.has("equal-width");
        let format = match parsed.last("format") {
            None => None,
            Some(text) => match format(text) {
                Ok(f) => Some(f),
                Err(e) => fail!(false, "{e}"),
            },
        };
        if parsed.operands.is_empty() {
            fail!(true, "missing operand");
        }
        if let Some(extra) = parsed.operands.get(3) {
            fail!(true, "extra operand {}", cli::quote(extra));
        }
        if equal && format.is_some() {
            fail!(true, "format string may not be specified when printing equal width strings");
        }
        let mut numbers = Vec::new();
        for o in &parsed.operands {
            match operand(o) {
                Some(n) => numbers.push(n),
                None => {
                    let nan = o.eq_ignore_ascii_case(b"nan") || o.eq_ignore_ascii_case(b"-nan");
                    let kind = if nan { "‘not-a-number’" } else { "floating point" };
                    fail!(true, "invalid {kind} argument: {}", cli::quote(o));
                }
            }
        }
        let one = Operand { units: 1, places: 0, infinite: false, width: 1, free: false };
        let (first, step, last) = match numbers[..] {
            [last] => (one, one, last),
            [first, last] => (first, one, last),
            [first, step, last] => (first, step, last),
            _ => return Ok(Status::FAILURE),
        };
        if step.units == 0 {
            fail!(true, "invalid Zero increment value: {}", cli::quote(&parsed.operands[1]));
        }
        let places = first.places.max(step.places);
        let unit = places.max(last.places);
        let scale = |o: &Operand| o.units.saturating_mul(10i128.saturating_pow(unit - o.places));
        let (from, by, to) =
            (scale(&first), scale(&step), if last.infinite { last.units } else { scale(&last) });
        let shown = places;
        // -w: as wide as the widest of the two ends when written with the common precision.
        let mut width = 0;
        if equal {
            let wide = |o: &Operand| {
                let own = o.places as usize;
                let shown = shown as usize;
                match (own, shown) {
                    (0, 0) => o.width,
                    (0, _) => o.width + 1 + shown,
                    (_, 0) => o.width - own - 1,
                    _ => o.width - own + shown,
                }
            };
            width = wide(&first).max(wide(&last));
        }
        let plain =
            format.is_none() && separator.len() == 1 && unit == 0 && by == 1 && from >= 0 && !first.free;
        if plain && (width <= 1 || !equal) && to >= from && !last.infinite {
            return counting(process, from as u128, to as u128, separator[0]);
        }
        let general = first.free || step.free || last.free;
        let mut out = Vec::with_capacity(64 << 10);
        let (mut n, mut any) = (from, false);
        while if by > 0 { n <= to } else { n >= to } {
            process.budget.step()?;
            if any {
                out.extend_from_slice(&separator);
            }
            any = true;
            match &format {
                Some(f) => {
                    let mut value = Vec::new();
                    decimal(n, unit, unit, 0, &mut value);
                    f.put(&value, &mut out);
                }
                None if general => {
                    let mut value = Vec::new();
                    decimal(n, unit, unit, 0, &mut value);
                    let (number, _, _) = LongDouble::parse(&value);
                    if number.is_negative() {
                        out.push(b'-');
                    }
                    number.format(b'g', None, false, &mut out);
                }
                None => decimal(n, unit, shown, width, &mut out),
            }
            if out.len() >= 32 << 10 {
                process.stdout.put(&out)?;
                out.clear();
            }
            n = n.saturating_add(by);
        }
        if any {
            out.push(b'\n');
        }
        process.stdout.put(&out)?;
        Ok(Status::OK)
    }
}

/// `seq -5 5`: what looks like a negative number is an operand.
fn protect_negative_numbers(process: &mut Process) {
    let mut i = 1;
    while let Some(arg) = process.args.get(i) {
        match &arg[..] {
            b"--" => return,
            b"-f" | b"-s" | b"--format" | b"--separator" => i += 1,
            [b'-', b'0'..=b'9' | b'.', ..] => {
                process.args.insert(i, Bytes::from_static(b"--"));
                return;
            }
            [b'-', ..] => {}
            _ => return,
        }
        i += 1;
    }
}

/// `n` units of 10^-`unit` with `places` decimals, zero-padded to `width`.
fn decimal(n: i128, unit: u32, places: u32, width: usize, out: &mut Vec<u8>) {
    let mut buf = itoa::Buffer::new();
    let digits = buf.format(n.unsigned_abs()).as_bytes();
    let unit = unit as usize;
    let mut body = Vec::with_capacity(digits.len() + 2);
    if digits.len() > unit {
        body.extend_from_slice(&digits[..digits.len() - unit]);
    } else {
        body.push(b'0');
    }
    if places > 0 {
        body.push(b'.');
        let fraction_start = digits.len().saturating_sub(unit);
        body.resize(body.len() + unit.saturating_sub(digits.len()).min(places as usize), b'0');
        let have = digits.len() - fraction_start;
        let want = (places as usize).saturating_sub(unit.saturating_sub(digits.len()));
        body.extend_from_slice(&digits[fraction_start..fraction_start + have.min(want)]);
    }
    let sign = usize::from(n < 0);
    if n < 0 {
        out.push(b'-');
    }
    out.resize(out.len() + width.saturating_sub(sign + body.len()), b'0');
    out.extend_from_slice(&body);
}

/// Counts by one in decimal digits: no division, no formatting per number.
fn counting(process: &mut Process, from: u128, to: u128, separator: u8) -> Result<Status> {
    let mut digits: Vec<u8> = from.to_string().into_bytes();
    let mut left = to - from;
    let mut buf: Vec<u8> = Vec::with_capacity(64 << 10);
    loop {
        buf.extend_from_slice(&digits);
        if left == 0 {
            buf.push(b'\n');
            process.stdout.put(&buf)?;
            return Ok(Status::OK);
        }
        buf.push(separator);
        if buf.len() > (64 << 10) - 64 {
            process.budget.step()?;
            process.stdout.put(&buf)?;
            buf.clear();
        }
        left -= 1;
        let mut i = digits.len();
        loop {
            if i == 0 {
                digits.insert(0, b'1');
                break;
            }
            i -= 1;
            if digits[i] == b'9' {
                digits[i] = b'0';
            } else {
                digits[i] += 1;
                break;
            }
        }
    }
}
