//! What nodes see of packets that an interface receives: whole packets with complete checksums.

use node::{Burst, Discarded, Reason};
use wire::Packet;

/// Cuts a packet that arrived as one of many segments, and completes checksums, so that the node sees each packet as it
/// would be on a link. A packet whose headers do not fit is discarded as malformed.
pub fn prepare(packet: Packet, into: &mut Burst, discarded: &mut Vec<Discarded>) {
    let mut complete = |mut packet: Packet, discarded: &mut Vec<Discarded>| match packet.complete_checksum() {
        true => into.push(packet),
        false => discarded.push(Discarded { packet, reason: Reason::MALFORMED }),
    };
    if packet.sidecar.segmentation.is_none() {
        return complete(packet, discarded);
    }
    if let Err(packet) = packet.segment(|segment| complete(segment, discarded)) {
        discarded.push(Discarded { packet, reason: Reason::MALFORMED });
    }
}
