//! Compound commands: groups, conditionals, loops, `case`, `select`, subshells.

use crate::session::{
    access::is_name,
    array::Scalar,
    options::shopt,
    shell::{Flow, Shell, Unwind, watch},
    special::known,
};
use crate::syntax::ir::{Case, CaseEnd, Command, CommandKind, For, ForArith, List};
use bytes::Bytes;

impl Shell {
    /// Runs a command that is not a simple one, within its redirections.
    pub(super) fn exec_compound(&mut self, command: &Command) -> Flow {
        if command.redirects.is_empty() || matches!(command.kind, CommandKind::Function(_)) {
            return self.exec_kind(command);
        }
        let mark = self.substitutions.len();
        self.line = command.line;
        let result = match self.redirect(&command.redirects)? {
            None => {
                self.close_substitutions(mark);
                return self.ended(1);
            }
            Some(undo) => {
                let r = self.exec_kind(command);
                self.undo_redirects(undo);
                r
            }
        };
        self.close_substitutions(mark);
        result
    }

    fn exec_kind(&mut self, command: &Command) -> Flow {
        match &command.kind {
            CommandKind::Simple(s) => self.exec_simple(s, &[]),
            CommandKind::Group(list) => self.exec_list(list),
            CommandKind::Subshell(list) => {
                self.line = command.line;
                if std::mem::take(&mut self.fresh) {
                    return self.grow(|sh| sh.exec_list(list));
                }
                let budget = self.budget.clone();
                let mut sh = self.fork(&budget);
                let flow = sh.grow(|sh| sh.exec_list(list));
                let status = sh.finish(flow)?;
                drop(sh);
                self.ended(status)
            }
            CommandKind::If(arms, otherwise) => {
                for (condition, body) in arms {
                    if self.exec_tested(condition)? == 0 {
                        return self.exec_list(body);
                    }
                }
                let status = match otherwise {
                    Some(body) => self.exec_list(body)?,
                    None => 0,
                };
                self.status = status;
                Ok(status)
            }
            CommandKind::Loop { until, condition, body } => self.exec_loop(*until, condition, body),
            CommandKind::For(f) => self.exec_for(f, command.line),
            CommandKind::ForArith(f) => self.exec_for_arith(f, command.line),
            CommandKind::Select(f) => self.exec_select(f, command.line),
            CommandKind::Case(c) => self.exec_case(c, command.line),
            CommandKind::Arith(a) => {
                self.line = command.line;
                if self.watch & (watch::DEBUG | watch::XTRACE) != 0 {
                    self.before_compound(&[b"(( ", &a.source[..], b" ))"].concat())?;
                }
                let status = match self.arith_command(a)? {
                    Some(n) => u8::from(n == 0),
                    None => 1,
                };
                self.ended(status)
            }
            CommandKind::Test(t) => {
                self.line = command.line;
                let status = self.conditional(t)?;
                self.ended(status)
            }
            CommandKind::Function(def) => {
                self.line = command.line;
                let status = self.define_function(def);
                self.status = status;
                Ok(status)
            }
            CommandKind::Coproc(name, body) => {
                self.line = command.line;
                self.start_coproc(*name, body)
            }
        }
    }

    /// Runs a condition: its failure is no error.
    fn exec_tested(&mut self, list: &List) -> Flow {
        let tested = std::mem::replace(&mut self.tested, true);
        let r = self.exec_list(list);
        self.tested = tested;
        r
    }

    /// What a loop does after its body (or condition) ran: `Ok(true)` ends it.
    #[inline]
    fn turned(&mut self, r: Flow, status: &mut u8) -> Flow<bool> {
        match r {
            Ok(s) => *status = s,
            Err(Unwind::Break(n)) => {
                *status = 0;
                return if n > 1 { Err(Unwind::Break(n - 1)) } else { Ok(true) };
            }
            Err(Unwind::Continue(n)) => {
                *status = 0;
                if n > 1 {
                    return Err(Unwind::Continue(n - 1));
                }
            }
            Err(u) => return Err(u),
        }
        Ok(false)
    }

