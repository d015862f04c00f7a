//! `shuf`: a random permutation of lines, operands or a range.

use super::{count, inputs};
use crate::cli;
use sandshell_kernel::{Bytes, Output, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `shuf`
pub struct Shuf;

static SPEC: Spec = Spec {
    name: "shuf",
    about: "Write a random permutation of the input lines to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]", "-e [OPTION]... [ARG]...", "-i LO-HI [OPTION]..."],
    options: &[
        Opt::new('e', "echo", "treat each ARG as an input line"),
        Opt::new('i', "input-range", "treat each number LO through HI as an input line").value("LO-HI"),
        Opt::new('n', "head-count", "output at most COUNT lines").value("COUNT"),
        Opt::new('o', "output", "write result to FILE instead of standard output").value("FILE"),
        Opt::long("random-source", "get random bytes from FILE").value("FILE"),
        Opt::new('r', "repeat", "output lines can be repeated"),
        Opt::new('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "",
    version: "shuf (GNU coreutils) 9.1",
    examples: &[Example { script: "shuf -e a b c | sort | tr -d '\\n'", output: "abc" }],
};

enum Lines {
    Text(Vec<Bytes>),
    Range(u64, u64),
}

impl Lines {
    fn len(&self) -> u64 {
        match self {
            Lines::Text(v) => v.len() as u64,
            Lines::Range(lo, hi) => hi.checked_sub(*lo).map_or(0, |n| n.saturating_add(1)),
        }
    }

    fn put(&self, i: u64, end: u8, out: &mut Output) -> Result<()> {
        match self {
            Lines::Text(v) => out.put(&v[i as usize])?,
            Lines::Range(lo, _) => out.put(itoa::Buffer::new().format(lo + i).as_bytes())?,
        }
        out.byte(end)
    }
}

impl Program for Shuf {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let (echo, repeat) = (parsed.has("echo"), parsed.has("repeat"));
        let end = if parsed.has("zero-terminated") { 0 } else { b'\n' };
        let mut most = u64::MAX;
        let mut range = None;
        let mut rng = fastrand::Rng::new();
        for f in &parsed.options {
            let v = f.value.clone().unwrap_or_default();
            match f.id {
                "head-count" => match count::parse(&v).filter(|_| v.iter().all(u8::is_ascii_digit)) {
                    Some(n) => most = most.min(n),
                    None => {
                        process.error(format_args!("invalid line count: {}", cli::quote(&v)))?;
                        return Ok(Status::FAILURE);
                    }
                },
                "input-range" => {
                    if range.is_some() {
                        process.error(format_args!("multiple -i options specified"))?;
                        return Ok(Status::FAILURE);
                    }
                    let text = String::from_utf8_lossy(&v).into_owned();
                    let parts =
                        text.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                    let Some((lo, hi)) = parts.filter(|(lo, hi): &(u64, u64)| *lo <= hi.saturating_add(1))
                    else {
                        process.error(format_args!("invalid input range: {}", cli::quote(&v)))?;
                        return Ok(Status::FAILURE);
                    };
                    range = Some((lo, hi));
                }
                "random-source" => match process.files.read(&v) {
                    Ok(b) => {
                        let seed = b
                            .iter()
                            .take(4096)
                            .fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(*b)));
                        rng = fastrand::Rng::with_seed(seed);
                    }
                    Err(e) => {
                        process.complain(format_args!("{}", cli::shell_quote(&v, false)), e)?;
                        return Ok(Status::FAILURE);
                    }
                },
                _ => {}
            }
        }
        if echo && range.is_some() {
            process.error(format_args!("cannot combine -e and -i options"))?;
            return cli::try_help(process, 1);
        }
        let mut memory = process.budget.reservation();
        let lines = if echo {
            Lines::Text(parsed.operands.clone())
        } else {
            let extra = parsed.operands.get(usize::from(range.is_none()));
            if let Some(extra) = extra {
                process.error(format_args!("extra operand {}", cli::quote(extra)))?;
                return cli::try_help(process, 1);
            }
            if let Some((lo, hi)) = range {
                Lines::Range(lo, hi)
            } else {
                let name = parsed.operands.first().cloned().unwrap_or(Bytes::from_static(b"-"));
                let Some(mut input) = inputs::open(process, &name)? else { return Ok(Status::FAILURE) };
                let all = input.read_all()?;
                let n = memchr::memchr_iter(end, &all).count();
                memory.set((all.len() + n * 32) as u64)?;
                let mut lines = Vec::with_capacity(n);
                let mut at = 0;
                while at < all.len() {
                    let stop = memchr::memchr(end, &all[at..]).map_or(all.len(), |i| at + i);
                    lines.push(all.slice(at..stop));
                    at = stop + 1;
                }
                Lines::Text(lines)
            }
        };
        let mut file = match parsed.last("output") {
            None => None,
            Some(name) => match process.files.create(name) {
                Ok(o) => Some(o),
                Err(e) => {
                    process.complain(format_args!("{}", cli::shell_quote(name, false)), e)?;
                    return Ok(Status::FAILURE);
                }
            },
        };
        let n = lines.len();
        if repeat {
            if n == 0 && most > 0 {
                process.error(format_args!("no lines to repeat"))?;
                return Ok(Status::FAILURE);
            }
            for _ in 0..most {
                process.budget.step()?;
                let out = file.as_mut().unwrap_or(&mut process.stdout);
                lines.put(rng.u64(0..n), end, out)?;
            }
        } else {
            // A sparse Fisher-Yates: only places that were swapped are remembered when few lines are wanted.
            let wanted = most.min(n);
            let mut moved: hashbrown::HashMap<u64, u64, foldhash::fast::RandomState> =
                hashbrown::HashMap::default();
            for i in 0..wanted {
                process.budget.step()?;
                let j = rng.u64(i..n);
                let at_j = moved.get(&j).copied().unwrap_or(j);
                let at_i = moved.remove(&i).unwrap_or(i);
                if j != i {
                    moved.insert(j, at_i);
                }
                if i % 4096 == 0 {
                    memory.set(memory.bytes().max(moved.len() as u64 * 32))?;
                }
                let out = file.as_mut().unwrap_or(&mut process.stdout);
                lines.put(at_j, end, out)?;
            }
        }
        if let Some(mut out) = file {
            out.flush()?;
        }
        Ok(Status::OK)
    }
}
