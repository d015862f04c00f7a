//! What is said of commands as they run: `set -x`, the DEBUG trap, `time`.

use crate::expand::quoting;
use crate::session::{
    shell::{Flow, Shell, watch},
    special::known,
    traps,
};
use crate::syntax::ir::{Assignment, Simple, TimeFormat};
use bytes::Bytes;
use std::time::Duration;

impl Shell {
    /// DEBUG trap and `set -x` before a compound command's own step.
    #[cold]
    pub(super) fn before_compound(&mut self, text: &[u8]) -> Flow<()> {
        if self.watch & watch::DEBUG != 0 {
            self.command_text = Bytes::copy_from_slice(text);
            self.run_trap(traps::DEBUG)?;
        }
        if self.watch & watch::XTRACE != 0 {
            self.trace_line(text)?;
        }
        Ok(())
    }

    /// Sets BASH_COMMAND and runs the DEBUG trap, if there is one, before a simple command.
    #[cold]
    pub(super) fn note_command(&mut self, simple: &Simple) -> Flow<()> {
        let mut text = Vec::new();
        let mut add = |t: &[u8]| {
            if !text.is_empty() {
                text.push(b' ');
            }
            text.extend_from_slice(t);
        };
        for a in &simple.assignments {
            add(&a.source);
        }
        for w in &simple.words {
            match w {
                crate::syntax::ir::Arg::Word(w) => add(&w.source),
                crate::syntax::ir::Arg::Assign(a) => add(&a.source),
            }
        }
        if self.in_trap == 0 {
            self.command_text = Bytes::from(text);
        }
        match self.watch & watch::DEBUG {
            0 => Ok(()),
            _ => self.run_trap(traps::DEBUG),
        }
    }

    /// One line of `set -x`.
    #[cold]
    pub(super) fn trace_line(&mut self, text: &[u8]) -> Flow<()> {
        let mut line = self.trace_prefix()?;
        line.extend_from_slice(text);
        line.push(b'\n');
        self.write_trace(&line);
        Ok(())
    }

    fn write_trace(&mut self, line: &[u8]) {
        let fd = self.vars.get(known().xtracefd).value.text();
        let n = fd.and_then(|t| std::str::from_utf8(&t).ok()?.parse().ok()).unwrap_or(2);
        if let Some(fd) = self.files.fds.get(n).cloned() {
            let _ = fd.write_slice(&self.budget, line);
        }
    }

    /// PS4, expanded; its first character once more for every level of substitution.
    fn trace_prefix(&mut self) -> Flow<Vec<u8>> {
        let Some(ps4) = self.vars.get(known().ps4).value.text() else { return Ok(Vec::new()) };
        // Expanding it must neither trace nor change `$?`.
        let (watch, status, substitution) = (self.watch, self.status, self.substitution_status);
        self.watch &= !watch::XTRACE;
        let options = self.options;
        self.options.put(crate::session::options::opt::XTRACE, false);
        let text = self.prompt(&ps4);
        self.options = options;
        (self.watch, self.status, self.substitution_status) = (watch, status, substitution);
        let text = text?;
        let n = crate::expand::case::char_len(&text, self.utf8).unwrap_or(0);
        let mut out = text[..n].repeat(self.trace_level as usize + 1);
        out.extend_from_slice(&text[n..]);
        Ok(out)
    }

    #[cold]
    pub(super) fn trace_command(&mut self, args: &[Bytes]) -> Flow<()> {
        for c in std::mem::take(&mut self.compounds) {
            // A list is shown as the assignment that it is, before the builtin.
            let mut text = args[c.index].to_vec();
            text.extend_from_slice(if c.append { b"+=(" } else { b"=(" });
            for (n, e) in c.elements.iter().enumerate() {
                if n > 0 {
                    text.push(b' ');
                }
                if let Some(k) = &e.key {
                    text.extend_from_slice(&[b"[", &k[..], b"]="].concat());
                }
                sandshell_text::quote::single(&e.value, &mut text);
            }
            text.push(b')');
            self.trace_line(&text)?;
            self.compounds.push(c);
        }
        let mut text = Vec::new();
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                text.push(b' ');
            }
            text.extend_from_slice(&quoting::plain(a));
        }
        self.trace_line(&text)
    }

    /// `name='value'`, which `export` and `readonly` show besides themselves.
    #[cold]
    pub(crate) fn trace_exported(&mut self, name: &[u8], value: &[u8]) -> Flow<()> {
        self.trace_line(&[name, b"=", &quoting::plain(value)].concat())
    }

    #[cold]
    pub(super) fn trace_assignment(&mut self, a: &Assignment, value: &[u8]) -> Flow<()> {
        let mut text = left_side(a);
        match value.is_empty() {
            true => {}
            false => text.extend_from_slice(&quoting::plain(value)),
        }
        self.trace_line(&text)
    }

    /// The report of `time`. Processor time is not measured apart: user shows the elapsed time of the script's threads.
    #[cold]
    pub(super) fn report_time(&mut self, format: TimeFormat, elapsed: Duration) -> Flow<()> {
        let text = match format {
            TimeFormat::Posix => Bytes::from_static(b"real %2R\nuser %2U\nsys %2S"),
            TimeFormat::Bash => match self.vars.get(known().timeformat).value.text() {
                Some(t) if t.is_empty() => return Ok(()),
                Some(t) => t,
                None => Bytes::from_static(b"\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS"),
            },
        };
        let mut out = Vec::new();
        let mut i = 0;
        while i < text.len() {
            if text[i] != b'%' || i + 1 >= text.len() {
                out.push(text[i]);
                i += 1;
                continue;
            }
            i += 1;
            let mut precision = 3;
            if text[i].is_ascii_digit() {
                precision = usize::from(text[i] - b'0').min(3);
                i += 1;
            }
            let long = text.get(i) == Some(&b'l');
            i += usize::from(long);
            let letter = text.get(i).copied().unwrap_or(0);
            i += 1;
            let value = match letter {
                b'R' | b'U' => elapsed,
                b'S' => Duration::ZERO,
                b'P' => {
                    out.extend_from_slice(b"100.00");
                    continue;
                }
                b'%' => {
                    out.push(b'%');
                    continue;
                }
                c => {
                    self.report(&[b"TIMEFORMAT: `", &[c], b"': invalid format character"]);
                    return Ok(());
                }
            };
            let millis = value.as_millis() as u64;
            let (seconds, fraction) = (millis / 1000, millis % 1000);
            let fraction = format!("{fraction:03}");
            let dot = if precision > 0 { format!(".{}", &fraction[..precision]) } else { String::new() };
            let shown = match long {
                true => format!("{}m{}{}s", seconds / 60, seconds % 60, dot),
                false => format!("{seconds}{dot}"),
            };
            out.extend_from_slice(shown.as_bytes());
        }
        out.push(b'\n');
        self.write_error(&out);
        Ok(())
    }
}

/// `name=`, `name[sub]+=` as written.
fn left_side(a: &Assignment) -> Vec<u8> {
    let end = memchr::memchr(b'=', &a.source).map_or(a.source.len(), |n| n + 1);
    match &a.subscript {
        None => a.source[..end].to_vec(),
        Some(_) => {
            let close = memchr::memmem::find(&a.source, b"]=")
                .or(memchr::memmem::find(&a.source, b"]+=").map(|n| n + 1));
            a.source[..close.map_or(end, |n| n + 2)].to_vec()
        }
    }
}
