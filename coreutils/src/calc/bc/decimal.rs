//! Decimal numbers of any length with a scale, and bc's arithmetic on them: results are truncated, never rounded.

use num_bigint::{BigInt, Sign};

/// `value / 10^scale`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    value: BigInt,
    scale: usize,
}

fn ten(n: usize) -> BigInt {
    BigInt::from(10u8).pow(u32::try_from(n).unwrap_or(u32::MAX))
}

impl Decimal {
    /// A whole number.
    pub fn int(n: i64) -> Decimal {
        Decimal { value: BigInt::from(n), scale: 0 }
    }

    /// `value / 10^scale`
    pub fn new(value: BigInt, scale: usize) -> Decimal {
        Decimal { value, scale }
    }

    /// The digits before the scale is applied.
    pub fn value(&self) -> &BigInt {
        &self.value
    }

    /// Digits behind the point.
    pub fn scale(&self) -> usize {
        self.scale
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.value.sign() == Sign::NoSign
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        self.value.sign() == Sign::Minus
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> u64 {
        self.value.bits() / 8 + 32
    }

    /// The value times 10^scale, for a scale that is at least its own; truncated for a smaller one.
    pub fn at(&self, scale: usize) -> BigInt {
        match scale.checked_sub(self.scale) {
            Some(0) => self.value.clone(),
            Some(n) => &self.value * ten(n),
            None => &self.value / ten(self.scale - scale),
        }
    }

    /// With fewer digits behind the point.
    pub fn truncated(&self, scale: usize) -> Decimal {
        if scale >= self.scale { self.clone() } else { Decimal::new(self.at(scale), scale) }
    }

    /// The integer part, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        i64::try_from(self.at(0)).ok()
    }

    /// The other sign.
    pub fn neg(&self) -> Decimal {
        Decimal::new(-&self.value, self.scale)
    }

    /// `self + other`
    pub fn add(&self, other: &Decimal) -> Decimal {
        let scale = self.scale.max(other.scale);
        Decimal::new(self.at(scale) + other.at(scale), scale)
    }

    /// `self - other`
    pub fn sub(&self, other: &Decimal) -> Decimal {
        self.add(&other.neg())
    }

    /// `self * other` with bc's scale.
    pub fn mul(&self, other: &Decimal, scale: usize) -> Decimal {
        let full = self.scale + other.scale;
        let wanted = full.min(scale.max(self.scale).max(other.scale));
        Decimal::new(&self.value * &other.value, full).truncated(wanted)
    }

    /// `self / other`; none when that is 0.
    pub fn div(&self, other: &Decimal, scale: usize) -> Option<Decimal> {
        if other.is_zero() {
            return None;
        }
        let top = &self.value * ten(scale + other.scale);
        Some(Decimal::new(top / (&other.value * ten(self.scale)), scale))
    }

    /// `self % other`
    pub fn modulo(&self, other: &Decimal, scale: usize) -> Option<Decimal> {
        let quotient = self.div(other, scale)?;
        let wanted = self.scale.max(other.scale + scale);
        let product = Decimal::new(&quotient.value * &other.value, quotient.scale + other.scale);
        let rest = self.sub(&product);
        Some(Decimal::new(rest.at(wanted), wanted))
    }

    /// The square root, of a number that is not negative.
    pub fn sqrt(&self, scale: usize) -> Decimal {
        if self.is_zero() {
            return Decimal::int(0);
        }
        if self.value == ten(self.scale) {
            return Decimal::int(1);
        }
        let scale = scale.max(self.scale);
        Decimal::new(self.at(2 * scale).sqrt(), scale)
    }

    /// Significant digits, as `length` counts them.
    pub fn length(&self) -> usize {
        let digits = self.value.magnitude().to_string().len();
        if self.is_zero() { self.scale.max(1) } else { digits.max(self.scale) }
    }

    /// The order of two numbers.
    pub fn compare(&self, other: &Decimal) -> std::cmp::Ordering {
        let scale = self.scale.max(other.scale);
        self.at(scale).cmp(&other.at(scale))
    }

    /// Reads digits of a base: one alone has its value, of several each is at most base - 1.
    pub fn parse(text: &[u8], base: u32) -> Decimal {
        let value = |b: u8| match b {
            b'0'..=b'9' => u32::from(b - b'0'),
            _ => u32::from(b - b'A') + 10,
        };
        let point = text.iter().position(|b| *b == b'.').unwrap_or(text.len());
        let (whole, fraction) = (&text[..point], text.get(point + 1..).unwrap_or_default());
        if base == 10 && text.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
            let digits = [whole, fraction].concat();
            return Decimal::new(BigInt::parse_bytes(&digits, 10).unwrap_or_default(), fraction.len());
        }
        if fraction.is_empty() && whole.len() == 1 {
            return Decimal::int(i64::from(value(whole[0])));
        }
        let digits: Vec<u8> = whole.iter().map(|b| value(*b).min(base - 1) as u8).collect();
        let number = |d: &[u8]| BigInt::from_radix_be(Sign::Plus, d, base).unwrap_or_default();
        let mut out = Decimal::new(number(&digits), 0);
        if !fraction.is_empty() {
            let digits: Vec<u8> = fraction.iter().map(|b| value(*b).min(base - 1) as u8).collect();
            let top = Decimal::new(number(&digits), 0);
            let bottom = Decimal::new(BigInt::from(base).pow(digits.len() as u32), 0);
            if let Some(f) = top.div(&bottom, digits.len()) {
                out = out.add(&f);
            }
        }
        out
    }

    /// Its text in a base, without the line breaks that bc puts in. `leading`: `0.5` rather than `.5`.
    pub fn text(&self, base: u64) -> String {
        if self.is_zero() {
            return "0".into();
        }
        let mut out = String::new();
        if self.is_negative() {
            out.push('-');
        }
        let magnitude = self.value.magnitude();
        if base == 10 {
            let digits = magnitude.to_string();
            let digits = if digits.len() < self.scale {
                format!("{digits:0>width$}", width = self.scale)
            } else {
                digits
            };
            let (whole, fraction) = digits.split_at(digits.len() - self.scale);
            if whole != "0" {
                out.push_str(whole);
            }
            if self.scale > 0 {
                out.push('.');
                out.push_str(fraction);
            }
            return out;
        }
        let unit = ten(self.scale);
        let unit = unit.magnitude();
        let mut whole = magnitude / unit;
        let mut rest = magnitude % unit;
        let wide = (base - 1).to_string().len();
        let digit = |out: &mut String, d: u64, space: bool| {
            if base <= 16 {
                out.push(char::from_digit(d as u32, 16).unwrap_or('0').to_ascii_uppercase());
            } else {
                if space {
                    out.push(' ');
                }
                out.push_str(&format!("{d:0wide$}"));
            }
        };
        let low = |n: &num_bigint::BigUint| n.to_u64_digits().first().copied().unwrap_or(0);
        let mut digits = Vec::new();
        if base <= 256 {
            if whole.bits() > 0 {
                digits = whole.to_radix_le(base as u32).into_iter().map(u64::from).collect();
            }
        } else {
            while whole.bits() > 0 {
                digits.push(low(&(&whole % base)));
                whole /= base;
            }
        }
        for d in digits.iter().rev() {
            digit(&mut out, *d, true);
        }
        if self.scale > 0 {
            out.push('.');
            let mut reach = num_bigint::BigUint::from(1u8);
            let mut space = false;
            while reach.to_string().len() <= self.scale {
                rest *= base;
                digit(&mut out, low(&(&rest / unit)), space);
                rest %= unit;
                reach *= base;
                space = true;
            }
        }
        out
    }
}