    fn exec_loop(&mut self, until: bool, condition: &List, body: &List) -> Flow {
        let mut status = 0;
        self.loops += 1;
        let result = self.loop_turns(until, condition, body, &mut status);
        self.loops -= 1;
        result?;
        self.status = status;
        Ok(status)
    }

    fn loop_turns(&mut self, until: bool, condition: &List, body: &List, status: &mut u8) -> Flow<()> {
        loop {
            self.step()?;
            let mut test = u8::from(!until);
            let r = self.exec_tested(condition);
            let continued = matches!(r, Err(Unwind::Continue(1)));
            if self.turned(r, &mut test)? {
                return Ok(());
            }
            if continued {
                continue;
            }
            if (test == 0) == until {
                return Ok(());
            }
            let r = self.exec_list(body);
            if self.turned(r, status)? {
                return Ok(());
            }
        }
    }

    /// Whether the word after `for` or `select` can name a variable; if not it is told.
    fn loop_name_is_valid(&mut self, f: &For) -> bool {
        let name = crate::syntax::names::text(f.name);
        let valid = is_name(name);
        if !valid {
            self.report(&[b"`", name, b"': not a valid identifier"]);
            self.status = 1;
        }
        valid
    }

    fn exec_for(&mut self, f: &For, line: u32) -> Flow {
        self.line = line;
        if !self.loop_name_is_valid(f) {
            return self.ended(1);
        }
        let words: Vec<Bytes> = match &f.words {
            Some(w) => self.expand_words(w)?,
            None => self.positional.args().to_vec(),
        };
        let mut status = 0;
        self.loops += 1;
        let result = self.for_turns(f, line, words, &mut status);
        self.loops -= 1;
        result?;
        self.status = status;
        Ok(status)
    }

    /// `for x in words` as written.
    fn head(&self, keyword: &[u8], f: &For) -> Vec<u8> {
        let mut text = [keyword, b" ", crate::syntax::names::text(f.name), b" in"].concat();
        match &f.words {
            Some(words) => {
                for w in words {
                    text.push(b' ');
                    text.extend_from_slice(&w.source);
                }
            }
            None => text.extend_from_slice(b" \"$@\""),
        }
        text
    }

    fn for_turns(&mut self, f: &For, line: u32, words: Vec<Bytes>, status: &mut u8) -> Flow<()> {
        for word in words {
            self.step()?;
            if self.watch & (watch::DEBUG | watch::XTRACE) != 0 {
                self.line = line;
                self.before_compound(&self.head(b"for", f))?;
            }
            if !self.set_loop_variable(f.name, word)? {
                *status = 1;
                return Ok(());
            }
            let r = self.exec_list(&f.body);
            if self.turned(r, status)? {
                break;
            }
        }
        Ok(())
    }

    fn exec_for_arith(&mut self, f: &ForArith, line: u32) -> Flow {
        self.line = line;
        let mut status = 0;
        macro_rules! part {
            ($a:expr, $default:expr) => {
                match $a {
                    None => $default,
                    Some(a) => {
                        if self.watch & (watch::DEBUG | watch::XTRACE) != 0 {
                            self.line = line;
                            self.before_compound(&[b"(( ", &a.source[..], b" ))"].concat())?;
                        }
                        match self.arith_command(a)? {
                            Some(n) => n,
                            None => {
                                self.status = 1;
                                return Ok(1);
                            }
                        }
                    }
                }
            };
        }
        part!(&f.init, 0);
        loop {
            self.step()?;
            if part!(&f.test, 1) == 0 {
                break;
            }
            self.loops += 1;
            let r = self.exec_list(&f.body);
            self.loops -= 1;
            if self.turned(r, &mut status)? {
                break;
            }
            part!(&f.step, 0);
        }
        self.status = status;
        Ok(status)
    }

    fn exec_select(&mut self, f: &For, line: u32) -> Flow {
        self.line = line;
        if !self.loop_name_is_valid(f) {
            return self.ended(1);
        }
        if self.watch & (watch::DEBUG | watch::XTRACE) != 0 {
            self.before_compound(&self.head(b"select", f))?;
        }
        let words: Vec<Bytes> = match &f.words {
            Some(w) => self.expand_words(w)?,
            None => self.positional.args().to_vec(),
        };
        let mut status = 0;
        if !words.is_empty() {
            self.loops += 1;
            let result = self.select_turns(f, &words, &mut status);
            self.loops -= 1;
            result?;
        }
        self.status = status;
        Ok(status)
    }

