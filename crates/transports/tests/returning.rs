//! The handling of packets that a switch returns.

mod network;

use basis::{Duration, Instant};
use network::{DELAY, Fate, Network, Seen, parameters, trim, turn_back};
use transports::FlowEvent;
use transports::ndp::NdpParameters;
use wire::ndp::{flag, kind};

#[test]
fn a_lone_returned_packet_is_retransmitted_at_once() {
    let rule = |seen: &Seen| if seen.has(flag::RETRANSMISSION) { Fate::Pass } else { Fate::Change(turn_back) };
    let network = Network::one_message(1, NdpParameters { paths: 4, ..parameters() }, |seen| {
        if seen.is_data() { rule(seen) } else { Fate::Pass }
    });
    let data: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).collect();
    assert_eq!(data.len(), 2);
    let back = Instant::ZERO + parameters().link.time_of(1500) + DELAY;
    assert_eq!(data[1].at, back);
    assert_ne!(data[0].path, data[1].path);
    assert!(data[1].has(flag::SYN), "the receiver does not know the message");
    assert_eq!(network.counter(0, "timeouts"), 0);
    assert_eq!(network.counter(0, "returned_received"), 1);
}

#[test]
fn of_many_returned_packets_only_one_is_sent_at_once() {
    let rule = |seen: &Seen| {
        let is_first = seen.is_data() && !seen.has(flag::RETRANSMISSION);
        if is_first { Fate::Change(turn_back) } else { Fate::Pass }
    };
    let network = Network::one_message(8, parameters(), rule);
    let again: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).skip(8).collect();
    assert_eq!(again.len(), 8);
    // One packet probes; the answer to each allows two more, as long as there are any.
    let round_trip = DELAY + DELAY;
    let rounds = again.iter().map(|seen| seen.at.since(again[0].at).picoseconds() / round_trip.picoseconds());
    let rounds: Vec<_> = rounds.collect();
    assert_eq!(rounds[0], 0);
    assert!(rounds[1] >= 1, "{rounds:?}");
    assert!(rounds[7] <= 4, "{rounds:?}");
    assert_eq!(network.counter(0, "timeouts"), 0);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}

#[test]
fn a_returned_packet_waits_for_an_expected_pull() {
    // Packet 7 is returned; the others are trimmed, so that the receiver is busy.
    let rule = |seen: &Seen| match seen.kind {
        kind::DATA if seen.has(flag::RETRANSMISSION) => Fate::Pass,
        kind::DATA if seen.sequence == 7 => Fate::Change(turn_back),
        kind::DATA => Fate::Change(trim),
        _ => Fate::Pass,
    };
    let network = Network::one_message(8, parameters(), rule);
    let back = network.seen[7].at + parameters().link.time_of(1500) + DELAY;
    let again: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).skip(8).collect();
    assert!(again.iter().all(|seen| seen.at > back + Duration::from_nanoseconds(100)));
    assert_eq!(again.len(), 8);
    // The packet's credit was lost with it, and the first pulled packet requests it again.
    assert_eq!(again.iter().filter(|seen| seen.has(flag::MORE)).count(), 1);
    assert_eq!(network.counter(0, "timeouts"), 0);
}

#[test]
fn a_packet_returned_on_a_bad_path_is_sent_at_once() {
    let rule = |seen: &Seen| {
        let is_it = seen.is_data() && seen.sequence == 30 && !seen.has(flag::RETRANSMISSION);
        if is_it { Fate::Change(turn_back) } else { Fate::Pass }
    };
    let network = Network::one_message(60, NdpParameters { paths: 4, ..parameters() }, rule);
    let sent: Vec<_> = network.seen.iter().filter(|seen| seen.is_data() && seen.sequence == 30).collect();
    assert_eq!(sent.len(), 2);
    let back = sent[0].at + parameters().link.time_of(1500) + DELAY;
    assert!(sent[1].at.since(back) < parameters().link.time_of(1500));
    assert_ne!(sent[0].path, sent[1].path);
    assert_eq!(network.count(|seen| seen.is_data() && seen.has(flag::MORE)), 0);
}

#[test]
fn returned_control_packets_are_harmless() {
    let rule =
        |seen: &Seen| if seen.kind == kind::PULL && seen.pull == 3 { Fate::Change(turn_back) } else { Fate::Pass };
    let network = Network::one_message(30, parameters(), rule);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    assert!(network.discarded.is_empty());
}
