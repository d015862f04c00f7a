//! Script text to instructions. Errors count characters as GNU sed does: within one `-e`, or by the line of a file.

use super::script::*;
use sandshell_kernel::Bytes;
use sandshell_text::{
    posix_class::next_char,
    regex::{Flags, Regex, Syntax},
};
use std::collections::HashMap;

/// A piece of script.
pub struct Piece {
    /// The file, or none for `-e`.
    pub file: Option<String>,
    /// The text.
    pub text: Vec<u8>,
}

/// How a script is read.
#[derive(Clone, Copy, Default)]
pub struct Options {
    /// `-E`
    pub extended: bool,
    /// `--posix`
    pub posix: bool,
    /// `--sandbox`
    pub sandbox: bool,
}

/// A message without the program's name, and the exit status.
pub struct Fault(pub String, pub u8);

type Parse<T> = Result<T, Fault>;

/// Compiles a script.
pub fn parse(pieces: &[Piece], options: Options) -> Parse<Script> {
    let mut parser = Parser {
        text: Vec::new(),
        starts: Vec::new(),
        pieces,
        at: 0,
        options,
        script: Script::default(),
        blocks: Vec::new(),
        labels: HashMap::new(),
        jumps: Vec::new(),
        known: HashMap::new(),
    };
    for (i, p) in pieces.iter().enumerate() {
        if i > 0 {
            parser.text.push(b'\n');
        }
        parser.starts.push(parser.text.len());
        parser.text.extend_from_slice(&p.text);
    }
    parser.script()?;
    Ok(parser.script)
}

struct Parser<'a> {
    /// All pieces, joined by newlines.
    text: Vec<u8>,
    starts: Vec<usize>,
    pieces: &'a [Piece],
    at: usize,
    options: Options,
    script: Script,
    blocks: Vec<usize>,
    labels: HashMap<Vec<u8>, usize>,
    jumps: Vec<(usize, Vec<u8>)>,
    /// Patterns that were compiled already.
    known: HashMap<(Vec<u8>, bool, bool), usize>,
}

