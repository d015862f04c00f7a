//! Programs about files: ls, cp, mv, rm, stat, du, …

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::{options::Parsed, quote};

/// A program of this family: its name in the code, what runs it, and its [`Spec`](sandshell_text::options::Spec).
macro_rules! program {
    ($(#[$doc:meta])* $name:ident, $run:path, $spec:expr) => {
        $(#[$doc])*
        pub struct $name;

        impl sandshell_kernel::Program for $name {
            fn spec(&self) -> &'static sandshell_text::options::Spec {
                static SPEC: sandshell_text::options::Spec = $spec;
                &SPEC
            }

            fn run(&self, p: &mut sandshell_kernel::Process) -> sandshell_kernel::Result<sandshell_kernel::Status> {
                $run(p, self.spec())
            }
        }
    };
}
pub(crate) use program;

/// The options of the program, or its status when there is nothing more to do.
macro_rules! parse {
    ($p:expr, $spec:expr) => {
        match crate::cli::parse($p, $spec, sandshell_text::options::Order::Permute, 1)? {
            Ok(parsed) => parsed,
            Err(status) => return Ok(status),
        }
    };
}

mod backup;
mod basename;
mod canonical;
mod chmod;
mod chown;
mod copy;
mod cp;
mod dd;
mod df;
mod dirname;
mod du;
mod file;
mod install;
mod link;
mod ln;
pub(crate) mod ls;
mod mkdir;
mod mkfifo;
mod mktemp;
pub(crate) mod mode;
mod mv;
mod pathchk;
mod readlink;
mod realpath;
mod rm;
mod rmdir;
pub(crate) mod sizes;
pub(crate) mod stat;
mod sync;
mod targets;
pub(crate) mod times;
mod touch;
mod tree;
mod truncate;
mod unlink;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[
    &basename::Basename,
    &chmod::Chmod,
    &chown::Chgrp,
    &chown::Chown,
    &cp::Cp,
    &dd::Dd,
    &df::Df,
    &dirname::Dirname,
    &ls::Dir,
    &du::Du,
    &file::FileProgram,
    &install::Install,
    &link::Link,
    &ln::Ln,
    &ls::Ls,
    &ls::Vdir,
    &mkdir::Mkdir,
    &mkfifo::Mkfifo,
    &mktemp::Mktemp,
    &mv::Mv,
    &pathchk::Pathchk,
    &readlink::Readlink,
    &realpath::Realpath,
    &rm::Rm,
    &rmdir::Rmdir,
    &stat::StatProgram,
    &sync::Sync,
    &touch::Touch,
    &tree::Tree,
    &truncate::Truncate,
    &unlink::Unlink,
];

/// Prints `NAME: TEXT` and the hint at `--help`; status 1.
pub(crate) fn misuse(p: &mut Process, text: std::fmt::Arguments<'_>) -> Result<Status> {
    p.error(text)?;
    cli::try_help(p, 1)
}

/// `missing operand`
pub(crate) fn missing_operand(p: &mut Process) -> Result<Status> {
    misuse(p, format_args!("missing operand"))
}

/// `extra operand ‘x’`
pub(crate) fn extra_operand(p: &mut Process, x: &[u8]) -> Result<Status> {
    misuse(p, format_args!("extra operand {}", quote::value(x)))
}

/// A choice among words, each of which may be abbreviated as long as what it means is clear (gnulib's argmatch).
pub(crate) fn choose<T: Copy + PartialEq>(
    p: &mut Process,
    option: &str,
    text: &[u8],
    choices: &[(&str, T)],
) -> Result<Result<T, Status>> {
    let starts = || choices.iter().filter(|(w, _)| w.as_bytes().starts_with(text));
    if let Some((_, t)) = choices.iter().find(|(w, _)| w.as_bytes() == text) {
        return Ok(Ok(*t));
    }
    let first = starts().next().map(|(_, t)| *t).filter(|_| !text.is_empty());
    if let Some(t) = first
        && starts().all(|(_, other)| *other == t)
    {
        return Ok(Ok(t));
    }
    let what = if first.is_some() { "ambiguous" } else { "invalid" };
    p.error(format_args!("{what} argument {} for {}", quote::value(text), quote::value(option.as_bytes())))?;
    let mut list = String::from("Valid arguments are:");
    for (i, (word, t)) in choices.iter().enumerate() {
        let same = i > 0 && choices[i - 1].1 == *t;
        list.push_str(if same { ", " } else { "\n  - " });
        list.push_str(&quote::value(word.as_bytes()));
    }
    list.push('\n');
    p.write_error(list.as_bytes())?;
    Ok(Err(cli::try_help(p, 1)?))
}

/// The part behind the last slash, slashes at the end aside; `/` for the root.
pub(crate) fn base(path: &[u8]) -> &[u8] {
    let trimmed = trim_slashes(path);
    match memchr::memrchr(b'/', trimmed) {
        Some(i) if trimmed.len() > 1 => &trimmed[i + 1..],
        _ => trimmed,
    }
}

/// The part before the last name, as dirname(3) gives it.
pub(crate) fn dir(path: &[u8]) -> &[u8] {
    let trimmed = trim_slashes(path);
    match memchr::memrchr(b'/', trimmed) {
        None => b".",
        Some(i) => {
            let above = trim_slashes(&trimmed[..i]);
            if above.is_empty() { b"/" } else { above }
        }
    }
}

/// Without the slashes at its end; the root stays.
pub(crate) fn trim_slashes(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&b| b != b'/').map_or(path.len().min(1), |i| i + 1);
    &path[..end]
}

/// `dir/name`
pub(crate) fn join(dir: &[u8], name: &[u8]) -> Bytes {
    let mut path = Vec::with_capacity(dir.len() + name.len() + 1);
    path.extend_from_slice(dir);
    if !dir.is_empty() && !dir.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    Bytes::from(path)
}

/// Asks on standard error; whether the answer on standard input begins with `y`.
pub(crate) fn confirmed(p: &mut Process, question: std::fmt::Arguments<'_>) -> Result<bool> {
    let text = format!("{}: {question}", p.name());
    p.write_error(text.as_bytes())?;
    let answer = p.stdin.line(b'\n')?;
    Ok(answer.is_some_and(|l| matches!(l.bytes.first(), Some(b'y' | b'Y'))))
}

/// The last of these options that was given.
pub(crate) fn last_of<'a>(parsed: &'a Parsed, ids: &[&str]) -> Option<&'a str> {
    parsed.options.iter().rev().map(|f| f.id).find(|id| ids.contains(id))
}

/// The end of a line: a newline, or NUL with the option.
pub(crate) fn line_end(parsed: &Parsed) -> u8 {
    if parsed.has("zero") { 0 } else { b'\n' }
}

/// The order of `-v`: numbers within names by their value.
pub(crate) fn version_order(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    crate::textual::sort::keys::version(a, b)
}
