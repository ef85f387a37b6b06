//! Which packet it is: its sender, its message, and its number in the message, as far as its head tells them.

use serde::{Deserialize, Serialize};
use wire::{Bth, Eqds, Ethernet, Ipv4, Ndp, Tcp, Udp, eqds, infiniband, ndp, protocol};

/// The identity of a packet as its head has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The IPv4 source address, as a number.
    pub source: Option<u32>,
    /// The number of the message among those of the host that sends the message (NDP, EQDS).
    pub message: Option<u32>,
    /// The number of the packet: in its message (NDP, EQDS), of its first byte (TCP), or in its queue pair (RoCEv2).
    pub sequence: Option<u32>,
}

/// Returns the identity of a packet by its head. Packets other than IPv4 have none.
pub fn identity(head: &[u8]) -> Identity {
    read(head).unwrap_or_default()
}

fn read(head: &[u8]) -> Option<Identity> {
    let behind_ethernet = head.get(Ethernet::<&[u8]>::LENGTH..)?;
    if head[12..14] != [0x08, 0x00] {
        return None;
    }
    let ip = Ipv4::new(behind_ethernet)?;
    let source = Identity { source: Some(u32::from(ip.source())), ..Identity::default() };
    let behind_ip = behind_ethernet.get(ip.header_length()..).unwrap_or_default();
    Some(match ip.protocol() {
        protocol::TCP => {
            Tcp::new(behind_ip).map_or(source, |tcp| Identity { sequence: Some(tcp.sequence()), ..source })
        }
        protocol::UDP => of_udp(behind_ip, source).unwrap_or(source),
        _ => source,
    })
}

fn of_udp(packet: &[u8], source: Identity) -> Option<Identity> {
    let udp = Udp::new(packet)?;
    let behind = packet.get(Udp::<&[u8]>::LENGTH..)?;
    Some(match udp.destination_port() {
        ndp::PORT => {
            let ndp = Ndp::new(behind)?;
            Identity { message: Some(ndp.message()), sequence: Some(ndp.sequence()), ..source }
        }
        eqds::PORT => {
            let eqds = Eqds::new(behind)?;
            let is_numbered = matches!(eqds.kind(), eqds::kind::DATA | eqds::kind::NACK);
            Identity { message: Some(eqds.message()), sequence: is_numbered.then(|| eqds.sequence()), ..source }
        }
        infiniband::PORT => Identity { sequence: Some(Bth::new(behind)?.sequence()), ..source },
        _ => source,
    })
}
