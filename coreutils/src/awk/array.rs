//! Associative arrays: a hash table over entries that stay in the order of insertion. Subscripts that are canonical
//! integers are kept as integers, so `a[i]` formats nothing.

use super::value::{Str, Value};
use hashbrown::HashTable;
use std::{cell::RefCell, hash::BuildHasher, rc::Rc};

/// An array as variables and elements hold it.
pub type ArrayRef = Rc<RefCell<Array>>;

/// A stored subscript.
#[derive(Clone, Debug)]
pub enum Key {
    /// Text that is the decimal form of this integer.
    Int(i64),
    /// Any other text.
    Text(Str),
}

/// A subscript to look up.
#[derive(Clone, Copy, Debug)]
pub enum KeyRef<'a> {
    /// See [`Key::Int`].
    Int(i64),
    /// See [`Key::Text`].
    Text(&'a [u8]),
}

impl<'a> KeyRef<'a> {
    /// The subscript of a text, integers recognised.
    #[inline]
    pub fn new(text: &'a [u8]) -> KeyRef<'a> {
        match canonical_integer(text) {
            Some(i) => KeyRef::Int(i),
            None => KeyRef::Text(text),
        }
    }

    fn owned(self) -> Key {
        match self {
            KeyRef::Int(i) => Key::Int(i),
            KeyRef::Text(t) => Key::Text(Str::new(t)),
        }
    }

    #[inline]
    fn is(self, key: &Key) -> bool {
        match (self, key) {
            (KeyRef::Int(a), Key::Int(b)) => a == *b,
            (KeyRef::Text(a), Key::Text(b)) => a == b.bytes(),
            _ => false,
        }
    }
}

impl Key {
    /// The same to look up.
    pub fn as_ref(&self) -> KeyRef<'_> {
        match self {
            Key::Int(i) => KeyRef::Int(*i),
            Key::Text(t) => KeyRef::Text(t),
        }
    }

    /// Appends its text.
    pub fn put(&self, out: &mut Vec<u8>) {
        match self {
            Key::Int(i) => out.extend_from_slice(itoa::Buffer::new().format(*i).as_bytes()),
            Key::Text(t) => out.extend_from_slice(t),
        }
    }

    /// The value that `for (k in a)` gives: subscripts are strings.
    pub fn value(&self) -> Value {
        match self {
            Key::Int(i) => Value::str(itoa::Buffer::new().format(*i).as_bytes()),
            Key::Text(t) => Value::Str(t.clone()),
        }
    }
}

/// The integer that `text` is the decimal form of, up to 15 digits.
#[inline]
fn canonical_integer(text: &[u8]) -> Option<i64> {
    let (digits, negative) = match text {
        [b'0'] => return Some(0),
        [b'-', rest @ ..] => (rest, true),
        _ => (text, false),
    };
    if digits.is_empty() || digits.len() > 15 || digits[0] == b'0' {
        return None;
    }
    let mut n = 0i64;
    for b in digits {
        let d = b.wrapping_sub(b'0');
        if d > 9 {
            return None;
        }
        n = n * 10 + i64::from(d);
    }
    Some(if negative { -n } else { n })
}

struct Entry {
    hash: u64,
    key: Key,
    /// `None` once deleted.
    value: Option<Value>,
}

/// An associative array. Subscripts 0, 1, 2 … that come in this order lie in a plain vector.
#[derive(Default)]
pub struct Array {
    dense: Vec<Option<Value>>,
    /// Elements in `dense`.
    filled: usize,
    table: HashTable<u32>,
    entries: Vec<Entry>,
    hasher: foldhash::fast::FixedState,
    /// The kind of the first subscript since the array was empty: it decides gawk's traversal.
    first: Option<Key>,
}

impl std::fmt::Debug for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "array of {}", self.len())
    }
}

/// Bytes that an entry costs beside its text.
pub const ENTRY: usize = std::mem::size_of::<Entry>() + 8;

