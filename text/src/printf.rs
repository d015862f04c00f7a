//! The formatter of `printf`, as bash's builtin and as `/usr/bin/printf`. A format is parsed once into pieces; running
//! it writes straight into the caller's buffer and uses it again while there are arguments.

use crate::escape::{self, Escapes, Step};
use crate::number::{LongDouble, parse_int, parse_uint};
use crate::posix_class::next_char;
use crate::quote;

/// Whose rules and messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavor {
    /// The builtin of bash.
    Bash,
    /// The program of coreutils.
    Gnu,
}

/// What the formatter asks of its caller.
pub trait Host {
    /// A message for standard error, without the name of the program.
    fn complain(&mut self, text: &str);

    /// The same, where it matters that so many bytes of this run's output come before the message.
    fn complain_after(&mut self, text: &str, written: usize) {
        let _ = written;
        self.complain(text);
    }

    /// `%(…)T`: appends the time. −1 is now, −2 when the shell started.
    fn time(&mut self, format: &[u8], seconds: i64, out: &mut Vec<u8>) {
        let _ = (format, seconds, out);
    }

    /// `%n`: the number of bytes so far goes to this variable.
    fn assign(&mut self, name: &[u8], bytes: usize) {
        let _ = (name, bytes);
    }

    /// Whether so many more bytes may be written: asked before large paddings and precisions.
    fn room(&mut self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status.
    pub status: u8,
    /// `\c` was met.
    pub stopped: bool,
}

/// A parsed format.
#[derive(Debug, Clone)]
pub struct Format {
    pieces: Vec<Piece>,
    flavor: Flavor,
    takes: bool,
}

#[derive(Debug, Clone)]
enum Piece {
    Text(Vec<u8>),
    Spec(Spec),
    /// A message; the run goes on.
    Note(&'static str),
    /// A message, and the end.
    Fail(String),
    Stop,
}

#[derive(Debug, Clone, Default)]
struct Spec {
    flags: Flags,
    width: Count,
    precision: Count,
    conversion: u8,
    time: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Count {
    #[default]
    Absent,
    Number(i64),
    Argument,
}

/// A literal part may not be larger than what a C int counts.
const MAX_COUNT: i64 = i32::MAX as i64;

impl Format {
    /// Parses a format. Errors in it come up when they are reached.
    pub fn new(text: &[u8], flavor: Flavor) -> Format {
        let mut f = Format { pieces: Vec::new(), flavor, takes: false };
        let kind = if flavor == Flavor::Bash { Escapes::Format } else { Escapes::GnuFormat };
        let mut rest = text;
        let mut literal = Vec::new();
        while let Some(at) = memchr::memchr2(b'\\', b'%', rest) {
            literal.extend_from_slice(&rest[..at]);
            let special = rest[at];
            rest = &rest[at + 1..];
            if special == b'\\' {
                match escape::escape(rest, kind, &mut literal) {
                    Step::Next(n) => rest = &rest[n..],
                    Step::Kept(n, message) => {
                        f.flush(&mut literal);
                        f.pieces.push(Piece::Note(message));
                        rest = &rest[n..];
                    }
                    Step::Stop => {
                        f.flush(&mut literal);
                        f.pieces.push(Piece::Stop);
                        return f;
                    }
                    Step::Fail(message) => {
                        f.flush(&mut literal);
                        f.pieces.push(Piece::Fail(message.to_owned()));
                        return f;
                    }
                }
                continue;
            }
            if rest.first() == Some(&b'%') {
                literal.push(b'%');
                rest = &rest[1..];
                continue;
            }
            f.flush(&mut literal);
            match f.spec(rest) {
                Ok((spec, n)) => {
                    f.takes = true;
                    f.pieces.push(Piece::Spec(spec));
                    rest = &rest[n..];
                }
                Err(Problem::End(message)) => {
                    f.pieces.push(Piece::Fail(message));
                    return f;
                }
                Err(Problem::Time(message, n)) => {
                    f.pieces.push(Piece::Note(message));
                    literal.push(b'%');
                    literal.extend_from_slice(&rest[..n]);
                    rest = &rest[n..];
                }
            }
        }
        literal.extend_from_slice(rest);
        f.flush(&mut literal);
        f
    }

