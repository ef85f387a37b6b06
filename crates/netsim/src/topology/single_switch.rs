//! Hosts around one switch.

use super::builder::{Builder, NETWORK};
use super::impossible::within;
use super::{CableProperties, Impossible, Topology};

/// The plan of hosts around one switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleSwitch {
    /// The number of hosts, 1 to 65,535. Host `n`, from 0, is at port `n` and has address 10.0.0.1 + `n`.
    pub hosts: u32,
    /// The cable of each host.
    pub link: CableProperties,
}

/// Builds the network of a single switch.
///
/// # Errors
///
/// Returns an error if the switch would have too few or too many ports.
pub fn single_switch(plan: &SingleSwitch) -> Result<Topology, Impossible> {
    within("hosts", plan.hosts, 1, u16::MAX.into())?;
    let mut builder = Builder::default();
    let address = |number: u32| NETWORK + 1 + number;
    let hosts: Vec<usize> =
        (0..plan.hosts).map(|number| builder.host(format!("host-{number}"), address(number), 1)).collect();
    let switch = builder.switch("switch".to_owned(), 0, 1);
    for (number, host) in (0..).zip(hosts) {
        let [_, port] = builder.connect(host, switch, plan.link);
        builder.route(switch, address(number), 32, vec![port]);
    }
    Ok(builder.finish())
}
