//! Mounts as a process sees them: when the host is asked, what is kept, what a write does.

use sandshell_api::{Directory, Entry, File, LazySource, Mount, Scope};
use sandshell_kernel::{
    Budget, Bytes, Errno, Error, FdTable, Files, Limits, OpenOptions, Run, Vfs,
    host_call::Host,
    vfs::{SetTime, Time},
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

struct World {
    runtime: tokio::runtime::Runtime,
    vfs: Arc<Vfs>,
}

impl World {
    fn new(mounts: impl IntoIterator<Item = Mount>) -> World {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let builder = mounts.into_iter().fold(Vfs::builder(), |b, m| b.mount(&m).unwrap());
        World { runtime, vfs: builder.build().unwrap() }
    }

    /// A new script.
    fn script(&self) -> Files {
        self.script_of(&self.vfs, Scope::new())
    }

    fn script_of(&self, vfs: &Arc<Vfs>, scope: Scope) -> Files {
        let budget = Budget::new(Limits::default());
        let run = Run::new(scope, Some(Host::new(self.runtime.handle().clone())));
        Files::new(vfs.clone(), run, &budget, Bytes::from_static(b"/home/user"), FdTable::default())
    }
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

fn read(f: &Files, path: &str) -> String {
    String::from_utf8(f.read(path.as_bytes()).unwrap().to_vec()).unwrap()
}

fn counter() -> (Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let n = Arc::new(AtomicUsize::new(0));
    (n.clone(), n)
}

fn live(count: Arc<AtomicUsize>) -> Mount {
    Mount::live("/m", "files", move |_| {
        let n = count.fetch_add(1, SeqCst) + 1;
        async move {
            Ok(vec![
                File::text("b/c/deep.txt", format!("run {n}\n")),
                File::text("a.txt", "hello\n"),
                File::lazy("lazy.txt", || async { Ok("produced\n") }),
                File::lazy("broken.txt", || async { Err::<&str, _>("no such table".into()) }),
            ])
        }
    })
}

#[test]
fn a_live_mount_is_read_once_per_script_and_only_when_touched() {
    let (count, asked) = counter();
    let w = World::new([live(count)]);
    let f = w.script();
    assert!(names(&f, "/").contains(" m "));
    assert_eq!(asked.load(SeqCst), 0);
    assert_eq!(names(&f, "/m"), "a.txt b broken.txt lazy.txt");
    assert_eq!(read(&f, "/m/b/c/deep.txt"), "run 1\n");
    assert_eq!(asked.load(SeqCst), 1);
    assert_eq!(read(&w.script(), "/m/b/../b/c/deep.txt"), "run 2\n");
    assert_eq!(errno(f.write(b"/m/a.txt", Bytes::new())), Some(Errno::EROFS));
    assert_eq!(errno(f.write(b"/m/new", Bytes::new())), Some(Errno::EROFS));
    assert_eq!(errno(f.unlink(b"/m/a.txt")), Some(Errno::EROFS));
    assert_eq!(errno(f.mkdir(b"/m/d", 0o777)), Some(Errno::EROFS));
    assert_eq!(errno(f.mkdir(b"/m/b", 0o777)), Some(Errno::EEXIST));
    assert_eq!(errno(f.read(b"/m/none")), Some(Errno::ENOENT));
    assert_eq!(errno(f.read(b"/m/a.txt/x")), Some(Errno::ENOTDIR));
}

#[test]
fn an_unknown_size_is_fetched_where_it_is_asked_for_only() {
    let (count, _) = counter();
    let f = World::new([live(count)]).into_script();
    assert!(!f.1.stat_cheap(b"/m/lazy.txt", true).unwrap().1);
    assert_eq!(f.1.stat(b"/m/lazy.txt").unwrap().size, 9);
    assert!(f.1.stat_cheap(b"/m/lazy.txt", true).unwrap().1);
    assert_eq!(f.1.stat(b"/m/a.txt").unwrap().size, 6);
}

impl World {
    fn into_script(self) -> (World, Files) {
        let f = self.script();
        (self, f)
    }
}

#[test]
fn a_file_that_cannot_be_produced_says_so() {
    let (count, _) = counter();
    let (_w, f) = World::new([live(count).writable()]).into_script();
    assert_eq!(read(&f, "/m/broken.txt"), "/m/broken.txt could not be read: no such table\n");
    assert_eq!(f.take_notes(), ["/m/broken.txt could not be read: no such table"]);
    assert_eq!(errno(f.append(b"/m/broken.txt").map(drop)), Some(Errno::EIO));
    f.write(b"/m/broken.txt", Bytes::from_static(b"mended")).unwrap();
    assert_eq!(read(&f, "/m/broken.txt"), "mended");
}

#[test]
fn a_listing_that_fails_is_a_file_and_is_not_cached() {
    let (count, asked) = counter();
    let w = World::new([Mount::cached("/m", "", Duration::from_secs(60), move |_| {
        let n = count.fetch_add(1, SeqCst);
        async move {
            match n {
                0 => Err("the database sleeps".into()),
                _ => Ok(vec![File::text("x", "1")]),
            }
        }
    })
    .writable()]);
    let f = w.script();
    assert_eq!(names(&f, "/m"), "_ERROR.txt");
    assert_eq!(read(&f, "/m/_ERROR.txt"), "/m could not be read: the database sleeps\n");
    assert_eq!(f.take_notes(), ["/m could not be read: the database sleeps"]);
    assert_eq!(errno(f.read(b"/m/x")), Some(Errno::EIO));
    assert_eq!(errno(f.append(b"/m/_ERROR.txt").map(drop)), Some(Errno::EACCES));
    assert_eq!(names(&w.script(), "/m"), "x");
    assert_eq!(names(&w.script(), "/m"), "x");
    assert_eq!(asked.load(SeqCst), 2);
}

#[test]
fn a_cached_mount_is_shared_by_identity_and_never_without_one() {
    let (count, asked) = counter();
    let w = World::new([Mount::cached("/m", "", Duration::from_millis(300), move |_| {
        let n = count.fetch_add(1, SeqCst) + 1;
        async move { Ok(vec![File::text("n", n.to_string())]) }
    })]);
    let other = w.vfs.fork();
    let user = |u: &str| Scope::new().with_identity(u);
    assert_eq!(read(&w.script_of(&w.vfs, user("ada")), "/m/n"), "1");
    assert_eq!(read(&w.script_of(&other, user("ada")), "/m/n"), "1");
    assert_eq!(read(&w.script_of(&other, user("bob")), "/m/n"), "2");
    assert_eq!(read(&w.script_of(&w.vfs, Scope::new()), "/m/n"), "3");
    assert_eq!(read(&w.script_of(&w.vfs, Scope::new()), "/m/n"), "3");
    assert_eq!(read(&w.script_of(&other, Scope::new()), "/m/n"), "4");
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(read(&w.script_of(&w.vfs, user("ada")), "/m/n"), "5");
    assert_eq!(asked.load(SeqCst), 5);
}

#[test]
fn many_who_want_the_same_share_one_flight() {
    let (count, asked) = counter();
    let w = World::new([Mount::cached("/m", "", Duration::from_secs(60), move |_| {
        count.fetch_add(1, SeqCst);
        async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(vec![File::text("x", "1")])
        }
    })]);
    std::thread::scope(|s| {
        for _ in 0..8 {
            let f = w.script_of(&w.vfs, Scope::new().with_identity("u"));
            s.spawn(move || assert_eq!(read(&f, "/m/x"), "1"));
        }
    });
    assert_eq!(asked.load(SeqCst), 1);
}

fn tree(log: Arc<Mutex<Vec<String>>>) -> LazySource {
    let (l, r, s) = (log.clone(), log.clone(), log);
    LazySource::new(
        move |_, dir: String| {
            l.lock().unwrap().push(format!("list {dir}"));
            async move {
                match dir.as_str() {
                    "" => Ok(Directory::of([Entry::directory("d"), Entry::file("f").size(3)])),
                    "d" => Ok(Directory::of([Entry::file("g"), Entry::file("h")])),
                    "bad" => Err("down".into()),
                    _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound).into()),
                }
            }
        },
        move |_, path: String| {
            r.lock().unwrap().push(format!("read {path}"));
            async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok(format!("of {path}\n"))
            }
        },
    )
    .search(move |_, dir, literal| {
        s.lock().unwrap().push(format!("search {dir} {}", String::from_utf8_lossy(&literal)));
        async { Ok(vec!["d/g".to_owned()]) }
    })
}