    fn flush(&mut self, literal: &mut Vec<u8>) {
        if !literal.is_empty() {
            self.pieces.push(Piece::Text(std::mem::take(literal)));
        }
    }

    /// The directive after a `%`.
    fn spec(&self, text: &[u8]) -> Result<(Spec, usize), Problem> {
        let mut spec = Spec::default();
        let mut at = 0;
        let gnu = self.flavor == Flavor::Gnu;
        let peek = |at: usize| text.get(at).copied();
        if gnu && matches!(peek(0), Some(b'b' | b'q')) {
            spec.conversion = text[0];
            return Ok((spec, 1));
        }
        let mut denied: Vec<u8> = Vec::new();
        loop {
            match peek(at) {
                Some(b'-') => spec.flags.left = true,
                Some(b'+') => spec.flags.plus = true,
                Some(b' ') => spec.flags.space = true,
                Some(b'#') => {
                    spec.flags.alternate = true;
                    denied.extend_from_slice(b"cdisu");
                }
                Some(b'0') => {
                    spec.flags.zero = true;
                    denied.extend_from_slice(b"cs");
                }
                Some(b'\'') => denied.extend_from_slice(b"aAceEosxX"),
                _ => break,
            }
            at += 1;
        }
        spec.width = count(text, &mut at).unwrap_or(Count::Absent);
        if peek(at) == Some(b'.') {
            at += 1;
            denied.push(b'c');
            spec.precision = count(text, &mut at).unwrap_or(Count::Number(0));
        }
        while let Some(length) = peek(at) {
            // `q` is a length before an integer's conversion, else the conversion itself.
            let quad = length == b'q' && peek(at + 1).is_some_and(|c| b"diouxX".contains(&c));
            if !quad && !b"hlLjtz".contains(&length) {
                break;
            }
            at += 1;
        }
        let Some(c) = peek(at) else {
            let shown = String::from_utf8_lossy(text);
            return Err(Problem::End(match self.flavor {
                Flavor::Bash => format!("`%{shown}': missing format character"),
                Flavor::Gnu => format!("%{shown}: invalid conversion specification"),
            }));
        };
        if !gnu && c == b'(' {
            return match memchr::memmem::find(&text[at..], b")T") {
                Some(n) if !text[at + 1..at + n].contains(&b')') => {
                    let format = &text[at + 1..at + n];
                    spec.time = if format.is_empty() { b"%X".to_vec() } else { format.to_vec() };
                    spec.conversion = b'T';
                    Ok((spec, at + n + 2))
                }
                _ => Err(Problem::Time("warning: `\0': invalid time format specification", at + 1)),
            };
        }
        let known: &[u8] = if gnu { b"aAcdeEfFgGiosuxX" } else { b"aAbcdeEfFgGinoqQsuxX" };
        if !known.contains(&c) || gnu && denied.contains(&c) {
            let (_, n) = next_char(&text[at..]);
            let shown = String::from_utf8_lossy(&text[at..at + n]);
            return Err(Problem::End(match self.flavor {
                Flavor::Bash => format!("`{shown}': invalid format character"),
                Flavor::Gnu => {
                    let all = String::from_utf8_lossy(&text[..at + 1]);
                    format!("%{all}: invalid conversion specification")
                }
            }));
        }
        spec.conversion = c;
        Ok((spec, at + 1))
    }

    /// The text of a format that takes no arguments and cannot fail.
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.pieces[..] {
            [] => Some(b""),
            [Piece::Text(t)] => Some(t),
            _ => None,
        }
    }

