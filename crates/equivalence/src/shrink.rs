//! The fewest packets that show a difference.

use std::mem::discriminant;

use machines::Device;
use node::Offered;
use traffic::ArrivalOrder;

use crate::check::{Rules, compare};
use crate::comparison::Comparison;
use crate::reduce::{Effort, remove_items, shortest_prefix};
use crate::reference::Reference;
use crate::timing;

/// What is held against the interpreter, again and again.
#[derive(Clone, Copy)]
pub struct Subject<'s> {
    /// Makes a fresh meaning of the program, the same each time.
    pub make_reference: &'s dyn Fn() -> Reference<'s>,
    /// Makes a fresh machine, the same each time.
    pub make_machine: &'s dyn Fn() -> Box<dyn Device>,
    /// What the machine is held to.
    pub rules: &'s Rules,
}

/// A stream of packets that shows a difference, made short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The packets, in order of arrival.
    pub packets: Vec<Offered>,
    /// True if none of the packets can be left out alone; false if the effort was spent before that was known.
    pub one_minimal: bool,
}

impl Subject<'_> {
    /// Holds a fresh machine against the interpreter.
    pub fn compare(&self, packets: impl IntoIterator<Item = Offered>) -> Comparison {
        compare((self.make_reference)(), &mut *(self.make_machine)(), packets, self.rules)
    }

    /// The fewest packets of a stream that show the difference which the stream shows; `None` if it shows none.
    ///
    /// `traffic` gives the stream afresh, the same each time; only the part of it that is needed is ever held in
    /// memory. First the stream is cut after the first difference, then packets are removed while a difference of
    /// the same kind stays, keeping arrival times and ports; then packets that only pass the time are replaced by
    /// a later arrival of those after them, and gaps between arrivals are closed where that keeps the difference.
    /// Runs at most `effort` packets in sum, and gives the same answer each time.
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
        // What came after the first difference may, oddly, have had a part in it.
        if (needed as u64) < whole.packets && !effort.fails(&packets, &mut fails) {
            packets = ArrivalOrder::new(traffic()).collect();
        }
        shortest_prefix(&mut packets, &mut effort, &mut fails);
        loop {
            remove_items(&mut packets, &mut effort, &mut fails);
            // Each of these may have made another packet removable.
            let changed = timing::remove_for_time(&mut packets, step, &mut effort, &mut fails)
                || timing::close_gaps(&mut packets, step, &mut effort, &mut fails);
            if !changed {
                return Some(Shrunk { packets, one_minimal: !effort.is_spent() });
            }
        }
    }
}

impl Comparison {
    /// After how many packets of the stream, in order of arrival, the first packet had come out otherwise; all of
    /// them if only registers did.
    pub fn packets_until_difference(&self) -> u64 {
        self.packet_differences.iter().map(|difference| difference.offered).min().unwrap_or(self.packets)
    }
}
