//! Work that was left undone in packets: cutting them into segments, and computing checksums.

use node::{Burst, Discarded, Reason};
use wire::{ChecksumState, Packet};

/// Returns true if a packet is still to be cut, or if its checksum is still to be computed.
pub fn has_work(packet: &Packet) -> bool {
    packet.sidecar.segmentation.is_some() || matches!(packet.sidecar.checksum, ChecksumState::Partial { .. })
}

/// Cuts a packet that stands for many segments, and completes the checksum of each unless `takes_partial` says that it may stay as it
/// is, so that each packet is as it would be on a link. A packet whose headers do not fit is discarded as malformed. Returns how many
/// packets more there are than before.
pub fn finish(
    packet: Packet,
    mut takes_partial: impl FnMut(&Packet) -> bool,
    into: &mut Burst,
    discarded: &mut Vec<Discarded>,
) -> u64 {
    let before = into.len() + discarded.len() + 1;
    let mut complete = |mut packet: Packet, discarded: &mut Vec<Discarded>| {
        if takes_partial(&packet) || packet.complete_checksum() {
            into.push(packet);
        } else {
            discarded.push(Discarded::new(packet, Reason::MALFORMED));
        }
    };
    if packet.sidecar.segmentation.is_none() {
        complete(packet, discarded);
        return 0;
    }
    if let Err(packet) = packet.segment(|segment| complete(segment, discarded)) {
        discarded.push(Discarded::new(packet, Reason::MALFORMED));
    }
    (into.len() + discarded.len()).saturating_sub(before) as u64
}
