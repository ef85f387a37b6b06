//! The sending rate of a connection: slow start, congestion avoidance, CUBIC, pacing, and the peer's window.

use basis::Instant;
use transports::tcp::{Algorithm, TcpParameters};

use crate::network::{DELAY, Fate, Network, SEGMENT, Seen, close_window, link, microseconds, parameters};

/// The number of segments sent in each round trip from the first one on.
fn rounds(network: &Network) -> Vec<usize> {
    let data = network.filter(Seen::is_data);
    let mut rounds = Vec::new();
    for seen in &data {
        let round = (seen.at.since(data[0].at).picoseconds() / 101_300_000) as usize;
        rounds.resize(rounds.len().max(round + 1), 0);
        rounds[round] += 1;
    }
    rounds
}

#[test]
fn slow_start_doubles_without_delayed_acks() {
    let network = Network::one_message(70, parameters(), |_| Fate::Pass);
    assert_eq!(rounds(&network)[..2], [10, 15]);
    let each = TcpParameters { segments_per_ack: 1, ..parameters() };
    let network = Network::one_message(70, each, |_| Fate::Pass);
    assert_eq!(rounds(&network)[..2], [10, 20]);
}

#[test]
fn newreno_adds_one_segment_per_round_trip() {
    let network =
        Network::one_message(400, parameters(), |seen| if seen.is_first(40) { Fate::Drop } else { Fate::Pass });
    let rounds = rounds(&network);
    // Recovery lasts one or two round trips; then each round trip has one segment more than the one before, up to
    // alignment.
    let after = &rounds[8..16];
    let growth = after[7] as i64 - after[0] as i64;
    assert!((5..=9).contains(&growth), "{rounds:?}");
}

#[test]
fn cubic_is_faster_than_reno_after_losses() {
    let run = |algorithm| {
        let parameters = TcpParameters { algorithm, ..parameters() };
        let rule = |seen: &Seen| if seen.is_first(60) || seen.is_first(600) { Fate::Drop } else { Fate::Pass };
        let network = Network::one_message(2000, parameters, rule);
        assert_eq!(network.counter(0, "timeouts"), 0);
        network.now
    };
    let (cubic, reno) = (run(Algorithm::CUBIC), run(Algorithm::NEW_RENO));
    assert!(cubic < reno, "{cubic} and {reno}");
}

#[test]
fn pacing_spreads_a_window_over_the_round_trip() {
    for algorithm in [Algorithm::NEW_RENO, Algorithm::CUBIC, Algorithm::DCTCP] {
        let parameters = TcpParameters { pacing: true, ..TcpParameters::data_center(algorithm) };
        let network = Network::one_message(60, parameters, |_| Fate::Pass);
        assert!(network.is_completed());
        let data = network.filter(Seen::is_data);
        // The first window of ten segments is paced at twice its rate: one segment per twentieth of the round trip of
        // the handshake.
        for pair in data[..9].windows(2) {
            let apart = pair[1].at.since(pair[0].at);
            assert!(apart > microseconds(4) && apart < microseconds(6), "{apart:?}");
        }
    }
}

#[test]
fn an_unlimited_window_fills_the_link() {
    let parameters = TcpParameters { initial_window: 1000, ..parameters() };
    let network = Network::one_message(1000, parameters, |_| Fate::Pass);
    let data = network.filter(Seen::is_data);
    // The window of a SYN-ACK is not scaled (RFC 7323, section 2.2), so the first window is 65,535 bytes.
    assert_eq!(data.iter().filter(|seen| seen.at.since(data[0].at) < DELAY.times(2)).count(), 45);
    let time = data[999].at.since(data[100].at);
    assert_eq!(time, link().time_of(SEGMENT as usize + 66).times(899));
}

#[test]
fn the_sender_respects_the_receive_window() {
    let small = TcpParameters { receive_buffer: 5000, ..parameters() };
    let mut network = Network::of(vec![parameters(), small], &[(0, 0, 1, 200_000)], |_| Fate::Pass);
    network.run();
    assert!(network.is_completed());
    let mut edge = 1;
    for seen in &network.seen {
        if seen.from == 1 && seen.at < network.now {
            edge = edge.max(seen.acknowledgement);
        }
        assert!(seen.from == 1 || seen.sequence + seen.payload as u32 <= edge + 5000 + 1);
    }
}

#[test]
fn a_window_smaller_than_a_segment_is_usable() {
    let small = TcpParameters { receive_buffer: 1000, ..parameters() };
    let mut network = Network::of(vec![parameters(), small], &[(0, 0, 1, 20_000)], |_| Fate::Pass);
    network.run();
    assert!(network.is_completed());
    assert!(network.now < Instant::ZERO + DELAY.times(2 * 500));
}

#[test]
fn a_closed_window_is_probed_until_it_opens() {
    // RFC 9293, section 3.8.6.1.
    let impatient = TcpParameters { attempts: 3, ..parameters() };
    let network = Network::one_message(40, impatient, |seen| {
        let is_closed = seen.from == 1 && (120..60_000).contains(&seen.at.microseconds());
        if is_closed { Fate::Change(close_window) } else { Fate::Pass }
    });
    assert!(network.is_completed());
    let probes = network.filter(|seen| seen.is_data() && (2000..60_000).contains(&seen.at.microseconds()));
    assert!(probes.len() > 3 && probes.iter().all(|seen| seen.payload == 1), "{}", probes.len());
    assert!(network.now > Instant::ZERO + microseconds(60_000));
}
