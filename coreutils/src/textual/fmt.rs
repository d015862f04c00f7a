//! `fmt`: fills paragraphs. The breaks are those of GNU fmt: the cheapest by its costs for short and ragged lines,
//! widows, orphans and sentences, found from the last word to the first.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Output, Process, Program, Result, Status};
use sandshell_text::number::parse_decimal;
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `fmt`
pub struct Fmt;

static SPEC: Spec = Spec {
    name: "fmt",
    about: "Reformat each paragraph in the FILE(s), writing to standard output.\n\
        The option -WIDTH is an abbreviated form of --width=DIGITS.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[-WIDTH] [OPTION]... [FILE]..."],
    options: &[
        Opt::new('c', "crown-margin", "preserve indentation of first two lines"),
        Opt::new(
            'p',
            "prefix",
            "reformat only lines beginning with STRING,\nreattaching the prefix to reformatted lines",
        )
        .value("STRING"),
        Opt::new('s', "split-only", "split long lines, but do not refill"),
        Opt::new('t', "tagged-paragraph", "indentation of first line different from second"),
        Opt::new('u', "uniform-spacing", "one space between words, two after sentences"),
        Opt::new('w', "width", "maximum line width (default of 75 columns)").value("WIDTH"),
        Opt::new('g', "goal", "goal width (default of 93% of width)").value("WIDTH"),
    ],
    notes: "",
    version: "fmt (GNU coreutils) 9.1",
    examples: &[Example { script: "echo one two three | fmt -w 8", output: "one two\nthree\n" }],
};

/// Columns between tab stops.
const TAB: i64 = 8;
/// Words and bytes of one paragraph; beyond them it is written in parts.
const MAX_WORDS: usize = 1000;
const MAX_CHARS: usize = 5000;
/// The second indentation that tagged paragraphs get when they have none.
const DEFAULT_INDENT: i64 = 3;

const fn square(n: i64) -> i64 {
    n * n
}
const LINE_COST: i64 = square(70);
const SENTENCE_BONUS: i64 = square(50);
const NO_BREAK_COST: i64 = square(600);
const PAREN_BONUS: i64 = square(40);
const PUNCT_BONUS: i64 = square(40);
const LINE_CREDIT: i64 = square(3);

fn short_cost(n: i64) -> i64 {
    square(n * 10)
}

fn ragged_cost(n: i64) -> i64 {
    short_cost(n) / 2
}

#[derive(Debug, Clone, Default)]
struct Word {
    text: Vec<u8>,
    space: i64,
    paren: bool,
    period: bool,
    punct: bool,
    /// Ends a sentence.
    last: bool,
    line_length: i64,
    best_cost: i64,
    next_break: usize,
}

impl Word {
    fn len(&self) -> i64 {
        self.text.len() as i64
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Margin {
    Plain,
    Crown,
    Tagged,
    Split,
}

struct Formatter<'a> {
    text: &'a [u8],
    at: usize,
    out: &'a mut Output,
    margin: Margin,
    uniform: bool,
    max: i64,
    goal: i64,
    prefix: Vec<u8>,
    prefix_full_length: i64,
    prefix_lead_space: i64,
    tabs: bool,
    in_column: i64,
    out_column: i64,
    prefix_indent: i64,
    next_prefix_indent: i64,
    first_indent: i64,
    other_indent: i64,
    last_line_length: i64,
    words: Vec<Word>,
    chars: usize,
    line: Vec<u8>,
}

impl Formatter<'_> {
    fn getc(&mut self) -> Option<u8> {
        let c = self.text.get(self.at).copied();
        self.at += 1;
        c
    }

    fn run(&mut self, process: &sandshell_kernel::Budget) -> Result<()> {
        let mut next = self.get_prefix();
        loop {
            process.steps(64)?;
            match self.get_paragraph(next)? {
                Some(c) => next = c,
                None => return Ok(()),
            }
            self.fill();
            let all = self.words.len();
            self.put_paragraph(all)?;
        }
    }

    fn same_paragraph(&self, c: Option<u8>) -> bool {
        self.next_prefix_indent == self.prefix_indent
            && self.in_column >= self.next_prefix_indent + self.prefix_full_length
            && c.is_some_and(|c| c != b'\n')
    }

