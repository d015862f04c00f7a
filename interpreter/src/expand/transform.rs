//! `${x@Q}` and the other transformations.

use super::{
    Sink, case,
    param::{Found, Place, shown},
    quoting,
};
use crate::session::{
    access::Key,
    shell::{Flow, Shell},
    vars::{Value, attr},
};
use crate::syntax::{
    ir::{Name, Param},
    names,
};
use bytes::Bytes;

impl Shell {
    pub(super) fn transform(
        &mut self,
        op: u8,
        p: &Param,
        place: &Place,
        found: Found,
        quoted: bool,
        sink: &mut Sink,
    ) -> Flow<()> {
        let result = match op {
            b'a' => match place {
                Place::Var(name, key) => {
                    let letters =
                        Bytes::from(attribute_letters(self.vars.get(*name).attrs | self.kind_bits(*name)));
                    match (key, found) {
                        (Some(Key::At | Key::Star), Found::Many { items, star }) => {
                            Found::Many { items: items.iter().map(|_| letters.clone()).collect(), star }
                        }
                        (None, Found::One(None)) if letters.is_empty() => Found::One(None),
                        _ => Found::One(Some(letters)),
                    }
                }
                _ => Found::One(found_set(&found).then(Bytes::new)),
            },
            b'A' => self.as_assignment(p, place, found),
            b'K' | b'k' => self.as_pairs(op, place, found),
            _ => self.each(op, found)?,
        };
        self.emit_found(result, quoted, sink)
    }

    fn each(&mut self, op: u8, found: Found) -> Flow<Found> {
        Ok(match found {
            Found::One(None) => Found::One(None),
            Found::One(Some(v)) => Found::One(Some(self.one(op, &v)?)),
            Found::Many { items, star } => {
                let mut out = Vec::with_capacity(items.len());
                for v in &items {
                    out.push(self.one(op, v)?);
                }
                Found::Many { items: out, star }
            }
        })
    }

    fn one(&mut self, op: u8, v: &Bytes) -> Flow<Bytes> {
        Ok(match op {
            b'Q' => Bytes::from(quoting::reusable(v)),
            b'E' => {
                let text = [b"$'", &v[..].replace_quotes()[..], b"'"].concat();
                let word = crate::syntax::parse_word(&Bytes::from(text), &Default::default());
                match word {
                    Ok(w) => self.expand_single(&w)?,
                    Err(_) => v.clone(),
                }
            }
            b'P' => self.prompt(v)?,
            b'U' => case::upper(v, self.utf8),
            b'L' => case::lower(v, self.utf8),
            b'u' => {
                let n = case::char_len(v, self.utf8).unwrap_or(0);
                let mut out = case::upper(&v.slice(..n), self.utf8).to_vec();
                out.extend_from_slice(&v[n..]);
                Bytes::from(out)
            }
            _ => v.clone(),
        })
    }

    fn kind_bits(&self, name: Name) -> u16 {
        match self.vars.get(name).value {
            Value::Array(_) => attr::ARRAY,
            Value::Assoc(_) => attr::ASSOC,
            _ => 0,
        }
    }

    /// `${x@A}`: a command that makes the variable anew.
    fn as_assignment(&mut self, p: &Param, place: &Place, found: Found) -> Found {
        let Place::Var(name, key) = place else {
            return match (place, found) {
                (Place::Special(b'@' | b'*'), Found::Many { items, .. }) => {
                    let mut text = b"set --".to_vec();
                    for i in &items {
                        text.push(b' ');
                        text.extend_from_slice(&quoting::reusable(i));
                    }
                    Found::One(Some(Bytes::from(text)))
                }
                (_, Found::One(Some(v))) => {
                    Found::One(Some(Bytes::from([&shown(p)[..], b"=", &quoting::reusable(&v)].concat())))
                }
                (_, f) => f,
            };
        };
        let slot = self.vars.get(*name);
        let letters = attribute_letters(slot.attrs | self.kind_bits(*name));
        let whole = matches!(key, Some(Key::At | Key::Star));
        if !found_set(&found) && !slot.exists() {
            return Found::One(None);
        }
        let mut text = Vec::new();
        if !letters.is_empty() {
            text.extend_from_slice(b"declare -");
            text.extend_from_slice(&letters);
            text.push(b' ');
        }
        text.extend_from_slice(names::text(*name));
        match found {
            Found::Many { .. } if whole => {
                if letters.is_empty() {
                    // Never: a list is an array, which has a letter; a scalar by `[@]` prints as one.
                    text = [b"declare -- ", names::text(*name)].concat();
                }
                let value = self.compound_text(*name);
                text.push(b'=');
                text.extend_from_slice(&value);
            }
            Found::One(Some(v)) => {
                text.push(b'=');
                text.extend_from_slice(&quoting::reusable(&v));
            }
            _ => {}
        }
        Found::One(Some(Bytes::from(text)))
    }

