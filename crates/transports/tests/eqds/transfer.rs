//! A message in a network without loss.

use basis::{Duration, Instant};
use transports::FlowEvent;
use transports::eqds::EqdsParameters;
use wire::eqds::{flag, kind};

use crate::network::{DELAY, Fate, packets};
use crate::{credits, header, hosts, one_message, parameters};

#[test]
fn a_message_is_delivered_and_completed_once() {
    let network = one_message(100, parameters(), |_| Fate::Pass);
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    assert_eq!(network.count(|seen| seen.is_data()), 100);
    assert_eq!(network.count(|seen| matches!(seen.kind, kind::NACK | kind::RTS)), 0);
    assert_eq!(network.counter(1, "bytes_delivered"), packets(100));
    assert_eq!(network.counter(0, "timeouts"), 0);
    assert!(network.discarded.is_empty());
    // The run ends without waiting for a timer.
    assert!(network.now < Instant::from_microseconds(1000));
}

#[test]
fn only_the_first_window_is_sent_without_credit() {
    let network = one_message(100, parameters(), |_| Fate::Pass);
    let data: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).collect();
    let time = parameters().link.time_of(1500);
    for (index, seen) in data.iter().enumerate() {
        assert_eq!(seen.has(flag::SPECULATIVE), index < 8, "{index}");
        if index < 8 {
            assert_eq!(seen.at, Instant::ZERO + time.times(index as u64));
        }
    }
    // The ninth packet waits for credit, which takes a round trip.
    assert!(data[8].at >= Instant::ZERO + DELAY + DELAY);
}

#[test]
fn without_a_first_window_a_message_begins_with_an_rts() {
    let network = one_message(20, EqdsParameters { first_window: 0, ..parameters() }, |_| Fate::Pass);
    assert_eq!((network.seen[0].kind, network.seen[0].at), (kind::RTS, Instant::ZERO));
    assert_eq!(network.count(|seen| seen.kind == kind::RTS), 1);
    assert_eq!(network.count(|seen| seen.is_data()), 20);
    assert_eq!(network.count(|seen| seen.is_data() && seen.has(flag::SPECULATIVE)), 0);
    assert_eq!(network.counter(0, "timeouts"), 0);
}

#[test]
fn a_long_message_fills_the_link_up_to_control_packets() {
    // The window covers the round-trip delay and the interval between two CREDITs.
    let parameters = EqdsParameters { first_window: 100, window: 120, ..parameters() };
    let network = one_message(4000, parameters, |_| Fate::Pass);
    let taken = network.when(0, 0, FlowEvent::Delivered)[0].since(Instant::ZERO + DELAY);
    // For each CREDIT of 6 KiB there are two control packets of 88 bytes on the link: 2.8 %.
    let least = parameters.link.time_of(1500).times(4000);
    let most = Duration::from_picoseconds(least.picoseconds() / 1000 * 1030);
    assert!(least <= taken && taken <= most, "{taken:?} is not between {least:?} and {most:?}");
    assert_eq!(network.counter(1, "duplicates_received") + network.counter(0, "requests_sent"), 0);
}

#[test]
fn acks_are_few_and_cover_every_packet() {
    let network = one_message(400, EqdsParameters { first_window: 100, window: 120, ..parameters() }, |_| Fate::Pass);
    let acks: Vec<_> = network.seen.iter().filter(|seen| seen.kind == kind::ACK).collect();
    // There is an ACK whenever credit is used up, every 6 KiB, or else every 16 KiB.
    assert!(acks.len() < 400 / 3, "{}", acks.len());
    let numbers: Vec<_> = acks.iter().map(|ack| header(ack).cumulative()).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(numbers.last(), Some(&400));
}

#[test]
fn a_short_message_needs_no_credit() {
    let network = one_message(5, parameters(), |_| Fate::Pass);
    assert_eq!((credits(&network).len(), network.count(|seen| seen.kind == kind::RTS)), (0, 0));
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}

#[test]
fn messages_of_a_host_take_turns() {
    let network = {
        let sends = [(0, 0, 1, packets(8)), (0, 0, 2, packets(8))];
        let mut network = hosts(3, parameters(), &sends, |_| Fate::Pass);
        network.run();
        network
    };
    let to: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).map(|seen| seen.to).collect();
    assert_eq!(to, [1, 2].repeat(8));
}
