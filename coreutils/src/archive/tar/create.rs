//! `tar -c`, `-r` and `-u`: members into an archive.

use super::{
    Config, Name,
    header::{BLOCK, Format, Header, Parsed, padding, parse},
    io::Writer,
};
use crate::files::{join, trim_slashes};
use crate::users::Users;
use hashbrown::HashMap;
use sandshell_kernel::{Bytes, Error, FileKind, OpenOptions, Output, Process, Result, Stat, Time};
use std::io::SeekFrom;

struct Creator<'a> {
    c: &'a Config,
    users: Users,
    writer: Writer,
    /// Name in the archive of each inode with several links.
    links: HashMap<(u64, u64), Vec<u8>>,
    archive: Option<(u64, u64)>,
    /// Leading text that was taken from names, told once each.
    removed: Vec<Vec<u8>>,
    removed_targets: Vec<Vec<u8>>,
    /// For `-u`: times of the members that are there.
    newer: HashMap<Vec<u8>, Time>,
    failed: bool,
    gone: Vec<Bytes>,
}

/// Writes the archive. False when something could not be put in.
pub(super) fn create(p: &mut Process, c: &Config, names: &[Name]) -> Result<bool> {
    let to_stdout = c.archive == "-";
    let mut archive = None;
    let fd = if to_stdout {
        p.stdout.flush()?;
        p.stdout.fd().clone()
    } else {
        match p.files.open(&c.archive, OpenOptions::CREATE) {
            Ok(fd) => {
                archive = fd.stat(&p.budget).ok().map(|s| (s.dev, s.ino));
                fd
            }
            Err(e) => return c.fatal(p, &c.archive, "Cannot open", e),
        }
    };
    let out = Output::new(fd, &p.budget);
    let writer = Writer::new(out, c.gzip.then_some(c.level), &p.budget)?;
    run(p, c, names, writer, archive, HashMap::new(), 0)
}

/// Adds to an archive: all, or with `update` what is newer than its members.
pub(super) fn append(p: &mut Process, c: &Config, names: &[Name], update: bool) -> Result<bool> {
    let o = OpenOptions { create: true, write: true, ..OpenOptions::READ };
    let fd = match p.files.open(&c.archive, o) {
        Ok(fd) => fd,
        Err(e) => return c.fatal(p, &c.archive, "Cannot open", e),
    };
    let archive = fd.stat(&p.budget).ok().map(|s| (s.dev, s.ino));
    let mut at = 0u64;
    let mut newer = HashMap::new();
    let mut long: Option<Vec<u8>> = None;
    loop {
        p.budget.step()?;
        fd.seek(SeekFrom::Start(at))?;
        let block = read_exactly(p, &fd, BLOCK)?;
        if block.len() < BLOCK {
            break;
        }
        match parse(&block) {
            Parsed::Zero => break,
            Parsed::Invalid => {
                if at == 0 {
                    p.error(format_args!("This does not look like a tar archive"))?;
                    return Ok(false);
                }
                break;
            }
            Parsed::Header(h) => {
                let size = if matches!(h.kind, b'1' | b'2' | b'5' | b'3' | b'4' | b'6') { 0 } else { h.size };
                if h.kind == b'L' {
                    long = Some(
                        read_exactly(p, &fd, size.min(1 << 16) as usize)?
                            .split(|&b| b == 0)
                            .next()
                            .unwrap_or_default()
                            .to_vec(),
                    );
                } else if h.kind != b'K' && h.kind != b'x' {
                    let name = long.take().unwrap_or(h.name);
                    newer.insert(trim_slashes(&name).to_vec(), h.mtime);
                }
                at += BLOCK as u64 + size + padding(size) as u64;
            }
        }
    }
    fd.truncate(&p.budget, at)?;
    fd.seek(SeekFrom::Start(at))?;
    let writer = Writer::new(Output::new(fd, &p.budget), None, &p.budget)?;
    run(p, c, names, writer, archive, if update { newer } else { HashMap::new() }, at)
}

