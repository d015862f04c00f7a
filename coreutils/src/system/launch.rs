//! Running another program by name, as env, timeout, nice and nohup do: found first, with their statuses.

use crate::cli;
use sandshell_kernel::{Errno, Error, Process, Result, Spawn, Status};

/// Runs `spawn`, or prints `PROGRAM: PREFIX‘name’: strerror` and gives 127 (not found) or 126 (not to be run).
pub fn launch(process: &mut Process, spawn: Spawn, prefix: &str) -> Result<Status> {
    let name = spawn.argv.first().cloned().unwrap_or_default();
    match process.spawner().clone().find(&name, &spawn.env, &spawn.files) {
        Ok(_) => process.run(spawn),
        Err(Error::Os(e)) => {
            // nohup alone quotes the name for the shell.
            let nohup = process.name() == "nohup";
            let quoted = if nohup { cli::shell_quote(&name, true) } else { cli::quote(&name) };
            process.error(format_args!("{prefix}{quoted}: {e}"))?;
            Ok(Status(if e == Errno::ENOENT { 127 } else { 126 }))
        }
        Err(stop) => Err(stop),
    }
}

/// Seconds with a fraction and a unit `s m h d`, as sleep and timeout read them.
pub fn duration(text: &[u8]) -> Option<std::time::Duration> {
    let text = std::str::from_utf8(text).ok()?;
    let (number, unit) = match text.char_indices().last()? {
        (i, 's') => (&text[..i], 1.0),
        (i, 'm') => (&text[..i], 60.0),
        (i, 'h') => (&text[..i], 3600.0),
        (i, 'd') => (&text[..i], 86400.0),
        _ => (text, 1.0),
    };
    let seconds = match number {
        "inf" | "infinity" => f64::INFINITY,
        n if n.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+')) => {
            n.parse::<f64>().ok()?
        }
        _ => return None,
    };
    (seconds >= 0.0)
        .then(|| std::time::Duration::try_from_secs_f64(seconds * unit).unwrap_or(std::time::Duration::MAX))
}
