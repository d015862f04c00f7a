//! Operations on values: arithmetic, indexing, paths; with jq's messages.

use super::{
    ir::{Bin, By},
    machine::{Machine, Res, fail},
    number,
    val::{Arr, Members, Obj, Str, Val, compare, deep, equal},
    write,
};
use std::cmp::Ordering;

/// The compact text of a value, cut as by a buffer of `size` bytes.
pub fn truncated(v: &Val, size: usize) -> String {
    let mut text = write::to_json(v);
    if text.len() > size - 1 {
        let mut n = size - 4;
        while n > 0 && text[n] & 0xc0 == 0x80 {
            n -= 1;
        }
        text.truncate(n);
        text.extend_from_slice(b"...");
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// `string ("abc")`, as messages name a value.
pub fn describe(v: &Val) -> String {
    format!("{} ({})", v.kind(), truncated(v, 15))
}

/// How the messages of iteration name a value.
pub fn describe_kind(v: &Val) -> String {
    describe(v)
}

/// The number in `v`; else an error.
pub fn number(v: &Val, message: &str) -> Res<f64> {
    match v.num() {
        Some(n) => Ok(n),
        None => fail(format!("{}: {message}", describe(v))),
    }
}

/// What `sort_by` and its family say of something else than an array, and of the keys they computed.
pub fn not_an_array<T>(by: By, v: &Val, keys: Option<&Val>) -> Res<T> {
    match (by, keys) {
        (By::Min | By::Max, keys) => {
            let keys = keys.unwrap_or(v);
            fail(format!("{} and {} cannot be iterated over", describe(v), describe(keys)))
        }
        (By::Sort, None) => fail(format!("{} cannot be sorted, as it is not an array", describe(v))),
        (by, keys) => {
            let verb = if by == By::Group { "grouped" } else { "sorted" };
            let keys = keys.unwrap_or(v);
            let pair = format!("{} and {}", describe(v), describe(keys));
            fail(format!("{pair} cannot be {verb}, as they are not both arrays"))
        }
    }
}

/// `.name` by reference; none where null has no members.
#[inline]
pub fn field_ref<'v>(v: &'v Val, name: &Str) -> Res<Option<&'v Val>> {
    match v {
        Val::Obj(o) => Ok(o.get(name.bytes())),
        Val::Null => Ok(None),
        other => fail(format!("Cannot index {} with string \"{}\"", other.kind(), name.text())),
    }
}

/// `.name`
#[inline]
pub fn field(v: &Val, name: &Str) -> Res<Val> {
    Ok(field_ref(v, name)?.cloned().unwrap_or_default())
}

/// `.[key]`
pub fn index(v: &Val, key: &Val) -> Res<Val> {
    match (v, key) {
        (_, Val::Str(name)) => field(v, name),
        (Val::Arr(a), Val::Arr(b)) => Ok(indices_of_array(a, b)),
        (Val::Null, Val::Num(_) | Val::Lit(_) | Val::BigLit(_) | Val::Null) => Ok(Val::Null),
        (_, Val::Obj(o)) if matches!(v, Val::Arr(_) | Val::Str(_) | Val::Null) => {
            let bound = |name: &[u8]| o.get(name).cloned().unwrap_or_default();
            if o.get(b"start").is_none() && o.get(b"end").is_none() {
                return fail("Array/string slice indices must be integers");
            }
            slice(v, &bound(b"start"), &bound(b"end"))
        }
        (Val::Arr(a), _) => match key.num() {
            Some(n) => Ok(position(n, a.len()).and_then(|i| a.get(i).cloned()).unwrap_or_default()),
            None => fail(format!("Cannot index array with {}", key.kind())),
        },
        _ => fail(format!("Cannot index {} with {}", v.kind(), key.kind())),
    }
}

fn position(n: f64, len: usize) -> Option<usize> {
    let n = n.floor();
    let i = if n < 0.0 { n + len as f64 } else { n };
    (i >= 0.0 && i < len as f64).then_some(i as usize)
}

/// The places where `b` occurs in `a` as a run.
pub fn indices_of_array(a: &Arr, b: &Arr) -> Val {
    if b.is_empty() {
        return Val::from(Vec::new());
    }
    let found =
        a.windows(b.len()).enumerate().filter(|(_, w)| w.iter().zip(b.iter()).all(|(x, y)| equal(x, y)));
    found.map(|(i, _)| i.into()).collect::<Vec<Val>>().into()
}

