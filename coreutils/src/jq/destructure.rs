//! Destructuring: patterns take values apart and bind their variables, with alternatives.

use super::{
    eval::each,
    ir::{Node, Pattern, Shape},
    machine::{Env, Flow, Machine, Stop, fail},
    ops,
    val::Val,
};

/// Outputs of `source`, each bound by `pattern`.
pub fn bind_each<'p>(
    m: &Machine<'p>,
    source: &'p Node,
    pattern: &'p Pattern,
    env: &Env<'p>,
    v: Val,
    k: &mut dyn FnMut(&Env<'p>) -> Flow,
) -> Flow {
    each(m, source, env, v, &mut |x| {
        m.step()?;
        if pattern.plain {
            return k(&env.with_val(x));
        }
        destructure(m, std::slice::from_ref(pattern), env, x, k)
    })
}

/// Binds by the first pattern that fits and whose body does not fail.
pub fn destructure<'p>(
    m: &Machine<'p>,
    patterns: &'p [Pattern],
    env: &Env<'p>,
    v: Val,
    k: &mut dyn FnMut(&Env<'p>) -> Flow,
) -> Flow {
    let Some((last, others)) = patterns.split_last() else { return Ok(()) };
    for p in others {
        match bind(m, p, env, &v, k) {
            Err(s) if matches!(*s, Stop::Error(_)) => {}
            r => return r,
        }
    }
    bind(m, last, env, &v, k)
}

fn bind<'p>(
    m: &Machine<'p>,
    p: &'p Pattern,
    env: &Env<'p>,
    v: &Val,
    k: &mut dyn FnMut(&Env<'p>) -> Flow,
) -> Flow {
    let mut vars = vec![Val::Null; p.vars];
    take_apart(m, vec![(&p.shape, v.clone())], env, &mut vars, &mut |vars| {
        let mut inner = env.clone();
        for x in vars {
            inner = inner.with_val(x.clone());
        }
        k(&inner)
    })
}

fn take_apart<'p>(
    m: &Machine<'p>,
    mut todo: Vec<(&'p Shape, Val)>,
    env: &Env<'p>,
    vars: &mut Vec<Val>,
    k: &mut dyn FnMut(&[Val]) -> Flow,
) -> Flow {
    while let Some((shape, v)) = todo.pop() {
        match shape {
            Shape::Var(i) => vars[*i] = v,
            Shape::Array(parts) => {
                for (i, p) in parts.iter().enumerate().rev() {
                    todo.push((p, ops::index(&v, &i.into())?));
                }
            }
            Shape::Object(members) => return members_apart(m, members, v, todo, env, vars, k),
        }
    }
    k(vars)
}

fn members_apart<'p>(
    m: &Machine<'p>,
    members: &'p [(Option<usize>, Node, Option<Shape>)],
    v: Val,
    todo: Vec<(&'p Shape, Val)>,
    env: &Env<'p>,
    vars: &mut Vec<Val>,
    k: &mut dyn FnMut(&[Val]) -> Flow,
) -> Flow {
    let Some(((var, key, shape), rest)) = members.split_first() else {
        return take_apart(m, todo, env, vars, k);
    };
    each(m, key, env, v.clone(), &mut |key| {
        if !matches!(key, Val::Str(_)) {
            return fail(format!("Cannot index {} with {}", v.kind(), key.kind()));
        }
        let x = ops::index(&v, &key)?;
        if let Some(i) = var {
            vars[*i] = x.clone();
        }
        let mut todo = todo.clone();
        match shape {
            None => members_apart(m, rest, v.clone(), todo, env, vars, k),
            Some(s) if rest.is_empty() => {
                todo.push((s, x));
                take_apart(m, todo, env, vars, k)
            }
            Some(s) => take_apart(m, vec![(s, x)], env, vars, &mut |inner| {
                let mut vars = inner.to_vec();
                members_apart(m, rest, v.clone(), todo.clone(), env, &mut vars, k)
            }),
        }
    })
}
