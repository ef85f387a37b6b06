//! Many hosts send to one, whose link is never idle.

use basis::{Duration, Instant};
use demand::Incast;
use netsim::Simulation;
use node::Port;

use crate::test_network::{TestNetwork, assert_settled, counter, topology};
use crate::watch::{Watch, at_100_gigabits};

const HOSTS: usize = 128;
const RECEIVER: u32 = 77;

fn incast(bytes: u64) -> Incast {
    Incast { senders: 64, bytes, spread: Duration::ZERO, receiver: Some(RECEIVER) }
}

/// Returns how many bytes, including framing, were put on the link that ends at the receiver.
fn bytes_at_receiver(plan: &TestNetwork, simulation: &Simulation) -> u64 {
    let receiver = RECEIVER as usize;
    let cable = plan.topology.cables.iter().find(|cable| cable.ends[0].0 == receiver).expect("its cable");
    let (switch, port) = cable.ends[1];
    let link = simulation.link(switch, Port(port)).expect("a link");
    simulation.carried(link).1.bytes
}

/// Asserts that the last flow is delivered within 1% of the time that all bytes take on the receiver's link, plus a
/// round trip.
#[track_caller]
fn assert_link_was_full(plan: &TestNetwork, simulation: &Simulation, watch: &Watch, payload: u64) {
    let (flows, last) = watch.assert_finished();
    assert_eq!(flows, 64);
    let bytes = bytes_at_receiver(plan, simulation);
    // The count is plausible: at least the bytes that must have been sent, and no more than the link can have carried.
    assert!(bytes > 64 * payload);
    let needed = at_100_gigabits(bytes);
    assert!(needed <= simulation.now().since(Instant::ZERO));
    let round_trip = plan.topology.base_round_trip(0, RECEIVER as usize, u64::from(plan.packet_bytes)).expect("a way");
    let limit = Duration::from_picoseconds(needed.picoseconds() / 100 * 101) + round_trip;
    let taken = last.since(Instant::ZERO);
    assert!(taken <= limit, "{taken:?} for {bytes} bytes, which take {needed:?}, and {round_trip:?}");
}

#[test]
fn an_incast_takes_as_long_as_its_bottleneck_needs() {
    let plan = TestNetwork::new(topology("fat-tree:k=8"));
    let (simulation, watch) = plan.run(incast(450_000));
    assert_link_was_full(&plan, &simulation, &watch, 450_000);
    assert_settled(&simulation, HOSTS);
    // The only lost packets are those that were returned and found no room again.
    watch.assert_discarded_only(&[queues::reasons::TRIMMED_QUEUE_FULL, queues::reasons::QUEUE_FULL]);
    assert!(counter(&simulation, HOSTS, "trimmed_received") > 64, "the incast overflowed the queue");
}

#[test]
fn finishes_incasts_that_stall_in_htsim() {
    // htsim finishes none of these: see docs/transports/ndp.md.
    let mut plan = TestNetwork::new(topology("fat-tree:k=8"));
    (plan.packet_bytes, plan.first_window) = (1500, 50);
    let plan = plan.with_queues(8);
    let (simulation, watch) = plan.run(incast(100 * 1436));
    assert_link_was_full(&plan, &simulation, &watch, 100 * 1436);
    assert_settled(&simulation, HOSTS);
    assert!(counter(&simulation, HOSTS, "returned_received") > 500, "the queues for headers overflowed");
    assert_eq!(counter(&simulation, HOSTS, "timeouts"), 0);
}
