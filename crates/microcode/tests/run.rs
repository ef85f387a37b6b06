//! What the programs of `programs/microcode` do with packets: each is held against what its algorithm says.

mod common;

use std::collections::BTreeMap;

use common::compile_shipped;
use common::running::Running;
use ir::interpret::threads::ThreadEnding;
use runtime::Bits;
use runtime::meter::MeterRates;
use runtime::tables::{FieldMatch, TableEntry, Target};

/// Makes a UDP packet of so many bytes over IPv4, whose header has a right checksum.
fn udp(source: u32, destination: u32, ports: [u16; 2], ttl: u8, length: usize) -> Vec<u8> {
    let mut packet = vec![0; length];
    packet[..12].copy_from_slice(&[2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8]);
    packet[12..14].copy_from_slice(&[8, 0]);
    packet[14] = 0x45;
    packet[16..18].copy_from_slice(&(length as u16 - 14).to_be_bytes());
    packet[22..24].copy_from_slice(&[ttl, 17]);
    packet[26..30].copy_from_slice(&source.to_be_bytes());
    packet[30..34].copy_from_slice(&destination.to_be_bytes());
    let checksum = !ones_sum(&packet[14..34]);
    packet[24..26].copy_from_slice(&checksum.to_be_bytes());
    packet[34..36].copy_from_slice(&ports[0].to_be_bytes());
    packet[36..38].copy_from_slice(&ports[1].to_be_bytes());
    packet
}

/// The sum of the words of a header in one's complement (RFC 1071).
fn ones_sum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = bytes.chunks(2).map(|word| u32::from(word[0]) << 8 | u32::from(word[1])).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

fn address(text: &str) -> u32 {
    u32::from(text.parse::<std::net::Ipv4Addr>().expect("an address"))
}

#[test]
fn the_filter_counts_what_it_drops() {
    let mut filter = Running::new(compile_shipped("filter"));
    let ip = |first: u8, length: usize| {
        let mut packet = udp(1, 2, [3, 4], 64, length);
        packet[14] = first;
        packet
    };
    let mut arp = ip(0x45, 60);
    arp[12..14].copy_from_slice(&[8, 6]);
    for packet in [&ip(0x45, 64), &arp, &ip(0x46, 100), &ip(0x65, 1500), &ip(0x45, 1500)] {
        assert_eq!(filter.packet(3, packet), ThreadEnding::Done);
    }
    assert_eq!(filter.sent(), [(2, 0, ip(0x45, 64)), (2, 0, ip(0x45, 1500))]);
    assert_eq!(filter.drops(), ["filtered"; 3]);
    // Packets and bytes: those that are not IP, then those with options (figure 6).
    assert_eq!([0, 1, 2, 3].map(|word| filter.word("DROP_CNT_BASE", word)), [1, 60, 2, 1600]);
}

/// A route: prefix, length, and its next hops as port and address.
type Route = (&'static str, u32, &'static [(u64, u64)]);

/// Writes routes into the router's tree of 16, 8 and 8 bits, the shortest first.
fn fill_router(router: &mut Running, routes: &[Route]) {
    const LEAF: u64 = 1 << 62;
    const NODE: u64 = 2 << 62;
    let mut sorted = routes.to_vec();
    sorted.sort_by_key(|route| route.1);
    let (nodes, hops) = (router.address("tree_nodes") / 8, router.address("next_hops") / 8);
    let (mut used_nodes, mut used_hops) = (0, 0);
    for (prefix, length, ways) in sorted {
        let leaf = LEAF | (ways.len() as u64 - 1) << 48 | (hops + used_hops);
        for (port, mac) in ways {
            router.set_word("next_hops", used_hops, port << 48 | mac);
            used_hops += 1;
        }
        let prefix = u64::from(address(prefix));
        // Goes down to the level on which the prefix ends, and makes nodes on the way with what is above them.
        let (mut segment, mut first, mut above) = ("tree_high", prefix >> 16, 16);
        while length > above {
            let entry = router.word(segment, first);
            let node = if entry >> 62 == 2 {
                (entry & 0xffff_ffff) - nodes
            } else {
                let begin = used_nodes * 256;
                (0..256).for_each(|place| router.set_word("tree_nodes", begin + place, entry));
                router.set_word(segment, first, NODE | (nodes + begin));
                used_nodes += 1;
                begin
            };
            above += 8;
            (segment, first) = ("tree_nodes", node + (prefix >> (32 - above) & 255));
        }
        for place in 0..1 << (above - length) {
            router.set_word(segment, first + place, leaf);
        }
    }
}

