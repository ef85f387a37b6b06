//! Queue pairs that fail, and packets that are refused.

use basis::Instant;
use node::Reason;
use transports::FlowEvent;
use transports::reasons;
use transports::rocev2::{Recovery, RoceV2Parameters};
use wire::{Packet, Tail};

use crate::network::{Fate, Network, PAYLOAD, Seen, parameters};

#[test]
fn a_silent_peer_fails_the_queue_pair_after_all_retries() {
    for recovery in [Recovery::GoBackN, Recovery::SelectiveRepeat] {
        let parameters = RoceV2Parameters { retries: 2, ..parameters(recovery) };
        let mut network = Network::new(2, parameters, &[(0, 0, 1, 300, 7), (0, 0, 1, 5 * PAYLOAD, 7)], |_| Fate::Drop);
        network.run();
        // Both messages were in the send queue, and are flushed.
        for message in 0..2 {
            // Six packets are too many for the short timeout.
            assert_eq!(network.when(0, message, FlowEvent::Abandoned), [Instant::ZERO + parameters.timeout.times(3)]);
        }
        assert_eq!(network.counter(0, "queue_pairs_failed"), 1);
        assert_eq!(network.counter(0, "timeouts"), 3);
        assert_eq!(network.sent().iter().filter(|&&number| number == 0).count(), 3);
    }
}

#[test]
fn a_failed_queue_pair_is_replaced() {
    let parameters = RoceV2Parameters { retries: 0, ..parameters(Recovery::GoBackN) };
    let sends = [(0, 0, 1, PAYLOAD, 7), (10_000, 0, 1, PAYLOAD, 7)];
    let early = Instant::from_microseconds(10_000);
    // The packet of the first queue pair arrives, but the answer is lost.
    let rule = |seen: &Seen| if !seen.is_data() && seen.at < early { Fate::Drop } else { Fate::Pass };
    let mut network = Network::new(2, parameters, &sends, rule);
    network.run();
    let pairs: Vec<_> = network.filter(Seen::is_data).iter().map(|seen| (seen.queue_pair, seen.number)).collect();
    assert_eq!(pairs, [(0, 0), (1, 0)]);
    // An abandoned message may have arrived.
    assert_eq!(network.when(0, 0, FlowEvent::Abandoned).len(), 1);
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
    assert_eq!(network.when(0, 1, FlowEvent::Completed).len(), 1);
}

#[test]
fn progress_resets_the_retries() {
    // Packet n is lost n + 1 times, so that each retry delivers one more packet.
    let rule =
        |seen: &Seen| if seen.is_data() && seen.copies <= seen.number as usize { Fate::Drop } else { Fate::Pass };
    let parameters = RoceV2Parameters { retries: 3, ..parameters(Recovery::GoBackN) };
    let network = Network::one_message(10, parameters, rule);
    assert!(network.is_completed());
    // In total there are more than three.
    assert_eq!(network.counter(0, "timeouts") + network.counter(0, "naks_received"), 10);
}

/// Injects changed copies of packets, and returns the reasons for which they are discarded.
fn given(change: impl Fn(&mut Packet)) -> Vec<Reason> {
    let mut network = Network::one_message(3, parameters(Recovery::GoBackN), |_| Fate::Pass);
    for seen in [0, 1, 2, 3] {
        let (to, mut packet) = (network.seen[seen].to, network.seen[seen].packet.clone());
        change(&mut packet);
        network.inject(network.now, to, packet);
    }
    network.run();
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
    network.discarded.iter().map(|&(_, reason)| reason).collect()
}

#[test]
fn changed_packets_are_refused() {
    assert_eq!(given(|_| ()), []);
    let malformed = [Reason::MALFORMED; 4];
    // Trimming does not change an acknowledgement.
    assert_eq!(given(|packet| packet.tail = Tail::Length(0)), malformed[..3]);
    assert_eq!(given(|packet| packet.truncate(packet.len() - 4)), malformed);
    // Another port belongs to another protocol.
    assert_eq!(given(|packet| packet.head.bytes_mut()[37] ^= 1), [reasons::UNEXPECTED; 4]);
    // A read is an unsupported operation.
    assert_eq!(given(|packet| packet.head.bytes_mut()[42] = 12), malformed);
    // Every bit of an acknowledgement is protected, except those that switches may change.
    let of_ack = |place: usize| {
        given(move |packet| {
            if packet.tail.is_empty() {
                packet.head.bytes_mut()[place] ^= 1
            }
        })
    };
    for place in [43, 47, 53, 54, 57, 61] {
        assert_eq!(of_ack(place), [Reason::MALFORMED], "byte {place}");
    }
    assert_eq!(of_ack(46), []);
}

#[test]
fn answers_for_unknown_queue_pairs_are_unexpected() {
    // Host 2 receives an acknowledgement, although it has sent nothing.
    let mut network =
        Network::new(3, parameters(Recovery::GoBackN), &[(0, 0, 1, 10, 7), (0, 2, 1, 10, 7)], |_| Fate::Pass);
    network.run();
    let ack = network.filter(|seen| seen.is_ack() && seen.to == 2)[0].packet.clone();
    let mut stranger = Network::new(3, parameters(Recovery::GoBackN), &[], |_| Fate::Pass);
    stranger.inject(Instant::ZERO, 2, ack);
    stranger.run();
    assert_eq!(stranger.discarded, [(Instant::ZERO, reasons::UNEXPECTED)]);
}
