//! Reads a patch: finds the headers of its files and turns every format into hunks of one form.

use sandshell_kernel::Bytes;

/// What a line of a hunk is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// In both files.
    Context,
    /// Only in the old file.
    Old,
    /// Only in the new file.
    New,
}

/// A run of changes with its context.
#[derive(Clone, Debug, Default)]
pub struct Hunk {
    /// First line in the old file, from 1 (0 with no lines: before the first).
    pub old_start: usize,
    /// First line in the new file.
    pub new_start: usize,
    /// The lines, with their newlines where they have one.
    pub lines: Vec<(Kind, Vec<u8>)>,
    /// What stands behind the second `@@`.
    pub section: Vec<u8>,
}

impl Hunk {
    /// The lines of one file.
    pub fn side(&self, skip: Kind) -> Vec<&[u8]> {
        self.lines.iter().filter(|(k, _)| *k != skip).map(|(_, l)| &l[..]).collect()
    }

    /// Lines of context at the start and at the end.
    pub fn context(&self) -> (usize, usize) {
        let is = |l: &&(Kind, Vec<u8>)| l.0 == Kind::Context;
        (self.lines.iter().take_while(is).count(), self.lines.iter().rev().take_while(is).count())
    }

    /// The hunk that undoes this one.
    pub fn swapped(&self) -> Hunk {
        let lines = self.lines.iter().map(|(k, l)| {
            let k = match k {
                Kind::Context => Kind::Context,
                Kind::Old => Kind::New,
                Kind::New => Kind::Old,
            };
            (k, l.clone())
        });
        let mut lines: Vec<_> = lines.collect();
        // Within a run of changes the old lines come first.
        let mut i = 0;
        while i < lines.len() {
            let end = lines[i..].iter().position(|l| l.0 == Kind::Context).map_or(lines.len(), |n| i + n);
            lines[i..end].sort_by_key(|l| l.0 == Kind::New);
            i = end + 1;
        }
        Hunk { old_start: self.new_start, new_start: self.old_start, lines, section: self.section.clone() }
    }
}

/// The format of a patch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `diff -u`
    Unified,
    /// `diff -c`
    Context,
    /// `diff`
    Normal,
    /// `diff -e`
    Ed,
}

/// A file name of a header.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// The name as written.
    pub name: Vec<u8>,
    /// The file does not exist on this side: `/dev/null`, or a time of the epoch.
    pub absent: bool,
}

/// The changes of one file.
#[derive(Clone, Debug)]
pub struct FilePatch {
    /// How it is written.
    pub format: Format,
    /// Header of the old file.
    pub old: Option<Header>,
    /// Header of the new file.
    pub new: Option<Header>,
    /// The name behind `Index:`.
    pub index: Option<Vec<u8>>,
    /// `rename from` and `rename to` of git.
    pub rename: Option<(Vec<u8>, Vec<u8>)>,
    /// The mode that git gives the new file.
    pub mode: Option<u32>,
    /// The hunks; for an ed script none.
    pub hunks: Vec<Hunk>,
    /// The commands of an ed script.
    pub script: Vec<Vec<u8>>,
    /// The lines before the hunks, for messages.
    pub lead: Vec<Vec<u8>>,
    /// Line of the patch where the hunks begin, from 1.
    pub line: usize,
    /// Why its hunks could not be read to their end.
    pub malformed: Option<String>,
}

/// A hunk that cannot be read.
#[derive(Debug)]
struct Malformed(String);

/// Reads the lines of a patch.
struct Reader<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
    /// The format given by an option.
    given: Option<Format>,
}

fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A name and its time: cut at the tab, or at the first blank; C strings are decoded.
fn header(text: &[u8]) -> Header {
    let text = bare(text);
    let text = text.iter().position(|b| *b != b' ').map_or(text, |i| &text[i..]);
    if text.first() == Some(&b'"') {
        let mut name = Vec::new();
        let mut i = 1;
        while i < text.len() && text[i] != b'"' {
            if text[i] == b'\\' && i + 1 < text.len() {
                i += 1;
                match text[i] {
                    b'n' => name.push(b'\n'),
                    b't' => name.push(b'\t'),
                    b'r' => name.push(b'\r'),
                    b'0'..=b'7' => {
                        let digits =
                            text[i..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                        let n = text[i..i + digits].iter().fold(0u32, |n, d| n * 8 + u32::from(d - b'0'));
                        name.push(n as u8);
                        i += digits - 1;
                    }
                    c => name.push(c),
                }
            } else {
                name.push(text[i]);
            }
            i += 1;
        }
        let stamp = text.get(i + 1..).unwrap_or_default();
        return Header { absent: name == b"/dev/null" || epoch(stamp), name };
    }
    let end = text.iter().position(|&b| b == b'\t');
    let end = end.or_else(|| text.iter().position(|&b| b == b' ')).unwrap_or(text.len());
    let name = text[..end].to_vec();
    Header { absent: name == b"/dev/null" || epoch(&text[end..]), name }
}

/// Whether a time stamp is the epoch, as diff -N writes for an absent file.
fn epoch(stamp: &[u8]) -> bool {
    let stamp = String::from_utf8_lossy(stamp);
    let stamp = stamp.trim();
    stamp.starts_with("1970-01-01 00:00:00")
        || stamp.starts_with("Thu Jan  1 00:00:00 1970")
        || stamp.starts_with("Thu Jan 1 00:00:00 1970")
}

fn number(text: &mut &[u8]) -> Option<usize> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let n = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    *text = &text[digits..];
    (n <= usize::MAX / 4).then_some(n)
}

/// `N` or `N,M`: start and length (1 when not said).
fn range(text: &mut &[u8]) -> Option<(usize, usize)> {
    let start = number(text)?;
    let Some(rest) = text.strip_prefix(b",") else { return Some((start, 1)) };
    *text = rest;
    Some((start, number(text)?))
}

fn unified_head(line: &[u8]) -> Option<((usize, usize), (usize, usize), &[u8])> {
    let mut text = line.strip_prefix(b"@@ -")?;
    let old = range(&mut text)?;
    let mut text = text.strip_prefix(b" +")?;
    let new = range(&mut text)?;
    let section = text.strip_prefix(b" @@")?;
    Some((old, new, bare(section)))
}

/// `5,7c5,6`, `3a4`, `8d7`: both ranges (first and last) and the letter.
fn normal_head(line: &[u8]) -> Option<((usize, usize), u8, (usize, usize))> {
    let pair = |text: &mut &[u8]| {
        let first = number(text)?;
        match text.strip_prefix(b",") {
            None => Some((first, first)),
            Some(rest) => {
                *text = rest;
                Some((first, number(text)?))
            }
        }
    };
    let mut text = bare(line);
    let old = pair(&mut text)?;
    let letter = *text.first().filter(|l| b"acd".contains(l))?;
    text = &text[1..];
    let new = pair(&mut text)?;
    text.is_empty().then_some((old, letter, new))
}

/// `5,7c`, `3a`, `8d`, as `diff -e` writes.
fn ed_command(line: &[u8]) -> Option<((usize, usize), u8)> {
    let mut text = bare(line);
    let first = number(&mut text)?;
    let last = match text.strip_prefix(b",") {
        None => first,
        Some(rest) => {
            text = rest;
            number(&mut text)?
        }
    };
    (text.len() == 1 && b"acdi".contains(&text[0])).then(|| ((first, last), text[0]))
}

