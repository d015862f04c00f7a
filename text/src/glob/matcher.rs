//! Matching. Patterns without groups: two pointers and one place to come back to. Everything else works on sets of
//! positions (where can this token end, given where it may begin), so that no pattern takes exponential time.

use super::parse::{Bracket, GroupKind, Token, lower};
use super::{Glob, GlobFlags};
use crate::posix_class::{last_char, next_char};
use memchr::{memchr, memmem};

/// Whether a wildcard may take the character at `at`.
#[inline]
fn open(flags: GlobFlags, text: &[u8], at: usize) -> bool {
    !(flags.pathname && text[at] == b'/'
        || flags.period && text[at] == b'.' && (at == 0 || flags.pathname && text[at - 1] == b'/'))
}

/// The end of the one-character token (or literal) that begins at `at`.
#[inline]
fn one(token: &Token, flags: GlobFlags, text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    match token {
        Token::Literal(l) => rest.starts_with(l).then(|| at + l.len()),
        _ if rest.is_empty() => None,
        Token::Letter(l) => {
            let (c, n) = next_char(rest);
            c.is_some_and(|c| lower(c) == *l).then_some(at + n)
        }
        Token::Any => open(flags, text, at).then(|| at + next_char(rest).1),
        Token::Bracket(b) => {
            let (c, n) = next_char(rest);
            (holds(b, c, rest[0]) && open(flags, text, at)).then_some(at + n)
        }
        Token::Star | Token::Group(..) => None,
    }
}

#[inline]
fn holds(b: &Bracket, c: Option<char>, byte: u8) -> bool {
    b.holds(c, byte)
}

/// Where the one-character token (or literal) begins that ends at `end`.
#[inline]
fn one_back(token: &Token, flags: GlobFlags, text: &[u8], end: usize) -> Option<usize> {
    let before = &text[..end];
    match token {
        Token::Literal(l) => before.ends_with(l).then(|| end - l.len()),
        _ if before.is_empty() => None,
        _ => {
            let at = end - last_char(before).1;
            one(token, flags, text, at).map(|_| at)
        }
    }
}

/// Whether tokens without groups match the whole text.
pub(super) fn matches(tokens: &[Token], flags: GlobFlags, text: &[u8]) -> bool {
    let (mut t, mut at) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        match tokens.get(t) {
            Some(Token::Star) => {
                t += 1;
                back = Some((t, at));
                if let Some(jump) = seek(tokens.get(t), flags, text, at) {
                    match jump {
                        Some(to) => at = to,
                        None => return false,
                    }
                    back = Some((t, at));
                }
                continue;
            }
            Some(token) => {
                if let Some(next) = one(token, flags, text, at) {
                    t += 1;
                    at = next;
                    continue;
                }
            }
            None if at == text.len() => return true,
            None => {}
        }
        let Some((token, from)) = back else { return false };
        if from >= text.len() || !open(flags, text, from) {
            return false;
        }
        t = token;
        at = from + next_char(&text[from..]).1;
        if t == tokens.len() && !flags.pathname && !flags.period {
            return true;
        }
        if let Some(jump) = seek(tokens.get(t), flags, text, at) {
            match jump {
                Some(to) => at = to,
                None => return false,
            }
        }
        back = Some((t, at));
    }
}

/// After a star: jumps to the next place of a literal. `None` = cannot jump, `Some(None)` = it is nowhere.
#[inline]
fn seek(token: Option<&Token>, flags: GlobFlags, text: &[u8], at: usize) -> Option<Option<usize>> {
    if flags.pathname || flags.period {
        return None;
    }
    match token {
        Some(Token::Literal(l)) => Some(match l[..] {
            [b] => memchr(b, &text[at..]).map(|n| at + n),
            _ => memmem::find(&text[at..], l).map(|n| at + n),
        }),
        _ => None,
    }
}

/// Positions in a text, sorted; `edge` stands for all positions from there to the end (to the start, going backward).
#[derive(Debug, Clone, Default)]
pub(super) struct Positions {
    points: Vec<usize>,
    edge: Option<usize>,
    backward: bool,
}

impl Positions {
    fn start(at: usize, backward: bool) -> Positions {
        Positions { points: vec![at], edge: None, backward }
    }

    fn is_empty(&self) -> bool {
        self.points.is_empty() && self.edge.is_none()
    }

    pub(super) fn has(&self, at: usize) -> bool {
        let beyond = |e: usize| if self.backward { at <= e } else { at >= e };
        self.edge.is_some_and(beyond) || self.points.binary_search(&at).is_ok()
    }

    /// The smallest.
    pub(super) fn first(&self) -> Option<usize> {
        let edge = self.edge.map(|e| if self.backward { 0 } else { e });
        [self.points.first().copied(), edge].into_iter().flatten().min()
    }

    /// The greatest, of a text of this length.
    pub(super) fn last(&self, len: usize) -> Option<usize> {
        let edge = self.edge.map(|e| if self.backward { e } else { len });
        [self.points.last().copied(), edge].into_iter().flatten().max()
    }

