//! `compgen`, `complete`, `compopt`: nothing completes here, but scripts ask for lists, and files that define completions are
//! sourced.

use super::options::Options;
use crate::session::{
    array::bash_hash,
    options::{SET_OPTIONS, SHELL_OPTIONS},
    shell::{Flow, Shell},
    traps::SIGNALS,
    vars::attr,
};
use crate::syntax::{ParseState, names, parse_word};
use bytes::Bytes;
use sandshell_text::{
    glob::{Glob, GlobFlags},
    quote,
};
use std::sync::Arc;

const COMPGEN_USAGE: &str = "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] \
                             [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]";
const COMPLETE_USAGE: &str = "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] \
                              [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]";
const COMPOPT_USAGE: &str = "compopt [-o|+o option] [-DEI] [name ...]";

/// The actions: letter (0 = none) and name, in the order in which they are printed.
static ACTIONS: &[(u8, &str)] = &[
    (b'a', "alias"),
    (b'b', "builtin"),
    (b'c', "command"),
    (b'd', "directory"),
    (b'e', "export"),
    (b'f', "file"),
    (b'g', "group"),
    (b'j', "job"),
    (b'k', "keyword"),
    (b's', "service"),
    (b'u', "user"),
    (b'v', "variable"),
    (0, "arrayvar"),
    (0, "binding"),
    (0, "disabled"),
    (0, "enabled"),
    (0, "function"),
    (0, "helptopic"),
    (0, "hostname"),
    (0, "running"),
    (0, "setopt"),
    (0, "shopt"),
    (0, "signal"),
    (0, "stopped"),
];

static OPTIONS: &[&str] =
    &["bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"];

/// What `complete` was told for one command.
#[derive(Clone, Debug, Default)]
pub struct Completion {
    options: u16,
    actions: u32,
    glob: Option<Bytes>,
    words: Option<Bytes>,
    prefix: Option<Bytes>,
    suffix: Option<Bytes>,
    filter: Option<Bytes>,
    command: Option<Bytes>,
    function: Option<Bytes>,
}

/// The names under which the completions of `-D`, `-E`, `-I` are kept.
const DEFAULT: &[u8] = b"_DefaultCmD_";
const EMPTY: &[u8] = b"_EmptycmD_";
const INITIAL: &[u8] = b"_InitialWorD_";

/// What `compgen` and `complete` have in common: the specification, and the letters `p r D E I` that were given.
fn specification(sh: &mut Shell, options: &mut Options<'_>) -> Result<(Completion, Vec<u8>), u8> {
    let mut spec = Completion::default();
    let mut letters = Vec::new();
    while let Some((letter, value)) = options.next(sh)? {
        match letter {
            b'p' | b'r' | b'D' | b'E' | b'I' => letters.push(letter),
            b'o' => match OPTIONS.iter().position(|o| o.as_bytes() == &value[..]) {
                Some(n) => spec.options |= 1 << n,
                None => {
                    sh.complain(&[&value, b": invalid option name"]);
                    return Err(2);
                }
            },
            b'A' => match ACTIONS.iter().position(|a| a.1.as_bytes() == &value[..]) {
                Some(n) => spec.actions |= 1 << n,
                None => {
                    sh.complain(&[&value, b": invalid action name"]);
                    return Err(2);
                }
            },
            b'G' => spec.glob = Some(value),
            b'W' => spec.words = Some(value),
            b'P' => spec.prefix = Some(value),
            b'S' => spec.suffix = Some(value),
            b'X' => spec.filter = Some(value),
            b'C' => spec.command = Some(value),
            b'F' => spec.function = Some(value),
            l => {
                if let Some(n) = ACTIONS.iter().position(|a| a.0 == l) {
                    spec.actions |= 1 << n;
                }
            }
        }
    }
    Ok((spec, letters))
}

