//! The effects of fault rules on the packets of a single link.

use basis::{Duration, Instant, Rate};
use netsim::faults::reasons;
use netsim::faults::{Burst, Fate, FaultKind, LinkFaults, LinkSet, Packets, Rule, Strikes};
use netsim::topology::{CableProperties, SingleSwitch, Topology, single_switch};
use node::Reason;
use proptest::prelude::*;
use queues::DscpSet;
use wire::{Ethernet, Ipv4, Packet, Sidecar, Tail, ether_type};

/// Returns two hosts, which are stations 0 and 1, around a switch, which is station 2.
fn network() -> Topology {
    let link = CableProperties::ethernet(Rate::from_gigabits_per_second(100), Duration::from_microseconds(1));
    single_switch(&SingleSwitch { hosts: 2, link }).expect("a topology")
}

/// Returns the rules on the link from host 0 to the switch.
fn link_of(rules: &[Rule], seed: u64) -> LinkFaults {
    LinkFaults::new(rules, &network(), (0, 0), 2, seed).expect("rules that act there")
}

fn at(nanoseconds: u64) -> Instant {
    Instant::ZERO + Duration::from_nanoseconds(nanoseconds)
}

fn nanoseconds(nanoseconds: u64) -> Duration {
    Duration::from_nanoseconds(nanoseconds)
}

/// Returns a packet with a number and a length, whose head is Ethernet and IPv4.
fn packet(number: u64, length: u32, dscp: u8) -> Packet {
    let mut head = [0; 34];
    Ethernet::new(&mut head[..]).expect("it fits").set_ether_type(ether_type::IPV4);
    let mut ip = Ipv4::new(&mut head[14..]).expect("it fits");
    ip.set_version_and_length(0x45);
    ip.set_traffic_class(dscp << 2);
    Packet::new(&head, Tail::Length(length - 34), Sidecar { id: number, ..Sidecar::default() })
}

/// Returns the fates of packets 1, 2, …, one of which starts each 100 ns and takes 1000 ns: when each arrived, or why
/// not.
fn fates(faults: &mut LinkFaults, count: u64) -> Vec<(u64, Result<Instant, Reason>)> {
    let mut fates = Vec::new();
    for number in 1..=count {
        faults.pass(at(100 * number), at(100 * number + 1000), packet(number, 1500, 0), &mut fates);
    }
    let tell = |fate: Fate| match fate {
        Fate::Arrives { at, packet } => (packet.sidecar.id, Ok(at)),
        Fate::Lost { reason, packet } => (packet.sidecar.id, Err(reason)),
        Fate::Damaged { packet } => (packet.sidecar.id, Err(reasons::CHECK_SEQUENCE)),
    };
    fates.into_iter().map(tell).collect()
}

/// Returns the numbers of the packets that did not arrive.
fn lost(rules: &[Rule], count: u64, seed: u64) -> Vec<u64> {
    let fates = fates(&mut link_of(rules, seed), count);
    fates.into_iter().filter_map(|(number, fate)| fate.is_err().then_some(number)).collect()
}

fn numbers(kind: FaultKind, numbers: &[u64]) -> Rule {
    Rule { strikes: Strikes::Numbers(numbers.to_vec()), ..Rule::new(kind) }
}

#[test]
fn loses_exactly_the_named_packets() {
    let mut faults = link_of(&[numbers(FaultKind::Loss, &[2, 3])], 1);
    let expected =
        [(1, Ok(at(1100))), (2, Err(reasons::INJECTED_LOSS)), (3, Err(reasons::INJECTED_LOSS)), (4, Ok(at(1400)))];
    assert_eq!(fates(&mut faults, 4), expected);
}

#[test]
fn a_rule_sees_what_previous_rules_left() {
    let rules = [numbers(FaultKind::Loss, &[1, 2]), numbers(FaultKind::Corruption, &[1])];
    let mut faults = link_of(&rules, 1);
    let expected = [
        (1, Err(reasons::INJECTED_LOSS)),
        (2, Err(reasons::INJECTED_LOSS)),
        (3, Err(reasons::CHECK_SEQUENCE)),
        (4, Ok(at(1400))),
    ];
    assert_eq!(fates(&mut faults, 4), expected);
    let tallies: Vec<_> = faults.tallies().map(|tally| (tally.rule, tally.seen, tally.struck)).collect();
    assert_eq!(tallies, [(0, 4, 2), (1, 2, 1)]);
}

