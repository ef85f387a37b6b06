//! Ports with links of their own: packets wait between ingress and egress.

use basis::{Duration, Instant, Rate};
use control::{CloneSession, Replica, ReplicationRequest, Request};
use ir::interpret::PacketInterpreter;
use machines::v1model::{Switch, V1modelParameters};
use machines::{Device, Standstill, drive};
use measure::{Event, Interest};
use node::{Counter, Discarded, Offered, Port, QueueLength, Reason, Sink, Station, Transmission};
use queues::{BufferPlan, ClassMap, DisciplinePlan, OutputPlan, PortPlan};
use wire::Packet;

use crate::support::{bytes, switch, text};

/// At this rate, a packet of 101 bytes and its framing take one microsecond.
const RATE: Rate = Rate::from_bits_per_second(1_000_000_000);
const LENGTH: usize = 101;
const FRAMING: u32 = 24;

/// The time, port and first three bytes of each transmitted packet, and the discarded packets.
#[derive(Default)]
struct Left {
    sent: Vec<(u64, u16, [u8; 3])>,
    discarded: Vec<(u64, Reason, usize)>,
}

fn nanoseconds(at: Instant) -> u64 {
    at.picoseconds() / 1000
}

impl Sink for Left {
    fn transmitted(&mut self, sent: Transmission) {
        let bytes = bytes(&sent.packet);
        self.sent.push((nanoseconds(sent.at), sent.port.0, [bytes[0], bytes[1], bytes[2]]));
    }

    fn discarded(&mut self, at: Instant, discarded: Discarded) {
        self.discarded.push((nanoseconds(at), discarded.reason, discarded.packet.len()));
    }

    fn event(&mut self, _at: Instant, _event: Event) {}
}

fn plan(discipline: DisciplinePlan) -> OutputPlan {
    let port = PortPlan { rate: RATE, framing: FRAMING, is_last_hop: false, discipline };
    OutputPlan { ports: vec![port; 8], buffer: BufferPlan::default(), seed: 1 }
}

/// Returns a drop-tail queue with room for `packets` packets.
fn drop_tail(packets: u64) -> DisciplinePlan {
    DisciplinePlan::DropTail { limit: packets * (LENGTH as u64 + u64::from(FRAMING)) }
}

fn queued(ingress: &str, egress: &str, discipline: DisciplinePlan) -> Switch<PacketInterpreter> {
    let mut switch = switch(&text(ingress, egress), V1modelParameters::default()).expect("it runs");
    let given_back = switch.hold_queues(plan(discipline)).expect("it has queues");
    assert!(given_back.is_none());
    switch
}

/// Returns packets that begin with the given bytes, all on port 1, one every half microsecond.
fn packets(first: &[[u8; 3]]) -> Vec<Offered> {
    let packet = |bytes: &[u8; 3]| Packet::of_bytes(&[&bytes[..], &[0; LENGTH - 3]].concat());
    let at = |number: usize| Instant::ZERO + Duration::from_picoseconds(number as u64 * 500_000);
    let offered = first.iter().enumerate();
    offered.map(|(number, bytes)| Offered { at: at(number), port: Port(1), packet: packet(bytes) }).collect()
}

fn run(switch: &mut Switch<PacketInterpreter>, packets: Vec<Offered>) -> Left {
    let (mut left, number) = (Left::default(), packets.len() as u64);
    drive(switch, packets, Interest::default(), &mut left)
        .unwrap_or_else(|standstill: Standstill| panic!("{standstill}"));
    let account = switch.account();
    assert_eq!((account.held, switch.statistics().received), (0, number));
    assert_eq!(number + account.replicated, (left.sent.len() + left.discarded.len()) as u64, "packets are conserved");
    left
}

const TO_4: &str = "  standard_metadata.egress_spec = 4u9";
const DEPTHS: &str = "  hdr.h.a = bit<8>(standard_metadata.enq_qdepth)
  hdr.h.b = bit<8>(standard_metadata.deq_qdepth)
  hdr.h.c = bit<8>(standard_metadata.deq_timedelta)";

