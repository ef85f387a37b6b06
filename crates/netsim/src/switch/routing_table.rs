//! Where packets go: the longest prefix decides.

use crate::topology::Route;

/// Routes of one switch, in a form that is quick to ask.
#[derive(Clone, Debug, Default)]
pub struct RoutingTable {
    /// By length, the longest first.
    lengths: Vec<OneLength>,
    /// Sets of equally good ports, each once.
    groups: Vec<Box<[u16]>>,
}

/// Prefixes of one length. They lie densely in generated topologies, so that an array serves them.
#[derive(Clone, Debug)]
struct OneLength {
    shift: u32,
    first: u32,
    /// Indices into the groups by prefix, from `first` on; [`NONE`] where there is no route.
    groups: Vec<u16>,
    /// Prefixes too far apart for an array, in order.
    sparse: Vec<(u32, u16)>,
}

const NONE: u16 = u16::MAX;

impl RoutingTable {
    /// The table of these routes. Of two routes for one prefix the later one counts.
    pub fn new(routes: &[Route]) -> Self {
        let mut groups: Vec<Box<[u16]>> = Vec::new();
        let mut lengths: Vec<OneLength> = Vec::new();
        let mut by_length: Vec<u8> = routes.iter().map(|route| route.length).collect();
        by_length.sort_unstable();
        by_length.dedup();
        for &length in by_length.iter().rev() {
            let shift = 32 - u32::from(length);
            let of_length = routes.iter().filter(|route| route.length == length);
            let mut prefixes: Vec<(u32, u16)> = of_length
                .map(|route| (checked_shift(route.prefix, shift), group_of(&mut groups, &route.ports)))
                .collect();
            prefixes.reverse();
            prefixes.sort_by_key(|&(prefix, _)| prefix);
            prefixes.dedup_by_key(|&mut (prefix, _)| prefix);
            lengths.push(OneLength::new(shift, prefixes));
        }
        Self { lengths, groups }
    }

    /// The number of the group of equally good ports for an address, and the ports.
    #[inline]
    pub fn find(&self, address: u32) -> Option<(usize, &[u16])> {
        let group = usize::from(self.lengths.iter().find_map(|length| length.find(address))?);
        Some((group, &self.groups[group]))
    }

    /// How many groups of equally good ports there are.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }
}

impl OneLength {
    fn new(shift: u32, prefixes: Vec<(u32, u16)>) -> Self {
        let first = prefixes.first().map_or(0, |&(prefix, _)| prefix);
        let span = prefixes.last().map_or(0, |&(prefix, _)| (prefix - first) as usize + 1);
        if span > 4 * prefixes.len() + 64 {
            return Self { shift, first, groups: Vec::new(), sparse: prefixes };
        }
        let mut groups = vec![NONE; span];
        for (prefix, group) in prefixes {
            groups[(prefix - first) as usize] = group;
        }
        Self { shift, first, groups, sparse: Vec::new() }
    }

    #[inline]
    fn find(&self, address: u32) -> Option<u16> {
        let prefix = checked_shift(address, self.shift);
        let dense = self.groups.get(prefix.wrapping_sub(self.first) as usize).copied().filter(|&group| group != NONE);
        dense.or_else(|| {
            let at = self.sparse.binary_search_by_key(&prefix, |&(prefix, _)| prefix).ok()?;
            Some(self.sparse[at].1)
        })
    }
}

/// A shift by 32, which a prefix of no bits needs, gives zero.
#[inline]
fn checked_shift(address: u32, shift: u32) -> u32 {
    address.checked_shr(shift).unwrap_or(0)
}

fn group_of(groups: &mut Vec<Box<[u16]>>, ports: &[u16]) -> u16 {
    let found = groups.iter().position(|known| **known == *ports);
    let group = found.unwrap_or_else(|| {
        groups.push(ports.into());
        groups.len() - 1
    });
    u16::try_from(group).ok().filter(|&group| group != NONE).expect("fewer than 65535 sets of ports at one switch")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(prefix: u32, length: u8, port: u16) -> Route {
        Route { prefix, length, ports: vec![port] }
    }

    #[test]
    fn the_longest_prefix_decides_near_and_far() {
        let table = RoutingTable::new(&[
            route(0, 0, 9),
            route(0x0A00_0000, 8, 1),
            route(0x0A01_0000, 16, 2),
            route(0x0A01_0203, 32, 3),
            route(0xC0A8_0001, 32, 4),
        ]);
        let port = |address| table.find(address).map(|(_, ports)| ports[0]);
        assert_eq!(port(0x0A01_0203), Some(3));
        assert_eq!(port(0x0A01_0204), Some(2));
        assert_eq!(port(0x0A02_0000), Some(1));
        assert_eq!(port(0xC0A8_0001), Some(4));
        assert_eq!(port(0xC0A8_0002), Some(9));
        assert_eq!(RoutingTable::new(&[route(0x0A00_0000, 8, 1)]).find(0x0B00_0000), None);
    }

    #[test]
    fn of_two_routes_for_one_prefix_the_later_one_counts() {
        let table = RoutingTable::new(&[route(0x0A00_0000, 8, 1), route(0x0A00_0000, 8, 2)]);
        assert_eq!(table.find(0x0A00_0001).map(|(_, ports)| ports[0]), Some(2));
    }
}
