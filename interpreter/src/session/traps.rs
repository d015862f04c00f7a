//! Traps: what runs at EXIT, DEBUG, ERR, RETURN and signals.

use super::shell::{Flow, Shell, Unwind, watch};
use bytes::Bytes;
use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering::Relaxed},
};

/// The pseudo-signals, numbered after the real ones.
pub const DEBUG: u8 = 65;
/// See [`DEBUG`].
pub const ERR: u8 = 66;
/// See [`DEBUG`].
pub const RETURN: u8 = 67;
/// The pseudo-signal 0.
pub const EXIT: u8 = 0;

/// Signal names by number, without `SIG`.
pub static SIGNALS: [&str; 65] = [
    "EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
    "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS", "", "", "RTMIN", "RTMIN+1", "RTMIN+2", "RTMIN+3",
    "RTMIN+4", "RTMIN+5", "RTMIN+6", "RTMIN+7", "RTMIN+8", "RTMIN+9", "RTMIN+10", "RTMIN+11", "RTMIN+12",
    "RTMIN+13", "RTMIN+14", "RTMIN+15", "RTMAX-14", "RTMAX-13", "RTMAX-12", "RTMAX-11", "RTMAX-10",
    "RTMAX-9", "RTMAX-8", "RTMAX-7", "RTMAX-6", "RTMAX-5", "RTMAX-4", "RTMAX-3", "RTMAX-2", "RTMAX-1",
    "RTMAX",
];

/// The number of a signal given by number or name, with or without `SIG`, in any case.
pub fn signal_number(text: &[u8]) -> Option<u8> {
    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        return std::str::from_utf8(text)
            .ok()?
            .parse()
            .ok()
            .filter(|&n: &u8| n <= 64 && !matches!(n, 32 | 33));
    }
    let upper = text.to_ascii_uppercase();
    match &upper[..] {
        b"DEBUG" => return Some(DEBUG),
        b"ERR" => return Some(ERR),
        b"RETURN" => return Some(RETURN),
        b"" => return None,
        _ => {}
    }
    let name = upper.strip_prefix(b"SIG").unwrap_or(&upper);
    SIGNALS.iter().position(|s| !s.is_empty() && s.as_bytes() == name).map(|n| n as u8)
}

/// The name that `trap` prints: `SIGTERM`, `EXIT`, `ERR`.
pub fn signal_name(n: u8) -> String {
    match n {
        EXIT => "EXIT".into(),
        DEBUG => "DEBUG".into(),
        ERR => "ERR".into(),
        RETURN => "RETURN".into(),
        n => format!("SIG{}", SIGNALS.get(n as usize).copied().unwrap_or("")),
    }
}

/// The traps of one shell: commands by signal number; empty text ignores.
#[derive(Clone, Debug, Default)]
pub struct Traps {
    set: BTreeMap<u8, Bytes>,
    /// The list was inherited by a subshell: `trap` prints it, nothing runs.
    inherited: BTreeMap<u8, Bytes>,
}

impl Traps {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.inherited.is_empty()
    }

    /// The command for `n`.
    pub fn get(&self, n: u8) -> Option<&Bytes> {
        self.set.get(&n)
    }

    /// What `trap` prints: in the order of numbers.
    pub fn shown(&self) -> impl Iterator<Item = (u8, &Bytes)> {
        let map = if self.inherited.is_empty() { &self.set } else { &self.inherited };
        map.iter().map(|(n, t)| (*n, t))
    }

    /// Sets, or with `None` resets, the trap for `n`.
    pub fn set(&mut self, n: u8, command: Option<Bytes>) {
        if !self.inherited.is_empty() {
            self.inherited.clear();
        }
        match command {
            Some(c) => self.set.insert(n, c),
            None => self.set.remove(&n),
        };
    }

    /// The bits of [`watch`] that the traps need.
    pub fn watch(&self) -> u32 {
        let mut w = if self.set.is_empty() { 0 } else { watch::COMMAND };
        for &n in self.set.keys() {
            w |= match n {
                EXIT | RETURN => 0,
                DEBUG => watch::DEBUG,
                ERR => watch::ERREXIT,
                _ => watch::SIGNALS,
            };
        }
        w
    }
}

impl Shell {
    /// Sets or resets a trap.
    pub fn set_trap(&mut self, n: u8, command: Option<Bytes>) {
        Arc::make_mut(&mut self.traps).set(n, command);
        self.publish_traps();
        self.refresh_watch();
    }

    fn publish_traps(&mut self) {
        let (mut caught, mut ignored) = (0u64, 0u64);
        for (&n, c) in &self.traps.set {
            if (1..64).contains(&n) {
                let place = if c.is_empty() { &mut ignored } else { &mut caught };
                *place |= 1 << n;
            }
        }
        self.signals.caught.store(caught, Relaxed);
        self.signals.ignored.store(ignored, Relaxed);
        self.ignores_sigpipe = ignored & (1 << 13) != 0;
    }

    /// A subshell keeps what is ignored; DEBUG, RETURN and ERR only where `functrace` and `errtrace` say so.
    #[cold]
    pub(crate) fn enter_subshell_traps(&mut self) {
        use super::options::opt;
        let (trace, err) = (self.options.on(opt::FUNCTRACE), self.options.on(opt::ERRTRACE));
        let traps = Arc::make_mut(&mut self.traps);
        let before = std::mem::take(&mut traps.set);
        traps.set = before
            .iter()
            .filter(|(n, c)| match **n {
                DEBUG | RETURN => trace,
                ERR => err,
                EXIT => false,
                _ => c.is_empty(),
            })
            .map(|(n, c)| (*n, c.clone()))
            .collect();
        if traps.inherited.is_empty() {
            traps.inherited = before;
        }
        self.publish_traps();
        self.refresh_watch();
    }

    /// Runs the handlers of signals that have arrived.
    #[cold]
    pub(crate) fn run_pending_signals(&mut self) -> Flow<()> {
        let mut pending = self.signals.pending.swap(0, Relaxed);
        while pending != 0 {
            let n = pending.trailing_zeros() as u8;
            pending &= pending - 1;
            self.run_trap(n)?;
        }
        Ok(())
    }

    /// Runs the handler of `n`, keeping `$?`.
    #[cold]
    pub(crate) fn run_trap(&mut self, n: u8) -> Flow<()> {
        let Some(text) = self.traps.get(n).cloned().filter(|t| !t.is_empty()) else { return Ok(()) };
        if self.in_trap & (1 << trap_bit(n)) != 0 {
            return Ok(());
        }
        let (status, pipes, line) = (self.status, self.pipe_status.clone(), self.line);
        self.in_trap |= 1 << trap_bit(n);
        let tested = self.tested;
        self.tested |= n == ERR || n == DEBUG;
        let flow = self.run_text(text, crate::exec::TextKind::Trap(n));
        self.tested = tested;
        self.in_trap &= !(1 << trap_bit(n));
        self.status = status;
        self.pipe_status = pipes;
        self.line = line;
        match flow {
            Ok(_) | Err(Unwind::Discard(_)) => Ok(()),
            Err(u) => Err(u),
        }
    }
}

fn trap_bit(n: u8) -> u32 {
    match n {
        DEBUG => 29,
        ERR => 30,
        RETURN => 31,
        n => u32::from(n) % 29,
    }
}
