//! `type` and `command`: what a name means, and running it without functions.

use crate::session::{
    options::shopt,
    shell::{Flow, Shell},
};
use bytes::Bytes;
use sandshell_kernel::FileKind;
use sandshell_text::quote;

/// What a name is.
enum Meaning {
    Alias(Bytes),
    Keyword,
    Function,
    Builtin(bool),
    Hashed(Bytes),
    File(Bytes),
}

pub(super) const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
    "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// How meanings are looked for and shown.
#[derive(Clone, Copy, Default)]
struct How {
    all: bool,
    skip_functions: bool,
    kind_only: bool,
    path_only: bool,
    force_path: bool,
    /// `command -v`
    short: bool,
}

pub fn type_of(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut how = How::default();
    let mut at = 1;
    while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
        if letters.is_empty() {
            break;
        }
        at += 1;
        if letters == b"-" {
            break;
        }
        for &l in letters {
            match l {
                b'a' => how.all = true,
                b'f' => how.skip_functions = true,
                b't' => (how.kind_only, how.path_only) = (true, false),
                b'p' => (how.path_only, how.kind_only) = (true, false),
                b'P' => (how.path_only, how.force_path, how.kind_only) = (true, true, false),
                l => return sh.invalid_option(&[b'-', l], "type [-afptP] name [name ...]"),
            }
        }
    }
    let mut status = 0;
    let mut out = Vec::new();
    for name in &args[at..] {
        let found = meanings(sh, name, how);
        if found.is_empty() {
            status = 1;
            if !how.kind_only && !how.path_only {
                let r = sh.write_out(&out)?;
                out.clear();
                if r != 0 {
                    return Ok(r);
                }
                sh.complain(&[name, b": not found"]);
            }
        }
        for m in found {
            describe(sh, name, &m, how, &mut out);
        }
    }
    let r = sh.write_out(&out)?;
    Ok(if r != 0 { r } else { status })
}

fn meanings(sh: &mut Shell, name: &Bytes, how: How) -> Vec<Meaning> {
    let mut found = Vec::new();
    macro_rules! add {
        ($m:expr) => {{
            found.push($m);
            if !how.all {
                return found;
            }
        }};
    }
    if !how.force_path {
        if sh.options.shopt(shopt::EXPAND_ALIASES)
            && let Some(a) = sh.aliases.get(name)
        {
            add!(Meaning::Alias(a.clone()));
        }
        if std::str::from_utf8(name).is_ok_and(|n| KEYWORDS.contains(&n)) {
            add!(Meaning::Keyword);
        }
        if !how.skip_functions && sh.functions.contains_key(name) {
            add!(Meaning::Function);
        }
        if let Some(b) = super::find(name)
            && !sh.disabled.as_ref().is_some_and(|d| d.contains(name))
        {
            add!(Meaning::Builtin(b.special));
        }
    }
    if name.contains(&b'/') {
        if sh.script.runnable(name, &sh.files).is_ok() {
            add!(Meaning::File(name.clone()));
        }
        return found;
    }
    if !how.all {
        if let Some((path, _)) = sh.hashed.get(name) {
            add!(Meaning::Hashed(path.clone()));
        }
        if let Some(path) = sh.search_path(name) {
            add!(Meaning::File(path));
        }
        return found;
    }
    let dirs = sh.vars.get(crate::session::special::known().path).value.text().unwrap_or_default();
    for dir in dirs.split(|&b| b == b':') {
        let full = crate::session::script::join(if dir.is_empty() { b"." } else { dir }, name);
        let ours = matches!(dir, b"/usr/bin" | b"/bin") && sh.script.programs.contains(name);
        let file = sh
            .files
            .stat_cheap(&full, true)
            .is_ok_and(|(s, _)| s.kind == FileKind::File && s.mode & 0o111 != 0);
        if ours || file {
            found.push(Meaning::File(full));
        }
    }
    found
}