#[test]
fn the_router_takes_the_longest_prefix_and_spreads_flows() {
    let routes: [Route; 5] = [
        ("10.0.0.0", 8, &[(1, 0xa1)]),
        ("10.1.0.0", 16, &[(2, 0xa2)]),
        ("10.1.2.0", 24, &[(3, 0xa3)]),
        ("10.1.2.128", 25, &[(4, 0xa4)]),
        ("192.168.0.0", 20, &[(5, 0xa5), (6, 0xa6), (7, 0xa7), (8, 0xa8)]),
    ];
    let mut router = Running::new(compile_shipped("router"));
    fill_router(&mut router, &routes);
    let expected = |destination: u32| {
        let covers = |(prefix, length, _): &&Route| destination >> (32 - length) == address(prefix) >> (32 - length);
        routes.iter().filter(covers).max_by_key(|route| route.1).map(|route| route.2)
    };
    let mut ways: BTreeMap<u64, u32> = BTreeMap::new();
    for (place, destination) in [
        "10.9.9.9",
        "10.1.9.9",
        "10.1.2.3",
        "10.1.2.127",
        "10.1.2.128",
        "10.1.2.255",
        "10.1.3.0",
        "192.168.15.255",
        "192.168.16.0",
        "11.0.0.1",
        "9.255.255.255",
    ]
    .iter()
    .enumerate()
    {
        for flow in 0..40 {
            let packet = udp(0x0505_0505, address(destination), [1000 + flow, 53], 64, 80 + place);
            assert_eq!(router.packet(0, &packet), ThreadEnding::Done);
            let sent = router.sent();
            match expected(address(destination)) {
                None => assert_eq!((sent.len(), router.drops()), (0, vec!["no_route".to_owned()]), "{destination}"),
                Some(hops) => {
                    let [(port, 0, bytes)] = &sent[..] else { panic!("{destination}: {sent:?}") };
                    let hop = hops.iter().find(|hop| hop.0 == *port).unwrap_or_else(|| panic!("{destination}: {port}"));
                    *ways.entry(*port).or_default() += 1;
                    let mut wanted = packet.clone();
                    wanted[..6].copy_from_slice(&hop.1.to_be_bytes()[2..]);
                    wanted[6..12].copy_from_slice(&[2, 0, 0, 0, 0, *port as u8]);
                    wanted[22] = 63;
                    wanted[24..26].copy_from_slice(&bytes[24..26]);
                    assert_eq!(*bytes, wanted, "{destination}");
                    assert_eq!(ones_sum(&bytes[14..34]), 0xffff, "the checksum is right");
                    // The same flow takes the same way.
                    router.packet(0, &packet);
                    assert_eq!(router.sent(), sent);
                }
            }
        }
    }
    assert!((5..=8).all(|port| ways.get(&port).is_some_and(|&count| count > 2)), "{ways:?}");
    assert_eq!(router.word("drop_counters", 4), 120, "three destinations without a route, 40 packets each");
}

#[test]
fn the_router_drops_what_it_cannot_route() {
    let mut router = Running::new(compile_shipped("router"));
    fill_router(&mut router, &[("0.0.0.0", 0, &[(1, 1)])]);
    let mut other = udp(1, 2, [3, 4], 64, 60);
    other[12] = 0x86;
    for packet in [&other, &udp(1, 2, [3, 4], 1, 61), &udp(1, 2, [3, 4], 0, 62), &udp(1, 2, [3, 4], 2, 63)] {
        assert_eq!(router.packet(0, packet), ThreadEnding::Done);
    }
    assert_eq!(router.drops(), ["not_ipv4", "ttl_expired", "ttl_expired"]);
    assert_eq!(router.sent().len(), 1);
    assert_eq!([0, 1, 2, 3].map(|word| router.word("drop_counters", word)), [1, 60, 2, 123]);
}

#[test]
fn checksums_of_the_router_are_right_for_all_sums() {
    let mut router = Running::new(compile_shipped("router"));
    fill_router(&mut router, &[("0.0.0.0", 0, &[(1, 1)])]);
    for id in (0..=0xffff_u16).step_by(251).chain([0xfeff, 0xffff, 0xff00]) {
        let mut packet = udp(1, 2, [3, 4], 7, 60);
        packet[18..20].copy_from_slice(&id.to_be_bytes());
        packet[24..26].copy_from_slice(&[0, 0]);
        let checksum = !ones_sum(&packet[14..34]);
        packet[24..26].copy_from_slice(&checksum.to_be_bytes());
        router.packet(0, &packet);
        let sent = router.sent();
        assert_eq!(ones_sum(&sent[0].2[14..34]), 0xffff, "{id}");
    }
}