pub fn compgen(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "abcdefgjksuvo:A:G:W:P:S:X:F:C:", COMPGEN_USAGE);
    let (spec, _) = match specification(sh, &mut options) {
        Ok(s) => s,
        Err(status) => return Ok(status),
    };
    let word = options.operands().first().cloned().unwrap_or_default();
    if spec.function.is_some() {
        sh.complain(&[b"warning: -F option may not work as you expect"]);
    }
    if spec.command.is_some() {
        sh.complain(&[b"warning: -C option may not work as you expect"]);
    }
    let mut found = generate(sh, &spec, &word)?;
    if found.is_empty() && spec.options & 0b111 != 0 {
        let only_directories = spec.options & 0b011 == 0;
        found = files(sh, &word, only_directories)?;
    }
    if found.is_empty() {
        return Ok(1);
    }
    let mut out = Vec::new();
    for f in found {
        out.extend_from_slice(&f);
        out.push(b'\n');
    }
    sh.write_out(&out)
}

/// All completions of `word`.
fn generate(sh: &mut Shell, spec: &Completion, word: &Bytes) -> Flow<Vec<Bytes>> {
    let mut all = Vec::new();
    for (n, (_, action)) in ACTIONS.iter().enumerate() {
        if spec.actions & 1 << n != 0 {
            act(sh, action, word, &mut all)?;
        }
    }
    if let Some(g) = &spec.glob {
        all.extend(sh.glob(g)?);
    }
    if let Some(w) = &spec.words {
        let words = word_list(sh, w)?;
        all.extend(words.into_iter().filter(|w| w.starts_with(word)));
    }
    if let Some(f) = &spec.function {
        from_function(sh, f, word, &mut all)?;
    }
    if let Some(c) = &spec.command {
        let mut text = [b"$(", &c[..], b" compgen "].concat();
        quote::single(word, &mut text);
        text.extend_from_slice(b" '')");
        let word = parse_word(&text.into(), &ParseState::default()).ok();
        let output = match word {
            Some(w) => sh.expand_single(&w)?,
            None => Bytes::new(),
        };
        all.extend(output.split(|&b| b == b'\n').filter(|l| !l.is_empty()).map(Bytes::copy_from_slice));
    }
    if let Some(pattern) = &spec.filter {
        filter(&mut all, pattern, word);
    }
    if spec.prefix.is_some() || spec.suffix.is_some() {
        let (prefix, suffix) =
            (spec.prefix.clone().unwrap_or_default(), spec.suffix.clone().unwrap_or_default());
        for a in &mut all {
            *a = [&prefix[..], a, &suffix].concat().into();
        }
    }
    if spec.options & 1 << 7 != 0 {
        all.extend(files(sh, word, true)?);
    }
    Ok(all)
}

/// Drops what matches the pattern, or with `!` what does not; `&` in it is the word.
fn filter(all: &mut Vec<Bytes>, pattern: &[u8], word: &[u8]) {
    let (keep, pattern) = match pattern.strip_prefix(b"!") {
        Some(p) => (true, p),
        None => (false, pattern),
    };
    let mut text = Vec::new();
    let mut i = 0;
    while i < pattern.len() {
        match pattern[i] {
            b'\\' if pattern.get(i + 1) == Some(&b'&') => {
                text.push(b'&');
                i += 1;
            }
            b'&' => text.extend_from_slice(word),
            b => text.push(b),
        }
        i += 1;
    }
    let glob = Glob::new(&text, GlobFlags { extglob: true, ..GlobFlags::default() });
    all.retain(|a| glob.matches(a) == keep);
}

