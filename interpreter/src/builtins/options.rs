//! Options of builtins, read as bash's internal_getopt reads them: letters in bundles, values attached or next.

use crate::session::shell::Shell;
use bytes::Bytes;

/// Reads options from the arguments of one builtin.
pub(super) struct Options<'a> {
    args: &'a [Bytes],
    letters: &'static [u8],
    usage: &'static str,
    at: usize,
    within: usize,
}

impl<'a> Options<'a> {
    /// `letters` are the known ones, each followed by `:` if it takes a value.
    pub fn new(args: &'a [Bytes], letters: &'static str, usage: &'static str) -> Options<'a> {
        Options { args, letters: letters.as_bytes(), usage, at: 1, within: 0 }
    }

    /// The next option and its value. `Err(status)`: wrong use, which was told.
    pub fn next(&mut self, sh: &mut Shell) -> Result<Option<(u8, Bytes)>, u8> {
        let args = self.args;
        let Some(arg) = args.get(self.at) else { return Ok(None) };
        if self.within == 0 {
            match &arg[..] {
                b"--" => {
                    self.at += 1;
                    return Ok(None);
                }
                [b'-', _, ..] => self.within = 1,
                _ => return Ok(None),
            }
        }
        let letter = arg[self.within];
        self.within += 1;
        let known = self.letters.iter().position(|&l| l == letter && l != b':');
        let Some(known) = known else {
            return Err(sh.invalid_option(&[b'-', letter], self.usage).unwrap_or(2));
        };
        if self.letters.get(known + 1) != Some(&b':') {
            if self.within >= arg.len() {
                self.at += 1;
                self.within = 0;
            }
            return Ok(Some((letter, Bytes::new())));
        }
        let value = if self.within < arg.len() { Some(arg.slice(self.within..)) } else { None };
        self.at += 1;
        self.within = 0;
        let value = match value {
            Some(v) => v,
            None => match args.get(self.at) {
                Some(v) => {
                    self.at += 1;
                    v.clone()
                }
                None => {
                    sh.complain(&[&[b'-', letter], b": option requires an argument"]);
                    return Err(sh.usage(self.usage).unwrap_or(2));
                }
            },
        };
        Ok(Some((letter, value)))
    }

    /// What follows the options.
    pub fn operands(&self) -> &'a [Bytes] {
        self.args.get(self.at..).unwrap_or(&[])
    }
}

/// A decimal integer, as bash's legal_number takes it.
pub(super) fn legal_number(text: &[u8]) -> Option<i64> {
    let t = text.trim_ascii();
    std::str::from_utf8(t).ok()?.parse().ok()
}
