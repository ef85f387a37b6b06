//! Executors other than the interpreter, and what the switch may require of them.

use std::sync::Arc;

use basis::Instant;
use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings, Undefined};
use ir::{Block, Program, Type, Variable, VariableId, VariableKind};
use machines::blocks::{BlockList, Executor, Frame, Ran};
use machines::v1model::{Switch, V1modelParameters};
use machines::{Device, Unsuitable};
use node::{Node, Outbox, Port};
use runtime::Bits;

use crate::support::{info, program, text};

/// The interpreter as an executor that reports nothing, and that counts the lists of blocks that it runs.
struct Silent {
    interpreter: PacketInterpreter,
    runs: u32,
}

impl Silent {
    fn new(program: Program) -> Self {
        Self { interpreter: PacketInterpreter::new(Arc::new(program)), runs: 0 }
    }
}

impl Executor for Silent {
    type Packet = Packet;

    fn program(&self) -> &Program {
        self.interpreter.program()
    }

    fn packet(&self) -> Packet {
        self.interpreter.packet()
    }

    fn run(
        &mut self,
        block: Block,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending {
        assert!(matches!(surroundings.undefined, Undefined::Zero), "nothing is drawn");
        self.runs += 1;
        self.interpreter.run(block, packet, surroundings, requests)
    }

    fn run_each(
        &mut self,
        blocks: &BlockList,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ran {
        assert!(matches!(surroundings.undefined, Undefined::Zero), "nothing is drawn");
        self.runs += 1;
        self.interpreter.run_each(blocks, packet, surroundings, requests)
    }

    fn does_nothing(&self, block: Block) -> bool {
        matches!(block, Block::Function(id) if self.program().functions[id.index()].body.is_empty())
    }

    fn observes(&self) -> bool {
        false
    }
}

fn silent(parameters: V1modelParameters) -> Result<Switch<Silent>, Unsuitable> {
    let program = program(&text("", ""));
    let info = Arc::new(info(&program));
    Switch::new(Silent::new(program), info, parameters)
}

#[test]
fn refuses_traces_and_draws_of_silent_executors() {
    let drawn = V1modelParameters { undefined: Some(1), ..V1modelParameters::default() };
    let refused = silent(drawn).err().unwrap().to_string();
    assert_eq!(
        refused,
        "with this executor, values that the language leaves undefined are 0 and cannot be drawn at random"
    );
    let mut switch = silent(V1modelParameters::default()).unwrap();
    let refused = switch.observe().unwrap_err().to_string();
    assert_eq!(refused, "this executor does not report what happens to packets, so there is nothing to record");
    assert_eq!(switch.take_traces(), []);
}

#[test]
fn a_packet_passes_all_stages_in_one_run_if_the_switch_has_nothing_to_do_between_them() {
    for (egress, runs) in [
        ("", 1),
        ("  hdr.h.a = standard_metadata.egress_port[7:0]", 1),
        ("  hdr.h.a = standard_metadata.deq_qdepth[7:0]", 1),
        // The time and the length are known only when the packet arrives.
        ("  hdr.h.a = standard_metadata.egress_global_timestamp[7:0]", 3),
        ("  hdr.h.a = standard_metadata.packet_length[7:0]", 4),
        // Before the deparser, the switch looks at what egress says.
        ("  standard_metadata.egress_spec = 511u9", 2),
        ("  truncate 2u32", 3),
    ] {
        let program = program(&text("  standard_metadata.egress_spec = 3u9", egress));
        let info = Arc::new(info(&program));
        let mut switch = Switch::new(Silent::new(program), info, V1modelParameters::default()).unwrap();
        let mut out = Outbox::default();
        switch.receive(Instant::ZERO, Port(1), &mut vec![wire::Packet::of_bytes(&[1, 2, 3])], &mut out);
        assert_eq!(switch.executor().runs, runs, "{egress}");
        assert_eq!(out.transmissions.len() + out.discarded.len(), 1, "{egress}");
    }
}

#[test]
fn interpreter_packets_keep_the_width_of_values() {
    // Both representations of values: a single word, and several limbs.
    let variable = |width| Variable { name: format!("v{width}"), ty: Type::Bits(width), kind: VariableKind::Local };
    let program = Program { variables: [9, 65, 130].map(variable).into(), ..Program::default() };
    let new = PacketInterpreter::new(Arc::new(program)).packet();
    let [narrow, odd, wide] = [0usize, 1, 2].map(VariableId::from);
    let filled = Packet {
        values: vec![Bits::ones(9), Bits::ones(65), Bits::ones(130)],
        bytes: vec![1, 2, 3],
        position: 9,
        ..new.clone()
    };
    let mut packet = new.clone();
    packet.copy_from(&filled);
    assert_eq!((&packet.values, packet.bytes(), packet.position()), (&filled.values, &[1, 2, 3][..], 9));
    assert_eq!(packet.payload(), [3], "from the next whole byte on");
    Frame::set(&mut packet, narrow, 5);
    Frame::set(&mut packet, wide, u64::MAX);
    assert_eq!(packet.values, [Bits::from_u64(5, 9), Bits::ones(65), Bits::from_u64(u64::MAX, 130)]);
    packet.clear_variables(&[odd]);
    assert_eq!(packet.values[1..], [Bits::zero(65), Bits::from_u64(u64::MAX, 130)]);
    packet.copy_variables(&filled, &[odd, narrow]);
    assert_eq!(packet.values[..2], filled.values[..2]);
    assert_eq!((packet.low(odd), packet.low(narrow)), (u64::MAX, 511));
    packet.emitted.push(&Bits::ones(9), 9);
    packet.set_bytes(|bytes| bytes.push(7));
    assert_eq!((packet.bytes(), packet.position(), packet.emitted()), (&[7][..], 0, &[][..]));
    packet.clear();
    assert_eq!((packet.values, packet.bytes, packet.position), (new.values, new.bytes, 0));
}
