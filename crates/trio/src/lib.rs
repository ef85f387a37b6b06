//! The compiler TC of Trio (Yang et al., "Using Trio", SIGCOMM 2022, section 3.1): it maps each instruction of a program of
//! threads to one word of a packet processing engine (PPE), or says what the instruction needs and what a word has. An
//! instruction is never split: the author of a program draws the boundaries.
//!
//! [`Image::new`] compiles a program: the image holds its words ([`word`]) and what a chip needs beside them, goes to bytes and back,
//! and is the program again ([`Image::program`]). [`Image::code`] is what threads step over. The units of a word are
//! [`Parameters`]; `docs/trio-compiler.md` says which of them the paper gives, how an instruction is mapped to them, and how words
//! are encoded.
//!
//! The crate knows programs of threads in the IR, and the words of PPEs. It knows no source language and no chip around
//! the PPEs.

mod disassemble;
mod encoding;
mod execute;
mod image;
mod listing;
mod map;
mod misfit;
mod parameters;
mod units;
pub mod word;

pub use encoding::Damage;
pub use execute::Code;
pub use image::{Image, SourceLine};
pub use listing::{Line, Listing};
pub use misfit::Misfit;
pub use parameters::Parameters;
pub use units::{Unit, Units};
