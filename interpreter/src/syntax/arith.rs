//! Arithmetic expressions to trees, token for token as bash's expr.c reads them, so that errors name the same token.
//! It serves both the text of scripts (where `$x` may stand as an atom) and text that is known only at run time.

use super::builder::{Builder, Place, Span, plain_var};
use super::cursor::{Cursor, Options, name_byte, name_start};
use super::ir::*;
use super::names;
use bytes::Bytes;
use std::sync::Arc;

/// How deep expressions may nest.
const MAX_DEPTH: u32 = 1024;
/// Stack that must remain for one more level.
const MIN_STACK: usize = 128 << 10;
/// Operations that are not folded away, in one expression: bounds the depth of the tree.
const MAX_NODES: usize = 10_000;

/// Why text is no arithmetic. bash prints `EXPRESSION: MESSAGE (error token is "TOKEN")`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArithError {
    /// E.g. `syntax error: operand expected`.
    pub message: &'static str,
    /// The rest of the text from the offending token.
    pub token: Bytes,
    /// The expression, without leading blanks; cut after a bad number as bash does.
    pub expression: Bytes,
}

/// Parses text that is known only at run time (all expansions done). Empty text is [`ArithExpr::Empty`].
///
/// # Errors
/// As bash words them.
pub fn parse_arith(text: &[u8]) -> Result<ArithExpr, ArithError> {
    let end = memchr::memchr(0, text).unwrap_or(text.len());
    let mut p = Parser::new(&text[..end], None);
    p.expression()
}

/// Compiles the text of a script in which `spans` are expansions. `None` = expand first, parse then.
pub(super) fn compile(text: &[u8], spans: &[Span]) -> Option<ArithExpr> {
    Parser::new(text, Some(spans)).expression().ok()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tok {
    End,
    Num,
    Str,
    EqEq,
    Neq,
    Leq,
    Geq,
    Lsh,
    Rsh,
    LAnd,
    LOr,
    Power,
    Assign(Option<BinaryOp>),
    PreInc,
    PreDec,
    PostInc,
    PostDec,
    Char(u8),
}

impl Tok {
    /// bash's `_is_arithop` and `_is_multiop`.
    fn is_operator(self) -> bool {
        !matches!(self, Tok::End | Tok::Num | Tok::Str)
    }
}

struct Parser<'t> {
    text: &'t [u8],
    /// `Some` when compiling.
    spans: Option<&'t [Span]>,
    pos: usize,
    /// Where the last token begins.
    last: Option<usize>,
    cur: Tok,
    prev: Tok,
    /// The value of a `Num`.
    num: ArithExpr,
    /// The variable of a `Str`.
    lvalue: Option<LValue>,
    depth: u32,
    nodes: usize,
}

type R = Result<ArithExpr, ArithError>;