/// The bounds of a slice of something `len` long.
fn bounds(from: &Val, to: &Val, len: usize) -> Res<(usize, usize)> {
    let n = len as f64;
    let bound = |v: &Val, default: f64, up: bool| match v {
        Val::Null => Ok(default),
        v => match v.num() {
            Some(x) => {
                let x = if x < 0.0 { x + n } else { x };
                Ok((if up { x.ceil() } else { x.floor() }).clamp(0.0, n))
            }
            None => fail("Start and end indices of an array slice must be numbers"),
        },
    };
    let (from, to) = (bound(from, 0.0, false)?, bound(to, n, true)?);
    Ok((from as usize, to.max(from) as usize))
}

/// `.[from:to]`
pub fn slice(v: &Val, from: &Val, to: &Val) -> Res<Val> {
    match v {
        Val::Null => Ok(Val::Null),
        Val::Arr(a) => {
            let (from, to) = bounds(from, to, a.len())?;
            Ok(a[from..to].to_vec().into())
        }
        Val::Str(s) => {
            let b = s.bytes();
            if b.is_ascii() {
                let (from, to) = bounds(from, to, b.len())?;
                return Ok(Val::Str(s.sub(from, to)));
            }
            let (from, to) = bounds(from, to, s.chars())?;
            let start = char_offset(b, from);
            let end = start + char_offset(&b[start..], to - from);
            Ok(Val::Str(s.sub(start, end)))
        }
        other => fail(format!("Cannot index {} with object", other.kind())),
    }
}

/// The byte offset of the `n`th character.
pub fn char_offset(b: &[u8], n: usize) -> usize {
    let mut starts = b.iter().enumerate().filter(|(_, b)| **b & 0xc0 != 0x80);
    starts.nth(n).map_or(b.len(), |(i, _)| i)
}

/// `getpath`
pub fn get_path(v: &Val, path: &Val) -> Res<Val> {
    let Val::Arr(keys) = path else { return fail("Path must be specified as an array") };
    let mut at = v.clone();
    for key in keys.iter() {
        if matches!(at, Val::Null) {
            return Ok(Val::Null);
        }
        at = index(&at, key)?;
    }
    Ok(at)
}

/// `-v`
pub fn negate(v: Val) -> Res<Val> {
    if let Some(text) = v.literal() {
        return Ok(number::negate(text));
    }
    match v.num() {
        Some(n) => Ok(Val::Num(-n)),
        None => fail(format!("{} cannot be negated", describe(&v))),
    }
}

/// An operator on two values. The left one is changed in place where nobody else holds it.
pub fn binary(m: &Machine<'_>, op: Bin, l: Val, r: Val) -> Res<Val> {
    if let (Val::Num(a), Val::Num(b)) = (&l, &r) {
        return arithmetic(op, *a, *b, &l, &r);
    }
    match op {
        Bin::Eq => return Ok(equal(&l, &r).into()),
        Bin::Ne => return Ok((!equal(&l, &r)).into()),
        Bin::Lt => return Ok((order(&l, &r) == Ordering::Less).into()),
        Bin::Le => return Ok((order(&l, &r) != Ordering::Greater).into()),
        Bin::Gt => return Ok((order(&l, &r) == Ordering::Greater).into()),
        Bin::Ge => return Ok((order(&l, &r) != Ordering::Less).into()),
        _ => {}
    }
    if let (Some(a), Some(b)) = (l.num(), r.num()) {
        return arithmetic(op, a, b, &l, &r);
    }
    match (op, l, r) {
        (Bin::Add, Val::Null, x) | (Bin::Add, x, Val::Null) => Ok(x),
        (Bin::Add, Val::Str(a), Val::Str(b)) => {
            let n = a.bytes().len() + b.bytes().len();
            if n > i32::MAX as usize {
                return fail("Result too long");
            }
            m.reserve(n)?;
            Ok(Val::Str(a.append(b.bytes())))
        }
        (Bin::Add, Val::Arr(mut a), Val::Arr(b)) => {
            m.reserve((a.len() + b.len()) * 24)?;
            if a.is_empty() {
                return Ok(Val::Arr(b));
            }
            a.modify(|list| list.extend_from_slice(&b));
            Ok(Val::Arr(a))
        }
        (Bin::Add, Val::Obj(mut a), Val::Obj(b)) => {
            m.reserve((a.len() + b.len()) * 48)?;
            if a.is_empty() {
                return Ok(Val::Obj(b));
            }
            a.modify(|o| b.into_list().into_iter().for_each(|(k, v)| o.insert(k, v)));
            Ok(Val::Obj(a))
        }
        (Bin::Sub, Val::Arr(a), Val::Arr(b)) => subtract(m, a, &b),
        (Bin::Mul, Val::Obj(a), Val::Obj(b)) => Ok(Val::Obj(merge(a, b))),
        (Bin::Mul, Val::Str(s), n) if n.num().is_some() => repeat(m, &s, n.num().unwrap_or(0.0)),
        (Bin::Mul, n, Val::Str(s)) if n.num().is_some() => repeat(m, &s, n.num().unwrap_or(0.0)),
        (Bin::Div, Val::Str(a), Val::Str(b)) => Ok(split(&a, &b)),
        (op, l, r) => fail(format!("{} and {} cannot be {}", describe(&l), describe(&r), verb(op))),
    }
}

