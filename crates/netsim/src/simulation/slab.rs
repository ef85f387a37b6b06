//! Packets that are on lines, by number.

use wire::Packet;

/// Keeps packets under numbers that are used again, so that an event is small and memory stays flat.
#[derive(Debug, Default)]
pub(super) struct PacketSlab {
    packets: Vec<Option<Packet>>,
    free: Vec<u32>,
}

impl PacketSlab {
    /// Keeps a packet.
    pub fn insert(&mut self, packet: Packet) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.packets[number as usize] = Some(packet);
                number
            }
            None => {
                self.packets.push(Some(packet));
                u32::try_from(self.packets.len() - 1).expect("fewer than 2^32 packets on all lines")
            }
        }
    }

    /// Gives a packet back. Panics if there is none of this number.
    pub fn take(&mut self, number: u32) -> Packet {
        self.free.push(number);
        self.packets[number as usize].take().expect("an event's packet")
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.packets.len() - self.free.len()
    }
}
