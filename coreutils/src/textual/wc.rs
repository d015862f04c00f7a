//! `wc`: lines, words, characters, bytes and the longest line.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Input, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `wc`
pub struct Wc;

static SPEC: Spec = Spec {
    name: "wc",
    about: "Print newline, word, and byte counts for each FILE, and a total line if\nmore than one FILE is specified.  A word is a non-zero-length sequence of\nprintable characters delimited by white space.\n\nWith no FILE, or when FILE is -, read standard input.\n\nThe options below may be used to select which counts are printed, always in\nthe following order: newline, word, character, byte, maximum line length.",
    synopsis: &["[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"],
    options: &[
        Opt::new('c', "bytes", "print the byte counts"),
        Opt::new('m', "chars", "print the character counts"),
        Opt::new('l', "lines", "print the newline counts"),
        Opt::long("files0-from", "read input from the files specified by NUL-terminated names in file F; If F is - then read names from standard input").value("F"),
        Opt::new('L', "max-line-length", "print the maximum display width"),
        Opt::new('w', "words", "print the word counts"),
    ],
    notes: "",
    version: "wc (GNU coreutils) 9.1",
    examples: &[Example { script: "printf 'a b\\nc\\n' | wc", output: "      2       3       6\n" }],
};

#[derive(Default, Clone, Copy)]
struct Counts {
    lines: u64,
    words: u64,
    chars: u64,
    bytes: u64,
    longest: u64,
}

#[derive(Default, Clone, Copy)]
struct Wanted {
    lines: bool,
    words: bool,
    chars: bool,
    bytes: bool,
    longest: bool,
}

impl Program for Wc {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut w = Wanted::default();
        let mut from = None;
        for f in &parsed.options {
            match f.id {
                "bytes" => w.bytes = true,
                "chars" => w.chars = true,
                "lines" => w.lines = true,
                "words" => w.words = true,
                "max-line-length" => w.longest = true,
                "files0-from" => from = f.value.clone(),
                _ => {}
            }
        }
        if !(w.bytes || w.chars || w.lines || w.words || w.longest) {
            (w.lines, w.words, w.bytes) = (true, true, true);
        }
        let mut status = Status::OK;
        let named = from.is_some() || !parsed.operands.is_empty();
        let files = match from {
            Some(list) => {
                if let Some(extra) = parsed.operands.first() {
                    process.error(format_args!("extra operand {}", cli::quote(extra)))?;
                    process.write_error(b"file operands cannot be combined with --files0-from\n")?;
                    return cli::try_help(process, 1);
                }
                match names_from(process, &list)? {
                    Some(names) => names,
                    None => return Ok(Status::FAILURE),
                }
            }
            None => inputs::or_stdin(parsed.operands),
        };
        let width = width(process, &files, w);
        let mut total = Counts::default();
        for name in &files {
            let counts = match process.open_input(name) {
                Ok(mut input) => count(process, &mut input, w)?,
                Err(e) => {
                    process.complain(format_args!("{}", cli::shell_quote(name, false)), e)?;
                    status = Status::FAILURE;
                    if e != Error::Os(Errno::EISDIR) {
                        continue;
                    }
                    Counts::default()
                }
            };
            total.lines += counts.lines;
            total.words += counts.words;
            total.chars += counts.chars;
            total.bytes += counts.bytes;
            total.longest = total.longest.max(counts.longest);
            print(process, counts, w, width, named.then_some(name))?;
        }
        if files.len() > 1 {
            print(process, total, w, width, Some(&Bytes::from_static(b"total")))?;
        }
        Ok(status)
    }
}

fn names_from(process: &mut Process, list: &Bytes) -> Result<Option<Vec<Bytes>>> {
    let mut input = match process.open_input(list) {
        Ok(i) => i,
        Err(e) => {
            process.complain(format_args!("cannot open {} for reading", cli::shell_quote(list, true)), e)?;
            return Ok(None);
        }
    };
    let mut names = Vec::new();
    while let Some(l) = input.line(0)? {
        names.push(Bytes::copy_from_slice(l.bytes));
    }
    Ok(Some(names))
}

/// The width of the columns: wide enough for the sizes of all files together; 1 for a single count of a single
/// file; at least 7 when a size is not known beforehand (GNU wc, `compute_number_width`).
fn width(process: &Process, files: &[Bytes], w: Wanted) -> usize {
    let wanted = [w.lines, w.words, w.chars, w.bytes, w.longest].iter().filter(|x| **x).count();
    if files.len() <= 1 && wanted == 1 {
        return 1;
    }
    let mut least = 1;
    let mut sum = 0u64;
    for name in files {
        let stat = if inputs::is_stdin(name) {
            process.stdin.fd().stat(&process.budget)
        } else {
            process.files.stat(name)
        };
        match stat {
            Ok(s) if s.kind == FileKind::File => sum = sum.saturating_add(s.size),
            Ok(_) => least = 7,
            Err(_) => {}
        }
    }
    itoa::Buffer::new().format(sum).len().max(least)
}