#[test]
fn queue_metadata_excludes_the_packet_on_the_link() {
    let mut switch = queued(TO_4, DEPTHS, drop_tail(10));
    let left = run(&mut switch, packets(&[[0; 3]; 6]));
    // One packet leaves per microsecond, and packet n arrives at n / 2 microseconds. Times are in whole microseconds,
    // and so is their difference: packet 1 waits from 0.5 to 1.
    let told = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 2, 2], [1, 1, 2], [2, 0, 3]];
    let expected: Vec<_> = (0..6).zip(told).map(|(number, told)| (number * 1000, 4, told)).collect();
    assert_eq!(left.sent, expected);
}

#[test]
fn timestamps_include_queueing_time() {
    let egress = "  hdr.h.a = bit<8>(standard_metadata.ingress_global_timestamp)
  hdr.h.b = bit<8>(standard_metadata.enq_timestamp)
  hdr.h.c = bit<8>(standard_metadata.egress_global_timestamp)";
    let left = run(&mut queued(TO_4, egress, drop_tail(10)), packets(&[[0; 3]; 4]));
    let told: Vec<_> = left.sent.iter().map(|(_, _, told)| *told).collect();
    assert_eq!(told, [[0, 0, 0], [0, 0, 1], [1, 1, 2], [1, 1, 3]]);
}

#[test]
fn full_queues_discard_the_packet_as_it_arrived() {
    let mut switch = queued("  hdr.h.$valid = false\n  standard_metadata.egress_spec = 4u9", "", drop_tail(1));
    let left = run(&mut switch, packets(&[[0; 3]; 5]));
    let sent: Vec<_> = left.sent.iter().map(|(at, ..)| *at).collect();
    // Packets are three bytes shorter, so each one leaves the link earlier.
    assert_eq!(sent, [0, 976, 1952, 2928]);
    assert_eq!(left.discarded, [(1500, queues::reasons::QUEUE_FULL, LENGTH)]);
    let mut counted = Vec::new();
    switch.counters(&mut |counter: Counter| counted.push((counter.name, counter.port, counter.value)));
    assert!(counted.contains(&("SAI_QUEUE_STAT_PACKETS", Some(Port(4)), 4)), "{counted:?}");
    assert!(counted.contains(&("SAI_QUEUE_STAT_DROPPED_PACKETS", Some(Port(4)), 1)), "{counted:?}");
    assert_eq!(switch.statistics().discarded.of(queues::reasons::QUEUE_FULL), 1);
}

#[test]
fn packets_dropped_in_egress_free_the_link() {
    let egress = "  if hdr.h.a == 1u8 {\n    standard_metadata.egress_spec = 511u9\n  }";
    let mut switch = queued(TO_4, egress, drop_tail(10));
    let left = run(&mut switch, packets(&[[0; 3], [1; 3], [1; 3], [2; 3]]));
    assert_eq!(left.sent, [(0, 4, [0; 3]), (1500, 4, [2; 3])]);
    // The third packet arrives when nothing waits and the link is free.
    assert_eq!(left.discarded, [(1000, Reason::PROGRAM, LENGTH), (1000, Reason::PROGRAM, LENGTH)]);
}

