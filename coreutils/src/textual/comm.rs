//! `comm`: what two sorted files share and what they do not.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Input, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};
use std::cmp::Ordering;

/// `comm`
pub struct Comm;

static SPEC: Spec = Spec {
    name: "comm",
    about: "Compare sorted files FILE1 and FILE2 line by line.\n\nWhen FILE1 or FILE2 (not both) is -, read standard input.\n\nWith no options, produce three-column output.  Column one contains\nlines unique to FILE1, column two contains lines unique to FILE2,\nand column three contains lines common to both files.",
    synopsis: &["[OPTION]... FILE1 FILE2"],
    options: &[
        Opt::short('1', "suppress column 1 (lines unique to FILE1)"),
        Opt::short('2', "suppress column 2 (lines unique to FILE2)"),
        Opt::short('3', "suppress column 3 (lines that appear in both files)"),
        Opt::long(
            "check-order",
            "check that the input is correctly sorted, even if all input lines are pairable",
        ),
        Opt::long("nocheck-order", "do not check that the input is correctly sorted"),
        Opt::long("output-delimiter", "separate columns with STR").value("STR"),
        Opt::long("total", "output a summary"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "Note, comparisons honor the rules specified by 'LC_COLLATE'.",
    version: "comm (GNU coreutils) 9.1",
    examples: &[Example { script: "comm -12 <(printf 'a\\nb\\n') <(printf 'b\\nc\\n')", output: "b\n" }],
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Default,
    Always,
    Never,
}

/// One of the files: its current line and the one before.
pub(super) struct Side {
    input: Input,
    line: Vec<u8>,
    before: Vec<u8>,
    has: bool,
    started: bool,
    pub(super) disordered: bool,
}

impl Side {
    pub(super) fn new(input: Input) -> Side {
        Side { input, line: vec![], before: vec![], has: false, started: false, disordered: false }
    }

    pub(super) fn next(&mut self, end: u8) -> Result<()> {
        std::mem::swap(&mut self.line, &mut self.before);
        match self.input.line(end)? {
            Some(l) => {
                self.line.clear();
                self.line.extend_from_slice(l.bytes);
                self.has = true;
                self.disordered = self.started && self.before > self.line;
                self.started = true;
            }
            None => {
                self.has = false;
                self.disordered = false;
            }
        }
        Ok(())
    }
}

impl Program for Comm {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut show = [true; 3];
        let (mut check, mut total, mut end) = (Check::Default, false, b'\n');
        let mut delimiter: Option<Bytes> = None;
        for f in &parsed.options {
            match f.id {
                "1" => show[0] = false,
                "2" => show[1] = false,
                "3" => show[2] = false,
                "check-order" => check = Check::Always,
                "nocheck-order" => check = Check::Never,
                "total" => total = true,
                "zero-terminated" => end = 0,
                "output-delimiter" => {
                    let v = f.value.clone().unwrap_or_default();
                    if delimiter.as_ref().is_some_and(|d| *d != v) {
                        process.error(format_args!("multiple output delimiters specified"))?;
                        return Ok(Status::FAILURE);
                    }
                    delimiter = Some(v);
                }
                _ => {}
            }
        }
        let delimiter = match delimiter {
            None => Bytes::from_static(b"\t"),
            Some(d) if d.is_empty() => Bytes::from_static(b"\0"),
            Some(d) => d,
        };
        match &parsed.operands[..] {
            [] => {
                process.error(format_args!("missing operand"))?;
                return cli::try_help(process, 1);
            }
            [one] => {
                process.error(format_args!("missing operand after {}", cli::quote(one)))?;
                return cli::try_help(process, 1);
            }
            [_, _] => {}
            [_, _, extra, ..] => {
                process.error(format_args!("extra operand {}", cli::quote(extra)))?;
                return cli::try_help(process, 1);
            }
        }
        let mut sides = Vec::new();
        for name in &parsed.operands {
            let Some(input) = inputs::open(process, name)? else { return Ok(Status::FAILURE) };
            let mut side = Side::new(input);
            side.next(end)?;
            sides.push(side);
        }
        let mut counts = [0u64; 3];
        let mut told = [false; 2];
        let mut unpaired = false;
        let mut failed = false;
        loop {
            process.budget.step()?;
            let (a, b) = (&sides[0], &sides[1]);
            let order = match (a.has, b.has) {
                (false, false) => break,
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                _ => a.line.cmp(&b.line),
            };
            let (column, line) = match order {
                Ordering::Less => (0, &a.line),
                Ordering::Greater => (1, &b.line),
                Ordering::Equal => (2, &a.line),
            };
            unpaired |= column != 2;
            counts[column] += 1;
            if show[column] {
                for _ in show[..column].iter().filter(|s| **s) {
                    process.stdout.put(&delimiter)?;
                }
                process.stdout.put(line)?;
                process.stdout.byte(end)?;
            }
            for i in 0..2 {
                if column == 2 || column == i {
                    sides[i].next(end)?;
                    let checking = match check {
                        Check::Always => true,
                        Check::Never => false,
                        Check::Default => unpaired,
                    };
                    if sides[i].disordered && checking && !told[i] {
                        told[i] = true;
                        failed = true;
                        process.error(format_args!("file {} is not in sorted order", i + 1))?;
                        if check == Check::Always {
                            return Ok(Status::FAILURE);
                        }
                    }
                }
            }
        }
        if total {
            let [a, b, c] = counts;
            process.stdout.text(format_args!("{a}"))?;
            process.stdout.put(&delimiter)?;
            process.stdout.text(format_args!("{b}"))?;
            process.stdout.put(&delimiter)?;
            process.stdout.text(format_args!("{c}"))?;
            process.stdout.put(&delimiter)?;
            process.stdout.put(b"total")?;
            process.stdout.byte(end)?;
        }
        if failed {
            process.error(format_args!("input is not in sorted order"))?;
            return Ok(Status::FAILURE);
        }
        Ok(Status::OK)
    }
}
