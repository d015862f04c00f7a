//! `expr`: integer arithmetic of any size, comparisons, and BRE matches.

use crate::cli;
use num_bigint::BigInt;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::{
    options::{Example, Spec},
    regex::{Captures, Flags, Regex, Syntax},
};
use std::cmp::Ordering;

/// `expr`
pub struct Expr;

static SPEC: Spec = Spec {
    name: "expr",
    about: "Print the value of EXPRESSION to standard output.",
    synopsis: &["EXPRESSION", "OPTION"],
    options: &[],
    notes: "EXPRESSION may be:\n\n  ARG1 | ARG2       ARG1 if it is neither null nor 0, otherwise ARG2\n  ARG1 & ARG2       ARG1 if neither argument is null or 0, otherwise 0\n  ARG1 < ARG2       ARG1 is less than ARG2\n  ARG1 <= ARG2      ARG1 is less than or equal to ARG2\n  ARG1 = ARG2       ARG1 is equal to ARG2\n  ARG1 != ARG2      ARG1 is unequal to ARG2\n  ARG1 >= ARG2      ARG1 is greater than or equal to ARG2\n  ARG1 > ARG2       ARG1 is greater than ARG2\n  ARG1 + ARG2       arithmetic sum of ARG1 and ARG2\n  ARG1 - ARG2       arithmetic difference of ARG1 and ARG2\n  ARG1 * ARG2       arithmetic product of ARG1 and ARG2\n  ARG1 / ARG2       arithmetic quotient of ARG1 divided by ARG2\n  ARG1 % ARG2       arithmetic remainder of ARG1 divided by ARG2\n  STRING : REGEXP   anchored pattern match of REGEXP in STRING\n  match STRING REGEXP        same as STRING : REGEXP\n  substr STRING POS LENGTH   substring of STRING, POS counted from 1\n  index STRING CHARS         index in STRING where any CHARS is found, or 0\n  length STRING              length of STRING\n  + TOKEN                    interpret TOKEN as a string, even if it is a\n                               keyword like 'match' or an operator like '/'\n  ( EXPRESSION )             value of EXPRESSION\n\nExit status is 0 if EXPRESSION is neither null nor 0, 1 if EXPRESSION is null\nor 0, 2 if EXPRESSION is syntactically invalid, and 3 if an error occurred.",
    version: "expr (GNU coreutils) 9.1",
    examples: &[Example { script: "expr 6 '*' 7", output: "42\n" }],
};

#[derive(Clone, Debug)]
enum Value {
    Int(BigInt),
    Text(Vec<u8>),
}

/// What ends the evaluation, with its status.
struct Fault(u8, String);

type Eval<T> = std::result::Result<T, Fault>;

fn int(text: &[u8]) -> Option<BigInt> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
        .then(|| BigInt::parse_bytes(text, 10))
        .flatten()
}

impl Value {
    fn text(&self) -> Vec<u8> {
        match self {
            Value::Int(n) => n.to_string().into_bytes(),
            Value::Text(t) => t.clone(),
        }
    }

    /// Null or zero.
    fn null(&self) -> bool {
        match self {
            Value::Int(n) => *n == BigInt::from(0),
            Value::Text(t) => {
                let digits = t.strip_prefix(b"-").unwrap_or(t);
                t.is_empty() || (!digits.is_empty() && digits.iter().all(|b| *b == b'0'))
            }
        }
    }

    fn number(&self) -> Eval<BigInt> {
        match self {
            Value::Int(n) => Ok(n.clone()),
            Value::Text(t) => int(t).ok_or_else(|| Fault(2, "non-integer argument".into())),
        }
    }
}

