//! What the interpreter and the machines share at run time, so that neither can mean something else by it:
//! arithmetic, hashes and checksums, values of any width, registers, counters, meters, match tables, action profiles,
//! and how a program's fields bind to packets.

pub mod arithmetic;
pub mod binding;
pub mod bits;
pub mod checksum;
mod counter;
pub mod hash;
pub mod meter;
pub mod profile;
mod registers;
mod state;
pub mod tables;

pub use bits::{Bits, read_bits, write_bits};
pub use counter::{Count, CounterArray};
pub use meter::{Color, Meter, MeterArray, MeterRates, MeterUnit};
pub use profile::Profile;
pub use registers::RegisterFile;
pub use state::{DirectError, State, TableState, ValueSet, value_set_contains};
