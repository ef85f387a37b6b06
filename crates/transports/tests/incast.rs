//! An incast through a switch with room for eight data packets.

mod network;

use basis::{Duration, Instant};
use network::switch_port::SwitchPort;
use network::{DELAY, Fate, Network, packets, parameters};
use transports::FlowEvent;
use transports::ndp::NdpParameters;

/// 64 hosts send `count` packets each to host 0, of which `first_window` are pushed.
fn incast(count: u64, first_window: u32, header_room: usize, returns: bool) -> Network<'static> {
    let sends: Vec<_> = (1..=64).map(|host| ((0, host, 0, packets(count)), 0)).collect();
    let parameters = NdpParameters { first_window, ..parameters() };
    let mut network = Network::new(65, parameters, &sends, |_| Fate::Pass);
    network.ports = (0..65).map(|_| SwitchPort::new(header_room, returns)).collect();
    network.run_to(Instant::from_microseconds(1_000_000));
    for host in 1..=64 {
        assert_eq!(network.when(host, 0, FlowEvent::Delivered).len(), 1, "host {host}");
        assert_eq!(network.when(host, 0, FlowEvent::Completed).len(), 1, "host {host}");
    }
    network
}

fn last_delivery(network: &Network) -> Instant {
    let told = network.reports.iter().filter(|told| told.happened == FlowEvent::Delivered);
    told.map(|told| told.at).max().unwrap()
}

/// Asserts that the run took no longer than the bottleneck link needs for all bytes that it carried, including headers
/// and trimmed packets, within 1 % and two round trips: the time until the pushed packets and the first pulled ones
/// arrive.
fn assert_link_was_full(network: &Network) {
    let needed = parameters().link.rate().time_of(network.ports[0].bytes_on_link);
    let trips = Duration::from_picoseconds(8 * DELAY.picoseconds());
    let taken = last_delivery(network).since(Instant::ZERO);
    let limit = Duration::from_picoseconds(needed.picoseconds() * 101 / 100) + trips;
    assert!(taken <= limit, "{taken:?} for what takes {needed:?}");
}

#[test]
fn an_incast_fills_the_link_if_no_header_is_lost() {
    let network = incast(100, 8, 1024, true);
    assert_link_was_full(&network);
    assert_eq!(network.ports[0].returned, 0);
    assert!(network.ports[0].trimmed > 0);
}

#[test]
fn an_incast_fills_the_link_if_headers_are_returned() {
    // With the same settings, htsim finishes none of these messages and reports nothing.
    let network = incast(100, 50, 150, true);
    assert!(network.ports[0].returned > 0);
    assert_eq!((1..=64).map(|host| network.counter(host, "timeouts")).sum::<u64>(), 0);
    assert_link_was_full(&network);
}

#[test]
fn an_incast_recovers_from_lost_headers_after_a_timeout() {
    let network = incast(100, 50, 150, false);
    assert!(network.ports[0].dropped > 0);
    // 0.8 ms without loss, a timeout of 1 ms, and time to request the lost pulls.
    assert!(last_delivery(&network) < Instant::from_microseconds(2500), "{}", last_delivery(&network));
}
