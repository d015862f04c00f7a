//! Scripts of the shell alone (syntax, expansion, builtins, messages) against what bash 5.2 printed for them: standard
//! output, standard error and status, byte for byte.

use sandshell_tests::Script;

#[test]
fn the_shell_prints_what_bash_prints() {
    let text = include_str!("../recorded/shell.json");
    let cases: serde_json::Value = serde_json::from_str(text).expect("the recorded cases");
    for case in cases.as_array().expect("a list") {
        let field = |name: &str| case[name].as_str().expect("text").to_owned();
        let ran = Script::new(field("script")).run();
        let got = (
            String::from_utf8_lossy(&ran.stdout).into_owned(),
            String::from_utf8_lossy(&ran.stderr).into_owned(),
            u64::from(ran.status),
        );
        let status = case["status"].as_u64().expect("a number");
        assert_eq!(got, (field("stdout"), field("stderr"), status), "\n{}", field("script"));
    }
}
