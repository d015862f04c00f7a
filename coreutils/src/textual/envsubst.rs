//! `envsubst`: `$NAME` and `${NAME}` from the environment.

use crate::cli;
use sandshell_kernel::{Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `envsubst`
pub struct Envsubst;

static SPEC: Spec = Spec {
    name: "envsubst",
    about: "Substitutes the values of environment variables.",
    synopsis: &["[OPTION] [SHELL-FORMAT]"],
    options: &[Opt::new('v', "variables", "output the variables occurring in SHELL-FORMAT")],
    notes: "In normal operation mode, standard input is copied to standard output,\nwith references to environment variables of the form $VARIABLE or ${VARIABLE}\nbeing replaced with the corresponding values.  If a SHELL-FORMAT is given,\nonly those environment variables that are referenced in SHELL-FORMAT are\nsubstituted; otherwise all environment variables references occurring in\nstandard input are substituted.",
    version: "envsubst (GNU gettext-runtime) 0.21",
    examples: &[Example { script: "echo 'hi $NAME' | NAME=ada envsubst", output: "hi ada\n" }],
};

/// The name that begins behind the `$` at `at`, and where the reference ends.
fn reference(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let brace = text.get(at + 1) == Some(&b'{');
    let start = at + 1 + usize::from(brace);
    let rest = text.get(start..)?;
    if !rest.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_') {
        return None;
    }
    let n = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let end = start + n;
    if brace && text.get(end) != Some(&b'}') {
        return None;
    }
    Some((&text[start..end], end + usize::from(brace)))
}

impl Program for Envsubst {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        if parsed.operands.len() > 1 {
            process.error(format_args!("too many arguments"))?;
            return Ok(Status::FAILURE);
        }
        let names = |text: &[u8]| {
            let mut out: Vec<Vec<u8>> = Vec::new();
            let mut at = 0;
            while let Some(i) = memchr::memchr(b'$', &text[at..]) {
                at += i;
                match reference(text, at) {
                    Some((name, end)) => {
                        out.push(name.to_vec());
                        at = end;
                    }
                    None => at += 1,
                }
            }
            out
        };
        if parsed.has("variables") {
            let Some(format) = parsed.operands.first() else {
                process.error(format_args!("missing arguments"))?;
                return Ok(Status::FAILURE);
            };
            for n in names(format) {
                process.stdout.line(&n)?;
            }
            return Ok(Status::OK);
        }
        let only = parsed.operands.first().map(|f| names(f));
        let mut line = Vec::new();
        loop {
            line.clear();
            if process.stdin.read_line(b'\n', &mut line)? == 0 {
                return Ok(Status::OK);
            }
            process.budget.step()?;
            let mut at = 0;
            while let Some(i) = memchr::memchr(b'$', &line[at..]) {
                process.stdout.put(&line[at..at + i])?;
                at += i;
                let known = reference(&line, at)
                    .filter(|(name, _)| only.as_ref().is_none_or(|o| o.iter().any(|n| n == name)));
                match known {
                    Some((name, end)) => {
                        let value = std::str::from_utf8(name).ok().and_then(|n| process.env.get(n)).cloned();
                        process.stdout.put(&value.unwrap_or_default())?;
                        at = end;
                    }
                    None => {
                        process.stdout.byte(b'$')?;
                        at += 1;
                    }
                }
            }
            process.stdout.put(&line[at..])?;
        }
    }
}
