//! Explicit congestion notification (RFC 3168), and DCTCP's exact feedback (RFC 8257).

use transports::tcp::{Algorithm, TcpParameters};
use wire::tcp::flag;

use crate::network::{Fate, Network, SEGMENT, Seen, parameters};

fn with_ecn() -> TcpParameters {
    TcpParameters { ecn: true, ..parameters() }
}

fn dctcp() -> TcpParameters {
    TcpParameters::data_center(Algorithm::DCTCP)
}

#[test]
fn ecn_is_used_if_both_sides_request_it() {
    for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
        let wants = |ecn| TcpParameters { ecn, ..parameters() };
        let mut network = Network::of(vec![wants(first), wants(second)], &[(0, 0, 1, 5 * SEGMENT)], |_| Fate::Mark);
        network.run();
        assert_eq!(network.seen[0].has(flag::ECE) && network.seen[0].has(flag::CWR), first);
        let agrees = first && second;
        assert_eq!((network.seen[1].has(flag::ECE), network.seen[1].has(flag::CWR)), (agrees, false));
        // Only data are ECN-capable (RFC 3168, section 6.1).
        assert!(network.seen.iter().all(|seen| seen.congestion == if agrees && seen.is_data() { 2 } else { 0 }));
        assert_eq!(network.counter(1, "ecn_marks") > 0, agrees);
    }
}

#[test]
fn a_mark_is_echoed_until_the_sender_reduces() {
    let network = Network::one_message(60, with_ecn(), |seen| if seen.is_first(20) { Fate::Mark } else { Fate::Pass });
    assert!(network.is_completed());
    assert_eq!(network.counter(1, "ecn_marks"), 1);
    assert_eq!((network.counter(0, "ecn_reductions"), network.counter(0, "retransmissions")), (1, 0));
    assert!(network.counter(0, "ecn_echoes") > 1);
    let reduced = network.filter(|seen| seen.has(flag::CWR) && !seen.has(flag::SYN));
    assert_eq!(reduced.len(), 1, "CWR is sent once");
    let behind = reduced[0].sequence;
    let marked = 1 + 20 * SEGMENT as u32;
    for seen in network.filter(|seen| seen.from == 1 && !seen.has(flag::SYN)) {
        let is_between = seen.acknowledgement > marked && seen.acknowledgement <= behind;
        assert_eq!(seen.has(flag::ECE), is_between, "{}", seen.acknowledgement);
    }
}

#[test]
fn retransmissions_are_not_ecn_capable() {
    let network = Network::one_message(60, with_ecn(), |seen| if seen.is_first(20) { Fate::Drop } else { Fate::Pass });
    let again = network.filter(|seen| seen.is_data() && seen.copies > 0);
    assert_eq!((again.len(), again[0].congestion), (1, 0));
    // CWR is sent after a loss as well (RFC 3168, section 6.1.2).
    assert_eq!(network.filter(|seen| seen.has(flag::CWR) && !seen.has(flag::SYN)).len(), 1);
}

#[test]
fn the_window_is_reduced_once_per_round_trip() {
    let is_marked = |seen: &Seen| (20..28).any(|number| seen.is_first(number));
    let network = Network::one_message(80, with_ecn(), |seen| if is_marked(seen) { Fate::Mark } else { Fate::Pass });
    assert_eq!(network.counter(0, "ecn_reductions"), 1);
}

#[test]
fn all_packets_of_dctcp_are_ecn_capable() {
    let network = Network::one_message(20, dctcp(), |_| Fate::Pass);
    assert!(network.seen.iter().all(|seen| seen.congestion == 2));
}

#[test]
fn a_dctcp_receiver_echoes_marks_exactly() {
    for segments_per_ack in [1, 2, 3] {
        // Runs with and without marks, of even and odd lengths.
        let marked = [3, 4, 7, 8, 9, 15, 20, 22];
        let parameters = TcpParameters { segments_per_ack, initial_window: 30, ..dctcp() };
        let network = Network::one_message(30, parameters, |seen| {
            if marked.iter().any(|&number| seen.is_first(number)) { Fate::Mark } else { Fate::Pass }
        });
        let mut edge = 1;
        let mut echoed = Vec::new();
        for seen in network.filter(|seen| seen.from == 1 && !seen.has(flag::SYN)) {
            if seen.has(flag::ECE) {
                let segments = (u64::from(edge) - 1) / SEGMENT..(u64::from(seen.acknowledgement) - 1) / SEGMENT;
                echoed.extend(segments);
            }
            edge = seen.acknowledgement;
        }
        assert_eq!(echoed, marked, "{segments_per_ack} segments per acknowledgement");
    }
}

/// The mean number of segments per round trip in the steady state, if `percent` percent of the packets are in the range
/// in which every other one is marked.
fn mean_in_flight(parameters: TcpParameters, percent: u64) -> f64 {
    let network = Network::one_message(4000, parameters, |seen| {
        let number = u64::from(seen.sequence) / SEGMENT;
        if seen.is_data() && number % 100 < percent && number % 2 == 1 { Fate::Mark } else { Fate::Pass }
    });
    assert!(network.is_completed());
    let data = network.filter(Seen::is_data);
    let time = data[3999].at.since(data[1000].at).picoseconds() as f64;
    3000.0 / (time / 102_000_000.0)
}

#[test]
fn dctcp_reduces_less_for_few_marks() {
    let (few, halved) = (mean_in_flight(dctcp(), 2), mean_in_flight(with_ecn(), 2));
    assert!(few > 1.3 * halved, "{few} and {halved}");
}
