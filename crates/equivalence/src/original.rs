//! The packet program that a flat one was made of, on the switch that defines what it means.

use basis::Instant;
use ir::Program;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::Switch;
use measure::Interest;
use node::{Burst, Node, Outbox, Port};
use runtime::State;
use wire::Packet;

use crate::difference::Fate;

/// The switch that says what becomes of packets and state.
pub(crate) struct Original {
    switch: Switch<PacketInterpreter>,
    burst: Burst,
    out: Outbox,
}

impl Original {
    pub(crate) fn new(switch: Switch<PacketInterpreter>) -> Self {
        Self { switch, burst: Burst::new(), out: Outbox::new(Interest::default()) }
    }

    /// What becomes of the next packet.
    pub(crate) fn packet(&mut self, now: Instant, port: Port, packet: Packet) -> (Fate, Packet) {
        self.burst.push(packet);
        self.out.begin(now);
        self.switch.receive(now, port, &mut self.burst, &mut self.out);
        // A flat program makes no copies.
        match (self.out.transmissions.pop(), self.out.discarded.pop()) {
            (Some(sent), _) => (Fate::Leaves { port: sent.port.0 }, sent.packet),
            (None, Some(discarded)) => (Fate::Dropped, discarded.packet),
            (None, None) => unreachable!("nothing waits in a v1model switch"),
        }
    }

    /// All state of the program now.
    pub(crate) fn state(&self) -> std::borrow::Cow<'_, State> {
        self.switch.state()
    }

    /// The program as it was written.
    pub(crate) fn program(&self) -> &Program {
        self.switch.executor().program()
    }
}

impl std::fmt::Debug for Original {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Original({})", self.program().name)
    }
}
