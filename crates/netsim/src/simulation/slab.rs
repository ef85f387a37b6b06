//! The packets that are on links, by number.

use basis::{prefetch, prefetch_at};
use wire::Packet;

/// A store of packets under numbers that are reused, which keeps events small and memory constant.
#[derive(Debug, Default)]
pub(super) struct PacketSlab {
    packets: Vec<Option<Packet>>,
    free: Vec<u32>,
}

impl PacketSlab {
    /// Stores a packet and returns its number.
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

    /// Removes and returns a packet. Panics if there is none with this number.
    pub fn take(&mut self, number: u32) -> Packet {
        self.free.push(number);
        self.packets[number as usize].take().expect("an event's packet")
    }

    /// Prefetches the slot of a packet.
    #[inline]
    pub fn prefetch_slot(&self, number: u32) {
        if let Some(packet) = self.packets.get(number as usize) {
            prefetch(packet);
        }
    }

    /// Prefetches the metadata and first headers of a packet whose slot is in the cache.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if let Some(Some(packet)) = self.packets.get(number as usize) {
            prefetch_at(&**packet, 0);
            prefetch_at(&**packet, 64);
        }
    }

    /// Returns a packet by its number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Packet> {
        self.packets.get(number as usize)?.as_ref()
    }

    /// Returns how many packets there are.
    pub fn len(&self) -> usize {
        self.packets.len() - self.free.len()
    }
}
