//! The functions of `bc -l`: computed with guard digits and truncated to the scale.

use super::decimal::Decimal;
use num_bigint::BigInt;
use sandshell_kernel::{Budget, Result};

/// Digits beyond those asked for.
const GUARD: usize = 12;

/// Fixed-point arithmetic: integers that mean themselves divided by `one`.
struct Fixed<'b> {
    one: BigInt,
    budget: &'b Budget,
}

impl Fixed<'_> {
    fn new(digits: usize, budget: &Budget) -> Fixed<'_> {
        Fixed { one: BigInt::from(10u8).pow(digits as u32), budget }
    }

    fn mul(&self, a: &BigInt, b: &BigInt) -> BigInt {
        a * b / &self.one
    }

    /// The sum of `first` and of what `next` makes of each term, until a term is 0.
    fn series(&self, first: BigInt, mut next: impl FnMut(&BigInt, u64) -> BigInt) -> Result<BigInt> {
        let mut sum = first.clone();
        let mut term = first;
        for n in 1.. {
            self.budget.steps(1 + (self.one.bits() / 64) as u32)?;
            term = next(&term, n);
            if term == BigInt::ZERO {
                break;
            }
            sum += &term;
        }
        Ok(sum)
    }

    fn exp(&self, x: &BigInt) -> Result<BigInt> {
        // Halved until small, then squared as often.
        let mut halvings = 0u32;
        let mut x = x.clone();
        while x.magnitude() * 16u8 > *self.one.magnitude() {
            x /= 2;
            halvings += 1;
        }
        let mut y = self.series(self.one.clone(), |t, n| self.mul(t, &x) / n)?;
        for _ in 0..halvings {
            self.budget.steps(64)?;
            y = self.mul(&y, &y);
        }
        Ok(y)
    }

    /// `2 * atanh(y)`, for small y.
    fn two_atanh(&self, y: &BigInt) -> Result<BigInt> {
        let square = self.mul(y, y);
        let mut power = y.clone();
        let mut sum = y.clone();
        for n in 1u64.. {
            self.budget.steps(1 + (self.one.bits() / 64) as u32)?;
            power = self.mul(&power, &square);
            if power == BigInt::ZERO {
                break;
            }
            sum += &power / (2 * n + 1);
        }
        Ok(sum * 2)
    }

    fn ln(&self, x: &BigInt) -> Result<BigInt> {
        // x = m * 2^k with m near 1.
        let shift = x.bits() as i64 - self.one.bits() as i64;
        let m = if shift >= 0 { x >> shift as usize } else { x << (-shift) as usize };
        let near = |v: &BigInt| (v - &self.one) * &self.one / (v + &self.one);
        let two = &self.one * 2;
        let ln2 = self.two_atanh(&near(&two))?;
        Ok(self.two_atanh(&near(&m))? + ln2 * shift)
    }

    fn atan(&self, x: &BigInt) -> Result<BigInt> {
        // atan x = 2 atan(x / (1 + sqrt(1 + x²)))
        let mut x = x.clone();
        let mut doublings = 0;
        while x.magnitude() * 8u8 > *self.one.magnitude() {
            self.budget.step()?;
            let root = ((&self.one * &self.one) + &x * &x).sqrt();
            x = &x * &self.one / (&self.one + root);
            doublings += 1;
        }
        let square = self.mul(&x, &x);
        let mut power = x.clone();
        let mut sum = x;
        for n in 1u64.. {
            self.budget.steps(1 + (self.one.bits() / 64) as u32)?;
            power = -self.mul(&power, &square);
            if power == BigInt::ZERO {
                break;
            }
            sum += &power / (2 * n + 1);
        }
        Ok(sum << doublings)
    }

    fn sin_cos(&self, x: &BigInt) -> Result<(BigInt, BigInt)> {
        let pi = self.atan(&self.one)? * 4;
        let x = x % (&pi * 2);
        let square = self.mul(&x, &x);
        let sin = self.series(x.clone(), |t, n| -self.mul(t, &square) / ((2 * n) * (2 * n + 1)))?;
        let cos = self.series(self.one.clone(), |t, n| -self.mul(t, &square) / ((2 * n - 1) * (2 * n)))?;
        Ok((sin, cos))
    }
}