    /// Sorts, and drops what the edge covers.
    fn tidy(&mut self) {
        if let Some(e) = self.edge {
            let backward = self.backward;
            self.points.retain(|p| if backward { *p > e } else { *p < e });
        }
        if !self.points.is_sorted() {
            self.points.sort_unstable();
        }
        self.points.dedup();
    }

    fn merge(&mut self, other: Positions) {
        self.points.extend(other.points);
        self.edge = match (self.edge, other.edge) {
            (Some(a), Some(b)) => Some(if self.backward { a.max(b) } else { a.min(b) }),
            (a, b) => a.or(b),
        };
        self.tidy();
    }
}

/// Evaluates tokens on sets of positions in one direction.
struct Walk<'a> {
    text: &'a [u8],
    flags: GlobFlags,
    backward: bool,
}

impl Walk<'_> {
    fn sequence(&self, tokens: &[Token], mut set: Positions) -> Positions {
        let n = tokens.len();
        for i in 0..n {
            if set.is_empty() {
                break;
            }
            let token = if self.backward { &tokens[n - 1 - i] } else { &tokens[i] };
            set = self.token(token, set);
        }
        set
    }

    fn step(&self, token: &Token, at: usize) -> Option<usize> {
        match self.backward {
            true => one_back(token, self.flags, self.text, at),
            false => one(token, self.flags, self.text, at),
        }
    }

    /// The position after (before) the character at `at`, if a star may take it.
    fn skip(&self, at: usize) -> Option<usize> {
        if self.backward {
            let n = last_char(&self.text[..at]).1;
            (n > 0 && open(self.flags, self.text, at - n)).then(|| at - n)
        } else {
            let n = next_char(&self.text[at..]).1;
            (n > 0 && open(self.flags, self.text, at)).then(|| at + n)
        }
    }

    /// Every position that `set` stands for.
    fn expand(&self, set: &Positions) -> Vec<usize> {
        let mut all = set.points.clone();
        if let Some(mut at) = set.edge {
            all.push(at);
            loop {
                let n = match self.backward {
                    true => last_char(&self.text[..at]).1,
                    false => next_char(&self.text[at..]).1,
                };
                if n == 0 {
                    break;
                }
                at = if self.backward { at - n } else { at + n };
                all.push(at);
            }
            all.sort_unstable();
            all.dedup();
        }
        all
    }

    fn token(&self, token: &Token, set: Positions) -> Positions {
        let mut out = Positions { backward: self.backward, ..Positions::default() };
        match token {
            Token::Star => {
                if self.flags.pathname || self.flags.period {
                    for at in self.expand(&set) {
                        let mut at = Some(at);
                        while let Some(p) = at {
                            out.points.push(p);
                            at = self.skip(p);
                        }
                    }
                } else {
                    out.edge = if self.backward { set.last(self.text.len()) } else { set.first() };
                }
            }
            Token::Literal(l) => {
                out.points.extend(set.points.iter().filter_map(|p| self.step(token, *p)));
                if let Some(e) = set.edge {
                    let (from, part) =
                        if self.backward { (0, &self.text[..e]) } else { (e, &self.text[e..]) };
                    // Occurrences may overlap, so look for the first byte and compare.
                    for n in memchr::memchr_iter(l[0], part) {
                        if part[n..].starts_with(l) {
                            out.points.push(from + n + if self.backward { 0 } else { l.len() });
                        }
                    }
                }
            }
            Token::Letter(_) | Token::Any | Token::Bracket(_) => match set.edge {
                None => out.points.extend(set.points.iter().filter_map(|p| self.step(token, *p))),
                Some(_) => {
                    out.points.extend(self.expand(&set).into_iter().filter_map(|p| self.step(token, p)));
                }
            },
            Token::Group(kind, alternatives) => return self.group(*kind, alternatives, set),
        }
        out.tidy();
        out
    }

    fn any_of(&self, alternatives: &[Vec<Token>], set: &Positions) -> Positions {
        let mut out = Positions { backward: self.backward, ..Positions::default() };
        for a in alternatives {
            out.merge(self.sequence(a, set.clone()));
        }
        out
    }

    fn group(&self, kind: GroupKind, alternatives: &[Vec<Token>], set: Positions) -> Positions {
        match kind {
            GroupKind::One => self.any_of(alternatives, &set),
            GroupKind::Optional => {
                let mut out = self.any_of(alternatives, &set);
                out.merge(set);
                out
            }
            GroupKind::Many => self.repeat(alternatives, set),
            GroupKind::Some => {
                let once = self.any_of(alternatives, &set);
                self.repeat(alternatives, once)
            }
            GroupKind::Not => self.none_of(alternatives, set),
        }
    }

    /// The positions reached by none, one or more of the alternatives.
    fn repeat(&self, alternatives: &[Vec<Token>], set: Positions) -> Positions {
        let single = |a: &Vec<Token>| {
            matches!(&a[..], [Token::Any | Token::Bracket(_) | Token::Letter(_)])
                || matches!(&a[..], [Token::Literal(l)] if l.len() == 1)
        };
        let mut out = set.clone();
        if alternatives.iter().all(single) && set.edge.is_none() {
            // `+([0-9])`: one run from each position.
            let mut covered = None;
            let run = |mut at: usize, points: &mut Vec<usize>| {
                while let Some(next) = alternatives.iter().find_map(|a| self.step(&a[0], at)) {
                    points.push(next);
                    at = next;
                }
                at
            };
            for &p in &set.points {
                if !self.backward && covered.is_some_and(|c| p < c) {
                    continue;
                }
                covered = Some(run(p, &mut out.points));
            }
            out.tidy();
            return out;
        }
        let mut seen = vec![0u64; self.text.len() / 64 + 1];
        let mut edge = set.edge;
        let mut frontier = set;
        loop {
            let reached = self.any_of(alternatives, &frontier);
            let mut fresh = Positions { backward: self.backward, ..Positions::default() };
            for p in reached.points {
                if seen[p / 64] >> (p % 64) & 1 == 0 && !out_has_edge(edge, self.backward, p) {
                    seen[p / 64] |= 1 << (p % 64);
                    fresh.points.push(p);
                }
            }
            if let Some(e) = reached.edge
                && !out_has_edge(edge, self.backward, e)
            {
                edge = Some(e);
                fresh.edge = Some(e);
            }
            if fresh.is_empty() {
                break;
            }
            out.points.extend_from_slice(&fresh.points);
            frontier = fresh;
        }
        out.edge = edge;
        out.tidy();
        out
    }

    /// The positions up to which some text lies that no alternative matches.
    fn none_of(&self, alternatives: &[Vec<Token>], set: Positions) -> Positions {
        let mut out = Positions { backward: self.backward, ..Positions::default() };
        let mut starts = self.expand(&set);
        if self.backward {
            starts.reverse();
        }
        let mut missing: Option<Vec<usize>> = None;
        for start in starts {
            let hit = self.any_of(alternatives, &Positions::start(start, self.backward));
            let star = Positions { edge: Some(start), backward: self.backward, points: Vec::new() };
            match &mut missing {
                // The first start decides on nearly all; the later ones can only add what it left out.
                None => {
                    let (ends, left) =
                        self.expand(&self.token(&Token::Star, star)).into_iter().partition(|p| !hit.has(*p));
                    out.points = ends;
                    missing = Some(left);
                }
                Some(left) => left.retain(|p| {
                    let reach = if self.backward { *p <= start } else { *p >= start };
                    let add = reach && !hit.has(*p);
                    if add {
                        out.points.push(*p);
                    }
                    !add
                }),
            }
            if missing.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        out.tidy();
        out
    }
}

