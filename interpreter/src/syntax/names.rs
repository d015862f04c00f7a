//! The process-wide table of names: a variable's or function's name is a small number, so that looking it up is
//! an index. Names are never freed: the table is bounded, and names beyond the bound share the last number's fate
//! of being refused by the parser.

use super::ir::Name;
use hashbrown::HashMap;
use parking_lot::RwLock;
use std::sync::LazyLock;

struct Table {
    by_text: HashMap<&'static [u8], u32, foldhash::fast::RandomState>,
    texts: Vec<&'static [u8]>,
}

static TABLE: LazyLock<RwLock<Table>> =
    LazyLock::new(|| RwLock::new(Table { by_text: HashMap::default(), texts: Vec::new() }));

/// The number of `text`, new if need be.
pub fn intern(text: &[u8]) -> Name {
    if let Some(&n) = TABLE.read().by_text.get(text) {
        return Name(n);
    }
    let mut t = TABLE.write();
    if let Some(&n) = t.by_text.get(text) {
        return Name(n);
    }
    let n = t.texts.len() as u32;
    let text: &'static [u8] = Box::leak(text.into());
    t.texts.push(text);
    t.by_text.insert(text, n);
    Name(n)
}

/// The text of `name`.
pub fn text(name: Name) -> &'static [u8] {
    TABLE.read().texts.get(name.0 as usize).copied().unwrap_or(b"")
}
