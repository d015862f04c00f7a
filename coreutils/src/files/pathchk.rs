//! `pathchk`: whether names can be used here, or anywhere.

use super::missing_operand;
use sandshell_kernel::{Errno, Error, Process, Result, Status};
use sandshell_text::{
    options::{Opt, Spec},
    quote,
};

program!(
    /// `pathchk`
    Pathchk,
    run,
    Spec {
        name: "pathchk",
        about: "Diagnose invalid or non-portable file names.",
        synopsis: &["[OPTION]... NAME..."],
        options: &[
            Opt::short('p', "check for most POSIX systems"),
            Opt::short('P', "check for empty names and leading \"-\""),
            Opt::long("portability", "check for all POSIX systems (equivalent to -p -P)"),
        ],
        notes: "",
        version: "pathchk (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.operands.is_empty() {
        return missing_operand(p);
    }
    let posix = parsed.has("p") || parsed.has("portability");
    let extra = parsed.has("P") || parsed.has("portability");
    let mut status = Status::OK;
    for name in &parsed.operands {
        if let Some(fault) = fault(p, name, posix, extra)? {
            p.error(format_args!("{fault}"))?;
            status = Status::FAILURE;
        }
    }
    Ok(status)
}

fn fault(p: &Process, name: &[u8], posix: bool, extra: bool) -> Result<Option<String>> {
    let parts = || name.split(|&b| b == b'/').filter(|s| !s.is_empty());
    if extra && parts().any(|s| s[0] == b'-') {
        return Ok(Some(format!("leading '-' in a component of file name {}", quote::name_always(name))));
    }
    if (posix || extra) && name.is_empty() {
        return Ok(Some("empty file name".into()));
    }
    if posix {
        let portable = |b: &u8| b.is_ascii_alphanumeric() || b"._-/".contains(b);
        if let Some(at) = name.iter().position(|b| !portable(b)) {
            let len = std::str::from_utf8(&name[at..])
                .ok()
                .and_then(|s| s.chars().next())
                .map_or(1, char::len_utf8);
            let bad = quote::value(&name[at..at + len]);
            return Ok(Some(format!(
                "nonportable character {bad} in file name {}",
                quote::name_always(name)
            )));
        }
        if name.len() >= 256 {
            let n = name.len();
            return Ok(Some(format!(
                "limit 255 exceeded by length {n} of file name {}",
                quote::name_always(name)
            )));
        }
        if let Some(long) = parts().find(|s| s.len() > 14) {
            let (n, part) = (long.len(), quote::value(long));
            return Ok(Some(format!("limit 14 exceeded by length {n} of file name component {part}")));
        }
        return Ok(None);
    }
    match p.files.stat_cheap(name, false) {
        Ok(_) => Ok(None),
        Err(Error::Os(Errno::ENOENT)) if !name.is_empty() => Ok(None),
        Err(Error::Os(Errno::ENAMETOOLONG)) => {
            if let Some(long) = parts().find(|s| s.len() > 255) {
                let (n, part) = (long.len(), quote::value(long));
                return Ok(Some(format!("limit 255 exceeded by length {n} of file name component {part}")));
            }
            let n = name.len();
            Ok(Some(format!("limit 4095 exceeded by length {n} of file name {}", quote::name_always(name))))
        }
        Err(Error::Os(e)) => Ok(Some(format!("{}: {e}", quote::name(name)))),
        Err(stop) => Err(stop),
    }
}
