//! Go-back-N: packets are accepted in order only, and the sender restarts from the first missing one.

use basis::Instant;
use transports::rocev2::{Recovery, RoceV2Parameters};
use wire::PriorityPause;

use crate::network::{Fate, Network, PAYLOAD, Seen, microseconds, parameters};

fn go_back_n() -> RoceV2Parameters {
    parameters(Recovery::GoBackN)
}

#[test]
fn messages_are_acknowledged_where_requested() {
    let network = Network::one_message(40, go_back_n(), |_| Fate::Pass);
    assert!(network.is_completed());
    assert_eq!(network.sent(), (0..40).collect::<Vec<_>>());
    let asking: Vec<_> = network.filter(|seen| seen.is_data() && seen.asks).iter().map(|seen| seen.number).collect();
    assert_eq!(asking, [15, 31, 39]);
    let acknowledged: Vec<_> = network.filter(Seen::is_ack).iter().map(|seen| seen.number).collect();
    assert_eq!(acknowledged, [15, 31, 39]);
    // A middle packet occupies the link for 1024 + 58 + 24 bytes of 800 ps each.
    assert_eq!(network.seen[2].at.since(network.seen[1].at).picoseconds(), (1024 + 58 + 24) * 800);
    assert_eq!(network.counter(1, "bytes_delivered"), 40 * PAYLOAD);
}

#[test]
fn a_gap_is_reported_once_and_restarts_the_sender() {
    let network = Network::one_message(30, go_back_n(), |seen| if seen.is_first(5) { Fate::Drop } else { Fate::Pass });
    assert!(network.is_completed());
    let errors = network.filter(|seen| seen.is_error);
    assert_eq!(errors.iter().map(|seen| seen.number).collect::<Vec<_>>(), [5]);
    // Packets after the gap were discarded: packets 6 to the last one that left before the error arrived.
    let sent = network.sent();
    let back = sent.iter().rposition(|&number| number == 5).expect("sent again");
    assert_eq!(sent[..back], (0..back as u32).collect::<Vec<_>>()[..]);
    assert_eq!(sent[back..], (5..30).collect::<Vec<_>>()[..]);
    assert!(back > 7);
    assert_eq!(network.counter(1, "out_of_order_received"), back as u64 - 6);
    assert_eq!(network.counter(0, "retransmissions"), back as u64 - 5);
    assert_eq!(network.counter(0, "timeouts"), 0);
}

#[test]
fn loss_of_the_last_packet_or_ack_waits_for_the_timer() {
    let timeout = go_back_n().timeout;
    for drops_data in [true, false] {
        let rule = move |seen: &Seen| {
            let is_lost =
                if drops_data { seen.is_first(9) } else { seen.is_ack() && seen.at < Instant::from_microseconds(100) };
            if is_lost { Fate::Drop } else { Fate::Pass }
        };
        let network = Network::one_message(10, go_back_n(), rule);
        assert!(network.is_completed());
        assert_eq!(network.counter(0, "timeouts"), 1);
        let again = network.filter(|seen| seen.is_data() && seen.copies > 0);
        // The timer started with the first packet, because none was acknowledged since.
        assert_eq!(again[0].at, Instant::ZERO + timeout);
        assert_eq!(again.len(), 10);
        // Duplicates are acknowledged, but not delivered again.
        assert_eq!(network.counter(1, "duplicates_received"), if drops_data { 9 } else { 10 });
    }
}

#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    let rule =
        |seen: &Seen| if seen.is_data() && seen.number == 5 && seen.copies < 2 { Fate::Drop } else { Fate::Pass };
    let network = Network::one_message(30, go_back_n(), rule);
    assert!(network.is_completed());
    // The receiver has reported packet 5 and sends nothing until it arrives, so only the timer helps.
    assert_eq!(network.filter(|seen| seen.is_error).len(), 1);
    assert_eq!(network.counter(0, "timeouts"), 1);
}

#[test]
fn messages_of_a_queue_pair_are_sent_in_order() {
    let sends =
        [(0, 0, 1, 3 * PAYLOAD, 7), (0, 0, 1, 2 * PAYLOAD, 7), (0, 0, 1, 2 * PAYLOAD, 8), (0, 1, 0, PAYLOAD, 7)];
    let mut network = Network::new(2, go_back_n(), &sends, |_| Fate::Pass);
    network.run();
    let sent: Vec<_> = network
        .filter(|seen| seen.is_data() && seen.from == 0)
        .iter()
        .map(|seen| (seen.queue_pair, seen.number))
        .collect();
    assert_eq!(sent, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (0, 3), (0, 4)]);
    assert_eq!(network.counter(0, "messages_completed"), 3);
    assert_eq!(network.counter(1, "messages_completed"), 1);
}

#[test]
fn the_window_limits_unacknowledged_packets() {
    let narrow = RoceV2Parameters { window: 4, ..go_back_n() };
    let network = Network::one_message(12, narrow, |_| Fate::Pass);
    assert!(network.is_completed());
    let asking: Vec<_> = network.filter(|seen| seen.is_data() && seen.asks).iter().map(|seen| seen.number).collect();
    // A packet that fills the window requests an acknowledgement, or the sender would wait forever.
    assert_eq!(asking, [3, 7, 11]);
    let fifth = network.filter(|seen| seen.is_first(4))[0].at;
    assert!(fifth > Instant::ZERO + microseconds(10));
}

#[test]
fn waiting_acknowledgements_are_merged() {
    let chatty = RoceV2Parameters { packets_per_ack: 1, ..go_back_n() };
    let mut network = Network::new(2, chatty, &[(0, 0, 1, 40 * PAYLOAD, 7)], |_| Fate::Pass);
    // Everything arrives while the receiver is paused, for 3.36 ms.
    let mut pause = [None; 8];
    pause[0] = Some(u16::MAX);
    network.inject(Instant::ZERO, 1, PriorityPause::frame([2, 0, 0, 0, 0, 9], pause));
    network.run();
    let acknowledged: Vec<_> = network.filter(Seen::is_ack).iter().map(|seen| seen.number).collect();
    assert_eq!(acknowledged, [39]);
    assert!(network.is_completed());
}

#[test]
fn long_messages_are_split_into_several_writes() {
    let short = RoceV2Parameters { longest_write: 4 * PAYLOAD as u32, ..go_back_n() };
    let network = Network::one_message(10, short, |_| Fate::Pass);
    let codes: Vec<_> = network.filter(Seen::is_data).iter().map(|seen| seen.opcode).collect();
    assert_eq!(codes, [6, 7, 7, 8, 6, 7, 7, 8, 6, 9]);
    assert!(network.is_completed());
    assert_eq!(network.counter(1, "bytes_delivered"), 10 * PAYLOAD);
}
