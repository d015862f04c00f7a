//! Reading and assigning variables with all their rules: attributes, namerefs, special variables, elements.

use super::{
    array::{Assoc, Indexed, Scalar},
    options::opt,
    shell::{Flow, Shell, Unwind},
    special::Special,
    vars::{Slot, Value, attr, int_text},
};
use crate::syntax::{
    ir::{Name, Subscript},
    names,
};
use bytes::{Bytes, BytesMut};
use std::sync::Arc;

/// A subscript, evaluated for the kind of its array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Of an indexed array; negative ones count from the end.
    Index(i64),
    /// Of an associative array.
    Text(Bytes),
    /// `[@]`
    At,
    /// `[*]`
    Star,
}

/// Whether `text` is a variable's name.
pub fn is_name(text: &[u8]) -> bool {
    match text {
        [b'a'..=b'z' | b'A'..=b'Z' | b'_', rest @ ..] => {
            rest.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        }
        _ => false,
    }
}

/// Splits `name[subscript]`; `None` where it is neither a name nor that.
pub fn split_lvalue(text: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    match memchr::memchr(b'[', text) {
        None => is_name(text).then_some((text, None)),
        Some(n) => {
            let sub = text[n + 1..].strip_suffix(b"]")?;
            (is_name(&text[..n]) && !sub.is_empty()).then_some((&text[..n], Some(sub)))
        }
    }
}

/// Appends to text in place where nobody else holds it.
pub fn append(old: Bytes, more: &[u8]) -> Bytes {
    if more.is_empty() {
        return old;
    }
    let mut buffer = old.try_into_mut().unwrap_or_else(|shared| {
        let mut b = BytesMut::with_capacity((shared.len() + more.len()) * 2);
        b.extend_from_slice(&shared);
        b
    });
    buffer.extend_from_slice(more);
    buffer.freeze()
}

impl Shell {
    /// The variable that `name` stands for after following namerefs, and the subscript that a nameref adds.
    /// `None` for one that refers to itself in a circle (which was told).
    pub(crate) fn resolve(&mut self, name: Name) -> Option<(Name, Option<Bytes>)> {
        let mut at = name;
        if !self.vars.get(at).has(attr::NAMEREF) {
            return Some((at, None));
        }
        for _ in 0..8 {
            let slot = self.vars.get(at);
            if !slot.has(attr::NAMEREF) {
                return Some((at, None));
            }
            let Some(target) = slot.value.text().filter(|t| !t.is_empty()) else { return Some((at, None)) };
            let (next, sub) = split_lvalue(&target)?;
            let next = names::intern(next);
            if let Some(sub) = sub {
                return Some((next, Some(target.slice_ref(sub))));
            }
            if next == at || next == name {
                break;
            }
            at = next;
        }
        self.report(&[b"warning: ", names::text(name), b": circular name reference"]);
        None
    }

    /// The value of a variable, special ones computed. Namerefs are not followed.
    pub(crate) fn value(&mut self, name: Name) -> Value {
        let slot = self.vars.get(name);
        if slot.special != 0
            && let Some(v) = self.special_value(self.vars.get(name).special)
        {
            return v;
        }
        self.vars.get(name).value.clone()
    }

    /// The text of a variable read as a scalar, through namerefs.
    #[inline]
    pub fn scalar(&mut self, name: Name) -> Flow<Option<Bytes>> {
        let slot = self.vars.get(name);
        if slot.special == 0 && !slot.has(attr::NAMEREF) {
            return Ok(slot.value.text());
        }
        self.scalar_slow(name)
    }