/// `-W`: split at IFS outside quotes; each word is expanded.
fn word_list(sh: &mut Shell, text: &Bytes) -> Flow<Vec<Bytes>> {
    let class = sh.ifs.class.clone();
    let mut words = Vec::new();
    let mut from = None;
    let mut quote = 0u8;
    let mut i = 0;
    while i <= text.len() {
        let b = text.get(i).copied();
        let ends = match b {
            None => true,
            Some(b) => quote == 0 && class[b as usize] != 0,
        };
        if ends {
            if let Some(start) = std::mem::take(&mut from) {
                words.push(text.slice(start..i));
            }
            quote = 0;
        } else {
            from.get_or_insert(i);
            match b {
                Some(b'\\') if quote != b'\'' => i += usize::from(i + 1 < text.len()),
                Some(q @ (b'\'' | b'"')) if quote == 0 => quote = q,
                Some(q) if q == quote => quote = 0,
                _ => {}
            }
        }
        i += 1;
    }
    for w in &mut words {
        if w.iter().any(|b| matches!(b, b'$' | b'`' | b'\\' | b'\'' | b'"' | b'~'))
            && let Ok(parsed) = parse_word(w, &ParseState::default())
        {
            *w = sh.expand_single(&parsed)?;
        }
    }
    Ok(words)
}

/// `-F`: the function fills COMPREPLY.
fn from_function(sh: &mut Shell, function: &Bytes, word: &Bytes, all: &mut Vec<Bytes>) -> Flow<()> {
    let Some(f) = sh.functions.get(function).cloned() else {
        sh.complain(&[b"warning: ", function, b": not found"]);
        return Ok(());
    };
    let reply = names::intern(b"COMPREPLY");
    sh.unset_variable(reply);
    let builtin = std::mem::take(&mut sh.builtin);
    let args = vec![function.clone(), Bytes::from_static(b"compgen"), word.clone(), Bytes::new()];
    let result = sh.call_function(&f, args);
    sh.builtin = builtin;
    result?;
    all.extend(sh.elements(reply).into_iter().map(|(_, v)| v));
    sh.unset_variable(reply);
    Ok(())
}

