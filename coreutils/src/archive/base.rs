//! `base64` and `base32`: encodings, streamed by whole groups.

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Opt, Order, Spec};

/// `base64`
pub struct Base64;
/// `base32`
pub struct Base32;

const OPTIONS: &[Opt] = &[
    Opt::new('d', "decode", "decode data"),
    Opt::new('i', "ignore-garbage", "when decoding, ignore non-alphabet characters"),
    Opt::new(
        'w',
        "wrap",
        "wrap encoded lines after COLS character (default 76).  Use 0 to disable line wrapping",
    )
    .value("COLS"),
];

static BASE64: Spec = Spec {
    name: "base64",
    about: "Base64 encode or decode FILE, or standard input, to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]"],
    options: OPTIONS,
    notes: "The data are encoded as described for the base64 alphabet in RFC 4648.\nWhen decoding, the input may contain newlines in addition to the bytes of\nthe formal base64 alphabet.  Use --ignore-garbage to attempt to recover\nfrom any other non-alphabet bytes in the encoded stream.",
    version: "base64 (GNU coreutils) 9.1",
    examples: &[Example { script: "printf hi | base64", output: "aGk=\n" }],
};

static BASE32: Spec = Spec {
    name: "base32",
    about: "Base32 encode or decode FILE, or standard input, to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION]... [FILE]"],
    options: OPTIONS,
    notes: "",
    version: "base32 (GNU coreutils) 9.1",
    examples: &[Example { script: "printf hi | base32", output: "NBUQ====\n" }],
};

impl Program for Base64 {
    fn spec(&self) -> &'static Spec {
        &BASE64
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        run(process, &BASE64, &Codec::Base64)
    }
}

impl Program for Base32 {
    fn spec(&self) -> &'static Spec {
        &BASE32
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        run(process, &BASE32, &Codec::Base32)
    }
}

enum Codec {
    Base64,
    Base32,
}

impl Codec {
    /// Bytes and letters of one group.
    fn group(&self) -> (usize, usize) {
        match self {
            Codec::Base64 => (3, 4),
            Codec::Base32 => (5, 8),
        }
    }

    fn letter(&self, b: u8) -> bool {
        match self {
            Codec::Base64 => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='),
            Codec::Base32 => b.is_ascii_uppercase() || matches!(b, b'2'..=b'7' | b'='),
        }
    }

    fn encode(&self, data: &[u8], out: &mut Vec<u8>) {
        match self {
            Codec::Base64 => {
                let from = out.len();
                out.resize(from + data.len().div_ceil(3) * 4, 0);
                let _ = base64_simd::STANDARD.encode(data, base64_simd::Out::from_slice(&mut out[from..]));
            }
            Codec::Base32 => {
                const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
                for group in data.chunks(5) {
                    let n = group.iter().fold(0u64, |n, b| n << 8 | u64::from(*b)) << (8 * (5 - group.len()));
                    let letters = (group.len() * 8).div_ceil(5);
                    for i in 0..8 {
                        out.push(if i < letters {
                            ALPHABET[(n >> (35 - 5 * i) & 31) as usize]
                        } else {
                            b'='
                        });
                    }
                }
            }
        }
    }

