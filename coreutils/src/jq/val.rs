//! JSON values: 24 bytes, cheap to clone, copied on write. Short strings and number literals live in the value
//! itself, longer strings are ranges of a shared buffer (the input, mostly).
//!
//! Numbers keep the text they were written with until they are computed with, as jq does since 1.7.

use bytes::Bytes;
use std::{cell::Cell, cmp::Ordering, rc::Rc};

/// Bytes that fit into a value without a buffer.
const INLINE: usize = 22;

/// A JSON value.
#[derive(Clone, Default)]
pub enum Val {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number that was computed, or a plain integer of up to 15 digits.
    Num(f64),
    /// A number as it was written, in canonical form.
    Lit(Lit),
    /// The same, when it is long.
    BigLit(Rc<[u8]>),
    /// A string.
    Str(Str),
    /// An array.
    Arr(Arr),
    /// An object.
    Obj(Obj),
}

const _: () = assert!(size_of::<Val>() == 24);

/// The text of a number, up to 22 bytes.
#[derive(Clone, Copy)]
pub struct Lit {
    len: u8,
    data: [u8; INLINE],
}

impl Lit {
    fn text(&self) -> &[u8] {
        &self.data[..usize::from(self.len)]
    }
}

/// A string: valid UTF-8, kept as bytes.
#[derive(Clone)]
pub enum Str {
    /// In place.
    Inline {
        /// Length.
        len: u8,
        /// Bytes.
        data: [u8; INLINE],
    },
    /// A range of a shared buffer.
    Slice {
        /// Where it starts.
        at: u32,
        /// Length.
        len: u32,
        /// The buffer.
        buf: Rc<Bytes>,
    },
}

thread_local! {
    /// Bytes held by containers and strings of this thread, for the budget.
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

/// Bytes held by the values of this thread.
pub fn live_bytes() -> usize {
    LIVE.get()
}

/// Counts bytes as held.
pub fn charge(n: usize) {
    LIVE.set(LIVE.get().wrapping_add(n));
}

/// Counts bytes as free again.
pub fn refund(n: usize) {
    LIVE.set(LIVE.get().saturating_sub(n));
}

impl Str {
    /// Copies bytes, which must be valid UTF-8.
    pub fn new(s: &[u8]) -> Str {
        match Str::inline(s) {
            Some(s) => s,
            None => Str::owned(s.to_vec()),
        }
    }

    fn inline(s: &[u8]) -> Option<Str> {
        if s.len() > INLINE {
            return None;
        }
        let mut data = [0; INLINE];
        data[..s.len()].copy_from_slice(s);
        Some(Str::Inline { len: s.len() as u8, data })
    }

    /// Takes a buffer over.
    pub fn owned(s: Vec<u8>) -> Str {
        match Str::inline(&s) {
            Some(s) => s,
            None => Str::Slice { at: 0, len: s.len() as u32, buf: Rc::new(Bytes::from(s)) },
        }
    }

    /// A range of `buf`.
    #[inline]
    pub fn slice(buf: &Rc<Bytes>, at: usize, end: usize) -> Str {
        let s = &buf[at..end];
        match Str::inline(s) {
            Some(s) => s,
            None => Str::Slice { at: at as u32, len: s.len() as u32, buf: buf.clone() },
        }
    }

    /// From text that may not be UTF-8: what is not becomes U+FFFD.
    pub fn lossy(s: &[u8]) -> Str {
        match String::from_utf8_lossy(s) {
            std::borrow::Cow::Borrowed(s) => Str::new(s.as_bytes()),
            std::borrow::Cow::Owned(s) => Str::owned(s.into_bytes()),
        }
    }

    /// Its bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Str::Inline { len, data } => &data[..usize::from(*len)],
            Str::Slice { at, len, buf } => &buf[*at as usize..*at as usize + *len as usize],
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or("")
    }

    /// Number of characters.
    pub fn chars(&self) -> usize {
        self.bytes().iter().filter(|&&b| b & 0xc0 != 0x80).count()
    }

    /// The part between two byte offsets.
    pub fn sub(&self, from: usize, to: usize) -> Str {
        match self {
            Str::Slice { at, buf, .. } => Str::slice(buf, *at as usize + from, *at as usize + to),
            Str::Inline { .. } => Str::new(&self.bytes()[from..to]),
        }
    }

    /// This string followed by `more`: in place when nobody else holds the buffer.
    pub fn append(self, more: &[u8]) -> Str {
        if let Str::Slice { at: 0, len, mut buf } = self {
            if buf.len() == len as usize
                && let Some(b) = Rc::get_mut(&mut buf)
            {
                match std::mem::take(b).try_into_mut() {
                    Ok(mut m) => {
                        m.extend_from_slice(more);
                        let len = m.len() as u32;
                        *b = m.freeze();
                        return Str::Slice { at: 0, len, buf };
                    }
                    Err(shared) => *b = shared,
                }
            }
            return Str::Slice { at: 0, len, buf }.joined(more);
        }
        self.joined(more)
    }

    fn joined(&self, more: &[u8]) -> Str {
        let a = self.bytes();
        let mut v = Vec::with_capacity(a.len() + more.len());
        v.extend_from_slice(a);
        v.extend_from_slice(more);
        Str::owned(v)
    }
}

