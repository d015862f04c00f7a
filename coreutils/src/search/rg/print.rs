//! What rg prints of the lines of one file, and the counts that it keeps.

use super::{
    json,
    options::{Config, Mode},
};
use crate::search::scan::{Line, Sink};
use sandshell_kernel::{Bytes, Output, Result};

/// Numbers of one search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Single matches.
    pub matches: u64,
    /// Lines that match.
    pub lines: u64,
}

/// Prints the lines of one file.
pub struct Printer<'a> {
    /// The options.
    pub config: &'a Config,
    /// Where to.
    pub out: &'a mut Output,
    /// The path, shown if `show_name`.
    pub name: &'a [u8],
    /// Whether the path is shown.
    pub show_name: bool,
    /// With `-U`: the matches of the whole text.
    pub spans: Option<Vec<(usize, usize)>>,
    /// The whole text, with `-U`.
    pub text: Bytes,
    /// Something was printed for an earlier file.
    pub printed_before: bool,
    /// Something was printed for this file.
    pub started: bool,
    /// What was counted.
    pub counts: Counts,
    /// Matches of the current line.
    matches: Vec<(usize, usize)>,
    /// Text up to here is part of a match that was replaced.
    replaced_to: u64,
}

impl<'a> Printer<'a> {
    /// A printer for one file.
    pub fn new(
        config: &'a Config,
        out: &'a mut Output,
        name: &'a [u8],
        show_name: bool,
        printed_before: bool,
    ) -> Self {
        Printer {
            config,
            out,
            name,
            show_name,
            spans: None,
            text: Bytes::new(),
            printed_before,
            started: false,
            counts: Counts::default(),
            matches: Vec::new(),
            replaced_to: 0,
        }
    }

    fn colored(&mut self, code: &str, text: &[u8]) -> Result<()> {
        if !self.config.color {
            return self.out.put(text);
        }
        self.out.put(b"\x1b[0m")?;
        self.out.put(code.as_bytes())?;
        self.out.put(text)?;
        self.out.put(b"\x1b[0m")
    }

    /// The path, as before a line or a count.
    pub fn path(&mut self) -> Result<()> {
        let name = self.name;
        self.colored("\x1b[35m", name)
    }

