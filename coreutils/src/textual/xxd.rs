//! `xxd`: hex dumps, and back. Its options are read as the original does, by their first letters.

use sandshell_kernel::{Bytes, Output, Process, Program, Result, Status};
use sandshell_text::number::parse_int;
use sandshell_text::options::{Example, Opt, Spec};

/// `xxd`
pub struct Xxd;

static SPEC: Spec = Spec {
    name: "xxd",
    about: "Make a hex dump, or do the reverse.",
    synopsis: &["[options] [infile [outfile]]", "-r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]"],
    options: &[
        Opt::short('a', "toggle autoskip: A single '*' replaces nul-lines. Default off."),
        Opt::short('b', "binary digit dump (incompatible with -ps,-i,-r). Default hex."),
        Opt::short('C', "capitalize variable names in C include file style (-i)."),
        Opt::short('c', "format <cols> octets per line. Default 16 (-i: 12, -ps: 30).").value("cols"),
        Opt::short('E', "show characters in EBCDIC. Default ASCII."),
        Opt::short('e', "little-endian dump (incompatible with -ps,-i,-r)."),
        Opt::short('g', "number of octets per group in normal output. Default 2 (-e: 4).").value("bytes"),
        Opt::short('h', "print this summary."),
        Opt::short('i', "output in C include file style."),
        Opt::short('l', "stop after <len> octets.").value("len"),
        Opt::short('n', "set the variable name used in C include output (-i).").value("name"),
        Opt::short('o', "add <off> to the displayed file position.").value("off"),
        Opt::short('p', "output in postscript plain hexdump style."),
        Opt::short('r', "reverse operation: convert (or patch) hexdump into binary."),
        Opt::short('d', "show offset in decimal instead of hex."),
        Opt::short('s', "start at <seek> bytes abs. (or +: rel.) infile offset.").value("seek"),
        Opt::short('u', "use upper case hex letters."),
        Opt::short('v', "show version."),
    ],
    notes: "",
    version: "xxd 2022-01-14 by Juergen Weigert et al.",
    examples: &[Example {
        script: "printf 'hi\\n' | xxd",
        output: "00000000: 6869 0a                                  hi.\n",
    }],
};

const USAGE: &str = "Usage:
       xxd [options] [infile [outfile]]
    or
       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]
Options:
    -a          toggle autoskip: A single '*' replaces nul-lines. Default off.
    -b          binary digit dump (incompatible with -ps,-i,-r). Default hex.
    -C          capitalize variable names in C include file style (-i).
    -c cols     format <cols> octets per line. Default 16 (-i: 12, -ps: 30).
    -E          show characters in EBCDIC. Default ASCII.
    -e          little-endian dump (incompatible with -ps,-i,-r).
    -g bytes    number of octets per group in normal output. Default 2 (-e: 4).
    -h          print this summary.
    -i          output in C include file style.
    -l len      stop after <len> octets.
    -n name     set the variable name used in C include output (-i).
    -o off      add <off> to the displayed file position.
    -ps         output in postscript plain hexdump style.
    -r          reverse operation: convert (or patch) hexdump into binary.
    -r -s off   revert with <off> added to file positions found in hexdump.
    -d          show offset in decimal instead of hex.
    -s [+][-]seek  start at <seek> bytes abs. (or +: rel.) infile offset.
    -u          use upper case hex letters.
    -v          show version: \"xxd 2022-01-14 by Juergen Weigert et al.\".
";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Normal,
    Little,
    Bits,
    Plain,
    Include,
}

struct Options {
    style: Style,
    cols: Option<i64>,
    group: i64,
    upper: bool,
    skip_nul: bool,
    decimal: bool,
    ebcdic: bool,
    capital: bool,
    reverse: bool,
    seek: i64,
    limit: Option<u64>,
    offset: i64,
    name: Option<Bytes>,
    files: Vec<Bytes>,
}

enum Early {
    Usage,
    Version,
}

