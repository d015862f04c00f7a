//! `${…}` with everything that can stand within: subscripts, indirection, defaults, substrings, patterns, case.

use super::{
    Sink,
    case::{self, To},
    sink::Mode,
};
use crate::session::{
    access::{Key, split_lvalue},
    array::Scalar,
    options::opt,
    shell::{Flow, Shell, Unwind},
    vars::{attr, int_text},
};
use crate::syntax::{
    ir::{Arith, CaseOp, Name, Op, Param, Subscript, Target},
    names,
};
use bytes::Bytes;
use sandshell_text::glob::Glob;

/// What an expansion works on, after indirection.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A variable, with its evaluated subscript.
    Var(Name, Option<Key>),
    /// `$1`
    Positional(u32),
    /// `$?` and its kin.
    Special(u8),
}

/// What it is.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// One value or none.
    One(Option<Bytes>),
    /// `$@`, `${a[*]}` (`star`).
    Many {
        /// The values.
        items: Vec<Bytes>,
        /// `*`
        star: bool,
    },
}

impl Shell {
    /// Any parameter expansion but the plain variable.
    pub(super) fn emit_param_slow(&mut self, p: &Param, quoted: bool, sink: &mut Sink) -> Flow<()> {
        match &p.op {
            Op::Bad => return Err(self.bad_substitution(p)),
            Op::Names(at) => {
                let prefix = match p.target {
                    Target::Var(n) => names::text(n),
                    _ => b"",
                };
                let items = self.names_with_prefix(prefix);
                return self.emit_found(Found::Many { items, star: !at }, quoted, sink);
            }
            Op::Keys(at) => {
                let Target::Var(name) = p.target else { return Err(self.bad_substitution(p)) };
                let Some((name, _)) = self.resolve(name) else { return Ok(()) };
                let items = self.elements(name).into_iter().map(|(k, _)| k).collect();
                return self.emit_found(Found::Many { items, star: !at }, quoted, sink);
            }
            _ => {}
        }
        let place = match self.place(p)? {
            Some(place) => place,
            None => return self.emit_found(Found::One(None), quoted, sink),
        };
        self.emit_place(p, place, quoted, sink)
    }

    /// The value of an expansion that is the whole of a word which does not split. `None`: it is of another kind than
    /// the usual ones, and nothing was done.
    pub(super) fn whole_value(&mut self, p: &Param) -> Flow<Option<Bytes>> {
        if p.indirect || p.subscript.is_some() {
            return Ok(None);
        }
        let name = match (p.target, &p.op) {
            (Target::Positional(n), Op::Value) => {
                return Ok((n as usize).checked_sub(1).and_then(|i| self.positional.args().get(i).cloned()));
            }
            (Target::Var(name), _) => name,
            _ => return Ok(None),
        };
        let slot = self.vars.get(name);
        if slot.special != 0 || slot.has(attr::NAMEREF) {
            return Ok(None);
        }
        let place = Place::Var(name, None);
        let found = match &p.op {
            Op::Length => return Ok(Some(int_text(self.length(p, &place)?))),
            Op::Substring(offset, length) => self.substring(p, &place, offset, length.as_deref())?,
            op @ (Op::RemovePrefix(..) | Op::RemoveSuffix(..) | Op::Replace(..) | Op::Case(..)) => {
                let found = self.find(&place)?;
                self.check_unset(p, &place, &found)?;
                self.map_values(op, found)?
            }
            _ => return Ok(None),
        };
        Ok(match found {
            Found::One(v) => Some(v.unwrap_or_default()),
            Found::Many { .. } => None,
        })
    }

    #[cold]
    fn bad_substitution(&mut self, p: &Param) -> Unwind {
        self.report(&[&p.source, b": bad substitution"]);
        Unwind::Discard(1)
    }

    /// What the expansion works on. `None`: nothing (a nameref in a circle, an indirection to nowhere).
    fn place(&mut self, p: &Param) -> Flow<Option<Place>> {
        let direct = match p.target {
            Target::Positional(n) => Place::Positional(n),
            Target::Special(b) => Place::Special(b),
            Target::Var(name) => {
                if p.indirect && p.subscript.is_none() && self.vars.get(name).has(attr::NAMEREF) {
                    // `${!ref}` is the name that the reference holds.
                    return Ok(Some(Place::Var(name, None)));
                }
                let Some((name, more)) = self.resolve(name) else { return Ok(None) };
                let key = match (&p.subscript, more) {
                    (Some(s), _) => self.key(name, s)?,
                    (None, Some(text)) => self.key_from_text(name, &text)?,
                    (None, None) => None,
                };
                Place::Var(name, key)
            }
        };
        if !p.indirect {
            return Ok(Some(direct));
        }
        let value = match self.find(&direct)? {
            Found::One(v) => v,
            Found::Many { items, .. } => (!items.is_empty()).then(|| Bytes::from(items.join(&b' '))),
        };
        let Some(text) = value else {
            if matches!(p.op, Op::Default(..) | Op::Alternative(..) | Op::Assign(..) | Op::Error(..)) {
                return Ok(None);
            }
            self.report(&[&shown(p)[1..], b": invalid indirect expansion"]);
            return Err(Unwind::Discard(1));
        };
        self.place_of_text(&text)
    }

