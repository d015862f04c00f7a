//! Times as the searching programs print and read them.

use sandshell_kernel::{Env, Time};
use sandshell_text::date::{self, Civil, Dialect, Moment};

/// The time zone of a process.
#[derive(Clone, Debug)]
pub struct Zone(date::Zone);

impl Zone {
    /// That of `TZ`.
    pub fn of(env: &Env) -> Zone {
        Zone(date::Zone::named(env.get("TZ").map(|v| &v[..])))
    }
}

fn moment(t: Time) -> Moment {
    Moment { seconds: t.seconds(), nanos: t.nanos() }
}

/// `t` by a format of strftime(3).
pub fn strftime(zone: &Zone, t: Time, format: &str) -> String {
    let mut out = Vec::new();
    date::format(format.as_bytes(), moment(t), &zone.0, Dialect::Libc, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The start of the day that `t` is in.
pub fn midnight(zone: &Zone, t: Time) -> Time {
    let c = Civil::new(t.seconds(), &zone.0);
    let local = date::days(c.year, i64::from(c.month), i64::from(c.day)) * 86_400;
    Time(i128::from(zone.0.resolve_any(local)) * 1_000_000_000)
}

/// A date as `date -d` reads it.
pub fn parse(text: &[u8], zone: &Zone, now: Time) -> Option<Time> {
    let m = date::parse(text, moment(now), &zone.0)?;
    Some(Time(i128::from(m.seconds) * 1_000_000_000 + i128::from(m.nanos)))
}
