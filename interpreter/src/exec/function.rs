//! Functions: definition, calls, frames.

use crate::session::{
    options::opt,
    shell::{Flow, Frame, Function, Positional, Shell, Unwind},
    special::known,
    traps,
};
use crate::syntax::ir::FunctionDef;
use bytes::Bytes;
use std::sync::Arc;

impl Shell {
    /// `name() { … }`
    pub(super) fn define_function(&mut self, def: &Arc<FunctionDef>) -> u8 {
        if !def.valid() {
            self.report(&[b"`", &def.name, b"': not a valid identifier"]);
            return 1;
        }
        if self.functions.get(&def.name).is_some_and(|f| f.readonly) {
            self.report(&[&def.name, b": readonly function"]);
            return 1;
        }
        let source = match self.frames.last() {
            Some(f) => f.source.clone(),
            None if self.from_text => Bytes::from_static(b"environment"),
            None => self.name.clone(),
        };
        let f = Function { def: def.clone(), source, exported: false, readonly: false, traced: false };
        Arc::make_mut(&mut self.functions).insert(def.name.clone(), Arc::new(f));
        0
    }

    /// Calls a function with `args` (its name first).
    pub(crate) fn call_function(&mut self, f: &Function, args: Vec<Bytes>) -> Flow {
        let limit = self.budget.limits().function_depth;
        let nest = self.vars.get(known().funcnest).value.text();
        let nest = nest.map(|t| crate::expand::arith::leading_number(&t)).filter(|&n| n > 0);
        let limit = nest.map_or(limit, |n| limit.min(u32::try_from(n).unwrap_or(u32::MAX)));
        if self.depth >= limit {
            let text = format!(": maximum function nesting level exceeded ({limit})");
            self.report(&[&f.def.name, text.as_bytes()]);
            return Err(Unwind::Discard(1));
        }
        self.step()?;
        let frame = Frame {
            name: f.def.name.clone(),
            source: f.source.clone(),
            call_line: self.line,
            function: true,
            saved: Vec::new(),
            options: None,
            loops: std::mem::take(&mut self.loops),
        };
        self.frames.push(frame);
        self.depth += 1;
        let positional = std::mem::replace(&mut self.positional, Positional::of_call(args));
        let inherited = f.traced || self.options.on(opt::FUNCTRACE);
        let hidden = if self.traps.is_empty() { None } else { self.hide_traps(inherited) };
        let line = self.line;
        let result = self.grow(|sh| sh.exec_command(&f.def.body));
        let result = match result {
            Err(Unwind::Return(s)) => Ok(s),
            r => r,
        };
        let result = match result {
            Ok(s) => {
                self.status = s;
                match self.traps.get(traps::RETURN).is_some() {
                    true => self.run_trap(traps::RETURN).map(|()| s),
                    false => Ok(s),
                }
            }
            r => r,
        };
        if let Some(h) = hidden {
            self.show_traps(h);
        }
        self.positional = positional;
        self.line = line;
        self.pop_frame();
        match result {
            // A loop outside of the function is not the function's to leave.
            Err(Unwind::Break(_) | Unwind::Continue(_)) => Ok(self.status),
            r => r,
        }
    }

    /// Leaves the innermost frame: locals and loop depth come back.
    pub(crate) fn pop_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if frame.function {
            self.depth -= 1;
        }
        self.loops = frame.loops;
        self.restore_slots(frame.saved);
        if let Some(o) = frame.options {
            self.options.set = o.set;
            self.refresh_watch();
        }
    }

    /// DEBUG and RETURN are not inherited by a function without `functrace`, ERR not without `errtrace`: they are
    /// put away for the call. What the function sets itself stays.
    fn hide_traps(&mut self, trace: bool) -> Option<HiddenTraps> {
        let debug = (!trace).then(|| self.traps.get(traps::DEBUG).cloned()).flatten();
        let ret = (!trace).then(|| self.traps.get(traps::RETURN).cloned()).flatten();
        let err = (!self.options.on(opt::ERRTRACE)).then(|| self.traps.get(traps::ERR).cloned()).flatten();
        if debug.is_none() && ret.is_none() && err.is_none() {
            return None;
        }
        for (n, t) in [(traps::DEBUG, &debug), (traps::RETURN, &ret), (traps::ERR, &err)] {
            if t.is_some() {
                self.set_trap(n, None);
            }
        }
        Some(HiddenTraps([(traps::DEBUG, debug), (traps::RETURN, ret), (traps::ERR, err)]))
    }

    fn show_traps(&mut self, hidden: HiddenTraps) {
        for (n, t) in hidden.0 {
            if t.is_some() && self.traps.get(n).is_none() {
                self.set_trap(n, t);
            }
        }
    }
}

/// Traps that a function does not see.
struct HiddenTraps([(u8, Option<Bytes>); 3]);
