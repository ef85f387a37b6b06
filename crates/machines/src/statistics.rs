//! What a machine has done, in numbers.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use measure::Counts;
use node::Reason;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::mp5::counters::{MOVES, WASTED_CYCLES};

/// What a machine has done so far. Serialises to what scripts read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Packets that came in.
    pub received: u64,
    /// Packets that went out.
    pub transmitted: u64,
    /// Of these, packets to which the program does not apply.
    pub bypassed: u64,
    /// Packets that did not go out, by reason.
    pub discarded: Counts<Reason>,
    /// Packets inside now.
    pub in_flight: u64,
    /// Clock cycles stepped through, of one pipeline's clock; cycles in which the machine was idle are not.
    pub cycles: u64,
    /// Stages that held a packet, summed over cycles and pipelines.
    pub stage_cycles: u64,
    /// The most packets, and entries that keep a place for one, that were in the queue of one stage of one pipeline at once: when all
    /// that arrive in a cycle have joined it, and before one of them is served.
    pub largest_queue: u64,
    /// Passes through a pipeline after a packet's first.
    pub recirculations: u64,
    /// Packets marked for congestion; also those without a header to write the mark into.
    pub marked: u64,
    /// What only this kind of machine counts, under the names that it declares.
    pub own: Vec<(&'static str, u64)>,
}

impl Statistics {
    /// A number that only some kinds of machine count, 0 on all others.
    pub fn own(&self, name: &str) -> u64 {
        self.own.iter().find(|&&(own, _)| own == name).map_or(0, |&(_, value)| value)
    }

    /// Everything that was counted of cycles, queues and passes, by name, in the order of results. Those of MP5 are listed
    /// for every machine, between the others: scripts have always found them there. What other machines count by
    /// themselves follows.
    pub fn counters(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let listed = [
            ("cycles", self.cycles),
            ("stage_cycles", self.stage_cycles),
            ("largest_queue", self.largest_queue),
            (WASTED_CYCLES, self.own(WASTED_CYCLES)),
            ("recirculations", self.recirculations),
            (MOVES, self.own(MOVES)),
            ("marked", self.marked),
        ];
        let rest = self.own.iter().copied().filter(move |(own, _)| listed.iter().all(|(name, _)| name != own));
        listed.into_iter().chain(rest)
    }
}

impl Serialize for Statistics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("received", &self.received)?;
        map.serialize_entry("transmitted", &self.transmitted)?;
        map.serialize_entry("bypassed", &self.bypassed)?;
        map.serialize_entry("discarded", &self.discarded)?;
        map.serialize_entry("in_flight", &self.in_flight)?;
        for (name, value) in self.counters() {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

/// But for what only one kind of machine counts, which the machine writes down itself.
impl Snapshot for Statistics {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        let Self { received, transmitted, bypassed, discarded, in_flight, .. } = self;
        into.put(&[received, transmitted, bypassed, in_flight])?;
        into.put(&discarded.iter().collect::<Vec<_>>())?;
        let Self { cycles, stage_cycles, largest_queue, recirculations, marked, .. } = self;
        into.put(&[cycles, stage_cycles, largest_queue, recirculations, marked])
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let [received, transmitted, bypassed, in_flight] = from.take()?;
        let discarded: Vec<(Reason, u64)> = from.take()?;
        let [cycles, stage_cycles, largest_queue, recirculations, marked] = from.take()?;
        *self = Self {
            received,
            transmitted,
            bypassed,
            discarded: discarded.into_iter().collect(),
            in_flight,
            cycles,
            stage_cycles,
            largest_queue,
            recirculations,
            marked,
            own: std::mem::take(&mut self.own),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_one_kind_of_machine_counts_is_listed_in_its_place_or_behind_the_others() {
        let statistics = Statistics { own: vec![("turns", 3), (MOVES, 2)], ..Statistics::default() };
        assert_eq!((statistics.own(MOVES), statistics.own("turns"), statistics.own(WASTED_CYCLES)), (2, 3, 0));
        let counters: Vec<(&str, u64)> = statistics.counters().collect();
        assert_eq!(counters[3..], [(WASTED_CYCLES, 0), ("recirculations", 0), (MOVES, 2), ("marked", 0), ("turns", 3)]);
    }
}
