//! Patterns without back-references: the meta engine finds where the leftmost match begins; where the longest match
//! can be another than the preferred one, a lazy DFA that knows all matches finds its end.

use super::ast::Node;
use super::lower::{self, Text};
use super::{Flags, RegexError};
use parking_lot::Mutex;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::meta;
use regex_automata::nfa::thompson::{self, pikevm::PikeVM};
use regex_automata::util::look::LookMatcher;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::{Hir, Look};
use std::sync::OnceLock;

/// The pattern, compiled for ASCII text and (when first needed) for other text.
#[derive(Debug)]
pub(super) struct Automata {
    node: Node,
    flags: Flags,
    ascii: Variant,
    /// Whether other text needs another translation.
    two: bool,
    utf8: OnceLock<Option<Box<Variant>>>,
}

/// One translation.
#[derive(Debug)]
pub(super) struct Variant {
    hir: Hir,
    flags: Flags,
    meta: meta::Regex,
    differs: bool,
    /// The same, which must end at the end of the text: finds the groups of a longest match.
    ending: OnceLock<Option<meta::Regex>>,
    all: OnceLock<Option<Dfa>>,
    /// For where the DFA cannot tell.
    slow: OnceLock<Option<PikeVM>>,
}

/// A lazy DFA with the caches that are not in use.
#[derive(Debug)]
struct Dfa {
    dfa: DFA,
    caches: Mutex<Vec<Cache>>,
}

/// Bytes of compiled automaton that a pattern may take.
const SIZE_LIMIT: usize = 32 << 20;

fn too_big() -> RegexError {
    RegexError("Regular expression too big".to_owned())
}

impl Automata {
    pub(super) fn new(node: Node, flags: &Flags) -> Result<Automata, RegexError> {
        let two = node.needs_unicode(flags.icase) || flags.word;
        let ascii = Variant::new(&node, flags, Text::Ascii).ok_or_else(too_big)?;
        Ok(Automata { node, flags: *flags, ascii, two, utf8: OnceLock::new() })
    }

    /// The translation for this text.
    #[inline]
    pub(super) fn variant(&self, text: &[u8]) -> &Variant {
        if !self.two || text.is_ascii() {
            return &self.ascii;
        }
        let utf8 = self.utf8.get_or_init(|| Variant::new(&self.node, &self.flags, Text::Utf8).map(Box::new));
        // Too big for characters, though not for bytes: bytes must do.
        utf8.as_deref().unwrap_or(&self.ascii)
    }
}

fn build(hir: &Hir, flags: &Flags) -> Option<meta::Regex> {
    let config = meta::Config::new()
        .utf8_empty(false)
        .line_terminator(flags.terminator)
        .dfa(false)
        .nfa_size_limit(Some(SIZE_LIMIT));
    meta::Builder::new().configure(config).build_from_hir(hir).ok()
}

impl Variant {
    fn new(node: &Node, flags: &Flags, text: Text) -> Option<Variant> {
        let hir = lower::hir(node, flags, text);
        let meta = build(&hir, flags)?;
        let differs = node.longest_can_differ() || flags.word;
        Some(Variant {
            hir,
            flags: *flags,
            meta,
            differs,
            ending: OnceLock::new(),
            all: OnceLock::new(),
            slow: OnceLock::new(),
        })
    }

    fn nfa(&self) -> Option<thompson::NFA> {
        let mut look = LookMatcher::new();
        look.set_line_terminator(self.flags.terminator);
        let config = thompson::Config::new()
            .utf8(false)
            .look_matcher(look)
            .nfa_size_limit(Some(SIZE_LIMIT))
            .which_captures(thompson::WhichCaptures::Implicit);
        thompson::Compiler::new().configure(config).build_from_hir(&self.hir).ok()
    }

    fn all(&self) -> Option<&Dfa> {
        let make = || {
            let nfa = self.nfa()?;
            let config = DFA::config()
                .match_kind(MatchKind::All)
                .unicode_word_boundary(true)
                .skip_cache_capacity_check(true);
            let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
            Some(Dfa { dfa, caches: Mutex::new(Vec::new()) })
        };
        self.all.get_or_init(make).as_ref()
    }

