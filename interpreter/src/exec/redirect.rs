//! Redirections: the descriptor table is changed in order; an undo list puts it back.

use crate::session::{
    access::Key,
    array::Scalar,
    options::{opt, shopt},
    shell::{Flow, Shell, Unwind, os},
};
use crate::syntax::ir::{Redirect, RedirectFd, RedirectKind, Word};
use bytes::Bytes;
use sandshell_kernel::{Errno, Error, Fd, FdTable, FileKind, OpenOptions, stream::capture::Fixed};
use smallvec::SmallVec;

/// What descriptors pointed to before, in the order of the changes.
pub(crate) type Undo = SmallVec<[(u32, Option<Fd>); 2]>;

/// The lowest number that `{name}>` gives out.
const FIRST_FREE: u32 = 10;

impl Shell {
    /// Applies redirections. `None`: one failed (which was told) and all are undone.
    pub(crate) fn redirect(&mut self, redirects: &[Redirect]) -> Flow<Option<Undo>> {
        let mut undo = Undo::new();
        for r in redirects {
            match self.redirect_one(r, &mut undo) {
                Ok(true) => {}
                Ok(false) => {
                    self.undo_redirects(undo);
                    return Ok(None);
                }
                Err(u) => {
                    self.undo_redirects(undo);
                    return Err(u);
                }
            }
        }
        Ok(Some(undo))
    }

    /// Puts descriptors back.
    pub(crate) fn undo_redirects(&mut self, undo: Undo) {
        for (n, fd) in undo.into_iter().rev() {
            self.files.fds.set(n, fd);
        }
    }

    fn point(&mut self, n: u32, fd: Option<Fd>, undo: &mut Undo) {
        let old = self.files.fds.set(n, fd);
        undo.push((n, old));
    }

    fn redirect_one(&mut self, r: &Redirect, undo: &mut Undo) -> Flow<bool> {
        match &r.kind {
            RedirectKind::Read(w) => self.open_target(r, 0, w, OpenOptions::READ, undo),
            RedirectKind::Write(w) => {
                if self.options.on(opt::NOCLOBBER) {
                    return self.open_without_clobber(r, w, undo);
                }
                self.open_target(r, 1, w, OpenOptions::CREATE, undo)
            }
            RedirectKind::Clobber(w) => self.open_target(r, 1, w, OpenOptions::CREATE, undo),
            RedirectKind::Append(w) => self.open_target(r, 1, w, OpenOptions::APPEND, undo),
            RedirectKind::ReadWrite(w) => self.open_target(r, 0, w, OpenOptions::READ_WRITE, undo),
            RedirectKind::Both(w) => self.open_both(w, OpenOptions::CREATE, undo),
            RedirectKind::BothAppend(w) => self.open_both(w, OpenOptions::APPEND, undo),
            RedirectKind::Dup { input, word } => self.duplicate(r, *input, word, undo),
            RedirectKind::HereDoc(d) => {
                let text = self.expand_single(d.body())?;
                self.here(r, text, undo)
            }
            RedirectKind::HereString(w) => {
                let mut text = self.expand_single(w)?.to_vec();
                text.push(b'\n');
                self.here(r, Bytes::from(text), undo)
            }
        }
    }

    fn here(&mut self, r: &Redirect, text: Bytes, undo: &mut Undo) -> Flow<bool> {
        let Some(n) = self.target_fd(r, 0)? else { return Ok(false) };
        self.point(n, Some(Fixed::new(text)), undo);
        Ok(true)
    }

    /// The one field that the operand expands to.
    fn target(&mut self, w: &Word) -> Flow<Option<Bytes>> {
        let mut fields = Vec::new();
        self.expand_word(w, &mut fields)?;
        match fields.len() {
            1 => Ok(fields.pop()),
            _ => {
                self.report(&[&w.source, b": ambiguous redirect"]);
                Ok(None)
            }
        }
    }

    /// The number that is redirected, made for `{name}>`.
    fn target_fd(&mut self, r: &Redirect, default: u32) -> Flow<Option<u32>> {
        match &r.fd {
            None => Ok(Some(default)),
            Some(RedirectFd::Number(n)) if *n < FdTable::LIMIT => Ok(Some(*n)),
            Some(RedirectFd::Number(n)) => {
                self.report(&[n.to_string().as_bytes(), b": Bad file descriptor"]);
                Ok(None)
            }
            Some(RedirectFd::Variable(name, subscript)) => {
                let n = match os(self.files.fds.free(FIRST_FREE))? {
                    Ok(n) => n,
                    Err(e) => {
                        self.report(&[e.text().as_bytes()]);
                        return Ok(None);
                    }
                };
                let key = match subscript {
                    None => None,
                    Some(s) => self.key(*name, s)?,
                };
                match self.assign(*name, key, Scalar::Int(i64::from(n)), false)? {
                    true => Ok(Some(n)),
                    false => {
                        let text = crate::syntax::names::text(*name);
                        self.report(&[text, b": cannot assign fd to variable"]);
                        Ok(None)
                    }
                }
            }
        }
    }

