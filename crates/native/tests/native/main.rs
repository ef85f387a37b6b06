//! The executor against the interpreter, in one binary.

mod generated;
mod headers;
mod operators;
mod pair;
mod programs;
mod shared;
mod switch;
mod texts;

// The IR's own generator of random programs, with everything that an IR has. It is made of modules of a test, which
// name each other from the root.
#[allow(dead_code)]
#[path = "../../../ir/tests/ir/generate.rs"]
mod generate;
#[allow(dead_code)]
#[path = "../../../ir/tests/ir/generate_code.rs"]
mod generate_code;
#[allow(dead_code)]
#[path = "../../../ir/tests/ir/generate_parts.rs"]
mod generate_parts;
#[allow(dead_code)]
#[path = "../../../ir/tests/ir/generate_tables.rs"]
mod generate_tables;
