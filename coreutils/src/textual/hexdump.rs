//! `hexdump`: the built-in displays and those of `-e`, all by one engine of format units; `-C` has a loop of its own.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::escape::{Escapes, Step, escape};
use sandshell_text::number::{LongDouble, parse_size};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `hexdump`
pub struct Hexdump;

static SPEC: Spec = Spec {
    name: "hexdump",
    about: "Display file contents in hexadecimal, decimal, octal, or ascii.",
    synopsis: &["[options] <file>..."],
    options: &[
        Opt::new('b', "one-byte-octal", "one-byte octal display"),
        Opt::new('c', "one-byte-char", "one-byte character display"),
        Opt::new('C', "canonical", "canonical hex+ASCII display"),
        Opt::new('d', "two-bytes-decimal", "two-byte decimal display"),
        Opt::new('o', "two-bytes-octal", "two-byte octal display"),
        Opt::new('x', "two-bytes-hex", "two-byte hexadecimal display"),
        Opt::new('L', "color", "interpret color formatting specifiers").optional("mode"),
        Opt::new('e', "format", "format string to be used for displaying data").value("format"),
        Opt::new('f', "format-file", "file that contains format strings").value("file"),
        Opt::new('n', "length", "interpret only length bytes of input").value("length"),
        Opt::new('s', "skip", "skip offset bytes from the beginning").value("offset"),
        Opt::new('v', "no-squeezing", "output identical lines"),
        Opt::short('V', ""),
        Opt::short('h', ""),
    ],
    notes: "",
    version: "hexdump from util-linux 2.38.1",
    examples: &[Example {
        script: "printf 'hi\\n' | hexdump -C",
        output: "00000000  68 69 0a                                          |hi.|\n00000003\n",
    }],
};

const CANONICAL: [&str; 3] = [
    "\"%08.8_Ax\\n\"",
    "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" ",
    "\"  |\" 16/1 \"%_p\" \"|\\n\"",
];

/// The address line at the end, and the display of these options.
fn builtin(id: &str) -> Option<&'static str> {
    Some(match id {
        "one-byte-octal" => "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\"",
        "one-byte-char" => "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\"",
        "two-bytes-decimal" => "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\"",
        "two-bytes-octal" => "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\"",
        "two-bytes-hex" => "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\"",
        "" => "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"",
        _ => return None,
    })
}
const LAST_ADDRESS: &str = "\"%07.7_Ax\\n\"";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conversion {
    /// The address, in this radix; `true`: only at the end.
    Address(u8, bool),
    Named,
    Escaped,
    Printable,
    Char,
    Text,
    Integer(u8),
    Float(u8),
}

/// Literal text, then a conversion.
#[derive(Debug, Clone)]
struct Piece {
    before: Vec<u8>,
    conversion: Option<Conversion>,
    minus: bool,
    zero: bool,
    sign: Option<u8>,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    bytes: usize,
}

/// `[iterations/][bytes] "format"`
#[derive(Debug, Clone)]
struct Unit {
    times: usize,
    times_given: bool,
    pieces: Vec<Piece>,
    after: Vec<u8>,
}

impl Unit {
    fn bytes(&self) -> usize {
        self.pieces.iter().map(|p| p.bytes).sum()
    }
}

/// Widest field and most iterations: what a format may ask for.
const MOST: usize = 1 << 16;

/// The units of one format string.
fn parse_format(text: &[u8]) -> Option<Vec<Unit>> {
    let mut units = Vec::new();
    let mut at = 0;
    let number = |at: &mut usize| {
        let start = *at;
        while text.get(*at).is_some_and(u8::is_ascii_digit) {
            *at += 1;
        }
        std::str::from_utf8(&text[start..*at]).ok()?.parse::<usize>().ok().filter(|n| *n <= MOST)
    };
    loop {
        while text.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if at >= text.len() {
            return Some(units);
        }
        let (mut times, mut given, mut bytes) = (1, false, None);
        if text[at].is_ascii_digit() {
            times = number(&mut at)?;
            given = true;
            while text.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
        }
        if text.get(at) == Some(&b'/') {
            at += 1;
            while text.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
        }
        if text.get(at).is_some_and(u8::is_ascii_digit) {
            bytes = Some(number(&mut at)?);
            while text.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
        }
        if text.get(at) != Some(&b'"') {
            return None;
        }
        let close = memchr::memchr(b'"', &text[at + 1..])?;
        let mut unit = parse_unit(&text[at + 1..at + 1 + close], bytes)?;
        unit.times = times;
        unit.times_given = given;
        units.push(unit);
        at += close + 2;
    }
}

