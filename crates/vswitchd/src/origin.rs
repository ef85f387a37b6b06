//! Where a packet comes from that somebody asks about by its addresses.

use std::net::IpAddr;

use vswitch::SessionView;
use vswitch::action::Action;
use vswitch::configuration::{Configuration, Vnic, Vpc};
use vswitch::policy::{Hop, Origin, Policy};
use vswitch::session::FlowKey;

use crate::describe::Names;
use crate::message::Refusal;

fn vpcs(configuration: &Configuration) -> Vec<(u32, &Vpc)> {
    let present = configuration.vpcs.iter().enumerate().filter(|(_, vpc)| !vpc.is_vacant());
    present.map(|(at, vpc)| (at as u32, vpc)).collect()
}

fn names(vpcs: &[(u32, &Vpc)]) -> String {
    vpcs.iter().map(|(_, vpc)| vpc.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the position of a VPC by its name.
pub(crate) fn vpc_named(configuration: &Configuration, name: &str) -> Result<u32, Refusal> {
    let vpcs = vpcs(configuration);
    let found = vpcs.iter().find(|(_, vpc)| vpc.name == name).map(|(at, _)| *at);
    found.ok_or_else(|| Refusal::new(format!("there is no VPC called `{name}`; there are {}\n", names(&vpcs))))
}

/// Returns true if a vNIC of a VPC, or of any, has an address.
fn has(configuration: &Configuration, vpc: Option<u32>, address: IpAddr) -> bool {
    let is_meant = |vnic: &&Vnic| !vnic.is_vacant() && vpc.is_none_or(|vpc| vnic.vpc == vpc as usize);
    configuration.vnics.iter().filter(is_meant).any(|vnic| vnic.addresses.contains(&address))
}

/// Returns the position of the VPC that has one of the addresses, or of the only one.
pub(crate) fn vpc_of(configuration: &Configuration, from: IpAddr, to: IpAddr) -> Result<u32, Refusal> {
    let vpcs = vpcs(configuration);
    let having: Vec<u32> = vpcs
        .iter()
        .map(|(at, _)| *at)
        .filter(|at| [from, to].into_iter().any(|address| has(configuration, Some(*at), address)))
        .collect();
    match (&vpcs[..], &having[..]) {
        ([(only, _)], _) | (_, [only]) => Ok(*only),
        _ => Err(Refusal::new(format!("several VPCs may be meant: name one by `--vpc`; there are {}\n", names(&vpcs)))),
    }
}

/// Returns true if a packet comes from outside all VPCs: it goes to an address of a pool, and neither a guest has the address that it comes from
/// nor, if a VPC is named, somebody behind a tunnel of that.
pub(crate) fn is_from_outside(policy: &Policy, vpc: Option<u32>, key: &FlowKey) -> bool {
    let [source, _] = key.addresses();
    let is_inside = match vpc {
        None => has(policy.configuration(), None, source),
        Some(vpc) => matches!(policy.hop(vpc, key.source), Some(Hop::Vnic(_) | Hop::Endpoint { .. })),
    };
    policy.is_outside(key.destination) && !is_inside
}

/// Returns where a packet with a source address would come from: from the vNIC that has the address, or by a tunnel from the
/// endpoint that the route to it has.
pub(crate) fn origin_of(policy: &Policy, vpc: u32, key: &FlowKey) -> Result<Origin, Refusal> {
    match policy.hop(vpc, key.source) {
        Some(Hop::Vnic(vnic)) => Ok(Origin::Vnic(vnic)),
        Some(Hop::Endpoint { address, .. }) => Ok(Origin::Endpoint(address)),
        _ => {
            let [source, _] = key.addresses();
            let name = Names(policy.configuration()).vpc(vpc);
            Err(Refusal::new(format!(
                "no packet of `{name}` comes from {source}: it is no address of a vNIC, and no route leads to an endpoint \
                 with it\n"
            )))
        }
    }
}

/// Returns where packets of a direction of a session come from.
pub(crate) fn origin_in(view: &SessionView, direction: usize) -> Origin {
    let [there, _] = &view.actions;
    match (direction, there.last()) {
        (0, _) => view.known.origin,
        (_, Some(Action::Deliver { vnic })) => Origin::Vnic(*vnic),
        (_, Some(Action::Encapsulate { remote, .. })) => Origin::Endpoint(*remote),
        _ => Origin::Outside,
    }
}
