//! The fleet example.
fn main() {}
