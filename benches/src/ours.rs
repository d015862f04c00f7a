//! Sandshell in process: fresh sessions, all limits lifted.

use crate::cpu;
use sandshell::parts::{
    coreutils,
    interpreter::{Config, ProgramTable, Session},
    kernel::{
        Budget, Bytes, Fd, FdTable, Files, Limits, Run, Vfs,
        stream::{capture::Buffer, device::Device},
        vfs::mounts::HostDir,
    },
};
use std::{
    path::Path,
    sync::{Arc, LazyLock},
    time::Instant,
};

static TABLE: LazyLock<Arc<ProgramTable>> =
    LazyLock::new(|| Arc::new(ProgramTable::new(coreutils::programs())));

/// What a session of the benches starts from.
#[derive(Clone)]
pub struct Base(Arc<Vfs>);

/// A tree with `data` at its own path: as a mount of the real directory, or loaded into memory.
pub fn base(data: Option<&Path>, real: bool) -> Base {
    let mut b =
        Vfs::builder().home(b"/home/user").programs(coreutils::programs().iter().map(|p| p.spec().name));
    if let Some(data) = data
        && real
    {
        let dir = HostDir::new(data).expect("the data directory");
        b = b.mount_source(data.as_os_str().as_encoded_bytes(), Arc::new(dir), false).expect("a mount");
    }
    let vfs = b.build().expect("a tree");
    if let Some(data) = data
        && !real
    {
        load(&vfs, data);
    }
    Base(vfs)
}

fn load(vfs: &Arc<Vfs>, data: &Path) {
    let files = files(vfs);
    let mut made = String::new();
    for part in data.to_str().expect("a path in UTF-8").split('/').filter(|p| !p.is_empty()) {
        made.push('/');
        made.push_str(part);
        let _ = files.mkdir(made.as_bytes(), 0o755);
    }
    let mut todo = vec![data.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for e in std::fs::read_dir(dir).expect("a directory").flatten() {
            let path = e.path();
            let name = path.as_os_str().as_encoded_bytes();
            if path.is_dir() {
                files.mkdir(name, 0o755).expect("a directory");
                todo.push(path);
            } else {
                files.write(name, Bytes::from(std::fs::read(&path).expect("a file"))).expect("room");
            }
        }
    }
}

fn files(vfs: &Arc<Vfs>) -> Files {
    let budget = Budget::new(Limits::unlimited());
    Files::new(
        vfs.clone(),
        Run::new(Default::default(), None),
        &budget,
        Bytes::from_static(b"/"),
        FdTable::default(),
    )
}

/// A fresh session.
pub fn session(base: &Base, env: &[(&str, &str)]) -> Session {
    let mut config = Config::new(TABLE.clone(), base.0.fork());
    config.cwd = Bytes::from_static(b"/home/user");
    config.env = env
        .iter()
        .map(|(n, v)| (Bytes::copy_from_slice(n.as_bytes()), Bytes::copy_from_slice(v.as_bytes())))
        .collect();
    Session::new(config)
}

/// What came of a script.
pub struct Ran {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit status.
    pub status: u8,
}

/// Runs a script on this thread.
pub fn run(session: &mut Session, script: &Bytes) -> Ran {
    let budget = Budget::new(Limits::unlimited());
    let (stdout, stderr) = (Buffer::new(&budget), Buffer::new(&budget));
    let run = Run::new(Default::default(), None);
    let io = (Arc::new(Device::Null) as Fd, stdout.clone() as Fd, stderr.clone() as Fd);
    let outcome = session.run_blocking(script.clone(), io, run, budget);
    Ran { stdout: stdout.take(), stderr: stderr.take(), status: outcome.status }
}

/// The environment of a workload.
pub fn env(data: &str) -> [(&str, &str); 6] {
    [
        ("D", data),
        ("W", "/tmp/perf-w"),
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/user"),
        ("LC_ALL", "C.UTF-8"),
        ("TZ", "UTC"),
    ]
}

/// `run`: see the head of main.rs.
pub fn protocol(args: &[String]) {
    let get = |k: &str, d: &str| {
        args.iter().position(|a| a == k).and_then(|i| args.get(i + 1)).map_or(d.to_string(), String::clone)
    };
    let data = get("--data", ".");
    let data = std::fs::canonicalize(&data).expect("the data directory").to_str().expect("UTF-8").to_string();
    let reps: u32 = get("--reps", "3").parse().expect("a number");
    let budget: f64 = get("--budget", "50").parse().expect("seconds");
    let (real, out) = (get("--mount", "real") == "real", get("--out", "/dev/null"));
    let script = Bytes::from(std::fs::read(args.last().expect("a script")).expect("the script"));
    let base = base(Some(Path::new(&data)), real);
    let start = Instant::now();
    for i in 0..reps {
        let t0 = Instant::now();
        let mut s = session(&base, &env(&data));
        run(&mut s, &Bytes::from_static(b"mkdir -p /tmp/perf-w"));
        let (t1, c1) = (Instant::now(), cpu());
        let ran = run(&mut s, &script);
        let (ns, cpu_ns) = (t1.elapsed().as_nanos(), cpu() - c1);
        if i == 0 {
            std::fs::write(&out, &ran.stdout).expect("the output file");
        }
        let err: String = String::from_utf8_lossy(&ran.stderr).chars().take(300).collect();
        let line = serde_json::json!({
            "ns": ns as u64, "cpu_ns": cpu_ns as u64, "setup_ns": (t1 - t0).as_nanos() as u64,
            "exit": ran.status, "len": ran.stdout.len(), "err": err,
        });
        println!("{line}");
        if start.elapsed().as_secs_f64() * f64::from(i + 2) / f64::from(i + 1) > budget {
            break;
        }
    }
}