struct Parser<'a> {
    args: &'a [Bytes],
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&[u8]> {
        self.args.get(self.at).map(|a| &a[..])
    }

    fn accept(&mut self, token: &str) -> bool {
        let yes = self.peek() == Some(token.as_bytes());
        self.at += usize::from(yes);
        yes
    }

    fn accept_any(&mut self, tokens: &[&'static str]) -> Option<&'static str> {
        tokens.iter().find(|t| self.accept(t)).copied()
    }

    fn or(&mut self, evaluate: bool) -> Eval<Value> {
        self.depth += 1;
        if self.depth > 500 {
            return Err(Fault(3, "expression too deeply nested".into()));
        }
        let mut l = self.and(evaluate)?;
        while self.accept("|") {
            let r = self.and(evaluate && l.null())?;
            if l.null() {
                l = if r.null() { Value::Int(0.into()) } else { r };
            }
        }
        self.depth -= 1;
        Ok(l)
    }

    fn and(&mut self, evaluate: bool) -> Eval<Value> {
        let mut l = self.compare(evaluate)?;
        while self.accept("&") {
            let r = self.compare(evaluate && !l.null())?;
            if l.null() || r.null() {
                l = Value::Int(0.into());
            }
        }
        Ok(l)
    }

    fn compare(&mut self, evaluate: bool) -> Eval<Value> {
        let mut l = self.sum(evaluate)?;
        while let Some(op) = self.accept_any(&["<=", "<", "==", "=", "!=", ">=", ">"]) {
            let r = self.sum(evaluate)?;
            if !evaluate {
                continue;
            }
            let (a, b) = (l.text(), r.text());
            let order = match (int(&a), int(&b)) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => a.cmp(&b),
            };
            let yes = match op {
                "<" => order == Ordering::Less,
                "<=" => order != Ordering::Greater,
                "=" | "==" => order == Ordering::Equal,
                "!=" => order != Ordering::Equal,
                ">=" => order != Ordering::Less,
                _ => order == Ordering::Greater,
            };
            l = Value::Int(i32::from(yes).into());
        }
        Ok(l)
    }

    fn sum(&mut self, evaluate: bool) -> Eval<Value> {
        let mut l = self.product(evaluate)?;
        while let Some(op) = self.accept_any(&["+", "-"]) {
            let r = self.product(evaluate)?;
            if evaluate {
                let (a, b) = (l.number()?, r.number()?);
                l = Value::Int(if op == "+" { a + b } else { a - b });
            }
        }
        Ok(l)
    }

    fn product(&mut self, evaluate: bool) -> Eval<Value> {
        let mut l = self.matching(evaluate)?;
        while let Some(op) = self.accept_any(&["*", "/", "%"]) {
            let r = self.matching(evaluate)?;
            if !evaluate {
                continue;
            }
            let (a, b) = (l.number()?, r.number()?);
            if op != "*" && b == BigInt::from(0) {
                return Err(Fault(2, "division by zero".into()));
            }
            if op == "*" && a.bits() + b.bits() > 1 << 22 {
                return Err(Fault(3, "the product is too large".into()));
            }
            l = Value::Int(match op {
                "*" => a * b,
                "/" => a / b,
                _ => a % b,
            });
        }
        Ok(l)
    }

    fn matching(&mut self, evaluate: bool) -> Eval<Value> {
        let mut l = self.word(evaluate)?;
        while self.accept(":") {
            let r = self.word(evaluate)?;
            if evaluate {
                l = match_bre(&l.text(), &r.text())?;
            }
        }
        Ok(l)
    }

    fn word(&mut self, evaluate: bool) -> Eval<Value> {
        if self.accept("+") {
            return self.next().map(Value::Text);
        }
        if self.accept("length") {
            let v = self.word(evaluate)?;
            return Ok(Value::Int(characters(&v.text()).len().into()));
        }
        if self.accept("match") {
            let (s, r) = (self.word(evaluate)?, self.word(evaluate)?);
            return if evaluate { match_bre(&s.text(), &r.text()) } else { Ok(s) };
        }
        if self.accept("index") {
            let (s, set) = (self.word(evaluate)?.text(), self.word(evaluate)?.text());
            let (s, set) = (characters(&s), characters(&set));
            let at = s.iter().position(|c| set.contains(c)).map_or(0, |i| i + 1);
            return Ok(Value::Int(at.into()));
        }
        if self.accept("substr") {
            let s = self.word(evaluate)?.text();
            let (from, len) = (self.word(evaluate)?, self.word(evaluate)?);
            let size = |v: &Value| v.number().ok().map(|n| usize::try_from(n).unwrap_or(0));
            let (Some(from), Some(len)) = (size(&from), size(&len)) else { return Ok(Value::Text(vec![])) };
            if from == 0 || len == 0 {
                return Ok(Value::Text(vec![]));
            }
            let c = characters(&s);
            let start = (from - 1).min(c.len());
            return Ok(Value::Text(c[start..start.saturating_add(len).min(c.len())].concat()));
        }
        if self.accept("(") {
            let v = self.or(evaluate)?;
            if self.peek().is_none() {
                let last = String::from_utf8_lossy(&self.args[self.at - 1]).into_owned();
                return Err(Fault(2, format!("syntax error: expecting ')' after ‘{last}’")));
            }
            if !self.accept(")") {
                let found = String::from_utf8_lossy(self.peek().unwrap_or_default()).into_owned();
                return Err(Fault(2, format!("syntax error: expecting ')' instead of ‘{found}’")));
            }
            return Ok(v);
        }
        if self.peek() == Some(b")") {
            return Err(Fault(2, "syntax error: unexpected ')'".into()));
        }
        self.next().map(Value::Text)
    }

    fn next(&mut self) -> Eval<Vec<u8>> {
        match self.args.get(self.at) {
            Some(a) => {
                self.at += 1;
                Ok(a.to_vec())
            }
            None => {
                let last = self.args.get(self.at.wrapping_sub(1)).map(|a| cli::quote(a)).unwrap_or_default();
                Err(Fault(2, format!("syntax error: missing argument after {last}")))
            }
        }
    }
}