    fn set_other_indent(&mut self, same: bool) {
        match self.margin {
            Margin::Split | Margin::Plain => self.other_indent = self.first_indent,
            Margin::Crown => self.other_indent = if same { self.in_column } else { self.first_indent },
            Margin::Tagged => {
                if same && self.in_column != self.first_indent {
                    self.other_indent = self.in_column;
                } else if self.other_indent == self.first_indent {
                    self.other_indent = if self.first_indent == 0 { DEFAULT_INDENT } else { 0 };
                }
            }
        }
    }

    /// Reads a paragraph into `words`, copying what comes before it. What follows its first character is given back;
    /// `None` at the end of the input.
    fn get_paragraph(&mut self, mut c: Option<u8>) -> Result<Option<Option<u8>>> {
        self.last_line_length = 0;
        while c.is_none()
            || c == Some(b'\n')
            || self.next_prefix_indent < self.prefix_lead_space
            || self.in_column < self.next_prefix_indent + self.prefix_full_length
        {
            c = self.copy_rest(c)?;
            if c.is_none() {
                return Ok(None);
            }
            self.line.push(b'\n');
            self.flush_line()?;
            c = self.get_prefix();
        }
        self.prefix_indent = self.next_prefix_indent;
        self.first_indent = self.in_column;
        self.words.clear();
        self.chars = 0;
        c = self.get_line(c)?;
        let same = self.same_paragraph(c);
        self.set_other_indent(same);
        match self.margin {
            Margin::Split => {}
            Margin::Crown | Margin::Tagged => {
                if same && (self.margin == Margin::Crown || self.in_column != self.first_indent) {
                    loop {
                        c = self.get_line(c)?;
                        if !(self.same_paragraph(c) && self.in_column == self.other_indent) {
                            break;
                        }
                    }
                }
            }
            Margin::Plain => {
                while self.same_paragraph(c) && self.in_column == self.other_indent {
                    c = self.get_line(c)?;
                }
            }
        }
        if let Some(last) = self.words.last_mut() {
            last.period = true;
            last.last = true;
        }
        Ok(Some(c))
    }

    /// Copies a line that is not filled.
    fn copy_rest(&mut self, mut c: Option<u8>) -> Result<Option<u8>> {
        self.out_column = 0;
        let ends = |c: Option<u8>| c.is_none() || c == Some(b'\n');
        if self.in_column > self.next_prefix_indent || !ends(c) {
            self.put_space(self.next_prefix_indent);
            for i in 0..self.prefix.len() {
                if self.out_column == self.in_column {
                    break;
                }
                self.line.push(self.prefix[i]);
                self.out_column += 1;
            }
            if !ends(c) {
                self.put_space(self.in_column - self.out_column);
            }
            if c.is_none() && self.in_column >= self.next_prefix_indent + self.prefix.len() as i64 {
                self.line.push(b'\n');
            }
        }
        while let Some(b) = c.filter(|b| *b != b'\n') {
            self.line.push(b);
            c = self.getc();
        }
        if c.is_none() {
            self.flush_line()?;
        }
        Ok(c)
    }

    fn get_line(&mut self, mut c: Option<u8>) -> Result<Option<u8>> {
        loop {
            let mut word = Word::default();
            while let Some(b) = c {
                if self.chars == MAX_CHARS {
                    self.set_other_indent(true);
                    self.flush_paragraph(&mut word)?;
                }
                word.text.push(b);
                self.chars += 1;
                c = self.getc();
                if c.is_some_and(|c| matches!(c, b' ' | b'\t'..=b'\r')) {
                    break;
                }
            }
            self.in_column += word.len();
            punctuation(&mut word);
            let start = self.in_column;
            c = self.get_space(c);
            word.space = self.in_column - start;
            word.last = c.is_none() || word.period && (c == Some(b'\n') || word.space > 1);
            if c.is_none() || c == Some(b'\n') || self.uniform {
                word.space = if word.last { 2 } else { 1 };
            }
            if self.words.len() == MAX_WORDS - 2 {
                self.set_other_indent(true);
                self.flush_paragraph(&mut word)?;
            }
            self.words.push(word);
            if c.is_none() || c == Some(b'\n') {
                return Ok(self.get_prefix());
            }
        }
    }

