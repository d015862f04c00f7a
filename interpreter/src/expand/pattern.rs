//! Patterns of `case`, `[[ == ]]` and `${x#…}`: compiled when constant, else at run time; and `${x/…/…}`.

use crate::session::{
    options::shopt,
    shell::{Flow, Shell},
};
use crate::syntax::ir::{Pattern, ReplaceKind, Shape, Word};
use bytes::Bytes;
use sandshell_text::glob::{Glob, GlobFlags};

/// The second operand of `${x/…/…}`.
pub(super) struct Replacement {
    /// Pieces of text; between two of them stands the matched text (`&` under `patsub_replacement`).
    pieces: Vec<Vec<u8>>,
}

impl Shell {
    /// The matcher of a pattern.
    pub(crate) fn pattern(&mut self, p: &Pattern, nocase: bool) -> Flow<Glob> {
        let nocase = nocase && self.options.shopt(shopt::NOCASEMATCH);
        self.compiled(p, nocase)
    }

    fn compiled(&mut self, p: &Pattern, nocase: bool) -> Flow<Glob> {
        if let Some(g) = &p.compiled
            && !nocase
        {
            return Ok(Glob::clone(g));
        }
        let text = self.expand_pattern(&p.word)?;
        let flags = GlobFlags { extglob: self.options.shopt(shopt::EXTGLOB), nocase, ..GlobFlags::default() };
        Ok(Glob::new(&text, flags))
    }

    /// Whether the whole of `text` matches.
    pub(crate) fn pattern_matches(&mut self, p: &Pattern, text: &[u8], nocase: bool) -> Flow<bool> {
        if let Some(g) = &p.compiled
            && !nocase
        {
            return Ok(g.matches(text));
        }
        if let Shape::Literal(l) = &p.word.shape
            && !nocase
        {
            return Ok(l == text);
        }
        Ok(self.compiled(p, nocase)?.matches(text))
    }

    /// `[[ == ]]` knows extglob always.
    pub(crate) fn conditional_match(&mut self, p: &Pattern, text: &[u8]) -> Flow<bool> {
        let nocase = self.options.shopt(shopt::NOCASEMATCH);
        if let Some(g) = &p.compiled
            && !nocase
        {
            return Ok(g.matches(text));
        }
        let pattern = self.expand_pattern(&p.word)?;
        Ok(Glob::new(&pattern, GlobFlags { extglob: true, nocase, ..GlobFlags::default() }).matches(text))
    }

    /// The replacement of `${x/…/…}`: `&` is the match unless quoted or `patsub_replacement` is off.
    pub(super) fn replacement(&mut self, word: Option<&Word>) -> Flow<Replacement> {
        let Some(word) = word else { return Ok(Replacement { pieces: vec![Vec::new()] }) };
        if !self.options.shopt(shopt::PATSUB_REPLACEMENT) {
            let mut sink = self.sink(super::Mode::Single);
            self.emit_word(word, false, false, &mut sink)?;
            return Ok(Replacement { pieces: vec![sink.cur] });
        }
        // As a pattern, quoted text has backslashes, so a bare `&` is one that stands for the match.
        let text = self.expand_pattern(word)?;
        let mut pieces = vec![Vec::new()];
        let mut i = 0;
        while i < text.len() {
            let last = pieces.len() - 1;
            match text[i] {
                b'\\' if i + 1 < text.len() => {
                    i += 1;
                    pieces[last].push(text[i]);
                }
                b'&' => pieces.push(Vec::new()),
                b => pieces[last].push(b),
            }
            i += 1;
        }
        Ok(Replacement { pieces })
    }
}

impl Replacement {
    fn push(&self, matched: &[u8], out: &mut Vec<u8>) {
        for (i, p) in self.pieces.iter().enumerate() {
            if i > 0 {
                out.extend_from_slice(matched);
            }
            out.extend_from_slice(p);
        }
    }
}

/// `${x/…/…}` on one value, in one pass.
pub(super) fn replace(value: &Bytes, kind: ReplaceKind, glob: &Glob, with: &Replacement) -> Bytes {
    let mut out = Vec::new();
    match kind {
        ReplaceKind::Prefix => {
            let Some(n) = glob.longest_prefix(value) else { return value.clone() };
            with.push(&value[..n], &mut out);
            out.extend_from_slice(&value[n..]);
        }
        ReplaceKind::Suffix => {
            let Some(n) = glob.longest_suffix(value) else { return value.clone() };
            out.extend_from_slice(&value[..n]);
            with.push(&value[n..], &mut out);
        }
        ReplaceKind::First | ReplaceKind::All => {
            if glob.literal().is_some_and(|l| l.is_empty()) {
                return value.clone();
            }
            let mut at = 0;
            let mut copied = 0;
            while at <= value.len() {
                let Some((start, end)) = glob.find_longest(value, at) else { break };
                if kind == ReplaceKind::All && start == end && start == value.len() && at > 0 {
                    break;
                }
                out.extend_from_slice(&value[copied..start]);
                with.push(&value[start..end], &mut out);
                copied = end;
                if kind == ReplaceKind::First {
                    break;
                }
                if start == end {
                    // An empty match: the character after it is kept.
                    let Some(n) = super::case::char_len(&value[end..], true) else { break };
                    out.extend_from_slice(&value[end..end + n]);
                    copied = end + n;
                    at = copied;
                } else {
                    at = end;
                }
            }
            if copied == 0 && out.is_empty() {
                return value.clone();
            }
            out.extend_from_slice(&value[copied..]);
        }
    }
    Bytes::from(out)
}
