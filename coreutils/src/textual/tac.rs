//! `tac`: the records of each file in reverse.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `tac`
pub struct Tac;

static SPEC: Spec = Spec {
    name: "tac",
    about: "Write each FILE to standard output, last line first.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('b', "before", "attach the separator before instead of after"),
        Opt::new('r', "regex", "interpret the separator as a regular expression"),
        Opt::new('s', "separator", "use STRING as the separator instead of newline").value("STRING"),
    ],
    notes: "",
    version: "tac (GNU coreutils) 9.1",
    examples: &[Example { script: "seq 3 | tac", output: "3\n2\n1\n" }],
};

impl Program for Tac {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let has = |id| parsed.options.iter().any(|f| f.id == id);
        let (before, regex) = (has("before"), has("regex"));
        let separator = parsed.last("separator").cloned().unwrap_or(Bytes::from_static(b"\n"));
        let separator = if separator.is_empty() { Bytes::from_static(b"\0") } else { separator };
        let pattern = if regex {
            match sandshell_text::regex::Regex::new(
                &separator,
                sandshell_text::regex::Syntax::Bre,
                sandshell_text::regex::Flags::default(),
            ) {
                Ok(r) => Some(r),
                Err(e) => {
                    process.error(format_args!("{e}"))?;
                    return Ok(Status::FAILURE);
                }
            }
        } else {
            None
        };
        let mut status = Status::OK;
        for name in inputs::or_stdin(parsed.operands) {
            let Some(mut input) = inputs::open_for_tac(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            let all = input.read_all()?;
            let _held = process.budget.reserve(all.len() as u64)?;
            // Start and end of each separator.
            let found: Box<dyn DoubleEndedIterator<Item = (usize, usize)>> = match &pattern {
                Some(r) => {
                    let mut spans = Vec::new();
                    let mut at = 0;
                    while let Some((a, b)) = r.find_at(&all, at) {
                        process.budget.step()?;
                        if b == a {
                            at = b + 1;
                            if at > all.len() {
                                break;
                            }
                            continue;
                        }
                        spans.push((a, b));
                        at = b;
                    }
                    Box::new(spans.into_iter())
                }
                None if separator.len() == 1 => {
                    Box::new(memchr::memchr_iter(separator[0], &all).map(|i| (i, i + 1)))
                }
                None => {
                    let spans: Vec<_> = memchr::memmem::find_iter(&all, &separator)
                        .map(|i| (i, i + separator.len()))
                        .collect();
                    Box::new(spans.into_iter())
                }
            };
            let mut end = all.len();
            for (from, to) in found.rev() {
                let cut = if before { from } else { to };
                if cut == end && !before {
                    continue;
                }
                if before || cut < end {
                    process.stdout.put(&all[cut..end])?;
                    end = cut;
                }
                process.budget.step()?;
            }
            process.stdout.put(&all[..end])?;
        }
        Ok(status)
    }
}
