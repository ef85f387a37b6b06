//! The interpreter, observed by a watch.

use arch::{Architecture, Stage};
use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings};
use ir::{Block, Program};
use machines::blocks::Executor;

use super::watch::Watch;

/// An executor that runs the interpreter and observes it. Other observers are not notified.
pub(super) struct Watched {
    interpreter: PacketInterpreter,
    pub(super) watch: Watch,
    /// The parser that reads the packets that arrive, and the number of bits in front of them there.
    first_parser: (Option<Block>, usize),
}

impl Watched {
    /// Creates an executor of a program for an architecture.
    pub(super) fn new(interpreter: PacketInterpreter, watch: Watch, architecture: &Architecture) -> Self {
        let bits =
            |front: arch::InFront| front.ingress.iter().map(|field| field.bits).sum::<u32>() + front.port_metadata;
        let in_front = architecture.in_front.map_or(0, |front| bits(front) as usize);
        let parser = interpreter.program().entrance(architecture.main_block(Stage::Parser).name);
        Self { interpreter, watch, first_parser: (parser, in_front) }
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
        let (first, in_front) = self.first_parser;
        self.watch.in_front = (first == Some(block)).then_some(in_front);
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