fn read_exactly(p: &Process, fd: &sandshell_kernel::Fd, n: usize) -> Result<Vec<u8>> {
    let mut all = Vec::with_capacity(n);
    while all.len() < n {
        let piece = fd.read(&p.budget, n - all.len())?;
        if piece.is_empty() {
            break;
        }
        all.extend_from_slice(&piece);
    }
    Ok(all)
}

fn run(
    p: &mut Process,
    c: &Config,
    names: &[Name],
    writer: Writer,
    archive: Option<(u64, u64)>,
    newer: HashMap<Vec<u8>, Time>,
    before: u64,
) -> Result<bool> {
    let mut creator = Creator {
        c,
        users: Users::load(&p.files),
        writer,
        links: HashMap::new(),
        archive,
        removed: Vec::new(),
        removed_targets: Vec::new(),
        newer,
        failed: false,
        gone: Vec::new(),
    };
    for n in names {
        creator.tree(p, n)?;
    }
    let Creator { writer, failed, gone, .. } = creator;
    let total = writer.finish(c.record, before)?;
    if c.totals {
        let human = sandshell_text::number::human(total, 1024);
        p.write_error(format!("Total bytes written: {total} ({human}iB, {human}iB/s)\n").as_bytes())?;
    }
    for path in gone.iter().rev() {
        let directory = p.files.stat_cheap(path, false).is_ok_and(|(s, _)| s.is_dir());
        let removed = if directory { p.files.rmdir(path) } else { p.files.unlink(path) };
        if let Err(e) = removed {
            c.complain(p, path, if directory { "Cannot rmdir" } else { "Cannot unlink" }, e)?;
        }
    }
    Ok(!failed)
}

