//! The current record and its fields. Fields are found only as far as they are asked for; assigning one keeps them
//! all apart from `$0`, which is joined again when it is read.

use super::{
    input::Found,
    value::{Str, Value, looks_numeric},
};
use sandshell_text::regex::Regex;
use std::rc::Rc;

/// How text is split into fields.
#[derive(Clone)]
pub enum Splitter {
    /// Runs of blanks and newlines.
    Blanks,
    /// One byte; a newline too when the flag is set.
    Byte(u8, bool),
    /// A match; a newline too when the flag is set.
    Regex(Rc<Regex>, bool),
    /// Every character is a field.
    Characters,
    /// Fixed widths: characters to skip, and characters to take (`usize::MAX`: the rest).
    Widths(Rc<[(usize, usize)]>),
    /// What matches is a field.
    Content(Rc<Regex>),
}

/// Where a split stands.
#[derive(Clone, Copy, Default)]
pub struct SplitState {
    at: usize,
    index: usize,
    after_field: bool,
}

/// Length of the character at the start of `s`, which is not empty; a byte that begins none counts as one.
pub fn char_len(s: &[u8]) -> usize {
    let len = match s[0] {
        0..0xc2 => return 1,
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return 1,
    };
    match s.get(..len) {
        Some(c) if std::str::from_utf8(c).is_ok() => len,
        _ => 1,
    }
}

impl Splitter {
    /// The next field of `text`, and where its separator ends.
    #[inline]
    pub fn next(&self, text: &[u8], state: &mut SplitState) -> Option<(usize, usize, usize)> {
        match self {
            Splitter::Blanks => {
                let blank = |b: &u8| matches!(*b, b' ' | b'\t' | b'\n');
                let mut start = state.at;
                while text.get(start).is_some_and(blank) {
                    start += 1;
                }
                if start >= text.len() {
                    return None;
                }
                let mut end = start + 1;
                while end < text.len() && !blank(&text[end]) {
                    end += 1;
                }
                state.at = end;
                Some((start, end, end))
            }
            Splitter::Byte(b, newline) => {
                let start = state.at;
                let rest = match text.get(start..) {
                    Some(r) if !text.is_empty() => r,
                    _ => return None,
                };
                let found = match newline {
                    false => memchr::memchr(*b, rest),
                    true => memchr::memchr2(*b, b'\n', rest),
                };
                match found {
                    Some(i) => {
                        state.at = start + i + 1;
                        Some((start, start + i, start + i + 1))
                    }
                    None => {
                        state.at = text.len() + 1;
                        Some((start, text.len(), text.len()))
                    }
                }
            }
            Splitter::Regex(r, newline) => {
                let start = state.at;
                if start > text.len() || text.is_empty() {
                    return None;
                }
                let mut from = start;
                let mut found = None;
                while from <= text.len() {
                    match r.find_at(text, from) {
                        Some((s, e)) if s == e => from = s + 1,
                        m => {
                            found = m;
                            break;
                        }
                    }
                }
                if *newline {
                    let upto = found.map_or(text.len(), |m| m.0);
                    if let Some(i) = memchr::memchr(b'\n', &text[start..upto]) {
                        found = Some((start + i, start + i + 1));
                    }
                }
                let (end, after) = found.unwrap_or((text.len(), text.len()));
                state.at = if found.is_some() { after } else { text.len() + 1 };
                Some((start, end, after))
            }
            Splitter::Characters => {
                let rest = text.get(state.at..).filter(|r| !r.is_empty())?;
                let start = state.at;
                state.at += char_len(rest);
                Some((start, state.at, state.at))
            }
            Splitter::Widths(widths) => {
                let (skip, take) = *widths.get(state.index)?;
                state.index += 1;
                let mut at = state.at;
                let mut forward = |n: usize| {
                    for _ in 0..n {
                        if at >= text.len() {
                            break;
                        }
                        at += char_len(&text[at..]);
                    }
                    at
                };
                let start = forward(skip);
                if start >= text.len() {
                    return None;
                }
                let end = if take == usize::MAX { text.len() } else { forward(take) };
                state.at = end;
                Some((start, end, end))
            }
            Splitter::Content(r) => {
                let mut from = state.at;
                while from <= text.len() {
                    let Some((s, e)) = r.find_at(text, from) else { break };
                    if s < e {
                        (state.at, state.after_field) = (e, true);
                        return Some((s, e, e));
                    }
                    // An empty match right behind a field is the place before its separator.
                    if s == state.at && state.after_field {
                        from = s + 1;
                        continue;
                    }
                    if text.is_empty() {
                        break;
                    }
                    (state.at, state.after_field) = (s + 1, false);
                    return Some((s, s, s));
                }
                state.at = text.len() + 1;
                None
            }
        }
    }
}

