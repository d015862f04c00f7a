//! The process-wide table of names: a variable's or function's name is a small number, so that looking it up is
//! an index. Names are never freed, so the table is bounded in number and bytes; beyond that new names are refused
//! ([`try_intern`]), and [`intern`] gives [`NONE`], which the parser turns into an error.

use super::ir::Name;
use hashbrown::HashMap;
use parking_lot::RwLock;
use std::sync::LazyLock;

/// The most names there may be.
const MAX_NAMES: usize = 4 << 20;
/// The most bytes that all names together may take.
const MAX_BYTES: usize = 256 << 20;

/// No name: its text is empty, no variable or function has it.
pub const NONE: Name = Name(0);

struct Table {
    by_text: HashMap<&'static [u8], u32, foldhash::fast::RandomState>,
    texts: Vec<&'static [u8]>,
    bytes: usize,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(|| {
    let mut by_text = HashMap::default();
    by_text.insert(&b""[..], 0);
    RwLock::new(Table { by_text, texts: vec![b""], bytes: 0 })
});

/// The number of `text`, new if need be; `None` when the table is full.
pub fn try_intern(text: &[u8]) -> Option<Name> {
    if let Some(&n) = TABLE.read().by_text.get(text) {
        return Some(Name(n));
    }
    let mut t = TABLE.write();
    if let Some(&n) = t.by_text.get(text) {
        return Some(Name(n));
    }
    if t.texts.len() >= MAX_NAMES || t.bytes + text.len() > MAX_BYTES {
        return None;
    }
    let n = t.texts.len() as u32;
    let text: &'static [u8] = Box::leak(text.into());
    t.bytes += text.len();
    t.texts.push(text);
    t.by_text.insert(text, n);
    Some(Name(n))
}

/// The number of `text`, or [`NONE`] when the table is full.
pub fn intern(text: &[u8]) -> Name {
    try_intern(text).unwrap_or(NONE)
}

/// The number of `text` if anyone has ever used it: for look-ups by computed names, which must not grow the table.
pub fn known(text: &[u8]) -> Option<Name> {
    TABLE.read().by_text.get(text).map(|&n| Name(n))
}

/// The text of `name`.
pub fn text(name: Name) -> &'static [u8] {
    TABLE.read().texts.get(name.0 as usize).copied().unwrap_or(b"")
}
