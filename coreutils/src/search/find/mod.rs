//! `find`: walks trees and evaluates an expression for each file, as GNU findutils 4.9 does. Directories are listed
//! in the order of their names.

mod exec;
mod expr;
mod parse;
mod perm;
mod printf;

pub use exec::replace;

use crate::{
    cli::quote,
    search::{clock, walk::list_ahead},
    users::Users,
};
use expr::{Item, Node, Sink};
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Output, Process, Program, Result, Status, Time};
use sandshell_text::options::{Example, Spec};

/// When links are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Links {
    /// `-P`
    #[default]
    Never,
    /// `-H`: the starting points.
    Start,
    /// `-L`, `-follow`
    Always,
}

/// What the options say.
#[derive(Default)]
struct Config {
    links: Links,
    min_depth: usize,
    max_depth: Option<usize>,
    depth_first: bool,
    one_device: bool,
    daystart: bool,
    warn: bool,
    needs_size: bool,
}

/// One run of find.
pub struct Find<'p> {
    process: &'p mut Process,
    config: Config,
    outs: Vec<Output>,
    batches: Vec<exec::Batch>,
    users: Option<Users>,
    now: Time,
    zone: clock::Zone,
    quit: bool,
    status: u8,
    level: Option<usize>,
    /// Directories that the walk is in, for `-L`: device, inode, length of the path.
    inside: Vec<(u64, u64, usize)>,
}

impl Find<'_> {
    fn users(&mut self) -> &Users {
        self.users.get_or_insert_with(|| Users::load(&self.process.files))
    }

    fn out(&mut self, sink: Sink) -> &mut Output {
        match sink {
            Sink::File(n) if n < self.outs.len() => &mut self.outs[n],
            _ => &mut self.process.stdout,
        }
    }

    fn follows(&self, depth: usize) -> bool {
        match self.config.links {
            Links::Never => false,
            Links::Start => depth == 0,
            Links::Always => true,
        }
    }

    /// The kind of filesystem that `path` is on.
    fn filesystem(&self, path: &[u8]) -> &'static str {
        let path = self.process.files.absolute(path);
        let mounts = self.process.files.mounts();
        let below =
            |m: &[u8]| m == b"/" || path == m || path.starts_with(m) && path.get(m.len()) == Some(&b'/');
        mounts.iter().filter(|m| below(&m.path)).max_by_key(|m| m.path.len()).map_or("root", |m| m.kind)
    }

    /// Reports a failed call on `path`.
    fn failed(&mut self, path: &[u8], e: Errno) -> Result<()> {
        self.status = 1;
        self.process.error(format_args!("{}: {e}", quote(path)))
    }

    fn walk(&mut self, node: &Node, path: &mut Vec<u8>, at: Place) -> Result<()> {
        if self.quit {
            return Ok(());
        }
        self.process.budget.step()?;
        let mut item = Item {
            path,
            base: at.base,
            start: at.start,
            depth: at.depth,
            kind: at.kind,
            stat: None,
            prune: false,
        };
        let kind = match self.kind(&mut item) {
            Ok(kind) => kind,
            Err(Error::Os(e)) => return self.failed(item.path, e),
            Err(stop) => return Err(stop),
        };
        self.enter_level(at.depth)?;
        let due = at.depth >= self.config.min_depth;
        if due && !self.config.depth_first {
            self.eval(node, &mut item)?;
        }
        let deeper = self.config.max_depth.is_none_or(|max| at.depth < max);
        if kind == FileKind::Directory && deeper && (!item.prune || self.config.depth_first) && !self.quit {
            stacker::maybe_grow(64 << 10, 1 << 20, || self.descend(node, path, at))?;
            self.enter_level(at.depth)?;
        }
        if due && self.config.depth_first {
            let mut item = Item {
                path,
                base: at.base,
                start: at.start,
                depth: at.depth,
                kind: Some(kind),
                stat: None,
                prune: false,
            };
            self.eval(node, &mut item)?;
        }
        Ok(())
    }

    fn enter_level(&mut self, depth: usize) -> Result<()> {
        if self.level.replace(depth).is_some_and(|l| l != depth) && !self.batches.is_empty() {
            self.run_batches(false)?;
        }
        Ok(())
    }

    /// Looks at what is in the directory `path`.
    fn descend(&mut self, node: &Node, path: &mut Vec<u8>, at: Place) -> Result<()> {
        let mut device = at.device;
        if self.config.one_device || self.config.links == Links::Always {
            let (s, _) = self.process.files.stat_cheap(path, true)?;
            if self.config.one_device && device.is_some_and(|d| d != s.dev) {
                return Ok(());
            }
            device = Some(s.dev);
            if self.config.links == Links::Always {
                if let Some(outer) = self.inside.iter().find(|d| (d.0, d.1) == (s.dev, s.ino)) {
                    self.status = 1;
                    let outer = quote(&path[..outer.2]);
                    return self.process.error(format_args!(
                        "File system loop detected; {} is part of the same file system loop as {outer}.",
                        quote(path)
                    ));
                }
                self.inside.push((s.dev, s.ino, path.len()));
            }
        }
        let entries = match self.process.files.read_dir(path) {
            Ok(entries) => entries,
            Err(Error::Os(e)) => {
                self.failed(path, e)?;
                Vec::new()
            }
            Err(stop) => return Err(stop),
        };
        for note in self.process.files.take_notes() {
            self.status = 1;
            self.process.error(format_args!("{note}"))?;
        }
        let len = path.len();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        let base = path.len();
        if self.config.needs_size && entries.len() > 1 {
            let join = |name: &Bytes| Bytes::from([&path[..], name].concat());
            let files = entries.iter().filter(|e| e.kind == FileKind::File);
            self.process.files.prefetch(&files.map(|e| join(&e.name)).collect::<Vec<_>>());
        }
        let deeper = self.config.max_depth.is_none_or(|max| at.depth + 1 < max);
        for (i, e) in entries.iter().enumerate() {
            path.truncate(base);
            if deeper {
                list_ahead(&self.process.files, path, &entries[i..], i, |_| true);
            }
            path.extend_from_slice(&e.name);
            let place = Place { base, depth: at.depth + 1, kind: Some(e.kind), device, ..at };
            self.walk(node, path, place)?;
            if self.quit {
                break;
            }
        }
        path.truncate(len);
        if self.config.links == Links::Always {
            self.inside.pop();
        }
        Ok(())
    }
}

