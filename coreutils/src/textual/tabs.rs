//! `expand` and `unexpand`: tabs to blanks and back.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Parsed, Spec};

/// `expand`
pub struct Expand;
/// `unexpand`
pub struct Unexpand;

static EXPAND: Spec = Spec {
    name: "expand",
    about: "Convert tabs in each FILE to spaces, writing to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('i', "initial", "do not convert tabs after non blanks"),
        Opt::new(
            't',
            "tabs",
            "have tabs N characters apart, not 8; or use comma separated LIST of tab positions",
        )
        .value("N"),
    ],
    notes: NOTES,
    version: "expand (GNU coreutils) 9.1",
    examples: &[Example { script: "printf 'a\\tb\\n' | expand -t 4", output: "a   b\n" }],
};

static UNEXPAND: Spec = Spec {
    name: "unexpand",
    about: "Convert blanks in each FILE to tabs, writing to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('a', "all", "convert all blanks, instead of just initial blanks"),
        Opt::long("first-only", "convert only leading sequences of blanks (overrides -a)"),
        Opt::new('t', "tabs", "have tabs N characters apart instead of 8 (enables -a); or use comma separated LIST of tab positions").value("N"),
    ],
    notes: NOTES,
    version: "unexpand (GNU coreutils) 9.1",
    examples: &[Example { script: "printf '        x\\n' | unexpand", output: "\tx\n" }],
};

const NOTES: &str = "The last specified position can be prefixed with '/' to specify a tab size to use after the last explicitly specified tab stop.  Also a prefix of '+' can be used to align remaining tab stops relative to the last specified tab stop instead of the first column.";

/// Tab stops.
#[derive(Default)]
struct Stops {
    list: Vec<usize>,
    /// `N` alone: every N columns.
    size: usize,
    /// `/N` after the list.
    extend: usize,
    /// `+N` after the list.
    increment: usize,
}

impl Stops {
    /// The next stop after `column`; `None` past the last one of a list.
    fn next(&self, column: usize) -> Option<usize> {
        if self.size > 0 {
            return Some(column + self.size - column % self.size);
        }
        if let Some(s) = self.list.iter().find(|s| **s > column) {
            return Some(*s);
        }
        if self.extend > 0 {
            return Some(column + self.extend - column % self.extend);
        }
        if self.increment > 0 {
            let last = self.list.last().copied().unwrap_or(0);
            return Some(column + self.increment - (column - last) % self.increment);
        }
        None
    }

    fn parse(text: &[u8]) -> std::result::Result<Stops, String> {
        let mut s = Stops::default();
        for piece in text.split(|b| matches!(b, b',' | b' ' | b'\t')).filter(|p| !p.is_empty()) {
            let (mark, digits) = match piece[0] {
                m @ (b'/' | b'+') => (m, &piece[1..]),
                _ => (0, piece),
            };
            if let Some(bad) = digits.iter().position(|b| !b.is_ascii_digit()) {
                return Err(format!(
                    "tab size contains invalid character(s): {}",
                    cli::quote(&digits[bad..])
                ));
            }
            let n = std::str::from_utf8(digits).ok().and_then(|d| d.parse::<usize>().ok());
            let Some(n) = n.filter(|n| *n < usize::MAX / 4) else {
                return Err(format!("tab stop is too large {}", cli::quote(digits)));
            };
            match mark {
                b'/' => s.extend = n,
                b'+' => s.increment = n,
                _ => {
                    if n == 0 {
                        return Err("tab size cannot be 0".into());
                    }
                    if s.list.last().is_some_and(|l| *l >= n) {
                        return Err("tab sizes must be ascending".into());
                    }
                    s.list.push(n);
                }
            }
        }
        if s.list.is_empty() && s.extend + s.increment > 0 {
            s.size = s.extend.max(s.increment);
        } else if s.list.len() == 1 && s.extend + s.increment == 0 {
            s.size = s.list[0];
        }
        Ok(s)
    }
}

/// `-4`, `-4,8` are `-t` too.
fn obsolete(process: &mut Process) {
    for arg in process.args.iter_mut().skip(1) {
        let digits =
            arg.len() > 1 && arg[0] == b'-' && arg[1..].iter().all(|b| b.is_ascii_digit() || *b == b',');
        if digits {
            *arg = Bytes::from([b"--tabs=", &arg[1..]].concat());
        }
    }
}

