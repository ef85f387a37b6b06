//! Which stations run together in one shard.

use std::collections::VecDeque;

use basis::Duration;

use crate::topology::{Role, Topology};

/// A network cut into shards.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    /// The shard of each station.
    pub shards: Vec<u8>,
    /// How many shards there are; each has a station.
    pub count: usize,
    /// Nothing that happens in one shard is felt in another sooner than this.
    pub lookahead: Duration,
}

impl Partition {
    /// So many stations in one shard.
    pub fn alone(stations: usize) -> Self {
        Self { shards: vec![0; stations], count: 1, lookahead: Duration::from_picoseconds(u64::MAX) }
    }

    /// Cuts a network into at most `wanted` shards that have about equally much to do.
    ///
    /// Hosts are cut where their numbers are, which follow pods and racks. A switch goes where most of its neighbours
    /// are that are nearer to hosts, and of equals to the shard that has least. One that is cut through a line without
    /// delay and without framing would be of no use, and is one shard.
    pub fn new(topology: &Topology, wanted: usize) -> Self {
        let stations = topology.stations.len();
        let alone = || Self::alone(stations);
        if wanted <= 1 || stations < 2 {
            return alone();
        }
        let count = wanted.min(stations).min(usize::from(u8::MAX));
        let neighbours = neighbours(topology);
        let mut shards: Vec<Option<u8>> = vec![None; stations];
        let mut load = vec![0_u64; count];
        let hosts: Vec<usize> =
            (0..stations).filter(|&at| matches!(topology.stations[at].role, Role::Host { .. })).collect();
        let mut next = VecDeque::new();
        for (number, &host) in hosts.iter().enumerate() {
            let shard = number * count / hosts.len();
            shards[host] = Some(shard as u8);
            load[shard] += 1;
            next.push_back(host);
        }
        // Breadth first from the hosts; what no host reaches follows at the end.
        let mut others = 0..stations;
        let mut known: Vec<bool> = shards.iter().map(Option::is_some).collect();
        while let Some(station) = next.pop_front().or_else(|| others.find(|&station| !known[station])) {
            known[station] = true;
            if shards[station].is_none() {
                let mut votes = vec![0_u64; count];
                neighbours[station]
                    .iter()
                    .filter_map(|&other| shards[other])
                    .for_each(|of| votes[usize::from(of)] += 1);
                let best =
                    (0..count).min_by_key(|&shard| (u64::MAX - votes[shard], load[shard])).expect("one at least");
                shards[station] = Some(best as u8);
                load[best] += neighbours[station].len() as u64;
            }
            for &other in &neighbours[station] {
                if !known[other] {
                    known[other] = true;
                    next.push_back(other);
                }
            }
        }
        let shards: Vec<u8> = shards.into_iter().map(|shard| shard.expect("every station has one")).collect();
        match lookahead(topology, &shards) {
            Some(Duration::ZERO) => alone(),
            lookahead => Self { shards, count, lookahead: lookahead.unwrap_or(alone().lookahead) },
        }
    }
}

fn neighbours(topology: &Topology) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); topology.stations.len()];
    for cable in &topology.cables {
        for [(from, _), (to, _)] in cable.directions() {
            neighbours[from].push(to);
        }
    }
    neighbours
}

/// The shortest time that a packet takes from one shard to another; `None` if no cable joins two.
fn lookahead(topology: &Topology, shards: &[u8]) -> Option<Duration> {
    let crossing = topology.cables.iter().filter(|cable| {
        let [(one, _), (other, _)] = cable.ends;
        shards[one] != shards[other]
    });
    crossing.map(|cable| cable.line.delay + cable.line.rate.time_of(u64::from(cable.line.framing))).min()
}
