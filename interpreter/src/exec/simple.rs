//! Simple commands: assignments, words, redirections, and which function, builtin or program they name.

use crate::builtins::{self, Builtin};
use crate::session::{
    access::Key,
    array::{Assoc, Indexed, Scalar},
    options::{opt, shopt},
    script::NotRunnable,
    shell::{Flow, Shell, Unwind, os, watch},
    special::known,
    vars::{Slot, Value, attr},
};
use crate::syntax::{
    ir::{
        Arg, ArrayItem, AssignValue, Assignment, Name, Op, Part, Redirect, Shape, Simple, Subscript, Target,
        Word,
    },
    names,
};
use bytes::Bytes;
use sandshell_kernel::{Env, Errno, FileKind, Spawn};
use std::sync::Arc;

/// An expanded element of a compound assignment.
#[derive(Clone, Debug)]
pub struct Element {
    /// The text between `[` and `]`.
    pub key: Option<Bytes>,
    /// `+=`
    pub append: bool,
    /// The value.
    pub value: Bytes,
}

/// A compound assignment among the arguments of a declaration builtin: the argument is `name` or `name+`.
#[derive(Clone, Debug)]
pub struct Compound {
    /// Which argument.
    pub index: usize,
    /// Its elements.
    pub elements: Vec<Element>,
    /// `+=`
    pub append: bool,
}

impl Shell {
    /// Runs a simple command and gives its status (`$?` is set by the caller).
    #[inline]
    pub(super) fn exec_simple(&mut self, simple: &Simple, redirects: &[Redirect]) -> Flow {
        let mark = self.substitutions.len();
        self.substitution_status = None;
        if self.watch & watch::COMMAND != 0 {
            self.note_command(simple)?;
        }
        let result = self.exec_simple_here(simple, redirects);
        if self.substitutions.len() > mark {
            self.close_substitutions(mark);
        }
        result
    }

    fn exec_simple_here(&mut self, simple: &Simple, redirects: &[Redirect]) -> Flow {
        let mut args = std::mem::take(&mut self.spare_args);
        for arg in &simple.words {
            match arg {
                Arg::Word(w) => self.expand_word(w, &mut args)?,
                Arg::Assign(a) => self.expand_declaration(a, &mut args)?,
            }
        }
        if args.is_empty() {
            self.spare_args = args;
            return self.only_assignments(simple, redirects);
        }
        let function = match self.functions.is_empty() {
            true => None,
            false => self.functions.get(&args[0]),
        };
        if let Some(f) = function
            && redirects.is_empty()
            && simple.assignments.is_empty()
            && self.watch & watch::XTRACE == 0
        {
            let f = f.clone();
            let last = args[args.len() - 1].clone();
            let result = self.call_function(&f, args);
            self.last_arg = last;
            return result;
        }
        let builtin = match function {
            None => builtins::find(&args[0]).filter(|_| !self.is_disabled(&args[0])),
            Some(_) => None,
        };
        if !simple.assignments.is_empty() {
            return self.exec_with_assignments(simple, args, builtin, redirects);
        }
        self.exec_redirected(args, builtin, redirects)
    }

    /// Runs an expanded command within its redirections.
    #[inline]
    fn exec_redirected(
        &mut self,
        args: Vec<Bytes>,
        builtin: Option<&'static Builtin>,
        redirects: &[Redirect],
    ) -> Flow {
        if self.watch & watch::XTRACE != 0 {
            self.trace_command(&args)?;
        }
        // `$_` changes when the command has ended: a function's own commands do not show.
        let last = args[args.len() - 1].clone();
        let result = self.exec_in_redirects(args, builtin, redirects);
        self.last_arg = last;
        result
    }

