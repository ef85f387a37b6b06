//! The routes of all VPCs.

use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind, MatchTable, TableEntry, Target};

use crate::configuration::{Configuration, MacAddress, Prefix, RouteTarget, number};

/// The next hop of packets to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// To a vNIC of this switch, by its position.
    Vnic(u32),
    /// To another switch through a tunnel.
    Endpoint {
        /// The address of the other switch's tunnel endpoint, as a number.
        address: u128,
        /// The destination Ethernet address of frames inside the tunnel.
        mac: MacAddress,
        /// The longest inner IP packet, in bytes.
        mtu: u32,
    },
    /// To the gateway itself.
    Gateway,
    /// To the back ends of load balancers with this address.
    Balancer,
    /// To the world outside, from an address of a pool.
    Nat {
        /// The position of the pool.
        nat: u32,
        /// The longest IP packet, in bytes.
        mtu: u32,
    },
    /// Nowhere.
    Blackhole,
}

/// The routes of all VPCs, of which the longest prefix decides.
///
/// Each IP version has a table of its own: as IPv4-mapped addresses of IPv6, those of IPv4 would have 96 bits in common, and
/// a look-up would go over all of these first.
#[derive(Clone, Debug)]
pub struct Routes {
    ipv4: Table,
    ipv6: Table,
}

/// The routes of one IP version.
#[derive(Clone, Debug)]
struct Table {
    table: MatchTable,
    /// The hop of each entry, by its handle.
    hops: Vec<Hop>,
}

impl Table {
    /// A table for addresses of so many bits.
    fn new(width: u32) -> Self {
        let fields = vec![KeyField { kind: MatchKind::Exact, width: 32 }, KeyField { kind: MatchKind::Lpm, width }];
        Self { table: MatchTable::new(fields, None), hops: Vec::new() }
    }

    fn add(&mut self, vpc: usize, (value, length): (Bits, u32), hop: Hop) {
        let key = vec![FieldMatch::Exact(Bits::from_u64(vpc as u64, 32)), FieldMatch::Prefix { value, length }];
        let target = Target::Action { action: 0, data: Vec::new() };
        if self.table.insert(TableEntry { key, priority: 0, target, is_constant: false }).is_ok() {
            // Handles count up from 0.
            self.hops.push(hop);
        }
    }

    fn find(&self, key: &[u64]) -> Option<Hop> {
        let entry = self.table.lookup_words(key)?;
        self.hops.get(entry.0 as usize).copied()
    }
}

impl Routes {
    /// Compiles the routes of a configuration: those that it lists, the addresses of its vNICs, and the gateways.
    pub fn of(configuration: &Configuration) -> Self {
        let mut routes = Self { ipv4: Table::new(32), ipv6: Table::new(128) };
        // What is added first stays, so an address of a vNIC wins over a route to it alone.
        for (position, vnic) in configuration.vnics.iter().enumerate() {
            for &address in &vnic.addresses {
                routes.add(vnic.vpc, Prefix::of_one(address), Hop::Vnic(position as u32));
            }
        }
        for (position, vpc) in configuration.vpcs.iter().enumerate() {
            for subnet in &vpc.subnets {
                routes.add(position, Prefix::of_one(subnet.gateway), Hop::Gateway);
            }
            for balancer in configuration.balancers.iter().filter(|balancer| balancer.vpc == position) {
                routes.add(position, Prefix::of_one(balancer.address), Hop::Balancer);
            }
            for route in &vpc.routes {
                let hop = match route.target {
                    RouteTarget::Blackhole => Hop::Blackhole,
                    RouteTarget::Nat(nat) => Hop::Nat { nat: nat as u32, mtu: route.mtu.unwrap_or(u32::MAX) },
                    RouteTarget::Endpoint { address, mac } => Hop::Endpoint {
                        address: number(address),
                        mac: mac.unwrap_or(vpc.gateway_mac),
                        mtu: configuration.tunnel_mtu(vpc.vni, address).min(route.mtu.unwrap_or(u32::MAX)),
                    },
                };
                routes.add(position, route.prefix, hop);
            }
        }
        routes
    }

    fn add(&mut self, vpc: usize, prefix: Prefix, hop: Hop) {
        match prefix.of_ipv4() {
            Some((address, length)) => {
                self.ipv4.add(vpc, (Bits::from_u64(address.into(), 32), length.into()), hop);
            }
            None => self.ipv6.add(vpc, (bits(prefix.number()), prefix.length().into()), hop),
        }
    }

    /// Returns where packets of a VPC to an address go.
    pub fn find(&self, vpc: u32, address: u128) -> Option<Hop> {
        match Prefix::OF_IPV4.has(address) {
            true => self.ipv4.find(&[vpc.into(), (address as u32).into()]),
            false => self.ipv6.find(&[vpc.into(), address as u64, (address >> 64) as u64]),
        }
    }
}

/// Returns a number of 128 bits as the tables have it.
pub(super) fn bits(number: u128) -> Bits {
    Bits::from_limbs(&[number as u64, (number >> 64) as u64], 128)
}
