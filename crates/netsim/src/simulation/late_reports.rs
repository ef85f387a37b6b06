//! Links whose senders may report transmissions after these have started.
//!
//! While packets wait for a link, its sender is called each time the link is free. But nobody hears of a packet before it arrives, so
//! the sender may report its start later, by up to the delay of the link, and is called more rarely, or only when other packets come.
//! All packets take their links at the same times, and as many events are counted.

use basis::{Duration, Instant};
use node::{Control, Port};

use super::shard::{Shard, restore};
use super::simulated_link::SimulatedLink;
use super::source::Source;
use super::witness::AtOnce;
use super::{Simulation, Unwatched};

impl Simulation {
    /// Lets senders report late wherever nobody looks in the meantime: at links within a shard that are neither tapped nor faulty and
    /// that carry every packet, in a run that does not stop for samples, looks or deadlocks.
    pub(super) fn allow_late_reports(&mut self) {
        if self.settings.sample_every.is_some() || self.settings.deadlocks_every.is_some() || !self.looks.is_empty() {
            return;
        }
        let end = self.settings.end.unwrap_or(Instant::MAX);
        // What has come over some link fits a link of this MTU. A packet that does not fit is discarded at its start, which is recorded.
        let longest = self.shards[0].0.links.iter().map(|link| link.plan.mtu).max().unwrap_or_default();
        for (shard, _) in &mut self.shards {
            shard.end = end;
            shard.each_link(|shard, station, port, number| {
                let link = &shard.links[number];
                let carries_all = link.is_there() && link.plan.mtu == longest;
                let is_inside = carries_all && link.special == 0 && link.shard == shard.number;
                let by = link.plan.delay;
                if is_inside && by > Duration::ZERO && shard.stations[station].station.may_report_late(port) {
                    shard.report_late(station, port, by);
                    shard.links[number].special |= SimulatedLink::REPORTED_LATE;
                }
            });
        }
    }

    /// Returns true if any sender may report late now.
    pub(super) fn reports_late(&self) -> bool {
        self.each().any(Shard::reports_late)
    }

    /// Has senders report everything that has started by now, and from now on at once. Returns whether any reported late before.
    pub(super) fn end_late_reports(&mut self) -> bool {
        let mut was_allowed = false;
        for (shard, _) in &mut self.shards {
            shard.forget_late_calls();
            shard.each_link(|shard, station, port, number| {
                if shard.links[number].is_reported_late() {
                    was_allowed = true;
                    shard.links[number].special &= !SimulatedLink::REPORTED_LATE;
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

    /// Tells a station how late it may report what starts at a port.
    fn report_late(&mut self, station: usize, port: Port, by: Duration) {
        let mut out = std::mem::take(&mut self.out);
        out.begin(self.now);
        let simulated = &mut self.stations[station];
        restore(simulated, &mut out);
        simulated.station.control(self.now, Control::ReportLate { port, by }, &mut out);
        debug_assert!(out.events.is_empty() && out.discarded.is_empty(), "the station only reports what has started");
        self.carry_out(station, &mut out, &mut AtOnce(&mut Unwatched));
        self.out = out;
    }

    fn reports_late(&self) -> bool {
        self.links.iter().any(SimulatedLink::is_reported_late)
    }

    /// Removes the events for which senders that report late have asked. They ask anew when they report at once.
    fn forget_late_calls(&mut self) {
        if !self.reports_late() {
            return;
        }
        let links = self.links.len() as u32;
        let mut events = std::mem::take(&mut self.events);
        while let Some((at, source, item)) = events.pop() {
            if !self.is_late_call(Source::of_number(source, links)) {
                self.events.push(at, source, item);
            }
        }
    }
}
