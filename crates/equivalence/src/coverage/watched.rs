//! The interpreter, observed by a watch.

use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings};
use ir::{Block, Program};
use machines::v1model::Executor;

use super::watch::Watch;

/// An executor that runs the interpreter and observes it. Other observers are not notified.
pub(super) struct Watched {
    interpreter: PacketInterpreter,
    pub(super) watch: Watch,
}

impl Watched {
    pub(super) fn new(interpreter: PacketInterpreter, watch: Watch) -> Self {
        Self { interpreter, watch }
    }
}

impl Executor for Watched {
    type Packet = Packet;

    fn program(&self) -> &Program {
        self.interpreter.program()
    }

    fn packet(&self) -> Packet {
        Packet::new(self.interpreter.program(), Vec::new())
    }

    fn run(
        &mut self,
        block: Block,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending {
        let mut around = Surroundings {
            state: surroundings.state,
            now: surroundings.now,
            length: surroundings.length,
            packets: surroundings.packets,
            random: surroundings.random,
            undefined: surroundings.undefined,
            observer: &mut self.watch,
        };
        self.interpreter.run(block, packet, &mut around, requests)
    }

    fn observes(&self) -> bool {
        true
    }
}
