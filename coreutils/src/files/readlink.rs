//! `readlink`: the text of a link, or a canonical path.

use super::{
    canonical::{Links, Must, canonical},
    last_of, missing_operand,
};
use sandshell_kernel::{Error, Process, Result, Status};
use sandshell_text::{
    options::{Example, Opt, Spec},
    quote,
};

program!(
    /// `readlink`
    Readlink,
    run,
    Spec {
        name: "readlink",
        about: "Print value of a symbolic link or canonical file name",
        synopsis: &["[OPTION]... FILE..."],
        options: &[
            Opt::new('f', "canonicalize", "canonicalize by following every symlink in every component of the given name recursively; all but the last component must exist"),
            Opt::new('e', "canonicalize-existing", "canonicalize by following every symlink in every component of the given name recursively, all components must exist"),
            Opt::new('m', "canonicalize-missing", "canonicalize by following every symlink in every component of the given name recursively, without requirements on components existence"),
            Opt::new('n', "no-newline", "do not output the trailing delimiter"),
            Opt::new('q', "quiet", ""),
            Opt::new('s', "silent", "suppress most error messages (on by default)"),
            Opt::new('v', "verbose", "report error messages"),
            Opt::new('z', "zero", "end each output line with NUL, not newline"),
        ],
        notes: "",
        version: "readlink (GNU coreutils) 9.1",
        examples: &[Example { script: "ln -s target l; readlink l", output: "target\n" }],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.operands.is_empty() {
        return missing_operand(p);
    }
    let how = last_of(&parsed, &["canonicalize", "canonicalize-existing", "canonicalize-missing"]);
    let verbose = last_of(&parsed, &["quiet", "silent", "verbose"]) == Some("verbose");
    let many = parsed.operands.len() > 1;
    let no_newline = parsed.has("no-newline");
    if no_newline && many {
        p.error(format_args!("ignoring --no-newline with multiple arguments"))?;
    }
    let end = super::line_end(&parsed);
    let mut status = Status::OK;
    for file in &parsed.operands {
        let result = match how {
            None => p.files.read_link(file),
            Some("canonicalize-existing") => canonical(&p.files, file, Must::All, Links::Physical),
            Some("canonicalize-missing") => canonical(&p.files, file, Must::None, Links::Physical),
            Some(_) => canonical(&p.files, file, Must::AllButLast, Links::Physical),
        };
        match result {
            Ok(text) => {
                p.stdout.put(&text)?;
                if !no_newline || many {
                    p.stdout.byte(end)?;
                }
            }
            Err(e @ Error::Os(_)) => {
                status = Status::FAILURE;
                if verbose {
                    p.complain(format_args!("{}", quote::name(file)), e)?;
                }
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(status)
}
