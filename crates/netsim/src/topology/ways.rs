//! The paths that packets take through a topology.

use basis::Duration;

use super::{CableProperties, Role, Topology};

/// The length in bytes of the smallest packet of a transport, such as an acknowledgement.
const SMALL: u64 = 64;

/// A look-up table of the stations behind each port.
pub(super) struct Ways<'t> {
    topology: &'t Topology,
    /// By station and port: the station at the other end, the port there, and the cable.
    behind: Vec<Vec<Option<(usize, u16, CableProperties)>>>,
}

impl<'t> Ways<'t> {
    /// Returns the table of a topology, all of whose cables must end at existing stations.
    pub(super) fn new(topology: &'t Topology) -> Self {
        let mut behind = vec![Vec::new(); topology.stations.len()];
        for cable in &topology.cables {
            let [one, other] = cable.ends;
            for ((from, port), (to, to_port)) in [(one, other), (other, one)] {
                let ports: &mut Vec<_> = &mut behind[from];
                if ports.len() <= usize::from(port) {
                    ports.resize(usize::from(port) + 1, None);
                }
                ports[usize::from(port)] = Some((to, to_port, cable.link));
            }
        }
        Self { topology, behind }
    }

    /// Returns the station at the other end of a port's cable, and the cable.
    pub(super) fn behind(&self, station: usize, port: u16) -> Option<(usize, CableProperties)> {
        self.end_behind(station, port).map(|(next, _, link)| (next, link))
    }

    /// Returns the station at the other end of a port's cable, the port there, and the cable.
    pub(super) fn end_behind(&self, station: usize, port: u16) -> Option<(usize, u16, CableProperties)> {
        self.behind[station].get(usize::from(port)).copied().flatten()
    }

    /// Returns true if a station has exactly one cable, at port 0.
    pub(super) fn has_one_cable(&self, station: usize) -> bool {
        matches!(self.behind[station][..], [Some(_)])
    }

    /// Returns the ports by which a station sends packets to an address; all are equally good.
    pub(super) fn ports(&self, station: usize, address: u32) -> &'t [u16] {
        match &self.topology.stations[station].role {
            Role::Host { .. } => &[0],
            Role::Switch(plan) => {
                let fits = plan.routes.iter().filter(|route| covers(route.prefix, route.length, address));
                // Of two routes with the same prefix the later one applies, and `max_by_key` returns the last.
                fits.max_by_key(|route| route.length).map_or(&[], |route| &route.ports)
            }
        }
    }

    /// Returns the cables from one host to another, always by the first of equally good ports, or `None` if there is
    /// no path.
    fn cables(&self, from: usize, to: usize) -> Option<Vec<CableProperties>> {
        let Role::Host { address, .. } = self.topology.stations.get(to)?.role else { return None };
        let (mut at, mut cables) = (from, Vec::new());
        while at != to {
            let &port = self.ports(at, address).first()?;
            let (next, link) = self.behind(at, port)?;
            cables.push(link);
            at = next;
            if cables.len() > self.topology.stations.len() {
                return None;
            }
        }
        Some(cables)
    }
}

/// Returns true if an address is in a prefix.
pub(super) fn covers(prefix: u32, length: u8, address: u32) -> bool {
    (address ^ prefix).checked_shr(32 - u32::from(length)).unwrap_or(0) == 0
}

impl Topology {
    /// Returns how long a packet of `bytes` takes from one host to another through empty store-and-forward switches,
    /// plus the time that a packet of 64 bytes takes back. Hosts are given as indices into [`Topology::stations`]. Of
    /// equally good ports, the first is taken. Returns `None` if there is no path.
    pub fn base_round_trip(&self, from: usize, to: usize, bytes: u64) -> Option<Duration> {
        let ways = Ways::new(self);
        let time = |cables: Vec<CableProperties>, bytes: u64| {
            let hop = |link: CableProperties| link.rate.time_of(bytes + u64::from(link.framing)) + link.delay;
            cables.into_iter().map(hop).fold(Duration::ZERO, |sum, hop| sum + hop)
        };
        Some(time(ways.cables(from, to)?, bytes) + time(ways.cables(to, from)?, SMALL))
    }
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn prefixes_cover_addresses_that_share_their_bits() {
        assert!(covers(0, 0, u32::MAX));
        assert!(covers(0x0A01_0000, 16, 0x0A01_FFFF));
        assert!(!covers(0x0A01_0000, 16, 0x0A02_0000));
        assert!(covers(7, 32, 7) && !covers(7, 32, 6));
    }
}
