//! `uniq`: adjacent lines that are equal.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Input, Output, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `uniq`
pub struct Uniq;

static SPEC: Spec = Spec {
    name: "uniq",
    about: "Filter adjacent matching lines from INPUT (or standard input),\nwriting to OUTPUT (or standard output).\n\nWith no options, matching lines are merged to the first occurrence.",
    synopsis: &["[OPTION]... [INPUT [OUTPUT]]"],
    options: &[
        Opt::new('c', "count", "prefix lines by the number of occurrences"),
        Opt::new('d', "repeated", "only print duplicate lines, one for each group"),
        Opt::short('D', "print all duplicate lines"),
        Opt::long("all-repeated", "like -D, but allow separating groups with an empty line; METHOD={none(default),prepend,separate}").optional("METHOD"),
        Opt::new('f', "skip-fields", "avoid comparing the first N fields").value("N"),
        Opt::long("group", "show all items, separating groups with an empty line; METHOD={separate(default),prepend,append,both}").optional("METHOD"),
        Opt::new('i', "ignore-case", "ignore differences in case when comparing"),
        Opt::new('s', "skip-chars", "avoid comparing the first N characters").value("N"),
        Opt::new('u', "unique", "only print unique lines"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
        Opt::new('w', "check-chars", "compare no more than N characters in lines").value("N"),
    ],
    notes: "A field is a run of blanks (usually spaces and/or TABs), then non-blank\ncharacters.  Fields are skipped before chars.\n\n'uniq' does not detect repeated lines unless they are adjacent.\nYou may want to sort the input first, or use 'sort -u' without 'uniq'.",
    version: "uniq (GNU coreutils) 9.1",
    examples: &[Example { script: "printf 'a\\na\\nb\\n' | uniq -c", output: "      2 a\n      1 b\n" }],
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Groups {
    No,
    None,
    Prepend,
    Append,
    Separate,
    Both,
}

struct Job {
    count: bool,
    first_of_repeated: bool,
    unique_only: bool,
    /// `-D`
    all_repeated: Groups,
    /// `--group`
    group: Groups,
    skip_fields: usize,
    skip_chars: usize,
    check_chars: usize,
    fold: bool,
    line_end: u8,
    /// A group has been printed (for the separators).
    printed: bool,
}

impl Program for Uniq {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        obsolete(process);
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut job = Job {
            count: false,
            first_of_repeated: true,
            unique_only: true,
            all_repeated: Groups::No,
            group: Groups::No,
            skip_fields: 0,
            skip_chars: 0,
            check_chars: usize::MAX,
            fold: false,
            line_end: b'\n',
            printed: false,
        };
        let (mut d, mut u) = (false, false);
        for f in &parsed.options {
            let value = f.value.clone().unwrap_or_default();
            match f.id {
                "count" => job.count = true,
                "repeated" => d = true,
                "D" => (d, job.all_repeated) = (true, Groups::None),
                "all-repeated" => {
                    d = true;
                    job.all_repeated = match &value[..] {
                        b"" | b"none" => Groups::None,
                        b"prepend" => Groups::Prepend,
                        b"separate" => Groups::Separate,
                        _ => {
                            return bad_method(
                                process,
                                &value,
                                "--all-repeated",
                                &["none", "prepend", "separate"],
                            );
                        }
                    };
                }
                "group" => {
                    job.group = match &value[..] {
                        b"" | b"separate" => Groups::Separate,
                        b"prepend" => Groups::Prepend,
                        b"append" => Groups::Append,
                        b"both" => Groups::Both,
                        _ => {
                            return bad_method(
                                process,
                                &value,
                                "--group",
                                &["prepend", "append", "separate", "both"],
                            );
                        }
                    };
                }
                "ignore-case" => job.fold = true,
                "unique" => u = true,
                "zero-terminated" => job.line_end = 0,
                id @ ("skip-fields" | "skip-chars" | "check-chars") => {
                    let Some(n) =
                        super::count::parse(&value).filter(|_| value.iter().all(u8::is_ascii_digit))
                    else {
                        let what = match id {
                            "skip-fields" => "fields to skip",
                            "skip-chars" => "bytes to skip",
                            _ => "bytes to compare",
                        };
                        process.error(format_args!(
                            "{}: invalid number of {what}",
                            String::from_utf8_lossy(&value)
                        ))?;
                        return Ok(Status::FAILURE);
                    };
                    let n = usize::try_from(n).unwrap_or(usize::MAX);
                    match id {
                        "skip-fields" => job.skip_fields = n,
                        "skip-chars" => job.skip_chars = n,
                        _ => job.check_chars = n,
                    }
                }
                _ => {}
            }
        }
        if job.group != Groups::No && (d || u || job.count) {
            process.error(format_args!("--group is mutually exclusive with -c/-d/-D/-u"))?;
            return cli::try_help(process, 1);
        }
        if job.all_repeated != Groups::No && job.count {
            process.error(format_args!("printing all duplicated lines and repeat counts is meaningless"))?;
            return cli::try_help(process, 1);
        }
        // -d hides the unique ones, -u the repeated ones; both hide all.
        job.first_of_repeated = !u;
        job.unique_only = !d;
        if let Some(extra) = parsed.operands.get(2) {
            process.error(format_args!("extra operand {}", cli::quote(extra)))?;
            return cli::try_help(process, 1);
        }
        let name = parsed.operands.first().cloned().unwrap_or(Bytes::from_static(b"-"));
        let Some(mut input) = inputs::open(process, &name)? else { return Ok(Status::FAILURE) };
        match parsed.operands.get(1).filter(|o| **o != "-") {
            None => job.run(&mut input, &mut process.stdout)?,
            Some(to) => match process.files.create(to) {
                Ok(mut out) => {
                    job.run(&mut input, &mut out)?;
                    out.flush()?;
                }
                Err(e) => {
                    process.complain(format_args!("{}", cli::shell_quote(to, false)), e)?;
                    return Ok(Status::FAILURE);
                }
            },
        }
        Ok(Status::OK)
    }
}

fn bad_method(process: &mut Process, value: &[u8], option: &str, valid: &[&str]) -> Result<Status> {
    process.error(format_args!("invalid argument {} for ‘{option}’", cli::quote(value)))?;
    let mut text = String::from("Valid arguments are:\n");
    for v in valid {
        text.push_str(&format!("  - ‘{v}’\n"));
    }
    process.write_error(text.as_bytes())?;
    cli::try_help(process, 1)
}

/// `uniq -3` skips fields, `uniq +3` skips characters.
fn obsolete(process: &mut Process) {
    for arg in process.args.iter_mut().skip(1) {
        if arg == "--" {
            return;
        }
        let digits = arg.len() > 1 && arg[1..].iter().all(u8::is_ascii_digit);
        if digits && arg[0] == b'-' {
            *arg = Bytes::from([b"-f", &arg[1..]].concat());
        } else if digits && arg[0] == b'+' {
            *arg = Bytes::from([b"-s", &arg[1..]].concat());
        }
    }
}

impl Job {
    fn run(&mut self, input: &mut Input, out: &mut Output) -> Result<()> {
        // The first line of the group, and how many lines it has so far.
        let mut first: Option<Bytes> = None;
        let mut n = 0u64;
        let plain =
            self.skip_fields == 0 && self.skip_chars == 0 && self.check_chars == usize::MAX && !self.fold;
        while let Some(chunk) = input.next_lines(self.line_end)? {
            let mut at = 0;
            while at < chunk.len() {
                let end = memchr::memchr(self.line_end, &chunk[at..]).map_or(chunk.len(), |i| at + i);
                let line = &chunk[at..end];
                let same = match &first {
                    None => false,
                    Some(f) if plain => f[..] == *line,
                    Some(f) => self.same(f, line),
                };
                if same {
                    n += 1;
                    if (self.all_repeated != Groups::No || self.group != Groups::No)
                        && let Some(f) = &first
                    {
                        self.member(f, line, n, out)?;
                    }
                } else {
                    if let Some(f) = &first {
                        self.end(f, n, out)?;
                    }
                    n = 1;
                    first = Some(chunk.slice(at..end));
                    if self.group != Groups::No {
                        self.begin_group(line, out)?;
                    }
                }
                at = end + 1;
            }
            // The group's first line must not keep a whole chunk alive for longer than the next one.
            if let Some(f) = &mut first
                && f.len() * 8 < chunk.len()
            {
                *f = Bytes::copy_from_slice(f);
            }
        }
        if let Some(f) = &first {
            self.end(f, n, out)?;
            if matches!(self.group, Groups::Append | Groups::Both) {
                out.byte(self.line_end)?;
            }
        }
        Ok(())
    }

    fn begin_group(&mut self, line: &[u8], out: &mut Output) -> Result<()> {
        let before = match self.group {
            Groups::Prepend | Groups::Both => true,
            Groups::Separate | Groups::Append => self.printed,
            _ => false,
        };
        if before {
            out.byte(self.line_end)?;
        }
        self.printed = true;
        out.put(line)?;
        out.byte(self.line_end)
    }

    /// A further line of a group whose lines are all printed.
    fn member(&mut self, first: &[u8], line: &[u8], n: u64, out: &mut Output) -> Result<()> {
        if self.group != Groups::No {
            out.put(line)?;
            return out.byte(self.line_end);
        }
        if !self.first_of_repeated {
            return Ok(());
        }
        if n == 2 {
            if self.all_repeated == Groups::Prepend || (self.all_repeated == Groups::Separate && self.printed)
            {
                out.byte(self.line_end)?;
            }
            self.printed = true;
            out.put(first)?;
            out.byte(self.line_end)?;
        }
        out.put(line)?;
        out.byte(self.line_end)
    }

    /// A group has ended.
    fn end(&mut self, first: &[u8], n: u64, out: &mut Output) -> Result<()> {
        if self.group != Groups::No || (self.all_repeated != Groups::No && n > 1) {
            return Ok(());
        }
        let shown = if n == 1 { self.unique_only } else { self.first_of_repeated };
        if !shown {
            return Ok(());
        }
        if self.count {
            let mut digits = itoa::Buffer::new();
            let digits = digits.format(n).as_bytes();
            out.put(&b"       "[digits.len().min(7)..])?;
            out.put(digits)?;
            out.byte(b' ')?;
        }
        out.put(first)?;
        out.byte(self.line_end)
    }

    fn same(&self, a: &[u8], b: &[u8]) -> bool {
        let (a, b) = (self.part(a), self.part(b));
        if self.fold { a.eq_ignore_ascii_case(b) } else { a == b }
    }

    fn part<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let blank = |b: &u8| matches!(*b, b' ' | b'\t');
        let mut at = 0;
        for _ in 0..self.skip_fields {
            if at >= line.len() {
                break;
            }
            at += line[at..].iter().take_while(|b| blank(b)).count();
            at += line[at..].iter().take_while(|b| !blank(b)).count();
        }
        let rest = &line[at.saturating_add(self.skip_chars).min(line.len())..];
        &rest[..rest.len().min(self.check_chars)]
    }
}
