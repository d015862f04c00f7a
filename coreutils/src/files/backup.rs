//! Backups that cp, mv, ln and install make of what they replace.

use super::{base, choose, dir, join};
use sandshell_kernel::{Bytes, Process, Result, Status};
use sandshell_text::options::Parsed;

/// How backups are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// None are made.
    None,
    /// `f~`
    Simple,
    /// `f.~N~` where there are such already, else `f~`.
    Existing,
    /// `f.~N~`
    Numbered,
}

/// What the options say about backups.
#[derive(Clone, Debug)]
pub(super) struct Backup {
    pub kind: Kind,
    suffix: Bytes,
}

const KINDS: &[(&str, Kind)] = &[
    ("none", Kind::None),
    ("off", Kind::None),
    ("simple", Kind::Simple),
    ("never", Kind::Simple),
    ("existing", Kind::Existing),
    ("nil", Kind::Existing),
    ("numbered", Kind::Numbered),
    ("t", Kind::Numbered),
];

impl Backup {
    /// From `-b`, `--backup` (which the program calls `backup`) and `-S`.
    pub fn of(p: &mut Process, parsed: &Parsed) -> Result<Result<Backup, Status>> {
        let suffix = parsed.last("suffix").cloned().or_else(|| p.env.get("SIMPLE_BACKUP_SUFFIX").cloned());
        let suffix = suffix.filter(|s| !s.is_empty() && !s.contains(&b'/'));
        let asked = parsed.has("backup") || parsed.has("b") || parsed.has("suffix");
        let mut kind = Kind::None;
        if asked {
            let (text, option) = match parsed.last("backup") {
                Some(t) => (Some(t.clone()), "backup type"),
                None => (p.env.get("VERSION_CONTROL").cloned(), "$VERSION_CONTROL"),
            };
            kind = Kind::Existing;
            if let Some(text) = text {
                match choose(p, option, &text, KINDS)? {
                    Ok(k) => kind = k,
                    Err(s) => return Ok(Err(s)),
                }
            }
        }
        Ok(Ok(Backup { kind, suffix: suffix.unwrap_or(Bytes::from_static(b"~")) }))
    }

    /// The name that a backup of `file` gets; `None` when none is made.
    pub fn name(&self, p: &Process, file: &[u8]) -> Result<Option<Bytes>> {
        let simple = || Bytes::from([file, &self.suffix].concat());
        if self.kind == Kind::None {
            return Ok(None);
        }
        if self.kind == Kind::Simple {
            return Ok(Some(simple()));
        }
        let stem = [base(file), b".~"].concat();
        let highest = p
            .files
            .read_dir(dir(file))?
            .iter()
            .filter_map(|e| {
                let n = e.name.strip_prefix(&stem[..])?.strip_suffix(b"~")?;
                std::str::from_utf8(n).ok()?.parse::<u64>().ok()
            })
            .max();
        Ok(Some(match (highest, self.kind) {
            (None, Kind::Existing) => simple(),
            (n, _) => {
                let name = [&stem[..], (n.unwrap_or(0) + 1).to_string().as_bytes(), b"~"].concat();
                if file.contains(&b'/') { join(dir(file), &name) } else { Bytes::from(name) }
            }
        }))
    }
}
