//! How `ls` lays out what it lists.

use super::{Config, Indicator, Layout, list::Item, quoting};
use crate::files::{mode, times};
use sandshell_kernel::{FileKind, Process, Result, Stat, Time};

/// Half a year, as ls counts it: older files show the year.
const RECENT: i128 = 31_556_952 / 2 * 1_000_000_000;
/// The narrowest column: a character and two spaces.
const NARROWEST: usize = 3;

/// Prints lists of files.
pub(super) struct Printer {
    pub c: Config,
}

/// Widths of the columns of numbers and names.
#[derive(Default)]
struct Widths {
    inode: usize,
    blocks: usize,
    links: usize,
    owner: usize,
    group: usize,
    author: usize,
    size: usize,
    major: usize,
    minor: usize,
}

impl Printer {
    pub fn new(c: Config) -> Printer {
        Printer { c }
    }

    /// The content of a directory: with its total where sizes are shown.
    pub fn directory(&mut self, p: &mut Process, items: &[Item]) -> Result<()> {
        if self.c.layout == Layout::Long || self.c.blocks {
            let total: u64 = items.iter().filter_map(|i| i.stat).map(|s| s.blocks * 512).sum();
            let line = format!("total {}", self.c.unit.show(total));
            p.stdout.put(line.as_bytes())?;
            p.stdout.byte(self.c.end)?;
        }
        self.files(p, items)
    }