    #[cold]
    fn scalar_slow(&mut self, name: Name) -> Flow<Option<Bytes>> {
        match self.resolve(name) {
            None => Ok(None),
            Some((n, None)) if self.vars.get(n).has(attr::NAMEREF) => Ok(None),
            Some((n, None)) => Ok(self.value(n).text()),
            Some((n, Some(sub))) => {
                let Some(key) = self.key_from_text(n, &sub)? else { return Ok(None) };
                Ok(match key {
                    Key::At | Key::Star => {
                        let all: Vec<Bytes> = self.elements(n).into_iter().map(|(_, v)| v).collect();
                        Some(Bytes::from(all.join(&b' ')))
                    }
                    key => self.element(n, &key),
                })
            }
        }
    }

    /// The same by text, for builtins: `None` when there is no such name.
    pub fn lookup(&mut self, name: &[u8]) -> Option<Bytes> {
        let name = names::known(name)?;
        self.scalar(name).ok().flatten()
    }

    /// Whether the variable is an associative array.
    pub(crate) fn is_assoc(&self, name: Name) -> bool {
        let slot = self.vars.get(name);
        slot.has(attr::ASSOC) || matches!(slot.value, Value::Assoc(_))
    }

    /// An element's text. Index 0 of a scalar is the scalar.
    pub(crate) fn element(&mut self, name: Name, key: &Key) -> Option<Bytes> {
        let slot = self.vars.get(name);
        if slot.special != 0 {
            let v = self.value(name);
            return element_of(&v, key);
        }
        element_of(&slot.value, key)
    }

    /// All elements: keys as text, and values. A scalar is its own element 0.
    pub(crate) fn elements(&mut self, name: Name) -> Vec<(Bytes, Bytes)> {
        match self.value(name) {
            Value::Unset => Vec::new(),
            Value::Array(a) => a.iter().map(|(i, v)| (int_text(i), v.text())).collect(),
            Value::Assoc(a) => a.iter().map(|(k, v)| (k.clone(), v.text())).collect(),
            v => v.text().map(|t| (Bytes::from_static(b"0"), t)).into_iter().collect(),
        }
    }

    /// Evaluates a subscript for `name`. `None`: it was bad, which was told.
    pub(crate) fn key(&mut self, name: Name, subscript: &Subscript) -> Flow<Option<Key>> {
        match subscript {
            Subscript::At => Ok(Some(Key::At)),
            Subscript::Star => Ok(Some(Key::Star)),
            Subscript::Index { key, arith } => {
                if self.is_assoc(name) {
                    let text = self.expand_single(key)?;
                    return Ok(Some(Key::Text(text)));
                }
                match self.arith(arith) {
                    Ok(n) => Ok(Some(Key::Index(n))),
                    // A bad subscript ends a script that was given as text, where other errors end the line.
                    Err(Unwind::Discard(s)) if self.from_text => Err(Unwind::Exit(s)),
                    Err(u) => Err(u),
                }
            }
        }
    }

    /// Evaluates a subscript that is known only as text (`read 'a[i]'`, `unset 'm[k]'`, a nameref's).
    pub(crate) fn key_from_text(&mut self, name: Name, text: &[u8]) -> Flow<Option<Key>> {
        match text {
            b"@" => return Ok(Some(Key::At)),
            b"*" => return Ok(Some(Key::Star)),
            _ => {}
        }
        if self.is_assoc(name) {
            let text = self.expand_text(Bytes::copy_from_slice(text))?;
            return Ok(Some(Key::Text(text)));
        }
        Ok(Some(Key::Index(self.arith_text(text)?)))
    }

    /// Assigns a scalar, through namerefs and with attributes. False: refused, which was told.
    #[inline]
    pub(crate) fn assign_plain(&mut self, name: Name, value: Scalar) -> Flow<bool> {
        let slot = self.vars.get_mut(name);
        if slot.attrs & (attr::CONVERTS | attr::EXPORT) == 0
            && slot.special == 0
            && self.options.set & opt::ALLEXPORT == 0
            && !slot.value.is_array()
            && slot.attrs & (attr::ARRAY | attr::ASSOC) == 0
        {
            let before = slot.value.weight();
            slot.value = value.into();
            let delta = slot.value.weight() as i64 - before as i64;
            self.charge(delta)?;
            return Ok(true);
        }
        self.assign(name, None, value, false)
    }