#[test]
fn a_lazy_mount_asks_for_what_is_touched() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let w = World::new([Mount::lazy("/t", "", tree(log.clone())).writable()]);
    let f = w.script();
    let take = || std::mem::take(&mut *log.lock().unwrap()).join(", ");
    assert_eq!(names(&f, "/t"), "d f");
    assert_eq!(f.stat(b"/t/f").unwrap().size, 3);
    assert_eq!(take(), "list ");
    assert_eq!(read(&f, "/t/d/g"), "of d/g\n");
    assert_eq!(read(&f, "/t/d/g"), "of d/g\n");
    assert_eq!(take(), "list d, read d/g");
    // `>` fetches nothing, chmod copies metadata, `>>` content.
    f.chmod(b"/t/d/h", 0o600).unwrap();
    f.set_times(b"/t/d/h", SetTime::Keep, SetTime::At(Time(5)), true).unwrap();
    f.rename(b"/t/d/h", b"/t/moved").unwrap();
    assert_eq!(take(), "");
    assert_eq!(f.stat(b"/t/moved").unwrap().mode, 0o600);
    assert_eq!(take(), "read d/h");
    f.append(b"/t/moved").unwrap().put(b"").unwrap();
    let mut out = f.append(b"/t/moved").unwrap();
    out.put(b"more\n").unwrap();
    out.flush().unwrap();
    assert_eq!(read(&f, "/t/moved"), "of d/h\nmore\n");
    f.write(b"/t/f", Bytes::from_static(b"mine")).unwrap();
    assert_eq!(take(), "");
    assert_eq!(names(&f, "/t/d"), "g");
    assert_eq!(errno(f.rename(b"/t/d", b"/t/e")), Some(Errno::EXDEV));
    assert_eq!(errno(f.rmdir(b"/t/d")), Some(Errno::ENOTEMPTY));
    f.unlink(b"/t/d/g").unwrap();
    f.rmdir(b"/t/d").unwrap();
    assert_eq!(names(&f, "/t"), "f moved");
    f.mkdir(b"/t/d", 0o777).unwrap();
    assert_eq!(names(&f, "/t/d"), "");
    assert_eq!(names(&w.script(), "/t"), "d f moved");
    assert_eq!(names(&w.script_of(&w.vfs.fork(), Scope::new()), "/t/d"), "");
}

