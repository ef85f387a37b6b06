//! Flattening: programs in P4 that run on pipelines mean what they mean on the switch.

mod another_architecture;
mod around;
mod golden;
mod held;
mod language;
mod load;
mod pipelined;
mod programs;
mod public_programs;
mod values;
