//! Random calls on a real directory and on the virtual tree give the same errno, and leave the same tree.

use sandshell_kernel::{
    Budget, Bytes, Errno, Error, FdTable, FileKind, Files, Limits, OpenOptions, Run, Vfs,
};
use std::{
    ffi::CString,
    fs,
    io::{Read, Write},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

#[derive(Clone, Debug)]
enum Op {
    Mkdir(String),
    Rmdir(String),
    Unlink(String),
    Rename(String, String),
    Link(String, String),
    Symlink(String, String),
    ReadLink(String),
    Chmod(String, u32),
    Truncate(String, u64),
    Open(String, OpenOptions, String),
    Stat(String, bool),
    List(String),
    RealPath(String),
}

/// A path of few names, so that calls meet each other, with the odd parts that paths may have.
fn path(rng: &mut fastrand::Rng) -> String {
    let names = ["a", "b", "c", "d", "l", "m"];
    let mut p = String::new();
    if rng.u8(..40) == 0 {
        return ["", ".", "..", "./", "a/.", "a/.."][rng.usize(..6)].into();
    }
    for i in 0..rng.usize(1..4) {
        if i > 0 {
            p.push_str(if rng.u8(..12) == 0 { "//" } else { "/" });
        }
        match rng.u8(..24) {
            0 => p.push_str(".."),
            1 => p.push('.'),
            2 if rng.bool() => p.push_str(&"x".repeat(256)),
            _ => p.push_str(names[rng.usize(..names.len())]),
        }
    }
    if rng.u8(..10) == 0 {
        p.push('/');
    }
    p
}

fn op(rng: &mut fastrand::Rng) -> Op {
    let (p, q) = (path(rng), path(rng));
    match rng.u8(..26) {
        0..=3 => Op::Mkdir(p),
        4..=5 => Op::Rmdir(p),
        6..=7 => Op::Unlink(p),
        8..=11 => Op::Rename(p, q),
        12..=13 => Op::Link(p, q),
        14..=15 => Op::Symlink(p, q),
        16 => Op::ReadLink(p),
        17 => {
            // Root may do anything whatever the mode.
            let modes = [0o755, 0o700, 0o777, 0o555, 0o300, 0o400, 0, 0o1777];
            let n = if rustix::process::geteuid().is_root() { 3 } else { modes.len() };
            // The way to the directory of the process stays open: ours is known by its path.
            if p.contains("..") || p.trim_matches(&['.', '/'][..]).is_empty() || p.ends_with("/.") {
                Op::Stat(p, true)
            } else {
                Op::Chmod(p, modes[rng.usize(..n)])
            }
        }
        18 => Op::Truncate(p, rng.u64(..20)),
        19..=22 => {
            let mut o = OpenOptions { read: rng.bool(), write: rng.bool(), ..OpenOptions::READ };
            o.read |= !o.write;
            o.create = rng.bool();
            o.exclusive = o.create && rng.u8(..4) == 0;
            o.truncate = o.write && rng.bool();
            o.append = rng.bool();
            o.no_follow = rng.u8(..5) == 0;
            o.directory = !o.create && rng.u8(..6) == 0;
            Op::Open(p, o, q)
        }
        23 => Op::Stat(p, rng.bool()),
        24 => Op::List(p),
        // The C library takes `..` out without looking whether the directory may be searched.
        _ if !rustix::process::geteuid().is_root() => Op::Stat(p, true),
        _ => Op::RealPath(p),
    }
}

fn raw<T>(r: std::io::Result<T>) -> Result<T, i32> {
    r.map_err(|e| e.raw_os_error().unwrap_or(-1))
}

fn ours<T>(r: Result<T, Error>) -> Result<T, i32> {
    r.map_err(|e| match e {
        Error::Os(e) => e as i32,
        Error::Stop(_) => -2,
    })
}

fn describe(kind: &str, mode: u32, size: u64, nlink: u64) -> String {
    let (size, nlink) = if kind == "dir" { (0, 0) } else { (size, nlink) };
    format!("{kind} {mode:o} {size} {nlink}")
}

fn real_meta(m: fs::Metadata) -> String {
    let kind = match () {
        _ if m.is_dir() => "dir",
        _ if m.is_symlink() => "link",
        _ => "file",
    };
    describe(kind, m.mode() & 0o7777, m.size(), m.nlink())
}

fn our_meta(s: sandshell_kernel::Stat) -> String {
    let kind = match s.kind {
        FileKind::Directory => "dir",
        FileKind::Symlink => "link",
        _ => "file",
    };
    describe(kind, s.mode, s.size, u64::from(s.nlink))
}

fn real(op: &Op, root: &Path) -> Result<String, i32> {
    // Relative paths work from the root, which is the directory of this process.
    let unit = |r: std::io::Result<()>| raw(r).map(|()| String::new());
    let c = |s: &str| CString::new(s).unwrap();
    use rustix::fs as rfs;
    let e = |r: rustix::io::Result<()>| r.map(|()| String::new()).map_err(|e| e.raw_os_error());
    match op {
        Op::Mkdir(p) => e(rfs::mkdir(c(p), 0o777.into())),
        Op::Rmdir(p) => e(rfs::rmdir(c(p))),
        Op::Unlink(p) => e(rfs::unlink(c(p))),
        Op::Rename(p, q) => e(rfs::rename(c(p), c(q))),
        Op::Link(p, q) => e(rfs::link(c(p), c(q))),
        Op::Symlink(p, q) => e(rfs::symlink(c(p), c(q))),
        Op::ReadLink(p) => {
            let r = rfs::readlink(c(p), Vec::new());
            r.map(|s| s.to_string_lossy().into_owned()).map_err(|e| e.raw_os_error())
        }
        Op::Chmod(p, m) => unit(fs::set_permissions(p, fs::Permissions::from_mode(*m))),
        Op::Truncate(p, n) => {
            // Through the C call, which opens by path: the errno of a directory is its own.
            let r = fs::metadata(p).and_then(|m| match m.is_dir() {
                true => Err(std::io::Error::from_raw_os_error(21)),
                false => fs::OpenOptions::new().write(true).open(p)?.set_len(*n),
            });
            unit(r)
        }
        Op::Open(p, o, text) => {
            let mut flags = rfs::OFlags::empty();
            flags |= match (o.read, o.write) {
                (true, true) => rfs::OFlags::RDWR,
                (false, true) => rfs::OFlags::WRONLY,
                _ => rfs::OFlags::RDONLY,
            };
            for (on, flag) in [
                (o.append, rfs::OFlags::APPEND),
                (o.truncate, rfs::OFlags::TRUNC),
                (o.create, rfs::OFlags::CREATE),
                (o.exclusive, rfs::OFlags::EXCL),
                (o.no_follow, rfs::OFlags::NOFOLLOW),
                (o.directory, rfs::OFlags::DIRECTORY),
            ] {
                flags.set(flag, on);
            }
            let fd = rfs::open(c(p), flags, 0o666.into()).map_err(|e| e.raw_os_error())?;
            let mut f = fs::File::from(fd);
            let mut seen = String::new();
            if o.write {
                raw(f.write_all(text.as_bytes()))?;
            }
            if o.read {
                raw(f.read_to_string(&mut seen))?;
            }
            Ok(seen)
        }
        Op::Stat(p, true) => raw(fs::metadata(p)).map(real_meta),
        Op::Stat(p, false) => raw(fs::symlink_metadata(p)).map(real_meta),
        Op::List(p) => {
            let mut names: Vec<String> = raw(fs::read_dir(p))?
                .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            Ok(names.join(" "))
        }
        Op::RealPath(p) => raw(fs::canonicalize(p)).map(|r| inside(&r, root)),
    }
}

/// A path without the directory that the test runs in.
fn inside(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).map_or("outside".into(), |p| p.display().to_string())
}

