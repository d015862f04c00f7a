//! `echo` and `printf`.

use crate::session::{
    array::Scalar,
    options::{opt, shopt},
    shell::{Flow, Shell},
};
use bytes::Bytes;
use sandshell_text::{
    date::{self, Dialect, Moment, Zone},
    escape::{Escapes, unescape},
    printf::{Flavor, Format, Host},
};

pub fn echo(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut newline = true;
    let mut escapes = sh.options.shopt & shopt::XPG_ECHO != 0;
    let mut at = 1;
    if !(escapes && sh.options.on(opt::POSIX)) {
        while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
            if letters.is_empty() || !letters.iter().all(|l| matches!(l, b'n' | b'e' | b'E')) {
                break;
            }
            for l in letters {
                match l {
                    b'n' => newline = false,
                    b'e' => escapes = true,
                    _ => escapes = false,
                }
            }
            at += 1;
        }
    }
    let mut out = std::mem::take(&mut sh.scratch);
    out.clear();
    for (i, a) in args[at..].iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        match escapes {
            false => out.extend_from_slice(a),
            true => {
                if !unescape(a, Escapes::Echo, &mut out) {
                    newline = false;
                    break;
                }
            }
        }
    }
    if newline {
        out.push(b'\n');
    }
    let r = sh.write_out(&out);
    if out.capacity() < 1 << 16 {
        sh.scratch = out;
    }
    r
}

/// Bytes of the longest `%(…)T`.
const TIME_MAX: usize = 128;

/// What `printf` asks of the shell.
struct Asked<'a> {
    sh: &'a mut Shell,
    /// Messages, and how much of the output comes before each.
    messages: Vec<(usize, String)>,
    assigned: Vec<(Bytes, usize)>,
}

impl Host for Asked<'_> {
    fn complain(&mut self, text: &str) {
        self.complain_after(text, 0);
    }

    fn complain_after(&mut self, text: &str, written: usize) {
        self.messages.push((written, text.to_owned()));
    }

    fn time(&mut self, format: &[u8], seconds: i64, out: &mut Vec<u8>) {
        let seconds = match seconds {
            -1 => sandshell_kernel::Time::now().seconds(),
            -2 => self.sh.seconds_base,
            s => s,
        };
        let start = out.len();
        self.sh.format_time(format, seconds, out);
        // What does not fit bash's buffer is not shown at all.
        if out.len() - start >= TIME_MAX {
            out.truncate(start);
        }
    }

    fn assign(&mut self, name: &[u8], bytes: usize) {
        self.assigned.push((Bytes::copy_from_slice(name), bytes));
    }

    fn room(&mut self, bytes: usize) -> bool {
        self.sh.budget.reserve(bytes as u64).is_ok()
    }
}

const PRINTF_USAGE: &str = "printf [-v var] format [arguments]";

pub fn printf(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut at = 1;
    let mut variable = None;
    loop {
        match args.get(at).map(|a| &a[..]) {
            Some(b"--") => {
                at += 1;
                break;
            }
            Some(b"-v") => {
                let Some(name) = args.get(at + 1) else {
                    sh.complain(&[b"-v: option requires an argument"]);
                    return sh.usage(PRINTF_USAGE);
                };
                variable = Some(name.clone());
                at += 2;
            }
            Some([b'-', b'v', name @ ..]) => {
                variable = Some(Bytes::copy_from_slice(name));
                at += 1;
            }
            Some([b'-', l, ..]) => return sh.invalid_option(&[b'-', *l], PRINTF_USAGE),
            _ => break,
        }
    }
    if let Some(v) = &variable
        && crate::session::access::split_lvalue(v).is_none()
    {
        sh.complain(&[b"`", v, b"': not a valid identifier"]);
        return Ok(2);
    }
    let Some(format) = args.get(at) else { return sh.usage(PRINTF_USAGE) };
    let mut out = std::mem::take(&mut sh.scratch);
    out.clear();
    let parsed = match sh.format.take() {
        Some((text, parsed)) if text == *format => parsed,
        _ => Format::new(format, Flavor::Bash),
    };
    let mut asked = Asked { sh, messages: Vec::new(), assigned: Vec::new() };
    let outcome = parsed.run(&args[at + 1..], &mut out, &mut asked);
    let (messages, assigned) = (asked.messages, asked.assigned);
    if format.len() <= 1024 {
        sh.format = Some((format.clone(), parsed));
    }
    let mut status = outcome.status;
    // Output and messages in their order, as both may go to one place; standard output is line-buffered.
    let mut from = 0;
    for (to, text) in messages {
        if variable.is_none()
            && let Some(end) = memchr::memrchr(b'\n', &out[from..to])
        {
            sh.write_out(&out[from..from + end + 1])?;
            from += end + 1;
        }
        sh.complain(&[text.as_bytes()]);
    }
    for (name, n) in assigned {
        if !sh.assign_text(&name, Scalar::Int(n as i64))? {
            status = 1;
        }
    }
    match variable {
        Some(v) => {
            if !sh.assign_text(&v, Scalar::Str(Bytes::copy_from_slice(&out)))? {
                status = 1;
            }
        }
        None => {
            let written = sh.write_out(&out[from..])?;
            if written != 0 {
                status = written;
            }
        }
    }
    if out.capacity() < 1 << 16 {
        sh.scratch = out;
    }
    Ok(status)
}

impl Shell {
    /// `%(…)T`, in the zone that TZ names.
    pub(crate) fn format_time(&mut self, format: &[u8], seconds: i64, out: &mut Vec<u8>) {
        let zone = Zone::named(self.lookup(b"TZ").as_deref());
        let format = if format.is_empty() { b"%X" } else { format };
        date::format(format, Moment { seconds, nanos: 0 }, &zone, Dialect::Libc, out);
    }
}
