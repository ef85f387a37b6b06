//! What the interpreter and the machines share at run time, so that neither can mean something else by it:
//! arithmetic, hashes, registers, and how a program's fields bind to packets.

pub mod arithmetic;
pub mod binding;
pub mod hash;
mod registers;

pub use registers::RegisterFile;