fn virt(op: &Op, f: &Files) -> Result<String, i32> {
    let unit = |r: Result<(), Error>| ours(r).map(|()| String::new());
    match op {
        Op::Mkdir(p) => unit(f.mkdir(p.as_bytes(), 0o777)),
        Op::Rmdir(p) => unit(f.rmdir(p.as_bytes())),
        Op::Unlink(p) => unit(f.unlink(p.as_bytes())),
        Op::Rename(p, q) => unit(f.rename(p.as_bytes(), q.as_bytes())),
        Op::Link(p, q) => unit(f.link(p.as_bytes(), q.as_bytes())),
        Op::Symlink(p, q) => unit(f.symlink(p.as_bytes(), q.as_bytes())),
        Op::ReadLink(p) => ours(f.read_link(p.as_bytes())).map(text),
        Op::Chmod(p, m) => unit(f.chmod(p.as_bytes(), *m)),
        Op::Truncate(p, n) => unit(f.truncate(p.as_bytes(), *n)),
        Op::Open(p, o, data) => {
            let fd = ours(f.open(p.as_bytes(), *o))?;
            if o.write {
                ours(fd.write_slice(f.budget(), data.as_bytes()))?;
            }
            let mut seen = Vec::new();
            loop {
                if !o.read {
                    break;
                }
                let piece = ours(fd.read(f.budget(), 7))?;
                if piece.is_empty() {
                    break;
                }
                seen.extend_from_slice(&piece);
            }
            Ok(text(seen.into()))
        }
        Op::Stat(p, true) => ours(f.stat(p.as_bytes())).map(our_meta),
        Op::Stat(p, false) => ours(f.lstat(p.as_bytes())).map(our_meta),
        Op::List(p) => {
            let list = ours(f.read_dir(p.as_bytes()))?;
            Ok(list.into_iter().map(|e| text(e.name)).collect::<Vec<_>>().join(" "))
        }
        Op::RealPath(p) => ours(f.real_path(p.as_bytes()))
            .map(|p| inside(Path::new(&text(p)), Path::new(&format!("/{ROOT}")))),
    }
}