    /// The parameter that text names: `x`, `a[1]`, `3`, `@`.
    fn place_of_text(&mut self, text: &Bytes) -> Flow<Option<Place>> {
        if let Some((name, sub)) = split_lvalue(text) {
            let Some((name, _)) = self.resolve(names::intern(name)) else { return Ok(None) };
            let key = match sub {
                Some(sub) => self.key_from_text(name, sub)?,
                None => None,
            };
            return Ok(Some(Place::Var(name, key)));
        }
        if let [b @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')] = text[..] {
            return Ok(Some(Place::Special(b)));
        }
        match std::str::from_utf8(text).ok().and_then(|t| t.parse::<u32>().ok()) {
            Some(0) => Ok(Some(Place::Special(b'0'))),
            Some(n) => Ok(Some(Place::Positional(n))),
            None => {
                self.report(&[text, b": invalid variable name"]);
                Err(Unwind::Discard(1))
            }
        }
    }

    /// The value of a place.
    pub(super) fn find(&mut self, place: &Place) -> Flow<Found> {
        Ok(match place {
            Place::Positional(n) => {
                Found::One((*n as usize).checked_sub(1).and_then(|i| self.positional.args().get(i).cloned()))
            }
            Place::Special(b'@') => Found::Many { items: self.positional.args().to_vec(), star: false },
            Place::Special(b'*') => Found::Many { items: self.positional.args().to_vec(), star: true },
            Place::Special(b) => Found::One(self.special_parameter(*b)),
            Place::Var(name, Some(Key::At)) => {
                Found::Many { items: self.elements(*name).into_iter().map(|e| e.1).collect(), star: false }
            }
            Place::Var(name, Some(Key::Star)) => {
                Found::Many { items: self.elements(*name).into_iter().map(|e| e.1).collect(), star: true }
            }
            Place::Var(name, Some(key)) => {
                if let Key::Index(i) = key
                    && *i < 0
                    && self.element(*name, key).is_none()
                {
                    let elements = self.elements(*name);
                    let top = elements.last().map_or(0, |(k, _)| super::arith::leading_number(k) + 1);
                    if i + top < 0 {
                        self.report(&[names::text(*name), b": bad array subscript"]);
                    }
                }
                Found::One(self.element(*name, key))
            }
            Place::Var(name, None) => Found::One(self.value(*name).text()),
        })
    }

    /// `$? $# $- $$ $! $0`
    pub(super) fn special_parameter(&mut self, b: u8) -> Option<Bytes> {
        Some(match b {
            b'?' => int_text(i64::from(self.status)),
            b'#' => int_text(self.positional.args().len() as i64),
            b'$' => int_text(i64::from(self.shell_pid)),
            b'!' => int_text(i64::from(self.last_job?)),
            b'0' => self.name.clone(),
            b'-' => Bytes::from(self.option_letters()),
            _ => return None,
        })
    }

    /// `$-`
    pub(crate) fn option_letters(&self) -> Vec<u8> {
        let mut letters: Vec<u8> = crate::session::options::SET_OPTIONS
            .iter()
            .filter(|o| self.options.on(o.bit))
            .filter_map(|o| o.letter)
            .collect();
        // bash's order: lower case letters as in its table, then upper case.
        letters.sort_by_key(|l| (l.is_ascii_uppercase(), *l));
        if self.from_text {
            letters.push(b'c');
        }
        letters
    }

    /// Names of set variables that begin with `prefix`, sorted.
    pub(crate) fn names_with_prefix(&self, prefix: &[u8]) -> Vec<Bytes> {
        let all = self.vars.sorted();
        all.into_iter()
            .filter(|(t, n)| {
                let slot = self.vars.get(*n);
                t.starts_with(prefix) && (slot.is_set() || slot.special != 0)
            })
            .map(|(t, _)| Bytes::from_static(t))
            .collect()
    }

