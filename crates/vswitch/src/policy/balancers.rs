//! Load balancers by their addresses and ports.

use std::collections::BTreeMap;

use crate::balance::Balance;
use crate::configuration::{Configuration, number};
use crate::session::FlowKey;

/// The key of a load balancer: the VPC, the address, the protocol and the port.
type Service = (u32, u128, u8, u16);

/// The load balancers of all VPCs.
#[derive(Clone, Debug)]
pub struct Balancers {
    by_service: BTreeMap<Service, Balancer>,
}

#[derive(Clone, Debug)]
struct Balancer {
    /// The address and the port of each back end.
    back_ends: Vec<(u128, u16)>,
    balance: Balance,
}

impl Balancers {
    /// Compiles the load balancers of a configuration.
    pub fn of(configuration: &Configuration) -> Self {
        let balancer = |balancer: &crate::configuration::LoadBalancer| {
            let service = (balancer.vpc as u32, number(balancer.address), balancer.protocol, balancer.port);
            let back_ends: Vec<(u128, u16)> =
                balancer.back_ends.iter().map(|back_end| (number(back_end.address), back_end.port)).collect();
            // A back end keeps its place in the table as long as it has its address and port.
            let name = |(address, port): (u128, u16)| {
                basis::mix(basis::mix((address >> 64) as u64) ^ address as u64) ^ u64::from(port)
            };
            let named: Vec<(u64, u32)> = back_ends
                .iter()
                .zip(&balancer.back_ends)
                .map(|(place, back_end)| (name(*place), back_end.weight))
                .collect();
            (service, Balancer { back_ends, balance: Balance::new(&named) })
        };
        Self { by_service: configuration.balancers.iter().map(balancer).collect() }
    }

    /// Returns the address and port of the back end of a session to a load balancer of a VPC, given a hash of its key; `None`
    /// if there is no such load balancer. A session that has a back end keeps it while that is there.
    pub fn choose(&self, vpc: u32, key: &FlowKey, hash: u64, kept: Option<(u128, u16)>) -> Option<(u128, u16)> {
        let [_, port] = key.ports();
        let balancer = self.by_service.get(&(vpc, key.destination, key.protocol(), port))?;
        let kept = kept.filter(|kept| balancer.back_ends.contains(kept));
        Some(kept.unwrap_or_else(|| balancer.back_ends[balancer.balance.choose(hash)]))
    }
}