    /// What stands before the first line of a file.
    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.started, true) {
            return Ok(());
        }
        if self.config.mode == Mode::Json {
            return json::begin(self.out, self.name);
        }
        if self.config.heading && self.show_name {
            if self.printed_before {
                self.out.byte(b'\n')?;
            }
            self.path()?;
            self.out.byte(if self.config.null { 0 } else { b'\n' })?;
        } else if self.printed_before && (self.config.before > 0 || self.config.after > 0) {
            self.gap()?;
        }
        Ok(())
    }

    fn prefix(&mut self, number: u64, column: Option<usize>, offset: u64, selected: bool) -> Result<()> {
        let field: &[u8] = if selected { &self.config.field } else { &self.config.field_context };
        let field = field.to_vec();
        if self.show_name && !self.config.heading {
            self.path()?;
            match self.config.null {
                true => self.out.byte(0)?,
                false => self.out.put(&field)?,
            }
        }
        let mut digits = itoa::Buffer::new();
        if self.config.numbers {
            self.colored("\x1b[32m", digits.format(number).as_bytes())?;
            self.out.put(&field)?;
        }
        if let (true, Some(column)) = (self.config.column, column) {
            self.colored("", digits.format(column).as_bytes())?;
            self.out.put(&field)?;
        }
        if self.config.offset {
            self.colored("", digits.format(offset).as_bytes())?;
            self.out.put(&field)?;
        }
        Ok(())
    }

    /// The matches within a line.
    fn find(&mut self, line: &Line<'_>) {
        let mut found = std::mem::take(&mut self.matches);
        found.clear();
        let from = line.offset as usize;
        let end = from + line.bytes.len();
        if let Some(spans) = &self.spans {
            let first = spans.partition_point(|s| s.1 < from);
            let inside = spans[first..].iter().take_while(|s| s.0 <= end);
            found.extend(inside.map(|s| (s.0.max(from) - from, s.1.min(end) - from)));
        } else if let Some(pattern) = &self.config.pattern {
            let bytes = self.without_cr(line.bytes);
            pattern.matches(bytes, &mut found);
        }
        self.matches = found;
    }

    fn without_cr<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        match self.config.crlf {
            true => line.strip_suffix(b"\r").unwrap_or(line),
            false => line,
        }
    }

    fn body(&mut self, bytes: &[u8], matches: &[(usize, usize)], selected: bool) -> Result<()> {
        let trimmed = match self.config.trim {
            true => bytes.iter().take_while(|b| b.is_ascii_whitespace()).count(),
            false => 0,
        };
        let bytes = &bytes[trimmed..];
        let bytes_len = bytes.len();
        if let Some(max) = self.config.max_columns.filter(|max| bytes_len > *max) {
            if self.config.preview {
                let text = String::from_utf8_lossy(bytes);
                let cut: String = text.chars().take(max).collect();
                self.out.put(cut.as_bytes())?;
                return match self.config.only_matching || matches.is_empty() || !self.config.color {
                    true => self.out.put(b" [... omitted end of long line]"),
                    false => self.out.text(format_args!(" [... {} more matches]", matches.len())),
                };
            }
            return match (selected, self.granular()) {
                (false, _) => self.out.put(b"[Omitted long context line]"),
                (true, true) => {
                    self.out.text(format_args!("[Omitted long line with {} matches]", matches.len()))
                }
                (true, false) => self.out.put(b"[Omitted long matching line]"),
            };
        }
        if !self.config.color {
            return self.out.put(bytes);
        }
        let mut at = 0;
        for &(s, e) in matches {
            let (s, e) = (s.saturating_sub(trimmed), e.saturating_sub(trimmed));
            if s >= e || s < at || e > bytes_len {
                continue;
            }
            self.out.put(&bytes[at..s])?;
            self.colored("\x1b[1m\x1b[31m", &bytes[s..e])?;
            at = e;
        }
        self.out.put(&bytes[at..])
    }

    /// Whether single matches are looked at.
    fn granular(&self) -> bool {
        let c = self.config;
        c.color
            || c.column
            || c.only_matching
            || c.per_match
            || c.replace.is_some()
            || c.stats
            || c.mode == Mode::Json
    }

    fn each_match(&mut self, line: &Line<'_>) -> Result<()> {
        let matches = std::mem::take(&mut self.matches);
        let mut replaced = Vec::new();
        for &(s, e) in &matches {
            let offset = line.offset + s as u64;
            let whole_from = line.offset as usize + s;
            let text: &[u8] = match &self.spans {
                // A match of several lines is printed where it begins.
                Some(spans) => match spans.binary_search_by_key(&whole_from, |x| x.0) {
                    Ok(i) => &self.text[spans[i].0..spans[i].1],
                    Err(_) => continue,
                },
                None => &line.bytes[s..e],
            };
            let text = text.to_vec();
            let text = match (&self.config.replace, &self.config.pattern) {
                (Some(r), Some(p)) => {
                    replaced.clear();
                    match self.spans.is_some() {
                        true => p.replace(&self.text, whole_from, r, &mut replaced),
                        false => p.replace(line.bytes, s, r, &mut replaced),
                    }
                    replaced.clone()
                }
                _ => text,
            };
            self.prefix(line.number, Some(s + 1), offset, true)?;
            let span = [(0, text.len())];
            let bare = text.strip_suffix(b"\n").unwrap_or(&text);
            self.body(bare, &span[..usize::from(bare.len() == text.len())], true)?;
            self.out.byte(self.config.eol)?;
        }
        self.matches = matches;
        Ok(())
    }

    /// The line with its matches replaced, and where the replacements are.
    fn replaced(&mut self, line: &Line<'_>, replacement: &[u8]) -> (Vec<u8>, Vec<(usize, usize)>, bool) {
        let mut text = Vec::new();
        let mut places = Vec::new();
        let Some(pattern) = &self.config.pattern else { return (line.bytes.to_vec(), places, true) };
        let mut at = (self.replaced_to.saturating_sub(line.offset) as usize).min(line.bytes.len());
        let mut ends = true;
        for &(s, e) in &self.matches {
            if s < at {
                continue;
            }
            text.extend_from_slice(&line.bytes[at..s]);
            let from = text.len();
            match &self.spans {
                Some(spans) => {
                    let whole = line.offset as usize + s;
                    if let Ok(i) = spans.binary_search_by_key(&whole, |x| x.0) {
                        pattern.replace(&self.text, whole, replacement, &mut text);
                        self.replaced_to = spans[i].1 as u64;
                        ends = spans[i].1 <= line.offset as usize + line.bytes.len();
                    }
                }
                None => pattern.replace(line.bytes, s, replacement, &mut text),
            }
            places.push((from, text.len()));
            at = e;
        }
        text.extend_from_slice(&line.bytes[at..]);
        (text, places, ends)
    }
}

