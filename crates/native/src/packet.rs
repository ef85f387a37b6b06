//! A packet in the form that compiled code works on.

use std::fmt;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use ir::VariableId;
use machines::blocks::Frame;
use wire::Tail;

use crate::layout::Layout;

/// The number of bytes that may be accessed beyond the end of a buffer, so that fields can be moved eight bytes at a
/// time.
pub(crate) const PADDING: usize = 8;

/// A packet of one program, with its variables as words.
#[derive(Clone)]
pub struct Packet {
    pub(crate) layout: Arc<Layout>,
    /// The values of all variables as raw bits, placed by the layout.
    pub(crate) words: Box<[u64]>,
    /// The received packet that this one holds, if any.
    held: Option<wire::Packet>,
    /// Whether the bytes are the head of the held packet, behind which [`PADDING`] bytes may be read.
    in_place: bool,
    /// If they are not: the bytes that arrived, as far as they are in memory, and [`PADDING`].
    bytes: Vec<u8>,
    /// The number of bytes in memory.
    pub(crate) length: usize,
    /// What follows them, which comes into memory only when a parser reads it. A length stands for zeros.
    pub(crate) rest: Tail,
    /// The number of bits that were extracted or skipped.
    pub(crate) position: usize,
    /// The emitted bytes, followed by unused room.
    pub(crate) emitted: Vec<u8>,
    /// The number of bits that were emitted.
    pub(crate) emitted_bits: usize,
}

impl Packet {
    /// Creates a packet without bytes whose variables are all 0.
    pub(crate) fn new(layout: &Arc<Layout>) -> Self {
        Self {
            words: vec![0; layout.words()].into(),
            layout: Arc::clone(layout),
            held: None,
            in_place: false,
            bytes: vec![0; PADDING],
            length: 0,
            rest: Tail::Length(0),
            position: 0,
            emitted: Vec::new(),
            emitted_bits: 0,
        }
    }

    /// Returns the value of a variable, in as many 64-bit words as its width needs, least significant first.
    ///
    /// # Panics
    /// Panics if the program has no such variable.
    pub fn words(&self, variable: VariableId) -> &[u64] {
        &self.words[self.layout.place(variable)]
    }

    /// Returns the value of a variable for writing, in the form of [`Packet::words`]. Bits above its width must stay 0.
    ///
    /// # Panics
    /// Panics if the program has no such variable.
    pub fn words_mut(&mut self, variable: VariableId) -> &mut [u64] {
        &mut self.words[self.layout.place(variable)]
    }

    /// Brings what follows into memory until `bytes` bytes are there, as far as there are any.
    pub(crate) fn reach(&mut self, bytes: usize) {
        let lacks = bytes.saturating_sub(self.length).min(self.rest.len());
        self.own();
        self.bytes.truncate(self.length);
        if let Tail::Bytes(rest) = &self.rest {
            self.bytes.extend_from_slice(&rest[..lacks]);
        }
        self.length += lacks;
        self.rest.skip(lacks);
        self.bytes.resize(self.length + PADDING, 0);
    }

    /// Copies the bytes out of the held packet if they are still there.
    fn own(&mut self) {
        if let (true, Some(held)) = (std::mem::take(&mut self.in_place), &self.held) {
            self.bytes.clear();
            self.bytes.extend_from_slice(held.head.bytes());
            self.bytes.resize(self.length + PADDING, 0);
        }
    }

    /// Returns the bytes in memory, followed by [`PADDING`].
    #[inline]
    pub(crate) fn padded(&self) -> &[u8] {
        match &self.held {
            Some(held) if self.in_place => held.head.padded(PADDING).expect("looked at before it was kept"),
            _ => &self.bytes,
        }
    }

    /// Drops the held packet and resets bytes and positions.
    #[inline]
    fn begin(&mut self) {
        self.held = None;
        self.in_place = false;
        self.length = 0;
        self.rest = Tail::Length(0);
        self.reset_positions();
    }

    #[inline(always)]
    fn reset_positions(&mut self) {
        self.position = 0;
        self.emitted_bits = 0;
    }

    /// Returns the number of bits that were emitted.
    pub fn emitted_bits(&self) -> usize {
        self.emitted_bits
    }
}

