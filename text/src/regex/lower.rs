//! [`Node`]s to what the engines take: HIR for the automata (once for ASCII text, once for UTF-8), pattern text for
//! the backtracker that does back-references.

use super::Flags;
use super::ast::{Look, Node, Set};
use crate::posix_class::PosixClass;
use regex_syntax::hir::{
    self, Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Repetition,
};
use std::fmt::Write;
use std::sync::OnceLock;

/// Text that the translation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Ascii,
    Utf8,
}

/// The HIR of a pattern, with the word or line conditions of `flags` around it.
pub(super) fn hir(node: &Node, flags: &Flags, text: Text) -> Hir {
    let core = Lower { flags, text }.node(node);
    let utf8 = text == Text::Utf8;
    let look = |l| Hir::look(look(l, flags, utf8));
    if flags.line {
        Hir::concat(vec![look(Look::LineStart), core, look(Look::LineEnd)])
    } else if flags.word {
        Hir::concat(vec![look(Look::WordStartHalf), core, look(Look::WordEndHalf)])
    } else {
        core
    }
}

struct Lower<'a> {
    flags: &'a Flags,
    text: Text,
}

impl Lower<'_> {
    fn node(&self, node: &Node) -> Hir {
        match node {
            Node::Empty | Node::Backref(_) => Hir::empty(),
            Node::Char(c) => self.char(*c),
            Node::Byte(b) => Hir::literal(vec![*b]),
            Node::Any if self.text == Text::Utf8 => {
                Hir::class(Class::Unicode(unicode(&Set { negated: true, ..Set::default() }, self.flags)))
            }
            Node::Any => {
                Hir::class(Class::Bytes(bytes(&Set { negated: true, ..Set::default() }, self.flags)))
            }
            Node::Set(set) => self.set(set),
            Node::Concat(list) => Hir::concat(list.iter().map(|n| self.node(n)).collect()),
            Node::Alt(list) => Hir::alternation(list.iter().map(|n| self.node(n)).collect()),
            Node::Repeat(n, min, max) => Hir::repetition(Repetition {
                min: *min,
                max: *max,
                greedy: true,
                sub: Box::new(self.node(n)),
            }),
            Node::Group(n, index) => {
                Hir::capture(Capture { index: *index, name: None, sub: Box::new(self.node(n)) })
            }
            Node::Look(l) => Hir::look(look(*l, self.flags, self.text == Text::Utf8)),
        }
    }

    fn char(&self, c: char) -> Hir {
        if self.flags.icase {
            let set = Set { ranges: vec![(c, c)], ..Set::default() };
            if self.text == Text::Utf8 && !c.is_ascii() {
                return Hir::class(Class::Unicode(unicode(&set, self.flags)));
            }
            if c.is_ascii_alphabetic() {
                return Hir::class(Class::Bytes(bytes(&set, self.flags)));
            }
        }
        Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes().to_vec())
    }

    fn set(&self, set: &Set) -> Hir {
        if self.text == Text::Ascii {
            return Hir::class(Class::Bytes(bytes(set, self.flags)));
        }
        let chars = Hir::class(Class::Unicode(unicode(set, self.flags)));
        if set.negated || set.bytes.is_empty() {
            return chars;
        }
        let single = set.bytes.iter().map(|b| ClassBytesRange::new(*b, *b));
        Hir::alternation(vec![chars, Hir::class(Class::Bytes(ClassBytes::new(single)))])
    }
}

/// The set as bytes, for ASCII text (a negated one holds all other bytes).
fn bytes(set: &Set, flags: &Flags) -> ClassBytes {
    let mut class = ClassBytes::empty();
    for (a, b) in &set.ranges {
        if a.is_ascii() {
            class.push(ClassBytesRange::new(*a as u8, (*b).min('\u{7f}') as u8));
        }
    }
    for k in &set.classes {
        for b in 0..128u8 {
            if k.has_ascii(b) {
                class.push(ClassBytesRange::new(b, b));
            }
        }
    }
    for b in &set.bytes {
        class.push(ClassBytesRange::new(*b, *b));
    }
    if flags.icase {
        class.case_fold_simple();
    }
    if set.negated {
        class.negate();
    }
    if flags.exclude_newline {
        class.difference(&ClassBytes::new([ClassBytesRange::new(flags.terminator, flags.terminator)]));
    }
    class
}

