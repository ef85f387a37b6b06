//! A message in a network without loss.

mod network;

use basis::Instant;
use network::{DELAY, Fate, Network, packets, parameters};
use transports::FlowEvent;
use wire::ndp::{flag, kind};

#[test]
fn a_message_is_delivered_and_completed_once() {
    let network = Network::one_message(20, parameters(), |_| Fate::Pass);
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    assert_eq!(network.count(|seen| seen.is_data()), 20);
    assert_eq!(network.count(|seen| seen.kind == kind::ACK), 20);
    assert_eq!(network.count(|seen| seen.kind == kind::NACK), 0);
    assert_eq!(network.counter(1, "bytes_delivered"), packets(20));
    assert!(network.discarded.is_empty());
    // The run ends without waiting for a timer.
    assert!(network.now < Instant::from_microseconds(1000));
}

#[test]
fn the_first_window_is_pushed_at_line_rate_with_syn() {
    let network = Network::one_message(20, parameters(), |_| Fate::Pass);
    let data: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).collect();
    let time = parameters().link.time_of(1500);
    for (index, seen) in data.iter().enumerate() {
        assert_eq!(seen.has(flag::SYN), index < 8);
        assert_eq!(seen.has(flag::LAST), index == 19);
        if index < 8 {
            assert_eq!(seen.at, Instant::ZERO + time.times(index as u64));
        }
    }
    // Nothing else is sent until the first answer has arrived.
    assert!(data[8].at >= Instant::ZERO + time + DELAY + DELAY);
}

#[test]
fn the_last_packet_is_only_as_long_as_needed() {
    let sends = [((0, 0, 1, packets(2) + 1), 0)];
    let mut network = Network::new(2, parameters(), &sends, |_| Fate::Pass);
    network.run();
    let lengths: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).map(|seen| seen.bytes).collect();
    assert_eq!(lengths, [1500, 1500, 65]);
    assert_eq!(network.counter(1, "bytes_delivered"), packets(2) + 1);
}
