//! Copying, as cp does it, mv across mounts, and install. A file's chunks are handed over, not copied.

use super::{backup::Backup, base, confirmed, dir, join, mode::letters};
use hashbrown::{HashMap, HashSet};
use sandshell_kernel::{
    Bytes, Errno, Error, FileKind, OpenOptions, Process, Result, Stat,
    vfs::{Permission, SetTime},
};
use sandshell_text::quote;

/// Which links are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    /// All (`-L`).
    Always,
    /// Those of the command line (`-H`).
    Operands,
    /// None (`-P`).
    Never,
}

/// What to do with a destination that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Overwrite {
    /// Replace it (asking for what is write-protected, at a terminal).
    Yes,
    /// Replace it without a question (`-f` of mv).
    Force,
    /// Ask (`-i`).
    Ask,
    /// Leave it (`-n`).
    No,
}

/// What a copy is to be like.
#[derive(Clone, Debug)]
pub(super) struct Copying {
    pub recursive: bool,
    pub follow: Follow,
    pub overwrite: Overwrite,
    pub update: bool,
    pub verbose: bool,
    /// Remove a destination that cannot be opened and try again (`-f`).
    pub force: bool,
    pub remove_destination: bool,
    pub symbolic: bool,
    pub hard: bool,
    pub attributes_only: bool,
    pub one_file_system: bool,
    pub preserve_mode: bool,
    /// `--no-preserve=mode`: the mode of a new file.
    pub default_mode: bool,
    pub preserve_times: bool,
    pub preserve_links: bool,
    pub backup: Backup,
    /// For mv: a directory that moves is no copy into itself, messages say so.
    pub moving: bool,
}

/// A run of copies: what was made, so that it is not overwritten, and which inode went where.
#[derive(Default)]
pub(super) struct Copier {
    made: HashMap<Bytes, ()>,
    links: HashMap<(u64, u64), Bytes>,
    sources: HashSet<(u64, u64, Bytes)>,
    /// Where the copy of a directory goes that lies within itself, and what is said on meeting it.
    within: Option<(Bytes, String)>,
    /// It was met: nothing more of that directory is copied.
    met: bool,
}

impl Copier {
    /// Copies one operand. False when something could not be copied; messages are printed.
    pub fn operand(&mut self, p: &mut Process, c: &Copying, from: &Bytes, to: &Bytes) -> Result<bool> {
        let follow = c.follow != Follow::Never;
        let stat = match p.files.stat_cheap(from, follow) {
            Ok((s, _)) => s,
            Err(e) => {
                p.complain(format_args!("cannot stat {}", quote::name_always(from)), e)?;
                return Ok(false);
            }
        };
        if stat.kind != FileKind::Directory || c.recursive {
            let name = Bytes::copy_from_slice(base(from));
            if !self.sources.insert((stat.dev, stat.ino, name)) && !c.moving {
                let what = if stat.is_dir() { "directory" } else { "file" };
                if stat.is_dir() || self.made.contains_key(&p.files.absolute(to)) {
                    let shown = quote::name_always(from);
                    p.error(format_args!("warning: source {what} {shown} specified more than once"))?;
                    return Ok(true);
                }
            }
        }
        self.copy(p, c, from, to, stat, true, &mut Vec::new())
    }