fn out_has_edge(edge: Option<usize>, backward: bool, at: usize) -> bool {
    edge.is_some_and(|e| if backward { at <= e } else { at >= e })
}

impl Glob {
    /// Where matches that begin at `from` end.
    pub(super) fn forward(&self, text: &[u8], from: usize) -> Positions {
        let walk = Walk { text, flags: self.0.flags, backward: false };
        walk.sequence(&self.0.tokens, Positions::start(from, false))
    }

    /// Where matches that end at the end begin.
    pub(super) fn backward(&self, text: &[u8]) -> Positions {
        let walk = Walk { text, flags: self.0.flags, backward: true };
        walk.sequence(&self.0.tokens, Positions::start(text.len(), true))
    }

    pub(super) fn find_general(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let tokens = &self.0.tokens;
        // Where a later start cannot do better than one that failed beyond the first star.
        let star = tokens.iter().position(|t| matches!(t, Token::Star)).filter(|_| !self.0.groups);
        let mut at = from;
        loop {
            match &tokens[0] {
                Token::Literal(l) => at += memmem::find(&text[at..], l)?,
                t @ (Token::Any | Token::Bracket(_) | Token::Letter(_)) => {
                    while one(t, self.0.flags, text, at).is_none() {
                        let n = next_char(&text[at..]).1;
                        if n == 0 {
                            return None;
                        }
                        at += n;
                    }
                }
                _ => {}
            }
            if let [t @ (Token::Any | Token::Bracket(_) | Token::Letter(_))] = &tokens[..] {
                return one(t, self.0.flags, text, at).map(|end| (at, end));
            }
            let walk = Walk { text, flags: self.0.flags, backward: false };
            if let Some(star) = star {
                let head = walk.sequence(&tokens[..star], Positions::start(at, false));
                if !head.is_empty() {
                    let ends = walk.sequence(&tokens[star..], head);
                    match ends.last(text.len()) {
                        Some(end) => return Some((at, end)),
                        None if !self.0.flags.pathname && !self.0.flags.period => return None,
                        None => {}
                    }
                }
            } else if let Some(end) = self.forward(text, at).last(text.len()) {
                return Some((at, end));
            }
            let n = next_char(&text[at..]).1;
            if n == 0 {
                return None;
            }
            at += n;
        }
    }
}
