//! The dense code against the interpreter.

mod lookups;
mod operations;
