//! A configuration in the place of another one, while sessions refer to both by positions.

use std::collections::{BTreeMap, BTreeSet};

use node::Port;

use super::{Configuration, MirrorTarget, SessionRate, Vnic, Vpc};

impl Vnic {
    /// The place of a vNIC that is gone, which keeps its number as long as sessions may refer to it.
    pub(crate) fn vacant() -> Self {
        Self {
            name: String::new(),
            interface: String::new(),
            port: Port(u16::MAX),
            vpc: 0,
            mac: [0; 6],
            addresses: Vec::new(),
            groups: Vec::new(),
            mtu: 0,
            session_rate: SessionRate::default(),
        }
    }

    /// Returns true if there is no vNIC here any more.
    pub fn is_vacant(&self) -> bool {
        self.name.is_empty()
    }
}

impl Vpc {
    /// The place of a VPC that is gone, which keeps its number as long as sessions may refer to it.
    fn vacant(vni: u32, gateway_mac: super::MacAddress) -> Self {
        Self { name: String::new(), vni, gateway_mac, subnets: Vec::new(), routes: Vec::new() }
    }

    /// Returns true if there is no VPC here any more.
    pub fn is_vacant(&self) -> bool {
        self.name.is_empty()
    }
}

impl Configuration {
    /// Returns the configuration with everything that sessions refer to by a position at the position that it has in an
    /// earlier one: vNICs of the same name, VPCs of the same VXLAN network identifier. What is gone leaves a vacant place, and
    /// what is new stands behind; if no session refers to vacant places any more, `may_reuse` lets it have those. Interfaces
    /// keep their ports.
    pub fn succeeding(mut self, earlier: &Configuration, may_reuse: bool) -> Configuration {
        let vacant_vpcs = earlier.vpcs.iter().map(|vpc| Vpc::vacant(vpc.vni, vpc.gateway_mac)).collect();
        let is_vacant_vpc = |position: usize| earlier.vpcs.get(position).is_some_and(Vpc::is_vacant);
        let place = |vpc: &Vpc| earlier.vpcs.iter().position(|own| own.vni == vpc.vni);
        let vpcs = std::mem::take(&mut self.vpcs);
        let (vpcs, of_vpcs) = placed(vpcs, vacant_vpcs, place, |at| may_reuse && is_vacant_vpc(at));
        let vacant_vnics = earlier.vnics.iter().map(|_| Vnic::vacant()).collect();
        let is_vacant_vnic = |position: usize| earlier.vnics.get(position).is_some_and(Vnic::is_vacant);
        let place = |vnic: &Vnic| earlier.vnics.iter().position(|own| own.name == vnic.name);
        let vnics = std::mem::take(&mut self.vnics);
        let (vnics, of_vnics) = placed(vnics, vacant_vnics, place, |at| may_reuse && is_vacant_vnic(at));
        (self.vpcs, self.vnics) = (vpcs, vnics);
        self.vnics.iter_mut().filter(|vnic| !vnic.is_vacant()).for_each(|vnic| vnic.vpc = of_vpcs[vnic.vpc]);
        self.balancers.iter_mut().for_each(|balancer| balancer.vpc = of_vpcs[balancer.vpc]);
        self.limiters.iter_mut().for_each(|limiter| limiter.vnic = of_vnics[limiter.vnic]);
        for mirror in &mut self.mirrors {
            mirror.vnic = of_vnics[mirror.vnic];
            if let MirrorTarget::Vnic(vnic) = &mut mirror.target {
                *vnic = of_vnics[*vnic];
            }
        }
        if let Some(vnics) = self.flow_log.as_mut().and_then(|log| log.vnics.as_mut()) {
            vnics.iter_mut().for_each(|vnic| *vnic = of_vnics[*vnic]);
        }
        self.keep_ports(earlier);
        self
    }

    /// Gives interfaces the ports that they have in an earlier configuration, and others ports that are free in both.
    fn keep_ports(&mut self, earlier: &Configuration) {
        let ports: BTreeMap<&str, Port> = earlier.interfaces().collect();
        let mut taken: BTreeSet<u16> = ports.values().map(|port| port.0).collect();
        let mut number = |interface: &str, wanted: Port| {
            ports.get(interface).copied().unwrap_or_else(|| {
                let mut numbers = std::iter::once(wanted.0).chain(0..u16::MAX);
                let free = numbers.find(|number| !taken.contains(number)).unwrap_or(u16::MAX);
                taken.insert(free);
                Port(free)
            })
        };
        for vnic in self.vnics.iter_mut().filter(|vnic| !vnic.is_vacant()) {
            vnic.port = number(&vnic.interface, vnic.port);
        }
        for path in self.underlay.iter_mut().flat_map(|underlay| &mut underlay.paths) {
            path.port = number(&path.interface, path.port);
        }
    }

    /// Returns the names of all interfaces, each with its port: of the vNICs, and of the underlay.
    pub fn interfaces(&self) -> impl Iterator<Item = (&str, Port)> {
        let of_vnics = self.vnics.iter().filter(|vnic| !vnic.is_vacant());
        let of_vnics = of_vnics.map(|vnic| (vnic.interface.as_str(), vnic.port));
        let paths = self.underlay.iter().flat_map(|underlay| &underlay.paths);
        of_vnics.chain(paths.map(|path| (path.interface.as_str(), path.port)))
    }
}

/// Puts things into places, of which all are vacant: each into that which `place` gives it, or into one that `is_free`, or
/// behind them. Returns the places, and the position of each thing in them.
fn placed<T>(
    things: Vec<T>,
    mut places: Vec<T>,
    place: impl Fn(&T) -> Option<usize>,
    is_free: impl Fn(usize) -> bool,
) -> (Vec<T>, Vec<usize>) {
    let wanted: Vec<Option<usize>> = things.iter().map(place).collect();
    let taken: BTreeSet<usize> = wanted.iter().copied().flatten().collect();
    let mut free = (0..places.len()).filter(|at| is_free(*at) && !taken.contains(at)).collect::<Vec<_>>().into_iter();
    let mut positions = Vec::with_capacity(things.len());
    for (thing, wanted) in things.into_iter().zip(wanted) {
        match wanted.or_else(|| free.next()) {
            Some(at) => {
                places[at] = thing;
                positions.push(at);
            }
            None => {
                positions.push(places.len());
                places.push(thing);
            }
        }
    }
    (places, positions)
}
