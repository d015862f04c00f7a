//! expr, bc, seq, numfmt and other arithmetic

use sandshell_kernel::Program;

mod bc;
mod expr;
mod factor;
mod numfmt;
mod seq;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[&bc::Bc, &expr::Expr, &factor::Factor, &numfmt::Numfmt, &seq::Seq];
