//! The fat tree of Al-Fares, Loukissas and Vahdat (SIGCOMM 2008): three tiers of switches of k ports.

use super::builder::{Builder, NETWORK};
use super::impossible::within;
use super::{CableProperties, Impossible, Topology};

/// The plan of a fat tree.
///
/// There are k pods of k/2 edge and k/2 aggregation switches, and (k/2)^2 core switches. Host `h` at edge switch `e`
/// of pod `p`, all from 0, has address 10.p.e.(h + 1). Path `n` goes up by aggregation switch `n % (k/2)` and its
/// uplink `n / (k/2)`; there is one path down.
///
/// Routes are aggregated: an edge switch knows its hosts, and an aggregation switch knows the networks 10.p.e.0/24 of
/// its pod; both send everything else up. A core switch knows the networks 10.p.0.0/16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTree {
    /// The number of pods, and of ports of each switch without oversubscription; even, 2 to 64.
    pub k: u32,
    /// The ratio of the hosts at an edge switch to its k/2 uplinks; 1 means no oversubscription. There are at most 250
    /// hosts at an edge switch.
    pub oversubscription: u32,
    /// The cable of each host.
    pub host_link: CableProperties,
    /// Each cable between an edge and an aggregation switch.
    pub edge_link: CableProperties,
    /// Each cable between an aggregation and a core switch.
    pub core_link: CableProperties,
}

impl FatTree {
    /// Returns the plan of a fat tree without oversubscription, with the same kind of cable everywhere.
    pub fn new(k: u32, link: CableProperties) -> Self {
        Self { k, oversubscription: 1, host_link: link, edge_link: link, core_link: link }
    }
}

/// Builds a fat tree.
///
/// # Errors
///
/// Returns an error if `k` is odd or out of its range, or if there are too many hosts at an edge switch.
pub fn fat_tree(plan: &FatTree) -> Result<Topology, Impossible> {
    let k = plan.k;
    within("k", k, 2, 64)?;
    if k % 2 == 1 {
        let hint = format!("half of a switch's ports go up: {} or {}", k - 1, k + 1);
        return Err(Impossible { field: "k", message: format!("`k` cannot be {k}, which is odd"), hint });
    }
    let half = k / 2;
    within("oversubscription", plan.oversubscription, 1, 250 / half)?;
    let hosts = half * plan.oversubscription;
    let mut builder = Builder::default();
    let network = |pod: u32, edge: u32| NETWORK + (pod << 16) + (edge << 8);
    for pod in 0..k {
        for edge in 0..half {
            for host in 0..hosts {
                builder.host(format!("host-{pod}-{edge}-{host}"), network(pod, edge) + 1 + host, half * half);
            }
        }
    }
    let switches = |builder: &mut Builder, name: &str, tier: u8, path_divisor: u32| {
        for pod in 0..k {
            for number in 0..half {
                builder.switch(format!("{name}-{pod}-{number}"), tier, path_divisor);
            }
        }
    };
    switches(&mut builder, "edge", 0, 1);
    switches(&mut builder, "aggregation", 1, half);
    for number in 0..half * half {
        builder.switch(format!("core-{number}"), 2, half * half);
    }
    let at_edge = |pod: u32, edge: u32| (k * half * hosts + pod * half + edge) as usize;
    let at_aggregation = |pod: u32, number: u32| at_edge(k, 0) + (pod * half + number) as usize;
    let at_core = |number: u32| at_aggregation(k, 0) + number as usize;
    for pod in 0..k {
        for edge in 0..half {
            let at = at_edge(pod, edge);
            for host in 0..hosts {
                let station = ((pod * half + edge) * hosts + host) as usize;
                let [_, port] = builder.connect(station, at, plan.host_link);
                builder.route(at, network(pod, edge) + 1 + host, 32, vec![port]);
            }
            let mut up = Vec::with_capacity(half as usize);
            for number in 0..half {
                let aggregation = at_aggregation(pod, number);
                let [edge_port, port] = builder.connect(at, aggregation, plan.edge_link);
                up.push(edge_port);
                builder.route(aggregation, network(pod, edge), 24, vec![port]);
            }
            builder.route(at, 0, 0, up);
        }
        for number in 0..half {
            let at = at_aggregation(pod, number);
            let mut up = Vec::with_capacity(half as usize);
            for core in 0..half {
                let core = at_core(number * half + core);
                let [port, core_port] = builder.connect(at, core, plan.core_link);
                up.push(port);
                builder.route(core, network(pod, 0), 16, vec![core_port]);
            }
            builder.route(at, 0, 0, up);
        }
    }
    Ok(builder.finish())
}
