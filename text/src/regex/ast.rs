//! The parsed form of a BRE or ERE, and what can be read off it.

use crate::posix_class::PosixClass;

/// A regular expression.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Empty,
    Char(char),
    /// A byte that is not UTF-8.
    Byte(u8),
    /// `.`
    Any,
    Set(Box<Set>),
    Concat(Vec<Node>),
    Alt(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    Group(Box<Node>, u32),
    Backref(u32),
    Look(Look),
}

/// A bracket expression or a class such as `\w`.
#[derive(Debug, Clone, Default)]
pub(super) struct Set {
    pub(super) negated: bool,
    pub(super) ranges: Vec<(char, char)>,
    pub(super) classes: Vec<PosixClass>,
    pub(super) bytes: Vec<u8>,
}

/// A zero-width assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// `^`
    LineStart,
    /// `$`
    LineEnd,
    /// `` \` ``
    TextStart,
    /// `\'`
    TextEnd,
    /// `\b`
    Word,
    /// `\B`
    NotWord,
    /// `\<`
    WordStart,
    /// `\>`
    WordEnd,
    /// No word character before (`grep -w`).
    WordStartHalf,
    /// No word character after.
    WordEndHalf,
}

impl Set {
    fn ascii_only(&self) -> bool {
        use PosixClass::{Digit, Xdigit};
        !self.negated
            && self.bytes.is_empty()
            && self.ranges.iter().all(|r| r.1.is_ascii())
            && self.classes.iter().all(|c| matches!(c, Digit | Xdigit))
    }
}

impl Node {
    /// Calls `f` on every node, the outer ones first.
    pub(super) fn walk(&self, f: &mut impl FnMut(&Node)) {
        f(self);
        match self {
            Node::Concat(list) | Node::Alt(list) => list.iter().for_each(|n| n.walk(f)),
            Node::Repeat(n, ..) | Node::Group(n, _) => n.walk(f),
            _ => {}
        }
    }

    /// Whether it means another thing to text that is not ASCII than its translation to bytes would.
    pub(super) fn needs_unicode(&self, icase: bool) -> bool {
        let mut needs = false;
        self.walk(&mut |n| {
            needs |= match n {
                Node::Any => true,
                Node::Char(c) => icase && !c.is_ascii(),
                Node::Set(s) => !s.ascii_only(),
                Node::Look(l) => {
                    !matches!(l, Look::LineStart | Look::LineEnd | Look::TextStart | Look::TextEnd)
                }
                _ => false,
            }
        });
        needs
    }

    pub(super) fn has_backrefs(&self) -> bool {
        let mut has = false;
        self.walk(&mut |n| has |= matches!(n, Node::Backref(_)));
        has
    }

    /// The text that it stands for, if that is one.
    pub(super) fn literal(&self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let push = |n: &Node, text: &mut Vec<u8>| match n {
            Node::Char(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Node::Byte(b) => text.push(*b),
            _ => unreachable!("checked by the caller"),
        };
        match self {
            Node::Empty => {}
            Node::Char(_) | Node::Byte(_) => push(self, &mut text),
            Node::Concat(list) => {
                if !list.iter().all(|n| matches!(n, Node::Char(_) | Node::Byte(_))) {
                    return None;
                }
                list.iter().for_each(|n| push(n, &mut text));
            }
            _ => return None,
        }
        Some(text)
    }

    /// The texts that it is an alternation of, if it is that.
    pub(super) fn literals(&self) -> Option<Vec<Vec<u8>>> {
        match self {
            Node::Alt(list) => list.iter().map(Node::literal).collect(),
            _ => None,
        }
    }

    /// The longest text that every match contains.
    pub(super) fn required(&self) -> Vec<u8> {
        let longer = |a: Vec<u8>, b: Vec<u8>| if b.len() > a.len() { b } else { a };
        match self {
            Node::Char(_) | Node::Byte(_) => self.literal().unwrap_or_default(),
            Node::Group(n, _) => n.required(),
            Node::Repeat(n, min, _) if *min > 0 => n.required(),
            Node::Concat(list) => {
                let (mut best, mut run) = (Vec::new(), Vec::new());
                for n in list {
                    if matches!(n, Node::Char(_) | Node::Byte(_)) {
                        run.extend(n.required());
                        continue;
                    }
                    if matches!(n, Node::Look(_)) {
                        continue;
                    }
                    best = longer(longer(best, std::mem::take(&mut run)), n.required());
                }
                longer(best, run)
            }
            _ => Vec::new(),
        }
    }

    /// Whether the longest match can be another than the one that greedy backtracking prefers. Repetitions of single
    /// characters in a row never differ: an earlier one that takes more leaves the later ones with as many choices.
    pub(super) fn longest_can_differ(&self) -> bool {
        let mut units = Units::default();
        units.add(self);
        units.other > 0 && units.other + units.variable > 1 || units.unknown
    }

    /// How many characters it takes, if always the same.
    fn width(&self) -> Option<usize> {
        match self {
            Node::Empty | Node::Look(_) => Some(0),
            Node::Char(_) | Node::Byte(_) | Node::Any | Node::Set(_) => Some(1),
            Node::Concat(list) => {
                list.iter().map(Node::width).try_fold(0usize, |a, w| Some(a.saturating_add(w?)))
            }
            Node::Alt(list) => {
                let first = list.first()?.width()?;
                list.iter().all(|n| n.width() == Some(first)).then_some(first)
            }
            Node::Repeat(n, min, max) if Some(*min) == *max => n.width()?.checked_mul(*min as usize),
            Node::Group(n, _) => n.width(),
            Node::Repeat(..) | Node::Backref(_) => None,
        }
    }
}

#[derive(Default)]
struct Units {
    /// Repetitions of one character.
    variable: usize,
    /// Repetitions of longer texts of fixed length.
    other: usize,
    unknown: bool,
}

impl Units {
    fn add(&mut self, n: &Node) {
        match n {
            _ if n.width().is_some() => {}
            Node::Concat(list) => list.iter().for_each(|n| self.add(n)),
            Node::Group(n, _) => self.add(n),
            Node::Repeat(inner, ..) => match inner.width() {
                Some(1) => self.variable += 1,
                Some(_) => self.other += 1,
                None => self.unknown = true,
            },
            _ => self.unknown = true,
        }
    }
}
