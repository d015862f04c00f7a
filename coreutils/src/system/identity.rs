//! Who and where: whoami, id, groups, logname, users, who, hostname, uname, arch, nproc, tty. The one user of a
//! sandbox is `user`, 1000.

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

const USER: &str = "user";
const ID: u32 = 1000;
/// What `uname` says of a machine that is not there.
const RELEASE: &str = "6.1.0-sandshell";
const VERSION: &str = "#1 SMP PREEMPT_DYNAMIC";
const MACHINE: &str = "x86_64";

macro_rules! simple {
    ($(#[$doc:meta])* $type:ident, $spec:ident, $run:ident, $name:literal, $about:literal, $synopsis:literal, $version:literal, [$($opt:expr),* $(,)?], [$($example:expr),* $(,)?]) => {
        $(#[$doc])*
        pub struct $type;

        static $spec: Spec = Spec {
            name: $name,
            about: $about,
            synopsis: &[$synopsis],
            options: &[$($opt),*],
            notes: "",
            version: $version,
            examples: &[$($example),*],
        };

        impl Program for $type {
            fn spec(&self) -> &'static Spec {
                &$spec
            }

            fn run(&self, process: &mut Process) -> Result<Status> {
                match cli::parse(process, &$spec, Order::Permute, 1)? {
                    Ok(parsed) => $run(process, parsed),
                    Err(status) => Ok(status),
                }
            }
        }
    };
}

type Parsed = sandshell_text::options::Parsed;

fn no_operands(process: &mut Process, parsed: &Parsed) -> Result<Option<Status>> {
    match parsed.operands.first() {
        None => Ok(None),
        Some(extra) => {
            process.error(format_args!("extra operand {}", cli::quote(extra)))?;
            cli::try_help(process, 1).map(Some)
        }
    }
}

simple!(
    /// `whoami`
    Whoami, WHOAMI, whoami, "whoami",
    "Print the user name associated with the current effective user ID.\nSame as id -un.", "[OPTION]...",
    "whoami (GNU coreutils) 9.1", [], [Example { script: "whoami", output: "user\n" }]
);

fn whoami(process: &mut Process, parsed: Parsed) -> Result<Status> {
    if let Some(status) = no_operands(process, &parsed)? {
        return Ok(status);
    }
    process.stdout.line(USER.as_bytes())?;
    Ok(Status::OK)
}

simple!(
    /// `logname`
    Logname, LOGNAME, whoami, "logname", "Print the user's login name.", "[OPTION]", "logname (GNU coreutils) 9.1", [], []
);

simple!(
    /// `id`
    Id, ID_SPEC, id, "id",
    "Print user and group information for each specified USER,\nor (when USER omitted) for the current process.",
    "[OPTION]... [USER]...", "id (GNU coreutils) 9.1",
    [
        Opt::short('a', "ignore, for compatibility with other versions"),
        Opt::new('Z', "context", "print only the security context of the process"),
        Opt::new('g', "group", "print only the effective group ID"),
        Opt::new('G', "groups", "print all group IDs"),
        Opt::new('n', "name", "print a name instead of a number, for -ugG"),
        Opt::new('r', "real", "print the real ID instead of the effective ID, with -ugG"),
        Opt::new('u', "user", "print only the effective user ID"),
        Opt::new('z', "zero", "delimit entries with NUL characters, not whitespace; not permitted in default format"),
    ],
    [Example { script: "id -un", output: "user\n" }]
);

/// Name and number of a user of `/etc/passwd`.
fn user(name: &[u8]) -> Option<(&'static str, u32)> {
    match name {
        b"user" | b"1000" => Some((USER, ID)),
        b"root" | b"0" => Some(("root", 0)),
        _ => None,
    }
}

fn id(process: &mut Process, parsed: Parsed) -> Result<Status> {
    let modes = ["user", "group", "groups", "context"].iter().filter(|m| parsed.has(m)).count();
    let (names, zero) = (parsed.has("name"), parsed.has("zero"));
    let fail = |process: &mut Process, text: &str| {
        process.error(format_args!("{text}"))?;
        Ok(Status::FAILURE)
    };
    if parsed.has("context") {
        return fail(process, "--context (-Z) works only on an SELinux-enabled kernel");
    }
    if modes > 1 {
        return fail(process, "cannot print \"only\" of more than one choice");
    }
    if modes == 0 && (names || parsed.has("real")) {
        return fail(process, "cannot print only names or real IDs in default format");
    }
    if modes == 0 && zero {
        return fail(process, "option --zero not permitted in default format");
    }
    let mut status = Status::OK;
    let who =
        if parsed.operands.is_empty() { vec![Bytes::from_static(b"user")] } else { parsed.operands.clone() };
    for name in who {
        let Some((name, n)) = user(&name) else {
            process.error(format_args!("{}: no such user", cli::quote(&name)))?;
            status = Status::FAILURE;
            continue;
        };
        if modes == 0 {
            process.stdout.text(format_args!("uid={n}({name}) gid={n}({name}) groups={n}({name})\n"))?;
            continue;
        }
        let text = if names { name.to_string() } else { n.to_string() };
        process.stdout.put(text.as_bytes())?;
        process.stdout.byte(if zero { 0 } else { b'\n' })?;
    }
    Ok(status)
}

simple!(
    /// `groups`
    Groups, GROUPS, groups, "groups",
    "Print group memberships for each USERNAME or, if no USERNAME is specified, for\nthe current process.",
    "[OPTION]... [USERNAME]...", "groups (GNU coreutils) 9.1", [], []
);

fn groups(process: &mut Process, parsed: Parsed) -> Result<Status> {
    if parsed.operands.is_empty() {
        process.stdout.line(USER.as_bytes())?;
    }
    let mut status = Status::OK;
    for name in &parsed.operands {
        match user(name) {
            Some((n, _)) => process.stdout.text(format_args!("{} : {n}\n", String::from_utf8_lossy(name)))?,
            None => {
                process.error(format_args!("{}: no such user", cli::quote(name)))?;
                status = Status::FAILURE;
            }
        }
    }
    Ok(status)
}

simple!(
    /// `hostname`
    Hostname, HOSTNAME, hostname, "hostname", "Show the system's host name.",
    "[-a|-A|-d|-f|-i|-I|-s]", "hostname 3.23",
    [
        Opt::new('a', "alias", "alias names"),
        Opt::new('A', "all-fqdns", "all long host names (FQDNs)"),
        Opt::new('d', "domain", "DNS domain name"),
        Opt::new('f', "fqdn", "long host name (FQDN)"),
        Opt::new('i', "ip-address", "addresses for the host name"),
        Opt::new('I', "all-ip-addresses", "all addresses for the host"),
        Opt::new('s', "short", "short host name"),
    ],
    []
);

fn node(process: &Process) -> Bytes {
    let text = process.files.read(b"/etc/hostname").unwrap_or_default();
    let name = text.split(|b| *b == b'\n').next().unwrap_or_default();
    if name.is_empty() { Bytes::from_static(b"sandbox") } else { Bytes::copy_from_slice(name) }
}

fn hostname(process: &mut Process, parsed: Parsed) -> Result<Status> {
    if !parsed.operands.is_empty() {
        process.error(format_args!("you must be root to change the host name"))?;
        return Ok(Status::FAILURE);
    }
    let name = node(process);
    match parsed.options.last().map(|f| f.id) {
        Some("alias" | "domain") => process.stdout.byte(b'\n')?,
        Some("ip-address") => process.stdout.line(b"127.0.0.1")?,
        // There is no network, hence no address.
        Some("all-ip-addresses") => process.stdout.byte(b'\n')?,
        Some("short") => process.stdout.line(name.split(|b| *b == b'.').next().unwrap_or_default())?,
        _ => process.stdout.line(&name)?,
    }
    Ok(Status::OK)
}

simple!(
    /// `uname`
    Uname, UNAME, uname, "uname",
    "Print certain system information.  With no OPTION, same as -s.", "[OPTION]...", "uname (GNU coreutils) 9.1",
    [
        Opt::new('a', "all", "print all information, in the following order, except omit -p and -i if unknown"),
        Opt::new('s', "kernel-name", "print the kernel name"),
        Opt::new('n', "nodename", "print the network node hostname"),
        Opt::new('r', "kernel-release", "print the kernel release"),
        Opt::new('v', "kernel-version", "print the kernel version"),
        Opt::new('m', "machine", "print the machine hardware name"),
        Opt::new('p', "processor", "print the processor type (non-portable)"),
        Opt::new('i', "hardware-platform", "print the hardware platform (non-portable)"),
        Opt::new('o', "operating-system", "print the operating system"),
    ],
    [Example { script: "uname", output: "Linux\n" }]
);

fn uname(process: &mut Process, parsed: Parsed) -> Result<Status> {
    if let Some(status) = no_operands(process, &parsed)? {
        return Ok(status);
    }
    let all = parsed.has("all");
    let name = String::from_utf8_lossy(&node(process)).into_owned();
    let parts: [(&str, &str); 8] = [
        ("kernel-name", "Linux"),
        ("nodename", &name),
        ("kernel-release", RELEASE),
        ("kernel-version", VERSION),
        ("machine", MACHINE),
        ("processor", "unknown"),
        ("hardware-platform", "unknown"),
        ("operating-system", "GNU/Linux"),
    ];
    let shown: Vec<&str> = parts
        .iter()
        .filter(|(id, v)| {
            parsed.has(id) || (all && *v != "unknown") || (parsed.options.is_empty() && *id == "kernel-name")
        })
        .map(|(_, v)| *v)
        .collect();
    process.stdout.line(shown.join(" ").as_bytes())?;
    Ok(Status::OK)
}

simple!(
    /// `arch`
    Arch, ARCH, arch, "arch", "Print machine architecture.", "[OPTION]...", "arch (GNU coreutils) 9.1", [],
    [Example { script: "arch", output: "x86_64\n" }]
);

fn arch(process: &mut Process, parsed: Parsed) -> Result<Status> {
    if let Some(status) = no_operands(process, &parsed)? {
        return Ok(status);
    }
    process.stdout.line(MACHINE.as_bytes())?;
    Ok(Status::OK)
}

simple!(
    /// `nproc`
    Nproc, NPROC, nproc, "nproc",
    "Print the number of processing units available to the current process,\nwhich may be less than the number of online processors",
    "[OPTION]...", "nproc (GNU coreutils) 9.1",
    [
        Opt::long("all", "print the number of installed processors"),
        Opt::long("ignore", "if possible, exclude N processing units").value("N"),
    ],
    []
);

fn nproc(process: &mut Process, parsed: Parsed) -> Result<Status> {
    if let Some(status) = no_operands(process, &parsed)? {
        return Ok(status);
    }
    let mut n = std::thread::available_parallelism().map_or(1, usize::from);
    if let Some(v) = parsed.last("ignore") {
        match std::str::from_utf8(v).ok().and_then(|v| v.parse::<usize>().ok()) {
            Some(less) => n = n.saturating_sub(less).max(1),
            None => {
                process.error(format_args!("invalid number: {}", cli::quote(v)))?;
                return Ok(Status::FAILURE);
            }
        }
    }
    process.stdout.text(format_args!("{n}\n"))?;
    Ok(Status::OK)
}

simple!(
    /// `tty`
    Tty, TTY, tty, "tty", "Print the file name of the terminal connected to standard input.", "[OPTION]...",
    "tty (GNU coreutils) 9.1",
    [Opt::new('s', "silent", "print nothing, only return an exit status"), Opt::long("quiet", "print nothing, only return an exit status")],
    []
);

fn tty(process: &mut Process, parsed: Parsed) -> Result<Status> {
    if let Some(extra) = parsed.operands.first() {
        process.error(format_args!("extra operand {}", cli::quote(extra)))?;
        return cli::try_help(process, 2);
    }
    if process.stdin.fd().terminal() {
        if !parsed.has("silent") && !parsed.has("quiet") {
            process.stdout.line(b"/dev/tty")?;
        }
        return Ok(Status::OK);
    }
    if !parsed.has("silent") && !parsed.has("quiet") {
        process.stdout.line(b"not a tty")?;
    }
    Ok(Status::FAILURE)
}
