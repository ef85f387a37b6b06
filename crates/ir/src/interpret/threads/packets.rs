//! The packets of a thread: the one that it began for, and those that it makes.

use serde::{Deserialize, Serialize};

/// The tail of a packet: bytes that are known, followed by zeros that take no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    known: Vec<u8>,
    zeros: u64,
}

/// A packet that leaves a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeavingPacket {
    /// The number of the packet in its thread: 0 for the one that the thread began for.
    pub number: u64,
    /// The head.
    pub head: Vec<u8>,
    /// The bytes that follow the head.
    pub tail: Tail,
}

/// The packets of a thread, by number; `None` for those that have left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packets(pub(super) Vec<Option<HeldPacket>>);

/// A packet that a thread holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeldPacket {
    /// The head with which the packet is about to leave; empty before.
    pub head: Vec<u8>,
    pub tail: Tail,
}

impl Tail {
    /// Creates a tail of these bytes, which zeros follow.
    pub fn new(known: Vec<u8>, zeros: u64) -> Self {
        Self { known, zeros }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> u64 {
        self.known.len() as u64 + self.zeros
    }

    /// Returns true if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes that are known.
    pub fn known(&self) -> &[u8] {
        &self.known
    }

    /// Returns the number of zeros that follow the known bytes.
    pub fn zeros(&self) -> u64 {
        self.zeros
    }

    /// Reads bytes; those behind the end are 0.
    pub fn read(&self, offset: u64, into: &mut [u8]) {
        into.fill(0);
        let start = offset.min(self.known.len() as u64) as usize;
        let own = &self.known[start..];
        let count = own.len().min(into.len());
        into[..count].copy_from_slice(&own[..count]);
    }

    /// Writes bytes. A tail that is too short grows.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let end = offset as usize + bytes.len();
        if self.known.len() < end {
            self.zeros = self.zeros.saturating_sub((end - self.known.len()) as u64);
            self.known.resize(end, 0);
        }
        self.known[offset as usize..end].copy_from_slice(bytes);
    }

    /// Cuts the tail to at most so many bytes.
    pub fn cut(&mut self, bytes: u64) {
        self.known.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
        self.zeros = self.zeros.min(bytes.saturating_sub(self.known.len() as u64));
    }
}

impl LeavingPacket {
    /// Returns the length in bytes.
    #[allow(clippy::len_without_is_empty)] // no caller needs it
    pub fn len(&self) -> u64 {
        self.head.len() as u64 + self.tail.len()
    }

    /// Returns all bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = [&self.head[..], self.tail.known()].concat();
        bytes.resize(self.len() as usize, 0);
        bytes
    }
}

impl Packets {
    /// Returns the tail of a packet that is there.
    pub fn tail(&self, number: u64) -> Option<&Tail> {
        Some(&self.0.get(usize::try_from(number).ok()?)?.as_ref()?.tail)
    }

    /// Returns a packet, which is there from now on if it was not.
    pub(super) fn hold(&mut self, number: u64) -> &mut HeldPacket {
        // Threads have few packets: `MAX_PACKETS`.
        let place = number as usize;
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place].get_or_insert_default()
    }

    /// Removes a packet that leaves.
    pub(super) fn take(&mut self, number: u64) -> Option<LeavingPacket> {
        let HeldPacket { head, tail } = self.0.get_mut(usize::try_from(number).ok()?)?.take()?;
        Some(LeavingPacket { number, head, tail })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_grow_and_shrink() {
        let mut tail = Tail::new(vec![1, 2, 3], 4);
        let read = |tail: &Tail, offset| {
            let mut bytes = [9; 4];
            tail.read(offset, &mut bytes);
            bytes
        };
        assert_eq!((read(&tail, 1), read(&tail, u64::MAX), tail.len()), ([2, 3, 0, 0], [0; 4], 7));
        tail.write(4, &[5, 6]);
        assert_eq!((tail.known(), tail.zeros()), (&[1, 2, 3, 0, 5, 6][..], 1));
        tail.write(8, &[8]);
        assert_eq!((tail.known(), tail.zeros()), (&[1, 2, 3, 0, 5, 6, 0, 0, 8][..], 0));
        let mut zeros = Tail::new(vec![1], 10);
        zeros.cut(20);
        assert_eq!(zeros.len(), 11);
        zeros.cut(5);
        assert_eq!((zeros.known(), zeros.zeros()), (&[1][..], 4));
        zeros.cut(0);
        assert!(zeros.is_empty());
    }
}
