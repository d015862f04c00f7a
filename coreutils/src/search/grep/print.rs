//! What grep prints: lines behind their prefixes, matches alone or in color.

use crate::search::scan::{Line, Sink};
use sandshell_kernel::{Bytes, Output, Result};
use sandshell_text::regex::Regex;

/// The colors of `--color`, from `GREP_COLORS`.
#[derive(Clone, Debug)]
pub struct Colors {
    selected_match: String,
    context_match: String,
    selected_line: String,
    context_line: String,
    file: String,
    number: String,
    offset: String,
    separator: String,
    reverse: bool,
    no_erase: bool,
}

impl Colors {
    /// The defaults, changed by `GREP_COLORS`.
    pub fn new(variable: Option<&[u8]>) -> Colors {
        let mut c = Colors {
            selected_match: "01;31".into(),
            context_match: "01;31".into(),
            selected_line: String::new(),
            context_line: String::new(),
            file: "35".into(),
            number: "32".into(),
            offset: "32".into(),
            separator: "36".into(),
            reverse: false,
            no_erase: false,
        };
        for part in String::from_utf8_lossy(variable.unwrap_or_default()).split(':') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if !value.bytes().all(|b| b.is_ascii_digit() || b == b';') {
                break;
            }
            let value = value.to_owned();
            match name {
                "mt" => (c.selected_match, c.context_match) = (value.clone(), value),
                "ms" => c.selected_match = value,
                "mc" => c.context_match = value,
                "sl" => c.selected_line = value,
                "cx" => c.context_line = value,
                "fn" => c.file = value,
                "ln" => c.number = value,
                "bn" => c.offset = value,
                "se" => c.separator = value,
                "rv" => c.reverse = true,
                "ne" => c.no_erase = true,
                _ => {}
            }
        }
        c
    }
}

/// How lines are printed.
#[derive(Clone, Debug)]
pub struct Style {
    /// `-n`
    pub number: bool,
    /// `-b`
    pub offset: bool,
    /// `-T`
    pub tab: bool,
    /// `-Z`
    pub null_name: bool,
    /// `-o`
    pub only_matching: bool,
    /// `-v`
    pub invert: bool,
    /// `--group-separator`
    pub separator: Option<Bytes>,
    /// `-z`
    pub eol: u8,
    /// Lines that are not UTF-8 are not printed.
    pub text_only: bool,
    /// `--color=always`
    pub colors: Option<Colors>,
}

/// Prints the lines of one file.
pub struct Printer<'a> {
    /// How.
    pub style: &'a Style,
    /// Where to.
    pub out: &'a mut Output,
    /// The file's name.
    pub name: &'a [u8],
    /// Whether it is shown.
    pub show_name: bool,
    /// The pattern, to find the matches within a line.
    pub regex: Option<&'a Regex>,
    /// Digits that a number before a line takes at least (`-T`).
    pub width: usize,
    /// A line was not printed, since it is not text.
    pub not_text: bool,
}

