//! Whatever happens, what was offered has been taken, was refused or waits, and memory is accounted for exactly.

use std::collections::BTreeMap;

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Duration, Instant, Rate};
use node::Port;
use proptest::prelude::*;
use queues::{
    BufferPlan, CellPlan, PacketColor, QueueChange, QueuePlan, Refusals, RoomPlan, SchedulerPlan, ShaperPlan,
    TrafficManager,
};

use super::item::{Item, offer_to, port};

const PORTS: u16 = 3;
const CELL: u32 = 80;

fn shaper() -> impl Strategy<Value = Option<ShaperPlan>> {
    let rate = 1_000_000_000..200_000_000_000u64;
    let plan =
        (rate, 0..4000u64).prop_map(|(rate, burst)| ShaperPlan { rate: Rate::from_bits_per_second(rate), burst });
    prop::option::of(plan)
}

fn room() -> impl Strategy<Value = RoomPlan> {
    let alpha = prop::option::of(prop::sample::select(vec![0.0625, 0.5, 1.0, 4.0]));
    (0..3u8, 0..30u64, prop::option::of(0..100u64), alpha, 0..=4u8, 0..=4u8).prop_map(
        |(pool, reserved, limit, alpha, yellow, red)| RoomPlan {
            pool,
            reserved,
            limit,
            alpha,
            yellow: f64::from(yellow) / 4.0,
            red: f64::from(red) / 4.0,
        },
    )
}

prop_compose! {
    fn queue()(
        priority in 0..8u8, remaining_priority in 0..8u8, weight in 1..9u32,
        minimum in shaper(), maximum in shaper(), room in room(),
    ) -> QueuePlan {
        QueuePlan { priority, remaining_priority, weight, minimum, maximum, room }
    }
}

