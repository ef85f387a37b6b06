//! Credit: its pace, its amount and its numbers.

use basis::{Duration, Instant};
use transports::FlowEvent;
use transports::eqds::EqdsParameters;
use wire::eqds::{flag, kind};

use crate::network::{Fate, Seen, packets, trim};
use crate::{credits, header, hosts, one_message, parameters};

/// The number of quanta of 512 bytes for `bytes` bytes of packets.
fn quanta(bytes: u64) -> u64 {
    bytes.div_ceil(512)
}

#[test]
fn credit_for_all_senders_matches_the_link_rate() {
    let sends: Vec<_> = (1..5).map(|host| (0, host, 0, packets(200))).collect();
    let mut network = hosts(5, parameters(), &sends, |_| Fate::Pass);
    network.run();
    let credits = credits(&network);
    assert!(credits.len() > 100);
    // The packets that a CREDIT releases take their time on the link, as do a CREDIT and an ACK for as much in the
    // other direction.
    let mut last = [0; 5];
    let packet = parameters().link.time_of(1500).picoseconds();
    let mut granted = 0;
    for (index, credit) in credits.iter().enumerate() {
        let now = u64::from(header(credit).credit());
        let new = now - last[credit.to];
        assert!((1..=12).contains(&new), "6 KiB are 12 quanta, but it grants {new}");
        last[credit.to] = now;
        let since = credit.at.since(credits[0].at).picoseconds();
        // The first CREDIT is not paced, and a CREDIT may be delayed by a packet that occupies the link.
        let at_most = (since + packet) * 1500 / packet + 6144;
        assert!(granted * 512 <= at_most, "{index}: {granted} quanta after {since} ps");
        granted += new;
    }
    let seconds = credits.last().unwrap().at.since(credits[0].at).picoseconds();
    let on_link = granted * 512 * packet / 1500;
    assert!(on_link * 100 >= seconds * 95, "{on_link} ps of packets granted in {seconds} ps");
}

#[test]
fn credit_is_shared_fairly_between_senders() {
    let sends = [(0, 1, 0, packets(100)), (0, 2, 0, packets(100)), (0, 3, 0, packets(100))];
    let mut network = hosts(4, parameters(), &sends, |_| Fate::Pass);
    network.run();
    let ends: Vec<_> = (1..4).map(|host| network.when(host, 0, FlowEvent::Delivered)[0]).collect();
    let (first, last) = (ends.iter().min().unwrap(), ends.iter().max().unwrap());
    assert!(last.since(*first) < Duration::from_microseconds(3), "{ends:?}");
}

#[test]
fn requests_and_grants_do_not_exceed_the_need() {
    let network = one_message(100, parameters(), |_| Fate::Pass);
    let (mut wanted, mut unheard) = (0, Vec::new());
    for seen in &network.seen {
        match seen.kind {
            kind::DATA | kind::RTS => unheard.push((seen.at, u64::from(header(seen).target()), seen.has(flag::MORE))),
            kind::CREDIT => {
                for &(_, target, _) in unheard.iter().filter(|(at, ..)| *at < seen.at) {
                    wanted = wanted.max(target);
                }
                let has_more = unheard.iter().any(|&(.., more)| more);
                // A sender with more to send is granted one window beyond its requests, if no other sender wants any.
                let most = wanted + if has_more { quanta(12 * 1500) } else { 0 };
                assert!(u64::from(header(seen).credit()) <= most);
            }
            _ => {}
        }
    }
    // 92 packets remain after the first window, plus rounding to quanta.
    let needed = quanta(92 * 1500);
    assert!((needed..=needed + 1).contains(&wanted), "{wanted} and not {needed}");
}

#[test]
fn the_next_credit_makes_up_for_a_lost_one() {
    let mut count = 0;
    let network = one_message(200, parameters(), |seen| {
        count += u32::from(seen.kind == kind::CREDIT);
        if seen.kind == kind::CREDIT && count % 2 == 1 && count < 30 { Fate::Drop } else { Fate::Pass }
    });
    assert_eq!(network.counter(0, "timeouts"), 0);
    assert_eq!(network.counter(0, "retransmissions"), 0);
    assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
}

#[test]
fn lost_final_credit_is_requested_and_repeated() {
    // All credit that the receiver grants before 60 us is lost.
    let rule = |seen: &Seen| {
        let is_lost = seen.kind == kind::CREDIT && seen.at < Instant::from_microseconds(60);
        if is_lost { Fate::Drop } else { Fate::Pass }
    };
    let network = one_message(20, parameters(), rule);
    assert_eq!(network.counter(0, "timeouts"), 1);
    assert_eq!(network.counter(0, "requests_sent"), 1);
    // No data packets were lost.
    assert_eq!(network.counter(0, "retransmissions"), 0);
    let again = network.seen.iter().find(|seen| seen.kind == kind::CREDIT && seen.at.microseconds() > 60).unwrap();
    let before = network.seen.iter().rfind(|seen| seen.kind == kind::CREDIT && seen.at.microseconds() < 60).unwrap();
    assert_eq!(header(again).credit(), header(before).credit(), "the total is repeated, not increased");
}

#[test]
fn late_or_duplicated_credit_counts_once() {
    let mut count = 0;
    let network = one_message(300, parameters(), |seen| {
        count += u64::from(seen.kind == kind::CREDIT);
        match (seen.kind, count % 3) {
            (kind::CREDIT, 0) => Fate::Twice(Duration::from_microseconds(7)),
            (kind::CREDIT, 1) => Fate::Late(Duration::from_microseconds(9)),
            _ => Fate::Pass,
        }
    });
    let sent: u64 = network.seen.iter().filter(|seen| seen.is_data()).map(|seen| seen.bytes as u64).sum();
    let granted = credits(&network).iter().map(|credit| u64::from(header(credit).credit())).max().unwrap();
    assert_eq!(sent, 300 * 1500);
    assert!(sent <= 8 * 1500 + granted * 512 + 1500);
}

#[test]
fn retransmissions_are_granted_first() {
    let rule = |seen: &Seen| {
        let is_trimmed = seen.from == 2 && seen.is_data() && seen.has(flag::SPECULATIVE);
        if is_trimmed { Fate::Change(trim) } else { Fate::Pass }
    };
    let sends = [(0, 1, 0, packets(100)), (0, 2, 0, packets(100)), (0, 3, 0, packets(100))];
    let mut network = hosts(4, parameters(), &sends, rule);
    network.run();
    // Eight packets of host 2 wait to be retransmitted. These are 24 quanta, or two CREDITs, before any other sender's
    // next.
    let first: Vec<_> = credits(&network).iter().take(6).map(|seen| seen.to).collect();
    assert!(first.windows(2).any(|pair| pair == [2, 2]), "{first:?}");
    let again: Vec<_> = network.seen.iter().filter(|seen| seen.is_data() && seen.has(flag::RETRANSMISSION)).collect();
    assert_eq!(again.len(), 8);
    assert!(again.iter().all(|seen| seen.from == 2));
}

#[test]
fn idle_credit_goes_to_senders_with_more_than_a_window() {
    // With a window of one packet, requested credit arrives a round trip later, and the link would be idle in the
    // meantime.
    let alone = EqdsParameters { window: 1, first_window: 1, ..parameters() };
    let network = one_message(50, alone, |_| Fate::Pass);
    assert!(network.counter(1, "credits_to_idle") > 0);
    assert_eq!(network.counter(0, "timeouts"), 0);
    // There is none for a message that has requested all that it needs.
    let network = one_message(12, parameters(), |_| Fate::Pass);
    assert_eq!(network.counter(1, "credits_to_idle"), 0);
}
