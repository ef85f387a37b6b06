//! Chains of descriptors (Virtual I/O Device specification 1.2, sections 2.7.5 and 2.7.5.3), and the bytes that they describe.

use std::io::{IoSlice, IoSliceMut};

use vm_memory::{Bytes, GuestAddress, GuestMemoryMmap};

/// The chain goes on at the descriptor that is named (VIRTQ_DESC_F_NEXT).
const NEXT: u16 = 1;
/// The device writes (VIRTQ_DESC_F_WRITE).
const WRITE: u16 = 2;
/// The bytes are a table of further descriptors (VIRTQ_DESC_F_INDIRECT).
const INDIRECT: u16 = 4;
/// The length of a descriptor in bytes.
const LENGTH: u32 = 16;

/// A chain that does not describe bytes of the guest's memory: an address outside of it, a loop, a table within a table, or
/// bytes to write where the device reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadChain;

/// Bytes of the guest's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The address of the first byte.
    pub address: GuestAddress,
    /// The number of bytes.
    pub length: u32,
    /// Whether the device writes them, and does not read them.
    pub is_written: bool,
}

/// The pieces of a chain, one after the other. It ends behind the first error.
pub struct Chain<'a> {
    memory: &'a GuestMemoryMmap,
    /// The table in which the next descriptor is, and the number of descriptors there.
    table: GuestAddress,
    count: u32,
    next: Option<u32>,
    is_indirect: bool,
    /// The number of descriptors that may follow; a chain has no more than its ring (section 2.7.5.3.1).
    left: u32,
}

impl<'a> Chain<'a> {
    /// The chain that begins at a descriptor of a ring.
    pub(super) fn new(memory: &'a GuestMemoryMmap, table: GuestAddress, size: u16, head: u16) -> Self {
        let size = u32::from(size);
        Self { memory, table, count: size, next: Some(head.into()), is_indirect: false, left: size }
    }

    fn read(&mut self, number: u32) -> Result<Option<Piece>, BadChain> {
        if number >= self.count || self.left == 0 {
            return Err(BadChain);
        }
        self.left -= 1;
        let at = self.table.0.checked_add(u64::from(number * LENGTH)).ok_or(BadChain)?;
        let mut bytes = [0; LENGTH as usize];
        self.memory.read_slice(&mut bytes, GuestAddress(at)).map_err(|_| BadChain)?;
        let [address @ .., _, _, _, _, _, _, _, _] = bytes;
        let [_, _, _, _, _, _, _, _, a, b, c, d, e, f, g, h] = bytes;
        let (length, flags) = (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]));
        let address = GuestAddress(u64::from_le_bytes(address));
        if flags & INDIRECT != 0 {
            // Section 2.7.5.3.1: no table within a table, and none with a descriptor behind it.
            if self.is_indirect || flags & NEXT != 0 || length == 0 || !length.is_multiple_of(LENGTH) {
                return Err(BadChain);
            }
            (self.table, self.count, self.next, self.is_indirect) = (address, length / LENGTH, Some(0), true);
            return Ok(None);
        }
        self.next = (flags & NEXT != 0).then(|| u32::from(u16::from_le_bytes([g, h])));
        Ok(Some(Piece { address, length, is_written: flags & WRITE != 0 }))
    }
}

impl Iterator for Chain<'_> {
    type Item = Result<Piece, BadChain>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let number = self.next.take()?;
            match self.read(number) {
                Ok(None) => {}
                Ok(Some(piece)) => return Some(Ok(piece)),
                Err(bad) => return Some(Err(bad)),
            }
        }
    }
}

/// Copies the bytes of a chain that the device reads into parts of memory. Its first `header` bytes are a header, of which as many
/// are copied as fill the first part, and the rest is left out. Returns the number of copied bytes, at most as many as the parts
/// hold.
///
/// # Errors
/// If the chain is bad, or has fewer bytes than the header.
pub fn read(
    memory: &GuestMemoryMmap,
    chain: Chain<'_>,
    header: usize,
    parts: &mut [IoSliceMut<'_>],
) -> Result<usize, BadChain> {
    let [first, rest @ ..] = parts else { return Err(BadChain) };
    // The header is read into the first part, and what it has more into this.
    let mut surplus = [0; 16];
    let surplus = surplus.get_mut(..header.saturating_sub(first.len())).ok_or(BadChain)?;
    let (mut number, mut at, mut total) = (0, 0, 0);
    'chain: for piece in chain {
        let Piece { address, length, is_written } = piece?;
        if is_written {
            return Err(BadChain);
        }
        let mut from = 0;
        while from < length {
            let part = match number {
                0 => &mut first[..],
                1 => &mut *surplus,
                number => match rest.get_mut(number - 2) {
                    Some(part) => &mut part[..],
                    None => break 'chain,
                },
            };
            let count = (part.len() - at).min((length - from) as usize);
            let address = GuestAddress(address.0.checked_add(from.into()).ok_or(BadChain)?);
            memory.read_slice(&mut part[at..at + count], address).map_err(|_| BadChain)?;
            (from, at, total) = (from + count as u32, at + count, total + count);
            if at == part.len() {
                (number, at) = (number + 1, 0);
            }
        }
    }
    total.checked_sub(surplus.len()).filter(|_| total >= header).ok_or(BadChain)
}

/// Copies parts of memory one after the other into pieces, as far as both go.
///
/// # Errors
/// If a piece does not lie in the memory.
pub fn write<'a, 'b: 'a>(
    memory: &GuestMemoryMmap,
    pieces: impl IntoIterator<Item = &'a Piece>,
    parts: impl IntoIterator<Item = &'a IoSlice<'b>>,
) -> Result<(), BadChain> {
    let mut pieces = pieces.into_iter();
    // What is left of the present piece.
    let (mut address, mut room) = (GuestAddress(0), 0);
    for part in parts {
        let mut from = 0;
        while from < part.len() {
            if room == 0 {
                let Some(piece) = pieces.next() else { return Ok(()) };
                (address, room) = (piece.address, piece.length as usize);
            }
            let count = room.min(part.len() - from);
            memory.write_slice(&part[from..from + count], address).map_err(|_| BadChain)?;
            address = GuestAddress(address.0.checked_add(count as u64).ok_or(BadChain)?);
            (from, room) = (from + count, room - count);
        }
    }
    Ok(())
}