    /// Writes the arguments through the format, again and again while some are left.
    pub fn run<A: AsRef<[u8]>>(&self, args: &[A], out: &mut Vec<u8>, host: &mut dyn Host) -> Outcome {
        let mut run =
            Run { args, next: 0, out, host, status: 0, flavor: self.flavor, start: 0, stopped: false };
        run.start = run.out.len();
        loop {
            for piece in &self.pieces {
                match piece {
                    Piece::Text(t) => run.out.extend_from_slice(t),
                    Piece::Spec(s) => run.spec(s),
                    Piece::Note(message) => run.complain(message),
                    Piece::Fail(message) => {
                        run.complain(message);
                        run.status = 1;
                        run.stopped = true;
                    }
                    Piece::Stop => run.stopped = true,
                }
                if run.stopped {
                    return Outcome { status: run.status, stopped: true };
                }
            }
            if run.next >= args.len() || !self.takes {
                break;
            }
        }
        if self.flavor == Flavor::Gnu && run.next < args.len() {
            let first = quote::value(args[run.next].as_ref());
            run.complain(&format!("warning: ignoring excess arguments, starting with {first}"));
        }
        Outcome { status: run.status, stopped: false }
    }
}

enum Problem {
    End(String),
    /// The directive is printed as it is, so many bytes of it.
    Time(&'static str, usize),
}

/// A width or precision.
fn count(text: &[u8], at: &mut usize) -> Option<Count> {
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        return Some(Count::Argument);
    }
    let start = *at;
    if text.get(*at) == Some(&b'-') && text.get(*at + 1).is_some_and(u8::is_ascii_digit) {
        *at += 1;
    }
    let mut n = 0i64;
    while let Some(d) = text.get(*at).filter(|b| b.is_ascii_digit()) {
        n = (n * 10 + i64::from(d - b'0')).min(MAX_COUNT + 1);
        *at += 1;
    }
    (*at > start).then(|| Count::Number(if text[start] == b'-' { -n } else { n }))
}

struct Run<'a, A> {
    args: &'a [A],
    next: usize,
    out: &'a mut Vec<u8>,
    host: &'a mut dyn Host,
    status: u8,
    flavor: Flavor,
    start: usize,
    stopped: bool,
}

impl<'a, A: AsRef<[u8]>> Run<'a, A> {
    fn complain(&mut self, text: &str) {
        self.host.complain_after(text, self.out.len() - self.start);
    }

    fn argument(&mut self) -> Option<&'a [u8]> {
        let arg = self.args.get(self.next)?;
        self.next += 1;
        Some(arg.as_ref())
    }

