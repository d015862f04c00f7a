//! Floating point with the 64-bit mantissa of the x87, in which bash and GNU printf compute, and its exact decimal
//! forms. A double converts to it without loss, so awk's formatting is the same code.

use num_bigint::BigUint;

/// A `long double`: `mantissa * 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongDouble {
    negative: bool,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Zero,
    /// The top bit of the mantissa is set.
    Finite(u64, i32),
    Inf,
    Nan,
}

/// Digits beyond which a number's text only matters as "more".
const MAX_DIGITS: usize = 12_000;

impl LongDouble {
    /// Zero.
    pub const ZERO: LongDouble = LongDouble { negative: false, kind: Kind::Zero };

    fn normal(negative: bool, mantissa: u64, exponent: i32) -> LongDouble {
        if mantissa == 0 {
            return LongDouble { negative, kind: Kind::Zero };
        }
        let shift = mantissa.leading_zeros();
        let (m, e) = (mantissa << shift, exponent - shift as i32);
        let kind = if e > 16383 - 63 { Kind::Inf } else { Kind::Finite(m, e) };
        LongDouble { negative, kind }
    }

    /// A double, exactly.
    pub fn from_f64(x: f64) -> LongDouble {
        let negative = x.is_sign_negative();
        if x.is_nan() {
            return LongDouble { negative, kind: Kind::Nan };
        }
        if x.is_infinite() {
            return LongDouble { negative, kind: Kind::Inf };
        }
        let bits = x.to_bits();
        let e = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        match e {
            0 => LongDouble::normal(negative, fraction, -1074),
            _ => LongDouble::normal(negative, fraction | 1 << 52, e - 1075),
        }
    }

    /// The ten bytes of an x87 register in memory.
    pub fn from_x87(bytes: [u8; 10]) -> LongDouble {
        let mantissa = u64::from_le_bytes([
            bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        ]);
        let high = u16::from_le_bytes([bytes[8], bytes[9]]);
        let (negative, e) = (high >> 15 == 1, i32::from(high & 0x7fff));
        // A finite number has its top bit set, unless its exponent is 0.
        let kind = match (e, mantissa) {
            (0x7fff, 0x8000_0000_0000_0000) => Kind::Inf,
            (0x7fff, _) => Kind::Nan,
            (0, _) => return LongDouble::normal(negative, mantissa, -16_445),
            (_, m) if m >> 63 == 0 => Kind::Nan,
            _ => Kind::Finite(mantissa, e - 16_446),
        };
        LongDouble { negative, kind }
    }

    /// An integer, exactly.
    pub fn from_i64(n: i64) -> LongDouble {
        LongDouble::normal(n < 0, n.unsigned_abs(), 0)
    }

    /// Whether its sign is minus.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Neither infinite nor NaN.
    pub fn is_finite(&self) -> bool {
        matches!(self.kind, Kind::Zero | Kind::Finite(..))
    }

    /// strtold: the value, how many bytes were read (0: no number), and whether it was out of range.
    pub fn parse(text: &[u8]) -> (LongDouble, usize, bool) {
        let Some(n) = Numeral::read(text) else { return (LongDouble::ZERO, 0, false) };
        let sign = |kind| LongDouble { negative: n.negative, kind };
        match n.body {
            Body::Inf => (sign(Kind::Inf), n.used, false),
            Body::Nan => (sign(Kind::Nan), n.used, false),
            Body::Hex(mantissa, exponent) => {
                (LongDouble::normal(n.negative, mantissa, exponent), n.used, false)
            }
            Body::Decimal => {
                let (digits, exponent) = n.digits(text);
                let value = from_decimal(n.negative, &digits, exponent);
                let over = value.kind == Kind::Inf || value.kind == Kind::Zero && !digits.is_empty();
                (value, n.used, over)
            }
        }
    }

    /// Appends the number as `%f`, `%e`, `%g` or `%a` (or the capital) would print it, without sign and padding.
    /// `alternate` is the `#` flag.
    pub fn format(&self, conversion: u8, precision: Option<usize>, alternate: bool, out: &mut Vec<u8>) {
        let upper = conversion.is_ascii_uppercase();
        let at = out.len();
        match (self.kind, conversion.to_ascii_lowercase()) {
            (Kind::Inf, _) => out.extend_from_slice(b"inf"),
            (Kind::Nan, _) => out.extend_from_slice(b"nan"),
            (_, b'f') => self.fixed(precision.unwrap_or(6), alternate, out),
            (_, b'e') => {
                let precision = precision.unwrap_or(6);
                let (digits, x) = self.significant(precision + 1);
                scientific(&digits, x, alternate, out);
            }
            (_, b'a') => self.hex(precision, alternate, out),
            _ => {
                let p = precision.unwrap_or(6).max(1);
                let (mut digits, x) = self.significant(p);
                if !alternate {
                    let keep = digits.iter().rposition(|d| *d != b'0').map_or(1, |n| n + 1);
                    digits.truncate(keep);
                }
                if x < -4 || x >= p as i64 {
                    scientific(&digits, x, alternate, out);
                } else {
                    plain(&digits, x, alternate, out);
                }
            }
        }
        if upper {
            out[at..].make_ascii_uppercase();
        }
    }