fn options(args: &[Bytes]) -> std::result::Result<Options, Early> {
    let mut o = Options {
        style: Style::Normal,
        cols: None,
        group: -1,
        upper: false,
        skip_nul: false,
        decimal: false,
        ebcdic: false,
        capital: false,
        reverse: false,
        seek: 0,
        limit: None,
        offset: 0,
        name: None,
        files: Vec::new(),
    };
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text: &[u8] = if arg.starts_with(b"--") && arg.len() > 2 { &arg[1..] } else { arg };
        let [b'-', letter, rest @ ..] = text else { break };
        at += 1;
        // The value stands in the same word, unless that goes on as the option's long name.
        let mut value = |names: &[&[u8]]| -> std::result::Result<Bytes, Early> {
            if !rest.is_empty() && !names.iter().any(|n| rest.starts_with(n)) {
                return Ok(Bytes::copy_from_slice(rest));
            }
            at += 1;
            args.get(at - 1).cloned().ok_or(Early::Usage)
        };
        let number = |v: Bytes| parse_int(&v, 0).value;
        match letter {
            b'a' => o.skip_nul = !o.skip_nul,
            b'b' => o.style = Style::Bits,
            b'e' => o.style = Style::Little,
            b'u' => o.upper = true,
            b'p' => o.style = Style::Plain,
            b'i' => o.style = Style::Include,
            b'C' => o.capital = true,
            b'd' => o.decimal = true,
            b'r' => o.reverse = true,
            b'E' => o.ebcdic = true,
            b'v' => return Err(Early::Version),
            b'c' if rest.starts_with(b"apitalize") => o.capital = true,
            b'c' => o.cols = Some(number(value(&[b"ols"])?)),
            b'g' => o.group = number(value(&[b"roup"])?),
            b'o' => o.offset = number(value(&[b"ffset"])?),
            b's' => {
                let v = value(&[b"kip", b"eek"])?;
                o.seek = parse_int(v.strip_prefix(b"+").unwrap_or(&v), 0).value;
            }
            b'l' => o.limit = Some(number(value(&[b"en"])?).max(0) as u64),
            b'n' => o.name = Some(value(&[b"ame"])?),
            b'-' => break,
            _ => return Err(Early::Usage),
        }
    }
    o.files = args[at..].to_vec();
    if o.files.len() > 2 { Err(Early::Usage) } else { Ok(o) }
}

impl Program for Xxd {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let args = process.args.get(1..).unwrap_or_default().to_vec();
        let mut o = match options(&args) {
            Ok(o) => o,
            Err(Early::Usage) => {
                process.write_error(USAGE.as_bytes())?;
                return Ok(Status::FAILURE);
            }
            Err(Early::Version) => {
                process.write_error(SPEC.version_text().as_bytes())?;
                return Ok(Status::OK);
            }
        };
        let plain = o.style == Style::Plain;
        let cols = match o.cols {
            Some(c) if c != 0 || plain => c,
            _ => match o.style {
                Style::Plain => 30,
                Style::Include => 12,
                Style::Bits => 6,
                _ => 16,
            },
        };
        let wide = !matches!(o.style, Style::Plain | Style::Include);
        if plain && cols < 0 || !plain && cols < 1 || wide && cols > 256 {
            process.error(format_args!("invalid number of columns (max. 256)."))?;
            return Ok(Status::FAILURE);
        }
        if o.group < 0 {
            o.group = match o.style {
                Style::Bits => 1,
                Style::Normal => 2,
                Style::Little => 4,
                _ => 0,
            };
        }
        if o.group < 1 || o.group > cols {
            o.group = cols;
        } else if o.style == Style::Little && o.group & (o.group - 1) != 0 {
            process.error(format_args!("number of octets per group must be a power of 2 with -e."))?;
            return Ok(Status::FAILURE);
        }
        let infile = o.files.first().cloned().unwrap_or(Bytes::from_static(b"-"));
        let mut input = match process.open_input(&infile) {
            Ok(input) => input,
            Err(e) => {
                process.complain(format_args!("{}", String::from_utf8_lossy(&infile)), e)?;
                return Ok(Status(2));
            }
        };
        let data = input.read_all()?;
        let _held = process.budget.reserve(data.len() as u64)?;
        let mut file = None;
        if let Some(name) = o.files.get(1).filter(|n| &n[..] != b"-") {
            match process.files.create(name) {
                Ok(out) => file = Some(out),
                Err(e) => {
                    process.complain(format_args!("{}", String::from_utf8_lossy(name)), e)?;
                    return Ok(Status(3));
                }
            }
        }
        if o.reverse {
            let bytes = match reverse(&data, cols.max(0) as usize, plain, o.seek) {
                Ok(bytes) => bytes,
                Err(message) => {
                    process.error(format_args!("{message}"))?;
                    return Ok(Status(5));
                }
            };
            write(process, file, &bytes)?;
            return Ok(Status::OK);
        }
        let start = if o.seek < 0 {
            data.len().saturating_sub(o.seek.unsigned_abs() as usize)
        } else {
            data.len().min(o.seek as usize)
        };
        let end = o.limit.map_or(data.len(), |l| data.len().min(start.saturating_add(l as usize)));
        let data = data.slice(start..end);
        let mut dump = Dump { o: &o, cols: cols as usize, out: Vec::new(), zero_lines: 0, held: Vec::new() };
        match o.style {
            Style::Plain => dump.plain(&data),
            Style::Include => dump.include(&data, &infile),
            _ => {
                for (i, block) in data.chunks(dump.cols).enumerate() {
                    let at = (start as i64 + o.offset).wrapping_add((i * dump.cols) as i64);
                    dump.line(block, at as u64);
                    if dump.out.len() > 60 << 10 && file.is_none() {
                        process.stdout.put(&dump.out)?;
                        process.budget.steps(1024)?;
                        dump.out.clear();
                    }
                }
                dump.end();
            }
        }
        let out = std::mem::take(&mut dump.out);
        write(process, file, &out)?;
        Ok(Status::OK)
    }
}

