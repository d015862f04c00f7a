//! `stat`: metadata of files and filesystems by a format.

use super::{misuse, mode, times};
use crate::users::Users;
use sandshell_kernel::{Bytes, FileKind, Process, Result, Stat, Status, Time, vfs::StatFs};
use sandshell_text::{
    date::Zone,
    escape::{self, Escapes},
    options::{Example, Opt, Spec},
    quote,
};

program!(
    /// `stat`
    StatProgram,
    run,
    Spec {
        name: "stat",
        about: "Display file or file system status.",
        synopsis: &["[OPTION]... FILE..."],
        options: &[
            Opt::new('L', "dereference", "follow links"),
            Opt::new('f', "file-system", "display file system status instead of file status"),
            Opt::long("cached", "specify how to use cached attributes").value("MODE"),
            Opt::new('c', "format", "use the specified FORMAT instead of the default; output a newline after each use of FORMAT").value("FORMAT"),
            Opt::long("printf", "like --format, but interpret backslash escapes, and do not output a mandatory trailing newline; if you want a newline, include \\n in FORMAT").value("FORMAT"),
            Opt::new('t', "terse", "print the information in terse form"),
        ],
        notes: "",
        version: "stat (GNU coreutils) 9.1",
        examples: &[Example { script: "printf abc > f; stat -c '%n %s %a' f", output: "f 3 644\n" }],
    }
);

const FILE: &str = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: %h\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const DEVICE: &str = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const TERSE: &str = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const FS: &str = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\nBlocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";
const FS_TERSE: &str = "%n %i %l %t %s %S %b %f %a %c %d\n";

/// What a directive may ask of.
struct Subject<'a> {
    name: &'a [u8],
    stat: Option<Stat>,
    fs: Option<StatFs>,
    target: Option<Bytes>,
    mount: Bytes,
    users: &'a Users,
    zone: &'a Zone,
    always_quote: bool,
}

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    if let Some(mode) = parsed.last("cached") {
        let words = [("default", 0), ("always", 1), ("never", 2)];
        if let Err(status) = super::choose(p, "--cached", mode, &words)? {
            return Ok(status);
        }
    }
    if parsed.operands.is_empty() {
        return misuse(p, format_args!("missing operand"));
    }
    let (users, zone) = (Users::load(&p.files), times::zone(p));
    let of_fs = parsed.has("file-system");
    let given = parsed.options.iter().rev().find(|f| f.id == "format" || f.id == "printf");
    let given = given.map(|f| (f.id == "printf", f.value.clone().unwrap_or_default()));
    let mut status = Status::OK;
    for file in &parsed.operands {
        let follow = parsed.has("dereference");
        let mut s = Subject {
            name: file,
            stat: None,
            fs: None,
            target: None,
            mount: Bytes::new(),
            users: &users,
            zone: &zone,
            always_quote: given.is_some(),
        };
        let result = match (of_fs, &file[..]) {
            (true, b"-") => {
                p.error(format_args!(
                    "using ‘-’ to denote standard input does not work in file system mode"
                ))?;
                status = Status::FAILURE;
                continue;
            }
            (true, _) => p.files.statfs(file).map(|f| s.fs = Some(f)),
            (false, b"-") => p.stdin.fd().stat(&p.budget).map(|f| s.stat = Some(f)),
            (false, _) if follow => p.files.stat(file).map(|f| s.stat = Some(f)),
            (false, _) => p.files.lstat(file).map(|f| s.stat = Some(f)),
        };
        if let Err(e) = result {
            let what = match (of_fs, &file[..]) {
                (true, _) => "cannot read file system information for",
                (false, b"-") => {
                    p.complain(format_args!("cannot stat standard input"), e)?;
                    status = Status::FAILURE;
                    continue;
                }
                _ => "cannot statx",
            };
            p.complain(format_args!("{what} {}", quote::name_always(file)), e)?;
            status = Status::FAILURE;
            continue;
        }
        if s.stat.is_some_and(|s| s.kind == FileKind::Symlink) {
            s.target = p.files.read_link(file).ok();
        }
        let path = p.files.real_path(file).unwrap_or_default();
        let mounts = p.files.mounts();
        let holds = |m: &&sandshell_kernel::vfs::MountInfo| {
            let rest = path.strip_prefix(if m.path == "/" { &b""[..] } else { &m.path[..] });
            rest.is_some_and(|r| r.is_empty() || r[0] == b'/')
        };
        s.mount =
            mounts.iter().filter(holds).max_by_key(|m| m.path.len()).map_or(Bytes::new(), |m| m.path.clone());
        let device = s.stat.is_some_and(|s| s.kind == FileKind::Device);
        let default = match (of_fs, parsed.has("terse"), device) {
            (false, false, false) => FILE,
            (false, false, true) => DEVICE,
            (false, true, _) => TERSE,
            (true, false, _) => FS,
            (true, true, _) => FS_TERSE,
        };
        let mut out = Vec::new();
        let done = match &given {
            Some((printf, format)) => expand(format, *printf, &s, &mut out).map(|()| {
                if !printf {
                    out.push(b'\n');
                }
            }),
            None => expand(default.as_bytes(), false, &s, &mut out),
        };
        p.stdout.put(&out)?;
        if let Err(directive) = done {
            p.error(format_args!("{}: invalid directive", quote::value(&directive)))?;
            return Ok(Status::FAILURE);
        }
    }
    Ok(status)
}

