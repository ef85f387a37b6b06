//! Stations, the links between them, and virtual time.
//!
//! The arrival of a packet at a station is one event, which is scheduled when the packet is put on the link. A port
//! with packets waiting asks to be called when its link is free, which is another event, or later if nobody notices
//! (`late_reports.rs`). Events at the same time happen in the order of their sources (ports that are ready, then packets
//! that arrive, then deadlines), which no station can influence. A run that is split among threads sees the same order.

mod account;
mod crew;
mod deadline;
mod deadlock;
mod faults;
mod late_reports;
mod log;
mod pace;
mod partition;
mod recorder;
mod regroup;
mod rounds;
mod settings;
mod shard;
mod simulated_link;
mod simulated_station;
mod slab;
mod snapshot;
mod source;
mod witness;

use basis::Instant;
use node::{Port, Station};

pub use self::account::{Conservation, Passed};
use self::crew::ShardAndLog;
pub use self::deadlock::Hold;
use self::log::Log;
use self::partition::Partition;
pub use self::recorder::{Recorder, Unwatched};
pub use self::settings::{Ended, Settings, Threading};
use self::shard::Shard;
pub use self::simulated_link::{Carried, LinkId};
use self::simulated_link::{SimulatedLink, Traffic};
use self::simulated_station::SimulatedStation;
use crate::topology::{CableProperties, Topology};

/// A running network, in one shard or in several that run in parallel.
///
/// Shards run in rounds. A round lasts from the earliest pending event for as long as nothing that happens in one
/// shard can affect another (Chandy and Misra's lookahead: the least delay of the links between shards). Then packets
/// that crossed are handed over, and everything that the shards report is put in order. Events, results and what
/// recorders see are the same as with one shard. If several shards turn out slower than one, the run continues in one,
/// which does not change results either.
pub struct Simulation {
    /// The shards, each owned here between two rounds.
    shards: Vec<ShardAndLog>,
    /// The present assignment of stations to shards.
    partition: Partition,
    /// The assignment for running in parallel, if it has more than one shard.
    cut: Partition,
    now: Instant,
    settings: Settings,
    next_sample: Instant,
    /// The times of [`Simulation::look_at`] that have not come, the next one at the end.
    looks: Vec<Instant>,
}

impl Simulation {
    /// Creates a network. `make` builds each station from its index in the topology; all stations are woken at the
    /// start.
    ///
    /// # Panics
    ///
    /// Panics if a cable of the topology ends at a station that does not exist: see [`Topology::verify`].
    pub fn new(topology: &Topology, settings: Settings, mut make: impl FnMut(usize) -> Box<dyn Station>) -> Self {
        let partition = Partition::alone(topology.stations.len());
        let (first_links, links) = links(topology);
        let stations = (0..topology.stations.len())
            .map(|station| SimulatedStation::new(make(station), first_links[station], first_links[station + 1]));
        let mut shard = Box::new(Shard::new(0, 1, links, stations.collect(), settings.interest));
        for station in 0..topology.stations.len() {
            shard.want(station, Some(Instant::ZERO));
        }
        let next_sample = settings.sample_every.map_or(Instant::MAX, |_| Instant::ZERO);
        let cut = Partition::new(topology, settings.most_threads());
        let shards = vec![(shard, Log::default())];
        let mut simulation =
            Self { shards, partition, cut, now: Instant::ZERO, settings, next_sample, looks: Vec::new() };
        if settings.threading == Threading::Always && simulation.cut.count > 1 {
            simulation.regroup(simulation.cut.clone());
        }
        simulation
    }

    /// Counts packets on links by the class that `classify` derives from their heads; see [`Simulation::hops`].
    pub fn count_hops_by(&mut self, classify: fn(&[u8]) -> u8) {
        self.shards.iter_mut().for_each(|(shard, _)| shard.classify = Some(classify));
    }

    /// Reports every packet on a link to the recorder.
    ///
    /// # Panics
    ///
    /// Panics if there is no such link.
    pub fn tap(&mut self, link: LinkId) {
        self.shards.iter_mut().for_each(|(shard, _)| shard.links[link.0 as usize].special |= SimulatedLink::TAPPED);
    }

    /// Has [`Recorder::look`] called at these times, before what happens then. Times that have passed are left out.
    pub fn look_at(&mut self, times: impl IntoIterator<Item = Instant>) {
        self.looks = times.into_iter().filter(|&at| at >= self.now).collect();
        self.looks.sort_unstable();
        self.looks.dedup();
        self.looks.reverse();
    }

    /// Sets another end of the run. A run that reached its time limit continues with the next [`Simulation::run`] as
    /// if it had never stopped.
    pub fn set_end(&mut self, end: Option<Instant>) {
        self.settings.end = end;
    }
}

