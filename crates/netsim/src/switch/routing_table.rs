//! Routing tables with longest-prefix match.

use crate::topology::Route;

/// The routes of one switch in a form that is fast to look up. It consists of few arrays, because each array costs a
/// cache miss.
#[derive(Clone, Debug, Default)]
pub struct RoutingTable {
    /// The prefixes by length, the longest first.
    lengths: Vec<OneLength>,
    /// For each dense length, the groups by prefix, from its first prefix on; [`NONE`] where there is no route.
    dense: Vec<u16>,
    /// For lengths whose prefixes lie too far apart for an array: the prefixes in order, each with its group.
    sparse: Vec<(u32, u16)>,
    /// The beginning and end of each group in `ports`.
    groups: Vec<(u32, u32)>,
    /// The ports of all groups. Each distinct set of equally good ports is stored once.
    ports: Vec<u16>,
}

/// The prefixes of one length. In generated topologies they lie close together, so an array can hold them.
#[derive(Clone, Debug)]
struct OneLength {
    shift: u32,
    /// The first prefix as a number, without the bits behind its length.
    first: u32,
    /// The position of the first entry in `dense`, or in `sparse` if the prefixes are there.
    start: u32,
    count: u32,
    is_dense: bool,
}

const NONE: u16 = u16::MAX;

impl RoutingTable {
    /// Returns the table of these routes. If two routes have the same prefix, the later one applies.
    ///
    /// # Panics
    ///
    /// Panics if the routes have 65,535 different sets of ports or more.
    pub fn new(routes: &[Route]) -> Self {
        let mut table = Self::default();
        let mut lengths: Vec<u8> = routes.iter().map(|route| route.length).collect();
        lengths.sort_unstable();
        lengths.dedup();
        for &length in lengths.iter().rev() {
            let shift = 32 - u32::from(length);
            let of_length = routes.iter().filter(|route| route.length == length);
            let mut prefixes: Vec<(u32, u16)> =
                of_length.map(|route| (shifted(route.prefix, shift), table.group_of(&route.ports))).collect();
            prefixes.reverse();
            prefixes.sort_by_key(|&(prefix, _)| prefix);
            prefixes.dedup_by_key(|&mut (prefix, _)| prefix);
            table.add(shift, &prefixes);
        }
        table
    }

    fn add(&mut self, shift: u32, prefixes: &[(u32, u16)]) {
        let (Some(&(first, _)), Some(&(last, _))) = (prefixes.first(), prefixes.last()) else { return };
        let span = (last - first) as usize + 1;
        let is_dense = span <= 4 * prefixes.len() + 64;
        let (start, count) = if is_dense {
            let start = self.dense.len();
            self.dense.resize(start + span, NONE);
            for &(prefix, group) in prefixes {
                self.dense[start + (prefix - first) as usize] = group;
            }
            (start, span)
        } else {
            let start = self.sparse.len();
            self.sparse.extend_from_slice(prefixes);
            (start, prefixes.len())
        };
        // There are no more prefixes than addresses.
        self.lengths.push(OneLength { shift, first, start: start as u32, count: count as u32, is_dense });
    }

    /// Looks up an address. Returns the number of its group of equally good ports, and the ports.
    #[inline]
    pub fn find(&self, address: u32) -> Option<(usize, &[u16])> {
        for length in &self.lengths {
            if let Some(group) = self.find_in(length, address) {
                let (start, end) = self.groups[usize::from(group)];
                return Some((usize::from(group), &self.ports[start as usize..end as usize]));
            }
        }
        None
    }

    #[inline]
    fn find_in(&self, length: &OneLength, address: u32) -> Option<u16> {
        let prefix = shifted(address, length.shift);
        if !length.is_dense {
            return self.find_sparse(length, prefix);
        }
        let at = prefix.wrapping_sub(length.first);
        if at >= length.count {
            return None;
        }
        let group = self.dense[length.start as usize + at as usize];
        (group != NONE).then_some(group)
    }

    #[cold]
    fn find_sparse(&self, length: &OneLength, prefix: u32) -> Option<u16> {
        let start = length.start as usize;
        let prefixes = &self.sparse[start..start + length.count as usize];
        let at = prefixes.binary_search_by_key(&prefix, |&(prefix, _)| prefix).ok()?;
        Some(prefixes[at].1)
    }

    /// Returns the number of groups of equally good ports.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// Returns the group of a set of ports, which is created if it is new.
    fn group_of(&mut self, ports: &[u16]) -> u16 {
        let is_this = |&(start, end): &(u32, u32)| self.ports[start as usize..end as usize] == *ports;
        let group = self.groups.iter().position(is_this).unwrap_or_else(|| {
            let start = self.ports.len();
            self.ports.extend_from_slice(ports);
            self.groups.push((start as u32, self.ports.len() as u32));
            self.groups.len() - 1
        });
        u16::try_from(group).ok().filter(|&group| group != NONE).expect("fewer than 65535 sets of ports at one switch")
    }
}

/// Shifts right; a shift by 32, which a prefix of length 0 needs, gives zero.
#[inline]
fn shifted(address: u32, shift: u32) -> u32 {
    (u64::from(address) >> shift) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(prefix: u32, length: u8, port: u16) -> Route {
        Route { prefix, length, ports: vec![port] }
    }

    #[test]
    fn the_longest_prefix_decides() {
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
    fn a_later_route_replaces_one_of_the_same_prefix() {
        let table = RoutingTable::new(&[route(0x0A00_0000, 8, 1), route(0x0A00_0000, 8, 2)]);
        assert_eq!(table.find(0x0A00_0001).map(|(_, ports)| ports[0]), Some(2));
    }
}
