//! Tests of machine code against the interpreter.

mod changes;
mod control_plane;
mod generated;
mod headers;
#[path = "../../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;
mod operators;
mod pair;
mod programs;
mod shared;
mod shortcuts;
mod switch;
mod texts;

// The generator of random programs from the tests of `ir`. It consists of test modules that refer to each other from
// the crate root.
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
