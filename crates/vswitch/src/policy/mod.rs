//! The policy tables, and what they say about a session: the slow path (Triton, section 2.2).

mod anew;
mod balancers;
mod decide;
mod routes;
mod security;
mod services;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::configuration::{Configuration, Subnet, address, number};
use crate::session::FlowKey;
use balancers::Balancers;
use routes::Routes;
use security::Security;
use services::Services;

pub use anew::Known;
pub use decide::{Asked, Decided, Denied, Origin, Step};
pub use routes::Hop;
pub use security::{RuleId, Ruled};

/// The policy tables of a configuration. They do not change; another configuration has others, of another epoch.
#[derive(Clone, Debug)]
pub struct Policy {
    configuration: Configuration,
    epoch: u32,
    routes: Routes,
    security: Security,
    /// The position of the VPC of each VXLAN network identifier.
    vpcs: BTreeMap<u32, u32>,
    /// The position of the vNIC of each port.
    vnics: BTreeMap<u16, u32>,
    balancers: Balancers,
    services: Services,
    /// The addresses of pools, as numbers.
    outside: BTreeSet<u128>,
    /// The tunnel endpoints that routes of each VPC have.
    endpoints: BTreeSet<(u32, u128)>,
    /// All tunnel endpoints, and those of this switch.
    switches: BTreeSet<u128>,
}

impl Policy {
    /// Compiles the tables of a configuration. Sessions that were decided by tables of another epoch are decided anew.
    pub fn of(configuration: Configuration, epoch: u32) -> Self {
        let numbered = |position: usize| position as u32;
        let vpcs = configuration.vpcs.iter().enumerate().map(|(at, vpc)| (vpc.vni, numbered(at))).collect();
        let vnics = configuration.vnics.iter().enumerate().filter(|(_, vnic)| !vnic.is_vacant());
        let vnics = vnics.map(|(at, vnic)| (vnic.port.0, numbered(at))).collect();
        let endpoints = configuration.vpcs.iter().enumerate().flat_map(|(at, vpc)| {
            vpc.routes.iter().filter_map(move |route| Some((numbered(at), number(route.endpoint()?))))
        });
        let endpoints: BTreeSet<(u32, u128)> = endpoints.collect();
        let own =
            configuration.underlay.iter().flat_map(|underlay| &underlay.addresses).map(|address| number(*address));
        Self {
            epoch,
            switches: endpoints.iter().map(|(_, endpoint)| *endpoint).chain(own).collect(),
            routes: Routes::of(&configuration),
            security: Security::of(&configuration),
            balancers: Balancers::of(&configuration),
            services: Services::of(&configuration),
            outside: configuration.nats.iter().flat_map(|nat| &nat.addresses).map(|address| number(*address)).collect(),
            vpcs,
            vnics,
            endpoints,
            configuration,
        }
    }

    /// Compiles the tables of a configuration that takes the place of the one of these. vNICs and VPCs keep their positions;
    /// `may_reuse` says that no session refers to places of vNICs and VPCs that are gone.
    pub fn succeeded_by(&self, configuration: Configuration, may_reuse: bool) -> Self {
        Self::of(configuration.succeeding(&self.configuration, may_reuse), self.epoch.wrapping_add(1))
    }

    /// Returns the configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Returns the number of these tables.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Returns true if what tables of an epoch have decided about a session holds for its next packet.
    pub fn still_holds(&self, epoch: u32) -> bool {
        epoch == self.epoch && !self.configuration.path.decide_each_packet
    }

    /// Returns the position of the VPC with a VXLAN network identifier.
    pub fn vpc(&self, vni: u32) -> Option<u32> {
        self.vpcs.get(&vni).copied()
    }

    /// Returns the position of the vNIC at a port.
    pub fn vnic_at(&self, port: u16) -> Option<u32> {
        self.vnics.get(&port).copied()
    }

    /// Returns true if a route of a VPC leads to a tunnel endpoint, so that packets of the VPC may come from it.
    pub fn knows_endpoint(&self, vpc: u32, endpoint: u128) -> bool {
        self.endpoints.contains(&(vpc, endpoint))
    }

