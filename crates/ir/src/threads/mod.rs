//! Programs of threads: instruction graphs that run to completion over memory that all threads share.
//!
//! A thread begins for a packet, a timer or an event ([`Cause`]) and executes one [`Instruction`] after the other until it
//! ends. What is its own are the variables of the program and a [`LocalMemory`], into which the head of its packet is
//! loaded. Everything else it reaches by transactions ([`Transaction`]), which are atomic: shared memory, records, filters,
//! the tail of its packet, and the machine around it. The meaning of such a program is any interleaving of its threads'
//! transactions; [`crate::interpret::threads`] defines it.

mod cause;
mod children;
mod data;
mod instruction;
mod memory;
mod operation;
mod replaced;
mod reply;

pub use cause::{Cause, Event, EventId, ReasonId, ThreadEntrance, Timer, TimerId};
pub use data::{Data, Destination, HeadBytes};
pub use instruction::{Branch, Instruction, InstructionId, Move, Next, Place, Transaction};
pub use memory::{
    Contents, HeadPlace, LocalMemory, MemoryField, MemoryKind, RecordTable, RecordTableId, Segment, SegmentId,
};
pub use operation::{FetchOperator, Operation};
pub(crate) use reply::parameters;

/// A transaction carries at most a line in one direction (Trio, section 2.3: "from 8 bytes up to 64 bytes"), and a line is
/// served by one read-modify-write engine.
pub use runtime::memory::{LINE_BYTES, POLICER_BYTES};

use crate::Expression;

/// The greatest number of calls that have not returned (Trio, section 2.2: "nested up to eight levels deep").
pub const MAX_CALLS: usize = 8;

/// The greatest number of moves of an instruction, far more than an instruction word of a chip has: each move is compared
/// with all others.
pub const MAX_MOVES: usize = 256;

/// The greatest size of a local memory in bytes.
pub const MAX_LOCAL_MEMORY: u32 = 1 << 16;

/// The greatest address of shared memory plus one, and the greatest size of a segment in bytes: 64 GiB.
pub const MAX_SHARED_MEMORY: u64 = 1 << 36;

/// The greatest size of a record in bytes.
pub const MAX_RECORD: u32 = 1024;

/// The greatest number of records of a table.
pub const MAX_RECORDS: u64 = 1 << 24;

/// The greatest size of a tail in bytes.
pub const MAX_TAIL: u64 = 65_535;

/// The greatest number of packets that a thread can make.
pub const MAX_PACKETS: usize = 255;

/// The names of the intrinsic variables ([`crate::Program::intrinsics`]) that have values when a thread begins. All
/// variables that a program does not name as one of them are 0.
pub mod intrinsics {
    /// The length of the packet in bytes, with its tail; 0 if the thread has no packet.
    pub const PACKET_LENGTH: &str = "packet_length";
    /// The number of bytes of the packet's head, which are in local memory; 0 if the thread has no packet.
    pub const HEAD_LENGTH: &str = "head_length";
    /// The port by which the packet arrived; 0 if the thread has no packet.
    pub const PORT: &str = "port";
    /// The cause: 0 for a packet, 1 for a timer, 2 for an event.
    pub const CAUSE: &str = "cause";
    /// How often the timer had fired before since it was started, or what the event carries; 0 for a packet.
    pub const ARGUMENT: &str = "argument";
    /// The time in nanoseconds at which the packet arrived, the timer fired or the event happened.
    pub const TIME: &str = "time";

    /// All names.
    pub const ALL: [&str; 6] = [PACKET_LENGTH, HEAD_LENGTH, PORT, CAUSE, ARGUMENT, TIME];
}

/// A program of threads, as part of a [`crate::Program`], which then has no other code: no `packet` block, no parsers,
/// and functions only as the actions of filters.
///
/// The other parts of the program that it uses are variables, the registers of its threads, each a number or a bool of at
/// most 64 bits; [`crate::Program::intrinsics`]; [`crate::Program::tables`], the filters, whose keys only state widths, as
/// in flat programs; [`crate::Program::meters`], the policers; and [`crate::Program::digests`].
///
/// Numbers that are addresses, lengths, ports and the like are expressions of any number type, whose bit pattern is taken as
/// an unsigned number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// The memory that each thread has for itself.
    pub local_memory: LocalMemory,
    /// Where the head of a packet is loaded.
    pub head: HeadPlace,
    /// The memory that all threads share.
    pub segments: Vec<Segment>,
    /// The tables of records, which threads make and delete.
    pub records: Vec<RecordTable>,
    /// The timers that begin threads.
    pub timers: Vec<Timer>,
    /// The events that begin threads.
    pub events: Vec<Event>,
    /// The names of the reasons for which the program drops packets.
    pub reasons: Vec<String>,
    /// The values that say to which flow a packet belongs: packets leave in order of arrival if all values are equal.
    /// They are evaluated before the first instruction, when the head is loaded. If there are none, the machine chooses.
    pub flow: Vec<Expression>,
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// Where threads begin, at most once for each cause. Nothing begins for a cause without an entrance; a packet is dropped.
    pub entrances: Vec<ThreadEntrance>,
}

impl Threads {
    /// Returns the instruction at which threads of a cause begin.
    pub fn entrance(&self, cause: Cause) -> Option<InstructionId> {
        self.entrances.iter().find(|entrance| entrance.cause == cause).map(|entrance| entrance.start)
    }

    /// Returns an instruction.
    ///
    /// # Panics
    /// If the id is not one of this program's.
    pub fn instruction(&self, id: InstructionId) -> &Instruction {
        &self.instructions[id.index()]
    }

    /// Returns the instruction of a name.
    pub fn instruction_named(&self, name: &str) -> Option<InstructionId> {
        self.instructions.iter().position(|instruction| instruction.name == name).map(InstructionId::from)
    }

    /// Returns the number of records that a table holds at most; 0 if its segment does not exist.
    pub fn capacity(&self, records: &RecordTable) -> u64 {
        let segment = self.segments.get(records.segment.index());
        segment.map_or(0, |segment| segment.bytes.checked_div(records.record_bytes.into()).unwrap_or(0))
    }
}
