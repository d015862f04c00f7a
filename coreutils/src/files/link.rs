//! `link`: a hard link by the bare call.

use super::{extra_operand, missing_operand, misuse};
use sandshell_kernel::{Process, Result, Status};
use sandshell_text::{options::Spec, quote};

program!(
    /// `link`
    Link,
    run,
    Spec {
        name: "link",
        about: "Call the link function to create a link named FILE2 to an existing FILE1.",
        synopsis: &["FILE1 FILE2", "OPTION"],
        options: &[],
        notes: "",
        version: "link (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    let (from, to) = match &parsed.operands[..] {
        [] => return missing_operand(p),
        [one] => return misuse(p, format_args!("missing operand after {}", quote::value(one))),
        [from, to] => (from, to),
        [_, _, extra, ..] => return extra_operand(p, extra),
    };
    if let Err(e) = p.files.link(from, to) {
        let (from, to) = (quote::name_always(from), quote::name_always(to));
        p.complain(format_args!("cannot create link {to} to {from}"), e)?;
        return Ok(Status::FAILURE);
    }
    Ok(Status::OK)
}
