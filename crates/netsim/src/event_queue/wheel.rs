//! Events that are not next: lists in buckets of time, on levels that get coarser.
//!
//! A hierarchical timing wheel (Varghese and Lauck, SOSP 1987, scheme 7) whose levels are digits of the time. An event
//! lies on the level of the highest digit in which it differs from the bucket that is open. Level 0 divides the block
//! of 16.8 microseconds that time is in; how finely depends on how much happened in the block before. When a block
//! begins, the events of its one bucket are spread over the level below, in order, so that equal ones stay in order.

use super::entry::Entry;
use super::open::{FEW, Open};

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
const EVENTS_A_BUCKET: u64 = 4;
/// The end of a list.
const NONE: u32 = u32::MAX;

/// Events after the open bucket.
#[derive(Clone, Debug)]
pub(super) struct Wheel<T> {
    /// All events, and free places.
    slab: Vec<Node<T>>,
    /// The first free place.
    free: u32,
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

#[derive(Clone, Copy, Debug)]
struct Node<T> {
    entry: Entry<T>,
    next: u32,
}

impl<T: Copy> Wheel<T> {
    pub(super) fn new() -> Self {
        let bits = 12;
        Self {
            slab: Vec::new(),
            free: NONE,
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
        let node = Node { entry, next: NONE };
        let place = self.free;
        let place = if place == NONE {
            self.slab.push(node);
            // Four billion pending events would take 96 GiB.
            (self.slab.len() - 1) as u32
        } else {
            self.free = self.slab[place as usize].next;
            self.slab[place as usize] = node;
            place
        };
        self.link(place, entry.time);
    }

    /// Puts the event at a place of the slab in front of its bucket's list.
    #[inline]
    fn link(&mut self, place: u32, time: u64) {
        let differs = (time ^ self.position) >> BLOCK_BITS;
        let next = if differs == 0 {
            self.fine.replace(((time & low_bits(BLOCK_BITS)) >> self.width_bits) as usize, place)
        } else {
            let level = (differs.ilog2() / DIGIT_BITS) as usize;
            self.upper[level].replace((time >> shift_of(level)) as usize % DIGITS, place)
        };
        self.slab[place as usize].next = next;
    }

    /// Moves the next bucket that holds something into `open`, which is empty; false if there is none.
    #[inline]
    pub(super) fn open_next(&mut self, open: &mut Open<T>) -> bool {
        loop {
            if let Some((bucket, first)) = self.fine.take_first() {
                let start = (self.position & !low_bits(BLOCK_BITS)) | ((bucket as u64) << self.width_bits);
                self.position = start;
                self.taken += self.open_list(first, start | low_bits(self.width_bits), open);
                return true;
            }
            let Some(level) = self.upper.iter().position(|buckets| !buckets.is_empty()) else {
                return false;
            };
            let (bucket, first) = self.upper[level].take_first().expect("it is not empty");
            let shift = shift_of(level);
            let above = !low_bits(shift) << DIGIT_BITS;
            let start = (self.position & above) | ((bucket as u64) << shift);
            self.position = start;
            if self.is_short(first) {
                // A few events are not worth spreading, however far they lie from each other.
                self.open_list(first, start | low_bits(shift), open);
                return true;
            }
            self.choose_width();
            self.spread(first);
        }
    }

    /// Moves a list into `open` and says how long it was.
    #[inline]
    fn open_list(&mut self, first: u32, last: u64, open: &mut Open<T>) -> u64 {
        open.begin(last);
        let (mut place, mut count) = (first, 0);
        loop {
            let node = &self.slab[place as usize];
            open.add(node.entry);
            count += 1;
            if node.next == NONE {
                break;
            }
            place = node.next;
        }
        self.slab[place as usize].next = self.free;
        self.free = first;
        open.finish();
        count
    }

    fn is_short(&self, first: u32) -> bool {
        let mut place = first;
        for _ in 0..FEW {
            place = self.slab[place as usize].next;
            if place == NONE {
                return true;
            }
        }
        false
    }

    /// Puts the events of a list where they belong now.
    fn spread(&mut self, first: u32) {
        // Lists begin with what came last. Turned round, what came first is put down first.
        let (mut place, mut turned) = (first, NONE);
        while place != NONE {
            let next = std::mem::replace(&mut self.slab[place as usize].next, turned);
            turned = place;
            place = next;
        }
        while turned != NONE {
            let node = &self.slab[turned as usize];
            let (time, next) = (node.entry.time, node.next);
            self.link(turned, time);
            turned = next;
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

/// The lists of one level, and which of them hold something.
#[derive(Clone, Debug)]
struct Buckets {
    /// The first of each list.
    first: Vec<u32>,
    /// A bit for each list that holds something.
    filled: Vec<u64>,
    /// A bit for each word of `filled` that is not zero.
    summary: [u64; 16],
}

impl Buckets {
    fn new(count: usize) -> Self {
        Self { first: vec![NONE; count], filled: vec![0; count.div_ceil(64)], summary: [0; 16] }
    }

    /// Makes room for so many buckets, at most 2^16; all are empty.
    fn reserve(&mut self, count: usize) {
        if count > self.first.len() {
            self.first.resize(count, NONE);
            self.filled.resize(count.div_ceil(64), 0);
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.summary.iter().all(|&word| word == 0)
    }

    /// Makes `place` the first of a list; gives what was.
    #[inline]
    fn replace(&mut self, bucket: usize, place: u32) -> u32 {
        let word = bucket / 64;
        self.filled[word] |= 1 << (bucket % 64);
        self.summary[word / 64] |= 1 << (word % 64);
        std::mem::replace(&mut self.first[bucket], place)
    }

    /// Takes the list of the first bucket that holds something.
    #[inline]
    fn take_first(&mut self) -> Option<(usize, u32)> {
        let group = self.summary.iter().position(|&word| word != 0)?;
        let word = group * 64 + self.summary[group].trailing_zeros() as usize;
        let bucket = word * 64 + self.filled[word].trailing_zeros() as usize;
        self.filled[word] &= self.filled[word] - 1;
        if self.filled[word] == 0 {
            self.summary[group] &= self.summary[group] - 1;
        }
        Some((bucket, std::mem::replace(&mut self.first[bucket], NONE)))
    }
}
