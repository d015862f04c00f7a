//! `chown` and `chgrp`: there is one user, so what would change an owner fails as it does for anybody but root.

use super::{join, misuse};
use crate::users::Users;
use sandshell_kernel::{Bytes, FileKind, Process, Result, Status};
use sandshell_text::{
    options::{Opt, Parsed, Spec},
    quote,
};

const OPTIONS: &[Opt] = &[
    Opt::new('c', "changes", "like verbose but report only when a change is made"),
    Opt::new('f', "silent", "suppress most error messages"),
    Opt::long("quiet", ""),
    Opt::new('v', "verbose", "output a diagnostic for every file processed"),
    Opt::long("dereference", "affect the referent of each symbolic link (this is the default), rather than the symbolic link itself"),
    Opt::new('h', "no-dereference", "affect symbolic links instead of any referenced file"),
    Opt::long("from", "change the owner and/or group of each file only if its current owner and/or group match those specified here").value("CURRENT_OWNER:CURRENT_GROUP"),
    Opt::long("no-preserve-root", "do not treat '/' specially (the default)"),
    Opt::long("preserve-root", "fail to operate recursively on '/'"),
    Opt::long("reference", "use RFILE's owner and group rather than specifying OWNER:GROUP values").value("RFILE"),
    Opt::new('R', "recursive", "operate on files and directories recursively"),
    Opt::short('H', "if a command line argument is a symbolic link to a directory, traverse it"),
    Opt::short('L', "traverse every symbolic link to a directory encountered"),
    Opt::short('P', "do not traverse any symbolic links (default)"),
];

program!(
    /// `chown`
    Chown,
    chown,
    Spec {
        name: "chown",
        about: "Change the owner and/or group of each FILE to OWNER and/or GROUP.",
        synopsis: &["[OPTION]... [OWNER][:[GROUP]] FILE...", "[OPTION]... --reference=RFILE FILE..."],
        options: OPTIONS,
        notes: "",
        version: "chown (GNU coreutils) 9.1",
        examples: &[],
    }
);

program!(
    /// `chgrp`
    Chgrp,
    chgrp,
    Spec {
        name: "chgrp",
        about: "Change the group of each FILE to GROUP.",
        synopsis: &["[OPTION]... GROUP FILE...", "[OPTION]... --reference=RFILE FILE..."],
        options: OPTIONS,
        notes: "",
        version: "chgrp (GNU coreutils) 9.1",
        examples: &[],
    }
);

#[derive(Clone, Copy, Default)]
struct Ids {
    uid: Option<u32>,
    gid: Option<u32>,
}

struct Job {
    to: Ids,
    from: Ids,
    group_only: bool,
    silent: bool,
    verbose: bool,
    recursive: bool,
    follow: bool,
    users: Users,
}

fn chown(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, false)
}

fn chgrp(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, true)
}

fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// `OWNER[:GROUP]`; the message when there is no such one.
fn ids(users: &Users, text: &[u8]) -> Result<Ids, String> {
    let invalid = |what: &str| format!("invalid {what}: {}", quote::value(text));
    let colon = text.iter().position(|&b| b == b':');
    let (owner, group) = colon.map_or((text, None), |i| (&text[..i], Some(&text[i + 1..])));
    let mut ids = Ids::default();
    if !owner.is_empty() {
        let named = users.user_named(owner);
        ids.uid = named.map(|u| u.uid).or(number(owner));
        if ids.uid.is_none() {
            return Err(invalid("user"));
        }
        if group == Some(b"") {
            ids.gid = Some(named.map(|u| u.gid).ok_or(invalid("spec"))?);
        }
    }
    if let Some(g) = group.filter(|g| !g.is_empty()) {
        ids.gid = Some(users.gid_named(g).or(number(g)).ok_or(invalid("group"))?);
    }
    Ok(ids)
}