    /// Applies the operator to what was found.
    fn emit_place(&mut self, p: &Param, place: Place, quoted: bool, sink: &mut Sink) -> Flow<()> {
        let is_nameref_name = p.indirect
            && matches!(&place, Place::Var(n, None) if matches!(p.target, Target::Var(t) if t == *n) && self.vars.get(*n).has(attr::NAMEREF));
        if is_nameref_name {
            let Place::Var(name, _) = place else { return Ok(()) };
            let text = self.vars.get(name).value.text();
            return self.emit_found(Found::One(text), quoted, sink);
        }
        match &p.op {
            Op::Value => {
                let found = self.find(&place)?;
                self.check_unset(p, &place, &found)?;
                self.emit_found(found, quoted, sink)
            }
            Op::Length => {
                let n = self.length(p, &place)?;
                let text = int_text(n);
                self.emit_text(&text, quoted, sink)?;
                Ok(())
            }
            Op::Default(colon, word) => {
                let found = self.find(&place)?;
                match self.missing(&found, *colon) {
                    true => self.emit_word(word, quoted, !quoted, sink),
                    false => self.emit_found(found, quoted, sink),
                }
            }
            Op::Alternative(colon, word) => {
                let found = self.find(&place)?;
                match self.missing(&found, *colon) {
                    true => {
                        // `"${x+y}"` is an empty field, `${x+y}` none.
                        if quoted && !matches!(found, Found::Many { star: false, .. }) {
                            sink.mark_quoted();
                        }
                        Ok(())
                    }
                    false => self.emit_word(word, quoted, !quoted, sink),
                }
            }
            Op::Assign(colon, word) => {
                let found = self.find(&place)?;
                if !self.missing(&found, *colon) {
                    return self.emit_found(found, quoted, sink);
                }
                let text = self.operand(word)?;
                match place {
                    Place::Var(name, key @ (None | Some(Key::Index(_) | Key::Text(_)))) => {
                        self.assign_or_discard(name, key.clone(), Scalar::Str(text), false)?;
                        let now = self.find(&Place::Var(name, key))?;
                        self.emit_found(now, quoted, sink)
                    }
                    _ => {
                        let name = shown(p);
                        self.report(&[b"$", &name, b": cannot assign in this way"]);
                        Err(Unwind::Discard(1))
                    }
                }
            }
            Op::Error(colon, word) => {
                let found = self.find(&place)?;
                if !self.missing(&found, *colon) {
                    return self.emit_found(found, quoted, sink);
                }
                let text = match word {
                    Some(w) => self.operand(w)?,
                    None if *colon => Bytes::from_static(b"parameter null or not set"),
                    None => Bytes::from_static(b"parameter not set"),
                };
                let text = match text.is_empty() {
                    true if *colon => Bytes::from_static(b"parameter null or not set"),
                    true => Bytes::from_static(b"parameter not set"),
                    false => text,
                };
                self.report(&[&shown(p), b": ", &text]);
                Err(self.fatal_expansion())
            }
            Op::Substring(offset, length) => {
                let found = self.substring(p, &place, offset, length.as_deref())?;
                self.emit_found(found, quoted, sink)
            }
            op => {
                let found = self.find(&place)?;
                self.check_unset(p, &place, &found)?;
                let found = match op {
                    Op::Transform(b'Q' | b'E' | b'P' | b'A' | b'a' | b'K' | b'k' | b'U' | b'u' | b'L') => {
                        let Op::Transform(t) = op else { return Ok(()) };
                        return self.transform(*t, p, &place, found, quoted, sink);
                    }
                    Op::Transform(_) if !super::transform::found_set(&found) => found,
                    Op::Transform(_) => return Err(self.bad_substitution(p)),
                    op => self.map_values(op, found)?,
                };
                self.emit_found(found, quoted, sink)
            }
        }
    }

    /// The operand of `=` and `?`: one string.
    fn operand(&mut self, word: &crate::syntax::ir::Word) -> Flow<Bytes> {
        let mut s = self.sink(Mode::Single);
        self.emit_word(word, false, false, &mut s)?;
        Ok(Bytes::from(s.cur))
    }

    /// `set -u` for everything that has no default.
    pub(super) fn check_unset(&mut self, p: &Param, place: &Place, found: &Found) -> Flow<()> {
        if self.options.set & opt::NOUNSET == 0 {
            return Ok(());
        }
        match (found, place) {
            (Found::One(None), Place::Special(_) | Place::Positional(_)) => {
                Err(self.unbound(&[b"$", &shown(p)[..]].concat()))
            }
            (Found::One(None), _) => Err(self.unbound(&shown(p))),
            _ => Ok(()),
        }
    }