    fn fixed(&self, precision: usize, alternate: bool, out: &mut Vec<u8>) {
        let Kind::Finite(m, e) = self.kind else {
            out.push(b'0');
            if precision > 0 || alternate {
                out.push(b'.');
                out.resize(out.len() + precision, b'0');
            }
            return;
        };
        // The common case: everything fits into 128 bits.
        if (-127..=0).contains(&e) && precision <= 19 {
            let s = -e as u32;
            if precision == 0 {
                super::push_int(round_shift(u128::from(m), s), out);
                if alternate {
                    out.push(b'.');
                }
                return;
            }
            let int = if s < 64 { m >> s } else { 0 };
            let fraction = u128::from(if s < 64 { m & ((1u64 << s) - 1) } else { m });
            let ten = 10u128.pow(precision as u32);
            let q = round_shift(fraction * ten, s);
            let (int, q) = if q >= ten { (u128::from(int) + 1, q - ten) } else { (u128::from(int), q) };
            super::push_int(int, out);
            out.push(b'.');
            let at = out.len();
            out.resize(at + precision, b'0');
            let mut text = itoa::Buffer::new();
            let text = text.format(q).as_bytes();
            out[at + precision - text.len()..].copy_from_slice(text);
            return;
        }
        // Decimals beyond the exact value's own are zeros.
        let real = precision.min((-e).max(0) as usize);
        let n = scaled(m, e, real as i64);
        let mut digits = n.to_str_radix(10).into_bytes();
        if digits.len() <= real {
            let zeros = real + 1 - digits.len();
            digits.splice(0..0, std::iter::repeat_n(b'0', zeros));
        }
        let point = digits.len() - real;
        out.extend_from_slice(&digits[..point]);
        if precision > 0 || alternate {
            out.push(b'.');
            out.extend_from_slice(&digits[point..]);
            out.resize(out.len() + precision - real, b'0');
        }
    }

    /// `n` significant digits, rounded to even, and the power of ten of the first.
    fn significant(&self, n: usize) -> (Vec<u8>, i64) {
        let Kind::Finite(m, e) = self.kind else { return (vec![b'0'; n], 0) };
        // Beyond this many digits the exact value has only zeros.
        let real = n.min(64 + e.unsigned_abs() as usize);
        let mut x = ((f64::from(e) + (m as f64).log2()) * std::f64::consts::LOG10_2).floor() as i64;
        loop {
            let mut digits = match self.small_scaled(real as i64 - 1 - x) {
                Some(q) => itoa::Buffer::new().format(q).as_bytes().to_vec(),
                None => scaled(m, e, real as i64 - 1 - x).to_str_radix(10).into_bytes(),
            };
            if digits.len() < real || digits == b"0" {
                x -= 1;
                continue;
            }
            if digits.len() > real {
                // Either the guess was low, or rounding gave a power of ten: in both cases count from one higher.
                x += 1;
                continue;
            }
            digits.resize(n, b'0');
            return (digits, x);
        }
    }

    /// `self * 10^power` rounded to an integer, where 128 bits are enough.
    fn small_scaled(&self, power: i64) -> Option<u128> {
        let Kind::Finite(m, e) = self.kind else { return Some(0) };
        if (0..=19).contains(&power) && (-127..=0).contains(&e) {
            return Some(round_shift(u128::from(m) * 10u128.pow(power as u32), -e as u32));
        }
        if (-19..0).contains(&power) && (-60..=0).contains(&e) {
            let d = 10u128.pow(-power as u32) << -e;
            let (q, r) = (u128::from(m) / d, u128::from(m) % d);
            let up = r * 2 > d || r * 2 == d && q & 1 == 1;
            return Some(q + u128::from(up));
        }
        None
    }

