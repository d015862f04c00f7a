//! `tree`: directories as a drawing.

use super::{join, ls::quoting, mode, times, version_order};
use crate::users::Users;
use hashbrown::HashSet;
use sandshell_kernel::{Bytes, DirEntry, FileKind, Process, Result, Stat, Status, Time};
use sandshell_text::{
    date::Zone,
    glob::{Glob, GlobFlags},
    options::{self, Example, Opt, Order, Spec, UsageError},
};
use std::cmp::Ordering;

program!(
    /// `tree`
    Tree,
    run,
    Spec {
        name: "tree",
        about: "List contents of directories in a tree-like format.",
        synopsis: &["[OPTION]... [directory ...]"],
        options: &[
            Opt::short('a', "All files are listed."),
            Opt::short('d', "List directories only."),
            Opt::short('l', "Follow symbolic links like directories."),
            Opt::short('f', "Print the full path prefix for each file."),
            Opt::short('x', "Stay on current filesystem only."),
            Opt::short('L', "Descend only level directories deep.").value("level"),
            Opt::short('P', "List only those files that match the pattern given.").value("pattern"),
            Opt::short('I', "Do not list files that match the given pattern.").value("pattern"),
            Opt::long("ignore-case", "Ignore case when pattern matching."),
            Opt::long("matchdirs", "Include directory names in -P pattern matching."),
            Opt::long("prune", "Prune empty directories from the output."),
            Opt::long("filelimit", "Do not descend dirs with more than # files in them.").value("#"),
            Opt::long("noreport", "Turn off file/directory count at end of tree listing."),
            Opt::long("timefmt", "Print and format time according to the format <f>.").value("f"),
            Opt::long("charset", "Use charset X for terminal/HTML and indentation line output.").value("X"),
            Opt::short('q', "Print non-printable characters as '?'."),
            Opt::short('N', "Print non-printable characters as is."),
            Opt::short('Q', "Quote filenames with double quotes."),
            Opt::short('p', "Print the protections for each file."),
            Opt::short('u', "Displays file owner or UID number."),
            Opt::short('g', "Displays file group owner or GID number."),
            Opt::short('s', "Print the size in bytes of each file."),
            Opt::short('h', "Print the size in a more human readable way."),
            Opt::long("si", "Like -h, but use in SI units (powers of 1000)."),
            Opt::long("du", "Compute size of directories by their contents."),
            Opt::short('D', "Print the date of last modification or (-c) status change."),
            Opt::short('F', "Appends '/', '=', '*', '@', '|' or '>' as per ls -F."),
            Opt::long("inodes", "Print inode number of each file."),
            Opt::short('v', "Sort files alphanumerically by version."),
            Opt::short('t', "Sort files by last modification time."),
            Opt::short('c', "Sort files by last status change time."),
            Opt::short('U', "Leave files unsorted."),
            Opt::short('r', "Reverse the order of the sort."),
            Opt::long("dirsfirst", "List directories before files (-U disables)."),
            Opt::long("filesfirst", "List files before directories (-U disables)."),
            Opt::long("sort", "Select sort: name,version,size,mtime,ctime.").value("X"),
            Opt::short('i', "Don't print indentation lines."),
            Opt::short('n', "Turn colorization off always (-C overrides)."),
            Opt::short('C', "Turn colorization on always."),
            Opt::short('J', "Prints out an JSON representation of the tree."),
        ],
        notes: "",
        version: "tree v2.1.0 © 1996 - 2022 by Steve Baker, Thomas Moore, Francesc Rocher, Florian Sesser, Kyosuke Tokoro",
        examples: &[Example { script: "mkdir d; touch d/a d/b; tree --noreport d", output: "d\n├── a\n└── b\n" }],
    }
);

const USAGE: &str = "usage: tree [-acdfghilnpqrstuvxACDFJQNSUX] [-L level [-R]] [-H  baseHREF]\n\t[-T title] [-o filename] [-P pattern] [-I pattern] [--gitignore]\n\t[--gitfile[=]file] [--matchdirs] [--metafirst] [--ignore-case]\n\t[--nolinks] [--hintro[=]file] [--houtro[=]file] [--inodes] [--device]\n\t[--sort[=]<name>] [--dirsfirst] [--filesfirst] [--filelimit #] [--si]\n\t[--du] [--prune] [--charset[=]X] [--timefmt[=]format] [--fromfile]\n\t[--fflinks] [--info] [--infofile[=]file] [--noreport] [--version]\n\t[--help] [--] [directory ...]\n";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Name,
    Version,
    Size,
    Modified,
    Changed,
    None,
}