    /// Assigns to `name` or to its element `key`.
    pub(crate) fn assign(&mut self, name: Name, key: Option<Key>, value: Scalar, add: bool) -> Flow<bool> {
        let Some((name, sub)) = self.resolve(name) else { return Ok(false) };
        let key = match (key, sub) {
            (None, Some(sub)) => {
                let Some(k) = self.key_from_text(name, &sub)? else { return Ok(false) };
                Some(k)
            }
            (k, _) => k,
        };
        let slot = self.vars.get(name);
        if slot.has(attr::NAMEREF) && key.is_none() && !slot.has(attr::READONLY) {
            return self.assign_nameref(name, value);
        }
        if slot.has(attr::READONLY) {
            self.complain(&[names::text(name), b": readonly variable"]);
            return Ok(false);
        }
        if slot.has(attr::NOASSIGN) {
            return Ok(true);
        }
        self.store(name, key, value, add)
    }

    /// Gives a nameref without a target its target.
    fn assign_nameref(&mut self, name: Name, value: Scalar) -> Flow<bool> {
        let text = value.text();
        if split_lvalue(&text).is_none() {
            self.complain(&[b"`", &text, b"': not a valid identifier"]);
            return Ok(false);
        }
        self.vars.get_mut(name).value = Value::Str(text);
        Ok(true)
    }

    /// Stores a value after the checks, converting it by the attributes.
    fn store(&mut self, name: Name, key: Option<Key>, value: Scalar, add: bool) -> Flow<bool> {
        let attrs = self.vars.get(name).attrs;
        let key = match key {
            Some(k @ (Key::At | Key::Star)) => {
                let shown: &[u8] = if k == Key::At { b"[@]" } else { b"[*]" };
                self.complain(&[names::text(name), shown, b": bad array subscript"]);
                return Ok(false);
            }
            None if self.is_assoc(name) => Some(Key::Text(Bytes::from_static(b"0"))),
            None if attrs & attr::ARRAY != 0 || self.vars.get(name).value.is_array() => Some(Key::Index(0)),
            k => k,
        };
        let value = match attrs & attr::CONVERTS != 0 {
            true => self.convert(name, key.as_ref(), attrs, value, add)?,
            false => value,
        };
        let add = add && attrs & attr::INTEGER == 0;
        let stored = match key {
            None => self.store_scalar(name, value, add)?,
            Some(key) => self.store_element(name, key, value, add)?,
        };
        if !stored {
            return Ok(false);
        }
        if self.options.on(opt::ALLEXPORT) && attrs & attr::EXPORT == 0 {
            self.vars.get_mut(name).attrs |= attr::EXPORT | attr::DECLARED;
            self.vars.exports_changed();
        }
        if attrs & attr::EXPORT != 0 {
            self.vars.exports_changed();
        }
        if self.vars.get(name).special != 0 {
            self.special_assigned(name);
        }
        Ok(true)
    }

    /// What the attributes make of a value: arithmetic for `-i` (added for `+=`), case for `-l`, `-u`, `-c`.
    fn convert(
        &mut self,
        name: Name,
        key: Option<&Key>,
        attrs: u16,
        value: Scalar,
        add: bool,
    ) -> Flow<Scalar> {
        if attrs & attr::INTEGER != 0 {
            let mut n = match value {
                Scalar::Int(n) => n,
                Scalar::Str(t) => self.arith_text(&t)?,
            };
            if add {
                let old = match key {
                    Some(k) => self.element(name, k),
                    None => self.value(name).text(),
                };
                let old = match old {
                    Some(t) => self.arith_text(&t)?,
                    None => 0,
                };
                n = n.wrapping_add(old);
            }
            return Ok(Scalar::Int(n));
        }
        let text = value.text();
        Ok(Scalar::Str(match attrs {
            a if a & attr::LOWER != 0 => crate::expand::case::lower(&text, self.utf8),
            a if a & attr::UPPER != 0 => crate::expand::case::upper(&text, self.utf8),
            a if a & attr::CAPCASE != 0 => crate::expand::case::capitalise(&text, self.utf8),
            _ => text,
        }))
    }

