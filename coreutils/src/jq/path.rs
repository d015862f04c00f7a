//! Path expressions: values that remember where in the input they are.

use super::{
    machine::{Flow, Machine, Res, fail},
    ops,
    val::{Str, Val},
};
use std::rc::Rc;

/// What travels through a filter: values, or values with their paths.
pub trait Item: Clone {
    /// Whether paths are kept.
    const PATHS: bool;
    /// The value.
    fn val(&self) -> &Val;
    /// The value alone.
    fn into_val(self) -> Val;
    /// A value that was computed, and is nowhere in the input.
    fn lost(v: Val) -> Self;
    /// A value computed from this item: still at its place when it is the same value.
    fn result(&self, v: Val) -> Self;
    /// `.name`
    fn field(self, name: &Str) -> Res<Self>;
    /// `.[key]`
    fn index(self, key: &Val) -> Res<Self>;
    /// `.[from:to]`
    fn slice(self, from: &Val, to: &Val) -> Res<Self>;
    /// `.[]`
    fn iterate(self, m: &Machine<'_>, k: &mut dyn FnMut(Self) -> Flow) -> Flow;
    /// `getpath(path)`
    fn get_path(self, path: &Val) -> Res<Self>;
}

impl Item for Val {
    const PATHS: bool = false;

    fn val(&self) -> &Val {
        self
    }

    fn into_val(self) -> Val {
        self
    }

    fn lost(v: Val) -> Self {
        v
    }

    fn result(&self, v: Val) -> Self {
        v
    }

    fn field(self, name: &Str) -> Res<Self> {
        ops::field(&self, name)
    }

    fn index(self, key: &Val) -> Res<Self> {
        ops::index(&self, key)
    }

    fn slice(self, from: &Val, to: &Val) -> Res<Self> {
        ops::slice(&self, from, to)
    }

    fn iterate(self, m: &Machine<'_>, k: &mut dyn FnMut(Self) -> Flow) -> Flow {
        match self {
            Val::Arr(a) => {
                for x in a.into_vec() {
                    m.step()?;
                    k(x)?;
                }
                Ok(())
            }
            Val::Obj(o) => {
                for (_, x) in o.into_list() {
                    m.step()?;
                    k(x)?;
                }
                Ok(())
            }
            other => fail(format!("Cannot iterate over {}", ops::describe_kind(&other))),
        }
    }

    fn get_path(self, path: &Val) -> Res<Self> {
        ops::get_path(&self, path)
    }
}

/// A path, last step first.
#[derive(Clone, Default)]
enum Trail {
    Lost,
    #[default]
    Root,
    Step(Rc<Step>),
}

struct Step {
    key: Val,
    up: Trail,
}

impl Drop for Step {
    fn drop(&mut self) {
        let mut up = std::mem::take(&mut self.up);
        while let Trail::Step(rc) = up {
            match Rc::try_unwrap(rc) {
                Ok(mut s) => up = std::mem::take(&mut s.up),
                Err(_) => return,
            }
        }
    }
}

/// A value with its path.
#[derive(Clone)]
pub struct Pv {
    trail: Trail,
    val: Val,
}

impl Pv {
    /// The input itself.
    pub fn root(val: Val) -> Pv {
        Pv { trail: Trail::Root, val }
    }

    /// Its path, which must be known.
    pub fn into_path(self) -> Res<Vec<Val>> {
        let mut path = Vec::new();
        let mut at = self.trail;
        loop {
            at = match &at {
                Trail::Lost => {
                    return fail(format!(
                        "Invalid path expression with result {}",
                        ops::truncated(&self.val, 30)
                    ));
                }
                Trail::Root => break,
                Trail::Step(s) => {
                    path.push(s.key.clone());
                    s.up.clone()
                }
            };
        }
        path.reverse();
        Ok(path)
    }

    fn child(&self, key: Val, val: Val) -> Pv {
        Pv { trail: Trail::Step(Rc::new(Step { key, up: self.trail.clone() })), val }
    }

    fn known(&self, attempt: impl FnOnce() -> String) -> Flow {
        match self.trail {
            Trail::Lost => fail(format!("Invalid path expression near attempt to {}", attempt())),
            _ => Ok(()),
        }
    }

    fn access(&self, key: &Val) -> Flow {
        self.known(|| {
            format!("access element {} of {}", ops::truncated(key, 15), ops::truncated(&self.val, 30))
        })
    }
}

impl Item for Pv {
    const PATHS: bool = true;

    fn val(&self) -> &Val {
        &self.val
    }

    fn into_val(self) -> Val {
        self.val
    }

    fn lost(v: Val) -> Self {
        Pv { trail: Trail::Lost, val: v }
    }

    fn result(&self, v: Val) -> Self {
        if v.identical(&self.val) { self.clone() } else { Pv::lost(v) }
    }

    fn field(self, name: &Str) -> Res<Self> {
        let key = Val::Str(name.clone());
        self.access(&key)?;
        let x = ops::field(&self.val, name)?;
        Ok(self.child(key, x))
    }

    fn index(self, key: &Val) -> Res<Self> {
        self.access(key)?;
        let x = ops::index(&self.val, key)?;
        Ok(self.child(key.clone(), x))
    }

    fn slice(self, from: &Val, to: &Val) -> Res<Self> {
        let key = Val::object([("start", from.clone()), ("end", to.clone())]);
        self.access(&key)?;
        let x = ops::slice(&self.val, from, to)?;
        Ok(self.child(key, x))
    }

    fn iterate(self, m: &Machine<'_>, k: &mut dyn FnMut(Self) -> Flow) -> Flow {
        self.known(|| format!("iterate through {}", ops::truncated(&self.val, 30)))?;
        match &self.val {
            Val::Arr(a) => {
                for (i, x) in a.iter().enumerate() {
                    m.step()?;
                    k(self.child(i.into(), x.clone()))?;
                }
                Ok(())
            }
            Val::Obj(o) => {
                for (key, x) in o.iter() {
                    m.step()?;
                    k(self.child(Val::Str(key.clone()), x.clone()))?;
                }
                Ok(())
            }
            other => fail(format!("Cannot iterate over {}", ops::describe_kind(other))),
        }
    }

    fn get_path(self, path: &Val) -> Res<Self> {
        self.known(|| {
            format!("access element {} of {}", ops::truncated(path, 15), ops::truncated(&self.val, 30))
        })?;
        let x = ops::get_path(&self.val, path)?;
        let Val::Arr(keys) = path else { return fail("Path must be specified as an array") };
        let mut trail = self.trail;
        for key in keys.iter() {
            trail = Trail::Step(Rc::new(Step { key: key.clone(), up: trail }));
        }
        Ok(Pv { trail, val: x })
    }
}
