//! Evaluation. A filter with at most one output is a plain function from value to value ([`one`]); others pass their
//! outputs to a callback ([`eval`]), whose tail calls loop instead of recursing. The same code evaluates path
//! expressions: the items that travel are then values with their paths.

use super::{
    by::by_key,
    destructure::{bind_each, destructure},
    format,
    ir::{Bin, CallArg, Node, Op, Part},
    machine::{Bound, Env, Flow, Machine, Res, Stop, error, fail},
    ops,
    path::{Item, Pv},
    regex, update,
    val::{Members, Str, Val},
};

/// What outputs are passed to.
pub type Sink<'k, T> = &'k mut dyn FnMut(T) -> Flow;

/// Evaluates `node` on `v` and passes every output on.
pub fn eval<'p, T: Item>(m: &Machine<'p>, node: &'p Node, env: &Env<'p>, v: T, k: Sink<'_, T>) -> Flow {
    if m.short_of_stack() {
        return m.on_new_stack(|| eval_here(m, node, env, v, k));
    }
    eval_here(m, node, env, v, k)
}

/// All outputs on a value.
pub fn each<'p>(m: &Machine<'p>, node: &'p Node, env: &Env<'p>, v: Val, k: Sink<'_, Val>) -> Flow {
    if node.one {
        return match one(m, node, env, v)? {
            Some(x) => k(x),
            None => Ok(()),
        };
    }
    eval(m, node, env, v, k)
}

