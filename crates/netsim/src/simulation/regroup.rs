//! Moves stations between shards: one shard becomes several, or several become one, between two events.
//!
//! Events keep their order, so no result depends on which shard ran what.

use std::collections::BTreeMap;

use basis::Instant;
use wire::Packet;

use super::partition::Partition;
use super::shard::Shard;
use super::simulated_link::Carried;
use super::simulated_station::SimulatedStation;
use super::source::Source;
use super::{Log, ShardAndLog, Simulation};
use crate::faults::LinkFaults;

/// A pending event.
struct Pending {
    at: Instant,
    source: u32,
    item: u32,
    /// The arriving packet, if the event is an arrival.
    packet: Option<Packet>,
}

impl Simulation {
    /// Redistributes the stations among the shards of another partition.
    pub(super) fn regroup(&mut self, partition: Partition) {
        let was_reported_late = self.end_late_reports();
        let mut before: Vec<Box<Shard>> = self.shards.drain(..).map(|(shard, _)| shard).collect();
        let mut pending: Vec<Pending> = before.iter_mut().flat_map(|shard| shard.drain()).collect();
        // The sort is stable: events of the same source and time come from the same shard and stay in order.
        pending.sort_by_key(|event| (event.at, event.source));
        let mut shards = empty(&partition, &before, self.settings.interest);
        let mut faults: BTreeMap<u32, LinkFaults> = BTreeMap::new();
        before.iter_mut().for_each(|shard| faults.append(&mut shard.faults));
        for (station, &of) in partition.shards.iter().enumerate() {
            let was = &mut before[usize::from(self.partition.shards[station])].stations[station];
            let simulated = std::mem::replace(was, SimulatedStation::placeholder());
            let shard = &mut shards[usize::from(of)];
            let links = simulated.first_link..simulated.end_link;
            let of_links: Vec<u32> = faults.range(links).map(|(&link, _)| link).collect();
            shard.faults.extend(of_links.into_iter().filter_map(|link| faults.remove_entry(&link)));
            shard.wanting += usize::from(simulated.deadline.wanted().is_some());
            shard.stations[station] = simulated;
        }
        let links = shards[0].links.len() as u32;
        for event in pending {
            let station = match Source::of_number(event.source, links) {
                Source::Ready(_) => event.item,
                Source::Arrival(link) => shards[0].links[link as usize].station,
                Source::Deadline(station) => station,
            };
            let shard = &mut shards[usize::from(partition.shards[station as usize])];
            if let Source::Deadline(station) = Source::of_number(event.source, links) {
                shard.push_deadline(event.at, station);
                continue;
            }
            let item = event.packet.map_or(event.item, |packet| shard.packets.insert(packet));
            shard.events.push(event.at, event.source, item);
        }
        self.shards = shards.into_iter().map(|shard| (Box::new(shard), Log::default())).collect::<Vec<ShardAndLog>>();
        self.partition = partition;
        if was_reported_late {
            self.allow_late_reports();
        }
    }
}

/// Returns shards without stations. The first one gets all sums of the previous shards.
fn empty(partition: &Partition, before: &[Box<Shard>], interest: measure::Interest) -> Vec<Shard> {
    let mut links = before[0].links.clone();
    for link in &mut links {
        link.carried = Carried::default();
        link.shard = partition.shards[link.station as usize];
    }
    for shard in before {
        for (link, of) in links.iter_mut().zip(&shard.links) {
            link.special |= of.special;
        }
    }
    let shard = |number: usize| {
        let stations = partition.shards.iter().map(|_| SimulatedStation::placeholder()).collect();
        let mut shard = Shard::new(number as u8, partition.count, links.clone(), stations, interest);
        shard.classify = before[0].classify;
        shard.now = before.iter().map(|shard| shard.now).max().unwrap_or_default();
        shard
    };
    let mut shards: Vec<Shard> = (0..partition.count).map(shard).collect();
    let first = &mut shards[0];
    for shard in before {
        first.happened += shard.happened;
        first.acted = first.acted.max(shard.acted);
        first.traffic = first.traffic.or(shard.traffic);
        first.hops.iter_mut().zip(&shard.hops).for_each(|(sum, hops)| *sum += hops);
        for (sum, link) in first.links.iter_mut().zip(&shard.links) {
            sum.carried.add(link.carried);
        }
    }
    shards
}

impl Shard {
    /// Removes all pending events of this shard and returns them in order.
    fn drain(&mut self) -> Vec<Pending> {
        let links = self.links.len() as u32;
        let mut pending = Vec::with_capacity(self.events.len() + self.entering.len());
        while let Some((at, source, item)) = self.events.pop() {
            let packet = match Source::of_number(source, links) {
                Source::Arrival(_) => Some(self.packets.take(item)),
                Source::Ready(_) | Source::Deadline(_) => None,
            };
            pending.push(Pending { at, source, item, packet });
        }
        pending.extend(self.entering.drain(..).map(|crossing| {
            let source = Source::Arrival(crossing.link).number(links);
            Pending { at: crossing.at, source, item: 0, packet: Some(crossing.packet) }
        }));
        pending
    }
}
