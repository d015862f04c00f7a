//! Dates: time zones as TZ names them, strftime with the directives and flags of GNU date and of the C library, and the
//! free-form dates of `date -d`.

mod format;
mod parse;

pub use format::{Dialect, format};
pub use parse::{parse, parse_zoned};

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A point in time: seconds since the epoch, and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Moment {
    /// Seconds, rounded down.
    pub seconds: i64,
    /// Nanoseconds, 0 to 999 999 999.
    pub nanos: u32,
}

impl Moment {
    /// The wall clock.
    pub fn now() -> Moment {
        let now = Timestamp::now().as_nanosecond();
        Moment { seconds: now.div_euclid(1_000_000_000) as i64, nanos: now.rem_euclid(1_000_000_000) as u32 }
    }
}

/// A time zone.
#[derive(Debug, Clone)]
pub struct Zone {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Fixed(i32, String),
    Rules(TimeZone),
}

impl Zone {
    /// UTC.
    pub fn utc() -> Zone {
        Zone::fixed(0, "UTC")
    }

    /// Always this many seconds east of Greenwich.
    pub fn fixed(offset: i32, name: &str) -> Zone {
        Zone { kind: Kind::Fixed(offset, name.to_owned()) }
    }

    /// The zone that a value of `TZ` names: an IANA name or a POSIX rule. Unset or empty is UTC; a name that nobody
    /// knows is UTC under that name, as in the C library.
    pub fn named(tz: Option<&[u8]>) -> Zone {
        let name = String::from_utf8_lossy(tz.unwrap_or(b"")).into_owned();
        let name = name.strip_prefix(':').unwrap_or(&name);
        if name.is_empty() || name == "UTC" {
            return Zone::utc();
        }
        let file = name.rsplit_once("zoneinfo/").map_or(name, |n| n.1);
        if let Ok(zone) = TimeZone::get(file).or_else(|_| TimeZone::posix(name)) {
            return Zone { kind: Kind::Rules(zone) };
        }
        let letters: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
        Zone::fixed(0, if letters.len() >= 3 { &letters } else { "UTC" })
    }

    /// Offset, whether it is summer time, and abbreviation at a point in time.
    pub fn at(&self, seconds: i64) -> (i32, bool, String) {
        match &self.kind {
            Kind::Fixed(offset, name) => (*offset, false, name.clone()),
            Kind::Rules(zone) => {
                let (min, max) = (Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
                let at = Timestamp::from_second(seconds.clamp(min, max)).unwrap_or(Timestamp::UNIX_EPOCH);
                let info = zone.to_offset_info(at);
                (info.offset().seconds(), info.dst().is_dst(), info.abbreviation().to_owned())
            }
        }
    }

    fn offset(&self, seconds: i64) -> i64 {
        i64::from(self.at(seconds).0)
    }

    /// The point in time at which clocks of this zone show `local` (seconds since the epoch, had it been in UTC). The
    /// first one where there are two; `None` where clocks skip it.
    pub fn resolve(&self, local: i64) -> Option<i64> {
        let before = self.offset(local.saturating_sub(90_000));
        let after = self.offset(local.saturating_add(90_000));
        [before, after].into_iter().map(|o| local.saturating_sub(o)).find(|t| t + self.offset(*t) == local)
    }

    /// Like [`Zone::resolve`]; a time that clocks skip is taken by the offset before.
    pub fn resolve_any(&self, local: i64) -> i64 {
        let before = || local.saturating_sub(self.offset(local.saturating_sub(90_000)));
        self.resolve(local).unwrap_or_else(before)
    }
}

/// A point in time in a zone, as `struct tm`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Civil {
    /// The year.
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// 0 to 23.
    pub hour: u32,
    /// 0 to 59.
    pub minute: u32,
    /// 0 to 59.
    pub second: u32,
    /// Days since Sunday.
    pub weekday: u32,
    /// Days since 1 January.
    pub year_day: u32,
    /// Seconds east of Greenwich.
    pub offset: i32,
    /// Summer time.
    pub dst: bool,
    /// The zone's abbreviation.
    pub abbreviation: String,
}

/// Days since the epoch of a date; months and days out of range carry over.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let mp = (month + 9) % 12;
    let doy = (153 * mp + 2) / 5;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468 + day - 1
}

/// Year, month and day of a number of days since the epoch.
pub fn date(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month as u32, (doy - (153 * mp + 2) / 5 + 1) as u32)
}

impl Civil {
    /// What clocks of `zone` show.
    pub fn new(seconds: i64, zone: &Zone) -> Civil {
        let (offset, dst, abbreviation) = zone.at(seconds);
        let local = seconds.saturating_add(offset.into());
        let day_number = local.div_euclid(86_400);
        let in_day = local.rem_euclid(86_400) as u32;
        let (year, month, day) = date(day_number);
        Civil {
            year,
            month,
            day,
            hour: in_day / 3600,
            minute: in_day / 60 % 60,
            second: in_day % 60,
            weekday: (day_number + 4).rem_euclid(7) as u32,
            year_day: (day_number - days(year, 1, 1)) as u32,
            offset,
            dst,
            abbreviation,
        }
    }
}

#[cfg(test)]
mod tests;
