//! The parser against recorded bash: messages, the printer, the scripts of the project (with brush-parser as a second opinion), and hostile text.

use bytes::Bytes;
use sandshell_interpreter::syntax::ir::{CommandKind, SyntaxError};
use sandshell_interpreter::syntax::{ParseState, Parser, print};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs `f` on a stack of the size that scripts get.
fn on_large_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|s| {
        let t = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(s, f).expect("a thread");
        t.join().unwrap_or_else(|e| std::panic::resume_unwind(e))
    })
}

/// Parses all of `text`; extglob is on from the first line on that mentions it.
fn parse(text: &[u8]) -> Result<Vec<(u32, Bytes)>, SyntaxError> {
    let mut parser = Parser::new(Bytes::copy_from_slice(text), 1);
    let mut extglob = false;
    let mut warnings = Vec::new();
    while let Some(unit) = parser.next_command(&ParseState { extglob, ..ParseState::default() })? {
        warnings.extend(unit.warnings.iter().cloned());
        extglob |= unit.source.windows(7).any(|w| w == b"extglob");
    }
    Ok(warnings)
}

/// What bash would print, without its name.
fn messages(text: &[u8]) -> String {
    let mut out = String::new();
    let mut warn = |w: &[(u32, Bytes)]| {
        for (line, w) in w {
            out += &format!("line {line}: warning: {}\n", String::from_utf8_lossy(w));
        }
    };
    let mut parser = Parser::new(Bytes::copy_from_slice(text), 1);
    let error = loop {
        match parser.next_command(&ParseState::default()) {
            Ok(None) => return out,
            Ok(Some(unit)) => warn(&unit.warnings),
            Err(e) => break e,
        }
    };
    warn(&error.warnings);
    out += &format!("line {}: {}\n", error.line, error.message);
    if let Some(text) = error.line_text {
        out += &format!("line {}: `{}'\n", error.line, String::from_utf8_lossy(&text));
    }
    for (line, m) in error.further {
        out += &format!("line {line}: {m}\n");
    }
    out
}

/// The pairs of text and what bash makes of it in a file of `tests/corpus`.
fn recorded(name: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let all = std::fs::read_to_string(path).expect("the corpus");
    all.split("%%\n")
        .map(|case| {
            let (text, expected) = case.split_once("\n=>\n").expect("a recorded case");
            (text.to_string(), expected.to_string())
        })
        .collect()
}

#[test]
fn syntax_errors_are_worded_as_bash_words_them() {
    for (text, expected) in recorded("errors.txt") {
        assert_eq!(messages(text.as_bytes()), expected, "\n{text}");
    }
}

#[test]
fn functions_are_printed_as_bash_prints_them() {
    for (text, expected) in recorded("functions.txt") {
        let mut parser = Parser::new(Bytes::from(text.clone()), 1);
        let unit = parser.next_command(&ParseState::default()).expect("no error").expect("a command");
        let CommandKind::Function(f) = &unit.list.items[0].and_or.first.stages[0].kind else {
            panic!("{text}")
        };
        let printed = String::from_utf8_lossy(&print::function(f)).into_owned() + "\n";
        assert_eq!(printed, expected, "\n{text}");
    }
}

#[test]
fn printed_functions_parse_to_what_prints_the_same() {
    for (_, text) in recorded("functions.txt") {
        let mut parser = Parser::new(Bytes::from(text.clone()), 1);
        let Ok(Some(unit)) = parser.next_command(&ParseState::default()) else { continue };
        let CommandKind::Function(f) = &unit.list.items[0].and_or.first.stages[0].kind else {
            panic!("{text}")
        };
        // bash itself misplaces here-documents of conditions, and gives a simple coprocess a name that it then reads as the command.
        if text.contains("<<E; then") || text.contains("<<F; then") || text.contains("coproc COPROC a") {
            continue;
        }
        assert_eq!(String::from_utf8_lossy(&print::function(f)).into_owned() + "\n", text);
    }
}

/// The recorded scripts of the project.
fn scripts() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    let mut out = Vec::new();
    for dir in std::fs::read_dir(root).expect("the cases").flatten() {
        let Ok(files) = std::fs::read_dir(dir.path()) else { continue };
        for file in files.flatten() {
            if file.path().extension().is_some_and(|e| e == "sh") {
                out.push((file.path(), std::fs::read(file.path()).expect("a script")));
            }
        }
    }
    assert!(out.len() > 100);
    out
}

/// Scripts that brush-parser judges otherwise than bash and we do: see `src/syntax/README.md`.
const BRUSH_DIFFERS: &[&str] = &[
    "functions_pipes_builtins",
    "many_small_rules",
    "names_counts_and_closed_input",
    "scripts_at_large",
    "subshells_and_quoting",
];

#[test]
fn scripts_of_the_project_are_accepted_by_both_parsers() {
    on_large_stack(|| {
        let mut differ = Vec::new();
        for (path, text) in scripts() {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let ours = parse(&text);
            if let Err(e) = &ours {
                // Some are recorded because bash rejects a later line of theirs.
                let status = std::fs::read_to_string(path.with_extension("status")).unwrap_or_default();
                assert_eq!(status.trim(), "2", "{name}: {e:?}");
                continue;
            }
            let Ok(text) = std::str::from_utf8(&text) else { continue };
            let options = brush_parser::ParserOptions::default();
            let brush = brush_parser::Parser::new(text.as_bytes(), &options).parse_program();
            if let Err(e) = brush {
                eprintln!("{name}: {e:?}");
                differ.push(name);
            }
        }
        differ.sort();
        assert_eq!(differ, BRUSH_DIFFERS, "scripts that brush-parser rejects, and those that are known");
    });
}

