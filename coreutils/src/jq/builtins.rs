//! Native functions over evaluated arguments.

use super::{
    dates, format, json, library,
    machine::{Machine, Res, Stop, fail},
    math, number, ops, regex,
    val::{Members, Str, Val, compare},
    write,
};

/// A native function: input and arguments to a value.
#[derive(Clone, Copy)]
pub struct Function(pub Body);

/// Its body.
pub type Body = fn(&Machine<'_>, Val, &mut [Val]) -> Res<Val>;

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("native")
    }
}

/// The function of a name with so many arguments.
pub fn function(name: &str, arity: usize) -> Option<Body> {
    if let Some(f) = FUNCTIONS.iter().find(|f| f.0 == name && f.1 == arity) {
        return Some(f.2);
    }
    mathematics(name, arity)
}

/// Each mathematical function as a native one: a function pointer cannot carry a name, hence the table.
fn mathematics(name: &str, arity: usize) -> Option<Body> {
    macro_rules! table {
        ($which:ident, $n:literal, $($f:literal)*) => {
            match name {
                $($f if arity == $n => return Some(|_, v, a| $which($f, v, a)),)*
                _ => {}
            }
        };
    }
    table!(one_number, 0, "floor" "ceil" "round" "trunc" "rint" "nearbyint" "sqrt" "cbrt" "fabs" "sin" "cos" "tan"
        "asin" "acos" "atan" "sinh" "cosh" "tanh" "asinh" "acosh" "atanh" "exp" "exp2" "exp10" "pow10" "expm1" "log"
        "log2" "log10" "log1p" "logb" "significand" "gamma" "lgamma" "tgamma" "erf" "erfc" "j0" "j1" "y0" "y1");
    table!(two_numbers, 2, "pow" "atan2" "fmod" "hypot" "fmin" "fmax" "fdim" "copysign" "drem" "remainder" "nextafter"
        "nexttoward" "ldexp" "scalb" "scalbln" "jn" "yn");
    None
}

fn need(v: &Val) -> Res<f64> {
    match v.num() {
        Some(n) => Ok(n),
        None => fail(format!("{} number required", ops::describe(v))),
    }
}

fn one_number(name: &str, v: Val, _: &mut [Val]) -> Res<Val> {
    let n = need(&v)?;
    Ok(Val::Num(math::unary(name).map_or(n, |f| f(n))))
}

fn two_numbers(name: &str, _: Val, a: &mut [Val]) -> Res<Val> {
    let (x, y) = (need(&a[0])?, need(&a[1])?);
    Ok(Val::Num(math::binary(name).map_or(x, |f| f(x, y))))
}

fn string<'v>(v: &'v Val, message: &str) -> Res<&'v Str> {
    match v {
        Val::Str(s) => Ok(s),
        _ => fail(message),
    }
}

fn length(v: &Val) -> Res<Val> {
    Ok(match v {
        Val::Null => Val::Num(0.0),
        Val::Bool(_) => return fail(format!("{} has no length", ops::describe(v))),
        Val::Str(s) => s.chars().into(),
        Val::Arr(a) => a.len().into(),
        Val::Obj(o) => o.len().into(),
        n => absolute(n.clone()),
    })
}

fn absolute(v: Val) -> Val {
    if let Some(text) = v.literal() {
        return match text.first() {
            Some(b'-') => number::negate(text),
            _ => v,
        };
    }
    Val::Num(v.num().unwrap_or(f64::NAN).abs())
}

fn to_number(v: Val) -> Res<Val> {
    let parsed = match &v {
        Val::Str(s) if s.bytes() == b"nan" => Some(Val::Num(f64::NAN)),
        Val::Str(s) => number::parse(s.bytes()),
        _ if v.num().is_some() => return Ok(v),
        _ => None,
    };
    match parsed {
        Some(n) => Ok(n),
        None => fail(format!("{} cannot be parsed as a number", ops::describe(&v))),
    }
}

fn implode(v: &Val) -> Res<Val> {
    let Val::Arr(a) = v else { return fail("implode input must be an array") };
    let mut out = String::new();
    for x in a.iter() {
        let Some(n) = x.num() else {
            return fail(format!(
                "{} can't be imploded, unicode codepoint needs to be numeric",
                ops::describe(x)
            ));
        };
        out.push(char::from_u32(n as u32).unwrap_or('\u{fffd}'));
    }
    Ok(out.into())
}

fn explode(v: &Val) -> Res<Val> {
    let s = string(v, "explode input must be a string")?;
    Ok(s.text().chars().map(|c| Val::Num(f64::from(u32::from(c)))).collect::<Vec<_>>().into())
}

