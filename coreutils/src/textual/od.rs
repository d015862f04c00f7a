//! `od`: bytes as numbers and characters. Lines are written field by field from tables into one buffer.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::number::{LongDouble, SizeError, parse_f64, parse_size};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `od`
pub struct Od;

static SPEC: Spec = Spec {
    name: "od",
    about: "Write an unambiguous representation, octal bytes by default,\n\
        of FILE to standard output.  With more than one FILE argument,\n\
        concatenate them in the listed order to form the input.\n\n\
        With no FILE, or when FILE is -, read standard input.",
    synopsis: &[
        "[OPTION]... [FILE]...",
        "[-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]",
        "--traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]",
    ],
    options: &[
        Opt::new(
            'A',
            "address-radix",
            "output format for file offsets; RADIX is one\nof [doxn], for Decimal, Octal, Hex or None",
        )
        .value("RADIX"),
        Opt::long("endian", "swap input bytes according the specified order").value("{big|little}"),
        Opt::new('j', "skip-bytes", "skip BYTES input bytes first").value("BYTES"),
        Opt::new('N', "read-bytes", "limit dump to BYTES input bytes").value("BYTES"),
        Opt::short('S', "output strings of at least BYTES graphic chars").value("BYTES"),
        Opt::long("strings", "the same; 3 is implied when BYTES is not specified").optional("BYTES"),
        Opt::new('t', "format", "select output format or formats").value("TYPE"),
        Opt::new('v', "output-duplicates", "do not use * to mark line suppression"),
        Opt::new(
            'w',
            "width",
            "output BYTES bytes per output line;\n32 is implied when BYTES is not specified",
        )
        .optional("BYTES"),
        Opt::long("traditional", "accept arguments in third form above"),
        Opt::short('a', "same as -t a,  select named characters, ignoring high-order bit"),
        Opt::short('b', "same as -t o1, select octal bytes"),
        Opt::short('c', "same as -t c,  select printable characters or backslash escapes"),
        Opt::short('d', "same as -t u2, select unsigned decimal 2-byte units"),
        Opt::short('f', "same as -t fF, select floats"),
        Opt::short('i', "same as -t dI, select decimal ints"),
        Opt::short('l', "same as -t dL, select decimal longs"),
        Opt::short('o', "same as -t o2, select octal 2-byte units"),
        Opt::short('s', "same as -t d2, select decimal 2-byte units"),
        Opt::short('x', "same as -t x2, select hexadecimal 2-byte units"),
        Opt::short('B', ""),
        Opt::short('D', ""),
        Opt::short('e', ""),
        Opt::short('F', ""),
        Opt::short('h', ""),
        Opt::short('H', ""),
        Opt::short('I', ""),
        Opt::short('L', ""),
        Opt::short('O', ""),
        Opt::short('X', ""),
    ],
    notes: "TYPE is made up of one or more of these specifications:\n  \
        a          named character, ignoring high-order bit\n  c          printable character or backslash escape\n  \
        d[SIZE]    signed decimal, SIZE bytes per integer\n  f[SIZE]    floating point, SIZE bytes per float\n  \
        o[SIZE]    octal, SIZE bytes per integer\n  u[SIZE]    unsigned decimal, SIZE bytes per integer\n  \
        x[SIZE]    hexadecimal, SIZE bytes per integer\n\n\
        Adding a z suffix to any type displays printable characters at the end of\neach output line.",
    version: "od (GNU coreutils) 9.1",
    examples: &[Example {
        script: "printf 'hi\\n' | od -An -tx1 -c",
        output: "  68  69  0a\n   h   i  \\n\n",
    }],
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Named,
    Char,
    Signed,
    Unsigned,
    Octal,
    Hex,
    Float,
}

/// One output format.
#[derive(Debug, Clone, Copy)]
struct Type {
    kind: Kind,
    size: usize,
    /// Characters of a field without the space before it.
    width: usize,
    /// Characters that this format's line must be padded with to be as wide as the widest.
    pad: usize,
    trailer: bool,
}

const NAMES: [&str; 33] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so", "si",
    "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs",
    "us", "sp",
];

