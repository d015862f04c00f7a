//! The options of `set` and `shopt`, as bits.

/// A named option: its bit, its letter for `set -x` where it has one.
#[derive(Debug)]
pub struct SetOption {
    /// The name that `set -o` takes.
    pub name: &'static str,
    /// The letter.
    pub letter: Option<u8>,
    /// The bit in [`Options::set`].
    pub bit: u32,
}

macro_rules! set_options {
    ($($konst:ident $bit:literal $name:literal $letter:expr;)*) => {
        /// Bits of the options of `set`.
        #[allow(missing_docs)]
        pub mod opt { $(pub const $konst: u32 = 1 << $bit;)* }
        /// The options of `set -o`, sorted by name.
        pub static SET_OPTIONS: &[SetOption] = &[$(SetOption { name: $name, letter: $letter, bit: 1 << $bit },)*];
    };
}

set_options! {
    ALLEXPORT 0 "allexport" Some(b'a');
    BRACEEXPAND 1 "braceexpand" Some(b'B');
    EMACS 2 "emacs" None;
    ERREXIT 3 "errexit" Some(b'e');
    ERRTRACE 4 "errtrace" Some(b'E');
    FUNCTRACE 5 "functrace" Some(b'T');
    HASHALL 6 "hashall" Some(b'h');
    HISTEXPAND 7 "histexpand" Some(b'H');
    HISTORY 8 "history" None;
    IGNOREEOF 9 "ignoreeof" None;
    INTERACTIVE_COMMENTS 10 "interactive-comments" None;
    KEYWORD 11 "keyword" Some(b'k');
    MONITOR 12 "monitor" Some(b'm');
    NOCLOBBER 13 "noclobber" Some(b'C');
    NOEXEC 14 "noexec" Some(b'n');
    NOGLOB 15 "noglob" Some(b'f');
    NOLOG 16 "nolog" None;
    NOTIFY 17 "notify" Some(b'b');
    NOUNSET 18 "nounset" Some(b'u');
    ONECMD 19 "onecmd" Some(b't');
    PHYSICAL 20 "physical" Some(b'P');
    PIPEFAIL 21 "pipefail" None;
    POSIX 22 "posix" None;
    PRIVILEGED 23 "privileged" Some(b'p');
    VERBOSE 24 "verbose" Some(b'v');
    VI 25 "vi" None;
    XTRACE 26 "xtrace" Some(b'x');
}

macro_rules! shell_options {
    ($($konst:ident $bit:literal $name:literal $on:literal;)*) => {
        /// Bits of the options of `shopt`.
        #[allow(missing_docs)]
        pub mod shopt { $(pub const $konst: u64 = 1 << $bit;)* }
        /// The options of `shopt`, in the order in which it lists them, each with its bit.
        pub static SHELL_OPTIONS: &[(&str, u64)] = &[$(($name, 1 << $bit),)*];
        const SHOPT_DEFAULT: u64 = 0 $(| (($on as u64) << $bit))*;
    };
}