    fn get_prefix(&mut self) -> Option<u8> {
        self.in_column = 0;
        let first = self.getc();
        let mut c = self.get_space(first);
        if self.prefix.is_empty() {
            self.next_prefix_indent = self.prefix_lead_space.min(self.in_column);
            return c;
        }
        self.next_prefix_indent = self.in_column;
        for i in 0..self.prefix.len() {
            if c != Some(self.prefix[i]) {
                return c;
            }
            self.in_column += 1;
            c = self.getc();
        }
        self.get_space(c)
    }

    fn get_space(&mut self, mut c: Option<u8>) -> Option<u8> {
        loop {
            match c {
                Some(b' ') => self.in_column += 1,
                Some(b'\t') => {
                    self.tabs = true;
                    self.in_column = (self.in_column / TAB + 1) * TAB;
                }
                other => return other,
            }
            c = self.getc();
        }
    }

    /// Finds the cheapest breaks of `words`.
    fn fill(&mut self) {
        let end = self.words.len();
        for start in (0..end).rev() {
            let mut best = i64::MAX;
            let mut len = if start == 0 { self.first_indent } else { self.other_indent };
            len += self.words[start].len();
            let mut w = start;
            loop {
                w += 1;
                let mut cost = self.line_cost(w, len) + self.words.get(w).map_or(0, |w| w.best_cost);
                if start == 0 && self.last_line_length > 0 {
                    cost += ragged_cost(len - self.last_line_length);
                }
                if cost < best {
                    best = cost;
                    self.words[start].next_break = w;
                    self.words[start].line_length = len;
                }
                if w == end {
                    break;
                }
                len += self.words[w - 1].space + self.words[w].len();
                if len >= self.max {
                    break;
                }
            }
            self.words[start].best_cost = best + self.base_cost(start);
        }
    }

    /// The cost of breaking before the word.
    fn base_cost(&self, this: usize) -> i64 {
        let w = &self.words;
        let mut cost = LINE_COST;
        if this > 0 {
            let before = &w[this - 1];
            if before.period {
                cost += if before.last { -SENTENCE_BONUS } else { NO_BREAK_COST };
            } else if before.punct {
                cost -= PUNCT_BONUS;
            } else if this > 1 && w[this - 2].last {
                cost += square(200) / before.len().max(1);
            }
        }
        if w[this].paren {
            cost -= PAREN_BONUS;
        } else if w[this].last {
            cost += square(150) / w[this].len().max(1);
        }
        cost
    }

    /// The cost of a line of this length before the word `next`.
    fn line_cost(&self, next: usize, len: i64) -> i64 {
        let Some(word) = self.words.get(next) else { return 0 };
        let mut cost = short_cost(self.goal - len);
        if word.next_break != self.words.len() {
            cost += ragged_cost(len - word.line_length);
        }
        cost
    }

    /// Writes a part of a paragraph that is too long to be held. `partial` is a word that is being read.
    fn flush_paragraph(&mut self, partial: &mut Word) -> Result<()> {
        if self.words.is_empty() {
            // All one word.
            self.line.append(&mut partial.text);
            self.chars = 0;
            return self.flush_line();
        }
        self.fill();
        let end = self.words.len();
        let (mut split, mut best) = (end, i64::MAX);
        let mut w = self.words[0].next_break;
        while w != end {
            let after = self.words.get(self.words[w].next_break).map_or(0, |n| n.best_cost);
            let cost = self.words[w].best_cost - after;
            if cost < best {
                split = w;
                best = cost;
            }
            if best <= i64::MAX - LINE_CREDIT {
                best += LINE_CREDIT;
            }
            w = self.words[w].next_break;
        }
        self.put_paragraph(split)?;
        let written: usize = self.words.drain(..split).map(|w| w.text.len()).sum();
        self.chars -= written.min(self.chars);
        Ok(())
    }

    fn put_paragraph(&mut self, finish: usize) -> Result<()> {
        let mut from = 0;
        while from < finish {
            let indent = if from == 0 { self.first_indent } else { self.other_indent };
            let to = self.words[from].next_break;
            self.out_column = 0;
            self.put_space(self.prefix_indent);
            self.line.extend_from_slice(&self.prefix);
            self.out_column += self.prefix.len() as i64;
            self.put_space(indent - self.out_column);
            for w in from..to {
                self.line.extend_from_slice(&self.words[w].text);
                self.out_column += self.words[w].len();
                if w + 1 < to {
                    self.put_space(self.words[w].space);
                }
            }
            self.last_line_length = self.out_column;
            self.line.push(b'\n');
            self.flush_line()?;
            from = to;
        }
        Ok(())
    }

