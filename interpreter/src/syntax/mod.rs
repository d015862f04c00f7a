//! Bytes to compiled program: the parser reads one complete command at a time, so that aliases, `shopt` and late
//! syntax errors behave as in bash, and lowers it to [`ir`].

pub mod ir;
pub mod names;
