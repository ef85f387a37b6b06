//! Saving the state of a network, and restoring it.
//!
//! The saved state does not depend on the number of shards, so a run may continue with more threads or fewer.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::shard::Crossing;
use super::simulated_link::Traffic;
use super::source::Source;
use super::{LinkId, Log, Shard, Simulation};
use crate::event_queue::EventQueue;
use crate::faults::LinkFaults;

/// A pending event.
#[derive(Serialize, Deserialize)]
struct ToCome {
    at: Instant,
    /// The number of the event's source.
    source: u32,
    /// The item of the event, unless it is a packet.
    item: u32,
    packet: Option<Packet>,
}

impl Snapshot for Simulation {
    /// Saves the state of the network between two runs.
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        if self.reports_late() {
            return Err(Unfit("it is running, and routers have not reported yet what they transmit".to_owned()));
        }
        let traffic = self.each().map(|shard| shard.traffic).fold(Traffic::NONE, Traffic::or);
        into.put(&(self.now, self.next_sample, &self.looks, self.events(), traffic, self.hops().to_vec()))?;
        let links = self.shards[0].0.links.len() as u32;
        into.put(&(self.stations() as u64, links))?;
        for link in 0..links {
            into.put(&self.carried(LinkId(link)).1)?;
        }
        (0..self.stations()).try_for_each(|station| self.simulated(station).save(into))?;
        self.faults().values().try_for_each(|faults| faults.save(into))?;
        let mut to_come: Vec<ToCome> = self.each().flat_map(|shard| shard.to_come(links)).collect();
        // The sort is stable: events of the same source and time come from the same shard and stay in order.
        to_come.sort_by_key(|event| (event.at, event.source));
        into.put(&to_come)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let (happened, traffic, hops): (u64, Traffic, Vec<u64>);
        (self.now, self.next_sample, self.looks, happened, traffic, hops) = from.take()?;
        let links = self.shards[0].0.links.len() as u32;
        if from.take::<(u64, u32)>()? != (self.stations() as u64, links) {
            return Err(Unfit("it is of a network with other stations or links".to_owned()));
        }
        for (shard, log) in &mut self.shards {
            shard.forget();
            *log = Log::default();
        }
        // Sums are kept for all shards together: the first shard gets them.
        let first = &mut self.shards[0].0;
        first.happened = happened;
        first.traffic = traffic;
        first.hops = hops.try_into().map_err(|_| Unfit("it counts packets in another number of classes".to_owned()))?;
        for link in &mut first.links {
            link.carried = from.take()?;
        }
        for station in 0..self.stations() {
            let shard = &mut self.shards[usize::from(self.partition.shards[station])].0;
            shard.stations[station].restore(from)?;
            shard.wanting += usize::from(shard.stations[station].deadline.wanted().is_some());
        }
        // Links have the same numbers as in the whole network, so their order does not depend on the shards.
        let mut faults: Vec<(&u32, &mut LinkFaults)> =
            self.shards.iter_mut().flat_map(|(shard, _)| &mut shard.faults).collect();
        faults.sort_unstable_by_key(|(link, _)| **link);
        faults.into_iter().try_for_each(|(_, faults)| faults.restore(from))?;
        for event in from.take::<Vec<ToCome>>()? {
            self.put_back(event, links)?;
        }
        Ok(())
    }
}

impl Simulation {
    fn put_back(&mut self, event: ToCome, links: u32) -> Result<(), Unfit> {
        let impossible = || Unfit(format!("an event has source {}, which is not in this network", event.source));
        let source = Source::of_number(event.source, links);
        let station = match source {
            Source::Ready(_) => event.item,
            Source::Arrival(link) => self.shards[0].0.links[link as usize].station,
            Source::Deadline(station) => station,
        };
        let shard = *self.partition.shards.get(station as usize).ok_or_else(impossible)?;
        let shard = &mut self.shards[usize::from(shard)].0;
        match (source, event.packet) {
            (Source::Arrival(link), Some(packet)) => shard.entering.push(Crossing { at: event.at, link, packet }),
            (Source::Ready(_), None) => shard.events.push(event.at, event.source, event.item),
            (Source::Deadline(station), None) => shard.push_deadline(event.at, station),
            _ => return Err(impossible()),
        }
        Ok(())
    }
}

impl Shard {
    /// Returns all pending events of this shard in order.
    fn to_come(&self, links: u32) -> Vec<ToCome> {
        let mut events = self.events.clone();
        let mut to_come = Vec::with_capacity(events.len() + self.entering.len());
        while let Some((at, source, item)) = events.pop() {
            let packet = match Source::of_number(source, links) {
                Source::Arrival(_) => self.packets.get(item).cloned(),
                Source::Ready(_) | Source::Deadline(_) => None,
            };
            let item = if packet.is_some() { 0 } else { item };
            to_come.push(ToCome { at, source, item, packet });
        }
        to_come.extend(self.entering.iter().map(|Crossing { at, link, packet }| {
            let source = Source::Arrival(*link).number(links);
            ToCome { at: *at, source, item: 0, packet: Some(packet.clone()) }
        }));
        to_come
    }

    /// Resets the shard to its initial state, without events.
    fn forget(&mut self) {
        self.events = EventQueue::new();
        self.packets = Default::default();
        self.entering.clear();
        (self.now, self.acted, self.happened, self.hops) = (Instant::ZERO, Instant::ZERO, 0, [0; 256]);
        (self.deadline_events, self.wanting, self.traffic) = (0, 0, Traffic::NONE);
        self.links.iter_mut().for_each(|link| link.carried = Default::default());
    }
}
