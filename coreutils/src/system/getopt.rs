//! `getopt` of util-linux: parses options for scripts.

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `getopt`
pub struct Getopt;

static SPEC: Spec = Spec {
    name: "getopt",
    about: "Parse command options.",
    synopsis: &[
        "<optstring> <parameters>",
        "[options] [--] <optstring> <parameters>",
        "[options] -o|--options <optstring> [options] [--] <parameters>",
    ],
    options: &[
        Opt::new('a', "alternative", "allow long options starting with single -"),
        Opt::new('l', "longoptions", "the long options to be recognized").value("longopts"),
        Opt::new('n', "name", "the name under which errors are reported").value("progname"),
        Opt::new('o', "options", "the short options to be recognized").value("optstring"),
        Opt::new('q', "quiet", "disable error reporting by getopt(3)"),
        Opt::new('Q', "quiet-output", "no normal output"),
        Opt::new('s', "shell", "set quoting conventions to those of <shell>").value("shell"),
        Opt::new('T', "test", "test for getopt(1) version"),
        Opt::new('u', "unquoted", "do not quote the output"),
        Opt::short('h', ""),
        Opt::short('V', ""),
    ],
    notes: "",
    version: "getopt from util-linux 2.38.1",
    examples: &[Example { script: "getopt -o ab: -- -a -b 'x y' file", output: " -a -b 'x y' -- 'file'\n" }],
};

/// Whether an option takes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    No,
    Must,
    May,
}

/// How operands among the options are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mix {
    /// Moved behind the options.
    Permute,
    /// The first one ends the options (`+`).
    Stop,
    /// Left where they are (`-`).
    InPlace,
}

struct Parser<'p> {
    process: &'p mut Process,
    name: String,
    short: Vec<(u8, Takes)>,
    long: Vec<(Vec<u8>, Takes)>,
    mix: Mix,
    single_dash: bool,
    quiet: bool,
    quoted: bool,
    csh: bool,
    out: Vec<u8>,
    failed: bool,
}

fn shorts(text: &[u8]) -> (Mix, Vec<(u8, Takes)>) {
    let (mix, text) = match text {
        [b'+', rest @ ..] => (Mix::Stop, rest),
        [b'-', rest @ ..] => (Mix::InPlace, rest),
        all => (Mix::Permute, all),
    };
    let mut list = Vec::new();
    let mut i = 0;
    while i < text.len() {
        let colons = text[i + 1..].iter().take(2).take_while(|b| **b == b':').count();
        if text[i] != b':' {
            list.push((text[i], [Takes::No, Takes::Must, Takes::May][colons]));
        }
        i += 1 + colons;
    }
    (mix, list)
}

fn longs(text: &[u8], list: &mut Vec<(Vec<u8>, Takes)>) {
    for word in text.split(|b| matches!(b, b',' | b' ' | b'\t' | b'\n')).filter(|w| !w.is_empty()) {
        let (name, takes) = match word {
            [name @ .., b':', b':'] => (name, Takes::May),
            [name @ .., b':'] => (name, Takes::Must),
            name => (name, Takes::No),
        };
        list.push((name.to_vec(), takes));
    }
}

impl Program for Getopt {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let name = process.name();
        let compatible = process.env.get("GETOPT_COMPATIBLE").is_some();
        let mut args = process.args.get(1..).unwrap_or_default().to_vec();
        if args.is_empty() {
            if compatible {
                process.stdout.put(b" --\n")?;
                return Ok(Status::OK);
            }
            process.error(format_args!("missing optstring argument"))?;
            return cli::try_help(process, 2);
        }
        let mut p = Parser {
            process,
            name,
            short: Vec::new(),
            long: Vec::new(),
            mix: Mix::Permute,
            single_dash: false,
            quiet: false,
            quoted: true,
            csh: false,
            out: Vec::new(),
            failed: false,
        };
        let mut silent = false;
        if !args[0].starts_with(b"-") || compatible {
            // The old form: the letters come first, and nothing is quoted.
            p.quoted = false;
            let letters = args.remove(0);
            (p.mix, p.short) = shorts(&letters);
        } else {
            let parsed = match cli::parse(p.process, &SPEC, Order::First, 2)? {
                Ok(parsed) => parsed,
                Err(status) => return Ok(status),
            };
            let mut letters = None;
            for found in &parsed.options {
                let value = found.value.clone().unwrap_or_default();
                match found.id {
                    "alternative" => p.single_dash = true,
                    "longoptions" => longs(&value, &mut p.long),
                    "name" => p.name = String::from_utf8_lossy(&value).into_owned(),
                    "options" => letters = Some(value),
                    "quiet" => p.quiet = true,
                    "quiet-output" => silent = true,
                    "shell" => match &value[..] {
                        b"sh" | b"bash" => p.csh = false,
                        b"csh" | b"tcsh" => p.csh = true,
                        _ => {
                            p.process.error(format_args!("unknown shell after -s or --shell argument"))?;
                            return cli::try_help(p.process, 2);
                        }
                    },
                    "test" => return Ok(Status(4)),
                    "unquoted" => p.quoted = false,
                    "h" => {
                        p.process.stdout.put(SPEC.help().as_bytes())?;
                        return Ok(Status::OK);
                    }
                    "V" => {
                        p.process.stdout.line(SPEC.version.as_bytes())?;
                        return Ok(Status::OK);
                    }
                    _ => {}
                }
            }
            args = parsed.operands;
            let letters = match letters {
                Some(l) => l,
                None if args.is_empty() => {
                    p.process.error(format_args!("missing optstring argument"))?;
                    return cli::try_help(p.process, 2);
                }
                None => args.remove(0),
            };
            (p.mix, p.short) = shorts(&letters);
        }
        p.parse(&args)?;
        if !silent {
            let out = std::mem::take(&mut p.out);
            p.process.stdout.line(&out)?;
        }
        Ok(Status(u8::from(p.failed)))
    }
}