fn eval_here<'p, T: Item>(m: &Machine<'p>, node: &'p Node, env: &Env<'p>, v: T, k: Sink<'_, T>) -> Flow {
    let (mut node, mut env, mut v) = (node, env.clone(), v);
    loop {
        if node.one && !T::PATHS {
            return match one(m, node, &env, v.into_val())? {
                Some(x) => k(T::lost(x)),
                None => Ok(()),
            };
        }
        match &node.op {
            Op::Id => return k(v),
            Op::Pipe(a, b) => {
                if a.one && !T::PATHS {
                    match one(m, a, &env, v.into_val())? {
                        Some(x) => v = T::lost(x),
                        None => return Ok(()),
                    }
                    node = b;
                    continue;
                }
                return eval(m, a, &env, v, &mut |x| eval(m, b, &env, x, k));
            }
            Op::Comma(a, b) => {
                eval(m, a, &env, v.clone(), k)?;
                node = b;
            }
            Op::If(c, yes, no) => {
                if !c.one {
                    return each(m, c, &env, v.val().clone(), &mut |x| {
                        eval(m, if x.truthy() { yes } else { no }, &env, v.clone(), k)
                    });
                }
                match one(m, c, &env, v.val().clone())? {
                    Some(x) => node = if x.truthy() { yes } else { no },
                    None => return Ok(()),
                }
            }
            Op::Select(c) => {
                return each(m, c, &env, v.val().clone(), &mut |x| match x.truthy() {
                    true => k(v.clone()),
                    false => Ok(()),
                });
            }
            Op::Call(id, up, args) => {
                m.step()?;
                let body = body(m, *id)?;
                let mut inner = env.up(*up);
                let mut plain = true;
                for a in args {
                    match a {
                        CallArg::Closure(n) => inner = inner.with(closure(n, &env)),
                        CallArg::Value(n) if n.one => match one(m, n, &env, v.val().clone())? {
                            Some(x) => inner = inner.with_val(x),
                            None => return Ok(()),
                        },
                        CallArg::Value(_) => {
                            plain = false;
                            break;
                        }
                    }
                }
                if !plain {
                    let inner = env.up(*up);
                    return call_many(m, body, args, &env, inner, v, k);
                }
                node = body;
                env = inner;
            }
            Op::Param(up) => match env.get(*up) {
                Some(Bound::Closure(n, e)) => {
                    node = n;
                    env = e.clone();
                }
                _ => return Ok(()),
            },
            Op::As(source, patterns, body) => {
                if source.one && patterns.len() == 1 && patterns[0].plain {
                    match one(m, source, &env, v.val().clone())? {
                        Some(x) => env = env.with_val(x),
                        None => return Ok(()),
                    }
                    node = body;
                    continue;
                }
                return each(m, source, &env, v.val().clone(), &mut |x| {
                    destructure(m, patterns, &env, x, &mut |inner| eval(m, body, inner, v.clone(), k))
                });
            }
            Op::Try(body, handler) => return try_catch(m, body, handler.as_deref(), &env, v, k),
            Op::Alt(a, b) => {
                let mut some = false;
                eval(m, a, &env, v.clone(), &mut |x| {
                    if !x.val().truthy() {
                        return Ok(());
                    }
                    some = true;
                    k(x)
                })?;
                if some {
                    return Ok(());
                }
                node = b;
            }
            Op::Label(body) => {
                let id = m.label();
                return match eval(m, body, &env.with(Bound::Label(id)), v, k) {
                    Err(s) if matches!(*s, Stop::Break(n) if n == id) => Ok(()),
                    r => r,
                };
            }
            Op::Recurse(f) => {
                let Some(f) = f else { return recurse(m, v, k) };
                return recurse_by(m, f, &env, v, k);
            }
            Op::Limit(n, f) => {
                return each(m, n, &env, v.val().clone(), &mut |n| limit(m, &n, f, &env, &v, k));
            }
            Op::Skip(n, f) => {
                return each(m, n, &env, v.val().clone(), &mut |n| {
                    let mut left = ops::number(&n, "Invalid arguments to skip")?;
                    if left < 0.0 {
                        return fail("skip doesn't support negative count");
                    }
                    eval(m, f, &env, v.clone(), &mut |x| {
                        if left >= 1.0 {
                            left -= 1.0;
                            return m.step();
                        }
                        k(x)
                    })
                });
            }
            Op::First(f) => {
                return match first(m, f, &env, v)? {
                    Some(x) => k(x),
                    None => Ok(()),
                };
            }
            Op::Last(f) => {
                let mut last = None;
                eval(m, f, &env, v, &mut |x| {
                    last = Some(x);
                    m.step()
                })?;
                return match last {
                    Some(x) => k(x),
                    None => Ok(()),
                };
            }
            Op::Until(cond, next) => return until(m, cond, next, &env, v, k),
            Op::Foreach(source, pattern, init, update, extract) => {
                return eval(m, init, &env, v.clone(), &mut |start| {
                    let mut state = Some(start);
                    bind_each(m, source, pattern, &env, v.val().clone(), &mut |inner| {
                        let Some(s) = state.take() else { return Ok(()) };
                        eval(m, update, inner, s, &mut |x| {
                            state = Some(x.clone());
                            match extract {
                                Some(e) => eval(m, e, inner, x, k),
                                None => k(x),
                            }
                        })
                    })
                });
            }
            Op::Reduce(source, pattern, init, update) => {
                return eval(m, init, &env, v.clone(), &mut |start| {
                    let mut state = Some(start);
                    bind_each(m, source, pattern, &env, v.val().clone(), &mut |inner| {
                        let s = state.take().unwrap_or_else(|| T::lost(Val::Null));
                        eval(m, update, inner, s, &mut |x| {
                            state = Some(x);
                            m.step()
                        })
                    })?;
                    k(state.take().unwrap_or_else(|| T::lost(Val::Null)))
                });
            }
            Op::Field(t, name) => {
                if matches!(t.op, Op::Id) {
                    return k(v.field(name)?);
                }
                return eval(m, t, &env, v, &mut |x| k(x.field(name)?));
            }
            Op::Index(t, i) => {
                return each(m, i, &env, v.val().clone(), &mut |key| {
                    eval(m, t, &env, v.clone(), &mut |x| k(x.index(&key)?))
                });
            }
            Op::Slice(t, from, to) => return slice(m, t, from.as_deref(), to.as_deref(), &env, v, k),
            Op::Iter(t) => {
                if matches!(t.op, Op::Id) {
                    return v.iterate(m, k);
                }
                return eval(m, t, &env, v, &mut |x| x.iterate(m, k));
            }
            Op::GetPath(p) => {
                return each(m, p, &env, v.val().clone(), &mut |p| k(v.clone().get_path(&p)?));
            }
            Op::Error(None) => return Err(Box::new(Stop::Error(v.into_val()))),
            Op::Empty => return Ok(()),
            Op::Input => {
                let x = input(m)?;
                return k(T::lost(x));
            }
            _ => return values(m, node, &env, v.val().clone(), &mut |x| k(v.result(x))),
        }
    }
}

