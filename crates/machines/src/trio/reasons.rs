//! Reasons for which the chip discards packets.

use ir::interpret::threads::Fault;
use node::Reason;
use runtime::memory::MemoryError;

node::reasons! { "trio":
    /// The thread of the packet came to its end and had neither sent nor dropped it.
    CONSUMED = (900, "consumed by its thread", by_program);
    /// No thread of the program begins for packets.
    NO_ENTRANCE = (905, "no thread begins for packets");
    /// No thread was free, and too many packets waited for one already.
    NO_THREAD = (910, "no free thread, and no room to wait for one");
    /// The program sent the packet to a multicast group that the control plane has not set up.
    UNKNOWN_GROUP = (915, "multicast group not set up");
    /// The thread read or wrote outside of its local memory.
    LOCAL_MEMORY = (920, "outside of local memory");
    /// An instruction of the thread wrote the same bit of local memory twice.
    WRITTEN_TWICE = (921, "local memory written twice by an instruction");
    /// The thread called a subroutine when as many calls as possible had not returned.
    TOO_MANY_CALLS = (922, "too many calls");
    /// The thread returned from no call.
    RETURN_WITHOUT_CALL = (923, "return without a call");
    /// The thread jumped to a number that no instruction has.
    NO_INSTRUCTION = (924, "no such instruction");
    /// The thread executed more instructions than the chip allows.
    TOO_MANY_INSTRUCTIONS = (925, "too many instructions");
    /// The thread accessed shared memory outside of all segments.
    SHARED_MEMORY_OUTSIDE = (926, "outside of shared memory");
    /// The thread accessed shared memory at an address that is not a multiple of what the operation demands.
    SHARED_MEMORY_UNALIGNED = (927, "shared memory not aligned");
    /// The thread accessed two lines of shared memory at once.
    SHARED_MEMORY_TWO_LINES = (928, "two lines of shared memory at once");
    /// The thread mixed up words and policers of shared memory.
    SHARED_MEMORY_POLICERS = (929, "words and policers mixed up");
    /// The thread used a packet that does not exist, or that it had sent or dropped.
    NO_PACKET = (930, "no such packet in the thread");
    /// The thread made too many packets.
    TOO_MANY_PACKETS = (931, "too many packets made by the thread");
    /// The thread wrote a tail beyond its greatest length.
    TAIL_TOO_LONG = (932, "tail too long");
    /// The thread removed a record at an address at which none can begin.
    NO_RECORD = (933, "no record at the address");
    /// The thread scanned too many places at once.
    TOO_MANY_PLACES = (934, "scan of too many places");
    /// The thread started a timer with a period of 0.
    NO_PERIOD = (935, "timer without a period");
}

/// Returns the reason for which a packet is dropped whose thread was stopped by an error.
pub const fn of_fault(fault: Fault) -> Reason {
    match fault {
        Fault::LocalMemory => LOCAL_MEMORY,
        Fault::WrittenTwice => WRITTEN_TWICE,
        Fault::TooManyCalls => TOO_MANY_CALLS,
        Fault::ReturnWithoutCall => RETURN_WITHOUT_CALL,
        Fault::NoInstruction => NO_INSTRUCTION,
        Fault::TooManyInstructions => TOO_MANY_INSTRUCTIONS,
        Fault::SharedMemory(MemoryError::Outside) => SHARED_MEMORY_OUTSIDE,
        Fault::SharedMemory(MemoryError::Unaligned) => SHARED_MEMORY_UNALIGNED,
        Fault::SharedMemory(MemoryError::TwoLines) => SHARED_MEMORY_TWO_LINES,
        Fault::SharedMemory(MemoryError::Policers) => SHARED_MEMORY_POLICERS,
        Fault::NoPacket => NO_PACKET,
        Fault::TooManyPackets => TOO_MANY_PACKETS,
        Fault::TailTooLong => TAIL_TOO_LONG,
        Fault::NoRecord => NO_RECORD,
        Fault::TooManyPlaces => TOO_MANY_PLACES,
        Fault::NoPeriod => NO_PERIOD,
    }
}

/// Returns the reasons that a program declares, in its order, by their names.
pub fn of_program(threads: &ir::Threads) -> Vec<Reason> {
    let meaning = "The program dropped the packet for a reason that it declares.";
    threads.reasons.iter().map(|name| Reason::named(1, name, "program", meaning, true)).collect()
}
