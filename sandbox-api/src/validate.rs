//! The checks that need no script: names, paths, limits. A second pass, which really lists the mounts, is the
//! host's; it uses [`check_listing`].

use crate::{File, Finding, Mount, Report, Sandbox, Severity};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What the shell knows a name as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameKind {
    /// Nothing.
    Unknown,
    /// A reserved word such as `if`.
    Keyword,
    /// A builtin of the shell.
    Builtin,
    /// A program.
    Program,
    /// A program of other machines that is not here (`git`, `perl`, `sudo`): a sandbox may take its name.
    Placeholder,
}

/// Directories that belong to the system.
pub const RESERVED_MOUNTS: &[&str] = &["/dev", "/proc", "/tmp", "/bin", "/usr", "/etc", "/artifacts"];

/// From this many files on, an eager listing should be a lazy mount.
pub const LONG_LISTING: usize = 10_000;

/// The home that every session has when no mount is writable.
const DEFAULT_HOME: &str = "/home/user";

/// Checks a sandbox without running anything of it. `names` tells what the shell knows a name as.
pub fn validate(sandbox: &dyn Sandbox, names: &dyn Fn(&str) -> NameKind) -> Report {
    let mut check = Check { report: Report::new(sandbox.function_name()) };
    check.texts(sandbox);
    let mounts = sandbox.mounts();
    check.mounts(&mounts);
    check.home(sandbox.home(), &mounts);
    check.commands(sandbox, names);
    check.env(sandbox);
    check.grants(sandbox, names);
    check.report
}

struct Check {
    report: Report,
}

impl Check {
    fn error(&mut self, code: &str, subject: &str, reason: impl Into<String>, remedy: impl Into<String>) {
        self.report.findings.push(finding(Severity::Error, code, subject, reason, remedy));
    }

    fn warn(&mut self, code: &str, subject: &str, reason: impl Into<String>, remedy: impl Into<String>) {
        self.report.findings.push(finding(Severity::Warning, code, subject, reason, remedy));
    }

    fn texts(&mut self, sandbox: &dyn Sandbox) {
        let name = sandbox.function_name();
        let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        if name.is_empty() || name.len() > 64 || !name.bytes().all(good) {
            self.error(
                "function-name",
                name,
                "the APIs of models take 1 to 64 of a-z A-Z 0-9 _ - only",
                "choose a short name such as `fleet`",
            );
        }
        if sandbox.description().trim().is_empty() {
            self.error(
                "description-empty",
                name,
                "the model has nothing to decide by",
                "say in a sentence or two what data is here and what it is good for",
            );
        }
    }

    fn mounts(&mut self, mounts: &[Mount]) {
        let mut seen = HashSet::new();
        for mount in mounts {
            let path = mount.path();
            if !is_segment(path) {
                self.error(
                    "mount-path",
                    path,
                    "a mount is one absolute segment",
                    "use a path such as `/vehicles`",
                );
            } else if RESERVED_MOUNTS.contains(&path) {
                self.error(
                    "mount-reserved",
                    path,
                    "this directory belongs to the system",
                    format!("choose another name; reserved are {}", RESERVED_MOUNTS.join(" ")),
                );
            }
            if !seen.insert(path) {
                self.error(
                    "mount-duplicate",
                    path,
                    "two mounts have this path",
                    "rename or merge one of them",
                );
            }
            if mount.about().trim().is_empty() {
                self.warn(
                    "mount-about",
                    path,
                    "the model is not told what is here",
                    "give the mount a few words, such as `one .json per vehicle`",
                );
            }
        }
    }

    fn home(&mut self, home: Option<&str>, mounts: &[Mount]) {
        let Some(home) = home else { return };
        let plain = home.starts_with('/') && !home.split('/').any(|s| s == ".." || s == ".");
        let under = |mount: &&Mount| is_under(home, mount.path());
        match mounts.iter().find(under) {
            _ if plain && is_under(home, DEFAULT_HOME) => {}
            Some(mount) if plain => {
                if !mount.is_writable() {
                    self.warn(
                        "home-read-only",
                        home,
                        "models write their first files into the home directory, and this one is read-only",
                        "take a writable mount, or leave `home` out",
                    );
                }
            }
            _ => self.error(
                "home",
                home,
                "the home directory is under no mount",
                "take a path under one of the mounts, or leave `home` out",
            ),
        }
    }

