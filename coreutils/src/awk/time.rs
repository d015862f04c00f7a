//! `strftime` and `mktime`, over the time zone that `TZ` names.

use jiff::{Timestamp, civil, fmt::strtime, tz::TimeZone};

/// What strftime() prints without a format.
pub const DEFAULT: &[u8] = b"%a %b %e %H:%M:%S %Z %Y";

/// The zone of a `TZ` value; UTC where there is none.
pub fn zone(name: &[u8]) -> TimeZone {
    let name = std::str::from_utf8(name).unwrap_or_default();
    let name = name.strip_prefix(':').unwrap_or(name);
    if name.is_empty() {
        return TimeZone::UTC;
    }
    TimeZone::get(name).or_else(|_| TimeZone::posix(name)).unwrap_or(TimeZone::UTC)
}

/// Appends the time `at` in `zone` by `format`.
pub fn strftime(format: &[u8], at: i64, zone: &TimeZone, out: &mut Vec<u8>) {
    let Ok(time) = Timestamp::from_second(at) else { return };
    let time = time.to_zoned_datetime(zone.clone());
    let mut i = 0;
    while i < format.len() {
        if format[i] != b'%' {
            out.push(format[i]);
            i += 1;
            continue;
        }
        let flags = format[i + 1..]
            .iter()
            .take_while(|b| matches!(b, b'-' | b'_' | b'0' | b'^' | b'#' | b'E' | b'O' | b'1'..=b'9'))
            .count();
        let end = (i + 1 + flags + 1).min(format.len());
        let one = &format[i..end];
        let modifier =
            one.iter().rposition(|b| matches!(b, b'E' | b'O')).filter(|p| *p + 2 == one.len() && *p > 0);
        let mut directive = one.to_vec();
        if let Some(p) = modifier {
            directive.remove(p);
        }
        let text: &[u8] = match directive.as_slice() {
            b"%c" => b"%a %b %e %H:%M:%S %Y",
            b"%x" => b"%m/%d/%y",
            b"%X" => b"%H:%M:%S",
            b"%r" => b"%I:%M:%S %p",
            b"%h" => b"%b",
            b"%+" => b"%a %b %e %H:%M:%S %Z %Y",
            other => other,
        };
        let shown = std::str::from_utf8(text).ok().and_then(|t| strtime::format(t, &time).ok());
        match shown {
            Some(s) => out.extend_from_slice(s.as_bytes()),
            None => out.extend_from_slice(one),
        }
        i = end;
    }
}

/// Seconds of `YYYY MM DD HH MM SS [DST]`, whose parts may lie outside their ranges.
pub fn mktime(text: &[u8], zone: &TimeZone) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let mut parts = [0i64; 7];
    parts[6] = -1;
    let mut n = 0;
    for (i, word) in text.split_whitespace().take(7).enumerate() {
        parts[i] = match word.parse::<i64>() {
            Ok(v) => v,
            Err(_) => word.parse::<f64>().ok()? as i64,
        };
        n = i + 1;
    }
    if n < 6 {
        return None;
    }
    let [year, month, day, hour, minute, second, dst] = parts;
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let first =
        civil::Date::new(i16::try_from(months.div_euclid(12)).ok()?, months.rem_euclid(12) as i8 + 1, 1)
            .ok()?;
    let midnight = first.in_tz("UTC").ok()?.timestamp().as_second();
    let local = midnight
        .checked_add(day.checked_sub(1)?.checked_mul(86400)?)?
        .checked_add(hour.checked_mul(3600)?)?
        .checked_add(minute.checked_mul(60)?)?
        .checked_add(second)?;
    let wall = Timestamp::from_second(local).ok()?.to_zoned_datetime(TimeZone::UTC).datetime();
    let at = zone.to_ambiguous_timestamp(wall).compatible().ok()?;
    let shift = if dst > 0 && !zone.to_offset_info(at).dst().is_dst() { 3600 } else { 0 };
    Some(at.as_second() - shift)
}
