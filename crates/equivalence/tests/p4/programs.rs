//! The programs of this project on every machine.

use equivalence::{Comparison, Verdict};
use machines::Device;
use node::{Offered, Port, Reason};

use crate::load::{Loaded, PipelineMachine, Ready, Stages};
use crate::router::router;

/// The programs that can be flattened and whose state a pipeline can hold, each with a packet test that fills its
/// tables; and whether the program's meaning is independent of packets overtaking each other.
const PROGRAMS: [(&str, &str, bool); 11] = [
    ("calculator", "calculator.stf", true),
    ("ecmp", "ecmp.stf", true),
    ("flowlet", "flowlet.stf", false),
    ("heavy_hitter", "sketching.stf", false),
    ("load_balancer", "balancing.stf", true),
    ("packet_counter", "counting.stf", false),
    ("source_routing", "source_routing.stf", true),
    ("stateful_firewall", "connections.stf", false),
    ("token_bucket", "buckets.stf", false),
    ("tunnel", "entering.stf", true),
    ("tunnel", "leaving.stf", true),
];

fn holds(ready: &Ready, kind: PipelineMachine, stages: Stages) -> Comparison {
    let name = &ready.loaded.program.name;
    let pipeline = ready.pipeline(kind, stages).unwrap_or_else(|report| panic!("{report}"));
    let comparison = ready.compare(kind, &pipeline);
    let first = (comparison.packet_differences.first(), comparison.register_differences.first());
    assert_eq!(comparison.verdict, Verdict::Equal, "{name} on {kind:?} of {stages:?}: {first:?}");
    assert_eq!(comparison.packets, ready.packets.len() as u64);
    // A stream of which no packet leaves would prove nothing.
    assert!(comparison.machine.transmitted > 0, "{name}");
    comparison
}

#[test]
fn order_preserving_machines_match_the_switch() {
    for (name, test, any_order) in PROGRAMS {
        let ready = Loaded::ours(name, test).ready(1000).unwrap();
        for stages in [Stages::Banzai, Stages::MatchAction] {
            holds(&ready, PipelineMachine::Banzai, stages);
            holds(&ready, PipelineMachine::Mp5, stages);
            if any_order {
                holds(&ready, PipelineMachine::Recirculating, stages);
            }
        }
    }
}

#[test]
fn a_router_works_on_every_machine() {
    let mut ready = router(1000);
    // No packet arrives on a port that does not exist.
    let last = ready.packets.last().expect("a thousand").clone();
    ready.packets.push(Offered { port: Port(600), ..last });
    let coverage = ready.coverage.to_string();
    assert!(coverage.contains("parser states             2 of 2\n"), "{coverage}");
    for kind in [PipelineMachine::Banzai, PipelineMachine::Mp5, PipelineMachine::Recirculating] {
        let comparison = holds(&ready, kind, Stages::MatchAction);
        assert_eq!(comparison.machine.discarded.of(Reason::NO_SUCH_PORT), 1);
    }
}

/// The state of a firewall depends on the order of packets, and recirculated packets are late.
#[test]
fn overtaking_changes_the_state_of_a_firewall() {
    let ready = Loaded::ours("stateful_firewall", "connections.stf").ready(1000).unwrap();
    let pipeline = ready.pipeline(PipelineMachine::Recirculating, Stages::MatchAction).unwrap();
    let comparison = ready.compare(PipelineMachine::Recirculating, &pipeline);
    assert_eq!(comparison.verdict, Verdict::Different);
    assert!(comparison.access_violations > 0 && comparison.machine.recirculations > 0);
    let make_machine = || -> Box<dyn Device> { ready.machine(PipelineMachine::Recirculating, &pipeline) };
    let (shrunk, witness) = ready.witness("recirculating", &make_machine).expect("it differs");
    assert!(shrunk.packets.len() <= 4, "{witness}");
}
