//! The keys of flows, and their hash.

use std::hash::Hasher;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::configuration::{address, number};

/// What tells the packets of one direction of a session from all others: the VPC, the addresses, the protocol and the
/// ports.
///
/// Addresses are those of IPv6; an IPv4 address is the IPv4-mapped one (RFC 4291, section 2.5.5.2), which no IPv6 packet may
/// have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FlowKey {
    /// The source address, as a number.
    pub source: u128,
    /// The destination address, as a number.
    pub destination: u128,
    /// The VXLAN network identifier of the VPC (high 24 bits) and the protocol that IP carries (low 8 bits).
    scope: u32,
    /// The source port (high 16 bits) and the destination port. In ICMP queries, both are the identifier; in protocols
    /// without ports, both are 0.
    ports: u32,
    /// Whether it is an answer to an ICMP query. Otherwise a query with the identifier of another one, the other way, would pass
    /// as its answer.
    is_answer: bool,
}

impl FlowKey {
    /// The key of the packets between two addresses of a VPC, of which `vni` has 24 bits.
    pub fn new(vni: u32, [source, destination]: [IpAddr; 2], protocol: u8, [from, to]: [u16; 2]) -> Self {
        let scope = vni << 8 | u32::from(protocol);
        let ports = u32::from(from) << 16 | u32::from(to);
        Self { source: number(source), destination: number(destination), scope, ports, is_answer: false }
    }

    /// The key of the answers to ICMP queries that are like this packet, in its direction.
    pub fn answer(self) -> Self {
        Self { is_answer: true, ..self }
    }

    /// Returns true if it is the key of answers to ICMP queries.
    pub fn is_answer(&self) -> bool {
        self.is_answer
    }

    fn is_of_icmp(&self) -> bool {
        matches!(self.protocol(), wire::protocol::ICMP | wire::protocol::ICMPV6)
    }

    /// The key of the packets in the other direction, if nothing is translated.
    pub fn reversed(self) -> Self {
        let is_answer = self.is_of_icmp() && !self.is_answer;
        Self {
            source: self.destination,
            destination: self.source,
            ports: self.ports.rotate_left(16),
            is_answer,
            ..self
        }
    }

    /// The key with another destination: an address as a number, and a port.
    pub fn with_destination(self, destination: u128, port: u16) -> Self {
        Self { destination, ports: self.ports & 0xFFFF_0000 | u32::from(port), ..self }
    }

    /// The key with another source: an address as a number, and a port or, in ICMP queries, an identifier.
    pub fn with_source(self, source: u128, port: u16) -> Self {
        let to = if self.is_of_icmp() { u32::from(port) } else { self.ports & 0xFFFF };
        Self { source, ports: u32::from(port) << 16 | to, ..self }
    }

    /// The key in another VPC, by its VXLAN network identifier; 0 is outside all of them.
    pub fn with_vni(self, vni: u32) -> Self {
        Self { scope: vni << 8 | self.scope & 0xFF, ..self }
    }

    /// The key of whatever has these addresses and this protocol, without ports.
    pub fn without_ports(self) -> Self {
        Self { ports: 0, is_answer: false, ..self }
    }

    /// The same key for both directions of a flow that is not translated.
    pub fn without_direction(self) -> Self {
        let reversed = self.reversed();
        let is_first = (self.source, self.ports) <= (reversed.source, reversed.ports);
        Self { is_answer: false, ..if is_first { self } else { reversed } }
    }

    /// Returns the VXLAN network identifier of the VPC.
    pub fn vni(&self) -> u32 {
        self.scope >> 8
    }

    /// Returns the protocol that IP carries.
    pub fn protocol(&self) -> u8 {
        self.scope as u8
    }

    /// Returns the source and the destination address.
    pub fn addresses(&self) -> [IpAddr; 2] {
        [self.source, self.destination].map(address)
    }

