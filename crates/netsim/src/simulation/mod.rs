//! Stations, the lines between them, and virtual time.
//!
//! An arrival at a station is one event: it is known when a packet starts on a line. A port that has something waiting
//! asks to be told when its line is free, which is another. Events at one time happen in the order of their sources
//! (ports that are ready, packets that arrive, deadlines), which no station can influence: runs that are split among
//! threads see the same order.

mod account;
mod crew;
mod deadline;
mod faults;
mod line;
mod log;
mod partition;
mod place;
mod recorder;
mod shard;
mod slab;
mod snapshot;
mod source;
mod witness;

use std::num::NonZeroUsize;
use std::thread;

use basis::{Duration, Instant};
use measure::Interest;
use node::{Port, Station};

pub use self::account::{Conservation, Passed};
use self::crew::{Crew, Told};
use self::line::Line;
pub use self::line::{Carried, LineId};
use self::log::Log;
use self::partition::Partition;
use self::place::Place;
pub use self::recorder::{Recorder, Unwatched};
use self::shard::Shard;
use self::witness::AtOnce;
use crate::topology::{LinePlan, Topology};

/// Events between two calls of [`Recorder::progress`].
const PROGRESS_EVERY: u64 = 1 << 16;

/// How a run is watched and ended.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What stations are to tell.
    pub interest: Interest,
    /// How often [`Recorder::sample`] is called; never if there is no such time.
    pub sample_every: Option<Duration>,
    /// When the run is over at the latest; when nothing is left to happen if there is no such time.
    pub end: Option<Instant>,
    /// How many threads may run it side by side; nothing that comes out depends on it.
    pub threads: NonZeroUsize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { interest: Interest::default(), sample_every: None, end: None, threads: NonZeroUsize::MIN }
    }
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

/// A network while it runs: one shard, or several that run side by side.
///
/// Shards run in rounds. A round lasts from the first event of all for as long as nothing that happens in one shard can
/// be felt in another (Chandy and Misra's lookahead: the delay of the lines between them); then packets that crossed
/// change hands, and everything that was told is put in order. Events, results and what recorders see are those of one
/// shard.
pub struct Simulation {
    /// At home between two rounds.
    shards: Vec<Told>,
    partition: Partition,
    now: Instant,
    settings: Settings,
    next_sample: Instant,
}

impl Simulation {
    /// A network whose stations `make` builds, from the index of each in the topology; all are woken at the start.
    pub fn new(topology: &Topology, settings: Settings, mut make: impl FnMut(usize) -> Box<dyn Station>) -> Self {
        let stations = topology.stations.len();
        let partition = Partition::new(topology, settings.threads.get());
        let (first_lines, lines) = lines(topology, &partition.shards);
        let shard = |number: usize| {
            let places = (0..stations).map(|_| Place::elsewhere()).collect();
            Box::new(Shard::new(number as u8, partition.count, lines.clone(), places, settings.interest))
        };
        let mut shards: Vec<Told> = (0..partition.count).map(|number| (shard(number), Log::default())).collect();
        for (station, &of) in partition.shards.iter().enumerate() {
            let (shard, _) = &mut shards[usize::from(of)];
            shard.places[station] = Place::new(make(station), first_lines[station], first_lines[station + 1]);
            shard.want(station, Some(Instant::ZERO));
        }
        let next_sample = settings.sample_every.map_or(Instant::MAX, |_| Instant::ZERO);
        Self { shards, partition, now: Instant::ZERO, settings, next_sample }
    }

    /// Counts packets on lines by what `classify` says of their heads; see [`Simulation::hops`].
    pub fn count_hops_by(&mut self, classify: fn(&[u8]) -> u8) {
        self.shards.iter_mut().for_each(|(shard, _)| shard.classify = Some(classify));
    }

    /// Shows every packet on a line to the recorder.
    pub fn tap(&mut self, line: LineId) {
        self.shards.iter_mut().for_each(|(shard, _)| shard.lines[line.0 as usize].special |= Line::TAPPED);
    }

    /// Sets another end: a run whose time was up goes on with the next [`Simulation::run`], as if it had never stopped.
    pub fn set_end(&mut self, end: Option<Instant>) {
        self.settings.end = end;
    }

    /// Runs on until the end.
    pub fn run(&mut self, recorder: &mut dyn Recorder) -> Ended {
        let others = self.shards.len() - 1;
        if others == 0 {
            return self.rounds(recorder, None);
        }
        thread::scope(|scope| self.rounds(recorder, Some(&Crew::new(scope, others))))
    }

