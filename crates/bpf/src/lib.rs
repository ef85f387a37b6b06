//! Programs for the BPF machine of Linux (RFC 9669): instructions, and an assembler with labels.
//!
//! Programs are written in Rust and assembled where they are needed. Loaders of other crates take ELF objects, for which a compiler and a
//! linker of BPF would have to be there when Polyplane is built.

mod assembler;
mod instruction;

pub use assembler::{Assembler, Label};
pub use instruction::{Comparison, Instruction, Operand, Operation, Register, Size};
