//! `cmp`: compares two files byte by byte, as GNU diffutils 3.8.

use sandshell_kernel::{Bytes, Error, FileKind, Input, Process, Program, Result, Status};
use sandshell_text::options::{self as opts, Example, Opt, Order, Spec};

/// `cmp`
pub struct Cmp;

static SPEC: Spec = Spec {
    name: "cmp",
    about: "Compare two files byte by byte.\n\nThe optional SKIP1 and SKIP2 specify the number of bytes to skip\nat the beginning of each file (zero by default).",
    synopsis: &["[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]"],
    options: &[
        Opt::new('b', "print-bytes", "print differing bytes"),
        Opt::new(
            'i',
            "ignore-initial",
            "skip first SKIP bytes of both inputs, or SKIP1 of FILE1 and SKIP2 of FILE2",
        )
        .value("SKIP"),
        Opt::new('l', "verbose", "output byte numbers and differing byte values"),
        Opt::new('n', "bytes", "compare at most LIMIT bytes").value("LIMIT"),
        Opt::new('s', "quiet", "suppress all normal output"),
        Opt::long("silent", ""),
        Opt::short('v', ""),
    ],
    notes: "\
SKIP values may be followed by the following multiplicative suffixes:
kB 1000, K 1024, MB 1,000,000, M 1,048,576,
GB 1,000,000,000, G 1,073,741,824, and so on for T, P, E, Z, Y.

If a FILE is '-' or missing, read standard input.
Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.
",
    version: "cmp (GNU diffutils) 3.8",
    examples: &[Example {
        script: "printf 'abc' > a; printf 'abd' > b; cmp a b || true",
        output: "a b differ: byte 3, line 1\n",
    }],
};

#[derive(Default)]
struct Config {
    print_bytes: bool,
    verbose: bool,
    silent: bool,
    skip: [u64; 2],
    limit: Option<u64>,
}

/// A number with a multiplicative suffix.
fn size(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let n: u64 = text[..end].parse().ok()?;
    let (power, base) = match &text[end..] {
        "" => (0, 1024u64),
        s => {
            let base = match &s[1..] {
                "B" => 1000,
                "" | "iB" => 1024,
                _ => return None,
            };
            ("KMGTPE".find(s.chars().next()?.to_ascii_uppercase()).map(|i| i as u32 + 1)?, base)
        }
    };
    Some(n.saturating_mul(base.checked_pow(power)?))
}

/// A byte as `cat -t` shows it.
fn visible(b: u8) -> String {
    let mut s = String::new();
    let low = b & 0x7f;
    if b >= 128 {
        s.push_str("M-");
    }
    match low {
        0..32 => {
            s.push('^');
            s.push(char::from(low + 64));
        }
        127 => s.push_str("^?"),
        c => s.push(char::from(c)),
    }
    s
}

fn hint(process: &mut Process, text: &str) -> Result<Status> {
    process.error(format_args!("{text}"))?;
    process.error(format_args!("Try 'cmp --help' for more information."))?;
    Ok(Status::USAGE)
}

impl Program for Cmp {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let args = process.args.get(1..).unwrap_or_default().to_vec();
        let parsed = match opts::parse(&SPEC, &args, Order::Permute) {
            Ok(parsed) => parsed,
            Err(e) => return hint(process, &e.0),
        };
        let mut c = Config::default();
        for found in &parsed.options {
            let value = String::from_utf8_lossy(found.value.as_deref().unwrap_or_default()).into_owned();
            match found.id {
                "help" => {
                    process.stdout.put(SPEC.help().as_bytes())?;
                    return Ok(Status::OK);
                }
                "version" | "v" => {
                    process.stdout.line(SPEC.version.as_bytes())?;
                    return Ok(Status::OK);
                }
                "print-bytes" => c.print_bytes = true,
                "verbose" => c.verbose = true,
                "quiet" | "silent" => c.silent = true,
                "ignore-initial" => {
                    let (a, b) = value.split_once(':').unwrap_or((&value, &value));
                    match (size(a), size(b)) {
                        (Some(a), Some(b)) => c.skip = [c.skip[0].max(a), c.skip[1].max(b)],
                        _ => return hint(process, &format!("invalid --ignore-initial value '{value}'")),
                    }
                }
                "bytes" => match size(&value) {
                    Some(n) => c.limit = Some(c.limit.map_or(n, |l| l.min(n))),
                    None => return hint(process, &format!("invalid --bytes value '{value}'")),
                },
                _ => {}
            }
        }
        if c.verbose && c.silent {
            return hint(process, "options -l and -s are incompatible");
        }
        let mut names = parsed.operands;
        match names.len() {
            0 => {
                let last =
                    process.args.last().map_or("cmp".into(), |a| String::from_utf8_lossy(a).into_owned());
                return hint(process, &format!("missing operand after '{last}'"));
            }
            1 => names.push(Bytes::from_static(b"-")),
            _ => {}
        }
        for (i, text) in names.iter().skip(2).enumerate() {
            let text = String::from_utf8_lossy(text);
            match (i, size(&text)) {
                (2.., _) => return hint(process, &format!("extra operand '{text}'")),
                (_, Some(n)) => c.skip[i] = c.skip[i].max(n),
                _ => return hint(process, &format!("invalid --ignore-initial value '{text}'")),
            }
        }
        compare(process, &c, &names[..2])
    }
}

