//! Variables: a slot per interned name, in pages that forks share until one of them writes.
//!
//! Scope is dynamic by shallow binding: a slot holds the value that is visible now; `local` moves the older one to
//! the function's frame, which puts it back when the function returns.

use super::array::{Assoc, Indexed, Scalar, bash_hash};
use crate::syntax::{ir::Name, names};
use bytes::Bytes;
use sandshell_kernel::Env;
use std::sync::Arc;

/// Attributes of a variable.
pub mod attr {
    /// It exists, with or without a value.
    pub const DECLARED: u16 = 1;
    /// `-x`
    pub const EXPORT: u16 = 2;
    /// `-r`
    pub const READONLY: u16 = 4;
    /// `-i`
    pub const INTEGER: u16 = 8;
    /// `-l`
    pub const LOWER: u16 = 16;
    /// `-u`
    pub const UPPER: u16 = 32;
    /// `-n`
    pub const NAMEREF: u16 = 64;
    /// `-a` (also before it has a value)
    pub const ARRAY: u16 = 128;
    /// `-A`
    pub const ASSOC: u16 = 256;
    /// `-t`
    pub const TRACE: u16 = 512;
    /// `-c`
    pub const CAPCASE: u16 = 1024;
    /// Assignments are ignored (`GROUPS`, `FUNCNAME`).
    pub const NOASSIGN: u16 = 2048;
    /// What changes the value that is assigned, or forbids it.
    pub const CONVERTS: u16 = READONLY | INTEGER | LOWER | UPPER | CAPCASE | NAMEREF | NOASSIGN;
}

/// What a variable holds.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    Unset,
    /// A canonical decimal number.
    Int(i64),
    /// Any bytes.
    Str(Bytes),
    /// An indexed array.
    Array(Arc<Indexed>),
    /// An associative array.
    Assoc(Arc<Assoc>),
}

impl From<Scalar> for Value {
    fn from(s: Scalar) -> Value {
        match s {
            Scalar::Int(n) => Value::Int(n),
            Scalar::Str(b) => Value::Str(b),
        }
    }
}

impl Value {
    /// The value read as a scalar: element 0 of an array.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Value::Unset => None,
            Value::Int(n) => Some(Scalar::Int(*n)),
            Value::Str(b) => Some(Scalar::Str(b.clone())),
            Value::Array(a) => a.get(0).cloned(),
            Value::Assoc(a) => a.get(b"0").cloned(),
        }
    }

    /// The value read as text.
    #[inline]
    pub fn text(&self) -> Option<Bytes> {
        match self {
            Value::Str(b) => Some(b.clone()),
            Value::Int(n) => Some(int_text(*n)),
            Value::Unset => None,
            _ => self.scalar().map(|s| s.text()),
        }
    }

    /// Whether it is an array of either kind.
    pub fn is_array(&self) -> bool {
        matches!(self, Value::Array(_) | Value::Assoc(_))
    }

    /// Bytes held, for the memory budget; arrays count their elements when these are assigned.
    pub fn weight(&self) -> usize {
        match self {
            Value::Str(b) => b.len(),
            _ => 0,
        }
    }
}

/// A variable.
#[derive(Clone, Debug, Default)]
pub struct Slot {
    /// Its value.
    pub value: Value,
    /// Its attributes.
    pub attrs: u16,
    /// Which special variable it is (see `special`); 0 = none.
    pub special: u8,
    /// The depth of the function whose local it is; 0 = global.
    pub level: u32,
}

impl Slot {
    const EMPTY: Slot = Slot { value: Value::Unset, attrs: 0, special: 0, level: 0 };

    /// Whether it has any attribute of `a`.
    #[inline]
    pub fn has(&self, a: u16) -> bool {
        self.attrs & a != 0
    }

    /// Whether it is set to a value.
    pub fn is_set(&self) -> bool {
        !matches!(self.value, Value::Unset)
    }

