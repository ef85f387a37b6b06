//! The ways to count packets that violate condition C1.
//!
//! "For each register state, the same set of input packets must access the state and in the same order in both single
//! and multi-pipelined switch" (MP5 section 2.2.1). A single pipeline accesses each state in the order of arrival, so
//! an order of accesses to one index either is that order or is not. How many packets are to blame is another question:
//! if 1 2 3 4 becomes 4 1 2 3, then one packet overtook, three were overtaken, four are in other places, and one comes
//! directly behind a later one. The paper gives a fraction of packets (section 4.3.2, D4) and does not say which, and
//! its published simulator counts none of them; so all are counted.

use std::collections::BTreeMap;

/// The order of the accesses to each index of each register.
#[derive(Clone, Debug, Default)]
pub struct AccessLog {
    /// By access and index: packets by their place in the order of arrival, in the order of their accesses.
    orders: BTreeMap<(u32, u32), Vec<u64>>,
}

/// The shares of all packets, 0 to 1, that violate C1 at some index, by each way of counting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violations {
    /// The packet's access came before that of a packet that arrived earlier, as [`equivalence::AccessOrder`] counts.
    pub overtaking: f64,
    /// The packet's access came after that of a packet that arrived later.
    pub overtaken: f64,
    /// The packet overtook another or was overtaken.
    pub either: f64,
    /// The packet's access is not the n-th to the index, although it is the n-th to arrive of the packets that access
    /// it.
    pub displaced: f64,
    /// The access directly before the packet's own is that of a packet that arrived later.
    pub adjacent: f64,
}

/// One way of counting, as a bit of a packet.
const OVERTAKING: u8 = 1;
const OVERTAKEN: u8 = 2;
const DISPLACED: u8 = 4;
const ADJACENT: u8 = 8;

impl AccessLog {
    /// Records an access of a packet to an index.
    pub fn add(&mut self, access: u32, index: u32, sequence: u64) {
        self.orders.entry((access, index)).or_default().push(sequence);
    }

    /// Returns the shares of `packets` packets, which are numbered from 0.
    pub fn violations(&self, packets: u64) -> Violations {
        let mut marks = vec![0u8; packets as usize];
        for order in self.orders.values() {
            mark(order, &mut marks);
        }
        let share = |kinds: u8| {
            let count = marks.iter().filter(|&&mark| mark & kinds != 0).count();
            count as f64 / packets.max(1) as f64
        };
        Violations {
            overtaking: share(OVERTAKING),
            overtaken: share(OVERTAKEN),
            either: share(OVERTAKING | OVERTAKEN),
            displaced: share(DISPLACED),
            adjacent: share(ADJACENT),
        }
    }
}

/// Marks the packets that violate the order of one index.
fn mark(order: &[u64], marks: &mut [u8]) {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    for (&packet, &right) in order.iter().zip(&sorted) {
        if packet != right {
            marks[packet as usize] |= DISPLACED;
        }
    }
    for pair in order.windows(2) {
        if pair[1] < pair[0] {
            marks[pair[1] as usize] |= ADJACENT;
        }
    }
    order.iter().fold(0, |latest, &packet| {
        if packet < latest {
            marks[packet as usize] |= OVERTAKEN;
        }
        latest.max(packet)
    });
    order.iter().rev().fold(u64::MAX, |earliest, &packet| {
        if packet > earliest {
            marks[packet as usize] |= OVERTAKING;
        }
        earliest.min(packet)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(orders: &[&[u64]]) -> AccessLog {
        let mut log = AccessLog::default();
        for (index, order) in orders.iter().enumerate() {
            order.iter().for_each(|&packet| log.add(0, index as u32, packet));
        }
        log
    }

    #[test]
    fn counts_a_packet_that_overtakes_three() {
        let found = log(&[&[3, 0, 1, 2]]).violations(4);
        let expected = Violations { overtaking: 0.25, overtaken: 0.75, either: 1.0, displaced: 1.0, adjacent: 0.25 };
        assert_eq!(found, expected);
    }

    #[test]
    fn counts_a_packet_overtaken_by_three() {
        let found = log(&[&[1, 2, 3, 0]]).violations(4);
        let expected = Violations { overtaking: 0.75, overtaken: 0.25, either: 1.0, displaced: 1.0, adjacent: 0.25 };
        assert_eq!(found, expected);
    }

    #[test]
    fn counts_a_packet_once_over_all_indices() {
        assert_eq!(log(&[&[1, 0], &[1, 0], &[2, 3]]).violations(4).overtaking, 0.25);
        assert_eq!(log(&[&[0, 2], &[1, 3]]).violations(4), Violations::default());
    }
}
