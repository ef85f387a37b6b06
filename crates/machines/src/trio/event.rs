//! What happens in the chip in a later cycle.

use ir::interpret::threads::Ticket;
use serde::{Deserialize, Serialize};

/// Something that happens in a cycle. Threads are given by their numbers among all places.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Event {
    /// The thread has executed an instruction, and the next one may begin.
    Ready(u32),
    /// The thread has executed an instruction that asks for a transaction, which leaves for the crossbar.
    Asks(u32, u32),
    /// The thread has executed its last instruction.
    Ends(u32),
    /// The reply to a transaction of the thread has come.
    Replies(u32, u32),
    /// A transaction takes effect outside of shared memory: what it asks of the chip lies at a place of its list.
    Output(u32),
}

/// Returns a ticket as events carry it: a thread executes fewer than 2^32 instructions while the chip can count its cycles.
pub(super) const fn short(ticket: Ticket) -> u32 {
    ticket.0 as u32
}
