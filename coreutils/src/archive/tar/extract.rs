//! `tar -x`, `-t` and `-d`: what an archive holds, onto the tree, as a list, or compared.

use super::{
    Config, Name,
    header::{BLOCK, Header, Parsed, apply_pax, padding, parse},
    io::Reader,
};
use crate::archive::deflate::Fault;
use crate::files::{dir, join, trim_slashes};
use sandshell_kernel::{
    Bytes, Errno, Error, FileKind, OpenOptions, Output, Process, Result, Time, vfs::SetTime,
};
use sandshell_text::glob::{Glob, GlobFlags};

/// What is done with the members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    List,
    Extract,
    Diff,
}

struct Extractor<'a> {
    c: &'a Config,
    names: &'a [Name],
    globs: Vec<Glob>,
    found: Vec<bool>,
    task: Task,
    /// Directories whose mode and time are set when all is there.
    later: Vec<(Bytes, u32, Time)>,
    removed: Vec<Vec<u8>>,
    removed_targets: Vec<Vec<u8>>,
    failed: bool,
    differs: bool,
}

/// Reads the archive. The status: 0, 1 when `-d` found differences, 2 for errors.
pub(super) fn run(p: &mut Process, c: &Config, names: &[Name], task: Task) -> Result<u8> {
    let input = if c.archive == "-" { p.open_input(b"-") } else { p.files.open_read(&c.archive) };
    let mut input = match input {
        Ok(i) => i,
        Err(Error::Os(Errno::EISDIR)) => {
            c.fatal(p, &c.archive, "Cannot read", Errno::EISDIR.into())?;
            return Ok(2);
        }
        Err(e) => {
            c.fatal(p, &c.archive, "Cannot open", e)?;
            return Ok(2);
        }
    };
    let start = input.fill()?;
    let packed = start.starts_with(&[0x1f, 0x8b]);
    if packed && !c.gzip && c.archive == "-" {
        p.error(format_args!("Archive is compressed. Use -z option"))?;
        p.error(format_args!("Error is not recoverable: exiting now"))?;
        return Ok(2);
    }
    for (magic, program) in [(&b"BZh"[..], "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd")] {
        if start.starts_with(magic) {
            p.write_error(format!("tar (child): {program}: Cannot exec: No such file or directory\ntar (child): Error is not recoverable: exiting now\ntar: Child returned status 2\ntar: Error is not recoverable: exiting now\n").as_bytes())?;
            return Ok(2);
        }
    }
    if start.is_empty() && c.gzip {
        return unpacked(p, Fault::Eof);
    }
    let reader = Reader::new(input, packed || c.gzip);
    let globs = names.iter().map(|n| Glob::new(&n.name, GlobFlags::default())).collect();
    let mut e = Extractor {
        c,
        names,
        globs,
        found: vec![false; names.len()],
        task,
        later: Vec::new(),
        removed: Vec::new(),
        removed_targets: Vec::new(),
        failed: false,
        differs: false,
    };
    e.run(p, reader)
}

/// A name without its first `n` parts; `None` when nothing is left.
fn stripped(name: &[u8], n: usize) -> Option<&[u8]> {
    if n == 0 {
        return Some(name);
    }
    let mut rest = trim_slashes(name);
    for _ in 0..n {
        let skip = rest.iter().take_while(|&&b| b == b'/').count();
        rest = &rest[skip + memchr::memchr(b'/', &rest[skip..])?..];
        rest = &rest[rest.iter().take_while(|&&b| b == b'/').count()..];
    }
    Some(rest).filter(|r| !r.is_empty())
}

/// A bad compressed stream, in the words of the program that would unpack it.
fn unpacked(p: &mut Process, f: Fault) -> Result<u8> {
    let text = match f {
        Fault::NotGzip => "\ngzip: stdin: not in gzip format\n",
        Fault::Eof => "\ngzip: stdin: unexpected end of file\n",
        Fault::Crc => "\ngzip: stdin: invalid compressed data--crc error\n",
        Fault::Length => "\ngzip: stdin: invalid compressed data--length error\n",
        _ => "\ngzip: stdin: invalid compressed data--format violated\n",
    };
    p.write_error(text.as_bytes())?;
    p.error(format_args!("Child returned status 1"))?;
    p.error(format_args!("Error is not recoverable: exiting now"))?;
    Ok(2)
}