    #[inline]
    fn exec_in_redirects(
        &mut self,
        mut args: Vec<Bytes>,
        builtin: Option<&'static Builtin>,
        redirects: &[Redirect],
    ) -> Flow {
        if redirects.is_empty() {
            let Some(b) = builtin else { return self.dispatch(args) };
            let result = self.run_builtin(b, &args);
            if args.capacity() <= 64 {
                args.clear();
                self.spare_args = args;
            }
            return result;
        }
        let Some(undo) = self.redirect(redirects)? else {
            return self.redirect_failed(builtin);
        };
        let keep = builtin.is_some_and(|b| b.name == "exec");
        let result = match builtin {
            Some(b) => self.run_builtin(b, &args),
            None => self.dispatch(args),
        };
        // `exec` with redirections alone makes them the shell's own.
        match keep && self.exec_keeps {
            true => self.exec_keeps = false,
            false => self.undo_redirects(undo),
        }
        result
    }

    /// A redirection failed: the command does not run; a special builtin ends a POSIX shell.
    #[cold]
    fn redirect_failed(&mut self, builtin: Option<&'static Builtin>) -> Flow {
        match builtin {
            Some(b) if b.special && self.options.on(opt::POSIX) => Err(Unwind::Exit(1)),
            _ => Ok(1),
        }
    }

    fn exec_with_assignments(
        &mut self,
        simple: &Simple,
        args: Vec<Bytes>,
        builtin: Option<&'static Builtin>,
        redirects: &[Redirect],
    ) -> Flow {
        // In POSIX mode what stands before a special builtin stays.
        let stays = builtin.is_some_and(|b| b.special && self.options.on(opt::POSIX));
        let mut saved = Vec::new();
        let function = builtin.is_none() && self.functions.contains_key(&args[0]);
        let level = if function { self.depth + 1 } else { self.depth };
        for a in &simple.assignments {
            if let Err(u) = self.temporary_assignment(a, level, !stays, &mut saved) {
                self.restore_slots(saved);
                return Err(u);
            }
        }
        let result = self.exec_redirected(args, builtin, redirects);
        self.restore_slots(saved);
        result
    }

    /// `x=1 command`: sets `x`, exported, for the command only.
    fn temporary_assignment(
        &mut self,
        a: &Assignment,
        level: u32,
        save: bool,
        saved: &mut Vec<(Name, Slot)>,
    ) -> Flow<()> {
        let AssignValue::Scalar(word) = &a.value else {
            self.assign_one(a)?;
            return Ok(());
        };
        if a.subscript.is_some() {
            return self.assign_one(a);
        }
        let value = self.expand_single(word)?;
        if self.watch & watch::XTRACE != 0 {
            self.trace_assignment(a, &value)?;
        }
        let Some((name, _)) = self.resolve(a.name) else { return Ok(()) };
        if self.vars.get(name).has(attr::READONLY) {
            self.report(&[names::text(name), b": readonly variable"]);
            return match self.options.on(opt::POSIX) {
                true => Err(Unwind::Exit(127)),
                false => Ok(()),
            };
        }
        if save {
            let old = self.vars.get(name).clone();
            let mut new = old.clone();
            new.level = level;
            if new.value.is_array() {
                new.value = Value::Unset;
                new.attrs &= !(attr::ARRAY | attr::ASSOC);
            }
            new.attrs |= attr::EXPORT;
            self.vars.replace(name, new);
            saved.push((name, old));
        }
        self.assign(name, None, Scalar::Str(value), a.append)?;
        self.vars.exports_changed();
        Ok(())
    }

    /// Puts back variables in reverse order.
    pub(crate) fn restore_slots(&mut self, saved: Vec<(Name, Slot)>) {
        for (name, slot) in saved.into_iter().rev() {
            let special = slot.special;
            self.vars.replace(name, slot);
            if special != 0 {
                self.after_special_change(name);
            }
        }
    }

