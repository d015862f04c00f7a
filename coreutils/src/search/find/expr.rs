//! The expression of `find` as a tree, and its evaluation for one file. Nothing is asked of the filesystem before a
//! test needs it: names and kinds come from the directory, metadata without its size is cheap, a size may cost.

use super::{Find, perm::PermTest, printf::Format};
use crate::search::pattern::{Name, PathRegex};
use sandshell_kernel::{Bytes, Errno, Error, FileKind, Result, Stat, Time, vfs::Permission};
use std::cmp::Ordering;

/// A node of the expression.
pub enum Node {
    /// `-a`, or nothing between two tests.
    And(Vec<Node>),
    /// `-o`
    Or(Vec<Node>),
    /// `,`
    Comma(Vec<Node>),
    /// `!`
    Not(Box<Node>),
    /// A test or an action.
    Leaf(Leaf),
}

/// `N`, `+N`, `-N`.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// How to compare with it.
    pub order: Ordering,
    /// The number.
    pub value: u64,
}

impl Number {
    /// Whether `have` is what was asked for.
    pub fn accepts(self, have: u64) -> bool {
        have.cmp(&self.value) == self.order
    }
}

/// Which time of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Last access.
    Access,
    /// Birth.
    Birth,
    /// Last status change.
    Change,
    /// Last content change.
    Modify,
}

impl Which {
    /// That time of `s`.
    pub fn of(self, s: &Stat) -> Time {
        match self {
            Which::Access => s.atime,
            Which::Birth => s.btime,
            Which::Change => s.ctime,
            Which::Modify => s.mtime,
        }
    }
}

/// Where an action of the `-fprint` family writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Standard output.
    Stdout,
    /// The n-th file opened while parsing.
    File(usize),
}

/// A test or an action.
pub enum Leaf {
    /// `-true` and options that are always true.
    True,
    /// `-false`
    False,
    /// `-name`, `-iname`: the last component.
    Name(Name),
    /// `-path`, `-ipath`, `-wholename`
    Path(Name),
    /// `-lname`, `-ilname`: the target of a link.
    LinkName(Name),
    /// `-regex`, `-iregex`: the whole path.
    Regex(PathRegex),
    /// `-type f,d`
    Type(Vec<u8>),
    /// `-xtype f,d`: the other way of following links.
    Xtype(Vec<u8>),
    /// `-size`: in units of so many bytes, rounded up.
    Size(Number, u64),
    /// `-empty`
    Empty,
    /// `-newer`, `-newerXY`, `-anewer`, `-cnewer`
    Newer(Which, Time),
    /// `-mtime`, `-mmin` and their kin: the order to the moment, and the window (ns) for an exact match.
    Age(Which, Ordering, Time, i128),
    /// `-used`: days between status change and access.
    Used(Number),
    /// `-perm`
    Perm(PermTest),
    /// `-uid`, `-user`
    Uid(Number),
    /// `-gid`, `-group`
    Gid(Number),
    /// `-nouser`
    NoUser,
    /// `-nogroup`
    NoGroup,
    /// `-links`
    Links(Number),
    /// `-inum`
    Inode(Number),
    /// `-samefile`
    SameFile(u64, u64),
    /// `-fstype`
    FsType(Bytes),
    /// `-readable`, `-writable`, `-executable`
    Access(Permission),
    /// `-print`, `-fprint`
    Print(Sink),
    /// `-print0`, `-fprint0`
    Print0(Sink),
    /// `-printf`, `-fprintf`
    Printf(Sink, Format),
    /// `-ls`, `-fls`
    List(Sink),
    /// `-prune`
    Prune,
    /// `-quit`
    Quit,
    /// `-delete`
    Delete,
    /// `-exec … ;`, `-execdir`, `-ok`, `-okdir`
    Exec {
        /// The command, `{}` not yet replaced.
        argv: Vec<Bytes>,
        /// Run in the directory of the file.
        in_dir: bool,
        /// Ask first.
        ask: bool,
    },
    /// `-exec … +`: index of the batch.
    Batch(usize),
}