struct Config {
    all: bool,
    directories: bool,
    follow: bool,
    full: bool,
    one_device: bool,
    level: usize,
    show: Vec<Glob>,
    hide: Vec<Glob>,
    match_directories: bool,
    prune: bool,
    limit: usize,
    quote: bool,
    question: bool,
    literal: bool,
    protections: bool,
    user: bool,
    group: bool,
    size: bool,
    human: Option<u64>,
    du: bool,
    date: bool,
    format: Option<Bytes>,
    classify: bool,
    inodes: bool,
    sort: Sort,
    reverse: bool,
    directories_first: Option<bool>,
    indent: bool,
    ascii: bool,
    color: bool,
    json: bool,
    users: Users,
    zone: Zone,
    now: Time,
}

/// A file, with what is below it.
struct Node {
    name: Bytes,
    stat: Stat,
    target: Option<Bytes>,
    /// What a link that is followed leads to is a directory.
    leads: bool,
    children: Vec<Node>,
    note: Option<String>,
}

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let args = p.args.get(1..).unwrap_or_default().to_vec();
    let parsed = match options::parse(spec, &args, Order::Permute) {
        Ok(parsed) => parsed,
        Err(UsageError(text)) => {
            let letter = text.strip_prefix("invalid option -- '").map(|t| t.trim_end_matches('\''));
            let shown = match letter {
                Some(l) => format!("tree: Invalid argument -`{l}'.\n"),
                None => {
                    let name = text.split('\'').nth(1).unwrap_or("").to_owned();
                    format!("tree: Invalid argument `{name}'.\n")
                }
            };
            p.write_error((shown + USAGE).as_bytes())?;
            return Ok(Status::FAILURE);
        }
    };
    if parsed.has("help") || parsed.has("version") {
        return Ok(crate::cli::parse(p, spec, Order::Permute, 1)?.err().unwrap_or(Status::OK));
    }
    let flags = GlobFlags { nocase: parsed.has("ignore-case"), ..GlobFlags::default() };
    let globs = |id: &str| -> Vec<Glob> {
        let given = parsed.options.iter().filter(|f| f.id == id).filter_map(|f| f.value.as_ref());
        let parts = given.flat_map(|v| v.split(|&b| b == b'|'));
        parts.map(|t| Glob::new(t.strip_suffix(b"/").unwrap_or(t), flags)).collect()
    };
    let number = |id: &str| -> Option<usize> {
        parsed.last(id).map(|v| std::str::from_utf8(v).ok().and_then(|t| t.parse().ok()).unwrap_or(0))
    };
    let level = number("L");
    if level == Some(0) {
        p.error(format_args!("Invalid level, must be greater than 0."))?;
        return Ok(Status::FAILURE);
    }
    let mut c = Config {
        all: parsed.has("a"),
        directories: parsed.has("d"),
        follow: parsed.has("l"),
        full: parsed.has("f"),
        one_device: parsed.has("x"),
        level: level.unwrap_or(usize::MAX),
        show: globs("P"),
        hide: globs("I"),
        match_directories: parsed.has("matchdirs"),
        prune: parsed.has("prune"),
        limit: number("filelimit").filter(|n| *n > 0).unwrap_or(usize::MAX),
        quote: parsed.has("Q"),
        question: parsed.has("q"),
        literal: parsed.has("N"),
        protections: parsed.has("p"),
        user: parsed.has("u"),
        group: parsed.has("g"),
        size: parsed.has("s") || parsed.has("h") || parsed.has("si") || parsed.has("du"),
        human: if parsed.has("si") { Some(1000) } else { parsed.has("h").then_some(1024) },
        du: parsed.has("du"),
        date: parsed.has("D") || parsed.has("timefmt"),
        format: parsed.last("timefmt").cloned(),
        classify: parsed.has("F"),
        inodes: parsed.has("inodes"),
        sort: Sort::Name,
        reverse: parsed.has("r"),
        directories_first: super::last_of(&parsed, &["dirsfirst", "filesfirst"]).map(|id| id == "dirsfirst"),
        indent: !parsed.has("i"),
        ascii: parsed.last("charset").is_some_and(|c| !c.eq_ignore_ascii_case(b"utf-8")),
        color: parsed.has("C") && p.env.get("TERM").is_some(),
        json: parsed.has("J"),
        users: Users::load(&p.files),
        zone: times::zone(p),
        now: Time::now(),
    };
    for f in &parsed.options {
        c.sort = match (f.id, f.value.as_deref()) {
            ("v", _) | ("sort", Some(b"version")) => Sort::Version,
            ("t", _) | ("sort", Some(b"mtime")) => Sort::Modified,
            ("c", _) | ("sort", Some(b"ctime")) => Sort::Changed,
            ("U", _) | ("sort", Some(b"none")) => Sort::None,
            ("sort", Some(b"size")) => Sort::Size,
            ("sort", Some(b"name")) => Sort::Name,
            ("sort", Some(other)) => {
                let shown = String::from_utf8_lossy(other).into_owned();
                p.error(format_args!(
                    "Sort type '{shown}' not valid, should be one of: name,version,size,mtime,ctime,none"
                ))?;
                return Ok(Status::FAILURE);
            }
            _ => c.sort,
        };
    }
    let mut roots = parsed.operands.clone();
    if roots.is_empty() {
        roots.push(Bytes::from_static(b"."));
    }
    let mut drawing = Drawing { c, out: Vec::new(), directories: 0, files: 0, bytes: 0, status: 0 };
    if drawing.c.json {
        drawing.out.extend_from_slice(b"[\n");
    }
    for (i, root) in roots.iter().enumerate() {
        if drawing.c.json && i > 0 {
            drawing.out.extend_from_slice(b",\n");
        }
        drawing.root(p, root)?;
        p.stdout.put(&std::mem::take(&mut drawing.out))?;
    }
    drawing.report(!parsed.has("noreport"));
    p.stdout.put(&drawing.out)?;
    Ok(Status(drawing.status))
}