fn verb(op: Bin) -> &'static str {
    match op {
        Bin::Add => "added",
        Bin::Sub => "subtracted",
        Bin::Mul => "multiplied",
        Bin::Mod => "divided (remainder)",
        _ => "divided",
    }
}

fn order(l: &Val, r: &Val) -> Ordering {
    match (l, r) {
        (Val::Num(a), Val::Num(b)) if a.is_nan() && b.is_nan() => Ordering::Less,
        _ => compare(l, r),
    }
}

#[inline]
fn arithmetic(op: Bin, a: f64, b: f64, l: &Val, r: &Val) -> Res<Val> {
    Ok(match op {
        Bin::Add => Val::Num(a + b),
        Bin::Sub => Val::Num(a - b),
        Bin::Mul => Val::Num(a * b),
        Bin::Div if b == 0.0 => {
            let why = "cannot be divided because the divisor is zero";
            return fail(format!("{} and {} {why}", describe(l), describe(r)));
        }
        Bin::Div => Val::Num(a / b),
        Bin::Mod => {
            if a.is_nan() || b.is_nan() {
                return Ok(Val::Num(f64::NAN));
            }
            let (x, y) = (a as i64, b as i64);
            if y == 0 {
                let why = "cannot be divided (remainder) because the divisor is zero";
                return fail(format!("{} and {} {why}", describe(l), describe(r)));
            }
            Val::Num(x.wrapping_rem(y) as f64)
        }
        Bin::Eq => (a == b).into(),
        Bin::Ne => (a != b).into(),
        Bin::Lt => (a < b || a.is_nan()).into(),
        Bin::Le => (a <= b || a.is_nan()).into(),
        Bin::Gt => (a > b || (b.is_nan() && !a.is_nan())).into(),
        Bin::Ge => (a >= b || (b.is_nan() && !a.is_nan())).into(),
    })
}

fn subtract(m: &Machine<'_>, mut a: Arr, b: &Arr) -> Res<Val> {
    let mut failed = Ok(());
    a.modify(|list| {
        list.retain(|x| {
            if failed.is_ok() {
                failed = m.step();
            }
            failed.is_err() || !b.iter().any(|y| equal(x, y))
        });
    });
    failed?;
    Ok(Val::Arr(a))
}

fn merge(mut a: Obj, b: Obj) -> Obj {
    a.modify(|o| {
        for (k, v) in b.into_list() {
            let slot = o.slot(k);
            let old = std::mem::take(slot);
            *slot = match (old, v) {
                (Val::Obj(x), Val::Obj(y)) => Val::Obj(deep(|| merge(x, y))),
                (_, v) => v,
            };
        }
    });
    a
}

fn repeat(m: &Machine<'_>, s: &Str, n: f64) -> Res<Val> {
    if n < 0.0 || n.is_nan() {
        return Ok(Val::Null);
    }
    let times = n.floor();
    let len = s.bytes().len() as f64 * times;
    if len > f64::from(i32::MAX) {
        return fail("Repeat string result too long");
    }
    m.reserve(len as usize)?;
    Ok(Val::Str(Str::owned(s.bytes().repeat(times as usize))))
}

