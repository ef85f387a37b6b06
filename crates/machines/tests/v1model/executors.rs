//! Executors other than the interpreter, and what the switch may require of them.

use std::sync::Arc;

use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings, Undefined};
use ir::{Block, Program, Type, Variable, VariableId, VariableKind};
use machines::blocks::{Executor, Frame};
use machines::v1model::{Switch, V1modelParameters};
use machines::{Device, Unsuitable};
use runtime::Bits;

use crate::support::{info, program, text};

/// The interpreter as an executor that reports nothing.
struct Silent(PacketInterpreter);

impl Executor for Silent {
    type Packet = Packet;

    fn program(&self) -> &Program {
        self.0.program()
    }

    fn packet(&self) -> Packet {
        self.0.packet()
    }

    fn run(
        &mut self,
        block: Block,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending {
        assert!(matches!(surroundings.undefined, Undefined::Zero), "nothing is drawn");
        self.0.run(block, packet, surroundings, requests)
    }

    fn observes(&self) -> bool {
        false
    }
}

fn silent(parameters: V1modelParameters) -> Result<Switch<Silent>, Unsuitable> {
    let program = program(&text("", ""));
    let info = Arc::new(info(&program));
    Switch::new(Silent(PacketInterpreter::new(Arc::new(program))), info, parameters)
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
