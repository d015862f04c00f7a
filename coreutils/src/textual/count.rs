//! The numbers that head, tail and split take: `10`, `1K`, `2MB`, `+5`, `-5`.

/// A count with a multiplier suffix (`b kB K MB M GB G … KiB`), as xstrtoumax reads it; overflow saturates.
pub fn parse(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let mut n: u64 = 0;
    for &b in &text[..digits] {
        n = n.saturating_mul(10).saturating_add(u64::from(b - b'0'));
    }
    Some(n.saturating_mul(multiplier(&text[digits..])?))
}

fn multiplier(suffix: &[u8]) -> Option<u64> {
    let (power, rest) = match suffix {
        [] => return Some(1),
        b"b" => return Some(512),
        [b'k' | b'K', rest @ ..] => (1, rest),
        [b'm' | b'M', rest @ ..] => (2, rest),
        [b'G', rest @ ..] => (3, rest),
        [b'T', rest @ ..] => (4, rest),
        [b'P', rest @ ..] => (5, rest),
        [b'E', rest @ ..] => (6, rest),
        [b'Z', rest @ ..] => (7, rest),
        [b'Y', rest @ ..] => (8, rest),
        _ => return None,
    };
    let base: u64 = match rest {
        b"" | b"iB" => 1024,
        b"B" => 1000,
        _ => return None,
    };
    Some((0..power).fold(1u64, |n, _| n.saturating_mul(base)))
}
