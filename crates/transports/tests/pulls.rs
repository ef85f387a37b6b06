//! Pulls: their pace, their order and their numbers.

mod network;

use basis::{Duration, Instant};
use network::{DELAY, Fate, Network, Seen, packets, parameters, trim};
use transports::FlowEvent;
use transports::ndp::{NdpParameters, PullOrder};
use wire::ndp::{flag, kind};

fn pulls<'a>(network: &'a Network) -> Vec<&'a Seen> {
    network.seen.iter().filter(|seen| seen.kind == kind::PULL).collect()
}

/// Trims all pushed packets, so that pulls queue. A pull that is due when no other waits is carried by an answer.
fn trim_pushed(seen: &Seen) -> Fate {
    if seen.is_data() && seen.has(flag::SYN) { Fate::Change(trim) } else { Fate::Pass }
}

/// Two hosts send 90 packets each to host 0 at the same time, with priorities 0 and 3.
fn two_messages(order: PullOrder) -> Network<'static> {
    let sends = [((0, 1, 0, packets(90)), 0), ((0, 2, 0, packets(90)), 3)];
    let mut network =
        Network::new(3, NdpParameters { pull_order: order, first_window: 60, ..parameters() }, &sends, trim_pushed);
    network.run();
    network
}

#[test]
fn pulls_are_paced_at_one_per_full_packet() {
    let network = two_messages(PullOrder::Fair);
    let pulls = pulls(&network);
    let interval = parameters().link.time_of(1500);
    assert!(pulls.len() > 150);
    for pair in pulls.windows(2) {
        // A pull may wait for an answer that occupies the link; the next one then comes a little earlier.
        let wait = parameters().link.time_of(64);
        assert!(pair[1].at + wait >= pair[0].at + interval, "{} and {}", pair[0].at, pair[1].at);
    }
    // On the whole, there is one pull per interval.
    let (first, last) = (pulls[0], pulls[pulls.len() - 1]);
    assert!(last.at.since(first.at) >= interval.times(pulls.len() as u64 - 2));
}

#[test]
fn fair_pulls_alternate_between_messages() {
    let network = two_messages(PullOrder::Fair);
    let first: Vec<_> = pulls(&network).iter().take(12).map(|seen| seen.to).collect();
    for pair in first[1..].windows(2) {
        assert_ne!(pair[0], pair[1], "{first:?}");
    }
    let [one, two] = [1, 2].map(|host| network.when(host, 0, FlowEvent::Delivered)[0]);
    assert!(one.since(two).max(two.since(one)) < Duration::from_microseconds(1));
}

#[test]
fn urgent_messages_are_pulled_first() {
    let network = two_messages(PullOrder::Priority);
    let first: Vec<_> = pulls(&network).iter().skip(1).take(6).map(|seen| seen.to).collect();
    assert_eq!(first, [2; 6]);
    let [one, two] = [1, 2].map(|host| network.when(host, 0, FlowEvent::Delivered)[0]);
    assert!(two < one);
}

#[test]
fn the_next_pull_makes_up_for_a_lost_one() {
    let rule = |seen: &Seen| if seen.kind == kind::PULL && seen.pull % 2 == 1 { Fate::Drop } else { Fate::Pass };
    let mut network = Network::new(3, parameters(), &[((0, 1, 0, packets(40)), 0), ((0, 2, 0, packets(40)), 0)], rule);
    network.run();
    assert_eq!(network.counter(1, "timeouts"), 0);
    assert_eq!(network.when(1, 0, FlowEvent::Delivered).len(), 1);
}

#[test]
fn a_pull_that_overtakes_its_nack_is_remembered() {
    // Everything is trimmed once; the NACKs arrive long after the pulls.
    let rule = |seen: &Seen| match seen.kind {
        kind::DATA if seen.at < Instant::from_microseconds(5) => Fate::Change(trim),
        kind::NACK => Fate::Late(Duration::from_microseconds(100)),
        _ => Fate::Pass,
    };
    let network = Network::one_message(4, parameters(), rule);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    assert_eq!(network.counter(0, "timeouts"), 0);
    let again: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).skip(4).collect();
    assert_eq!(again.len(), 4);
    for seen in again {
        assert!(seen.at < Instant::from_microseconds(120), "{}", seen.at);
    }
}

#[test]
fn no_pulls_are_sent_after_the_last_packet() {
    let network = two_messages(PullOrder::Fair);
    for host in [1, 2] {
        let delivered = network.when(host, 0, FlowEvent::Delivered)[0];
        let late = network.count(|seen| seen.kind == kind::PULL && seen.to == host && seen.at > delivered);
        assert_eq!(late, 0);
    }
    // Each of the 180 packets had to be pulled, and another 120 pulls were earned by headers. While the last packets
    // are in flight, for a round trip of 10.3 us, some pulls are wasted, but not all 120.
    let pulls = network.counter(0, "pulls_sent") + network.counter(0, "pulls_carried");
    assert!((180..180 + 85).contains(&pulls), "{pulls}");
}

#[test]
fn a_nearly_complete_message_takes_no_slots_from_others() {
    let sends = [((0, 1, 0, packets(70)), 0), ((0, 2, 0, packets(400)), 0)];
    let mut network = Network::new(3, NdpParameters { first_window: 150, ..parameters() }, &sends, trim_pushed);
    network.run();
    // All 70 packets were trimmed, and each needs one pull; a NACK has carried the first one.
    assert_eq!(network.count(|seen| seen.kind == kind::PULL && seen.to == 1), 69);
    // If no slot is wasted, both messages together take the time of 470 packets and of the path in both directions.
    let needed = parameters().link.time_of(1500).times(470);
    let last = network.when(2, 0, FlowEvent::Delivered)[0];
    assert!(last <= Instant::ZERO + needed + DELAY.times(4), "{last}");
}

#[test]
fn a_sender_recovers_if_the_last_pulls_are_lost() {
    // The header of the only packet has arrived, and the pull for it is lost: nothing is in flight, and only a timeout
    // can resume the message. The other message keeps the pacer busy, so that the pull is a packet of its own.
    let rule = |seen: &Seen| if seen.kind == kind::PULL { Fate::Drop } else { trim_pushed(seen) };
    let mut network = Network::new(3, parameters(), &[((0, 1, 0, packets(1)), 0), ((0, 2, 0, packets(1)), 0)], rule);
    network.run();
    assert_eq!(pulls(&network).len(), 1);
    let data: Vec<_> = network.seen.iter().filter(|seen| seen.is_data() && seen.from == 2).collect();
    assert_eq!(data.len(), 2);
    let nack = data[0].at + parameters().link.time_of(1500) + DELAY + parameters().link.time_of(64) + DELAY;
    assert!(data[1].at.since(nack + Duration::from_microseconds(1000)) < Duration::from_nanoseconds(100));
    assert_eq!(network.counter(2, "timeouts"), 1);
    assert_eq!(network.when(2, 0, FlowEvent::Completed).len(), 1);
}