    fn store_scalar(&mut self, name: Name, value: Scalar, add: bool) -> Flow<bool> {
        let slot = self.vars.get_mut(name);
        let before = slot.value.weight();
        slot.value = match add {
            false => value.into(),
            true => {
                let old = match std::mem::take(&mut slot.value) {
                    Value::Str(b) => b,
                    Value::Int(n) => int_text(n),
                    _ => Bytes::new(),
                };
                Value::Str(match value {
                    Scalar::Str(b) if old.is_empty() => b,
                    Scalar::Str(b) => append(old, &b),
                    Scalar::Int(n) => append(old, itoa::Buffer::new().format(n).as_bytes()),
                })
            }
        };
        let delta = slot.value.weight() as i64 - before as i64;
        self.charge(delta)?;
        Ok(true)
    }

    fn store_element(&mut self, name: Name, key: Key, value: Scalar, add: bool) -> Flow<bool> {
        let weight = value.weight() as i64;
        if self.vars.get(name).special != 0 && matches!(self.vars.get(name).value, Value::Unset) {
            self.materialise(name);
        }
        let slot = self.vars.get_mut(name);
        match (key, &mut slot.value) {
            (Key::Text(k), Value::Assoc(a)) => put_text(Arc::make_mut(a), k, value, add),
            (Key::Text(k), place) => {
                let mut a = Assoc::default();
                if let Some(old) = place.scalar() {
                    a.set(Bytes::from_static(b"0"), old);
                }
                put_text(&mut a, k, value, add);
                *place = Value::Assoc(Arc::new(a));
                slot.attrs |= attr::ASSOC;
            }
            (Key::Index(i), place) => {
                if !matches!(place, Value::Array(_)) {
                    let mut a = Indexed::default();
                    if let Some(old) = place.scalar() {
                        a.set(0, old);
                    }
                    *place = Value::Array(Arc::new(a));
                    slot.attrs |= attr::ARRAY;
                }
                let Value::Array(a) = &mut slot.value else { return Ok(false) };
                let index = if i < 0 { i + a.max().map_or(0, |m| m + 1) } else { i };
                if index < 0 {
                    let shown = format!("[{i}]: bad array subscript");
                    self.complain(&[names::text(name), shown.as_bytes()]);
                    return Ok(false);
                }
                let a = Arc::make_mut(a);
                match (add, a.get_mut(index)) {
                    (true, Some(old)) => add_to(old, &value),
                    _ => a.set(index, value),
                }
            }
            (Key::At | Key::Star, _) => return Ok(false),
        }
        self.charge(weight)?;
        Ok(true)
    }

    /// Puts the computed value of a special array into its slot, so that an element can be assigned.
    fn materialise(&mut self, name: Name) {
        let kind = self.vars.get(name).special;
        if let Some(v) = self.special_value(kind) {
            self.vars.get_mut(name).value = v;
        }
    }

    /// Sets the variable of `for` and `select`. A nameref gets a new target.
    pub(crate) fn set_loop_variable(&mut self, name: Name, value: Bytes) -> Flow<bool> {
        if self.vars.get(name).has(attr::NAMEREF) {
            return self.assign_nameref(name, Scalar::Str(value));
        }
        self.assign_plain(name, Scalar::Str(value))
    }

