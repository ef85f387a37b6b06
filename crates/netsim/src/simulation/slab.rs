//! Packets that are on lines, by number.

use basis::{prefetch, prefetch_at};
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

    /// Asks for the place of a packet.
    #[inline]
    pub fn prefetch_place(&self, number: u32) {
        if let Some(place) = self.packets.get(number as usize) {
            prefetch(place);
        }
    }

    /// Asks for a packet whose place is near: what is known of it and its first headers.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if let Some(Some(packet)) = self.packets.get(number as usize) {
            prefetch_at(&**packet, 0);
            prefetch_at(&**packet, 64);
        }
    }

    /// A packet.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Packet> {
        self.packets.get(number as usize)?.as_ref()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.packets.len() - self.free.len()
    }
}