impl PartialEq for Str {
    #[inline]
    fn eq(&self, other: &Str) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Str {}

impl From<&str> for Str {
    fn from(s: &str) -> Str {
        Str::new(s.as_bytes())
    }
}

/// An array.
#[derive(Clone)]
pub struct Arr(Rc<Items>);

/// The elements of an array, accounted.
pub struct Items {
    list: Vec<Val>,
    charged: usize,
}

const HEAD: usize = 48;

impl Clone for Items {
    fn clone(&self) -> Items {
        Items::new(self.list.clone())
    }
}

impl Items {
    fn new(list: Vec<Val>) -> Items {
        let charged = list.capacity() * size_of::<Val>() + HEAD;
        charge(charged);
        Items { list, charged }
    }
}

/// Frees containers without recursion when the stack is short.
fn bury(values: impl Iterator<Item = Val>) {
    if stacker::remaining_stack().is_none_or(|n| n > 96 << 10) {
        values.for_each(drop);
        return;
    }
    let mut heap: Vec<Val> = values.collect();
    while let Some(v) = heap.pop() {
        match v {
            Val::Arr(Arr(rc)) => {
                if let Ok(mut items) = Rc::try_unwrap(rc) {
                    heap.append(&mut items.list);
                }
            }
            Val::Obj(Obj(rc)) => {
                if let Ok(mut members) = Rc::try_unwrap(rc) {
                    heap.extend(members.list.drain(..).map(|m| m.1));
                }
            }
            _ => {}
        }
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        refund(self.charged);
        if self.list.iter().any(|v| matches!(v, Val::Arr(_) | Val::Obj(_))) {
            bury(std::mem::take(&mut self.list).into_iter());
        }
    }
}

impl Arr {
    /// From elements.
    pub fn new(list: Vec<Val>) -> Arr {
        Arr(Rc::new(Items::new(list)))
    }

    /// Changes the elements, copying them first when they are shared.
    pub fn modify<R>(&mut self, f: impl FnOnce(&mut Vec<Val>) -> R) -> R {
        let items = Rc::make_mut(&mut self.0);
        let r = f(&mut items.list);
        let now = items.list.capacity() * size_of::<Val>() + HEAD;
        if now != items.charged {
            refund(items.charged);
            charge(now);
            items.charged = now;
        }
        r
    }

    /// The elements, without a copy where they are not shared.
    pub fn into_vec(self) -> Vec<Val> {
        match Rc::try_unwrap(self.0) {
            Ok(mut items) => std::mem::take(&mut items.list),
            Err(rc) => rc.list.clone(),
        }
    }

