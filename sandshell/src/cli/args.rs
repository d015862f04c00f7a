//! The command line of the `sandshell` binary: its own long options, and bash's short ones.

use std::{ffi::OsString, os::unix::ffi::OsStringExt, path::PathBuf, time::Duration};

/// What `--help` prints.
pub const HELP: &str = "\
Usage: sandshell [OPTION]... -c SCRIPT [NAME [ARG]...]
   or: sandshell [OPTION]... FILE [ARG]...
   or: sandshell [OPTION]... [-s [ARG]...]
   or: sandshell validate
A bash with GNU tools that runs inside this process, over a filesystem in memory and the directories you mount.
Without a script, FILE or -s it reads commands from the terminal.

  -c SCRIPT               run SCRIPT; NAME is its $0, ARGs its $1 and on
  -s                      read the script from standard input
  -e, -u, -x, -f, ...     options of `set`, also -o NAME; -O NAME for `shopt`
      --mount PATH=DIR    show the directory DIR at PATH, read-only; PATH=DIR:rw lets scripts change it in memory
      --env NAME=VALUE    set an exported variable
      --cwd PATH          start in PATH and not in the home directory
      --timeout TIME      stop after TIME (30s without it): 10, 1.5, 500ms, 2m
      --max-output SIZE   stop after SIZE of output: 64K, 10M
      --unlimited         no limits of time, memory, files: for your own machine
      --posix             POSIX mode
      --help              print this help and exit
      --version           print the version and exit

`sandshell validate` checks the example sandboxes and prints what it found.
The exit status is the script's; 124 when the time ran out, 2 for wrong use.
";

/// What to do.
#[derive(Debug, Default)]
pub struct Args {
    /// The script to run.
    pub what: What,
    /// Options for the shell itself, each with its name (or nothing): `-e`, `-o` and `pipefail`.
    pub shell_options: Vec<(String, Vec<u8>)>,
    /// `$0`, then `$1` and on.
    pub args: Vec<Vec<u8>>,
    /// Directories of this machine.
    pub mounts: Vec<MountArg>,
    /// Variables.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Where to start.
    pub cwd: Option<Vec<u8>>,
    /// Wall clock.
    pub timeout: Option<Duration>,
    /// Bytes of output.
    pub max_output: Option<u64>,
    /// No limits.
    pub unlimited: bool,
}

/// Where the script comes from.
#[derive(Debug, Default)]
pub enum What {
    /// A prompt on a terminal, else standard input.
    #[default]
    Input,
    /// `-s`
    Stdin,
    /// `-c`
    Text(Vec<u8>),
    /// A file of this machine (or of the sandbox).
    File(OsString),
    /// `sandshell validate`
    Validate,
    /// `--help`
    Help,
    /// `--version`
    Version,
}

/// `--mount PATH=DIR[:rw]`
#[derive(Debug, PartialEq, Eq)]
pub struct MountArg {
    /// Where scripts see it.
    pub path: String,
    /// The directory of this machine.
    pub dir: PathBuf,
    /// Whether scripts may change it, in memory.
    pub writable: bool,
}

/// Reads the command line (without the program's name). The error is a message for the user.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Args, String> {
    let mut all = args.into_iter();
    let mut a = Args::default();
    let mut text = false;
    let mut stdin = false;
    let mut operands: Vec<OsString> = Vec::new();
    while let Some(arg) = all.next() {
        let Some(s) = arg.to_str() else {
            operands.push(arg);
            break;
        };
        match s {
            "--" | "-" => break,
            _ if s.starts_with("--") => {
                let (name, value) = match s.split_once('=') {
                    Some((n, v)) => (n, Some(OsString::from(v))),
                    None => (s, None),
                };
                let mut value = || {
                    value
                        .clone()
                        .or_else(|| all.next())
                        .ok_or(format!("option '{name}' requires an argument"))
                };
                match name {
                    "--mount" => a.mounts.push(mount(&utf8(value()?)?)?),
                    "--env" => {
                        let v = value()?.into_vec();
                        let at = v.iter().position(|&b| b == b'=').filter(|&i| i > 0);
                        let at = at.filter(|&i| is_name(&v[..i])).ok_or_else(|| {
                            format!("--env takes NAME=VALUE, not '{}'", String::from_utf8_lossy(&v))
                        })?;
                        a.env.push((v[..at].to_vec(), v[at + 1..].to_vec()));
                    }
                    "--cwd" => a.cwd = Some(value()?.into_vec()),
                    "--timeout" => a.timeout = Some(duration(&utf8(value()?)?)?),
                    "--max-output" => a.max_output = Some(bytes(&utf8(value()?)?)?),
                    "--unlimited" => a.unlimited = true,
                    "--posix" => a.shell_options.push(("-o".into(), b"posix".to_vec())),
                    // There are no start-up files to leave out.
                    "--norc" | "--noprofile" | "--login" | "--noediting" => {}
                    "--help" => return Ok(Args { what: What::Help, ..a }),
                    "--version" => return Ok(Args { what: What::Version, ..a }),
                    _ => return Err(format!("unrecognized option '{s}'")),
                }
            }
            _ if s.len() > 1 && (s.starts_with('-') || s.starts_with('+')) => {
                let sign = &s[..1];
                for letter in s[1..].chars() {
                    match letter {
                        'c' if sign == "-" => text = true,
                        's' if sign == "-" => stdin = true,
                        // A login or interactive shell differs by its start-up files only, which are not here.
                        'l' | 'i' => {}
                        'o' | 'O' => {
                            let name = all.next().ok_or(format!("{sign}{letter} requires an argument"))?;
                            a.shell_options.push((format!("{sign}{letter}"), name.into_vec()));
                        }
                        _ if letter.is_ascii_alphabetic() => {
                            a.shell_options.push((format!("{sign}{letter}"), Vec::new()));
                        }
                        _ => return Err(format!("{sign}{letter}: invalid option")),
                    }
                }
            }
            _ => {
                operands.push(arg);
                break;
            }
        }
    }
    operands.extend(all);
    let mut operands = operands.into_iter();
    if text {
        let script = operands.next().ok_or("-c: option requires an argument")?;
        a.what = What::Text(script.into_vec());
    } else if stdin {
        a.what = What::Stdin;
        a.args.push(b"bash".to_vec());
    } else if let Some(file) = operands.next() {
        if file == "validate" && operands.len() == 0 {
            return Ok(Args { what: What::Validate, ..a });
        }
        a.args.push(file.clone().into_vec());
        a.what = What::File(file);
    }
    a.args.extend(operands.map(OsString::into_vec));
    if a.args.is_empty() {
        a.args.push(b"bash".to_vec());
    }
    Ok(a)
}

