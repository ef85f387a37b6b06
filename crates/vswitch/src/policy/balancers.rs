//! Load balancers by their addresses and ports.

use std::collections::BTreeMap;

use crate::balance::Balance;
use crate::configuration::{Configuration, number};
use crate::session::{FlowHasher, FlowKey};

/// The key of a load balancer: the VPC, the address, the protocol and the port.
type Service = (u32, u128, u8, u16);

/// The hash by which back ends are chosen. It is the same for every switch and every start, so that a connection that was there before
/// a switch was comes to the back end that it has. Who picks ports that lead to one back end puts load on its own VPC alone.
const CHOICE: FlowHasher = FlowHasher::new([0x706F_6C79_706C_616E, 0x6261_636B_2065_6E64]);

/// The load balancers of all VPCs.
#[derive(Clone, Debug)]
pub struct Balancers {
    by_service: BTreeMap<Service, Balancer>,
    /// The addresses and ports of the load balancers that have a back end, by what would be the service of that itself.
    of_back_end: BTreeMap<Service, Vec<(u128, u16)>>,
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
        let by_service: BTreeMap<Service, Balancer> = configuration.balancers.iter().map(balancer).collect();
        let mut of_back_end: BTreeMap<Service, Vec<(u128, u16)>> = BTreeMap::new();
        for (&(vpc, address, protocol, port), balancer) in &by_service {
            for (own, own_port) in &balancer.back_ends {
                of_back_end.entry((vpc, *own, protocol, *own_port)).or_default().push((address, port));
            }
        }
        Self { by_service, of_back_end }
    }

    /// Returns the keys of flows to load balancers whose replies may have a key, because its source is a back end of theirs.
    pub fn requests(&self, vpc: u32, reply: &FlowKey) -> impl Iterator<Item = FlowKey> {
        let [port, _] = reply.ports();
        let all = self.of_back_end.get(&(vpc, reply.source, reply.protocol(), port));
        all.into_iter().flatten().map(|(address, port)| reply.reversed().with_destination(*address, *port))
    }

    /// Returns the address and port of the back end of a session to a load balancer of a VPC; `None` if there is no such load balancer. A session that has a back end keeps it while that is there.
    pub fn choose(&self, vpc: u32, key: &FlowKey, kept: Option<(u128, u16)>) -> Option<(u128, u16)> {
        let [_, port] = key.ports();
        let balancer = self.by_service.get(&(vpc, key.destination, key.protocol(), port))?;
        let kept = kept.filter(|kept| balancer.back_ends.contains(kept));
        Some(kept.unwrap_or_else(|| balancer.back_ends[balancer.balance.choose(CHOICE.hash(key))]))
    }
}