    fn spec(&mut self, spec: &Spec) {
        let mut flags = spec.flags;
        let width = match spec.width {
            Count::Absent => 0,
            Count::Number(n) => n,
            Count::Argument => {
                let n = self.integer();
                if self.too_wide(n, "field width") {
                    return;
                }
                flags.left |= n < 0;
                n.saturating_abs()
            }
        };
        let precision = match spec.precision {
            Count::Absent => None,
            Count::Number(n) => Some(n),
            Count::Argument => {
                let n = self.integer();
                if self.too_wide(n, "precision") {
                    return;
                }
                Some(n)
            }
        };
        let precision = precision.filter(|p| *p >= 0);
        // glibc fails (and prints nothing) beyond an int.
        if width > MAX_COUNT || precision.is_some_and(|p| p > MAX_COUNT) {
            self.argument();
            return;
        }
        let (width, precision) = (width.max(0) as usize, precision.map(|p| p as usize));
        if width.max(precision.unwrap_or(0)) > 4096 && !self.host.room(width.max(precision.unwrap_or(0))) {
            self.stopped = true;
            return;
        }
        let bash = self.flavor == Flavor::Bash;
        match spec.conversion {
            b's' => {
                let arg = self.argument().unwrap_or(b"");
                self.pad(cut(arg, precision), flags.left, width);
            }
            b'c' => {
                let arg = self.argument().unwrap_or(b"");
                let c: &[u8] = if arg.is_empty() { b"\0" } else { &arg[..1] };
                self.pad(c, flags.left, width);
            }
            b'b' => {
                let arg = self.argument().unwrap_or(b"");
                let (text, stop) = self.percent_b(arg);
                self.pad(cut(&text, precision), flags.left, width);
                self.stopped |= stop;
            }
            b'q' if !bash => {
                let mut text = Vec::new();
                if let Some(arg) = self.argument() {
                    quote::shell_escape(arg, false, &mut text);
                }
                self.out.extend_from_slice(&text);
            }
            b'q' => {
                let mut text = Vec::new();
                quote::percent_q(self.argument().unwrap_or(b""), &mut text);
                self.pad(cut(&text, precision), flags.left, width);
            }
            b'Q' => {
                let mut text = Vec::new();
                quote::percent_q(cut(self.argument().unwrap_or(b""), precision), &mut text);
                self.pad(&text, flags.left, width);
            }
            b'n' => {
                let bytes = self.out.len() - self.start;
                if let Some(name) = self.argument().filter(|n| !n.is_empty()) {
                    self.host.assign(name, bytes);
                }
            }
            b'T' => {
                let seconds = if self.next < self.args.len() { self.integer() } else { -1 };
                let mut text = Vec::new();
                self.host.time(&spec.time, seconds, &mut text);
                self.pad(cut(&text, precision), flags.left, width);
            }
            b'd' | b'i' => {
                let n = self.integer();
                let sign = sign(n < 0, flags);
                let mut digits = itoa::Buffer::new();
                let body = digits.format(n.unsigned_abs()).as_bytes();
                self.number(sign, b"", body, flags, width, precision, false);
            }
            c @ (b'u' | b'o' | b'x' | b'X') => {
                let n = self.unsigned();
                let mut body = match c {
                    b'u' => itoa::Buffer::new().format(n).as_bytes().to_vec(),
                    b'o' => format!("{n:o}").into_bytes(),
                    b'x' => format!("{n:x}").into_bytes(),
                    _ => format!("{n:X}").into_bytes(),
                };
                let mut prefix: &[u8] = b"";
                if flags.alternate {
                    match c {
                        b'x' if n != 0 => prefix = b"0x",
                        b'X' if n != 0 => prefix = b"0X",
                        b'o' if body[0] != b'0' && precision.unwrap_or(0) <= body.len() => {
                            body.insert(0, b'0')
                        }
                        _ => {}
                    }
                }
                self.number(b"", prefix, &body, flags, width, precision, c == b'o' && flags.alternate);
            }
            c => {
                let value = self.float();
                let mut body = Vec::new();
                value.format(c, precision, flags.alternate, &mut body);
                let sign = sign(value.is_negative(), flags);
                if !value.is_finite() {
                    let text = [sign, &body[..]].concat();
                    return self.pad(&text, flags.left, width);
                }
                let prefix = if matches!(c, b'a' | b'A') { body.drain(..2).collect() } else { Vec::new() };
                self.number(sign, &prefix, &body, flags, width, None, false);
            }
        }
    }

    /// Coreutils end with a message where the number of a `*` is no int.
    fn too_wide(&mut self, n: i64, what: &str) -> bool {
        if self.flavor == Flavor::Bash || i32::try_from(n).is_ok() || what == "precision" && n < 0 {
            return false;
        }
        let shown = quote::value(self.args[self.next - 1].as_ref());
        self.complain(&format!("invalid {what}: {shown}"));
        self.status = 1;
        self.stopped = true;
        true
    }

    fn pad(&mut self, text: &[u8], left: bool, width: usize) {
        let fill = width.saturating_sub(text.len());
        if left {
            self.out.extend_from_slice(text);
        }
        self.out.resize(self.out.len() + fill, b' ');
        if !left {
            self.out.extend_from_slice(text);
        }
    }

