//! Two switches with hosts around each, and one cable between them.

use super::builder::{Builder, NETWORK};
use super::impossible::within;
use super::{CableProperties, Impossible, Topology};

/// The plan of a dumbbell. The hosts on the left have the lower numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dumbbell {
    /// The number of hosts on the left, 1 to 65,534, with addresses from 10.0.0.1.
    pub left: u32,
    /// The number of hosts on the right, 1 to 65,534, with addresses from 10.1.0.1.
    pub right: u32,
    /// The cable of each host.
    pub link: CableProperties,
    /// The cable between the switches.
    pub bottleneck: CableProperties,
}

/// Builds a dumbbell.
///
/// # Errors
///
/// Returns an error if a switch would have too few or too many ports.
pub fn dumbbell(plan: &Dumbbell) -> Result<Topology, Impossible> {
    let most = u32::from(u16::MAX) - 1;
    within("left", plan.left, 1, most)?;
    within("right", plan.right, 1, most)?;
    let mut builder = Builder::default();
    let sides = [("left", plan.left, NETWORK), ("right", plan.right, NETWORK + (1 << 16))];
    let hosts = sides.map(|(name, count, network)| {
        let host = |number| (builder.host(format!("{name}-{number}"), network + 1 + number, 1), network + 1 + number);
        (0..count).map(host).collect::<Vec<_>>()
    });
    let switches = sides.map(|(name, ..)| builder.switch(format!("{name}-switch"), 0, 1));
    for (&switch, hosts) in switches.iter().zip(&hosts) {
        for &(host, address) in hosts {
            let [_, port] = builder.connect(host, switch, plan.link);
            builder.route(switch, address, 32, vec![port]);
        }
    }
    let between = builder.connect(switches[0], switches[1], plan.bottleneck);
    builder.route(switches[0], sides[1].2, 16, vec![between[0]]);
    builder.route(switches[1], sides[0].2, 16, vec![between[1]]);
    Ok(builder.finish())
}
