//! Regular expressions of jq: Oniguruma's syntax, matched by the shared engine; offsets count characters.

use super::{
    machine::{Machine, Res, fail},
    ops,
    val::{Members, Str, Val},
};
use sandshell_text::regex::{Captures, Flags, Regex, Syntax};
use std::{cell::RefCell, collections::HashMap};

/// Compiled expressions by pattern and flags.
#[derive(Default)]
pub struct Cache(RefCell<HashMap<(Vec<u8>, Vec<u8>), (Regex, Mode)>>);

/// Flags that are not the engine's.
#[derive(Clone, Copy, Default)]
struct Mode {
    global: bool,
    no_empty: bool,
}

/// Expressions kept compiled.
const KEPT: usize = 256;

/// One match: the bounds in bytes of the whole and of the groups, with the names of these.
pub struct Hit {
    groups: Vec<Option<(usize, usize)>>,
    names: Vec<Option<String>>,
}

impl Hit {
    /// Where it begins.
    pub fn start(&self) -> usize {
        self.groups[0].map_or(0, |g| g.0)
    }

    /// Where it ends.
    pub fn end(&self) -> usize {
        self.groups[0].map_or(0, |g| g.1)
    }
}

fn compile(m: &Machine<'_>, pattern: &Str, flags: &Val) -> Res<(Regex, Mode)> {
    let letters: &[u8] = match flags {
        Val::Null => b"",
        Val::Str(s) => s.bytes(),
        other => return fail(format!("{} is not a string", ops::describe(other))),
    };
    let key = (pattern.bytes().to_vec(), letters.to_vec());
    if let Some(found) = m.regexes.0.borrow().get(&key) {
        return Ok(found.clone());
    }
    let mut mode = Mode::default();
    let mut f = Flags::default();
    for b in letters {
        match b {
            b'g' => mode.global = true,
            b'i' => f.icase = true,
            b'x' => f.extended = true,
            b'n' => mode.no_empty = true,
            b'p' => f.dot_all = true,
            b's' | b'l' => {}
            _ => return fail(format!("{} is not a valid modifier string", String::from_utf8_lossy(letters))),
        }
    }
    let regex = match Regex::new(pattern.bytes(), Syntax::Oniguruma, f) {
        Ok(r) => r,
        Err(e) => return fail(format!("Regex failure: {}", oniguruma(&e.to_string()))),
    };
    let mut cache = m.regexes.0.borrow_mut();
    if cache.len() >= KEPT {
        cache.clear();
    }
    cache.insert(key, (regex.clone(), mode));
    Ok((regex, mode))
}

/// Oniguruma's words for what is wrong with a pattern.
fn oniguruma(message: &str) -> &str {
    match message {
        "missing closing parenthesis" => "end pattern with unmatched parenthesis",
        "unmatched closing parenthesis" => "unmatched close parenthesis",
        "quantifier does not follow a repeatable item" => "target of repeat operator is not specified",
        "missing terminating ] for character class" => "premature end of char-class",
        "\\ at end of pattern" => "end pattern at escape",
        other => other,
    }
}

/// The pattern of an argument, which may be a string or `[pattern, flags]`.
fn pattern<'v>(re: &'v Val, flags: &'v Val) -> Res<(&'v Str, &'v Val)> {
    match re {
        Val::Str(s) => Ok((s, flags)),
        Val::Arr(a) if matches!(flags, Val::Null) && !a.is_empty() => match &a[0] {
            Val::Str(s) => Ok((s, a.get(1).unwrap_or(&Val::Null))),
            other => fail(format!("{} cannot be matched, as it is not a string", ops::describe(other))),
        },
        other => fail(format!("{} not a string or array", other.kind())),
    }
}