    /// Whole groups; how many bytes of `data` were good when not all are.
    fn decode(&self, data: &[u8], out: &mut Vec<u8>) -> std::result::Result<(), ()> {
        let (bytes, letters) = self.group();
        if let Codec::Base64 = self
            && !data.contains(&b'=')
        {
            let from = out.len();
            out.resize(from + data.len() / 4 * 3, 0);
            let ok =
                base64_simd::STANDARD.decode(data, base64_simd::Out::from_slice(&mut out[from..])).is_ok();
            if ok {
                return Ok(());
            }
            out.truncate(from);
        }
        for group in data.chunks(letters) {
            let pad = group.iter().rev().take_while(|b| **b == b'=').count();
            let mut n = 0u64;
            let mut taken = 0usize;
            let mut good = group.len() == letters;
            for b in &group[..group.len() - pad] {
                let v = match (self, b) {
                    (Codec::Base64, b'A'..=b'Z') => b - b'A',
                    (Codec::Base64, b'a'..=b'z') => b - b'a' + 26,
                    (Codec::Base64, b'0'..=b'9') => b - b'0' + 52,
                    (Codec::Base64, b'+') => 62,
                    (Codec::Base64, b'/') => 63,
                    (Codec::Base32, b'A'..=b'Z') => b - b'A',
                    (Codec::Base32, b'2'..=b'7') => b - b'2' + 26,
                    _ => {
                        good = false;
                        break;
                    }
                };
                let bits = if let Codec::Base64 = self { 6 } else { 5 };
                n = n << bits | u64::from(v);
                taken += 1;
            }
            let have = group.len() - pad;
            let kept = match (self, have) {
                (Codec::Base64, 4) => 3,
                (Codec::Base64, 3) => 2,
                (Codec::Base64, 2) => 1,
                (Codec::Base32, 8) => 5,
                (Codec::Base32, 7) => 4,
                (Codec::Base32, 5) => 3,
                (Codec::Base32, 4) => 2,
                (Codec::Base32, 2) => 1,
                _ => 0,
            };
            if !good || kept == 0 {
                // What came before the bad letter within its group is still written.
                let bits = if let Codec::Base64 = self { 6 } else { 5 };
                let whole = taken * bits / 8;
                let all = (n << (64 - taken * bits).min(63)).to_be_bytes();
                out.extend_from_slice(&all[..whole]);
                return Err(());
            }
            let bits = if let Codec::Base64 = self { 6 } else { 5 };
            n <<= bits * pad;
            let all = n.to_be_bytes();
            out.extend_from_slice(&all[8 - bytes..8 - bytes + kept]);
        }
        Ok(())
    }
}

fn run(process: &mut Process, spec: &'static Spec, codec: &Codec) -> Result<Status> {
    let parsed = match cli::parse(process, spec, Order::Permute, 1)? {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let mut wrap = 76usize;
    if let Some(v) = parsed.last("wrap") {
        match std::str::from_utf8(v).ok().filter(|v| v.bytes().all(|b| b.is_ascii_digit()) && !v.is_empty()) {
            Some(v) => wrap = v.parse().unwrap_or(0),
            None => {
                process.error(format_args!("invalid wrap size: {}", cli::quote(v)))?;
                return Ok(Status::FAILURE);
            }
        }
    }
    if let Some(extra) = parsed.operands.get(1) {
        process.error(format_args!("extra operand {}", cli::quote(extra)))?;
        return cli::try_help(process, 1);
    }
    let name = parsed.operands.first().cloned().unwrap_or(Bytes::from_static(b"-"));
    let mut input = match process.open_input(&name) {
        Ok(i) => i,
        Err(e) => {
            process.complain(format_args!("{}", cli::shell_quote(&name, false)), e)?;
            return Ok(Status::FAILURE);
        }
    };
    let decode = parsed.has("decode");
    let garbage = parsed.has("ignore-garbage");
    let (bytes, letters) = codec.group();
    let size = if decode { letters } else { bytes };
    let (mut pending, mut coded, mut out) = (Vec::new(), Vec::new(), Vec::new());
    let mut column = 0usize;
    loop {
        let data = input.fill()?;
        let end = data.is_empty();
        if decode {
            let clean = |b: &u8| !(*b == b'\n' || garbage && !codec.letter(*b));
            let mut rest = data;
            while let (false, Some(i)) = (garbage, memchr::memchr(b'\n', rest)) {
                pending.extend_from_slice(&rest[..i]);
                rest = &rest[i + 1..];
            }
            pending.extend(rest.iter().copied().filter(clean));
        } else {
            pending.extend_from_slice(data);
        }
        let n = data.len();
        input.consume(n);
        let whole = if end { pending.len() } else { pending.len() - pending.len() % size };
        out.clear();
        if decode {
            let bad = codec.decode(&pending[..whole], &mut out).is_err();
            process.stdout.put(&out)?;
            if bad {
                process.stdout.flush()?;
                process.error(format_args!("invalid input"))?;
                return Ok(Status::FAILURE);
            }
        } else {
            coded.clear();
            codec.encode(&pending[..whole], &mut coded);
            if wrap == 0 {
                process.stdout.put(&coded)?;
            } else {
                let mut rest = &coded[..];
                while !rest.is_empty() {
                    let take = rest.len().min(wrap - column);
                    out.extend_from_slice(&rest[..take]);
                    rest = &rest[take..];
                    column += take;
                    if column == wrap {
                        out.push(b'\n');
                        column = 0;
                    }
                }
                if end && column > 0 {
                    out.push(b'\n');
                }
                process.stdout.put(&out)?;
            }
        }
        pending.drain(..whole);
        if end {
            return Ok(Status::OK);
        }
    }
}
