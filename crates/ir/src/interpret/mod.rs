//! The interpreters, which define what a program means: a plain walk over its tree, one packet after the other.
//!
//! [`PacketInterpreter`] runs the blocks of any program (parsers, controls, deparsers) on packets, one block at a time;
//! a machine carries out what the blocks request. [`threads`] steps the threads of programs that have them. [`Interpreter`] runs flat programs ([`crate::form`]), whose packets
//! are values of fields. These two are the definition that every machine is held against. [`PipelineInterpreter`] runs
//! a program that is fitted to stages, one packet at a time through all of them: it computes what a single pipeline
//! computes, without its timing. All three share the code that evaluates expressions and executes statements,
//! instantiated for different kinds of values.

mod execute;
mod flat;
mod flow;
mod headers;
mod initial;
mod observer;
mod packet;
mod parsing;
mod pipeline;
mod run;
mod shared;
mod tables;
pub mod threads;

pub use flat::Interpreter;
pub use observer::{Observer, Test, Unobserved};
pub use packet::{Emitted, Ending, Packet, Request, Surroundings, Undefined};
pub use pipeline::PipelineInterpreter;
pub use run::{CALL_DEPTH, IDLE_STATES, PacketInterpreter, STEPS};
pub use shared::between;