/// Where the walk is.
#[derive(Clone, Copy)]
struct Place {
    base: usize,
    start: usize,
    depth: usize,
    kind: Option<FileKind>,
    device: Option<u64>,
}

/// `find`
pub struct FindProgram;

static SPEC: Spec = Spec {
    name: "find",
    about: "Search for files in a directory hierarchy.",
    synopsis: &["[-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]"],
    options: &[],
    notes: HELP,
    version: "find (GNU findutils) 4.9.0",
    examples: &[Example {
        script: "mkdir -p a/b; touch a/x.txt a/b/y.txt; find a -name '*.txt' -type f",
        output: "a/b/y.txt\na/x.txt\n",
    }],
};

const HELP: &str = "\
Default path is the current directory; default expression is -print.
Expression may consist of: operators, options, tests, and actions.

Operators (decreasing precedence; -and is implicit where no others are given):
      ( EXPR )   ! EXPR   -not EXPR   EXPR1 -a EXPR2   EXPR1 -and EXPR2
      EXPR1 -o EXPR2   EXPR1 -or EXPR2   EXPR1 , EXPR2

Positional options (always true):
      -daystart -follow -nowarn -regextype -warn

Normal options (always true, specified before other expressions):
      -depth -files0-from FILE -maxdepth LEVELS -mindepth LEVELS
       -mount -noleaf -xdev -ignore_readdir_race -noignore_readdir_race

Tests (N can be +N or -N or N):
      -amin N -anewer FILE -atime N -cmin N -cnewer FILE
      -ctime N -empty -false -fstype TYPE -gid N -group NAME -ilname PATTERN
      -iname PATTERN -inum N -iwholename PATTERN -iregex PATTERN
      -links N -lname PATTERN -mmin N -mtime N -name PATTERN -newer FILE
      -nouser -nogroup -path PATTERN -perm [-/]MODE -regex PATTERN
      -readable -writable -executable
      -wholename PATTERN -size N[bcwkMG] -true -type [bcdpflsD] -uid N
      -used N -user NAME -xtype [bcdpfls]

Actions:
      -delete -print0 -printf FORMAT -fprintf FILE FORMAT -print 
      -fprint0 FILE -fprint FILE -ls -fls FILE -prune -quit
      -exec COMMAND ; -exec COMMAND {} + -ok COMMAND ;
      -execdir COMMAND ; -execdir COMMAND {} + -okdir COMMAND ;

Other common options:
      --help                   display this help and exit
      --version                output version information and exit
";

impl Program for FindProgram {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let zone = clock::Zone::of(&process.env);
        let mut find = Find {
            process,
            config: Config::default(),
            outs: Vec::new(),
            batches: Vec::new(),
            users: None,
            now: Time::now(),
            zone,
            quit: false,
            status: 0,
            level: None,
            inside: Vec::new(),
        };
        let (node, starts) = match find.parse()? {
            Ok(parsed) => parsed,
            Err(status) => return Ok(status),
        };
        for start in starts {
            let mut path = start.to_vec();
            let end = path.iter().rposition(|&b| b != b'/').map_or(path.len().min(1), |i| i + 1);
            let base = path[..end].iter().rposition(|&b| b == b'/').map_or(0, |i| i + 1);
            let base = if end == 1 && path[0] == b'/' { 0 } else { base };
            let place = Place { base, start: path.len(), depth: 0, kind: None, device: None };
            find.inside.clear();
            match find.walk(&node, &mut path, place) {
                Ok(()) => {}
                Err(Error::Os(Errno::EPIPE)) => return Err(Errno::EPIPE.into()),
                Err(Error::Os(e)) => find.failed(&path, e)?,
                Err(stop) => return Err(stop),
            }
            if find.quit {
                break;
            }
        }
        find.run_batches(true)?;
        for out in &mut find.outs {
            out.flush()?;
        }
        Ok(Status(find.status))
    }
}