struct Drawing {
    c: Config,
    out: Vec<u8>,
    directories: u64,
    files: u64,
    bytes: u64,
    status: u8,
}

impl Drawing {
    fn root(&mut self, p: &mut Process, root: &Bytes) -> Result<()> {
        let path = Bytes::copy_from_slice(if root.len() > 1 { super::trim_slashes(root) } else { root });
        let stat = self.stat(p, &path, true);
        let (stat, is_dir) = match stat {
            Ok(s) => (
                s,
                p.files.stat_cheap(&path, false).is_ok_and(|(l, _)| l.is_dir())
                    || (s.is_dir() && root.ends_with(b"/"))
                    || s.is_dir(),
            ),
            Err(e @ sandshell_kernel::Error::Stop(_)) => return Err(e),
            Err(_) => (Stat::file(), false),
        };
        let there = p.files.stat_cheap(&path, false).is_ok();
        if !is_dir {
            self.status = if there { self.status } else { 2 };
            self.files += u64::from(there);
            match self.c.json {
                true => {
                    let line =
                        format!("  {{\"type\":\"{}\",\"name\":", if there { "file" } else { "directory" });
                    self.out.extend_from_slice(line.as_bytes());
                    json_text(&path, &mut self.out);
                    self.out.extend_from_slice(b",\"contents\":[{\"error\": \"error opening dir\"}\n  ]}\n");
                }
                false => {
                    self.name(&path, &stat, false);
                    self.out.extend_from_slice(b"  [error opening dir]\n");
                }
            }
            return Ok(());
        }
        let mut above = HashSet::from_iter([(stat.dev, stat.ino)]);
        let mut node =
            Node { name: path.clone(), stat, target: None, leads: false, children: Vec::new(), note: None };
        node.note = self.fill(p, &path, &mut node, 1, &mut above)?;
        self.bytes += if self.c.du { node.stat.size } else { 0 };
        // An empty directory at the top does not count.
        self.directories += u64::from(!node.children.is_empty() || node.note.is_some());
        if self.c.json {
            self.json(&node, 1);
            self.out.push(b'\n');
            return Ok(());
        }
        self.details(&node);
        self.name(&path, &node.stat, true);
        if let Some(n) = &node.note {
            self.out.extend_from_slice(format!("  [{n}]").as_bytes());
        }
        self.out.push(b'\n');
        self.draw(p, &node, &path, &mut String::new())
    }

