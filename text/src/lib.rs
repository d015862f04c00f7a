//! What shell and programs share about text: options, lines, patterns (glob, BRE, ERE), printf and escapes, numbers,
//! dates. Pure functions over bytes; depends on nothing of ours.

pub mod date;
pub mod double;
pub mod escape;
pub mod glob;
pub mod number;
pub mod options;
pub mod posix_class;
pub mod printf;
pub mod quote;
pub mod regex;
pub mod test;
