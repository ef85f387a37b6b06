//! What egress is told of the traffic manager, where it is drawn at random.

use std::collections::BTreeSet;

use basis::Instant;
use machines::tofino::TofinoParameters;
use node::{Node, Port};
use wire::Packet;

use crate::bench::{Bench, chip_with};
use crate::manager::support::{Order, PROGRAM, Seen, flag, seen};

/// Returns what egress sees of packets with these numbers that ask for deflection, on a chip with a seed.
fn told(seed: Option<u64>, numbers: std::ops::Range<u64>) -> Vec<Seen> {
    let parameters = TofinoParameters { told: seed, ..TofinoParameters::default() };
    let mut bench = Bench::of(chip_with(PROGRAM, parameters).unwrap());
    let order = Order { port: 4, queue: 3, flags: flag::DEFLECT, ..Order::default() }.packet(4);
    let mut all = Vec::new();
    for number in numbers {
        let mut packet = Packet::of_bytes(&order);
        packet.sidecar.id = number;
        let now = Instant::from_microseconds(1_000_000);
        bench.out.begin(now);
        bench.chip.receive(now, Port(0), &mut vec![packet], &mut bench.out);
        let ends: Vec<_> = bench
            .out
            .transmissions
            .drain(..)
            .map(|sent| crate::bench::End::Sent(sent.port.0, sent.packet.head.bytes().to_vec()))
            .collect();
        all.extend(seen(&ends).into_iter().map(Result::unwrap));
    }
    all
}

#[test]
fn it_depends_on_the_seed_and_the_packet_and_varies() {
    let all = told(Some(1), 0..400);
    assert_eq!(told(Some(1), 100..200), all[100..200], "the packet before does not matter");
    assert_ne!(told(Some(2), 0..400), all);
    let values = |of: &dyn Fn(&Seen) -> u64| all.iter().map(of).collect::<BTreeSet<u64>>();
    assert_eq!(values(&|seen| seen.congestion[0].into()), BTreeSet::from([0, 1, 2, 3]));
    assert_eq!(values(&|seen| seen.congestion[1].into()), BTreeSet::from([0, 1, 2, 3]));
    assert_eq!(values(&|seen| seen.deflected.into()), BTreeSet::from([0, 1]));
    assert!(values(&|seen| seen.pools.into()).len() > 100);
    // Depths of any order of magnitude.
    let depths = values(&|seen| seen.depth.into());
    assert!(depths.contains(&0) && depths.iter().any(|depth| (16..256).contains(depth)));
    assert!(
        depths.iter().any(|depth| (100_000..1 << 19).contains(depth)) && depths.iter().all(|depth| *depth < 1 << 19)
    );
    // Mostly the queue that ingress has chosen.
    let own = all.iter().filter(|seen| seen.queue == 3).count();
    assert!((250..390).contains(&own), "{own}");
}

#[test]
fn without_a_seed_nothing_waits() {
    for seen in told(None, 0..20) {
        assert_eq!((seen.depth, seen.congestion, seen.pools, seen.deflected, seen.queue), (0, [0; 2], 0, 0, 3));
    }
}