    /// Returns the source and the destination port.
    pub fn ports(&self) -> [u16; 2] {
        [(self.ports >> 16) as u16, self.ports as u16]
    }
}

/// A hash of flows with a key that is drawn when the switch starts: SipHash-1-3, whose collisions nobody finds who does not
/// know the key.
#[derive(Clone, Copy, Debug)]
pub struct FlowHasher {
    keys: [u64; 2],
}

impl FlowHasher {
    /// The hash with a key of 128 bits.
    pub const fn new(keys: [u64; 2]) -> Self {
        Self { keys }
    }

    /// Returns the hash of a flow.
    #[inline]
    pub fn hash(&self, key: &FlowKey) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.keys[0], self.keys[1]);
        for address in [key.source, key.destination] {
            hasher.write_u64((address >> 64) as u64);
            hasher.write_u64(address as u64);
        }
        // The VNI of an answer differs from that of queries in its highest bit, which the key itself tells apart.
        let scope = key.scope ^ u32::from(key.is_answer) << 31;
        hasher.write_u64(u64::from(scope) << 32 | u64::from(key.ports));
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(source: &str, destination: &str) -> FlowKey {
        let addresses = [source, destination].map(|text| text.parse().expect("an address"));
        FlowKey::new(0xAB_CDEF, addresses, 17, [1000, 53])
    }

    #[test]
    fn keys_hold_what_they_are_made_of() {
        for (source, destination) in [("10.0.0.1", "10.0.0.2"), ("fd00::1", "fd00::2")] {
            let key = key(source, destination);
            assert_eq!(key.addresses().map(|address| address.to_string()), [source, destination]);
            assert_eq!((key.vni(), key.protocol(), key.ports()), (0xAB_CDEF, 17, [1000, 53]));
            let reversed = key.reversed();
            assert_eq!(reversed.addresses().map(|address| address.to_string()), [destination, source]);
            assert_eq!((reversed.vni(), reversed.protocol(), reversed.ports()), (0xAB_CDEF, 17, [53, 1000]));
            assert_eq!(reversed.reversed(), key);
        }
        assert_eq!(size_of::<FlowKey>(), 48);
    }

    #[test]
    fn queries_and_answers_have_different_keys() {
        let query = FlowKey::new(7, key("10.0.0.1", "10.0.0.2").addresses(), wire::protocol::ICMP, [9, 9]);
        let back = FlowKey::new(7, key("10.0.0.2", "10.0.0.1").addresses(), wire::protocol::ICMP, [9, 9]);
        assert_eq!(query.reversed(), back.answer());
        assert_ne!(query.reversed(), back);
        assert_eq!(back.answer().reversed(), query);
        assert_eq!(back.answer().without_ports(), back.without_ports(), "fragments do not say what they are");
        let hasher = FlowHasher::new([1, 2]);
        assert_ne!(hasher.hash(&back), hasher.hash(&back.answer()));
    }

    #[test]
    fn hashes_depend_on_every_field_and_on_the_key() {
        let hasher = FlowHasher::new([1, 2]);
        let base = key("10.0.0.1", "10.0.0.2");
        let addresses = base.addresses();
        let others = [
            base.reversed(),
            key("10.0.0.3", "10.0.0.2"),
            key("10.0.0.1", "10.0.0.3"),
            FlowKey::new(0xAB_CDEE, addresses, 17, [1000, 53]),
            FlowKey::new(0xAB_CDEF, addresses, 6, [1000, 53]),
            FlowKey::new(0xAB_CDEF, addresses, 17, [1001, 53]),
            FlowKey::new(0xAB_CDEF, addresses, 17, [1000, 54]),
        ];
        for other in others {
            assert_ne!(hasher.hash(&base), hasher.hash(&other), "{other:?}");
        }
        assert_eq!(hasher.hash(&base), FlowHasher::new([1, 2]).hash(&base));
        assert_ne!(hasher.hash(&base), FlowHasher::new([1, 3]).hash(&base));
    }
}
