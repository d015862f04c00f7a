//! Every workload in real bash, in bashkit and here, taking turns, in one run.

use crate::{data, workloads};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

/// Milliseconds of CPU and of wall time, and the output.
struct Cell {
    cpu: f64,
    wall: f64,
    stdout: Vec<u8>,
    note: String,
}

/// `compare [--mb N] [--reps N] [FILTER]`
pub fn run(args: &[String]) {
    let value = |k: &str| args.iter().position(|a| a == k).and_then(|i| args.get(i + 1));
    let mb: u64 = value("--mb").map_or(10, |v| v.parse().expect("--mb N"));
    let reps = value("--reps").cloned().unwrap_or("3".into());
    let filter = args
        .iter()
        .enumerate()
        .rev()
        .find(|(i, a)| !a.starts_with("--") && (*i == 0 || !args[i - 1].starts_with("--")));
    let filter = filter.map_or("", |(_, a)| a.as_str());
    let dir = std::env::temp_dir().join("sandshell-bench");
    std::fs::create_dir_all(&dir).expect("a directory for data");
    eprintln!("data of {mb} MB a file in {}", dir.display());
    let data = data::make(&dir, mb).expect("the data can be written");
    println!(
        "| workload | bash + GNU cpu ms | bashkit cpu ms | sandshell cpu ms | wall ms | against the best |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let (mut slower, mut wrong) = (0, 0);
    for (name, script) in workloads::ALL.iter().filter(|(n, _)| n.contains(filter)) {
        let bash = real_bash(script, &data, &dir, &reps);
        let kit = in_process("run-bashkit", script, &data, &dir, &reps);
        let ours = in_process("run", script, &data, &dir, &reps);
        let show = |c: &Option<Cell>| match c {
            None => "-".to_string(),
            Some(c) if !c.note.is_empty() => c.note.clone(),
            Some(c) if bash.as_ref().is_some_and(|b| b.stdout != c.stdout) => {
                format!("wrong output {:.2}", c.cpu)
            }
            Some(c) => format!("{:.2}", c.cpu),
        };
        let right = |c: &Option<Cell>| {
            c.as_ref()
                .filter(|c| c.note.is_empty() && bash.as_ref().is_none_or(|b| b.stdout == c.stdout))
                .map(|c| c.cpu)
        };
        let best = [right(&bash), right(&kit)].into_iter().flatten().fold(f64::INFINITY, f64::min);
        let ratio = match right(&ours) {
            Some(c) => {
                slower += u32::from(c > best);
                format!("{:.2}", c / best)
            }
            None => {
                wrong += 1;
                "wrong".into()
            }
        };
        let wall = ours.as_ref().map_or("-".into(), |c| format!("{:.2}", c.wall));
        println!("| {name} | {} | {} | {} | {wall} | {ratio} |", show(&bash), show(&kit), show(&ours));
    }
    eprintln!("{slower} rows slower than the best of the others, {wrong} wrong or missing");
}

fn script_file(dir: &Path, script: &str) -> PathBuf {
    let path = dir.join("script.sh");
    std::fs::write(&path, script).expect("the script can be written");
    path
}

fn real_bash(script: &str, data: &Path, dir: &Path, reps: &str) -> Option<Cell> {
    let path = script_file(dir, script);
    let work = dir.join("work");
    let mut best: Option<Cell> = None;
    for _ in 0..reps.parse::<u32>().expect("a number") {
        let _ = std::fs::remove_dir_all(&work);
        std::fs::create_dir_all(&work).ok()?;
        let before = children();
        let start = Instant::now();
        let out = Command::new("bash")
            .arg(&path)
            .env("D", data)
            .env("W", &work)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let (wall, cpu) = (start.elapsed().as_secs_f64() * 1e3, (children() - before) * 1e3);
        if best.as_ref().is_none_or(|b| cpu < b.cpu) {
            best = Some(Cell { cpu, wall, stdout: out.stdout, note: String::new() });
        }
    }
    best
}

/// CPU seconds of the children that have ended.
fn children() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    // cutime and cstime, in hundredths of a second; finer figures come from the schedule's own accounting where it is.
    (ticks(13) + ticks(14)) / 100.0
}

fn in_process(mode: &str, script: &str, data: &Path, dir: &Path, reps: &str) -> Option<Cell> {
    let path = script_file(dir, script);
    let out = dir.join("stdout");
    let _ = std::fs::remove_file(&out);
    let run = Command::new(std::env::current_exe().ok()?)
        .args([mode, "--data"])
        .arg(data)
        .args(["--reps", reps, "--budget", "60", "--out"])
        .arg(&out)
        .arg(&path)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let mut cell: Option<Cell> = None;
    for line in run.stdout.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        let v: serde_json::Value = serde_json::from_slice(line).ok()?;
        let ms = |k: &str| v[k].as_f64().unwrap_or(0.0) / 1e6;
        if cell.as_ref().is_none_or(|c| ms("cpu_ns") < c.cpu) {
            cell = Some(Cell { cpu: ms("cpu_ns"), wall: ms("ns"), stdout: vec![], note: String::new() });
        }
    }
    let Some(mut cell) = cell else {
        return Some(Cell { cpu: 0.0, wall: 0.0, stdout: vec![], note: "crashed".into() });
    };
    cell.stdout = std::fs::read(&out).unwrap_or_default();
    Some(cell)
}
