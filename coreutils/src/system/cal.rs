//! `cal` of util-linux: months and years as a calendar.

use crate::cli;
use sandshell_kernel::{Process, Program, Result, Status};
use sandshell_text::{
    date::{Civil, Moment, Zone, days},
    options::{Example, Opt, Order, Spec},
};

/// `cal`
pub struct Cal;

static SPEC: Spec = Spec {
    name: "cal",
    about: "Display a calendar, or some part of it.\nWithout any arguments, display the current month.",
    synopsis: &["[options] [[[day] month] year]"],
    options: &[
        Opt::new('1', "one", "show only a single month (default)"),
        Opt::new('3', "three", "show three months spanning the date"),
        Opt::new('n', "months", "show num months starting with date's month").value("num"),
        Opt::new('s', "sunday", "Sunday as first day of week"),
        Opt::new('m', "monday", "Monday as first day of week"),
        Opt::new('j', "julian", "use day-of-year for all calendars"),
        Opt::new('y', "year", "show the whole year"),
        Opt::new('Y', "twelve", "show the next twelve months"),
        Opt::short('h', ""),
        Opt::short('V', ""),
    ],
    notes: "",
    version: "cal from util-linux 2.38.1",
    examples: &[Example {
        script: "cal 2 2015",
        output: "   February 2015    \nSu Mo Tu We Th Fr Sa\n 1  2  3  4  5  6  7\n 8  9 10 11 12 13 14\n15 16 17 18 19 20 21\n22 23 24 25 26 27 28\n                    \n                    \n",
    }],
};

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

struct Style {
    monday: bool,
    julian: bool,
}

/// Days since the epoch of a date; from September 14, 1752 on in the Gregorian calendar, before in the Julian.
fn number(year: i64, month: i64, day: i64) -> i64 {
    if (year, month, day) >= (1752, 9, 14) {
        return days(year, month, day);
    }
    // The Julian calendar has a leap day every four years.
    let y = if month <= 2 { year - 1 } else { year };
    let m = (month + 9) % 12;
    365 * y + y.div_euclid(4) + (153 * m + 2) / 5 + day - 1 - 719_470
}

