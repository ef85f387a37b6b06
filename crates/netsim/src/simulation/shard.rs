//! A part of a network with its own events, which one thread runs.

use std::collections::BTreeMap;

use basis::{Instant, prefetch};
use measure::Interest;
use node::{Burst, Control, Outbox, Port, Reason, Transmission, Upcoming};
use wire::{ChecksumState, Packet};

use super::LinkId;
use super::deadline::Due;
use super::simulated_link::{SimulatedLink, Traffic};
use super::simulated_station::SimulatedStation;
use super::slab::PacketSlab;
use super::source::Source;
use super::witness::Witness;
use crate::event_queue::EventQueue;
use crate::faults::{Fate, LinkFaults};
use crate::reasons;

/// The bits of the packet numbers of a station: 2^40 packets of each of 2^24 stations have different numbers.
const PACKET_NUMBER_BITS: u32 = 40;

/// Some stations of a network, the links on which they transmit, and the pending events.
///
/// Stations and links have the same numbers as in the whole network. Those of other shards are present but idle, so
/// that a number is an index.
pub(super) struct Shard {
    pub stations: Vec<SimulatedStation>,
    /// The links. The shard of the sender counts what a link carried, and the shard of the receiver what it delivered.
    pub links: Vec<SimulatedLink>,
    pub packets: PacketSlab,
    pub events: EventQueue<u32>,
    /// The time of the last event.
    pub now: Instant,
    /// The time at which a packet last arrived, was sent or was dropped, or an event was reported. Timers without such
    /// an effect do not count.
    pub acted: Instant,
    /// The number of events that have happened, not counting those for deadlines that were moved or cancelled.
    pub happened: u64,
    /// The number of pending events for deadlines. A station that has moved its deadline may have several.
    pub deadline_events: usize,
    /// The number of stations that want to be woken.
    pub wanting: usize,
    /// The period in which links that begin here carried packets.
    pub traffic: Traffic,
    /// The number of packets put on links, by the class that `classify` returns.
    pub hops: [u64; 256],
    pub classify: Option<fn(&[u8]) -> u8>,
    /// The fault rules of links that begin here, by link.
    pub faults: BTreeMap<u32, LinkFaults>,
    /// The time limit of the run. The call of a sender that reports late is not after it if the transmission starts by then.
    pub end: Instant,
    /// The station and the port whose queue was prefetched last. The first packets of the queue are prefetched next.
    pub prepared: Option<(usize, Port)>,
    /// A buffer for what happens to a packet on a link with fault rules; empty between packets.
    pub fates: Vec<Fate>,
    /// The number of this shard.
    pub number: u8,
    /// The packets on links that end in other shards, by shard.
    pub leaving: Vec<Vec<Crossing>>,
    /// The packets on links that begin in other shards, to be added to the events.
    pub entering: Vec<Crossing>,
    pub out: Outbox,
    pub burst: Burst,
}

/// A packet on a link that begins in one shard and ends in another.
pub(super) struct Crossing {
    /// The time at which the packet arrives.
    pub at: Instant,
    /// The number of the link.
    pub link: u32,
    /// The packet.
    pub packet: Packet,
}

impl Shard {
    /// Creates a shard, one of `count`, with all links of the network. Its stations are put into `stations` later.
    pub fn new(
        number: u8,
        count: usize,
        links: Vec<SimulatedLink>,
        stations: Vec<SimulatedStation>,
        interest: Interest,
    ) -> Self {
        Self {
            stations,
            links,
            packets: PacketSlab::default(),
            events: EventQueue::new(),
            now: Instant::ZERO,
            acted: Instant::ZERO,
            happened: 0,
            deadline_events: 0,
            wanting: 0,
            traffic: Traffic::NONE,
            hops: [0; 256],
            classify: None,
            faults: BTreeMap::new(),
            end: Instant::MAX,
            prepared: None,
            fates: Vec::new(),
            number,
            leaving: (0..count).map(|_| Vec::new()).collect(),
            entering: Vec::new(),
            out: Outbox::new(interest),
            burst: Burst::new(),
        }
    }

    /// Runs until no event is left up to `last`, or until `most` events have happened.
    pub fn run<W: Witness>(&mut self, last: Instant, most: u64, witness: &mut W) {
        for Crossing { at, link, packet } in std::mem::take(&mut self.entering) {
            let packet = self.packets.insert(packet);
            self.push(at, Source::Arrival(link), packet);
        }
        let (mut out, mut burst) = (std::mem::take(&mut self.out), std::mem::take(&mut self.burst));
        let most = self.happened.saturating_add(most);
        while self.happened < most
            && let Some((at, source, item)) = self.events.pop_until(last)
        {
            self.now = at;
            self.prepare();
            let number = source;
            let source = Source::of_number(number, self.links.len() as u32);
            if let Source::Deadline(station) = source
                && !self.is_due(station)
            {
                continue;
            }
            // Each late report counts as the event that it replaces.
            self.happened += u64::from(!self.is_late_call(source));
            witness.begin(at, number);
            self.happen(source, item, &mut burst, &mut out, witness);
        }
        (self.out, self.burst) = (out, burst);
    }