shell_options! {
    AUTOCD 1 "autocd" false;
    ASSOC_EXPAND_ONCE 0 "assoc_expand_once" false;
    CDABLE_VARS 2 "cdable_vars" false;
    CDSPELL 3 "cdspell" false;
    CHECKHASH 4 "checkhash" false;
    CHECKJOBS 5 "checkjobs" false;
    CHECKWINSIZE 6 "checkwinsize" true;
    CMDHIST 7 "cmdhist" true;
    COMPAT31 8 "compat31" false;
    COMPAT32 9 "compat32" false;
    COMPAT40 10 "compat40" false;
    COMPAT41 11 "compat41" false;
    COMPAT42 12 "compat42" false;
    COMPAT43 13 "compat43" false;
    COMPAT44 14 "compat44" false;
    COMPLETE_FULLQUOTE 15 "complete_fullquote" true;
    DIREXPAND 16 "direxpand" false;
    DIRSPELL 17 "dirspell" false;
    DOTGLOB 18 "dotglob" false;
    EXECFAIL 19 "execfail" false;
    EXPAND_ALIASES 20 "expand_aliases" false;
    EXTDEBUG 21 "extdebug" false;
    EXTGLOB 22 "extglob" false;
    EXTQUOTE 23 "extquote" true;
    FAILGLOB 24 "failglob" false;
    FORCE_FIGNORE 25 "force_fignore" true;
    GLOBASCIIRANGES 26 "globasciiranges" true;
    GLOBSKIPDOTS 27 "globskipdots" true;
    GLOBSTAR 28 "globstar" false;
    GNU_ERRFMT 29 "gnu_errfmt" false;
    HISTAPPEND 30 "histappend" false;
    HISTREEDIT 31 "histreedit" false;
    HISTVERIFY 32 "histverify" false;
    HOSTCOMPLETE 33 "hostcomplete" true;
    HUPONEXIT 34 "huponexit" false;
    INHERIT_ERREXIT 35 "inherit_errexit" false;
    INTERACTIVE_COMMENTS 36 "interactive_comments" true;
    LASTPIPE 37 "lastpipe" false;
    LITHIST 38 "lithist" false;
    LOCALVAR_INHERIT 39 "localvar_inherit" false;
    LOCALVAR_UNSET 40 "localvar_unset" false;
    LOGIN_SHELL 41 "login_shell" false;
    MAILWARN 42 "mailwarn" false;
    NO_EMPTY_CMD_COMPLETION 43 "no_empty_cmd_completion" false;
    NOCASEGLOB 44 "nocaseglob" false;
    NOCASEMATCH 45 "nocasematch" false;
    NOEXPAND_TRANSLATION 46 "noexpand_translation" false;
    NULLGLOB 47 "nullglob" false;
    PATSUB_REPLACEMENT 48 "patsub_replacement" true;
    PROGCOMP 49 "progcomp" true;
    PROGCOMP_ALIAS 50 "progcomp_alias" false;
    PROMPTVARS 51 "promptvars" true;
    RESTRICTED_SHELL 52 "restricted_shell" false;
    SHIFT_VERBOSE 53 "shift_verbose" false;
    SOURCEPATH 54 "sourcepath" true;
    VARREDIR_CLOSE 55 "varredir_close" false;
    XPG_ECHO 56 "xpg_echo" false;
}

/// The options of one shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bits of [`opt`].
    pub set: u32,
    /// Bits of [`shopt`].
    pub shopt: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { set: opt::BRACEEXPAND | opt::HASHALL | opt::INTERACTIVE_COMMENTS, shopt: SHOPT_DEFAULT }
    }
}

impl Options {
    /// Whether an option of `set` is on.
    #[inline]
    pub fn on(&self, bit: u32) -> bool {
        self.set & bit != 0
    }

    /// Whether an option of `shopt` is on.
    #[inline]
    pub fn shopt(&self, bit: u64) -> bool {
        self.shopt & bit != 0
    }

    /// Turns an option of `set` on or off.
    pub fn put(&mut self, bit: u32, on: bool) {
        match on {
            true => self.set |= bit,
            false => self.set &= !bit,
        }
    }

    /// Turns an option of `shopt` on or off.
    pub fn put_shopt(&mut self, bit: u64, on: bool) {
        match on {
            true => self.shopt |= bit,
            false => self.shopt &= !bit,
        }
    }

    /// `SHELLOPTS`
    pub fn shellopts(&self) -> String {
        let on: Vec<_> = SET_OPTIONS.iter().filter(|o| self.on(o.bit)).map(|o| o.name).collect();
        on.join(":")
    }

    /// `BASHOPTS`
    pub fn bashopts(&self) -> String {
        let on: Vec<_> = SHELL_OPTIONS.iter().filter(|o| self.shopt(o.1)).map(|o| o.0).collect();
        on.join(":")
    }
}
