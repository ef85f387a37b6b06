//! Stations, the lines between them, and virtual time.
//!
//! An arrival at a station is one event: it is known when a packet starts on a line. A port that has something waiting
//! asks to be told when its line is free, which is another. Events at one time happen in the order of their sources
//! (ports that are ready, packets that arrive, deadlines), which no station can influence: runs that are split among
//! threads see the same order.

mod account;
mod deadline;
mod line;
mod place;
mod recorder;
mod slab;
mod source;

use basis::{Duration, Instant, prefetch};
use measure::Interest;
use node::{Burst, Control, Outbox, Port, Reason, Station, Transmission, Upcoming};
use wire::Packet;

pub use self::account::{Conservation, Passed};
use self::deadline::Due;
use self::line::Line;
pub use self::line::{Carried, LineId};
use self::place::Place;
pub use self::recorder::{Recorder, Unwatched};
use self::slab::PacketSlab;
use self::source::Source;
use crate::event_queue::EventQueue;
use crate::topology::{LinePlan, Topology};

/// Events between two calls of [`Recorder::progress`].
const PROGRESS_EVERY: u64 = 1 << 16;

/// How a run is watched and ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// What stations are to tell.
    pub interest: Interest,
    /// How often [`Recorder::sample`] is called; never if there is no such time.
    pub sample_every: Option<Duration>,
    /// When the run is over at the latest; when nothing is left to happen if there is no such time.
    pub end: Option<Instant>,
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to happen.
    Idle,
    /// Its time was up.
    TimeLimit,
    /// Whoever watched it did not want to see more.
    Stopped,
}

/// A network while it runs.
pub struct Simulation {
    places: Vec<Place>,
    lines: Vec<Line>,
    packets: PacketSlab,
    events: EventQueue<u32>,
    /// The event at which the time was up, which happens first when the run goes on. Back in the queue it would come
    /// after others of its source and time.
    held_back: Option<(Instant, u32, u32)>,
    now: Instant,
    happened: u64,
    next_packet: u64,
    settings: Settings,
    next_sample: Instant,
    classify: Option<fn(&[u8]) -> u8>,
    hops: [u64; 256],
}

impl Simulation {
    /// A network whose stations `make` builds, from the index of each in the topology; all are woken at the start.
    pub fn new(topology: &Topology, settings: Settings, mut make: impl FnMut(usize) -> Box<dyn Station>) -> Self {
        let mut ports = vec![0u32; topology.stations.len()];
        for (station, port) in topology.cables.iter().flat_map(|cable| cable.ends) {
            ports[station] = ports[station].max(u32::from(port) + 1);
        }
        let mut first_lines = vec![0];
        first_lines.extend(ports.iter().scan(0, |sum, &ports| {
            *sum += ports;
            Some(*sum)
        }));
        let count = *first_lines.last().expect("one at least");
        let mut lines = vec![Line::NONE; count as usize];
        for cable in &topology.cables {
            for [(from, port), (to, to_port)] in cable.directions() {
                let line = &mut lines[first_lines[from] as usize + usize::from(port)];
                line.plan = cable.line;
                line.station = u32::try_from(to).expect("fewer than 2^32 stations");
                line.port = Port(to_port);
            }
        }
        let place = |station: usize| Place::new(make(station), first_lines[station], first_lines[station + 1]);
        let places: Vec<Place> = (0..topology.stations.len()).map(place).collect();
        let mut simulation = Self {
            places,
            lines,
            packets: PacketSlab::default(),
            events: EventQueue::new(),
            held_back: None,
            now: Instant::ZERO,
            happened: 0,
            next_packet: 0,
            next_sample: settings.sample_every.map_or(Instant::MAX, |_| Instant::ZERO),
            settings,
            classify: None,
            hops: [0; 256],
        };
        for station in 0..simulation.places.len() {
            simulation.want(station, Some(Instant::ZERO));
        }
        simulation
    }

    /// Counts packets on lines by what `classify` says of their heads; see [`Simulation::hops`].
    pub fn count_hops_by(&mut self, classify: fn(&[u8]) -> u8) {
        self.classify = Some(classify);
    }

    /// Shows every packet on a line to the recorder.
    pub fn tap(&mut self, line: LineId) {
        self.lines[line.0 as usize].is_tapped = true;
    }

    /// Sets another end: a run whose time was up goes on with the next [`Simulation::run`], as if it had never stopped.
    pub fn set_end(&mut self, end: Option<Instant>) {
        self.settings.end = end;
    }