/// Operations that compute values, whatever travels.
fn values<'p>(m: &Machine<'p>, node: &'p Node, env: &Env<'p>, v: Val, k: Sink<'_, Val>) -> Flow {
    if node.one {
        return match one(m, node, env, v)? {
            Some(x) => k(x),
            None => Ok(()),
        };
    }
    match &node.op {
        Op::Neg(a) => each(m, a, env, v, &mut |x| k(ops::negate(x)?)),
        Op::Bin(op, a, b) => each(m, b, env, v.clone(), &mut |r| {
            each(m, a, env, v.clone(), &mut |l| k(ops::binary(m, *op, l, r.clone())?))
        }),
        Op::And(a, b) => each(m, a, env, v.clone(), &mut |l| match l.truthy() {
            true => each(m, b, env, v.clone(), &mut |r| k(r.truthy().into())),
            false => k(false.into()),
        }),
        Op::Or(a, b) => each(m, a, env, v.clone(), &mut |l| match l.truthy() {
            true => k(true.into()),
            false => each(m, b, env, v.clone(), &mut |r| k(r.truthy().into())),
        }),
        Op::Object(members) => object(m, members, env, &v, Members::with_capacity(members.len()), k),
        Op::Text(f, parts) => {
            let mut done = vec![None; parts.len()];
            text(m, f, parts, parts.len(), env, &v, &mut done, k)
        }
        Op::Error(Some(a)) => each(m, a, env, v, &mut |x| Err(Box::new(Stop::Error(x)))),
        Op::Range(from, to, by) => each(m, from, env, v.clone(), &mut |from| {
            each(m, to, env, v.clone(), &mut |to| match by {
                None => range(m, &from, &to, &Val::Num(1.0), false, k),
                Some(by) => each(m, by, env, v.clone(), &mut |by| range(m, &from, &to, &by, true, k)),
            })
        }),
        Op::Path(f) => eval(m, f, env, Pv::root(v), &mut |x| k(x.into_path()?.into())),
        Op::Assign(target, value) => {
            each(m, value, env, v.clone(), &mut |x| k(update::assign(m, target, env, v.clone(), x)?))
        }
        Op::UpdateWith(op, target, value) => each(m, value, env, v.clone(), &mut |x| {
            k(update::update(m, target, env, v.clone(), &mut |old| {
                Ok(Some(ops::binary(m, *op, old, x.clone())?))
            })?)
        }),
        Op::UpdateAlt(target, value) => each(m, value, env, v.clone(), &mut |x| {
            k(update::update(m, target, env, v.clone(), &mut |old| {
                Ok(Some(if old.truthy() { old } else { x.clone() }))
            })?)
        }),
        Op::Sub(re, f, flags, global) => each(m, re, env, v.clone(), &mut |re| match flags {
            None => substitute(m, &re, &Val::Null, *global, f, env, &v, k),
            Some(n) => {
                each(m, n, env, v.clone(), &mut |flags| substitute(m, &re, &flags, *global, f, env, &v, k))
            }
        }),
        Op::Inputs => loop {
            let next = m.outside.borrow_mut().input()?;
            match next {
                Some(x) => k(x)?,
                None => return Ok(()),
            }
        },
        Op::Native(f, args) => {
            let mut done = vec![Val::Null; args.len()];
            native(m, *f, args, args.len(), env, &v, &mut done, k)
        }
        _ => eval(m, node, env, v, k),
    }
}

