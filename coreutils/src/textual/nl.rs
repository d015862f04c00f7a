//! `nl`: numbers lines, with logical pages.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Output, Process, Program, Result, Status};
use sandshell_text::{
    options::{Example, Opt, Order, Spec},
    regex::{Flags, Regex, Syntax},
};

/// `nl`
pub struct Nl;

static SPEC: Spec = Spec {
    name: "nl",
    about: "Write each FILE to standard output, with line numbers added.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('b', "body-numbering", "use STYLE for numbering body lines").value("STYLE"),
        Opt::new('d', "section-delimiter", "use CC for logical page delimiters").value("CC"),
        Opt::new('f', "footer-numbering", "use STYLE for numbering footer lines").value("STYLE"),
        Opt::new('h', "header-numbering", "use STYLE for numbering header lines").value("STYLE"),
        Opt::new('i', "line-increment", "line number increment at each line").value("NUMBER"),
        Opt::new('l', "join-blank-lines", "group of NUMBER empty lines counted as one").value("NUMBER"),
        Opt::new('n', "number-format", "insert line numbers according to FORMAT").value("FORMAT"),
        Opt::new('p', "no-renumber", "do not reset line numbers for each section"),
        Opt::new('s', "number-separator", "add STRING after (possible) line number").value("STRING"),
        Opt::new('v', "starting-line-number", "first line number for each section").value("NUMBER"),
        Opt::new('w', "number-width", "use NUMBER columns for line numbers").value("NUMBER"),
    ],
    notes: "Default options are: -bt -d'\\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6\n\nCC are two delimiter characters used to construct logical page delimiters;\na missing second character implies ':'.\n\nSTYLE is one of:\n\n  a      number all lines\n  t      number only nonempty lines\n  n      number no lines\n  pBRE   number only lines that contain a match for the basic regular\n         expression, BRE\n\nFORMAT is one of:\n\n  ln     left justified, no leading zeros\n  rn     right justified, no leading zeros\n  rz     right justified, leading zeros",
    version: "nl (GNU coreutils) 9.1",
    examples: &[Example { script: "printf 'a\\nb\\n' | nl", output: "     1\ta\n     2\tb\n" }],
};

enum Style {
    All,
    NonEmpty,
    None,
    Matching(Regex),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Left,
    Right,
    Zeros,
}

struct Job {
    styles: [Style; 3],
    section: usize,
    delimiter: Vec<u8>,
    increment: i64,
    join: u64,
    format: Format,
    renumber: bool,
    separator: Bytes,
    start: i64,
    width: usize,
    number: Option<i64>,
    blanks: u64,
    overflow: bool,
}

fn style(text: &[u8]) -> Result<Style, Option<String>> {
    match text {
        b"a" => Ok(Style::All),
        b"t" => Ok(Style::NonEmpty),
        b"n" => Ok(Style::None),
        [b'p', bre @ ..] => {
            Regex::new(bre, Syntax::Bre, Flags::default()).map(Style::Matching).map_err(|e| Some(e.0))
        }
        _ => Err(None),
    }
}

