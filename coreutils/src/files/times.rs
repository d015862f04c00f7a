//! Times of files as these programs read and print them.

use sandshell_kernel::{Process, Time};
use sandshell_text::date::{self, Dialect, Moment, Zone};

/// The zone of `TZ`.
pub(crate) fn zone(p: &Process) -> Zone {
    Zone::named(p.env.get("TZ").map(|v| &v[..]))
}

/// As the date functions take it.
pub(crate) fn moment(t: Time) -> Moment {
    Moment { seconds: t.seconds(), nanos: t.nanos() }
}

/// And back.
pub(crate) fn time(m: Moment) -> Time {
    Time(i128::from(m.seconds) * 1_000_000_000 + i128::from(m.nanos))
}

/// By a format of strftime(3) with GNU's extensions.
pub(crate) fn strftime(format: &[u8], t: Time, zone: &Zone, out: &mut Vec<u8>) {
    date::format(format, moment(t), zone, Dialect::Gnu, out);
}
