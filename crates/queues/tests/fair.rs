//! Weighted fair queueing and strict priorities.

mod common;

use common::*;
use queues::reasons;
use queues::{ClassMap, ClassPlan, DisciplinePlan, TrafficManager};

fn fair(weights: &[u32]) -> TrafficManager {
    let room = DisciplinePlan::DropTail { limit: u64::MAX };
    let classes = weights.iter().map(|&weight| ClassPlan { weight, discipline: room.clone() }).collect();
    simple(DisciplinePlan::WeightedFair { map: ClassMap::default(), classes })
}

/// Takes `total` bytes while each class always has packets of its own length waiting. Returns the bytes by class.
fn serve(manager: &mut TrafficManager, lengths: &[usize], total: u64) -> Vec<u64> {
    let mut served = vec![0; lengths.len()];
    for (class, &length) in lengths.iter().enumerate() {
        for _ in 0..3 {
            offer(manager, packet((class as u8) << 3, 0, length));
        }
    }
    while served.iter().sum::<u64>() < total {
        let packet = take(manager).unwrap();
        let class = usize::from(ipv4(&packet).dscp() >> 3);
        served[class] += on_wire(packet.len());
        offer(manager, common::packet((class as u8) << 3, 0, lengths[class]));
    }
    served
}

#[test]
fn shares_count_bytes_whatever_the_packet_lengths() {
    for (weights, lengths) in [
        (vec![1, 1], vec![1500, 64]),
        (vec![1, 2, 5], vec![9000, 100, 1500]),
        (vec![7, 3, 1, 1], vec![64, 9000, 300, 1500]),
    ] {
        let total = 20_000_000;
        let served = serve(&mut fair(&weights), &lengths, total);
        let sum: u32 = weights.iter().sum();
        for (class, &bytes) in served.iter().enumerate() {
            let expected = total as f64 * f64::from(weights[class]) / f64::from(sum);
            // Start-time fair queueing (theorem 1): two classes differ by at most a packet of each, over its weight.
            let worst =
                lengths.iter().zip(&weights).map(|(&length, &weight)| on_wire(length) as f64 / f64::from(weight));
            let bound = 2.0 * worst.fold(0.0, f64::max) * f64::from(weights[class]) + 10_000.0;
            assert!((bytes as f64 - expected).abs() <= bound, "class {class} got {bytes}, not {expected}");
        }
    }
}

#[test]
fn an_idle_class_accumulates_no_credit() {
    let mut manager = fair(&[1, 1]);
    for _ in 0..200 {
        offer(&mut manager, packet(0, 0, 1500));
    }
    for _ in 0..100 {
        take(&mut manager);
    }
    for _ in 0..100 {
        offer(&mut manager, packet(8, 0, 1500));
    }
    let first: Vec<u8> = (0..6).map(|_| ipv4(&take(&mut manager).unwrap()).dscp()).collect();
    assert_eq!(first.iter().filter(|&&dscp| dscp == 8).count(), 3, "{first:?}");
}

#[test]
fn an_idle_link_resets_the_schedule() {
    let mut manager = fair(&[1, 100]);
    // Class 0 sends alone and gets far ahead in virtual time; then nothing waits.
    offer(&mut manager, packet(0, 0, 9000));
    take(&mut manager);
    offer(&mut manager, packet(8, 0, 1500));
    offer(&mut manager, packet(0, 0, 1500));
    offer(&mut manager, packet(8, 0, 1500));
    let order: Vec<u8> = std::iter::from_fn(|| take(&mut manager)).map(|packet| ipv4(&packet).dscp()).collect();
    assert_eq!(order, [0, 8, 8], "a class that sent while no other waited is not held back");
}

#[test]
fn strict_priorities_serve_by_number_drop_by_class() {
    let classes = vec![DisciplinePlan::DropTail { limit: 2 * on_wire(1500) }; 3];
    let map = ClassMap::of(&[(46, 2), (10, 1), (63, 7)]);
    let mut manager = simple(DisciplinePlan::StrictPriorities { map, classes });
    // Code point 63 is in class 7, which does not exist, so it is put into the last class.
    for (id, dscp) in [0, 10, 46, 0, 63, 10].into_iter().enumerate() {
        assert!(offer(&mut manager, numbered(id as u64, dscp, 1500)).discarded.is_empty());
    }
    assert_eq!(reasons(&offer(&mut manager, numbered(9, 46, 1500))), [reasons::QUEUE_FULL]);
    let order: Vec<u64> = std::iter::from_fn(|| take(&mut manager)).map(|packet| packet.sidecar.id).collect();
    assert_eq!(order, [2, 4, 1, 5, 0, 3]);
}
