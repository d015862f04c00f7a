//! `declare`, `typeset`, `local`, `export`, `readonly`.

use crate::exec::simple::Element;
use crate::expand::quoting;
use crate::session::{
    access::{Key, is_name, split_lvalue},
    array::{Assoc, Indexed, Scalar},
    options::shopt,
    shell::{Flow, Shell},
    vars::{Slot, Value, attr},
};
use crate::syntax::{ir::Name, names};
use bytes::Bytes;
use std::sync::Arc;

const USAGE: &str = "[-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]";

/// Which of the builtins, and what its options ask for.
#[derive(Clone, Copy, Default)]
struct Asked {
    set: u16,
    clear: u16,
    print: bool,
    functions: bool,
    names_only: bool,
    global: bool,
    inherit: bool,
    /// New variables are local to the running function.
    local: bool,
    /// `local`
    only_local: bool,
    /// `export`, `readonly`: never local.
    plain: bool,
}

fn bit(letter: u8) -> Option<u16> {
    Some(match letter {
        b'a' => attr::ARRAY,
        b'A' => attr::ASSOC,
        b'i' => attr::INTEGER,
        b'l' => attr::LOWER,
        b'u' => attr::UPPER,
        b'c' => attr::CAPCASE,
        b'n' => attr::NAMEREF,
        b'r' => attr::READONLY,
        b't' => attr::TRACE,
        b'x' => attr::EXPORT,
        _ => return None,
    })
}

pub fn declare(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let asked = Asked { local: sh.depth > 0, ..Asked::default() };
    run(sh, args, asked)
}

pub fn local(sh: &mut Shell, args: &[Bytes]) -> Flow {
    if sh.depth == 0 {
        sh.complain(&[b"can only be used in a function"]);
        return Ok(1);
    }
    run(sh, args, Asked { local: true, only_local: true, ..Asked::default() })
}

pub fn export(sh: &mut Shell, args: &[Bytes]) -> Flow {
    attribute_builtin(sh, args, attr::EXPORT, b"fnp", "export [-fn] [name[=value] ...] or export -p")
}

pub fn readonly(sh: &mut Shell, args: &[Bytes]) -> Flow {
    attribute_builtin(sh, args, attr::READONLY, b"aAfp", "readonly [-aAf] [name[=value] ...] or readonly -p")
}

fn attribute_builtin(sh: &mut Shell, args: &[Bytes], which: u16, letters: &[u8], usage: &str) -> Flow {
    let mut asked = Asked { set: which, plain: true, ..Asked::default() };
    let mut at = 1;
    while let Some([b'-', given @ ..]) = args.get(at).map(|a| &a[..]) {
        if given.is_empty() {
            break;
        }
        at += 1;
        if given == b"-" {
            break;
        }
        for &l in given {
            match l {
                l if !letters.contains(&l) => return sh.invalid_option(&[b'-', l], usage),
                b'n' => (asked.set, asked.clear) = (0, which),
                b'p' => asked.print = true,
                b'f' => asked.functions = true,
                l => asked.set |= bit(l).unwrap_or(0),
            }
        }
    }
    let names = args.get(at..).unwrap_or(&[]);
    if names.is_empty() {
        if asked.functions {
            return list_functions(sh, false, Some(which));
        }
        return list(sh, which | asked.set & (attr::ARRAY | attr::ASSOC), false);
    }
    if asked.functions {
        return function_attributes(sh, names, which, asked.clear == 0);
    }
    each(sh, args, at, asked)
}

