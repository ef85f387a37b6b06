//! No packet is lost, whatever a program asks for, and a chip goes on where it was saved.

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Instant, Rate};
use machines::Device;
use machines::trace::{Pass, Step};
use node::{Control, Node, Port};
use proptest::prelude::*;
use queues::{BufferPlan, DisciplinePlan, OutputPlan, PortPlan};

use crate::bench::{Bench, End, Order};

/// Returns a chip whose ports have links of 1 Gb/s and queues of 400 bytes.
fn with_queues() -> Bench {
    let mut bench = Bench::new();
    let port = PortPlan {
        rate: Rate::from_gigabits_per_second(1),
        framing: 24,
        is_last_hop: false,
        discipline: DisciplinePlan::DropTail { limit: 400 },
    };
    let plan = OutputPlan { ports: vec![port; 72], buffer: BufferPlan::default(), seed: 0 };
    assert!(bench.chip.hold_queues(plan).unwrap().is_none());
    bench
}

/// Lets all links of a chip become free until nothing waits.
fn drain(bench: &mut Bench) -> Vec<End> {
    let mut ends = Vec::new();
    for turn in 1..10_000 {
        let mut readies: Vec<(Port, Instant)> = bench.out.readies.drain(..).collect();
        if readies.is_empty() {
            return ends;
        }
        readies.sort_by_key(|(port, at)| (*at, *port));
        for (port, at) in readies {
            let now = at.max(Instant::from_microseconds(3 + turn));
            bench.out.begin(now);
            bench.chip.control(now, Control::PortReady(port), &mut bench.out);
            ends.extend(bench.ends());
        }
    }
    panic!("the queues do not become empty");
}

/// Returns the number of packets that end in a trace.
fn leaves(pass: &Pass) -> u64 {
    let of_step = |step: &Step| match step {
        Step::Transmit { .. } | Step::Discard { .. } => 1,
        Step::Fork { pass } => leaves(pass),
        // A trace with too many packets only counts how the others ended.
        Step::More(more) => more.ends.values().sum(),
        _ => 0,
    };
    pass.steps.iter().map(of_step).sum()
}

fn order() -> impl Strategy<Value = Vec<u8>> {
    let port = prop_oneof![Just(0x1FF), 0..80u16, any::<u16>()];
    let group = prop_oneof![Just(0), Just(5), Just(6)];
    let session = prop_oneof![Just(9), Just(8)];
    let of = (any::<u8>(), port, group, session, 0..4u8, 0..60usize, 0..12usize);
    of.prop_map(|(flags, port, group, session, again, payload, cut)| {
        let packet = Order { flags, port, group, session, again }.packet(payload);
        // Some packets are too short for their header.
        let length = if cut < 3 { cut } else { packet.len() };
        packet[..length].to_vec()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// `Bench` holds the chip to the conservation of packets after each call.
    #[test]
    fn packets_are_conserved(packets in prop::collection::vec((0..72u16, order()), 1..12)) {
        let (mut bench, mut observed) = (Bench::new(), Bench::new());
        observed.chip.observe().unwrap();
        for (port, packet) in &packets {
            let ends = bench.packet(*port, packet);
            prop_assert!(!ends.is_empty());
            prop_assert_eq!(&ends, &observed.packet(*port, packet));
            let [trace] = &observed.chip.take_traces()[..] else { panic!("a trace for each packet") };
            prop_assert_eq!(leaves(&trace.pass), ends.len() as u64, "{}", trace);
        }
    }

    #[test]
    fn packets_in_queues_are_conserved(packets in prop::collection::vec((0..72u16, order()), 1..40)) {
        let mut bench = with_queues();
        bench.chip.observe().unwrap();
        let mut ends = 0;
        for (port, packet) in &packets {
            ends += bench.packet(*port, packet).len();
        }
        ends += drain(&mut bench).len();
        prop_assert_eq!(node::Station::account(&bench.chip).held, 0);
        let traces = bench.chip.take_traces();
        prop_assert_eq!(traces.len(), packets.len());
        prop_assert_eq!(traces.iter().map(|trace| leaves(&trace.pass)).sum::<u64>(), ends as u64);
    }

    #[test]
    fn a_chip_goes_on_where_it_was_saved(
        before in prop::collection::vec((0..72u16, order()), 1..10),
        after in prop::collection::vec((0..72u16, order()), 1..10),
    ) {
        let mut first = Bench::new();
        before.iter().for_each(|(port, packet)| _ = first.packet(*port, packet));
        let mut saver = Saver::default();
        first.chip.save(&mut saver).unwrap();
        let bytes = saver.into_bytes();
        let mut second = Bench::new();
        second.chip.restore(&mut Loader::new(&bytes)).unwrap();
        for (port, packet) in &after {
            let now = Instant::from_microseconds(5);
            let mut ends = Vec::new();
            for bench in [&mut first, &mut second] {
                bench.out.begin(now);
                bench.chip.receive(now, Port(*port), &mut vec![wire::Packet::of_bytes(packet)], &mut bench.out);
                let sent: Vec<_> = bench.out.transmissions.drain(..).map(|sent| (sent.port, sent.packet)).collect();
                let discarded: Vec<_> = bench.out.discarded.drain(..).map(|lost| lost.reason).collect();
                ends.push((sent, discarded));
            }
            prop_assert_eq!(&ends[0], &ends[1]);
        }
        prop_assert_eq!(first.chip.statistics(), second.chip.statistics());
        let [first, second] = [&first, &second].map(|bench| bench.chip.state().into_owned());
        prop_assert_eq!(first.counters, second.counters);
    }
}