impl Type {
    fn new(kind: Kind, size: usize, trailer: bool) -> Type {
        let bits = size * 8;
        let width = match kind {
            Kind::Named | Kind::Char => 3,
            Kind::Octal => bits.div_ceil(3),
            Kind::Hex => size * 2,
            Kind::Unsigned => [3, 5, 10, 20][size.trailing_zeros() as usize],
            Kind::Signed => [4, 6, 11, 20][size.trailing_zeros() as usize],
            Kind::Float => match size {
                4 => 15,
                8 => 24,
                _ => 29,
            },
        };
        Type { kind, size, width, pad: 0, trailer }
    }

    /// Parses a type string such as `x1z` or `a`.
    fn parse(text: &[u8], into: &mut Vec<Type>) -> Result<(), String> {
        let shown = || cli::quote(text);
        let mut rest = text;
        while let Some((&c, after)) = rest.split_first() {
            let kind = match c {
                b'a' => Kind::Named,
                b'c' => Kind::Char,
                b'd' => Kind::Signed,
                b'u' => Kind::Unsigned,
                b'o' => Kind::Octal,
                b'x' => Kind::Hex,
                b'f' => Kind::Float,
                c => return Err(format!("invalid character '{}' in type string {}", char::from(c), shown())),
            };
            rest = after;
            let size = match (kind, rest.first()) {
                (Kind::Named | Kind::Char, _) => 1,
                (Kind::Float, Some(l @ (b'F' | b'D' | b'L'))) => {
                    rest = &rest[1..];
                    match l {
                        b'F' => 4,
                        b'D' => 8,
                        _ => 16,
                    }
                }
                (Kind::Float, first) if !first.is_some_and(u8::is_ascii_digit) => 8,
                (_, Some(l @ (b'C' | b'S' | b'I' | b'L'))) => {
                    rest = &rest[1..];
                    match l {
                        b'C' => 1,
                        b'S' => 2,
                        b'I' => 4,
                        _ => 8,
                    }
                }
                (_, first) if !first.is_some_and(u8::is_ascii_digit) => 4,
                _ => {
                    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                    let size = rest[..digits]
                        .iter()
                        .fold(0usize, |v, d| v.saturating_mul(10).saturating_add(usize::from(d - b'0')));
                    rest = &rest[digits..];
                    let (what, fits) = match kind {
                        Kind::Float => ("floating point", matches!(size, 4 | 8 | 16)),
                        _ => ("integral", matches!(size, 1 | 2 | 4 | 8)),
                    };
                    if !fits {
                        return Err(format!(
                            "invalid type string {};\nthis system doesn't provide a {size}-byte {what} type",
                            shown()
                        ));
                    }
                    size
                }
            };
            let trailer = rest.first() == Some(&b'z');
            if trailer {
                rest = &rest[1..];
            }
            into.push(Type::new(kind, size, trailer));
        }
        Ok(())
    }

    /// Writes one field of `bytes` (as many as the size, in memory order) right-aligned in `width`.
    fn field(&self, bytes: &[u8], width: usize, out: &mut Vec<u8>) {
        let mut value = [0u8; 8];
        if self.kind != Kind::Float {
            value[..bytes.len()].copy_from_slice(bytes);
        }
        let n = u64::from_le_bytes(value);
        let mut text = [0u8; 24];
        match self.kind {
            Kind::Named => {
                let b = bytes[0] & 0x7f;
                match b {
                    127 => right(b"del", width, out),
                    0..=32 => right(NAMES[usize::from(b)].as_bytes(), width, out),
                    _ => right(&[b], width, out),
                }
            }
            Kind::Char => match bytes[0] {
                0 => right(b"\\0", width, out),
                7 => right(b"\\a", width, out),
                8 => right(b"\\b", width, out),
                b'\t' => right(b"\\t", width, out),
                b'\n' => right(b"\\n", width, out),
                0x0b => right(b"\\v", width, out),
                0x0c => right(b"\\f", width, out),
                b'\r' => right(b"\\r", width, out),
                b @ 32..127 => right(&[b], width, out),
                b => right(&[b'0' + (b >> 6), b'0' + (b >> 3 & 7), b'0' + (b & 7)], width, out),
            },
            Kind::Octal => {
                for (i, slot) in text[..self.width].iter_mut().rev().enumerate() {
                    *slot = b'0' + (n.checked_shr(3 * i as u32).unwrap_or(0) & 7) as u8;
                }
                right(&text[..self.width], width, out);
            }
            Kind::Hex => {
                for (i, slot) in text[..self.width].iter_mut().rev().enumerate() {
                    *slot = b"0123456789abcdef"[(n >> (4 * i) & 15) as usize];
                }
                right(&text[..self.width], width, out);
            }
            Kind::Unsigned => right(itoa::Buffer::new().format(n).as_bytes(), width, out),
            Kind::Signed => {
                let shift = 64 - 8 * self.size as u32;
                let n = (n << shift) as i64 >> shift;
                right(itoa::Buffer::new().format(n).as_bytes(), width, out);
            }
            Kind::Float => right(&float(bytes), width, out),
        }
    }
}