fn blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let b = self.peek();
        self.at += usize::from(b.is_some());
        b
    }

    fn eat(&mut self, b: u8) -> bool {
        let yes = self.peek() == Some(b);
        self.at += usize::from(yes);
        yes
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(blank) {
            self.at += 1;
        }
    }

    /// A fault after the characters read so far.
    fn fault(&self, text: &str) -> Fault {
        let piece = self.starts.iter().rposition(|s| *s < self.at.max(1)).unwrap_or(0);
        let start = self.starts.get(piece).copied().unwrap_or(0);
        let read = self.at.saturating_sub(start);
        match self.pieces.get(piece).and_then(|p| p.file.as_ref()) {
            Some(f) => {
                let upto = &self.text[start..self.at.min(self.text.len())];
                let line = memchr::memchr_iter(b'\n', upto).count() + 1;
                Fault(format!("file {f} line {line}: {text}"), 1)
            }
            None => Fault(format!("-e expression #{}, char {read}: {text}", self.expression(piece)), 1),
        }
    }

    /// Which `-e` a piece is.
    fn expression(&self, piece: usize) -> usize {
        self.pieces.iter().take(piece + 1).filter(|p| p.file.is_none()).count()
    }

    /// A fault that is noticed at the end of everything.
    fn late(&self, text: &str) -> Fault {
        let last = self.pieces.len().saturating_sub(1);
        match self.pieces.get(last).and_then(|p| p.file.as_ref()) {
            Some(f) => Fault(format!("file {f} line 0: {text}"), 1),
            None => Fault(format!("-e expression #{}, char 0: {text}", self.expression(last)), 1),
        }
    }

    fn script(&mut self) -> Parse<()> {
        if self.text.starts_with(b"#n") && matches!(self.text.get(2), None | Some(b'\n')) {
            self.script.silent = true;
        }
        loop {
            while self.peek().is_some_and(|b| blank(b) || matches!(b, b'\n' | b';')) {
                self.at += 1;
            }
            if self.peek().is_none() {
                break;
            }
            self.command()?;
        }
        if !self.blocks.is_empty() {
            return Err(self.late("unmatched `{'"));
        }
        let end = self.script.commands.len();
        for (at, label) in std::mem::take(&mut self.jumps) {
            let target = match label.is_empty() {
                true => end,
                false => match self.labels.get(&label) {
                    Some(t) => *t,
                    None => {
                        let shown = String::from_utf8_lossy(&label);
                        return Err(Fault(format!("can't find label for jump to `{shown}'"), 4));
                    }
                },
            };
            match &mut self.script.commands[at].action {
                Action::Branch(t) | Action::BranchIf(t) | Action::BranchUnless(t) => *t = target,
                _ => {}
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let mut n = 0u64;
        while let Some(d) = self.peek().filter(u8::is_ascii_digit) {
            n = n.saturating_mul(10).saturating_add(u64::from(d - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(n)
    }

    // ---- addresses ----

    fn regex_address(&mut self) -> Parse<Option<Option<usize>>> {
        let delimiter = match self.peek() {
            Some(b'/') => b'/',
            Some(b'\\') => {
                self.at += 1;
                match self.peek() {
                    Some(b) if b != b'\n' => b,
                    _ => return Err(self.fault("unexpected `,'")),
                }
            }
            _ => return Ok(None),
        };
        self.at += 1;
        let Some(pattern) = self.until(delimiter, true) else {
            return Err(self.fault("unterminated address regex"));
        };
        let (mut icase, mut multiline) = (false, false);
        loop {
            match self.peek() {
                Some(b'I') => icase = true,
                Some(b'M') => multiline = true,
                _ => break,
            }
            self.at += 1;
        }
        self.regex(pattern, icase, multiline).map(Some)
    }

    fn first(&mut self) -> Parse<Option<First>> {
        if let Some(r) = self.regex_address()? {
            return Ok(Some(First::Regex(r)));
        }
        if self.eat(b'$') {
            return Ok(Some(First::End));
        }
        let Some(n) = self.number() else { return Ok(None) };
        self.blanks();
        if self.eat(b'~') {
            self.blanks();
            let step = self.number().unwrap_or(0);
            return Ok(Some(match (n, step) {
                (0, 0) => First::Zero,
                (n, 0) => First::Line(n),
                (n, step) => First::Step(n, step),
            }));
        }
        Ok(Some(if n == 0 { First::Zero } else { First::Line(n) }))
    }

    fn last(&mut self) -> Parse<Option<Last>> {
        if let Some(r) = self.regex_address()? {
            return Ok(Some(Last::Regex(r)));
        }
        if self.eat(b'$') {
            return Ok(Some(Last::End));
        }
        let kind = self.peek();
        if matches!(kind, Some(b'+' | b'~')) {
            self.at += 1;
            let Some(n) = self.number() else { return Err(self.fault("expected number")) };
            return Ok(Some(match kind {
                Some(b'+') => Last::Count(n),
                _ if n == 0 => Last::Count(0),
                _ => Last::Multiple(n),
            }));
        }
        Ok(self.number().map(Last::Line))
    }

    fn address(&mut self) -> Parse<Option<Address>> {
        let Some(first) = self.first()? else { return Ok(None) };
        self.blanks();
        let mut last = None;
        if self.eat(b',') {
            self.blanks();
            last = self.last()?;
            if last.is_none() {
                self.at += 1;
                return Err(self.fault("unexpected `,'"));
            }
        }
        if first == First::Zero && !matches!(last, Some(Last::Regex(_))) {
            self.at += 1;
            return Err(self.fault("invalid usage of line address 0"));
        }
        Ok(Some(Address { first, last }))
    }

    // ---- commands ----

    fn command(&mut self) -> Parse<()> {
        let address = self.address()?;
        self.blanks();
        let mut negated = false;
        while self.eat(b'!') {
            if negated {
                return Err(self.fault("multiple `!'s"));
            }
            negated = true;
            self.blanks();
        }
        let Some(c) = self.take() else { return Err(self.fault("missing command")) };
        let alone = address.is_none();
        let end = |p: &mut Self, action: Action| -> Parse<Action> {
            p.end_of_command()?;
            Ok(action)
        };
        let action = match c {
            b'\n' | b';' => {
                self.at -= 1;
                return Err(self.fault("missing command"));
            }
            b'#' => {
                if !alone {
                    return Err(self.fault("comments don't accept any addresses"));
                }
                self.at =
                    memchr::memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |i| self.at + i);
                return Ok(());
            }
            b':' => {
                if !alone {
                    return Err(self.fault(": doesn't want any addresses"));
                }
                self.blanks();
                let label = self.word_until(|b| b == b'\n' || b == b';' || blank(b));
                if label.is_empty() {
                    return Err(self.fault("\":\" lacks a label"));
                }
                self.labels.insert(label, self.script.commands.len());
                Action::Nothing
            }
            b'{' => {
                self.blocks.push(self.script.commands.len());
                Action::Block(0)
            }
            b'}' => {
                let Some(open) = self.blocks.pop() else { return Err(self.fault("unexpected `}'")) };
                if !alone {
                    return Err(self.fault("} doesn't want any addresses"));
                }
                self.end_of_command()?;
                let here = self.script.commands.len();
                if let Action::Block(to) = &mut self.script.commands[open].action {
                    *to = here;
                }
                Action::Nothing
            }
            b'=' => end(self, Action::Number)?,
            b'd' => end(self, Action::Delete)?,
            b'D' => end(self, Action::DeleteFirst)?,
            b'F' => end(self, Action::FileName)?,
            b'g' => end(self, Action::Get)?,
            b'G' => end(self, Action::GetAppend)?,
            b'h' => end(self, Action::Hold)?,
            b'H' => end(self, Action::HoldAppend)?,
            b'n' => end(self, Action::Next)?,
            b'N' => end(self, Action::NextAppend)?,
            b'p' => end(self, Action::Print)?,
            b'P' => end(self, Action::PrintFirst)?,
            b'x' => end(self, Action::Exchange)?,
            b'z' => end(self, Action::Zap)?,
            b'a' => Action::Append(self.text_argument()?),
            b'i' => Action::Insert(self.text_argument()?),
            b'c' => Action::Change(self.text_argument()?),
            b'e' => {
                self.refuse_in_sandbox()?;
                self.blanks();
                let mut line = self.word_until(|b| b == b'\n');
                if !line.is_empty() {
                    line.push(b'\n');
                }
                Action::Execute(line)
            }
            b'b' | b't' | b'T' => {
                self.blanks();
                let label = self.word_until(|b| b == b'\n' || b == b';' || b == b'}' || blank(b));
                self.jumps.push((self.script.commands.len(), label));
                match c {
                    b'b' => Action::Branch(0),
                    b't' => Action::BranchIf(0),
                    _ => Action::BranchUnless(0),
                }
            }
            b'l' => {
                self.blanks();
                let n = self.number().map(|n| n as usize);
                end(self, Action::List(n))?
            }
            b'q' | b'Q' => {
                if address.as_ref().is_some_and(|a| a.last.is_some()) {
                    return Err(self.fault("command only uses one address"));
                }
                self.blanks();
                let code = self.number().unwrap_or(0) as u8;
                end(self, if c == b'q' { Action::Quit(code) } else { Action::QuitSilently(code) })?
            }
            b'r' => Action::Read(self.file_name()?),
            b'R' => Action::ReadLine(self.file_name()?),
            b'w' => Action::Write(self.output_file()?),
            b'W' => Action::WriteFirst(self.output_file()?),
            b's' => Action::Substitute(Box::new(self.substitute()?)),
            b'y' => {
                let t = self.translate()?;
                end(self, Action::Translate(Box::new(t)))?
            }
            b'v' => {
                self.blanks();
                let version = self.word_until(|b| b == b'\n' || b == b';' || blank(b));
                let mut parts = version
                    .split(|b| *b == b'.')
                    .map(|p| std::str::from_utf8(p).ok().and_then(|p| p.parse::<u32>().ok()).unwrap_or(0));
                let wanted = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
                if wanted > (4, 9) {
                    return Err(self.fault("expected newer version of sed"));
                }
                end(self, Action::Nothing)?
            }
            c => {
                let shown = self.text[self.at - 1..].utf8_chunks().next().map_or(String::new(), |chunk| {
                    chunk.valid().chars().next().map_or_else(|| (c as char).to_string(), |c| c.to_string())
                });
                return Err(self.fault(&format!("unknown command: `{shown}'")));
            }
        };
        self.script.commands.push(Command { address, negated, action });
        Ok(())
    }

    fn refuse_in_sandbox(&self) -> Parse<()> {
        match self.options.sandbox {
            true => Err(self.fault("e/r/w commands disabled in sandbox mode")),
            false => Ok(()),
        }
    }

    fn end_of_command(&mut self) -> Parse<()> {
        self.blanks();
        match self.peek() {
            None | Some(b'}' | b'#') => Ok(()),
            Some(b'\n' | b';') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => {
                self.at += 1;
                Err(self.fault("extra characters after command"))
            }
        }
    }

    fn word_until(&mut self, stop: impl Fn(u8) -> bool) -> Vec<u8> {
        let start = self.at;
        while self.peek().is_some_and(|b| !stop(b)) {
            self.at += 1;
        }
        self.text[start..self.at].to_vec()
    }

    fn file_name(&mut self) -> Parse<Bytes> {
        self.refuse_in_sandbox()?;
        self.blanks();
        let name = self.word_until(|b| b == b'\n');
        if name.is_empty() {
            return Err(self.fault("missing filename in r/R/w/W commands"));
        }
        Ok(Bytes::from(name))
    }

    fn output_file(&mut self) -> Parse<usize> {
        let name = self.file_name()?;
        let outputs = &mut self.script.outputs;
        Ok(outputs.iter().position(|o| *o == name).unwrap_or_else(|| {
            outputs.push(name);
            outputs.len() - 1
        }))
    }

    /// The text of `a`, `i` and `c`: after a backslash and a newline, or on the same line.
    fn text_argument(&mut self) -> Parse<Vec<u8>> {
        self.blanks();
        match self.peek() {
            None | Some(b'\n') => return Err(self.fault("expected \\ after `a', `c' or `i'")),
            Some(b'\\') => {
                self.at += 1;
                let mark = self.at;
                self.blanks();
                if !self.eat(b'\n') {
                    // `a\  text` keeps its blanks.
                    self.at = mark;
                    if self.peek().is_none() {
                        return Ok(Vec::new());
                    }
                    // The backslash has taken the meaning of what follows.
                    if let Some(b) = self.take().filter(|b| *b != b'\\') {
                        return self.lines_of_text(vec![b]);
                    }
                    self.at -= 1;
                }
            }
            Some(_) => {}
        }
        self.lines_of_text(Vec::new())
    }

    fn lines_of_text(&mut self, mut out: Vec<u8>) -> Parse<Vec<u8>> {
        if self.peek().is_none() && out.is_empty() {
            return Ok(out);
        }
        while let Some(b) = self.take() {
            match b {
                b'\n' => break,
                b'\\' => match self.take() {
                    None => break,
                    Some(next) => match self.escape(next, &mut out) {
                        true => {}
                        false => out.push(next),
                    },
                },
                b => out.push(b),
            }
        }
        out.push(b'\n');
        Ok(out)
    }

    /// Resolves an escape of GNU sed whose letter was just read; false if it is none.
    fn escape(&mut self, letter: u8, out: &mut Vec<u8>) -> bool {
        let simple = match letter {
            b'a' => 7,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'c' => {
                let Some(b) = self.peek() else { return false };
                self.at += 1;
                b.to_ascii_uppercase() ^ 0x40
            }
            b'd' => return self.coded(10, 3, out),
            b'o' => return self.coded(8, 3, out),
            b'x' => return self.coded(16, 2, out),
            _ => return false,
        };
        out.push(simple);
        true
    }

    fn coded(&mut self, base: u32, most: usize, out: &mut Vec<u8>) -> bool {
        let mut n = 0;
        let mut count = 0;
        while count < most
            && let Some(d) = self.peek().and_then(|b| (b as char).to_digit(base))
        {
            n = n * base + d;
            count += 1;
            self.at += 1;
        }
        if count > 0 {
            out.push(n as u8);
        }
        count > 0
    }

    /// Text up to the delimiter. An escaped delimiter loses its backslash, all else is kept as it is; within brackets
    /// of a regular expression the delimiter is a character like others.
    fn until(&mut self, delimiter: u8, regex: bool) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut bracket = false;
        while let Some(b) = self.take() {
            if bracket {
                out.push(b);
                if b == b'[' && matches!(self.peek(), Some(b':' | b'.' | b'=')) {
                    let kind = self.text[self.at];
                    let rest = &self.text[self.at + 1..];
                    if let Some(i) = rest.windows(2).position(|w| w == [kind, b']']) {
                        out.extend_from_slice(&self.text[self.at..self.at + i + 3]);
                        self.at += i + 3;
                    }
                } else if b == b']' {
                    bracket = false;
                } else if b == b'\n' {
                    return None;
                }
                continue;
            }
            match b {
                b if b == delimiter => return Some(out),
                b'\n' if regex => return None,
                b'\\' => match self.take() {
                    None => return None,
                    Some(next) if next == delimiter => {
                        // In a replacement an escaped `&` stays an escape, whatever the delimiter is.
                        if !regex && next == b'&' {
                            out.push(b'\\');
                        }
                        out.push(next);
                    }
                    Some(next) => out.extend_from_slice(&[b'\\', next]),
                },
                b'[' if regex && delimiter != b'[' => {
                    out.push(b'[');
                    if self.eat(b'^') {
                        out.push(b'^');
                    }
                    if self.peek() == Some(b']') {
                        self.at += 1;
                        out.push(b']');
                    }
                    bracket = true;
                }
                b => out.push(b),
            }
        }
        None
    }

    fn regex(&mut self, pattern: Vec<u8>, icase: bool, multiline: bool) -> Parse<Option<usize>> {
        if pattern.is_empty() {
            if icase || multiline {
                return Err(self.fault("cannot specify modifiers on empty regexp"));
            }
            return Ok(None);
        }
        let key = (pattern, icase, multiline);
        if let Some(i) = self.known.get(&key) {
            return Ok(Some(*i));
        }
        let syntax = if self.options.extended { Syntax::SedEre } else { Syntax::SedBre };
        let flags = Flags { icase, multiline, ..Flags::default() };
        match Regex::new(&key.0, syntax, flags) {
            Ok(r) => {
                self.script.regexes.push(r);
                let lines = (!multiline && !tells_lines_apart(&key.0))
                    .then(|| Regex::new(&key.0, syntax, Flags::lines().icase(icase)).ok());
                self.script.line_patterns.push(lines.flatten());
                let i = self.script.regexes.len() - 1;
                self.known.insert(key, i);
                Ok(Some(i))
            }
            Err(e) => Err(self.fault(&e.0)),
        }
    }

    fn substitute(&mut self) -> Parse<Substitute> {
        let unterminated = "unterminated `s' command";
        let delimiter = match self.take() {
            Some(b) if b != b'\n' && b != b'\\' => b,
            _ => return Err(self.fault(unterminated)),
        };
        let Some(pattern) = self.until(delimiter, true) else { return Err(self.fault(unterminated)) };
        let Some(replacement) = self.until(delimiter, false) else { return Err(self.fault(unterminated)) };
        let mut s = Substitute {
            regex: None,
            parts: Vec::new(),
            groups: false,
            cases: false,
            global: false,
            print: 0,
            execute: false,
            from: 0,
            write: None,
        };
        let (mut icase, mut multiline) = (false, false);
        loop {
            match self.peek() {
                Some(b'g') => {
                    self.at += 1;
                    if s.global {
                        return Err(self.fault("multiple `g' options to `s' command"));
                    }
                    s.global = true;
                }
                Some(b'p') => {
                    self.at += 1;
                    if s.print > 0 {
                        return Err(self.fault("multiple `p' options to `s' command"));
                    }
                    // Before or after `e`.
                    s.print = if s.execute { 2 } else { 1 };
                }
                Some(b'i' | b'I') => {
                    self.at += 1;
                    icase = true;
                }
                Some(b'm' | b'M') => {
                    self.at += 1;
                    multiline = true;
                }
                Some(b'e') => {
                    self.at += 1;
                    self.refuse_in_sandbox()?;
                    s.execute = true;
                }
                Some(b'0'..=b'9') => {
                    let n = self.number().unwrap_or(0);
                    if s.from > 0 {
                        return Err(self.fault("multiple number options to `s' command"));
                    }
                    if n == 0 {
                        return Err(self.fault("number option to `s' command may not be zero"));
                    }
                    s.from = n;
                }
                Some(b'w') => {
                    self.at += 1;
                    s.write = Some(self.output_file()?);
                    break;
                }
                Some(b) if blank(b) => self.at += 1,
                None | Some(b'}' | b'#') => break,
                Some(b'\n' | b';') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {
                    self.at += 1;
                    return Err(self.fault("unknown option to `s'"));
                }
            }
        }
        s.from = s.from.max(1);
        s.regex = self.regex(pattern, icase, multiline)?;
        self.replacement(&replacement, &mut s)?;
        Ok(s)
    }

    fn replacement(&mut self, text: &[u8], s: &mut Substitute) -> Parse<()> {
        // The escapes are resolved by a parser over the replacement alone.
        let mut inner = Parser {
            text: text.to_vec(),
            starts: vec![0],
            pieces: &[],
            at: 0,
            options: self.options,
            script: Script::default(),
            blocks: Vec::new(),
            labels: HashMap::new(),
            jumps: Vec::new(),
            known: HashMap::new(),
        };
        let groups = s.regex.map(|r| self.script.regexes[r].groups());
        let mut literal = Vec::new();
        let flush = |literal: &mut Vec<u8>, parts: &mut Vec<Part>| {
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(literal)));
            }
        };
        while let Some(b) = inner.take() {
            match b {
                b'&' => {
                    flush(&mut literal, &mut s.parts);
                    s.parts.push(Part::Group(0));
                }
                b'\\' => {
                    let Some(next) = inner.take() else {
                        literal.push(b'\\');
                        break;
                    };
                    let case = match next {
                        b'U' => Some(Case::Upper),
                        b'L' => Some(Case::Lower),
                        b'u' => Some(Case::UpperNext),
                        b'l' => Some(Case::LowerNext),
                        b'E' => Some(Case::End),
                        _ => None,
                    };
                    if let Some(case) = case.filter(|_| !self.options.posix) {
                        flush(&mut literal, &mut s.parts);
                        s.parts.push(Part::Case(case));
                        s.cases = true;
                    } else if next.is_ascii_digit() {
                        let n = usize::from(next - b'0');
                        if groups.is_some_and(|g| n > g) {
                            return Err(self.fault(&format!("invalid reference \\{n} on `s' command's RHS")));
                        }
                        flush(&mut literal, &mut s.parts);
                        s.parts.push(Part::Group(n));
                        s.groups |= n > 0;
                    } else if !inner.escape(next, &mut literal) {
                        literal.push(next);
                    }
                }
                b => literal.push(b),
            }
        }
        flush(&mut literal, &mut s.parts);
        Ok(())
    }

    fn translate(&mut self) -> Parse<Translate> {
        let unterminated = "unterminated `y' command";
        let delimiter = match self.take() {
            Some(b) if b != b'\n' && b != b'\\' => b,
            _ => return Err(self.fault(unterminated)),
        };
        let Some(from) = self.until(delimiter, false) else { return Err(self.fault(unterminated)) };
        let Some(to) = self.until(delimiter, false) else { return Err(self.fault(unterminated)) };
        let (from, to) = (self.characters(&from), self.characters(&to));
        if from.len() != to.len() {
            return Err(self.fault("strings for `y' command are different lengths"));
        }
        if from.iter().chain(&to).all(|c| c.len() == 1) {
            let mut table = [0; 256];
            for (i, b) in table.iter_mut().enumerate() {
                *b = i as u8;
            }
            // The first of equal characters counts.
            for (f, t) in from.iter().zip(&to).rev() {
                table[f[0] as usize] = t[0];
            }
            return Ok(Translate::Bytes(Box::new(table)));
        }
        Ok(Translate::Characters(from.into_iter().zip(to).collect()))
    }

    /// The characters of one side of `y`, escapes resolved.
    fn characters(&self, text: &[u8]) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        let mut inner = Parser {
            text: text.to_vec(),
            starts: vec![0],
            pieces: &[],
            at: 0,
            options: self.options,
            script: Script::default(),
            blocks: Vec::new(),
            labels: HashMap::new(),
            jumps: Vec::new(),
            known: HashMap::new(),
        };
        while inner.at < inner.text.len() {
            if inner.eat(b'\\') {
                let Some(next) = inner.take() else {
                    out.push(vec![b'\\']);
                    break;
                };
                let mut one = Vec::new();
                if !inner.escape(next, &mut one) {
                    one = if matches!(next, b'\\' | b'\n') { vec![next] } else { vec![b'\\', next] };
                }
                out.extend(match one.len() {
                    2 => vec![vec![one[0]], vec![one[1]]],
                    _ => vec![one],
                });
                continue;
            }
            let n = next_char(&inner.text[inner.at..]).1.max(1);
            out.push(inner.text[inner.at..inner.at + n].to_vec());
            inner.at += n;
        }
        out
    }
}

/// Whether a pattern could tell a buffer of lines from one line: it names a newline or the ends of the buffer, or
/// matches empty places within a line.
fn tells_lines_apart(pattern: &[u8]) -> bool {
    let tells = |w: &[u8]| {
        w[0] == b'\\'
            && matches!(
                w[1],
                b'n' | b'`' | b'\'' | b'b' | b'B' | b'<' | b'>' | b'd' | b'o' | b'x' | b'c' | b'1'..=b'9'
            )
    };
    pattern.contains(&b'\n') || pattern.windows(2).any(tells)
}
