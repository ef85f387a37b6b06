//! The next bucket, whose events are sorted.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::queued_event::QueuedEvent;

/// The most events that an insertion may pass before the heap is cheaper.
const MOST_PASSED: usize = 32;

/// The events up to some instant.
#[derive(Clone, Debug)]
pub(super) struct Open<T> {
    /// The sorted events, the next one at the end. Of equal ones, the one that was pushed first is nearer to the end.
    sorted: Vec<QueuedEvent<T>>,
    /// The events that were pushed after the bucket was opened and would have moved many others. It is empty most of
    /// the time; it keeps a burst into an open bucket from taking quadratic time. While it is not empty, all new
    /// events go here, so that of equal events those in `sorted` were pushed first.
    heap: BinaryHeap<Late<T>>,
    /// The number of events that were ever put on the heap, which keeps equal ones in order.
    late: u64,
    /// The last picosecond that belongs to the bucket; earlier ones do too.
    last: u64,
}

/// An event on the heap.
#[derive(Clone, Copy, Debug)]
struct Late<T> {
    entry: QueuedEvent<T>,
    number: u64,
}

impl<T: Copy> Open<T> {
    pub(super) fn new() -> Self {
        Self { sorted: Vec::new(), heap: BinaryHeap::new(), late: 0, last: 0 }
    }

    /// Returns the last picosecond that belongs to the bucket.
    #[inline]
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Takes the next event if it is not after `last`.
    #[inline]
    pub(super) fn pop_until(&mut self, last: u64) -> Option<QueuedEvent<T>> {
        if self.heap.is_empty() {
            let next = *self.sorted.last()?;
            if next.time > last {
                return None;
            }
            self.sorted.pop();
            return Some(next);
        }
        self.pop_of_both_until(last)
    }

    #[cold]
    fn pop_of_both_until(&mut self, last: u64) -> Option<QueuedEvent<T>> {
        if self.first_time()? > last {
            return None;
        }
        match (self.sorted.last(), self.heap.peek()) {
            (Some(sorted), Some(late)) if !late.entry.precedes(sorted) => self.sorted.pop(),
            _ => self.heap.pop().map(|late| late.entry),
        }
    }

    /// Returns the sorted events, the next one at the end. Late ones may come between them.
    #[inline]
    pub(super) fn sorted(&self) -> &[QueuedEvent<T>] {
        &self.sorted
    }

    /// Returns true if no event is left.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.sorted.is_empty() && self.heap.is_empty()
    }

    /// Returns the time of the next event.
    #[inline]
    pub(super) fn first_time(&self) -> Option<u64> {
        let sorted = self.sorted.last().map(|entry| entry.time);
        if self.heap.is_empty() {
            return sorted;
        }
        let late = self.heap.peek().map(|late| late.entry.time);
        sorted.into_iter().chain(late).min()
    }

    /// Adds an event that is not after [`Open::last`], behind all equal ones.
    #[inline]
    pub(super) fn insert(&mut self, entry: QueuedEvent<T>) {
        if self.heap.is_empty() {
            let length = self.sorted.len();
            let lowest = length.saturating_sub(MOST_PASSED);
            let mut place = length;
            while place > lowest && !entry.precedes(&self.sorted[place - 1]) {
                place -= 1;
            }
            if place > lowest || lowest == 0 {
                self.sorted.insert(place, entry);
                return;
            }
        }
        self.heap.push(Late { entry, number: self.late });
        self.late += 1;
    }

    /// Starts the bucket whose last picosecond is `last`; the previous one must be empty.
    #[inline]
    pub(super) fn begin(&mut self, last: u64) {
        debug_assert!(self.sorted.is_empty() && self.heap.is_empty(), "one bucket at a time");
        self.last = last;
    }

    /// Adds events of the bucket. Events are added last first, and [`Open::finish`] follows the last of them.
    #[inline]
    pub(super) fn add(&mut self, entries: impl Iterator<Item = QueuedEvent<T>>) {
        self.sorted.extend(entries);
    }

    /// Completes the bucket.
    #[inline]
    pub(super) fn finish(&mut self) {
        // The sort is stable, so equal events stay in the order in which they were added. It inserts while there are few.
        self.sorted.sort_by_key(|entry| std::cmp::Reverse(entry.key()));
    }
}

impl<T> Ord for Late<T> {
    /// Compares in reverse, because the heap returns the greatest entry first, which must be the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.entry.key(), other.number).cmp(&(self.entry.key(), self.number))
    }
}

impl<T> PartialOrd for Late<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Late<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Late<T> {}