fn run(p: &mut Process, spec: &'static Spec, group_only: bool) -> Result<Status> {
    let parsed: Parsed = parse!(p, spec);
    let users = Users::load(&p.files);
    let mut files = &parsed.operands[..];
    let to = match parsed.last("reference") {
        Some(r) => match p.files.stat_cheap(r, true) {
            Ok((s, _)) => Ids { uid: Some(s.uid).filter(|_| !group_only), gid: Some(s.gid) },
            Err(e) => {
                p.complain(format_args!("failed to get attributes of {}", quote::name_always(r)), e)?;
                return Ok(Status::FAILURE);
            }
        },
        None => {
            let (who, rest) = match files {
                [] => return super::missing_operand(p),
                [one] => return misuse(p, format_args!("missing operand after {}", quote::value(one))),
                [who, rest @ ..] => (who, rest),
            };
            files = rest;
            let found = match group_only {
                true if who.is_empty() => Ok(Ids::default()),
                true => match users.gid_named(who).or(number(who)) {
                    Some(gid) => Ok(Ids { uid: None, gid: Some(gid) }),
                    None => Err(format!("invalid group: {}", quote::value(who))),
                },
                false => ids(&users, who),
            };
            match found {
                Ok(ids) => ids,
                Err(text) => {
                    p.error(format_args!("{text}"))?;
                    return Ok(Status::FAILURE);
                }
            }
        }
    };
    if files.is_empty() {
        return super::missing_operand(p);
    }
    let from = match parsed.last("from").map(|t| ids(&users, t)) {
        None => Ids::default(),
        Some(Ok(ids)) => ids,
        Some(Err(text)) => {
            p.error(format_args!("{text}"))?;
            return Ok(Status::FAILURE);
        }
    };
    let job = Job {
        to,
        from,
        group_only,
        silent: parsed.has("silent") || parsed.has("quiet"),
        verbose: parsed.has("verbose"),
        recursive: parsed.has("recursive"),
        follow: super::last_of(&parsed, &["dereference", "no-dereference"]) != Some("no-dereference"),
        users,
    };
    let mut ok = true;
    for file in files {
        let mut todo: Vec<Bytes> = vec![file.clone()];
        while let Some(path) = todo.pop() {
            p.budget.step()?;
            ok &= one(p, &job, &path)?;
            if job.recursive
                && p.files.stat_cheap(&path, false).is_ok_and(|(s, _)| s.kind == FileKind::Directory)
            {
                match p.files.read_dir(&path) {
                    Ok(list) => todo.extend(list.iter().rev().map(|e| join(&path, &e.name))),
                    Err(e) => {
                        ok = false;
                        p.complain(format_args!("cannot read directory {}", quote::name_always(&path)), e)?;
                    }
                }
            }
        }
    }
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

fn one(p: &mut Process, job: &Job, path: &[u8]) -> Result<bool> {
    let shown = quote::name_always(path);
    let stat = match p.files.stat_cheap(path, job.follow) {
        Ok((s, _)) => s,
        Err(e) => {
            if !job.silent {
                p.complain(format_args!("cannot access {shown}"), e)?;
            }
            return Ok(false);
        }
    };
    let name = |ids: Ids| {
        let user =
            |u: u32| job.users.user(u).map_or(u.to_string(), |n| String::from_utf8_lossy(n).into_owned());
        let group =
            |g: u32| job.users.group(g).map_or(g.to_string(), |n| String::from_utf8_lossy(n).into_owned());
        match (job.group_only, ids.uid, ids.gid) {
            (false, Some(u), Some(g)) => format!("{}:{}", user(u), group(g)),
            (false, Some(u), None) => user(u),
            (_, _, Some(g)) => group(g),
            _ => String::new(),
        }
    };
    let what = if job.group_only { "group" } else { "ownership" };
    let has = Ids { uid: job.to.uid.map(|_| stat.uid), gid: job.to.gid.map(|_| stat.gid) };
    let skipped = job.from.uid.is_some_and(|u| u != stat.uid) || job.from.gid.is_some_and(|g| g != stat.gid);
    if !skipped && let Err(e) = p.files.chown(path, job.to.uid, job.to.gid, job.follow) {
        if !job.silent {
            p.complain(format_args!("changing {what} of {shown}"), e)?;
        }
        if job.verbose {
            let line = format!("failed to change {what} of {shown} from {} to {}\n", name(has), name(job.to));
            p.stdout.put(line.as_bytes())?;
        }
        return Ok(false);
    }
    // What succeeded changed nothing: there is nobody else to give a file to.
    if job.verbose {
        let line = match name(has) {
            n if n.is_empty() => format!("{what} of {shown} retained\n"),
            n => format!("{what} of {shown} retained as {n}\n"),
        };
        p.stdout.put(line.as_bytes())?;
    }
    Ok(true)
}