/// The single output of a node that has at most one.
pub fn one<'p>(m: &Machine<'p>, node: &'p Node, env: &Env<'p>, v: Val) -> Res<Option<Val>> {
    macro_rules! get {
        ($n:expr, $v:expr) => {
            match one(m, $n, env, $v)? {
                Some(x) => x,
                None => return Ok(None),
            }
        };
    }
    if m.short_of_stack() {
        return m.on_new_stack(|| one(m, node, env, v));
    }
    Ok(Some(match &node.op {
        Op::Id => v,
        Op::Lit(x) => x.clone(),
        Op::Var(n) => env.var(*n),
        Op::Field(t, name) => match &t.op {
            Op::Id => ops::field(&v, name)?,
            Op::Field(..) => chain(m, t, env, &v, name)?,
            _ => ops::field(&get!(t, v), name)?,
        },
        Op::Index(t, i) => {
            let key = operand(m, i, env, &v)?;
            let Some(key) = key else { return Ok(None) };
            ops::index(&get!(t, v), &key)?
        }
        Op::Slice(t, from, to) => {
            let bound = |n: &'p Option<Box<Node>>| match n {
                None => Ok(Some(Val::Null)),
                Some(n) => one(m, n, env, v.clone()),
            };
            let (Some(to), Some(from)) = (bound(to)?, bound(from)?) else { return Ok(None) };
            ops::slice(&get!(t, v), &from, &to)?
        }
        Op::Pipe(a, b) => {
            let x = get!(a, v);
            return one(m, b, env, x);
        }
        Op::Neg(a) => ops::negate(get!(a, v))?,
        Op::Bin(op, a, b) => {
            let Some(r) = operand(m, b, env, &v)? else { return Ok(None) };
            let l = match &a.op {
                Op::Id => v,
                _ => get!(a, v),
            };
            ops::binary(m, *op, l, r)?
        }
        Op::And(a, b) => {
            let Some(l) = operand(m, a, env, &v)? else { return Ok(None) };
            (l.truthy() && get!(b, v).truthy()).into()
        }
        Op::Or(a, b) => {
            let Some(l) = operand(m, a, env, &v)? else { return Ok(None) };
            (l.truthy() || get!(b, v).truthy()).into()
        }
        Op::Alt(a, b) => match operand(m, a, env, &v)? {
            Some(x) if x.truthy() => x,
            _ => return one(m, b, env, v),
        },
        Op::Array(f) => {
            let mut list = Vec::new();
            each(m, f, env, v, &mut |x| {
                if list.len() == list.capacity() {
                    m.reserve(list.capacity() * 48)?;
                }
                list.push(x);
                m.step()
            })?;
            list.into()
        }
        Op::Map(f) => return map(m, f, env, v).map(Some),
        Op::Object(members) => {
            let mut o = Members::with_capacity(members.len());
            for (key, value) in members {
                let key = match &key.op {
                    Op::Lit(Val::Str(s)) => s.clone(),
                    _ => match operand(m, key, env, &v)? {
                        None => return Ok(None),
                        Some(key) => object_key(key)?,
                    },
                };
                let Some(value) = operand(m, value, env, &v)? else { return Ok(None) };
                o.insert(key, value);
            }
            o.into()
        }
        Op::Text(f, parts) => {
            let mut out = Vec::new();
            // Formatted in jq's order, the last one first, so that the first error is the same.
            let mut texts = Vec::with_capacity(parts.len());
            for p in parts.iter().rev() {
                texts.push(match p {
                    Part::Text(s) => s.clone(),
                    Part::Filter(n) => {
                        let Some(x) = operand(m, n, env, &v)? else { return Ok(None) };
                        format::apply(f, &x)?
                    }
                });
            }
            for t in texts.iter().rev() {
                m.reserve(out.len() + t.bytes().len())?;
                out.extend_from_slice(t.bytes());
            }
            Val::Str(Str::owned(out))
        }
        Op::Format(f) => Val::Str(format::apply(f, &v)?),
        Op::If(c, yes, no) => {
            let Some(x) = operand(m, c, env, &v)? else { return Ok(None) };
            return one(m, if x.truthy() { yes } else { no }, env, v);
        }
        Op::Select(c) => match operand(m, c, env, &v)? {
            Some(x) if x.truthy() => v,
            _ => return Ok(None),
        },
        Op::Try(body, handler) => {
            return match one(m, body, env, v) {
                Err(s) => match (*s, handler) {
                    (Stop::Error(e), Some(h)) => one(m, h, env, e),
                    (Stop::Error(_), None) => Ok(None),
                    (other, _) => Err(Box::new(other)),
                },
                ok => ok,
            };
        }
        Op::Label(body) => {
            let id = m.label();
            return match one(m, body, &env.with(Bound::Label(id)), v) {
                Err(s) if matches!(*s, Stop::Break(n) if n == id) => Ok(None),
                r => r,
            };
        }
        Op::Break(up) => match env.get(*up) {
            Some(Bound::Label(id)) => return Err(Box::new(Stop::Break(*id))),
            _ => return fail("break"),
        },
        Op::As(source, _, body) => {
            let Some(x) = operand(m, source, env, &v)? else { return Ok(None) };
            return one(m, body, &env.with_val(x), v);
        }
        Op::Reduce(source, _, init, update) => {
            let mut state = one(m, init, env, v.clone())?;
            if state.is_none() {
                return Ok(None);
            }
            each(m, source, env, v, &mut |x| {
                m.step()?;
                let inner = env.with_val(x);
                let s = state.take().unwrap_or_default();
                if update.one {
                    state = one(m, update, &inner, s)?;
                    return Ok(());
                }
                eval(m, update, &inner, s, &mut |x| {
                    state = Some(x);
                    m.step()
                })
            })?;
            state.unwrap_or_default()
        }
        Op::First(f) => return first(m, f, env, v),
        Op::Last(f) => {
            let mut last = None;
            each(m, f, env, v, &mut |x| {
                last = Some(x);
                m.step()
            })?;
            return Ok(last);
        }
        Op::AddAll(f) => {
            let mut sum = Val::Null;
            each(m, f, env, v, &mut |x| {
                m.step()?;
                sum = ops::binary(m, Bin::Add, std::mem::take(&mut sum), x)?;
                Ok(())
            })?;
            sum
        }
        Op::Any(wanted, generator, condition) => any(m, *wanted, generator, condition, env, v)?,
        Op::IsEmpty(f) => first(m, f, env, v)?.is_none().into(),
        Op::Empty => return Ok(None),
        Op::Error(a) => {
            let x = match a {
                Some(a) => get!(a, v),
                None => v,
            };
            return Err(Box::new(Stop::Error(x)));
        }
        Op::GetPath(p) => {
            let Some(p) = operand(m, p, env, &v)? else { return Ok(None) };
            ops::get_path(&v, &p)?
        }
        Op::Assign(target, value) => {
            let Some(x) = operand(m, value, env, &v)? else { return Ok(None) };
            update::assign(m, target, env, v, x)?
        }
        Op::Update(target, f) => update::update(m, target, env, v, &mut |old| first(m, f, env, old))?,
        Op::UpdateWith(op, target, value) => {
            let Some(x) = operand(m, value, env, &v)? else { return Ok(None) };
            update::update(m, target, env, v, &mut |old| Ok(Some(ops::binary(m, *op, old, x.clone())?)))?
        }
        Op::UpdateAlt(target, value) => {
            let Some(x) = operand(m, value, env, &v)? else { return Ok(None) };
            update::update(m, target, env, v, &mut |old| {
                Ok(Some(if old.truthy() { old } else { x.clone() }))
            })?
        }
        Op::Del(f) => {
            let mut paths = Vec::new();
            eval(m, f, env, Pv::root(v.clone()), &mut |x| {
                m.step()?;
                paths.push(x.into_path()?);
                Ok(())
            })?;
            ops::delete_paths(m, v, paths)?
        }
        Op::By(by, f) => by_key(m, *by, f.as_deref(), env, v)?,
        Op::Input => input(m)?,
        Op::Native(f, args) => match args.len() {
            0 => f.0(m, v, &mut [])?,
            1 => {
                let Some(a) = operand(m, &args[0], env, &v)? else { return Ok(None) };
                f.0(m, v, &mut [a])?
            }
            _ => {
                let mut done = vec![Val::Null; args.len()];
                for (i, a) in args.iter().enumerate().rev() {
                    let Some(x) = operand(m, a, env, &v)? else { return Ok(None) };
                    done[i] = x;
                }
                f.0(m, v, &mut done)?
            }
        },
        _ => {
            // Not reached for nodes marked `one`; the last output stands in.
            let mut last = None;
            eval_here(m, node, env, v, &mut |x: Val| {
                last = Some(x);
                Ok(())
            })?;
            return Ok(last);
        }
    }))
}

