//! State that few scripts touch: the history list, completions, limits. Shared by forks until one writes.

use crate::builtins::{Completion, Limits};
use bytes::Bytes;
use std::collections::BTreeMap;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// `history`, oldest first.
    pub history: Vec<Bytes>,
    /// `complete`, by command.
    pub completions: BTreeMap<Bytes, Completion>,
    /// `ulimit`
    pub limits: Limits,
}