impl Creator<'_> {
    fn tree(&mut self, p: &mut Process, name: &Name) -> Result<()> {
        // Member name, and the path that it has here.
        let mut todo = vec![name.name.clone()];
        while let Some(member) = todo.pop() {
            p.budget.step()?;
            let path = name.path(&member);
            if self.c.excluded(&member) {
                continue;
            }
            let stat = match self.c.dereference {
                true => p.files.stat(&path),
                false => p.files.lstat(&path),
            };
            let stat = match stat {
                Ok(s) => s,
                Err(e) => {
                    self.c.complain(p, &member, "Cannot stat", e)?;
                    self.failed = true;
                    continue;
                }
            };
            if !self.member(p, &member, &path, &stat)? || !stat.is_dir() || !self.c.recursion {
                continue;
            }
            match p.files.read_dir(&path) {
                Ok(list) => todo.extend(list.iter().rev().map(|e| join(&member, &e.name))),
                Err(e) => {
                    self.c.complain(p, &member, "Cannot open", e)?;
                    self.failed = true;
                }
            }
        }
        Ok(())
    }

    /// The name as it is stored: without what would make it absolute.
    fn stored(&mut self, p: &mut Process, name: &[u8], target: bool) -> Result<Vec<u8>> {
        let (prefix, rest) = if self.c.absolute { (&b""[..], name) } else { super::safer(name) };
        let seen = if target { &mut self.removed_targets } else { &mut self.removed };
        if !prefix.is_empty() && !seen.iter().any(|r| r == prefix) {
            seen.push(prefix.to_vec());
            let what = if target { "hard link targets" } else { "member names" };
            let prefix = String::from_utf8_lossy(prefix).into_owned();
            p.error(format_args!("Removing leading `{prefix}' from {what}"))?;
        }
        let rest: &[u8] = match rest {
            b"" if name.starts_with(b"/") => b"./",
            b"" => b".",
            rest => rest,
        };
        Ok(rest.to_vec())
    }

    /// Writes one member; false when it was left out.
    fn member(&mut self, p: &mut Process, member: &Bytes, path: &Bytes, stat: &Stat) -> Result<bool> {
        if self.archive == Some((stat.dev, stat.ino)) {
            let shown = self.c.shown(member);
            p.error(format_args!("{shown}: file is the archive; not dumped"))?;
            return Ok(false);
        }
        let mut name = self.stored(p, member, false)?;
        if self.newer.get(trim_slashes(&name)).is_some_and(|t| t.seconds() >= stat.mtime.seconds()) {
            return Ok(stat.is_dir());
        }
        if stat.is_dir() && !name.ends_with(b"/") {
            name.push(b'/');
        }
        let mut h = Header {
            name: self.c.transform(&name),
            mode: self.c.mode.as_ref().map_or(stat.mode, |m| m.apply(stat.mode, stat.is_dir(), 0).0),
            uid: self.c.owner.as_ref().map_or(u64::from(stat.uid), |o| o.1),
            gid: self.c.group.as_ref().map_or(u64::from(stat.gid), |o| o.1),
            mtime: self.c.mtime.unwrap_or(stat.mtime),
            ..Header::default()
        };
        if !self.c.numeric {
            let named = |given: &Option<(Bytes, u64)>, own: Option<&Bytes>| match given {
                Some((n, _)) => n.to_vec(),
                None => own.map_or(Vec::new(), |n| n.to_vec()),
            };
            h.uname = named(&self.c.owner, self.users.user(stat.uid));
            h.gname = named(&self.c.group, self.users.group(stat.gid));
        }
        match stat.kind {
            FileKind::Directory => h.kind = b'5',
            FileKind::Symlink => {
                h.kind = b'2';
                h.link = p.files.read_link(path)?.to_vec();
            }
            FileKind::Fifo => h.kind = b'6',
            FileKind::Device => {
                h.kind = b'3';
                (h.major, h.minor) = stat.rdev;
            }
            FileKind::File => {
                h.kind = b'0';
                h.size = stat.size;
            }
        }
        if stat.nlink > 1 && !stat.is_dir() && !self.c.hard_dereference {
            match self.links.get(&(stat.dev, stat.ino)).cloned() {
                Some(first) => {
                    (h.kind, h.size) = (b'1', 0);
                    h.link = self.stored(p, &first, true)?;
                }
                None => {
                    self.links.insert((stat.dev, stat.ino), member.to_vec());
                }
            }
        }
        let mut input = None;
        if h.kind == b'0' {
            match p.files.open_read(path) {
                Ok(i) => input = Some(i),
                Err(e) => {
                    self.c.complain(p, member, "Cannot open", e)?;
                    self.failed = true;
                    return Ok(false);
                }
            }
        }
        let mut block = Vec::new();
        if h.write(self.c.format, &mut block).is_none() {
            let shown = self.c.shown(trim_slashes(member));
            let why = if self.c.format == Format::V7 || h.name.len() > 256 {
                "file name is too long (max 99); not dumped"
            } else {
                "file name is too long (cannot be split); not dumped"
            };
            p.error(format_args!("{shown}: {why}"))?;
            self.failed = true;
            return Ok(false);
        }
        self.c.tell(p, &h, &name)?;
        self.writer.put(&block)?;
        if let Some(mut input) = input {
            let mut left = h.size;
            while left > 0 {
                match input.next_chunk() {
                    Ok(Some(mut chunk)) => {
                        chunk.truncate(left.min(chunk.len() as u64) as usize);
                        left -= chunk.len() as u64;
                        self.writer.chunk(chunk)?;
                    }
                    Ok(None) => {
                        let shown = self.c.shown(member);
                        p.error(format_args!("{shown}: File shrank by {left} bytes; padding with zeros"))?;
                        self.writer.zeros(left as usize)?;
                        self.failed = true;
                        left = 0;
                    }
                    Err(e @ Error::Os(_)) => {
                        self.c.complain(p, member, "Read error", e)?;
                        self.writer.zeros(left as usize)?;
                        self.failed = true;
                        left = 0;
                    }
                    Err(stop) => return Err(stop),
                }
            }
            self.writer.zeros(padding(h.size))?;
        }
        if self.c.remove_files {
            self.gone.push(path.clone());
        }
        Ok(true)
    }
}
