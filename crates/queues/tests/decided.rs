//! Disciplines from outside: what they decide, and that the queue holds to it.

mod common;

use basis::{Duration, Instant, Random, Rate, snapshot};
use common::*;
use queues::{
    Arriving, BufferPlan, Decision, Discipline, DisciplineParameters, DisciplinePlan, FlowControlPlan, Lanes, Leaving,
    Refusals, reasons,
};

/// Two lanes, of odd and of even code points, which take turns; packets that have waited too long are dropped as they leave.
#[derive(Clone, Debug)]
struct Turns {
    longest: Duration,
    last: usize,
}

impl DisciplineParameters for Turns {
    fn discipline(&self, _rate: Rate) -> Box<dyn Discipline> {
        Box::new(self.clone())
    }
}

impl Discipline for Turns {
    fn lanes(&self) -> usize {
        2
    }

    fn lane(&self, packet: &Arriving) -> usize {
        usize::from(packet.code_point.unwrap_or(0) % 2)
    }

    fn room(&self, lane: usize) -> u64 {
        [3 * on_wire(1000), 10 * on_wire(1000)][lane]
    }

    fn next(&mut self, lanes: &dyn Lanes) -> usize {
        if lanes.first(1 - self.last).is_some() {
            self.last = 1 - self.last;
        }
        self.last
    }

    fn leaves(&mut self, packet: &Leaving, _lanes: &dyn Lanes, _random: &mut Random) -> Decision {
        match packet.waited > self.longest {
            true => Decision::Drop(reasons::QUEUE_FULL),
            false => Decision::Pass,
        }
    }
}

snapshot!(Turns { values last; });

fn turns() -> DisciplinePlan {
    DisciplinePlan::of(Turns { longest: Duration::from_microseconds(10), last: 0 })
}

#[test]
fn lanes_take_turns_and_have_room_of_their_own() {
    let mut manager = simple(turns());
    let refused: usize = (0..5).map(|_| offer(&mut manager, packet(8, 0, 1000)).discarded.len()).sum();
    assert_eq!(refused, 2, "the lane of even code points has room for three");
    for _ in 0..2 {
        assert!(offer(&mut manager, packet(9, 0, 1000)).discarded.is_empty());
    }
    let points: Vec<_> = std::iter::from_fn(|| take(&mut manager)).map(|packet| queues::code_point(&packet)).collect();
    assert_eq!(points, [9, 8, 9, 8, 8].map(Some), "the lanes take turns while both have packets");
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_PACKETS"), 5);
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_DROPPED_PACKETS"), 2);
}

#[test]
fn packets_that_are_dropped_as_they_leave_are_refusals_and_the_next_one_goes() {
    let mut manager = simple(turns());
    offer(&mut manager, packet(8, 0, 1000));
    offer(&mut manager, packet(8, 0, 1000));
    let late = Instant::from_microseconds(11);
    let mut refusals = Refusals::default();
    manager.offer(late, IN, OUT, packet(10, 0, 1000), &mut refusals);
    assert!(refusals.discarded.is_empty());
    let taken = manager.take(late, OUT, &mut refusals).expect("the last has not waited");
    assert_eq!(queues::code_point(&taken), Some(10));
    assert_eq!(refusals.discarded.len(), 2);
    assert_eq!(manager.held(), 0);
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS"), 2);
}

/// A lossless priority is not dropped, whatever the discipline says.
#[test]
fn lossless_packets_are_kept() {
    let plan = FlowControlPlan::new(1 << 1, 100_000, rate(), Duration::from_microseconds(1), 2000);
    let buffer = BufferPlan { flow_control: Some(plan), ..BufferPlan::default() };
    let mut manager = switch(2, turns(), &buffer, 1);
    let mut refusals = Refusals::default();
    for _ in 0..5 {
        manager.offer(START, IN, OUT, packet(8, 0, 1000), &mut refusals);
    }
    let late = Instant::from_microseconds(1000);
    let taken = std::iter::from_fn(|| manager.take(late, OUT, &mut refusals)).count();
    assert_eq!((taken, refusals.discarded.len()), (5, 0), "code point 8 is priority 1");
}

#[test]
fn the_room_of_a_code_point_is_that_of_its_lane() {
    let parameters = Turns { longest: Duration::ZERO, last: 0 };
    assert_eq!(parameters.room_for(46), 3 * on_wire(1000));
    assert_eq!(parameters.room_for(1), 10 * on_wire(1000));
}
