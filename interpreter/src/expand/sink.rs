//! Where the pieces of an expanding word go: into fields (split by IFS, globbed), one string, a pattern or a regex.

use bytes::Bytes;
use sandshell_text::glob;
use std::sync::Arc;

/// What the word becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Fields.
    Fields,
    /// One string.
    Single,
    /// A shell pattern: quoted text is escaped.
    Pattern,
    /// An extended regular expression: quoted text is escaped.
    Regex,
    /// A pattern to be shown: every quoted character is escaped.
    Shown,
}

/// Collects one word.
pub(crate) struct Sink {
    pub mode: Mode,
    /// The field (or string) so far.
    pub cur: Vec<u8>,
    /// The same as a pattern, from the first character on that could be a wildcard.
    pub pattern: Option<Vec<u8>>,
    /// The field exists although it may be empty: there were quotes.
    pub started: bool,
    /// The last field was ended by IFS white space: a separator that follows belongs to it.
    after_space: bool,
    /// Finished fields, each with its pattern if it has one.
    pub fields: Vec<(Bytes, Option<Vec<u8>>)>,
    /// Wildcards are looked for.
    pub globbing: bool,
    /// `(` after `@`, `!`, … is one.
    pub extglob: bool,
    class: Arc<[u8; 256]>,
    split: bool,
    default_ifs: bool,
}

impl Sink {
    pub fn new(mode: Mode, ifs: &crate::session::shell::Ifs, globbing: bool, extglob: bool) -> Sink {
        Sink {
            mode,
            cur: Vec::new(),
            pattern: None,
            started: false,
            after_space: false,
            fields: Vec::new(),
            globbing: globbing && mode == Mode::Fields,
            extglob,
            class: ifs.class.clone(),
            split: mode == Mode::Fields && !ifs.empty,
            default_ifs: ifs.default,
        }
    }

    /// Text that was quoted.
    pub fn quoted(&mut self, text: &[u8]) {
        match self.mode {
            Mode::Fields => {
                self.started = true;
                self.cur.extend_from_slice(text);
                if let Some(p) = &mut self.pattern {
                    glob::escape_into(text, p);
                }
            }
            Mode::Single => self.cur.extend_from_slice(text),
            Mode::Pattern => glob::escape_into(text, &mut self.cur),
            Mode::Regex => escape_regex(text, &mut self.cur),
            Mode::Shown => text.iter().for_each(|&b| self.cur.extend_from_slice(&[b'\\', b])),
        }
    }

    /// Quotes were there, maybe with nothing in them.
    pub fn mark_quoted(&mut self) {
        self.started = true;
    }

    /// Unquoted text of the script: may hold wildcards, does not split.
    pub fn literal(&mut self, text: &[u8]) {
        if self.globbing {
            self.watch(text);
        }
        self.cur.extend_from_slice(text);
    }

    /// Keeps the pattern beside the field once a wildcard may have been met.
    fn watch(&mut self, text: &[u8]) {
        match &mut self.pattern {
            Some(p) => p.extend_from_slice(text),
            None => {
                let special =
                    memchr::memchr3(b'*', b'?', b'[', text).is_some() || self.extglob && text.contains(&b'(');
                let escape = memchr::memchr(b'\\', text).is_some();
                if special || escape {
                    let mut p = Vec::new();
                    glob::escape_into(&self.cur, &mut p);
                    p.extend_from_slice(text);
                    self.pattern = Some(p);
                }
            }
        }
    }

    /// The result of an unquoted expansion: splits and globs.
    pub fn split(&mut self, text: &[u8]) {
        if !self.split {
            return self.literal(text);
        }
        if self.default_ifs && memchr::memchr3(b' ', b'\t', b'\n', text).is_none() {
            return self.literal(text);
        }
        let class = self.class.clone();
        let mut rest = text;
        while !rest.is_empty() {
            let n = rest.iter().position(|&b| class[b as usize] != 0).unwrap_or(rest.len());
            if n > 0 {
                self.after_space = false;
                self.literal(&rest[..n]);
                rest = &rest[n..];
                continue;
            }
            let in_field = self.started || !self.cur.is_empty();
            if class[rest[0] as usize] == 1 {
                if in_field {
                    self.end_field();
                    self.after_space = true;
                }
            } else if self.after_space && !in_field {
                self.after_space = false;
            } else {
                self.end_field();
            }
            rest = &rest[1..];
        }
    }

    /// Ends the field, also an empty one.
    pub fn end_field(&mut self) {
        // A short field is copied to its size: the buffer serves for the next one.
        let text = match self.cur.len() <= 256 {
            true => Bytes::copy_from_slice(&self.cur),
            false => Bytes::from(std::mem::take(&mut self.cur)),
        };
        self.cur.clear();
        self.fields.push((text, self.pattern.take()));
        self.started = false;
        self.after_space = false;
    }

    /// Ends the field if there is one: between the elements of an unquoted list.
    pub fn break_field(&mut self) {
        if self.started || !self.cur.is_empty() {
            self.end_field();
        }
    }
}

/// Escapes what is special in an extended regular expression.
fn escape_regex(text: &[u8], out: &mut Vec<u8>) {
    for &b in text {
        if matches!(
            b,
            b'.' | b'[' | b']' | b'\\' | b'(' | b')' | b'*' | b'+' | b'?' | b'{' | b'}' | b'|' | b'^' | b'$'
        ) {
            out.push(b'\\');
        }
        out.push(b);
    }
}