/// An operand evaluated on a value that is needed again: without a copy of it where only a part is read.
#[inline]
fn operand<'p>(m: &Machine<'p>, node: &'p Node, env: &Env<'p>, v: &Val) -> Res<Option<Val>> {
    match &node.op {
        Op::Lit(x) => Ok(Some(x.clone())),
        Op::Var(n) => Ok(Some(env.var(*n))),
        Op::Field(t, name) => match &t.op {
            Op::Id => ops::field(v, name).map(Some),
            Op::Field(..) => chain(m, t, env, v, name).map(Some),
            _ => one(m, node, env, v.clone()),
        },
        Op::Bin(op, a, b) => {
            let Some(r) = operand(m, b, env, v)? else { return Ok(None) };
            let Some(l) = operand(m, a, env, v)? else { return Ok(None) };
            ops::binary(m, *op, l, r).map(Some)
        }
        _ => one(m, node, env, v.clone()),
    }
}

/// `….name` of a chain of fields, by reference down to the last.
fn chain<'p>(m: &Machine<'p>, t: &'p Node, env: &Env<'p>, v: &Val, name: &Str) -> Res<Val> {
    fn walk<'v>(t: &Node, v: &'v Val) -> Res<Option<&'v Val>> {
        match &t.op {
            Op::Id => Ok(Some(v)),
            Op::Field(inner, name) => match walk(inner, v)? {
                Some(x) => ops::field_ref(x, name),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }
    fn pure(t: &Node) -> bool {
        match &t.op {
            Op::Id => true,
            Op::Field(inner, _) => pure(inner),
            _ => false,
        }
    }
    if pure(t) {
        return match walk(t, v)? {
            Some(x) => ops::field(x, name),
            None => Ok(Val::Null),
        };
    }
    match one(m, t, env, v.clone())? {
        Some(x) => ops::field(&x, name),
        None => Ok(Val::Null),
    }
}

