//! The permission test of `find`: octal or symbolic, exact, all (`-`) or any (`/`) of the bits.

/// `-perm MODE`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermTest {
    /// Exactly these bits.
    Exact(u32),
    /// At least these bits.
    All(u32),
    /// Any of these bits; none asked for is true.
    Any(u32),
}

impl PermTest {
    /// Parses the argument; `None` for an invalid mode.
    pub fn parse(text: &[u8]) -> Option<PermTest> {
        match text.first()? {
            b'-' => Some(PermTest::All(mode(&text[1..])?)),
            b'/' => Some(PermTest::Any(mode(&text[1..])?)),
            _ => Some(PermTest::Exact(mode(text)?)),
        }
    }

    /// Whether a file's bits pass.
    pub fn matches(self, bits: u32) -> bool {
        let bits = bits & 0o7777;
        match self {
            PermTest::Exact(m) => bits == m,
            PermTest::All(m) => bits & m == m,
            PermTest::Any(m) => m == 0 || bits & m != 0,
        }
    }
}

/// A mode as bits; a symbolic one starts from none.
fn mode(text: &[u8]) -> Option<u32> {
    if text.first()?.is_ascii_digit() {
        let text = std::str::from_utf8(text).ok()?;
        return u32::from_str_radix(text, 8).ok().filter(|&m| m <= 0o7777);
    }
    text.split(|&b| b == b',').try_fold(0, clause)
}

fn clause(bits: u32, clause: &[u8]) -> Option<u32> {
    let ops = clause.iter().position(|b| b"+-=".contains(b))?;
    let who = clause[..ops].iter().try_fold(0, |m, b| Some(m | class(*b)?))?;
    let who = if who == 0 { 0o7777 } else { who };
    let mut bits = bits;
    let mut rest = &clause[ops..];
    while let Some((&op, tail)) = rest.split_first() {
        let end = tail.iter().position(|b| b"+-=".contains(b)).unwrap_or(tail.len());
        let mut change = 0;
        for &b in &tail[..end] {
            change |= match b {
                b'r' => 0o444,
                b'w' => 0o222,
                b'x' => 0o111,
                b'X' => {
                    if bits & 0o111 != 0 {
                        0o111
                    } else {
                        0
                    }
                }
                b's' => 0o6000,
                b't' => 0o1000,
                b'u' => (bits >> 6 & 7) * 0o111,
                b'g' => (bits >> 3 & 7) * 0o111,
                b'o' => (bits & 7) * 0o111,
                _ => return None,
            };
        }
        bits = match op {
            b'+' => bits | change & who,
            b'-' => bits & !(change & who),
            _ => bits & !who | change & who,
        };
        rest = &tail[end..];
    }
    Some(bits)
}

fn class(letter: u8) -> Option<u32> {
    Some(match letter {
        b'u' => 0o4700,
        b'g' => 0o2070,
        b'o' => 0o1007,
        b'a' => 0o7777,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbolic_modes_start_from_nothing() {
        assert_eq!(PermTest::parse(b"-u+x,g=w"), Some(PermTest::All(0o120)));
        assert_eq!(PermTest::parse(b"/a+x"), Some(PermTest::Any(0o111)));
        assert_eq!(PermTest::parse(b"=rw"), Some(PermTest::Exact(0o666)));
        assert_eq!(PermTest::parse(b"u+z"), None);
        assert_eq!(PermTest::parse(b"9"), None);
    }
}
