//! The patterns of rg: Rust's syntax with Unicode, whose matches never cross a line unless asked; with `-P` Perl's.

use regex_automata::{
    Input,
    meta::{self, Regex},
    util::captures::Captures,
};
use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};
use sandshell_text::regex::{Captures as TextCaptures, Flags, Regex as TextRegex, Syntax};

/// What the options say of the pattern.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// `-i`, or decided by `-S`.
    pub ignore_case: bool,
    /// `-S`
    pub smart_case: bool,
    /// `-w`
    pub word: bool,
    /// `-x`
    pub line: bool,
    /// `-F`
    pub fixed: bool,
    /// `-U`
    pub multiline: bool,
    /// `--multiline-dotall`
    pub dot_all: bool,
    /// `--crlf`
    pub crlf: bool,
    /// `--null-data`
    pub null_data: bool,
    /// `--no-unicode`
    pub ascii: bool,
    /// `-P`
    pub perl: bool,
}

/// A compiled pattern.
pub struct Pattern {
    engine: Engine,
    /// A text that every match contains (maybe empty).
    pub required: Vec<u8>,
}

enum Engine {
    Rust(Box<Regex>),
    Perl(TextRegex),
}

/// How large a compiled pattern may be.
const SIZE_LIMIT: usize = 10 << 20;

impl Pattern {
    /// Compiles patterns of which any may match; the error is ripgrep's message.
    pub fn new(patterns: &[String], o: Options) -> Result<Pattern, String> {
        let escaped: Vec<String> = match o.fixed {
            true => patterns.iter().map(|p| regex_syntax::escape(p)).collect(),
            false => patterns.to_vec(),
        };
        let fold = o.ignore_case || o.smart_case && !has_uppercase(&escaped);
        let whole = match &escaped[..] {
            [one] => one.clone(),
            many => many.iter().map(|p| format!("(?:{p})")).collect::<Vec<_>>().join("|"),
        };
        if o.perl {
            let flags = Flags { word: o.word, line: o.line, dot_all: o.dot_all, ..Flags::lines() };
            let flags = Flags { exclude_newline: !o.multiline, ..flags }.icase(fold);
            let terminator = if o.null_data { 0 } else { b'\n' };
            let regex = TextRegex::new(whole.as_bytes(), Syntax::Perl, Flags { terminator, ..flags });
            let regex = regex.map_err(|e| format!("PCRE2: error compiling pattern: {e}"))?;
            let required = regex.required_literal().to_vec();
            return Ok(Pattern { engine: Engine::Perl(regex), required });
        }
        let parse = |text: &str| {
            ParserBuilder::new()
                .case_insensitive(fold)
                .multi_line(true)
                .dot_matches_new_line(o.dot_all && o.multiline)
                .crlf(o.crlf)
                .unicode(!o.ascii)
                .utf8(false)
                .nest_limit(200)
                .build()
                .parse(text)
                .map_err(|e| e.to_string())
        };
        // The message shows the pattern as typed, so it is parsed alone first.
        for p in &escaped {
            parse(p)?;
        }
        let text = match (o.line, o.word) {
            (true, _) => format!("^(?:{whole})$"),
            (_, true) => format!(r"\b{{start-half}}(?:{whole})\b{{end-half}}"),
            _ => whole,
        };
        let mut hir = parse(&text)?;
        if !o.multiline {
            hir = without_terminator(hir, if o.null_data { 0 } else { b'\n' })?;
        }
        let config = Regex::config()
            .utf8_empty(false)
            .nfa_size_limit(Some(SIZE_LIMIT))
            .line_terminator(if o.null_data { 0 } else { b'\n' });
        let built = meta::Builder::new().configure(config).build_from_hir(&hir);
        let regex = built.map_err(|e| match e.size_limit() {
            Some(limit) => format!("Compiled regex exceeds size limit of {limit} bytes."),
            None => e.to_string(),
        })?;
        Ok(Pattern { engine: Engine::Rust(Box::new(regex)), required: required(&hir).to_vec() })
    }

    /// Whether a search may take long on few bytes.
    pub fn backtracks(&self) -> bool {
        matches!(self.engine, Engine::Perl(_))
    }

    /// The bounds of the first line at or after `from` that has a match.
    pub fn next_line(&self, text: &[u8], from: usize, eol: u8) -> Option<(usize, usize)> {
        if from >= text.len() {
            return None;
        }
        let line_end = |at: usize| memchr::memchr(eol, &text[at..]).map_or(text.len(), |n| at + n);
        let regex = match &self.engine {
            Engine::Rust(r) => r,
            Engine::Perl(r) => {
                // The backtracker does not know where lines end.
                let mut from = from;
                while from < text.len() {
                    let end = line_end(from);
                    if r.is_match(&text[from..end]) {
                        return Some((from, end));
                    }
                    from = end + 1;
                }
                return None;
            }
        };
        let at = regex.search_half(&Input::new(text).range(from..))?.offset();
        let start = memchr::memrchr(eol, &text[from..at]).map_or(from, |n| from + n + 1);
        (start < text.len()).then(|| (start, line_end(at)))
    }

