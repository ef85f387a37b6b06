//! Trimming: which packet is trimmed, where it waits, how the link is shared, and what is counted.

mod common;

use common::*;
use queues::reasons;
use queues::{
    DisciplinePlan, Returns, Service, ShortPackets, TrafficManager, TrimmedQueue, TrimmingPlan, Victim, dscp,
};

const HEADER: usize = 64;

fn ndp() -> TrimmingPlan {
    TrimmingPlan { victim: Victim::Arriving, ..TrimmingPlan::ndp(8 * on_wire(1500)) }
}

fn manager(plan: TrimmingPlan) -> TrafficManager {
    simple(DisciplinePlan::Trimming(Box::new(plan)))
}

/// Takes all packets and returns their numbers in order.
fn drain(manager: &mut TrafficManager) -> Vec<u64> {
    std::iter::from_fn(|| take(manager)).map(|packet| packet.sidecar.id).collect()
}

#[test]
fn headers_overtake_data() {
    let mut manager = manager(ndp());
    for id in 0..10 {
        assert!(offer(&mut manager, numbered(id, dscp::DATA, 1500)).discarded.is_empty());
    }
    offer(&mut manager, numbered(10, dscp::CONTROL, HEADER));
    assert_eq!(drain(&mut manager), [8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7]);
    for (name, value) in [
        ("SAI_PORT_STAT_TRIM_PACKETS", 2),
        ("SAI_PORT_STAT_TX_TRIM_PACKETS", 2),
        ("SAI_PORT_STAT_DROPPED_TRIM_PACKETS", 0),
        // As SAI specifies, the original frames count as dropped although their headers were sent.
        ("SAI_QUEUE_STAT_DROPPED_PACKETS", 2),
        ("SAI_QUEUE_STAT_DROPPED_BYTES", 2 * 1524),
        ("SAI_QUEUE_STAT_PACKETS", 11),
    ] {
        assert_eq!(counter(&manager, name), value, "{name}");
    }
}

/// Returns the share of the link, by bytes, that data gets while headers and data of 1500 bytes always wait.
fn data_share(service: Service) -> f64 {
    let limit = ndp().data;
    let mut manager = manager(TrimmingPlan { trimmed: TrimmedQueue::Priority { limit, service }, ..ndp() });
    for _ in 0..8 {
        offer(&mut manager, packet(dscp::DATA, 0, 1500));
        offer(&mut manager, packet(dscp::CONTROL, 0, HEADER));
    }
    let mut sent = [0u64; 2];
    for _ in 0..100_000 {
        let packet = take(&mut manager).unwrap();
        let is_data = ipv4(&packet).dscp() == dscp::DATA;
        sent[usize::from(is_data)] += on_wire(packet.len());
        let dscp = if is_data { dscp::DATA } else { dscp::CONTROL };
        offer(&mut manager, common::packet(dscp, 0, packet.len()));
    }
    sent[1] as f64 / (sent[0] + sent[1]) as f64
}

#[test]
fn headers_and_data_share_the_link_by_the_ratio() {
    let (headers, data) = (10, 1);
    assert!((data_share(Service::Bytes { headers, data }) - 1.0 / 11.0).abs() < 0.001);
    assert!((data_share(Service::Bytes { headers: 1, data: 3 }) - 0.75).abs() < 0.001);
    let round = 10.0 * 88.0 + 1524.0;
    assert!((data_share(Service::Packets { headers, data }) - 1524.0 / round).abs() < 0.001);
    assert!(data_share(Service::Strict) < 1e-9);
}

#[test]
fn trims_arriving_packet_or_tail_equally_often() {
    let plan = TrimmingPlan::ndp(8 * on_wire(1500));
    // Only headers are to be taken.
    let trimmed = TrimmedQueue::Priority { limit: plan.data, service: Service::Strict };
    let mut manager = manager(TrimmingPlan { trimmed, ..plan });
    for id in 0..8 {
        offer(&mut manager, numbered(id, dscp::DATA, 1500));
    }
    let mut tail = 7;
    let mut tails = 0;
    for id in 8..1008 {
        offer(&mut manager, numbered(id, dscp::DATA, 1500));
        let cut = take(&mut manager).unwrap();
        assert_eq!((cut.len(), manager.length(OUT).packets), (HEADER, 8));
        assert!(cut.sidecar.id == id || cut.sidecar.id == tail, "{}", cut.sidecar.id);
        if cut.sidecar.id == tail {
            (tail, tails) = (id, tails + 1);
        }
    }
    // 1000 draws with probability 1/2 have a standard deviation of 16.
    assert!((436..=564).contains(&tails), "{tails}");
    assert_eq!(drain(&mut manager), [0, 1, 2, 3, 4, 5, 6, tail]);
}

/// Returns a manager whose queue for headers is full, and whose queue for data holds its 8 packets.
fn full_of_headers(plan: TrimmingPlan) -> TrafficManager {
    let limit = 2 * on_wire(HEADER);
    let trimmed = TrimmedQueue::Priority { limit, service: Service::Bytes { headers: 10, data: 1 } };
    let mut manager = manager(TrimmingPlan { trimmed, ..plan });
    for id in 0..10 {
        offer(&mut manager, numbered(id, dscp::DATA, 1500));
    }
    assert_eq!(manager.length(OUT).packets, 10);
    manager
}

