//! Keys of several VPCs that one switch cannot use beside each other.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::keys::{InboundKey, Keys};

/// The reason why the keys of a VPC cannot be used beside those of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// Both have a key: its initialization vectors, which each VPC counts by itself, would be used twice.
    Key,
    /// Both have a key of the same sender with the same index, so that nobody knows which one its packets have.
    Index(IpAddr, u32),
}

/// Returns which of the keys of several VPCs cannot be used beside earlier ones: their number, that of the first of these, and why.
pub fn clashes(all: &[Arc<Keys>]) -> Vec<(usize, usize, Clash)> {
    let (mut keys_of, mut indices_of) = (BTreeMap::new(), BTreeMap::new());
    let mut found = Vec::new();
    for (number, keys) in all.iter().enumerate() {
        let own = std::iter::once(&keys.outbound).chain(keys.inbound.iter().map(|inbound| &inbound.key));
        let indices =
            keys.inbound.iter().flat_map(|InboundKey { peers, key }| peers.iter().map(|peer| (*peer, key.index)));
        let of_key = own.clone().find_map(|key| Some((*keys_of.get(&key.parts())?, Clash::Key)));
        let of_index =
            || indices.clone().find_map(|place| Some((*indices_of.get(&place)?, Clash::Index(place.0, place.1))));
        found.extend(of_key.or_else(of_index).map(|(earlier, clash)| (number, earlier, clash)));
        own.for_each(|key| _ = keys_of.entry(key.parts()).or_insert(number));
        indices.for_each(|place| _ = indices_of.entry(place).or_insert(number));
    }
    found
}
