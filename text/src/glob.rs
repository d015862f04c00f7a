//! Shell patterns: `*`, `?`, `[…]` and extglob groups over bytes.

/// A compiled pattern. (Stands in until written.)
#[derive(Debug, Clone)]
pub struct Glob {}
