//! `mkdir`: makes directories, with those above them if asked.

use super::{missing_operand, mode::ModeChange, trim_slashes};
use sandshell_kernel::{Errno, Error, Process, Result, Status};
use sandshell_text::{
    options::{Example, Opt, Spec},
    quote,
};

program!(
    /// `mkdir`
    Mkdir,
    run,
    Spec {
        name: "mkdir",
        about: "Create the DIRECTORY(ies), if they do not already exist.",
        synopsis: &["[OPTION]... DIRECTORY..."],
        options: &[
            Opt::new('m', "mode", "set file mode (as in chmod), not a=rwx - umask").value("MODE"),
            Opt::new('p', "parents", "no error if existing, make parent directories as needed, with their file modes unaffected by any -m option."),
            Opt::new('v', "verbose", "print a message for each created directory"),
        ],
        notes: "",
        version: "mkdir (GNU coreutils) 9.1",
        examples: &[Example { script: "mkdir -pv a/b", output: "mkdir: created directory 'a'\nmkdir: created directory 'a/b'\n" }],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.operands.is_empty() {
        return missing_operand(p);
    }
    let umask = p.files.umask;
    let mode = match parsed.last("mode") {
        None => None,
        Some(text) => match ModeChange::parse(text) {
            Some(m) => Some(m.apply(0o777, true, umask).0),
            None => {
                p.error(format_args!("invalid mode {}", quote::value(text)))?;
                return Ok(Status::FAILURE);
            }
        },
    };
    let (parents, verbose) = (parsed.has("parents"), parsed.has("verbose"));
    let mut status = Status::OK;
    for name in &parsed.operands {
        p.budget.step()?;
        match make(p, name, mode, parents, verbose) {
            Ok(()) => {}
            Err((at, e)) => {
                p.complain(format_args!("cannot create directory {}", quote::value(&at)), e)?;
                status = Status::FAILURE;
            }
        }
    }
    Ok(status)
}

/// Makes one; on failure the path that could not be made.
fn make(
    p: &mut Process,
    name: &[u8],
    mode: Option<u32>,
    parents: bool,
    verbose: bool,
) -> Result<(), (Vec<u8>, Error)> {
    if parents {
        let trimmed = trim_slashes(name);
        for (i, _) in trimmed.iter().enumerate().filter(|(i, b)| **b == b'/' && *i > 0) {
            let above = &name[..i];
            if above.ends_with(b"/") || p.files.stat_cheap(above, true).is_ok_and(|(s, _)| s.is_dir()) {
                continue;
            }
            // Those above can be written and searched by the owner whatever the umask.
            let umask = p.files.umask;
            let made = p.files.mkdir(above, 0o777);
            match made {
                Ok(()) => {
                    if umask & 0o300 != 0 {
                        p.files.chmod(above, 0o777 & !umask | 0o300).map_err(|e| (above.to_vec(), e))?;
                    }
                    told(p, above, verbose).map_err(|e| (above.to_vec(), e))?;
                }
                Err(Error::Os(Errno::EEXIST))
                    if p.files.stat_cheap(above, true).is_ok_and(|(s, _)| s.is_dir()) => {}
                Err(Error::Os(Errno::EEXIST)) => return Err((above.to_vec(), Errno::ENOTDIR.into())),
                Err(e) => return Err((above.to_vec(), e)),
            }
        }
    }
    let failed = |e| (name.to_vec(), e);
    match p.files.mkdir(name, mode.unwrap_or(0o777)) {
        Ok(()) => {}
        Err(Error::Os(Errno::EEXIST))
            if parents && p.files.stat_cheap(name, true).is_ok_and(|(s, _)| s.is_dir()) =>
        {
            return Ok(());
        }
        Err(e) => return Err(failed(e)),
    }
    if let Some(mode) = mode {
        p.files.chmod(name, mode).map_err(failed)?;
    }
    told(p, name, verbose).map_err(failed)
}

fn told(p: &mut Process, name: &[u8], verbose: bool) -> Result<()> {
    if verbose {
        let line = format!("{}: created directory {}\n", p.name(), quote::name_always(name));
        p.stdout.put(line.as_bytes())?;
    }
    Ok(())
}