    fn hex(&self, precision: Option<usize>, alternate: bool, out: &mut Vec<u8>) {
        let (mut m, mut e) = match self.kind {
            Kind::Finite(m, e) => (u128::from(m), e + 60),
            _ => (0, 0),
        };
        let mut digits = 15;
        if let Some(p) = precision.filter(|p| *p < 15) {
            m = round_shift(m, 4 * (15 - p as u32)) << (4 * (15 - p as u32));
            if m >> 64 != 0 {
                m >>= 4;
                e += 4;
            }
            digits = p;
        } else if precision.is_none() {
            while digits > 0 && m >> (4 * (15 - digits)) & 15 == 0 {
                digits -= 1;
            }
        }
        let text = format!("{m:016x}");
        out.extend_from_slice(b"0x");
        out.extend_from_slice(&text.as_bytes()[..1]);
        let wanted = precision.unwrap_or(digits);
        if wanted > 0 || alternate {
            out.push(b'.');
            out.extend_from_slice(&text.as_bytes()[1..1 + digits.min(wanted)]);
            out.resize(out.len() + wanted.saturating_sub(digits), b'0');
        }
        out.extend_from_slice(format!("p{e:+}").as_bytes());
    }
}

/// `m * 2^e * 10^power`, rounded to even.
fn scaled(m: u64, e: i32, power: i64) -> BigUint {
    let mut n = BigUint::from(m);
    let mut d = BigUint::from(1u8);
    let ten = BigUint::from(10u8).pow(power.unsigned_abs() as u32);
    if power >= 0 {
        n *= ten;
    } else {
        d *= ten;
    }
    if e >= 0 {
        n <<= e as u64;
    } else {
        d <<= -i64::from(e) as u64;
    }
    let q = &n / &d;
    let twice = (&n - &q * &d) << 1u8;
    let up = twice > d || twice == d && q.bit(0);
    if up { q + 1u8 } else { q }
}

/// `n / 2^s` rounded to even.
fn round_shift(n: u128, s: u32) -> u128 {
    if s == 0 {
        return n;
    }
    if s > 127 {
        return 0;
    }
    let q = n >> s;
    let r = n & ((1u128 << s) - 1);
    let half = 1u128 << (s - 1);
    q + u128::from(r > half || r == half && q & 1 == 1)
}

fn scientific(digits: &[u8], x: i64, alternate: bool, out: &mut Vec<u8>) {
    out.push(digits[0]);
    if digits.len() > 1 || alternate {
        out.push(b'.');
        out.extend_from_slice(&digits[1..]);
    }
    out.extend_from_slice(if x < 0 { b"e-" } else { b"e+" });
    let x = x.unsigned_abs();
    if x < 10 {
        out.push(b'0');
    }
    super::push_int(x, out);
}

/// Digits with the point where the power of ten of the first says.
fn plain(digits: &[u8], x: i64, alternate: bool, out: &mut Vec<u8>) {
    if x < 0 {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + (-x - 1) as usize, b'0');
        out.extend_from_slice(digits);
        return;
    }
    let int = x as usize + 1;
    if digits.len() <= int {
        out.extend_from_slice(digits);
        out.resize(out.len() + int - digits.len(), b'0');
        if alternate {
            out.push(b'.');
        }
    } else {
        out.extend_from_slice(&digits[..int]);
        out.push(b'.');
        out.extend_from_slice(&digits[int..]);
    }
}

/// The nearest value to `digits * 10^exponent`.
fn from_decimal(negative: bool, digits: &[u8], exponent: i64) -> LongDouble {
    if digits.is_empty() {
        return LongDouble { negative, kind: Kind::Zero };
    }
    let magnitude = digits.len() as i64 + exponent;
    if magnitude > 4940 {
        return LongDouble { negative, kind: Kind::Inf };
    }
    if magnitude < -4970 {
        return LongDouble { negative, kind: Kind::Zero };
    }
    if digits.len() <= 19 {
        let w = digits.iter().fold(0u64, |v, d| v * 10 + u64::from(d - b'0'));
        if exponent == 0 {
            return LongDouble::normal(negative, w, 0);
        }
        if (-19..0).contains(&exponent) {
            // w / 10^k with a quotient of 64 or 65 bits.
            let d = 10u64.pow(-exponent as u32);
            let (wn, dn) = (w.leading_zeros(), d.leading_zeros());
            let num = u128::from(w << wn) << 63;
            let den = u128::from(d << dn);
            // num/den lies in (2^62, 2^64).
            let (q, r) = (num / den, num % den);
            let e = dn as i32 - wn as i32 - 63;
            let (q, e, r) = if q >> 63 == 0 {
                let r2 = r * 2;
                (q * 2 + u128::from(r2 >= den), e - 1, r2 % den)
            } else {
                (q, e, r)
            };
            let up = r * 2 > den || r * 2 == den && q & 1 == 1;
            return rounded(negative, q + u128::from(up), e);
        }
    }
    let n = BigUint::parse_bytes(digits, 10).unwrap_or_default();
    let ten = BigUint::from(10u8).pow(exponent.unsigned_abs() as u32);
    if exponent >= 0 {
        return nearest(negative, n * ten, BigUint::from(1u8));
    }
    nearest(negative, n, ten)
}

