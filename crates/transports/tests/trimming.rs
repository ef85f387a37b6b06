//! The handling of trimmed packets.

mod network;

use basis::Instant;
use network::{Fate, Network, Seen, packets, parameters, trim, trim_carelessly};
use transports::FlowEvent;
use transports::ndp::NdpParameters;
use wire::ndp::{flag, kind};

/// Applies `fate` to the first transmission of the packets in `which`.
fn first_time(fate: Fate, which: &'static [u32]) -> impl FnMut(&Seen) -> Fate {
    move |seen| {
        let is_it = seen.is_data() && !seen.has(flag::RETRANSMISSION) && which.contains(&seen.sequence);
        if is_it { fate } else { Fate::Pass }
    }
}

#[test]
fn trimmed_packets_are_retransmitted_when_pulled() {
    for fate in [Fate::Change(trim), Fate::Change(trim_carelessly)] {
        let network = Network::one_message(20, parameters(), first_time(fate, &[3, 4, 19]));
        assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
        let nacks: Vec<_> = network.seen.iter().filter(|seen| seen.kind == kind::NACK).map(|s| s.sequence).collect();
        assert_eq!(nacks, [3, 4, 19]);
        let again = network.count(|seen| seen.is_data() && seen.has(flag::RETRANSMISSION));
        assert_eq!((again, network.counter(0, "retransmissions"), network.counter(0, "timeouts")), (3, 3, 0));
        assert_eq!(network.counter(1, "trimmed_received"), 3);
        assert!(network.discarded.is_empty());
    }
}

#[test]
fn retransmissions_precede_new_packets() {
    let network = Network::one_message(30, parameters(), first_time(Fate::Change(trim), &[0, 1, 2, 3]));
    let data: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).map(|seen| seen.sequence).collect();
    // NACKs arrive before the pulls for their packets; the first pull is carried by the first NACK.
    assert_eq!(data[8..13], [0, 1, 2, 3, 8]);
}

#[test]
fn retransmissions_precede_new_packets_of_others() {
    let sends = [((0, 0, 1, packets(8)), 0), ((0, 0, 2, packets(200)), 0)];
    let rule = |seen: &Seen| {
        let is_it = seen.is_data() && seen.to == 1 && !seen.has(flag::RETRANSMISSION) && seen.sequence < 8;
        if is_it { Fate::Change(trim) } else { Fate::Pass }
    };
    let mut network = Network::new(3, NdpParameters { first_window: 200, ..parameters() }, &sends, rule);
    network.run();
    // The link is busy with a first window when the pulls arrive; retransmissions need not wait for its end.
    let data: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).collect();
    let last_again = data.iter().rposition(|seen| seen.has(flag::RETRANSMISSION)).unwrap();
    assert!(last_again < 150, "{last_again}");
}

#[test]
fn the_header_of_a_duplicate_is_acknowledged() {
    // Packet 1 and the first ACK of packet 0 are lost; the retransmission of packet 0 is trimmed.
    let is_early = |seen: &Seen| seen.at < Instant::from_microseconds(20);
    let rule = move |seen: &Seen| match (seen.kind, seen.sequence) {
        (kind::ACK, 0) | (kind::DATA, 1) if is_early(seen) => Fate::Drop,
        (kind::DATA, 0) if !is_early(seen) => Fate::Change(trim),
        _ => Fate::Pass,
    };
    let network = Network::one_message(3, parameters(), rule);
    assert_eq!(network.counter(1, "trimmed_received"), 1);
    assert_eq!(network.count(|seen| seen.kind == kind::NACK), 0);
    assert_eq!(network.when(0, 0, FlowEvent::Delivered).len(), 1);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}