    /// Whether it exists.
    pub fn exists(&self) -> bool {
        self.attrs != 0 || self.is_set()
    }
}

const PAGE: usize = 32;

type Page = [Slot; PAGE];

static EMPTY: Slot = Slot::EMPTY;

/// All variables of a shell. Cloning shares the pages.
#[derive(Clone, Default)]
pub struct Vars {
    pages: Vec<Option<Arc<Page>>>,
    env: Option<Env>,
}

impl Vars {
    /// The variable.
    #[inline]
    pub fn get(&self, name: Name) -> &Slot {
        match self.pages.get(name.0 as usize / PAGE) {
            Some(Some(p)) => &p[name.0 as usize % PAGE],
            _ => &EMPTY,
        }
    }

    /// The variable, to be changed. The caller calls [`Vars::exports_changed`] where that matters.
    #[inline]
    pub fn get_mut(&mut self, name: Name) -> &mut Slot {
        let at = name.0 as usize / PAGE;
        if at >= self.pages.len() {
            self.pages.resize(at + 1, None);
        }
        let page = self.pages[at].get_or_insert_with(|| Arc::new([Slot::EMPTY; PAGE]));
        &mut Arc::make_mut(page)[name.0 as usize % PAGE]
    }

    /// Replaces the whole variable, returning the old one.
    pub fn replace(&mut self, name: Name, slot: Slot) -> Slot {
        let place = self.get_mut(name);
        let old = std::mem::replace(place, slot);
        if (old.attrs | place.attrs) & attr::EXPORT != 0 {
            self.env = None;
        }
        old
    }

    /// The environment must be made anew before the next program runs.
    pub fn exports_changed(&mut self) {
        self.env = None;
    }

    /// All variables that exist, by number of their name.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &Slot)> {
        self.pages.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?))).flat_map(|(i, p)| {
            p.iter()
                .enumerate()
                .filter(|(_, s)| s.exists())
                .map(move |(k, s)| (Name((i * PAGE + k) as u32), s))
        })
    }

    /// Names of the variables that exist, in byte order.
    pub fn sorted(&self) -> Vec<(&'static [u8], Name)> {
        let mut all: Vec<_> = self.iter().map(|(n, _)| (names::text(n), n)).collect();
        all.sort_unstable();
        all
    }

    /// The exported variables that have a value, as bash hands them to a program (in the order of its table).
    pub fn env(&mut self) -> Env {
        if let Some(e) = &self.env {
            return e.clone();
        }
        let mut list: Vec<(u32, Bytes, Bytes)> = self
            .iter()
            .filter(|(_, s)| s.has(attr::EXPORT) && !s.value.is_array())
            .filter_map(|(n, s)| {
                let name = names::text(n);
                Some((bash_hash(name) & 1023, Bytes::from_static(name), s.value.text()?))
            })
            .collect();
        list.sort();
        let env = Env::new(list.into_iter().map(|(_, n, v)| (n, v)).collect());
        self.env = Some(env.clone());
        env
    }
}

/// Numbers below this have their text in the binary.
const SMALL: usize = 1024;

/// Four bytes for each small number, its digits at their end.
static DIGITS: [[u8; 4]; SMALL] = {
    let mut all = [[b'0'; 4]; SMALL];
    let mut n = 0;
    while n < SMALL {
        let (mut rest, mut at) = (n, 4);
        while at > 0 {
            at -= 1;
            all[n][at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        n += 1;
    }
    all
};

/// A number as text; small ones share static text.
pub fn int_text(n: i64) -> Bytes {
    match usize::try_from(n).ok().and_then(|n| DIGITS.get(n)) {
        Some(digits) => {
            let zeros = 3 - n.checked_ilog10().unwrap_or(0) as usize;
            Bytes::from_static(&digits[zeros..])
        }
        None => Bytes::copy_from_slice(itoa::Buffer::new().format(n).as_bytes()),
    }
}