/// Returns the links, and for each station the index of its first link, followed by the number of all links.
fn links(topology: &Topology) -> (Vec<u32>, Vec<SimulatedLink>) {
    let mut ports = vec![0u32; topology.stations.len()];
    for (station, port) in topology.cables.iter().flat_map(|cable| cable.ends) {
        ports[station] = ports[station].max(u32::from(port) + 1);
    }
    let mut first_links = vec![0];
    first_links.extend(ports.iter().scan(0, |sum, &ports| {
        *sum += ports;
        Some(*sum)
    }));
    let count = *first_links.last().expect("`first_lines` begins with a 0");
    let mut links = vec![SimulatedLink::NONE; count as usize];
    for cable in &topology.cables {
        for [(from, port), (to, to_port)] in cable.directions() {
            let link = &mut links[first_links[from] as usize + usize::from(port)];
            link.plan = cable.link;
            link.station = u32::try_from(to).expect("fewer than 2^32 stations");
            link.port = Port(to_port);
        }
    }
    (first_links, links)
}

/// Queries that are possible at any time between runs and within recorders.
impl Simulation {
    /// Returns the time at which a packet was last acted on or something was last reported, or the end of the run if
    /// it reached its time limit.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Returns how many shards run in parallel now.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// Returns the number of stations.
    pub fn stations(&self) -> usize {
        self.partition.shards.len()
    }

    /// Returns how many events have happened.
    pub fn events(&self) -> u64 {
        self.each().map(|shard| shard.happened).sum()
    }

    /// Returns how many packets have been put on links.
    pub fn packet_hops(&self) -> u64 {
        self.each().flat_map(|shard| &shard.links).map(|link| link.carried.packets).sum()
    }

    /// Returns how many packets of each class have been put on links; all zero unless [`Simulation::count_hops_by`]
    /// was called.
    pub fn hops(&self) -> [u64; 256] {
        let mut all = [0; 256];
        for shard in self.each() {
            all.iter_mut().zip(&shard.hops).for_each(|(all, hops)| *all += hops);
        }
        all
    }

    /// Returns when traffic began and ended: from the first bit on any link until the last packet reached, or would
    /// have reached, the other end of its link. `None` if no packet was sent.
    pub fn traffic(&self) -> Option<(Instant, Instant)> {
        self.each().map(|shard| shard.traffic).fold(Traffic::NONE, Traffic::or).span()
    }

    /// Returns a station by its index.
    ///
    /// # Panics
    ///
    /// Panics if there is no such station.
    pub fn station(&self, station: usize) -> &dyn Station {
        self.simulated(station).station.as_ref()
    }

    /// Returns what a station has received, transmitted and discarded.
    ///
    /// # Panics
    ///
    /// Panics if there is no such station.
    pub fn passed(&self, station: usize) -> Passed {
        self.simulated(station).passed()
    }

    /// Returns the link on which a port of a station transmits, or `None` if it has no such port.
    ///
    /// # Panics
    ///
    /// Panics if there is no such station.
    pub fn link(&self, station: usize, port: Port) -> Option<LinkId> {
        self.simulated(station).link(port).map(LinkId)
    }

    /// Returns the properties of a link, or `None` if its port has no cable, and what the link has carried.
    ///
    /// # Panics
    ///
    /// Panics if there is no such link.
    pub fn carried(&self, link: LinkId) -> (Option<CableProperties>, Carried) {
        let mut all = Carried::default();
        for shard in self.each() {
            all.add(shard.links[link.0 as usize].carried);
        }
        let link = &self.shards[0].0.links[link.0 as usize];
        (link.is_there().then_some(link.plan), all)
    }

    /// Accounts for all packets of the run.
    ///
    /// # Errors
    ///
    /// Returns a message that names a station which cannot account for all its packets, or the sums that do not match.
    /// Either is a defect of a station or of the simulator.
    pub fn conservation(&self) -> Result<Conservation, String> {
        let mut all = Conservation::default();
        for station in 0..self.stations() {
            let simulated = self.simulated(station);
            all.add_station(&simulated.station.account(), &simulated.passed())
                .map_err(|why| format!("station {station}: {why}"))?;
        }
        let faults = self.faults();
        for link in (0..self.shards[0].0.links.len() as u32).map(LinkId) {
            all.add_link(&self.carried(link).1, faults.get(&link).map_or((0, 0), |faults| faults.copied_and_lost()));
        }
        let in_memory: usize = self.each().map(Shard::packets_in_memory).sum();
        if all.on_links != in_memory as u64 {
            return Err(format!("{} packets are on links, but {in_memory} are in memory", all.on_links));
        }
        if all.holds() { Ok(all) } else { Err(format!("packets are not conserved: {all:?}")) }
    }

    fn simulated(&self, station: usize) -> &SimulatedStation {
        &self.shards[usize::from(self.partition.shards[station])].0.stations[station]
    }

    fn each(&self) -> impl Iterator<Item = &Shard> {
        self.shards.iter().map(|(shard, _)| shard.as_ref())
    }
}
