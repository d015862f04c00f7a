//! `date`, as GNU coreutils 9.1: prints the time in a format. Nobody may set the clock here.

use crate::cli::{self, quote};
use sandshell_kernel::{Errno, Error, Process, Program, Result, Status, Time};
use sandshell_text::{
    date::{self, Dialect, Moment, Zone},
    options::{Example, Opt, Order, Spec},
};

/// `date`
pub struct Date;

static SPEC: Spec = Spec {
    name: "date",
    about: "Display date and time in the given FORMAT.\nWith -s, or with [MMDDhhmm[[CC]YY][.ss]], set the date and time.",
    synopsis: &["[OPTION]... [+FORMAT]", "[-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]"],
    options: &[
        Opt::new('d', "date", "display time described by STRING, not 'now'").value("STRING"),
        Opt::long("debug", "annotate the parsed date, and warn about questionable usage to stderr"),
        Opt::new('f', "file", "like --date; once for each line of DATEFILE").value("DATEFILE"),
        Opt::new('I', "iso-8601", "output date/time in ISO 8601 format.  FMT='date' for date only (the default), 'hours', 'minutes', 'seconds', or 'ns' for date and time to the indicated precision.").optional("FMT"),
        Opt::long("resolution", "output the available resolution of timestamps"),
        Opt::new('R', "rfc-email", "output date and time in RFC 5322 format.  Example: Mon, 14 Aug 2006 02:34:56 -0600"),
        Opt::long("rfc-822", ""),
        Opt::long("rfc-2822", ""),
        Opt::long("rfc-3339", "output date/time in RFC 3339 format.  FMT='date', 'seconds', or 'ns' for date and time to the indicated precision.").value("FMT"),
        Opt::new('r', "reference", "display the last modification time of FILE").value("FILE"),
        Opt::new('s', "set", "set time described by STRING").value("STRING"),
        Opt::new('u', "utc", "print or set Coordinated Universal Time (UTC)"),
        Opt::long("universal", ""),
        Opt::long("uct", ""),
    ],
    notes: "\
FORMAT controls the output.  Interpreted sequences are those of strftime(3), and:
  %N   nanoseconds (000000000..999999999)
  %q   quarter of year (1..4)
  %:z  +hh:mm numeric time zone, %::z with seconds, %:::z to the necessary precision

By default, date pads numeric fields with zeroes.  Flags after '%': - (no padding), _ (spaces),
0 (zeroes), + (zeroes and a sign), ^ (upper case), # (opposite case).
",
    version: "date (GNU coreutils) 9.1",
    examples: &[Example { script: "date -u -d '2024-02-28 + 2 days' '+%A %F'", output: "Friday 2024-03-01\n" }],
};

/// Which time to print.
enum When {
    Now,
    Text(Vec<u8>),
    Lines(Vec<u8>),
    Reference(Vec<u8>),
}

/// One of the words that an option knows, abbreviated or not.
fn choice<'c>(words: &[&'c str], given: &[u8]) -> Option<&'c str> {
    words.iter().find(|w| w.as_bytes() == given).copied().or_else(|| {
        let mut fits = words.iter().filter(|w| w.as_bytes().starts_with(given));
        fits.next().copied().filter(|_| fits.next().is_none())
    })
}

