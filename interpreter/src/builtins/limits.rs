//! `umask`, `ulimit`, `times`.

use super::options::Options;
use crate::session::shell::{Flow, Shell};
use bytes::Bytes;
use std::sync::Arc;

const UMASK_USAGE: &str = "umask [-p] [-S] [mode]";

pub fn umask(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "Sp", UMASK_USAGE);
    let (mut symbolic, mut reusable) = (false, false);
    loop {
        match options.next(sh) {
            Ok(Some((b'S', _))) => symbolic = true,
            Ok(Some(_)) => reusable = true,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let Some(mode) = options.operands().first() else {
        let mut text = String::new();
        if reusable {
            text += if symbolic { "umask -S " } else { "umask " };
        }
        text += &if symbolic { symbols(sh.files.umask) } else { format!("{:04o}", sh.files.umask) };
        text.push('\n');
        return sh.write_out(text.as_bytes());
    };
    let mask = if mode.first().is_some_and(u8::is_ascii_digit) {
        let mut mask = 0u32;
        for &b in mode.iter() {
            let digit = if (b'0'..=b'7').contains(&b) { u32::from(b - b'0') } else { 0o10000 };
            mask = (mask << 3 | digit).min(0o10000);
        }
        if mask > 0o7777 {
            sh.complain(&[mode, b": octal number out of range"]);
            return Ok(1);
        }
        mask & 0o777
    } else {
        match symbolic_mask(mode, sh.files.umask) {
            Ok(mask) => mask,
            Err((byte, what)) => {
                let shown = [if byte == 0 { b' ' } else { byte }];
                sh.complain(&[b"`", &shown, b"': invalid symbolic mode ", what.as_bytes()]);
                return Ok(1);
            }
        }
    };
    sh.files.umask = mask;
    if symbolic {
        let text = symbols(mask) + "\n";
        return sh.write_out(text.as_bytes());
    }
    Ok(0)
}

/// `u=rwx,g=rx,o=rx`: what the mask lets through.
fn symbols(mask: u32) -> String {
    let mut parts = Vec::new();
    for (who, shift) in [('u', 6), ('g', 3), ('o', 0)] {
        let bits = !mask >> shift & 7;
        let mut part = format!("{who}=");
        for (bit, letter) in [(4, 'r'), (2, 'w'), (1, 'x')] {
            if bits & bit != 0 {
                part.push(letter);
            }
        }
        parts.push(part);
    }
    parts.join(",")
}

/// Applies clauses such as `u=rwx,g-w` to what the mask lets through.
fn symbolic_mask(mode: &[u8], mask: u32) -> Result<u32, (u8, &'static str)> {
    let initial = !mask & 0o777;
    let mut bits = initial;
    let mut i = 0;
    let at = |i: usize| mode.get(i).copied().unwrap_or(0);
    loop {
        let mut who = 0;
        while let b'u' | b'g' | b'o' | b'a' = at(i) {
            who |= match at(i) {
                b'u' => 0o700,
                b'g' => 0o070,
                b'o' => 0o007,
                _ => 0o777,
            };
            i += 1;
        }
        let op = at(i);
        i += 1;
        if !matches!(op, b'+' | b'-' | b'=') {
            return Err((op, "operator"));
        }
        let mut what = 0;
        loop {
            what |= match at(i) {
                b'r' => 0o444,
                b'w' => 0o222,
                b'x' => 0o111,
                b',' | 0 => break,
                c => return Err((c, "character")),
            };
            i += 1;
        }
        let who = if who == 0 { 0o777 } else { who };
        match op {
            b'+' => bits |= what & who,
            b'-' => bits &= !(what & who),
            _ => bits = bits & !who | what & who,
        }
        if at(i) == 0 {
            return Ok(!bits & 0o777);
        }
        i += 1;
    }
}

const ULIMIT_USAGE: &str = "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]";

/// A resource: letter, name, unit as shown, the value that a sandbox begins with.
struct Resource(u8, &'static str, Option<&'static str>, Option<u64>);

static RESOURCES: &[Resource] = &[
    Resource(b'R', "real-time non-blocking time", Some("microseconds"), None),
    Resource(b'c', "core file size", Some("blocks"), Some(0)),
    Resource(b'd', "data seg size", Some("kbytes"), None),
    Resource(b'e', "scheduling priority", None, Some(0)),
    Resource(b'f', "file size", Some("blocks"), None),
    Resource(b'i', "pending signals", None, Some(65536)),
    Resource(b'l', "max locked memory", Some("kbytes"), Some(8192)),
    Resource(b'm', "max memory size", Some("kbytes"), None),
    Resource(b'n', "open files", None, Some(1024)),
    Resource(b'p', "pipe size", Some("512 bytes"), Some(8)),
    Resource(b'q', "POSIX message queues", Some("bytes"), Some(819_200)),
    Resource(b'r', "real-time priority", None, Some(0)),
    Resource(b's', "stack size", Some("kbytes"), Some(8192)),
    Resource(b't', "cpu time", Some("seconds"), None),
    Resource(b'u', "max user processes", None, Some(65536)),
    Resource(b'v', "virtual memory", Some("kbytes"), None),
    Resource(b'x', "file locks", None, None),
];

/// The soft and hard limit of each resource, `None` = unlimited. They are told and can be lowered, as a script expects;
/// what really bounds a script is its budget, which no script can change.
#[derive(Clone, Copy, Debug)]
pub struct Limits([(Option<u64>, Option<u64>); 17]);

impl Default for Limits {
    fn default() -> Limits {
        let mut all = [(None, None); 17];
        for (place, r) in all.iter_mut().zip(RESOURCES) {
            *place = match r.0 {
                b's' => (r.3, None),
                b'n' => (r.3, Some(1 << 20)),
                _ => (r.3, r.3),
            };
        }
        Limits(all)
    }
}

fn shown(limit: Option<u64>) -> String {
    limit.map_or("unlimited".into(), |n| n.to_string())
}

/// `open files                          (-n) 1024`
fn labelled(r: &Resource, limit: Option<u64>) -> String {
    let letter = char::from(r.0);
    let note = match r.2 {
        Some(unit) => format!("({unit}, -{letter})"),
        None => format!("(-{letter})"),
    };
    format!("{:<20}{note:>20} {}\n", r.1, shown(limit))
}

pub fn ulimit(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let (mut soft, mut hard, mut all) = (false, false, false);
    let mut wanted: Vec<(usize, Option<Bytes>)> = Vec::new();
    let mut at = 1;
    while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
        if letters.is_empty() {
            break;
        }
        at += 1;
        if letters == b"-" {
            break;
        }
        for (i, &l) in letters.iter().enumerate() {
            match l {
                b'S' => soft = true,
                b'H' => hard = true,
                b'a' => all = true,
                l => {
                    let Some(r) = RESOURCES.iter().position(|r| r.0 == l) else {
                        return sh.invalid_option(&[b'-', l], ULIMIT_USAGE);
                    };
                    // An option's limit may be the next argument.
                    let value = match args.get(at) {
                        Some(v) if i + 1 == letters.len() && !v.starts_with(b"-") => {
                            at += 1;
                            Some(v.clone())
                        }
                        _ => None,
                    };
                    wanted.push((r, value));
                }
            }
        }
    }
    let both = !soft && !hard;
    if all {
        let mut out = String::new();
        for (r, l) in RESOURCES.iter().zip(sh.extras.limits.0) {
            out += &labelled(r, if hard && !soft { l.1 } else { l.0 });
        }
        return sh.write_out(out.as_bytes());
    }
    if wanted.is_empty() {
        let file_size = RESOURCES.iter().position(|r| r.0 == b'f').unwrap_or(0);
        wanted.push((file_size, args.get(at).cloned()));
    }
    let many = wanted.len() > 1;
    for (i, value) in wanted {
        let (now_soft, now_hard) = sh.extras.limits.0[i];
        let Some(value) = value else {
            let limit = if hard && !soft { now_hard } else { now_soft };
            let text = if many { labelled(&RESOURCES[i], limit) } else { shown(limit) + "\n" };
            let written = sh.write_out(text.as_bytes())?;
            if written != 0 {
                return Ok(written);
            }
            continue;
        };
        let new = match &value[..] {
            b"hard" => now_hard,
            b"soft" => now_soft,
            b"unlimited" => None,
            digits if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                match std::str::from_utf8(digits).ok().and_then(|d| d.parse::<u64>().ok()) {
                    Some(n) => Some(n),
                    None => {
                        sh.complain(&[&value, b": limit out of range"]);
                        return Ok(1);
                    }
                }
            }
            _ => {
                sh.complain(&[&value, b": invalid number"]);
                return Ok(1);
            }
        };
        let more = |a: Option<u64>, b: Option<u64>| a.unwrap_or(u64::MAX) > b.unwrap_or(u64::MAX);
        let name = RESOURCES[i].1.as_bytes();
        if (hard || both) && more(new, now_hard) || soft && !hard && more(new, now_hard) {
            let why: &[u8] = if hard || both { b"Operation not permitted" } else { b"Invalid argument" };
            sh.complain(&[name, b": cannot modify limit: ", why]);
            return Ok(1);
        }
        let place = &mut Arc::make_mut(&mut sh.extras).limits.0[i];
        if soft || both {
            place.0 = new;
        }
        if hard || both {
            place.1 = new;
        }
    }
    Ok(0)
}

/// Processor time is not kept by process here: everything runs within the host's own.
pub fn times(sh: &mut Shell, _: &[Bytes]) -> Flow {
    sh.write_out(b"0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n")
}
