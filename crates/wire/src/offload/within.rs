//! Packets within tunnels that are to be cut. Hosts and guests leave that to whoever sends the packet on, whatever the tunnel is made of.

use super::SegmentationKind;
use super::headers::{OuterHeaders, is_of_kind};
use crate::{Ipv4, Layers, LinkLayer, Network, protocol};

/// The most tunnels that are looked for around a packet.
const MOST: usize = 4;
/// The most bytes between the beginning of what a tunnel's IP header carries, and the IP header in it: GENEVE (RFC 8926) with all options that
/// fit, and Ethernet with two tags.
const LONGEST: usize = 8 + 8 + 63 * 4 + 22;

/// The tunnels around a packet, from the outermost on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tunnels {
    headers: [OuterHeaders; MOST],
    count: usize,
}

impl Tunnels {
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &OuterHeaders> {
        self.headers[..self.count].iter()
    }

    fn push(&mut self, header: OuterHeaders) -> Option<()> {
        *self.headers.get_mut(self.count)? = header;
        self.count += 1;
        Some(())
    }
}

/// Returns the headers of the packet whose transport header is at `start`, of a kind that is cut, and the tunnels around it, of which the
/// outermost is given. `head` has them all.
///
/// Nothing in a packet says what a tunnel is made of: the ports of VXLAN, GENEVE and FOU are anybody's choice. So the header of a packet in a
/// tunnel is found by what it must say: its version, and a length up to the end; its checksum, if it is IPv4; and what it carries.
pub(super) fn within(
    head: &[u8],
    outermost: Layers,
    start: usize,
    kind: SegmentationKind,
) -> Option<(Layers, Tunnels)> {
    let (mut layers, mut tunnels) = (outermost, Tunnels::default());
    while layers.transport? != start {
        let Layers { network, network_start, protocol, .. } = layers;
        let transport = layers.transport?;
        tunnels.push(OuterHeaders { network, network_start, transport, protocol })?;
        let end = outermost.network_end;
        // There is a header of eight bytes in front of whatever UDP carries.
        let first = if protocol == protocol::UDP { transport + 8 } else { transport };
        let mut places = (first..(first + LONGEST).min(start)).step_by(2);
        layers = places.find_map(|place| packet_at(head, place, end, (start, kind)))?;
    }
    Some((layers, tunnels))
}

/// Returns the headers of the packet that begins at an offset and goes up to the end, if there is one: that whose transport header is at
/// `start`, or one of a tunnel in front of it.
fn packet_at(head: &[u8], at: usize, end: usize, (start, kind): (usize, SegmentationKind)) -> Option<Layers> {
    let bytes = head.get(at..)?;
    let is_damaged = match bytes.first()? >> 4 {
        4 => Ipv4::new(bytes)?.is_checksum_right() != Some(true),
        6 => false,
        _ => return None,
    };
    let layers = Layers::parse_from(LinkLayer::Ip, head, at, end);
    let transport = layers.transport.filter(|_| !is_damaged && !layers.is_fragment && layers.network_end == end)?;
    let is_it = transport == start && is_of_kind(&layers, kind);
    (is_it || transport < start && is_tunnel(&layers)).then_some(layers)
}

/// Returns true if an IP packet may carry another one.
fn is_tunnel(layers: &Layers) -> bool {
    use protocol::{GRE, IPV4, IPV6, MPLS, UDP};
    layers.network != Network::None && matches!(layers.protocol, UDP | GRE | IPV4 | IPV6 | MPLS)
}
