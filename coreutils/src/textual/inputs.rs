//! Operands of text programs: opened one after the other, with the messages of the coreutils.

use sandshell_kernel::{Bytes, Errno, Error, Input, Process, Result};

/// The operands, or standard input alone when there are none.
pub fn or_stdin(operands: Vec<Bytes>) -> Vec<Bytes> {
    if operands.is_empty() { vec![Bytes::from_static(b"-")] } else { operands }
}

/// Opens `name`, or prints `PROGRAM: name: strerror` and gives `None`.
pub fn open(process: &mut Process, name: &[u8]) -> Result<Option<Input>> {
    match process.open_input(name) {
        Ok(input) => Ok(Some(input)),
        Err(e) => {
            process.complain(format_args!("{}", crate::cli::shell_quote(name, false)), e)?;
            Ok(None)
        }
    }
}

/// Opens `name` with the messages of head and tail: `cannot open ‘x’ for reading: …`, and for a directory, which
/// opens but cannot be read, `error reading ‘x’: Is a directory`.
pub fn open_for_reading(process: &mut Process, name: &[u8]) -> Result<Option<Input>> {
    match process.open_input(name) {
        Ok(input) => Ok(Some(input)),
        Err(e) => {
            let quoted = crate::cli::shell_quote(name, true);
            match e {
                Error::Os(Errno::EISDIR) => process.complain(format_args!("error reading {quoted}"), e)?,
                _ => process.complain(format_args!("cannot open {quoted} for reading"), e)?,
            }
            Ok(None)
        }
    }
}

/// Opens `name` with tac's messages.
pub fn open_for_tac(process: &mut Process, name: &[u8]) -> Result<Option<Input>> {
    match process.open_input(name) {
        Ok(input) => Ok(Some(input)),
        Err(e @ Error::Os(Errno::EISDIR)) => {
            process.complain(format_args!("{}: read error", crate::cli::shell_quote(name, false)), e)?;
            Ok(None)
        }
        Err(e) => {
            let quoted = crate::cli::shell_quote(name, true);
            process.complain(format_args!("failed to open {quoted} for reading"), e)?;
            Ok(None)
        }
    }
}

/// Whether `name` is `-`, standard input.
pub fn is_stdin(name: &[u8]) -> bool {
    name == b"-"
}
