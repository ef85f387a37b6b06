//! Published traces, of two files and a name: refused with reasons, or packets in order, each with a flow's accesses.

#![no_main]

use libfuzzer_sys::fuzz_target;
use traffic::{Input, PublishedShape, PublishedTrace};

fuzz_target!(|data: &[u8]| {
    let (flows, rest) = fuzz::parts(data);
    let (packets, name) = fuzz::parts(rest);
    PublishedShape::from_name(&String::from_utf8_lossy(name));
    match PublishedTrace::read(&Input::of_bytes("flows.csv", flows), &Input::of_bytes("packets.csv", packets)) {
        Err((sources, found)) => {
            assert!(found.has_errors(), "refused without a reason");
            found.render(&sources, true);
        }
        Ok(trace) => {
            assert_eq!(trace.packets().count(), trace.len());
            assert_eq!(trace.is_empty(), trace.len() == 0);
            assert!(trace.packets().is_sorted_by_key(|(packet, _)| (packet.cycle, packet.port)));
            for accesses in trace.flows().chain(trace.packets().map(|(_, accesses)| accesses)) {
                assert!(accesses.is_sorted_by(|one, next| one.stage < next.stage), "{accesses:?}");
            }
        }
    }
});