impl Extractor<'_> {
    fn run(&mut self, p: &mut Process, mut r: Reader) -> Result<u8> {
        let (mut long_name, mut long_link): (Option<Vec<u8>>, Option<Vec<u8>>) = (None, None);
        let mut pax: Vec<Vec<u8>> = Vec::new();
        let mut global: Vec<u8> = Vec::new();
        let mut first = true;
        let mut skipping = false;
        loop {
            p.budget.step()?;
            let block = r.block()?;
            if let Some(f) = r.fault {
                return unpacked(p, f);
            }
            if block.is_empty() {
                if first {
                    p.error(format_args!("This does not look like a tar archive"))?;
                    self.failed = true;
                }
                break;
            }
            if block.len() < BLOCK {
                if first {
                    p.error(format_args!("This does not look like a tar archive"))?;
                } else {
                    p.error(format_args!("Unexpected EOF in archive"))?;
                    p.error(format_args!("Error is not recoverable: exiting now"))?;
                    return Ok(2);
                }
                self.failed = true;
                break;
            }
            let mut h = match parse(&block) {
                Parsed::Zero => {
                    let next = r.block()?;
                    if next.len() == BLOCK && next.iter().any(|&b| b != 0) && !self.c.ignore_zeros {
                        let at = r.at / BLOCK as u64 - 1;
                        p.error(format_args!("A lone zero block at {at}"))?;
                    }
                    if self.c.ignore_zeros {
                        continue;
                    }
                    while r.piece(u64::MAX)?.is_some() {}
                    if let Some(f) = r.fault {
                        return unpacked(p, f);
                    }
                    break;
                }
                Parsed::Invalid => {
                    if first {
                        p.error(format_args!("This does not look like a tar archive"))?;
                        p.error(format_args!("Skipping to next header"))?;
                    } else if !skipping {
                        p.error(format_args!("Skipping to next header"))?;
                    }
                    (first, skipping, self.failed) = (false, true, true);
                    continue;
                }
                Parsed::Header(h) => h,
            };
            (first, skipping) = (false, false);
            if matches!(h.kind, b'L' | b'K' | b'x' | b'g') {
                let data = r.bytes(h.size.min(1 << 20))?;
                r.skip_rest(h.size, data.len() as u64)?;
                let text = || data.split(|&b| b == 0).next().unwrap_or_default().to_vec();
                match h.kind {
                    b'L' => long_name = Some(text()),
                    b'K' => long_link = Some(text()),
                    b'x' => pax.push(data),
                    _ => global = data,
                }
                continue;
            }
            if let Some(n) = long_name.take() {
                h.name = n;
            }
            if let Some(l) = long_link.take() {
                h.link = l;
            }
            let mut size = None;
            for data in std::iter::once(std::mem::take(&mut global)).chain(pax.drain(..)) {
                if !apply_pax(&data, &mut h, &mut size) {
                    p.error(format_args!("Malformed extended header: invalid record"))?;
                    self.failed = true;
                }
            }
            h.size = size.unwrap_or(h.size);
            if h.kind == b'0' && h.name.ends_with(b"/") {
                h.kind = b'5';
            }
            let content = if matches!(h.kind, b'1'..=b'6') { 0 } else { h.size };
            let wanted = self.wanted(&h.name);
            let used = match wanted {
                Some(from) if !self.c.excluded(&h.name) => self.member(p, &h, &mut r, from)?,
                _ => 0,
            };
            if !r.skip_rest(content, used)? {
                if let Some(f) = r.fault {
                    return unpacked(p, f);
                }
                p.error(format_args!("Unexpected EOF in archive"))?;
                p.error(format_args!("Error is not recoverable: exiting now"))?;
                return Ok(2);
            }
        }
        for (path, mode, mtime) in std::mem::take(&mut self.later).into_iter().rev() {
            p.files.chmod(&path, mode)?;
            if !self.c.no_mtime {
                p.files.set_times(&path, SetTime::Keep, SetTime::At(mtime), true)?;
            }
        }
        for (i, found) in self.found.clone().into_iter().enumerate() {
            if !found {
                let shown = self.c.shown(&self.names[i].name);
                p.error(format_args!("{shown}: Not found in archive"))?;
                self.failed = true;
            }
        }
        if self.failed {
            p.error(format_args!("Exiting with failure status due to previous errors"))?;
            return Ok(2);
        }
        Ok(u8::from(self.differs))
    }

    /// Whether the member is asked for; the directory that it goes to.
    fn wanted(&mut self, name: &[u8]) -> Option<Bytes> {
        if self.names.is_empty() {
            return Some(self.c.directory.clone());
        }
        let plain = trim_slashes(name);
        let mut hit = None;
        for (i, n) in self.names.iter().enumerate() {
            let want = trim_slashes(&n.name);
            let exact = plain == want || plain.strip_prefix(want).is_some_and(|r| r.starts_with(b"/"));
            if exact || (self.c.wildcards && self.globs[i].matches(plain)) {
                self.found[i] = true;
                hit = hit.or(Some(n.directory.clone()));
            }
        }
        hit
    }

    /// Deals with one member; how many bytes of its content it has read.
    fn member(&mut self, p: &mut Process, h: &Header, r: &mut Reader, directory: Bytes) -> Result<u64> {
        match self.task {
            Task::List => {
                self.c.list(p, h, &h.name)?;
                return Ok(0);
            }
            Task::Diff => {
                if self.c.verbose > 0 {
                    self.c.tell(p, h, &h.name)?;
                }
                return self.diff(p, h, r, &directory);
            }
            Task::Extract => {}
        }
        let name = self.c.transform(&h.name);
        let Some(mut at) = stripped(&name, self.c.strip) else { return Ok(0) };
        if !self.c.absolute {
            if at.split(|&b| b == b'/').any(|s| s == b"..") {
                let shown = self.c.shown(&h.name);
                p.error(format_args!("{shown}: Member name contains '..'"))?;
                self.failed = true;
                return Ok(0);
            }
            let (prefix, rest) = super::safer(at);
            if !prefix.is_empty() && !self.removed.iter().any(|r| r == prefix) {
                self.removed.push(prefix.to_vec());
                let prefix = String::from_utf8_lossy(prefix).into_owned();
                p.error(format_args!("Removing leading `{prefix}' from member names"))?;
            }
            at = if rest.is_empty() { b"." } else { rest };
        }
        let below;
        if let Some(top) = &self.c.one_top
            && trim_slashes(at) != &top[..]
            && !at.strip_prefix(&top[..]).is_some_and(|r| r.starts_with(b"/"))
        {
            below = join(top, at);
            at = &below;
        }
        if self.c.verbose > 0 && !self.c.to_stdout {
            self.c.tell(p, h, if self.c.show_transformed { at } else { &h.name })?;
        } else if self.c.verbose > 0 {
            let line = format!("{}\n", self.c.shown(&h.name));
            p.write_error(line.as_bytes())?;
        }
        let shown = trim_slashes(at).to_vec();
        let path = match at.starts_with(b"/") || directory.is_empty() {
            true => Bytes::copy_from_slice(at),
            false => join(&directory, at),
        };
        let path = Bytes::copy_from_slice(trim_slashes(&path));
        match self.place(p, h, r, &path) {
            Ok(used) => Ok(used),
            Err((what, e @ Error::Os(_))) => {
                self.c.complain(p, &shown, &what, e)?;
                self.failed = true;
                Ok(0)
            }
            Err((_, stop)) => Err(stop),
        }
    }

    fn parents(&self, p: &Process, path: &[u8]) -> Result<()> {
        let above = dir(path);
        if above == b"." || above == b"/" || p.files.stat_cheap(above, true).is_ok() {
            return Ok(());
        }
        for (i, _) in path.iter().enumerate().filter(|(i, b)| **b == b'/' && *i > 0) {
            match p.files.mkdir(&path[..i], 0o777) {
                Ok(()) | Err(Error::Os(Errno::EEXIST | Errno::EACCES | Errno::EROFS)) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Puts a member where it belongs.
    fn place(
        &mut self,
        p: &mut Process,
        h: &Header,
        r: &mut Reader,
        path: &Bytes,
    ) -> Result<u64, (String, Error)> {
        let opening = |e| ("Cannot open".to_owned(), e);
        if self.c.to_stdout {
            let mut left = if h.kind == b'0' { h.size } else { 0 };
            while left > 0
                && let Some(piece) = r.piece(left).map_err(opening)?
            {
                left -= piece.len() as u64;
                p.stdout.chunk(piece).map_err(opening)?;
            }
            return Ok(if h.kind == b'0' { h.size - left } else { 0 });
        }
        let mode = if self.c.preserve { h.mode } else { h.mode & 0o777 & !p.files.umask };
        match self.parents(p, path) {
            // What could not be made is found out, and told, below.
            Ok(()) | Err(Error::Os(_)) => {}
            Err(stop) => return Err(opening(stop)),
        }
        let there = p.files.stat_cheap(path, false).ok().map(|(s, _)| s);
        if h.kind == b'5' {
            if let Some(s) = there
                && p.files.stat_cheap(path, true).is_ok_and(|(s, _)| s.is_dir())
            {
                if !self.c.keep_old && s.is_dir() && path != "." {
                    self.later.push((path.clone(), mode, h.mtime));
                }
                return Ok(0);
            }
            if there.is_some() {
                p.files.unlink(path).map_err(|e| ("Cannot mkdir".to_owned(), e))?;
            }
            p.files.mkdir(path, mode | 0o700).map_err(|e| ("Cannot mkdir".to_owned(), e))?;
            self.later.push((path.clone(), mode, h.mtime));
            return Ok(0);
        }
        if let Some(s) = there {
            if self.c.skip_old {
                return Ok(0);
            }
            if self.c.keep_old {
                return Err(("Cannot open".to_owned(), Errno::EEXIST.into()));
            }
            if self.c.keep_newer && s.mtime.seconds() >= h.mtime.seconds() {
                let shown = self.c.shown(path);
                p.error(format_args!(
                    "Current {} is newer or same age",
                    sandshell_text::quote::value(shown.as_bytes())
                ))
                .map_err(opening)?;
                return Ok(0);
            }
            let keep = self.c.overwrite && s.kind == FileKind::File && h.kind == b'0';
            if s.is_dir() {
                // An empty directory gives way, a full one does not.
                p.files.rmdir(path).map_err(|e| match e {
                    Error::Os(Errno::ENOTEMPTY) => ("Cannot open".to_owned(), Errno::EISDIR.into()),
                    e => opening(e),
                })?;
            } else if !keep {
                p.files.unlink(path).map_err(|e| ("Cannot unlink".to_owned(), e))?;
            }
        }
        match h.kind {
            b'1' => {
                // The target is a member, so it went where the options sent it.
                let link = self.c.transform(&h.link);
                let Some(mut target) = stripped(&link, self.c.strip) else { return Ok(0) };
                if !self.c.absolute {
                    let (prefix, rest) = super::safer(target);
                    if !prefix.is_empty() && !self.removed_targets.iter().any(|r| r == prefix) {
                        self.removed_targets.push(prefix.to_vec());
                        let prefix = String::from_utf8_lossy(prefix).into_owned();
                        p.error(format_args!("Removing leading `{prefix}' from hard link targets"))
                            .map_err(opening)?;
                    }
                    target = rest;
                }
                let from = if self.c.directory.is_empty() {
                    Bytes::copy_from_slice(target)
                } else {
                    join(&self.c.directory, target)
                };
                let shown = sandshell_text::quote::value(target);
                p.files.link(&from, path).map_err(|e| (format!("Cannot hard link to {shown}"), e))?;
                return Ok(0);
            }
            b'2' => {
                let shown = sandshell_text::quote::value(&h.link);
                p.files
                    .symlink(&h.link, path)
                    .map_err(|e| (format!("Cannot create symlink to {shown}"), e))?;
                if !self.c.no_mtime {
                    p.files.set_times(path, SetTime::Keep, SetTime::At(h.mtime), false).map_err(opening)?;
                }
                return Ok(0);
            }
            b'6' => p.files.mkfifo(path, mode).map_err(|e| ("Cannot mkfifo".to_owned(), e))?,
            b'3' | b'4' => return Err(("Cannot mknod".to_owned(), Errno::EPERM.into())),
            _ => {
                let o = OpenOptions { mode: mode | 0o600, ..OpenOptions::CREATE };
                let fd = p.files.open(path, o).map_err(opening)?;
                let mut out = Output::new(fd, &p.budget);
                let mut left = h.size;
                while left > 0
                    && let Some(piece) = r.piece(left).map_err(opening)?
                {
                    left -= piece.len() as u64;
                    out.chunk(piece).map_err(|e| ("Cannot write".to_owned(), e))?;
                }
                out.flush().map_err(|e| ("Cannot write".to_owned(), e))?;
                drop(out);
                self.attributes(p, h, path, mode)?;
                return Ok(h.size - left);
            }
        }
        self.attributes(p, h, path, mode)?;
        Ok(0)
    }

    fn attributes(&self, p: &Process, h: &Header, path: &[u8], mode: u32) -> Result<(), (String, Error)> {
        p.files.chmod(path, mode).map_err(|e| ("Cannot change mode".to_owned(), e))?;
        if !self.c.no_mtime {
            let set = p.files.set_times(path, SetTime::Keep, SetTime::At(h.mtime), true);
            set.map_err(|e| ("Cannot utime".to_owned(), e))?;
        }
        Ok(())
    }

    fn diff(&mut self, p: &mut Process, h: &Header, r: &mut Reader, directory: &[u8]) -> Result<u64> {
        let path = join(directory, trim_slashes(&h.name));
        let shown = self.c.shown(&h.name);
        let stat = match p.files.lstat(&path) {
            Ok(s) => s,
            Err(e) => {
                let Error::Os(errno) = e else { return Err(e) };
                p.error(format_args!("{shown}: Warning: Cannot stat: {errno}"))?;
                self.differs = true;
                return Ok(0);
            }
        };
        let kind = match h.kind {
            b'5' => FileKind::Directory,
            b'2' => FileKind::Symlink,
            b'6' => FileKind::Fifo,
            b'3' | b'4' => FileKind::Device,
            _ => FileKind::File,
        };
        let mut told = |p: &mut Process, text: &str| -> Result<()> {
            self.differs = true;
            p.stdout.put(format!("{shown}: {text}\n").as_bytes())
        };
        if stat.kind != kind {
            told(p, "File type differs")?;
            return Ok(0);
        }
        if h.kind == b'1' {
            return Ok(0);
        }
        if h.kind != b'2' && stat.mode & 0o7777 != h.mode {
            told(p, "Mode differs")?;
        }
        if u64::from(stat.uid) != h.uid {
            told(p, "Uid differs")?;
        }
        if u64::from(stat.gid) != h.gid {
            told(p, "Gid differs")?;
        }
        if !matches!(h.kind, b'2' | b'5') && stat.mtime.seconds() != h.mtime.seconds() {
            told(p, "Mod time differs")?;
        }
        if h.kind == b'2' && p.files.read_link(&path)? != h.link {
            told(p, "Symlink differs")?;
        }
        if kind != FileKind::File {
            return Ok(0);
        }
        if stat.size != h.size {
            told(p, "Size differs")?;
            return Ok(0);
        }
        let mut input = p.files.open_read(&path)?;
        let (mut left, mut same) = (h.size, true);
        while left > 0
            && let Some(piece) = r.piece(left)?
        {
            left -= piece.len() as u64;
            let mut piece = &piece[..];
            while same && !piece.is_empty() {
                let here = input.fill()?;
                let n = here.len().min(piece.len());
                same = n > 0 && here[..n] == piece[..n];
                input.consume(n);
                piece = &piece[n..];
            }
        }
        if !same {
            told(p, "Contents differ")?;
        }
        Ok(h.size - left)
    }
}

impl Reader {
    /// Passes over what is left of a member's content of `size` bytes, `used` of which were read, and its padding.
    fn skip_rest(&mut self, size: u64, used: u64) -> Result<bool> {
        let mut left = size - used + padding(size) as u64;
        while left > 0 {
            match self.piece(left)? {
                Some(piece) => left -= piece.len() as u64,
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}