    fn stat(&self, p: &Process, path: &[u8], follow: bool) -> Result<Stat> {
        match (self.c.size || self.c.sort == Sort::Size, follow) {
            (true, true) => p.files.stat(path),
            (true, false) => p.files.lstat(path),
            (false, _) => p.files.stat_cheap(path, follow).map(|(s, _)| s),
        }
    }

    /// Reads what is below a directory; a note when it is not shown.
    fn fill(
        &self,
        p: &mut Process,
        path: &Bytes,
        node: &mut Node,
        depth: usize,
        above: &mut HashSet<(u64, u64)>,
    ) -> Result<Option<String>> {
        if depth > self.c.level {
            return Ok(None);
        }
        let list = match p.files.read_dir(path) {
            Ok(list) => list,
            Err(e @ sandshell_kernel::Error::Stop(_)) => return Err(e),
            Err(_) => return Ok(Some("error opening dir".into())),
        };
        let list: Vec<DirEntry> = list.into_iter().filter(|e| self.wanted(e)).collect();
        if list.len() > self.c.limit {
            return Ok(Some(format!("{} entries exceeds filelimit, not opening dir", list.len())));
        }
        for e in list {
            p.budget.step()?;
            let below = join(path, &e.name);
            let Ok(stat) = self.stat(p, &below, false) else { continue };
            let mut child =
                Node { name: e.name, stat, target: None, leads: false, children: Vec::new(), note: None };
            if stat.kind == FileKind::Symlink {
                child.target = p.files.read_link(&below).ok();
                child.leads = p.files.stat_cheap(&below, true).is_ok_and(|(s, _)| s.is_dir());
                if self.c.directories && !child.leads {
                    continue;
                }
            }
            let opened = stat.is_dir() || (child.leads && self.c.follow);
            if opened && !(self.c.one_device && stat.dev != node.stat.dev) {
                let real = match child.leads {
                    true => p.files.stat_cheap(&below, true).map(|(s, _)| s)?,
                    false => stat,
                };
                // With -l, whatever was shown already is not shown again.
                if self.c.follow && !above.insert((real.dev, real.ino)) {
                    child.note = Some("recursive, not followed".into());
                } else {
                    let note = stacker::maybe_grow(128 << 10, 2 << 20, || {
                        self.fill(p, &below, &mut child, depth + 1, above)
                    })?;
                    child.note = note;
                }
            }
            if self.c.prune && stat.is_dir() && child.children.is_empty() {
                continue;
            }
            if self.c.du {
                node.stat.size += child.stat.size;
            }
            node.children.push(child);
        }
        self.sort(&mut node.children);
        Ok(None)
    }

    fn wanted(&self, e: &DirEntry) -> bool {
        let directory = e.kind == FileKind::Directory;
        if !self.c.all && e.name.starts_with(b".") {
            return false;
        }
        if self.c.directories && !directory && e.kind != FileKind::Symlink {
            return false;
        }
        let fits = |g: &[Glob]| g.iter().any(|g| g.matches(&e.name));
        if fits(&self.c.hide) {
            return false;
        }
        self.c.show.is_empty() || (directory && !self.c.match_directories) || fits(&self.c.show)
    }

    fn sort(&self, nodes: &mut [Node]) {
        if self.c.sort == Sort::None {
            return;
        }
        nodes.sort_by(|a, b| {
            if let Some(first) = self.c.directories_first {
                let dir = |n: &Node| n.stat.is_dir() || n.leads;
                let order = dir(b).cmp(&dir(a));
                if order != Ordering::Equal {
                    return if first { order } else { order.reverse() };
                }
            }
            let order = match self.c.sort {
                Sort::Name | Sort::None => Ordering::Equal,
                Sort::Version => version_order(&a.name, &b.name),
                Sort::Size => b.stat.size.cmp(&a.stat.size),
                Sort::Modified => a.stat.mtime.cmp(&b.stat.mtime),
                Sort::Changed => a.stat.ctime.cmp(&b.stat.ctime),
            };
            let order = order.then_with(|| a.name.cmp(&b.name));
            if self.c.reverse { order.reverse() } else { order }
        });
    }