/// Methods that the switch calls for every packet are `inline(always)`, because the switch exceeds the compiler's budget for inlining.
impl Frame for Packet {
    #[inline(always)]
    fn low(&self, variable: VariableId) -> u64 {
        self.words[self.layout.low(variable)]
    }

    #[inline]
    fn set(&mut self, variable: VariableId, value: u64) {
        let place = self.layout.place(variable);
        self.words[place.start] = value;
        if place.len() > 1 {
            self.words[place.start + 1..place.end].fill(0);
        }
    }

    fn copy_variables(&mut self, from: &Self, variables: &[VariableId]) {
        for &variable in variables {
            let place = self.layout.place(variable);
            self.words[place.clone()].copy_from_slice(&from.words[place]);
        }
    }

    fn copy_from(&mut self, from: &Self) {
        self.words.copy_from_slice(&from.words);
        (self.held, self.in_place) = (None, false);
        self.bytes.clear();
        self.bytes.extend_from_slice(from.bytes());
        self.length = from.length;
        self.bytes.resize(self.length + PADDING, 0);
        self.rest.clone_from(&from.rest);
        self.position = from.position;
        self.emitted.clone_from(&from.emitted);
        self.emitted_bits = from.emitted_bits;
    }

    #[inline]
    fn clear(&mut self) {
        self.words.fill(0);
        self.begin();
    }

    fn clear_variables(&mut self, variables: &[VariableId]) {
        for &variable in variables {
            self.words[self.layout.place(variable)].fill(0);
        }
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        &self.padded()[..self.length]
    }

    #[inline]
    fn set_bytes(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.begin();
        self.bytes.clear();
        write(&mut self.bytes);
        self.length = self.bytes.len();
        self.bytes.extend_from_slice(&[0; PADDING]);
    }

    #[inline(always)]
    fn hold(&mut self, packet: wire::Packet) -> Option<wire::Packet> {
        if packet.head.padded(PADDING).is_none() {
            self.copy_bytes(&packet);
            return Some(packet);
        }
        self.length = packet.head.len();
        self.rest = packet.tail.clone();
        self.reset_positions();
        self.held = Some(packet);
        self.in_place = true;
        None
    }

    #[inline]
    fn release(&mut self) -> Option<wire::Packet> {
        let held = self.held.take()?;
        self.length = 0;
        self.in_place = false;
        Some(held)
    }

    #[inline]
    fn rest(&self) -> Tail {
        self.rest.clone()
    }

    #[inline]
    fn set_rest(&mut self, rest: Tail) {
        self.rest = rest;
    }

    #[inline]
    fn length(&self) -> usize {
        self.length + self.rest.len()
    }

    #[inline]
    fn position(&self) -> usize {
        self.position
    }

    #[inline(always)]
    fn emitted(&self) -> &[u8] {
        &self.emitted[..self.emitted_bits.div_ceil(8)]
    }
}

/// The layout and the unused room of buffers are not part of the state.
impl Snapshot for Packet {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&*self.words)?;
        into.put(&self.held)?;
        into.put(&self.in_place)?;
        into.put(self.bytes())?;
        into.put(&(&self.rest, self.position))?;
        into.put(self.emitted())?;
        into.put(&self.emitted_bits)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let words: Vec<u64> = from.take()?;
        if words.len() != self.words.len() {
            return Err(Unfit("the state has a packet of another program".to_owned()));
        }
        self.words = words.into();
        let held: Option<wire::Packet> = from.take()?;
        let in_place: bool = from.take()?;
        let bytes: Vec<u8> = from.take()?;
        self.set_bytes(|own| own.extend_from_slice(&bytes));
        // The restored head is in other memory, possibly without padding behind it; the copied bytes are used then.
        self.in_place = in_place && held.as_ref().is_some_and(|held| held.head.padded(PADDING).is_some());
        self.held = held;
        (self.rest, self.position) = from.take()?;
        self.emitted = from.take()?;
        self.emitted_bits = from.take()?;
        Ok(())
    }
}

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packet")
            .field("words", &self.words)
            .field("bytes", &self.bytes())
            .field("position", &self.position)
            .field("emitted", &self.emitted())
            .finish()
    }
}