    /// Returns true if anything is left to happen: a packet arrives, a port is ready, or a station wants to be woken.
    /// Events for cancelled deadlines do not count.
    pub fn is_live(&self) -> bool {
        self.wanting > 0 || self.events.len() > self.deadline_events || !self.entering.is_empty()
    }

    /// Returns true if anything is left to happen but what stations would do for ever ([`node::Node::rests_after`]), such as timers of
    /// a switch that begin threads.
    pub fn is_busy(&self) -> bool {
        let is_packet = self.events.len() > self.deadline_events || !self.entering.is_empty();
        let is_busy = |own: &SimulatedStation| own.deadline.wanted().is_some() && !own.station.rests(self.now);
        is_packet || self.wanting > 0 && self.stations.iter().any(is_busy)
    }

    /// Returns true if an event only lets a sender report transmissions that have already started.
    #[inline]
    pub fn is_late_call(&self, source: Source) -> bool {
        matches!(source, Source::Ready(link) if self.links[link as usize].is_reported_late())
    }

    /// Handles an event for a station's deadline. Returns true if the station must be woken now.
    #[inline]
    fn is_due(&mut self, station: u32) -> bool {
        self.deadline_events -= 1;
        match self.stations[station as usize].deadline.come(self.now) {
            Due::Wake => {
                self.wanting -= 1;
                true
            }
            Due::Push(at) => {
                self.push_deadline(at, station);
                false
            }
            Due::Nothing => false,
        }
    }

    /// Returns an instant before which nothing happens here, or `None` if no event is left.
    pub fn earliest(&self) -> Option<Instant> {
        let entering = self.entering.iter().map(|crossing| crossing.at).min();
        entering.into_iter().chain(self.events.earliest()).min()
    }

    /// Returns how many packets are on links that end here, between two rounds.
    pub fn packets_in_memory(&self) -> usize {
        self.packets.len() + self.entering.len()
    }

    /// Prefetches the memory of events that come soon, in stages: first the addresses of things, then the things, then
    /// what these will access.
    #[inline]
    fn prepare(&mut self) {
        if let Some((Source::Arrival(link), item)) = self.soon(5) {
            self.packets.prefetch_slot(item);
            prefetch(&self.links[link as usize]);
        }
        if let Some((source, item)) = self.soon(4) {
            if let Source::Arrival(_) = source {
                self.packets.prefetch(item);
            }
            prefetch(&self.stations[self.station_of(source, item)]);
        }
        if let Some((source, item)) = self.soon(3) {
            self.stations[self.station_of(source, item)].prefetch_station();
        }
        if let Some((station, port)) = self.prepared.take() {
            self.stations[station].station.prepare_waiting(port);
        }
        if let Some((source, item)) = self.soon(2) {
            let station = self.station_of(source, item);
            let simulated = &self.stations[station];
            let port = match source {
                Source::Ready(link) => simulated.station.prepare(Upcoming::Ready(simulated.port(link))),
                Source::Arrival(_) => {
                    self.packets.get(item).and_then(|packet| simulated.station.prepare(Upcoming::Packet(packet)))
                }
                Source::Deadline(_) => None,
            };
            if let Some(port) = port
                && let Some(link) = simulated.link(port)
            {
                prefetch(&self.links[link as usize]);
                self.prepared = Some((station, port));
            }
        }
    }

    /// Returns an event that comes soon, most likely after `ahead` others.
    #[inline]
    fn soon(&self, ahead: usize) -> Option<(Source, u32)> {
        let (number, item) = self.events.soon(ahead)?;
        Some((Source::of_number(number, self.links.len() as u32), item))
    }

    /// Returns the station to which an event happens.
    #[inline]
    fn station_of(&self, source: Source, item: u32) -> usize {
        let station = match source {
            Source::Ready(_) => item,
            Source::Arrival(link) => self.links[link as usize].station,
            Source::Deadline(station) => station,
        };
        station as usize
    }

    #[inline]
    fn push(&mut self, at: Instant, source: Source, item: u32) {
        self.events.push(at, source.number(self.links.len() as u32), item);
    }

    /// Pushes an event for the deadline of a station.
    #[inline]
    pub fn push_deadline(&mut self, at: Instant, station: u32) {
        self.deadline_events += 1;
        self.push(at, Source::Deadline(station), 0);
    }

    /// Executes one event.
    #[inline]
    fn happen<W: Witness>(&mut self, source: Source, item: u32, burst: &mut Burst, out: &mut Outbox, witness: &mut W) {
        out.begin(self.now);
        let station = self.station_of(source, item);
        let simulated = &mut self.stations[station];
        match source {
            Source::Arrival(link) => {
                let link = &mut self.links[link as usize];
                link.carried.delivered += 1;
                self.acted = self.now;
                burst.push(self.packets.take(item));
                simulated.received += 1;
                restore(simulated, out);
                simulated.station.receive(self.now, link.port, burst, out);
                debug_assert!(burst.is_empty(), "a node takes all packets out of a burst");
            }
            Source::Ready(link) => {
                restore(simulated, out);
                simulated.station.control(self.now, Control::PortReady(simulated.port(link)), out);
            }
            Source::Deadline(_) => {
                out.sleep();
                simulated.station.wake(self.now, out);
            }
        }
        self.carry_out(station, out, witness);
    }