    /// A number with its padding. `precision` is the least number of digits of an integer.
    /// `octal`: `%#o`, which shows at least a zero.
    fn number(
        &mut self,
        sign: &[u8],
        prefix: &[u8],
        body: &[u8],
        flags: Flags,
        width: usize,
        precision: Option<usize>,
        octal: bool,
    ) {
        let body: &[u8] = if precision == Some(0) && body == b"0" && !octal { b"" } else { body };
        let mut zeros = precision.unwrap_or(0).saturating_sub(body.len());
        let len = sign.len() + prefix.len() + zeros + body.len();
        let mut fill = width.saturating_sub(len);
        if flags.zero && !flags.left && precision.is_none() {
            zeros += fill;
            fill = 0;
        }
        if !flags.left {
            self.out.resize(self.out.len() + fill, b' ');
        }
        self.out.extend_from_slice(sign);
        self.out.extend_from_slice(prefix);
        self.out.resize(self.out.len() + zeros, b'0');
        self.out.extend_from_slice(body);
        if flags.left {
            self.out.resize(self.out.len() + fill, b' ');
        }
    }

    fn percent_b(&mut self, arg: &[u8]) -> (Vec<u8>, bool) {
        let kind = if self.flavor == Flavor::Bash { Escapes::PercentB } else { Escapes::GnuPercentB };
        let mut text = Vec::with_capacity(arg.len());
        let mut rest = arg;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            text.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            match escape::escape(rest, kind, &mut text) {
                Step::Next(n) => rest = &rest[n..],
                Step::Kept(n, message) => {
                    self.complain(message);
                    rest = &rest[n..];
                }
                Step::Stop => return (text, true),
                Step::Fail(message) => {
                    self.complain(message);
                    self.status = 1;
                    return (text, true);
                }
            }
        }
        text.extend_from_slice(rest);
        (text, false)
    }

    /// `'c` and `"c`: the code of a character.
    fn character(&mut self, arg: &[u8]) -> Option<u32> {
        let (b'\'' | b'"') = *arg.first()? else { return None };
        if arg.len() == 1 {
            return (self.flavor == Flavor::Bash).then_some(0);
        }
        let (c, n) = next_char(&arg[1..]);
        if self.flavor == Flavor::Gnu && arg.len() > 1 + n {
            let rest = String::from_utf8_lossy(&arg[1 + n..]).into_owned();
            self.complain(&format!(
                "warning: {rest}: character(s) following character constant have been ignored"
            ));
        }
        Some(c.map_or(u32::from(arg[1]), u32::from))
    }

    fn integer(&mut self) -> i64 {
        let Some(arg) = self.argument() else { return 0 };
        if let Some(c) = self.character(arg) {
            return c.into();
        }
        let n = parse_int(arg, 0);
        self.check(arg, n.used, n.overflow);
        n.value
    }

    fn unsigned(&mut self) -> u64 {
        let Some(arg) = self.argument() else { return 0 };
        if let Some(c) = self.character(arg) {
            return c.into();
        }
        let (value, used, overflow) = parse_uint(arg, 0);
        self.check(arg, used, overflow);
        value
    }

    fn float(&mut self) -> LongDouble {
        let Some(arg) = self.argument() else { return LongDouble::ZERO };
        if let Some(c) = self.character(arg) {
            return LongDouble::from_i64(c.into());
        }
        let (value, used, range) = LongDouble::parse(arg);
        self.check(arg, used, range);
        value
    }

    /// Complains of what was not read as a number.
    fn check(&mut self, arg: &[u8], used: usize, overflow: bool) {
        let shown = || String::from_utf8_lossy(arg);
        match self.flavor {
            _ if arg.is_empty() => {}
            Flavor::Bash if used < arg.len() => {
                let what = match arg {
                    [b'0', b'0'..=b'9', ..] => "octal ",
                    [b'0', b'x' | b'X', ..] => "hex ",
                    _ => "",
                };
                self.complain(&format!("{}: invalid {what}number", shown()));
                self.status = 1;
            }
            Flavor::Bash if overflow => {
                self.complain(&format!("warning: {}: Numerical result out of range", shown()));
            }
            Flavor::Gnu if overflow || used < arg.len() => {
                let what = match used {
                    _ if overflow => "Numerical result out of range",
                    0 => "expected a numeric value",
                    _ => "value not completely converted",
                };
                self.complain(&format!("{}: {what}", quote::value(arg)));
                self.status = 1;
            }
            _ => {}
        }
    }
}