    #[allow(clippy::too_many_arguments)]
    fn copy(
        &mut self,
        p: &mut Process,
        c: &Copying,
        from: &Bytes,
        to: &Bytes,
        stat: Stat,
        top: bool,
        above: &mut Vec<(u64, u64)>,
    ) -> Result<bool> {
        p.budget.step()?;
        let (shown_from, shown_to) = (quote::name_always(from), quote::name_always(to));
        if stat.is_dir() && !c.recursive {
            p.error(format_args!("-r not specified; omitting directory {shown_from}"))?;
            return Ok(false);
        }
        let link_itself = match p.files.stat_cheap(to, false) {
            Ok((s, _)) => Some(s),
            Err(Error::Os(Errno::ENOENT)) => None,
            Err(e) => {
                p.complain(format_args!("cannot stat {shown_to}"), e)?;
                return Ok(false);
            }
        };
        // A link at the destination is written through, except where the link itself is copied.
        let through = match stat.kind {
            FileKind::File | FileKind::Directory => {
                !(c.moving || c.remove_destination || c.symbolic || c.hard)
            }
            _ => false,
        };
        let there = match (link_itself, through) {
            (Some(s), true) if s.kind == FileKind::Symlink => {
                p.files.stat_cheap(to, true).ok().map(|(s, _)| s)
            }
            (s, _) => s,
        };
        let mut there = there;
        if link_itself.is_some_and(|s| s.kind == FileKind::Symlink) && through && there.is_none() {
            p.error(format_args!("not writing through dangling symlink {shown_to}"))?;
            return Ok(false);
        }
        let mut saved = None;
        if let Some(d) = there {
            let same = (d.dev, d.ino) == (stat.dev, stat.ino);
            if same && self.is_same(p, c, from, to, &stat, link_itself.as_ref())? {
                if c.hard {
                    return Ok(true);
                }
                p.error(format_args!("{shown_from} and {shown_to} are the same file"))?;
                return Ok(false);
            }
            if !stat.is_dir() {
                if d.is_dir() {
                    p.error(format_args!("cannot overwrite directory {shown_to} with non-directory"))?;
                    return Ok(false);
                }
                if c.overwrite == Overwrite::No {
                    return Ok(true);
                }
                if c.update && d.mtime >= stat.mtime {
                    return Ok(true);
                }
                if self.made.contains_key(&p.files.absolute(to)) {
                    p.error(format_args!("will not overwrite just-created {shown_to} with {shown_from}"))?;
                    return Ok(false);
                }
                if !overwrite_agreed(p, c, to, &d)? {
                    return Ok(true);
                }
            } else if !d.is_dir() {
                if c.overwrite == Overwrite::No {
                    return Ok(true);
                }
                let shown = quote::name_always(to);
                p.error(format_args!("cannot overwrite non-directory {shown} with directory {shown_from}"))?;
                return Ok(false);
            }
            if !d.is_dir() || c.moving {
                if let Some(name) = c.backup.name(p, to)? {
                    if let Err(e) = p.files.rename(to, &name) {
                        p.complain(format_args!("cannot backup {shown_to}"), e)?;
                        return Ok(false);
                    }
                    saved = Some(name);
                    there = None;
                } else if !d.is_dir()
                    && (c.remove_destination
                        || c.moving
                        || c.symbolic
                        || c.hard
                        || stat.kind != FileKind::File
                        || (c.preserve_links && d.nlink > 1))
                {
                    if let Err(e) = p.files.unlink(to) {
                        p.complain(format_args!("cannot remove {shown_to}"), e)?;
                        return Ok(false);
                    }
                    if c.verbose && c.remove_destination {
                        p.stdout.put(format!("removed {shown_to}\n").as_bytes())?;
                    }
                    there = None;
                }
            }
        }
        if stat.is_dir() {
            return self.directory(p, c, from, to, stat, there, above, top);
        }
        if c.verbose {
            tell(p, from, to, saved.as_deref())?;
        }
        self.made.insert(p.files.absolute(to), ());
        if c.preserve_links && stat.nlink > 1 && !c.symbolic && !c.hard {
            if let Some(first) = self.links.get(&(stat.dev, stat.ino)).cloned() {
                if let Err(e) = p.files.link(&first, to) {
                    let first = quote::name_always(&first);
                    p.complain(format_args!("cannot create hard link {shown_to} to {first}"), e)?;
                    return Ok(false);
                }
                return Ok(true);
            }
            self.links.insert((stat.dev, stat.ino), to.clone());
        }
        let ok = if c.symbolic {
            let relative_elsewhere = !from.starts_with(b"/") && to.contains(&b'/') && dir(to) != b".";
            if relative_elsewhere {
                p.error(format_args!(
                    "{}: can make relative symbolic links only in current directory",
                    quote::name(to)
                ))?;
                return Ok(false);
            }
            self.made_or(
                p,
                p.files.symlink(from, to),
                "create symbolic link",
                &format!("{shown_to} to {shown_from}"),
            )?
        } else if c.hard {
            self.made_or(
                p,
                p.files.link(from, to),
                "create hard link",
                &format!("{shown_to} to {shown_from}"),
            )?
        } else {
            match stat.kind {
                FileKind::File => file(p, c, from, to, &stat, there)?,
                FileKind::Symlink => {
                    let text = match p.files.read_link(from) {
                        Ok(t) => t,
                        Err(e) => {
                            p.complain(format_args!("cannot read symbolic link {shown_from}"), e)?;
                            return Ok(false);
                        }
                    };
                    self.made_or(p, p.files.symlink(&text, to), "create symbolic link", &shown_to)?
                }
                FileKind::Fifo if c.recursive => {
                    self.made_or(p, p.files.mkfifo(to, stat.mode), "create fifo", &shown_to)?
                }
                _ if !c.recursive => file(p, c, from, to, &stat, there)?,
                _ => self.made_or(p, Err(Errno::EPERM.into()), "create special file", &shown_to)?,
            }
        };
        if ok && !c.symbolic && !c.hard {
            attributes(p, c, to, &stat, stat.kind != FileKind::Symlink)?;
        }
        Ok(ok)
    }

