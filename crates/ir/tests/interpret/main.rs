//! Tests of the packet interpreter, in one binary.

mod extraction;
mod flow;
mod observed;
mod parsers;
mod shared;
mod slots;
mod stacks;
mod support;
mod tables;
mod undefined;
mod values;
mod wide;
