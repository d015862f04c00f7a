//! `md5sum`, `sha1sum`, `sha224sum`, `sha256sum`, `sha384sum`, `sha512sum`: one program over several digests.

use crate::cli;
use sandshell_kernel::{Bytes, Errno, Error, Input, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// A digest program.
pub struct Checksum {
    spec: &'static Spec,
    /// The name that `--tag` prints.
    tag: &'static str,
    algorithm: Algorithm,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

const OPTIONS: &[Opt] = &[
    Opt::new('b', "binary", "read in binary mode"),
    Opt::new('c', "check", "read checksums from the FILEs and check them"),
    Opt::long("tag", "create a BSD-style checksum"),
    Opt::new('t', "text", "read in text mode (default)"),
    Opt::new('z', "zero", "end each output line with NUL, not newline, and disable file name escaping"),
    Opt::long("ignore-missing", "don't fail or report status for missing files"),
    Opt::long("quiet", "don't print OK for each successfully verified file"),
    Opt::long("status", "don't output anything, status code shows success"),
    Opt::long("strict", "exit non-zero for improperly formatted checksum lines"),
    Opt::new('w', "warn", "warn about improperly formatted checksum lines"),
];

macro_rules! digests {
    ($($constant:ident $spec:ident $name:literal $tag:literal $bits:literal $algorithm:ident $example:expr;)*) => {$(
        static $spec: Spec = Spec {
            name: $name,
            about: concat!("Print or check ", $tag, " (", $bits, "-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input."),
            synopsis: &["[OPTION]... [FILE]..."],
            options: OPTIONS,
            notes: "The following five options are useful only when verifying checksums:\n--ignore-missing, --quiet, --status, --strict, --warn.",
            version: concat!($name, " (GNU coreutils) 9.1"),
            examples: $example,
        };

        #[doc = concat!("`", $name, "`")]
        pub static $constant: Checksum = Checksum { spec: &$spec, tag: $tag, algorithm: Algorithm::$algorithm };
    )*};
}

digests! {
    MD5 MD5_SPEC "md5sum" "MD5" "128" Md5 &[Example { script: "printf abc | md5sum", output: "900150983cd24fb0d6963f7d28e17f72  -\n" }];
    SHA1 SHA1_SPEC "sha1sum" "SHA1" "160" Sha1 &[Example { script: "printf abc | sha1sum", output: "a9993e364706816aba3e25717850c26c9cd0d89d  -\n" }];
    SHA224 SHA224_SPEC "sha224sum" "SHA224" "224" Sha224 &[];
    SHA256 SHA256_SPEC "sha256sum" "SHA256" "256" Sha256 &[Example { script: "printf abc | sha256sum", output: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n" }];
    SHA384 SHA384_SPEC "sha384sum" "SHA384" "384" Sha384 &[];
    SHA512 SHA512_SPEC "sha512sum" "SHA512" "512" Sha512 &[];
}

impl Algorithm {
    fn hex_length(self) -> usize {
        match self {
            Algorithm::Md5 => 32,
            Algorithm::Sha1 => 40,
            Algorithm::Sha224 => 56,
            Algorithm::Sha256 => 64,
            Algorithm::Sha384 => 96,
            Algorithm::Sha512 => 128,
        }
    }

    fn of(self, input: &mut Input) -> Result<String> {
        fn run<D: sha2::Digest>(input: &mut Input) -> Result<Vec<u8>> {
            let mut d = D::new();
            loop {
                let data = input.fill()?;
                if data.is_empty() {
                    return Ok(d.finalize().to_vec());
                }
                d.update(data);
                let n = data.len();
                input.consume(n);
            }
        }
        let bytes = match self {
            Algorithm::Md5 => run::<md5::Md5>(input)?,
            Algorithm::Sha1 => run::<sha1::Sha1>(input)?,
            Algorithm::Sha224 => run::<sha2::Sha224>(input)?,
            Algorithm::Sha256 => run::<sha2::Sha256>(input)?,
            Algorithm::Sha384 => run::<sha2::Sha384>(input)?,
            Algorithm::Sha512 => run::<sha2::Sha512>(input)?,
        };
        const HEX: &[u8; 16] = b"0123456789abcdef";
        Ok(bytes
            .iter()
            .flat_map(|b| [HEX[usize::from(b >> 4)], HEX[usize::from(b & 15)]])
            .map(char::from)
            .collect())
    }
}

impl Program for Checksum {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, self.spec, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let check = parsed.has("check");
        let fail = |process: &mut Process, text: &str| {
            process.error(format_args!("{text}"))?;
            cli::try_help(process, 1)
        };
        if parsed.has("tag") && (check || parsed.has("text")) {
            return fail(
                process,
                if check {
                    "the --tag option is meaningless when verifying checksums"
                } else {
                    "--tag does not support --text mode"
                },
            );
        }
        if check && (parsed.has("binary") || parsed.has("text")) {
            return fail(process, "the --binary and --text options are meaningless when verifying checksums");
        }
        if check && parsed.has("zero") {
            return fail(process, "the --zero option is not supported when verifying checksums");
        }
        for id in ["ignore-missing", "status", "warn", "quiet", "strict"] {
            if !check && parsed.has(id) {
                let text = format!("the --{id} option is meaningful only when verifying checksums");
                return fail(process, &text);
            }
        }
        let files =
            if parsed.operands.is_empty() { vec![Bytes::from_static(b"-")] } else { parsed.operands.clone() };
        let mut status = Status::OK;
        for name in &files {
            let ok = if check {
                self.verify(process, name, &parsed)?
            } else {
                self.print(process, name, &parsed)?
            };
            if !ok {
                status = Status::FAILURE;
            }
        }
        Ok(status)
    }
}

fn open(process: &mut Process, name: &[u8]) -> Result<Option<Input>> {
    match process.open_input(name) {
        Ok(i) => Ok(Some(i)),
        Err(e) => {
            process.complain(format_args!("{}", cli::shell_quote(name, false)), e)?;
            Ok(None)
        }
    }
}

impl Checksum {
    fn print(
        &self,
        process: &mut Process,
        name: &Bytes,
        parsed: &sandshell_text::options::Parsed,
    ) -> Result<bool> {
        let Some(mut input) = open(process, name)? else { return Ok(false) };
        let sum = self.algorithm.of(&mut input)?;
        let zero = parsed.has("zero");
        let escape = !zero && name.iter().any(|b| matches!(b, b'\\' | b'\n' | b'\r'));
        let out = &mut process.stdout;
        if escape {
            out.byte(b'\\')?;
        }
        if parsed.has("tag") {
            out.text(format_args!("{} (", self.tag))?;
            put_name(out, name, escape)?;
            out.text(format_args!(") = {sum}"))?;
        } else {
            let binary = parsed.options.iter().rev().find(|f| matches!(f.id, "binary" | "text"));
            out.put(sum.as_bytes())?;
            out.put(if binary.is_some_and(|f| f.id == "binary") { b" *" } else { b"  " })?;
            put_name(out, name, escape)?;
        }
        out.byte(if zero { 0 } else { b'\n' })?;
        Ok(true)
    }

    fn verify(
        &self,
        process: &mut Process,
        list: &Bytes,
        parsed: &sandshell_text::options::Parsed,
    ) -> Result<bool> {
        let Some(mut input) = open(process, list)? else { return Ok(false) };
        let (quiet, silent, missing_ok) =
            (parsed.has("quiet"), parsed.has("status"), parsed.has("ignore-missing"));
        let shown = if list == "-" { "'standard input'".into() } else { cli::shell_quote(list, false) };
        let (mut good_lines, mut bad_lines, mut mismatched, mut unreadable, mut matched) =
            (0u64, 0u64, 0u64, 0u64, 0u64);
        let mut number = 0u64;
        while let Some(line) = input.line(b'\n')? {
            number += 1;
            let line = line.bytes.strip_suffix(b"\r").unwrap_or(line.bytes).to_vec();
            if line.first() == Some(&b'#') || line.is_empty() && number == 0 {
                continue;
            }
            let Some((sum, name)) = self.parse(&line) else {
                bad_lines += 1;
                if parsed.has("warn") {
                    process.error(format_args!(
                        "{shown}: {number}: improperly formatted {} checksum line",
                        self.tag
                    ))?;
                }
                continue;
            };
            good_lines += 1;
            let label = cli::shell_quote(&name, false);
            let mut file = match process.open_input(&name) {
                Ok(i) => i,
                Err(Error::Os(Errno::ENOENT)) if missing_ok => continue,
                Err(e) => {
                    process.complain(format_args!("{label}"), e)?;
                    unreadable += 1;
                    if !silent {
                        process.stdout.put(&name)?;
                        process.stdout.put(b": FAILED open or read\n")?;
                    }
                    continue;
                }
            };
            let same = self.algorithm.of(&mut file)?.eq_ignore_ascii_case(&sum);
            if same {
                matched += 1;
            } else {
                mismatched += 1;
            }
            if !silent && (!same || !quiet) {
                process.stdout.put(&name)?;
                process.stdout.put(if same { b": OK\n" } else { b": FAILED\n" })?;
            }
        }
        if good_lines == 0 {
            process.error(format_args!("{shown}: no properly formatted checksum lines found"))?;
            return Ok(false);
        }
        if !silent {
            let plural = |n: u64| if n == 1 { "" } else { "s" };
            if bad_lines > 0 {
                let (verb, s) = if bad_lines == 1 { ("is", "") } else { ("are", "s") };
                process.error(format_args!("WARNING: {bad_lines} line{s} {verb} improperly formatted"))?;
            }
            if unreadable > 0 {
                process.error(format_args!(
                    "WARNING: {unreadable} listed file{} could not be read",
                    plural(unreadable)
                ))?;
            }
            if mismatched > 0 {
                process.error(format_args!(
                    "WARNING: {mismatched} computed checksum{} did NOT match",
                    plural(mismatched)
                ))?;
            }
            if missing_ok && matched == 0 && mismatched == 0 {
                process.error(format_args!("{shown}: no file was verified"))?;
            }
        }
        let none = missing_ok && matched == 0;
        Ok(mismatched == 0 && unreadable == 0 && !none && !(parsed.has("strict") && bad_lines > 0))
    }

    /// `SUM  NAME`, `SUM *NAME`, `\SUM  NAME` with escapes, or `TAG (NAME) = SUM`.
    fn parse(&self, line: &[u8]) -> Option<(String, Vec<u8>)> {
        let (escaped, line) = match line.strip_prefix(b"\\") {
            Some(l) => (true, l),
            None => (false, line),
        };
        let hex = |t: &[u8]| -> Option<String> {
            (t.len() == self.algorithm.hex_length() && t.iter().all(u8::is_ascii_hexdigit))
                .then(|| String::from_utf8_lossy(t).into_owned())
        };
        let name = |n: &[u8]| if escaped { unescape(n) } else { Some(n.to_vec()) };
        if let Some(rest) = line.strip_prefix(self.tag.as_bytes())
            && let Some(rest) = rest.strip_prefix(b" (").or(rest.strip_prefix(b"("))
        {
            let at = memchr::memmem::rfind(rest, b") = ")?;
            return Some((hex(&rest[at + 4..])?, name(&rest[..at])?));
        }
        let line = &line[line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count()..];
        let n = self.algorithm.hex_length();
        let sum = hex(line.get(..n)?)?;
        let rest = line[n..].strip_prefix(b" ")?;
        let rest = rest.strip_prefix(b" ").or(rest.strip_prefix(b"*")).unwrap_or(rest);
        (!rest.is_empty()).then_some(())?;
        Some((sum, name(rest)?))
    }
}

fn put_name(out: &mut sandshell_kernel::Output, name: &[u8], escape: bool) -> Result<()> {
    if !escape {
        return out.put(name);
    }
    for b in name {
        match b {
            b'\\' => out.put(b"\\\\")?,
            b'\n' => out.put(b"\\n")?,
            b'\r' => out.put(b"\\r")?,
            b => out.byte(*b)?,
        }
    }
    Ok(())
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut bytes = name.iter();
    while let Some(&b) = bytes.next() {
        out.push(match b {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            b => b,
        });
    }
    Some(out)
}
