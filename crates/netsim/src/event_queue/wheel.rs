//! Events that are not next: lists in buckets of time, on levels that get coarser.
//!
//! A hierarchical timing wheel (Varghese and Lauck, SOSP 1987, scheme 7) whose levels are digits of the time. An event
//! lies on the level of the highest digit in which it differs from the bucket that is open. Level 0 divides the block
//! of 16.8 microseconds that time is in; how finely depends on how much happened in the block before. When a block
//! begins, the events of its one bucket are spread over the level below, in order, so that equal ones stay in order.

use super::buckets::Buckets;
use super::entry::Entry;
use super::open::{FEW, Open};
use super::slab::{List, Slab};

/// Level 0 divides a block of 2^24 picoseconds: longer than a packet's hop in most networks, so that most events are
/// put into the bucket from which they are taken.
const BLOCK_BITS: u32 = 24;
/// Each level above divides its time into 2^8 buckets.
const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Five levels of 8 bits, and the block: all 64 bits.
const UPPER_LEVELS: usize = ((64 - BLOCK_BITS) / DIGIT_BITS) as usize;
/// Level 0 has from 2^8 to 2^16 buckets; the latter take 256 KiB.
const FEWEST_BUCKET_BITS: u32 = 8;
const MOST_BUCKET_BITS: u32 = 16;
/// So many events in a bucket are cheap to sort, and not so few that most buckets are empty.
const EVENTS_A_BUCKET: u64 = 8;

/// Events after the open bucket.
#[derive(Clone, Debug)]
pub(super) struct Wheel<T> {
    /// What the lists hold.
    slab: Slab<T>,
    /// Where the open bucket begins, in picoseconds.
    position: u64,
    /// A bucket of level 0 is 2^this picoseconds.
    width_bits: u32,
    /// The level of the block.
    fine: Buckets,
    /// The levels above, the finest first.
    upper: [Buckets; UPPER_LEVELS],
    /// How many events were taken out of level 0 since the block began.
    taken: u64,
}

/// A bucket that holds something.
struct Next {
    /// Its first picosecond.
    start: u64,
    bucket: usize,
    /// Its level, if that is one above the finest.
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
    pub(super) fn push(&mut self, entry: Entry<T>) {
        let differs = (entry.time ^ self.position) >> BLOCK_BITS;
        let list = if differs == 0 {
            self.fine.fill(((entry.time & low_bits(BLOCK_BITS)) >> self.width_bits) as usize)
        } else {
            let level = (differs.ilog2() / DIGIT_BITS) as usize;
            self.upper[level].fill((entry.time >> shift_of(level)) as usize % DIGITS)
        };
        self.slab.push(list, entry);
    }

    /// Moves the next bucket that holds something, if it does not begin after `last`, into `open`, which is empty;
    /// false if there is none. Then only events after `last` may be pushed.
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
                // A few events are not worth spreading, however far they lie from each other.
                self.open_list(list, next.start | low_bits(shift_of(level)), open);
                return true;
            }
            self.choose_width();
            self.spread(list);
        }
    }

    /// When the next bucket that holds something begins: no event is before.
    pub(super) fn next_start(&self) -> Option<u64> {
        self.next().map(|next| next.start)
    }

    /// The next bucket that holds something.
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

    /// Moves a list into `open` and says how long it was.
    #[inline]
    fn open_list(&mut self, list: List, last: u64, open: &mut Open<T>) -> u64 {
        open.begin(last);
        let count = self.slab.take_last_first(list, |entry| open.add(entry));
        open.finish();
        count
    }

    /// Puts the events of a list where they belong now, what came first before the others.
    fn spread(&mut self, list: List) {
        let mut chunk = self.slab.turn_round(list);
        while let Some((entries, next)) = self.slab.take_chunk(chunk) {
            for &entry in entries.as_slice() {
                self.push(entry);
            }
            chunk = next;
        }
    }

    /// Divides the block that begins now by what happened in the one before. Level 0 is empty.
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

/// A bucket of an upper level is 2^this picoseconds.
#[inline]
fn shift_of(level: usize) -> u32 {
    BLOCK_BITS + DIGIT_BITS * level as u32
}
