//! `mktime`: a date whose parts may lie outside their ranges. (`strftime` is the date formatter that programs share.)

use sandshell_text::date::{Zone, days};

/// What strftime() prints without a format.
pub const DEFAULT: &[u8] = b"%a %b %e %H:%M:%S %Z %Y";

/// Seconds of `YYYY MM DD HH MM SS [DST]` in `zone`.
pub fn mktime(text: &[u8], zone: &Zone) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let mut parts = [0i64; 7];
    parts[6] = -1;
    let mut n = 0;
    for (i, word) in text.split_whitespace().take(7).enumerate() {
        let value = match word.parse::<i64>() {
            Ok(v) => v,
            Err(_) => word.parse::<f64>().ok()? as i64,
        };
        parts[i] = value.clamp(-1_000_000_000_000, 1_000_000_000_000);
        n = i + 1;
    }
    if n < 6 {
        return None;
    }
    let [year, month, day, hour, minute, second, dst] = parts;
    if year.abs() > 1_000_000_000 || month.abs() > 1_000_000_000 {
        return None;
    }
    let local = days(year, month, 1)
        .checked_add(day - 1)?
        .checked_mul(86400)?
        .checked_add(hour * 3600)?
        .checked_add(minute * 60)?
        .checked_add(second)?;
    let at = zone.resolve_any(local);
    // A time that is said to be in summer time, and is not, was an hour earlier.
    let shift = if dst > 0 && !zone.at(at).1 { 3600 } else { 0 };
    Some(at - shift)
}