fn run(sh: &mut Shell, args: &[Bytes], mut asked: Asked) -> Flow {
    let mut at = 1;
    while let Some(a) = args.get(at) {
        let (on, letters) = match &a[..] {
            b"--" => {
                at += 1;
                break;
            }
            b"-" if asked.only_local => break,
            [b'-', l @ ..] if !l.is_empty() => (true, l),
            [b'+', l @ ..] if !l.is_empty() => (false, l),
            _ => break,
        };
        at += 1;
        for &l in letters {
            match l {
                b'p' if on => asked.print = true,
                b'f' => asked.functions = true,
                b'F' => (asked.functions, asked.names_only) = (true, true),
                b'g' => asked.global = true,
                b'I' => asked.inherit = true,
                l => match bit(l) {
                    Some(b) if on => asked.set |= b,
                    Some(b) => asked.clear |= b,
                    None => {
                        let sign = if on { b'-' } else { b'+' };
                        let name = if asked.only_local {
                            "local [option] name[=value] ...".to_owned()
                        } else {
                            format!("{} {USAGE}", sh.builtin)
                        };
                        return sh.invalid_option(&[sign, l], &name);
                    }
                },
            }
        }
    }
    let names = args.get(at..).unwrap_or(&[]);
    if asked.functions {
        if names.is_empty() {
            return list_functions(sh, asked.names_only, None);
        }
        if asked.set & (attr::EXPORT | attr::READONLY | attr::TRACE) != 0 || asked.clear != 0 {
            let which = asked.set | asked.clear;
            return function_attributes(sh, names, which, asked.clear == 0);
        }
        let mut status = 0;
        let mut out = Vec::new();
        for n in names {
            match (sh.functions.contains_key(n), asked.names_only) {
                (false, _) => {
                    if asked.print {
                        sh.complain(&[n, b": not found"]);
                    }
                    status = 1;
                }
                (true, true) => out.extend_from_slice(&[&n[..], b"\n"].concat()),
                (true, false) => out.extend_from_slice(&sh.function_text(n)),
            }
        }
        let r = sh.write_out(&out)?;
        return Ok(if r != 0 { r } else { status });
    }
    if names.is_empty() {
        return match (asked.only_local, asked.print || asked.set != 0) {
            (true, _) => list_locals(sh),
            (false, true) => list(sh, asked.set, false),
            (false, false) => list(sh, 0, true),
        };
    }
    if asked.print {
        return print_named(sh, names);
    }
    if asked.global {
        asked.local = false;
    }
    each(sh, args, at, asked)
}

/// Sets attributes of functions.
fn function_attributes(sh: &mut Shell, names: &[Bytes], which: u16, on: bool) -> Flow {
    let mut status = 0;
    for n in names {
        let Some(f) = Arc::make_mut(&mut sh.functions).get_mut(n).map(Arc::make_mut) else {
            sh.complain(&[n, b": not a function"]);
            status = 1;
            continue;
        };
        if which & attr::EXPORT != 0 {
            f.exported = on;
            sh.exports_functions = true;
        }
        if which & attr::READONLY != 0 {
            f.readonly |= on;
        }
        if which & attr::TRACE != 0 {
            f.traced = on;
        }
    }
    sh.vars.exports_changed();
    Ok(status)
}

/// The operands that declare or assign.
fn each(sh: &mut Shell, args: &[Bytes], first: usize, asked: Asked) -> Flow {
    let mut status = 0;
    let compounds = std::mem::take(&mut sh.compounds);
    for (i, arg) in args.iter().enumerate().skip(first) {
        if asked.only_local && &arg[..] == b"-" {
            let options = sh.options;
            if let Some(f) = sh.frames.iter_mut().rev().find(|f| f.function) {
                f.options.get_or_insert(options);
            }
            continue;
        }
        let compound = compounds.iter().find(|c| c.index == i);
        let ok = match compound {
            Some(c) => one(sh, arg, Assigned::List(&c.elements, c.append), asked)?,
            None => match split_assignment(arg) {
                Some((target, append, value)) => {
                    one(sh, target, Assigned::Text(arg.slice_ref(value), append), asked)?
                }
                None => one(sh, arg, Assigned::Nothing, asked)?,
            },
        };
        if !ok {
            status = 1;
        }
    }
    Ok(status)
}

/// What stands after the name.
enum Assigned<'a> {
    Nothing,
    Text(Bytes, bool),
    List(&'a [Element], bool),
}

