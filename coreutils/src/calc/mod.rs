//! expr, bc, seq, numfmt and other arithmetic

use sandshell_kernel::Program;

mod bc;
mod expr;
mod seq;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[&bc::Bc, &expr::Expr, &seq::Seq];
