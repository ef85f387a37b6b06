//! Captures: pcap and pcapng of any bytes are read to their end in bounded memory, every packet's headers are found,
//! what was read is the same after it was written and read again, and a replay gives the packets it has promised.

#![no_main]

use basis::Duration;
use libfuzzer_sys::fuzz_target;
use runtime::binding::Binding;
use traffic::{Input, Pace, Replay, Traffic, TrafficSource};
use wire::capture::{Captured, PcapWriter, PcapngWriter, Reader, Resolution, Timestamp};
use wire::{FiveTuple, Layers, LinkLayer};

fuzz_target!(|data: &[u8]| {
    let packets = read(data);
    for captured in &packets {
        let packet = &captured.packet;
        let layers = Layers::of(packet);
        FiveTuple::of(packet);
        assert!(layers.transport.is_none_or(|at| at <= packet.head.len()));
        assert!(packet.len() as u64 == u64::from(packet.sidecar.original_length));
    }
    round_trip(&packets, LinkLayer::Ethernet);
    replay(data, &packets);
});

fn read(bytes: &[u8]) -> Vec<Captured> {
    let mut reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(fault) => {
            assert!(fault.is_fatal && !fault.to_string().is_empty());
            return Vec::new();
        }
    };
    let mut packets = Vec::new();
    for item in reader.by_ref() {
        match item {
            Ok(captured) => packets.push(captured),
            Err(fault) => assert!(!fault.to_string().is_empty()),
        }
    }
    assert_eq!(reader.tally().packets, packets.len() as u64);
    assert!(reader.next().is_none(), "a reader that has ended stays at its end");
    packets
}

/// Written and read again, packets are the same; and so are their times, as far as the format holds them.
fn round_trip(packets: &[Captured], link: LinkLayer) {
    let mut pcap = PcapWriter::new(Vec::new(), link, Resolution::Nanoseconds).unwrap();
    let mut pcapng = PcapngWriter::new(Vec::new(), link).unwrap();
    for captured in packets {
        let time = captured.time.unwrap_or_default();
        pcap.write(time, &captured.packet).unwrap();
        pcapng.write(time, &captured.packet).unwrap();
    }
    for (bytes, is_pcap) in [(pcap.finish().unwrap(), true), (pcapng.finish().unwrap(), false)] {
        let again = read(&bytes);
        assert_eq!(again.len(), packets.len());
        for (again, first) in again.iter().zip(packets) {
            assert_eq!((&again.packet.head, &again.packet.tail), (&first.packet.head, &first.packet.tail));
            let time = first.time.unwrap_or_default();
            if is_pcap && u32::try_from(time.seconds).is_ok() {
                let nanoseconds = Timestamp::new(time.seconds, time.picoseconds / 1000 * 1000);
                assert_eq!(again.time, Some(nanoseconds));
            }
        }
    }
}

/// Packets of a replay: what is beyond says nothing new.
const MOST: u64 = 60;

/// A capture that is accepted with its faults plays all of its packets, in order of time.
fn replay(data: &[u8], packets: &[Captured]) {
    let program = Binding::record(vec![32]);
    for (pace, repeat) in [
        (Pace::LineRate, 2),
        (Pace::Timestamps { numerator: 1, denominator: 1 }, 3),
        (Pace::Timestamps { numerator: u32::MAX, denominator: 2 }, 50),
    ] {
        let input = Input::of_bytes("fuzz.pcap", data);
        let plan = Traffic {
            packets: Some(MOST),
            ..Traffic::new(TrafficSource::Capture(Replay { input, pace, repeat, accepts_faults: true }))
        };
        match plan.prepare(&program, 4, Duration::from_nanoseconds(1)) {
            Err((sources, found)) => {
                assert!(found.has_errors(), "refused without a reason");
                found.render(&sources, false);
            }
            Ok(prepared) => {
                let (sources, found) = prepared.warnings();
                found.render(sources, true);
                let mut stream = prepared.packets();
                let offered: Vec<_> = stream.by_ref().collect();
                assert_eq!(stream.trouble(), None);
                assert_eq!(offered.len() as u64, prepared.count());
                assert_eq!(prepared.count(), (packets.len() as u64).saturating_mul(repeat.into()).min(MOST));
                assert!(offered.iter().all(|offered| offered.port.0 < plan.ports));
                assert!(offered.is_sorted_by_key(|offered| (offered.at, offered.port.0)));
                // Else time has ended, which is refused.
                assert!(offered.iter().all(|offered| offered.at.picoseconds() < u64::MAX));
            }
        }
    }
}
