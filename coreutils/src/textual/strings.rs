//! `strings`: runs of printable characters in binary data.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `strings`
pub struct Strings;

static SPEC: Spec = Spec {
    name: "strings",
    about: "Display printable strings in [file(s)] (stdin by default)",
    synopsis: &["[option(s)] [file(s)]"],
    options: &[
        Opt::new('a', "all", "scan the entire file, not just the data section [default]"),
        Opt::new('d', "data", "only scan the data sections in the file"),
        Opt::new('f', "print-file-name", "print the name of the file before each string"),
        Opt::new('n', "bytes", "print any sequence of <number> or more displayable characters; default is 4")
            .value("number"),
        Opt::new('t', "radix", "print the location of the string in base 8, 10 or 16").value("o,d,x"),
        Opt::new('w', "include-all-whitespace", "include all whitespace as valid string characters"),
        Opt::short('o', "an alias for --radix=o"),
        Opt::new('s', "output-separator", "string used to separate strings in output").value("string"),
        Opt::new('e', "encoding", "select character size: s = 7-bit, S = 8-bit").value("s,S"),
    ],
    notes: "",
    version: "GNU strings (GNU Binutils for Debian) 2.40",
    examples: &[Example { script: "printf '\\001hello\\002' | strings", output: "hello\n" }],
};

impl Program for Strings {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        for arg in process.args.iter_mut().skip(1) {
            if arg.len() > 1 && arg[0] == b'-' && arg[1..].iter().all(u8::is_ascii_digit) {
                *arg = Bytes::from([b"-n", &arg[1..]].concat());
            }
        }
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let (mut least, mut radix, mut names, mut space, mut eight) = (4usize, None, false, false, false);
        let mut separator = Bytes::from_static(b"\n");
        for f in &parsed.options {
            let v = f.value.clone().unwrap_or_default();
            match f.id {
                "bytes" => match std::str::from_utf8(&v).ok().and_then(|v| v.parse().ok()) {
                    Some(n) if n > 0 => least = n,
                    Some(n) => {
                        process.error(format_args!("minimum string length is too small: {n}"))?;
                        return Ok(Status::FAILURE);
                    }
                    None => {
                        process.error(format_args!(
                            "invalid integer argument {}",
                            String::from_utf8_lossy(&v)
                        ))?;
                        return Ok(Status::FAILURE);
                    }
                },
                "radix" => match &v[..] {
                    b"o" => radix = Some(8),
                    b"d" => radix = Some(10),
                    b"x" => radix = Some(16),
                    _ => {
                        process.write_error(SPEC.help().as_bytes())?;
                        return Ok(Status::FAILURE);
                    }
                },
                "o" => radix = Some(8),
                "print-file-name" => names = true,
                "include-all-whitespace" => space = true,
                "output-separator" => separator = v,
                "encoding" => match &v[..] {
                    b"s" => eight = false,
                    b"S" => eight = true,
                    _ => {
                        process
                            .error(format_args!("the encoding {} is not available here", cli::quote(&v)))?;
                        return Ok(Status::FAILURE);
                    }
                },
                _ => {}
            }
        }
        let shown = |b: u8| {
            matches!(b, b' '..=b'~' | b'\t') || (space && matches!(b, 10..=13)) || (eight && b >= 128)
        };
        let mut status = Status::OK;
        for name in inputs::or_stdin(parsed.operands) {
            let mut input = match process.open_input(&name) {
                Ok(i) => i,
                Err(e) => {
                    let text = String::from_utf8_lossy(&name).into_owned();
                    if e == sandshell_kernel::Error::Os(sandshell_kernel::Errno::ENOENT) {
                        process.error(format_args!("'{text}': No such file"))?;
                    } else {
                        process.complain(format_args!("{text}"), e)?;
                    }
                    status = Status::FAILURE;
                    continue;
                }
            };
            let mut run: Vec<u8> = Vec::new();
            let (mut offset, mut begin, mut long) = (0u64, 0u64, false);
            let label = if inputs::is_stdin(&name) { Bytes::from_static(b"{standard input}") } else { name };
            loop {
                let Some(chunk) = input.next_chunk()? else { break };
                process.budget.step()?;
                for &b in &chunk[..] {
                    if shown(b) {
                        if run.is_empty() && !long {
                            begin = offset;
                        }
                        run.push(b);
                        if run.len() == least && !long {
                            long = true;
                            if names {
                                process.stdout.put(&label)?;
                                process.stdout.put(b": ")?;
                            }
                            match radix {
                                Some(8) => process.stdout.text(format_args!("{begin:7o} "))?,
                                Some(10) => process.stdout.text(format_args!("{begin:7} "))?,
                                Some(_) => process.stdout.text(format_args!("{begin:7x} "))?,
                                None => {}
                            }
                        }
                        if long && run.len() >= 4096 {
                            process.stdout.put(&run)?;
                            run.clear();
                        }
                    } else {
                        if long {
                            process.stdout.put(&run)?;
                            process.stdout.put(&separator)?;
                        }
                        run.clear();
                        long = false;
                    }
                    offset += 1;
                }
            }
            if long {
                process.stdout.put(&run)?;
                process.stdout.put(&separator)?;
            }
        }
        Ok(status)
    }
}
