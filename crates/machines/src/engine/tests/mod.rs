//! Tests of the dense code against the interpreter.

mod lookups;
mod operations;
mod shorten;
