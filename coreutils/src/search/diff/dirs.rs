//! Which files are compared with which: operands, directories, absent files, and what is said when there is nothing
//! to compare line by line.

use super::{
    Config, Style, compare, escape_name,
    output::Printer,
    text::{Text, classify},
};
use crate::search::clock;
use sandshell_kernel::{Bytes, DirEntry, Errno, Error, FileKind, Process, Result, Stat, Time};
use std::cmp::Ordering;

/// One run of diff.
pub(super) struct Differ<'p> {
    pub process: &'p mut Process,
    pub config: Config,
    pub zone: clock::Zone,
}

/// A file of a pair.
struct Side {
    path: Bytes,
    /// `None`: absent, to be treated as empty.
    stat: Option<Stat>,
}

fn lossy(b: &[u8]) -> String {
    String::from_utf8_lossy(b).into_owned()
}

fn join(dir: &[u8], name: &[u8]) -> Bytes {
    match dir.ends_with(b"/") {
        true => Bytes::from([dir, name].concat()),
        false => Bytes::from([dir, b"/", name].concat()),
    }
}

fn kind_name(s: &Stat) -> &'static str {
    match s.kind {
        FileKind::File if s.size == 0 => "regular empty file",
        FileKind::File => "regular file",
        FileKind::Directory => "directory",
        FileKind::Symlink => "symbolic link",
        FileKind::Fifo => "fifo",
        FileKind::Device => "character special file",
    }
}