    /// Whether a default applies: unset, or with `colon` also null.
    fn missing(&self, found: &Found, colon: bool) -> bool {
        match found {
            Found::One(None) => true,
            Found::One(Some(v)) => colon && v.is_empty(),
            Found::Many { items, star } => match items.as_slice() {
                [] => true,
                [one] => colon && one.is_empty(),
                _ => {
                    // Null only when the joined text is.
                    colon && *star && self.ifs.join.is_empty() && items.iter().all(|i| i.is_empty())
                }
            },
        }
    }

    /// Puts values into the sink.
    pub(super) fn emit_found(&mut self, found: Found, quoted: bool, sink: &mut Sink) -> Flow<()> {
        match found {
            Found::One(None) => {
                if quoted {
                    sink.mark_quoted();
                }
            }
            Found::One(Some(v)) => {
                self.emit_text(&v, quoted, sink)?;
            }
            Found::Many { items, star } => match (quoted, sink.mode) {
                (true, Mode::Fields) if !star => {
                    for (i, item) in items.iter().enumerate() {
                        if i > 0 {
                            sink.end_field();
                        }
                        sink.quoted(item);
                        sink.mark_quoted();
                    }
                }
                (true, _) if star => {
                    let joined = items.join(&self.ifs.join[..]);
                    sink.quoted(&joined);
                    sink.mark_quoted();
                }
                (false, Mode::Fields) => {
                    for (i, item) in items.iter().enumerate() {
                        if i > 0 {
                            sink.break_field();
                        }
                        sink.split(item);
                    }
                }
                (_, _) => {
                    let joined = match star {
                        true => items.join(&self.ifs.join[..]),
                        false => items.join(&b' '),
                    };
                    if quoted {
                        sink.quoted(&joined)
                    } else {
                        sink.literal(&joined)
                    };
                }
            },
        }
        Ok(())
    }

    /// `${#x}`
    fn length(&mut self, p: &Param, place: &Place) -> Flow<i64> {
        Ok(match place {
            Place::Special(b'@' | b'*') => self.positional.args().len() as i64,
            Place::Var(name, Some(Key::At | Key::Star)) => match self.value(*name) {
                crate::session::vars::Value::Array(a) => a.len() as i64,
                crate::session::vars::Value::Assoc(a) => a.len() as i64,
                v => i64::from(v.text().is_some()),
            },
            _ => {
                let found = self.find(place)?;
                self.check_unset(p, place, &found)?;
                match found {
                    Found::One(Some(v)) => case::char_count(&v, self.utf8) as i64,
                    _ => 0,
                }
            }
        })
    }

    /// `${x:offset:length}`
    fn substring(&mut self, p: &Param, place: &Place, offset: &Arith, length: Option<&Arith>) -> Flow<Found> {
        let list = match place {
            Place::Special(b'@' | b'*') => {
                let star = matches!(place, Place::Special(b'*'));
                let mut items = vec![(0, self.name.clone())];
                items.extend(
                    self.positional.args().iter().cloned().enumerate().map(|(i, v)| (i as i64 + 1, v)),
                );
                Some((items, star, true))
            }
            Place::Var(name, Some(key @ (Key::At | Key::Star))) => {
                let indexed = !self.is_assoc(*name);
                let items = self
                    .elements(*name)
                    .into_iter()
                    .enumerate()
                    .map(|(i, (k, v))| (if indexed { super::arith::leading_number(&k) } else { i as i64 }, v))
                    .collect();
                Some((items, *key == Key::Star, false))
            }
            _ => None,
        };
        let Some((items, star, positional)) = list else {
            let found = self.find(place)?;
            self.check_unset(p, place, &found)?;
            let Found::One(Some(text)) = found else { return Ok(found) };
            let utf8 = self.utf8 && !text.is_ascii();
            let n = case::char_count(&text, utf8) as i64;
            let from = self.arith_named(p, offset)?;
            let from = if from < 0 { from + n } else { from };
            if !(0..=n).contains(&from) {
                return Ok(Found::One(Some(Bytes::new())));
            }
            let to = match length {
                None => n,
                Some(l) => {
                    let len = self.arith_named(p, l)?;
                    let to = if len < 0 { n + len } else { from.saturating_add(len).min(n) };
                    if to < from {
                        self.report(&[&l.source, b": substring expression < 0"]);
                        return Err(Unwind::Discard(1));
                    }
                    to
                }
            };
            let (a, b) = match utf8 {
                false => (from as usize, to as usize),
                true => byte_range(&text, from as usize, to as usize),
            };
            return Ok(Found::One(Some(text.slice(a..b))));
        };
        let from = self.arith_named(p, offset)?;
        let top = items.last().map_or(0, |(i, _)| i + 1);
        let from = if from < 0 { from + top } else { from };
        let count = match length {
            None => i64::MAX,
            Some(l) => {
                let n = self.arith_named(p, l)?;
                if n < 0 {
                    self.report(&[&l.source, b": substring expression < 0"]);
                    return Err(Unwind::Discard(1));
                }
                n
            }
        };
        if from < 0 {
            return Ok(Found::Many { items: Vec::new(), star });
        }
        let _ = positional;
        let items =
            items.into_iter().filter(|(i, _)| *i >= from).take(usize::try_from(count).unwrap_or(usize::MAX));
        Ok(Found::Many { items: items.map(|(_, v)| v).collect(), star })
    }