/// Appends by the format; the directive that is none ends the program.
fn expand(
    format: &[u8],
    escapes: bool,
    s: &Subject<'_>,
    out: &mut Vec<u8>,
) -> std::result::Result<(), Bytes> {
    let mut at = 0;
    while at < format.len() {
        match format[at] {
            b'\\' if escapes => {
                let end = escape_len(&format[at..]);
                escape::unescape(&format[at..at + end], Escapes::Format, out);
                at += end;
            }
            b'%' => {
                let from = at;
                at += 1;
                let flags = format[at..].iter().take_while(|b| b"'-+ #0".contains(b)).count();
                at += flags;
                let digits = |at: usize| format[at..].iter().take_while(|b| b.is_ascii_digit()).count();
                let number = |t: &[u8]| std::str::from_utf8(t).ok().and_then(|t| t.parse::<usize>().ok());
                let n = digits(at);
                let width = number(&format[at..at + n]).unwrap_or(0).min(4096);
                at += n;
                let mut precision = None;
                if format.get(at) == Some(&b'.') {
                    let n = digits(at + 1);
                    precision = Some(number(&format[at + 1..at + 1 + n]).map(|n| n.min(4096)));
                    at += 1 + n;
                }
                let mut half = 0;
                if matches!(format.get(at), Some(b'H' | b'L'))
                    && matches!(format.get(at + 1), Some(b'd' | b'r'))
                {
                    half = format[at];
                    at += 1;
                }
                let Some(&letter) = format.get(at) else {
                    if at - from > 1 {
                        return Err(Bytes::copy_from_slice(&format[from..]));
                    }
                    out.push(b'%');
                    return Ok(());
                };
                at += 1;
                if letter == b'%' {
                    out.push(b'%');
                    continue;
                }
                let spec = Field { flags: &format[from + 1..from + 1 + flags], width, precision };
                directive(letter, half, s, &spec, out);
            }
            b => {
                out.push(b);
                at += 1;
            }
        }
    }
    Ok(())
}

/// Length of the escape at the start of `text`.
fn escape_len(text: &[u8]) -> usize {
    match text.get(1) {
        None => 1,
        Some(b'0'..=b'7') => 1 + text[1..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count(),
        Some(b'x') => 2 + text[2..].iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count(),
        Some(_) => 2,
    }
}

struct Field<'a> {
    flags: &'a [u8],
    width: usize,
    precision: Option<Option<usize>>,
}

