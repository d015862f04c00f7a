//! `unlink`: removes a file by the bare call.

use super::{extra_operand, missing_operand};
use sandshell_kernel::{Process, Result, Status};
use sandshell_text::{options::Spec, quote};

program!(
    /// `unlink`
    Unlink,
    run,
    Spec {
        name: "unlink",
        about: "Call the unlink function to remove the specified FILE.",
        synopsis: &["FILE", "OPTION"],
        options: &[],
        notes: "",
        version: "unlink (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    let file = match &parsed.operands[..] {
        [] => return missing_operand(p),
        [file] => file,
        [_, extra, ..] => return extra_operand(p, extra),
    };
    if let Err(e) = p.files.unlink(file) {
        p.complain(format_args!("cannot unlink {}", quote::name_always(file)), e)?;
        return Ok(Status::FAILURE);
    }
    Ok(Status::OK)
}
