//! Errors of programs at run time, which end a thread.

use std::fmt;

use runtime::memory::MemoryError;

/// The reason why a thread ended with an error. The packet that it began for is dropped, unless it was sent or dropped
/// before; what its transactions have done stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// It read or wrote outside of its local memory.
    LocalMemory,
    /// An instruction wrote the same bit of local memory twice.
    WrittenTwice,
    /// It called a subroutine when [`crate::threads::MAX_CALLS`] calls had not returned.
    TooManyCalls,
    /// It returned, but no call had been made.
    ReturnWithoutCall,
    /// It jumped to a number that no instruction has.
    NoInstruction,
    /// It executed more instructions than [`super::Declarations::limit`].
    TooManyInstructions,
    /// It accessed shared memory where that is not possible.
    SharedMemory(MemoryError),
    /// It used a packet that does not exist, or that it had sent or dropped.
    NoPacket,
    /// It made more packets than [`crate::threads::MAX_PACKETS`].
    TooManyPackets,
    /// It wrote a tail beyond [`crate::threads::MAX_TAIL`].
    TailTooLong,
    /// It removed a record at an address at which none can begin.
    NoRecord,
    /// It scanned more than 64 places at once.
    TooManyPlaces,
    /// It started a timer with a period of 0.
    NoPeriod,
}

impl Fault {
    /// All errors.
    pub const ALL: [Self; 16] = [
        Self::LocalMemory,
        Self::WrittenTwice,
        Self::TooManyCalls,
        Self::ReturnWithoutCall,
        Self::NoInstruction,
        Self::TooManyInstructions,
        Self::SharedMemory(MemoryError::Outside),
        Self::SharedMemory(MemoryError::Unaligned),
        Self::SharedMemory(MemoryError::TwoLines),
        Self::SharedMemory(MemoryError::Policers),
        Self::NoPacket,
        Self::TooManyPackets,
        Self::TailTooLong,
        Self::NoRecord,
        Self::TooManyPlaces,
        Self::NoPeriod,
    ];

    /// Returns a short name, for counters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LocalMemory => "local_memory",
            Self::WrittenTwice => "written_twice",
            Self::TooManyCalls => "too_many_calls",
            Self::ReturnWithoutCall => "return_without_call",
            Self::NoInstruction => "no_instruction",
            Self::TooManyInstructions => "too_many_instructions",
            Self::SharedMemory(MemoryError::Outside) => "shared_memory_outside",
            Self::SharedMemory(MemoryError::Unaligned) => "shared_memory_unaligned",
            Self::SharedMemory(MemoryError::TwoLines) => "shared_memory_two_lines",
            Self::SharedMemory(MemoryError::Policers) => "shared_memory_policers",
            Self::NoPacket => "no_packet",
            Self::TooManyPackets => "too_many_packets",
            Self::TailTooLong => "tail_too_long",
            Self::NoRecord => "no_record",
            Self::TooManyPlaces => "too_many_places",
            Self::NoPeriod => "no_period",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LocalMemory => "an access outside of local memory",
            Self::WrittenTwice => "an instruction that writes the same bits of local memory twice",
            Self::TooManyCalls => "a call when as many calls as possible have not returned",
            Self::ReturnWithoutCall => "a return without a call",
            Self::NoInstruction => "a jump to a number that no instruction has",
            Self::TooManyInstructions => "too many instructions",
            Self::SharedMemory(error) => return error.fmt(f),
            Self::NoPacket => "a packet that does not exist or has left",
            Self::TooManyPackets => "too many packets made",
            Self::TailTooLong => "a tail that is too long",
            Self::NoRecord => "an address at which no record begins",
            Self::TooManyPlaces => "a scan of more than 64 places",
            Self::NoPeriod => "a timer with a period of 0",
        })
    }
}

impl std::error::Error for Fault {}

impl From<MemoryError> for Fault {
    fn from(error: MemoryError) -> Self {
        Self::SharedMemory(error)
    }
}