fn right(text: &[u8], width: usize, out: &mut Vec<u8>) {
    out.resize(out.len() + width.saturating_sub(text.len()), b' ');
    out.extend_from_slice(text);
}

/// The shortest `%g` that reads back as the same number.
fn float(bytes: &[u8]) -> Vec<u8> {
    let mut copy = [0u8; 16];
    copy[..bytes.len()].copy_from_slice(bytes);
    let four = f32::from_le_bytes([copy[0], copy[1], copy[2], copy[3]]);
    let eight = f64::from_bits(u64::from_le_bytes(copy[..8].try_into().unwrap_or_default()));
    let (value, precisions) = match bytes.len() {
        4 => (LongDouble::from_f64(four.into()), if four.abs() < f32::MIN_POSITIVE { 1..=9 } else { 6..=9 }),
        8 => (LongDouble::from_f64(eight), if eight.abs() < f64::MIN_POSITIVE { 1..=17 } else { 15..=17 }),
        _ => (LongDouble::from_x87(copy[..10].try_into().unwrap_or_default()), 18..=21),
    };
    let mut text = Vec::new();
    for precision in precisions {
        text.clear();
        if value.is_negative() {
            text.push(b'-');
        }
        value.format(b'g', Some(precision), false, &mut text);
        let same = match bytes.len() {
            4 => std::str::from_utf8(&text).ok().and_then(|t| t.parse::<f32>().ok()) == Some(four),
            8 => parse_f64(&text).0 == eight,
            _ => LongDouble::parse(&text).0 == value,
        };
        if same {
            break;
        }
    }
    text
}

/// How addresses are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Radix {
    Decimal,
    Octal,
    Hex,
    None,
}

struct Dump {
    types: Vec<Type>,
    radix: Radix,
    per_line: usize,
    big: bool,
    all: bool,
    /// What the label of `--traditional` adds to the address, shown in parentheses.
    label: Option<u64>,
    previous: Vec<u8>,
    equal: bool,
    out: Vec<u8>,
}

impl Dump {
    fn address(&mut self, at: u64, end: &[u8]) {
        let one = |n: u64, radix: Radix| match radix {
            Radix::Decimal => format!("{n:07}"),
            Radix::Octal => format!("{n:07o}"),
            Radix::Hex => format!("{n:06x}"),
            Radix::None => String::new(),
        };
        self.out.extend_from_slice(one(at, self.radix).as_bytes());
        if let Some(label) = self.label {
            let shown = one(at.wrapping_add(label), self.radix);
            if self.radix != Radix::None || label != 0 {
                self.out.extend_from_slice(format!(" ({shown})").as_bytes());
            }
        }
        self.out.extend_from_slice(end);
    }

    /// One line: `block` padded with zeros to whole fields, of which `len` bytes are real.
    fn block(&mut self, at: u64, block: &[u8], len: usize) {
        let full = len == self.per_line;
        if !self.all && full && self.previous == block {
            if !self.equal {
                self.out.extend_from_slice(b"*\n");
            }
            self.equal = true;
            return;
        }
        self.equal = false;
        self.previous.clear();
        if full {
            self.previous.extend_from_slice(block);
        }
        for i in 0..self.types.len() {
            let t = self.types[i];
            if i == 0 {
                self.address(at, b"");
            } else {
                let indent = match self.radix {
                    Radix::None => 0,
                    Radix::Hex => 6,
                    _ => 7,
                };
                let indent = if self.label.is_some() { indent * 2 + 3 } else { indent };
                self.out.resize(self.out.len() + indent, b' ');
            }
            let fields = self.per_line / t.size;
            let used = len.div_ceil(t.size);
            let mut left = t.pad;
            for f in 0..used {
                let next = t.pad * (fields - f - 1) / fields;
                let bytes = &block[f * t.size..(f + 1) * t.size];
                let width = t.width + left - next;
                left = next;
                if self.big && t.size > 1 {
                    let mut swapped = [0u8; 16];
                    swapped[..t.size].copy_from_slice(bytes);
                    swapped[..t.size].reverse();
                    t.field(&swapped[..t.size], width, &mut self.out);
                } else {
                    t.field(bytes, width, &mut self.out);
                }
            }
            if t.trailer {
                let blank = fields - used;
                self.out.resize(self.out.len() + blank * t.width + left, b' ');
                self.out.extend_from_slice(b"  >");
                let shown = block[..len].iter().map(|b| if (32..127).contains(b) { *b } else { b'.' });
                self.out.extend(shown);
                self.out.push(b'<');
            }
            self.out.push(b'\n');
        }
    }
}

