//! The stepping interpreter of programs of threads, which defines what they mean.
//!
//! A [`Thread`] is a value. [`Thread::step`] executes one instruction; if that instruction has a transaction, the thread then
//! asks for it ([`Step::Asks`]), and whoever drives the thread lets it take effect ([`ThreadCode::apply`]) and answers
//! ([`Thread::answer`]), at once or after other threads have gone on. A thread that waits for a reply is not stepped. What
//! threads share is a [`runtime::ProgramState`]; a transaction changes it as a whole.
//!
//! The meaning of a program is any interleaving: threads step in any order, and the transactions that they have asked for take
//! effect in any order, except that those of one thread which touch the same things keep their order
//! ([`Thread::may_apply`]). [`Interleaving`] runs threads in a given order, and [`run`] runs one thread to its end.
//!
//! Nothing here allocates while a thread steps, except that packets which leave take memory, and tails that grow.

mod apply;
mod bytes;
mod code;
mod fault;
mod interleaving;
mod issue;
mod memory;
mod packets;
mod request;
mod snapshot;
mod start;
mod step;
mod thread;

pub use apply::Output;
pub use bytes::Bytes;
pub use code::{INSTRUCTIONS, ThreadCode};
pub use fault::Fault;
pub use interleaving::{Interleaving, run};
pub use packets::{LeavingPacket, Packets, Tail};
pub use request::{Request, Ticket, Touched};
pub use start::{Arrival, Start};
pub use step::{Step, ThreadEnding};
pub use thread::Thread;
