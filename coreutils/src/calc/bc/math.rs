//! The library of `bc -l`: sine, cosine, arctangent, logarithm, exponential and Bessel functions, from their series in
//! fixed point with guard digits, cut to the scale.

use super::number::{Number, ten};
use num_bigint::{BigInt, Sign};

/// Digits beyond the scale that are computed.
const GUARD: usize = 12;

struct Fixed {
    unit: BigInt,
    digits: usize,
}

impl Fixed {
    fn new(digits: usize) -> Fixed {
        Fixed { unit: ten(digits), digits }
    }

    fn of(&self, x: &Number) -> BigInt {
        x.with_scale(self.digits.max(x.scale)).value / ten(self.digits.max(x.scale) - self.digits)
    }

    fn mul(&self, a: &BigInt, b: &BigInt) -> BigInt {
        a * b / &self.unit
    }

    fn div(&self, a: &BigInt, b: &BigInt) -> BigInt {
        a * &self.unit / b
    }

    fn cut(&self, x: BigInt, scale: usize) -> Number {
        // The series end below the last guard digits: a hair more, so that 0.999… is the 1 that it stands for.
        let hair = ten(self.digits.saturating_sub(scale).min(GUARD) / 2);
        let x = match x.sign() {
            Sign::Plus => x + hair,
            Sign::Minus => x - hair,
            Sign::NoSign => x,
        };
        Number { value: x, scale: self.digits }.with_scale(scale)
    }
}

fn zero(x: &BigInt) -> bool {
    x.sign() == Sign::NoSign
}

/// e^x
pub fn exp(x: &Number, scale: usize) -> Number {
    // x = n * 2^k: the series of a small argument, squared k times.
    let whole_digits = x.whole().magnitude().to_string().len();
    let size = x.small().map_or(0, |n| n.unsigned_abs().min(100_000)) as usize;
    let f = Fixed::new(scale + GUARD + size / 2 + whole_digits * 4);
    let mut a = f.of(x);
    let mut halvings = 0;
    let limit: BigInt = &f.unit / 8;
    while a.magnitude() > limit.magnitude() {
        a /= 2;
        halvings += 1;
        if halvings > 64 {
            break;
        }
    }
    let (mut sum, mut term, mut n) = (f.unit.clone(), f.unit.clone(), 1u32);
    loop {
        term = f.mul(&term, &a) / n;
        if zero(&term) {
            break;
        }
        sum += &term;
        n += 1;
    }
    for _ in 0..halvings {
        sum = f.mul(&sum, &sum);
    }
    f.cut(sum, scale)
}

fn ln_fixed(f: &Fixed, x: &BigInt) -> BigInt {
    // Square roots bring x near 1; then ln x = 2 artanh((x-1)/(x+1)).
    let mut a = x.clone();
    let mut doublings = 0u32;
    let near: BigInt = &f.unit / 16;
    while (&a - &f.unit).magnitude() > near.magnitude() && doublings < 200 {
        a = (&a * &f.unit).sqrt();
        doublings += 1;
    }
    let y = f.div(&(&a - &f.unit), &(&a + &f.unit));
    let square = f.mul(&y, &y);
    let (mut sum, mut power, mut n) = (y.clone(), y, 3u32);
    loop {
        power = f.mul(&power, &square);
        let term = &power / n;
        if zero(&term) {
            break;
        }
        sum += term;
        n += 2;
    }
    sum * 2 * BigInt::from(2).pow(doublings)
}

/// ln x; of what is not positive bc gives a large negative number.
pub fn ln(x: &Number, scale: usize) -> Number {
    if x.zero() || x.value.sign() == Sign::Minus {
        return Number { value: (BigInt::from(1) - ten(scale)) * ten(scale), scale };
    }
    let size = x.digits();
    let f = Fixed::new(scale + GUARD * 2 + size);
    f.cut(ln_fixed(&f, &f.of(x)), scale)
}

fn atan_fixed(f: &Fixed, x: &BigInt) -> BigInt {
    // atan x = 2 atan(x / (1 + sqrt(1 + x^2))), until x is small.
    let mut a = x.clone();
    let mut doublings = 0u32;
    let near: BigInt = &f.unit / 16;
    while a.magnitude() > near.magnitude() && doublings < 64 {
        let root = ((&f.unit * &f.unit) + &a * &a).sqrt();
        a = f.div(&a, &(&f.unit + root));
        doublings += 1;
    }
    let square = f.mul(&a, &a);
    let (mut sum, mut power, mut n, mut minus) = (a.clone(), a, 3u32, true);
    loop {
        power = f.mul(&power, &square);
        let term = &power / n;
        if zero(&term) {
            break;
        }
        if minus {
            sum -= term;
        } else {
            sum += term;
        }
        minus = !minus;
        n += 2;
    }
    sum * BigInt::from(2).pow(doublings)
}

/// Arctangent.
pub fn atan(x: &Number, scale: usize) -> Number {
    let f = Fixed::new(scale + GUARD * 2);
    f.cut(atan_fixed(&f, &f.of(x)), scale)
}

fn sin_fixed(f: &Fixed, x: &BigInt) -> BigInt {
    let pi = atan_fixed(f, &f.unit) * 4;
    let mut a: BigInt = x % (&pi * 2);
    if a.sign() == Sign::Minus {
        a += &pi * 2;
    }
    // sin a from the series; the argument is below 2 pi.
    let square = f.mul(&a, &a);
    let (mut sum, mut term, mut n) = (a.clone(), a, 1u64);
    loop {
        term = -f.mul(&term, &square) / ((n + 1) * (n + 2));
        if zero(&term) {
            return sum;
        }
        sum += &term;
        n += 2;
    }
}

/// Sine.
pub fn sin(x: &Number, scale: usize) -> Number {
    let f = Fixed::new(scale + GUARD * 2 + x.digits() - x.scale.min(x.digits()));
    f.cut(sin_fixed(&f, &f.of(x)), scale)
}

/// Cosine.
pub fn cos(x: &Number, scale: usize) -> Number {
    let f = Fixed::new(scale + GUARD * 2 + x.digits() - x.scale.min(x.digits()));
    let quarter = atan_fixed(&f, &f.unit) * 2;
    f.cut(sin_fixed(&f, &(f.of(x) + quarter)), scale)
}

/// Bessel function of integer order.
pub fn bessel(order: i64, x: &Number, scale: usize) -> Number {
    let n = order.unsigned_abs().min(10_000);
    let f = Fixed::new(scale + GUARD * 2 + x.digits());
    let a = f.of(x);
    let half = &a / 2;
    // (x/2)^n / n!
    let mut first = f.unit.clone();
    for i in 1..=n {
        first = f.mul(&first, &half) / i;
    }
    let square = f.mul(&half, &half);
    let (mut sum, mut term, mut k) = (first.clone(), first, 1u64);
    loop {
        term = -f.mul(&term, &square) / (k * (k + n));
        if zero(&term) {
            break;
        }
        sum += &term;
        k += 1;
    }
    if order < 0 && n % 2 == 1 {
        sum = -sum;
    }
    f.cut(sum, scale)
}