/// The inputs one after the other, with bytes skipped and a limit.
struct Source {
    names: std::vec::IntoIter<Bytes>,
    current: Option<sandshell_kernel::Input>,
    skip: u64,
    limit: Option<u64>,
    failed: bool,
}

impl Source {
    fn next(&mut self, process: &mut Process) -> Result<Option<Bytes>> {
        loop {
            if self.limit == Some(0) {
                return Ok(None);
            }
            let Some(input) = &mut self.current else {
                let Some(name) = self.names.next() else { return Ok(None) };
                self.current = inputs::open(process, &name)?;
                self.failed |= self.current.is_none();
                continue;
            };
            let Some(mut chunk) = input.next_chunk()? else {
                self.current = None;
                continue;
            };
            if self.skip > 0 {
                let n = self.skip.min(chunk.len() as u64);
                self.skip -= n;
                chunk = chunk.slice(n as usize..);
            }
            if let Some(limit) = &mut self.limit {
                chunk.truncate((*limit).min(chunk.len() as u64) as usize);
                *limit -= chunk.len() as u64;
            }
            if !chunk.is_empty() {
                return Ok(Some(chunk));
            }
        }
    }
}

/// `[+]OFFSET[.][b]` of the old syntax.
fn old_offset(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (text, times) = match text.strip_suffix(b"b") {
        Some(t) if !t.starts_with(b"0x") => (t, 512),
        _ => (text, 1),
    };
    let (digits, base) = match (text.strip_suffix(b"."), text) {
        (Some(decimal), _) => (decimal, 10),
        (None, [b'0', b'x' | b'X', hex @ ..]) => (hex, 16),
        (None, octal) => (octal, 8),
    };
    let n = u64::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok()?;
    n.checked_mul(times)
}

