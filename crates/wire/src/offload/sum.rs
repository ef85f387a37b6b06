//! The sum of the bytes of a packet, of which checksums are made.

use std::ops::Range;

use crate::checksum::Sum;
use crate::{Packet, Tail};

impl Packet {
    /// Returns the one's complement sum of the bytes of a range, which may lie in head and tail, and end behind the packet. Those of a
    /// tail that is only a length count as zeros.
    pub fn sum(&self, range: Range<usize>) -> Sum {
        let Range { start, end } = range;
        let head = self.head.bytes();
        let [from, to] = [start, end.max(start)].map(|at| at.min(head.len()));
        let in_head = &head[from..to];
        let mut sum = Sum::default();
        sum.add(in_head);
        if let Tail::Bytes(tail) = &self.tail {
            let [from, to] = [start, end.max(start)].map(|at| at.saturating_sub(head.len()).min(tail.len()));
            let in_tail = &tail[from..to];
            if in_head.len() % 2 == 1 { sum.add_at_odd_place(in_tail) } else { sum.add(in_tail) }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_bytes_wherever_head_and_tail_meet() {
        let bytes: Vec<u8> = (0..41).map(|at: u32| (at * 7 + 1) as u8).collect();
        for boundary in 0..=41 {
            let packet = Packet::of_bytes(&bytes[..boundary]).with_tail(Tail::Bytes(bytes[boundary..].into()));
            for start in 0..=41 {
                for end in 0..50 {
                    let mut expected = Sum::default();
                    expected.add(&bytes[start..end.clamp(start, 41)]);
                    assert_eq!(packet.sum(start..end).folded(), expected.folded(), "{boundary}: {start}..{end}");
                }
            }
        }
    }
}
