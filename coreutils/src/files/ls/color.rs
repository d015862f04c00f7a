//! The colours of `ls --color`, by `LS_COLORS` over the built-in ones.

use sandshell_kernel::{Bytes, FileKind, Stat};

/// Codes by their two letters, and by suffix.
#[derive(Clone, Debug)]
pub(super) struct Colors {
    codes: Vec<([u8; 2], Bytes)>,
    suffixes: Vec<(Bytes, Bytes)>,
    /// Links have the colour of what they point to.
    pub link_as_target: bool,
    used: bool,
}

const BUILT_IN: &[(&[u8; 2], &str)] = &[
    (b"lc", "\x1b["),
    (b"rc", "m"),
    (b"rs", "0"),
    (b"di", "01;34"),
    (b"ln", "01;36"),
    (b"pi", "33"),
    (b"so", "01;35"),
    (b"bd", "01;33"),
    (b"cd", "01;33"),
    (b"ex", "01;32"),
    (b"do", "01;35"),
    (b"su", "37;41"),
    (b"sg", "30;43"),
    (b"st", "37;44"),
    (b"ow", "34;42"),
    (b"tw", "30;42"),
    (b"ca", "30;41"),
    (b"cl", "\x1b[K"),
];

impl Colors {
    /// From `LS_COLORS`; what cannot be read of it is left out.
    pub fn new(text: Option<&Bytes>) -> Colors {
        let codes = BUILT_IN.iter().map(|(k, v)| (**k, Bytes::from_static(v.as_bytes()))).collect();
        let mut c = Colors { codes, suffixes: Vec::new(), link_as_target: false, used: false };
        for item in text.iter().flat_map(|t| t.split(|&b| b == b':')) {
            let Some(eq) = item.iter().position(|&b| b == b'=') else { continue };
            let (key, value) = (&item[..eq], Bytes::from(unescape(&item[eq + 1..])));
            if let Some(suffix) = key.strip_prefix(b"*") {
                c.suffixes.insert(0, (Bytes::copy_from_slice(suffix), value));
            } else if let [a, b] = key {
                let key = [*a, *b];
                if &key == b"ln" && value == "target" {
                    c.link_as_target = true;
                    continue;
                }
                c.codes.retain(|(k, _)| *k != key);
                c.codes.push((key, value));
            }
        }
        c
    }

    fn code(&self, key: &[u8; 2]) -> Option<&Bytes> {
        self.codes.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Whether the code is set to something that colours.
    pub fn has(&self, key: &[u8; 2]) -> bool {
        self.code(key).is_some_and(|v| !matches!(&v[..], b"" | b"0" | b"00"))
    }

    /// The code for a file; `orphan`: a link that leads nowhere.
    pub fn of(&self, name: &[u8], kind: FileKind, stat: Option<&Stat>, orphan: bool) -> Option<Bytes> {
        let mode = stat.map_or(0, |s| s.mode);
        let key: &[u8; 2] = match kind {
            FileKind::Symlink if orphan && self.has(b"or") => b"or",
            FileKind::Symlink => b"ln",
            FileKind::Fifo => b"pi",
            FileKind::Device => b"cd",
            FileKind::Directory if mode & 0o1002 == 0o1002 && self.has(b"tw") => b"tw",
            FileKind::Directory if mode & 0o002 != 0 && self.has(b"ow") => b"ow",
            FileKind::Directory if mode & 0o1000 != 0 && self.has(b"st") => b"st",
            FileKind::Directory => b"di",
            FileKind::File if mode & 0o4000 != 0 && self.has(b"su") => b"su",
            FileKind::File if mode & 0o2000 != 0 && self.has(b"sg") => b"sg",
            FileKind::File if mode & 0o111 != 0 && self.has(b"ex") => b"ex",
            FileKind::File if stat.is_some_and(|s| s.nlink > 1) && self.has(b"mh") => b"mh",
            FileKind::File => {
                let fits =
                    |s: &[u8]| name.len() >= s.len() && name[name.len() - s.len()..].eq_ignore_ascii_case(s);
                if let Some((_, v)) = self.suffixes.iter().find(|(s, _)| fits(s)) {
                    return Some(v.clone());
                }
                b"fi"
            }
        };
        self.code(key).filter(|_| self.has(key)).cloned()
    }

    /// The code for what a link points to and is not there.
    pub fn missing(&self) -> Option<Bytes> {
        [b"mi", b"or"].into_iter().find(|k| self.has(k)).and_then(|k| self.code(k)).cloned()
    }

    fn put(&self, key: &[u8; 2], out: &mut Vec<u8>) {
        out.extend_from_slice(self.code(key).map_or(&b""[..], |v| v));
    }

    fn reset(&self, out: &mut Vec<u8>) {
        match self.code(b"ec") {
            Some(end) => out.extend_from_slice(end),
            None => {
                self.put(b"lc", out);
                self.put(b"rs", out);
                self.put(b"rc", out);
            }
        }
    }

    /// Starts a colour.
    pub fn start(&mut self, code: &[u8], out: &mut Vec<u8>) {
        if !self.used {
            self.used = true;
            self.reset(out);
        }
        self.put(b"lc", out);
        out.extend_from_slice(code);
        self.put(b"rc", out);
    }

    /// Ends it; `wrapped`: the name went over the end of a line.
    pub fn end(&self, wrapped: bool, out: &mut Vec<u8>) {
        self.reset(out);
        if wrapped {
            self.put(b"cl", out);
        }
    }
}

/// `\e`, `\033`, `\x1b`, `^[`
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            (b'\\', Some(&c)) => {
                at += 2;
                out.push(match c {
                    b'a' => 7,
                    b'b' => 8,
                    b'e' => 27,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    b'?' => 127,
                    b'_' => b' ',
                    b'0'..=b'7' => {
                        let mut n = u32::from(c - b'0');
                        while let Some(d) = text.get(at).filter(|d| (b'0'..=b'7').contains(*d)) {
                            n = n * 8 % 256 + u32::from(d - b'0');
                            at += 1;
                        }
                        n as u8
                    }
                    c => c,
                });
            }
            (b'^', Some(&c)) => {
                at += 2;
                out.push(if c == b'?' { 127 } else { c & 0o37 });
            }
            (b, _) => {
                at += 1;
                out.push(b);
            }
        }
    }
    out
}
