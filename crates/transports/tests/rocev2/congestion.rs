//! DCQCN between hosts, and pause frames.

use basis::{Duration, Instant, Rate};
use transports::rocev2::{Dcqcn, Recovery, RoceV2Parameters};
use wire::PriorityPause;

use crate::network::{Fate, Network, PAYLOAD, Seen, link, microseconds, parameters};

/// Go-back-N with the default parameters of DCQCN.
fn dcqcn() -> RoceV2Parameters {
    RoceV2Parameters { dcqcn: Some(Dcqcn::default()), ..parameters(Recovery::GoBackN) }
}

/// The time from one packet to the next at link rate, for packets between the first and the last, in picoseconds.
const FULL: u64 = (PAYLOAD + 58 + 24) * 800;

#[test]
fn notifications_are_limited_to_one_per_interval() {
    let rule = |seen: &Seen| if seen.is_data() { Fate::Mark } else { Fate::Pass };
    let sends = [(0, 0, 1, 200 * PAYLOAD, 7), (0, 0, 1, 200 * PAYLOAD, 8)];
    // The minimum is the link rate, so that the rate is never cut.
    let deaf = Dcqcn { lowest: Rate::from_gigabits_per_second(10), ..Dcqcn::default() };
    let mut network = Network::new(2, RoceV2Parameters { dcqcn: Some(deaf), ..dcqcn() }, &sends, rule);
    network.run();
    let of = |pair| network.filter(|seen| seen.is_notification() && seen.queue_pair == pair);
    for pair in [0, 1] {
        let times: Vec<_> = of(pair).iter().map(|seen| seen.at).collect();
        assert!(times.len() > 5);
        for pair in times.windows(2) {
            let between = pair[1].since(pair[0]);
            assert!(between >= microseconds(50) && between < microseconds(54), "{between:?}");
        }
    }
    assert_eq!(network.counter(1, "ecn_marks"), 400);
    assert_eq!(network.counter(0, "notifications_received"), network.counter(1, "notifications_sent"));
}

#[test]
fn a_notification_halves_the_rate() {
    let rule = |seen: &Seen| if seen.is_first(0) { Fate::Mark } else { Fate::Pass };
    let network = Network::one_message(60, dcqcn(), rule);
    assert!(network.is_completed());
    let data = network.filter(Seen::is_data);
    let gap = |number: usize| data[number + 1].at.since(data[number].at).picoseconds();
    // The gaps are those of the line rate, then of half of it, and 55 us later of 3/4, half way back to the target.
    assert_eq!(gap(3), FULL);
    assert_eq!(gap(25), 2 * FULL);
    assert!(gap(55).abs_diff(FULL * 4 / 3) <= 1, "{}", gap(55));
}

#[test]
fn without_dcqcn_there_are_no_marks_or_notifications() {
    let network = Network::one_message(20, parameters(Recovery::GoBackN), |_| Fate::Mark);
    assert_eq!(network.counter(1, "ecn_marks") + network.counter(1, "notifications_sent"), 0);
    let marking = Network::one_message(20, dcqcn(), |_| Fate::Mark);
    assert_eq!(marking.counter(1, "ecn_marks"), 20);
}

#[test]
fn a_paused_host_sends_only_notifications() {
    let mut pause = [None; 8];
    // 65,535 quanta are 3.36 ms at 10 Gb/s.
    pause[0] = Some(u16::MAX);
    let rule = |seen: &Seen| if seen.is_data() { Fate::Mark } else { Fate::Pass };
    let sends = [(0, 0, 1, 3 * PAYLOAD, 7), (1, 1, 0, 3 * PAYLOAD, 7)];
    let mut network = Network::new(2, dcqcn(), &sends, rule);
    network.inject(Instant::ZERO, 1, PriorityPause::frame([2, 0, 0, 0, 0, 9], pause));
    network.run();
    let from_1 = network.filter(|seen| seen.from == 1);
    assert!(from_1[0].is_notification());
    assert!(from_1[0].at < Instant::ZERO + microseconds(10));
    let end = Instant::ZERO + PriorityPause::time_of(u16::MAX, link().rate());
    // After the pause, its acknowledgement and its own message follow without a gap.
    assert_eq!(from_1[1].at, end);
    assert!(from_1[1].is_ack() && from_1[2].is_data());
    assert_eq!(from_1[2].at.since(end), link().time_of(62));
    assert_eq!(network.counter(0, "timeouts"), 0);
    assert_eq!(network.counter(1, "messages_completed"), 1);
}

#[test]
fn the_rate_recovers_while_idle() {
    let rule = |seen: &Seen| if seen.is_first(0) { Fate::Mark } else { Fate::Pass };
    let later = 2_000_000;
    let mut network = Network::new(2, dcqcn(), &[(0, 0, 1, 20 * PAYLOAD, 7), (later, 0, 1, 20 * PAYLOAD, 7)], rule);
    network.run();
    let second = network.filter(|seen| seen.is_data() && seen.at >= Instant::from_microseconds(later));
    assert_eq!(second[0].at, Instant::from_microseconds(later));
    assert_eq!(second[18].at.since(second[1].at), Duration::from_picoseconds(17 * FULL));
}
