//! Which files rg leaves out: gitignore files, `.ignore`, `.rgignore`, globs of the command line, hidden names and
//! file types, in the precedence of ripgrep.

use bstr::ByteSlice;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use sandshell_kernel::{Bytes, Files};
use sandshell_text::glob::{Glob, GlobFlags};

/// What a set of rules says of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No rule matches.
    None,
    /// Leave it out.
    Ignore,
    /// Keep it, whatever weaker rules say.
    Keep,
}

struct Rule {
    keep: bool,
    only_dirs: bool,
}

/// The rules of one file, or of the command line.
pub struct Rules {
    set: GlobSet,
    rules: Vec<Rule>,
    /// Absolute directory that paths are relative to.
    root: Bytes,
}

impl Rules {
    /// Reads gitignore lines. Invalid globs are left out.
    pub fn parse(text: &[u8], root: &Bytes, ignore_case: bool) -> Option<Rules> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut builder = GlobSetBuilder::new();
        let mut rules = Vec::new();
        for line in text.split(|&b| b == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Some((glob, rule)) = parse_line(&line.to_str_lossy(), ignore_case) {
                builder.add(glob);
                rules.push(rule);
            }
        }
        if rules.is_empty() {
            return None;
        }
        Some(Rules { set: builder.build().ok()?, rules, root: root.clone() })
    }

    /// What the rules say of an absolute path: the last that matches decides.
    pub fn verdict(&self, path: &[u8], is_dir: bool) -> Verdict {
        let below = path.strip_prefix(&self.root[..]).unwrap_or(path);
        let below = below.strip_prefix(b"/").unwrap_or(below);
        let below = below.to_path_lossy();
        let candidate = Candidate::new(&*below);
        for i in self.set.matches_candidate(&candidate).into_iter().rev() {
            let rule = &self.rules[i];
            if !rule.only_dirs || is_dir {
                return if rule.keep { Verdict::Keep } else { Verdict::Ignore };
            }
        }
        Verdict::None
    }
}

fn parse_line(line: &str, ignore_case: bool) -> Option<(globset::Glob, Rule)> {
    if line.starts_with('#') {
        return None;
    }
    let line = if line.ends_with("\\ ") { line } else { line.trim_end() };
    if line.is_empty() {
        return None;
    }
    let mut rule = Rule { keep: false, only_dirs: false };
    let mut line = line;
    let mut absolute = false;
    if line.starts_with("\\!") || line.starts_with("\\#") {
        line = &line[1..];
        absolute = line.starts_with('/');
    } else {
        if let Some(rest) = line.strip_prefix('!') {
            rule.keep = true;
            line = rest;
        }
        if let Some(rest) = line.strip_prefix('/') {
            line = rest;
            absolute = true;
        }
    }
    if let Some(rest) = line.strip_suffix('/') {
        rule.only_dirs = true;
        line = rest.strip_suffix('\\').unwrap_or(rest);
    }
    let mut glob = line.to_owned();
    if !absolute && !line.contains('/') && !glob.starts_with("**/") {
        glob = format!("**/{glob}");
    }
    if glob.ends_with("/**") {
        glob.push_str("/*");
    }
    let glob = GlobBuilder::new(&glob)
        .literal_separator(true)
        .case_insensitive(ignore_case)
        .backslash_escape(true)
        .build()
        .ok()?;
    Some((glob, rule))
}

/// The globs of `-g` and `--iglob`, in which `!` leaves out and others keep.
pub struct Overrides {
    rules: Option<Rules>,
    any_keep: bool,
}

impl Overrides {
    /// From globs with their case rule; the error is ripgrep's message.
    pub fn new(globs: &[(String, bool)], cwd: &Bytes) -> Result<Overrides, String> {
        let mut builder = GlobSetBuilder::new();
        let mut rules = Vec::new();
        for (text, fold) in globs {
            let (inverted, body) = match text.strip_prefix('!') {
                Some(rest) => (rest.to_owned(), false),
                None => (text.clone(), true),
            };
            GlobBuilder::new(&inverted).literal_separator(true).build().map_err(|e| e.to_string())?;
            if let Some((glob, mut rule)) = parse_line(&inverted, *fold) {
                rule.keep = body;
                builder.add(glob);
                rules.push(rule);
            }
        }
        let any_keep = rules.iter().any(|r| r.keep);
        let rules = match rules.is_empty() {
            true => None,
            false => {
                Some(Rules { set: builder.build().map_err(|e| e.to_string())?, rules, root: cwd.clone() })
            }
        };
        Ok(Overrides { rules, any_keep })
    }

    fn verdict(&self, path: &[u8], is_dir: bool) -> Verdict {
        let Some(rules) = &self.rules else { return Verdict::None };
        match rules.verdict(path, is_dir) {
            Verdict::None if self.any_keep && !is_dir => Verdict::Ignore,
            verdict => verdict,
        }
    }
}

/// File types chosen by `-t` and left out by `-T`.
#[derive(Default)]
pub struct Types {
    /// Globs with whether they keep.
    rules: Vec<(Glob, bool)>,
    any_keep: bool,
}

impl Types {
    /// Adds the globs of one type.
    pub fn add(&mut self, globs: &[String], keep: bool) {
        self.any_keep |= keep;
        self.rules.extend(globs.iter().map(|g| (Glob::new(g.as_bytes(), GlobFlags::default()), keep)));
    }

    fn verdict(&self, name: &[u8], is_dir: bool) -> Verdict {
        if is_dir || self.rules.is_empty() {
            return Verdict::None;
        }
        match self.rules.iter().rev().find(|(g, _)| g.matches(name)) {
            Some((_, true)) => Verdict::Keep,
            Some((_, false)) => Verdict::Ignore,
            None if self.any_keep => Verdict::Ignore,
            None => Verdict::None,
        }
    }
}