fn length(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year <= 1752 || year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn centered(text: &str, width: usize) -> String {
    let left = width.saturating_sub(text.len()) / 2;
    format!("{}{text}{}", " ".repeat(left), " ".repeat(width.saturating_sub(text.len() + left)))
}

/// The eight lines of a month: name, days of the week, six weeks.
fn month(year: i64, month: i64, with_year: bool, style: &Style) -> Vec<String> {
    let cell = if style.julian { 3 } else { 2 };
    let width = 7 * cell + 6;
    let name = MONTHS[(month - 1) as usize];
    let title = if with_year { format!("{name} {year}") } else { name.to_owned() };
    let mut names = ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"];
    if style.monday {
        names.rotate_left(1);
    }
    let head: Vec<String> = names.iter().map(|n| format!("{n:>cell$}")).collect();
    let mut lines = vec![centered(&title, width), head.join(" ")];
    let first = number(year, month, 1);
    let weekday = (first + 4 - i64::from(style.monday)).rem_euclid(7) as usize;
    let year_start = number(year, 1, 1);
    let mut cells = vec![" ".repeat(cell); weekday];
    for day in 1..=length(year, month) {
        if (year, month) == (1752, 9) && (3..=13).contains(&day) {
            continue;
        }
        let shown = if style.julian { number(year, month, day) - year_start + 1 } else { day };
        cells.push(format!("{shown:>cell$}"));
    }
    cells.resize(42, " ".repeat(cell));
    lines.extend(cells.chunks(7).map(|week| week.join(" ")));
    lines
}

fn usage(process: &mut Process, text: &str) -> Result<Status> {
    process.error(format_args!("{text}"))?;
    Ok(Status::FAILURE)
}

impl Program for Cal {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(parsed) => parsed,
            Err(status) => return Ok(status),
        };
        let zone = Zone::named(process.env.get("TZ").map(|v| &v[..]));
        let now = Civil::new(Moment::now().seconds, &zone);
        let mut style = Style { monday: false, julian: false };
        let (mut count, mut three, mut whole_year) = (1i64, false, false);
        for found in &parsed.options {
            match found.id {
                "one" => count = 1,
                "three" => three = true,
                "months" => {
                    let text =
                        String::from_utf8_lossy(found.value.as_deref().unwrap_or_default()).into_owned();
                    match text.parse::<i64>() {
                        Ok(n) if (1..=12_000).contains(&n) => count = n,
                        _ => {
                            return usage(
                                process,
                                &format!("invalid month argument: {}", cli::quote(text.as_bytes())),
                            );
                        }
                    }
                }
                "sunday" => style.monday = false,
                "monday" => style.monday = true,
                "julian" => style.julian = true,
                "year" => whole_year = true,
                "twelve" => count = 12,
                "h" => {
                    process.stdout.put(SPEC.help().as_bytes())?;
                    return Ok(Status::OK);
                }
                "V" => {
                    process.stdout.line(SPEC.version.as_bytes())?;
                    return Ok(Status::OK);
                }
                _ => {}
            }
        }
        let words: Vec<String> =
            parsed.operands.iter().map(|o| String::from_utf8_lossy(o).into_owned()).collect();
        let named = |text: &str| {
            let lower = text.to_ascii_lowercase();
            let at = MONTHS.iter().position(|m| {
                let m = m.to_ascii_lowercase();
                lower == m || lower == m[..3]
            });
            at.map(|i| i as i64 + 1).or_else(|| text.parse::<i64>().ok())
        };
        let (mut year, mut at) = (now.year, i64::from(now.month));
        let (month_text, year_text) = match &words[..] {
            [] => (None, None),
            [one] if one.parse::<i64>().is_err() && named(one).is_some() => (Some(one), None),
            [y] => {
                whole_year = true;
                (None, Some(y))
            }
            [m, y] | [_, m, y] => (Some(m), Some(y)),
            _ => {
                process.error(format_args!("bad usage"))?;
                return cli::try_help(process, 1);
            }
        };
        if let Some(text) = year_text {
            match text.parse::<i64>() {
                Ok(n) if (1..=2_147_483_646).contains(&n) => year = n,
                _ => return usage(process, "illegal year value: use positive integer"),
            }
        }
        if let Some(text) = month_text {
            match named(text) {
                Some(n) if (1..=12).contains(&n) => at = n,
                Some(_) => return usage(process, "illegal month value: use 1-12"),
                None => return usage(process, &format!("unknown month name: {text}")),
            }
        }
        if let [day, ..] = &words[..]
            && words.len() == 3
        {
            match day.parse::<i64>() {
                Ok(n) if (1..=length(year, at)).contains(&n) => {}
                _ => return usage(process, &format!("illegal day value: use 1-{}", length(year, at))),
            }
        }
        let columns = if style.julian && whole_year { 2 } else { 3 };
        let mut list = Vec::new();
        if whole_year {
            list.extend((1..=12).map(|m| (year, m)));
        } else {
            let start = year * 12 + at - 1 - i64::from(three);
            let n = if three { count.max(3) } else { count };
            list.extend((start..start + n).map(|k| (k.div_euclid(12), k.rem_euclid(12) + 1)));
        }
        let gap = if whole_year || list.len() > 1 { "   " } else { "" };
        let per_row = if list.len() == 1 { 1 } else { columns };
        if whole_year {
            let cell = if style.julian { 27 } else { 20 };
            let width = per_row * cell + (per_row - 1) * 3;
            process.stdout.line(centered(&year.to_string(), width).as_bytes())?;
            process.stdout.byte(b'\n')?;
        }
        for row in list.chunks(per_row) {
            process.budget.step()?;
            let months: Vec<Vec<String>> =
                row.iter().map(|(y, m)| month(*y, *m, !whole_year, &style)).collect();
            for i in 0..8 {
                let line: Vec<&str> = months.iter().map(|m| &m[i][..]).collect();
                process.stdout.line(line.join(gap).as_bytes())?;
            }
        }
        Ok(Status::OK)
    }
}