fn parse_unit(text: &[u8], bytes: Option<usize>) -> Option<Unit> {
    let mut unit = Unit { times: 1, times_given: false, pieces: Vec::new(), after: Vec::new() };
    let mut literal = Vec::new();
    let mut rest = text;
    while let Some((&b, after)) = rest.split_first() {
        rest = after;
        match b {
            b'\\' => match escape(rest, Escapes::Format, &mut literal) {
                Step::Next(n) | Step::Kept(n, _) => rest = &rest[n..],
                _ => return None,
            },
            b'%' if rest.first() == Some(&b'%') => {
                literal.push(b'%');
                rest = &rest[1..];
            }
            b'%' => {
                let mut p = Piece {
                    before: std::mem::take(&mut literal),
                    conversion: None,
                    minus: false,
                    zero: false,
                    sign: None,
                    alternate: false,
                    width: 0,
                    precision: None,
                    bytes: 0,
                };
                while let Some((&f, after)) = rest.split_first() {
                    match f {
                        b'-' => p.minus = true,
                        b'0' => p.zero = true,
                        b'+' | b' ' => p.sign = Some(f),
                        b'#' => p.alternate = true,
                        _ => break,
                    }
                    rest = after;
                }
                let number = |rest: &mut &[u8]| {
                    let n = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                    let value =
                        std::str::from_utf8(&rest[..n]).ok().and_then(|t| t.parse().ok()).unwrap_or(0);
                    *rest = &rest[n..];
                    value
                };
                p.width = number(&mut rest).min(MOST);
                if rest.first() == Some(&b'.') {
                    rest = &rest[1..];
                    p.precision = Some(number(&mut rest).min(MOST));
                }
                let (&c, after) = rest.split_first()?;
                rest = after;
                let (conversion, default, allowed): (Conversion, usize, &[usize]) = match c {
                    b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => (Conversion::Integer(c), 4, &[1, 2, 4, 8]),
                    b'e' | b'E' | b'f' | b'g' | b'G' => (Conversion::Float(c), 8, &[4, 8]),
                    b'c' => (Conversion::Char, 1, &[1]),
                    b's' => (Conversion::Text, p.precision.unwrap_or(bytes?), &[]),
                    b'_' => {
                        let (&k, after) = rest.split_first()?;
                        rest = after;
                        match k {
                            b'a' | b'A' => {
                                let (&radix, after) = rest.split_first()?;
                                rest = after;
                                if !b"dox".contains(&radix) {
                                    return None;
                                }
                                (Conversion::Address(radix, k == b'A'), 0, &[])
                            }
                            b'c' => (Conversion::Escaped, 1, &[1]),
                            b'p' => (Conversion::Printable, 1, &[1]),
                            b'u' => (Conversion::Named, 1, &[1]),
                            _ => return None,
                        }
                    }
                    _ => return None,
                };
                p.bytes = match conversion {
                    Conversion::Address(..) => 0,
                    _ => bytes.filter(|b| *b > 0).unwrap_or(default),
                };
                if !allowed.is_empty() && !allowed.contains(&p.bytes) {
                    return None;
                }
                p.conversion = Some(conversion);
                unit.pieces.push(p);
            }
            _ => literal.push(b),
        }
    }
    unit.after = literal;
    Some(unit)
}

impl Piece {
    fn pad(&self, text: &[u8], out: &mut Vec<u8>) {
        let fill = self.width.saturating_sub(text.len());
        if self.minus {
            out.extend_from_slice(text);
        }
        out.resize(out.len() + fill, b' ');
        if !self.minus {
            out.extend_from_slice(text);
        }
    }

    fn number(&self, negative: bool, digits: &[u8], prefix: &[u8], integer: bool, out: &mut Vec<u8>) {
        let sign: &[u8] = match (negative, self.sign) {
            (true, _) => b"-",
            (_, Some(b'+')) => b"+",
            (_, Some(_)) => b" ",
            _ => b"",
        };
        let mut text = [sign, prefix].concat();
        let precision = self.precision.filter(|_| integer);
        let mut zeros = precision.unwrap_or(0).saturating_sub(digits.len());
        if self.zero && !self.minus && precision.is_none() {
            zeros = self.width.saturating_sub(text.len() + digits.len());
        }
        text.resize(text.len() + zeros, b'0');
        text.extend_from_slice(digits);
        self.pad(&text, out);
    }

