//! The validity of a topology: cables, addresses, and a path from each host to every other.

use std::collections::BTreeMap;

use super::ways::Ways;
use super::{Role, Topology};

/// The number of destinations to which all paths are followed in a large topology.
const MOST_WALKED: usize = 64;

impl Topology {
    /// Returns a sentence for everything that is wrong with the topology; an empty list if it is valid.
    ///
    /// Hosts must come first, have one port each, and addresses of their own. No port may have two cables. Routes must
    /// lead to ports with cables. Every path from any host must end at its destination, whichever of equally good
    /// ports are taken: in a topology of more than 1024 hosts this is checked for 64 destinations, spread evenly.
    pub fn verify(&self) -> Vec<String> {
        let mut found = self.verify_cables();
        if !found.is_empty() {
            // Paths along missing cables cannot be followed.
            return found;
        }
        let ways = Ways::new(self);
        self.verify_stations(&ways, &mut found);
        let hosts = self.stations.iter().filter(|station| matches!(station.role, Role::Host { .. })).count();
        let step = if hosts > 1024 { hosts / MOST_WALKED } else { 1 };
        for destination in (0..hosts).step_by(step) {
            if let Err(finding) = self.walk(&ways, destination) {
                found.push(finding);
            }
        }
        found
    }

    fn verify_cables(&self) -> Vec<String> {
        let (mut found, mut ends) = (Vec::new(), BTreeMap::new());
        for (number, cable) in self.cables.iter().enumerate() {
            for (station, port) in cable.ends {
                if station >= self.stations.len() {
                    found.push(format!("cable {number} ends at station {station}, which does not exist"));
                } else if let Some(other) = ends.insert((station, port), number) {
                    let name = &self.stations[station].name;
                    found.push(format!("port {port} of `{name}` has two cables, {other} and {number}"));
                }
            }
        }
        found
    }

    fn verify_stations(&self, ways: &Ways, found: &mut Vec<String>) {
        let (mut addresses, mut switch_before) = (BTreeMap::new(), None);
        for (station, plan) in self.stations.iter().enumerate() {
            let name = &plan.name;
            match &plan.role {
                Role::Host { address, paths } => {
                    if let Some(switch) = switch_before {
                        found.push(format!("host `{name}` comes after switch `{switch}`"));
                    }
                    if !ways.has_one_cable(station) {
                        found.push(format!("host `{name}` must have exactly one cable, at port 0"));
                    }
                    if let Some(other) = addresses.insert(address, name) {
                        found.push(format!("hosts `{other}` and `{name}` have the same address"));
                    }
                    if *paths == 0 {
                        found.push(format!("host `{name}` has no paths"));
                    }
                }
                Role::Switch(switch) => {
                    switch_before = Some(name);
                    for route in &switch.routes {
                        let (prefix, length) = (std::net::Ipv4Addr::from(route.prefix), route.length);
                        let rest = route.prefix.checked_shl(length.into()).unwrap_or(0);
                        if length > 32 || rest != 0 {
                            found.push(format!("`{name}` has a route to {prefix}/{length}, which is not a prefix"));
                        }
                        if route.ports.is_empty() || route.ports.iter().any(|&p| ways.behind(station, p).is_none()) {
                            found.push(format!("`{name}` has a route to {prefix}/{length} by a port without a cable"));
                        }
                    }
                }
            }
        }
    }

    /// Follows all paths from all hosts to one.
    fn walk(&self, ways: &Ways, destination: usize) -> Result<(), String> {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            No,
            OnTheWay,
            Arrives,
        }
        let Role::Host { address, .. } = self.stations[destination].role else { return Ok(()) };
        let to = &self.stations[destination].name;
        let mut seen = vec![Seen::No; self.stations.len()];
        seen[destination] = Seen::Arrives;
        // The stations on the present path, each with the number of its ports that are done.
        let mut way: Vec<(usize, usize)> = Vec::new();
        for (host, _) in self.stations.iter().enumerate().filter(|(_, plan)| matches!(plan.role, Role::Host { .. })) {
            if seen[host] == Seen::No {
                seen[host] = Seen::OnTheWay;
                way.push((host, 0));
            }
            while let Some((at, done)) = way.last_mut() {
                let (at, ports) = (*at, ways.ports(*at, address));
                let name = &self.stations[at].name;
                let Some(&port) = ports.get(*done) else {
                    if ports.is_empty() {
                        return Err(format!("`{name}` has no route to `{to}`"));
                    }
                    seen[at] = Seen::Arrives;
                    way.pop();
                    continue;
                };
                *done += 1;
                let Some((next, _)) = ways.behind(at, port) else {
                    return Err(format!("`{name}` sends packets for `{to}` to port {port}, which has no cable"));
                };
                let is_switch = matches!(self.stations[next].role, Role::Switch(_));
                match seen[next] {
                    Seen::Arrives if is_switch || next == destination => {}
                    Seen::No if is_switch => {
                        seen[next] = Seen::OnTheWay;
                        way.push((next, 0));
                    }
                    Seen::OnTheWay if is_switch => {
                        return Err(format!("packets to `{to}` loop at `{}`", self.stations[next].name));
                    }
                    _ => return Err(format!("packets to `{to}` reach host `{}`", self.stations[next].name)),
                }
            }
        }
        Ok(())
    }
}
