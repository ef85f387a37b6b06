//! What happens next: a queue of events in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::Instant;

/// Events in the order of time, then of their sources, then of their pushes.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: BinaryHeap<Reverse<(Instant, u32, u64, u32)>>,
    pushed: u64,
}

impl EventQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an event, not before the one last popped.
    pub fn push(&mut self, at: Instant, source: u32, item: u32) {
        self.heap.push(Reverse((at, source, self.pushed, item)));
        self.pushed += 1;
    }

    /// Takes the earliest event.
    pub fn pop(&mut self) -> Option<(Instant, u32, u32)> {
        self.heap.pop().map(|Reverse((at, source, _, item))| (at, source, item))
    }
}