    fn commands(&mut self, sandbox: &dyn Sandbox, names: &dyn Fn(&str) -> NameKind) {
        let mut seen = HashSet::new();
        for command in sandbox.commands() {
            let name = command.name();
            if !is_command_name(name) {
                self.error(
                    "command-name",
                    name,
                    "a script could not call it",
                    "use letters, digits, `_`, `-` and `.`, beginning with a letter, 64 at most",
                );
            }
            let shadows = match names(name) {
                NameKind::Unknown | NameKind::Placeholder => None,
                NameKind::Keyword => Some("a reserved word of the shell"),
                NameKind::Builtin => Some("a builtin of the shell"),
                NameKind::Program => Some("a program that is there already"),
            };
            if let Some(what) = shadows {
                self.error(
                    "command-shadows",
                    name,
                    format!("this is the name of {what}"),
                    "rename the command",
                );
            }
            if !seen.insert(name.to_owned()) {
                self.error("command-duplicate", name, "two commands have this name", "rename one of them");
            }
            if command.usage().trim().is_empty() {
                self.error(
                    "command-usage",
                    name,
                    "the model learns of a command by its usage only",
                    "write what arguments it takes, what it does and when to use it",
                );
            }
        }
    }

    fn env(&mut self, sandbox: &dyn Sandbox) {
        for (name, value) in sandbox.env() {
            let start = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
            if !start || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') || value.contains('\0')
            {
                self.error(
                    "env-name",
                    &name,
                    "no shell variable can have this name or value",
                    "use letters, digits and `_`, and no NUL in the value",
                );
            }
        }
    }

    fn grants(&mut self, sandbox: &dyn Sandbox, names: &dyn Fn(&str) -> NameKind) {
        if sandbox.python() && names("python3") != NameKind::Program {
            self.warn(
                "python-unavailable",
                "python",
                "the sandbox grants Python, and this host has none",
                "add Python to the host, or leave `python` out",
            );
        }
        if !sandbox.artifacts().is_empty() && names("publish") != NameKind::Program {
            self.warn(
                "artifacts-unavailable",
                "artifacts",
                "the sandbox names kinds of artifacts, and this host cannot publish any",
                "add publishing to the host, or leave `artifacts` out",
            );
        }
    }
}

/// Checks what the reader of a Live or Cached mount returned: the second pass of validation, and the guard of a
/// running mount.
///
/// ```
/// use sandshell_api::{File, check_listing};
///
/// let files = [File::text("a/../b", ""), File::text("x", ""), File::text("x/y", "")];
/// let codes: Vec<_> = check_listing("/m", &files).into_iter().map(|f| f.code).collect();
/// assert_eq!(codes, ["file-path", "file-and-directory"]);
/// ```
pub fn check_listing(mount: &str, files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen: HashMap<&str, ()> = HashMap::with_capacity(files.len());
    for file in files {
        let path = file.path();
        let subject = format!("{mount}/{path}");
        if let Some(reason) = path_fault(path) {
            findings.push(finding(
                Severity::Error,
                "file-path",
                &subject,
                reason,
                "give paths relative to the mount, such as `people/ada.json`",
            ));
        } else if seen.insert(path, ()).is_some() {
            findings.push(finding(
                Severity::Error,
                "file-duplicate",
                &subject,
                "the listing names this file twice",
                "make the names unique, e.g. by adding the key to the name",
            ));
        }
    }
    let mut both = BTreeMap::new();
    for &path in seen.keys() {
        for (i, _) in path.match_indices('/') {
            if seen.contains_key(&path[..i]) {
                both.insert(&path[..i], path);
            }
        }
    }
    for (path, below) in both {
        findings.push(finding(
            Severity::Error,
            "file-and-directory",
            &format!("{mount}/{path}"),
            format!("the listing names it as a file, and as the directory of `{below}`"),
            "give the file another name, e.g. with an extension",
        ));
    }
    if files.len() >= LONG_LISTING {
        findings.push(finding(
            Severity::Warning,
            "listing-long",
            mount,
            format!("the reader names {} files each time it runs", files.len()),
            "publish an index file, cap the listing and say so in a README.md, or use `Mount::lazy`",
        ));
    }
    findings
}

fn finding(
    severity: Severity,
    code: &str,
    subject: &str,
    reason: impl Into<String>,
    remedy: impl Into<String>,
) -> Finding {
    Finding {
        code: code.into(),
        severity,
        subject: subject.into(),
        reason: reason.into(),
        remedy: remedy.into(),
    }
}

/// Why a file's path cannot be used.
fn path_fault(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("the path is empty");
    }
    if path.starts_with('/') {
        return Some("the path is absolute");
    }
    if path.contains('\0') {
        return Some("the path contains NUL");
    }
    for segment in path.split('/') {
        match segment {
            "" => return Some("the path has an empty segment"),
            "." | ".." => return Some("the path contains `.` or `..`"),
            s if s.len() > 255 => return Some("a segment of the path is longer than 255 bytes"),
            _ => {}
        }
    }
    None
}

fn is_segment(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|rest| path_fault(rest).is_none() && !rest.contains('/'))
}

fn is_under(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_command_name(name: &str) -> bool {
    name.len() <= 64
        && name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
}