    fn rounds(&mut self, recorder: &mut dyn Recorder, crew: Option<&Crew>) -> Ended {
        let end = self.settings.end.unwrap_or(Instant::MAX);
        let mut next_progress = self.events() + PROGRESS_EVERY;
        while let Some(first) = self.shards.iter().filter_map(|(shard, _)| shard.earliest()).min() {
            while self.next_sample <= first.min(end) {
                self.sample(recorder);
            }
            if first > end {
                self.now = self.now.max(end);
                return Ended::TimeLimit;
            }
            // The last instant of the round: what begins in it is felt elsewhere behind it.
            let last = just_before(first + self.partition.lookahead).min(just_before(self.next_sample)).min(end);
            match crew {
                None => self.shards[0].0.run(last, PROGRESS_EVERY, &mut AtOnce(recorder)),
                Some(crew) => {
                    crew.run(&mut self.shards, last);
                    self.exchange();
                    Log::tell(self.shards.iter_mut().map(|(_, log)| log), recorder);
                }
            }
            self.now = self.shards.iter().map(|(shard, _)| shard.now).fold(self.now, Instant::max);
            let happened = self.events();
            if happened >= next_progress {
                next_progress = happened + PROGRESS_EVERY;
                if !recorder.progress(self.now, self) {
                    return Ended::Stopped;
                }
            }
        }
        Ended::Idle
    }

    /// Packets that crossed to other shards change hands.
    fn exchange(&mut self) {
        for from in 0..self.shards.len() {
            for to in 0..self.shards.len() {
                let mut crossed = std::mem::take(&mut self.shards[from].0.leaving[to]);
                self.shards[to].0.entering.append(&mut crossed);
                self.shards[from].0.leaving[to] = crossed;
            }
        }
    }

    fn sample(&mut self, recorder: &mut dyn Recorder) {
        recorder.sample(self.next_sample, self);
        let every = self.settings.sample_every.unwrap_or_default();
        self.next_sample = if every == Duration::ZERO { Instant::MAX } else { self.next_sample + every };
    }
}

/// For each station the number of its first line, behind them the number of all; and the lines.
fn lines(topology: &Topology, shards: &[u8]) -> (Vec<u32>, Vec<Line>) {
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
            line.shard = shards[to];
        }
    }
    (first_lines, lines)
}

/// The last instant before another.
fn just_before(instant: Instant) -> Instant {
    Instant::from_picoseconds(instant.picoseconds() - 1)
}

/// What can be asked at any time.
impl Simulation {
    /// The time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// How many shards run side by side.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// How many stations there are.
    pub fn stations(&self) -> usize {
        self.partition.shards.len()
    }

    /// How many events have happened.
    pub fn events(&self) -> u64 {
        self.each().map(|shard| shard.happened).sum()
    }

    /// How many packets have been put on lines.
    pub fn packet_hops(&self) -> u64 {
        self.each().flat_map(|shard| &shard.lines).map(|line| line.carried.packets).sum()
    }

    /// How many packets of each class have been put on lines; all zero unless they are counted.
    pub fn hops(&self) -> [u64; 256] {
        let mut all = [0; 256];
        for shard in self.each() {
            all.iter_mut().zip(&shard.hops).for_each(|(all, hops)| *all += hops);
        }
        all
    }

    /// A station.
    pub fn station(&self, station: usize) -> &dyn Station {
        self.place(station).station.as_ref()
    }

    /// What went into a station and came out.
    pub fn passed(&self, station: usize) -> Passed {
        self.place(station).passed()
    }

    /// The line that a port of a station sends on.
    pub fn line(&self, station: usize, port: Port) -> Option<LineId> {
        self.place(station).line(port).map(LineId)
    }

    /// What a line is like, unless its port has no cable, and what it has carried.
    pub fn carried(&self, line: LineId) -> (Option<LinePlan>, Carried) {
        let mut all = Carried::default();
        for shard in self.each() {
            let Carried { packets, bytes, delivered } = shard.lines[line.0 as usize].carried;
            all.packets += packets;
            all.bytes += bytes;
            all.delivered += delivered;
        }
        let line = &self.shards[0].0.lines[line.0 as usize];
        (line.is_there().then_some(line.plan), all)
    }

    /// All packets of the run.
    ///
    /// # Errors
    /// Which stations cannot account for all packets: a defect of the station.
    pub fn conservation(&self) -> Result<Conservation, String> {
        let mut all = Conservation::default();
        for station in 0..self.stations() {
            let place = self.place(station);
            all.add_station(&place.station.account(), &place.passed())
                .map_err(|why| format!("station {station}: {why}"))?;
        }
        let faults = self.faults();
        for line in (0..self.shards[0].0.lines.len() as u32).map(LineId) {
            all.add_line(&self.carried(line).1, faults.get(&line).map_or((0, 0), |faults| faults.copied_and_lost()));
        }
        let in_memory: usize = self.each().map(Shard::packets_in_memory).sum();
        if all.on_lines != in_memory as u64 {
            return Err(format!("{} packets on lines, {in_memory} in memory", all.on_lines));
        }
        if all.holds() { Ok(all) } else { Err(format!("packets are not conserved: {all:?}")) }
    }

    fn place(&self, station: usize) -> &Place {
        &self.shards[usize::from(self.partition.shards[station])].0.places[station]
    }

    fn each(&self) -> impl Iterator<Item = &Shard> {
        self.shards.iter().map(|(shard, _)| shard.as_ref())
    }
}