    fn draw(&mut self, p: &mut Process, node: &Node, path: &Bytes, prefix: &mut String) -> Result<()> {
        let [branch, last, line, blank] = match self.c.ascii {
            true => ["|-- ", "`-- ", "|   ", "    "],
            false => ["├── ", "└── ", "│\u{a0}\u{a0} ", "    "],
        };
        for (i, child) in node.children.iter().enumerate() {
            p.budget.step()?;
            let end = i + 1 == node.children.len();
            if self.c.indent {
                self.out.extend_from_slice(prefix.as_bytes());
                self.out.extend_from_slice(if end { last } else { branch }.as_bytes());
            }
            self.details(child);
            let below = join(path, &child.name);
            let shown = if self.c.full { below.clone() } else { child.name.clone() };
            self.name(&shown, &child.stat, child.stat.kind != FileKind::Symlink);
            if let Some(t) = &child.target {
                self.out.extend_from_slice(b" -> ");
                self.text(t);
                if self.c.classify && child.leads {
                    self.out.push(b'/');
                }
            }
            if let Some(n) = &child.note {
                self.out.extend_from_slice(format!("  [{n}]").as_bytes());
            }
            self.out.push(b'\n');
            self.count(child);
            if self.out.len() > 1 << 16 {
                p.stdout.put(&std::mem::take(&mut self.out))?;
            }
            let length = prefix.len();
            prefix.push_str(if end { blank } else { line });
            stacker::maybe_grow(128 << 10, 2 << 20, || self.draw(p, child, &below, prefix))?;
            prefix.truncate(length);
        }
        Ok(())
    }

    fn count(&mut self, n: &Node) {
        match n.stat.is_dir() || n.leads {
            true => self.directories += 1,
            false => self.files += 1,
        }
    }

    /// `[-rw-r--r--      3]  `
    fn details(&mut self, n: &Node) {
        let mut parts: Vec<String> = Vec::new();
        let s = &n.stat;
        if self.c.inodes {
            parts.push(format!("{:>7}", s.ino));
        }
        if self.c.protections {
            parts.push(mode::full(s.kind, s.mode));
        }
        let named = |n: Option<&Bytes>, id: u32| {
            n.map_or(id.to_string(), |n| String::from_utf8_lossy(n).into_owned())
        };
        if self.c.user {
            parts.push(format!("{:<8}", named(self.c.users.user(s.uid), s.uid)));
        }
        if self.c.group {
            parts.push(format!("{:<8}", named(self.c.users.group(s.gid), s.gid)));
        }
        if self.c.size {
            parts.push(match self.c.human {
                Some(base) => human(s.size, base),
                None => format!("{:>11}", s.size),
            });
        }
        if self.c.date {
            let t = if self.c.sort == Sort::Changed { s.ctime } else { s.mtime };
            let recent = (0..31_556_952 / 2 * 1_000_000_000).contains(&(self.c.now.0 - t.0));
            let default: &[u8] = if recent { b"%b %e %H:%M" } else { b"%b %e  %Y" };
            let mut text = Vec::new();
            times::strftime(self.c.format.as_deref().unwrap_or(default), t, &self.c.zone, &mut text);
            parts.push(String::from_utf8_lossy(&text).into_owned());
        }
        if !parts.is_empty() {
            self.out.extend_from_slice(format!("[{}]  ", parts.join(" ")).as_bytes());
        }
    }

    fn text(&mut self, name: &[u8]) {
        match (self.c.quote, self.c.question) {
            (true, _) => quoting::name(name, quoting::Style::C, b"", false, &mut self.out),
            (false, true) => quoting::name(name, quoting::Style::Literal, b"", true, &mut self.out),
            (false, false) if self.c.literal => self.out.extend_from_slice(name),
            (false, false) => quoting::name(name, quoting::Style::Escape, b"", false, &mut self.out),
        }
    }

    fn name(&mut self, name: &[u8], s: &Stat, classify: bool) {
        let color = match s.kind {
            FileKind::Directory => "01;34",
            FileKind::Symlink => "01;36",
            FileKind::Fifo => "33",
            FileKind::Device => "01;33",
            FileKind::File if s.mode & 0o111 != 0 => "01;32",
            FileKind::File => "00",
        };
        if self.c.color {
            self.out.extend_from_slice(format!("\x1b[{color}m").as_bytes());
        }
        self.text(name);
        if self.c.color {
            self.out.extend_from_slice(b"\x1b[0m");
        }
        if self.c.classify && classify {
            self.out.extend_from_slice(match s.kind {
                FileKind::Directory if name.ends_with(b"/") => b"",
                FileKind::Directory => b"/",
                FileKind::Fifo => b"|",
                FileKind::File if s.mode & 0o111 != 0 => b"*",
                _ => b"",
            });
        }
    }