/// `split(sep)`: an empty separator gives the characters.
pub fn split(s: &Str, sep: &Str) -> Val {
    let (b, sep) = (s.bytes(), sep.bytes());
    if b.is_empty() {
        return Val::from(Vec::new());
    }
    let mut out = Vec::new();
    if sep.is_empty() {
        let mut from = 0;
        for i in 1..=b.len() {
            if i == b.len() || b[i] & 0xc0 != 0x80 {
                out.push(Val::Str(s.sub(from, i)));
                from = i;
            }
        }
        return out.into();
    }
    let mut from = 0;
    for i in memchr::memmem::find_iter(b, sep) {
        out.push(Val::Str(s.sub(from, i)));
        from = i + sep.len();
    }
    out.push(Val::Str(s.sub(from, b.len())));
    out.into()
}

/// Replaces what `key` leads to by what `f` makes of it; none deletes it.
pub fn change(v: Val, key: &Val, f: &mut dyn FnMut(Val) -> Res<Option<Val>>) -> Res<Val> {
    match (v, key) {
        (Val::Null, Val::Str(_)) => change(Val::object([]), key, f),
        (Val::Null, k) if k.num().is_some() => change(Vec::new().into(), key, f),
        (Val::Null, Val::Obj(_)) => change(Vec::new().into(), key, f),
        (Val::Obj(mut o), Val::Str(name)) => {
            let old = o.modify(|m| std::mem::take(m.slot(name.clone())));
            match f(old)? {
                Some(x) => o.modify(|m| m.insert(name.clone(), x)),
                None => o.modify(|m| m.remove(name.bytes())),
            }
            Ok(Val::Obj(o))
        }
        (Val::Arr(mut a), k) if k.num().is_some() => {
            let n = k.num().unwrap_or(0.0).floor();
            let i = if n < 0.0 { n + a.len() as f64 } else { n };
            if i < 0.0 {
                return fail("Out of bounds negative array index");
            }
            if i > 536_870_911.0 {
                return fail("Array index too large");
            }
            let i = i as usize;
            let old = match i < a.len() {
                true => a.modify(|list| std::mem::take(&mut list[i])),
                false => Val::Null,
            };
            if let Some(x) = f(old)? {
                a.modify(|list| {
                    if i >= list.len() {
                        list.resize(i + 1, Val::Null);
                    }
                    list[i] = x;
                });
            } else if i < a.len() {
                a.modify(|list| list.remove(i));
            }
            Ok(Val::Arr(a))
        }
        (Val::Arr(mut a), Val::Obj(o)) => {
            let bound = |name: &[u8]| o.get(name).cloned().unwrap_or_default();
            let (from, to) = bounds(&bound(b"start"), &bound(b"end"), a.len())?;
            let part = Val::from(a[from..to].to_vec());
            match f(part)? {
                None => a.modify(|list| drop(list.drain(from..to))),
                Some(Val::Arr(new)) => a.modify(|list| drop(list.splice(from..to, new.iter().cloned()))),
                Some(_) => return fail("A slice of an array can only be assigned another array"),
            }
            Ok(Val::Arr(a))
        }
        (Val::Str(_), Val::Obj(_)) => fail("Cannot update string slices"),
        (Val::Arr(_), Val::Arr(_)) => fail("Cannot update field at array index of array"),
        (v, Val::Str(name)) => fail(format!("Cannot index {} with string \"{}\"", v.kind(), name.text())),
        (v @ Val::Obj(_), k) => fail(format!("Cannot index {} with {}", v.kind(), k.kind())),
        (v, k) => fail(format!("Cannot index {} with {}", v.kind(), k.kind())),
    }
}

/// Changes what the whole path leads to.
pub fn change_path(
    m: &Machine<'_>,
    v: Val,
    path: &[Val],
    f: &mut dyn FnMut(Val) -> Res<Option<Val>>,
) -> Res<Option<Val>> {
    let Some((key, rest)) = path.split_first() else { return f(v) };
    if let Some(n) = key.num()
        && n > 4096.0
    {
        m.reserve((n.min(536_870_911.0) as usize) * 24)?;
    }
    deep(|| change(v, key, &mut |old| change_path(m, old, rest, f))).map(Some)
}

/// `setpath`
pub fn set_path(m: &Machine<'_>, v: Val, path: &Val, x: Val) -> Res<Val> {
    let Val::Arr(keys) = path else { return fail("Path must be specified as an array") };
    let mut x = Some(x);
    Ok(change_path(m, v, keys, &mut |_| Ok(x.take()))?.unwrap_or_default())
}

