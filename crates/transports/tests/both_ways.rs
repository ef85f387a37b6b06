//! Hosts that send and receive at the same time: control packets and data share each link.

mod network;

use basis::Instant;
use network::switch_port::SwitchPort;
use network::{DELAY, Fate, Network, packets, parameters};
use transports::FlowEvent;
use transports::ndp::NdpParameters;

#[test]
fn both_directions_are_full_and_nothing_is_trimmed() {
    let sends = [((0, 0, 1, packets(4000)), 0), ((0, 1, 0, packets(4000)), 0)];
    let parameters = NdpParameters { first_window: 200, ..parameters() };
    let mut network = Network::new(2, parameters, &sends, |_| Fate::Pass);
    network.ports = (0..2).map(|_| SwitchPort::new(1024, true)).collect();
    network.run();
    let delivered = network.when(0, 0, FlowEvent::Delivered)[0];
    // Each direction carries data and the answers to data of the other direction; pulls request no more than what is
    // left.
    assert_eq!((network.ports[0].trimmed, network.counter(0, "retransmissions")), (0, 0));
    let needed = parameters.link.rate().time_of(network.ports[1].bytes_on_link);
    assert!(delivered <= Instant::ZERO + needed + DELAY.times(2), "{delivered}");
    // A pull is always due when a packet arrives, and is carried by its ACK.
    assert_eq!(network.counter(0, "pulls_sent"), 0);
}
