//! A session that goes on over other mounts, and what a script changed.

use sandshell_kernel::{
    Budget, Bytes, Errno, Error, FdTable, FileKind, Files, Limits, Result, Run, Time, Vfs,
    vfs::{
        Change, ChangeKind,
        mounts::{Asking, LowerBody, LowerEntry, LowerStat, Source},
    },
};
use std::sync::Arc;

/// A mount with the files `a` and `b`.
struct Two;

impl Source for Two {
    fn kind(&self) -> &'static str {
        "live"
    }

    fn lookup(&self, _: &Asking<'_>, path: &[u8]) -> Result<LowerStat> {
        let kind = match path {
            b"" => FileKind::Directory,
            b"a" | b"b" => FileKind::File,
            _ => return Err(Errno::ENOENT.into()),
        };
        let ino = path.first().copied().unwrap_or(0).into();
        Ok(LowerStat { kind, mode: 0o644, size: Some(1), mtime: Time(0), ino, nlink: 1, target: None })
    }

    fn list(&self, _: &Asking<'_>, _: &[u8]) -> Result<Arc<Vec<LowerEntry>>> {
        let entry =
            |name| LowerEntry { name: Bytes::from_static(name), kind: FileKind::File, ino: name[0].into() };
        Ok(Arc::new(vec![entry(b"a"), entry(b"b")]))
    }

    fn open(&self, _: &Asking<'_>, path: &[u8]) -> Result<LowerBody> {
        Ok(LowerBody::Whole(Bytes::copy_from_slice(path)))
    }
}

fn files_of(vfs: &Arc<Vfs>) -> Files {
    let budget = Budget::new(Limits::unlimited());
    let run = Run::new(Default::default(), None);
    Files::new(vfs.clone(), run, &budget, Bytes::from_static(b"/home/user"), FdTable::default())
}

fn told(changes: Vec<Change>) -> String {
    let one = |c: &Change| {
        let sign = match c.kind {
            ChangeKind::Created => '+',
            ChangeKind::Changed => '~',
            ChangeKind::Removed => '-',
        };
        format!("{sign}{}", String::from_utf8_lossy(&c.path))
    };
    changes.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn changes_are_named_once_and_reading_is_none() {
    let vfs = Vfs::builder().mount_source(b"/m", Arc::new(Two), true).unwrap().build().unwrap();
    let f = files_of(&vfs);
    f.write(b"kept", Bytes::from_static(b"1")).unwrap();
    f.write(b"gone", Bytes::from_static(b"1")).unwrap();
    f.write(b"edited", Bytes::from_static(b"1")).unwrap();
    f.mkdir(b"d", 0o777).unwrap();
    f.write(b"d/x", Bytes::from_static(b"1")).unwrap();
    let before = vfs.snapshot();
    assert_eq!(told(before.changes(&vfs.snapshot())), "");
    f.read(b"kept").unwrap();
    f.append(b"edited").and_then(|mut o| o.put(b"2").and_then(|()| o.flush())).unwrap();
    f.unlink(b"gone").unwrap();
    f.rename(b"d", b"e").unwrap();
    f.mkdir(b"empty", 0o777).unwrap();
    f.unlink(b"/m/a").unwrap();
    f.chmod(b"/m/b", 0o600).unwrap();
    assert_eq!(
        told(before.changes(&vfs.snapshot())),
        "-/home/user/d +/home/user/e/x ~/home/user/edited +/home/user/empty -/home/user/gone -/m/a ~/m/b"
    );
}

#[test]
fn a_session_goes_on_over_other_mounts() {
    let builder = || Vfs::builder().programs(["ls"]);
    let old = builder()
        .mount_source(b"/first", Arc::new(Two), false)
        .unwrap()
        .mount_source(b"/m", Arc::new(Two), true)
        .unwrap();
    let old = old.build().unwrap();
    let f = files_of(&old);
    f.write(b"note", Bytes::from_static(b"mine")).unwrap();
    f.unlink(b"/m/a").unwrap();
    f.write(b"/m/c", Bytes::from_static(b"new")).unwrap();
    f.chmod(b"/m/b", 0o600).unwrap();
    let new = Vfs::builder()
        .continuing(&old)
        .programs(["ls", "mine"])
        .mount_source(b"/m", Arc::new(Two), true)
        .unwrap();
    let new = new.build().unwrap();
    let f = files_of(&new);
    assert_eq!(f.read(b"note").unwrap(), "mine");
    assert_eq!(f.read(b"/m/a").unwrap_err(), Error::Os(Errno::ENOENT));
    assert_eq!((f.read(b"/m/b").unwrap(), f.stat(b"/m/b").unwrap().mode), (Bytes::from("b"), 0o600));
    assert_eq!(f.read(b"/m/c").unwrap(), "new");
    assert!(f.exists(b"/bin/mine") && f.exists(b"/first"));
    assert_eq!(f.read_dir(b"/first").unwrap(), []);
    assert_eq!(new.usage(), old.usage());
    // Without any mount only the session's own files are left.
    let bare = files_of(&Vfs::builder().continuing(&new).build().unwrap());
    let names: Vec<_> = bare.read_dir(b"/m").unwrap().into_iter().map(|e| e.name).collect();
    assert_eq!(names, ["c"]);
    assert!(!bare.exists(b"/bin/ls"));
}