impl Parser<'_> {
    fn complain(&mut self, text: &str) -> Result<()> {
        self.failed = true;
        if self.quiet {
            return Ok(());
        }
        let line = format!("{}: {text}\n", self.name);
        self.process.write_error(line.as_bytes())
    }

    /// Appends a value, quoted for the shell.
    fn value(&mut self, text: &[u8]) {
        self.out.push(b' ');
        if !self.quoted {
            self.out.extend_from_slice(text);
            return;
        }
        self.out.push(b'\'');
        for &b in text {
            match b {
                b'\'' => self.out.extend_from_slice(b"'\\''"),
                b'!' if self.csh => self.out.extend_from_slice(b"'\\!'"),
                b'\n' if self.csh => self.out.extend_from_slice(b"\\n"),
                b' ' | b'\t' if self.csh => self.out.extend([b'\'', b'\\', b, b'\'']),
                b => self.out.push(b),
            }
        }
        self.out.push(b'\'');
    }

    fn parse(&mut self, args: &[Bytes]) -> Result<()> {
        let mut rest = Vec::new();
        let mut i = 0;
        while i < args.len() {
            self.process.budget.step()?;
            let arg = &args[i];
            i += 1;
            if arg == "--" {
                rest.extend_from_slice(&args[i..]);
                break;
            }
            if arg.len() < 2 || arg[0] != b'-' {
                match self.mix {
                    Mix::Permute => rest.push(arg.clone()),
                    Mix::Stop => {
                        rest.extend_from_slice(&args[i - 1..]);
                        break;
                    }
                    Mix::InPlace => self.value(arg),
                }
                continue;
            }
            let double = arg.starts_with(b"--");
            if double || self.single_dash && self.is_long(arg) {
                self.long_option(arg, if double { 2 } else { 1 }, args, &mut i)?;
            } else {
                self.letters(arg, args, &mut i)?;
            }
        }
        self.out.extend_from_slice(b" --");
        for arg in rest {
            self.value(&arg);
        }
        Ok(())
    }

    /// With `-a`: whether `-word` is a long option and not a bundle of letters.
    fn is_long(&self, arg: &[u8]) -> bool {
        let word = arg[1..].split(|&b| b == b'=').next().unwrap_or_default();
        let known = self.long.iter().any(|(n, _)| n.starts_with(word));
        known && !(arg.len() == 2 && self.short.iter().any(|(c, _)| *c == arg[1]))
    }

    fn long_option(&mut self, arg: &Bytes, dashes: usize, args: &[Bytes], i: &mut usize) -> Result<()> {
        let text = &arg[dashes..];
        let equals = text.iter().position(|&b| b == b'=');
        let word = &text[..equals.unwrap_or(text.len())];
        let shown = String::from_utf8_lossy(&arg[..dashes + word.len()]).into_owned();
        let near: Vec<(Vec<u8>, Takes)> = match self.long.iter().find(|(n, _)| n == word) {
            Some(exact) => vec![exact.clone()],
            None => self.long.iter().filter(|(n, _)| n.starts_with(word)).cloned().collect(),
        };
        let (name, takes) = match &near[..] {
            [] => return self.complain(&format!("unrecognized option '{shown}'")),
            [one] => one.clone(),
            many => {
                let list: String =
                    many.iter().map(|(n, _)| format!(" '--{}'", String::from_utf8_lossy(n))).collect();
                return self.complain(&format!("option '{shown}' is ambiguous; possibilities:{list}"));
            }
        };
        let dash = if dashes == 1 { "-" } else { "--" };
        let full = format!("{dash}{}", String::from_utf8_lossy(&name));
        let attached = equals.map(|at| text[at + 1..].to_vec());
        let value = match (takes, attached) {
            (Takes::No, Some(_)) => {
                return self.complain(&format!("option '{full}' doesn't allow an argument"));
            }
            (Takes::Must, None) => match args.get(*i) {
                Some(next) => {
                    *i += 1;
                    Some(next.to_vec())
                }
                None => return self.complain(&format!("option '{full}' requires an argument")),
            },
            (Takes::May, None) => Some(Vec::new()),
            (_, value) => value,
        };
        self.out.extend_from_slice(b" --");
        self.out.extend_from_slice(&name);
        if let Some(v) = value {
            self.value(&v);
        }
        Ok(())
    }

    fn letters(&mut self, arg: &Bytes, args: &[Bytes], i: &mut usize) -> Result<()> {
        let mut at = 1;
        while at < arg.len() {
            let c = arg[at];
            at += 1;
            let Some(takes) = self.short.iter().find(|(s, _)| *s == c).map(|(_, t)| *t) else {
                self.complain(&format!("invalid option -- '{}'", char::from(c)))?;
                continue;
            };
            let value = match takes {
                Takes::No => {
                    self.out.extend([b' ', b'-', c]);
                    continue;
                }
                Takes::May => arg[at..].to_vec(),
                Takes::Must if at < arg.len() => arg[at..].to_vec(),
                Takes::Must => match args.get(*i) {
                    Some(next) => {
                        *i += 1;
                        next.to_vec()
                    }
                    None => {
                        return self.complain(&format!("option requires an argument -- '{}'", char::from(c)));
                    }
                },
            };
            self.out.extend([b' ', b'-', c]);
            self.value(&value);
            return Ok(());
        }
        Ok(())
    }
}