fn text(b: Bytes) -> String {
    String::from_utf8_lossy(&b).into_owned()
}

fn real_tree(dir: &Path, depth: usize, out: &mut Vec<String>) {
    let Ok(list) = fs::read_dir(dir) else { return out.push("unreadable".into()) };
    let mut names: Vec<PathBuf> = list.map(|e| e.unwrap().path()).collect();
    names.sort();
    for p in names {
        let name = p.file_name().unwrap().to_string_lossy();
        let Ok(m) = fs::symlink_metadata(&p) else {
            out.push(format!("{depth} {name} hidden"));
            continue;
        };
        let content = match () {
            _ if m.is_file() => fs::read_to_string(&p).unwrap_or("unreadable".into()),
            _ if m.is_symlink() => fs::read_link(&p).unwrap().display().to_string(),
            _ => String::new(),
        };
        let is_dir = m.is_dir();
        out.push(format!("{depth} {name} {} {content}", real_meta(m)));
        if is_dir {
            real_tree(&p, depth + 1, out);
        }
    }
}

fn our_tree(f: &Files, dir: &str, depth: usize, out: &mut Vec<String>) {
    let Ok(list) = f.read_dir(dir.as_bytes()) else { return out.push("unreadable".into()) };
    for e in list {
        let name = text(e.name);
        let p = format!("{dir}/{name}");
        let Ok(s) = f.lstat(p.as_bytes()) else {
            out.push(format!("{depth} {name} hidden"));
            continue;
        };
        assert_eq!((s.kind, s.ino), (e.kind, e.ino));
        let content = match s.kind {
            FileKind::File => f.read(p.as_bytes()).map_or("unreadable".into(), text),
            FileKind::Symlink => text(f.read_link(p.as_bytes()).unwrap()),
            _ => String::new(),
        };
        out.push(format!("{depth} {name} {} {content}", our_meta(s)));
        if s.is_dir() {
            our_tree(f, &p, depth + 1, out);
        }
    }
}

