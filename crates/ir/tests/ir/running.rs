//! Every accepted program runs on every packet without a panic, and ends.

use std::sync::Arc;

use basis::{Instant, Random};
use ir::interpret::{Packet, PacketInterpreter, Surroundings, Undefined, Unobserved};
use ir::{Block, FunctionId, ParserId, verify};
use proptest::prelude::*;

use crate::generate::{Choices, choices};
use crate::generate_parts;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_block_runs_on_every_packet(
        given in choices(), bytes in prop::collection::vec(any::<u8>(), 0..100), drawn in any::<bool>(),
    ) {
        let program = generate_parts::program(&mut Choices::new(given));
        prop_assert_eq!(verify::program(&program), Ok(()));
        let places: usize = program.registers.iter().map(ir::Register::size).sum();
        prop_assume!(places < 100_000);
        let mut state = program.initial_state();
        let mut random = Random::new(1);
        let mut undefined = if drawn { Undefined::Drawn(Random::new(2)) } else { Undefined::Zero };
        let mut requests = Vec::new();
        let parsers = (0..program.parsers.len()).map(|id| Block::Parser(ParserId::from(id)));
        let functions = (0..program.functions.len()).map(|id| Block::Function(FunctionId::from(id)));
        let blocks: Vec<_> = parsers.chain(functions).collect();
        let mut interpreter = PacketInterpreter::new(Arc::new(program));
        let mut packet = Packet::new(interpreter.program(), bytes);
        for block in blocks {
            let mut surroundings = Surroundings {
                state: &mut state,
                now: Instant::ZERO,
                length: 64,
                packets: 1,
                random: &mut random,
                undefined: &mut undefined,
                observer: &mut Unobserved,
            };
            interpreter.run(block, &mut packet, &mut surroundings, &mut requests);
            for (value, variable) in packet.values.iter().zip(&interpreter.program().variables) {
                let width = variable.ty.width();
                prop_assert_eq!(value, &runtime::Bits::from_limbs(value.limbs(), width), "`{}`", variable.name);
            }
        }
    }
}