    /// `${a[@]@K}` (one string, values quoted) and `${a[@]@k}` (words).
    fn as_pairs(&mut self, op: u8, place: &Place, found: Found) -> Found {
        let Place::Var(name, Some(Key::At | Key::Star)) = place else {
            return match found {
                Found::One(v) => Found::One(v.map(|v| Bytes::from(quoting::reusable(&v)))),
                Found::Many { items, star } => Found::Many {
                    items: items.iter().map(|v| Bytes::from(quoting::reusable(v))).collect(),
                    star,
                },
            };
        };
        let star = matches!(place, Place::Var(_, Some(Key::Star)));
        let assoc = self.is_assoc(*name);
        let elements = self.elements(*name);
        if op == b'k' {
            let items = elements.into_iter().flat_map(|(k, v)| [k, v]).collect();
            return Found::Many { items, star };
        }
        let mut text = Vec::new();
        for (k, v) in elements {
            if !text.is_empty() {
                text.push(b' ');
            }
            let k = if assoc { quoting::key(&k) } else { k.to_vec() };
            text.extend_from_slice(&k);
            text.push(b' ');
            text.extend_from_slice(&quoting::double(&v));
        }
        // bash ends the list of an associative array with a blank.
        if assoc && !text.is_empty() {
            text.push(b' ');
        }
        Found::One(Some(Bytes::from(text)))
    }

    /// `(…)` as `declare -p` prints an array.
    pub(crate) fn compound_text(&mut self, name: Name) -> Vec<u8> {
        let assoc = self.is_assoc(name);
        let mut text = b"(".to_vec();
        let elements = self.elements(name);
        for (i, (k, v)) in elements.iter().enumerate() {
            if i > 0 && !assoc {
                text.push(b' ');
            }
            text.push(b'[');
            let k = if assoc { quoting::key(k) } else { k.to_vec() };
            text.extend_from_slice(&k);
            text.extend_from_slice(b"]=");
            text.extend_from_slice(&quoting::double(v));
            if assoc {
                text.push(b' ');
            }
        }
        text.push(b')');
        text
    }

    /// Prompt escapes (`${x@P}`, PS4).
    pub(crate) fn prompt(&mut self, text: &Bytes) -> Flow<Bytes> {
        let mut out = Vec::with_capacity(text.len());
        let mut i = 0;
        while i < text.len() {
            let b = text[i];
            i += 1;
            if b != b'\\' || i >= text.len() {
                out.push(b);
                continue;
            }
            let e = text[i];
            i += 1;
            match e {
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                b'a' => out.push(7),
                b'e' => out.push(27),
                b'$' => out.push(b'$'),
                b'\\' => out.extend_from_slice(b"\\\\"),
                b'u' => out.extend_from_slice(&self.lookup(b"USER").unwrap_or(Bytes::from_static(b"agent"))),
                b'h' | b'H' => {
                    let host = self.script.hostname.as_bytes();
                    let host =
                        if e == b'h' { host.split(|&b| b == b'.').next().unwrap_or(host) } else { host };
                    out.extend_from_slice(host);
                }
                b'w' | b'W' => {
                    let cwd = self.lookup(b"PWD").unwrap_or_default();
                    let home = self.lookup(b"HOME").unwrap_or_default();
                    let text = match cwd.strip_prefix(&home[..]) {
                        Some(rest) if !home.is_empty() && (rest.is_empty() || rest[0] == b'/') => {
                            [b"~", rest].concat()
                        }
                        _ => cwd.to_vec(),
                    };
                    match e {
                        b'w' => out.extend_from_slice(&text),
                        _ => {
                            let base = text.rsplit(|&b| b == b'/').next().unwrap_or(&text);
                            out.extend_from_slice(if base.is_empty() { b"/" } else { base });
                        }
                    }
                }
                b's' => {
                    let base = self.name.rsplit(|&b| b == b'/').next().unwrap_or(&self.name);
                    out.extend_from_slice(base);
                }
                b'v' => out.extend_from_slice(b"5.2"),
                b'V' => out.extend_from_slice(b"5.2.15"),
                b'j' => out.extend_from_slice(self.jobs.list.len().to_string().as_bytes()),
                b'!' | b'#' => out.push(b'1'),
                b'l' => out.extend_from_slice(b"tty"),
                b'[' | b']' => {}
                b'0'..=b'7' => {
                    let digits = &text[i - 1..text.len().min(i + 2)];
                    let n = digits.iter().take_while(|b| matches!(b, b'0'..=b'7')).count();
                    let v = digits[..n].iter().fold(0u32, |v, b| v * 8 + u32::from(b - b'0'));
                    out.push(v as u8);
                    i += n - 1;
                }
                e => out.extend_from_slice(&[b'\\', e]),
            }
        }
        self.expand_text(Bytes::from(out))
    }
}

trait ReplaceQuotes {
    fn replace_quotes(&self) -> Vec<u8>;
}

impl ReplaceQuotes for [u8] {
    /// A single quote within `$'…'` must be escaped; an escaped one stays.
    fn replace_quotes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len());
        let mut escaped = false;
        for &b in self {
            if b == b'\'' && !escaped {
                out.push(b'\\');
            }
            escaped = b == b'\\' && !escaped;
            out.push(b);
        }
        if escaped {
            out.push(b'\\');
        }
        out
    }
}

pub(super) fn found_set(f: &Found) -> bool {
    match f {
        Found::One(v) => v.is_some(),
        Found::Many { items, .. } => !items.is_empty(),
    }
}

/// The letters of attributes, in bash's order.
pub(crate) fn attribute_letters(attrs: u16) -> Vec<u8> {
    [
        (attr::ARRAY, b'a'),
        (attr::ASSOC, b'A'),
        (attr::INTEGER, b'i'),
        (attr::NAMEREF, b'n'),
        (attr::READONLY, b'r'),
        (attr::TRACE, b't'),
        (attr::EXPORT, b'x'),
        (attr::CAPCASE, b'c'),
        (attr::LOWER, b'l'),
        (attr::UPPER, b'u'),
    ]
    .into_iter()
    .filter(|(bit, _)| attrs & bit != 0)
    .map(|(_, letter)| letter)
    .collect()
}
