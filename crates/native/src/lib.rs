//! An executor of packet programs that compiles them to machine code.
//!
//! [`Native`] has the semantics of the interpreter ([`ir::interpret::PacketInterpreter`]) for every program that
//! [`ir::verify`] accepts, and never calls it: each operation of the IR becomes machine code or a call of a helper of
//! this crate. It reports nothing to observers, and values that the language leaves undefined are 0. The crate does not
//! know stages or ports, nor what becomes of a packet after a block.
//!
//! A packet ([`Packet`]) consists of bytes and of an array of words in which every variable has a fixed place. Begin
//! with [`Native::compile`]. The module `generate` emits the code, with one file per kind of statement or expression;
//! `context` is the state that compiled code accesses while it runs, and `helpers` holds the functions that it calls.
//! `analysis` finds out in advance which checks can be omitted at run time, such as whether a program could ever take
//! too many steps. [`NativeStages`] compiles the straight-line code of pipelines' stages instead, which knows neither
//! packets nor context. Three files contain `unsafe`: `context`, for the memory that compiled code points at, and
//! `machine_code` and `stages::machine_code`, for calling it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use basis::{Instant, Random};
//! use ir::interpret::{Ending, Surroundings, Undefined, Unobserved};
//! use machines::blocks::{Executor, Frame};
//!
//! let text = "program double\nlocal x: bit<8>\nfunction f {\n  x = x * 2u8\n}\nentrance f = function f\n";
//! let program = Arc::new(ir::parse::program("double.ir", text).expect("the text is a program"));
//! let mut native = native::Native::compile(Arc::clone(&program)).expect("the processor is supported");
//! let (x, mut packet) = (ir::VariableId(0), native.packet());
//! packet.set(x, 21);
//! let mut surroundings = Surroundings {
//!     state: &mut program.initial_state(),
//!     now: Instant::ZERO,
//!     length: 0,
//!     packets: 1,
//!     random: &mut Random::new(0),
//!     undefined: &mut Undefined::Zero,
//!     observer: &mut Unobserved,
//! };
//! let ending = native.run(program.entrances[0].block, &mut packet, &mut surroundings, &mut Vec::new());
//! assert_eq!((ending, packet.low(x)), (Ending::Done, 42));
//! ```

mod analysis;
mod context;
mod generate;
mod helpers;
mod layout;
mod machine_code;
mod native;
mod packet;
mod program_data;
mod stages;

use std::fmt;

pub use native::Native;
pub use packet::Packet;
pub use stages::NativeStages;

/// The reason why a program cannot be compiled on this computer, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}
