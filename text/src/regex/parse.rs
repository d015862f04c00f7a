//! BRE and ERE text to [`Node`]s, in the dialects of the tools. The differences between them (what a star at the
//! start means, whether `{x` is an error, which escapes there are) are the fields of [`Dialect`].

use super::ast::{Look, Node, Set};
use super::{RegexError, Syntax};
use crate::posix_class::{PosixClass, next_char};

/// How an operator is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Write {
    Bare,
    Escaped,
    Absent,
}

/// What a repetition operator with nothing before it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leading {
    Literal,
    Error,
    /// Left out, with a warning.
    Skipped,
}

/// Which `\n`, `\t`, `\x41` … are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    Sed,
    /// Also in brackets, where any character can be escaped.
    Awk,
}

#[derive(Debug, Clone, Copy)]
struct Dialect {
    groups: Write,
    alternation: Write,
    plus: Write,
    intervals: Write,
    leading: Leading,
    escapes: Escapes,
    backrefs: bool,
    /// `^` and `$` are anchors wherever they stand.
    anchors_anywhere: bool,
    /// A `{` that begins no interval is itself.
    lax_interval: bool,
    /// A `)` that closes nothing is itself.
    lax_close: bool,
    /// A repetition of a repetition is an error where it is `*` or an interval.
    no_double: bool,
    /// `[:space:]` outside a bracket is an error.
    colon_error: bool,
    /// A newline separates alternatives.
    newline_alternation: bool,
    gnu_operators: bool,
}

impl Dialect {
    fn of(syntax: Syntax) -> Dialect {
        let bre = Dialect {
            groups: Write::Escaped,
            alternation: Write::Escaped,
            plus: Write::Escaped,
            intervals: Write::Escaped,
            leading: Leading::Literal,
            escapes: Escapes::None,
            backrefs: true,
            anchors_anywhere: false,
            lax_interval: false,
            lax_close: false,
            no_double: false,
            colon_error: false,
            newline_alternation: false,
            gnu_operators: true,
        };
        let ere = Dialect {
            groups: Write::Bare,
            alternation: Write::Bare,
            plus: Write::Bare,
            intervals: Write::Bare,
            leading: Leading::Error,
            anchors_anywhere: true,
            lax_close: true,
            ..bre
        };
        match syntax {
            Syntax::Bre => Dialect { no_double: true, ..bre },
            Syntax::SedBre => Dialect { escapes: Escapes::Sed, no_double: true, colon_error: true, ..bre },
            Syntax::GrepBre => Dialect { colon_error: true, newline_alternation: true, ..bre },
            Syntax::Ere => ere,
            Syntax::SedEre => Dialect { escapes: Escapes::Sed, colon_error: true, lax_close: false, ..ere },
            Syntax::GrepEre => Dialect {
                leading: Leading::Skipped,
                lax_interval: true,
                colon_error: true,
                newline_alternation: true,
                ..ere
            },
            Syntax::Awk => Dialect {
                escapes: Escapes::Awk,
                leading: Leading::Literal,
                lax_interval: true,
                backrefs: false,
                ..ere
            },
            Syntax::Emacs => Dialect { intervals: Write::Absent, plus: Write::Bare, ..bre },
            Syntax::MinimalBre => {
                Dialect { plus: Write::Absent, alternation: Write::Absent, no_double: true, ..bre }
            }
            Syntax::PosixAwk => Dialect {
                escapes: Escapes::Awk,
                leading: Leading::Literal,
                lax_interval: true,
                backrefs: false,
                gnu_operators: false,
                ..ere
            },
            Syntax::Fixed | Syntax::Perl | Syntax::Oniguruma => bre,
        }
    }
}

/// A parsed pattern.
pub(super) struct Parsed {
    pub(super) node: Node,
    pub(super) groups: u32,
    pub(super) warnings: Vec<&'static str>,
}

/// Groups within groups.
const MAX_DEPTH: usize = 200;
/// `RE_DUP_MAX`
const MAX_REPEAT: u32 = 32767;