impl Array {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.table.len() + self.filled
    }

    /// The place in `dense` of a subscript that is there or was.
    #[inline]
    fn place(&self, key: KeyRef<'_>) -> Option<usize> {
        match key {
            KeyRef::Int(i) if (i as usize) < self.dense.len() => Some(i as usize),
            _ => None,
        }
    }

    #[inline]
    fn hash(&self, key: KeyRef<'_>) -> u64 {
        match key {
            KeyRef::Int(i) => self.hasher.hash_one(i),
            KeyRef::Text(t) => self.hasher.hash_one(t),
        }
    }

    #[inline]
    fn find(&self, hash: u64, key: KeyRef<'_>) -> Option<usize> {
        let entries = &self.entries;
        self.table.find(hash, |i| key.is(&entries[*i as usize].key)).map(|i| *i as usize)
    }

    /// The element, if it is there.
    #[inline]
    pub fn get(&self, key: KeyRef<'_>) -> Option<&Value> {
        if let Some(at) = self.place(key) {
            return self.dense[at].as_ref();
        }
        let at = self.find(self.hash(key), key)?;
        self.entries[at].value.as_ref()
    }

    /// Whether it is there.
    pub fn contains(&self, key: KeyRef<'_>) -> bool {
        self.get(key).is_some()
    }

    /// The element, made if it is not there; and whether it was made.
    #[inline]
    pub fn entry(&mut self, key: KeyRef<'_>) -> (&mut Value, bool) {
        if let Some(at) = self.place(key) {
            let slot = &mut self.dense[at];
            let made = slot.is_none();
            self.filled += usize::from(made);
            return (slot.get_or_insert_default(), made);
        }
        if let KeyRef::Int(i) = key {
            let end = self.dense.len() as i64;
            let first = self.len() == 0 && matches!(i, 0 | 1);
            // The table may hold the subscript from before; and gawk's order of an array that began with a string
            // needs the order of insertion.
            let goes_on =
                i == end && end > 0 && (self.table.is_empty() || self.find(self.hash(key), key).is_none());
            if first {
                self.clear();
                self.first = Some(Key::Int(i));
                self.dense.resize(i as usize, None);
            }
            if goes_on && end > 1024 && self.filled < self.dense.len() / 4 {
                self.spill();
            } else if first || goes_on {
                self.dense.push(Some(Value::Uninit));
                self.filled += 1;
                let at = self.dense.len() - 1;
                return (self.dense[at].get_or_insert_default(), true);
            }
        }
        let hash = self.hash(key);
        if let Some(at) = self.find(hash, key) {
            return (self.entries[at].value.get_or_insert_default(), false);
        }
        self.insert(hash, key)
    }

    /// Moves the elements of a mostly empty vector (a queue, say) to the table.
    #[cold]
    fn spill(&mut self) {
        let dense = std::mem::take(&mut self.dense);
        let first = self.first.take();
        for (i, value) in dense.into_iter().enumerate() {
            if let Some(value) = value {
                let key = KeyRef::Int(i as i64);
                *self.insert(self.hash(key), key).0 = value;
            }
        }
        self.filled = 0;
        self.first = first;
    }

    /// Adds an element that is not in the table.
    fn insert(&mut self, hash: u64, key: KeyRef<'_>) -> (&mut Value, bool) {
        if self.table.is_empty() {
            self.entries.clear();
            if self.filled == 0 {
                self.dense = Vec::new();
                self.first = Some(key.owned());
            }
        }
        let at = self.entries.len();
        self.entries.push(Entry { hash, key: key.owned(), value: Some(Value::Uninit) });
        let entries = &self.entries;
        self.table.insert_unique(hash, at as u32, |i| entries[*i as usize].hash);
        (self.entries[at].value.get_or_insert_default(), true)
    }

    /// Sets an element.
    pub fn set(&mut self, key: KeyRef<'_>, value: Value) {
        *self.entry(key).0 = value;
    }

    /// Removes an element, and gives it.
    pub fn remove(&mut self, key: KeyRef<'_>) -> Option<Value> {
        if let Some(at) = self.place(key) {
            let value = self.dense[at].take();
            self.filled -= usize::from(value.is_some());
            if self.filled == 0 {
                self.dense = Vec::new();
            }
            return value;
        }
        let hash = self.hash(key);
        let entries = &mut self.entries;
        let found = self.table.find_entry(hash, |i| key.is(&entries[*i as usize].key)).ok()?;
        let at = found.remove().0 as usize;
        let value = self.entries[at].value.take();
        if self.entries.len() > 32 && self.table.len() < self.entries.len() / 2 {
            self.compact();
        }
        value
    }

    fn compact(&mut self) {
        self.entries.retain(|e| e.value.is_some());
        self.table.clear();
        let entries = &self.entries;
        for (i, e) in entries.iter().enumerate() {
            self.table.insert_unique(e.hash, i as u32, |i| entries[*i as usize].hash);
        }
    }

    /// Removes all; gives what the memory limit counted for them.
    pub fn clear(&mut self) -> usize {
        let held = self.weight();
        self.table.clear();
        self.entries = Vec::new();
        self.dense = Vec::new();
        self.filled = 0;
        self.first = None;
        held
    }

    /// What the memory limit counts for its elements (nested arrays included).
    pub fn weight(&self) -> usize {
        self.iter().map(|(k, v)| element_weight(k.as_ref(), v)).sum()
    }

    /// The elements: small integers, then the others in order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &Value)> {
        let dense =
            self.dense.iter().enumerate().filter_map(|(i, v)| Some((Key::Int(i as i64), v.as_ref()?)));
        dense.chain(self.entries.iter().filter_map(|e| Some((e.key.clone(), e.value.as_ref()?))))
    }

    /// The subscript that was first when the array was last empty.
    pub fn first(&self) -> Option<&Key> {
        self.first.as_ref()
    }
}

/// What the memory limit counts for one element.
pub fn element_weight(key: KeyRef<'_>, value: &Value) -> usize {
    let nested = match value {
        Value::Array(a) => a.borrow().weight(),
        v => v.weight(),
    };
    let text = match key {
        KeyRef::Text(t) if t.len() > 22 => t.len(),
        _ => 0,
    };
    ENTRY + text + nested
}

/// A new, empty array.
pub fn new_array() -> ArrayRef {
    Rc::default()
}