    fn report(&mut self, wanted: bool) {
        if self.c.json {
            if wanted {
                let files =
                    if self.c.directories { String::new() } else { format!(",\"files\":{}", self.files) };
                let size = if self.c.du { format!(",\"size\":{}", self.bytes) } else { String::new() };
                let line = format!(
                    ",\n  {{\"type\":\"report\"{size},\"directories\":{}{files}}}\n",
                    self.directories
                );
                self.out.extend_from_slice(line.as_bytes());
            }
            self.out.extend_from_slice(b"]\n");
            return;
        }
        if !wanted {
            return;
        }
        let many = |n: u64, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
        let mut line = String::from("\n");
        if self.c.du {
            let size = match self.c.human {
                Some(base) => human(self.bytes, base),
                None => format!("{:>12}", self.bytes),
            };
            line.push_str(&format!("{size}{} used in ", if self.c.human.is_some() { "" } else { " bytes" }));
        }
        line.push_str(&many(self.directories, "directory", "directories"));
        if !self.c.directories {
            line.push_str(", ");
            line.push_str(&many(self.files, "file", "files"));
        }
        line.push('\n');
        self.out.extend_from_slice(line.as_bytes());
    }

    fn json(&mut self, n: &Node, depth: usize) {
        let pad = "  ".repeat(depth);
        let kind = match n.stat.kind {
            FileKind::Directory => "directory",
            FileKind::Symlink => "link",
            FileKind::Fifo => "fifo",
            FileKind::Device => "char",
            FileKind::File => "file",
        };
        self.out.extend_from_slice(format!("{pad}{{\"type\":\"{kind}\",\"name\":").as_bytes());
        json_text(&n.name, &mut self.out);
        if let Some(t) = &n.target {
            self.out.extend_from_slice(b",\"target\":");
            json_text(t, &mut self.out);
        }
        let s = &n.stat;
        let named = |n: Option<&Bytes>, id: u32| {
            n.map_or(id.to_string(), |n| String::from_utf8_lossy(n).into_owned())
        };
        let mut more = String::new();
        if self.c.inodes {
            more.push_str(&format!(",\"inode\":{}", s.ino));
        }
        if self.c.protections {
            more.push_str(&format!(
                ",\"mode\":\"{:04o}\",\"prot\":\"{}\"",
                s.mode,
                mode::full(s.kind, s.mode)
            ));
        }
        if self.c.user {
            more.push_str(&format!(",\"user\":\"{}\"", named(self.c.users.user(s.uid), s.uid)));
        }
        if self.c.group {
            more.push_str(&format!(",\"group\":\"{}\"", named(self.c.users.group(s.gid), s.gid)));
        }
        if self.c.size {
            more.push_str(&format!(",\"size\":{}", s.size));
        }
        self.out.extend_from_slice(more.as_bytes());
        if n.stat.is_dir() && !n.children.is_empty() || depth == 1 {
            self.out.extend_from_slice(b",\"contents\":[\n");
            for (i, child) in n.children.iter().enumerate() {
                self.count(child);
                stacker::maybe_grow(128 << 10, 2 << 20, || self.json(child, depth + 1));
                self.out.extend_from_slice(if i + 1 < n.children.len() { b",\n" } else { b"\n" });
            }
            self.out.extend_from_slice(format!("{pad}]").as_bytes());
        }
        self.out.push(b'}');
    }
}

/// `4.0K`, ` 12K`, `   3`
fn human(n: u64, base: u64) -> String {
    if n < base {
        return format!("{n:>4}");
    }
    let units = if base == 1000 { "kMGTPE" } else { "KMGTPE" };
    let (mut value, mut unit) = (n as f64, ' ');
    for u in units.chars() {
        if value < base as f64 {
            break;
        }
        (value, unit) = (value / base as f64, u);
    }
    if value >= 10.0 { format!("{value:>3.0}{unit}") } else { format!("{value:>3.1}{unit}") }
}

fn json_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\r' => out.extend_from_slice(b"\\r"),
            c if (c as u32) < 32 => out.extend_from_slice(format!("\\u{:04x}", c as u32).as_bytes()),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}
