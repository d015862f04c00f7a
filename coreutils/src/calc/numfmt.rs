//! `numfmt`: numbers with unit suffixes, read and written.

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `numfmt`
pub struct Numfmt;

static SPEC: Spec = Spec {
    name: "numfmt",
    about: "Reformat NUMBER(s), or the numbers from standard input if none are specified.",
    synopsis: &["[OPTION]... [NUMBER]..."],
    options: &[
        Opt::long("debug", "print warnings about invalid input"),
        Opt::new('d', "delimiter", "use X instead of whitespace for field delimiter").value("X"),
        Opt::long("field", "replace the numbers in these input fields (default=1); see FIELDS below").value("FIELDS"),
        Opt::long("format", "use printf style floating-point FORMAT; see FORMAT below for details").value("FORMAT"),
        Opt::long("from", "auto-scale input numbers to UNITs; default is 'none'; see UNIT below").value("UNIT"),
        Opt::long("from-unit", "specify the input unit size (instead of the default 1)").value("N"),
        Opt::long("grouping", "use locale-defined grouping of digits, e.g. 1,000,000 (which means it has no effect in the C/POSIX locale)"),
        Opt::long("header", "print (without converting) the first N header lines; N defaults to 1 if not specified").optional("N"),
        Opt::long("invalid", "failure mode for invalid numbers: MODE can be: abort (default), fail, warn, ignore").value("MODE"),
        Opt::long("padding", "pad the output to N characters; positive N will right-align; negative N will left-align; padding is ignored if the output is wider than N; the default is to automatically pad if a whitespace is found").value("N"),
        Opt::long("round", "use METHOD for rounding when scaling; METHOD can be: up, down, from-zero (default), towards-zero, nearest").value("METHOD"),
        Opt::long("suffix", "add SUFFIX to output numbers, and accept optional SUFFIX in input numbers").value("SUFFIX"),
        Opt::long("to", "auto-scale output numbers to UNITs; see UNIT below").value("UNIT"),
        Opt::long("to-unit", "the output unit size (instead of the default 1)").value("N"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "UNIT options:\n  none       no auto-scaling is done; suffixes will trigger an error\n  auto       accept optional single/two letter suffix: 1K = 1000, 1Ki = 1024,\n             1M = 1000000, 1Mi = 1048576\n  si         accept optional single letter suffix: 1K = 1000, 1M = 1000000\n  iec        accept optional single letter suffix: 1K = 1024, 1M = 1048576\n  iec-i      accept optional two-letter suffix: 1Ki = 1024, 1Mi = 1048576\n\nFIELDS supports cut(1) style field ranges:\n  N    N'th field, counted from 1\n  N-   from N'th field, to end of line\n  N-M  from N'th to M'th field (inclusive)\n  -M   from first to M'th field (inclusive)\n  -    all fields\n\nExit status is 0 if all input numbers were successfully converted.\nBy default, numfmt will stop at the first conversion error with exit status 2.",
    version: "numfmt (GNU coreutils) 9.1",
    examples: &[Example { script: "numfmt --to=iec 1048576", output: "1.0M\n" }],
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    None,
    Auto,
    Si,
    Iec,
    IecI,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Invalid {
    Abort,
    Fail,
    Warn,
    Ignore,
}

#[derive(Clone, Copy)]
enum Round {
    Up,
    Down,
    FromZero,
    TowardsZero,
    Nearest,
}

struct Job {
    from: Unit,
    to: Unit,
    from_unit: f64,
    to_unit: f64,
    round: Round,
    padding: Option<i64>,
    suffix: Option<Bytes>,
    delimiter: Option<u8>,
    fields: Vec<(usize, usize)>,
    invalid: Invalid,
    line_end: u8,
    before: Vec<u8>,
    after: Vec<u8>,
    precision: Option<usize>,
    zero_pad: usize,
    failed: bool,
    aborted: bool,
}

const SUFFIXES: &[u8] = b"KMGTPEZY";

fn unit(text: &[u8], output: bool) -> Option<Unit> {
    Some(match text {
        b"none" => Unit::None,
        b"auto" if !output => Unit::Auto,
        b"si" => Unit::Si,
        b"iec" => Unit::Iec,
        b"iec-i" => Unit::IecI,
        _ => return None,
    })
}

/// `1024`, `1K`, `1Ki` as a unit size.
fn unit_size(text: &[u8]) -> Option<f64> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let n: f64 = if digits == 0 { 1.0 } else { std::str::from_utf8(&text[..digits]).ok()?.parse().ok()? };
    let scale = match &text[digits..] {
        [] => 1.0,
        [s] => 1000f64.powi(SUFFIXES.iter().position(|x| x == s)? as i32 + 1),
        [s, b'i'] => 1024f64.powi(SUFFIXES.iter().position(|x| x == s)? as i32 + 1),
        _ => return None,
    };
    (n > 0.0 && !text.is_empty()).then_some(n * scale)
}

fn fields(text: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut out = Vec::new();
    for piece in text.split(|b| matches!(b, b',' | b' ')) {
        let text = std::str::from_utf8(piece).ok()?;
        let number = |t: &str, default: usize| {
            if t.is_empty() { Some(default) } else { t.parse().ok().filter(|n| *n > 0) }
        };
        out.push(match text.split_once('-') {
            Some((a, b)) => (number(a, 1)?, number(b, usize::MAX)?),
            None => {
                let n = text.parse().ok().filter(|n| *n > 0)?;
                (n, n)
            }
        });
    }
    out.iter().all(|(a, b)| a <= b).then_some(out)
}

fn rounded(v: f64, method: Round) -> f64 {
    match method {
        Round::Up => v.ceil(),
        Round::Down => v.floor(),
        Round::FromZero => {
            if v < 0.0 {
                v.floor()
            } else {
                v.ceil()
            }
        }
        Round::TowardsZero => v.trunc(),
        Round::Nearest => v.round(),
    }
}

impl Program for Numfmt {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut job = Job {
            from: Unit::None,
            to: Unit::None,
            from_unit: 1.0,
            to_unit: 1.0,
            round: Round::FromZero,
            padding: None,
            suffix: None,
            delimiter: None,
            fields: vec![(1, 1)],
            invalid: Invalid::Abort,
            line_end: b'\n',
            before: vec![],
            after: vec![],
            precision: None,
            zero_pad: 0,
            failed: false,
            aborted: false,
        };
        let mut header = 0u64;
        for f in &parsed.options {
            let v = f.value.clone().unwrap_or_default();
            macro_rules! fail {
                ($help:expr, $($t:tt)*) => {{
                    process.error(format_args!($($t)*))?;
                    return if $help { cli::try_help(process, 1) } else { Ok(Status::FAILURE) };
                }};
            }
            match f.id {
                "from" | "to" => match unit(&v, f.id == "to") {
                    Some(u) if f.id == "to" => job.to = u,
                    Some(u) => job.from = u,
                    None => {
                        process.error(format_args!(
                            "invalid argument {} for ‘--{}’",
                            cli::quote(&v),
                            f.id
                        ))?;
                        let auto = if f.id == "from" { "  - ‘auto’\n" } else { "" };
                        let text = format!(
                            "Valid arguments are:\n  - ‘none’\n{auto}  - ‘si’\n  - ‘iec’\n  - ‘iec-i’\n"
                        );
                        process.write_error(text.as_bytes())?;
                        return cli::try_help(process, 1);
                    }
                },
                "from-unit" | "to-unit" => match unit_size(&v) {
                    Some(n) if f.id == "to-unit" => job.to_unit = n,
                    Some(n) => job.from_unit = n,
                    None => fail!(false, "invalid unit size: {}", cli::quote(&v)),
                },
                "round" => {
                    job.round = match &v[..] {
                        b"up" => Round::Up,
                        b"down" => Round::Down,
                        b"from-zero" => Round::FromZero,
                        b"towards-zero" => Round::TowardsZero,
                        b"nearest" => Round::Nearest,
                        _ => {
                            process
                                .error(format_args!("invalid argument {} for ‘--round’", cli::quote(&v)))?;
                            process.write_error("Valid arguments are:\n  - ‘up’\n  - ‘down’\n  - ‘from-zero’\n  - ‘towards-zero’\n  - ‘nearest’\n".as_bytes())?;
                            return cli::try_help(process, 1);
                        }
                    }
                }
                "padding" => {
                    match std::str::from_utf8(&v).ok().and_then(|v| v.parse::<i64>().ok()).filter(|n| *n != 0)
                    {
                        Some(n) => job.padding = Some(n.clamp(-65536, 65536)),
                        None => fail!(false, "invalid padding value {}", cli::quote(&v)),
                    }
                }
                "suffix" => job.suffix = Some(v),
                "delimiter" => match &v[..] {
                    [b] => job.delimiter = Some(*b),
                    [] => job.delimiter = Some(0),
                    _ => fail!(true, "the delimiter must be a single character"),
                },
                "field" => match fields(&v) {
                    Some(list) => job.fields = list,
                    None => fail!(true, "invalid field value {}", cli::quote(&v)),
                },
                "invalid" => {
                    job.invalid = match &v[..] {
                        b"abort" => Invalid::Abort,
                        b"fail" => Invalid::Fail,
                        b"warn" => Invalid::Warn,
                        b"ignore" => Invalid::Ignore,
                        _ => {
                            process
                                .error(format_args!("invalid argument {} for ‘--invalid’", cli::quote(&v)))?;
                            process.write_error(
                                "Valid arguments are:\n  - ‘abort’\n  - ‘fail’\n  - ‘warn’\n  - ‘ignore’\n"
                                    .as_bytes(),
                            )?;
                            return cli::try_help(process, 1);
                        }
                    }
                }
                "header" => match std::str::from_utf8(&v)
                    .ok()
                    .filter(|v| !v.is_empty())
                    .map_or(Some(1), |v| v.parse().ok())
                {
                    Some(n) if n > 0 => header = n,
                    _ => fail!(false, "invalid header value {}", cli::quote(&v)),
                },
                "format" => {
                    if let Err(text) = job.format(&v) {
                        fail!(false, "{text}");
                    }
                }
                "zero-terminated" => job.line_end = 0,
                _ => {}
            }
        }
        if parsed.has("grouping") && job.to != Unit::None {
            process.error(format_args!("grouping cannot be combined with --to"))?;
            return Ok(Status::FAILURE);
        }
        if parsed.operands.is_empty() {
            while let Some(line) = process.stdin.line(job.line_end)? {
                let line = line.bytes.to_vec();
                process.budget.step()?;
                if header > 0 {
                    header -= 1;
                    process.stdout.put(&line)?;
                } else {
                    job.line(process, &line)?;
                }
                if job.aborted {
                    return Ok(Status::USAGE);
                }
                process.stdout.byte(job.line_end)?;
            }
        } else {
            for o in &parsed.operands {
                job.line(process, o)?;
                if job.aborted {
                    return Ok(Status::USAGE);
                }
                process.stdout.byte(job.line_end)?;
            }
        }
        Ok(if job.failed { Status::USAGE } else { Status::OK })
    }
}

/// `1e+19`, as `%Lg` prints.
fn exponent(v: f64) -> String {
    let mut out = Vec::new();
    let number = sandshell_text::number::LongDouble::from_f64(v);
    number.format(b'g', None, false, &mut out);
    if number.is_negative() {
        out.insert(0, b'-');
    }
    String::from_utf8_lossy(&out).into_owned()
}

impl Job {
    /// `--format`: one `%f` with flags, width and precision, and text around it.
    fn format(&mut self, text: &[u8]) -> std::result::Result<(), String> {
        let shown = cli::quote(text);
        let mut i = 0;
        loop {
            match text.get(i) {
                None => return Err(format!("format {shown} has no % directive")),
                Some(b'%') if text.get(i + 1) == Some(&b'%') => {
                    self.before.push(b'%');
                    i += 2;
                }
                Some(b'%') => break,
                Some(b) => {
                    self.before.push(*b);
                    i += 1;
                }
            }
        }
        i += 1;
        let (mut left, mut zero) = (false, false);
        while let Some(b) = text.get(i) {
            match b {
                b'-' => left = true,
                b'0' => zero = true,
                b' ' | b'\'' => {}
                _ => break,
            }
            i += 1;
        }
        let mut width = 0i64;
        while let Some(b) = text.get(i).filter(|b| b.is_ascii_digit()) {
            width = (width * 10 + i64::from(b - b'0')).min(65536);
            i += 1;
        }
        if text.get(i) == Some(&b'.') {
            i += 1;
            let mut p = 0usize;
            while let Some(b) = text.get(i).filter(|b| b.is_ascii_digit()) {
                p = (p * 10 + usize::from(b - b'0')).min(4096);
                i += 1;
            }
            self.precision = Some(p);
        }
        match text.get(i) {
            None => return Err(format!("format {shown} ends in %")),
            Some(b'f') => i += 1,
            Some(_) => return Err(format!("invalid format {shown}, directive must be %[0]['][-][N][.][N]f")),
        }
        while let Some(b) = text.get(i) {
            if *b == b'%' {
                if text.get(i + 1) != Some(&b'%') {
                    return Err(format!("format {shown} has too many % directives"));
                }
                i += 1;
            }
            self.after.push(*b);
            i += 1;
        }
        if zero && !left {
            self.zero_pad = width as usize;
        } else if width > 0 {
            self.padding = Some(if left { -width } else { width });
        }
        Ok(())
    }

    fn line(&mut self, process: &mut Process, line: &[u8]) -> Result<()> {
        let mut rest = line;
        let mut n = 0;
        loop {
            n += 1;
            let end = match self.delimiter {
                Some(d) => memchr::memchr(d, rest).unwrap_or(rest.len()),
                None => {
                    let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
                    blanks + rest[blanks..].iter().take_while(|b| !matches!(b, b' ' | b'\t')).count()
                }
            };
            let field = &rest[..end];
            if self.fields.iter().any(|(a, b)| n >= *a && n <= *b) {
                self.number(process, field, n)?;
                if self.aborted {
                    return Ok(());
                }
            } else {
                process.stdout.put(field)?;
            }
            if end == rest.len() {
                return Ok(());
            }
            process.stdout.byte(self.delimiter.unwrap_or(b' '))?;
            rest = &rest[end + 1..];
        }
    }

    fn number(&mut self, process: &mut Process, field: &[u8], n: usize) -> Result<()> {
        let blanks = field.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let text = &field[blanks..];
        let automatic = self.padding.is_none() && self.delimiter.is_none() && (blanks > 0 || n > 1);
        let padding = if automatic { field.len() as i64 } else { self.padding.unwrap_or(0) };
        let own = self.suffix.as_deref().unwrap_or(b"");
        let bare = if own.is_empty() { text } else { text.strip_suffix(own).unwrap_or(text) };
        let converted = self.parse(bare).and_then(|(v, places)| self.show(v, places));
        match converted {
            Ok(shown) => {
                let mut out = shown;
                out.extend_from_slice(own);
                let pad = (padding.unsigned_abs() as usize).saturating_sub(out.len());
                process.stdout.put(&self.before)?;
                if padding < 0 {
                    out.resize(out.len() + pad, b' ');
                    process.stdout.put(&out)?;
                } else {
                    process.stdout.put(&vec![b' '; pad])?;
                    process.stdout.put(&out)?;
                }
                process.stdout.put(&self.after)
            }
            Err(text) => {
                if self.invalid != Invalid::Ignore {
                    process.stdout.flush()?;
                    process.error(format_args!("{text}"))?;
                }
                match self.invalid {
                    Invalid::Abort => {
                        self.aborted = true;
                        return Ok(());
                    }
                    Invalid::Fail => self.failed = true,
                    _ => {}
                }
                process.stdout.put(field)
            }
        }
    }

    /// The value and how many decimals it was written with.
    fn parse(&self, text: &[u8]) -> std::result::Result<(f64, usize), String> {
        let shown = cli::quote(text);
        let body = text.strip_prefix(b"-").unwrap_or(text);
        let whole = body.iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = whole;
        let mut places = 0;
        if body.get(whole) == Some(&b'.') {
            places = body[whole + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
            end = whole + 1 + places;
            if places == 0 {
                return Err(format!("invalid number: {shown}"));
            }
        }
        if whole == 0 {
            return Err(format!("invalid number: {shown}"));
        }
        if whole > 27 {
            return Err(format!("value too large to be converted: {shown}"));
        }
        let number: f64 = std::str::from_utf8(&body[..end]).ok().and_then(|t| t.parse().ok()).unwrap_or(0.0);
        let mut rest = &body[end..];
        let mut scale = 1.0;
        if let Some(&s) = rest.first() {
            let Some(power) = SUFFIXES.iter().position(|x| {
                *x == s || (s == b'k' && *x == b'K' && self.from != Unit::None && self.from != Unit::Iec)
            }) else {
                return Err(format!("invalid suffix in input: {shown}"));
            };
            let power = power as i32 + 1;
            if self.from == Unit::None {
                return Err(format!("rejecting suffix in input: {shown} (consider using --from)"));
            }
            rest = &rest[1..];
            let base: f64 = match self.from {
                Unit::Auto if rest.first() == Some(&b'i') => {
                    rest = &rest[1..];
                    1024.0
                }
                Unit::IecI => match rest.first() {
                    Some(b'i') => {
                        rest = &rest[1..];
                        1024.0
                    }
                    _ => return Err(format!("missing 'i' suffix in input: {shown} (e.g Ki/Mi/Gi)")),
                },
                Unit::Iec => 1024.0,
                _ => 1000.0,
            };
            scale = base.powi(power);
            if !rest.is_empty() {
                return Err(format!("invalid suffix in input {shown}: {}", cli::quote(rest)));
            }
            places = 0;
        }
        let v = number * scale * self.from_unit;
        Ok((if text.starts_with(b"-") { -v } else { v }, places))
    }

    fn show(&self, v: f64, places: usize) -> std::result::Result<Vec<u8>, String> {
        let mut v = v / self.to_unit;
        if self.to == Unit::None {
            let precision = self.precision.unwrap_or(if self.from_unit == 1.0 && self.to_unit == 1.0 {
                places
            } else {
                0
            });
            if v.abs() >= 1e18 {
                return Err(format!(
                    "value too large to be printed: '{}' (consider using --to)",
                    exponent(v)
                ));
            }
            let scale = 10f64.powi(precision as i32);
            v = rounded(v * scale, self.round) / scale;
            return Ok(self.zeros(format!("{v:.precision$}")));
        }
        let base: f64 = if self.to == Unit::Si { 1000.0 } else { 1024.0 };
        let mut power = 0usize;
        while v.abs() >= base {
            v /= base;
            power += 1;
        }
        let places = match self.precision {
            Some(p) => p.min(power * 3),
            None => usize::from(v.abs() < 10.0),
        };
        let scale = 10f64.powi(places as i32);
        v = rounded(v * scale, self.round) / scale;
        if v.abs() >= base {
            v /= base;
            power += 1;
        }
        let decimals = self.precision.unwrap_or(usize::from(v != 0.0 && v.abs() < 10.0 && power > 0));
        let mut text = format!("{v:.decimals$}");
        if power > 0 {
            let Some(s) = SUFFIXES.get(power - 1) else {
                return Err(format!(
                    "value too large to be printed: '{}' (cannot handle values > 999Y)",
                    exponent(v)
                ));
            };
            text.push(char::from(*s));
            if self.to == Unit::IecI {
                text.push('i');
            }
        }
        Ok(self.zeros(text))
    }

    fn zeros(&self, text: String) -> Vec<u8> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(d) => ("-", d),
            None => ("", text.as_str()),
        };
        let pad = self.zero_pad.saturating_sub(text.len());
        format!("{sign}{}{digits}", "0".repeat(pad)).into_bytes()
    }
}
