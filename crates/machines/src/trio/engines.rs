//! The packet processing engines (PPEs): which of their threads can go on.
//!
//! A thread has one instruction in the pipeline of its PPE at a time (section 2.2). That a PPE begins one instruction a cycle,
//! and serves the thread first that became ready first, is ours: the paper does not say it.

use serde::{Deserialize, Serialize};

/// The threads of each engine that wait for their next instruction, in the order in which they became ready.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Engines {
    threads: u32,
    /// For each engine a ring of as many places as it has threads.
    rings: Vec<u32>,
    queues: Vec<Queue>,
    /// Which engines have a thread that is ready, a bit each.
    ready: Vec<u64>,
    /// The number of these.
    count: u32,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Queue {
    first: u32,
    length: u32,
    count: EngineCount,
}

/// What an engine has done.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct EngineCount {
    /// The number of instructions that it has begun.
    pub(super) begun: u64,
    /// The cycles for which threads that were ready waited for others, summed over instructions.
    pub(super) waited: u64,
    /// The greatest number of threads that were ready at once.
    pub(super) longest: u32,
}

impl Engines {
    pub(super) fn new(ppes: u32, threads: u32) -> Self {
        Self {
            threads,
            rings: vec![0; (ppes * threads) as usize],
            queues: vec![Queue::default(); ppes as usize],
            ready: vec![0; ppes.div_ceil(64) as usize],
            count: 0,
        }
    }

    /// Returns whether any engine can begin an instruction.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.count > 0
    }

    /// Puts a thread, given by its number among all, behind those that are ready.
    #[inline]
    pub(super) fn push(&mut self, ppe: u32, thread: u32) {
        let queue = &mut self.queues[ppe as usize];
        let mut place = queue.first + queue.length;
        if place >= self.threads {
            place -= self.threads;
        }
        self.rings[(ppe * self.threads + place) as usize] = thread;
        queue.length += 1;
        queue.count.longest = queue.count.longest.max(queue.length);
        if queue.length == 1 {
            self.ready[(ppe / 64) as usize] |= 1 << (ppe % 64);
            self.count += 1;
        }
    }

    /// Returns the number of words of [`Engines::ready`].
    #[inline]
    pub(super) fn words(&self) -> usize {
        self.ready.len()
    }

    /// Returns which of 64 engines have a ready thread, a bit each.
    #[inline]
    pub(super) fn ready(&self, word: usize) -> u64 {
        self.ready[word]
    }

    /// Takes the first ready thread of an engine that has one.
    #[inline]
    pub(super) fn pop(&mut self, ppe: u32) -> u32 {
        let queue = &mut self.queues[ppe as usize];
        let thread = self.rings[(ppe * self.threads + queue.first) as usize];
        queue.first += 1;
        if queue.first == self.threads {
            queue.first = 0;
        }
        queue.length -= 1;
        queue.count.begun += 1;
        // An engine that has a ready thread begins an instruction in each cycle, so the others wait for one more.
        queue.count.waited += u64::from(queue.length);
        if queue.length == 0 {
            self.ready[(ppe / 64) as usize] &= !(1 << (ppe % 64));
            self.count -= 1;
        }
        thread
    }

    /// Returns what each engine has done.
    pub(super) fn counts(&self) -> impl Iterator<Item = EngineCount> {
        self.queues.iter().map(|queue| queue.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_served_in_the_order_in_which_they_became_ready() {
        let mut engines = Engines::new(70, 3);
        for round in 0..5 {
            [2, 0, 1].into_iter().for_each(|thread| engines.push(65, thread + round));
            assert!(engines.any());
            assert_eq!((engines.ready(0), engines.ready(1)), (0, 2));
            assert_eq!([0; 3].map(|_| engines.pop(65)), [2, 0, 1].map(|thread| thread + round));
            assert!(!engines.any());
        }
    }
}