    /// Whether both are the same array in memory.
    pub fn same(&self, other: &Arr) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl std::ops::Deref for Arr {
    type Target = [Val];
    #[inline]
    fn deref(&self) -> &[Val] {
        &self.0.list
    }
}

/// An object: members in the order of insertion.
#[derive(Clone)]
pub struct Obj(Rc<Members>);

/// The members of an object: a list, with an index when there are many.
#[derive(Default)]
pub struct Members {
    list: Vec<(Str, Val)>,
    index: Option<Box<hashbrown::HashTable<u32>>>,
    charged: usize,
}

/// From this size on an object has an index.
const INDEXED: usize = 12;

fn hash(key: &[u8]) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let mut h = foldhash::fast::FixedState::default().build_hasher();
    h.write(key);
    h.finish()
}

impl Clone for Members {
    fn clone(&self) -> Members {
        let mut m = Members { list: self.list.clone(), index: self.index.clone(), charged: 0 };
        m.account();
        m
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        refund(self.charged);
        if self.list.iter().any(|m| matches!(m.1, Val::Arr(_) | Val::Obj(_))) {
            bury(std::mem::take(&mut self.list).into_iter().map(|m| m.1));
        }
    }
}

impl Members {
    /// No members yet.
    pub fn with_capacity(n: usize) -> Members {
        Members { list: Vec::with_capacity(n), index: None, charged: 0 }
    }

    fn account(&mut self) {
        let now = self.list.capacity() * 48 + self.index.as_ref().map_or(0, |i| i.capacity() * 5) + HEAD;
        if now != self.charged {
            refund(self.charged);
            charge(now);
            self.charged = now;
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    #[inline]
    fn find(&self, key: &[u8]) -> Option<usize> {
        match &self.index {
            None => self.list.iter().position(|m| m.0.bytes() == key),
            Some(index) => {
                index.find(hash(key), |&i| self.list[i as usize].0.bytes() == key).map(|&i| i as usize)
            }
        }
    }

    /// The value of `key`.
    #[inline]
    pub fn get(&self, key: &[u8]) -> Option<&Val> {
        self.find(key).map(|i| &self.list[i].1)
    }

    /// The place of `key`, which is made (with null) when missing.
    pub fn slot(&mut self, key: Str) -> &mut Val {
        let i = match self.find(key.bytes()) {
            Some(i) => i,
            None => {
                self.push(key, Val::Null);
                self.list.len() - 1
            }
        };
        &mut self.list[i].1
    }

    /// Sets `key`.
    pub fn insert(&mut self, key: Str, value: Val) {
        match self.find(key.bytes()) {
            Some(i) => self.list[i].1 = value,
            None => self.push(key, value),
        }
    }

    fn push(&mut self, key: Str, value: Val) {
        if let Some(index) = &mut self.index {
            let list = &self.list;
            index.insert_unique(hash(key.bytes()), list.len() as u32, |&i| hash(list[i as usize].0.bytes()));
        }
        self.list.push((key, value));
        if self.index.is_none() && self.list.len() > INDEXED {
            self.reindex();
        }
    }

    fn reindex(&mut self) {
        if self.list.len() <= INDEXED {
            self.index = None;
            return;
        }
        let mut index = hashbrown::HashTable::with_capacity(self.list.len() * 2);
        let list = &self.list;
        for (i, m) in list.iter().enumerate() {
            index.insert_unique(hash(m.0.bytes()), i as u32, |&i| hash(list[i as usize].0.bytes()));
        }
        self.index = Some(Box::new(index));
    }

    /// Removes `key`.
    pub fn remove(&mut self, key: &[u8]) {
        if let Some(i) = self.find(key) {
            self.list.remove(i);
            if self.index.is_some() {
                self.reindex();
            }
        }
    }

    /// Keeps the members for which `f` says so; it may change them.
    pub fn retain<E>(&mut self, mut f: impl FnMut(&Str, &mut Val) -> Result<bool, E>) -> Result<(), E> {
        let mut failed = None;
        let before = self.list.len();
        self.list.retain_mut(|m| {
            if failed.is_some() {
                return true;
            }
            match f(&m.0, &mut m.1) {
                Ok(keep) => keep,
                Err(e) => {
                    failed = Some(e);
                    true
                }
            }
        });
        if self.list.len() != before {
            self.reindex();
        }
        failed.map_or(Ok(()), Err)
    }

    /// The members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Str, Val)> {
        self.list.iter()
    }

    /// The members by rising key.
    pub fn sorted(&self) -> Vec<&(Str, Val)> {
        let mut all: Vec<_> = self.list.iter().collect();
        all.sort_unstable_by(|a, b| a.0.bytes().cmp(b.0.bytes()));
        all
    }
}

impl Obj {
    /// From members.
    pub fn new(mut m: Members) -> Obj {
        m.account();
        Obj(Rc::new(m))
    }

