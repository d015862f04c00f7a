//! `rmdir`: removes empty directories.

use super::{missing_operand, trim_slashes};
use sandshell_kernel::{Errno, Error, Process, Result, Status};
use sandshell_text::{
    options::{Opt, Spec},
    quote,
};

program!(
    /// `rmdir`
    Rmdir,
    run,
    Spec {
        name: "rmdir",
        about: "Remove the DIRECTORY(ies), if they are empty.",
        synopsis: &["[OPTION]... DIRECTORY..."],
        options: &[
            Opt::long("ignore-fail-on-non-empty", "ignore each failure to remove a non-empty directory"),
            Opt::new('p', "parents", "remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b' is similar to 'rmdir a/b a'"),
            Opt::new('v', "verbose", "output a diagnostic for every directory processed"),
        ],
        notes: "",
        version: "rmdir (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.operands.is_empty() {
        return missing_operand(p);
    }
    let (parents, verbose) = (parsed.has("parents"), parsed.has("verbose"));
    let ignore = parsed.has("ignore-fail-on-non-empty");
    let mut status = Status::OK;
    for name in &parsed.operands {
        let mut at = &name[..];
        loop {
            p.budget.step()?;
            if verbose {
                let line = format!("{}: removing directory, {}\n", p.name(), quote::name_always(at));
                p.stdout.put(line.as_bytes())?;
            }
            if let Err(e) = p.files.rmdir(at) {
                let full = matches!(e, Error::Os(Errno::ENOTEMPTY | Errno::EEXIST));
                if !(ignore && full) {
                    let what =
                        if at.len() < name.len() { "failed to remove directory" } else { "failed to remove" };
                    p.complain(format_args!("{what} {}", quote::name_always(at)), e)?;
                    status = Status::FAILURE;
                }
                break;
            }
            let trimmed = trim_slashes(at);
            match memchr::memrchr(b'/', trimmed) {
                Some(i) if parents && i > 0 => at = trim_slashes(&trimmed[..i]),
                _ => break,
            }
        }
    }
    Ok(status)
}
