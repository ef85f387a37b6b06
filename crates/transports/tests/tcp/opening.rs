//! The opening of connections (RFC 9293, section 3.5; RFC 7323; RFC 6298, rule 5.7).

use basis::Instant;
use demand::Wanted;
use transports::FlowEvent;
use transports::tcp::{Tcp, TcpParameters};
use transports::{Endpoint, Notice, Transport};
use wire::tcp::flag;

use crate::network::{DELAY, Fate, Network, SEGMENT, Seen, microseconds, parameters};

#[test]
fn a_message_is_a_connection_from_syn_to_fin() {
    let network = Network::one_message(2, parameters(), |_| Fate::Pass);
    let told: Vec<_> = network
        .seen
        .iter()
        .map(|seen| (seen.from, seen.flags, seen.sequence, seen.acknowledgement, seen.payload as u64))
        .collect();
    let (a, s, f, p) = (flag::ACK, flag::SYN, flag::FIN, flag::PSH);
    let end = 2 * SEGMENT as u32 + 2;
    let expected = [
        (0, s, 0, 0, 0),
        (1, s | a, 0, 1, 0),
        (0, a, 1, 1, 0),
        (0, a, 1, 1, SEGMENT),
        (0, a | f | p, 1 + SEGMENT as u32, 1, SEGMENT),
        (1, a | f, 1, end, 0),
        (0, a, end, 2, 0),
    ];
    assert_eq!(told, expected);
    assert!(network.is_completed());
    let ports = network.seen[0].ports;
    assert_eq!(ports, (32_768, 5007), "the first message, to service 7");
    assert_eq!(network.counter(1, "bytes_delivered"), 2 * SEGMENT);
}

#[test]
fn the_syn_ack_has_the_options_of_both_sides() {
    let network = Network::one_message(1, parameters(), |_| Fate::Pass);
    for seen in &network.seen[..2] {
        assert_eq!(seen.options.maximum_segment, Some(1460));
        assert_eq!((seen.options.window_scale, seen.options.is_sack_permitted), (Some(7), true));
        assert!(seen.options.timestamps.is_some());
    }
    for wants in [TcpParameters { timestamps: false, ..parameters() }, TcpParameters { sack: false, ..parameters() }] {
        for pair in [vec![wants, parameters()], vec![parameters(), wants]] {
            let mut network = Network::of(pair, &[(0, 0, 1, 10_000)], |_| Fate::Pass);
            network.run();
            assert!(network.is_completed());
            let answer = &network.seen[1].options;
            assert_eq!((answer.timestamps.is_some(), answer.is_sack_permitted), (wants.timestamps, wants.sack));
            assert!(network.seen[2..].iter().all(|seen| seen.options.timestamps.is_some() == wants.timestamps));
        }
    }
}

#[test]
fn a_lost_syn_is_retransmitted_with_backoff() {
    let network = Network::one_message(20, parameters(), |seen| {
        if seen.has(flag::SYN) && !seen.has(flag::ACK) && seen.copies < 3 { Fate::Drop } else { Fate::Pass }
    });
    let syns = network.filter(|seen| seen.has(flag::SYN) && seen.from == 0);
    let times: Vec<_> = syns.iter().map(|seen| seen.at.microseconds()).collect();
    assert_eq!(times, [0, 10_000, 30_000, 70_000]);
    assert!(network.is_completed());
    // After that, the first window is one segment (RFC 5681, section 3.1).
    let data = network.filter(Seen::is_data);
    assert!(data[1].at.since(data[0].at) >= DELAY.times(2));
}

#[test]
fn a_lost_syn_ack_is_retransmitted() {
    let network = Network::one_message(1, parameters(), |seen| {
        if seen.has(flag::SYN) && seen.has(flag::ACK) && seen.copies == 0 { Fate::Drop } else { Fate::Pass }
    });
    assert!(network.is_completed());
    assert!(network.now < Instant::ZERO + microseconds(25_000));
}

