//! `sync`: everything is in memory and as safe as it gets, so only the operands are looked at.

use sandshell_kernel::{OpenOptions, Process, Result, Status};
use sandshell_text::{
    options::{Opt, Spec},
    quote,
};

program!(
    /// `sync`
    Sync,
    run,
    Spec {
        name: "sync",
        about: "Synchronize cached writes to persistent storage\n\nIf one or more files are specified, sync only them,\nor their containing file systems.",
        synopsis: &["[OPTION] [FILE]..."],
        options: &[
            Opt::new('d', "data", "sync only file data, no unneeded metadata"),
            Opt::new('f', "file-system", "sync the file systems that contain the files"),
        ],
        notes: "",
        version: "sync (GNU coreutils) 9.1",
        examples: &[],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if parsed.has("data") && parsed.has("file-system") {
        p.error(format_args!("cannot specify both --data and --file-system"))?;
        return Ok(Status::FAILURE);
    }
    if parsed.has("data") && parsed.operands.is_empty() {
        p.error(format_args!("--data needs at least one argument"))?;
        return Ok(Status::FAILURE);
    }
    let mut status = Status::OK;
    for file in &parsed.operands {
        if let Err(e) = p.files.open(file, OpenOptions::READ) {
            p.complain(format_args!("error opening {}", quote::name_always(file)), e)?;
            status = Status::FAILURE;
        }
    }
    Ok(status)
}