    /// Sets or cancels the deadline of a station of this shard.
    #[inline]
    pub fn want(&mut self, station: usize, at: Option<Instant>) {
        let deadline = &mut self.stations[station].deadline;
        if at == deadline.wanted() {
            // An event is pending for it already, or none is needed.
            return;
        }
        let wanted_before = usize::from(deadline.wanted().is_some());
        let due = deadline.set(at);
        self.wanting = self.wanting + usize::from(deadline.wanted().is_some()) - wanted_before;
        if let Some(at) = due {
            self.push_deadline(at.max(self.now), station as u32);
        }
    }

    /// Carries out the requests of a station.
    #[inline]
    pub fn carry_out<W: Witness>(&mut self, station: usize, out: &mut Outbox, witness: &mut W) {
        self.happened += out.take_late();
        self.want(station, out.deadline());
        if !(out.events.is_empty() && out.discarded.is_empty()) {
            self.record(station, out, witness);
        }
        // Most calls request one thing or nothing, so popping is cheaper than draining, and the order of these
        // requests does not matter.
        while let Some((port, at)) = out.readies.pop() {
            // A port without a link is never ready.
            if let Some(link) = self.stations[station].link(port) {
                let at = self.links[link as usize].call_at(at, self.end);
                self.push(at.max(self.now), Source::Ready(link), station as u32);
            }
        }
        if out.transmissions.len() <= 1 {
            if let Some(transmission) = out.transmissions.pop() {
                self.transmit(station, transmission, witness);
            }
            return;
        }
        for transmission in out.transmissions.drain(..) {
            self.transmit(station, transmission, witness);
        }
    }

    #[cold]
    fn record<W: Witness>(&mut self, station: usize, out: &mut Outbox, witness: &mut W) {
        self.acted = self.now;
        for event in out.events.drain(..) {
            witness.event(self.now, station, event);
        }
        for discarded in out.discarded.drain(..) {
            self.discard(station, discarded.packet, discarded.reason, witness);
        }
    }

    #[cold]
    fn discard<W: Witness>(&mut self, station: usize, packet: Packet, reason: Reason, witness: &mut W) {
        self.stations[station].discard(reason);
        witness.discarded(self.now, station, packet, reason);
    }

    #[inline]
    fn transmit<W: Witness>(&mut self, station: usize, transmission: Transmission, witness: &mut W) {
        let Transmission { port, at, packet } = transmission;
        match self.stations[station].link(port) {
            Some(link) => self.put_on_link(station, link, at, packet, witness),
            None => self.discard(station, packet, Reason::NO_SUCH_PORT, witness),
        }
    }

    #[inline]
    fn put_on_link<W: Witness>(
        &mut self,
        station: usize,
        number: u32,
        start: Instant,
        mut packet: Packet,
        witness: &mut W,
    ) {
        let link = &mut self.links[number as usize];
        // Nodes may leave the checksum to the interface by which a packet leaves.
        if matches!(packet.sidecar.checksum, ChecksumState::Partial { .. }) && !packet.complete_checksum() {
            return self.discard(station, packet, Reason::MALFORMED, witness);
        }
        let Some(at) = link.carry(start, packet.len()) else {
            let reason = if link.is_there() { reasons::TOO_LONG } else { Reason::NO_SUCH_PORT };
            return self.discard(station, packet, reason, witness);
        };
        self.acted = self.acted.max(start.min(self.now));
        self.traffic.add(start, at);
        let simulated = &mut self.stations[station];
        simulated.transmitted += 1;
        if packet.sidecar.id == 0 {
            packet.sidecar.id = ((station as u64 + 1) << PACKET_NUMBER_BITS) + simulated.transmitted;
        }
        if let Some(classify) = self.classify {
            self.hops[usize::from(classify(packet.head.bytes()))] += 1;
        }
        let is_tapped = link.special & SimulatedLink::TAPPED != 0;
        if is_tapped {
            witness.carried(start, LinkId(number), &packet);
        }
        if link.special & SimulatedLink::FAULTY != 0 {
            return self.put_on_faulty_link(station, number, (start, at), packet, witness);
        }
        if is_tapped {
            witness.coming(at, LinkId(number), &packet);
        }
        self.depart(number, at, packet);
    }

    /// Schedules the arrival, at `at`, of a packet on a link.
    #[inline]
    pub fn depart(&mut self, number: u32, at: Instant, packet: Packet) {
        let link = &self.links[number as usize];
        if link.shard != self.number {
            return self.leaving[usize::from(link.shard)].push(Crossing { at, link: number, packet });
        }
        let packet = self.packets.insert(packet);
        self.push(at, Source::Arrival(number), packet);
    }
}

/// Sets the outbox, which all stations share, to this station's deadline.
#[inline]
pub(super) fn restore(simulated: &SimulatedStation, out: &mut Outbox) {
    match simulated.deadline.wanted() {
        Some(at) => out.wake_at(at),
        None => out.sleep(),
    }
}
