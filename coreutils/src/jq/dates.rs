//! Dates: broken-down time arrays (`[year, month from 0, day, hours, minutes, seconds, weekday, day of year]`) and
//! their formats, in the C locale.

use super::{
    machine::{Res, fail},
    val::Val,
};

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Broken-down time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tm {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: f64,
    weekday: i64,
    yearday: i64,
    /// Seconds east of UTC.
    offset: i64,
}

/// Days since the epoch of a civil date; months may be out of range.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year.saturating_add(month.div_euclid(12));
    let month = month.rem_euclid(12) + 1;
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y - era * 400;
    let doy = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    era * 146_097 + doe - 719_468
}

impl Tm {
    /// UTC of seconds since the epoch.
    pub fn from_epoch(t: f64) -> Tm {
        let whole = t.floor();
        let fraction = t - whole;
        let whole = whole.clamp(-6.0e16, 6.0e16) as i64;
        let day = whole.div_euclid(86_400);
        let rest = whole.rem_euclid(86_400);
        let z = day + 719_468;
        let era = z.div_euclid(146_097);
        let doe = z - era * 146_097;
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + i64::from(month <= 2);
        Tm {
            year,
            month: month - 1,
            day: doy - (153 * mp + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: (rest % 60) as f64 + fraction,
            weekday: (day + 4).rem_euclid(7),
            yearday: day - days(year, 0, 1),
            offset: 0,
        }
    }

    /// Seconds since the epoch, taken as UTC.
    pub fn epoch(&self) -> f64 {
        let seconds = self.hour * 3600 + self.minute * 60 + self.second.floor() as i64;
        (days(self.year, self.month, self.day).saturating_mul(86_400)).saturating_add(seconds) as f64
    }

    fn settle(&mut self) {
        let day = days(self.year, self.month, self.day);
        self.weekday = (day + 4).rem_euclid(7);
        self.yearday = day - days(self.year, 0, 1);
    }

    /// As jq's array.
    pub fn array(&self) -> Val {
        let n = |x: i64| Val::Num(x as f64);
        vec![
            n(self.year),
            n(self.month),
            n(self.day),
            n(self.hour),
            n(self.minute),
            Val::Num(self.second),
            n(self.weekday),
            n(self.yearday),
        ]
        .into()
    }

    /// From jq's array of at least six numbers.
    pub fn from_array(v: &Val, who: &str) -> Res<Tm> {
        let list: &[Val] = match v {
            Val::Arr(a) if a.len() >= 6 => a,
            _ => return fail(format!("{who} requires parsed datetime inputs")),
        };
        let mut n = [0.0; 8];
        for (slot, x) in n.iter_mut().zip(list) {
            match x.num() {
                Some(x) if x.is_finite() => *slot = x,
                _ => return fail(format!("{who} requires parsed datetime inputs")),
            }
        }
        let i = |k: usize| (n[k].clamp(-4.0e9, 4.0e9)) as i64;
        Ok(Tm {
            year: i(0),
            month: i(1),
            day: i(2),
            hour: i(3),
            minute: i(4),
            second: n[5],
            weekday: i(6),
            yearday: i(7),
            offset: 0,
        })
    }
}

fn zone(tz: Option<&str>) -> jiff::tz::TimeZone {
    match tz {
        Some(name) if !name.is_empty() => {
            let name = name.trim_start_matches(':');
            jiff::tz::TimeZone::get(name)
                .or_else(|_| jiff::tz::TimeZone::posix(name))
                .unwrap_or(jiff::tz::TimeZone::UTC)
        }
        _ => jiff::tz::TimeZone::UTC,
    }
}

/// The offset from UTC and the abbreviation of a zone at a time.
fn offset_at(tz: Option<&str>, epoch: f64) -> (i64, String) {
    let Ok(at) = jiff::Timestamp::from_second(epoch.clamp(-3.7e11, 2.5e11) as i64) else {
        return (0, "UTC".into());
    };
    let zone = zone(tz);
    let info = zone.to_offset_info(at);
    (i64::from(info.offset().seconds()), info.abbreviation().to_string())
}

/// Local time of seconds since the epoch.
pub fn local(t: f64, tz: Option<&str>) -> Tm {
    let (offset, _) = offset_at(tz, t);
    let mut tm = Tm::from_epoch(t + offset as f64);
    tm.offset = offset;
    tm
}

/// Formats. `local` formats name the zone `tz` instead of UTC.
pub fn format(tm: &Tm, spec: &str, tz: Option<Option<&str>>) -> String {
    let (offset, name) = match tz {
        None => (0, "UTC".to_string()),
        Some(tz) => offset_at(tz, tm.epoch()),
    };
    let mut out = String::new();
    expand(&mut out, tm, spec, offset, &name, 0);
    out
}

fn expand(out: &mut String, tm: &Tm, spec: &str, offset: i64, name: &str, depth: u8) {
    let mut chars = spec.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut pad = None;
        while let Some(f @ ('-' | '_' | '0' | '^' | '#')) = chars.peek().copied() {
            pad = Some(f);
            chars.next();
        }
        let mut width = 0usize;
        while let Some(d) = chars.peek().and_then(|c| c.to_digit(10)) {
            width = (width * 10 + d as usize).min(1024);
            chars.next();
        }
        if let Some('E' | 'O') = chars.peek() {
            chars.next();
        }
        let Some(c) = chars.next() else {
            out.push('%');
            return;
        };
        let mut number = |n: i64, w: usize, fill: char| {
            let w = if width > 0 { width } else { w };
            let fill = match pad {
                Some('-') => None,
                Some('_') => Some(' '),
                Some('0') => Some('0'),
                _ => Some(fill),
            };
            match fill {
                None => out.push_str(&n.to_string()),
                Some('0') => out.push_str(&format!("{n:0w$}")),
                Some(_) => out.push_str(&format!("{n:w$}")),
            }
        };
        let second = tm.second.floor() as i64;
        let hour12 = if tm.hour % 12 == 0 { 12 } else { tm.hour % 12 };
        let weekday = tm.weekday.rem_euclid(7);
        match c {
            'Y' => number(tm.year, 1, '0'),
            'C' => number(tm.year.div_euclid(100), 2, '0'),
            'y' => number(tm.year.rem_euclid(100), 2, '0'),
            'm' => number(tm.month + 1, 2, '0'),
            'd' => number(tm.day, 2, '0'),
            'e' => number(tm.day, 2, ' '),
            'H' => number(tm.hour, 2, '0'),
            'k' => number(tm.hour, 2, ' '),
            'I' => number(hour12, 2, '0'),
            'l' => number(hour12, 2, ' '),
            'M' => number(tm.minute, 2, '0'),
            'S' => number(second, 2, '0'),
            'j' => number(tm.yearday + 1, 3, '0'),
            'u' => number(if weekday == 0 { 7 } else { weekday }, 1, '0'),
            'w' => number(weekday, 1, '0'),
            's' => number(tm.epoch() as i64 - offset, 1, '0'),
            'U' => number((tm.yearday + 7 - weekday) / 7, 2, '0'),
            'W' => number((tm.yearday + 7 - (weekday + 6) % 7) / 7, 2, '0'),
            'V' => number(iso_week(tm).1, 2, '0'),
            'G' => number(iso_week(tm).0, 1, '0'),
            'g' => number(iso_week(tm).0.rem_euclid(100), 2, '0'),
            'p' => out.push_str(if tm.hour < 12 { "AM" } else { "PM" }),
            'P' => out.push_str(if tm.hour < 12 { "am" } else { "pm" }),
            'a' => out.push_str(&DAYS[weekday as usize][..3]),
            'A' => out.push_str(DAYS[weekday as usize]),
            'b' | 'h' => out.push_str(&MONTHS[tm.month.rem_euclid(12) as usize][..3]),
            'B' => out.push_str(MONTHS[tm.month.rem_euclid(12) as usize]),
            'n' => out.push('\n'),
            't' => out.push('\t'),
            '%' => out.push('%'),
            'Z' => out.push_str(name),
            'z' => {
                let sign = if offset < 0 { '-' } else { '+' };
                let o = offset.abs();
                out.push_str(&format!("{sign}{:02}{:02}", o / 3600, o / 60 % 60));
            }
            _ => {
                let inner = match c {
                    'D' | 'x' => "%m/%d/%y",
                    'F' => "%Y-%m-%d",
                    'T' | 'X' => "%H:%M:%S",
                    'R' => "%H:%M",
                    'r' => "%I:%M:%S %p",
                    'c' => "%a %b %e %H:%M:%S %Y",
                    '+' => "%a %b %e %H:%M:%S %Z %Y",
                    _ => "",
                };
                if inner.is_empty() || depth > 2 {
                    out.push('%');
                    out.push(c);
                } else {
                    expand(out, tm, inner, offset, name, depth + 1);
                }
            }
        }
    }
}