    fn arith_named(&mut self, _: &Param, a: &Arith) -> Flow<i64> {
        self.arith(a)
    }

    /// Operators that change each value: patterns and case.
    fn map_values(&mut self, op: &Op, found: Found) -> Flow<Found> {
        let utf8 = self.utf8;
        let apply: Box<dyn Fn(&Bytes) -> Bytes> = match op {
            Op::RemovePrefix(long, pattern) => {
                let (glob, long) = (self.pattern(pattern, false)?, *long);
                Box::new(move |v| {
                    let n = if long { glob.longest_prefix(v) } else { glob.shortest_prefix(v) };
                    v.slice(n.unwrap_or(0)..)
                })
            }
            Op::RemoveSuffix(long, pattern) => {
                let (glob, long) = (self.pattern(pattern, false)?, *long);
                Box::new(move |v| {
                    let n = if long { glob.longest_suffix(v) } else { glob.shortest_suffix(v) };
                    v.slice(..n.unwrap_or(v.len()))
                })
            }
            Op::Replace(kind, pattern, with) => {
                let glob = self.pattern(pattern, true)?;
                let with = self.replacement(with.as_ref())?;
                let kind = *kind;
                Box::new(move |v| super::pattern::replace(v, kind, &glob, &with))
            }
            Op::Case(to, all, pattern) => {
                let glob = match pattern {
                    Some(p) => Some(self.pattern(p, false)?),
                    None => None,
                };
                let (to, all) = (*to, *all);
                Box::new(move |v| change_case(v, to, all, glob.as_ref(), utf8))
            }
            _ => Box::new(Bytes::clone),
        };
        Ok(match found {
            Found::One(v) => Found::One(v.map(|v| apply(&v))),
            Found::Many { items, star } => Found::Many { items: items.iter().map(apply).collect(), star },
        })
    }
}

/// The name of the parameter, for messages.
pub(super) fn shown(p: &Param) -> Vec<u8> {
    let mut text = match p.target {
        Target::Var(n) => names::text(n).to_vec(),
        Target::Positional(n) => n.to_string().into_bytes(),
        Target::Special(b) => vec![b],
    };
    match &p.subscript {
        Some(Subscript::At) => text.extend_from_slice(b"[@]"),
        Some(Subscript::Star) => text.extend_from_slice(b"[*]"),
        Some(Subscript::Index { key, .. }) => {
            text.push(b'[');
            text.extend_from_slice(&key.source);
            text.push(b']');
        }
        None => {}
    }
    if p.indirect {
        text.insert(0, b'!');
    }
    text
}

/// The bytes of characters `from` to `to`.
fn byte_range(text: &[u8], from: usize, to: usize) -> (usize, usize) {
    let mut at = 0;
    let mut start = text.len();
    for (i, c) in case::characters(text, true).enumerate() {
        if i == from {
            start = at;
        }
        if i == to {
            return (start.min(at), at);
        }
        at += c.len();
    }
    (start.min(text.len()), text.len())
}

fn change_case(v: &Bytes, to: CaseOp, all: bool, glob: Option<&Glob>, utf8: bool) -> Bytes {
    let to = match to {
        CaseOp::Upper => To::Upper,
        CaseOp::Lower => To::Lower,
        CaseOp::Toggle => To::Toggle,
    };
    if all && glob.is_none() && v.is_ascii() && to != To::Toggle {
        return if to == To::Upper { case::upper(v, utf8) } else { case::lower(v, utf8) };
    }
    let mut out = Vec::with_capacity(v.len());
    for (i, c) in case::characters(v, utf8).enumerate() {
        let applies = (all || i == 0) && glob.is_none_or(|g| g.matches(c));
        match applies {
            true => case::push_char(c, to, &mut out),
            false => out.extend_from_slice(c),
        }
    }
    Bytes::from(out)
}
