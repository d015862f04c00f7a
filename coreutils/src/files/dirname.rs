//! `dirname`: a path without its last part.

use super::{dir, line_end, missing_operand};
use sandshell_kernel::{Process, Result, Status};
use sandshell_text::options::{Example, Opt, Spec};

program!(
    /// `dirname`
    Dirname,
    run,
    Spec {
        name: "dirname",
        about: "Output each NAME with its last non-slash component and trailing slashes\nremoved; if NAME contains no /'s, output '.' (meaning the current directory).",
        synopsis: &["[OPTION] NAME..."],
        options: &[Opt::new('z', "zero", "end each output line with NUL, not newline")],
        notes: "",
        version: "dirname (GNU coreutils) 9.1",
        examples: &[Example { script: "dirname /usr/bin/ stdio.h", output: "/usr\n.\n" }],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.operands.is_empty() {
        return missing_operand(p);
    }
    for name in &parsed.operands {
        p.stdout.put(dir(name))?;
        p.stdout.byte(line_end(&parsed))?;
    }
    Ok(Status::OK)
}