fn iso_week(tm: &Tm) -> (i64, i64) {
    let weekday = (tm.weekday + 6).rem_euclid(7);
    let week = (tm.yearday - weekday + 10).div_euclid(7);
    let long = |y: i64| {
        let jan1 = (days(y, 0, 1) + 4).rem_euclid(7);
        let leap = days(y + 1, 0, 1) - days(y, 0, 1) == 366;
        jan1 == 4 || (leap && jan1 == 3)
    };
    if week < 1 {
        (tm.year - 1, if long(tm.year - 1) { 53 } else { 52 })
    } else if week == 53 && !long(tm.year) {
        (tm.year + 1, 1)
    } else {
        (tm.year, week)
    }
}

/// `strptime`; none when the text does not fit.
pub fn parse(text: &str, spec: &str) -> Option<Tm> {
    let mut tm = Tm { year: 1900, ..Tm::default() };
    let mut p = Scan { text: text.as_bytes(), at: 0, afternoon: None, epoch: None, date: false };
    p.run(spec.as_bytes(), &mut tm, 0)?;
    if p.at != p.text.len() {
        return None;
    }
    if let Some(afternoon) = p.afternoon {
        tm.hour = tm.hour % 12 + if afternoon { 12 } else { 0 };
    }
    if let Some(t) = p.epoch {
        return Some(Tm::from_epoch(t as f64));
    }
    tm.settle();
    Some(tm)
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    afternoon: Option<bool>,
    epoch: Option<i64>,
    date: bool,
}

