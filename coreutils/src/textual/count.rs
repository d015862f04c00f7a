//! The numbers that head, tail, shuf and uniq take: `10`, `1K`, `2MB`.

use sandshell_text::number::{SizeError, parse_size};

/// A count with a multiplier suffix (`b kB K MB M GB G … KiB`), as xstrtoumax reads it; overflow saturates.
pub fn parse(text: &[u8]) -> Option<u64> {
    if !text.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    match parse_size(text, "bEGKkMmPTYZ0") {
        Ok(n) => Some(n),
        Err(SizeError::Overflow) => Some(u64::MAX),
        Err(_) => None,
    }
}
