//! Scripts that would never end, or would eat the machine: each ends at a limit, and what it printed stays.

use sandshell::parts::kernel::Stop;
use sandshell_tests::Script;
use std::time::{Duration, Instant};

/// Runs `script` with a second of wall clock and gives how it was stopped; it must end soon after.
fn stopped(script: &str) -> Option<Stop> {
    let started = Instant::now();
    let ran = Script::new(format!("echo before\n{script}"))
        .limits(|l| {
            l.wall_clock = Some(Duration::from_millis(1000));
            l.memory = 64 << 20;
        })
        .run();
    let took = started.elapsed();
    assert!(ran.stdout.starts_with(b"before\n"), "what was printed stays: {script}");
    // Without a stop these never end; how soon they end is measured elsewhere.
    assert!(took < Duration::from_secs(120), "{script} took {took:?}");
    ran.stopped
}

#[test]
fn endless_loops_are_stopped_by_the_clock() {
    for script in [
        "while :; do :; done",
        "for ((;;)); do x=$((x+1)); done",
        "f() { f & f; }; f 2>/dev/null; while :; do :; done",
        "yes > /dev/null",
        "jq -n 'def f: f; f'",
        "jq -n 'last(range(1e15))'",
        "awk 'BEGIN { while (1) i++ }'",
        "sed ':a;ba' <<< x",
        "sleep 100",
        "cat <(sleep 100)",
        "echo 'while (1) {}' | bc",
        "find / -name x -o -exec sleep 100 \\;",
        "read x < <(sleep 100)",
        "seq 1 inf > /dev/null",
        "until false; do echo x; done | cat > /dev/null",
        "trap 'while :; do :; done' EXIT; while :; do :; done",
    ] {
        assert_eq!(stopped(script), Some(Stop::Timeout), "{script}");
    }
}

#[test]
fn growing_values_are_stopped_by_the_memory_limit_or_the_clock() {
    for script in [
        "x=x; while :; do x=$x$x; done",
        "a=(); while :; do a+=(0123456789012345678901234567890123456789); done",
        "yes | sort",
        "yes | tac",
        "x=$(yes)",
        "awk 'BEGIN { s = \"x\"; while (1) s = s s }'",
        "jq -n '[range(1e9)]'",
        "mapfile -t a < <(yes)",
        "echo {1..1000000000}",
    ] {
        let why = stopped(script);
        assert!(matches!(why, Some(Stop::Memory | Stop::Timeout) | None), "{script}: {why:?}");
    }
}

#[test]
fn recursion_ends_with_a_message() {
    let ran = Script::new("f() { f; }; f; echo after $?").run();
    let text = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(text.contains("maximum function nesting level exceeded"), "{text}");
    for script in [
        "eval_() { eval eval_; }; eval_",
        "x='y' y='x'; echo $((x))",
        "a() { b; }; b() { a; }; trap a EXIT; a",
    ] {
        // No crash and no hang: any message and status will do.
        let _ = stopped(script);
    }
}
