//! What is done to the bytes of a packet that is cut, or sent back.

use wire::Packet;

use super::settings::Settings;
use crate::fields::{self, Place};
use crate::{Marking, Queued};

impl Settings {
    /// Where the IP header of a packet is, if the packet can be cut: switches trim IP packets that are longer than
    /// what would be left of them.
    pub fn can_cut(&self, item: &impl Queued) -> Option<Place> {
        let packet = item.packet()?;
        fields::place(packet).filter(|&place| packet.len() > self.length_left(place, packet))
    }

    /// How much would be left of a packet, in bytes: never less than its IP header, without which nobody could route
    /// it.
    fn length_left(&self, place: Place, packet: &Packet) -> usize {
        self.trim_size.max(place.payload(packet))
    }

    /// Cuts a packet and writes into its headers what this switch writes there.
    pub fn cut(&self, packet: &mut Packet, place: Place, is_last_hop: bool) {
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

    /// Makes a packet go back to where it came from (NDP, section 3.2.4): its sender gets its own header.
    pub fn turn_round(&self, packet: &mut Packet, place: Place) {
        place.exchange_addresses(packet);
        place.set_dscp(packet, self.returned, self.corrects_checksum);
    }
}