/// A number of bytes: decimal, hexadecimal or octal, with a unit.
fn bytes_option(text: &[u8]) -> std::result::Result<u64, SizeError> {
    let based = |digits: &[u8], radix| {
        let n = digits.iter().take_while(|b| char::from(**b).is_digit(radix)).count();
        let value = std::str::from_utf8(&digits[..n]).ok().and_then(|t| u64::from_str_radix(t, radix).ok());
        (value, n)
    };
    let (value, rest) = match text {
        [b'0', b'x' | b'X', hex @ ..] => {
            let (v, n) = based(hex, 16);
            (v, &hex[n..])
        }
        [b'0', octal @ ..] if octal.first().is_some_and(u8::is_ascii_digit) => {
            let (v, n) = based(octal, 8);
            (v, &octal[n..])
        }
        _ => return parse_size(text, "bEGKkMmPTYZ0"),
    };
    let value = value.ok_or(SizeError::Invalid)?;
    let unit = if rest.is_empty() { 1 } else { parse_size(&[b"1", rest].concat(), "bEGKkMmPTYZ0")? };
    value.checked_mul(unit).ok_or(SizeError::Overflow)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The widest line.
const MAX_LINE: u64 = 1 << 20;

impl Program for Od {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let (mut types, mut radix, mut big, mut all) = (Vec::new(), Radix::Octal, false, false);
        let (mut skip, mut limit, mut strings, mut width) = (0, None, None, None);
        let (mut modern, mut traditional) = (false, false);
        for f in &parsed.options {
            let value = f.value.as_deref().unwrap_or_default();
            let wrong = |process: &mut Process, option: &str, e: SizeError| -> Result<Status> {
                let shown = cli::quote(value);
                let shown = shown.trim_start_matches('‘').trim_end_matches('’');
                match e {
                    SizeError::Invalid => {
                        process.error(format_args!("invalid {option} argument '{shown}'"))?
                    }
                    SizeError::Suffix => {
                        process.error(format_args!("invalid suffix in {option} argument '{shown}'"))?
                    }
                    SizeError::Overflow => {
                        process.error(format_args!("{option} argument '{shown}' too large"))?
                    }
                }
                Ok(Status::FAILURE)
            };
            let type_string: &[u8] = match f.id {
                "address-radix" => {
                    modern = true;
                    radix = match value.first() {
                        Some(b'd') => Radix::Decimal,
                        Some(b'o') => Radix::Octal,
                        Some(b'x') => Radix::Hex,
                        Some(b'n') => Radix::None,
                        other => {
                            let c = other.map_or(String::new(), |c| char::from(*c).to_string());
                            process.error(format_args!(
                                "invalid output address radix '{c}'; it must be one character from [doxn]"
                            ))?;
                            return Ok(Status::FAILURE);
                        }
                    };
                    continue;
                }
                "endian" => {
                    big = match value {
                        b"big" => true,
                        b"little" => false,
                        other => {
                            let text = format!(
                                "od: invalid argument {} for ‘--endian’\nValid arguments are:\n  - ‘little’\n  - ‘big’\n",
                                cli::quote(other)
                            );
                            process.write_error(text.as_bytes())?;
                            return cli::try_help(process, 1);
                        }
                    };
                    continue;
                }
                "skip-bytes" => {
                    modern = true;
                    match bytes_option(value) {
                        Ok(n) => skip = n,
                        Err(e) => return wrong(process, "-j", e),
                    }
                    continue;
                }
                "read-bytes" => {
                    modern = true;
                    match bytes_option(value) {
                        Ok(n) => limit = Some(n),
                        Err(e) => return wrong(process, "-N", e),
                    }
                    continue;
                }
                "S" | "strings" => {
                    modern = true;
                    match f.value.as_deref().map_or(Ok(3), bytes_option) {
                        Ok(n) => strings = Some(n),
                        Err(e) => return wrong(process, "-S", e),
                    }
                    continue;
                }
                "width" => {
                    modern = true;
                    match f.value.as_deref().map_or(Ok(32), bytes_option) {
                        Ok(n) => width = Some(n.min(MAX_LINE)),
                        Err(e) => return wrong(process, "-w", e),
                    }
                    continue;
                }
                "output-duplicates" => {
                    modern = true;
                    all = true;
                    continue;
                }
                "traditional" => {
                    traditional = true;
                    continue;
                }
                "format" => {
                    modern = true;
                    value
                }
                "a" => b"a",
                "b" => b"o1",
                "c" => b"c",
                "d" => b"u2",
                "f" => b"fF",
                "i" | "I" => b"dI",
                "l" | "L" => b"dL",
                "o" | "B" => b"o2",
                "s" => b"d2",
                "x" | "h" => b"x2",
                "D" => b"u4",
                "e" | "F" => b"fD",
                "H" | "X" => b"x4",
                "O" => b"o4",
                _ => continue,
            };
            if let Err(message) = Type::parse(type_string, &mut types) {
                process.error(format_args!("{message}"))?;
                return Ok(Status::FAILURE);
            }
        }
        let mut operands = parsed.operands;
        let mut label = None;
        if !modern || traditional {
            let starts = |text: &[u8], digit: bool| {
                text.first() == Some(&b'+') || digit && text.first().is_some_and(u8::is_ascii_digit)
            };
            match &operands[..] {
                [one] if traditional || starts(one, false) => {
                    if let Some(n) = old_offset(one) {
                        skip = n;
                        operands.clear();
                    }
                }
                [_, two] if traditional || starts(two, true) => {
                    if let Some(n) = old_offset(two) {
                        skip = n;
                        operands.truncate(1);
                    }
                }
                [_, offset, pseudo] if traditional => {
                    if let (Some(n), Some(l)) = (old_offset(offset), old_offset(pseudo)) {
                        skip = n;
                        label = Some(l.wrapping_sub(n));
                        operands.truncate(1);
                    }
                }
                [_, extra, ..] if traditional => {
                    process.error(format_args!("extra operand {}", cli::quote(extra)))?;
                    process.write_error(b"Compatibility mode supports at most one file.\n")?;
                    return cli::try_help(process, 1);
                }
                _ => {}
            }
        }
        if types.is_empty() {
            types.push(Type::new(Kind::Octal, 2, false));
        }
        let lcm = types.iter().fold(1, |l, t| l / gcd(l, t.size) * t.size);
        let mut per_line = if lcm < 16 { lcm * (16 / lcm) } else { lcm };
        if let Some(w) = width {
            let w = w as usize;
            if w != 0 && w.is_multiple_of(lcm) {
                per_line = w;
            } else {
                process.error(format_args!("warning: invalid width {w}; using {lcm} instead"))?;
                per_line = lcm;
            }
        }
        let widest = types.iter().map(|t| (t.width + 1) * (per_line / t.size)).max().unwrap_or(0);
        for t in &mut types {
            t.pad = widest - t.width * (per_line / t.size);
        }
        let mut source = Source {
            names: inputs::or_stdin(operands).into_iter(),
            current: None,
            skip,
            limit,
            failed: false,
        };
        let mut dump = Dump {
            types,
            radix,
            per_line,
            big,
            all,
            label,
            previous: Vec::new(),
            equal: false,
            out: Vec::new(),
        };
        match strings {
            Some(least) => dump_strings(process, &mut source, &mut dump, skip, least as usize)?,
            None => dump_all(process, &mut source, &mut dump, skip)?,
        }
        process.stdout.put(&dump.out)?;
        if source.skip > 0 && source.limit != Some(0) {
            process.error(format_args!("cannot skip past end of combined input"))?;
            return Ok(Status::FAILURE);
        }
        Ok(if source.failed { Status::FAILURE } else { Status::OK })
    }
}

