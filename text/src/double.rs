//! Doubles as C's printf writes them by `%e`, `%f`, `%g` and `%a`, exactly rounded: what awk computes with. (Shell and
//! printf(1) compute in the wider `long double`.) Sign, width and padding are the caller's.

/// Appends `value` (its sign left out) as `conversion` (`e`, `f`, `g`, `a` or a capital one) writes it. Without a
/// precision it is 6, and for `a` as many digits as are needed. `alternate` is the `#` flag. Infinity is `inf`,
/// not a number is `nan`.
pub fn put(value: f64, conversion: u8, precision: Option<usize>, alternate: bool, out: &mut Vec<u8>) {
    let from = out.len();
    let value = value.abs();
    let lower = conversion.to_ascii_lowercase();
    if value.is_nan() {
        out.extend_from_slice(b"nan");
    } else if value.is_infinite() {
        out.extend_from_slice(b"inf");
    } else {
        match lower {
            b'f' => fixed(value, precision.unwrap_or(6), alternate, out),
            b'e' => scientific(value, precision.unwrap_or(6), alternate, out),
            b'a' => hexadecimal(value, precision, alternate, out),
            _ => general(value, precision.unwrap_or(6), alternate, out),
        }
    }
    if conversion != lower {
        out[from..].make_ascii_uppercase();
    }
}

fn write(out: &mut Vec<u8>, args: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    let _ = std::io::Write::write_fmt(out, args);
}

fn fixed(value: f64, precision: usize, alternate: bool, out: &mut Vec<u8>) {
    // The library takes precisions up to 16 bits; a double has no digits beyond 1074 places.
    let exact = precision.min(1100);
    write(out, format_args!("{value:.exact$}"));
    out.resize(out.len() + (precision - exact), b'0');
    if alternate && precision == 0 {
        out.push(b'.');
    }
}

/// Decimal digits, rounded to `precision + 1` of them, and the exponent of the first.
fn digits(value: f64, precision: usize) -> (Vec<u8>, i32) {
    let exact = precision.min(1100);
    let mut text = Vec::with_capacity(exact + 8);
    write(&mut text, format_args!("{value:.exact$e}"));
    let e = text.iter().rposition(|b| *b == b'e').unwrap_or(text.len());
    let exponent = std::str::from_utf8(&text[(e + 1).min(text.len())..]).ok().and_then(|s| s.parse().ok());
    text.truncate(e);
    if text.len() > 1 {
        text.remove(1);
    }
    text.resize(text.len() + (precision - exact), b'0');
    (text, exponent.unwrap_or(0))
}

fn put_exponent(exponent: i32, out: &mut Vec<u8>) {
    write(out, format_args!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()));
}

fn scientific(value: f64, precision: usize, alternate: bool, out: &mut Vec<u8>) {
    let (text, exponent) = digits(value, precision);
    out.push(text[0]);
    if precision > 0 || alternate {
        out.push(b'.');
    }
    out.extend_from_slice(&text[1..]);
    put_exponent(exponent, out);
}

fn general(value: f64, precision: usize, alternate: bool, out: &mut Vec<u8>) {
    let precision = precision.max(1);
    let (mut text, exponent) = digits(value, precision - 1);
    if value == 0.0 && !alternate {
        out.push(b'0');
        return;
    }
    let keep = |text: &mut Vec<u8>, least: usize| {
        while !alternate && text.len() > least && text.last() == Some(&b'0') {
            text.pop();
        }
    };
    if exponent < -4 || exponent >= precision as i32 {
        keep(&mut text, 1);
        out.push(text[0]);
        if text.len() > 1 || alternate {
            out.push(b'.');
        }
        out.extend_from_slice(&text[1..]);
        put_exponent(exponent, out);
    } else if exponent < 0 {
        keep(&mut text, 1);
        out.extend_from_slice(b"0.");
        out.resize(out.len() + (-exponent - 1) as usize, b'0');
        out.extend_from_slice(&text);
    } else {
        let whole = exponent as usize + 1;
        keep(&mut text, whole);
        out.extend_from_slice(&text[..whole]);
        if text.len() > whole || alternate {
            out.push(b'.');
        }
        out.extend_from_slice(&text[whole..]);
    }
}

fn hexadecimal(value: f64, precision: Option<usize>, alternate: bool, out: &mut Vec<u8>) {
    let bits = value.to_bits();
    let mut mantissa = bits & ((1 << 52) - 1);
    let raw = (bits >> 52) as i32 & 0x7ff;
    let mut lead = u64::from(raw != 0);
    let exponent = match (raw, mantissa) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => raw - 1023,
    };
    let mut places = 13;
    match precision {
        Some(p) if p < 13 => {
            // Round half to even on the kept digits.
            let drop = (13 - p) * 4;
            let whole = lead << 52 | mantissa;
            let (kept, rest) = (whole >> drop, whole & ((1 << drop) - 1));
            let half = 1u64 << (drop - 1);
            let kept = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
            lead = kept >> (p * 4);
            mantissa = kept & ((1u64 << (p * 4)) - 1);
            places = p;
        }
        Some(_) => {}
        None => {
            while places > 0 && mantissa & 0xf == 0 {
                mantissa >>= 4;
                places -= 1;
            }
        }
    }
    write(out, format_args!("0x{lead}"));
    if places > 0 || alternate || precision.is_some_and(|p| p > 0) {
        out.push(b'.');
    }
    if places > 0 {
        write(out, format_args!("{mantissa:0places$x}"));
    }
    if let Some(p) = precision {
        out.resize(out.len() + p.saturating_sub(places), b'0');
    }
    write(out, format_args!("p{}{}", if exponent < 0 { '-' } else { '+' }, exponent.abs()));
}

#[cfg(test)]
mod tests {
    fn text(value: f64, conversion: u8, precision: Option<usize>) -> String {
        let mut out = Vec::new();
        super::put(value, conversion, precision, false, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_written_as_printf_writes_them() {
        assert_eq!(text(1e6, b'g', None), "1e+06");
        assert_eq!(text(100_000.0, b'g', None), "100000");
        assert_eq!(text(0.0001, b'g', None), "0.0001");
        assert_eq!(text(0.00001, b'g', None), "1e-05");
        assert_eq!(text(123_456_789.0, b'g', None), "1.23457e+08");
        assert_eq!(text(0.1, b'g', Some(17)), "0.10000000000000001");
        assert_eq!(text(2.5, b'f', Some(0)), "2");
        assert_eq!(text(1234.5, b'E', Some(2)), "1.23E+03");
        assert_eq!(text(9.9999999, b'g', Some(3)), "10");
        assert_eq!(text(1.0, b'a', None), "0x1p+0");
        assert_eq!(text(0.1, b'a', None), "0x1.999999999999ap-4");
    }
}