    /// Prints the conversion of `data`.
    fn print(&self, data: &[u8], address: u64, out: &mut Vec<u8>) {
        let Some(conversion) = self.conversion else { return };
        let byte = data.first().copied().unwrap_or(0);
        match conversion {
            Conversion::Address(radix, _) => {
                let digits = match radix {
                    b'd' => address.to_string(),
                    b'o' => format!("{address:o}"),
                    _ => format!("{address:x}"),
                };
                self.number(false, digits.as_bytes(), b"", true, out);
            }
            Conversion::Named => match byte {
                0..=31 => {
                    const NAMES: [&str; 32] = [
                        "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff",
                        "cr", "so", "si", "dle", "dcl", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can",
                        "em", "sub", "esc", "fs", "gs", "rs", "us",
                    ];
                    self.pad(NAMES[usize::from(byte)].as_bytes(), out);
                }
                127 => self.pad(b"del", out),
                32..127 => self.pad(&[byte], out),
                _ => self.pad(format!("{byte:x}").as_bytes(), out),
            },
            Conversion::Escaped => match byte {
                0 => self.pad(b"\\0", out),
                7 => self.pad(b"\\a", out),
                8 => self.pad(b"\\b", out),
                0x0c => self.pad(b"\\f", out),
                b'\n' => self.pad(b"\\n", out),
                b'\r' => self.pad(b"\\r", out),
                b'\t' => self.pad(b"\\t", out),
                0x0b => self.pad(b"\\v", out),
                32..127 => self.pad(&[byte], out),
                _ => self.pad(format!("{byte:03o}").as_bytes(), out),
            },
            Conversion::Printable => self.pad(&[if (32..127).contains(&byte) { byte } else { b'.' }], out),
            Conversion::Char => self.pad(&[byte], out),
            Conversion::Text => {
                let text = data.split(|b| *b == 0).next().unwrap_or_default();
                let most = self.precision.unwrap_or(text.len()).min(text.len());
                self.pad(&text[..most], out);
            }
            Conversion::Integer(c) => {
                let mut value = [0u8; 8];
                value[..data.len()].copy_from_slice(data);
                let n = u64::from_le_bytes(value);
                let (mut negative, mut prefix): (bool, &[u8]) = (false, b"");
                let digits = match c {
                    b'd' | b'i' => {
                        let shift = 64 - 8 * data.len() as u32;
                        let n = (n << shift) as i64 >> shift;
                        negative = n < 0;
                        n.unsigned_abs().to_string()
                    }
                    b'u' => n.to_string(),
                    b'o' if self.alternate && n != 0 => format!("0{n:o}"),
                    b'o' => format!("{n:o}"),
                    b'x' => format!("{n:x}"),
                    _ => format!("{n:X}"),
                };
                if self.alternate && n != 0 {
                    prefix = match c {
                        b'x' => b"0x",
                        b'X' => b"0X",
                        _ => b"",
                    };
                }
                self.number(negative, digits.as_bytes(), prefix, true, out);
            }
            Conversion::Float(c) => {
                let value = match data {
                    [a, b, c, d] => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
                    _ => f64::from_bits(u64::from_le_bytes(data.try_into().unwrap_or_default())),
                };
                let value = LongDouble::from_f64(value);
                let mut digits = Vec::new();
                value.format(c, self.precision, self.alternate, &mut digits);
                self.number(value.is_negative(), &digits, b"", false, out);
            }
        }
    }
}

/// A display: its format strings, each a list of units.
struct Display {
    strings: Vec<Vec<Unit>>,
    block: usize,
}

impl Display {
    fn new(mut strings: Vec<Vec<Unit>>) -> Display {
        let bytes = |s: &[Unit]| s.iter().map(|u| u.bytes() * u.times).sum::<usize>();
        let block = strings.iter().map(|s| bytes(s)).max().unwrap_or(0);
        for s in &mut strings {
            // The last unit fills what the others leave, unless its iterations were given.
            let used = bytes(s);
            if let Some(last) = s.last_mut()
                && used < block
                && !last.times_given
                && last.bytes() > 0
            {
                last.times += (block - used) / last.bytes();
            }
        }
        Display { strings, block }
    }