    /// Points the descriptor; one made for `{name}>` outlives the command (unless `varredir_close`).
    fn point_target(&mut self, r: &Redirect, n: u32, fd: Fd, undo: &mut Undo) {
        match r.fd {
            Some(RedirectFd::Variable(..)) if !self.options.shopt(shopt::VARREDIR_CLOSE) => {
                self.files.fds.set(n, Some(fd));
            }
            _ => self.point(n, Some(fd), undo),
        }
    }

    fn open_target(
        &mut self,
        r: &Redirect,
        default: u32,
        w: &Word,
        how: OpenOptions,
        undo: &mut Undo,
    ) -> Flow<bool> {
        let Some(path) = self.target(w)? else { return Ok(false) };
        let Some(fd) = self.open_file(&path, how)? else { return Ok(false) };
        let Some(n) = self.target_fd(r, default)? else { return Ok(false) };
        self.point_target(r, n, fd, undo);
        Ok(true)
    }

    fn open_file(&mut self, path: &Bytes, how: OpenOptions) -> Flow<Option<Fd>> {
        if path.is_empty() {
            self.report(&[b": No such file or directory"]);
            return Ok(None);
        }
        match self.files.open(path, how) {
            Ok(fd) => Ok(Some(fd)),
            Err(Error::Stop(s)) => Err(Unwind::Stop(s)),
            Err(Error::Os(e)) => {
                self.report(&[path, b": ", e.text().as_bytes()]);
                Ok(None)
            }
        }
    }

    fn open_without_clobber(&mut self, r: &Redirect, w: &Word, undo: &mut Undo) -> Flow<bool> {
        let Some(path) = self.target(w)? else { return Ok(false) };
        let there = self.files.stat_cheap(&path, true);
        let how = match there {
            Ok((s, _)) if s.kind == FileKind::File => {
                self.report(&[&path, b": cannot overwrite existing file"]);
                return Ok(false);
            }
            Ok(_) => OpenOptions::CREATE,
            Err(_) => OpenOptions { exclusive: true, ..OpenOptions::CREATE },
        };
        let Some(fd) = self.open_file(&path, how)? else { return Ok(false) };
        let Some(n) = self.target_fd(r, 1)? else { return Ok(false) };
        self.point_target(r, n, fd, undo);
        Ok(true)
    }

    fn open_both(&mut self, w: &Word, how: OpenOptions, undo: &mut Undo) -> Flow<bool> {
        let Some(path) = self.target(w)? else { return Ok(false) };
        let Some(fd) = self.open_file(&path, how)? else { return Ok(false) };
        self.point(1, Some(fd.clone()), undo);
        self.point(2, Some(fd), undo);
        Ok(true)
    }

    /// `>&word`, `<&word`: a number, a number with `-` (moved), `-` (closed), or for `>&` a file for both outputs.
    fn duplicate(&mut self, r: &Redirect, input: bool, w: &Word, undo: &mut Undo) -> Flow<bool> {
        let Some(text) = self.target(w)? else { return Ok(false) };
        let default = u32::from(!input);
        if &text[..] == b"-" {
            let n = match &r.fd {
                Some(RedirectFd::Variable(name, subscript)) => {
                    // `{name}>&-` closes the descriptor that the variable holds.
                    let key = match subscript {
                        None => None,
                        Some(s) => self.key(*name, s)?,
                    };
                    let value = match key {
                        None | Some(Key::At | Key::Star) => self.scalar(*name)?,
                        Some(k) => self.element(*name, &k),
                    };
                    let Some(n) = value.and_then(|v| number(&v)) else {
                        let text = crate::syntax::names::text(*name);
                        self.report(&[text, b": Bad file descriptor"]);
                        return Ok(false);
                    };
                    self.files.fds.set(n, None);
                    return Ok(true);
                }
                _ => self.target_fd(r, default)?,
            };
            let Some(n) = n else { return Ok(false) };
            self.point(n, None, undo);
            return Ok(true);
        }
        let (digits, moved) = match text.strip_suffix(b"-") {
            Some(d) => (d, true),
            None => (&text[..], false),
        };
        let Some(from) = number(digits) else {
            if !input && r.fd.is_none() {
                let Some(fd) = self.open_file(&text, OpenOptions::CREATE)? else { return Ok(false) };
                self.point(1, Some(fd.clone()), undo);
                self.point(2, Some(fd), undo);
                return Ok(true);
            }
            self.report(&[&w.source, b": ambiguous redirect"]);
            return Ok(false);
        };
        let Some(fd) = self.files.fds.get(from).cloned() else {
            self.report(&[digits, b": ", Errno::EBADF.text().as_bytes()]);
            return Ok(false);
        };
        let Some(n) = self.target_fd(r, default)? else { return Ok(false) };
        self.point_target(r, n, fd, undo);
        if moved && from != n {
            self.point(from, None, undo);
        }
        Ok(true)
    }
}

fn number(text: &[u8]) -> Option<u32> {
    match !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        true => std::str::from_utf8(text).ok()?.parse().ok(),
        false => None,
    }
}