fn body<'p>(m: &Machine<'p>, id: usize) -> Res<&'p Node> {
    m.program.funcs[id].body.as_deref().ok_or_else(|| error("function without a body"))
}

/// A closure of an argument; one that only passes a parameter on is that parameter.
fn closure<'p>(n: &'p Node, env: &Env<'p>) -> Bound<'p> {
    if let Op::Param(up) = n.op
        && let Some(b @ Bound::Closure(..)) = env.get(up)
    {
        return b.clone();
    }
    Bound::Closure(n, env.clone())
}

/// A call with `$parameters` that have several values.
fn call_many<'p, T: Item>(
    m: &Machine<'p>,
    body: &'p Node,
    args: &'p [CallArg],
    env: &Env<'p>,
    inner: Env<'p>,
    v: T,
    k: Sink<'_, T>,
) -> Flow {
    match args.split_first() {
        None => eval(m, body, &inner, v, k),
        Some((CallArg::Closure(n), rest)) => {
            let inner = inner.with(closure(n, env));
            call_many(m, body, rest, env, inner, v, k)
        }
        Some((CallArg::Value(n), rest)) => each(m, n, env, v.val().clone(), &mut |x| {
            call_many(m, body, rest, env, inner.with_val(x), v.clone(), k)
        }),
    }
}

fn try_catch<'p, T: Item>(
    m: &Machine<'p>,
    body: &'p Node,
    handler: Option<&'p Node>,
    env: &Env<'p>,
    v: T,
    k: Sink<'_, T>,
) -> Flow {
    // An error of what comes after is not this one's to catch.
    let mut below = false;
    let r = eval(m, body, env, v, &mut |x| {
        let r = k(x);
        below = r.is_err();
        r
    });
    match r {
        Err(s) if !below => match (*s, handler) {
            (Stop::Error(e), Some(h)) => eval(m, h, env, T::lost(e), k),
            (Stop::Error(_), None) => Ok(()),
            (other, _) => Err(Box::new(other)),
        },
        r => r,
    }
}

/// The first output.
pub fn first<'p, T: Item>(m: &Machine<'p>, f: &'p Node, env: &Env<'p>, v: T) -> Res<Option<T>> {
    if f.one && !T::PATHS {
        return Ok(one(m, f, env, v.into_val())?.map(T::lost));
    }
    let id = m.label();
    let mut found = None;
    match eval(m, f, env, v, &mut |x| {
        found = Some(x);
        Err(Box::new(Stop::Break(id)))
    }) {
        Err(s) if matches!(*s, Stop::Break(n) if n == id) => Ok(found),
        r => r.map(|()| found),
    }
}

fn limit<'p, T: Item>(m: &Machine<'p>, n: &Val, f: &'p Node, env: &Env<'p>, v: &T, k: Sink<'_, T>) -> Flow {
    let Some(mut left) = n.num() else {
        return fail(format!("{} and number (1) cannot be subtracted", ops::describe(n)));
    };
    if left < 0.0 {
        return fail("limit doesn't support negative count");
    }
    if left == 0.0 || left.is_nan() {
        return Ok(());
    }
    let id = m.label();
    match eval(m, f, env, v.clone(), &mut |x| {
        left -= 1.0;
        k(x)?;
        if left <= 0.0 { Err(Box::new(Stop::Break(id))) } else { m.step() }
    }) {
        Err(s) if matches!(*s, Stop::Break(n) if n == id) => Ok(()),
        r => r,
    }
}