fn back(value: BigInt, digits: usize, scale: usize) -> Decimal {
    Decimal::new(value, digits).truncated(scale)
}

/// Digits before the point.
fn whole_digits(x: &Decimal) -> usize {
    x.at(0).to_string().len()
}

/// `e(x)`
pub fn e(x: &Decimal, scale: usize, budget: &Budget) -> Result<Decimal> {
    // Digits of the result before its point: about x / ln 10.
    let whole = x.to_i64().unwrap_or(i64::MAX / 2).clamp(0, 2_000_000) as usize;
    let digits = scale + GUARD + whole * 44 / 100 + whole_digits(x);
    let _held = budget.reserve(digits as u64 * 8)?;
    let f = Fixed::new(digits, budget);
    let y = f.exp(&x.at(digits))?;
    let out = back(y, digits, scale);
    Ok(Decimal::new(out.at(scale), scale))
}

/// `l(x)`
pub fn l(x: &Decimal, scale: usize, budget: &Budget) -> Result<Decimal> {
    if !x.is_negative() && !x.is_zero() {
        if x.compare(&Decimal::int(1)).is_eq() {
            return Ok(Decimal::int(0));
        }
        let digits = scale + GUARD + whole_digits(x) + x.scale();
        let f = Fixed::new(digits, budget);
        return Ok(back(f.ln(&x.at(digits))?, digits, scale));
    }
    let least = Decimal::int(1).sub(&Decimal::new(BigInt::from(10u8).pow(scale as u32), 0));
    Ok(Decimal::new(least.at(scale), scale))
}

/// `s(x)`
pub fn s(x: &Decimal, scale: usize, budget: &Budget) -> Result<Decimal> {
    if x.is_zero() {
        return Ok(Decimal::int(0));
    }
    let digits = scale + GUARD + whole_digits(x);
    let f = Fixed::new(digits, budget);
    Ok(back(f.sin_cos(&x.at(digits))?.0, digits, scale))
}

/// `c(x)`
pub fn c(x: &Decimal, scale: usize, budget: &Budget) -> Result<Decimal> {
    let digits = scale + GUARD + whole_digits(x);
    let f = Fixed::new(digits, budget);
    Ok(back(f.sin_cos(&x.at(digits))?.1, digits, scale))
}

/// `a(x)`
pub fn a(x: &Decimal, scale: usize, budget: &Budget) -> Result<Decimal> {
    if x.is_zero() {
        return Ok(Decimal::int(0));
    }
    let digits = scale + GUARD + whole_digits(x);
    let f = Fixed::new(digits, budget);
    Ok(back(f.atan(&x.at(digits))?, digits, scale))
}

/// `j(n, x)`: Bessel's function of an integer order.
pub fn j(n: &Decimal, x: &Decimal, scale: usize, budget: &Budget) -> Result<Decimal> {
    let n = n.to_i64().unwrap_or(0).clamp(-100_000, 100_000);
    let order = n.unsigned_abs();
    let size = x.to_i64().unwrap_or(0).unsigned_abs().min(100_000) as usize;
    let digits = scale + GUARD + size + order as usize / 2;
    let f = Fixed::new(digits, budget);
    let half = x.at(digits) / 2;
    let square = f.mul(&half, &half);
    let mut first = f.one.clone();
    for i in 1..=order {
        budget.step()?;
        first = f.mul(&first, &half) / i;
    }
    let mut y = f.series(first, |t, k| -f.mul(t, &square) / (k * (k + order)))?;
    if n < 0 && order % 2 == 1 {
        y = -y;
    }
    Ok(back(y, digits, scale))
}
