//! Intrinsic metadata, state that stays between packets, and what reaches the control plane.

use basis::Instant;
use control::{
    CounterNumber, CounterRequest, DigestNumber, ElementSelection, MeterNumber, MeterRequest, RegisterNumber,
    RegisterRequest, Request, Response,
};
use machines::Device;
use machines::blocks::Digest;
use machines::v1model::V1modelParameters;
use measure::Event;
use runtime::{Bits, Count, MeterRates};
use wire::Packet;

use crate::support::{Outcome, bench, bench_with};

#[test]
fn sets_timestamps_and_lengths() {
    let ingress = "  if hdr.h.a == 1u8 {
    set_valid hdr.more
  }
  @seen[0u4] = standard_metadata.ingress_global_timestamp
  @seen[1u4] = bit<48>(standard_metadata.packet_length)
  @seen[2u4] = bit<48>(standard_metadata.ingress_port)
  standard_metadata.egress_spec = 6u9";
    let egress = "  @seen[3u4] = standard_metadata.egress_global_timestamp
  @seen[4u4] = bit<48>(standard_metadata.packet_length)
  @seen[5u4] = bit<48>(standard_metadata.egress_port)
  @seen[6u4] = bit<48>(standard_metadata.enq_timestamp)
  @seen[7u4] = bit<48>(standard_metadata.egress_spec)";
    let mut bench = bench(ingress, egress);
    bench.receive_at(Instant::from_picoseconds(5_999_999), 3, Packet::of_bytes(&[1, 2, 3, 4]));
    assert_eq!(bench.switch.state().registers.array(0)[..8], [5, 4, 3, 5, 6, 6, 5, 0]);
    bench.receive_at(Instant::from_microseconds(9), 3, Packet::of_bytes(&[0, 2, 3, 4]));
    assert_eq!(bench.switch.state().registers.array(0)[4], 4);
}

#[test]
fn digests_are_emitted_and_queued() {
    let ingress = "  digest message(hdr.h.a, 515u16)\n  hdr.h.a = 9u8\n  digest message(hdr.h.a, 1u16)";
    let mut bench = bench(ingress, "");
    let event =
        |first: u64, second: u64| Event::of(Digest { digest: 0, values: [[first].into(), [second].into()].into() });
    assert_eq!(bench.packet(&[7, 0, 0]).events, [event(7, 515), event(9, 1)]);
    let values = |first, second| vec![Bits::from_u64(first, 8), Bits::from_u64(second, 16)];
    let waiting = bench.control(Request::TakeDigests(DigestNumber(0)));
    assert_eq!(waiting, Response::Digests(vec![values(7, 515), values(9, 1)]));
    assert_eq!(bench.switch.statistics().digests, 2);
}

#[test]
fn control_plane_reads_counters_and_writes_registers() {
    let mut bench = bench("  count counted[hdr.h.a]\n  hdr.h.b = bit<8>(@seen[9u4])", "");
    bench.packet(&[2, 0, 0, 0]);
    bench.packet(&[2, 0, 0]);
    bench.packet(&[200, 0, 0]);
    let counter = |place| Request::Counter(CounterNumber(0), CounterRequest::Read(place));
    let counted = Count { packets: 2, bytes: 7 };
    assert_eq!(bench.control(counter(ElementSelection::Index(2))), Response::Counters(vec![counted]));
    let write = RegisterRequest::Write(Some(9), vec![Bits::from_u64(33, 48)]);
    bench.control(Request::Register(RegisterNumber(0), write));
    assert_eq!(bench.packet(&[0, 0, 0]).sent, [(0, vec![0, 33, 0])]);
}

#[test]
fn meters_turn_red_and_recover() {
    let ingress = "  measure measured[1u8] -> meta.color\n  hdr.h.a = bit<8>(meta.color)";
    let mut bench = bench(ingress, "");
    let color = |outcome: Outcome| outcome.sent[0].1[0];
    assert_eq!(color(bench.packet(&[9, 0, 0])), 0, "without rates everything is green");
    // One packet per millisecond is committed and two at peak, with bursts of one and two.
    let rates = MeterRates { committed_rate: 1000, committed_burst: 1, peak_rate: 2000, peak_burst: 2 };
    bench.control(Request::Meter(MeterNumber(0), MeterRequest::Set(ElementSelection::Index(1), Some(rates))));
    let mut at = |microseconds| {
        color(bench.receive_at(Instant::from_microseconds(microseconds), 1, Packet::of_bytes(&[9, 0, 0])))
    };
    assert_eq!([at(10_000), at(10_001), at(10_002)], [0, 1, 2]);
    assert_eq!(at(10_600), 1, "half a millisecond is a packet of the peak rate");
    assert_eq!(at(20_000), 0);
}

#[test]
fn equal_seeds_give_equal_bytes() {
    let run = |seed| {
        let parameters = V1modelParameters { seed, ..V1modelParameters::default() };
        let mut bench = bench_with("  random hdr.h.a, 0u8, 255u8", "", parameters);
        (0..20).map(|_| bench.packet(&[0, 0, 0]).sent[0].1[0]).collect::<Vec<u8>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn undefined_values_are_zero_or_drawn() {
    let run = |undefined| {
        let parameters = V1modelParameters { undefined, ..V1modelParameters::default() };
        let mut bench = bench_with("  hdr.h.a = undefined<bit<8>>", "", parameters);
        (0..20).map(|_| bench.packet(&[7, 0, 0]).sent[0].1[0]).collect::<Vec<u8>>()
    };
    assert_eq!(run(None), [0; 20]);
    assert_eq!(run(Some(3)), run(Some(3)));
    assert_ne!(run(Some(3)), run(None));
}