/// Deletes all paths, as if at once.
pub fn delete_paths(m: &Machine<'_>, v: Val, mut paths: Vec<Vec<Val>>) -> Res<Val> {
    if paths.is_empty() {
        return Ok(v);
    }
    if paths.iter().any(Vec::is_empty) {
        return Ok(Val::Null);
    }
    paths.sort_by(|a, b| {
        let o = a.iter().zip(b).map(|(x, y)| compare(x, y)).find(|o| o.is_ne());
        o.unwrap_or_else(|| a.len().cmp(&b.len()))
    });
    let paths: Vec<&[Val]> = paths.iter().map(Vec::as_slice).collect();
    delete(m, v, &paths)
}

/// Deletes below `v`; the paths are sorted and not empty.
fn delete(m: &Machine<'_>, v: Val, paths: &[&[Val]]) -> Res<Val> {
    let mut v = v;
    let mut dead: Vec<&Val> = Vec::new();
    let mut from = 0;
    while from < paths.len() {
        m.step()?;
        let key = &paths[from][0];
        let to = from + paths[from..].iter().take_while(|p| compare(&p[0], key).is_eq()).count();
        if paths[from..to].iter().any(|p| p.len() == 1) {
            dead.push(key);
        } else {
            let below: Vec<&[Val]> = paths[from..to].iter().map(|p| &p[1..]).collect();
            let old = match &v {
                Val::Null => Val::Null,
                _ => index(&v, key)?,
            };
            if !matches!(old, Val::Null) {
                drop(old);
                v = change(v, key, &mut |old| deep(|| delete(m, old, &below)).map(Some))?;
            }
        }
        from = to;
    }
    if dead.is_empty() { Ok(v) } else { delete_keys(v, &dead) }
}

fn delete_keys(v: Val, dead: &[&Val]) -> Res<Val> {
    match v {
        Val::Null => Ok(Val::Null),
        Val::Obj(mut o) => {
            if let Some(bad) = dead.iter().find(|k| !matches!(k, Val::Str(_))) {
                return fail(format!("Cannot delete field at object index of {}", bad.kind()));
            }
            match dead {
                [Val::Str(s)] => o.modify(|m| m.remove(s.bytes())),
                _ => {
                    let mut names: Vec<&[u8]> = Vec::with_capacity(dead.len());
                    names.extend(dead.iter().filter_map(|k| match k {
                        Val::Str(s) => Some(s.bytes()),
                        _ => None,
                    }));
                    names.sort_unstable();
                    o.modify(|m| m.retain(|k, _| Ok(names.binary_search(&k.bytes()).is_err())))
                        .unwrap_or_else(|e: std::convert::Infallible| match e {});
                }
            }
            Ok(Val::Obj(o))
        }
        Val::Arr(mut a) => {
            let mut gone = vec![false; a.len()];
            for key in dead {
                if let Some(n) = key.num() {
                    if let Some(i) = position(n, a.len()) {
                        gone[i] = true;
                    }
                } else if let Val::Obj(o) = key {
                    if o.get(b"start").is_none() && o.get(b"end").is_none() {
                        return fail("Array/string slice indices must be integers");
                    }
                    let bound = |name: &[u8]| o.get(name).cloned().unwrap_or_default();
                    let (from, to) = bounds(&bound(b"start"), &bound(b"end"), a.len())?;
                    gone[from..to].fill(true);
                } else {
                    return fail(format!("Cannot delete {} element of array", key.kind()));
                }
            }
            a.modify(|list| {
                let mut at = gone.iter();
                list.retain(|_| !at.next().copied().unwrap_or(false));
            });
            Ok(Val::Arr(a))
        }
        other => match dead[0] {
            Val::Str(_) => fail(format!("Cannot delete field at object index of {}", other.kind())),
            k => fail(format!("Cannot delete {} element of {}", k.kind(), other.kind())),
        },
    }
}

/// `keys`
pub fn keys(v: &Val, sorted: bool) -> Res<Val> {
    match v {
        Val::Obj(o) if sorted => {
            Ok(o.sorted().into_iter().map(|m| Val::Str(m.0.clone())).collect::<Vec<_>>().into())
        }
        Val::Obj(o) => Ok(o.iter().map(|m| Val::Str(m.0.clone())).collect::<Vec<_>>().into()),
        Val::Arr(a) => Ok((0..a.len()).map(Val::from).collect::<Vec<_>>().into()),
        other => fail(format!("{} has no keys", describe(other))),
    }
}

