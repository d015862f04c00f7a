//! What the start of every program has in common: its options, `--help`, `--version`, and wrong use.

use sandshell_kernel::{Bytes, Process, Result, Status};
use sandshell_text::options::{self, Order, Parsed, Spec, UsageError};

pub use sandshell_text::quote::value as quote;

/// Parses the arguments of `process` by `spec`. `--help` and `--version` print and give their status in `Err`; so
/// does wrong use, which prints getopt's message and the hint at `--help` and ends with `usage_status`.
pub fn parse(
    process: &mut Process,
    spec: &'static Spec,
    order: Order,
    usage_status: u8,
) -> Result<Result<Parsed, Status>> {
    let args: Vec<Bytes> = process.args.get(1..).unwrap_or_default().to_vec();
    let parsed = match options::parse(spec, &args, order) {
        Ok(parsed) => parsed,
        Err(UsageError(text)) => {
            process.error(format_args!("{text}"))?;
            return Ok(Err(try_help(process, usage_status)?));
        }
    };
    for found in &parsed.options {
        match found.id {
            "help" => {
                process.stdout.put(spec.help().as_bytes())?;
                return Ok(Err(Status::OK));
            }
            "version" => {
                process.stdout.text(format_args!("{}\n", spec.version))?;
                return Ok(Err(Status::OK));
            }
            _ => {}
        }
    }
    Ok(Ok(parsed))
}

/// Prints `Try 'NAME --help' for more information.` and gives the status to end with.
pub fn try_help(process: &mut Process, status: u8) -> Result<Status> {
    let line = format!("Try '{} --help' for more information.\n", process.name());
    process.write_error(line.as_bytes())?;
    Ok(Status(status))
}

/// The name as it is when the shell would read it so, else quoted for the shell; with `always`, always quoted.
pub fn shell_quote(name: &[u8], always: bool) -> String {
    match always {
        true => sandshell_text::quote::name_always(name),
        false => sandshell_text::quote::name(name),
    }
}
