//! Shortest paths, by breadth-first search from the destinations.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use crate::topology::ways::Ways;
use crate::topology::{Role, Route, Topology};

/// The distance of stations that cannot be reached.
const UNREACHED: u32 = u32::MAX;

/// Adds routes to every host, and sets the numbers by which hosts choose paths.
pub(super) fn add(topology: &mut Topology) {
    let neighbours = neighbours(topology);
    let is_switch: Vec<bool> =
        topology.stations.iter().map(|station| matches!(station.role, Role::Switch(_))).collect();
    let tiers = distances(&neighbours, &is_switch, (0..is_switch.len()).filter(|&station| !is_switch[station]));
    // Hosts at the same switch share a search.
    let mut by_switch: BTreeMap<usize, Vec<(u32, u16)>> = BTreeMap::new();
    for station in (0..is_switch.len()).filter(|&station| !is_switch[station]) {
        let Role::Host { address, .. } = topology.stations[station].role else { continue };
        for &(_, switch, at_switch) in &neighbours[station] {
            by_switch.entry(switch).or_default().push((address, at_switch));
        }
    }
    // By tier: the greatest number of equally good ports.
    let mut choices: Vec<u32> = Vec::new();
    for (&target, hosts) in &by_switch {
        let distance = distances(&neighbours, &is_switch, std::iter::once(target));
        for (station, plan) in topology.stations.iter_mut().enumerate() {
            let Role::Switch(switch) = &mut plan.role else { continue };
            if station == target {
                let own = |&(prefix, port): &(u32, u16)| Route { prefix, length: 32, ports: vec![port] };
                switch.routes.extend(hosts.iter().map(own));
                continue;
            }
            if distance[station] == UNREACHED {
                continue;
            }
            let is_nearer = |next: usize| is_switch[next] && distance[next] + 1 == distance[station];
            let nearer = neighbours[station].iter().filter(|&&(_, next, _)| is_nearer(next));
            let ports: Vec<u16> = nearer.map(|&(port, ..)| port).collect();
            let tier = tiers[station].saturating_sub(1) as usize;
            choices.resize(choices.len().max(tier + 1), 1);
            choices[tier] = choices[tier].max(ports.len() as u32);
            let route = |&(prefix, _): &(u32, u16)| Route { prefix, length: 32, ports: ports.clone() };
            switch.routes.extend(hosts.iter().map(route));
        }
    }
    let product = |choices: &[u32]| choices.iter().fold(1_u32, |product, &choice| product.saturating_mul(choice));
    for (station, tier) in topology.stations.iter_mut().zip(tiers) {
        match &mut station.role {
            Role::Host { paths, .. } => *paths = product(&choices),
            Role::Switch(switch) => {
                let below = tier.saturating_sub(1);
                switch.tier = u8::try_from(below).unwrap_or(u8::MAX);
                switch.path_divisor = product(&choices[..choices.len().min(below as usize)]);
            }
        }
    }
}

/// By station: each port, the station behind it, and the port there.
type Neighbours = Vec<Vec<(u16, usize, u16)>>;

fn neighbours(topology: &Topology) -> Neighbours {
    let mut neighbours = vec![Vec::new(); topology.stations.len()];
    for cable in &topology.cables {
        let [one, other] = cable.ends;
        neighbours[one.0].push((one.1, other.0, other.1));
        neighbours[other.0].push((other.1, one.0, one.1));
    }
    neighbours
}

/// Returns the distance of every station from the nearest of `from`, in cables; only switches forward.
fn distances(neighbours: &Neighbours, is_switch: &[bool], from: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut distance = vec![UNREACHED; neighbours.len()];
    let mut next: VecDeque<usize> = from.collect();
    for &station in &next {
        distance[station] = 0;
    }
    while let Some(station) = next.pop_front() {
        for &(_, neighbour, _) in &neighbours[station] {
            if distance[neighbour] == UNREACHED && is_switch[neighbour] {
                distance[neighbour] = distance[station] + 1;
                next.push_back(neighbour);
            }
        }
    }
    distance
}

/// Returns the first host and one that it cannot reach, if there is one.
pub(super) fn unreached(topology: &Topology) -> Option<(usize, usize)> {
    let neighbours = neighbours(topology);
    let is_switch: Vec<bool> =
        topology.stations.iter().map(|station| matches!(station.role, Role::Switch(_))).collect();
    let mut hosts = (0..is_switch.len()).filter(|&station| !is_switch[station]);
    let first = hosts.next()?;
    let distance = distances(&neighbours, &is_switch, std::iter::once(first));
    let ways = Ways::new(topology);
    let reaches = |host: usize| ways.behind(host, 0).is_some_and(|(switch, _)| distance[switch] != UNREACHED);
    hosts.find(|&host| !reaches(host)).map(|host| (first, host))
}
