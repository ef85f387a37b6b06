//! The assignment of stations to shards.

use std::collections::VecDeque;

use basis::Duration;

use crate::topology::{Role, Topology};

/// A network split into shards.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    /// The shard of each station.
    pub shards: Vec<u8>,
    /// The number of shards; each has at least one station.
    pub count: usize,
    /// The shortest time in which an event in one shard can affect another.
    pub lookahead: Duration,
}

impl Partition {
    /// Puts all stations into one shard.
    pub fn alone(stations: usize) -> Self {
        Self { shards: vec![0; stations], count: 1, lookahead: Duration::from_picoseconds(u64::MAX) }
    }

    /// Splits a network into at most `wanted` shards with about the same load.
    ///
    /// Hosts are split by their numbers, which follow pods and racks. A switch goes to the shard that most of its
    /// neighbours nearer to the hosts belong to and, of equals, to the one with the least load. A network that would
    /// be split at a link without delay and without framing stays in one shard, because a split would be useless.
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
        // Breadth first from the hosts; stations that no host reaches follow at the end.
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
                    (0..count).min_by_key(|&shard| (u64::MAX - votes[shard], load[shard])).expect("`count` is not 0");
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

/// Returns the shortest time of a packet from one shard to another, or `None` if no cable connects two shards.
fn lookahead(topology: &Topology, shards: &[u8]) -> Option<Duration> {
    let crossing = topology.cables.iter().filter(|cable| {
        let [(one, _), (other, _)] = cable.ends;
        shards[one] != shards[other]
    });
    crossing.map(|cable| cable.link.delay + cable.link.rate.time_of(u64::from(cable.link.framing))).min()
}