impl<'t> Parser<'t> {
    fn new(text: &'t [u8], spans: Option<&'t [Span]>) -> Parser<'t> {
        Parser {
            text,
            spans,
            pos: 0,
            last: None,
            cur: Tok::End,
            prev: Tok::End,
            num: ArithExpr::Empty,
            lvalue: None,
            depth: 0,
            nodes: 0,
        }
    }

    fn expression(&mut self) -> R {
        if self.text.iter().all(|b| b.is_ascii_whitespace()) {
            return Ok(ArithExpr::Empty);
        }
        self.next()?;
        let e = self.comma()?;
        if self.cur != Tok::End {
            return Err(self.error("syntax error in expression"));
        }
        Ok(e)
    }

    #[cold]
    fn error(&self, message: &'static str) -> ArithError {
        let token = self.last.map_or(&b""[..], |i| &self.text[i..]);
        ArithError { message, token: Bytes::copy_from_slice(token), expression: trimmed(self.text) }
    }

    /// An error of a number, which ends at `end`: bash has cut the text there.
    #[cold]
    fn number_error(&self, message: &'static str, start: usize, end: usize) -> ArithError {
        ArithError {
            message,
            token: Bytes::copy_from_slice(&self.text[start..end]),
            expression: trimmed(&self.text[..end]),
        }
    }

    fn at(&self, i: usize) -> u8 {
        self.text.get(i).copied().unwrap_or(0)
    }

    fn enter(&mut self) -> Result<(), ArithError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH || stacker::remaining_stack().is_some_and(|s| s < MIN_STACK) {
            return Err(self.error("expression recursion level exceeded"));
        }
        Ok(())
    }

    fn node(&mut self, e: ArithExpr) -> R {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.error("expression recursion level exceeded"));
        }
        Ok(e)
    }

    // Tokens.

    /// Reads the next token into `cur`.
    fn next(&mut self) -> Result<(), ArithError> {
        let mut cp = self.pos;
        while self.at(cp).is_ascii_whitespace() || self.at(cp) == 0x0b {
            cp += 1;
        }
        let c = self.at(cp);
        if c == 0 {
            self.prev = self.cur;
            self.cur = Tok::End;
            self.pos = cp;
            return Ok(());
        }
        self.last = Some(cp);
        let tok = if name_start(c) {
            self.variable(cp)?
        } else if c.is_ascii_digit() {
            self.number(cp)?
        } else if self.spans.is_some() && matches!(c, b'$' | b'`') {
            self.atom(cp)?
        } else {
            self.operator(cp, c)?
        };
        self.prev = self.cur;
        self.cur = tok;
        Ok(())
    }

    fn variable(&mut self, start: usize) -> Result<Tok, ArithError> {
        let mut end = start;
        while name_byte(self.at(end)) {
            end += 1;
        }
        let name = &self.text[start..end];
        let mut subscript = None;
        if self.at(end) == b'[' {
            let (s, after) = self.subscript(end)?;
            subscript = Some(s);
            end = after;
        }
        if self.spans.is_some() && matches!(self.at(end), b'$' | b'`') {
            return Err(self.error("text continues a name"));
        }
        let Some(name) = names::try_intern(name) else { return Err(self.error("too many names")) };
        self.lvalue = Some(LValue { name, subscript });
        self.pos = end;
        Ok(Tok::Str)
    }

    /// `[…]` at `open`: the subscript and where it ends.
    fn subscript(&mut self, open: usize) -> Result<(Subscript, usize), ArithError> {
        let Some(spans) = self.spans else {
            // Run-time text: quotes and expansions within the brackets are read as in a script.
            let opts = Options { extglob: false, comments: false };
            let text = Bytes::copy_from_slice(&self.text[open..]);
            let mut c = Cursor::new(text, 0, 1, opts, None);
            return match c.subscript() {
                Ok(s) if c.pos > 2 => Ok((s, open + c.pos)),
                _ => Err(self.error("bad array subscript")),
            };
        };
        let mut level = 0usize;
        let mut i = open;
        let mut k = spans.partition_point(|s| s.0 < open);
        let first = k;
        loop {
            if k < spans.len() && spans[k].0 == i {
                i = spans[k].1;
                k += 1;
                continue;
            }
            match self.at(i) {
                0 => return Err(self.error("bad array subscript")),
                b'[' => level += 1,
                b']' => {
                    level -= 1;
                    if level == 0 {
                        break;
                    }
                }
                _ => {}
            }
            i += 1;
        }
        let inner = &self.text[open + 1..i];
        self.enter()?;
        let s = match inner {
            b"" => return Err(self.error("bad array subscript")),
            b"@" => Subscript::At,
            b"*" => Subscript::Star,
            _ => {
                let source = Bytes::copy_from_slice(inner);
                let mut within = Vec::new();
                let mut b = Builder::default();
                let mut from = 0;
                for (start, end, part) in &spans[first..k] {
                    let (start, end) = (start - open - 1, end - open - 1);
                    b.text(&inner[from..start]);
                    b.push(part.clone());
                    within.push((start, end, part.clone()));
                    from = end;
                }
                b.text(&inner[from..]);
                let key = b.finish(Place::Word, source.clone());
                let word = (!within.is_empty()).then(|| key.clone());
                let mut p = Parser::new(&source, Some(&within));
                p.depth = self.depth;
                let expr = p.expression().ok();
                Subscript::Index {
                    key: Box::new(key),
                    arith: Arc::new(Arith { source: source.clone(), expr, word }),
                }
            }
        };
        self.depth -= 1;
        Ok((s, i + 1))
    }

    /// An expansion as an atom.
    fn atom(&mut self, start: usize) -> Result<Tok, ArithError> {
        let spans = self.spans.unwrap_or(&[]);
        let k = spans.partition_point(|s| s.0 < start);
        let Some((_, end, part)) = spans.get(k).filter(|s| s.0 == start) else {
            return Err(self.error("syntax error: operand expected"));
        };
        let after = self.at(*end);
        if name_byte(after) || matches!(after, b'$' | b'`' | b'#' | b'[' | b'@' | b'.') {
            return Err(self.error("text continues an expansion"));
        }
        self.num = match part {
            Part::Param(p, _) if is_atom(p) => ArithExpr::Dollar(p.clone()),
            Part::Arith(a, _) => match &a.expr {
                Some(e) if pure(e) => e.clone(),
                _ => return Err(self.error("an expansion with effects")),
            },
            _ => return Err(self.error("an expansion of unknown text")),
        };
        self.pos = *end;
        Ok(Tok::Num)
    }

    fn number(&mut self, start: usize) -> Result<Tok, ArithError> {
        let mut end = start;
        while name_byte(self.at(end)) || matches!(self.at(end), b'#' | b'@') {
            end += 1;
        }
        if self.spans.is_some() && matches!(self.at(end), b'$' | b'`') {
            return Err(self.error("text continues a number"));
        }
        let v = number(&self.text[start..end]).map_err(|m| self.number_error(m, start, end))?;
        self.num = ArithExpr::Const(v);
        self.pos = end;
        Ok(Tok::Num)
    }

    fn operator(&mut self, cp: usize, c: u8) -> Result<Tok, ArithError> {
        let c1 = self.at(cp + 1);
        let c2 = self.at(cp + 2);
        let (tok, len) = match (c, c1) {
            (b'=', b'=') => (Tok::EqEq, 2),
            (b'!', b'=') => (Tok::Neq, 2),
            (b'>', b'=') => (Tok::Geq, 2),
            (b'<', b'=') => (Tok::Leq, 2),
            (b'<', b'<') if c2 == b'=' => (Tok::Assign(Some(BinaryOp::Shl)), 3),
            (b'<', b'<') => (Tok::Lsh, 2),
            (b'>', b'>') if c2 == b'=' => (Tok::Assign(Some(BinaryOp::Shr)), 3),
            (b'>', b'>') => (Tok::Rsh, 2),
            (b'&', b'&') => (Tok::LAnd, 2),
            (b'|', b'|') => (Tok::LOr, 2),
            (b'*', b'*') => (Tok::Power, 2),
            (b'-' | b'+', _) if c1 == c => {
                if self.cur == Tok::Str {
                    (if c == b'-' { Tok::PostDec } else { Tok::PostInc }, 2)
                } else if self.cur == Tok::Num && matches!(self.prev, Tok::PreInc | Tok::PreDec) {
                    let m = if c == b'-' {
                        "--: assignment requires lvalue"
                    } else {
                        "++: assignment requires lvalue"
                    };
                    return Err(self.error(m));
                } else {
                    let mut x = cp + 2;
                    while self.at(x).is_ascii_whitespace() {
                        x += 1;
                    }
                    if name_start(self.at(x)) {
                        (if c == b'-' { Tok::PreDec } else { Tok::PreInc }, 2)
                    } else {
                        (Tok::Char(c), 1)
                    }
                }
            }
            (b'*', b'=') => (Tok::Assign(Some(BinaryOp::Mul)), 2),
            (b'/', b'=') => (Tok::Assign(Some(BinaryOp::Div)), 2),
            (b'%', b'=') => (Tok::Assign(Some(BinaryOp::Rem)), 2),
            (b'+', b'=') => (Tok::Assign(Some(BinaryOp::Add)), 2),
            (b'-', b'=') => (Tok::Assign(Some(BinaryOp::Sub)), 2),
            (b'&', b'=') => (Tok::Assign(Some(BinaryOp::And)), 2),
            (b'^', b'=') => (Tok::Assign(Some(BinaryOp::Xor)), 2),
            (b'|', b'=') => (Tok::Assign(Some(BinaryOp::Or)), 2),
            (b'=', _) => (Tok::Assign(None), 1),
            (
                b'>' | b'<' | b'+' | b'-' | b'*' | b'/' | b'%' | b'!' | b'(' | b')' | b'&' | b'|' | b'^'
                | b'~' | b'?' | b':' | b',',
                _,
            ) => (Tok::Char(c), 1),
            _ => {
                let m = if self.cur == Tok::End || self.cur.is_operator() {
                    "syntax error: operand expected"
                } else {
                    "syntax error: invalid arithmetic operator"
                };
                return Err(self.error(m));
            }
        };
        self.pos = cp + len;
        Ok(tok)
    }

    // Grammar, weakest operator first.

    fn comma(&mut self) -> R {
        self.enter()?;
        let mut e = self.assignment()?;
        while self.cur == Tok::Char(b',') {
            self.next()?;
            let r = self.assignment()?;
            e = self.node(ArithExpr::Comma(Box::new(e), Box::new(r)))?;
        }
        self.depth -= 1;
        Ok(e)
    }

    fn assignment(&mut self) -> R {
        let left = self.conditional()?;
        let Tok::Assign(op) = self.cur else { return Ok(left) };
        if self.prev != Tok::Str {
            return Err(self.error("attempted assignment to non-variable"));
        }
        let target = match left {
            ArithExpr::Var(name) => LValue { name, subscript: None },
            ArithExpr::Index(name, s) => LValue { name, subscript: Some(*s) },
            _ => return Err(self.error("attempted assignment to non-variable")),
        };
        self.next()?;
        self.enter()?;
        let value = self.assignment()?;
        self.depth -= 1;
        Ok(ArithExpr::Assign(op, Box::new(target), Box::new(value)))
    }

    fn conditional(&mut self) -> R {
        let c = self.binary(0)?;
        if self.cur != Tok::Char(b'?') {
            return Ok(c);
        }
        self.next()?;
        if self.cur == Tok::End || self.cur == Tok::Char(b':') {
            return Err(self.error("expression expected"));
        }
        let a = self.comma()?;
        if self.cur != Tok::Char(b':') {
            return Err(self.error("`:' expected for conditional expression"));
        }
        self.next()?;
        if self.cur == Tok::End {
            return Err(self.error("expression expected"));
        }
        self.enter()?;
        let b = self.conditional()?;
        self.depth -= 1;
        self.prev = Tok::Char(b'?');
        Ok(ArithExpr::Cond(Box::new(c), Box::new(a), Box::new(b)))
    }

    /// The binary operators that associate to the left, from `level` on: each takes what binds tighter on its right.
    fn binary(&mut self, level: usize) -> R {
        let mut left = self.power()?;
        while let Some((at_level, op)) = infix(self.cur).filter(|(l, _)| *l >= level) {
            self.next()?;
            let at = self.last.unwrap_or(0) as u32;
            let right = self.binary(at_level + 1)?;
            self.prev = Tok::Num;
            left = match op {
                Infix::And => self.node(ArithExpr::And(Box::new(left), Box::new(right)))?,
                Infix::Or => self.node(ArithExpr::Or(Box::new(left), Box::new(right)))?,
                Infix::Op(op) => match (&left, &right) {
                    (ArithExpr::Const(a), ArithExpr::Const(b)) if let Some(v) = fold(op, *a, *b) => {
                        ArithExpr::Const(v)
                    }
                    _ if matches!(op, BinaryOp::Div | BinaryOp::Rem) => {
                        let rem = op == BinaryOp::Rem;
                        let e = ArithExpr::Divide { rem, left: Box::new(left), right: Box::new(right), at };
                        self.node(e)?
                    }
                    _ => self.node(ArithExpr::Binary(op, Box::new(left), Box::new(right)))?,
                },
            };
        }
        Ok(left)
    }

    fn power(&mut self) -> R {
        let base = self.unary()?;
        if self.cur != Tok::Power {
            return Ok(base);
        }
        self.next()?;
        self.enter()?;
        let exponent = self.power()?;
        self.depth -= 1;
        self.prev = Tok::Num;
        Ok(ArithExpr::Binary(BinaryOp::Pow, Box::new(base), Box::new(exponent)))
    }

    fn unary(&mut self) -> R {
        let Tok::Char(op @ (b'!' | b'~' | b'-' | b'+')) = self.cur else { return self.primary() };
        self.next()?;
        self.enter()?;
        let e = self.unary()?;
        self.depth -= 1;
        self.prev = Tok::Num;
        Ok(match (op, e) {
            (b'-', ArithExpr::Const(v)) => ArithExpr::Const(v.wrapping_neg()),
            (b'+', ArithExpr::Const(v)) => ArithExpr::Const(v),
            (op, e) => ArithExpr::Unary(op, Box::new(e)),
        })
    }

    fn primary(&mut self) -> R {
        match self.cur {
            Tok::PreInc | Tok::PreDec => {
                let delta = if self.cur == Tok::PreInc { 1 } else { -1 };
                self.prev = self.cur;
                self.next()?;
                let (Tok::Str, Some(target)) = (self.cur, self.lvalue.take()) else {
                    return Err(self.error("identifier expected after pre-increment or pre-decrement"));
                };
                self.prev = if delta == 1 { Tok::PreInc } else { Tok::PreDec };
                self.cur = Tok::Num;
                self.next()?;
                Ok(ArithExpr::Step(delta, true, Box::new(target)))
            }
            Tok::Char(b'(') => {
                self.next()?;
                let e = self.comma()?;
                if self.cur != Tok::Char(b')') {
                    return Err(self.error("missing `)'"));
                }
                self.next()?;
                Ok(e)
            }
            Tok::Num => {
                let e = std::mem::replace(&mut self.num, ArithExpr::Empty);
                self.next()?;
                Ok(e)
            }
            Tok::Str => {
                let Some(target) = self.lvalue.take() else {
                    return Err(self.error("syntax error: operand expected"));
                };
                self.next()?;
                if let Tok::PostInc | Tok::PostDec = self.cur {
                    let delta = if self.cur == Tok::PostInc { 1 } else { -1 };
                    self.cur = Tok::Num;
                    self.next()?;
                    return Ok(ArithExpr::Step(delta, false, Box::new(target)));
                }
                Ok(match target.subscript {
                    None => ArithExpr::Var(target.name),
                    Some(s) => ArithExpr::Index(target.name, Box::new(s)),
                })
            }
            _ => Err(self.error("syntax error: operand expected")),
        }
    }
}

