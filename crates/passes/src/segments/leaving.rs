//! What leaves: a superframe from which the same segments are cut as the program would make of the segments.

use super::path::Path;
use super::value::{Bit, Part, Value, input_bit};
use super::{Analysis, Obstacle, obstacle};

/// The most bytes in front of the payload that are looked at.
const MOST_HEADERS: usize = 512;

/// What is known of a packet as it leaves: what the deparser emitted, and the rest as it arrived.
struct Leaving<'a> {
    parts: &'a [Part],
    bits: Vec<Bit>,
}

impl Analysis<'_> {
    /// Requires that the segments which are cut from the packet as it leaves are those that the program would have made
    /// of the segments of the packet as it arrived. Headers may be added or removed in front of the network layer.
    pub(super) fn leaves_well(&self, path: &Path) -> Result<(), Obstacle> {
        let not = |reason: &str| Err(obstacle("the deparser", reason));
        let emitted: u32 = path.emitted.iter().map(|part| part.width).sum();
        if !path.position.is_multiple_of(8) || !emitted.is_multiple_of(8) {
            return not("headers are not whole bytes");
        }
        let payload = i64::from(self.shape.payload());
        let moved = i64::from(emitted) - i64::from(path.position);
        let end = usize::try_from(payload + moved).ok().filter(|end| *end <= MOST_HEADERS * 8);
        let Some(end) = end.filter(|end| *end >= emitted as usize) else {
            return not("the payload moves into the headers");
        };
        let mut bits: Vec<Bit> = path.emitted.iter().flat_map(|part| part.bits(&self.shape)).collect();
        bits.extend((path.position..self.shape.payload()).map(|at| input_bit(at, &self.shape)));
        debug_assert_eq!(bits.len(), end);
        let leaving = Leaving { parts: &path.emitted, bits };
        let network = i64::from(self.shape.network()) + moved;
        let network = match usize::try_from(network) {
            Ok(network @ (112 | 144)) => network,
            _ => return not("the packet leaves with other headers in front of the network layer than a VLAN tag"),
        };
        if !leaving.has_ether_types(network, self.shape.is_ipv6) {
            return not("the type of the packet that leaves is not known");
        }
        self.front(&leaving, network)?;
        if self.shape.is_ipv6 {
            self.ipv6(&leaving, network)?
        } else {
            self.ipv4(&leaving, network)?
        }
        let transport = network + usize::from(self.shape.network_length) * 8;
        let same = (self.shape.transport()..self.shape.payload()).map(|at| input_bit(at, &self.shape));
        if !leaving.bits[transport..].iter().copied().eq(same) {
            return not("the header of the transport layer is changed");
        }
        Ok(())
    }

    /// Requires that everything in front of the network layer is the same for all segments.
    fn front(&self, leaving: &Leaving<'_>, network: usize) -> Result<(), Obstacle> {
        self.uniform(&leaving.bits[..network], "the Ethernet header")
    }

    fn ipv4(&self, leaving: &Leaving<'_>, start: usize) -> Result<(), Obstacle> {
        let length = usize::from(self.shape.network_length) * 8;
        let header = &leaving.bits[start..start + length];
        let arrived: Vec<Bit> =
            (0..length as u32).map(|at| input_bit(self.shape.network() + at, &self.shape)).collect();
        // Version and length, total length and identification, that it is no fragment, protocol, and the addresses, of
        // which the transport layer's checksum consists.
        for (range, what) in [
            (0..8, "version or header length"),
            (16..48, "total length or identification"),
            (50..64, "fragment offset"),
            (72..80, "protocol"),
            (96..160, "addresses, which the transport layer's checksum covers,"),
        ] {
            if header[range.clone()] != arrived[range] {
                return Err(obstacle("the deparser", format!("IPv4's {what} change")));
            }
        }
        self.uniform(&header[8..16], "IPv4's type of service")?;
        self.uniform(&header[48..50], "IPv4's flags")?;
        self.uniform(&header[64..72], "IPv4's time to live")?;
        self.uniform(&header[160..], "IPv4's options")?;
        let is_right = match leaving.part(start + 80) {
            Some(Part { value: Value::Checksum(parts), width: 16 }) => self.covers(parts, header.to_vec(), 80),
            _ => header == arrived.as_slice(),
        };
        if is_right { Ok(()) } else { Err(obstacle("the deparser", "IPv4's header checksum is not computed anew")) }
    }

    fn ipv6(&self, leaving: &Leaving<'_>, start: usize) -> Result<(), Obstacle> {
        let header = &leaving.bits[start..start + 320];
        let arrived: Vec<Bit> = (0..320).map(|at| input_bit(self.shape.network() + at, &self.shape)).collect();
        for (range, what) in [
            (0..4, "version"),
            (32..48, "payload length"),
            (48..56, "next header"),
            (64..320, "addresses, which the transport layer's checksum covers,"),
        ] {
            if header[range.clone()] != arrived[range] {
                return Err(obstacle("the deparser", format!("IPv6's {what} change")));
            }
        }
        self.uniform(&header[4..32], "IPv6's traffic class or flow label")?;
        self.uniform(&header[56..64], "IPv6's hop limit")
    }

    /// Requires that bits are the same for all segments.
    fn uniform(&self, bits: &[Bit], what: &str) -> Result<(), Obstacle> {
        let varies = |bit: &Bit| match bit {
            Bit::Known(_) | Bit::Uniform(..) => false,
            Bit::Input(at) => self.shape.varies(*at, 1),
            Bit::Length(..) | Bit::Varying => true,
        };
        match bits.iter().any(varies) {
            true => Err(obstacle("the deparser", format!("{what} differs between segments"))),
            false => Ok(()),
        }
    }
}

impl Leaving<'_> {
    /// Returns the part that begins at a bit.
    fn part(&self, at: usize) -> Option<&Part> {
        let mut start = 0;
        self.parts.iter().find(|part| {
            let begins = start == at;
            start += part.width as usize;
            begins
        })
    }

    /// Whether the network layer begins at a bit, behind one VLAN tag (IEEE 802.1Q) or none.
    fn has_ether_types(&self, network: usize, is_ipv6: bool) -> bool {
        let word = |at: usize| {
            self.bits[at..at + 16].iter().try_fold(0u16, |word, bit| match bit {
                Bit::Known(bit) => Some(word << 1 | u16::from(*bit)),
                _ => None,
            })
        };
        let is_tagged = network == 112 || matches!(word(96), Some(0x8100 | 0x88A8));
        is_tagged && word(network - 16) == Some(if is_ipv6 { 0x86DD } else { 0x0800 })
    }
}
