//! Queues that are changed while they run, and the record of those whose depths have changed.

use basis::{Instant, Rate};
use node::Port;
use queues::{BufferPlan, ChangeError, Depth, DisciplinePlan, QueueChange, RoomPlan, SchedulerPlan, ShaperPlan};
use queues::{PortPlan, TrafficManager};

use super::item::{FRAMING, Item, OUT, manager, offer, offer_to, take};

const START: Instant = Instant::ZERO;

#[test]
fn a_paused_queue_fills_and_a_closed_one_drains() {
    let mut manager = manager(1, SchedulerPlan::of(2), &BufferPlan::default());
    (0..2).for_each(|queue| offer(&mut manager, START, Item::new(0, queue, 100)).unwrap());
    manager.change_queue(START, OUT, 0, QueueChange::Paused(true)).unwrap();
    manager.change_queue(START, OUT, 1, QueueChange::Closed(true)).unwrap();
    assert!(offer(&mut manager, START, Item::new(0, 0, 100)).is_ok());
    assert!(offer(&mut manager, START, Item::new(0, 1, 100)).is_err());
    assert_eq!(take(&mut manager, START).and_then(|item| item.queue), Some(1));
    assert_eq!((take(&mut manager, START), manager.next_release(START, OUT)), (None, None));
    let status = manager.queue_status(OUT, 0).unwrap();
    assert!(status.is_paused && !status.is_closed);
    manager.change_queue(START, OUT, 0, QueueChange::Paused(false)).unwrap();
    assert_eq!(std::iter::from_fn(|| take(&mut manager, START)).count(), 2);
}

#[test]
fn weights_and_priorities_move() {
    let mut manager = manager(1, SchedulerPlan { quantum: 1024, ..SchedulerPlan::of(2) }, &BufferPlan::default());
    for _ in 0..40 {
        (0..2).for_each(|queue| offer(&mut manager, START, Item::new(0, queue, 1000)).unwrap());
    }
    let of_first = |manager: &mut TrafficManager<Item>, count: usize| {
        (0..count).filter(|_| take(manager, START).unwrap().queue == Some(0)).count()
    };
    assert_eq!(of_first(&mut manager, 8), 4);
    manager.change_queue(START, OUT, 0, QueueChange::Weight(3)).unwrap();
    assert_eq!(of_first(&mut manager, 8), 6);
    manager.change_queue(START, OUT, 0, QueueChange::RemainingPriority(0)).unwrap();
    assert_eq!(of_first(&mut manager, 8), 0);
}

#[test]
fn shapers_move() {
    let mut manager = manager(1, SchedulerPlan::of(1), &BufferPlan::default());
    (0..4).for_each(|id| offer(&mut manager, START, Item::new(id, 0, 976)).unwrap());
    let plan = |gigabits| Some(ShaperPlan { rate: Rate::from_gigabits_per_second(gigabits), burst: 0 });
    manager.shape_port(START, OUT, plan(8)).unwrap();
    take(&mut manager, START).unwrap();
    assert_eq!(manager.next_release(START, OUT), Some(Instant::from_microseconds(1)));
    // Half of what is overdrawn is paid at the old rate, the rest at the new one.
    let half = Instant::from_picoseconds(500_000);
    manager.shape_port(half, OUT, plan(16)).unwrap();
    assert_eq!(manager.next_release(half, OUT), Some(Instant::from_picoseconds(750_000)));
    manager.change_queue(half, OUT, 0, QueueChange::Maximum(plan(1))).unwrap();
    manager.shape_port(half, OUT, None).unwrap();
    assert!(take(&mut manager, half).is_some());
    assert_eq!(manager.next_release(half, OUT), Some(half + Rate::from_gigabits_per_second(1).time_of(1000)));
}

#[test]
fn bad_changes_are_refused_and_change_nothing() {
    let mut manager = manager(1, SchedulerPlan::of(2), &BufferPlan::default());
    let change =
        |manager: &mut TrafficManager<Item>, port, queue, change| manager.change_queue(START, port, queue, change);
    assert_eq!(change(&mut manager, OUT, 2, QueueChange::Weight(1)), Err(ChangeError::NoSuchQueue));
    assert_eq!(change(&mut manager, Port(1), 0, QueueChange::Weight(1)), Err(ChangeError::NoScheduler));
    for wrong in [
        QueueChange::Weight(0),
        QueueChange::Priority(8),
        QueueChange::RemainingPriority(200),
        QueueChange::Limits(RoomPlan { alpha: Some(f64::NAN), ..RoomPlan::default() }),
        QueueChange::Limits(RoomPlan { yellow: 1.5, ..RoomPlan::default() }),
    ] {
        let result = change(&mut manager, OUT, 1, wrong.clone());
        assert!(matches!(result, Err(ChangeError::BadValue(text)) if text.starts_with("queue 1: ")), "{wrong:?}");
    }
    let tail = DisciplinePlan::DropTail { limit: 1000 };
    let port =
        PortPlan { rate: Rate::from_gigabits_per_second(1), framing: FRAMING, is_last_hop: false, discipline: tail };
    let mut other = TrafficManager::<Item>::new(vec![port], &BufferPlan::default(), 1);
    assert_eq!(other.shape_port(START, OUT, None), Err(ChangeError::NoScheduler));
    assert_eq!((other.queues(OUT), other.depth(OUT, 0)), (0, None));
}

fn reported(manager: &mut TrafficManager<Item>) -> Vec<(u16, u8, u64)> {
    let mut changes = Vec::new();
    assert!(
        manager.has_changes() || {
            manager.report_changes(&mut |_, _, _| panic!("nothing has changed"));
            true
        }
    );
    manager.report_changes(&mut |port, queue, Depth { packets, .. }| changes.push((port.0, queue, packets)));
    changes
}

#[test]
fn changes_of_depth_are_reported_once_and_in_order() {
    let mut manager = manager(2, SchedulerPlan::of(3), &BufferPlan::default());
    offer(&mut manager, START, Item::new(0, 0, 100)).unwrap();
    assert_eq!(reported(&mut manager), [], "nothing is recorded unless somebody wants it");
    manager.record_changes(true);
    offer_to(&mut manager, START, Port(1), Item::new(0, 2, 100)).unwrap();
    take(&mut manager, START).unwrap();
    offer_to(&mut manager, START, Port(1), Item::new(0, 2, 100)).unwrap();
    assert_eq!(reported(&mut manager), [(1, 2, 2), (0, 0, 0)]);
    assert_eq!(reported(&mut manager), []);
    // What is refused changes no depth.
    assert!(offer(&mut manager, START, Item::new(0, 3, 100)).is_err());
    assert_eq!(reported(&mut manager), []);
    offer(&mut manager, START, Item::new(0, 1, 100)).unwrap();
    manager.record_changes(false);
    assert_eq!(reported(&mut manager), []);
    manager.record_changes(true);
    offer(&mut manager, START, Item::new(0, 1, 100)).unwrap();
    assert_eq!(reported(&mut manager), [(0, 1, 2)]);
}
