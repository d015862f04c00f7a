//! `tr`: translates, squeezes or deletes bytes by table.

use crate::cli;
use sandshell_kernel::{Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `tr`
pub struct Tr;

static SPEC: Spec = Spec {
    name: "tr",
    about: "Translate, squeeze, and/or delete characters from standard input,\nwriting to standard output.  STRING1 and STRING2 specify arrays of\ncharacters ARRAY1 and ARRAY2 that control the action.",
    synopsis: &["[OPTION]... STRING1 [STRING2]"],
    options: &[
        Opt::new('c', "complement", "use the complement of ARRAY1"),
        Opt::short('C', "use the complement of ARRAY1"),
        Opt::new('d', "delete", "delete characters in ARRAY1, do not translate"),
        Opt::new(
            's',
            "squeeze-repeats",
            "replace each sequence of a repeated character that is listed in the last specified ARRAY, with a single occurrence of that character",
        ),
        Opt::new('t', "truncate-set1", "first truncate ARRAY1 to length of ARRAY2"),
    ],
    notes: "ARRAYs are specified as strings of characters.  Most represent themselves.\nInterpreted sequences are:\n\n  \\NNN            character with octal value NNN (1 to 3 octal digits)\n  \\\\              backslash\n  \\a              audible BEL\n  \\b              backspace\n  \\f              form feed\n  \\n              new line\n  \\r              return\n  \\t              horizontal tab\n  \\v              vertical tab\n  CHAR1-CHAR2     all characters from CHAR1 to CHAR2 in ascending order\n  [CHAR*]         in ARRAY2, copies of CHAR until length of ARRAY1\n  [CHAR*REPEAT]   REPEAT copies of CHAR, REPEAT octal if starting with 0\n  [:alnum:]       all letters and digits\n  [:alpha:]       all letters\n  [:blank:]       all horizontal whitespace\n  [:cntrl:]       all control characters\n  [:digit:]       all digits\n  [:graph:]       all printable characters, not including space\n  [:lower:]       all lower case letters\n  [:print:]       all printable characters, including space\n  [:punct:]       all punctuation characters\n  [:space:]       all horizontal or vertical whitespace\n  [:upper:]       all upper case letters\n  [:xdigit:]      all hexadecimal digits\n  [=CHAR=]        all characters which are equivalent to CHAR",
    version: "tr (GNU coreutils) 9.1",
    examples: &[Example { script: "echo hello | tr a-y b-z", output: "ifmmp\n" }],
};

/// A piece of a string, in order.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Bytes(Vec<u8>),
    Class(&'static str),
    /// `[c*n]`; 0 = as many as are needed.
    Repeat(u8, usize),
    Equivalent(u8),
}

impl Program for Tr {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::First, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let has = |id| parsed.options.iter().any(|f| f.id == id);
        let complement = has("complement") || has("C");
        let (delete, squeeze, truncate) = (has("delete"), has("squeeze-repeats"), has("truncate-set1"));
        let operands = &parsed.operands;
        let translating = operands.len() == 2 && !delete;
        let (least, most) = match (delete, squeeze) {
            (true, true) => (2, 2),
            (true, false) => (1, 1),
            (false, true) => (1, 2),
            (false, false) => (2, 2),
        };
        if operands.len() < least {
            match operands.last() {
                None => process.error(format_args!("missing operand"))?,
                Some(last) => process.error(format_args!("missing operand after {}", cli::quote(last)))?,
            }
            if operands.len() == 1 {
                let why: &[u8] = if squeeze {
                    b"Two strings must be given when both deleting and squeezing repeats.\n"
                } else {
                    b"Two strings must be given when translating.\n"
                };
                process.write_error(why)?;
            }
            return cli::try_help(process, 1);
        }
        if let Some(extra) = operands.get(most) {
            process.error(format_args!("extra operand {}", cli::quote(extra)))?;
            if operands.len() == 2 {
                process.write_error(
                    b"Only one string may be given when deleting without squeezing repeats.\n",
                )?;
            }
            return cli::try_help(process, 1);
        }
        match plan(operands, complement, delete, squeeze, truncate, translating) {
            Ok(plan) => plan.run(process),
            Err(text) => {
                process.error(format_args!("{text}"))?;
                Ok(Status::FAILURE)
            }
        }
    }
}