fn until<'p, T: Item>(
    m: &Machine<'p>,
    cond: &'p Node,
    next: &'p Node,
    env: &Env<'p>,
    v: T,
    k: Sink<'_, T>,
) -> Flow {
    let mut v = v;
    // Conditions of one value need no callback: a loop in place.
    if cond.one && next.one && !T::PATHS {
        loop {
            m.step()?;
            match one(m, cond, env, v.val().clone())? {
                Some(x) if x.truthy() => return k(v),
                Some(_) => {}
                None => return Ok(()),
            }
            match one(m, next, env, v.into_val())? {
                Some(x) => v = T::lost(x),
                None => return Ok(()),
            }
        }
    }
    if m.short_of_stack() {
        return m.on_new_stack(|| until_many(m, cond, next, env, v, k));
    }
    until_many(m, cond, next, env, v, k)
}

fn until_many<'p, T: Item>(
    m: &Machine<'p>,
    cond: &'p Node,
    next: &'p Node,
    env: &Env<'p>,
    v: T,
    k: Sink<'_, T>,
) -> Flow {
    m.step()?;
    each(m, cond, env, v.val().clone(), &mut |c| match c.truthy() {
        true => k(v.clone()),
        false => eval(m, next, env, v.clone(), &mut |x| until(m, cond, next, env, x, k)),
    })
}

/// `..`: the value and everything in it.
fn recurse<T: Item>(m: &Machine<'_>, v: T, k: Sink<'_, T>) -> Flow {
    if m.short_of_stack() {
        return m.on_new_stack(|| recurse(m, v, k));
    }
    k(v.clone())?;
    if matches!(v.val(), Val::Arr(_) | Val::Obj(_)) {
        return v.iterate(m, &mut |x| recurse(m, x, k));
    }
    Ok(())
}

fn recurse_by<'p, T: Item>(m: &Machine<'p>, f: &'p Node, env: &Env<'p>, v: T, k: Sink<'_, T>) -> Flow {
    let mut v = v;
    loop {
        m.step()?;
        k(v.clone())?;
        if f.one && !T::PATHS {
            match one(m, f, env, v.into_val())? {
                Some(x) => v = T::lost(x),
                None => return Ok(()),
            }
            continue;
        }
        return eval(m, f, env, v, &mut |x| {
            if m.short_of_stack() {
                return m.on_new_stack(|| recurse_by(m, f, env, x, k));
            }
            recurse_by(m, f, env, x, k)
        });
    }
}

fn slice<'p, T: Item>(
    m: &Machine<'p>,
    t: &'p Node,
    from: Option<&'p Node>,
    to: Option<&'p Node>,
    env: &Env<'p>,
    v: T,
    k: Sink<'_, T>,
) -> Flow {
    let bound = |n: Option<&'p Node>, k: Sink<'_, Val>| match n {
        None => k(Val::Null),
        Some(n) => each(m, n, env, v.val().clone(), k),
    };
    bound(to, &mut |to| bound(from, &mut |from| eval(m, t, env, v.clone(), &mut |x| k(x.slice(&from, &to)?))))
}

fn input(m: &Machine<'_>) -> Res<Val> {
    let next = m.outside.borrow_mut().input()?;
    next.ok_or_else(|| error("break"))
}

fn any<'p>(
    m: &Machine<'p>,
    wanted: bool,
    generator: &'p Node,
    condition: &'p Node,
    env: &Env<'p>,
    v: Val,
) -> Res<Val> {
    let id = m.label();
    let r = each(m, generator, env, v, &mut |x| {
        m.step()?;
        each(m, condition, env, x, &mut |c| match c.truthy() == wanted {
            true => Err(Box::new(Stop::Break(id))),
            false => Ok(()),
        })
    });
    match r {
        Err(s) if matches!(*s, Stop::Break(n) if n == id) => Ok(wanted.into()),
        r => r.map(|()| (!wanted).into()),
    }
}

fn range(m: &Machine<'_>, from: &Val, to: &Val, by: &Val, three: bool, k: Sink<'_, Val>) -> Flow {
    let (Some(mut at), Some(to), Some(by)) = (from.num(), to.num(), by.num()) else {
        return fail("Range bounds must be numeric");
    };
    if three && by == 0.0 || by.is_nan() {
        return Ok(());
    }
    while if by > 0.0 { at < to } else { at > to } {
        k(Val::Num(at))?;
        m.step()?;
        at += by;
    }
    Ok(())
}