/// The matches of `re` in `v`: the first, or all with the flag `g` or `global`.
pub fn find(m: &Machine<'_>, v: &Val, re: &Val, flags: &Val, global: bool) -> Res<Vec<Hit>> {
    let (re, flags) = pattern(re, flags)?;
    let Val::Str(text) = v else {
        return fail(format!("{} cannot be matched, as it is not a string", ops::describe(v)));
    };
    let (regex, mode) = compile(m, re, flags)?;
    let b = text.bytes();
    let names: Vec<Option<String>> =
        (0..=regex.groups()).map(|i| regex.group_name(i).map(str::to_string)).collect();
    let mut captures = Captures::new();
    let mut hits = Vec::new();
    let mut at = 0;
    while at <= b.len() && regex.captures_at(b, at, &mut captures) {
        m.step()?;
        m.reserve(hits.len() * 64)?;
        let Some((from, to)) = captures.get(0) else { break };
        if to > from || !mode.no_empty {
            hits.push(Hit {
                groups: (0..names.len()).map(|i| captures.get(i)).collect(),
                names: names.clone(),
            });
            if !(global || mode.global) {
                break;
            }
        }
        at = to;
        if to == from {
            at += 1;
            while at < b.len() && b[at] & 0xc0 == 0x80 {
                at += 1;
            }
        }
    }
    if regex.exhausted() {
        return fail("Regex failure: match-stack limit over");
    }
    Ok(hits)
}

/// `test`
pub fn test(m: &Machine<'_>, v: &Val, re: &Val, flags: &Val) -> Res<bool> {
    let (re, flags) = pattern(re, flags)?;
    let Val::Str(text) = v else {
        return fail(format!("{} cannot be matched, as it is not a string", ops::describe(v)));
    };
    let (regex, mode) = compile(m, re, flags)?;
    if mode.no_empty {
        return Ok(!find(m, v, &Val::Str(re.clone()), flags, false)?.is_empty());
    }
    Ok(regex.is_match(text.bytes()))
}

/// The matches as the objects that `match` gives.
pub fn objects(text: &Str, hits: &[Hit]) -> Val {
    let b = text.bytes();
    let ascii = b.is_ascii();
    // Characters are counted on from the last place that was asked for.
    let (mut byte, mut chars) = (0, 0);
    let mut offset = |at: usize| {
        if ascii {
            return at;
        }
        if at < byte {
            (byte, chars) = (0, 0);
        }
        chars += b[byte..at].iter().filter(|c| **c & 0xc0 != 0x80).count();
        byte = at;
        chars
    };
    let mut list = Vec::with_capacity(hits.len());
    for hit in hits {
        let start = offset(hit.start());
        let mut groups = Vec::new();
        for (g, name) in hit.groups.iter().zip(&hit.names).skip(1) {
            let name = name.as_deref().map_or(Val::Null, Val::from);
            groups.push(match g {
                Some((from, to)) => {
                    let s = text.sub(*from, *to);
                    Val::object([
                        ("offset", offset(*from).into()),
                        ("length", s.chars().into()),
                        ("string", Val::Str(s)),
                        ("name", name),
                    ])
                }
                None => Val::object([
                    ("offset", Val::Num(-1.0)),
                    ("string", Val::Null),
                    ("length", Val::Num(0.0)),
                    ("name", name),
                ]),
            });
        }
        let whole = text.sub(hit.start(), hit.end());
        list.push(Val::object([
            ("offset", start.into()),
            ("length", whole.chars().into()),
            ("string", Val::Str(whole)),
            ("captures", groups.into()),
        ]));
    }
    list.into()
}

/// The named groups of a match as an object: what `capture` gives and replacements see.
pub fn captured(text: &Str, hit: &Hit) -> Val {
    let mut o = Members::with_capacity(4);
    for (g, name) in hit.groups.iter().zip(&hit.names) {
        if let Some(name) = name {
            o.insert(name.as_str().into(), g.map_or(Val::Null, |(a, b)| Val::Str(text.sub(a, b))));
        }
    }
    o.into()
}

/// `split(re; flags)`
pub fn split(m: &Machine<'_>, v: &Val, re: &Val, flags: &Val) -> Res<Val> {
    let Val::Str(_) = re else { return fail(format!("{} is not a string", ops::describe(re))) };
    let hits = find(m, v, re, flags, true)?;
    let Val::Str(text) = v else { return Ok(Val::Null) };
    let mut out = Vec::with_capacity(hits.len() + 1);
    let mut at = 0;
    for h in &hits {
        out.push(Val::Str(text.sub(at, h.start())));
        at = h.end();
    }
    out.push(Val::Str(text.sub(at, text.bytes().len())));
    Ok(out.into())
}
