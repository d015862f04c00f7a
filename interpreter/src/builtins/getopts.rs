//! `getopts`.

use super::options::{Options, legal_number};
use crate::session::{
    access::is_name,
    array::Scalar,
    shell::{Flow, Shell},
};
use crate::syntax::names;
use bytes::Bytes;

const USAGE: &str = "getopts optstring name [arg ...]";

/// What the next argument holds.
enum Found {
    End,
    Letter(u8),
    WithValue(u8, Bytes),
    Unknown(u8),
    NoValue(u8),
}

pub fn getopts(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "", USAGE);
    if let Err(status) = options.next(sh) {
        return Ok(status);
    }
    let [letters, name, rest @ ..] = options.operands() else { return sh.usage(USAGE) };
    let words = if rest.is_empty() {
        sh.positional.clone()
    } else {
        crate::session::shell::Positional::new(rest.to_vec())
    };
    let words = words.args();
    let (silent, known) = match letters.strip_prefix(b":") {
        Some(known) => (true, known),
        None => (false, &letters[..]),
    };
    let told = !silent && sh.lookup(b"OPTERR").and_then(|v| legal_number(&v)) != Some(0);
    let index = sh.lookup(b"OPTIND").and_then(|v| legal_number(&v)).filter(|&n| n > 0).unwrap_or(1);
    let mut next = index as usize - 1;
    let found = find(&mut sh.getopts_at, words, known, &mut next);
    let at = sh.getopts_at;
    sh.assign_text(b"OPTIND", Scalar::Int(next as i64 + 1))?;
    // The assignment has reset the place within the bundle.
    sh.getopts_at = at;
    let message = |sh: &mut Shell, text: &str, letter: u8| {
        if told {
            let line = [&sh.name[..], b": ", text.as_bytes(), b" -- ", &[letter], b"\n"].concat();
            sh.write_error(&line);
        }
    };
    let optarg = names::intern(b"OPTARG");
    let ended = matches!(found, Found::End);
    let (value, argument) = match found {
        Found::End => (b'?', None),
        Found::Letter(l) => (l, None),
        Found::WithValue(l, v) => (l, Some(v)),
        Found::Unknown(l) => {
            message(sh, "illegal option", l);
            (b'?', silent.then(|| Bytes::copy_from_slice(&[l])))
        }
        Found::NoValue(l) => {
            message(sh, "option requires an argument", l);
            (if silent { b':' } else { b'?' }, silent.then(|| Bytes::copy_from_slice(&[l])))
        }
    };
    match argument {
        Some(v) => {
            sh.assign_text(b"OPTARG", Scalar::Str(v))?;
        }
        None => {
            sh.unset_variable(optarg);
        }
    }
    if !is_name(name) {
        sh.complain(&[b"`", name, b"': not a valid identifier"]);
        return Ok(1);
    }
    let builtin = std::mem::take(&mut sh.builtin);
    let assigned = sh.assign_text(name, Scalar::Str(Bytes::copy_from_slice(&[value])))?;
    sh.builtin = builtin;
    Ok(match assigned {
        false => 2,
        true => u8::from(ended),
    })
}

/// Takes the next letter; `at` is the place within a bundle (0 = at a new argument), `next` the argument.
fn find(at: &mut usize, words: &[Bytes], known: &[u8], next: &mut usize) -> Found {
    let word = words.get(*next);
    if *at == 0 || word.is_none_or(|w| *at >= w.len()) {
        *at = 0;
        match word.map(|w| &w[..]) {
            Some(b"--") => {
                *next += 1;
                return Found::End;
            }
            Some([b'-', _, ..]) => *at = 1,
            _ => {
                *next = (*next).min(words.len());
                return Found::End;
            }
        }
    }
    let Some(word) = word else { return Found::End };
    let letter = word[*at];
    *at += 1;
    let last = *at >= word.len();
    let place = known.iter().position(|&k| k == letter).filter(|_| letter != b':');
    let takes = place.is_some_and(|p| known.get(p + 1) == Some(&b':'));
    if !takes {
        if last {
            *at = 0;
            *next += 1;
        }
        return if place.is_some() { Found::Letter(letter) } else { Found::Unknown(letter) };
    }
    let rest = (!last).then(|| word.slice(*at..));
    *at = 0;
    *next += 1;
    match rest {
        Some(v) => Found::WithValue(letter, v),
        None => match words.get(*next) {
            Some(v) => {
                *next += 1;
                Found::WithValue(letter, v.clone())
            }
            None => Found::NoValue(letter),
        },
    }
}