enum Infix {
    And,
    Or,
    Op(BinaryOp),
}

/// The binary operator that `tok` is, and how tightly it binds.
fn infix(tok: Tok) -> Option<(usize, Infix)> {
    use BinaryOp::*;
    let (level, op) = match tok {
        Tok::LOr => return Some((0, Infix::Or)),
        Tok::LAnd => return Some((1, Infix::And)),
        Tok::Char(b'|') => (2, Or),
        Tok::Char(b'^') => (3, Xor),
        Tok::Char(b'&') => (4, And),
        Tok::EqEq => (5, Eq),
        Tok::Neq => (5, Ne),
        Tok::Char(b'<') => (6, Lt),
        Tok::Char(b'>') => (6, Gt),
        Tok::Leq => (6, Le),
        Tok::Geq => (6, Ge),
        Tok::Lsh => (7, Shl),
        Tok::Rsh => (7, Shr),
        Tok::Char(b'+') => (8, Add),
        Tok::Char(b'-') => (8, Sub),
        Tok::Char(b'*') => (9, Mul),
        Tok::Char(b'/') => (9, Div),
        Tok::Char(b'%') => (9, Rem),
        _ => return None,
    };
    Some((level, Infix::Op(op)))
}

/// The value of an operation on constants, where it cannot fail.
fn fold(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    use BinaryOp::*;
    Some(match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Div if b != 0 => a.wrapping_div(b),
        Rem if b != 0 => a.wrapping_rem(b),
        Div | Rem | Pow => return None,
        Shl => a.wrapping_shl(b as u32),
        Shr => a.wrapping_shr(b as u32),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Lt => i64::from(a < b),
        Le => i64::from(a <= b),
        Gt => i64::from(a > b),
        Ge => i64::from(a >= b),
        Eq => i64::from(a == b),
        Ne => i64::from(a != b),
    })
}

