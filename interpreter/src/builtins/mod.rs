//! The builtins: only what must live in the shell.

mod basic;
mod cd;
mod declare;
mod output;
mod read;
mod set;
pub mod test;
mod trap;
mod types;
mod unset;
mod wait;

use crate::session::shell::{Flow, Shell};
use bytes::Bytes;
use hashbrown::HashMap;
use std::sync::LazyLock;

/// A builtin: it gets its arguments, its name first, and gives its status.
pub type Run = fn(&mut Shell, &[Bytes]) -> Flow;

/// An entry of the table.
#[derive(Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub run: Run,
    /// It is one of POSIX's special builtins.
    pub special: bool,
}

const fn builtin(name: &'static str, run: Run) -> Builtin {
    Builtin { name, run, special: false }
}

const fn special(name: &'static str, run: Run) -> Builtin {
    Builtin { name, run, special: true }
}

/// All builtins, by name.
pub static BUILTINS: &[Builtin] = &[
    special(".", basic::source),
    special(":", basic::colon),
    builtin("[", test::bracket),
    special("break", basic::break_loop),
    builtin("builtin", basic::builtin),
    builtin("cd", cd::cd),
    builtin("command", types::command),
    special("continue", basic::continue_loop),
    builtin("declare", declare::declare),
    builtin("echo", output::echo),
    special("eval", basic::eval),
    special("exec", basic::exec),
    special("exit", basic::exit),
    special("export", declare::export),
    builtin("false", basic::fail),
    builtin("local", declare::local),
    builtin("printf", output::printf),
    builtin("pwd", cd::pwd),
    builtin("read", read::read),
    special("readonly", declare::readonly),
    special("return", basic::return_from),
    special("set", set::set),
    special("shift", basic::shift),
    builtin("source", basic::source),
    builtin("test", test::test),
    special("trap", trap::trap),
    builtin("true", basic::colon),
    builtin("type", types::type_of),
    builtin("typeset", declare::declare),
    special("unset", unset::unset),
    builtin("wait", wait::wait),
];

/// The builtin called `name`.
#[inline]
pub fn find(name: &[u8]) -> Option<&'static Builtin> {
    static TABLE: LazyLock<HashMap<&'static [u8], &'static Builtin, foldhash::fast::RandomState>> =
        LazyLock::new(|| BUILTINS.iter().map(|b| (b.name.as_bytes(), b)).collect());
    TABLE.get(name).copied()
}

impl Shell {
    /// Prints `NAME: -x: invalid option` and the usage line; the status of wrong use.
    pub(crate) fn invalid_option(&mut self, option: &[u8], usage: &str) -> Flow {
        self.complain(&[option, b": invalid option"]);
        self.usage(usage)
    }

    /// Prints `NAME: usage: …`.
    pub(crate) fn usage(&mut self, usage: &str) -> Flow {
        let text = format!("{}: usage: {usage}\n", self.builtin);
        self.write_error(text.as_bytes());
        Ok(2)
    }
}