/// `map(f)`: all outputs for all elements.
pub fn map<'p>(m: &Machine<'p>, f: &'p Node, env: &Env<'p>, v: Val) -> Res<Val> {
    let mut out = Vec::new();
    let mut push = |x: Val| {
        if out.len() == out.capacity() {
            m.reserve(out.capacity() * 48)?;
        }
        out.push(x);
        Ok(())
    };
    match v {
        Val::Arr(a) => {
            for x in a.into_vec() {
                m.step()?;
                each(m, f, env, x, &mut push)?;
            }
        }
        Val::Obj(o) => {
            for (_, x) in o.into_list() {
                m.step()?;
                each(m, f, env, x, &mut push)?;
            }
        }
        other => return fail(format!("Cannot iterate over {}", ops::describe_kind(&other))),
    }
    Ok(out.into())
}

/// A value as an object's key.
pub fn object_key(key: Val) -> Res<Str> {
    match key {
        Val::Str(s) => Ok(s),
        other => fail(format!("Cannot use {} as object key", ops::describe(&other))),
    }
}

fn object<'p>(
    m: &Machine<'p>,
    members: &'p [(Node, Node)],
    env: &Env<'p>,
    v: &Val,
    done: Members,
    k: Sink<'_, Val>,
) -> Flow {
    let Some(((key, value), rest)) = members.split_first() else { return k(done.into()) };
    each(m, key, env, v.clone(), &mut |key| {
        let key = object_key(key)?;
        each(m, value, env, v.clone(), &mut |value| {
            let mut o = done.clone();
            o.insert(key.clone(), value);
            object(m, rest, env, v, o, k)
        })
    })
}

fn text<'p>(
    m: &Machine<'p>,
    f: &super::ir::Format,
    parts: &'p [Part],
    left: usize,
    env: &Env<'p>,
    v: &Val,
    done: &mut Vec<Option<Str>>,
    k: Sink<'_, Val>,
) -> Flow {
    if left == 0 {
        let n = done.iter().flatten().map(|s| s.bytes().len()).sum();
        m.reserve(n)?;
        let mut out = Vec::with_capacity(n);
        done.iter().flatten().for_each(|s| out.extend_from_slice(s.bytes()));
        return k(Val::Str(Str::owned(out)));
    }
    match &parts[left - 1] {
        Part::Text(s) => {
            done[left - 1] = Some(s.clone());
            text(m, f, parts, left - 1, env, v, done, k)
        }
        Part::Filter(n) => each(m, n, env, v.clone(), &mut |x| {
            done[left - 1] = Some(format::apply(f, &x)?);
            text(m, f, parts, left - 1, env, v, done, k)
        }),
    }
}

fn native<'p>(
    m: &Machine<'p>,
    f: super::ir::Native,
    args: &'p [Node],
    left: usize,
    env: &Env<'p>,
    v: &Val,
    done: &mut Vec<Val>,
    k: Sink<'_, Val>,
) -> Flow {
    if left == 0 {
        let x = f.0(m, v.clone(), &mut done.clone())?;
        return k(x);
    }
    each(m, &args[left - 1], env, v.clone(), &mut |x| {
        done[left - 1] = x;
        native(m, f, args, left - 1, env, v, done, k)
    })
}

/// `sub`: the n-th output takes the n-th replacement of every match.
fn substitute<'p>(
    m: &Machine<'p>,
    re: &Val,
    flags: &Val,
    global: bool,
    f: &'p Node,
    env: &Env<'p>,
    v: &Val,
    k: Sink<'_, Val>,
) -> Flow {
    let found = regex::find(m, v, re, flags, global)?;
    let Val::Str(text) = v else { return k(v.clone()) };
    let mut results: Vec<Val> = Vec::new();
    let mut at = 0;
    for hit in &found {
        let gap = Val::Str(text.sub(at, hit.start()));
        let mut i = 0;
        each(m, f, env, regex::captured(text, hit), &mut |new| {
            let new = ops::binary(m, Bin::Add, gap.clone(), new)?;
            if i == results.len() {
                results.push(Val::Null);
            }
            results[i] = ops::binary(m, Bin::Add, std::mem::take(&mut results[i]), new)?;
            i += 1;
            Ok(())
        })?;
        at = hit.end();
    }
    if results.is_empty() {
        return k(v.clone());
    }
    let rest = Val::Str(text.sub(at, text.bytes().len()));
    for r in results {
        k(ops::binary(m, Bin::Add, r, rest.clone())?)?;
    }
    Ok(())
}
