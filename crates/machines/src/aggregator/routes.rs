//! Where packets go: routes by prefix, and multicast groups by address.

use control::{Replica, Replication};
use node::{Outbox, Port, Reason};
use runtime::ProgramState;
use runtime::tables::{ActionWords, TargetWords};
use wire::{Ethernet, Ipv4, NotRouted, Packet, flow_hash, routed_destination};

use super::reasons;

/// The number of the table of routes, whose key is the destination address.
pub(super) const IPV4: usize = 0;
/// The number of the table of multicast groups by their addresses.
pub(super) const GROUPS: usize = 1;

/// The way that a packet takes.
pub(super) enum Way<'r> {
    Port(u64),
    Copies(&'r [Replica]),
}

/// Returns the destination of a packet, whose time to live is decremented as a router does.
pub(super) fn destination(packet: &mut Packet) -> Result<u32, Reason> {
    routed_destination(packet.head.bytes_mut()).map_err(|why| match why {
        NotRouted::Malformed => Reason::MALFORMED,
        NotRouted::OtherProtocol => reasons::NO_ROUTE,
        NotRouted::TimeToLiveExceeded => reasons::TIME_TO_LIVE_EXCEEDED,
    })
}

/// Returns the destination of a packet that has had one before.
pub(super) fn present_destination(packet: &Packet) -> Option<u32> {
    packet.head.bytes().get(Ethernet::<&[u8]>::LENGTH..).and_then(Ipv4::new).map(|ip| ip.destination_bits())
}

/// Looks up where an address is: in the groups if it is that of one (RFC 1112, section 4), otherwise in the routes.
pub(super) fn way<'r>(
    state: &ProgramState,
    replication: &'r Replication,
    destination: u32,
    packet: &Packet,
) -> Option<Way<'r>> {
    if destination >> 28 == 0b1110
        && let Some((1, [group])) = action(state, GROUPS, destination)
    {
        // Numbers of groups have 16 bits.
        let copies = replication.group(*group as u32).unwrap_or_default();
        return (!copies.is_empty()).then_some(Way::Copies(copies));
    }
    match action(state, IPV4, destination)? {
        (1, [port]) => Some(Way::Port(*port)),
        // ECMP (RFC 2992) over consecutive ports.
        (2, [first, count]) if *count > 0 => {
            let hash = u128::from(flow_hash(packet.head.bytes(), 0));
            Some(Way::Port(first + ((hash * u128::from(*count)) >> 64) as u64))
        }
        _ => None,
    }
}

/// Sends a packet. Returns the number of copies beyond the first.
pub(super) fn send(way: Way<'_>, packet: Packet, out: &mut Outbox) -> u64 {
    match way {
        // Ports have 16 bits.
        Way::Port(port) => {
            out.transmit(Port(port as u16), packet);
            0
        }
        Way::Copies(copies) => {
            for replica in &copies[1..] {
                out.transmit(Port(replica.port as u16), packet.clone());
            }
            out.transmit(Port(copies[0].port as u16), packet);
            copies.len() as u64 - 1
        }
    }
}

/// Returns the position of the action among those of a table, and its data.
fn action(state: &ProgramState, table: usize, address: u32) -> Option<(u32, &[u64])> {
    match state.tables[table].lookup_target(&[address.into()]).1 {
        TargetWords::Action(words) => Some((ActionWords::action(words), words.words())),
        _ => None,
    }
}
