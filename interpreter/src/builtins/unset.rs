//! `unset`.

use crate::session::{
    access::split_lvalue,
    shell::{Flow, Shell},
    vars::attr,
};
use crate::syntax::names;
use bytes::Bytes;
use std::sync::Arc;

pub fn unset(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let (mut functions, mut variables, mut reference) = (false, false, false);
    let mut at = 1;
    while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
        if letters.is_empty() {
            break;
        }
        at += 1;
        if letters == b"-" {
            break;
        }
        for &l in letters {
            match l {
                b'f' => functions = true,
                b'v' => variables = true,
                b'n' => reference = true,
                l => return sh.invalid_option(&[b'-', l], "unset [-f] [-v] [-n] [name ...]"),
            }
        }
    }
    if functions && variables {
        sh.complain(&[b"cannot simultaneously unset a function and a variable"]);
        return Ok(1);
    }
    let mut status = 0;
    for target in &args[at..] {
        if functions {
            if !unset_function(sh, target) {
                status = 1;
            }
            continue;
        }
        let Some((name, sub)) = split_lvalue(target) else {
            // What is no variable's name may be a function's.
            if !variables {
                if !unset_function(sh, target) {
                    status = 1;
                }
                continue;
            }
            sh.complain(&[b"`", target, b"': not a valid identifier"]);
            status = 1;
            continue;
        };
        let Some(name) = names::known(name) else {
            if !variables && sub.is_none() && !unset_function(sh, target) {
                status = 1;
            }
            continue;
        };
        if reference {
            if sh.vars.get(name).has(attr::NAMEREF) && !sh.unset_variable(name) {
                status = 1;
            }
            continue;
        }
        let Some((name, more)) = sh.resolve(name) else { continue };
        let sub = sub.map(Bytes::copy_from_slice).or(more);
        if let Some(sub) = sub {
            let assoc = sh.is_assoc(name);
            let key = match (&sub[..], assoc) {
                // `unset m[@]` removes the key `@` of an associative array if there is one, else all.
                (b"@" | b"*", true)
                    if sh.element(name, &crate::session::access::Key::Text(sub.clone())).is_some() =>
                {
                    Some(crate::session::access::Key::Text(sub.clone()))
                }
                _ => sh.key_from_text(name, &sub)?,
            };
            if let Some(key) = key
                && !sh.unset_element(name, &key)
            {
                status = 1;
            }
            continue;
        }
        let slot = sh.vars.get(name);
        if !variables && !slot.exists() && slot.special == 0 {
            if !unset_function(sh, target) {
                status = 1;
            }
            continue;
        }
        if !sh.unset_variable(name) {
            status = 1;
        }
    }
    Ok(status)
}

fn unset_function(sh: &mut Shell, name: &[u8]) -> bool {
    match sh.functions.get(name) {
        Some(f) if f.readonly => {
            sh.complain(&[name, b": cannot unset: readonly function"]);
            false
        }
        Some(_) => {
            Arc::make_mut(&mut sh.functions).remove(name);
            true
        }
        None => true,
    }
}