/// The files (or only the directories) whose path begins with `word`.
fn files(sh: &mut Shell, word: &[u8], directories: bool) -> Flow<Vec<Bytes>> {
    let cut = memchr::memrchr(b'/', word).map_or(0, |n| n + 1);
    let (dir, start) = word.split_at(cut);
    let listed = sh.files.read_dir(if dir.is_empty() { b"." } else { dir });
    let Some(entries) = crate::session::shell::os(listed)?.ok() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for e in entries {
        if !e.name.starts_with(start) || matches!(&e.name[..], b"." | b"..") {
            continue;
        }
        let path = Bytes::from([dir, &e.name[..]].concat());
        if !directories || sh.files.stat_cheap(&path, true).is_ok_and(|(s, _)| s.is_dir()) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// First fields of a file such as `/etc/passwd`.
fn first_fields(sh: &mut Shell, path: &[u8], separators: &[u8]) -> Flow<Vec<Bytes>> {
    let read = sh.files.open_read(path).and_then(|mut f| f.read_all());
    let text = crate::session::shell::os(read)?.unwrap_or_default();
    Ok(text
        .split(|&b| b == b'\n')
        .filter(|l| !l.starts_with(b"#"))
        .filter_map(|l| l.split(|b| separators.contains(b)).next())
        .filter(|f| !f.is_empty())
        .map(Bytes::copy_from_slice)
        .collect())
}

fn act(sh: &mut Shell, action: &str, word: &Bytes, all: &mut Vec<Bytes>) -> Flow<()> {
    let statics = |list: &mut dyn Iterator<Item = &'static str>| -> Vec<Bytes> {
        list.map(|n| Bytes::from_static(n.as_bytes())).collect()
    };
    let disabled = sh.disabled.clone();
    let is_off = |n: &str| disabled.as_ref().is_some_and(|d| d.contains(n.as_bytes()));
    let mut found: Vec<Bytes> = match action {
        "alias" => sh.aliases.keys().cloned().collect(),
        "builtin" => statics(&mut super::BUILTINS.iter().map(|b| b.name)),
        "enabled" => statics(&mut super::BUILTINS.iter().map(|b| b.name).filter(|n| !is_off(n))),
        "disabled" => statics(&mut super::BUILTINS.iter().map(|b| b.name).filter(|n| is_off(n))),
        "keyword" => statics(&mut super::types::KEYWORDS.iter().copied()),
        "helptopic" => statics(&mut super::help::TOPICS.iter().map(|t| t.0)),
        "setopt" => statics(&mut SET_OPTIONS.iter().map(|o| o.name)),
        "shopt" => statics(&mut SHELL_OPTIONS.iter().map(|o| o.0)),
        "signal" => SIGNALS
            .iter()
            .skip(1)
            .filter(|s| !s.is_empty())
            .map(|s| Bytes::from(format!("SIG{s}")))
            .filter(|s| s.starts_with(word))
            .collect(),
        "function" => {
            let mut names: Vec<_> = sh.functions.keys().cloned().collect();
            names.sort();
            names
        }
        "variable" | "export" | "arrayvar" => sh
            .vars
            .sorted()
            .into_iter()
            .filter(|(_, n)| {
                let slot = sh.vars.get(*n);
                match action {
                    "export" => slot.has(attr::EXPORT),
                    "arrayvar" => slot.value.is_array() || slot.has(attr::ARRAY | attr::ASSOC),
                    _ => true,
                }
            })
            .map(|(t, _)| Bytes::from_static(t))
            .collect(),
        "file" => files(sh, word, false)?,
        "directory" => files(sh, word, true)?,
        "command" => {
            for part in ["alias", "keyword", "function", "builtin"] {
                act(sh, part, word, all)?;
            }
            let mut names = sh.script.programs.names();
            names.sort();
            names
        }
        "job" | "running" => {
            let jobs = sh.jobs.list.iter().filter(|j| !j.hidden && !j.told);
            jobs.filter_map(|j| j.text.split(|&b| b == b' ').next()).map(Bytes::copy_from_slice).collect()
        }
        "user" => first_fields(sh, b"/etc/passwd", b":")?,
        "group" => first_fields(sh, b"/etc/group", b":")?,
        "service" => first_fields(sh, b"/etc/services", b" \t")?,
        "hostname" => vec![Bytes::copy_from_slice(sh.script.hostname.as_bytes())],
        _ => Vec::new(),
    };
    found.retain(|f| f.starts_with(word));
    all.extend(found);
    Ok(())
}

// `complete`

/// Where a specification is kept, by name or by one of `-D -E -I`.
fn keys(letters: &[u8], operands: &[Bytes]) -> Vec<Bytes> {
    for (letter, key) in [(b'D', DEFAULT), (b'E', EMPTY), (b'I', INITIAL)] {
        if letters.contains(&letter) {
            return vec![Bytes::from_static(key)];
        }
    }
    operands.to_vec()
}

fn describe(name: &[u8], spec: &Completion, out: &mut Vec<u8>) {
    out.extend_from_slice(b"complete ");
    for (n, o) in OPTIONS.iter().enumerate() {
        if spec.options & 1 << n != 0 {
            out.extend_from_slice(format!("-o {o} ").as_bytes());
        }
    }
    for (n, (letter, action)) in ACTIONS.iter().enumerate() {
        if spec.actions & 1 << n != 0 {
            let text =
                if *letter != 0 { format!("-{} ", char::from(*letter)) } else { format!("-A {action} ") };
            out.extend_from_slice(text.as_bytes());
        }
    }
    for (option, value) in [
        (b"-G ", &spec.glob),
        (b"-W ", &spec.words),
        (b"-P ", &spec.prefix),
        (b"-S ", &spec.suffix),
        (b"-X ", &spec.filter),
        (b"-C ", &spec.command),
    ] {
        if let Some(v) = value {
            out.extend_from_slice(option);
            quote::single(v, out);
            out.push(b' ');
        }
    }
    if let Some(f) = &spec.function {
        out.extend_from_slice(&[b"-F ", &f[..], b" "].concat());
    }
    out.extend_from_slice(shown(name));
    out.push(b'\n');
}

fn shown(name: &[u8]) -> &[u8] {
    match name {
        DEFAULT => b"-D",
        EMPTY => b"-E",
        INITIAL => b"-I",
        n => n,
    }
}

pub fn complete(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "abcdefgjksuvo:prA:G:W:P:S:X:F:C:DEI", COMPLETE_USAGE);
    let (spec, letters) = match specification(sh, &mut options) {
        Ok(s) => s,
        Err(status) => return Ok(status),
    };
    let names = keys(&letters, options.operands());
    let mut status = 0;
    if letters.contains(&b'r') {
        if names.is_empty() {
            Arc::make_mut(&mut sh.extras).completions.clear();
        }
        for n in &names {
            if Arc::make_mut(&mut sh.extras).completions.remove(n).is_none() {
                sh.complain(&[shown(n), b": no completion specification"]);
                status = 1;
            }
        }
        return Ok(status);
    }
    if letters.contains(&b'p') || args.len() == 1 {
        let mut out = Vec::new();
        if names.is_empty() {
            // In the order of bash's table, which has 512 buckets.
            let mut all: Vec<_> = sh.extras.completions.iter().collect();
            all.sort_by_key(|(n, _)| bash_hash(n) & 511);
            for (n, s) in all {
                describe(n, s, &mut out);
            }
        }
        for n in &names {
            match sh.extras.completions.get(n) {
                Some(s) => describe(n, s, &mut out),
                None => {
                    sh.complain(&[shown(n), b": no completion specification"]);
                    status = 1;
                }
            }
        }
        let written = sh.write_out(&out)?;
        return Ok(status.max(written));
    }
    if names.is_empty() {
        return sh.usage(COMPLETE_USAGE);
    }
    for n in names {
        sh.charge(n.len() as i64 + 256)?;
        Arc::make_mut(&mut sh.extras).completions.insert(n, spec.clone());
    }
    Ok(0)
}

