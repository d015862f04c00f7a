//! The expressions of `test` and `[`, by POSIX's rules on the number of arguments and bash's grammar beyond four. What
//! a file or a variable is like is asked of the caller.

use crate::quote;
use std::fmt;

/// Answers what an expression cannot know by itself.
pub trait Tests {
    /// A unary test (`f`, `d`, `r`, `t`, `o`, `v`, …); `n` and `z` are not asked.
    fn unary(&mut self, operator: u8, operand: &[u8]) -> bool;
    /// `-nt`
    fn newer(&mut self, a: &[u8], b: &[u8]) -> bool;
    /// `-ot`
    fn older(&mut self, a: &[u8], b: &[u8]) -> bool;
    /// `-ef`
    fn same(&mut self, a: &[u8], b: &[u8]) -> bool;
}

/// What is wrong with an expression. `Display` gives bash's words, [`TestError::gnu`] those of coreutils.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestError {
    /// A word that is no unary operator, and the last word of all.
    Unary(Vec<u8>, Vec<u8>),
    /// A word that is no binary operator.
    Binary(Vec<u8>),
    /// Not a number.
    Integer(Vec<u8>),
    /// A `(` without its `)`; the word found instead.
    Close(Option<Vec<u8>>),
    /// The expression ends too early, after this word.
    Missing(Vec<u8>),
    /// Something is left.
    Extra(Vec<u8>),
}

impl fmt::Display for TestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = String::from_utf8_lossy;
        match self {
            TestError::Unary(w, _) => write!(f, "{}: unary operator expected", s(w)),
            TestError::Binary(w) => write!(f, "{}: binary operator expected", s(w)),
            TestError::Integer(w) => write!(f, "{}: integer expression expected", s(w)),
            TestError::Close(None) => f.write_str("`)' expected"),
            TestError::Close(Some(w)) => write!(f, "`)' expected, found {}", s(w)),
            TestError::Missing(_) => f.write_str("argument expected"),
            TestError::Extra(w) if w.first() == Some(&b'-') => {
                write!(f, "syntax error: `{}' unexpected", s(w))
            }
            TestError::Extra(_) => f.write_str("too many arguments"),
        }
    }
}

impl TestError {
    /// The message of `/usr/bin/test`.
    pub fn gnu(&self) -> String {
        let q = quote::value;
        match self {
            TestError::Unary(w, _) if w.first() == Some(&b'-') => {
                format!("{}: unary operator expected", q(w))
            }
            TestError::Unary(_, w) | TestError::Missing(w) => format!("missing argument after {}", q(w)),
            TestError::Binary(w) => format!("{}: binary operator expected", q(w)),
            TestError::Integer(w) => format!("invalid integer {}", q(w)),
            TestError::Close(None) => "')' expected".to_owned(),
            TestError::Close(Some(w)) => format!("')' expected, found {}", String::from_utf8_lossy(w)),
            TestError::Extra(w) => format!("extra argument {}", q(w)),
        }
    }
}

/// Evaluates the arguments of `test` (without the name, and without the `]` of `[`).
pub fn evaluate<A: AsRef<[u8]>>(args: &[A], tests: &mut dyn Tests) -> Result<bool, TestError> {
    let mut e = Evaluator { args, at: 0, tests, depth: 0 };
    let value = e.posix()?;
    match args.get(e.at) {
        Some(extra) => Err(TestError::Extra(extra.as_ref().to_vec())),
        None => Ok(value),
    }
}

/// Whether it is an operator between two operands.
pub fn is_binary(word: &[u8]) -> bool {
    matches!(word, b"=" | b"==" | b"!=" | b"<" | b">")
        || matches!(word, b"-nt" | b"-ot" | b"-ef" | b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge")
}

/// Whether it is an operator before one operand.
pub fn is_unary(word: &[u8]) -> bool {
    matches!(word, [b'-', c] if b"abcdefghknoprstuvwxzGLNORS".contains(c))
}

/// A decimal integer with white space around it, as bash's `test` takes it.
pub fn integer(word: &[u8]) -> Option<i64> {
    let n = crate::number::parse_int(word, 10);
    let rest = word.get(n.used..)?;
    (n.used > 0 && !n.overflow && rest.iter().all(|b| matches!(b, b' ' | b'\t'..=b'\r'))).then_some(n.value)
}

/// Parentheses and exclamation marks within each other.
const MAX_DEPTH: usize = 500;

struct Evaluator<'a, A> {
    args: &'a [A],
    at: usize,
    tests: &'a mut dyn Tests,
    depth: usize,
}

