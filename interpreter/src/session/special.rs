//! Special variables: those whose value is computed when read, and those whose assignment changes the shell.

use super::{
    array::{Assoc, Indexed, Scalar},
    shell::Shell,
    vars::{Slot, Value, Vars, attr},
};
use crate::syntax::{ir::Name, names};
use bytes::Bytes;
use sandshell_kernel::{Time, vfs};
use std::sync::{Arc, LazyLock};

macro_rules! specials {
    ($($konst:ident $text:literal $attrs:expr;)*) => {
        /// Which special variable a slot is.
        #[allow(missing_docs)]
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Special { None, $($konst),* }

        const SPECIALS: &[(Special, &str, u16)] = &[$((Special::$konst, $text, $attrs),)*];
    };
}

specials! {
    // Computed when read.
    Random "RANDOM" attr::INTEGER;
    Srandom "SRANDOM" attr::INTEGER;
    Seconds "SECONDS" 0;
    Lineno "LINENO" 0;
    EpochSeconds "EPOCHSECONDS" 0;
    EpochRealtime "EPOCHREALTIME" 0;
    Bashpid "BASHPID" attr::INTEGER;
    BashCommand "BASH_COMMAND" 0;
    BashSubshell "BASH_SUBSHELL" 0;
    BashArgv0 "BASH_ARGV0" 0;
    Histcmd "HISTCMD" attr::INTEGER;
    Shellopts "SHELLOPTS" attr::READONLY;
    Bashopts "BASHOPTS" attr::READONLY;
    Funcname "FUNCNAME" attr::ARRAY | attr::NOASSIGN;
    BashSource "BASH_SOURCE" attr::ARRAY | attr::NOASSIGN;
    BashLineno "BASH_LINENO" attr::ARRAY | attr::NOASSIGN;
    Pipestatus "PIPESTATUS" attr::ARRAY;
    Groups "GROUPS" attr::ARRAY | attr::NOASSIGN;
    Dirstack "DIRSTACK" attr::ARRAY;
    BashAliases "BASH_ALIASES" attr::ASSOC;
    BashCmds "BASH_CMDS" attr::ASSOC;
    Underscore "_" 0;
    // Plain, but assigning them changes the shell.
    Ifs "IFS" 0;
    Path "PATH" 0;
    Optind "OPTIND" attr::INTEGER;
    PosixlyCorrect "POSIXLY_CORRECT" 0;
    Locale "LC_ALL" 0;
    LocaleCtype "LC_CTYPE" 0;
    LocaleLang "LANG" 0;
}

/// The first special that is not computed.
const FIRST_PLAIN: u8 = Special::Ifs as u8;

macro_rules! known {
    ($($field:ident $text:literal;)*) => {
        /// Names that the shell itself reads or writes.
        #[allow(missing_docs)]
        pub struct Known { $(pub $field: Name),* }

        static KNOWN: LazyLock<Known> = LazyLock::new(|| Known { $($field: names::intern($text.as_bytes())),* });
    };
}

known! {
    ifs "IFS"; path "PATH"; pwd "PWD"; oldpwd "OLDPWD"; home "HOME"; cdpath "CDPATH"; reply "REPLY";
    optind "OPTIND"; optarg "OPTARG"; opterr "OPTERR"; ps4 "PS4"; ps3 "PS3"; underscore "_"; bash_rematch "BASH_REMATCH";
    lc_all "LC_ALL"; lc_ctype "LC_CTYPE"; lang "LANG"; tz "TZ"; timeformat "TIMEFORMAT"; globignore "GLOBIGNORE";
    funcnest "FUNCNEST"; columns "COLUMNS"; bash_env "BASH_ENV"; env "ENV"; shlvl "SHLVL"; ps0 "PS0"; mapfile "MAPFILE";
    coproc "COPROC"; execignore "EXECIGNORE"; tmpdir "TMPDIR"; histfile "HISTFILE"; xtracefd "BASH_XTRACEFD";
    posixly_correct "POSIXLY_CORRECT"; bash_execution_string "BASH_EXECUTION_STRING"; ppid "PPID"; childmax "CHILD_MAX";
    lc_numeric "LC_NUMERIC"; lineno "LINENO"; pipestatus "PIPESTATUS"; random "RANDOM"; seconds "SECONDS";
    funcname "FUNCNAME"; bash_argv0 "BASH_ARGV0"; dirstack "DIRSTACK"; hostname "HOSTNAME"; user "USER";
}

