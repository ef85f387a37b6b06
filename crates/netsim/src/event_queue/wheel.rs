//! The events behind the next bucket: lists in buckets of time, on levels of increasing width.
//!
//! This is a hierarchical timing wheel (Varghese and Lauck, SOSP 1987, scheme 7) whose levels are digits of the time.
//! An event lies on the level of the highest digit in which it differs from the open bucket. Level 0 divides the
//! present block of 16.8 microseconds; how finely depends on the number of events in the previous block. When a block
//! begins, the events of its one bucket are spread over the level below in order, so that equal ones stay in order.

use super::buckets::Buckets;
use super::open::Open;
use super::queued_event::QueuedEvent;
use super::slab::{List, Slab};

/// Level 0 divides a block of 2^24 picoseconds. That is longer than a packet's hop in most networks, so most events
/// are put directly into the bucket from which they are taken.
const BLOCK_BITS: u32 = 24;
/// The binary logarithm of the number of buckets of each upper level.
const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Five levels of 8 bits and the block make up all 64 bits.
const UPPER_LEVELS: usize = ((64 - BLOCK_BITS) / DIGIT_BITS) as usize;
/// The binary logarithms of the least and the greatest number of buckets of level 0; the latter take 256 KiB.
const FEWEST_BUCKET_BITS: u32 = 8;
const MOST_BUCKET_BITS: u32 = 16;
/// The intended number of events in a bucket: few enough to be cheap to sort, and enough that most buckets are not
/// empty.
const EVENTS_A_BUCKET: u64 = 8;
/// The most events of a bucket of an upper level that are opened at once rather than spread.
const FEW: usize = 16;

/// The events after the open bucket.
#[derive(Clone, Debug)]
pub(super) struct Wheel<T> {
    /// The storage of the lists.
    slab: Slab<T>,
    /// The beginning of the open bucket, in picoseconds.
    position: u64,
    /// The binary logarithm of the width of a bucket of level 0, in picoseconds.
    width_bits: u32,
    /// Level 0, which divides the block.
    fine: Buckets,
    /// The upper levels, the finest first.
    upper: [Buckets; UPPER_LEVELS],
    /// The number of events that were taken from level 0 since the block began.
    taken: u64,
}

/// A bucket that is not empty.
struct Next {
    /// The first picosecond of the bucket.
    start: u64,
    bucket: usize,
    /// The level of the bucket if it is an upper level.
    upper: Option<usize>,
}

impl<T: Copy> Wheel<T> {
    pub(super) fn new() -> Self {
        let bits = 12;
        Self {
            slab: Slab::new(),
            position: 0,
            width_bits: BLOCK_BITS - bits,
            fine: Buckets::new(1 << bits),
            upper: std::array::from_fn(|_| Buckets::new(DIGITS)),
            taken: 0,
        }
    }

    /// Adds an event that is after the open bucket.
    #[inline]
    pub(super) fn push(&mut self, entry: QueuedEvent<T>) {
        let differs = (entry.time ^ self.position) >> BLOCK_BITS;
        let list = if differs == 0 {
            self.fine.fill(((entry.time & low_bits(BLOCK_BITS)) >> self.width_bits) as usize)
        } else {
            let level = (differs.ilog2() / DIGIT_BITS) as usize;
            self.upper[level].fill((entry.time >> shift_of(level)) as usize % DIGITS)
        };
        self.slab.push(list, entry);
    }

    /// Moves the next non-empty bucket into `open`, which is empty, unless the bucket begins after `last`. If this
    /// returns false, only events after `last` may be pushed from now on.
    #[inline]
    pub(super) fn open_next(&mut self, last: u64, open: &mut Open<T>) -> bool {
        loop {
            let Some(next) = self.next() else { return false };
            if next.start > last {
                return false;
            }
            self.position = next.start;
            let Some(level) = next.upper else {
                let list = self.fine.take(next.bucket);
                self.taken += self.open_list(list, next.start | low_bits(self.width_bits), open);
                return true;
            };
            let list = self.upper[level].take(next.bucket);
            if self.slab.is_at_most(list, FEW) {
                // A few events are not worth spreading, however far apart they are.
                self.open_list(list, next.start | low_bits(shift_of(level)), open);
                return true;
            }
            self.choose_width();
            self.spread(list);
        }
    }

    /// Returns the beginning of the next non-empty bucket, before which there is no event.
    pub(super) fn next_start(&self) -> Option<u64> {
        self.next().map(|next| next.start)
    }

    /// Returns the next non-empty bucket.
    #[inline]
    fn next(&self) -> Option<Next> {
        if let Some(bucket) = self.fine.first() {
            let start = (self.position & !low_bits(BLOCK_BITS)) | ((bucket as u64) << self.width_bits);
            return Some(Next { start, bucket, upper: None });
        }
        let (level, bucket) =
            self.upper.iter().enumerate().find_map(|(level, buckets)| Some((level, buckets.first()?)))?;
        let shift = shift_of(level);
        let above = !low_bits(shift) << DIGIT_BITS;
        Some(Next { start: (self.position & above) | ((bucket as u64) << shift), bucket, upper: Some(level) })
    }

    /// Moves a list into `open`. Returns its length.
    #[inline]
    fn open_list(&mut self, list: List, last: u64, open: &mut Open<T>) -> u64 {
        open.begin(last);
        let count = self.slab.take_last_first(list, |entries| open.add(entries));
        open.finish();
        count
    }

    /// Moves the events of a list to their present buckets, the oldest first.
    fn spread(&mut self, list: List) {
        let mut chunk = self.slab.turn_round(list);
        while let Some((entries, next)) = self.slab.take_chunk(chunk) {
            for &entry in entries.as_slice() {
                self.push(entry);
            }
            chunk = next;
        }
    }

    /// Chooses the number of buckets for the block that begins now from the events of the previous one. Level 0 must
    /// be empty.
    fn choose_width(&mut self) {
        let wanted = (self.taken / EVENTS_A_BUCKET).max(1).ilog2() + 1;
        let bits = wanted.clamp(FEWEST_BUCKET_BITS, MOST_BUCKET_BITS);
        self.fine.reserve(1 << bits);
        self.width_bits = BLOCK_BITS - bits;
        self.taken = 0;
    }
}

#[inline]
fn low_bits(count: u32) -> u64 {
    (1 << count) - 1
}

/// Returns the binary logarithm of the width of a bucket of an upper level, in picoseconds.
#[inline]
fn shift_of(level: usize) -> u32 {
    BLOCK_BITS + DIGIT_BITS * level as u32
}
