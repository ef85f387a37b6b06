//! Machine code held against the interpreter, packet by packet.

use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{Executor, Switch};
use measure::Interest;
use node::{Offered, Outbox};

/// What became of one packet: what left, in order, and why what did not leave went no further.
#[derive(Debug, PartialEq, Eq)]
struct Became {
    left: Vec<(u16, Vec<u8>)>,
    discarded: Vec<String>,
}

/// The first packet of which two switches make something else, or what else they end with, in words; `None` if they are
/// the same. Both are fresh and run one program with one seed.
pub(super) fn difference<E: Executor>(
    reference: &mut Switch<PacketInterpreter>,
    machine: &mut Switch<E>,
    packets: impl Iterator<Item = Offered>,
) -> Option<String> {
    for (number, offered) in (1..).zip(packets) {
        let (expected, found) = (became(reference, &offered), became(machine, &offered));
        if expected != found {
            let bytes: String = offered.packet.head.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            return Some(format!(
                "packet {number}, {bytes} on port {}: the interpreter makes {expected:x?}, machine code {found:x?}",
                offered.port.0
            ));
        }
    }
    let (expected, found) = (reference.state(), machine.state());
    let differs = [
        ("registers", expected.registers != found.registers),
        ("counters", format!("{:?}", expected.counters) != format!("{:?}", found.counters)),
        ("meters", format!("{:?}", expected.meters) != format!("{:?}", found.meters)),
        ("tables' counters", format!("{:?}", expected.tables) != format!("{:?}", found.tables)),
        ("statistics", reference.statistics() != machine.statistics()),
    ];
    let different: Vec<&str> = differs.into_iter().filter(|(_, differs)| *differs).map(|(what, _)| what).collect();
    (!different.is_empty()).then(|| format!("after all packets these differ: {}", different.join(", ")))
}

fn became<E: Executor>(switch: &mut Switch<E>, offered: &Offered) -> Became {
    let mut out = Outbox::new(Interest::default());
    out.begin(offered.at);
    node::Node::receive(switch, offered.at, offered.port, &mut vec![offered.packet.clone()], &mut out);
    Became {
        left: out.transmissions.iter().map(|sent| (sent.port.0, sent.packet.head.bytes().to_vec())).collect(),
        discarded: out.discarded.iter().map(|discarded| format!("{:?}", discarded.reason)).collect(),
    }
}
