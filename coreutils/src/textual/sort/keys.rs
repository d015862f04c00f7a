//! Where a key lies in its line, and how the kinds of key compare.

use super::options::Key;
use std::cmp::Ordering;

fn blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n')
}

/// The bounds of `key` in `line` (sort.c, `begfield` and `limfield`).
pub fn bounds(line: &[u8], key: &Key, separator: Option<u8>) -> (usize, usize) {
    let start = begin(line, key, separator);
    let end = limit(line, key, separator);
    (start, end.max(start))
}

fn begin(line: &[u8], key: &Key, separator: Option<u8>) -> usize {
    let mut at = 0;
    skip_fields(line, &mut at, key.start_field, separator, true);
    if key.order.skip_start {
        skip_blanks(line, &mut at);
    }
    at.saturating_add(key.start_char).min(line.len())
}

fn limit(line: &[u8], key: &Key, separator: Option<u8>) -> usize {
    if key.end_field == usize::MAX {
        return line.len();
    }
    let mut at = 0;
    if key.end_char == 0 {
        // To the end of the field: skip one field more, without the separator after it.
        skip_fields(line, &mut at, key.end_field + 1, separator, false);
        return at;
    }
    skip_fields(line, &mut at, key.end_field, separator, true);
    if key.order.skip_end {
        skip_blanks(line, &mut at);
    }
    at.saturating_add(key.end_char).min(line.len())
}

fn skip_blanks(line: &[u8], at: &mut usize) {
    while *at < line.len() && blank(line[*at]) {
        *at += 1;
    }
}

fn skip_fields(line: &[u8], at: &mut usize, mut fields: usize, separator: Option<u8>, eat_last: bool) {
    while *at < line.len() && fields > 0 {
        fields -= 1;
        match separator {
            Some(s) => {
                *at = memchr::memchr(s, &line[*at..]).map_or(line.len(), |i| *at + i);
                if *at < line.len() && (fields > 0 || eat_last) {
                    *at += 1;
                }
            }
            None => {
                skip_blanks(line, at);
                while *at < line.len() && !blank(line[*at]) {
                    *at += 1;
                }
            }
        }
    }
}

/// A decimal number as `-n` reads it: sign, digits and fraction, of any length.
#[derive(Clone, Copy)]
struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
}

fn decimal(text: &[u8]) -> Decimal<'_> {
    let mut t = text;
    while t.first().is_some_and(|b| blank(*b)) {
        t = &t[1..];
    }
    let negative = t.first() == Some(&b'-');
    if negative {
        t = &t[1..];
    }
    let n = t.iter().take_while(|b| b.is_ascii_digit()).count();
    let (whole, rest) = t.split_at(n);
    let zeros = whole.iter().take_while(|b| **b == b'0').count();
    let mut fraction = match rest.strip_prefix(b".") {
        Some(f) => &f[..f.iter().take_while(|b| b.is_ascii_digit()).count()],
        None => &[],
    };
    while fraction.last() == Some(&b'0') {
        fraction = &fraction[..fraction.len() - 1];
    }
    Decimal { negative, whole: &whole[zeros..], fraction }
}

impl Decimal<'_> {
    fn zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }
}

/// `-n`
pub fn numeric(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (decimal(a), decimal(b));
    let sign = |d: &Decimal| {
        if d.zero() {
            0
        } else if d.negative {
            -1
        } else {
            1
        }
    };
    let by_sign = sign(&a).cmp(&sign(&b));
    if by_sign.is_ne() {
        return by_sign;
    }
    let magnitude = a
        .whole
        .len()
        .cmp(&b.whole.len())
        .then_with(|| a.whole.cmp(b.whole))
        .then_with(|| a.fraction.cmp(b.fraction));
    if sign(&a) < 0 { magnitude.reverse() } else { magnitude }
}

/// A number of `-n` as an integer that orders like it (value x 10^18, rounded towards zero, saturated), and
/// whether that is all of it.
pub fn fixed_point(text: &[u8]) -> (i128, bool) {
    const WHOLE: usize = 18;
    const FRACTION: usize = 18;
    let d = decimal(text);
    let exact = d.whole.len() <= WHOLE && d.fraction.len() <= FRACTION;
    let mut n = 0i128;
    if d.whole.len() > WHOLE {
        n = i128::MAX / 2;
    } else {
        for b in d.whole {
            n = n * 10 + i128::from(b - b'0');
        }
        for b in &d.fraction[..d.fraction.len().min(FRACTION)] {
            n = n * 10 + i128::from(b - b'0');
        }
        n *= 10i128.pow(FRACTION.saturating_sub(d.fraction.len()) as u32);
    }
    (if d.negative { -n } else { n }, exact)
}

/// `-h`: by sign, then by unit, then by number.
pub fn human(a: &[u8], b: &[u8]) -> Ordering {
    fn unit(text: &[u8]) -> i32 {
        let mut t = text;
        while t.first().is_some_and(|b| blank(*b)) {
            t = &t[1..];
        }
        let negative = t.first() == Some(&b'-');
        if negative {
            t = &t[1..];
        }
        let mut nonzero = false;
        let mut i = 0;
        let mut point = false;
        while i < t.len() && (t[i].is_ascii_digit() || (t[i] == b'.' && !point)) {
            point |= t[i] == b'.';
            nonzero |= (b'1'..=b'9').contains(&t[i]);
            i += 1;
        }
        let power = match t.get(i) {
            Some(b'k' | b'K') => 1,
            Some(b'M') => 2,
            Some(b'G') => 3,
            Some(b'T') => 4,
            Some(b'P') => 5,
            Some(b'E') => 6,
            Some(b'Z') => 7,
            Some(b'Y') => 8,
            Some(b'R') => 9,
            Some(b'Q') => 10,
            _ => 0,
        };
        if !nonzero {
            0
        } else if negative {
            -power
        } else {
            power
        }
    }
    let (ua, ub) = (unit(a), unit(b));
    let sign = |t: &[u8]| {
        let d = decimal(t);
        if d.zero() {
            0
        } else if d.negative {
            -1
        } else {
            1
        }
    };
    sign(a).cmp(&sign(b)).then(ua.cmp(&ub)).then_with(|| numeric(a, b))
}