    /// The files, in the layout asked for.
    pub fn files(&mut self, p: &mut Process, items: &[Item]) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let widths = self.widths(items);
        let pad_quotes = self.pads_quotes() && items.iter().any(|i| i.quoted);
        match self.c.layout {
            Layout::Long => {
                for i in items {
                    p.budget.step()?;
                    let mut line = Vec::with_capacity(96);
                    self.long(i, &widths, pad_quotes, &mut line);
                    line.push(self.c.end);
                    p.stdout.put(&line)?;
                }
                Ok(())
            }
            Layout::One => {
                for i in items {
                    let mut line = Vec::with_capacity(i.shown.len() + 16);
                    self.frills(i, &widths, false, 0, &mut line);
                    line.push(self.c.end);
                    p.stdout.put(&line)?;
                }
                Ok(())
            }
            Layout::Commas => self.commas(p, items),
            Layout::Columns | Layout::Across if self.c.width == 0 => {
                self.commas_with(p, items, b"  ", &widths)
            }
            Layout::Columns | Layout::Across => self.grid(p, items, &widths, pad_quotes),
        }
    }

    /// Names with and without quotes are aligned on their first character.
    fn pads_quotes(&self) -> bool {
        let shell = matches!(
            self.c.style,
            quoting::Style::Shell | quoting::Style::ShellEscape | quoting::Style::CMaybe
        );
        let aligned = match self.c.layout {
            Layout::Long => true,
            Layout::Columns | Layout::Across => self.c.width > 0,
            _ => false,
        };
        shell && aligned
    }

    fn widths(&self, items: &[Item]) -> Widths {
        let mut w = Widths::default();
        let long = self.c.layout == Layout::Long;
        for i in items {
            if self.c.inode {
                w.inode = w.inode.max(inode(i).len());
            }
            if self.c.blocks {
                w.blocks = w.blocks.max(self.blocks(i).len());
            }
            if !long {
                continue;
            }
            if let Some(s) = &i.stat {
                w.links = w.links.max(s.nlink.to_string().len());
                w.owner = w.owner.max(self.owner(s).len());
                w.group = w.group.max(self.group(s).len());
                w.author = w.author.max(self.owner(s).len());
                if s.kind == FileKind::Device {
                    w.major = w.major.max(s.rdev.0.to_string().len());
                    w.minor = w.minor.max(s.rdev.1.to_string().len());
                    w.size = w.size.max(w.major + w.minor + 2);
                } else {
                    w.size = w.size.max(self.c.size_unit.show(s.size).len());
                }
            } else {
                (w.links, w.size) = (w.links.max(1), w.size.max(1));
                (w.owner, w.group) = (w.owner.max(1), w.group.max(1));
            }
        }
        w
    }

    fn blocks(&self, i: &Item) -> String {
        i.stat.map_or("?".into(), |s| self.c.unit.show(s.blocks * 512))
    }

    fn owner(&self, s: &Stat) -> String {
        match self.c.users.user(s.uid) {
            Some(n) if !self.c.numeric => String::from_utf8_lossy(n).into_owned(),
            _ => s.uid.to_string(),
        }
    }

    fn group(&self, s: &Stat) -> String {
        match self.c.users.group(s.gid) {
            Some(n) if !self.c.numeric => String::from_utf8_lossy(n).into_owned(),
            _ => s.gid.to_string(),
        }
    }

    fn long(&mut self, i: &Item, w: &Widths, pad_quotes: bool, out: &mut Vec<u8>) {
        if self.c.inode {
            out.extend_from_slice(format!("{:>1$} ", inode(i), w.inode).as_bytes());
        }
        if self.c.blocks {
            out.extend_from_slice(format!("{:>1$} ", self.blocks(i), w.blocks).as_bytes());
        }
        match &i.stat {
            Some(s) => {
                out.extend_from_slice(mode::full(s.kind, s.mode).as_bytes());
                out.extend_from_slice(format!(" {:>1$} ", s.nlink, w.links).as_bytes());
            }
            None => {
                out.push(mode::kind_letter(i.kind));
                out.extend_from_slice(format!("????????? {:>1$} ", "?", w.links).as_bytes());
            }
        }
        // Numbers are aligned to the right, names to the left.
        let numeric = self.c.numeric;
        let name = |text: String, width: usize, out: &mut Vec<u8>| {
            let line = if numeric { format!("{text:>width$} ") } else { format!("{text:<width$} ") };
            out.extend_from_slice(line.as_bytes());
        };
        let unknown = || "?".to_owned();
        if self.c.owner {
            name(i.stat.as_ref().map_or_else(unknown, |s| self.owner(s)), w.owner, out);
        }
        if self.c.group {
            name(i.stat.as_ref().map_or_else(unknown, |s| self.group(s)), w.group, out);
        }
        if self.c.author {
            name(i.stat.as_ref().map_or_else(unknown, |s| self.owner(s)), w.author, out);
        }
        if self.c.context {
            out.extend_from_slice(b"? ");
        }
        match &i.stat {
            Some(s) if s.kind == FileKind::Device => {
                let wide = w.size - w.minor - 2;
                let text = format!("{:>wide$}, {:>minor$} ", s.rdev.0, s.rdev.1, minor = w.minor);
                out.extend_from_slice(text.as_bytes());
            }
            Some(s) => {
                out.extend_from_slice(format!("{:>1$} ", self.c.size_unit.show(s.size), w.size).as_bytes());
            }
            None => out.extend_from_slice(format!("{:>1$} ", "?", w.size).as_bytes()),
        }
        self.time(i, out);
        self.name(i, pad_quotes, 0, out);
        if let (FileKind::Symlink, Some(target)) = (i.kind, &i.target) {
            out.extend_from_slice(b" -> ");
            self.target(i, target, out);
            if self.c.indicator > Indicator::None
                && let Some(b) = &i.behind
            {
                out.extend(self.indicator(b.kind, Some(b)));
            }
        } else {
            out.extend(self.indicator(i.kind, i.stat.as_ref()));
        }
    }

    fn time(&self, i: &Item, out: &mut Vec<u8>) {
        let width = |t: Time, f: usize| {
            let mut text = Vec::new();
            times::strftime(&self.c.formats[f], t, &self.c.zone, &mut text);
            text
        };
        if i.stat.is_none() {
            let blank = width(Time(0), 0).len();
            out.extend_from_slice(format!("{:>blank$} ", "?").as_bytes());
            return;
        }
        let t = i.time(self.c.time);
        let age = self.c.now.0 - t.0;
        let recent = (0..RECENT).contains(&age);
        out.extend_from_slice(&width(t, usize::from(recent)));
        out.push(b' ');
    }

    fn target(&mut self, i: &Item, target: &[u8], out: &mut Vec<u8>) {
        let mut shown = Vec::new();
        quoting::name(target, self.c.style, b"", self.c.hide_control, &mut shown);
        let code = self.c.colors.as_ref().and_then(|c| match &i.behind {
            Some(b) => c.of(target, b.kind, Some(b), false),
            None => c.missing(),
        });
        match (&mut self.c.colors, code) {
            (Some(c), Some(code)) => {
                c.start(&code, out);
                out.extend_from_slice(&shown);
                c.end(false, out);
            }
            _ => out.extend_from_slice(&shown),
        }
    }

    /// The name with its colour.
    fn name(&mut self, i: &Item, pad_quotes: bool, column: usize, out: &mut Vec<u8>) {
        if pad_quotes && !i.quoted {
            out.push(b' ');
        }
        let width = self.c.width;
        let Some(c) = &mut self.c.colors else { return out.extend_from_slice(&i.shown) };
        let code = match (&i.behind, c.link_as_target) {
            (Some(b), true) => c.of(&i.name, b.kind, Some(b), false),
            _ => c.of(&i.name, i.kind, i.stat.as_ref(), i.orphan),
        };
        let Some(code) = code else { return out.extend_from_slice(&i.shown) };
        c.start(&code, out);
        out.extend_from_slice(&i.shown);
        let wrapped = width > 0 && i.width > 0 && column / width != (column + i.width - 1) / width;
        c.end(wrapped, out);
    }

    fn indicator(&self, kind: FileKind, stat: Option<&Stat>) -> Option<u8> {
        let i = self.c.indicator;
        match kind {
            FileKind::Directory if i >= Indicator::Slash => Some(b'/'),
            FileKind::Symlink if i >= Indicator::FileType => Some(b'@'),
            FileKind::Fifo if i >= Indicator::FileType => Some(b'|'),
            FileKind::File if i == Indicator::Classify && stat.is_some_and(|s| s.mode & 0o111 != 0) => {
                Some(b'*')
            }
            _ => None,
        }
    }

    /// Inode, blocks, name and indicator.
    fn frills(&mut self, i: &Item, w: &Widths, pad_quotes: bool, column: usize, out: &mut Vec<u8>) {
        if self.c.inode {
            out.extend_from_slice(format!("{:>1$} ", inode(i), w.inode).as_bytes());
        }
        if self.c.blocks {
            out.extend_from_slice(format!("{:>1$} ", self.blocks(i), w.blocks).as_bytes());
        }
        if self.c.context {
            out.extend_from_slice(b"? ");
        }
        self.name(i, pad_quotes, column, out);
        out.extend(self.indicator(i.kind, i.stat.as_ref()));
    }

    fn frills_width(&self, i: &Item, w: &Widths, pad_quotes: bool) -> usize {
        let inode = if self.c.inode { 1 + w.inode } else { 0 };
        let blocks = if self.c.blocks { 1 + w.blocks } else { 0 };
        let context = if self.c.context { 2 } else { 0 };
        let quote = usize::from(pad_quotes && !i.quoted);
        let indicator = usize::from(self.indicator(i.kind, i.stat.as_ref()).is_some());
        inode + blocks + context + quote + i.width + indicator
    }

    fn commas(&mut self, p: &mut Process, items: &[Item]) -> Result<()> {
        let widths = Widths::default();
        let (mut pos, mut out) = (0, Vec::new());
        for (n, i) in items.iter().enumerate() {
            let mut w = Widths { ..Widths::default() };
            w.inode = inode(i).len();
            w.blocks = self.blocks(i).len();
            let len = if self.c.width > 0 { self.frills_width(i, &w, false) } else { 0 };
            if n > 0 {
                out.push(b',');
                if self.c.width == 0 || pos + len + 2 < self.c.width {
                    pos += 2;
                    out.push(b' ');
                } else {
                    pos = 0;
                    out.push(self.c.end);
                }
            }
            self.frills(i, &widths, false, pos, &mut out);
            pos += len;
        }
        out.push(self.c.end);
        p.stdout.put(&out)
    }

    fn commas_with(&mut self, p: &mut Process, items: &[Item], between: &[u8], w: &Widths) -> Result<()> {
        let mut out = Vec::new();
        for (n, i) in items.iter().enumerate() {
            if n > 0 {
                out.extend_from_slice(between);
            }
            self.frills(i, w, false, 0, &mut out);
        }
        out.push(self.c.end);
        p.stdout.put(&out)
    }

    /// As many columns as fit.
    fn grid(&mut self, p: &mut Process, items: &[Item], w: &Widths, pad_quotes: bool) -> Result<()> {
        let by_columns = self.c.layout == Layout::Columns;
        let widths: Vec<usize> = items.iter().map(|i| self.frills_width(i, w, pad_quotes)).collect();
        let most = (self.c.width / NARROWEST).max(1).min(items.len());
        let fits = |columns: usize| -> Option<Vec<usize>> {
            let rows = items.len().div_ceil(columns);
            let mut of = vec![NARROWEST; columns];
            let mut total = columns * NARROWEST;
            for (n, &width) in widths.iter().enumerate() {
                let at = if by_columns { n / rows } else { n % columns };
                let real = width + if at == columns - 1 { 0 } else { 2 };
                if of[at] < real {
                    total += real - of[at];
                    of[at] = real;
                }
                if total >= self.c.width {
                    return None;
                }
            }
            Some(of)
        };
        let mut columns = most;
        let of = loop {
            p.budget.steps(items.len() as u32 / 64 + 1)?;
            match fits(columns) {
                Some(of) => break of,
                None if columns == 1 => break vec![0],
                None => columns -= 1,
            }
        };
        let rows = items.len().div_ceil(columns);
        let (mut out, tab) = (Vec::new(), self.c.tab);
        let indent = |mut from: usize, to: usize, out: &mut Vec<u8>| {
            while from < to {
                if tab != 0 && to / tab > (from + 1) / tab {
                    out.push(b'\t');
                    from += tab - from % tab;
                } else {
                    out.push(b' ');
                    from += 1;
                }
            }
        };
        let across = if by_columns { rows } else { items.len().div_ceil(columns) };
        for row in 0..across {
            let mut pos = 0;
            for (column, width) in of.iter().enumerate() {
                let n = if by_columns { column * rows + row } else { row * columns + column };
                if n >= items.len() {
                    break;
                }
                self.frills(&items[n], w, pad_quotes, pos, &mut out);
                let next = if by_columns { n + rows } else { n + 1 };
                if column + 1 == columns || next >= items.len() {
                    break;
                }
                indent(pos + widths[n], pos + width, &mut out);
                pos += width;
            }
            out.push(self.c.end);
            p.stdout.put(&out)?;
            out.clear();
        }
        Ok(())
    }
}

fn inode(i: &Item) -> String {
    i.stat.map_or(i.ino, |s| s.ino).to_string()
}
