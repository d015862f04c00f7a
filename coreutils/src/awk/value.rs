//! Values: numbers, strings (short ones inline), strings from input that may count as numbers, arrays; and the
//! conversions between text and numbers.

use super::array::ArrayRef;
use std::rc::Rc;

/// Bytes that fit into a [`Str`] without an allocation.
const INLINE: usize = 22;

/// An immutable string that is cheap to clone and can grow in place while nobody else holds it.
#[derive(Clone)]
pub enum Str {
    /// Up to 22 bytes.
    Inline(u8, [u8; INLINE]),
    /// More.
    Heap(Rc<Vec<u8>>),
}

impl Str {
    /// The empty string.
    pub const EMPTY: Str = Str::Inline(0, [0; INLINE]);

    /// A copy of `bytes`.
    #[inline]
    pub fn new(bytes: &[u8]) -> Str {
        if bytes.len() <= INLINE {
            let mut b = [0; INLINE];
            b[..bytes.len()].copy_from_slice(bytes);
            Str::Inline(bytes.len() as u8, b)
        } else {
            Str::Heap(Rc::new(bytes.to_vec()))
        }
    }

    /// Takes `bytes` over.
    pub fn from_vec(bytes: Vec<u8>) -> Str {
        if bytes.len() <= INLINE { Str::new(&bytes) } else { Str::Heap(Rc::new(bytes)) }
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Str::Inline(n, b) => &b[..*n as usize],
            Str::Heap(v) => v,
        }
    }

    /// Appends, in place where it can.
    #[inline]
    pub fn push(&mut self, more: &[u8]) {
        match self {
            Str::Inline(n, b) => {
                let len = *n as usize;
                if len + more.len() <= INLINE {
                    b[len..len + more.len()].copy_from_slice(more);
                    *n += more.len() as u8;
                } else {
                    let mut v = Vec::with_capacity((len + more.len()).max(64));
                    v.extend_from_slice(&b[..len]);
                    v.extend_from_slice(more);
                    *self = Str::Heap(Rc::new(v));
                }
            }
            Str::Heap(v) => Rc::make_mut(v).extend_from_slice(more),
        }
    }
}

impl std::ops::Deref for Str {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes()
    }
}

impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(self.bytes()))
    }
}

/// What a variable, field or expression holds.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Never assigned: both "" and 0.
    #[default]
    Uninit,
    /// A number.
    Num(f64),
    /// A string.
    Str(Str),
    /// A string from input: counts as a number where it looks like one.
    Input(Str),
    /// `@/re/`.
    Regex(Str),
    /// An array, in a variable or element that is one.
    Array(ArrayRef),
}

impl Value {
    /// A string value.
    pub fn str(bytes: &[u8]) -> Value {
        Value::Str(Str::new(bytes))
    }

    /// A string from input.
    pub fn input(bytes: &[u8]) -> Value {
        Value::Input(Str::new(bytes))
    }

    /// Its number; an array has none (the caller refuses it first).
    pub fn number(&self) -> f64 {
        match self {
            Value::Num(n) => *n,
            Value::Str(s) | Value::Input(s) | Value::Regex(s) => to_number(s),
            Value::Uninit | Value::Array(_) => 0.0,
        }
    }

    /// Its truth.
    pub fn truth(&self) -> bool {
        match self {
            Value::Uninit | Value::Array(_) => false,
            Value::Num(n) => *n != 0.0,
            Value::Str(s) | Value::Regex(s) => !s.is_empty(),
            Value::Input(s) => input_truth(s),
        }
    }

    /// The number that it counts as in a comparison, or none for a string.
    #[inline]
    pub fn comparable(&self) -> Option<f64> {
        match self {
            Value::Num(n) => Some(*n),
            Value::Input(s) => looks_numeric(s),
            Value::Uninit => Some(0.0),
            Value::Str(_) | Value::Regex(_) | Value::Array(_) => None,
        }
    }