/// The characters of a text; bytes that are none stand for themselves.
fn characters(text: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        out.extend(valid.char_indices().map(|(i, c)| &valid.as_bytes()[i..i + c.len_utf8()]));
        out.extend(chunk.invalid().iter().map(std::slice::from_ref));
    }
    out
}

/// `STRING : REGEXP`: anchored at the start; the first group's text, or the number of characters that matched.
fn match_bre(text: &[u8], pattern: &[u8]) -> Eval<Value> {
    let regex = Regex::new(pattern, Syntax::Bre, Flags::default()).map_err(|e| {
        // glibc's re_compile_pattern words this one differently from grep's matcher.
        let text = if e.0.starts_with("Unmatched [") { "Invalid regular expression".into() } else { e.0 };
        Fault(2, text)
    })?;
    let mut captures = Captures::new();
    let found =
        regex.captures_at(text, 0, &mut captures) && captures.get(0).is_some_and(|(start, _)| start == 0);
    if regex.groups() > 0 {
        let group = if found { captures.get(1) } else { None };
        return Ok(Value::Text(group.map_or(vec![], |(a, b)| text[a..b].to_vec())));
    }
    let n = if found { captures.get(0).map_or(0, |(a, b)| characters(&text[a..b]).len()) } else { 0 };
    Ok(Value::Int(n.into()))
}

impl Program for Expr {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let mut args = process.args.get(1..).unwrap_or_default().to_vec();
        if let [only] = &args[..]
            && matches!(&only[..], b"--help" | b"--version")
        {
            return match cli::parse(process, &SPEC, sandshell_text::options::Order::First, 2)? {
                Ok(_) => Ok(Status::USAGE),
                Err(status) => Ok(status),
            };
        }
        if args.first().is_some_and(|a| a == "--") {
            args.remove(0);
        }
        if args.is_empty() {
            process.error(format_args!("missing operand"))?;
            return cli::try_help(process, 2);
        }
        let mut parser = Parser { args: &args, at: 0, depth: 0 };
        let value = parser.or(true).and_then(|v| match parser.peek() {
            None => Ok(v),
            Some(extra) => Err(Fault(2, format!("syntax error: unexpected argument {}", cli::quote(extra)))),
        });
        match value {
            Ok(v) => {
                process.stdout.line(&v.text())?;
                Ok(if v.null() { Status::FAILURE } else { Status::OK })
            }
            Err(Fault(status, text)) => {
                process.error(format_args!("{text}"))?;
                Ok(Status(status))
            }
        }
    }
}