fn utf8(text: OsString) -> Result<String, String> {
    text.into_string().map_err(|t| format!("{}: not UTF-8", t.to_string_lossy()))
}

/// Whether a variable can have this name.
fn is_name(name: &[u8]) -> bool {
    name.iter().all(|&b| b == b'_' || b.is_ascii_alphanumeric()) && !name[0].is_ascii_digit()
}

fn mount(text: &str) -> Result<MountArg, String> {
    let wrong = || format!("--mount takes PATH=DIR or PATH=DIR:rw, not '{text}'");
    let (path, dir) = text.split_once('=').ok_or_else(wrong)?;
    let (dir, writable) = match dir.strip_suffix(":rw") {
        Some(dir) => (dir, true),
        None => (dir.strip_suffix(":ro").unwrap_or(dir), false),
    };
    if !path.starts_with('/') || dir.is_empty() {
        return Err(wrong());
    }
    Ok(MountArg { path: path.into(), dir: dir.into(), writable })
}

fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("--timeout takes a time such as 10, 1.5, 500ms, 2m, not '{text}'");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let n: f64 = digits.parse().map_err(|_| wrong())?;
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(n * unit).ok().filter(|d| !d.is_zero()).ok_or_else(wrong)
}

fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("--max-output takes a size such as 1000, 64K, 10M, not '{text}'");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let n: u64 = digits.parse().map_err(|_| wrong())?;
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return Err(wrong()),
    };
    n.checked_mul(unit).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Args {
        parse(words.iter().map(OsString::from)).unwrap()
    }

    #[test]
    fn a_script_takes_its_name_and_arguments() {
        let a = parsed(&["--mount", "/data=/tmp:rw", "-euc", "echo $1", "name", "--env", "x"]);
        assert!(matches!(&a.what, What::Text(t) if t == b"echo $1"));
        assert_eq!(a.args, [&b"name"[..], b"--env", b"x"]);
        assert_eq!(a.shell_options, [("-e".into(), vec![]), ("-u".into(), vec![])]);
        assert_eq!(a.mounts, [MountArg { path: "/data".into(), dir: "/tmp".into(), writable: true }]);
    }

    #[test]
    fn a_file_ends_the_options() {
        let a = parsed(&["--timeout=1.5", "--max-output", "2K", "-o", "pipefail", "f", "-x"]);
        assert!(matches!(&a.what, What::File(f) if f == "f"));
        assert_eq!(a.args, [b"f", b"-x".as_slice()]);
        assert_eq!((a.timeout, a.max_output), (Some(Duration::from_millis(1500)), Some(2048)));
        assert_eq!(a.shell_options, [("-o".into(), b"pipefail".to_vec())]);
    }

    #[test]
    fn wrong_use_is_refused() {
        for words in [
            &["--nope"][..],
            &["-c"],
            &["--mount", "x=y"],
            &["--timeout", "x"],
            &["--timeout=0"],
            &["--env", "A B=1"],
            &["--max-output", "1T"],
        ] {
            assert!(parse(words.iter().map(OsString::from)).is_err(), "{words:?}");
        }
    }
}
