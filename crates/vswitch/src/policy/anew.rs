//! Deciding a session anew that other tables have allowed.

use super::{Asked, Decided, Denied, Origin, Policy};
use crate::configuration::{address, number};
use crate::reasons;
use crate::session::FlowKey;

/// A session that other tables have allowed.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Where the packet that began it came from.
    pub origin: Origin,
    /// The position of its VPC.
    pub vpc: u32,
    /// The keys of the two directions.
    pub keys: [FlowKey; 2],
    /// The vNIC that the session is counted for.
    pub owner: u32,
    /// A hash of the first key.
    pub hash: u64,
}

impl Policy {
    /// Decides a session anew, as if its first packet came now. What was chosen for it (a back end, a translated port) stays.
    ///
    /// # Errors
    /// The reason, if these tables do not allow the session, or what was chosen is not there any more: its other end would not
    /// know it.
    pub fn decide_anew(&self, known: &Known) -> Result<Decided, Denied> {
        let Known { origin, vpc, keys: [key, kept], owner, hash } = *known;
        let is_there = key.vni() == self.vni(vpc)
            && match origin {
                Origin::Vnic(vnic) => {
                    let vnic = self.configuration.vnics.get(vnic as usize);
                    vnic.is_some_and(|vnic| vnic.vpc == vpc as usize && vnic.addresses.contains(&address(key.source)))
                }
                Origin::Endpoint(endpoint) => self.knows_endpoint(vpc, endpoint),
                Origin::Outside => false,
            };
        if !is_there {
            return Err(Denied::by(reasons::NO_ROUTE));
        }
        let asked = Asked { origin, vpc, key, hash, kept: Some(kept), is_free: &|_| true };
        let decided = self.decide(&asked)?;
        if decided.keys[1] != kept || decided.owner != owner {
            return Err(Denied::by(reasons::NO_ROUTE));
        }
        Ok(decided)
    }

    /// Returns the vNIC of this switch that has an address of a VPC.
    pub fn vnic_with(&self, vpc: u32, wanted: std::net::IpAddr) -> Option<u32> {
        match self.hop(vpc, number(wanted)) {
            Some(super::Hop::Vnic(vnic)) => Some(vnic),
            _ => None,
        }
    }
}