fn write(process: &mut Process, file: Option<Output>, data: &[u8]) -> Result<()> {
    match file {
        Some(mut out) => {
            out.put(data)?;
            out.flush()
        }
        None => process.stdout.put(data),
    }
}

struct Dump<'a> {
    o: &'a Options,
    cols: usize,
    out: Vec<u8>,
    zero_lines: u32,
    held: Vec<u8>,
}

impl Dump<'_> {
    fn hex(&self) -> &'static [u8; 16] {
        if self.o.upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" }
    }

    fn line(&mut self, block: &[u8], at: u64) {
        let hex = self.hex();
        let group = self.o.group as usize;
        let per_byte = if self.o.style == Style::Bits { 8 } else { 2 };
        let group_width = group * per_byte + 1;
        let start = self.out.len();
        let address = if self.o.decimal { format!("{at:08}: ") } else { format!("{at:08x}: ") };
        self.out.extend_from_slice(address.as_bytes());
        let base = self.out.len();
        self.out.resize(base + (group_width * self.cols - 1) / group + 2, b' ');
        for (i, &b) in block.iter().enumerate() {
            let place = if self.o.style == Style::Little { i ^ (group - 1) } else { i };
            let to = base + group_width * place / group;
            if self.out.len() < to + per_byte {
                self.out.resize(to + per_byte, b' ');
            }
            if self.o.style == Style::Bits {
                for bit in 0..8 {
                    self.out[to + bit] = b'0' + (b >> (7 - bit) & 1);
                }
            } else {
                self.out[to] = hex[usize::from(b >> 4)];
                self.out[to + 1] = hex[usize::from(b & 15)];
            }
        }
        let text = block.iter().map(|b| match self.o.ebcdic {
            true => ebcdic(*b),
            false if (32..127).contains(b) => *b,
            false => b'.',
        });
        self.out.extend(text);
        self.out.push(b'\n');
        if self.o.skip_nul {
            let full = block.len() == self.cols;
            if full && block.iter().all(|b| *b == 0) {
                self.zero_lines += 1;
                // The first is shown; whether the second is, the end of the run tells.
                if self.zero_lines > 1 {
                    let line = self.out.split_off(start);
                    if self.zero_lines == 2 {
                        self.held = line;
                    }
                }
            } else {
                let line = self.out.split_off(start);
                self.close_run();
                self.out.extend_from_slice(&line);
            }
        }
    }

    fn close_run(&mut self) {
        match self.zero_lines {
            2 => self.out.extend_from_slice(&self.held),
            3.. => self.out.extend_from_slice(b"*\n"),
            _ => {}
        }
        self.zero_lines = 0;
    }

    /// A run of zeros at the end shows its last line.
    fn end(&mut self) {
        if self.o.skip_nul && self.zero_lines > 1 {
            if self.zero_lines == 3 {
                self.out.extend_from_slice(&self.held);
            } else if self.zero_lines > 3 {
                self.out.extend_from_slice(b"*\n");
            }
            self.out.extend_from_slice(&self.held);
        }
    }

    fn plain(&mut self, data: &[u8]) {
        let hex = self.hex();
        let cols = if self.cols == 0 { data.len().max(1) } else { self.cols };
        for block in data.chunks(cols) {
            self.out.extend(block.iter().flat_map(|b| [hex[usize::from(b >> 4)], hex[usize::from(b & 15)]]));
            self.out.push(b'\n');
        }
    }

    fn include(&mut self, data: &[u8], infile: &[u8]) {
        let named = infile != b"-" || self.o.name.is_some();
        let source = self.o.name.as_deref().unwrap_or(infile);
        let mut name = Vec::new();
        if source.first().is_some_and(u8::is_ascii_digit) {
            name.extend_from_slice(b"__");
        }
        name.extend(source.iter().map(|b| match b.is_ascii_alphanumeric() {
            true if self.o.capital => b.to_ascii_uppercase(),
            true => *b,
            false => b'_',
        }));
        if named {
            self.out.extend_from_slice(b"unsigned char ");
            self.out.extend_from_slice(&name);
            self.out.extend_from_slice(b"[] = {\n");
        }
        let hex = self.hex();
        for (i, b) in data.iter().enumerate() {
            let before: &[u8] = match i {
                0 => b"  ",
                i if i % self.cols == 0 => b",\n  ",
                _ => b", ",
            };
            self.out.extend_from_slice(before);
            let prefix: &[u8] = if self.o.upper { b"0X" } else { b"0x" };
            self.out.extend_from_slice(prefix);
            self.out.extend_from_slice(&[hex[usize::from(b >> 4)], hex[usize::from(b & 15)]]);
        }
        if !data.is_empty() {
            self.out.push(b'\n');
        }
        if named {
            self.out.extend_from_slice(b"};\nunsigned int ");
            self.out.extend_from_slice(&name);
            let len: &str = if self.o.capital { "_LEN" } else { "_len" };
            self.out.extend_from_slice(format!("{len} = {};\n", data.len()).as_bytes());
        }
    }
}