    fn made_or(&self, p: &mut Process, made: Result<()>, what: &str, shown: &str) -> Result<bool> {
        match made {
            Ok(()) => Ok(true),
            Err(e) => {
                p.complain(format_args!("cannot {what} {shown}"), e)?;
                Ok(false)
            }
        }
    }

    /// Whether source and destination, which are one inode, must not be copied onto each other.
    fn is_same(
        &self,
        p: &Process,
        c: &Copying,
        from: &[u8],
        to: &[u8],
        stat: &Stat,
        link_itself: Option<&Stat>,
    ) -> Result<bool> {
        if c.backup.kind != super::backup::Kind::None && !stat.is_dir() {
            let same_name = base(from) == base(to)
                && p.files.real_path(dir(from)).ok() == p.files.real_path(dir(to)).ok();
            if !same_name || !c.moving {
                return Ok(false);
            }
        }
        let to_is_link = link_itself.is_some_and(|s| s.kind == FileKind::Symlink);
        if c.remove_destination && to_is_link {
            return Ok(false);
        }
        if c.moving && !stat.is_dir() && stat.nlink > 1 && !to_is_link {
            return Ok(base(from) == base(to)
                && p.files.real_path(dir(from)).ok() == p.files.real_path(dir(to)).ok());
        }
        Ok(true)
    }

    #[allow(clippy::too_many_arguments)]
    fn directory(
        &mut self,
        p: &mut Process,
        c: &Copying,
        from: &Bytes,
        to: &Bytes,
        stat: Stat,
        there: Option<Stat>,
        above: &mut Vec<(u64, u64)>,
        top: bool,
    ) -> Result<bool> {
        let (shown_from, shown_to) = (quote::name_always(from), quote::name_always(to));
        if above.contains(&(stat.dev, stat.ino)) {
            p.error(format_args!("cannot copy cyclic symbolic link {shown_from}"))?;
            return Ok(false);
        }
        let mut made_here = false;
        if there.is_none() {
            let mode = if c.default_mode { 0o777 } else { stat.mode & 0o777 };
            if let Err(e) = p.files.mkdir(to, mode | 0o700) {
                p.complain(format_args!("cannot create directory {shown_to}"), e)?;
                return Ok(false);
            }
            made_here = true;
            if c.verbose {
                tell(p, from, to, None)?;
            }
        }
        // Read when the copy is there, as cp does: so it meets a copy that is to lie within what is copied.
        let list = p.files.read_dir(from);
        let inside = |p: &Process| -> Option<bool> {
            let (f, t) = (p.files.real_path(from).ok()?, p.files.real_path(to).ok()?);
            Some(t.len() > f.len() && t.starts_with(&f) && (f == "/" || t[f.len()] == b'/'))
        };
        if top && inside(p) == Some(true) {
            let what = if c.moving { "move" } else { "copy" };
            let text = format!("cannot {what} a directory, {shown_from}, into itself, {shown_to}");
            self.within = Some((p.files.real_path(to)?, text));
            self.contents(p, c, from, to, stat, list, above)?;
            (self.within, self.met) = (None, false);
            return Ok(false);
        }
        let mut ok = self.contents(p, c, from, to, stat, list, above)?;
        if made_here && !c.default_mode {
            let want = if c.preserve_mode { stat.mode } else { stat.mode & 0o777 & !p.files.umask };
            if let Err(e) = p.files.chmod(to, want) {
                p.complain(format_args!("setting permissions for {shown_to}"), e)?;
                ok = false;
            }
        }
        attributes(p, c, to, &stat, true)?;
        Ok(ok)
    }

    #[allow(clippy::too_many_arguments)]
    fn contents(
        &mut self,
        p: &mut Process,
        c: &Copying,
        from: &Bytes,
        to: &Bytes,
        stat: Stat,
        list: Result<Vec<sandshell_kernel::DirEntry>>,
        above: &mut Vec<(u64, u64)>,
    ) -> Result<bool> {
        let list = match list {
            Ok(list) => list,
            Err(e) => {
                p.complain(format_args!("cannot access {}", quote::name_always(from)), e)?;
                return Ok(false);
            }
        };
        above.push((stat.dev, stat.ino));
        let mut ok = true;
        for e in list {
            let (source, dest) = (join(from, &e.name), join(to, &e.name));
            if let Some((there, text)) = &self.within
                && p.files.real_path(&source).is_ok_and(|at| at == *there)
            {
                p.error(format_args!("{text}"))?;
                self.met = true;
            }
            if self.met {
                break;
            }
            let below = match p.files.stat_cheap(&source, c.follow == Follow::Always) {
                Ok((s, _)) => s,
                Err(e) => {
                    p.complain(format_args!("cannot stat {}", quote::name_always(&source)), e)?;
                    ok = false;
                    continue;
                }
            };
            if c.one_file_system && below.dev != stat.dev {
                continue;
            }
            let inner = Copying {
                follow: if c.follow == Follow::Operands { Follow::Never } else { c.follow },
                ..c.clone()
            };
            // A tree may be deeper than the stack.
            ok &= on_any_stack(|| self.copy(p, &inner, &source, &dest, below, false, above))?;
        }
        above.pop();
        Ok(ok)
    }
}

