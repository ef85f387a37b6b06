//! What an operator says about a virtual switch. Everything refers to everything else by its position in its list.

mod encryption;
mod path;
mod prefix;
mod read;
mod reliable;
mod succession;
mod traffic;

use std::net::IpAddr;
use std::ops::RangeInclusive;

use basis::Duration;
use node::Port;

use crate::session::{SessionLimits, Timeouts};

pub use encryption::Encryption;
pub use path::PathOptions;
pub use prefix::Prefix;
pub use prefix::address;
pub(crate) use prefix::is_ipv4;
pub(crate) use prefix::number;
pub use read::{Reading, read};
pub use reliable::ReliableOptions;
pub use traffic::{Course, FlowLog, Limiter, Mirror, MirrorTarget};

/// An Ethernet address.
pub type MacAddress = [u8; 6];

/// The configuration of a virtual switch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// The side of the data centre's network; `None` for a switch whose vNICs reach only each other.
    pub underlay: Option<Underlay>,
    /// The virtual networks.
    pub vpcs: Vec<Vpc>,
    /// The virtual network cards of guests.
    pub vnics: Vec<Vnic>,
    /// The security groups.
    pub groups: Vec<SecurityGroup>,
    /// The pools of addresses for guests that speak to the world outside.
    pub nats: Vec<Nat>,
    /// The load balancers.
    pub balancers: Vec<LoadBalancer>,
    /// The limits of the rates of vNICs.
    pub limiters: Vec<Limiter>,
    /// The copies of packets of vNICs.
    pub mirrors: Vec<Mirror>,
    /// The encryption of tunnels, at most one of each VPC.
    pub encryptions: Vec<Encryption>,
    /// Which tunnels are reliable; `None` if none are.
    pub reliable: Option<ReliableOptions>,
    /// The records of flows; `None` if there are none.
    pub flow_log: Option<FlowLog>,
    /// The options of the path.
    pub path: PathOptions,
    /// How many sessions there may be.
    pub limits: SessionLimits,
    /// How long sessions without packets are kept.
    pub timeouts: Timeouts,
}

/// The side of the data centre's network.
#[derive(Clone, Debug, PartialEq)]
pub struct Underlay {
    /// The paths that lead to it, at least one. Flows are spread over those that are alive.
    pub paths: Vec<UnderlayPath>,
    /// The switch's own addresses there, at most one of each version: its tunnel endpoints.
    pub addresses: Vec<IpAddr>,
    /// The longest IP packet that the network carries, in bytes.
    pub mtu: u32,
    /// How routers are asked whether they are there.
    pub probes: Probes,
}

/// A path that leads to the data centre's network.
#[derive(Clone, Debug, PartialEq)]
pub struct UnderlayPath {
    /// The name of the interface.
    pub interface: String,
    /// The port that stands for the interface.
    pub port: Port,
    /// The switch's own Ethernet address there.
    pub mac: MacAddress,
    /// To whom packets go there.
    pub next_hop: NextHop,
}

/// To whom packets go on a path of the underlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextHop {
    /// All of them to one Ethernet address.
    Mac(MacAddress),
    /// All of them to a router, whose Ethernet address is resolved, and which is asked again and again whether it is there.
    Router(IpAddr),
    /// Each to its destination, whose Ethernet address is resolved.
    Neighbours,
}

/// How routers of the underlay are asked whether they are there: a path is dead when its router has not answered `count`
/// questions one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probes {
    /// The time between two questions; above 0.
    pub interval: Duration,
    /// The number of questions without an answer; at least 1.
    pub count: u32,
}

impl Default for Probes {
    fn default() -> Self {
        Self { interval: Duration::from_microseconds(1_000_000), count: 3 }
    }
}

/// A virtual network (VPC).
#[derive(Clone, Debug, PartialEq)]
pub struct Vpc {
    /// The name.
    pub name: String,
    /// The VXLAN network identifier, of 24 bits.
    pub vni: u32,
    /// The Ethernet address of the gateway, which every host of the network has for all others.
    pub gateway_mac: MacAddress,
    /// The subnets, each with the gateway's address in it.
    pub subnets: Vec<Subnet>,
    /// The routes to addresses that no vNIC of this switch has.
    pub routes: Vec<Route>,
}

/// A subnet of a VPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subnet {
    /// The addresses of the subnet.
    pub prefix: Prefix,
    /// The address of the gateway.
    pub gateway: IpAddr,
}

/// A route of a VPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The destinations.
    pub prefix: Prefix,
    /// The way that packets to them take.
    pub target: RouteTarget,
    /// The longest IP packet that the way to them carries, in bytes; `None` if only the underlay limits it.
    pub mtu: Option<u32>,
}

/// The place that a route leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteTarget {
    /// To another virtual switch, by its tunnel endpoint.
    Endpoint {
        /// The address of the endpoint.
        address: IpAddr,
        /// The Ethernet address that frames for it have inside the tunnel; `None` for the gateway's.
        mac: Option<MacAddress>,
    },
    /// To the world outside all VPCs, from an address of a pool, by its position.
    Nat(usize),
    /// Nowhere.
    Blackhole,
}

/// A pool of addresses and ports that guests have for the world outside (NAT44, and NAT66 with ports).
#[derive(Clone, Debug, PartialEq)]
pub struct Nat {
    /// The name.
    pub name: String,
    /// The addresses, by which the world reaches this switch.
    pub addresses: Vec<IpAddr>,
    /// The ports, and the identifiers of ICMP queries.
    pub ports: RangeInclusive<u16>,
}