    /// Changes the members, copying them first when they are shared.
    pub fn modify<R>(&mut self, f: impl FnOnce(&mut Members) -> R) -> R {
        let m = Rc::make_mut(&mut self.0);
        let r = f(m);
        m.account();
        r
    }

    /// The members, without a copy where they are not shared.
    pub fn into_list(self) -> Vec<(Str, Val)> {
        match Rc::try_unwrap(self.0) {
            Ok(mut m) => std::mem::take(&mut m.list),
            Err(rc) => rc.list.clone(),
        }
    }

    /// Whether both are the same object in memory.
    pub fn same(&self, other: &Obj) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl std::ops::Deref for Obj {
    type Target = Members;
    #[inline]
    fn deref(&self) -> &Members {
        &self.0
    }
}

impl From<bool> for Val {
    fn from(b: bool) -> Val {
        Val::Bool(b)
    }
}

impl From<f64> for Val {
    fn from(n: f64) -> Val {
        Val::Num(n)
    }
}

impl From<usize> for Val {
    fn from(n: usize) -> Val {
        Val::Num(n as f64)
    }
}

impl From<&str> for Val {
    fn from(s: &str) -> Val {
        Val::Str(s.into())
    }
}

impl From<String> for Val {
    fn from(s: String) -> Val {
        Val::Str(Str::owned(s.into_bytes()))
    }
}

impl From<Vec<Val>> for Val {
    fn from(v: Vec<Val>) -> Val {
        Val::Arr(Arr::new(v))
    }
}

impl From<Members> for Val {
    fn from(m: Members) -> Val {
        Val::Obj(Obj::new(m))
    }
}

impl Val {
    /// An object of fixed members.
    pub fn object<const N: usize>(members: [(&str, Val); N]) -> Val {
        let mut m = Members::with_capacity(N);
        for (k, v) in members {
            m.push(k.into(), v);
        }
        m.into()
    }

    /// Everything but `null` and `false`.
    #[inline]
    pub fn truthy(&self) -> bool {
        !matches!(self, Val::Null | Val::Bool(false))
    }

    /// The name that `type` gives.
    pub fn kind(&self) -> &'static str {
        match self {
            Val::Null => "null",
            Val::Bool(_) => "boolean",
            Val::Num(_) | Val::Lit(_) | Val::BigLit(_) => "number",
            Val::Str(_) => "string",
            Val::Arr(_) => "array",
            Val::Obj(_) => "object",
        }
    }

    /// The number, parsed when it is a literal.
    #[inline]
    pub fn num(&self) -> Option<f64> {
        match self {
            Val::Num(n) => Some(*n),
            Val::Lit(l) => Some(parse_f64(l.text())),
            Val::BigLit(l) => Some(parse_f64(l)),
            _ => None,
        }
    }

    /// The text of a number literal.
    pub fn literal(&self) -> Option<&[u8]> {
        match self {
            Val::Lit(l) => Some(l.text()),
            Val::BigLit(l) => Some(l),
            _ => None,
        }
    }

    /// A number literal from text that is a canonical number already.
    pub fn from_literal(text: &[u8]) -> Val {
        if text.len() <= INLINE {
            let mut data = [0; INLINE];
            data[..text.len()].copy_from_slice(text);
            Val::Lit(Lit { len: text.len() as u8, data })
        } else {
            Val::BigLit(text.into())
        }
    }

