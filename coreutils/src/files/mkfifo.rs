//! `mkfifo`: makes named pipes.

use super::{missing_operand, mode::ModeChange};
use sandshell_kernel::{Process, Result, Status};
use sandshell_text::{
    options::{Opt, Spec},
    quote,
};

program!(
    /// `mkfifo`
    Mkfifo,
    run,
    Spec {
        name: "mkfifo",
        about: "Create named pipes (FIFOs) with the given NAMEs.",
        synopsis: &["[OPTION]... NAME..."],
        options: &[
            Opt::new('m', "mode", "set file permission bits to MODE, not a=rw - umask").value("MODE"),
        ],
        notes: "",
        version: "mkfifo (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.operands.is_empty() {
        return missing_operand(p);
    }
    let mut mode = None;
    if let Some(text) = parsed.last("mode") {
        let Some(m) = ModeChange::parse(text) else {
            p.error(format_args!("invalid mode"))?;
            return Ok(Status::FAILURE);
        };
        let bits = m.apply(0o666, false, p.files.umask).0;
        if bits & !0o777 != 0 {
            p.error(format_args!("mode must specify only file permission bits"))?;
            return Ok(Status::FAILURE);
        }
        mode = Some(bits);
    }
    let mut status = Status::OK;
    for name in &parsed.operands {
        let made = p.files.mkfifo(name, mode.unwrap_or(0o666));
        let made = made.and_then(|()| mode.map_or(Ok(()), |m| p.files.chmod(name, m)));
        if let Err(e) = made {
            p.complain(format_args!("cannot create fifo {}", quote::name_always(name)), e)?;
            status = Status::FAILURE;
        }
    }
    Ok(status)
}