/// Which kinds of rules count.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    /// `.ignore` and `.rgignore`
    pub dot: bool,
    /// `.gitignore`
    pub vcs: bool,
    /// `.git/info/exclude`
    pub exclude: bool,
    /// Ignore files of the directories above.
    pub parents: bool,
    /// `.gitignore` counts only within a repository.
    pub require_git: bool,
    /// Hidden names are left out.
    pub hidden: bool,
    /// Without regard to case.
    pub fold: bool,
    /// A further ignore file, stronger than the others (`.rgignore`).
    pub own: Option<&'static str>,
}

/// The ignore files of one directory, strongest first.
struct Level {
    dot: Vec<Rules>,
    git: Vec<Rules>,
    /// The directory is the top of a repository.
    is_top: bool,
}

/// The rules in force where the walk is.
pub struct Ignore<'c> {
    sources: Sources,
    overrides: &'c Overrides,
    types: &'c Types,
    /// `--ignore-file`, weakest.
    explicit: &'c [Rules],
    levels: Vec<Level>,
    max_depth: Option<usize>,
    max_size: Option<u64>,
    device: Option<u64>,
}

impl<'c> Ignore<'c> {
    /// The rules for a walk that starts in `root`, those of the directories above it among them.
    pub fn new(
        files: &Files,
        root: &[u8],
        sources: Sources,
        overrides: &'c Overrides,
        types: &'c Types,
        explicit: &'c [Rules],
        (max_depth, max_size, one_device): (Option<usize>, Option<u64>, bool),
    ) -> Ignore<'c> {
        let device = one_device.then(|| files.stat_cheap(root, true).ok().map(|(s, _)| s.dev)).flatten();
        let mut ignore =
            Ignore { sources, overrides, types, explicit, levels: Vec::new(), max_depth, max_size, device };
        let root = files.real_path(root).unwrap_or_else(|_| files.absolute(root));
        if sources.parents {
            for (i, _) in root.iter().enumerate().filter(|(i, b)| **b == b'/' && (*i > 0 || root.len() > 1)) {
                let above = root.slice(..i.max(1));
                ignore.push(files, &above);
            }
        }
        ignore.push(files, &root);
        ignore
    }

    fn push(&mut self, files: &Files, dir: &Bytes) {
        let join = |name: &str| {
            Bytes::from([&dir[..], if dir.ends_with(b"/") { b"" } else { b"/" }, name.as_bytes()].concat())
        };
        let read = |name: &str, wanted: bool| {
            let path = join(name);
            if !wanted
                || !files
                    .stat_cheap(&path, true)
                    .is_ok_and(|(s, _)| s.kind == sandshell_kernel::FileKind::File)
            {
                return None;
            }
            Rules::parse(&files.read(&path).ok()?, dir, self.sources.fold)
        };
        let s = self.sources;
        let dot =
            [s.own.and_then(|name| read(name, true)), read(".ignore", s.dot)].into_iter().flatten().collect();
        let is_top = (s.vcs || s.exclude) && files.exists(&join(".git"));
        let git =
            [read(".gitignore", s.vcs), read(".git/info/exclude", s.exclude && is_top)].into_iter().flatten();
        let git = git.collect();
        self.levels.push(Level { dot, git, is_top });
    }

    fn ignored(&self, path: &[u8], is_dir: bool) -> Verdict {
        let dot = || self.levels.iter().rev().flat_map(|l| &l.dot);
        if let Some(v) = dot().map(|r| r.verdict(path, is_dir)).find(|v| *v != Verdict::None) {
            return v;
        }
        let top = self.levels.iter().rposition(|l| l.is_top);
        if top.is_some() || !self.sources.require_git {
            let git = self.levels[top.unwrap_or(0)..].iter().rev().flat_map(|l| &l.git);
            if let Some(v) = git.map(|r| r.verdict(path, is_dir)).find(|v| *v != Verdict::None) {
                return v;
            }
        }
        let explicit = self.explicit.iter().rev().map(|r| r.verdict(path, is_dir));
        explicit.into_iter().find(|v| *v != Verdict::None).unwrap_or(Verdict::None)
    }

    /// Whether a path is looked at.
    fn keeps(&self, files: &Files, path: &[u8], name: &[u8], is_dir: bool) -> bool {
        let absolute = files.absolute(path);
        match self.overrides.verdict(&absolute, is_dir) {
            Verdict::Ignore => return false,
            Verdict::Keep => return true,
            Verdict::None => {}
        }
        let mut kept = false;
        match self.ignored(&absolute, is_dir) {
            Verdict::Ignore => return false,
            v => kept |= v == Verdict::Keep,
        }
        match self.types.verdict(name, is_dir) {
            Verdict::Ignore => return false,
            v => kept |= v == Verdict::Keep,
        }
        kept || !self.sources.hidden || !name.starts_with(b".")
    }
}

impl crate::search::walk::Filter for Ignore<'_> {
    fn enter(&mut self, files: &Files, path: &[u8], name: &[u8], depth: usize) -> bool {
        if self.max_depth.is_some_and(|max| depth >= max) || !self.keeps(files, path, name, true) {
            return false;
        }
        if let Some(device) = self.device
            && files.stat_cheap(path, true).is_ok_and(|(s, _)| s.dev != device)
        {
            return false;
        }
        let absolute = files.absolute(path);
        self.push(files, &absolute);
        true
    }

    fn accept(&mut self, files: &Files, path: &[u8], name: &[u8]) -> bool {
        self.keeps(files, path, name, false)
            && self.max_size.is_none_or(|max| files.stat(path).is_ok_and(|s| s.size <= max))
    }

    fn leave(&mut self) {
        self.levels.pop();
    }
}
