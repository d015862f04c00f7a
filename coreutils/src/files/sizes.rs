//! Sizes as ls, du and df show them: in blocks of some size, or for people.

use sandshell_kernel::Env;
use sandshell_text::number::{human, parse_size};

/// How to show a number of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// `-h` (1024) and `--si` (1000).
    Human(u32),
    /// In units of so many bytes, rounded up, with this behind.
    Blocks(u64, String),
}

impl Unit {
    /// Reads the argument of `--block-size`; `None` when it is none.
    pub fn parse(text: &[u8]) -> Option<Unit> {
        let text = text.strip_prefix(b"'").unwrap_or(text);
        match text {
            b"human-readable" => return Some(Unit::Human(1024)),
            b"si" => return Some(Unit::Human(1000)),
            _ => {}
        }
        let size = parse_size(text, "eEgGkKmMpPtTyYzZ0").ok().filter(|n| *n > 0)?;
        let suffix = match text.first() {
            Some(b) if !b.is_ascii_digit() => {
                let mut s = String::from_utf8_lossy(text).into_owned();
                if s == "kB" || s == "k" {
                    s = s.replace('k', if s == "k" { "K" } else { "k" });
                }
                s
            }
            _ => String::new(),
        };
        Some(Unit::Blocks(size, suffix))
    }

    /// What the environment asks for, by the program's own variable or the common ones; `otherwise` when nothing.
    pub fn of_env(env: &Env, own: &str, otherwise: u64) -> Unit {
        let named = [own, "BLOCK_SIZE", "BLOCKSIZE"].into_iter().find_map(|n| env.get(n));
        if let Some(unit) = named.and_then(|v| Unit::parse(v)) {
            return unit;
        }
        let posix = env.get("POSIXLY_CORRECT").is_some();
        Unit::Blocks(if posix && otherwise == 1024 { 512 } else { otherwise }, String::new())
    }

    /// The text for `bytes`.
    pub fn show(&self, bytes: u64) -> String {
        match self {
            Unit::Human(base) => human(bytes, *base),
            Unit::Blocks(1, suffix) => format!("{bytes}{suffix}"),
            Unit::Blocks(size, suffix) => format!("{}{suffix}", bytes.div_ceil(*size)),
        }
    }
}
