//! `envsubst` of GNU gettext: puts the values of environment variables into a text.

use crate::cli;
use sandshell_kernel::{Env, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `envsubst`
pub struct Envsubst;

static SPEC: Spec = Spec {
    name: "envsubst",
    about: "Substitutes the values of environment variables.",
    synopsis: &["[OPTION] [SHELL-FORMAT]"],
    options: &[
        Opt::new('v', "variables", "output the variables occurring in SHELL-FORMAT"),
        Opt::short('h', ""),
        Opt::short('V', ""),
    ],
    notes: "\
In normal operation mode, standard input is copied to standard output,
with references to environment variables of the form $VARIABLE or ${VARIABLE}
being replaced with the corresponding values.  If a SHELL-FORMAT is given,
only those environment variables that are referenced in SHELL-FORMAT are
substituted; otherwise all environment variables references occurring in
standard input are substituted.
",
    version: "envsubst (GNU gettext-runtime) 0.21",
    examples: &[Example { script: "echo 'hi $NAME' | NAME=Bo envsubst", output: "hi Bo\n" }],
};

/// The reference that `text` begins with (`$NAME` or `${NAME}`): the name, and the length of the whole.
fn reference(text: &[u8]) -> Option<(&[u8], usize)> {
    let braced = text.get(1) == Some(&b'{');
    let from = if braced { 2 } else { 1 };
    let rest = text.get(from..)?;
    let first = rest.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    let n = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    match (first, braced) {
        (false, _) => None,
        (true, false) => Some((&rest[..n], from + n)),
        (true, true) => (rest.get(n) == Some(&b'}')).then(|| (&rest[..n], from + n + 1)),
    }
}

/// The names that a text refers to.
fn names(text: &[u8]) -> Vec<&[u8]> {
    memchr::memchr_iter(b'$', text).filter_map(|i| reference(&text[i..])).map(|r| r.0).collect()
}

/// Appends `text` with its references replaced.
fn substitute(text: &[u8], env: &Env, only: Option<&[&[u8]]>, out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(n) = memchr::memchr(b'$', &text[at..]) {
        out.extend_from_slice(&text[at..at + n]);
        at += n;
        match reference(&text[at..]) {
            Some((name, len)) if only.is_none_or(|o| o.contains(&name)) => {
                if let Some(value) = std::str::from_utf8(name).ok().and_then(|n| env.get(n)) {
                    out.extend_from_slice(value);
                }
                at += len;
            }
            _ => {
                out.push(b'$');
                at += 1;
            }
        }
    }
    out.extend_from_slice(&text[at..]);
}

impl Program for Envsubst {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(parsed) => parsed,
            Err(status) => return Ok(status),
        };
        if parsed.has("h") {
            process.stdout.put(SPEC.help().as_bytes())?;
            return Ok(Status::OK);
        }
        if parsed.has("V") {
            process.stdout.line(SPEC.version.as_bytes())?;
            return Ok(Status::OK);
        }
        if parsed.operands.len() > 1 {
            process.error(format_args!("too many arguments"))?;
            return Ok(Status::FAILURE);
        }
        let format = parsed.operands.first();
        if parsed.has("variables") {
            let Some(format) = format else {
                process.error(format_args!("missing arguments"))?;
                return Ok(Status::FAILURE);
            };
            for name in names(format) {
                process.stdout.line(name)?;
            }
            return Ok(Status::OK);
        }
        let only = format.map(|f| names(f));
        let env = process.env.clone();
        let mut out = Vec::new();
        while let Some(chunk) = process.stdin.next_lines(b'\n')? {
            process.budget.step()?;
            out.clear();
            substitute(&chunk, &env, only.as_deref(), &mut out);
            process.stdout.put(&out)?;
        }
        Ok(Status::OK)
    }
}
