//! A chip goes on where it was saved.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot};
use machines::Device;
use node::{Node, Port};
use proptest::prelude::*;

use crate::bench::{Bench, Order};

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
