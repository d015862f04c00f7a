//! Assignments: `=`, `|=` and what is made of them. Simple targets are followed down the value itself, which is then
//! changed in place; for others the paths are collected first.

use super::{
    eval,
    ir::{Node, Op},
    machine::{Env, Flow, Machine, Res, fail},
    ops,
    path::Pv,
    val::{Str, Val},
};

/// What a place becomes; none deletes it.
pub type Change<'a> = &'a mut dyn FnMut(Val) -> Res<Option<Val>>;

/// `target = x`
pub fn assign<'p>(m: &Machine<'p>, target: &'p Node, env: &Env<'p>, v: Val, x: Val) -> Res<Val> {
    update(m, target, env, v, &mut |_| Ok(Some(x.clone())))
}

/// `target |= f`
pub fn update<'p>(m: &Machine<'p>, target: &'p Node, env: &Env<'p>, v: Val, f: Change<'_>) -> Res<Val> {
    if direct(target) {
        return Ok(follow(m, target, env, v, f)?.unwrap_or_default());
    }
    let mut paths = Vec::new();
    eval::eval(m, target, env, Pv::root(v.clone()), &mut |x| {
        m.step()?;
        paths.push(x.into_path()?);
        Ok(())
    })?;
    let mut v = v;
    let mut dead = Vec::new();
    for p in paths {
        let mut delete = false;
        // A path that is to be deleted stays until all are done, so that the others still lead where they led.
        let changed = ops::change_path(m, v, &p, &mut |old| {
            let kept = old.clone();
            match f(old)? {
                Some(x) => Ok(Some(x)),
                None => {
                    delete = true;
                    Ok(Some(kept))
                }
            }
        })?;
        v = changed.unwrap_or_default();
        if delete {
            dead.push(p);
        }
    }
    ops::delete_paths(m, v, dead)
}

/// Whether each path of the target can be followed on its own, whatever was changed before.
fn direct(n: &Node) -> bool {
    match &n.op {
        Op::Id => true,
        Op::Field(t, _) | Op::Iter(t) => direct(t),
        Op::Index(t, i) => direct(t) && matches!(i.op, Op::Lit(_) | Op::Var(_)),
        Op::Pipe(a, b) => direct(a) && direct(b),
        Op::Select(c) => c.one,
        Op::If(c, a, b) => c.one && direct(a) && direct(b),
        _ => false,
    }
}

fn follow<'p>(m: &Machine<'p>, n: &'p Node, env: &Env<'p>, v: Val, f: Change<'_>) -> Res<Option<Val>> {
    m.step()?;
    match &n.op {
        Op::Field(t, name) => follow(m, t, env, v, &mut |x| member(x, name, f).map(Some)),
        Op::Index(t, i) => {
            let Some(key) = eval::one(m, i, env, Val::Null)? else { return Ok(Some(v)) };
            follow(m, t, env, v, &mut |x| {
                if matches!((&x, &key), (Val::Arr(_), Val::Arr(_))) {
                    return fail("Cannot update field at array index of array");
                }
                if let Some(n) = key.num()
                    && n > 4096.0
                {
                    m.reserve((n.min(536_870_911.0) as usize) * 24)?;
                }
                ops::change(x, &key, f).map(Some)
            })
        }
        Op::Iter(t) => follow(m, t, env, v, &mut |x| all(m, x, f).map(Some)),
        Op::Pipe(a, b) => follow(m, a, env, v, &mut |x| follow(m, b, env, x, f)),
        Op::Select(c) => match eval::one(m, c, env, v.clone())? {
            Some(x) if x.truthy() => f(v),
            _ => Ok(Some(v)),
        },
        Op::If(c, a, b) => match eval::one(m, c, env, v.clone())? {
            Some(x) => follow(m, if x.truthy() { a } else { b }, env, v, f),
            None => Ok(Some(v)),
        },
        _ => f(v),
    }
}

fn member(v: Val, name: &Str, f: Change<'_>) -> Res<Val> {
    match v {
        Val::Obj(mut o) => {
            let old =
                o.modify(|m| m.get(name.bytes()).is_some().then(|| std::mem::take(m.slot(name.clone()))));
            match f(old.unwrap_or_default())? {
                Some(x) => o.modify(|m| m.insert(name.clone(), x)),
                None => o.modify(|m| m.remove(name.bytes())),
            }
            Ok(Val::Obj(o))
        }
        other => ops::change(other, &Val::Str(name.clone()), f),
    }
}

fn all(m: &Machine<'_>, v: Val, f: Change<'_>) -> Res<Val> {
    match v {
        Val::Arr(mut a) => {
            let mut failed: Flow = Ok(());
            a.modify(|list| {
                list.retain_mut(|x| {
                    if failed.is_err() {
                        return true;
                    }
                    match m.step().and_then(|()| f(std::mem::take(x))) {
                        Ok(Some(new)) => {
                            *x = new;
                            true
                        }
                        Ok(None) => false,
                        Err(e) => {
                            failed = Err(e);
                            true
                        }
                    }
                });
            });
            failed?;
            Ok(Val::Arr(a))
        }
        Val::Obj(mut o) => {
            o.modify(|members| {
                members.retain(|_, x| {
                    m.step()?;
                    Ok::<_, Box<super::machine::Stop>>(match f(std::mem::take(x))? {
                        Some(new) => {
                            *x = new;
                            true
                        }
                        None => false,
                    })
                })
            })?;
            Ok(Val::Obj(o))
        }
        other => fail(format!("Cannot iterate over {}", ops::describe_kind(&other))),
    }
}