prop_compose! {
    fn scheduler()(
        queues in prop::collection::vec(queue(), 1..6), shaper in shaper(), quantum in 1..4000u32,
    ) -> SchedulerPlan {
        SchedulerPlan { queues, shaper, quantum, ..SchedulerPlan::default() }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Offer { port: u16, queue: u8, length: u32, color: PacketColor },
    Take { port: u16 },
    Wait { nanoseconds: u64 },
    Change { port: u16, queue: u8, change: QueueChange },
    Shape { port: u16, shaper: Option<ShaperPlan> },
    SaveAndRestore,
}

fn step() -> impl Strategy<Value = Step> {
    let color = prop::sample::select(vec![PacketColor::Green, PacketColor::Yellow, PacketColor::Red]);
    let change = prop_oneof![
        any::<bool>().prop_map(QueueChange::Paused),
        any::<bool>().prop_map(QueueChange::Closed),
        (1..9u32).prop_map(QueueChange::Weight),
        (0..8u8).prop_map(QueueChange::Priority),
        (0..8u8).prop_map(QueueChange::RemainingPriority),
        shaper().prop_map(QueueChange::Minimum),
        shaper().prop_map(QueueChange::Maximum),
        room().prop_map(QueueChange::Limits),
    ];
    prop_oneof![
        12 => (0..=PORTS, 0..7u8, 1..2000u32, color)
            .prop_map(|(port, queue, length, color)| Step::Offer { port, queue, length, color }),
        10 => (0..PORTS).prop_map(|port| Step::Take { port }),
        4 => (0..2000u64).prop_map(|nanoseconds| Step::Wait { nanoseconds }),
        2 => (0..PORTS, 0..7u8, change).prop_map(|(port, queue, change)| Step::Change { port, queue, change }),
        1 => (0..PORTS, shaper()).prop_map(|(port, shaper)| Step::Shape { port, shaper }),
        1 => Just(Step::SaveAndRestore),
    ]
}

/// What waits, as the test counts it: lengths by port and queue, the first first.
type Waiting = BTreeMap<(u16, u8), Vec<(u64, u32)>>;

/// Holds queues and pools against what waits by the test's own count.
fn check(manager: &TrafficManager<Item>, plan: &SchedulerPlan, pools: &[u64], waiting: &Waiting) {
    let mut borrowed = vec![0; pools.len()];
    for port in 0..PORTS {
        for (number, queue) in (0..).zip(&plan.queues) {
            let none = Vec::new();
            let items = waiting.get(&(port, number)).unwrap_or(&none);
            let status = manager.queue_status(Port(port), number).expect("the queue exists");
            let cells: u64 = items.iter().map(|(_, length)| u64::from(length.div_ceil(CELL))).sum();
            assert_eq!(status.depth, manager.depth(Port(port), number).unwrap());
            assert_eq!((status.depth.packets, status.depth.cells), (items.len() as u64, cells));
            assert_eq!(status.enqueued.packets - status.dequeued.packets, status.depth.packets);
            assert_eq!(status.enqueued.bytes - status.dequeued.bytes, status.depth.bytes);
            assert!(status.high_water.cells >= cells);
            if let Some(pool) = borrowed.get_mut(usize::from(queue.room.pool)) {
                *pool += cells.saturating_sub(queue.room.reserved);
            }
        }
    }
    for (number, used) in (0..).zip(borrowed) {
        assert_eq!(manager.pool_status(number).map(|pool| pool.used), Some(used));
    }
    assert_eq!(manager.held(), waiting.values().map(|items| items.len() as u64).sum::<u64>());
}

/// Takes a packet, and checks that it was the first of its queue.
fn take(manager: &mut TrafficManager<Item>, now: Instant, port: u16, waiting: &mut Waiting) -> bool {
    let expected = manager.has_waiting(now, Port(port));
    let item = manager.take(now, Port(port), &mut Refusals::default());
    assert_eq!(item.is_some(), expected);
    let Some(item) = item else { return false };
    let queue = waiting.get_mut(&(port, item.queue.unwrap())).expect("it was queued");
    assert_eq!(queue.remove(0), (item.id, item.length));
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_is_lost_and_memory_is_exact(
        plan in scheduler(),
        pools in prop::collection::vec(50..400u64, 1..4),
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let buffer = BufferPlan { cells: Some(CellPlan { size: CELL, pools: pools.clone() }), ..BufferPlan::default() };
        let new = || TrafficManager::<Item>::new(vec![port(plan.clone()); usize::from(PORTS)], &buffer, 1);
        let mut manager = new();
        let (mut now, mut waiting) = (Instant::ZERO, Waiting::new());
        let (mut offered, mut refused, mut taken) = (0u64, 0u64, 0u64);
        for (id, step) in (0..).zip(steps) {
            match step {
                Step::Offer { port, queue, length, color } => {
                    offered += 1;
                    let item = Item::new(id, queue, length).colored(color);
                    match offer_to(&mut manager, now, Port(port), item.clone()) {
                        Ok(()) => waiting.entry((port, queue)).or_default().push((id, length)),
                        Err((back, _)) => {
                            prop_assert_eq!(back, item, "it comes back as it was offered");
                            refused += 1;
                        }
                    }
                }
                Step::Take { port } => taken += u64::from(take(&mut manager, now, port, &mut waiting)),
                Step::Wait { nanoseconds } => now += Duration::from_nanoseconds(nanoseconds),
                Step::Change { port, queue, change } => {
                    let _ = manager.change_queue(now, Port(port), queue, change);
                }
                Step::Shape { port, shaper } => manager.shape_port(now, Port(port), shaper).unwrap(),
                Step::SaveAndRestore => {
                    let mut saver = Saver::default();
                    manager.save(&mut saver).unwrap();
                    let bytes = saver.into_bytes();
                    manager = new();
                    let mut loader = Loader::new(&bytes);
                    manager.restore(&mut loader).unwrap();
                    loader.finish().unwrap();
                }
            }
            check(&manager, &plan, &pools, &waiting);
            prop_assert_eq!(offered, taken + refused + manager.held());
        }
        // Everything can leave: if nothing may go now, the port says when.
        for port in 0..PORTS {
            for queue in 0..plan.queues.len() as u8 {
                manager.change_queue(now, Port(port), queue, QueueChange::Paused(false)).unwrap();
            }
            while manager.length(Port(port)).packets > 0 {
                if !take(&mut manager, now, port, &mut waiting) {
                    let next = manager.next_release(now, Port(port)).expect("a shaper holds it");
                    prop_assert!(next > now);
                    let just_before = Instant::from_picoseconds(next.picoseconds() - 1);
                    prop_assert!(!manager.has_waiting(just_before, Port(port)));
                    now = next;
                    prop_assert!(manager.has_waiting(now, Port(port)));
                }
            }
        }
        prop_assert_eq!((manager.held(), manager.held_bytes()), (0, 0));
        prop_assert!((0..3).filter_map(|pool| manager.pool_status(pool)).all(|pool| pool.used == 0));
    }
}
