//! Numbers in text: strtol and strtod, the x87 `long double` that printf computes with, exact `%f`/`%e`/`%g`/`%a`, and
//! the sizes that `-h` prints.

mod float;

pub use float::{LongDouble, parse_f64};

/// What strtoimax found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Int {
    /// The value, at the nearer end of the range when it does not fit.
    pub value: i64,
    /// Bytes read, white space before the number among them; 0 when there is no number.
    pub used: usize,
    /// It does not fit.
    pub overflow: bool,
}

fn space(b: &u8) -> bool {
    matches!(b, b' ' | b'\t'..=b'\r')
}

/// Sign, magnitude (`None` = more than 64 bits), bytes used.
fn magnitude(text: &[u8], base: u32) -> (bool, Option<u64>, usize) {
    let mut at = text.iter().take_while(|b| space(b)).count();
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let hex = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
    let base = match base {
        0 | 16 if hex => {
            at += 2;
            16
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        b => b,
    };
    let start = at;
    let mut value = Some(0u64);
    while let Some(d) = text.get(at).and_then(|b| char::from(*b).to_digit(base)) {
        value = value.and_then(|v| v.checked_mul(base.into())?.checked_add(d.into()));
        at += 1;
    }
    if at == start {
        return (negative, Some(0), 0);
    }
    (negative, value, at)
}

/// strtoimax: white space, a sign, `0x` and `0` prefixes where `base` is 0.
pub fn parse_int(text: &[u8], base: u32) -> Int {
    let (negative, value, used) = magnitude(text, base);
    let limit = i64::MAX as u64 + u64::from(negative);
    match value.filter(|v| *v <= limit) {
        Some(v) => {
            let value = if negative { (v as i64).wrapping_neg() } else { v as i64 };
            Int { value, used, overflow: false }
        }
        None => Int { value: if negative { i64::MIN } else { i64::MAX }, used, overflow: true },
    }
}

/// strtoumax: a negative number wraps. Value, bytes used, overflow.
pub fn parse_uint(text: &[u8], base: u32) -> (u64, usize, bool) {
    let (negative, value, used) = magnitude(text, base);
    match value {
        Some(v) => (if negative { v.wrapping_neg() } else { v }, used, false),
        None => (u64::MAX, used, true),
    }
}

/// Digits only, the whole text: what most options take. `None` for anything else or more than 64 bits.
pub fn parse_decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u64, |v, b| {
        let d = b.is_ascii_digit().then(|| u64::from(b - b'0'))?;
        v.checked_mul(10)?.checked_add(d)
    })
}

/// Why a size was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeError {
    /// No number, or something after it that is no unit.
    Invalid,
    /// A number and a letter that is no unit here.
    Suffix,
    /// More than 64 bits.
    Overflow,
}