impl Field<'_> {
    fn has(&self, flag: u8) -> bool {
        self.flags.contains(&flag)
    }

    fn pad(&self, text: &[u8], zero: bool, out: &mut Vec<u8>) {
        let chars = text.utf8_chunks().map(|c| c.valid().chars().count() + c.invalid().len()).sum::<usize>();
        let fill = self.width.saturating_sub(chars);
        if self.has(b'-') {
            out.extend_from_slice(text);
            out.extend(std::iter::repeat_n(b' ', fill));
        } else if zero {
            let sign = usize::from(text.starts_with(b"-"));
            out.extend_from_slice(&text[..sign]);
            out.extend(std::iter::repeat_n(b'0', fill));
            out.extend_from_slice(&text[sign..]);
        } else {
            out.extend(std::iter::repeat_n(b' ', fill));
            out.extend_from_slice(text);
        }
    }

    fn text(&self, text: &[u8], out: &mut Vec<u8>) {
        let cut = match self.precision {
            Some(n) => n.unwrap_or(0).min(text.len()),
            None => text.len(),
        };
        self.pad(&text[..cut], false, out);
    }

    fn number(&self, digits: String, prefix: &str, signed: bool, out: &mut Vec<u8>) {
        let (sign, digits) = match digits.strip_prefix('-') {
            Some(d) => ("-", d.to_owned()),
            None if signed && self.has(b'+') => ("+", digits),
            None if signed && self.has(b' ') => (" ", digits),
            None => ("", digits),
        };
        let least = self.precision.map_or(0, |p| p.unwrap_or(0));
        let fill = "0".repeat(least.saturating_sub(digits.len()));
        let prefix = if self.has(b'#') && digits != "0" { prefix } else { "" };
        let text = format!("{sign}{prefix}{fill}{digits}");
        self.pad(text.as_bytes(), self.has(b'0') && self.precision.is_none(), out);
    }

    fn epoch(&self, t: Time, out: &mut Vec<u8>) {
        let Some(precision) = self.precision else {
            return self.number(t.seconds().to_string(), "", true, out);
        };
        let digits = precision.unwrap_or(9);
        // Rounded down, also before 1970: the seconds go up by one and the fraction counts back.
        let (mut seconds, mut nanos) = (i128::from(t.seconds()), t.nanos());
        let negative = seconds < 0 && nanos > 0;
        if negative {
            seconds += 1;
            nanos = 1_000_000_000 - nanos;
        }
        let mut fraction = format!("{nanos:09}");
        fraction.truncate(digits.min(9));
        fraction.push_str(&"0".repeat(digits.saturating_sub(9)));
        let sign = if negative && seconds == 0 { "-" } else { "" };
        let text = if digits == 0 { seconds.to_string() } else { format!("{sign}{seconds}.{fraction}") };
        self.pad(text.as_bytes(), self.has(b'0'), out);
    }
}