/// The ASCII form of an EBCDIC character, `.` where it has none.
fn ebcdic(b: u8) -> u8 {
    const TABLE: &[u8; 192] =
        b" ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\".abcdefghi.......jklmnopqr^....\
        ...stuvwxyz...[...............]..{ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ......0123456789......";
    match b {
        64.. => TABLE[usize::from(b) - 64],
        _ => b'.',
    }
}

/// The bytes of a dump.
fn reverse(text: &[u8], cols: usize, plain: bool, seek: i64) -> std::result::Result<Vec<u8>, &'static str> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let mut out = Vec::new();
    if plain {
        let mut high = None;
        for &b in text {
            match (digit(b), high) {
                (Some(d), None) => high = Some(d),
                (Some(d), Some(h)) => {
                    out.push(h << 4 | d);
                    high = None;
                }
                (None, _) => {
                    if !b.is_ascii_whitespace() {
                        // The rest of the line is no data.
                        high = None;
                    }
                }
            }
        }
        return Ok(out);
    }
    for line in text.split(|b| *b == b'\n') {
        let mut at = line.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let start = at;
        let mut address = 0i64;
        while let Some(d) = line.get(at).and_then(|b| digit(*b)) {
            address = address.wrapping_shl(4) | i64::from(d);
            at += 1;
        }
        if at == start || line.get(at) != Some(&b':') {
            continue;
        }
        at += 1;
        let position = address.wrapping_add(seek);
        if position < out.len() as i64 {
            return Err("sorry, cannot seek backwards.");
        }
        // A file of that size with a hole cannot be held here.
        if position > 1 << 30 {
            return Err("sorry, cannot seek.");
        }
        out.resize(position as usize, 0);
        let mut count = 0;
        while count < cols {
            let blanks = line[at..].iter().take_while(|b| **b == b' ').count();
            if blanks > 1 && count > 0 {
                break;
            }
            at += blanks;
            let (Some(h), Some(l)) =
                (line.get(at).and_then(|b| digit(*b)), line.get(at + 1).and_then(|b| digit(*b)))
            else {
                break;
            };
            out.push(h << 4 | l);
            at += 2;
            count += 1;
        }
    }
    Ok(out)
}
