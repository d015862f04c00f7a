//! `factor`: prime factors of numbers up to 128 bits.

use crate::cli;
use sandshell_kernel::{Budget, Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `factor`
pub struct Factor;

static SPEC: Spec = Spec {
    name: "factor",
    about: "Print the prime factors of each specified integer NUMBER.  If none\nare specified on the command line, read them from standard input.",
    synopsis: &["[OPTION] [NUMBER]..."],
    options: &[Opt::new('h', "exponents", "print repeated factors in form p^e unless e is 1")],
    notes: "",
    version: "factor (GNU coreutils) 9.1",
    examples: &[Example { script: "factor 360", output: "360: 2 2 2 3 3 5\n" }],
};

impl Program for Factor {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let exponents = parsed.has("exponents");
        let mut status = Status::OK;
        if !parsed.operands.is_empty() {
            for o in &parsed.operands {
                if !one(process, o, exponents)? {
                    status = Status::FAILURE;
                }
            }
            return Ok(status);
        }
        while let Some(line) = process.stdin.line(b'\n')? {
            let words: Vec<Bytes> = line
                .bytes
                .split(u8::is_ascii_whitespace)
                .filter(|w| !w.is_empty())
                .map(Bytes::copy_from_slice)
                .collect();
            for w in words {
                if !one(process, &w, exponents)? {
                    status = Status::FAILURE;
                }
            }
        }
        Ok(status)
    }
}

fn one(process: &mut Process, text: &[u8], exponents: bool) -> Result<bool> {
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        process.error(format_args!("{} is not a valid positive integer", cli::quote(text)))?;
        return Ok(false);
    }
    let Some(n) = std::str::from_utf8(digits).ok().and_then(|d| d.parse::<u128>().ok()) else {
        process.error(format_args!("{} is too large", cli::quote(text)))?;
        return Ok(false);
    };
    let mut found = Vec::new();
    if !factors(n, &mut found, &process.budget)? {
        process.error(format_args!("{} is too large", cli::quote(text)))?;
        return Ok(false);
    }
    found.sort_unstable();
    process.stdout.text(format_args!("{n}:"))?;
    let mut i = 0;
    while i < found.len() {
        let p = found[i];
        let times = found[i..].iter().take_while(|q| **q == p).count();
        if exponents {
            process.stdout.text(format_args!(" {p}"))?;
            if times > 1 {
                process.stdout.text(format_args!("^{times}"))?;
            }
        } else {
            for _ in 0..times {
                process.stdout.text(format_args!(" {p}"))?;
            }
        }
        i += times;
    }
    process.stdout.byte(b'\n')?;
    Ok(true)
}

/// False when what is left after the small primes has 128 bits.
fn factors(mut n: u128, out: &mut Vec<u128>, budget: &Budget) -> Result<bool> {
    if n < 2 {
        return Ok(true);
    }
    for p in [2u128, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47] {
        while n.is_multiple_of(p) {
            out.push(p);
            n /= p;
        }
    }
    if n >= 1 << 127 {
        return Ok(false);
    }
    let mut todo = vec![n];
    while let Some(n) = todo.pop() {
        budget.step()?;
        if n < 2 {
            continue;
        }
        if prime(n) {
            out.push(n);
            continue;
        }
        let d = divisor(n, budget)?;
        todo.push(d);
        todo.push(n / d);
    }
    Ok(true)
}

fn mul(a: u128, b: u128, n: u128) -> u128 {
    if let Some(p) = a.checked_mul(b) {
        return p % n;
    }
    // Double and add: n is below 2^127, so the sums do not overflow.
    let (mut a, mut b, mut sum) = (a % n, b % n, 0u128);
    while b > 0 {
        if b & 1 == 1 {
            sum = (sum + a) % n;
        }
        a = (a + a) % n;
        b >>= 1;
    }
    sum
}

fn power(mut base: u128, mut e: u128, n: u128) -> u128 {
    let mut r = 1 % n;
    base %= n;
    while e > 0 {
        if e & 1 == 1 {
            r = mul(r, base, n);
        }
        base = mul(base, base, n);
        e >>= 1;
    }
    r
}

/// Miller and Rabin with the first primes as bases: exact below 3.3e24, and no counterexample is known above.
fn prime(n: u128) -> bool {
    if n < 2 {
        return false;
    }
    let s = (n - 1).trailing_zeros();
    let d = (n - 1) >> s;
    'bases: for a in [2u128, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41] {
        if a % n == 0 {
            continue;
        }
        let mut x = power(a, d, n);
        if x == 1 || x == n - 1 {
            continue;
        }
        for _ in 1..s {
            x = mul(x, x, n);
            if x == n - 1 {
                continue 'bases;
            }
        }
        return false;
    }
    true
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Pollard's rho, gathering differences.
fn divisor(n: u128, budget: &Budget) -> Result<u128> {
    if n.is_multiple_of(2) {
        return Ok(2);
    }
    for c in 1u128.. {
        let f = |x: u128| (mul(x, x, n) + c) % n;
        let (mut x, mut y, mut q, mut d) = (2u128, 2u128, 1u128, 1u128);
        let mut saved = (x, y);
        while d == 1 {
            saved = (x, y);
            for _ in 0..64 {
                x = f(x);
                y = f(f(y));
                q = mul(q, x.abs_diff(y), n);
            }
            budget.steps(64)?;
            d = gcd(q, n);
        }
        if d == n {
            // Went past: one step at a time from the last good place.
            (x, y) = saved;
            loop {
                budget.step()?;
                x = f(x);
                y = f(f(y));
                d = gcd(x.abs_diff(y), n);
                if d != 1 {
                    break;
                }
            }
        }
        if d != n {
            return Ok(d);
        }
    }
    Ok(n)
}