fn print(process: &mut Process, c: Counts, w: Wanted, width: usize, name: Option<&Bytes>) -> Result<()> {
    let columns = [
        (w.lines, c.lines),
        (w.words, c.words),
        (w.chars, c.chars),
        (w.bytes, c.bytes),
        (w.longest, c.longest),
    ];
    let mut first = true;
    for (_, n) in columns.iter().filter(|(on, _)| *on) {
        if !first {
            process.stdout.byte(b' ')?;
        }
        first = false;
        process.stdout.text(format_args!("{n:width$}"))?;
    }
    if let Some(name) = name {
        process.stdout.byte(b' ')?;
        let shown = if memchr::memchr(b'\n', name).is_some() {
            Bytes::from(cli::shell_quote(name, false))
        } else {
            name.clone()
        };
        process.stdout.put(&shown)?;
    }
    process.stdout.byte(b'\n')
}

fn count(process: &Process, input: &mut Input, w: Wanted) -> Result<Counts> {
    let mut c = Counts::default();
    if w.bytes && !(w.lines || w.words || w.chars || w.longest) {
        // A file's size needs no reading.
        if let Ok(s) = input.fd().stat(&process.budget)
            && s.kind == FileKind::File
            && s.size > 0
            && let Ok(at) = input.fd().seek(std::io::SeekFrom::Current(0))
        {
            input.fd().seek(std::io::SeekFrom::End(0))?;
            c.bytes = s.size.saturating_sub(at);
            return Ok(c);
        }
    }
    let slow = w.longest || w.words;
    let mut state = State::default();
    loop {
        let data = input.fill()?;
        if data.is_empty() {
            break;
        }
        c.bytes += data.len() as u64;
        let ascii = !state.pending() && ((!w.chars && !slow) || data.is_ascii());
        if !ascii {
            state.slow(data, &mut c);
        } else if !slow {
            c.chars += data.len() as u64;
            if w.lines {
                c.lines += memchr::memchr_iter(b'\n', data).count() as u64;
            }
        } else if w.longest {
            state.slow(data, &mut c);
        } else {
            c.chars += data.len() as u64;
            state.ascii(data, &mut c);
        }
        let n = data.len();
        input.consume(n);
    }
    if slow {
        state.finish(&mut c);
    }
    Ok(c)
}

/// Where the count stands between chunks.
#[derive(Default)]
struct State {
    in_word: bool,
    column: u64,
    partial: Vec<u8>,
}

/// 0 = neither (a control character: it does not begin a word), 1 = white space, 2 = part of a word.
static CLASS: [u8; 256] = {
    let mut t = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        t[i] = match i as u8 {
            9..=13 | b' ' => 1,
            33..=126 => 2,
            _ => 0,
        };
        i += 1;
    }
    t
};

impl State {
    fn pending(&self) -> bool {
        !self.partial.is_empty()
    }

    /// A word begins where a printable byte follows white space; bytes that are neither change nothing.
    fn ascii(&mut self, data: &[u8], c: &mut Counts) {
        let mut in_word = self.in_word;
        let (mut lines, mut words) = (0u64, 0u64);
        for &b in data {
            let class = CLASS[b as usize];
            let now = if class == 0 { in_word } else { class == 2 };
            words += u64::from(now & !in_word);
            lines += u64::from(b == b'\n');
            in_word = now;
        }
        self.in_word = in_word;
        c.lines += lines;
        c.words += words;
    }

    /// Character by character, for other scripts and for `-L`.
    fn slow(&mut self, data: &[u8], c: &mut Counts) {
        let joined;
        let mut data = data;
        if !self.partial.is_empty() {
            joined = [std::mem::take(&mut self.partial), data.to_vec()].concat();
            data = &joined;
        }
        let tail = incomplete_tail(data);
        let (whole, rest) = data.split_at(data.len() - tail);
        self.partial = rest.to_vec();
        for chunk in whole.utf8_chunks() {
            chunk.valid().chars().for_each(|ch| self.character(ch, c));
        }
    }

    fn character(&mut self, ch: char, c: &mut Counts) {
        c.chars += 1;
        match ch {
            '\n' => {
                c.lines += 1;
                c.longest = c.longest.max(self.column);
                self.column = 0;
                self.in_word = false;
            }
            '\r' | '\x0c' => {
                c.longest = c.longest.max(self.column);
                self.column = 0;
                self.in_word = false;
            }
            '\t' => {
                self.column += 8 - self.column % 8;
                self.in_word = false;
            }
            ' ' => {
                self.column += 1;
                self.in_word = false;
            }
            '\x0b' => self.in_word = false,
            _ => {
                let width = unicode_width::UnicodeWidthChar::width(ch);
                self.column += width.unwrap_or(0) as u64;
                // No-break spaces separate words in GNU wc unless POSIXLY_CORRECT.
                let space =
                    ch.is_whitespace() || matches!(ch, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{2060}');
                if space {
                    self.in_word = false;
                } else if width.is_some() && !ch.is_control() {
                    c.words += u64::from(!self.in_word);
                    self.in_word = true;
                }
            }
        }
    }

    fn finish(&mut self, c: &mut Counts) {
        c.longest = c.longest.max(self.column);
    }
}

/// How many bytes at the end are the beginning of a longer character.
fn incomplete_tail(data: &[u8]) -> usize {
    for back in 1..=3.min(data.len()) {
        let b = data[data.len() - back];
        if b & 0xC0 == 0x80 {
            continue;
        }
        let need = match b {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        return if need > back { back } else { 0 };
    }
    0
}