#[test]
fn copies_pass_the_later_rules_independently() {
    let rules = [
        numbers(FaultKind::Loss, &[1]),
        Rule::new(FaultKind::Duplication { later: nanoseconds(5) }),
        // Of the two packets that the first rule left, and their copies, one original and the other's copy are struck.
        numbers(FaultKind::Loss, &[1, 4]),
    ];
    let expected = [
        (1, Err(reasons::INJECTED_LOSS)),
        (2, Err(reasons::INJECTED_LOSS)),
        (2, Ok(at(1205))),
        (3, Ok(at(1300))),
        (3, Err(reasons::INJECTED_LOSS)),
    ];
    assert_eq!(fates(&mut link_of(&rules, 1), 3), expected);
}

#[test]
fn a_link_going_down_loses_packets_on_it_and_new_ones() {
    // Packet n is on the link from 100 n to 100 n + 1000 ns.
    let down = Rule { from: at(1300), until: at(1700), ..Rule::new(FaultKind::Down) };
    // Packet 3 arrives just as the link goes down, and packet 17 starts just as it is up again.
    assert_eq!(lost(&[down], 30, 1), (4..=16).collect::<Vec<_>>());
}

#[test]
fn rules_act_in_their_time_on_the_packets_they_name() {
    let in_time = Rule { from: at(300), until: at(600), ..Rule::new(FaultKind::Loss) };
    assert_eq!(lost(&[in_time], 10, 1), [3, 4, 5]);
    let mut faults = link_of(
        &[Rule {
            packets: Packets { dscps: Some(DscpSet::EMPTY.with(46)), shortest: 100, longest: 200 },
            ..Rule::new(FaultKind::Loss)
        }],
        1,
    );
    let mut is_lost = |packet: Packet| {
        let mut fates = Vec::new();
        faults.pass(at(0), at(1), packet, &mut fates);
        matches!(fates[..], [Fate::Lost { .. }])
    };
    assert!(is_lost(packet(1, 100, 46)) && is_lost(packet(1, 200, 46)));
    assert!(!is_lost(packet(1, 99, 46)) && !is_lost(packet(1, 201, 46)) && !is_lost(packet(1, 150, 0)));
    assert!(!is_lost(Packet::of_bytes(&[0; 150])), "packets without a code point match no code point");
}

#[test]
fn delayed_packets_are_overtaken_unless_order_is_kept() {
    let held_back = |keeps_order| {
        let kind = FaultKind::Delay { least: nanoseconds(250), most: nanoseconds(250), keeps_order };
        fates(&mut link_of(&[numbers(kind, &[2])], 1), 5).into_iter().map(|(_, fate)| fate.expect("no packet is lost"))
    };
    assert_eq!(held_back(false).collect::<Vec<_>>(), [1100, 1450, 1300, 1400, 1500].map(at));
    assert_eq!(held_back(true).collect::<Vec<_>>(), [1100, 1450, 1450, 1450, 1500].map(at));
}

#[test]
fn undetected_damage_changes_bits_but_not_the_length() {
    let rule = Rule::new(FaultKind::UndetectedCorruption { bits: 3 });
    let mut faults = link_of(&[rule], 1);
    for number in 0..50 {
        let before = packet(number, 64, 0);
        let mut fates = Vec::new();
        faults.pass(at(0), at(1), before.clone(), &mut fates);
        let [Fate::Arrives { packet, .. }] = &fates[..] else { panic!("{fates:?}") };
        assert!(*packet != before && packet.len() == 64);
    }
}

#[test]
fn selects_links_of_or_between_stations() {
    let topology = network();
    let on = |links: LinkSet| {
        let rule = [Rule { links, ..Rule::new(FaultKind::Loss) }];
        let ends = [((0, 0), 2), ((2, 0), 0), ((1, 0), 2), ((2, 1), 1)];
        ends.map(|(from, to)| LinkFaults::new(&rule, &topology, from, to, 1).is_some())
    };
    assert_eq!(on(LinkSet::All), [true; 4]);
    assert_eq!(on(LinkSet::OfHosts), [true; 4]);
    assert_eq!(on(LinkSet::FromHosts), [true, false, true, false]);
    assert_eq!(on(LinkSet::ToHosts), [false, true, false, true]);
    assert_eq!(on(LinkSet::Of(vec![0])), [true, true, false, false]);
    let between = |both_ways| LinkSet::Between { from: vec![0], to: vec![2], both_ways };
    assert_eq!(on(between(false)), [true, false, false, false]);
    assert_eq!(on(between(true)), [true, true, false, false]);
    assert_eq!(on(LinkSet::Between { from: vec![0], to: vec![1], both_ways: true }), [false; 4]);
}