impl<'a, A: AsRef<[u8]>> Evaluator<'a, A> {
    fn word(&self, n: usize) -> &'a [u8] {
        self.args.get(n).map_or(&b""[..], |a| a.as_ref())
    }

    fn is(&self, n: usize, word: &[u8]) -> bool {
        n < self.args.len() && self.word(n) == word
    }

    fn missing(&self) -> TestError {
        TestError::Missing(self.args.last().map_or(Vec::new(), |a| a.as_ref().to_vec()))
    }

    fn posix(&mut self) -> Result<bool, TestError> {
        let n = self.args.len();
        match n {
            0 => Ok(false),
            1 => self.finish(!self.word(0).is_empty()),
            2 => self.two(),
            3 => self.three(),
            4 if self.is(0, b"!") => {
                self.at = 1;
                Ok(!self.three()?)
            }
            4 if self.is(0, b"(") && self.is(3, b")") => {
                self.at = 1;
                let value = self.two()?;
                self.finish(value)
            }
            _ => self.or(),
        }
    }

    fn finish(&mut self, value: bool) -> Result<bool, TestError> {
        self.at = self.args.len();
        Ok(value)
    }

    fn two(&mut self) -> Result<bool, TestError> {
        let first = self.word(self.at);
        if first == b"!" {
            let value = self.word(self.at + 1).is_empty();
            self.at += 2;
            return Ok(value);
        }
        if is_unary(first) {
            return self.unary();
        }
        let last = self.args.last().map_or(&b""[..], |a| a.as_ref());
        Err(TestError::Unary(first.to_vec(), last.to_vec()))
    }

    fn three(&mut self) -> Result<bool, TestError> {
        let at = self.at;
        let middle = self.word(at + 1);
        if is_binary(middle) {
            return self.binary();
        }
        let full = |n: usize| !self.word(n).is_empty();
        if middle == b"-a" || middle == b"-o" {
            let value = if middle == b"-a" { full(at) && full(at + 2) } else { full(at) || full(at + 2) };
            self.at += 3;
            return Ok(value);
        }
        if self.is(at, b"!") {
            self.at += 1;
            return Ok(!self.two()?);
        }
        if self.is(at, b"(") && self.is(at + 2, b")") {
            let value = full(at + 1);
            self.at += 3;
            return Ok(value);
        }
        Err(TestError::Binary(middle.to_vec()))
    }

    fn or(&mut self) -> Result<bool, TestError> {
        let mut value = self.and()?;
        while self.is(self.at, b"-o") {
            self.at += 1;
            value |= self.and()?;
        }
        Ok(value)
    }

    fn and(&mut self) -> Result<bool, TestError> {
        let mut value = self.term()?;
        while self.is(self.at, b"-a") {
            self.at += 1;
            value &= self.term()?;
        }
        Ok(value)
    }

    fn term(&mut self) -> Result<bool, TestError> {
        let mut negate = false;
        while self.is(self.at, b"!") {
            self.at += 1;
            negate = !negate;
        }
        if self.at >= self.args.len() {
            return Err(self.missing());
        }
        let first = self.word(self.at);
        let value = if first == b"(" {
            self.at += 1;
            self.depth += 1;
            if self.at >= self.args.len() || self.depth > MAX_DEPTH {
                return Err(self.missing());
            }
            let value = self.or()?;
            self.depth -= 1;
            match self.args.get(self.at) {
                None => return Err(TestError::Close(None)),
                Some(w) if w.as_ref() != b")" => return Err(TestError::Close(Some(w.as_ref().to_vec()))),
                Some(_) => self.at += 1,
            }
            value
        } else if self.at + 3 <= self.args.len() && is_binary(self.word(self.at + 1)) {
            self.binary()?
        } else if is_unary(first) {
            self.unary()?
        } else {
            self.at += 1;
            !first.is_empty()
        };
        Ok(value != negate)
    }

    fn unary(&mut self) -> Result<bool, TestError> {
        let operator = self.word(self.at)[1];
        self.at += 1;
        if self.at >= self.args.len() {
            // Only `-t` may stand alone.
            return if operator == b't' { Ok(self.tests.unary(b't', b"1")) } else { Err(self.missing()) };
        }
        let operand = self.word(self.at);
        self.at += 1;
        Ok(match operator {
            b'n' => !operand.is_empty(),
            b'z' => operand.is_empty(),
            b't' => integer(operand).is_some() && self.tests.unary(b't', operand),
            other => self.tests.unary(other, operand),
        })
    }

    fn binary(&mut self) -> Result<bool, TestError> {
        let (a, op, b) = (self.word(self.at), self.word(self.at + 1), self.word(self.at + 2));
        self.at += 3;
        Ok(match op {
            b"=" | b"==" => a == b,
            b"!=" => a != b,
            b"<" => a < b,
            b">" => a > b,
            b"-nt" => self.tests.newer(a, b),
            b"-ot" => self.tests.older(a, b),
            b"-ef" => self.tests.same(a, b),
            _ => {
                let number = |w: &[u8]| integer(w).ok_or_else(|| TestError::Integer(w.to_vec()));
                let (a, b) = (number(a)?, number(b)?);
                match op {
                    b"-eq" => a == b,
                    b"-ne" => a != b,
                    b"-lt" => a < b,
                    b"-le" => a <= b,
                    b"-gt" => a > b,
                    _ => a >= b,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct None;

    impl Tests for None {
        fn unary(&mut self, _: u8, _: &[u8]) -> bool {
            false
        }
        fn newer(&mut self, _: &[u8], _: &[u8]) -> bool {
            false
        }
        fn older(&mut self, _: &[u8], _: &[u8]) -> bool {
            false
        }
        fn same(&mut self, _: &[u8], _: &[u8]) -> bool {
            false
        }
    }

    #[test]
    fn as_bash_answers() {
        for (line, want) in [
            ("", "1"),
            ("x", "0"),
            ("!", "0"),
            ("! x", "1"),
            ("! ! x", "0"),
            ("-f", "0"),
            ("-f a", "1"),
            ("-q a", "-q: unary operator expected"),
            ("a b", "a: unary operator expected"),
            ("a b c", "b: binary operator expected"),
            ("( x )", "0"),
            ("( a = a )", "0"),
            ("! a = a", "1"),
            ("a = b -o c", "0"),
            ("1 -eq x", "x: integer expression expected"),
            ("1 -eq", "1: unary operator expected"),
            ("-n a -a -z b", "1"),
            ("a -a b", "0"),
            ("( ( a ) )", "0"),
            ("! a b c", "b: binary operator expected"),
            ("a b c d", "too many arguments"),
            ("( a b c", "`)' expected, found b"),
            ("1 -lt 2 -a 2 -lt 3", "0"),
            ("-n a -b", "a: binary operator expected"),
            ("1 -eq 1 -a", "argument expected"),
            ("-z -a -z", "0"),
            ("! = !", "0"),
            ("( = (", "0"),
            ("( )", "(: unary operator expected"),
            ("! ( a )", "1"),
            ("( -n a )", "0"),
            ("( ! a )", "1"),
            ("a -a ( b -o c", "`)' expected"),
            ("08 -eq 8", "0"),
            ("-- -eq 1", "--: integer expression expected"),
            ("-l a -eq 1", "too many arguments"),
            ("a =~ b", "=~: binary operator expected"),
        ] {
            let args: Vec<&str> = line.split_whitespace().collect();
            let got = match evaluate(&args, &mut None) {
                Ok(v) => if v { "0" } else { "1" }.to_owned(),
                Err(e) => e.to_string(),
            };
            assert_eq!(got, want, "{line}");
        }
    }
}