    #[inline]
    pub(super) fn is_match(&self, text: &[u8], start: usize) -> bool {
        self.meta.is_match(Input::new(text).range(start..))
    }

    /// The end of some match: the one that is found with least work.
    #[inline]
    pub(super) fn some_end(&self, text: &[u8], start: usize) -> Option<usize> {
        self.meta.search_half(&Input::new(text).range(start..).earliest(true)).map(|m| m.offset())
    }

    /// Like [`Variant::some_end`] with the lazy DFA alone: faster where the literals of the pattern are everywhere.
    pub(super) fn some_end_plain(&self, text: &[u8], start: usize) -> Option<usize> {
        let input = Input::new(text).range(start..).earliest(true);
        match self.all().and_then(|d| d.search(&input)) {
            Some(end) => end,
            None => self.some_end(text, start),
        }
    }

    pub(super) fn find(&self, text: &[u8], start: usize) -> Option<(usize, usize)> {
        let m = self.meta.search(&Input::new(text).range(start..))?;
        if !self.differs {
            return Some((m.start(), m.end()));
        }
        Some((m.start(), self.longest(text, m.start(), m.end())))
    }

    /// The end of the longest match that begins at `start`, where one ends at `end`.
    fn longest(&self, text: &[u8], start: usize, end: usize) -> usize {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        match self.all().and_then(|d| d.search(&input)) {
            Some(Some(longest)) => return longest.max(end),
            Some(None) => return end,
            None => {}
        }
        let slow = self.slow.get_or_init(|| {
            let config = PikeVM::config().match_kind(MatchKind::All);
            PikeVM::builder().configure(config).build_from_nfa(self.nfa()?).ok()
        });
        let Some(slow) = slow else { return end };
        // Without captures only the end is known, in the second slot.
        let mut slots = [None; 2];
        slow.search_slots(&mut slow.create_cache(), &input, &mut slots);
        slots[1].map_or(end, |s| s.get().max(end))
    }

    pub(super) fn captures(&self, text: &[u8], start: usize, slots: &mut [Option<usize>]) -> bool {
        let mut found =
            smallvec::SmallVec::<[Option<regex_automata::util::primitives::NonMaxUsize>; 24]>::new();
        found.resize(slots.len(), None);
        if self.meta.search_slots(&Input::new(text).range(start..), &mut found).is_none() {
            return false;
        }
        let get = |n: usize| found.get(n).copied().flatten().map(|s| s.get());
        if self.differs
            && let (Some(from), Some(to)) = (get(0), get(1))
        {
            let longest = self.longest(text, from, to);
            if longest != to {
                let ending = self.ending.get_or_init(|| {
                    let hir = Hir::concat(vec![self.hir.clone(), Hir::look(Look::End)]);
                    build(&hir, &self.flags)
                });
                let input = Input::new(&text[..longest]).range(from..).anchored(Anchored::Yes);
                let whole = ending.as_ref().and_then(|e| e.search_slots(&input, &mut found));
                if whole.is_none() {
                    // The end depends on what follows it (`\B`): only the whole is sure.
                    slots[0] = Some(from);
                    slots[1] = Some(longest);
                    return true;
                }
            }
        }
        for (slot, found) in slots.iter_mut().zip(&found) {
            *slot = found.map(|s| s.get());
        }
        true
    }
}

impl Dfa {
    /// `None`: the DFA cannot tell (text that is not ASCII at a word's edge).
    fn search(&self, input: &Input<'_>) -> Option<Option<usize>> {
        let mut cache = self.caches.lock().pop().unwrap_or_else(|| self.dfa.create_cache());
        let found = self.dfa.try_search_fwd(&mut cache, input).ok().map(|m| m.map(|m| m.offset()));
        self.caches.lock().push(cache);
        found
    }
}
