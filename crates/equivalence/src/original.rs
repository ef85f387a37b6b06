//! The packet program from which a flat program was derived, on the switch that defines its meaning.

use std::sync::Arc;

use basis::Instant;
use control::{Request, Response};
use ir::Program;
use machines::Device;
use measure::Interest;
use node::{Burst, Discarded, Node, Outbox, Port, Transmission};
use runtime::ProgramState;
use wire::Packet;

use crate::difference::Fate;
use crate::reference::PacketEnd;

/// The switch that determines packets and state.
pub(crate) struct Original {
    /// The program as its author wrote it.
    program: Arc<Program>,
    switch: Box<dyn Device>,
    burst: Burst,
    out: Outbox,
}

impl Original {
    pub(crate) fn new(program: Arc<Program>, switch: Box<dyn Device>) -> Self {
        Self { program, switch, burst: Burst::new(), out: Outbox::new(Interest::default()) }
    }

    /// Returns the ends of the next packet, in the order in which a machine's driver reports them.
    pub(crate) fn packet(&mut self, now: Instant, port: Port, packet: Packet) -> Vec<PacketEnd> {
        self.burst.push(packet);
        self.out.begin(now);
        self.switch.receive(now, port, &mut self.burst, &mut self.out);
        let dropped =
            |Discarded { packet, reason, .. }| PacketEnd { fate: Fate::Dropped, packet, reason: Some(reason) };
        let left = |sent: Transmission| PacketEnd {
            fate: Fate::Leaves { port: sent.port.0 },
            packet: sent.packet,
            reason: None,
        };
        self.out.discarded.drain(..).map(dropped).chain(self.out.transmissions.drain(..).map(left)).collect()
    }

    /// Returns the switch, to drive it through time.
    pub(crate) fn switch_mut(&mut self) -> &mut dyn Device {
        &mut *self.switch
    }

    /// Executes a control plane request.
    pub(crate) fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        self.switch.execute(request)
    }

    /// Returns the current state of the program.
    pub(crate) fn state(&self) -> std::borrow::Cow<'_, ProgramState> {
        self.switch.state()
    }

    /// Returns the program as its author wrote it.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }
}

impl std::fmt::Debug for Original {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Original({})", self.program().name)
    }
}
