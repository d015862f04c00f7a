//! Pathname expansion over the virtual files: one pattern per component, listings are sorted already.

use crate::session::{
    options::shopt,
    script::join,
    shell::{Flow, Shell, Unwind},
    special::known,
};
use bytes::Bytes;
use sandshell_kernel::FileKind;
use sandshell_text::glob::{Glob, GlobFlags, has_magic};

/// A component of a pattern.
enum Component {
    /// No wildcard: the name.
    Name(Vec<u8>),
    /// A pattern; whether it may match names that begin with a dot.
    Pattern(Glob, bool),
    /// `**` with `globstar`.
    Deep,
}

struct Walk<'a> {
    components: &'a [Component],
    found: Vec<Bytes>,
    limit: u64,
}

impl Shell {
    /// Appends the files that `pattern` matches, or what bash does without any.
    pub(super) fn pathnames(&mut self, text: Bytes, pattern: &[u8], out: &mut Vec<Bytes>) -> Flow<()> {
        let extglob = self.options.shopt(shopt::EXTGLOB);
        if !has_magic(pattern, extglob) {
            out.push(text);
            return Ok(());
        }
        let found = self.glob(pattern)?;
        if !found.is_empty() {
            out.extend(found);
            return Ok(());
        }
        if self.options.shopt(shopt::FAILGLOB) {
            self.report(&[b"no match: ", &text]);
            return Err(Unwind::Discard(1));
        }
        if !self.options.shopt(shopt::NULLGLOB) {
            out.push(text);
        }
        Ok(())
    }

