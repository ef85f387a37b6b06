//! Shrinking of a stream to the fewest packets that show a difference.

use std::mem::discriminant;

use machines::Device;
use node::Offered;
use traffic::ArrivalOrder;

use crate::check::{Rules, compare};
use crate::comparison::Comparison;
use crate::reduce::{Effort, remove_items, shortest_prefix};
use crate::reference::Reference;
use crate::timing;

/// A machine and a program that are compared repeatedly.
#[derive(Clone, Copy)]
pub struct Subject<'s> {
    /// Creates a fresh reference of the program, the same each time.
    pub make_reference: &'s dyn Fn() -> Reference<'s>,
    /// Creates a fresh machine, the same each time.
    pub make_machine: &'s dyn Fn() -> Box<dyn Device>,
    /// The requirements on the machine.
    pub rules: &'s Rules,
}

/// A shrunk stream of packets that shows a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The packets, in order of arrival.
    pub packets: Vec<Offered>,
    /// Whether no single packet can be left out; false if the effort was spent before that was certain.
    pub one_minimal: bool,
}

impl Subject<'_> {
    /// Compares a fresh machine with a fresh reference.
    pub fn compare(&self, packets: impl IntoIterator<Item = Offered>) -> Comparison {
        compare((self.make_reference)(), &mut *(self.make_machine)(), packets, self.rules)
    }

    /// Finds the fewest packets of a stream that show the difference which the whole stream shows; returns `None` if it
    /// shows none.
    ///
    /// `traffic` creates the stream, the same each time; only the part that is needed is ever held in memory. First,
    /// the stream is truncated after the first difference. Then packets are removed as long as a difference of the same
    /// kind remains, with arrival times and ports unchanged. Finally, packets that only let time pass are replaced by
    /// later arrivals of those after them, and gaps between arrivals are closed where the difference remains. The runs
    /// after the first one process at most `effort` packets in total. The result is deterministic.
    pub fn shrink<T: Iterator<Item = Offered>>(&self, traffic: impl Fn() -> T, mut effort: Effort) -> Option<Shrunk> {
        let whole = self.compare(traffic());
        if !whole.verdict.shows_difference() {
            return None;
        }
        let kind = discriminant(&whole.verdict);
        let mut fails = |packets: &[Offered]| discriminant(&self.compare(packets.iter().cloned()).verdict) == kind;

        let needed = usize::try_from(whole.packets_until_difference()).unwrap_or(usize::MAX);
        let mut packets: Vec<Offered> = ArrivalOrder::new(traffic()).take(needed).collect();
        let step = timing::smallest_gap(&packets);
        // Packets after the first difference can, in odd cases, have had a part in it.
        if (needed as u64) < whole.packets && !effort.fails(&packets, &mut fails) {
            packets = ArrivalOrder::new(traffic()).collect();
        }
        shortest_prefix(&mut packets, &mut effort, &mut fails);
        loop {
            remove_items(&mut packets, &mut effort, &mut fails);
            // Each of these steps may have made another packet removable.
            let changed = timing::remove_for_time(&mut packets, step, &mut effort, &mut fails)
                || timing::close_gaps(&mut packets, step, &mut effort, &mut fails);
            if !changed {
                return Some(Shrunk { packets, one_minimal: !effort.is_spent() });
            }
        }
    }
}

impl Comparison {
    /// Returns the number of packets, in order of arrival, after which the first difference of a packet was detected;
    /// the number of all packets if only registers differ.
    pub fn packets_until_difference(&self) -> u64 {
        self.packet_differences.iter().map(|difference| difference.offered).min().unwrap_or(self.packets)
    }
}