/// What to do with each byte.
struct Plan {
    map: Option<[u8; 256]>,
    delete: Option<[bool; 256]>,
    squeeze: Option<[bool; 256]>,
}

fn plan(
    operands: &[sandshell_kernel::Bytes],
    complement: bool,
    delete: bool,
    squeeze: bool,
    truncate: bool,
    translating: bool,
) -> Result<Plan, String> {
    let one = pieces(&operands[0], false)?;
    let two = operands.get(1).map(|s| pieces(s, true)).transpose()?;
    if one.iter().any(|p| matches!(p, Piece::Repeat(_, 0))) {
        return Err("the [c*] repeat construct may not appear in string1".into());
    }
    let mut first = expand(&one, 0);
    if complement {
        let mut set = set_of(&first);
        set.iter_mut().for_each(|b| *b = !*b);
        first = (0..=255u8).filter(|b| set[*b as usize]).collect();
    }
    let mut p = Plan { map: None, delete: None, squeeze: None };
    if let (true, Some(two)) = (translating, &two) {
        if two.iter().filter(|p| matches!(p, Piece::Repeat(_, 0))).count() > 1 {
            return Err("only one [c*] repeat construct may appear in string2".into());
        }
        if two.iter().any(|p| matches!(p, Piece::Equivalent(_))) {
            return Err("[=c=] expressions may not appear in string2 when translating".into());
        }
        if two.iter().any(|p| matches!(p, Piece::Class(c) if !matches!(*c, "lower" | "upper"))) {
            return Err("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'".into());
        }
        let fixed = expand(two, 0).len();
        let fill = first.len().saturating_sub(fixed);
        let mut second = expand(two, fill);
        if !complement {
            case_classes(&one, two)?;
        }
        if second.is_empty() && !truncate {
            if first.is_empty() {
                p.map = Some(std::array::from_fn(|i| i as u8));
                return Ok(p);
            }
            return Err("when not truncating set1, string2 must be non-empty".into());
        }
        if truncate {
            first.truncate(second.len());
        } else if second.len() < first.len() {
            if matches!(two.last(), Some(Piece::Class(_))) {
                return Err("when translating with string1 longer than string2,\nthe latter string must not end with a character class".into());
            }
            let last = second[second.len() - 1];
            second.resize(first.len(), last);
        }
        if complement
            && one.iter().any(|p| matches!(p, Piece::Class(_)))
            && second[..first.len()].iter().any(|b| *b != second[0])
        {
            return Err("when translating with complemented character classes,\nstring2 must map all characters in the domain to one".into());
        }
        let mut map: [u8; 256] = std::array::from_fn(|i| i as u8);
        for (from, to) in first.iter().zip(&second) {
            map[*from as usize] = *to;
        }
        p.map = Some(map);
        if squeeze {
            p.squeeze = Some(set_of(&second));
        }
    } else {
        if two.as_ref().is_some_and(|t| t.iter().any(|p| matches!(p, Piece::Repeat(_, 0)))) {
            return Err("the [c*] construct may appear in string2 only when translating".into());
        }
        if delete {
            p.delete = Some(set_of(&first));
            if let (true, Some(two)) = (squeeze, &two) {
                p.squeeze = Some(set_of(&expand(two, 0)));
            }
        } else if squeeze {
            p.squeeze = Some(set_of(&first));
        }
    }
    Ok(p)
}

/// `[:upper:]` in string2 must stand where string1 has a case class (and the other way round), at the same place.
fn case_classes(one: &[Piece], two: &[Piece]) -> Result<(), String> {
    let misaligned = || Err("misaligned [:upper:] and/or [:lower:] construct".to_string());
    let starts = |pieces: &[Piece]| {
        let mut at = 0;
        let mut out = Vec::new();
        for p in pieces {
            if matches!(p, Piece::Class("upper" | "lower")) {
                out.push(at);
            }
            at += expand(std::slice::from_ref(p), 0).len();
        }
        out
    };
    let from = starts(one);
    for at in starts(two) {
        if !from.contains(&at) {
            return misaligned();
        }
    }
    Ok(())
}

fn set_of(bytes: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    bytes.iter().for_each(|b| set[*b as usize] = true);
    set
}