fn stops(process: &mut Process, parsed: &Parsed) -> Result<std::result::Result<Stops, Status>> {
    let lists: Vec<&[u8]> =
        parsed.options.iter().filter(|f| f.id == "tabs").filter_map(|f| f.value.as_deref()).collect();
    if lists.is_empty() {
        return Ok(Ok(Stops { size: 8, ..Stops::default() }));
    }
    match Stops::parse(&lists.join(&b","[..])) {
        Ok(s) => Ok(Ok(s)),
        Err(text) => {
            process.error(format_args!("{text}"))?;
            Ok(Err(Status::FAILURE))
        }
    }
}

impl Program for Expand {
    fn spec(&self) -> &'static Spec {
        &EXPAND
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        obsolete(process);
        let parsed = match cli::parse(process, &EXPAND, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let stops = match stops(process, &parsed)? {
            Ok(s) => s,
            Err(status) => return Ok(status),
        };
        let initial = parsed.has("initial");
        let mut status = Status::OK;
        let mut out = Vec::with_capacity(64 << 10);
        let (mut column, mut convert) = (0usize, true);
        for name in inputs::or_stdin(parsed.operands) {
            let Some(mut input) = inputs::open(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            while let Some(chunk) = input.next_chunk()? {
                process.budget.step()?;
                out.clear();
                for &b in &chunk[..] {
                    match b {
                        b'\t' if convert => {
                            let next = stops.next(column).unwrap_or(column + 1);
                            if next - column > 1 << 20 {
                                process.stdout.put(&out)?;
                                out.clear();
                                for _ in column..next {
                                    process.budget.step()?;
                                    process.stdout.byte(b' ')?;
                                }
                            } else {
                                out.resize(out.len() + next - column, b' ');
                            }
                            column = next;
                            continue;
                        }
                        8 => column = column.saturating_sub(1),
                        b'\n' => {
                            column = 0;
                            convert = true;
                            out.push(b);
                            continue;
                        }
                        _ => column += 1,
                    }
                    convert &= !initial || matches!(b, b' ' | b'\t');
                    out.push(b);
                }
                process.stdout.put(&out)?;
            }
        }
        Ok(status)
    }
}

impl Program for Unexpand {
    fn spec(&self) -> &'static Spec {
        &UNEXPAND
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        obsolete(process);
        let parsed = match cli::parse(process, &UNEXPAND, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let stops = match stops(process, &parsed)? {
            Ok(s) => s,
            Err(status) => return Ok(status),
        };
        let all = (parsed.has("all") || parsed.has("tabs")) && !parsed.has("first-only");
        let mut status = Status::OK;
        for name in inputs::or_stdin(parsed.operands) {
            let Some(mut input) = inputs::open(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            let mut out = Vec::new();
            while let Some(chunk) = input.next_lines(b'\n')? {
                process.budget.step()?;
                out.clear();
                for line in chunk.split_inclusive(|b| *b == b'\n') {
                    unexpand(line, &stops, all, &mut out);
                }
                process.stdout.put(&out)?;
            }
        }
        Ok(status)
    }
}

/// One line. `pending` blanks wait until it is known whether a tab can stand for them (unexpand.c).
fn unexpand(line: &[u8], stops: &Stops, all: bool, out: &mut Vec<u8>) {
    let (mut column, mut convert) = (0usize, true);
    let mut next_stop = 0usize;
    let mut pending: Vec<u8> = Vec::new();
    let mut one_blank_before_stop = false;
    let mut previous_blank = true;
    for &b in line {
        if !convert {
            out.push(b);
            continue;
        }
        let blank = matches!(b, b' ' | b'\t');
        let mut c = b;
        if blank {
            match stops.next(column) {
                None => convert = false,
                Some(s) => next_stop = s,
            }
            if convert {
                if b == b'\t' {
                    column = next_stop;
                    if !pending.is_empty() {
                        pending[0] = b'\t';
                    }
                } else {
                    column += 1;
                    if !(previous_blank && column == next_stop) {
                        if column == next_stop {
                            one_blank_before_stop = true;
                        }
                        pending.push(b);
                        previous_blank = true;
                        continue;
                    }
                    // The run of blanks reaches a stop: a tab stands for it.
                    c = b'\t';
                    if let Some(p) = pending.first_mut() {
                        *p = b'\t';
                    }
                }
                // Blanks that the tab stands for vanish, save one before an earlier stop.
                let keep = usize::from(one_blank_before_stop);
                pending.truncate(keep);
            }
        } else if b == 8 {
            column = column.saturating_sub(1);
            next_stop = column;
        } else {
            column += 1;
        }
        if !pending.is_empty() {
            if pending.len() > 1 && one_blank_before_stop {
                pending[0] = b'\t';
            }
            out.append(&mut pending);
            one_blank_before_stop = false;
        }
        previous_blank = blank;
        convert &= all || blank;
        out.push(c);
    }
    out.append(&mut pending);
}
