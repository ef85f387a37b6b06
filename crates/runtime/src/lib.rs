//! The run-time values and state that the interpreter and all machines share, so that they cannot differ in meaning:
//! arithmetic, hashes and checksums, values of any width, registers, counters, meters, low-pass filters, match tables, action profiles,
//! memory and records that threads share, and the binding of a program's fields to packets.
//!
//! This crate knows nothing of syntax, stages or names. Begin with [`Bits`] and [`arithmetic`] for values,
//! [`ProgramState`] for all state of a program, and [`tables::MatchTable`] for look-ups.
//!
//! ```
//! use runtime::tables::{TableEntry, FieldMatch, KeyField, MatchKind, MatchTable, Target};
//! use runtime::Bits;
//!
//! let mut routes = MatchTable::new(vec![KeyField { kind: MatchKind::Lpm, width: 32 }], None);
//! let network = FieldMatch::Prefix { value: Bits::Narrow(0x0A00_0000), length: 8 };
//! let target = Target::Action { action: 0, data: vec![] };
//! let entry = routes.insert(TableEntry { key: vec![network], priority: 0, target, is_constant: false })?;
//! assert_eq!(routes.lookup(&[Bits::Narrow(0x0A01_0203)]), Some(entry));
//! assert_eq!(routes.lookup(&[Bits::Narrow(0x0B01_0203)]), None);
//! # Ok::<(), runtime::tables::TableError>(())
//! ```

pub mod arithmetic;
pub mod binding;
pub mod bits;
pub mod checksum;
mod counter;
pub mod filter;
pub mod hash;
pub mod memory;
pub mod meter;
pub mod profile;
pub mod records;
mod registers;
mod state;
pub mod tables;
pub mod wred;

pub use bits::{Bits, read_bits, write_bits};
pub use counter::{Count, CounterArray};
pub use filter::FilterArray;
pub use meter::{Color, Meter, MeterArray, MeterRates, MeterUnit};
pub use profile::{GroupMember, Profile};
pub use registers::RegisterFile;
pub use state::{
    DirectError, EntryRegister, GroupBefore, KeptEntry, ProgramState, TableState, ValueSet, value_set_contains,
};
pub use wred::WredArray;
