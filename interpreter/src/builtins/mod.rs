//! The builtins: only what must live in the shell.

mod aliases;
mod basic;
mod calls;
mod cd;
mod completion;
mod declare;
mod directories;
mod getopts;
mod hash;
mod help;
mod history;
mod jobs;
mod limits;
mod mapfile;
mod options;
mod output;
mod read;
mod set;
mod shopt;
pub(crate) mod test;
mod trap;
mod types;
mod unset;
mod wait;

pub use completion::Completion;
pub use limits::Limits;

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
    builtin("alias", aliases::alias),
    builtin("bg", jobs::bg),
    builtin("bind", calls::bind),
    special("break", basic::break_loop),
    builtin("builtin", basic::builtin),
    builtin("caller", calls::caller),
    builtin("cd", cd::cd),
    builtin("command", types::command),
    builtin("compgen", completion::compgen),
    builtin("complete", completion::complete),
    builtin("compopt", completion::compopt),
    special("continue", basic::continue_loop),
    builtin("declare", declare::declare),
    builtin("dirs", directories::dirs),
    builtin("disown", jobs::disown),
    builtin("echo", output::echo),
    builtin("enable", calls::enable),
    special("eval", basic::eval),
    special("exec", basic::exec),
    special("exit", basic::exit),
    special("export", declare::export),
    builtin("false", basic::fail),
    builtin("fc", history::fc),
    builtin("fg", jobs::fg),
    builtin("getopts", getopts::getopts),
    builtin("hash", hash::hash),
    builtin("help", help::help),
    builtin("history", history::history),
    builtin("jobs", jobs::jobs),
    builtin("kill", jobs::kill),
    builtin("let", calls::let_),
    builtin("local", declare::local),
    builtin("logout", jobs::logout),
    builtin("mapfile", mapfile::mapfile),
    builtin("popd", directories::popd),
    builtin("printf", output::printf),
    builtin("pushd", directories::pushd),
    builtin("pwd", cd::pwd),
    builtin("read", read::read),
    builtin("readarray", mapfile::mapfile),
    special("readonly", declare::readonly),
    special("return", basic::return_from),
    special("set", set::set),
    special("shift", basic::shift),
    builtin("shopt", shopt::shopt),
    special("source", basic::source),
    builtin("suspend", jobs::suspend),
    builtin("test", test::test),
    special("times", limits::times),
    special("trap", trap::trap),
    builtin("true", basic::colon),
    builtin("type", types::type_of),
    builtin("typeset", declare::declare),
    builtin("ulimit", limits::ulimit),
    builtin("umask", limits::umask),
    builtin("unalias", aliases::unalias),
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
