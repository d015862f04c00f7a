//! Bytes to compiled program: the parser reads one complete command at a time, so that aliases, `shopt` and late
//! syntax errors behave as in bash, and lowers it to [`ir`].

mod arith;
mod arith_text;
mod brace;
mod builder;
mod command;
mod conditional;
mod cursor;
mod here_doc;
pub mod ir;
mod list;
pub mod names;
mod param;
mod parser;
pub mod print;
mod word;

pub use arith::{ArithError, number, parse_arith};
pub use cursor::{AliasLookup, name_byte, name_len, name_start};
pub use parser::{ParseState, Parser, parse_assignment, parse_name, parse_text, parse_word};
