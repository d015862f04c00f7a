//! What cp, mv, ln and install have in common: sources, and the file or directory that they go to.

use super::{base, join, misuse, trim_slashes};
use sandshell_kernel::{Bytes, Errno, Error, Process, Result, Status};
use sandshell_text::{options::Parsed, quote};

/// Where the sources go.
pub(super) enum Targets {
    /// One source, to exactly this name.
    Exactly(Bytes, Bytes),
    /// Sources into a directory.
    Into(Vec<Bytes>, Bytes),
}

impl Targets {
    /// By `-t`, `-T` (which the program calls `target-directory` and `no-target-directory`) and the operands.
    /// `one_is_enough`: ln with one operand makes the link here. `follow`: a link to a directory counts as one.
    pub fn of(
        p: &mut Process,
        parsed: &Parsed,
        one_is_enough: bool,
        follow: bool,
    ) -> Result<Result<Targets, Status>> {
        let (directory, exactly) = (parsed.last("target-directory"), parsed.has("no-target-directory"));
        let files = &parsed.operands;
        if directory.is_some() && exactly {
            let text = "cannot combine --target-directory (-t) and --no-target-directory (-T)";
            p.error(format_args!("{text}"))?;
            return Ok(Err(Status::FAILURE));
        }
        let needs_destination = directory.is_none() && !one_is_enough;
        if files.is_empty() || (files.len() == 1 && (needs_destination || exactly)) {
            let status = match files.first() {
                None => misuse(p, format_args!("missing file operand"))?,
                Some(f) => {
                    let shown = quote::name_always(f);
                    misuse(p, format_args!("missing destination file operand after {shown}"))?
                }
            };
            return Ok(Err(status));
        }
        if let Some(dir) = directory {
            return Ok(match p.files.stat_cheap(dir, true) {
                Ok((s, _)) if s.is_dir() => Ok(Targets::Into(files.clone(), dir.clone())),
                Err(e) if one_is_enough => {
                    p.complain(format_args!("failed to access {}", quote::name_always(dir)), e)?;
                    Err(Status::FAILURE)
                }
                Ok(_) if one_is_enough => {
                    p.error(format_args!("target {} is not a directory", quote::name_always(dir)))?;
                    Err(Status::FAILURE)
                }
                other => {
                    let e = other.err().unwrap_or(Error::Os(Errno::ENOTDIR));
                    p.complain(format_args!("target directory {}", quote::name_always(dir)), e)?;
                    Err(Status::FAILURE)
                }
            });
        }
        if files.len() == 1 {
            return Ok(Ok(Targets::Into(files.clone(), Bytes::from_static(b"."))));
        }
        let (last, sources) = files.split_last().map_or((Bytes::new(), &files[..]), |(l, s)| (l.clone(), s));
        if exactly {
            if let Some(extra) = files.get(2) {
                let shown = quote::name_always(extra);
                return Ok(Err(misuse(p, format_args!("extra operand {shown}"))?));
            }
            return Ok(Ok(Targets::Exactly(sources[0].clone(), last)));
        }
        let found = p.files.stat_cheap(&last, follow);
        match found {
            Ok((s, _)) if s.is_dir() => Ok(Ok(Targets::Into(sources.to_vec(), last))),
            Err(e @ Error::Stop(_)) => Err(e),
            _ if sources.len() == 1 => Ok(Ok(Targets::Exactly(sources[0].clone(), last))),
            other => {
                let e = other.err().unwrap_or(Error::Os(Errno::ENOTDIR));
                p.complain(format_args!("target {}", quote::name_always(&last)), e)?;
                Ok(Err(Status::FAILURE))
            }
        }
    }

    /// Pairs of source and destination.
    pub fn pairs(self) -> Vec<(Bytes, Bytes)> {
        match self {
            Targets::Exactly(from, to) => vec![(from, to)],
            Targets::Into(sources, dir) => {
                let to = |s: &Bytes| join(&dir, base(s));
                sources.iter().map(|s| (s.clone(), to(s))).collect()
            }
        }
    }
}

/// Takes the slashes from the end of each source (`--strip-trailing-slashes`).
pub(super) fn strip(parsed: &mut Parsed) {
    for f in &mut parsed.operands {
        let n = trim_slashes(f).len();
        f.truncate(n);
    }
}