    /// The sorted paths that a pattern matches.
    pub(crate) fn glob(&mut self, pattern: &[u8]) -> Flow<Vec<Bytes>> {
        let o = &self.options;
        let (extglob, nocase) = (o.shopt(shopt::EXTGLOB), o.shopt(shopt::NOCASEGLOB));
        let mut dotglob = o.shopt(shopt::DOTGLOB);
        let globstar = o.shopt(shopt::GLOBSTAR);
        let ignore = self.scalar(known().globignore)?.filter(|v| !v.is_empty());
        dotglob |= ignore.is_some();
        let absolute = pattern.first() == Some(&b'/');
        let mut components = Vec::new();
        let mut parts: Vec<&[u8]> = split_components(pattern);
        let directories = parts.last().is_some_and(|p| p.is_empty()) && parts.len() > 1;
        parts.retain(|p| !p.is_empty());
        for part in parts {
            components.push(if globstar && part == b"**" {
                Component::Deep
            } else if has_magic(part, extglob) || nocase {
                let dots = dotglob || begins_with_dot(part);
                Component::Pattern(
                    Glob::new(part, GlobFlags { extglob, nocase, ..GlobFlags::default() }),
                    dots,
                )
            } else {
                Component::Name(unescape(part))
            });
        }
        let limit = self.budget.limits().glob_matches;
        let mut walk = Walk { components: &components, found: Vec::new(), limit };
        let start: &[u8] = if absolute { b"/" } else { b"" };
        self.walk(&mut walk, start.to_vec(), 0, directories)?;
        let Walk { mut found, .. } = walk;
        if let Some(ignore) = ignore {
            let patterns: Vec<Glob> = ignore
                .split(|&b| b == b':')
                .filter(|p| !p.is_empty())
                .map(|p| Glob::new(p, GlobFlags { extglob, nocase, pathname: true, period: false }))
                .collect();
            found.retain(|f| {
                let base = f.rsplit(|&b| b == b'/').next().unwrap_or(f);
                base != b"." && base != b".." && !patterns.iter().any(|p| p.matches(f))
            });
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn walk(&mut self, walk: &mut Walk<'_>, base: Vec<u8>, at: usize, directories: bool) -> Flow<()> {
        self.step()?;
        let last = at + 1 == walk.components.len();
        let Some(component) = walk.components.get(at) else { return Ok(()) };
        match component {
            Component::Name(name) => {
                let path = append(&base, name);
                if !last {
                    // Only a directory leads further; the next listing finds out.
                    return self.walk(walk, path, at + 1, directories);
                }
                let there = match directories {
                    true => self.is_directory(&path),
                    false => self.files.stat_cheap(&path, false).is_ok(),
                };
                if there {
                    self.found(walk, path, directories)?;
                }
                Ok(())
            }
            Component::Pattern(glob, dots) => {
                let here: &[u8] = if base.is_empty() { b"." } else { &base };
                let Ok(entries) = self.files.read_dir(here) else { return Ok(()) };
                for e in entries {
                    if e.name.first() == Some(&b'.') && !dots || !glob.matches(&e.name) {
                        continue;
                    }
                    self.step()?;
                    let path = append(&base, &e.name);
                    let leads = || match e.kind {
                        FileKind::Directory => true,
                        FileKind::Symlink => self.is_directory(&path),
                        _ => false,
                    };
                    if last {
                        if !directories || leads() {
                            self.found(walk, path, directories)?;
                        }
                    } else if leads() {
                        self.walk(walk, path, at + 1, directories)?;
                    }
                }
                Ok(())
            }
            Component::Deep => self.grow(|sh| sh.walk_deep(walk, base, at, directories, true)),
        }
    }

    /// `**`: this directory and all below it, links to directories not followed.
    fn walk_deep(
        &mut self,
        walk: &mut Walk<'_>,
        base: Vec<u8>,
        at: usize,
        directories: bool,
        top: bool,
    ) -> Flow<()> {
        self.step()?;
        let last = at + 1 == walk.components.len();
        let dots = self.options.shopt(shopt::DOTGLOB);
        if !last {
            self.walk(walk, base.clone(), at + 1, directories)?;
        } else if top && !base.is_empty() && base != b"/" {
            // `dir/**` names the directory itself, as `dir/`.
            let mut path = base.clone();
            path.push(b'/');
            walk.found.push(Bytes::from(path));
        }
        let here: &[u8] = if base.is_empty() { b"." } else { &base };
        let Ok(entries) = self.files.read_dir(here) else { return Ok(()) };
        for e in entries {
            if e.name.first() == Some(&b'.') && !dots {
                continue;
            }
            let path = append(&base, &e.name);
            let is_dir = e.kind == FileKind::Directory;
            if last && (!directories || is_dir) {
                self.found(walk, path.clone(), directories)?;
            }
            if is_dir {
                self.grow(|sh| sh.walk_deep(walk, path, at, directories, false))?;
            }
        }
        Ok(())
    }

    fn is_directory(&self, path: &[u8]) -> bool {
        self.files.stat_cheap(path, true).is_ok_and(|(s, _)| s.is_dir())
    }

    fn found(&mut self, walk: &mut Walk<'_>, mut path: Vec<u8>, directories: bool) -> Flow<()> {
        if directories {
            path.push(b'/');
        }
        walk.found.push(Bytes::from(path));
        if walk.found.len() as u64 > walk.limit {
            self.report(&[b"too many files match"]);
            return Err(Unwind::Discard(1));
        }
        Ok(())
    }
}

fn append(base: &[u8], name: &[u8]) -> Vec<u8> {
    match base {
        b"" => name.to_vec(),
        b => join(b, name).to_vec(),
    }
}

/// Components between slashes; a slash within brackets or an escape does not count as quoted.
fn split_components(pattern: &[u8]) -> Vec<&[u8]> {
    pattern.split(|&b| b == b'/').collect()
}

/// Whether the pattern names a leading dot itself.
fn begins_with_dot(part: &[u8]) -> bool {
    matches!(part, [b'.', ..] | [b'\\', b'.', ..])
}

fn unescape(part: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.len());
    let mut i = 0;
    while i < part.len() {
        if part[i] == b'\\' && i + 1 < part.len() {
            i += 1;
        }
        out.push(part[i]);
        i += 1;
    }
    out
}