fn rounded(negative: bool, q: u128, e: i32) -> LongDouble {
    if q >> 64 != 0 {
        LongDouble::normal(negative, (q >> 1) as u64, e + 1)
    } else {
        LongDouble::normal(negative, q as u64, e)
    }
}

/// The nearest value to `n / d`.
fn nearest(negative: bool, n: BigUint, d: BigUint) -> LongDouble {
    let mut shift = 64 + d.bits() as i64 - n.bits() as i64;
    loop {
        let (a, b) =
            if shift >= 0 { (&n << shift as u64, d.clone()) } else { (n.clone(), &d << -shift as u64) };
        let q = &a / &b;
        if q.bits() > 64 {
            shift -= 1;
            continue;
        }
        let twice = (&a - &q * &b) << 1u8;
        let value = q.iter_u64_digits().next().unwrap_or(0);
        let up = twice > b || twice == b && value & 1 == 1;
        return rounded(negative, u128::from(value) + u128::from(up), -shift as i32);
    }
}

enum Body {
    Decimal,
    Hex(u64, i32),
    Inf,
    Nan,
}

/// The syntax of strtod: where the parts of a number lie.
struct Numeral {
    negative: bool,
    body: Body,
    used: usize,
    /// Start of the digits, and end of the mantissa.
    start: usize,
    end: usize,
    exponent: i64,
}