/// The names that the shell itself uses.
#[inline]
pub fn known() -> &'static Known {
    &KNOWN
}

/// The variables of a new shell: specials and those that bash sets itself. Shared by all sessions.
pub fn template(hostname: &str) -> Vars {
    static BASE: LazyLock<Vars> = LazyLock::new(|| {
        let mut v = Vars::default();
        for &(kind, text, attrs) in SPECIALS {
            let slot = v.get_mut(names::intern(text.as_bytes()));
            slot.special = kind as u8;
            if (kind as u8) < FIRST_PLAIN {
                slot.attrs = attrs | attr::DECLARED;
            }
        }
        let mut set = |name: &str, value: &str, attrs| {
            let slot = v.get_mut(names::intern(name.as_bytes()));
            slot.value = Value::Str(Bytes::copy_from_slice(value.as_bytes()));
            slot.attrs |= attrs | attr::DECLARED;
        };
        set("BASH", "/bin/bash", 0);
        set("BASH_VERSION", "5.2.15(1)-release", 0);
        set("HOSTTYPE", "x86_64", 0);
        set("MACHTYPE", "x86_64-pc-linux-gnu", 0);
        set("OSTYPE", "linux-gnu", 0);
        set("IFS", " \t\n", 0);
        set("PS4", "+ ", 0);
        set("OPTERR", "1", 0);
        set("OPTIND", "1", attr::INTEGER);
        set(
            "BASH_LOADABLES_PATH",
            "/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.",
            0,
        );
        set("UID", &vfs::UID.to_string(), attr::INTEGER | attr::READONLY);
        set("EUID", &vfs::UID.to_string(), attr::INTEGER | attr::READONLY);
        set("PPID", "1", attr::INTEGER | attr::READONLY);
        set("TERM", "dumb", 0);
        let info =
            ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"].map(|s| Bytes::from_static(s.as_bytes()));
        let slot = v.get_mut(names::intern(b"BASH_VERSINFO"));
        slot.value = Value::Array(Arc::new(Indexed::from_values(info)));
        slot.attrs |= attr::ARRAY | attr::READONLY | attr::DECLARED;
        v
    });
    let mut v = BASE.clone();
    let slot = v.get_mut(known().hostname);
    slot.value = Value::Str(Bytes::copy_from_slice(hostname.as_bytes()));
    slot.attrs |= attr::DECLARED;
    v
}

fn list(items: impl IntoIterator<Item = Bytes>) -> Value {
    Value::Array(Arc::new(Indexed::from_values(items)))
}

fn text(s: impl Into<String>) -> Value {
    Value::Str(Bytes::from(s.into()))
}

fn assoc(items: impl IntoIterator<Item = (Bytes, Bytes)>) -> Value {
    let mut a = Assoc::default();
    for (k, v) in items {
        a.set(k, Scalar::Str(v));
    }
    Value::Assoc(Arc::new(a))
}