    /// Runs on until the end.
    pub fn run(&mut self, recorder: &mut dyn Recorder) -> Ended {
        let mut out = Outbox::new(self.settings.interest);
        let mut burst = Burst::new();
        let end = self.settings.end.unwrap_or(Instant::MAX);
        let mut next_progress = self.happened + PROGRESS_EVERY;
        let mut next = self.held_back.take().or_else(|| self.events.pop());
        while let Some((at, source, item)) = next {
            while self.next_sample <= at.min(end) {
                self.sample(recorder);
            }
            if at > end {
                // It belongs to whoever runs on from here.
                self.held_back = next;
                self.now = self.now.max(end);
                return Ended::TimeLimit;
            }
            self.now = at;
            self.happened += 1;
            self.prepare();
            let source = Source::of_number(source, self.lines.len() as u32);
            self.happen(source, item, &mut burst, &mut out, recorder);
            if self.happened >= next_progress {
                next_progress += PROGRESS_EVERY;
                if !recorder.progress(at, self) {
                    return Ended::Stopped;
                }
            }
            next = self.events.pop();
        }
        Ended::Idle
    }

    /// Asks for memory of events that come soon: first for where things are, then for the things, then for what these
    /// will look at.
    #[inline]
    fn prepare(&self) {
        if let Some((Source::Arrival(line), item)) = self.soon(6) {
            self.packets.prefetch_place(item);
            prefetch(&self.lines[line as usize]);
        }
        if let Some((source, item)) = self.soon(4) {
            if let Source::Arrival(_) = source {
                self.packets.prefetch(item);
            }
            prefetch(&self.places[self.station_of(source, item)]);
        }
        if let Some((source, item)) = self.soon(2) {
            self.places[self.station_of(source, item)].prefetch_station();
        }
        if let Some((source, item)) = self.soon(1) {
            let place = &self.places[self.station_of(source, item)];
            match source {
                Source::Ready(line) => place.station.prepare(Upcoming::Ready(place.port(line))),
                Source::Arrival(_) => {
                    if let Some(packet) = self.packets.get(item) {
                        place.station.prepare(Upcoming::Packet(packet));
                    }
                }
                Source::Deadline(_) => {}
            }
        }
    }

    /// An event that comes soon, after `ahead` others most likely.
    #[inline]
    fn soon(&self, ahead: usize) -> Option<(Source, u32)> {
        let (number, item) = self.events.soon(ahead)?;
        Some((Source::of_number(number, self.lines.len() as u32), item))
    }

    /// The station to which an event happens.
    #[inline]
    fn station_of(&self, source: Source, item: u32) -> usize {
        let station = match source {
            Source::Ready(_) => item,
            Source::Arrival(line) => self.lines[line as usize].station,
            Source::Deadline(station) => station,
        };
        station as usize
    }

    #[inline]
    fn push(&mut self, at: Instant, source: Source, item: u32) {
        self.events.push(at, source.number(self.lines.len() as u32), item);
    }

    fn sample(&mut self, recorder: &mut dyn Recorder) {
        recorder.sample(self.next_sample, self);
        let every = self.settings.sample_every.unwrap_or_default();
        self.next_sample = if every == Duration::ZERO { Instant::MAX } else { self.next_sample + every };
    }

    /// One event.
    #[inline]
    fn happen(&mut self, source: Source, item: u32, burst: &mut Burst, out: &mut Outbox, recorder: &mut dyn Recorder) {
        out.begin(self.now);
        let station = self.station_of(source, item);
        let place = &mut self.places[station];
        match source {
            Source::Arrival(line) => {
                let line = &mut self.lines[line as usize];
                line.carried.delivered += 1;
                burst.push(self.packets.take(item));
                place.received += 1;
                restore(place, out);
                place.station.receive(self.now, line.port, burst, out);
                debug_assert!(burst.is_empty(), "a node takes all packets out of a burst");
            }
            Source::Ready(line) => {
                restore(place, out);
                place.station.control(self.now, Control::PortReady(place.port(line)), out);
            }
            Source::Deadline(_) => {
                match place.deadline.come(self.now) {
                    Due::Wake => {}
                    Due::Push(at) => return self.push(at, source, 0),
                    Due::Nothing => return,
                }
                out.sleep();
                place.station.wake(self.now, out);
            }
        }
        self.carry_out(station, out, recorder);
    }

    #[inline]
    fn want(&mut self, station: usize, at: Option<Instant>) {
        if let Some(at) = self.places[station].deadline.set(at) {
            self.push(at.max(self.now), Source::Deadline(station as u32), 0);
        }
    }