impl Program for Nl {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut job = Job {
            // Header, body, footer.
            styles: [Style::None, Style::NonEmpty, Style::None],
            section: 1,
            delimiter: b"\\:".to_vec(),
            increment: 1,
            join: 1,
            format: Format::Right,
            renumber: true,
            separator: Bytes::from_static(b"\t"),
            start: 1,
            width: 6,
            number: None,
            blanks: 0,
            overflow: false,
        };
        let mut wrong = false;
        for f in &parsed.options {
            let value = f.value.clone().unwrap_or_default();
            match f.id {
                id @ ("header-numbering" | "body-numbering" | "footer-numbering") => {
                    let (slot, what) = match id {
                        "header-numbering" => (0, "header"),
                        "body-numbering" => (1, "body"),
                        _ => (2, "footer"),
                    };
                    match style(&value) {
                        Ok(s) => job.styles[slot] = s,
                        Err(Some(text)) => {
                            process.error(format_args!("{text}"))?;
                            return Ok(Status::FAILURE);
                        }
                        Err(None) => {
                            process.error(format_args!(
                                "invalid {what} numbering style: {}",
                                cli::quote(&value)
                            ))?;
                            wrong = true;
                        }
                    }
                }
                "section-delimiter" => {
                    job.delimiter = match value.len() {
                        1 => vec![value[0], b':'],
                        _ => value.to_vec(),
                    };
                }
                "number-format" => match &value[..] {
                    b"ln" => job.format = Format::Left,
                    b"rn" => job.format = Format::Right,
                    b"rz" => job.format = Format::Zeros,
                    _ => {
                        process
                            .error(format_args!("invalid line numbering format: {}", cli::quote(&value)))?;
                        wrong = true;
                    }
                },
                "no-renumber" => job.renumber = false,
                "number-separator" => job.separator = value,
                id => {
                    let n = std::str::from_utf8(&value).ok().and_then(|v| v.parse::<i64>().ok());
                    let (least, what) = match id {
                        "line-increment" => (i64::MIN, "line number increment"),
                        "join-blank-lines" => (1, "line number of blank lines"),
                        "starting-line-number" => (i64::MIN, "starting line number"),
                        _ => (1, "line number field width"),
                    };
                    let Some(n) = n.filter(|n| *n >= least) else {
                        let reason = match n {
                            Some(_) => ": Numerical result out of range",
                            None => "",
                        };
                        process.error(format_args!("invalid {what}: {}{reason}", cli::quote(&value)))?;
                        return Ok(Status::FAILURE);
                    };
                    match id {
                        "line-increment" => job.increment = n,
                        "join-blank-lines" => job.join = n as u64,
                        "starting-line-number" => job.start = n,
                        _ => job.width = usize::try_from(n).unwrap_or(usize::MAX).min(1 << 16),
                    }
                }
            }
        }
        if wrong {
            return cli::try_help(process, 1);
        }
        job.number = Some(job.start);
        let mut status = Status::OK;
        for name in inputs::or_stdin(parsed.operands) {
            let Some(mut input) = inputs::open(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            while let Some(chunk) = input.next_lines(b'\n')? {
                process.budget.step()?;
                let mut at = 0;
                while at < chunk.len() {
                    let end = memchr::memchr(b'\n', &chunk[at..]).map_or(chunk.len(), |i| at + i);
                    job.line(&chunk[at..end], &mut process.stdout)?;
                    if job.overflow {
                        process.error(format_args!("line number overflow"))?;
                        return Ok(Status::FAILURE);
                    }
                    at = end + 1;
                }
            }
        }
        Ok(status)
    }
}

impl Job {
    fn line(&mut self, line: &[u8], out: &mut Output) -> Result<()> {
        if let Some(section) = self.delimiter_of(line) {
            self.section = section;
            if self.renumber {
                self.number = Some(self.start);
            }
            return out.byte(b'\n');
        }
        let numbered = match &self.styles[self.section] {
            Style::All => {
                if self.join <= 1 {
                    true
                } else if line.is_empty() {
                    self.blanks += 1;
                    let yes = self.blanks == self.join;
                    if yes {
                        self.blanks = 0;
                    }
                    yes
                } else {
                    self.blanks = 0;
                    true
                }
            }
            Style::NonEmpty => !line.is_empty(),
            Style::None => false,
            Style::Matching(r) => r.is_match(line),
        };
        if numbered {
            self.put_number(out)?;
        } else {
            for _ in 0..self.width + self.separator.len() {
                out.byte(b' ')?;
            }
        }
        out.put(line)?;
        out.byte(b'\n')
    }

    fn put_number(&mut self, out: &mut Output) -> Result<()> {
        let Some(n) = self.number else {
            self.overflow = true;
            return Ok(());
        };
        self.number = n.checked_add(self.increment);
        let mut buf = itoa::Buffer::new();
        let digits = buf.format(n).as_bytes();
        let pad = self.width.saturating_sub(digits.len());
        match self.format {
            Format::Right => {
                for _ in 0..pad {
                    out.byte(b' ')?;
                }
                out.put(digits)?;
            }
            Format::Left => {
                out.put(digits)?;
                for _ in 0..pad {
                    out.byte(b' ')?;
                }
            }
            Format::Zeros => {
                let (sign, digits) = match digits.strip_prefix(b"-") {
                    Some(d) => (&b"-"[..], d),
                    None => (&b""[..], digits),
                };
                out.put(sign)?;
                for _ in 0..pad {
                    out.byte(b'0')?;
                }
                out.put(digits)?;
            }
        }
        out.put(&self.separator)
    }

    /// The section that a line of delimiters begins: `\:\:\:` header, `\:\:` body, `\:` footer.
    fn delimiter_of(&self, line: &[u8]) -> Option<usize> {
        let d = &self.delimiter;
        if d.is_empty() || !line.len().is_multiple_of(d.len()) || line.len() / d.len() > 3 || line.is_empty()
        {
            return None;
        }
        line.chunks(d.len()).all(|c| c == d).then(|| 3 - line.len() / d.len())
    }
}