#[test]
fn damaged_scripts_never_panic_or_hang() {
    let pieces: &[&[u8]] = &[
        b"$(",
        b"${",
        b"((",
        b"))",
        b"\"",
        b"'",
        b"`",
        b"<<E\n",
        b"\nE\n",
        b"\\",
        b"\n",
        b"{",
        b"}",
        b"(",
        b")",
        b"[[ ",
        b" ]]",
        b"[",
        b"]",
        b"$((",
        b"case x in ",
        b" esac",
        b"if ",
        b"fi",
        b";;",
        b"do ",
        b"done",
        b"&",
        b"|",
        b";",
        b"<(",
        b"a=(",
        b"+=",
        b"{fd}>",
        b"#",
        b"~",
        b"{a,b}",
        b"{1..3}",
        b"$'",
        b"@(",
        b"99999999999999999999",
        b"\xff",
        b"?",
        b":",
        b"**",
        b"++",
        b"$x",
        b"function ",
        b"coproc ",
        b"!",
    ];
    on_large_stack(|| {
        let mut random = fastrand::Rng::with_seed(7);
        let scripts = scripts();
        for _ in 0..3000 {
            let mut text = scripts[random.usize(..scripts.len())].1.clone();
            text.truncate(4000);
            for _ in 0..random.usize(1..6) {
                let at = random.usize(..=text.len());
                match random.u8(..3) {
                    0 => text.truncate(at.max(1)),
                    1 => drop(text.splice(at..at, pieces[random.usize(..pieces.len())].iter().copied())),
                    _ => drop(text.drain(at..(at + random.usize(..6)).min(text.len()))),
                }
            }
            let begin = Instant::now();
            let mut parser = Parser::new(Bytes::from(text.clone()), 1);
            while let Ok(Some(unit)) = parser.next_command(&ParseState::default()) {
                for stage in unit.list.items.iter().flat_map(|i| i.and_or.first.stages.iter()) {
                    let _ = print::command(stage);
                }
            }
            assert!(begin.elapsed() < Duration::from_secs(2), "slow: {}", String::from_utf8_lossy(&text));
        }
    });
}

#[test]
fn hostile_scripts_end_quickly() {
    let deep = |open: &str, n: usize, close: &str| [open.repeat(n), close.repeat(n)].concat();
    let cases = [
        deep("(", 10_000, ""),
        deep("((", 5_000, "))"),
        deep("echo $((", 300, ") )"),
        deep("${", 100_000, ""),
        deep("$(", 100_000, ""),
        deep("echo \"${x:-", 1000, "}\""),
        deep("echo ${x[y[", 300, "]]}"),
        deep("case x in a) ", 400, ";; esac"),
        deep("if ", 100_000, ""),
        deep("f() { ", 50_000, ""),
        deep("[[ ! ", 50_000, ""),
        deep("a[", 50_000, "]"),
        deep("echo @(", 50_000, ""),
        format!("echo $(({}1))", "a+".repeat(100_000)),
        format!("echo {}a,b{}", "{".repeat(50_000), "}".repeat(50_000)),
        format!("echo {}", "a".repeat(10 << 20)),
        format!("cat {}\n{}", "<<E ".repeat(20_000), "a\nE\n".repeat(20_000)),
        "echo ${x[}".repeat(50_000),
        "<<E$[\t\t".into(),
        "echo 99999999999>b {99999999999999999999..1} {-9223372036854775808..1}".into(),
    ];
    on_large_stack(|| {
        for text in cases {
            let begin = Instant::now();
            let _ = parse(text.as_bytes());
            assert!(begin.elapsed() < Duration::from_secs(20), "slow: {}", &text[..40.min(text.len())]);
        }
    });
}

#[test]
fn a_small_stack_gives_an_error_not_a_crash() {
    let text = "{ ".repeat(10_000);
    let e = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || parse(text.as_bytes()))
        .expect("a thread");
    assert!(e.join().expect("no crash").is_err());
}

#[test]
fn an_alias_changes_the_lines_after_it() {
    let aliases = |name: &[u8]| -> Option<Bytes> {
        Some(Bytes::from_static(match name {
            b"ll" => b"ls -l",
            b"ls" => b"ls --color",
            b"begin" => b"{",
            b"sudo" => b"sudo ",
            b"loop" => b"for i in 1 2; do",
            _ => return None,
        }))
    };
    let printed = |text: &'static str| {
        let state = ParseState { aliases: Some(&aliases), ..ParseState::default() };
        let mut parser = Parser::new(Bytes::from_static(text.as_bytes()), 1);
        let mut out = Vec::new();
        while let Some(unit) = parser.next_command(&state).expect("no error") {
            out.push(
                String::from_utf8_lossy(&print::command(&unit.list.items[0].and_or.first.stages[0]))
                    .into_owned(),
            );
        }
        out.join("\n")
    };
    assert_eq!(printed("ll /"), "ls --color -l /");
    assert_eq!(printed("sudo ll; x\nsudo sudo ll"), "sudo ls --color -l\nsudo sudo ls --color -l");
    assert_eq!(printed("begin a; }"), "{ a; }");
    assert_eq!(printed("loop b; done"), "for i in 1 2;\ndo\n    b;\ndone");
    assert_eq!(printed("\\ll; 'll'; echo ll"), "\\ll");
    assert_eq!(printed("x=1 ll"), "x=1 ls --color -l");
}
