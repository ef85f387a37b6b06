//! Generated traffic: rates, lengths and contents.

mod common;

use std::collections::BTreeMap;

use common::{packets, plan, prepare, values};
use node::Offered;
use proptest::prelude::*;
use wire::{FiveTuple, LinkLayer, Tcp};

const WIRE: [&str; 3] = ["sport", "dport", "next_hop"];

fn per_port(packets: &[Offered]) -> BTreeMap<u16, Vec<&Offered>> {
    let mut ports: BTreeMap<u16, Vec<&Offered>> = BTreeMap::new();
    packets.iter().for_each(|offered| ports.entry(offered.port.0).or_default().push(offered));
    ports
}

#[test]
fn ports_are_always_busy_from_a_random_phase_on() {
    let all = packets(&plan("uniform:packets=6400"), &WIRE);
    let ports = per_port(&all);
    assert_eq!(ports.len(), 64);
    for offered in ports.values() {
        assert!(offered[0].at.picoseconds() < 16_000, "(64 / 64) * (64 / 4) cycles of 1 ns");
        let gaps = offered.windows(2).map(|pair| pair[1].at.since(pair[0].at).picoseconds());
        assert!(gaps.into_iter().all(|gap| gap == 16_000));
    }
    let phases: Vec<u64> = ports.values().map(|offered| offered[0].at.picoseconds()).collect();
    let mean = phases.iter().sum::<u64>() / 64;
    assert!((6_000..10_000).contains(&mean), "{mean}"); // 8000 expected, standard deviation 577
}

#[test]
fn longer_packets_come_less_often_without_rounding_loss() {
    // 3 pipelines and 64 ports: a gap of 64/3 * 1000 * size/64 ps is never whole.
    let all = packets(&plan("uniform:packets=64000,size=64..1500,pipelines=3"), &WIRE);
    for offered in per_port(&all).values() {
        let mut bytes = 0;
        for packet in &offered[1..] {
            bytes += packet.packet.len() as u64;
            let exact = bytes * 1000 / 3; // ps: bytes / 64 * 64 / 3 cycles
            let measured = packet.at.since(offered[0].at).picoseconds();
            assert!(measured.abs_diff(exact) <= 1, "{measured} {exact}");
        }
    }
}

#[test]
fn programs_that_read_headers_get_valid_ones() {
    let all = packets(&plan("uniform:packets=5000,flows=20,protocol=udp,size=bimodal"), &WIRE);
    let binding = common::program(&WIRE);
    let mut flows = BTreeMap::new();
    for offered in &all {
        let mut fields = [0; 3];
        assert!(binding.load(&offered.packet, offered.port.0, &mut fields));
        *flows.entry(FiveTuple::of(&offered.packet).unwrap()).or_insert(0u32) += 1;
        let size = offered.packet.len();
        assert!((136..=264).contains(&size) || (1300..=1500).contains(&size), "{size}");
        assert_eq!(offered.packet.sidecar.original_length as usize, size);
    }
    assert_eq!(flows.len(), 20);
    assert!(flows.values().all(|&count| (170..330).contains(&count)), "{flows:?}"); // 250 expected
    let long = all.iter().filter(|offered| offered.packet.len() > 1000).count();
    assert!((2350..2650).contains(&long), "{long}");
}

#[test]
fn flows_stay_on_their_port_and_count_their_bytes() {
    let all = packets(&plan("hadoop:packets=50000,active=2,ports=16"), &WIRE);
    let mut flows: BTreeMap<FiveTuple, Vec<&Offered>> = BTreeMap::new();
    all.iter().for_each(|offered| flows.entry(FiveTuple::of(&offered.packet).unwrap()).or_default().push(offered));
    assert!(flows.len() > 100, "flows must end and others begin: {}", flows.len());
    for offered in flows.values() {
        let mut sent = 0;
        for packet in offered {
            assert_eq!(packet.port, offered[0].port);
            let head = packet.packet.head.bytes();
            assert_eq!(Tcp::new(&head[34..]).unwrap().sequence(), sent);
            sent += packet.packet.len() as u32 - 54;
        }
    }
}