fn describe(sh: &mut Shell, name: &Bytes, m: &Meaning, how: How, out: &mut Vec<u8>) {
    if how.kind_only {
        out.extend_from_slice(match m {
            Meaning::Alias(_) => b"alias\n",
            Meaning::Keyword => b"keyword\n",
            Meaning::Function => b"function\n",
            Meaning::Builtin(_) => b"builtin\n",
            _ => b"file\n",
        });
        return;
    }
    if how.path_only {
        if let Meaning::File(p) | Meaning::Hashed(p) = m {
            out.extend_from_slice(p);
            out.push(b'\n');
        }
        return;
    }
    if how.short {
        match m {
            Meaning::Alias(a) => {
                out.extend_from_slice(&[b"alias ", &name[..], b"="].concat());
                quote::single(a, out);
            }
            Meaning::File(p) | Meaning::Hashed(p) => out.extend_from_slice(p),
            _ => out.extend_from_slice(name),
        }
        out.push(b'\n');
        return;
    }
    out.extend_from_slice(name);
    match m {
        Meaning::Alias(a) => out.extend_from_slice(&[b" is aliased to `", &a[..], b"'\n"].concat()),
        Meaning::Keyword => out.extend_from_slice(b" is a shell keyword\n"),
        Meaning::Function => {
            out.extend_from_slice(b" is a function\n");
            let text = sh.function_text(name);
            out.extend_from_slice(&text);
        }
        Meaning::Builtin(special) => {
            let posix = sh.options.on(crate::session::options::opt::POSIX);
            out.extend_from_slice(match *special && posix {
                true => b" is a special shell builtin\n",
                false => b" is a shell builtin\n",
            });
        }
        Meaning::Hashed(p) => out.extend_from_slice(&[b" is hashed (", &p[..], b")\n"].concat()),
        Meaning::File(p) => out.extend_from_slice(&[b" is ", &p[..], b"\n"].concat()),
    }
}

const COMMAND_USAGE: &str = "command [-pVv] command [arg ...]";

pub fn command(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut how = None;
    let mut default_path = false;
    let mut at = 1;
    while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
        if letters.is_empty() {
            break;
        }
        at += 1;
        if letters == b"-" {
            break;
        }
        for &l in letters {
            match l {
                b'p' => default_path = true,
                b'v' => how = Some(How { short: true, ..How::default() }),
                b'V' => how = Some(How::default()),
                l => return sh.invalid_option(&[b'-', l], COMMAND_USAGE),
            }
        }
    }
    let rest = args.get(at..).unwrap_or(&[]);
    if let Some(how) = how {
        let mut status = if rest.is_empty() { 0 } else { 1 };
        let mut out = Vec::new();
        for name in rest {
            let found = meanings(sh, name, how);
            match found.first() {
                Some(m) => {
                    describe(sh, name, m, how, &mut out);
                    status = 0;
                }
                None if !how.short => {
                    let r = sh.write_out(&out)?;
                    out.clear();
                    if r != 0 {
                        return Ok(r);
                    }
                    sh.complain(&[name, b": not found"]);
                }
                None => {}
            }
        }
        let r = sh.write_out(&out)?;
        return Ok(if r != 0 { r } else { status });
    }
    let Some(name) = rest.first() else { return Ok(0) };
    if let Some(b) = super::find(name) {
        return sh.run_builtin(b, rest);
    }
    sh.builtin = "";
    if default_path {
        let name = name.clone();
        if let Some(path) = sh.script.search(&name, b"/bin:/usr/bin:/sbin:/usr/sbin", &sh.files) {
            std::sync::Arc::make_mut(&mut sh.hashed).insert(name, (path, 0));
        }
    }
    sh.run_external(rest.to_vec())
}

impl Shell {
    /// A function as `declare -f` prints it.
    pub(crate) fn function_text(&self, name: &[u8]) -> Vec<u8> {
        match self.functions.get(name) {
            Some(f) => {
                let mut text = crate::syntax::print::function(&f.def);
                if !text.ends_with(b"\n") {
                    text.push(b'\n');
                }
                text
            }
            None => Vec::new(),
        }
    }
}
