//! Duplicates are never delivered, and the memory that this takes is released.

mod network;

use basis::Duration;
use network::{Fate, Network, Seen, packets, parameters};
use transports::FlowEvent;
use transports::ndp::NdpParameters;
use wire::ndp::{flag, kind};

#[test]
fn late_copies_of_every_packet_have_no_effect() {
    // The copies arrive 3 ms later, when other messages have begun and ended and the sender has finished this one.
    let sends: Vec<_> = (0..6).map(|index| ((index * 1000, 0, 1, packets(12)), 0)).collect();
    let rule = |_: &Seen| Fate::Twice(Duration::from_microseconds(3000));
    let mut network = Network::new(2, parameters(), &sends, rule);
    network.run();
    for message in 0..6 {
        assert_eq!(network.when(0, message, FlowEvent::Delivered).len(), 1);
        assert_eq!(network.when(0, message, FlowEvent::Completed).len(), 1);
    }
    assert_eq!(network.counter(1, "duplicates_received"), 6 * 12);
    // Each copy is acknowledged, because the first answer may have been lost.
    assert_eq!(network.counter(1, "acks_sent"), 6 * 24);
    assert_eq!(network.counter(1, "bytes_delivered"), 6 * packets(12));
}

#[test]
fn answers_to_finished_messages_have_no_effect() {
    let rule = |seen: &Seen| match seen.kind {
        kind::DATA => Fate::Pass,
        _ => Fate::Twice(Duration::from_microseconds(500)),
    };
    let network = Network::one_message(10, parameters(), rule);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    assert!(network.counter(0, "late_answers_received") > 0);
    assert_eq!(network.count(|seen| seen.is_data() && seen.has(flag::RETRANSMISSION)), 0);
}

#[test]
fn abandoned_messages_are_forgotten_when_the_next_arrives() {
    // Only one packet of the first message ever arrives; the second message is not harmed.
    let rule = |seen: &Seen| match seen.kind {
        _ if seen.message == 1 => Fate::Pass,
        kind::DATA if seen.sequence == 3 => Fate::Pass,
        _ => Fate::Drop,
    };
    let parameters = NdpParameters { attempts: 3, ..parameters() };
    let sends = [((0, 0, 1, packets(8)), 0), ((100_000, 0, 1, packets(8)), 0)];
    let mut network = Network::new(2, parameters, &sends, rule);
    network.run();
    assert_eq!(network.when(0, 0, FlowEvent::Abandoned).len(), 1);
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 0);
    assert_eq!(network.when(0, 1, FlowEvent::Delivered).len(), 1);
    assert_eq!(network.counter(1, "messages_forgotten"), 1);
}