#[test]
fn records_have_a_value_per_field() {
    let fields = ["mux", "h1", "arrival", "length", "port", "n", "flow", "fixed", "mine"];
    let text = "skewed:flows=100,packets=20000,size=200,field.mux=0..1,field.n=sequence,field.flow=flow,field.fixed=-7,\
                field.mine=per-flow(5)";
    let all = packets(&plan(text), &fields);
    let mut of_flow = BTreeMap::new();
    let (mut ones, mut hot) = (0, 0);
    for (number, offered) in all.iter().enumerate() {
        let values = values(offered);
        let &[mux, h1, arrival, length, port, n, flow, fixed, mine] = &values[..] else { panic!() };
        assert!(mux <= 1 && h1 < 100 && flow < 100 && mine < 5);
        ones += mux;
        hot += u32::from(h1 < 30);
        assert_eq!(u64::from(arrival), offered.at.microseconds());
        assert_eq!((length, port, n, fixed as i32), (200, u32::from(offered.port.0), number as u32, -7));
        assert_eq!(*of_flow.entry(flow).or_insert(mine), mine);
        assert_eq!((offered.packet.len(), offered.packet.sidecar.link), (200, LinkLayer::Record));
    }
    assert!((9_700..10_300).contains(&ones), "{ones}");
    assert!((18_850..19_150).contains(&hot), "{hot}"); // 19,000 expected, standard deviation 31
}

#[test]
fn the_seed_determines_the_packets() {
    for kind in ["uniform", "skewed", "websearch", "uniform:form=record"] {
        let prepared = prepare(&plan(kind), &WIRE).unwrap();
        assert!(prepared.packets().eq(prepared.packets()), "{kind}");
        let mut other = plan(kind);
        other.seed = 2;
        assert!(!prepared.packets().eq(prepare(&other, &WIRE).unwrap().packets()), "{kind}");
    }
}

#[test]
fn the_packets_of_a_seed_never_change() {
    // The bytes of every result depend on these: a change here would change every number that we have published.
    let all = packets(&plan("skewed:packets=3,flows=512"), &WIRE);
    let seen: Vec<String> = all
        .iter()
        .map(|offered| {
            let flow = FiveTuple::of(&offered.packet).unwrap();
            let (source, destination) = flow.ports.unwrap();
            let (from, to) = (flow.source, flow.destination);
            format!("{} {} {from}:{source} {to}:{destination}", offered.at.picoseconds(), offered.port.0)
        })
        .collect();
    assert_eq!(seen, GOLDEN);
}

const GOLDEN: [&str; 3] = [
    "14 49 10.47.31.85:43080 172.28.167.100:80",
    "23 34 10.129.42.6:47851 172.16.86.42:80",
    "667 44 10.91.180.17:59951 172.30.91.193:9000",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn packets_are_in_order_of_time_and_port(
        kind in prop::sample::select(vec!["uniform", "skewed", "websearch", "hadoop"]),
        size in prop::sample::select(vec!["64", "bimodal", "64..1500", "9216"]),
        ports in 1..200u16,
        pipelines in 1..=64u16,
        seed in any::<u64>(),
    ) {
        let text = format!("{kind}:packets=2000,size={size},ports={ports},pipelines={pipelines},seed={seed}");
        let all = packets(&plan(&text), &WIRE);
        prop_assert_eq!(all.len(), 2000);
        prop_assert!(all.windows(2).all(|pair| (pair[0].at, pair[0].port) <= (pair[1].at, pair[1].port)));
        prop_assert!(all.iter().all(|offered| offered.port.0 < ports));
        // The whole switch is offered line rate, 64 bytes per cycle and pipeline, except during the first phases.
        let bytes: u64 = all.iter().map(|offered| offered.packet.len() as u64).sum();
        let ideal = bytes * 1000 / 64 / u64::from(pipelines);
        let slack = u64::from(ports) * 9216 * 1000 / 64 / u64::from(pipelines);
        let last = all.last().unwrap().at.picoseconds();
        prop_assert!(last <= ideal + slack && last + slack >= ideal, "{last} {ideal} {slack}");
    }
}