/// The rest of an input behind what is skipped, in chunks.
struct Side {
    input: Input,
    chunk: Bytes,
    ended: bool,
}

impl Side {
    fn fill(&mut self) -> Result<()> {
        if self.chunk.is_empty() && !self.ended {
            match self.input.next_chunk()? {
                Some(c) => self.chunk = c,
                None => self.ended = true,
            }
        }
        Ok(())
    }
}

fn compare(process: &mut Process, c: &Config, names: &[Bytes]) -> Result<Status> {
    let mut sides = Vec::new();
    let mut longest = i64::MAX as u64;
    for (name, skip) in names.iter().zip(c.skip) {
        let mut input = match process.open_input(name) {
            Ok(input) => input,
            Err(Error::Os(e)) => {
                if !c.silent {
                    process.error(format_args!("{}: {e}", String::from_utf8_lossy(name)))?;
                }
                return Ok(Status::USAGE);
            }
            Err(stop) => return Err(stop),
        };
        if let Ok(s) = input.fd().stat(&process.budget)
            && s.kind == FileKind::File
        {
            longest = longest.min(s.size.saturating_sub(skip));
        }
        let mut left = skip;
        while left > 0 {
            let n = input.fill()?.len();
            if n == 0 {
                break;
            }
            let used = left.min(n as u64) as usize;
            input.consume(used);
            left -= used as u64;
        }
        sides.push(Side { input, chunk: Bytes::new(), ended: false });
    }
    let longest = longest.min(c.limit.unwrap_or(u64::MAX));
    let width = longest.to_string().len();
    let [a, b] = &mut sides[..] else { return Ok(Status::USAGE) };
    let shown: Vec<String> = names.iter().map(|n| String::from_utf8_lossy(n).into_owned()).collect();
    let (mut at, mut lines, mut differs) = (0u64, 0u64, false);
    let mut last = b'\n';
    loop {
        process.budget.step()?;
        if c.limit.is_some_and(|l| at >= l) {
            break;
        }
        a.fill()?;
        b.fill()?;
        let n = a.chunk.len().min(b.chunk.len());
        let n = c.limit.map_or(n, |l| n.min(usize::try_from(l - at).unwrap_or(n)));
        if n == 0 {
            match (a.chunk.is_empty(), b.chunk.is_empty()) {
                (true, true) => break,
                (short_a, _) => {
                    differs = true;
                    if !c.silent {
                        process.stdout.flush()?;
                        let name = if short_a { &shown[0] } else { &shown[1] };
                        let place = match (at, c.verbose, last) {
                            (0, ..) => "which is empty".to_owned(),
                            (_, true, _) => format!("after byte {at}"),
                            (_, _, b'\n') => format!("after byte {at}, line {lines}"),
                            _ => format!("after byte {at}, in line {}", lines + 1),
                        };
                        process.error(format_args!("EOF on {name} {place}"))?;
                    }
                    break;
                }
            }
        }
        let (x, y) = (a.chunk.split_to(n), b.chunk.split_to(n));
        if x != y {
            differs = true;
            if c.silent {
                break;
            }
            for (i, (&p, &q)) in x.iter().zip(&y[..]).enumerate() {
                if p == q {
                    continue;
                }
                let byte = at + i as u64 + 1;
                if !c.verbose {
                    lines += memchr::memchr_iter(b'\n', &x[..i]).count() as u64;
                    let out = &mut process.stdout;
                    out.text(format_args!(
                        "{} {} differ: byte {byte}, line {}",
                        shown[0],
                        shown[1],
                        lines + 1
                    ))?;
                    if c.print_bytes {
                        out.text(format_args!(" is {p:3o} {} {q:3o} {}", visible(p), visible(q)))?;
                    }
                    out.byte(b'\n')?;
                    break;
                }
                match c.print_bytes {
                    true => process.stdout.text(format_args!(
                        "{byte:width$} {p:3o} {:<4} {q:3o} {}\n",
                        visible(p),
                        visible(q)
                    ))?,
                    false => process.stdout.text(format_args!("{byte:width$} {p:3o} {q:3o}\n"))?,
                }
            }
            if !c.verbose {
                break;
            }
        }
        lines += memchr::memchr_iter(b'\n', &x).count() as u64;
        last = x.last().copied().unwrap_or(last);
        at += n as u64;
    }
    Ok(Status(u8::from(differs)))
}