    /// Does what a station wants done.
    #[inline]
    fn carry_out(&mut self, station: usize, out: &mut Outbox, recorder: &mut dyn Recorder) {
        self.want(station, out.deadline());
        if !(out.events.is_empty() && out.discarded.is_empty()) {
            self.record(station, out, recorder);
        }
        // Most calls ask for one thing or none: popping is cheaper than draining, and order matters for none of these.
        while let Some((port, at)) = out.readies.pop() {
            // A port without a line is never ready.
            if let Some(line) = self.places[station].line(port) {
                self.push(at.max(self.now), Source::Ready(line), station as u32);
            }
        }
        if let [_] = out.transmissions[..] {
            let transmission = out.transmissions.pop().expect("one");
            return self.transmit(station, transmission, recorder);
        }
        for transmission in out.transmissions.drain(..) {
            self.transmit(station, transmission, recorder);
        }
    }

    #[cold]
    fn record(&mut self, station: usize, out: &mut Outbox, recorder: &mut dyn Recorder) {
        for event in out.events.drain(..) {
            recorder.event(self.now, station, event);
        }
        for discarded in out.discarded.drain(..) {
            self.places[station].discard(discarded.reason);
            recorder.discarded(self.now, station, &discarded.packet, discarded.reason);
        }
    }

    #[inline]
    fn transmit(&mut self, station: usize, transmission: Transmission, recorder: &mut dyn Recorder) {
        if let Some(line) = self.places[station].line(transmission.port) {
            return self.put_on_line(station, line, transmission.at, transmission.packet, recorder);
        }
        self.places[station].discard(Reason::NoSuchPort);
        recorder.discarded(self.now, station, &transmission.packet, Reason::NoSuchPort);
    }

    #[inline]
    fn put_on_line(
        &mut self,
        station: usize,
        number: u32,
        start: Instant,
        mut packet: Packet,
        recorder: &mut dyn Recorder,
    ) {
        let line = &mut self.lines[number as usize];
        let Some(arrival) = line.carry(start, packet.len()) else {
            let reason = if line.is_there() { Reason::TooLong } else { Reason::NoSuchPort };
            self.places[station].discard(reason);
            return recorder.discarded(self.now, station, &packet, reason);
        };
        let is_tapped = line.is_tapped;
        self.places[station].transmitted += 1;
        if packet.sidecar.id == 0 {
            self.next_packet += 1;
            packet.sidecar.id = self.next_packet;
        }
        if let Some(classify) = self.classify {
            self.hops[usize::from(classify(packet.head.bytes()))] += 1;
        }
        if is_tapped {
            recorder.carried(start, LineId(number), &packet);
        }
        let packet = self.packets.insert(packet);
        self.push(arrival, Source::Arrival(number), packet);
    }
}

/// The outbox is everybody's: it says what this station wants.
#[inline]
fn restore(place: &Place, out: &mut Outbox) {
    match place.deadline.wanted() {
        Some(at) => out.wake_at(at),
        None => out.sleep(),
    }
}

/// What can be asked at any time.
impl Simulation {
    /// The time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// How many events have happened.
    pub fn events(&self) -> u64 {
        self.happened
    }

    /// How many packets have been put on lines.
    pub fn packet_hops(&self) -> u64 {
        self.lines.iter().map(|line| line.carried.packets).sum()
    }

    /// How many packets of each class have been put on lines; all zero unless they are counted.
    pub fn hops(&self) -> &[u64; 256] {
        &self.hops
    }

    /// A station.
    pub fn station(&self, station: usize) -> &dyn Station {
        self.places[station].station.as_ref()
    }

    /// What went into a station and came out.
    pub fn passed(&self, station: usize) -> Passed {
        self.places[station].passed()
    }

    /// The line that a port of a station sends on.
    pub fn line(&self, station: usize, port: Port) -> Option<LineId> {
        self.places[station].line(port).map(LineId)
    }

    /// What a line is like, unless its port has no cable, and what it has carried.
    pub fn carried(&self, line: LineId) -> (Option<LinePlan>, Carried) {
        let line = &self.lines[line.0 as usize];
        (line.is_there().then_some(line.plan), line.carried)
    }

    /// All packets of the run.
    ///
    /// # Errors
    /// Which stations cannot account for all packets: a defect of the station.
    pub fn conservation(&self) -> Result<Conservation, String> {
        let mut all = Conservation::default();
        for (index, place) in self.places.iter().enumerate() {
            all.add_station(&place.station.account(), &place.passed())
                .map_err(|why| format!("station {index}: {why}"))?;
        }
        self.lines.iter().for_each(|line| all.add_line(&line.carried));
        if all.on_lines != self.packets.len() as u64 {
            return Err(format!("{} packets on lines, {} in memory", all.on_lines, self.packets.len()));
        }
        if all.holds() { Ok(all) } else { Err(format!("packets are not conserved: {all:?}")) }
    }
}
