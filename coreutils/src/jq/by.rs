//! `sort_by`, `group_by`, `unique_by`, `min_by` and `max_by`: elements with the keys that a filter gives them.

use super::{
    eval::{eval, map, one},
    ir::{By, Node},
    machine::{Env, Machine, Res, fail},
    ops,
    val::{Val, compare},
};

/// `sort_by` and its family: each element with the array of its keys.
pub fn by_key<'p>(m: &Machine<'p>, by: By, f: Option<&'p Node>, env: &Env<'p>, v: Val) -> Res<Val> {
    let a = match v {
        Val::Arr(a) => a,
        v => {
            let keys = match (by, f) {
                (By::Sort | By::Min | By::Max, None) => None,
                (_, None) => Some(v.clone()),
                (_, Some(f)) => Some(map(m, f, env, v.clone())?),
            };
            // The keys are shown as computed: an array for each element.
            let keys = match keys {
                Some(Val::Obj(o)) => {
                    Some(o.iter().map(|e| Val::from(vec![e.1.clone()])).collect::<Vec<_>>().into())
                }
                Some(Val::Arr(a)) => {
                    Some(a.iter().map(|x| Val::from(vec![x.clone()])).collect::<Vec<_>>().into())
                }
                Some(other) => return fail(format!("Cannot iterate over {}", ops::describe_kind(&other))),
                None => None,
            };
            return ops::not_an_array(by, &v, keys.as_ref());
        }
    };
    let mut list: Vec<(Val, Val)> = Vec::with_capacity(a.len());
    m.reserve(a.len() * 48)?;
    for x in a.into_vec() {
        m.step()?;
        let key = match f {
            None => x.clone(),
            Some(f) if f.one => match one(m, f, env, x.clone())? {
                Some(k) => k,
                None => Val::from(Vec::new()),
            },
            Some(f) => {
                let mut keys = Vec::new();
                eval(m, f, env, x.clone(), &mut |k| {
                    keys.push(k);
                    Ok(())
                })?;
                keys.into()
            }
        };
        list.push((key, x));
    }
    Ok(match by {
        By::Min => {
            let mut best: Option<(Val, Val)> = None;
            for item in list {
                if best.as_ref().is_none_or(|b| compare(&item.0, &b.0).is_lt()) {
                    best = Some(item);
                }
            }
            best.map_or(Val::Null, |b| b.1)
        }
        By::Max => {
            let mut best: Option<(Val, Val)> = None;
            for item in list {
                if best.as_ref().is_none_or(|b| compare(&item.0, &b.0).is_ge()) {
                    best = Some(item);
                }
            }
            best.map_or(Val::Null, |b| b.1)
        }
        By::Sort => {
            sort(&mut list);
            list.into_iter().map(|i| i.1).collect::<Vec<_>>().into()
        }
        By::Group | By::Unique => {
            sort(&mut list);
            let mut groups: Vec<Val> = Vec::new();
            let mut group: Vec<Val> = Vec::new();
            let mut last: Option<Val> = None;
            for (key, x) in list {
                if last.as_ref().is_none_or(|l| compare(l, &key).is_ne()) {
                    if by == By::Group && !group.is_empty() {
                        groups.push(std::mem::take(&mut group).into());
                    }
                    if by == By::Unique {
                        groups.push(x.clone());
                    }
                    last = Some(key);
                }
                if by == By::Group {
                    group.push(x);
                }
            }
            if !group.is_empty() {
                groups.push(group.into());
            }
            groups.into()
        }
    })
}

fn sort(list: &mut [(Val, Val)]) {
    list.sort_by(|a, b| compare(&a.0, &b.0));
}
