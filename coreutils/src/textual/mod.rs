//! Programs about lines of text: cat, sort, cut, tr, …

use sandshell_kernel::Program;

mod cat;
mod comm;
mod count;
mod cut;
mod fold;
mod head;
mod inputs;
mod nl;
mod paste;
mod rev;
mod sort;
mod tac;
mod tail;
mod tee;
mod tr;
mod uniq;
mod wc;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[
    &cat::Cat,
    &comm::Comm,
    &cut::Cut,
    &fold::Fold,
    &head::Head,
    &nl::Nl,
    &paste::Paste,
    &rev::Rev,
    &sort::Sort,
    &tac::Tac,
    &tail::Tail,
    &tee::Tee,
    &tr::Tr,
    &uniq::Uniq,
    &wc::Wc,
];
