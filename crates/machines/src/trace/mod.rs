//! Records of everything that happened to a packet, for people and for scripts.
//!
//! A [`Trace`] is a tree: what the blocks of the program, or the stages of a pipeline, did with the packet, in order,
//! and where it became several packets, the same for each of them. It displays as indented text and serialises to the
//! JSON that is described in `docs/machines/traces.md`.

mod address;
mod build;
mod decisions;
mod names;
mod notes;
mod observer;
mod parts;
mod recorder;
mod text;
mod tree;
mod value;
mod words;

pub(crate) use names::TraceNames;
pub(crate) use notes::Begins;
pub use parts::{Access, Action, Argument, Asked, Case, Choice, Condition, Ended, Field, Hex, Key, More};
pub use recorder::Recorder;
pub use tree::{Origin, Pass, Step, Trace};
pub use value::Value;