    fn put_space(&mut self, space: i64) {
        let target = self.out_column + space;
        if self.tabs {
            let tab_target = target / TAB * TAB;
            if self.out_column + 1 < tab_target {
                while self.out_column < tab_target {
                    self.line.push(b'\t');
                    self.out_column = (self.out_column / TAB + 1) * TAB;
                }
            }
        }
        while self.out_column < target {
            self.line.push(b' ');
            self.out_column += 1;
        }
    }

    fn flush_line(&mut self) -> Result<()> {
        let r = self.out.put(&self.line);
        self.line.clear();
        r
    }
}

fn punctuation(w: &mut Word) {
    let (Some(&first), Some(&end)) = (w.text.first(), w.text.last()) else { return };
    w.paren = b"(['`\"".contains(&first);
    w.punct = end.is_ascii_punctuation();
    let mut at = w.text.len() - 1;
    while at > 0 && b")]'\"".contains(&w.text[at]) {
        at -= 1;
    }
    w.period = b".?!".contains(&w.text[at]);
}

impl Program for Fmt {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let mut first = None;
        if let Some(arg) = process.args.get(1)
            && arg.len() > 1
            && arg[0] == b'-'
            && arg[1].is_ascii_digit()
        {
            // `-40` is a width only as the first argument.
            first = Some(arg.slice(1..));
            process.args.remove(1);
        }
        if let Some(bad) =
            process.args.iter().skip(1).find(|a| a.len() > 1 && a[0] == b'-' && a[1].is_ascii_digit())
        {
            let c = char::from(bad[1]);
            process.error(format_args!(
                "invalid option -- {c}; -WIDTH is recognized only when it is the first\noption; use -w N instead"
            ))?;
            return cli::try_help(process, 1);
        }
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let number =
            |process: &mut Process, text: &Bytes, most: i64| -> Result<std::result::Result<i64, Status>> {
                let shown = cli::quote(text);
                match parse_decimal(text) {
                    Some(n) if n <= most as u64 => return Ok(Ok(n as i64)),
                    Some(_) => {
                        process
                            .error(format_args!("invalid width: {shown}: Numerical result out of range"))?;
                    }
                    None => process.error(format_args!("invalid width: {shown}"))?,
                }
                Ok(Err(Status::FAILURE))
            };
        let mut max = 75;
        let width = parsed.last("width").or(first.as_ref());
        if let Some(w) = width {
            match number(process, w, MAX_CHARS as i64 / 2)? {
                Ok(n) => max = n,
                Err(status) => return Ok(status),
            }
        }
        let mut goal = max * (2 * (100 - 7) + 1) / 200;
        if let Some(g) = parsed.last("goal") {
            match number(process, g, max)? {
                Ok(n) => goal = n,
                Err(status) => return Ok(status),
            }
            if width.is_none() {
                max = goal + 10;
            }
        }
        let margin = match () {
            _ if parsed.has("split-only") => Margin::Split,
            _ if parsed.has("crown-margin") => Margin::Crown,
            _ if parsed.has("tagged-paragraph") => Margin::Tagged,
            _ => Margin::Plain,
        };
        let given = parsed.last("prefix").cloned().unwrap_or_default();
        let lead = given.iter().take_while(|b| **b == b' ').count();
        let body = &given[lead..];
        let trimmed = body.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
        let mut status = Status::OK;
        for name in inputs::or_stdin(parsed.operands.clone()) {
            let Some(mut input) = inputs::open_for_reading(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            let text = input.read_all()?;
            let _held = process.budget.reserve(text.len() as u64)?;
            let mut f = Formatter {
                text: &text,
                at: 0,
                out: &mut process.stdout,
                margin,
                uniform: parsed.has("uniform-spacing"),
                max,
                goal,
                prefix: body[..trimmed].to_vec(),
                prefix_full_length: body.len() as i64,
                prefix_lead_space: lead as i64,
                tabs: false,
                in_column: 0,
                out_column: 0,
                prefix_indent: 0,
                next_prefix_indent: 0,
                first_indent: 0,
                other_indent: 0,
                last_line_length: 0,
                words: Vec::new(),
                chars: 0,
                line: Vec::new(),
            };
            f.run(&process.budget)?;
        }
        Ok(status)
    }
}