    /// A command without words: its assignments change the shell. Its status is that of the last substitution.
    fn only_assignments(&mut self, simple: &Simple, redirects: &[Redirect]) -> Flow {
        if redirects.is_empty() {
            for a in &simple.assignments {
                self.assign_one(a)?;
            }
            return Ok(self.substitution_status.take().unwrap_or(0));
        }
        for a in &simple.assignments {
            self.assign_one(a)?;
        }
        let status = self.substitution_status.take();
        match self.redirect(redirects)? {
            Some(undo) => {
                self.undo_redirects(undo);
                Ok(self.substitution_status.take().or(status).unwrap_or(0))
            }
            None => Ok(1),
        }
    }

    /// One assignment. A refused one abandons the command line.
    pub(crate) fn assign_one(&mut self, a: &Assignment) -> Flow<()> {
        match &a.value {
            AssignValue::Scalar(word) => {
                if let Shape::Parts(p) = &word.shape
                    && let Some(rest) = appends_to_itself(a, &p.parts)
                    && self.append_in_place(a.name, rest)?
                {
                    return Ok(());
                }
                let value = self.scalar_value(word)?;
                if self.watch & watch::XTRACE != 0 {
                    self.trace_assignment(a, &value.text())?;
                }
                if a.subscript.is_none() && !a.append {
                    return match self.assign_plain(a.name, value)? {
                        true => Ok(()),
                        false => Err(self.assignment_failed()),
                    };
                }
                let key = match &a.subscript {
                    None => None,
                    Some(s) => self.assignment_key(a.name, s)?,
                };
                self.assign_or_discard(a.name, key, value, a.append)
            }
            AssignValue::Array(items) => {
                let Some((name, _)) = self.resolve(a.name) else { return Ok(()) };
                if a.subscript.is_some() {
                    self.report(&[&a.source, b": cannot assign list to array member"]);
                    return Err(Unwind::Discard(1));
                }
                if self.vars.get(name).has(attr::READONLY) {
                    self.report(&[names::text(name), b": readonly variable"]);
                    return Err(self.assignment_failed());
                }
                if self.watch & watch::XTRACE != 0 {
                    self.trace_line(&a.source)?;
                }
                if !self.is_assoc(name) && self.plain_items(items) {
                    let mut values = Vec::with_capacity(items.len());
                    for item in items {
                        if let ArrayItem::Word(w) = item {
                            self.expand_word(w, &mut values)?;
                        }
                    }
                    return self.assign_values(name, values, a.append);
                }
                let elements = self.expand_elements(name, items)?;
                self.assign_elements(name, elements, a.append)?;
                Ok(())
            }
        }
    }

    /// `x="$x…"` adds to the text that is there. False: the variable is none that this can be done with.
    fn append_in_place(&mut self, name: Name, rest: &[Part]) -> Flow<bool> {
        let slot = self.vars.get(name);
        let simple = matches!(slot.value, Value::Str(_)) && slot.special == 0;
        if !simple
            || slot.attrs & !(attr::DECLARED | attr::TRACE) != 0
            || self.options.on(opt::ALLEXPORT)
            || self.watch & watch::XTRACE != 0
        {
            return Ok(false);
        }
        let mut sink = self.sink(crate::expand::Mode::Single);
        self.emit(rest, true, false, &mut sink)?;
        self.charge(sink.cur.len() as i64)?;
        let slot = self.vars.get_mut(name);
        if let Value::Str(text) = &mut slot.value {
            *text = crate::session::access::append(std::mem::take(text), &sink.cur);
        }
        Ok(true)
    }

    fn plain_items(&self, items: &[ArrayItem]) -> bool {
        items.iter().all(|i| matches!(i, ArrayItem::Word(_)))
    }