#[test]
fn headers_without_room_return_to_their_sender() {
    let mut manager = full_of_headers(ndp());
    // One packet is trimmed here, and one was trimmed before.
    for (dscp, length) in [(dscp::DATA, 1500), (dscp::TRIMMED, HEADER)] {
        let refusals = offer(&mut manager, packet(dscp, 0, length));
        assert!(refusals.discarded.is_empty());
        assert_eq!((refusals.returned.len(), refusals.returned[0].len()), (1, HEADER));
        assert_eq!(ipv4(&refusals.returned[0]).destination().octets(), SENDER);
    }
    // Packets that already return are not turned back again, and control packets would mean nothing to their senders.
    for (dscp, reason) in [(dscp::RETURNED, reasons::TRIMMED_QUEUE_FULL), (dscp::CONTROL, reasons::QUEUE_FULL)] {
        let refusals = offer(&mut manager, packet(dscp, 0, HEADER));
        assert_eq!((reasons(&refusals), refusals.returned.len()), (vec![reason], 0));
    }
    assert_eq!(counter(&manager, "RETURNED_TO_SENDER_PACKETS"), 2);
    assert_eq!(counter(&manager, "SAI_PORT_STAT_TRIM_PACKETS"), 3);
    assert_eq!(counter(&manager, "SAI_PORT_STAT_DROPPED_TRIM_PACKETS"), 0);
}

#[test]
fn drops_trimmed_packets_if_it_returns_none() {
    let mut manager = full_of_headers(TrimmingPlan { returns: Returns::Never, ..ndp() });
    let refusals = offer(&mut manager, packet(dscp::DATA, 0, 1500));
    assert_eq!(reasons(&refusals), [reasons::TRIMMED_QUEUE_FULL]);
    assert_eq!(refusals.discarded[0].0.len(), HEADER);
    assert_eq!(counter(&manager, "SAI_PORT_STAT_DROPPED_TRIM_PACKETS"), 1);
}

#[test]
fn short_packets_wait_with_headers_or_are_dropped() {
    let mut whole = full_of_headers(ndp());
    take(&mut whole);
    assert!(offer(&mut whole, numbered(20, dscp::DATA, HEADER)).discarded.is_empty());
    assert_eq!(drain(&mut whole)[..2], [9, 20]);
    assert_eq!(counter(&whole, "SAI_PORT_STAT_TRIM_PACKETS"), 2);

    let mut dropped = full_of_headers(TrimmingPlan { short: ShortPackets::Dropped, ..ndp() });
    take(&mut dropped);
    assert_eq!(reasons(&offer(&mut dropped, numbered(20, dscp::DATA, HEADER))), [reasons::QUEUE_FULL]);
}

#[test]
fn packets_other_than_ip_are_never_trimmed() {
    let mut manager = full_of_headers(ndp());
    take(&mut manager);
    let mut packet = packet(dscp::DATA, 0, 1500);
    packet.head.bytes_mut()[12..14].copy_from_slice(&[0x88, 0xCC]);
    assert_eq!(reasons(&offer(&mut manager, packet)), [reasons::QUEUE_FULL]);
}

#[test]
fn cut_payload_keeps_the_order_of_one_queue() {
    let mut manager = simple(DisciplinePlan::cut_payload(2 * on_wire(1500), 2 * on_wire(1500) + 3 * on_wire(HEADER)));
    for id in 0..5 {
        assert!(offer(&mut manager, numbered(id, dscp::DATA, 1500)).discarded.is_empty());
    }
    let refusals = offer(&mut manager, numbered(5, dscp::DATA, 1500));
    assert_eq!((reasons(&refusals), refusals.returned.len()), (vec![reasons::TRIMMED_QUEUE_FULL], 0));
    let order: Vec<_> =
        std::iter::from_fn(|| take(&mut manager)).map(|packet| (packet.sidecar.id, packet.len())).collect();
    assert_eq!(order, [(0, 1500), (1, 1500), (2, HEADER), (3, HEADER), (4, HEADER)]);
}

#[test]
fn source_flow_control_returns_above_its_watermark() {
    let mut manager = simple(DisciplinePlan::source_flow_control(3 * on_wire(1500), 8 * on_wire(1500)));
    let returned: Vec<usize> =
        (0..5).map(|id| offer(&mut manager, numbered(id, dscp::DATA, 1500)).returned.len()).collect();
    assert_eq!(returned, [0, 0, 0, 1, 1]);
    // Control packets and returning packets pass.
    offer(&mut manager, numbered(7, dscp::RETURNED, HEADER));
    assert_eq!(drain(&mut manager), [7, 0, 1, 2]);
}

#[test]
fn the_same_seed_trims_the_same_packets() {
    let run = |seed| {
        let plan = DisciplinePlan::trimming(8 * on_wire(1500));
        let mut manager = switch(2, plan, &Default::default(), seed);
        (0..64).for_each(|id| drop(offer(&mut manager, numbered(id, dscp::DATA, 1500))));
        drain(&mut manager)
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}
