//! The changes to the bytes of a packet that is trimmed or returned to its sender.

use wire::Packet;

use super::settings::Settings;
use crate::fields::{self, IpHeader};
use crate::{Marking, Queued};

impl Settings {
    /// Finds the IP header of a packet that can be trimmed. Switches trim only IP packets that are longer than what
    /// would be left of them.
    pub fn can_cut(&self, item: &impl Queued) -> Option<IpHeader> {
        let packet = item.packet()?;
        fields::place(packet).filter(|&place| packet.len() > self.length_left(place, packet))
    }

    /// Returns how many bytes would be left of a packet: never less than up to the end of its IP header, without which
    /// it could not be routed.
    fn length_left(&self, place: IpHeader, packet: &Packet) -> usize {
        self.trim_size.max(place.payload(packet))
    }

    /// Trims a packet and rewrites its headers as the plan says.
    pub fn cut(&self, packet: &mut Packet, place: IpHeader, is_last_hop: bool) {
        packet.truncate(self.length_left(place, packet));
        if self.corrects_lengths {
            place.correct_lengths(packet, self.corrects_checksum);
        }
        if self.corrects_checksum {
            place.clear_udp_checksum(packet);
        }
        let dscp = match &self.marking {
            Marking::Unmarked => return,
            Marking::Symmetric(dscp) => *dscp,
            Marking::Asymmetric(map) => {
                let original = place.dscp(packet);
                map.iter().find(|&&(from, _)| from == original).map_or(original, |&(_, to)| to)
            }
            Marking::LastHop { last, .. } if is_last_hop => *last,
            Marking::LastHop { elsewhere, .. } => *elsewhere,
        };
        place.set_dscp(packet, dscp, self.corrects_checksum);
    }

    /// Sends a packet back to where it came from (NDP, section 3.2.4), so that its sender receives its own header.
    pub fn turn_round(&self, packet: &mut Packet, place: IpHeader) {
        place.exchange_addresses(packet);
        place.set_dscp(packet, self.returned, self.corrects_checksum);
    }
}
