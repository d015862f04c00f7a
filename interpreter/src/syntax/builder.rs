//! Collects the parts of one word and gives it its shape.

use super::brace;
use super::ir::*;
use bytes::Bytes;
use std::sync::Arc;

/// Where a word stands, for the choice of its shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A word of a command, a pattern, a value.
    Word,
    /// An argument: brace expressions expand.
    Argument,
    /// The operand of an unquoted `${x-…}`: its unquoted text splits.
    Operand,
    /// Within double quotes, a here-document, arithmetic.
    Quoted,
    /// The right side of `=~`.
    Regex,
    /// The replacement of `${x/p/r}`: an unquoted `&` means the match.
    Replacement,
}

/// Where an expansion stood in arithmetic text: start, end, what it is.
pub(super) type Span = (usize, usize, Part);

/// Collects parts.
#[derive(Default)]
pub(super) struct Builder {
    pub parts: Vec<Part>,
    run: Vec<u8>,
    run_quoted: bool,
    /// An unquoted `*`, `?`, `[` or extglob group.
    pub glob: bool,
    /// An unquoted `{`.
    pub brace: bool,
    /// Anything quoted.
    pub quotes: bool,
    /// Expansions at the top level, when they are asked for.
    pub spans: Option<Vec<Span>>,
}

impl Builder {
    /// A builder that notes where expansions stand.
    pub fn recording() -> Builder {
        Builder { spans: Some(Vec::new()), ..Builder::default() }
    }

    /// Adds unquoted text.
    pub fn text(&mut self, s: &[u8]) {
        if self.run_quoted {
            self.flush();
            self.run_quoted = false;
        }
        self.run.extend_from_slice(s);
    }

    /// Adds quoted text.
    pub fn quoted(&mut self, s: &[u8]) {
        self.quotes = true;
        if s.is_empty() {
            return;
        }
        if !self.run_quoted {
            self.flush();
            self.run_quoted = true;
        }
        self.run.extend_from_slice(s);
    }

    /// Adds an empty pair of quotes.
    pub fn empty_quotes(&mut self) {
        self.quotes = true;
        self.push(Part::EmptyQuotes);
    }

    /// Adds a part.
    pub fn push(&mut self, p: Part) {
        self.flush();
        self.parts.push(p);
    }

    /// The last byte of unquoted text that directly precedes.
    pub fn last_text(&self) -> u8 {
        if self.run_quoted { 0 } else { self.run.last().copied().unwrap_or(0) }
    }

    /// The unquoted text so far, if there is nothing else.
    pub fn only_text(&self) -> Option<&[u8]> {
        (self.parts.is_empty() && !self.run_quoted).then_some(&self.run[..])
    }

    fn flush(&mut self) {
        if !self.run.is_empty() {
            let s = Bytes::from(std::mem::take(&mut self.run));
            self.parts.push(if self.run_quoted { Part::Quoted(s) } else { Part::Text(s) });
        }
    }

    /// The parts as they are.
    pub fn into_parts(mut self) -> Vec<Part> {
        self.flush();
        self.parts
    }

    /// The word.
    pub fn finish(mut self, place: Place, source: Bytes) -> Word {
        self.flush();
        let mut parts = self.parts;
        if place == Place::Argument && self.brace {
            parts = brace::expand(parts);
        }
        Word { shape: shape(parts, place, self.glob), source }
    }
}

/// The shape that these parts make.
fn shape(mut parts: Vec<Part>, place: Place, glob: bool) -> Shape {
    if parts.is_empty() && place != Place::Operand {
        return Shape::Literal(Bytes::new());
    }
    if let [Part::Param(p, quoted)] = &parts[..]
        && let Some(name) = plain_var(p)
    {
        return if *quoted { Shape::QuotedVar(name) } else { Shape::Var(name) };
    }
    let constant = parts.iter().all(|p| match p {
        Part::Quoted(_) | Part::EmptyQuotes => true,
        Part::Text(t) => match place {
            Place::Operand => false,
            Place::Regex => t.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_'),
            Place::Replacement => !t.contains(&b'&'),
            _ => !glob,
        },
        _ => false,
    });
    if constant && !(place == Place::Operand && parts.is_empty()) {
        if let [Part::Quoted(s) | Part::Text(s)] = &mut parts[..] {
            return Shape::Literal(std::mem::take(s));
        }
        let mut all = Vec::new();
        for p in &parts {
            if let Part::Quoted(s) | Part::Text(s) = p {
                all.extend_from_slice(s);
            }
        }
        return Shape::Literal(all.into());
    }
    let mut may_split = place == Place::Operand;
    let mut may_glob = glob;
    examine(&parts, &mut may_split, &mut may_glob);
    let quoted_context = place == Place::Quoted;
    Shape::Parts(Arc::new(Parts { parts, may_split, may_glob, quoted_context }))
}

/// Looks for unquoted expansions, also within braces.
fn examine(parts: &[Part], may_split: &mut bool, may_glob: &mut bool) {
    for p in parts {
        match p {
            Part::Param(_, false) | Part::Command(_, false) | Part::Arith(_, false) => {
                *may_split = true;
                *may_glob = true;
            }
            Part::Brace(b) => {
                if let Brace::List(alternatives) = &**b {
                    for a in alternatives {
                        examine(a, may_split, may_glob);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The variable, if the parameter is just `$x` or `${x}`.
pub(super) fn plain_var(p: &Param) -> Option<Name> {
    match (p.target, &p.op) {
        (Target::Var(n), Op::Value) if !p.indirect && p.subscript.is_none() => Some(n),
        _ => None,
    }
}