fn expand(pieces: &[Piece], fill: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for p in pieces {
        match p {
            Piece::Bytes(b) => out.extend_from_slice(b),
            Piece::Class(name) => out.extend((0..=255u8).filter(|b| in_class(name, *b))),
            Piece::Repeat(b, 0) => out.extend(std::iter::repeat_n(*b, fill)),
            Piece::Repeat(b, n) => out.extend(std::iter::repeat_n(*b, *n)),
            Piece::Equivalent(b) => out.push(*b),
        }
    }
    out
}

fn in_class(name: &str, b: u8) -> bool {
    match name {
        "alnum" => b.is_ascii_alphanumeric(),
        "alpha" => b.is_ascii_alphabetic(),
        "blank" => matches!(b, b' ' | b'\t'),
        "cntrl" => b.is_ascii_control(),
        "digit" => b.is_ascii_digit(),
        "graph" => b.is_ascii_graphic(),
        "lower" => b.is_ascii_lowercase(),
        "print" => matches!(b, b' '..=b'~'),
        "punct" => b.is_ascii_punctuation(),
        "space" => matches!(b, b' ' | 9..=13),
        "upper" => b.is_ascii_uppercase(),
        _ => b.is_ascii_hexdigit(),
    }
}

const CLASSES: [&str; 12] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
    "xdigit",
];

/// One byte at `at`, escapes taken: the byte, whether it was escaped, and where the next begins.
fn byte_at(text: &[u8], at: usize) -> (u8, bool, usize) {
    if text[at] != b'\\' || at + 1 >= text.len() {
        return (text[at], false, at + 1);
    }
    let c = text[at + 1];
    let simple = match c {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => 10,
        b'r' => 13,
        b't' => 9,
        b'v' => 11,
        b'0'..=b'7' => {
            let mut n = 0u32;
            let mut i = at + 1;
            while i < text.len() && i < at + 4 && (b'0'..=b'7').contains(&text[i]) {
                let more = n * 8 + u32::from(text[i] - b'0');
                // Of `\400` only two digits count: GNU warns and reads `\40` `0`.
                if more > 255 {
                    break;
                }
                n = more;
                i += 1;
            }
            return (n as u8, true, i);
        }
        other => other,
    };
    (simple, true, at + 2)
}

fn pieces(text: &[u8], second: bool) -> Result<Vec<Piece>, String> {
    let mut out: Vec<Piece> = Vec::new();
    let push = |out: &mut Vec<Piece>, b: u8| match out.last_mut() {
        Some(Piece::Bytes(v)) => v.push(b),
        _ => out.push(Piece::Bytes(vec![b])),
    };
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'['
            && at + 1 < text.len()
            && let Some((piece, next)) = bracket(text, at, second)?
        {
            out.push(piece);
            at = next;
            continue;
        }
        let (from, _, next) = byte_at(text, at);
        // A range needs an unescaped `-` with something after it.
        if next + 1 < text.len() && text[next] == b'-' {
            let (to, _, after) = byte_at(text, next + 1);
            if to < from {
                return Err(format!(
                    "range-endpoints of '{}-{}' are in reverse collating sequence order",
                    show(from),
                    show(to)
                ));
            }
            (from..=to).for_each(|b| push(&mut out, b));
            at = after;
            continue;
        }
        push(&mut out, from);
        at = next;
    }
    Ok(out)
}

fn show(b: u8) -> String {
    match b {
        b'\\' => "\\\\".into(),
        b' '..=b'~' => char::from(b).to_string(),
        7 => "\\a".into(),
        8 => "\\b".into(),
        9 => "\\t".into(),
        10 => "\\n".into(),
        11 => "\\v".into(),
        12 => "\\f".into(),
        13 => "\\r".into(),
        _ => format!("\\{b:03o}"),
    }
}

