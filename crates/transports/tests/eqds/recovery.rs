//! Packets that are trimmed, returned, lost or duplicated.

use basis::{Duration, Instant};
use transports::FlowEvent;
use transports::eqds::EqdsParameters;
use wire::eqds::{flag, kind};

use crate::network::{DELAY, Fate, Seen, packets, trim, trim_carelessly, turn_back};
use crate::{hosts, one_message, parameters};

const TIMEOUT: Duration = Duration::from_microseconds(1000);

fn is_first_try(seen: &Seen) -> bool {
    seen.is_data() && !seen.has(flag::RETRANSMISSION)
}

#[test]
fn trimmed_packets_are_retransmitted_without_a_timeout() {
    for fate in [Fate::Change(trim), Fate::Change(trim_carelessly)] {
        let rule = |seen: &Seen| if is_first_try(seen) && seen.sequence % 3 == 1 { fate } else { Fate::Pass };
        let network = one_message(50, parameters(), rule);
        let trimmed = (0..50).filter(|sequence| sequence % 3 == 1).count();
        assert_eq!(network.count(|seen| seen.kind == kind::NACK), trimmed);
        assert_eq!(network.count(|seen| seen.is_data()), 50 + trimmed);
        assert_eq!((network.counter(0, "timeouts"), network.counter(0, "requests_sent")), (0, 0));
        assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    }
}

#[test]
fn a_completely_trimmed_message_needs_no_rts() {
    // Everything was sent without credit; the receiver knows from the headers what is missing.
    let network = one_message(5, parameters(), |seen| if is_first_try(seen) { Fate::Change(trim) } else { Fate::Pass });
    assert_eq!(network.counter(0, "requests_sent"), 0);
    assert_eq!(network.counter(0, "retransmissions"), 5);
    assert!(network.when(0, 0, FlowEvent::Delivered)[0] < Instant::from_microseconds(30));
}

#[test]
fn returned_packets_trigger_an_rts_if_no_credit_is_due() {
    let network =
        one_message(5, parameters(), |seen| if is_first_try(seen) { Fate::Change(turn_back) } else { Fate::Pass });
    // The first returned packet triggers an RTS, which requests credit for the packets that have been returned by then;
    // the data sent after it request credit for the others.
    assert!((1..=2).contains(&network.counter(0, "requests_sent")));
    assert_eq!(network.counter(0, "timeouts"), 0);
    assert_eq!(network.counter(0, "retransmissions"), 5);
    assert!(network.when(0, 0, FlowEvent::Delivered)[0] < Instant::from_microseconds(60));
}

#[test]
fn a_timeout_requests_credit_for_a_lost_packet() {
    let rule = |seen: &Seen| if is_first_try(seen) && seen.sequence == 7 { Fate::Drop } else { Fate::Pass };
    let network = one_message(8, parameters(), rule);
    let sent: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).collect();
    let rts: Vec<_> = network.seen.iter().filter(|seen| seen.kind == kind::RTS).collect();
    // The last packet would have requested an ACK, so nothing is known of the packets before it either, except the
    // first.
    assert_eq!(rts.len(), 1);
    // The round trip of the first packet was measured.
    assert!(rts[0].at > sent[1].at + DELAY.times(4) && rts[0].at < sent[1].at + DELAY.times(10), "{}", rts[0].at);
    // The answer to the RTS reports that they have arrived.
    assert_eq!((sent.len(), sent[8].sequence), (9, 7));
    assert!(sent[8].at < sent[0].at + DELAY.times(16), "{}", sent[8].at);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}

#[test]
fn an_rts_announces_a_message_that_was_lost_entirely() {
    let rule = |seen: &Seen| if seen.at < Instant::from_microseconds(900) { Fate::Drop } else { Fate::Pass };
    let network = one_message(20, parameters(), rule);
    assert_eq!(network.counter(0, "requests_sent"), 1);
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
    assert!(network.when(0, 0, FlowEvent::Completed)[0] < Instant::ZERO + TIMEOUT + DELAY.times(12));
}

#[test]
fn the_next_ack_makes_up_for_lost_ones() {
    let mut count = 0;
    let rule = |seen: &Seen| {
        count += u32::from(seen.kind == kind::ACK);
        if seen.kind == kind::ACK && !seen.has(flag::LAST) && count % 2 == 0 { Fate::Drop } else { Fate::Pass }
    };
    let network = one_message(300, parameters(), rule);
    assert_eq!(network.counter(0, "retransmissions"), 0);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}

