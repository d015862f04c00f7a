//! Programs about lines of text: cat, sort, cut, tr, …

use sandshell_kernel::Program;

mod cat;
mod column;
mod comm;
mod count;
mod csplit;
mod cut;
mod echo;
mod fmt;
mod fold;
mod head;
mod hexdump;
mod inputs;
mod join;
mod nl;
mod od;
mod paste;
mod printf;
mod rev;
mod shuf;
pub(crate) mod sort;
mod split;
mod strings;
mod tabs;
mod tac;
mod tail;
mod tee;
mod test;
mod tr;
mod truth;
mod tsort;
mod uniq;
mod wc;
mod xxd;
mod yes;

/// The programs of this family.
pub const PROGRAMS: &[&dyn Program] = &[
    &cat::Cat,
    &column::Column,
    &comm::Comm,
    &csplit::Csplit,
    &cut::Cut,
    &echo::Echo,
    &truth::False,
    &fmt::Fmt,
    &fold::Fold,
    &head::Head,
    &hexdump::Hexdump,
    &join::Join,
    &nl::Nl,
    &od::Od,
    &paste::Paste,
    &printf::Printf,
    &rev::Rev,
    &shuf::Shuf,
    &sort::Sort,
    &split::Split,
    &strings::Strings,
    &tac::Tac,
    &tail::Tail,
    &tee::Tee,
    &test::Bracket,
    &test::Test,
    &tr::Tr,
    &truth::True,
    &tabs::Expand,
    &tabs::Unexpand,
    &tsort::Tsort,
    &uniq::Uniq,
    &wc::Wc,
    &xxd::Xxd,
    &yes::Yes,
];