    /// Whether both are the same value in memory (or equal scalars): what path expressions ask.
    pub fn identical(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Arr(a), Val::Arr(b)) => a.same(b),
            (Val::Obj(a), Val::Obj(b)) => a.same(b),
            (Val::Null, Val::Null) => true,
            (Val::Bool(a), Val::Bool(b)) => a == b,
            (Val::Num(a), Val::Num(b)) => a.to_bits() == b.to_bits(),
            (Val::Str(a), Val::Str(b)) => a == b,
            (a, b) => a.literal().is_some() && a.literal() == b.literal(),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Val::Null => 0,
            Val::Bool(false) => 1,
            Val::Bool(true) => 2,
            Val::Num(_) | Val::Lit(_) | Val::BigLit(_) => 3,
            Val::Str(_) => 4,
            Val::Arr(_) => 5,
            Val::Obj(_) => 6,
        }
    }
}

/// The number that canonical text means.
pub fn parse_f64(text: &[u8]) -> f64 {
    fast_float2::parse(text).unwrap_or(f64::NAN)
}

fn compare_numbers(a: &Val, b: &Val) -> Ordering {
    let (x, y) = (a.num().unwrap_or(f64::NAN), b.num().unwrap_or(f64::NAN));
    // A NaN is less than any number; `<` alone also says so of two.
    match x.partial_cmp(&y) {
        None => y.is_nan().cmp(&x.is_nan()),
        Some(Ordering::Equal) => match (a.literal(), b.literal()) {
            (Some(a), Some(b)) if a != b => super::number::compare_decimals(a, b),
            _ => Ordering::Equal,
        },
        Some(o) => o,
    }
}

/// jq's order of values: null, false, true, numbers, strings, arrays, objects.
pub fn compare(a: &Val, b: &Val) -> Ordering {
    match (a, b) {
        (Val::Num(x), Val::Num(y)) if x == y => Ordering::Equal,
        (Val::Str(a), Val::Str(b)) => a.bytes().cmp(b.bytes()),
        (Val::Arr(a), Val::Arr(b)) => deep(|| {
            for (x, y) in a.iter().zip(b.iter()) {
                match compare(x, y) {
                    Ordering::Equal => {}
                    o => return o,
                }
            }
            a.len().cmp(&b.len())
        }),
        (Val::Obj(a), Val::Obj(b)) => deep(|| compare_objects(a, b)),
        _ => match a.rank().cmp(&b.rank()) {
            Ordering::Equal if a.rank() == 3 => compare_numbers(a, b),
            o => o,
        },
    }
}

fn compare_objects(a: &Obj, b: &Obj) -> Ordering {
    if a.same(b) {
        return Ordering::Equal;
    }
    let (x, y) = (a.sorted(), b.sorted());
    let keys = x.iter().map(|m| m.0.bytes()).cmp(y.iter().map(|m| m.0.bytes()));
    if keys != Ordering::Equal {
        return keys;
    }
    for (p, q) in x.iter().zip(&y) {
        match compare(&p.1, &q.1) {
            Ordering::Equal => {}
            o => return o,
        }
    }
    Ordering::Equal
}

/// Equality as `==` has it.
#[inline]
pub fn equal(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Str(a), Val::Str(b)) => a == b,
        (Val::Num(a), Val::Num(b)) => a == b,
        (Val::Arr(a), Val::Arr(b)) => a.len() == b.len() && compare_equal(a, b),
        (Val::Obj(a), Val::Obj(b)) => {
            a.len() == b.len()
                && deep(|| a.iter().all(|(k, v)| b.get(k.bytes()).is_some_and(|w| equal(v, w))))
        }
        _ => compare(a, b) == Ordering::Equal,
    }
}

fn compare_equal(a: &Arr, b: &Arr) -> bool {
    deep(|| a.iter().zip(b.iter()).all(|(x, y)| equal(x, y)))
}

/// Runs `f` with enough stack for one more level of a value.
#[inline]
pub fn deep<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 << 10, 1 << 20, f)
}

impl std::fmt::Debug for Val {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&super::write::to_json(self)))
    }
}

impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.text())
    }
}
