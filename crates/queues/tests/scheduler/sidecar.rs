//! What an item is told in its queue, and what its sender can do with it when it is refused.

use basis::{Duration, Instant};
use node::Port;
use queues::{BufferPlan, CellPlan, Depth, QueuePlan, RoomPlan, SchedulerPlan, reasons};

use super::item::{Item, OUT, manager, of, offer, offer_to, take};

#[test]
fn an_item_learns_depths_and_times() {
    let buffer = BufferPlan { cells: Some(CellPlan::default()), ..BufferPlan::default() };
    let mut manager = manager(1, SchedulerPlan::of(2), &buffer);
    let later = Instant::ZERO + Duration::from_nanoseconds(700);
    offer(&mut manager, Instant::ZERO, Item::new(1, 0, 100)).unwrap();
    offer(&mut manager, later, Item::new(2, 0, 200)).unwrap();
    offer(&mut manager, later, Item::new(3, 1, 300)).unwrap();
    let first = Depth { packets: 1, bytes: 124, cells: 2 };
    let second = Depth { packets: 1, bytes: 224, cells: 3 };
    let end = later + Duration::from_nanoseconds(50);
    let taken: Vec<Item> = std::iter::from_fn(|| take(&mut manager, end)).collect();
    let told: Vec<_> = taken.iter().map(|item| (item.id, item.entered.unwrap(), item.left.unwrap())).collect();
    assert_eq!(
        told,
        [
            (1, (Instant::ZERO, Depth::default()), (end, second)),
            (2, (later, first), (end, Depth::default())),
            (3, (later, Depth::default()), (end, Depth::default())),
        ]
    );
}

/// A sender that learns that a queue is full sends the packet elsewhere, or cuts it and tries again.
#[test]
fn a_refused_item_can_be_deflected_or_cut() {
    let room = RoomPlan { limit: Some(20), ..RoomPlan::default() };
    let buffer = BufferPlan { cells: Some(CellPlan::default()), ..BufferPlan::default() };
    let mut manager = manager(2, of(vec![QueuePlan { room, ..QueuePlan::default() }]), &buffer);
    offer(&mut manager, Instant::ZERO, Item::new(1, 0, 1500)).unwrap();
    let (mut back, reason) = offer(&mut manager, Instant::ZERO, Item::new(2, 0, 1500)).unwrap_err();
    assert_eq!((&back, reason), (&Item::new(2, 0, 1500), reasons::QUEUE_FULL));
    back.length = 64;
    offer(&mut manager, Instant::ZERO, back).unwrap();
    let (back, _) = offer(&mut manager, Instant::ZERO, Item::new(3, 0, 1500)).unwrap_err();
    offer_to(&mut manager, Instant::ZERO, Port(1), back).unwrap();
    let depths = [OUT, Port(1)].map(|port| manager.depth(port, 0).unwrap().cells);
    assert_eq!(depths, [20, 19]);
}

/// A packet whose sender has named no queue waits in that of its code point, and in the last if there are fewer.
#[test]
fn code_points_name_queues_for_senders_that_do_not() {
    let mut manager = manager(1, SchedulerPlan::of(4), &BufferPlan::default());
    for (code_point, queue) in [(None, 0), (Some(0), 0), (Some(10), 1), (Some(24), 3), (Some(46), 3)] {
        let before = manager.depth(OUT, queue).unwrap().packets;
        offer(&mut manager, Instant::ZERO, Item { queue: None, code_point, ..Item::new(0, 0, 64) }).unwrap();
        assert_eq!(manager.depth(OUT, queue).unwrap().packets, before + 1, "{code_point:?}");
    }
}
