//! An index of bit vectors: for each value of a key byte, the rules that let it through.

use super::choice::{self, Byte, MOST_BYTES};
use super::rule::{NO_RULE, Rules, Test};

/// The number of rules in a block: the bits of a word.
pub(super) const BLOCK: usize = 64;

/// The number of rules that are put into a block at first, which leaves room for similar ones.
const FILLED: usize = 48;

/// The number of blocks that are processed together. A row has room for a multiple of them.
const ABREAST: usize = 8;

/// If more than this many of 64 blocks are candidates, they are processed together.
const MANY: u32 = 6;

/// The fewest rules in the first tier.
const FIRST_TIER: usize = 256;

/// For each indexed byte, the bits that a rule ignores and the values of the others. In this order, specific rules come
/// before general ones, as they mostly do by rank: once one is found, the blocks after it are skipped.
type Likeness = [(u8, u8); MOST_BYTES];

/// Where a rule belongs: its tier, and among the rules of that its likeness.
type Home = (usize, Likeness);

/// Finds the rules that may match a key, 64 at a time at most.
///
/// For each indexed byte of the key and each value of that byte there is a vector with a bit for each rule, set if the
/// rule lets that value through (Lakshman and Stiliadis, SIGCOMM 1998), and a summary with a bit for each non-zero word
/// of that vector (Baboescu and Varghese, "Scalable Packet Classification", SIGCOMM 2001). Similar rules are placed
/// together, so that few words remain in the intersection of all summaries. The order of rules does not decide which
/// one wins, so rules can be added and removed without moving others; instead each block records its best rank.
///
/// Rules are in tiers by rank, each twice as large as the one before: where many rules match a key, as in lists with
/// general rules in front, the best one is in a small tier, and the others need not be looked at.
#[derive(Clone, Debug)]
pub(super) struct Index {
    bytes: Vec<Byte>,
    /// The number of words of a summary.
    summary: usize,
    /// The number of words of a row: a summary and its vector.
    stride: usize,
    /// The rows of all bytes: 256 for each, indexed by the byte's value.
    rows: Vec<u64>,
    /// The row of all places that are in use.
    occupied: Vec<u64>,
    /// The least rank in each block.
    best: Vec<u64>,
    /// The least rank in each group of blocks that are processed together.
    best_abreast: Vec<u64>,
    /// The least rank in the blocks of each word of a summary and of those behind it.
    best_from: Vec<u64>,
    /// The rank with which each tier but the first begins.
    tiers: Vec<u64>,
    /// Where the first rule of each block belongs, in the order of the blocks.
    beginnings: Vec<Home>,
    count: usize,
}

impl Index {
    /// Creates an index of the rules at these places. Also returns, in the same order, the places to which they must be
    /// moved for the index to find them.
    pub(super) fn new(rules: &Rules, places: &[usize], length: usize) -> (Self, Vec<usize>) {
        let bytes = choice::bytes(rules, places, length);
        let tiers = tiers(places.iter().map(|&place| rules.ranks()[place]).collect());
        let liken = |(at, &place): (usize, &usize)| {
            let rank = rules.ranks()[place];
            (home(&tiers, &bytes, rules.tests(place), rank), rank, at)
        };
        let mut order: Vec<(Home, u64, usize)> = places.iter().enumerate().map(liken).collect();
        order.sort_unstable();
        let blocks = places.len().div_ceil(FILLED);
        let summary = blocks.div_ceil(64);
        let stride = summary + blocks.next_multiple_of(ABREAST);
        let beginnings = order.iter().step_by(FILLED).map(|(home, ..)| *home).collect();
        let rows = vec![0; bytes.len() * 256 * stride];
        let mut index = Self {
            bytes,
            summary,
            stride,
            rows,
            occupied: vec![0; stride],
            best: vec![NO_RULE; blocks],
            best_abreast: vec![NO_RULE; blocks.div_ceil(ABREAST)],
            best_from: vec![NO_RULE; summary],
            tiers,
            beginnings,
            count: 0,
        };
        index.fill_free_bytes(&order);
        let mut moved = vec![0; places.len()];
        for (number, ((_, likeness), rank, at)) in order.into_iter().enumerate() {
            let place = number / FILLED * BLOCK + number % FILLED;
            moved[at] = place;
            index.set(place, &likeness, rank, true);
        }
        (index, moved)
    }