fn ascii_case(v: &Val, f: fn(&mut [u8])) -> Res<Val> {
    let s = string(v, "explode input must be a string")?;
    let mut b = s.bytes().to_vec();
    f(&mut b);
    Ok(Val::Str(Str::owned(b)))
}

fn trim(v: &Val, left: bool, right: bool) -> Res<Val> {
    let s = string(v, "trim input must be a string")?;
    let t = s.text();
    let from = if left { t.len() - t.trim_start().len() } else { 0 };
    let to = if right { t.trim_end().len().max(from) } else { t.len() };
    Ok(Val::Str(s.sub(from, to)))
}

fn indices(v: &Val, what: &Val) -> Res<Val> {
    match (v, what) {
        (Val::Null, _) => Ok(Val::Null),
        (Val::Str(s), Val::Str(n)) => {
            let b = s.bytes();
            if n.bytes().is_empty() {
                return Ok(Val::from(Vec::new()));
            }
            let mut out = Vec::new();
            let (mut at, mut chars, mut counted) = (0, 0, 0);
            while let Some(i) = memchr::memmem::find(&b[at..], n.bytes()) {
                chars += b[counted..at + i].iter().filter(|c| **c & 0xc0 != 0x80).count();
                counted = at + i;
                out.push(chars.into());
                at += i + 1;
            }
            Ok(out.into())
        }
        (Val::Arr(a), Val::Arr(b)) => Ok(ops::indices_of_array(a, b)),
        (Val::Arr(a), x) => {
            let one = super::val::Arr::new(vec![x.clone()]);
            Ok(ops::indices_of_array(a, &one))
        }
        _ => ops::index(v, what),
    }
}

fn join(m: &Machine<'_>, v: Val, sep: &Val) -> Res<Val> {
    let list = match v {
        Val::Arr(a) => a.into_vec(),
        Val::Obj(o) => o.into_list().into_iter().map(|e| e.1).collect(),
        other => return fail(format!("Cannot iterate over {}", ops::describe_kind(&other))),
    };
    let mut out = Val::Null;
    for x in list {
        m.step()?;
        let start = match out {
            Val::Null => Val::from(""),
            some => ops::binary(m, super::ir::Bin::Add, some, sep.clone())?,
        };
        let piece = match x {
            Val::Null => Val::from(""),
            Val::Bool(_) | Val::Num(_) | Val::Lit(_) | Val::BigLit(_) => Val::Str(format::text(&x)),
            other => other,
        };
        out = ops::binary(m, super::ir::Bin::Add, start, piece)?;
    }
    Ok(if out.truthy() { out } else { "".into() })
}

fn strip(v: Val, affix: &Val, front: bool) -> Val {
    let (Val::Str(s), Val::Str(a)) = (&v, affix) else { return v };
    let (b, a) = (s.bytes(), a.bytes());
    match front {
        true if b.starts_with(a) => Val::Str(s.sub(a.len(), b.len())),
        false if b.ends_with(a) && !a.is_empty() => Val::Str(s.sub(0, b.len() - a.len())),
        _ => v,
    }
}

fn transpose(m: &Machine<'_>, v: &Val) -> Res<Val> {
    let Val::Arr(rows) = v else { return fail(format!("Cannot iterate over {}", ops::describe_kind(v))) };
    let mut width = 0;
    for r in rows.iter() {
        width = width.max(length(r)?.num().unwrap_or(0.0) as usize);
    }
    m.reserve(width.saturating_mul(rows.len()).saturating_mul(24))?;
    let mut out = Vec::with_capacity(width);
    for i in 0..width {
        m.step()?;
        let column: Res<Vec<Val>> = rows.iter().map(|r| ops::index(r, &i.into())).collect();
        out.push(column?.into());
    }
    Ok(out.into())
}

fn bsearch(v: &Val, x: &Val) -> Res<Val> {
    let Val::Arr(a) = v else { return fail(format!("{} cannot be searched from", ops::describe(v))) };
    Ok(match a.binary_search_by(|e| compare(e, x)) {
        Ok(i) => i.into(),
        Err(i) => Val::Num(-1.0 - i as f64),
    })
}

fn split(v: &Val, sep: &Val) -> Res<Val> {
    match (v, sep) {
        (Val::Str(s), Val::Str(sep)) => Ok(ops::split(s, sep)),
        _ => fail("split input and separator must be strings"),
    }
}

fn affix(v: &Val, a: &Val, start: bool) -> Res<Val> {
    match (v, a) {
        (Val::Str(s), Val::Str(a)) if start => Ok(s.bytes().starts_with(a.bytes()).into()),
        (Val::Str(s), Val::Str(a)) => Ok(s.bytes().ends_with(a.bytes()).into()),
        _ => fail(format!("{}() requires string inputs", if start { "startswith" } else { "endswith" })),
    }
}