fn cut(text: &[u8], precision: Option<usize>) -> &[u8] {
    &text[..precision.unwrap_or(text.len()).min(text.len())]
}

fn sign(negative: bool, flags: Flags) -> &'static [u8] {
    match (negative, flags.plus, flags.space) {
        (true, ..) => b"-",
        (_, true, _) => b"+",
        (_, _, true) => b" ",
        _ => b"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(Vec<String>);

    impl Host for Log {
        fn complain(&mut self, text: &str) {
            self.0.push(text.to_owned());
        }
    }

    fn run(format: &str, args: &[&str], flavor: Flavor) -> (String, Vec<String>, u8) {
        let mut log = Log::default();
        let mut out = Vec::new();
        let outcome = Format::new(format.as_bytes(), flavor).run(args, &mut out, &mut log);
        (String::from_utf8_lossy(&out).into_owned(), log.0, outcome.status)
    }

    fn bash(format: &str, args: &[&str]) -> String {
        run(format, args, Flavor::Bash).0
    }

    #[test]
    fn conversions() {
        assert_eq!(
            bash("%5s|%-5s|%.2s|%*s|%-*s|%.*s", &["ab", "ab", "abcdef", "4", "x", "4", "y", "2", "zzz"]),
            "   ab|ab   |ab|   x|y   |zz"
        );
        assert_eq!(
            bash(
                "%+d|% d|%05d|%#x|%#o|%x|%.5d|%8.3d|%-8.3d|%.0d|%-05d|",
                &["5", "5", "-42", "255", "8", "-1", "42", "42", "42", "0", "4"]
            ),
            "+5| 5|-0042|0xff|010|ffffffffffffffff|00042|     042|042     ||4    |"
        );
        assert_eq!(
            bash("%05.1f|%+.2e|%#.0f|%+g|%10.2e|%-10g|", &["3.14", "314", "3", "5", "12345.678", "0.0001"]),
            "003.1|+3.14e+02|3.|+5|  1.23e+04|0.0001    |"
        );
        assert_eq!(bash("%d %d", &["'A", "0x1F"]), "65 31");
        assert_eq!(bash("%s\\n", &["a", "b"]), "a\nb\n");
        assert_eq!(bash("%b|", &["a\\cb", "c"]), "a");
        assert_eq!(bash("%q %Q", &["a b", ""]), "a\\ b ''");
        assert_eq!(bash("%ld %5.3s|%%", &["3", "abcdef"]), "3   abc|%");
        assert_eq!(bash("%5.1q|", &["a b"]), "    a|");
    }

    #[test]
    fn messages() {
        assert_eq!(
            run("a%z", &[], Flavor::Bash),
            ("a".into(), vec!["`%z': missing format character".into()], 1)
        );
        assert_eq!(run("%!x", &[], Flavor::Bash).1, ["`!': invalid format character"]);
        assert_eq!(run("%d", &["12x"], Flavor::Bash), ("12".into(), vec!["12x: invalid number".into()], 1));
        assert_eq!(run("%d", &["08"], Flavor::Bash).1, ["08: invalid octal number"]);
        assert_eq!(run("%d", &["99999999999999999999"], Flavor::Bash).2, 0);
        assert_eq!(
            run("%d", &["abc"], Flavor::Gnu),
            ("0".into(), vec!["‘abc’: expected a numeric value".into()], 1)
        );
        assert_eq!(run("%5%", &[], Flavor::Gnu).1, ["%5%: invalid conversion specification"]);
        assert_eq!(
            run("a", &["b"], Flavor::Gnu).1,
            ["warning: ignoring excess arguments, starting with ‘b’"]
        );
        assert_eq!(run("%(x", &[], Flavor::Bash).0, "%(x");
    }
}
