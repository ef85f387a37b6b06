//! The stepping interpreter of programs of threads, which defines what they mean.
//!
//! A [`Thread`] is a value. [`Thread::step`] executes one instruction; if that instruction has a transaction, the thread then
//! asks for it ([`Step::Asks`]), and whoever drives the thread lets it take effect ([`Declarations::apply`]) and answers
//! ([`Thread::answer`]), at once or after other threads have gone on. A thread that waits for a reply is not stepped. What
//! threads share is a [`runtime::ProgramState`]; a transaction changes it as a whole.
//!
//! The meaning of a program is any interleaving: threads step in any order, and the transactions that they have asked for take
//! effect in any order, except that those of one thread which touch the same things keep their order
//! ([`Thread::may_apply`]). [`Interleaving`] runs threads in any order, [`ReplayedThread`] runs one again in the order of a
//! machine, and [`run`] runs one to its end.
//!
//! What an instruction does, its [`Instructions`] say: a thread steps over [`ThreadCode`], which evaluates the IR, and over
//! anything else that executes the instructions of a program, such as the encoded words of a machine. Faults, calls, pending
//! transactions and their effects are the same for all.
//!
//! Nothing here allocates while a thread steps, except that packets which leave take memory, and tails that grow.

mod apply;
mod bytes;
mod code;
mod declarations;
mod fault;
mod instructions;
mod interleaving;
mod issue;
mod memory;
mod packets;
mod replayed;
mod request;
mod snapshot;
mod start;
mod step;
mod thread;

pub use apply::Output;
pub use bytes::Bytes;
pub use code::ThreadCode;
pub use declarations::{Declarations, INSTRUCTIONS};
pub use fault::Fault;
pub use instructions::{Effects, Instructions, ReplyPlace, Target};
pub use interleaving::{Interleaving, run};
pub use issue::Operands;
pub use packets::{LeavingPacket, Packets, Tail};
pub use replayed::ReplayedThread;
pub use request::{Request, Ticket, Touched};
pub use start::{Arrival, Start};
pub use step::{Step, ThreadEnding};
pub use thread::Thread;
