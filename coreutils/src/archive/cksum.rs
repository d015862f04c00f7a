//! `cksum` (POSIX CRC) and `sum` (BSD and System V).

use crate::cli;
use sandshell_kernel::{Bytes, Input, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `cksum`
pub struct Cksum;
/// `sum`
pub struct Sum;

static CKSUM: Spec = Spec {
    name: "cksum",
    about: "Print CRC checksum and byte counts of each FILE.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[],
    notes: "For other digests there are md5sum, sha1sum, sha256sum, sha512sum.",
    version: "cksum (GNU coreutils) 9.1",
    examples: &[Example { script: "printf abc | cksum", output: "1219131554 3\n" }],
};

static SUM: Spec = Spec {
    name: "sum",
    about: "Print or check BSD (16-bit) checksums.",
    synopsis: &["[OPTION]... [FILE]..."],
    options: &[
        Opt::short('r', "use BSD sum algorithm (the default), use 1K blocks"),
        Opt::new('s', "sysv", "use System V sum algorithm, use 512 bytes blocks"),
    ],
    notes: "",
    version: "sum (GNU coreutils) 9.1",
    examples: &[Example { script: "printf abc | sum", output: "16556     1\n" }],
};

/// The CRC of POSIX cksum, eight bytes at a time by eight tables.
static TABLES: [[u32; 256]; 8] = {
    let mut t = [[0u32; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut c = (i as u32) << 24;
        let mut k = 0;
        while k < 8 {
            c = if c & 0x8000_0000 != 0 { (c << 1) ^ 0x04C1_1DB7 } else { c << 1 };
            k += 1;
        }
        t[0][i] = c;
        i += 1;
    }
    let mut n = 1;
    while n < 8 {
        let mut i = 0;
        while i < 256 {
            let c = t[n - 1][i];
            t[n][i] = (c << 8) ^ t[0][(c >> 24) as usize];
            i += 1;
        }
        n += 1;
    }
    t
};

fn crc(mut c: u32, data: &[u8]) -> u32 {
    let (eights, rest) = data.as_chunks::<8>();
    for e in eights {
        c ^= u32::from_be_bytes([e[0], e[1], e[2], e[3]]);
        c = TABLES[7][(c >> 24) as usize]
            ^ TABLES[6][(c >> 16 & 255) as usize]
            ^ TABLES[5][(c >> 8 & 255) as usize]
            ^ TABLES[4][(c & 255) as usize]
            ^ TABLES[3][e[4] as usize]
            ^ TABLES[2][e[5] as usize]
            ^ TABLES[1][e[6] as usize]
            ^ TABLES[0][e[7] as usize];
    }
    for b in rest {
        c = (c << 8) ^ TABLES[0][((c >> 24) as u8 ^ b) as usize];
    }
    c
}

fn each(
    process: &mut Process,
    spec: &'static Spec,
    sum: impl Fn(&mut Input, &sandshell_text::options::Parsed) -> Result<(String, bool)>,
) -> Result<Status> {
    let parsed = match cli::parse(process, spec, Order::Permute, 1)? {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let named = !parsed.operands.is_empty();
    let files = if named { parsed.operands.clone() } else { vec![Bytes::from_static(b"-")] };
    let mut status = Status::OK;
    for name in &files {
        let mut input = match process.open_input(name) {
            Ok(i) => i,
            Err(e) => {
                process.complain(format_args!("{}", cli::shell_quote(name, false)), e)?;
                status = Status::FAILURE;
                continue;
            }
        };
        let (text, always) = sum(&mut input, &parsed)?;
        process.stdout.put(text.as_bytes())?;
        if named && (always || files.len() > 1) {
            process.stdout.byte(b' ')?;
            process.stdout.put(name)?;
        }
        process.stdout.byte(b'\n')?;
    }
    Ok(status)
}

impl Program for Cksum {
    fn spec(&self) -> &'static Spec {
        &CKSUM
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        each(process, &CKSUM, |input, _| {
            let (mut c, mut len) = (0u32, 0u64);
            loop {
                let data = input.fill()?;
                if data.is_empty() {
                    break;
                }
                c = crc(c, data);
                let n = data.len();
                len += n as u64;
                input.consume(n);
            }
            let mut rest = len;
            while rest > 0 {
                c = crc(c, &[rest as u8]);
                rest >>= 8;
            }
            Ok((format!("{} {len}", !c), true))
        })
    }
}

impl Program for Sum {
    fn spec(&self) -> &'static Spec {
        &SUM
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        each(process, &SUM, |input, parsed| {
            let sysv = parsed.options.last().is_some_and(|f| f.id == "sysv");
            let (mut s, mut len) = (0u32, 0u64);
            loop {
                let data = input.fill()?;
                if data.is_empty() {
                    break;
                }
                for &b in data {
                    s = if sysv {
                        s.wrapping_add(u32::from(b))
                    } else {
                        ((s >> 1) + ((s & 1) << 15) + u32::from(b)) & 0xffff
                    };
                }
                let n = data.len();
                len += n as u64;
                input.consume(n);
            }
            if sysv {
                let r = (s & 0xffff) + (s >> 16);
                let r = (r & 0xffff) + (r >> 16);
                return Ok((format!("{r} {}", len.div_ceil(512)), true));
            }
            Ok((format!("{s:05} {:5}", len.div_ceil(1024)), true))
        })
    }
}
