//! `[[ … ]]`: its own grammar and its own words.

use super::builder::Place;
use super::cursor::*;
use super::ir::*;
use bytes::Bytes;

/// What stands at a place in `[[ ]]`.
enum Token {
    Word,
    Close,
    And,
    Or,
    Open,
    Shut,
    Not,
    Less,
    Greater,
    Other,
}

impl Cursor<'_> {
    /// The expression of `[[`, through `]]`.
    pub fn conditional_command(&mut self) -> Parsed<TestExpr> {
        let extglob = std::mem::replace(&mut self.opts.extglob, true);
        let e = self.test_or();
        self.opts.extglob = extglob;
        let e = e?;
        let line = self.line();
        self.skip_newlines();
        if !self.at_word(b"]]") {
            if self.at_end() {
                return Err(self.conditional_error_at(line, "unexpected EOF while looking for `]]'"));
            }
            let m = match self.operator_len() {
                0 => "syntax error in conditional expression".into(),
                n => {
                    let t = self.slice(self.pos, self.pos + n);
                    let t = String::from_utf8_lossy(&t).into_owned();
                    format!("syntax error in conditional expression: unexpected token `{t}'")
                }
            };
            let mut e = self.error(m);
            e.line = line;
            return Err(e);
        }
        self.pos += 2;
        Ok(e)
    }

    fn conditional_error_at(&mut self, line: LineNo, m: &str) -> Box<SyntaxError> {
        let mut e = self.error(m);
        e.line = line;
        e.at_end = true;
        e
    }

    fn test_or(&mut self) -> Parsed<TestExpr> {
        self.enter()?;
        let left = self.test_and()?;
        self.skip_newlines();
        let e = if self.starts_with(b"||") {
            self.pos += 2;
            let right = self.test_or()?;
            TestExpr::Or(Box::new(left), Box::new(right))
        } else {
            left
        };
        self.leave();
        Ok(e)
    }

    fn test_and(&mut self) -> Parsed<TestExpr> {
        self.enter()?;
        let left = self.test_term()?;
        self.skip_newlines();
        let e = if self.starts_with(b"&&") {
            self.pos += 2;
            let right = self.test_and()?;
            TestExpr::And(Box::new(left), Box::new(right))
        } else {
            left
        };
        self.leave();
        Ok(e)
    }

    /// What stands here.
    fn test_token(&self) -> Token {
        match self.peek() {
            b'&' if self.peek_at(1) == b'&' => Token::And,
            b'|' if self.peek_at(1) == b'|' => Token::Or,
            b'(' => Token::Open,
            b')' => Token::Shut,
            b'<' if self.peek_at(1) != b'(' => Token::Less,
            b'>' if self.peek_at(1) != b'(' => Token::Greater,
            b'<' | b'>' => Token::Word,
            b'!' if self.at_word(b"!") => Token::Not,
            b']' if self.at_word(b"]]") => Token::Close,
            c if CLASS[c as usize] == META => Token::Other,
            _ => Token::Word,
        }
    }

    /// The text of the token here, for messages.
    fn test_token_text(&mut self) -> Option<String> {
        let start = self.pos;
        let text = match self.peek() {
            b'\n' | 0 => return Some("newline".into()),
            _ => match self.operator_len() {
                0 => {
                    let w = self.word_in(Place::Word).map(|w| w.source).unwrap_or_default();
                    self.pos = start;
                    w
                }
                n => self.slice(start, start + n),
            },
        };
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// `unexpected argument … to conditional … operator`
    fn bad_argument(&mut self, kind: &str) -> Box<SyntaxError> {
        let m = match self.test_token_text() {
            Some(t) => format!("unexpected argument `{t}' to conditional {kind} operator"),
            None => format!("unexpected argument to conditional {kind} operator"),
        };
        self.error(m)
    }

    fn test_term(&mut self) -> Parsed<TestExpr> {
        self.enter()?;
        let e = self.test_term_here()?;
        self.leave();
        Ok(e)
    }

    fn test_term_here(&mut self) -> Parsed<TestExpr> {
        self.skip_newlines();
        match self.test_token() {
            Token::Open => {
                self.pos += 1;
                let e = match self.test_or() {
                    Ok(e) => e,
                    Err(mut e) => {
                        let line = self.line();
                        e.further.push((line, "expected `)'".into()));
                        return Err(e);
                    }
                };
                self.skip_newlines();
                if self.peek() != b')' {
                    let m = match self.test_token_text() {
                        Some(t) => format!("unexpected token `{t}', expected `)'"),
                        None => "expected `)'".into(),
                    };
                    return Err(self.error(m));
                }
                self.pos += 1;
                Ok(TestExpr::Group(Box::new(e)))
            }
            Token::Not => {
                self.pos += 1;
                Ok(TestExpr::Not(Box::new(self.test_term()?)))
            }
            Token::Word => self.test_words(),
            _ => {
                if self.at_end() {
                    let line = self.end_line();
                    return Err(
                        self.conditional_error_at(line, "unexpected token `EOF' in conditional command")
                    );
                }
                let t = self.test_token_text().unwrap_or_default();
                Err(self.error(format!("unexpected token `{t}' in conditional command")))
            }
        }
    }

    fn test_words(&mut self) -> Parsed<TestExpr> {
        let word = self.word_in(Place::Word)?;
        self.skip_blanks();
        if let Some(op) = unary(&word.source) {
            if !matches!(self.test_token(), Token::Word) {
                return Err(self.bad_argument("unary"));
            }
            let operand = self.word_in(Place::Word)?;
            return Ok(TestExpr::Unary(op, operand));
        }
        let op: Bytes = match self.test_token() {
            Token::Word => {
                let start = self.pos;
                let w = self.word_in(Place::Word)?;
                if !binary(&w.source) {
                    self.pos = start;
                    return Err(self.error("conditional binary operator expected"));
                }
                w.source
            }
            Token::Less => {
                self.pos += 1;
                Bytes::from_static(b"<")
            }
            Token::Greater => {
                self.pos += 1;
                Bytes::from_static(b">")
            }
            Token::Close | Token::And | Token::Or | Token::Shut => {
                return Ok(TestExpr::Unary(Bytes::from_static(b"-n"), word));
            }
            _ => {
                let m = match self.test_token_text() {
                    Some(t) => format!("unexpected token `{t}', conditional binary operator expected"),
                    None => "conditional binary operator expected".into(),
                };
                return Err(self.error(m));
            }
        };
        self.skip_blanks();
        let matches = matches!(&op[..], b"=" | b"==" | b"!=");
        let regex = &op[..] == b"=~";
        let token = self.test_token();
        let begins = match token {
            Token::Word | Token::Not => true,
            Token::Open => regex,
            Token::Other => regex && self.peek() == b'|',
            Token::Close => false,
            _ => false,
        };
        if !begins {
            return Err(self.bad_argument("binary"));
        }
        let right = match self.word_in(if regex { Place::Regex } else { Place::Word }) {
            Ok(w) => w,
            Err(mut e) => {
                if e.at_end {
                    let line = self.end_line();
                    e.further.push((line, "unexpected argument to conditional binary operator".into()));
                }
                return Err(e);
            }
        };
        let compare = match &op[..] {
            b"-eq" => Some(CompareOp::Eq),
            b"-ne" => Some(CompareOp::Ne),
            b"-lt" => Some(CompareOp::Lt),
            b"-le" => Some(CompareOp::Le),
            b"-gt" => Some(CompareOp::Gt),
            b"-ge" => Some(CompareOp::Ge),
            _ => None,
        };
        Ok(if matches {
            let negated = op[0] == b'!';
            let pattern = self.pattern(right);
            TestExpr::Match { op, negated, word, pattern }
        } else if regex {
            TestExpr::Regex(word, right)
        } else if let Some(compare) = compare {
            TestExpr::Compare(compare, TestArith { word }, TestArith { word: right })
        } else {
            TestExpr::Binary(op, word, right)
        })
    }
}

/// A unary operator of `[[ ]]`.
fn unary(w: &[u8]) -> Option<Bytes> {
    match w {
        [b'-', c] if b"abcdefghknoprstuvwxzGLNORS".contains(c) => Some(Bytes::copy_from_slice(w)),
        _ => None,
    }
}

fn binary(w: &[u8]) -> bool {
    matches!(
        w,
        b"=" | b"=="
            | b"!="
            | b"=~"
            | b"-nt"
            | b"-ot"
            | b"-ef"
            | b"-eq"
            | b"-ne"
            | b"-lt"
            | b"-le"
            | b"-gt"
            | b"-ge"
    )
}
