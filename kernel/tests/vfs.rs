//! The session's tree as a process sees it.

use sandshell_kernel::{
    Budget, Bytes, Errno, Error, FdTable, Files, Limits, OpenOptions, Run, Vfs,
    stream::capture::Fixed,
    vfs::{FileKind, Permission},
};
use std::{io::SeekFrom, sync::Arc};

fn files_of(vfs: Arc<Vfs>) -> Files {
    let budget = Budget::new(Limits::unlimited());
    let run = Run::new(Default::default(), None);
    Files::new(vfs, run, &budget, Bytes::from_static(b"/home/user"), FdTable::default())
}

fn files() -> Files {
    files_of(Vfs::builder().programs(["ls", "cat"]).build().unwrap())
}

fn errno<T>(r: Result<T, Error>) -> Option<Errno> {
    match r {
        Err(Error::Os(e)) => Some(e),
        _ => None,
    }
}

fn names(f: &Files, path: &str) -> String {
    let list = f.read_dir(path.as_bytes()).unwrap();
    list.iter().map(|e| String::from_utf8_lossy(&e.name).into_owned()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_base_is_a_small_linux() {
    let f = files();
    assert_eq!(names(&f, "/"), "bin dev etc home mnt opt proc tmp usr var");
    assert_eq!(names(&f, "/bin"), "cat ls");
    assert_eq!(names(&f, "/dev"), "fd full null random stderr stdin stdout tty urandom zero");
    assert_eq!(f.stat(b"/tmp").unwrap().mode, 0o1777);
    assert_eq!(f.stat(b"/bin/ls").unwrap().mode, 0o755);
    assert_eq!(errno(f.write(b"/etc/x", Bytes::new())), Some(Errno::EACCES));
    assert_eq!(errno(f.mkdir(b"/x", 0o777)), Some(Errno::EACCES));
    assert_eq!(errno(f.unlink(b"/etc/passwd")), Some(Errno::EACCES));
    assert_eq!(errno(f.access(b"/etc/passwd", Permission::Write)), Some(Errno::EACCES));
    f.write(b"/tmp/x", Bytes::from_static(b"1")).unwrap();
    f.write(b"x", Bytes::from_static(b"2")).unwrap();
    assert_eq!(f.read(b"/home/user/x").unwrap(), "2");
    assert_eq!(f.stat(b"/dev/null").unwrap().kind, FileKind::Device);
}

#[test]
fn descriptions_have_offsets_and_outlive_their_names() {
    let f = files();
    let fd = f.open(b"f", OpenOptions::READ_WRITE).unwrap();
    let b = f.budget();
    fd.write_slice(b, b"hello ").unwrap();
    fd.write(b, Bytes::from_static(b"world")).unwrap();
    assert_eq!(fd.seek(SeekFrom::Start(6)).unwrap(), 6);
    f.unlink(b"f").unwrap();
    assert_eq!(fd.read(b, 3).unwrap(), "wor");
    assert_eq!(fd.rest(b).unwrap().unwrap(), "ld");
    fd.seek(SeekFrom::End(-1)).unwrap();
    fd.write_slice(b, b"D!").unwrap();
    fd.seek(SeekFrom::Start(0)).unwrap();
    assert_eq!(fd.rest(b).unwrap().unwrap(), "hello worlD!");
    assert_eq!(f.vfs().usage(), (12, 1));
    drop(fd);
    assert_eq!(f.vfs().usage(), (0, 0));
}

#[test]
fn append_and_truncate_and_umask() {
    let mut f = files();
    f.umask = 0o077;
    for _ in 0..3 {
        let mut out = f.append(b"log").unwrap();
        out.put(b"line\n").unwrap();
        out.flush().unwrap();
    }
    assert_eq!(f.read(b"log").unwrap(), "line\nline\nline\n");
    assert_eq!(f.stat(b"log").unwrap().mode, 0o600);
    f.truncate(b"log", 2).unwrap();
    f.truncate(b"log", 4).unwrap();
    assert_eq!(f.read(b"log").unwrap(), &b"li\0\0"[..]);
}

#[test]
fn snapshots_and_forks_do_not_see_later_changes() {
    let f = files();
    f.mkdir(b"d", 0o777).unwrap();
    f.write(b"d/a", Bytes::from_static(b"1")).unwrap();
    let before = f.vfs().snapshot();
    let other = files_of(f.vfs().fork());
    f.append(b"d/a").unwrap().put(b"").unwrap();
    f.write(b"d/a", Bytes::from_static(b"22")).unwrap();
    f.write(b"d/b", Bytes::from_static(b"3")).unwrap();
    assert_eq!(names(&other, "d"), "a");
    assert_eq!(other.read(b"d/a").unwrap(), "1");
    other.unlink(b"d/a").unwrap();
    assert_eq!(f.read(b"d/a").unwrap(), "22");
    f.vfs().restore(&before);
    assert_eq!(names(&f, "d"), "a");
    assert_eq!(f.read(b"d/a").unwrap(), "1");
}

#[test]
fn the_quota_is_a_full_disk() {
    let f = files_of(Vfs::builder().quota(10, 3).build().unwrap());
    f.write(b"a", Bytes::from_static(b"0123456789")).unwrap();
    assert_eq!(errno(f.write(b"b", Bytes::from_static(b"x"))), Some(Errno::ENOSPC));
    f.unlink(b"a").unwrap();
    f.write(b"b", Bytes::from_static(b"x")).unwrap();
    f.mkdir(b"c", 0o777).unwrap();
    f.mkdir(b"d", 0o777).unwrap();
    assert_eq!(errno(f.mkdir(b"e", 0o777)), Some(Errno::ENOSPC));
}

#[test]
fn descriptors_are_files_of_proc() {
    let mut f = files();
    f.fds.set(0, Some(Fixed::new(Bytes::from_static(b"in"))));
    f.write(b"x", Bytes::from_static(b"abc")).unwrap();
    let x = f.open(b"x", OpenOptions::READ).unwrap();
    x.read(f.budget(), 2).unwrap();
    f.fds.set(3, Some(x));
    assert_eq!(names(&f, "/dev/fd"), "0 3");
    assert_eq!(f.read(b"/dev/stdin").unwrap(), "in");
    assert_eq!(f.read(b"/dev/fd/3").unwrap(), "abc");
    assert_eq!(f.read_link(b"/proc/self/fd/3").unwrap(), "/home/user/x");
    assert_eq!(errno(f.read(b"/dev/fd/9")), Some(Errno::ENOENT));
}

#[test]
fn a_named_pipe_connects_two_threads() {
    let f = files();
    f.mkfifo(b"p", 0o666).unwrap();
    let g = f.clone();
    let writer = std::thread::spawn(move || {
        let fd = g.open(b"p", OpenOptions::APPEND).unwrap();
        fd.write_slice(g.budget(), b"one ").unwrap();
    });
    assert_eq!(f.read(b"p").unwrap(), "one ");
    writer.join().unwrap();
}
