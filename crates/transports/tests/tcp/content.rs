//! Messages with content arrive with the bytes that were submitted.

use std::net::Ipv4Addr;

use basis::Random;
use demand::{Content, Destinations, Wanted};
use proptest::prelude::*;
use transports::tcp::TcpParameters;
use transports::{Endpoint, Notice, Refusal, Transport};

use crate::network::{address, parameters};
use crate::pair::{PORT, Pair};

fn random_bytes(count: usize) -> Vec<u8> {
    let mut random = Random::new(7);
    (0..count).map(|_| random.bits() as u8).collect()
}

fn wanted(content: Content) -> Wanted {
    Wanted { content, service: 7, ..Wanted::of_length(address(1), 1) }
}

/// The contents of the messages that arrived at the second host, in the order of their numbers.
fn arrived(pair: &Pair) -> Vec<(u32, Content)> {
    let arrived = pair.notices[1].iter().map(|notice| match notice {
        Notice::Arrived(arrived) => (arrived.number, arrived.content.clone()),
        other => panic!("{other:?}"),
    });
    let mut arrived: Vec<_> = arrived.collect();
    arrived.sort_unstable_by_key(|&(number, _)| number);
    arrived
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn contents_and_lengths_arrive_unchanged(
        seed in any::<u64>(),
        counts in proptest::collection::vec((1..100_000usize, any::<bool>()), 1..4),
        loss in 0.0..0.1f64,
        sack in any::<bool>(),
    ) {
        let mut pair = Pair::new([TcpParameters { sack, ..parameters() }; 2], loss, seed);
        let content = |&(count, has_bytes): &(usize, bool)| match has_bytes {
            true => Content::from(random_bytes(count)),
            false => Content::Length(count as u64),
        };
        let contents: Vec<Content> = counts.iter().map(content).collect();
        for (number, content) in (0..).zip(&contents) {
            let message = wanted(content.clone()).numbered(number);
            prop_assert!(pair.hosts[0].submit(pair.now, message).is_ok());
        }
        while pair.step() {}
        let expected: Vec<_> = (0..).zip(contents).collect();
        prop_assert!(arrived(&pair) == expected);
        let is_completed = |notice: &Notice| matches!(notice, Notice::Completed(_));
        prop_assert_eq!(pair.notices[0].iter().filter(|notice| is_completed(notice)).count(), counts.len());
    }
}

#[test]
fn a_socket_can_read_the_content_of_a_message() {
    let bytes = random_bytes(50_000);
    let mut pair = Pair::new([parameters(); 2], 0.0, 1);
    // This is the port of the service; a listening application takes precedence.
    pair.hosts[1].listen(5007);
    pair.hosts[0].submit(pair.now, wanted(bytes.clone().into()).numbered(0)).expect("TCP carries bytes");
    let socket = loop {
        assert!(pair.step(), "no connection was opened");
        if let Some((socket, port)) = pair.hosts[1].accept() {
            assert_eq!(port, 5007);
            break socket;
        }
    };
    let mut received = Vec::new();
    while !pair.hosts[1].status(socket).has_ended {
        pair.hosts[1].receive_bytes(pair.now, socket, &mut received);
        pair.step();
    }
    assert!(received == bytes);
}

#[test]
fn bytes_sent_to_a_service_arrive_as_a_message() {
    let bytes = random_bytes(50_000);
    let mut pair = Pair::new([parameters(); 2], 0.0, 1);
    let socket = pair.hosts[0].open(pair.now, address(1), 5007).expect("ports are free");
    for piece in bytes.chunks(777) {
        pair.hosts[0].send(pair.now, socket, piece);
        pair.step();
    }
    pair.hosts[0].release(pair.now, socket);
    while pair.step() {}
    let [Notice::Arrived(arrived)] = &pair.notices[1][..] else { panic!("{:?}", pair.notices[1]) };
    assert_eq!((arrived.source, arrived.service), (address(0), 7));
    assert!(arrived.content == Content::from(bytes));
    assert_ne!(PORT, 5007, "nobody listens there");
}

#[test]
fn sender_and_receiver_refuse_too_long_content() {
    let short = TcpParameters { longest_content: 20_000, ..parameters() };
    let long = wanted(random_bytes(20_001).into()).numbered(0);
    let mut pair = Pair::new([short; 2], 0.0, 1);
    let refused = pair.hosts[0].submit(pair.now, long.clone());
    assert_eq!(refused, Err((long.clone(), Refusal::LongContent(20_000))));
    assert!(pair.hosts[0].transmit(pair.now).is_none());
    // Lengths need no memory, and are not limited.
    pair.hosts[0].submit(pair.now, wanted(Content::Length(20_001)).numbered(0)).expect("a length");
    while pair.step() {}
    assert_eq!(arrived(&pair), [(0, Content::Length(20_001))]);

    let mut pair = Pair::new([parameters(), short], 0.0, 1);
    pair.hosts[0].submit(pair.now, long.clone()).expect("it may send this");
    while pair.step() {}
    assert_eq!(pair.notices, [vec![Notice::Abandoned(long)], vec![]]);
}

#[test]
fn multicast_messages_are_refused() {
    let mut pair = Pair::new([parameters(); 2], 0.0, 1);
    let destinations = Destinations::Several([address(1), Ipv4Addr::LOCALHOST.to_bits()].into());
    let message = Wanted { destinations, ..wanted(Content::Length(5)) }.numbered(0);
    assert_eq!(pair.hosts[0].submit(pair.now, message.clone()), Err((message, Refusal::SeveralDestinations)));
}