#[test]
fn the_load_balancer_keeps_flows_at_their_servers() {
    let mut balancer = Running::new(compile_shipped("load_balancer"));
    (0..64).for_each(|place| balancer.set_word("servers", place, (place % 4) << 48 | (0xb0 + place % 4)));
    let mut servers: BTreeMap<u64, u32> = BTreeMap::new();
    for flow in 0..200 {
        let packet = udp(0x0101_0000 + flow, address("10.0.0.1"), [4000, 80], 64, 70);
        balancer.packet(9, &packet);
        balancer.packet(9, &packet);
        let sent = balancer.sent();
        assert_eq!(sent[0], sent[1]);
        assert_eq!(sent[0].2[..6], (0xb0 + sent[0].0).to_be_bytes()[2..]);
        *servers.entry(sent[0].0).or_default() += 1;
    }
    assert!(servers.len() == 4 && servers.values().all(|&count| count > 25), "{servers:?}");
    assert_eq!((0..64).map(|place| balancer.word("served", 2 * place)).sum::<u64>(), 400);
    balancer.packet(9, &udp(1, address("10.0.0.2"), [1, 2], 64, 60));
    assert_eq!(balancer.drops(), ["not_for_us"]);
}

#[test]
fn keepalives_are_made_and_silence_is_told() {
    let mut machine = Running::new(compile_shipped("keepalive"));
    for interval in 0..4 {
        assert_eq!(machine.timer("interval", interval), ThreadEnding::Done);
        let sent = machine.sent();
        assert_eq!(sent.iter().map(|(port, ..)| *port).collect::<Vec<_>>(), [0, 1, 2, 3]);
        for (_, _, bytes) in &sent {
            assert_eq!(bytes.len(), 60);
            assert_eq!(bytes[..14], [1, 0x80, 0xc2, 0, 0, 0x0e, 2, 0, 0, 0, 0, 1, 0x88, 0xb5]);
            assert_eq!(bytes[14..22], [0, 0, 0, 1, 0, 0, 0, interval as u8]);
        }
        // The neighbour on port 2 answers.
        let mut alive = sent[2].2.clone();
        alive[17] = 2;
        machine.packet(2, &alive);
        assert_eq!(machine.drops(), ["keepalive"]);
        let lost: Vec<_> = machine.digests().into_iter().map(|(name, values)| (name, values[0])).collect();
        let expected: &[u64] = if interval == 2 { &[0, 1, 3] } else { &[] };
        assert_eq!(lost, expected.iter().map(|&port| ("neighbour_lost".to_owned(), port)).collect::<Vec<_>>());
    }
}

#[test]
fn telemetry_counts_flows_tells_of_large_ones_and_forgets_idle_ones() {
    let mut machine = Running::new(compile_shipped("telemetry"));
    let flows: Vec<Vec<u8>> = (0..100).map(|flow| udp(7 + flow, 9, [flow as u16, 53], 64, 100)).collect();
    for flow in &flows {
        machine.packet(0, flow);
    }
    for _ in 0..1500 {
        machine.packet(0, &flows[42]);
    }
    let sent = machine.sent();
    assert_eq!(sent.len(), 1600);
    assert!(sent.iter().all(|(port, ..)| *port == 1));
    assert_eq!(machine.state.records[0].len(), 100);
    let interval = |machine: &mut Running, number: u64| {
        for part in 0..64 {
            assert_eq!(machine.timer("look", number * 64 + part), ThreadEnding::Done);
        }
    };
    interval(&mut machine, 0);
    assert_eq!(machine.digests(), [("too_many_packets".to_owned(), vec![49, 9, 1501])]);
    assert_eq!(machine.state.records[0].len(), 100, "all were used before the first interval ended");
    for flow in &flows[..10] {
        machine.packet(0, flow);
    }
    interval(&mut machine, 1);
    assert_eq!(machine.digests(), []);
    assert_eq!(machine.state.records[0].len(), 10, "what was not used in an interval is forgotten");
}

