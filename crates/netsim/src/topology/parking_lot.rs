//! Switches in a chain, with hosts at each: one long path that shares every hop with short ones.

use super::builder::{Builder, NETWORK};
use super::impossible::within;
use super::{CableProperties, Impossible, Topology};

/// The plan of a parking lot.
///
/// Host `h` of switch `s`, both from 0, has address 10.(s / 256).(s % 256).(h + 1) and number `s * hosts + h`. If host
/// 0 of the first switch sends to host 0 of the last, and host 1 of each to host 1 of the next, the long path shares
/// each hop with one short path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParkingLot {
    /// The number of switches, 2 to 1024.
    pub switches: u32,
    /// The number of hosts at each switch, 1 to 250.
    pub hosts: u32,
    /// The cable of each host.
    pub host_link: CableProperties,
    /// Each cable between neighbours in the chain.
    pub chain_link: CableProperties,
}

/// Builds a parking lot.
///
/// # Errors
///
/// Returns an error if a number is out of its range.
pub fn parking_lot(plan: &ParkingLot) -> Result<Topology, Impossible> {
    within("switches", plan.switches, 2, 1024)?;
    within("hosts", plan.hosts, 1, 250)?;
    let mut builder = Builder::default();
    let network = |switch: u32| NETWORK + (switch << 8);
    for switch in 0..plan.switches {
        for host in 0..plan.hosts {
            builder.host(format!("host-{switch}-{host}"), network(switch) + 1 + host, 1);
        }
    }
    let at = |switch: u32| (plan.switches * plan.hosts + switch) as usize;
    for switch in 0..plan.switches {
        builder.switch(format!("switch-{switch}"), 0, 1);
    }
    for switch in 0..plan.switches {
        for host in 0..plan.hosts {
            let [_, port] = builder.connect((switch * plan.hosts + host) as usize, at(switch), plan.host_link);
            builder.route(at(switch), network(switch) + 1 + host, 32, vec![port]);
        }
    }
    for left in 0..plan.switches - 1 {
        let [to_right, to_left] = builder.connect(at(left), at(left + 1), plan.chain_link);
        for other in left + 1..plan.switches {
            builder.route(at(left), network(other), 24, vec![to_right]);
        }
        for other in 0..=left {
            builder.route(at(left + 1), network(other), 24, vec![to_left]);
        }
    }
    Ok(builder.finish())
}