impl Shell {
    /// The value of a special variable, if it is a computed one that has not been unset.
    #[cold]
    pub(crate) fn special_value(&mut self, slot_special: u8) -> Option<Value> {
        if slot_special >= FIRST_PLAIN {
            return None;
        }
        let (kind, ..) = SPECIALS[slot_special as usize - 1];
        Some(match kind {
            Special::Random => Value::Int(self.random()),
            Special::Srandom => Value::Int(i64::from(fastrand::u32(..))),
            Special::Seconds => {
                let now = Time::now().seconds();
                Value::Int(now.wrapping_sub(self.seconds_base))
            }
            Special::Lineno => Value::Int(i64::from(self.line)),
            Special::EpochSeconds => Value::Int(Time::now().seconds()),
            Special::EpochRealtime => {
                let t = Time::now();
                text(format!("{}.{:06}", t.seconds(), t.nanos() / 1000))
            }
            Special::Bashpid => Value::Int(i64::from(self.own_pid())),
            Special::BashCommand => Value::Str(self.command_text.clone()),
            Special::BashSubshell => Value::Int(i64::from(self.subshell)),
            Special::BashArgv0 => Value::Str(self.name.clone()),
            Special::Histcmd => Value::Int(1),
            Special::Shellopts => text(self.options.shellopts()),
            Special::Bashopts => text(self.options.bashopts()),
            Special::Funcname => match self.call_names() {
                n if n.is_empty() => Value::Unset,
                n => list(n),
            },
            Special::BashSource => list(self.call_sources()),
            Special::BashLineno => list(self.call_lines()),
            Special::Pipestatus => {
                list(self.pipe_status.iter().map(|&s| super::vars::int_text(i64::from(s))))
            }
            Special::Groups => list([super::vars::int_text(i64::from(vfs::GID))]),
            Special::Dirstack => list(self.directory_stack()),
            Special::BashAliases => assoc(self.aliases.iter().map(|(k, v)| (k.clone(), v.clone()))),
            Special::BashCmds => assoc(self.hashed.iter().map(|(k, (p, _))| (k.clone(), p.clone()))),
            Special::Underscore => Value::Str(self.last_arg.clone()),
            _ => return None,
        })
    }

    /// What follows from assigning `value` to a special variable. True: the value is swallowed.
    #[cold]
    pub(crate) fn special_assigned(&mut self, name: Name) -> bool {
        let slot: &Slot = self.vars.get(name);
        let kind = match slot.special {
            0 => return false,
            n => SPECIALS[n as usize - 1].0,
        };
        let value = slot.value.text();
        let number = value.as_ref().map_or(0, |v| crate::expand::arith::leading_number(v));
        match kind {
            Special::Ifs => self.ifs_changed(),
            Special::Path => (self.hashed, self.lookups) = (Arc::default(), Arc::default()),
            Special::Optind => {
                self.getopts_at = 0;
                return false;
            }
            Special::Random => self.seed_random(number as u32),
            Special::Seconds => self.seconds_base = Time::now().seconds().wrapping_sub(number),
            Special::BashArgv0 => self.name = value.unwrap_or_default(),
            Special::PosixlyCorrect => self.options.put(super::options::opt::POSIX, value.is_some()),
            Special::Locale | Special::LocaleCtype | Special::LocaleLang => self.locale_changed(),
            _ => {}
        }
        let slot = self.vars.get_mut(name);
        if slot.special < FIRST_PLAIN {
            slot.value = Value::Unset;
            return true;
        }
        false
    }

    /// bash's generator: Park-Miller, folded to 15 bits (`lib/sh/random.c`).
    fn random(&mut self) -> i64 {
        let last = self.random_last;
        loop {
            let s = match self.random_state {
                0 => 123_459_876,
                s => i64::from(s),
            };
            let t = 16_807 * (s % 127_773) - 2836 * (s / 127_773);
            self.random_state = (if t < 0 { t + 0x7fff_ffff } else { t }) as u32;
            let r = self.random_state;
            let value = ((r >> 16) ^ (r & 0xffff)) & 0x7fff;
            if Some(value) != last {
                self.random_last = Some(value);
                return i64::from(value);
            }
        }
    }

    fn seed_random(&mut self, seed: u32) {
        self.random_state = seed;
        self.random_last = None;
    }
}