/// The set as characters.
fn unicode(set: &Set, flags: &Flags) -> ClassUnicode {
    let mut class = ClassUnicode::new(set.ranges.iter().map(|r| ClassUnicodeRange::new(r.0, r.1)));
    for k in &set.classes {
        class.union(class_table(*k));
    }
    if flags.icase {
        let _ = class.try_case_fold_simple();
    }
    if set.negated {
        class.negate();
    }
    if flags.exclude_newline {
        let end = char::from(flags.terminator);
        class.difference(&ClassUnicode::new([ClassUnicodeRange::new(end, end)]));
    }
    class
}

/// The characters of a class, read once from the tables of `regex-syntax`; the same as [`PosixClass::has`] says.
fn class_table(class: PosixClass) -> &'static ClassUnicode {
    static TABLES: [OnceLock<ClassUnicode>; 13] = [const { OnceLock::new() }; 13];
    TABLES[class as usize].get_or_init(|| {
        let set = match class {
            PosixClass::Alnum => r"[\p{Alphabetic}\p{N}]",
            PosixClass::Alpha => r"[[\p{Alphabetic}\p{N}]--[0-9]]",
            PosixClass::Word => r"[\p{Alphabetic}\p{N}_]",
            PosixClass::Blank => {
                r"[\t[\p{White_Space}--[\n-\r\x{85}\x{A0}\x{2007}\x{202F}\x{2028}\x{2029}]]]"
            }
            PosixClass::Cntrl => r"[\p{Cc}\x{2028}\x{2029}]",
            PosixClass::Digit => r"[0-9]",
            PosixClass::Xdigit => r"[0-9A-Fa-f]",
            PosixClass::Space => r"[\p{White_Space}--[\x{85}\x{A0}\x{2007}\x{202F}]]",
            PosixClass::Graph => r"[^\p{Cc}[\p{White_Space}--[\x{85}\x{A0}\x{2007}\x{202F}]]]",
            PosixClass::Lower => r"\p{Lowercase}",
            PosixClass::Upper => r"\p{Uppercase}",
            PosixClass::Print => r"[^\p{Cc}\x{2028}\x{2029}]",
            PosixClass::Punct => {
                r"[^\p{Alphabetic}\p{N}\p{Cc}[\p{White_Space}--[\x{85}\x{A0}\x{2007}\x{202F}]]]"
            }
        };
        match regex_syntax::parse(set).map(Hir::into_kind) {
            Ok(hir::HirKind::Class(Class::Unicode(table))) => table,
            _ => ClassUnicode::empty(),
        }
    })
}

fn look(l: Look, flags: &Flags, utf8: bool) -> hir::Look {
    use hir::Look as H;
    match (l, utf8) {
        (Look::LineStart, _) if flags.multiline => H::StartLF,
        (Look::LineEnd, _) if flags.multiline => H::EndLF,
        (Look::LineStart | Look::TextStart, _) => H::Start,
        (Look::LineEnd | Look::TextEnd, _) => H::End,
        (Look::Word, false) => H::WordAscii,
        (Look::Word, true) => H::WordUnicode,
        (Look::NotWord, false) => H::WordAsciiNegate,
        (Look::NotWord, true) => H::WordUnicodeNegate,
        (Look::WordStart, false) => H::WordStartAscii,
        (Look::WordStart, true) => H::WordStartUnicode,
        (Look::WordEnd, false) => H::WordEndAscii,
        (Look::WordEnd, true) => H::WordEndUnicode,
        (Look::WordStartHalf, false) => H::WordStartHalfAscii,
        (Look::WordStartHalf, true) => H::WordStartHalfUnicode,
        (Look::WordEndHalf, false) => H::WordEndHalfAscii,
        (Look::WordEndHalf, true) => H::WordEndHalfUnicode,
    }
}

