//! bashkit in process, its limits lifted: a runner of the same protocol.

use crate::cpu;
use bashkit::{Bash, ExecutionLimits, FileSystem, FsLimits, InMemoryFs, MemoryLimits, SessionLimits};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

const MUCH: usize = usize::MAX / 4;

fn limits() -> ExecutionLimits {
    let mut l = ExecutionLimits::cli();
    l.max_work_units = u64::MAX / 4;
    l.max_aggregate_input_bytes = u64::MAX / 4;
    l.max_live_intermediate_bytes = u64::MAX / 4;
    l.max_commands = MUCH;
    l.max_loop_iterations = MUCH;
    l.max_total_loop_iterations = MUCH;
    l.max_function_depth = MUCH;
    l.timeout = Duration::from_secs(3600);
    l.parser_timeout = Duration::from_secs(60);
    l.max_input_bytes = MUCH;
    l.max_parser_operations = MUCH;
    l.max_stdout_bytes = MUCH;
    l.max_stderr_bytes = MUCH;
    l.max_word_split_fields = MUCH;
    l.max_word_split_bytes = MUCH;
    l.max_background_jobs = 1024;
    l
}

/// `run-bashkit --data DIR --reps N --budget S --out FILE SCRIPT`
pub fn protocol(args: &[String]) {
    let args = args.to_vec();
    let deep = std::thread::Builder::new().stack_size(1 << 30).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(run(&args));
    });
    deep.expect("a thread").join().expect("no panic");
}

async fn run(args: &[String]) {
    let get = |k: &str, d: &str| {
        args.iter().position(|a| a == k).and_then(|i| args.get(i + 1)).map_or(d.to_string(), String::clone)
    };
    let data = std::fs::canonicalize(get("--data", ".")).expect("the data directory");
    let (reps, out) = (get("--reps", "3").parse::<u32>().expect("a number"), get("--out", "/dev/null"));
    let budget: f64 = get("--budget", "50").parse().expect("seconds");
    let script = std::fs::read_to_string(args.last().expect("a script")).expect("the script");
    let start = Instant::now();
    for i in 0..reps {
        let t0 = Instant::now();
        let fs: Arc<dyn FileSystem> = Arc::new(InMemoryFs::with_limits(FsLimits::unlimited()));
        fs.mkdir(Path::new("/tmp/perf-w"), true).await.expect("a directory");
        let mut bash = Bash::builder()
            .fs(fs)
            .limits(limits())
            .session_limits(SessionLimits::unlimited())
            .memory_limits(MemoryLimits::unlimited())
            .filesystem_limits(FsLimits::unlimited())
            .env("D", data.to_str().expect("UTF-8"))
            .env("W", "/tmp/perf-w")
            .allowed_mount_paths(["/tmp"])
            .mount_real_readonly_at(&data, &data)
            .build();
        let (t1, c1) = (Instant::now(), cpu());
        let result = bash.exec(&script).await;
        let (ns, cpu_ns) = (t1.elapsed().as_nanos(), cpu() - c1);
        let (exit, stdout, err) = match result {
            Ok(r) => (r.exit_code, r.stdout.into_bytes(), r.stderr.to_string()),
            Err(e) => (-1, vec![], e.to_string()),
        };
        if i == 0 {
            std::fs::write(&out, &stdout).expect("the output file");
        }
        let err: String = err.chars().take(300).collect();
        let line = serde_json::json!({
            "ns": ns as u64, "cpu_ns": cpu_ns as u64, "setup_ns": (t1 - t0).as_nanos() as u64,
            "exit": exit, "len": stdout.len(), "err": err,
        });
        println!("{line}");
        if start.elapsed().as_secs_f64() * f64::from(i + 2) / f64::from(i + 1) > budget {
            break;
        }
    }
}