/// Grows the stack when it runs short.
fn on_any_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 << 10, 2 << 20, work)
}

fn tell(p: &mut Process, from: &[u8], to: &[u8], backup: Option<&[u8]>) -> Result<()> {
    let backup = backup.map_or(String::new(), |b| format!(" (backup: {})", quote::name_always(b)));
    let line = format!("{} -> {}{backup}\n", quote::name_always(from), quote::name_always(to));
    p.stdout.put(line.as_bytes())
}

/// Asks before something is replaced, where that is wanted.
pub(super) fn overwrite_agreed(p: &mut Process, c: &Copying, to: &[u8], there: &Stat) -> Result<bool> {
    let shown = quote::name_always(to);
    let writable = there.kind == FileKind::Symlink || p.files.access(to, Permission::Write).is_ok();
    let ask = match c.overwrite {
        Overwrite::Ask => true,
        Overwrite::Yes => c.moving && !writable && p.stdin.fd().terminal(),
        Overwrite::Force | Overwrite::No => false,
    };
    if !ask {
        return Ok(true);
    }
    if writable {
        return confirmed(p, format_args!("overwrite {shown}? "));
    }
    let text = String::from_utf8_lossy(&letters(there.mode)).into_owned();
    let mode = there.mode;
    match c.moving || c.remove_destination || c.force {
        true => confirmed(p, format_args!("replace {shown}, overriding mode {mode:04o} ({text})? ")),
        false => confirmed(p, format_args!("unwritable {shown} (mode {mode:04o}, {text}); try anyway? ")),
    }
}

/// The content of a file.
fn file(
    p: &mut Process,
    c: &Copying,
    from: &[u8],
    to: &[u8],
    stat: &Stat,
    there: Option<Stat>,
) -> Result<bool> {
    let (shown_from, shown_to) = (quote::name_always(from), quote::name_always(to));
    let mut input = match p.files.open_read(from) {
        Ok(i) => i,
        Err(e) => {
            p.complain(format_args!("cannot open {shown_from} for reading"), e)?;
            return Ok(false);
        }
    };
    let mode = if c.default_mode { 0o666 } else { stat.mode & 0o777 };
    let open = |p: &Process, new: bool| {
        let o = OpenOptions {
            write: true,
            read: false,
            create: new,
            exclusive: new,
            truncate: !c.attributes_only && !new,
            mode: if mode == 0 { 0o1_0000 } else { mode },
            ..OpenOptions::READ
        };
        p.files.open(to, o)
    };
    let mut out = open(p, there.is_none());
    if there.is_some() && c.force && matches!(out, Err(Error::Os(_))) {
        if let Err(e) = p.files.unlink(to) {
            p.complain(format_args!("cannot remove {shown_to}"), e)?;
            return Ok(false);
        }
        if c.verbose {
            p.stdout.put(format!("removed {shown_to}\n").as_bytes())?;
        }
        out = open(p, true);
    }
    let out = match out {
        Ok(fd) => fd,
        Err(e) => {
            let e = match e {
                Error::Os(Errno::EISDIR) if to.ends_with(b"/") => Errno::ENOTDIR.into(),
                e => e,
            };
            p.complain(format_args!("cannot create regular file {shown_to}"), e)?;
            return Ok(false);
        }
    };
    if c.attributes_only {
        return Ok(true);
    }
    loop {
        match input.next_chunk() {
            Ok(None) => return Ok(true),
            Ok(Some(chunk)) => {
                if let Err(e) = out.write(&p.budget, chunk) {
                    p.complain(format_args!("error writing {shown_to}"), e)?;
                    return Ok(false);
                }
            }
            Err(e) => {
                p.complain(format_args!("error reading {shown_from}"), e)?;
                return Ok(false);
            }
        }
    }
}

/// Sets what is to be preserved.
fn attributes(p: &mut Process, c: &Copying, to: &[u8], stat: &Stat, follow: bool) -> Result<()> {
    if c.preserve_times
        && let Err(e) = p.files.set_times(to, SetTime::At(stat.atime), SetTime::At(stat.mtime), follow)
    {
        p.complain(format_args!("preserving times for {}", quote::name_always(to)), e)?;
    }
    if c.preserve_mode
        && follow
        && let Err(e) = p.files.chmod(to, stat.mode)
    {
        p.complain(format_args!("preserving permissions for {}", quote::name_always(to)), e)?;
    }
    Ok(())
}
