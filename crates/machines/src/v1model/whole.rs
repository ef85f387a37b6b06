//! Superframes: packets that are still to be cut into segments, and packets whose checksum is still to be computed.

use control::Replica;
use ir::interpret::Undefined;
use passes::segments::{Shape, treats_alike};
use wire::checksum::Sum;
use wire::tcp::flag;
use wire::{ChecksumState, Ipv4, Ipv6, Layers, Network, Packet, Tcp, protocol};

use super::switch::Switch;
use crate::blocks::Executor;

/// The most shapes whose analysis is kept. Packets of one connection have one shape, and those of most connections the
/// same; superframes of further shapes are cut.
const MOST_SHAPES: usize = 64;

impl<E: Executor> Switch<E> {
    /// Returns true if the program treats all segments of a packet alike, so that it may run once on all of them.
    pub(super) fn treats_alike(&mut self, packet: &Packet) -> bool {
        let is_drawn = matches!(self.undefined, Undefined::Drawn(_));
        // Queues see the length of each packet, and a recorder each packet.
        if self.buffer.is_some() || self.recorder.is_some() || is_drawn {
            return false;
        }
        // The copies of each segment leave in turn.
        let replication = &self.replication;
        if *self.repeats_ports.get_or_insert_with(|| replication.replica_lists().any(repeats_port)) {
            return false;
        }
        let Some(shape) = shape(packet) else { return false };
        if let Some((_, known)) = self.shapes.iter().find(|(own, _)| *own == shape) {
            return *known;
        }
        if self.shapes.len() == MOST_SHAPES {
            return false;
        }
        let known = treats_alike(self.executor.program(), self.layout.architecture, shape).is_ok();
        self.shapes.push((shape, known));
        known
    }
}

/// Returns whether several copies go to one port.
fn repeats_port(replicas: &[Replica]) -> bool {
    let mut ports: Vec<u32> = replicas.iter().map(|replica| replica.port).collect();
    ports.sort_unstable();
    ports.windows(2).any(|pair| pair[0] == pair[1])
}

/// Returns the shape of a packet, or `None` if it is not of a shape that is known, or its headers contradict each other.
fn shape(packet: &Packet) -> Option<Shape> {
    let layers = Layers::of(packet);
    let bytes = packet.head.bytes();
    let (transport, payload) = (layers.transport?, layers.payload?);
    let is_plain = layers.network_end == packet.len() && !layers.is_fragment && payload <= bytes.len();
    if !is_plain || layers.outer_vlan != layers.inner_vlan {
        return None;
    }
    let network = bytes.get(layers.network_start..transport)?;
    // A length field of 0 means something else (RFC 2675).
    let length = packet.len() - layers.network_start;
    let is_ipv6 = match layers.network {
        Network::Ipv4 => {
            let ipv4 = Ipv4::new(network)?;
            // A sender computes the checksum of the header anew for each segment. Of the two zeros of one's complement it
            // writes the one that is computed.
            let mut sum = Sum::default();
            [&network[..10], &network[12..]].iter().for_each(|part| sum.add(part));
            let is_right = ipv4.checksum() == sum.checksum() && usize::from(ipv4.total_length()) == length;
            if !is_right || ipv4.protocol() != layers.protocol {
                return None;
            }
            false
        }
        // Without extension headers.
        Network::Ipv6 if network.len() == 40 && usize::from(Ipv6::new(network)?.payload_length()) + 40 == length => {
            true
        }
        Network::Ipv6 | Network::None => return None,
    };
    let is_udp = match layers.protocol {
        protocol::TCP => {
            let tcp = Tcp::new(bytes.get(transport..payload)?)?;
            if tcp.flags() & (flag::SYN | flag::RST) != 0 || tcp.header_length() != payload - transport {
                return None;
            }
            false
        }
        protocol::UDP => {
            let length = bytes.get(transport + 4..transport + 6)?;
            if usize::from(u16::from_be_bytes([length[0], length[1]])) != packet.len() - transport {
                return None;
            }
            true
        }
        _ => return None,
    };
    let tag = match layers.outer_vlan {
        None if layers.network_start == 14 => None,
        // The offset of a tag is that of its control information; its protocol identifier stands in front of it.
        Some(_) if layers.network_start == 18 => Some(u16::from_be_bytes([bytes[12], bytes[13]])),
        _ => return None,
    };
    // The checksum is that of the transport layer, and still to be computed if there are segments.
    let is_fit = match packet.sidecar.checksum {
        ChecksumState::Partial { start, offset } => {
            usize::from(start) == transport && offset == if is_udp { 6 } else { 16 } && packet.is_ready_to_cut()
        }
        ChecksumState::Unknown | ChecksumState::Verified => packet.sidecar.segmentation.is_none(),
    };
    if !is_fit {
        return None;
    }
    Some(Shape {
        tag,
        is_ipv6,
        network_length: u8::try_from(network.len()).ok()?,
        is_udp,
        transport_length: u8::try_from(payload - transport).ok()?,
    })
}
