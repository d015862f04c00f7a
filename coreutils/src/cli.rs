//! What the start of every program has in common: its options, `--help`, `--version`, and wrong use. Also the two
//! ways in which GNU programs quote a name in a message.

use sandshell_kernel::{Bytes, Process, Result, Status};
use sandshell_text::options::{self, Order, Parsed, Spec, UsageError};

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

/// `‘name’`, as gnulib's `quote` does in a UTF-8 locale: unprintable bytes as C escapes.
pub fn quote(name: &[u8]) -> String {
    let mut out = String::from("‘");
    escape_into(&mut out, name, '’');
    out.push('’');
    out
}

fn escape_into(out: &mut String, name: &[u8], closing: char) {
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\x07' => out.push_str("\\a"),
                '\x08' => out.push_str("\\b"),
                '\x0b' => out.push_str("\\v"),
                '\x0c' => out.push_str("\\f"),
                c if c == closing => {
                    out.push('\\');
                    out.push(c);
                }
                c if c.is_control() => {
                    let mut b = [0; 4];
                    c.encode_utf8(&mut b).bytes().for_each(|b| octal(out, b));
                }
                c => out.push(c),
            }
        }
        chunk.invalid().iter().for_each(|&b| octal(out, b));
    }
}

fn octal(out: &mut String, b: u8) {
    out.push('\\');
    out.extend([b >> 6, b >> 3 & 7, b & 7].map(|d| char::from(b'0' + d)));
}

/// The name as it is when the shell would read it so, else quoted for the shell: gnulib's `quotef`
/// (`shell-escape`). With `always`, `quoteaf`.
pub fn shell_quote(name: &[u8], always: bool) -> String {
    let special = |b: u8| !(b.is_ascii_alphanumeric() || b"%+,-./:@]_{}".contains(&b) || b >= 0x80);
    let text = std::str::from_utf8(name);
    let plain = text.is_ok() && !name.is_empty() && !name.iter().any(|b| b.is_ascii_control());
    if let (true, Ok(text)) = (plain, text) {
        if !always && !name.iter().any(|&b| special(b) && b != b'#' && b != b'~') && !b"#~".contains(&name[0])
        {
            return text.to_owned();
        }
        if name.contains(&b'\'') && !name.iter().any(|b| b"\"$`\\!".contains(b)) {
            return format!("\"{text}\"");
        }
    }
    // Unprintable bytes stand in `$'…'` between the quoted rest.
    let mut out = String::from("'");
    let mut ansi = false;
    let mut set = |out: &mut String, on: bool| {
        if on != ansi {
            out.push_str(if on { "'$'" } else { "''" });
            ansi = on;
        }
    };
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() {
                set(&mut out, true);
                let mut one = String::new();
                let mut b = [0; 4];
                escape_into(&mut one, c.encode_utf8(&mut b).as_bytes(), '\'');
                out.push_str(&one);
            } else if c == '\'' {
                set(&mut out, false);
                out.push_str("'\\''");
            } else {
                set(&mut out, false);
                out.push(c);
            }
        }
        for &b in chunk.invalid() {
            set(&mut out, true);
            octal(&mut out, b);
        }
    }
    out.push('\'');
    out
}
