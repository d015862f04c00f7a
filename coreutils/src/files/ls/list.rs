//! What `ls` lists, in which order.

use super::{Config, Deref, Indicator, Layout, Sort, Which, print::Printer, quoting};
use crate::files::join;
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Process, Result, Stat, Status, Time};
use sandshell_text::quote;
use std::cmp::Ordering;

/// One file to be shown.
pub(super) struct Item {
    pub name: Bytes,
    pub kind: FileKind,
    pub ino: u64,
    pub stat: Option<Stat>,
    /// Of a link: its text, and what is behind it.
    pub target: Option<Bytes>,
    pub behind: Option<Stat>,
    /// A link that leads nowhere.
    pub orphan: bool,
    /// As shown, and its width.
    pub shown: Vec<u8>,
    pub width: usize,
    /// Shown with quotes.
    pub quoted: bool,
}

impl Item {
    pub fn is_directory(&self) -> bool {
        self.kind == FileKind::Directory
    }

    fn leads_to_directory(&self) -> bool {
        self.is_directory() || self.behind.is_some_and(|s| s.is_dir())
    }

    pub fn time(&self, which: Which) -> Time {
        self.stat.map_or(Time(0), |s| match which {
            Which::Modified => s.mtime,
            Which::Changed => s.ctime,
            Which::Accessed => s.atime,
            Which::Born => s.btime,
        })
    }
}

/// Lists the operands.
pub(super) fn run(p: &mut Process, c: Config, operands: &[Bytes]) -> Result<Status> {
    let here = [Bytes::from_static(b".")];
    let operands = if operands.is_empty() { &here[..] } else { operands };
    let mut lister = Lister { printer: Printer::new(c), status: 0 };
    let mut files = Vec::new();
    let mut dirs = Vec::new();
    for name in operands {
        let Some(item) = lister.operand(p, name)? else { continue };
        let c = &lister.printer.c;
        match item.is_directory() && c.list_directories {
            true => dirs.push(item),
            false => files.push(item),
        }
    }
    lister.sort(&mut files);
    lister.sort(&mut dirs);
    let many = operands.len() > 1 || lister.printer.c.recursive;
    let mut first = true;
    if !files.is_empty() {
        lister.printer.files(p, &files)?;
        first = false;
    }
    let mut todo: Vec<(Bytes, bool)> = dirs.into_iter().rev().map(|d| (d.name, true)).collect();
    while let Some((path, top)) = todo.pop() {
        p.budget.step()?;
        let below = lister.directory(p, &path, top, many, &mut first)?;
        todo.extend(below.into_iter().rev().map(|d| (d, false)));
    }
    Ok(Status(lister.status))
}

struct Lister {
    printer: Printer,
    status: u8,
}

impl Lister {
    fn fail(&mut self, serious: bool) {
        self.status = self.status.max(if serious { 2 } else { 1 });
    }

    /// Metadata as far as the listing needs it: a size that is unknown is fetched only where sizes are shown.
    fn stat(&self, p: &Process, path: &[u8], follow: bool) -> Result<Stat> {
        let c = &self.printer.c;
        let sized = c.layout == Layout::Long || c.blocks || c.sort == Sort::Size;
        match (sized, follow) {
            (true, true) => p.files.stat(path),
            (true, false) => p.files.lstat(path),
            (false, _) => p.files.stat_cheap(path, follow).map(|(s, _)| s),
        }
    }

    fn operand(&mut self, p: &mut Process, name: &Bytes) -> Result<Option<Item>> {
        let deref = self.printer.c.deref;
        let mut found = match deref {
            Deref::Always | Deref::Operands => match self.stat(p, name, true) {
                Err(Error::Os(Errno::ENOENT | Errno::ELOOP)) if deref == Deref::Operands => {
                    self.stat(p, name, false)
                }
                other => other,
            },
            Deref::Never => self.stat(p, name, false),
            Deref::OperandDirectories => match self.stat(p, name, false) {
                Ok(s) if s.kind == FileKind::Symlink => match self.stat(p, name, true) {
                    Ok(t) if t.is_dir() => Ok(t),
                    _ => Ok(s),
                },
                other => other,
            },
        };
        if deref == Deref::Always
            && matches!(found, Err(Error::Os(Errno::ENOENT)))
            && p.files.read_link(name).is_ok()
        {
            // A link that leads nowhere cannot be followed: that is an error of the operand.
            found = Err(Errno::ENOENT.into());
        }
        match found {
            Ok(stat) => Ok(Some(self.item(p, name.clone(), name, stat.kind, stat.ino, Some(stat))?)),
            Err(e) => {
                p.complain(format_args!("cannot access {}", quote::name_always(name)), e)?;
                self.fail(true);
                Ok(None)
            }
        }
    }