impl Numeral {
    fn read(text: &[u8]) -> Option<Numeral> {
        let mut at = text.iter().take_while(|b| super::space(b)).count();
        let negative = text.get(at) == Some(&b'-');
        if matches!(text.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let rest = &text[at..];
        let word = |w: &[u8]| rest.len() >= w.len() && rest[..w.len()].eq_ignore_ascii_case(w);
        let mut n = Numeral { negative, body: Body::Decimal, used: 0, start: at, end: at, exponent: 0 };
        if word(b"inf") {
            n.used = at + if word(b"infinity") { 8 } else { 3 };
            n.body = Body::Inf;
            return Some(n);
        }
        if word(b"nan") {
            n.used = at + 3;
            n.body = Body::Nan;
            if rest.get(3) == Some(&b'(') {
                let inner = rest[4..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                if rest.get(4 + inner) == Some(&b')') {
                    n.used = at + inner + 5;
                }
            }
            return Some(n);
        }
        if word(b"0x")
            && let Some((m, e, used)) = hex(&rest[2..])
        {
            n.body = Body::Hex(m, e);
            n.used = at + 2 + used;
            return Some(n);
        }
        let digits = |at: usize| text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let int = digits(at);
        at += int;
        let mut fraction = 0;
        if text.get(at) == Some(&b'.') {
            fraction = digits(at + 1);
            if int + fraction > 0 {
                at += 1 + fraction;
            }
        }
        if int + fraction == 0 {
            return None;
        }
        n.end = at;
        if matches!(text.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
            let count = digits(at + 1 + sign);
            if count > 0 {
                let e = text[at + 1 + sign..at + 1 + sign + count]
                    .iter()
                    .fold(0i64, |v, d| (v * 10 + i64::from(d - b'0')).min(1_000_000));
                n.exponent = if text[at + 1] == b'-' { -e } else { e };
                at += 1 + sign + count;
            }
        }
        n.used = at;
        Some(n)
    }

    /// The significant digits, and the power of ten of the last.
    fn digits(&self, text: &[u8]) -> (Vec<u8>, i64) {
        let mut digits = Vec::with_capacity(self.end - self.start);
        let mut exponent = self.exponent;
        let mut after = false;
        for &b in &text[self.start..self.end] {
            if b == b'.' {
                after = true;
                continue;
            }
            if digits.len() >= MAX_DIGITS {
                exponent += i64::from(!after);
                continue;
            }
            exponent -= i64::from(after);
            if b != b'0' || !digits.is_empty() {
                digits.push(b);
            }
        }
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent += 1;
        }
        (digits, exponent)
    }
}

/// The digits after `0x`: mantissa, exponent, bytes used.
fn hex(text: &[u8]) -> Option<(u64, i32, usize)> {
    let (mut m, mut e, mut at, mut count, mut point) = (0u64, 0i32, 0, 0, false);
    while let Some(&b) = text.get(at) {
        if b == b'.' && !point {
            point = true;
        } else if let Some(d) = char::from(b).to_digit(16) {
            count += 1;
            if m >> 60 == 0 {
                m = m << 4 | u64::from(d);
                e -= if point { 4 } else { 0 };
            } else if !point {
                e += 4;
            }
        } else {
            break;
        }
        at += 1;
    }
    if count == 0 {
        return None;
    }
    if matches!(text.get(at), Some(b'p' | b'P')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let n = text[at + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if n > 0 {
            let value = text[at + 1 + sign..][..n]
                .iter()
                .fold(0i32, |v, d| (v * 10 + i32::from(d - b'0')).min(100_000));
            e = e.saturating_add(if text[at + 1] == b'-' { -value } else { value });
            at += 1 + sign + n;
        }
    }
    Some((m, e.clamp(-200_000, 200_000), at))
}

/// strtod: the value and how many bytes were read (0: no number).
pub fn parse_f64(text: &[u8]) -> (f64, usize) {
    let Some(n) = Numeral::read(text) else { return (0.0, 0) };
    let value = match n.body {
        Body::Inf => f64::INFINITY,
        Body::Nan => f64::NAN,
        Body::Hex(m, e) => m as f64 * 2f64.powi(e.clamp(-1100, 1100)),
        Body::Decimal => fast_float2::parse::<f64, _>(&text[n.start..n.used]).unwrap_or(0.0),
    };
    (if n.negative { -value } else { value }, n.used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str, conversion: u8, precision: Option<usize>) -> String {
        let (v, used, _) = LongDouble::parse(text.as_bytes());
        assert_eq!(used, text.len(), "{text}");
        let mut out = Vec::new();
        v.format(conversion, precision, false, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn long_doubles_print_as_glibc_does() {
        assert_eq!(show("3.14159", b'f', Some(3)), "3.142");
        assert_eq!(show("0.1", b'f', Some(20)), "0.10000000000000000000");
        assert_eq!(show("0.1", b'g', Some(30)), "0.100000000000000000001355252716");
        assert_eq!(show("1e30", b'f', None), "1000000000000000000024696061952.000000");
        assert_eq!(show("0.5", b'f', Some(0)), "0");
        assert_eq!(show("1.5", b'f', Some(0)), "2");
        assert_eq!(show("2.675", b'f', Some(2)), "2.67");
        assert_eq!(show("100000", b'g', None), "100000");
        assert_eq!(show("1000000", b'g', None), "1e+06");
        assert_eq!(show("0.0001", b'g', None), "0.0001");
        assert_eq!(show("1e-5", b'g', None), "1e-05");
        assert_eq!(show("9.9999999", b'g', Some(3)), "10");
        assert_eq!(show("12345.678", b'e', Some(2)), "1.23e+04");
        assert_eq!(show("1", b'a', None), "0x8p-3");
        assert_eq!(show("3.14", b'a', None), "0xc.8f5c28f5c28f5c3p-2");
        assert_eq!(show("3.14", b'a', Some(3)), "0xc.8f6p-2");
        assert_eq!(show("0x1p4", b'f', None), "16.000000");
        assert_eq!(show("0", b'e', None), "0.000000e+00");
        assert!(show("1e400", b'f', Some(0)).starts_with("100000000000000000002818"));
        assert!(LongDouble::parse(b"1e5000").2);
    }

    proptest::proptest! {
        #[test]
        fn doubles_print_as_rust_prints_them(x in proptest::num::f64::NORMAL, p in 0usize..30) {
            let mut out = Vec::new();
            LongDouble::from_f64(x.abs()).format(b'f', Some(p), false, &mut out);
            proptest::prop_assert_eq!(String::from_utf8(out).unwrap(), format!("{:.*}", p, x.abs()));
            let mut out = Vec::new();
            LongDouble::from_f64(x.abs()).format(b'e', Some(p), false, &mut out);
            let rust = format!("{:.*e}", p, x.abs());
            let (m, e) = rust.split_once('e').unwrap();
            let e: i32 = e.parse().unwrap();
            let sign = if e < 0 { '-' } else { '+' };
            proptest::prop_assert_eq!(String::from_utf8(out).unwrap(), format!("{m}e{sign}{:02}", e.abs()));
        }

        #[test]
        fn any_text_parses(text in "[0-9a-fx.eEpP+-]{0,12}") {
            let (_, used, _) = LongDouble::parse(text.as_bytes());
            let (f, used2) = parse_f64(text.as_bytes());
            proptest::prop_assert_eq!(used, used2);
            let mut out = Vec::new();
            LongDouble::from_f64(f).format(b'g', None, false, &mut out);
        }
    }
}
