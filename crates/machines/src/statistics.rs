//! Counters of a machine.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use measure::Counts;
use node::Reason;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::mp5::counters::{MOVES, WASTED_CYCLES};

/// The counters of a machine. They serialise to a flat map for scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of packets received.
    pub received: u64,
    /// The number of packets transmitted.
    pub transmitted: u64,
    /// The number of transmitted packets to which the program does not apply.
    pub bypassed: u64,
    /// The number of discarded packets by reason.
    pub discarded: Counts<Reason>,
    /// The number of packets inside now.
    pub in_flight: u64,
    /// The number of clock cycles of one pipeline that were stepped through; idle cycles are skipped and not counted.
    pub cycles: u64,
    /// The number of stages that held a packet, summed over cycles and pipelines.
    pub stage_cycles: u64,
    /// The maximum length of the queue of one stage in one pipeline, in packets and placeholders, measured when all
    /// arrivals of a cycle have joined and before any is served.
    pub largest_queue: u64,
    /// The number of passes through a pipeline after the first one, summed over packets.
    pub recirculations: u64,
    /// The number of packets marked for congestion, including those without a header that can carry the mark.
    pub marked: u64,
    /// The counters that only this kind of machine has, by the names that it declares.
    pub own: Vec<(&'static str, u64)>,
}

impl Statistics {
    /// Returns a counter that only some kinds of machine have, or 0 on all others.
    pub fn own(&self, name: &str) -> u64 {
        self.own.iter().find(|&&(own, _)| own == name).map_or(0, |&(_, value)| value)
    }

    /// Returns all counters of cycles, queues and passes by name, in the order of results. The counters of MP5 are
    /// listed for every machine at fixed places, because scripts rely on them; the own counters of other machines
    /// follow at the end.
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

/// The own counters of a kind of machine are not included; that machine saves them itself.
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
    fn own_counters_are_listed_at_fixed_places_or_last() {
        let statistics = Statistics { own: vec![("turns", 3), (MOVES, 2)], ..Statistics::default() };
        assert_eq!((statistics.own(MOVES), statistics.own("turns"), statistics.own(WASTED_CYCLES)), (2, 3, 0));
        let counters: Vec<(&str, u64)> = statistics.counters().collect();
        assert_eq!(counters[3..], [(WASTED_CYCLES, 0), ("recirculations", 0), (MOVES, 2), ("marked", 0), ("turns", 3)]);
    }
}
