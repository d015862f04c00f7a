//! `cat`: passes chunks on untouched, or marks lines.

use super::inputs;
use crate::cli;
use sandshell_kernel::{FileKind, Input, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `cat`
pub struct Cat;

static SPEC: Spec = Spec {
    name: "cat",
    about: "Concatenate FILE(s) to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::new('A', "show-all", "equivalent to -vET"),
        Opt::new('b', "number-nonblank", "number nonempty output lines, overrides -n"),
        Opt::short('e', "equivalent to -vE"),
        Opt::new('E', "show-ends", "display $ at end of each line"),
        Opt::new('n', "number", "number all output lines"),
        Opt::new('s', "squeeze-blank", "suppress repeated empty output lines"),
        Opt::short('t', "equivalent to -vT"),
        Opt::new('T', "show-tabs", "display TAB characters as ^I"),
        Opt::short('u', "(ignored)"),
        Opt::new('v', "show-nonprinting", "use ^ and M- notation, except for LFD and TAB"),
    ],
    notes: "",
    version: "cat (GNU coreutils) 9.1",
    examples: &[Example { script: "printf 'a\\tb\\n' | cat -A", output: "a^Ib$\n" }],
};

/// From this size on the reader of a pipe takes the chunks from the file itself.
const LARGE: u64 = 256 << 10;

#[derive(Default)]
struct Marks {
    number: bool,
    nonblank: bool,
    ends: bool,
    tabs: bool,
    nonprinting: bool,
    squeeze: bool,
    // What lasts from file to file.
    line: u64,
    blank_before: bool,
    in_line: bool,
    pending_cr: bool,
}

impl Program for Cat {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let mut m = Marks::default();
        let mut marked = false;
        for f in &parsed.options {
            marked |= f.id != "u";
            match f.id {
                "show-all" => (m.nonprinting, m.ends, m.tabs) = (true, true, true),
                "number-nonblank" => (m.number, m.nonblank) = (true, true),
                "e" => (m.nonprinting, m.ends) = (true, true),
                "show-ends" => m.ends = true,
                "number" => m.number = true,
                "squeeze-blank" => m.squeeze = true,
                "t" => (m.nonprinting, m.tabs) = (true, true),
                "show-tabs" => m.tabs = true,
                "show-nonprinting" => m.nonprinting = true,
                _ => {}
            }
        }
        let out = process.stdout.fd().stat(&process.budget).ok();
        let mut status = Status::OK;
        for name in inputs::or_stdin(parsed.operands) {
            let Some(mut input) = inputs::open(process, &name)? else {
                status = Status::FAILURE;
                continue;
            };
            let source = input.fd().stat(&process.budget);
            let large = source.as_ref().is_ok_and(|s| s.kind == FileKind::File && s.size > LARGE);
            if let (Some(out), Ok(source)) = (out, source) {
                // Copying a file onto its own end would never stop.
                let same = out.kind == FileKind::File && (out.dev, out.ino) == (source.dev, source.ino);
                if same && out.ino != 0 && out.size > 0 {
                    process.error(format_args!(
                        "{}: input file is output file",
                        cli::shell_quote(&name, false)
                    ))?;
                    status = Status::FAILURE;
                    continue;
                }
            }
            if marked {
                m.copy(process, &mut input)?;
            } else if !large || !process.stdout.carry(&mut input)? {
                while let Some(chunk) = input.next_chunk()? {
                    process.stdout.chunk(chunk)?;
                    // What may wait for more must not hold back what is there (a coprocess).
                    if !input.fd().ready() {
                        process.stdout.flush()?;
                    }
                }
            }
        }
        if m.pending_cr {
            process.stdout.put(b"\r")?;
        }
        Ok(status)
    }
}

impl Marks {
    fn copy(&mut self, process: &mut Process, input: &mut Input) -> Result<()> {
        while let Some(chunk) = input.next_chunk()? {
            let mut rest: &[u8] = &chunk;
            while !rest.is_empty() {
                let (line, ended) = match memchr::memchr(b'\n', rest) {
                    Some(i) => (&rest[..i], true),
                    None => (rest, false),
                };
                rest = &rest[line.len() + usize::from(ended)..];
                self.line(process, line, ended)?;
            }
            process.budget.step()?;
        }
        Ok(())
    }

    fn line(&mut self, process: &mut Process, line: &[u8], ended: bool) -> Result<()> {
        let blank = line.is_empty() && !self.in_line;
        if blank && ended {
            if self.blank_before && self.squeeze {
                return Ok(());
            }
            self.blank_before = true;
        } else if !line.is_empty() {
            self.blank_before = false;
        }
        let out = &mut process.stdout;
        if self.number && !self.in_line && !(self.nonblank && blank) {
            self.line += 1;
            let mut digits = itoa::Buffer::new();
            let digits = digits.format(self.line);
            for _ in digits.len()..6 {
                out.byte(b' ')?;
            }
            out.put(digits.as_bytes())?;
            out.byte(b'\t')?;
        }
        if std::mem::take(&mut self.pending_cr) {
            out.put(if line.is_empty() && ended { b"^M" } else { b"\r" })?;
        }
        let mut line = line;
        // With -E and without -v a CR before the newline shows as ^M, also when the newline comes in the next chunk.
        let mut cr = false;
        if self.ends && !self.nonprinting && line.ends_with(b"\r") {
            line = &line[..line.len() - 1];
            cr = true;
        }
        if self.nonprinting || self.tabs {
            self.show(out, line)?;
        } else {
            out.put(line)?;
        }
        if ended {
            if cr {
                out.put(b"^M")?;
            }
            out.put(if self.ends { b"$\n" } else { b"\n" })?;
        } else {
            self.pending_cr = cr;
        }
        self.in_line = !ended;
        Ok(())
    }

    fn show(&self, out: &mut sandshell_kernel::Output, line: &[u8]) -> Result<()> {
        for &b in line {
            if b == b'\t' {
                out.put(if self.tabs { b"^I" } else { b"\t" })?;
                continue;
            }
            if !self.nonprinting {
                out.byte(b)?;
                continue;
            }
            let mut low = b;
            if b >= 128 {
                out.put(b"M-")?;
                low = b - 128;
            }
            match low {
                0..32 => out.put(&[b'^', low + 64])?,
                127 => out.put(b"^?")?,
                _ => out.byte(low)?,
            }
        }
        Ok(())
    }
}
