//! bash: parsing, expansion, execution, shell builtins, the state of one session.

pub mod syntax;
