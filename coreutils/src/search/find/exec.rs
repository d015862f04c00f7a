//! The actions of `find` that run programs or remove files.

use super::{Find, expr::Item};
use crate::cli::quote;
use sandshell_kernel::{Bytes, Error, FileKind, Result};

/// A command of `-exec … +` that gathers files.
pub struct Batch {
    /// The words before `{}`.
    pub argv: Vec<Bytes>,
    /// Whether it runs in the files' directory.
    pub in_dir: bool,
    /// Files gathered so far.
    files: Vec<Bytes>,
    dir: Bytes,
    size: usize,
}

impl Batch {
    /// An empty batch.
    pub fn new(argv: Vec<Bytes>, in_dir: bool) -> Batch {
        Batch { argv, in_dir, files: Vec::new(), dir: Bytes::new(), size: 0 }
    }
}

/// Bytes of arguments that one command gets, as GNU find allows itself.
const ARGUMENTS: usize = 128 << 10;

/// The directory to run in and the name in it, for `-execdir`.
fn split(item: &Item<'_>) -> (Bytes, Bytes) {
    let name = item.name();
    let dir = &item.path[..item.base];
    let dir = if dir.is_empty() { Bytes::from_static(b".") } else { Bytes::copy_from_slice(dir) };
    let name = match name.starts_with(b"/") {
        true => Bytes::copy_from_slice(name),
        false => Bytes::from([b"./", name].concat()),
    };
    (dir, name)
}

impl Find<'_> {
    /// `-exec … ;` and its kin: true when the program ends with 0.
    pub fn exec(&mut self, argv: &[Bytes], in_dir: bool, ask: bool, item: &mut Item<'_>) -> Result<bool> {
        let (dir, name) = match in_dir {
            true => split(item),
            false => (Bytes::new(), Bytes::copy_from_slice(item.path)),
        };
        if ask && !self.confirm(argv, item.path)? {
            return Ok(false);
        }
        let argv = argv.iter().map(|word| replace(word, b"{}", &name)).collect();
        self.command(argv, &dir).map(|status| status == Some(0))
    }

    fn confirm(&mut self, argv: &[Bytes], path: &[u8]) -> Result<bool> {
        let prompt = [b"< ", &argv[0][..], b" ... ", path, b" > ? "].concat();
        self.process.stdout.flush()?;
        self.process.write_error(&prompt)?;
        let answer = self.process.stdin.line(b'\n')?;
        Ok(answer.is_some_and(|l| matches!(l.bytes.first(), Some(b'y' | b'Y'))))
    }

    /// Runs `argv` in `dir` (empty: here). `None` when there is no such program.
    fn command(&mut self, argv: Vec<Bytes>, dir: &Bytes) -> Result<Option<u8>> {
        let mut spawn = self.process.spawn(argv);
        if !dir.is_empty() {
            spawn.files.set_cwd(dir)?;
        }
        let found = self.process.spawner().find(&spawn.argv[0], &spawn.env, &spawn.files);
        if let Err(Error::Os(e)) = found {
            self.process.stdout.flush()?;
            self.process.error(format_args!("{}: {e}", quote(&spawn.argv[0])))?;
            return Ok(None);
        }
        found?;
        for out in &mut self.outs {
            out.flush()?;
        }
        Ok(Some(self.process.run(spawn)?.0))
    }

    /// Adds a file to an `-exec … +`, running what is gathered when it is full.
    pub fn add_to_batch(&mut self, index: usize, item: &mut Item<'_>) -> Result<()> {
        let (dir, name) = match self.batches[index].in_dir {
            true => split(item),
            false => (Bytes::new(), Bytes::copy_from_slice(item.path)),
        };
        let batch = &self.batches[index];
        let fixed: usize = batch.argv.iter().map(|a| a.len() + 1).sum();
        let full = fixed + batch.size + name.len() + 1 > ARGUMENTS;
        if !batch.files.is_empty() && (full || batch.dir != dir) {
            self.run_batch(index)?;
        }
        let batch = &mut self.batches[index];
        batch.size += name.len() + 1;
        batch.dir = dir;
        batch.files.push(name);
        Ok(())
    }

    fn run_batch(&mut self, index: usize) -> Result<()> {
        let batch = &mut self.batches[index];
        if batch.files.is_empty() {
            return Ok(());
        }
        let mut argv = batch.argv.clone();
        argv.append(&mut batch.files);
        batch.size = 0;
        let dir = batch.dir.clone();
        match self.command(argv, &dir) {
            Ok(Some(0)) => {}
            Ok(_) => self.status = 1,
            Err(Error::Os(e)) => self.failed(&dir, e)?,
            Err(stop) => return Err(stop),
        }
        Ok(())
    }

    /// Runs what is gathered: all of it at the end, that of `-execdir` when the walk changes its level.
    pub fn run_batches(&mut self, all: bool) -> Result<()> {
        for index in 0..self.batches.len() {
            if all || self.batches[index].in_dir {
                self.run_batch(index)?;
            }
        }
        Ok(())
    }

    /// `-delete`
    pub fn delete(&mut self, item: &mut Item<'_>) -> Result<bool> {
        if item.path == b"." {
            return Ok(true);
        }
        let result = match self.process.files.stat_cheap(item.path, false)?.0.kind {
            FileKind::Directory => self.process.files.rmdir(item.path),
            _ => self.process.files.unlink(item.path),
        };
        match result {
            Ok(()) => Ok(true),
            Err(Error::Os(e)) => {
                self.status = 1;
                self.process.stdout.flush()?;
                self.process.error(format_args!("cannot delete {}: {e}", quote(item.path)))?;
                Ok(false)
            }
            Err(stop) => Err(stop),
        }
    }
}

/// `word` with every `from` replaced.
pub fn replace(word: &Bytes, from: &[u8], to: &[u8]) -> Bytes {
    if from.is_empty() || memchr::memmem::find(word, from).is_none() {
        return word.clone();
    }
    let mut out = Vec::with_capacity(word.len() + to.len());
    let mut rest = &word[..];
    while let Some(at) = memchr::memmem::find(rest, from) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    out.extend_from_slice(rest);
    Bytes::from(out)
}
