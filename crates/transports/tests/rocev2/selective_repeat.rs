//! Selective repeat, as in IRN.

use basis::Instant;
use transports::rocev2::{Recovery, RoceV2Parameters};

use crate::network::{Fate, Network, PAYLOAD, Seen, microseconds, parameters};

fn selective() -> RoceV2Parameters {
    parameters(Recovery::SelectiveRepeat)
}

#[test]
fn only_missing_packets_are_retransmitted() {
    let rule =
        |seen: &Seen| if [5, 6, 9].into_iter().any(|lost| seen.is_first(lost)) { Fate::Drop } else { Fate::Pass };
    let network = Network::one_message(40, selective(), rule);
    assert!(network.is_completed());
    let again: Vec<_> =
        network.filter(|seen| seen.is_data() && seen.copies > 0).iter().map(|seen| seen.number).collect();
    assert_eq!(again, [5, 6, 9]);
    assert_eq!(network.counter(0, "timeouts"), 0);
    assert_eq!(network.counter(1, "duplicates_received"), 0);
    assert_eq!(network.counter(1, "bytes_delivered"), 40 * PAYLOAD);
    // There is a sequence error for each packet that arrived out of order.
    assert_eq!(network.counter(1, "naks_sent"), network.counter(1, "out_of_order_received"));
}

#[test]
fn the_last_packets_wait_for_the_short_timer() {
    let network = Network::one_message(10, selective(), |seen| if seen.is_first(9) { Fate::Drop } else { Fate::Pass });
    assert!(network.is_completed());
    let again = network.filter(|seen| seen.is_data() && seen.copies > 0);
    let heard = network.filter(|seen| seen.is_ack() && seen.number == 8)[0].at;
    let waited = again[0].at.since(heard);
    // The last acknowledgement takes just over 5 us, and then only one packet is in flight.
    assert!(waited > microseconds(105) && waited < microseconds(106), "{waited:?}");
}

#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    let rule =
        |seen: &Seen| if seen.is_data() && seen.number == 5 && seen.copies < 2 { Fate::Drop } else { Fate::Pass };
    let network = Network::one_message(40, selective(), rule);
    assert!(network.is_completed());
    assert_eq!(network.counter(0, "timeouts"), 1);
    assert_eq!(network.counter(0, "retransmissions"), 2);
}

#[test]
fn a_lost_window_is_retransmitted_after_one_timeout() {
    let early = Instant::from_microseconds(100);
    let rule = |seen: &Seen| if seen.is_data() && seen.at < early { Fate::Drop } else { Fate::Pass };
    let network = Network::one_message(20, selective(), rule);
    assert!(network.is_completed());
    assert_eq!(network.counter(0, "timeouts"), 1);
    assert_eq!(network.counter(0, "retransmissions"), 20);
}

#[test]
fn messages_that_end_early_are_delivered_in_order() {
    let sends = [(0, 0, 1, 2 * PAYLOAD, 7), (0, 0, 1, PAYLOAD, 7), (0, 0, 1, 100, 7)];
    let mut network =
        Network::new(
            2,
            selective(),
            &sends,
            |seen| {
                if seen.is_first(0) { Fate::Late(microseconds(20)) } else { Fate::Pass }
            },
        );
    network.run();
    let delivered: Vec<_> =
        network.reports.iter().filter(|told| told.happened == transports::FlowEvent::Delivered).collect();
    assert_eq!(delivered.iter().map(|told| told.message).collect::<Vec<_>>(), [0, 1, 2]);
    // All are delivered when the first packet arrives.
    assert_eq!(delivered[0].at, delivered[2].at);
    assert_eq!(network.counter(1, "bytes_delivered"), 3 * PAYLOAD + 100);
}

#[test]
fn losses_during_a_recovery_begin_the_next() {
    // Packet 5 starts a recovery. Packet 40 is sent during it and lost, and everything that shows this arrives before
    // the retransmission of 5.
    let rule = |seen: &Seen| match () {
        () if seen.is_first(5) => Fate::Drop,
        () if seen.is_data() && seen.number == 5 => Fate::Late(microseconds(60)),
        () if seen.is_first(40) => Fate::Drop,
        () => Fate::Pass,
    };
    let network = Network::one_message(80, selective(), rule);
    assert!(network.is_completed());
    assert_eq!(network.counter(0, "timeouts"), 0);
    assert_eq!(network.counter(0, "retransmissions"), 2);
}
