//! A script that comes through standard input: it is read no further than the command that is to run, so that the
//! commands of the script read what follows them, as bash's own do.

use super::TextKind;
use crate::session::{
    options::shopt,
    shell::{Flow, Shell, Unwind, os, watch},
};
use crate::syntax::{
    ParseState, Parser,
    ir::{LineNo, SyntaxError, Unit},
};
use bytes::Bytes;
use sandshell_kernel::{Fd, stream::CHUNK};
use std::sync::Arc;

/// What is at hand of the script and not parsed yet.
struct Ahead {
    text: Bytes,
    line: LineNo,
    /// There is nothing after it.
    ended: bool,
}

impl Shell {
    /// Runs the script that descriptor 0 gives.
    pub(crate) fn run_input(&mut self) -> Flow {
        let mut ahead = Ahead { text: Bytes::new(), line: 1, ended: false };
        let mut status = 0;
        loop {
            let unit = match self.next_from_input(&mut ahead)? {
                Ok(Some(unit)) => unit,
                Ok(None) => return Ok(status),
                Err(e) => return self.syntax_error(&e, TextKind::Script),
            };
            match self.run_unit(&unit) {
                Ok(s) => status = s,
                Err(Unwind::Discard(s)) => {
                    self.status = s;
                    status = s;
                }
                Err(u) => return Err(u),
            }
            if self.watch & watch::ONECMD != 0 {
                return Err(Unwind::Exit(status));
            }
        }
    }

    /// The next complete command; what was read beyond it is given back.
    fn next_from_input(&mut self, ahead: &mut Ahead) -> Flow<Result<Option<Arc<Unit>>, SyntaxError>> {
        loop {
            let whole = if ahead.ended { ahead.text.len() } else { lines(&ahead.text) };
            if whole > 0 || ahead.ended {
                let mut parser = Parser::new(ahead.text.slice(..whole), ahead.line);
                let unit = self.parse_next(&mut parser);
                if ahead.ended || !wants_more(&unit, &parser, &ahead.text[..whole]) {
                    ahead.line = parser.line();
                    let (at_end, text) = (ahead.ended, std::mem::take(&mut ahead.text));
                    let unread = Bytes::from([&parser.rest()[..], &text[whole..]].concat());
                    match self.fd(0) {
                        // The place in a file is counted back in bytes, which dropped NULs would falsify.
                        Some(fd) if memchr::memchr(0, &text).is_none() => {
                            fd.unread(unread);
                            ahead.ended = false;
                        }
                        _ => ahead.text = unread,
                    }
                    if matches!(unit, Ok(None)) && !at_end {
                        // Blank lines and comments only.
                        self.read_ahead(ahead)?;
                        continue;
                    }
                    return Ok(unit);
                }
            }
            self.read_ahead(ahead)?;
        }
    }

    fn parse_next(&self, parser: &mut Parser) -> Result<Option<Arc<Unit>>, SyntaxError> {
        let lookup = |name: &[u8]| self.aliases.get(name).cloned();
        parser.next_command(&ParseState {
            extglob: self.options.shopt(shopt::EXTGLOB),
            aliases: if self.aliases_apply() { Some(&lookup) } else { None },
            ..ParseState::default()
        })
    }

    fn read_ahead(&mut self, ahead: &mut Ahead) -> Flow<()> {
        let chunk = match self.fd(0) {
            Some(fd) => read(self, &fd)?,
            None => Bytes::new(),
        };
        if chunk.is_empty() {
            ahead.ended = true;
        } else if ahead.text.is_empty() {
            ahead.text = chunk;
        } else {
            ahead.text = Bytes::from([&ahead.text[..], &chunk].concat());
        }
        Ok(())
    }
}

/// A chunk; an error ends the script as the end of the file does.
fn read(sh: &Shell, fd: &Fd) -> Flow<Bytes> {
    Ok(os(fd.read(&sh.budget, CHUNK))?.unwrap_or_default())
}

/// Length of the whole lines of `text`.
fn lines(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |n| n + 1)
}

/// Whether the command may go on in lines that have not been read.
fn wants_more(unit: &Result<Option<Arc<Unit>>, SyntaxError>, parser: &Parser, text: &[u8]) -> bool {
    match unit {
        Err(e) => e.at_end,
        // A here-document without its end is only warned of.
        Ok(Some(unit)) => !unit.warnings.is_empty() || (parser.rest().is_empty() && text.ends_with(b"\\\n")),
        Ok(None) => false,
    }
}
