//! Sessions and short scripts in process.

use crate::{cpu, ours};
use sandshell::parts::kernel::Bytes;
use std::time::Instant;

const SMALL: &str = r#"
total=0
for i in 1 2 3 4 5 6 7 8 9 10; do total=$((total + i)); done
printf 'name,qty\napple,3\npear,5\nfig,9\n' > /tmp/inv.csv
grep -c . /tmp/inv.csv
cut -d, -f2 /tmp/inv.csv | sort -n | tail -1
awk -F, 'NR>1 {s+=$2} END {print s}' /tmp/inv.csv
sed 's/pear/PEAR/' /tmp/inv.csv | head -3 | tr a-z A-Z
x=$(basename /a/b/c.txt .txt); echo "$x $total"
"#;

fn report(name: &str, value: f64, unit: &str) {
    println!("{name:40} {value:12.2} {unit}");
}

fn median(n: usize, mut f: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..n)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_nanos() as f64 / 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|p| p.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0
}

/// `micro`
pub fn run() {
    let base = ours::base(None, true);
    let env = [("PATH", "/usr/bin:/bin"), ("HOME", "/home/user")];
    let echo = Bytes::from_static(b"echo hi");
    let small = Bytes::from_static(SMALL.as_bytes());
    report(
        "create + echo hi + drop",
        median(5000, || drop(ours::run(&mut ours::session(&base, &env), &echo))),
        "us",
    );
    report("create + drop", median(5000, || drop(ours::session(&base, &env))), "us");
    let mut live = ours::session(&base, &env);
    report("echo hi in a live session", median(5000, || drop(ours::run(&mut live, &echo))), "us");
    report(
        "small script, fresh session",
        median(1000, || drop(ours::run(&mut ours::session(&base, &env), &small))),
        "us",
    );
    let c = cpu();
    let t = Instant::now();
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| (0..500).for_each(|_| drop(ours::run(&mut ours::session(&base, &env), &small))));
        }
    });
    report("1000 small scripts on 2 threads, wall", t.elapsed().as_secs_f64() * 1e3, "ms");
    report("1000 small scripts on 2 threads, cpu", (cpu() - c) as f64 / 1e6, "ms");
    let before = resident();
    let mut keep = Vec::new();
    let fill = Bytes::from_static(b"mkdir -p ~/s; for i in {1..100}; do printf '%0200d' $i > ~/s/f$i; done");
    for _ in 0..300 {
        let mut s = ours::session(&base, &env);
        ours::run(&mut s, &fill);
        keep.push(s);
    }
    report("session with 100 files of 200 B", (resident() - before) / 300.0, "bytes");
    let before = resident();
    for _ in 0..3000 {
        let mut s = ours::session(&base, &env);
        ours::run(&mut s, &echo);
        keep.push(s);
    }
    report("idle session after echo hi", (resident() - before) / 3000.0, "bytes");
    let one = &keep[0];
    report("fork of a session with 100 files", median(2000, || drop(one.fork(one.vfs().fork()))), "us");
}