    fn assignment_key(&mut self, name: Name, s: &Subscript) -> Flow<Option<Key>> {
        let Some((name, _)) = self.resolve(name) else { return Ok(None) };
        match s {
            // `m[@]=x` is a key of an associative array, an error for others.
            Subscript::At if self.is_assoc(name) => Ok(Some(Key::Text(Bytes::from_static(b"@")))),
            Subscript::Star if self.is_assoc(name) => Ok(Some(Key::Text(Bytes::from_static(b"*")))),
            s => {
                let key = self.key(name, s)?;
                if let Some(Key::Text(t)) = &key
                    && t.is_empty()
                {
                    let shown: Vec<u8> = match s {
                        Subscript::Index { key, .. } => key.source.to_vec(),
                        _ => Vec::new(),
                    };
                    self.report(&[names::text(name), b"[", &shown, b"]: bad array subscript"]);
                    return Err(Unwind::Discard(1));
                }
                Ok(key)
            }
        }
    }

    /// The value of a scalar assignment: arithmetic stays a number.
    #[inline]
    fn scalar_value(&mut self, word: &Word) -> Flow<Scalar> {
        match &word.shape {
            Shape::Literal(b) => return Ok(Scalar::Str(b.clone())),
            Shape::Parts(p) => {
                if let [Part::Arith(a, _)] = &p.parts[..] {
                    return Ok(Scalar::Int(self.arith(a)?));
                }
            }
            _ => {}
        }
        Ok(Scalar::Str(self.expand_single(word)?))
    }

    /// Sets or extends an indexed array by values in order.
    pub(crate) fn assign_values(&mut self, name: Name, values: Vec<Bytes>, add: bool) -> Flow<()> {
        let attrs = self.vars.get(name).attrs;
        if attrs & attr::CONVERTS != 0 || self.vars.get(name).special != 0 {
            let elements =
                values.into_iter().map(|value| Element { key: None, append: false, value }).collect();
            return self.assign_elements(name, elements, add).map(drop);
        }
        let weight: i64 = values.iter().map(|v| v.len() as i64 + 40).sum();
        let slot = self.vars.get_mut(name);
        match (&mut slot.value, add) {
            (Value::Array(a), true) => {
                let a = Arc::make_mut(a);
                for v in values {
                    a.push(Scalar::Str(v));
                }
            }
            (old, true) => {
                let mut a = Indexed::default();
                if let Some(v) = old.scalar() {
                    a.set(0, v);
                }
                for v in values {
                    a.push(Scalar::Str(v));
                }
                slot.value = Value::Array(Arc::new(a));
            }
            (_, false) => slot.value = Value::Array(Arc::new(Indexed::from_values(values))),
        }
        slot.attrs |= attr::ARRAY;
        self.charge(weight)
    }

    /// Expands the items of `( … )` for the array `name`.
    pub(crate) fn expand_elements(&mut self, name: Name, items: &[ArrayItem]) -> Flow<Vec<Element>> {
        let assoc = self.is_assoc(name);
        self.expand_elements_as(assoc, items)
    }