/// Makes everything removable again.
fn unlock(dir: &Path) {
    fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).unwrap();
    for e in fs::read_dir(dir).unwrap() {
        let e = e.unwrap();
        if e.file_type().unwrap().is_dir() {
            unlock(&e.path());
        }
    }
}

const ROOT: &str = "w/2/3/4/5/6/7/8/9";

/// Files, directories and links to start from.
fn populate(dir: &Path) {
    for d in ["a/b/c", "b/a", "d"] {
        fs::create_dir_all(dir.join(d)).unwrap();
    }
    for f in ["a/d", "a/b/l", "b/a/m", "c", "d/a"] {
        fs::write(dir.join(f), format!("content of {f}\n")).unwrap();
    }
    std::os::unix::fs::symlink("a/b", dir.join("l")).unwrap();
    std::os::unix::fs::symlink("../m", dir.join("a/m")).unwrap();
}

fn rounds(default: u64) -> u64 {
    std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Plays one random sequence on the directory of this process and on `f`, which show the same.
fn play(seed: u64, root: &Path, f: &Files) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut log = Vec::new();
    for _ in 0..150 {
        let o = op(&mut rng);
        let got = virt(&o, f);
        if matches!(o, Op::Rename(..)) && got == Err(Errno::EXDEV as i32) {
            // A directory that a mount shows through stays where it is.
            continue;
        }
        let want = real(&o, root);
        let show = |r: &Result<String, i32>| match r {
            Ok(s) => format!("{s:?}"),
            Err(n) => format!("{:?} ({n})", Errno::from_raw(*n)),
        };
        log.push(format!("{o:?} -> {}", show(&want)));
        let told = || log.join("\n").replace(&"x".repeat(256), "X");
        assert!(want == got, "{}\nseed {seed}, but ours: {}", told(), show(&got));
    }
    let (mut want, mut got) = (Vec::new(), Vec::new());
    real_tree(root, 0, &mut want);
    our_tree(f, &format!("/{ROOT}"), 0, &mut got);
    assert_eq!(want, got, "seed {seed}\n{}", log.join("\n"));
}

fn files(vfs: std::sync::Arc<Vfs>) -> Files {
    let budget = Budget::new(Limits::unlimited());
    let run = Run::new(Default::default(), None);
    Files::new(vfs, run, &budget, Bytes::from(format!("/{ROOT}")), FdTable::default())
}

/// Both in one test: the directory of the process is one for all threads.
#[test]
fn random_calls_are_answered_as_linux_answers_them() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let plain = Vfs::builder().directory(format!("/{ROOT}").as_bytes()).build().unwrap();
    let source = base.join("source");
    fs::create_dir_all(source.join(ROOT)).unwrap();
    populate(&source.join(ROOT));
    let host =
        || std::sync::Arc::new(sandshell_kernel::vfs::mounts::HostDir::new(&source.join("w")).unwrap());
    let over = Vfs::builder().mount_source(b"/w", host(), true).unwrap();
    let over = over.build().unwrap();
    for seed in 0..rounds(60) {
        for vfs in [&plain, &over] {
            let root = base.join(seed.to_string()).join(ROOT);
            fs::create_dir_all(&root).unwrap();
            if std::ptr::eq(vfs, &over) {
                populate(&root);
            }
            std::env::set_current_dir(&root).unwrap();
            play(seed, &root, &files(vfs.fork()));
            std::env::set_current_dir("/").unwrap();
            unlock(&base.join(seed.to_string()));
            fs::remove_dir_all(base.join(seed.to_string())).unwrap();
        }
    }
}
