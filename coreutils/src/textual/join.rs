//! `join`: lines of two sorted files that share a field.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Input, Output, Process, Program, Reservation, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};
use std::cmp::Ordering;

/// `join`
pub struct Join;

static SPEC: Spec = Spec {
    name: "join",
    about: "For each pair of input lines with identical join fields, write a line to\nstandard output.  The default join field is the first, delimited by blanks.\n\nWhen FILE1 or FILE2 (not both) is -, read standard input.",
    synopsis: &["[OPTION]... FILE1 FILE2"],
    options: &[
        Opt::short('a', "also print unpairable lines from file FILENUM, where FILENUM is 1 or 2, corresponding to FILE1 or FILE2").value("FILENUM"),
        Opt::short('e', "replace missing (empty) input fields with STRING; I.e., missing fields specified with '-12jo' options").value("STRING"),
        Opt::new('i', "ignore-case", "ignore differences in case when comparing fields"),
        Opt::short('j', "equivalent to '-1 FIELD -2 FIELD'").value("FIELD"),
        Opt::short('o', "obey FORMAT while constructing output line").value("FORMAT"),
        Opt::short('t', "use CHAR as input and output field separator").value("CHAR"),
        Opt::short('v', "like -a FILENUM, but suppress joined output lines").value("FILENUM"),
        Opt::short('1', "join on this FIELD of file 1").value("FIELD"),
        Opt::short('2', "join on this FIELD of file 2").value("FIELD"),
        Opt::long("check-order", "check that the input is correctly sorted, even if all input lines are pairable"),
        Opt::long("nocheck-order", "do not check that the input is correctly sorted"),
        Opt::long("header", "treat the first line in each file as field headers, print them without trying to pair them"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "Unless -t CHAR is given, leading blanks separate fields and are ignored,\nelse fields are separated by CHAR.  Any FIELD is a field number counted\nfrom 1.  FORMAT is one or more comma or blank separated specifications,\neach being 'FILENUM.FIELD' or '0'.  Default FORMAT outputs the join field,\nthe remaining fields from FILE1, the remaining fields from FILE2, all\nseparated by CHAR.  If FORMAT is the keyword 'auto', then the first\nline of each file determines the number of fields output for each line.\n\nImportant: FILE1 and FILE2 must be sorted on the join fields.",
    version: "join (GNU coreutils) 9.1",
    examples: &[Example {
        script: "join <(printf '1 a\\n2 b\\n') <(printf '1 x\\n2 y\\n')",
        output: "1 a x\n2 b y\n",
    }],
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Default,
    Always,
    Never,
}

/// A column of the output.
#[derive(Clone, Copy)]
enum Column {
    Join,
    Field(usize, usize),
}

struct Job {
    field: [usize; 2],
    unpaired: [bool; 2],
    pairs: bool,
    empty: Option<Bytes>,
    fold: bool,
    format: Option<Vec<Column>>,
    auto: bool,
    separator: Option<u8>,
    whole_line: bool,
    end: u8,
    check: Check,
    header: bool,
}

/// A line and where its fields lie.
#[derive(Clone, Default)]
struct Row {
    text: Vec<u8>,
    fields: Vec<(u32, u32)>,
}

impl Row {
    fn get(&self, i: usize) -> Option<&[u8]> {
        self.fields.get(i).map(|(a, b)| &self.text[*a as usize..*b as usize])
    }

    fn key(&self, i: usize) -> &[u8] {
        self.get(i).unwrap_or(b"")
    }
}

struct Side {
    input: Input,
    /// The next line to look at.
    head: Row,
    has: bool,
    lines: u64,
    last_key: Vec<u8>,
    disordered: bool,
    told: bool,
}

impl Job {
    fn split(&self, row: &mut Row) {
        row.fields.clear();
        let text = &row.text;
        if self.whole_line {
            row.fields.push((0, text.len() as u32));
            return;
        }
        match self.separator {
            Some(s) => {
                let mut at = 0;
                for i in memchr::memchr_iter(s, text) {
                    row.fields.push((at, i as u32));
                    at = i as u32 + 1;
                }
                if !text.is_empty() {
                    row.fields.push((at, text.len() as u32));
                }
            }
            None => {
                let mut i = 0;
                while i < text.len() {
                    while i < text.len() && blank(text[i]) {
                        i += 1;
                    }
                    if i >= text.len() {
                        break;
                    }
                    let start = i;
                    while i < text.len() && !blank(text[i]) {
                        i += 1;
                    }
                    row.fields.push((start as u32, i as u32));
                }
            }
        }
    }

    fn advance(&self, side: &mut Side, which: usize) -> Result<()> {
        if side.has && !(self.header && side.lines == 1) {
            side.last_key.clear();
            side.last_key.extend_from_slice(side.head.key(self.field[which]));
        }
        let compare = side.has && !(self.header && side.lines == 1);
        match side.input.line(self.end)? {
            None => {
                side.has = false;
                side.head = Row::default();
            }
            Some(l) => {
                side.head.text.clear();
                side.head.text.extend_from_slice(l.bytes);
                side.has = true;
                side.lines += 1;
                self.split(&mut side.head);
                if compare && self.check != Check::Never && !side.told {
                    side.disordered = self.order(&side.last_key, side.head.key(self.field[which])).is_gt();
                }
            }
        }
        Ok(())
    }

    fn order(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.fold {
            let low = |x: &u8| x.to_ascii_lowercase();
            a.iter().map(low).cmp(b.iter().map(low))
        } else {
            a.cmp(b)
        }
    }

    fn print(&self, a: Option<&Row>, b: Option<&Row>, out: &mut Output) -> Result<()> {
        let joint = self.separator.unwrap_or(b' ');
        let empty = |f: Option<&[u8]>, out: &mut Output| match (f, &self.empty) {
            (Some(f), _) if !f.is_empty() => out.put(f),
            (_, Some(e)) => out.put(e),
            _ => Ok(()),
        };
        let key = a.map(|r| r.get(self.field[0])).or(b.map(|r| r.get(self.field[1]))).flatten();
        if let Some(format) = &self.format {
            for (i, c) in format.iter().enumerate() {
                if i > 0 {
                    out.byte(joint)?;
                }
                let field = match *c {
                    Column::Join => key,
                    Column::Field(0, f) => a.and_then(|r| r.get(f)),
                    Column::Field(_, f) => b.and_then(|r| r.get(f)),
                };
                empty(field, out)?;
            }
        } else {
            empty(key, out)?;
            for (row, joined) in [(a, self.field[0]), (b, self.field[1])] {
                let Some(row) = row else { continue };
                for i in (0..row.fields.len()).filter(|i| *i != joined) {
                    out.byte(joint)?;
                    empty(row.get(i), out)?;
                }
            }
        }
        out.byte(self.end)
    }

    fn auto_format(&mut self, sides: &[Side; 2]) {
        let mut format = vec![Column::Join];
        for (i, side) in sides.iter().enumerate() {
            for f in (0..side.head.fields.len()).filter(|f| *f != self.field[i]) {
                format.push(Column::Field(i, f));
            }
        }
        self.format = Some(format);
    }
}

fn blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n')
}

impl Program for Join {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut job = Job {
            field: [usize::MAX; 2],
            unpaired: [false; 2],
            pairs: true,
            empty: None,
            fold: false,
            format: None,
            auto: false,
            separator: None,
            whole_line: false,
            end: b'\n',
            check: Check::Default,
            header: false,
        };
        let mut format_text: Option<Vec<u8>> = None;
        for f in &parsed.options {
            let v = f.value.clone().unwrap_or_default();
            macro_rules! fail {
                ($($t:tt)*) => {{
                    process.error(format_args!($($t)*))?;
                    return Ok(Status::FAILURE);
                }};
            }
            match f.id {
                "a" | "v" => {
                    match &v[..] {
                        b"1" => job.unpaired[0] = true,
                        b"2" => job.unpaired[1] = true,
                        _ => fail!("invalid field number: {}", cli::quote(&v)),
                    }
                    if f.id == "v" {
                        job.pairs = false;
                    }
                }
                "e" => {
                    if job.empty.as_ref().is_some_and(|e| *e != v) {
                        fail!("conflicting empty-field replacement strings");
                    }
                    job.empty = Some(v);
                }
                "ignore-case" => job.fold = true,
                "1" | "2" | "j" => {
                    let Some(n) = field_number(&v) else {
                        fail!("invalid field number: {}", cli::quote(&v));
                    };
                    let which: &[usize] = match f.id {
                        "1" => &[0],
                        "2" => &[1],
                        _ => &[0, 1],
                    };
                    for w in which {
                        if job.field[*w] != usize::MAX && job.field[*w] != n {
                            fail!("incompatible join fields {}, {}", job.field[*w] + 1, n + 1);
                        }
                        job.field[*w] = n;
                    }
                }
                "o" => {
                    if v == "auto" {
                        job.auto = true;
                    } else {
                        let t = format_text.get_or_insert_default();
                        t.push(b',');
                        t.extend_from_slice(&v);
                    }
                }
                "t" => match &v[..] {
                    [] => job.whole_line = true,
                    [b] => job.separator = Some(*b),
                    b"\\0" => job.separator = Some(0),
                    _ => fail!("multi-character tab {}", cli::quote(&v)),
                },
                "check-order" => job.check = Check::Always,
                "nocheck-order" => job.check = Check::Never,
                "header" => job.header = true,
                "zero-terminated" => job.end = 0,
                _ => {}
            }
        }
        for f in &mut job.field {
            if *f == usize::MAX {
                *f = 0;
            }
        }
        let mut operands = parsed.operands.clone();
        if let Some(text) = &mut format_text {
            // `-o 1.1 2.2 FILE FILE`: further specifications may stand as operands.
            while operands.len() > 2 && operands.first().is_some_and(|o| column(o).is_ok()) {
                text.push(b',');
                text.extend_from_slice(&operands.remove(0));
            }
            let mut columns = Vec::new();
            for piece in text.split(|b| matches!(b, b',' | b' ' | b'\t')).filter(|p| !p.is_empty()) {
                match column(piece) {
                    Ok(c) => columns.push(c),
                    Err(e) => {
                        process.error(format_args!("{e}"))?;
                        return Ok(Status::FAILURE);
                    }
                }
            }
            job.format = Some(columns);
        }
        match operands.len() {
            2 => {}
            0 => {
                process.error(format_args!("missing operand"))?;
                return cli::try_help(process, 1);
            }
            1 => {
                process.error(format_args!("missing operand after {}", cli::quote(&operands[0])))?;
                return cli::try_help(process, 1);
            }
            _ => {
                process.error(format_args!("extra operand {}", cli::quote(&operands[2])))?;
                return cli::try_help(process, 1);
            }
        }
        if operands.iter().all(|o| inputs::is_stdin(o)) {
            process.error(format_args!("both files cannot be standard input"))?;
            return Ok(Status::FAILURE);
        }
        let mut sides = Vec::new();
        for name in &operands {
            let Some(input) = inputs::open(process, name)? else { return Ok(Status::FAILURE) };
            sides.push(Side {
                input,
                head: Row::default(),
                has: false,
                lines: 0,
                last_key: vec![],
                disordered: false,
                told: false,
            });
        }
        let Ok(mut sides) = <[Side; 2]>::try_from(sides) else { return Ok(Status::FAILURE) };
        run(process, &mut job, &mut sides, &operands)
    }
}