/// A number with a unit as coreutils' `xstrtoumax` reads it: `b` 512, `kB` 1000, `K`/`KiB` 1024, … for those letters
/// that `suffixes` allows (as `bEGKkMmPTYZ0`; `0` allows `B` and `iB` after the letter).
pub fn parse_size(text: &[u8], suffixes: &str) -> Result<u64, SizeError> {
    let start = text.iter().take_while(|b| space(b)).count();
    let body = &text[start..];
    let body = body.strip_prefix(b"+").unwrap_or(body);
    let digits = body.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, unit) = body.split_at(digits);
    let allowed = |c: u8| suffixes.as_bytes().contains(&c);
    let mut value = match number {
        [] if unit.first().is_some_and(|c| allowed(*c)) => Some(1u64),
        [] => return Err(SizeError::Invalid),
        _ => number.iter().try_fold(0u64, |v, b| v.checked_mul(10)?.checked_add(u64::from(b - b'0'))),
    };
    if let Some(&c) = unit.first() {
        if !allowed(c) {
            return Err(SizeError::Suffix);
        }
        let (base, used) = match &unit[1..] {
            [b'i', b'B', ..] if allowed(b'0') => (1024u64, 3),
            [b'B' | b'D', ..] if allowed(b'0') => (1000, 2),
            _ => (1024, 1),
        };
        let times =
            |value: Option<u64>, power: u32| base.checked_pow(power).and_then(|f| value?.checked_mul(f));
        value = match c {
            b'b' => value.and_then(|v| v.checked_mul(512)),
            b'B' => value.and_then(|v| v.checked_mul(1024)),
            b'c' => value,
            b'w' => value.and_then(|v| v.checked_mul(2)),
            b'k' | b'K' => times(value, 1),
            b'm' | b'M' => times(value, 2),
            b'g' | b'G' => times(value, 3),
            b't' | b'T' => times(value, 4),
            b'P' => times(value, 5),
            b'E' => times(value, 6),
            b'Z' | b'Y' => value.filter(|v| *v == 0),
            _ => return Err(SizeError::Suffix),
        };
        let used = if matches!(c, b'b' | b'B' | b'c' | b'w') { 1 } else { used };
        if unit.len() > used {
            return Err(SizeError::Suffix);
        }
    }
    value.ok_or(SizeError::Overflow)
}

/// Appends a number.
#[inline]
pub fn push_int(n: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
}

/// A size as `-h` (1024) and `--si` (1000) print it: rounded up, one decimal below ten.
pub fn human(bytes: u64, base: u32) -> String {
    let units: &[u8] = if base == 1000 { b"kMGTPEZY" } else { b"KMGTPEZY" };
    let base = u128::from(base);
    let n = u128::from(bytes);
    if n < base {
        return n.to_string();
    }
    let mut power = base;
    let mut unit = 0;
    while n >= power * base {
        power *= base;
        unit += 1;
    }
    let tenths = (n * 10).div_ceil(power);
    if tenths < 100 {
        return format!("{}.{}{}", tenths / 10, tenths % 10, char::from(units[unit]));
    }
    let whole = n.div_ceil(power);
    if whole >= base {
        return format!("1.0{}", char::from(units[(unit + 1).min(units.len() - 1)]));
    }
    format!("{whole}{}", char::from(units[unit]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_as_strtol() {
        assert_eq!(parse_int(b" 12x", 0), Int { value: 12, used: 3, overflow: false });
        assert_eq!(parse_int(b"-0x1F", 0).value, -31);
        assert_eq!(parse_int(b"0x", 0), Int { value: 0, used: 1, overflow: false });
        assert_eq!(parse_int(b"08", 0), Int { value: 0, used: 1, overflow: false });
        assert_eq!(parse_int(b"-9223372036854775808", 0).value, i64::MIN);
        assert!(parse_int(b"9223372036854775808", 0).overflow);
        assert_eq!(parse_uint(b"-1", 0).0, u64::MAX);
        assert_eq!(parse_int(b"abc", 0).used, 0);
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size(b"2K", "bkKMG0"), Ok(2048));
        assert_eq!(parse_size(b"2kB", "bkKMG0"), Ok(2000));
        assert_eq!(parse_size(b"1MiB", "bkKMG0"), Ok(1 << 20));
        assert_eq!(parse_size(b"3b", "bkKMG0"), Ok(1536));
        assert_eq!(parse_size(b"x", "b"), Err(SizeError::Invalid));
        assert_eq!(parse_size(b"1x", "b"), Err(SizeError::Suffix));
    }

    #[test]
    fn human_sizes_round_up() {
        for (n, s) in [
            (0, "0"),
            (1023, "1023"),
            (1024, "1.0K"),
            (1025, "1.1K"),
            (10240, "10K"),
            (10241, "11K"),
            (1048575, "1.0M"),
            (1 << 40, "1.0T"),
        ] {
            assert_eq!(human(n, 1024), s);
        }
        assert_eq!(human(1500, 1000), "1.5k");
        assert_eq!(human(999_999, 1000), "1.0M");
    }
}