/// Reads a whole patch.
pub fn parse(text: &Bytes, given: Option<Format>) -> Vec<FilePatch> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
    let mut reader = Reader { lines, at: 0, given };
    std::iter::from_fn(|| reader.file()).collect()
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.lines.get(self.at).copied()
    }

    fn wants(&self, format: Format) -> bool {
        self.given.is_none_or(|g| g == format)
    }

    /// The next file's changes.
    fn file(&mut self) -> Option<FilePatch> {
        let from = self.at;
        let (mut old, mut new, mut index) = (None, None, None);
        let (mut rename_from, mut rename_to, mut mode) = (None, None, None);
        let (mut git, mut created, mut deleted) = (None::<(Vec<u8>, Vec<u8>)>, false, false);
        while let Some(line) = self.peek() {
            let next = self.lines.get(self.at + 1).copied().unwrap_or_default();
            let found = if line.starts_with(b"@@ -")
                && unified_head(line).is_some()
                && self.wants(Format::Unified)
                && new.is_some()
            {
                Some(Format::Unified)
            } else if line.starts_with(b"***************")
                && self.wants(Format::Context)
                && next.starts_with(b"*** ")
            {
                Some(Format::Context)
            } else if normal_head(line).is_some()
                && self.wants(Format::Normal)
                && (next.starts_with(b"< ") || next.starts_with(b"> "))
            {
                Some(Format::Normal)
            } else if ed_command(line).is_some() && self.given == Some(Format::Ed)
                || ed_command(line).is_some() && self.given.is_none() && old.is_none() && self.looks_like_ed()
            {
                Some(Format::Ed)
            } else {
                None
            };
            let complete = |old, new, index| FilePatch {
                format: Format::Unified,
                old,
                new,
                index,
                rename: None,
                mode,
                hunks: Vec::new(),
                script: Vec::new(),
                lead: Vec::new(),
                line: 0,
                malformed: None,
            };
            if let Some(format) = found {
                let mut patch = complete(old, new, index);
                patch.format = format;
                patch.rename = rename_from.zip(rename_to);
                patch.lead = self.lines[from..self.at].iter().map(|l| bare(l).to_vec()).collect();
                patch.line = self.at + 1;
                let read = match format {
                    Format::Unified => self.unified(&mut patch),
                    Format::Context => self.context(&mut patch),
                    Format::Normal => self.normal(&mut patch),
                    Format::Ed => {
                        self.ed(&mut patch);
                        Ok(())
                    }
                };
                if let Err(Malformed(text)) = read {
                    patch.malformed = Some(text);
                    self.at = self.lines.len();
                }
                return Some(patch);
            }
            let text = bare(line);
            if let Some(rest) = line.strip_prefix(b"--- ") {
                match old.is_some()
                    && self.lines.get(self.at + 1).is_some_and(|l| l.starts_with(b"***************"))
                {
                    true => new = Some(header(rest)),
                    false => old = Some(header(rest)),
                }
            } else if let Some(rest) = line.strip_prefix(b"+++ ") {
                new = Some(header(rest));
            } else if let Some(rest) = line.strip_prefix(b"*** ") {
                old = Some(header(rest));
            } else if let Some(rest) = line.strip_prefix(b"Index:") {
                index = Some(header(rest).name);
            } else if let Some(rest) = text.strip_prefix(b"diff --git ") {
                if let Some(names) = self.bare_git(&git, (created, deleted), mode, (&rename_from, &rename_to))
                {
                    // The git header before had no hunks.
                    let mut patch = complete(names.0, names.1, None);
                    patch.rename = rename_from.zip(rename_to);
                    patch.line = self.at + 1;
                    return Some(patch);
                }
                (old, new, created, deleted) = (None, None, false, false);
                git = git_names(rest);
            } else if let Some(rest) = text.strip_prefix(b"rename from ") {
                rename_from = Some(rest.to_vec());
            } else if let Some(rest) = text.strip_prefix(b"rename to ") {
                rename_to = Some(rest.to_vec());
            } else if let Some(rest) =
                text.strip_prefix(b"new file mode ").or(text.strip_prefix(b"new mode "))
            {
                created |= text.starts_with(b"new file");
                mode = std::str::from_utf8(rest)
                    .ok()
                    .and_then(|t| u32::from_str_radix(t, 8).ok())
                    .map(|m| m & 0o7777);
            } else if text.starts_with(b"deleted file mode ") {
                deleted = true;
            }
            self.at += 1;
        }
        if let Some(names) = self.bare_git(&git, (created, deleted), mode, (&rename_from, &rename_to)) {
            return Some(FilePatch {
                format: Format::Unified,
                old: names.0,
                new: names.1,
                index: None,
                rename: rename_from.zip(rename_to),
                mode,
                hunks: Vec::new(),
                script: Vec::new(),
                lead: Vec::new(),
                line: self.at,
                malformed: None,
            });
        }
        None
    }

    /// A git header that makes, removes, renames or changes the mode of a file without any hunk.
    fn bare_git(
        &self,
        git: &Option<(Vec<u8>, Vec<u8>)>,
        (created, deleted): (bool, bool),
        mode: Option<u32>,
        renames: (&Option<Vec<u8>>, &Option<Vec<u8>>),
    ) -> Option<(Option<Header>, Option<Header>)> {
        let (a, b) = git.clone()?;
        let renames = renames.0.is_some() && renames.1.is_some();
        (created || deleted || renames || mode.is_some())
            .then_some((Some(Header { name: a, absent: created }), Some(Header { name: b, absent: deleted })))
    }

    /// An ed script ends its texts with a dot alone and has no lines with marks.
    fn looks_like_ed(&self) -> bool {
        let Some((_, letter)) = self.peek().and_then(ed_command) else { return false };
        letter == b'd' || self.lines[self.at..].iter().any(|l| bare(l) == b".")
    }

    fn malformed(&self) -> Malformed {
        let line = self.lines.get(self.at).map_or("", |l| std::str::from_utf8(bare(l)).unwrap_or(""));
        Malformed(format!("malformed patch at line {}: {line}\n", self.at + 1))
    }

    /// A line's text; a following `\ No newline` takes its newline away.
    fn content(&mut self, text: &[u8]) -> Vec<u8> {
        let mut line = text.to_vec();
        if self.peek().is_some_and(|l| l.starts_with(b"\\")) {
            self.at += 1;
            if line.last() == Some(&b'\n') {
                line.pop();
            }
        } else if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        line
    }

    fn unified(&mut self, patch: &mut FilePatch) -> Result<(), Malformed> {
        while let Some(((old_start, old_len), (new_start, new_len), section)) =
            self.peek().and_then(unified_head)
        {
            self.at += 1;
            let mut hunk = Hunk { old_start, new_start, lines: Vec::new(), section: section.to_vec() };
            let (mut old_left, mut new_left) = (old_len, new_len);
            while old_left > 0 || new_left > 0 {
                let Some(line) = self.peek() else {
                    return Err(Malformed(format!("malformed patch at line {}:  \n", self.at)));
                };
                let (kind, text) = match line.first() {
                    Some(b'-') if old_left > 0 => (Kind::Old, &line[1..]),
                    Some(b'+') if new_left > 0 => (Kind::New, &line[1..]),
                    Some(b' ') if old_left > 0 && new_left > 0 => (Kind::Context, &line[1..]),
                    // A blank of context that a mailer has stripped.
                    Some(b'\n' | b'\t' | b'\r') if old_left > 0 && new_left > 0 => (Kind::Context, line),
                    _ => return Err(self.malformed()),
                };
                self.at += 1;
                old_left -= usize::from(kind != Kind::New);
                new_left -= usize::from(kind != Kind::Old);
                let text = self.content(text);
                hunk.lines.push((kind, text));
            }
            patch.hunks.push(hunk);
        }
        Ok(())
    }

    fn context(&mut self, patch: &mut FilePatch) -> Result<(), Malformed> {
        while self.peek().is_some_and(|l| l.starts_with(b"***************")) {
            self.at += 1;
            let old_head =
                self.peek().and_then(|l| l.strip_prefix(b"*** ")).ok_or_else(|| self.malformed())?;
            let mut text = old_head;
            let first = number(&mut text).ok_or_else(|| self.malformed())?;
            self.at += 1;
            let old = self.section(b"-!")?;
            let new_head =
                self.peek().and_then(|l| l.strip_prefix(b"--- ")).ok_or_else(|| self.malformed())?;
            let mut text = new_head;
            let second = number(&mut text).ok_or_else(|| self.malformed())?;
            self.at += 1;
            let new = self.section(b"+!")?;
            patch.hunks.push(merge(first, second, old, new));
        }
        Ok(())
    }

    /// The lines of one half of a context hunk, with their marks.
    fn section(&mut self, marks: &[u8]) -> Result<Vec<(u8, Vec<u8>)>, Malformed> {
        let mut lines = Vec::new();
        while let Some(line) = self.peek() {
            let (mark, text) = match line {
                [m, b' ', rest @ ..] if *m == b' ' || marks.contains(m) => (*m, rest),
                [b'\n'] => (b' ', line),
                _ => break,
            };
            if line.starts_with(b"--- ") && !marks.contains(&b'-') {
                break;
            }
            if mark == b'-' && line.starts_with(b"--- ") && line.trim_ascii_end().ends_with(b" ----") {
                break;
            }
            self.at += 1;
            let text = self.content(text);
            lines.push((mark, text));
        }
        Ok(lines)
    }

    fn normal(&mut self, patch: &mut FilePatch) -> Result<(), Malformed> {
        while let Some((old, letter, new)) = self.peek().and_then(normal_head) {
            self.at += 1;
            // Lines that are only added stand behind line `old`, removed ones before line `new + 1`.
            let mut hunk = Hunk { old_start: old.0, new_start: new.0, ..Hunk::default() };
            let mut take = |reader: &mut Self, mark: &[u8], n: usize, kind: Kind| {
                for _ in 0..n {
                    let text =
                        reader.peek().and_then(|l| l.strip_prefix(mark)).ok_or_else(|| reader.malformed())?;
                    reader.at += 1;
                    let text = reader.content(text);
                    hunk.lines.push((kind, text));
                }
                Ok(())
            };
            if letter != b'a' {
                take(self, b"< ", (old.1 + 1).saturating_sub(old.0), Kind::Old)?;
            }
            if letter == b'c' {
                if self.peek().map(bare) != Some(b"---") {
                    return Err(self.malformed());
                }
                self.at += 1;
            }
            if letter != b'd' {
                take(self, b"> ", (new.1 + 1).saturating_sub(new.0), Kind::New)?;
            }
            patch.hunks.push(hunk);
        }
        Ok(())
    }

    fn ed(&mut self, patch: &mut FilePatch) {
        while let Some(line) = self.peek() {
            let Some((_, letter)) = ed_command(line) else {
                if matches!(bare(line), b"s/.//" | b"a") {
                    patch.script.push(line.to_vec());
                    self.at += 1;
                    if bare(line) == b"a" {
                        self.ed_text(patch);
                    }
                    continue;
                }
                return;
            };
            patch.script.push(line.to_vec());
            self.at += 1;
            if letter != b'd' {
                self.ed_text(patch);
            }
        }
    }

    fn ed_text(&mut self, patch: &mut FilePatch) {
        while let Some(line) = self.peek() {
            patch.script.push(line.to_vec());
            self.at += 1;
            if bare(line) == b"." {
                return;
            }
        }
    }
}

