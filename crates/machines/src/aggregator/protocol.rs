//! What a protocol for aggregation is to the aggregator that runs it.

use basis::Instant;
use basis::snapshot::Snapshot;
use control::Info;
use node::{Counter, Reason};
use runtime::ProgramState;
use wire::Packet;

/// The verdict of a protocol on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on to its destination, which may be another one now, or several if it is the address of a group.
    Forward,
    /// It goes no further.
    Absorb(Reason),
}

/// The rules of a protocol for aggregation, with the state that they keep. A protocol is told the time, and knows neither
/// ports nor routes.
pub trait Protocol: Snapshot + Send {
    /// Adds the tables, actions and registers of the protocol to what the control plane knows.
    fn describe(&self, info: &mut Info);

    /// Takes over what the control plane has written into the tables that [`Protocol::describe`] added. Called at first,
    /// and whenever tables may have changed.
    fn set_up(&mut self, info: &Info, state: &ProgramState);

    /// Handles an IPv4 packet that has arrived, and changes it if the rules say so. `has_route` says whether the aggregator
    /// knows where its destination is; a packet without a route that is forwarded is discarded then, so that the rules
    /// should not count on it.
    fn receive(&mut self, now: Instant, packet: &mut Packet, has_route: bool) -> Verdict;

    /// Handles the deadline having passed, and appends the packets to send.
    fn wake(&mut self, now: Instant, send: &mut Vec<Packet>) {
        let _ = (now, send);
    }

    /// Returns the time at which the protocol wants to be woken, if any.
    fn deadline(&self) -> Option<Instant> {
        None
    }

    /// Returns true if the protocol sends nothing more by itself, although it may want to be woken for ever.
    fn rests(&self) -> bool {
        self.deadline().is_none()
    }

    /// Returns an element of a register, by the number that the control plane knows. Both numbers are in range.
    fn read(&self, register: usize, index: usize) -> u64 {
        let _ = (register, index);
        0
    }

    /// Sets an element of a register to a value of at most its width. Both numbers are in range.
    fn write(&mut self, register: usize, index: usize, value: u64) {
        let _ = (register, index, value);
    }

    /// Writes the records and the memory that [`Protocol::describe`] added into a state in which they are empty.
    fn show(&self, info: &Info, state: &mut ProgramState) {
        let _ = (info, state);
    }

    /// Takes over the records and the memory that [`Protocol::show`] has shown, after the control plane has changed them.
    fn take(&mut self, info: &Info, state: &ProgramState) {
        let _ = (info, state);
    }

    /// Lets an event happen, by the number that the control plane knows.
    fn happen(&mut self, now: Instant, event: usize, argument: u64) {
        let _ = (now, event, argument);
    }

    /// Reports everything that was counted, in a fixed order.
    fn counters(&self, tell: &mut dyn FnMut(Counter));
}