    /// Assigns to `name` or `name[subscript]` given as text, for builtins (`read`, `printf -v`, `getopts`).
    pub fn assign_text(&mut self, target: &[u8], value: Scalar) -> Flow<bool> {
        let Some((name, sub)) = split_lvalue(target) else {
            self.complain(&[b"`", target, b"': not a valid identifier"]);
            return Ok(false);
        };
        let name = names::intern(name);
        let Some(sub) = sub else { return self.assign_plain(name, value) };
        let Some((name, _)) = self.resolve(name) else { return Ok(false) };
        let Some(key) = self.key_from_text(name, sub)? else { return Ok(false) };
        self.assign(name, Some(key), value, false)
    }

    /// Replaces a whole array, for `read -a`, `mapfile`: refused for read-only ones.
    pub fn assign_array(&mut self, name: &[u8], items: Indexed) -> Flow<bool> {
        if !is_name(name) {
            self.complain(&[b"`", name, b"': not a valid identifier"]);
            return Ok(false);
        }
        let Some((name, _)) = self.resolve(names::intern(name)) else { return Ok(false) };
        let slot = self.vars.get(name);
        if slot.has(attr::READONLY) {
            self.complain(&[names::text(name), b": readonly variable"]);
            return Ok(false);
        }
        if self.is_assoc(name) {
            self.complain(&[names::text(name), b": cannot convert associative to indexed array"]);
            return Ok(false);
        }
        let weight: usize = items.iter().map(|(_, v)| v.weight()).sum();
        let slot = self.vars.get_mut(name);
        slot.value = Value::Array(Arc::new(items));
        slot.attrs |= attr::ARRAY;
        self.charge(weight as i64)?;
        Ok(true)
    }

    /// Removes a variable. False: it is read-only, which was told.
    pub(crate) fn unset_variable(&mut self, name: Name) -> bool {
        let slot = self.vars.get(name);
        if slot.has(attr::READONLY) {
            self.complain(&[names::text(name), b": cannot unset: readonly variable"]);
            return false;
        }
        let (level, special) = (slot.level, slot.special);
        let weight = slot.value.weight() as i64;
        let mut new = Slot { level, special: self.unset_special(special), ..Slot::default() };
        if level > 0 && level < self.depth {
            // A caller's local: what it hid comes to light (dynamic scope, `unset` in bash's manual).
            let mut functions = 0;
            for frame in &mut self.frames {
                functions += u32::from(frame.function);
                if frame.function && functions == level {
                    if let Some(at) = frame.saved.iter().rposition(|(n, _)| *n == name) {
                        new = frame.saved.remove(at).1;
                    }
                    break;
                }
            }
        }
        self.vars.replace(name, new);
        self.uncharged -= weight;
        if special != 0 {
            self.after_special_change(name);
        }
        true
    }

    /// A computed special variable loses its meaning when it is unset; others keep their effect on the shell.
    fn unset_special(&self, special: u8) -> u8 {
        if special >= Special::Ifs as u8 { special } else { 0 }
    }

    /// After a special variable's slot was replaced as a whole (unset, end of a function).
    pub(crate) fn after_special_change(&mut self, name: Name) {
        let slot = self.vars.get(name);
        if slot.special >= Special::Ifs as u8 {
            self.special_assigned(name);
        }
    }

    /// Removes an element. False: refused, which was told.
    pub(crate) fn unset_element(&mut self, name: Name, key: &Key) -> bool {
        if self.vars.get(name).has(attr::READONLY) {
            self.complain(&[names::text(name), b": cannot unset: readonly variable"]);
            return false;
        }
        let slot = self.vars.get_mut(name);
        match (&mut slot.value, key) {
            (Value::Array(a), Key::Index(i)) => {
                let index = if *i < 0 { i + a.max().map_or(0, |m| m + 1) } else { *i };
                if index < 0 {
                    let shown = format!("[{i}]: bad array subscript");
                    self.complain(&[shown.as_bytes()]);
                    return false;
                }
                Arc::make_mut(a).remove(index);
            }
            (Value::Assoc(a), Key::Text(k)) => {
                Arc::make_mut(a).remove(k);
            }
            (Value::Array(_), Key::At | Key::Star) => slot.value = Value::Array(Arc::default()),
            (Value::Assoc(_), Key::At) => slot.value = Value::Assoc(Arc::default()),
            (Value::Unset, _) => {}
            (Value::Int(_) | Value::Str(_), Key::Index(0) | Key::At | Key::Star) => {
                return self.unset_variable(name);
            }
            (Value::Int(_) | Value::Str(_), Key::Index(_)) => {
                self.complain(&[names::text(name), b": not an array variable"]);
                return false;
            }
            _ => {}
        }
        true
    }

