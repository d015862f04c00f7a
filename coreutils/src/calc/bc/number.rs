//! bc's numbers: a decimal of any length with a scale, and arithmetic that cuts (never rounds) as bc does.

use num_bigint::{BigInt, Sign};

/// `value / 10^scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// All digits as an integer.
    pub value: BigInt,
    /// Digits after the point.
    pub scale: usize,
}

/// 10^n.
pub fn ten(n: usize) -> BigInt {
    BigInt::from(10u8).pow(n as u32)
}

impl Number {
    /// A whole number.
    pub fn int(n: i64) -> Number {
        Number { value: n.into(), scale: 0 }
    }

    /// Whether it is zero.
    pub fn zero(&self) -> bool {
        self.value.sign() == Sign::NoSign
    }

    /// With `scale` digits after the point: longer, or cut.
    pub fn with_scale(&self, scale: usize) -> Number {
        let value = if scale >= self.scale {
            &self.value * ten(scale - self.scale)
        } else {
            &self.value / ten(self.scale - scale)
        };
        Number { value, scale }
    }

    /// The whole part.
    pub fn whole(&self) -> BigInt {
        &self.value / ten(self.scale)
    }

    /// The whole part as a machine integer, when it fits.
    pub fn small(&self) -> Option<i64> {
        i64::try_from(self.whole()).ok()
    }

    /// Decimal digits held, for limits.
    pub fn digits(&self) -> usize {
        (self.value.bits() as usize * 3 / 10).max(self.scale)
    }

    fn aligned(&self, other: &Number) -> (BigInt, BigInt, usize) {
        let scale = self.scale.max(other.scale);
        (self.with_scale(scale).value, other.with_scale(scale).value, scale)
    }

    /// Sum.
    pub fn add(&self, other: &Number) -> Number {
        let (a, b, scale) = self.aligned(other);
        Number { value: a + b, scale }
    }

    /// Difference.
    pub fn sub(&self, other: &Number) -> Number {
        let (a, b, scale) = self.aligned(other);
        Number { value: a - b, scale }
    }

    /// Order.
    pub fn compare(&self, other: &Number) -> std::cmp::Ordering {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }

    /// Product: as many digits as `scale` and the factors ask for.
    pub fn mul(&self, other: &Number, scale: usize) -> Number {
        let full = self.scale + other.scale;
        let kept = full.min(scale.max(self.scale).max(other.scale));
        Number { value: &self.value * &other.value, scale: full }.with_scale(kept)
    }

    /// Quotient with `scale` digits; `None` for a division by zero.
    pub fn div(&self, other: &Number, scale: usize) -> Option<Number> {
        if other.zero() {
            return None;
        }
        // self / other = (a / 10^sa) / (b / 10^sb)
        let numerator = &self.value * ten(scale + other.scale);
        let denominator = &other.value * ten(self.scale);
        Some(Number { value: numerator / denominator, scale })
    }

    /// Remainder of the quotient with `scale` digits.
    pub fn rem(&self, other: &Number, scale: usize) -> Option<Number> {
        let quotient = self.div(other, scale)?;
        let kept = self.scale.max(other.scale + scale);
        let product = Number { value: &quotient.value * &other.value, scale: quotient.scale + other.scale };
        let r = self.sub(&product.with_scale(kept));
        Some(r.with_scale(kept))
    }

    /// Power by a whole exponent; `None` for a division by zero.
    pub fn pow(&self, exponent: i64, scale: usize) -> Option<Number> {
        if exponent == 0 {
            return Some(Number::int(1));
        }
        let n = exponent.unsigned_abs() as u32;
        let exact = Number { value: self.value.pow(n), scale: self.scale * n as usize };
        if exponent < 0 {
            return Number::int(1).div(&exact, scale);
        }
        let kept = exact.scale.min(scale.max(self.scale));
        Some(exact.with_scale(kept))
    }

    /// Square root; `None` of a negative number.
    pub fn sqrt(&self, scale: usize) -> Option<Number> {
        if self.value.sign() == Sign::Minus {
            return None;
        }
        let scale = scale.max(self.scale);
        let shifted = &self.value * ten(2 * scale - self.scale);
        Some(Number { value: shifted.sqrt(), scale })
    }

    /// The text in base 10: no zero before the point.
    pub fn decimal(&self) -> String {
        if self.zero() {
            return "0".into();
        }
        let digits = self.value.magnitude().to_string();
        let sign = if self.value.sign() == Sign::Minus { "-" } else { "" };
        if self.scale == 0 {
            return format!("{sign}{digits}");
        }
        let padded = format!("{digits:0>width$}", width = self.scale);
        let (whole, fraction) = padded.split_at(padded.len() - self.scale);
        format!("{sign}{whole}.{fraction}")
    }

    /// The text in another base.
    pub fn in_base(&self, base: &BigInt) -> String {
        if *base == BigInt::from(10) {
            return self.decimal();
        }
        if self.zero() {
            return "0".into();
        }
        let mut out = String::new();
        if self.value.sign() == Sign::Minus {
            out.push('-');
        }
        let magnitude = Number { value: self.value.magnitude().clone().into(), scale: self.scale };
        let small = *base <= BigInt::from(16);
        let width = (base - 1u8).to_string().len();
        let mut digit = |out: &mut String, d: &BigInt, first: bool| {
            if small {
                let d = u32::try_from(d.clone()).unwrap_or(0);
                out.push(char::from_digit(d, 16).unwrap_or('0').to_ascii_uppercase());
            } else {
                if !first {
                    out.push(' ');
                }
                out.push_str(&format!("{d:0>width$}", d = d.to_string()));
            }
        };
        let mut whole = magnitude.whole();
        let mut digits = Vec::new();
        while whole.sign() == Sign::Plus {
            digits.push(&whole % base);
            whole /= base;
        }
        if !small && !digits.is_empty() {
            out.push(' ');
        }
        let mut first = true;
        for d in digits.iter().rev() {
            digit(&mut out, d, first);
            first = false;
        }
        if self.scale > 0 {
            out.push('.');
            let unit = ten(self.scale);
            let mut fraction = &magnitude.value % &unit;
            let mut power = BigInt::from(1);
            first = true;
            // As many digits as it takes for the base's powers to pass those of ten.
            while power.to_string().len() <= self.scale {
                fraction *= base;
                let d = &fraction / &unit;
                fraction %= &unit;
                digit(&mut out, &d, first);
                first = false;
                power *= base;
            }
        }
        out
    }

    /// Reads digits of `base`; a single digit counts at its face, others at most `base - 1`.
    pub fn parse(text: &str, base: u32) -> Number {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let single = whole.len() + fraction.len() == 1;
        let value = |c: char| {
            let v = c.to_digit(36).unwrap_or(0);
            if single { v } else { v.min(base - 1) }
        };
        if base == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            let digits = format!("{whole}{fraction}");
            let value = BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
            return Number { value, scale: fraction.len() };
        }
        let mut n = BigInt::from(0);
        for c in whole.chars() {
            n = n * base + value(c);
        }
        let mut out = Number { value: n, scale: 0 };
        if !fraction.is_empty() {
            let mut f = BigInt::from(0);
            let mut divisor = BigInt::from(1);
            for c in fraction.chars() {
                f = f * base + value(c);
                divisor *= base;
            }
            let scale = fraction.len();
            out = out.add(&Number { value: f * ten(scale) / divisor, scale });
        }
        out
    }
}