#[test]
fn copies_and_clones_are_queued_by_port() {
    let egress = "  if standard_metadata.instance_type == 2u32 {
    hdr.h.a = 9u8
  } else {
    clone egress_to_egress, 1u32
  }
  hdr.h.b = bit<8>(standard_metadata.enq_qdepth)";
    let mut switch = queued("  standard_metadata.mcast_grp = 1u16", egress, drop_tail(10));
    let replica = |port| Replica { port, instance: 0 };
    let group = ReplicationRequest::Put(vec![replica(4), replica(4), replica(5)].into());
    switch.execute(&Request::MulticastGroup(1, group)).expect("a group");
    let session = CloneSession { replicas: vec![replica(5)], ..CloneSession::default() };
    switch.execute(&Request::CloneSession(1, ReplicationRequest::Put(session))).expect("a session");
    let left = run(&mut switch, packets(&[[0; 3]]));
    // The clone of the first copy comes after the other copies, which were queued before.
    let expected = [
        (0, 4, [0; 3]),
        (0, 5, [0; 3]),
        (1000, 4, [0; 3]),
        (1000, 5, [9, 0, 0]),
        (2000, 5, [9, 1, 0]),
        (3000, 5, [9, 2, 0]),
    ];
    assert_eq!(left.sent, expected);
}

#[test]
fn recirculated_packets_are_queued_again() {
    let ingress = "  standard_metadata.egress_spec = 4u9
  if standard_metadata.instance_type == 4u32 {
    standard_metadata.egress_spec = 5u9
    hdr.h.a = 2u8
    hdr.h.c = bit<8>(standard_metadata.ingress_global_timestamp)
  }";
    let egress = "  if hdr.h.a == 1u8 {\n    recirculate\n  }";
    let mut switch = queued(ingress, egress, drop_tail(10));
    let left = run(&mut switch, packets(&[[0; 3], [1, 0, 0], [0; 3]]));
    // A packet that recirculates does not use the link of port 4.
    assert_eq!(left.sent, [(0, 4, [0; 3]), (1000, 5, [2, 0, 1]), (1000, 4, [0; 3])]);
}

#[test]
fn programs_select_the_queue_of_a_port() {
    let classes = vec![drop_tail(10), drop_tail(10), drop_tail(10)];
    let discipline = DisciplinePlan::StrictPriorities { map: ClassMap::default(), classes };
    let ingress = format!("{TO_4}\n  standard_metadata.priority = bit<3>(hdr.h.a)");
    let mut switch = queued(&ingress, "", discipline);
    // Class 7 means the last one that exists.
    let order: [u8; 6] = [0, 0, 1, 7, 1, 0];
    let left = run(&mut switch, packets(&order.iter().map(|&class| [class, 0, 0]).collect::<Vec<_>>()));
    let classes: Vec<u8> = left.sent.iter().map(|(_, _, bytes)| bytes[0]).collect();
    assert_eq!(classes, [0, 0, 7, 1, 1, 0]);
}

#[test]
fn marking_queues_stay_outside_the_switch() {
    let ecn = || plan(DisciplinePlan::Ecn { limit: 1000, threshold: 500 });
    let mut indifferent = switch(&text(TO_4, ""), V1modelParameters::default()).expect("it runs");
    let given_back = indifferent.hold_queues(ecn()).expect("not asked for").expect("nothing for this switch");
    assert_eq!(given_back.ports.len(), 8);
    let mut reads = switch(&text(TO_4, DEPTHS), V1modelParameters::default()).expect("it runs");
    let refused = reads.hold_queues(ecn()).expect_err("it reads what is not there").to_string();
    assert!(refused.contains("`enq_qdepth`") && refused.contains("after egress"), "{refused}");
}

#[test]
fn reports_queue_lengths() {
    let mut switch = queued(TO_4, "", drop_tail(10));
    let mut out = node::Outbox::default();
    let mut burst: Vec<Packet> = packets(&[[0; 3]; 4]).into_iter().map(|offered| offered.packet).collect();
    node::Node::receive(&mut switch, Instant::ZERO, Port(1), &mut burst, &mut out);
    assert_eq!(switch.queue(Port(4)), QueueLength { packets: 3, bytes: 3 * (LENGTH as u64 + u64::from(FRAMING)) });
    assert_eq!(switch.queue(Port(5)), QueueLength::default());
    assert_eq!((switch.account().held, Device::statistics(&switch).in_flight), (3, 3));
    assert_eq!(out.readies, [(Port(4), Instant::from_microseconds(1))]);
}
