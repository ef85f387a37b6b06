//! Published traces, of two files and a name: refused with reasons, or packets in order, each with a flow's accesses;
//! and replayed, all of them come.

#![no_main]

use basis::Duration;
use libfuzzer_sys::fuzz_target;
use runtime::binding::{Binding, FieldShape};
use traffic::{Input, Making, Published, PublishedShape, PublishedTrace, Traffic, TrafficSource};

fuzz_target!(|data: &[u8]| {
    let (flows, rest) = fuzz::parts(data);
    let (packets, name) = fuzz::parts(rest);
    let name = String::from_utf8_lossy(name);
    PublishedShape::from_name(&name);
    let (flows, packets) = (Input::of_bytes("flows.csv", flows), Input::of_bytes(name, packets));
    replay(&flows, &packets);
    match PublishedTrace::read(&flows, &packets) {
        Err((sources, found)) => {
            assert!(found.has_errors(), "refused without a reason");
            found.render(&sources, true);
        }
        Ok(trace) => {
            assert_eq!(trace.packets().count(), trace.len());
            assert!(trace.packets().is_sorted_by_key(|(packet, _)| (packet.cycle, packet.port)));
            for accesses in trace.flows().chain(trace.packets().map(|(_, accesses)| accesses)) {
                assert!(accesses.is_sorted_by(|one, next| one.stage < next.stage), "{accesses:?}");
            }
        }
    }
});

fn replay(flows: &Input, packets: &Input) {
    for fields in [&["sport"], &["x"]] {
        let shapes = fields.map(|name| FieldShape { name, width: 32 });
        let program = Binding::resolve(&shapes, None).expect("names alone are always right");
        let published = Published { packets: packets.clone(), flows: flows.clone(), making: Making::default() };
        match Traffic::new(TrafficSource::Published(published)).prepare(&program, 4, Duration::from_nanoseconds(1)) {
            Err((_, found)) => assert!(found.has_errors(), "refused without a reason"),
            Ok(prepared) => {
                let mut stream = prepared.packets();
                let offered: Vec<_> = stream.by_ref().collect();
                assert_eq!(stream.trouble(), None);
                assert_eq!(offered.len() as u64, prepared.count());
                assert!(offered.iter().all(|offered| offered.port.0 < Traffic::PORTS));
                assert!(offered.is_sorted_by_key(|offered| (offered.at, offered.port.0)));
            }
        }
    }
}