fn dump_all(process: &mut Process, source: &mut Source, dump: &mut Dump, skip: u64) -> Result<()> {
    let per_line = dump.per_line;
    let mut at = skip;
    let mut carry: Vec<u8> = Vec::new();
    while let Some(chunk) = source.next(process)? {
        let mut rest = &chunk[..];
        if !carry.is_empty() {
            let n = (per_line - carry.len()).min(rest.len());
            carry.extend_from_slice(&rest[..n]);
            rest = &rest[n..];
            if carry.len() < per_line {
                continue;
            }
            dump.block(at, &carry, per_line);
            at += per_line as u64;
            carry.clear();
        }
        let mut blocks = rest.chunks_exact(per_line);
        for block in &mut blocks {
            dump.block(at, block, per_line);
            at += per_line as u64;
            if dump.out.len() > 60 << 10 {
                process.stdout.put(&dump.out)?;
                process.budget.steps(1024)?;
                dump.out.clear();
            }
        }
        carry.extend_from_slice(blocks.remainder());
    }
    if source.skip > 0 && source.limit != Some(0) {
        return Ok(());
    }
    let len = carry.len();
    if len > 0 {
        let largest = dump.types.iter().map(|t| t.size).max().unwrap_or(1);
        carry.resize(len.next_multiple_of(largest).max(len), 0);
        dump.block(at, &carry, len);
        at += len as u64;
    }
    if dump.radix != Radix::None {
        dump.address(at, b"\n");
    }
    Ok(())
}

/// `-S`: runs of printable characters that end with NUL.
fn dump_strings(
    process: &mut Process,
    source: &mut Source,
    dump: &mut Dump,
    skip: u64,
    least: usize,
) -> Result<()> {
    let mut at = skip;
    let mut run: Vec<u8> = Vec::new();
    let mut held = process.budget.reserve(0)?;
    while let Some(chunk) = source.next(process)? {
        for &b in &chunk {
            at += 1;
            if (32..127).contains(&b) {
                run.push(b);
                continue;
            }
            if b == 0 && run.len() >= least {
                dump.address(at - 1 - run.len() as u64, if dump.radix == Radix::None { b"" } else { b" " });
                dump.out.extend_from_slice(&run);
                dump.out.push(b'\n');
            }
            run.clear();
        }
        held.set(run.len() as u64)?;
        process.stdout.put(&dump.out)?;
        dump.out.clear();
    }
    // At the limit of -N the end counts as a NUL.
    if source.limit == Some(0) && run.len() >= least {
        dump.address(at - run.len() as u64, if dump.radix == Radix::None { b"" } else { b" " });
        dump.out.extend_from_slice(&run);
        dump.out.push(b'\n');
    }
    Ok(())
}
