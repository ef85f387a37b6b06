//! A packet as compiled code works on it.

use std::fmt;
use std::sync::Arc;

use ir::VariableId;
use machines::v1model::Frame;

use crate::layout::Layout;

/// How many bytes may be read, or written, behind those that count, so that fields are moved eight bytes at a time.
pub(crate) const PADDING: usize = 8;

/// A packet of one program, its variables in words.
#[derive(Clone)]
pub struct Packet {
    pub(crate) layout: Arc<Layout>,
    /// The values of all variables, raw bits, where the layout says.
    pub(crate) words: Box<[u64]>,
    /// The bytes as they arrived, as far as they are in memory, and [`PADDING`].
    pub(crate) bytes: Vec<u8>,
    /// How many of them arrived.
    pub(crate) length: usize,
    /// How many bytes follow these that are all 0, and come into memory only when a parser reads them.
    pub(crate) zeros: usize,
    /// How many bits of them were extracted or skipped.
    pub(crate) position: usize,
    /// What was emitted, and room.
    pub(crate) emitted: Vec<u8>,
    /// How many bits were emitted.
    pub(crate) emitted_bits: usize,
}

impl Packet {
    /// A packet without bytes whose variables are all 0.
    pub(crate) fn new(layout: &Arc<Layout>) -> Self {
        Self {
            words: vec![0; layout.words()].into(),
            layout: Arc::clone(layout),
            bytes: vec![0; PADDING],
            length: 0,
            zeros: 0,
            position: 0,
            emitted: Vec::new(),
            emitted_bits: 0,
        }
    }

    /// The value of a variable: as many words of 64 bits as its width takes, the lowest first.
    pub fn words(&self, variable: VariableId) -> &[u64] {
        &self.words[self.layout.place(variable)]
    }

    /// The same, to change; bits above the width stay 0.
    pub fn words_mut(&mut self, variable: VariableId) -> &mut [u64] {
        &mut self.words[self.layout.place(variable)]
    }

    /// Takes bytes into memory, up to so many, if they are there.
    pub(crate) fn reach(&mut self, bytes: usize) {
        let lacks = bytes.saturating_sub(self.length).min(self.zeros);
        self.length += lacks;
        self.zeros -= lacks;
        // What was behind the bytes until now is 0 already.
        self.bytes.resize(self.length + PADDING, 0);
    }

    /// How many bits were emitted.
    pub fn emitted_bits(&self) -> usize {
        self.emitted_bits
    }
}

impl Frame for Packet {
    #[inline]
    fn low(&self, variable: VariableId) -> u64 {
        self.words[self.layout.place(variable).start]
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
        self.bytes.clone_from(&from.bytes);
        self.length = from.length;
        self.zeros = from.zeros;
        self.position = from.position;
        self.emitted.clone_from(&from.emitted);
        self.emitted_bits = from.emitted_bits;
    }

    #[inline]
    fn clear(&mut self) {
        self.words.fill(0);
        self.set_bytes(|_| ());
    }

    fn clear_variables(&mut self, variables: &[VariableId]) {
        for &variable in variables {
            self.words[self.layout.place(variable)].fill(0);
        }
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    #[inline]
    fn set_bytes(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.clear();
        write(&mut self.bytes);
        self.length = self.bytes.len();
        self.bytes.resize(self.length + PADDING, 0);
        self.zeros = 0;
        self.position = 0;
        self.emitted_bits = 0;
    }

    #[inline]
    fn zeros(&self) -> usize {
        self.zeros
    }

    #[inline]
    fn set_zeros(&mut self, zeros: usize) {
        self.zeros = zeros;
    }

    #[inline]
    fn position(&self) -> usize {
        self.position
    }

    #[inline]
    fn emitted(&self) -> &[u8] {
        &self.emitted[..self.emitted_bits.div_ceil(8)]
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