    fn expand_elements_as(&mut self, assoc: bool, items: &[ArrayItem]) -> Flow<Vec<Element>> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            match item {
                ArrayItem::Word(w) => {
                    let mut fields = Vec::new();
                    match assoc {
                        // Words that stand alone are keys and values in turn: they do not split.
                        true => fields.push(self.expand_single(w)?),
                        false => self.expand_word(w, &mut fields)?,
                    }
                    out.extend(fields.into_iter().map(|value| Element { key: None, append: false, value }));
                }
                ArrayItem::Keyed { subscript, append, value } => {
                    let key = match subscript {
                        Subscript::At => Bytes::from_static(b"@"),
                        Subscript::Star => Bytes::from_static(b"*"),
                        Subscript::Index { key, .. } => self.expand_single(key)?,
                    };
                    let value = self.expand_single(value)?;
                    out.push(Element { key: Some(key), append: *append, value });
                }
            }
        }
        Ok(out)
    }

    /// Sets or extends an array by expanded elements. False: something was refused, which was told.
    pub(crate) fn assign_elements(&mut self, name: Name, elements: Vec<Element>, add: bool) -> Flow<bool> {
        let assoc = self.is_assoc(name);
        let mut ok = true;
        if !add {
            let slot = self.vars.get_mut(name);
            slot.value = match assoc {
                true => Value::Assoc(Arc::new(Assoc::default())),
                false => Value::Array(Arc::new(Indexed::default())),
            };
            slot.attrs |= if assoc { attr::ASSOC } else { attr::ARRAY };
        }
        if assoc {
            let mut items = elements.into_iter();
            let mut first = true;
            let mut pairs = false;
            while let Some(e) = items.next() {
                if std::mem::take(&mut first) {
                    pairs = e.key.is_none();
                }
                let (key, append, value) = match e.key {
                    Some(k) if !pairs => (k, e.append, e.value),
                    None if pairs => (e.value, false, items.next().map(|v| v.value).unwrap_or_default()),
                    Some(k) => {
                        // Among pairs, `[k]=v` is just a word.
                        let word = [b"[", &k[..], b"]=", &e.value[..]].concat();
                        (Bytes::from(word), false, items.next().map(|v| v.value).unwrap_or_default())
                    }
                    None => {
                        // The builtins got the word quoted, and go on.
                        let quote: &[u8] = if self.builtin.is_empty() { b"" } else { b"'" };
                        self.report(&[
                            names::text(name),
                            b": ",
                            quote,
                            &e.value,
                            quote,
                            b": must use subscript when assigning associative array",
                        ]);
                        ok &= !self.builtin.is_empty();
                        continue;
                    }
                };
                if key.is_empty() {
                    self.complain(&[b"[]=", &value, b": bad array subscript"]);
                    ok = false;
                    continue;
                }
                ok &= self.assign_checked(name, Key::Text(key), Scalar::Str(value), append)?;
            }
            return Ok(ok);
        }
        let mut next = match (&self.vars.get(name).value, add) {
            (Value::Array(a), _) => a.max().map_or(0, |m| m + 1),
            (Value::Unset, _) => 0,
            (_, _) => 1,
        };
        for e in elements {
            let index = match &e.key {
                Some(k) => {
                    let i = self.arith_text(k)?;
                    if i < 0 {
                        let top = match &self.vars.get(name).value {
                            Value::Array(a) => a.max().map_or(0, |m| m + 1),
                            _ => 0,
                        };
                        if i + top < 0 {
                            self.complain(&[names::text(name), b"[", k, b"]: bad array subscript"]);
                            ok = false;
                            continue;
                        }
                        i + top
                    } else {
                        i
                    }
                }
                None => next,
            };
            ok &= self.assign_checked(name, Key::Index(index), Scalar::Str(e.value), e.append)?;
            next = index.saturating_add(1);
        }
        Ok(ok)
    }

    /// Assigns an element without looking at read-only again: `declare -ra x=(…)` sets the values first.
    fn assign_checked(&mut self, name: Name, key: Key, value: Scalar, append: bool) -> Flow<bool> {
        self.assign(name, Some(key), value, append)
    }

    /// An argument like `x=v` or `x=(…)` of `declare` and its kin.
    fn expand_declaration(&mut self, a: &Assignment, args: &mut Vec<Bytes>) -> Flow<()> {
        let name = names::text(a.name);
        let mut text = Vec::with_capacity(name.len() + 32);
        text.extend_from_slice(name);
        match &a.subscript {
            None => {}
            Some(Subscript::At) => text.extend_from_slice(b"[@]"),
            Some(Subscript::Star) => text.extend_from_slice(b"[*]"),
            Some(Subscript::Index { key, .. }) => {
                text.push(b'[');
                // The builtin evaluates the subscript when it knows the kind of the array.
                text.extend_from_slice(&key.source);
                text.push(b']');
            }
        }
        match &a.value {
            AssignValue::Scalar(w) => {
                text.extend_from_slice(if a.append { b"+=" } else { b"=" });
                let value = self.expand_single(w)?;
                text.extend_from_slice(&value);
            }
            AssignValue::Array(items) => {
                let letters = |flag: u8| {
                    args.iter().skip(1).take_while(|w| w.first() == Some(&b'-')).any(|w| w.contains(&flag))
                };
                let assoc = letters(b'A') || !letters(b'a') && self.is_assoc(a.name);
                let elements = self.expand_elements_as(assoc, items)?;
                self.compounds.push(Compound { index: args.len(), elements, append: a.append });
            }
        }
        args.push(Bytes::from(text));
        Ok(())
    }

    /// Runs a builtin.
    #[inline]
    pub(crate) fn run_builtin(&mut self, b: &'static Builtin, args: &[Bytes]) -> Flow {
        let before = std::mem::replace(&mut self.builtin, b.name);
        let result = (b.run)(self, args);
        self.builtin = before;
        if !self.compounds.is_empty() {
            self.compounds.clear();
        }
        result
    }

    /// Runs what `args[0]` names: a function, or else a program.
    pub(crate) fn dispatch(&mut self, args: Vec<Bytes>) -> Flow {
        if !self.functions.is_empty()
            && let Some(f) = self.functions.get(&args[0])
        {
            let f = f.clone();
            return self.call_function(&f, args);
        }
        self.run_external(args)
    }

    /// Finds and runs a program, with the shell's messages and statuses for one that cannot be run.
    pub(crate) fn run_external(&mut self, args: Vec<Bytes>) -> Flow {
        let name = args[0].clone();
        let path = match name.contains(&b'/') {
            true => Some(name.clone()),
            false => self.find_command(&name),
        };
        let Some(path) = path else { return self.command_not_found(args) };
        let script = self.script.clone();
        let runnable = match script.runnable(&path, &self.files) {
            Ok(r) => r,
            Err(e) => return Ok(self.cannot_run(&path, e)),
        };
        let spawn = Spawn {
            argv: args,
            env: self.environment(),
            files: self.files.clone(),
            budget: self.budget.clone(),
            ignores_sigpipe: self.ignores_sigpipe,
        };
        match os(script.execute(runnable, &path, spawn))? {
            Ok(Ok(status)) => Ok(status.0),
            Ok(Err(e)) => Ok(self.cannot_run(&path, e)),
            Err(e) => {
                self.report(&[&path, b": ", e.text().as_bytes()]);
                Ok(126)
            }
        }
    }

    /// The environment of programs: exported variables, and exported functions as bash hands them to other shells.
    pub(crate) fn environment(&mut self) -> Env {
        let mut env = self.vars.env();
        if self.exports_functions {
            for (name, f) in self.functions.iter().filter(|(_, f)| f.exported) {
                let text = crate::syntax::print::function(&f.def);
                let body = text.get(name.len()..).unwrap_or_default().trim_ascii();
                let name = Bytes::from([b"BASH_FUNC_", &name[..], b"%%"].concat());
                env.set(name, Bytes::copy_from_slice(body));
            }
        }
        env
    }

    /// The path of a command, looked up in PATH and remembered.
    pub(crate) fn find_command(&mut self, name: &Bytes) -> Option<Bytes> {
        if name.is_empty() {
            return None;
        }
        if let Some((path, _)) = self.hashed.get(name) {
            let path = path.clone();
            if let Some((_, hits)) = Arc::make_mut(&mut self.hashed).get_mut(name) {
                *hits += 1;
            }
            if !self.options.shopt(shopt::CHECKHASH) || self.files.exists(&path) {
                return Some(path);
            }
        }
        let path = match self.lookups.get(name) {
            Some(p) => p.clone(),
            None => self.search_path(name)?,
        };
        if self.options.on(opt::HASHALL) {
            Arc::make_mut(&mut self.hashed).insert(name.clone(), (path.clone(), 1));
        }
        Some(path)
    }

    /// Looks a command up before a fork does, so that forks in a loop need not. Unlike what was run here (`hash`), it
    /// is not shown.
    pub(super) fn look_ahead(&mut self, name: &Bytes) {
        if self.lookups.contains_key(name)
            || self.hashed.contains_key(name)
            || name.contains(&b'/')
            || builtins::find(name).is_some()
            || self.functions.contains_key(name)
        {
            return;
        }
        if let Some(path) = self.search_path(name)
            && (path.starts_with(b"/usr/bin/") || path.starts_with(b"/bin/"))
        {
            Arc::make_mut(&mut self.lookups).insert(name.clone(), path);
        }
    }

    /// The path of a command by PATH alone.
    pub(crate) fn search_path(&mut self, name: &[u8]) -> Option<Bytes> {
        let path = self.vars.get(known().path).value.text()?;
        self.script.search(name, &path, &self.files)
    }

    #[cold]
    fn command_not_found(&mut self, mut args: Vec<Bytes>) -> Flow {
        let handler = self.functions.get(&b"command_not_found_handle"[..]).cloned();
        if let Some(f) = handler {
            // The handler runs in a subshell.
            let budget = self.budget.clone();
            let mut sh = self.fork(&budget);
            args.insert(0, Bytes::from_static(b"command_not_found_handle"));
            let flow = sh.call_function(&f, args);
            return Ok(sh.finish(flow)?);
        }
        let name = &args[0];
        let hint = match self.vars.get(known().path).value.text() {
            Some(_) => &b": command not found"[..],
            None => &b": No such file or directory"[..],
        };
        match sandshell_text::quote::needs_ansi_c(name) {
            true => self.report(&[&crate::expand::quoting::reusable(name), hint]),
            false => self.report(&[name, hint]),
        }
        Ok(127)
    }

    /// The message and status for a path that cannot be run.
    #[cold]
    pub(crate) fn cannot_run(&mut self, path: &[u8], e: NotRunnable) -> u8 {
        match e {
            NotRunnable::Os(Errno::ENOENT) => {
                self.report(&[path, b": No such file or directory"]);
                127
            }
            NotRunnable::Os(Errno::EACCES)
                if self.files.stat_cheap(path, true).is_ok_and(|(s, _)| s.kind == FileKind::Directory) =>
            {
                self.report(&[path, b": Is a directory"]);
                126
            }
            NotRunnable::Os(e) => {
                self.report(&[path, b": ", e.text().as_bytes()]);
                126
            }
            NotRunnable::Interpreter(_) => {
                self.report(&[path, b": cannot execute: required file not found"]);
                127
            }
            NotRunnable::Binary => {
                self.report(&[path, b": cannot execute binary file: Exec format error"]);
                126
            }
        }
    }

    /// `enable -n name`
    #[inline]
    fn is_disabled(&self, name: &[u8]) -> bool {
        self.disabled.as_ref().is_some_and(|d| d.contains(name))
    }
}

/// What `x="$x…"` adds to `x`, if the assignment is of that kind and nothing in the rest changes variables.
fn appends_to_itself<'a>(a: &Assignment, parts: &'a [Part]) -> Option<&'a [Part]> {
    let plain = |p: &Part| match p {
        Part::Param(p, _) => match p.target {
            Target::Var(n) => {
                (matches!(p.op, Op::Value) && !p.indirect && p.subscript.is_none()).then_some(n)
            }
            _ => None,
        },
        _ => None,
    };
    let parts = match parts {
        [Part::DoubleQuoted(inner)] => inner,
        parts => parts,
    };
    let (first, rest) = parts.split_first()?;
    let quiet = |p: &Part| matches!(p, Part::Quoted(_) | Part::EmptyQuotes) || plain(p).is_some();
    let fits = !a.append && a.subscript.is_none() && plain(first) == Some(a.name) && rest.iter().all(quiet);
    fits.then_some(rest)
}
