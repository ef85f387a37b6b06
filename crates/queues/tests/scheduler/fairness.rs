//! Priorities and deficit round robin: against a naive implementation, and against the bound of the algorithm.

use basis::Instant;
use proptest::prelude::*;
use queues::{BufferPlan, QueuePlan, SchedulerPlan, TrafficManager};

use super::item::{Item, manager, of, offer, take};

const START: Instant = Instant::ZERO;

/// Deficit round robin round by round, as the paper has it (Shreedhar and Varghese, 1996, figure 3), with queues in the
/// order of their numbers. Returns the numbers of queues in the order in which they send.
fn naive(weights: &[u32], quantum: u32, lengths: &[Vec<u64>]) -> Vec<u8> {
    let mut rest: Vec<_> = lengths.iter().map(|lengths| lengths.iter().copied().peekable()).collect();
    let mut deficits = vec![0; weights.len()];
    let mut order = Vec::new();
    while rest.iter_mut().any(|queue| queue.peek().is_some()) {
        for (number, queue) in rest.iter_mut().enumerate().filter(|(_, queue)| queue.len() > 0) {
            deficits[number] += u64::from(weights[number]) * u64::from(quantum);
            while let Some(length) = queue.next_if(|&length| length <= deficits[number]) {
                deficits[number] -= length;
                order.push(number as u8);
            }
            if queue.len() == 0 {
                deficits[number] = 0;
            }
        }
    }
    order
}

fn filled(plan: SchedulerPlan, lengths: &[Vec<u32>]) -> TrafficManager<Item> {
    let mut manager = manager(1, plan, &BufferPlan::default());
    for (number, lengths) in (0..).zip(lengths) {
        lengths.iter().for_each(|&length| offer(&mut manager, START, Item::new(0, number, length)).unwrap());
    }
    manager
}

fn on_wire(lengths: &[Vec<u32>]) -> Vec<Vec<u64>> {
    let of = |lengths: &Vec<u32>| lengths.iter().map(|&length| Item::new(0, 0, length).on_wire()).collect();
    lengths.iter().map(of).collect()
}

fn lengths(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(1..3000u32, count), 1..6)
}

proptest! {
    #[test]
    fn queues_send_in_the_order_of_the_naive_algorithm(
        lengths in lengths(0..20), weights in prop::collection::vec(1..20u32, 6), quantum in 1..3000u32,
    ) {
        let queues = lengths.iter().zip(&weights).map(|(_, &weight)| QueuePlan { weight, ..QueuePlan::default() });
        let mut manager = filled(SchedulerPlan { quantum, ..of(queues.collect()) }, &lengths);
        let order: Vec<u8> = std::iter::from_fn(|| take(&mut manager, START)?.queue).collect();
        prop_assert_eq!(order, naive(&weights[..lengths.len()], quantum, &on_wire(&lengths)));
    }

    /// At any time, what two queues that always have packets have sent, divided by their weights, differs by at most a
    /// quantum and a largest packet of each (lemma 2 of the paper).
    #[test]
    fn shares_are_in_proportion_to_weights_in_bytes(
        lengths in lengths(100..200), weights in prop::collection::vec(1..20u32, 6), quantum in 1..3000u32,
    ) {
        let queues = lengths.iter().zip(&weights).map(|(_, &weight)| QueuePlan { weight, ..QueuePlan::default() });
        let mut manager = filled(SchedulerPlan { quantum, ..of(queues.collect()) }, &lengths);
        let mut sent = vec![0.0; lengths.len()];
        let largest = 3024.0;
        let has_all = |manager: &TrafficManager<Item>| {
            (0..lengths.len() as u8).all(|queue| manager.depth(super::item::OUT, queue).unwrap().packets > 0)
        };
        while has_all(&manager) {
            let item = take(&mut manager, START).unwrap();
            sent[usize::from(item.queue.unwrap())] += item.on_wire() as f64;
            for (i, j) in (0..sent.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let [a, b] = [i, j].map(|queue| f64::from(weights[queue]));
                let bound = f64::from(quantum) + largest / a + largest / b;
                prop_assert!((sent[i] / a - sent[j] / b).abs() <= bound, "{sent:?} for {weights:?}");
            }
        }
    }

    #[test]
    fn a_greater_priority_always_goes_first(
        lengths in lengths(0..20), priorities in prop::collection::vec(0..8u8, 6),
    ) {
        let queue = |&remaining_priority| QueuePlan { remaining_priority, ..QueuePlan::default() };
        let mut manager = filled(of(priorities[..lengths.len()].iter().map(queue).collect()), &lengths);
        let order = std::iter::from_fn(|| take(&mut manager, START)?.queue);
        let sent: Vec<u8> = order.map(|queue| priorities[usize::from(queue)]).collect();
        prop_assert!(sent.is_sorted_by(|a, b| a >= b), "{sent:?}");
        prop_assert_eq!(sent.len(), lengths.iter().map(Vec::len).sum::<usize>());
    }
}

#[test]
fn a_later_packet_of_a_greater_priority_overtakes() {
    let queue = |remaining_priority| QueuePlan { remaining_priority, ..QueuePlan::default() };
    let mut manager = filled(of(vec![queue(1), queue(6)]), &[vec![100; 3], vec![]]);
    assert_eq!(take(&mut manager, START).unwrap().queue, Some(0));
    offer(&mut manager, START, Item::new(0, 1, 1500)).unwrap();
    let order: Vec<u8> = std::iter::from_fn(|| take(&mut manager, START)?.queue).collect();
    assert_eq!(order, [1, 0, 0]);
}

/// A queue that was empty saves nothing up: it takes its turn among the others, and no burst of turns.
#[test]
fn an_idle_queue_saves_no_turns() {
    let mut manager =
        filled(SchedulerPlan { quantum: 1024, ..of(vec![QueuePlan::default(); 2]) }, &[vec![1000; 50], vec![1000]]);
    (0..40).for_each(|_| assert!(take(&mut manager, START).is_some()));
    (0..9).for_each(|_| offer(&mut manager, START, Item::new(0, 1, 1000)).unwrap());
    let order: Vec<u8> = (0..8).filter_map(|_| take(&mut manager, START)?.queue).collect();
    assert_eq!(order.iter().filter(|&&queue| queue == 1).count(), 4, "{order:?}");
}
