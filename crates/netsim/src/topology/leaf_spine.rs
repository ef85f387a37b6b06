//! Two tiers: leaves with hosts, and spines that connect every leaf with every other.

use super::builder::{Builder, NETWORK};
use super::impossible::{ports_fit, within};
use super::{CableProperties, Impossible, Topology};

/// The plan of a leaf-spine network.
///
/// Host `h` of leaf `l`, both from 0, has address 10.(l / 256).(l % 256).(h + 1). The first ports of a leaf are those
/// of its hosts; behind them, cable `c` to spine `s` is uplink `c * spines + s`. Path `p` therefore goes by spine `p %
/// spines`, up and down on the cable of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafSpine {
    /// The number of leaves, 1 to 65,535.
    pub leaves: u32,
    /// The number of spines, 1 to 4096.
    pub spines: u32,
    /// The number of hosts at each leaf, 1 to 250.
    pub hosts: u32,
    /// The number of cables from each leaf to each spine, 1 to 64.
    pub uplinks: u32,
    /// The cable of each host.
    pub host_link: CableProperties,
    /// Each cable between a leaf and a spine.
    pub spine_link: CableProperties,
}

/// Builds a leaf-spine network.
///
/// # Errors
///
/// Returns an error if a number is out of its range, or if a switch would have too many ports.
pub fn leaf_spine(plan: &LeafSpine) -> Result<Topology, Impossible> {
    let LeafSpine { leaves, spines, hosts, uplinks, .. } = *plan;
    within("leaves", leaves, 1, u16::MAX.into())?;
    within("spines", spines, 1, 4096)?;
    within("hosts", hosts, 1, 250)?;
    within("uplinks", uplinks, 1, 64)?;
    ports_fit("leaves", u64::from(leaves) * u64::from(uplinks))?;
    ports_fit("spines", u64::from(hosts) + u64::from(spines) * u64::from(uplinks))?;
    let mut builder = Builder::default();
    let network = |leaf: u32| NETWORK + (leaf << 8);
    for leaf in 0..leaves {
        for host in 0..hosts {
            builder.host(format!("host-{leaf}-{host}"), network(leaf) + 1 + host, spines * uplinks);
        }
    }
    let first_leaf = (leaves * hosts) as usize;
    for leaf in 0..leaves {
        builder.switch(format!("leaf-{leaf}"), 0, 1);
    }
    let first_spine = first_leaf + leaves as usize;
    for spine in 0..spines {
        builder.switch(format!("spine-{spine}"), 1, spines);
    }
    for leaf in 0..leaves {
        let at = first_leaf + leaf as usize;
        for host in 0..hosts {
            let [_, port] = builder.connect((leaf * hosts + host) as usize, at, plan.host_link);
            builder.route(at, network(leaf) + 1 + host, 32, vec![port]);
        }
        let mut up = Vec::with_capacity((spines * uplinks) as usize);
        let mut down = vec![Vec::with_capacity(uplinks as usize); spines as usize];
        for _ in 0..uplinks {
            for (spine, down) in down.iter_mut().enumerate() {
                let [leaf_port, spine_port] = builder.connect(at, first_spine + spine, plan.spine_link);
                up.push(leaf_port);
                down.push(spine_port);
            }
        }
        builder.route(at, 0, 0, up);
        for (spine, ports) in down.into_iter().enumerate() {
            builder.route(first_spine + spine, network(leaf), 24, ports);
        }
    }
    Ok(builder.finish())
}