impl Printer<'_> {
    fn colored(&mut self, code: fn(&Colors) -> &str, text: &[u8]) -> Result<()> {
        match &self.style.colors {
            Some(c) if !code(c).is_empty() => {
                let erase = if c.no_erase { "" } else { "\x1b[K" };
                self.out.text(format_args!("\x1b[{}m{erase}", code(c)))?;
                self.out.put(text)?;
                self.out.text(format_args!("\x1b[m{erase}"))
            }
            _ => self.out.put(text),
        }
    }

    /// The name, as before a line or a count.
    pub fn name(&mut self) -> Result<()> {
        let name = self.name;
        self.colored(|c| &c.file, name)
    }

    /// A separator.
    pub fn separator(&mut self, text: &[u8]) -> Result<()> {
        self.colored(|c| &c.separator, text)
    }

    fn prefix(&mut self, number: u64, offset: u64, separator: u8, length: usize) -> Result<()> {
        let style = self.style;
        if self.show_name {
            self.name()?;
            match style.null_name {
                true => self.out.byte(0)?,
                false => self.separator(&[separator])?,
            }
        }
        let mut digits = itoa::Buffer::new();
        if style.number {
            let text = digits.format(number);
            let text = " ".repeat(self.width.saturating_sub(text.len())) + text;
            self.colored(|c| &c.number, text.as_bytes())?;
            self.separator(&[separator])?;
        }
        if style.offset {
            let text = digits.format(offset);
            let text = " ".repeat(self.width.saturating_sub(text.len())) + text;
            self.colored(|c| &c.offset, text.as_bytes())?;
            self.separator(&[separator])?;
        }
        if style.tab && length > 0 && (self.show_name || style.number || style.offset) {
            self.out.byte(b'\t')?;
        }
        Ok(())
    }

    /// Each match that is not empty, on a line of its own.
    fn matches_alone(&mut self, line: Line<'_>) -> Result<()> {
        let Some(regex) = self.regex else { return Ok(()) };
        for (start, end) in regex.searcher(line.bytes).matches() {
            if start == end {
                continue;
            }
            let text = &line.bytes[start..end];
            if self.style.text_only && std::str::from_utf8(text).is_err() {
                self.not_text = true;
                continue;
            }
            self.prefix(line.number, line.offset + start as u64, b':', text.len())?;
            self.colored(|c| &c.selected_match, text)?;
            self.out.byte(self.style.eol)?;
        }
        Ok(())
    }

    fn with_matches_colored(&mut self, line: Line<'_>) -> Result<()> {
        let (Some(regex), Some(colors)) = (self.regex, &self.style.colors) else {
            return self.out.put(line.bytes);
        };
        let swapped = colors.reverse && self.style.invert;
        let as_selected = line.selected != swapped;
        let base: fn(&Colors) -> &str = match as_selected {
            true => |c| &c.selected_line,
            false => |c| &c.context_line,
        };
        // Matches show in lines that match: the selected ones, or with -v the context.
        let mut at = 0;
        if line.selected != self.style.invert {
            for (start, end) in regex.searcher(line.bytes).matches() {
                if start == end {
                    continue;
                }
                self.colored(base, &line.bytes[at..start])?;
                let text = &line.bytes[start..end];
                match line.selected {
                    true => self.colored(|c| &c.selected_match, text)?,
                    false => self.colored(|c| &c.context_match, text)?,
                }
                at = end;
            }
        }
        if at < line.bytes.len() {
            self.colored(base, &line.bytes[at..])?;
        }
        Ok(())
    }
}

impl Sink for Printer<'_> {
    fn line(&mut self, line: Line<'_>) -> Result<()> {
        let style = self.style;
        if style.only_matching {
            return match line.selected && !style.invert {
                true => self.matches_alone(line),
                false => Ok(()),
            };
        }
        if style.text_only && std::str::from_utf8(line.bytes).is_err() {
            self.not_text = true;
            return Ok(());
        }
        let separator = if line.selected { b':' } else { b'-' };
        self.prefix(line.number, line.offset, separator, line.bytes.len())?;
        match style.colors.is_some() {
            true => self.with_matches_colored(line)?,
            false => self.out.put(line.bytes)?,
        }
        self.out.byte(style.eol)
    }

    fn gap(&mut self) -> Result<()> {
        if let Some(text) = self.style.separator.clone() {
            self.separator(&text)?;
            self.out.byte(b'\n')?;
        }
        Ok(())
    }

    fn run(&mut self, chunk: &Bytes, from: usize, to: usize) -> Result<()> {
        let range = &chunk[from..to];
        let eol = self.style.eol;
        if self.style.text_only && std::str::from_utf8(range).is_err() {
            for line in range.split_inclusive(|&b| b == eol) {
                match std::str::from_utf8(line) {
                    Ok(_) if line.last() == Some(&eol) => self.out.put(line)?,
                    Ok(_) => {
                        self.out.put(line)?;
                        self.out.byte(eol)?;
                    }
                    Err(_) => self.not_text = true,
                }
            }
            return Ok(());
        }
        match range.len() {
            0..4096 => self.out.put(range)?,
            _ => self.out.chunk(chunk.slice(from..to))?,
        }
        if range.last() != Some(&eol) {
            self.out.byte(eol)?;
        }
        Ok(())
    }
}