struct Kept {
    text: Str,
    /// What was assigned; `None` for a field that came from input.
    value: Option<Value>,
}

/// The current record.
pub struct Record {
    /// The record as it was read, and `RT`.
    pub found: Found,
    /// `$0` where the program made it.
    own: Vec<u8>,
    /// Whether `$0` is `own`.
    owned: bool,
    spans: Vec<(usize, usize)>,
    state: SplitState,
    complete: bool,
    /// All fields, once one was assigned (`keeping`).
    kept: Vec<Kept>,
    keeping: bool,
    /// `$0` must be joined again.
    stale: bool,
    /// What `$0` was assigned, when it was neither a string nor from input.
    whole: Option<Value>,
    /// `$0` was assigned a string: it does not count as a number.
    assigned: bool,
    /// How the fields of this record are found: set when it was read.
    splitter: Rc<Splitter>,
}

impl Record {
    /// An empty record.
    pub fn new() -> Record {
        Record {
            found: Found::default(),
            own: Vec::new(),
            owned: false,
            spans: Vec::new(),
            state: SplitState::default(),
            complete: true,
            kept: Vec::new(),
            keeping: false,
            stale: false,
            whole: None,
            assigned: false,
            splitter: Rc::new(Splitter::Blanks),
        }
    }

    /// `$0` (call [`Record::join`] first where it is stale).
    #[inline]
    pub fn text(&self) -> &[u8] {
        if self.owned { &self.own } else { self.found.record() }
    }

    /// A new record lies in `found`.
    #[inline]
    pub fn start(&mut self, splitter: &Rc<Splitter>) {
        self.owned = false;
        self.reset(splitter);
    }

    #[inline]
    fn reset(&mut self, splitter: &Rc<Splitter>) {
        self.spans.clear();
        self.state = SplitState::default();
        self.complete = false;
        self.keeping = false;
        self.stale = false;
        self.assigned = false;
        if self.whole.is_some() {
            self.whole = None;
        }
        if !Rc::ptr_eq(&self.splitter, splitter) {
            self.splitter = splitter.clone();
        }
    }

    /// `$0 = text`; `value` is what was assigned, where it was not from input.
    pub fn assign(&mut self, text: &[u8], value: Option<Value>, splitter: &Rc<Splitter>) {
        self.own.clear();
        self.own.extend_from_slice(text);
        self.owned = true;
        self.reset(splitter);
        match value {
            Some(Value::Str(_)) => self.assigned = true,
            other => self.whole = other,
        }
    }

    /// `$0 = text`, a string.
    pub fn assign_string(&mut self, text: &[u8], splitter: &Rc<Splitter>) {
        self.assign(text, None, splitter);
        self.assigned = true;
    }

    #[inline]
    fn find(&mut self, upto: usize) {
        let text = if self.owned { &self.own[..] } else { self.found.record() };
        while self.spans.len() < upto {
            match self.splitter.next(text, &mut self.state) {
                Some((s, e, _)) => self.spans.push((s, e)),
                None => {
                    self.complete = true;
                    return;
                }
            }
        }
    }