#[test]
fn files_are_read_ahead_many_at_a_time() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let (_w, f) = World::new([Mount::lazy("/t", "", tree(log.clone()))]).into_script();
    let paths: Vec<Bytes> = (0..16).map(|n| Bytes::from(format!("/t/d/g{n}"))).collect();
    let start = std::time::Instant::now();
    f.prefetch(&paths);
    assert!(start.elapsed() < Duration::from_millis(15));
    while log.lock().unwrap().iter().filter(|l| l.starts_with("read")).count() < 16 {
        assert!(start.elapsed() < Duration::from_secs(2));
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(start.elapsed() < Duration::from_millis(200));
}

#[test]
fn a_search_narrows_and_the_overlay_is_always_searched() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let (_w, f) = World::new([Mount::lazy("/t", "", tree(log)).writable()]).into_script();
    f.write(b"/t/d/mine", Bytes::from_static(b"x")).unwrap();
    let mut found: Vec<_> = f.candidates(b"/t", b"word").unwrap().unwrap().into_iter().collect();
    found.sort();
    assert_eq!(found, ["/t/d/g", "/t/d/mine"]);
    assert_eq!(f.candidates(b"/home", b"word").unwrap(), None);
}

#[test]
fn a_large_lazy_file_is_read_by_parts() {
    let parts = Arc::new(AtomicUsize::new(0));
    let p = parts.clone();
    let source = LazySource::new(
        |_, _| async { Ok(Directory::of([Entry::file("big").size(10 << 20)])) },
        |_, _| async { Err::<Vec<u8>, _>("not whole, please".into()) },
    )
    .read_range(move |_, _, at, len| {
        p.fetch_add(1, SeqCst);
        async move { Ok((at..(at + len).min(10 << 20)).map(|n| n as u8).collect::<Vec<u8>>()) }
    });
    let (_w, f) = World::new([Mount::lazy("/t", "", source)]).into_script();
    let fd = f.open(b"/t/big", OpenOptions::READ).unwrap();
    assert_eq!(fd.read(f.budget(), 10).unwrap(), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..]);
    assert_eq!(parts.load(SeqCst), 1);
    assert_eq!(f.read(b"/t/big").unwrap().len(), 10 << 20);
    assert!(parts.load(SeqCst) < 12);
}

#[test]
fn links_of_a_host_directory_cannot_leave_it() {
    let host = tempfile::tempdir().unwrap();
    let p = host.path();
    std::fs::create_dir_all(p.join("data/sub")).unwrap();
    std::fs::write(p.join("secret"), "no").unwrap();
    std::fs::write(p.join("data/sub/x"), "inside").unwrap();
    std::os::unix::fs::symlink("../../secret", p.join("data/sub/up")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", p.join("data/absolute")).unwrap();
    std::os::unix::fs::symlink("sub", p.join("data/dir")).unwrap();
    std::fs::write(p.join("data/large"), vec![b'x'; 3 << 20]).unwrap();
    let mounts = [Mount::directory("/home/x/data", "", p.join("data"))];
    let (_w, f) = World::new(mounts).into_script();
    assert_eq!(names(&f, "/home/x/data"), "absolute dir large sub");
    assert_eq!(read(&f, "/home/x/data/dir/x"), "inside");
    assert_eq!(errno(f.read(b"/home/x/data/sub/up")), Some(Errno::ENOENT));
    assert!(read(&f, "/home/x/data/absolute").contains("user:x:1000"));
    assert_eq!(f.read(b"/home/x/data/large").unwrap().len(), 3 << 20);
    assert_eq!(f.real_path(b"/home/x/data/dir/../sub/x").unwrap(), "/home/x/data/sub/x");
    assert_eq!(errno(f.write(b"/home/x/data/sub/x", Bytes::new())), Some(Errno::EROFS));
    assert_eq!(errno(f.rename(b"/home/x/data", b"/home/x/e")), Some(Errno::EBUSY));
}

#[test]
fn a_reader_that_takes_too_long_ends_with_the_script() {
    let w = World::new([Mount::live("/m", "", |_| async {
        tokio::time::sleep(Duration::from_secs(100)).await;
        Ok(Vec::new())
    })]);
    let budget = Budget::new(Limits { wall_clock: Some(Duration::from_millis(50)), ..Limits::default() });
    let mut f = w.script();
    f.set_budget(&budget);
    assert!(matches!(f.read_dir(b"/m"), Err(Error::Stop(_))));
}