/// Adds an entry to the filter: source address with mask, and the verdict.
fn add_entry(machine: &mut Running, source: (u64, u64), priority: u32, [action, policer]: [u64; 2]) {
    let mask =
        |value: u64, mask: u64| FieldMatch::Mask { value: Bits::from_u64(value, 32), mask: Bits::from_u64(mask, 32) };
    let key = vec![mask(source.0, source.1), FieldMatch::Any, FieldMatch::Any, FieldMatch::Any, FieldMatch::Any];
    let data = vec![Bits::from_u64(action << 56 | policer << 48, 64)];
    let target = Target::Action { action: 0, data };
    machine.state.tables[0].insert(TableEntry { key, priority, target, is_constant: false }).expect("a valid entry");
}

#[test]
fn the_filter_against_floods_passes_drops_and_polices() {
    let mut machine = Running::new(compile_shipped("ddos_filter"));
    add_entry(&mut machine, (0x0a00_0000, 0xff00_0000), 1, [1, 0]);
    add_entry(&mut machine, (0x0a01_0000, 0xffff_0000), 2, [2, 5]);
    add_entry(&mut machine, (0x0a01_0203, 0xffff_ffff), 3, [0, 0]);
    // 1,000 bytes at once, and nearly none afterwards.
    let rates = MeterRates { committed_rate: 1, committed_burst: 1000, peak_rate: 1, peak_burst: 1000 };
    machine.state.meters[0].set(5, Some(rates)).expect("valid rates");
    let mut send = |source: u32| {
        machine.packet(2, &udp(source, 9, [1, 2], 64, 300));
        (machine.sent().len(), machine.drops().pop())
    };
    assert_eq!(send(0x0b00_0001), (1, None), "no entry");
    assert_eq!(send(0x0a02_0001), (0, Some("filtered".to_owned())));
    assert_eq!(send(0x0a01_0203), (1, None), "the entry of the highest priority");
    for place in 0..5 {
        let expected = if place < 3 { (1, None) } else { (0, Some("limited".to_owned())) };
        assert_eq!(send(0x0a01_0001), expected, "{place}");
    }
    assert_eq!([0, 1].map(|word| machine.word("filtered_counter", word)), [1, 300]);
    assert_eq!([0, 1].map(|word| machine.word("limited_counter", word)), [2, 600]);
}

#[test]
fn tails_are_inspected_to_their_end() {
    let mut machine = Running::new(compile_shipped("tail_inspection"));
    // Words at multiples of 4 behind the head of 192 bytes are seen, wherever they are in the tail.
    for (place, is_found) in
        [(192, true), (196, true), (252, true), (256, true), (1000, true), (1496, true), (194, false)]
    {
        let mut packet = udp(1, 2, [3, 4], 64, 1500);
        packet[place..place + 4].copy_from_slice(&[0xde, 0xad, 0xbe, 0xef]);
        assert_eq!(machine.packet(4, &packet), ThreadEnding::Done);
        let (sent, drops) = (machine.sent(), machine.drops());
        if is_found {
            assert_eq!((sent.len(), drops), (0, vec!["found".to_owned()]), "{place}");
        } else {
            assert_eq!((sent, drops.len()), (vec![(5, 0, packet)], 0), "{place}");
        }
    }
    let mut short = udp(1, 2, [3, 4], 64, 192);
    short[188..].copy_from_slice(&[0xde, 0xad, 0xbe, 0xef]);
    machine.packet(4, &short);
    assert_eq!(machine.sent().len(), 1, "the head is not inspected");
    assert_eq!(machine.word("found_counter", 0), 6);
}

#[test]
fn the_mix_chooses_by_packet() {
    let mut machine = Running::new(compile_shipped("mix"));
    let echo = udp(0x0a00_0001, 0x0a00_0002, [5555, 7], 64, 90);
    machine.packet(6, &echo);
    let mut answer = udp(0x0a00_0002, 0x0a00_0001, [7, 5555], 64, 90);
    answer[..12].copy_from_slice(&[2, 0, 0, 0, 0, 8, 2, 0, 0, 0, 0, 9]);
    assert_eq!(machine.sent(), [(6, 0, answer)]);
    for client in 0..50 {
        machine.packet(6, &udp(client, 0x0a00_0002, [5555, 53], 64, 80));
    }
    machine.packet(6, &udp(1, 0x0a00_0002, [5555, 99], 64, 80));
    assert_eq!(machine.sent().len(), 51);
    let counted: (u64, u64) = (0..1024).fold((0, 0), |(packets, bytes), place| {
        (packets + machine.word("clients", 2 * place), bytes + machine.word("clients", 2 * place + 1))
    });
    assert_eq!(counted, (50, 4000));
}