impl Sink for Printer<'_> {
    fn line(&mut self, line: Line<'_>) -> Result<()> {
        self.begin()?;
        let config = self.config;
        let matching = line.selected && !config.invert;
        self.matches.clear();
        // With -v the context lines are the ones that match.
        if self.granular() && (matching || config.invert && !line.selected && config.color) {
            self.find(&line);
        }
        if line.selected {
            self.counts.lines += 1;
            self.counts.matches += self.matches.len() as u64;
        }
        if config.mode == Mode::Json {
            let matches = if matching { &self.matches[..] } else { &[] };
            return json::line(self.out, self.name, &line, matches, config.eol);
        }
        if matching && config.only_matching {
            return self.each_match(&line);
        }
        if config.only_matching && !line.selected {
            return Ok(());
        }
        let matches = std::mem::take(&mut self.matches);
        let result = (|| {
            if matching && config.per_match {
                for &(s, e) in &matches {
                    self.prefix(line.number, Some(s + 1), line.offset, true)?;
                    self.body(line.bytes, &[(s, e)], true)?;
                    self.out.byte(config.eol)?;
                }
                return Ok(());
            }
            let column = matches.first().map(|m| m.0 + 1);
            if let (true, Some(replacement)) = (matching, &config.replace) {
                self.matches = matches.clone();
                let skipped = self.replaced_to > line.offset;
                let (text, places, ends) = self.replaced(&line, replacement);
                if !skipped {
                    self.prefix(line.number, column, line.offset, true)?;
                }
                self.body(&text, &places, true)?;
                return if ends { self.out.byte(config.eol) } else { Ok(()) };
            }
            self.prefix(line.number, column.filter(|_| line.selected), line.offset, line.selected)?;
            self.body(line.bytes, &matches, line.selected)?;
            self.out.byte(config.eol)
        })();
        self.matches = matches;
        result
    }

    fn gap(&mut self) -> Result<()> {
        if self.config.mode == Mode::Json {
            return Ok(());
        }
        if let Some(text) = &self.config.separator {
            self.out.put(text)?;
            self.out.byte(b'\n')?;
        }
        Ok(())
    }

    fn run(&mut self, chunk: &Bytes, from: usize, to: usize) -> Result<()> {
        self.begin()?;
        let range = &chunk[from..to];
        match range.len() {
            0..4096 => self.out.put(range)?,
            _ => self.out.chunk(chunk.slice(from..to))?,
        }
        if range.last() != Some(&self.config.eol) {
            self.out.byte(self.config.eol)?;
        }
        Ok(())
    }
}
