//! The recorded cases: each script of `tests/cases` gives the standard output and status that real bash with the GNU
//! tools gave (`tests/record`). Those that need what is not here yet stand in `cases/not-yet.txt` with the reason;
//! one that passes must be taken out of it.

use sandshell_tests::Script;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Mutex,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

fn scripts(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(dir).expect("the cases").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for e in entries {
        if e.is_dir() {
            scripts(&e, out);
        } else if e.extension().is_some_and(|x| x == "sh") {
            out.push(e);
        }
    }
}

#[test]
fn every_recorded_case_gives_what_bash_and_the_gnu_tools_gave() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut cases = Vec::new();
    scripts(&root, &mut cases);
    let not_yet: BTreeMap<String, String> = std::fs::read_to_string(root.join("not-yet.txt"))
        .expect("not-yet.txt")
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .filter_map(|l| l.split_once(':'))
        .map(|(name, why)| (name.trim().to_string(), why.trim().to_string()))
        .collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            s.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                    let name = case.file_stem().expect("a name").to_string_lossy().into_owned();
                    let fault = check(case);
                    match (fault, not_yet.get(&name)) {
                        (Some(text), None) => {
                            failures.lock().expect("a lock").push(format!("--- {name}\n{text}"))
                        }
                        (None, Some(why)) => failures
                            .lock()
                            .expect("a lock")
                            .push(format!("--- {name} passes: take it out of not-yet.txt (it says: {why})")),
                        _ => {}
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("a lock");
    failures.sort();
    assert!(failures.is_empty(), "{} of {} cases\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// What is wrong with a case, if anything.
fn check(case: &Path) -> Option<String> {
    let read = |e: &str| std::fs::read(case.with_extension(e));
    let script = String::from_utf8(read("sh").expect("the script")).expect("a script in UTF-8");
    let want = read("out").expect("the recorded output: run tests/record");
    let status: u8 = String::from_utf8_lossy(&read("status").expect("the recorded status"))
        .trim()
        .parse()
        .expect("a status");
    let ran = std::panic::catch_unwind(|| Script::new(script).run());
    let Ok(ran) = ran else { return Some("it panicked".into()) };
    let mut fault = String::new();
    if ran.status != status {
        fault.push_str(&format!("status {} instead of {status}\n", ran.status));
    }
    if ran.stdout != want {
        fault.push_str(&first_difference(&want, &ran.stdout));
    }
    if let Ok(want) = read("err")
        && ran.stderr != want
    {
        fault.push_str("standard error: ");
        fault.push_str(&first_difference(&want, &ran.stderr));
    }
    if fault.is_empty() {
        return None;
    }
    let stderr = String::from_utf8_lossy(&ran.stderr).chars().take(300).collect::<String>();
    Some(format!("{fault}stderr: {stderr}"))
}

fn first_difference(want: &[u8], got: &[u8]) -> String {
    let (want, got) = (String::from_utf8_lossy(want).into_owned(), String::from_utf8_lossy(got).into_owned());
    let (mut w, mut g) = (want.lines(), got.lines());
    let mut n = 0;
    loop {
        n += 1;
        match (w.next(), g.next()) {
            (None, None) => return "the last newline differs\n".into(),
            (a, b) if a == b => {}
            (a, b) => {
                return format!(
                    "line {n}\n  want {:?}\n  got  {:?}\n",
                    a.unwrap_or("(end)"),
                    b.unwrap_or("(end)")
                );
            }
        }
    }
}
