//! Delayed acknowledgements (RFC 1122, section 4.2.3.2; RFC 5681, section 4.2).

use transports::tcp::TcpParameters;

use crate::network::{DELAY, Fate, Network, SEGMENT, Seen, microseconds, parameters};

#[test]
fn every_second_segment_is_acknowledged() {
    let network = Network::one_message(100, parameters(), |_| Fate::Pass);
    let edges = network.filter(|seen| seen.from == 1 && seen.is_plain_ack());
    assert!(edges.len() >= 49 && edges.len() < 56, "{}", edges.len());
    let each = TcpParameters { segments_per_ack: 1, ..parameters() };
    let network = Network::one_message(100, each, |_| Fate::Pass);
    assert_eq!(network.filter(|seen| seen.from == 1 && seen.is_plain_ack()).len(), 99);
}

#[test]
fn a_single_segment_is_acknowledged_by_the_timer() {
    let parameters = TcpParameters { initial_window: 1, ..parameters() };
    let network = Network::one_message(2, parameters, |_| Fate::Pass);
    assert_eq!(network.counter(1, "delayed_acks_sent"), 1);
    let data = network.filter(Seen::is_data);
    let apart = data[1].at.since(data[0].at);
    assert!(apart > microseconds(600) && apart < microseconds(605), "{apart:?}");
    assert_eq!(network.counter(0, "timeouts"), 0);
}

#[test]
fn out_of_order_segments_are_acknowledged_at_once() {
    let late = |seen: &Seen| if seen.is_first(4) { Fate::Late(microseconds(30)) } else { Fate::Pass };
    let network = Network::one_message(7, parameters(), late);
    let place = |number: u64| 1 + (number * SEGMENT) as u32;
    let edges: Vec<_> = network.filter(|seen| seen.from == 1).iter().map(|seen| seen.acknowledgement).collect();
    // The SYN; segments 0 and 1, 2 and 3; then 5 and 6, which are out of order; then everything, including the FIN.
    assert_eq!(edges, [1, place(2), place(4), place(4), place(4), place(7) + 1]);
    assert_eq!(network.counter(0, "duplicate_acks"), 2);
}

#[test]
fn acknowledgements_precede_data() {
    let network = Network::new(2, parameters(), &[(0, 0, 1, 400 * SEGMENT), (0, 1, 0, 400 * SEGMENT)], |_| Fate::Pass);
    let mut network = network;
    network.run();
    // Both directions are full; an acknowledgement waits for at most one data segment.
    let data = network.filter(|seen| seen.is_first(200))[0];
    let edge = data.sequence + SEGMENT as u32;
    let ack = network.filter(|seen| seen.from != data.from && seen.is_plain_ack() && seen.acknowledgement >= edge)[0];
    assert!(ack.at.since(data.at) < DELAY + microseconds(5));
}
