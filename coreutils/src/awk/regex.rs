//! Regular expressions in gawk's dialect, and when one may be looked for in many lines at once.

use sandshell_text::regex::{Flags, LineFinder, Regex, Syntax};
use std::rc::Rc;

/// Compiles a pattern; the error is the C library's text.
pub fn compile(text: &[u8], ignore_case: bool) -> Result<Rc<Regex>, String> {
    let flags = Flags::default().icase(ignore_case);
    Regex::new(text, Syntax::Awk, flags).map(Rc::new).map_err(|e| e.0)
}

/// The same pattern for finding lines in a buffer; none where it could tell a buffer from a line.
pub fn for_lines(text: &[u8]) -> Option<LineFinder> {
    let tells = |w: &[u8]| w[0] == b'\\' && matches!(w[1], b'n' | b'0'..=b'9' | b'x' | b'`' | b'\'');
    if text.contains(&b'\n') || text.windows(2).any(tells) {
        return None;
    }
    Regex::new(text, Syntax::Awk, Flags::lines()).ok().map(LineFinder::new)
}