    /// Prints a block at `address`, of which `len` bytes are data.
    fn print(&self, block: &[u8], len: usize, address: u64, out: &mut Vec<u8>) {
        for string in &self.strings {
            if string
                .iter()
                .flat_map(|u| &u.pieces)
                .any(|p| matches!(p.conversion, Some(Conversion::Address(_, true))))
            {
                continue;
            }
            let mut at = 0;
            for unit in string {
                for time in 0..unit.times {
                    let last = unit.times > 1 && time + 1 == unit.times;
                    for p in &unit.pieces {
                        out.extend_from_slice(&p.before);
                        if p.bytes > 0 && at >= len {
                            // Past the data: as many spaces as the field is wide.
                            out.resize(out.len() + p.width, b' ');
                        } else {
                            p.print(&block[at..at + p.bytes], address + at as u64, out);
                        }
                        at += p.bytes;
                    }
                    let mut after = &unit.after[..];
                    if last && after.last().is_some_and(u8::is_ascii_whitespace) && unit.bytes() > 0 {
                        after = &after[..after.len() - 1];
                    }
                    out.extend_from_slice(after);
                }
            }
        }
    }

    /// Prints the address at the end, as the last unit that wants it shows it.
    fn end(&self, address: u64, out: &mut Vec<u8>) {
        let is_end = |p: &Piece| matches!(p.conversion, Some(Conversion::Address(_, true)));
        let last = self.strings.iter().flatten().rev().find(|u| u.pieces.iter().any(is_end));
        let Some(unit) = last else { return };
        for p in &unit.pieces {
            out.extend_from_slice(&p.before);
            if is_end(p) {
                p.print(b"", address, out);
            }
        }
        out.extend_from_slice(&unit.after);
    }
}

/// A line of `-C`.
fn canonical(block: &[u8], address: u64, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let start = out.len();
    let mut shift = 32 - 4;
    if address >> 32 == 0 {
        loop {
            out.push(HEX[(address >> shift & 15) as usize]);
            if shift == 0 {
                break;
            }
            shift -= 4;
        }
    } else {
        out.extend_from_slice(format!("{address:08x}").as_bytes());
    }
    let base = out.len() - start;
    for (i, b) in block.iter().enumerate() {
        if i % 8 == 0 {
            out.push(b' ');
        }
        out.extend_from_slice(&[b' ', HEX[usize::from(b >> 4)], HEX[usize::from(b & 15)]]);
    }
    out.resize(start + base + 52, b' ');
    out.push(b'|');
    out.extend(block.iter().map(|b| if (32..127).contains(b) { *b } else { b'.' }));
    out.extend_from_slice(b"|\n");
}

impl Program for Hexdump {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let (mut formats, mut skip, mut limit, mut all): (Vec<Vec<u8>>, u64, Option<u64>, bool) =
            (Vec::new(), 0, None, false);
        let mut is_canonical = true;
        for f in &parsed.options {
            let value = f.value.as_deref().unwrap_or_default();
            match f.id {
                "V" => {
                    process.stdout.put(SPEC.version_text().as_bytes())?;
                    return Ok(Status::OK);
                }
                "h" => {
                    process.stdout.put(SPEC.help().as_bytes())?;
                    return Ok(Status::OK);
                }
                "canonical" => {
                    if formats.is_empty() || is_canonical {
                        formats.clear();
                    }
                    formats.extend(CANONICAL.map(|s| s.as_bytes().to_vec()));
                    continue;
                }
                "format" => formats.push(value.to_vec()),
                "format-file" => {
                    let Some(mut input) = inputs::open(process, value)? else { return Ok(Status::FAILURE) };
                    let text = input.read_all()?;
                    let lines = text.split(|b| *b == b'\n').map(|l| l.trim_ascii());
                    formats.extend(lines.filter(|l| !l.is_empty() && l[0] != b'#').map(<[u8]>::to_vec));
                }
                "length" | "skip" => {
                    let what = if f.id == "skip" { "offset" } else { "length" };
                    let number = match value.strip_prefix(b"0x") {
                        Some(hex) => {
                            std::str::from_utf8(hex).ok().and_then(|h| u64::from_str_radix(h, 16).ok())
                        }
                        None => parse_size(value, "KkMmGTPEZY0").ok(),
                    };
                    let Some(n) = number else {
                        let shown = String::from_utf8_lossy(value);
                        process.error(format_args!("failed to parse {what}: '{shown}': Invalid argument"))?;
                        return Ok(Status::FAILURE);
                    };
                    match f.id {
                        "skip" => skip = n,
                        _ => limit = Some(n),
                    }
                    continue;
                }
                "no-squeezing" => {
                    all = true;
                    continue;
                }
                "color" => continue,
                id => {
                    formats.push(LAST_ADDRESS.as_bytes().to_vec());
                    formats.push(builtin(id).unwrap_or_default().as_bytes().to_vec());
                }
            }
            is_canonical = false;
        }
        if formats.is_empty() {
            is_canonical = false;
            formats.push(LAST_ADDRESS.as_bytes().to_vec());
            formats.push(builtin("").unwrap_or_default().as_bytes().to_vec());
        }
        let mut strings = Vec::new();
        for f in &formats {
            match parse_format(f) {
                Some(units) => strings.push(units),
                None => {
                    process.error(format_args!("bad format {{{}}}", String::from_utf8_lossy(f)))?;
                    return Ok(Status::FAILURE);
                }
            }
        }
        let display = Display::new(strings);
        dump(process, parsed.operands, &display, is_canonical, skip, limit, all)
    }
}

