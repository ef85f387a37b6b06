//! Loss recovery: fast retransmit and recovery with SACK (RFC 6675) and without it (RFC 6582), and the timer (RFC
//! 6298).

use basis::Instant;
use transports::tcp::TcpParameters;

use crate::network::{DELAY, Fate, Network, SEGMENT, Seen, microseconds, parameters};

fn without_sack() -> TcpParameters {
    TcpParameters { sack: false, ..parameters() }
}

/// Drops the first transmission of the given segments.
fn drop_once(numbers: &[u64]) -> impl FnMut(&Seen) -> Fate {
    move |seen| if numbers.iter().any(|&number| seen.is_first(number)) { Fate::Drop } else { Fate::Pass }
}

#[test]
fn retransmits_after_three_duplicate_acks() {
    // With SACK the link may be busy with the segment that the second duplicate has released.
    for (parameters, busy) in [(parameters(), 2), (without_sack(), 1)] {
        let network = Network::one_message(60, parameters, drop_once(&[12]));
        assert!(network.is_completed());
        assert_eq!(network.counter(0, "timeouts"), 0);
        assert_eq!((network.counter(0, "fast_retransmits"), network.counter(0, "retransmissions")), (1, 1));
        let edge = 1 + 12 * SEGMENT as u32;
        let again = network.filter(|seen| seen.copies == 1 && seen.sequence == edge)[0].at;
        // The third duplicate is the fourth acknowledgement of this position (RFC 5681).
        let same = network.filter(|seen| seen.from == 1 && seen.acknowledgement == edge);
        let heard = same[3].at + DELAY;
        assert!(again > heard && again.since(heard) < microseconds(busy), "{again} and {heard}");
    }
}

#[test]
fn many_losses_in_a_window_are_repaired_in_one_recovery() {
    let losses = [14, 16, 17, 20, 23, 24];
    let network = Network::one_message(80, parameters(), drop_once(&losses));
    assert_eq!((network.counter(0, "timeouts"), network.counter(0, "fast_retransmits")), (0, 1));
    assert_eq!(network.counter(0, "retransmissions"), 6);
    // Without SACK one loss is repaired per round trip, when a partial acknowledgement reveals it.
    let slow = Network::one_message(
        80,
        TcpParameters { shortest_timeout: microseconds(5000), ..without_sack() },
        drop_once(&losses),
    );
    assert_eq!((slow.counter(0, "timeouts"), slow.counter(0, "fast_retransmits")), (0, 1));
    assert_eq!(slow.counter(0, "retransmissions"), 6);
    let again = slow.filter(|seen| seen.copies == 1 && seen.is_data());
    for pair in again.windows(2) {
        let apart = pair[1].at.since(pair[0].at);
        assert!(apart >= DELAY.times(2), "{apart:?}");
    }
}

#[test]
fn the_latest_sack_block_comes_first() {
    let network = Network::one_message(60, parameters(), drop_once(&[11, 13, 15, 17]));
    let place = |number: u64| 1 + number as u32 * SEGMENT as u32;
    let first = network.seen[0].packet.head.bytes()[38..42].try_into().unwrap();
    let relative = |number: u32| number.wrapping_sub(u32::from_be_bytes(first));
    let told: Vec<Vec<_>> = network
        .seen
        .iter()
        .filter(|seen| !seen.options.sack_blocks().is_empty())
        .map(|seen| seen.options.sack_blocks().iter().map(|&(start, end)| (relative(start), relative(end))).collect())
        .collect();
    assert_eq!(told[0], [(place(12), place(13))]);
    assert_eq!(told[1], [(place(14), place(15)), (place(12), place(13))]);
    // With timestamps there is room for three blocks.
    assert_eq!(told[4], [(place(18), place(20)), (place(16), place(17)), (place(14), place(15))]);
}

#[test]
fn the_window_is_halved_once_per_window_of_losses() {
    let network = Network::one_message(200, parameters(), drop_once(&[30, 31, 33]));
    assert_eq!(network.counter(0, "fast_retransmits"), 1);
    // After the recovery, half as much is in flight as when the loss was detected.
    let at = |time: Instant| {
        let sent = network
            .filter(|seen| seen.from == 0 && seen.at <= time)
            .iter()
            .map(|seen| seen.sequence as usize + seen.payload)
            .max();
        let heard = network
            .filter(|seen| seen.from == 1 && seen.at + DELAY <= time)
            .iter()
            .map(|seen| seen.acknowledgement)
            .max();
        (sent.unwrap() as u64 - u64::from(heard.unwrap())) / SEGMENT
    };
    let first = network.filter(|seen| seen.copies == 1)[0].at;
    let before = at(first);
    let point =
        network.filter(|seen| seen.from == 0 && seen.at <= first).iter().map(|seen| seen.sequence).max().unwrap();
    let over = network.filter(|seen| seen.from == 1 && seen.acknowledgement > point)[0].at + DELAY + microseconds(3);
    let after = at(over);
    assert!(after.abs_diff(before / 2) <= 1, "{after} of {before}");
}

