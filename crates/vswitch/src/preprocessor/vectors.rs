//! Vectors: packets of one flow that are matched together (Triton, sections 5.1 and 8.1).

use std::collections::VecDeque;

/// The number of queues into which packets are sorted by their hashes (Triton, section 8.1).
const QUEUES: usize = 1024;
/// The most packets of a vector (Triton, section 8.1).
const LONGEST_VECTOR: usize = 16;
const NONE: u32 = u32::MAX;

/// The packets of a burst, sorted into queues by the hashes of their flows. Queues are visited in turns, in the order of their
/// first packets, for at most a vector each. Packets of a queue stay in their order; mostly they are of one flow.
#[derive(Debug)]
pub struct Vectors<T> {
    packets: Vec<T>,
    /// The number of the next packet in the same queue.
    next: Vec<u32>,
    /// The first and the last packet of each queue.
    ends: Vec<[u32; 2]>,
    /// The queues that hold packets.
    turns: VecDeque<u16>,
}

impl<T> Default for Vectors<T> {
    fn default() -> Self {
        Self { packets: Vec::new(), next: Vec::new(), ends: Vec::new(), turns: VecDeque::new() }
    }
}

impl<T> Vectors<T> {
    /// Returns true if there is no packet.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Sorts a packet in by its hash.
    pub fn push(&mut self, hash: u64, packet: T) {
        // Most switches never sort anything.
        self.ends.resize(QUEUES, [NONE; 2]);
        let number = self.packets.len() as u32;
        let queue = (hash % QUEUES as u64) as usize;
        self.packets.push(packet);
        self.next.push(NONE);
        match &mut self.ends[queue] {
            [first @ NONE, last] => {
                (*first, *last) = (number, number);
                self.turns.push_back(queue as u16);
            }
            [_, last] => {
                self.next[*last as usize] = number;
                *last = number;
            }
        }
    }

    /// Visits the packets of the next vector where they are, each with the number of packets in the vector. Returns false if
    /// there is no other vector, and forgets everything then.
    pub fn visit_next(&mut self, mut visit: impl FnMut(usize, &mut T)) -> bool {
        let Some(queue) = self.turns.pop_front() else {
            self.packets.clear();
            self.next.clear();
            return false;
        };
        let [first, _] = &mut self.ends[usize::from(queue)];
        let behind = |number: &u32| Some(self.next[*number as usize]).filter(|next| *next != NONE);
        let size = std::iter::successors(Some(*first), behind).take(LONGEST_VECTOR).count();
        for _ in 0..size {
            let number = *first as usize;
            *first = self.next[number];
            visit(size, &mut self.packets[number]);
        }
        if *first != NONE {
            self.turns.push_back(queue);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every packet comes out once, in vectors of at most 16 of one queue, in the order of its queue.
        #[test]
        fn queues_keep_their_order(hashes in prop::collection::vec(prop_oneof![0..4u64, 1020..1030u64], 0..100)) {
            let mut vectors = Vectors::default();
            for _ in 0..2 {
                for (number, &hash) in hashes.iter().enumerate() {
                    vectors.push(hash, (hash, number));
                }
                let (mut vector, mut all) = (Vec::new(), Vec::new());
                while vectors.visit_next(|size, packet| vector.push((size, *packet))) {
                    prop_assert!(vector.iter().all(|(size, _)| *size == vector.len()));
                    let mut vector: Vec<(u64, usize)> = vector.drain(..).map(|(_, packet)| packet).collect();
                    prop_assert!((1..=LONGEST_VECTOR).contains(&vector.len()));
                    let queue = |packet: &(u64, usize)| packet.0 % 1024;
                    prop_assert!(vector.iter().all(|packet| queue(packet) == queue(&vector[0])));
                    let last = all.iter().rfind(|packet| queue(packet) == queue(&vector[0]));
                    prop_assert!(last.is_none_or(|last: &(u64, usize)| last.1 < vector[0].1));
                    prop_assert!(vector.is_sorted_by_key(|packet| packet.1));
                    all.append(&mut vector);
                }
                all.sort_by_key(|packet| packet.1);
                let expected: Vec<_> = hashes.iter().copied().zip(0..).collect();
                prop_assert_eq!(all, expected);
            }
        }
    }
}