impl Program for Date {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(parsed) => parsed,
            Err(status) => return Ok(status),
        };
        let mut when = Vec::new();
        let mut format: Option<Vec<u8>> = None;
        let mut formats = 0;
        let (mut utc, mut set, mut debug) = (false, None, false);
        for found in &parsed.options {
            let value = found.value.clone().unwrap_or_default();
            let mut wanted = None;
            match found.id {
                "date" => when.push(When::Text(value.to_vec())),
                "debug" => debug = true,
                "file" => when.push(When::Lines(value.to_vec())),
                "reference" => when.push(When::Reference(value.to_vec())),
                "set" => set = Some(value),
                "utc" | "universal" | "uct" => utc = true,
                "resolution" => wanted = Some(""),
                "rfc-email" | "rfc-822" | "rfc-2822" => wanted = Some("%a, %d %b %Y %H:%M:%S %z"),
                id @ ("iso-8601" | "rfc-3339") => {
                    let iso = id == "iso-8601";
                    let words: &[&str] = match iso {
                        true => &["hours", "minutes", "date", "seconds", "ns"],
                        false => &["date", "seconds", "ns"],
                    };
                    let given = if found.value.is_some() { &value[..] } else { b"date" };
                    wanted = match (choice(words, given), iso) {
                        (Some("date"), _) => Some("%Y-%m-%d"),
                        (Some("hours"), _) => Some("%Y-%m-%dT%H%:z"),
                        (Some("minutes"), _) => Some("%Y-%m-%dT%H:%M%:z"),
                        (Some("seconds"), true) => Some("%Y-%m-%dT%H:%M:%S%:z"),
                        (Some("ns"), true) => Some("%Y-%m-%dT%H:%M:%S,%N%:z"),
                        (Some("seconds"), false) => Some("%Y-%m-%d %H:%M:%S%:z"),
                        (Some(_), _) => Some("%Y-%m-%d %H:%M:%S.%N%:z"),
                        (None, _) => {
                            process.error(format_args!(
                                "invalid argument {} for {}",
                                quote(&value),
                                quote(format!("--{id}").as_bytes())
                            ))?;
                            let list: String =
                                words.iter().map(|w| format!("  - {}\n", quote(w.as_bytes()))).collect();
                            process.write_error(format!("Valid arguments are:\n{list}").as_bytes())?;
                            return cli::try_help(process, 1);
                        }
                    };
                }
                _ => {}
            }
            if let Some(text) = wanted {
                formats += 1;
                format = Some(text.as_bytes().to_vec());
            }
        }
        if when.len() > 1 {
            process
                .error(format_args!("the options to specify dates for printing are mutually exclusive"))?;
            return cli::try_help(process, 1);
        }
        if set.is_some() && !when.is_empty() {
            process.error(format_args!("the options to print and set the time may not be used together"))?;
            return cli::try_help(process, 1);
        }
        let dated = !when.is_empty() || set.is_some();
        let mut operands = parsed.operands.iter();
        let mut new_time = None;
        if let Some(first) = operands.next() {
            match first.strip_prefix(b"+") {
                Some(text) => {
                    formats += 1;
                    format = Some(text.to_vec());
                }
                None if operands.len() > 0 => {}
                None if dated => {
                    process.error(format_args!("the argument {} lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'", quote(first)))?;
                    return cli::try_help(process, 1);
                }
                None => new_time = Some(first.clone()),
            }
        }
        if let Some(extra) = operands.next() {
            process.error(format_args!("extra operand {}", quote(extra)))?;
            return cli::try_help(process, 1);
        }
        if formats > 1 {
            process.error(format_args!("multiple output formats specified"))?;
            return Ok(Status::FAILURE);
        }
        if format.as_deref() == Some(b"") && parsed.has("resolution") {
            process.stdout.put(b"0.000000001\n")?;
            return Ok(Status::OK);
        }
        let zone = match utc {
            true => Zone::utc(),
            false => Zone::named(process.env.get("TZ").map(|v| &v[..])),
        };
        let format = format.unwrap_or_else(|| b"%a %b %e %H:%M:%S %Z %Y".to_vec());
        let mut printer = Printer { process, zone, format, debug };
        let now = Moment::now();
        if let Some(text) = new_time {
            return match valid_posix_time(&text) {
                true => printer.cannot_set(now),
                false => printer.invalid(&text),
            };
        }
        if let Some(text) = set {
            return match date::parse(&text, now, &printer.zone) {
                Some(at) => printer.cannot_set(at),
                None => printer.invalid(&text),
            };
        }
        match when.pop().unwrap_or(When::Now) {
            When::Now => printer.print(now)?,
            When::Text(text) => return printer.parsed(&text, now),
            When::Reference(name) => match printer.process.files.stat_cheap(&name, true) {
                Ok((s, _)) => printer.print(moment(s.mtime))?,
                Err(e) => {
                    printer.process.complain(format_args!("{}", cli::shell_quote(&name, false)), e)?;
                    return Ok(Status::FAILURE);
                }
            },
            When::Lines(name) => {
                let mut input = match printer.process.open_input(&name) {
                    Ok(input) => input,
                    Err(e @ Error::Os(_)) => {
                        printer.process.complain(format_args!("{}", cli::shell_quote(&name, false)), e)?;
                        return Ok(Status::FAILURE);
                    }
                    Err(stop) => return Err(stop),
                };
                let mut status = Status::OK;
                while let Some(line) = input.line(b'\n')? {
                    status = status.max(printer.parsed(line.bytes, now)?);
                }
                return Ok(status);
            }
        }
        Ok(Status::OK)
    }
}

fn moment(t: Time) -> Moment {
    Moment { seconds: t.seconds(), nanos: t.nanos() }
}

/// `MMDDhhmm[[CC]YY][.ss]`
fn valid_posix_time(text: &[u8]) -> bool {
    let (main, seconds) = match text.iter().position(|&b| b == b'.') {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let digits = |t: &[u8]| !t.is_empty() && t.iter().all(u8::is_ascii_digit);
    let two = |at: usize| u32::from(main[at] - b'0') * 10 + u32::from(main[at + 1] - b'0');
    digits(main)
        && matches!(main.len(), 8 | 10 | 12)
        && seconds.is_none_or(|s| digits(s) && s.len() == 2)
        && (1..=12).contains(&two(0))
        && (1..=31).contains(&two(2))
        && two(4) < 24
        && two(6) < 60
}

struct Printer<'p> {
    process: &'p mut Process,
    zone: Zone,
    format: Vec<u8>,
    debug: bool,
}

impl Printer<'_> {
    fn print(&mut self, at: Moment) -> Result<()> {
        let mut line = Vec::new();
        date::format(&self.format, at, &self.zone, Dialect::Gnu, &mut line);
        self.process.stdout.line(&line)
    }

    fn parsed(&mut self, text: &[u8], now: Moment) -> Result<Status> {
        // A text may name a zone of its own (TZ="…"), which is that of the text only.
        let Some(at) = date::parse(text, now, &self.zone) else { return self.invalid(text) };
        if self.debug {
            let mut shown = Vec::new();
            date::format(b"(Y-M-D) %Y-%m-%d %H:%M:%S", at, &self.zone, Dialect::Gnu, &mut shown);
            self.process.error(format_args!("final: {}.{:09} (epoch-seconds)", at.seconds, at.nanos))?;
            self.process.error(format_args!("final: {}", String::from_utf8_lossy(&shown)))?;
            self.process.error(format_args!("output format: {}", quote(&self.format.clone())))?;
        }
        self.print(at)?;
        Ok(Status::OK)
    }

    fn invalid(&mut self, text: &[u8]) -> Result<Status> {
        self.process.error(format_args!("invalid date {}", quote(text)))?;
        Ok(Status::FAILURE)
    }

    fn cannot_set(&mut self, at: Moment) -> Result<Status> {
        self.process.error(format_args!("cannot set date: {}", Errno::EPERM))?;
        self.print(at)?;
        Ok(Status::FAILURE)
    }
}