fn paths(list: &Val) -> Res<Vec<Vec<Val>>> {
    let Val::Arr(a) = list else { return fail("Paths must be specified as an array") };
    a.iter()
        .map(|p| match p {
            Val::Arr(p) => Ok(p.to_vec()),
            other => fail(format!("Path must be specified as array, not {}", other.kind())),
        })
        .collect()
}

fn zone(m: &Machine<'_>) -> Option<String> {
    match ops::field(&m.outside.borrow().environment(), &"TZ".into()) {
        Ok(Val::Str(s)) => Some(s.text().to_string()),
        _ => None,
    }
}

fn time_format(m: &Machine<'_>, v: &Val, spec: &Val, local: bool) -> Res<Val> {
    let who = if local { "strflocaltime/1" } else { "strftime/1" };
    let tz = zone(m);
    let tz = local.then_some(tz.as_deref());
    if !matches!(v, Val::Arr(_)) && v.num().is_none() {
        return fail(format!("{who} requires parsed datetime inputs"));
    }
    let spec = string(spec, &format!("{who} requires a string format"))?;
    let tm = dates::input(v, who, tz)?;
    Ok(dates::format(&tm, spec.text(), tz).into())
}

fn time_parse(v: &Val, spec: &Val) -> Res<Val> {
    let (Val::Str(text), Val::Str(spec)) = (v, spec) else {
        return fail("strptime/1 requires string inputs and arguments");
    };
    match dates::parse(text.text(), spec.text()) {
        Some(tm) => Ok(tm.array()),
        None => fail(format!("date \"{}\" does not match format \"{}\"", text.text(), spec.text())),
    }
}

fn broken_down(v: &Val, who: &str, tz: Option<Option<&str>>) -> Res<Val> {
    let Some(t) = v.num() else { return fail(format!("{who}() requires numeric inputs")) };
    let tm = match tz {
        None => dates::Tm::from_epoch(t),
        Some(tz) => dates::local(t, tz),
    };
    Ok(tm.array())
}

fn halt_error(v: Val, code: &Val) -> Res<Val> {
    match code.num() {
        Some(n) => Err(Box::new(Stop::Halt(Some(v), n as i64 as u8))),
        None => fail("halt_error/1: number required"),
    }
}

fn from_json(v: &Val) -> Res<Val> {
    let s = string(v, &format!("{} only strings can be parsed", ops::describe(v)))?;
    json::parse_one(s.bytes()).or_else(|why| fail(format!("{why} (while parsing '{}')", s.text())))
}

fn all_builtins() -> Val {
    let mut names: Vec<(&str, usize)> = FUNCTIONS.iter().map(|f| (f.0, f.1)).collect();
    names.extend(library::SPECIAL);
    names.extend(library::defined());
    names.extend(math::UNARY.iter().map(|n| (*n, 0)));
    names.extend(math::BINARY.iter().map(|n| (*n, 2)));
    names.sort_unstable();
    names.dedup();
    names.retain(|n| !n.0.starts_with('_'));
    names.into_iter().map(|(n, a)| Val::from(format!("{n}/{a}"))).collect::<Vec<_>>().into()
}

fn message(m: &Machine<'_>, v: Val, text: &[u8]) -> Res<Val> {
    m.outside.borrow_mut().message(text)?;
    Ok(v)
}

fn debug(m: &Machine<'_>, v: Val) -> Res<Val> {
    let mut text = b"[\"DEBUG:\",".to_vec();
    text.extend_from_slice(&write::to_json(&v));
    text.extend_from_slice(b"]\n");
    message(m, v, &text)
}

fn to_boolean(v: Val) -> Res<Val> {
    match &v {
        Val::Bool(_) => Ok(v),
        Val::Str(s) if s.bytes() == b"true" => Ok(true.into()),
        Val::Str(s) if s.bytes() == b"false" => Ok(false.into()),
        _ => fail(format!("{} cannot be parsed as a boolean", ops::describe(&v))),
    }
}

fn abs(v: Val) -> Val {
    if v.num().is_some() { absolute(v) } else { v }
}

fn frexp(v: &Val) -> Res<Val> {
    let (f, e) = libm::frexp(need(v)?);
    Ok(vec![Val::Num(f), Val::Num(f64::from(e))].into())
}

fn modf(v: &Val) -> Res<Val> {
    let n = need(v)?;
    let fraction = if n.is_infinite() { 0f64.copysign(n) } else { n - n.trunc() };
    Ok(vec![Val::Num(fraction), Val::Num(n.trunc())].into())
}