/// The pattern as the backtracker reads it. Only for patterns without bytes that are not UTF-8.
pub(super) fn pattern_text(node: &Node, flags: &Flags) -> String {
    let mut out = String::new();
    if flags.icase {
        out.push_str("(?i)");
    }
    let look = |l, out: &mut String| print(&Node::Look(l), flags, out);
    if flags.line {
        look(Look::LineStart, &mut out);
    } else if flags.word {
        look(Look::WordStartHalf, &mut out);
    }
    out.push_str("(?:");
    print(node, flags, &mut out);
    out.push(')');
    if flags.line {
        look(Look::LineEnd, &mut out);
    } else if flags.word {
        look(Look::WordEndHalf, &mut out);
    }
    out
}

fn print(node: &Node, flags: &Flags, out: &mut String) {
    match node {
        Node::Empty => out.push_str("(?:)"),
        Node::Char(c) => push_char(*c, out),
        Node::Byte(b) => push_char(char::from(*b), out),
        Node::Any => print_set(&Set { negated: true, ..Set::default() }, flags, out),
        Node::Set(set) => print_set(set, flags, out),
        Node::Concat(list) => list.iter().for_each(|n| print(n, flags, out)),
        Node::Alt(list) => {
            out.push_str("(?:");
            for (i, n) in list.iter().enumerate() {
                if i > 0 {
                    out.push('|');
                }
                print(n, flags, out);
            }
            out.push(')');
        }
        Node::Repeat(n, min, max) => {
            out.push_str("(?:");
            print(n, flags, out);
            let _ = match max {
                Some(max) => write!(out, "){{{min},{max}}}"),
                None => write!(out, "){{{min},}}"),
            };
        }
        Node::Group(n, _) => {
            out.push('(');
            print(n, flags, out);
            out.push(')');
        }
        Node::Backref(n) => {
            let _ = write!(out, "(?:\\{n})");
        }
        Node::Look(l) => out.push_str(match l {
            Look::LineStart if flags.multiline => "(?m:^)",
            Look::LineEnd if flags.multiline => "(?m:$)",
            Look::LineStart | Look::TextStart => "\\A",
            Look::LineEnd | Look::TextEnd => "\\z",
            Look::Word => "\\b",
            Look::NotWord => "\\B",
            Look::WordStart => "\\b(?=\\w)",
            Look::WordEnd => "\\b(?<=\\w)",
            Look::WordStartHalf => "(?<!\\w)",
            Look::WordEndHalf => "(?!\\w)",
        }),
    }
}

fn push_char(c: char, out: &mut String) {
    if c.is_ascii() && !c.is_ascii_alphanumeric() {
        let _ = write!(out, "\\x{:02x}", c as u32);
    } else {
        out.push(c);
    }
}

fn print_set(set: &Set, flags: &Flags, out: &mut String) {
    let class = unicode(set, &Flags { icase: false, ..*flags });
    if class.ranges().is_empty() {
        out.push_str("(?!)");
        return;
    }
    out.push('[');
    for r in class.ranges() {
        let _ = write!(out, "\\x{{{:x}}}-\\x{{{:x}}}", r.start() as u32, r.end() as u32);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_predicates_agree() {
        use PosixClass::*;
        for class in
            [Alnum, Alpha, Blank, Cntrl, Digit, Graph, Lower, Print, Punct, Space, Upper, Word, Xdigit]
        {
            let table = class_table(class);
            let inside = |c: char| table.ranges().iter().any(|r| r.start() <= c && c <= r.end());
            // Blocks that newer versions of Unicode do not add to.
            let differing = ('\0'..='\u{24f}')
                .chain('\u{400}'..='\u{52f}')
                .chain('\u{2000}'..='\u{206f}')
                .filter(|c| inside(*c) != class.has(*c))
                .collect::<Vec<_>>();
            assert!(differing.is_empty(), "{class:?}: {differing:?}");
        }
    }
}