/// Parses `pattern`; its groups are numbered from `first_group`.
pub(super) fn parse(pattern: &[u8], syntax: Syntax, first_group: u32) -> Result<Parsed, RegexError> {
    if syntax == Syntax::Fixed {
        let mut list = Vec::new();
        let mut rest = pattern;
        while !rest.is_empty() {
            let (c, n) = next_char(rest);
            list.push(c.map_or(Node::Byte(rest[0]), Node::Char));
            rest = &rest[n..];
        }
        return Ok(Parsed { node: Node::Concat(list), groups: 0, warnings: Vec::new() });
    }
    let mut p = Parser {
        text: pattern,
        at: 0,
        d: Dialect::of(syntax),
        first_group,
        opened: 0,
        closed: Vec::new(),
        warnings: Vec::new(),
    };
    let node = p.alternatives(0)?;
    Ok(Parsed { node, groups: p.opened, warnings: p.warnings })
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    d: Dialect,
    first_group: u32,
    opened: u32,
    closed: Vec<u32>,
    warnings: Vec<&'static str>,
}

/// What stands at the parser's position, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    End,
    Open,
    Close,
    Or,
    Star,
    Plus,
    Question,
    Interval,
    Dot,
    Bracket,
    Caret,
    Dollar,
    Escape(u8),
    Text,
}

fn fail<T>(message: &str) -> Result<T, RegexError> {
    Err(RegexError(message.to_owned()))
}