fn lgamma_r(v: &Val) -> Res<Val> {
    let (value, sign) = libm::lgamma_r(need(v)?);
    Ok(vec![Val::Num(value), Val::Num(f64::from(sign))].into())
}

fn tojson(v: &Val) -> Val {
    Val::Str(Str::owned(write::to_json(v)))
}

fn is_normal(v: &Val) -> Res<Val> {
    Ok(need(v)?.is_normal().into())
}

fn format_named(v: &Val, name: &Val) -> Res<Val> {
    let name = string(name, &format!("{} is not a valid format", ops::describe(name)))?;
    Ok(Val::Str(format::apply(&super::ir::Format::named(name.text()), v)?))
}

const FUNCTIONS: &[(&str, usize, Body)] = &[
    ("length", 0, |_, v, _| length(&v)),
    ("utf8bytelength", 0, |_, v, _| match &v {
        Val::Str(s) => Ok(s.bytes().len().into()),
        _ => fail(format!("{} only strings have UTF-8 byte length", ops::describe(&v))),
    }),
    ("type", 0, |_, v, _| Ok(v.kind().into())),
    ("keys", 0, |_, v, _| ops::keys(&v, true)),
    ("keys_unsorted", 0, |_, v, _| ops::keys(&v, false)),
    ("has", 1, |_, v, a| ops::has(&v, &a[0]).map(Val::from)),
    ("contains", 1, |_, v, a| ops::contains(&v, &a[0]).map(Val::from)),
    ("tostring", 0, |_, v, _| Ok(Val::Str(format::text(&v)))),
    ("tonumber", 0, |_, v, _| to_number(v)),
    ("toboolean", 0, |_, v, _| to_boolean(v)),
    ("toarray", 0, |_, v, _| Ok(if matches!(v, Val::Arr(_)) { v } else { vec![v].into() })),
    ("tojson", 0, |_, v, _| Ok(tojson(&v))),
    ("fromjson", 0, |_, v, _| from_json(&v)),
    ("abs", 0, |_, v, _| Ok(abs(v))),
    ("ascii_downcase", 0, |_, v, _| ascii_case(&v, <[u8]>::make_ascii_lowercase)),
    ("ascii_upcase", 0, |_, v, _| ascii_case(&v, <[u8]>::make_ascii_uppercase)),
    ("explode", 0, |_, v, _| explode(&v)),
    ("implode", 0, |_, v, _| implode(&v)),
    ("trim", 0, |_, v, _| trim(&v, true, true)),
    ("ltrim", 0, |_, v, _| trim(&v, true, false)),
    ("rtrim", 0, |_, v, _| trim(&v, false, true)),
    ("startswith", 1, |_, v, a| affix(&v, &a[0], true)),
    ("endswith", 1, |_, v, a| affix(&v, &a[0], false)),
    ("ltrimstr", 1, |_, v, a| Ok(strip(v, &a[0], true))),
    ("rtrimstr", 1, |_, v, a| Ok(strip(v, &a[0], false))),
    ("trimstr", 1, |_, v, a| Ok(strip(strip(v, &a[0], true), &a[0], false))),
    ("split", 1, |_, v, a| split(&v, &a[0])),
    ("split", 2, |m, v, a| regex::split(m, &v, &a[0], &a[1])),
    ("join", 1, |m, v, a| join(m, v, &a[0])),
    ("indices", 1, |_, v, a| indices(&v, &a[0])),
    ("index", 1, |_, v, a| ops::index(&indices(&v, &a[0])?, &Val::Num(0.0))),
    ("rindex", 1, |_, v, a| ops::index(&indices(&v, &a[0])?, &Val::Num(-1.0))),
    ("to_entries", 0, |_, v, _| ops::to_entries(v)),
    ("from_entries", 0, |_, v, _| ops::from_entries(v)),
    ("reverse", 0, |_, v, _| match v {
        Val::Null => Ok(Val::from(Vec::new())),
        Val::Arr(mut a) => {
            a.modify(|l| l.reverse());
            Ok(Val::Arr(a))
        }
        Val::Obj(o) if o.is_empty() => Ok(Val::from(Vec::new())),
        Val::Str(s) if s.bytes().is_empty() => Ok(Val::from(Vec::new())),
        other => fail(format!("Cannot index {} with number", other.kind())),
    }),
    ("flatten", 0, |_, v, _| ops::flatten(v, f64::INFINITY)),
    ("flatten", 1, |_, v, a| ops::flatten(v, ops::number(&a[0], "flatten depth must be a number")?)),
    ("transpose", 0, |m, v, _| transpose(m, &v)),
    ("bsearch", 1, |_, v, a| bsearch(&v, &a[0])),
    ("setpath", 2, |m, v, a| {
        let x = std::mem::take(&mut a[1]);
        ops::set_path(m, v, &a[0], x)
    }),
    ("delpaths", 1, |m, v, a| ops::delete_paths(m, v, paths(&a[0])?)),
    ("test", 1, |m, v, a| regex::test(m, &v, &a[0], &Val::Null).map(Val::from)),
    ("test", 2, |m, v, a| regex::test(m, &v, &a[0], &a[1]).map(Val::from)),
    ("_match", 1, |m, v, a| matches(m, &v, &a[0], &Val::Null)),
    ("_match", 2, |m, v, a| matches(m, &v, &a[0], &a[1])),
    ("_captured", 0, |_, v, _| captured(&v)),
    ("format", 1, |_, v, a| format_named(&v, &a[0])),
    ("now", 0, |_, _, _| {
        let t = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Ok(Val::Num(t.map_or(0.0, |t| t.as_secs_f64())))
    }),
    ("mktime", 0, |_, v, _| dates::mktime(&v)),
    ("gmtime", 0, |_, v, _| broken_down(&v, "gmtime", None)),
    ("localtime", 0, |m, v, _| broken_down(&v, "localtime", Some(zone(m).as_deref()))),
    ("strftime", 1, |m, v, a| time_format(m, &v, &a[0], false)),
    ("strflocaltime", 1, |m, v, a| time_format(m, &v, &a[0], true)),
    ("strptime", 1, |_, v, a| time_parse(&v, &a[0])),
    ("infinite", 0, |_, _, _| Ok(Val::Num(f64::INFINITY))),
    ("nan", 0, |_, _, _| Ok(Val::Num(f64::NAN))),
    ("isinfinite", 0, |_, v, _| Ok(need(&v)?.is_infinite().into())),
    ("isnan", 0, |_, v, _| Ok(need(&v)?.is_nan().into())),
    ("isnormal", 0, |_, v, _| is_normal(&v)),
    ("isfinite", 0, |_, v, _| Ok(v.num().is_some_and(|n| !n.is_infinite()).into())),
    ("frexp", 0, |_, v, _| frexp(&v)),
    ("modf", 0, |_, v, _| modf(&v)),
    ("lgamma_r", 0, |_, v, _| lgamma_r(&v)),
    ("fma", 3, |_, _, a| Ok(Val::Num(need(&a[0])?.mul_add(need(&a[1])?, need(&a[2])?)))),
    ("env", 0, |m, _, _| Ok(m.outside.borrow().environment())),
    ("halt", 0, |_, _, _| Err(Box::new(Stop::Halt(None, 0)))),
    ("halt_error", 1, |_, v, a| halt_error(v, &a[0])),
    ("debug", 0, |m, v, _| debug(m, v)),
    ("stderr", 0, |m, v, _| {
        let text = write::to_json(&v);
        message(m, v, &text)
    }),
    ("input_filename", 0, |m, _, _| Ok(m.outside.borrow().filename().unwrap_or_default())),
    ("input_line_number", 0, |m, _, _| Ok(Val::Num(m.outside.borrow().line()))),
    ("builtins", 0, |_, _, _| Ok(all_builtins())),
    ("have_decnum", 0, |_, _, _| Ok(true.into())),
    ("have_literal_numbers", 0, |_, _, _| Ok(true.into())),
    ("get_search_list", 0, |m, _, _| Ok(m.outside.borrow().search_list())),
    ("modulemeta", 0, |m, v, _| {
        let name = string(&v, "modulemeta input module name must be a string")?;
        m.outside.borrow_mut().module_meta(name.text())
    }),
];

fn matches(m: &Machine<'_>, v: &Val, re: &Val, flags: &Val) -> Res<Val> {
    let hits = regex::find(m, v, re, flags, false)?;
    match v {
        Val::Str(s) => Ok(regex::objects(s, &hits)),
        _ => Ok(Val::from(Vec::new())),
    }
}

/// The named captures of a match object.
fn captured(v: &Val) -> Res<Val> {
    let mut o = Members::with_capacity(4);
    if let Val::Obj(hit) = v
        && let Some(Val::Arr(groups)) = hit.get(b"captures")
    {
        for g in groups.iter() {
            if let Val::Obj(g) = g
                && let Some(Val::Str(name)) = g.get(b"name")
            {
                o.insert(name.clone(), g.get(b"string").cloned().unwrap_or_default());
            }
        }
    }
    Ok(o.into())
}