/// `contains`
pub fn contains(a: &Val, b: &Val) -> Res<bool> {
    match (a, b) {
        (Val::Obj(x), Val::Obj(y)) => {
            for (k, v) in y.iter() {
                match x.get(k.bytes()) {
                    Some(w) if deep(|| inner_contains(w, v))? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Val::Arr(x), Val::Arr(y)) => {
            for v in y.iter() {
                let mut some = false;
                for w in x.iter() {
                    if deep(|| inner_contains(w, v))? {
                        some = true;
                        break;
                    }
                }
                if !some {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Val::Str(x), Val::Str(y)) => Ok(memchr::memmem::find(x.bytes(), y.bytes()).is_some()),
        _ if a.kind() == b.kind() => Ok(equal(a, b)),
        _ => fail(format!("{} and {} cannot have their containment checked", describe(a), describe(b))),
    }
}

fn inner_contains(a: &Val, b: &Val) -> Res<bool> {
    if a.kind() == b.kind() { contains(a, b) } else { Ok(equal(a, b)) }
}

/// `has`
pub fn has(v: &Val, key: &Val) -> Res<bool> {
    match (v, key) {
        (Val::Obj(o), Val::Str(s)) => Ok(o.get(s.bytes()).is_some()),
        (Val::Arr(a), k) if k.num().is_some() => {
            let n = k.num().unwrap_or(-1.0);
            Ok(n >= 0.0 && n < a.len() as f64)
        }
        _ => fail(format!("Cannot check whether {} has a {} key", v.kind(), key.kind())),
    }
}

/// `to_entries`
pub fn to_entries(v: Val) -> Res<Val> {
    match v {
        Val::Obj(o) => {
            let list =
                o.into_list().into_iter().map(|(k, v)| Val::object([("key", Val::Str(k)), ("value", v)]));
            Ok(list.collect::<Vec<_>>().into())
        }
        other => fail(format!("{} has no keys", describe(&other))),
    }
}

/// `from_entries`: `key`, `k`, `name` and their capitals; `value` and `v` likewise.
pub fn from_entries(v: Val) -> Res<Val> {
    let list = match v {
        Val::Arr(a) => a.into_vec(),
        Val::Obj(o) => o.into_list().into_iter().map(|m| m.1).collect(),
        other => return fail(format!("Cannot iterate over {}", describe_kind(&other))),
    };
    let mut out = Members::with_capacity(list.len());
    for e in list {
        let o = match &e {
            Val::Obj(o) => o,
            Val::Null => return fail("Cannot use null (null) as object key"),
            other => return fail(format!("Cannot index {} with string \"key\"", other.kind())),
        };
        let mut key = Val::Null;
        for name in ["key", "k", "name", "Name", "Key", "K"] {
            match o.get(name.as_bytes()) {
                Some(x) if x.truthy() => {
                    key = x.clone();
                    break;
                }
                Some(x) if matches!(key, Val::Null) => key = x.clone(),
                _ => {}
            }
        }
        let key = match key {
            Val::Str(s) => s,
            Val::Bool(b) => (if b { "true" } else { "false" }).into(),
            Val::Null => return fail("Cannot use null (null) as object key"),
            k if k.num().is_some() => Str::owned(write::to_json(&k)),
            other => return fail(format!("Cannot use {} as object key", describe(&other))),
        };
        let value = ["value", "v", "Value", "V"].iter().find_map(|n| o.get(n.as_bytes())).cloned();
        out.insert(key, value.unwrap_or_default());
    }
    Ok(out.into())
}

/// `flatten`
pub fn flatten(v: Val, depth: f64) -> Res<Val> {
    fn walk(out: &mut Vec<Val>, list: Vec<Val>, depth: f64) {
        for x in list {
            match x {
                Val::Arr(a) if depth > 0.0 => deep(|| walk(out, a.into_vec(), depth - 1.0)),
                x => out.push(x),
            }
        }
    }
    if depth < 0.0 {
        return fail("flatten depth must not be negative");
    }
    let list = match v {
        Val::Arr(a) => a.into_vec(),
        Val::Obj(o) => o.into_list().into_iter().map(|m| m.1).collect(),
        other => return fail(format!("Cannot iterate over {}", describe_kind(&other))),
    };
    let mut out = Vec::new();
    walk(&mut out, list, depth);
    Ok(out.into())
}