#[test]
fn a_lost_final_ack_is_repeated() {
    let rule = |seen: &Seen| {
        let is_it = seen.kind == kind::ACK && seen.has(flag::LAST) && seen.at < Instant::from_microseconds(20);
        if is_it { Fate::Drop } else { Fate::Pass }
    };
    let network = one_message(5, parameters(), rule);
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    // The RTS is answered by an ACK for everything, so no packet is retransmitted.
    assert_eq!((network.counter(0, "requests_sent"), network.counter(0, "retransmissions")), (1, 0));
    assert_eq!(network.counter(1, "bytes_delivered"), packets(5));
}

#[test]
fn timeouts_double_to_a_limit_until_abandonment() {
    let parameters = EqdsParameters { attempts: 7, longest_timeout: TIMEOUT.times(16), ..parameters() };
    let network = one_message(1, parameters, |_| Fate::Drop);
    let sent: Vec<_> = network.seen.iter().map(|seen| seen.at.since(Instant::ZERO)).collect();
    assert_eq!(sent, [0, 1, 3, 7, 15, 31, 47, 63].map(|count| TIMEOUT.times(count)));
    assert_eq!(network.count(|seen| seen.kind == kind::RTS), 7);
    assert_eq!(network.when(0, 0, FlowEvent::Abandoned), [Instant::ZERO + TIMEOUT.times(79)]);
    assert_eq!(network.counter(0, "messages_abandoned"), 1);
}

#[test]
fn gives_up_if_data_never_arrive_despite_credit() {
    // Regression test: the credit for the packet was requested and granted each time, so that there was always an
    // answer and the message went on forever. This happens, for example, if the second of two packets that arrive
    // together always finds the ring of its host full.
    let rule = |seen: &Seen| if seen.is_data() && seen.sequence == 1 { Fate::Drop } else { Fate::Pass };
    let parameters = EqdsParameters { attempts: 7, ..parameters() };
    let network = one_message(2, parameters, rule);
    assert_eq!(network.when(0, 0, FlowEvent::Abandoned).len(), 1);
    assert_eq!(network.count(|seen| seen.is_data() && seen.sequence == 1), 8);
    assert!(network.count(|seen| seen.kind == kind::CREDIT) >= 7);
}

#[test]
fn packets_far_out_of_order_are_acknowledged() {
    // Every tenth packet is late by hundreds of others, and falls outside the bitmap of the ACK that is being gathered,
    // which is sent first.
    let late = |seen: &Seen| {
        let is_late = seen.is_data() && seen.sequence % 10 == 3;
        if is_late { Fate::Late(Duration::from_microseconds(40)) } else { Fate::Pass }
    };
    let parameters = EqdsParameters { first_window: 400, window: 400, ..parameters() };
    let network = one_message(1000, parameters, late);
    // Some of the first late packets are taken for lost, which lengthens the timeout.
    assert!(network.counter(0, "retransmissions") < 40, "{} again", network.counter(0, "retransmissions"));
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}

#[test]
fn abandoned_messages_are_forgotten() {
    // The first message is cut off after some of it has arrived; the next one reports that it has ended.
    let rule = |seen: &Seen| if seen.message == 0 && seen.at.microseconds() > 12 { Fate::Drop } else { Fate::Pass };
    let parameters = EqdsParameters { attempts: 2, ..parameters() };
    let mut network = hosts(2, parameters, &[(0, 0, 1, packets(60)), (20_000, 0, 1, packets(3))], rule);
    network.run();
    assert_eq!(network.when(0, 0, FlowEvent::Abandoned).len(), 1);
    assert_eq!(network.when(0, 1, FlowEvent::Completed).len(), 1);
    assert_eq!(network.counter(1, "messages_forgotten"), 1);
}

#[test]
fn an_overdrawn_sender_may_request_more_than_a_window() {
    // Regression test: a window of 4,500 bytes is three quanta here, and a sender that has overdrawn its credit by part
    // of a packet requests four. That used to be ignored, and such a sender repeated its request forever.
    let parameters = EqdsParameters { first_window: 1, window: 3, quantum: 1501, credit_bytes: 5000, ..parameters() };
    let network = one_message(40, parameters, |seen| {
        let is_lost = is_first_try(seen) && !seen.has(flag::SPECULATIVE) && seen.at.microseconds() < 900;
        if is_lost { Fate::Drop } else { Fate::Pass }
    });
    assert!(network.counter(0, "retransmissions") >= 3);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}