#[test]
fn data_replace_a_lost_handshake_ack() {
    let network = Network::one_message(3, parameters(), |seen| {
        if seen.is_plain_ack() && seen.from == 0 && seen.acknowledgement == 1 { Fate::Drop } else { Fate::Pass }
    });
    assert!(network.is_completed());
    assert_eq!(network.counter(0, "timeouts") + network.counter(1, "timeouts"), 0);
}

#[test]
fn an_unanswered_syn_is_given_up() {
    let network = Network::one_message(1, parameters(), |_| Fate::Drop);
    // The timeout of 10 ms doubles with each of six retransmissions, and the seventh one ends the connection (R2 of RFC
    // 9293, section 3.8.3).
    assert_eq!(network.seen.len(), 7);
    assert_eq!(network.when(0, 0, FlowEvent::Abandoned), [Instant::ZERO + microseconds(1_270_000)]);
    assert_eq!(network.counter(0, "connections_dead"), 1);
}

#[test]
fn the_first_window_is_ten_segments() {
    let network = Network::one_message(40, parameters(), |_| Fate::Pass);
    let data = network.filter(Seen::is_data);
    let first_round = data.iter().filter(|seen| seen.at.since(data[0].at) < DELAY).count();
    assert_eq!(first_round, 10);
}

#[test]
fn late_copies_of_a_connection_deliver_nothing() {
    // The copies arrive after TIME-WAIT: that of the SYN opens a connection, which the peer's RST ends.
    let network = Network::one_message(3, parameters(), |_| Fate::Twice(microseconds(30_000)));
    assert!(network.is_completed());
    assert_eq!(network.counter(1, "messages_delivered"), 1);
    assert!(network.counter(0, "resets_sent") > 0 && network.counter(1, "resets_received") > 0);
}

#[test]
fn a_message_for_a_service_without_a_port_is_abandoned() {
    let mut tcp = Tcp::new(1, parameters(), 1);
    let message = |service| Wanted { service, ..Wanted::of_length(2, 1) }.numbered(0);
    tcp.submit(Instant::ZERO, message(27_768)).expect("a length for one host");
    assert_eq!(tcp.deadline(), Some(Instant::ZERO));
    let mut notices = Vec::new();
    tcp.wake(Instant::ZERO, &mut notices);
    assert_eq!(notices, [Notice::Abandoned(message(27_768))]);
    assert!(tcp.transmit(Instant::ZERO).is_none() && tcp.deadline().is_none());
    tcp.submit(Instant::ZERO, message(27_767)).expect("a length for one host");
    assert!(tcp.transmit(Instant::ZERO).is_some());
}

#[test]
fn ports_are_reused_after_their_connection_is_forgotten() {
    // 40,000 messages are sent to one service, one after another, with 32,768 ephemeral ports.
    let mut hosts = [Tcp::new(1, parameters(), 1), Tcp::new(2, parameters(), 1)];
    let mut notices = Vec::new();
    let mut now = Instant::ZERO;
    for number in 0..40_000 {
        hosts[0].submit(now, Wanted::of_length(2, 1000).numbered(number)).expect("a length for one host");
        loop {
            let sent = hosts.each_mut().map(|host| host.transmit(now));
            if sent.iter().all(Option::is_none) {
                break;
            }
            let [from_first, from_second] = sent;
            from_first.into_iter().for_each(|packet| hosts[1].receive(now, packet, &mut notices).unwrap());
            from_second.into_iter().for_each(|packet| hosts[0].receive(now, packet, &mut notices).unwrap());
        }
        now += microseconds(1);
        hosts[0].wake(now, &mut notices);
    }
    let arrived = notices.iter().filter_map(|notice| match notice {
        Notice::Arrived(arrived) => Some(arrived.number),
        _ => None,
    });
    assert!(arrived.eq(0..40_000));
}