/// The value of a number as bash writes them: decimal, `0` octal, `0x` hexadecimal, `base#digits`.
///
/// # Errors
/// bash's message.
pub fn number(s: &[u8]) -> Result<i64, &'static str> {
    let mut base: i64 = 10;
    let mut digits = s;
    let mut explicit = false;
    if s.first() == Some(&b'0') {
        digits = &s[1..];
        if digits.is_empty() {
            return Ok(0);
        }
        if matches!(digits[0], b'x' | b'X') {
            base = 16;
            digits = &digits[1..];
            if digits.is_empty() {
                return Ok(0);
            }
        } else {
            base = 8;
        }
        explicit = true;
    }
    let mut value: i64 = 0;
    let mut last_hash = false;
    for &c in digits {
        last_hash = false;
        if c == b'#' {
            if explicit {
                return Err("invalid number");
            }
            if !(2..=64).contains(&value) {
                return Err("invalid arithmetic base");
            }
            base = value;
            value = 0;
            explicit = true;
            last_hash = true;
            continue;
        }
        let d = match c {
            b'0'..=b'9' => c - b'0',
            b'a'..=b'z' => c - b'a' + 10,
            b'A'..=b'Z' => c - b'A' + if base <= 36 { 10 } else { 36 },
            b'@' => 62,
            b'_' => 63,
            _ => return Err("invalid number"),
        };
        if i64::from(d) >= base {
            return Err("value too great for base");
        }
        value = value.wrapping_mul(base).wrapping_add(i64::from(d));
    }
    if last_hash {
        return Err("invalid integer constant");
    }
    Ok(value)
}

/// May stand as an atom: nothing but a value, a length or a count.
fn is_atom(p: &Param) -> bool {
    if plain_var(p).is_some() {
        return true;
    }
    match p.op {
        Op::Value => {
            !p.indirect
                && !matches!(p.target, Target::Special(b'@' | b'*'))
                && !matches!(p.subscript, Some(Subscript::At | Subscript::Star))
        }
        Op::Length => true,
        _ => false,
    }
}

/// Evaluating it earlier or later makes no difference.
fn pure(e: &ArithExpr) -> bool {
    match e {
        ArithExpr::Const(_) | ArithExpr::Var(_) | ArithExpr::Dollar(_) | ArithExpr::Empty => true,
        ArithExpr::Unary(_, a) => pure(a),
        ArithExpr::Binary(op, a, b) => *op != BinaryOp::Pow && pure(a) && pure(b),
        _ => false,
    }
}

fn trimmed(text: &[u8]) -> Bytes {
    Bytes::copy_from_slice(text.trim_ascii_start())
}