fn field_number(v: &[u8]) -> Option<usize> {
    std::str::from_utf8(v).ok()?.parse::<usize>().ok().filter(|n| *n > 0).map(|n| n - 1)
}

fn column(piece: &[u8]) -> std::result::Result<Column, String> {
    match piece {
        b"0" => Ok(Column::Join),
        [file @ (b'1' | b'2'), b'.', field @ ..] => field_number(field)
            .map(|f| Column::Field(usize::from(file - b'1'), f))
            .ok_or_else(|| format!("invalid field number: {}", cli::quote(field))),
        [b'0', ..] => Err(format!("invalid field specifier: {}", cli::quote(piece))),
        [b'1' | b'2', ..] => Err(format!("invalid field specifier: {}", cli::quote(piece))),
        _ => Err(format!("invalid file number in field spec: {}", cli::quote(piece))),
    }
}

fn run(process: &mut Process, job: &mut Job, sides: &mut [Side; 2], names: &[Bytes]) -> Result<Status> {
    for (i, side) in sides.iter_mut().enumerate() {
        job.advance(side, i)?;
    }
    if job.auto {
        job.auto_format(sides);
    }
    if job.header {
        let (a, b) = (sides[0].has.then_some(&sides[0].head), sides[1].has.then_some(&sides[1].head));
        if a.is_some() || b.is_some() {
            job.print(a, b, &mut process.stdout)?;
        }
        for (i, side) in sides.iter_mut().enumerate() {
            if side.has {
                job.advance(side, i)?;
            }
        }
    }
    let mut failed = false;
    let mut unpairable = false;
    // The lines of the second file that share a key, while those of the first file pass.
    let mut group: Vec<Row> = Vec::new();
    let mut memory: Reservation = process.budget.reservation();
    loop {
        process.budget.step()?;
        let order = match (sides[0].has, sides[1].has) {
            (false, false) => break,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => job.order(sides[0].head.key(job.field[0]), sides[1].head.key(job.field[1])),
        };
        match order {
            Ordering::Equal => {
                let key = sides[1].head.key(job.field[1]).to_vec();
                group.clear();
                memory.set(0)?;
                while sides[1].has && job.order(sides[1].head.key(job.field[1]), &key).is_eq() {
                    memory.grow(sides[1].head.text.len() as u64 + 48)?;
                    group.push(sides[1].head.clone());
                    job.advance(&mut sides[1], 1)?;
                    failed |= order_fault(process, job, sides, names, unpairable)?;
                }
                while sides[0].has && job.order(sides[0].head.key(job.field[0]), &key).is_eq() {
                    if job.pairs {
                        for row in &group {
                            job.print(Some(&sides[0].head), Some(row), &mut process.stdout)?;
                            process.budget.step()?;
                        }
                    }
                    job.advance(&mut sides[0], 0)?;
                    failed |= order_fault(process, job, sides, names, unpairable)?;
                }
            }
            side => {
                let i = usize::from(side.is_gt());
                if job.unpaired[i] {
                    let (a, b) =
                        if i == 0 { (Some(&sides[0].head), None) } else { (None, Some(&sides[1].head)) };
                    job.print(a, b, &mut process.stdout)?;
                }
                job.advance(&mut sides[i], i)?;
                failed |= order_fault(process, job, sides, names, unpairable)?;
                // Set after the check, as join.c does: the line after the first unpairable one goes unchecked.
                unpairable = true;
                sides[i].disordered = false;
            }
        }
        if failed && job.check == Check::Always {
            return Ok(Status::FAILURE);
        }
    }
    if failed {
        process.error(format_args!("input is not in sorted order"))?;
        return Ok(Status::FAILURE);
    }
    Ok(Status::OK)
}

fn order_fault(
    process: &mut Process,
    job: &Job,
    sides: &mut [Side; 2],
    names: &[Bytes],
    unpairable: bool,
) -> Result<bool> {
    let mut failed = false;
    for (i, side) in sides.iter_mut().enumerate() {
        if side.disordered && !side.told && (job.check == Check::Always || unpairable) {
            side.told = true;
            failed = true;
            let text = format!("{}:{}: is not sorted: ", String::from_utf8_lossy(&names[i]), side.lines);
            let text = text + &String::from_utf8_lossy(&side.head.text);
            process.error(format_args!("{text}"))?;
        }
    }
    Ok(failed)
}
