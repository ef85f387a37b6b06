//! Hosts with costs: what bounds a transfer, and what is lost on the way.

mod network;

use basis::{Duration, Instant, Rate};
use network::{Fate, Network, packets, parameters};
use node::Station;
use transports::FlowEvent;
use transports::costs::{Attention, CostParameters, Work};
use transports::reasons;

/// Sends a message of `count` full packets from host 0 to host 1, which have the given costs. Returns the time of the
/// delivery.
fn transfer(count: u64, costs: [CostParameters; 2]) -> (Network<'static>, Duration) {
    let mut network = Network::new(2, parameters(), &[((0, 0, 1, packets(count)), 0)], |_| Fate::Pass);
    let hosts = std::mem::take(&mut network.hosts);
    network.hosts = hosts.into_iter().zip(costs).map(|(host, costs)| host.with_costs(costs)).collect();
    network.run();
    let delivered = network.when(0, 0, FlowEvent::Delivered);
    assert_eq!((delivered.len(), network.when(0, 0, FlowEvent::Completed).len()), (1, 1));
    for host in &network.hosts {
        assert_eq!((host.account().held, host.waiting(network.now)), (0, vec![]));
    }
    (network, delivered[0].since(Instant::ZERO))
}

fn free() -> CostParameters {
    CostParameters::default()
}

fn microseconds(microseconds: u64) -> Duration {
    Duration::from_microseconds(microseconds)
}

fn of_packet(per_packet: Duration) -> Work {
    Work { per_packet, ..Work::default() }
}

#[test]
fn a_host_with_zero_costs_is_as_fast_as_one_without() {
    let mut without = Network::new(2, parameters(), &[((0, 0, 1, packets(200)), 0)], |_| Fate::Pass);
    without.run();
    let took = without.when(0, 0, FlowEvent::Delivered)[0].since(Instant::ZERO);
    assert_eq!(transfer(200, [free(), free()]).1, took);
}

#[test]
fn processor_or_pcie_bound_a_transfer() {
    let link_bound = transfer(200, [free(), free()]).1;
    // 2 us per packet at either end is far more than its 0.12 us on the link.
    for (receive, send) in [(microseconds(2), Duration::ZERO), (Duration::ZERO, microseconds(2))] {
        let receiver = CostParameters { receive: of_packet(receive), ..free() };
        let sender = CostParameters { send: of_packet(send), ..free() };
        let (_, took) = transfer(200, [sender, receiver]);
        assert!(took >= microseconds(400) && took < microseconds(400) + link_bound, "{took:?}");
    }
    // 1500 bytes take 12 us at 1 Gb/s.
    let pcie = CostParameters { pcie: Some(Rate::from_gigabits_per_second(1)), ..free() };
    let (_, took) = transfer(200, [free(), pcie]);
    let bytes = 200 * 1500;
    let least = Rate::from_gigabits_per_second(1).time_of(bytes);
    assert!(took >= least && took < least + link_bound, "{took:?}");
}

#[test]
fn interrupt_latency_delays_a_short_message() {
    let attention = Attention::Interrupt { latency: microseconds(5), packets: 1, time: Duration::ZERO };
    let (_, free_of_charge) = transfer(1, [free(), free()]);
    let (_, took) = transfer(1, [free(), CostParameters { attention, ..free() }]);
    assert_eq!(took, free_of_charge + microseconds(5));
}

#[test]
fn packets_lost_at_a_full_ring_are_retransmitted() {
    // The first window arrives as a burst, and the core is slow.
    let receiver = CostParameters { receive: of_packet(microseconds(3)), receive_ring: 4, ..free() };
    let (network, _) = transfer(60, [free(), receiver]);
    let refused = network.discarded.iter().filter(|(_, reason)| *reason == reasons::RECEIVE_RING_FULL).count();
    assert!(refused > 0);
    assert_eq!(refused, network.discarded.len());
}
