//! strftime.

use super::{Civil, Moment, Zone, days};
use crate::number::push_int;

/// Whose directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `date`, `ls`, `stat`: also `%N`, `%:z`, `%q`.
    Gnu,
    /// The C library: bash's `%(…)T`, gawk's strftime.
    Libc,
}

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

/// The widest field.
const MAX_WIDTH: usize = 4096;

/// Appends the time in the given format.
pub fn format(format: &[u8], at: Moment, zone: &Zone, dialect: Dialect, out: &mut Vec<u8>) {
    let civil = Civil::new(at.seconds, zone);
    Formatter { civil: &civil, at, dialect, depth: 0 }.run(format, out);
}

struct Formatter<'a> {
    civil: &'a Civil,
    at: Moment,
    dialect: Dialect,
    depth: u8,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    /// `_`, `-`, `0` or `+`.
    pad: Option<u8>,
    upper: bool,
    swap: bool,
    width: Option<usize>,
}

impl Formatter<'_> {
    fn run(&mut self, format: &[u8], out: &mut Vec<u8>) {
        let mut rest = format;
        while let Some(at) = memchr::memchr(b'%', rest) {
            out.extend_from_slice(&rest[..at]);
            let used = self.directive(&rest[at + 1..], out);
            rest = &rest[at + 1 + used..];
        }
        out.extend_from_slice(rest);
    }

    /// The directive after a `%`; how many bytes it has.
    fn directive(&mut self, text: &[u8], out: &mut Vec<u8>) -> usize {
        let mut f = Flags::default();
        let mut at = 0;
        while let Some(&b) = text.get(at) {
            match b {
                b'_' | b'-' | b'0' => f.pad = Some(b),
                b'+' if self.dialect == Dialect::Gnu => f.pad = Some(b),
                b'^' => f.upper = true,
                b'#' => f.swap = true,
                _ => break,
            }
            at += 1;
        }
        while let Some(d) = text.get(at).filter(|b| b.is_ascii_digit()) {
            f.width = Some((f.width.unwrap_or(0) * 10 + usize::from(d - b'0')).min(MAX_WIDTH));
            at += 1;
        }
        if matches!(text.get(at), Some(b'E' | b'O')) && text.get(at + 1).is_some() {
            at += 1;
        }
        let colons = match self.dialect {
            Dialect::Gnu => text[at..].iter().take_while(|b| **b == b':').count(),
            Dialect::Libc => 0,
        };
        let c = text.get(at + colons).copied();
        let known = match c {
            Some(b'z') => colons <= 3,
            Some(_) => colons == 0,
            None => false,
        };
        if !known || !self.field(c.unwrap_or(0), colons, f, out) {
            // Unknown: it stands for itself.
            let end = (at + colons + 1).min(text.len());
            out.push(b'%');
            out.extend_from_slice(&text[..end]);
            return end;
        }
        at + colons + 1
    }

    fn field(&mut self, c: u8, colons: usize, f: Flags, out: &mut Vec<u8>) -> bool {
        let t = self.civil;
        let gnu = self.dialect == Dialect::Gnu;
        let hour12 = if t.hour.is_multiple_of(12) { 12 } else { t.hour % 12 };
        let int = |n: u32, width: usize, pad: u8, out: &mut Vec<u8>| number(i64::from(n), width, pad, f, out);
        match c {
            b'%' => self.text("%", f, out),
            b'n' => self.text("\n", f, out),
            b't' => self.text("\t", f, out),
            b'a' => self.name(&DAYS[t.weekday as usize][..3], f, out),
            b'A' => self.name(DAYS[t.weekday as usize], f, out),
            b'b' | b'h' => self.name(&MONTHS[t.month as usize - 1][..3], f, out),
            b'B' => self.name(MONTHS[t.month as usize - 1], f, out),
            b'c' => self.nested("%a %b %e %H:%M:%S %Y", f, out),
            b'C' => number(t.year.div_euclid(100), 2, b'0', f, out),
            b'd' => int(t.day, 2, b'0', out),
            b'D' | b'x' => self.nested("%m/%d/%y", f, out),
            b'e' => int(t.day, 2, b' ', out),
            b'F' => {
                // As `%+4Y-%m-%d`, with the width taken by the year.
                let pad = f.pad.unwrap_or(if gnu { b'+' } else { b'0' });
                let width = f.width.map_or(4, |w| w.saturating_sub(6));
                year(t.year, Flags { pad: Some(pad), width: Some(width), ..f }, out);
                self.run(b"-%m-%d", out);
            }
            b'g' => number(self.iso_week().0.rem_euclid(100), 2, b'0', f, out),
            b'G' => year(self.iso_week().0, f, out),
            b'H' => int(t.hour, 2, b'0', out),
            b'I' => int(hour12, 2, b'0', out),
            b'j' => int(t.year_day + 1, 3, b'0', out),
            b'k' => int(t.hour, 2, b' ', out),
            b'l' => int(hour12, 2, b' ', out),
            b'm' => int(t.month, 2, b'0', out),
            b'M' => int(t.minute, 2, b'0', out),
            b'N' if gnu => self.nanos(f, out),
            b'p' | b'P' => {
                let name = if t.hour < 12 { "AM" } else { "PM" };
                let lower = c == b'P' || f.swap;
                let shown = if lower && !f.upper { name.to_ascii_lowercase() } else { name.to_owned() };
                self.text(&shown, f, out);
            }
            b'q' if gnu => int((t.month - 1) / 3 + 1, 1, b'0', out),
            b'r' => self.nested("%I:%M:%S %p", f, out),
            b'R' => self.nested("%H:%M", f, out),
            b's' => number(self.at.seconds, 1, b'0', f, out),
            b'S' => int(t.second, 2, b'0', out),
            b'T' | b'X' => self.nested("%H:%M:%S", f, out),
            b'u' => int((t.weekday + 6) % 7 + 1, 1, b'0', out),
            b'U' => int((t.year_day + 7 - t.weekday) / 7, 2, b'0', out),
            b'V' => int(self.iso_week().1, 2, b'0', out),
            b'w' => int(t.weekday, 1, b'0', out),
            b'W' => int((t.year_day + 7 - (t.weekday + 6) % 7) / 7, 2, b'0', out),
            b'y' => number(t.year.rem_euclid(100), 2, b'0', f, out),
            b'Y' => year(t.year, f, out),
            b'z' => self.zone(colons, f, out),
            b'Z' => {
                let name = if f.swap { t.abbreviation.to_ascii_lowercase() } else { t.abbreviation.clone() };
                self.name(&name, Flags { swap: false, ..f }, out);
            }
            _ => return false,
        }
        true
    }

    fn text(&self, text: &str, f: Flags, out: &mut Vec<u8>) {
        let fill = f.width.unwrap_or(0).saturating_sub(text.len());
        if f.pad != Some(b'-') {
            out.resize(out.len() + fill, if f.pad == Some(b'0') { b'0' } else { b' ' });
        }
        out.extend_from_slice(text.as_bytes());
    }

    fn name(&self, name: &str, f: Flags, out: &mut Vec<u8>) {
        match f.upper || f.swap {
            true => self.text(&name.to_ascii_uppercase(), f, out),
            false => self.text(name, f, out),
        }
    }

    fn nested(&mut self, format: &str, f: Flags, out: &mut Vec<u8>) {
        if self.depth > 2 {
            return;
        }
        self.depth += 1;
        let mut inner = Vec::new();
        self.run(format.as_bytes(), &mut inner);
        self.depth -= 1;
        if f.upper {
            inner.make_ascii_uppercase();
        }
        self.text(&String::from_utf8_lossy(&inner), f, out);
    }

    /// Digits from the left: `%3N` is milliseconds.
    fn nanos(&self, f: Flags, out: &mut Vec<u8>) {
        let digits = format!("{:09}", self.at.nanos);
        let width = f.width.unwrap_or(9);
        let shown = &digits[..width.clamp(1, 9)];
        match f.pad {
            Some(b'-') => {
                let kept = shown.trim_end_matches('0');
                out.extend_from_slice(if kept.is_empty() { b"0" } else { kept.as_bytes() });
            }
            pad => {
                out.extend_from_slice(shown.as_bytes());
                let fill = width.saturating_sub(9);
                out.resize(out.len() + fill, if pad == Some(b'_') { b' ' } else { b'0' });
            }
        }
    }

    fn zone(&self, colons: usize, f: Flags, out: &mut Vec<u8>) {
        let offset = self.civil.offset;
        let sign = if offset < 0 { '-' } else { '+' };
        let n = offset.unsigned_abs();
        let (h, m, s) = (n / 3600, n / 60 % 60, n % 60);
        let digits = match colons {
            0 => format!("{h:02}{m:02}"),
            1 => format!("{h:02}:{m:02}"),
            2 => format!("{h:02}:{m:02}:{s:02}"),
            _ if s != 0 => format!("{h:02}:{m:02}:{s:02}"),
            _ if m != 0 => format!("{h:02}:{m:02}"),
            _ => format!("{h:02}"),
        };
        let width = f.width.unwrap_or(0).saturating_sub(1);
        match f.pad {
            Some(b'-' | b'_') => {
                let short = digits.strip_prefix('0').unwrap_or(&digits);
                let text = format!("{sign}{short}");
                let width = if f.pad == Some(b'_') { f.width.unwrap_or(0).max(digits.len() + 1) } else { 0 };
                out.extend_from_slice(format!("{text:>width$}").as_bytes());
            }
            _ => out.extend_from_slice(format!("{sign}{digits:0>width$}").as_bytes()),
        }
    }

    /// ISO 8601 year and week.
    fn iso_week(&self) -> (i64, u32) {
        let t = self.civil;
        let monday_based = i64::from((t.weekday + 6) % 7);
        let day = days(t.year, t.month.into(), t.day.into());
        let thursday = day - monday_based + 3;
        let (year, _, _) = super::date(thursday);
        (year, ((thursday - days(year, 1, 1)) / 7 + 1) as u32)
    }
}

fn year(year: i64, f: Flags, out: &mut Vec<u8>) {
    if f.pad == Some(b'+') && year > 9999 {
        out.push(b'+');
    }
    let width = if f.pad == Some(b'+') { f.width } else { f.width.or(Some(4)) };
    number(
        year,
        width.unwrap_or(4),
        b'0',
        Flags { width: None, pad: f.pad.filter(|p| *p != b'+'), ..f },
        out,
    );
}

fn number(n: i64, width: usize, pad: u8, f: Flags, out: &mut Vec<u8>) {
    let width = f.width.unwrap_or(width);
    let mut digits = Vec::new();
    push_int(n.unsigned_abs(), &mut digits);
    let pad = match f.pad {
        Some(b'-') => {
            if n < 0 {
                out.push(b'-');
            }
            return out.extend_from_slice(&digits);
        }
        Some(b'_') => b' ',
        Some(_) => b'0',
        None => pad,
    };
    let fill = width.saturating_sub(digits.len() + usize::from(n < 0));
    if n < 0 && pad == b'0' {
        out.push(b'-');
    }
    out.resize(out.len() + fill, pad);
    if n < 0 && pad == b' ' {
        out.push(b'-');
    }
    out.extend_from_slice(&digits);
}
