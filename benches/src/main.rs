//! Measurements of Sandshell against bash with the GNU tools and against bashkit.
//!
//!     cargo run --release --manifest-path benches/Cargo.toml -- compare [--mb N] [FILTER]
//!         every workload in real bash, bashkit and here, in one run: CPU and wall time, right or wrong output
//!     … -- micro            sessions, short scripts, throughput, memory
//!     … -- run --data DIR [--mount real|mem] [--reps N] [--budget SECONDS] [--out FILE] SCRIPT
//!         one script, N times in fresh sessions; prints a line of JSON per repetition
//!         {"ns","cpu_ns","setup_ns","exit","len","err"}; SCRIPT sees DIR at its own path, $D and an empty $W

mod compare;
mod data;
mod micro;
mod ours;
mod theirs;
mod workloads;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// User and system time of this process, in nanoseconds.
pub fn cpu() -> u128 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    t.tv_sec as u128 * 1_000_000_000 + t.tv_nsec as u128
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("run") => ours::protocol(&args[1..]),
        Some("run-bashkit") => theirs::protocol(&args[1..]),
        Some("micro") => micro::run(),
        Some("compare") => compare::run(&args[1..]),
        _ => {
            eprintln!("usage: sandshell-bench run|micro|compare (see the head of benches/src/main.rs)");
            std::process::exit(2);
        }
    }
}