#[test]
fn each_rule_and_link_has_its_own_random_stream() {
    let half = Rule { strikes: Strikes::Probability(0.5), ..Rule::new(FaultKind::Loss) };
    let rules = std::slice::from_ref(&half);
    let of_link = |from: (usize, u16), to: usize| {
        let mut faults = LinkFaults::new(rules, &network(), from, to, 1).expect("a rule");
        fates(&mut faults, 64)
    };
    assert_eq!(lost(rules, 64, 1), lost(rules, 64, 1));
    assert_ne!(lost(rules, 64, 1), lost(rules, 64, 2), "draws depend on the seed of the run");
    assert_ne!(lost(rules, 64, 1), lost(&[Rule { seed: 1, ..half.clone() }], 64, 1), "draws depend on the rule's seed");
    assert_ne!(of_link((0, 0), 2), of_link((1, 0), 2), "draws depend on the link");
    // The first of two equal rules loses the same packets as alone, and the second one loses others.
    let twice = [half.clone(), half.clone()];
    let mut faults = link_of(&twice, 1);
    fates(&mut faults, 4096);
    let struck: Vec<_> = faults.tallies().map(|tally| (tally.seen, tally.struck)).collect();
    assert_eq!(struck[0].1 as usize, lost(rules, 4096, 1).len());
    // About half of the 2,048 packets that are left; the standard deviation is 23.
    assert!((900..1150).contains(&struck[1].1), "{struck:?}");
}

fn any_strikes() -> impl Strategy<Value = Strikes> {
    let part = || 0.0..=1.0f64;
    prop_oneof![
        Just(Strikes::Always),
        part().prop_map(Strikes::Probability),
        (1..9u64).prop_map(Strikes::Every),
        prop::collection::vec(1..60u64, 0..9).prop_map(Strikes::Numbers),
        [part(), part(), part(), part()].prop_map(|[begins, ends, in_good, in_bad]| Strikes::Burst(Burst {
            begins,
            ends,
            in_good,
            in_bad
        })),
    ]
}

fn any_kind() -> impl Strategy<Value = FaultKind> {
    prop_oneof![
        Just(FaultKind::Loss),
        Just(FaultKind::Corruption),
        (1..20u16).prop_map(|bits| FaultKind::UndetectedCorruption { bits }),
        (0..3000u64).prop_map(|later| FaultKind::Duplication { later: nanoseconds(later) }),
        (0..500u64, 0..3000u64, any::<bool>()).prop_map(|(least, more, keeps_order)| FaultKind::Delay {
            least: nanoseconds(least),
            most: nanoseconds(least + more),
            keeps_order
        }),
        Just(FaultKind::Down),
    ]
}

fn any_rule() -> impl Strategy<Value = Rule> {
    (any_kind(), any_strikes(), 0..4000u64, 1..4000u64, any::<u64>()).prop_map(|(kind, strikes, from, length, seed)| {
        Rule { from: at(from), until: at(from + length), strikes, seed, ..Rule::new(kind) }
    })
}

proptest! {
    #[test]
    fn every_packet_and_copy_has_one_fate_in_time(
        rules in prop::collection::vec(any_rule(), 1..6),
        seed in any::<u64>(),
    ) {
        let mut faults = link_of(&rules, seed);
        let all = fates(&mut faults, 50);
        let is_copying = |rule: usize| matches!(rules[rule].kind, FaultKind::Duplication { .. });
        let copies: u64 = faults.tallies().filter(|tally| is_copying(tally.rule)).map(|tally| tally.struck).sum();
        prop_assert_eq!(all.len() as u64, 50 + copies);
        for (number, fate) in &all {
            prop_assert!(fate.is_err() || *fate >= Ok(at(100 * number + 1000)));
        }
        // Every packet has at least one fate, and fates are in the order of packets.
        let mut numbers: Vec<u64> = all.iter().map(|(number, _)| *number).collect();
        prop_assert!(numbers.is_sorted());
        numbers.dedup();
        prop_assert_eq!(numbers, (1..=50).collect::<Vec<u64>>());
        prop_assert_eq!(fates(&mut link_of(&rules, seed), 50), all);
    }

    #[test]
    fn a_rule_that_keeps_the_order_prevents_overtaking(
        strikes in any_strikes(), least in 0..500u64, more in 0..9000u64, seed in any::<u64>(),
    ) {
        let kind = FaultKind::Delay { least: nanoseconds(least), most: nanoseconds(least + more), keeps_order: true };
        let all = fates(&mut link_of(&[Rule { strikes, ..Rule::new(kind) }], seed), 50);
        prop_assert!(all.is_sorted_by_key(|(_, fate)| fate.expect("no packet is lost")));
    }
}
