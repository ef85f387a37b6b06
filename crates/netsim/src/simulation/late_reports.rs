//! Links of which the senders tell late what they carry.
//!
//! While packets wait for a link, its sender is called each time the link is free. But nobody hears of a packet before it arrives, so
//! that the sender may tell of it later, by up to the delay of the link, and is called more rarely, or only when other packets come.
//! All packets take their links at the same times, and as many events are counted.

use basis::{Duration, Instant};
use node::{Control, Port};

use super::shard::{Shard, restore};
use super::simulated_link::SimulatedLink;
use super::witness::AtOnce;
use super::{Simulation, Unwatched};
use crate::simulation::source::Source;

impl Simulation {
    /// Lets senders tell late wherever nobody looks in the meantime: at links within a shard that are neither tapped nor faulty, in a
    /// run without samples.
    pub(super) fn allow_late_reports(&mut self) {
        if self.settings.sample_every.is_some() || !self.looks.is_empty() {
            return;
        }
        let end = self.settings.end.unwrap_or(Instant::MAX);
        for (shard, _) in &mut self.shards {
            shard.end = end;
            shard.each_link(|shard, station, port, number| {
                let link = &shard.links[number];
                let is_inside = link.is_there() && link.special == 0 && link.shard == shard.number;
                let by = link.plan.delay;
                if is_inside && by > Duration::ZERO && shard.stations[station].station.may_report_late(port) {
                    shard.report_late(station, port, by);
                    shard.links[number].special |= SimulatedLink::TOLD_LATE;
                }
            });
        }
    }

    /// Has everything told that has begun by now, and from now on at once. Returns whether anything was told late before.
    pub(super) fn end_late_reports(&mut self) -> bool {
        let mut was_allowed = false;
        for (shard, _) in &mut self.shards {
            shard.forget_late_calls();
            shard.each_link(|shard, station, port, number| {
                if shard.links[number].special & SimulatedLink::TOLD_LATE != 0 {
                    was_allowed = true;
                    shard.links[number].special &= !SimulatedLink::TOLD_LATE;
                    shard.report_late(station, port, Duration::ZERO);
                }
            });
        }
        was_allowed
    }
}

impl Shard {
    /// Calls `what` with each link that begins in this shard: its station, the port there, and its number.
    fn each_link(&mut self, mut what: impl FnMut(&mut Self, usize, Port, usize)) {
        for station in 0..self.stations.len() {
            let simulated = &self.stations[station];
            for number in simulated.first_link..simulated.end_link {
                what(self, station, self.stations[station].port(number), number as usize);
            }
        }
    }

    /// Says to a station by how much it may be late at a port.
    fn report_late(&mut self, station: usize, port: Port, by: Duration) {
        let mut out = std::mem::take(&mut self.out);
        out.begin(self.now);
        let simulated = &mut self.stations[station];
        restore(simulated, &mut out);
        simulated.station.control(self.now, Control::ReportLate { port, by }, &mut out);
        debug_assert!(out.events.is_empty() && out.discarded.is_empty(), "the station has only told what has begun");
        self.carry_out(station, &mut out, &mut AtOnce(&mut Unwatched));
        self.out = out;
    }

    /// Removes the events for which senders that tell late have asked. They ask anew when they tell at once.
    fn forget_late_calls(&mut self) {
        if self.links.iter().all(|link| link.special & SimulatedLink::TOLD_LATE == 0) {
            return;
        }
        let links = self.links.len() as u32;
        let mut events = std::mem::take(&mut self.events);
        while let Some((at, source, item)) = events.pop() {
            let is_late_call = matches!(Source::of_number(source, links), Source::Ready(link)
                if self.links[link as usize].special & SimulatedLink::TOLD_LATE != 0);
            if !is_late_call {
                self.events.push(at, source, item);
            }
        }
    }
}