/// `name=value`, `name+=value`, `name[sub]=value`
fn split_assignment(arg: &[u8]) -> Option<(&[u8], bool, &[u8])> {
    let name = arg.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let mut at = name;
    if arg.get(at) == Some(&b'[') {
        let mut level = 0;
        for (i, b) in arg.iter().enumerate().skip(at) {
            match b {
                b'[' => level += 1,
                b']' => {
                    level -= 1;
                    if level == 0 {
                        at = i + 1;
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    let append = arg.get(at) == Some(&b'+') && arg.get(at + 1) == Some(&b'=');
    let equals = at + usize::from(append);
    match arg.get(equals) {
        Some(b'=') => Some((&arg[..at], append, &arg[equals + 1..])),
        // A bad name before `=` is still an assignment, of nothing valid.
        _ => memchr::memchr(b'=', arg).map(|n| (&arg[..n], false, &arg[n + 1..])),
    }
}

/// Declares one name. False: refused, which was told.
fn one(sh: &mut Shell, target: &[u8], value: Assigned<'_>, asked: Asked) -> Flow<bool> {
    let Some((text, sub)) = split_lvalue(target) else {
        let shown = match &value {
            Assigned::Text(v, a) => [target, if *a { b"+=" } else { b"=" }, v].concat(),
            _ => target.to_vec(),
        };
        sh.complain(&[b"`", &shown, b"': not a valid identifier"]);
        return Ok(false);
    };
    let mut name = names::intern(text);
    let sub = sub.map(Bytes::copy_from_slice);
    if asked.plain && sub.is_some() && matches!(value, Assigned::Nothing) {
        sh.complain(&[b"`", target, b"': not a valid identifier"]);
        return Ok(false);
    }
    if asked.local {
        if sh.vars.get(name).has(attr::READONLY)
            && sh.vars.get(name).level != sh.depth
            && sh.vars.get(name).level == 0
        {
            sh.complain(&[text, b": readonly variable"]);
            return Ok(false);
        }
        let before = sh.vars.get(name).clone();
        let fresh = before.level != sh.depth;
        sh.make_local(name);
        if fresh && (asked.inherit || sh.options.shopt(shopt::LOCALVAR_INHERIT)) {
            let slot = sh.vars.get_mut(name);
            slot.value = before.value;
            slot.attrs |= before.attrs & !attr::READONLY;
        }
    } else if asked.global {
        return with_global(sh, name, |sh| apply(sh, name, sub.clone(), &value, asked));
    } else if asked.set & attr::NAMEREF == 0 && asked.clear & attr::NAMEREF == 0 {
        let Some((n, _)) = sh.resolve(name) else { return Ok(false) };
        name = n;
    }
    apply(sh, name, sub, &value, asked)
}

/// Runs `f` on the global variable while a local hides it.
fn with_global(sh: &mut Shell, name: Name, f: impl FnOnce(&mut Shell) -> Flow<bool>) -> Flow<bool> {
    if sh.vars.get(name).level == 0 {
        return f(sh);
    }
    // The global is what the outermost function that made it local has saved.
    let Some((frame, at)) =
        sh.frames.iter().enumerate().find_map(|(i, fr)| {
            fr.saved.iter().position(|(n, s)| *n == name && s.level == 0).map(|p| (i, p))
        })
    else {
        return f(sh);
    };
    let global = std::mem::take(&mut sh.frames[frame].saved[at].1);
    let local = sh.vars.replace(name, global);
    let result = f(sh);
    let global = sh.vars.replace(name, local);
    sh.frames[frame].saved[at].1 = global;
    result
}

fn apply(sh: &mut Shell, name: Name, sub: Option<Bytes>, value: &Assigned<'_>, asked: Asked) -> Flow<bool> {
    let text = names::text(name);
    let slot = sh.vars.get(name);
    let assigns = !matches!(value, Assigned::Nothing);
    if slot.has(attr::READONLY) && (assigns || asked.clear & attr::READONLY != 0) {
        sh.complain(&[text, b": readonly variable"]);
        return Ok(false);
    }
    if asked.set & attr::NAMEREF != 0 {
        return nameref(sh, name, value, asked);
    }
    if asked.clear & (attr::ARRAY | attr::ASSOC) != 0 && slot.value.is_array() {
        sh.complain(&[text, b": cannot destroy array variables in this way"]);
        return Ok(false);
    }
    let mut set = asked.set & !attr::READONLY;
    if set & attr::ASSOC != 0 && matches!(slot.value, Value::Array(_)) {
        sh.complain(&[text, b": cannot convert indexed to associative array"]);
        return Ok(false);
    }
    if set & attr::ARRAY != 0 && sh.is_assoc(name) {
        sh.complain(&[text, b": cannot convert associative to indexed array"]);
        return Ok(false);
    }
    if matches!(value, Assigned::List(..)) && set & (attr::ARRAY | attr::ASSOC) == 0 && !sh.is_assoc(name) {
        set |= attr::ARRAY;
    }
    if sub.is_some() && set & (attr::ARRAY | attr::ASSOC) == 0 && !sh.is_assoc(name) {
        set |= attr::ARRAY;
    }
    {
        let slot = sh.vars.get_mut(name);
        // The last of -l, -u, -c wins.
        let case = attr::LOWER | attr::UPPER | attr::CAPCASE;
        if set & case != 0 {
            slot.attrs &= !case;
        }
        slot.attrs |= set | attr::DECLARED;
        slot.attrs &= !(asked.clear & !attr::READONLY);
        make_array(slot, set);
    }
    if (set | asked.clear) & attr::EXPORT != 0 {
        sh.vars.exports_changed();
    }
    let ok = match value {
        Assigned::Nothing => true,
        Assigned::Text(v, append) => {
            // `declare -a x='(1 2)'`: text in parentheses is read as a list.
            if sub.is_none()
                && v.first() == Some(&b'(')
                && v.last() == Some(&b')')
                && sh.vars.get(name).attrs & (attr::ARRAY | attr::ASSOC) != 0
            {
                let body = [text, if *append { b"+=" } else { b"=" }, v].concat();
                let mut parser = crate::syntax::Parser::new(Bytes::from(body), sh.line);
                if let Ok(Some(unit)) = parser.next_command(&Default::default())
                    && let [item] = &unit.list.items[..]
                    && let [command] = &item.and_or.first.stages[..]
                    && let crate::syntax::ir::CommandKind::Simple(simple) = &command.kind
                    && let [assignment] = &simple.assignments[..]
                    && simple.words.is_empty()
                {
                    sh.assign_one(assignment)?;
                    return finish(sh, name, asked);
                }
            }
            let key = match &sub {
                None => None,
                Some(s) => match sh.key_from_text(name, s)? {
                    Some(Key::At) if sh.is_assoc(name) => Some(Key::Text(Bytes::from_static(b"@"))),
                    k => k,
                },
            };
            if asked.plain && sh.watch & crate::session::shell::watch::XTRACE != 0 {
                sh.trace_exported(text, v)?;
            }
            sh.assign(name, key, Scalar::Str(v.clone()), *append)?
        }
        Assigned::List(elements, append) => sh.assign_elements(name, elements.to_vec(), *append)?,
    };
    finish(sh, name, asked).map(|f| f && ok)
}

/// Read-only comes last.
fn finish(sh: &mut Shell, name: Name, asked: Asked) -> Flow<bool> {
    if asked.set & attr::READONLY != 0 {
        sh.vars.get_mut(name).attrs |= attr::READONLY;
    }
    Ok(true)
}

/// A scalar that becomes an array is its element 0.
fn make_array(slot: &mut Slot, set: u16) {
    let old = match (&slot.value, set) {
        (Value::Int(_) | Value::Str(_), s) if s & (attr::ARRAY | attr::ASSOC) != 0 => slot.value.scalar(),
        _ => return,
    };
    let Some(old) = old else { return };
    slot.value = match set & attr::ASSOC != 0 {
        true => {
            let mut a = Assoc::default();
            a.set(Bytes::from_static(b"0"), old);
            Value::Assoc(Arc::new(a))
        }
        false => {
            let mut a = Indexed::default();
            a.set(0, old);
            Value::Array(Arc::new(a))
        }
    };
}

fn nameref(sh: &mut Shell, name: Name, value: &Assigned<'_>, asked: Asked) -> Flow<bool> {
    let text = names::text(name);
    let target = match value {
        Assigned::List(..) => {
            sh.complain(&[text, b": reference variable cannot be an array"]);
            return Ok(false);
        }
        Assigned::Text(v, _) => Some(v.clone()),
        Assigned::Nothing => sh.vars.get(name).value.text(),
    };
    if sh.vars.get(name).value.is_array() {
        sh.complain(&[text, b": reference variable cannot be an array"]);
        return Ok(false);
    }
    if let Some(t) = &target {
        let Some((to, _)) = split_lvalue(t) else {
            if t.is_empty() && matches!(value, Assigned::Nothing) {
                sh.vars.get_mut(name).attrs |= attr::NAMEREF | attr::DECLARED;
                return Ok(true);
            }
            sh.complain(&[b"`", t, b"': invalid variable name for name reference"]);
            return Ok(false);
        };
        if to == text {
            if sh.depth == 0 {
                sh.complain(&[text, b": nameref variable self references not allowed"]);
                return Ok(false);
            }
            sh.report(&[b"warning: ", text, b": circular name reference"]);
        }
    }
    let slot = sh.vars.get_mut(name);
    slot.attrs |= asked.set | attr::DECLARED;
    slot.attrs &= !asked.clear;
    if let (Some(t), Assigned::Text(..)) = (target, value) {
        slot.value = Value::Str(t);
    }
    Ok(true)
}

/// `declare -p name …`
fn print_named(sh: &mut Shell, names: &[Bytes]) -> Flow {
    let mut status = 0;
    let mut out = Vec::new();
    for n in names {
        let name = names::known(n).filter(|_| is_name(n));
        let exists = name.is_some_and(|n| sh.vars.get(n).exists() || sh.value(n).text().is_some());
        match name {
            Some(name) if exists => out.extend_from_slice(&declaration(sh, name)),
            _ => {
                let r = sh.write_out(&out)?;
                out.clear();
                if r != 0 {
                    return Ok(r);
                }
                sh.complain(&[n, b": not found"]);
                status = 1;
            }
        }
    }
    let r = sh.write_out(&out)?;
    Ok(if r != 0 { r } else { status })
}

/// `declare -x x="…"`, a line.
fn declaration(sh: &mut Shell, name: Name) -> Vec<u8> {
    let value = sh.value(name);
    let slot = sh.vars.get(name);
    let mut attrs = slot.attrs;
    match value {
        Value::Array(_) => attrs |= attr::ARRAY,
        Value::Assoc(_) => attrs |= attr::ASSOC,
        _ => {}
    }
    let letters = crate::expand::attribute_letters(attrs);
    let mut out = b"declare -".to_vec();
    match letters.is_empty() {
        true => out.push(b'-'),
        false => out.extend_from_slice(&letters),
    }
    out.push(b' ');
    out.extend_from_slice(names::text(name));
    match value {
        Value::Unset => {}
        Value::Array(_) | Value::Assoc(_) => {
            out.push(b'=');
            let list = sh.compound_text(name);
            out.extend_from_slice(&list);
        }
        v => {
            out.push(b'=');
            out.extend_from_slice(&quoting::double(&v.text().unwrap_or_default()));
        }
    }
    out.push(b'\n');
    out
}

/// All variables with all attributes of `which`; `short`: as `set` lists them.
fn list(sh: &mut Shell, which: u16, short: bool) -> Flow {
    let mut out = Vec::new();
    for (text, name) in sh.vars.sorted() {
        let value = sh.value(name);
        let mut attrs = sh.vars.get(name).attrs;
        match value {
            Value::Array(_) => attrs |= attr::ARRAY,
            Value::Assoc(_) => attrs |= attr::ASSOC,
            _ => {}
        }
        if attrs & which != which {
            continue;
        }
        if !short {
            out.extend_from_slice(&declaration(sh, name));
            continue;
        }
        let shown = match value {
            Value::Unset => continue,
            Value::Array(_) | Value::Assoc(_) => sh.compound_text(name),
            v => {
                let v = v.text().unwrap_or_default();
                if v.is_empty() { Vec::new() } else { quoting::plain(&v) }
            }
        };
        out.extend_from_slice(&[text, b"=", &shown, b"\n"].concat());
    }
    if short {
        let mut functions: Vec<Bytes> = sh.functions.keys().cloned().collect();
        functions.sort();
        for f in functions {
            out.extend_from_slice(&sh.function_text(&f));
        }
    }
    sh.write_out(&out)
}

/// `local`: the locals of the running function.
fn list_locals(sh: &mut Shell) -> Flow {
    let mut out = Vec::new();
    let depth = sh.depth;
    for (text, name) in sh.vars.sorted() {
        let slot = sh.vars.get(name);
        if slot.level != depth || !slot.is_set() {
            continue;
        }
        let shown = match slot.value.is_array() {
            true => sh.compound_text(name),
            false => quoting::plain(&slot.value.text().unwrap_or_default()),
        };
        out.extend_from_slice(&[text, b"=", &shown, b"\n"].concat());
    }
    sh.write_out(&out)
}

/// `declare -f`, `declare -F`, `export -f`, `readonly -f`
fn list_functions(sh: &mut Shell, names_only: bool, which: Option<u16>) -> Flow {
    let mut names: Vec<Bytes> = sh.functions.keys().cloned().collect();
    names.sort();
    let mut out = Vec::new();
    for n in names {
        let Some(f) = sh.functions.get(&n) else { continue };
        match which {
            Some(attr::EXPORT) if !f.exported => continue,
            Some(attr::READONLY) if !f.readonly => continue,
            _ => {}
        }
        let mut letters = b"f".to_vec();
        if f.readonly {
            letters.push(b'r');
        }
        if f.traced {
            letters.push(b't');
        }
        if f.exported {
            letters.push(b'x');
        }
        if !names_only {
            out.extend_from_slice(&sh.function_text(&n));
        }
        if names_only || letters.len() > 1 {
            out.extend_from_slice(&[b"declare -", &letters[..], b" ", &n, b"\n"].concat());
        }
    }
    sh.write_out(&out)
}
