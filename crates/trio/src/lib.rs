//! The compiler TC of Trio (Yang et al., "Using Trio", SIGCOMM 2022, section 3.1): it maps each instruction of a program of
//! threads to one word of a packet processing engine (PPE), or says what the instruction needs and what a word has. An
//! instruction is never split: the author of a program draws the boundaries.
//!
//! [`Listing::new`] fits a program. The units of a word are [`Parameters`]; `docs/trio-compiler.md` says which of them the
//! paper gives, and how an instruction is mapped to them.
//!
//! The crate knows programs of threads in the IR, and the words of PPEs. It knows no source language and no chip around
//! the PPEs.

mod expression;
mod fit;
mod listing;
mod memory;
mod misfit;
mod operand;
mod parameters;
mod units;

pub use listing::{Line, Listing};
pub use misfit::Misfit;
pub use parameters::Parameters;
pub use units::{Unit, Units};