impl Scan<'_> {
    fn spaces(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn number(&mut self, digits: usize, from: i64, to: i64) -> Option<i64> {
        self.spaces();
        let start = self.at;
        let mut n = 0i64;
        while self.at - start < digits
            && let Some(d) = self.text.get(self.at).filter(|d| d.is_ascii_digit())
        {
            n = n * 10 + i64::from(d - b'0');
            self.at += 1;
        }
        (self.at > start && (from..=to).contains(&n)).then_some(n)
    }

    fn name(&mut self, names: &[&str]) -> Option<i64> {
        for (i, n) in names.iter().enumerate() {
            for candidate in [n.as_bytes(), &n.as_bytes()[..3]] {
                let rest = &self.text[self.at..];
                if rest.len() >= candidate.len() && rest[..candidate.len()].eq_ignore_ascii_case(candidate) {
                    self.at += candidate.len();
                    return Some(i as i64);
                }
            }
        }
        None
    }

    fn run(&mut self, spec: &[u8], tm: &mut Tm, depth: u8) -> Option<()> {
        let mut i = 0;
        while let Some(&c) = spec.get(i) {
            i += 1;
            if c.is_ascii_whitespace() {
                self.spaces();
                continue;
            }
            if c != b'%' {
                if self.text.get(self.at) != Some(&c) {
                    return None;
                }
                self.at += 1;
                continue;
            }
            while let Some(b'-' | b'_' | b'0' | b'^' | b'#' | b'E' | b'O') = spec.get(i) {
                i += 1;
            }
            let c = *spec.get(i)?;
            i += 1;
            match c {
                b'Y' => {
                    self.spaces();
                    let minus = self.text.get(self.at) == Some(&b'-');
                    self.at += usize::from(minus);
                    let y = self.number(4, 0, 9999)?;
                    tm.year = if minus { -y } else { y };
                }
                b'y' => {
                    let y = self.number(2, 0, 99)?;
                    tm.year = if y < 69 { 2000 + y } else { 1900 + y };
                }
                b'C' => tm.year = self.number(2, 0, 99)? * 100,
                b'm' => tm.month = self.number(2, 1, 12)? - 1,
                b'd' | b'e' => {
                    tm.day = self.number(2, 1, 31)?;
                    self.date = true;
                }
                b'H' | b'k' => tm.hour = self.number(2, 0, 23)?,
                b'I' | b'l' => tm.hour = self.number(2, 1, 12)?,
                b'M' => tm.minute = self.number(2, 0, 59)?,
                b'S' => tm.second = self.number(2, 0, 61)? as f64,
                b'j' => {
                    let n = self.number(3, 1, 366)?;
                    if !self.date {
                        tm.month = 0;
                        tm.day = n;
                    }
                }
                b'u' => drop(self.number(1, 1, 7)?),
                b'w' => drop(self.number(1, 0, 6)?),
                b'U' | b'W' | b'V' => drop(self.number(2, 0, 53)?),
                b'G' => drop(self.number(4, 0, 9999)?),
                b'g' => drop(self.number(2, 0, 99)?),
                b's' => {
                    let minus = self.text.get(self.at) == Some(&b'-');
                    self.at += usize::from(minus);
                    let n = self.number(18, 0, i64::MAX)?;
                    self.epoch = Some(if minus { -n } else { n });
                }
                b'a' | b'A' => drop(self.name(&DAYS)?),
                b'b' | b'B' | b'h' => tm.month = self.name(&MONTHS)?,
                b'p' | b'P' => {
                    let rest = &self.text[self.at..];
                    let am = rest.get(..2)?.eq_ignore_ascii_case(b"am");
                    if !am && !rest[..2].eq_ignore_ascii_case(b"pm") {
                        return None;
                    }
                    self.at += 2;
                    self.afternoon = Some(!am);
                }
                b'n' | b't' => self.spaces(),
                b'%' => {
                    if self.text.get(self.at) != Some(&b'%') {
                        return None;
                    }
                    self.at += 1;
                }
                b'Z' => {
                    while self.text.get(self.at).is_some_and(u8::is_ascii_alphabetic) {
                        self.at += 1;
                    }
                }
                b'z' => self.zone(tm)?,
                _ => {
                    let inner: &[u8] = match c {
                        b'D' | b'x' => b"%m/%d/%y",
                        b'F' => b"%Y-%m-%d",
                        b'T' | b'X' => b"%H:%M:%S",
                        b'R' => b"%H:%M",
                        b'r' => b"%I:%M:%S %p",
                        b'c' => b"%a %b %e %H:%M:%S %Y",
                        _ => return None,
                    };
                    if depth > 2 {
                        return None;
                    }
                    self.run(inner, tm, depth + 1)?;
                }
            }
        }
        Some(())
    }

    fn zone(&mut self, tm: &mut Tm) -> Option<()> {
        self.spaces();
        if self.text.get(self.at) == Some(&b'Z') {
            self.at += 1;
            return Some(());
        }
        let minus = match self.text.get(self.at)? {
            b'+' => false,
            b'-' => true,
            _ => return None,
        };
        self.at += 1;
        let hours = self.number(2, 0, 23)?;
        if self.text.get(self.at) == Some(&b':') {
            self.at += 1;
        }
        let minutes = match self.text.get(self.at) {
            Some(b'0'..=b'9') => self.number(2, 0, 59)?,
            _ => 0,
        };
        let n = hours * 3600 + minutes * 60;
        tm.offset = if minus { -n } else { n };
        Some(())
    }
}

/// The input of `strftime` and its kin: a number of seconds or an array.
pub fn input(v: &Val, who: &str, tz: Option<Option<&str>>) -> Res<Tm> {
    match (v.num(), tz) {
        (Some(t), None) => Ok(Tm::from_epoch(t)),
        (Some(t), Some(tz)) => Ok(local(t, tz)),
        (None, _) => match v {
            Val::Arr(_) => Tm::from_array(v, who),
            _ => fail(format!("{who} requires parsed datetime inputs")),
        },
    }
}

/// Local time as broken down to seconds since the epoch, in the zone.
pub fn mktime(v: &Val) -> Res<Val> {
    if !matches!(v, Val::Arr(_)) {
        return fail("mktime requires array inputs");
    }
    Ok(Val::Num(Tm::from_array(v, "mktime")?.epoch()))
}
