//! `cut`: bytes, characters or fields of each line.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Output, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `cut`
pub struct Cut;

static SPEC: Spec = Spec {
    name: "cut",
    about: "Print selected parts of lines from each FILE to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["OPTION... [FILE]..."],
    options: &[
        Opt::new('b', "bytes", "select only these bytes").value("LIST"),
        Opt::new('c', "characters", "select only these characters").value("LIST"),
        Opt::new('d', "delimiter", "use DELIM instead of TAB for field delimiter").value("DELIM"),
        Opt::new('f', "fields", "select only these fields;  also print any line that contains no delimiter character, unless the -s option is specified").value("LIST"),
        Opt::short('n', "(ignored)"),
        Opt::long("complement", "complement the set of selected bytes, characters or fields"),
        Opt::new('s', "only-delimited", "do not print lines not containing delimiters"),
        Opt::long("output-delimiter", "use STRING as the output delimiter; the default is to use the input delimiter").value("STRING"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "Use one, and only one of -b, -c or -f.  Each LIST is made up of one\nrange, or many ranges separated by commas.  Selected input is written\nin the same order that it is read, and is written exactly once.\nEach range is one of:\n\n  N     N'th byte, character or field, counted from 1\n  N-    from N'th byte, character or field, to end of line\n  N-M   from N'th to M'th (included) byte, character or field\n  -M    from first to M'th (included) byte, character or field",
    version: "cut (GNU coreutils) 9.1",
    examples: &[Example { script: "echo a:b:c | cut -d: -f2-", output: "b:c\n" }],
};

/// Inclusive, from 1; rising and not touching.
type Ranges = Vec<(usize, usize)>;

struct Job {
    ranges: Ranges,
    delimiter: u8,
    line_end: u8,
    output_delimiter: Option<Vec<u8>>,
    only_delimited: bool,
}

impl Program for Cut {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut list: Option<(&str, Bytes)> = None;
        let mut job = Job {
            ranges: vec![],
            delimiter: b'\t',
            line_end: b'\n',
            output_delimiter: None,
            only_delimited: false,
        };
        let (mut delimiter, mut complement) = (None, false);
        for f in &parsed.options {
            match (f.id, &f.value) {
                (id @ ("bytes" | "characters" | "fields"), Some(v)) => {
                    if list.is_some() {
                        process.error(format_args!("only one list may be specified"))?;
                        return cli::try_help(process, 1);
                    }
                    list = Some((id, v.clone()));
                }
                ("delimiter", Some(v)) => {
                    if v.len() > 1 {
                        process.error(format_args!("the delimiter must be a single character"))?;
                        return cli::try_help(process, 1);
                    }
                    delimiter = Some(v.first().copied().unwrap_or(0));
                }
                ("complement", _) => complement = true,
                ("only-delimited", _) => job.only_delimited = true,
                ("output-delimiter", Some(v)) => {
                    job.output_delimiter = Some(if v.is_empty() { vec![0] } else { v.to_vec() });
                }
                ("zero-terminated", _) => job.line_end = 0,
                _ => {}
            }
        }
        let wrong = |process: &mut Process, text: &str| -> Result<Status> {
            process.error(format_args!("{text}"))?;
            cli::try_help(process, 1)
        };
        let Some((kind, list)) = list else {
            return wrong(process, "you must specify a list of bytes, characters, or fields");
        };
        let fields = kind == "fields";
        if !fields && delimiter.is_some() {
            return wrong(process, "an input delimiter may be specified only when operating on fields");
        }
        if !fields && job.only_delimited {
            return wrong(
                process,
                "suppressing non-delimited lines makes sense\n\tonly when operating on fields",
            );
        }
        job.ranges = match ranges(&list, fields) {
            Ok(r) => r,
            Err(text) => return wrong(process, &text),
        };
        if complement {
            job.ranges = complement_of(&job.ranges);
        }
        job.delimiter = delimiter.unwrap_or(b'\t');
        let mut status = Status::OK;
        for name in inputs::or_stdin(parsed.operands) {
            let Some(mut input) = inputs::open(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            while let Some(chunk) = input.next_lines(job.line_end)? {
                process.budget.step()?;
                if !fields {
                    job.bytes(&chunk, &mut process.stdout)?;
                } else if job.delimiter == job.line_end {
                    // With the newline as delimiter the whole file is one line of many fields.
                    let mut all = chunk.to_vec();
                    while let Some(more) = input.next_lines(job.line_end)? {
                        all.extend_from_slice(&more);
                    }
                    job.newline_fields(&all, &mut process.stdout)?;
                } else {
                    job.fields(&chunk, &mut process.stdout)?;
                }
            }
        }
        Ok(status)
    }
}

/// `1,3-5,7-`: sorted and merged as set-fields.c does, with its messages.
fn ranges(list: &[u8], fields: bool) -> Result<Ranges, String> {
    let what = if fields { "fields" } else { "byte/character positions" };
    let unit = if fields { "field" } else { "byte/character position" };
    let mut out = Vec::new();
    for piece in list.split(|b| matches!(b, b',' | b' ' | b'\t')) {
        let (from, to) = match piece.iter().position(|&b| b == b'-') {
            None => {
                if piece.is_empty() {
                    return Err(if fields {
                        "fields are numbered from 1".into()
                    } else {
                        "byte/character positions are numbered from 1".into()
                    });
                }
                let n = number(piece, list, unit)?;
                (n, n)
            }
            Some(i) => {
                let (a, b) = (&piece[..i], &piece[i + 1..]);
                if a.is_empty() && b.is_empty() {
                    return Err("invalid range with no endpoint: -".into());
                }
                if b.contains(&b'-') {
                    return Err(if fields {
                        "invalid field range".into()
                    } else {
                        "invalid byte or character range".into()
                    });
                }
                let from = if a.is_empty() { 1 } else { number(a, list, unit)? };
                let to = if b.is_empty() { usize::MAX } else { number(b, list, unit)? };
                if to < from && to != 0 {
                    return Err("invalid decreasing range".into());
                }
                (from, to)
            }
        };
        if from == 0 || to == 0 {
            return Err(format!("{what} are numbered from 1"));
        }
        out.push((from, to));
    }
    out.sort_unstable();
    let mut merged: Ranges = Vec::with_capacity(out.len());
    for (from, to) in out {
        match merged.last_mut() {
            // Overlapping ranges become one; touching ones stay apart, which --output-delimiter shows.
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    Ok(merged)
}

fn number(text: &[u8], _list: &[u8], unit: &str) -> Result<usize, String> {
    if !text.iter().all(u8::is_ascii_digit) {
        let bad = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(0);
        return Err(format!("invalid {unit} value {}", cli::quote(&text[bad..])));
    }
    let mut n = 0usize;
    for b in text {
        n = n
            .checked_mul(10)
            .and_then(|n| n.checked_add(usize::from(b - b'0')))
            .ok_or_else(|| format!("{unit} number {} is too large", cli::quote(text)))?;
    }
    Ok(n)
}

fn complement_of(ranges: &Ranges) -> Ranges {
    let mut out = Vec::new();
    let mut next = 1;
    for &(from, to) in ranges {
        if from > next {
            out.push((next, from - 1));
        }
        next = to.saturating_add(1);
    }
    if next != usize::MAX && ranges.last().is_none_or(|r| r.1 != usize::MAX) {
        out.push((next, usize::MAX));
    }
    out
}

impl Job {
    fn bytes(&self, lines: &[u8], out: &mut Output) -> Result<()> {
        let mut rest = lines;
        while !rest.is_empty() {
            let end = memchr::memchr(self.line_end, rest).unwrap_or(rest.len());
            let line = &rest[..end];
            rest = &rest[(end + 1).min(rest.len())..];
            let mut first = true;
            for &(from, to) in &self.ranges {
                if from > line.len() {
                    break;
                }
                if let (false, Some(d)) = (first, &self.output_delimiter) {
                    out.put(d)?;
                }
                first = false;
                out.put(&line[from - 1..to.min(line.len())])?;
            }
            out.byte(self.line_end)?;
        }
        Ok(())
    }

    fn fields(&self, lines: &[u8], out: &mut Output) -> Result<()> {
        if let ([(from, to)], None) = (&self.ranges[..], &self.output_delimiter) {
            return self.one_run(lines, *from, *to, out);
        }
        let joint: &[u8] = self.output_delimiter.as_deref().unwrap_or(std::slice::from_ref(&self.delimiter));
        let mut rest = lines;
        while !rest.is_empty() {
            let end = memchr::memchr(self.line_end, rest).unwrap_or(rest.len());
            let line = &rest[..end];
            rest = &rest[(end + 1).min(rest.len())..];
            self.line(line, joint, out)?;
        }
        Ok(())
    }

    fn line(&self, line: &[u8], joint: &[u8], out: &mut Output) -> Result<()> {
        let mut ends = memchr::memchr_iter(self.delimiter, line);
        let Some(mut end) = ends.next() else {
            if !self.only_delimited {
                out.put(line)?;
                out.byte(self.line_end)?;
            }
            return Ok(());
        };
        let (mut field, mut start, mut first) = (1usize, 0usize, true);
        let mut ranges = self.ranges.iter();
        let mut range = ranges.next();
        while let Some(&(from, to)) = range {
            if field > to {
                range = ranges.next();
                continue;
            }
            if field >= from {
                if !first {
                    out.put(joint)?;
                }
                first = false;
                out.put(&line[start..end])?;
            }
            if end == line.len() {
                break;
            }
            field += 1;
            start = end + 1;
            end = ends.next().unwrap_or(line.len());
        }
        out.byte(self.line_end)
    }

    /// One range, the delimiter kept: each line gives one slice, found by a single pass over delimiters and line ends.
    fn one_run(&self, lines: &[u8], from: usize, to: usize, out: &mut Output) -> Result<()> {
        let mut at = 0;
        while at < lines.len() {
            let begin = at;
            let mut field = 1usize;
            // `start` is where the wanted fields begin, `stop` where they end.
            let mut start = if from == 1 { Some(at) } else { None };
            let mut stop = None;
            let mut seen = false;
            let end = loop {
                if field > to || (field >= from && to == usize::MAX && seen) {
                    break memchr::memchr(self.line_end, &lines[at..]).map_or(lines.len(), |i| at + i);
                }
                match memchr::memchr2(self.delimiter, self.line_end, &lines[at..]) {
                    None => break lines.len(),
                    Some(i) if lines[at + i] == self.line_end => break at + i,
                    Some(i) => {
                        seen = true;
                        if field == to {
                            stop = Some(at + i);
                        }
                        field += 1;
                        at += i + 1;
                        if field == from {
                            start = Some(at);
                        }
                    }
                }
            };
            if !seen {
                if !self.only_delimited {
                    out.put(&lines[begin..end])?;
                    out.byte(self.line_end)?;
                }
            } else {
                if let Some(s) = start {
                    out.put(&lines[s..stop.unwrap_or(end)])?
                }
                out.byte(self.line_end)?;
            }
            at = end + 1;
        }
        Ok(())
    }

    fn newline_fields(&self, all: &[u8], out: &mut Output) -> Result<()> {
        let text = all.strip_suffix(&[self.line_end]).unwrap_or(all);
        let joint: &[u8] = self.output_delimiter.as_deref().unwrap_or(std::slice::from_ref(&self.delimiter));
        self.line(text, joint, out)
    }
}
