//! Programs about the process and the machine: env, which, id, sleep, timeout, …

use sandshell_kernel::Program;

mod cal;
mod date;
mod env;
mod envsubst;
mod getconf;
mod getopt;
mod identity;
mod launch;
mod pager;
mod pwd;
mod wait;
mod which;
mod wrappers;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[
    &cal::Cal,
    &date::Date,
    &env::Env,
    &env::Printenv,
    &envsubst::Envsubst,
    &getconf::Getconf,
    &getopt::Getopt,
    &identity::Arch,
    &identity::Groups,
    &identity::Hostname,
    &identity::Id,
    &identity::Logname,
    &identity::Nproc,
    &identity::Tty,
    &identity::Uname,
    &identity::Whoami,
    &pager::Clear,
    &pager::Less,
    &pager::More,
    &pwd::Pwd,
    &wait::Sleep,
    &wait::Timeout,
    &which::Which,
    &wrappers::Nice,
    &wrappers::Nohup,
    &wrappers::Stdbuf,
];
