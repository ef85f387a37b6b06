//! The threads that are free.

use serde::{Deserialize, Serialize};

/// The free threads of each engine. A thread is taken from the engine that has most of them; among equals, from the one
/// after the last that gave one, so that the load of all engines is as even as it can be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FreeThreads {
    threads: u32,
    /// For each engine the numbers of its free threads among all threads, the one to be taken first last.
    free: Vec<Vec<u32>>,
    /// For each number of free threads the engines that have so many, a bit each.
    with: Vec<Vec<u64>>,
    /// The engine at which the search among equals begins.
    turn: u32,
    count: u32,
}

impl FreeThreads {
    /// Returns all threads of engines.
    pub(super) fn new(ppes: u32, threads: u32) -> Self {
        let words = ppes.div_ceil(64) as usize;
        let mut with = vec![vec![0; words]; threads as usize + 1];
        (0..ppes).for_each(|ppe| with[threads as usize][(ppe / 64) as usize] |= 1 << (ppe % 64));
        let free = (0..ppes).map(|ppe| (ppe * threads..(ppe + 1) * threads).rev().collect()).collect();
        Self { threads, free, with, turn: 0, count: ppes * threads }
    }

    /// Returns the number of free threads.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Takes a thread; `None` if all are busy.
    #[inline]
    pub(super) fn take(&mut self) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let engines = self.with.iter().skip(1).rev().find_map(|engines| at_or_after(engines, self.turn))?;
        let had = self.free[engines as usize].len();
        self.set(engines, had, had - 1);
        self.turn = if engines as usize + 1 == self.free.len() { 0 } else { engines + 1 };
        self.count -= 1;
        self.free[engines as usize].pop()
    }

    /// Gives a thread back.
    #[inline]
    pub(super) fn give(&mut self, thread: u32) {
        let ppe = thread / self.threads;
        let had = self.free[ppe as usize].len();
        self.free[ppe as usize].push(thread);
        self.set(ppe, had, had + 1);
        self.count += 1;
    }

    #[inline]
    fn set(&mut self, ppe: u32, had: usize, has: usize) {
        let (word, bit) = ((ppe / 64) as usize, 1 << (ppe % 64));
        self.with[had][word] &= !bit;
        self.with[has][word] |= bit;
    }
}

/// Returns the first number in a set from a number on, or else the first of all.
fn at_or_after(set: &[u64], from: u32) -> Option<u32> {
    let start = (from / 64) as usize;
    let first = set[start] & u64::MAX << (from % 64);
    let place = |word: usize, bits: u64| (bits != 0).then(|| word as u32 * 64 + bits.trailing_zeros());
    place(start, first)
        .or_else(|| (start + 1..set.len()).find_map(|word| place(word, set[word])))
        .or_else(|| (0..=start).find_map(|word| place(word, set[word])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_with_most_free_threads_gives_one() {
        let mut free = FreeThreads::new(70, 2);
        let engines: Vec<u32> = (0..70).map(|_| free.take().expect("140 threads are free") / 2).collect();
        assert_eq!(engines, (0..70).collect::<Vec<_>>());
        free.give(66 * 2);
        free.give(3 * 2);
        assert_eq!([0; 3].map(|_| free.take().expect("free") / 2), [3, 66, 67]);
        assert_eq!(free.count(), 69);
        (0..69).for_each(|_| assert!(free.take().is_some()));
        assert_eq!((free.take(), free.count()), (None, 0));
    }
}