/// `[:class:]`, `[=c=]`, `[c*]`, `[c*n]` at `at`, or nothing of the kind.
fn bracket(text: &[u8], at: usize, second: bool) -> Result<Option<(Piece, usize)>, String> {
    let kind = text[at + 1];
    if kind == b':' || kind == b'=' {
        let close = [kind, b']'];
        if let Some(i) = text.get(at + 2..).and_then(|t| t.windows(2).position(|w| w == close)) {
            let inner = &text[at + 2..at + 2 + i];
            let next = at + 4 + i;
            if kind == b'=' {
                if inner.len() == 1 {
                    return Ok(Some((Piece::Equivalent(inner[0]), next)));
                }
                if !inner.is_empty() {
                    return Err(format!(
                        "{}: equivalence class operand must be a single character",
                        String::from_utf8_lossy(inner)
                    ));
                }
                return Err("missing equivalence class character '[==]'".into());
            }
            // `[:*]` and `[::*…` read as repeats of `:`.
            if inner.is_empty() {
                return Err("missing character class name '[::]'".into());
            }
            return match CLASSES.iter().find(|c| c.as_bytes() == inner) {
                Some(name) => Ok(Some((Piece::Class(name), next))),
                None => Err(format!("invalid character class ‘{}’", String::from_utf8_lossy(inner))),
            };
        }
    }
    let (b, _, next) = byte_at(text, at + 1);
    if text.get(next) != Some(&b'*') {
        return Ok(None);
    }
    let Some(close) = text[next + 1..].iter().position(|&b| b == b']') else { return Ok(None) };
    let digits = &text[next + 1..next + 1 + close];
    let radix = if digits.first() == Some(&b'0') { 8 } else { 10 };
    let count = if digits.is_empty() {
        Some(0)
    } else {
        std::str::from_utf8(digits).ok().and_then(|d| usize::from_str_radix(d, radix).ok())
    };
    match count {
        Some(n) if n <= 1 << 24 => {
            let _ = second;
            Ok(Some((Piece::Repeat(b, n), next + 2 + close)))
        }
        _ => Err(format!("invalid repeat count {} in [c*n] construct", cli::quote(digits))),
    }
}

impl Plan {
    fn run(&self, process: &mut Process) -> Result<Status> {
        let mut last: Option<u8> = None;
        let mut buf = Vec::with_capacity(64 << 10);
        let range = self.map.as_ref().and_then(single_range);
        loop {
            let data = process.stdin.fill()?;
            if data.is_empty() {
                return Ok(Status::OK);
            }
            let n = data.len();
            buf.clear();
            match (&self.map, &self.delete) {
                (Some(_), None) if range.is_some() && self.squeeze.is_none() => {
                    // One range moved by one distance: a loop that the compiler vectorises.
                    let (from, len, by) = range.unwrap_or_default();
                    buf.extend(data.iter().map(|&b| {
                        let inside = b.wrapping_sub(from) < len;
                        b.wrapping_add(if inside { by } else { 0 })
                    }));
                }
                (Some(map), None) => buf.extend(data.iter().map(|&b| map[b as usize])),
                (_, Some(delete)) => compact(data, &mut buf, |b| !delete[b as usize]),
                (None, None) => buf.extend_from_slice(data),
            }
            if let Some(set) = &self.squeeze {
                let mut kept = 0;
                for i in 0..buf.len() {
                    let b = buf[i];
                    if last == Some(b) && set[b as usize] {
                        continue;
                    }
                    last = Some(b);
                    buf[kept] = b;
                    kept += 1;
                }
                buf.truncate(kept);
            }
            process.stdin.consume(n);
            process.stdout.put(&buf)?;
        }
    }
}

/// Copies the bytes to keep, without a branch per byte.
fn compact(data: &[u8], out: &mut Vec<u8>, keep: impl Fn(u8) -> bool) {
    out.resize(data.len(), 0);
    let mut n = 0;
    for &b in data {
        out[n] = b;
        n += usize::from(keep(b));
    }
    out.truncate(n);
}

/// When the table moves one run of bytes by a constant and leaves the rest: (first, length, distance).
fn single_range(map: &[u8; 256]) -> Option<(u8, u8, u8)> {
    let moved: Vec<usize> = (0..256).filter(|&i| map[i] as usize != i).collect();
    let (first, last) = (*moved.first()?, *moved.last()?);
    let by = map[first].wrapping_sub(first as u8);
    if last - first + 1 != moved.len() || moved.len() > 255 {
        return None;
    }
    moved.iter().all(|&i| map[i].wrapping_sub(i as u8) == by).then_some((first as u8, moved.len() as u8, by))
}
