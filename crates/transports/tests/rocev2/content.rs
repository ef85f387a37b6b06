//! Messages with content arrive with the bytes that were submitted, whatever is lost on the way.

use std::collections::BTreeMap;

use basis::{Instant, Random};
use demand::{Content, Wanted};
use proptest::prelude::*;
use transports::rocev2::{Recovery, RoceV2, RoceV2Parameters};
use transports::{Endpoint, Notice, Refusal, Transport};
use wire::{Packet, Tail};

use crate::network::{address, microseconds, parameters};

/// Carries messages from the first host to the second over a network that loses and delays packets, until both are idle.
/// Returns the contents that arrive, by number.
fn carried(parameters: RoceV2Parameters, contents: &[Content], lost: u64, seed: u64) -> BTreeMap<u32, Content> {
    let mut hosts = [0, 1].map(|host| RoceV2::new(address(host), parameters));
    let mut random = Random::new(seed);
    let mut now = Instant::ZERO;
    let mut notices = Vec::new();
    for (number, content) in contents.iter().enumerate() {
        let wanted = Wanted { content: content.clone(), ..Wanted::of_length(address(1), 1) };
        hosts[0].submit(now, wanted.numbered(number as u32)).expect("RoCEv2 carries it");
    }
    let mut flying: BTreeMap<(Instant, u64), (usize, Packet)> = BTreeMap::new();
    let mut sent = 0;
    loop {
        for host in [0, 1] {
            while let Some(packet) = hosts[host].transmit(now) {
                sent += 1;
                if random.below(100) >= lost {
                    flying.insert((now + microseconds(1 + random.below(3)), sent), (1 - host, packet));
                }
            }
        }
        let arrives = flying.first_key_value().map(|((at, _), _)| *at);
        let timers = hosts.iter().filter_map(|host| host.deadline());
        let Some(next) = timers.chain(arrives).min() else { break };
        now = next.max(now);
        if arrives.is_some_and(|at| at <= now)
            && let Some((_, (host, packet))) = flying.pop_first()
        {
            hosts[host].receive(now, packet, &mut notices).expect("nothing is changed on the way");
        }
        hosts.iter_mut().for_each(|host| host.wake(now, &mut notices));
    }
    let arrived = notices.into_iter().filter_map(|notice| match notice {
        Notice::Arrived(arrived) => Some((arrived.number, arrived.content)),
        _ => None,
    });
    arrived.collect()
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        3 => prop::collection::vec(any::<u8>(), 1..4000).prop_map(Content::from),
        1 => (1..4000u64).prop_map(Content::Length),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn contents_arrive_unchanged(
        contents in prop::collection::vec(content(), 1..8),
        selective in any::<bool>(),
        lost in 0..=20u64,
        seed in any::<u64>(),
    ) {
        let recovery = if selective { Recovery::SelectiveRepeat } else { Recovery::GoBackN };
        let parameters = RoceV2Parameters {
            payload: 248,
            longest_write: 744,
            timeout: microseconds(50),
            short_timeout: microseconds(50),
            retries: u8::MAX,
            ..parameters(recovery)
        };
        let arrived = carried(parameters, &contents, lost, seed);
        prop_assert!(arrived.into_values().eq(contents));
    }
}

#[test]
fn a_packet_carries_its_part_of_the_content_and_a_crc_of_it() {
    let mut sender = RoceV2::new(address(0), RoceV2Parameters { payload: 248, ..parameters(Recovery::GoBackN) });
    let bytes: Vec<u8> = (0..=253).collect();
    let wanted = Wanted { content: bytes.clone().into(), ..Wanted::of_length(address(1), 1) };
    sender.submit(Instant::ZERO, wanted.numbered(0)).expect("RoCEv2 carries it");
    let packets: Vec<Packet> = std::iter::from_fn(|| sender.transmit(Instant::ZERO)).collect();
    let tails: Vec<&[u8]> = packets.iter().map(tail).collect();
    // Payload, padding to a multiple of four, CRC.
    assert_eq!(tails.iter().map(|tail| tail.len()).collect::<Vec<_>>(), [248 + 4, 6 + 2 + 4]);
    assert_eq!([&tails[0][..248], &tails[1][..6]].concat(), bytes);

    let mut damaged = packets[0].clone();
    let mut changed = tails[0].to_vec();
    changed[100] ^= 1;
    damaged.tail = Tail::Bytes(changed.into());
    let mut receiver = RoceV2::new(address(1), parameters(Recovery::GoBackN));
    assert!(receiver.receive(Instant::ZERO, damaged, &mut Vec::new()).is_err());
}

fn tail(packet: &Packet) -> &[u8] {
    match &packet.tail {
        Tail::Bytes(bytes) => bytes,
        Tail::Length(length) => panic!("{length} bytes that are not there"),
    }
}

#[test]
fn sender_refuses_and_receiver_forgets_too_long_content() {
    let short = RoceV2Parameters { longest_content: 1000, ..parameters(Recovery::GoBackN) };
    let long = Wanted { content: vec![7; 1001].into(), ..Wanted::of_length(address(1), 1) }.numbered(0);
    let refused = RoceV2::new(address(0), short).submit(Instant::ZERO, long.clone());
    assert_eq!(refused, Err((long.clone(), Refusal::LongContent(1000))));

    let mut sender = RoceV2::new(address(0), parameters(Recovery::GoBackN));
    let mut receiver = RoceV2::new(address(1), short);
    sender.submit(Instant::ZERO, long).expect("it may send more");
    let mut notices = Vec::new();
    while let Some(packet) = sender.transmit(Instant::ZERO) {
        receiver.receive(Instant::ZERO, packet, &mut notices).expect("a packet like others");
    }
    let [Notice::Arrived(arrived)] = &notices[..] else { panic!("{notices:?}") };
    assert_eq!(arrived.content, Content::Length(1001));
}
