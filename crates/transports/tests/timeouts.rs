//! NDP's retransmission timeout, which is only a last resort.

mod network;

use basis::{Duration, Instant};
use network::{DELAY, Fate, Network, Seen, packets, parameters, trim};
use transports::FlowEvent;
use transports::ndp::NdpParameters;
use wire::ndp::{flag, kind};

const TIMEOUT: Duration = Duration::from_microseconds(1000);

#[test]
fn a_lost_packet_is_retransmitted_after_a_timeout() {
    let rule = |seen: &Seen| {
        let is_it = seen.is_data() && seen.sequence == 2 && !seen.has(flag::RETRANSMISSION);
        if is_it { Fate::Drop } else { Fate::Pass }
    };
    let network = Network::one_message(20, parameters(), rule);
    let sent: Vec<_> = network.seen.iter().filter(|seen| seen.is_data() && seen.sequence == 2).collect();
    assert_eq!(sent.len(), 2);
    // The round trip has been measured by then.
    assert!(sent[1].at > sent[0].at + DELAY.times(4) && sent[1].at < sent[0].at + DELAY.times(10), "{}", sent[1].at);
    assert_eq!((network.counter(0, "timeouts"), network.counter(0, "retransmissions")), (1, 1));
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}

#[test]
fn a_lost_ack_causes_a_retransmission_but_no_duplicate() {
    const LOST_UNTIL: Instant = Instant::from_microseconds(20);
    // The last ACK reports that everything has arrived; until it is repeated, the sender does not know.
    let rule = |seen: &Seen| {
        let is_it = seen.kind == kind::ACK && seen.sequence == 4 && seen.at < LOST_UNTIL;
        if is_it { Fate::Drop } else { Fate::Pass }
    };
    let network = Network::one_message(5, parameters(), rule);
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
    let completed = network.when(0, 0, FlowEvent::Completed);
    assert_eq!(completed.len(), 1);
    assert!(completed[0] > LOST_UNTIL && completed[0] < Instant::ZERO + TIMEOUT);
    assert_eq!(network.counter(1, "duplicates_received"), 1);
    assert_eq!(network.counter(1, "bytes_delivered"), packets(5));
}

#[test]
fn the_final_ack_replaces_all_lost_ones() {
    let rule = |seen: &Seen| if seen.kind == kind::ACK && !seen.has(flag::LAST) { Fate::Drop } else { Fate::Pass };
    let network = Network::one_message(8, parameters(), rule);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    assert_eq!(network.counter(0, "timeouts"), 0);
}

#[test]
fn timeouts_double_to_a_limit_until_abandonment() {
    let parameters = NdpParameters { attempts: 7, longest_timeout: TIMEOUT.times(16), ..parameters() };
    let network = Network::one_message(1, parameters, |_| Fate::Drop);
    let sent: Vec<_> = network.seen.iter().map(|seen| seen.at.since(Instant::ZERO)).collect();
    let milliseconds = [0, 1, 3, 7, 15, 31, 47, 63];
    assert_eq!(sent, milliseconds.map(|count| TIMEOUT.times(count)));
    assert_eq!(network.when(0, 0, FlowEvent::Abandoned), [Instant::ZERO + TIMEOUT.times(79)]);
    assert_eq!(network.when(0, 0, FlowEvent::Completed), []);
    assert_eq!(network.counter(0, "messages_abandoned"), 1);
}

#[test]
fn an_answer_resets_the_timeout() {
    // Nothing arrives for 20 ms; then packet 0 arrives and packet 1 is lost again.
    let rule = |seen: &Seen| match seen.at.microseconds() {
        0..20_000 => Fate::Drop,
        20_000..40_000 if seen.is_data() && seen.sequence == 1 => Fate::Drop,
        _ => Fate::Pass,
    };
    let mut network = Network::new(2, parameters(), &[((0, 0, 1, packets(2)), 0)], rule);
    network.run_to(Instant::from_microseconds(40_000));
    let again: Vec<_> = network.seen.iter().filter(|seen| seen.is_data() && seen.at.microseconds() > 20_000).collect();
    // The doubled timeout is at 31 ms. The next loss is detected after one timeout, and the one after that after two.
    let lost: Vec<_> = again.iter().filter(|seen| seen.sequence == 1).map(|seen| seen.at.microseconds()).collect();
    assert!(lost.len() >= 3, "{lost:?}");
    assert!(lost[1] - lost[0] <= 1011, "{lost:?}");
}

#[test]
fn after_a_timeout_most_lost_packets_are_pulled() {
    let rule = |seen: &Seen| if seen.is_data() && seen.at.microseconds() < 500 { Fate::Drop } else { Fate::Pass };
    let network = Network::one_message(40, NdpParameters { first_window: 40, ..parameters() }, rule);
    let again: Vec<_> = network.seen.iter().filter(|seen| seen.is_data() && seen.at.microseconds() > 500).collect();
    assert_eq!(again.len(), 40);
    let at_once = again.iter().filter(|seen| seen.at.since(again[0].at) < DELAY).count();
    assert!((1..=12).contains(&at_once), "{at_once}");
    // Their answers request twice as many packets in each round trip.
    assert!(again[39].at.since(again[0].at) < DELAY.times(2 * 5));
}

#[test]
fn the_first_timeout_applies_before_any_measurement() {
    // Before any measurement, the timeout is a millisecond, as in the paper.
    let rule = |seen: &Seen| if seen.is_data() && !seen.has(flag::RETRANSMISSION) { Fate::Drop } else { Fate::Pass };
    let network = Network::one_message(1, parameters(), rule);
    assert_eq!(network.seen[1].at, Instant::ZERO + TIMEOUT);
}

#[test]
fn reordering_causes_few_spurious_retransmissions() {
    // Every tenth packet is late by four round trips. Spurious retransmissions lengthen the timeout.
    let late = |seen: &Seen| {
        let is_late = seen.is_data() && seen.sequence % 10 == 3;
        if is_late { Fate::Late(DELAY.times(8)) } else { Fate::Pass }
    };
    let network = Network::one_message(2000, NdpParameters { first_window: 400, ..parameters() }, late);
    let again = network.counter(0, "retransmissions");
    assert!((1..60).contains(&again), "{again} of 200 late packets");
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}

#[test]
fn nothing_times_out_without_loss() {
    let sends: Vec<_> = (0..20).map(|index| ((index * 7, (index % 3) as usize, 3, packets(30)), 0)).collect();
    let mut network = Network::new(4, parameters(), &sends, |seen| {
        if seen.is_data() && seen.sequence % 5 == 3 && !seen.has(flag::RETRANSMISSION) {
            Fate::Change(trim)
        } else {
            Fate::Pass
        }
    });
    network.run();
    for host in 0..3 {
        assert_eq!(network.counter(host, "timeouts"), 0);
    }
    assert_eq!(network.counter(3, "messages_delivered"), 20);
}