/// `-M`: the month that leads the key, 0 = none.
pub fn month(text: &[u8]) -> u8 {
    let mut t = text;
    while t.first().is_some_and(|b| blank(*b)) {
        t = &t[1..];
    }
    let Some(three) = t.get(..3) else { return 0 };
    let upper: [u8; 3] = std::array::from_fn(|i| three[i].to_ascii_uppercase());
    const MONTHS: [&[u8; 3]; 12] =
        [b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC"];
    MONTHS.iter().position(|m| **m == upper).map_or(0, |i| i as u8 + 1)
}

/// `-g`: what strtold reads; what is no number comes first, then NaN.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub enum General {
    NotANumber,
    Nan,
    Number(f64),
}

pub fn general(text: &[u8]) -> General {
    let mut t = text;
    while t.first().is_some_and(|b| blank(*b) || matches!(b, 11..=13)) {
        t = &t[1..];
    }
    match float_prefix(t) {
        None => General::NotANumber,
        Some(n) if n.is_nan() => General::Nan,
        Some(n) => General::Number(n),
    }
}

fn float_prefix(t: &[u8]) -> Option<f64> {
    let (negative, body) = match t.first() {
        Some(b'-') => (true, &t[1..]),
        Some(b'+') => (false, &t[1..]),
        _ => (false, t),
    };
    let lower: Vec<u8> = body.iter().take(8).map(u8::to_ascii_lowercase).collect();
    let sign = if negative { -1.0 } else { 1.0 };
    if lower.starts_with(b"inf") {
        return Some(sign * f64::INFINITY);
    }
    if lower.starts_with(b"nan") {
        return Some(f64::NAN);
    }
    if lower.starts_with(b"0x") {
        let mut n = 0f64;
        let mut digits = 0;
        for b in &body[2..] {
            let Some(d) = char::from(*b).to_digit(16) else { break };
            n = n * 16.0 + f64::from(d);
            digits += 1;
        }
        return Some(if digits == 0 { 0.0 } else { sign * n });
    }
    fast_float2::parse_partial::<f64, _>(body).ok().map(|(n, _)| sign * n)
}

/// `-V`: GNU's filevercmp.
pub fn version(a: &[u8], b: &[u8]) -> Ordering {
    // Empty first, then ".", "..", then other hidden names.
    let class = |s: &[u8]| match s {
        b"" => 0,
        b"." => 1,
        b".." => 2,
        [b'.', ..] => 3,
        _ => 4,
    };
    let by_class = class(a).cmp(&class(b));
    if by_class.is_ne() {
        return by_class;
    }
    if class(a) < 3 {
        return Ordering::Equal;
    }
    let (pa, pb) = (prefix_length(a), prefix_length(b));
    if pa == a.len() && pb == b.len() {
        return verrevcmp(a, b);
    }
    verrevcmp(&a[..pa], &b[..pb]).then_with(|| verrevcmp(a, b))
}

/// The length without the suffix `(\.[A-Za-z~][A-Za-z0-9~]*)*$`.
fn prefix_length(s: &[u8]) -> usize {
    let mut prefix = 0;
    let mut i = 0;
    while i < s.len() {
        if s[i] == b'.' && s.get(i + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'~') {
            i += 2;
            while i < s.len() && (s[i].is_ascii_alphanumeric() || s[i] == b'~') {
                i += 1;
            }
        } else {
            i += 1;
            prefix = i;
        }
    }
    prefix
}

fn verrevcmp(a: &[u8], b: &[u8]) -> Ordering {
    let order = |s: &[u8], i: usize| -> i32 {
        match s.get(i) {
            None => -1,
            Some(b'0'..=b'9') => 0,
            Some(c) if c.is_ascii_alphabetic() => i32::from(*c),
            Some(b'~') => -2,
            Some(c) => i32::from(*c) + 256,
        }
    };
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        while (i < a.len() && !a[i].is_ascii_digit()) || (j < b.len() && !b[j].is_ascii_digit()) {
            let by = order(a, i).cmp(&order(b, j));
            if by.is_ne() {
                return by;
            }
            i += 1;
            j += 1;
        }
        while a.get(i) == Some(&b'0') {
            i += 1;
        }
        while b.get(j) == Some(&b'0') {
            j += 1;
        }
        let mut first = Ordering::Equal;
        while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
            if !x.is_ascii_digit() || !y.is_ascii_digit() {
                break;
            }
            first = first.then(x.cmp(y));
            i += 1;
            j += 1;
        }
        if a.get(i).is_some_and(u8::is_ascii_digit) {
            return Ordering::Greater;
        }
        if b.get(j).is_some_and(u8::is_ascii_digit) {
            return Ordering::Less;
        }
        if first.is_ne() {
            return first;
        }
    }
    Ordering::Equal
}
