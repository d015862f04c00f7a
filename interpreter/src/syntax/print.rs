//! The printer: a tree as bash writes it for `declare -f`, `type` and `jobs`.

use super::ir::*;
use bytes::Bytes;

/// The text of a background list for `jobs`.
pub(super) fn job_text(_: &AndOr) -> Bytes {
    Bytes::new()
}
