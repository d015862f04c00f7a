//! What an assistant builder implements.

/// Typed values that the host attaches to one run, an identity for caches, and cancellation. (Stands in until written.)
#[derive(Clone, Debug, Default)]
pub struct Scope {}
