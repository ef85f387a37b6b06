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
        fields::ip_header(packet).filter(|&ip_header| packet.len() > self.length_left(ip_header, packet))
    }

    /// Returns how many bytes would be left of a packet: never less than up to the end of its IP header, without which
    /// it could not be routed.
    fn length_left(&self, ip_header: IpHeader, packet: &Packet) -> usize {
        self.trim_size.max(ip_header.payload(packet))
    }

    /// Trims a packet and rewrites its headers as the plan says.
    pub fn cut(&self, packet: &mut Packet, ip_header: IpHeader, is_last_hop: bool) {
        packet.truncate(self.length_left(ip_header, packet));
        if self.corrects_lengths {
            ip_header.correct_lengths(packet, self.corrects_checksum);
        }
        if self.corrects_checksum {
            ip_header.clear_udp_checksum(packet);
        }
        let dscp = match &self.marking {
            Marking::Unmarked => return,
            Marking::Symmetric(dscp) => *dscp,
            Marking::Asymmetric(map) => {
                let original = ip_header.dscp(packet);
                map.iter().find(|&&(from, _)| from == original).map_or(original, |&(_, to)| to)
            }
            Marking::LastHop { last, .. } if is_last_hop => *last,
            Marking::LastHop { elsewhere, .. } => *elsewhere,
        };
        ip_header.set_dscp(packet, dscp, self.corrects_checksum);
    }

    /// Sends a packet back to where it came from (NDP, section 3.2.4), so that its sender receives its own header.
    pub fn turn_round(&self, packet: &mut Packet, ip_header: IpHeader) {
        ip_header.exchange_addresses(packet);
        ip_header.set_dscp(packet, self.returned, self.corrects_checksum);
    }
}