/// A load balancer: sessions to one address and port go to one of several back ends.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadBalancer {
    /// The name.
    pub name: String,
    /// The VPC, by its position.
    pub vpc: usize,
    /// The address.
    pub address: IpAddr,
    /// The protocol, which has ports.
    pub protocol: u8,
    /// The port.
    pub port: u16,
    /// The back ends, of the same version as the address.
    pub back_ends: Vec<BackEnd>,
}

/// A back end of a load balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackEnd {
    /// Its address.
    pub address: IpAddr,
    /// Its port.
    pub port: u16,
    /// Its share of the sessions, in relation to the others; at least 1.
    pub weight: u32,
}

/// A virtual network card.
#[derive(Clone, Debug, PartialEq)]
pub struct Vnic {
    /// The name.
    pub name: String,
    /// The name of the interface that leads to the guest.
    pub interface: String,
    /// The port that stands for the interface.
    pub port: Port,
    /// The VPC, by its position.
    pub vpc: usize,
    /// The Ethernet address.
    pub mac: MacAddress,
    /// The IP addresses.
    pub addresses: Vec<IpAddr>,
    /// The security groups, by their positions. A vNIC without any accepts and may send everything.
    pub groups: Vec<usize>,
    /// The longest IP packet that the guest takes, in bytes.
    pub mtu: u32,
    /// How many sessions may begin, for those that the guest begins and for those that others begin to it, each apart.
    pub session_rate: SessionRate,
}

/// The rate at which sessions of a vNIC may begin. Packets that the rules refuse count as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionRate {
    /// The number of sessions per second; at least 1.
    pub per_second: u32,
    /// The number of sessions that may begin at once; at least 1.
    pub burst: u32,
}

impl SessionRate {
    /// Returns a rate with the burst that it has unless somebody wants another one: what comes in a tenth of a second.
    pub fn of(per_second: u32) -> Self {
        Self { per_second, burst: (per_second / 10).max(64) }
    }
}

impl Default for SessionRate {
    fn default() -> Self {
        Self::of(50_000)
    }
}

/// A security group: rules for the vNICs in it. What no rule of any of its groups allows to or from a vNIC is dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct SecurityGroup {
    /// The name.
    pub name: String,
    /// The rules.
    pub rules: Vec<SecurityRule>,
    /// Addresses that belong to the group although no vNIC of this switch has them.
    pub members: Vec<Prefix>,
}

/// A rule of a security group. It concerns the packet that begins a session; replies belong to the session.
#[derive(Clone, Debug, PartialEq)]
pub struct SecurityRule {
    /// Whether it concerns sessions that others begin, or those that the vNIC begins.
    pub direction: Direction,
    /// The protocol that IP carries; `None` for every protocol.
    pub protocol: Option<u8>,
    /// The destination ports, or the types of ICMP; `None` for all.
    pub ports: Option<RangeInclusive<u16>>,
    /// The other side.
    pub peer: Peer,
    /// The rule with the lowest number among those that match decides; among equal ones a denying rule does.
    pub priority: u16,
    /// Whether what matches is allowed.
    pub allows: bool,
}

/// The direction of a session as seen from a vNIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Others begin the session.
    In,
    /// The vNIC begins the session.
    Out,
}

/// The other side of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Everybody.
    Any,
    /// Whoever has one of these addresses.
    Prefix(Prefix),
    /// The members of a security group, by its position.
    Group(usize),
}

impl Configuration {
    /// Returns the longest IP packet that a tunnel with a VXLAN network identifier to an endpoint carries: that of the underlay
    /// without the outer headers, those of encryption and of reliable tunnels, and the inner Ethernet header (RFC 7348, section 4.3).
    pub(crate) fn tunnel_mtu(&self, vni: u32, endpoint: IpAddr) -> u32 {
        let mtu = self.underlay.as_ref().map_or(0, |underlay| underlay.mtu);
        let room = mtu.saturating_sub(if endpoint.is_ipv4() { 20 } else { 40 });
        let is_encrypted = self.encryptions.iter().any(|encryption| encryption.vni == vni);
        let datagram = if is_encrypted { crate::encryption::longest_datagram(room) } else { room };
        let is_reliable = self.reliable.as_ref().is_some_and(|options| options.endpoints.contains(&endpoint));
        let front = if is_reliable { crate::reliable::FRONT as u32 } else { 0 };
        // UDP, VXLAN, Ethernet.
        datagram.saturating_sub(8 + 8 + 14 + front)
    }
}

impl Route {
    /// Returns the tunnel endpoint that the route leads to, if it leads to one.
    pub fn endpoint(&self) -> Option<IpAddr> {
        match self.target {
            RouteTarget::Endpoint { address, .. } => Some(address),
            RouteTarget::Nat(_) | RouteTarget::Blackhole => None,
        }
    }
}

impl Configuration {
    /// Returns the underlay and the position of its path at a port, if one is there.
    pub(crate) fn underlay_at(&self, port: Port) -> Option<(&Underlay, usize)> {
        let underlay = self.underlay.as_ref()?;
        Some((underlay, underlay.paths.iter().position(|path| path.port == port)?))
    }
}

impl Underlay {
    /// Returns the switch's own address of the same version as another one.
    pub(crate) fn own(&self, other: IpAddr) -> Option<IpAddr> {
        self.addresses.iter().copied().find(|own| own.is_ipv4() == other.is_ipv4())
    }
}
