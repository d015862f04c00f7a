//! Numbers as text: the canonical form of literals, and how computed numbers are printed.

use super::val::Val;
use std::cmp::Ordering;

/// A decimal: sign, digits without leading zeros, exponent of the last digit.
struct Decimal<'a> {
    negative: bool,
    /// The digits with at most one dot among them.
    body: &'a [u8],
    exponent: i64,
}

/// Splits `[-+]digits[.digits][e[-+]digits]`; none if it is not that.
fn split(text: &[u8]) -> Option<Decimal<'_>> {
    let (negative, rest) = match text.first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let end = rest.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(rest.len());
    let body = &rest[..end];
    let digits = body.iter().filter(|b| b.is_ascii_digit()).count();
    let dots = body.iter().filter(|b| **b == b'.').count();
    if digits == 0 || dots > 1 || digits + dots != body.len() {
        return None;
    }
    let mut exponent = 0i64;
    if end < rest.len() {
        let (minus, e) = match rest.get(end + 1) {
            Some(b'-') => (true, &rest[end + 2..]),
            Some(b'+') => (false, &rest[end + 2..]),
            _ => (false, &rest[end + 1..]),
        };
        if e.is_empty() || !e.iter().all(u8::is_ascii_digit) {
            return None;
        }
        for d in e {
            exponent = (exponent * 10 + i64::from(d - b'0')).min(1 << 40);
        }
        if minus {
            exponent = -exponent;
        }
    }
    if let Some(dot) = body.iter().position(|b| *b == b'.') {
        exponent -= (body.len() - dot - 1) as i64;
    }
    Some(Decimal { negative, body, exponent })
}

impl Decimal<'_> {
    fn digits(&self) -> Vec<u8> {
        let mut d: Vec<u8> = self.body.iter().copied().filter(u8::is_ascii_digit).collect();
        let zeros = d.iter().take_while(|b| **b == b'0').count().min(d.len() - 1);
        d.drain(..zeros);
        d
    }
}

/// A number from its text, canonical as the decimal arithmetic specification writes it; none if it is no number.
pub fn parse(text: &[u8]) -> Option<Val> {
    if let Some(n) = small_integer(text) {
        return Some(Val::Num(n));
    }
    let d = split(text)?;
    let digits = d.digits();
    let adjusted = d.exponent + digits.len() as i64 - 1;
    if adjusted > 999_999_999 {
        return Some(Val::Num(if d.negative { f64::NEG_INFINITY } else { f64::INFINITY }));
    }
    if adjusted < -1_000_000_000 {
        return Some(Val::Num(if d.negative { -0.0 } else { 0.0 }));
    }
    let mut out = Vec::with_capacity(text.len() + 4);
    if d.negative {
        out.push(b'-');
    }
    if d.exponent <= 0 && adjusted >= -6 {
        let point = digits.len() as i64 + d.exponent;
        if point <= 0 {
            if d.exponent == 0 {
                out.extend_from_slice(&digits);
            } else {
                out.extend_from_slice(b"0.");
                out.extend(std::iter::repeat_n(b'0', -point as usize));
                out.extend_from_slice(&digits);
            }
        } else {
            out.extend_from_slice(&digits[..point as usize]);
            if d.exponent < 0 {
                out.push(b'.');
                out.extend_from_slice(&digits[point as usize..]);
            }
        }
    } else {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        if adjusted != 0 {
            out.extend_from_slice(format!("E{adjusted:+}").as_bytes());
        }
    }
    Some(Val::from_literal(&out))
}

/// `-?[0-9]{1,15}` without leading zeros: printed back as it is, so its text need not be kept.
#[inline]
fn small_integer(text: &[u8]) -> Option<f64> {
    let (negative, digits) = match text.first()? {
        b'-' => (true, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 15 || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    let mut n = 0u64;
    for d in digits {
        let d = d.wrapping_sub(b'0');
        if d > 9 {
            return None;
        }
        n = n * 10 + u64::from(d);
    }
    Some(if negative { -(n as f64) } else { n as f64 })
}

/// The order of two canonical literals, exactly.
pub fn compare_decimals(a: &[u8], b: &[u8]) -> Ordering {
    let (Some(x), Some(y)) = (split(a), split(b)) else { return Ordering::Equal };
    let (p, q) = (x.digits(), y.digits());
    let (zp, zq) = (p.iter().all(|b| *b == b'0'), q.iter().all(|b| *b == b'0'));
    if zp || zq {
        return match (zp, zq) {
            (true, true) => Ordering::Equal,
            (true, false) => {
                if y.negative {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            _ => {
                if x.negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        };
    }
    if x.negative != y.negative {
        return if x.negative { Ordering::Less } else { Ordering::Greater };
    }
    let (ap, aq) = (x.exponent + p.len() as i64, y.exponent + q.len() as i64);
    let magnitude = ap.cmp(&aq).then_with(|| {
        let n = p.len().max(q.len());
        let at = |d: &[u8], i: usize| d.get(i).copied().unwrap_or(b'0');
        (0..n).map(|i| at(&p, i).cmp(&at(&q, i))).find(|o| *o != Ordering::Equal).unwrap_or(Ordering::Equal)
    });
    if x.negative { magnitude.reverse() } else { magnitude }
}

/// A literal with the other sign.
pub fn negate(text: &[u8]) -> Val {
    match text.strip_prefix(b"-") {
        Some(rest) => Val::from_literal(rest),
        None => Val::from_literal(&[b"-", text].concat()),
    }
}

/// Appends a computed number as jq prints it: the shortest digits that read back the same, 17 at most.
pub fn write_f64(out: &mut Vec<u8>, n: f64) {
    if n.is_nan() {
        return out.extend_from_slice(b"null");
    }
    if n == n.trunc() && n.abs() < 1e15 {
        if n == 0.0 && n.is_sign_negative() {
            return out.extend_from_slice(b"-0");
        }
        return out.extend_from_slice(itoa::Buffer::new().format(n as i64).as_bytes());
    }
    let n = n.clamp(f64::MIN, f64::MAX);
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(n).as_bytes();
    let Some(d) = split(text) else { return };
    let mut digits = d.digits();
    let mut exponent = d.exponent;
    while digits.len() > 1 && digits.last() == Some(&b'0') {
        digits.pop();
        exponent += 1;
    }
    if d.negative {
        out.push(b'-');
    }
    let point = digits.len() as i64 + exponent;
    if point <= -4 || point > digits.len() as i64 + 15 {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        let e = point - 1;
        out.push(b'e');
        out.push(if e < 0 { b'-' } else { b'+' });
        out.extend_from_slice(format!("{:02}", e.abs()).as_bytes());
    } else if point <= 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', -point as usize));
        out.extend_from_slice(&digits);
    } else if exponent >= 0 {
        out.extend_from_slice(&digits);
        out.extend(std::iter::repeat_n(b'0', exponent as usize));
    } else {
        out.extend_from_slice(&digits[..point as usize]);
        out.push(b'.');
        out.extend_from_slice(&digits[point as usize..]);
    }
}
