//! The dates of `date -d`: gnulib's `parse_datetime`. Its grammar is followed with its odd corners: a signed number
//! after a time is a zone (`10:30 +1 day` is one hour east, and a day later), a lone letter is a military zone.

use super::{Civil, Moment, Zone, days};

/// Parses a date relative to `now`; `None` is GNU's "invalid date".
pub fn parse(text: &[u8], now: Moment, zone: &Zone) -> Option<Moment> {
    parse_zoned(text, now, zone).map(|p| p.0)
}

/// Like [`parse`], with the zone of a leading `TZ="…"`.
pub fn parse_zoned(text: &[u8], now: Moment, zone: &Zone) -> Option<(Moment, Option<Zone>)> {
    let mut text = text;
    while let Some(rest) = text.strip_prefix(b" ").or_else(|| text.strip_prefix(b"\t")) {
        text = rest;
    }
    let mut own = None;
    if let Some(rest) = text.strip_prefix(b"TZ=\"") {
        let mut name = Vec::new();
        let mut at = 0;
        loop {
            match rest.get(at)? {
                b'"' => break,
                b'\\' => {
                    at += 1;
                    name.push(*rest.get(at)?);
                }
                b => name.push(*b),
            }
            at += 1;
        }
        own = Some(Zone::named(Some(&name)));
        text = &rest[at + 1..];
    }
    let zone = own.as_ref().unwrap_or(zone);
    let tokens = tokens(text, now, zone)?;
    let moment = Parser::new(now, zone).run(&tokens, zone)?;
    Some((moment, own))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Year,
    Month,
    /// So many days.
    Days(i64),
    /// So many seconds.
    Seconds(i64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(Number),
    Month(i64),
    Day(i64),
    Unit(Unit),
    Ordinal(i64),
    Ago(i64),
    /// `tomorrow`, `yesterday`, `today`.
    Shift(i64),
    Meridian(bool),
    /// Seconds east.
    Zone(i64),
    /// A zone that is summer time by name.
    DayZone(i64),
    LocalZone(bool),
    Dst,
    /// The letter T.
    T,
    Char(u8),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Number {
    /// Written with a sign.
    signed: bool,
    negative: bool,
    value: i64,
    digits: usize,
    /// Nanoseconds of its fraction.
    nanos: Option<u32>,
}

const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
const DAYS: [&str; 7] = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];
const ORDINALS: [(&str, i64); 14] = [
    ("LAST", -1),
    ("THIS", 0),
    ("NEXT", 1),
    ("FIRST", 1),
    ("THIRD", 3),
    ("FOURTH", 4),
    ("FIFTH", 5),
    ("SIXTH", 6),
    ("SEVENTH", 7),
    ("EIGHTH", 8),
    ("NINTH", 9),
    ("TENTH", 10),
    ("ELEVENTH", 11),
    ("TWELFTH", 12),
];
const UNITS: [(&str, Unit); 10] = [
    ("YEAR", Unit::Year),
    ("MONTH", Unit::Month),
    ("FORTNIGHT", Unit::Days(14)),
    ("WEEK", Unit::Days(7)),
    ("DAY", Unit::Days(1)),
    ("HOUR", Unit::Seconds(3600)),
    ("MINUTE", Unit::Seconds(60)),
    ("MIN", Unit::Seconds(60)),
    ("SECOND", Unit::Seconds(1)),
    ("SEC", Unit::Seconds(1)),
];
/// Hours times ten, and whether it is summer time by name.
const ZONES: [(&str, i64, bool); 48] = [
    ("GMT", 0, false),
    ("UT", 0, false),
    ("UTC", 0, false),
    ("WET", 0, false),
    ("WEST", 0, true),
    ("BST", 0, true),
    ("ART", -30, false),
    ("BRT", -30, false),
    ("BRST", -30, true),
    ("NST", -35, false),
    ("NDT", -35, true),
    ("AST", -40, false),
    ("ADT", -40, true),
    ("CLT", -40, false),
    ("CLST", -40, true),
    ("EST", -50, false),
    ("EDT", -50, true),
    ("CST", -60, false),
    ("CDT", -60, true),
    ("MST", -70, false),
    ("MDT", -70, true),
    ("PST", -80, false),
    ("PDT", -80, true),
    ("AKST", -90, false),
    ("AKDT", -90, true),
    ("HST", -100, false),
    ("HAST", -100, false),
    ("HADT", -100, true),
    ("SST", -120, false),
    ("WAT", 10, false),
    ("CET", 10, false),
    ("CEST", 10, true),
    ("MET", 10, false),
    ("MEZ", 10, false),
    ("MEST", 10, true),
    ("MESZ", 10, true),
    ("EET", 20, false),
    ("EEST", 20, true),
    ("CAT", 20, false),
    ("SAST", 20, false),
    ("EAT", 30, false),
    ("MSK", 30, false),
    ("MSD", 30, true),
    ("IST", 55, false),
    ("SGT", 80, false),
    ("KST", 90, false),
    ("JST", 90, false),
    ("GST", 100, false),
];

/// How many words and numbers a date may have.
const MAX_TOKENS: usize = 200;

fn tokens(text: &[u8], now: Moment, zone: &Zone) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let digit = |n: usize| text.get(n).is_some_and(u8::is_ascii_digit);
    while let Some(&b) = text.get(at) {
        if tokens.len() > MAX_TOKENS || b == 0 {
            return None;
        }
        if b.is_ascii_whitespace() || b == 0x0b {
            at += 1;
        } else if b.is_ascii_digit() || b == b'-' || b == b'+' {
            let signed = !b.is_ascii_digit();
            if signed {
                at += 1;
                while text.get(at).is_some_and(u8::is_ascii_whitespace) {
                    at += 1;
                }
                if !digit(at) {
                    // A sign on its own is skipped.
                    continue;
                }
            }
            let start = at;
            let mut value = 0i64;
            while digit(at) {
                value = value.checked_mul(10)?.checked_add(i64::from(text[at] - b'0'))?;
                at += 1;
            }
            let digits = at - start;
            let mut nanos = None;
            if matches!(text.get(at), Some(b'.' | b',')) && digit(at + 1) {
                at += 1;
                let (mut n, mut scale) = (0u32, 100_000_000u32);
                while digit(at) {
                    n += u32::from(text[at] - b'0') * scale;
                    scale /= 10;
                    at += 1;
                }
                nanos = Some(n);
            }
            let negative = b == b'-';
            tokens.push(Token::Number(Number {
                signed,
                negative,
                value: if negative { -value } else { value },
                digits,
                nanos,
            }));
        } else if b.is_ascii_alphabetic() {
            let start = at;
            while text.get(at).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'.') {
                at += 1;
            }
            let word = String::from_utf8_lossy(&text[start..at]).to_ascii_uppercase();
            tokens.push(lookup(&word, now, zone)?);
        } else if b == b'(' {
            let mut depth = 0;
            loop {
                match text.get(at)? {
                    b'(' => depth += 1,
                    b')' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        } else {
            tokens.push(Token::Char(b));
            at += 1;
        }
    }
    Some(tokens)
}

fn lookup(word: &str, now: Moment, zone: &Zone) -> Option<Token> {
    if matches!(word, "AM" | "A.M." | "PM" | "P.M.") {
        return Some(Token::Meridian(word.starts_with('P')));
    }
    let short = word.len() == 3 || word.len() == 4 && word.ends_with('.');
    let is = |name: &str| if short { name[..3] == word[..3] } else { name == word };
    if let Some(m) = MONTHS.iter().position(|n| is(n)) {
        return Some(Token::Month(m as i64 + 1));
    }
    if let Some(d) = DAYS.iter().position(|n| is(n)) {
        return Some(Token::Day(d as i64));
    }
    match word {
        "SEPT" => return Some(Token::Month(9)),
        "TUES" => return Some(Token::Day(2)),
        "WEDNES" => return Some(Token::Day(3)),
        "THUR" | "THURS" => return Some(Token::Day(4)),
        "DST" => return Some(Token::Dst),
        _ => {}
    }
    if let Some(z) = named_zone(word, now, zone) {
        return Some(z);
    }
    let unit = |w: &str| UNITS.iter().find(|u| u.0 == w).map(|u| Token::Unit(u.1));
    if let Some(u) = unit(word).or_else(|| word.strip_suffix('S').and_then(unit)) {
        return Some(u);
    }
    match word {
        "TOMORROW" => return Some(Token::Shift(1)),
        "YESTERDAY" => return Some(Token::Shift(-1)),
        "TODAY" | "NOW" => return Some(Token::Shift(0)),
        "AGO" => return Some(Token::Ago(-1)),
        "HENCE" => return Some(Token::Ago(1)),
        _ => {}
    }
    if let Some(o) = ORDINALS.iter().find(|o| o.0 == word) {
        return Some(Token::Ordinal(o.1));
    }
    if let [letter] = word.as_bytes() {
        let n = i64::from(*letter);
        let hours = match letter {
            b'T' => return Some(Token::T),
            b'A'..=b'I' => n - 64,
            b'K'..=b'M' => n - 65,
            b'N'..=b'Y' => -(n - 77),
            b'Z' => 0,
            _ => return None,
        };
        return Some(Token::Zone(hours * 3600));
    }
    if word.contains('.') {
        return named_zone(&word.replace('.', ""), now, zone);
    }
    None
}

fn named_zone(word: &str, now: Moment, zone: &Zone) -> Option<Token> {
    let known = |w: &str| ZONES.iter().find(|z| z.0 == w);
    if let Some(z) = known(word).filter(|_| matches!(word, "GMT" | "UT" | "UTC")) {
        return Some(Token::Zone(z.1 * 360));
    }
    // The abbreviations that the zone itself uses, now and half a year from now.
    for at in [now.seconds, now.seconds + 182 * 86_400] {
        let (_, dst, name) = zone.at(at);
        if name == word {
            return Some(Token::LocalZone(dst));
        }
    }
    let z = known(word)?;
    Some(if z.2 { Token::DayZone(z.1 * 360) } else { Token::Zone(z.1 * 360) })
}

#[derive(Debug, Default, Clone, Copy)]
struct Relative {
    year: i64,
    month: i64,
    day: i64,
    seconds: i64,
    nanos: i64,
}

struct Parser {
    now: Moment,
    year: i64,
    year_digits: usize,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: u32,
    meridian: Option<bool>,
    relative: Relative,
    offset: i64,
    day_ordinal: i64,
    day_number: i64,
    dates: u32,
    days: u32,
    times: u32,
    local_zones: u32,
    zones: u32,
    dsts: u32,
    rels: u32,
}

impl Parser {
    fn new(now: Moment, zone: &Zone) -> Parser {
        let c = Civil::new(now.seconds, zone);
        Parser {
            now,
            year: c.year,
            year_digits: 0,
            month: c.month.into(),
            day: c.day.into(),
            hour: c.hour.into(),
            minute: c.minute.into(),
            second: c.second.into(),
            nanos: now.nanos,
            meridian: None,
            relative: Relative::default(),
            offset: 0,
            day_ordinal: 0,
            day_number: 0,
            dates: 0,
            days: 0,
            times: 0,
            local_zones: 0,
            zones: 0,
            dsts: 0,
            rels: 0,
        }
    }

    fn run(mut self, t: &[Token], zone: &Zone) -> Option<Moment> {
        if let [Token::Char(b'@'), Token::Number(n)] = t {
            let nanos = n.nanos.unwrap_or(0);
            if n.negative && nanos > 0 {
                return Some(Moment { seconds: n.value - 1, nanos: 1_000_000_000 - nanos });
            }
            return Some(Moment { seconds: n.value, nanos });
        }
        let mut at = 0;
        while at < t.len() {
            at += self.item(&t[at..])?;
        }
        self.finish(zone)
    }

    /// One item of the grammar; how many tokens it has.
    fn item(&mut self, t: &[Token]) -> Option<usize> {
        use Token as T;
        let signed = |n: usize| match t.get(n) {
            Some(T::Number(x)) if x.signed && x.nanos.is_none() => Some(*x),
            _ => None,
        };
        let plain = |n: usize| match t.get(n) {
            Some(T::Number(x)) if !x.signed && x.nanos.is_none() => Some(*x),
            _ => None,
        };
        match *t.first()? {
            T::Shift(n) => {
                self.rels += 1;
                self.relative.day += n;
                Some(1)
            }
            T::Day(d) => {
                self.days += 1;
                (self.day_ordinal, self.day_number) = (0, d);
                Some(1 + usize::from(t.get(1) == Some(&T::Char(b','))))
            }
            T::Ordinal(n) => match *t.get(1)? {
                T::Day(d) => {
                    self.days += 1;
                    (self.day_ordinal, self.day_number) = (n, d);
                    Some(2)
                }
                T::Unit(u) => self.relative_unit(u, n, 0, 2, t),
                _ => None,
            },
            T::Unit(u) => self.relative_unit(u, 1, 0, 1, t),
            T::Month(m) => {
                self.dates += 1;
                self.month = m;
                if let (Some(d), Some(y)) = (signed(1), signed(2)) {
                    self.day = -d.value;
                    self.set_year(y);
                    return Some(3);
                }
                self.day = plain(1)?.value;
                if t.get(2) == Some(&T::Char(b',')) {
                    self.set_year(plain(3)?);
                    return Some(4);
                }
                Some(2)
            }
            T::Zone(seconds) => self.zone(seconds, t),
            T::T => self.zone(-7 * 3600, t),
            T::DayZone(seconds) => {
                self.zones += 1;
                self.offset = seconds + 3600;
                Some(1)
            }
            T::LocalZone(_) => {
                self.local_zones += 1;
                let dst = t.get(1) == Some(&T::Dst);
                self.dsts += u32::from(dst);
                Some(1 + usize::from(dst))
            }
            T::Dst => {
                self.local_zones += 1;
                self.dsts += 1;
                Some(1)
            }
            T::Number(n) if n.signed => match *t.get(1)? {
                T::Unit(u) => self.relative_unit(u, n.value, signed_nanos(&n), 2, t),
                _ => None,
            },
            T::Number(n) => self.number(n, t, signed, plain),
            T::Ago(_) | T::Meridian(_) | T::Char(_) => None,
        }
    }

    fn number(
        &mut self,
        n: Number,
        t: &[Token],
        signed: impl Fn(usize) -> Option<Number>,
        plain: impl Fn(usize) -> Option<Number>,
    ) -> Option<usize> {
        use Token as T;
        if n.nanos.is_some() {
            return match *t.get(1)? {
                T::Unit(u @ Unit::Seconds(1)) => self.relative_unit(u, n.value, signed_nanos(&n), 2, t),
                _ => None,
            };
        }
        match t.get(1) {
            Some(T::Char(b':')) => {
                let used = self.clock(n, t)?;
                Some(used)
            }
            Some(T::Meridian(pm)) => {
                self.times += 1;
                self.set_time(n.value, 0, 0, 0, Some(*pm));
                Some(2)
            }
            Some(T::Char(b'/')) => {
                self.dates += 1;
                let second = plain(2)?;
                if t.get(3) != Some(&T::Char(b'/')) {
                    (self.month, self.day) = (n.value, second.value);
                    return Some(3);
                }
                let third = plain(4)?;
                if n.digits >= 4 {
                    self.set_year(n);
                    (self.month, self.day) = (second.value, third.value);
                } else {
                    (self.month, self.day) = (n.value, second.value);
                    self.set_year(third);
                }
                Some(5)
            }
            Some(T::Month(m)) => {
                self.dates += 1;
                (self.day, self.month) = (n.value, *m);
                if let Some(y) = signed(2) {
                    self.set_year(Number { value: -y.value, ..y });
                    return Some(3);
                }
                if let Some(y) = plain(2) {
                    self.set_year(y);
                    return Some(3);
                }
                Some(2)
            }
            Some(T::Day(d)) => {
                self.days += 1;
                (self.day_ordinal, self.day_number) = (n.value, *d);
                Some(2)
            }
            Some(T::Unit(u)) => self.relative_unit(*u, n.value, 0, 2, t),
            Some(T::Number(m))
                if m.negative && signed(1).is_some() && signed(2).is_some_and(|d| d.negative) =>
            {
                self.dates += 1;
                self.set_year(n);
                self.month = -m.value;
                self.day = -signed(2)?.value;
                // `2024-01-31T10:30`
                let time = t.get(3) == Some(&T::T)
                    && plain(4).is_some()
                    && matches!(t.get(5), Some(T::Char(b':')) | None | Some(T::Number(_)));
                if time && t.get(5) != Some(&T::Char(b':')) {
                    // `2024-01-31T10` and `2024-01-31T10+01`.
                    let h = plain(4)?;
                    self.times += 1;
                    self.set_time(h.value, 0, 0, 0, None);
                    if let Some(z) = signed(5) {
                        let used = self.offset_after(z, &t[5..])?;
                        return Some(5 + used);
                    }
                    return Some(5);
                }
                Some(if time { 4 } else { 3 })
            }
            _ => {
                self.bare(n);
                Some(1)
            }
        }
    }

    /// A number that nothing else explains: a year, a date in digits, or a time.
    fn bare(&mut self, n: Number) {
        if self.dates > 0 && self.year_digits == 0 && self.rels == 0 && (self.times > 0 || n.digits > 2) {
            self.set_year(n);
        } else if n.digits > 4 {
            self.dates += 1;
            self.day = n.value % 100;
            self.month = n.value / 100 % 100;
            self.year = n.value / 10_000;
            self.year_digits = n.digits - 4;
        } else {
            self.times += 1;
            let (h, m) = if n.digits <= 2 { (n.value, 0) } else { (n.value / 100, n.value % 100) };
            self.set_time(h, m, 0, 0, None);
        }
    }

    /// `H:M[:S[.F]]` with a meridian or an offset.
    fn clock(&mut self, hour: Number, t: &[Token]) -> Option<usize> {
        use Token as T;
        self.times += 1;
        let Some(T::Number(minute)) = t.get(2).copied().filter(|x| matches!(x, T::Number(n) if !n.signed))
        else {
            return None;
        };
        let (mut used, mut second, mut nanos) = (3, 0, 0);
        if t.get(3) == Some(&T::Char(b':')) {
            let Some(T::Number(s)) = t.get(4) else { return None };
            if s.signed {
                return None;
            }
            (second, nanos, used) = (s.value, s.nanos.unwrap_or(0), 5);
        }
        if minute.nanos.is_some() {
            return None;
        }
        let mut meridian = None;
        match t.get(used) {
            Some(T::Meridian(pm)) => {
                meridian = Some(*pm);
                used += 1;
            }
            Some(T::Number(z)) if z.signed => used += self.offset_after(*z, &t[used..])?,
            _ => {}
        }
        self.set_time(hour.value, minute.value, second, nanos, meridian);
        Some(used)
    }

    /// `+02`, `+0200`, `+02:00` after a time; how many tokens.
    fn offset_after(&mut self, z: Number, t: &[Token]) -> Option<usize> {
        self.zones += 1;
        let (seconds, used) = offset(z, t)?;
        self.offset = seconds;
        Some(used)
    }

    fn zone(&mut self, seconds: i64, t: &[Token]) -> Option<usize> {
        self.zones += 1;
        self.offset = seconds;
        match t.get(1) {
            Some(Token::Dst) => {
                self.offset += 3600;
                Some(2)
            }
            // `UTC+3`, but not `UTC +3 days`.
            Some(Token::Number(z)) if z.signed && !matches!(t.get(2), Some(Token::Unit(_))) => {
                let (more, used) = offset(*z, &t[1..])?;
                self.offset += more;
                Some(1 + used)
            }
            _ => Some(1),
        }
    }

    fn relative_unit(&mut self, unit: Unit, n: i64, nanos: i64, used: usize, t: &[Token]) -> Option<usize> {
        self.rels += 1;
        let (sign, more) = match t.get(used) {
            Some(Token::Ago(sign)) => (*sign, 1),
            _ => (1, 0),
        };
        let n = n.checked_mul(sign)?;
        let r = &mut self.relative;
        match unit {
            Unit::Year => r.year = r.year.checked_add(n)?,
            Unit::Month => r.month = r.month.checked_add(n)?,
            Unit::Days(d) => r.day = r.day.checked_add(n.checked_mul(d)?)?,
            Unit::Seconds(s) => {
                r.seconds = r.seconds.checked_add(n.checked_mul(s)?)?;
                r.nanos += nanos * sign;
            }
        }
        Some(used + more)
    }

    fn set_year(&mut self, n: Number) {
        self.year = n.value.abs();
        self.year_digits = n.digits;
    }

    fn set_time(&mut self, h: i64, m: i64, s: i64, nanos: u32, meridian: Option<bool>) {
        (self.hour, self.minute, self.second, self.nanos, self.meridian) = (h, m, s, nanos, meridian);
    }

    fn finish(mut self, local: &Zone) -> Option<Moment> {
        let zones = self.local_zones + self.zones;
        if [self.times, self.dates, self.days, self.dsts, zones].iter().any(|n| *n > 1) {
            return None;
        }
        if self.year_digits == 2 {
            self.year += if self.year < 69 { 2000 } else { 1900 };
        }
        if self.times > 0 || self.rels > 0 && self.dates == 0 && self.days == 0 {
            self.hour = match self.meridian {
                None if (0..24).contains(&self.hour) => self.hour,
                Some(pm) if (1..=12).contains(&self.hour) => self.hour % 12 + if pm { 12 } else { 0 },
                _ => return None,
            };
        } else {
            (self.hour, self.minute, self.second, self.nanos) = (0, 0, 0, 0);
        }
        let own = Zone::fixed(self.offset as i32, "");
        let zone = if self.zones > 0 { &own } else { local };
        // The C library's mktime normalises; what it would change was no date.
        let month_days = days(self.year, self.month + 1, 1) - days(self.year, self.month, 1);
        let valid = (1..=12).contains(&self.month)
            && (1..=month_days).contains(&self.day)
            && (0..60).contains(&self.minute)
            && (0..60).contains(&self.second)
            && self.year.abs() < 1 << 40;
        if !valid {
            return None;
        }
        let in_day = self.hour * 3600 + self.minute * 60 + self.second;
        let mut day = days(self.year, self.month, self.day);
        let unchanged = self.times + self.dates + self.days == 0 && zones == 0;
        let mut seconds = match unchanged {
            // The fields are those of now, so that an hour that clocks show twice stays what it was.
            true => self.now.seconds,
            false => zone.resolve(day * 86_400 + in_day)?,
        };
        if self.days > 0 && self.dates == 0 {
            let today = (day + 4).rem_euclid(7);
            let weeks = self.day_ordinal - i64::from(self.day_ordinal > 0 && today != self.day_number);
            day += (self.day_number - today).rem_euclid(7) + weeks.checked_mul(7)?;
            seconds = zone.resolve_any(day.checked_mul(86_400)? + in_day);
        }
        let r = self.relative;
        if r.year != 0 || r.month != 0 || r.day != 0 {
            let (y, m, d) = super::date(day);
            let year = y.checked_add(r.year)?;
            let month = i64::from(m).checked_add(r.month)?;
            if year.abs() > 1 << 40 || month.abs() > 1 << 40 {
                return None;
            }
            let day = days(year, month, d.into()).checked_add(r.day)?;
            seconds = zone.resolve_any(day.checked_mul(86_400)?.checked_add(in_day)?);
        }
        let nanos = i64::from(self.nanos) + r.nanos;
        let seconds = seconds.checked_add(r.seconds)?.checked_add(nanos.div_euclid(1_000_000_000))?;
        Some(Moment { seconds, nanos: nanos.rem_euclid(1_000_000_000) as u32 })
    }
}

fn signed_nanos(n: &Number) -> i64 {
    let nanos = i64::from(n.nanos.unwrap_or(0));
    if n.negative { -nanos } else { nanos }
}

/// Seconds of an offset, and how many tokens it has.
fn offset(z: Number, t: &[Token]) -> Option<(i64, usize)> {
    let value = z.value.abs();
    let mut used = 1;
    let minutes = match (t.get(1), t.get(2)) {
        (Some(Token::Char(b':')), Some(Token::Number(m))) if !m.signed => {
            used = 3;
            value * 60 + m.value
        }
        _ if z.digits <= 2 => value * 60,
        _ => value / 100 * 60 + value % 100,
    };
    if minutes > 24 * 60 {
        return None;
    }
    Some((if z.negative { -minutes } else { minutes } * 60, used))
}