    /// The next match.
    pub fn find_at(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        match &self.engine {
            Engine::Rust(r) => r.find(Input::new(text).range(from..)).map(|m| (m.start(), m.end())),
            Engine::Perl(r) => r.find_at(text, from),
        }
    }

    /// All matches of a line.
    pub fn matches(&self, line: &[u8], out: &mut Vec<(usize, usize)>) {
        out.clear();
        match &self.engine {
            Engine::Rust(r) => out.extend(r.find_iter(line).map(|m| (m.start(), m.end()))),
            Engine::Perl(r) => out.extend(r.searcher(line).matches()),
        }
    }

    /// Appends the replacement of the match that begins at `start`.
    pub fn replace(&self, text: &[u8], start: usize, replacement: &[u8], out: &mut Vec<u8>) {
        use regex_automata::util::interpolate;
        match &self.engine {
            Engine::Rust(r) => {
                let mut caps: Captures = r.create_captures();
                r.captures(Input::new(text).range(start..), &mut caps);
                caps.interpolate_bytes_into(text, replacement, out);
            }
            Engine::Perl(r) => {
                let mut caps = TextCaptures::new();
                if !r.captures_at(text, start, &mut caps) {
                    return;
                }
                let append = |i: usize, out: &mut Vec<u8>| {
                    if let Some((a, b)) = caps.get(i) {
                        out.extend_from_slice(&text[a..b]);
                    }
                };
                let named = |name: &str| (0..=r.groups()).find(|&i| r.group_name(i) == Some(name));
                interpolate::bytes(replacement, append, named, out);
            }
        }
    }
}

/// The longest text that every match contains.
fn required(hir: &Hir) -> &[u8] {
    match hir.kind() {
        HirKind::Literal(l) => &l.0,
        HirKind::Capture(c) => required(&c.sub),
        HirKind::Repetition(r) if r.min > 0 => required(&r.sub),
        HirKind::Concat(all) => all.iter().map(required).max_by_key(|l| l.len()).unwrap_or_default(),
        _ => b"",
    }
}

/// Whether a pattern has an uppercase letter that stands for itself.
fn has_uppercase(patterns: &[String]) -> bool {
    patterns.iter().any(|p| {
        let mut chars = p.chars();
        let mut upper = false;
        while let Some(c) = chars.next() {
            match c {
                // The name of a class or a property is no text.
                '\\' if matches!(chars.next(), Some('p' | 'P' | 'x' | 'u' | 'U')) => {
                    if chars.next() == Some('{') {
                        chars.by_ref().take_while(|c| *c != '}').for_each(drop);
                    }
                }
                '\\' => {}
                c => upper |= c.is_uppercase(),
            }
        }
        upper
    })
}

/// Takes the line terminator out of classes; one that stands for itself is an error.
fn without_terminator(hir: Hir, byte: u8) -> Result<Hir, String> {
    Ok(match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Literal(literal) => {
            if literal.0.contains(&byte) {
                let shown = if byte == 0 { "\\0" } else { "\\n" };
                return Err(format!(
                    "the literal '\"{shown}\"' is not allowed in a regex\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\nWhen multiline mode is enabled, new line characters can be matched."
                ));
            }
            Hir::literal(literal.0)
        }
        HirKind::Class(Class::Unicode(mut class)) => {
            let end = regex_syntax::hir::ClassUnicodeRange::new(char::from(byte), char::from(byte));
            class.difference(&regex_syntax::hir::ClassUnicode::new([end]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            let end = regex_syntax::hir::ClassBytesRange::new(byte, byte);
            class.difference(&regex_syntax::hir::ClassBytes::new([end]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(mut rep) => {
            rep.sub = Box::new(without_terminator(*rep.sub, byte)?);
            Hir::repetition(rep)
        }
        HirKind::Capture(mut capture) => {
            capture.sub = Box::new(without_terminator(*capture.sub, byte)?);
            Hir::capture(capture)
        }
        HirKind::Concat(all) => {
            Hir::concat(all.into_iter().map(|h| without_terminator(h, byte)).collect::<Result<_, _>>()?)
        }
        HirKind::Alternation(all) => {
            Hir::alternation(all.into_iter().map(|h| without_terminator(h, byte)).collect::<Result<_, _>>()?)
        }
    })
}
