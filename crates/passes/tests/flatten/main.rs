//! Tests of flattening: P4 programs behave on pipelines as they do on the switch.

mod another_architecture;
mod around;
mod golden;
mod held;
mod language;
mod load;
#[path = "../../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;
mod pipelined;
mod programs;
mod public_programs;
mod selector_bits;
mod values;
