//! Why a text is not JSON, in jq's words: a walk over the bytes as jq's push parser does it, without building values.

use super::{json::MAX_DEPTH, number};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Array,
    Object,
    Key,
}

#[derive(Clone, Copy, PartialEq)]
enum Next {
    None,
    Text,
    Other,
}

#[derive(Default)]
struct State {
    /// Each container with whether it has elements.
    stack: Vec<(Kind, bool)>,
    next: Option<Next>,
    token: Vec<u8>,
}

type Step = Result<(), &'static str>;

impl State {
    fn next(&self) -> Next {
        self.next.unwrap_or(Next::None)
    }

    fn value(&mut self, n: Next) -> Step {
        if self.next() != Next::None {
            return Err("Expected separator between values");
        }
        self.next = Some(n);
        Ok(())
    }

    fn literal(&mut self) -> Step {
        if self.token.is_empty() {
            return Ok(());
        }
        let token = std::mem::take(&mut self.token);
        let word: Option<&[u8]> = match token[0] {
            b't' => Some(b"true"),
            b'f' => Some(b"false"),
            b'n' if token.len() == 3 => Some(b"nan"),
            b'n' => Some(b"null"),
            _ => None,
        };
        match word {
            Some(w) if w == token => {}
            Some(_) => return Err("Invalid literal"),
            None if number::parse(&token).is_some() => {}
            None => return Err("Invalid numeric literal"),
        }
        self.value(Next::Other)
    }

    fn filled(&mut self) {
        self.next = None;
        if let Some(top) = self.stack.last_mut() {
            top.1 = true;
        }
    }

    fn token(&mut self, ch: u8) -> Step {
        let top = self.stack.last().copied();
        match ch {
            b'[' | b'{' => {
                if self.stack.len() >= MAX_DEPTH {
                    return Err("Exceeds depth limit for parsing");
                }
                if self.next() != Next::None {
                    return Err("Expected separator between values");
                }
                self.stack.push((if ch == b'[' { Kind::Array } else { Kind::Object }, false));
            }
            b':' => match (top, self.next()) {
                (_, Next::None) => return Err("Expected string key before ':'"),
                (None | Some((Kind::Array | Kind::Key, _)), _) => return Err("':' not as part of an object"),
                (_, Next::Other) => return Err("Object keys must be strings"),
                (_, Next::Text) => {
                    self.next = None;
                    self.stack.push((Kind::Key, false));
                }
            },
            b',' => {
                if self.next() == Next::None {
                    return Err("Expected value before ','");
                }
                match top {
                    None => return Err("',' not as part of an object or array"),
                    Some((Kind::Array, _)) => self.filled(),
                    Some((Kind::Key, _)) => {
                        self.stack.pop();
                        self.filled();
                    }
                    Some((Kind::Object, _)) => return Err("Objects must consist of key:value pairs"),
                }
            }
            b']' => {
                let Some((Kind::Array, filled)) = top else { return Err("Unmatched ']'") };
                if self.next() == Next::None && filled {
                    return Err("Expected another array element");
                }
                self.stack.pop();
                self.next = Some(Next::Other);
            }
            _ => {
                if top.is_none() {
                    return Err("Unmatched '}'");
                }
                if self.next() != Next::None {
                    let Some((Kind::Key, _)) = top else {
                        return Err("Objects must consist of key:value pairs");
                    };
                    self.stack.pop();
                } else {
                    match top {
                        Some((Kind::Object, false)) => {}
                        Some((Kind::Object, true)) => return Err("Expected another key-value pair"),
                        _ => return Err("Unmatched '}'"),
                    }
                }
                self.stack.pop();
                self.next = Some(Next::Other);
            }
        }
        Ok(())
    }

    fn done(&mut self) {
        if self.stack.is_empty() {
            self.next = None;
        }
    }
}

/// The message for `text`, which begins a value at this line and column and is not JSON.
pub fn explain(text: &[u8], mut line: usize, mut column: usize) -> String {
    let mut s = State::default();
    let (mut string, mut escape) = (false, false);
    let mut inside = Vec::new();
    for &ch in text {
        column += 1;
        if ch == b'\n' {
            line += 1;
            column = 0;
        }
        let step = if string {
            if ch == b'"' && !escape {
                string = false;
                let ok = super::json::unescape(&inside, &mut Vec::new());
                inside.clear();
                let r = if ok { s.value(Next::Text) } else { Err("Invalid escape") };
                s.done();
                r
            } else {
                inside.push(ch);
                escape = ch == b'\\' && !escape;
                Ok(())
            }
        } else {
            match ch {
                b' ' | b'\t' | b'\r' | b'\n' | 0x1e => s.literal().map(|()| s.done()),
                b'"' => s.literal().map(|()| {
                    s.done();
                    string = true;
                }),
                b'[' | b']' | b'{' | b'}' | b':' | b',' => s
                    .literal()
                    .and_then(|()| {
                        s.done();
                        s.token(ch)
                    })
                    .map(|()| s.done()),
                _ => {
                    s.token.push(ch);
                    Ok(())
                }
            }
        };
        if let Err(message) = step {
            return format!("{message} at line {line}, column {column}");
        }
    }
    let message = if string {
        "Unfinished string"
    } else if let Err(message) = s.literal() {
        message
    } else {
        "Unfinished JSON term"
    };
    format!("{message} at EOF at line {line}, column {column}")
}
