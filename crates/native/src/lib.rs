//! An executor of packet programs that compiles them to machine code.
//!
//! [`Native`] means what the interpreter means ([`ir::interpret::PacketInterpreter`]), for every program that
//! [`ir::verify`] accepts, and never asks it: each operation of the IR is machine code, or a call of a helper of this
//! crate. It tells observers nothing, and what the language leaves open is 0.
//!
//! A packet ([`Packet`]) is an array of words, in which every variable has its place, and bytes. Compiled code loads
//! and stores there; `generate` writes it, one file for each kind of statement or expression, `context` is what it
//! finds around it, and `helpers` is what it calls. `analysis` says beforehand what need not be asked for each packet,
//! such as whether a program could ever take too many steps. `unsafe` stands in two files: `context`, for what compiled
//! code points at, and `machine_code`, for the calls of it.

mod analysis;
mod context;
mod generate;
mod helpers;
mod layout;
mod machine_code;
mod native;
mod packet;
mod plan;

use std::fmt;

pub use native::Native;
pub use packet::Packet;

/// Why a program cannot be compiled here, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}
