//! What holds of every program: one name, true examples, `--help`, `--version`, and no option that only one place knows.

use sandshell::parts::coreutils;
use sandshell_tests::Script;
use std::collections::BTreeSet;

#[test]
fn no_two_programs_have_one_name() {
    let mut seen = BTreeSet::new();
    for p in coreutils::programs() {
        assert!(seen.insert(p.spec().name), "{} is listed twice", p.spec().name);
    }
}

#[test]
fn the_first_eighty_programs_are_here() {
    let names: BTreeSet<&str> = coreutils::programs().iter().map(|p| p.spec().name).collect();
    let wanted = "echo printf true false test [ expr seq yes env printenv which basename dirname pwd ls cat tac head \
        tail wc sort uniq cut tr paste join comm diff cmp nl fold rev column tee xargs find grep egrep fgrep rg sed awk \
        jq cp mv rm rmdir mkdir touch ln chmod stat truncate mktemp realpath readlink file tree du df date sleep timeout \
        whoami id hostname uname nproc od xxd base64 md5sum sha1sum sha256sum sha512sum strings shuf split numfmt tar \
        gzip gunzip zcat bc envsubst less more clear";
    let missing: Vec<&str> = wanted.split_whitespace().filter(|w| !names.contains(w)).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
}

#[test]
fn every_example_of_every_program_prints_what_it_says() {
    for p in coreutils::programs() {
        for e in p.spec().examples {
            let ran = Script::new(e.script).run();
            let got = String::from_utf8_lossy(&ran.stdout);
            let err = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(got, e.output, "{}: {}\nstderr: {err}", p.spec().name, e.script);
        }
    }
}

#[test]
fn every_program_answers_help_and_version() {
    for p in coreutils::programs() {
        let name = p.spec().name;
        // These take every argument as data, as the real ones do (`[` and `test` included).
        if matches!(name, "echo" | "printf" | "test" | "[" | "true" | "false" | "yes") {
            continue;
        }
        let ran = Script::new(format!("env {name} --help")).run();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        assert!(text.to_lowercase().contains("usage"), "{name} --help prints: {text}");
        let ran = Script::new(format!("env {name} --version")).run();
        let some = !ran.stdout.is_empty() || !ran.stderr.is_empty();
        assert!(some, "{name} --version prints nothing");
    }
}

#[test]
fn env_says_that_it_cannot_set_signals_instead_of_ignoring_the_option() {
    Script::new("env --ignore-signal=PIPE true")
        .stderr("env: --ignore-signal is not available here\n")
        .status(125);
}
