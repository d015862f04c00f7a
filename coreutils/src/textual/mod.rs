//! Programs about lines of text: cat, sort, cut, tr, …

use sandshell_kernel::Program;

mod cat;
mod count;
mod cut;
mod head;
mod inputs;
mod sort;
mod tail;
mod tr;
mod uniq;
mod wc;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[
    &cat::Cat,
    &cut::Cut,
    &head::Head,
    &sort::Sort,
    &tail::Tail,
    &tr::Tr,
    &uniq::Uniq,
    &wc::Wc,
];