impl Parser<'_> {
    fn token(&self) -> (Token, usize) {
        let d = &self.d;
        let Some(&b) = self.text.get(self.at) else { return (Token::End, 0) };
        let (escaped, b, n) = match (b, self.text.get(self.at + 1)) {
            (b'\\', Some(&next)) => (true, next, 2),
            (b, _) => (false, b, 1),
        };
        let is = |w: Write| w == if escaped { Write::Escaped } else { Write::Bare };
        let token = match b {
            b'(' if is(d.groups) => Token::Open,
            b')' if is(d.groups) => Token::Close,
            b'|' if is(d.alternation) => Token::Or,
            b'+' if is(d.plus) => Token::Plus,
            b'?' if is(d.plus) => Token::Question,
            b'{' if is(d.intervals) => Token::Interval,
            _ if escaped => Token::Escape(b),
            b'\n' if d.newline_alternation => Token::Or,
            b'*' => Token::Star,
            b'.' => Token::Dot,
            b'[' => Token::Bracket,
            b'^' => Token::Caret,
            b'$' => Token::Dollar,
            b'\\' => Token::Escape(0),
            _ => Token::Text,
        };
        (token, n)
    }

    fn alternatives(&mut self, depth: usize) -> Result<Node, RegexError> {
        let mut list = vec![self.branch(depth)?];
        while let (Token::Or, n) = self.token() {
            self.at += n;
            list.push(self.branch(depth)?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Node::Alt(list) })
    }

    fn branch(&mut self, depth: usize) -> Result<Node, RegexError> {
        let mut list: Vec<Node> = Vec::new();
        let mut repeated = false;
        loop {
            let (token, n) = self.token();
            // What follows an anchor is like the start: nothing can be repeated there.
            let start = matches!(list.last(), None | Some(Node::Look(_)));
            match token {
                Token::End | Token::Or => break,
                Token::Close if depth > 0 => break,
                Token::Close => {
                    if !self.d.lax_close {
                        return fail("Unmatched ) or \\)");
                    }
                    list.push(Node::Char(')'));
                    self.at += n;
                }
                Token::Star | Token::Plus | Token::Question | Token::Interval if start => {
                    self.leading(token, n, &mut list)?;
                }
                Token::Star | Token::Plus | Token::Question => {
                    if self.d.no_double && repeated && token == Token::Star {
                        return fail("Invalid preceding regular expression");
                    }
                    self.at += n;
                    let (min, max) = match token {
                        Token::Star => (0, None),
                        Token::Plus => (1, None),
                        _ => (0, Some(1)),
                    };
                    repeat(&mut list, min, max);
                    repeated = true;
                    continue;
                }
                Token::Interval => {
                    if let Some((min, max, next)) = self.interval(self.at + n)? {
                        if self.d.no_double && repeated {
                            return fail("Invalid preceding regular expression");
                        }
                        self.at = next;
                        repeat(&mut list, min, max);
                        repeated = true;
                        continue;
                    }
                    self.at += n;
                    list.push(Node::Char('{'));
                }
                Token::Open => {
                    if depth >= MAX_DEPTH {
                        return fail("Regular expression too big");
                    }
                    self.at += n;
                    self.opened += 1;
                    let index = self.opened;
                    let inner = self.alternatives(depth + 1)?;
                    let (close, n) = self.token();
                    if close != Token::Close {
                        return fail("Unmatched ( or \\(");
                    }
                    self.at += n;
                    self.closed.push(index);
                    list.push(Node::Group(Box::new(inner), self.first_group + index - 1));
                }
                Token::Dot => {
                    self.at += n;
                    list.push(Node::Any);
                }
                Token::Bracket => {
                    self.at += 1;
                    let set = self.bracket()?;
                    list.push(Node::Set(Box::new(set)));
                }
                Token::Caret => {
                    self.at += n;
                    let anchor = self.d.anchors_anywhere || list.is_empty();
                    list.push(if anchor { Node::Look(Look::LineStart) } else { Node::Char('^') });
                }
                Token::Dollar => {
                    self.at += n;
                    let last = match self.token().0 {
                        Token::End | Token::Or => true,
                        Token::Close => depth > 0,
                        _ => false,
                    };
                    let anchor = self.d.anchors_anywhere || last;
                    list.push(if anchor { Node::Look(Look::LineEnd) } else { Node::Char('$') });
                }
                Token::Escape(b) => {
                    if b == 0 && n == 1 {
                        return fail("Trailing backslash");
                    }
                    let node = self.escape(b)?;
                    list.push(node);
                }
                Token::Text => {
                    let node = self.character();
                    list.push(node);
                }
            }
            repeated = false;
        }
        Ok(match list.len() {
            0 => Node::Empty,
            1 => list.remove(0),
            _ => Node::Concat(list),
        })
    }

    /// A repetition operator with nothing before it.
    fn leading(&mut self, token: Token, n: usize, list: &mut Vec<Node>) -> Result<(), RegexError> {
        let valid = token != Token::Interval || matches!(self.interval(self.at + n), Ok(Some(_)));
        match self.d.leading {
            _ if token == Token::Interval && self.d.no_double => {
                return fail("Invalid preceding regular expression");
            }
            Leading::Error => return fail("Invalid preceding regular expression"),
            Leading::Skipped if valid => {
                self.warnings.push(match token {
                    Token::Star => "* at start of expression",
                    Token::Plus => "+ at start of expression",
                    Token::Question => "? at start of expression",
                    _ => "{...} at start of expression",
                });
                self.at += n;
            }
            _ => {
                self.at += n;
                list.push(Node::Char(match token {
                    Token::Star => '*',
                    Token::Plus => '+',
                    Token::Question => '?',
                    _ => '{',
                }));
            }
        }
        Ok(())
    }

    /// The interval whose text begins at `at`: its bounds and what is after it. `None`: it is text.
    fn interval(&self, mut at: usize) -> Result<Option<(u32, Option<u32>, usize)>, RegexError> {
        let close: &[u8] = if self.d.intervals == Write::Escaped { b"\\}" } else { b"}" };
        let mut bounds: [Option<u32>; 2] = [None; 2];
        let (mut part, mut bad, mut comma) = (0, false, false);
        loop {
            let rest = &self.text[at..];
            if rest.starts_with(close) {
                at += close.len();
                break;
            }
            match rest.first() {
                None if self.d.lax_interval => return Ok(None),
                None => return fail("Unmatched \\{"),
                Some(b',') if !comma => {
                    comma = true;
                    part = 1;
                }
                Some(d) if d.is_ascii_digit() => {
                    let n = bounds[part].unwrap_or(0).saturating_mul(10).saturating_add(u32::from(d - b'0'));
                    bounds[part] = Some(n);
                }
                Some(_) if self.d.lax_interval => return Ok(None),
                Some(_) => bad = true,
            }
            at += 1;
        }
        if bounds[0].is_none() && !comma {
            if self.d.lax_interval {
                return Ok(None);
            }
            bad = true;
        }
        let min = bounds[0].unwrap_or(0);
        let max = if comma { bounds[1] } else { Some(min) };
        if bad || max.is_some_and(|m| m < min) {
            return fail("Invalid content of \\{\\}");
        }
        if min > MAX_REPEAT || max.is_some_and(|m| m > MAX_REPEAT) {
            return fail("Regular expression too big");
        }
        Ok(Some((min, max, at)))
    }

    /// The character at the position.
    fn character(&mut self) -> Node {
        let (c, n) = next_char(&self.text[self.at..]);
        let byte = self.text[self.at];
        self.at += n.max(1);
        c.map_or(Node::Byte(byte), Node::Char)
    }

    /// A backslash at the position and the character `b` after it.
    fn escape(&mut self, b: u8) -> Result<Node, RegexError> {
        let awk = self.d.escapes == Escapes::Awk;
        if self.d.escapes != Escapes::None
            && let Some((node, next)) = self.char_escape(self.at)
        {
            self.at = next;
            return Ok(node);
        }
        if self.d.backrefs && (b'1'..=b'9').contains(&b) {
            let n = u32::from(b - b'0');
            if !self.closed.contains(&n) {
                return fail("Invalid back reference");
            }
            self.at += 2;
            return Ok(Node::Backref(self.first_group + n - 1));
        }
        let class =
            |negated, class| Node::Set(Box::new(Set { negated, classes: vec![class], ..Set::default() }));
        let node = match b {
            _ if !self.d.gnu_operators => None,
            b'w' => Some(class(false, PosixClass::Word)),
            b'W' => Some(class(true, PosixClass::Word)),
            b's' => Some(class(false, PosixClass::Space)),
            b'S' => Some(class(true, PosixClass::Space)),
            b'y' if awk => Some(Node::Look(Look::Word)),
            b'b' if !awk => Some(Node::Look(Look::Word)),
            b'B' => Some(Node::Look(Look::NotWord)),
            b'<' => Some(Node::Look(Look::WordStart)),
            b'>' => Some(Node::Look(Look::WordEnd)),
            b'`' => Some(Node::Look(Look::TextStart)),
            b'\'' => Some(Node::Look(Look::TextEnd)),
            _ => None,
        };
        self.at += 1;
        match node {
            Some(node) => {
                self.at += 1;
                Ok(node)
            }
            None => Ok(self.character()),
        }
    }

    /// The escape at `at` that stands for a character (`\n`, `\t`, `\x41`), and what is after it.
    fn char_escape(&self, at: usize) -> Option<(Node, usize)> {
        let awk = self.d.escapes == Escapes::Awk;
        let b = *self.text.get(at + 1)?;
        let simple = match b {
            b'n' => '\n',
            b't' => '\t',
            b'f' => '\x0c',
            b'v' => '\x0b',
            b'a' => '\x07',
            b'r' => '\r',
            b'b' if awk => '\x08',
            b'/' | b'"' if awk => char::from(b),
            b'x' => return self.number(at + 2, 16, 2),
            b'o' if !awk => return self.number(at + 2, 8, 3),
            b'd' if !awk => return self.number(at + 2, 10, 3),
            b'0'..=b'7' if awk => return self.number(at + 1, 8, 3),
            b'c' if !awk => {
                let c = self.text.get(at + 2)?;
                return Some((Node::Char(char::from(c.to_ascii_uppercase() ^ 0x40)), at + 3));
            }
            _ => return None,
        };
        Some((Node::Char(simple), at + 2))
    }

    fn number(&self, digits: usize, base: u32, most: usize) -> Option<(Node, usize)> {
        let mut value = 0;
        let mut at = digits;
        while at < self.text.len()
            && at < digits + most
            && let Some(d) = char::from(self.text[at]).to_digit(base)
        {
            value = value * base + d;
            at += 1;
        }
        let byte = value as u8;
        let node = if byte.is_ascii() { Node::Char(char::from(byte)) } else { Node::Byte(byte) };
        (at > digits).then_some((node, at))
    }

    /// The bracket expression after its `[`.
    fn bracket(&mut self) -> Result<Set, RegexError> {
        const UNMATCHED: &str = "Unmatched [, [^, [:, [., or [=";
        let open = self.at;
        let mut set = Set::default();
        if self.text.get(self.at) == Some(&b'^') {
            set.negated = true;
            self.at += 1;
        }
        let mut first = true;
        loop {
            let Some(&b) = self.text.get(self.at) else { return fail(UNMATCHED) };
            if b == b']' && !first {
                let body = &self.text[open..self.at];
                if self.d.colon_error && body.len() > 2 && body[0] == b':' && body[body.len() - 1] == b':' {
                    return fail("character class syntax is [[:space:]], not [:space:]");
                }
                self.at += 1;
                return Ok(set);
            }
            first = false;
            if b == b'[' && self.text.get(self.at + 1) == Some(&b':') {
                let name_at = self.at + 2;
                let Some(n) = memchr::memmem::find(&self.text[name_at..], b":]") else {
                    return fail(UNMATCHED);
                };
                match PosixClass::named(&self.text[name_at..name_at + n]) {
                    Some(PosixClass::Word) | None => return fail("Invalid character class name"),
                    Some(class) => set.classes.push(class),
                }
                self.at = name_at + n + 2;
                continue;
            }
            let from = self.bracket_char(UNMATCHED)?;
            let range = self.text.get(self.at) == Some(&b'-')
                && self.text.get(self.at + 1).is_some_and(|b| *b != b']');
            if !range {
                match from {
                    Ok(c) => set.ranges.push((c, c)),
                    Err(b) => set.bytes.push(b),
                }
                continue;
            }
            self.at += 1;
            if self.text[self.at..].starts_with(b"[:") {
                return fail("Invalid range end");
            }
            match (from, self.bracket_char(UNMATCHED)?) {
                (Ok(a), Ok(b)) if a <= b => set.ranges.push((a, b)),
                (Err(a), Err(b)) if a <= b => set.bytes.extend(a..=b),
                // A range from a character to the last byte: what a C program in an 8-bit locale would write.
                (Ok(a), Err(b)) => {
                    set.ranges.push((a, '\u{7f}'.max(a)));
                    set.bytes.extend(0x80..=b);
                }
                _ => return fail("Invalid range end"),
            }
        }
    }

    /// One end of a range in a bracket.
    fn bracket_char(&mut self, unmatched: &str) -> Result<Result<char, u8>, RegexError> {
        let rest = &self.text[self.at..];
        let Some(&b) = rest.first() else { return fail(unmatched) };
        if b == b'[' && matches!(rest.get(1), Some(b'.' | b'=')) {
            let close = [rest[1], b']'];
            let Some(n) = memchr::memmem::find(&rest[2..], &close) else { return fail(unmatched) };
            let name = &rest[2..2 + n];
            let (c, len) = next_char(name);
            if len != name.len() || name.is_empty() {
                return fail("Invalid collation character");
            }
            let byte = name[0];
            self.at += n + 4;
            return Ok(c.ok_or(byte));
        }
        if b == b'\\' && self.d.escapes != Escapes::None {
            let known = match self.d.escapes {
                Escapes::Sed => self.char_escape(self.at),
                _ => self.char_escape(self.at).or_else(|| {
                    let (c, n) = next_char(&rest[1..]);
                    c.map(|c| (Node::Char(c), self.at + 1 + n))
                }),
            };
            match known {
                Some((Node::Char(c), next)) => {
                    self.at = next;
                    return Ok(Ok(c));
                }
                Some((Node::Byte(b), next)) => {
                    self.at = next;
                    return Ok(Err(b));
                }
                _ => {}
            }
        }
        Ok(match self.character() {
            Node::Char(c) => Ok(c),
            _ => Err(b),
        })
    }
}

/// Repeats the last of `list`.
fn repeat(list: &mut Vec<Node>, min: u32, max: Option<u32>) {
    if let Some(last) = list.pop() {
        list.push(match last {
            // `a**`: one star does.
            Node::Repeat(inner, 0, None) if min <= 1 => Node::Repeat(inner, 0, None),
            last => Node::Repeat(Box::new(last), min, max),
        });
    }
}
