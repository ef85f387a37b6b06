//! Everything that happened to one packet, for people and for scripts.
//!
//! A [`Trace`] is a tree: what the blocks of the program did with the packet, in order, and where it became several
//! packets, each of these in turn. Displays as indented text; serialises to the JSON of `docs/machines/v1model.md`.

mod build;
mod names;
mod recorder;
mod text;
mod tree;
mod value;

pub(super) use recorder::Recorder;
pub use tree::{Action, Argument, Choice, Ended, Field, Hex, Key, Origin, Pass, Step, Trace};
pub use value::Value;