    fn select_turns(&mut self, f: &For, words: &[Bytes], status: &mut u8) -> Flow<()> {
        let mut show = true;
        loop {
            self.step()?;
            if show {
                let menu = select_menu(words, self.columns());
                self.write_error(&menu);
            }
            let prompt = self.scalar(known().ps3)?.unwrap_or(Bytes::from_static(b"#? "));
            self.write_error(&prompt);
            let Some(line) = self.read_line_for_select()? else {
                self.write_error(b"\n");
                *status = 1;
                return Ok(());
            };
            self.assign_plain(known().reply, Scalar::Str(line.clone()))?;
            if line.is_empty() {
                show = true;
                continue;
            }
            let number = std::str::from_utf8(&line).ok().and_then(|t| t.trim().parse::<usize>().ok());
            let chosen = number.and_then(|n| words.get(n.checked_sub(1)?)).cloned().unwrap_or_default();
            if !self.set_loop_variable(f.name, chosen)? {
                *status = 1;
                return Ok(());
            }
            let r = self.exec_list(&f.body);
            if self.turned(r, status)? {
                return Ok(());
            }
            // The menu is shown again when the body emptied REPLY.
            show = self.scalar(known().reply)?.is_none_or(|r| r.is_empty());
        }
    }

    fn exec_case(&mut self, case: &Case, line: u32) -> Flow {
        self.line = line;
        if self.watch & (watch::DEBUG | watch::XTRACE) != 0 {
            self.before_compound(&[b"case ", &case.word.source[..], b" in"].concat())?;
        }
        let word = self.expand_single(&case.word)?;
        let nocase = self.options.shopt(shopt::NOCASEMATCH);
        let mut status = 0;
        let mut matched = false;
        for arm in &case.arms {
            if !matched {
                for p in &arm.patterns {
                    if self.pattern_matches(p, &word, nocase)? {
                        matched = true;
                        break;
                    }
                }
                if !matched {
                    continue;
                }
            }
            status = self.exec_list(&arm.body)?;
            match arm.end {
                CaseEnd::Break => break,
                CaseEnd::FallThrough => {}
                CaseEnd::Continue => matched = false,
            }
        }
        self.status = status;
        Ok(status)
    }

    /// One turn of a loop: limits.
    #[inline]
    pub(crate) fn step(&mut self) -> Flow<()> {
        match self.budget.step() {
            Err(sandshell_kernel::Error::Stop(s)) => Err(Unwind::Stop(s)),
            _ => Ok(()),
        }
    }

    fn columns(&self) -> usize {
        let text = self.vars.get(known().columns).value.text();
        text.and_then(|t| std::str::from_utf8(&t).ok()?.parse().ok()).filter(|&n| n > 0).unwrap_or(80)
    }
}

/// The menu of `select`, in columns as bash prints it (`print_select_list` of its execute_cmd.c).
fn select_menu(words: &[Bytes], columns: usize) -> Vec<u8> {
    let n = words.len();
    let width_of = |w: &[u8]| String::from_utf8_lossy(w).chars().count();
    let index_width = n.to_string().len();
    let longest = words.iter().map(|w| width_of(w)).max().unwrap_or(0);
    let cell = longest + index_width + 2 + 2;
    let cols = (columns / cell).max(1);
    let mut rows = n.div_ceil(cols);
    if rows == 1 {
        rows = n;
    }
    let mut out = Vec::new();
    for row in 0..rows {
        let (mut i, mut at) = (row, 0);
        loop {
            let text = format!("{:>index_width$}) ", i + 1);
            out.extend_from_slice(text.as_bytes());
            out.extend_from_slice(&words[i]);
            at += text.len() + width_of(&words[i]);
            i += rows;
            if i >= n {
                break;
            }
            let target = (at + 1).next_multiple_of(cell);
            out.resize(out.len() + (target - at), b' ');
            at = target;
        }
        out.push(b'\n');
    }
    out
}