impl Differ<'_> {
    /// Compares two operands; the exit status.
    pub fn operands(&mut self, a: &Bytes, b: &Bytes) -> Result<u8> {
        let (sa, sb) = (self.stat(a), self.stat(b));
        let is_dir = |s: &Result<Stat>| s.as_ref().is_ok_and(Stat::is_dir);
        let base = |p: &Bytes| {
            let end = p.iter().rposition(|&b| b != b'/').map_or(0, |i| i + 1);
            let from = p[..end].iter().rposition(|&b| b == b'/').map_or(0, |i| i + 1);
            p.slice(from..end)
        };
        match (is_dir(&sa), is_dir(&sb)) {
            (true, false) if sb.is_ok() => {
                let inside = join(a, &base(b));
                self.pair(&inside, b, false)
            }
            (false, true) if sa.is_ok() => {
                let inside = join(b, &base(a));
                self.pair(a, &inside, false)
            }
            _ => self.pair(a, b, false),
        }
    }

    fn stat(&self, path: &[u8]) -> Result<Stat> {
        match path {
            b"-" => self.process.stdin.fd().stat(&self.process.budget),
            _ if self.config.no_dereference => self.process.files.lstat(path),
            _ => self.process.files.stat(path),
        }
    }

    fn pair(&mut self, a: &Bytes, b: &Bytes, in_dir: bool) -> Result<u8> {
        self.process.budget.step()?;
        let (sa, sb) = (self.stat(a), self.stat(b));
        let absent = |s: &Result<Stat>| matches!(s, Err(Error::Os(Errno::ENOENT)));
        let old_may_lack = (self.config.new_file || self.config.unidirectional_new_file) && sb.is_ok();
        let new_may_lack = self.config.new_file && sa.is_ok();
        let mut status = 0;
        let mut sides = Vec::new();
        for (path, stat, may_lack) in [(a, sa, old_may_lack), (b, sb, new_may_lack)] {
            match stat {
                Ok(s) => sides.push(Side { path: path.clone(), stat: Some(s) }),
                stat if may_lack && absent(&stat) => sides.push(Side { path: path.clone(), stat: None }),
                Err(Error::Os(e)) => {
                    self.process.error(format_args!("{}: {e}", lossy(path)))?;
                    status = 2;
                }
                Err(stop) => return Err(stop),
            }
        }
        let [old, new] = &sides[..] else { return Ok(status) };
        if let (Some(x), Some(y)) = (&old.stat, &new.stat) {
            let shows_same = matches!(self.config.style, Style::SideBySide | Style::Formats);
            let kind = matches!(x.kind, FileKind::File | FileKind::Directory);
            let same = (x.dev, x.ino) == (y.dev, y.ino) && x.ino != 0 && kind;
            if same && a != "-" && b != "-" && (!shows_same || self.config.brief) {
                return self.same(a, b);
            }
        }
        let dir = |s: &Side| s.stat.as_ref().is_some_and(Stat::is_dir);
        let both = dir(old) && dir(new)
            || in_dir && (dir(old) && new.stat.is_none() || dir(new) && old.stat.is_none());
        if both {
            if in_dir && !self.config.recursive {
                let line = format!("Common subdirectories: {} and {}\n", lossy(a), lossy(b));
                self.process.stdout.put(line.as_bytes())?;
                return Ok(0);
            }
            return stacker::maybe_grow(64 << 10, 1 << 20, || self.directories(old, new, in_dir));
        }
        if let (Some(x), Some(y)) = (&old.stat, &new.stat) {
            let links = x.kind == FileKind::Symlink || y.kind == FileKind::Symlink;
            if dir(old) != dir(new) || links && x.kind != y.kind {
                let line = format!(
                    "File {} is a {} while file {} is a {}\n",
                    lossy(a),
                    kind_name(x),
                    lossy(b),
                    kind_name(y)
                );
                self.process.stdout.put(line.as_bytes())?;
                return Ok(1);
            }
            if links {
                let (p, q) = (self.process.files.read_link(a)?, self.process.files.read_link(b)?);
                if p == q {
                    return Ok(0);
                }
                let line = format!("Symbolic links {} and {} differ\n", lossy(a), lossy(b));
                self.process.stdout.put(line.as_bytes())?;
                return Ok(1);
            }
        }
        self.files(old, new, in_dir)
    }

    fn same(&mut self, a: &[u8], b: &[u8]) -> Result<u8> {
        if self.config.report_same {
            let line = format!("Files {} and {} are identical\n", lossy(a), lossy(b));
            self.process.stdout.put(line.as_bytes())?;
        }
        Ok(0)
    }

    fn directories(&mut self, old: &Side, new: &Side, in_dir: bool) -> Result<u8> {
        let mut status = 0;
        let mut lists: [Vec<DirEntry>; 2] = Default::default();
        for (list, side) in lists.iter_mut().zip([old, new]) {
            if side.stat.is_none() {
                continue;
            }
            match self.process.files.read_dir(&side.path) {
                Ok(entries) => *list = entries,
                Err(Error::Os(e)) => {
                    self.process.error(format_args!("{}: {e}", lossy(&side.path)))?;
                    status = 2;
                }
                Err(stop) => return Err(stop),
            }
            list.retain(|e| !self.config.exclude.iter().any(|p| p.matches(&e.name)));
            if let (false, Some(from)) = (in_dir, &self.config.starting_file) {
                list.retain(|e| e.name >= *from);
            }
        }
        for note in self.process.files.take_notes() {
            self.process.error(format_args!("{note}"))?;
            status = 2;
        }
        let fold = self.config.ignore_name_case;
        let order = |a: &DirEntry, b: &DirEntry| match fold {
            true => a.name.to_ascii_lowercase().cmp(&b.name.to_ascii_lowercase()),
            false => a.name.cmp(&b.name),
        };
        if fold {
            lists.iter_mut().for_each(|l| l.sort_by(order));
        }
        for (list, side) in lists.iter().zip([old, new]) {
            let files = list.iter().filter(|e| e.kind == FileKind::File);
            let paths: Vec<Bytes> = files.map(|e| join(&side.path, &e.name)).collect();
            if !paths.is_empty() {
                self.process.files.prefetch(&paths);
            }
        }
        let [left, right] = &lists;
        let (mut i, mut j) = (0, 0);
        while i < left.len() || j < right.len() {
            let which = match (left.get(i), right.get(j)) {
                (Some(a), Some(b)) => order(a, b),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let name0 = if which == Ordering::Greater { &right[j].name } else { &left[i].name };
            let name1 = if which == Ordering::Less { &left[i].name } else { &right[j].name };
            let one_sided = match which {
                Ordering::Equal => false,
                Ordering::Less => !self.config.new_file,
                Ordering::Greater => !(self.config.new_file || self.config.unidirectional_new_file),
            };
            if one_sided {
                let dir = if which == Ordering::Less { &old.path } else { &new.path };
                let line = format!("Only in {}: {}\n", lossy(dir), lossy(name0));
                self.process.stdout.put(line.as_bytes())?;
                status = status.max(1);
            } else {
                let (a, b) = (join(&old.path, name0), join(&new.path, name1));
                status = status.max(self.pair(&a, &b, true)?);
            }
            i += usize::from(which != Ordering::Greater);
            j += usize::from(which != Ordering::Less);
        }
        Ok(status)
    }

    fn load(&mut self, side: &Side, label: Option<Bytes>) -> Result<Text> {
        let data = match &side.stat {
            None => Bytes::new(),
            Some(_) => self.process.open_input(&side.path)?.read_all()?,
        };
        let mtime = match &side.stat {
            None => Time(0),
            Some(s) if s.kind == FileKind::File => s.mtime,
            Some(_) => Time::now(),
        };
        Text::new(side.path.clone(), label, data, mtime, &self.process.budget)
    }

    fn files(&mut self, old: &Side, new: &Side, in_dir: bool) -> Result<u8> {
        let labels = self.config.labels.clone();
        let mut texts = Vec::new();
        let mut failed = false;
        for (n, side) in [old, new].into_iter().enumerate() {
            match self.load(side, labels.get(n).cloned()) {
                Ok(t) => texts.push(t),
                Err(Error::Os(e)) => {
                    self.process.error(format_args!("{}: {e}", lossy(&side.path)))?;
                    failed = true;
                }
                Err(stop) => return Err(stop),
            }
        }
        for note in self.process.files.take_notes() {
            self.process.error(format_args!("{note}"))?;
            failed = true;
        }
        let Ok(texts) = <[Text; 2]>::try_from(texts) else { return Ok(2) };
        let trouble = if failed { 2 } else { 0 };
        let shown: Vec<String> = texts.iter().map(|t| lossy(t.label.as_ref().unwrap_or(&t.name))).collect();
        if !self.config.as_text && texts.iter().any(Text::is_binary) {
            if texts[0].data == texts[1].data {
                return Ok(trouble.max(self.same(&old.path, &new.path)?));
            }
            let what = if self.config.brief { "Files" } else { "Binary files" };
            let line = format!("{what} {} and {} differ\n", shown[0], shown[1]);
            self.process.stdout.put(line.as_bytes())?;
            return Ok(trouble.max(1));
        }
        let budget = self.process.budget.clone();
        let classes = classify(&texts, &self.config, &budget)?;
        let _held = budget.reserve(((classes.lines[0].len() + classes.lines[1].len()) * 4) as u64)?;
        let effort = compare::Effort { minimal: self.config.minimal, heuristic: self.config.heuristic };
        let mut changes = compare::changes(&classes.lines[0], &classes.lines[1], effort, &budget)?;
        for c in &mut changes {
            c.line0 += classes.prefix;
            c.line1 += classes.prefix;
        }
        let mut status = trouble;
        let header = format!(
            "diff{} {} {}\n",
            self.config.switches,
            lossy(&escape_name(&old.path)),
            lossy(&escape_name(&new.path))
        );
        let mut printer = Printer::new(&self.config, &texts, &mut self.process.stdout, &self.zone);
        let differs = changes.iter().any(|c| printer.analyze(std::slice::from_ref(c)).is_some());
        if differs {
            status = status.max(1);
        }
        if self.config.brief {
            if differs {
                let line = format!("Files {} and {} differ\n", shown[0], shown[1]);
                self.process.stdout.put(line.as_bytes())?;
            }
        } else {
            let always = match self.config.style {
                Style::SideBySide => !self.config.suppress_common,
                Style::Formats => true,
                _ => false,
            };
            if in_dir && (differs || always) {
                printer.out.put(header.as_bytes())?;
            }
            match self.config.style {
                Style::SideBySide if differs || always => printer.side_by_side(&changes)?,
                Style::Formats => printer.formatted(&changes, &self.config.formats)?,
                _ if differs => printer.print(&mut changes)?,
                _ => {}
            }
        }
        if !self.config.style.robust() && !self.config.brief {
            for t in texts.iter().filter(|t| t.missing_newline()) {
                self.process.stdout.flush()?;
                self.process.error(format_args!("{}: No newline at end of file\n", lossy(&t.name)))?;
                status = 2;
            }
        }
        if !differs {
            status = status.max(self.same(&old.path, &new.path)?);
        }
        Ok(status)
    }
}