    /// Bytes beyond the value itself, where they are many: what the memory limit counts.
    pub fn weight(&self) -> usize {
        match self {
            Value::Str(Str::Heap(v)) | Value::Input(Str::Heap(v)) | Value::Regex(Str::Heap(v)) => {
                v.capacity()
            }
            _ => 0,
        }
    }
}

/// The truth of a string from input.
pub fn input_truth(s: &[u8]) -> bool {
    match looks_numeric(s) {
        Some(n) => n != 0.0,
        None => !s.is_empty(),
    }
}

#[inline]
fn blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The number at the start of `s` (no leading blanks) and its length; length 0 when there is none.
#[inline]
fn scan(s: &[u8]) -> (f64, usize) {
    let mut i = 0;
    let negative = match s.first() {
        Some(b'-') => {
            i = 1;
            true
        }
        Some(b'+') => {
            i = 1;
            false
        }
        _ => false,
    };
    let start = i;
    let mut mantissa: u64 = 0;
    while let Some(d) = s.get(i).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(d));
        i += 1;
    }
    let mut digits = i - start;
    let mut fraction = 0;
    if s.get(i) == Some(&b'.') {
        let dot = i;
        i += 1;
        while let Some(d) = s.get(i).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(d));
            i += 1;
        }
        fraction = i - dot - 1;
        digits += fraction;
    }
    if digits == 0 {
        return special(s, start, negative);
    }
    let mut exponent = false;
    if matches!(s.get(i), Some(b'e' | b'E')) {
        let mut j = i + 1;
        if matches!(s.get(j), Some(b'+' | b'-')) {
            j += 1;
        }
        if s.get(j).is_some_and(u8::is_ascii_digit) {
            while s.get(j).is_some_and(u8::is_ascii_digit) {
                j += 1;
            }
            i = j;
            exponent = true;
        }
    }
    if !exponent && digits <= 15 {
        let n = mantissa as f64 / POWERS[fraction.min(22)];
        return (if negative { -n } else { n }, i);
    }
    let from = if s[0] == b'+' { 1 } else { 0 };
    (fast_float2::parse::<f64, _>(&s[from..i]).unwrap_or(0.0), i)
}

/// `+inf` and `-nan`: only with a sign, only as whole words.
#[cold]
fn special(s: &[u8], start: usize, negative: bool) -> (f64, usize) {
    if start == 1 && s.len() >= 4 {
        let word = [s[1] | 32, s[2] | 32, s[3] | 32];
        let ends = s.get(4).is_none_or(|b| !b.is_ascii_alphanumeric());
        let n = match &word {
            b"inf" if ends => f64::INFINITY,
            b"nan" if ends => f64::NAN,
            _ => return (0.0, 0),
        };
        return (if negative { -n } else { n }, 4);
    }
    (0.0, 0)
}

/// The number that a string starts with, as strtod finds it (decimal only).
#[inline]
pub fn to_number(s: &[u8]) -> f64 {
    let mut s = s;
    while let [b, rest @ ..] = s {
        if !blank(*b) {
            break;
        }
        s = rest;
    }
    scan(s).0
}

/// The number that the whole string is, blanks around it allowed.
#[inline]
pub fn looks_numeric(s: &[u8]) -> Option<f64> {
    let mut s = s;
    while let [b, rest @ ..] = s {
        if !blank(*b) {
            break;
        }
        s = rest;
    }
    // Most words are told from numbers by their first byte.
    if !matches!(s.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.')) {
        return None;
    }
    let (n, len) = scan(s);
    (len > 0 && s[len..].iter().all(|b| blank(*b))).then_some(n)
}

/// Appends a number that is integral and within 64 bits, or answers false.
#[inline]
pub fn put_integer(n: f64, out: &mut Vec<u8>) -> bool {
    let i = n as i64;
    if i as f64 != n || i == i64::MAX || i == i64::MIN {
        return false;
    }
    if (0..10).contains(&i) {
        out.push(b'0' + i as u8);
    } else {
        out.extend_from_slice(itoa::Buffer::new().format(i).as_bytes());
    }
    true
}
