//! The `sandshell` binary as its user meets it.

use std::{
    ffi::OsStr,
    io::{Read, Write},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

fn sandshell<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    c.args(args).stdin(Stdio::null()).env("HOME", "/real/home").env("PATH", "/real/bin").env("TZ", "UTC");
    c
}

/// Standard output, standard error, status.
fn run(args: &[&str]) -> (String, String, i32) {
    told(sandshell(args).output().unwrap())
}

fn told(o: Output) -> (String, String, i32) {
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
    (text(o.stdout), text(o.stderr), o.status.code().unwrap())
}

fn with_input(args: &[&str], input: &str) -> (String, String, i32) {
    let mut child =
        sandshell(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    told(child.wait_with_output().unwrap())
}

fn ok(out: &str) -> (String, String, i32) {
    (out.into(), String::new(), 0)
}

/// An empty directory of this machine, removed at the end.
struct Dir(std::path::PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let path = std::env::temp_dir().join(format!("sandshell-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_script_is_given_as_text_with_its_name_and_arguments() {
    assert_eq!(run(&["-c", "echo $0 $1 $#", "name", "a", "b c"]), ok("name a 2\n"));
    assert_eq!(run(&["-c", "echo $0; exit 7"]), ("bash\n".into(), String::new(), 7));
    assert_eq!(run(&["-c", "nope"]), (String::new(), "bash: line 1: nope: command not found\n".into(), 127));
}

#[test]
fn a_script_is_a_file_of_this_machine() {
    let d = Dir::new("file");
    let path = d.file("s.sh", "echo \"$1\"\nnope\n");
    assert_eq!(
        run(&[&path, "x y"]),
        ("x y\n".into(), format!("{path}: line 2: nope: command not found\n"), 127)
    );
    let (_, err, status) = run(&["/not/there"]);
    assert_eq!((&err[..], status), ("bash: /not/there: No such file or directory\n", 127));
    let real = d.0.to_str().unwrap();
    assert_eq!(run(&["--mount", &format!("/m={real}"), "/m/s.sh", "in the sandbox"]).0, "in the sandbox\n");
}

#[test]
fn a_script_comes_from_standard_input() {
    assert_eq!(with_input(&[], "echo 1\nif true; then\necho 2\nfi\n"), ok("1\n2\n"));
    assert_eq!(with_input(&["-s", "a"], "echo $1"), ok("a\n"));
}

#[test]
fn commands_of_a_script_share_its_standard_input() {
    assert_eq!(with_input(&[], "read x\nhello\necho \"got $x\"; cat\nrest\n"), ok("got hello\nrest\n"));
    assert_eq!(with_input(&[], "cat <<E | tr a b\naaa\nE\necho x \\\ny\n"), ok("bbb\nx y\n"));
}

#[test]
fn standard_input_is_the_scripts() {
    assert_eq!(with_input(&["-c", "read a; echo \"<$a>\"; wc -l"], "1\n2\n3\n"), ok("<1>\n2\n"));
    let d = Dir::new("input");
    let file = std::fs::File::open(d.file("f", "1\n2\n3\n")).unwrap();
    assert_eq!(told(sandshell(["-c", "head -n1; cat"]).stdin(file).output().unwrap()), ok("1\n2\n3\n"));
}

#[test]
fn a_directory_is_shown_read_only_or_changed_in_memory() {
    let d = Dir::new("mount");
    let file = d.file("f", "real\n");
    let at = d.0.to_str().unwrap();
    let ro = format!("/some/where={at}");
    let (out, err, _) = run(&["--mount", &ro, "-c", "cat /some/where/f; echo x > /some/where/f"]);
    assert_eq!((&out[..], &err[..]), ("real\n", "bash: line 1: /some/where/f: Read-only file system\n"));
    let rw = format!("/w={at}:rw");
    assert_eq!(run(&["--mount", &rw, "--cwd", "/w", "-c", "echo new > f; cat f; pwd"]), ok("new\n/w\n"));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "real\n");
    assert_eq!(run(&["--mount", "/x=/not/there", "-c", ":"]).2, 127);
    assert_eq!(run(&["--cwd", "/x", "-c", ":"]).1, "sandshell: --cwd /x: No such file or directory\n");
    let root = format!("/={at}");
    assert_eq!(
        run(&["--mount", &root, "-c", "cat /f; echo mine > x; cat x; echo 1 > /tmp/t; cat /tmp/t"]),
        ok("real\nmine\n1\n")
    );
}

#[test]
fn the_home_is_empty_writable_and_not_the_users() {
    assert_eq!(
        run(&["-c", "pwd; echo $HOME $USER $PATH $TZ; touch x; ls"]).0,
        "/home/user\n/home/user user /usr/local/bin:/usr/bin:/bin UTC\nx\n"
    );
    assert_eq!(run(&["--env", "A=b=c", "--env", "HOME=/tmp", "-c", "echo $A; cd; pwd"]), ok("b=c\n/tmp\n"));
}

#[test]
fn options_of_set_are_taken_as_bash_takes_them() {
    assert_eq!(run(&["-ec", "false; echo no"]).2, 1);
    assert_eq!(run(&["-o", "pipefail", "-c", "false | true"]).2, 1);
    assert_eq!(run(&["-uc", "echo $nope"]).2, 127);
    assert_eq!(run(&["-xc", "echo a"]), ("a\n".into(), "+ echo a\n".into(), 0));
    assert_eq!(run(&["--posix", "-c", "set -o | grep posix"]).0.split_whitespace().last(), Some("on"));
    assert_eq!(run(&["-Z", "-c", ":"]).2, 2);
    assert_eq!(run(&["-c"]).2, 2);
}

#[test]
fn limits_stop_a_script_and_say_so() {
    let start = Instant::now();
    let (out, err, status) = run(&["--timeout", "300ms", "-c", "echo 1; while :; do :; done"]);
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!((&out[..], status), ("1\n", 124));
    assert!(err.starts_with("sandshell: stopped after 300ms"), "{err}");
    let (out, _, status) = run(&["--max-output", "1K", "-c", "yes"]);
    assert_eq!((out.len(), status), (1024, 137));
}

#[test]
fn output_streams_as_it_comes() {
    let mut child = sandshell(["-c", "echo first; sleep 5"]).stdout(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    let mut text = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut text).unwrap();
    assert_eq!(&text, b"first\n");
    assert!(start.elapsed() < Duration::from_secs(4));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_closed_output_ends_the_script() {
    let mut child = sandshell(["-c", "while :; do echo y; done"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

#[test]
fn it_explains_itself() {
    assert!(run(&["--help"]).0.starts_with("Usage: sandshell"));
    assert!(run(&["--version"]).0.starts_with("sandshell "));
    assert_eq!(run(&["validate"]), ok("notes: ok\nnumbers: ok\n"));
    let (_, err, status) = run(&["--nope"]);
    assert_eq!((err.contains("unrecognized option '--nope'"), status), (true, 2));
}