    /// `NF`.
    pub fn count(&mut self) -> usize {
        if self.keeping {
            return self.kept.len();
        }
        if !self.complete {
            self.find(usize::MAX);
        }
        self.spans.len()
    }

    /// The text of field `i`; of `$0` for 0 (call [`Record::join`] first). Empty past the last.
    #[inline]
    pub fn field(&mut self, i: usize) -> &[u8] {
        if i == 0 {
            return self.text();
        }
        if self.keeping {
            return self.kept.get(i - 1).map_or(b"", |f| f.text.bytes());
        }
        if i > self.spans.len() && !self.complete {
            self.find(i);
        }
        match self.spans.get(i - 1) {
            Some((s, e)) => &self.text()[*s..*e],
            None => b"",
        }
    }

    /// The value of field `i`.
    pub fn value(&mut self, i: usize) -> Value {
        if i == 0 {
            return match &self.whole {
                Some(v) => v.clone(),
                None if self.assigned => Value::str(self.text()),
                None => Value::input(self.text()),
            };
        }
        if self.keeping {
            return match self.kept.get(i - 1) {
                None => Value::Uninit,
                Some(f) => f.value.clone().unwrap_or_else(|| Value::Input(f.text.clone())),
            };
        }
        self.field(i);
        match self.spans.get(i - 1) {
            Some((s, e)) => Value::input(&self.text()[*s..*e]),
            None => Value::Uninit,
        }
    }

    /// Whether a field was assigned since the record was read.
    #[inline]
    pub fn edited(&self) -> bool {
        self.keeping || self.assigned || self.whole.is_some()
    }

    /// The value that field `i` was assigned, if it was.
    pub fn assigned(&self, i: usize) -> Option<Value> {
        match i {
            0 if self.assigned => Some(Value::str(self.text())),
            0 => self.whole.clone(),
            _ if self.keeping => self.kept.get(i - 1)?.value.clone(),
            _ => None,
        }
    }

    /// What field `i` counts as in a comparison: its number, or none for a string. `None` outside means that the
    /// field was assigned a string.
    #[inline]
    pub fn comparable(&mut self, i: usize) -> Option<f64> {
        if self.keeping || i == 0 && (self.assigned || self.whole.is_some()) {
            return self.value(i).comparable();
        }
        let text = self.field(i);
        if text.is_empty() {
            if i > self.spans.len() { Some(0.0) } else { None }
        } else {
            looks_numeric(text)
        }
    }

    fn keep(&mut self) {
        if self.keeping {
            return;
        }
        if !self.complete {
            self.find(usize::MAX);
        }
        let text = if self.owned { &self.own[..] } else { self.found.record() };
        self.kept.clear();
        self.kept.extend(self.spans.iter().map(|(s, e)| Kept { text: Str::new(&text[*s..*e]), value: None }));
        self.keeping = true;
    }

    /// `$i = value`, whose text is given.
    pub fn set_field(&mut self, i: usize, text: Str, value: Value) {
        self.keep();
        while self.kept.len() < i {
            self.kept.push(Kept { text: Str::EMPTY, value: None });
        }
        self.kept[i - 1] = Kept { text, value: Some(value) };
        self.stale = true;
    }

    /// `NF = n`.
    pub fn set_count(&mut self, n: usize) {
        self.keep();
        self.kept.truncate(n);
        while self.kept.len() < n {
            self.kept.push(Kept { text: Str::EMPTY, value: None });
        }
        self.stale = true;
    }

    /// Whether `$0` must be joined before it is read.
    #[inline]
    pub fn stale(&self) -> bool {
        self.stale
    }

    /// Joins the fields to `$0`.
    pub fn join(&mut self, separator: &[u8]) {
        self.own.clear();
        for (i, f) in self.kept.iter().enumerate() {
            if i > 0 {
                self.own.extend_from_slice(separator);
            }
            self.own.extend_from_slice(&f.text);
        }
        self.owned = true;
        self.stale = false;
        self.assigned = false;
        self.whole = None;
    }
}
