//! The formats that show changes line by line: normal, ed scripts, RCS, context and unified.

use super::{
    Config, Style,
    compare::Change,
    text::{Text, is_space},
};
use crate::search::clock;
use sandshell_kernel::{Output, Result};

/// What a hunk does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Does {
    /// It has lines of the old file.
    pub old: bool,
    /// It has lines of the new file.
    pub new: bool,
}

/// Prints the changes of one pair of files.
pub struct Printer<'a> {
    /// The options.
    pub config: &'a Config,
    /// Both files.
    pub texts: &'a [Text; 2],
    /// Where to.
    pub out: &'a mut Output,
    /// The time zone of the headers.
    pub zone: &'a clock::Zone,
    started: bool,
    /// For `-F`: where the last search began, and what it found.
    searched: (usize, Option<usize>),
}

/// The first and last line of a hunk, from 0; an empty one has its last before its first.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub first: usize,
    pub end: usize,
}

impl Range {
    /// As `first,last` counted from 1; an empty one is the line before it.
    fn text(self, separator: &str) -> String {
        match self.end - self.first {
            0 => self.first.to_string(),
            1 => self.end.to_string(),
            _ => format!("{}{separator}{}", self.first + 1, self.end),
        }
    }
}

impl<'a> Printer<'a> {
    /// A printer for one pair of files.
    pub fn new(
        config: &'a Config,
        texts: &'a [Text; 2],
        out: &'a mut Output,
        zone: &'a clock::Zone,
    ) -> Printer<'a> {
        Printer { config, texts, out, zone, started: false, searched: (0, None) }
    }

    /// What a group of changes does; `None` when `-B` or `-I` say that it does not count.
    pub fn analyze(&self, hunk: &[Change]) -> Option<Does> {
        let config = self.config;
        if (config.ignore_blank || config.ignore_lines.is_some()) && hunk.iter().all(|c| self.trivial(c)) {
            return None;
        }
        let does = Does { old: hunk.iter().any(|c| c.deleted > 0), new: hunk.iter().any(|c| c.inserted > 0) };
        (does.old || does.new).then_some(does)
    }

    fn trivial(&self, c: &Change) -> bool {
        let lines = |t: &'a Text, from: usize, n: usize| (from..from + n).map(move |i| t.line(i));
        let all = lines(&self.texts[0], c.line0, c.deleted).chain(lines(&self.texts[1], c.line1, c.inserted));
        let mut all = all.map(|l| l.strip_suffix(b"\n").unwrap_or(l));
        all.all(|l| {
            let skips = self.config.white.skips_trailing();
            let blank = self.config.ignore_blank && (l.is_empty() || skips && l.iter().all(|&b| is_space(b)));
            blank || self.config.ignore_lines.as_ref().is_some_and(|re| re.matches(l))
        })
    }

    /// Prints all changes in the style of the options.
    pub fn print(&mut self, changes: &mut [Change]) -> Result<()> {
        match self.config.style {
            Style::Context(n) | Style::Unified(n) => {
                for i in 0..changes.len() {
                    changes[i].ignore = self.analyze(&changes[i..=i]).is_none();
                }
                let mut from = 0;
                while from < changes.len() {
                    let mut to = from + 1;
                    while to < changes.len() {
                        let (a, b) = (&changes[to - 1], &changes[to]);
                        let gap = b.line0 - (a.line0 + a.deleted);
                        let enough =
                            if a.ignore || b.ignore { n } else { n.saturating_mul(2).saturating_add(1) };
                        if gap >= enough {
                            break;
                        }
                        to += 1;
                    }
                    let hunk = &changes[from..to];
                    if let Some(does) = self.analyze(hunk) {
                        match self.config.style {
                            Style::Context(_) => self.context(hunk, does, n)?,
                            _ => self.unified(hunk, n)?,
                        }
                    }
                    from = to;
                }
                Ok(())
            }
            style => {
                let one = |p: &mut Self, c: &Change| match p.analyze(std::slice::from_ref(c)) {
                    None => Ok(()),
                    Some(does) => match style {
                        Style::Ed => p.ed(c, does),
                        Style::ForwardEd => p.forward_ed(c, does),
                        Style::Rcs => p.rcs(c, does),
                        _ => p.normal(c, does),
                    },
                };
                match style {
                    Style::Ed => changes.iter().rev().try_for_each(|c| one(self, c)),
                    _ => changes.iter().try_for_each(|c| one(self, c)),
                }
            }
        }
    }

    /// Begins the color of a capability of `--palette`.
    pub(super) fn color(&mut self, capability: &str) -> Result<()> {
        match &self.config.color {
            Some(palette) if !capability.is_empty() => {
                let code = palette.iter().find(|(n, _)| n == capability).map_or("", |(_, c)| c);
                self.out.put(format!("\x1b[{code}m").as_bytes())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn end_color(&mut self) -> Result<()> {
        self.color("rs")
    }

    /// A line behind `mark`. Normal and context style put a space (or with `-T` a tab) between the two.
    fn line(&mut self, mark: &str, text: usize, i: usize) -> Result<()> {
        let line = self.texts[text].line(i);
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let config = self.config;
        let bare = content.is_empty() && config.suppress_blank_empty;
        let separator = if config.initial_tab { "\t" } else { " " };
        match (config.style, mark) {
            (Style::Unified(_), " ") if bare => {}
            (Style::Unified(_), " ") => self.out.put(separator.as_bytes())?,
            (Style::Unified(_), mark) => {
                self.out.put(mark.as_bytes())?;
                if config.initial_tab && !content.is_empty() {
                    self.out.byte(b'\t')?;
                }
            }
            (_, mark) if bare => self.out.put(mark.trim_end().as_bytes())?,
            (_, mark) => {
                self.out.put(mark.as_bytes())?;
                self.out.put(separator.as_bytes())?;
            }
        }
        self.content(content)
    }

    fn content(&mut self, line: &[u8]) -> Result<()> {
        if !self.config.expand_tabs || memchr::memchr(b'\t', line).is_none() {
            return self.out.put(line);
        }
        let mut column = 0;
        for &b in line {
            match b {
                b'\t' => {
                    let n = self.config.tab_size - column % self.config.tab_size;
                    for _ in 0..n {
                        self.out.byte(b' ')?;
                    }
                    column += n;
                }
                b => {
                    column += usize::from(b & 0xc0 != 0x80);
                    self.out.byte(b)?;
                }
            }
        }
        Ok(())
    }

    fn end_line(&mut self, text: usize, i: usize) -> Result<()> {
        self.out.byte(b'\n')?;
        if !self.texts[text].line(i).ends_with(b"\n") && self.config.style.robust() {
            self.out.put(b"\\ No newline at end of file\n")?;
        }
        Ok(())
    }

    fn colored_line(&mut self, mark: &str, code: &str, text: usize, i: usize) -> Result<()> {
        self.color(code)?;
        self.line(mark, text, i)?;
        if !code.is_empty() {
            self.end_color()?;
        }
        self.end_line(text, i)
    }

    fn plain(&mut self, text: usize, i: usize) -> Result<()> {
        let line = self.texts[text].line(i);
        self.out.put(line.strip_suffix(b"\n").unwrap_or(line))?;
        self.out.byte(b'\n')
    }

    fn normal(&mut self, c: &Change, does: Does) -> Result<()> {
        let old = Range { first: c.line0, end: c.line0 + c.deleted };
        let new = Range { first: c.line1, end: c.line1 + c.inserted };
        self.color("ln")?;
        self.out.text(format_args!("{}{}{}", old.text(","), letter(does), new.text(",")))?;
        self.end_color()?;
        self.out.byte(b'\n')?;
        for i in old.first..old.end {
            self.colored_line("<", "de", 0, i)?;
        }
        if does.old && does.new {
            self.out.put(b"---\n")?;
        }
        for i in new.first..new.end {
            self.colored_line(">", "ad", 1, i)?;
        }
        Ok(())
    }

    fn ed(&mut self, c: &Change, does: Does) -> Result<()> {
        let old = Range { first: c.line0, end: c.line0 + c.deleted };
        self.out.text(format_args!("{}{}\n", old.text(","), letter(does)))?;
        if !does.new {
            return Ok(());
        }
        let mut inserting = true;
        for i in c.line1..c.line1 + c.inserted {
            if !std::mem::replace(&mut inserting, true) {
                self.out.put(b"a\n")?;
            }
            match self.texts[1].line(i) {
                b".\n" => {
                    // A line with just a dot would end the insertion.
                    self.out.put(b"..\n.\ns/.//\n")?;
                    inserting = false;
                }
                _ => self.plain(1, i)?,
            }
        }
        if inserting {
            self.out.put(b".\n")?;
        }
        Ok(())
    }

    fn forward_ed(&mut self, c: &Change, does: Does) -> Result<()> {
        let old = Range { first: c.line0, end: c.line0 + c.deleted };
        self.out.text(format_args!("{}{}\n", letter(does), old.text(" ")))?;
        if does.new {
            for i in c.line1..c.line1 + c.inserted {
                self.plain(1, i)?;
            }
            self.out.put(b".\n")?;
        }
        Ok(())
    }

    fn rcs(&mut self, c: &Change, does: Does) -> Result<()> {
        if does.old {
            self.out.text(format_args!("d{} {}\n", c.line0 + 1, c.deleted))?;
        }
        if does.new {
            self.out.text(format_args!("a{} {}\n", c.line0 + c.deleted, c.inserted))?;
            for i in c.line1..c.line1 + c.inserted {
                let line = self.texts[1].line(i);
                self.out.put(line)?;
            }
        }
        Ok(())
    }

    fn header(&mut self, marks: [&str; 2]) -> Result<()> {
        if std::mem::replace(&mut self.started, true) {
            return Ok(());
        }
        for (text, mark) in self.texts.iter().zip(marks) {
            self.color("hd")?;
            self.out.put(mark.as_bytes())?;
            match &text.label {
                Some(label) => self.out.put(label)?,
                None => {
                    self.out.put(&super::escape_name(&text.name))?;
                    let time = clock::strftime(self.zone, text.mtime, "%Y-%m-%d %H:%M:%S");
                    let zone = clock::strftime(self.zone, text.mtime, "%z");
                    self.out.text(format_args!("\t{time}.{:09} {zone}", text.mtime.nanos()))?;
                }
            }
            self.end_color()?;
            self.out.byte(b'\n')?;
        }
        Ok(())
    }

    /// The lines of a hunk with `n` lines of context, in both files.
    fn around(&self, hunk: &[Change], n: usize) -> [Range; 2] {
        let (first, last) = (&hunk[0], &hunk[hunk.len() - 1]);
        // Context before is the same number of lines in both files.
        let before = n.min(first.line0).min(first.line1);
        let end = |from: usize, t: &Text| from.saturating_add(n).min(t.len());
        [
            Range { first: first.line0 - before, end: end(last.line0 + last.deleted, &self.texts[0]) },
            Range { first: first.line1 - before, end: end(last.line1 + last.inserted, &self.texts[1]) },
        ]
    }

    /// The last line before `line` that `-F` or `-p` looks for, cut for a header.
    fn function(&mut self, line: usize) -> Vec<u8> {
        let Some(re) = &self.config.function else { return Vec::new() };
        let (last, found) = self.searched;
        let text = &self.texts[0];
        let bare = |i: usize| {
            let l = text.line(i);
            l.strip_suffix(b"\n").unwrap_or(l)
        };
        let found = (last.min(line)..line).rev().find(|&i| re.matches(bare(i))).or(found);
        self.searched = (line, found);
        let Some(i) = found else { return Vec::new() };
        let l = bare(i);
        let from = l.iter().position(|&b| !is_space(b)).unwrap_or(l.len());
        let cut = &l[from..l.len().min(from + 40)];
        let end = cut.iter().rposition(|&b| !is_space(b)).map_or(0, |i| i + 1);
        [b" ", &cut[..end]].concat()
    }

    fn context(&mut self, hunk: &[Change], does: Does, n: usize) -> Result<()> {
        let [old, new] = self.around(hunk, n);
        let function = self.function(old.first);
        self.header(["*** ", "--- "])?;
        self.out.put(b"***************")?;
        self.out.put(&function)?;
        self.out.byte(b'\n')?;
        let ranges = [(old, "***", "****", does.old), (new, "---", "----", does.new)];
        for (side, (range, start, end, shown)) in ranges.into_iter().enumerate() {
            self.color("ln")?;
            self.out.text(format_args!("{start} {} {end}", range.text(",")))?;
            self.end_color()?;
            self.out.byte(b'\n')?;
            if !shown {
                continue;
            }
            let mut at = 0;
            for i in range.first..range.end {
                let span = |c: &Change| match side {
                    0 => (c.line0, c.deleted),
                    _ => (c.line1, c.inserted),
                };
                while at < hunk.len() && span(&hunk[at]).0 + span(&hunk[at]).1 <= i {
                    at += 1;
                }
                let c = hunk.get(at).filter(|c| span(c).0 <= i);
                let mark = match c {
                    None => " ",
                    Some(c) if c.deleted > 0 && c.inserted > 0 => "!",
                    Some(_) if side == 0 => "-",
                    Some(_) => "+",
                };
                let code = if side == 0 { "de" } else { "ad" };
                self.colored_line(mark, code, side, i)?;
            }
        }
        Ok(())
    }

    fn unified(&mut self, hunk: &[Change], n: usize) -> Result<()> {
        let [old, new] = self.around(hunk, n);
        let function = self.function(old.first);
        self.header(["--- ", "+++ "])?;
        let range = |r: Range| match r.end - r.first {
            0 => format!("{},0", r.first),
            1 => r.end.to_string(),
            n => format!("{},{n}", r.first + 1),
        };
        self.color("ln")?;
        self.out.text(format_args!("@@ -{} +{} @@", range(old), range(new)))?;
        self.end_color()?;
        self.out.put(&function)?;
        self.out.byte(b'\n')?;
        let mut i = old.first;
        for c in hunk {
            while i < c.line0 {
                self.same(i)?;
                i += 1;
            }
            for k in c.line0..c.line0 + c.deleted {
                self.colored_line("-", "de", 0, k)?;
            }
            for k in c.line1..c.line1 + c.inserted {
                self.colored_line("+", "ad", 1, k)?;
            }
            i = c.line0 + c.deleted;
        }
        while i < old.end {
            self.same(i)?;
            i += 1;
        }
        Ok(())
    }

    fn same(&mut self, i: usize) -> Result<()> {
        self.colored_line(" ", "", 0, i)
    }
}

fn letter(does: Does) -> char {
    match (does.old, does.new) {
        (true, true) => 'c',
        (true, false) => 'd',
        _ => 'a',
    }
}