    /// Returns true if there is any pool.
    pub fn has_outside(&self) -> bool {
        !self.outside.is_empty()
    }

    /// Returns true if an address is one of a pool, by which the world outside reaches guests.
    pub fn is_outside(&self, address: u128) -> bool {
        self.outside.contains(&address)
    }

    /// Returns where packets of a VPC to an address go. What no router forwards goes nowhere, whatever route there is, and through
    /// a pool goes neither what is for the subnets of the VPC nor what is for switches: a guest could speak for them there.
    pub fn hop(&self, vpc: u32, to: u128) -> Option<Hop> {
        let hop = self.routes.find(vpc, to)?;
        let forwards = match hop {
            Hop::Vnic(_) | Hop::Gateway | Hop::Balancer | Hop::Blackhole => true,
            Hop::Endpoint { .. } => !is_never_forwarded(address(to)),
            Hop::Nat { .. } => {
                let is_inside = self.subnet(vpc, to).is_some() || self.switches.contains(&to);
                !is_inside && !is_never_forwarded(address(to)) && !is_ipv4_link_local(address(to))
            }
        };
        forwards.then_some(hop)
    }

    /// Returns true if an address is one of this switch's own in a VPC: of a vNIC, a gateway or a load balancer, or one that nobody
    /// has but for oneself.
    pub fn is_here(&self, vpc: u32, own: u128) -> bool {
        let hop = self.routes.find(vpc, own);
        matches!(hop, Some(Hop::Vnic(_) | Hop::Gateway | Hop::Balancer)) || is_never_forwarded(address(own))
    }

    /// Returns the subnet of a VPC in which an address lies.
    fn subnet(&self, vpc: u32, address: u128) -> Option<&Subnet> {
        let subnets = &self.configuration.vpcs[vpc as usize].subnets;
        subnets.iter().find(|subnet| subnet.prefix.has(address))
    }

    /// Returns the key of a flow of a VPC as its receiver sees it, if that is a back end that a load balancer chooses by a hash; else
    /// the key itself.
    pub fn balanced(&self, vpc: u32, key: &FlowKey) -> FlowKey {
        match self.balancers.choose(vpc, key, None) {
            Some((address, port)) => key.with_destination(address, port),
            None => *key,
        }
    }

    /// Returns the keys of flows to load balancers of a VPC whose replies may have a key, because its source is a back end of theirs.
    pub fn requests(&self, vpc: u32, reply: &FlowKey) -> impl Iterator<Item = FlowKey> {
        self.balancers.requests(vpc, reply)
    }

    /// Returns the key of a flow with the VXLAN network identifier of a VPC in it.
    pub fn vni(&self, vpc: u32) -> u32 {
        self.configuration.vpcs[vpc as usize].vni
    }

    /// Returns true if both addresses lie in one subnet of a VPC: then no router lies between them.
    fn is_one_subnet(&self, vpc: u32, key: &FlowKey) -> bool {
        let [source, destination] = key.addresses();
        let subnets = &self.configuration.vpcs[vpc as usize].subnets;
        subnets.iter().any(|subnet| subnet.prefix.contains(source) && subnet.prefix.contains(destination))
    }
}

/// Returns true if no router forwards packets to or from an address: RFC 1122, section 3.2.1.3, RFC 1112, section 4, and RFC 4291, sections
/// 2.5.2, 2.5.3 and 2.5.6. Broadcasts are among the addresses that were reserved.
fn is_never_forwarded(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => matches!(address.octets()[0], 0 | 127 | 240..),
        IpAddr::V6(address) => address.is_unspecified() || address.is_loopback() || address.is_unicast_link_local(),
    }
}

/// Returns true for what no router forwards either (RFC 3927, section 2.7), unless a network has a service there, as clouds do at
/// 169.254.169.254.
fn is_ipv4_link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V4(address) if address.is_link_local())
}
