//! `getconf`: the limits of the system that a script sees.

use sandshell_kernel::{FdTable, Process, Program, Result, Status};
use sandshell_text::options::{Example, Spec};

/// `getconf`
pub struct Getconf;

static SPEC: Spec = Spec {
    name: "getconf",
    about: "Print the value of a configuration variable.",
    synopsis: &["[-v specification] variable_name [pathname]", "-a [pathname]"],
    options: &[],
    notes: "",
    version: "getconf (GNU libc) 2.36",
    examples: &[Example { script: "getconf LONG_BIT", output: "64\n" }],
};

const USAGE: &str =
    "Usage: getconf [-v specification] variable_name [pathname]\n       getconf -a [pathname]\n";

/// Variables of the system. An empty value is undefined.
const SYSTEM: &[(&str, &str)] = &[
    ("ARG_MAX", "2097152"),
    ("CHAR_BIT", "8"),
    ("CHAR_MAX", "127"),
    ("CHAR_MIN", "-128"),
    ("CHILD_MAX", ""),
    ("CLK_TCK", "100"),
    ("HOST_NAME_MAX", "64"),
    ("INT_MAX", "2147483647"),
    ("INT_MIN", "-2147483648"),
    ("LINE_MAX", "2048"),
    ("LOGIN_NAME_MAX", "256"),
    ("LONG_BIT", "64"),
    ("LONG_MAX", "9223372036854775807"),
    ("LONG_MIN", "-9223372036854775808"),
    ("NGROUPS_MAX", "65536"),
    ("PAGESIZE", "4096"),
    ("PAGE_SIZE", "4096"),
    ("PATH", "/bin:/usr/bin"),
    ("RE_DUP_MAX", "32767"),
    ("SHRT_MAX", "32767"),
    ("SSIZE_MAX", "32767"),
    ("TZNAME_MAX", ""),
    ("UCHAR_MAX", "255"),
    ("UINT_MAX", "4294967295"),
    ("ULONG_MAX", "18446744073709551615"),
    ("WORD_BIT", "32"),
    ("_POSIX_VERSION", "200809"),
    ("POSIX2_VERSION", "200809"),
    ("GNU_LIBC_VERSION", "glibc 2.36"),
];

/// Variables of a path.
const PATHS: &[(&str, &str)] = &[
    ("FILESIZEBITS", "64"),
    ("LINK_MAX", "65000"),
    ("NAME_MAX", "255"),
    ("PATH_MAX", "4096"),
    ("PIPE_BUF", "4096"),
    ("SYMLINK_MAX", ""),
];

impl Program for Getconf {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let mut args: Vec<String> =
            process.args.iter().skip(1).map(|a| String::from_utf8_lossy(a).into_owned()).collect();
        match args.first().map(|a| &a[..]) {
            Some("--help") => {
                process.stdout.put(SPEC.help().as_bytes())?;
                return Ok(Status::OK);
            }
            Some("--version") => {
                process.stdout.line(SPEC.version.as_bytes())?;
                return Ok(Status::OK);
            }
            _ => {}
        }
        if args.first().is_some_and(|a| a == "-v") {
            args.drain(..2.min(args.len()));
        }
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get()).to_string();
        let open_max = FdTable::LIMIT.to_string();
        let dynamic = [
            ("_NPROCESSORS_CONF", &processors[..]),
            ("_NPROCESSORS_ONLN", &processors),
            ("NPROCESSORS_ONLN", &processors),
            ("OPEN_MAX", &open_max),
        ];
        let system = || SYSTEM.iter().copied().chain(dynamic);
        let shown = |v: &str| if v.is_empty() { "undefined".to_owned() } else { v.to_owned() };
        match &args[..] {
            [all] | [all, _] if all == "-a" => {
                let mut list: Vec<(&str, &str)> = system().chain(PATHS.iter().copied()).collect();
                list.sort_unstable();
                for (name, value) in list {
                    process.stdout.text(format_args!("{name:<34} {value}\n"))?;
                }
                Ok(Status::OK)
            }
            [name] => match system().find(|(n, _)| n == name) {
                Some((_, value)) => {
                    process.stdout.line(shown(value).as_bytes())?;
                    Ok(Status::OK)
                }
                None if PATHS.iter().any(|(n, _)| n == name) => {
                    process.write_error(USAGE.as_bytes())?;
                    Ok(Status::USAGE)
                }
                None => unknown(process, name),
            },
            [name, path] => {
                let Some((_, value)) = PATHS.iter().find(|(n, _)| n == name) else {
                    return match system().any(|(n, _)| n == name) {
                        true => {
                            process.write_error(USAGE.as_bytes())?;
                            Ok(Status::USAGE)
                        }
                        false => unknown(process, name),
                    };
                };
                if let Err(e) = process.files.stat_cheap(path.as_bytes(), true) {
                    process.complain(format_args!("{path}"), e)?;
                    return Ok(Status(3));
                }
                process.stdout.line(shown(value).as_bytes())?;
                Ok(Status::OK)
            }
            _ => {
                process.write_error(USAGE.as_bytes())?;
                Ok(Status::USAGE)
            }
        }
    }
}

fn unknown(process: &mut Process, name: &str) -> Result<Status> {
    process.error(format_args!("Unrecognized variable `{name}'"))?;
    Ok(Status::USAGE)
}
