//! Stations, the lines between them, and virtual time.
//!
//! An arrival at a station is one event: it is known when a packet starts on a line. A port that has something waiting
//! asks to be told when its line is free, which is another. Events at one time happen in the order of their sources
//! (ports that are ready, packets that arrive, deadlines), which no station can influence: runs that are split among
//! threads see the same order.

mod account;
mod crew;
mod deadline;
mod deadlock;
mod faults;
mod line;
mod log;
mod pace;
mod partition;
mod place;
mod recorder;
mod regroup;
mod rounds;
mod settings;
mod shard;
mod slab;
mod snapshot;
mod source;
mod witness;

use basis::Instant;
use node::{Port, Station};

pub use self::account::{Conservation, Passed};
use self::crew::Told;
pub use self::deadlock::Hold;
pub use self::line::{Carried, LineId};
use self::line::{Line, Traffic};
use self::log::Log;
use self::partition::Partition;
use self::place::Place;
pub use self::recorder::{Recorder, Unwatched};
pub use self::settings::{Ended, Settings, Threading};
use self::shard::Shard;
use crate::topology::{LinePlan, Topology};

/// A network while it runs: one shard, or several that run side by side.
///
/// Shards run in rounds. A round lasts from the first event of all for as long as nothing that happens in one shard can
/// be felt in another (Chandy and Misra's lookahead: the delay of the lines between them); then packets that crossed
/// change hands, and everything that was told is put in order. Events, results and what recorders see are those of one
/// shard. Where several are slower than one it goes on in one, which changes nothing else either.
pub struct Simulation {
    /// At home between two rounds.
    shards: Vec<Told>,
    /// What they are now.
    partition: Partition,
    /// What they may be, if that is more than one.
    cut: Partition,
    now: Instant,
    settings: Settings,
    next_sample: Instant,
}

impl Simulation {
    /// A network whose stations `make` builds, from the index of each in the topology; all are woken at the start.
    pub fn new(topology: &Topology, settings: Settings, mut make: impl FnMut(usize) -> Box<dyn Station>) -> Self {
        let partition = Partition::alone(topology.stations.len());
        let (first_lines, lines) = lines(topology);
        let places = (0..topology.stations.len())
            .map(|station| Place::new(make(station), first_lines[station], first_lines[station + 1]));
        let mut shard = Box::new(Shard::new(0, 1, lines, places.collect(), settings.interest));
        for station in 0..topology.stations.len() {
            shard.want(station, Some(Instant::ZERO));
        }
        let next_sample = settings.sample_every.map_or(Instant::MAX, |_| Instant::ZERO);
        let cut = Partition::new(topology, settings.most_threads());
        let shards = vec![(shard, Log::default())];
        let mut simulation = Self { shards, partition, cut, now: Instant::ZERO, settings, next_sample };
        if settings.threading == Threading::Always && simulation.cut.count > 1 {
            simulation.regroup(simulation.cut.clone());
        }
        simulation
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
}

/// For each station the number of its first line, behind them the number of all; and the lines.
fn lines(topology: &Topology) -> (Vec<u32>, Vec<Line>) {
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
    (first_lines, lines)
}

/// What can be asked at any time.
impl Simulation {
    /// The time of what happened last to a packet or was told last; the end of the run if its time was up.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// How many shards run side by side now.
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

    /// From when until when there was traffic: from the first bit on any line until the last packet was, or would have
    /// been, at the other end of its line. `None` if no packet was sent.
    pub fn traffic(&self) -> Option<(Instant, Instant)> {
        self.each().map(|shard| shard.traffic).fold(Traffic::NONE, Traffic::or).span()
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
            all.add(shard.lines[line.0 as usize].carried);
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