fn directive(letter: u8, half: u8, s: &Subject<'_>, f: &Field<'_>, out: &mut Vec<u8>) {
    if letter == b'n' {
        return f.text(s.name, out);
    }
    if let Some(fs) = &s.fs {
        return fs_directive(letter, fs, f, out);
    }
    let Some(st) = &s.stat else { return out.push(b'?') };
    let unsigned = |n: u64, out: &mut Vec<u8>| f.number(n.to_string(), "", false, out);
    let hex = |n: u64, out: &mut Vec<u8>| f.number(format!("{n:x}"), "0x", false, out);
    let (major, minor) = (st.dev >> 8, st.dev & 0xff);
    match letter {
        b'N' => {
            let shown = |n: &[u8]| if s.always_quote { quote::name_always(n) } else { quote::name(n) };
            let mut text = shown(s.name);
            if let Some(t) = &s.target {
                text = format!("{text} -> {}", shown(t));
            }
            f.text(text.as_bytes(), out);
        }
        b'd' => match half {
            b'H' => unsigned(major, out),
            b'L' => unsigned(minor, out),
            _ => unsigned(st.dev, out),
        },
        b'D' => hex(st.dev, out),
        b'i' => unsigned(st.ino, out),
        b'a' => f.number(format!("{:o}", st.mode), "0", false, out),
        b'A' => f.text(mode::full(st.kind, st.mode).as_bytes(), out),
        b'f' => hex(u64::from(st.mode | type_bits(st.kind)), out),
        b'F' => f.text(kind_name(st).as_bytes(), out),
        b'h' => unsigned(u64::from(st.nlink), out),
        b'u' => unsigned(u64::from(st.uid), out),
        b'g' => unsigned(u64::from(st.gid), out),
        b'U' => f.text(s.users.user(st.uid).map_or(&b"UNKNOWN"[..], |n| n), out),
        b'G' => f.text(s.users.group(st.gid).map_or(&b"UNKNOWN"[..], |n| n), out),
        b't' => hex(u64::from(st.rdev.0), out),
        b'T' => hex(u64::from(st.rdev.1), out),
        b'r' => match half {
            b'H' => unsigned(u64::from(st.rdev.0), out),
            b'L' => unsigned(u64::from(st.rdev.1), out),
            _ => unsigned(u64::from(st.rdev.0 << 8 | st.rdev.1), out),
        },
        b'm' => f.text(&s.mount, out),
        b's' => f.number(st.size.to_string(), "", true, out),
        b'b' => unsigned(st.blocks, out),
        b'B' => unsigned(512, out),
        b'o' => unsigned(4096, out),
        b'w' => human(st.btime, s, f, out),
        b'W' => f.epoch(st.btime, out),
        b'x' => human(st.atime, s, f, out),
        b'X' => f.epoch(st.atime, out),
        b'y' => human(st.mtime, s, f, out),
        b'Y' => f.epoch(st.mtime, out),
        b'z' => human(st.ctime, s, f, out),
        b'Z' => f.epoch(st.ctime, out),
        b'C' => f.text(b"?", out),
        _ => out.push(b'?'),
    }
}

fn human(t: Time, s: &Subject<'_>, f: &Field<'_>, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    times::strftime(b"%Y-%m-%d %H:%M:%S.%N %z", t, s.zone, &mut text);
    f.text(&text, out);
}

fn fs_directive(letter: u8, fs: &StatFs, f: &Field<'_>, out: &mut Vec<u8>) {
    const BLOCK: u64 = 4096;
    let free = fs.bytes.saturating_sub(fs.bytes_used) / BLOCK;
    let unsigned = |n: u64, out: &mut Vec<u8>| f.number(n.to_string(), "", false, out);
    match letter {
        b'i' => f.number("0".into(), "", false, out),
        b'l' => unsigned(255, out),
        b't' => f.number("794c7630".into(), "0x", false, out),
        b'T' => f.text(b"overlayfs", out),
        b's' | b'S' => unsigned(BLOCK, out),
        b'b' => unsigned(fs.bytes / BLOCK, out),
        b'f' | b'a' => unsigned(free, out),
        b'c' => unsigned(fs.files, out),
        b'd' => unsigned(fs.files.saturating_sub(fs.files_used), out),
        _ => out.push(b'?'),
    }
}

/// The type's bits of `st_mode`.
pub(crate) fn type_bits(kind: FileKind) -> u32 {
    match kind {
        FileKind::File => 0o100_000,
        FileKind::Directory => 0o040_000,
        FileKind::Symlink => 0o120_000,
        FileKind::Fifo => 0o010_000,
        FileKind::Device => 0o020_000,
    }
}

/// As `stat -c %F` and prompts name it.
pub(crate) fn kind_name(s: &Stat) -> &'static str {
    match s.kind {
        FileKind::File if s.size == 0 => "regular empty file",
        FileKind::File => "regular file",
        FileKind::Directory => "directory",
        FileKind::Symlink => "symbolic link",
        FileKind::Fifo => "fifo",
        FileKind::Device => "character special file",
    }
}