/// The file that is being looked at.
pub struct Item<'a> {
    /// The path as printed.
    pub path: &'a [u8],
    /// Where the last component starts.
    pub base: usize,
    /// Length of the starting point that it was found below.
    pub start: usize,
    /// 0 for a starting point.
    pub depth: usize,
    /// The kind as the directory says (a link is a link), unless links are followed.
    pub kind: Option<FileKind>,
    /// Metadata, once asked for; whether its size is true.
    pub stat: Option<(Stat, bool)>,
    /// `-prune` was met.
    pub prune: bool,
}

impl Item<'_> {
    /// The last component, without slashes behind it.
    pub fn name(&self) -> &[u8] {
        let name = &self.path[self.base..];
        match name.iter().rposition(|&b| b != b'/') {
            Some(end) => &name[..=end],
            None => name.get(..1).unwrap_or(name),
        }
    }
}

impl Find<'_> {
    /// Evaluates `node` for `item`. A failed call is reported and makes its test false.
    pub fn eval(&mut self, node: &Node, item: &mut Item<'_>) -> Result<bool> {
        if self.quit {
            return Ok(false);
        }
        match node {
            Node::And(all) => {
                for n in all {
                    if !self.eval(n, item)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Or(all) => {
                for n in all {
                    if self.eval(n, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Comma(all) => {
                let mut last = false;
                for n in all {
                    last = self.eval(n, item)?;
                }
                Ok(last)
            }
            Node::Not(n) => Ok(!self.eval(n, item)?),
            Node::Leaf(leaf) => match self.test(leaf, item) {
                Err(Error::Os(e)) if e != Errno::EPIPE => {
                    self.failed(item.path, e)?;
                    Ok(false)
                }
                other => other,
            },
        }
    }

    fn test(&mut self, leaf: &Leaf, item: &mut Item<'_>) -> Result<bool> {
        Ok(match leaf {
            Leaf::True => true,
            Leaf::False => false,
            Leaf::Name(p) => p.matches(item.name()),
            Leaf::Path(p) => p.matches(item.path),
            Leaf::Regex(r) => r.matches(item.path),
            Leaf::LinkName(p) => {
                self.kind(item)? == FileKind::Symlink && p.matches(&self.process.files.read_link(item.path)?)
            }
            Leaf::Type(letters) => letters.contains(&kind_letter(self.kind(item)?)),
            Leaf::Xtype(letters) => letters.contains(&self.other_kind(item)?),
            Leaf::Size(n, unit) => n.accepts(self.sized(item)?.size.div_ceil(*unit)),
            Leaf::Empty => match self.kind(item)? {
                FileKind::File => self.sized(item)?.size == 0,
                FileKind::Directory => self.process.files.read_dir(item.path)?.is_empty(),
                _ => false,
            },
            Leaf::Newer(which, than) => which.of(&self.stat(item)?) > *than,
            Leaf::Age(which, order, moment, window) => {
                let t = which.of(&self.stat(item)?);
                match order {
                    Ordering::Less => t > *moment,
                    Ordering::Greater => t < *moment,
                    Ordering::Equal => (1..=*window).contains(&(t.0 - moment.0)),
                }
            }
            Leaf::Used(n) => {
                let s = self.stat(item)?;
                let days = (s.atime.0 - s.ctime.0).div_euclid(86_400_000_000_000);
                u64::try_from(days).is_ok_and(|d| n.accepts(d))
            }
            Leaf::Perm(p) => p.matches(self.stat(item)?.mode),
            Leaf::Uid(n) => n.accepts(self.stat(item)?.uid.into()),
            Leaf::Gid(n) => n.accepts(self.stat(item)?.gid.into()),
            Leaf::NoUser => {
                let uid = self.stat(item)?.uid;
                self.users().user(uid).is_none()
            }
            Leaf::NoGroup => {
                let gid = self.stat(item)?.gid;
                self.users().group(gid).is_none()
            }
            Leaf::Links(n) => n.accepts(self.stat(item)?.nlink.into()),
            Leaf::Inode(n) => n.accepts(self.stat(item)?.ino),
            Leaf::SameFile(dev, ino) => {
                let s = self.stat(item)?;
                (s.dev, s.ino) == (*dev, *ino)
            }
            Leaf::FsType(name) => self.filesystem(item.path).as_bytes() == name,
            Leaf::Access(what) => match self.process.files.access(item.path, *what) {
                Ok(()) => true,
                Err(Error::Os(_)) => false,
                Err(stop) => return Err(stop),
            },
            Leaf::Print(sink) => {
                let out = self.out(*sink);
                out.line(item.path)?;
                true
            }
            Leaf::Print0(sink) => {
                let out = self.out(*sink);
                out.put(item.path)?;
                out.byte(0)?;
                true
            }
            Leaf::Printf(sink, format) => {
                self.printf(*sink, format, item)?;
                true
            }
            Leaf::List(sink) => {
                self.list(*sink, item)?;
                true
            }
            Leaf::Prune => {
                item.prune = true;
                true
            }
            Leaf::Quit => {
                self.quit = true;
                true
            }
            Leaf::Delete => self.delete(item)?,
            Leaf::Exec { argv, in_dir, ask } => self.exec(argv, *in_dir, *ask, item)?,
            Leaf::Batch(index) => {
                self.add_to_batch(*index, item)?;
                true
            }
        })
    }

    /// Metadata; its size may not be known.
    pub fn stat(&mut self, item: &mut Item<'_>) -> Result<Stat> {
        if let Some((s, _)) = item.stat {
            return Ok(s);
        }
        let follow = self.follows(item.depth);
        let files = &self.process.files;
        let got = match files.stat_cheap(item.path, follow) {
            Err(Error::Os(_)) if follow => files.stat_cheap(item.path, false)?,
            other => other?,
        };
        item.stat = Some(got);
        Ok(got.0)
    }

    /// Metadata with a true size.
    pub fn sized(&mut self, item: &mut Item<'_>) -> Result<Stat> {
        if let Some((s, true)) = item.stat {
            return Ok(s);
        }
        let files = &self.process.files;
        let got = match self.follows(item.depth) {
            true => files.stat(item.path).or_else(|_| files.lstat(item.path))?,
            false => files.lstat(item.path)?,
        };
        item.stat = Some((got, true));
        Ok(got)
    }

    /// The kind, from the directory where it says.
    pub fn kind(&mut self, item: &mut Item<'_>) -> Result<FileKind> {
        match item.kind {
            Some(kind) if kind != FileKind::Symlink || !self.follows(item.depth) => Ok(kind),
            _ => Ok(self.stat(item)?.kind),
        }
    }

    /// The letter for `-xtype`: the target's kind where links are not followed, and the link's where they are.
    fn other_kind(&mut self, item: &mut Item<'_>) -> Result<u8> {
        let files = &self.process.files;
        let kind = match self.follows(item.depth) {
            true => files.stat_cheap(item.path, false)?.0.kind,
            false => match files.stat_cheap(item.path, true) {
                Ok((s, _)) => s.kind,
                Err(Error::Os(_)) => FileKind::Symlink,
                Err(stop) => return Err(stop),
            },
        };
        Ok(kind_letter(kind))
    }
}

/// The letter of `-type` and `%y`.
pub fn kind_letter(kind: FileKind) -> u8 {
    match kind {
        FileKind::File => b'f',
        FileKind::Directory => b'd',
        FileKind::Symlink => b'l',
        FileKind::Fifo => b'p',
        FileKind::Device => b'c',
    }
}
