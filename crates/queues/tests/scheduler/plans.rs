//! What is said about plans that make no sense.

use basis::Rate;
use queues::{BufferPlan, CellPlan, DisciplinePlan, QueuePlan, RoomPlan, SchedulerPlan, ShaperPlan};
use std::sync::Arc;

use super::item::of;

#[test]
fn every_mistake_is_told_with_its_queue() {
    let shaper = |gigabits| Some(ShaperPlan { rate: Rate::from_gigabits_per_second(gigabits), burst: 0 });
    let good = QueuePlan::default();
    let queues = vec![
        good.clone(),
        QueuePlan { weight: 0, priority: 8, ..good.clone() },
        QueuePlan { minimum: shaper(2), maximum: shaper(1), ..good.clone() },
        QueuePlan { room: RoomPlan { alpha: Some(0.0), red: -0.5, ..RoomPlan::default() }, ..good.clone() },
        QueuePlan { room: RoomPlan { limit: Some(0), ..RoomPlan::default() }, ..good },
    ];
    let problems = DisciplinePlan::Scheduler(Arc::new(SchedulerPlan { quantum: 0, ..of(queues) })).problems();
    let begins = [
        "a quantum of 0",
        "queue 1: a weight",
        "queue 1: priorities",
        "queue 2: the least rate",
        "queue 3: alpha",
        "queue 3: the limits",
        "queue 4: a queue with a limit of 0",
    ];
    assert_eq!(problems.len(), begins.len(), "{problems:?}");
    for (problem, begin) in problems.iter().zip(begins) {
        assert!(problem.starts_with(begin), "{problem}");
    }
    for count in [0, 129] {
        let plan = DisciplinePlan::Scheduler(Arc::new(SchedulerPlan::of(count)));
        assert_eq!(plan.problems(), [format!("a port cannot have {count} queues: from 1 to 128")]);
    }
    assert!(DisciplinePlan::Scheduler(Arc::default()).problems().is_empty());
}

#[test]
fn a_scheduler_is_no_class() {
    let classes = vec![DisciplinePlan::Scheduler(Arc::default())];
    let problems = DisciplinePlan::StrictPriorities { map: Default::default(), classes }.problems();
    assert!(problems.iter().any(|problem| problem.contains("cannot be the discipline of a class")), "{problems:?}");
}

#[test]
fn cells_and_pools_are_not_empty() {
    let problems =
        |size, pools| BufferPlan { cells: Some(CellPlan { size, pools }), ..BufferPlan::default() }.problems();
    assert!(problems(80, vec![1]).is_empty());
    assert_eq!(problems(0, vec![]).len(), 2);
    assert_eq!(problems(80, vec![1, 0]).len(), 1);
}