    /// Sets the bits of all rules at bytes that they ignore, which are most, in every row at once.
    fn fill_free_bytes(&mut self, order: &[(Home, u64, usize)]) {
        let mut row = vec![0; self.stride];
        for (number, rows) in self.rows.chunks_exact_mut(256 * self.stride).enumerate() {
            row.fill(0);
            for (at, _) in order.iter().enumerate().filter(|(_, ((_, likeness), ..))| likeness[number].0 == u8::MAX) {
                let place = at / FILLED * BLOCK + at % FILLED;
                set_bit(&mut row, self.summary, place);
            }
            rows.chunks_exact_mut(self.stride).for_each(|each| each.copy_from_slice(&row));
        }
    }

    /// Returns the number of rules.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of rules for which there is room.
    pub(super) fn room(&self) -> usize {
        self.best.len() * BLOCK
    }

    /// Returns the rank of the best rule that matches a key, or [`NO_RULE`].
    #[inline]
    pub(super) fn lookup(&self, rules: &Rules, key: &[u64]) -> u64 {
        let mut begin = [0; MOST_BYTES];
        let mut rows = 0;
        for (begin, byte) in begin.iter_mut().zip(&self.bytes) {
            *begin = rows + usize::from(byte.of(key[byte.word])) * self.stride;
            rows += 256 * self.stride;
        }
        let begin = &begin[..self.bytes.len()];
        let mut best = NO_RULE;
        for at in 0..self.summary {
            if self.best_from[at] >= best {
                break;
            }
            let mut blocks = self.meet(begin, at);
            if blocks.count_ones() > MANY {
                best = self.best_of_many(rules, key, begin, at, blocks, best);
                continue;
            }
            while blocks != 0 {
                let block = at * 64 + blocks.trailing_zeros() as usize;
                blocks &= blocks - 1;
                if self.best[block] < best {
                    let left = self.meet(begin, self.summary + block);
                    best = best_of_block(rules, key, block, left, best);
                }
            }
        }
        best
    }

    /// Returns the bits of a word that are set in all rows that begin at these positions, and in the row of used
    /// places.
    #[inline]
    fn meet(&self, begin: &[usize], word: usize) -> u64 {
        let mut met = self.occupied[word];
        for begin in begin {
            met &= self.rows[begin + word];
            if met == 0 {
                break;
            }
        }
        met
    }

    /// Returns the rank of the best rule that matches a key among many blocks of a word of the summary. Processing some
    /// blocks in vain is faster than going from one candidate to the next.
    fn best_of_many(
        &self,
        rules: &Rules,
        key: &[u64],
        begin: &[usize],
        at: usize,
        mut blocks: u64,
        mut best: u64,
    ) -> u64 {
        while blocks != 0 {
            let group = blocks.trailing_zeros() as usize / ABREAST;
            blocks &= !(((1 << ABREAST) - 1) << (group * ABREAST));
            let first = at * 64 + group * ABREAST;
            if self.best_abreast[first / ABREAST] >= best {
                continue;
            }
            let word = self.summary + first;
            let mut met = *abreast(&self.occupied, word);
            for begin in begin {
                let row = abreast(&self.rows, begin + word);
                (0..ABREAST).for_each(|block| met[block] &= row[block]);
            }
            for (block, &left) in (first..).zip(&met) {
                if left != 0 && self.best[block] < best {
                    best = best_of_block(rules, key, block, left, best);
                }
            }
        }
        best
    }

    /// Finds a place for a rule near similar ones; `None` if the index is full.
    pub(super) fn insert(&mut self, tests: &[Test], rank: u64) -> Option<usize> {
        let home = home(&self.tiers, &self.bytes, tests, rank);
        let likeness = home.1;
        let home = self.beginnings.partition_point(|beginning| *beginning <= home).saturating_sub(1);
        let blocks = self.best.len();
        let nearby = (0..blocks).flat_map(|distance| [home.checked_sub(distance), Some(home + distance)]);
        let has_room = |block: &usize| *block < blocks && self.occupied[self.summary + block] != u64::MAX;
        let block = nearby.flatten().find(has_room)?;
        let place = block * BLOCK + self.occupied[self.summary + block].trailing_ones() as usize;
        self.set(place, &likeness, rank, false);
        Some(place)
    }

    /// Sets the bits of a rule. Those at bytes that it ignores are skipped if `free_are_set`.
    fn set(&mut self, place: usize, likeness: &Likeness, rank: u64, free_are_set: bool) {
        for (rows, &(free, value)) in self.rows.chunks_exact_mut(256 * self.stride).zip(likeness) {
            if free == u8::MAX && free_are_set {
                continue;
            }
            for byte in values(free, value) {
                set_bit(&mut rows[byte * self.stride..][..self.stride], self.summary, place);
            }
        }
        set_bit(&mut self.occupied, self.summary, place);
        let best = &mut self.best[place / BLOCK];
        *best = rank.min(*best);
        let best = &mut self.best_abreast[place / BLOCK / ABREAST];
        *best = rank.min(*best);
        for best in &mut self.best_from[..=place / BLOCK / 64] {
            *best = rank.min(*best);
        }
        self.count += 1;
    }