    fn item(
        &mut self,
        p: &mut Process,
        name: Bytes,
        path: &[u8],
        kind: FileKind,
        ino: u64,
        stat: Option<Stat>,
    ) -> Result<Item> {
        let c = &self.printer.c;
        let mut item = Item {
            name,
            kind,
            ino,
            stat,
            target: None,
            behind: None,
            orphan: false,
            shown: Vec::new(),
            width: 0,
            quoted: false,
        };
        if kind == FileKind::Symlink {
            let long = c.layout == Layout::Long;
            if long {
                match p.files.read_link(path) {
                    Ok(t) => item.target = Some(t),
                    Err(e) => {
                        p.complain(format_args!("cannot read symbolic link {}", quote::name_always(path)), e)?
                    }
                }
            }
            let c = &self.printer.c;
            let wanted = (long && (c.indicator >= Indicator::FileType || c.colors.is_some()))
                || c.directories_first
                || c.colors.is_some();
            if wanted {
                item.behind = p.files.stat_cheap(path, true).ok().map(|(s, _)| s);
                item.orphan = item.behind.is_none();
            }
        }
        let c = &self.printer.c;
        // The escaping styles mark the space too where a space separates names.
        let extra: &[u8] = match (c.style, c.indicator) {
            (quoting::Style::Escape, i) => {
                if i == Indicator::Classify {
                    b" *=>@|"
                } else if i == Indicator::FileType {
                    b" =>@|"
                } else {
                    b" "
                }
            }
            _ => b"",
        };
        quoting::name(&item.name, c.style, extra, c.hide_control, &mut item.shown);
        item.quoted = item.shown != item.name[..];
        item.width = quoting::width(&item.shown);
        Ok(item)
    }

    /// Shows a directory; gives those below that are to be shown too.
    fn directory(
        &mut self,
        p: &mut Process,
        path: &Bytes,
        top: bool,
        many: bool,
        first: &mut bool,
    ) -> Result<Vec<Bytes>> {
        let list = match p.files.read_dir(path) {
            Ok(list) => list,
            Err(e) => {
                p.complain(format_args!("cannot open directory {}", quote::name_always(path)), e)?;
                self.fail(top);
                return Ok(Vec::new());
            }
        };
        if many {
            if !*first {
                p.stdout.byte(self.printer.c.end)?;
            }
            let mut header = Vec::new();
            let c = &self.printer.c;
            quoting::name(path, c.style, b":", c.hide_control, &mut header);
            header.extend_from_slice(b":");
            header.push(c.end);
            p.stdout.put(&header)?;
        }
        *first = false;
        let c = &self.printer.c;
        let needs_stat = c.layout == Layout::Long
            || c.blocks
            || matches!(c.sort, Sort::Size | Sort::Time)
            || c.deref == Deref::Always
            || c.indicator == Indicator::Classify
            || c.colors.is_some();
        let follow = c.deref == Deref::Always;
        let mut items = Vec::with_capacity(list.len());
        let dots = [&b"."[..], b".."].into_iter().filter(|_| c.all == 2);
        let implied = |name: &[u8]| {
            let dot = c.all == 0 && name.starts_with(b".");
            let hidden = c.all == 0 && c.hide.iter().any(|g| g.matches(name));
            !dot && !hidden && !c.ignore.iter().any(|g| g.matches(name))
        };
        let dots: Vec<(Bytes, FileKind, u64)> =
            dots.map(|d| (Bytes::from_static(d), FileKind::Directory, 0)).collect();
        let rest = list.into_iter().filter(|e| implied(&e.name)).map(|e| (e.name, e.kind, e.ino));
        let all: Vec<_> =
            dots.into_iter().filter(|(n, ..)| !c.ignore.iter().any(|g| g.matches(n))).chain(rest).collect();
        let inode = c.inode;
        for (name, kind, ino) in all {
            p.budget.step()?;
            let full = if path == "." { name.clone() } else { join(path, &name) };
            let dot = ino == 0 && inode;
            if !needs_stat && !dot {
                items.push(self.item(p, name, &full, kind, ino, None)?);
                continue;
            }
            let stat = match self.stat(p, &full, follow) {
                Err(Error::Os(_)) if follow && p.files.stat_cheap(&full, false).is_ok() => {
                    let e = self.stat(p, &full, true).err().unwrap_or(Errno::ENOENT.into());
                    p.complain(format_args!("cannot access {}", quote::name_always(&full)), e)?;
                    self.fail(false);
                    items.push(self.item(p, name, &full, kind, ino, None)?);
                    continue;
                }
                other => other,
            };
            match stat {
                Ok(s) => items.push(self.item(p, name, &full, s.kind, s.ino, Some(s))?),
                Err(e) => {
                    p.complain(format_args!("cannot access {}", quote::name_always(&full)), e)?;
                    self.fail(false);
                    items.push(self.item(p, name, &full, kind, ino, None)?);
                }
            }
        }
        self.sort(&mut items);
        self.printer.directory(p, &items)?;
        if !self.printer.c.recursive {
            return Ok(Vec::new());
        }
        let inside = |i: &&Item| i.is_directory() && i.name != "." && i.name != "..";
        Ok(items.iter().filter(inside).map(|i| join(path, &i.name)).collect())
    }

    fn sort(&self, items: &mut [Item]) {
        let c = &self.printer.c;
        if c.sort == Sort::None {
            return;
        }
        let by_name = |a: &Item, b: &Item| a.name.cmp(&b.name);
        items.sort_by(|a, b| {
            if c.directories_first {
                let order = b.leads_to_directory().cmp(&a.leads_to_directory());
                if order != Ordering::Equal {
                    return order;
                }
            }
            let order = match c.sort {
                Sort::Name | Sort::None => Ordering::Equal,
                Sort::Extension => extension(&a.name).cmp(extension(&b.name)),
                Sort::Width => a.width.cmp(&b.width),
                Sort::Size => b.stat.map_or(0, |s| s.size).cmp(&a.stat.map_or(0, |s| s.size)),
                Sort::Version => crate::files::version_order(&a.name, &b.name),
                Sort::Time => b.time(c.time).cmp(&a.time(c.time)),
            };
            let order = order.then_with(|| by_name(a, b));
            if c.reverse { order.reverse() } else { order }
        });
    }
}

fn extension(name: &[u8]) -> &[u8] {
    memchr::memrchr(b'.', name).map_or(b"", |i| &name[i..])
}