/// The two halves of a context hunk as one list of lines. A half that is missing has the other's context.
fn merge(old_start: usize, new_start: usize, old: Vec<(u8, Vec<u8>)>, new: Vec<(u8, Vec<u8>)>) -> Hunk {
    let mut lines = Vec::new();
    let only = |half: &[(u8, Vec<u8>)], kind: Kind| {
        let kind_of = |m: u8| if m == b' ' { Kind::Context } else { kind };
        half.iter().map(|(m, l)| (kind_of(*m), l.clone())).collect::<Vec<_>>()
    };
    if new.is_empty() {
        lines = only(&old, Kind::Old);
    } else if old.is_empty() {
        lines = only(&new, Kind::New);
    } else {
        let (mut i, mut j) = (0, 0);
        while i < old.len() || j < new.len() {
            while i < old.len() && old[i].0 != b' ' {
                lines.push((Kind::Old, old[i].1.clone()));
                i += 1;
            }
            while j < new.len() && new[j].0 != b' ' {
                lines.push((Kind::New, new[j].1.clone()));
                j += 1;
            }
            if i < old.len() {
                lines.push((Kind::Context, old[i].1.clone()));
            } else if j < new.len() {
                lines.push((Kind::Context, new[j].1.clone()));
            }
            i += 1;
            j += 1;
        }
    }
    Hunk { old_start, new_start, lines, section: Vec::new() }
}

/// The two names of `diff --git a/x b/x`.
fn git_names(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    if text.starts_with(b"\"") {
        let first = header(text).name;
        let rest = text.iter().enumerate().skip(1).find(|(i, b)| **b == b'"' && text[i - 1] != b'\\')?.0 + 1;
        return Some((first, header(text.get(rest..)?).name));
    }
    let middle = memchr::memmem::find(text, b" b/")?;
    Some((text[..middle].to_vec(), text[middle + 1..].to_vec()))
}
