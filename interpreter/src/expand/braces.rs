//! Brace expansion: the alternatives were found by the parser; here they are multiplied.

use crate::session::{
    shell::{Flow, Shell, Unwind},
    vars::int_text,
};
use crate::syntax::ir::{Brace, Part};
use bytes::Bytes;
use sandshell_kernel::Error;

impl Shell {
    /// Expands a word with braces to the fields of all its alternatives, from left to right.
    pub(super) fn expand_braces(&mut self, parts: &[Part], out: &mut Vec<Bytes>) -> Flow<()> {
        let mut held = self.budget.reservation();
        if let [Part::Brace(brace)] = parts
            && let Brace::Numbers { from, to, step, width } = **brace
        {
            return self.numbers(from, to, step, width, &mut held, out);
        }
        let mut words = 0u64;
        let mut made = Vec::new();
        self.multiply(parts, &mut Vec::new(), &mut made, &mut words, &mut held)?;
        for word in made {
            self.step()?;
            self.expand_sequence(&word, out)?;
        }
        Ok(())
    }

    /// `{1..9}` alone: straight to fields.
    fn numbers(
        &mut self,
        from: i64,
        to: i64,
        step: i64,
        width: usize,
        held: &mut sandshell_kernel::Reservation,
        out: &mut Vec<Bytes>,
    ) -> Flow<()> {
        let step = step.unsigned_abs().max(1);
        let count = from.abs_diff(to) / step;
        let mut n = from;
        for i in 0..=count {
            if i.is_multiple_of(256) {
                self.step()?;
                if let Err(Error::Stop(s)) = held.grow(256 * 64) {
                    return Err(Unwind::Stop(s));
                }
            }
            out.push(if width == 0 { int_text(n) } else { Bytes::from(padded(n, width)) });
            n = if to >= from { n.wrapping_add_unsigned(step) } else { n.wrapping_sub_unsigned(step) };
        }
        Ok(())
    }

    fn multiply(
        &mut self,
        parts: &[Part],
        prefix: &mut Vec<Part>,
        made: &mut Vec<Vec<Part>>,
        words: &mut u64,
        held: &mut sandshell_kernel::Reservation,
    ) -> Flow<()> {
        let Some(at) = parts.iter().position(|p| matches!(p, Part::Brace(_))) else {
            let mark = prefix.len();
            prefix.extend_from_slice(parts);
            made.push(merged(prefix));
            prefix.truncate(mark);
            *words += 1;
            if words.is_multiple_of(256) {
                self.step()?;
                if let Err(Error::Stop(s)) = held.grow(256 * 96) {
                    return Err(Unwind::Stop(s));
                }
            }
            return Ok(());
        };
        let mark = prefix.len();
        prefix.extend_from_slice(&parts[..at]);
        let rest = &parts[at + 1..];
        let Part::Brace(brace) = &parts[at] else { return Ok(()) };
        let here = prefix.len();
        match &**brace {
            Brace::List(alternatives) => {
                for a in alternatives {
                    // What follows is multiplied for each alternative; an alternative may hold braces itself.
                    let mut all = a.clone();
                    all.extend_from_slice(rest);
                    self.grow(|sh| sh.multiply(&all, prefix, made, words, held))?;
                    prefix.truncate(here);
                }
            }
            Brace::Numbers { from, to, step, width } => {
                let step = step.unsigned_abs().max(1);
                let mut n = *from;
                loop {
                    prefix.push(Part::Text(Bytes::from(padded(n, *width))));
                    self.multiply(rest, prefix, made, words, held)?;
                    prefix.truncate(here);
                    let left = n.abs_diff(*to);
                    if left < step {
                        break;
                    }
                    n = if to >= from {
                        n.wrapping_add_unsigned(step)
                    } else {
                        n.wrapping_sub_unsigned(step)
                    };
                }
            }
            Brace::Letters { from, to, step } => {
                let step = step.unsigned_abs().clamp(1, 255) as i32;
                let (mut n, to) = (i32::from(*from), i32::from(*to));
                let up = to >= n;
                loop {
                    let letter = Bytes::copy_from_slice(&[n as u8]);
                    // `\` between Z and a quotes what follows it in bash; it stands for itself here too.
                    prefix.push(if n == i32::from(b'\\') {
                        Part::Quoted(Bytes::new())
                    } else {
                        Part::Text(letter)
                    });
                    self.multiply(rest, prefix, made, words, held)?;
                    prefix.truncate(here);
                    if (to - n).abs() < step {
                        break;
                    }
                    n += if up { step } else { -step };
                }
            }
        }
        prefix.truncate(mark);
        Ok(())
    }
}

/// Neighbouring text in one part; a tilde at the start of an alternative stays one only at the start of the word.
fn merged(parts: &[Part]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    for p in parts {
        match (p, out.last_mut()) {
            (Part::Text(t), Some(Part::Text(last))) => *last = Bytes::from([&last[..], &t[..]].concat()),
            (Part::Tilde(t), Some(_)) => out.push(Part::Text(t.clone())),
            _ => out.push(p.clone()),
        }
    }
    out
}

fn padded(n: i64, width: usize) -> String {
    match width {
        0 => n.to_string(),
        w => format!("{n:0w$}"),
    }
}

/// The parts as text, where braces are not expanded (`set +B`, assignments).
pub(super) fn unexpanded(parts: &[Part]) -> Vec<Part> {
    let text = |s: &str| Part::Text(Bytes::copy_from_slice(s.as_bytes()));
    let mut out = Vec::new();
    for p in parts {
        let Part::Brace(b) = p else {
            out.push(p.clone());
            continue;
        };
        match &**b {
            Brace::List(alternatives) => {
                for (i, a) in alternatives.iter().enumerate() {
                    out.push(text(if i == 0 { "{" } else { "," }));
                    out.extend(unexpanded(a));
                }
                out.push(text("}"));
            }
            Brace::Numbers { from, to, step, width } => {
                let step = if *step == 0 { String::new() } else { format!("..{step}") };
                out.push(text(&format!("{{{}..{}{step}}}", padded(*from, *width), padded(*to, *width))));
            }
            Brace::Letters { from, to, step } => {
                let step = if *step == 0 { String::new() } else { format!("..{step}") };
                out.push(text(&format!("{{{}..{}{step}}}", *from as char, *to as char)));
            }
        }
    }
    out
}
