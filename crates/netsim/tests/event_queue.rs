//! The event queue compared with a binary heap with sequence numbers: both return the same events in the same order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::{Duration, Instant, Random};
use netsim::event_queue::EventQueue;
use proptest::prelude::*;

/// The event queue beside a model of what it should do, written as plainly as possible.
#[derive(Default)]
struct Reference {
    heap: BinaryHeap<Reverse<(Instant, u32, u32)>>,
    pushed: u32,
}

struct Pair {
    queue: EventQueue<u32>,
    reference: Reference,
    now: Instant,
}

impl Pair {
    fn new() -> Self {
        Self { queue: EventQueue::new(), reference: Reference::default(), now: Instant::ZERO }
    }

    fn push(&mut self, ahead: u64, source: u32) {
        let at = self.now + Duration::from_picoseconds(ahead);
        self.queue.push(at, source, self.reference.pushed);
        self.reference.heap.push(Reverse((at, source, self.reference.pushed)));
        self.reference.pushed += 1;
    }

    fn pop(&mut self) {
        let expected = self.reference.heap.pop().map(|Reverse(event)| event);
        assert_eq!(self.queue.pop(), expected);
        self.now = expected.map_or(self.now, |(at, ..)| at);
        assert_eq!(self.queue.len(), self.reference.heap.len());
    }

    /// Takes events until none is left that is at most `ahead` away.
    fn pop_until(&mut self, ahead: u64) {
        let last = self.now + Duration::from_picoseconds(ahead);
        loop {
            let first = self.reference.heap.peek().map(|Reverse((at, ..))| *at);
            assert!(self.queue.earliest() <= first, "{:?} is not before {first:?}", self.queue.earliest());
            if first.is_none_or(|first| first > last) {
                break;
            }
            let expected = self.reference.heap.pop().map(|Reverse(event)| event);
            assert_eq!(self.queue.pop_until(last), expected);
        }
        assert_eq!(self.queue.pop_until(last), None);
        assert!(self.queue.earliest().is_none_or(|earliest| earliest > last));
        assert_eq!(self.queue.len(), self.reference.heap.len());
        self.now = last;
    }

    fn drain(&mut self) {
        while !self.reference.heap.is_empty() {
            self.pop();
        }
        assert!(self.queue.is_empty());
        assert_eq!(self.queue.pop(), None);
    }
}

/// Draws how far ahead an event lies: now, within a bucket, a hop, a timer, or so far that nothing else is there.
fn ahead(random: &mut Random) -> u64 {
    match random.below(16) {
        0..3 => 0,
        3 => random.below(4) * 80_000,
        4 => random.below(300),
        5..13 => 100_000 + random.below(3_000_000),
        13 => random.below(5_000_000_000),
        14 => random.below(1 << 24) << random.below(24),
        _ => random.below(1 << 44),
    }
}

fn act(pair: &mut Pair, random: &mut Random, pushes_of_ten: u64) {
    if random.below(10) < pushes_of_ten {
        let far = ahead(random);
        let count = if random.below(200) == 0 { random.below(400) } else { 1 };
        for _ in 0..count {
            pair.push(far, random.below(4) as u32);
        }
    } else {
        pair.pop();
    }
    if random.below(8) == 0 {
        // Stopping must not change anything, whichever bucket it ends in.
        let far = ahead(random) >> random.below(8);
        pair.pop_until(far);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn events_leave_as_from_a_binary_heap(seed in any::<u64>(), fill in 1_u64..8) {
        let (mut pair, mut random) = (Pair::new(), Random::new(seed));
        for round in 0..8 {
            // The queue fills, drains and becomes empty; then it continues after a long gap.
            for _ in 0..2000 {
                act(&mut pair, &mut random, if round % 2 == 0 { fill } else { 5 });
            }
            if round % 4 == 3 {
                pair.drain();
            }
        }
        pair.drain();
    }
}

#[test]
fn ties_are_broken_by_source_then_by_insertion() {
    let mut queue = EventQueue::new();
    let at = Instant::from_microseconds(5);
    for (source, item) in [(2, 'c'), (1, 'a'), (2, 'd'), (1, 'b')] {
        queue.push(at, source, item);
    }
    let before = Instant::from_picoseconds(at.picoseconds() - 1);
    queue.push(before, 3, 'o');
    assert_eq!(queue.pop(), Some((before, 3, 'o')));
    // The bucket is open now; events pushed into it are still in order.
    queue.push(at, 1, 'x');
    queue.push(before, 9, 'z');
    let items: String = std::iter::from_fn(|| queue.pop().map(|(_, _, item)| item)).collect();
    assert_eq!(items, "zabxcd");
}

#[test]
fn keeps_the_order_when_the_bucket_width_changes() {
    let (mut pair, mut random) = (Pair::new(), Random::new(3));
    for _ in 0..3000 {
        pair.push(random.below(2_000_000), 0);
    }
    // This covers some 15 blocks of 16.8 microseconds.
    for _ in 0..500_000 {
        pair.pop();
        pair.push(100_000 + random.below(2_000_000) / 80_000 * 80_000, random.below(100) as u32);
    }
    assert!(pair.now > Instant::from_microseconds(150));
    pair.drain();
}

#[test]
fn orders_bursts_into_an_open_bucket() {
    let mut pair = Pair::new();
    let mut random = Random::new(4);
    pair.push(1000, 0);
    pair.pop();
    for _ in 0..5000 {
        pair.push(random.below(3), random.below(1000) as u32);
        pair.push(u64::MAX, random.below(3) as u32);
    }
    for _ in 0..2000 {
        pair.pop();
        pair.push(0, random.below(1000) as u32);
    }
    pair.drain();
    pair.push(0, 1);
    pair.drain();
}