#[test]
fn tail_losses_wait_for_the_retransmission_timer() {
    let network = Network::one_message(10, parameters(), |seen| {
        if seen.is_data() && seen.copies == 0 && seen.sequence > 1 { Fate::Drop } else { Fate::Pass }
    });
    assert!(network.is_completed());
    assert_eq!(network.counter(0, "timeouts"), 1);
    let again = network.filter(|seen| seen.copies == 1 && seen.is_data());
    assert_eq!(again.len(), 9);
    // Slow start sends 1, 2, ... segments per round trip.
    let rounds: Vec<_> =
        again.iter().map(|seen| seen.at.since(again[0].at).picoseconds() / DELAY.times(2).picoseconds()).collect();
    assert_eq!(rounds.iter().filter(|&&round| round == 0).count(), 1);
    assert!(again[0].at.since(network.seen[3].at) >= microseconds(1000));
}

#[test]
fn consecutive_timeouts_double() {
    let network = Network::one_message(20, parameters(), |seen| {
        let is_silent = (200..40_000).contains(&seen.at.microseconds());
        if seen.from == 0 && is_silent { Fate::Drop } else { Fate::Pass }
    });
    assert!(network.is_completed());
    let first = network.filter(Seen::is_data)[0].sequence;
    let tries = network.filter(|seen| seen.is_data() && seen.sequence == first + 10 * SEGMENT as u32);
    let gaps: Vec<_> =
        tries.windows(2).map(|pair| pair[1].at.since(pair[0].at).picoseconds() / 1_000_000_000).collect();
    assert_eq!(gaps[1..], [2, 4, 8, 16, 32][..gaps.len() - 1], "{gaps:?}");
}

#[test]
fn reordering_within_two_segments_is_not_taken_for_loss() {
    let network = Network::one_message(60, parameters(), |seen| {
        if seen.is_data() && seen.sequence as u64 % (5 * SEGMENT) == 1 {
            Fate::Late(microseconds(2))
        } else {
            Fate::Pass
        }
    });
    assert!(network.counter(1, "out_of_order_received") > 0);
    assert_eq!(network.counter(0, "retransmissions"), 0);
}

#[test]
fn duplicates_are_acknowledged_and_delivered_once() {
    let network = Network::one_message(60, parameters(), |_| Fate::Twice(microseconds(20)));
    assert!(network.is_completed());
    assert_eq!(network.counter(1, "bytes_delivered"), 60 * SEGMENT);
    assert_eq!(network.counter(0, "timeouts"), 0);
}

#[test]
fn missing_data_at_the_end_is_retransmitted_early() {
    let parameters = TcpParameters { initial_window: 12, ..parameters() };
    // Too little arrives after 8 and 10 to show that they are lost, and nothing new is left to be sent (NextSeg, rule
    // 3); nothing at all arrives after 11, which is the last segment (rule 4).
    for losses in [&[3, 8, 10][..], &[3, 11]] {
        let mut network = Network::new(2, parameters, &[(0, 0, 1, 12 * SEGMENT - 100)], drop_once(losses));
        network.run();
        assert!(network.is_completed());
        assert_eq!(network.counter(0, "timeouts"), 0, "{losses:?}");
        // Rule 4 retransmits one more, needed or not.
        let again = network.counter(0, "retransmissions") - losses.len() as u64;
        assert!(again <= 1, "{again}");
    }
}

#[test]
fn retransmissions_are_measured_only_with_timestamps() {
    // Karn's algorithm: the timeout stays doubled until a segment that was sent only once is acknowledged.
    for (timestamps, expected) in [(false, 2000), (true, 1000)] {
        let parameters = TcpParameters { timestamps, initial_window: 1, ..parameters() };
        let once = |seen: &Seen| if seen.is_data() && seen.copies == 0 { Fate::Drop } else { Fate::Pass };
        let network = Network::one_message(3, parameters, once);
        assert!(network.is_completed());
        let second = network.filter(Seen::is_data)[2].sequence;
        let tries = network.filter(|seen| seen.is_data() && seen.sequence == second);
        let apart = tries[1].at.since(tries[0].at);
        assert_eq!(apart.picoseconds() / 1_000_000, expected);
    }
}

#[test]
fn paws_discards_old_segments() {
    // PAWS (RFC 7323, section 5): the segment lost before the late one has been retransmitted in the meantime, with a
    // later timestamp.
    let network = Network::one_message(60, parameters(), |seen| match u64::from(seen.sequence) / SEGMENT {
        20 if seen.is_data() && seen.copies == 0 => Fate::Drop,
        23 if seen.is_data() && seen.copies == 0 => Fate::Late(microseconds(180)),
        23 if seen.is_data() && seen.copies == 1 => Fate::Drop,
        _ => Fate::Pass,
    });
    assert!(network.is_completed());
    assert_eq!(network.counter(1, "old_segments_received"), 1);
}