pub fn compopt(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let (mut on, mut off) = (0u16, 0u16);
    let mut letters = Vec::new();
    let mut at = 1;
    while let Some(a) = args.get(at) {
        match &a[..] {
            b"--" => {
                at += 1;
                break;
            }
            sign @ (b"-o" | b"+o") => {
                let Some(name) = args.get(at + 1) else {
                    sh.complain(&[sign, b": option requires an argument"]);
                    return sh.usage(COMPOPT_USAGE);
                };
                let Some(n) = OPTIONS.iter().position(|o| o.as_bytes() == &name[..]) else {
                    sh.complain(&[name, b": invalid option name"]);
                    return Ok(2);
                };
                *(if sign[0] == b'-' { &mut on } else { &mut off }) |= 1 << n;
                at += 2;
            }
            [b'-', l @ (b'D' | b'E' | b'I')] => {
                letters.push(*l);
                at += 1;
            }
            [b'-', l, ..] => return sh.invalid_option(&[b'-', *l], COMPOPT_USAGE),
            _ => break,
        }
    }
    let names = keys(&letters, args.get(at..).unwrap_or(&[]));
    if names.is_empty() {
        sh.complain(&[b"not currently executing completion function"]);
        return Ok(1);
    }
    let mut status = 0;
    for n in names {
        let Some(mut spec) = sh.extras.completions.get(&n).cloned() else {
            sh.complain(&[shown(&n), b": no completion specification"]);
            status = 1;
            continue;
        };
        if on == 0 && off == 0 {
            let mut line = b"compopt ".to_vec();
            for (i, o) in OPTIONS.iter().enumerate() {
                let sign = if spec.options & 1 << i != 0 { '-' } else { '+' };
                line.extend_from_slice(format!("{sign}o {o} ").as_bytes());
            }
            line.extend_from_slice(shown(&n));
            line.push(b'\n');
            let written = sh.write_out(&line)?;
            status = status.max(written);
            continue;
        }
        spec.options = (spec.options | on) & !off;
        Arc::make_mut(&mut sh.extras).completions.insert(n, spec);
    }
    Ok(status)
}
