//! The POSIX character classes (`[:alpha:]` …) as shell patterns and regular expressions know them, for ASCII bytes
//! and, in C.UTF-8, for characters.

/// A character class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PosixClass {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

impl PosixClass {
    /// The class of a name, without the colons.
    pub fn named(name: &[u8]) -> Option<PosixClass> {
        use PosixClass::*;
        Some(match name {
            b"alnum" => Alnum,
            b"alpha" => Alpha,
            b"blank" => Blank,
            b"cntrl" => Cntrl,
            b"digit" => Digit,
            b"graph" => Graph,
            b"lower" => Lower,
            b"print" => Print,
            b"punct" => Punct,
            b"space" => Space,
            b"upper" => Upper,
            b"word" => Word,
            b"xdigit" => Xdigit,
            _ => return None,
        })
    }

    /// Whether it holds this ASCII byte; false for others.
    pub const fn has_ascii(self, b: u8) -> bool {
        use PosixClass::*;
        match self {
            Alnum => b.is_ascii_alphanumeric(),
            Alpha => b.is_ascii_alphabetic(),
            Blank => b == b' ' || b == b'\t',
            Cntrl => b.is_ascii_control(),
            Digit => b.is_ascii_digit(),
            Graph => b.is_ascii_graphic(),
            Lower => b.is_ascii_lowercase(),
            Print => b.is_ascii_graphic() || b == b' ',
            Punct => b.is_ascii_punctuation(),
            Space => matches!(b, b' ' | b'\t'..=b'\r'),
            Upper => b.is_ascii_uppercase(),
            Word => b.is_ascii_alphanumeric() || b == b'_',
            Xdigit => b.is_ascii_hexdigit(),
        }
    }

    /// Whether it holds this character, as glibc's C.UTF-8 says (digits are only ASCII; others count as letters).
    pub fn has(self, c: char) -> bool {
        use PosixClass::*;
        if c.is_ascii() {
            return self.has_ascii(c as u8);
        }
        let space = || c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}');
        match self {
            Alnum | Alpha | Word => c.is_alphanumeric(),
            Blank => space() && !matches!(c, '\u{2028}' | '\u{2029}'),
            Cntrl => c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'),
            Digit | Xdigit => false,
            Graph => !space() && !c.is_control(),
            Lower => c.is_lowercase(),
            Print => !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}'),
            Punct => !c.is_alphanumeric() && !space() && !c.is_control(),
            Space => space(),
            Upper => c.is_uppercase(),
        }
    }
}

/// The character that a collating symbol names: itself, or one of the POSIX names.
pub fn collating(name: &[u8]) -> Option<char> {
    if let Ok(s) = std::str::from_utf8(name) {
        let mut chars = s.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            return Some(c);
        }
    }
    Some(match name {
        b"NUL" => '\0',
        b"alert" => '\x07',
        b"backspace" => '\x08',
        b"tab" => '\t',
        b"newline" => '\n',
        b"vertical-tab" => '\x0b',
        b"form-feed" => '\x0c',
        b"carriage-return" => '\r',
        b"space" => ' ',
        b"exclamation-mark" => '!',
        b"quotation-mark" => '"',
        b"number-sign" => '#',
        b"dollar-sign" => '$',
        b"percent-sign" => '%',
        b"ampersand" => '&',
        b"apostrophe" => '\'',
        b"left-parenthesis" => '(',
        b"right-parenthesis" => ')',
        b"asterisk" => '*',
        b"plus-sign" => '+',
        b"comma" => ',',
        b"hyphen" | b"hyphen-minus" => '-',
        b"period" | b"full-stop" => '.',
        b"slash" | b"solidus" => '/',
        b"colon" => ':',
        b"semicolon" => ';',
        b"less-than-sign" => '<',
        b"equals-sign" => '=',
        b"greater-than-sign" => '>',
        b"question-mark" => '?',
        b"commercial-at" => '@',
        b"left-square-bracket" => '[',
        b"backslash" | b"reverse-solidus" => '\\',
        b"right-square-bracket" => ']',
        b"circumflex" | b"circumflex-accent" => '^',
        b"underscore" | b"low-line" => '_',
        b"grave-accent" => '`',
        b"left-brace" | b"left-curly-bracket" => '{',
        b"vertical-line" => '|',
        b"right-brace" | b"right-curly-bracket" => '}',
        b"tilde" => '~',
        _ => return None,
    })
}

/// The character at the start of `bytes` and its length; `None` and 1 for an invalid byte. `bytes` must not be empty.
#[inline]
pub fn next_char(bytes: &[u8]) -> (Option<char>, usize) {
    match bytes.first() {
        Some(b) if b.is_ascii() => (Some(char::from(*b)), 1),
        Some(_) => match bstr::decode_utf8(bytes) {
            (Some(c), n) => (Some(c), n),
            _ => (None, 1),
        },
        None => (None, 0),
    }
}

/// The last character of `bytes` and its length, like [`next_char`].
#[inline]
pub fn last_char(bytes: &[u8]) -> (Option<char>, usize) {
    match bytes.last() {
        Some(b) if b.is_ascii() => (Some(char::from(*b)), 1),
        Some(_) => match bstr::decode_last_utf8(bytes) {
            (Some(c), n) => (Some(c), n),
            _ => (None, 1),
        },
        None => (None, 0),
    }
}
