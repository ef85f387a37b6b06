//! The command `polyplane`.

fn main() {}