    /// Removes the rule with these tests at a place; it must already have been removed from `rules`.
    pub(super) fn remove(&mut self, place: usize, tests: &[Test], rules: &Rules) {
        let likeness = likeness(&self.bytes, tests);
        for (rows, &(free, value)) in self.rows.chunks_exact_mut(256 * self.stride).zip(&likeness) {
            for byte in values(free, value) {
                clear_bit(&mut rows[byte * self.stride..][..self.stride], self.summary, place);
            }
        }
        clear_bit(&mut self.occupied, self.summary, place);
        let block = place / BLOCK;
        self.best[block] = rules.ranks()[block * BLOCK..][..BLOCK].iter().copied().min().unwrap_or(NO_RULE);
        let group = self.best[block / ABREAST * ABREAST..].iter().take(ABREAST);
        self.best_abreast[block / ABREAST] = group.copied().min().unwrap_or(NO_RULE);
        let mut best = self.best_from.get(block / 64 + 1).copied().unwrap_or(NO_RULE);
        for at in (0..=block / 64).rev() {
            let blocks = &self.best[at * 64..];
            best = blocks[..blocks.len().min(64)].iter().fold(best, |best, &rank| rank.min(best));
            self.best_from[at] = best;
        }
        self.count -= 1;
    }

    /// Returns the memory that the index takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        let ranks =
            self.best.capacity() + self.best_abreast.capacity() + self.best_from.capacity() + self.tiers.capacity();
        let words = self.rows.capacity() + self.occupied.capacity() + ranks;
        words * size_of::<u64>() + self.beginnings.capacity() * size_of::<Home>()
    }
}

/// Returns the words of blocks that are processed together, from position `at` of some rows.
#[inline]
fn abreast(rows: &[u64], at: usize) -> &[u64; ABREAST] {
    rows[at..].first_chunk().expect("a row has room for them")
}

/// Returns the best rank among the candidate rules of a block that match the key, or `best` if none is better.
#[inline]
fn best_of_block(rules: &Rules, key: &[u64], block: usize, mut left: u64, mut best: u64) -> u64 {
    while left != 0 {
        let place = block * BLOCK + left.trailing_zeros() as usize;
        left &= left - 1;
        let rank = rules.ranks()[place];
        if rank < best && rules.holds(place, key) {
            best = rank;
        }
    }
    best
}

/// Returns the ranks with which the tiers of rules with these ranks begin, except the first.
fn tiers(mut ranks: Vec<u64>) -> Vec<u64> {
    ranks.sort_unstable();
    let halves = std::iter::successors(Some(ranks.len() / 2), |half| Some(half / 2));
    let mut tiers: Vec<u64> = halves.take_while(|&half| half >= FIRST_TIER).map(|half| ranks[half]).collect();
    tiers.reverse();
    tiers
}

fn home(tiers: &[u64], bytes: &[Byte], tests: &[Test], rank: u64) -> Home {
    (tiers.partition_point(|first| *first <= rank), likeness(bytes, tests))
}

fn likeness(bytes: &[Byte], tests: &[Test]) -> Likeness {
    let mut likeness = Likeness::default();
    for (asked, byte) in likeness.iter_mut().zip(bytes) {
        let Test { mask, value } = tests[byte.word];
        *asked = (!byte.of(mask), byte.of(value));
    }
    likeness
}

/// Returns the values of a byte whose `free` bits are arbitrary and whose other bits are given.
fn values(free: u8, value: u8) -> impl Iterator<Item = usize> {
    // Computes the next greater subset of the free bits, until it wraps to the empty one.
    let next = move |&subset: &u8| Some((subset | !free).wrapping_add(1) & free).filter(|&next| next != 0);
    std::iter::successors(Some(0), next).map(move |subset| usize::from(value | subset))
}

#[inline]
fn set_bit(row: &mut [u64], summary: usize, place: usize) {
    let block = place / BLOCK;
    row[summary + block] |= 1 << (place % BLOCK);
    row[block / 64] |= 1 << (block % 64);
}

fn clear_bit(row: &mut [u64], summary: usize, place: usize) {
    let block = place / BLOCK;
    row[summary + block] &= !(1 << (place % BLOCK));
    if row[summary + block] == 0 {
        row[block / 64] &= !(1 << (block % 64));
    }
}