fn dump(
    process: &mut Process,
    operands: Vec<Bytes>,
    display: &Display,
    is_canonical: bool,
    skip: u64,
    limit: Option<u64>,
    all: bool,
) -> Result<Status> {
    let size = display.block;
    let (mut left, mut to_skip) = (limit, skip);
    let mut address = skip;
    let (mut status, mut opened) = (Status::OK, false);
    let (mut carry, mut previous, mut out): (Vec<u8>, Vec<u8>, Vec<u8>) =
        (Vec::new(), Vec::new(), Vec::new());
    let mut squeezed = false;
    let mut line = |block: &[u8], len: usize, address: u64, out: &mut Vec<u8>| {
        if !all && len == size && previous == block {
            if !squeezed {
                out.extend_from_slice(b"*\n");
            }
            squeezed = true;
            return;
        }
        squeezed = false;
        previous.clear();
        previous.extend_from_slice(block);
        if is_canonical {
            canonical(&block[..len], address, out)
        } else {
            display.print(block, len, address, out)
        }
    };
    for name in inputs::or_stdin(operands) {
        let mut input = match process.open_input(&name) {
            Ok(input) => input,
            Err(e) => {
                process.complain(format_args!("{}", String::from_utf8_lossy(&name)), e)?;
                status = Status::FAILURE;
                continue;
            }
        };
        opened = true;
        while left != Some(0)
            && let Some(mut chunk) = input.next_chunk()?
        {
            process.budget.step()?;
            let n = to_skip.min(chunk.len() as u64);
            to_skip -= n;
            chunk = chunk.slice(n as usize..);
            if let Some(left) = &mut left {
                chunk.truncate((*left).min(chunk.len() as u64) as usize);
                *left -= chunk.len() as u64;
            }
            if size == 0 {
                continue;
            }
            let mut rest = &chunk[..];
            if !carry.is_empty() {
                let n = (size - carry.len()).min(rest.len());
                carry.extend_from_slice(&rest[..n]);
                rest = &rest[n..];
                if carry.len() < size {
                    continue;
                }
                line(&carry, size, address, &mut out);
                address += size as u64;
                carry.clear();
            }
            let mut blocks = rest.chunks_exact(size);
            for block in &mut blocks {
                line(block, size, address, &mut out);
                address += size as u64;
                if out.len() > 60 << 10 {
                    process.stdout.put(&out)?;
                    process.budget.steps(1024)?;
                    out.clear();
                }
            }
            carry.extend_from_slice(blocks.remainder());
        }
    }
    if !opened {
        process.error(format_args!("all input file arguments failed"))?;
        return Ok(Status::FAILURE);
    }
    let len = carry.len();
    if len > 0 {
        carry.resize(size, 0);
        line(&carry, len, address, &mut out);
        address += len as u64;
    }
    if to_skip > 0 {
        // All of the data was skipped: its size is the last address.
        if skip > to_skip {
            display.end(skip - to_skip, &mut out);
        }
    } else if address > skip {
        display.end(address, &mut out);
    }
    process.stdout.put(&out)?;
    Ok(status)
}