    /// Makes `name` local to the running function: the older variable goes to the frame.
    pub(crate) fn make_local(&mut self, name: Name) {
        let depth = self.depth;
        let slot = self.vars.get(name);
        if slot.level == depth {
            return;
        }
        let special = slot.special;
        let new = Slot { level: depth, special, attrs: attr::DECLARED, ..Slot::default() };
        let old = self.vars.replace(name, new);
        if let Some(frame) = self.frames.iter_mut().rev().find(|f| f.function) {
            frame.saved.push((name, old));
        }
        if special != 0 {
            self.after_special_change(name);
        }
    }

    /// Whether the variable (or parameter expansion target) is set, for `[[ -v ]]`.
    pub(crate) fn is_set(&mut self, text: &[u8]) -> Flow<bool> {
        let (name, sub) = match split_lvalue(text) {
            Some(s) => s,
            None => {
                let n = std::str::from_utf8(text).ok().and_then(|t| t.parse::<usize>().ok());
                return Ok(n.is_some_and(|n| n == 0 || n <= self.positional.args().len()));
            }
        };
        let Some(name) = names::known(name) else { return Ok(false) };
        let Some((name, more)) = self.resolve(name) else { return Ok(false) };
        let sub = sub.map(Bytes::copy_from_slice).or(more);
        match sub {
            None => Ok(self.value(name).text().is_some()),
            Some(sub) => match self.key_from_text(name, &sub)? {
                None => Ok(false),
                Some(Key::At | Key::Star) => Ok(!self.elements(name).is_empty()),
                Some(k) => Ok(self.element(name, &k).is_some()),
            },
        }
    }

    /// Assigns and turns a refusal into the end of the current command line, as a bare assignment does.
    pub(crate) fn assign_or_discard(
        &mut self,
        name: Name,
        key: Option<Key>,
        value: Scalar,
        add: bool,
    ) -> Flow<()> {
        match self.assign(name, key, value, add)? {
            true => Ok(()),
            false => Err(self.assignment_failed()),
        }
    }

    /// What a refused assignment does to the script.
    pub(crate) fn assignment_failed(&mut self) -> Unwind {
        match self.options.on(opt::POSIX) {
            true => Unwind::Exit(127),
            false => Unwind::Discard(1),
        }
    }
}

fn element_of(value: &Value, key: &Key) -> Option<Bytes> {
    match (value, key) {
        (Value::Array(a), Key::Index(i)) => {
            let index = if *i < 0 { i.checked_add(a.max()? + 1)? } else { *i };
            a.get(index).map(Scalar::text)
        }
        (Value::Assoc(a), Key::Text(k)) => a.get(k).map(Scalar::text),
        (Value::Assoc(a), Key::Index(i)) => a.get(&int_text(*i)).map(Scalar::text),
        (v, Key::Index(0 | -1)) => v.text(),
        _ => None,
    }
}

fn put_text(a: &mut Assoc, key: Bytes, value: Scalar, add: bool) {
    match (add, a.get_mut(&key)) {
        (true, Some(old)) => add_to(old, &value),
        _ => a.set(key, value),
    }
}

fn add_to(old: &mut Scalar, value: &Scalar) {
    let text = match std::mem::replace(old, Scalar::Int(0)) {
        Scalar::Str(b) => b,
        Scalar::Int(n) => int_text(n),
    };
    *old = Scalar::Str(append(text, &value.text()));
}
